r"""Quotients as sizes, `n/2` elements: what is computed, gradients and batches; and that `n` has to be a multiple."""

from __future__ import annotations

from collections.abc import Callable

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


# ---- quotients times an index ----------------------------------------------------------------------

GROUPS = "\n".join([r"x_c \in \mathbb{R}, c = 1, \dots, C \\", r"G \in \mathbb{N} = 3 \\"])


def over_groups(value: str, extra: str = "") -> str:
    return body(rf"y_g \gets {value} \quad (g = 1, \dots, G) \\ {extra}\Return y \\", "x ; G", GROUPS)


def groups(x: torch.Tensor) -> torch.Tensor:
    return x.unflatten(-1, (3, -1))


def value_and_gradient(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    leaf = x.clone().requires_grad_()
    value = function(leaf)
    (gradient,) = torch.autograd.grad(torch.sin(value).sum(), leaf)
    return value.detach(), gradient


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"\sum_{c=(g-1)C/G+1}^{g C / G} x_c", lambda x: groups(x).sum(-1)),
        (r"\sum_{c=(g-1)\frac{C}{G}+1}^{g \frac{C}{G}} x_c", lambda x: groups(x).sum(-1)),
        (r"\sum_{c=(g-1)C/3+1}^{g C/3} x_c", lambda x: groups(x).sum(-1)),
        (r"\sum_{c=(g-1)\frac{C}{3}+1}^{g \frac{C}{3}} x_c", lambda x: groups(x).sum(-1)),
        (r"\sum_{(g-1) C/G + 1 \leq c \leq g C/G} x_c", lambda x: groups(x).sum(-1)),
        (r"\sum_{c \in \{(g-1) C/G + 1, \dots, g C/G\}} x_c", lambda x: groups(x).sum(-1)),
        (r"\frac{G}{C} \sum_{c=(g-1)C/G+1}^{g C/G} x_c", lambda x: groups(x).mean(-1)),
        (r"\max_{c=(g-1)C/G+1}^{g C/G} x_c", lambda x: groups(x).amax(-1)),
        (r"\max(x[(g-1) C/G + 1 : g C/G])", lambda x: groups(x).amax(-1)),
        (r"\sum_{c=1}^{g C/G} x_c", lambda x: groups(x).sum(-1).cumsum(-1)),
        (r"\sum_{c=g C/G}^{C} x_c", lambda x: torch.stack([x[..., k:].sum(-1) for k in (1, 3, 5)], -1)),
        (r"\sum_{i=1}^{g} \sum_{c=(i-1)C/G+1}^{i C/G} x_c", lambda x: groups(x).sum(-1).cumsum(-1)),
        (r"\sum_{i=1}^{g} x_{i C/G}", lambda x: x[..., 1::2].cumsum(-1)),
        (r"x_{g C/G}", lambda x: x[..., 1::2]),
        (r"x_{g C/3}", lambda x: x[..., 1::2]),
    ],
)
def test_a_quotient_moves_with_an_index(value: str, wanted: Callable[[torch.Tensor], torch.Tensor]) -> None:
    made = module(over_groups(value))
    for x in (torch.randn(6, dtype=torch.float64), torch.randn(4, 6, dtype=torch.float64)):
        torch.testing.assert_close(value_and_gradient(made, x), value_and_gradient(wanted, x))
    with pytest.raises(ValueError, match=r"(G|3) \\mid C"):
        made(torch.randn(5))


def test_sums_of_groups() -> None:
    made = module(over_groups(r"\sum_{c=(g-1)C/G+1}^{g C / G} x_c"))
    assert made(torch.arange(1.0, 7.0)).tolist() == [3.0, 7.0, 11.0]
    assert made(torch.zeros(0)).tolist() == [0.0, 0.0, 0.0]


def test_halves_by_their_number() -> None:
    text = body(r"w_k \gets \sum_{i=(k-1) n/2 + 1}^{k n/2} x_i \quad (k = 1, \dots, 2) \\ \Return w \\")
    assert module(text)(torch.arange(1.0, 7.0)).tolist() == [6.0, 15.0]
    x = torch.arange(1.0, 7.0).repeat(2, 1)
    x[1, 4:] = torch.nan
    assert module(text)(x, lengths=torch.tensor([6, 4])).tolist() == [[6.0, 15.0], [3.0, 7.0]]
    for given in ((x[0, :5],), (x, torch.tensor([6, 3]))):
        with pytest.raises(ValueError, match=r"2 \\mid n"):
            module(text)(given[0], lengths=given[1] if len(given) > 1 else None)


def test_examples_of_a_batch_have_groups_of_their_own() -> None:
    x = torch.arange(1.0, 7.0).repeat(2, 1)
    x[1, 3:] = torch.nan
    made = module(over_groups(r"x_{g C/G}"))
    assert made(x, lengths=torch.tensor([6, 3])).tolist() == [[2.0, 4.0, 6.0], [1.0, 2.0, 3.0]]
    with pytest.raises(ValueError, match=r"G \\mid C"):
        made(x, lengths=torch.tensor([6, 4]))


def test_channels_less_the_means_of_their_groups() -> None:
    statements = r"""
    \mu_g \gets \frac{G}{C} \sum_{c=(g-1) C/G + 1}^{g C/G} x_c \quad (g = 1, \dots, G) \\
    v_g \gets \frac{G}{C} \sum_{c=(g-1) C/G + 1}^{g C/G} (x_c - \mu_g)^2 \quad (g = 1, \dots, G) \\
    y_c \gets \frac{x_c - \mu_{\lceil c G / C \rceil}}{\sqrt{v_{\lceil c G / C \rceil} + 10^{-5}}} \quad (c = 1, \dots, C) \\
    \Return y \\"""
    x = torch.randn(4, 6, dtype=torch.float64)
    made = module(body(statements, "x ; G", GROUPS))
    torch.testing.assert_close(value_and_gradient(made, x), value_and_gradient(lambda x: torch.nn.functional.group_norm(x, 3), x))
    with pytest.raises(ValueError, match=r"G \\mid C"):
        made(x[:, :4])


@pytest.mark.parametrize("condition", [r"C \bmod G = 0", r"G \mid C"])
@pytest.mark.parametrize("lower", ["1", "(g-1)C/G+1"])
def test_a_condition_says_that_there_are_groups(condition: str, lower: str) -> None:
    cases = rf"\begin{{cases}} \sum_{{c={lower}}}^{{g C/G}} x_c & \text{{if }} {condition} \\ 0 & \text{{otherwise}} \end{{cases}}"
    made = module(over_groups(cases))
    assert made(torch.arange(1.0, 7.0)).tolist() == ([3.0, 10.0, 21.0] if lower == "1" else [3.0, 7.0, 11.0])
    assert made(torch.ones(5)).tolist() == [0.0, 0.0, 0.0]


def test_a_quotient_need_be_whole_only_where_the_index_comes() -> None:
    text = body(r"\Return \sum_{k=1}^{2} x_{2 k n/4} \\")
    assert module(text)(torch.arange(1.0, 7.0)) == 9.0
    with pytest.raises(ValueError, match=r"2 \\mid"):
        module(text)(torch.ones(5))


def test_a_check_in_a_branch_is_at_the_points_of_a_triangle() -> None:
    cases = r"\begin{cases} \sum_{i=1}^{g} x_{i+1} & \text{if } x_g > 0 \\ 0 & \text{otherwise} \end{cases}"
    made = module(over_groups(cases))
    assert made(torch.tensor([1.0, 2.0, -3.0])).tolist() == [2.0, -1.0, 0.0]
    with pytest.raises(ValueError, match=r"x\[i \+ 1\] is inside"):
        made(torch.tensor([1.0, 2.0, 3.0]))


def algorithm(lines: str) -> torch.nn.Module:
    rows = "\n".join([r"x \in \mathbb{R}^C \\", r"G \in \mathbb{N} = 3 \\"])
    return module("\n".join([r"\algoProc{\F}\pa{x} \\", lines, r"\algoEndProc \\", r"\begin{where}", rows, r"\end{where}"]))


def test_groups_in_an_algorithm() -> None:
    made = algorithm(r"\For{g = 1, \dots, G} \\ y[g] \gets \sum_{c=(g-1)C/G+1}^{g C/G} x[c] \\ \EndFor \\ \Return y \\")
    x = torch.randn(4, 6, dtype=torch.float64)
    torch.testing.assert_close(value_and_gradient(made, x), value_and_gradient(lambda x: groups(x).sum(-1), x))
    assert made(torch.arange(1.0, 7.0)).tolist() == [3.0, 7.0, 11.0]
    with pytest.raises(ValueError, match=r"G \\mid C"):
        made(torch.ones(5))


def test_turns_that_read_groups() -> None:
    made = algorithm(r"s \gets 0 \\ \For{g = 1, \dots, G} \\ s \gets 2 s + x[g C/G] \\ \EndFor \\ \Return s \\")
    x = torch.arange(1.0, 7.0).repeat(2, 1)
    assert made(x, lengths=torch.tensor([6, 3])).tolist() == [22.0, 11.0]
    with pytest.raises(ValueError, match=r"G \\mid C"):
        made(torch.ones(5))
