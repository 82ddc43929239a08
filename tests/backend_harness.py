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
from mathdsl.passes.choose_schedules import choose_schedules


def load(program: Program) -> tuple[types.ModuleType, str]:
    """The generated file of a program without a schedule, executed."""
    return load_text(eager.generate(choose_schedules(program), source_hash="test", options={}))


def load_text(text: str) -> tuple[types.ModuleType, str]:
    """A generated file, executed as a module of its own."""
    name = "generated_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module, text


def instance(loaded: types.ModuleType, name: str, sizes: Mapping[str, int], settings: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
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
