"""The explicit map between a generated module's parameters and those of a hand-written reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Part:
    """`ours[key]` (its element `at`, for a family) stands where the reference has `rows` of `theirs`."""

    key: str
    theirs: Tensor
    rows: slice = field(default_factory=lambda: slice(None))
    at: int | None = None


def copy_parameters(ours: nn.Module, parts: Iterable[Part]) -> None:
    """Fill the reference with our values; every key of our `state_dict` must be used, every entry of theirs filled."""
    state = ours.state_dict()
    parts = list(parts)
    assert {part.key for part in parts} == set(state), "the name map does not speak of exactly our keys"
    filled = {id(part.theirs): torch.zeros(part.theirs.shape, dtype=torch.int64) for part in parts}
    with torch.no_grad():
        for part in parts:
            part.theirs[part.rows].copy_(_element(state[part.key], part))
            filled[id(part.theirs)][part.rows] += 1
    assert all((count == 1).all() for count in filled.values()), "the name map leaves out or repeats an entry"


def assert_same_gradients(ours: nn.Module, parts: Iterable[Part], tolerance: float = 1e-10) -> None:
    """After both backward passes: the gradient of every parameter, entry by entry."""
    gradients = {name: _gradient(parameter) for name, parameter in ours.named_parameters()}
    for part in parts:
        if part.key in gradients:
            mine, theirs = _element(gradients[part.key], part), _gradient(part.theirs)[part.rows]
            torch.testing.assert_close(
                mine, theirs, rtol=tolerance, atol=tolerance, msg=lambda text, part=part: f"gradient of {part.key}: {text}"
            )


def _element(value: Tensor, part: Part) -> Tensor:
    return value if part.at is None else value[part.at]


def _gradient(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
