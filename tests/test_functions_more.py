r"""Functions of the author: rows for their arguments, sizes that they read off them, matrices for vectors, and functions of papers.

Each program stands beside plain torch; values, gradients, and a batch against its examples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from differential import check_text
from torch import Tensor

import mathdsl
from mathdsl import api
from mathdsl.spans import SourceFile

Meaning = Callable[..., Tensor]
X = torch.tensor([0.3, -1.2, 2.0, 0.7], dtype=torch.float64)
Y = torch.tensor([1.5, 0.4, -0.8], dtype=torch.float64)
Z = torch.tensor([-0.6, 0.9, 1.1, 0.2], dtype=torch.float64)
A = torch.tensor([[0.3, -1.2, 2.0], [0.7, 0.1, -0.4], [1.1, 0.9, 0.2], [-0.6, 0.5, 0.8]], dtype=torch.float64)
B = A.flip(0).cos()
C = torch.tensor([[0.2, -0.3, 1.0], [0.4, 0.8, -0.9]], dtype=torch.float64)
S = (A.T @ A + torch.eye(3, dtype=torch.float64)) / 4

ROWS = r"x \in \mathbb{R}^{n} \\ y \in \mathbb{R}^{m}"
MATRIX = r"X \in \mathbb{R}^{n \times m}"


def module(body: str, header: str = "x, y", rows: str = ROWS) -> str:
    lines = "\n".join(line + r" \\" for line in body.strip().split("\n"))
    table = f"\\begin{{where}} {rows} \\\\ \\end{{where}}\n" if rows else ""
    return f"\\Module{{M}}{{{header} ; }}\n{lines}\n{table}\\EndModule\n"


def steps(body: str, header: str = "x, y", rows: str = ROWS) -> str:
    words = ("\\For", "\\End", "\\If", "\\Else")
    lines = "\n".join(line if line.startswith(words) else f"\\State ${line}$" for line in body.strip().split("\n"))
    table = f"\\begin{{where}} {rows} \\\\ \\end{{where}}\n" if rows else ""
    return f"\\begin{{algorithmic}}\n\\Procedure{{M}}{{${header}$}}\n{lines}\n{table}\\EndProcedure\n\\end{{algorithmic}}\n"


def docstring(body: str, header: str = "x, y", rows: str = ROWS) -> str:
    lines = "\n".join(f"& \\indent{{1}} {line.replace(chr(92) + 'gets', chr(92) + 'algoEq')} \\\\" for line in body.strip().split("\n"))
    lines = lines.replace("\\Return", "\\algoReturn")
    table = f"\\begin{{where}} {rows} \\\\ \\end{{where}}\n" if rows else ""
    return f"\\algoProc{{\\M}}\\pa{{{header}}} \\\\\n{lines}\n\\algoEndProc\n{table}"


def compiled(text: str) -> Any:
    result = api.compile_files([SourceFile("-", text)])
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    return result.load()


def errors(text: str) -> list[Any]:
    return [d for d in api.compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]


def holds(text: str, wanted: Meaning, *inputs: Tensor, name: str = "M", **sizes: int) -> None:
    """A program's value and its gradient are those of `wanted`; a batch gives what its examples give alone."""
    ours = [i.clone().requires_grad_(i.is_floating_point()) for i in inputs]
    theirs = [i.clone().requires_grad_(i.is_floating_point()) for i in inputs]
    kind = getattr(compiled(text), name)
    found, known = (kind(**sizes)(*ours) if isinstance(kind, type) else kind(*ours)), wanted(*theirs)
    torch.testing.assert_close(found, known, rtol=1e-9, atol=1e-9)
    if known.requires_grad:
        weights = torch.cos(torch.arange(known.numel(), dtype=torch.float64)).reshape(known.shape) + 2
        for i, a, b in zip(
            inputs,
            torch.autograd.grad((found * weights).sum(), [i for i in ours if i.requires_grad], allow_unused=True),
            torch.autograd.grad((known * weights).sum(), [i for i in theirs if i.requires_grad], allow_unused=True),
            strict=False,
        ):
            torch.testing.assert_close(torch.zeros_like(i) if a is None else a, torch.zeros_like(i) if b is None else b)
    check_text(text)


# ---- a matrix where elements of a vector are read ----------------------------------------------

SQUARES = "f(a) \\gets \\sum_j a_j^2\n"
HANDED_ON = {
    "a sum": "f(a) \\gets \\sum_j a_j^2\n\\Return f(X)",
    "brackets": "f(a) \\gets a[1] + 2 a[2]\n\\Return f(X)",
    "a maximum": "f(a) \\gets \\max_j a_j\n\\Return f(X)",
    "a number beside it": "f(a, s) \\gets s \\sum_j a_j\n\\Return f(X, 3)",
    "a computed matrix": "f(a) \\gets \\sum_j a_j^2\n\\Return f(2 X + 1)",
    "a function of a function": "f(a) \\gets \\sum_j a_j^2\ng(b) \\gets f(3 b)\n\\Return g(X)",
    "two matrices": "f(a, b) \\gets \\sum_j (a_j - b_j)^2\n\\Return f(X, 2 X)",
    "rows of cases": "f(a) \\gets \\begin{cases} a[1] & 1 > 2 \\\\ 2 a[2] & \\text{otherwise} \\end{cases}\n\\Return f(X)",
    "a list": "f(a) \\gets [2 a[j]]_{j=1}^{2}\n\\Return f(X)",
}


@pytest.mark.parametrize("case", HANDED_ON)
@pytest.mark.parametrize("notation", [module, steps])
def test_a_matrix_where_elements_of_a_vector_are_read_is_refused(case: str, notation: Callable[..., str]) -> None:
    (error, *_) = errors(notation(HANDED_ON[case], "X", MATRIX))
    assert error.code == "E0409"
    assert "]_{i=1}^{n}" in error.help


def test_a_function_of_the_document_is_refused_a_matrix_too() -> None:
    text = "f(a) \\gets \\sum_j a_j^2 \\\\\n" + module("\\Return f(X)", "X", MATRIX)
    assert [e.code for e in errors(text)] == ["E0409"]


SQUARE = r"X \in \mathbb{R}^{n \times n}"


@pytest.mark.parametrize(
    ("body", "row"),
    [
        ("x^2", r"x \in \mathbb{R}^{p \times p}"),
        (r"x^\top x", r"x \in \mathbb{R}^{p \times q}"),
        (r"x - \max(x)", r"x \in \mathbb{R}^{p \times q}"),
    ],
)
def test_a_function_of_the_document_means_the_same_for_a_matrix_as_when_it_is_called(body: str, row: str) -> None:
    text = f"f(x) \\gets {body} \\\\\n" + module("\\Return f(X)", "X", SQUARE)
    (error,) = errors(text)
    assert (error.code, "[f(X_i)]_{i=1}^{n}" in error.help) == ("E0409", True)
    rows = compiled(text.replace("\\Return f(X)", "\\Return [f(X_i)]_{i=1}^{n}"))
    torch.testing.assert_close(rows.M()(S), rows.f(S))


@pytest.mark.parametrize(("body", "power"), [("x^2", torch.matrix_power), ("x^3", torch.matrix_power)])
def test_a_power_in_a_function_that_is_given_a_square_matrix(body: str, power: Any) -> None:
    for notation in (module, steps):
        assert [e.code for e in errors(notation(f"f(x) \\gets {body}\n\\Return f(X)", "X", SQUARE))] == ["E0409"]
        rows = SQUARE + r" \\ x \in \mathbb{R}^{n \times n}"
        holds(notation(f"f(x) \\gets {body}\n\\Return f(X)", "X", rows), lambda x: power(x, int(body[-1])), S)
        holds(notation("f(x) \\gets x \\odot x\n\\Return f(X)", "X", SQUARE), lambda x: x * x, S)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"a / 2 + \exp(a)", lambda x: x / 2 + x.exp()),
        (r"\begin{cases} a & a > 0 \\ 0 & \text{otherwise} \end{cases}", torch.relu),
        (r"\frac{1}{2} a \odot (1 + \tanh(a))", lambda x: x / 2 * (1 + x.tanh())),
    ],
)
def test_a_function_of_the_document_goes_along_the_elements_of_a_matrix(body: str, wanted: Meaning) -> None:
    text = f"f(a) \\gets {body} \\\\\n" + steps("\\Return f(X)", "X", MATRIX)
    holds(text, wanted, A)
    torch.testing.assert_close(compiled(text).f(A), wanted(A))


def test_what_the_help_offers() -> None:
    holds(module(SQUARES + "\\Return [f(X_i)]_{i=1}^{n}", "X", MATRIX), lambda x: (x**2).sum(1), A)
    rows = MATRIX + r" \\ a_j \in \mathbb{R}^{d}, j = 1, \dots, n"
    holds(module(SQUARES + "\\Return f(X)", "X", rows), lambda x: (x**2).sum(0), A)
    holds(steps(SQUARES + "\\Return f(X)", "X", rows), lambda x: (x**2).sum(0), A)
    given = "\\begin{where} a_j \\in \\mathbb{R}^{d}, j = 1, \\dots, p \\\\ \\end{where}\n"
    text = "f(a) \\gets \\sum_j a_j^2 \\\\\n" + given + module("\\Return f(X)", "X", MATRIX)
    holds(text, lambda x: (x**2).sum(0), A)


TAKEN: dict[str, tuple[str, str, Meaning, tuple[Tensor, ...]]] = {
    "elementwise": ("f(a) \\gets a \\odot \\sigma(a) + 1\n\\Return f(X)", "X", lambda x: x * x.sigmoid() + 1, (A,)),
    "weights of rows": ("f(w, V) \\gets \\sum_j w_j V_j\n\\Return f(x, X)", "x, X", lambda w, v: w @ v, (X, A)),
    "inner products of rows": (
        "f(K, q) \\gets \\softmax([q \\cdot K_j]_{j=1}^{n})\n\\Return f(X, y)",
        "X, y",
        lambda k, q: (k @ q).softmax(0),
        (A, Y),
    ),
    "norms of rows": ("f(V) \\gets \\sum_j \\lVert V_j \\rVert^2\n\\Return f(X)", "X", lambda v: (v**2).sum(), (A,)),
    "a column": ("f(a) \\gets \\sum_j a_j^2\n\\Return f(X_{\\cdot,2})", "X", lambda x: (x[:, 1] ** 2).sum(), (A,)),
    "both indices": (
        "f(a) \\gets \\sum_{i=1}^{n} \\sum_{j=1}^{m} j a_{i,j}\n\\Return f(X)",
        "X",
        lambda x: (torch.arange(1, 4) * x).sum(),
        (A,),
    ),
    "whole": ("f(a) \\gets a^\\top a\n\\Return f(X)", "X", lambda x: x.T @ x, (A,)),
}


@pytest.mark.parametrize("case", TAKEN)
def test_a_matrix_that_the_body_needs(case: str) -> None:
    body, header, wanted, inputs = TAKEN[case]
    rows = {"x": r"x \in \mathbb{R}^{n}", "y": r"y \in \mathbb{R}^{m}", "X": MATRIX}
    holds(steps(body, header, r" \\ ".join(rows[name] for name in header.split(", "))), wanted, *inputs)


# ---- rows that declare arguments ---------------------------------------------------------------

DECLARED: dict[str, tuple[str, str, Meaning]] = {
    "a size of the argument": (
        "f(u) \\gets \\sum_{j=1}^{p} u_j / p\n\\Return f(x) + f(y)",
        r"u \in \mathbb{R}^{p}",
        lambda x, y: x.mean() + y.mean(),
    ),
    "its range": (
        "f(u) \\gets \\sum_{j=1}^{p} j u_j\n\\Return f(x) + f(y)",
        r"u_j \in \mathbb{R}, j = 1, \dots, p",
        lambda x, y: (torch.arange(1, 5) * x).sum() + (torch.arange(1, 4) * y).sum(),
    ),
    "a size of the program": (
        "f(u) \\gets \\sum_{j=1}^{n} u_j / m\n\\Return f(x) y",
        r"u \in \mathbb{R}^{n}",
        lambda x, y: x.sum() / 3 * y,
    ),
    "numbers": ("f(u, v) \\gets u - 2 v\n\\Return f(x_1, y_2) x", r"u, v \in \mathbb{R}", lambda x, y: (x[0] - 2 * y[1]) * x),
    "two rows of one size": (
        "f(u, v) \\gets \\sum_{j=1}^{p} u_j v_{p-j+1}\n\\Return f(x, 2 x) + y_1",
        r"u \in \mathbb{R}^{p} \\ v \in \mathbb{R}^{p}",
        lambda x, y: 2 * (x * x.flip(0)).sum() + y[0],
    ),
    "a row for one of two": (
        "f(u, s) \\gets s \\sum_{j=1}^{p} u_j\n\\Return f(x, y_1)",
        r"u \in \mathbb{R}^{p}",
        lambda x, y: y[0] * x.sum(),
    ),
    "two functions with one name": (
        "f(u) \\gets \\sum_{j=1}^{p} u_j\ng(u) \\gets u_p\n\\Return f(x) + g(y)",
        r"u \in \mathbb{R}^{p}",
        lambda x, y: x.sum() + y[-1],
    ),
}


@pytest.mark.parametrize("case", DECLARED)
@pytest.mark.parametrize("notation", [module, steps, docstring])
def test_rows_declare_arguments(case: str, notation: Callable[..., str]) -> None:
    body, row, wanted = DECLARED[case]
    ranges = r"x_i \in \mathbb{R}, i = 1, \dots, n \\ y_i \in \mathbb{R}, i = 1, \dots, m"
    holds(notation(body, rows=rf"{ranges} \\ {row}"), wanted, X, Y)


def test_a_row_of_the_document_declares_arguments_of_its_functions() -> None:
    other = "\\Module{N}{z ; } \\Return z + 1 \\\\ \\EndModule \\begin{where} z \\in \\mathbb{R} \\\\ \\end{where}\n"
    text = "f(a) \\gets \\sum_j a_j^2 \\\\\n" + module("\\Return f(X)", "X", MATRIX) + other
    shared = "\\begin{where} a \\in \\mathbb{R}^{p \\times q} \\\\ \\end{where}\n"
    holds(shared + text, lambda x: (x**2).sum(0), A)


@pytest.mark.parametrize(
    ("row", "call"),
    [
        (r"u \in \mathbb{R}^{p}", "f(X)"),
        (r"u \in \mathbb{R}^{p \times q}", "f(x)"),
        (r"u \in \mathbb{R}", "f(x)"),
        (r"u \in \mathbb{R}^{n}", "f(y)"),
        (r"u \in \mathbb{R}^{p}", "f(x_1)"),
        (r"u \in \mathbb{R}^{p}", "f(3)"),
    ],
)
def test_another_shape_than_the_row(row: str, call: str) -> None:
    text = steps(f"f(u) \\gets 2 u\nv \\gets {call}\n\\Return x_1 + y_1 + X_{{1,1}}", "x, y, X", rf"{ROWS} \\ {MATRIX} \\ {row}")
    assert [e.code for e in errors(text)] == ["E0401"]
    assert "[f(X_i)]" in errors(text)[0].help


# ---- sizes that a function of the document reads off its arguments -----------------------------

SUM = "f(x) \\gets \\sum_{t=1}^{S} t x_t \\\\\n"
MEAN = "mean(x) \\gets \\frac{1}{S} \\sum_{t=1}^{S} x_t \\\\\n"


def ramp(x: Tensor) -> Tensor:
    return (torch.arange(1, len(x) + 1) * x).sum()


MEASURED: dict[str, tuple[str, str, Meaning]] = {
    "two lengths": (SUM, "f(y) + 2 f(x)", lambda x, y: ramp(y) + 2 * ramp(x)),
    "a value": (SUM, "f(y + y) + f(\\exp(x))", lambda x, y: ramp(2 * y) + ramp(x.exp())),
    "a size as a number": (MEAN, "mean(y) + 3 mean(x)", lambda x, y: y.mean() + 3 * x.mean()),
    "of a function": (
        MEAN + "v(x) \\gets \\sum_{t=1}^{S} (x_t - mean(x))^2 / S \\\\\n",
        "v(x) + v(y)",
        lambda x, y: x.var(correction=0) + y.var(correction=0),
    ),
    "two arguments": (
        "d(a, b) \\gets \\sum_{t=1}^{S} (a_t - 2 b_t)^2 \\\\\n",
        "d(x, 3 x) + d(y, y)",
        lambda x, y: 25 * (x**2).sum() + (y**2).sum(),
    ),
}


@pytest.mark.parametrize("case", MEASURED)
@pytest.mark.parametrize("rows", ["S", "n"])
def test_a_size_is_that_of_the_argument(case: str, rows: str) -> None:
    functions, value, wanted = MEASURED[case]
    table = rf"x_t \in \mathbb{{R}}, t = 1, \dots, {rows} \\ y_t \in \mathbb{{R}}, t = 1, \dots, m"
    holds(functions + module(rf"\Return {value}", rows=table), wanted, X, Y)
    holds(functions + steps(rf"\Return {value}", rows=table), wanted, X, Y)


def test_arguments_of_two_lengths_for_one_size() -> None:
    text = "d(a, b) \\gets \\sum_{t=1}^{S} (a_t - b_t)^2 \\\\\n" + module("\\Return d(x, y)")
    assert [e.code for e in errors(text)] == ["E0401"]


@pytest.mark.parametrize(
    "body",
    [
        r"\Return \frac{1}{n} \sum_{i=1}^{n} x_i",
        r"\Return n \sum_{i=1}^{n} x_i / n^2",
        "m \\gets n - 1\n\\Return \\frac{1}{m + 1} \\sum_{i=1}^{n} x_i",
    ],
)
@pytest.mark.parametrize("notation", [module, steps])
def test_a_bound_stands_before_its_sum(body: str, notation: Callable[..., str]) -> None:
    holds(notation(body, "x", r"x_i \in \mathbb{R}^{d}, i = 1, \dots, n"), lambda x: x.mean(0), A)
    if "/" not in body:
        holds(notation(body, "x", ""), lambda x: x.mean(), X)


def test_an_index_is_no_bound() -> None:
    assert [e.code for e in errors(module("\\Return i \\sum_{i=1}^{n} x_i", "x", ""))] == ["E0301"]


# ---- what a function cannot hold ---------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "f(x) \\gets \\LayerNorm(x) \\\\\n",
        "f(x) \\gets \\operatorname{Linear}(x) \\\\\n",
        "f(x) \\gets 2 \\LayerNorm(x) + x \\\\\n" + module("\\Return f(x) + y_1"),
        "\\Module{G}{x ; w \\in \\mathbb{R}^{3}} \\Return w \\odot x \\\\ \\EndModule\nf(x) \\gets G(x) + 1 \\\\\n",
        "f(x) \\gets \\Dropout(x, 0.5) \\\\\n",
    ],
)
def test_a_function_of_the_document_owns_nothing(text: str) -> None:
    assert [(e.code, "make the function a module" in e.help) for e in errors(text)] == [("E0701", True)]


def test_a_matrix_for_what_the_body_needs_as_a_vector_is_refused() -> None:
    text = module(SQUARES + "\\Return f(X)", "X", MATRIX)
    (error,) = errors(text)
    assert (error.code, text[error.span.start : error.span.end]) == ("E0409", "f(X)")
    assert "write `[f(X_i)]_{i=1}^{n}` for each row" in error.help
    holds(module(SQUARES + "\\Return [f(X_i)]_{i=1}^{n}", "X", MATRIX), lambda x: (x**2).sum(1), A)
    whole = MATRIX + r" \\ a_j \in \mathbb{R}^{m}, j = 1, \dots, n"
    holds(module(SQUARES + "\\Return f(X)", "X", whole), lambda x: (x**2).sum(0), A)


def test_the_module_that_the_help_offers() -> None:
    text = "\\Module{F}{x ; } \\Return \\LayerNorm(x) \\\\ \\EndModule\n\\Module{M}{x ; } \\Return 2 F(x) \\\\ \\EndModule"
    torch.testing.assert_close(compiled(text).M(d_x=3).double()(A), 2 * torch.nn.functional.layer_norm(A, (3,)))
    made = compiled("\\Module{F}{x ; } \\Return \\LayerNorm(x) \\\\ \\EndModule").F(d_x=3).double()
    torch.testing.assert_close(made(A), torch.nn.functional.layer_norm(A, (3,)))


def test_a_letter_that_nothing_binds() -> None:
    (error,) = errors(
        steps(
            "s \\gets 0\n\\For{$o = 1, \\dots, 3$}\ns \\gets s + x_t o\n\\EndFor\n\\Return s", rows=r"x_t \in \mathbb{R}, t = 1, \dots, n"
        )
    )
    assert (error.code, error.message) == ("E0301", "`x_t` is declared nowhere")
    assert "`t` has a value or a range" in error.notes[0]


TWICE = "\\For{$o = 1, \\dots, 3$}\ns \\gets s + 1\ns \\gets s + x_# o + 1\n\\EndFor\n"
LOOPS: dict[str, tuple[str, Meaning]] = {
    "two assignments a turn": ("s \\gets 0\n" + TWICE.replace("#", "1") + "\\Return s + y_1", lambda x, y: 6 + 6 * x[0] + y[0]),
    "a loop in a loop": (
        "\\For{$t = 1, \\dots, n$}\ns \\gets 0\n" + TWICE.replace("#", "t") + "z_t \\gets s\n\\EndFor\n\\Return z + y_1",
        lambda x, y: 6 + 6 * x + y[0],
    ),
    "carried through both": (
        "s \\gets y_1\n\\For{$t = 1, \\dots, n$}\n" + TWICE.replace("#", "t") + "\\EndFor\n\\Return s",
        lambda x, y: y[0] + 6 * len(x) + 6 * x.sum(),
    ),
    "through a function": (
        "f(o) \\gets 2 o\ns \\gets y_1\n\\For{$o = 1, \\dots, n$}\ns \\gets s + f(o)\ns \\gets s + x_o f(s)\n\\EndFor\n\\Return s",
        lambda x, y: turns(x, y[0]),
    ),
}


def turns(x: Tensor, s: Tensor) -> Tensor:
    for o in range(1, len(x) + 1):
        s = s + 2 * o
        s = s + x[o - 1] * 2 * s
    return s


@pytest.mark.parametrize("case", LOOPS)
def test_loops_that_assign_twice(case: str) -> None:
    body, wanted = LOOPS[case]
    holds(steps(body, rows=r"x_t \in \mathbb{R}, t = 1, \dots, n \\ y_t \in \mathbb{R}, t = 1, \dots, m"), wanted, X, Y)


# ---- functions of papers -----------------------------------------------------------------------

ROWS_OF = r"X \in \mathbb{R}^{n \times d} \\ Y \in \mathbb{R}^{m \times d}"
VECTORS = r"x, y \in \mathbb{R}^{n}"
VECTOR = r"x \in \mathbb{R}^{n}"
EACH_PAIR = "\\quad (i = 1, \\dots, n, j = 1, \\dots, m)\n\\Return K"
one = torch.tensor(0.7, dtype=torch.float64)


def steps_of(x: Tensor) -> Tensor:
    found: list[Tensor] = []
    for value in x:
        found.append(torch.tanh((found[-1] if found else 0) + value))
    return torch.stack(found)


def normal(x: Tensor, m: Tensor, s: Tensor) -> Tensor:
    return torch.distributions.Normal(m, s).log_prob(x).sum()


def square_plus_one(a: Tensor) -> Tensor:
    return a * a + 1


def entropy(x: Tensor) -> Tensor:
    p = x.sigmoid()
    return (-p * p.log() - (1 - p) * (1 - p).log()).sum()


def clipped(r: Tensor, a: Tensor) -> Tensor:
    return torch.minimum(r * a, r.clamp(0.8, 1.2) * a).mean()


def triplets(a: Tensor, p: Tensor, n: Tensor) -> Tensor:
    return ((a - p).pow(2).sum(1) - (a - n).pow(2).sum(1) + 1).clamp(min=0).sum()


PAPERS: dict[str, tuple[str, str, str, Meaning, tuple[Tensor, ...]]] = {
    "a radial kernel": (
        "X, Y",
        ROWS_OF,
        "k(u, v) \\gets \\exp(-\\frac{1}{2} \\lVert u - v \\rVert^2)\nK_{i,j} \\gets k(X_i, Y_j) " + EACH_PAIR,
        lambda x, y: torch.exp(-0.5 * (x[:, None] - y).pow(2).sum(-1)),
        (A, C),
    ),
    "a polynomial kernel": (
        "X, Y",
        ROWS_OF,
        "k(u, v) \\gets (u^\\top v + 1)^3\nK_{i,j} \\gets k(X_i, Y_j) " + EACH_PAIR,
        lambda x, y: (x @ y.T + 1) ** 3,
        (A, C),
    ),
    "a cosine": (
        "X, Y",
        ROWS_OF,
        "c(u, v) \\gets \\frac{u^\\top v}{\\lVert u \\rVert \\lVert v \\rVert}\nK_{i,j} \\gets c(X_i, Y_j) " + EACH_PAIR,
        lambda x, y: torch.cosine_similarity(x[:, None], y[None], -1),
        (A, C),
    ),
    "the Huber loss": (
        "x, y",
        VECTORS,
        "\\ell(r) \\gets \\begin{cases} \\frac{1}{2} r^2 & |r| \\leq 1 \\\\ |r| - \\frac{1}{2} & \\text{otherwise} \\end{cases}\n"
        "\\Return \\sum_{i=1}^{n} \\ell(x_i - y_i)",
        lambda x, y: torch.nn.functional.huber_loss(x, y, reduction="sum"),
        (X, Z),
    ),
    "a hinge loss": (
        "x, y",
        VECTORS,
        "\\ell(s, t) \\gets \\max(0, 1 - s t)\n\\Return \\frac{1}{n} \\sum_{i=1}^{n} \\ell(x_i, y_i)",
        lambda x, y: (1 - x * y).clamp(min=0).mean(),
        (X, Z),
    ),
    "a triplet loss": (
        "X, Y, Z",
        r"X, Y, Z \in \mathbb{R}^{n \times d}",
        "d(u, v) \\gets \\lVert u - v \\rVert^2\n\\ell(a, p, n) \\gets \\max(0, d(a, p) - d(a, n) + 1)\n"
        "\\Return \\sum_{i=1}^{n} \\ell(X_i, Y_i, Z_i)",
        triplets,
        (A, B, A.sin()),
    ),
    "a clipped objective": (
        "r, A",
        r"r, A \in \mathbb{R}^{n}",
        "c(z, e) \\gets \\operatorname{clip}(z, 1 - e, 1 + e)\n\\Return \\frac{1}{n} \\sum_{t=1}^{n} \\min(r_t A_t, c(r_t, 0.2) A_t)",
        clipped,
        (X.exp(), Z),
    ),
    "dice": (
        "x, y",
        VECTORS,
        "D(a, b) \\gets \\frac{2 \\sum_j a_j b_j}{\\sum_j a_j^2 + \\sum_j b_j^2}\n\\Return D(x, y) + D(x, x)",
        lambda x, y: 2 * (x * y).sum() / (x.pow(2).sum() + y.pow(2).sum()) + 1,
        (X, Z),
    ),
    "GELU": (
        "x",
        VECTOR,
        "g(z) \\gets \\frac{1}{2} z \\odot (1 + \\tanh(\\sqrt{2 / \\pi} (z + 0.044715 z^3)))\n\\Return g(x)",
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
        (X,),
    ),
    "swish": (
        r"x, \beta",
        VECTOR + r" \\ \beta \in \mathbb{R}",
        "s(z, b) \\gets z \\odot \\sigma(b z)\n\\Return s(x, \\beta)",
        lambda x, b: x * torch.sigmoid(b * x),
        (X, one),
    ),
    "softplus": (
        "x",
        VECTOR,
        "s(z) \\gets \\log(1 + \\exp(z))\n\\Return s(x) - 2 s(-x)",
        lambda x: torch.nn.functional.softplus(x) - 2 * torch.nn.functional.softplus(-x),
        (X,),
    ),
    "a leaky unit": (
        "x",
        VECTOR,
        "f(z, a) \\gets \\begin{cases} z & z > 0 \\\\ a z & \\text{otherwise} \\end{cases}\n\\Return f(x, 0.1)",
        lambda x: torch.nn.functional.leaky_relu(x, 0.1),
        (X,),
    ),
    "a binary entropy": (
        "x",
        VECTOR,
        "H(p) \\gets -p \\log p - (1 - p) \\log(1 - p)\n\\Return \\sum_{i=1}^{n} H(\\sigma(x_i))",
        entropy,
        (X,),
    ),
    "a normal density": (
        r"x, \mu, s",
        VECTOR + r" \\ \mu, s \in \mathbb{R}",
        "\\phi(z, m, v) \\gets \\frac{1}{\\sqrt{2 \\pi v}} \\exp(-\\frac{(z - m)^2}{2 v})\n"
        "\\Return \\sum_{i=1}^{n} \\log \\phi(x_i, \\mu, s^2)",
        normal,
        (X, one / 2, one),
    ),
    "log sum exp": (
        "x",
        VECTOR,
        "\\ell(z) \\gets \\log \\sum_{j=1}^{n} \\exp(z_j)\n\\Return \\ell(x) + \\ell(2 x)",
        lambda x: x.logsumexp(0) + (2 * x).logsumexp(0),
        (X,),
    ),
    "a norm": (
        "x",
        VECTOR,
        "N(v, p) \\gets (\\sum_{j=1}^{n} |v_j|^p)^{1/p}\n\\Return N(x, 3) + N(x, 2)",
        lambda x: x.norm(3) + x.norm(2),
        (X,),
    ),
    "functions of functions": (
        "x",
        VECTOR,
        "f(a) \\gets a^2 + 1\ng(a) \\gets f(f(a)) - f(a)\n\\Return g(x) + f(g(x))",
        lambda x: (g := square_plus_one(square_plus_one(x)) - square_plus_one(x)) + square_plus_one(g),
        (X,),
    ),
    "indices as arguments": (
        "x",
        VECTOR,
        "w(i, j) \\gets \\frac{1}{1 + (i - j)^2}\nh_i \\gets \\sum_{j=1}^{n} w(i, j) x_j \\quad (i = 1, \\dots, n)\n\\Return h",
        lambda x: (1 / (1 + (torch.arange(len(x))[:, None] - torch.arange(len(x))).to(x.dtype) ** 2)) @ x,
        (X,),
    ),
    "an element by its index": (
        "x",
        VECTOR,
        "d(i) \\gets x_i - x_{i-1}\n\\Return \\sum_{i=2}^{n} d(i)^2 + \\sum_{i=1}^{n} x_i",
        lambda x: x.diff().pow(2).sum() + x.sum(),
        (X,),
    ),
    "in a comprehension": (
        "x",
        VECTOR,
        "f(a) \\gets \\tanh(2 a)\n\\Return \\{f(s) + 1 ; s \\in x\\}",
        lambda x: torch.tanh(2 * x) + 1,
        (X,),
    ),
    "in a list": (
        "x",
        VECTOR,
        "f(a) \\gets a^3\n\\Return [f(x_i) i]_{i=1}^{n}",
        lambda x: x**3 * torch.arange(1, len(x) + 1),
        (X,),
    ),
    "a captured value": (
        "x, y",
        VECTORS,
        "m \\gets \\frac{1}{n} \\sum_{i=1}^{n} x_i\nc(a) \\gets a - m\n\\Return \\sum_{i=1}^{n} c(x_i) c(y_i)",
        lambda x, y: ((x - x.mean()) * (y - x.mean())).sum(),
        (X, Z),
    ),
    "a shadowed name": (
        "x, y",
        VECTORS,
        "m \\gets \\sum_{i=1}^{n} x_i\nf(m) \\gets m^2\n\\Return f(y) + m",
        lambda x, y: y**2 + x.sum(),
        (X, Z),
    ),
    "an argument called like an index": (
        "x, y",
        VECTORS,
        "f(i) \\gets i^2 + 1\n\\Return \\sum_{i=1}^{n} f(x_i) i + \\sum_{j=1}^{n} f(j) y_j",
        lambda x, y: ramp(x * x + 1) + ((torch.arange(1, len(x) + 1) ** 2 + 1) * y).sum(),
        (X, Z),
    ),
    "an argument called like the module": (
        "X, S",
        r"X \in \mathbb{R}^{n \times d} \\ S \in \mathbb{R}^{d \times d}",
        "q(M, v) \\gets v^\\top M v\n\\Return \\sum_{i=1}^{n} (q(S, X_i) + q(S + S^\\top, X_i))",
        lambda x, s: 3 * torch.einsum("ni,ij,nj->", x, s, x),
        (A, S),
    ),
    "attention of a row": (
        "X, Y",
        ROWS_OF,
        "a(q) \\gets \\softmax([q \\cdot Y_j]_{j=1}^{m})\n\\Return [a(X_i)]_{i=1}^{n}",
        lambda x, y: (x @ y.T).softmax(1),
        (A, C),
    ),
    "a layer": (
        "x, A, b",
        VECTOR + r" \\ A \in \mathbb{R}^{m \times n} \\ b \in \mathbb{R}^{m}",
        "f(z) \\gets \\tanh(A z + b)\n\\Return f(x) + f(2 x)",
        lambda x, a, b: torch.tanh(a @ x + b) + torch.tanh(2 * a @ x + b),
        (Y, A, X),
    ),
    "a recurrence": (
        "x",
        VECTOR,
        "f(h, z) \\gets \\tanh(h + z)\nh_1 \\gets f(0, x_1)\nh_t \\gets f(h_{t-1}, x_t) \\quad (t = 2, \\dots, n)\n\\Return h",
        steps_of,
        (X,),
    ),
    "frequencies": (
        "x",
        VECTOR,
        "\\omega(k) \\gets \\frac{1}{10^{2 k / n}}\nh_k \\gets \\sin(\\omega(k) x_k) \\quad (k = 1, \\dots, n)\n\\Return h",
        lambda x: torch.sin(x / 10 ** (2 * torch.arange(1, len(x) + 1).to(x.dtype) / len(x))),
        (X,),
    ),
}


@pytest.mark.parametrize("notation", [module, steps, docstring])
@pytest.mark.parametrize("case", PAPERS)
def test_functions_of_papers(case: str, notation: Callable[..., str]) -> None:
    header, rows, body, wanted, inputs = PAPERS[case]
    holds(notation(body, header, rows), wanted, *inputs)


def test_a_function_that_reaches_itself_is_refused() -> None:
    for body in ("f(a) \\gets f(a - 1) + 1\n\\Return f(x)", "f(a) \\gets g(a)\ng(a) \\gets f(a)\n\\Return f(x)"):
        for notation in (module, steps, docstring):
            assert "E0605" in [e.code for e in errors(notation(body, "x", VECTOR))]


def test_the_letter_of_a_loop_that_a_function_is_written_in() -> None:
    body = "s \\gets 0\n\\For{$t = 1, \\dots, n$}\nf(a) \\gets a t + s\ns \\gets f(x_t)\n\\EndFor\n\\Return s"
    holds(steps(body, "x", VECTOR), ramp, X)


# ---- names of functions with scripts ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("functions", "value"),
    [
        (r"f^2(u) \gets 5 u \\ f(u) \gets u + 1", r"f^2(x)"),
        (r"\Phi^{-1}(u) \gets \tanh(u)", r"\Phi^{-1}(x)"),
        (r"f^a(u) \gets 2 u", r"f^a(x)"),
        (r"\phi_k(u) \gets u^k \quad (k = 0, \dots, 3)", r"\sum_{k=0}^{3} \phi_k(x)"),
        (r"\phi_k(u) \gets u^k", r"\sum_{k=0}^{3} \phi_k(x)"),
        (r"B_i(u) \gets \max(0, 1 - (u - i)^2)", r"\sum_{i=1}^{3} B_i(x)"),
    ],
)
def test_functions_with_an_index_or_a_superscript_are_refused(functions: str, value: str) -> None:
    found = errors_in(
        rf"\Module{{F}}{{x}} {functions} \\ \Return {value} \\ \EndModule \begin{{where}} x \in \mathbb{{R}} \\ \end{{where}}"
    )
    assert "E0701" in found


@pytest.mark.parametrize("value", [r"\phi_2(x) + 1", r"f^{(1)}(x)", r"\Psi^{-1}(x + 1)"])
def test_an_application_of_what_nothing_declares_is_no_product(value: str) -> None:
    text = rf"\Module{{F}}{{x}} \phi_k(u) \gets u + 1 \\ \Return {value} \\ \EndModule \begin{{where}} x \in \mathbb{{R}} \\ \end{{where}}"
    assert errors_in(text) == ["E0305"]


@pytest.mark.parametrize(
    ("function", "value"), [(r"K_h(u) \gets 3 u", "K_h(x)"), (r"D_{KL}(u) \gets 3 u", "D_{KL}(x)"), (r"f'(u) \gets 3 u", "f'(x)")]
)
def test_functions_with_a_label(function: str, value: str) -> None:
    text = rf"\Module{{F}}{{x}} {function} \\ \Return {value} \\ \EndModule \begin{{where}} x \in \mathbb{{R}} \\ \end{{where}}"
    assert mathdsl.compile(text).load().F()(torch.tensor(2.0)) == 6.0


@pytest.mark.parametrize("value", [r"a^{(1)} x + a^{(2)}", r"x^{(2)}", r"a^{(q)} x"])
def test_a_label_in_a_superscript_is_no_power(value: str) -> None:
    text = rf"\Module{{F}}{{x, a}} \Return {value} \\ \EndModule \begin{{where}} x, a \in \mathbb{{R}} \\ \end{{where}}"
    assert set(errors_in(text)) == {"E0701"}


def errors_in(text: str) -> list[str]:
    return [d.code for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
