"""`mathdsl demo`: compile the topic classifier, train it on real text, and say how good it is on held-out text."""

from __future__ import annotations

import sys
from pathlib import Path

import click

DEFAULT_STEPS = 2000
ERRORS_RATIO = 3.0  # how many times fewer errors than the majority class a run must make to succeed


@click.command()
@click.option(
    "--data", "folder", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Folder with AG_NEWS train.csv, test.csv."
)
@click.option("--steps", type=click.IntRange(min=1), default=DEFAULT_STEPS, show_default=True, help="Training steps.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of initialisation and order.")
@click.option("--device", default="cpu", show_default=True, help="A torch device, such as cuda.")
def demo(folder: Path | None, steps: int, seed: int, device: str) -> None:
    """Compile a text classifier from LaTeX, train it on text that every install has, print its accuracy.

    Without --data, the model learns which of four installed libraries a sentence of a docstring comes from.
    """
    from mathdsl.demo.ag_news import MalformedData, read_ag_news
    from mathdsl.demo.docstrings import read_docstrings

    click.echo("reading the articles" if folder else "reading the docstrings of four libraries")
    try:
        corpus = read_ag_news(folder) if folder else read_docstrings()
    except MalformedData as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{len(corpus.train)} texts to learn from, {len(corpus.test)} held out; topics: {', '.join(corpus.topics)}")

    from mathdsl.demo.run import run_demo

    accuracy = run_demo(corpus, steps, seed, device)
    majority = corpus.majority()
    half_an_error = 0.5 / len(corpus.test)  # what no error at all counts as
    ratio = (1 - majority) / max(1 - accuracy, half_an_error)
    click.echo(f"accuracy {accuracy:.4f} majority {majority:.4f} errors ratio {ratio:.2f}")
    if ratio < ERRORS_RATIO:
        sys.exit(1)
