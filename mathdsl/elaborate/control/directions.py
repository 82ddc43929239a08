r"""Whether a range goes up or down, decided once: `n, \dots, k` that goes down is `n, n-1, \dots, k` for all who read it later.

for j = n, …, k + 1           ->      for j = n, n - 1, …, k + 1        where `n` is the size of an array, and `k` is computed
for i = 1..n: for j = 1..i: for k = i, …, j       ->      … for k = i, i - 1, …, j        since j <= i
b_t \gets e_t \quad (t = T - 1, \dots, 1)         ->      … (t = T - 1, T - 2, \dots, 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from itertools import product

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.ranges import UP_OR_DOWN
from mathdsl.elaborate.control.affine import affine, difference
from mathdsl.elaborate.control.computed_ranges import values_of
from mathdsl.elaborate.control.loops import Loop, binding_over, ends_of, shift_of
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.control.value_ends import Assigned, assigned_values, extreme_of, head_of, is_natural, known_loop
from mathdsl.elaborate.names.names import Name, spelling_of, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, declared_rows, descendants, shifted, statements_in, with_bodies

_FIRST_INDICES = ("0", "1", "2")


def with_directions(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure in which each range that goes down says so by its second number."""
    if not any(isinstance(part, ast.Dots) for node in statements_in(procedure.body) for part in _bindings(node)):
        return procedure
    known = _Known.of(procedure, shared)
    body = known.block(procedure.body, ())
    return replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _bindings(node: ast.Statement) -> Iterator[ast.Node]:
    match node:
        case ast.For(binding=binding):
            yield from descendants(binding)
        case ast.Definition(domains=domains):
            for domain in domains:
                yield from descendants(domain)
        case _:
            pass


@dataclass(frozen=True)
class _Known:
    """What decides: sizes, where arrays or ranges end, names of arrays, and what statements give to names that are assigned once."""

    sizes: Set[Name]
    limits: Set[Name]
    arrays: Set[Name]
    assigned: Set[Name]
    values: Mapping[Name, Assigned]
    integers: Mapping[Name, Side]  # the least and the greatest of what is declared so, `k \in \{1, \dots, n\}`, and of its elements

    @staticmethod
    def of(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> _Known:
        """What a procedure and the tables that it shares say."""
        rows = declared_rows(procedure, shared)
        heads = {name for row in rows for symbol in row.symbols if (name := head_of(symbol)) is not None}
        values: dict[Name, list[Assigned | None]] = {}
        for name, value in assigned_values(procedure.body):
            values.setdefault(name, []).append(value)
        once = {
            name: value
            for name, (value, *more) in values.items()
            if not more and value is not None and name not in heads and name not in names_below(value.value)
        }
        measured = {name for name, value in once.items() if isinstance(value.value, ast.Attribute | ast.Bars)}
        shapes = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in _whole_names(part)}
        arrays = {
            name
            for row in rows
            if row.ranges or isinstance(row.type, ast.Scripts) and row.type.superscript is not None
            for symbol in row.symbols
            if (name := spelling_of(unaccent(symbol))) is not None
        }
        lasts = [end for node in statements_in(procedure.body) for end in _last_of_all(node)]
        ends = {name for end in lasts if arrays.isdisjoint(names_below(end)) for name in _whole_names(end)}
        sizes = (shapes | measured) - (values.keys() - measured) - arrays
        integers = {
            name: side
            for row in rows
            if row.type is not None and (side := values_of(row.type)) is not None and affine(side.upper) is not None
            for symbol in row.symbols
            if (name := head_of(symbol)) is not None and name not in values
        }
        still = {name: value for name, value in once.items() if name not in measured}
        return _Known(sizes, sizes | ends - values.keys() - arrays, arrays, values.keys(), still, integers)

    def block(self, statements: tuple[ast.Statement, ...], around: tuple[Loop, ...]) -> tuple[ast.Statement, ...]:
        """Statements in order."""
        return tuple(self._statement(node, around) for node in statements)

    def _statement(self, node: ast.Statement, around: tuple[Loop, ...]) -> ast.Statement:
        match node:
            case ast.For(binding=binding, body=body):
                binding = self._binding(binding, around, asks=True)
                node = replace(node, binding=binding)
                return replace(node, body=self.block(body, (*around, known_loop(node, binding))))
            case ast.Definition(domains=domains) if domains:
                return replace(node, domains=tuple(self._binding(domain, around, asks=False) for domain in domains))
            case _:
                return with_bodies(node, lambda body: self.block(body, around))

    def _binding(self, binding: ast.Expression, around: tuple[Loop, ...], *, asks: bool) -> ast.Expression:
        """A range that says itself whether it goes down; `asks`: where nothing decides, it is asked about."""
        match binding:
            case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
                first, last = ends_of(values)
            case _:
                return binding
        if first is None or last is None or not _is_open(values):
            return binding
        step = self._step(first, last, around)
        if step == 0 and asks:
            ways = (", ".join(map(render_expression, (first, shifted(first, by)))) for by in (1, -1))
            up, down = (rf"{way}, \dots, {render_expression(last)}" for way in ways)
            raise undecided(UP_OR_DOWN, values.span, first=render_expression(first), last=render_expression(last), up=up, down=down)
        if step >= 0:
            return binding
        return binding_over(variable, (first, shifted(first, -1)), last, binding.span, shift_of(binding))

    def _step(self, first: ast.Expression, last: ast.Expression, around: tuple[Loop, ...]) -> int:
        """1 up, -1 down, 0 where nothing decides."""
        gap = difference(last, first)
        if gap is not None and gap.constant is not None:
            return 1 if gap.constant >= 0 else -1
        if isinstance(last, ast.Number) and last.text in _FIRST_INDICES:
            return -1
        first, last = self._named(first, around), self._named(last, around)
        goes_up, goes_down = (self._is_proved(first, last, around, step) for step in (1, -1))
        if isinstance(first, ast.Number):
            is_limit = set(_whole_names(last)) <= self.limits or first.text in _FIRST_INDICES
            return 1 if goes_up else -int(not is_limit) if goes_down else int(is_limit)
        if goes_up or goes_down:
            return 1 if goes_up else -1
        words = tuple(found[0] if (found := extreme_of(end)) is not None else "" for end in (first, last))
        if any(words):
            return 1 if words[0] == r"\max" or words[1] == r"\min" else -1
        if self._is_array(first) or self._is_array(last):
            return 1  # which is told of later
        letters = {loop.spelling for loop in around}
        begin, end = set(_whole_names(first)), set(_whole_names(last))
        if end and end <= self.limits - letters and not begin <= self.limits:
            return 1
        if _is_extent(first, self.sizes - letters) and letters.isdisjoint(names_below(last)) and not (end and end <= self.limits):
            return -1
        return 0

    def _is_array(self, end: ast.Expression) -> bool:
        """Whether an end is an array as a whole."""
        return isinstance(end, ast.Identifier | ast.Accent) and spelling_of(end) in self.arrays

    def _is_proved(self, first: ast.Expression, last: ast.Expression, around: tuple[Loop, ...], step: int) -> bool:
        """Whether a range goes one way in each turn, or at most has no turn."""
        ahead, behind = (first, last) if step > 0 else (last, first)
        lows, is_least = _sides(ahead, r"\max")
        highs, is_greatest = _sides(behind, r"\min")
        found = [[self._is_ordered(low, high, around) for low in lows] for high in highs]
        of_highs = [all(row) if is_least else any(row) for row in found]
        return all(of_highs) if is_greatest else any(of_highs)

    def _is_ordered(self, low: ast.Expression, high: ast.Expression, around: tuple[Loop, ...]) -> bool:
        """Whether one end is at most 1 more than another, by what is written or by what is declared."""
        pairs = product((high, self._declared(high, -1)), (low, self._declared(low, 1)))
        return any(self._is_least(self._gap(above, below, around), around) for above, below in pairs)

    def _declared(self, end: ast.Expression, sign: int) -> ast.Expression:
        """The greatest (least) that an integer of a declared type is; all else as it is."""
        side = self.integers.get(name) if (name := head_of(end)) is not None else None
        match end:
            case ast.Group(items=(inner,)):
                return self._declared(inner, sign)
            case ast.Binary(operator="+" | "-" as operator, left=left, right=ast.Number(text=text)) if text.isdigit():
                return shifted(self._declared(left, sign), int(text) * (1 if operator == "+" else -1))
            case _ if side is not None and (sign < 0 or not is_natural(side.upper)):
                return side.upper if sign > 0 else side.lower
            case _:
                return end

    def _is_least(self, gap: Poly | None, around: tuple[Loop, ...]) -> bool:
        """Whether a distance is at least -1 in each turn of the loops around."""
        return gap is not None and any(is_nonnegative(least + 1) for least in self._least(gap, around))

    def _least(self, gap: Poly, around: tuple[Loop, ...]) -> Iterator[Poly]:
        """Values below which a distance never is: each side of `\\max(1, i - w)`, where a letter of a loop is as small as that."""
        yield gap
        if not around:
            return
        *outer, loop = around
        name = str(loop.spelling)
        factor = gap.coefficient(name)
        if name not in gap.names:
            yield from self._least(gap, tuple(outer))
        elif factor is not None and loop.lower is not None and loop.upper is not None:
            signs = {number > 0 for _, number in factor.terms}
            if len(signs) == 1:
                end, word = (loop.lower, r"\max") if True in signs else (loop.upper, r"\min")
                sides, is_one = _sides(end, word)
                for side in sides if is_one or len(sides) == 1 else ():
                    value = self._value(side, tuple(outer))
                    if value is not None:
                        yield from self._least(gap.substitute({name: value}), tuple(outer))

    def _gap(self, last: ast.Expression, first: ast.Expression, around: tuple[Loop, ...]) -> Poly | None:
        """How much more the one end is than the other, with values for names."""
        end, begin = self._value(last, around), self._value(first, around)
        return None if end is None or begin is None else end - begin

    def _given(self, name: Name, around: tuple[Loop, ...]) -> ast.Expression | None:
        """What a statement gives to a name that is assigned once, where it means the same in these loops."""
        here = {(loop.spelling, loop.node.span) for loop in around}
        item = self.values[name]
        letters = {loop.spelling for loop in item.around if (loop.spelling, loop.node.span) not in here}
        below = names_below(item.value)
        return None if below & letters or below & (self.assigned - self.values.keys()) else item.value

    def _named(self, end: ast.Expression, around: tuple[Loop, ...]) -> ast.Expression:
        """An end, or the extreme that a statement calls so: `\\max(1, i - w)` for `l`."""
        given = self._given(name, around) if (name := word_of(end)) is not None and name in self.values else None
        return end if given is None or extreme_of(given) is None else given

    def _value(self, node: ast.Expression, around: tuple[Loop, ...], seen: frozenset[Name] = frozenset()) -> Poly | None:
        """An end as a polynomial, without rounding, with what a statement gives for each name that is assigned once."""
        found = _polynomial(node)
        if found is None:
            return None
        for name in names_below(node) & self.values.keys() - seen:
            given = self._given(name, around)
            value = None if given is None else self._value(given, around, seen | {name})
            if value is not None:
                found = found.substitute({str(name): value})
        return found


def _last_of_all(node: ast.Statement) -> Iterator[ast.Expression]:
    r"""The `n` of each range `1, \dots, n` of a statement."""
    ranges: Sequence[ast.Expression] = ()
    match node:
        case ast.For(binding=binding):
            ranges = (binding,)
        case ast.Definition(domains=domains):
            ranges = domains
        case _:
            pass
    for one in ranges:
        match one:
            case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(_, values)):
                first, last = ends_of(values)
                if isinstance(first, ast.Number) and last is not None:
                    yield last
            case _:
                pass


def _is_open(values: ast.Expression) -> bool:
    r"""Whether dots stand between two ends alone, and no word says where they go: `n, \dots, k`, but not `1 \text{ to } k`."""
    match values:
        case ast.Group(items=(inner,)):
            return _is_open(inner)
        case ast.SetDisplay(items=(_, ast.Dots(goes_up=goes_up), _)) | ast.ListDisplay(items=(_, ast.Dots(goes_up=goes_up), _)):
            return not goes_up
        case _:
            return False


def _is_extent(end: ast.Expression, sizes: Set[Name]) -> bool:
    """Whether an end is a size, or less by a number: `n`, `n - 1`."""
    match end:
        case ast.Binary(operator="-", left=left, right=ast.Number()):
            return _is_extent(left, sizes)
        case ast.Identifier() | ast.Accent() | ast.Scripts():
            return spelling_of(end) in sizes
        case _:
            return isinstance(end, ast.Attribute)


def _whole_names(node: ast.Node) -> Iterator[Name]:
    """The names in an expression, each with all that stands below it: the `w_i` and `n` of `w_i + n`."""
    name = spelling_of(node) if isinstance(node, ast.Identifier | ast.Accent | ast.Scripts) else None
    if name is not None:
        yield name
        return
    for child in children(node):
        yield from _whole_names(child)


def _sides(end: ast.Expression, word: str) -> tuple[tuple[ast.Expression, ...], bool]:
    r"""The parts of an end, and whether it is beyond each of them: `1` and `i - w` of `\max(1, i - w)`, which is at least both."""
    found = extreme_of(end)
    return ((end,), True) if found is None else (found[1], found[0] == word)


def _polynomial(node: ast.Expression) -> Poly | None:
    r"""An end as a polynomial, without rounding: `n/2` for `\lfloor n/2 \rfloor`."""
    match node:
        case ast.Group(items=(inner,)) | ast.Bars(kind="floor" | "ceil", items=(inner,)):
            return _polynomial(inner)
        case ast.Binary(operator="+" | "-" as operator, left=left, right=right):
            first, second = _polynomial(left), _polynomial(right)
            if first is None or second is None:
                return None
            return first + second if operator == "+" else first - second
        case (
            ast.Binary(operator="/", left=above, right=ast.Number(text=text))
            | ast.Fraction(numerator=above, denominator=ast.Number(text=text))
        ) if text.isdigit() and int(text):
            value = _polynomial(above)
            return None if value is None else value * Poly((((), Fraction(1, int(text))),))
        case _:
            return affine(node, of_quotients=True)
