"""Faults of the compiler's own, in one line: an author can do nothing about them but report them."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

TRACE = "MATHDSL_TRACEBACK"
"""The environment variable that asks for the traceback of a fault."""

_PACKAGE = Path(__file__).parent.parent


def wants_traceback() -> bool:
    """Whether whoever runs the compiler asks for tracebacks."""
    return bool(os.environ.get(TRACE))


def describe_fault(cause: Exception) -> str:
    """What happened, and in which part of the compiler."""
    frames = [Path(frame.filename) for frame in traceback.extract_tb(cause.__traceback__)]
    stages = [frame.relative_to(_PACKAGE).parts[0].removesuffix(".py") for frame in frames if frame.is_relative_to(_PACKAGE)]
    return f"{type(cause).__name__} in {stages[-1] if stages else 'mathdsl'}: {cause}"
