"""The costs of a training as a picture, with what the model and the baseline pay on held-out texts; matplotlib draws it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from mathdsl.demo.errors import CannotPlot
from mathdsl.demo.outcomes import Outcome

SUFFIX = ".png"
_SIZE, _DOTS = (7.2, 4.2), 150
_STEP, _MEAN, _BASELINE, _HELD_OUT = "#b8cce0", "#1f5fa8", "#8a8a8a", "#c8501e"
_WINDOWS = 40  # how many means, side by side, a curve has room for


def check_plot(path: Path) -> None:
    """`CannotPlot` where a picture could not be drawn or not be written, asked before the training and not after it."""
    if path.suffix.lower() != SUFFIX:
        raise CannotPlot(f"cannot plot to {path}: the name of the picture must end in {SUFFIX}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as problem:
        raise CannotPlot("--plot needs matplotlib: pip install 'mathdsl[plot]'") from problem
    was_there = path.exists()
    try:
        path.open("ab").close()
    except OSError as problem:
        raise _unwritable(path, problem) from problem
    if not was_there:
        path.unlink()


def save_plot(path: Path, costs: Sequence[float], outcome: Outcome, title: str) -> None:
    """Write the picture as PNG; `CannotPlot` where that fails."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, dpi=_DOTS, layout="constrained")
    draw_costs(figure.add_subplot(), costs, outcome, title)
    try:
        figure.savefig(path, format="png", metadata={"Software": None})
    except OSError as problem:
        raise _unwritable(path, problem) from problem


def draw_costs(axes: Any, costs: Sequence[float], outcome: Outcome, title: str) -> None:
    """Draw the costs of all steps on matplotlib's axes, their running mean, and the two costs on held-out texts."""
    steps = range(1, len(costs) + 1)
    labels = outcome.labels
    axes.plot(steps, costs, color=_STEP, linewidth=0.8, label="training, each step")
    axes.plot(steps, running_mean(costs, max(1, len(costs) // _WINDOWS)), color=_MEAN, linewidth=2, label="training, running mean")
    axes.axhline(outcome.baseline_cost, color=_BASELINE, linewidth=1.4, linestyle=(0, (5, 3)), label=labels.baseline)
    axes.axhline(outcome.cost, color=_HELD_OUT, linewidth=1.4, linestyle=(0, (1.5, 1.5)), label=labels.model)
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("training step")
    axes.set_ylabel(f"cost ({labels.unit})")
    axes.set_xlim(0, max(2, len(costs)))
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)


def running_mean(values: Sequence[float], window: int) -> list[float]:
    """At each place the mean of the last `window` values, of fewer at the start."""
    sums = [0.0, *accumulate(values)]
    starts = (max(0, end - window) for end in range(1, len(sums)))
    return [(sums[end] - sums[start]) / (end - start) for end, start in enumerate(starts, start=1)]


def _unwritable(path: Path, problem: OSError) -> CannotPlot:
    return CannotPlot(f"cannot write {path}: {problem.strerror or problem}")
