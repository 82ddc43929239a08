"""What a rule decided where types leave it open, told in one note a program: letters, products row by row, words split into letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from mathdsl.diagnostics.model import Diagnostic
from mathdsl.spans import Span


class Rule(Enum):
    """A rule, and how the note says what it made of its subjects (one, several)."""

    MATRIX = ("is read as a matrix, since its letter is a capital", "are read as matrices, since their letters are capitals")
    VECTOR = ("is read as a vector, since its letter is lower case", "are read as vectors, since their letters are lower case")
    EACH = ("is applied to each element of a sequence (to each row)", "are applied to each element of a sequence (to each row)")
    PRODUCT = ("is read as the product of its letters", "are read as the products of their letters")


@dataclass(frozen=True)
class Decided:
    """One decision: the rule, the symbol (`W`, `LayerNorm`, `QK`; none: an expression), and the place."""

    rule: Rule
    subject: str
    span: Span


def note_of(program: str, decided: Sequence[Decided]) -> Iterable[Diagnostic]:
    """The one note of a program; none where no rule decided anything."""
    if decided:
        first = min(decided, key=lambda one: (one.span.file, one.span.start))
        lines = tuple(_line(rule, [one.subject for one in decided if one.rule is rule]) for rule in Rule if _has(decided, rule))
        yield Diagnostic("N0301", "note", f"rules decided in `{program}` what declarations leave open", first.span, notes=lines)


def _has(decided: Sequence[Decided], rule: Rule) -> bool:
    return any(one.rule is rule for one in decided)


def _line(rule: Rule, subjects: list[str]) -> str:
    names = [f"`{name}`" for name in dict.fromkeys(subjects) if name] + ["a product"] * ("" in subjects)
    one, several = rule.value
    return f"{names[0]} {one}" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} {several}"
