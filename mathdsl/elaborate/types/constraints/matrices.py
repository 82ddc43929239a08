"""What is asked of vectors and matrices: transposes, powers, norms."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.diagnostics.readings import types
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.terms.elements import element_or_power
from mathdsl.elaborate.terms.terms import Ref
from mathdsl.elaborate.types.constraints.base import Constraint, matrix, mismatch, vector
from mathdsl.elaborate.types.constraints.letters import read_by_letter
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, rank_of
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.elaborate.unit import Unit


@dataclass(eq=False)
class TransposeConstraint(Constraint):
    """A matrix with its axes exchanged; a vector stays (as a covector)."""

    body: Shape
    result: Shape
    letter: Ref | None

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        axes = expand(self.body).prefix
        if rank > 2:
            raise mismatch(unit, self.span, "only a vector or a matrix can be transposed", self.body, self.body)
        return unit.shapes.unify(self.result, Shape(tuple(reversed(axes)))) or self._fail(unit)

    def _fail(self, unit: Unit) -> bool:
        raise mismatch(unit, self.span, "the transpose has another shape than is wanted", self.result, self.body)

    def settle(self, unit: Unit, stage: int) -> bool:
        if self.letter is None:
            return stage == 4 and unit.shapes.unify(self.body, matrix(unit))
        return stage == (4 if self.letter.symbol.role is Role.VALUE else 1) and read_by_letter(unit, self.body, self.letter)


@dataclass(eq=False)
class ElementConstraint(Constraint):
    r"""An element with a superscript that a matrix may have: `A_{1,2}^\top` can be one of `A^\top`, `A_{1,2}^{-1}` one of the inverse."""

    body: Shape
    symbol: Symbol
    sign: str

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        sizes = [unit.sizes_solver.value(size) for size in expand(self.symbol.shape).prefix]
        if rank == 0 and (self.sign == r"\top" or len(sizes) == 2 and sizes[0] == sizes[1]):
            row = types.ELEMENT_OF_A_TRANSPOSE if self.sign == r"\top" else types.ELEMENT_OF_AN_INVERSE
            raise undecided(row, self.span, name=self.symbol.latex, sign=self.sign)
        return rank is not None

    def settle(self, unit: Unit, stage: int) -> bool:
        return False


@dataclass(eq=False)
class ExponentConstraint(Constraint):
    """What `e` has as its exponent: no square matrix, of which it can be the exponential."""

    exponent: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.exponent,)

    def solve(self, unit: Unit) -> bool:
        sizes = [unit.sizes_solver.value(size) for size in expand(self.exponent).prefix]
        if rank_of(self.exponent) == 2 and sizes[0] == sizes[1]:
            raise undecided(types.EXPONENTIAL_OF_A_MATRIX, self.span)
        return rank_of(self.exponent) is not None

    def settle(self, unit: Unit, stage: int) -> bool:
        return False


@dataclass(eq=False)
class SquareConstraint(Constraint):
    """What has an integer power: a square matrix, or anything that is no matrix."""

    base: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.base,)

    def solve(self, unit: Unit) -> bool:
        if rank_of(self.base) == 2 and not unit.sizes_solver.unify(*expand(self.base).prefix):
            raise refuse(
                "E0401",
                f"only a square matrix has a power, and this is {show_shape(unit, self.base)}",
                self.span,
                help=r"write `A \odot A` for the squares of its elements, or take the power of an element, `A_{i,j}^{2}`",
            )
        return rank_of(self.base) is not None

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.base, SCALAR)


@dataclass(eq=False)
class IndexedPowerConstraint(Constraint):
    """What has an index variable as its superscript and no axis for it: no vector, since `v^k` would be an element for most readers."""

    base: Shape
    symbol: Symbol
    name: str
    index: str

    def shapes(self) -> tuple[Shape, ...]:
        return (self.base,)

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.base)
        if rank is None or rank in (0, 2):  # that of a matrix is the matrix power
            return rank is not None
        shape = show_shape(unit, self.base)
        raise undecided(types.INDEX_OR_POWERS, self.span, name=self.name, shape=shape, index=self.index)

    def settle(self, unit: Unit, stage: int) -> bool:
        if stage == 4 and not unit.written.is_function and self.symbol.role is not Role.VALUE and rank_of(self.base) is None:
            raise element_or_power(self.name, self.span, self.index)
        return False


@dataclass(eq=False)
class NumberConstraint(Constraint):
    """What bars stand around: a number, since around a vector they can be three things."""

    body: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank:
            shape = show_shape(unit, self.body)
            if rank == 1:
                raise undecided(types.BARS_AROUND_A_VECTOR, self.span, what=f"this vector ({shape})", inner="x")
            raise undecided(types.BARS_AROUND_A_MATRIX, self.span, what=f"this array ({shape})", inner="X")
        return rank == 0

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, SCALAR)


@dataclass(eq=False)
class RowOfNumbersConstraint(Constraint):
    r"""How long `\mathbf{1}^\top` is: what stands beside it tells."""

    row: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.row,)

    def solve(self, unit: Unit) -> bool:
        return not self._is_open(unit)

    def _is_open(self, unit: Unit) -> bool:
        return any(is_unknown(name) for size in expand(self.row).prefix for name in unit.sizes_solver.value(size).names)

    def settle(self, unit: Unit, stage: int) -> bool:
        if stage == 5 and self._is_open(unit):
            help = r"declare the symbol that the value is given to, or write the length, as in `(\mathbf{1}_{n})^\top`"
            raise refuse("E0405", "nothing tells how long this row is", self.span, help=help)
        self.is_solved = not self._is_open(unit)
        return False


@dataclass(eq=False)
class VectorConstraint(Constraint):
    """What a norm is taken of: a vector, unless the norm says `_F`."""

    body: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None or rank == 1:
            return rank == 1
        what = "a scalar" if rank == 0 else f"an array of {rank} axes ({show_shape(unit, self.body)})"
        help = r"write `|x|` for the absolute value" if rank == 0 else r"write `\lVert A \rVert_F` for the root of the sum of all squares"
        raise refuse("E0401", f"this norm is one of vectors, and it stands around {what}", self.span, help=help)

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, vector(unit))
