r"""What a docstring says around its programs, as rows of a table: "Let …" sentences and grid tables of parameters and nodes.

The rows are flagged `stated` (see `syntax.nodes.Declaration`): prose gives shapes, ranges, sizes and descriptions, and declares no
symbols. What is no plain name or shape is prose to a program, and stays prose.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mathdsl.dataclass import dataclass
from mathdsl.source.latex_text import Interval
from mathdsl.source.mapping import TextBuilder
from mathdsl.source.model import MappedText

_BATCH = ("B", "1")  # the first axis of what a docstring gives the shape of with its batch; 1 where all examples share it

_LET = re.compile(r"\b[Ll]et\s+(?=:math:`)")
_MATH = re.compile(r":math:`([^`]*)`")
_AND = re.compile(r"\s*(?:,\s*and|,|and)\s+(?=:math:`)")
_VERB = re.compile(r"\s*(?:be|denote|denotes)\b\s*")
_SHAPE = re.compile(r",?\s*(?:with|of)\s+shape\s+(?=:math:`)")
_DESCRIPTION_END = re.compile(r",\s+where\b|\.(?=\s|\Z)|;")
_ITEM_END = re.compile(r"\n[ \t]*(?:\n|[-*+][ \t])|\b[Ll]et\s+:math:`|\Z")

_SCRIPT = r"(?:[_^](?:\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z0-9]))"
_NAME = re.compile(rf"(?:\\[A-Za-z]+|[A-Za-z])'*{_SCRIPT}*")
_SIZE = re.compile(rf"(?:{_NAME.pattern}|\d+|\\times(?![A-Za-z])|[-+()\s])+")
_RELATION = re.compile(rf"(?P<name>{_NAME.pattern})\s*=\s*(?P<value>{_SIZE.pattern})")
_RANGE = re.compile(rf"(?P<name>{_NAME.pattern})\s*\\in\s*\\(?:set)?\s*\\?\{{[^{{}}]*\\l?dots[^{{}}]*\}}")

_BORDER = re.compile(r"^[ \t]*(\+(?:-+\+)+)[ \t]*$", re.MULTILINE)
_HEAD_BORDER = re.compile(r"^[ \t]*(\+(?:=+\+)+)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Statement:
    """A row of a table, and where in the docstring it was said."""

    at: int
    is_let: bool
    row: MappedText


def find_declarations(mapped: MappedText, programs: Sequence[Interval]) -> Iterator[tuple[int, tuple[MappedText, ...]]]:
    """The rows that belong to each of the programs of a docstring, by the program's number.

    A sentence belongs to the program that follows it, a table to the one that it follows.
    """
    if not programs:
        return
    found = (*_find_lets(mapped), *_find_rows(mapped), *_find_mentions(mapped))
    statements = [s for s in found if not any(a <= s.at < b for a, b in programs)]
    starts = [start for start, _ in programs]
    for number in range(len(programs)):
        rows: list[MappedText] = []
        for statement in statements:
            after = bisect_right(starts, statement.at)
            owner = min(after, len(programs) - 1) if statement.is_let else max(after - 1, 0)
            if owner == number:
                rows.append(statement.row)
        if rows:
            yield number, tuple(rows)


# ---- sentences -----------------------------------------------------------------------------------


def _find_lets(mapped: MappedText) -> Iterator[Statement]:
    text = mapped.text
    for let in _LET.finditer(text):
        end = _item_end(text, let.end())
        formulas = [match for match in [_MATH.match(text, let.end())] if match is not None]
        while formulas and (link := _AND.match(text, formulas[-1].end())) and (more := _MATH.match(text, link.end())):
            formulas.append(more)
        verb = _VERB.match(text, formulas[-1].end()) if formulas else None
        stop = _DESCRIPTION_END.search(text, formulas[-1].end(), end) if formulas else None
        said_until = end if stop is None else stop.start()
        shape = _SHAPE.search(text, formulas[-1].end(), said_until) if formulas else None
        description = _plain_text(text[verb.end() if verb else said_until : shape.start() if shape else said_until])
        shape_formula = _MATH.match(text, shape.end()) if shape else None
        for formula in formulas:
            row = _row_of(mapped, formula.span(1), None if shape_formula is None else shape_formula.span(1), description, has_batch=True)
            if row is not None:
                yield Statement(let.start(), True, row)
        yield from _find_ranges(mapped, formulas[-1].end() if formulas else let.end(), end)


def _item_end(text: str, start: int) -> int:
    """A sentence's list item ends at a blank line, the next item or the next such sentence."""
    match = _ITEM_END.search(text, start)
    return len(text) if match is None else match.start()


def _find_ranges(mapped: MappedText, start: int, end: int) -> Iterator[Statement]:
    r"""`x_t \in \set{1, \dots, V}` among the words."""
    for formula in _MATH.finditer(mapped.text, start, end):
        if _RANGE.fullmatch(formula[1].strip()):
            builder = TextBuilder()
            builder.add_slice(mapped, *formula.span(1))
            yield Statement(formula.start(), True, _finished(builder, mapped, formula.span(1), ""))


def _find_mentions(mapped: MappedText) -> Iterator[Statement]:
    """Names that the prose mentions, each once."""
    formulas = {formula[1].strip(): formula for formula in _MATH.finditer(mapped.text) if _NAME.fullmatch(formula[1].strip())}
    for formula in formulas.values():
        row = _row_of(mapped, formula.span(1), None, "", has_batch=True)
        if row is not None:
            yield Statement(formula.start(), True, row)


# ---- tables --------------------------------------------------------------------------------------


def _find_rows(mapped: MappedText) -> Iterator[Statement]:
    """The rows of grid tables that have columns with the title `Shape`, each right of the symbols it is about."""
    text = mapped.text
    for head in _HEAD_BORDER.finditer(text):
        left = head.start(1) - (text.rfind("\n", 0, head.start(1)) + 1)
        columns = _columns(head[1], left)
        titles = [text[slice(*cell)].strip().casefold() for cell in _cells(text, text.rfind("\n", 0, head.start()), columns)]
        pairs = [(k - 1, k) for k, title in enumerate(titles) if k and title == "shape"]
        for symbol, shape in pairs:
            yield from _column_rows(mapped, head.end(), columns, symbol, shape, has_batch=not titles[symbol].startswith("param"))


def _columns(border: str, left: int) -> list[Interval]:
    edges = [left + k for k, character in enumerate(border) if character == "+"]
    return [(a + 1, b) for a, b in pairwise(edges)]


def _cells(text: str, line_end: int, columns: list[Interval]) -> list[Interval]:
    """The columns of the line that ends there, as places in the text."""
    start = text.rfind("\n", 0, line_end) + 1
    return [(min(start + a, line_end), min(start + b, line_end)) for a, b in columns]


def _column_rows(
    mapped: MappedText, start: int, columns: list[Interval], symbol: int, shape: int, *, has_batch: bool
) -> Iterator[Statement]:
    text, position = mapped.text, start + 1
    while (end := text.find("\n", position)) >= 0 and text[position:end].lstrip().startswith(("|", "+")):
        cells = _cells(text, end, columns)
        named, shaped = (_MATH.search(text, *cells[k]) for k in (symbol, shape))
        if not _BORDER.match(text, position, end) and named and shaped:
            row = _row_of(mapped, named.span(1), shaped.span(1), "", has_batch=has_batch)
            if row is not None:
                yield Statement(position, False, row)
        position = end + 1


# ---- rows ----------------------------------------------------------------------------------------


def _row_of(mapped: MappedText, name: Interval, shape: Interval | None, description: str, *, has_batch: bool) -> MappedText | None:
    """`name \\in (sizes)`, a relation of sizes, or a name with a description alone; None where it is something else."""
    written = mapped.text[slice(*name)].strip()
    builder = TextBuilder()
    if shape is None and (_NAME.fullmatch(written) or _RELATION.fullmatch(written)):
        builder.add_slice(mapped, *name)
        return _finished(builder, mapped, name, description)
    sizes = None if shape is None else _sizes(mapped.text, shape, has_batch)
    if sizes is None or not _NAME.fullmatch(written):
        return None
    origin = mapped.span(*name)
    builder.add_slice(mapped, *name)
    builder.add(r" \in (", origin)
    for at, size in enumerate(sizes):
        builder.add(", " if at else "", origin)
        builder.add_slice(mapped, *size)
    builder.add(")", origin)
    return _finished(builder, mapped, name, description)


def _sizes(text: str, shape: Interval, has_batch: bool) -> list[Interval] | None:
    """The axes of `(B, S, \\hIn)` without the batch; None where it is no shape."""
    start, end = _stripped(text, *shape)
    if not (text.startswith("(", start) and text.startswith(")", end - 1)):
        return None
    edges = [start, *(m.start() for m in re.finditer(",", text[:end]) if m.start() > start), end - 1]
    sizes = [_stripped(text, a + 1, b) for a, b in pairwise(edges) if text[a + 1 : b].strip()]
    if has_batch and sizes and text[slice(*sizes[0])].strip() in _BATCH:
        sizes = sizes[1:]
    return sizes if all(_SIZE.fullmatch(text[slice(*size)]) for size in sizes) else None


def _stripped(text: str, start: int, end: int) -> Interval:
    inside = text[start:end]
    return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())


def _finished(builder: TextBuilder, mapped: MappedText, place: Interval, description: str) -> MappedText:
    origin = mapped.span(*place)
    builder.add(rf" \text{{ stated}}{f' & {description}' if description else ''} \\" + "\n", origin)
    return builder.build()


def _plain_text(said: str) -> str:
    """Words of a sentence as the description of a row."""
    text = _MATH.sub(lambda match: f"${match[1]}$", " ".join(said.split())).replace("\\\\", " ").replace(r"\end{where}", "")
    return re.sub(r"(?<!\\)[%&]", lambda match: "\\" + match[0], re.sub(r":\w+:`[^`]*`", "", text)).strip(" .,")
