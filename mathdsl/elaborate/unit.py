"""A unit: all that is known of one procedure or function while it is elaborated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.declare.written import Written
from mathdsl.elaborate.findings import Findings
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.entries import Entries, SizeEntry, SubmoduleEntry, written_extreme
from mathdsl.elaborate.names.names import RESERVED_SYMBOLS, Name, readable
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Binder, CallSite, Faulty, Position, Term
from mathdsl.elaborate.types.shapes import Shape, ShapeSolver
from mathdsl.elaborate.types.sizes import SizeSolver
from mathdsl.ir.nodes import Element, Extreme, Origin, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True, eq=False)
class Applied:
    """A call of a function: its arguments by their names, and the value."""

    function: Function
    arguments: Mapping[Name, Term]
    value: Term
    span: Span


@dataclass(frozen=True, eq=False)
class Assignment:
    """One statement `target = value` under index variables."""

    symbol: Symbol
    positions: tuple[Position, ...]
    binders: tuple[Binder, ...]
    value: Term
    origin: Origin
    span: Span


@dataclass(frozen=True, eq=False)
class Reference:
    """A read of an array at positions, under index variables."""

    symbol: Symbol
    positions: tuple[Position, ...]
    binders: tuple[Binder, ...]
    span: Span


@dataclass(eq=False)
class Unit:
    """The tables of one procedure."""

    written: Written
    entries: Entries
    findings: Findings
    families: Families
    resolver: Callable[[Unit, ast.Expression], Term]
    sizes_solver: SizeSolver = field(default_factory=SizeSolver)
    bound: dict[Name, list[Term | Binder]] = field(default_factory=dict)  # index variables and names of terms, innermost last
    binders: list[Binder] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    bare_products: set[tuple[Span, Span]] = field(default_factory=set)  # a sum, and a term `a \cdot b` of it without a parenthesis
    row_wise: set[Span] = field(default_factory=set)  # products that apply a matrix to each row
    call_sizes: dict[CallSite, dict[str, Poly]] = field(default_factory=dict)  # a callee's run-time sizes at a call
    opaque_results: dict[CallSite, Shape] = field(default_factory=dict)
    applied_to_each: dict[CallSite, int] = field(default_factory=dict)  # calls of layers: how many axes of the argument they go along
    runtime_names: frozenset[str] = frozenset()
    value_sizes: set[str] = field(default_factory=set)  # sizes that stand as numbers in values
    returned: Origin = Origin("")
    named_ranges: dict[Symbol, Range] = field(default_factory=dict)
    active_functions: list[Function] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)  # calls of functions so far
    origin: Origin = Origin("")
    bound_sizes: set[str] = field(default_factory=set)  # sizes that nothing but bounds and domains mentions
    common_ranges: list[tuple[Name, Range, Range, Span]] = field(default_factory=list)  # of axes that the index of a bare sum goes along
    firsts: dict[tuple[Symbol, int], Poly] = field(default_factory=dict)  # of axes, where nothing declares them: unknowns of the solver
    identities: list[tuple[Poly, Span]] = field(default_factory=list)  # identity matrices without a size, and what it is

    def __post_init__(self) -> None:
        self._by_symbol: dict[Symbol, list[Reference]] | None = None
        self.shapes = ShapeSolver(self.sizes_solver)

    @property
    def in_function(self) -> bool:
        """Whether what is read is the body of a function, of the document or of the program."""
        return self.written.is_function or bool(self.active_functions)

    @property
    def is_closed(self) -> bool:
        """Whether what is read is the body of a function of the document, which sees nothing of the procedure."""
        return bool(self.active_functions) and not self.active_functions[-1].is_own

    @property
    def functions(self) -> Mapping[Name, Function]:
        """The functions that can be called."""
        return self.written.around.functions if self.is_closed else self.entries.functions

    @property
    def aliases(self) -> Mapping[str, str]:
        """Further names of built-in functions."""
        return self.written.around.aliases if self.is_closed else self.entries.aliases

    def resolve(self, node: ast.Expression) -> Term:
        """The term of an expression; a mistake is reported, and what is around it is still read."""
        try:
            return self.resolver(self, node)
        except MathdslError as error:
            self.findings.report(error)
            return Faulty(span=node.span)

    def extreme_size(self, op: str, of: tuple[Poly, ...], span: Span) -> Poly:
        """The size that is the least or the greatest of others: `\\min(\\min(L, 3), 3)` is `\\min(L, 3)`."""
        value = self.sizes_solver.value
        extremes = {e.name: tuple(map(value, e.value.of)) for e in self.entries.sizes.values() if e.value is not None and e.value.op == op}
        flat = (part for poly in of for part in extremes.get(value(poly).variable or "", (value(poly),)))
        of = tuple(dict.fromkeys(flat))
        if len(of) == 1:
            return of[0]
        known = next((name for name, others in extremes.items() if set(others) == set(of)), None)
        if known is None:
            known = self.entries.names.fresh("n")
            extreme = Extreme(op, of)
            spelling = Name(written_extreme(extreme))
            self.entries.sizes[spelling] = SizeEntry(
                known, spelling, span=span, order=len(self.entries.sizes), is_fresh=True, value=extreme
            )
        return Poly.of(known)

    @property
    def lengths(self) -> set[str]:
        """The sizes that the program reads off its arrays."""
        return {name for size in self.sizes_solver.measured for name in self.sizes_solver.value(Poly.of(size)).names}

    def binder(self, spelling: Name, bounds: Range, span: Span, bare: bool = False) -> Binder:
        """A new index variable; a bare one has the range of the axes that it indexes."""
        if spelling in RESERVED_SYMBOLS:
            help = "take another letter for the index"
            raise refuse("E0308", f"`{readable(spelling)}` is reserved, and is no index", span, help=help)
        stem = PythonNames().name(spelling)
        self.value_sizes |= bounds.lower.names | bounds.upper.names
        return Binder(self.entries.axis_name(stem), spelling, bounds, span, bare)

    @contextmanager
    def within(self, binders: tuple[Binder, ...] | list[Binder]) -> Iterator[None]:
        """Read something with these index variables in scope."""
        self.binders.extend(binders)
        try:
            with self.binding([(binder.spelling, binder) for binder in binders]):
                yield
        finally:
            del self.binders[len(self.binders) - len(binders) :]

    @contextmanager
    def binding(self, names: Iterable[tuple[Name, Term | Binder]]) -> Iterator[None]:
        """Read something with these names standing for terms or index variables."""
        pairs = tuple(names)
        for name, meaning in pairs:
            self.bound.setdefault(name, []).append(meaning)
        try:
            yield
        finally:
            for name, _ in pairs:
                self.bound[name].pop()

    @contextmanager
    def inside(self, function: Function, arguments: Mapping[Name, Term]) -> Iterator[None]:
        """Read the body of a function: with its arguments, and else with what is in scope where it is written, not where it is called."""
        around = self.bound, self.families
        loops = [b for b in self.binders if any(loop.span.contains(b.span) for loop in function.loops)]
        self.bound = {binder.spelling: [binder] for binder in loops}
        self.active_functions.append(function)
        if self.is_closed:
            self.families = function.families
        try:
            with self.binding(arguments.items()):
                yield
        finally:
            self.active_functions.pop()
            self.bound, self.families = around

    def find_binder(self, spelling: Name) -> Binder | None:
        """The index variable that a name stands for."""
        meanings = self.bound.get(spelling)
        return meanings[-1] if meanings and isinstance(meanings[-1], Binder) else None

    def find_bound(self, spelling: Name) -> Term | None:
        """The term that a name stands for: an argument of a function, an element of what a comprehension runs over."""
        meanings = self.bound.get(spelling)
        return meanings[-1] if meanings and not isinstance(meanings[-1], Binder) else None

    def find_symbol(self, spelling: Name, has_superscript: bool | None = None) -> Symbol | None:
        """The array of that name, indexed by a superscript or not, unless what is bound hides it."""
        if self.is_closed or self.find_bound(spelling) is not None:
            return None
        flags = (False, True) if has_superscript is None else (has_superscript,)
        return next((found for flag in flags if (found := self.entries.symbols.get((spelling, flag))) is not None), None)

    def find_submodule(self, spelling: Name) -> SubmoduleEntry | None:
        """The submodule of that name, where the procedure's own are in scope."""
        return None if self.is_closed else self.entries.submodules.get(spelling)

    def find_size(self, spelling: Name) -> SizeEntry | None:
        """The size of that name, unless what is bound hides it."""
        return None if self.is_closed or self.find_bound(spelling) is not None else self.entries.sizes.get(spelling)

    def lower(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of an axis: as it is declared or defined, else an unknown of the solver."""
        written = symbol.lowers[axis] if axis < len(symbol.lowers) else None
        if written is None:
            if (symbol, axis) not in self.firsts:
                self.firsts[symbol, axis] = self.sizes_solver.fresh_first()
            written = self.firsts[symbol, axis]
        return self.sizes_solver.value(written)

    def is_open(self, symbol: Symbol, axis: int) -> bool:
        """Whether nothing tells yet where an axis begins."""
        return self.lower(symbol, axis) == self.firsts.get((symbol, axis))

    def references_to(self, symbol: Symbol) -> list[Reference]:
        """The reads of an array that index it."""
        if self._by_symbol is None:
            self._by_symbol = {}
            for reference in self.references:
                self._by_symbol.setdefault(reference.symbol, []).append(reference)
        return self._by_symbol.get(symbol, [])

    def temporary(self, stem: Name, term: Term, element: Element | None = None) -> Symbol:
        """A symbol of our own that stands for a term under the index variables in scope."""
        count = 1
        while self.entries.is_used(spelling := stem.numbered(count)):
            count += 1
        symbol = self.entries.value_symbol(spelling.changed(is_own=True), term.span, tuple(b.range for b in self.binders))
        if element is not None:
            symbol.element = element
        positions = tuple(Poly.of(b.name) for b in self.binders)
        self.assignments.append(Assignment(symbol, positions, tuple(self.binders), term, self.origin, term.span))
        return symbol
