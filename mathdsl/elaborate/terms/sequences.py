r"""Lists, sets, comprehensions, concatenations and ellipses as terms: `\{D(s) ; s \in S\}`, `\{0\}^1 || S`, `\cat{h_1, \dots, h_S}`."""

from __future__ import annotations

from itertools import pairwise

from mathdsl.elaborate.names.lookups import axis_of, index_scope
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.ellipsis import read_ellipsis
from mathdsl.elaborate.terms.indices import name_of, read_ascending, read_size
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Build, Concatenation, Ref, Repeated, Stacked, Term
from mathdsl.elaborate.types.checks import run_apart
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children


def resolve_collection(reader: Reader, node: ast.Comprehension | ast.ListDisplay | ast.SetDisplay) -> Term:
    """A comprehension, a list `[…]`, or a set that stands as a sequence."""
    match node:
        case ast.Comprehension(body=body, conditions=conditions):
            return _comprehension(reader, body, conditions, node.span)
        case ast.ListDisplay(items=items, named=named):
            if named or not items or any(isinstance(item, ast.Dots) for item in items):
                return read_list(reader, items, node.span, listed=True)
            return join_bracketed(reader, items, node.span)
        case ast.SetDisplay(items=items):
            return read_list(reader, items, node.span, listed=False)


def read_list(reader: Reader, items: tuple[ast.Expression, ...], span: Span, listed: bool) -> Term:
    """Values side by side along a new first axis, or an ellipsis list."""
    if not items:
        raise refuse("E0405", "an empty list has elements of no shape", span, help=r"repeat an element no times, as in `\{0\}^{0}`")
    family = read_ellipsis(reader, items)
    if family is None:
        return Stacked(tuple(reader.resolve(item) for item in items), listed, span=span)
    binder, pattern = family
    return Build(binder, reader.within(binder).resolve(pattern), listed, dotted=True, span=span)


def _comprehension(reader: Reader, body: ast.Expression, conditions: tuple[ast.Expression, ...], span: Span) -> Term:
    if len(conditions) != 1:
        raise unsupported(
            "a comprehension over several indices or with a condition",
            span,
            help=r"give it a name: `z_{i,j} \gets … \quad (i = 1, \dots, n, j = 1, \dots, m)`",
        )
    condition = conditions[0]
    found = read_ascending(reader, condition)
    if found is not None:
        binder = reader.binder(name_of(found[0]), found[1], condition.span)
        return Build(binder, reader.within(binder).resolve(body), span=span)
    match condition:
        case ast.Relation(operators=(r"\in",), operands=(name, source)):
            return over_elements(reader, body, name_of(name), reader.resolve(source), span)
        case _:
            letter, asked = render_expression(body), render_expression(condition)
            least = rf"; the least index with a property is `\min_{{{letter} : {asked}}} {letter}`" if word_of(body) else ""
            near = r"write `\{f(s) ; s \in S\}`" + least
            raise refuse("E0506", "a comprehension names its elements", condition.span, help=near)


def over_elements(reader: Reader, body: ast.Expression, name: Name, source: Term, span: Span) -> Build:
    """`\\{f(s) ; s \\in S\\}`: over the positions of `S`, with `s` its element there."""
    symbol = (
        source.symbol
        if isinstance(source, Ref) and not source.positions
        else reader.temporary(name.labelled((Name("s"),)), source, tuple(reader.binders))
    )
    outer: tuple[Poly, ...] = ()
    if symbol is not getattr(source, "symbol", None):
        outer = tuple(Poly.of(b.name) for b in reader.binders)
    binder = reader.binder(Name("t" if name != "t" else "k"), axis_range(reader, symbol, len(outer)), span, bare=True)
    element = Ref(symbol, (*outer, Poly.of(binder.name)), span=span)
    return Build(binder, reader.within(binder).binding([(name, element)]).resolve(body), span=span)


def axis_range(reader: Reader, symbol: Symbol, axis: int) -> Range:
    """The range of an axis of an array, its size perhaps still unknown."""
    symbol.used = True
    symbol.shape = reader.types.shapes.split(symbol.shape, axis + 1)
    if len(symbol.shape.prefix) <= axis:
        raise refuse("E0402", f"`{symbol.latex}` has {len(symbol.shape.prefix)} axes, so there is nothing to run over", symbol.span)
    lower = reader.types.lower(symbol, axis)
    return Range(lower, lower + reader.types.solver.value(symbol.shape.prefix[axis]) - 1)


def concatenate(reader: Reader, node: ast.Binary) -> Term:
    """`a || b || c`."""
    parts: list[ast.Expression] = []
    first: ast.Expression = node
    while isinstance(first, ast.Binary) and first.operator == "||":
        parts.append(first.right)
        first = first.left
    parts.append(first)
    return join(reader, tuple(reversed(parts)), node.span)


def join(reader: Reader, parts: tuple[ast.Expression, ...], span: Span) -> Term:
    r"""`a || b || c`, `\cat{a, b, c}`."""
    return Concatenation(tuple(_joined(reader, part) for part in parts), span=span)


def _joined(reader: Reader, part: ast.Expression) -> Term:
    r"""One of what is joined; `\{v\}^2` there is always a list."""
    match part:
        case ast.Scripts(base=ast.SetDisplay(items=(value,)), subscripts=(), superscript=ast.Number() as count):
            return repeated(reader, value, count, part.span)
        case _:
            return reader.resolve(part)


def join_bracketed(reader: Reader, items: tuple[ast.Expression, ...], span: Span) -> Term:
    r"""`[a, b]`, `[a ; b]`: vectors end to end, numbers side by side."""
    rows = next((item for item in items if isinstance(item, ast.ListDisplay) and not item.named), None)
    if rows is not None:
        raise unsupported("a list in a list", rows.span, help=r"write a matrix row by row, `\begin{bmatrix} a & b \\ c & d \end{bmatrix}`")
    return Concatenation(tuple(reader.resolve(item) for item in items), bracketed=True, span=span)


def resolve_matrix(reader: Reader, node: ast.Matrix) -> Term:
    r"""A column, whose parts stand one below the other, or a matrix of numbers, row by row."""
    if all(len(row) == 1 for row in node.rows):
        return join_bracketed(reader, tuple(row[0] for row in node.rows), node.span)
    if any(isinstance(cell, ast.Dots) for row in node.rows for cell in row):
        advice = r"define its elements over their ranges, as in `V_{i,j} \gets x_i^{j-1} \quad (i = 1, \dots, n, j = 1, \dots, m)`"
        raise unsupported("a matrix with an ellipsis", node.span, help=advice)
    lengths = {len(row) for row in node.rows}
    if len(lengths) > 1:
        shown = " and ".join(map(str, sorted(lengths)))
        raise refuse(
            "E0401", f"the rows of this matrix have {shown} entries", node.span, help="give each row as many entries, with `&` between them"
        )
    rows = tuple(Stacked(tuple(reader.resolve(cell) for cell in row), of_numbers=True, span=node.span) for row in node.rows)
    return Stacked(rows, span=node.span)


def repeated(reader: Reader, value: ast.Expression, count: ast.Expression, span: Span) -> Term:
    r"""`\{0\}^{n}`."""
    size = read_size(reader, count)
    if size is None:
        raise refuse("E0505", "how often the value is repeated must be a size", count.span)
    reader.terms.value_sizes.update(size.names)
    return Repeated(reader.resolve(value), size, span=span)


def range_of_index(reader: Reader, name: Name, body: ast.Expression, span: Span) -> Range:
    """The range of a bare `\\sum_i`: that of the axes which `i` indexes in the body."""
    ranges = list(_indexed_ranges(reader, name, body))
    if not ranges:
        raise refuse(
            "E0505", f"nothing tells what `{name}` runs over", span, help=rf"write its range, as in `{name} \in \{{1, \dots, n\}}`"
        )
    return _common_range(reader, name, ranges, span)


def indexes(reader: Reader, name: Name, body: ast.Expression) -> bool:
    """Whether a name indexes an array in the body."""
    return bool(_indexed_ranges(reader, name, body))


def range_of_given(reader: Reader, name: Name, body: ast.Expression) -> Range | None:
    r"""The range of a bare `\forall t`: that of the axes of inputs and parameters which `t` indexes; None where it indexes none.

    The axes of values are not known yet where domains are read, since the statements stand in any order.
    """
    ranges = list(_indexed_ranges(reader, name, body, only_given=True))
    return _common_range(reader, name, ranges, body.span) if ranges else None


def _common_range(reader: Reader, name: Name, ranges: list[Range], span: Span) -> Range:
    first = ranges[0]
    for other in ranges[1:]:
        if not reader.types.solver.unify(other.extent, first.extent):
            raise run_apart(reader.types, name, first, other, span)
        if other.lower != first.lower:
            reader.terms.common_ranges.append((name, first, other, span))
    return first


def _indexed_ranges(reader: Reader, name: Name, node: ast.Node, only_given: bool = False) -> list[Range]:
    found: list[Range] = []
    plain = unaccent(node) if isinstance(node, (ast.Scripts, ast.Accent)) else node
    match plain:
        case ast.Scripts():
            head, items = _array_at(reader, name, plain)
            found.extend(_ranges_at(reader, name, head, items, only_given))
            if plain.superscript is not None and (above := reader.find_symbol(head or NO_NAME, True)) is not None:
                found.extend(_ranges_of(reader, name, Ref(above), (*items, plain.superscript), only_given))
        case ast.Indexing(base=base, items=items):
            found.extend(_ranges_at(reader, name, spelling_of(base), items, only_given))
        case ast.Juxtaposition(factors=factors):
            for array, group in pairwise(factors):  # `P(s, a)` of an array
                if isinstance(group, ast.Group) and len(group.items) > 1:
                    found.extend(_ranges_at(reader, name, spelling_of(array), group.items, only_given))
        case _:
            pass
    for child in children(node):
        found.extend(_indexed_ranges(reader, name, child, only_given))
    return found


def _array_at(reader: Reader, name: Name, node: ast.Scripts) -> tuple[Name | None, tuple[ast.Expression, ...]]:
    r"""The array whose axes scripts index, and the indices: `b_x` of `b_{x,k}`, the argument `V_t` of `V_{t,j}`, else the base."""
    scope = index_scope(reader) | {name}
    split = reader.families.split(node, scope)
    head = split.head
    if split.items and head is not None and (reader.find_bound(head) is not None or reader.find_symbol(head, False) is not None):
        return head, split.items
    return spelling_of(node.base), node.subscripts


def _ranges_at(reader: Reader, name: Name, head: Name | None, items: tuple[ast.Expression, ...], only_given: bool) -> list[Range]:
    term, symbol = reader.find_bound(head or NO_NAME), reader.find_symbol(head or NO_NAME, False)
    part = term if term is not None else None if symbol is None else Ref(symbol)
    return _ranges_of(reader, name, part, items, only_given) if isinstance(part, Ref) else []


def _ranges_of(reader: Reader, name: Name, part: Ref, items: tuple[ast.Expression, ...], only_given: bool) -> list[Range]:
    if only_given and part.symbol.role is Role.VALUE:
        return []
    return [axis_range(reader, part.symbol, axis_of(part, k)) for k, item in enumerate(items) if spelling_of(item) == name]
