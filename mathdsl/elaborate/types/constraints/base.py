"""Constraints between shapes: each is solved once enough is known, or settled by a default at its stage.

Stages of defaults: 0 a value that plain numbers define is a number, the rows of `cases` have one shape; 1 the letter rule for inputs
and parameters in products; 2 what stands beside a known shape has that shape; 3 so have the conditions of `cases`, results of opaque
modules are vectors, a layer takes one example, and a recursion that begins with a number is made of numbers; 4 the letter rule for all
other arrays, and conditions of branches are scalars; 5 the least rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.types.shapes import Shape, expand
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import a_shape, show_shape, where_sizes_are
from mathdsl.spans import Span

STAGES = 6


@dataclass(eq=False)
class Constraint(ABC):
    """A relation between shapes, written at `span`."""

    span: Span
    is_solved: bool = field(default=False, init=False)

    def advance(self, types: Types) -> None:
        """Solve it if possible, else wait for one of its shapes to become known."""
        self.is_solved = self.solve(types)
        if not self.is_solved:
            for shape in self.shapes():
                rest = expand(shape).rest
                if rest is not None:
                    rest.watchers[self] = None

    @abstractmethod
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes it relates."""

    @abstractmethod
    def solve(self, types: Types) -> bool:
        """Solve it where enough is known; raises for a contradiction."""

    def settle(self, types: Types, stage: int) -> bool:
        """Decide something by the default of this stage; False where it has none."""
        return False


def vector(types: Types) -> Shape:
    return Shape((types.solver.fresh(),))


def matrix(types: Types) -> Shape:
    return Shape((types.solver.fresh(), types.solver.fresh()))


def mismatch(
    types: Types, span: Span, what: str, left: Shape, right: Shape, help: str = "", spans: tuple[Span | None, Span | None] = (None, None)
) -> Exception:
    """Two shapes that do not go together; `spans` are the operands' places where both have one of their own."""
    first, second = spans
    shapes = show_shape(types, left), show_shape(types, right)
    help = help or "check the sizes, or declare the shapes in a `where` table"
    if first is None or second is None or first == second:
        return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", span, labels=where_sizes_are(types, span, left, right), help=help)
    labels = (Label(first, f"this is {a_shape(shapes[0])}"), *where_sizes_are(types, span, left, right))
    return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", second, label=f"this is {a_shape(shapes[1])}", labels=labels, help=help)
