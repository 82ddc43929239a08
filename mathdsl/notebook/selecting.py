"""Of all cells of a notebook, the programs that one cell is compiled with: its own, those that they mention, and all tables.

What a later cell defines again replaces what an earlier one defined; within one cell a second definition stays the mistake that it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import spelling_of
from mathdsl.syntax.display.tex import render_expression
from mathdsl.syntax.nodes import Definition, Document, Expression, Identifier, Item, Juxtaposition, Procedure, Where
from mathdsl.syntax.traversal import descendants


def select_programs(document: Document, own: str, order: Mapping[str, int]) -> Document:
    """The document without what the file `own` does not need; `order` numbers the files as they were run."""
    parts = _without_replaced(_parts(document), order)
    by_word: dict[str, list[_Part]] = {}
    for part in parts:
        by_word.setdefault(part.word, []).append(part)
    wanted: set[int] = set()
    waiting = [part for part in parts if part.file == own or not part.name]
    while waiting:
        part = waiting.pop()
        if id(part) not in wanted:
            wanted.add(id(part))
            waiting += [other for word in part.mentions for other in by_word.get(word, ())]
    return Document(tuple(item for part in parts if id(part) in wanted for item in part.items))


def defined_programs(document: Document) -> tuple[tuple[str, str], ...]:
    """File and name of each procedure and function, in order: the generated text has a class or a function for each."""
    return tuple((item.span.file, _name(item)) for item in document.items if isinstance(item, Procedure) or _is_function(item))


def defined_symbols(document: Document, own: str) -> tuple[str, ...]:
    """What else a file defines or declares, in order: aliases, symbols of tables, relations of sizes."""
    return tuple(dict.fromkeys(symbol for item in document.items if item.span.file == own for symbol in _symbols(item)))


def _symbols(item: Item) -> Iterator[str]:
    match item:
        case Definition(target=target) if not _is_function(item):
            yield render_expression(target)
        case Where(rows=rows):
            for row in rows:
                yield from map(render_expression, row.symbols or (() if row.relation is None else (row.relation,)))
        case Procedure() | Definition():
            return


@dataclass(frozen=True, slots=True)
class _Part:
    """An item with the tables directly after it.

    `name` is '' for a table that holds for all programs, `word` the letters that a mention of the name has, `mentions` those it has.
    """

    items: tuple[Item, ...]
    file: str
    name: str
    word: str
    mentions: frozenset[str]


def _parts(document: Document) -> Iterator[_Part]:
    groups: list[list[Item]] = []
    for item in document.items:
        if isinstance(item, Where) and item.directly_after and groups and isinstance(groups[-1][0], Definition):
            groups[-1].append(item)
        else:
            groups.append([item])
    for group in groups:
        yield _Part(tuple(group), group[0].span.file, _name(group[0]), _word(group[0]), frozenset(_mentions(group)))


def _without_replaced(parts: Iterator[_Part], order: Mapping[str, int]) -> list[_Part]:
    """Without definitions that a later file gives anew, and without the rows of tables whose symbols it declares anew."""
    known = list(parts)
    names: dict[str, int] = {}
    symbols: dict[str, int] = {}
    for part in known:
        if part.name:
            names[part.name] = max(order.get(part.file, 0), names.get(part.name, 0))
        for symbol in _declared(part):
            symbols[symbol] = max(order.get(part.file, 0), symbols.get(symbol, 0))
    kept = [part for part in known if not part.name or order.get(part.file, 0) == names[part.name]]
    return [part if part.name else _with_current_rows(part, symbols, order.get(part.file, 0)) for part in kept]


def _declared(part: _Part) -> Iterator[str]:
    for item in part.items:
        if isinstance(item, Where) and not part.name:
            yield from (render_expression(symbol) for row in item.rows for symbol in row.symbols)


def _with_current_rows(part: _Part, symbols: Mapping[str, int], now: int) -> _Part:
    tables = []
    for table in part.items:
        assert isinstance(table, Where)
        rows = []
        for row in table.rows:
            current = tuple(symbol for symbol in row.symbols if symbols[render_expression(symbol)] == now)
            if current or not row.symbols:
                rows.append(replace(row, symbols=current))
        tables.append(replace(table, rows=tuple(rows)))
    return replace(part, items=tuple(tables))


def _is_function(item: Item) -> bool:
    return isinstance(item, Definition) and isinstance(item.target, Juxtaposition)


def _name(item: Item) -> str:
    """The canonical name of what an item defines, as in the table of symbols."""
    match item:
        case Procedure(name=name):
            return name
        case Definition(target=target):
            head = _head(target)
            return spelling_of(head) or render_expression(head)
        case Where():
            return ""


def _word(item: Item) -> str:
    """The first identifier of its name, without backslash."""
    match item:
        case Procedure(name=name):
            return name
        case Definition(target=target):
            head = _head(target)
            return next((one.text.removeprefix("\\") for one in (head, *descendants(head)) if isinstance(one, Identifier)), "")
        case Where():
            return ""


def _head(target: Expression) -> Expression:
    return target.factors[0] if isinstance(target, Juxtaposition) else target


def _mentions(items: list[Item]) -> Iterator[str]:
    for item in items:
        yield from (node.text.removeprefix("\\") for node in descendants(item) if isinstance(node, Identifier))
