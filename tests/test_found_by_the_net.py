r"""What the net of texts (`python -m tests.nets`) found, each with relatives: small texts, their values by hand.

Updates of declared ranges, ranges that a letter's declaration gives, bare sums over labelled families and arguments, elements of
reserved letters in brackets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.differential import check_text


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def codes(text: str) -> list[str]:
    return [d.code for d in compiled(text).diagnostics if d.severity == "error"]


def make(text: str, **sizes: Any) -> Any:
    """An instance of the class `M` of a text, in double precision."""
    result = compiled(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics if d.severity == "error"]
    module = result.load().M(**sizes).double()
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    return module


def numbers(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.rand(*shape, generator=generator, dtype=torch.float64) - 0.3


def same(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def module_of(*statements: str, header: str, rows: tuple[str, ...] = ()) -> str:
    lines = [rf"\Module{{M}}{{{header}}}", *(rf"  {statement} \\" for statement in statements), r"\EndModule"]
    table = [r"\begin{where}", *(rf"  {row} & \\" for row in rows), r"\end{where}"] if rows else []
    return "\n".join([*lines, *table]) + "\n"


def procedure_of(*lines: str, header: str, rows: tuple[str, ...] = ()) -> str:
    states = [line if line.startswith(("\\For", "\\End", "\\If", "\\El")) else rf"\State ${line}$" for line in lines]
    required = [rf"\Require ${row}$" for row in rows]
    body = [rf"\Procedure{{M}}{{${header}$}}", *states, r"\EndProcedure"]
    return "\n".join([r"\begin{algorithmic}", *required, *body, r"\end{algorithmic}"]) + "\n"


def same_with_gradient(module: Any, wanted: Callable[[Tensor], Tensor], *shape: int) -> None:
    """The value and the gradient of a module of one input."""
    x = numbers(*shape).requires_grad_()
    found, meant = module(x), wanted(x)
    same(found, meant)
    weights = torch.linspace(0.5, 1.5, max(found.numel(), 1), dtype=torch.float64).reshape(found.shape)
    (ours,) = torch.autograd.grad((found * weights).sum(), x)
    (theirs,) = torch.autograd.grad((meant * weights).sum(), x)
    same(ours, theirs)


# ---- updates of inputs whose rows give ranges ----------------------------------------------------


def stacked(*items: Tensor) -> Tensor:
    return torch.stack(items)


def loop_of_differences(x: Tensor) -> Tensor:
    found = [x[-1], *x[1:]]
    for t in range(1, len(found)):
        found[t] = found[t] - found[t - 1]
    return torch.stack(found)


UPDATES: list[tuple[str, tuple[str, ...], Callable[[Tensor], Tensor]]] = [
    (r"i = 1, \dots, m", (r"v \gets w_1", r"w_1 \gets w_m", r"w_m \gets v"), lambda x: torch.cat([x[-1:], x[1:-1], x[:1]])),
    (r"i = 0, \dots, m - 1", (r"v \gets w_0", r"w_0 \gets w_{m-1}", r"w_{m-1} \gets v"), lambda x: torch.cat([x[-1:], x[1:-1], x[:1]])),
    (r"i = 1, \dots, m", (r"w_1 \gets 2 w_1", r"w_m \gets w_1 w_m"), lambda x: torch.cat([2 * x[:1], x[1:-1], 2 * x[:1] * x[-1:]])),
    (
        r"i = 1, \dots, m",
        (r"w_1 \gets w_m", r"\For{$t = 2, \dots, m$}", r"w_t \gets w_t - w_{t-1}", r"\EndFor"),
        loop_of_differences,
    ),
    (
        r"i = 1, \dots, m",
        (r"\For{$t = 1, \dots, m - 1$}", r"w_t \gets w_t + w_{t+1}", r"\EndFor", r"w_m \gets 2 w_m"),
        lambda x: torch.cat([x[:-1] + x[1:], 2 * x[-1:]]),
    ),
    (r"i = 0, \dots, m", (r"w_0 \gets w_m", r"w_m \gets 3 w_0"), lambda x: torch.cat([x[-1:], x[1:-1], 3 * x[-1:]])),
]


@pytest.mark.parametrize(("bounds", "lines", "wanted"), UPDATES)
def test_elements_of_an_input_with_a_declared_range_are_updated(
    bounds: str, lines: tuple[str, ...], wanted: Callable[[Tensor], Tensor]
) -> None:
    text = procedure_of(*lines, r"\Return w", header="w", rows=(rf"w_i \in \mathbb{{R}}, {bounds}",))
    same_with_gradient(make(text), wanted, 4)


def test_rows_of_an_input_are_updated() -> None:
    rows = (r"w_i \in \mathbb{R}^{d}, i = 0, \dots, m",)
    module = make(procedure_of(r"w_0 \gets w_m", r"w_m \gets 2 w_m", r"\Return w", header="w", rows=rows))
    same_with_gradient(module, lambda x: torch.cat([x[-1:], x[1:-1], 2 * x[-1:]]), 4, 3)


def test_a_labelled_input_is_updated() -> None:
    rows = (r"\alpha_{o,l} \in \mathbb{R}, l = 1, \dots, n",)
    lines = (r"\theta \gets \alpha_{o,1}", r"\alpha_{o,1} \gets \alpha_{o,n}", r"\alpha_{o,n} \gets \theta", r"\Return \alpha_o")
    same_with_gradient(make(procedure_of(*lines, header=r"\alpha_o", rows=rows)), lambda x: torch.cat([x[-1:], x[1:-1], x[:1]]), 4)


# ---- the range of a letter -----------------------------------------------------------------------

ROWS = (r"x_i \in \mathbb{R}, i = 1, \dots, n", r"u_i \in \mathbb{R}, i = 1, \dots, n")


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        ((r"y_i \gets 2 x_i", r"\Return y"), lambda x: 2 * x),
        ((r"y_i = x_i \cdot x_i", r"\Return y"), lambda x: x * x),
        ((r"y_i \gets x_i - x_1", r"\Return y"), lambda x: x - x[0]),
        ((r"y_i \gets \sum_{j=1}^{n} x_j x_i", r"\Return y"), lambda x: x.sum() * x),
        ((r"y_{i,k} \gets x_i x_k \quad (k = 1, \dots, n)", r"\Return y"), lambda x: torch.outer(x, x)),
        ((r"y_i \gets \sin(x_i)", r"z_i \gets y_i + x_n", r"\Return z"), lambda x: x.sin() + x[-1]),
    ],
)
def test_a_letter_has_its_declared_range_on_the_left(statements: tuple[str, ...], wanted: Callable[[Tensor], Tensor]) -> None:
    text = module_of(*statements, header="x ;", rows=ROWS[:1])
    same_with_gradient(make(text), wanted, 4)
    check_text(text)


def test_a_letter_that_two_rows_give_one_range() -> None:
    module = make(module_of(r"y_i \gets u_i x_i", r"\Return y", header="x ; u", rows=ROWS), n=3)
    same(module(numbers(3)), module.u * numbers(3))


def test_a_letter_that_two_rows_give_two_ranges_is_refused() -> None:
    rows = (ROWS[0], r"u_i \in \mathbb{R}, i = 0, \dots, n")
    assert codes(module_of(r"y_i \gets u_i x_i", r"\Return y", header="x ; u", rows=rows)) != []


# ---- bare sums over families with a label ----------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\sum_k b_{x,k}", lambda b: b.sum()),
        (r"\sum_k b_{x,k}^2", lambda b: (b * b).sum()),
        (r"\prod_k b_{x,k}", lambda b: b.prod()),
        (r"\max_k b_{x,k}", lambda b: b.max()),
        (r"\sum_k b_{x,k} \sum_l b_{x,l}", lambda b: b.sum() ** 2),
        (r"\sum_{k : b_{x,k} > 0} b_{x,k}", lambda b: b.clamp(min=0).sum()),
        (r"\sum_{k \neq 1} b_{x,k}", lambda b: b[1:].sum()),
    ],
)
def test_a_bare_sum_over_a_family_with_a_label(body: str, wanted: Callable[[Tensor], Tensor]) -> None:
    text = module_of(rf"\Return {body}", header="b_x ;", rows=(r"b_{x,k} \in \mathbb{R}, k = 1, \dots, L",))
    same_with_gradient(make(text), wanted, 4)
    check_text(text)


def test_a_bare_sum_over_a_family_with_a_label_that_loops_define() -> None:
    lines = (r"\For{$i = 1, \dots, p$}", r"c_{q,i} \gets \beta_i", r"\EndFor", r"\Return \sum_l c_{q,l}^2")
    text = procedure_of(*lines, header=r"\beta", rows=(r"\beta_s \in \mathbb{R}, s = 1, \dots, p",))
    same_with_gradient(make(text), lambda b: (b * b).sum(), 4)


def test_a_bare_sum_over_an_argument_with_an_index_takes_the_range_of_what_it_is_called_with() -> None:
    rows = (r"V_{l,s} \in \mathbb{R}, l = 1, \dots, m, s = 1, \dots, L", r"\beta_j \in \mathbb{R}, j = 1, \dots, T")
    for body in (r"\sum_j V_{t,j}", r"\sum_k V_{t,k} V_{i,k}", r"\sum_j V_{i,j} \cdot 1"):
        text = module_of(rf"h(V_i, V_t) \gets {body}", r"\Return h(\beta, \beta)", header=r"V, \beta ;", rows=rows)
        wanted = (lambda b: (b * b).sum()) if "_k" in body else (lambda b: b.sum())
        for size in (2, 5):  # fewer and more than the row of `V` has
            same(make(text)(numbers(3, 4), numbers(size)), wanted(numbers(size)))


# ---- elements of reserved letters in brackets ------------------------------------------------------


@pytest.mark.parametrize("letter", ["e", r"\pi", r"\sigma", r"\Gamma", "I"])
def test_an_element_of_a_reserved_letter_in_brackets(letter: str) -> None:
    text = module_of(
        rf"{letter}[1 \leq t \leq T] \gets 2 x[t]",
        rf"y_t \gets {letter}[t] \cdot {letter}_t + {letter}[1] \quad (t = 1, \dots, T)",
        r"\Return y",
        header="x ;",
        rows=(r"x_t \in \mathbb{R}, t = 1, \dots, T",),
    )
    same_with_gradient(make(text), lambda x: 4 * x * x + 2 * x[0], 4)
    check_text(text)


@pytest.mark.parametrize("letter", ["e", r"\pi", r"\sigma"])
def test_an_update_of_a_family_of_a_reserved_letter(letter: str) -> None:
    lines = (
        r"\For{$t = 1, \dots, K$}",
        rf"{letter}_t \gets u_t",
        r"\EndFor",
        r"\For{$t = 2, \dots, K$}",
        rf"{letter}_t \gets {letter}_t - {letter}_{{t-1}}",
        rf"{letter}_t \gets 2 {letter}_t",
        r"\EndFor",
        rf"\Return ({letter}_r)_{{r=1}}^{{K}}",
    )

    def wanted(u: Tensor) -> Tensor:
        found = list(u)
        for t in range(1, len(found)):
            found[t] = 2 * (found[t] - found[t - 1])
        return torch.stack(found)

    same_with_gradient(make(procedure_of(*lines, header="u", rows=(r"u_j \in \mathbb{R}, j = 1, \dots, K",))), wanted, 4)


def test_a_bare_reserved_letter_beside_its_family_stays_refused() -> None:
    for value in (r"\pi", r"\pi \cdot x", r"\pi^2"):
        assert codes(module_of(r"\pi[1 \leq t \leq T] \gets 2 x[t]", rf"\Return {value}", header="x ;")) == ["E0304"]


# ---- several indices under one sign ----------------------------------------------------------------

SQUARE = (r"U_{i,k} \in \mathbb{R}, i = 1, \dots, K, k = 1, \dots, K",)


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        ((r"\Return \sum_{i,l} U_{i,l} U_{l,i}",), lambda u: (u * u.T).sum()),
        ((r"\Return \sum_{i=1, l \neq i}^{K} U_{i,l}",), lambda u: u.sum() - u.diagonal().sum()),
        ((r"\Return \sum_{i \in \{1, \dots, K\}, l \in \{1, \dots, K\}} U_{i,l}^2",), lambda u: (u * u).sum()),
        ((r"y_l \gets \sum_{i=1, i \neq l}^{K} U_{i,l} \quad (l = 1, \dots, K)", r"\Return y"), lambda u: u.sum(0) - u.diagonal()),
        ((r"y_l \gets \sum_{i=1, l \neq i}^{K} U_{i,l} \quad (l = 1, \dots, K)", r"\Return y"), lambda u: u.sum(0) - u.diagonal()),
        ((r"y_l \gets \sum_{i=1, i < l}^{K} U_{i,l} \quad (l = 1, \dots, K)", r"\Return y"), lambda u: u.triu(1).sum(0)),
        ((r"y_l \gets \prod_{i=1, i \neq l}^{K} U_{i,l} \quad (l = 1, \dots, K)", r"\Return y"), lambda u: u.prod(0) / u.diagonal()),
        ((r"y_l \gets \sum_{i,l} U_{i,l} \quad (l = 1, \dots, K)", r"\Return y"), lambda u: u.sum(0)),
        ((r"\Return \max_{i,l} U_{i,l}",), lambda u: u.max()),
        ((r"\Return \sum_{i,k,l} U_{i,k} U_{k,l}",), lambda u: (u @ u).sum()),
    ],
)
def test_a_reduction_over_several_indices(statements: tuple[str, ...], wanted: Callable[[Tensor], Tensor]) -> None:
    text = module_of(*statements, header="U ;", rows=SQUARE)
    same_with_gradient(make(text), wanted, 3, 3)
    if "max" not in text:  # of no element
        check_text(text)


def test_a_reduction_over_indices_that_all_have_values_is_refused() -> None:
    text = module_of(r"y_{i,l} \gets \sum_{i,l} U_{i,l} \quad (i = 1, \dots, K,\ l = 1, \dots, K)", r"\Return y", header="U ;", rows=SQUARE)
    assert codes(text) == ["E0505"]
    assert codes(module_of(r"\Return \max_{i=1, l \neq i}^{K} U_{i,l}", header="U ;", rows=SQUARE)) == []


@pytest.mark.parametrize(("condition", "wanted"), [("i < l", lambda u: u.triu(1).sum()), (r"i \neq l", lambda u: u.sum() - u.trace())])
def test_two_free_indices_in_one_condition(condition: str, wanted: Callable[[Tensor], Tensor]) -> None:
    same_with_gradient(make(module_of(rf"\Return \sum_{{{condition}}} U_{{i,l}}", header="U ;", rows=SQUARE)), wanted, 3, 3)


@pytest.mark.parametrize("value", ["(x_i - 0.1)_+", r"\left( x_i - 0.1 \right)_+", "[x_i - 0.1]_+", r"1 (x_i - 0.1)_{+}"])
def test_a_positive_part(value: str) -> None:
    text = module_of(rf"q_i \gets {value}", r"\Return q", header="x ;", rows=ROWS[:1])
    same_with_gradient(make(text), lambda x: (x - 0.1).relu(), 4)


# ---- arrays that are assigned whole, then by elements ----------------------------------------------


def after_halving(x: Tensor) -> Tensor:
    found = list(0.5 * x)
    for s in range(len(found) - 1):
        found[s] = found[s] + found[s + 1]
    return torch.stack(found)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((r"a \gets 0.5 a", r"\For{$s = 1, \dots, n - 1$}", r"a_s \gets a_s + a_{s+1}", r"\EndFor"), after_halving),
        ((r"a \gets 0.5 a", r"a_n \gets 2 a_n"), lambda x: torch.cat([0.5 * x[:-1], x[-1:]])),
        ((r"a \gets \sin(a)", r"a_1 \gets a_n", r"a_n \gets 3 a_1"), lambda x: torch.cat([x[-1:].sin(), x[1:-1].sin(), 3 * x[-1:].sin()])),
        ((r"a \gets 2 a", r"a_1 \gets a_n", r"a \gets 2 a", r"a_n \gets a_1"), lambda x: torch.cat([4 * x[-1:], 4 * x[1:-1], 4 * x[-1:]])),
        ((r"a_1 \gets a_n", r"a \gets a + a", r"a_n \gets 1"), lambda x: torch.cat([2 * x[-1:], 2 * x[1:-1], torch.ones_like(x[:1])])),
    ],
)
def test_an_array_that_is_assigned_whole_keeps_its_range(lines: tuple[str, ...], wanted: Callable[[Tensor], Tensor]) -> None:
    text = procedure_of(*lines, r"\Return a", header="a", rows=(r"a_l \in \mathbb{R}, l = 1, \dots, n",))
    same_with_gradient(make(text), wanted, 4)


def test_a_family_that_is_assigned_whole_keeps_its_range() -> None:
    lines = (
        r"\For{$s = 1, \dots, n$}",
        r"\mu_s \gets a_s",
        r"\EndFor",
        r"\mu \gets 0.5 \mu + 0.1 a",
        r"\mu_n \gets \mu_n^2",
        r"\Return \mu",
    )
    module = make(procedure_of(*lines, header="a", rows=(r"a_l \in \mathbb{R}, l = 1, \dots, n",)))
    same_with_gradient(module, lambda x: torch.cat([0.6 * x[:-1], (0.6 * x[-1:]) ** 2]), 4)


def test_an_array_that_is_assigned_another_length_is_not_updated_at_the_old_end() -> None:
    rows = (r"a_l \in \mathbb{R}, l = 1, \dots, n", r"b_l \in \mathbb{R}, l = 1, \dots, m")
    module = make(procedure_of(r"a \gets 0.5 b", r"a_n \gets 2", r"\Return a", header="a, b", rows=rows))
    b = torch.tensor([2.0, 8.0, 6.0])
    assert module(torch.zeros(2), b).tolist() == [1, 2, 3]
    assert module(torch.zeros(3), b).tolist() == [1, 4, 2]
    with pytest.raises(ValueError, match=r"is inside 1 \.\. m"):
        module(torch.zeros(3), b[:2])
    rows = (r"a_l \in \mathbb{R}, l = 1, \dots, n", r"b_l \in \mathbb{R}, l = 0, \dots, n - 1")
    assert codes(procedure_of(r"a \gets 0.5 b", r"a_n \gets 2", r"\Return a", header="a, b", rows=rows)) == ["E0303"]


# ---- reserved letters before their families, numbers in sequences, arguments left alone ------------


def test_a_reserved_letter_stands_before_its_family_is_assigned() -> None:
    lines = (
        r"b \gets \sum_i e^{-z_i} + 2 \pi",
        r"\For{$i = 1, \dots, n$}",
        r"e_i \gets b z_i",
        r"\pi_i \gets 2 z_i",
        r"\EndFor",
        r"\Return (e_r + \pi_r)_{r=1}^{n}",
    )
    module = make(procedure_of(*lines, header="z", rows=(r"z_i \in \mathbb{R}, i = 1, \dots, n",)))
    same_with_gradient(module, lambda z: ((-z).exp().sum() + 2 * torch.pi + 2) * z, 4)


@pytest.mark.parametrize("first", [r"b \gets e^{-z_1}", r"b \gets 2 e"])
def test_a_reserved_letter_that_is_assigned_later_is_refused(first: str) -> None:
    text = procedure_of(first, r"e \gets b z_1", r"\Return e", header="z", rows=(r"z_i \in \mathbb{R}, i = 1, \dots, n",))
    assert codes(text) == ["E0510"]


@pytest.mark.parametrize("value", [r"\phi((g_r)_{r=1}^{K})", r"\phi(\{ g_r ; r \in \{1, \dots, K\} \})", r"0.25 \phi(2 g)", r"\phi(g)"])
def test_a_sequence_of_values_that_are_numbers_has_numbers(value: str) -> None:
    lines = (r"\phi(a) \gets \sum_k a[k] \cdot a[k]", r"\For{$k = 1, \dots, K$}", r"g_k \gets 1", r"\EndFor", rf"\Return {value} \cdot U_1")
    module = make(procedure_of(*lines, header="U", rows=(r"U_i \in \mathbb{R}, i = 1, \dots, K",)))
    same_with_gradient(module, lambda u: len(u) * u[0], 4)


def test_an_undeclared_array_whose_elements_a_function_leaves_alone_is_refused() -> None:
    alone = (r"h(\omega) \gets 2", r"v_s \gets h(c_s) \quad (s = 1, \dots, p)", r"\Return v")
    assert codes(module_of(*alone, header="c ;")) == ["E0405"]
    module = make(module_of(*alone, header="c ;", rows=(r"c_s \in \mathbb{R}, s = 1, \dots, p",)))
    same(module(numbers(2, 3)).double(), torch.full((2, 3), 2.0, dtype=torch.float64))


# ---- powers of what is updated ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (
            (
                r"g \gets \sum_{k=1}^{m} e^{x_k}",
                r"\For{$k = 1, \dots, m$}",
                r"e_k \gets g",
                r"\EndFor",
                r"e_m \gets 2",
                r"y \gets \sum_t e_t^2",
            ),
            lambda x: (len(x) - 1) * x.exp().sum() ** 2 + 4,
        ),
        (
            (r"g \gets \sum_{k=1}^{m} x_1^k", r"x_1 \gets 5 x_m", r"y \gets g + x_1^2"),
            lambda x: sum(x[0] ** k for k in (1, 2, 3, 4)) + 25 * x[-1] ** 2,
        ),
        (
            (r"a \gets 2 x_1", r"g \gets \sum_{k=1}^{m} a^k", r"a \gets x_m", r"y \gets g + a^2"),
            lambda x: sum((2 * x[0]) ** k for k in (1, 2, 3, 4)) + x[-1] ** 2,
        ),
        (
            (r"g \gets \prod_{k=1}^{m} x_k^k", r"x_m \gets 3 x_1", r"y \gets g + x_m^3"),
            lambda x: x[0] * x[1] ** 2 * x[2] ** 3 * x[3] ** 4 + 27 * x[0] ** 3,
        ),
        ((r"x_1 \gets 2 x_m", r"g \gets \sum_{k=1}^{m} x_1^k", r"y \gets g - x_1^{2}"), lambda x: sum((2 * x[-1]) ** k for k in (1, 3, 4))),
        (
            (r"a \gets x_1", r"\For{$k = 1, \dots, m$}", r"a \gets a + x_1^k", r"\EndFor", r"y \gets a^2"),
            lambda x: (x[0] + sum(x[0] ** k for k in (1, 2, 3, 4))) ** 2,
        ),
    ],
)
def test_a_power_by_an_index_is_no_family(lines: tuple[str, ...], wanted: Callable[[Tensor], Tensor]) -> None:
    text = procedure_of(*lines, r"\Return y", header="x", rows=(r"x_j \in \mathbb{R}, j = 1, \dots, m",))
    same_with_gradient(make(text), wanted, 4)


def test_a_family_by_superscripts_stays_one_beside_its_updates() -> None:
    lines = (r"h^0 \gets x", r"\For{$l = 1, \dots, 3$}", r"h^l \gets 2 h^{l-1}", r"\EndFor", r"y \gets h^3 + h^2", r"\Return y")
    same_with_gradient(make(procedure_of(*lines, header="x", rows=(r"x \in \mathbb{R}^{m}",))), lambda x: 12 * x, 4)


# ---- a letter of a loop that is over, bound again --------------------------------------------------


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"\sum_{s : s < t} e_s", lambda x: 2 * (x.cumsum(0) - x)),
        (r"\sum_{s : s \leq t} c_s e_s", lambda x: 2 * (x * x).cumsum(0)),
        (r"\sum_{s \neq t} e_s", lambda x: 2 * (x.sum() - x)),
        (r"\sum_{s=1, s \neq t}^{m} e_s", lambda x: 2 * (x.sum() - x)),
        (r"\sum_{s : e_s > e_t} 1 \cdot c_t", lambda x: (x[None] > x[:, None]).sum(1) * x),
        (r"\max_{s \in \{1, \dots, m\}} e_s - e_t", lambda x: 2 * (x.max() - x)),
    ],
)
def test_a_letter_whose_loop_is_over_is_bound_again(value: str, wanted: Callable[[Tensor], Tensor]) -> None:
    lines = (r"\For{$s = 1, \dots, m$}", r"e_s \gets 2 c_s", r"\EndFor", r"\For{$t = 1, \dots, m$}", rf"y_t \gets {value}", r"\EndFor")
    text = procedure_of(*lines, r"\Return y", header="c", rows=(r"c_j \in \mathbb{R}, j = 1, \dots, m",))
    same_with_gradient(make(text), wanted, 4)


# ---- what is not there yet --------------------------------------------------------------------------


def test_an_axis_of_a_softmax_takes_the_range_at_which_it_is_read() -> None:
    rows = (r"u_k \in \mathbb{R}, k = 1, \dots, N",)
    text = module_of(r"p \gets \softmax(u)", r"\Return \sum_{k=1}^{N} p_k u_k", header="u ;", rows=rows)
    same(make(text)(numbers(4)), (numbers(4).softmax(0) * numbers(4)).sum())


def test_an_array_from_0_that_is_assigned_whole_keeps_its_range() -> None:
    lines = (r"a \gets 0.5 a", r"a_0 \gets 2 a_n", r"\Return a")
    module = make(procedure_of(*lines, header="a", rows=(r"a_l \in \mathbb{R}, l = 0, \dots, n",)))
    same_with_gradient(module, lambda x: torch.cat([x[-1:], 0.5 * x[1:]]), 4)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"(x_1 + 2) \log(3^2)", lambda x: (x[0] + 2) * 2.1972245773362196),
        (r"x_1 \log(5)", lambda x: x[0] * 1.6094379124341003),
        (r"x_1 \log(n)", lambda x: x[0] * 1.3862943611198906),
        (r"-x_1 \cdot \log(0.3)", lambda x: x[0] * 1.2039728043259361),
        (r"x_1 \log_2(10)", lambda x: x[0] * 3.321928094887362),
        (r"\sum_i x_i \log(2 n)", lambda x: x.sum() * 2.0794415416798357),
    ],
)
def test_the_logarithm_of_a_constant_is_as_exact_as_what_it_multiplies(value: str, wanted: Callable[[Tensor], Tensor]) -> None:
    text = procedure_of(rf"\Return {value}", header="x", rows=(r"x_i \in \mathbb{R}, i = 1, \dots, n",))
    same_with_gradient(make(text), wanted, 4)


def test_an_index_and_a_size_without_a_comma_are_refused() -> None:
    rows = (r"C_{k,s} \in \mathbb{R}, k = 1, \dots, p, s = 1, \dots, p",)
    assert codes(procedure_of(r"\For{$j = 1, \dots, p$}", r"y_j \gets C_{jp}", r"\EndFor", r"\Return y", header="C", rows=rows)) != []


# ---- labelled families at an index and a size --------------------------------------------------------

LABELLED = (r"C_{q,i,l} \in \mathbb{R}, i = 1, \dots, S, l = 1, \dots, S",)


@pytest.mark.parametrize(
    ("statements", "wanted"),
    [
        ((r"y_s \gets C_{q,s,S}",), lambda c: c[:, -1]),
        ((r"y_s \gets C_{q,S,s}",), lambda c: c[-1]),
        ((r"y_s \gets C_{q,s,S} C_{q,1,s} + C_{q,s,1}",), lambda c: c[:, -1] * c[0] + c[:, 0]),
        ((r"y_s \gets \sum_{l=1}^{S} C_{q,l,S} C_{q,s,l}",), lambda c: c @ c[:, -1]),
        ((r"y_s \gets C_{q,s,S-1}",), lambda c: c[:, -2]),
        ((r"C_{q,s,S} \gets 2 C_{q,s,1}", r"y_s \gets C_{q,s,S}"), lambda c: 2 * c[:, 0]),
    ],
)
def test_an_element_of_a_labelled_family_at_an_index_and_a_size(statements: tuple[str, ...], wanted: Callable[[Tensor], Tensor]) -> None:
    loops = [line for own in statements for line in (r"\For{$s = 1, \dots, S$}", own, r"\EndFor")]
    same_with_gradient(make(procedure_of(*loops, r"\Return y", header="C_q", rows=LABELLED)), wanted, 4, 4)


def test_an_element_of_a_labelled_family_at_an_index_and_a_size_in_a_module() -> None:
    text = module_of(r"y_s \gets C_{q,s,S} + C_{q,S,s} \quad (s = 1, \dots, S)", r"\Return y", header="C_q ;", rows=LABELLED)
    same_with_gradient(make(text), lambda c: c[:, -1] + c[-1], 4, 4)


ASSIGNED = r"""\begin{algorithmic}
\Require $a_t \in \mathbb{R}, t = 1, \dots, m$
\Procedure{M}{$a$}
\State $q_{q} \gets 2 a$
\State \Return $VALUE$
\EndProcedure
\end{algorithmic}"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"q_{q,m}", lambda a: 2 * a[-1]),
        (r"q_{q,1} a", lambda a: 2 * a[0] * a),
        (r"[q_{q,m}]_{l=1}^{m}", lambda a: 2 * a[-1] + 0 * a),
        (r"\sum_{l=1}^{m} q_{q,l} a_l", lambda a: 2 * a @ a),
        (r"q_q + a_m", lambda a: 2 * a + a[-1]),
    ],
)
def test_an_element_of_a_value_with_a_letter_as_its_label(value: str, expected: Callable[[Tensor], Tensor]) -> None:
    same(make(ASSIGNED.replace("VALUE", value))(numbers(4)), expected(numbers(4)))


def test_an_element_of_a_declared_family_with_a_label_at_a_size() -> None:
    text = r"""\begin{algorithmic}
\Require $V_{x,l} \in \mathbb{R}^{T}, l = 1, \dots, T$
\Procedure{M}{$V_x$}
\For{$l \gets 1 \To T$} \State $y_l = V_{x, T, l} + 2 V_{x, l, 1}$ \EndFor
\State \Return $y$
\EndProcedure
\end{algorithmic}"""
    same(make(text)(numbers(3, 3)), numbers(3, 3)[-1] + 2 * numbers(3, 3)[:, 0])
