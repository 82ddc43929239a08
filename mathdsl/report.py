"""What `check` prints: the table of symbols and the findings, as text or JSON, of one document or of a folder of them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

from mathdsl.diagnostics.excerpts import visible
from mathdsl.diagnostics.json import describe_all
from mathdsl.result import CompileResult, SymbolRow

_COLUMNS = ("symbol", "python", "kind", "type", "shape", "origin", "description")
_WIDEST = 60
_NOT_ASCII = re.compile(r"[^\x00-\x7e]")


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
    return _write_json([finding for result in results for finding in describe_all(result.diagnostics, result.files)])


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
