"""The run of the demo: compile and load the document, build the model, train, measure."""

from __future__ import annotations

import sys

import click
import torch

import mathdsl
from mathdsl.demo.corpus import Corpus
from mathdsl.demo.examples import example_path
from mathdsl.demo.tokens import build_vocabulary
from mathdsl.demo.train import Task, measure_accuracy, train

DIM_WORD, DIM_STATE = 64, 96
_REPORTS = 10  # lines of progress where there is no terminal to draw a bar on


def run_demo(corpus: Corpus, steps: int, seed: int, device: str) -> float:
    """The accuracy on held-out texts of the compiled `lstm_topic.tex` after training."""
    torch.set_num_threads(1)  # the products are too small for two threads to help, and waiting for each other costs
    document = mathdsl.load(example_path("lstm_topic.tex"))
    torch.manual_seed(seed)
    vocabulary = build_vocabulary(corpus.train)
    where = torch.device(device)
    model = document.LSTM(V=vocabulary.size, d_x=DIM_WORD, d_h=DIM_STATE, C=len(corpus.topics)).to(where)
    task = Task(model, document.loss, vocabulary, where, seed)
    _train_with_progress(task, corpus, steps)
    return measure_accuracy(task, corpus.test)


def _train_with_progress(task: Task, corpus: Corpus, steps: int) -> None:
    costs = train(task, corpus.train, steps)
    if sys.stdout.isatty():
        with click.progressbar(costs, length=steps, label="training", item_show_func=_show_cost) as bar:
            for _ in bar:
                pass
        return
    every = max(1, steps // _REPORTS)
    for step, cost in enumerate(costs, start=1):
        if step % every == 0:
            click.echo(f"step {step} of {steps}: cost {cost:.3f}")


def _show_cost(cost: float | None) -> str:
    return "" if cost is None else f"cost {cost:.3f}"
