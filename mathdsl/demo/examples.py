"""Where the example documents are: inside an installed package, beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def example_path(name: str) -> Path:
    """The path of `lstm_topic.tex` and its like."""
    installed, checkout = _PACKAGE / "examples" / name, _PACKAGE.parent / "examples" / name
    return installed if installed.exists() else checkout
