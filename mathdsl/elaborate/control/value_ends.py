r"""The least and the greatest that an integer is which a program computes, as sizes and letters of loops.

\min(t + 1, n)                                         the greatest: n
c \gets 0; for i = 1, …, n: if …: c \gets c + 1        0 and n
m \gets 1; for i = 2, …, n: if …: m \gets i            1 and \max(1, n)
k \gets n; while …: k \gets \lfloor k / 2 \rfloor       0 and n
2^{m-s} for s = 0, …, m                              1 and 2^m
i^2 for i = 2, …, n                                  4 and n^2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.affine import affine, difference, distance
from mathdsl.elaborate.control.loops import Loop, extreme, read_loop, simple
from mathdsl.elaborate.control.regions import Side
from mathdsl.elaborate.names.names import NO_NAME, Name, plain_word, word_of
from mathdsl.elaborate.names.spelling import bound_names, unaccent
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, shifted

_OPPOSITE: Mapping[str, int] = {"+": 1, "-": -1}


@dataclass(frozen=True)
class Assigned:
    """A value that a statement gives to a name or to an element of it, and the loops around."""

    value: ast.Expression
    around: tuple[Loop, ...]


def head_of(target: ast.Expression) -> Name | None:
    """The `x` of `x`, `x_i` and `x[i]`."""
    match plain := unaccent(target):
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return head_of(base)
        case _:
            return word_of(plain)


def is_natural(kind: ast.Expression) -> bool:
    r"""Whether this is `\mathbb{N}`, which stands for the greatest of its integers."""
    return isinstance(kind, ast.Identifier) and plain_word(kind) == "N"


def extreme_of(node: ast.Node) -> tuple[str, tuple[ast.Expression, ...]] | None:
    r"""The word and the parts of `\max(1, t - 1)`; None for all else."""
    match node:
        case ast.Juxtaposition(
            factors=(ast.Identifier(text=r"\max" | r"\min" as word), ast.Group(items=(_, _, *_) as items) | ast.SetDisplay(items=items))
        ) if not any(isinstance(item, ast.Dots) for item in items):
            return word, items
        case ast.Group(items=(inner,)):
            return extreme_of(inner)
        case _:
            return None


def assigned_values(statements: Sequence[ast.Statement], around: tuple[Loop, ...] = ()) -> Iterator[tuple[Name, Assigned | None]]:
    """What statements assign, by names; None beside a name whose value the syntax does not show."""
    for node in statements:
        match node:
            case ast.Definition(function=None, targets=targets, values=values):
                is_plain = len(targets) == len(values) and not node.ranges
                for k, target in enumerate(targets):
                    if (name := head_of(target)) is not None:
                        yield name, Assigned(values[k], around) if is_plain else None
            case ast.Sampling(target=target) if (name := head_of(target)) is not None:
                yield name, None
            case ast.For(binding=binding, body=body):
                yield from assigned_values(body, (*around, known_loop(node, binding)))
            case ast.If(branches=branches, otherwise=otherwise):
                for arm in (*(branch.body for branch in branches), otherwise or ()):
                    yield from assigned_values(arm, around)
            case ast.EquationGroup(body=body) | ast.While(body=body):
                yield from assigned_values(body, around)
            case _:
                pass


def known_loop(node: ast.For, binding: ast.Expression) -> Loop:
    """A loop, without ends where its range is none that loops have."""
    try:
        return read_loop(node, binding)
    except MathdslError:
        return Loop(node, binding, NO_NAME, None, None)


@dataclass(frozen=True)
class Ends:
    """What is known of integers: values of those that are declared, what statements assign, letters that loops count, and sizes."""

    integers: Mapping[Name, Side]
    assigned: Mapping[Name, Sequence[Assigned | None]]
    letters: Set[Name]
    sizes: Set[str]  # as `affine` spells them, letters among them: all that is not negative
    asked: frozenset[Name] = field(default=frozenset())  # names whose values are looked at

    def is_computed(self, node: ast.Expression) -> bool:
        """Whether an end is moved by what is assigned, by an element of an input, or by a letter that is rounded or compared."""
        bound = set(bound_names(node)) if isinstance(node, ast.Relation) else set()
        for one in (node, *descendants(node)):
            match one:
                case ast.Scripts(base=ast.Number(), subscripts=(), superscript=above) if above is not None:
                    if not self.is_fixed(above):
                        return True
                case ast.Scripts(base=base, superscript=above) if above is not None or word_of(base) in self.integers:
                    return True
                case ast.Indexing(base=base) if word_of(base) in self.integers:
                    return True
                case ast.Identifier() if (name := word_of(one)) is not None and name not in bound:
                    side = self.integers.get(name)
                    if name in self.assigned or side is not None and not is_natural(side.upper):
                        return True
                case ast.Root():
                    return True
                case ast.Bars(kind="floor" | "ceil") | ast.Juxtaposition() if isinstance(one, ast.Bars) or extreme_of(one) is not None:
                    if any(word_of(part) in self.letters for part in descendants(one) if isinstance(part, ast.Identifier)):
                        return True
                case _:
                    pass
        return False

    def of(self, node: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The greatest (least) that an integer is in any turn of the loops around; None where that is not known."""
        if isinstance(node, ast.Indexing) and isinstance(node.base, ast.Identifier) and (node.base.text, node.base.font) == ("1", "mathbb"):
            return ast.Number(str(int(sign > 0)), span=node.span)
        if (index := affine(node)) is not None and not self.is_computed(node) and index.names <= self.sizes:
            return node
        if (found := extreme_of(node)) is not None:
            ends = [self.of(part, around, sign) for part in found[1]]
            known = [end for end in ends if end is not None]
            if (found[0] == r"\min") == (sign > 0):
                return next((end for end in known if self.is_fixed(end)), known[0] if known else None)
            return self._outermost(known, around, sign) if len(known) == len(ends) else None
        match node:
            case ast.Group(items=(inner,)):
                return self.of(inner, around, sign)
            case ast.Binary(operator="+" | "-" as operator, left=left, right=right):
                first, second = self.of(left, around, sign), self.of(right, around, sign * _OPPOSITE[operator])
                return None if first is None or second is None else _moved(first, operator, second)
            case ast.Binary(operator=r"\bmod", right=ast.Number(text=text)) if text.isdigit():
                return ast.Number(str(int(text) - 1) if sign > 0 else "0", span=node.span)
            case (
                ast.Juxtaposition(factors=(ast.Number() as factor, value))
                | ast.Binary(operator=r"\cdot" | r"\times", left=ast.Number() as factor, right=value)
            ):
                end = self.of(value, around, sign)
                return None if end is None else _product(factor, end)
            case ast.Bars(kind="floor" | "ceil" as kind, items=(inner,)):
                return self._rounded(kind, inner, around, sign)
            case ast.Cases(rows=rows):
                ends = [self.of(row.value, around, sign) for row in rows]
                known = [end for end in ends if end is not None]
                return self._outermost(known, around, sign) if len(known) == len(ends) else None
            case ast.Scripts(base=ast.Number(text=base), subscripts=(), superscript=above) if above is not None and base.isdigit():
                return self._power(node, base, above, around, sign)
            case ast.Scripts(base=base, subscripts=(), superscript=ast.Number(text=text) as above) if text.isdigit():
                return self._whole_power(base, above, around, sign)
            case ast.Identifier() | ast.Scripts(superscript=None) | ast.Indexing() if (name := head_of(node)) is not None:
                return self._named(name, sign)
            case _:
                return None

    def _power(self, node: ast.Scripts, base: str, above: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The power at the greatest (least) exponent, which is never negative."""
        least, end = (self._still(found, around, s) if (found := self.of(above, around, s)) is not None else None for s in (-1, sign))
        exponent, lowest = (None if one is None else affine(one) for one in (end, least))
        if end is None or exponent is None or lowest is None or not is_nonnegative(lowest):
            return None
        if exponent.constant is None:
            return node if end == above else replace(node, superscript=end)
        return ast.Number(str(int(base) ** int(exponent.constant)), span=node.span)

    def _whole_power(self, base: ast.Expression, above: ast.Number, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The power of the greatest (least) value, none of which is negative: 1 of `i^2`."""
        least, end = (self._still(found, around, s) if (found := self.of(base, around, s)) is not None else None for s in (-1, sign))
        value, lowest = (None if one is None else affine(one) for one in (end, least))
        if end is None or value is None or lowest is None or not is_nonnegative(lowest):
            return None
        if value.constant is None:
            return ast.Scripts(ast.Group((end,), span=base.span), (), above, span=base.span)
        return ast.Number(str(int(value.constant) ** int(above.text)), span=base.span)

    def is_fixed(self, end: ast.Expression) -> bool:
        """Whether no letter of a loop moves an end."""
        return not any(word_of(part) in self.letters for part in (end, *descendants(end)) if isinstance(part, ast.Identifier))

    def _still(self, end: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The greatest (least) that an end is while the loops around run, where no letter of theirs is left in it."""
        found = extreme(end, around, sign)
        return found if self.is_fixed(found) else None

    def _outermost(self, ends: Sequence[ast.Expression], around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """The greatest (least) of all ends, as one of them or, for the greatest, as what is not decided before the sizes are known."""
        still: list[ast.Expression] = []
        for end in ends:
            if (found := self._still(end, around, sign)) is None:
                return None
            beyond = (difference(found, other) if sign > 0 else difference(other, found) for other in still)
            gaps = [gap for gap in beyond if gap is not None]
            if any(is_nonnegative(-gap) for gap in gaps):
                continue
            if len(gaps) == len(still) and all(is_nonnegative(gap) for gap in gaps):
                still = []
            still.append(found)
        if len(still) > 1 and sign < 0:
            return None
        while len(still) > 1:
            span = still[0].span
            pair = ast.Group((still[0], still[1]), span=span)
            still[:2] = [ast.Juxtaposition((ast.Identifier(r"\max", span=span), pair), span=span)]
        return still[0] if still else None

    def _rounded(self, kind: str, inner: ast.Expression, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        r"""An end of `\lfloor n / i \rfloor`, `\lfloor \sqrt{n} \rfloor`, where nothing in it is negative."""
        match inner:
            case ast.Binary(operator="/", left=above, right=below) | ast.Fraction(numerator=above, denominator=below):
                pass
            case ast.Root(radicand=above, degree=None):
                below = ast.Number("1", span=inner.span)
            case _:
                return None
        ends = [
            None if (end := self.of(one, around, s)) is None else self._still(end, around, s) for one, s in ((above, sign), (below, -1))
        ]
        numerator, denominator = ends
        value = None if numerator is None else affine(numerator)
        by = None if denominator is None else affine(denominator)
        if numerator is None or value is None or by is None or not is_nonnegative(value) or not is_nonnegative(by - 1):
            return None
        if sign < 0:
            least = affine(below)
            if value.constant is None or least is None or least.constant is None or isinstance(inner, ast.Root):
                return ast.Number("0", span=inner.span)
            quotient = value.constant / least.constant
            return ast.Number(str(int(quotient) + (kind == "ceil" and quotient != int(quotient))), span=inner.span)
        return numerator

    def _named(self, name: Name, sign: int) -> ast.Expression | None:
        """The greatest (least) that a declared integer is, or a name of which every value is known, with what turns add to it."""
        side, values = self.integers.get(name), self.assigned.get(name, ())
        first = [] if side is None else [side.upper if sign > 0 else side.lower]
        if name in self.asked or any(affine(end) is None or is_natural(end) for end in first):
            return None
        within = replace(self, asked=self.asked | {name})
        steps: list[ast.Expression] = []
        for item in (one for one in values if one is not None):
            for value, step in _changes(item.value, name):
                end = within._changed(value, step, item.around, sign)
                if end is None:
                    return None
                (first if step == 0 else steps).append(end)
        begun = self._outermost(first, (), sign) if None not in values else None
        for added in steps:
            if begun is not None:
                begun = self._outermost((begun, _moved(begun, "+" if sign > 0 else "-", added)), (), sign)
        return begun

    def _changed(self, value: ast.Expression, step: int, around: tuple[Loop, ...], sign: int) -> ast.Expression | None:
        """A value that a name is given; what is added to (taken from) it at most in all turns, where `step` says that it is a step."""
        side = sign * (step or 1)
        boxes = () if self.is_fixed(value) else self._boxes(around)
        end = None if boxes is None else self.of(value, boxes, side)
        end = None if end is None or boxes is None else self._still(end, boxes, side)
        if step == 0 or end is None:
            return end
        most = affine(end)
        if most is None or side < 0:
            return ast.Number("0", span=value.span) if most is not None and is_nonnegative(most) else None
        turns = self._boxes(around) if is_nonnegative(most) else None
        return None if turns is None else _all_turns(end, turns)

    def _boxes(self, around: tuple[Loop, ...]) -> tuple[Loop, ...] | None:
        """The loops around with ends that no letter moves and nothing computes; None where one is not known."""
        found: tuple[Loop, ...] = ()
        for loop in around:
            if loop.lower is None or loop.upper is None:
                return None
            ends = (self.of(loop.lower, found, -1), self.of(loop.upper, found, 1))
            lower, upper = (None if end is None else self._still(end, found, s) for end, s in zip(ends, (-1, 1), strict=True))
            if lower is None or upper is None:
                return None
            found = (*found, replace(loop, lower=lower, upper=upper))
        return found


def _changes(value: ast.Expression, name: Name) -> Iterator[tuple[ast.Expression, int]]:
    """The values that an assignment may give to a name, beside 0, and what it may add to it, beside 1, or take from it, beside -1."""
    found = extreme_of(value)
    match value:
        case _ if head_of(value) == name:
            pass
        case ast.Group(items=(inner,)):
            yield from _changes(inner, name)
        case ast.Cases(rows=rows):
            for row in rows:
                yield from _changes(row.value, name)
        case ast.Bars(kind="floor" | "ceil", items=(inner,)) if _is_quotient_of(inner, name):
            yield ast.Number("0", span=value.span), 0  # it lies between 0 and the name
        case ast.Binary(operator="+" | "-" as operator, left=left, right=right) if head_of(left) == name:
            yield right, _OPPOSITE[operator]
        case ast.Binary(operator="+", left=left, right=right) if head_of(right) == name:
            yield left, 1
        case _ if found is not None:
            for part in found[1]:
                yield from _changes(part, name)
        case _:
            yield value, 0


def _is_quotient_of(node: ast.Expression, name: Name) -> bool:
    """Whether this is the name by a number."""
    match node:
        case (
            ast.Binary(operator="/", left=above, right=ast.Number(text=text))
            | ast.Fraction(numerator=above, denominator=ast.Number(text=text))
        ):
            return word_of(above) == name and text.isdigit() and int(text) > 0
        case _:
            return False


def _all_turns(step: ast.Expression, around: tuple[Loop, ...]) -> ast.Expression | None:
    """What a step comes to in all turns of the loops around; what is negative is no turn at all."""
    total = step
    for loop in around:
        assert loop.lower is not None
        assert loop.upper is not None
        low = ast.Group((loop.lower,), span=loop.lower.span)
        count = simple(shifted(ast.Binary("-", loop.upper, low, span=loop.upper.span), 1), (loop.upper,))
        if affine(count) is None:
            return None
        total = _product(total, count)
    return total


def _product(left: ast.Expression, right: ast.Expression) -> ast.Expression:
    if distance(left, ast.Number("1", span=left.span)) == 0:
        return right
    factors = tuple(ast.Group((one,), span=one.span) if isinstance(one, ast.Binary) else one for one in (left, right))
    return simple(ast.Juxtaposition(factors, span=left.span), ())


def _moved(end: ast.Expression, operator: str, by: ast.Expression) -> ast.Expression:
    match by:
        case ast.Number(text=text) if text.isdigit():
            return shifted(end, int(text) * _OPPOSITE[operator])
        case _ if operator == "+" and distance(end, ast.Number("0", span=end.span)) == 0:
            return by
        case _:
            right = by if isinstance(by, ast.Identifier) else ast.Group((by,), span=by.span)
            return simple(ast.Binary("+" if operator == "+" else "-", end, right, span=end.span), (end, by))
