"""`mathdsl demo`: compile a spec, train it on real text, and say how good it is on held-out text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from mathdsl.demo.corpus import Corpus
from mathdsl.demo.outcomes import Outcome
from mathdsl.demo.reading import read_texts
from mathdsl.demo.specs import DEFAULT, SPECS, Spec
from mathdsl.loading import without_numpy

_SEEDS = click.IntRange(min=0, max=2**32 - 1)
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
_REPORTS = 10  # lines where there is no terminal to draw a bar on


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--spec", "name", type=click.Choice(list(SPECS)), default=DEFAULT, show_default=True, help="What to compile and train.")
@click.option("--data", "folder", type=_FOLDER, help="Folder with AG_NEWS train.csv, test.csv, to be read instead of docstrings.")
@click.option("--steps", type=click.IntRange(min=1), help="Training steps, instead of the spec's own number.")
@click.option("--seed", type=_SEEDS, default=0, show_default=True, help="Seed of initialisation and order.")
@click.option("--device", default="cpu", show_default=True, help="A torch device, such as cuda.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw the costs of training; needs matplotlib.")
def demo(name: str, folder: Path | None, steps: int | None, seed: int, device: str, plot: Path | None) -> None:
    """Compile an example and train it on real text.

    The text is what every install has; the last lines say how good the model is on held-out text. lstm_topic learns which of
    four installed libraries a sentence of a docstring comes from; the other specs learn to name each next word. The exit code
    is 1 where a model is hardly better than one that does not read.
    """
    spec = SPECS[name]
    count = steps or spec.steps
    outcome = _run(spec, folder, count, seed, device, plot)
    if not outcome.succeeded:
        more = f"; more steps help ({count} of the usual {spec.steps} were made)" if count < spec.steps else ""
        click.echo(f"not reached: {outcome.goal}{more}", err=True)
        sys.exit(1)


def _run(spec: Spec, folder: Path | None, steps: int, seed: int, device: str, plot: Path | None) -> Outcome:
    from mathdsl.demo.plot import check_plot, save_plot

    if plot is not None:
        check_plot(plot)

    click.echo("reading the articles" if folder else "reading the docstrings of four libraries")
    with without_numpy():
        import torch

    from mathdsl.demo.run import find_device, start_run

    torch.set_num_threads(1)  # the products are too small for two threads to help, and waiting for each other costs
    find_device(device)
    run = start_run(spec, _read(folder), seed=seed, device=device)
    click.echo(run.describe())
    costs = show_progress(run.train(steps), steps)
    outcome = run.measure()
    if plot is not None:
        save_plot(plot, costs, outcome, f"{spec.document}: {spec.module}")
    click.echo(f"{outcome.words}\n{outcome.summary}")
    return outcome


def _read(folder: Path | None) -> Corpus:
    """The texts, while a bar shows on a terminal how many are still to be read."""
    if not _is_terminal():
        return read_texts(folder)
    with click.progressbar(length=1000, label="reading ") as bar:
        return read_texts(folder, tell=lambda share: bar.update(int(1000 * share) - bar.pos))


def show_progress(costs: Iterable[float], steps: int) -> list[float]:
    """The costs of all steps, shown as they come."""
    if _is_terminal():
        with click.progressbar(costs, length=steps, label="training", item_show_func=_show_cost) as bar:
            return list(bar)
    every = max(1, steps // _REPORTS)
    seen = []
    for step, cost in enumerate(costs, start=1):
        seen.append(cost)
        if step % every == 0:
            click.echo(f"step {step} of {steps}: cost {cost:.3f}")
    return seen


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # None: somebody closed it


def _show_cost(cost: float | None) -> str:
    return "" if cost is None else f"cost {cost:.3f}"
