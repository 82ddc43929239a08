"""A reader of expressions: all that is known of a program, and what its names stand for at one place of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.declare.written import Written
from mathdsl.elaborate.findings import Findings
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.entries import Entries, SizeEntry, SubmoduleEntry
from mathdsl.elaborate.names.names import RESERVED_SYMBOLS, Name, readable
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Assignment, Terms
from mathdsl.elaborate.terms.terms import Binder, Faulty, Term
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Origin, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads expressions at one place of a program: with the tables of the program, and what is in scope there.

    `arms` reads an expression by its kind. Inside of a loop, a sum or a function it is another reader, with more in scope.
    """

    written: Written
    entries: Entries
    findings: Findings
    terms: Terms
    types: Types
    arms: Callable[[Reader, ast.Expression], Term]
    families: Families
    bound: Mapping[Name, Term | Binder] = field(default_factory=dict)
    binders: tuple[Binder, ...] = ()
    active_functions: tuple[Function, ...] = ()  # whose bodies are read, innermost last
    origin: Origin = Origin("")  # of the statement
    ended: Mapping[Name, ast.Reduction] = field(default_factory=dict)  # indices of sums before this place, which their bodies do not reach

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
            return self.arms(self, node)
        except MathdslError as error:
            self.findings.report(error)
            return Faulty(span=node.span)

    def binder(self, spelling: Name, bounds: Range, span: Span, shift: int | None = 0, *, bare: bool = False) -> Binder:
        """A new index variable; a bare one has the range of the axes that it indexes."""
        if spelling in RESERVED_SYMBOLS:
            help = "take another letter for the index"
            raise refuse("E0308", f"`{readable(spelling)}` is reserved, and is no index", span, help=help)
        stem = PythonNames().name(spelling)
        self.terms.value_sizes.update(bounds.lower.names, bounds.upper.names)
        return Binder(self.entries.axis_name(stem), spelling, bounds, span, shift, bare)

    def within(self, *binders: Binder) -> Reader:
        """With these index variables in scope."""
        bound = {**self.bound, **{binder.spelling: binder for binder in binders}}
        return replace(self, binders=(*self.binders, *binders), bound=bound) if binders else self

    def binding(self, names: Iterable[tuple[Name, Term | Binder]]) -> Reader:
        """With these names standing for terms or index variables."""
        return replace(self, bound={**self.bound, **dict(names)})

    def inside(self, function: Function, arguments: Mapping[Name, Term]) -> Reader:
        """In the body of a function: with its arguments, and else with what is in scope where it is written, not where it is called."""
        loops = {b.spelling: b for b in self.binders if any(loop.span.contains(b.span) for loop in function.loops)}
        families = self.families if function.is_own else function.families
        return replace(self, bound={**loops, **arguments}, families=families, active_functions=(*self.active_functions, function))

    def about(self, origin: Origin) -> Reader:
        """In a statement."""
        return replace(self, origin=origin)

    def behind(self, reduction: ast.Reduction | None) -> Reader:
        """Behind the body of a reduction."""
        if reduction is None or reduction.subscript is None:
            return self
        return replace(self, ended={**self.ended, **dict.fromkeys(bound_names(reduction.subscript), reduction)})

    def find_binder(self, spelling: Name) -> Binder | None:
        """The index variable that a name stands for."""
        meaning = self.bound.get(spelling)
        return meaning if isinstance(meaning, Binder) else None

    def find_bound(self, spelling: Name) -> Term | None:
        """The term that a name stands for: an argument of a function, an element of what a comprehension runs over."""
        meaning = self.bound.get(spelling)
        return None if isinstance(meaning, Binder) else meaning

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

    def temporary(self, stem: Name, term: Term, around: tuple[Binder, ...]) -> Symbol:
        """A symbol of our own that stands for a term under index variables."""
        count = 1
        while self.entries.is_used(spelling := stem.numbered(count)):
            count += 1
        symbol = self.entries.value_symbol(spelling.changed(is_own=True), term.span, tuple(b.range for b in around))
        positions = tuple(Poly.of(b.name) for b in around)
        self.terms.assignments.append(Assignment(symbol, positions, around, term, self.origin, term.span))
        return symbol
