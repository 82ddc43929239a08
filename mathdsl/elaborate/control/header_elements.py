r"""Header elements that a program assigns anew, as elements of their family from the start.

F(x_0): x_0 \gets 2 x_0                             x[0] \gets x_0;  x[0] \gets 2 x[0]
for k = 1, …, 3: x_k \gets x_{k-1} + 1      ->      for k = 1, …, 3: x_k \gets x_{k-1} + 1

Left alone is what the header does not give, what the family's own statements define, and what no index reaches: it is a name of its own.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.elements import Element, Reader, names_of
from mathdsl.elaborate.control.loops import ends_of, read_loop
from mathdsl.elaborate.control.targets import Assigned, assigned_in
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.report import unsupported
from mathdsl.elaborate.terms.bounds import hull, is_nonnegative
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, transform


@dataclass(frozen=True)
class HeaderElement:
    r"""A header item that spells an element of a family: `x_0` beside `x_k`."""

    symbol: ast.Scripts
    spelling: Name
    family: Name
    index: ast.Expression
    at: Poly

    @property
    def element(self) -> ast.Indexing:
        """The element of the family, whatever the header calls so."""
        return ast.Indexing(self.symbol.base, (self.index,), span=self.symbol.span)


def with_own_elements(procedure: ast.Procedure, reader: Reader, carried: Set[Name]) -> ast.Procedure:
    """The procedure in which header elements that it assigns are elements of their families; itself where there are none.

    Those of the arrays that are `carried` whole are their elements though it does not.
    """
    targets = list(assigned_in(reader, procedure.body, frozenset()))
    heads = {item.element.head for item in targets}
    items = header_elements(procedure, reader)
    found = [item for item in items if item.family in heads and (item.spelling in heads or item.family in carried)]
    if not found:
        return procedure
    ranges, reads = _ranges(procedure), [a.element for a in accesses(reader, procedure.body, frozenset()) if a.use == "read"]
    body = procedure.body
    for item in found:
        key = item.family, False
        defined = any(t.element.key == key and _defines(t, item.at) for t in targets)
        if defined or not any(element.key == key and _reaches(element, item.at, ranges) for element in reads):
            continue
        whole = next((e for e in reads if e.head == item.family and e.is_whole), None)
        if whole is not None and item.spelling not in heads:
            _refuse_whole(whole, item)
        for target in targets:
            if target.element.head == item.spelling and target.inner:
                _check_apart(target, item, reader)
        start = ast.Definition(item.element, item.symbol, span=item.symbol.span)
        count = next((k for k, statement in enumerate(body) if _has_elements(statement, item, reader)), len(body))  # before: a name
        body = (*body[:count], start, *(cast(ast.Statement, _as_element(statement, item)) for statement in body[count:]))
    return procedure if body is procedure.body else replace(procedure, body=body)


def _check_apart(target: Assigned, item: HeaderElement, reader: Reader) -> None:
    """Refuse a loop that assigns the element anew and has to do with others of its family: which turn reads which value is not told."""
    if _has_elements(target.statement, item, reader):
        name = readable(item.spelling)
        raise unsupported(
            f"`{name}` assigned in a loop with other elements of `{readable(item.family)}`",
            target.element.span,
            help=f"let the loop assign a name of its own instead, and assign `{name}` before the loop",
        )


def _has_elements(node: ast.Statement, item: HeaderElement, reader: Reader) -> bool:
    """Whether a statement has to do with elements of the family."""
    return any(access.element.key == (item.family, False) for access in accesses(reader, (node,), frozenset()))


def _refuse_whole(read: Element, item: HeaderElement) -> None:
    """Refuse a read of all of an array that is executed: what the header gives of it is no part of that."""
    name, family = readable(item.spelling), readable(item.family)
    raise unsupported(
        f"`{family}`, of which the header gives `{name}`, as a whole",
        read.span,
        help=f"give the header's value another name, and let the program assign `{name}`",
    )


def header_elements(procedure: ast.Procedure, reader: Reader) -> list[HeaderElement]:
    """The header items that spell elements of families."""
    symbols = (unaccent(symbol) for row in procedure.inputs for symbol in row.symbols)
    return [item for symbol in symbols if (item := _header_element(symbol, reader)) is not None]


def _header_element(symbol: ast.Expression, reader: Reader) -> HeaderElement | None:
    match symbol:
        case ast.Scripts(base=base, subscripts=(index,), superscript=None):
            spelling, family, at = spelling_of(symbol), word_of(base), affine(index)
            if spelling is None or family is None or at is None or not at.names <= reader.sizes:
                return None
            return HeaderElement(symbol, spelling, family, index, at)
        case _:
            return None


# ---- what indices reach ----------------------------------------------------------------------


def _ranges(procedure: ast.Procedure) -> dict[str, Range | None]:
    """What index variables run over, by their letters; None where that cannot be told."""
    found: dict[str, list[Range | None]] = {}
    for node in descendants(procedure):
        match node:
            case ast.For(binding=binding):
                loop = read_loop(node, binding)
                found.setdefault(loop.spelling, []).append(_range(loop.lower, loop.upper))
            case ast.Reduction(subscript=ast.Relation(operators=("=",), operands=(variable, lower)), superscript=upper) if (
                upper is not None
            ):
                found.setdefault(word_of(variable) or NO_NAME, []).append(_range(lower, upper))
            case (
                ast.Reduction(subscript=ast.Relation(operands=(_, values)) as binding)
                | ast.Comprehension(conditions=(ast.Relation(operands=(_, values)) as binding,))
            ):
                for name in bound_names(binding):
                    found.setdefault(name, []).append(_range(*ends_of(values)))
            case _:
                pass
    return {name: None if None in ranges else hull([r for r in ranges if r is not None]) for name, ranges in found.items()}


def _range(lower: ast.Expression | None, upper: ast.Expression | None) -> Range | None:
    low, high = None if lower is None else affine(lower), None if upper is None else affine(upper)
    return None if low is None or high is None else Range(low, high)


def _end(index: Poly, ranges: dict[str, Range | None], greatest: bool) -> Poly | None:
    """The greatest or least value of an index; None where it cannot be told."""
    for _ in ranges:
        name = next((name for name in sorted(index.names) if name in ranges), None)
        if name is None:
            return index
        bounds, factor = ranges[name], index.coefficient(name)
        sign = None if factor is None else factor.constant
        if bounds is None or sign is None:
            return None
        index = index.substitute({name: bounds.upper if (sign > 0) == greatest else bounds.lower})
    return index if not index.names & ranges.keys() else None


def _reaches(read: Element, at: Poly, ranges: dict[str, Range | None]) -> bool:
    """Whether a read of the family by an index may be of the element."""
    if not read.subscripts:
        return False
    index = affine(read.subscripts[0])
    if index is None:
        return True
    low, high = _end(index, ranges, False), _end(index, ranges, True)
    below = low is not None and is_nonnegative(low - at - 1)
    above = high is not None and is_nonnegative(at - high - 1)
    return not below and not above


def _defines(target: Assigned, at: Poly) -> bool:
    """Whether a statement of the family assigns the element."""
    index = affine(target.element.subscripts[0]) if target.element.subscripts else None
    if index is None:
        return False
    ranges: dict[str, Range | None] = {loop.spelling: _range(loop.lower, loop.upper) for loop in target.inner}
    low, high = _end(index, ranges, False), _end(index, ranges, True)
    return low is not None and high is not None and (low == at or bool(is_nonnegative(at - low) and is_nonnegative(high - at)))


# ---- rewriting -------------------------------------------------------------------------------


def _as_element(node: ast.Node, item: HeaderElement) -> ast.Node:
    """A statement with the element of the family for the header's name."""

    def change(child: ast.Node) -> ast.Node:
        return _as_element(child, item)

    match node:
        case ast.Definition(function=(_, parameters)) if {item.family, item.spelling} & names_of(parameters):
            return node
        case ast.Accent() if (plain := unaccent(node)) is not node:
            changed = change(plain)
            return node if changed is plain else changed
        case ast.Scripts(base=base, subscripts=(index, *rest), superscript=superscript) if base == item.symbol.base and index == item.index:
            element = ast.Indexing(base, (index, *(cast(ast.Expression, change(other)) for other in rest)), span=node.span)
            return element if superscript is None else ast.Scripts(element, (), cast(ast.Expression, change(superscript)), span=node.span)
        case _:
            return transform(node, change)
