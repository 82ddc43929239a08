r"""Ranges with ends that statements or inputs compute, as ranges that hold them, with a branch.

for c = w_i, …, m: …              ->      for c = 1, …, m: if w_i <= c: …           where w_i is declared from 1 on
j \gets \min(i + 1, n); for k = i, …, j: …        ->      for k = i, …, n: if k <= i + 1: …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.control.affine import affine, distance, is_quotient
from mathdsl.elaborate.control.loops import Loop, binding_over, ends_of, goes_down, shift_of
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.control.value_ends import Assigned, Ends, assigned_values, extreme_of, head_of, is_natural
from mathdsl.elaborate.names.names import Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.names.usage import free_letters, names_below
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import declared_rows, descendants, shifted, statements_in, transform


def with_fixed_ranges(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure in which sizes, numbers and the variables of loops alone move the ranges of loops, as far as their ends are known."""
    ranges = [node.binding for node in statements_in(procedure.body) if isinstance(node, ast.For)]
    if not ranges:
        return procedure
    targets = Counter(
        name
        for node in statements_in(procedure.body)
        if isinstance(node, ast.Definition) and node.function is None
        for target in node.targets
        if (name := head_of(target)) is not None
    )
    rows = declared_rows(procedure, shared)
    integers = {
        name: side
        for row in rows
        if row.type is not None and not row.ranges and (side := values_of(row.type)) is not None
        for symbol in row.symbols
        if (name := spelling_of(unaccent(symbol))) is not None and name not in targets
    }
    indexed = any(isinstance(part, _MOVED) or extreme_of(part) is not None for node in ranges for part in descendants(node))
    if not indexed and not any(name in targets or name in integers for node in ranges for name in names_below(node)):
        return procedure
    sizes = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in names_below(part)}
    letters = {name for node in ranges for name in bound_names(node)}
    parts = (index for node in ranges for part in descendants(node) if (index := affine(cast(ast.Expression, part))) is not None)
    ends = Ends(integers, dict.fromkeys(targets, ()), letters, sizes.union(*(index.names for index in parts)))
    if not sizes.isdisjoint(targets) or not any(_is_moved(node, ends) for node in ranges):
        return procedure
    given = {name for row in rows for s in row.symbols if (name := head_of(s)) is not None}
    assigned: dict[Name, list[Assigned | None]] = {name: [None] if name in given else [] for name in targets}
    for name, value in assigned_values(procedure.body):
        assigned[name].append(value)
    written = Counter(name for node in procedure.body for name in _all_names(node))
    found = _Ranges(targets, replace(ends, assigned=assigned), written, free_letters({*names_below(procedure), *written}))
    body = found.block(procedure.body, ())
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


_MOVED = ast.Scripts | ast.Indexing | ast.Bars | ast.Root


def _is_moved(binding: ast.Expression, ends: Ends) -> bool:
    """Whether a range has an end that is computed, or that is the greatest of some sizes where the range begins."""
    match binding:
        case ast.Relation(operands=(_, values)) if (first := ends_of(values)[0]) is not None and extreme_of(first) is not None:
            return True
        case _:
            return ends.is_computed(binding)


def _all_names(node: ast.Node) -> Iterator[Name]:
    for one in (node, *descendants(node)):
        if isinstance(one, ast.Identifier) and (name := word_of(one)) is not None:
            yield name


def values_of(kind: ast.Expression) -> Side | None:
    r"""The least and the greatest integer of a type: of `\{1, \dots, 4\}^{n}`; only the least of `\mathbb{N}`, which is its own side."""
    plain = kind.base if isinstance(kind, ast.Scripts) and not kind.subscripts else kind
    lower, upper = ends_of(plain) if isinstance(plain, ast.SetDisplay | ast.ListDisplay) else (None, None)
    if lower is not None and upper is not None:
        return Side(lower, upper)
    return Side(ast.Number("0", span=kind.span), plain) if is_natural(plain) else None


@dataclass(frozen=True)
class _Ranges:
    """How often statements assign a name, what is known of integers, how often each name is written, and letters that are free."""

    targets: Counter[Name]
    ends: Ends
    written: Counter[Name]
    letters: list[Name]

    def block(self, statements: tuple[ast.Statement, ...], around: tuple[Loop, ...]) -> tuple[ast.Statement, ...]:
        """Statements in order."""
        found: list[ast.Statement] = []
        rest = list(statements)
        while rest:
            node = rest.pop(0)
            put = self._put_for(node, rest)
            if put is None:
                found += self._statement(node, around)
                continue
            found.append(node)
            rest = [cast(ast.Statement, _in_ranges(one, *put)) for one in rest]
        return tuple(found)

    def _put_for(self, node: ast.Statement, rest: Sequence[ast.Statement]) -> tuple[Name, ast.Expression] | None:
        """A name that stands for an extreme of indices in ranges behind it, and nowhere else than behind it, and that extreme."""
        match node:
            case ast.Definition(function=None, target=ast.Identifier() as target, value=value, domains=()) if (
                extreme := extreme_of(value)
            ) is not None and all(affine(part) is not None for part in extreme[1]):
                name = word_of(target)
                own = Counter(part for one in rest for part in _all_names(one))
                if name is None or self.targets[name] != 1 or own[name] + 1 != self.written[name]:
                    return None
                parts = (value, *descendants(value))
                if any(isinstance(part, ast.Scripts | ast.Indexing | ast.Attribute | ast.Bars) for part in parts):
                    return None  # `x.\sz{1}` names a size
                if any(part in self.targets for part in names_below(value)):
                    return None
                loops = [one.binding for one in statements_in(rest) if isinstance(one, ast.For)]
                if any(not names_below(value).isdisjoint(bound_names(binding)) for binding in loops):
                    return None  # whose letters mean others there
                return (name, value) if any(name in names_below(binding) for binding in loops) else None
            case _:
                return None

    def _statement(self, node: ast.Statement, around: tuple[Loop, ...]) -> tuple[ast.Statement, ...]:
        match node:
            case ast.For(binding=binding, body=body):
                return self._loop(node, binding, body, around)
            case ast.If(branches=branches, otherwise=otherwise):
                arms = tuple(replace(branch, body=self.block(branch.body, around)) for branch in branches)
                return (replace(node, branches=arms, otherwise=None if otherwise is None else self.block(otherwise, around)),)
            case ast.EquationGroup(body=body):
                return (replace(node, body=self.block(body, around)),)
            case _:
                return (node,)

    def _loop(
        self, node: ast.For, binding: ast.Expression, body: tuple[ast.Statement, ...], around: tuple[Loop, ...]
    ) -> tuple[ast.Statement, ...]:
        match binding:
            case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
                first, last = ends_of(values)
            case ast.Relation(operators=(("<" | r"\leq") as above, ("<" | r"\leq") as below), operands=(begin, variable, end)):
                first, last = shifted(begin, int(above == "<")), shifted(end, -int(below == "<"))
                values = ast.ListDisplay((first, ast.Dots(span=binding.span), last), span=binding.span)
            case _:
                return (replace(node, body=self.block(body, around)),)
        name = word_of(variable)
        if name is None or first is None or last is None:
            return (replace(node, body=self.block(body, around)),)
        if not _is_moved(binding, self.ends):
            loop = Loop(node, variable, name, first, last)
            return (replace(node, body=self.block(body, (*around, loop))),)
        step = _step(values)
        low, high = (first, last) if step > 0 else (last, first)
        lower, upper = self._bounded(low, around, -1), self._bounded(high, around, 1)
        if step not in (1, -1) or lower is None or upper is None:
            self._check_whole(low)
            self._check_whole(high)
            return (replace(node, body=self.block(body, around)),)
        ahead, stop = ((lower[0],), upper[0]) if step > 0 else ((upper[0], shifted(upper[0], -1)), lower[0])
        range_ = binding_over(variable, ahead, stop, binding.span, shift_of(binding))
        inner = self.block(body, (*around, Loop(node, variable, name, lower[0], upper[0], step)))
        before, (least, greatest) = self._before(node, (lower[1], upper[1]))
        if not least and not greatest:
            return (replace(node, binding=range_, body=inner),)
        branch = ast.If((ast.Branch(_between(least, variable, greatest), inner, span=node.span),), None, span=node.span)
        return (*before, replace(node, binding=range_, body=(branch,)))

    def _check_whole(self, end: ast.Expression) -> None:
        r"""Refuse an end that is a quotient, which is a real number: `k \gets k / 2`."""
        for name in _all_names(end):
            for value in (item.value for item in self.ends.assigned.get(name, ()) if item is not None):
                if value is not None and is_quotient(value):
                    help = rf"round it, as in `{readable(name)} \gets \lfloor {render_expression(value)} \rfloor`"
                    label = Label(value.span, "a quotient is a real number")
                    raise refuse("E0406", "an integer is wanted here, and a real number is given", end.span, labels=(label,), help=help)

    def _bounded(
        self, node: ast.Expression, around: tuple[Loop, ...], sign: int
    ) -> tuple[ast.Expression, tuple[ast.Expression, ...]] | None:
        """An end of a range that holds all turns, and the ends that a turn is to be within; None where no such end is known."""
        found = extreme_of(node)
        parts = found[1] if found is not None and (found[0] == r"\min") == (sign > 0) else (node,)
        known = [(part, end) for part in parts if (end := self.ends.of(part, around, sign)) is not None]
        if not known:
            return None
        fixed = [pair for pair in known if self.ends.is_fixed(pair[1])]
        part, end = next((pair for pair in fixed if pair[0] == pair[1]), (fixed or known)[0])  # `n` of `\min(k + 1, n)` is asked of no turn
        return end, tuple(other for other in parts if other is not part or end is not part)

    def _before(
        self, node: ast.For, asked: tuple[tuple[ast.Expression, ...], ...]
    ) -> tuple[tuple[ast.Statement, ...], tuple[tuple[ast.Expression, ...], ...]]:
        """The ends that a loop asks about, where its body changes them as names of what they are before the loop."""
        changed = {name for name, _ in assigned_values(node.body)}
        found: list[ast.Statement] = []
        renamed: dict[ast.Expression, ast.Expression] = {}
        for end in (end for side in asked for end in side if not changed.isdisjoint(_all_names(end)) and self.letters):
            own = ast.Identifier(self.letters.pop(), span=end.span)
            found.append(ast.Definition(own, end, span=end.span))
            renamed[end] = own
        return tuple(found), tuple(tuple(renamed.get(end, end) for end in side) for side in asked)


def _step(values: ast.Expression) -> int:
    """How much a range goes up from turn to turn."""
    match values:
        case ast.SetDisplay(items=(first, second, *_, ast.Dots(), _)) | ast.ListDisplay(items=(first, second, *_, ast.Dots(), _)):
            return -1 if goes_down(values) else -(distance(first, second) or 0)
        case _:
            return 1


def _between(lower: tuple[ast.Expression, ...], variable: ast.Expression, upper: tuple[ast.Expression, ...]) -> ast.Expression:
    """That an index is within all of these ends."""
    asked: list[ast.Expression] = []
    for k in range(max(len(lower), len(upper))):
        sides = (*lower[k : k + 1], variable, *upper[k : k + 1])
        asked.append(ast.Relation((r"\leq",) * (len(sides) - 1), sides, span=sides[0].span))
    return asked[0] if len(asked) == 1 else ast.Logic("and", tuple(asked), span=asked[0].span)


def _in_ranges(node: ast.Node, name: Name, value: ast.Expression) -> ast.Node:
    """A statement with an end for a name in the ranges of its loops."""
    match node:
        case ast.For(binding=binding, body=body):
            within = tuple(cast(ast.Statement, _in_ranges(one, name, value)) for one in body)
            return replace(node, binding=cast(ast.Expression, _with(binding, name, value)), body=within)
        case ast.If() | ast.Branch() | ast.EquationGroup() | ast.While():
            return transform(node, lambda child: _in_ranges(child, name, value))
        case _:
            return node


def _with(node: ast.Node, name: Name, value: ast.Expression) -> ast.Node:
    """A node with an index for a name."""
    if isinstance(node, ast.Identifier) and word_of(node) == name:
        return ast.Group((value,), span=node.span)
    return transform(node, lambda child: _with(child, name, value))
