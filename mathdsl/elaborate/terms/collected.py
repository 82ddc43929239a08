"""The terms of one program, and what its expressions say beside their terms: collected while it is read, complete before types are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.terms import Binder, CallSite, Position, Term
from mathdsl.ir.nodes import Origin, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span


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
class Terms:
    """What statements and expressions come to."""

    assignments: list[Assignment] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
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
