r"""Ranges that go up by more than one: `\sum_{i = 2, 4, \dots, n} x_i`, and `y_i \gets x_i \quad (i = 1, 3, \dots, n - 1)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import agree, algorithm, module

EVEN, ANY = [4, 2, 6, 2], [4, 1, 3, 5]


def both(line: str, by_hand: Callable[[Tensor], Tensor], lengths: list[int]) -> None:
    *statements, result = line.split(r" \\ ")
    agree(module(r" \\ ".join((*statements, rf"\Return {result}")) + r" \\"), by_hand, lengths)
    lines = [statement.replace(r"\gets", r"\algoEq") for statement in statements]
    agree(algorithm("\n".join((*lines, rf"\algoReturn {result}"))), by_hand, lengths)


SUMS: list[tuple[str, Callable[[Tensor], Tensor], list[int]]] = [
    (r"\sum_{t=2,4,\dots,S} x_t", lambda x: x[1::2].sum(), EVEN),
    (r"\sum_{t \in \{1, 3, \dots, S - 1\}} x_t^2", lambda x: x[::2].square().sum(), EVEN),
    (r"\sum_{t=1,3,\dots} x_t", lambda x: x[::2].sum(), ANY),
    (r"\sum_{t=2,5,8,\dots} t x_t", lambda x: (torch.arange(2, len(x) + 1, 3) * x[1::3]).sum(), ANY),
    (r"\max_{t=1,3,\dots} x_t", lambda x: x[::2].amax(), ANY),
    (r"\prod_{t=1,4,\dots} x_t", lambda x: x[::3].prod(), ANY),
    (r"\operatorname{mean}_{t=1,3,\dots} x_t", lambda x: x[::2].mean(), ANY),
]


@pytest.mark.parametrize(("value", "by_hand", "lengths"), SUMS, ids=[value for value, _, _ in SUMS])
def test_a_sum_over_each_second(value: str, by_hand: Callable[[Tensor], Tensor], lengths: list[int]) -> None:
    both(value, by_hand, lengths)


def interleaved(x: Tensor) -> Tensor:
    return torch.stack([x[::2], torch.arange(2, len(x) + 1, 2) * x[::2]], 1).flatten()


def test_a_definition_for_the_odd_and_one_for_the_even() -> None:
    odd, even = r"y_t \gets x_t \quad (t = 1, 3, \dots, S - 1)", r"y_t \gets t x_{t-1} \quad (t = 2, 4, \dots, S)"
    both(rf"{odd} \\ {even} \\ y", interleaved, EVEN)


def test_a_last_value_that_no_step_comes_to_is_told() -> None:
    subject = module(r"\Return \sum_{t=2,4,\dots,S} x_t \\")
    with pytest.raises(ValueError, match=r"S \\bmod 2 = 0"):
        subject(torch.ones(3))


@pytest.mark.parametrize("value", [r"\sum_{t=1,3,6,\dots,S} x_t", r"\sum_{t=S,S-2,\dots,1} x_t", r"\sum_{t=0,2,\dots,S} x_t"])
def test_what_is_no_such_range_is_refused(value: str) -> None:
    rows = r"x_t \in \mathbb{R}, t = 1, \dots, S & \\"
    assert not compile(rf"\Module{{F}}{{x}} \Return {value} \\ \EndModule \begin{{where}} {rows} \end{{where}}").ok
