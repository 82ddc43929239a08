"""Runs generated code beside the oracle: loads it, puts parameters in, takes nested lists and gives them back."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from mathdsl.backends import eager
from mathdsl.ir.nodes import Element, Input, Module, Program, Structure
from mathdsl.passes import run_passes


def load_text(text: str) -> tuple[types.ModuleType, str]:
    """A generated file, executed as a module of its own."""
    name = "generated_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module, text


def instance(
    loaded: types.ModuleType, name: str, sizes: Mapping[str, int], settings: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Any:
    """An instance in float64 and evaluation mode with the given parameters, or the function of that name."""
    kind = getattr(loaded, name)
    if not isinstance(kind, type):
        return kind
    made = kind(**sizes, **settings).double().eval()
    state = {key: torch.tensor(value, dtype=torch.float64) for key, value in parameters.items()}
    made.load_state_dict(state)
    return made


def flat_inputs(module: Module) -> list[Input]:
    """The inputs without their tuples."""
    return [member for item in module.inputs for member in ((item,) if isinstance(item, Input) else item)]


def tensor(module: Module, given: Input, value: Any) -> Any:
    """A nested list as the argument that `forward` takes."""
    array = module.array(given.array)
    kind = {Element.REAL: torch.float64, Element.INTEGER: torch.int64, Element.BOOLEAN: torch.bool}[array.element]
    if given.structure is Structure.LIST:
        return [torch.tensor(item, dtype=kind) for item in value]
    made = torch.tensor(value, dtype=kind)
    rank = len(array.ranges)
    return made if made.dim() == rank else made.reshape(*made.shape, *(0,) * (rank - made.dim()))


def positional(module: Module, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `forward` from values by array name."""
    arguments: dict[str, Any] = {}
    for item in module.inputs:
        if isinstance(item, Input):
            if item.array in values:
                arguments[module.array(item.array).python] = values[item.array]
        elif any(m.array in values for m in item):
            name = "_".join(module.array(m.array).python for m in item)
            arguments[name] = tuple(values.get(m.array) for m in item)
    return arguments


def plain(result: Any) -> Any:
    """Tensors as nested lists, tuples kept."""
    if isinstance(result, torch.Tensor):
        return result.detach().tolist()
    if isinstance(result, tuple):
        return tuple(plain(item) for item in result)
    return [plain(item) for item in result]


def assert_close(found: Any, wanted: Any, where: str = "result") -> None:
    """Equal to 1e-10, with the same nesting."""
    if isinstance(wanted, Sequence):
        assert isinstance(found, Sequence), f"{where}: {found} is no sequence"
        assert len(found) == len(wanted), f"{where}: {len(found)} elements, expected {len(wanted)}"
        for i, (a, b) in enumerate(zip(found, wanted)):
            assert_close(a, b, f"{where}[{i}]")
        return
    assert found == wanted or abs(found - wanted) <= 1e-10 * max(1.0, abs(wanted)), f"{where}: {found}, expected {wanted}"


# ---- batches --------------------------------------------------------------------------------------


def made_of(program: Program) -> tuple[types.ModuleType, str]:
    """The generated file of a program after all passes."""
    return load_text(eager.generate(run_passes(program), source_hash="test", options={}).text)


def example(module: Module, sizes: Mapping[str, int], seed: int, bounds: Mapping[str, int]) -> dict[str, Any]:
    """Random arguments of one example; integers lie below `bounds` of their array."""
    generator = torch.Generator().manual_seed(seed)
    values: dict[str, Any] = {}
    for given in flat_inputs(module):
        array = module.array(given.array)
        shape = [max(0, r.extent.evaluate(dict(sizes))) for r in array.ranges]
        if array.element is Element.INTEGER:
            values[array.name] = torch.randint(0, bounds[array.name], shape, generator=generator)
        else:
            values[array.name] = torch.randn(shape, dtype=torch.float64, generator=generator)
    return values


def padded_batch(module: Module, examples: Sequence[Mapping[str, Any]], sizes: Mapping[str, int]) -> dict[str, Any]:
    """The examples' arguments side by side, NaN or 10**9 in the padding."""
    values: dict[str, Any] = {}
    for given in flat_inputs(module):
        array = module.array(given.array)
        shape = [len(examples), *(max(0, r.extent.evaluate(dict(sizes))) for r in array.ranges)]
        if array.element is Element.INTEGER:
            stacked = torch.full(shape, 10**9)
        else:
            stacked = torch.full(shape, float("nan"), dtype=torch.float64)
        for i, one in enumerate(examples):
            value = one[array.name]
            stacked[(i, *(slice(0, n) for n in value.shape))] = value
        values[array.name] = stacked
    return values


def arguments_of(module: Module, values: Mapping[str, Any], leaves: list[torch.Tensor]) -> dict[str, Any]:
    """Keyword arguments of `forward`; real tensors become leaves that gradients reach."""
    made: dict[str, Any] = {}
    for given in flat_inputs(module):
        value = values[given.array]
        if value.is_floating_point():
            value = value.clone().requires_grad_()
            leaves.append(value)
        rank = len(module.array(given.array).ranges)
        made[given.array] = list(value.unbind(value.dim() - rank)) if given.structure is Structure.LIST else value
    return positional(module, made)


def flat(result: Any) -> list[torch.Tensor]:
    """The tensors of a result, lists and tuples taken apart."""
    if isinstance(result, torch.Tensor):
        return [result]
    return [tensor for item in result for tensor in flat(item)]
