"""Generated files as files: linted, typed, deterministic, compiled, exported, copied; hostile text stays text."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from backend_harness import arguments_of, example, flat, instance, made_of
from ir_samples import SAMPLES, Sample

from mathdsl.backends import eager
from mathdsl.ir.nodes import Equation, Module, Origin, Program, SizeKind
from mathdsl.passes import run_passes

CLASSES = [name for name in SAMPLES if not SAMPLES[name].program.module(SAMPLES[name].module).is_function]


def _made(name: str) -> tuple[Any, dict[str, Any], Sample]:
    """An instance and arguments for a batch of two."""
    sample = SAMPLES[name]
    module = sample.program.module(sample.module)
    loaded, _ = made_of(sample.program)
    sizes = {**sample.sizes, **{size.name: 3 for size in module.sizes if size.kind is SizeKind.RUNTIME}}
    pair = [example(module, sizes, seed, {"S": 5, "y": 1}) for seed in range(2)]
    values = {key: torch.stack([one[key] for one in pair]) for key in pair[0]}
    return instance(loaded, sample.module, sample.sizes, sample.settings, sample.parameters), arguments_of(module, values, []), sample


def test_tools_accept_every_file(tmp_path: Path) -> None:
    for name, sample in SAMPLES.items():
        text = eager.generate(run_passes(sample.program), source_hash="x", options={}).text
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    lint = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "E4,E7,E9,F", "--ignore", "E741", str(tmp_path)]
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", str(tmp_path / "cache"), str(tmp_path)]
    for command in (lint, check):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_program_gives_the_same_bytes(name: str) -> None:
    program = run_passes(SAMPLES[name].program)
    assert eager.generate(program, source_hash="x", options={"b": "1", "a": "2"}) == eager.generate(
        program, source_hash="x", options={"a": "2", "b": "1"}
    )


@pytest.mark.parametrize("name", ["elman", "lstm", "highway"])
def test_compile_as_one_graph(name: str) -> None:
    made, arguments, _ = _made(name)
    torch._dynamo.reset()
    compiled = torch.compile(made, backend="eager", fullgraph=True)
    for found, wanted in zip(flat(compiled(**arguments)), flat(made(**arguments)), strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("name", ["elman", "lstm", "highway", "attention"])
def test_export_at_fixed_sizes(name: str) -> None:
    made, arguments, _ = _made(name)
    exported = torch.export.export(made, (), arguments).module()
    for found, wanted in zip(flat(exported(**arguments)), flat(made(**arguments)), strict=True):
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("name", CLASSES)
def test_copies_compute_the_same(name: str) -> None:
    made, arguments, _ = _made(name)
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        for found, wanted in zip(flat(other(**arguments)), flat(made(**arguments)), strict=True):
            torch.testing.assert_close(found, wanted, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("name", ["elman", "lstm", "highway"])
def test_functional_call_and_single_precision(name: str) -> None:
    made, arguments, _ = _made(name)
    state = {key: value.float() for key, value in made.state_dict().items()}
    given = {key: value.float() if value.is_floating_point() else value for key, value in arguments.items()}
    for result in flat(torch.func.functional_call(made, state, kwargs=given)):
        assert result.dtype == torch.float32


def test_autocast() -> None:
    made, arguments, _ = _made("lstm")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert made.float()(**arguments).isfinite().all()


HOSTILE = ['"""; raise SystemExit("""', "{{ 7 * 7 }} {% raw %}", "a\\", "# noqa\nimport os", "\x00\x1b[31m\u202e\r\n", "'''\"", "\\N{DASH}"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    def changed(module: Module) -> Module:
        steps = tuple(replace(s, origin=Origin(text, comment=text, tag=text)) if isinstance(s, Equation) else s for s in module.steps)
        arrays = tuple(replace(array, latex=text, description=text) for array in module.arrays)
        return replace(module, description=text, latex=text + "\n" + text, steps=steps, arrays=arrays)

    program = SAMPLES["elman"].program
    loaded, source = made_of(Program(tuple(changed(module) for module in program.modules)))
    assert "ElmanLayer" in loaded.__dict__
    assert "\x00" not in source
    made, arguments, _ = _made("elman")
    other = instance(loaded, "ElmanLayer", SAMPLES["elman"].sizes, {}, SAMPLES["elman"].parameters)
    torch.testing.assert_close(other(**arguments), made(**arguments))
