"""Codes of source (E01xx): documents, containers, macros and characters."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = ()
