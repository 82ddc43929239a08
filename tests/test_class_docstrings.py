"""Classes that their docstrings describe by equations, the installed torch's own among them, against what torch computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

LAYER_NORM = r"the docstring of `LayerNorm` names the inputs `Input`, its equations have `x`, `\mathrm{E}`, `\mathrm{Var}`"
MODULES = Path(torch.__file__).parent / "nn" / "modules"


def compiled(file: Path, part: str) -> Any:
    result = compile_files([SourceFile(str(file), file.read_text(encoding="utf-8"), part)])
    assert result.ok, [d.message for d in result.diagnostics]
    return getattr(result.load(), part)


def refused(file: Path, part: str) -> list[tuple[str, str]]:
    result = compile_files([SourceFile(str(file), file.read_text(encoding="utf-8"), part)])
    return [(d.code, d.message) for d in result.diagnostics if d.severity == "error"]


def agree(ours: Callable[..., Any], theirs: Callable[..., Any], inputs: list[Tensor]) -> None:
    """Values and gradients, with and without a batch."""
    for shape in ((), (3,)):
        given = [torch.randn((*shape, *x.shape), dtype=torch.float64, requires_grad=True) for x in inputs]
        found, wanted = ours(*given), theirs(*given)
        for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, wanted)), strict=True):
            torch.testing.assert_close(one, other)
            sides = [torch.autograd.grad(side.sum(), given, retain_graph=True, allow_unused=True) for side in (one, other)]
            torch.testing.assert_close(*[[torch.zeros(()) if g is None else g for g in side] for side in sides])


@pytest.mark.parametrize(
    ("name", "settings", "reference"),
    [
        ("Tanh", {}, nn.Tanh()),
        ("Sigmoid", {}, nn.Sigmoid()),
        ("LogSigmoid", {}, nn.LogSigmoid()),
        ("Softsign", {}, nn.Softsign()),
        ("Mish", {}, nn.Mish()),
        ("SELU", {}, nn.SELU()),
        ("Softplus", {}, nn.Softplus()),
        ("Softplus", {"beta": 2.0}, nn.Softplus(2.0)),
        ("ELU", {"alpha": 0.5}, nn.ELU(0.5)),
        ("Hardtanh", {}, nn.Hardtanh()),
        ("Hardtanh", {"min_val": -0.2, "max_val": 0.1}, nn.Hardtanh(-0.2, 0.1)),
        ("LeakyReLU", {}, nn.LeakyReLU()),
        ("Hardshrink", {}, nn.Hardshrink()),
        ("Softshrink", {"lambda_": 0.3}, nn.Softshrink(0.3)),
        ("Threshold", {"threshold": 0.1, "value": 7.0}, nn.Threshold(0.1, 7.0)),
    ],
)
def test_activations_of_torch_are_read_from_their_docstrings(name: str, settings: dict[str, float], reference: nn.Module) -> None:
    module = compiled(MODULES / "activation.py", name)(**settings)
    agree(module, reference, [torch.zeros(())])
    agree(module, reference, [torch.zeros(4)])


def test_cells_of_torch_are_read_with_their_inputs_parameters_and_outputs() -> None:
    torch.manual_seed(0)
    for name, gates in (("RNNCell", ("h",)), ("LSTMCell", tuple("ifgo")), ("GRUCell", tuple("rzn"))):
        reference = getattr(nn, name)(3, 2).double()
        states = 2 if name == "LSTMCell" else 1
        made = compiled(MODULES / "rnn.py", name)
        sizes = list(inspect.signature(made).parameters)  # the size of `x`, then those of the states
        cell = made(**{sizes[0]: 3}, **dict.fromkeys(sizes[1:], 2)).double()
        with torch.no_grad():
            for side in "ih":
                for row, gate in enumerate(gates):
                    part = slice(2 * row, 2 * row + 2)
                    getattr(cell, f"W_{side}{gate}").copy_(getattr(reference, f"weight_{side}h")[part])
                    getattr(cell, f"b_{side}{gate}").copy_(getattr(reference, f"bias_{side}h")[part])
        theirs = (lambda x, h, c, f=reference: f(x, (h, c))) if states == 2 else reference
        agree(cell, theirs, [torch.zeros(3), *(torch.zeros(2) for _ in range(states))])


def test_the_cosine_of_torch_has_its_two_vectors_and_its_setting() -> None:
    cosine = compiled(MODULES / "distance.py", "CosineSimilarity")()
    agree(cosine, nn.CosineSimilarity(dim=-1), [torch.zeros(5), torch.zeros(5)])


def test_the_ranking_loss_of_torch_is_one_value_an_example() -> None:
    loss = compiled(MODULES / "loss.py", "MarginRankingLoss")(margin=0.4)
    agree(loss, nn.MarginRankingLoss(margin=0.4, reduction="none"), [torch.zeros(())] * 3)


def test_the_leaky_unit_of_torch_owns_what_is_said_to_be_learnable() -> None:
    unit, reference = compiled(MODULES / "activation.py", "PReLU")(), nn.PReLU().double()
    with torch.no_grad():
        unit.a.copy_(reference.weight[0])
    agree(unit.double(), reference, [torch.zeros(4)])


@pytest.mark.parametrize(
    ("file", "part", "message"),
    [
        ("loss.py", "HuberLoss", r"the docstring of `HuberLoss` defines `\ell` twice"),
        ("activation.py", "GELU", r"the docstring of `GELU` defines `\text{GELU}` twice"),
        ("activation.py", "Softmax", "`x_i` is one element, and the equation reads others of `x`"),
        ("activation.py", "GLU", "the docstring of `GLU` names the inputs `Input`, its equations have `a`, `b`"),
        ("normalization.py", "LayerNorm", LAYER_NORM),
    ],
)
def test_docstrings_of_torch_that_leave_something_open_are_refused(file: str, part: str, message: str) -> None:
    assert refused(MODULES / file, part) == [("E0230", message)]


CALLER = r'''
class Half:
    r"""Half of it.

    .. math::
        & \algoProc{\Half}\pa{x} \\
        & \indent{1} \algoReturn \frac{1}{2} x + \shift(x) \\
        & \algoEndProc
    """


def helpers():
    r"""What the classes share.

    .. mathdsl::
        \shift(x) \gets 3 x \\
    """


class Unused:
    r"""
    .. math::
        & \algoProc{\Unused}\pa{x} \\
        & \indent{1} \algoReturn \algoReturn \\
        & \algoEndProc
    """


class Whole:
    r"""
    .. math::
        & \algoProc{\Whole}\pa{x} \\
        & \indent{1} y \algoEq CALLEE\pa{x} \\
        & \indent{1} \algoReturn 2 y + 1 \\
        & \algoEndProc
    """
'''


def test_a_class_finds_what_it_calls_in_its_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "calls.py"
    file.write_text(CALLER.replace("CALLEE", r"\Half"), encoding="utf-8")
    agree(compiled(file, "Whole")(), lambda x: 7 * x + 1, [torch.zeros(())])


def test_what_is_called_and_not_there_is_an_error_at_the_call(tmp_path: Path) -> None:
    file = tmp_path / "calls.py"
    file.write_text(CALLER.replace("CALLEE", r"\Third"), encoding="utf-8")
    assert refused(file, "Whole") == [("E0305", r"`\Third(…)`, where nothing declares `\Third`, can be a call, or a product")]


def test_a_note_says_what_the_words_of_a_docstring_came_to() -> None:
    file = MODULES / "activation.py"
    result = compile_files([SourceFile(str(file), file.read_text(encoding="utf-8"), "ELU")])
    notes = [d.notes for d in result.diagnostics if d.code == "N0201"]
    assert [note[:2] for note in notes] == [("inputs: `x`", r"settings: `\alpha = 1.0`")]
