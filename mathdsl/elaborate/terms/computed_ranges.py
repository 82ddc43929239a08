r"""Ranges of sums whose ends are computed from values or other indices, as conditions on an index that runs over a range of sizes.

\sum_{j=1}^{n_i} x_{i,j}                       j = 1, …, the end of the axis, where j \leq n_i, which is inside of the axis
\sum_{j=\max(1, i-k)}^{\min(n, i+k)} x_j       j = 1, …, n, where i - k \leq j and j \leq i + k
\sum_{k=1}^{2^i} f(k) in a loop i = 1, …, n    k = 1, …, 2^n, where k \leq 2^i
"""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.terms.bounds import extreme, is_nonnegative
from mathdsl.elaborate.terms.elements import has_value
from mathdsl.elaborate.terms.indices import as_poly, computed_bound, name_of, power_of
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Binder, Elementwise, Need, SizeTerm
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


@dataclass(frozen=True)
class ComputedRange:
    """The index of a sum, the ends of its range that are sizes, its conditions, and the ends that have to lie on the axis of the index.

    `bounds`: what holds all that the index is, where powers end the range and an axis need not.
    """

    name: ast.Expression
    lower: ast.Expression | None
    upper: ast.Expression | None
    conditions: list[ast.Expression]
    first: ast.Expression | None
    last: ast.Expression | None
    bounds: Range | None = None

    @property
    def binding(self) -> ast.Expression:
        """The range by what is known of it."""
        match self.lower, self.upper:
            case None, _:
                return self.name
            case lower, None:
                return ast.Relation(("=",), (self.name, lower), span=self.name.span)
            case lower, upper:
                items = ast.ListDisplay((lower, ast.Dots(span=upper.span), upper), span=self.name.span)
                return ast.Relation(("=",), (self.name, items), span=self.name.span)

    def binder(self, reader: Reader, written: ast.Expression) -> Binder | None:
        """The index over all that it may be; refuses what is computed and has no bounds."""
        if self.bounds is not None:
            return reader.binder(name_of(self.name), self.bounds, self.name.span)
        if (error := computed_bound(reader, written)) is not None:
            raise error
        return None

    def needs(self, reader: Reader, binder: Binder) -> tuple[Need, ...]:
        """That the ends which are computed lie on the axis of the index; nothing where they are within sizes."""
        bounds = binder.range
        held = [
            Elementwise("less_equal", tuple(pair[:: 1 if end is self.first else -1]), span=end.span)
            for end, side in ((self.first, bounds.lower), (self.last, bounds.upper))
            if end is not None and (pair := (SizeTerm(side, span=end.span), reader.resolve(end)))
        ]
        shown = " and ".join(render_expression(end) for end in (self.first, self.last) if end is not None)
        if not held:
            return ()
        holds = held[0] if len(held) == 1 else Elementwise("and", (held[0], held[1]), span=held[0].span)
        text = f"{shown} {'lies' if len(held) == 1 else 'lie'} on the axis of {render_expression(self.name)}"
        return (Need(holds, text, "this range goes beyond the axis of its index", r"end it at the axis, by `\min`"),)


def computed_range(reader: Reader, subscript: ast.Expression) -> ComputedRange | None:
    """A range of which an end is computed; None for every other one."""
    match subscript:
        case ast.Relation(
            operators=("=" | r"\in",),
            operands=(name, ast.ListDisplay(items=(lower, ast.Dots(), upper)) | ast.SetDisplay(items=(lower, ast.Dots(), upper))),
        ):
            pass
        case ast.Relation(operators=(r"\leq", r"\leq"), operands=(lower, name, upper)):
            pass
        case _:
            return None
    word = word_of(name)
    if word is None or has_value(reader, word) or all(as_poly(reader, end, True) is not None for end in (lower, upper)):
        return None
    low, above = _parted(reader, lower, r"\max")
    high, below = _parted(reader, upper, r"\min")
    conditions: list[ast.Expression] = [ast.Relation((r"\leq",), (end, name), span=end.span) for end in above]
    conditions += [ast.Relation((r"\leq",), (name, end), span=end.span) for end in below]
    least, greatest = (_outermost(reader, end, sign) for end, sign in ((lower, -1), (upper, 1)))
    bounds = None if least is None or greatest is None else Range(least, greatest)
    return ComputedRange(name, low, high, conditions, lower if low is None else None, upper if high is None else None, bounds)


def _outermost(reader: Reader, end: ast.Expression, sign: int) -> Poly | None:
    r"""The greatest (least) that `2^{i-1}` is for the indices around, as a size; None for what is no sum of powers and sizes."""
    if (size := as_poly(reader, end, True)) is not None:
        return extreme(reader.types.solver.value(size), reader.binders, sign > 0)
    match end:
        case ast.Group(items=(inner,)):
            return _outermost(reader, inner, sign)
        case ast.Binary(operator="+" | "-" as operator, left=left, right=right):
            first, second = _outermost(reader, left, sign), _outermost(reader, right, sign if operator == "+" else -sign)
            return None if first is None or second is None else first + second if operator == "+" else first - second
        case (
            ast.Juxtaposition(factors=(ast.Number(text=text), factor))
            | ast.Binary(operator=r"\cdot" | r"\times", left=ast.Number(text=text), right=factor)
        ) if text.isdigit():
            found = _outermost(reader, factor, sign)
            return None if found is None else found * int(text)
        case ast.Scripts(base=ast.Number(text=text), subscripts=(), superscript=above) if above is not None and text.isdigit():
            exponent = as_poly(reader, above)
            ends = (
                [] if exponent is None else [extreme(reader.types.solver.value(exponent), reader.binders, is_up) for is_up in (False, True)]
            )
            if not ends or ends[0] is None or ends[1] is None or not is_nonnegative(ends[0]):
                return None
            return power_of(reader, int(text), ends[max(sign, 0)] or ends[0], end.span)
        case _:
            return None


def _parted(reader: Reader, end: ast.Expression, word: str) -> tuple[ast.Expression | None, list[ast.Expression]]:
    r"""The part of `\max(1, i - k)` that is a size, and the others, which are conditions."""
    match end:
        case ast.Juxtaposition(factors=(ast.Identifier(text=text), ast.Group(items=items) | ast.SetDisplay(items=items))) if text == word:
            parts = items
        case _:
            parts = (end,)
    sizes = ((part, as_poly(reader, part, True)) for part in parts)
    fixed = next((part for part, size in sizes if size is not None and size.names.isdisjoint(reader.entries.axis_names)), None)
    return fixed, [part for part in parts if part is not fixed]
