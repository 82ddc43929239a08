"""What programs compile to with the `mathdsl` that is imported: texts, and numbers of their classes and functions.

`python record.py PROGRAMS.json SNAPSHOT.json` is run as a file, so that the tree in front of PYTHONPATH is the one that is recorded.
Numbers come from names alone: the same sizes, parameters and inputs in every tree, whatever order it has them in.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from differential import EXAMPLES, Subject, build_subject, input_values, pick, run_subject
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.diagnostics import Diagnostics
from mathdsl.elaborate.declare.signatures import flat_inputs
from mathdsl.elaborate.document import elaborate_document
from mathdsl.ir.nodes import Input, Module, SizeKind
from mathdsl.passes import run_passes
from mathdsl.result import CompileResult
from mathdsl.source.documents import read_document
from mathdsl.spans import SourceFile
from mathdsl.syntax.parsing import parse_document

DIGITS = 10
LEAST = 6  # of hyperparameters: above the run-time sizes, which they may bound


def record(files: list[SourceFile]) -> dict[str, Any]:
    """`refused`: the errors; `text`: the generated file; `numbers`: nested lists by what they are, or the error that was raised."""
    try:
        result = compile_files(files)
    except Exception as error:
        return {"refused": [_told(error)], "text": "", "numbers": {}}
    refused = [f"{d.code} {d.message}" for d in result.diagnostics if d.severity == "error"]
    return {"refused": refused, "text": result.source, "numbers": {} if refused else _numbers(files, result)}


def _numbers(files: list[SourceFile], result: CompileResult) -> dict[str, Any]:
    found = Diagnostics()
    program = elaborate_document(parse_document(read_document(files, found).chunks, found), found).program
    passed, loaded = run_passes(program), result.load()
    numbers: dict[str, Any] = {}
    for module in program.modules:
        if any(part.callee is None for part in module.submodules):
            continue  # its caller brings a module
        subject = build_subject(program, module, getattr(loaded, module.name), random.Random(_seed(module.name)), least=LEAST)
        _fill(subject)
        for what, value in _runs(subject, passed.module(module.name).ragged):
            numbers[f"{module.name}: {what}"] = value
    return numbers


def _fill(subject: Subject) -> None:
    if subject.module.is_function:
        return
    with torch.no_grad():
        for name, value in subject.made.state_dict().items():
            if value.is_floating_point():
                value.uniform_(-0.8, 0.8, generator=torch.Generator().manual_seed(_seed(f"{subject.module.name}.{name}")))


def _runs(subject: Subject, ragged: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Each example alone, the batch, and the batch with lengths; gradients of the last two."""
    inputs, widths = flat_inputs(subject.module), _widths(subject.module)
    batch = [_input(subject.module, given, {**subject.hyper, **widths}, widths.get(given.array)) for given in inputs]
    for n in range(EXAMPLES if inputs else 1):
        alone = [value if given.shared or isinstance(value, int) else pick(value, n) for given, value in zip(inputs, batch, strict=True)]
        yield f"example {n}", _attempt(subject, alone)
    if not inputs:
        return
    yield "batch", _attempt(subject, batch, batched=True)
    yield from _gradients("batch", subject, inputs, batch)
    lengths = {name: torch.tensor([widths[name], widths[name] - 1, 2]) for name in ragged if name in widths}
    if lengths:
        yield "lengths", _attempt(subject, batch, batched=True, lengths=lengths)
        yield from _gradients("lengths", subject, inputs, batch, lengths=lengths)


def _widths(module: Module) -> dict[str, int]:
    names = sorted(size.name for size in module.sizes if size.kind is SizeKind.RUNTIME and size.value is None)
    return {name: 3 + place for place, name in enumerate(names)}


def _input(module: Module, given: Input, sizes: dict[str, int], size: int | None) -> Any:
    if size is not None:
        return size
    torch.manual_seed(_seed(f"{module.name}.{given.array}"))
    return input_values(module, given, sizes, random.Random(0), EXAMPLES)


def _attempt(subject: Subject, values: list[Any], **more: Any) -> Any:
    torch.manual_seed(0)
    try:
        return [_rounded(result.detach().tolist()) for result in run_subject(subject, values, **more)]
    except Exception as error:  # what a tree raises is part of what it does
        return _told(error)


def _gradients(where: str, subject: Subject, inputs: tuple[Input, ...], batch: list[Any], **more: Any) -> Iterator[tuple[str, Any]]:
    """The sum of the gradient at each parameter and each real input."""
    leaves: dict[str, Tensor] = {} if subject.module.is_function else dict(subject.made.named_parameters())
    values: list[Any] = []
    for given, value in zip(inputs, batch, strict=True):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            value = leaves[given.array] = value.clone().requires_grad_()
        values.append(value)
    torch.manual_seed(0)
    try:
        results = [r for r in run_subject(subject, values, batched=True, **more) if r.is_floating_point() and r.requires_grad]
        if not results:
            return
        found = torch.autograd.grad(sum(torch.sin(r).sum() for r in results), list(leaves.values()), allow_unused=True)
    except Exception as error:
        yield f"{where}, gradients", _told(error)
        return
    for name, gradient in zip(leaves, found, strict=True):
        yield f"{where}, gradient at {name}", None if gradient is None else _rounded(gradient.sum().item())


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, DIGITS) if isinstance(value, float) else value


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def _seed(name: str) -> int:
    return zlib.crc32(name.encode())


def main(programs: Path, snapshot: Path) -> None:
    """Record the programs of a file, a list of (name, text) a program, into another file."""
    listed: dict[str, list[tuple[str, str]]] = json.loads(programs.read_text(encoding="utf-8"))
    found = {name: record([SourceFile(file, text) for file, text in files]) for name, files in listed.items()}
    snapshot.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
