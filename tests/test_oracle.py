"""The oracle against numbers worked out by hand and against small independent loops in torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import torch
from ir_samples import (
    BOOLEAN,
    INTEGER,
    REAL,
    SAMPLES,
    Sample,
    axis,
    equation,
    filled,
    op,
    p,
    read,
    returns,
    rows,
    scheduled,
    sum_over,
    value,
)

from mathdsl.ir.nodes import Check, Equation, Expr, IndexValue, Initialiser, Literal, Module, Origin, Parameter, Program, Reduce
from mathdsl.ir.own_parts import padded
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.oracle import OracleError, interpret


def run(sample: Sample, **arguments: Any) -> Any:
    """The sample's results, some arguments replaced."""
    given = {**sample.arguments, **arguments}
    return interpret(sample.program, sample.module, given, sample.parameters, sample.sizes, sample.settings)


def tensors(sample: Sample) -> dict[str, torch.Tensor]:
    """Arguments and parameters as float64 tensors (tokens as int64)."""
    found = {name: torch.tensor(value) for name, value in (*sample.arguments.items(), *sample.parameters.items())}
    return {
        name: torch.tensor(v, dtype=torch.float64) if found[name].is_floating_point() else found[name]
        for name, v in (*sample.arguments.items(), *sample.parameters.items())
    }


def assert_close(result: Any, expected: torch.Tensor) -> None:
    torch.testing.assert_close(torch.tensor(result, dtype=torch.float64), expected, rtol=1e-11, atol=1e-13)


# ---- each sample against a loop --------------------------------------------------------------------------------


def elman_loop(x: torch.Tensor, h: torch.Tensor, W: torch.Tensor, U: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    states = []
    for x_t in x:
        h = torch.tanh(W @ x_t + U @ h + b)
        states.append(h)
    return torch.stack(states)


def test_elman() -> None:
    sample, v = SAMPLES["elman"], tensors(SAMPLES["elman"])
    assert_close(run(sample), elman_loop(v["x"], v["h_0"], v["W"], v["U"], v["b"]))


def test_an_input_that_is_left_out_has_its_default() -> None:
    sample, v = SAMPLES["elman"], tensors(SAMPLES["elman"])
    without = replace(sample, arguments={"x": sample.arguments["x"]})
    assert_close(run(without), elman_loop(v["x"], torch.zeros(3, dtype=torch.float64), v["W"], v["U"], v["b"]))


def test_lstm() -> None:
    sample, v = SAMPLES["lstm"], tensors(SAMPLES["lstm"])
    h, c = v["h_0"], v["c_0"]
    tokens = [0, *sample.arguments["S"]]
    for token in tokens[1:]:
        x = v["D.weight"][token]
        f, i, o, g = (v[f"T_{k}.W_h"] @ h + v[f"T_{k}.W_x"] @ x + v[f"T_{k}.b"] for k in "fioc")
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    assert_close(run(sample), v["Linear.weight"] @ h + v["Linear.bias"])


def test_lstm_of_nothing_is_the_linear_layer_of_its_first_state() -> None:
    sample, v = SAMPLES["lstm"], tensors(SAMPLES["lstm"])
    assert_close(run(sample, S=[]), v["Linear.weight"] @ v["h_0"] + v["Linear.bias"])


def test_stack_returns_the_sequence_and_a_list_of_last_states() -> None:
    sample, v = SAMPLES["stack"], tensors(SAMPLES["stack"])
    h, last = v["x"], []
    for layer in range(2):
        h = elman_loop(h, v["h_0"][layer], v[f"f.{layer}.W"], v[f"f.{layer}.U"], v[f"f.{layer}.b"])
        last.append(h[-1])
    y, h_last = run(sample)
    assert_close(y, h)
    assert_close(h_last, torch.stack(last))
    assert run(sample, x=[]) == ([], sample.arguments["h_0"])


def test_attention() -> None:
    sample, v = SAMPLES["attention"], tensors(SAMPLES["attention"])
    q, k, w = (torch.einsum("hce,ie->hic", v[f"W_{name}"], v[source]) for name, source in (("Q", "q"), ("K", "k"), ("V", "k")))
    a = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(3), -1)
    o, scores = run(sample)
    assert_close(scores, a)
    assert_close(o, (a @ w).transpose(0, 1))


def test_a_recurrence_may_run_backwards() -> None:
    sample, v = SAMPLES["descending"], tensors(SAMPLES["descending"])
    h = torch.zeros(2, dtype=torch.float64)
    states = []
    for x_t in v["x"].flip(0):
        h = torch.tanh(v["U"] @ h + x_t)
        states.insert(0, h)
    first, whole = run(sample)
    assert_close(whole, torch.stack(states))
    assert_close(first, states[0])


@pytest.mark.parametrize("sample", [SAMPLES["highway"], scheduled(SAMPLES["highway"])], ids=["unordered", "scheduled"])
def test_highway(sample: Sample) -> None:
    v = tensors(sample)
    s, states = v["s_0"], []
    for x_t in v["x"]:
        for k in range(3):
            entering = {name: v[f"W_{name}"] @ x_t if k == 0 else torch.zeros(2, dtype=torch.float64) for name in "hg"}
            pre = {name: entering[name] + v[f"R_{name}"][k] @ s + v[f"b_{name}"][k] for name in "hg"}
            gate = torch.sigmoid(pre["g"])
            s = torch.tanh(pre["h"]) * gate + s * (1 - gate)
        states.append(s)
    assert_close(run(sample), torch.stack(states))


def test_fibonacci_by_hand() -> None:
    sample = replace(SAMPLES["fibonacci"], parameters={"w": 1.0})
    assert run(sample, x=[0.0] * 7) == [1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0]


def test_the_branch_not_taken_is_not_evaluated() -> None:
    y, whole = run(SAMPLES["guarded_log"])
    assert y == pytest.approx([math.log(0.375), 0.0, -1.5, math.log(2.25)])
    assert whole == pytest.approx(math.log(0.375) - 1.5 + math.log(2.25))


def test_a_reduction_may_grow_with_an_outer_index() -> None:
    assert run(SAMPLES["prefix_sum"], x=[1.0, 2.0, 4.0]) == [0.75, 2.25, 5.25]
    assert run(SAMPLES["prefix_sum"], x=[]) == []


def test_mean_of_logarithms() -> None:
    assert run(SAMPLES["mean_log"]) == pytest.approx(sum(math.log(0.75 * x * x) for x in (0.5, 2.0, 3.0)) / 3)


def test_argmax_counts_from_the_lower_bound_and_takes_the_first() -> None:
    assert run(SAMPLES["greatest"], x=[0.5, 3.0, 3.0]) == (2, 2.25)


def test_cross_entropy_gathers() -> None:
    sample = SAMPLES["loss"]
    expected = -torch.log_softmax(torch.tensor(sample.arguments["y_hat"], dtype=torch.float64), 0)[2]
    assert_close(run(sample), expected)


def test_two_results_and_a_library_layer() -> None:
    sample, v = SAMPLES["pair"], tensors(SAMPLES["pair"])
    norm = torch.nn.functional.layer_norm(v["x"] - v["halves.a"], (3,), v["layer_norm.weight"], v["layer_norm.bias"])
    assert_close(run(sample), norm)


def test_a_long_sequence_needs_no_recursion() -> None:
    sample, v = SAMPLES["elman"], tensors(SAMPLES["elman"])
    x = filled((2000, 2), 7)
    expected = elman_loop(torch.tensor(x, dtype=torch.float64), v["h_0"], v["W"], v["U"], v["b"])
    assert_close(run(sample, x=x)[-1], expected[-1])
    backwards = SAMPLES["descending"]
    assert len(run(backwards, x=filled((2000, 2), 8))[1]) == 2000


# ---- what has no value ---------------------------------------------------------------------------------------


def sequence(*steps: Equation, result: Expr | None = None, domain: tuple[Any, Any] = (1, "S"), **parts: Any) -> Program:
    """A module of one sequence x_1 … x_S that defines `a`, and returns it unless told otherwise."""
    t = axis("t", 1, "S")
    module = SAMPLES["fibonacci"].program.modules[0]
    results = returns("a", (t,), read("a", "t")) if result is None else returns("a", (), result)
    arrays = (*module.arrays[:2], value("a", rows(*domain)))
    return Program((replace(module, arrays=arrays, steps=steps, results=results, **parts),))


def compute(program: Program, x: list[float], lengths: dict[str, int] | None = None) -> Any:
    return interpret(program, program.modules[0].name, {"x": x}, {"w": 0.5}, {}, lengths=lengths)


T = axis("t", 1, "S")
HALF = Poly(((((("S", 1),)), Fraction(1, 2)),))

REFUSED: dict[str, tuple[Program, str]] = {
    "outside": (sequence(equation("a", ("t",), (T,), read("x", p("t") + 1))), r"x\[4\] is read, outside of x\[1 \.\. 3\]"),
    "undefined": (
        sequence(equation("a", ("t",), (T,), read("a", p("t") - 1)), domain=(0, "S")),
        r"a\[0\] is read and never defined",
    ),
    "circular": (sequence(equation("a", ("t",), (T,), read("a", "t"))), r"a\[1\] needs a\[1\]"),
    "circular at a distance": (
        sequence(equation("a", (1,), (), read("a", 2)), equation("a", ("t",), (axis("t", 2, "S"),), read("a", p("t") - 1))),
        r"a\[1\] needs a\[2\] needs a\[1\]",
    ),
    "defined twice": (
        sequence(equation("a", ("t",), (T,), Literal(1.0)), equation("a", (1,), (), Literal(2.0))),
        r"a\[1\] is defined 2 times",
    ),
    "greatest of nothing": (sequence(result=Reduce("max", axis("t", 4, "S"), read("x", "t"), REAL)), "max over an empty range"),
    "integer by 0": (
        sequence(result=op("to_real", op("mod", Literal(1), Literal(0), element=INTEGER))),
        "mod of 1, 0",
    ),
    "no integer": (sequence(result=op("to_real", IndexValue(HALF))), r"S/2 is no integer"),
    "assertion": (
        sequence(
            result=Literal(1.0),
            checks=(Check((T,), op("less", read("x", "t"), Literal(2.5), element=BOOLEAN), Origin(r"x_t < 2.5")),),
        ),
        "the assertion does not hold: x_t < 2.5",
    ),
}


@pytest.mark.parametrize(("program", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_value_is_refused(program: Program, message: str) -> None:
    with pytest.raises(OracleError, match=message):
        compute(program, [1.0, 2.0, 3.0])


def test_arguments_must_fit() -> None:
    elman = SAMPLES["elman"]
    with pytest.raises(OracleError, match="an axis of H_in elements has 3 where H_in = 2"):
        run(elman, x=filled((4, 3), 1))
    with pytest.raises(OracleError, match="the argument x is missing"):
        interpret(elman.program, "ElmanLayer", {}, elman.parameters, {**elman.sizes, "S": 1})
    with pytest.raises(OracleError, match="the parameter W is not given"):
        interpret(elman.program, "ElmanLayer", elman.arguments, {}, elman.sizes)
    with pytest.raises(OracleError, match="the size S of ElmanLayer follows from no argument"):
        interpret(elman.program, "ElmanLayer", {}, elman.parameters, elman.sizes)
    with pytest.raises(OracleError, match="the size H_in of ElmanLayer is not given"):
        interpret(elman.program, "ElmanLayer", {"x": []}, elman.parameters, {"H_out": 3})


def test_the_other_side_of_and_is_not_read_where_the_first_decides() -> None:
    before = op("greater", read("x", p("t") - 1), Literal(0.0), element=BOOLEAN)
    later = op("greater", IndexValue(p("t")), Literal(1), element=BOOLEAN)
    guarded = op("to_real", op("and", later, before, element=BOOLEAN))
    program = sequence(equation("a", ("t",), (T,), guarded))
    assert compute(program, [1.0, -1.0, 1.0]) == [0.0, 1.0, 0.0]
    with pytest.raises(OracleError):
        compute(sequence(equation("a", ("t",), (T,), op("to_real", op("and", before, later, element=BOOLEAN)))), [1.0])


def test_sizes_are_found_from_shifted_extents() -> None:
    """A size from an axis of S + 1 elements, and one from 2 n."""
    module = SAMPLES["fibonacci"].program.modules[0]
    arrays = (replace(module.arrays[0], ranges=(rows(0, "S"),)), *module.arrays[1:])
    program = Program((replace(module, arrays=arrays),))
    assert len(compute(program, [1.0] * 6)) == 5
    doubled = replace(module, arrays=(replace(module.arrays[0], ranges=(rows(1, p("S") * 2),)), *module.arrays[1:]))
    assert len(compute(Program((doubled,)), [1.0] * 6)) == 3
    with pytest.raises(OracleError, match=r"an axis of 2\*S elements has 5 where S = 2"):
        compute(Program((doubled,)), [1.0] * 5)


def test_a_buffer_has_the_value_of_the_program() -> None:
    gate, module = SAMPLES["lstm"].program.modules
    constant = Parameter("h_0", Initialiser("constant", (Literal(0.25),)))
    changed = replace(module, parameters=(module.parameters[0], constant))
    program = replace(SAMPLES["lstm"].program, modules=(gate, changed))
    parameters = {name: v for name, v in SAMPLES["lstm"].parameters.items() if name not in ("h_0", "c_0")}
    explicit = {**parameters, "c_0": [0.0] * 3, "h_0": [0.25] * 3}
    tokens = {"S": [1, 2]}
    sizes = SAMPLES["lstm"].sizes
    assert interpret(program, "LSTM", tokens, parameters, sizes) == interpret(program, "LSTM", tokens, explicit, sizes)


# ---- padded examples -----------------------------------------------------------------------------------------

NAN = math.nan


def owned(body: Expr, index: str, fill: float) -> Expr:
    return padded(body, p(index), p(OwnSize("S")), Literal(fill))


def batched(name: str, change: Callable[[Module], Module]) -> Program:
    program = SAMPLES[name].program
    return Program((change(replace(program.modules[0], batched=True, ragged=("S",))),))


@pytest.mark.parametrize("length", [0, 1, 3])
def test_padding_reaches_no_result(length: int) -> None:
    """What `batch_axes` makes of the Elman layer: the whole padded range runs, the result is filled with zeros."""
    sample = SAMPLES["elman"]
    t, i = axis("t", 1, "S"), axis("i", 1, "H_out")
    program = batched("elman", lambda m: replace(m, results=returns("h", (t, i), owned(read("h", "t", "i"), "t", 0.0))))
    x = [*sample.arguments["x"][:length], *[[NAN, NAN]] * (4 - length)]
    result = interpret(program, "ElmanLayer", {**sample.arguments, "x": x}, sample.parameters, sample.sizes, lengths={"S": length})
    alone = run(sample, x=sample.arguments["x"][:length])
    assert result == [*alone, *[[0.0] * 3] * (4 - length)]


def test_the_last_state_is_the_examples_own() -> None:
    i = axis("i", 1, "H_out")
    sample = SAMPLES["elman"]
    program = batched("elman", lambda m: replace(m, results=returns("h", (i,), read("h", OwnSize("S"), "i"))))
    for length in (0, 2, 4):
        result = interpret(program, "ElmanLayer", sample.arguments, sample.parameters, sample.sizes, lengths={"S": length})
        assert result == (run(sample)[length - 1] if length else sample.arguments["h_0"])


def test_a_reduction_over_padding_sees_its_neutral_element() -> None:
    """sum over t of log(x_t) / S with NaN and 0 in the padding; without the fill the poison shows."""
    own = op("to_real", IndexValue(p(OwnSize("S"))))
    plain = op("log", read("x", "t"))

    def mean(body: Expr) -> Program:
        return sequence(result=op("div", sum_over(T, body), own))

    x = [0.5, 2.0, NAN, 0.0]
    assert compute(mean(owned(plain, "t", 0.0)), x, {"S": 2}) == 0.0
    assert compute(mean(owned(plain, "t", 0.0)), x, {"S": 1}) == math.log(0.5)
    assert math.isnan(compute(mean(plain), x, {"S": 2}))


def test_bounds_are_padded_and_values_are_the_examples_own() -> None:
    count = sum_over(T, Literal(1.0))
    own = op("to_real", IndexValue(p(OwnSize("S"))))
    assert compute(sequence(result=op("sub", count, own)), [1.0] * 5, {"S": 2}) == 3.0


def test_reading_outside_is_poison_where_there_is_padding() -> None:
    program = sequence(equation("a", ("t",), (T,), read("x", p("t") + 1)))
    first, second, third = compute(program, [1.0, 2.0, 3.0], {"S": 3})
    assert (first, second) == (2.0, 3.0)
    assert math.isnan(third)


def test_a_token_in_the_padding_may_be_anything() -> None:
    """A lookup of 10**9 poisons only what comes of it."""
    sample = SAMPLES["loss"]
    result = interpret(sample.program, "loss", {**sample.arguments, "y": 10**9}, {}, {}, lengths={"C": 4})
    assert math.isnan(result)
