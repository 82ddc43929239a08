"""What is written out so far of one types, and the sizes, ranges and names at the place that is being written out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.elaborate.terms.terms import Binder, CallSite, Term
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir import nodes as ir
from mathdsl.ir.names import FreshNames
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names, substitute_axes
from mathdsl.ops.guards import Claim, are_contradictory
from mathdsl.spans import Span

Point: TypeAlias = tuple[Poly, ...]  # positions on the axes of a term, each from 0
LETTERS = "ijklmnpq"


@dataclass
class Lowering:
    """Writes out the terms of one types, each by `rule`.

    `inner` are the index variables of the comprehensions and reductions around, `renamed` maps the names of index variables to
    the polynomials in force, `claims` are the conditions above that hold there, or do not.
    """

    inference: Inference
    firsts: FirstIndices
    rule: Callable[[Lowering, Term, Point], ir.Expr]
    runtime_names: Set[str]  # sizes that differ between calls
    outer: tuple[Binder, ...] = ()  # the index variables of the statement
    inner: list[Binder] = field(default_factory=list)
    renamed: dict[str, Poly] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    steps: list[ir.Step] = field(default_factory=list)
    arrays: list[ir.Array] = field(default_factory=list)
    checks: dict[ir.Check, None] = field(default_factory=dict)
    calls: dict[tuple[CallSite, tuple[ir.Axis, ...]], tuple[ir.Array, ...]] = field(default_factory=dict)
    origin: ir.Origin = ir.Origin("")

    @property
    def types(self) -> Types:
        """The types of all terms."""
        return self.inference.types

    # ---- terms --------------------------------------------------------------------------------

    def at(self, term: Term, point: Point) -> ir.Expr:
        """The term's element at a point."""
        return self.rule(self, term, point)

    def at_value(self, body: Term, binder: Binder, value: Poly, point: Point) -> ir.Expr:
        """The element where an index variable that the term binds has that value."""
        self.inner.append(binder)
        before = self.renamed
        if value.variable != binder.name:
            self.renamed = {**before, binder.name: value}
        try:
            return self.at(body, point)
        finally:
            self.renamed = before
            self.inner.pop()

    @contextmanager
    def apart(self, inner: Iterable[Binder]) -> Iterator[None]:
        """Write out something that stands under these index variables by itself: they have their own names there."""
        before = self.inner, self.renamed
        self.inner = list(inner)
        own = {binder.name for binder in self.inner}
        self.renamed = {name: value for name, value in self.renamed.items() if name not in own}
        try:
            yield
        finally:
            self.inner, self.renamed = before

    @contextmanager
    def where(self, condition: ir.Expr, holds: bool) -> Iterator[None]:
        """Write out what stands where the condition holds, or does not."""
        self.claims.append((condition, holds))
        try:
            yield
        finally:
            self.claims.pop()

    def is_impossible(self) -> bool:
        """Whether nothing stands here: the claims cannot all be true of index variables in their ranges and sizes from 0."""
        bounds = [Poly.of(size.name) for size in self.types.entries.sizes.values()]
        for binder in (*self.outer, *self.inner):
            place, ends = self.poly(Poly.of(binder.name)), self.range(binder.range)
            bounds += [place - ends.lower, ends.upper - place]
        return are_contradictory(self.claims, bounds)

    def check(self, condition: ir.Expr, text: str, span: Span, everywhere: tuple[ir.Axis, ...] = ()) -> bool:
        """Whether a condition can hold where it is asked for, at all points of `everywhere`; what is not proved is checked at run time.

        Claims about the point at which an element of an array is written out ask nothing: the value that stands there is wanted somewhere.
        """
        sizes = {size.name for size in self.types.entries.sizes.values()}
        known = sizes.union((b.name for b in (*self.outer, *self.inner)), (axis.name for axis in everywhere))
        condition = self._by_binders(condition, known)
        with self.where(condition, False):
            if self.is_impossible():
                return True
        with self.where(condition, True):
            if self.is_impossible():
                return False
        for written, holds in reversed(self.claims):
            claim = self._by_binders(written, known)
            if not known.issuperset(free_names(claim)):
                continue
            fails = ir.Apply("not", (claim,), ir.Element.BOOLEAN) if holds else claim
            condition = ir.Apply("or", (fails, condition), ir.Element.BOOLEAN)
        axes: list[ir.Axis] = list(everywhere)
        used = set(free_names(condition))
        for binder in reversed(self.scope):
            range_ = self.range(binder.range)
            if binder.name in used or not is_nonnegative(range_.upper - range_.lower):  # a loop without turns asks for nothing
                axes.insert(0, ir.Axis(binder.name, range_))
                used |= axes[0].range.lower.names | axes[0].range.upper.names
        self.checks[ir.Check(tuple(axes), condition, ir.Origin(text, span))] = None
        return True

    def _by_binders(self, condition: ir.Expr, known: Set[str]) -> ir.Expr:
        r"""A condition on the point of an array as one on the index that a comprehension binds: `q` of `(y_q)_{q=1}^{n}`."""
        if known >= {*free_names(condition)}:
            return condition
        values: dict[str, Poly] = {}
        for name, value in self.renamed.items():
            own = value.names - known
            if len(own) == 1 and value.coefficient(point := next(iter(own))) == Poly.of(1):
                values[point] = Poly.of(name) - value + Poly.of(point)
        return substitute_axes(condition, values, FreshNames(known)) if values else condition

    def aligned(self, term: Term, point: Point) -> Point:
        """The part of a point that an operand of fewer axes is read at: scalars nowhere, vectors at the last position."""
        rank = self.rank(term)
        return point[len(point) - rank :] if rank else ()

    def element(self, term: Term) -> ir.Element:
        """The element type of a term."""
        return self.inference.element(term)

    def rank(self, term: Term) -> int:
        """How many axes a term has."""
        return len(self.inference.axes(term))

    # ---- sizes and ranges -----------------------------------------------------------------------

    def poly(self, value: Poly) -> Poly:
        """A size or index expression with solved sizes and renamed index variables put in."""
        value = self.types.solver.value(value)
        for _ in range(len(self.renamed) + 1):
            if not value.names & self.renamed.keys():
                break
            value = value.substitute({n: self.renamed[n] for n in value.names if n in self.renamed})
        return value

    def range(self, bounds: ir.Range) -> ir.Range:
        """A range with solved sizes."""
        return ir.Range(self.poly(bounds.lower), self.poly(bounds.upper))

    def axis(self, extent: Poly, lower: Poly | None = None) -> ir.Axis:
        """A fresh axis with that many elements, counted from `lower` (the notation's base)."""
        start = Poly.of(self.types.written.base) if lower is None else self.poly(lower)
        return ir.Axis(self.free_axis_name(), ir.Range(start, start + self.poly(extent) - 1))

    def free_axis_name(self) -> str:
        """A name for an index variable of our own: a letter that the program does not write, where there is one."""
        written = self.types.written.families.index_names
        free = next((letter for letter in LETTERS if letter not in written and not self.types.entries.is_taken(letter)), "i")
        return self.types.entries.axis_name(free)

    @staticmethod
    def offset(axis: ir.Axis) -> Poly:
        """The position of an axis's variable, counted from 0."""
        return Poly.of(axis.name) - axis.range.lower

    # ---- arrays ---------------------------------------------------------------------------------

    def array_name(self, symbol: Symbol) -> str:
        """The name of a symbol's array."""
        return self.types.entries.array_name(symbol)

    def lower(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of a symbol's axis."""
        return self.poly(self.types.lower(symbol, axis))

    def first(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of an axis that is read whole."""
        if symbol.whole is not None and axis == 0:
            return self.poly(symbol.whole.lower)
        return self.lower(symbol, axis)

    @property
    def scope(self) -> tuple[Binder, ...]:
        """The index variables that arrays of our own are made over: those of the equation that are no points, and those inside."""
        inner = {b.name: b for b in self.inner}
        return (*(b for b in self.outer if b.name not in self.renamed and b.name not in inner), *inner.values())

    def new_array(self, stem: str, element: ir.Element, outer: list[ir.Range], sizes: tuple[Poly, ...]) -> ir.Array:
        """A value array of our own."""
        base = Poly.of(self.types.written.base)
        own = [ir.Range(base, base + self.poly(size) - 1) for size in sizes]
        name = self.types.entries.names.fresh(stem)
        array = ir.Array(name, ir.Kind.VALUE, element, (*outer, *own), name, rf"\mathrm{{{name}}}".replace("_", r"\_"))
        self.arrays.append(array)
        return array
