r"""Lengths in TeX: `2pt`, `-.5em`; what is about as wide in a formula."""

from __future__ import annotations

LENGTH = r"\s*(-?\d*\.?\d+)\s*(pt|ex|em|mm|cm|in|bp|pc)\s*"
"""A number and its unit."""

_EMS = {"em": 1.0, "ex": 0.43, "pt": 0.1, "bp": 0.1, "mm": 0.285, "cm": 2.85, "in": 7.2, "pc": 1.2}
_SPACES = ((1.5, r"\qquad"), (0.6, r"\quad"), (0.25, r"\;"), (0.0, r"\,"))


def find_space(number: str, unit: str) -> str | None:
    """The command of a space about as wide; None for one that is not seen, or goes back."""
    width = float(number) * _EMS[unit]
    return next((command for least, command in _SPACES if width > least), None)
