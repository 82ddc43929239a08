"""MathML from the AST: what stands in it, and laws that hold for every formula of the examples, the programs and random trees."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from markdown_cases import Case, check_golden, load_cases
from test_render_latex import expressions

from mathdsl.diagnostics import Diagnostics
from mathdsl.render.mathml import wrap_mathml, write_row, write_rows
from mathdsl.render.write.html.mathematics import latex_formula
from mathdsl.source.documents import read_chunks
from mathdsl.spans import SourceFile
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.display.build import display, display_items, display_parts
from mathdsl.syntax.inline import parse_formula
from mathdsl.syntax.nodes import Expression
from mathdsl.syntax.parsing import parse_document, parse_text
from mathdsl.syntax.traversal import descendants

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*(ROOT / "examples").glob("*.tex"), *(ROOT / "tests" / "programs").glob("*.tex")])
CORE = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
    *("munder", "mover", "munderover", "mtable", "mtr", "mtd"),
}
ATTRIBUTES = {"class", "display", "stretchy", "form", "lspace", "rspace", "movablelimits", "width", "mathvariant", "accent", "style"}
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}


def _of_formula(latex: str) -> str:
    items = parse_formula(latex)
    assert items is not None, latex
    return write_row(display_items(items))


@pytest.mark.parametrize("case", load_cases("mathml/expressions"), ids=str)
def test_mathml_of(case: Case, request: pytest.FixtureRequest) -> None:
    check_golden(case, _of_formula(case.input), request)


def _document(path: Path) -> ast.Document:
    found = Diagnostics()
    return parse_document(read_chunks([SourceFile(path.name, path.read_text(encoding="utf-8"))], found), found)


def _mathml(expression: Expression) -> str:
    return wrap_mathml(write_row(display(expression), is_display=True), display=True)


def _formulas(document: ast.Document) -> Iterator[tuple[ast.Node, str]]:
    """Every expression with its MathML."""
    for item in document.items:
        for node in (item, *descendants(item)):
            if isinstance(node, Expression):
                yield node, _mathml(node)


def _check(markup: str) -> str:
    """The text of a formula that is well formed, of MathML Core, and whose elements have the children that they need."""
    root = ElementTree.fromstring(markup)
    for node in root.iter():
        assert node.tag in CORE
        assert set(node.attrib) <= ATTRIBUTES
        assert len(node) == CHILDREN.get(node.tag, len(node)), markup
        assert node.tag in ("mi", "mn", "mo", "mtext") or not (node.text or "").strip()
    return "".join(root.itertext())


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_formula_is_mathml_core_and_shows_its_numbers_and_names(path: Path) -> None:
    formulas = list(_formulas(_document(path)))
    assert formulas
    for node, markup in formulas:
        text = _check(markup)
        for part in (node, *descendants(node)):
            if isinstance(part, ast.Number):
                assert part.text.lower().partition("e")[0] in text
            elif isinstance(part, ast.Identifier) and part.text.isascii() and part.text.isalpha() and part.font in ("", "mathrm", "text"):
                assert part.text in text


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(expressions)
def test_random_expressions_are_mathml_core(node: Expression) -> None:
    _check(_mathml(node))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"{\sum_i a} b", r"\sum_i a b"),
        ("{a = b} = c", "a = b = c"),
        ("{a b}^2", "a b^2"),
        ("{a + b}[t]", "a + b[t]"),
    ],
)
def test_formulas_that_differ_in_their_grouping_look_different(one: str, other: str) -> None:
    assert _check(f"<math>{_of_formula(one)}</math>") != _check(f"<math>{_of_formula(other)}</math>")


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;", "a\x00b\x1b", "]]>", "\ud800"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    shown = text.replace("\x00", "�").replace("\x1b", "�").replace("\ud800", "�")
    for node in (ast.Phrase(text), ast.Identifier(text, "text"), ast.Identifier("\\" + text), ast.Number(text), ast.Identifier(text)):
        markup = _mathml(node)
        assert "<script" not in markup
        assert "<img" not in markup
        assert _check(markup).replace("−", "-") == shown
    named = ast.Command(text, ((ast.Identifier("x"),),))
    assert shown in _check(_mathml(named))
    assert shown in _check(_mathml(ast.Attribute(ast.Identifier("x"), text)))
    assert shown in _check(_mathml(ast.Reduction(text, None, None, ast.Identifier("x"))))


def test_a_sum_of_many_terms_is_rendered_without_recursion() -> None:
    node: Expression = ast.Identifier("x")
    for _ in range(3000):
        node = ast.Binary("+", node, ast.Identifier("x"))
    assert _check(_mathml(node)).count("+") == 3000


def test_the_order_of_hashes_does_not_show() -> None:
    program = (
        "from mathdsl.syntax.inline import parse_formula as p; from mathdsl.render.mathml import write_row as r;"
        "from mathdsl.syntax.display.build import display_items as d;"
        r"print(r(d(p(r'\sum_{i=1}^n \hat{x}_i \mathbf{W} \cdot \tanh(\frac{a}{b})'))))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "latex",
    [
        r"\lnot " * 180 + "x",
        "(" * 99 + "x" + ")" * 99,
        r"\{" * 99 + "x" + r"\}" * 99,
        r"\sum_i " * 180 + "x",
        r"\lnot (" * 60 + "x" + ")" * 60,
    ],
)
def test_what_the_parser_takes_is_not_too_deep(latex: str) -> None:
    document, found = parse_text(rf"y \gets {latex}")
    assert found.items == []
    for item in document.items:
        assert isinstance(item, ast.Definition)
        assert "x" in _check(_mathml(item.value))


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(expressions)
def test_parts_side_by_side_are_the_whole(expression: Expression) -> None:
    assert "".join(write_rows(display_parts(expression))) == write_row(display(expression))


def test_a_line_may_end_before_the_signs_of_a_sum_and_of_the_products_in_it() -> None:
    (expression,) = parse_formula(r"a + (b + c) \odot d - \frac{e + f}{g} \cdot x") or ()
    assert [re.sub("<[^>]*>", "", part) for part in write_rows(display_parts(expression))] == ["a", "+(b+c)", "⊙d", "−e+fg", "⋅x"]


@pytest.mark.parametrize("relation", ["=", r"\approx"])  # of our language, and TeX's alone
def test_long_cases_may_be_set_below_each_other(relation: str) -> None:
    """Each of their cells is one element, which a narrow page sets on a line of its own."""
    short = rf"\begin{{cases}} A & b {relation} 0 \\ c & \text{{otherwise}} \end{{cases}}"
    assert "class=" not in latex_formula(short, display=True)
    for letters, name in (("abcdefghij", "long"), ("abcdefghijklmnopqr", "long always")):
        shown = latex_formula(short.replace("A", "+".join(letters)), display=True)
        assert f'class="{name}"' in shown
        assert re.findall(r"<mtd[^>]*>(<\w+>)", shown) == ["<mrow>"] * 4
