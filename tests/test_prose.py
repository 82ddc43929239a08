"""The prose of documents: what is read of each markup, and that nothing of it is lost, whatever it holds."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_cases import Case, check_golden, load_cases

from mathdsl.diagnostics import Diagnostics
from mathdsl.render.document.inlines import plain_text
from mathdsl.render.document.model import (
    Block,
    Code,
    DisplayMath,
    Float,
    Grid,
    Heading,
    Inlines,
    ItemList,
    LineBreak,
    Link,
    Math,
    Paragraph,
    Picture,
    Place,
    Prose,
    Quote,
    Reference,
    Styled,
    Text,
    Verbatim,
    name_picture,
)
from mathdsl.render.prose.marks import Marks, read_marks
from mathdsl.render.prose.reading import read_prose
from mathdsl.source.documents import Reading, read_document
from mathdsl.spans import SourceFile

EXAMPLES = Path(__file__).parent.parent / "examples"


def reading(name: str, text: str) -> Reading:
    return read_document([SourceFile(name, text)], Diagnostics())


def prose(name: str, text: str) -> Prose:
    """Of the last text of a document."""
    read = reading(name, text)
    return read_prose(read.texts[-1], read.macros, len(read.texts) - 1)


# ---- outlines ---------------------------------------------------------------------------------------


def written(inlines: Inlines) -> str:
    """Inlines in signs that show what they are: `<strong: …>`, `⟦formula⟧`."""
    parts: list[str] = []
    for inline in inlines:
        match inline:
            case Text(text):
                parts.append(text.replace("\u00a0", "~"))
            case Math(latex):
                parts.append(f"⟦{latex}⟧")
            case Code(text):
                parts.append(f"`{text}`")
            case Styled(style, body):
                parts.append(f"<{style}: {written(body)}>")
            case Link(target, body):
                parts.append(f"<{target}: {written(body)}>")
            case Reference(kind, labels):
                parts.append(f"<{kind} {', '.join(labels)}>")
            case LineBreak():
                parts.append(" ⏎ ")
            case Picture():
                parts.append(written(name_picture(inline)))
    return "".join(parts)


def outline(blocks: Sequence[Block], indent: str = "") -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, body, label, is_numbered, begins_appendix):
                yield from ([f"{indent}appendix"] if begins_appendix else [])
                yield f"{indent}{'#' * level} {written(body)}{f' [{label}]' if label else ''}{'' if is_numbered else ' (no number)'}"
            case Paragraph(body):
                yield f"{indent}{written(body)}"
            case ItemList(kind, items):
                for term, item in items:
                    yield f"{indent}{kind}: {written(term)}".rstrip()
                    yield from outline(item, indent + "  ")
            case Quote(quoted, title, note, label, counter):
                marks = f"{f' ({note})' if note else ''}{f' [{label}]' if label else ''}{f' #{counter}' if counter else ''}"
                yield f"{indent}quote: {title}{marks}".rstrip()
                yield from outline(quoted, indent + "  ")
            case Float(float_kind, caption, inside, label):
                yield f"{indent}{float_kind}{f' [{label}]' if label else ''}: {written(caption)}"
                yield from outline(inside, indent + "  ")
            case Verbatim(text, language):
                yield f"{indent}verbatim: {language}".rstrip()
                yield from (f"{indent}  |{line}".rstrip() for line in text.split("\n"))
            case DisplayMath(latex, label):
                yield f"{indent}display{f' [{label}]' if label else ''}: {' '.join(latex.split())}"
            case Grid(head, rows, alignment):
                yield from ([f"{indent}columns: {alignment}"] if alignment.strip("l") else [])
                yield from (f"{indent}row: {' | '.join(map(written, row))}" for row in (head, *rows))
            case Place(region, caption, label):
                yield f"{indent}program {region}{f' [{label}]' if label else ''}: {written(caption)}".rstrip()
            case _:
                raise AssertionError(block)


def describe(found: Prose) -> str:
    named = [
        f"{what}: {written(said)}" for what, said in (("title", found.title), ("authors", found.authors), ("date", found.date)) if said
    ]
    return "\n".join([*named, *outline(found.blocks)])


SUFFIXES = {"tex": "a.tex", "md": "a.md", "rst": "a.rst", "python": "a.py"}


@pytest.mark.parametrize("case", load_cases("prose"), ids=str)
def test_what_is_read(case: Case, request: pytest.FixtureRequest) -> None:
    assert len(case.inputs) == 1
    check_golden(case, describe(prose(SUFFIXES[case.inputs[0].language], case.input)), request)


# ---- the laws ---------------------------------------------------------------------------------------


def places(blocks: Sequence[Block]) -> Iterator[int]:
    for block in blocks:
        match block:
            case Place(region):
                yield region
            case Quote(body) | Float(body=body):
                yield from places(body)
            case ItemList(items=items):
                for _, body in items:
                    yield from places(body)
            case _:
                pass


def check_laws(name: str, text: str) -> None:
    """Every text of a document is read, every region of it has one place, in order; no word of ours is left in the place of a formula."""
    read = reading(name, text)
    for number, own in enumerate(read.texts):
        found = read_prose(own, read.macros, number)
        assert list(places(found.blocks)) == list(range(len(own.regions)))
        assert set(re.findall(r"\\U0010\w{4}|%F4%80", repr(found))) <= {f"\\U{ord(character):08x}" for character in text}


LATEX = r"""
\begin{quote} \end{quote} \begin{itemize} \item \item[ \end{itemize} \begin{tabular}{l} \end{tabular} & \\ \hline \begin{foo} \end{foo}
\emph{ { } [ ] $ $$ \( \) \[ \] \begin{align} \end{align} \label{a} \ref{a} \cite[p]{a} \footnote{ \section{ \caption{ \title{ \textbf{ {\bf
\begin{algorithm}[h] \end{algorithm} \begin{algorithmic}[1] \end{algorithmic} \Procedure{P}{$x$} \EndProcedure \begin{where} \end{where}
\begin{mathdsl} \end{mathdsl} f(x)\gets~x % \verb|a| \verb \begin{verbatim} \end{verbatim} \begin{document} \end{document} # ^ _ ~ -- `` é
\newcommand{\a}[1]{x#1} \a \a{ \def\b#1.{#1} \b \newcommand{\be}{\begin{equation}} \be \' \'e \c \foo \foo[x]{ \url{http://x} \href{ \par
\begin{thebibliography}{9} \bibitem{k} \end{thebibliography} \begin{figure}[h] \end{figure} \begin{subfigure}{x} \end{subfigure}
\includegraphics{a} \includegraphics[ \appendix \newtheorem{foo}{Foo}[section] \newtheorem*{foo}[a]{ \cref{a} \begin{tabular}{*{99}{l}}
""".split()
MARKDOWN = r"""
# - 1. > ``` ~~~ ```mathdsl f(x)\gets~x | |-|-| $ $$ \( \) \[ \] \begin{align} \end{align} ` `` * ** _ [ ]( ) ![ <b> <!-- --> --- === $x$
[a](http://$x$) \newcommand{\a}{b} \a é word http://x.y <http://$x$> title: &amp;
[^1] [^1]: ~~ ![ \cref{a} \ref{ {#a} \begin{algorithm} \end{algorithm} \caption{ \label{a} ```latex \Procedure{P}{$x$}
""".split()
REST = r"""
=== --- - 1. #. * ** ` `` :math:` :foo:`$x$` _ __ | [1]_ [$x$]_ :: : :a: +---+ +===+ $ $x$ $$ \begin{align} \end{align} html
\algoProc{A}\pa{x} \algoEndProc >>> -a word é <http://x> ..|a| .._a: ..[1] ..math:: ..mathdsl:: ..note:: ..foo:: ..code-block::
..role:: ..include:: ..raw:: ..image:: ..csv-table:: ..list-table:: ..default-role:: ..contents:: ..sidebar:: ..replace:: ..parsed-literal::
""".split()
REST = [token.replace("..", ".. ") for token in REST]
SPACES = ["", " ", "\n", "\n\n", "\n    ", "\n  :x: y\n"]


def texts(tokens: list[str]) -> st.SearchStrategy[str]:
    pieces = st.tuples(st.sampled_from(tokens) | st.text(max_size=3), st.sampled_from(SPACES)).map("".join)
    return st.lists(pieces, max_size=40).map("".join)


@pytest.mark.parametrize(("name", "tokens"), [("a.tex", LATEX), ("a.md", MARKDOWN), ("a.rst", REST)])
def test_any_text_is_read(name: str, tokens: list[str]) -> None:
    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(texts(tokens))
    def check(text: str) -> None:
        check_laws(name, text)

    check()


DEEP = 5000
BOMBS: dict[str, tuple[str, str]] = {
    "braces": ("a.tex", r"\begin{document}" + "{" * DEEP + "x" + "}" * DEEP),
    "open groups": ("a.tex", r"\begin{document}" + r"\emph{" * DEEP),
    "quotations": ("a.tex", r"\begin{document}" + r"\begin{quote}" * DEEP + "x" + r"\end{quote}" * DEEP),
    "a program far inside": (
        "a.tex",
        r"\begin{document}" + r"\begin{quote}" * DEEP + r"\begin{mathdsl} f(x) \gets x \\ \end{mathdsl}" + r"\end{quote}" * DEEP,
    ),
    "formulas that never end": ("a.tex", r"\begin{document}" + r"$ { \( \[ $$ \begin{align} " * DEEP),
    "a macro that calls itself": ("a.tex", r"\begin{document}\newcommand{\a}[1]{\a{#1}}" + r"\a{" * DEEP + "}" * DEEP),
    "a macro that doubles": ("a.tex", r"\begin{document}\newcommand{\a}[1]{#1#1}" + r"\a{" * DEEP + "x" + "}" * DEEP),
    "quotations of Markdown": ("a.md", ">" * DEEP + " x"),
    "brackets of Markdown": ("a.md", "[" * DEEP + "$" * DEEP),
    "code that never ends": ("a.md", " ".join("`" * n for n in range(1, 100))),
    "columns in braces": ("a.tex", r"\begin{document}\begin{tabular}" + "{" * DEEP + "}" * DEEP + r"x\end{tabular}"),
    "figures in figures": ("a.tex", r"\begin{document}" + r"\begin{figure}\label" * DEEP + r"\caption{x}\end{figure}" * DEEP),
    "a note many times": ("a.md", "[^1] " * DEEP + "\n\n[^1]: " + "*x* " * DEEP),
    "algorithms that never end": ("a.md", "```mathdsl\n" + r"\begin{algorithm} " * DEEP + "\n```\n"),
    "lists of reStructuredText": ("a.rst", "- " * 1000 + "x"),
    "markup that never ends": ("a.rst", ":math:`a *b ``c " * DEEP),
}


@pytest.mark.parametrize(("name", "text"), BOMBS.values(), ids=BOMBS)
def test_deep_and_long_texts_are_read_in_time(name: str, text: str) -> None:
    start = time.perf_counter()
    check_laws(name, text)
    assert time.perf_counter() - start < 20


# ---- nothing is lost --------------------------------------------------------------------------------

_TAG = re.compile(r"\\(?:begin|end|label|documentclass|usepackage)\*?(?:\[[^\]]*\])?\{[^{}]*\}(?:\[\d?\])?")
_WORD = re.compile(r"\\?[^\W\d_]+")


def sayings(blocks: Sequence[Block]) -> Iterator[Inlines]:
    for block in blocks:
        match block:
            case Heading(body=body) | Paragraph(body) | Place(caption=body):
                yield body
            case _:
                raise AssertionError(block)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.tex")), ids=lambda path: path.stem)
def test_no_word_of_an_example_is_lost(path: Path) -> None:
    """The words of the source, without its programs, its tags and its commands of one word, are those of the blocks, in order."""
    read = reading(path.name, path.read_text(encoding="utf-8"))
    (text,) = read.texts
    source = text.written.text
    for region in reversed(text.regions):
        source = source[: region.whole[0]] + source[region.whole[1] :]
    found = read_prose(text, read.macros)
    said = " ".join(plain_text(inlines) for inlines in (found.title, *sayings(found.blocks)))
    commands = {"\\title", "\\maketitle", "\\section", "\\caption", "\\emph", "\\texttt"}
    words = [word for word in _WORD.findall(_TAG.sub(" ", source)) if word not in commands]
    assert len(words) > 100
    assert _WORD.findall(said) == words


# ---- costs ------------------------------------------------------------------------------------------


def test_latex_is_read_without_the_other_readers() -> None:
    program = (
        "import sys; from mathdsl.api import compile; from mathdsl.render.prose.reading import read_prose\n"
        f"r = compile({str(EXAMPLES / 'elman.tex')!r}).reading; read_prose(r.texts[0], r.macros)\n"
        "print(sorted({'docutils', 'markdown_it'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_role_of_one_text_means_nothing_in_the_next() -> None:
    before = describe(prose("a.rst", "A :foo:`x` and :math:`y`."))
    describe(prose("a.rst", ".. role:: foo(strong)\n.. role:: math(code)\n\n:foo:`x`"))
    assert describe(prose("a.rst", "A :foo:`x` and :math:`y`.")) == before == "A `x` and ⟦y⟧."


READERS: list[tuple[str, Callable[[str], str]]] = [
    ("a.tex", lambda link: rf"\begin{{document}}\href{{{link}}}{{said}}\end{{document}}"),
    ("a.md", lambda link: f"[said]({link})"),
    ("a.rst", lambda link: f"`said <{link}>`_"),
]


@pytest.mark.parametrize(("name", "write"), READERS, ids=[name for name, _ in READERS])
@pytest.mark.parametrize(("link", "is_kept"), [("https://a.b/c", True), ("javascript:alert(1)", False), ("file:///etc/passwd", False)])
def test_links_go_where_it_is_safe_to_go(name: str, write: Callable[[str], str], link: str, is_kept: bool) -> None:
    found = describe(prose(name, write(link)))
    assert "said" in found
    assert ("<" in found) == is_kept


@pytest.mark.parametrize(
    ("option", "marks"),
    [
        (r"label=(\alph*)", ["(a)", "(b)"]),
        (r"leftmargin=*, label={\textbf{Step \Roman*}:}, start=4", ["Step IV:", "Step V:"]),
        (r"label=\roman{enumi}", ["i", "ii"]),
        ("(A)", ["(A)", "(B)"]),
        ("i.", ["i.", "ii."]),
        ("start=3", ["3.", "4."]),
        ("noitemsep", ["", ""]),
        ("label=$\\bullet$", ["", ""]),
        ("", ["", ""]),
    ],
)
def test_marks_of_numbered_items(option: str, marks: list[str]) -> None:
    assert [read_marks(option).of(place) for place in range(2)] == marks


def test_marks_beyond_their_counter_are_numbers() -> None:
    marks = [Marks("alph", start=26), Marks("alph", start=27), Marks("Roman", start=1994), Marks("roman", start=0)]
    assert [one.of(0) for one in marks] == ["z.", "27.", "MCMXCIV.", "0."]


@pytest.mark.parametrize(
    ("latex", "read"),
    [
        (r"\SI[mode=text]{3e-4}{\metre\per\second}, <b>", ""),
        (r"\textcolor{red}{say $x$ \emph{so}}", r"\textcolor{red}{say ⟦x⟧ <emphasis: so>}"),
        (r"\color{red} x", ""),
        (r"{\bf old} {\rm fonts}", r"\bf old \rm fonts"),
        (r"\IEEEPARstart{T}{his} \multirow{2}{*}{a}", ""),
    ],
)
def test_what_no_page_needs_is_shown_as_written(latex: str, read: str) -> None:
    [paragraph] = prose("a.tex", rf"\begin{{document}}{latex}\end{{document}}").blocks
    assert isinstance(paragraph, Paragraph)
    assert written(paragraph.body) == (read or latex)
