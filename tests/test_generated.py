"""The generated files of the examples as a user of torch meets them: linted, typed, compiled, exported, copied, distributed."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed
import torch.multiprocessing
from examples_loader import EXAMPLES, SPECS, build_example, load_example
from references.cases import CASES, Case
from references.leaves import leaves, real_leaves, weigh
from torch import nn
from torch.nn.parallel import DistributedDataParallel

CASE_IDS = [case.name for case in CASES]


def run_tool(*arguments: str) -> None:
    result = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("spec", SPECS)
def test_ruff_accepts_the_file(spec: str) -> None:
    file = str(EXAMPLES / f"{spec}.py")
    run_tool("ruff", "check", "--isolated", "--select", "E4,E7,E9,F", "--ignore", "E741", file)
    run_tool("ruff", "format", "--isolated", "--check", file)


def test_a_strict_type_checker_accepts_the_files(tmp_path: Path) -> None:
    files = [str(EXAMPLES / f"{spec}.py") for spec in SPECS]
    run_tool("mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", str(tmp_path), *files)


@pytest.mark.parametrize("spec", SPECS)
def test_the_file_stands_alone(spec: str, tmp_path: Path) -> None:
    """It imports torch and the standard library only, also where mathdsl is not installed."""
    (tmp_path / "own.py").write_text((EXAMPLES / f"{spec}.py").read_text(encoding="utf-8"), encoding="utf-8")
    code = "import sys; sys.modules['mathdsl'] = None; import own; print(own.__mathdsl__['version'])"
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def build(case: Case) -> nn.Module:
    torch.manual_seed(0)
    return build_example(case.spec, case.module, **case.sizes)


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
@pytest.mark.parametrize("copies", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))], ids=["deepcopy", "pickle"])
def test_copies_compute_the_same(case: Case, copies: object) -> None:
    module = build(case)
    other = copies(module)  # type: ignore[operator]
    arguments = case.inputs((2,), 4)
    assert all(torch.equal(one, two) for one, two in zip(leaves(module(*arguments)), leaves(other(*arguments)), strict=True))
    with torch.no_grad():
        next(other.parameters()).add_(1)
    assert not torch.equal(next(other.parameters()), next(module.parameters())), "a copy has parameters of its own"


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_saved_weights_load_strictly(case: Case, tmp_path: Path) -> None:
    module = build(case)
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    other = build_example(case.spec, case.module, **case.sizes)
    other.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    arguments = case.inputs((2,), 4)
    assert all(torch.equal(one, two) for one, two in zip(leaves(module(*arguments)), leaves(other(*arguments)), strict=True))


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_torch_compile_takes_the_whole_graph(case: Case) -> None:
    module = build(case)
    torch.compiler.reset()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    arguments = case.inputs((2,), 4)
    parameters = list(module.parameters())
    results = []
    for run in (module, compiled):
        out = leaves(run(*arguments))
        results.append(
            [*out, *torch.autograd.grad(weigh(out), [*real_leaves(arguments), *parameters], allow_unused=True, materialize_grads=True)]
        )
    for one, two in zip(*results, strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_torch_export_at_fixed_sizes(case: Case) -> None:
    module = build(case).eval()
    arguments = case.inputs((2,), 4)
    exported = torch.export.export(module, arguments).module()
    for one, two in zip(leaves(module(*arguments)), leaves(exported(*arguments)), strict=True):
        torch.testing.assert_close(one, two, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_functional_call_and_autocast(case: Case) -> None:
    module = build(case).float()
    arguments = tuple(a.detach().float() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in case.inputs((2,), 4))
    arguments = tuple([s.detach().float() for s in a] if isinstance(a, list) else a for a in arguments)
    doubled = {name: 2 * value for name, value in module.state_dict().items()}
    changed = copy.deepcopy(module)
    changed.load_state_dict(doubled)
    for one, two in zip(leaves(torch.func.functional_call(module, doubled, arguments)), leaves(changed(*arguments)), strict=True):
        torch.testing.assert_close(one, two)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert all(leaf.isfinite().all() for leaf in leaves(module(*arguments)))


def test_wrong_inputs_are_named() -> None:
    layer = build_example("elman", "ElmanLayer", H_in=3, H_out=5)
    with pytest.raises(ValueError, match=r"x.*H_in"):
        layer(torch.zeros(2, 6, 4, dtype=torch.float64))
    with pytest.raises(ValueError, match="h_0"):
        layer(torch.zeros(2, 6, 3, dtype=torch.float64), torch.zeros(2, 4, dtype=torch.float64))
    net = build_example("elman", "ElmanNet", V=7, d_emb=3, d_hid=5, n_lyr=2)
    with pytest.raises((TypeError, ValueError), match="x"):
        net(torch.zeros(2, 6))
    with pytest.raises(ValueError, match="lengths"):
        net(torch.zeros(2, 6, dtype=torch.int64), lengths=torch.tensor([3, 9]))


def distributed_step(rank: int, rendezvous: str, batches: list[tuple[torch.Tensor, torch.Tensor]], path: str) -> None:
    """One of two processes: a step of gradient descent on its own batch; process 0 saves what came out."""
    torch.distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
    tokens, topics = batches[rank]
    model, loss = topic_model()
    wrapped = DistributedDataParallel(model)
    loss(wrapped(tokens), topics).mean().backward()
    if rank == 0:
        torch.save({name: p.grad for name, p in model.named_parameters()}, path)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    os._exit(0)  # threads of gloo may still be alive, and an ordinary end would then abort the process now and then


def topic_model() -> tuple[nn.Module, object]:
    torch.manual_seed(0)
    return build_example("lstm_topic", "LSTM", V=7, d_x=3, d_h=5, C=4), load_example("lstm_topic").loss


@pytest.mark.filterwarnings("ignore")
def test_a_distributed_step_averages_the_gradients(tmp_path: Path) -> None:
    batches = [(torch.randint(0, 7, (3, 5)), torch.randint(0, 4, (3,))) for _ in range(2)]
    saved = str(tmp_path / "gradients.pt")
    torch.multiprocessing.spawn(distributed_step, (str(tmp_path / "rendezvous"), batches, saved), nprocs=2)
    model, loss = topic_model()
    sum(loss(model(tokens), topics).mean() / 2 for tokens, topics in batches).backward()  # type: ignore[operator]
    for name, gradient in torch.load(saved).items():
        torch.testing.assert_close(gradient, dict(model.named_parameters())[name].grad, rtol=1e-10, atol=1e-10)
