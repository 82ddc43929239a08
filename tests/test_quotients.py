r"""Quotients as sizes, `n/2` elements: what is computed, gradients and batches; and that `n` has to be a multiple."""

from __future__ import annotations

import pytest
import torch

from mathdsl.api import compile, load

HALVES = r"""
\Module{Halves}{x}
y_i \gets x_i \cdot x_{i + n/2} \quad (i = 1, \dots, n/2) \\
\Return y \\
\EndModule
\begin{where}
x \in \mathbb{R}^n \\
\end{where}
"""


def module(text: str, **sizes: int) -> torch.nn.Module:
    made = load(text)
    (found,) = (one for one in vars(made).values() if isinstance(one, type) and issubclass(one, torch.nn.Module))
    return found(**sizes)


def body(statements: str, header: str = "x", rows: str = r"x_t \in \mathbb{R}, t = 1, \dots, n \\") -> str:
    return "\n".join([rf"\Module{{M}}{{{header}}}", statements, r"\EndModule", r"\begin{where}", rows, r"\end{where}"])


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_a_range_ends_at_a_quotient(batch: tuple[int, ...]) -> None:
    x = torch.randn(*batch, 6, dtype=torch.float64, requires_grad=True)
    y = module(HALVES)(x)
    torch.testing.assert_close(y, x[..., :3] * x[..., 3:])
    weights = torch.randn_like(y)
    (found,) = torch.autograd.grad((y * weights).sum(), x, retain_graph=True)
    (wanted,) = torch.autograd.grad((x[..., :3] * x[..., 3:] * weights).sum(), x)
    torch.testing.assert_close(found, wanted)
    assert torch.autograd.gradcheck(module(HALVES), (x,))


def test_nothing_has_two_empty_halves() -> None:
    assert module(HALVES)(torch.zeros(0)).shape == (0,)


def test_what_is_no_multiple_is_refused() -> None:
    with pytest.raises(ValueError, match=r"2 \\mid n"):
        module(HALVES)(torch.zeros(5))


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        (r"\Return \sum_{i=1}^{n/2} x_i", lambda x: x[..., :3].sum(-1)),
        (r"\Return x_{n/2}", lambda x: x[..., 2]),
        (r"\Return x[1:n/2]", lambda x: x[..., :3]),
        (r"\Return \cat{x[n/2+1:n], x[1:n/2]}", lambda x: torch.cat([x[..., 3:], x[..., :3]], -1)),
        (r"\Return \sum_{i=1}^{n/2} x_{2i}", lambda x: x[..., 1::2].sum(-1)),
        (r"\Return \sum_{i=n/2}^{n} x_i", lambda x: x[..., 2:].sum(-1)),
        (r"\Return \sum_{i=1}^{\frac{n}{3}} x_{3i}", lambda x: x[..., 2::3].sum(-1)),
    ],
)
def test_a_quotient_stands_where_a_size_does(statements: str, wanted: object) -> None:
    assert callable(wanted)
    x = torch.randn(4, 6, dtype=torch.float64)
    torch.testing.assert_close(module(body(statements + r" \\"))(x), wanted(x))
    with pytest.raises(ValueError, match=r"\\mid n"):
        module(body(statements + r" \\"))(x[:, :5])


def test_a_size_is_found_where_only_a_part_of_it_has_elements() -> None:
    text = body(r"\Return \sum_{i=1}^{n/2} x_i \cdot n \\", rows=r"x_t \in \mathbb{R}, t = 1, \dots, n/2 \\")
    assert module(text)(torch.tensor([1.0, 2.0, 3.0])) == 36.0


def test_a_quotient_by_a_size_is_asked_about_once() -> None:
    text = body(r"y_{k,i} \gets x_{(k-1) \frac{n}{4} + i} \quad (k = 1, \dots, 4, i = 1, \dots, n/4) \\ \Return y \\")
    x = torch.randn(2, 8)
    torch.testing.assert_close(module(text)(x), x.reshape(2, 4, 2))
    assert compile(text).source.count("_assert(n") == 1


def test_a_quotient_in_a_value_is_a_real_number() -> None:
    """3 / 2 is no size, and nothing is asked of it."""
    text = body(r"\Return \sum_{i=1}^{n} x_i \cdot n / 2 \\")
    assert module(text)(torch.tensor([1.0, 2.0, 3.0])) == 9.0
    assert "_assert" not in compile(text).source


def test_a_parameter_of_half_the_size_is_asked_about_where_it_is_made() -> None:
    rows = "\n".join([r"x \in \mathbb{R}^d \\", r"W \in \mathbb{R}^{d/2 \times d} \\"])
    text = body(r"\Return W x \\", "x; W", rows)
    made = module(text, d=4)
    x = torch.randn(3, 4)
    torch.testing.assert_close(made(x), x @ made.get_parameter("W").T)
    assert "_assert(" not in compile(text).source
    with pytest.raises(ValueError, match="d/2: expected a whole number, got d = 5"):
        module(text, d=5)


def test_examples_of_a_batch_have_halves_of_their_own() -> None:
    """Padding at the end is none of each half's, and need not have one."""
    x = torch.arange(14.0).reshape(2, 7)
    x[0, 6], x[1, 2:] = torch.nan, torch.nan
    y = module(HALVES)(x, lengths=torch.tensor([6, 2]))
    torch.testing.assert_close(y, torch.tensor([[0.0, 4.0, 10.0], [56.0, 0.0, 0.0]]))


@pytest.mark.parametrize("index", ["n/t", "(n + 1)/t", r"\frac{n t}{t + 1}"])
def test_a_quotient_by_an_index_is_no_index(index: str) -> None:
    text = body(rf"y_t \gets x_{{{index}}} \quad (t = 1, \dots, n) \\ \Return y \\")
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == ["E0406"]


def test_an_index_that_a_quotient_loses_is_one() -> None:
    x = torch.arange(6.0)
    torch.testing.assert_close(module(body(r"y_t \gets x_{\frac{t n}{n}} \quad (t = 1, \dots, n) \\ \Return y \\"))(x), x)
