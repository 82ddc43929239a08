"""Passes: one change of the program each, in the order that `pipeline` gives."""

from mathdsl.passes.pipeline import PIPELINE, Pass, run_passes

__all__ = ["PIPELINE", "Pass", "run_passes"]
