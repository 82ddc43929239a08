"""`mathdsl demo`: compile a spec, train it on real text, and say how good it is on held-out text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import click

from mathdsl.demo.errors import Unusable
from mathdsl.demo.outcomes import Outcome
from mathdsl.demo.specs import DEFAULT, SPECS, Spec
from mathdsl.loading import without_numpy

_SEEDS = click.IntRange(min=0, max=2**32 - 1)
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_REPORTS = 10  # lines where there is no terminal to draw a bar on


class Refused(click.ClickException):
    """What cannot be used, in one line and with the exit code of wrong usage."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"error: {self.format_message()}", err=True)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--spec", "name", type=click.Choice(list(SPECS)), default=DEFAULT, show_default=True, help="What to compile and train.")
@click.option("--data", "folder", type=_FOLDER, help="Folder with AG_NEWS train.csv, test.csv, to be read instead of docstrings.")
@click.option("--steps", type=click.IntRange(min=1), help="Training steps, instead of the spec's own number.")
@click.option("--seed", type=_SEEDS, default=0, show_default=True, help="Seed of initialisation and order.")
@click.option("--device", default="cpu", show_default=True, help="A torch device, such as cuda.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw the costs of training; needs matplotlib.")
def demo(name: str, folder: Path | None, steps: int | None, seed: int, device: str, plot: Path | None) -> None:
    """Compile a model from LaTeX, train it on text that every install has, say how good it is on held-out text.

    lstm_topic learns which of four installed libraries a sentence of a docstring comes from; the other specs learn to name
    each next word. The exit code is 1 where a model is hardly better than one that does not read.

    The last line says how good it is. Of topics: the share of right ones, that of always naming the most frequent topic,
    and how many times more errors the latter makes (errors ratio). Of words: the perplexities of the model and of
    the words' frequencies alone (unigram), and how many times the latter is larger (ratio).
    """
    spec = SPECS[name]
    count = steps or spec.steps
    try:
        outcome = _run(spec, folder, count, seed, device, plot)
    except Unusable as problem:
        raise Refused(str(problem)) from problem
    if not outcome.succeeded:
        more = f"; more steps help ({count} of the usual {spec.steps} were made)" if count < spec.steps else ""
        click.echo(f"not reached: {outcome.goal}{more}", err=True)
        sys.exit(1)


def _run(spec: Spec, folder: Path | None, steps: int, seed: int, device: str, plot: Path | None) -> Outcome:
    from mathdsl.demo.plot import check_plot, save_plot

    if plot is not None:
        check_plot(plot)

    with without_numpy():
        import torch

    from mathdsl.demo.reading import read_texts
    from mathdsl.demo.run import find_device, start_run

    torch.set_num_threads(1)  # the products are too small for two threads to help, and waiting for each other costs
    find_device(device)
    click.echo("reading the articles" if folder else "reading the docstrings of four libraries")
    run = start_run(spec, read_texts(folder), seed=seed, device=device)
    click.echo(run.describe())
    costs = show_progress(run.train(steps), steps)
    outcome = run.measure()
    if plot is not None:
        save_plot(plot, costs, outcome, f"{spec.document}: {spec.module}")
    click.echo(outcome.summary)
    return outcome


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
