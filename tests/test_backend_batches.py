"""The defining law: a batched result is the result on each example alone, values and gradients, whatever stands in padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from backend_harness import arguments_of, assert_close, example, flat, flat_inputs, instance, made_of, padded_batch, plain
from ir_samples import SAMPLES, Sample

from mathdsl.ir.nodes import Module, SizeKind
from mathdsl.oracle import interpret
from mathdsl.passes.batch_axes import batch_axes

NEEDS_AN_ELEMENT = {"mean_log", "greatest", "loss"}
TOKENS = {"S": 5, "y": 1}


def _runtime(module: Module) -> list[str]:
    return [size.name for size in module.sizes if size.kind is SizeKind.RUNTIME]


def _own_sizes(name: str, sample: Sample, module: Module) -> list[dict[str, int]]:
    least = 1 if name in NEEDS_AN_ELEMENT else 0
    ragged = batch_axes(sample.program).module(sample.module).ragged
    values = [4, least, 1, 3]
    found = []
    for i in range(len(values)):
        own = {size: (values[(i + k) % 4] if size in ragged else 4) for k, size in enumerate(_runtime(module))}
        found.append({**sample.sizes, **own})
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_each_example_alone(name: str) -> None:
    sample = SAMPLES[name]
    module = sample.program.module(sample.module)
    loaded, _ = made_of(sample.program)
    made = instance(loaded, sample.module, sample.sizes, sample.settings, sample.parameters)
    own = _own_sizes(name, sample, module)
    whole = {**sample.sizes, **{size: max(sizes[size] for sizes in own) + 1 for size in _runtime(module)}}
    ragged = batch_axes(sample.program).module(sample.module).ragged
    whole.update({size: 4 for size in _runtime(module) if size not in ragged})
    examples = [example(module, sizes, seed, TOKENS) for seed, sizes in enumerate(own)]
    lengths = {size: torch.tensor([sizes[size] for sizes in own]) for size in ragged}

    keywords: dict[str, Any] = {"lengths": lengths} if lengths else {}
    leaves: list[torch.Tensor] = []
    batch = arguments_of(module, padded_batch(module, examples, whole), leaves)
    results = flat(made(**batch, **keywords))
    parameters = list(made.parameters()) if isinstance(made, torch.nn.Module) else []
    found = _gradients(results, [*parameters, *leaves])

    wanted = [torch.zeros_like(p) for p in parameters]
    for i, one in enumerate(examples):
        alone_leaves: list[torch.Tensor] = []
        alone = flat(made(**arguments_of(module, one, alone_leaves)))
        _compare_with_oracle(sample, one, alone)
        for tensor, single in zip(results, alone, strict=True):
            _assert_padded(tensor[i], single, name)
        gradients = _gradients(alone, [*parameters, *alone_leaves])
        for k, gradient in enumerate(gradients[: len(parameters)]):
            wanted[k] += gradient
        for leaf, gradient in zip(found[len(parameters) :], gradients[len(parameters) :], strict=True):
            _assert_padded(leaf[i], gradient, name)
    for gradient, total in zip(found, wanted):
        torch.testing.assert_close(gradient, total, rtol=1e-10, atol=1e-10)


def _compare_with_oracle(sample: Sample, one: Mapping[str, Any], results: Sequence[torch.Tensor]) -> None:
    module = sample.program.module(sample.module)
    if any(0 in one[m.array].shape for m in flat_inputs(module)):
        return  # nested lists do not tell the extents inside an empty axis
    given = {name: value.tolist() for name, value in one.items()}
    wanted = interpret(sample.program, sample.module, given, sample.parameters, sample.sizes, sample.settings)
    assert_close([plain(result) for result in results], _leaves(wanted, len(results)))


def _leaves(result: Any, count: int) -> list[Any]:
    """The oracle's results, taken apart as far as the tensors are."""
    items = [result]
    while len(items) < count:
        items = (
            [part for item in items for part in (item if isinstance(item, tuple) else [item])]
            if any(isinstance(item, tuple) for item in items)
            else [*items[:-1], *items[-1]]
        )
    return items


def _gradients(results: Sequence[torch.Tensor], leaves: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The gradients of a fixed combination of all results."""
    total = torch.zeros((), dtype=torch.float64)
    for k, result in enumerate(results):
        if result.is_floating_point():
            total = total + (result * torch.cos(result + k)).sum()
    if not total.requires_grad:
        return [torch.zeros_like(leaf) for leaf in leaves]
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return [torch.zeros_like(leaf) if g is None else g for leaf, g in zip(leaves, found, strict=True)]


def _assert_padded(padded: torch.Tensor, alone: torch.Tensor, name: str) -> None:
    """The example's own part, and zeros around it."""
    wanted = torch.zeros_like(padded)
    wanted[tuple(slice(0, n) for n in alone.shape)] = alone
    torch.testing.assert_close(padded, wanted, rtol=1e-10, atol=1e-10, msg=lambda text: f"{name}: {text}")
