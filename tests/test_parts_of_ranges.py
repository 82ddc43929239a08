r"""Triangles and halves: `\sum_{i<j}`, `\max_{j<i}`, `L_{ij} \quad 1 \leq j \leq i \leq n`, `\lfloor n/2 \rfloor`, beside torch.

Each program is held against a function of one example: alone, in a batch, and in a batch of examples of their own lengths with
NaN in the padding; values and gradients.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import made, stack, value_and_gradient

VECTOR = r"x_i \in \mathbb{R}, i = 1, \dots, n \\"
BOTH = VECTOR + r" y_i \in \mathbb{R}, i = 1, \dots, n \\"
SQUARE = r" \quad (i = 1, \dots, n, j = 1, \dots, n) \\ "


@dataclass(frozen=True)
class Formula:
    """A program, and what it computes of one example; `columns`: how many vectors an example has."""

    body: str
    by_hand: Callable[..., Tensor]
    table: str = VECTOR
    columns: int = 1
    lengths: tuple[int, ...] = (5, 2, 4, 3)

    def text(self) -> str:
        header = ", ".join("xy"[: self.columns])
        if self.body.lstrip().startswith(r"\State") or self.body.lstrip().startswith(r"\For"):
            lines = f"\\begin{{algorithmic}}\n\\Procedure{{F}}{{${header}$}}\n{self.body}\n\\EndProcedure\n\\end{{algorithmic}}\n"
            return lines + rf"\begin{{where}} {self.table} \end{{where}}"
        return rf"\Module{{F}}{{{header} ; }} {self.body} \\ \EndModule \begin{{where}} {self.table} \end{{where}}"


def pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def total(terms: list[Tensor]) -> Tensor:
    return sum(terms, torch.zeros((), dtype=torch.float64))


def product(terms: list[Tensor]) -> Tensor:
    return torch.stack(terms).prod() if terms else torch.ones((), dtype=torch.float64)


def haar(x: Tensor) -> Tensor:
    return stack([(x[2 * i] - x[2 * i + 1]) / math.sqrt(2) for i in range(len(x) // 2)])


def intervals(x: Tensor) -> Tensor:
    found = {(i, i): x[i] for i in range(len(x))}
    for width in range(1, len(x)):
        for i in range(len(x) - width):
            found[i, i + width] = x[i] * found[i + 1, i + width] + x[i + width] * found[i, i + width - 1]
    return found[0, len(x) - 1]


def stirling(x: Tensor) -> Tensor:
    """Weights of paths in a triangle: `C_{i,j} = C_{i-1,j-1} + x_i C_{i-1,j}`."""
    row = [torch.ones((), dtype=torch.float64)]
    for value in x:
        row = [(row[j - 1] if j else 0 * value) + (value * row[j] if j < len(row) else 0 * value) for j in range(len(row) + 1)]
    return torch.stack(row).square().sum()


TRIANGLE = r"L_{ij} \gets e^{x_i - x_j}, \quad 1 \leq j \leq i \leq n \\ "

FORMULAS = {
    "covariance": Formula(
        r"\Return \frac{1}{n^2} \sum_{i<j} (x_i - x_j)^2",
        lambda x: x.var(unbiased=False),
    ),
    "gini": Formula(
        r"\Return \frac{\sum_{1 \leq i < j \leq n} \lvert x_i - x_j \rvert}{n \sum_{i=1}^{n} e^{x_i}}",
        lambda x: total([abs(x[i] - x[j]) for i, j in pairs(len(x))]) / (len(x) * x.exp().sum()),
    ),
    "kendall": Formula(
        r"\Return \frac{2}{n(n-1)} \sum_{i<j} \operatorname{sign}(x_i - x_j) \operatorname{sign}(y_i - y_j)",
        lambda x, y: 2 / (len(x) * (len(x) - 1)) * total([torch.sign(x[i] - x[j]) * torch.sign(y[i] - y[j]) for i, j in pairs(len(x))]),
        BOTH,
        2,
    ),
    "ranknet": Formula(
        r"\Return \sum_{(i, j) : y_i > y_j} \log(1 + e^{-(x_i - x_j)})",
        lambda x, y: total([torch.log1p((x[j] - x[i]).exp()) for i in range(len(x)) for j in range(len(x)) if y[i] > y[j]]),
        BOTH,
        2,
    ),
    "hinge of pairs": Formula(
        r"\Return \sum_{i,j : y_i > y_j} \max(0, 1 - (x_i - x_j))",
        lambda x, y: total([(1 - x[i] + x[j]).clamp(min=0) for i in range(len(x)) for j in range(len(x)) if y[i] > y[j]]),
        BOTH,
        2,
    ),
    "dcg": Formula(
        r"\Return \sum_{i=1}^{n} \frac{2^{x_i} - 1}{\log_2(i + 1)}",
        lambda x: total([(2**v - 1) / math.log2(i + 2) for i, v in enumerate(x)]),
    ),
    "vandermonde": Formula(
        r"\Return \sum_{1 \leq i < j \leq n} \log \lvert x_j - x_i \rvert",
        lambda x: total([torch.log(abs(x[j] - x[i])) for i, j in pairs(len(x))]),
    ),
    "coulomb": Formula(
        r"\Return \sum_{i=1}^{n} \sum_{j \neq i} \frac{1}{\lvert x_i - x_j \rvert}",
        lambda x: 2 * total([1 / abs(x[j] - x[i]) for i, j in pairs(len(x))]),
    ),
    "barycentric weights": Formula(
        r"w_i \gets \prod_{j \neq i} \frac{1}{x_i - x_j} \quad (i = 1, \dots, n) \\ \Return w",
        lambda x: stack([product([1 / (x[i] - x[j]) for j in range(len(x)) if j != i]) for i in range(len(x))]),
    ),
    "lower sums": Formula(
        r"\Return \sum_{i=1}^{n} \sum_{j=1}^{i} x_i x_j",
        lambda x: total([x[i] * x[j] for i in range(len(x)) for j in range(i + 1)]),
    ),
    "symmetric polynomial": Formula(
        r"\Return \sum_{1 \leq i < j < k \leq n} x_i x_j x_k",
        lambda x: total([x[i] * x[j] * x[k] for i, j in pairs(len(x)) for k in range(j + 1, len(x))]),
    ),
    "sticks": Formula(
        r"w_i \gets \sigma(x_i) \prod_{j < i} (1 - \sigma(x_j)) \quad (i = 1, \dots, n) \\ \Return w",
        lambda x: stack([x[i].sigmoid() * product([1 - x[j].sigmoid() for j in range(i)]) for i in range(len(x))]),
    ),
    "running maximum": Formula(
        r"y_i \gets \max_{j \leq i} x_j \quad (i = 1, \dots, n) \\ \Return y",
        lambda x: x.cummax(0).values,
    ),
    "record before": Formula(
        r"y_i \gets x_i - \max_{j < i} x_j \quad (i = 2, \dots, n) \\ \Return y",
        lambda x: stack([x[i] - x[:i].max() for i in range(1, len(x))]),
    ),
    "drawdown": Formula(
        r"\Return \max_{1 \leq i < j \leq n} (x_i - x_j)",
        lambda x: torch.stack([x[i] - x[j] for i, j in pairs(len(x))]).max(),
    ),
    "closest pair": Formula(
        r"\Return \min_{i \neq j} (x_i - x_j)^2",
        lambda x: torch.stack([(x[i] - x[j]) ** 2 for i, j in pairs(len(x))]).min(),
    ),
    "nearest neighbour": Formula(
        r"y_i \gets \min_{j \neq i} \lvert x_i - x_j \rvert \quad (i = 1, \dots, n) \\ \Return y",
        lambda x: stack([torch.stack([abs(x[i] - x[j]) for j in range(len(x)) if j != i]).min() for i in range(len(x))]),
    ),
    "margin": Formula(
        r"z_i \gets \max_{j : x_j \leq x_i} (x_j + y_i) \quad (i = 1, \dots, n) \\ \Return z",
        lambda x, y: stack([(x[i] + y[i]) for i in range(len(x))]),
        BOTH,
        2,
    ),
    "place of the nearest": Formula(
        r"k_i \gets \arg\min_{j \neq i} \lvert x_i - x_j \rvert \quad (i = 1, \dots, n) \\ \Return [x_{k_i}]_{i=1}^{n}",
        lambda x: stack([min((abs(x[i] - x[j]), x[j]) for j in range(len(x)) if j != i)[1] for i in range(len(x))]),
    ),
    "partial likelihood": Formula(
        r"\Return \sum_{i=1}^{n} (x_i - \log \sum_{j \geq i} e^{x_j})",
        lambda x: total([x[i] - x[i:].logsumexp(0) for i in range(len(x))]),
    ),
    "causal attention": Formula(
        r"o_i \gets \frac{\sum_{j \leq i} e^{x_i y_j} y_j}{\sum_{j \leq i} e^{x_i y_j}} \quad (i = 1, \dots, n) \\ \Return o",
        lambda x, y: stack([(x[i] * y[: i + 1]).softmax(0) @ y[: i + 1] for i in range(len(x))]),
        BOTH,
        2,
    ),
    "triangle, chain": Formula(
        TRIANGLE + r"\Return \sum_{i=1}^{n} \sum_{j=1}^{i} i L_{ij}",
        lambda x: total([(i + 1) * (x[i] - x[j]).exp() for i in range(len(x)) for j in range(i + 1)]),
    ),
    "triangle, ranges": Formula(
        r"L_{i,j} \gets x_i x_j \quad (i = 1, \dots, n, j = 1, \dots, i) \\ \Return \sum_{i=1}^{n} \max_{j \leq i} L_{i,j}",
        lambda x: total([torch.stack([x[i] * x[j] for j in range(i + 1)]).max() for i in range(len(x))]),
    ),
    "triangle, ranges the other way": Formula(
        r"L_{i,j} \gets x_i x_j^2 \quad (j = i, \dots, n, i = 1, \dots, n) \\ \Return \sum_{i=1}^{n} \sum_{j=i}^{n} L_{i,j}",
        lambda x: total([x[i] * x[j] ** 2 for i in range(len(x)) for j in range(i, len(x))]),
    ),
    "triangle that is infinite outside": Formula(
        r"D_{ij} \gets \log \lvert x_i - x_j \rvert \quad (1 \leq i < j \leq n) \\ E_{ij} \gets D_{ij}^2 \quad (1 \leq i < j \leq n) \\"
        r" \Return \sum_{i<j} (D_{ij} + E_{ij})",
        lambda x: total([v + v**2 for i, j in pairs(len(x)) for v in [torch.log(abs(x[i] - x[j]))]]),
    ),
    "triangle of three": Formula(
        r"D_{i,j,k} \gets \log(e^{x_i} + e^{x_j - x_k}) \quad (1 \leq i < j < k \leq n) \\"
        r" \Return \sum_{1 \leq i < j < k \leq n} D_{i,j,k}",
        lambda x: total([torch.log(x[i].exp() + (x[j] - x[k]).exp()) for i, j in pairs(len(x)) for k in range(j + 1, len(x))]),
    ),
    "two triangles": Formula(
        r"a_{i,j} \gets x_i \quad (1 \leq j \leq i \leq n) \\"
        r" a_{i,j} \gets \log \lvert x_i - x_j \rvert \quad (1 \leq i < j \leq n) \\ \Return a",
        lambda x: stack([x[i] if j <= i else torch.log(abs(x[i] - x[j])) for i in range(len(x)) for j in range(len(x))]).reshape(
            len(x), len(x)
        ),
    ),
    "triangle mirrored": Formula(
        TRIANGLE + r"S_{i,j} \gets \begin{cases} L_{ij} & j \leq i \\ L_{ji} & otherwise \end{cases}" + SQUARE + r"\Return S",
        lambda x: torch.stack([(abs(i - j) * 0 + x[max(i, j)] - x[min(i, j)]).exp() for i in range(len(x)) for j in range(len(x))]).reshape(
            len(x), len(x)
        ),
    ),
    "triangle by loops": Formula(
        "\\For{$i = 1, \\dots, n$}\n\\For{$j = 1, \\dots, i$}\n\\State $L_{ij} \\gets \\sqrt{i + 1 - j} \\, x_i x_j$\n\\EndFor\n\\EndFor\n"
        "\\State \\Return $\\sum_{i=1}^{n} \\sum_{j=1}^{i} L_{ij}$",
        lambda x: total([math.sqrt(i + 1 - j) * x[i] * x[j] for i in range(len(x)) for j in range(i + 1)]),
    ),
    "intervals": Formula(
        r"D_{i,j} \gets \begin{cases} x_i & i = j \\ x_i D_{i+1,j} + x_j D_{i,j-1} & otherwise \end{cases}"
        r" \quad (1 \leq i \leq j \leq n) \\ \Return D_{1,n}",
        intervals,
    ),
    "paths in a triangle": Formula(
        r"C_{i,j} \gets \begin{cases} 1 & i = 0 \land j = 0 \\ x_i C_{i-1,j} & j = 0 \\ C_{i-1,j-1} & j = i \\"
        r" C_{i-1,j-1} + x_i C_{i-1,j} & otherwise \end{cases} \quad (0 \leq j \leq i \leq n) \\ \Return \sum_{j=0}^{n} C_{n,j}^2",
        stirling,
    ),
    "first half": Formula(
        r"\Return \sum_{i=1}^{\lfloor n/2 \rfloor} x_i",
        lambda x: x[: len(x) // 2].sum(),
    ),
    "larger half": Formula(
        r"\Return \sum_{i=1}^{\left\lceil \frac{n}{2} \right\rceil} x_i^2",
        lambda x: x[: (len(x) + 1) // 2].square().sum(),
    ),
    "palindrome": Formula(
        r"y_i \gets x_i - x_{n+1-i} \quad (i = 1, \dots, \lfloor n/2 \rfloor) \\ \Return y",
        lambda x: (x - x.flip(0))[: len(x) // 2],
    ),
    "every other": Formula(
        r"y_i \gets x_{2i-1} \quad (i = 1, \dots, \lceil n/2 \rceil) \\ \Return y",
        lambda x: x[::2],
    ),
    "haar": Formula(
        "\\For{$i \\gets 1 \\To \\lfloor n/2 \\rfloor$}\n\\State $d_i \\gets (x_{2i-1} - x_{2i}) / \\sqrt{2}$\n\\EndFor\n"
        "\\State \\Return $d$",
        haar,
    ),
    "alternating": Formula(
        r"\Return \sum_{i=1}^{\lfloor (n-1)/2 \rfloor} (x_{2i} - x_{2i+1})^2",
        lambda x: total([(x[2 * i - 1] - x[2 * i]) ** 2 for i in range(1, (len(x) - 1) // 2 + 1)]),
    ),
    "median of what is sorted": Formula(
        r"\Return x_{\lceil n/2 \rceil}",
        lambda x: x[(len(x) + 1) // 2 - 1],
    ),
    "a half with a name": Formula(
        r"m \gets \lfloor n/2 \rfloor \\ \Return \sum_{i=1}^{m} x_i x_{m+i}",
        lambda x: total([x[i] * x[len(x) // 2 + i] for i in range(len(x) // 2)]),
    ),
    "a slice of a half": Formula(
        r"y \gets x[1:\lfloor n/2 \rfloor] \\ \Return \sum_{i=1}^{\lfloor n/2 \rfloor} y_i^3",
        lambda x: (x[: len(x) // 2] ** 3).sum(),
    ),
    "loop over a third": Formula(
        "\\State $s \\gets 1$\n\\For{$i = 1, \\dots, \\lfloor n/3 \\rfloor$}\n\\State $s \\gets \\tanh(s + x_{3i})$\n\\EndFor\n"
        "\\State \\Return $s$",
        lambda x: reduce(lambda s, v: torch.tanh(s + v), x[2::3], torch.ones((), dtype=torch.float64)),
    ),
}


def examples(formula: Formula) -> list[tuple[Tensor, ...]]:
    generator = torch.Generator().manual_seed(3)
    return [tuple(torch.randn(n, dtype=torch.float64, generator=generator) for _ in range(formula.columns)) for n in formula.lengths]


def joined(function: Callable[..., Any]) -> Callable[[Tensor], Tensor]:
    return lambda values: function(*values.unbind(-1))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula(name: str) -> None:
    formula = FORMULAS[name]
    subject = made(formula.text())
    values = [torch.stack(columns, -1) for columns in examples(formula)]
    wanted = [value_and_gradient(joined(formula.by_hand), value) for value in values]
    for value, (result, gradient) in zip(values, wanted, strict=True):
        ours, own = value_and_gradient(joined(subject), value)
        torch.testing.assert_close(ours, result)
        torch.testing.assert_close(own, gradient)
        both, gradients = value_and_gradient(joined(subject), torch.stack([value, value.flip(0)]))
        torch.testing.assert_close(both[0], result)
        torch.testing.assert_close(gradients[0], gradient)
    width = max(formula.lengths) + 1
    padded = torch.full((len(values), width, formula.columns), torch.nan, dtype=torch.float64)
    for k, value in enumerate(values):
        padded[k, : len(value)] = value
    together, gradients = value_and_gradient(lambda v: subject(*v.unbind(-1), lengths=torch.tensor(formula.lengths)), padded)
    for k, (result, gradient) in enumerate(wanted):
        torch.testing.assert_close(together[k][tuple(slice(0, extent) for extent in result.shape)], result)
        torch.testing.assert_close(gradients[k, : formula.lengths[k]], gradient)
        assert not gradients[k, formula.lengths[k] :].any()


def told(body: str, table: str = VECTOR) -> Any:
    """The one error of a module."""
    (found,) = [d for d in compile(Formula(body, torch.sum, table).text()).diagnostics if d.severity == "error"]
    return found


OUTSIDE = [
    r"\Return L",
    r"\Return \sum_{i=1}^n \sum_{j=1}^n L_{ij}",
    r"\Return \sum_{i=1}^n \sum_{j < i} L_{ji}",
    r"\Return L x",
    r"\Return L_{1,3}",
]


@pytest.mark.parametrize("read", OUTSIDE)
def test_what_lies_outside_of_a_triangle_is_no_zero(read: str) -> None:
    """It is not read, unless the author says what it is: the help says how."""
    found = told(TRIANGLE + read)
    assert (found.code, found.message) == ("E0503", "elements of `L` are read that nothing defines")
    cases = r"L_{j,i} \gets \begin{cases} \dots & j \leq i \leq n \\ 0 & otherwise \end{cases}"
    assert f"`{cases}`" in found.help or f"`{cases.replace('{j,i}', '{i,j}')}`" in found.help
    whole = cases.replace("{j,i}", "{ij}").replace(r"\dots", "e^{x_i - x_j}") + SQUARE
    x = torch.randn(4, dtype=torch.float64)
    low = (x[:, None] - x).exp().tril()
    wanted = [low, low.sum(), low.tril(-1).T.tril(-1).sum(), low @ x, low[0, 2]][OUTSIDE.index(read)]
    torch.testing.assert_close(made(Formula(whole + read, torch.sum).text())(x), wanted)


def test_two_triangles_that_meet_define_elements_twice() -> None:
    body = r"a_{i,j} \gets x_i \quad (1 \leq j \leq i \leq n) \\ a_{i,j} \gets x_j \quad (1 \leq i \leq j \leq n) \\ \Return a_{2,1}"
    found = told(body)
    assert (found.code, found.message) == ("E0303", "elements of `a` may be defined twice")
    assert made(Formula(body.replace(r"i \leq j", "i < j"), torch.sum).text())(torch.tensor([3.0, 4.0])) == 4.0


def test_a_domain_that_is_no_triangle_offers_cases() -> None:
    found = told(r"D_{i,j} \gets \frac{1}{x_i - x_j} \quad (i = 1, \dots, n, j = 1, \dots, n, i \neq j) \\ \Return \sum_{i,j} D_{i,j}")
    offered = r"\begin{cases} \dots & i \neq j \\ 0 & otherwise \end{cases}"
    assert (found.code, offered in found.help) == ("E0701", True)
    value = offered.replace(r"\dots", r"\frac{1}{(x_i - x_j)^2}")
    text = Formula(rf"D_{{i,j}} \gets {value} \quad (i = 1, \dots, n, j = 1, \dots, n) \\ \Return \sum_{{i,j}} D_{{i,j}}", torch.sum).text()
    torch.testing.assert_close(made(text)(torch.tensor([1.0, 2.0, 4.0])), torch.tensor(2 * (1 + 1 / 9 + 1 / 4)))


@pytest.mark.parametrize(
    ("reduction", "said"),
    [
        (r"\max_{j \neq i} x_j", r"\exists j : j \neq i"),
        (r"\max_{j < i} x_j", r"1 \leq i - 1"),
        (r"\min_{j : x_j > x_i} x_j", r"\exists j : x_j > x_i"),
    ],
)
def test_an_extreme_of_nothing_is_refused_where_it_is_wanted(reduction: str, said: str) -> None:
    subject = made(Formula(rf"y_i \gets {reduction} \quad (i = 1, \dots, n) \\ \Return y", torch.sum).text())
    with pytest.raises(ValueError, match="condition does not hold") as caught:
        subject(torch.tensor([[1.0], [2.0]]))
    assert said in str(caught.value)
    assert subject(torch.zeros(2, 0)).shape == (2, 0)


def test_a_half_is_a_size_of_parameters() -> None:
    table = r"W \in \mathbb{R}^{\lfloor d/2 \rfloor \times d} \\ x \in \mathbb{R}^d \\"
    subject = made(rf"\Module{{F}}{{x ; W}} \Return W x \\ \EndModule \begin{{where}} {table} \end{{where}}", d=5)
    assert subject.W.shape == (2, 5)
    x = torch.randn(3, 5)
    torch.testing.assert_close(subject(x), x @ subject.W.T)


def test_a_half_of_an_index_is_a_value() -> None:
    found = told(r"y_t \gets \sum_{k=0}^{\lfloor t/2 \rfloor} x_{t-k} \quad (t = 1, \dots, n) \\ \Return y")
    assert (found.code, r"\mathbb{1}[i \leq \lfloor t / 2 \rfloor]" in found.help) == ("E0701", True)


# ---- every k-th element of a family of vectors, and a capital letter before a parenthesis -----------------------------


def held(text: str, by_hand: Callable[..., Tensor], *inputs: Tensor, **sizes: int) -> None:
    """The module gives what Python gives of the inputs and the parameters, by name, alone and in a batch, and so do the gradients."""
    subject = made(text, **sizes).double()
    owned = dict(subject.named_parameters())
    for value in owned.values():
        torch.nn.init.normal_(value)
    ours = subject(*inputs)
    torch.testing.assert_close(ours, by_hand(*inputs, **owned))
    torch.testing.assert_close(subject(*(torch.stack([one, -one]) for one in inputs))[0], ours)
    assert torch.autograd.gradcheck(subject, tuple(one.clone().requires_grad_() for one in inputs))


ROWS = r"x_t \in \mathbb{R}^d, t = 1, \dots, n \\ "
TWO = ROWS + r"W \in \mathbb{R}^{k \times d} \\ V \in \mathbb{R}^{k \times d} \\"


def test_every_other_vector_of_a_family() -> None:
    body = r"h_{2t} \gets W x_t \quad (t = 1, \dots, n) \\ h_{2t-1} \gets V x_t \quad (t = 1, \dots, n) \\ \Return h"
    text = rf"\Module{{F}}{{x ; W, V}} {body} \\ \EndModule \begin{{where}} {TWO} \end{{where}}"
    x = torch.randn(4, 3, dtype=torch.float64)
    held(text, lambda x, W, V: torch.stack([x @ V.T, x @ W.T], 1).reshape(8, 2), x, d=3, k=2)
    subject = made(text, d=3, k=2).double()
    padded = torch.full((2, 5, 3), torch.nan, dtype=torch.float64)
    padded[0, :4], padded[1, :2] = x, x[:2]
    together = subject(padded, lengths=torch.tensor([4, 2]))
    torch.testing.assert_close(together[0, :8], subject(x))
    torch.testing.assert_close(together[1, :4], subject(x[:2]))
    assert not together[1, 4:].any()


def test_every_third_vector_in_a_loop() -> None:
    lines = "".join(rf"\State $z_{{3t-{2 - k}}} \gets {k + 1} x_t$" + "\n" for k in range(3))
    text = "\\begin{algorithmic}\n\\Procedure{F}{$x$}\n\\For{$t = 1, \\dots, n$}\n" + lines
    text += "\\EndFor\n\\State \\Return $z$\n\\EndProcedure\n\\end{algorithmic}\n\\begin{where} " + ROWS + r"\end{where}"
    held(text, lambda x: torch.stack([x, 2 * x, 3 * x], 1).reshape(-1, 2), torch.randn(3, 2, dtype=torch.float64))


def test_halves_of_a_butterfly() -> None:
    """One stage of a transform of Walsh and Hadamard: sums at even places, differences at odd ones."""
    body = (
        r"y_{2i-1} \gets x_i + x_{i+n/2} \quad (i = 1, \dots, n/2) \\ y_{2i} \gets x_i - x_{i+n/2} \quad (i = 1, \dots, n/2) \\ \Return y"
    )
    x = torch.randn(6, dtype=torch.float64)
    by_hand = lambda x: torch.stack([x[:3] + x[3:], x[:3] - x[3:]], 1).reshape(-1)  # noqa: E731
    held(Formula(body, by_hand).text(), by_hand, x)


GATE_ROWS = r"W \in \mathbb{R}^{d_h \times d_x} \\ b \in \mathbb{R}^{d_h} \\ U \in \mathbb{R}^{d_U \times d_h} \\"
GATE = (
    r"\begin{algorithmic} \Procedure{F}{$x, h$} \State $r \gets \sigma(W x + b)$ \State \Return $\tanh(U (r \odot h))$ \EndProcedure "
    r"\end{algorithmic} \begin{where} ROWS \end{where}"
)
NOTATIONS = {
    "module": r"\Module{F}{x, h; W, U, b} r \gets \sigma(W x + b) \\ \Return \tanh(U (r \odot h)) \\ \EndModule",
    "algorithmic": GATE.replace("ROWS", GATE_ROWS),
    "docstring": r"\algoProc{\F}\pa{x, h} \\ & r \algoEq \sigma(W x + b) \\ & \algoReturn \tanh(U (r \odot h)) \\ \algoEndProc",
}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_capital_letter_before_a_product_is_a_matrix_in_each_notation(notation: str) -> None:
    subject = made(NOTATIONS[notation], d_x=2, d_h=3, d_U=4).double()
    x, h = torch.randn(2, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    wanted = torch.tanh(subject.U @ (torch.sigmoid(subject.W @ x + subject.b) * h))
    torch.testing.assert_close(subject(x, h), wanted)
