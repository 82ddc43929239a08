"""The order of diagnostics, the cap, the remarks, and the second places that macros add: common to every way of showing them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mathdsl.diagnostics.build import note
from mathdsl.diagnostics.model import Diagnostic, Label
from mathdsl.spans import SourceFile, Span

MOST_SHOWN = 50
MOST_DEFINITIONS = 3
"""Of macros that call macros, the outermost and the innermost are shown."""


def arrange(diagnostics: Iterable[Diagnostic], files: Sequence[SourceFile], most: int = MOST_SHOWN) -> tuple[Diagnostic, ...]:
    """In the order of the document; beyond `most` of them a note counts the rest. Errors are never crowded out by warnings."""
    number: Mapping[str, int] = {file.name: n for n, file in enumerate(files)}
    ordered = sorted(diagnostics, key=lambda d: (number.get(d.span.file, len(files)), d.span.start, d.span.end, d.code))
    by_rank = sorted(ordered, key=lambda d: d.severity != "error")
    kept, left = by_rank[:most], by_rank[most:]
    if not left:
        return tuple(ordered)
    numbers = {id(d) for d in kept}
    shown = (d for d in ordered if id(d) in numbers)
    errors = sum(d.severity == "error" for d in left)
    rest = len(left) - errors
    named = ((errors, "error", "errors"), (rest, "warning or note", "warnings or notes"))
    counts = [f"{count} more {one if count == 1 else several}" for count, one, several in named if count]
    return (*shown, note("N0102", " and ".join(counts) + " not shown", left[0].span))


def second_places(diagnostic: Diagnostic) -> tuple[Label, ...]:
    """The labels, and the definitions of the macros that made the text, outermost first."""
    definitions = list_definitions(diagnostic.span)
    if len(definitions) > MOST_DEFINITIONS:
        definitions = [definitions[0], *definitions[1 - MOST_DEFINITIONS :]]
    told = {label.span for label in diagnostic.labels}
    return (*diagnostic.labels, *(Label(place, "in the expansion of this macro") for place in definitions if place not in told))


def list_remarks(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    """The notes and the help that say something, each behind its kind."""
    remarks = [*(("note", text) for text in diagnostic.notes), ("help", diagnostic.help)]
    return [(kind, text) for kind, text in remarks if text.strip()]


def list_definitions(span: Span) -> list[Span]:
    """A place -> the definitions of the macros that made its text, the outermost first."""
    definitions: list[Span] = []
    definition = span.definition
    while definition is not None:
        definitions.append(replace(definition, definition=None))
        definition = definition.definition
    return definitions
