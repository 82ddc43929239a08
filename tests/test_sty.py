r"""mathdsl.sty: the text that compiles typesets as it stands, with every command and character of the language."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from rendering import EXAMPLES, PACKAGE, TexRun, needs_tex, run_tex

import mathdsl
from mathdsl.source.equal_spellings import COMBINING_ACCENTS, EQUAL_SPELLINGS, SCRIPTS, find_spelling
from mathdsl.source.language_commands import ARGUMENTS, OWNED
from mathdsl.syntax.commands import COMMANDS, FLAGS, MATRICES, TEXT_WORDS, is_known_name, known_commands
from mathdsl.syntax.pairs import CLOSER, OPENER, SPELLING

ROOT = Path(__file__).parent.parent
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.tex"))
pytestmark = needs_tex


def typeset(document: str, runs: int = 2) -> TexRun:
    return run_tex(document, with_package=True, runs=runs)


def document(body: str, preamble: str = "", options: str = "") -> str:
    return rf"\documentclass{{article}}{preamble}\usepackage{options}{{mathdsl}}" + "\n\\begin{document}\n" + body + "\n\\end{document}\n"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_typesets_as_it_stands(path: Path) -> None:
    result = typeset(path.read_text(encoding="utf-8"))
    assert result.complaints() == []
    assert all(name[0].isupper() for name in result.names), "only modules, layers and losses are names"


def _is_document(path: Path) -> bool:
    return r"\documentclass" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [path for path in PROGRAMS if _is_document(path)], ids=lambda path: path.stem)
def test_a_paper_typesets_once_it_says_usepackage(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if "mathdsl" not in text.partition(r"\begin{document}")[0]:
        text = text.replace(r"\begin{document}", "\\usepackage{algorithm,algpseudocode,mathdsl}\n\\begin{document}", 1)
    assert typeset(text, runs=1).complaints() == []


def _fragment(path: Path) -> str:
    """A program as a part of a document: loose text of the module notation gets the environment that TeX needs."""
    text = path.read_text(encoding="utf-8").replace(r"\begin{document}", "").replace(r"\end{document}", "")
    is_loose = r"\begin{mathdsl}" not in text and r"\begin{algorithmic}" not in text and r"\begin{align" not in text
    if is_loose:
        text = f"\\begin{{mathdsl}}\n{text}\n\\end{{mathdsl}}"
    return f"\\typeout{{program {path.stem}}}\\begingroup\n{text}\n\\endgroup\n"


def test_every_program_of_the_tests_typesets() -> None:
    fragments = "\n\n".join(_fragment(path) for path in PROGRAMS if not _is_document(path))
    assert typeset(document(fragments, r"\usepackage{algorithm,algpseudocode}"), runs=1).complaints() == []


FORMS = r"""
Before \eqref{three} and \ref{five}.
\begin{mathdsl}
\sigma \gets \Sigmoid \\
\KwIn{$y \in \R^{d}$} \\
\Require x \in \R^d \\
\Module {M} {\{S\}^L, x \in \mathbb{R}^{S \times d}, (c, h), x_t \in \{1, \dots, V\}, t = 1, \dots, S, p = 0 ;
    T_s, Linear, D, c_0, h_0, W \sim \mathcal{U}(a, b), q \in (0, 1] = 0.5}
\begin{where} S \in \mathbb{N} & how many \\ \end{where}
\bar{S} \gets \{ 0 \}^{1} || S \Comment{Pad {the} input at $0$} \tag{3a} \label{three}\\

\begin{group}
f[1 \leq t \leq L] \gets \sigma(T_f(x[t], h[t - 1])) \Comment{%
  A comment that is much too long for the rest of the line, and for two thirds of a whole line as well.}\\[2pt]
[a, b] = f(x)\\*
% a comment
i[1 \leq t \leq L] \gets \sigma(T_i(x[t], h[t - 1])) \label{five} \\
[u, v] \gets g(x) \nonumber \\
& c[0 \leq t \leq L] & \gets \begin{cases}
c_0 & t = 0, \\

f[t] * c[t - 1] + i[t] * \tilde{c}[t] & otherwise \\
\end{cases} \\
\end{group} \\
z \sim \mathcal{N}(0, 1) \tag*{[Q]} \\
\Assert S > 0 \land \|x\|_2 < 3 || b \\
n \gets \|x\| + \lVert y \rVert + |z| \mathbin\Vert w + \left\| \frac{a}{b} \right\| \\
q \gets x ** 2 + 1e-5 - \mathbb{1}[c > 0] \quad (i = 1, \dots, n,\ j = 1, \dots, i) \\
A \gets \begin{bmatrix} A & \mathbf{1}_{2,2} \\ 0 & \vdots \end{bmatrix} \\
a \gets a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13} + a_{14} + a_{15} + a_{16} + a_{17}
  \quad (t = 1, \dots, L) \\
\Return x \Comment{the end}
\EndModule
loss(\hat{y}, y) \gets \CrossEntropy(\hat{y}, y) \\
\end{mathdsl}

\begin{where}
  x, y \in \mathbb{R}^{d} = \mathbf{0} \sim \mathcal{U}(a, b) \text{ shared}, \ell = 1, \dots, n & a vector, $x$ & $y$ with \% \\[1ex]
  d = n k \\

  f^{\ell} \in \mathrm{AnEncoderLayer}(d_{model}, d_{ff}, n_{head}, d_k, d_v, p, \mathrm{init}_{lower}, \mathrm{init}_{upper}),
     \ell = 1, \dots, n_{lyr}
    & the layers, with a description that goes on and on until it has to be broken because no line of this page holds it
\end{where}
"""

DISPLAYS = r"""
\begin{align}
& \algoProc{\RNN}\pa{x, \br{h_0^1, \dots, h_0^{\nLyr}}} \\

& \indent{1} \algoCmt{All $S$ positions.} \\
& \indent{1} S_q \algoEq q.\sz{1} && \tag{7} \\
& \indent{1} \algoFor{t \in \set{1, \dots, S}} \\
& \indent{2} \algoIf{x_t \algoIs \algoTrue} \\
& \indent{3} y_t \algoEq 1 \label{inside} \\
& \indent{2} \algoElseIf{t \leq 2} \\
& \indent{3} y_t \algoEq \pa{\dfrac{a}{b}} \\
& \indent{2} \algoElse \\
& \indent{3} y_t \algoEq \drop{x_t}{p} \algoCmt{dropped} \\
& \indent{2} \algoEndIf \\
& \indent{1} \algoEndFor \\
& \indent{1} \algoWhile{x > 1}[3] \\
& \indent{2} x \algoEq x / 2 \\
& \indent{2} \algoIf{x < 0} \\ & \indent{3} \algoBreak \\ & \indent{2} \algoElse \\ & \indent{3} \algoContinue \\ & \indent{2} \algoEndIf \\
& \indent{1} \algoEndWhile \\
& \indent{1} \algoRepeat \\
& \indent{2} x \algoEq x / 2 \\
& \indent{1} \algoUntil{x < 1}[3] \\
& \indent{1} h^\ell \algoEq \LaterLayer\pa{x \algoEq \widehat{h^{\ell-1}}, h_0 \algoEq h_0^\ell} \cdot \dEmb \\
& \indent{1} \algoReturn \pa{y, \cat{y_1, \dots, y_S}, \fla{a}, \sof{b}} \\
& \algoEndProc
\end{align}
Here \ref{inside}.
\begin{gather*} \algoProc{\LaterLayer}\pa{x} \\ \algoReturn x \\ \algoEndProc \end{gather*}
\begin{alignat*}{2} & \algoProc{\LaterLayer}\pa{x} \\ & \algoReturn x \\ & \algoEndProc \end{alignat*}
\[ \begin{aligned} & \algoProc{\N}\pa{x} \\ & \indent{1} \algoReturn x \\ & \algoEndProc \end{aligned} \]
\begin{equation} \begin{array}{ll} & \algoProc{\N}\pa{x} \\ & \indent{1} \algoReturn x \\ & \algoEndProc \end{array} \end{equation}
\begin{equation*} \begin{gathered} \algoProc{\N}\pa{x} \\ \algoReturn x \\ \algoEndProc \end{gathered} \end{equation*}
\[ \Module{Last}{x \in \R^{S \times n} ; g \in \mathrm{Cell}(n, d)}
   h[t] \gets g(x[t-1], h[t-1]) \quad (t = 1, \dots, S) \\
   \Return h[S] \\
\EndModule \]
\begin{equation} \Module{Next}{x} \Return x \EndModule \end{equation}
"""

ALGORITHMS = r"""
\begin{algorithmic}[1]
\Require $x_t \in \R^d$ for all $t = 1, \dots, S$, $a, b \in \R$; $d > 1$ \Comment{given}
\Ensure $y \in \R^d$
\Procedure{Net2}{$x \in \R^{S \times d}$, $h_0 = \mathbf{0}$ ; $W$}
  \State $(c, m) \gets$ \Call{Cell9}{$x, h_0$}; \textbf{and} $k = 1$ \label{line} \Comment{two of them}
  \For{$t \gets 1 \To S$}
    \State $h_t \gets \LaterNet(h_{t-1}) + \dEmb + \msk + \LayerNorm_1(x)$.
    \ForAll{$i \in I$} \If{$x_t = 0$ \textbf{and not} $t \leq 2$} \State $y_t \gets 1$
    \ElsIf{$t \leq 3$} \Else \State $y_t \gets$ \(\sof{mask}\) \EndIf \EndFor
  \EndFor
  \While{$k < 5$}[N] \State $k \gets k + 1$ \EndWhile
  \Repeat \State $k \gets k - 1$ \If{$k = 3$} \State \textbf{break} \ElsIf{$k = 4$} \Break \Else \State \Continue \EndIf \Until{$k < 1$}[N]
  \begin{group} \State $a \gets b$ \end{group}
  \State \Assert $k > 0$
  \Return $h$
\EndProcedure
\end{algorithmic}
Line \ref{line}.
\begin{algorithmic} \State ordinary \verb|x_y| \Comment{stays} \end{algorithmic}
\begin{mathdsl} \Function{F}{$x$} \Return $x$ \EndFunction \end{mathdsl}
\begin{mathdsl}
\begin{algorithmic} \Function{F}{$x$} \Return $x$ \EndFunction \end{algorithmic}
\Module{A}{x} \Return x \EndModule
\end{mathdsl}
"""


@pytest.mark.parametrize("columns", ["", "[twocolumn]"])
def test_every_form_of_the_three_notations_typesets(columns: str) -> None:
    text = document(FORMS + DISPLAYS + ALGORITHMS, r"\usepackage{algpseudocode}").replace(r"\documentclass", rf"\documentclass{columns}")
    result = typeset(text)
    assert result.complaints() == []
    assert r"\newlabel{three}{{3a}" in result.references
    assert re.search(r"\\newlabel\{five\}\{\{[2-9]\}", result.references)


def test_algorithms_may_be_loaded_after_it() -> None:
    text = document(ALGORITHMS).replace("\n\\begin{document}", "\\usepackage{algorithm,algpseudocode}\n\\begin{document}", 1)
    assert typeset(text).complaints() == []


def test_it_works_without_algorithms_and_beside_hyperref() -> None:
    prose = r"\mathdslnames{dEmb, LaterNet}{\mathdslcommands $\LaterNet_1(\cat{x, \dEmb})$} and $hₜ₋₁ ∈ ℝ$, ŷ × θ."
    result = typeset(document(prose + FORMS + DISPLAYS, r"\usepackage{hyperref}", "[nonumbers]"))
    assert result.complaints() == []


def test_what_a_reader_reads() -> None:
    body = r"""
\begin{mathdsl}
\Module{Cell}{x, mask ; W}
  h_t \gets x_t \Comment{a note} \quad (t = 1, \dots, S) \\
  \Return h \\
\EndModule
\end{mathdsl}
\begin{align*}
& \algoProc{\N}\pa{x} \\
& \indent{1} \algoFor{t \in \set{1, \dots, S}} \\
& \indent{2} y_t \algoEq x_t \\
& \indent{2} z \algoEq \dEmb + \LaterNet\pa{1e-5} \\
& \indent{1} \algoEndFor \\
& \indent{1} \algoReturn y \\
& \algoEndProc
\end{align*}
\begin{where} n_{lyr} \in \mathbb{N} & how many \\ \end{where}
"""
    text = typeset(document(body)).shown
    lines = [" ".join(line.split()).replace(" ;", ";") for line in text.splitlines() if line.strip()]
    module = ["module Cell(x, mask; W )", "return h"]
    algorithm = ["procedure N(x)", "for t ∈ {1, . . . , S} do", "yt ← xt", "z ← demb + LaterNet(1e−5)", "end for", "return y"]
    assert [line for line in [*module, *algorithm] if line not in lines] == []
    assert any("a note" in line and "(1)" in line for line in lines)
    assert any("how many" in line for line in lines)


OWN_COMMANDS = r"\Return \Comment \Call \Assert \set \pa \indent \drop \cat \where \mathbb \While \[ \R".split()


def test_commands_of_the_document_stay_its_own() -> None:
    own = r"\newcommand\Return{\mathcal{R}}\newcommand\set[1]{\langle #1 \rangle}\newcommand\algoReturn{\mathbf{give}\ }"
    show = "".join(rf"\typeout{{own \string{command}: \meaning{command}}}" for command in OWN_COMMANDS)
    program = r"\begin{mathdsl} \Module{A}{x} \Return \set{x} \EndModule \end{mathdsl}"
    rest = r"$\Return \in \set{1}$ \begin{align} a &= \Return \end{align} \[ x = \begin{aligned} & 1 \\ & 2 \end{aligned} \]"
    result = typeset(document(show + program + DISPLAYS + rest + show, own))
    assert result.complaints() == []
    said = [line for line in result.log.splitlines() if line.startswith("own ")]
    assert len(said) == 2 * len(OWN_COMMANDS)
    assert said[: len(OWN_COMMANDS)] == said[len(OWN_COMMANDS) :]


# How a command stands in a program, by its terminal; those of lines and blocks stand in the forms above.
_LINES = frozenset(
    "RETURN ASSERT LEAVE MODULE ENDMODULE PROC ENDPROC PROCEDURE ENDPROCEDURE FUNCTION ENDFUNCTION REQUIRE ENSURE STATE "
    "FOR ENDFOR WHILE ENDWHILE IF ELSEIF ELSE ENDIF REPEAT ENDREPEAT LOOP ENDLOOP TO DOWN".split()
)
_PLACES = {
    **dict.fromkeys(["GETS", "TIGHT", "LOOSE", "RELATION", "AND", "OR", "BARS", "COLON"], r"y = a @@ b"),
    **dict.fromkeys(["NOT", "FORALL", "DOTS", "BAR", "SKIP"], r"y = @@ a"),
    **dict.fromkeys(["FONT", "ACCENT", "MACRO", "PA", "ROOT"], r"y = @@{A}"),
    **dict.fromkeys(["FRACTION", "MACRO2"], r"y = @@{a}{b}"),
    **dict.fromkeys(["REDUCTION", "OPTIONAL_REDUCTION"], r"y = @@_{i} a"),
    "SIZE": r"y = x.@@{1}",
    "ARG": r"y = @@\max_i a",
    "SIDE": r"y = @@",
}


def _statement(command: str, terminal: str) -> str:
    if terminal in CLOSER:
        return f"y = {command} a {SPELLING[CLOSER[terminal]]}"
    if command == r"\left" or command == r"\middle" or command == r"\right":
        return r"y = \left( a \middle| b \right)"
    if terminal == "SIDE" or (terminal == "SKIP" and command.casefold() in (r"\big", r"\bigg")):
        return f"y = {command}( a"
    if command.endswith("limits"):
        return rf"y = \sum{command}_i a"
    if command == r"\hline":
        return rf"{command} y = a"
    return _PLACES[terminal].replace("@@", command)


def test_every_command_of_the_vocabulary_typesets() -> None:
    statements = [_statement(c, t) for c, (t, _) in COMMANDS.items() if t not in _LINES and t not in OPENER]
    statements += [f"y = {command}{{a}}" for command, count in ARGUMENTS.items() if count == 1]
    names = [command for command in known_commands() if is_known_name(command) and command not in COMMANDS]
    statements += [f"y = {command}{'{a}' if command in (chr(92) + 'sqrt', chr(92) + 'vec') else ''}" for command in names]
    statements += [rf"y = a \text{{ {word} }} b" for word in [*TEXT_WORDS, *sorted(FLAGS)]]
    statements += [rf"y = \begin{{{name}}} a & b \\ c & d \end{{{name}}}" for name in sorted(MATRICES)]
    body = "\\begin{mathdsl}\n" + " \\\\\n".join(statements) + "\n\\end{mathdsl}\n"
    result = typeset(document(body + FORMS + DISPLAYS + ALGORITHMS, r"\usepackage{algpseudocode}"), runs=1)
    assert [text for text in result.complaints() if "undefined" not in text] == []
    taken = {"\\" + name for name in result.names}
    assert taken & (set(COMMANDS) | OWNED) == set()
    assert all(is_known_name(command) for command in taken if command in names)


def test_the_forms_use_every_command_of_lines_and_blocks() -> None:
    written = set(re.findall(r"\\[A-Za-z]+", FORMS + DISPLAYS + ALGORITHMS))
    unsupported = {
        r"\KwRet",
        r"\Loop",
        r"\EndLoop",
        r"\Statex",
        r"\tcp",
        r"\KwOut",
        r"\KwTo",
        r"\DownTo",
        r"\KwDownTo",
    }
    unsupported |= {command for command in COMMANDS if command[1:].isupper()}  # those of the older package, which has its own sizes
    lines = {command for command, (terminal, _) in COMMANDS.items() if terminal in _LINES}
    assert (lines | OWNED) - written - unsupported == {r"\coloneqq", r"\algoFalse"} & OWNED


def test_every_character_of_the_table_of_equal_spellings_typesets() -> None:
    characters = [*EQUAL_SPELLINGS, *(f"x{character}" for table in SCRIPTS.values() for character in table)]
    accented = [chr(code) for code in range(0xC0, 0x2000) if unicodedata.normalize("NFD", chr(code))[1:2] in COMBINING_ACCENTS]
    characters += [character for character in accented if find_spelling(character)]
    combined = [letter + mark for mark in COMBINING_ACCENTS for letter in ("x", "θ")]
    statements = [f"y = {{{character}}}" for character in [*characters, *combined]]
    body = "\\begin{mathdsl}\n" + " \\\\\n".join(statements) + " \\\\\n a ← h₍ₜ₋₁₎ᵀ + x₁₂ ‖ b, … \n\\end{mathdsl}\n"
    formulas = " ".join(f"${{{character}}}$" for character in characters)
    for preamble in ("", r"\usepackage[T1]{fontenc}"):
        assert typeset(document(body + formulas, preamble), runs=1).complaints() == []


def test_the_package_has_the_version_of_the_compiler() -> None:
    assert f"{{{mathdsl.__version__}}}" in PACKAGE.read_text(encoding="ascii").split(r"\ProvidesExplPackage{mathdsl}")[1].split("\n")[0]
