r"""Domains behind a definition that begin at their upper end: backward recurrences, `\quad (t = T-1, \dots, 1)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.by_hand import agree, algorithm, module

DOMAINS = [
    r"\quad (t = S-1, \dots, 1)",
    r", \quad t = S-1, S-2, \dots, 1",
    r"\quad \text{for } t = S - 1, \dots, 1",
    r"\quad (t \in \{S-1, \dots, 1\})",
    r"\quad \forall t = S - 1, \dots, 1",
]


def backwards(x: Tensor) -> Tensor:
    b: list[Tensor] = []
    for value in x.flip(0):
        b.append(2 * b[-1] + value if b else value)
    return torch.stack(b[::-1]) if b else x


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_backward_recurrence(domain: str) -> None:
    lines = r"b_S \gets x_S", rf"b_t \gets 2 b_{{t+1}} + x_t {domain}"
    lengths = [4, 1, 3, 2]
    agree(module(r" \\ ".join(lines) + r" \\ \Return b \\"), backwards, lengths)
    agree(algorithm("\n".join((*lines, r"\algoReturn b")).replace(r"\gets", r"\algoEq")), backwards, lengths)


TURNED: list[tuple[str, Callable[[Tensor], Tensor]]] = [
    (r"y_{S-t+1} \gets x_t \quad (t = S, \dots, 1)", lambda x: x.flip(0)),
    (r"y_t \gets x_t^2 \quad (t = S, \dots, 1)", lambda x: x**2),
]


@pytest.mark.parametrize(("line", "by_hand"), TURNED, ids=[line for line, _ in TURNED])
def test_what_has_no_order_is_the_same_both_ways(line: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    agree(module(line + r" \\ \Return y \\"), by_hand)
    agree(algorithm("\n".join((line, r"\algoReturn y")).replace(r"\gets", r"\algoEq")), by_hand)
