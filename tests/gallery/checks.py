"""What a case is held to: alone, in a batch, and in a batch of different lengths, values and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from gallery.case import Arguments, Case
from references.leaves import leaves, some_weights
from torch import Tensor

import mathdsl

FAR_TOKEN = 10**9


@cache
def compiled(path: Path) -> mathdsl.CompileResult:
    return mathdsl.compile(path)


@cache
def load(path: Path) -> ModuleType:
    return compiled(path).load()


def build(case: Case) -> tuple[Any, dict[str, Tensor]]:
    """The module or function, and its parameters and buffers by their keys."""
    torch.manual_seed(0)
    made = getattr(load(case.folder / f"{case.spec}.tex"), case.name)
    if not isinstance(made, type):
        return made, {}
    module = made(**case.sizes).double()
    with torch.no_grad():
        for value in module.state_dict().values():
            value.uniform_(-0.8, 0.8)
    return module, module.state_dict(keep_vars=True)


def outputs(value: Any) -> list[Tensor]:
    return [value] if isinstance(value, Tensor) else leaves(value)


def gradients(results: Sequence[Tensor], wanted: Sequence[Tensor]) -> list[Tensor]:
    """Of the sum of all elements, each with a weight of its own."""
    total = sum((one * some_weights(one.shape)).sum() for one in results if one.is_floating_point())
    if not wanted or not isinstance(total, Tensor) or not total.requires_grad:
        return []
    return list(torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True))


def assert_same(mine: Sequence[Tensor], theirs: Sequence[Tensor]) -> None:
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-10)


def real_inputs(*examples: Arguments) -> list[Tensor]:
    tensors = [[one for one in example if not isinstance(one, int)] for example in examples]
    return [value for value in leaves(tensors) if value.requires_grad]


def assert_one_example(case: Case) -> None:
    ours, state = build(case)
    arguments = case.inputs(**case.lengths[0])
    mine, theirs = outputs(ours(*arguments)), outputs(case.reference(state, *arguments))
    assert_same(mine, theirs)
    wanted = [*real_inputs(arguments), *(value for value in state.values() if value.requires_grad)]
    assert_same(gradients(mine, wanted), gradients(theirs, wanted))


def stack(examples: Sequence[Arguments]) -> Arguments:
    """A batch axis before each argument but a number, which all share; what an example lacks of the longest, and one more, is poison."""
    return tuple(_stack_one(values) for values in zip(*examples, strict=True))


def _stack_one(values: Sequence[Any]) -> Any:
    if isinstance(values[0], int):
        return values[0]
    if not isinstance(values[0], Tensor):
        return type(values[0])(_stack_one(items) for items in zip(*values, strict=True))
    sizes = [set(extents) for extents in zip(*(value.shape for value in values), strict=True)]
    shape = [max(extents) + (len(extents) > 1) for extents in sizes]
    poison = torch.nan if values[0].is_floating_point() else FAR_TOKEN if values[0].dtype == torch.int64 else True
    batch = []
    for value in values:
        whole = torch.full(shape, poison, dtype=value.dtype)
        whole[tuple(slice(extent) for extent in value.shape)] = value
        batch.append(whole)
    return torch.stack(batch)


def assert_batch(case: Case, examples: Sequence[Arguments], **options: Any) -> None:
    """Each example of the batch gives what the mathematics gives of it alone, and zeros beyond its own lengths."""
    ours, state = build(case)
    alone = [outputs(case.reference(state, *example)) for example in examples]
    batched = outputs(ours(*stack(examples), **options))
    parts: list[Tensor] = []
    for k, results in enumerate(alone):
        for whole, own in zip(batched, results):
            inside = tuple(slice(extent) for extent in own.shape)
            parts.append(whole[k][inside])
            beyond = whole[k].clone()
            beyond[inside] = 0
            assert not beyond.any(), "padding of a result is zero"
    flat = [one for results in alone for one in results]
    assert_same(parts, flat)
    wanted = [*real_inputs(*examples), *(value for value in state.values() if value.requires_grad)]
    assert_same(gradients(parts, wanted), gradients(flat, wanted))


def assert_equal_batch(case: Case) -> None:
    assert_batch(case, [case.inputs(**case.lengths[0]) for _ in range(3)])


def assert_ragged_batch(case: Case) -> None:
    lengths = {name: torch.tensor([own[name] for own in case.lengths]) for name in case.lengths[0]}
    assert_batch(case, [case.inputs(**own) for own in case.lengths], lengths=lengths)
