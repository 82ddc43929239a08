"""Codes of the passes: what no pass or schedule can do."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = ()
