r"""A scalar as the first value of vectors: `v_0 \gets \tau` beside `v_t \gets v_{t-1} + g_t`, as `v_0 \gets 0` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile

ROWS = (r"g_t \in \mathbb{R}^d, t = 1, \dots, T", r"\tau \in \mathbb{R}_{>0}", r"A \in \mathbb{R}^{d \times d}")


def module(*lines: str) -> str:
    table = " ".join(rf"{row} & \\" for row in ROWS)
    body = " ".join(rf"{line} \\" for line in lines)
    return rf"\Module{{F}}{{g, A ; \tau}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(*lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    return f"\\Require {', '.join(f'${row}$' for row in ROWS)}\n\\Procedure{{F}}{{$g, A$}}\n{body}\n\\EndProcedure"


LOOP = r"\For{$t = 1, \dots, T$}"
CASES: list[tuple[str, Callable[[float], float], str, Callable[[Tensor, Tensor, Tensor], Tensor]]] = [
    (r"\tau", lambda tau: tau, "v + g_t", lambda v, g, a: v + g),
    (r"\tau^2 / 2 + 1", lambda tau: tau**2 / 2 + 1, "v + g_t^2", lambda v, g, a: v + g**2),
    (r"\log \tau", lambda tau: torch.tensor(tau).log().item(), r"A v + g_t", lambda v, g, a: a @ v + g),
    (r"\tau", lambda tau: tau, r"\max(\tau v, g_t)", lambda v, g, a: torch.maximum(0.7 * v, g)),
    (r"\tau", lambda tau: tau, r"\frac{1}{2} (v + \tanh(g_t))", lambda v, g, a: (v + g.tanh()) / 2),
]


def check(text: str, start: Callable[[float], float], step: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    subject: Any = result.load().F(tau=0.7).double()
    generator = torch.Generator().manual_seed(0)
    g, a = (torch.rand(*shape, dtype=torch.float64, generator=generator).requires_grad_() for shape in ((2, 3, 2), (2, 2, 2)))

    def by_hand(g: Tensor, a: Tensor) -> Tensor:
        v = torch.full_like(g[0], start(0.7))
        for value in g:
            v = step(v, value, a)
        return v

    wanted = torch.stack([by_hand(*pair) for pair in zip(g, a, strict=True)])
    torch.testing.assert_close(subject(g, a), wanted, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(subject(g[0], a[0]), wanted[0], rtol=1e-6, atol=1e-6)
    ours, right = (torch.autograd.grad(value.sin().sum(), g)[0] for value in (subject(g, a), wanted))
    torch.testing.assert_close(ours, right, rtol=1e-6, atol=1e-6)
    padded = torch.cat([g[:, :2], torch.full_like(g[:, :1], torch.nan)], 1)
    ragged = torch.stack([by_hand(row[:2], b) for row, b in zip(g, a, strict=True)])
    torch.testing.assert_close(
        subject(padded, a, lengths={"T": torch.tensor([2, 2]), "d": torch.tensor([2, 2])}), ragged, rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize(("first", "start", "value", "step"), CASES, ids=[f"{first}: {value}" for first, _, value, _ in CASES])
def test_the_first_of_vectors(
    first: str, start: Callable[[float], float], value: str, step: Callable[[Tensor, Tensor, Tensor], Tensor]
) -> None:
    family = value.replace("v", "v_{t-1}")
    check(module(rf"v_0 \gets {first}", rf"v_t \gets {family} \quad (t = 1, \dots, T)", r"\Return v_T"), start, step)
    check(algorithm(rf"$v_0 \gets {first}$", LOOP, rf"$v_t \gets {family}$", r"\EndFor", r"\Return $v_T$"), start, step)
    check(algorithm(rf"$v \gets {first}$", LOOP, rf"$v \gets {value}$", r"\EndFor", r"\Return $v$"), start, step)


@pytest.mark.parametrize("step", [r"2 s_{t-1} + 1", r"s_{t-1} + \tau", r"W s_{t-1}", r"s_{t-1} + \sum_{i=1}^{d} g_{t,i}"])
def test_the_first_of_scalars(step: str) -> None:
    text = module(
        r"s_0 \gets \tau", rf"s_t \gets {step} \quad (t = 1, \dots, T)", r"\Return s_T + 0 \sum_{i=1}^d g_{1,i} + 0 \sum_{i, j} A_{i,j}"
    )
    result = compile(text.replace(r"; \tau", r"; \tau, W") if "W" in step else text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    (made,) = [row for row in result.symbols if row.python == "s"]
    assert made.shape == "T + 1"


def test_a_first_value_of_another_size_is_refused() -> None:
    text = (
        module(r"v_0 \gets u", r"v_t \gets v_{t-1} + g_t \quad (t = 1, \dots, T)", r"\Return v_T + 0 A g_1")
        .replace("g, A ;", "g, A, u ;")
        .replace(r"\tau \in", r"u \in \mathbb{R}^k & \\ \tau \in")
    )
    assert compile(text).diagnostics[0].code == "E0401"
