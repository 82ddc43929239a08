"""Modules against the same written by hand: alone and in batches, values and gradients, with poison in the padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile

LENGTHS = [4, 0, 1, 3, 2]
X = r"x_t \in \mathbb{R}, t = 1, \dots, S & \\"
OVER_T = r" \quad (t = 1, \dots, S) \\ \Return y \\"


def made(text: str, **given: int) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    return result.load().F(**given)


def module(body: str, table: str = X, header: str = "x ; ") -> Any:
    return made(rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}")


def algorithm(body: str, table: str = X, header: str = "x") -> Any:
    return made(algorithm_text(body, table, header))


def algorithm_text(body: str, table: str = X, header: str = "x") -> str:
    lines = "\n".join(line + r" \\" for line in body.strip().splitlines())
    return "\\algoProc{\\F}\\pa{" + header + "} \\\\\n" + lines + rf" \algoEndProc \\ \begin{{where}} {table} \end{{where}}"


def agree(subject: Any, by_hand: Callable[[Tensor], Tensor], lengths: list[int] = LENGTHS, seed: int = 0) -> None:
    """The module gives what Python gives for each example, alone and in a batch, and so do the gradients."""
    generator = torch.Generator().manual_seed(seed)
    width = max(lengths) + 1
    x = torch.rand(len(lengths), width, dtype=torch.float64, generator=generator) * 4 - 2
    given = [x[k, :length].clone() for k, length in enumerate(lengths)]
    wanted = [value_and_gradient(by_hand, value) for value in given]
    for value, (result, gradient) in zip(given, wanted, strict=True):
        ours, own = value_and_gradient(subject, value)
        torch.testing.assert_close(ours, result)
        torch.testing.assert_close(own, gradient)
    for k, length in enumerate(lengths):
        x[k, length:] = torch.nan
    together, gradients = value_and_gradient(lambda v: subject(v, lengths=torch.tensor(lengths)), x)
    for k, (result, gradient) in enumerate(wanted):
        inside = tuple(slice(0, extent) for extent in result.shape)
        torch.testing.assert_close(together[k][inside], result)
        torch.testing.assert_close(gradients[k, : lengths[k]], gradient)
        assert not gradients[k, lengths[k] :].any()


def calls_decide(subject: Any, answers: list[tuple[list[float], Any]]) -> None:
    """Each vector gives its number; where that is None something has no value when it is read, and the call says so, of a batch too."""
    assert {answer is None for _, answer in answers} == {True, False}
    told = "is assigned before it is read"
    for values, answer in answers:
        given = torch.tensor(values, dtype=torch.float64)
        if answer is None:
            with pytest.raises(ValueError, match=told):
                subject(given)
        else:
            torch.testing.assert_close(subject(given).double(), torch.tensor(answer, dtype=torch.float64))
    for length in {len(values) for values, _ in answers}:
        batch = [(values, answer) for values, answer in answers if len(values) == length]
        whole = [(values, answer) for values, answer in batch if answer is not None]
        if whole:
            given, wanted = (torch.tensor(column, dtype=torch.float64) for column in zip(*whole, strict=True))
            torch.testing.assert_close(subject(given).double(), wanted)
        if len(whole) < len(batch):
            with pytest.raises(ValueError, match=told):
                subject(torch.tensor([values for values, _ in batch], dtype=torch.float64))


def check(
    text: str, inputs: tuple[Tensor, ...], by_hand: Callable[..., Tensor], owned: dict[str, Tensor] | None = None, **sizes: int
) -> Any:
    """Values and gradients of an example of `F`, and a batch, against Python; `owned` are its parameters."""
    subject = made(text, **sizes).double()
    assert subject.state_dict().keys() == (owned or {}).keys()
    subject.load_state_dict(owned or {})
    leaves, copies = ([value.clone().requires_grad_() for value in inputs] for _ in range(2))
    ours, wanted = subject(*leaves), by_hand(*copies)
    torch.testing.assert_close(ours, wanted)
    found, right = (torch.autograd.grad(value.square().sum(), given) for value, given in ((ours, leaves), (wanted, copies)))
    torch.testing.assert_close(found, right)
    together = subject(*(torch.stack([value, value + 0.5]) for value in inputs))
    torch.testing.assert_close(together, torch.stack([by_hand(*inputs), by_hand(*(value + 0.5 for value in inputs))]))
    return subject


def value_and_gradient(function: Callable[[Tensor], Tensor], value: Tensor) -> tuple[Tensor, Tensor]:
    leaf = value.clone().requires_grad_()
    result = function(leaf)
    if not result.requires_grad:
        return result.detach().double(), torch.zeros_like(leaf)
    (found,) = torch.autograd.grad(torch.sin(result).sum(), leaf, allow_unused=True)
    return result.detach(), torch.zeros_like(leaf) if found is None else found


def stack(values: list[Tensor]) -> Tensor:
    return torch.stack(values) if values else torch.zeros(0, dtype=torch.float64)
