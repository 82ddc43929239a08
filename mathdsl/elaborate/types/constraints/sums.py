"""Operands of elementwise operations, and the rows of `cases`: one shape, or scalars."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings.products import INNER_PRODUCT_IN_A_SUM, OUTER_PRODUCT_BESIDE_A_NUMBER
from mathdsl.elaborate.names.names import is_capital, is_number_letter
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.terms.terms import Ref
from mathdsl.elaborate.types.constraints.base import Constraint, mismatch
from mathdsl.elaborate.types.constraints.letters import is_row, read_as_number, read_by_letter
from mathdsl.elaborate.types.shapes import SCALAR, Shape, expand, rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import as_declared
from mathdsl.spans import Span


@dataclass(eq=False)
class SumConstraint(Constraint):
    """Operands of an elementwise operation: the same shape, or scalars; in sums a vector goes with each element of a sequence."""

    operands: tuple[Shape, ...]
    result: Shape
    letters: tuple[Ref | None, ...]
    allows_bias: bool
    op: str
    spans: tuple[Span, ...]
    literals: tuple[bool, ...] = ()  # which operands are numbers written out
    conditions: int = 0  # of `cases`: how many of the first operands are conditions
    has_number: bool = False  # of `cases`: whether a row is a number other than 0, which may stand for an array of zeros
    scales: bool = False  # the second operand is a divisor of undeclared names: one number, where nothing tells its shape

    def shapes(self) -> tuple[Shape, ...]:
        return (*self.operands, self.result)

    def solve(self, types: Types) -> bool:
        ranks = [rank_of(s) for s in self.operands]
        if all(r is not None for r in ranks):
            return self._unify(types, [r for r in ranks if r is not None])
        if rank_of(self.result) == 0:
            return self._unify_all(types)
        return False

    def _unify_all(self, types: Types) -> bool:
        for operand in self.operands:
            if not types.shapes.unify(operand, SCALAR):
                raise mismatch(types, self.span, "the value has another shape than is wanted", operand, SCALAR)
        return True

    def _unify(self, types: Types, ranks: list[int]) -> bool:
        rank = max(ranks, default=0)
        first = ranks.index(rank) if ranks else 0
        widest = self.operands[first] if ranks else SCALAR
        for operand, own, place in zip(self.operands, ranks, self.spans, strict=True):
            if own == 0 or operand is widest:
                continue
            if own == rank and self.allows_bias and len(self.operands) == 2:
                widest, fits = self._stretched(types, widest, operand)
            elif own == rank:
                fits = types.shapes.unify(widest, operand)
            else:
                fits = self.allows_bias and own == 1 and types.solver.unify(expand(widest).prefix[-1], expand(operand).prefix[0])
            if not fits:
                raise mismatch(types, self.span, "the operands have different shapes", widest, operand, "", (self.spans[first], place))
        if not types.shapes.unify(self.result, widest):
            raise mismatch(types, self.span, "the value has another shape than is wanted", self.result, widest)
        return True

    @staticmethod
    def _stretched(types: Types, left: Shape, right: Shape) -> tuple[Shape, bool]:
        """The shape that both operands have, where an axis of one of them, of extent 1, goes with each element of the other's."""
        sizes = [[types.solver.value(size) for size in expand(shape).prefix] for shape in (left, right)]
        short = [{k for k, size in enumerate(own) if size.constant == 1 != other[k].constant} for own, other in (sizes, sizes[::-1])]
        if not any(short) or all(short):
            return left, types.shapes.unify(left, right)
        whole = Shape(tuple(sizes[0][k] if k in short[1] else size for k, size in enumerate(sizes[1])))
        kept = [k for k in range(len(sizes[0])) if k not in short[0] | short[1]]
        return whole, all(types.solver.unify(sizes[0][k], sizes[1][k]) for k in kept)

    def settle(self, types: Types, stage: int) -> bool:
        if stage == 0 and self.op in ("cases", "branch"):
            return self._settle_rows(types)
        if stage == 1 and {rank_of(s) for s in self.operands} == {0, None}:  # `\epsilon` beside a number, whatever is made of the sum
            given = ((s, one) for s, one in zip(self.operands, self.letters) if one and one.symbol.role is not Role.VALUE)
            return any(rank_of(shape) is None and read_as_number(types, shape, letter) for shape, letter in given)
        if stage == 3 and self.has_number and self._only_repeats():
            return types.shapes.unify(self.result, SCALAR)
        if stage == 4 and self.op == "branch":
            decided = [types.shapes.unify(s, SCALAR) for s in self.operands[: self.conditions] if rank_of(s) is None]
            return any(decided)
        if stage not in (2, 5) and not (stage == 3 and self.op == "cases"):
            return False
        known = [s for s in (*self.operands, self.result) if (rank_of(s) or 0) > 0]
        if stage != 5 and not known:
            return False
        if stage == 5 and not known and not types.written.is_function:
            if any(read_by_letter(types, s, one) for s, one in zip(self.operands, self.letters, strict=True) if one and is_row(one)):
                return True
            self._refuse_open(types)
        widest = max(known, key=lambda s: rank_of(s) or 0, default=SCALAR)
        changed = self.scales and rank_of(self.operands[1]) is None and types.shapes.unify(self.operands[1], SCALAR)
        # a branch's condition is a number's, and says nothing of its rows; what rows tell of each other may tell that of `cases`, too
        first = self.conditions if self.op == "branch" or stage == 2 else 0
        for operand, letter in zip(self.operands[first:], self.letters[first:], strict=True):
            if rank_of(operand) is None:
                changed |= types.shapes.unify(operand, self._default(types, widest, letter))
        return changed

    def _refuse_open(self, types: Types) -> None:
        """A function's arguments have the least ranks that its body needs; what a module is given or owns is declared."""
        if self.allows_bias and any(rank_of(s) == 0 and not k for s, k in zip(self.operands, self.literals, strict=True)):
            return  # what stands beside a scalar in a sum is one
        open_ones = [s for s in self.letters if s is not None and s.symbol.role is not Role.VALUE and rank_of(s.symbol.shape) is None]
        if open_ones:
            names = list(dict.fromkeys(f"`{s.symbol.latex}`" for s in open_ones))
            raise refuse(
                "E0405",
                f"the shape{'s' if len(names) > 1 else ''} of {', '.join(names)} stay{'s' if len(names) == 1 else ''} open",
                open_ones[0].symbol.span if open_ones[0].symbol.span.file else self.span,
                label="",
                labels=(Label(self.span, "any shape fits here"),),
                help=f"declare it, as in `{as_declared(types, open_ones[0].symbol)}`",
            )

    def _settle_rows(self, types: Types) -> bool:
        """A row of known shape says what the others have."""
        rows = self.operands[self.conditions :]
        known = [s for s in rows if rank_of(s) is not None]
        widest = max(known, key=lambda s: rank_of(s) or 0, default=None)
        changed = [types.shapes.unify(s, widest) for s in rows if widest is not None and rank_of(s) is None]
        return any(changed)

    def _only_repeats(self) -> bool:
        """Whether the shape is open, and every row but numbers has it anyway: `f_k` is `1`, then `w_k f_{k-1}`."""
        result = expand(self.result)
        return result.rest is not None and all(expand(row) == result for row in self.operands[self.conditions :])

    def _default(self, types: Types, widest: Shape, letter: Ref | None) -> Shape:
        r"""A lower-case letter beside a matrix in a sum is a bias, an undeclared `\epsilon` a number; all else has the same shape."""
        if letter is not None and letter.symbol.is_undeclared and is_number_letter(letter.symbol.spelling):
            return SCALAR
        is_bias = letter is not None and letter.symbol.role in (Role.PARAMETER, Role.BUFFER) and not is_capital(letter.symbol.spelling)
        if self.allows_bias and is_bias and (rank_of(widest) or 0) > 1:
            return Shape((expand(widest).prefix[-1],))
        return widest


@dataclass(eq=False)
class BareProductConstraint(Constraint):
    r"""A term `a \cdot b` of a sum: beside a vector an inner product is refused, since a reader may mean the elementwise one."""

    left: Shape
    right: Shape
    total: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.left, self.right, self.total

    def solve(self, types: Types) -> bool:
        ranks = [rank_of(shape) for shape in self.shapes()]
        if any(rank is None for rank in ranks):
            return False
        if ranks[0] == ranks[1] == 1 and ranks[2] != 0:
            raise undecided(INNER_PRODUCT_IN_A_SUM, self.span, label="an inner product, or elementwise?")
        return True

    def settle(self, types: Types, stage: int) -> bool:
        return False


@dataclass(eq=False)
class OuterProductConstraint(Constraint):
    r"""A term `p_u q_i^\top` of a sum, of two rows of matrices: beside a number it is refused, since a reader means the inner product."""

    left: Shape
    right: Shape
    beside: Shape
    names: tuple[Ref | None, Ref | None]

    def shapes(self) -> tuple[Shape, ...]:
        return self.left, self.right, self.beside

    def solve(self, types: Types) -> bool:
        ranks = [rank_of(shape) for shape in self.shapes()]
        if ranks == [1, 1, 0] and all(name is not None and name.positions for name in self.names):
            raise undecided(OUTER_PRODUCT_BESIDE_A_NUMBER, self.span, label="an inner or an outer product?")
        return all(rank is not None for rank in ranks)

    def settle(self, types: Types, stage: int) -> bool:
        return False


@dataclass(eq=False)
class FirstValueConstraint(Constraint):
    r"""A scalar as the first element of a family, `v_0 \gets \tau`: where the elements are vectors, it is each of theirs."""

    element: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.element,)

    def solve(self, types: Types) -> bool:
        return rank_of(self.element) is not None
