"""Gradients where formulas have an edge: norms at 0, values behind names that a branch does not take, stable forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
ROOT_2 = 2.0**0.5
Data = Sequence[object] | float


@cache
def module(text: str) -> object:
    result = compile_files([SourceFile("-", text)])
    assert result.ok, [d.message for d in result.diagnostics]
    return result.load().F()


def value_and_gradient(text: str, *data: Data) -> tuple[Tensor, list[Tensor]]:
    """The result for one example, and the gradients of its sum; the same in a batch beside an example of ones."""
    made = module(text)
    inputs = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in data]
    result = made(*inputs)  # type: ignore[operator]
    gradients = torch.autograd.grad(result.sum(), inputs, allow_unused=True)
    batch = [torch.stack([torch.ones_like(one), one.detach()]).requires_grad_() for one in inputs]
    together = made(*batch)  # type: ignore[operator]
    batched = torch.autograd.grad(together.sum(), batch, allow_unused=True)
    torch.testing.assert_close(together[1], result, **CLOSE)
    for alone, among in zip(gradients, batched, strict=True):
        assert (alone is None) == (among is None)
        if alone is not None and among is not None:
            torch.testing.assert_close(among[1], alone, **CLOSE)
    return result.detach(), [torch.zeros_like(i) if g is None else g for i, g in zip(inputs, gradients, strict=True)]


def check(text: str, data: Sequence[Data], value: Data, *gradients: Data) -> None:
    """Value and gradients are these."""
    found, slopes = value_and_gradient(text, *data)
    torch.testing.assert_close(found, torch.tensor(value, dtype=torch.float64), **CLOSE)
    for slope, wanted in zip(slopes, gradients, strict=True):
        torch.testing.assert_close(slope, torch.tensor(wanted, dtype=torch.float64), **CLOSE)


# ---- norms ---------------------------------------------------------------------------------------

VECTOR = r"\begin{where} x \in \mathbb{R}^{n} & \\ \end{where}"
VECTORS = r"\begin{where} x, y \in \mathbb{R}^{n} & \\ \end{where}"
MATRIX = r"\begin{where} A \in \mathbb{R}^{n \times m} & \\ \end{where}"
ROWS = {"x": VECTOR, "x, y": VECTORS, "A": MATRIX}


def norm(formula: str, inputs: str = "x") -> str:
    return rf"\Module{{F}}{{{inputs} ; }} \Return {formula} \\ \EndModule {ROWS[inputs]}"


SQUARES = [
    r"\lVert x - y \rVert^2",
    r"\lVert x - y \rVert_2^2",
    r"\lVert x - y \rVert^2_2",
    r"(\lVert x - y \rVert)^2",
    r"\| x - y \|^2",
    r"\lVert y - x \rVert ** 2",
    r"\lVert x - y \rVert \cdot \lVert x - y \rVert",
]


@pytest.mark.parametrize("formula", SQUARES)
def test_a_squared_distance_has_the_gradient_0_where_there_is_none(formula: str) -> None:
    text = norm(formula, "x, y")
    check(text, ([1.0, 2.0], [1.0, 2.0]), 0.0, [0.0, 0.0], [0.0, 0.0])
    check(text, ([1.0, 2.0], [4.0, -2.0]), 25.0, [-6.0, 8.0], [6.0, -8.0])


def test_a_squared_norm_is_the_sum_of_squares_to_the_second_derivative() -> None:
    made = module(norm(r"\lVert x \rVert^2"))
    x = torch.zeros(2, dtype=torch.float64)
    hessian = torch.autograd.functional.hessian(made, x)  # type: ignore[arg-type]
    torch.testing.assert_close(hessian, 2.0 * torch.eye(2, dtype=torch.float64))


def test_a_squared_norm_behind_a_name_has_the_gradient_0() -> None:
    text = rf"\Module{{F}}{{x ; }} r \gets \lVert x \rVert \\ \Return r^2 \\ \EndModule {VECTOR}"
    check(text, ([0.0, 0.0],), 0.0, [0.0, 0.0])
    check(text, ([3.0, -4.0],), 25.0, [6.0, -8.0])


@pytest.mark.parametrize("formula", [r"\lVert A \rVert_F^2", r"\lVert A \rVert^2_F", r"(\lVert A \rVert_F)^2"])
def test_a_squared_norm_of_a_matrix(formula: str) -> None:
    check(norm(formula, "A"), ([[0.0, 0.0], [0.0, 0.0]],), 0.0, [[0.0, 0.0], [0.0, 0.0]])
    check(norm(formula, "A"), ([[1.0, 0.0], [-2.0, 3.0]],), 14.0, [[2.0, 0.0], [-4.0, 6.0]])


def test_a_fourth_power() -> None:
    check(norm(r"\lVert x \rVert^4"), ([0.0, 0.0],), 0.0, [0.0, 0.0])
    check(norm(r"\lVert x \rVert^4"), ([1.0, 2.0],), 25.0, [20.0, 40.0])


@pytest.mark.parametrize(
    ("formula", "value", "slopes"),
    [
        (r"\lVert x \rVert", 5.0, [0.6, -0.8]),
        (r"\lVert x \rVert_2", 5.0, [0.6, -0.8]),
        (r"\lVert x \rVert_1", 7.0, [1.0, -1.0]),
        (r"\lVert x \rVert_\infty", 4.0, [0.0, -1.0]),
        (r"\lVert x \rVert_3", 91.0 ** (1 / 3), [9.0 * 91.0 ** (-2 / 3), -16.0 * 91.0 ** (-2 / 3)]),
        (r"\lVert x \rVert_{0.5}", (3.0**0.5 + 2.0) ** 2, [(3.0**0.5 + 2.0) / 3.0**0.5, -(3.0**0.5 + 2.0) / 2.0]),
        (r"\lVert x \rVert^3", 125.0, [45.0, -60.0]),
    ],
)
def test_a_norm_has_the_gradient_0_at_0(formula: str, value: float, slopes: list[float]) -> None:
    check(norm(formula), ([3.0, -4.0],), value, slopes)
    check(norm(formula), ([0.0, 0.0],), 0.0, [0.0, 0.0])


def test_norms_of_rows_of_which_some_are_0() -> None:
    text = r"\Module{F}{A ; } \Return \sum_{i=1}^{n} \lVert A_{i} \rVert \\ \EndModule"
    text += r"\begin{where} A_i \in \mathbb{R}^{m}, i = 1, \dots, n & \\ \end{where}"
    check(text, ([[0.0, 0.0], [1.0, -1.0]],), ROOT_2, [[0.0, 0.0], [1 / ROOT_2, -1 / ROOT_2]])
    frobenius = norm(r"\lVert A \rVert_F", "A")
    check(frobenius, ([[0.0, 0.0], [1.0, -1.0]],), ROOT_2, [[0.0, 0.0], [1 / ROOT_2, -1 / ROOT_2]])


# ---- values behind names that a branch does not take -----------------------------------------------


def table(rows: str) -> str:
    return rf"\begin{{where}} {rows} \end{{where}}"


def body(*statements: str, inputs: str = "x", rows: str = r"x \in \mathbb{R}^n & \\") -> str:
    return rf"\Module{{F}}{{{inputs} ; }} " + " ".join(rf"{s} \\" for s in statements) + r" \EndModule " + table(rows)


def procedure(*lines: str) -> str:
    inside = " ".join(lines)
    return rf"\begin{{algorithmic}} \Procedure{{F}}{{$x$}} {inside} \EndProcedure \end{{algorithmic}}" + SERIES_ROW


def cases(value: str, condition: str) -> str:
    return rf"\begin{{cases}} {value} & {condition} \\ 0 & otherwise \end{{cases}}"


SCALAR = r"x_t \in \mathbb{R}, t = 1, \dots, S & \\"
SERIES_ROW = table(SCALAR)
GUARDED = rf"\Return {cases('u', 'x > 0')}"


@pytest.mark.parametrize(
    ("definition", "value", "slope"),
    [
        (r"u \gets \log x", 0.6931471805599453, 0.5),
        (r"u \gets \sqrt{x}", ROOT_2, 0.5 / ROOT_2),
        (r"u \gets 1 / x", 0.5, -0.25),
        (r"u \gets x^{-0.5}", 1 / ROOT_2, -0.5 / 2**1.5),
        (r"u \gets x \odot \log x", 2 * 0.6931471805599453, 1.6931471805599454),
    ],
)
def test_no_gradient_comes_from_a_value_that_is_not_taken(definition: str, value: float, slope: float) -> None:
    check(body(definition, GUARDED), ([0.0, 2.0, -1.0],), [0.0, value, 0.0], [0.0, slope, 0.0])


def test_a_value_that_overflows_where_it_is_not_taken() -> None:
    text = body(r"u \gets \exp x", rf"\Return {cases('u', 'x < 5')}")
    check(text, ([1000.0, 0.0],), [0.0, 1.0], [0.0, 1.0])


def test_several_names_in_a_chain() -> None:
    text = body(r"a \gets \sqrt{x}", r"b \gets 1 / a", r"u \gets a + b", GUARDED)
    check(text, ([0.0, 4.0],), [0.0, 2.5], [0.0, 0.25 - 0.0625])


def test_a_condition_on_the_value_itself() -> None:
    check(body(r"u \gets \log x", rf"\Return {cases('u', 'u > 0')}"), ([0.0, 2.0],), [0.0, 0.6931471805599453], [0.0, 0.5])


def test_a_sum_behind_a_name() -> None:
    rows = r"x \in \mathbb{R}^n & \\ c \in \mathbb{R} & \\"
    text = body(r"s \gets \sum_i \log x_i", rf"\Return {cases('s', 'c > 0')}", inputs="x, c", rows=rows)
    check(text, ([0.0, 2.0], -1.0), 0.0, [0.0, 0.0], 0.0)
    check(text, ([1.0, 2.0], 1.0), 0.6931471805599453, [1.0, 0.5], 0.0)


def test_a_vector_by_its_norm_behind_a_name() -> None:
    text = body(r"r \gets \lVert x \rVert", r"u \gets x / r", r"\Return \begin{cases} u & r > 0 \\ x & otherwise \end{cases}")
    check(text, ([0.0, 0.0],), [0.0, 0.0], [1.0, 1.0])
    check(text, ([3.0, 4.0],), [0.6, 0.8], [1 / 5 - 3 * 7 / 125, 1 / 5 - 4 * 7 / 125])


def test_a_value_in_a_recurrence() -> None:
    text = body(
        r"h_0 \gets 0",
        r"u[1 \leq t \leq S] \gets \log(x[t]) + h[t-1]",
        r"h[1 \leq t \leq S] \gets \begin{cases} u[t] & x[t] > 0 \\ h[t-1] & otherwise \end{cases}",
        r"\Return h[S]",
        rows=SCALAR,
    )
    check(text, ([0.0, 4.0, -1.0, 2.0],), 3 * 0.6931471805599453, [0.0, 0.25, 0.0, 0.5])


def test_a_value_in_a_loop_of_an_algorithm() -> None:
    text = procedure(
        r"\State $s \gets 0$ \For{$t = 1, \dots, S$} \State $u \gets \log x_t$",
        r"\If{$x_t > 0$} \State $s \gets s + u$ \EndIf \EndFor \State \Return $s$",
    )
    check(text, ([0.0, 4.0, -1.0, 2.0],), 3 * 0.6931471805599453, [0.0, 0.25, 0.0, 0.5])


def test_a_chain_inside_a_branch_of_an_algorithm() -> None:
    text = procedure(
        r"\State $s \gets 0$ \For{$t = 1, \dots, S$} \If{$x_t > 0$} \State $u \gets \sqrt{x_t}$ \State $v \gets 1 / u$",
        r"\State $s \gets s + v$ \EndIf \EndFor \State \Return $s$",
    )
    check(text, ([0.0, 4.0, -1.0],), 0.5, [0.0, -0.0625, 0.0])


def test_an_element_that_data_chooses() -> None:
    rows = r"x \in \mathbb{R}^n & \\ k \in \{0, \dots, n-1\} & \\"
    text = body(r"u \gets \log x", rf"\Return {cases('u[k]', 'x[k] > 0')}", inputs="x, k", rows=rows)
    made = module(text)
    x = torch.tensor([0.0, 2.0], dtype=torch.float64, requires_grad=True)
    for k, slope in ((0, [0.0, 0.0]), (1, [0.0, 0.5])):
        (found,) = torch.autograd.grad(made(x, torch.tensor(k)), x)  # type: ignore[operator]
        torch.testing.assert_close(found, torch.tensor(slope, dtype=torch.float64))


def test_an_element_that_is_not_read_at_an_end() -> None:
    y = r"y_t \gets \begin{cases} 0 & t = 1 \\ u_t & otherwise \end{cases} \quad (t = 1, \dots, S)"
    check(body(r"u \gets \log x", y, r"\Return y", rows=SCALAR), ([0.0, 2.0],), [0.0, 0.6931471805599453], [0.0, 0.5])


def test_a_branch_that_is_taken_keeps_its_infinite_gradient() -> None:
    _, (slope,) = value_and_gradient(body(r"u \gets \sqrt{x}", rf"\Return {cases('u', 'x > -1')}"), [0.0, 4.0])
    assert slope.tolist() == [float("inf"), 0.25]


PIECEWISE = body(
    r"u_1 \gets \log x_1",
    r"u_t \gets \log(x_t) + 1 \quad (t = 2, \dots, S)",
    rf"y_t \gets {cases('u_t', 'x_t > 0')} \quad (t = 1, \dots, S)",
    r"\Return y",
    rows=SCALAR,
)
RECURRENCE = body(
    r"s_0 \gets 0",
    r"s_t \gets s_{t-1} + \log x_t \quad (t = 1, \dots, S)",
    rf"\Return {cases('s_S', 'x_1 > 0')}",
    rows=SCALAR,
)


@pytest.mark.parametrize("text", [PIECEWISE, RECURRENCE], ids=["piecewise", "recurrence"])
def test_a_value_of_several_equations(text: str) -> None:
    _, (slope,) = value_and_gradient(text, [0.0, 2.0])
    assert not slope.isnan().any()


# ---- stable forms through names --------------------------------------------------------------------

Z_ROW = r"z \in \mathbb{R} & \\"
Z_VECTOR = r"z \in \mathbb{R}^n & \\"
LOG_2 = 0.6931471805599453
BIG = [1000.0, -1000.0, 0.0]


@pytest.mark.parametrize(
    "statements",
    [
        (r"\hat{y} \gets \sigma(z)", r"\Return \log(1 - \hat{y})"),
        (r"\hat{y} \gets \sigma(z)", r"q \gets 1 - \hat{y}", r"\Return \log q"),
        (r"\hat{y} \gets \sigma(z)", r"y \gets \hat{y}", r"\Return \ln(1 - y)"),
        (r"\hat{y} \gets 1 / (1 + e^{-z})", r"\Return \log(1 - \hat{y})"),
        (r"\hat{y} \gets \sigma(-z)", r"\Return \log \hat{y}"),
        (r"u \gets 1 + e^{z}", r"\Return -\log u"),
    ],
)
def test_the_logarithm_of_the_rest_of_a_probability(statements: tuple[str, ...]) -> None:
    text = body(*statements, inputs="z", rows=Z_ROW)
    check(text, (1000.0,), -1000.0, -1.0)
    check(text, (-1000.0,), 0.0, 0.0)
    check(text, (0.0,), -LOG_2, -0.5)


def test_a_binary_cross_entropy_of_names() -> None:
    rows = r"z, y \in \mathbb{R} & \\"
    text = body(r"p \gets \sigma(z)", r"\Return -y \log p - (1 - y) \log(1 - p)", inputs="z, y", rows=rows)
    check(text, (1000.0, 0.0), 1000.0, 1.0, -1000.0)
    check(text, (-1000.0, 1.0), 1000.0, -1.0, 1000.0)
    check(text, (1000.0, 1.0), 0.0, 0.0, -1000.0)


@pytest.mark.parametrize(
    "statements",
    [
        (r"p \gets \softmax(z)", r"\Return \log p[1]"),
        (r"p \gets \softmax(z)", r"q \gets p", r"\Return \log q[1]"),
        (r"p \gets \exp(z) / \sum_j \exp(z_j)", r"\Return \log p[1]"),
        (r"s \gets \sum_j e^{z_j}", r"p \gets e^z / s", r"\Return \log p[1]"),
        (r"w \gets \exp(z)", r"s \gets \sum_j w_j", r"\Return \log(w[1] / s)"),
        (r"w \gets \exp(z)", r"s \gets \sum_j w_j", r"\Return \log w[1] - \log s"),
        (r"p \gets \softmax(z)", r"\Return \log_2(p[1]) \cdot \log(2)"),
    ],
)
def test_the_logarithm_of_an_element_of_a_softmax(statements: tuple[str, ...]) -> None:
    text = body(*statements, inputs="z", rows=Z_VECTOR)
    check(text, (BIG,), -2000.0, [-1.0, 1.0, 0.0])
    check(text, ([0.0, 0.0],), -LOG_2, [-0.5, 0.5])


def test_a_cross_entropy_of_labels_and_names() -> None:
    rows = r"z, y \in \mathbb{R}^n & \\"
    for loss in (r"-\sum_i y_i \log p_i", r"-y^\top \log p", r"-\langle y, \log p \rangle"):
        text = body(r"p \gets \softmax(z)", rf"\Return {loss}", inputs="z, y", rows=rows)
        check(text, (BIG, [0.0, 1.0, 0.0]), 2000.0, [1.0, -1.0, 0.0], [0.0, 2000.0, 1000.0])


@pytest.mark.parametrize(
    "statements",
    [
        (r"\Return \log(\exp(a) + \exp(b))",),
        (r"u \gets \exp(a)", r"v \gets e^b", r"\Return \log(u + v)"),
        (r"u \gets e^a", r"s \gets u + e^b", r"\Return \log s"),
        (r"\Return \log(2 e^a + 2 e^b) - \log(2)",),
        (r"\Return \log(e^{a + b} (e^{-b} + e^{-a}))",),
    ],
)
def test_the_logarithm_of_a_sum_of_two_exponentials(statements: tuple[str, ...]) -> None:
    text = body(*statements, inputs="a, b", rows=r"a, b \in \mathbb{R} & \\")
    check(text, (1000.0, -1000.0), 1000.0, 1.0, 0.0)
    check(text, (-1000.0, -1000.0), LOG_2 - 1000.0, 0.5, 0.5)
    check(text, (1000.0, 1000.0), LOG_2 + 1000.0, 0.5, 0.5)


@pytest.mark.parametrize(
    "statements",
    [
        (r"\Return \exp(z) / \sum_j \exp(z_j)",),
        (r"p_i \gets \frac{e^{z_i}}{\sum_j e^{z_j}} \quad (i = 0, \dots, n-1)", r"\Return p"),
        (r"s \gets \sum_j e^{z_j}", r"\Return e^z / s"),
        (r"w_i \gets e^{z_i} \quad (i = 0, \dots, n-1)", r"s \gets \sum_j w_j", r"\Return w / s"),
        (r"w \gets e^z", r"\Return \frac{2 w}{2 \sum_j w_j}"),
        (r"s \gets \sum_j e^{z_j}", r"\Return \exp(z - \log s)"),
    ],
)
def test_a_softmax_written_out(statements: tuple[str, ...]) -> None:
    text = (
        body(*statements, inputs="z", rows=Z_VECTOR)
        .replace(r"\Return", r"r \gets")
        .replace(r"\EndModule", r"\Return r \odot r \\ \EndModule")
    )
    check(text, (BIG,), [1.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    check(text, ([1000.0, 1000.0],), [0.25, 0.25], [0.0, 0.0])
    # p = (1/3, 2/3); the gradient of sum p^2 is 2 p_i (p_i - sum p^2)
    check(text, ([0.0, LOG_2],), [1 / 9, 4 / 9], [2 / 3 * (1 / 3 - 5 / 9), 4 / 3 * (2 / 3 - 5 / 9)])


def test_an_average_weighted_by_exponentials() -> None:
    rows = r"z, v \in \mathbb{R}^n & \\"
    text = body(r"\Return \frac{\sum_i e^{z_i} v_i}{\sum_i e^{z_i}}", inputs="z, v", rows=rows)
    check(text, (BIG, [1.0, 2.0, 3.0]), 1.0, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    check(text, ([1000.0, 1000.0], [1.0, 3.0]), 2.0, [-0.5, 0.5], [0.5, 0.5])


@pytest.mark.parametrize(
    ("formula", "low", "middle", "high", "slope"),
    [
        (r"\frac{1}{1 + e^{-z}}", 0.0, 0.5, 1.0, 0.25),
        (r"\frac{e^z}{1 + e^z}", 0.0, 0.5, 1.0, 0.25),
        (r"\frac{e^z - e^{-z}}{e^z + e^{-z}}", -1.0, 0.0, 1.0, 1.0),
        (r"\frac{3}{2 + 2 e^{z}}", 1.5, 0.75, 0.0, -0.375),
    ],
)
def test_a_function_written_with_exponentials(formula: str, low: float, middle: float, high: float, slope: float) -> None:
    text = body(rf"\Return {formula}", inputs="z", rows=Z_ROW)
    check(text, (-1000.0,), low, 0.0)
    check(text, (0.0,), middle, slope)
    check(text, (1000.0,), high, 0.0)


def test_a_masked_softmax_written_out() -> None:
    rows = r"z, c \in \mathbb{R}^n & \\"
    weights = r"w_i \gets \begin{cases} e^{z_i} & c_i > 0 \\ 0 & otherwise \end{cases} \quad (i = 0, \dots, n-1)"
    text = body(weights, r"p \gets w / \sum_j w_j", r"\Return p \odot p", inputs="z, c", rows=rows)
    check(text, ([5000.0, 1000.0, 1000.0], [-1.0, 1.0, 1.0]), [0.0, 0.25, 0.25], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])


def test_a_sum_over_the_others() -> None:
    text = body(r"\Return \log \sum_{j \neq 0} \exp(z_j)", inputs="z", rows=Z_VECTOR)
    check(text, ([5000.0, 1000.0, 1000.0],), 1000.0 + LOG_2, [0.0, 0.5, 0.5])


def test_a_product_that_two_forms_share_is_computed_once() -> None:
    text = r"\Module{F}{x ; w} y \gets \sigma(w^\top x) \\ \Return y \log y + (1 - y) \log(1 - y) \\ \EndModule"
    source = compile_files([SourceFile("-", text + table(r"x, w \in \mathbb{R}^n & \\"))]).source
    assert source.count("@ self.w") == 1
    assert "torch.log(" not in source


# ---- nothing times the logarithm of nothing --------------------------------------------------------

P_ROW = r"p \in \mathbb{R}^n & \\"


@pytest.mark.parametrize(
    "formula",
    [
        r"-\sum_i p_i \log p_i",
        r"-\sum_i (\log p_i) p_i",
        r"\sum_i p_i (-\log p_i)",
        r"-\frac{1}{2} \sum_i 2 p_i \ln p_i",
        r"-p^\top \log p",
        r"-\log(2) \sum_i p_i \log_2 p_i",
        r"-\sum_i \frac{p_i \log p_i}{1}",
    ],
)
def test_an_entropy_where_a_probability_is_0(formula: str) -> None:
    text = body(rf"\Return {formula}", inputs="p", rows=P_ROW)
    check(text, ([0.0, 0.5, 0.5],), LOG_2, [0.0, LOG_2 - 1, LOG_2 - 1])
    check(text, ([1.0, 0.0],), 0.0, [-1.0, 0.0])


def test_an_entropy_of_a_name() -> None:
    text = body(r"l \gets \log p", r"\Return -\sum_i p_i l_i", inputs="p", rows=P_ROW)
    check(text, ([0.0, 0.5, 0.5],), LOG_2, [0.0, LOG_2 - 1, LOG_2 - 1])


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_i p_i \log \frac{p_i}{q_i}",
        r"\sum_i p_i \log(p_i / q_i)",
        r"\frac{1}{3} \sum_i 3 p_i \log \frac{p_i}{q_i}",
    ],
)
def test_a_divergence_where_a_probability_is_0(formula: str) -> None:
    text = body(rf"\Return {formula}", inputs="p, q", rows=r"p, q \in \mathbb{R}^n & \\")
    check(text, ([0.0, 1.0], [0.5, 0.5]), LOG_2, [0.0, LOG_2 + 1], [0.0, -2.0])
    check(text, ([0.0, 1.0], [0.0, 0.5]), LOG_2, [0.0, LOG_2 + 1], [0.0, -2.0])


def test_a_label_of_0_beside_a_probability_of_0() -> None:
    text = body(r"\Return -\sum_i y_i \log p_i", inputs="y, p", rows=r"y, p \in \mathbb{R}^n & \\")
    check(text, ([0.0, 1.0], [0.0, 0.5]), LOG_2, [0.0, LOG_2], [0.0, -2.0])
    check(text, ([0.0, 1.0], [0.25, 0.5]), LOG_2, [2 * LOG_2, LOG_2], [0.0, -2.0])


def test_a_binary_entropy_at_both_ends() -> None:
    text = body(r"\Return -p \log p - (1 - p) \log(1 - p)", inputs="p", rows=r"p \in \mathbb{R} & \\")
    check(text, (0.5,), LOG_2, 0.0)
    for end in (0.0, 1.0):
        value, (slope,) = value_and_gradient(text, end)
        assert value == 0.0
        assert slope.isfinite()
