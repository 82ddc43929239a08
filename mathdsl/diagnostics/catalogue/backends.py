"""Codes of the back ends: what cannot be generated."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = ()
