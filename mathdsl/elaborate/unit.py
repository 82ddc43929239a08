"""A unit: all that is known of one procedure or function while it is elaborated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field

from mathdsl.diagnostics.model import Diagnostic, Diagnostics, MathdslError
from mathdsl.diagnostics.readings.row import Ambiguity
from mathdsl.elaborate.decided import Decided
from mathdsl.elaborate.declare.signatures import Function, Signature
from mathdsl.elaborate.declare.written import Written
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, RESERVED_SYMBOLS, Name, readable
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Binder, CallSite, Faulty, Position, Term
from mathdsl.elaborate.types.shapes import Shape, ShapeSolver
from mathdsl.elaborate.types.sizes import SizeSolver
from mathdsl.ir.nodes import Element, Extreme, Origin, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax import nodes as ast


@dataclass(eq=False)
class SizeEntry:
    """A named size: its polynomial name, where it was first written, what is said of it."""

    name: str
    spelling: Name
    description: str = ""
    span: Span = NOWHERE
    order: int = 0
    is_fresh: bool = False  # named by us
    value: Extreme | None = None  # of other sizes
    default: int | None = None


def written_extreme(extreme: Extreme, show: Callable[[Poly], str] = str) -> str:
    """`\\min(L, 3)`, by names or, where `show` says how they are written, by the author's symbols."""
    return rf"\{extreme.op[:3]}({', '.join(map(show, extreme.of))})"


@dataclass(frozen=True, eq=False)
class PartArguments:
    """One run of a stack (or the one element of a plain submodule): constructor argument -> size or setting term."""

    range: Range | None
    arguments: tuple[tuple[str, Poly | Term], ...]


@dataclass(eq=False)
class SubmoduleEntry:
    """A submodule: what it is built from; `signature` is None for an opaque one."""

    spelling: Name
    path: str
    signature: Signature | None
    is_stack: bool = False
    parts: list[PartArguments] = field(default_factory=list)
    description: str = ""
    latex: str = ""
    span: Span = NOWHERE
    used: bool = False
    automatic: bool = False  # made by a call of its type: in a loop over a hyperparameter, an element an iteration


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
    diagnostics: Diagnostics
    families: Families
    resolver: Callable[[Unit, ast.Expression], Term]
    sizes_solver: SizeSolver = field(default_factory=SizeSolver)
    names: PythonNames = field(default_factory=PythonNames)
    symbols: dict[tuple[Name, bool], Symbol] = field(default_factory=dict)
    sizes: dict[Name, SizeEntry] = field(default_factory=dict)
    submodules: dict[Name, SubmoduleEntry] = field(default_factory=dict)
    functions: dict[Name, Function] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    bound: dict[Name, list[Term | Binder]] = field(default_factory=dict)  # index variables and names of terms, innermost last
    is_closed: bool = False  # inside of a function of the document, which sees nothing of the procedure
    binders: list[Binder] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    inputs: list[Symbol | tuple[Symbol, ...]] = field(default_factory=list)
    module_aliases: dict[Name, tuple[Name, Poly]] = field(default_factory=dict)  # unpacked elements of stacks
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
    axis_names: set[str] = field(default_factory=set)
    active_functions: list[Function] = field(default_factory=list)
    applied: list[Applied] = field(default_factory=list)  # calls of functions so far
    origin: Origin = Origin("")
    problems: list[Diagnostic] = field(default_factory=list)
    bound_sizes: set[str] = field(default_factory=set)  # sizes that nothing but bounds and domains mentions
    calls_faulty: bool = False  # it calls a program with mistakes of its own
    integers: Set[Name] = frozenset()  # names of integers that index what stands without them
    faulty_names: set[Name] = field(default_factory=set)  # names whose definition is a mistake, or contradicts another
    common_ranges: list[tuple[Name, Range, Range, Span]] = field(default_factory=list)  # of axes that the index of a bare sum goes along
    firsts: dict[tuple[Symbol, int], Poly] = field(default_factory=dict)  # of axes, where nothing declares them: unknowns of the solver
    decided: list[Decided] = field(default_factory=list)
    identities: list[tuple[Poly, Span]] = field(default_factory=list)  # identity matrices without a size, and what it is

    def __post_init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._by_symbol: dict[Symbol, list[Reference]] | None = None
        self.shapes = ShapeSolver(self.sizes_solver)

    @property
    def in_function(self) -> bool:
        """Whether what is read is the body of a function, of the document or of the program."""
        return self.written.is_function or bool(self.active_functions)

    def resolve(self, node: ast.Expression) -> Term:
        """The term of an expression; a mistake is reported, and what is around it is still read."""
        try:
            return self.resolver(self, node)
        except MathdslError as error:
            self.report(error)
            return Faulty(span=node.span)

    # ---- mistakes ---------------------------------------------------------------------------

    def report(self, error: MathdslError) -> None:
        """Keep what is wrong; of one undeclared name, only the first place."""
        for diagnostic in error.diagnostics:
            known = any(d.code == diagnostic.code and d.message == diagnostic.message for d in self.problems)
            if not (known and (diagnostic.code == "E0301" or diagnostic in self.problems)):
                self.problems.append(diagnostic)

    @property
    def is_faulty(self) -> bool:
        """Whether it cannot be compiled: for a mistake here or in what it calls."""
        return bool(self.problems) or self.calls_faulty

    # ---- names ------------------------------------------------------------------------------

    def size(self, spelling: Name, span: Span) -> Poly:
        """The size of that name, made where it is new."""
        entry = self.sizes.get(spelling)
        if entry is None:
            entry = SizeEntry(self.names.name(spelling), spelling, span=span, order=len(self.sizes))
            if entry.name in self.axis_names:
                raise refuse(
                    "E0505",
                    f"`{readable(spelling)}` is an index, and stands here for a size",
                    span,
                    help="write a bound in sizes, or declare the size under a name of its own",
                )
            self.sizes[spelling] = entry
        return Poly.of(entry.name)

    def array_name(self, symbol: Symbol) -> str:
        """The Python name of a symbol: a second array of one spelling, and one that is spelled as a size is, have names of their own."""
        is_second = symbol.has_superscript and (symbol.spelling, False) in self.symbols
        is_beside_size = symbol.spelling in self.sizes and symbol.spelling not in self.written.size_inputs
        return self.names.name(symbol.spelling, is_second + is_beside_size)

    def extreme_size(self, op: str, of: tuple[Poly, ...], span: Span) -> Poly:
        """The size that is the least or the greatest of others: `\\min(\\min(L, 3), 3)` is `\\min(L, 3)`."""
        value = self.sizes_solver.value
        extremes = {e.name: tuple(map(value, e.value.of)) for e in self.sizes.values() if e.value is not None and e.value.op == op}
        flat = (part for poly in of for part in extremes.get(value(poly).variable or "", (value(poly),)))
        of = tuple(dict.fromkeys(flat))
        if len(of) == 1:
            return of[0]
        known = next((name for name, others in extremes.items() if set(others) == set(of)), None)
        if known is None:
            known = self.names.fresh("n")
            extreme = Extreme(op, of)
            spelling = Name(written_extreme(extreme))
            self.sizes[spelling] = SizeEntry(known, spelling, span=span, order=len(self.sizes), is_fresh=True, value=extreme)
        return Poly.of(known)

    @property
    def lengths(self) -> set[str]:
        """The sizes that the program reads off its arrays."""
        return {name for size in self.sizes_solver.measured for name in self.sizes_solver.value(Poly.of(size)).names}

    def axis_name(self, wanted: str) -> str:
        """A name for an index variable that neither a size nor another index variable has: `t`, `t__2` (no spelling has `__`)."""
        name, count = wanted, self._counts.get(wanted, 1)
        while self.is_taken(name):
            count += 1
            name = f"{wanted}__{count}"
        self._counts[wanted] = count
        self.axis_names.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a size, an array or an index variable has that name."""
        return name in self.axis_names or name in self.names.taken

    def binder(self, spelling: Name, bounds: Range, span: Span, bare: bool = False) -> Binder:
        """A new index variable; a bare one has the range of the axes that it indexes."""
        if spelling in RESERVED_SYMBOLS:
            help = "take another letter for the index"
            raise refuse("E0308", f"`{readable(spelling)}` is reserved, and is no index", span, help=help)
        stem = PythonNames().name(spelling)
        self.value_sizes |= bounds.lower.names | bounds.upper.names
        return Binder(self.axis_name(stem), spelling, bounds, span, bare)

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
        around = self.bound, self.functions, self.aliases, self.families, self.is_closed
        loops = [b for b in self.binders if any(loop.span.contains(b.span) for loop in function.loops)]
        self.bound = {binder.spelling: [binder] for binder in loops}
        self.is_closed = not function.is_own
        if self.is_closed:
            self.functions, self.aliases = dict(self.written.around.functions), dict(self.written.around.aliases)
            self.families = function.families
        self.active_functions.append(function)
        try:
            with self.binding(arguments.items()):
                yield
        finally:
            self.active_functions.pop()
            self.bound, self.functions, self.aliases, self.families, self.is_closed = around

    def note(self, row: Ambiguity, subject: str, span: Span) -> None:
        """A rule took the first reading of a row, which `check` tells."""
        self.decided.append(Decided(row, subject, span))

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
        return next((found for flag in flags if (found := self.symbols.get((spelling, flag))) is not None), None)

    def find_submodule(self, spelling: Name) -> SubmoduleEntry | None:
        """The submodule of that name, where the procedure's own are in scope."""
        return None if self.is_closed else self.submodules.get(spelling)

    def find_size(self, spelling: Name) -> SizeEntry | None:
        """The size of that name, unless what is bound hides it."""
        return None if self.is_closed or self.find_bound(spelling) is not None else self.sizes.get(spelling)

    # ---- symbols ----------------------------------------------------------------------------

    def add_symbol(self, symbol: Symbol) -> Symbol:
        """Enter a symbol under its spelling."""
        self.symbols[symbol.spelling, symbol.has_superscript] = symbol
        symbol.latex = symbol.latex or readable(symbol.spelling)
        return symbol

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

    def value_symbol(self, spelling: Name, span: Span, axes: tuple[Range, ...] = (), has_superscript: bool = False) -> Symbol:
        """A new symbol for a value defined by the program, whose leading axes are known."""
        rest = Symbol(NO_NAME, Role.VALUE).shape
        symbol = Symbol(
            spelling,
            Role.VALUE,
            Shape(tuple(r.extent for r in axes), rest.rest),
            has_superscript=has_superscript,
            subscripts=len(axes) - has_superscript,
            lowers=[r.lower for r in axes],
            span=span,
        )
        return self.add_symbol(symbol)

    def _is_used(self, spelling: Name) -> bool:
        return any((name, False) in self.symbols for name in (spelling, spelling.changed(is_own=True))) or spelling in self.sizes

    def temporary(self, stem: Name, term: Term, element: Element | None = None) -> Symbol:
        """A symbol of our own that stands for a term under the index variables in scope."""
        count = 1
        while self._is_used(spelling := stem.numbered(count)):
            count += 1
        symbol = self.value_symbol(spelling.changed(is_own=True), term.span, tuple(b.range for b in self.binders))
        if element is not None:
            symbol.element = element
        positions = tuple(Poly.of(b.name) for b in self.binders)
        self.assignments.append(Assignment(symbol, positions, tuple(self.binders), term, self.origin, term.span))
        return symbol
