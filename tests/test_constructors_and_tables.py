r"""Constructors that take what their modules need, tables that contradict no use, joins of arrays of different lengths.

Expected values are those of plain torch.
"""

from __future__ import annotations

import pytest

from mathdsl.api import CompileResult, compile_files
from mathdsl.spans import SourceFile


def program(header: str, *rows: str, where: str = "") -> str:
    lines = "".join(rf"{row} \\" + "\n" for row in rows)
    table = f"\\begin{{where}}\n{where}\n\\end{{where}}\n" if where else ""
    return f"\\Module{{M}}{{{header}}}\n{lines}{table}\\EndModule\n"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def errors_of(text: str) -> list[tuple[str, str, str]]:
    found = compiled(text).diagnostics
    return [(d.code, text[d.span.start : d.span.end], d.help) for d in found if d.severity == "error"]


# ---- rows without their end ----------------------------------------------------------------------

SWALLOWED = [
    ("the input\nd = 2k", "d = 2k"),
    ("the input\n  d_{\\mathrm{in}} = n^2.", "d_{\\mathrm{in}} = n^2."),
    ("the input\nd = nk\nof the model", "d = nk"),
    ("\n\\nLyr = 2 \\cdot k", "\\nLyr = 2 \\cdot k"),
    ("the input\nd = \\frac{n}{2}, n = 3m", "d = \\frac{n}{2}, n = 3m"),
    ("the input\n\\mathrm{dim} = 2(k + 1)", "\\mathrm{dim} = 2(k + 1)"),
    ("d = 2k", "d = 2k"),
    ("the input\ndim = 2k & the size", "&"),
    ("the input\nW & the weights", "&"),
    ("the input W \\sim \\mathcal{N}(0, 1)", "\\sim"),
    ("the input\n\\mathcal{N}_i \\subseteq \\mathcal{V}", "\\subseteq"),
]


@pytest.mark.parametrize(("description", "place"), SWALLOWED)
def test_a_row_without_its_end_swallows_no_relation(description: str, place: str) -> None:
    text = program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^d & {description} \\")
    ((code, found, advice),) = errors_of(text)
    assert (code, found) == ("E0227", place)
    assert r"\\" in advice


def test_the_ends_that_the_message_asks_for_relate_the_sizes() -> None:
    text = program("x ; W", r"\Return W x", where="x \\in \\mathbb{R}^d & the input \\\\\nd = 2k & its size \\\\")
    result = compiled(text)
    assert result.ok
    assert "(..., 2*k)" in result.source


@pytest.mark.parametrize(
    "description",
    [
        "the input, by default d = 8",
        "the input\nby default = 8",
        "x = 1, if even",
        r"black \& white",
        "of\n$d = 2k$",
        r"in \(d = 2k\)",
        "a\n= b",
        "a = b of it",
        r"of $\begin{pmatrix} 1 & 2 \end{pmatrix}$",
        "so that\nn = number of rows",
        "e.g. n=3",
        "the width, (3)\n(4) and (5)",
        "costs\n5 = five",
    ],
)
def test_words_with_a_relation_describe(description: str) -> None:
    text = program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^d & {description} \\")
    assert compiled(text).ok
