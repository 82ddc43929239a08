"""How far a training is: a bar on a terminal, a few lines anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

_REPORTS = 10  # lines where there is no terminal to draw a bar on


def show_progress(costs: Iterable[float], steps: int) -> list[float]:
    """The costs of all steps, shown as they come."""
    if sys.stdout is not None and sys.stdout.isatty():  # None: somebody closed it
        with click.progressbar(costs, length=steps, label="training", item_show_func=_show_cost) as bar:
            return list(bar)
    every = max(1, steps // _REPORTS)
    seen = []
    for step, cost in enumerate(costs, start=1):
        seen.append(cost)
        if step % every == 0:
            click.echo(f"step {step} of {steps}: cost {cost:.3f}")
    return seen


def _show_cost(cost: float | None) -> str:
    return "" if cost is None else f"cost {cost:.3f}"
