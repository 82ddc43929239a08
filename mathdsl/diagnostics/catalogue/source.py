"""Codes of source (E01xx): documents, containers, macros and characters."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "E0101",
        "error",
        "the file is not encoded in UTF-8",
        """Documents are UTF-8 text. Another encoding would turn letters into others without a word, so nothing is guessed.

Save the file as UTF-8 (a byte order mark at its beginning is accepted), or convert it:

    iconv -f LATIN1 -t UTF-8 paper.tex > paper-utf8.tex""",
    ),
    Row(
        "E0102",
        "error",
        "the file holds binary data",
        """A byte 0 stands in the file, which no text holds. The name of a compiled or compressed file was probably given
instead of the name of its source (`paper.pdf` for `paper.tex`).""",
    ),
    Row(
        "E0103",
        "error",
        "a program stands outside of every container",
        r"""In a LaTeX document with `\begin{document}` only certain environments hold program text; everything else is prose and is
not read. A program outside of them would be dropped, so it is refused.

Wrong:

    \begin{document}
    $$ \Module{F}{x ; W} \Return W x \\ \EndModule $$
    \end{document}

Right: one of the environments `mathdsl`, `\[ \]`, `equation`, `align`, `aligned`, `gather`, `array` (starred or not):

    \begin{document}
    \[ \Module{F}{x ; W} \Return W x \\ \EndModule \]
    \end{document}

In Markdown, reStructuredText and docstrings a `.. math::` directive holds programs in docstring notation (`\algoProc`);
module notation goes into `.. mathdsl::` or a fenced `mathdsl` block.""",
    ),
    Row(
        "E0104",
        "error",
        "this kind of file cannot be read",
        """Programs are read from `.tex`, `.py`, `.md` and `.rst` files and from standard input. Of a notebook, an HTML page or a PDF
file, save the program as one of these.""",
    ),
    Row(
        "E0105",
        "error",
        "an environment or a block is not closed",
        r"""An environment that holds a program, or a fenced block, begins and never ends, or ends under another name. Where the
program ends is then open.

Wrong:

    \begin{align*} \algoProc{\F}\pa{x} … \algoEndProc \end{align}

Right:

    \begin{align*} \algoProc{\F}\pa{x} … \algoEndProc \end{align*}""",
    ),
    Row(
        "E0107",
        "error",
        "the document holds no program",
        r"""Nothing in the named files is program text, so there is nothing to compile. A document with prose needs a container
around each program:

    \begin{mathdsl}
    \Module{F}{x ; W} \Return W x \\ \EndModule
    \end{mathdsl}

A `.tex` file without `\begin{document}` and without containers is program text as a whole. In a Python file, programs are
the `.. math::` blocks with `\algoProc` in docstrings; in Markdown they are fenced blocks of the language `mathdsl`.""",
    ),
    Row(
        "E0108",
        "error",
        "the Python file cannot be parsed",
        """Docstrings are found by parsing the file (it is never imported or run), and Python's own parser refused it. The message
is Python's.

Wrong:

    class Cell(:

Right:

    class Cell:""",
    ),
    Row(
        "E0109",
        "error",
        "a docstring with a program is not raw",
        r'''In an ordinary string Python turns `\a` into a control character before anybody can read `\algoProc`.

Wrong:

    """.. math:: \algoProc{\F}\pa{x} …"""

Right:

    r""".. math:: \algoProc{\F}\pa{x} …"""''',
    ),
    Row(
        "E0118",
        "error",
        "the Python file has no such class",
        """`FILE.py:Class` and `package.module:Class` name a class of a Python file; the classes inside of another are named with a dot
(`Outer.Inner`). The file is read, never imported, so a class that only running it would make is not found.""",
    ),
    Row(
        "E0110",
        "error",
        "a macro uses itself",
        r"""A macro is an abbreviation, replaced by its body until none is left. A body that holds the macro's own name, directly
or through others, has no end.

Wrong:

    \newcommand{\h}{\tanh(\h)}

Right: keep the command's old meaning under another name first,

    \let\oldh\h
    \renewcommand{\h}{\hat{\oldh}}

and write a recurrence of the model with an index: `h[t] \gets \tanh(h[t-1])`.""",
    ),
    Row(
        "E0111",
        "error",
        "macros expand to too much",
        r"""Macros that call macros can grow without bound (`\newcommand{\b}{\a\a}`, `\newcommand{\c}{\b\b}`, …). Expansion stops at a
depth of 100 bodies, and at a total in proportion to the length of the document.""",
    ),
    Row(
        "E0112",
        "error",
        "a macro's definition cannot be used",
        r"""The document defines the command in a way that cannot be expanded: with parameters out of order, with an argument
specification other than `m` and `O{…}`, or twice with different bodies (a second `\newcommand` stops TeX as well; use
`\renewcommand`). A definition that no program uses is no mistake.""",
    ),
    Row(
        "E0113",
        "error",
        "a macro's arguments do not fit its definition",
        r"""A call must have what the definition asks for.

Wrong:

    \newcommand{\lin}[2]{#1 x + #2}      \lin{W}

Right:

    \lin{W}{b}""",
    ),
    Row(
        "E0114",
        "error",
        "a character that is not of the language",
        r"""Program text consists of ASCII and of the characters in the table of equal spellings: Greek letters, `ℝ ℕ ℤ 𝔹`,
`∈ ≤ ≥ ≠ ← ≔`, `· × ⊙ ∘ ⊗ ∑ ∏`, `∞ ∧ ∨ ¬ ∀ ⊤ ′ − ‖ …`, sub- and superscripts (`xₜ₋₁`, `Aᵀ`) and letters with an accent that is a
LaTeX accent (`ŷ`, `x̄`). They mean their LaTeX. Any other letter is refused, above all the ones that look like Latin letters
(Cyrillic `а`, Greek capital `Α`, full-width `ｘ`): two symbols that look alike would be different. In comments, in `\text` and
in the descriptions of a `where` any character may stand.""",
    ),
    Row(
        "E0115",
        "error",
        "an invisible character",
        r"""A zero-width or control character stands in program text, where nobody can see it and it would make two equal-looking names
different. Delete it: of `h<U+200B>t \gets x \\` keep `ht \gets x \\`.""",
    ),
    Row(
        "E0116",
        "error",
        "a command that programs TeX",
        r"""Commands such as `\expandafter`, `\ifx`, `\csname`, and definitions that a macro makes, get their meaning while TeX
runs. In a program write what they would expand to. `\input` takes in a file beside the document, which only a document that is a file
has: in a cell of a notebook, or on standard input, write what the file holds.""",
    ),
    Row(
        "E0117",
        "error",
        "a root sign without an end",
        r"""`√` has no bar to show what it covers. Before one letter or number, or before braces, it is a `\sqrt`; `√d_k` and `√(x)y`
could be read in two ways. Write `√{d_k}` or `\sqrt{d_k}`.""",
    ),
    Row(
        "E0119",
        "error",
        "a file that a document takes in cannot be read",
        r"""`\input{model}`, `\include{model}` and `\subfile{model}` take in `model.tex`, or `model`, of the folder of the document or one
below it. The file has to be there, has to be text, and cannot take itself in. A file of another folder is named beside the document:
`mathdsl compile ../macros.tex paper.tex` reads both as one.""",
    ),
    Row(
        "N0101",
        "note",
        "a definition of a command of the language is not used",
        r"""Commands such as `\Module`, `\gets`, `\pa` or `\algoProc` are the language's own. A document may define them so that TeX can
typeset it; in programs they keep the language's meaning.""",
    ),
    Row(
        "N0102",
        "note",
        "more diagnostics than are shown",
        """A run shows fifty diagnostics, errors before warnings, and counts the rest: `50 more errors not shown`. Mend the first ones and
run again.""",
    ),
    Row(
        "N0103",
        "note",
        "an algorithm is taken for prose",
        r"""An `algorithmic` environment is a program if `\Procedure` or `\Function` stands in it. Where no program of a
document has a header, one without is a program too: it takes what `\Require` says, and its caption names it. Beside programs that
have one it is left alone, as the text around it is. Write its first line as `\Procedure{Name}{$inputs$}` and its last as
`\EndProcedure` to have it compiled. An algorithm of the package `algorithm2e` is one if it says by `\KwIn` or `\KwOut` what it takes
or gives, or holds a function. In Markdown, a program stands in a block that begins with `mathdsl`; one in a block of `latex` is shown
as it is written.""",
    ),
)
