"""Axes that are merged, reduced, looked up or compared with classes."""

from __future__ import annotations

from collections.abc import Callable

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.types import REDUCTION_OF_A_MATRIX
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.types.constraints.base import Constraint, matrix, mismatch, vector
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ops import ALONG


@dataclass(eq=False)
class FlattenConstraint(Constraint):
    """The first axis merged into the last: `n` vectors of length `d` become one of length `n d`."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        if rank < 2:
            raise refuse(
                "E0402",
                "a list of arrays is flattened, and these are scalars",
                self.span,
                help=r"write `\cat{a_1, \dots, a_n}` for scalars",
            )
        count, *middle, last = expand(self.body).prefix
        merged = Shape((*middle, types.solver.value(count) * types.solver.value(last)))
        if not types.shapes.unify(self.result, merged):
            raise mismatch(types, self.span, "the flattened list has another shape than is wanted", self.result, merged)
        return True

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5 and types.shapes.unify(self.body, matrix(types))


@dataclass(eq=False)
class FoldConstraint(Constraint):
    """A reduction over the last axis."""

    body: Shape
    result: Shape
    in_function: bool

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        if rank == 0:
            raise refuse(
                "E0402", "a reduction of a scalar is asked for", self.span, help="apply it to a vector, or name the index it runs over"
            )
        if rank > 1 and not self.in_function:
            raise undecided(REDUCTION_OF_A_MATRIX, self.span, shape=show_shape(types, self.body))
        found = Shape(expand(self.body).prefix[:-1])
        if not types.shapes.unify(self.result, found):
            raise mismatch(types, self.span, "the reduction has another shape than is wanted", self.result, found)
        return True

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5 and types.shapes.unify(self.body, vector(types))


@dataclass(eq=False)
class AlongConstraint(Constraint):
    """What goes along the last axis: there is one."""

    body: Shape
    op: str

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, types: Types) -> bool:
        if rank_of(self.body) == 0:
            name = self.op.replace("_", " ")
            example = rf"\operatorname{{{ALONG[self.op].notations[0]}}}_{{j}}(z_{{i,j}})"
            advice = f"name the index that it goes over, as in `{example}`, or apply it to a vector"
            raise refuse("E0402", f"the {name} of a number is asked for", self.span, help=advice)
        return bool(expand(self.body).prefix)

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 0 and bool(types.shapes.split(self.body, 1).prefix)


@dataclass(eq=False)
class GatherConstraint(Constraint):
    """`E[x]`: where the index is an array, so is the result."""

    index: Shape
    rest: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.index, self.rest, self.result

    def solve(self, types: Types) -> bool:
        index = expand(self.index)
        if index.rest is not None:
            return False
        rest = expand(self.rest)
        found = Shape(index.prefix + rest.prefix, rest.rest)
        if not types.shapes.unify(self.result, found):
            raise mismatch(types, self.span, "what is read here has another shape than is wanted", self.result, found)
        return True

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 2 and rank_of(self.index) is None and types.shapes.unify(self.index, SCALAR)


@dataclass(eq=False)
class CrossEntropyConstraint(Constraint):
    """Logits have one axis more than the classes, which `take_base` says that they index."""

    logits: Shape
    target: Shape
    take_base: Callable[[], None]

    def shapes(self) -> tuple[Shape, ...]:
        return self.logits, self.target

    def solve(self, types: Types) -> bool:
        a, b = rank_of(self.logits), rank_of(self.target)
        if a is None and b is None:
            return False
        if a is None:
            target = expand(self.target).prefix
            return types.shapes.unify(self.logits, Shape((*target, types.solver.fresh()))) and self.solve(types)
        axes = expand(self.logits).prefix
        if a == 0 or not types.shapes.unify(self.target, Shape(axes[:-1])):
            raise mismatch(types, self.span, "the classes need one axis fewer than the logits", self.logits, self.target)
        self.take_base()
        return True

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5 and types.shapes.unify(self.target, SCALAR)
