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


def test_the_orders_of_a_recurrence_have_one_constructor() -> None:
    orders = tuple(permutations((*GATES, *STATES)))[::7]
    found = {arguments(f"x ; c_0, h_0, {WEIGHTS}", order, "h_S") for order in orders}
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


GRU = (
    r"z_t \gets \sigma(W_z x_t + U_z h_{t-1} + b_z)" + RANGE,
    r"r_t \gets \sigma(W_r x_t + U_r h_{t-1} + b_r)" + RANGE,
    r"\tilde{h}_t \gets \tanh(W_h x_t + U_h (r_t \odot h_{t-1}) + b_h)" + RANGE,
    r"h_t \gets (1 - z_t) \odot h_{t-1} + z_t \odot \tilde{h}_t" + RANGE,
    r"y_t \gets V h_t + c" + RANGE,
)
ATTENTION = (
    r"q_i \gets W_q x_i \quad (i = 1, \dots, n)",
    r"k_j \gets W_k x_j \quad (j = 1, \dots, n)",
    r"v_j \gets W_v x_j \quad (j = 1, \dots, n)",
    r"s_{ij} \gets \frac{q_i^\top k_j}{\sqrt{n}} \quad (i = 1, \dots, n, j = 1, \dots, n)",
    r"y_i \gets W_o \sum_{j=1}^{n} \softmax_j(s_{ij}) v_j \quad (i = 1, \dots, n)",
)
MLP = (
    r"u \gets \Dropout(\ReLU(W_1 x + b_1), p)",
    r"v \gets \Dropout(\ReLU(W_2 u + b_2), q)",
    r"w \gets \operatorname{clip}(W_3 v, r, s)",
    r"y \gets w + \sum_{i=1}^{M} \sum_{j=1}^{K} i j w",
)
SETTINGS = r"q \in [0, 1], s \in \mathbb{R}_{>0}, p \in [0, 1], r \in \mathbb{R}_{>0}"
WRITTEN = (  # `d_x`, `n_W` and `n_V` are settings of the program, so that no size may have these names
    r"y \gets \frac{W x}{d_x} + d_W",
    r"z \gets \frac{\tanh(y)}{n_W}",
    r"u \gets \frac{\tanh(V z)}{n_V}",
)
OPAQUE = (r"u \gets \tanh(D(x))", r"v \gets \tanh(E(x))", r"y \gets W_1 u + W_2 v")


@pytest.mark.parametrize(
    ("header", "statements", "result", "expected"),
    [
        ("x, h_0 ; W_z, W_r, W_h, U_z, U_r, U_h, b_z, b_r, b_h, V, c", GRU, "y", ("d_x", "d_h", "d_c")),
        ("x ; U_z, U_r, U_h, b_h, W_z, W_r, W_h, b_z, b_r, V, c, h_0", GRU, "y", ("d_x", "d_b_h", "d_c")),
        ("x, h_0", GRU, "y", ("d_x", "d_h", "d_c")),
        ("x ; W_q, W_k, W_v, W_o", ATTENTION, "y", ("d_x", "n_W_q", "n_W_v", "n_W_o")),
        ("x ; W_o, W_v, W_k, W_q", ATTENTION, "y", ("d_x", "n_W_o", "d_W_o", "n_W_k")),
        ("x", ATTENTION, "y", ("d_x", "n_W_k", "n_W_o", "d_W_o")),
        (f"x ; W_1, b_1, W_2, b_2, W_3, {SETTINGS}", MLP, "y", ("K", "M", "d_x", "d_b_1", "d_b_2", "n_W_3", "q", "s", "p", "r")),
        ("x", MLP, "y", ("K", "M", "d_x", "d_b_1", "d_b_2", "d_r", "p", "q")),
        ("x", WRITTEN, "u", ("d_x_2", "d_d_W", "d_u", "d_x", "n_V", "n_W")),
        ("x ; D, E, W_1, W_2", OPAQUE, "y", ("n_W_1", "d_W_1", "d_W_2", "D", "E")),
        ("x ; E, D, W_2, W_1", OPAQUE, "y", ("n_W_2", "d_W_2", "d_W_1", "E", "D")),
    ],
)
def test_no_order_of_statements_changes_the_constructor(
    header: str, statements: tuple[str, ...], result: str, expected: tuple[str, ...]
) -> None:
    turned = (statements[k:] + statements[:k] for k in range(len(statements)))
    assert {arguments(header, order, result) for order in (*turned, statements[::-1])} == {expected}
