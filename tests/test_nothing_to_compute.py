"""Examples without elements beside others: what no point asks for is not computed, and an element that is not there is not defined."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from by_hand import OVER_T, agree, made, module, stack
from torch import Tensor

NOTHING = torch.zeros(0, dtype=torch.float64)


def running(x: Tensor, start: Callable[[Tensor], Tensor] = lambda first: first) -> Tensor:
    """`y_1` from `x_1`, then `y_t = 0.5 y_{t-1} + x_t`."""
    found: list[Tensor] = []
    for value in x:
        found.append(0.5 * found[-1] + value if found else start(value))
    return stack(found)


def backwards(x: Tensor) -> Tensor:
    return running(x.flip(0)).flip(0)


# ---- reductions that nothing has no value of --------------------------------------------------------

ELEMENTS: dict[str, Callable[[Tensor], Tensor]] = {
    r"x_t - \max_s x_s": lambda x: x - x.max(),
    r"x_t - \max(x)": lambda x: x - x.max(),
    r"x_t - \operatorname{mean}_s x_s": lambda x: x - x.mean(),
    r"(x_t - \min_s x_s) (\max_s x_s - \min_s x_s)": lambda x: (x - x.min()) * (x.max() - x.min()),
    r"\frac{e^{x_t - \max_s x_s}}{\sum_u e^{x_u - \max_s x_s}}": lambda x: torch.softmax(x, -1),
    r"\log(1 + (x_t - \max_s x_s)^2)": lambda x: (1 + (x - x.max()) ** 2).log(),
    r"\max_{s=1}^{S} x_t x_s": lambda x: (x[:, None] * x).amax(-1),
    r"x_t \max_{s=1}^{S} \max_{u=1}^{S} x_s x_u": lambda x: x * (x[:, None] * x).amax(),
    r"x_t / (1 + \lvert \max_s x_s \rvert)": lambda x: x / (1 + x.max().abs()),
    r"x_t - x_{1} - x_{S}": lambda x: x - x[:1] - x[-1:],
    r"\begin{cases} x_t - \max_s x_s & x_t > 0 \\ \min_s x_s & otherwise \end{cases}": lambda x: torch.where(x > 0, x - x.max(), x.min()),
}


def of_some(by_hand: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The function of examples with elements; of none, nothing."""
    return lambda x: by_hand(x) if len(x) else x


@pytest.mark.parametrize("value", ELEMENTS)
def test_no_point_asks_for_the_greatest(value: str) -> None:
    agree(module(r"y_t \gets " + value + OVER_T), of_some(ELEMENTS[value]))


def test_a_whole_array_less_its_greatest() -> None:
    agree(module(r"y \gets x - \max(x) \\ \Return y \\"), of_some(lambda x: x - x.max()))


@pytest.mark.parametrize(
    ("value", "by_hand"),
    [
        (r"\sum_t (x_t - \max_s x_s)", lambda x: (x - x.max()).sum()),
        (r"\sum_t x_t x_1", lambda x: (x * x[0]).sum()),
        (r"\sum_t x_t x_S x_1", lambda x: (x * x[0] * x[-1]).sum()),
        (r"\sum_t \max_{s=1}^{S} x_t x_s", lambda x: (x[:, None] * x).amax(-1).sum()),
        (r"\prod_t (1 + x_t - \min_s x_s)", lambda x: (1 + x - x.min()).prod()),
        (r"\sum_t \sum_s x_t x_s \max_u x_u", lambda x: (x[:, None] * x).sum() * x.max()),
    ],
)
def test_no_term_asks_for_the_greatest(value: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    agree(module(rf"\Return {value} \\"), lambda x: by_hand(x) if len(x) else x.sum() + (1 if "prod" in value else 0))


def test_a_table_less_its_greatest_factor() -> None:
    body = r"d_{i,j} \gets x_i - x_j \max_k x_k \quad (i = 1, \dots, S, j = 1, \dots, S) \\ \Return d \\"
    agree(module(body), lambda x: x[:, None] - x * x.max() if len(x) else x[:, None] * x)


def test_in_a_recurrence() -> None:
    body = r"h_0 \gets 0 \\ h_t \gets 0.5 h_{t-1} + x_t - \max_s x_s \quad (t = 1, \dots, S) \\ \Return h_S \\"

    def by_hand(x: Tensor) -> Tensor:
        h = 0 * x.sum()
        for value in x:
            h = 0.5 * h + value - x.max()
        return h

    agree(module(body), by_hand)


def test_points_of_another_size_ask_for_it() -> None:
    table = r"x_t \in \mathbb{R}, t = 1, \dots, S & \\ z_n \in \mathbb{R}, n = 1, \dots, N & \\"
    subject = module(r"y_t \gets x_t - \max_n z_n" + OVER_T, table, "x, z ; ")
    assert subject(torch.ones(2), torch.tensor([1.0, 3.0])).tolist() == [-2.0, -2.0]
    assert subject(torch.ones(0), torch.tensor([1.0, 3.0])).tolist() == []
    with pytest.raises(ValueError, match="N"):
        subject(torch.ones(2), torch.ones(0))
    with pytest.raises(ValueError, match="N"):
        subject(torch.ones(2, 2), torch.ones(2, 2), lengths={"S": torch.tensor([1, 2]), "N": torch.tensor([0, 1])})


@pytest.mark.parametrize("value", [r"\max_s x_s", r"\operatorname{mean}_s x_s", r"x_1", r"x_S", r"\arg\max_s x_s"])
def test_a_name_has_a_value_or_there_is_an_error(value: str) -> None:
    subject = module(rf"m \gets {value} \\ y_t \gets x_t - m" + OVER_T)
    assert subject(torch.ones(2)).shape == (2,)
    with pytest.raises(ValueError, match="S"):
        subject(torch.zeros(0))
    with pytest.raises(ValueError, match="S"):
        subject(torch.ones(2, 3), lengths=torch.tensor([0, 3]))


# ---- single elements ------------------------------------------------------------------------------

FROM_2 = r"y_t \gets 0.5 y_{t-1} + x_t \quad (t = 2, \dots, S) \\ "
TO_LAST = r"y_t \gets 0.5 y_{t+1} + x_t \quad (t = 1, \dots, S - 1) \\ "

BASES: dict[str, Callable[[Tensor], Tensor]] = {
    r"y_1 \gets x_1 \\ " + FROM_2: running,
    r"y_1 \gets 7 \\ " + FROM_2: lambda x: running(x, lambda first: 7 + 0 * first),
    r"y_1 \gets \sqrt{2 + x_1} \\ " + FROM_2: lambda x: running(x, lambda first: (2 + first).sqrt()),
    r"y_1 \gets 1 / (3 - x_1) \\ " + FROM_2: lambda x: running(x, lambda first: 1 / (3 - first)),
    r"y_1 \gets \max_s x_s \\ " + FROM_2: lambda x: running(x, lambda first: x.max()),
    r"y_1 \gets x_S \\ " + FROM_2: lambda x: running(x, lambda first: x[-1]),
    r"y_S \gets x_S \\ " + TO_LAST: backwards,
    r"y_S \gets \operatorname{mean}_s x_s \\ " + TO_LAST: lambda x: running(x.flip(0), lambda first: x.mean()).flip(0),
    r"y_1 \gets x_1 \\ y_t \gets x_{t-1} \quad (t = 2, \dots, S) \\ ": lambda x: torch.cat([x[:1], x[:-1]]),
    r"y_1 \gets 7 \\ y_t \gets x_{t-1} \quad (t = 2, \dots, S) \\ ": lambda x: torch.cat([0 * x[:1] + 7, x[:-1]]),
    r"y_1 \gets x_1 \\ y_t \gets 5 \quad (t = 2, \dots, S) \\ ": lambda x: torch.cat([x[:1], 0 * x[1:] + 5]),
    r"y_S \gets 0 \\ y_t \gets x_{t+1} \quad (t = 1, \dots, S - 1) \\ ": lambda x: torch.cat([x[1:], 0 * x[:1]]),
    r"y_S \gets x_1 \\ y_t \gets x_{t+1} - x_t \quad (t = 1, \dots, S - 1) \\ ": lambda x: torch.cat([x[1:] - x[:-1], x[:1]]),
}


@pytest.mark.parametrize("body", BASES)
def test_an_array_without_elements_has_no_first(body: str) -> None:
    agree(module(body + r"\Return y \\"), of_some(BASES[body]))


@pytest.mark.parametrize("body", BASES)
def test_the_sum_of_it(body: str) -> None:
    agree(module(body + r"\Return \sum_{t=1}^{S} y_t^2 \\"), lambda x: (BASES[body](x) ** 2).sum() if len(x) else x.sum())


@pytest.mark.parametrize("body", BASES)
def test_a_function_of_its_elements(body: str) -> None:
    body += r"z_t \gets y_t \tanh(y_t) \quad (t = 1, \dots, S) \\ \Return z \\"
    agree(module(body), of_some(lambda x: BASES[body.partition(r"z_t")[0]](x) * BASES[body.partition(r"z_t")[0]](x).tanh()))


@pytest.mark.parametrize("element", ["y_1", "y_S"])
@pytest.mark.parametrize("body", BASES)
def test_an_element_of_it_is_an_error(body: str, element: str) -> None:
    subject = module(body + rf"\Return {element} \\")
    x = torch.tensor([1.0, 0.5, -1.0], dtype=torch.float64)
    torch.testing.assert_close(subject(x), BASES[body](x)[0 if element == "y_1" else -1])
    with pytest.raises(ValueError, match="S"):
        subject(NOTHING)
    with pytest.raises(ValueError, match="S"):
        subject(torch.ones(2, 3).double(), lengths=torch.tensor([0, 3]))


def test_rows_of_a_matrix() -> None:
    table = r"x_t \in \mathbb{R}^{d}, t = 1, \dots, S & \\"
    body = r"y_1 \gets W x_1 \\ y_t \gets \tanh(W x_t + y_{t-1}) \quad (t = 2, \dots, S) \\ \Return y \\"
    subject = made(
        rf"\Module{{F}}{{x ; W \in \mathbb{{R}}^{{m \times d}}}} {body} \EndModule \begin{{where}} {table} \end{{where}}", d=2, m=3
    ).double()
    assert subject(torch.zeros(0, 2).double()).shape == (0, 3)
    x = torch.rand(2, 3, 2, dtype=torch.float64)
    together = subject(x, lengths=torch.tensor([0, 3]))
    first = x[1] @ subject.W.T
    rows = [first[0]]
    for row in first[1:]:
        rows.append(torch.tanh(row + rows[-1]))
    torch.testing.assert_close(together, torch.stack([torch.zeros(3, 3).double(), torch.stack(rows)]))


def test_a_grid_from_its_edges() -> None:
    body = r"""d_{1,j} \gets x_j \quad (j = 1, \dots, S) \\ d_{i,1} \gets 2 x_i \quad (i = 2, \dots, S) \\
        d_{i,j} \gets d_{i-1,j} + 0.5 d_{i,j-1} \quad (i = 2, \dots, S, j = 2, \dots, S) \\ \Return d \\"""

    def by_hand(x: Tensor) -> Tensor:
        size = len(x)
        d: dict[tuple[int, int], Tensor] = {}
        for i in range(size):
            for j in range(size):
                d[i, j] = x[j] if i == 0 else 2 * x[i] if j == 0 else d[i - 1, j] + 0.5 * d[i, j - 1]
        return torch.stack(list(d.values())).reshape(size, size) if d else torch.zeros(0, 0, dtype=torch.float64)

    agree(module(body), by_hand)


def test_a_part_without_elements_of_one_value() -> None:
    subject = module(r"z_t \gets 3 \quad (t = 2, \dots, S) \\ \Return \sum_{t=2}^{S} z_t x_t \\")
    agree(subject, lambda x: 3 * x[1:].sum())


def test_nothing_joined_with_something() -> None:
    agree(module(r"y \gets [1, x] \\ \Return y \\"), lambda x: torch.cat([torch.ones(1).double(), x]))
    assert module(r"y \gets x || x \\ \Return y \\")(NOTHING).shape == (0,)
