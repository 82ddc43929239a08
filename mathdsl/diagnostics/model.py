"""A diagnostic is data: a code, a message, places with labels, notes, and what to do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Literal

from mathdsl.dataclass import dataclass, field
from mathdsl.spans import Span

WIDTH = 80
"""How many characters of the author's text a message quotes at most."""

_QUOTED = re.compile("`([^`]*)`")
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

    def __post_init__(self) -> None:
        """A message -> the same with its quotations of a text cut to a line."""
        if len(self.message) > WIDTH:
            object.__setattr__(self, "message", _QUOTED.sub(_cut, self.message))


def _cut(quoted: re.Match[str]) -> str:
    return quoted[0] if len(quoted[1]) < WIDTH else f"`{quoted[1][: WIDTH // 2]} … {quoted[1][-WIDTH // 4 :]}`"


class MathdslError(Exception):
    """The author's mistake, raised where going on makes no sense; collected by the driver."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


def _used_again(first: Diagnostic, times: int) -> Diagnostic:
    places = "another place" if times == 1 else f"{times} other places"
    return replace(first, notes=(*first.notes, f"it stands at {places}, too"))


class InternalError(Exception):
    """Our own mistake: an invariant of the compiler does not hold."""


@dataclass(slots=True)
class Diagnostics:
    """The findings of one run, in order; stages append to it."""

    items: list[Diagnostic] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)  # the words and signs of what could not be read
    _seen: set[Diagnostic] = field(default_factory=set, repr=False)
    _errors: int = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Append a finding, once."""
        if diagnostic not in self._seen:
            self._seen.add(diagnostic)
            self.items.append(diagnostic)
            self._errors += diagnostic.severity == "error"

    def may_bring(self, found: Diagnostic) -> bool:
        """Whether what could not be read writes a name of a message: it may have defined that."""
        written = " ".join(re.findall("`([^`]+)`", found.message))
        words = set(re.findall(r"\\[A-Za-z]+|[^\W\d_]+", written))
        return not words or not words.isdisjoint(self.left_out)

    def told(self) -> tuple[Diagnostic, ...]:
        """The findings as they are told: a command that is not known, and a script without braces, is told where it stands first."""
        uses = Counter(item.message for item in self.items if item.code in ("E0201", "E0211"))
        first = dict[str, Diagnostic]()
        for item in self.items:
            if item.message in uses:
                first.setdefault(item.message, item)
        return tuple(
            item if uses[item.message] < 2 else _used_again(item, uses[item.message] - 1)
            for item in self.items
            if first.get(item.message, item) is item
        )

    def has_errors(self) -> bool:
        """Whether an error is among them."""
        return self._errors > 0
