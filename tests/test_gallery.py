"""Every spec of the gallery against its mathematics: alone, in a batch, and in a batch of different lengths."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from examples_loader import EXAMPLES, SPECS
from gallery.case import Arguments, Case
from gallery.cases import CASES
from references.leaves import leaves, some_weights
from torch import Tensor

import mathdsl

GALLERY = sorted({case.spec for case in CASES})
FAR_TOKEN = 10**9
every_case = pytest.mark.parametrize("case", CASES, ids=[f"{case.spec}.{case.name}" for case in CASES])
ragged_cases = [case for case in CASES if len(case.lengths) > 1]


@cache
def compiled(spec: str) -> mathdsl.CompileResult:
    return mathdsl.compile(EXAMPLES / f"{spec}.tex")


@cache
def load(spec: str) -> ModuleType:
    return compiled(spec).load()


def build(case: Case) -> tuple[Any, dict[str, Tensor]]:
    """The module or function, and its parameters and buffers by their keys."""
    torch.manual_seed(0)
    made = getattr(load(case.spec), case.name)
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
    return [value for example in examples for value in leaves(example) if value.requires_grad]


@pytest.mark.parametrize("spec", GALLERY)
def test_the_generated_file_is_up_to_date(spec: str, request: pytest.FixtureRequest) -> None:
    result = compiled(spec)
    assert result.diagnostics == ()
    golden = EXAMPLES / f"{spec}.py"
    if request.config.getoption("--update-golden"):
        golden.write_text(result.source, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == result.source


@every_case
def test_one_example(case: Case) -> None:
    ours, state = build(case)
    arguments = case.inputs(**case.lengths[0])
    mine, theirs = outputs(ours(*arguments)), outputs(case.reference(state, *arguments))
    assert_same(mine, theirs)
    wanted = [*real_inputs(arguments), *(value for value in state.values() if value.requires_grad)]
    assert_same(gradients(mine, wanted), gradients(theirs, wanted))


def stack(examples: Sequence[Arguments]) -> Arguments:
    """A batch axis before each argument; what an example lacks of the longest, and one more, is poison."""
    return tuple(_stack_one(values) for values in zip(*examples, strict=True))


def _stack_one(values: Sequence[Any]) -> Any:
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


@every_case
def test_a_batch_is_its_examples(case: Case) -> None:
    assert_batch(case, [case.inputs(**case.lengths[0]) for _ in range(3)])


@pytest.mark.parametrize("case", ragged_cases, ids=[f"{case.spec}.{case.name}" for case in ragged_cases])
def test_a_ragged_batch_is_its_examples(case: Case) -> None:
    lengths = {name: torch.tensor([own[name] for own in case.lengths]) for name in case.lengths[0]}
    assert_batch(case, [case.inputs(**own) for own in case.lengths], lengths=lengths)


def test_every_example_has_a_case() -> None:
    found = {path.relative_to(EXAMPLES).with_suffix("").as_posix() for path in EXAMPLES.rglob("*.tex")}
    assert found == {*GALLERY, *SPECS}


@pytest.mark.parametrize("spec", GALLERY)
def test_a_spec_says_what_it_is_and_where_it_comes_from(spec: str) -> None:
    text = (EXAMPLES / f"{spec}.tex").read_text(encoding="utf-8")
    assert re.search(r"^\\title\{\w.+\}$", text, re.M)
    before = text.partition("\\maketitle")[2].partition("\\begin{")[0]
    prose = [paragraph for paragraph in before.split("\n\n") if len(paragraph.split()) >= 12]
    assert len(prose) >= 2, "the idea, then the source"
    assert re.search(r"\\emph\{[^}]+\}[^\\]*\b(19|20)\d\d\b", text), "a paper's title and its year"
    bare = {row.symbol for row in compiled(spec).symbols if not row.description}
    assert not bare & {row.symbol for row in compiled(spec).symbols if row.kind not in ("value", "submodule")}, "each has a description"


def run_tool(*arguments: str) -> None:
    files = [str(EXAMPLES / f"{spec}.py") for spec in GALLERY]
    done = subprocess.run([sys.executable, "-m", *arguments, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_ruff_accepts_the_generated_files() -> None:
    run_tool("ruff", "check", "--isolated", "--select", "E4,E7,E9,F", "--ignore", "E741")
    run_tool("ruff", "format", "--isolated", "--check")


def test_a_strict_type_checker_accepts_the_generated_files(tmp_path: Path) -> None:
    run_tool("mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", str(tmp_path))
