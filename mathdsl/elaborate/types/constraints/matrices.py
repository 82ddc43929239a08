"""What is asked of vectors and matrices: transposes, powers, norms."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.products import MATRICES_BEFORE_A_VECTOR
from mathdsl.diagnostics.readings.types import (
    BARS_AROUND_A_MATRIX,
    BARS_AROUND_A_VECTOR,
    EXPONENTIAL_OF_A_MATRIX,
)
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.terms.terms import Ref
from mathdsl.elaborate.types.constraints.base import Constraint, matrix, mismatch, vector
from mathdsl.elaborate.types.constraints.letters import read_by_letter
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, rank_of
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape


@dataclass(eq=False)
class TransposeConstraint(Constraint):
    """A matrix with its axes exchanged; a vector stays (as a covector)."""

    body: Shape
    result: Shape
    letter: Ref | None

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        axes = expand(self.body).prefix
        if rank > 2:
            raise mismatch(types, self.span, "only a vector or a matrix can be transposed", self.body, self.body)
        return types.shapes.unify(self.result, Shape(tuple(reversed(axes)))) or self._fail(types)

    def _fail(self, types: Types) -> bool:
        raise mismatch(types, self.span, "the transpose has another shape than is wanted", self.result, self.body)

    def settle(self, types: Types, stage: int) -> bool:
        if self.letter is None:
            return stage == 4 and types.shapes.unify(self.body, matrix(types))
        return stage == (4 if self.letter.symbol.role is Role.VALUE else 1) and read_by_letter(types, self.body, self.letter)


@dataclass(eq=False)
class ExponentConstraint(Constraint):
    """What `e` has as its exponent: no square matrix, of which it can be the exponential."""

    exponent: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.exponent,)

    def solve(self, types: Types) -> bool:
        sizes = [types.solver.value(size) for size in expand(self.exponent).prefix]
        if rank_of(self.exponent) == 2 and sizes[0] == sizes[1]:
            raise undecided(EXPONENTIAL_OF_A_MATRIX, self.span)
        return rank_of(self.exponent) is not None

    def settle(self, types: Types, stage: int) -> bool:
        return False


@dataclass(eq=False)
class SquareConstraint(Constraint):
    """What has an integer power, or is multiplied over an index: a square matrix, or anything that is no matrix."""

    base: Shape
    is_power: bool = True

    def shapes(self) -> tuple[Shape, ...]:
        return (self.base,)

    def solve(self, types: Types) -> bool:
        if rank_of(self.base) == 2 and not types.solver.unify(*expand(self.base).prefix):
            kind = "matrix has a power, and this is" if self.is_power else "matrices have a product over an index, and these are"
            advice = r"take the product of elements, `\prod_{k=1}^{n} A_{k,i,j}`, for the elementwise one"
            if self.is_power:
                advice = r"write `A \odot A` for the squares of its elements, or take the power of an element, `A_{i,j}^{2}`"
            raise refuse("E0401", f"only {'a ' * self.is_power}square {kind} {show_shape(types, self.base)}", self.span, help=advice)
        return rank_of(self.base) is not None

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5 and types.shapes.unify(self.base, SCALAR)


@dataclass(eq=False)
class BodyConstraint(Constraint):
    r"""What is multiplied over an index and is itself a product: no matrix with a vector, `\prod_k A_k x`."""

    body: Shape
    factors: tuple[Shape, ...]

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body, *self.factors)

    def solve(self, types: Types) -> bool:
        if rank_of(self.body) == 1 and any(rank_of(factor) == 2 for factor in self.factors):
            raise undecided(MATRICES_BEFORE_A_VECTOR, self.span)
        return all(rank_of(shape) is not None for shape in self.shapes())

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5


@dataclass(eq=False)
class NumberConstraint(Constraint):
    """What bars stand around: a number, since around a vector they can be three things."""

    body: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        if rank:
            shape = show_shape(types, self.body)
            if rank == 1:
                raise undecided(BARS_AROUND_A_VECTOR, self.span, what=f"this vector ({shape})", inner="x")
            raise undecided(BARS_AROUND_A_MATRIX, self.span, what=f"this array ({shape})", inner="X")
        return rank == 0

    def settle(self, types: Types, stage: int) -> bool:
        return stage == 5 and types.shapes.unify(self.body, SCALAR)


@dataclass(eq=False)
class RowOfNumbersConstraint(Constraint):
    r"""How long `\mathbf{1}^\top` is: what stands beside it tells."""

    row: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.row,)

    def solve(self, types: Types) -> bool:
        return not self._is_open(types)

    def _is_open(self, types: Types) -> bool:
        return any(is_unknown(name) for size in expand(self.row).prefix for name in types.solver.value(size).names)

    def settle(self, types: Types, stage: int) -> bool:
        if stage == 5 and self._is_open(types):
            help = r"declare the symbol that the value is given to, or write the length, as in `(\mathbf{1}_{n})^\top`"
            raise refuse("E0405", "nothing tells how long this row is", self.span, help=help)
        self.is_solved = not self._is_open(types)
        return False


@dataclass(eq=False)
class VectorConstraint(Constraint):
    """What a norm is taken of: a vector, unless the norm says `_F`."""

    body: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        if rank is None or rank == 1:
            return rank == 1
        what = "a scalar" if rank == 0 else f"an array of {rank} axes ({show_shape(types, self.body)})"
        help = r"write `|x|` for the absolute value" if rank == 0 else r"write `\lVert A \rVert_F` for the root of the sum of all squares"
        raise refuse("E0401", f"this norm is one of vectors, and it stands around {what}", self.span, help=help)

    def settle(self, types: Types, stage: int) -> bool:
        """A vector; in a function before sums of its arguments have the least rank."""
        return stage == (4 if types.written.is_function else 5) and types.shapes.unify(self.body, vector(types))
