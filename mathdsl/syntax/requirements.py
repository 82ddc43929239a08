r"""What `\Require` and `\Ensure` say: declarations and conditions, and the program that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from mathdsl.syntax.build_declarations import Declared, as_range, build_row, range_end
from mathdsl.syntax.build_names import place
from mathdsl.syntax.nodes import (
    Assertion,
    Declaration,
    Dots,
    Expression,
    Group,
    Indexing,
    Juxtaposition,
    Logic,
    Node,
    Procedure,
    Relation,
    RequirementLine,
    Return,
    Scripts,
    Where,
)


@dataclass(frozen=True, slots=True)
class Requirement(Node):
    r"""One `\Require` or `\Ensure` (`holds_after`), until its program is found."""

    declarations: tuple[Declaration, ...]
    conditions: tuple[Expression, ...]
    holds_after: bool = False
    comment: str = ""

    @property
    def line(self) -> RequirementLine:
        return RequirementLine(self.holds_after, self.comment, self.span)


def build_requirement(declared: tuple[Declared, ...], description: str) -> tuple[tuple[Declaration, ...], tuple[Expression, ...]]:
    r"""`a, b \in A, x_t \in B, t = 1, \dots, S, S > 0`: two declarations and a condition.

    A type holds for the symbols before it; a range, and a bound on an index of these symbols, belongs to the declaration before it
    and to those further before whose symbols have the index and say nothing of it.
    """
    declarations: list[Declaration] = []
    conditions: list[Expression] = []
    items = tuple(entry.item for entry in declared)
    at = start = 0
    while at < len(declared):
        end = range_end(items, at)
        item = items[at]
        if start == at and declarations and (end > at + 1 or _bounds_index(item, declarations[-1])):
            _add_range(declarations, as_range(items[at:end]))
            start = end
        elif start == at and _is_condition(declared[at]):
            conditions.append(item)
            start = end
        elif isinstance(item, Relation) or declared[at].type is not None:
            declarations.append(_row(declared[start:end], description))
            start = end
        at = end
    if start < len(declared):
        declarations.append(_row(declared[start:], description))
    return tuple(declarations), tuple(conditions)


def _row(declared: tuple[Declared, ...], description: str) -> Declaration:
    return build_row(declared, description, place(declared))


def _is_condition(entry: Declared) -> bool:
    r"""Whether nothing is declared: `S > 0`, but neither `x \in X` nor `x = (x_1, \dots, x_S)`."""
    match entry.item:
        case Relation((r"\in" | r"\sim" | r"\subseteq", *_)):
            return False
        case Relation(("=",), (_, Group(items))):
            return not any(isinstance(item, Dots) for item in items)
        case Relation():
            return entry.type is None
        case Logic():
            return True
        case _:
            return False


def _add_range(declarations: list[Declaration], found: Expression) -> None:
    """Gives the range to the last declaration, and to those before back to one that has a range over this index."""
    last = declarations[-1]
    declarations[-1] = replace(last, ranges=(*last.ranges, found), span=place((last, found)))
    for at in range(len(declarations) - 2, -1, -1):
        other = declarations[at]
        own = [index for symbol in other.symbols for index in _indices(symbol) if index in _operands(found)]
        if any(index in _operands(earlier) for index in own for earlier in other.ranges):
            return
        if own:
            declarations[at] = replace(other, ranges=(*other.ranges, found))


def _operands(node: Expression) -> tuple[Expression, ...]:
    return node.operands if isinstance(node, Relation) else ()


def _bounds_index(item: Expression, declaration: Declaration) -> bool:
    r"""Whether `1 \leq i \leq n` or `i \in I` says where the `i` of a declared `x_i` runs."""
    if not isinstance(item, Relation):
        return False
    indices = [index for symbol in declaration.symbols for index in _indices(symbol)]
    return any(operand in indices for operand in item.operands)


def _indices(symbol: Expression) -> Iterator[Expression]:
    match symbol:
        case Scripts(base, subscripts, superscript):
            yield from subscripts
            yield from () if superscript is None else (superscript,)
            yield from _indices(base)
        case Indexing(base, items) | Juxtaposition((base, Group(items))):
            yield from items
            yield from _indices(base)
        case _:
            pass


# ---- the program -------------------------------------------------------------------------------


def attach(procedure: Procedure, requirements: Iterable[Requirement]) -> Procedure:
    """The program with tables of what is declared, and assertions of the conditions: at its start, or before its result."""
    for requirement in requirements:
        if requirement.declarations or requirement.comment and not requirement.conditions:
            tables = (*procedure.wheres, Where(requirement.declarations, line=requirement.line, span=requirement.span))
            procedure = replace(procedure, wheres=tables)
    required, ensured = (
        tuple(
            Assertion(condition, requirement.line, span=condition.span)
            for requirement in requirements
            if requirement.holds_after == after
            for condition in requirement.conditions
        )
        for after in (False, True)
    )
    body = procedure.body
    end = len(body) - 1 if body and isinstance(body[-1], Return) else len(body)
    span = place((*requirements, procedure))
    return replace(procedure, body=(*required, *body[:end], *ensured, *body[end:]), span=span)


def attach_to_next(nodes: Iterable[Any]) -> tuple[Any, ...]:
    """Requirements joined to the program that follows them; those that none follows stay."""
    joined: list[Any] = []
    for node in nodes:
        if isinstance(node, Procedure):
            waiting: list[Requirement] = []
            while joined and isinstance(joined[-1], Requirement):
                waiting.append(joined.pop())
            joined.append(attach(node, waiting[::-1]) if waiting else node)
        else:
            joined.append(node)
    return tuple(joined)
