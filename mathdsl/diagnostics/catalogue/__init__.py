"""The catalogue: one row for each code, gathered from the files of the stages."""

from __future__ import annotations

from types import MappingProxyType

from mathdsl.diagnostics.catalogue import backends, elaborate, passes, source, syntax
from mathdsl.diagnostics.catalogue.row import Row
from mathdsl.diagnostics.model import InternalError

_STAGES = (source, syntax, elaborate, passes, backends)


def _gather() -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for row in sorted((row for stage in _STAGES for row in stage.ROWS), key=lambda row: row.code):
        if row.code in rows:
            raise InternalError(f"two rows of the catalogue have the code {row.code}")
        rows[row.code] = row
    return rows


CATALOGUE = MappingProxyType(_gather())
"""Every row by its code, in the order of the codes."""


def find_row(code: str) -> Row | None:
    """The row of a code, written in either case."""
    return CATALOGUE.get(code.upper())
