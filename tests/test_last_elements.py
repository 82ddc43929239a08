r"""Families that begin at their last element, in batches where some examples have no other: `x_n \gets 1 / b_n`, then `x_k`."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile

LENGTHS = (5, 1, 2, 1)


def text(base: str, step: str, turns: str = r"n-1, \dots, 1") -> str:
    return (
        r"\begin{algorithmic} \Require $b, e \in \mathbb{R}^n$ \Procedure{F}{$b, e$} "
        rf"\State $x_n \gets {base}$ \For{{$k = {turns}$}} \State $x_k \gets {step}$ \EndFor "
        r"\State \Return $x$ \EndProcedure \end{algorithmic}"
    )


STEPS = [
    (r"\frac{1}{b_n}", r"\frac{x_{k+1}}{b_k}", lambda b, e: 1 / b, lambda x, b, e: x / b),
    (r"\frac{e_n}{b_n}", r"\frac{e_k - x_{k+1}}{b_k}", lambda b, e: e / b, lambda x, b, e: (e - x) / b),
    (r"\log b_n", r"x_{k+1} + \log b_k", lambda b, e: b.log(), lambda x, b, e: x + b.log()),
    (r"\sqrt{b_n}", r"\sqrt{b_k + x_{k+1}^2}", lambda b, e: b.sqrt(), lambda x, b, e: (b + x**2).sqrt()),
    (r"b_n^{-2} e_n", r"e_k + 0.9 x_{k+1}", lambda b, e: e / b**2, lambda x, b, e: e + 0.9 * x),
    (r"\log b_n", r"2 \log b_k", lambda b, e: b.log(), lambda x, b, e: 2 * b.log()),
    (r"b_n", r"\max(b_k, x_{k+1})", lambda b, e: b, lambda x, b, e: torch.maximum(b, x)),
]


@pytest.mark.parametrize(("base", "step", "begin", "turn"), STEPS)
def test_an_example_of_one_element_has_the_base(base, step, begin, turn) -> None:  # type: ignore[no-untyped-def]
    result = compile(text(base, step))
    assert result.ok, [d.message for d in result.diagnostics]
    module, generator = result.load().F(), torch.Generator().manual_seed(0)
    batch = [(torch.rand(len(LENGTHS), 6, generator=generator, dtype=torch.float64) + 1).requires_grad_() for _ in range(2)]
    with torch.no_grad():
        for number, length in enumerate(LENGTHS):
            for given in batch:
                given[number, length:] = torch.nan
    found = module(*batch, lengths=torch.tensor(LENGTHS))
    expected = []
    for number, length in enumerate(LENGTHS):
        b, e = (given[number] for given in batch)
        values = [begin(b[length - 1], e[length - 1])]
        for k in range(length - 2, -1, -1):
            values.insert(0, turn(values[0], b[k], e[k]))
        expected.append(torch.stack(values))
        torch.testing.assert_close(found[number], torch.cat([expected[-1], expected[-1].new_zeros(6 - length)]))
    ours = torch.autograd.grad(found.sin().sum(), batch, allow_unused=True, materialize_grads=True)
    theirs = torch.autograd.grad(torch.cat(expected).sin().sum(), batch, allow_unused=True, materialize_grads=True)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize(("base", "step"), [(base, step) for base, step, *_ in STEPS])
def test_no_turn_reads_what_a_later_one_assigns(base: str, step: str) -> None:
    result = compile(text(base, step, r"1, \dots, n-1"))
    found = [(d.code, d.message) for d in result.diagnostics if d.severity == "error"]
    assert found == ([("E0510", "`x_{k + 1}` is read before it is assigned")] if "x_{k+1}" in step else [])
