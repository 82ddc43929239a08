"""The shape of a catalogue row: what a diagnostic's code means, for `mathdsl explain CODE`."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Severity


@dataclass(frozen=True, slots=True)
class Row:
    """`explanation` is Markdown: what went wrong, why it is refused, a wrong and a right example."""

    code: str
    severity: Severity
    title: str
    explanation: str
