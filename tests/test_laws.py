"""Laws of the examples: every prefix of the passes means the same, batches are their examples, shapes come true, bytes repeat."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import torch
from examples_loader import EXAMPLES, SPECS, build_example
from hypothesis import given, settings
from hypothesis import strategies as st
from references.cases import CASES, RAGGED_CASES, Arguments, Case
from references.leaves import leaves, map_leaves
from torch import Tensor, nn

from mathdsl.analysis.raggedness import flat_inputs
from mathdsl.diagnostics import Diagnostics
from mathdsl.elaborate.document import elaborate_document
from mathdsl.ir.nodes import Program, ScheduledProgram
from mathdsl.ir.traversal import flat_results
from mathdsl.oracle import interpret, interpret_tensors
from mathdsl.oracle.runtime_sizes import infer_sizes
from mathdsl.passes import PIPELINE, run_until
from mathdsl.source.documents import read_chunks
from mathdsl.spans import SourceFile
from mathdsl.syntax.parsing import parse_document
from mathdsl.tensors.lower.module import lower_program
from mathdsl.tensors.passes.pipeline import PIPELINE as TENSOR_PASSES
from mathdsl.tensors.passes.pipeline import Pass
from mathdsl.tensors.verifying import verify_tensors

CASE_IDS = [case.name for case in CASES]
PREFIXES = [step.name for step in PIPELINE]
LENGTH = 3
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


@cache
def elaborated(spec: str) -> Program:
    """The equations of an example before any pass."""
    found = Diagnostics()
    path = EXAMPLES / f"{spec}.tex"
    document = parse_document(read_chunks([SourceFile(path.name, path.read_text(encoding="utf-8"))], found), found)
    program = elaborate_document(document, found).program
    assert not found.has_errors()
    return program


@cache
def after(spec: str, stop_after: str) -> Program:
    return run_until(elaborated(spec), stop_after)


@cache
def build(case: Case) -> nn.Module:
    torch.manual_seed(0)
    module = build_example(case.spec, case.module, **case.sizes)
    with torch.no_grad():
        for value in module.state_dict().values():
            value.uniform_(-0.8, 0.8)
    return module.eval()


@cache
def example_of(case: Case) -> Arguments:
    torch.manual_seed(1)
    return map_leaves(lambda tensor: tensor.detach(), case.inputs((), LENGTH))


def to_lists(value: Any) -> Any:
    """Tensors as nested lists of numbers."""
    return value.tolist() if isinstance(value, Tensor) else [to_lists(item) for item in value]


def interpret_case(case: Case, program: Program, passes: Sequence[Pass] | None = None) -> list[Tensor]:
    """The oracle's results on one example, as tensors; with `passes`: those of its tensor programs after them."""
    names = [entry.array for entry in flat_inputs(program.module(case.module))]
    arguments = dict(zip(names, map(to_lists, example_of(case)), strict=False))  # optional ones may be left out
    parameters = {name: value.tolist() for name, value in build(case).state_dict().items()}
    values = {setting.name: setting.default for setting in program.module(case.module).settings}
    if passes is not None:
        assert isinstance(program, ScheduledProgram)
        tensors = {one.module: one for one in lower_program(program, passes)}
        for one in tensors.values():
            verify_tensors(program.module(one.module), one)
        result = interpret_tensors(program, tensors, case.module, arguments, parameters, case.sizes, values)
    else:
        result = interpret(program, case.module, arguments, parameters, case.sizes, values)
    results = result if isinstance(result, tuple) else (result,)
    return [torch.tensor(item, dtype=torch.float64) for item in results]


def run_case(case: Case) -> list[Tensor]:
    """The generated module's results, lists stacked."""
    with torch.no_grad():
        result = build(case)(*example_of(case))
    return [torch.stack(item) if isinstance(item, list) else item for item in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_the_generated_module_computes_what_the_oracle_says(case: Case) -> None:
    for ours, oracle in zip(run_case(case), interpret_case(case, elaborated(case.spec)), strict=True):
        torch.testing.assert_close(ours.to(torch.float64), oracle.reshape(ours.shape), **CLOSE)


@pytest.mark.parametrize("stop_after", PREFIXES)
@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_every_prefix_of_the_passes_means_the_same(case: Case, stop_after: str) -> None:
    for before, later in zip(interpret_case(case, elaborated(case.spec)), interpret_case(case, after(case.spec, stop_after)), strict=True):
        torch.testing.assert_close(later, before, **CLOSE)


@pytest.mark.parametrize("count", range(len(TENSOR_PASSES) + 1), ids=["plain", *(step.name for step in TENSOR_PASSES)])
@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_tensor_programs_mean_what_equations_mean_after_each_pass(case: Case, count: int) -> None:
    found = interpret_case(case, after(case.spec, PREFIXES[-1]), TENSOR_PASSES[:count])
    for later, before in zip(found, interpret_case(case, elaborated(case.spec)), strict=True):
        torch.testing.assert_close(later.reshape(before.shape), before, **CLOSE)


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_inferred_shapes_are_the_shapes_at_run_time(case: Case) -> None:
    module = elaborated(case.spec).module(case.module)
    names = [entry.array for entry in flat_inputs(module)]
    sizes = infer_sizes(module, dict(zip(names, map(to_lists, example_of(case)), strict=False)), case.sizes)
    state = build(case).state_dict()
    for parameter in module.parameters:
        inferred = tuple(r.extent.evaluate(sizes) for r in module.array(parameter.array).ranges)
        assert tuple(state[parameter.array].shape) == inferred, parameter.array
    for result, value in zip(flat_results(module.results), run_case(case), strict=True):
        assert tuple(value.shape) == tuple(axis.range.extent.evaluate(sizes) for axis in result.value.axes)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(data=st.data())
@pytest.mark.parametrize("case", RAGGED_CASES, ids=[case.name for case in RAGGED_CASES])
def test_a_batch_is_its_examples(case: Case, data: st.DataObject) -> None:
    """Any lengths, any width of the padding, anything in the padding."""
    lengths = data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    extra = data.draw(st.integers(0, 2))
    torch.manual_seed(data.draw(st.integers(0, 9)))
    width = max(lengths) + extra
    arguments = map_leaves(lambda tensor: tensor.detach().clone(), case.inputs((len(lengths),), width))
    module = build(case)
    for number, length in enumerate(lengths):
        for place in case.ragged:
            poison = torch.nan if arguments[place].is_floating_point() else 10**9 if arguments[place].dtype == torch.int64 else True
            arguments[place][number, length:] = poison
            if place in case.squares:
                arguments[place][number, :, length:] = poison
    with torch.no_grad():
        together = leaves(module(*arguments, lengths=torch.tensor(lengths)))
        for number, length in enumerate(lengths):
            own = [_own(case, arguments, number, place, length) for place in range(len(arguments))]
            for position, alone in enumerate(leaves(module(*own))):
                mine = together[position][number]
                torch.testing.assert_close(mine[:length] if position in case.ragged_results else mine, alone, **CLOSE)


def _own(case: Case, arguments: Arguments, number: int, place: int, length: int) -> Any:
    inside = (slice(length),) * ((place in case.ragged) + (place in case.squares))
    return map_leaves(lambda tensor: tensor[number][inside], arguments[place])


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_document_gives_the_same_bytes(spec: str) -> None:
    code = f"import mathdsl; print(mathdsl.compile({str(EXAMPLES / f'{spec}.tex')!r}).source)"
    digests = set()
    for seed in ("0", "1", "4321"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        output = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
        assert output.strip()
        digests.add(hashlib.sha256(output).hexdigest())
    assert len(digests) == 1
