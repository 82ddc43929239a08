"""The main job: compile the models of `examples/` and train them on text that every install has.

What is named here is what a notebook needs; torch is imported with the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathdsl.demo.corpus import Corpus, Text, split_words
from mathdsl.demo.errors import Unusable
from mathdsl.demo.outcomes import Accuracy, Outcome, Perplexity
from mathdsl.demo.plot import draw_costs, running_mean
from mathdsl.demo.reading import read_texts
from mathdsl.demo.specs import SPECS, Spec, load_spec
from mathdsl.reference.gallery import example_path

if TYPE_CHECKING:
    from mathdsl.demo.run import Run, start_run

__all__ = [
    "SPECS",
    "Accuracy",
    "Corpus",
    "Outcome",
    "Perplexity",
    "Run",
    "Spec",
    "Text",
    "Unusable",
    "draw_costs",
    "example_path",
    "load_spec",
    "read_texts",
    "running_mean",
    "split_words",
    "start_run",
]


def __getattr__(name: str) -> object:
    if name in ("Run", "start_run"):
        from mathdsl.demo import run

        return getattr(run, name)
    raise AttributeError(f"module 'mathdsl.demo' has no attribute {name!r}")
