"""Codes of syntax (E02xx): what the grammar does not accept."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = ()
