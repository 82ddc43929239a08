"""A diagnostic is data: a code, a message, places with labels, notes, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mathdsl.spans import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Label:
    """A second place of a diagnostic, with what is to be seen there."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` names a row of the catalogue; `span` is the smallest place that is wrong."""

    code: str
    severity: Severity
    message: str
    span: Span
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""


class MathdslError(Exception):
    """The author's mistake, raised where going on makes no sense; collected by the driver."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


class InternalError(Exception):
    """Our own mistake: an invariant of the compiler does not hold."""


@dataclass(slots=True)
class Diagnostics:
    """The findings of one run, in order; stages append to it."""

    items: list[Diagnostic] = field(default_factory=list)
    _seen: set[Diagnostic] = field(default_factory=set, repr=False)
    _errors: int = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Append a finding, once."""
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.items.append(diagnostic)
            self._errors += diagnostic.severity == "error"

    def has_errors(self) -> bool:
        """Whether there is an error among them."""
        return self._errors > 0
