"""Library layers against the torch.nn classes that they stand for: arguments, parameters, values."""

from __future__ import annotations

import inspect

import pytest
import torch
from ir_samples import filled

from mathdsl.ir.nodes import Kind, Program
from mathdsl.library import LIBRARY, find_library
from mathdsl.oracle import interpret

# constructor arguments and the layer's input
SAMPLES: dict[str, tuple[dict[str, int], object]] = {
    "Linear": ({"in_features": 3, "out_features": 2}, filled((3,), 1)),
    "Embedding": ({"num_embeddings": 4, "embedding_dim": 3}, 2),
    "LayerNorm": ({"normalized_shape": 3}, filled((3,), 1)),
}


def test_every_layer_has_a_sample() -> None:
    assert set(SAMPLES) == set(LIBRARY)


@pytest.mark.parametrize("name", SAMPLES)
def test_layers_are_those_of_torch(name: str) -> None:
    module = LIBRARY[name]
    sizes, given = SAMPLES[name]
    assert module.library == f"torch.nn.{name}"
    layer = getattr(torch.nn, name)(**sizes, dtype=torch.float64)
    parameters = {path: filled(tuple(p.shape), 3 + i) for i, (path, p) in enumerate(layer.named_parameters())}
    layer.load_state_dict({path: torch.tensor(v, dtype=torch.float64) for path, v in parameters.items()})
    assert [array.name for array in module.arrays if array.kind is Kind.PARAMETER] == list(parameters)

    argument = torch.tensor(given, dtype=torch.int64 if isinstance(given, int) else torch.float64)
    result = interpret(Program((), (module,)), name, {"input": given}, parameters, sizes)
    torch.testing.assert_close(torch.tensor(result, dtype=torch.float64), layer(argument))


@pytest.mark.parametrize("name", SAMPLES)
def test_arguments_have_torchs_names_and_order(name: str) -> None:
    module = LIBRARY[name]
    constructor = list(inspect.signature(getattr(torch.nn, name)).parameters)
    taken = [*(size.name for size in module.sizes), *(setting.name for setting in module.settings)]
    assert [argument for argument in constructor if argument in taken] == taken
    forward = list(inspect.signature(getattr(torch.nn, name).forward).parameters)
    assert ["self", *(array.name for array in module.arrays if array.kind is Kind.INPUT)] == forward


def test_there_is_no_other_layer() -> None:
    assert find_library("Linear") is LIBRARY["Linear"]
    assert find_library("linear") is None
