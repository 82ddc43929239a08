"""Passes: one change of the program each, in the order that `pipeline` gives."""

from mathdsl.passes.pipeline import PIPELINE, Pass, check_name, passed, run_passes, run_until

__all__ = ["PIPELINE", "Pass", "check_name", "passed", "run_passes", "run_until"]
