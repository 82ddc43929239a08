"""Values that several equations define, or that add up, read in branches only: no gradient comes from what is not taken."""

from __future__ import annotations

import math

import pytest
import torch
from by_hand import X, algorithm, module
from torch import Tensor

LOG_2 = math.log(2)
U = r"u_1 \gets \log x_1 \\ u_t \gets \log(x_t) + 1 \quad (t = 2, \dots, S) \\ "
S_ = r"s_0 \gets 0 \\ s_t \gets s_{t-1} + \log x_t \quad (t = 1, \dots, S) \\ "
OVER_T = r" \quad (t = 1, \dots, S) \\ "


def cases(value: str, condition: str, otherwise: str = "0") -> str:
    return rf"\begin{{cases}} {value} & {condition} \\ {otherwise} & otherwise \end{{cases}}"


AT_MOST_0, BETWEEN = r"x_t \leq 0", r"x_t > 0 \land x_t < 5"
BEFORE, FIRST = r"t > 1 \land x_t > 1", r"x_t > 0 \land t = 1"


def slopes(subject: torch.nn.Module, data: list[float], *more: float) -> tuple[Tensor, Tensor]:
    """The result and the gradient of its sum; the same in a batch beside longer and shorter examples."""
    x = torch.tensor(data, dtype=torch.float64, requires_grad=True)
    others = [torch.tensor(value, dtype=torch.float64) for value in more]
    value = subject(x, *others)
    (alone,) = torch.autograd.grad(value.sum(), x)
    rows = torch.full((3, len(data) + 1), torch.nan, dtype=torch.float64)
    rows[0, :1], rows[1, : len(data)], rows[2] = 3.0, torch.tensor(data), 2.0
    rows.requires_grad_()
    together = subject(rows, *(other.expand(3) for other in others), lengths=torch.tensor([1, len(data), len(data) + 1]))
    (among,) = torch.autograd.grad(together.sum(), rows)
    torch.testing.assert_close(together[1][: len(value)] if value.dim() else together[1], value)
    torch.testing.assert_close(among[1, : len(data)], alone)
    assert among.isfinite().all()
    return value.detach(), alone


PIECES = {
    U + rf"y_t \gets {cases('u_t', 'x_t > 0')}{OVER_T}\Return y \\": ([0.0, 1 + LOG_2, 0.0], [0.0, 0.5, 0.0]),
    U + rf"\Return \sum_t {cases('u_t', 'x_t > 0')} \\": (1 + LOG_2, [0.0, 0.5, 0.0]),
    U + rf"y_t \gets {cases('2', AT_MOST_0, 'u_t^2')}{OVER_T}\Return y \\": ([2.0, (1 + LOG_2) ** 2, 2.0], [0.0, 1 + LOG_2, 0.0]),
    U + rf"v_t \gets \sqrt{{u_t}}{OVER_T}y_t \gets {cases('v_t', r'x_t > 1')}{OVER_T}\Return y \\": (
        [0.0, math.sqrt(1 + LOG_2), 0.0],
        [0.0, 0.25 / math.sqrt(1 + LOG_2), 0.0],
    ),
    U
    + rf"y_t \gets {cases('u_t', r'x_t > 0')}{OVER_T}z_t \gets {cases('u_t', r'x_t > 1')}{OVER_T}"
    + r"r_t \gets y_t + z_t"
    + rf"{OVER_T}\Return r \\": ([0.0, 2 + 2 * LOG_2, 0.0], [0.0, 1.0, 0.0]),
    r"u_1 \gets 1 / x_1 \\ u_t \gets \sqrt{x_t} \quad (t = 2, \dots, S) \\ " + rf"y_t \gets {cases('u_t', BETWEEN)}{OVER_T}\Return y \\": (
        [0.0, math.sqrt(2), 0.0],
        [0.0, 0.5 / math.sqrt(2), 0.0],
    ),
}


@pytest.mark.parametrize("body", PIECES)
def test_a_value_of_several_equations(body: str) -> None:
    value, slope = PIECES[body]
    found, gradient = slopes(module(body), [0.0, 2.0, -1.0])
    torch.testing.assert_close(found, torch.tensor(value, dtype=torch.float64))
    torch.testing.assert_close(gradient, torch.tensor(slope, dtype=torch.float64))


SUMS = [
    S_ + rf"\Return {cases('s_S', 'a > 0')} \\",
    S_ + rf"y_t \gets {cases('s_t', 'a > 0')}{OVER_T}\Return \sum_t \begin{{cases}} y_t & t = S \\ 0 & otherwise \end{{cases}} \\",
    S_ + rf"r \gets s_S \\ \Return {cases('r', 'a > 0')} \\",
    r"s_1 \gets \log x_1 \\ s_t \gets s_{t-1} + \log x_t \quad (t = 2, \dots, S) \\ " + rf"\Return {cases('s_S', 'a > 0')} \\",
    r"u \gets \log x \\ s_0 \gets 0 \\ s_t \gets s_{t-1} + u_t \quad (t = 1, \dots, S) \\ " + rf"\Return {cases('s_S', 'a > 0')} \\",
    r"p_0 \gets 1 \\ p_t \gets p_{t-1} x_t \quad (t = 1, \dots, S) \\ q_t \gets \log p_t" + OVER_T + rf"\Return {cases('q_S', 'a > 0')} \\",
]


@pytest.mark.parametrize("body", SUMS)
def test_a_running_sum_under_a_condition_that_is_the_same_everywhere(body: str) -> None:
    subject = module(body, X + r" a \in \mathbb{R} & \\", "x, a ; ")
    value, gradient = slopes(subject, [0.0, 2.0], -1.0)
    assert (value.item(), gradient.tolist()) == (0.0, [0.0, 0.0])
    value, gradient = slopes(subject, [0.5, 4.0], 1.0)
    torch.testing.assert_close(value, torch.tensor(LOG_2, dtype=torch.float64))
    torch.testing.assert_close(gradient, torch.tensor([2.0, 0.25], dtype=torch.float64))


def test_a_running_sum_of_an_algorithm() -> None:
    subject = algorithm(
        """s \\algoEq 0
        \\algoFor{t \\in \\set{1, \\dots, S}}
        s \\algoEq s + \\log x_t
        \\algoEndFor
        \\algoIf{a > 0}
        r \\algoEq s
        \\algoElse
        r \\algoEq x_1
        \\algoEndIf
        \\algoReturn r""",
        X + r" a \in \mathbb{R} & \\",
        "x, a",
    )
    value, gradient = slopes(subject, [0.0, 2.0], -1.0)
    assert (value.item(), gradient.tolist()) == (0.0, [1.0, 0.0])
    value, gradient = slopes(subject, [0.5, 4.0], 1.0)
    torch.testing.assert_close(value, torch.tensor(LOG_2, dtype=torch.float64))
    torch.testing.assert_close(gradient, torch.tensor([2.0, 0.25], dtype=torch.float64))


def test_a_condition_on_an_element_that_need_not_be_there() -> None:
    body = S_ + rf"y_t \gets {cases('s_S', 'x_2 > 0')} \quad (t = 2, \dots, S) \\ \Return y \\"
    subject = module(body)
    assert subject(torch.ones(1)).shape == (0,)
    assert subject(torch.tensor([1.0, 2.0])).item() == pytest.approx(LOG_2)


def test_what_is_read_without_a_condition_too_is_left_alone() -> None:
    subject = module(U + rf"y_t \gets {cases('u_t', 'x_t > 0')} + u_t{OVER_T}\Return y \\")
    value = subject(torch.tensor([0.5, 2.0], dtype=torch.float64))
    torch.testing.assert_close(value, torch.tensor([-2 * LOG_2, 2 + 2 * LOG_2], dtype=torch.float64))
    assert subject(torch.tensor([0.0]))[0] == -torch.inf


def test_a_branch_that_is_taken_keeps_its_infinite_gradient() -> None:
    subject = module(
        rf"u_1 \gets \sqrt{{x_1}} \\ u_t \gets x_t \quad (t = 2, \dots, S) \\ y_t \gets {cases('u_t', 'x_t > -1')}{OVER_T}\Return y \\"
    )
    x = torch.tensor([0.0, 4.0, -2.0], dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(subject(x).sum(), x)
    assert slope.tolist() == [torch.inf, 1.0, 0.0]


OPEN = {
    "parts of parts": (
        U + rf"w_1 \gets u_1 \\ w_t \gets 2 u_t \quad (t = 2, \dots, S) \\ y_t \gets {cases('w_t', 'x_t > 0')}{OVER_T}\Return y \\",
        ([0.0, 2 + 2 * LOG_2], [0.0, 1.0]),
    ),
    "a condition on itself": (U + rf"y_t \gets {cases('u_t', 'u_t > 0')}{OVER_T}\Return y \\", ([0.0, 1 + LOG_2], [0.0, 0.5])),
    "the element before": (U + rf"y_t \gets {cases('u_{t-1}', BEFORE)}{OVER_T}\Return y \\", ([0.0, -math.inf], [math.inf, 0.0])),
    "each sum under its own condition": (S_ + rf"y_t \gets {cases('s_t', FIRST)}{OVER_T}\Return y \\", ([0.0, 0.0], [0.0, 0.0])),
}


@pytest.mark.parametrize("name", OPEN)
def test_conditions_that_do_not_say_which_element_is_read(name: str) -> None:
    body, (value, slope) = OPEN[name]
    _, gradient = slopes(module(body), [0.0, 0.5])
    assert gradient.isfinite().all()
    x = torch.tensor([0.0, 2.0], dtype=torch.float64, requires_grad=True)
    found = module(body)(x)
    torch.testing.assert_close(found, torch.tensor(value, dtype=torch.float64))
    torch.testing.assert_close(torch.autograd.grad(found.sum(), x)[0], torch.tensor(slope, dtype=torch.float64))


def test_the_sum_that_a_condition_takes() -> None:
    value, gradient = slopes(module(OPEN["each sum under its own condition"][0]), [2.0, 0.0])
    torch.testing.assert_close(value, torch.tensor([LOG_2, 0.0], dtype=torch.float64))
    torch.testing.assert_close(gradient, torch.tensor([0.5, 0.0], dtype=torch.float64))
