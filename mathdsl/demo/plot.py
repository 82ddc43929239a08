"""The costs of a training as a picture, with what the model and the baseline pay on held-out texts; matplotlib draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from mathdsl.demo.errors import CannotPlot
from mathdsl.demo.outcomes import Outcome

SUFFIX = ".png"
_SIZE, _DOTS = (7.2, 4.2), 150
_STEP, _MEAN, _BASELINE, _HELD_OUT = "#b8cce0", "#1f5fa8", "#5f5f5f", "#c0461a"
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
    steps, labels = range(1, len(costs) + 1), outcome.labels
    window = max(1, len(costs) // _WINDOWS)
    axes.plot(steps, costs, color=_STEP, linewidth=0.8)
    axes.plot(steps, running_mean(costs, window), color=_MEAN, linewidth=2)
    for cost, label, color, above in (
        (outcome.baseline_cost, labels.baseline, _BASELINE, outcome.baseline_cost >= outcome.cost),
        (outcome.cost, labels.model, _HELD_OUT, outcome.baseline_cost < outcome.cost),
    ):
        if not math.isfinite(cost):
            continue  # of a training that went astray
        axes.axhline(cost, color=color, linewidth=1.4, linestyle=(0, (4, 2)))
        _write_beside(axes, cost, label, color, "bottom" if above else "top")
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(f"training step (pale: each one, dark: mean of the last {window})" if window > 1 else "training step")
    axes.set_ylabel(f"cost ({labels.unit})")
    axes.set_xlim(0, max(2, len(costs)))
    axes.margins(y=0.1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="y", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _write_beside(axes: Any, cost: float, label: str, color: str, side: str) -> None:
    """A label in the right margin, where no curve is; of two levels one has it above and one below, so that they never meet."""
    axes.annotate(
        label,
        xy=(1, cost),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        color=color,
        fontsize=9,
        va=side,
        annotation_clip=False,
    )


def running_mean(values: Sequence[float], window: int) -> list[float]:
    """At each place the mean of the last `window` values, of fewer at the start."""
    sums = [0.0, *accumulate(values)]
    starts = (max(0, end - window) for end in range(1, len(sums)))
    return [(sums[end] - sums[start]) / (end - start) for end, start in enumerate(starts, start=1)]


def _unwritable(path: Path, problem: OSError) -> CannotPlot:
    return CannotPlot(f"cannot write {path}: {problem.strerror or problem}")
