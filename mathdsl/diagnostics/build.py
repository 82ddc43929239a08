"""Builders of diagnostics: the code gives the severity, and an unknown code is our mistake."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.diagnostics.catalogue import list_severities
from mathdsl.diagnostics.model import Diagnostic, InternalError, Label, Severity
from mathdsl.diagnostics.readings.row import Ambiguity
from mathdsl.spans import Span


def error(
    code: str,
    message: str,
    span: Span,
    *,
    label: str = "",
    labels: Sequence[Label] = (),
    notes: Sequence[str] = (),
    help: str = "",
) -> Diagnostic:
    """An error: the program has no meaning; `label` stands at the caret, `labels` are the second places."""
    return _build("error", code, Diagnostic(code, "error", message, span, label, tuple(labels), tuple(notes), help))


def warning(
    code: str,
    message: str,
    span: Span,
    *,
    label: str = "",
    labels: Sequence[Label] = (),
    notes: Sequence[str] = (),
    help: str = "",
) -> Diagnostic:
    """A warning: the program has a meaning that is probably not the intended one."""
    return _build("warning", code, Diagnostic(code, "warning", message, span, label, tuple(labels), tuple(notes), help))


def note(
    code: str,
    message: str,
    span: Span,
    *,
    label: str = "",
    labels: Sequence[Label] = (),
    notes: Sequence[str] = (),
    help: str = "",
) -> Diagnostic:
    """A note: a rule of the language that decided something which the reader may want to know."""
    return _build("note", code, Diagnostic(code, "note", message, span, label, tuple(labels), tuple(notes), help))


def ambiguous(row: Ambiguity, span: Span, *, label: str = "", labels: Sequence[Label] = (), **letters: str) -> Diagnostic:
    """The refusal of a row of the table of readings: it names all readings, and its help what to do for each."""
    return error(row.code, row.message(letters), span, label=label, labels=labels, help=row.help(letters))


def _build(severity: Severity, code: str, diagnostic: Diagnostic) -> Diagnostic:
    catalogued = list_severities().get(code)
    if catalogued is None:
        raise InternalError(f"{code} has no row in the catalogue")
    if catalogued != severity:
        raise InternalError(f"{code} is catalogued as a {catalogued}, not as a {severity}")
    return diagnostic
