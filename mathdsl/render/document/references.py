"""References that say what they refer to: `Section 2`, `eq. (1)`, `Figure 3`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import without_notes
from mathdsl.render.document.model import (
    Block,
    DisplayMath,
    Equations,
    Float,
    Grid,
    Heading,
    Inline,
    Inlines,
    ItemList,
    Link,
    Listing,
    Math,
    Notation,
    Paragraph,
    Place,
    Quote,
    Reference,
    Styled,
    SymbolTable,
    Text,
    Verbatim,
    shown_number,
)
from mathdsl.render.document.nesting import Path, change_inside, walk

_EQUATION = "eq."
_TIE = "\N{NO-BREAK SPACE}"

Change = Callable[[Inlines], Inlines]

_EVENT = re.compile(
    r"\\(?P<command>eqref|ref)\s*\{\s*(?P<label>[^{}]*?)\s*\}|(?P<words>\\(?:text[a-z]*|mbox)\s*\{)"
    r"|(?P<open>\{)|(?P<close>\})|\\[\s\S]"
)
_PLAIN = re.compile(r"[A-Za-z0-9.]+")


@dataclass(frozen=True, slots=True)
class Labelled:
    """What has a label: its `path` (and `line`, in a listing), the word for it, its number ('' where it has none), what a heading says."""

    path: Path
    word: str
    number: str
    title: Inlines = ()
    line: int | None = None


def find_labels(blocks: Sequence[Block]) -> dict[str, Labelled]:
    """What each label stands at, in order of appearance; of two equal labels the first counts."""
    found: dict[str, Labelled] = {}
    for label, labelled in _labelled(blocks):
        if label:
            found.setdefault(label, labelled)
    return found


def _labelled(blocks: Sequence[Block]) -> Iterator[tuple[str, Labelled]]:
    for path, block in walk(blocks):
        match block:
            case Heading(_, body, label, number=number):
                word = "Appendix" if number[:1].isalpha() else "Section"
                yield label, Labelled(path, word if number else "", number, without_notes(body))
            case DisplayMath(label=label):
                yield label, Labelled(path, _EQUATION, shown_number(block))
            case Float(kind=kind, label=label, number=number):
                yield label, Labelled(path, kind.capitalize(), number)
            case Quote(label=label, title=title, number=number):
                yield label, Labelled(path, title if number else "", number)
            case Listing(notation=notation, lines=lines):
                yield block.label, Labelled(path, "Algorithm", block.number)
                word = _EQUATION if notation == "module" else "line"
                yield from ((line.label, Labelled(path, word, shown_number(line), line=at)) for at, line in enumerate(lines))
            case _:
                continue


def name_references(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, already numbered, with a word before each reference that wants one."""
    known = find_labels(blocks)
    numbers = {label: labelled.number for label, labelled in known.items()}

    def change(inlines: Inlines) -> Inlines:
        return tuple(new for inline in inlines for new in _named(inline, known, numbers, change))

    return tuple(_changed(blocks, numbers, change))


def _named(inline: Inline, known: Mapping[str, Labelled], numbers: Mapping[str, str], change: Change) -> Iterator[Inline]:
    match inline:
        case Math(latex):
            yield Math(resolve_references(latex, numbers))
        case Reference("named" | "ref", (label,)) if label in known and known[label].title and not known[label].number:
            yield Link(f"#{label}", known[label].title)
        case Reference("named", labels):
            for number, label in enumerate(labels):
                word = known[label].word if label in known else ""
                yield Text(f"{', ' if number else ''}{word}{_TIE if word else ''}")
                yield Reference("eqref" if word == _EQUATION else "ref", (label,))
        case Styled(body=body) | Link(body=body):
            yield replace(inline, body=change(body))
        case _:
            yield inline


def _changed(blocks: Iterable[Block], numbers: Mapping[str, str], change: Change) -> Iterator[Block]:
    def inside(inner: Iterable[Block]) -> Iterator[Block]:
        return _changed(inner, numbers, change)

    for block in blocks:
        match block:
            case Heading(body=body) | Paragraph(body):
                yield replace(block, body=change(body))
            case ItemList(kind, items):
                named = ItemList(kind, tuple((change(term), body) for term, body in items))
                yield change_inside(named, inside)
            case Float(caption=caption):
                yield change_inside(replace(block, caption=change(caption)), inside)
            case Quote() | Equations():
                yield change_inside(block, inside)
            case DisplayMath(latex, cells=cells):
                resolved = tuple(resolve_references(cell, numbers) for cell in cells)
                yield replace(block, latex=resolve_references(latex, numbers), cells=resolved)
            case Grid(head, rows):
                yield replace(block, head=tuple(map(change, head)), rows=tuple(tuple(map(change, row)) for row in rows))
            case Listing():
                lines = tuple(replace(line, comment=change(line.comment)) for line in block.lines)
                tables = tuple(_table(table, change) for table in block.tables)
                yield replace(block, lines=lines, tables=tables, caption=change(block.caption))
            case Notation(declared):
                yield Notation(tuple((declaration, change(words)) for declaration, words in declared))
            case Verbatim() | Place():
                yield block
            case _:
                assert_never(block)


def _table(table: SymbolTable, change: Change) -> SymbolTable:
    return replace(table, rows=tuple(replace(row, description=change(row.description)) for row in table.rows))


def resolve_references(latex: str, numbers: Mapping[str, str]) -> str:
    """The formula with the numbers of the labels that are known; others stay."""
    if r"\ref" not in latex and r"\eqref" not in latex:
        return latex
    words: list[bool] = []

    def say(match: re.Match[str]) -> str:
        if match["words"] or match["open"]:
            words.append(match["words"] is not None or words[-1:] == [True])
        elif match["close"]:
            del words[-1:]
        elif match["command"] and _PLAIN.fullmatch(number := numbers.get(match["label"], "")):
            said = f"({number})" if match["command"] == "eqref" else number
            return said if words[-1:] == [True] else rf"\text{{{said}}}"
        return match[0]

    return _EVENT.sub(say, latex)
