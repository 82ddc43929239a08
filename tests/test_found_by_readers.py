r"""What fresh readers of the language wrote and found wrong, each with relatives: small texts, their values by hand.

Reductions over ranges that depend on an index, bars and braces with two readings, parts of an axis that grow with an index, indices
beyond an example's own length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.differential import check_text
from tests.test_found_by_the_net import codes, compiled, make, module_of, numbers, procedure_of, same, same_with_gradient

EACH = r"\quad (i = 1, \dots, S)"
ROWS = (r"x \in \mathbb{R}^S",)


def rows_by_hand(step: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor], Tensor]:
    """`[step(x, 1), ..., step(x, S)]`, the index counted from 1 as written."""
    return lambda x: torch.stack([step(x, i) for i in range(1, len(x) + 1)])


def holds(text: str, wanted: Callable[[Tensor], Tensor], *shape: int, **sizes: Any) -> None:
    """The value and the gradient of one example, and the laws of batches, ragged ones too."""
    same_with_gradient(make(text, **sizes), wanted, *shape)
    assert check_text(text) == 1


# ---- reductions over ranges that depend on an index ----------------------------------------------


@pytest.mark.parametrize(
    ("expression", "step"),
    [
        (r"\operatorname{mean}_{j=1}^{i} x_j", lambda x, i: x[:i].mean()),
        (r"\operatorname{mean}(x_1, \dots, x_i)", lambda x, i: x[:i].mean()),
        (r"\operatorname{mean}(x_{1:i})", lambda x, i: x[:i].mean()),
        (r"\operatorname{mean}_{j=i}^{S} x_j", lambda x, i: x[i - 1 :].mean()),
        (r"\operatorname{mean}_{j \in \{1, \dots, i\}} x_j^2", lambda x, i: (x[:i] ** 2).mean()),
        (r"\operatorname{mean}_{j=1}^{i} \operatorname{mean}_{k=j}^{i} (x_j x_k)", None),
        (r"\operatorname{mean}_{j=1}^{i} x_i", lambda x, i: x[i - 1]),
        (r"\max_{j=1}^{i} x_j", lambda x, i: x[:i].amax()),
        (r"\min_{j=i}^{S} x_j", lambda x, i: x[i - 1 :].amin()),
        (r"\prod_{j=1}^{i} x_j", lambda x, i: x[:i].prod()),
        (r"\lVert x_{1:i} \rVert_2", lambda x, i: x[:i].norm()),
        (r"\operatorname{logsumexp}(x_1, \dots, x_i)", lambda x, i: x[:i].logsumexp(0)),
        (r"\sum_{j=1}^{i} \operatorname{softmax}_j(x_j) x_j", lambda x, i: x[:i].softmax(0) @ x[:i]),
        (r"\sum_{j=i}^{S} \operatorname{softmax}_j(x_i x_j) x_j", lambda x, i: (x[i - 1] * x[i - 1 :]).softmax(0) @ x[i - 1 :]),
    ],
)
def test_a_reduction_over_a_range_that_grows_with_an_index(expression: str, step: Callable[[Tensor, int], Tensor] | None) -> None:
    def twice(x: Tensor, i: int) -> Tensor:
        return torch.stack([(x[j - 1] * x[j - 1 : i]).mean() for j in range(1, i + 1)]).mean()

    holds(module_of(rf"y_i \gets {expression} {EACH}", r"\Return y", header="x", rows=ROWS), rows_by_hand(step or twice), 5)


def test_a_mean_over_a_window() -> None:
    text = module_of(r"y_i \gets \operatorname{mean}_{j=i-1}^{i+1} x_j \quad (i = 2, \dots, S-1)", r"\Return y", header="x", rows=ROWS)
    holds(text, lambda x: torch.stack([x[i - 1 : i + 2].mean() for i in range(1, len(x) - 1)]), 6)


def test_a_mean_over_vectors_before_an_index() -> None:
    text = module_of(
        rf"y_i \gets \operatorname{{mean}}_{{j=1}}^{{i}} X_j {EACH}", r"\Return y", header="X", rows=(r"X \in \mathbb{R}^{S \times d}",)
    )
    same_with_gradient(make(text), rows_by_hand(lambda x, i: x[:i].mean(0)), 4, 3)


def test_the_place_of_the_greatest_before_an_index() -> None:
    text = module_of(rf"y_i \gets \operatorname*{{argmax}}_{{j=1}}^{{i}} x_j {EACH}", r"\Return y", header="x", rows=ROWS)
    assert make(text)(torch.tensor([3.0, 1.0, 4.0, 1.0])).tolist() == [1, 1, 3, 3]


def test_the_mean_of_nothing_has_no_value() -> None:
    rows = (r"x_t \in \mathbb{R}, t = 1, \dots, S",)
    found = compiled(module_of(rf"y_i \gets \operatorname{{mean}}_{{j=1}}^{{i-1}} x_j {EACH}", r"\Return y", header="x", rows=rows))
    assert found.ok
    with pytest.raises(ValueError, match=r"the condition does not hold: 1 .* i - 1"):
        found.load().M()(torch.ones(3))


def test_weights_over_an_empty_range_have_the_gradient_0() -> None:
    sums = rf"y_i \gets z_i + \sum_{{j=1}}^{{i-1}} \operatorname{{softmax}}_j(x_j) x_j {EACH}"
    module = make(module_of(r"z_i \gets x_i \quad (i = 1, \dots, S)", sums, r"\Return y", header="x", rows=ROWS))

    def by_hand(x: Tensor) -> Tensor:
        return torch.stack([x[i] + (x[:i].softmax(0) @ x[:i] if i else 0.0) for i in range(len(x))])

    same_with_gradient(module, by_hand, 4)


def test_the_means_of_a_ragged_batch_have_the_gradients_of_its_examples() -> None:
    sums = rf"y_i \gets \operatorname{{mean}}_{{j=1}}^{{i}} x_j + \sum_{{j=i}}^{{S}} \operatorname{{softmax}}_j(x_j) x_j {EACH}"
    module = make(module_of(sums, r"\Return y", header="x", rows=ROWS))
    x = numbers(2, 4).requires_grad_()
    (found,) = torch.autograd.grad(module(x, lengths=torch.tensor([4, 2])).sum(), x)
    (alone,) = torch.autograd.grad(module(x[1, :2]).sum(), x)
    same(found[1], alone[1])
    assert found.isfinite().all()


# ---- bars around a matrix ------------------------------------------------------------------------

SQUARE = (r"S \in \mathbb{R}^{d \times d}", r"x \in \mathbb{R}^d")


@pytest.mark.parametrize(
    ("value", "header", "rows"),
    [
        (r"\log |S| + x^\top S x", "S, x", SQUARE),
        (r"\frac{1}{2} \log \lvert S \rvert", "S, x", SQUARE),
        (r"x^\top x + \left| S \right|^{-1}", "S, x", SQUARE),
        (r"|S| x", "x", SQUARE),
        (r"|S|", "S, x", SQUARE),
        (r"|S| + 1", "S, x", SQUARE),
        (r"|A|", "S, x", (*SQUARE, r"A \in \mathbb{R}^{3 \times 3}")),
        (r"\log |S_1|", "S_1, x", (r"S_1 \in \mathbb{R}^{d \times d}", SQUARE[1])),
    ],
)
def test_bars_around_a_square_matrix_have_two_readings(value: str, header: str, rows: tuple[str, ...]) -> None:
    found = compiled(module_of(rf"y \gets {value}", r"\Return y", header=header, rows=rows)).diagnostics
    told = [d for d in found if d.severity == "error"]
    assert [d.code for d in told] == ["E0311"]
    assert r".\mathrm{size}(1)` for the rows" in told[0].help
    assert "determinant" in told[0].message


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (r"S.\mathrm{size}(1)", r"S \in \mathbb{R}^{d \times d}"),
        (r"|S|", r"S \in \mathbb{R}^{n \times d}"),
        (r"|S|", r"S_t \in \mathbb{R}^{d}, t = 1, \dots, n"),
        (r"|\{1, \dots, d\}|", r"S \in \mathbb{R}^{d \times d}"),
        (r"|S|", r"S \in \{1, \dots, 9\}^{d \times d}"),
    ],
)
def test_the_length_of_what_is_no_square_matrix(value: str, row: str) -> None:
    module = make(module_of(rf"y \gets {value}", r"\Return y", header="S", rows=(row,)))
    assert int(module(torch.ones(3, 3, dtype=torch.int64 if "dots, 9" in row else torch.float64))) == 3


def test_the_determinant_that_bars_are_offered_as() -> None:
    text = module_of(r"y \gets \log |S| + x^\top S x", r"\Return y", header="S, x", rows=SQUARE)
    (told,) = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert text[told.span.start : told.span.end] == "|S|"
    assert "a module that is passed in, `g(S)`, for the determinant, which is not supported yet" in told.help
    rows, states = (*SQUARE, r"v \in \mathbb{R}"), (r"v \gets g(S)", r"y \gets \log v + x^\top S x")
    module = make(module_of(*states, r"\Return y", header="S, x ; g", rows=rows), g=Determinant())
    S, x = numbers(3, 3) + 2 * torch.eye(3), numbers(3)
    same(module(S, x), S.det().log() + x @ S @ x)


class Determinant(torch.nn.Module):
    def forward(self, matrix: Tensor) -> Tensor:
        return torch.linalg.det(matrix)


# ---- braces around one value ---------------------------------------------------------------------

NUMBERS = (r"a, b \in \mathbb{R}",)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"b + \left\{a + b\right\}", lambda a, b: b + (a + b)),
        (r"\frac12 \left\{ a + b \right\}", lambda a, b: (a + b) / 2),
        (r"(a+1)\left\{b+1\right\}", lambda a, b: (a + 1) * (b + 1)),
        (r"\Big\{a + b\Big\}(a - b)", lambda a, b: (a + b) * (a - b)),
        (r"\{a + b\}\{a - b\}", lambda a, b: (a + b) * (a - b)),
        (r"-\{a + b\} - \{a - b\} b", lambda a, b: -(a + b) - (a - b) * b),
        (r"\frac{\{a + b\}}{\{1 + a^2\}}", lambda a, b: (a + b) / (1 + a**2)),
        (r"\sqrt{\{1 + a^2\}} b", lambda a, b: (1 + a**2).sqrt() * b),
        (r"2 \{\{a + b\} b + 1\}", lambda a, b: 2 * ((a + b) * b + 1)),
        (r"\exp\{a + b\} + \{a\} \cdot b", lambda a, b: (a + b).exp() + a * b),
        (r"\sum_{i=1}^{2} \{a + i b\}", lambda a, b: 2 * a + 3 * b),
        (r"\max\{a, b\} \{a + b\}", lambda a, b: torch.maximum(a, b) * (a + b)),
    ],
)
def test_braces_beside_an_operator_are_a_parenthesis(value: str, wanted: Callable[[Tensor, Tensor], Tensor]) -> None:
    module = make(module_of(rf"y \gets {value}", r"\Return y", header="a, b", rows=NUMBERS))
    a, b = numbers(2).requires_grad_()
    same(module(a, b), wanted(a, b))
    for ours, theirs in zip(torch.autograd.grad(module(a, b), (a, b)), torch.autograd.grad(wanted(a, b), (a, b)), strict=True):
        same(ours, theirs)


@pytest.mark.parametrize(
    "value",
    [
        r"\{a + b\}^2",
        r"b - \Big\{a + b\Big\}^2",
        r"\frac{1}{2} \left\{ a - b \right\}^{2}",
        r"\{a\}^2 + b",
        r"\frac{\{a\, b\}^2}{2}",
        r"\sqrt{\{a - b\}^2}",
        r"-\{a\}^3",
    ],
)
def test_a_power_of_braces_has_two_readings(value: str) -> None:
    told = [
        d for d in compiled(module_of(rf"y \gets {value}", r"\Return y", header="a, b", rows=NUMBERS)).diagnostics if d.severity == "error"
    ]
    assert [d.code for d in told] == ["E0304"]
    assert "for the power" in told[0].help


def test_what_the_help_of_a_power_of_braces_says() -> None:
    module = make(module_of(r"y \gets b - (a + b)^{2}", r"\Return y", header="a, b", rows=NUMBERS))
    a, b = numbers(2)
    same(module(a, b), b - (a + b) ** 2)
    module = make(module_of(r"v \gets a + b", r"w \gets \{v\}^{2}", r"\Return w", header="a, b", rows=NUMBERS))
    same(module(a, b), torch.stack([a + b, a + b]))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"\{a\}^{2}", [2.0, 2.0]),
        (r"\{-a\}^2", [-2.0, -2.0]),
        (r"\{a + b\}^1", [5.0]),
        (r"\{a + b\}^2 || \{a\}^2", [5.0, 5.0, 2.0, 2.0]),
        (r"\cat{\{a + b\}^2, \{1\}^1}", [5.0, 5.0, 1.0]),
        (r"\{0\}^3 + a", [2.0, 2.0, 2.0]),
        (r"\{a, b\} + 1", [3.0, 4.0]),
        (r"\{2 s ; s \in \{a, b\}\}", [4.0, 6.0]),
        (r"\{a + b\}", [5.0]),
    ],
)
def test_braces_that_are_a_list(value: str, wanted: list[float]) -> None:
    module = make(module_of(rf"y \gets {value}", r"\Return y", header="a, b", rows=NUMBERS))
    assert module(torch.tensor(2.0), torch.tensor(3.0)).tolist() == wanted


def test_the_square_of_a_sum_in_braces_is_asked_about() -> None:
    text = module_of(r"y \gets b - \{a + b\}^2", r"\Return y", header="a, b", rows=NUMBERS)
    (told,) = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert (told.code, text[told.span.start : told.span.end]) == ("E0304", r"\{a + b\}^2")
    assert r"write `(a + b)^{2}` for the power, or `v \gets a + b` and `w \gets \{v\}^{2}` for the list" in told.help
    power = make(module_of(r"y \gets b - (a + b)^{2}", r"\Return y", header="a, b", rows=NUMBERS))
    assert float(power(torch.tensor(2.0), torch.tensor(3.0))) == -22.0
    listed = make(module_of(r"v \gets a + b", r"w \gets \{v\}^{2}", r"\Return w", header="a, b", rows=NUMBERS))
    assert listed(torch.tensor(2.0), torch.tensor(3.0)).tolist() == [5.0, 5.0]


# ---- parts of an axis that grow with an index ----------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        rf"a_i \gets x_{{1:i}} {EACH}",
        rf"a_i \gets \softmax(x_{{1:i}}) {EACH}",
        rf"a_i \gets \softmax(x_{{1:i}} x_i) {EACH}",
        rf"a_i \gets \cat{{x_1, \dots, x_i}} {EACH}",
        rf"a_i \gets \{{x_1, \dots, x_i\}} {EACH}",
        rf"a_i \gets \sum_{{j=1}}^{{i}} \softmax(x + x_j)_j x_j {EACH}",
        rf"a_i \gets \operatorname{{concat}}(x_{{1:i}}, x_{{i:S}}) {EACH}",
    ],
)
def test_an_array_whose_length_depends_on_an_index_is_refused(statement: str) -> None:
    found = compiled(module_of(statement, r"\Return a", header="x", rows=ROWS)).diagnostics
    told = [d for d in found if d.severity == "error"]
    assert [d.code for d in told] == ["E0701"]
    assert "depends on the index `i`" in told[0].message
    assert "reduce its parts where they stand" in told[0].help


def test_a_part_that_a_loop_names_is_refused() -> None:
    text = procedure_of(
        r"\For{$i = 1, \dots, S$}", r"a \gets x_{1:i}", r"b_i \gets \operatorname{sum}(a)", r"\EndFor", r"\Return b", header="x", rows=ROWS
    )
    assert codes(text) == ["E0701"]


def test_what_the_help_of_a_growing_part_says() -> None:
    zeros = r"a_{i,j} \gets x_j \mathbb{1}[j \leq i] \quad (i = 1, \dots, S, j = 1, \dots, S)"
    same_with_gradient(make(module_of(zeros, r"\Return a", header="x", rows=ROWS)), lambda x: (x * torch.ones(4, 4).double()).tril(), 4)
    named = module_of(r"w \gets \softmax(x)", rf"a_i \gets \sum_{{j=1}}^{{i}} w_j x_j {EACH}", r"\Return a", header="x", rows=ROWS)
    same_with_gradient(make(named), lambda x: (x.softmax(0) * x).cumsum(0), 4)


@pytest.mark.parametrize(
    "expression",
    [
        r"\softmax(X_{1:i} X_i)^\top X_{1:i}",
        r"\sum_{j=1}^{i} \operatorname{softmax}_j(X_i \cdot X_j) X_j",
    ],
)
def test_attention_to_what_came_before(expression: str) -> None:
    text = module_of(rf"y_i \gets {expression} {EACH}", r"\Return y", header="X", rows=(r"X \in \mathbb{R}^{S \times d}",))
    holds(text, rows_by_hand(lambda x, i: (x[:i] @ x[i - 1]).softmax(0) @ x[:i]), 4, 3)


@pytest.mark.parametrize("weight", [r"\softmax(x)_j", r"\softmax(x)[j]", r"\softmax_j(x_j)"])
def test_weights_that_are_read_where_they_grow(weight: str) -> None:
    text = module_of(
        rf"a_i \gets \sum_{{j=1}}^{{i}} {weight} x_j {EACH}", r"\Return a", header="x", rows=(r"x_j \in \mathbb{R}, j = 1, \dots, S",)
    )
    if "_j(" in weight:  # over the range of the sum
        holds(text, rows_by_hand(lambda x, i: x[:i].softmax(0) @ x[:i]), 4)
    else:
        holds(text, lambda x: (x.softmax(0) * x).cumsum(0), 4)


# ---- indices beyond an example's own length ------------------------------------------------------


@pytest.mark.parametrize("statements", [(r"\Return x[k]",), (r"y_i \gets \sum_{j=1}^{i} x_j \quad (i = 1, \dots, n)", r"\Return y[k]")])
def test_an_index_into_the_padding_raises(statements: tuple[str, ...]) -> None:
    rows = (r"x \in \mathbb{R}^n", r"k \in \mathbb{N}")
    module = make(module_of(r"s_i \gets x_i^2 \quad (i = 1, \dots, n)", *statements, header="x, k", rows=rows))
    x, lengths = numbers(2, 4), torch.tensor([4, 2])
    alone = torch.stack([module(x[0], torch.tensor(4)), module(x[1, :2], torch.tensor(2))])
    same(module(x, torch.tensor([4, 2]), lengths=lengths), alone)
    for beyond in (3, 4):
        with pytest.raises(ValueError, match="k: expected indices"):
            module(x, torch.tensor([1, beyond]), lengths=lengths)


@pytest.mark.parametrize(
    ("functions", "value"),
    [
        (r"f(A) \gets \log |A|", "f(S)"),
        (r"f(A) \gets |2 A|", "f(S)"),
        (r"f(S) \gets \log|S|", "f(S)"),
        (r"f(A) \gets g(A) \\ g(B) \gets |B|", "f(S)"),
        (r"f(A, u) \gets \frac{1}{2} \log |A| + u^\top A u", "f(S, x)"),
        (r"f(\mathbf{a}) \gets |\mathbf{a}|", "f(x)"),
    ],
)
def test_bars_around_an_argument_that_is_an_array_are_asked_about(functions: str, value: str) -> None:
    text = rf"{functions} \\" + "\n" + module_of(rf"\Return {value}", header="S, x", rows=SQUARE)
    told = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert [(d.code, "its norm" in d.message) for d in told] == [("E0311", True)]


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        (r"f(a) \gets |a|", "f(x)", lambda s, x: x.abs()),
        (r"f(a) \gets \frac{a + |a|}{2}", "f(S)", lambda s, x: s.relu()),
        (r"f(A) \gets |A|", "f(x_i) \\quad i = 1, \\dots, d", lambda s, x: x.abs()),
        (r"f(A) \gets \sum_{i,j} |A_{ij}|", "f(S)", lambda s, x: s.abs().sum()),
        (r"f(\mathbf{a}, \mathbf{b}) \gets |\mathbf{a}^\top \mathbf{b}|", "f(x, -x)", lambda s, x: x @ x),
    ],
)
def test_bars_around_an_argument_that_is_a_number(function: str, value: str, expected: Any) -> None:
    head = "y_i" if "quad" in value else "y"
    text = rf"{function} \\" + "\n" + module_of(rf"{head} \gets {value}", r"\Return y", header="S, x", rows=SQUARE)
    same(make(text)(numbers(3, 3), numbers(3)), expected(numbers(3, 3), numbers(3)))


@pytest.mark.parametrize("value", ["|x|", r"\frac{1}{|x|} \sum_{i=1}^{n} x_i"])
def test_bars_around_a_family_of_numbers_are_asked_about(value: str) -> None:
    text = module_of(rf"\Return {value}", header="x", rows=(r"x_i \in \mathbb{R}, i = 1, \dots, n",))
    assert [d.code for d in compiled(text).diagnostics if d.severity == "error"] == ["E0311"]


@pytest.mark.parametrize("row", [r"x_i \in \mathbb{R}^2, i = 1, \dots, n", r"x \in \{1, \dots, 5\}^n"])
def test_bars_around_a_sequence_are_its_length(row: str) -> None:
    x = torch.ones(3, 2).double() if "R" in row else torch.tensor([1, 2, 3])
    assert int(make(module_of(r"\Return |x|", header="x", rows=(row,)))(x)) == 3


@pytest.mark.parametrize(
    "value",
    [
        r"\sum_i y[i] * x[i] + (1 - y[i]) * x[i]",
        r"\sum_i y_i x_i + i",
        r"\sum_{i=1}^{n} x_i / i + 2 i",
        r"\prod_k (1 + x_k) + k",
        r"\max_j x_j + x[j]",
        r"\{2 x_t ; t \in \{1, \dots, n\}\} + t",
    ],
)
def test_an_index_behind_its_sum_is_no_setting(value: str) -> None:
    text = module_of(rf"\Return {value}", header="x, y", rows=(r"x_i, y_i \in \mathbb{R}, i = 1, \dots, n",))
    assert {d.code for d in compiled(text).diagnostics if d.severity == "error"} == {"E0301"}


@pytest.mark.parametrize(
    "value",
    [r"S^\top_{1,2}", r"S_{1,2}^\top", r"\sum_{i,j} S^\top_{ij} S_{ij}", r"S^{-1}_{1,2}", r"\sum_{i=1}^{d} \sum_{j=1}^{d} S_{i,j}^{-1}"],
)
def test_a_superscript_on_an_element_of_a_matrix_is_asked_about(value: str) -> None:
    text = module_of(rf"\Return {value} + x \cdot x", header="S, x", rows=(r"S_{i,j} \in \mathbb{R}, i, j = 1, \dots, d", SQUARE[1]))
    assert "E0304" in [d.code for d in compiled(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"(S^\top)_{1,2}", lambda s, x: s[1, 0]),
        (r"\frac{1}{S_{1,2}}", lambda s, x: 1 / s[0, 1]),
        (r"S_{1,2}^2", lambda s, x: s[0, 1] ** 2),
        (r"S_1^\top S_2", lambda s, x: s[0] @ s[1]),
        (r"S_{1,2}^{-2}", lambda s, x: s[0, 1] ** -2),
    ],
)
def test_a_superscript_on_an_element_that_has_one_reading(value: str, expected: Any) -> None:
    text = module_of(rf"\Return {value}", header="S, x", rows=(r"S_{i,j} \in \mathbb{R}, i, j = 1, \dots, d", SQUARE[1]))
    same(make(text)(numbers(3, 3), numbers(3)), expected(numbers(3, 3), numbers(3)))


@pytest.mark.parametrize("operation", [r"\operatorname{mean}", r"\max", r"\min", r"\operatorname{sum}", r"\arg\max"])
def test_a_reduction_of_a_matrix_is_asked_about(operation: str) -> None:
    text = module_of(rf"\Return {operation}(S)", header="S, x", rows=SQUARE)
    assert "E0409" in [d.code for d in compiled(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize("arguments", ["S, x", "x, S", "S, S_{0,:}"])
def test_a_matrix_for_one_of_two_vectors_is_asked_about(arguments: str) -> None:
    text = module_of(r"f(u, w) \gets \sum_j u_j w_j", rf"\Return f({arguments})", header="S, x", rows=SQUARE)
    assert [d.code for d in compiled(text).diagnostics if d.severity == "error"] == ["E0409"]


SQUARES = (r"A_{i,j} \in \mathbb{R}, i, j = 1, \dots, n", r"v_i \in \mathbb{R}, i = 1, \dots, n")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (r"A^\top_{:,1}", "E0304"),
        (r"\sum_{i,j} A^2_{ij}", "E0304"),
        (r"\sum_{i,j} A^3_{ij}", "E0304"),
        (r"\sum_{i=1}^{n} i \, v(i)", "E0409"),
        (r"\sum_{i=1}^{n} v (1 - i)", "E0409"),
        (r"v(2)", "E0409"),
    ],
)
def test_what_two_readers_read_in_two_ways_is_asked_about(value: str, code: str) -> None:
    text = module_of(rf"\Return {value}", header="A, v", rows=SQUARES)
    assert [d.code for d in compiled(text).diagnostics if d.severity == "error"] == [code]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"\sum_{i,j} A_{ij}^2", lambda a, v: (a**2).sum()),
        (r"(A^\top)_{:,1}", lambda a, v: a[0]),
        (r"A_{:,1}^\top v", lambda a, v: a[:, 0] @ v),
        (r"(A^2)_{1,2}", lambda a, v: (a @ a)[0, 1]),
        (r"\sum_{i=1}^{n} i \, v_i", lambda a, v: (torch.arange(1, 4) * v).sum()),
        (r"\sum_{i=1}^{n} (1 - i) v_i", lambda a, v: ((1 - torch.arange(1, 4)) * v).sum()),
        (r"v (1 + v_1)", lambda a, v: v * (1 + v[0])),
    ],
)
def test_what_has_one_reading_stays(value: str, expected: Any) -> None:
    same(make(module_of(rf"\Return {value}", header="A, v", rows=SQUARES))(numbers(3, 3), numbers(3)), expected(numbers(3, 3), numbers(3)))


@pytest.mark.parametrize("name", ["h", "v"])
def test_a_name_that_nothing_reads_may_be_an_element(name: str) -> None:
    before = () if name == "v" else (r"h \gets 2 v",)
    text = module_of(*before, rf"{name}_1 \gets 0", rf"\Return {name}", header="A, v", rows=(SQUARES[0], r"v \in \mathbb{R}^n"))
    assert "E0303" in [d.code for d in compiled(text).diagnostics if d.severity == "error"]


def test_names_with_numbers_that_are_read_stay_names() -> None:
    text = module_of(r"h_1 \gets 2 v", r"h_2 \gets h_1 + 1", r"h \gets h_1 + h_2", r"\Return h", header="v", rows=(r"v \in \mathbb{R}^n",))
    same(make(text)(numbers(3)), 4 * numbers(3) + 1)


def test_a_kronecker_delta_is_no_parameter() -> None:
    loops = (r"\For{$i = 1, \dots, n$}", r"\For{$j = 1, \dots, n$}", r"J_{i,j} \gets v_i (\delta_{ij} - v_j)", r"\EndFor", r"\EndFor")
    text = procedure_of(*loops, r"\Return J", header="v", rows=(r"v \in \mathbb{R}^n",))
    (found,) = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert found.code == "E0301"
    same(make(text.replace(r"\delta_{ij}", r"\mathbb{1}[i = j]"))(numbers(3)), numbers(3).diag() - torch.outer(numbers(3), numbers(3)))


def test_an_element_at_a_fixed_place_under_a_sum_to_an_index() -> None:
    rows = (r"x_{t,k} \in \mathbb{R}, t = 1, \dots, T, k = 1, \dots, d",)
    text = module_of(r"y_t \gets \sum_{s=1}^{t} x_{s,1} \quad (t = 1, \dots, T)", r"\Return y", header="x", rows=rows)
    same(make(text)(numbers(4, 2)), numbers(4, 2)[:, 0].cumsum(0))
    assert check_text(text) == 1


# ---- ordinary programs that were refused ----------------------------------------------------------

NOTATIONS = pytest.mark.parametrize("of", [module_of, procedure_of])


@NOTATIONS
@pytest.mark.parametrize("is_defined", [False, True])
@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"\sigma_1 a", lambda s, r, a: s * a),
        (r"\sigma_1 \sigma_{in} a^2", lambda s, r, a: s * r * a**2),
        (r"\sigma_1 (a + 2)", lambda s, r, a: s * (a + 2)),
        (r"2 \sigma_{in}^2", lambda s, r, a: 2 * r**2),
        (r"\sigma_1^2 (a + 1)", lambda s, r, a: s**2 * (a + 1)),
        (r"\sigma(\sigma_1 a) \sigma_{in}", lambda s, r, a: torch.sigmoid(s * a) * r),
        (
            r"\log \frac{\sigma_{in}}{\sigma_1} + \frac{\sigma_1^2 + a^2}{2 \sigma_{in}^2}",
            lambda s, r, a: (r / s).log() + (s**2 + a**2) / (2 * r**2),
        ),
    ],
)
def test_a_letter_of_a_function_with_a_label_is_a_name(of: Any, is_defined: bool, value: str, wanted: Any) -> None:
    given = (r"s", r"r", "a") if is_defined else (r"\sigma_1", r"\sigma_{in}", "a")
    first = (r"\sigma_1 \gets s", r"\sigma_{in} \gets r") if is_defined else ()
    text = of(*first, rf"\Return {value}", header=", ".join(given), rows=(rf"{', '.join(given)} \in \mathbb{{R}}",))
    values = [torch.tensor(number, dtype=torch.float64) for number in (0.7, 1.3, -0.4)]
    same(make(text)(*values), wanted(*values))
    same(make(text.replace(r"\sigma_1", r"\Gamma_1"))(*values), wanted(*values))
    assert check_text(text) == 1


@NOTATIONS
@pytest.mark.parametrize("names", [r"\pi_k, \mu_k, s_k", "a_k, b_k, c_k", r"W_{Q,k}, \hat{m}_k, s_k"])
@pytest.mark.parametrize("in_header", [False, True])
def test_a_header_that_spells_arrays_as_their_row_does_names_them(of: Any, names: str, in_header: bool) -> None:
    a, b, c = names.replace("Q,k", "Q|k").split(", ")
    value = rf"\Return \sum_{{k=1}}^K {a} \exp(-\frac{{{b}^2}}{{2 {c}^2}})".replace("Q|k", "Q,k")
    header = names if in_header else names.replace("_{Q,k}", "_{Q}").replace("_k", "")
    text = of(value, header=header, rows=(rf"{names} \in \mathbb{{R}}, k = 1, \dots, K",))
    p, m, s = numbers(3), numbers(3) - 0.2, numbers(3) + 1
    same(make(text)(p, m, s), (p * torch.exp(-(m**2) / (2 * s**2))).sum())
    assert check_text(text) == 1


@NOTATIONS
@pytest.mark.parametrize("value", ["A + I_n", "A + I", "I_n + A", "A - 2 I_n", "I_n"])
@pytest.mark.parametrize("first", [0, 1])
def test_an_identity_beside_an_array_tells_nothing_of_its_first_index(of: Any, value: str, first: int) -> None:
    last = ("n-1", "n")[first]
    sums = rf"y_i \gets \sum_{{j={first}}}^{{{last}}} j B_{{ij}} \quad (i = {first}, \dots, {last})"
    text = of(rf"B \gets {value}", sums, r"\Return y^\top A", header="A", rows=(r"A \in \mathbb{R}^{n \times n}",))
    a, identity = numbers(3, 3), torch.eye(3, dtype=torch.float64)
    b = {"A - 2 I_n": a - 2 * identity, "I_n": identity}.get(value, a + identity)
    same(make(text)(a), b @ torch.arange(first, first + 3).double() @ a)
    assert check_text(text) == 1


@NOTATIONS
@pytest.mark.parametrize("label", [r"\max", r"\min", r"\star", r"\ast", "*", "+", r"\infty", r"\top"])
def test_a_sign_or_an_operator_below_a_name_is_a_label(of: Any, label: str) -> None:
    lines = (
        rf"x_{{{label}}} \gets \max_i x_i",
        rf"y_i \gets x_i - x_{{{label}}} \quad (i = 1, \dots, n)",
        rf"\Return y + x_{{{label}}} x_1",
    )
    text = of(*lines, header="x", rows=(r"x_i \in \mathbb{R}, i = 1, \dots, n",))
    holds(text, lambda x: x - x.max() + x.max() * x[0], 4)


@NOTATIONS
@pytest.mark.parametrize("value", ["b (|a| - 1)", "b (1 + |a|)", "b (|a|)", "b (|a - 1|)"])
def test_bars_around_an_argument_behind_a_number_are_no_index(of: Any, value: str) -> None:
    rows = (r"x, y \in \mathbb{R}^n", r"b \in \mathbb{R}")
    text = of(rf"f(a) \gets {value}", r"\Return \sum_{i=1}^n f(x_i - y_i)", header="x, y, b", rows=rows)
    x, y, b = numbers(3), numbers(3, 1)[:, 0] ** 2, torch.tensor(1.7, dtype=torch.float64)
    a = x - y
    of_each = {"b (|a| - 1)": a.abs() - 1, "b (1 + |a|)": 1 + a.abs(), "b (|a|)": a.abs(), "b (|a - 1|)": (a - 1).abs()}[value]
    same(make(text)(x, y, b), (b * of_each).sum())
    assert check_text(text) == 1


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"f(t) (1 - f(t))", lambda t: torch.sigmoid(t) * (1 - torch.sigmoid(t))),
        (r"t (1 - t)", lambda t: t * (1 - t)),
        (r"e^{-t} \cos(t) t^2", lambda t: torch.exp(-t) * torch.cos(t) * t**2),
    ],
)
def test_the_only_argument_of_a_function_is_a_number_where_its_products_leave_it_open(value: str, wanted: Any) -> None:
    text = (
        rf"f(t) = \frac{{1}}{{1+e^{{-t}}}} \\ g(t) = {value} \\"
        + "\n"
        + module_of(r"\Return g(x) + g(1)", header="x", rows=(r"x \in \mathbb{R}",))
    )
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    x, one = numbers(4), torch.ones((), dtype=torch.float64)
    same(result.load().M()(x), wanted(x) + wanted(one))
    same(result.load().g(x), wanted(x))


@pytest.mark.parametrize("value", [r"\softmax(x) (1 - x)", r"x (1 - x) + \sum_{i=1}^n x_i", r"x (1 - x) + x^\top x"])
def test_an_argument_that_is_a_vector_elsewhere_is_asked_about(value: str) -> None:
    assert codes(rf"g(x) = {value} \\") == ["E0410"]
