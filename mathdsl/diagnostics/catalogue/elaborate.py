"""Codes of elaboration: names (E03xx), types and sizes (E04xx), indices and recurrences (E05xx), modules (E06xx)."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = ()
