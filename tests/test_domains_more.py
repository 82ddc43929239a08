r"""Where indices count from: values read through their own reads, undeclared inputs of ordinary formulas in all notations.

Each program stands beside plain torch: values, gradients, and what its batch, its ragged batch and the oracle say.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from test_functions_more import compiled, docstring, errors, holds, module, steps
from torch import Tensor

Meaning = Callable[..., Tensor]
P = torch.tensor([0.3, -1.2, 2.0, 0.7], dtype=torch.float64)
Q = torch.tensor([1.1, 0.4, -0.9, 0.6], dtype=torch.float64)
W = torch.tensor([[0.5, -0.2, 0.1, 0.9], [0.3, 0.8, -0.7, 0.4], [-0.6, 0.2, 1.1, -0.3]], dtype=torch.float64)
A = torch.tensor([[0.2, 0.3, 0.5, 0.0], [0.1, 0.6, 0.2, 0.1], [0.4, 0.1, 0.1, 0.4], [0.3, 0.3, 0.2, 0.2]], dtype=torch.float64)
NOTATIONS = [module, steps, docstring]
DECLARED = r"p \in \mathbb{R}^{S}"


def ramp(x: Tensor) -> Tensor:
    return (torch.arange(1, len(x) + 1) * x).sum()


# ---- values are read like what they keep -------------------------------------------------------

VALUES: dict[str, tuple[str, Meaning]] = {
    "a multiple": ("2 p", lambda p: 2 * p),
    "minus": ("-p", lambda p: -p),
    "a sum": ("p + 1", lambda p: p + 1),
    "a function": (r"\exp(p)", torch.exp),
    "a product": (r"p \odot p", lambda p: p * p),
    "a quotient": (r"p / \sum_i p_i", lambda p: p / p.sum()),
    "a power": ("p^2", lambda p: p**2),
    "a maximum": (r"\max(p, 0)", lambda p: p.clamp(min=0)),
    "cases": (r"\begin{cases} p & p > 0 \\ 2 p & \text{otherwise} \end{cases}", lambda p: torch.where(p > 0, p, 2 * p)),
    "a comprehension": (r"\{2 s ; s \in p\}", lambda p: 2 * p),
    "a softmax": (r"\softmax(p)", lambda p: p.softmax(0)),
    "a softmax of a value": (r"2 \softmax(3 p)", lambda p: 2 * (3 * p).softmax(0)),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", VALUES)
def test_a_value_is_read_like_what_it_keeps(case: str, notation: Callable[..., str]) -> None:
    value, wanted = VALUES[case]
    body = f"q \\gets {value}\n\\Return \\sum_{{t=1}}^{{S}} t q_t"
    holds(notation(body, "p", DECLARED), lambda p: ramp(wanted(p)), P)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", ["a multiple", "a comprehension", "a softmax", "a softmax of a value"])
def test_the_size_is_that_of_what_nothing_declares(case: str, notation: Callable[..., str]) -> None:
    value, wanted = VALUES[case]
    body = f"q \\gets {value}\n\\Return \\sum_{{t=1}}^{{S}} t q_t"
    holds(notation(body, "p", ""), lambda p: ramp(wanted(p)), P)


CHAINS: dict[str, tuple[str, str, str, Meaning, tuple[Tensor, ...]]] = {
    "through two values": (
        "p",
        DECLARED,
        "q \\gets 2 p\nr \\gets q + p\n\\Return \\sum_{t=1}^{S} t r_t",
        lambda p: 3 * ramp(p),
        (P,),
    ),
    "two inputs at once": (
        "p, q",
        r"p, q \in \mathbb{R}^{S}",
        "r \\gets p \\odot q\n\\Return \\sum_{t=1}^{S} t r_t p_t",
        lambda p, q: ramp(p * q * p),
        (P, Q),
    ),
    "the rows of a product": (
        "p, W",
        DECLARED + r" \\ W \in \mathbb{R}^{d \times S}",
        "q \\gets W p\n\\Return \\sum_{t=1}^{d} t q_t",
        lambda p, w: ramp(w @ p),
        (P, W),
    ),
    "both axes of a product": (
        "A, B",
        r"A, B \in \mathbb{R}^{n \times n}",
        "C \\gets A B\n\\Return \\sum_{i=1}^{n} \\sum_{j=1}^{n} i C_{i,j}",
        lambda a, b: (torch.arange(1, 5)[:, None] * (a @ b)).sum(),
        (A, A + 1),
    ),
    "a transpose": (
        "W",
        r"W \in \mathbb{R}^{d \times n}",
        "C \\gets W^\\top\n\\Return \\sum_{i=1}^{n} \\sum_{j=1}^{d} i j^2 C_{i,j}",
        lambda w: (torch.arange(1, 5)[:, None] * torch.arange(1, 4) ** 2 * w.T).sum(),
        (W,),
    ),
    "a join": (
        "p",
        DECLARED,
        "q \\gets p || 2 p\n\\Return \\sum_{t=1}^{2S} t q_t",
        lambda p: ramp(torch.cat([p, 2 * p])),
        (P,),
    ),
    "steps of a value": (
        "p",
        DECLARED,
        "q \\gets 2 p\nh_t \\gets q_t - q_{t-1} \\quad (t = 2, \\dots, S)\n\\Return h",
        lambda p: 2 * (p[1:] - p[:-1]),
        (P,),
    ),
    "a recurrence over a value": (
        "p",
        DECLARED,
        "q \\gets \\tanh(p)\nh_1 \\gets q_1\nh_t \\gets h_{t-1} / 2 + q_t \\quad (t = 2, \\dots, S)\n\\Return h_S",
        lambda p: sum(v / 2 ** (len(p) - 1 - k) for k, v in enumerate(torch.tanh(p))),
        (P,),
    ),
    "from 0 on": (
        "p",
        DECLARED,
        "q \\gets 2 p\n\\Return \\sum_{t=0}^{S-1} t q_t",
        lambda p: 2 * (torch.arange(4) * p).sum(),
        (P,),
    ),
    "an argument that is computed": (
        "p",
        DECLARED,
        "f(a) \\gets \\sum_{t=1}^{S} t a_t\n\\Return f(2 p) + f(\\exp(p))",
        lambda p: ramp(2 * p) + ramp(p.exp()),
        (P,),
    ),
    "a value and its source": (
        "p",
        DECLARED,
        "q \\gets 2 p\n\\Return \\sum_{t=1}^{S} t q_t p_t + \\sum_{t=2}^{S} q_t p_{t-1}",
        lambda p: 2 * ramp(p * p) + 2 * (p[1:] * p[:-1]).sum(),
        (P,),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", CHAINS)
def test_reads_of_values_tell_the_domain_of_inputs(case: str, notation: Callable[..., str]) -> None:
    header, rows, body, wanted, inputs = CHAINS[case]
    holds(notation(body, header, rows), wanted, *inputs)


EITHER = {
    "a multiple": "q \\gets 2 p\n\\Return \\sum_{t=1}^{S-1} t q_t",
    "a softmax": "q \\gets \\softmax(p)\n\\Return \\sum_{t=1}^{S-1} t q_t",
    "a join": "q \\gets p || p\n\\Return \\sum_{t=1}^{S} t q_t",
    "a slice of a value": "q \\gets \\exp(p)\n\\Return q_{1:2}",
}


@pytest.mark.parametrize("case", EITHER)
def test_a_value_that_could_begin_at_either_is_refused_with_declarations_that_work(case: str) -> None:
    (error,) = errors(module(EITHER[case], "p", DECLARED))
    assert error.code == "E0502"
    values = [compiled(module(EITHER[case], "p", row if row[0] == "p" else rf"{DECLARED} \\ {row}")).M()(P) for row in rows_of(error.help)]
    assert len(values) == 2
    assert not torch.equal(*values)
    torch.testing.assert_close(compiled(steps(EITHER[case], "p", DECLARED)).M()(P), values[0])  # it counts from 1 there


def rows_of(text: str) -> list[str]:
    return re.findall(r"`([a-zA-Z]_\{t[^`]*)`", text)


def test_a_value_that_no_base_holds_is_refused() -> None:
    body = "q \\gets 2 p\n\\Return \\sum_{t=1}^{S} t q_t + \\sum_{t=0}^{S-1} p_t"
    for notation in NOTATIONS:
        assert {e.code for e in errors(notation(body, "p", DECLARED))} == {"E0502"}


# ---- the bound of a sum names the axis that it is over ----------------------------------------


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_bound_of_a_sum_is_the_size_of_what_is_read_over_it(notation: Callable[..., str]) -> None:
    holds(notation("\\Return \\sum_{t=1}^{K} t p_t", "p", DECLARED), ramp, P)
    holds(notation("\\Return \\frac{1}{K} \\sum_{t=1}^{K} t p_t", "p", DECLARED), lambda p: ramp(p) / 4, P)


def test_a_bound_that_is_declared_is_a_setting_with_a_check() -> None:
    made = compiled(steps("\\Return \\sum_{t=1}^{K} t p_t", "p", DECLARED + r" \\ K \in \mathbb{N}")).M
    torch.testing.assert_close(made(K=3)(P), ramp(P[:3]))
    with pytest.raises(ValueError, match="inside"):
        made(K=5)(P)


def test_two_inputs_over_one_bound() -> None:
    rows = r"p \in \mathbb{R}^{S} \\ q \in \mathbb{R}^{R}"
    found = errors(steps("\\Return \\sum_{t=1}^{K} p_t + \\sum_{t=1}^{K} q_t", "p, q", rows))
    assert [e.code for e in found] == ["E0404"]


# ---- an index of a bare sum beside one of a range ---------------------------------------------

COMPARED: dict[str, tuple[str, str, str, Meaning, Tensor]] = {
    "another element": (
        "A",
        r"A \in \mathbb{R}^{n \times n}",
        "\\Return \\sum_{i=1}^{n} \\sum_{j \\neq i} A_{i,j}",
        lambda a: a.sum() - a.trace(),
        A,
    ),
    "those before": (
        "p",
        r"p \in \mathbb{R}^{n}",
        "h_i \\gets \\sum_{j < i} p_j \\quad (i = 1, \\dots, n)\n\\Return h",
        lambda p: p.cumsum(0) - p,
        P,
    ),
    "a distance": (
        "A",
        r"A \in \mathbb{R}^{n \times n}",
        "h_i \\gets \\sum_{j} (i - j)^2 A_{i,j} \\quad (i = 1, \\dots, n)\n\\Return h",
        lambda a: ((torch.arange(4)[:, None] - torch.arange(4)) ** 2 * a).sum(1),
        A,
    ),
    "nothing declared": ("A", "", "\\Return \\sum_{i=1}^{n} \\sum_{j \\neq i} A_{i,j}", lambda a: a.sum() - a.trace(), A),
}


@pytest.mark.parametrize("case", COMPARED)
def test_an_index_of_a_bare_sum_counts_like_the_one_beside_it(case: str) -> None:
    header, rows, body, wanted, given = COMPARED[case]
    torch.testing.assert_close(compiled(steps(body, header, rows)).M()(given), wanted(given))
    (error,) = errors(module(body, header, rows))
    assert error.code == "E0502"
    (row,) = re.findall(r"`([a-zA-Z]_\{[^`]*)`", error.help)
    torch.testing.assert_close(compiled(module(body, header, row)).M()(given), wanted(given))


def test_a_bare_sum_whose_axis_is_read_too() -> None:
    body = "h_i \\gets \\sum_{j \\neq i} p_j - p_i \\quad (i = 1, \\dots, n)\n\\Return h"
    holds(module(body, "p", r"p \in \mathbb{R}^{n}"), lambda p: p.sum() - 2 * p, P)


# ---- formulas of papers -----------------------------------------------------------------------


def forward(p: Tensor, a: Tensor, b: Tensor) -> Tensor:
    alpha = p * b[0]
    for row in b[1:]:
        alpha = (alpha @ a) * row
    return alpha.sum()


def best_path(p: Tensor, a: Tensor, b: Tensor) -> Tensor:
    delta = p + b[0]
    for row in b[1:]:
        delta = (delta[:, None] + a).amax(0) + row
    return delta.amax()


def decayed(x: Tensor) -> Tensor:
    return sum(v * 0.9**k for k, v in enumerate(x))  # type: ignore[return-value]


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))


X, Y, K3 = drawn(6), drawn(6) + 1, drawn(3)
ROW, ROWS = r"x \in \mathbb{R}^{n}", r"x, y \in \mathbb{R}^{n}"
HMM = r"\pi \in \mathbb{R}^{K} \\ A \in \mathbb{R}^{K \times K} \\ b \in \mathbb{R}^{T \times K}"

# header, rows (nothing: the program alone says it), body, what plain torch says, inputs
PAPERS: dict[str, tuple[str, str, str, Meaning, tuple[Tensor, ...]]] = {
    "a weighted sum": ("x", "", "\\Return \\sum_{t=1}^{S} t x_t", ramp, (X,)),
    "a mean": ("x", "", "\\Return \\frac{1}{n} \\sum_{i=1}^{n} x_i", torch.mean, (X,)),
    "cumulative sums": ("x", "", "h_t \\gets \\sum_{i=1}^{t} x_i \\quad (t = 1, \\dots, S)\n\\Return h", lambda x: x.cumsum(0), (X,)),
    "reversed": ("x", "", "h_t \\gets x_{S-t+1} \\quad (t = 1, \\dots, S)\n\\Return h", lambda x: x.flip(0), (X,)),
    "a trace": ("A", "", "\\Return \\sum_{i=1}^{n} A_{i,i}", torch.trace, (A,)),
    "two axes": (
        "A",
        "",
        "\\Return \\sum_{k=1}^{K} \\sum_{t=0}^{T-1} (t + 10 k) A_{k,t}",
        lambda a: ((torch.arange(4) + 10 * torch.arange(1, 5)[:, None]) * a).sum(),
        (A,),
    ),
    "letters that stand together": (
        r"\beta",
        "",
        "\\Return \\sum_{k=1}^{K} \\sum_{t=1}^{T} t \\beta_{kt}",
        lambda b: (torch.arange(1, 5) * b).sum(),
        (W,),
    ),
    "a band": ("A", "", "\\Return \\sum_{t=1}^{T} t A_{t,t-1}", lambda a: ramp(a.diagonal()), (A,)),
    "a recurrence": (
        "x",
        "",
        "h_1 \\gets x_1\nh_t \\gets h_{t-1} / 2 + x_t \\quad (t = 2, \\dots, S)\n\\Return h_S",
        lambda x: sum(v / 2 ** (len(x) - 1 - k) for k, v in enumerate(x)),
        (X,),
    ),
    "differences": (
        "x",
        ROW,
        "h_t \\gets x_{t+1} - x_t \\quad (t = 1, \\dots, n-1)\n\\Return \\sum_{t=1}^{n} x_t + \\sum_{t=1}^{n-1} h_t^2",
        lambda x: x.sum() + (x.diff() ** 2).sum(),
        (X,),
    ),
    "a variance": (
        "x",
        ROW,
        "\\mu \\gets \\frac{1}{n} \\sum_{i=1}^{n} x_i\n\\Return \\frac{1}{n} \\sum_{i=1}^{n} (x_i - \\mu)^2",
        lambda x: x.var(correction=0),
        (X,),
    ),
    "a covariance": (
        "x, y",
        ROWS,
        "a \\gets \\frac{1}{n} \\sum_{i=1}^{n} x_i\nb \\gets \\frac{1}{n} \\sum_{i=1}^{n} y_i\n"
        "\\Return \\frac{1}{n} \\sum_{i=1}^{n} (x_i - a) (y_i - b)",
        lambda x, y: ((x - x.mean()) * (y - y.mean())).mean(),
        (X, Y),
    ),
    "a cosine": (
        "x, y",
        ROWS,
        "\\Return \\frac{\\sum_{i=1}^{n} x_i y_i}{\\sqrt{\\sum_{i=1}^{n} x_i^2} \\sqrt{\\sum_{i=1}^{n} y_i^2}}",
        lambda x, y: torch.cosine_similarity(x, y, 0),
        (X, Y),
    ),
    "a convolution": (
        "x, w",
        r"x \in \mathbb{R}^{S} \\ w \in \mathbb{R}^{K}",
        "h_t \\gets \\sum_{k=1}^{K} w_k x_{t+k-1} \\quad (t = 1, \\dots, S-K+1)\n\\Return h",
        lambda x, w: x.unfold(0, 3, 1) @ w,
        (X, K3),
    ),
    "a causal convolution": (
        "x, w",
        r"x \in \mathbb{R}^{S} \\ w \in \mathbb{R}^{K}",
        "h_t \\gets \\sum_{k=0}^{K-1} w_k x_{t-k} \\quad (t = K, \\dots, S)\n\\Return h",
        lambda x, w: x.unfold(0, 3, 1) @ w.flip(0),
        (X, K3),
    ),
    "an outer product": (
        "x, y",
        r"x \in \mathbb{R}^{n} \\ y \in \mathbb{R}^{m}",
        "Z_{i,j} \\gets x_i y_j \\quad (i = 1, \\dots, n, j = 1, \\dots, m)\n\\Return Z",
        torch.outer,
        (X, K3),
    ),
    "distances": (
        "x, y",
        r"x \in \mathbb{R}^{n} \\ y \in \mathbb{R}^{m}",
        "Z_{i,j} \\gets (x_i - y_j)^2 \\quad (i = 1, \\dots, n, j = 1, \\dots, m)\n\\Return Z",
        lambda x, y: (x[:, None] - y) ** 2,
        (X, K3),
    ),
    "a mixture": (
        r"x, \pi, \mu, s",
        r"x \in \mathbb{R} \\ \pi, \mu, s \in \mathbb{R}^{K}",
        "\\Return \\log \\sum_{k=1}^{K} \\frac{\\pi_k}{s_k} \\exp(-\\frac{(x - \\mu_k)^2}{2 s_k^2})",
        lambda x, p, m, s: (p / s * torch.exp(-((x - m) ** 2) / (2 * s * s))).sum().log(),
        (torch.tensor(0.3, dtype=torch.float64), A[1], P, Q.exp()),
    ),
    "a product of matrices": (
        "A, B",
        r"A \in \mathbb{R}^{n \times m} \\ B \in \mathbb{R}^{m \times p}",
        "C_{i,k} \\gets \\sum_{j=1}^{m} A_{i,j} B_{j,k} \\quad (i = 1, \\dots, n, k = 1, \\dots, p)\n\\Return C",
        torch.matmul,
        (W, A[:, :2].contiguous()),
    ),
    "a bilinear form": (
        "x, A, y",
        r"x \in \mathbb{R}^{n} \\ A \in \mathbb{R}^{n \times m} \\ y \in \mathbb{R}^{m}",
        "\\Return \\sum_{i=1}^{n} \\sum_{j=1}^{m} x_i A_{i,j} y_j",
        lambda x, a, y: x @ a @ y,
        (K3, W, P),
    ),
    "a softmax by sums": (
        "x",
        ROW,
        "a_t \\gets \\frac{\\exp(x_t)}{\\sum_{s=1}^{n} \\exp(x_s)} \\quad (t = 1, \\dots, n)\n\\Return a",
        lambda x: x.softmax(0),
        (X,),
    ),
    "attention by sums": (
        "q, K, V",
        r"q \in \mathbb{R}^{d} \\ K \in \mathbb{R}^{S \times d} \\ V \in \mathbb{R}^{S \times m}",
        "e_s \\gets \\sum_{i=1}^{d} q_i K_{s,i} \\quad (s = 1, \\dots, S)\n"
        "a_s \\gets \\frac{\\exp(e_s)}{\\sum_{r=1}^{S} \\exp(e_r)} \\quad (s = 1, \\dots, S)\n"
        "c_j \\gets \\sum_{s=1}^{S} a_s V_{s,j} \\quad (j = 1, \\dots, m)\n\\Return c",
        lambda q, k, v: (k @ q).softmax(0) @ v,
        (K3, A[:, :3].contiguous(), A[:, 2:].contiguous()),
    ),
    "attention by rows": (
        "Q, K, V",
        r"Q \in \mathbb{R}^{T \times d} \\ K \in \mathbb{R}^{S \times d} \\ V \in \mathbb{R}^{S \times m}",
        "c_t \\gets \\sum_{s=1}^{S} \\frac{\\exp(Q_t \\cdot K_s)}{\\sum_{r=1}^{S} \\exp(Q_t \\cdot K_r)} V_s "
        "\\quad (t = 1, \\dots, T)\n\\Return c",
        lambda q, k, v: (q @ k.T).softmax(1) @ v,
        (W, A, A[:, 2:].contiguous()),
    ),
    "the forward algorithm": (
        r"\pi, A, b",
        HMM,
        "\\alpha_{1,k} \\gets \\pi_k b_{1,k} \\quad (k = 1, \\dots, K)\n"
        "\\alpha_{t,k} \\gets b_{t,k} \\sum_{j=1}^{K} \\alpha_{t-1,j} A_{j,k} \\quad (t = 2, \\dots, T, k = 1, \\dots, K)\n"
        "\\Return \\sum_{k=1}^{K} \\alpha_{T,k}",
        forward,
        (A[0], A, W.exp()),
    ),
    "the best path": (
        r"\pi, A, b",
        HMM,
        "\\delta_{1,k} \\gets \\pi_k + b_{1,k} \\quad (k = 1, \\dots, K)\n"
        "\\delta_{t,k} \\gets b_{t,k} + \\max_{1 \\leq j \\leq K} (\\delta_{t-1,j} + A_{j,k}) "
        "\\quad (t = 2, \\dots, T, k = 1, \\dots, K)\n\\Return \\max_{1 \\leq k \\leq K} \\delta_{T,k}",
        best_path,
        (P, A + Q, W),
    ),
    "returns of a path": (
        "r",
        r"r \in \mathbb{R}^{T}",
        "G_T \\gets r_T\nG_t \\gets r_t + 0.9 G_{t+1} \\quad (t = 1, \\dots, T-1)\n\\Return G_1",
        decayed,
        (X,),
    ),
    "a polynomial": (
        "a, x",
        r"a \in \mathbb{R}^{n+1} \\ x \in \mathbb{R}",
        "\\Return \\sum_{k=0}^{n} a_k x^k",
        lambda a, x: sum(v * x**k for k, v in enumerate(a)),
        (P, torch.tensor(0.7, dtype=torch.float64)),
    ),
    "a cross entropy": ("x, y", ROWS, "\\Return -\\sum_{k=1}^{n} x_k \\log y_k", lambda x, y: -(x * y.log()).sum(), (A[1], A[2])),
    "pairs": ("x", ROW, "\\Return \\sum_{i=1}^{n} \\sum_{j=1}^{i-1} x_i x_j", lambda x: (x.sum() ** 2 - (x * x).sum()) / 2, (X,)),
    "a mean difference": (
        "x",
        ROW,
        "\\Return \\frac{1}{2 n^2} \\sum_{i=1}^{n} \\sum_{j=1}^{n} |x_i - x_j|",
        lambda x: (x[:, None] - x).abs().sum() / (2 * len(x) ** 2),
        (X,),
    ),
    "the least of shifted values": (
        "g",
        r"g \in \mathbb{R}^{T}",
        "\\Return [\\min_{1 \\leq j \\leq T} (g[j] + (t - j)^2)]_{t=1}^{T}",
        lambda g: (g + (torch.arange(4)[:, None] - torch.arange(4)) ** 2).amin(1),
        (P,),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("case", PAPERS)
def test_formulas_whose_domains_their_reads_tell(case: str, notation: Callable[..., str]) -> None:
    header, rows, body, wanted, inputs = PAPERS[case]
    if case.startswith(("a convolution", "a causal")):
        given = [v.clone().requires_grad_() for v in inputs]
        found = compiled(notation(body, header, rows)).M()(*given)
        torch.testing.assert_close(found, wanted(*given))
        own, theirs = (torch.autograd.grad(v.sin().sum(), given, retain_graph=True) for v in (found, wanted(*given)))
        torch.testing.assert_close(own, theirs)
    else:
        holds(notation(body, header, rows), wanted, *inputs)
