"""The law of a drawn program: the compiler refuses, or values and gradients agree with the program's own meaning.

Alone, in a batch of two, and ragged where the generated module takes lengths of a size.
"""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

from .meaning import Scope, Undefined, evaluate_program
from .printing import print_program
from .trees import Name, Program

Given = dict[Name, Tensor]
Sizes = dict[str, int]
TOLERANCE = {"rtol": 1e-7, "atol": 1e-8}
PYTHON_ENDS = {"lambda": "lambda_"}


@dataclass(frozen=True)
class Verdict:
    """`accepted`, `refused` or `wrong`, and what was said or seen."""

    kind: str
    said: str = ""
    text: str = ""


def python_name(name: Name) -> str:
    """The documented name in Python: `W_{in}` is `W_in`, `\\pi` is `pi`."""
    base = name.base.removeprefix("\\")
    accent = re.fullmatch(r"(hat|tilde|bar)\{(\\?\w+)\}", base)
    if accent:
        base = f"{accent[2].removeprefix(chr(92))}_{accent[1]}"
    if name.label:
        return f"{base}_{name.label}"
    return PYTHON_ENDS.get(base, base)


def draw_values(program: Program, sizes: Sizes, seed: int) -> Given:
    """Numbers for all inputs and parameters."""
    generator = torch.Generator().manual_seed(seed)
    scope = Scope({}, {}, dict(sizes))
    given = {}
    for declaration in program.declarations:
        shape = [len(scope.range(axis)) for axis in declaration.axes]
        given[declaration.name] = torch.rand(shape, generator=generator, dtype=torch.float64) * 1.6 - 0.8
    return given


def objective(results: Sequence[Tensor]) -> Tensor:
    """One number of all results in which each element has a weight of its own."""
    total = torch.zeros((), dtype=torch.float64)
    for n, result in enumerate(results):
        weights = torch.linspace(0.5, 1.5, max(result.numel(), 1), dtype=torch.float64)[: result.numel()]
        total = total + (torch.sin(result.reshape(-1) + n) * weights).sum()
    return total


def wanted(program: Program, given: Given, sizes: Sizes) -> tuple[list[Tensor], Given]:
    """The results and the gradients by the program's own meaning; `Undefined` where it has none."""
    leaves = {name: value.clone().requires_grad_() for name, value in given.items()}
    results = evaluate_program(program, leaves, sizes)
    total = objective(results)
    if total.requires_grad:
        found = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    else:
        found = (None,) * len(leaves)
    gradients = {name: torch.zeros_like(v) if g is None else g for (name, v), g in zip(leaves.items(), found, strict=True)}
    results = [r.detach() for r in results]
    if any(not torch.isfinite(value).all() or value.abs().max() > 1e6 for value in [*results, *gradients.values()] if value.numel()):
        raise Undefined("too large a number")
    return results, gradients


class Disagreement(Exception):
    """The generated module does something else than the program means."""


def hold(program: Program, sizes: Sizes, seed: int = 0) -> Verdict:
    """The verdict about a program at sizes; `Undefined` where the program itself has no value there."""
    given = [draw_values(program, sizes, seed + k) for k in range(2)]
    shared = {d.name for d in program.parameters}
    given[1].update({name: given[0][name] for name in shared})
    meant = [wanted(program, each, sizes) for each in given]
    text, _ = print_program(program)
    try:
        result = compile_files([SourceFile("-", text)])
    except Exception:
        return Verdict("wrong", "the compiler breaks: " + traceback.format_exc(limit=-2).strip(), text)
    if not result.ok:
        first = next(d for d in result.diagnostics if d.severity == "error")
        return Verdict("refused", f"{first.code} {first.message}", text)
    try:
        compare(program, result.source, result.load(), sizes, given, meant)
    except Disagreement as error:
        return Verdict("wrong", str(error), text)
    except Exception as error:
        if isinstance(error, ValueError) and undeclared(program) and re.match(r"\w+: expected shape", str(error)):
            return Verdict("refused", f"rank: {error}", text)
        return Verdict("wrong", "the generated module breaks: " + traceback.format_exc(limit=-2).strip(), text)
    return Verdict("accepted", "", text)


def undeclared(program: Program) -> list[str]:
    """Inputs whose rank only inference says, and may say otherwise: `x_i` of an undeclared `x` may be a vector."""
    return [python_name(d.name) for d in program.inputs if d.style == "none"]


def compare(
    program: Program, source: str, loaded: ModuleType, sizes: Sizes, given: list[Given], meant: list[tuple[list[Tensor], Given]]
) -> None:
    """Alone, in a batch, ragged."""
    instance = build(program, loaded, sizes, given[0])
    inputs = [d.name for d in program.inputs]
    for each, (results, gradients) in zip(given, meant, strict=True):
        agree(program, instance, {n: each[n] for n in inputs}, results, gradients, "alone")
    if not inputs:
        return
    batch = {n: torch.stack([each[n] for each in given]) for n in inputs}
    check_batch(program, instance, batch, meant, {}, "in a batch")
    ragged = ragged_sizes(source)
    if not ragged or not measured_sizes(source) <= set(
        program.sizes
    ):  # one that inference names may measure what the program calls another
        return
    least = dict(program.least)
    shorter = {s: max(least.get(s, 1), k - 1) if s in ragged else k for s, k in sizes.items()}
    if shorter == sizes:
        return
    second = draw_values(program, shorter, 77)
    second.update({d.name: given[0][d.name] for d in program.parameters if second[d.name].shape == given[0][d.name].shape})
    try:
        other = wanted(program, second, shorter)
    except Undefined:
        return
    lengths = {s: torch.tensor([sizes[s], shorter[s]]) for s in ragged}
    padded = {}
    for n in inputs:
        wide = torch.full_like(given[0][n], torch.nan)
        wide[tuple(slice(0, k) for k in second[n].shape)] = second[n]
        padded[n] = torch.stack([given[0][n], wide])
    check_batch(program, instance, padded, [meant[0], other], lengths, "ragged")


def measured_sizes(source: str) -> set[str]:
    """The sizes that the generated module reads off its inputs."""
    return set(re.findall(r"^\s+(\w+) = \w+\.shape\[-\d+\]", source, re.MULTILINE))


def ragged_sizes(source: str) -> set[str]:
    """The sizes of which the generated module takes lengths."""
    return set(re.findall(r'_lengths\(\s*lengths,\s*"(\w+)"', source))


def build(program: Program, loaded: ModuleType, sizes: Sizes, given: Given) -> Any:
    """An instance with the parameters; what it wants that the program does not have is a disagreement."""
    values = {python_name(d.name): given[d.name] for d in program.parameters}
    arguments: dict[str, Any] = {}
    for name in list(inspect.signature(loaded.F).parameters):
        if name in sizes:
            arguments[name] = sizes[name]
        elif name in values and values[name].dim() == 0:
            arguments[name] = float(values[name])
        else:
            raise Disagreement(f"the constructor wants `{name}`, which the program does not have")
    instance = loaded.F(**arguments).double()
    with torch.no_grad():
        for name, parameter in instance.named_parameters():
            if name not in values:
                raise Disagreement(f"there is a parameter `{name}`, which the program does not have")
            if parameter.shape != values[name].shape:
                raise Disagreement(f"`{name}` has the shape {tuple(parameter.shape)}, not {tuple(values[name].shape)}")
            parameter.copy_(values[name])
    return instance


def run(instance: Any, inputs: Given, lengths: Mapping[str, Tensor]) -> list[Tensor]:
    """The results as a list of tensors."""
    found = instance(*inputs.values(), **({"lengths": dict(lengths)} if lengths else {}))
    items = list(found) if isinstance(found, tuple | list) else [found]
    return [torch.as_tensor(item).to(torch.float64) for item in items]


def agree(program: Program, instance: Any, inputs: Given, results: list[Tensor], gradients: Given, how: str) -> None:
    """One example's values and gradients."""
    leaves = {n: v.clone().requires_grad_() for n, v in inputs.items()}
    found = run(instance, leaves, {})
    close(found, results, f"{how}: values")
    named = dict(instance.named_parameters())
    ours = leaves | {d.name: named[python_name(d.name)] for d in program.parameters if python_name(d.name) in named}
    compare_gradients(objective(found), ours, gradients, how)


def compare_gradients(total: Tensor, ours: Mapping[Name, Tensor], gradients: Given, how: str) -> None:
    """Each leaf's gradient, zero where it has none."""
    found: Sequence[Tensor | None] = (None,) * len(ours)
    if total.requires_grad and ours:
        found = torch.autograd.grad(total, list(ours.values()), allow_unused=True)
    for (name, leaf), gradient in zip(ours.items(), found, strict=True):
        own = torch.zeros_like(leaf) if gradient is None else gradient
        close([own.detach()], [gradients[name]], f"{how}: the gradient of {python_name(name)}")


def check_batch(
    program: Program, instance: Any, batch: Given, meant: list[tuple[list[Tensor], Given]], lengths: Mapping[str, Tensor], how: str
) -> None:
    """Two examples at once: values each, zeros beyond, the gradients of inputs each and of parameters together."""
    leaves = {n: v.clone().requires_grad_() for n, v in batch.items()}
    found = run(instance, leaves, lengths)
    total = torch.zeros((), dtype=torch.float64)
    for k, (results, _) in enumerate(meant):
        own = []
        for tensor, alone in zip(found, results, strict=True):
            if tensor.dim() == alone.dim():  # what no input reaches has no batch axes
                own.append(tensor)
                continue
            inside = tuple(slice(0, size) for size in alone.shape)
            rest = tensor[k].detach().clone()
            rest[inside] = 0
            if rest.numel() and rest.any():
                raise Disagreement(f"{how}: the padding of a result is not zero")
            own.append(tensor[k][inside])
        close(own, results, f"{how}: values of example {k}")
        total = total + objective(own)
    named = dict(instance.named_parameters())
    parameters = {d.name: named[python_name(d.name)] for d in program.parameters if python_name(d.name) in named}
    gradients: Given = {}
    for n in leaves:
        gradients[n] = torch.zeros_like(batch[n])
        for k, (_, own_gradients) in enumerate(meant):
            gradients[n][k][tuple(slice(0, size) for size in own_gradients[n].shape)] = own_gradients[n]
    for n in parameters:
        gradients[n] = meant[0][1][n] + meant[1][1][n]
    compare_gradients(total, leaves | parameters, gradients, how)


def close(found: Sequence[Tensor], meant: Sequence[Tensor], what: str) -> None:
    """Raise a `Disagreement` that shows both."""
    if len(found) != len(meant):
        raise Disagreement(f"{what}: {len(found)} results, not {len(meant)}")
    for ours, theirs in zip(found, meant, strict=True):
        if ours.shape != theirs.shape:
            raise Disagreement(f"{what}: the shape {tuple(ours.shape)}, not {tuple(theirs.shape)}")
        if not torch.allclose(ours.detach(), theirs, **TOLERANCE):
            raise Disagreement(f"{what}: expected {theirs.tolist()}, got {ours.detach().tolist()}")
