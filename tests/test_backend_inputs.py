"""What a generated module says about wrong inputs, and the names that it may not take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from backend_harness import instance, made_of
from ir_samples import SAMPLES, axis, equation, given, op, parameter, read, returns, rows, runtime, total, value

from mathdsl import compile
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Initialiser as Init
from mathdsl.ir.nodes import Input, Literal, Module, Parameter, Program


def _instance(name: str) -> Any:
    sample = SAMPLES[name]
    loaded, _ = made_of(sample.program)
    return instance(loaded, sample.module, sample.sizes, sample.settings, sample.parameters)


x = torch.zeros(2, 4, 2, dtype=torch.float64)  # of the Elman layer: a batch of 2, S = 4, H_in = 2
tokens = torch.zeros(2, 3, dtype=torch.int64)


@pytest.mark.parametrize(
    ("name", "positional", "keywords", "kind", "message"),
    [
        ("elman", (x[..., :1],), {}, ValueError, "x: expected shape (..., S, H_in) = (2, 4, 2), got (2, 4, 1)"),
        ("elman", (x[0, 0],), {}, ValueError, "x: expected shape (..., S, H_in), got (2,)"),
        ("elman", ([1.0],), {}, TypeError, "x: expected a tensor of shape (..., S, H_in), got list"),
        ("elman", (x.long(),), {}, TypeError, "x: expected real elements, got torch.int64"),
        ("elman", (x, torch.zeros(3, dtype=x.dtype)), {}, ValueError, "h_0: expected shape (..., H_out) = (2, 3), got (3,)"),
        ("elman", (x,), {"lengths": torch.tensor([4.0, 1.0])}, TypeError, "lengths: expected an integer tensor for S, got torch.float32"),
        ("elman", (x,), {"lengths": torch.tensor([4])}, ValueError, "lengths: expected the shape of the batch axes (2,) for S, got (1,)"),
        ("elman", (x,), {"lengths": torch.tensor([5, 1])}, ValueError, "lengths: S must lie in 0 .. 4, got 1 .. 5"),
        ("elman", (x,), {"lengths": {"T": torch.tensor([1, 1])}}, ValueError, "lengths: expected the sizes S, got 'T'"),
        ("lstm", (tokens.double(),), {}, TypeError, "S: expected integer elements, got torch.float64"),
        ("lstm", (tokens - 1,), {}, ValueError, "S: expected indices in 0 .. 4, got -1 .. -1"),
        ("lstm", (tokens + 5,), {}, ValueError, "S: expected indices in 0 .. 4, got 5 .. 5"),
        ("stack", (x.new_zeros(2, 4, 3), [x.new_zeros(2, 3)]), {}, ValueError, "h_0: expected a list of n_lyr = 2 tensors, got 1"),
        ("stack", (x.new_zeros(2, 4, 3), x), {}, TypeError, "h_0: expected a list of n_lyr tensors, got Tensor"),
        ("stack", (x.new_zeros(2, 4, 3), [x.new_zeros(2, 3), 1]), {}, TypeError, "h_0[1]: expected a tensor of shape (..., d), got int"),
        (
            "attention",
            (x.new_zeros(2, 4, 4), x.new_zeros(2, 4, 4)),
            {"lengths": torch.tensor([1, 1])},
            TypeError,
            "expected a mapping from S_q, S_k to tensors",
        ),
        ("mean_log", (x[0, :0, 0],), {}, ValueError, "1 \\leq S"),
    ],
)
def test_wrong_inputs_are_named(name: str, positional: tuple[Any, ...], keywords: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        _instance(name)(*positional, **keywords)
    assert message in str(caught.value)


def test_tokens_in_the_padding_are_not_looked_at() -> None:
    wild = tokens.clone()
    wild[1, 1:] = -(10**9)
    lengths = torch.tensor([3, 1])
    made = _instance("lstm")
    torch.testing.assert_close(made(wild, lengths=lengths), made(tokens, lengths=lengths))


def test_a_setting_outside_its_interval() -> None:
    loaded, _ = made_of(SAMPLES["stack"].program)
    with pytest.raises(ValueError, match=r"p: expected a value in \[0, 1\], got 1.5"):
        loaded.__dict__["Stack"](d=2, n_lyr=1, p=1.5)


def _scalar_module(names: tuple[str, str, str], inputs: tuple[Input, ...] | None = None) -> Module:
    """y[t] = w x[t] + z[t] with z[t] = x[t] + z[t - 1], under other Python names."""
    first, weight, state = names
    t = axis("t", 1, "S")
    step = op("add", read("x", "t"), read("z", t.range.lower.of("t") - 1))
    result = total(op("mul", read("w"), read("x", "t")), read("z", "t"))
    return Module(
        name="Scalar",
        sizes=runtime("S"),
        settings=(),
        arrays=(
            given("x", rows(1, "S"), python=first),
            parameter("w", python=weight),
            value("z", rows(0, "S"), python=state),
        ),
        inputs=inputs or (Input("x"),),
        parameters=(Parameter("w", Init("constant", (Literal(1.0),))),),
        submodules=(),
        steps=(equation("z", (0,), (), Literal(0.0)), equation("z", ("t",), (t,), step)),
        results=returns("y", (t,), result),
    )


@pytest.mark.parametrize(
    "names",
    [("batch", "t", "S_own"), ("S", "lengths_", "h_at"), ("torch", "w", "self"), ("k", "x", "lengths"), ("_fill", "w", "_stack")],
)
def test_names_do_not_collide(names: tuple[str, str, str]) -> None:
    plain, _ = made_of(Program((_scalar_module(("x", "w", "z")),)))
    other, _ = made_of(Program((_scalar_module(names),)))
    data = torch.randn(2, 5)
    lengths = torch.tensor([5, 2])
    torch.testing.assert_close(other.__dict__["Scalar"]()(data, lengths=lengths), plain.__dict__["Scalar"]()(data, lengths=lengths))


def test_a_size_that_no_required_input_has() -> None:
    module = _scalar_module(("x", "w", "z"), (Input("x", default=Literal(0.0)),))
    with pytest.raises(MathdslError) as caught:
        made_of(Program((module,)))
    assert [d.code for d in caught.value.diagnostics] == ["E0781"]


def test_pieces_that_fill_no_box() -> None:
    a, b = axis("a", 1, "S"), axis("b", 1, "S")
    short = replace(_scalar_module(("x", "w", "z")), steps=(), arrays=())
    module = replace(
        short,
        arrays=(given("x", rows(1, "S")), parameter("w"), value("z", rows(0, "S"), rows(0, "S"))),
        steps=(equation("z", ("a", "b"), (a, b), read("x", "a")), equation("z", (0, 0), (), read("w"))),
        results=returns("y", (axis("i", 0, "S"), axis("j", 0, "S")), read("z", "i", "j")),
    )
    with pytest.raises(MathdslError) as caught:
        made_of(Program((module,)))
    assert [d.code for d in caught.value.diagnostics] == ["E0780"]


POSITIONS = (
    r"\Module{P}{S ; } p_i \gets 2 i \quad (i = 1, \dots, S) \\ \Return p \EndModule \begin{where} S \in \mathbb{N} & length \\ \end{where}"
)


@pytest.mark.parametrize("size", [3, torch.tensor(3), torch.tensor(3, dtype=torch.int32)])
def test_a_size_is_an_integer_or_a_tensor_without_axes(size: Any) -> None:
    assert compile(POSITIONS).load().P()(size).tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("size", "kind", "message"),
    [
        (torch.tensor([3]), TypeError, "S: expected an integer, got a tensor of torch.int64 and shape (1,)"),
        (torch.tensor(3.0), TypeError, "S: expected an integer, got a tensor of torch.float32 and shape ()"),
        (torch.tensor(True), TypeError, "S: expected an integer, got a tensor of torch.bool and shape ()"),
        (2.0, TypeError, "S: expected an integer, got float"),
        (True, TypeError, "S: expected an integer, got bool"),
        (torch.tensor(-1), ValueError, "S: expected a size, got -1"),
    ],
)
def test_a_size_that_is_none_is_named(size: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        compile(POSITIONS).load().P()(size)
    assert str(caught.value) == message


CELL = r"\Module{Cell}{x, h ; W, U} \Return \tanh(W x + U h) \\ \EndModule"


@pytest.mark.parametrize(
    ("size", "kind", "message"),
    [
        (-1, ValueError, "d_h: expected a size, got -1"),
        (2.5, TypeError, "d_h: expected an integer, got float"),
        (True, TypeError, "d_h: expected an integer, got bool"),
    ],
)
def test_a_constructor_names_a_size_that_is_none(size: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        compile(CELL).load().Cell(d_x=3, d_h=size, d_W=2)
    assert str(caught.value) == message


def test_an_input_without_the_batch_of_the_others_is_told_how_it_could_be_shared() -> None:
    cell = compile(CELL).load().Cell(d_x=3, d_h=4, d_W=2)
    with pytest.raises(ValueError, match="what all examples have in common is declared `shared`"):
        cell(torch.zeros(5, 3), torch.zeros(4))
    row = r" \begin{where} h \in \mathbb{R}^{n} \text{ shared} & the state \\ \end{where}"
    shared = compile(CELL + row).load().Cell(d_x=3, n=4, d_W=2)
    assert shared(torch.zeros(5, 3), torch.zeros(4)).shape == (5, 2)
