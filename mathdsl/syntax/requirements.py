r"""What `\Require` and `\Ensure` say: declarations and conditions, and the program that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mathdsl.dataclass import dataclass
from mathdsl.syntax.build_declarations import (
    Declared,
    as_range,
    build_row,
    is_real,
    is_symbol,
    join_listed,
    listed_run,
    range_end,
)
from mathdsl.syntax.build_names import place
from mathdsl.syntax.nodes import (
    Accent,
    Assertion,
    Declaration,
    Definition,
    Dots,
    Expression,
    Group,
    Identifier,
    Indexing,
    Juxtaposition,
    Logic,
    Node,
    Number,
    Procedure,
    Relation,
    RequirementLine,
    Return,
    Scripts,
    SetDisplay,
    Statement,
    Where,
)
from mathdsl.syntax.traversal import children, descendants, header_rows, statements_in, whole_of


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
    r"""`a, b \in A, x_t \in B, t = 1, \dots, S, S > 0`: two declarations and a condition; the words of a line describe all of it, where
    none are of one alone.

    A type holds for the symbols before it; a range, and a bound on an index of these symbols, belongs to the declaration before it
    and to those further before whose symbols have the index and say nothing of it.
    """
    declarations: list[Declaration] = []
    conditions: list[Expression] = []
    of_all = None if any(entry.said for entry in declared) else description
    items = tuple(entry.item for entry in declared)
    at = start = 0
    while at < len(declared):
        run = listed_run(items, at) if start == at else None
        end = range_end(items, at) if run is None else run[1]
        item = items[at]
        if start == at and run is None and declarations and (end > at + 1 or _bounds_index(item, declarations[-1])):
            _add_range(declarations, as_range(items[at:end]))
            start = end
        elif run is not None:
            declarations.append(_row(declared[start:end], of_all))
            start = end
        elif start == at and _is_condition(declared[at]):
            conditions.append(item)
            start = end
        elif isinstance(item, Relation) or declared[at].type is not None:
            declarations.append(_row(declared[start:end], of_all))
            start = end
        at = end
    if start < len(declared):
        declarations.append(_row(declared[start:], of_all))
    return join_listed(tuple(declarations)), tuple(conditions)


def _row(declared: tuple[Declared, ...], description: str | None) -> Declaration:
    said = "; ".join(entry.said for entry in declared if entry.said) if description is None else description
    return build_row(declared, said, place(declared))


def _is_condition(entry: Declared) -> bool:
    r"""Whether nothing is declared: `S > 0`, but neither `x \in X`, `x = (x_1, \dots, x_S)` nor `\mathcal{V} = \{1, \dots, n\}`."""
    match entry.item:
        case Relation((r"\in" | r"\sim" | r"\subseteq", *_)):
            return False
        case Relation(("=",), (_, Group(items) | SetDisplay(items))):
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
    r"""Whether `1 \leq i \leq n` or `i \in I` says where the `i` of a declared `x_i` runs; after `n_x \in \mathbb{N}`, what is in
    `\mathbb{R}^{n_x}` or in `\{1, \dots, n_x\}` is an `x` of its own."""
    if not isinstance(item, Relation):
        return False
    if r"\in" in item.operators and any(name in declaration.symbols or name == _REALS for name in _names(item.operands[-1])):
        return False
    indices = [index for symbol in declaration.symbols for index in _indices(symbol) if not isinstance(index, Number)]
    return any(operand in indices for operand in item.operands)


_REALS = Identifier("R", "mathbb")


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


def _with_values(procedure: Procedure, requirements: Sequence[Requirement]) -> tuple[Procedure, Sequence[Requirement]]:
    r"""The program in which `\eta = 0.001` gives a value to what the header does not name: as a row of a table does, and as a first
    statement to what statements assign, too; so is `h_0 = 100` where they assign `h_t`."""
    named = [symbol for row in header_rows(procedure) for symbol in row.symbols]
    assigned = [target for node in statements_in(procedure.body) if isinstance(node, Definition) for target in node.targets]
    first: list[Statement] = []
    kept: list[Requirement] = []
    for requirement in requirements:
        if requirement.holds_after:
            kept.append(requirement)
            continue
        declarations, conditions = list(requirement.declarations), list[Expression]()
        for condition in requirement.conditions:
            match condition:
                case Relation(("=",), (symbol, value)) if (
                    is_symbol(symbol)
                    and (is_real(value) or isinstance(value, Number) and _is_first(symbol, assigned))
                    and symbol not in named
                ):
                    if symbol in assigned or _is_first(symbol, assigned):
                        first.append(Definition(symbol, value, span=condition.span))
                    else:
                        declarations.append(Declaration((symbol,), default=value, span=condition.span))
                case _:
                    conditions.append(condition)
        kept.append(replace(requirement, declarations=tuple(declarations), conditions=tuple(conditions)))
    return replace(procedure, body=(*first, *procedure.body)) if first else procedure, kept


def _is_first(symbol: Expression, assigned: Sequence[Expression]) -> bool:
    """Whether this is an element at a number, `h_0`, of what statements assign by other indices, `h_t`."""
    match symbol:
        case Scripts(base, (_, *_) as items, None):
            same = (one for one in assigned if isinstance(one, Scripts) and one.base == base and len(one.subscripts) == len(items))
            return all(isinstance(item, Number) for item in items) and symbol not in assigned and any(same)
        case _:
            return False


def attach(procedure: Procedure, requirements: Sequence[Requirement]) -> Procedure:
    """The program with tables of what is declared, and assertions of the conditions: at its start, or before its result."""
    if procedure.takes_required:
        procedure, requirements = _taking(procedure, requirements)
    procedure, requirements = _with_values(procedure, requirements)
    for requirement in requirements:
        is_alone = len(requirement.declarations) == 1 and len(requirement.declarations[0].symbols) == 1
        rows = tuple(row for one in requirement.declarations if (row := _as_said(one, is_alone)) is not None)
        if rows or not requirement.conditions:
            tables = (*procedure.wheres, Where(rows, line=requirement.line, span=requirement.span))
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


def _as_said(row: Declaration, is_alone: bool) -> Declaration | None:
    r"""A row that only names a symbol, `\Require $x$`, says at most what it is, where it does so of one alone: "the signal $x$"."""
    if row.parts or row.ranges or row.relation is not None:
        return row
    return replace(row, flags=("stated",)) if row.description and is_alone else None


# ---- a program without a header ------------------------------------------------------------------


def _taking(procedure: Procedure, requirements: Sequence[Requirement]) -> tuple[Procedure, Sequence[Requirement]]:
    r"""The program with all that is required as its inputs, and its result where only `\Ensure` says it."""
    rows = [row for requirement in requirements for row in requirement.declarations]
    declared = [symbol for row in rows for symbol in row.symbols]
    sizes = [name for row in rows for name in _sizes(row)]
    no_numbers = [*sizes, *(letter for row in rows for letter in _letters(row)), *_NUMBERS]
    inputs: list[Declaration] = []
    kept: list[Requirement] = []
    for requirement in requirements:
        conditions = requirement.conditions
        if not requirement.holds_after:
            given = (item for node in (*requirement.declarations, *conditions) for item in _given(node, no_numbers, declared))
            inputs += sorted(given, key=lambda item: item.span.start)
            conditions = tuple(condition for condition in conditions if _value_of(condition) is None)
        kept.append(replace(requirement, conditions=conditions))
    known = [item.symbols for item in inputs]
    inputs = [item for at, item in enumerate(inputs) if item.symbols not in known[:at] and item.symbols[0] not in sizes]
    after = [requirement for requirement in requirements if requirement.holds_after]
    said = [whole_of(symbol, _letters(row)) for requirement in after for row in requirement.declarations for symbol in row.symbols]
    stated = [condition for requirement in after for condition in requirement.conditions if isinstance(condition, Relation)]
    said += (condition.operands[0] for condition in stated if condition.operators == ("=",))
    ensured = [symbol for symbol in said if is_symbol(symbol)]
    body = procedure.body
    if ensured and not any(isinstance(statement, Return) for statement in statements_in(body)):
        value = ensured[0] if len(ensured) == 1 else Group(tuple(ensured), span=place(ensured))
        body = (*body, Return(value, span=value.span))
    inputs = sorted((*inputs, *procedure.inputs), key=lambda item: item.default is not None)
    return replace(procedure, inputs=tuple(inputs), body=body), kept


def _sizes(row: Declaration) -> Iterator[Expression]:
    r"""The names in the type and the ranges of a row, but no letter that indexes: `d_x` and `T` of `x_t \in \mathbb{R}^{d_x}` with
    `t = 1, \dots, T`; a family with its element, `n` and `n_t` of `x_t \in \mathbb{R}^{n_t}`."""
    letters = _letters(row)
    for part in (*(() if row.type is None else (row.type,)), *row.ranges):
        for name in _names(part):
            if name not in letters:
                yield from (name, whole_of(name, letters))


def _letters(row: Declaration) -> set[Expression]:
    r"""The letters that index the symbols of a row and whose ranges it says: `t` of `x_t \in \mathbb{R}, t = 1, \dots, n_x`."""
    ranged = {name for item in row.ranges for name in _names(item)}
    return {index for symbol in row.symbols for index in _indices(symbol) if index in ranged}


def _names(node: Node) -> Iterator[Expression]:
    r"""The whole names in a type or a range: `d_x` of `\mathbb{R}^{d_x}`, without the `x` in it; `n` of the set `\mathbb{Z}_n`."""
    match node:
        case Identifier() | Accent():
            yield node
        case Scripts(Identifier(font=font)) if font != "mathbb" and is_symbol(node):
            yield node
        case Scripts(Identifier(font=font), (_, *_), Node() as power) if font != "mathbb":
            yield replace(node, superscript=None)
            yield from _names(power)
        case _:
            for below in children(node):
                yield from _names(below)


def _given(node: Declaration | Expression, no_numbers: Sequence[Expression], declared: Sequence[Expression]) -> Iterator[Declaration]:
    r"""The inputs of a declaration, `x_t \in \mathbb{R}^d, t = 1, \dots, S`, or of a condition: `\eta > 0`, `\alpha = 0.1`.

    What is compared with numbers and declared nowhere is a number.
    """
    match node:
        case Declaration(symbols=symbols):
            letters = _letters(node)
            for symbol in symbols if node.type is not None else filter(is_symbol, symbols):
                whole = whole_of(symbol, letters)
                yield Declaration((whole,), span=whole.span)
        case Relation(operands=operands):
            default = _value_of(node)
            is_number = all(is_symbol(operand) or isinstance(operand, Number) for operand in operands) and "=" not in node.operators
            for operand in operands:
                if is_symbol(operand) and operand not in no_numbers:
                    type_ = _REALS if is_number and operand not in declared else None
                    yield Declaration((operand,), type_, default, span=operand.span)
        case Logic(operands=operands):
            for operand in operands:
                yield from _given(operand, no_numbers, declared)
        case _:
            pass


def _value_of(condition: Expression) -> Expression | None:
    r"""The value in `\alpha = 0.1`, which a call may replace; None for every other condition."""
    match condition:
        case Relation(("=",), (symbol, value)) if is_symbol(symbol):
            return None if any(isinstance(part, Identifier) for part in (value, *descendants(value))) else value
        case _:
            return None


_NUMBERS = (Identifier(r"\infty"), Identifier(r"\pi"))
r"""What a condition compares with, `0 < \theta < \pi`."""


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
