"""What is known of the types of one program so far: the solvers of shapes, sizes and first indices, and what they decide of calls."""

from __future__ import annotations

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.declare.written import Written
from mathdsl.elaborate.findings import Findings
from mathdsl.elaborate.names.entries import Entries, SizeEntry, written_extreme
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.collected import Terms
from mathdsl.elaborate.terms.terms import CallSite
from mathdsl.elaborate.types.shapes import Shape, ShapeSolver
from mathdsl.elaborate.types.sizes import SizeSolver
from mathdsl.ir.nodes import Extreme
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span


@dataclass(frozen=True, eq=False)
class Types:
    """The solvers over the terms and the names of a program."""

    written: Written
    entries: Entries
    findings: Findings
    terms: Terms
    shapes: ShapeSolver = field(default_factory=lambda: ShapeSolver(SizeSolver()))
    firsts: dict[tuple[Symbol, int], Poly] = field(default_factory=dict)  # of axes, where nothing declares them: unknowns of the solver
    row_wise: set[Span] = field(default_factory=set)  # products that apply a matrix to each row
    joined_last: set[Span] = field(default_factory=set)  # joins along the last axis
    call_sizes: dict[CallSite, dict[str, Poly]] = field(default_factory=dict)  # a callee's run-time sizes at a call
    opaque_results: dict[CallSite, Shape] = field(default_factory=dict)
    applied_to_each: dict[CallSite, int] = field(default_factory=dict)  # calls of layers: how many axes of the argument they go along

    @property
    def solver(self) -> SizeSolver:
        """The solver of sizes and first indices."""
        return self.shapes.sizes

    def extreme_size(self, op: str, of: tuple[Poly, ...], span: Span) -> Poly:
        """The size that is the least, the greatest, the rounded quotient or the power of others: `\\min(\\min(L, 3), 3)` is one of two."""
        value = self.solver.value
        if op == "pow":
            return self._computed_size(op, of, span)
        if op == "floor_div":
            above, below = map(value, of)
            return next((whole for whole in (above.divided_by(below),) if whole is not None and whole.has_whole_terms), None) or (
                self._computed_size(op, (above, below), span)
            )
        extremes = {e.name: tuple(map(value, e.value.of)) for e in self.entries.sizes.values() if e.value is not None and e.value.op == op}
        flat = (part for poly in of for part in extremes.get(value(poly).variable or "", (value(poly),)))
        of = tuple(dict.fromkeys(flat))
        if len(of) == 1:
            return of[0]
        return self._computed_size(op, of, span)

    def _computed_size(self, op: str, of: tuple[Poly, ...], span: Span) -> Poly:
        values = {e.name: e.value for e in self.entries.sizes.values() if e.value is not None and e.value.op == op}
        known = next((name for name, other in values.items() if set(map(self.solver.value, other.of)) == set(of)), None)
        if known is None:
            known = self.entries.names.fresh("n")
            extreme, order = Extreme(op, of), len(self.entries.sizes)
            spelling = Name(written_extreme(extreme))
            self.entries.sizes[spelling] = SizeEntry(known, spelling, span=span, order=order, is_fresh=True, value=extreme)
        return Poly.of(known)

    @property
    def lengths(self) -> set[str]:
        """The sizes that the program reads off its arrays."""
        return {name for size in self.solver.measured for name in self.solver.value(Poly.of(size)).names}

    def lower(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of an axis: as it is declared or defined, else an unknown of the solver."""
        written = symbol.lowers[axis] if axis < len(symbol.lowers) else None
        if written is None:
            if (symbol, axis) not in self.firsts:
                self.firsts[symbol, axis] = self.solver.fresh_first()
            written = self.firsts[symbol, axis]
        return self.solver.value(written)

    def is_open(self, symbol: Symbol, axis: int) -> bool:
        """Whether nothing tells yet where an axis begins."""
        return self.lower(symbol, axis) == self.firsts.get((symbol, axis))
