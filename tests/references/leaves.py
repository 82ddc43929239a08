"""Nested arguments and results as flat lists of tensors, and a scalar that depends on every element of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def leaves(value: Any) -> list[Tensor]:
    """The tensors of nested lists and tuples, in order."""
    if isinstance(value, Tensor):
        return [value]
    return [leaf for item in value for leaf in leaves(item)]


def map_leaves(change: Callable[[Tensor], Tensor], value: Any) -> Any:
    """The same nesting with each tensor changed."""
    return change(value) if isinstance(value, Tensor) else type(value)(map_leaves(change, item) for item in value)


def real_leaves(value: Any) -> list[Tensor]:
    """The tensors that take a gradient."""
    return [leaf for leaf in leaves(value) if leaf.is_floating_point()]


def some_weights(shape: Sequence[int]) -> Tensor:
    """Fixed numbers, all different, of that shape."""
    count = int(torch.tensor(tuple(shape)).prod()) if len(shape) else 1
    return torch.cos(torch.arange(count, dtype=torch.float64) + 0.5).reshape(tuple(shape))


def weigh(tensors: Sequence[Tensor]) -> Tensor:
    """One number from all elements, each with a weight of its own, so that no two of them can change places."""
    return torch.stack([(tensor * some_weights(tensor.shape)).sum() for tensor in tensors]).sum()
