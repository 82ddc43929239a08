r"""Loops by steps that are no number, as loops by one with a branch; numbers that are listed beyond the first two, told once.

for j = 2 i, 3 i, …, n: y_j \gets e      ->     for j = 2 i, …, n: if (j - 2 i) mod i = 0: y_j \gets e
for j = n, n - 2, …, 1: y_j \gets e      ->     for j = n, n - 1, …, 1: if (n - j) mod 2 = 0: y_j \gets e
for j = 1, 2, 3, …, n: y_j \gets e       ->     for j = 1, …, n: y_j \gets e
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import affine, difference
from mathdsl.elaborate.control.computed_ranges import values_of
from mathdsl.elaborate.control.loops import shift_of, stride
from mathdsl.elaborate.control.value_ends import Assigned, assigned_values, extreme_of, head_of
from mathdsl.elaborate.names.names import Name, plain_word, word_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import declared_rows, descendants, shifted, statements_in, with_bodies


def with_unit_steps(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure whose loops go up or down by one, but for those from number to number, `1, 3, \\dots, n`."""
    loops = [node for node in statements_in(procedure.body) if isinstance(node, ast.For)]
    if all(_listed(node.binding) is None for node in loops):
        return procedure
    rows = declared_rows(procedure, shared)
    types = {name: row.type for row in rows for symbol in row.symbols if row.type is not None and (name := head_of(symbol)) is not None}
    sizes = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in names_below(part)}
    letters = {name for node in loops for name in bound_names(node.binding)}
    values: dict[Name, list[Assigned | None]] = {}
    for name, value in assigned_values(procedure.body):
        values.setdefault(name, []).append(value)
    integers = {name for name, kind in types.items() if _is_integer_type(kind)} | (letters | sizes - types.keys()) - values.keys()
    steps = _Steps(integers, values)
    return replace(procedure, body=steps.block(procedure.body), shown=procedure.shown or procedure.body)


def _listed(binding: ast.Expression) -> tuple[ast.Expression, tuple[ast.Expression, ...], ast.Expression] | None:
    r"""The variable, the numbers before the dots and the last of `j = 2 i, 3 i, \dots, n`; None for `1, \dots, n` and `1, 3, \dots, n`."""
    match binding:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
            while isinstance(values, ast.Group) and len(values.items) == 1:
                (values,) = values.items
        case _:
            return None
    match values:
        case ast.SetDisplay(items=(*before, ast.Dots(), last)) | ast.ListDisplay(items=(*before, ast.Dots(), last)) if len(before) > 1:
            return None if stride(binding) else (variable, tuple(before), last)
        case _:
            return None


def _is_integer_type(kind: ast.Expression) -> bool:
    r"""Whether a type holds integers: `\mathbb{Z}`, `\mathbb{N}`, `\{1, \dots, K\}^n`."""
    plain = kind.base if isinstance(kind, ast.Scripts) else kind
    return values_of(plain) is not None or isinstance(plain, ast.Identifier) and plain_word(plain) == "Z"


@dataclass(frozen=True)
class _Steps:
    """Names of integers, and what statements assign."""

    integers: Set[Name]
    values: Mapping[Name, Sequence[Assigned | None]]

    def block(self, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
        """Statements in order."""
        return tuple(self._statement(node) for node in statements)

    def _statement(self, node: ast.Statement) -> ast.Statement:
        node = with_bodies(node, self.block)
        if not isinstance(node, ast.For) or (listed := _listed(node.binding)) is None:
            return node
        variable, numbers, last = listed
        first, second, *_ = numbers
        gap = _step(numbers, node.binding)
        span = node.binding.span
        signs = {count > 0 for _, count in gap.terms}  # names of integers that a step adds are not negative
        if len(signs) != 1 or not (self._is_integer(first) and self._is_integer(second)):
            what = f"a step from `{render_expression(first)}` to `{render_expression(second)}`"
            raise unsupported(
                what, span, help=r"let an integer count the turns, as in `\For{$k = 0, \dots, n$}`, and compute the value from it"
            )
        goes_up = True in signs
        ahead = (first, ast.Dots(True, span=span)) if goes_up else (first, shifted(first, -1), ast.Dots(span=span))
        values = ast.SetDisplay((*ahead, last), shift_of(node.binding), span=span)
        binding = ast.Relation((r"\in",), (variable, values), span=span)
        if abs(gap.constant or 0) == 1:
            return replace(node, binding=binding)
        changed = {name for name, _ in assigned_values(node.body)}
        if not changed.isdisjoint(names_below(first) | names_below(second)):
            what = f"a loop that changes its own step from `{render_expression(first)}` to `{render_expression(second)}`"
            raise unsupported(what, span, help="give what the step reads another name before the loop, and write that in the range")
        low, high = (first, variable) if goes_up else (variable, first)
        step = _written(gap if goes_up else -gap, first, second)
        away = ast.Binary("-", high, ast.Group((low,), span=span) if isinstance(low, ast.Binary) else low, span=span)
        rest = ast.Binary(r"\bmod", ast.Group((away,), span=span), step, span=span)
        holds = ast.Relation(("=",), (rest, ast.Number("0", span=span)), span=span)
        branch = ast.If((ast.Branch(holds, node.body, span=node.span),), None, span=node.span)
        return replace(node, binding=binding, body=(branch,))

    def _is_integer(self, node: ast.Expression, seen: frozenset[Name] = frozenset()) -> bool:
        """Whether a value is surely an integer."""
        match node:
            case ast.Number(text=text):
                return text.isdigit()
            case ast.Attribute() | ast.Bars(kind="floor" | "ceil"):
                return True
            case ast.Group(items=(inner,)) | ast.Negative(operand=inner):
                return self._is_integer(inner, seen)
            case ast.Binary(operator="+" | "-" | r"\cdot" | r"\times" | r"\bmod", left=left, right=right):
                return self._is_integer(left, seen) and self._is_integer(right, seen)
            case ast.Juxtaposition() if (found := extreme_of(node)) is not None:
                return all(self._is_integer(part, seen) for part in found[1])
            case ast.Juxtaposition(factors=factors):
                return all(self._is_integer(factor, seen) for factor in factors)
            case ast.Scripts(base=base, subscripts=(), superscript=above) if above is not None:
                return self._is_integer(base, seen) and self._is_integer(above, seen)
            case _:
                name = head_of(node)
                if name is None or name in self.integers or name in seen:
                    return name is not None
                values = self.values.get(name, (None,))
                return all(item is not None and self._is_integer(item.value, seen | {name}) for item in values)


def _step(numbers: tuple[ast.Expression, ...], binding: ast.Expression) -> Poly:
    """The step that all the numbers before the dots have in common."""
    gaps = {_gap(before, after) for before, after in pairwise(numbers)}
    (gap, *others) = gaps
    if gap is None or others or not gap.terms:
        shown = ", ".join(map(render_expression, numbers))
        raise refuse(
            "E0505", f"`{shown}` do not tell one step", binding.span, help="write the first two numbers, the dots and the last one"
        )
    return gap


def _gap(before: ast.Expression, after: ast.Expression) -> Poly | None:
    """From one number to the next; of `\\min(3, n)`, too, where it is one."""
    found = difference(after, before)
    return found if found is not None else next((Poly.of(by) for by in (1, -1) if after == shifted(before, by)), None)


def _written(step: Poly, *ends: ast.Expression) -> ast.Expression:
    """A step as an author writes it, `i` for that from `2 i` to `3 i`."""
    span = ends[0].span
    if step.constant is not None:
        return ast.Number(str(step.constant), span=span)
    for part in (inner for end in ends for inner in (end, *descendants(end))):
        if isinstance(part, ast.Identifier) and word_of(part) is not None and affine(part) == step:
            return part
    first, second = ends
    low, high = (first, second) if (found := difference(second, first)) is not None and found == step else (second, first)
    return ast.Group((ast.Binary("-", high, ast.Group((low,), span=span), span=span),), span=span)
