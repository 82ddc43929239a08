"""What a case of the gallery is, and the few things that all references use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from examples_loader import EXAMPLES
from torch import Tensor

Parameters = Mapping[str, Tensor]  # by the keys of the `state_dict`
Arguments = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A module or function of `<folder>/<spec>.tex`, and its mathematics once more, as plain torch for one example.

    `inputs(**lengths)` makes the arguments of one example. `lengths` has the examples of a ragged batch, by the names that
    the module's `lengths` take; the first of them is the one that is compared alone. `reference(parameters, *arguments)` gives
    what ours gives.
    """

    spec: str
    name: str
    inputs: Callable[..., Arguments]
    reference: Callable[..., Any]
    sizes: Mapping[str, Any] = field(default_factory=dict)
    lengths: Sequence[Mapping[str, int]] = ({},)
    folder: Path = EXAMPLES

    def __str__(self) -> str:
        return f"{self.spec}.{self.name}"


def real(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, requires_grad=True)


def zeros(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.float64)


def below(count: int, *shape: int) -> Tensor:
    """Indices that count from 0."""
    return torch.randint(0, count, shape)


def rows(items: Sequence[Tensor], *shape: int) -> Tensor:
    """The items along a first axis; of no items, an array of that shape, which begins with 0."""
    return torch.stack(list(items)) if items else zeros(*shape)


def varied(name: str, at_least: int = 0) -> list[dict[str, int]]:
    """Lengths of the examples of a batch."""
    return [{name: length} for length in (5, 0, 1, 3) if length >= at_least]
