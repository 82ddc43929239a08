"""From a compiled document to blocks: listings with their numbers, generated lines and tables, each where the author put it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import mathdsl
from mathdsl.render.document.inlines import plain_text
from mathdsl.render.document.model import (
    Assignment,
    Block,
    Clause,
    Code,
    DisplayMath,
    Equations,
    Float,
    Formula,
    Heading,
    ItemList,
    Link,
    Listing,
    Math,
    Notation,
    Paragraph,
    Quote,
    Range,
    Reference,
    Styled,
    Text,
    Typeset,
    Word,
)
from mathdsl.render.typeset import Compiled, typeset
from mathdsl.syntax.latex import render_expression

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.tex"))

ALGORITHM = r"""
\documentclass{article}
\title{A title}
\begin{document}
Before.
\begin{algorithm}
\caption{Clipping}\label{alg:clip}
\begin{algorithmic}
\Procedure{Clip}{$x, c$}
  \For{$t = 1, \dots, S$}
    \If{$x_t > c$}
      \State $y_t \gets c$ \Comment{no more than $c$}
    \Else
      \State $y_t \gets x_t$
    \EndIf
  \EndFor
  \State \Return $y$
\EndProcedure
\end{algorithmic}
\end{algorithm}
\begin{where}
  x_t \in \mathbb{R}, t = 1, \dots, S & what is clipped \\
  c \in \mathbb{R} & the largest value \\
\end{where}
After.
\begin{mathdsl}
loss(a, b) \gets (a - b)^2 \label{eq:loss} \\
\end{mathdsl}
\begin{where}
  a, b \in \mathbb{R} & two numbers \\
\end{where}
\end{document}
"""


def set_document(text: str | Path) -> Typeset:
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.reading is not None
    assert result.document is not None
    return typeset(Compiled(result.reading, result.document, result.symbols, result.lines, result.source))


def listings(document: Typeset) -> list[Listing]:
    return [block for block in document.blocks if isinstance(block, Listing)]


def say(line: Assignment | Clause) -> str:
    def part(node: Word | Formula | Range) -> str:
        match node:
            case Word(text):
                return text
            case Formula(expression):
                return render_expression(expression)
            case Range(index, items, relation):
                return f"{render_expression(index)} {relation} {', '.join(render_expression(item) for item in items)}"

    if isinstance(line, Clause):
        return " ".join(part(node) for node in line.parts)
    return f"{render_expression(line.target)} <- {render_expression(line.value)}"


def test_an_algorithm_has_words_depths_and_numbers_of_its_own() -> None:
    clip, loss = listings(set_document(ALGORITHM))
    assert [(line.number, line.depth, say(line.content)) for line in clip.lines] == [
        (1, 0, r"for t = 1, \dots, S do"),
        (2, 1, "if x_t > c then"),
        (3, 2, "y_t <- c"),
        (4, 1, "else"),
        (5, 2, "y_t <- x_t"),
        (6, 1, "end if"),
        (7, 0, "end for"),
        (8, 0, "return y"),
    ]
    assert [(line.number, line.label, say(line.content)) for line in loss.lines] == [(1, "eq:loss", "loss(a, b) <- (a - b)^2")]


def test_a_float_gives_its_caption_and_label_to_the_listing_in_it() -> None:
    clip, _ = listings(set_document(ALGORITHM))
    assert (clip.caption, clip.label) != ((), "")
    assert clip.label == "alg:clip"


def test_lines_know_the_code_that_computes_them() -> None:
    document = set_document(ALGORITHM)
    clip, loss = listings(document)
    source = document.source.split("\n")
    branches = [line for line in clip.lines if isinstance(line.content, Assignment)]
    for line in branches:  # both arms are computed by one selection
        [code] = line.code
        assert r"# y_t \gets \begin{cases}" in source[code.start - 1]
        assert "torch.where(" in "".join(source[code.line - 1 : code.end])
    assert clip.lines[-1].code == ()  # `return y` computes nothing
    [code] = loss.lines[0].code
    assert source[code.start - 1 : code.end] == [r"    # loss(a, b) \gets (a - b)^2  (eq:loss)", "    return (a - b) ** 2.0"]
    for listing, head in ((clip, "class Clip("), (loss, "def loss(")):
        first, last = listing.class_lines
        assert source[first - 1].startswith(head)
        assert all(line.startswith((" ", ")")) or not line for line in source[first:last])


def test_tables_show_elements_and_whole_shapes() -> None:
    clip, _ = listings(set_document(ALGORITHM))
    [values] = clip.tables
    assert values.title == "Values"
    rows = {plain_text((row.symbol,)): row for row in values.rows}
    assert list(rows) == ["S", "x_t", "c", "y_t"]
    assert rows["x_t"].row.shape == "S"
    assert rows["x_t"].declaration is not None
    assert rows["y_t"].declaration is None


DISPLAYS = r"""
\documentclass{article}
\newcommand{\vx}{\mathbf{x}}
\begin{document}
\begin{equation}\label{eq:a} \vx = \begin{split} 1 &+ 2 \\ &+ 3 \end{split} \end{equation}
\begin{itemize}
\item \begin{align} a &= b \label{eq:b} \\[2pt] c &= d \nonumber \\ &+ e \label{eq:c} \end{align}
\end{itemize}
\[ f = g \]
\begin{mathdsl}
\Module{A}{\vx} y \gets \vx + 1 \label{eq:y} \Comment{as $\vx$ is \emph{great} and ``quoted''} \\ \Return y \\ \EndModule
\end{mathdsl}
\begin{where}
  \vx \in \mathbb{R}^d & the \texttt{in\_put} of Poincar\'e, 5\% of \unknown{it} \\
\end{where}
\begin{equation} h = i \tag{T}\label{eq:t} \end{equation}
\begin{gather*} j \\ \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} \end{gather*}
\begin{multline} k + \\ l \end{multline}
\end{document}
"""


def displays(blocks: tuple[Block, ...]) -> Iterator[DisplayMath]:
    for block in blocks:
        if isinstance(block, DisplayMath):
            yield block
        elif isinstance(block, ItemList):
            for _, body in block.items:
                yield from displays(body)
        elif isinstance(block, Equations):
            yield from block.rows


def test_equations_of_prose_and_of_programs_are_numbered_as_tex_numbers_them() -> None:
    document = set_document(DISPLAYS)
    assert [(found.latex, found.label, found.number, found.tag) for found in displays(document.blocks)] == [
        (r"\mathbf{x} = \begin{aligned} 1 &+ 2 \\ &+ 3 \end{aligned}", "eq:a", 1, ""),
        ("a = b", "eq:b", 2, ""),
        ("c = d", "", None, ""),
        ("+ e", "eq:c", 3, ""),
        ("f = g", "", None, ""),
        ("h = i", "eq:t", None, "T"),
        (r"\begin{gathered} j \\ \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} \end{gathered}", "", None, ""),
        (r"\begin{gathered} k + \\ l \end{gathered}", "", 5, ""),
    ]
    [listing] = listings(document)
    assert [(line.label, line.number) for line in listing.lines] == [("eq:y", 4), ("", None)]


def test_descriptions_and_comments_are_running_text() -> None:
    [listing] = listings(set_document(DISPLAYS))
    x = Math(r"\mathbf{x}")
    assert listing.lines[0].comment == (Text("as "), x, Text(" is "), Styled("emphasis", (Text("great"),)), Text(" and “quoted”"))
    described = next(row.description for table in listing.tables for row in table.rows if plain_text((row.symbol,)) == x.latex)
    assert described == (Text("the "), Code("in_put"), Text(" of Poincaré, 5% of \\unknown{it}"))


def test_submodules_are_words_with_formulas() -> None:
    text = r"""
\Module{Net}{x ; f, g} h \gets \LayerNorm(g(x)) \\ \Return \LayerNorm_2(f(h)) \\ \EndModule
\begin{where}
  x \in \mathbb{R}^{d_x} & the input \\
  f \in \mathrm{Linear}(d_h, d_y) & the second \\
  g \in \mathrm{Linear}(d_x, d_h) & the first \\
\end{where}
"""
    [listing] = listings(set_document(text))
    rows = {row.row.python: row for table in listing.tables for row in table.rows}
    assert plain_text(rows["f"].shape) == "Linear(d_h, d_y)"
    assert [type(part) for part in rows["f"].shape] == [Text, Formula, Text, Formula, Text]
    symbols = [plain_text((rows[name].symbol,)) for name in ("f", "layer_norm", "layer_norm_2")]
    assert symbols == ["f", r"\mathrm{LayerNorm}", r"\mathrm{LayerNorm}_2"]


def test_the_arguments_of_a_submodule_may_hold_commas() -> None:
    text = r"\Module{Net}{x \in \mathbb{R}^a ; f \in \mathrm{Linear}(a, \min(a, c))} \Return f(x) \\ \EndModule"
    [listing] = listings(set_document(text))
    [shape] = [row.shape for table in listing.tables for row in table.rows if row.row.python == "f"]
    assert plain_text(shape) == r"Linear(a, \min(a, c))"
    assert [type(part) for part in shape] == [Text, Formula, Text, Formula, Text]


def test_elements_and_starts_may_be_declared_for_the_whole_document_and_defined_in_a_group() -> None:
    text = r"""
\begin{where}
  x_t \in \mathbb{R}^d, t = 1, \dots, S & a sequence \\
  h_0 \in \mathbb{R}^d = \mathbf{0} & a start \\
\end{where}
\begin{mathdsl}
\Module{A}{x, h_0 ; }
\begin{group}
h_t \gets h_{t-1} + g_t \quad (t = 1, \dots, S) \\
g_t \gets x_t \quad (t = 1, \dots, S) \\
\end{group}
\Return h \\
\EndModule
\Module{B}{x ; } \Return x + 1 \\ \EndModule
\end{mathdsl}
"""
    tables = [{row.row.python: row for table in listing.tables for row in table.rows} for listing in listings(set_document(text))]
    assert [[plain_text((rows[name].symbol,)) for name in rows if name in ("x", "h", "g")] for rows in tables] == [
        ["x_t", "h_t", "g_t"],
        ["x_t"],
    ]
    start = tables[0]["h_0"].declaration
    assert start is not None
    assert start.default is not None


def test_a_table_for_the_whole_document_stays_where_it_stands() -> None:
    text = r"""
\begin{where}
  d \in \mathbb{N} & a length \\
\end{where}
\begin{mathdsl}
\Module{A}{x ; W} y \gets W @ x \\ \Return y \\ \EndModule
\end{mathdsl}
\begin{where}
  x \in \mathbb{R}^d & the input \\
\end{where}
"""
    kinds = [type(block) for block in set_document(text).blocks]
    assert kinds == [Notation, Listing]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_equation_of_an_example_points_to_its_code_and_every_symbol_has_a_row(path: Path) -> None:
    result = mathdsl.compile(path)
    document = set_document(path.read_text(encoding="utf-8"))
    found = listings(document)
    pointed = {code.line for listing in found for line in listing.lines for code in line.code}
    assert pointed == {code.line for code in result.lines}
    shown = [(row.row.module, row.row.python) for listing in found for table in listing.tables for row in table.rows]
    assert sorted(shown) == sorted((row.module, row.python) for row in result.symbols)
    numbers = [line.number for listing in found if listing.notation == "module" for line in listing.lines if line.number]
    assert numbers == list(range(1, len(numbers) + 1))


TWO_FLOATS = r"""
\begin{algorithm}
\caption{First, $2q$}\label{alg:one} % \caption{none}
\begin{algorithmic} \Procedure{One}{$q$} \State \Return $2 q$ \EndProcedure \end{algorithmic}
\end{algorithm}
\begin{algorithmic} \Procedure{Bare}{$q$} \State \Return $3 q$ \EndProcedure \end{algorithmic}
\begin{algorithm}
\begin{algorithmic} \Procedure{Two}{$q$} \State \Return $4 q$ \EndProcedure \end{algorithmic}
\caption{Second}
\end{algorithm}
"""


@pytest.mark.parametrize("is_fenced", [True, False])
def test_a_caption_among_the_text_of_programs_is_that_of_its_own(is_fenced: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text(f"```mathdsl{TWO_FLOATS}```\n", encoding="utf-8")
    document = set_document(file if is_fenced else TWO_FLOATS)
    found = [(one.name, one.number, one.label, one.caption) for one in listings(document)]
    assert found == [
        ("One", "1", "alg:one", (Text("First, "), Math("2q"))),
        ("Bare", "", "", ()),
        ("Two", "2", "", (Text("Second"),)),
    ]


DOCSTRINGS = r"""
"A file."
class A:
    r'''One.

    .. mathdsl::

        \Module{A}{x} y \gets x \\ \Return y \\ \EndModule

    More
    ----
    '''
class B:
    "Two."
    def f(self):
        "A method."
"""


def test_docstrings_stand_below_the_names_of_what_they_document(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(DOCSTRINGS, encoding="utf-8")
    headings = [(block.level, block.body) for block in set_document(file).blocks if isinstance(block, Heading)]
    assert headings == [(1, (Code("A"),)), (2, (Text("More"),)), (1, (Code("B"),)), (2, (Code("B.f"),))]


def test_numbers_are_those_of_tex() -> None:
    """Theorems begin again in each section, parts of a figure have its number, an appendix has letters; references say what they name."""
    source = r"""
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\begin{document}
\section{One}\label{one}
\begin{theorem}A.\end{theorem}
\begin{lemma}\label{lem}B.\end{lemma}
\begin{figure}\begin{subfigure}{1cm}x\caption{a}\label{part}\end{subfigure}\caption{b}\end{figure}
\appendix
\section{Two}\label{two}
\begin{theorem}\label{thm}C.\end{theorem}
\begin{mathdsl}f(x) \gets x \label{eq}\end{mathdsl}
\cref{one,lem,part,two,thm,eq,none}
\end{document}
"""
    document = set_document(source)
    assert [block.number for block in document.blocks if isinstance(block, Heading)] == ["1", "A"]
    assert [block.number for block in document.blocks if isinstance(block, Quote)] == ["1.1", "1.2", "A.1"]
    [figure] = [block for block in document.blocks if isinstance(block, Float)]
    assert [block.number for block in (figure, *figure.body) if isinstance(block, Float)] == ["1", "1a"]
    [named] = [block for block in document.blocks if isinstance(block, Paragraph)]
    said = "".join(
        part.text if isinstance(part, Text) else f"<{part.labels[0]}>" for part in named.body if isinstance(part, Text | Reference)
    )
    assert said.replace("\u00a0", " ") == "Section <one>, Lemma <lem>, Figure <part>, Appendix <two>, Theorem <thm>, eq. <eq>, <none>"


def test_a_reference_to_a_heading_without_a_number_says_its_words() -> None:
    prose = r"\section*{A \emph{place}\footnote{n}}\label{there} See \ref{there}, \cref{there} and \ref{x}. \section{B}\label{x}"
    document = set_document(ALGORITHM.replace("Before.", prose))
    [paragraph, *_] = [block for block in document.blocks if isinstance(block, Paragraph)]
    link = Link("#there", (Text("A "), Styled("emphasis", (Text("place"),))))
    assert paragraph.body == (Text("See "), link, Text(", "), link, Text(" and "), Reference("ref", ("x",)), Text("."))
