"""Constraints between shapes: each is solved once enough is known, or settled by a default at its stage.

Stages of defaults: 0 the rows of `cases` have one shape; 1 the letter rule for inputs and parameters in products; 2 what stands
beside a known shape has that shape; 3 results of opaque modules are vectors, and a layer takes one example; 4 the letter rule for all
other arrays, and conditions of branches are scalars; 5 the least rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names import is_capital
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import SCALAR, ElementUnknown, Shape, expand, find_element, rank_of, unify_elements
from mathdsl.elaborate.symbols import Role
from mathdsl.elaborate.terms import Ref
from mathdsl.elaborate.unit import Unit
from mathdsl.elaborate.written_shapes import show_shape
from mathdsl.ir.nodes import Element
from mathdsl.spans import Span

STAGES = 6


@dataclass(eq=False)
class Constraint(ABC):
    """A relation between shapes, written at `span`."""

    span: Span
    is_solved: bool = field(default=False, init=False)

    def advance(self, unit: Unit) -> None:
        """Solve it if possible, else wait for one of its shapes to become known."""
        self.is_solved = self.solve(unit)
        if not self.is_solved:
            for shape in self.shapes():
                rest = expand(shape).rest
                if rest is not None:
                    rest.watchers[self] = None

    @abstractmethod
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes it relates."""

    @abstractmethod
    def solve(self, unit: Unit) -> bool:
        """Solve it where enough is known; raises for a contradiction."""

    def settle(self, unit: Unit, stage: int) -> bool:
        """Decide something by the default of this stage; False where it has none."""
        return False


def vector(unit: Unit) -> Shape:
    return Shape((unit.sizes_solver.fresh(),))


def matrix(unit: Unit) -> Shape:
    return Shape((unit.sizes_solver.fresh(), unit.sizes_solver.fresh()))


def mismatch(
    unit: Unit, span: Span, what: str, left: Shape, right: Shape, help: str = "", spans: tuple[Span | None, Span | None] = (None, None)
) -> Exception:
    """Two shapes that do not go together; `spans` are the operands' places where both have one of their own."""
    first, second = spans
    shapes = show_shape(unit, left), show_shape(unit, right)
    help = help or "check the sizes, or declare the shapes in a `where` table"
    if first is None or second is None or first == second:
        return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", span, help=help)
    labels = (Label(first, f"this is {_a_shape(shapes[0])}"),)
    return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", second, label=f"this is {_a_shape(shapes[1])}", labels=labels, help=help)


def _a_shape(shown: str) -> str:
    match shown.count("×"):
        case 0:
            return "a scalar" if shown == "scalar" else f"a vector of size {shown}"
        case 1:
            return f"a matrix, {shown}"
        case _:
            return f"an array, {shown}"


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
    scales: bool = False  # the second operand is a divisor of undeclared names: one number, where nothing tells its shape

    def shapes(self) -> tuple[Shape, ...]:
        return (*self.operands, self.result)

    def solve(self, unit: Unit) -> bool:
        ranks = [rank_of(s) for s in self.operands]
        if all(r is not None for r in ranks):
            return self._unify(unit, [r for r in ranks if r is not None])
        if rank_of(self.result) == 0:
            return self._unify_all(unit)
        return False

    def _unify_all(self, unit: Unit) -> bool:
        for operand in self.operands:
            if not unit.shapes.unify(operand, SCALAR):
                raise mismatch(unit, self.span, "the value has another shape than is wanted", operand, SCALAR)
        return True

    def _unify(self, unit: Unit, ranks: list[int]) -> bool:
        rank = max(ranks, default=0)
        first = ranks.index(rank) if ranks else 0
        widest = self.operands[first] if ranks else SCALAR
        for operand, own, place in zip(self.operands, ranks, self.spans, strict=True):
            if own == 0 or operand is widest:
                continue
            if own == rank:
                fits = unit.shapes.unify(widest, operand)
            else:
                fits = self.allows_bias and own == 1 and unit.sizes_solver.unify(expand(widest).prefix[-1], expand(operand).prefix[0])
            if not fits:
                raise mismatch(unit, self.span, "the operands have different shapes", widest, operand, "", (self.spans[first], place))
        if not unit.shapes.unify(self.result, widest):
            raise mismatch(unit, self.span, "the value has another shape than is wanted", self.result, widest)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        if stage == 0 and self.op in ("cases", "branch"):
            return self._settle_rows(unit)
        if stage == 4 and self.op == "branch":
            decided = [unit.shapes.unify(s, SCALAR) for s in self.operands[: self.conditions] if rank_of(s) is None]
            return any(decided)
        if stage not in (2, 5):
            return False
        known = [s for s in (*self.operands, self.result) if (rank_of(s) or 0) > 0]
        if stage == 2 and not known:
            return False
        if stage == 5 and not known and not unit.is_function:
            self._refuse_open(unit)
        widest = max(known, key=lambda s: rank_of(s) or 0, default=SCALAR)
        changed = self.scales and rank_of(self.operands[1]) is None and unit.shapes.unify(self.operands[1], SCALAR)
        for operand, letter in zip(self.operands, self.letters, strict=True):
            if rank_of(operand) is None:
                changed |= unit.shapes.unify(operand, self._default(unit, widest, letter))
        return changed

    def _refuse_open(self, unit: Unit) -> None:
        """A function's arguments have the least ranks that its body needs; what a module is given or owns is declared."""
        if self.allows_bias and any(rank_of(s) == 0 and not k for s, k in zip(self.operands, self.literals, strict=True)):
            return  # what stands beside a scalar in a sum is one
        open_ones = [s for s in self.letters if s is not None and s.symbol.role is not Role.VALUE and rank_of(s.symbol.shape) is None]
        if open_ones:
            names = list(dict.fromkeys(s.symbol.latex for s in open_ones))
            shown = ", ".join(f"`{n}`" for n in names)
            raise refuse(
                "E0405",
                f"the shape of {shown} stays open" if len(names) == 1 else f"the shapes of {shown} stay open",
                open_ones[0].symbol.span if open_ones[0].symbol.span.file else self.span,
                label="",
                labels=(Label(self.span, "any shape fits here"),),
                help=rf"declare it, as in `{names[0]} \in \mathbb{{R}}^{{d}}`",
            )

    def _settle_rows(self, unit: Unit) -> bool:
        """A row of known shape says what the others have."""
        rows = self.operands[self.conditions :]
        known = [s for s in rows if rank_of(s) is not None]
        if not known:
            return False
        widest = max(known, key=lambda s: rank_of(s) or 0)
        changed = [unit.shapes.unify(s, widest) for s in rows if rank_of(s) is None]
        return any(changed)

    def _default(self, unit: Unit, widest: Shape, letter: Ref | None) -> Shape:
        """A lower-case letter beside a matrix in a sum is a bias, a vector; all else has the same shape."""
        is_bias = letter is not None and letter.symbol.role in (Role.PARAMETER, Role.BUFFER) and not is_capital(letter.symbol.spelling)
        if self.allows_bias and is_bias and (rank_of(widest) or 0) > 1:
            return Shape((expand(widest).prefix[-1],))
        return widest


@dataclass(eq=False)
class TransposeConstraint(Constraint):
    """A matrix with its axes exchanged; a vector stays (as a covector)."""

    body: Shape
    result: Shape

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
        return stage == 4 and unit.shapes.unify(self.body, matrix(unit))


@dataclass(eq=False)
class FlattenConstraint(Constraint):
    """The first axis merged into the last: `n` vectors of length `d` become one of length `n d`."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
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
        merged = Shape((*middle, unit.sizes_solver.value(count) * unit.sizes_solver.value(last)))
        if not unit.shapes.unify(self.result, merged):
            raise mismatch(unit, self.span, "the flattened list has another shape than is wanted", self.result, merged)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, matrix(unit))


@dataclass(eq=False)
class FoldConstraint(Constraint):
    """A reduction over the last axis."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        if rank == 0:
            raise refuse(
                "E0402", "a reduction of a scalar is asked for", self.span, help="apply it to a vector, or name the index it runs over"
            )
        return unit.shapes.unify(self.result, Shape(expand(self.body).prefix[:-1]))

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, vector(unit))


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


@dataclass(eq=False)
class GatherConstraint(Constraint):
    """`E[x]`: where the index is an array, so is the result."""

    index: Shape
    rest: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.index, self.rest, self.result

    def solve(self, unit: Unit) -> bool:
        index = expand(self.index)
        if index.rest is not None:
            return False
        rest = expand(self.rest)
        return unit.shapes.unify(self.result, Shape(index.prefix + rest.prefix, rest.rest))

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 2 and unit.shapes.unify(self.index, SCALAR)


@dataclass(eq=False)
class CrossEntropyConstraint(Constraint):
    """Logits have one axis more than the classes."""

    logits: Shape
    target: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.logits, self.target

    def solve(self, unit: Unit) -> bool:
        a, b = rank_of(self.logits), rank_of(self.target)
        if a is None and b is None:
            return False
        if a is None:
            target = expand(self.target).prefix
            return unit.shapes.unify(self.logits, Shape((*target, unit.sizes_solver.fresh())))
        axes = expand(self.logits).prefix
        if a == 0 or not unit.shapes.unify(self.target, Shape(axes[:-1])):
            raise mismatch(unit, self.span, "the classes need one axis fewer than the logits", self.logits, self.target)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.target, SCALAR)


@dataclass(eq=False)
class JoinElements:
    """The element type of arithmetic: integers become real where one operand is real."""

    operands: tuple[ElementUnknown | Element, ...]
    result: ElementUnknown | Element
    span: Span | None = None  # of arithmetic, whose result is no condition

    def solve(self) -> bool:
        """Find the result where enough is known."""
        found = [find_element(o) for o in self.operands]
        if Element.REAL in found:
            self._give(Element.REAL)
            return all(isinstance(f, Element) or f.leaning is not None for f in found)
        if all(f is Element.INTEGER or isinstance(f, ElementUnknown) and f.leaning is Element.INTEGER for f in found):
            if all(isinstance(f, ElementUnknown) for f in found):
                result = find_element(self.result)
                if isinstance(result, ElementUnknown):
                    result.leaning = Element.INTEGER
                return True
            self._give(Element.INTEGER)
            return True
        return all(isinstance(f, Element) for f in found)

    def settle(self) -> None:
        """Nothing tells: what is no literal is real."""
        for operand in self.operands:
            if isinstance(found := find_element(operand), ElementUnknown) and found.leaning is None:
                found.bound = Element.REAL

    def _give(self, element: Element) -> None:
        result = find_element(self.result)
        if isinstance(result, ElementUnknown):
            unify_elements(result, element)
