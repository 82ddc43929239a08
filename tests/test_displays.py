"""Displays of prose with several numbers: in columns, and their numbers in every format."""

from __future__ import annotations

import re

import pytest
from rendering import compiled, needs_tex, run_tex

from mathdsl.render.document.displays import Display, read_tag, split_display
from mathdsl.render.document.model import DisplayMath, Equations, Heading, Typeset, Verbatim
from mathdsl.render.document.numbering import number_blocks
from mathdsl.render.document.references import resolve_references
from mathdsl.render.tex_reading import read_tex
from mathdsl.render.typeset import typeset
from mathdsl.render.write.html.page import write_html
from mathdsl.render.write.latex.blocks import write_latex
from mathdsl.render.write.markdown.document import write_markdown
from mathdsl.syntax.display.heights import Height, height

PROGRAM = r"\begin{mathdsl}\Module{A}{x} \Return x + 1 \\ \EndModule \begin{where} x \in \mathbb{R} & in \\ \end{where}\end{mathdsl}"


def set_text(prose: str) -> Typeset:
    return typeset(compiled(rf"\begin{{document}}{prose}{PROGRAM}\end{{document}}"))


def page_of(*latex: str) -> Typeset:
    return Typeset((), (), number_blocks([DisplayMath(one) for one in latex]))


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\begin{align} a &= b \\ &+ c \notag \end{align}", [[("a", "= b"), ("", "+ c")]]),
        (r"\begin{align} a &= b & c &= d \label{x} \\ e &= f & g &= h \end{align}", [[("a", "= b", "c", "= d"), ("e", "= f", "g", "= h")]]),
        (r"\begin{eqnarray} a &=& b \\ &=& c \end{eqnarray}", [[("a", "= b"), ("", "= c")]]),
        (r"\begin{align*} a &= b \tag{1} \\ c &= d \end{align*}", [[("a", "= b"), ("c", "= d")]]),
        (r"\begin{align*} a &= b \\ c &= d \end{align*}", [r"\begin{aligned} a & = b \\ c & = d \end{aligned}"]),
        (r"\begin{align} a &= b \end{align}", ["a = b"]),
        (r"\begin{flalign} a &= b & c &= d & \end{flalign}", [r"a = b \qquad c = d"]),
        (r"\begin{gather} a \\ b \end{gather}", ["a", "b"]),
    ],
)
def test_a_display_comes_apart_where_tex_numbers_it(latex: str, expected: list[str | list[tuple[str, ...]]]) -> None:
    shown = [part.latex if isinstance(part, Display) else [row.cells for row in part.rows] for part in split_display(latex, "")]
    assert shown == expected


@pytest.mark.parametrize(
    ("latex", "read"),
    [("$\\ast$", "∗"), ("*", "*"), (r"\text{A}'", "A'"), (r"\dagger", "†"), ("x^2", "x^2"), (r"$\frac12$", r"$\frac12$"), ("2a", "2a")],
)
def test_a_tag_is_read(latex: str, read: str) -> None:
    assert read_tag(latex) == read


def test_displays_of_packages_are_shown_as_written() -> None:
    document = set_text(
        r"""\section{Title}
        \begin{subequations}\label{all} \begin{align} a &= b \label{one} \end{align} \end{subequations}
        \begin{IEEEeqnarray}{rCl} c & = & d \end{IEEEeqnarray}
        \begin{align} e &= f \\ \intertext{and so} g &= h \end{align}"""
    )
    assert [block.text for block in document.blocks if isinstance(block, Verbatim)] == [
        r"\begin{subequations}\label{all} \begin{align} a &= b \label{one} \end{align} \end{subequations}",
        r"\begin{IEEEeqnarray}{rCl} c & = & d \end{IEEEeqnarray}",
    ]
    assert [block.label for block in document.blocks if isinstance(block, Heading)] == [""]
    assert r"<code>\intertext{and so} g</code>" in write_html(document)


def test_rows_stand_below_each_other_in_html() -> None:
    page = write_html(page_of(r"\begin{align} a &= -b & c &\approx d \\ e &= \unknown{x} \end{align}"))
    [stack] = re.findall(r'<div class="equations stack" style="--cells:4">(.*?)</div></div>', page, re.DOTALL)
    rows = stack.split('<div class="display"')[1:]
    assert [len(re.findall("<span>", row)) for row in rows] == [4, 2]
    assert [re.findall(r'class="no">(\d)', row) for row in rows] == [["1"], ["2"]]
    assert "<code>= \\unknown{x}</code>" in rows[1]
    assert rows[0].count('displaystyle="true"') == 4


def test_rows_stand_below_each_other_in_markdown() -> None:
    shown = write_markdown(page_of(r"\begin{align} a &= b \tag{*} \\ c &= d \notag \\ &+ e \end{align}"))
    assert shown == "$$\n\\begin{align*} a & = b \\tag{∗} \\cr c & = d \\cr  & + e \\tag{1} \\end{align*}\n$$\n"


def test_no_number_is_lost_in_markdown() -> None:
    document = page_of(
        r"a = b \tag{$x^2$}", r"\begin{equation} \unknown{x} \end{equation}", r"\begin{align} a &= \unknown{x} \\ b &= c \end{align}"
    )
    assert write_markdown(document) == (
        "$$\na = b\n$$\n\n(x^2)\n\n```latex\n\\unknown{x}\n```\n\n(1)\n\n```latex\na = \\unknown{x}\n```\n\n(2)\n\n$$\nb = c \\tag{3}\n$$\n"
    )


@needs_tex
def test_rows_stand_below_each_other_in_tex() -> None:
    document = set_text(
        r"""\begin{align} a &= b \label{one} \\ [c] &= d \tag{$\ast$}\label{star} \\ &+ e \notag \\ * f & \end{align}
        \begin{align} g &= \unknown{x} \\ h &= i \label{last} \end{align}
        See \eqref{one}, \eqref{star} and \eqref{last}."""
    )
    assert any(isinstance(block, Equations) for block in document.blocks)
    run = run_tex(write_latex(document))
    assert run.complaints() == []
    assert re.search(r"See \(1\), \([*∗]\) and \(4\)", run.shown)


@pytest.mark.parametrize(
    ("latex", "tall"), [("x_t^2", False), (r"\frac{a}{b}", True), (r"{\sum x}", True), (r"\max x", False), ("a^{b^c}", True)]
)
def test_brackets_grow_around_what_is_tall(latex: str, tall: bool) -> None:
    body = read_tex(latex)
    assert body is not None
    assert (height(body) > Height.LINE) is tall


def test_references_in_formulas_are_numbers() -> None:
    document = set_text(
        r"""\begin{equation} a \label{a} \end{equation} By $\overset{\eqref{a}}{\approx}$ and
        \begin{align} b &\approx c && \text{by \eqref{a} and \ref{b}} \label{b} \\ d &\overset{\ref{gone}}{\approx} e \end{align}"""
    )
    page, shown = write_html(document), write_markdown(document)
    assert "<mtext>(1)</mtext>" in page
    assert "by (1) and 2" in re.sub("<[^>]*>", "", page).replace("\N{NO-BREAK SPACE}", " ")
    assert r"$\overset{\text{(1)}}{\approx}$" in shown
    assert r"\overset{\ref{gone}}{\approx}" in shown


def test_a_star_is_no_number_that_a_formula_can_say() -> None:
    assert resolve_references(r"\eqref{s} \{\text{a\}\ref{n}} \ref{n}", {"s": "∗", "n": "2a"}) == r"\eqref{s} \{\text{a\}2a} \text{2a}"
