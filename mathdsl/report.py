"""What `check` prints: the table of symbols and the findings, as text or JSON, of one document or of a folder of them."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby

from mathdsl.diagnostics.excerpts import visible
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.diagnostics.presenting import arrange, second_places
from mathdsl.result import CompileResult, SymbolRow
from mathdsl.spans import SourceFile, Span

_COLUMNS = ("symbol", "python", "kind", "type", "shape", "origin", "description")
_WIDEST = 60
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")
_Place = dict[str, object]


def symbols_table(results: Sequence[CompileResult]) -> str:
    """A table for each module, its columns aligned; a document's names stand above where there are several documents."""
    parts: list[str] = []
    for result in results:
        if len(results) > 1:
            parts.append("# " + ", ".join(visible(file.name) for file in result.files))
        for module, rows in groupby(result.symbols, key=lambda row: row.module):
            parts.append(_draw_table(module, list(rows)))
    return "\n".join(parts)


def symbols_json(results: Sequence[CompileResult]) -> str:
    """The rows of all documents as a list of objects."""
    return _write_json([asdict(row) for result in results for row in result.symbols])


def diagnostics_json(results: Sequence[CompileResult]) -> str:
    """The findings of all documents as a list of objects."""
    return _write_json([finding for result in results for finding in _describe_all(result.diagnostics, result.files)])


def _write_json(value: object) -> str:
    """Letters as they are; what would move a terminal's cursor or reverse a line, escaped."""
    written = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return _NOT_ASCII.sub(lambda match: match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1], written)


def _draw_table(module: str, rows: list[SymbolRow]) -> str:
    cells = [_COLUMNS, *(tuple(_shorten(str(getattr(row, column))) for column in _COLUMNS) for row in rows)]
    widths = [max(_width(line[column]) for line in cells) for column in range(len(_COLUMNS))]
    lines = ["  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(line, widths)).rstrip() for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    return "\n".join([module or "(the whole document)", *("  " + line for line in lines)]) + "\n"


def _shorten(text: str) -> str:
    text = visible(" ".join(text.split()))
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _width(text: str) -> int:
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _describe_all(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile]) -> list[dict[str, object]]:
    """The diagnostics as dictionaries, in the document's order, capped as everywhere."""
    starts = {file.name: [0, *(n + 1 for n, character in enumerate(file.text) if character == "\n")] for file in files}
    return [_describe(d, starts) for d in arrange(diagnostics, files)]


def _describe(diagnostic: Diagnostic, starts: Mapping[str, list[int]]) -> dict[str, object]:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_place(diagnostic.span, starts),
        "labels": [{**_place(label.span, starts), "text": label.text} for label in second_places(diagnostic)],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def _place(span: Span, starts: Mapping[str, list[int]]) -> _Place:
    return {"file": span.file, "start": _point(span.start, span.file, starts), "end": _point(span.end, span.file, starts)}


def _point(offset: int, file: str, starts: Mapping[str, list[int]]) -> dict[str, int]:
    lines = starts.get(file, [0])
    line = bisect_right(lines, offset) - 1
    return {"line": line + 1, "column": offset - lines[line] + 1}
