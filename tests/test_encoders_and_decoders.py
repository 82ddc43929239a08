r"""An encoder that begins with `\mathbf{0}`, and decoders that look at its states: what has no declaration has its shape from these."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl

DECLARED = r"""x_t \in \mathbb{R}^d, t = 1, \dots, n & \\ y_t \in \mathbb{R}^k, t = 1, \dots, m & \\
W \in \mathbb{R}^{k \times d} & \\ U \in \mathbb{R}^{k \times k} & \\"""
ENCODER = [r"h_0 \gets \mathbf{0}", "for t n", r"h_t \gets \tanh(W x_t + U h_{t-1})", "end"]
SCORES = ["for j n", r"g_j \gets s \cdot h_j", "end"]
DECODERS = {
    "a state": [
        *(r"s \gets h_n", "for t m", *SCORES, r"a \gets \softmax(g)", r"c \gets \sum_{j=1}^n a_j h_j"),
        *(r"s \gets \tanh(U s + c + y_t)", "end", "return s"),
    ],
    "states": [
        *(r"s_0 \gets h_n", "for t m", r"a_t \gets \sof{s_{t-1}^\top h_1, \dots, s_{t-1}^\top h_n}"),
        *(r"c_t \gets \sum_{j=1}^n a_{t,j} h_j", r"s_t \gets \tanh(U s_{t-1} + c_t + y_t)", "end", "return s_m"),
    ],
    "states and scores": [
        *(r"s_0 \gets h_n", "for t m", "for j n", r"e_{t,j} \gets s_{t-1}^\top h_j", "end", r"a_t \gets \softmax(e_t)"),
        *(r"c_t \gets \sum_{j=1}^n a_{t,j} h_j", r"s_t \gets \tanh(U s_{t-1} + c_t + y_t)", "end", "return s_m"),
    ],
}


def algorithmic(lines: list[str]) -> str:
    words = {"for": r"\For{{${1} = 1, \dots, {2}$}}", "end": r"\EndFor", "return": r"\State \Return ${1}$"}
    body = " ".join(words[line.split()[0]].format(*line.split()) if line.split()[0] in words else rf"\State ${line}$" for line in lines)
    return rf"\begin{{algorithmic}} \Procedure{{F}}{{$x, y$}} {body} \EndProcedure \end{{algorithmic}}"


def docstring(lines: list[str]) -> str:
    words = {"for": r"\algoFor{{{1} \in \set{{1, \dots, {2}}}}}", "end": r"\algoEndFor", "return": r"\algoReturn {1}"}
    body = [
        words[line.split()[0]].format(*line.split()) if line.split()[0] in words else line.replace(r"\gets", r"\algoEq") for line in lines
    ]
    return r"\algoProc{\F}\pa{x, y} \\ " + "".join(line + r" \\ " for line in body) + r"\algoEndProc \\ "


def by_hand(x: Tensor, y: Tensor, weight: Tensor, recurrent: Tensor) -> Tensor:
    h, states = weight.new_zeros(len(weight)), []
    for value in x:
        h = torch.tanh(weight @ value + recurrent @ h)
        states.append(h)
    s, seen = h, torch.stack(states)
    for value in y:
        s = torch.tanh(recurrent @ s + torch.softmax(seen @ s, 0) @ seen + value)
    return s


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("lines", DECODERS.values(), ids=DECODERS)
def test_a_decoder_looks_at_the_states_of_an_encoder(write: Any, lines: list[str]) -> None:
    result = mathdsl.compile(write([*ENCODER, *lines]) + rf" \begin{{where}} {DECLARED} \end{{where}}")
    assert result.ok, [d.message for d in result.diagnostics]
    torch.manual_seed(0)
    subject = result.load().F(d=3, k=2).double()
    for parameter in subject.parameters():
        torch.nn.init.normal_(parameter)
    weights = (subject.W, subject.U)
    x, y = torch.randn(3, 5, 3, dtype=torch.float64), torch.randn(3, 4, 2, dtype=torch.float64)
    own = [(5, 4), (1, 2), (3, 0)]
    for k, (n, m) in enumerate(own):
        x[k, n:], y[k, m:] = torch.nan, torch.nan
    found = subject(x, y, lengths={"n": torch.tensor([n for n, _ in own]), "m": torch.tensor([m for _, m in own])})
    wanted = torch.stack([by_hand(x[k, :n], y[k, :m], *weights) for k, (n, m) in enumerate(own)])
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(subject(x[0], y[0]), wanted[0])
    for ours, expected in zip(*(torch.autograd.grad(r.sum(), weights) for r in (found, wanted)), strict=True):
        torch.testing.assert_close(ours, expected)
