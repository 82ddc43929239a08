r"""What the scripts of a name are: indices, labels or what types decide, by what is written elsewhere and what is known."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mathdsl.api import compile
from mathdsl.elaborate.names.classify import Element, Families, Known, Label, application_of, classify
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.parsing import parse_text
from mathdsl.syntax.traversal import descendants


@dataclass(frozen=True)
class Declared(Known):
    """A program with some names, arrays and sizes."""

    families: Families
    names: frozenset[str] = frozenset()
    sizes: frozenset[str] = frozenset()

    def is_name(self, whole: Name, node: ast.Scripts, items: tuple[ast.Expression, ...]) -> bool:
        return not items and whole in self.names

    def is_array(self, head: Name) -> bool:
        return head in self.names

    def is_family(self, head: Name, count: int) -> bool:
        return self.families.subscripts.get(head, 0) >= count

    def indexes_above(self, head: Name) -> bool:
        return head in self.families.superscripts

    def is_known(self, name: Name) -> bool:
        return name in self.names

    def is_index(self, item: ast.Expression) -> bool:
        return isinstance(item, ast.Number) or spelling_of(item) in self.sizes


def shown(written: str, elsewhere: str, scope: str, names: tuple[str, ...], sizes: str) -> str:
    """What `written` is in a loop over the letters of `scope`, beside a program's statements elsewhere: `W_{Q} at i, j above h`."""
    text = rf"\Module{{M}}{{x ;}} {elsewhere} y \gets {written} \\ \Return y \\ \EndModule"
    document, _ = parse_text(text)
    [procedure] = document.items
    last = [node for node in descendants(procedure) if isinstance(node, ast.Definition)][-1]
    node = unaccent(last.value)
    assert isinstance(node, ast.Scripts)
    families = Families.of(procedure)
    match classify(families, node, frozenset(map(Name, scope)), Declared(families, frozenset(names), frozenset(sizes))):
        case Element(head=head, items=items, above=above, left=left):
            below = f" at {', '.join(map(render_expression, items))}" if items else ""
            index = "" if above is None else f" above {render_expression(above)}"
            return f"{head}{below}{index}" + ("" if left is None else f", {left.kind} {render_expression(left.written)}")
        case Label(head=head, left=left):
            return f"the name {head}" + ("" if left is None else f", {left.kind} {render_expression(left.written)}")
        case None:
            return "nothing"


@pytest.mark.parametrize(
    ("written", "elsewhere", "scope", "names", "sizes", "wanted"),
    [
        ("h_{t-1}", "", "t", (), "", "h at t - 1"),
        ("W_Q", "", "t", (), "", "the name W_{Q}"),
        ("W_{Q,i,j}", "", "ij", (), "", "W_{Q} at i, j"),
        ("s_{i,j}", "", "ij", (), "", "s at i, j"),
        ("s_{ij}", "", "i", (), "", "the name s_{ij}"),
        (r"X_{\cdot,k}", "", "", (), "", r"X at \cdot, k"),
        (r"W_{Q,\cdot,k}", r"W_{Q} \gets x \\", "", (), "", r"W_{Q} at \cdot, k"),
        (r"\hat{h_t}", "", "t", (), "", r"\hat{h} at t"),
        ("h_t^2", "", "t", (), "", "h at t, exponent 2"),
        (r"h_t^{\ell}", r"z \gets \sum_{\ell=1}^{3} \sum_{k=1}^{3} h_k^{\ell} \\", "t", (), "", r"h at t above \ell"),
        (r"F^h", r"z \gets \sum_{h=1}^{3} F^h \\", "", (), "", "F above h"),
        (r"A^\top_{i}", "", "i", (), "", r"A at i, transpose \top"),
        ("x^k", "", "k", (), "", "the name x, exponent k"),
        ("W_Q^T", "", "k", (), "", "the name W_{Q}, transpose T"),
        ("x_i^{(1)}", "", "i", (), "", "x at i, label (1)"),
        ("x^{(k)}", "", "k", (), "", "the name x, exponent (k)"),
        ("x^{(q)}", "", "k", (), "", "the name x, label (q)"),
        ("x^{(q)}", "", "k", ("q",), "", "the name x, exponent (q)"),
        ("x_{in,1}", r"z \gets \sum_{t=1}^{3} x_{in,t} \\", "", (), "", "x_{in} at 1"),
        ("x_{in,1}", r"z \gets \sum_{t=1}^{3} x_{in,t} \\", "", ("x_{in,1}",), "", "the name x_{in,1}"),
        ("C_{q,s,S}", r"z \gets \sum_{i=1}^{3} C_{q,i,i} \\", "", (), "sS", "C_{q} at s, S"),
        ("C_{q,s,S}", r"z \gets \sum_{i=1}^{3} C_{q,i,i} \\", "", (), "s", "the name C_{q,s,S}"),
    ],
)
def test_scripts_index_or_name(written: str, elsewhere: str, scope: str, names: tuple[str, ...], sizes: str, wanted: str) -> None:
    assert shown(written, elsewhere, scope, names, sizes) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("x(i)", "x_i"), ("x_c(i)", "x_{c, i}"), ("x(1)", "x[1]"), ("x(n)", "x[n]"), ("x(1 - y)", ""), ("x(i, i)", ""), ("x y", "")],
)
def test_application_or_product(written: str, wanted: str) -> None:
    """What types must decide of an array before a parenthesis: the element that it may be."""
    document, _ = parse_text(rf"z \gets {written} \\")
    (definition,) = document.items
    assert isinstance(definition, ast.Definition)
    assert isinstance(definition.value, ast.Juxtaposition)
    found = application_of(*definition.value.factors, frozenset({Name("i")}), Declared(Families(), sizes=frozenset("in")))
    assert ("" if found is None else render_expression(found.element)) == wanted


@pytest.mark.parametrize(
    ("inputs", "body", "message"),
    [
        (r"W \in \mathbb{R}^{n \times m}, v \in \mathbb{R}^{m}", r"u \gets W v \\ y \gets \sum_{i=1}^{n} i \, u(i)", "`u(i)`"),
        (r"M \in \mathbb{R}^{n \times n}", r"B \gets M M \\ y \gets \sum_{i,j=1}^{n} B^2_{i,j}", "`B_{i, j}^2`"),
        (r"M \in \mathbb{R}^{n \times m}", r"B \gets M M^\top \\ y \gets \sum_{i=1}^{n} B^\top_{\cdot,i}", r"`B_{\cdot, i}^\top`"),
    ],
)
def test_types_of_computed_values_decide(inputs: str, body: str, message: str) -> None:
    """What nothing declares has the shape that types find, and is asked about like what is declared."""
    result = compile(rf"\Module{{M}}{{{inputs} \;}} {body} \\ \Return y \\ \EndModule")
    assert [diagnostic.message for diagnostic in result.diagnostics if message in diagnostic.message]
