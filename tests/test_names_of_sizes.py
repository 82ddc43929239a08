"""The names of fresh sizes: of inputs, of parameters in the order of the header, of computed values, of biases last."""

from __future__ import annotations

import inspect
from itertools import permutations

import pytest

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

RANGE = r" \quad (t = 1, \dots, S)"
GATES = [rf"{g}_t \gets \sigma(W_{g} x_t + U_{g} h_{{t-1}} + b_{g})" + RANGE for g in "fio"]
STATES = [
    r"c_t \gets f_t \odot c_{t-1} + i_t \odot \tanh(W_c x_t + U_c h_{t-1} + b_c)" + RANGE,
    r"h_t \gets o_t \odot \tanh(c_t)" + RANGE,
]
WEIGHTS = ", ".join(f"{letter}_{gate}" for letter in "WUb" for gate in "fioc")


def arguments(header: str, statements: tuple[str, ...], result: str) -> tuple[str, ...]:
    rows = "".join(f"  {statement} \\\\\n" for statement in statements)
    text = f"\\Module{{M}}{{{header}}}\n{rows}  \\Return {result} \\\\\n\\EndModule\n"
    compiled = compile_files([SourceFile("-", text)])
    assert compiled.ok, [d.message for d in compiled.diagnostics]
    return tuple(inspect.signature(compiled.load().M).parameters)


def test_the_120_orders_of_a_recurrence_have_one_constructor() -> None:
    found = {arguments(f"x ; c_0, h_0, {WEIGHTS}", order, "h_S") for order in permutations((*GATES, *STATES))}
    assert found == {("d_x", "d_c")}


@pytest.mark.parametrize(
    ("header", "statements", "expected"),
    [
        (f"x ; h_0, c_0, {WEIGHTS}", (*GATES, *STATES), ("d_x", "d_h")),
        (f"x ; {WEIGHTS}, c_0, h_0", (*GATES, *STATES), ("d_x", "d_c")),
    ],
)
def test_the_header_says_which_parameter_is_first(header: str, statements: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert {arguments(header, order, "h_S") for order in (statements, statements[::-1])} == {expected}


@pytest.mark.parametrize(
    ("header", "expected"),
    [("x ; W, V, b, a", {"d_x", "d_y"}), ("x ; W, V, a, b", {"d_x", "d_y"}), ("x, z ; W, V, a, b", {"d_x", "d_z"})],
)
def test_parallel_statements_do_not_name_sizes(header: str, expected: set[str]) -> None:
    added = " + z" if "z" in header else ""
    for order in permutations((r"q \gets W x + a", r"p \gets V x + b", rf"y \gets p \odot q{added}")):
        assert set(arguments(header, order, "y")) == expected


JOINED = [rf"{g}_t \gets \sigma(W_{g} \cdot [h_{{t-1}}, x_t] + b_{g})" + RANGE for g in "fio"]


def test_a_hidden_size_is_named_after_the_state_and_no_bias() -> None:
    statements = (r"h_0 \gets \mathbf{0}", r"h_t \gets \tanh(W_h x_t + U_h h_{t-1} + b_h)" + RANGE)
    assert arguments("x ; W_h, U_h, b_h", statements, "h_S") == ("d_x", "d_h")
    assert arguments("x ; W_1, b_1, W_2, b_2", (r"h \gets \ReLU(W_1 x + b_1)", r"y \gets W_2 h + b_2"), "y") == ("d_x", "d_h", "d_y")
    assert arguments("x ; W, b", (), "W x + b") == ("d_x", "d_W")


def test_an_input_that_is_joined_keeps_a_size_of_its_own() -> None:
    header = "x ; " + ", ".join(f"{letter}_{gate}" for letter in "Wb" for gate in "fioc")
    states = (r"h_0 \gets \mathbf{0}", r"c_0 \gets \mathbf{0}", r"h_t \gets o_t \odot \tanh(c_t)" + RANGE)
    cell = r"c_t \gets f_t \odot c_{t-1} + i_t \odot \tanh(W_c \cdot [h_{t-1}, x_t] + b_c)" + RANGE
    assert arguments(header, (*JOINED, *states, cell), "h_S") == ("d_x", "d_h")
