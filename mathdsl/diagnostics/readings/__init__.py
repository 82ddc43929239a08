"""The table of readings: every notation that can be read in several ways, each with its readings and what decides between them."""

from __future__ import annotations

from mathdsl.diagnostics.readings import names, notation, products, ranges, types
from mathdsl.diagnostics.readings.row import Ambiguity

__all__ = ["READINGS", "Ambiguity"]

READINGS = tuple(row for stage in (notation, names, ranges, products, types) for row in vars(stage).values() if isinstance(row, Ambiguity))
"""The rows in the order of the page."""
