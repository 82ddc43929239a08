"""Selections that fill padding, `x[t] if t within S′ else 0.0`: an example's own part of an axis, and what stands beyond it."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Apply, Element, Expr, IndexValue, Select
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.ir.traversal import element_of


@dataclass(frozen=True, slots=True)
class OwnPart:
    """`index <= bound`, which holds where an example fills its padding."""

    index: Poly
    bound: Poly

    @property
    def size(self) -> str:
        """The size whose own value the bound moves with."""
        return next(name.size for name in self.bound.ordered_names if isinstance(name, OwnSize))


def padded(body: Expr, index: Poly, bound: Poly, fill: Expr) -> Select:
    """The body in each example's own part, the fill beyond it."""
    condition = Apply("within", (IndexValue(index), IndexValue(bound)), Element.BOOLEAN)
    return Select(condition, body, fill, element_of(body))


def own_part(expr: Expr) -> OwnPart | None:
    """The part of an axis that a selection leaves as it is; None of what fills no padding."""
    match expr:
        case Select(condition=Apply(op="within", arguments=(IndexValue(value=index), IndexValue(value=bound)))):
            return OwnPart(index, bound)
        case _:
            return None
