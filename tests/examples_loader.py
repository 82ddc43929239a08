"""The examples, compiled and loaded once for all tests of a run."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import mathdsl

EXAMPLES = Path(__file__).parent.parent / "examples"
SPECS = ("elman", "lstm1997", "lstm_topic", "rhn", "transformer")


@cache
def load_example(spec: str) -> ModuleType:
    """The loaded module of `examples/<spec>.tex`."""
    return mathdsl.load(EXAMPLES / f"{spec}.tex")


def build_example(spec: str, module: str, **arguments: Any) -> Any:
    """An instance in double precision."""
    return getattr(load_example(spec), module)(**arguments).double()
