"""Where indices begin: what comes of an array counts as it does, and so does what its indices meet; what cannot agree is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile

X = torch.tensor([3.0, -5.0, 7.0, 11.0], dtype=torch.float64)
Y = torch.tensor([2.0, 4.0, 8.0, 16.0], dtype=torch.float64)
P = torch.softmax(X, 0)
PLACES = torch.arange(1.0, 5.0, dtype=torch.float64)
FROM_ONE = (r"z_k \in \mathbb{R}, k = 1, \dots, K",)
CLASSES = (r"z \in \mathbb{R}^K", r"y \in \{1, \dots, K\}")
VECTORS = (r"x, y \in \mathbb{R}^n",)


def text(body: str, rows: tuple[str, ...], header: str) -> str:
    table = "\n".join(rf"{row} & \\" for row in rows)
    return f"\\Module{{F}}{{{header}}}\n{body} \\\\\n\\EndModule\n\\begin{{where}}\n{table}\n\\end{{where}}\n"


def made(body: str, rows: tuple[str, ...], header: str, **given: int) -> Any:
    result = compile(text(body, rows, header))
    assert result.ok, [d.message for d in result.diagnostics]
    return result.load().F(**given).double()


def refused(body: str, rows: tuple[str, ...], header: str) -> tuple[str, str]:
    """The message and the help of the only error, which is E0502."""
    (found,) = [d for d in compile(text(body, rows, header)).diagnostics if d.severity == "error"]
    assert found.code == "E0502"
    return found.message, found.help


# ---- what comes of an array counts as it does ---------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"p \gets \softmax(z) \\ \Return \sum_k k p_k", (PLACES * P).sum().item()),
        (r"p \gets \softmax(z) \\ \Return \sum_{k=1}^{K} k p_k", (PLACES * P).sum().item()),
        (r"p \gets \softmax(z) \\ \Return \arg\max_k p_k", 4),
        (r"p \gets \softmax(z) \\ \Return p[1]", P[0].item()),
        (r"p \gets \softmax(2 z) \\ \Return \arg\min_k p_k", 2),
        (r"p \gets \logsoftmax(z) \\ \Return \arg\max_k p_k", 4),
        (r"p \gets \cumsum(z) \\ \Return p[4]", 16.0),
        (r"p \gets \cumsum(z) \\ \Return \sum_k k p_k", 3.0 - 4.0 + 15.0 + 64.0),
        (r"p \gets z / \lVert z \rVert \\ \Return \arg\max_k p_k", 4),
        (r"p \gets z_{1:K} \\ \Return \sum_k k p_k", (PLACES * X).sum().item()),
        (r"p \gets z_{1:3} \\ \Return p[3]", 7.0),
        (r"p \gets z_{2:K} \\ \Return p[1]", -5.0),
        (r"p \gets \softmax(z_{1:3}) \\ \Return \arg\max_k p_k", 3),
        (r"p \gets z \\ \Return \arg\max p", 4),
        (r"\Return \arg\max z", 4),
        (r"\Return \arg\min(\softmax(z))", 2),
    ],
)
def test_what_comes_of_an_array_counts_as_it_does(body: str, wanted: float) -> None:
    assert made(body, FROM_ONE, "z ; ")(X).item() == pytest.approx(wanted)


def test_a_part_from_the_first_element_on_counts_from_it() -> None:
    assert made(r"z \gets x_{1:n} \\ \Return \sum_i i z_i", (r"x \in \mathbb{R}^n",), "x ; ")(X).item() == (PLACES * X).sum().item()
    assert made(r"z \gets x_{0:2} \\ \Return z[0]", (r"x \in \mathbb{R}^n",), "x ; ")(X).item() == 3


def test_gradients_and_batches_of_a_weighted_softmax() -> None:
    module = made(r"p \gets \softmax(z) \\ \Return \sum_k k p_k", FROM_ONE, "z ; ")
    ours, own = (X / 5).clone().requires_grad_(), (X / 5).clone().requires_grad_()
    module(ours).backward()
    (PLACES * torch.softmax(own, 0)).sum().backward()
    torch.testing.assert_close(ours.grad, own.grad)
    both = torch.stack([X / 5, Y / 5])
    torch.testing.assert_close(module(both), (torch.softmax(both, -1) * PLACES).sum(-1))


# ---- what indices meet --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"k \gets \arg\max_i x_i \\ \Return y_k + \sum_{i=1}^n y_i", 46.0),
        (r"k \gets \arg\min_i x_i \\ \Return y_k + \sum_{i=1}^n y_i", 34.0),
        (r"k \gets \arg\max x \\ \Return y_k + \sum_{i=1}^n y_i", 46.0),
        (r"\Return y[\arg\max_i x_i] + \sum_{i=1}^n y_i", 46.0),
        (r"k \gets \arg\max_i x_i \\ \Return y_k + k + \sum_{i=1}^n y_i", 50.0),
        (r"k \gets \arg\max_i x_i \\ \Return y_k + k + x[0]", 22.0),
        (r"p \gets \softmax(x) \\ k \gets \arg\max_i p_i \\ \Return y_k + \sum_{i=1}^n y_i", 46.0),
        (r"\Return \sum_i \sum_{j < i} x_i y_j + 0 \sum_{i=1}^n y_i", -10.0 + 7 * 6 + 11 * 14),
    ],
)
def test_an_index_of_one_array_that_indexes_another(body: str, wanted: float) -> None:
    assert made(body, VECTORS, "x, y ; ")(X, Y).item() == pytest.approx(wanted)


def test_an_index_of_a_product_that_indexes_its_rows() -> None:
    rows = (r"x \in \mathbb{R}^n", r"U \in \mathbb{R}^{K \times n}", r"b \in \mathbb{R}^K")
    module = made(r"s \gets U x \\ j \gets \arg\max_k s_k \\ \Return b_j + \sum_{k=1}^K b_k", rows, "x ; U, b", K=3, n=4)
    module.U.data = torch.eye(4, dtype=torch.float64)[:3]
    module.b.data = torch.tensor([10.0, 20.0, 30.0], dtype=torch.float64)
    assert module(X).item() == 90


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"p \gets \softmax(z) \\ \Return \sum_{k \neq y} p_k", (1 - P[1]).item()),
        (r"p \gets \softmax(z) \\ \Return \sum_k \mathbb{1}[y = k] \log p_k", P[1].log().item()),
        (r"\Return \sum_k (z_k - \mathbb{1}[k=y])^2", 9.0 + 36 + 49 + 121),
        (r"\Return \sum_{k < y} z_k", 3.0),
        (r"\Return \sum_k \mathbb{1}[k \geq y] z_k", 13.0),
        (r"\Return \sum_{k=1}^{K} \mathbb{1}[k = y] z_k", -5.0),
        (r"\Return \max_k (z_k + 100 \mathbb{1}[k = y])", 95.0),
        (r"\hat{y} \gets \arg\min_k z_k \\ \Return \mathbb{1}[\hat{y} = y]", 1.0),
        (r"\hat{y} \gets \arg\max_k z_k \\ \Return \mathbb{1}[\hat{y} = y]", 0.0),
        (r"\Return \begin{cases} 1 & \arg\min z = y \\ 0 & \text{otherwise} \end{cases}", 1.0),
        (r"\Return \arg\max_k (z_k \mathbb{1}[k \neq y])", 4.0),
    ],
)
def test_an_index_beside_a_class(body: str, wanted: float) -> None:
    assert made(body, CLASSES, "z, y ; ")(X, torch.tensor(2)).item() == pytest.approx(wanted)


def test_classes_from_zero_stay() -> None:
    rows = (r"z \in \mathbb{R}^K", r"y \in \{0, \dots, K-1\}")
    assert made(r"\Return \sum_k \mathbb{1}[y = k] z_k", rows, "z, y ; ")(X, torch.tensor(2)).item() == 7
    assert made(r"\Return \mathbb{1}[\arg\min_k z_k = y]", rows, "z, y ; ")(X, torch.tensor(1)).item() == 1


def test_the_share_of_right_classes() -> None:
    rows = (r"z_t \in \mathbb{R}^K, t = 1, \dots, n", r"y_t \in \{1, \dots, K\}, t = 1, \dots, n")
    body = r"\Return \frac1n \sum_{t=1}^n \mathbb{1}[\arg\max_k z_{t,k} = y_t]"
    scores = torch.tensor([[0.1, 0.9, 0.0], [0.3, 0.1, 0.8], [0.7, 0.1, 0.2], [0.7, 0.1, 0.2]], dtype=torch.float64)
    assert made(body, rows, "z, y ; ")(scores, torch.tensor([2, 3, 1, 2])).item() == 0.75


def test_classes_of_another_number_say_nothing() -> None:
    rows = (r"z \in \mathbb{R}^K", r"y \in \{1, \dots, V\}")
    assert made(r"\Return \sum_k \mathbb{1}[y = k] z_k", rows, "z, y ; ")(X, torch.tensor(1)).item() == -5


@pytest.mark.parametrize(
    ("body", "rows", "header", "names"),
    [
        (
            r"k \gets \arg\max_i x_i \\ \Return y_k",
            (r"x_i \in \mathbb{R}, i = 0, \dots, n - 1", r"y_i \in \mathbb{R}, i = 1, \dots, n"),
            "x, y ; ",
            ("`x`", "`y`"),
        ),
        (r"k \gets \arg\max_i x_i \\ \Return y_k + x[0] + \sum_{i=1}^n y_i", VECTORS, "x, y ; ", ("`x`", "`y`")),
        (r"\Return \sum_k \mathbb{1}[y = k] z_k + z[0]", CLASSES, "z, y ; ", ("`z`", "`y`")),
        (r"\hat{y} \gets \arg\max_k z_k \\ \Return \mathbb{1}[\hat{y} = y] + z[0]", CLASSES, "z, y ; ", ("`z`", "`y`")),
        (
            r"\Return \sum_{k \neq y} z_k",
            (r"z_k \in \mathbb{R}, k = 1, \dots, K", r"y \in \{0, \dots, K - 1\}"),
            "z, y ; ",
            ("`z`", "`y`"),
        ),
        (
            r"\Return \mathbb{1}[\arg\max_k z_k = \arg\max_k y_k]",
            (r"z_k \in \mathbb{R}, k = 1, \dots, K", r"y_k \in \mathbb{R}, k = 0, \dots, K - 1"),
            "z, y ; ",
            ("`z`", "`y`"),
        ),
    ],
)
def test_indices_that_count_from_elsewhere_are_refused(body: str, rows: tuple[str, ...], header: str, names: tuple[str, ...]) -> None:
    message, help_text = refused(body, rows, header)
    assert all(name in message for name in names), message
    assert "from 0" in message or "at 0" in message, message
    assert "from 1" in message or "at 1" in message, message
    assert "declare both with one first index" in help_text


def test_what_the_help_says_is_taken() -> None:
    body, rows = r"k \gets \arg\max_i x_i \\ \Return y[k+1] + x[0] + \sum_{i=1}^n y_i", VECTORS
    assert made(body, rows, "x, y ; ")(X, Y).item() == 16 + 3 + 30


# ---- arguments of functions, and elements of values ---------------------------------------------

EITHER = (
    r"g(v) \gets v_1 - v_2 \\ \Return g(x)",
    r"g(v) \gets v_1 - v_2 \\ \Return g(2 x)",
    r"g(v) \gets \sum_{i=1}^{n-1} v_i \\ \Return g(x)",
    r"g(v) \gets v_1 + v_2 \\ h(u) \gets g(u) \\ \Return h(x)",
    r"g(v) \gets v_2 \\ \Return g(\softmax(x))",
    r"y \gets 2 x \\ \Return y_1 + \sum_{i=1}^{n-1} y_i",
    r"y \gets \softmax(x) \\ \Return \sum_{i=1}^{n-1} y_i",
    r"y \gets x + x \\ \Return \sum_{i=2}^{n-1} y_i",
)


@pytest.mark.parametrize("body", EITHER)
def test_what_can_begin_at_either_is_refused_of_arguments_and_values_too(body: str) -> None:
    message, help_text = refused(body, (r"x \in \mathbb{R}^n",), "x ; ")
    assert message == "the first index of `x` can be 1, or 0"
    assert r"`x_{t} \in \mathbb{R}, t = 1, \dots, n`" in help_text
    assert made(body, (r"x_{t} \in \mathbb{R}, t = 1, \dots, n",), "x ; ")(X).isfinite()
    assert made(body, (r"x_{t} \in \mathbb{R}, t = 0, \dots, n - 1",), "x ; ")(X).isfinite()


@pytest.mark.parametrize(
    ("body", "row", "wanted"),
    [
        (r"g(v) \gets v_1 - v_2 \\ \Return g(x)", r"x_i \in \mathbb{R}, i = 1, \dots, n", 8.0),
        (r"g(v) \gets v_1 - v_2 \\ \Return g(x)", r"x_i \in \mathbb{R}, i = 0, \dots, n - 1", -12.0),
        (r"g(v) \gets v[0] - v[1] \\ \Return g(x)", r"x \in \mathbb{R}^n", 8.0),
        (r"g(v) \gets v_0 - v_1 \\ \Return g(x)", r"x \in \mathbb{R}^n", 8.0),
        (r"g(v) \gets v_1 - v_n \\ \Return g(x)", r"x \in \mathbb{R}^n", -8.0),
        (r"g(v) \gets v_1 - v_2 \\ \Return g(x) + \sum_{i=1}^n x_i", r"x \in \mathbb{R}^n", 24.0),
        (r"g(v) \gets v_1 - v_4 \\ \Return g(2 x)", r"x \in \mathbb{R}^4", -16.0),
        (r"y \gets 2 x \\ \Return y[0]", r"x \in \mathbb{R}^n", 6.0),
        (r"y \gets 2 x \\ \Return y_1 + \sum_{i=1}^n y_i", r"x \in \mathbb{R}^n", 38.0),
    ],
)
def test_what_one_first_index_holds_is_read_so(body: str, row: str, wanted: float) -> None:
    assert made(body, (row,), "x ; ")(X).item() == wanted


def test_an_element_of_a_computed_row() -> None:
    body = r"z_t \gets 2 x_t \quad (t = 1, \dots, S) \\ y_t \gets z_{t,1} \quad (t = 1, \dots, S) \\ \Return y"
    message, help_text = refused(body, (r"x_t \in \mathbb{R}^3, t = 1, \dots, S",), "x ; ")
    assert "the first index of `x` can be 1, or 0" in message
    row = r"x_{t,i} \in \mathbb{R}, t = 1, \dots, S, i = 1, \dots, 3"
    assert row in help_text
    rows = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
    torch.testing.assert_close(made(body, (row,), "x ; ")(rows), 2 * rows[:, 0])
    torch.testing.assert_close(
        made(body.replace("z_{t,1}", "z_{t,3}"), (r"x_t \in \mathbb{R}^3, t = 1, \dots, S",), "x ; ")(rows), 2 * rows[:, 2]
    )


def test_a_sum_over_a_part_of_a_product() -> None:
    body, rows = r"y \gets A x \\ \Return \sum_{i=1}^{n-1} y_i", (r"x \in \mathbb{R}^n", r"A \in \mathbb{R}^{n \times n}")
    message, _ = refused(body, rows, "x ; A")
    assert "the first index of `A` can be 1, or 0" in message


# ---- where the first index is 1 by default ------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\algoReturn \sum_k \mathbb{1}[y = k] z_k", 11.0),
        (r"\algoReturn \mathbb{1}[\arg\max_k z_k = y]", 1.0),
        (r"\algoReturn \sum_{k \neq y} z_k", 5.0),
    ],
)
def test_classes_from_zero_in_an_algorithm(body: str, wanted: float) -> None:
    rows = r"z \in \mathbb{R}^K & \\ y \in \{0, \dots, K-1\} & \\"
    result = compile(rf"\algoProc{{\F}}\pa{{z, y}} \\ {body} \\ \algoEndProc \begin{{where}} {rows} \end{{where}}")
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.load().F()(X, torch.tensor(3)).item() == wanted


def test_a_value_that_a_class_indexes_under_a_bare_sum() -> None:
    body = r"p \gets \softmax(z) \\ \Return p[y] + \sum_k k p_k"
    assert made(body, CLASSES, "z, y ; ")(X, torch.tensor(2)).item() == pytest.approx((P[1] + (PLACES * P).sum()).item())


def test_an_element_of_an_expression_that_can_begin_at_either() -> None:
    refused(r"\Return (2 x)_1", (r"x \in \mathbb{R}^n",), "x ; ")


# ---- a token that is chosen and looked up again ---------------------------------------------------

IN_ORDER = r"""\begin{algorithmic} \Require $y_0 \in RANGE$, $T \in \mathbb{N}$, $E, Q \in \mathbb{R}^{V \times 2}$
\Procedure{F}{$y_0$} \For{$t = 1, \dots, T$} \State $z_t \gets -Q E[y_{t-1}]$ \State $y_t \gets \arg\max_k z_{t,k}$ \EndFor
\State \Return $y$ \EndProcedure \end{algorithmic}"""
AS_FAMILY = r"""\Module{F}{y_0 ; E, Q} z_t \gets -Q E[y_{t-1}] \quad (t = 1, \dots, T) \\
y_t \gets \arg\max_k z_{t,k} \quad (t = 1, \dots, T) \\ \Return y \\ \EndModule
\begin{where} y_0 \in RANGE \\ T \in \mathbb{N} \\ E, Q \in \mathbb{R}^{V \times 2} \\ \end{where}"""
IN_CASES = r"""\Module{F}{s ; E, Q}
y_t \gets \begin{cases} s & t = 0 \\ \arg\min_k \sum_j Q_{k,j} E[y_{t-1}]_j & t > 0 \end{cases} \quad (t = 0, \dots, T) \\
\Return \{y_t ; t \in \{1, \dots, T\}\} \\ \EndModule
\begin{where} s \in RANGE \\ T \in \mathbb{N} \\ E, Q \in \mathbb{R}^{V \times 2} \\ \end{where}"""


@pytest.mark.parametrize("given", [IN_ORDER, AS_FAMILY, IN_CASES])
@pytest.mark.parametrize(("values", "base"), [(r"\{0, \dots, V-1\}", 0), (r"\{1, \dots, V\}", 1)])
def test_a_token_that_is_chosen_counts_as_the_one_that_is_given(given: str, values: str, base: int) -> None:
    result = compile(given.replace("RANGE", values))
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().F(V=4, T=3)
    for first in range(4):
        chosen = [first]
        for _ in range(3):
            chosen.append(int((-module.Q @ module.E[chosen[-1]]).argmax()))
        assert [int(token) for token in module(torch.tensor(first + base))] == [token + base for token in chosen[1:]]


@pytest.mark.parametrize("given", [IN_ORDER, AS_FAMILY])
def test_a_token_that_is_given_and_one_that_is_chosen_from_elsewhere(given: str) -> None:
    classes = given.replace("RANGE", r"\{0, \dots, V-1\}").replace(
        r"E, Q \in \mathbb{R}^{V \times 2}", r"E \in \mathbb{R}^{V \times 2} \\ Q_k \in \mathbb{R}^2, k = 1, \dots, V"
    )
    if given is IN_ORDER:
        classes = classes.replace(r"2} \\ Q_k \in \mathbb{R}^2, k", r"2}$ \Require $Q_k \in \mathbb{R}^2, k")
    found = [d for d in compile(classes.replace("-Q E", "-Q E")).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0502"]


@pytest.mark.parametrize(
    "value",
    [r"\softmax(x)_1", r"\exp(x)_1", r"\tanh(W x)_1", r"(x^2)_1", r"(x x^\top)_{1,1}", r"(-x)_2", r"(W - W^\top)_{1,2}"],
)
def test_an_element_of_what_is_computed_of_an_array_that_can_begin_at_either(value: str) -> None:
    rows = (r"x \in \mathbb{R}^K", r"W \in \mathbb{R}^{K \times K}")
    found = [d for d in compile(text(rf"\Return {value}", rows, "x ; W")).diagnostics if d.severity == "error"]
    assert {d.code for d in found} == {"E0502"}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"y_i \gets (2 z)_i \quad (i = 1, \dots, K) \\ \Return y", 2 * X),
        (r"y_i \gets \softmax(z)_i \quad (i = 1, \dots, K) \\ \Return y", P),
        (r"\Return \sum_{i=1}^{K} i (z^2)_i", (PLACES * X**2).sum()),
        (r"\Return (z z^\top)_{1,2}", X[0] * X[1]),
        (r"\Return (z z^\top)_{K,1}", X[3] * X[0]),
    ],
)
def test_an_element_of_what_is_computed_of_an_array_counts_as_it_does(body: str, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(made(body, FROM_ONE, "z ; ")(X), wanted)


def test_elements_of_a_product_run_over_the_rows_that_its_range_says() -> None:
    rows = (r"x \in \mathbb{R}^d", r"W \in \mathbb{R}^{n \times d}")
    module = made(r"y_i \gets i (W x)_i \quad (i = 1, \dots, n) \\ \Return y", rows, "x ; W", n=3, d=4)
    torch.testing.assert_close(module(X), PLACES[:3] * (module.W @ X))


@pytest.mark.parametrize(("value", "wanted"), [(r"\{0\}^1 || x", 22), (r"\{2 s ; s \in \{0\}^1 || x\}", 42)])
def test_a_joined_sequence_counts_from_zero_though_one_read_alone_would_fit_from_one(value: str, wanted: int) -> None:
    h = r"h[0 \leq t \leq S] \gets \begin{cases} 2 & t = 0 \\ h[t-1] + y[t] & t \leq S \end{cases}"
    result = compile(rf"\Module{{F}}{{x ; }} S \gets |x| \\ y \gets {value} \\ {h} \\ \Return h[S] \\ \EndModule")
    assert result.ok, result.diagnostics
    assert result.load().F()(torch.tensor([3, 7, 10])).item() == wanted


def test_an_array_whose_rows_hold_an_element_of_the_header_is_not_that_of_the_header() -> None:
    rows = r"x_t^l \in \mathbb{R}, t = FROM, l = 1, \dots, 2 \\ c_0^l \in \mathbb{R}, l = 1, \dots, 2"
    body = r"c^l \gets 2 x^l \quad (l = 1, \dots, 2) \\ \Return \sum_{t=1}^S (c_t^1 - c_{t-1}^1)"
    document = rf"\Module{{F}}{{x, c_0 ; }} {body} \\ \EndModule \begin{{where}} {rows} \\ \end{{where}}"
    beside = compile(document.replace("FROM", r"1, \dots, S")).load().F()
    assert beside(torch.tensor([[10.0, 20.0], [30.0, 40.0]]), torch.tensor([1.0, 2.0])).item() == 60 - 1
    inside = compile(document.replace("FROM", r"0, \dots, S - 1"))
    assert [d.code for d in inside.diagnostics if d.severity == "error"] == ["E0502"]
