"""Diagnostics: data about the author's text, built from one catalogue and drawn as text or JSON."""

from __future__ import annotations

from mathdsl.diagnostics.build import ambiguous, error, note, warning
from mathdsl.diagnostics.catalogue import CATALOGUE, Row, find_row
from mathdsl.diagnostics.model import Diagnostic, Diagnostics, InternalError, Label, MathdslError, Severity

__all__ = [
    "CATALOGUE",
    "Diagnostic",
    "Diagnostics",
    "InternalError",
    "Label",
    "MathdslError",
    "Row",
    "Severity",
    "ambiguous",
    "error",
    "find_row",
    "note",
    "warning",
]
