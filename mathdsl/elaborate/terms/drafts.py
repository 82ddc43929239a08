"""Statements whose targets are known and whose values are still to be read."""

from __future__ import annotations

from dataclasses import dataclass, field

from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.terms.terms import Binder, Position
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


@dataclass
class Body:
    """What a procedure's statements come to."""

    drafts: list[Draft] = field(default_factory=list)
    groups: list[ast.EquationGroup] = field(default_factory=list)
    results: list[ast.Return] = field(default_factory=list)
    assertions: list[tuple[ast.Assertion, tuple[Binder, ...]]] = field(default_factory=list)
