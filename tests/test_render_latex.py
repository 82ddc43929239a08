"""Law 1: `parse(render(ast)) == ast`, and rendering is idempotent; for random trees and for published programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_cases import Case, check_golden, load_cases

from mathdsl.syntax import nodes as ast
from mathdsl.syntax.build_declarations import shared_ranges
from mathdsl.syntax.latex import render_document, render_expression
from mathdsl.syntax.nodes import Document, Expression
from mathdsl.syntax.parsing import parse_text

CONFORMANCE = os.environ.get("MATHDSL_CONFORMANCE", "")

words = st.sampled_from(["x", "W", "h", "QK", "loss", r"\alpha", r"\ell", r"\tanh", r"\max", r"\log", r"\infty"])
plain_names = st.builds(ast.Identifier, words) | st.builds(ast.Identifier, st.sampled_from("xyz"), primes=st.integers(1, 2))
font_names = st.builds(ast.Identifier, st.sampled_from(["R", "x", "size", "Conv1d"]), st.sampled_from(["mathrm", "text", "operatorname"]))
style_names = st.builds(ast.Identifier, st.sampled_from(["x", "0", "W", r"\theta"]), st.sampled_from(["mathbf", "mathcal", "mathbb"]))
names = plain_names | font_names | style_names
numbers = st.builds(ast.Number, st.sampled_from(["0", "3", "10", "0.5", "1e-5"]))
phrases = st.builds(ast.Phrase, st.sampled_from(["is even", "-th row of", "but where it is a column vector"]))
relations = st.sampled_from(["=", r"\neq", "<", ">", r"\leq", r"\geq", r"\in", r"\notin", r"\sim", r"\algoIs"])
operators = st.sampled_from(["+", "-", "@", r"\cdot", r"\odot", "*", r"\circ", "/", r"\times", r"\otimes", r"\bmod", "||", "**"])


def _several(inner: st.SearchStrategy[Expression], least: int = 1) -> st.SearchStrategy[tuple[Expression, ...]]:
    return st.lists(inner, min_size=least, max_size=3).map(tuple)


def _is_settled(node: Expression) -> bool:
    """Whether the parser can produce `node` itself: what it reads otherwise, or refuses, is no tree of a program."""
    match node:
        case ast.Juxtaposition((_, *rest)):
            groups = [factor for factor in rest if isinstance(factor, ast.Group | ast.Scripts | ast.Indexing)]
            return not any("Relation(operators=('=',)" in repr(group) for group in groups)
        case ast.Binary("/", _, ast.Binary("@" | r"\cdot") | ast.Juxtaposition()):
            return False
        case ast.Binary("+" | "-", _, value) | ast.Negative(value) if _begins_with_a_remainder(value):
            return False
        case ast.Scripts(ast.Identifier(), _, ast.Identifier(r"\prime")):
            return False
        case ast.Scripts(_, (ast.Group((_, *_)),)):
            return False
        case ast.ListDisplay((item,), named=False):
            return isinstance(item, ast.Dots)
        case ast.Group((item,), square=True):
            return not isinstance(item, ast.Juxtaposition)
        case _:
            return True


def _begins_with_a_remainder(node: Expression) -> bool:
    while isinstance(node, ast.Binary) and node.operator != r"\bmod":
        node = node.left
    return isinstance(node, ast.Binary)


def _grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    dots: st.SearchStrategy[Expression] = st.just(ast.Dots())
    listed = _several(inner | dots)
    slices = st.builds(ast.Slice, inner | st.none(), inner | st.none())
    keywords = st.builds(ast.Keyword, names, inner)
    subscript = _several(inner | slices) | st.just((ast.Relation((">",), (ast.Hole(), ast.Number("0"))),))
    rows = st.builds(ast.CaseRow, inner, inner | st.none())
    return st.one_of(
        st.builds(ast.Accent, st.sampled_from(["hat", "widehat", "bar"]), inner),
        st.builds(ast.Scripts, inner, subscript, inner | st.none()),
        st.builds(ast.Scripts, inner, st.just(()), inner),
        st.builds(ast.Indexing, inner, _several(inner | slices)),
        st.builds(ast.Attribute, inner, st.sampled_from(["sz", "size"]), _several(inner)),
        st.builds(ast.Group, _several(inner | keywords | dots)),
        st.builds(ast.Group, st.sampled_from([(), (ast.Hole(),)])),
        st.builds(ast.Group, st.tuples(inner), st.just(True)),
        st.builds(ast.ListDisplay, listed),
        st.builds(ast.SetDisplay, listed),
        st.builds(ast.Comprehension, inner, _several(inner)),
        st.builds(ast.Matrix, st.lists(listed, min_size=1, max_size=2).map(tuple)),
        st.builds(ast.Juxtaposition, _several(inner, 2)),
        st.builds(ast.Binary, operators, inner, inner),
        st.builds(ast.Negative, inner),
        st.builds(ast.Fraction, inner, inner),
        st.builds(ast.Root, inner, inner | st.none()),
        st.builds(ast.Bars, st.sampled_from(["|", "||", "floor", "ceil", "angle"]), _several(inner)),
        st.builds(ast.Command, st.sampled_from(["cat", "sof"]), listed.map(lambda items: (items,))),
        st.builds(ast.Command, st.just("drop"), st.tuples(listed, listed)),
        st.builds(ast.Reduction, st.sampled_from(["sum", "prod", "max", "argmin", "mean"]), inner, inner | st.none(), inner),
        st.builds(lambda operator, a, b: ast.Relation((operator,), (a, b)), relations, inner, inner),
        st.builds(lambda a, b, c: ast.Relation((r"\leq", "<"), (a, b, c)), inner, inner, inner),
        st.builds(ast.Logic, st.sampled_from(["and", "or"]), _several(inner, 2)),
        st.builds(ast.Logic, st.just("not"), _several(inner, 1).map(lambda operands: operands[:1])),
        st.builds(ast.Cases, st.lists(rows, min_size=1, max_size=3).map(tuple)),
    ).filter(_is_settled)


expressions = st.recursive(names | numbers | phrases, _grow, max_leaves=10)
ranges = st.builds(
    lambda index, first, last: ast.Relation(("=",), (index, ast.ListDisplay((first, ast.Dots(), last)))), plain_names, numbers, names
)
targets = st.one_of(
    names,
    st.builds(ast.Scripts, names, _several(expressions), st.none()).filter(_is_settled),
    st.builds(ast.Indexing, names, _several(expressions)),
    st.builds(ast.Group, st.lists(names, min_size=2, max_size=3).map(tuple)),
    st.builds(lambda name, items: ast.Juxtaposition((name, ast.Group(items))), names, st.lists(names, max_size=2).map(tuple)),
)
definitions = st.builds(
    ast.Definition,
    targets,
    expressions,
    st.lists(ranges | names, max_size=2).map(tuple).map(shared_ranges),
    comment=st.sampled_from(["", "why {this} is"]),
    tag=st.sampled_from(["", "3"]),
)
simple = st.one_of(
    definitions,
    st.builds(ast.Return, expressions),
    st.builds(ast.Assertion, expressions),
    st.builds(ast.Sampling, names, names),
    st.builds(ast.Remark, st.just("a remark")),
)
bodies = st.lists(simple, min_size=1, max_size=2).map(tuple)
branches = st.lists(st.builds(ast.Branch, expressions, bodies), min_size=1, max_size=2).map(tuple)
statements = st.one_of(
    simple,
    st.builds(ast.For, expressions, bodies),
    st.builds(ast.If, branches, st.none() | bodies),
    st.builds(ast.EquationGroup, bodies),
    st.builds(ast.While, expressions, st.none() | numbers, bodies),
)
declarations = st.builds(
    ast.Declaration,
    names.map(lambda name: (name,)),
    st.none() | names,
    st.none() | numbers,
    st.none() | names,
    st.lists(ranges, max_size=1).map(tuple),
    st.sampled_from([(), ("shared",)]),
)
rows = declarations.filter(lambda row: row.type is not None or (row.default is None and row.initialiser is None and not row.ranges))
tables = st.builds(ast.Where, st.lists(rows, min_size=1, max_size=2).map(tuple))
algorithms = st.builds(
    ast.Procedure,
    st.just("Net"),
    st.just("docstring"),
    st.lists(declarations, max_size=2).map(tuple),
    st.none(),
    st.lists(statements, max_size=3).map(tuple),
    st.lists(tables, max_size=1).map(tuple),
)
modules = st.builds(
    ast.Procedure,
    st.just("Net"),
    st.just("module"),
    st.lists(declarations, max_size=2).map(tuple),
    st.none() | st.lists(declarations, max_size=2).map(tuple),
    st.lists(simple, max_size=3).map(tuple),
    st.lists(tables, max_size=1).map(tuple),
)
lines = st.builds(
    ast.Procedure,
    st.sampled_from(["Net", "LSTM1997"]),
    st.just("algorithmic"),
    st.lists(declarations, max_size=2).map(tuple),
    st.none() | st.lists(declarations, max_size=2).map(tuple),
    st.lists(statements | st.builds(ast.For, ranges, bodies), max_size=3).map(tuple),
    st.lists(tables, max_size=1).map(tuple),
)
documents = st.builds(Document, st.lists(st.one_of(algorithms, modules, lines, definitions, tables), min_size=1, max_size=3).map(tuple))


def _check_round_trip(document: Document) -> None:
    latex = render_document(document)
    again, found = parse_text(latex)
    if any(diagnostic.label == "TeX shows no braces here" for diagnostic in found.items):
        return  # a tree that no author can write without parentheses, which would be a node of their own
    assert found.items == [], latex
    assert again == document, latex
    assert render_document(again) == latex


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(expressions)
def test_random_expressions_come_back(node: Expression) -> None:
    _check_round_trip(Document((ast.Definition(ast.Identifier("y"), node),)))


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(documents)
def test_random_documents_come_back(document: Document) -> None:
    _check_round_trip(document)


@pytest.mark.parametrize(
    ("node", "latex"),
    [
        (ast.Binary("*", ast.Binary("+", ast.Identifier("a"), ast.Identifier("b")), ast.Identifier("c")), "{a + b} * c"),
        (ast.Scripts(ast.Identifier("x"), (ast.Identifier("t"),), ast.Number("2")), "x_t^2"),
        (ast.Scripts(ast.Identifier("W"), (ast.Identifier("in"),)), "W_{in}"),
        (ast.Juxtaposition((ast.Identifier("x"), ast.Number("2"))), "x {2}"),
        (ast.Juxtaposition((ast.Identifier("x"), ast.Group((ast.Identifier("a"),), square=True))), "x {[a]}"),
    ],
)
def test_braces_stand_only_where_binding_asks_for_them(node: Expression, latex: str) -> None:
    assert render_expression(node) == latex


@pytest.mark.parametrize("case", load_cases("latex/canonical"), ids=str)
def test_canonical_form(case: Case, request: pytest.FixtureRequest) -> None:
    document, found = parse_text(case.input)
    assert found.items == []
    check_golden(case, render_document(document), request)


@pytest.mark.skipif(not CONFORMANCE, reason="MATHDSL_CONFORMANCE names no folder with the published programs")
def test_published_programs_come_back(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(Path(CONFORMANCE) / "extract_seeds.py"), str(tmp_path)], check=True, capture_output=True)
    programs = sorted(tmp_path.glob("*.tex"))
    assert len(programs) == 11
    for path in programs:
        document, found = parse_text(path.read_text(encoding="utf-8"), path.name)
        assert found.items == [], path.name
        _check_round_trip(document)
