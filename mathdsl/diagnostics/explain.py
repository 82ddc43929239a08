"""`mathdsl explain`: what a code means, and the list of all codes."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue import CATALOGUE, find_row


def explain(code: str) -> str | None:
    """The explanation of a code as Markdown, or None for a code that does not exist."""
    row = find_row(code)
    return None if row is None else f"{row.severity} {row.code}: {row.title}\n\n{row.explanation.strip()}\n"


def list_codes() -> str:
    """One line a code."""
    return "".join(f"{row.code}  {row.severity:<7}  {row.title}\n" for row in CATALOGUE.values())
