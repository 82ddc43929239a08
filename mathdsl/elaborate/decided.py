"""What a rule decided where types leave it open, told in one note a program: letters, products row by row, words split into letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mathdsl.diagnostics.model import Diagnostic
from mathdsl.diagnostics.readings import READINGS, Ambiguity
from mathdsl.spans import Span


@dataclass(frozen=True)
class Decided:
    """One decision: the row whose first reading a rule took, the symbol (`W`, `LayerNorm`, `QK`; none: an expression), and the place."""

    row: Ambiguity
    subject: str
    span: Span


def note_of(program: str, decided: Sequence[Decided]) -> Iterable[Diagnostic]:
    """The one note of a program; none where no rule decided anything."""
    if decided:
        first = min(decided, key=lambda one: (one.span.file, one.span.start))
        subjects = {row.name: [one.subject for one in decided if one.row is row] for row in READINGS}
        lines = tuple(_line(row, subjects[row.name]) for row in READINGS if subjects[row.name])
        yield Diagnostic("N0301", "note", f"rules decided in `{program}` what declarations leave open", first.span, notes=lines)


def _line(row: Ambiguity, subjects: list[str]) -> str:
    names = [f"`{name}`" for name in dict.fromkeys(subjects) if name] + ["a product"] * ("" in subjects)
    one, several = row.noted
    return f"{names[0]} {one}" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} {several}"
