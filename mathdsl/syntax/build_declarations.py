"""Comma lists of headers, `where` rows and domains to declarations and ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mathdsl.diagnostics import MathdslError, error
from mathdsl.spans import Span
from mathdsl.syntax.build_names import place
from mathdsl.syntax.nodes import Declaration, Dots, Expression, Hole, Identifier, Keyword, ListDisplay, Relation


@dataclass(frozen=True, slots=True)
class Declared:
    """One comma item of a header or row: an expression, perhaps a type after a colon, flags."""

    item: Expression
    type: Expression | None
    flags: tuple[str, ...]
    span: Span


def group_ranges(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    r"""`t = 1, \dots, L, j = 1, \dots, i` as two relations whose right sides are lists."""
    ranges: list[Expression] = []
    at = 0
    while at < len(items):
        end = range_end(items, at)
        ranges.append(as_range(items[at:end]))
        at = end
    return tuple(ranges)


def shared_ranges(ranges: tuple[Expression, ...]) -> tuple[Expression, ...]:
    r"""`i, j \in \{1, \dots, n\}`: indices that only a comma parts from a range have it too."""
    found: list[Expression] = []
    for item in reversed(ranges):
        match item, found[:1]:
            case Identifier(), [Relation(operators=("=" | r"\in" as operator,), operands=(Identifier(), bounds))]:
                found.insert(0, Relation((operator,), (item, bounds), span=item.span))
            case _:
                found.insert(0, item)
    return tuple(found)


def range_end(items: tuple[Expression, ...], start: int) -> int:
    r"""Where the range that starts at `start` ends: one item after its `\dots`."""
    if not _is_equation(items[start]):
        return start + 1
    for at in range(start + 1, len(items)):
        if isinstance(items[at], Dots):
            return min(at + 2, len(items))
        if isinstance(items[at], Relation):
            break
    return start + 1


def _is_equation(item: Expression) -> bool:
    return isinstance(item, Relation) and item.operators == ("=",)


def as_range(items: tuple[Expression, ...]) -> Expression:
    r"""One range: its items are `t = 1`, `\dots`, `L`, or a single condition."""
    first = items[0]
    if len(items) == 1 or not isinstance(first, Relation):
        return first
    listed = ListDisplay((first.operands[1], *items[1:]), span=place((first.operands[1], items[-1])))
    return Relation(first.operators, (first.operands[0], listed), span=place(items))


# ---- headers -----------------------------------------------------------------------------------


def build_header(declared: tuple[Declared, ...]) -> tuple[Declaration, ...]:
    """Each item carries its own type; a range belongs to the item before it."""
    items = tuple(entry.item for entry in declared)
    found: list[Declaration] = []
    at = 0
    while at < len(declared):
        end = range_end(items, at)
        is_range = end > at + 1 or (at > 0 and _is_bounds(items[at]))
        if is_range and found:
            last = found.pop()
            ranges = (*last.ranges, as_range(items[at:end]))
            span = place((last, declared[end - 1]))
            flags = last.flags + tuple(flag for entry in declared[at:end] for flag in entry.flags)
            found.append(_changed(last, ranges, flags, span))
        else:
            found.append(_header_item(declared[at]))
            end = at + 1
        at = end
    return tuple(found)


def _changed(last: Declaration, ranges: tuple[Expression, ...], flags: tuple[str, ...], span: Span) -> Declaration:
    return Declaration(last.symbols, last.type, last.default, last.initialiser, ranges, flags, span=span)


def _is_bounds(item: Expression) -> bool:
    return isinstance(item, Relation) and not {r"\in", "=", r"\sim"} & set(item.operators)


def _header_item(entry: Declared) -> Declaration:
    if isinstance(entry.item, Keyword):
        return Declaration((entry.item.name,), entry.type, entry.item.value, flags=entry.flags, span=entry.span)
    symbol, parts = _parts(entry)
    return Declaration((symbol,), parts[0], parts[1], parts[2], flags=entry.flags, span=entry.span)


def _parts(entry: Declared) -> tuple[Expression, tuple[Expression | None, Expression | None, Expression | None]]:
    r"""Symbol, and type, default, initialiser of `x \in T = v \sim D`, each at most once and in this order."""
    if not isinstance(entry.item, Relation):
        return entry.item, (entry.type, None, None)
    order = {r"\in": 0, "=": 1, r"\sim": 2}
    parts: list[Expression | None] = [entry.type, None, None]
    last = -1 if entry.type is None else 0
    for operator, operand in zip(entry.item.operators, entry.item.operands[1:], strict=True):
        rank = order.get(operator, -1)
        if rank <= last:
            raise MathdslError(
                error(
                    "E0227",
                    f"`{operator}` has no place here in a declaration",
                    operand.span,
                    help=r"a declaration is `symbol \in type = default \sim initialiser`",
                )
            )
        parts[rank] = operand
        last = rank
    return entry.item.operands[0], (parts[0], parts[1], parts[2])


# ---- rows of tables ----------------------------------------------------------------------------


def build_row(declared: tuple[Declared, ...], description: str, span: Span) -> Declaration:
    """The type holds for all symbols before it; what follows are ranges."""
    at = next((index for index, entry in enumerate(declared) if isinstance(entry.item, Relation) or entry.type is not None), None)
    flags = tuple(flag for entry in declared for flag in entry.flags)
    if at is None:
        _check_symbols(declared)
        return Declaration(tuple(entry.item for entry in declared), flags=flags, description=description, span=span)
    entry = declared[at]
    match entry.item:
        case Relation((r"\subseteq",), (left, right)):
            whole = Relation((r"\subseteq",), (Hole(span=right.span), right), span=right.span)
            entry = replace(entry, item=left, type=whole)
        case _:
            pass
    ranges = shared_ranges(group_ranges(tuple(other.item for other in declared[at + 1 :])))
    if isinstance(entry.item, Relation) and entry.item.operators[0] not in (r"\in", r"\sim"):
        if at or ranges:
            raise MathdslError(
                error("E0227", "a row relates sizes or declares symbols, not both", span, help=r"write two rows, each ended by `\\`")
            )
        return Declaration((), flags=flags, relation=entry.item, description=description, span=span)
    symbol, parts = _parts(entry)
    before = declared[:at]
    _check_symbols(before)
    symbols = (*(other.item for other in before), symbol)
    return Declaration(symbols, *parts, ranges=ranges, flags=flags, description=description, span=span)


def _check_symbols(declared: tuple[Declared, ...]) -> None:
    for entry in declared:
        if isinstance(entry.item, Dots | Keyword):
            raise MathdslError(error("E0227", "this declares no symbol", entry.span, help=r"a row is `symbol \in type & description \\`"))
