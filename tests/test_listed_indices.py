r"""Reductions over conditions one a line, `\substack{i \neq j \\ i < n}`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
import torch

import mathdsl

Tensor = torch.Tensor
TABLE = r"\begin{where} x_i \in \mathbb{R}, i = 1, \dots, n & \\ A_{ij} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n & \\ \end{where}"


def loaded(value: str, *, algorithmic: bool) -> torch.nn.Module:
    if not algorithmic:
        return mathdsl.load(rf"\Module{{F}}{{x, A}} \Return {value} \\ \EndModule {TABLE}").F()
    require = r"\Require $x_i \in \mathbb{R}$ for $i = 1, \dots, n$, $A_{ij} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n$"
    return mathdsl.load(f"{require}\n\\Procedure{{F}}{{$x, A$}} \\State \\Return ${value}$ \\EndProcedure").F()


def over(keep: Callable[[int, int, int], bool]) -> Callable[[Tensor, Tensor], list[Tensor]]:
    """The elements of a matrix at the pairs of indices, from 1, that are kept."""
    return lambda _, A: [A[i - 1, j - 1] for i, j in product(range(1, len(A) + 1), repeat=2) if keep(i, j, len(A))]


def total(values: list[Tensor]) -> Tensor:
    return torch.stack(values).sum() if values else torch.zeros((), dtype=torch.float64)


SAME = [
    (r"\sum_{\substack{i = 1 \\ i \ne 2}}^{n} x_i", lambda x, A: x.sum() - x[1]),
    (r"\sum_{\substack{i, j \\ i < j}} A_{ij}", lambda x, A: A.triu(1).sum()),
    (r"\sum_{\substack{i \neq j \\ i < n}} A_{ij}", lambda x, A: total(over(lambda i, j, n: i != j and i < n)(x, A))),
    (r"\prod_{\substack{1 \le i, j \le n \\ i \neq j}} A_{ij}", lambda x, A: torch.stack(over(lambda i, j, n: i != j)(x, A)).prod()),
    (
        r"\max_{\substack{1 \le i \le n \\ 1 \le j \le n \\ i \neq j}} A_{ij}",
        lambda x, A: torch.stack(over(lambda i, j, n: i != j)(x, A)).max(),
    ),
    (r"\sum_{1 \le i, j \le n} A_{ij}", lambda x, A: A.sum()),
    (r"\sum_{i < n, j < i} A_{ij}", lambda x, A: total(over(lambda i, j, n: j < i < n)(x, A))),
    (r"\sum_{2 \le i, i \le 3, j \neq 2} A_{ij}", lambda x, A: total(over(lambda i, j, n: 2 <= i <= 3 and j != 2)(x, A))),
    (r"\sum_\substack{i, j \\[2pt] i \leq j} A_{ij}", lambda x, A: A.triu().sum()),
]


@pytest.mark.parametrize("algorithmic", [False, True], ids=("module", "algorithmic"))
@pytest.mark.parametrize(("value", "by_hand"), SAME, ids=[value for value, _ in SAME])
def test_the_numbers_are_those_of_the_terms(value: str, by_hand: Callable[[Tensor, Tensor], Tensor], algorithmic: bool) -> None:
    module = loaded(value, algorithmic=algorithmic)
    torch.manual_seed(0)
    x, A = (torch.rand(shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 4), (2, 4, 4)))
    wanted = torch.stack([by_hand(x[k], A[k]) for k in range(2)])
    torch.testing.assert_close(module(x, A), wanted)
    torch.testing.assert_close(module(x[1], A[1]), wanted[1])
    for left, right in zip(*[torch.autograd.grad(side.sum(), [x, A], allow_unused=True) for side in (module(x, A), wanted)], strict=True):
        assert (left is None or not left.any()) if right is None else torch.allclose(left, right)
    ragged = module(x, A, lengths=torch.tensor([3, 4]))
    torch.testing.assert_close(ragged, torch.stack([by_hand(x[0, :3], A[0, :3, :3]), wanted[1]]))


@pytest.mark.parametrize(
    "value",
    [
        r"\operatorname{argmax}_{i \in \{1, n\}} x_i",
        r"\sum_{i \in \{1, n\}} x_i",
        r"\sum_{i \in \{2, 1, 2\}} x_i",
        r"\sum_{i \in \{x, n\}} x_i",
        r"\sum_{\substack{i = 1 \\ i \ne 2} x_i",
    ],
)
def test_what_is_no_list_of_indices_is_refused(value: str) -> None:
    assert not mathdsl.compile(rf"\Module{{F}}{{x, A}} \Return {value} \\ \EndModule {TABLE}").ok


def test_a_mistake_in_a_stack_is_told_at_its_place() -> None:
    text = rf"\Module{{F}}{{x, A}} \Return \sum_{{\substack{{i = 1 \\ i \ne \foo}}}}^{{n}} x_i \\ \EndModule {TABLE}"
    [found] = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert text[found.span.start : found.span.end] == r"\foo"
