r"""Where a definition holds: `f[1 \leq t \leq L]`, `(i = 1, \dots, n)`, the triangle `1 \leq j \leq i \leq n`.

Every index runs over a range of sizes alone, a triangle over the box around it: what is defined is defined where a condition holds.
"""

from __future__ import annotations

from mathdsl.elaborate.control.loops import ends_of, shift_of
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names, identifiers
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.names.versions import without_versions
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.bounds import extreme
from mathdsl.elaborate.terms.indices import check_ascending, computed_bound, name_of, read_binding
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.sequences import range_of_given
from mathdsl.elaborate.terms.terms import Binder
from mathdsl.ir.nodes import Range
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants


def read_domain(reader: Reader, node: ast.Definition) -> tuple[tuple[Binder, ...], ast.Expression]:
    r"""The index variables of `f[1 \leq t \leq L]` and of a trailing domain; and the value, in a triangle by cases."""
    found: list[Binder] = []
    conditions: list[ast.Expression] = []
    for item in _in_order([part for written in node.ranges for part in _parts(written)]):
        if isinstance(item, (ast.Identifier, ast.Accent)):
            bounds = range_of_given(reader, name_of(item), node.value)
            if bounds is None:
                raise unsupported(r"a domain without its range (`\forall t`)", item.span, help=r"write `(t = 1, \dots, S)`")
            found.append(reader.binder(name_of(item), bounds, item.span, bare=True))
            continue
        if found and _is_comparison(item) and set(identifiers(item)) <= {binder.spelling for binder in found}:
            conditions.append(item)
            continue
        binding = read_binding(reader.within(*found), item)
        if binding is None:
            raise computed_bound(reader, item) or refuse(
                "E0505", "this is no range of an index", item.span, help=r"write `1 \leq t \leq L` or `(t = 1, \dots, L)`"
            )
        variable, bounds = binding
        if not {binder.name for binder in found}.isdisjoint(bounds.lower.names | bounds.upper.names):
            lower, upper = extreme(bounds.lower, found, False), extreme(bounds.upper, found, True)
            if lower is None or upper is None:
                help = r"let it run over a range of sizes, and say where there are elements by `cases`"
                raise unsupported("a range whose bound is a product of indices", item.span, help=help)
            bounds = Range(lower, upper)
            conditions.append(_condition(item))
        check_ascending(reader, bounds, item.span)
        _check_is_domain(reader, node, item, variable, bounds)
        found.append(reader.binder(name_of(variable), bounds, variable.span, shift_of(item)))
    value = node.value
    if conditions:
        condition = conditions[0] if len(conditions) == 1 else ast.Logic("and", tuple(conditions), span=conditions[0].span)
        rest = ast.CaseRow(ast.Hole(span=condition.span), None, span=condition.span)
        value = ast.Cases((ast.CaseRow(value, condition, span=value.span), rest), span=value.span)
    return tuple(found), value


def _is_comparison(item: ast.Expression) -> bool:
    return isinstance(item, ast.Relation) and item.operators in (("<",), (r"\leq",), (">",), (r"\geq",), (r"\neq",))


def _parts(item: ast.Expression) -> tuple[ast.Expression, ...]:
    r"""A range for each index of `1 \leq j < i \leq n`, and what holds between them."""
    match item:
        case ast.Relation(operators=(first, _, *_, last) as operators, operands=(lower, *names, upper)) if set(operators) <= {"<", r"\leq"}:
            ranges = [ast.Relation((first, last), (lower, name, upper), span=item.span) for name in names]
            pairs = zip(operators[1:-1], names, names[1:], strict=False)
            return *ranges, *(ast.Relation((operator,), (a, b), span=item.span) for operator, a, b in pairs)
        case _:
            return (item,)


def _in_order(items: list[ast.Expression]) -> list[ast.Expression]:
    r"""The ranges, each after those of the indices at which it ends: `i = 1, \dots, n` before `j = 1, \dots, i`."""
    ordered: list[ast.Expression] = []
    while items:
        names = [set(bound_names(item)) for item in items]
        free = [
            k
            for k, item in enumerate(items)
            if not {name for part in (item, *descendants(item)) for name in identifiers(part)} & set[Name]().union(*names) - names[k]
        ]
        ordered.append(items.pop(free[0] if free else 0))
    return ordered


def _condition(item: ast.Expression) -> ast.Expression:
    r"""A range as a condition: `1 \leq j \leq i` for `j = 1, \dots, i`."""
    match item:
        case ast.Relation(operands=(variable, values)) if (ends := ends_of(values))[0] is not None and ends[1] is not None:
            return ast.Relation((r"\leq", r"\leq"), (ends[0], variable, ends[1]), span=item.span)
        case _:
            return item


def _check_is_domain(reader: Reader, node: ast.Definition, item: ast.Expression, variable: ast.Expression, bounds: Range) -> None:
    r"""Refuse `y \gets x_1, \quad n = 2`: a remark about a size, or about what the left side does not have."""
    letter = name_of(variable)
    if bounds.lower == bounds.upper and (letter not in names_below(node.target) or reader.find_size(letter) is not None):
        written, of = render_expression(without_versions(item)), render_expression(without_versions(node.target))
        raise refuse(
            "E0505",
            f"`{written}` is no range of an index of `{of}`",
            item.span,
            help=rf"write `\Assert {written}` on a line of its own for a condition; what a size is, the row that declares it says",
        )
