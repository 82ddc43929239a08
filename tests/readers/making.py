"""What the cases of these texts share: their folder, and inputs of several ranges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from gallery.case import Case, below
from torch import Tensor

FOLDER = Path(__file__).parent
text: Callable[..., Case] = partial(Case, folder=FOLDER)


def positive(*shape: int) -> Tensor:
    """Between 0.1 and 0.9."""
    return (0.1 + 0.8 * torch.rand(shape, dtype=torch.float64)).requires_grad_()


def shares(*shape: int) -> Tensor:
    """Positive numbers whose sum over the last axis is 1."""
    return torch.softmax(torch.randn(shape, dtype=torch.float64), -1).requires_grad_()


def labels(count: int, *shape: int) -> Tensor:
    """Indices that count from 1."""
    return 1 + below(count, *shape)


def signs(*shape: int) -> Tensor:
    return 2 * below(2, *shape) - 1


def some(*shape: int) -> Tensor:
    """Truth values."""
    return below(2, *shape) == 1
