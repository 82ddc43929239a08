r"""Sequences put together inside comprehensions, reductions and operations along an index, against the equations and torch."""

from __future__ import annotations

import pytest
import torch
from differential import check_text

from mathdsl import compile

TABLE = r"\begin{where} x_t, y_t \in \mathbb{R}^{d}, t = 1, \dots, S & two sequences \\ \end{where}"


def module(body: str) -> str:
    return rf"\Module{{F}}{{x, y ; }} {body} \\ \EndModule {TABLE}"


@pytest.mark.parametrize(
    "body",
    [
        r"\Return \sum_{t=1}^{S} \lVert x_t || y_t \rVert",
        r"\Return \sum_{t=1}^{S} \max_{k=1}^{S} \lVert x_t || (y_k - x_t) \rVert",
        r"\Return \{ (x_t || y_t)^\top (y_t || x_t) ; t \in \{1, \dots, S\} \}",
        r"\Return \softmax_t(\lVert x_t || y_t \rVert)",
        r"z_k \gets \sum_{t=1}^{S} \lVert x_t || (y_k - x_t) \rVert \quad (k = 1, \dots, S) \\ \Return z",
        r"z_t \gets \softmax_t(\lVert x_t || y_t \rVert) x_t \quad (t = 1, \dots, S) \\ \Return z",
    ],
)
def test_each_turn_puts_together_its_own(body: str) -> None:
    assert check_text(module(body)) == 1


def test_the_sum_of_joined_vectors() -> None:
    x, y = torch.randn(2, 4, 3)
    found = compile(module(r"\Return \sum_{t=2}^{S} (x_t || y_{t-1})")).load().F()(x, y)
    torch.testing.assert_close(found, torch.cat([x[1:], y[:-1]], -1).sum(0))


def test_a_range_that_depends_on_another_index_is_refused() -> None:
    text = module(r"z_k \gets \sum_{t=1}^{k} \lVert x_t || y_k \rVert \quad (k = 1, \dots, S) \\ \Return z")
    found = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert [(d.code, d.help) for d in found] == [("E0701", "give it a name of its own")]
