"""The names of fresh sizes: of inputs, of parameters in the order of the header, of what is defined; never of the order of statements."""

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
        (f"x ; {WEIGHTS}, c_0, h_0", (*GATES, *STATES), ("d_x", "d_b_f")),
    ],
)
def test_the_header_says_which_parameter_is_first(header: str, statements: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert {arguments(header, order, "h_S") for order in (statements, statements[::-1])} == {expected}


@pytest.mark.parametrize(
    ("header", "expected"),
    [("x ; W, V, b, a", {"d_x", "d_b"}), ("x ; W, V, a, b", {"d_x", "d_a"}), ("x, z ; W, V, a, b", {"d_x", "d_z"})],
)
def test_parallel_statements_do_not_name_sizes(header: str, expected: set[str]) -> None:
    added = " + z" if "z" in header else ""
    for order in permutations((r"q \gets W x + a", r"p \gets V x + b", rf"y \gets p \odot q{added}")):
        assert set(arguments(header, order, "y")) == expected
