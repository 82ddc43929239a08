"""Guards and empty examples against the same written by hand: alone and in batches, values and gradients, with poison in the padding."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from by_hand import OVER_T, X, agree, algorithm, algorithm_text, made, module, stack
from torch import Tensor

from mathdsl import compile

# ---- guards at the upper end ---------------------------------------------------------------------


def returns(x: Tensor, last: int = 0) -> Tensor:
    """`G_t = x_t + 0.9 G_{t+1}`, begun anew at the last `last + 1` elements."""
    found: list[Tensor] = []
    for t in reversed(range(len(x))):
        found.insert(0, x[t] + 0.9 * found[0] if t < len(x) - 1 - last else x[t])
    return stack(found)


@pytest.mark.parametrize("condition", ["t < S", r"t \neq S", "S > t", r"t \leq S - 1", r"\lnot (t = S)", r"t < S \land t < S"])
@pytest.mark.parametrize(
    "body",
    [
        r"x_t + \begin{cases} 0.9 y_{t+1} & CONDITION \\ 0 & otherwise \end{cases}",
        r"\begin{cases} x_t + 0.9 y_{t+1} & CONDITION \\ x_t & otherwise \end{cases}",
        r"x_t + 0.9 \begin{cases} y_{t+1} & CONDITION \\ 0 & otherwise \end{cases}",
    ],
)
def test_a_recurrence_from_the_end_begins_where_its_guard_says(body: str, condition: str) -> None:
    agree(module(r"y_t \gets " + body.replace("CONDITION", condition) + OVER_T), returns)


def test_a_guard_one_before_the_end() -> None:
    body = r"y_t \gets x_t + \begin{cases} 0.9 y_{t+1} & t < S - 1 \\ 0 & otherwise \end{cases}"
    agree(module(body + OVER_T), lambda x: returns(x, last=1))


def test_a_base_case_at_the_end_has_no_place_where_nothing_is() -> None:
    body = r"y_t \gets \begin{cases} x_t^2 & t = S \\ x_t + 0.9 y_{t+1} & otherwise \end{cases}"

    def by_hand(x: Tensor) -> Tensor:
        found: list[Tensor] = []
        for t in reversed(range(len(x))):
            found.insert(0, x[t] + 0.9 * found[0] if found else x[t] ** 2)
        return stack(found)

    agree(module(body + OVER_T), by_hand)


def test_guards_at_both_ends_of_a_grid() -> None:
    body = r"""d_{i,j} \gets x_i x_j + \begin{cases} d_{i+1,j} & i < S \\ 0 & otherwise \end{cases}
        + \begin{cases} 0.5 d_{i,j-1} & j \neq 1 \\ 0 & otherwise \end{cases} \quad (i = 1, \dots, S, j = 1, \dots, S) \\ \Return d \\"""

    def by_hand(x: Tensor) -> Tensor:
        d: dict[tuple[int, int], Tensor] = {}
        for i in reversed(range(len(x))):
            for j in range(len(x)):
                above = d[i + 1, j] if i < len(x) - 1 else 0
                d[i, j] = x[i] * x[j] + above + (0.5 * d[i, j - 1] if j else 0)
        return torch.stack(list(d.values())).reshape(len(x), len(x)).flip(0) if d else torch.zeros(0, 0, dtype=torch.float64)

    agree(module(body), by_hand)


def test_the_next_element_under_an_else_if_of_an_algorithm() -> None:
    subject = algorithm(
        r"""\algoFor{t \in \set{1, \dots, S}}
        \algoIf{x_t > 1}
        y_t \algoEq 2
        \algoElseIf{t \neq S}
        y_t \algoEq x_t x_{t+1}
        \algoElse
        y_t \algoEq -x_t
        \algoEndIf
        \algoEndFor
        \algoReturn y"""
    )

    def by_hand(x: Tensor) -> Tensor:
        last = len(x) - 1
        return stack([0 * x[t] + 2 if x[t] > 1 else x[t] * x[t + 1] if t < last else -x[t] for t in range(len(x))])

    agree(subject, by_hand)


RETURNS = r"""\algoFor{t \in \set{TURNS}}
        \algoIf{t < S}
        y_t \algoEq x_t + 0.9 y_{t+1}
        \algoElse
        y_t \algoEq x_t
        \algoEndIf
        \algoEndFor
        \algoReturn y"""


def test_a_recurrence_from_the_end_in_an_algorithm() -> None:
    agree(algorithm(RETURNS.replace("TURNS", r"S, \dots, 1")), returns)
    upwards = compile(algorithm_text(RETURNS.replace("TURNS", r"1, \dots, S")))
    found = [(d.code, d.message) for d in upwards.diagnostics if d.severity == "error"]
    assert found == [("E0510", "`y_{t + 1}` is read before it is assigned")]


# ---- the right side of a connective --------------------------------------------------------------


def kept(condition: Callable[[Tensor, int], bool]) -> Callable[[Tensor], Tensor]:
    return lambda x: stack([x[t] if condition(x, t) else 0 * x[t] for t in range(len(x))])


CONDITIONS = {
    r"t > 1 \land 2 \cdot x_{t-1} > 0": lambda x, t: t > 0 and bool(x[t - 1] > 0),
    r"t = 1 \lor x_{t-1} > 0": lambda x, t: t == 0 or bool(x[t - 1] > 0),
    r"t < S \land x_{t+1} > 0": lambda x, t: t < len(x) - 1 and bool(x[t + 1] > 0),
    r"t = 1 \lor t = S \lor x_{t-1} > x_{t+1}": lambda x, t: t in (0, len(x) - 1) or bool(x[t - 1] > x[t + 1]),
    r"t > 1 \land (t = 2 \lor x_{t-2} > 0)": lambda x, t: t > 0 and (t == 1 or bool(x[t - 2] > 0)),
    r"\lnot (t = 1 \lor x_{t-1} > 0)": lambda x, t: not (t == 0 or bool(x[t - 1] > 0)),
    r"x_t > 0 \land (t > 1 \land x_{t-1} > 0)": lambda x, t: bool(x[t] > 0) and t > 0 and bool(x[t - 1] > 0),
    r"t > 1 \land \log(x_{t-1}^2) > 0": lambda x, t: t > 0 and bool(x[t - 1] ** 2 > 1),
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_the_right_side_of_a_connective_is_read_where_it_decides(condition: str) -> None:
    body = rf"y_t \gets \begin{{cases}} x_t & {condition} \\ 0 & otherwise \end{{cases}}"
    agree(module(body + OVER_T), kept(CONDITIONS[condition]))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_in_the_condition_of_a_sum(condition: str) -> None:
    subject = module(rf"\Return \sum_{{t : {condition}}} x_t \\")
    agree(subject, lambda x: kept(CONDITIONS[condition])(x).sum())


@pytest.mark.parametrize("condition", CONDITIONS)
def test_in_an_if_of_an_algorithm(condition: str) -> None:
    subject = algorithm(
        "c \\algoEq 0\n\\algoFor{t \\in \\set{1, \\dots, S}}\n\\algoIf{"
        + condition
        + "}\nc \\algoEq 0.5 c + x_t\n\\algoEndIf\n\\algoEndFor\n\\algoReturn c"
    )

    def by_hand(x: Tensor) -> Tensor:
        c = 0 * x.sum()
        for t in range(len(x)):
            if CONDITIONS[condition](x, t):
                c = 0.5 * c + x[t]
        return c

    agree(subject, by_hand)


def test_in_a_recurrence_that_asks_for_its_own_past() -> None:
    body = r"y_t \gets \begin{cases} y_{t-1} + x_t & t > 1 \land x_{t-1} > 0 \land y_{t-1} < 2 \\ x_t & otherwise \end{cases}"

    def by_hand(x: Tensor) -> Tensor:
        y: list[Tensor] = []
        for t in range(len(x)):
            y.append(y[t - 1] + x[t] if t > 0 and x[t - 1] > 0 and y[t - 1] < 2 else x[t])
        return stack(y)

    agree(module(body + OVER_T), by_hand, seed=1)


def test_in_a_recurrence_from_the_end() -> None:
    body = r"y_t \gets x_t + \begin{cases} 0.5 y_{t+1} & t < S \land y_{t+1} > 0 \\ 0 & otherwise \end{cases}"

    def by_hand(x: Tensor) -> Tensor:
        y: list[Tensor] = []
        for t in reversed(range(len(x))):
            y.insert(0, x[t] + 0.5 * y[0] if y and y[0] > 0 else x[t])
        return stack(y)

    agree(module(body + OVER_T), by_hand, seed=2)


def test_a_product_on_the_right_side() -> None:
    table = r"x_t \in \mathbb{R}^d, t = 1, \dots, S & \\ w \in \mathbb{R}^d & \\"
    body = r"y_t \gets \begin{cases} y_{t-1} + x_t & t > 1 \land w \cdot y_{t-1} > 0 \\ x_t & otherwise \end{cases}"
    subject = made(rf"\Module{{F}}{{x ; w}} {body} {OVER_T} \EndModule \begin{{where}} {table} \end{{where}}", d=2).double()
    w = torch.tensor([1.0, -0.5], dtype=torch.float64)
    with torch.no_grad():
        subject.w.copy_(w)
    x = torch.randn(6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for length in (6, 1, 0):
        y: list[Tensor] = []
        for t in range(length):
            y.append(y[t - 1] + x[t] if t > 0 and w @ y[t - 1] > 0 else x[t])
        torch.testing.assert_close(subject(x[:length]).detach(), torch.stack(y) if y else x[:0])


# ---- examples without elements --------------------------------------------------------------------


GUARDED = {
    r"\begin{cases} \max_{t=1}^{S} x_t & S > 0 \\ 7 & otherwise \end{cases}": lambda x: x.max() if len(x) else x.sum() + 7,
    r"1 + \begin{cases} \min_t x_t & S \neq 0 \\ 7 & otherwise \end{cases}": lambda x: 1 + (x.min() if len(x) else x.sum() + 7),
    r"\begin{cases} 0 & S = 0 \\ \operatorname{mean}_t x_t & otherwise \end{cases}": lambda x: x.mean() if len(x) else x.sum(),
    r"\begin{cases} \max_{t=2}^{S} x_t & S > 1 \\ 5 & otherwise \end{cases}": lambda x: x[1:].max() if len(x) > 1 else 0 * x.sum() + 5,
    r"\begin{cases} \max_t x_t & x \text{ is not empty} \\ 5 & otherwise \end{cases}": lambda x: x.max() if len(x) else x.sum() + 5,
    r"\begin{cases} x_1 & S > 0 \\ 3 & otherwise \end{cases}": lambda x: x[0] if len(x) else x.sum() + 3,
    r"\begin{cases} x_2 x_S & S > 1 \\ 3 & otherwise \end{cases}": lambda x: x[1] * x[-1] if len(x) > 1 else 0 * x.sum() + 3,
}


@pytest.mark.parametrize("value", GUARDED)
def test_a_guard_answers_for_what_is_not_there(value: str) -> None:
    agree(module(rf"m \gets {value} \\ \Return m \\"), GUARDED[value])


def test_elements_at_fixed_places_are_not_wanted_where_no_point_is() -> None:
    agree(module(r"y_t \gets x_t - x_1 x_S" + OVER_T), lambda x: x - x[:1] * x[-1:])


def test_the_greatest_so_far() -> None:
    agree(module(r"y_t \gets \max_{s=1}^{t} x_s" + OVER_T), lambda x: torch.cummax(x, 0).values)


def test_the_greatest_before_in_a_branch() -> None:
    body = r"y_t \gets \begin{cases} \max_{s=1}^{t-1} x_s & t > 1 \\ 0 & otherwise \end{cases}"
    agree(module(body + OVER_T), lambda x: stack([x[:t].max() if t else 0 * x[t] for t in range(len(x))]))


def test_the_mean_of_the_rest() -> None:
    agree(module(r"y_t \gets \operatorname{mean}_{s=t}^{S} x_s" + OVER_T), lambda x: stack([x[t:].mean() for t in range(len(x))]))


def test_the_greatest_before_the_first_is_refused() -> None:
    subject = module(r"y_t \gets \max_{s=1}^{t-1} x_s" + OVER_T)
    for length in (1, 3):
        with pytest.raises(ValueError, match="1 .leq t - 1"):
            subject(torch.ones(length))
    assert subject(torch.ones(0)).shape == (0,)


@pytest.mark.parametrize("value", [r"\max_t x_t", "x_1", "x_S", r"\operatorname{mean}_t x_t"])
def test_a_branch_that_data_takes_wants_its_elements(value: str) -> None:
    table = X + r" a \in \mathbb{R} & \\"
    subject = module(rf"\Return \begin{{cases}} {value} & a > 0 \\ 2 & otherwise \end{{cases}} \\", table, "x, a ; ")
    nothing = torch.zeros(0)
    assert subject(nothing, torch.tensor(-1.0)) == 2
    assert subject(torch.ones(2, 3), torch.tensor([-1.0, 1.0]), lengths=torch.tensor([0, 3])).tolist() == [2, 1]
    with pytest.raises(ValueError, match="S"):
        subject(nothing, torch.tensor(1.0))
    with pytest.raises(ValueError, match="S"):
        subject(torch.ones(2, 3), torch.tensor([1.0, 1.0]), lengths=torch.tensor([0, 3]))


@pytest.mark.parametrize("value", ["x_1", "x_2", "x_S", "x_{S-1}", r"\max_t x_t"])
def test_an_element_that_is_not_there_is_named(value: str) -> None:
    with pytest.raises(ValueError, match="S"):
        module(rf"\Return {value} \\")(torch.zeros(0))


def test_a_value_for_an_empty_range() -> None:
    result = compile(rf"\Module{{F}}{{x ; }} \Return \max_t x_t \text{{ or }} 3 \\ \EndModule \begin{{where}} {X} \end{{where}}")
    made = result.load().F()
    assert [made(torch.tensor(values)).item() for values in ([], [1.0, 2.0])] == [3.0, 2.0]


# ---- the type of what a loop carries --------------------------------------------------------------


def test_an_integer_that_takes_over_a_real_around_the_loop() -> None:
    subject = algorithm(
        r"""c \algoEq 1
        d \algoEq 0
        \algoFor{t \in \set{1, \dots, S}}
        \algoIf{x_t > 0}
        d \algoEq c
        \algoElse
        c \algoEq x_t
        \algoEndIf
        \algoEndFor
        \algoReturn d"""
    )

    def by_hand(x: Tensor) -> Tensor:
        c, d = 0 * x.sum() + 1, 0 * x.sum()
        for value in x:
            if value > 0:
                d = c
            else:
                c = value
        return d

    agree(subject, by_hand)


def test_three_values_hand_a_real_on() -> None:
    subject = algorithm(
        r"""a \algoEq 0
        b \algoEq 1
        c \algoEq 2
        \algoFor{t \in \set{1, \dots, S}}
        \algoIf{x_t > 0}
        a \algoEq b
        b \algoEq c
        \algoElse
        c \algoEq c + 0.5 x_t
        \algoEndIf
        \algoEndFor
        \algoReturn a + 1"""
    )

    def by_hand(x: Tensor) -> Tensor:
        a, b, c = 0 * x.sum(), 0 * x.sum() + 1, 0 * x.sum() + 2
        for value in x:
            if value > 0:
                a, b = b, c
            else:
                c = c + 0.5 * value
        return a + 1

    agree(subject, by_hand, [4, 0, 1, 3, 7])


@pytest.mark.parametrize("step", ["c + 0.5 x_t", "c / 2", "0.5 c", "c x_t", r"\max(c, x_t)"])
def test_an_integer_becomes_real_in_a_branch(step: str) -> None:
    steps: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "c + 0.5 x_t": lambda c, v: c + 0.5 * v,
        "c / 2": lambda c, v: c / 2,
        "0.5 c": lambda c, v: 0.5 * c,
        "c x_t": lambda c, v: c * v,
        r"\max(c, x_t)": torch.maximum,
    }
    subject = algorithm(
        "c \\algoEq 1\n\\algoFor{t \\in \\set{1, \\dots, S}}\n\\algoIf{x_t > 0}\nc \\algoEq "
        + step
        + "\n\\algoEndIf\n\\algoEndFor\n\\algoReturn c"
    )

    def by_hand(x: Tensor) -> Tensor:
        c = 0 * x.sum() + 1
        for value in x:
            if value > 0:
                c = steps[step](c, value)
        return c

    agree(subject, by_hand)


def test_a_count_stays_an_integer() -> None:
    subject = algorithm(
        r"""c \algoEq 0
        \algoFor{t \in \set{1, \dots, S}}
        \algoIf{x_t > 0}
        c \algoEq c + 1
        \algoEndIf
        \algoEndFor
        \algoReturn c"""
    )
    counted = subject(torch.tensor([1.0, -1.0, 2.0]))
    assert counted == 2
    assert counted.dtype == torch.int64
