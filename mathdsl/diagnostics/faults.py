"""Faults of the compiler's own, in a line or two: an author can do nothing about them but report them."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

TRACE = "MATHDSL_TRACEBACK"
"""The environment variable that asks for the traceback of a fault."""

_PACKAGE = Path(__file__).parent.parent


class Fault(Exception):
    """A fault as a notebook shows it: IPython asks for these lines instead of a traceback."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(describe_fault(cause))

    def _render_traceback_(self) -> list[str]:
        advice = f"This is a fault of mathdsl, not of the notebook. Please report it with the cell; %env {TRACE}=1 shows where."
        return [f"mathdsl: internal error: {self}", advice]


def wants_traceback() -> bool:
    """Whether whoever runs the compiler asks for tracebacks."""
    return bool(os.environ.get(TRACE))


def describe_fault(cause: Exception) -> str:
    """A fault -> its words, and the part of the compiler in which it happened."""
    frames = [Path(frame.filename) for frame in traceback.extract_tb(cause.__traceback__)]
    stages = [frame.relative_to(_PACKAGE).parts[0].removesuffix(".py") for frame in frames if frame.is_relative_to(_PACKAGE)]
    return f"{type(cause).__name__} in {stages[-1] if stages else 'mathdsl'}: {cause}"
