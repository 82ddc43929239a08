"""Gradients where a function has a corner: those that torch gives to the same function written plainly, alone and in ragged batches."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from by_hand import OVER_T, made, module, value_and_gradient
from torch import Tensor

LINES = [[2.0, 2.0, 1.0, 2.0], [-1.0, -1.0], [0.0, 0.0, 0.0], [-2.0, 3.0, -2.0, 3.0], [0.0], [1.0, -1.0]]


def same_as_torch(subject: Callable[..., Tensor], plain: Callable[[Tensor], Tensor]) -> None:
    """Values and gradients are those of the plain function, for each line alone and for all together, with poison in the padding."""
    lines = [torch.tensor(line, dtype=torch.float64) for line in LINES]
    wanted = [value_and_gradient(plain, line) for line in lines]
    lengths = torch.tensor([len(line) for line in lines])
    together = torch.full((len(lines), 5), torch.nan, dtype=torch.float64)
    for k, line in enumerate(lines):
        together[k, : len(line)] = line
        for ours, theirs in zip(value_and_gradient(subject, line), wanted[k], strict=True):
            torch.testing.assert_close(ours, theirs)
    values, gradients = value_and_gradient(lambda x: subject(x, lengths=lengths), together)
    for k, (value, gradient) in enumerate(wanted):
        torch.testing.assert_close(values[k][: len(value)] if value.dim() else values[k], value)
        torch.testing.assert_close(gradients[k, : len(lines[k])], gradient)
        assert not gradients[k, len(lines[k]) :].any()


REDUCED: dict[str, Callable[[Tensor], Tensor]] = {
    r"\max_t x_t": lambda x: x.amax(-1),
    r"\min_t x_t": lambda x: x.amin(-1),
    r"\max(x)": lambda x: x.amax(-1),
    r"\max_t \max(x_t, 0)": lambda x: x.relu().amax(-1),
    r"\max_t |x_t|": lambda x: x.abs().amax(-1),
    r"\max_t x_t - \min_t x_t": lambda x: x.amax(-1) - x.amin(-1),
    r"\max_{t=1}^{S} \min_{s=1}^{S} x_t x_s": lambda x: (x[:, None] * x).amin(-1).amax(-1),
    r"\lVert x \rVert_\infty": lambda x: torch.linalg.vector_norm(x, torch.inf),
    r"\lVert x \rVert_1": lambda x: torch.linalg.vector_norm(x, 1),
    r"\lVert x \rVert": torch.linalg.vector_norm,
    r"\lVert x \rVert_3": lambda x: torch.linalg.vector_norm(x, 3),
    r"\sum_t \max(x_t, 0)": lambda x: x.relu().sum(),
    r"\sum_t e^{x_t - \max_s x_s}": lambda x: (x - x.amax(-1)).exp().sum(),
    r"x[\arg\max_t x_t]": lambda x: x[x.argmax()],
}


@pytest.mark.parametrize("value", REDUCED)
def test_ties_of_a_whole_range(value: str) -> None:
    same_as_torch(module(rf"m \gets {value} \\ \Return m \\"), REDUCED[value])


ELEMENTS: dict[str, Callable[[Tensor], Tensor]] = {
    r"\ReLU(x_t)": torch.relu,
    r"\max(x_t, 0)": torch.relu,
    r"\max(0, x_t)": torch.relu,
    r"\max\{x_t, 1\}": lambda x: x.clamp(min=1),
    r"\min(x_t, 2)": lambda x: x.clamp(max=2),
    r"\operatorname{clip}(x_t, 0, 2)": lambda x: x.clamp(0, 2),
    r"|x_t|": torch.abs,
    r"x_t |x_t|": lambda x: x * x.abs(),
    r"|x_t|^{1.5}": lambda x: x.abs() ** 1.5,
    r"x_t^2": lambda x: x**2,
    r"x_t^3": lambda x: x**3,
    r"x_t^0": lambda x: x**0,
    r"\max(x_t, -x_t)": lambda x: torch.maximum(x, -x),
    r"\max(x_t, x_1)": lambda x: torch.maximum(x, x[0]),
    r"\max\{x_t, x_1, x_S\}": lambda x: torch.maximum(torch.maximum(x, x[0]), x[-1]),
    r"\min\{x_t, x_1, x_S\}": lambda x: torch.minimum(torch.minimum(x, x[0]), x[-1]),
    r"\max(x_t, \max_s x_s)": lambda x: torch.maximum(x, x.amax()),
    r"\max_{s=1}^{t} x_s": lambda x: torch.stack([x[: t + 1].amax() for t in range(len(x))]),
    r"\min_{s=t}^{S} x_s": lambda x: torch.stack([x[t:].amin() for t in range(len(x))]),
    r"\operatorname{sign}(x_t) + x_t": lambda x: x.sign() + x,
    r"\operatorname{ELU}(x_t)": torch.nn.functional.elu,
    r"\operatorname{LeakyReLU}(x_t)": torch.nn.functional.leaky_relu,
    r"x_t^2 \log(x_t^2)": lambda x: torch.where(x == 0, 0.0, x**2 * torch.log(torch.where(x == 0, 1.0, x**2))),
}


@pytest.mark.parametrize("value", ELEMENTS)
def test_corners_of_elements(value: str) -> None:
    same_as_torch(module(r"y_t \gets " + value + OVER_T), ELEMENTS[value])


@pytest.mark.parametrize("value", [r"\max\{x_t, 1\}", r"|x_t|", r"\max(x_t, x_1)"])
def test_a_recurrence_through_a_corner(value: str) -> None:
    by_hand = ELEMENTS[value]

    def plain(x: Tensor) -> Tensor:
        total = x.new_zeros(())
        found = []
        for element in by_hand(x):
            total = torch.maximum(total, element) + 0.5 * total
            found.append(total)
        return torch.stack(found)

    body = rf"h_0 \gets 0 \\ h_t \gets \max(h_{{t-1}}, {value}) + 0.5 h_{{t-1}} \quad (t = 1, \dots, S) \\ \Return h_{{1:S}} \\"
    same_as_torch(module(body), plain)


@pytest.mark.parametrize(
    ("value", "slope"),
    [(r"\sqrt{a}", torch.inf), (r"a^{0.5}", torch.inf), (r"\sqrt[3]{a}", torch.inf), (r"a^{1.5}", 0.0), (r"a \log a", 0.0)],
)
def test_at_the_edge_of_the_domain(value: str, slope: float) -> None:
    subject = module(rf"\Return {value} \\", r"a \in \mathbb{R} & \\", "a ; ")
    found, gradient = value_and_gradient(subject, torch.tensor(0.0, dtype=torch.float64))
    assert (found.item(), gradient.item()) == (0.0, slope)


@pytest.mark.parametrize("value", [r"a \sqrt{a}", r"a^2 \sqrt{a}", r"2 a a^{0.5}", r"\sqrt{a} (3 a)", r"\sqrt{a^4}", r"\sqrt{a^2}"])
def test_a_root_beside_its_base_has_the_slope_of_their_product(value: str) -> None:
    subject = module(rf"\Return {value} \\", r"a \in \mathbb{R} & \\", "a ; ")
    found, gradient = value_and_gradient(subject, torch.tensor(0.0, dtype=torch.float64))
    assert (found.item(), gradient.item()) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("value", "power"), [(r"\sqrt{a} \sqrt{a}", 1.0), (r"a^{0.5} a^{1.5}", 2.0), (r"a \sqrt{a}", 1.5), (r"a^2 / \sqrt{a}", 1.5)]
)
def test_the_root_of_a_negative_number_is_no_number_in_a_product_either(value: str, power: float) -> None:
    subject = module(rf"\Return {value} \\", r"a \in \mathbb{R} & \\", "a ; ")
    assert subject(torch.tensor(-2.0)).isnan()
    three = torch.tensor(3.0, dtype=torch.float64)
    for found, wanted in zip(value_and_gradient(subject, three), value_and_gradient(lambda a: a**power, three), strict=True):
        torch.testing.assert_close(found, wanted)


# ---- probabilities that a mask makes 0 ------------------------------------------------------------

INF = torch.inf
LOGITS = r"l, q \in \mathbb{R}^{n} & \\"
MASKS = [[0.5, -INF, 1.0, -2.0], [0.5, 0.25, 1.0, -2.0], [-INF, 0.0, -INF, -INF], [-1000.0, 0.0, -INF, 1.0]]
P = r"p \gets \softmax(l) \\ "
BOTH = P + r"r \gets \softmax(q) \\ "


def kept(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """The function of what the mask leaves of the logits, in plain torch; what it takes away has the gradient 0."""
    return lambda l, q: function(l[l > -INF], q[l > -INF])


def entropy(l: Tensor, q: Tensor) -> Tensor:
    return -(torch.softmax(l, -1) * torch.log_softmax(l, -1)).sum()


def check_masked(body: str, plain: Callable[[Tensor, Tensor], Tensor], q: list[float]) -> None:
    subject = module(body, LOGITS, "l, q ; ") if "q" in body else module(body, r"l \in \mathbb{R}^{n} & \\", "l ; ")
    rows = torch.tensor(MASKS, dtype=torch.float64)
    other = torch.tensor(q, dtype=torch.float64)
    given = (lambda l, o: (l, o)) if "q" in body else (lambda l, o: (l,))
    batch = [rows.clone().requires_grad_(), other.expand(len(rows), -1).clone().requires_grad_()]
    together = subject(*given(*batch))
    found = torch.autograd.grad(together.sum(), batch, allow_unused=True)
    for k, row in enumerate(rows):
        alone, reference = ([row.clone().requires_grad_(), other.clone().requires_grad_()] for _ in range(2))
        value, wanted = subject(*given(*alone)), plain(*reference)
        torch.testing.assert_close(value, wanted)
        torch.testing.assert_close(together[k], wanted)
        ours = torch.autograd.grad(value, alone, allow_unused=True)
        theirs = torch.autograd.grad(wanted, reference, allow_unused=True)
        for one, among, own in zip(ours, found, theirs, strict=True):
            expected = torch.zeros(4, dtype=torch.float64) if own is None else own
            torch.testing.assert_close(torch.zeros_like(expected) if one is None else one, expected)
            torch.testing.assert_close(torch.zeros_like(expected) if among is None else among[k], expected)


ENTROPIES = [
    P + r"H \gets -\sum_i p_i \log p_i \\ \Return H \\",
    P + r"\Return -\sum_i p_i \ln p_i \\",
    P + r"\Return -p^\top \log p \\",
    P + r"\Return -\langle p, \log p \rangle \\",
    P + r"\Return \sum_i -p_i \log p_i \\",
    P + r"\Return \sum_i p_i \log \frac{1}{p_i} \\",
    P + r"q \gets \log p \\ \Return -\sum_i p_i q_i \\",
    P + r"h \gets -p \odot \log p \\ \Return \sum_i h_i \\",
    P + r"\Return -\log(2) \sum_i p_i \log_2 p_i \\",
    P + r"\Return -\sum_i (\log p_i) p_i \\",
    P + r"\Return 2 \sum_i -\frac{1}{2} p_i \log p_i \\",
    r"p_i \gets \frac{e^{l_i}}{\sum_j e^{l_j}} \quad (i = 0, \dots, n-1) \\ \Return -\sum_i p_i \log p_i \\",
    r"Z \gets \sum_j e^{l_j} \\ p \gets e^l / Z \\ \Return -\sum_i p_i \log p_i \\",
    r"u \gets l + 0 \\ p \gets \softmax(u) \\ \Return -\sum_i p_i \log p_i \\",
]


@pytest.mark.parametrize("body", ENTROPIES)
def test_the_entropy_of_what_a_mask_leaves(body: str) -> None:
    if r"q \gets" in body:
        body = body.replace("q", "g")
    check_masked(body, kept(entropy), [0.0, 0.0, 0.0, 0.0])


def of_logits(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """The function of the probabilities, and of the logarithms, of what is left."""

    def plain(l: Tensor, q: Tensor) -> Tensor:
        is_left = l > -INF
        return function(torch.log_softmax(l[is_left], -1), torch.log_softmax(q, -1)[is_left])

    return plain


DIVERGENCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    BOTH + r"\Return \sum_i p_i \log(p_i / r_i) \\": of_logits(lambda p, r: (p.exp() * (p - r)).sum()),
    BOTH + r"\Return \sum_i p_i \log \frac{p_i}{r_i} \\": of_logits(lambda p, r: (p.exp() * (p - r)).sum()),
    BOTH + r"\Return \sum_i p_i (\log p_i - \log r_i) \\": of_logits(lambda p, r: (p.exp() * (p - r)).sum()),
    BOTH + r"d \gets \log p - \log r \\ \Return p^\top d \\": of_logits(lambda p, r: (p.exp() * (p - r)).sum()),
    BOTH + r"\Return \sum_i p_i \log p_i - \sum_i p_i \log r_i \\": of_logits(lambda p, r: (p.exp() * (p - r)).sum()),
    BOTH + r"\Return -\sum_i p_i \log r_i \\": of_logits(lambda p, r: -(p.exp() * r).sum()),
    BOTH + r"m \gets \frac{1}{2} (p + r) \\ \Return \sum_i p_i \log(p_i / m_i) \\": of_logits(
        lambda p, r: (p.exp() * (p - (0.5 * (p.exp() + r.exp())).log())).sum()
    ),
}


@pytest.mark.parametrize("q", [[0.3, 0.2, -0.5, 1.0], [0.3, 100.0, -0.5, 1.0]], ids=["ordinary", "far"])
@pytest.mark.parametrize("body", DIVERGENCES)
def test_a_divergence_of_what_a_mask_leaves(body: str, q: list[float]) -> None:
    check_masked(body, DIVERGENCES[body], q)


def test_both_have_the_mask() -> None:
    subject = module(BOTH + r"\Return \sum_i p_i \log(p_i / r_i) \\", LOGITS, "l, q ; ")
    l, q = ([torch.tensor(v, dtype=torch.float64, requires_grad=True) for _ in range(2)] for v in ([0.5, -INF, 1.0], [0.25, -INF, 0.75]))
    value, mask = subject(l[0], q[0]), torch.tensor([True, False, True])
    p, r = torch.log_softmax(l[1][mask], -1), torch.log_softmax(q[1][mask], -1)
    wanted = (p.exp() * (p - r)).sum()
    torch.testing.assert_close(value, wanted)
    for ours, theirs in zip(torch.autograd.grad(value, [l[0], q[0]]), torch.autograd.grad(wanted, [l[1], q[1]]), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_what_has_a_probability_and_none_there_is_infinitely_far() -> None:
    subject = module(BOTH + r"\Return \sum_i p_i \log(p_i / r_i) \\", LOGITS, "l, q ; ")
    assert subject(torch.tensor([0.0, 1.0]), torch.tensor([0.0, -INF])).item() == INF


@pytest.mark.parametrize("data", [[0.4, 0.0, 0.6], [0.0, 1.0, 0.0]])
@pytest.mark.parametrize("body", [r"\sum_i p_i \log(p_i / q_i)", r"p^\top \log(p / q)"])
def test_a_divergence_of_probabilities_of_which_some_are_0(body: str, data: list[float]) -> None:
    subject = module(rf"\Return {body} \\", r"p, q \in \mathbb{R}^{n} & \\", "p, q ; ")
    p, q = torch.tensor(data, dtype=torch.float64), torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    leaves = [p.clone().requires_grad_(), q.clone().requires_grad_()]
    value = subject(*leaves)
    torch.testing.assert_close(value, (p[p > 0] * (p[p > 0] / q[p > 0]).log()).sum())
    slopes = torch.autograd.grad(value, leaves)
    torch.testing.assert_close(slopes[0], torch.where(p > 0, (p / q).log() + 1, 0.0))
    torch.testing.assert_close(slopes[1], -p / q)


def test_labels_and_a_mask() -> None:
    table = r"l, y \in \mathbb{R}^{n} & \\"
    subject = module(P + r"\Return -\sum_i y_i \log p_i \\", table, "l, y ; ")
    l, y = torch.tensor([0.5, -INF, 1.0], dtype=torch.float64, requires_grad=True), torch.tensor([1.0, 0.0, 0.0]).double()
    value = subject(l, y)
    (slope,) = torch.autograd.grad(value, l)
    left = torch.softmax(torch.tensor([0.5, 1.0], dtype=torch.float64), -1)
    torch.testing.assert_close(value, -left[0].log())
    torch.testing.assert_close(slope, torch.stack([left[0] - 1, left[0] * 0, left[1]]))


def test_a_certain_outcome_of_two() -> None:
    table = r"z, y \in \mathbb{R} & \\"
    subject = module(r"p \gets \sigma(z) \\ \Return -y \log p - (1 - y) \log(1 - p) \\", table, "z, y ; ")
    for z, y in ((-INF, 0.0), (INF, 1.0)):
        given = torch.tensor(z, dtype=torch.float64, requires_grad=True)
        value = subject(given, torch.tensor(y, dtype=torch.float64))
        (slope,) = torch.autograd.grad(value, given)
        assert (value.item(), slope.item()) == (0.0, 0.0)
    assert subject(torch.tensor(-INF), torch.tensor(1.0)).item() == INF


def test_logits_that_are_products_stay_a_contraction() -> None:
    table = r"x \in \mathbb{R}^{d} & \\ y \in \mathbb{R}^{n} & \\"
    text = r"\Module{F}{x, y ; W \in \mathbb{R}^{n \times d}} p \gets \softmax(W x) \\ \Return -\sum_i y_i \log p_i \\ \EndModule"
    subject = made(text + rf"\begin{{where}} {table} \end{{where}}", n=2, d=3).double()
    x, y = torch.rand(3, dtype=torch.float64), torch.tensor([1.0, 0.0]).double()
    torch.testing.assert_close(subject(x, y), torch.nn.functional.cross_entropy(subject.W @ x, y))
