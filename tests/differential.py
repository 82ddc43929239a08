"""Any program against the oracle: random sizes and numbers, batched, ragged with poisoned padding, gradients by example.

`check_text` compiles a text, loads it, and holds every class and function whose inputs can be made up against the
interpreter of its equations before any pass.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.diagnostics import Diagnostics
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.declare.signatures import flat_inputs
from mathdsl.elaborate.document import Elaborated, elaborate_document, without_order
from mathdsl.ir.nodes import Element, Input, Module, Program, SizeKind, Structure
from mathdsl.ops.verifying import verify_operations
from mathdsl.oracle import interpret
from mathdsl.passes import run_passes
from mathdsl.source.documents import read_chunks
from mathdsl.spans import SourceFile
from mathdsl.syntax.parsing import parse_document

if TYPE_CHECKING:
    from mathdsl.ir.nodes import ScheduledProgram

CLOSE = {"rtol": 1e-9, "atol": 1e-9, "equal_nan": True}
EXAMPLES = 3


@dataclass(frozen=True)
class Subject:
    """A generated class or function, its equations, and the sizes it is tried at."""

    program: Program
    module: Module
    made: Any
    hyper: Mapping[str, int]
    settings: Mapping[str, Any]


def equations(text: str) -> Program:
    """The equations of a text before any pass."""
    found = Diagnostics()
    document = parse_document(read_chunks([SourceFile("-", text)], found), found)
    elaborated = elaborate_document(document, found)
    assert not found.has_errors(), [d.message for d in found.items]
    error = _disorder(elaborated)
    if error is not None and (executed := without_order(document, error.diagnostics)):
        elaborated = elaborate_document(document, found, executed)
        assert not found.has_errors(), [d.message for d in found.items]
    return elaborated.program


def _disorder(elaborated: Elaborated) -> MathdslError | None:
    """Why equations have no order, as those of statements that have one as they are executed."""
    try:
        run_passes(elaborated.program)
    except MathdslError as error:
        return error
    return elaborated.disorder


def check_text(text: str, seed: int = 0) -> int:
    """Hold a text's modules against the oracle; returns how many were tried."""
    result = compile_files([SourceFile("-", text)])
    assert result.ok, [d.message for d in result.diagnostics]
    loaded, program = result.load(), equations(text)
    for stage, equations_then in (("elaborate", program), ("the passes", run_passes(program))):
        verify_operations(equations_then, stage)
    count = 0
    for module in program.modules:
        if any(s.callee is None for s in module.submodules):
            continue
        rng = random.Random(seed)
        torch.manual_seed(seed)
        subject = build_subject(program, module, getattr(loaded, module.name), rng)
        _check(subject, rng)
        count += 1
    return count


def build_subject(program: Program, module: Module, kind: Any, rng: random.Random, least: int = 2) -> Subject:
    """A module at random sizes from `least` on, its instance with random parameters in float64 and evaluation mode."""
    names = [s.name for s in module.sizes if s.kind is SizeKind.HYPERPARAMETER and s.value is None]
    hyper = dict(zip(names, rng.sample(range(least, least + 1 + len(names)), len(names)), strict=True))
    settings = {s.name: _setting(s.default, s.element, rng) for s in module.settings}
    if module.is_function:
        return Subject(program, module, kind, hyper, settings)
    made = kind(**hyper, **settings).double().eval()
    with torch.no_grad():
        for value in made.state_dict().values():
            if value.is_floating_point():
                value.uniform_(-0.8, 0.8)
    return Subject(program, module, made, hyper, settings)


def _setting(default: Any, element: Element, rng: random.Random) -> Any:
    if default is not None:
        return default
    return {Element.REAL: 0.5, Element.INTEGER: 1, Element.BOOLEAN: True}[element]


def _check(subject: Subject, rng: random.Random) -> None:
    runtime = [s.name for s in subject.module.sizes if s.kind is SizeKind.RUNTIME and s.value is None]
    widths = dict(zip(runtime, rng.sample(range(3, 4 + len(runtime)), len(runtime)), strict=True))
    inputs = flat_inputs(subject.module)
    batch = [input_values(subject.module, i, {**subject.hyper, **widths}, rng, EXAMPLES) for i in inputs]
    alone = [[pick(v, n) for v in batch] for n in range(EXAMPLES)]
    wanted = [_oracle(subject, inputs, values) for values in alone]
    after = run_passes(subject.program)
    for is_plain in (True, False):
        _compare(_interpreted(subject, after, inputs, alone[0], is_plain=is_plain), wanted[0])
    for n in range(EXAMPLES):
        _compare(run_subject(subject, alone[n]), wanted[n])
    if not inputs:
        return
    together = run_subject(subject, batch, batched=True)
    for n in range(EXAMPLES):
        _compare([t[n] for t in together], wanted[n])
    _check_gradients(subject, batch, alone)
    ragged = [name for name in after.module(subject.module.name).ragged if name in widths]
    if ragged:
        for least in (1, 0):
            _check_ragged(subject, after, inputs, widths, ragged, rng, least)


def _check_ragged(
    subject: Subject,
    after: ScheduledProgram,
    inputs: tuple[Input, ...],
    widths: Mapping[str, int],
    ragged: list[str],
    rng: random.Random,
    least: int,
) -> None:
    """Each example with its own sizes and poison in its padding gives what it gives alone, and zeros beyond."""
    lengths = {name: [widths[name], *(rng.randint(least, widths[name]) for _ in range(EXAMPLES - 1))] for name in ragged}
    if least == 0:
        lengths = {name: [*own[:-1], 0] for name, own in lengths.items()}
    batch = [input_values(subject.module, i, {**subject.hyper, **widths}, rng, EXAMPLES) for i in inputs]
    alone: list[list[Any]] = []
    for n in range(EXAMPLES):
        own = {**subject.hyper, **widths, **{name: lengths[name][n] for name in ragged}}
        alone.append([_cut(subject.module, i, v, n, own) for i, v in zip(inputs, batch, strict=True)])
        for i, v in zip(inputs, batch, strict=True):
            _poison(subject.module, i, v, n, own)
    own_sizes = {name: torch.tensor(lengths[name]) for name in ragged}
    wanted: list[list[Tensor] | None] = []
    refusals: set[str] = set()
    for values in alone:
        try:
            wanted.append(run_subject(subject, values))
        except (ValueError, LookupError) as refusal:
            assert least == 0, "an example with elements is refused"
            wanted.append(None)
            refusals.add(str(refusal))
    try:
        together = run_subject(subject, batch, batched=True, lengths=own_sizes)
    except ValueError as refusal:
        if str(refusal) not in refusals:  # none of its examples alone is refused so
            raise
        return
    for n in range(EXAMPLES):
        given = wanted[n]
        if given is None:
            continue
        _compare_padded([t[n] for t in together], given)
    if least and all(i.array not in widths for i in inputs):
        own = {name: lengths[name][1] for name in ragged}
        _compare_padded(_interpreted(subject, after, inputs, [pick(v, 1) for v in batch], own), wanted[1])


def _compare_padded(found: list[Tensor], wanted: list[Tensor] | None) -> None:
    """What an example gives alone, and zeros in the padding."""
    for ours, theirs in zip(found, wanted or (), strict=True):
        inside = tuple(slice(0, k) for k in theirs.shape)
        torch.testing.assert_close(ours[inside].to(theirs.dtype), theirs, **CLOSE)
        rest = ours.clone()
        rest[inside] = 0
        assert not rest.any(), "padding of a result is not zero"


def _own_shape(module: Module, given: Input, own: Mapping[str, int]) -> tuple[slice, ...]:
    return tuple(slice(0, r.extent.evaluate(dict(own))) for r in module.array(given.array).ranges)


def _cut(module: Module, given: Input, value: Any, number: int, own: Mapping[str, int]) -> Any:
    inside = _own_shape(module, given, own)
    if isinstance(value, list):
        return [item[number][inside[1:]].clone() for item in value]
    return value[number][inside].clone()


def _poison(module: Module, given: Input, value: Any, number: int, own: Mapping[str, int]) -> None:
    inside = _own_shape(module, given, own)
    for tensor, kept in ((item, inside[1:]) for item in value) if isinstance(value, list) else ((value, inside),):
        before = tensor[number][kept].clone()
        tensor[number] = torch.nan if tensor.is_floating_point() else 10**9 if tensor.dtype == torch.int64 else True
        tensor[number][kept] = before


def _oracle(subject: Subject, inputs: tuple[Input, ...], values: list[Any]) -> list[Tensor]:
    state = {} if subject.module.is_function else {k: v.tolist() for k, v in subject.made.state_dict().items()}
    arguments = {i.array: _lists(v) for i, v in zip(inputs, values, strict=True)}
    found = interpret(subject.program, subject.module.name, arguments, state, subject.hyper, subject.settings)
    return [torch.tensor(item, dtype=torch.float64) for item in _flatten(found)]


def _interpreted(
    subject: Subject,
    after: ScheduledProgram,
    inputs: tuple[Input, ...],
    values: list[Any],
    lengths: Mapping[str, int] | None = None,
    is_plain: bool = False,
) -> list[Tensor]:
    """What the tensor programs give, without torch: as lowering makes them (`is_plain`), or after all passes."""
    from mathdsl.oracle import interpret_tensors  # an older tree, which `tests.recorded` compares with, may not have it
    from mathdsl.tensors.lower.module import lower_program

    tensors = {one.module: one for one in (lower_program(after, ()) if is_plain else lower_program(after))}
    state = {} if subject.module.is_function else {k: v.tolist() for k, v in subject.made.state_dict().items()}
    arguments = {i.array: _lists(v) for i, v in zip(inputs, values, strict=True)}
    found = interpret_tensors(after, tensors, subject.module.name, arguments, state, subject.hyper, subject.settings, lengths)
    return [torch.tensor(item, dtype=torch.float64) for item in _flatten(found)]


def _flatten(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flatten(item)
    else:
        yield value


def run_subject(subject: Subject, values: list[Any], *, batched: bool = False, **more: Any) -> list[Tensor]:
    """The results, lists stacked behind the batch axis."""
    result = subject.made(*_nested(subject.module, values), **more)
    return [torch.stack(item, dim=int(batched)) if isinstance(item, list) else item for item in _flatten(result)]


def _nested(module: Module, values: list[Any]) -> list[Any]:
    rest = list(values)
    arguments: list[Any] = []
    for entry in module.inputs:
        arguments.append(tuple(rest.pop(0) for _ in entry) if isinstance(entry, tuple) else rest.pop(0))
    return arguments


def input_values(module: Module, given: Input, sizes: Mapping[str, int], rng: random.Random, count: int) -> Any:
    """An input of `count` examples, or one for all of them where it is shared."""
    array = module.array(given.array)
    shape = tuple(r.extent.evaluate(dict(sizes)) for r in array.ranges)
    lead = () if given.shared else (count,)
    if given.structure is Structure.LIST:
        return [_numbers(module, array.name, array.element, (*lead, *shape[1:]), sizes) for _ in range(shape[0])]
    return _numbers(module, array.name, array.element, (*lead, *shape), sizes)


def _numbers(module: Module, name: str, element: Element, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Tensor:
    if element is Element.INTEGER:
        return torch.randint(0, 2, shape) + 1  # 1 and 2 index every axis of at least three elements, from 0 or from 1
    if element is Element.BOOLEAN:
        return torch.rand(shape) < 0.5
    return torch.rand(shape, dtype=torch.float64) * 1.6 - 0.8


def pick(value: Any, number: int) -> Any:
    """One example of a batch of an input."""
    return [item[number] for item in value] if isinstance(value, list) else value[number]


def _lists(value: Any) -> Any:
    return [item.tolist() for item in value] if isinstance(value, list) else value.tolist()


def _compare(found: list[Tensor], wanted: list[Tensor]) -> None:
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours.detach().to(torch.float64).reshape(theirs.shape), theirs, **CLOSE)


def _check_gradients(subject: Subject, batch: list[Any], alone: list[list[Any]]) -> None:
    """The gradient of a batch is the sum of its examples' gradients."""
    if subject.module.is_function:
        return
    together = _gradients(subject, batch)
    apart = [_gradients(subject, values) for values in alone]
    for position, gradient in enumerate(together):
        total = sum(g[position] for g in apart)
        torch.testing.assert_close(gradient, total, **CLOSE)


def _gradients(subject: Subject, values: list[Any]) -> list[Tensor]:
    parameters = list(subject.made.parameters())
    results = [r for r in run_subject(subject, values) if r.is_floating_point() and r.requires_grad]
    if not parameters or not results:
        return []
    total = sum((torch.sin(r) if r.is_floating_point() else r).sum() for r in results)
    found = torch.autograd.grad(total, parameters, allow_unused=True)
    return [torch.zeros_like(p) if g is None else g for p, g in zip(parameters, found, strict=True)]
