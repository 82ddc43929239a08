r"""Lines and products as texts print them: brackets that group, indicators, arrays in a brace, rows left of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

N, M = 4, 3
ROWS = {
    "x": r"x \in \mathbb{R}^{n}",
    "y": r"y \in \mathbb{R}^{n}",
    "c": r"c \in \mathbb{R}",
    "A": r"A \in \mathbb{R}^{n \times m}",
    "b": r"b \in \mathbb{R}^{1 \times m}",
    "d": r"d \in \mathbb{R}^{m}",
    "o": r"o \in \mathbb{R}^{1}",
}
SHAPES: dict[str, tuple[int, ...]] = {"x": (N,), "y": (N,), "c": (), "A": (N, M), "b": (1, M), "d": (M,), "o": (1,)}
Meaning = Callable[..., Tensor]


def module(names: str, *statements: str) -> str:
    lines = " \\\\\n".join(statements)
    return f"\\Module{{M}}{{{', '.join(names)} ; }}\n{lines} \\\\\n\\EndModule\n" + where(names)


def algorithm(names: str, *statements: str) -> str:
    *lines, last = statements
    states = "".join(f"\\State ${line}$\n" for line in lines) + rf"\State \Return ${last.removeprefix(chr(92) + 'Return ')}$"
    return f"\\begin{{algorithmic}}\n\\Procedure{{M}}{{${', '.join(names)}$}}\n{states}\n\\EndProcedure\n\\end{{algorithmic}}\n" + where(
        names
    )


def where(names: str) -> str:
    return r"\begin{where} " + r" & \\ ".join(ROWS[name] for name in names) + r" & \\ \end{where}"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def check(text: str, names: str, expected: Meaning) -> None:
    """Values and gradients of an example and of a batch, against plain torch."""
    result = compiled(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    program = result.load().M()
    generator = torch.Generator().manual_seed(3)
    values = [torch.randn((2, *SHAPES[name]), generator=generator, dtype=torch.float64, requires_grad=True) for name in names]
    together = program(*values)
    alone = torch.stack([expected(*(value[k] for value in values)) for k in range(2)])
    torch.testing.assert_close(together, alone)
    torch.testing.assert_close(program(*(value[0] for value in values)), alone[0])
    if alone.requires_grad:
        found, wanted = (
            torch.autograd.grad(value.square().sum(), values, allow_unused=True, retain_graph=True) for value in (together, alone)
        )
        for one, other, value in zip(found, wanted, values, strict=True):
            torch.testing.assert_close(torch.zeros_like(value) if one is None else one, torch.zeros_like(value) if other is None else other)


def errors(text: str) -> list[Any]:
    return [found for found in compiled(text).diagnostics if found.severity == "error"]


# ---- numbers, signs, conditions ---------------------------------------------------------------


EXPRESSIONS: list[tuple[str, str, Meaning]] = [
    ("x", r"\frac12 0.96^{2} x", lambda x: 0.5 * 0.96**2 * x),
    ("c", r"\frac{1}{2} 0.96^{c}", lambda c: 0.5 * 0.96**c),
    ("x", r"x^{2} 3", lambda x: 3 * x**2),
    ("x", r"(x * x)^\frac{1}{2}", lambda x: (x * x) ** 0.5),
    ("x", r"(x * x + 1)^\frac14 + 1", lambda x: (x * x + 1) ** 0.25 + 1),
    ("x", r"\log_e(1 + x * x)", lambda x: (1 + x * x).log()),
    ("c", r"\begin{cases} c & c \geq +3 \\ -c & c \not= -3 \\ 0 & otherwise \end{cases}", lambda c: c if c >= 3 else -c),
    ("c", r"\begin{cases} c & c \leqq -1 \\ -c & c \geqq 1 \\ 0 & otherwise \end{cases}", lambda c: -c.abs() if c.abs() >= 1 else 0 * c),
    ("c", r"\begin{cases} 2 c & c \not\in \{1, 2\} \\ 0 & otherwise \end{cases}", lambda c: 2 * c),
    ("c", r"\left\{ \begin{array}{ll} 2 c & c > 0 \\ -c & otherwise \end{array} \right.", lambda c: torch.maximum(2 * c, -c)),
    (
        "c",
        r"1 + \left\{ \begin{array}{l@{\quad}l} 2 c, & \text{if } c > 0, \\ -c, & \text{otherwise.} \end{array} \right.",
        lambda c: 1 + torch.maximum(2 * c, -c),
    ),
    ("c", r"\begin{dcases} 2 c & \text{if~} c > 0 \\ -c & \text{else} \end{dcases}", lambda c: torch.maximum(2 * c, -c)),
    ("c", r"\left( \begin{array}{cc} c & 1 \\ 0 & c \end{array} \right)", lambda c: c * torch.eye(2) + torch.tensor([[0.0, 1], [0, 0]])),
    ("xy", r"\left[ \begin{array}{c} x \\ y \end{array} \right]", lambda x, y: torch.cat([x, y])),
]


@pytest.mark.parametrize(("names", "written", "expected"), EXPRESSIONS)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_expressions(notation: Callable[..., str], names: str, written: str, expected: Meaning) -> None:
    check(notation(names, rf"\Return {written}"), names, lambda *values: expected(*values).double())


@pytest.mark.parametrize(
    "written",
    [
        r"\mathbb{1}[x_i > 0]",
        r"\mathbb{1}\{x_i > 0\}",
        r"\mathbb{1}_{x_i > 0}",
        r"\mathbb{1}_{\{x_i > 0\}}",
        r"\mathbb{1}(x_i > 0)",
        r"\mathbf{1}\left\{ x_i > 0 \right\}",
        r"\mathbf{1}_{x_i > 0}",
        r"\mathbf{1}[x_i > 0]",
        r"\mathbb{I}(x_i > 0)",
        r"\mathbb{I}[x_i > 0]",
        r"I(x_i > 0)",
        r"I\{x_i > 0 \land 1 > 0\}",
        r"1\{x_i > 0\}",
    ],
)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_indicators(notation: Callable[..., str], written: str) -> None:
    check(notation("xy", rf"\Return \sum_{{i=1}}^n {written} y_i"), "xy", lambda x, y: y[x > 0].sum())
    check(notation("xy", rf"\Return \sum_{{i=1}}^n y_i {written}"), "xy", lambda x, y: y[x > 0].sum())


def test_equality_in_an_indicator_is_no_named_argument() -> None:
    check(module("xc", r"\Return \sum_{i=1}^n I(x_i = c) + \mathbb{1}(c = c)"), "xc", lambda x, c: torch.tensor(1))


def test_a_name_of_the_program_is_no_indicator() -> None:
    text = module("c", r"I(u) \gets u + 1", r"\Return I(c)")
    check(text, "c", lambda c: c + 1)


def test_what_stays_open_of_arrays_is_told() -> None:
    [found] = errors(module("c", r"\Return \left\{ \begin{array}{ll} c & c > 0 \\ 0 & otherwise \end{array} \right\}"))
    assert (found.code, found.help) == ("E0204", r"write `\right.` behind `\end{array}`")
    assert [found.code for found in errors(module("c", r"\Return c_1 2"))] == ["E0224"]
    assert [found.code for found in errors(module("c", r"\Return c^\frac{1}"))] == ["E0223"]


# ---- brackets that group ----------------------------------------------------------------------


BRACKETS: list[tuple[str, str, Meaning]] = [
    ("xy", r"z_i \gets -y_i \left[ x_i + y_i \log(2) \right] \quad (i = 1, \dots, n)", lambda x, y: -y * (x + y * 0.6931471805599453)),
    ("xy", r"z_i \gets y_i [ x_i + 1 ] x_i \quad (i = 1, \dots, n)", lambda x, y: y * (x + 1) * x),
    ("xc", r"z \gets x [ c + 1 ]^2", lambda x, c: x * (c + 1) ** 2),
    ("cx", r"z \gets c [ x + x ]", lambda c, x: c * 2 * x),
    ("xy", r"[z]_i \gets [x]_i [y]_i \quad (i = 1, \dots, n)", lambda x, y: x * y),
    ("A", r"z_{i,j} \gets [A]_{i,j} + (A)_{1,j} \quad (i = 1, \dots, n, j = 1, \dots, m)", lambda A: A + A[0]),
]


@pytest.mark.parametrize(("names", "written", "expected"), BRACKETS)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_brackets(notation: Callable[..., str], names: str, written: str, expected: Meaning) -> None:
    if notation is algorithm:
        statement, _, domain = written.partition(r" \quad ")
        bounds = {r"(i = 1, \dots, n)": ["i = 1, \\dots, n"], "": []}.get(domain, ["i = 1, \\dots, n", "j = 1, \\dots, m"])
        lines = [rf"\For{{${one}$}}" for one in bounds] + [rf"\State ${statement}$"] + [r"\EndFor"] * len(bounds)
        body = "\n".join([*lines, r"\State \Return $z$"])
        text = f"\\begin{{algorithmic}}\n\\Procedure{{M}}{{${', '.join(names)}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n" + where(
            names
        )
    else:
        text = module(names, written, r"\Return z")
    check(text, names, expected)


def test_a_bracket_directly_behind_an_element_groups_what_is_no_index() -> None:
    check(module("xy", r"z_i \gets y_i\left[x_i + 0.5\right] \quad (i = 1, \dots, n)", r"\Return z"), "xy", lambda x, y: y * (x + 0.5))


@pytest.mark.parametrize("written", [r"x [1]", r"\sum_{i=1}^{n-1} x [i + 1]", r"x [c, c]"])
def test_a_bracket_that_may_hold_an_index_is_asked_about(written: str) -> None:
    [found] = errors(module("xc", rf"\Return {written}"))
    assert found.code == "E0210"


# ---- rows and axes of extent 1 ----------------------------------------------------------------


PRODUCTS: list[tuple[str, str, Meaning]] = [
    ("xA", r"x A", lambda x, A: x @ A),
    ("xAd", r"\tanh(x A + d)", lambda x, A, d: torch.tanh(x @ A + d)),
    ("xAd", r"x A d", lambda x, A, d: x @ A @ d),
    ("dA", r"d A^\top", lambda d, A: d @ A.mT),
    ("xA", r"(2 x) \cdot A", lambda x, A: 2 * x @ A),
    ("Ab", r"A + b", lambda A, b: A + b),
    ("bA", r"2 b - A", lambda b, A: 2 * b - A),
    ("Ab", r"\sigma(A \odot A + b)", lambda A, b: torch.sigmoid(A * A + b)),
    ("xo", r"x + o", lambda x, o: x + o),
]


@pytest.mark.parametrize(("names", "written", "expected"), PRODUCTS)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_products(notation: Callable[..., str], names: str, written: str, expected: Meaning) -> None:
    check(notation(names, rf"\Return {written}"), names, expected)


def test_a_row_left_of_a_matrix_is_noted() -> None:
    [note] = compiled(module("xA", r"\Return x A")).diagnostics
    assert (note.code, note.notes) == ("N0301", ("`x` is a row left of a matrix",))
    assert compiled(module("xA", r"\Return x^\top A")).diagnostics == ()


def test_what_is_no_product_or_sum_stays_refused() -> None:
    assert [found.code for found in errors(module("yxA", r"\Return y (x A)"))] == ["E0410"]
    assert [found.code for found in errors(module("dA", r"\Return d A"))] == ["E0401"]
    where_rows = r"\begin{where} p \in \mathbb{R}^{n \times 1} & \\ b \in \mathbb{R}^{1 \times m} & \\ \end{where}"
    [found] = errors(rf"\Module{{M}}{{p, b}} \Return p + b \\ \EndModule {where_rows}")
    assert (found.code, found.message) == ("E0401", "the operands have different shapes: n × 1 and 1 × m")


# ---- defaults ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"10^{-5}", 1e-5),
        (r"1/\sqrt{2}", 0.5**0.5),
        (r"2 \pi", 6.283185307179586),
        (r"-2^{-3}", -0.125),
        (r"\frac{1}{2} + e^{-1}", 0.5 + 0.36787944117144233),
    ],
)
def test_defaults_are_computed(written: str, value: float) -> None:
    header = rf"\Module{{M}}{{x ; \epsilon \in \mathbb{{R}} = {written}}}"
    text = header + r" \Return x + \epsilon \\ \EndModule \begin{where} x \in \mathbb{R} & \\ \end{where}"
    torch.testing.assert_close(compiled(text).load().M()(torch.zeros((), dtype=torch.float64)).item(), value)


def test_a_whole_number_stays_one() -> None:
    row = r"\begin{where} x \in \mathbb{R} & \\ \end{where}"
    text = r"\Module{M}{x ; k \in \mathbb{N} = %s} \Return k x \\ \EndModule " + row
    assert "k: int = 8" in compiled(text % "2^{3}").source
    assert [found.code for found in errors(text % "2^{-3}")] == ["E0406"]
    assert [found.code for found in errors(text % "2 x")] == ["E0701"]


# ---- further equations of a line ---------------------------------------------------


LINES: list[tuple[str, str, Meaning]] = [
    (r"z = x \odot w, \quad \text{where} \quad w = 2 y", "z", lambda x, y: 2 * x * y),
    (r"z = x \odot w, \text{ where } w = 2 y \text{ and } v = y + x", "z + v", lambda x, y: 2 * x * y + y + x),
    (r"z = x \odot s(y), \text{where } s(u) = 2 u + 1", "z", lambda x, y: x * (2 * y + 1)),
    (r"z = 2 x \textrm{ and } w = \frac{y}{3}.", "z + w", lambda x, y: 2 * x + y / 3),
    (r"z \gets 2 x \text{ and } w \gets 3 y", "z + w", lambda x, y: 2 * x + 3 * y),
    (r"z \gets 2 x, \quad w \gets z + y", "z + w", lambda x, y: 4 * x + y),
]


@pytest.mark.parametrize(("line", "returned", "expected"), LINES)
@pytest.mark.parametrize("notation", [module, algorithm])
def test_lines(notation: Callable[..., str], line: str, returned: str, expected: Meaning) -> None:
    check(notation("xy", line, rf"\Return {returned}"), "xy", expected)


@pytest.mark.parametrize(
    "line",
    [
        r"l_i = m_i, \quad m_i = x_i y_i \quad (i = 1, \dots, n)",
        r"l_i = m_i, \quad \text{where} \quad m_i = x_i y_i, \quad i = 1, \dots, n",
    ],
)
def test_a_range_is_that_of_all_equations_of_its_line(line: str) -> None:
    check(module("xy", line, r"\Return l + m"), "xy", lambda x, y: 2 * x * y)


@pytest.mark.parametrize("notation", [module, algorithm])
@pytest.mark.parametrize(
    "line",
    [
        r"z_i = r x_i y_i \quad (i = 1, \dots, n), \quad \text{where } r = \sum_{j=1}^n x_j",
        r"z_i = r x_i y_i \quad (i = 1, \dots, n) \text{ with } r = \sum_{j=1}^n x_j",
        r"z_i = r x_i y_i, \; \text{where } r = \sum_{j=1}^n x_j \quad (i = 1, \dots, n)",
        r"z_i = r x_i y_i, \quad \text{where } r = \sum_{j=1}^n x_j, \quad i = 1, \dots, n",
        r"z_i = r_i y_i \quad (i = 1, \dots, n), \quad \text{where } r_k = x_k \sum_{j=1}^n x_j \quad (k = 1, \dots, n)",
    ],
)
def test_a_range_of_one_equation_is_none_of_its_explanation(notation: Callable[..., str], line: str) -> None:
    check(notation("xy", line, r"\Return z"), "xy", lambda x, y: x.sum(-1, keepdim=True) * x * y)


@pytest.mark.parametrize(
    "line",
    [
        r"z = \{l_1, \dots, l_n\}^\top, \quad l_i = x_i y_i",
        r"z = \cat{l_1, \dots, l_n}, \quad l_i = x_i [ y_i + 0 \cdot y_i ]",
    ],
)
def test_a_list_of_elements_gives_the_range_of_the_equation_beside_it(line: str) -> None:
    check(module("xy", line, r"\Return z"), "xy", lambda x, y: x * y)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (r"z = x = x + y", "E0217"),
        (r"z = x, \quad n = 2", "E0505"),
        (r"z = \log x, \text{ where } x > 0", "E0505"),
        (r"x + y = z = 2 x", "E0217"),
        (r"z = w = x > y", "E0217"),
        (r"a, c = x, y, x", "E0220"),
    ],
)
def test_lines_that_say_too_much(line: str, code: str) -> None:
    assert [found.code for found in errors(module("xy", line, r"\Return z"))][:1] == [code]


def test_what_follows_a_comparison_joins_it() -> None:
    rows = r"\begin{where} p \in \mathbb{B} & \\ q, r \in \mathbb{R} & \\ \end{where}"
    program = compiled(rf"\Module{{M}}{{p, q, r}} z = p \text{{ and }} q = r \\ \Return \mathbb{{1}}[z] \\ \EndModule {rows}").load().M()
    assert program(torch.tensor(True), torch.tensor(1.0), torch.tensor(1.0)) == 1
    assert program(torch.tensor(True), torch.tensor(1.0), torch.tensor(2.0)) == 0


@pytest.mark.parametrize("written", [r"\overline{x^2} - \bar{x}^2", r"\bar{x^2}", r"\sum_{i=1}^n \overline{x_i^2}"])
def test_a_bar_over_a_power_is_no_power(written: str) -> None:
    found = errors(module("x", r"\bar{x} = \frac{1}{n} \sum_{i=1}^n x_i", rf"\Return {written}"))
    assert [d.code for d in found] == ["E0301"]
    assert found[0].message == "this is no name"
