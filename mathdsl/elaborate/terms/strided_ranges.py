r"""Ranges of sums that go up by more than one: `\sum_{i = 2, 4, \dots, n} x_i` is over those of `2, \dots, n` that are even."""

from __future__ import annotations

from itertools import pairwise

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Elementwise, Need, NumberTerm
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


@dataclass(frozen=True)
class StridedRange:
    """The index of a sum, its first value, the step, and its last value; None: the end of the axis."""

    name: ast.Expression
    first: ast.Expression
    step: int
    last: ast.Expression | None

    @property
    def binding(self) -> ast.Expression:
        """The range with what lies between."""
        values = self.first
        if self.last is not None:
            values = ast.ListDisplay((self.first, ast.Dots(span=self.last.span), self.last), span=self.first.span)
        return ast.Relation(("=",), (self.name, values), span=self.name.span)

    @property
    def condition(self) -> ast.Expression:
        """What holds of the values themselves."""
        return _is_multiple(self.name, self.first, self.step)

    def needs(self, reader: Reader) -> tuple[Need, ...]:
        """That the last value is one of them; nothing where it is, whatever the sizes are."""
        if self.last is None:
            return ()
        first, last = as_poly(reader, self.first), as_poly(reader, self.last)
        if first is not None and last is not None and all(count % self.step == 0 for _, count in (last - first).terms):
            return ()
        away = Elementwise("sub", (reader.resolve(self.last), reader.resolve(self.first)), span=self.last.span)
        rest = Elementwise("mod", (away, NumberTerm(self.step)), span=self.last.span)
        holds = Elementwise("equal", (rest, NumberTerm(0)), span=self.last.span)
        text = render_expression(_is_multiple(self.last, self.first, self.step))
        return (Need(holds, text, "this range does not come to its last value", "end it at a value that its steps come to"),)


def strided_range(reader: Reader, subscript: ast.Expression, above: ast.Expression | None) -> StridedRange | None:
    """A range by its first two values or more, which are more than one apart; None for every other one."""
    match subscript:
        case ast.Relation(operators=("=" | r"\in",), operands=(name, ast.ListDisplay(items=items) | ast.SetDisplay(items=items))):
            pass
        case _:
            return None
    last = above
    match items:
        case (_, _, *_, ast.Dots(), end) if above is None:
            values, last = items[:-2], end
        case (_, _, *_, ast.Dots()):
            values = items[:-1]
        case _:
            return None
    found = [as_poly(reader, value, True) for value in values]
    steps = [None if a is None or b is None else (b - a).constant for a, b in pairwise(found)]
    step = steps[0]
    if step is None or step < 2 or step != int(step) or any(other != step for other in steps):
        return None
    return StridedRange(name, values[0], int(step), last)


def _is_multiple(value: ast.Expression, first: ast.Expression, step: int) -> ast.Relation:
    r"""That a value is so many steps behind the first one: `i \bmod 2 = 0` of `2, 4, \dots`."""
    span, rest = value.span, "0"
    if isinstance(first, ast.Number):
        rest = str(int(first.text) % step)
    else:
        value = ast.Group((ast.Binary("-", value, first, span=span),), span=span)
    left = ast.Binary(r"\bmod", value, ast.Number(str(step), span=span), span=span)
    return ast.Relation(("=",), (left, ast.Number(rest, span=span)), span=span)
