r"""Elements in parentheses, `Q(s_t, a_t) \gets e`, of an array that the program begins as a whole, `Q \gets \mathbf{0}_{n,m}`."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, text_of

ROWS = (r"s \in \{1, \dots, 3\}^{T+1}", r"a \in \{1, \dots, 2\}^T", r"r \in \mathbb{R}^T")
LEARNED = (
    r"Q <- \mathbf{0}_{3,2}; for t = 1..T; Q(s_t, a_t) <- Q(s_t, a_t) + 0.5 ( r_t + 0.9 \max_{b} Q(s_{t+1}, b) - Q(s_t, a_t) ); end; "
    "return Q"
)


def learned(s: Tensor, a: Tensor, r: Tensor) -> Tensor:
    q = [[torch.zeros((), dtype=torch.float64)] * 2 for _ in range(3)]
    for t in range(len(a)):
        i, j, after = int(s[t]) - 1, int(a[t]) - 1, int(s[t + 1]) - 1
        q[i][j] = q[i][j] + 0.5 * (r[t] + 0.9 * torch.maximum(*q[after]) - q[i][j])
    return torch.stack([torch.stack(row) for row in q])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_what_is_assigned_as_a_whole_has_elements_in_parentheses(notation: str) -> None:
    subject = compile(text_of(notation, ROWS, "s, a, r", LEARNED)).load().F()
    s = torch.tensor([[1, 2, 1, 3, 1, 2], [3, 3, 3, 2, 1, 1]])
    a = torch.tensor([[1, 2, 1, 1, 2], [2, 2, 1, 2, 1]])
    r = torch.tensor([[0.3, -0.7, 1.1, 0.4, 0.9], [0.8, 0.5, -0.2, 0.6, 0.1]], dtype=torch.float64, requires_grad=True)
    weights = torch.linspace(0.5, 1.5, 6, dtype=torch.float64).reshape(3, 2)
    for lengths in (None, torch.tensor([5, 3])):
        own = [5, 5] if lengths is None else lengths.tolist()
        wanted = torch.stack([learned(s[k], a[k, :length], r[k, :length]) for k, length in enumerate(own)])
        found = subject(s, a, r) if lengths is None else subject(s, a, r, lengths=lengths)
        torch.testing.assert_close(found, wanted)
        slopes = [torch.autograd.grad((value * weights).sum(), r)[0] for value in (found, wanted)]
        torch.testing.assert_close(*slopes)
    torch.testing.assert_close(subject(s[0], a[0], r[0]), learned(s[0], a[0], r[0]))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_another_number_of_indices_is_refused(notation: str) -> None:
    lines = r"Q <- \mathbf{0}_{3,2}; for t = 1..T; Q(s_t) <- r_t; end; return Q"
    assert not compile(text_of(notation, ROWS, "s, a, r", lines)).ok
