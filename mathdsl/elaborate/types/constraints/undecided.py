r"""What scripts and parentheses leave to types: what a superscript is of, `A^\\top_{1,2}`, and whether `x(i)` is an element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.names import ELEMENT_OR_PRODUCT
from mathdsl.diagnostics.readings.types import ELEMENT_OF_A_POWER, ELEMENT_OF_A_TRANSPOSE, ELEMENT_OF_AN_INVERSE, INDEX_OR_POWERS
from mathdsl.elaborate.names.classify import Application, Superscript, Undecided
from mathdsl.elaborate.names.names import Name, is_array_letter, readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.elements import element_or_power
from mathdsl.elaborate.terms.terms import Ref
from mathdsl.elaborate.types.constraints.base import STAGES, Constraint
from mathdsl.elaborate.types.shapes import Shape, expand, find_element, rank_of
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def decide(
    what: Undecided, read: Ref, shape: Shape, span: Span, *, is_inverse: bool = False, arguments: Sequence[tuple[Ref, Shape]] = ()
) -> Iterator[Constraint]:
    """What tells the reading of a superscript on an array, or of an array before a parenthesis, in which `arguments` stand."""
    match what:
        case Superscript():
            yield from _of_superscript(what, read, shape, span, is_inverse)
        case Application():
            yield ApplicationConstraint(what.argument.span, shape, what, arguments)
        case _:
            assert_never(what)


def _of_superscript(what: Superscript, read: Ref, shape: Shape, span: Span, is_inverse: bool) -> Iterator[Constraint]:
    is_transpose = what.kind == "transpose"
    if what.letters and what.name is not None:
        yield IndexedPowerConstraint(span, shape, read.symbol, render_expression(what.name), what.letters[0])
    if (is_transpose or is_inverse) and not read.bracketed and len(read.positions) > 1:
        yield ElementConstraint(span, shape, read.symbol, r"\top" if is_transpose else "-1")
    if what.is_before and len(read.positions) == 2 and is_array_letter(read.symbol.spelling):
        takes_several = any(not isinstance(position, Poly) for position in read.positions)
        if takes_several if is_transpose else isinstance(what.written, (ast.Number, ast.Identifier)):
            yield MatrixConstraint(span, read.symbol.shape, read.symbol, what)


@dataclass(eq=False)
class ApplicationConstraint(Constraint):
    """What stands before an index in parentheses: a number, since of an array the element could be meant."""

    array: Shape
    application: Application
    arguments: Sequence[tuple[Ref, Shape]]

    def shapes(self) -> tuple[Shape, ...]:
        return (self.array, *(shape for _, shape in self.arguments))

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.array)
        if not rank:
            return rank is not None
        if not self.application.is_index:
            counts = [_counts(read.symbol, shape) for read, shape in self.arguments]
            if not counts or not all(counts):
                return None not in counts or False in counts
        name, element = render_expression(self.application.array), render_expression(self.application.element)
        index = render_expression(self.application.argument.items[0])
        raise undecided(ELEMENT_OR_PRODUCT, self.span, name=name, index=index, element=element)

    def settle(self, types: Types, stage: int) -> bool:
        self.is_solved = stage == STAGES - 1
        return False


def _counts(symbol: Symbol, shape: Shape) -> bool | None:
    r"""Whether an integer may be an index: one number, and no choice as one of `\{0, 1\}` is; None where nothing is known yet."""
    rank, element, within = rank_of(shape), find_element(symbol.element), symbol.value_range
    if rank is None or not isinstance(element, Element):
        return None
    return rank == 0 and element is Element.INTEGER and (within is None or (within.lower, within.upper) != (Poly.of(0), Poly.of(1)))


@dataclass(eq=False)
class MatrixConstraint(Constraint):
    r"""What has a superscript before two indices: no matrix that may have it, `A^\top_{:,1}`, or `A^k_{ij}` of a square one."""

    matrix: Shape
    symbol: Symbol
    superscript: Superscript

    def shapes(self) -> tuple[Shape, ...]:
        return (self.matrix,)

    def solve(self, types: Types) -> bool:
        sizes = [types.solver.value(size) for size in expand(self.matrix).prefix]
        if rank_of(self.matrix) == 2 and (self.superscript.kind == "transpose" or sizes[0] == sizes[1]):
            written, sign = (
                render_expression(self.superscript.node or self.superscript.written),
                render_expression(self.superscript.written),
            )
            raise undecided(ELEMENT_OF_A_POWER, self.span, written=written, name=self.symbol.latex, sign=sign)
        return rank_of(self.matrix) is not None and not any(is_unknown(name) for size in sizes for name in size.names)

    def settle(self, types: Types, stage: int) -> bool:
        self.is_solved = stage == STAGES - 1
        return False


@dataclass(eq=False)
class ElementConstraint(Constraint):
    r"""An element with a superscript that a matrix may have: `A_{1,2}^\top` can be one of `A^\top`, `A_{1,2}^{-1}` one of the inverse."""

    body: Shape
    symbol: Symbol
    sign: str

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.body)
        sizes = [types.solver.value(size) for size in expand(self.symbol.shape).prefix]
        if rank == 0 and (self.sign == r"\top" or len(sizes) == 2 and sizes[0] == sizes[1]):
            row = ELEMENT_OF_A_TRANSPOSE if self.sign == r"\top" else ELEMENT_OF_AN_INVERSE
            raise undecided(row, self.span, name=self.symbol.latex, sign=self.sign)
        return rank is not None

    def settle(self, types: Types, stage: int) -> bool:
        return False


@dataclass(eq=False)
class IndexedPowerConstraint(Constraint):
    """What has an index variable as its superscript and no axis for it: no vector, since `v^k` would be an element for most readers."""

    base: Shape
    symbol: Symbol
    name: str
    letter: Name

    def shapes(self) -> tuple[Shape, ...]:
        return (self.base,)

    def solve(self, types: Types) -> bool:
        rank = rank_of(self.base)
        if rank is None or rank in (0, 2):  # that of a matrix is the matrix power
            return rank is not None
        shape = show_shape(types, self.base)
        raise undecided(INDEX_OR_POWERS, self.span, name=self.name, shape=shape, index=readable(self.letter))

    def settle(self, types: Types, stage: int) -> bool:
        if stage == 4 and not types.written.is_function and self.symbol.role is not Role.VALUE and rank_of(self.base) is None:
            raise element_or_power(self.name, self.span, self.letter)
        return False
