r"""Notation that was read as something else without a word: each with its value in plain torch, or the words of its refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.differential import check_text

VECTORS = r"x, y \in \mathbb{R}^{n} & vectors \\ c \in \mathbb{R} & a number \\"


def program(header: str, *rows: str, where: str = "") -> str:
    lines = "".join(rf"{row} \\" + "\n" for row in rows)
    table = f"\\begin{{where}}\n{where}\n\\end{{where}}\n" if where else ""
    return f"\\Module{{M}}{{{header}}}\n{lines}{table}\\EndModule\n"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def value_of(text: str, sizes: Mapping[str, int], parameters: Mapping[str, Tensor], inputs: tuple[Any, ...], name: str = "M") -> Any:
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    made = getattr(result.load(), name)(**sizes).double().eval()
    made.load_state_dict(dict(parameters))
    return made(*inputs)


def errors_of(text: str) -> list[tuple[str, str, str]]:
    found = compiled(text).diagnostics
    return [(d.code, d.message, d.help) for d in found if d.severity == "error"]


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


X, Y, C = random(4, seed=1), random(4, seed=2), torch.tensor(0.7, dtype=torch.float64)

BRACKETED: list[tuple[str, Callable[[Tensor, Tensor, Tensor], Tensor]]] = [
    (r"-[ x + 1 ]", lambda x, y, c: -(x + 1)),
    (r"2\Big[ x + y \Big]^2", lambda x, y, c: 2 * (x + y) ** 2),
    (r"\frac{1}{2}[x + 1] + y", lambda x, y, c: (x + 1) / 2 + y),
    (r"\frac{1}{2} \left[ x + 1 \right] + y", lambda x, y, c: (x + 1) / 2 + y),
    (r"\exp\left[ x + 1 \right]", lambda x, y, c: (x + 1).exp()),
    (r"\exp[ x ]^2 + y", lambda x, y, c: x.exp() ** 2 + y),
    (r"y + \left[ x + 1 \right]", lambda x, y, c: y + x + 1),
    (r"\sqrt{2}[x + y]", lambda x, y, c: 2**0.5 * (x + y)),
    (r"10^{-3}[x + y]", lambda x, y, c: (x + y) / 1000),
    (r"3 [x - y]", lambda x, y, c: 3 * (x - y)),
    (r"([x + y])", lambda x, y, c: x + y),
    (r"[1 - c] x", lambda x, y, c: (1 - c) * x),
    (r"x \odot [1 - x]", lambda x, y, c: x * (1 - x)),
    (r"[1 - [x - y]] / [1 + c^2]", lambda x, y, c: (1 - (x - y)) / (1 + c**2)),
    (r"[x + y]^\top y", lambda x, y, c: (x + y) @ y),
    (r"\log_2[1 + x^2]", lambda x, y, c: (1 + x**2).log2()),
    (r"\softmax\left[ x + y \right]", lambda x, y, c: (x + y).softmax(0)),
    (r"\sigma[ x - y ] + 1", lambda x, y, c: (x - y).sigmoid() + 1),
    (r"\operatorname{softplus}\left[ x \right]", lambda x, y, c: torch.nn.functional.softplus(x)),
    (r"\sum_{i} [x_i + y_i]^2", lambda x, y, c: ((x + y) ** 2).sum()),
    (r"c \cdot [x + y]", lambda x, y, c: c * (x + y)),
    (r"\left[ -x \right] + \{c\}^n", lambda x, y, c: -x + c),
    (r"x + [c - 1]", lambda x, y, c: x + c - 1),
    (r"\frac{[x + y]}{[1 + c^2]}", lambda x, y, c: (x + y) / (1 + c**2)),
]


@pytest.mark.parametrize(("formula", "expected"), BRACKETED)
def test_square_brackets_around_one_item_are_a_parenthesis(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c", rf"\Return {formula}", where=VECTORS)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y, C)), expected(X, Y, C))
    check_text(text)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"[x, y]", lambda x, y: torch.cat([x, y])),
        (r"\br{x}", lambda x, y: [x]),
        (r"[x_i^2]_{i=0}^{n-1}", lambda x, y: x**2),
        (r"x[1] + y[0]", lambda x, y: x[1] + y[0]),
        (r"(x + y)[1]", lambda x, y: (x + y)[1]),
        (r"\sum_{i \in [n]} x_i y_i", lambda x, y: (x * y).sum()),
        (r"\softmax[x, y]", lambda x, y: torch.cat([x, y]).softmax(0)),
        (r"\mathbb{1}[x[0] > 0] + y", lambda x, y: (x[0] > 0) + y),
    ],
)
def test_lists_indices_and_ranges_keep_their_brackets(formula: str, expected: Callable[..., Tensor]) -> None:
    elements = r"x_i, y_i \in \mathbb{R}, i = 1, \dots, n & numbers \\"
    rows = elements if r"\in [n]" in formula else r"x, y \in \mathbb{R}^{n} & vectors \\"
    torch.testing.assert_close(value_of(program("x, y", rf"\Return {formula}", where=rows), {}, {}, (X, Y)), expected(X, Y))


@pytest.mark.parametrize(
    ("formula", "code", "word"),
    [
        (r"[x \; y]", "E0210", "comma"),
        (r"[c c]", "E0210", "comma"),
        (r"2 [x_{1} y_{1}]", "E0210", "comma"),
        (r"[1 \quad 2]", "E0210", "comma"),
        (r"[\mathbf{x} ~ y]", "E0210", "comma"),
        (r"c [x, y]", "E0210", "(..) c"),
        (r"(c + 1)^2 [x, y]", "E0210", "(..) (..)^2"),
        (r"\max[x, y]", "E0409", r"\max(x, y)"),
        (r"\min\left[x, y\right]", "E0409", r"\min(x, y)"),
    ],
)
def test_brackets_with_two_readings_are_refused(formula: str, code: str, word: str) -> None:
    ((found, _, help_text),) = errors_of(program("x, y, c", rf"\Return {formula}", where=VECTORS))
    assert found == code
    assert word in help_text


def test_brackets_in_the_products_of_a_loop_of_the_algorithm_notation() -> None:
    text = r"""\Procedure{M}{$x \in \mathbb{R}^{n}, s \in \mathbb{R}$}
\State $a \gets 0$
\For{$i \in [n]$}
\State $a \gets a + \frac{1}{2} \left[ x_i - s \right]^2$
\EndFor
\State \Return $a$
\EndProcedure
"""
    torch.testing.assert_close(value_of(text, {}, {}, (X, C)), ((X - C) ** 2).sum() / 2)


GIVEN = VECTORS + "\n" + r"Q \in \mathbb{R}^{n \times n} & a matrix \\"
Q = random(4, 4, seed=3)

COVECTORS: list[tuple[str, Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]]] = [
    (r"\frac{1}{2} x^\top Q x", lambda x, y, c, q: x @ q @ x / 2),
    (r"2 x^\top y", lambda x, y, c, q: 2 * x @ y),
    (r"-\frac{1}{2} x^\top y", lambda x, y, c, q: -x @ y / 2),
    (r"c x^\top Q", lambda x, y, c, q: c * x @ q),
    (r"x^\top c Q y", lambda x, y, c, q: c * x @ q @ y),
    (r"2 c x^\top Q^\top Q y", lambda x, y, c, q: 2 * c * x @ q.T @ q @ y),
    (r"\frac{1}{2} (x - y)^\top Q (x - y)", lambda x, y, c, q: (x - y) @ q @ (x - y) / 2),
    (r"(x^\top + y^\top) Q", lambda x, y, c, q: (x + y) @ q),
    (r"\frac{x^\top}{c} y", lambda x, y, c, q: x @ y / c),
    (r"(-x^\top) y", lambda x, y, c, q: -x @ y),
    (r"c x y^\top", lambda x, y, c, q: c * torch.outer(x, y)),
    (r"x c y^\top", lambda x, y, c, q: c * torch.outer(x, y)),
    (r"Q^\top x y^\top", lambda x, y, c, q: torch.outer(q.T @ x, y)),
    (r"Q x (Q y)^\top", lambda x, y, c, q: torch.outer(q @ x, q @ y)),
    (r"(\sum_{k=1}^{3} k x^\top) Q", lambda x, y, c, q: 6 * x @ q),
    (r"\exp(-\frac{1}{2} (x - y)^\top Q (x - y))", lambda x, y, c, q: (-(x - y) @ q @ (x - y) / 2).exp()),
]


@pytest.mark.parametrize(("formula", "expected"), COVECTORS)
def test_a_factor_that_is_a_number_keeps_the_transpose_behind_it(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c, Q", rf"\Return {formula}", where=GIVEN)
    inputs = [value.clone().requires_grad_() for value in (X, Y, C, Q)]
    found, wanted = value_of(text, {}, {}, tuple(inputs)), expected(*inputs)
    torch.testing.assert_close(found, wanted)
    used = torch.autograd.grad(found.sum(), inputs, allow_unused=True)
    for one, other in zip(used, torch.autograd.grad(wanted.sum(), inputs, allow_unused=True), strict=True):
        torch.testing.assert_close(one, other)


def test_a_matrix_transposed_gives_no_row() -> None:
    ((code, _, help_text),) = errors_of(program("x, y, c, Q", r"\Return Q^\top x y + c", where=GIVEN))
    assert (code, r"x \cdot y" in help_text) == ("E0410", True)


FAMILY = r"x_i, y_i \in \mathbb{R}, i = 1, \dots, n & numbers \\"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\sum_{i=1} x_i", lambda x, y: x.sum()),
        (r"\sum_{i=2} x_i y_i", lambda x, y: (x * y)[1:].sum()),
        (r"\prod_{i=2} x_i", lambda x, y: x[1:].prod()),
        (r"\prod_{i=3} (1 + x_i)^2", lambda x, y: ((1 + x[2:]) ** 2).prod()),
        (r"\sum^{2}_{i} x_i", lambda x, y: x[:2].sum()),
        (r"\sum^{n-1}_{i} x_i y_i", lambda x, y: (x * y)[:-1].sum()),
        (r"\max_{i=2} x_i", lambda x, y: x[1:].max()),
        (r"\operatorname{mean}_{i=2} x_i", lambda x, y: x[1:].mean()),
        (r"\sum_{i=1} \sum_{j=2} x_i y_j", lambda x, y: x.sum() * y[1:].sum()),
        (r"\log \sum_{i=1} \exp(x_i)", lambda x, y: x.logsumexp(0)),
        (r"x_1 + \sum_{k=2} \frac{x_k}{k}", lambda x, y: sum(x[k] / (k + 1) for k in range(4))),
    ],
)
def test_a_bound_that_is_missing_is_that_of_the_axes(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y", rf"\Return {formula} + 0 y_1 x_1", where=FAMILY)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y)), expected(X, Y))
    if "=1" in formula:  # of fewer than two numbers the others have no value
        check_text(text)


@pytest.mark.parametrize("formula", [r"\sum^{2} x", r"\sum_{i \in \{1, 2\}}^{3} x_i", r"\prod^{n} x"])
def test_an_upper_bound_of_no_index_is_refused(formula: str) -> None:
    ((code, message, help_text),) = errors_of(program("x, y", rf"\Return {formula} + y_1", where=FAMILY))
    assert (code, "no index" in message, r"\sum_{i=1}^{n}" in help_text) == ("E0505", True, True)


@pytest.mark.parametrize(
    "rows",
    [
        "x \\in \\mathbb{R}^n & the input\nW \\in \\mathbb{R}^{n \\times n} & the weights \\\\",
        "x \\in \\mathbb{R}^n & the input W \\in \\mathbb{R}^{n \\times n} \\\\",
        "x \\in \\mathbb{R}^n & the input of $n$ numbers\n  W \\in \\mathbb{R}^{n \\times n}",
        "x \\in \\mathbb{R}^n & the input\nk \\in \\{1, \\dots, n\\} & a place \\\\ W \\in \\mathbb{R}^{n \\times n} & weights",
        "W ∈ ℝ^{n \\times n} & weights x ∈ ℝ^n & input \\\\",
        "W \\in \\mathbb{R}^{n \\times n} & costs 5\\$\n x \\in \\mathbb{R}^n & input, 6\\$ \\\\",
    ],
)
def test_a_row_without_its_end_swallows_no_other(rows: str) -> None:
    text = program("x ; W", r"\Return W x", where=rows)
    found = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0227"]
    assert text[found[0].span.start : found[0].span.end] in (r"\in", "∈")
    assert r"\\" in found[0].help


def test_formulas_in_descriptions_stay_text() -> None:
    rows = r"x \in \mathbb{R}^n & a vector, $x \in \mathbb{R}^n$, of \textbf{input} \\ W \in \mathbb{R}^{n \times n} & for \(i \in I\) \\"
    assert compiled(program("x ; W", r"\Return W x", where=rows)).ok


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"x - c \cdot y", lambda x, y, c, q: x - c * y),
        (r"x - (x \cdot y)", lambda x, y, c, q: x - x @ y),
        (r"x + Q \cdot y", lambda x, y, c, q: x + q @ y),
        (r"c - x \cdot y", lambda x, y, c, q: c - x @ y),
        (r"x[0] + x \cdot y", lambda x, y, c, q: x[0] + x @ y),
        (r"x - (c + x \cdot y)", lambda x, y, c, q: x - c - x @ y),
        (r"x - (x \cdot y) x", lambda x, y, c, q: x - (x @ y) * x),
        (r"x - c \cdot \sqrt{y^2} \odot y", lambda x, y, c, q: x - c * y.abs() * y),
    ],
)
def test_an_inner_product_beside_what_takes_it_is_read(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c, Q", rf"\Return {formula}", where=GIVEN)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y, C, Q)), expected(X, Y, C, Q))


@pytest.mark.parametrize(
    "formula",
    [
        r"x - \frac{c}{\sqrt{y}} \cdot x",
        r"-x \cdot y + x",
        r"x - c \cdot x \cdot y",
        r"x - 2 * x \cdot y / c",
        r"x + y \cdot x + c",
        r"Q + x \cdot y",
        r"c x \cdot y - Q y",
    ],
)
def test_an_inner_product_in_a_sum_with_a_vector_is_refused(formula: str) -> None:
    ((code, _, help_text),) = errors_of(program("x, y, c, Q", rf"\Return {formula}", where=GIVEN))
    assert (code, r"a \odot b" in help_text, r"(a \cdot b)" in help_text) == ("E0410", True, True)


def test_a_gradient_step_over_time_says_its_product() -> None:
    rows = (r"w_t \gets w_{t-1} - \frac{c}{\sqrt{s_t}} %s g_t \quad (t = 1, \dots, T)", r"\Return w_T")
    where = r"g_t, s_t \in \mathbb{R}^n, t = 1, \dots, T & steps \\ c \in \mathbb{R} & a rate \\ w_0 \in \mathbb{R}^n & start \\"
    refused = errors_of(program("g, s, w_0, c", rows[0] % r"\cdot", rows[1], where=where))
    assert [code for code, _, _ in refused] == ["E0410"]
    g, s = random(3, 4, seed=5), random(3, 4, seed=6).abs() + 0.1
    found = value_of(program("g, s, w_0, c", rows[0] % r"\odot", rows[1], where=where), {}, {}, (g, s, X, C))
    torch.testing.assert_close(found, X - (C / s.sqrt() * g).sum(0))


@pytest.mark.parametrize(
    ("header", "row", "formula"),
    [
        (r"x, Q, \sigma", r"\sigma \in \mathbb{R} & a number", r"\sigma(Q x)"),
        (r"x, Q ; \sigma", r"\sigma \in \mathbb{R}_{>0} & a setting", r"\sigma(Q x)"),
        (r"x, Q ; \sigma", r"\sigma \in \mathbb{R} & a parameter", r"1 + \sigma(x)^2"),
        (r"x, Q, \sigma", r"\sigma \in \mathbb{R}^n & a vector", r"Q \sigma(x + 1)"),
        (r"x, Q ; \sigma", r"\sigma \in \mathbb{R}_{>0} & a setting", r"\frac{x}{\sigma(x)}"),
        (r"x, Q, \Gamma", r"\Gamma \in \mathbb{R} & a number", r"\Gamma(x)"),
    ],
)
def test_a_symbol_of_a_reserved_function_before_a_parenthesis_is_refused(header: str, row: str, formula: str) -> None:
    where = rf"x \in \mathbb{{R}}^n & input \\ Q \in \mathbb{{R}}^{{n \times n}} & matrix \\ {row} \\"
    found = errors_of(program(header, rf"\Return {formula}", where=where))
    assert found
    assert all(help_text for _, _, help_text in found)


def test_what_the_help_beside_a_reserved_symbol_says_is_read() -> None:
    where = r"x \in \mathbb{R}^n & input \\ \sigma \in \mathbb{R} & a number \\"
    found = value_of(program(r"x, \sigma", r"\Return \Sigmoid(x) + \sigma \cdot (x + 1)", where=where), {}, {}, (X, C))
    torch.testing.assert_close(found, X.sigmoid() + C * (X + 1))
    alone = program("x", r"\Return \sigma(x)", where=where[: where.index(r"\sigma")])
    torch.testing.assert_close(value_of(alone, {}, {}, (X,)), X.sigmoid())


def test_a_module_whose_instance_would_be_named_as_a_size_is_refused() -> None:
    where = r"x \in \mathbb{R}^{n} & input \\ W \in \mathbb{R}^{n \times n} & weights \\"
    own = program("x ; W", r"\Return W x", where=where).replace("{M}", "{N}")
    outer = r"x \in \mathbb{R}^{n} & input \\ f \in \mathrm{N}(n) & layer \\"
    ((code, _, help_text),) = errors_of(own + program("x", r"\Return \mathrm{N}(x) + x", where=outer[: outer.index(" f")]))
    assert (code, r"f \in \mathrm{N}" in help_text) == ("E0701", True)
    made = compiled(own + program("x ; f", r"\Return f(x) + x", where=outer)).load().M(n=4).double()
    torch.testing.assert_close(made(X), made.f.W @ X + X)


@pytest.mark.parametrize("name", ["R", "Z", "B", "S", "T"])
def test_a_module_has_the_letter_of_a_set(name: str) -> None:
    where = r"x \in \mathbb{R}^{n} & input \\"
    own = program("x ; W", r"\Return W x", where=where + r"W \in \mathbb{R}^{n \times n} & weights \\ n \in \mathbb{N} & size \\")
    text = own.replace("{M}", f"{{{name}}}") + program("x", rf"\Return \mathrm{{{name}}}(x) + x", where=where)
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    made = result.load().M(n=4).double()
    (weights,) = made.state_dict().values()
    torch.testing.assert_close(made(X), weights @ X + X)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\mathbf{1}^\top x", lambda x, y, c, q: x.sum()),
        (r"x^\top \mathbf{1}", lambda x, y, c, q: x.sum()),
        (r"\mathbf{1}^\top Q \mathbf{1}", lambda x, y, c, q: q.sum()),
        (r"\mathbf{1}^\top Q x", lambda x, y, c, q: (q @ x).sum()),
        (r"Q + x \mathbf{1}^\top", lambda x, y, c, q: q + x[:, None]),
        (r"Q - \mathbf{1} x^\top", lambda x, y, c, q: q - x),
        (r"\frac{1}{n} \mathbf{1}^\top x", lambda x, y, c, q: x.mean()),
        (r"(I - \frac{1}{n} \mathbf{1} \mathbf{1}^\top) x", lambda x, y, c, q: x - x.mean()),
        (r"Q \odot (x \mathbf{1}^\top)", lambda x, y, c, q: q * x[:, None]),
        (r"\tanh(Q + x \mathbf{1}^\top)", lambda x, y, c, q: (q + x[:, None]).tanh()),
        (r"x \mathbf{1}^\top Q", lambda x, y, c, q: torch.outer(x, q.sum(0))),
        (r"\mathbf{1}^\top \exp(Q)", lambda x, y, c, q: q.exp().sum(0)),
        (r"\mathbf{0}^\top x + c", lambda x, y, c, q: c),
        (r"x \mathbf{1}_{3}^\top", lambda x, y, c, q: x[:, None].expand(4, 3)),
    ],
)
def test_a_row_of_ones_has_the_length_of_its_neighbours(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c, Q", rf"\Return {formula}", where=GIVEN)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y, C, Q)), expected(X, Y, C, Q))


@pytest.mark.parametrize("formula", [r"x \mathbf{1}^\top", r"\mathbf{1}^\top \mathbf{1}"])
def test_a_row_of_ones_of_no_length_is_refused(formula: str) -> None:
    ((code, _, help_text),) = errors_of(program("x, y, c, Q", rf"\Return {formula}", where=GIVEN))
    assert (code, r"\mathbf{1}_{n}" in help_text) == ("E0405", True)


@pytest.mark.parametrize(
    "body",
    [
        r"z \gets x \quad c = 3 \\ \Return z",
        r"z \gets 2 x \qquad \mathbf{k} = 3 \\ \Return z",
        r"z \gets x + c \quad c > 0 \\ \Return z",
        r"z \gets (x) \quad f(a) \gets 3 a \\ \Return z",
        r"z_i \gets x_i \quad 2 i = 4 \\ \Return z",
        r"\Return x \quad c = 3",
    ],
)
def test_an_equation_behind_a_space_is_no_factor(body: str) -> None:
    ((code, message, help_text),) = errors_of(program("x, y, c, Q", body, where=GIVEN))
    assert (code, "an equation stands behind this value" in message, r"\quad \text{for }" in help_text) == ("E0220", True, True)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"z_i \gets c x_i \quad i = 1, \dots, n \\ \Return z", lambda x, c: c * x),
        (r"z_i \gets c x_i \quad 1 \leq i \leq n \\ \Return z", lambda x, c: c * x),
        (r"z_i \gets c x_i \quad i \in \{1, \dots, n\} \\ \Return z", lambda x, c: c * x),
        (r"z_i \gets c x_i \quad \text{for } i = 1, \dots, n \\ \Return z", lambda x, c: c * x),
        (r"z \gets x \quad + c \\ \Return z", lambda x, c: x + c),
        (r"\Return x \quad + c", lambda x, c: x + c),
    ],
)
def test_a_range_or_an_operator_behind_a_space_stays(body: str, expected: Callable[..., Tensor]) -> None:
    torch.testing.assert_close(value_of(program("x, y, c, Q", body, where=GIVEN), {}, {}, (X, Y, C, Q)), expected(X, C))


@pytest.mark.parametrize("mark", [r"\quad", r"\qquad", ",", r", \quad", r"\quad \text{for }", r"\quad \forall"])
@pytest.mark.parametrize("letters", [r"i, j \in \{1, \dots, n\}", r"i, j = 1, \dots, n"])
def test_several_indices_before_one_set_are_no_factors(mark: str, letters: str) -> None:
    text = program(
        "p, q", rf"z_{{i,j}} \gets p_i q_j {mark} {letters}", r"\Return z", where=r"p_i, q_i \in \mathbb{R}, i = 1, \dots, n & \\"
    )
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y)), torch.outer(X, Y))


def test_three_indices_before_one_set() -> None:
    rows = r"p_i \in \mathbb{R}, i = 1, \dots, n & \\"
    text = program("p", r"z_{i,j,k} \gets p_i p_j - p_k \quad i, j, k \in \{1, \dots, n\}", r"\Return z", where=rows)
    torch.testing.assert_close(value_of(text, {}, {}, (X,)), torch.outer(X, X)[:, :, None] - X)


@pytest.mark.parametrize(
    "domain", [r"\quad i, j \in \{1, \dots, n\}", r"\quad (i, j = 1, \dots, n)", r"\quad \forall i, j \in \{1, \dots, n\}"]
)
def test_indices_before_one_set_have_it_where_nothing_else_tells_their_range(domain: str) -> None:
    values = r"\begin{cases} 2 & j \geq i \\ 0 & \text{otherwise} \end{cases}"
    text = program("p", rf"z_{{i,j}} \gets {values} {domain}", r"\Return z", where=r"p \in \mathbb{R}^n & \\")
    torch.testing.assert_close(value_of(text, {}, {}, (X,)), 2 * torch.ones(4, 4).triu().double(), check_dtype=False)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\frac{1}{2} \| x - y \|^2", lambda x, y, c: ((x - y) ** 2).sum() / 2),
        (r"\frac12 \| x \|^2 + \frac{1}{2} \| y \|", lambda x, y, c: (x @ x) / 2 + y.norm() / 2),
        (r"c - 2 \| x \|^2", lambda x, y, c: c - 2 * x @ x),
        (r"0.5 \| x \|_1", lambda x, y, c: x.abs().sum() / 2),
        (r"x^2 \| y", lambda x, y, c: torch.cat([x**2, y])),
        (r"\{0\}^{1} \| x", lambda x, y, c: torch.cat([x[:0].new_zeros(1), x])),
        (r"[1, 2] \| x", lambda x, y, c: torch.cat([torch.tensor([1.0, 2.0], dtype=x.dtype), x])),
    ],
)
def test_double_bars_after_a_number_are_a_norm(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c", rf"\Return {formula}", where=VECTORS)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y, C)), expected(X, Y, C))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"c \| x \|", lambda x, y, c: c * x.norm()),
        (r"\frac{c}{2} \| x \|", lambda x, y, c: c / 2 * x.norm()),
        (r"3 || x ||", lambda x, y, c: 3 * x.norm()),
        (r"c \|x\| - c", lambda x, y, c: c * x.norm() - c),
        (r"c \|x\| \|y\|", lambda x, y, c: c * x.norm() * y.norm()),
    ],
)
def test_double_bars_that_can_join_nothing_are_a_norm(formula: str, expected: Callable[..., Tensor]) -> None:
    text = program("x, y, c", rf"\Return {formula}", where=VECTORS)
    torch.testing.assert_close(value_of(text, {}, {}, (X, Y, C)), expected(X, Y, C))


@pytest.mark.parametrize(
    ("value", "left", "right"),
    [
        (r"\tanh(x) \sigma(y)", r"\tanh(x)", r"\sigma(y)"),
        (r"2 x (y + 1)", "2 x", "(y + 1)"),
        (r"(" + " + ".join(["x - y"] * 12) + ") (x + y)", "(…)", "(x + y)"),
    ],
)
def test_two_vectors_side_by_side_are_named_as_they_are_written(value: str, left: str, right: str) -> None:
    text = rf"\Module{{M}}{{x, y ; }} \Return {value} \\ \EndModule \begin{{where}} x, y \in \mathbb{{R}}^n & \\ \end{{where}}"
    (found,) = [d for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
    assert found.message.startswith(f"`{left} {right}` of two vectors")
    assert rf"`{left} \odot {right}`" in found.help


def test_a_computed_index_in_parentheses_is_an_element() -> None:
    lines = r"h_t \gets 2 h_{(t-1)} + x_t \quad (t = 1, \dots, n) \\ h_0 \gets 0 \\ \Return h_n"
    text = rf"\Module{{M}}{{x ; }} {lines} \\ \EndModule \begin{{where}} x_t \in \mathbb{{R}}, t = 1, \dots, n & \\ \end{{where}}"
    assert compile_files([SourceFile("-", text)]).load().M()(torch.tensor([1.0, 2.0, 3.0])).item() == 11.0
