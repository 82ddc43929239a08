"""Statements whose targets are known and whose values are still to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.collected import Assignment
from mathdsl.elaborate.terms.terms import Binder, Position, Term
from mathdsl.ir.nodes import Origin, Range
from mathdsl.syntax import nodes as ast


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

    def assignment(self, target: Target, value: Term) -> Assignment:
        """The statement with the value that one of its targets gets."""
        return Assignment(target.symbol, target.positions, self.binders, value, self.origin, self.node.target.span)


@dataclass(eq=False)
class Drafts:
    """What is collected of the statements of a procedure."""

    drafts: list[Draft] = field(default_factory=list)
    groups: list[ast.EquationGroup] = field(default_factory=list)
    results: list[ast.Return] = field(default_factory=list)
    assertions: list[tuple[ast.Assertion, tuple[Binder, ...]]] = field(default_factory=list)


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
