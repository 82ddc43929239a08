"""The terms of one program, and what its expressions say beside their terms: collected while it is read, complete before types are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.terms import Binder, CallSite, Position, Ref, Term
from mathdsl.ir.nodes import Origin, Range
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

    @cached_property
    def target(self) -> Ref:
        """What gets the value, as a read of it."""
        return Ref(self.symbol, self.positions, span=self.span)


@dataclass(frozen=True, eq=False)
class Reference:
    """A read of an array at positions, under index variables."""

    symbol: Symbol
    positions: tuple[Position, ...]
    binders: tuple[Binder, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class Terms:
    """What statements and expressions come to."""

    assignments: list[Assignment] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    unpacked: dict[tuple[Span, ast.Expression, tuple[Binder, ...]], Term] = field(default_factory=dict)  # calls with several results
    applied: list[Applied] = field(default_factory=list)
    bare_products: set[tuple[Span, Span]] = field(default_factory=set)  # a sum, and a term `a \cdot b` of it without a parenthesis
    common_ranges: list[tuple[Name, Range, Range, Span]] = field(default_factory=list)  # of axes that the index of a bare sum goes along
    identities: list[tuple[Poly, Span]] = field(default_factory=list)  # identity matrices without a size, and what it is
    named_ranges: dict[Symbol, Range] = field(default_factory=dict)
    value_sizes: set[str] = field(default_factory=set)  # sizes that stand as numbers in values
    bound_sizes: set[str] = field(default_factory=set)  # sizes that nothing but bounds and domains mentions

    @cached_property
    def _by_symbol(self) -> Mapping[Symbol, list[Reference]]:
        found: dict[Symbol, list[Reference]] = {}
        for reference in self.references:
            found.setdefault(reference.symbol, []).append(reference)
        return found

    def references_to(self, symbol: Symbol) -> list[Reference]:
        """The reads of an array that index it, once all are collected."""
        return self._by_symbol.get(symbol, [])


# ---- statements ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Target:
    """One array that a statement defines, and where."""

    symbol: Symbol
    positions: tuple[Position, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """A statement whose targets are known and whose value is still to be read."""

    targets: tuple[Target | None, ...]
    binders: tuple[Binder, ...]
    value: ast.Expression
    origin: Origin
    node: ast.Definition
    names_range: Range | None = None
    names_rows: bool = False  # `c_t = \\cat{c_{t,1}, …}`: all of each row, so that the family itself is named

    @property
    def is_triangle(self) -> bool:
        r"""Whether one index ends at another, `1 \leq j \leq i`: what lies outside of it is a hole."""
        return isinstance(self.value, ast.Cases) and isinstance(self.value.rows[-1].value, ast.Hole)

    def assignment(self, target: Target, value: Term) -> Assignment:
        """The statement with the value that one of its targets gets."""
        return Assignment(target.symbol, target.positions, self.binders, value, self.origin, self.node.target.span)


@dataclass(eq=False)
class Drafts:
    """What is collected of the statements of a procedure; `remarks` on lines of their own are about what follows, `said` of the result."""

    drafts: list[Draft] = field(default_factory=list)
    groups: list[ast.EquationGroup] = field(default_factory=list)
    results: list[ast.Return] = field(default_factory=list)
    assertions: list[tuple[ast.Assertion, tuple[Binder, ...]]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    said: str = ""

    def take_remarks(self) -> str:
        """The remarks that no statement has yet."""
        found = "; ".join(self.remarks)
        self.remarks.clear()
        return found


@dataclass(frozen=True, eq=False)
class Body:
    """What the statements of a program come to beside the terms that they assign: what it returns and what it checks."""

    drafts: Sequence[Draft]
    groups: Sequence[ast.EquationGroup]
    result: Term | None
    returned: Origin
    checks: Sequence[tuple[Term, Origin]]

    @property
    def terms(self) -> tuple[Term, ...]:
        """What is checked and returned."""
        return (*(check for check, _ in self.checks), *(() if self.result is None else (self.result,)))
