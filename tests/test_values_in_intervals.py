r"""Intervals are types of one number: an array in one, and a number that is one of some, are refused; and words before a condition."""

from __future__ import annotations

import pytest
import torch

import mathdsl

INSIDE = torch.tensor([[0.25, 0.5, 1.0], [0.75, 0.125, 0.5]], dtype=torch.float64)


def program(declared: str, notation: str = "module") -> str:
    if notation == "algorithmic":
        return rf"\begin{{algorithmic}} \Require ${declared}$ \State \Return $\sum_{{i=1}}^n p_i^2$ \end{{algorithmic}}"
    return rf"\Module{{Algorithm}}{{p}} {declared} \\ \Return \sum_{{i=1}}^n p_i^2 \\ \EndModule"


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
@pytest.mark.parametrize(
    "declared",
    [
        r"p \in [0,1]^n",
        r"p \in (0, 1]^{n}",
        r"p_i \in [0, 1], i = 1, \dots, n",
        r"p \in \mathbb{R}_{>0}^n",
        r"p \in \mathbb{R}^n_{\geq 0}",
        r"p \in \mathbb{R}_+^n",
        r"p \in \{-1, 1\}^n",
    ],
)
def test_an_array_in_an_interval_is_refused(notation: str, declared: str) -> None:
    assert {d.code for d in mathdsl.compile(program(declared, notation)).diagnostics if d.severity == "error"} & {"E0406", "E0701"}


@pytest.mark.parametrize(
    "word", [r"\text{if }", r"\text{for }", r"\textrm{for}\ ", r"\text{when } ", r"\text{ where }", r"\text{provided that }"]
)
def test_words_before_a_condition(word: str) -> None:
    rows = rf"\frac12 a^2 & {word} |a| \le \delta \\ \delta (|a| - \frac12 \delta) & \text{{elsewhere}}"
    text = rf"\Module{{N}}{{a \in \mathbb{{R}}}} \delta = 1 \\ \Return \begin{{cases}} {rows} \end{{cases}} \\ \EndModule"
    a = torch.tensor([-2.0, 0.5, 3.0], dtype=torch.float64)
    torch.testing.assert_close(mathdsl.load(text).N()(a), torch.nn.functional.huber_loss(a, torch.zeros_like(a), reduction="none"))


def test_numbers_from_zero_are_indices() -> None:
    text = r"\Module{N}{E, p} \Return E[p] \\ \EndModule \begin{where} E \in \mathbb{R}^{2 \times d} & \\ p \in \{0, 1\} & \\ \end{where}"
    torch.testing.assert_close(mathdsl.load(text).N()(INSIDE, torch.tensor(1)), INSIDE[1])
    found = mathdsl.compile(text.replace("0, 1", "-1, 1")).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["E0701"]
