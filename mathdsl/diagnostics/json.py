"""Diagnostics as JSON: a list of objects with lines and columns from 1, ends exclusive."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from mathdsl.diagnostics.model import Diagnostic
from mathdsl.diagnostics.presenting import arrange, second_places
from mathdsl.spans import SourceFile, Span

Place = dict[str, object]


def to_json(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile]) -> str:
    """The list as JSON text, ending in a line break."""
    return json.dumps(describe_all(diagnostics, files), ensure_ascii=False, indent=2) + "\n"


def describe_all(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile]) -> list[dict[str, object]]:
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


def _place(span: Span, starts: Mapping[str, list[int]]) -> Place:
    return {"file": span.file, "start": _point(span.start, span.file, starts), "end": _point(span.end, span.file, starts)}


def _point(offset: int, file: str, starts: Mapping[str, list[int]]) -> dict[str, int]:
    lines = starts.get(file, [0])
    line = bisect_right(lines, offset) - 1
    return {"line": line + 1, "column": offset - lines[line] + 1}
