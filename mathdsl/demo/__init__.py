"""The main job: compile the models of `examples/` and train them on text that every install has.

`read_texts`, `load_spec`, `start_run` and `draw_costs` are what a notebook needs; torch is imported with the first run.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathdsl.demo.corpus import Corpus, Text
    from mathdsl.demo.outcomes import Accuracy, Outcome, Perplexity
    from mathdsl.demo.plot import draw_costs
    from mathdsl.demo.reading import read_texts
    from mathdsl.demo.run import Run, start_run
    from mathdsl.demo.specs import SPECS, Spec, load_spec

_HOMES = {
    "Corpus": "corpus",
    "Text": "corpus",
    "Accuracy": "outcomes",
    "Outcome": "outcomes",
    "Perplexity": "outcomes",
    "draw_costs": "plot",
    "read_texts": "reading",
    "Run": "run",
    "start_run": "run",
    "SPECS": "specs",
    "Spec": "specs",
    "load_spec": "specs",
}

__all__ = [
    "SPECS",
    "Accuracy",
    "Corpus",
    "Outcome",
    "Perplexity",
    "Run",
    "Spec",
    "Text",
    "draw_costs",
    "load_spec",
    "read_texts",
    "start_run",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"mathdsl.demo.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mathdsl.demo' has no attribute {name!r}")
