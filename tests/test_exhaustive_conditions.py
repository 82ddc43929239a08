"""`cases` without `otherwise`: accepted where the rows provably leave nothing over, wherever they stand, and refused elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from by_hand import OVER_T, X, agree, algorithm, calls_decide, made, module, stack
from torch import Tensor

from mathdsl import compile

DATA = r"u, v \in \mathbb{R} & \\ n, m \in \mathbb{Z} & \\ a, b \in \mathbb{B} & \\"
HEADER = "u, v, n, m, a, b ; "


def cases(*rows: tuple[str, str]) -> str:
    return r"\begin{cases} " + r" \\ ".join(f"{value} & {condition}" for value, condition in rows) + r" \end{cases}"


def numbered(conditions: tuple[str, ...]) -> str:
    """Row 1 has the value 1, row 2 the value 2, and so on."""
    return cases(*((str(k), condition) for k, condition in enumerate(conditions, 1)))


def errors(body: str, table: str, header: str) -> list[tuple[str, str]]:
    result = compile(rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}")
    return [(d.code, d.help) for d in result.diagnostics if d.severity == "error"]


# ---- on indices ----------------------------------------------------------------------------------


def shifted(x: Tensor) -> Tensor:
    """`x_1`, then the element before."""
    return torch.cat([x[:1], x[:-1]])


INDICES: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "alone": ("y_t \\gets " + cases(("x_t", "t = 1"), ("x_{t-1}", "t > 1")), shifted),
    "in a formula": ("y_t \\gets 1 + 2 " + cases(("x_t", "t = 1"), ("x_{t-1}", "t > 1")), lambda x: 1 + 2 * shifted(x)),
    "the guard first": ("y_t \\gets 1 + " + cases(("x_{t-1}", r"t \geq 2"), ("x_t", r"t \leq 1")), lambda x: 1 + shifted(x)),
    "in a function's argument": (
        r"y_t \gets \tanh(" + cases(("x_t", "t = 1"), ("x_{t-1}", r"t \neq 1")) + ")",
        lambda x: shifted(x).tanh(),
    ),
    "in a sum": (
        r"y_t \gets \sum_{s=1}^{t} " + cases(("x_s", "s < t"), ("3 x_s", "s = t")),
        lambda x: x.cumsum(0) + 2 * x,
    ),
    "in a product": (
        r"y_t \gets \prod_{s=1}^{S} " + cases(("x_s", "s < t"), ("2", "s = t"), ("1", "s > t")),
        lambda x: stack([2 * x[:t].prod() for t in range(len(x))]),
    ),
    "even and odd": (r"y_t \gets 1 + " + cases(("x_t", r"t \text{ is even}"), ("-x_t", r"t \text{ is odd}")), lambda x: 1 + alternating(x)),
    "even and odd alone": (r"y_t \gets " + cases(("-x_t", r"t \text{ is odd}"), ("x_t", r"t \text{ is even}")), lambda x: alternating(x)),
    "remainders": (
        r"y_t \gets 1 + " + cases(("x_t", r"t \bmod 3 = 1"), ("2 x_t", r"t \bmod 3 = 2"), ("0", r"3 \mid t")),
        lambda x: stack([1 + (1.0, 2.0, 0.0)[t % 3] * x[t] for t in range(len(x))]),
    ),
    "both ends": (
        r"y_t \gets 1 + " + cases(("0", "t = 1"), ("x_{t-1} x_{t+1}", "1 < t < S"), ("2", r"t = S")),
        lambda x: stack([1 + (0 * x[t] if t == 0 else x[t - 1] * x[t + 1] if t < len(x) - 1 else 2 + 0 * x[t]) for t in range(len(x))]),
    ),
    "inside a row": (
        r"y_t \gets 1 + " + cases(("x_1", "t = 1"), (cases(("x_{t-1}", "t = 2"), ("x_{t-2}", "t > 2")), "otherwise")),
        lambda x: stack([1 + (x[0] if t < 2 else x[t - 2]) for t in range(len(x))]),
    ),
    "inside a row of data": (
        r"y_t \gets 1 + " + cases((cases(("x_t", "x_t > 1"), ("1", r"x_t \leq 1")), "x_t > 0"), ("0", r"x_t \leq 0")),
        lambda x: 1 + torch.where(x > 0, x.clamp(min=1), 0),
    ),
    "indices and data": (
        r"y_t \gets 1 + " + cases(("x_{t-1}", r"t > 1 \land x_t > 0"), ("x_t", r"t = 1 \land x_t > 0"), ("0", r"x_t \leq 0")),
        lambda x: 1 + torch.where(x > 0, shifted(x), 0),
    ),
    "a row that is never reached": (
        r"y_t \gets 1 + " + cases(("0", r"x_t \leq 0"), ("x_t", "x_t > 0"), ("x_{t-1}", "t > 1")),
        lambda x: 1 + x.relu(),
    ),
    "a recurrence": (
        r"y_t \gets x_t + " + cases(("0", "t = 1"), ("0.5 y_{t-1}", r"t \geq 2")),
        lambda x: recurrence(x),
    ),
    "a recurrence from the end": (
        r"y_t \gets x_t + " + cases(("0.5 y_{t+1}", "t < S"), ("0", "t = S")),
        lambda x: recurrence(x.flip(0)).flip(0),
    ),
}


def alternating(x: Tensor) -> Tensor:
    return stack([-x[t] if t % 2 == 0 else x[t] for t in range(len(x))])


def recurrence(x: Tensor) -> Tensor:
    found: list[Tensor] = []
    for value in x:
        found.append(value + 0.5 * found[-1] if found else value)
    return stack(found)


@pytest.mark.parametrize("name", INDICES)
def test_rows_on_indices_that_leave_nothing_over(name: str) -> None:
    body, by_hand = INDICES[name]
    agree(module(body + OVER_T), by_hand)


def test_before_and_after_a_size_of_a_parameter() -> None:
    rows = cases(("x_t", r"t \leq k"), ("x_{t-k} + 1", r"t \geq k + 1"))
    for formula in (rows, "0 + " + rows):
        table = X + r" w \in \mathbb{R}^{k} & \\"
        subject = made(rf"\Module{{F}}{{x ; w}} y_t \gets {formula} {OVER_T} \EndModule \begin{{where}} {table} \end{{where}}", k=2)
        agree(subject, lambda x: stack([x[t] if t < 2 else x[t - 2] + 1 for t in range(len(x))]))


def test_before_and_after_a_setting() -> None:
    rows = cases(("x_t", r"t \leq k"), ("2 x_t", r"t \geq k + 1"))
    subject = made(rf"\Module{{F}}{{x ; k \in \mathbb{{N}}}} y_t \gets {rows} {OVER_T} \EndModule \begin{{where}} {X} \end{{where}}", k=2)
    agree(subject, lambda x: stack([x[t] if t < 2 else 2 * x[t] for t in range(len(x))]))


def test_the_sizes() -> None:
    rows = cases((r"\max_t x_t", r"S \geq 1"), ("7", "S = 0"))
    agree(module(rf"m \gets {rows} \\ \Return m \\"), lambda x: x.max() if len(x) else x.sum() + 7)
    rows = cases(("0", "S = 0"), ("x_1", "S = 1"), ("x_1 x_2", "S > 1"))
    agree(module(rf"\Return 1 + {rows} \\"), lambda x: 1 + (x[0] * x[1] if len(x) > 1 else x.sum()))


def test_branches_of_an_algorithm() -> None:
    subject = algorithm(
        r"""\algoFor{t \in \set{1, \dots, S}}
        \algoIf{x_t > 1}
        y_t \algoEq 2 x_t
        \algoElseIf{0 \leq x_t \leq 1}
        y_t \algoEq x_t^2
        \algoElseIf{x_t < 0}
        y_t \algoEq 0
        \algoEndIf
        \algoEndFor
        \algoReturn y"""
    )
    agree(subject, lambda x: torch.where(x > 1, 2 * x, torch.where(x < 0, 0, x**2)))


def test_branches_on_the_parity_of_an_algorithm() -> None:
    subject = algorithm(
        r"""\algoFor{t \in \set{1, \dots, S}}
        \algoIf{t \text{ is odd}}
        y_t \algoEq -x_t
        \algoElseIf{t \text{ is even}}
        y_t \algoEq x_t
        \algoEndIf
        \algoEndFor
        \algoReturn y"""
    )
    agree(subject, alternating)


# ---- on data -------------------------------------------------------------------------------------

COVERING: dict[tuple[str, ...], Callable[..., int]] = {
    ("u < -1", r"-1 \leq u \leq 1", "u > 1"): lambda u, v, n, m, a, b: 1 if u < -1 else 2 if u <= 1 else 3,
    ("u > 1", "u < -1", r"-1 \leq u \leq 1"): lambda u, v, n, m, a, b: 1 if u > 1 else 2 if u < -1 else 3,
    (r"u \leq -1", "-1 < u < 0", r"0 \leq u < 1", r"1 \leq u"): lambda u, v, n, m, a, b: 1 + (u > -1) + (u >= 0) + (u >= 1),
    ("u < v + 1", r"v \leq u - 1"): lambda u, v, n, m, a, b: 1 + (u >= v + 1),
    ("u < v", "u = v", "v < u"): lambda u, v, n, m, a, b: 1 if u < v else 2 + (u > v),
    ("10 u < 1", r"u \geq 0.1"): lambda u, v, n, m, a, b: 1 + (10 * u >= 1),
    ("-u / 2 > 0", r"u \geq 0"): lambda u, v, n, m, a, b: 1 + (u >= 0),
    ("u = v", r"u \neq v"): lambda u, v, n, m, a, b: 1 + (u != v),
    (r"\exp(u) < \sqrt{2}", r"\sqrt{2} \leq \exp(u)"): lambda u, v, n, m, a, b: 1 + (u >= 0.5 * 0.6931471805599453),
    (r"|u| < 1", r"\lvert u \rvert \geq 1"): lambda u, v, n, m, a, b: 1 + (abs(u) >= 1),
    (r"u v < 1", r"v u \geq 1"): lambda u, v, n, m, a, b: 1 + (u * v >= 1),
    (r"u < 0 \land v < 0", r"u \geq 0 \lor v \geq 0"): lambda u, v, n, m, a, b: 1 + (u >= 0 or v >= 0),
    (r"\lnot (u < 0)", "u < 0"): lambda u, v, n, m, a, b: 1 + (u < 0),
    (r"n \leq 2", r"n \geq 3"): lambda u, v, n, m, a, b: 1 + (n >= 3),
    ("n < 2.5", r"n \geq 3"): lambda u, v, n, m, a, b: 1 + (n >= 3),
    (r"n + m \leq 3", r"n \geq 4 - m"): lambda u, v, n, m, a, b: 1 + (n + m >= 4),
    ("n < m", r"n = m", "m < n"): lambda u, v, n, m, a, b: 1 + (n == m) + 2 * (n > m),
    (r"n \text{ is even}", r"n \text{ is odd}"): lambda u, v, n, m, a, b: 1 + n % 2,
    (r"n \bmod 3 = 0", r"n \bmod 3 = 1", r"n \bmod 3 = 2"): lambda u, v, n, m, a, b: 1 + n % 3,
    (r"n \in \{1, 2\}", r"n \notin \{1, 2\}"): lambda u, v, n, m, a, b: 1 + (n not in (1, 2)),
    ("a", r"\lnot a"): lambda u, v, n, m, a, b: 1 + (not a),
    ("a = b", r"a \neq b"): lambda u, v, n, m, a, b: 1 + (a != b),
    (r"a \land b", r"a \land \lnot b", r"\lnot a \land b", r"\lnot a \land \lnot b"): lambda u, v, n, m, a, b: 4 - 2 * a - b,
    (r"\lnot (a \lor b)", r"a \lor b"): lambda u, v, n, m, a, b: 1 + (a or b),
    (r"a \land u > 0", r"a \land u \leq 0", r"\lnot a"): lambda u, v, n, m, a, b: 3 if not a else 1 if u > 0 else 2,
}
POINTS = [
    (u, v, n, m, a, b)
    for u, v, n, m in (
        (-2.0, 0.0, -3, 3),
        (-1.0, -1.0, 0, 0),
        (-0.5, 2.0, 1, 4),
        (0.0, 0.0, 2, 1),
        (0.1, 9.9, 3, 3),
        (1.0, 1.0, 4, 0),
        (3.0, 2.0, 5, -7),
    )
    for a in (False, True)
    for b in (False, True)
]


def of_data(conditions: tuple[str, ...]) -> str:
    unused = r"\begin{cases} 0 & a \land b \\ 0 & otherwise \end{cases}"
    return rf"\Return {numbered(conditions)} + 0 (u + v + n + m) + {unused} \\"


@pytest.mark.parametrize("conditions", COVERING, ids=" | ".join)
def test_rows_on_data_that_leave_nothing_over(conditions: tuple[str, ...]) -> None:
    subject = module(of_data(conditions), DATA, HEADER)
    columns = [torch.tensor(column) for column in zip(*POINTS, strict=True)]
    columns = [column.double() if column.is_floating_point() else column for column in columns]
    assert subject(*columns).tolist() == [COVERING[conditions](*point) for point in POINTS]


def test_no_number_takes_the_last_row() -> None:
    rows = cases(("1", "u < 0"), ("2", r"u + 1 \geq 1"))
    subject = module(rf"\Return {rows} \\", r"u \in \mathbb{R} & \\", "u ; ")
    assert subject(torch.tensor([-1.0, 0.0, torch.nan])).tolist() == [1.0, 2.0, 2.0]


def test_conditions_on_sums_and_calls_of_modules() -> None:
    rows = cases(("1", r"\sum_t x_t < 0"), ("2", r"\sum_{s=1}^{S} x_s \geq 0"))
    subject = module(rf"\Return {rows} \\")
    assert [int(subject(torch.tensor(x))) for x in ([-1.0], [1.0], [])] == [1, 2, 2]
    rows = cases(("x", "D(x) > 0"), ("0", r"D(x) \leq 0"))
    subject = compile(rf"\Module{{F}}{{x ; D}} \Return {rows} \\ \EndModule" r"\begin{where} x \in \mathbb{R} & \\ \end{where}")
    assert subject.ok, [d.message for d in subject.diagnostics]


def test_no_gradient_comes_from_the_last_row_where_it_is_not_taken() -> None:
    rows = cases(("0", r"u \leq 0"), (r"\log u", "u > 0"))
    subject = module(rf"\Return {rows} \\", r"u \in \mathbb{R} & \\", "u ; ")
    u = torch.tensor([0.0, 2.0, -1.0], dtype=torch.float64, requires_grad=True)
    value = subject(u)
    (slope,) = torch.autograd.grad(value.sum(), u)
    assert value.tolist() == [0.0, pytest.approx(0.6931471805599453), 0.0]
    assert slope.tolist() == [0.0, 0.5, 0.0]


# ---- what leaves something over ------------------------------------------------------------------

OPEN = [
    ("u < 0", "u > 0"),
    ("u < 0", "u > 1"),
    ("u < 0", r"v \geq 0"),
    (r"u \leq 2", r"u \geq 3"),
    ("2 u < 1", "u > 0.5"),
    ("u > 0", "-u > 0"),
    (r"u \neq 0", r"u \neq 0"),
    ("u < -1", r"-1 < u \leq 1", "u > 1"),
    (r"u < 0 \land v < 0", r"u \geq 0 \land v \geq 0"),
    ("u < 0.3", r"u \geq 0.3001"),
    (r"\exp(u) < 1", r"\exp(v) \geq 1"),
    (r"u \bmod 2 = 0", r"u \bmod 2 = 1"),
    (r"n \leq 2", r"n \geq 4"),
    (r"n \bmod 3 = 0", r"n \bmod 3 = 2"),
    (r"n \in \{1, 2\}", r"n \notin \{1, 3\}"),
    ("a", "b"),
    (r"a \land b", r"a \land \lnot b", r"\lnot a \land b"),
    (r"\lnot a", "b"),
]


@pytest.mark.parametrize("conditions", OPEN, ids=" | ".join)
def test_rows_on_data_that_leave_something_over(conditions: tuple[str, ...]) -> None:
    ((code, help_),) = errors(of_data(conditions), DATA, HEADER)
    assert code == "E0508"
    assert "otherwise" in help_


@pytest.mark.parametrize("formula", ["ROWS", "1 + ROWS", r"\sum_{s=1}^{S} ROWS"])
@pytest.mark.parametrize(
    "conditions",
    [
        ("t = 1", "t > 2"),
        (r"t \leq 2", r"t \geq 4"),
        ("1 < t < S", "t = S"),
        (r"t \text{ is even}", r"t \bmod 4 = 1"),
        (r"t \leq S / 2", r"t \geq S / 2 + 1"),
        ("t < S", "t > S"),
        ("t > 1",),
        (r"S > 1",),
        (r"S \geq 2", "S = 0"),
    ],
    ids=" | ".join,
)
def test_rows_on_indices_that_leave_something_over(formula: str, conditions: tuple[str, ...]) -> None:
    found = errors(r"y_t \gets " + formula.replace("ROWS", numbered(conditions)) + OVER_T, X, "x ; ")
    assert [code for code, _ in found] == ["E0508"]


def test_the_range_of_an_index_type_is_the_callers_promise() -> None:
    """Nothing checks it where nothing is looked up, so that a value outside would take the last row without a word."""
    body = rf"\Return {numbered(('n = 1', 'n = 2', 'n = 3'))} \\"
    assert errors(body, r"n \in \{1, \dots, 3\} & \\", "n ; ")[0][0] == "E0508"


def test_two_draws_are_two_numbers() -> None:
    rows = numbered((r"\Dropout(u, 0.5) > 0", r"\Dropout(u + 0, 0.5) \leq 0"))
    body = rf"\Return {rows} \\"
    assert errors(body, r"u \in \mathbb{R} & \\", "u ; ")[0][0] == "E0508"


def test_what_a_branch_of_an_algorithm_leaves_over_is_told_by_the_call() -> None:
    text = r"""\algoProc{\F}\pa{x} \\ \algoFor{t \in \set{1, \dots, S}} \\ \algoIf{x_t > 0} \\ y_t \algoEq x_t \\
        \algoElseIf{x_t < 0} \\ y_t \algoEq 0 \\ \algoEndIf \\ \algoEndFor \\ \algoReturn y \\ \algoEndProc \\"""
    subject = made(text + rf"\begin{{where}} {X} \end{{where}}")
    calls_decide(subject, [([1, -2], [1, 0]), ([-1, 3], [0, 3]), ([1, 0], None), ([0], None), ([-2], [0]), ([], [])])
