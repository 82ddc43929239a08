r"""Functions of the author: an argument hides everything of its name, free names of a body belong to where it is written."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import api
from mathdsl.spans import SourceFile

ROWS = r"""\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, n \\
y_t \in \mathbb{R}, t = 1, \dots, m \\
\end{where}
"""
MATRICES = r"""\begin{where}
X_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, m \\
y_t \in \mathbb{R}, t = 1, \dots, m \\
\end{where}
"""


def module(body: str, header: str = "x, y", where: str = ROWS) -> str:
    lines = "\n".join(line + r" \\" for line in body.strip().splitlines())
    return f"\\Module{{M}}{{{header} ; }}\n{lines}\n{where}\\EndModule\n"


def made(text: str, name: str = "M") -> Any:
    result = api.compile_files([SourceFile("-", text)])
    assert result.ok, [d.message for d in result.diagnostics]
    return getattr(result.load(), name)


def codes(text: str) -> list[tuple[str, str]]:
    result = api.compile_files([SourceFile("-", text)])
    return [(d.code, d.help) for d in result.diagnostics if d.severity == "error"]


def holds(text: str, wanted: Any, *inputs: Tensor, **sizes: int) -> None:
    """A module's value and its gradient are those of `wanted`; a batch gives what its examples give alone."""
    ours = [i.clone().requires_grad_(i.is_floating_point()) for i in inputs]
    theirs = [i.clone().requires_grad_(i.is_floating_point()) for i in inputs]
    found, known = made(text)(**sizes)(*ours), wanted(*theirs)
    torch.testing.assert_close(found, known, rtol=1e-10, atol=1e-10)
    if known.requires_grad:
        weights = torch.cos(torch.arange(known.numel(), dtype=torch.float64)).reshape(known.shape) + 2
        ours_, theirs_ = ([i for i in some if i.is_floating_point()] for some in (ours, theirs))
        for i, a, b in zip(
            ours_,
            torch.autograd.grad((found * weights).sum(), ours_, allow_unused=True),
            torch.autograd.grad((known * weights).sum(), theirs_, allow_unused=True),
            strict=True,
        ):
            torch.testing.assert_close(torch.zeros_like(i) if a is None else a, torch.zeros_like(i) if b is None else b)
    check_text(text)


X = torch.tensor([0.3, -1.2, 2.0, 0.7], dtype=torch.float64)
Y = torch.tensor([1.5, 0.4, -0.8], dtype=torch.float64)
A = torch.tensor([[0.3, -1.2, 2.0], [0.7, 0.1, -0.4], [1.1, 0.9, 0.2], [-0.6, 0.5, 0.8]], dtype=torch.float64)

# ---- an argument hides every array of its name -----------------------------------------------

ELEMENTS: dict[str, tuple[str, Any]] = {
    "a sum over the argument": ("f(x) \\gets \\sum_j x_j^2\n\\Return f(y) + x_1", lambda x, y: (y**2).sum() + x[0]),
    "brackets": ("f(x) \\gets x[1] x[2]\n\\Return f(y) + x_1", lambda x, y: y[0] * y[1] + x[0]),
    "numbers": ("f(x) \\gets x_1 - x_3\n\\Return f(y) + x_1", lambda x, y: y[0] - y[2] + x[0]),
    "a slice": ("f(x) \\gets x_{2:3}\n\\Return f(y) + x_1", lambda x, y: y[1:3] + x[0]),
    "a slice as the argument": ("f(x) \\gets \\sum_j x_j^2\n\\Return f(y[2:3]) + x_1", lambda x, y: (y[1:3] ** 2).sum() + x[0]),
    "its size": ("f(x) \\gets \\sum_{j=1}^{x.\\sz{1}} x_j / x.\\sz{1}\n\\Return f(y) + x_1", lambda x, y: y.mean() + x[0]),
    "an index that is an argument": ("f(x, j) \\gets x_j x_{j-1}\n\\Return f(y, 3) + x_1", lambda x, y: y[2] * y[1] + x[0]),
    "an index that runs outside": (
        "f(x, j) \\gets x_j x_{j-1}\n\\Return \\sum_{k=2}^{m} f(y, k) + x_1",
        lambda x, y: (y[1:] * y[:-1]).sum() + x[0],
    ),
    "an argument called like an index": (
        "f(j, x) \\gets \\sum_k x_k j_k\n\\Return \\sum_{j=1}^{2} f(y, y) + x_1",
        lambda x, y: 2 * (y**2).sum() + x[0],
    ),
    "rows of cases": (
        "f(x) \\gets \\begin{cases} x_1 & x_2 > 0 \\\\ x_2 & \\text{otherwise} \\end{cases}\n\\Return f(y) + x_1",
        lambda x, y: y[0] + x[0],
    ),
    "several arguments change places": (
        "f(x) \\gets \\sum_j x_j^2\ng(x, y) \\gets f(x) - 3 f(y)\n\\Return g(y, x)",
        lambda x, y: (y**2).sum() - 3 * (x**2).sum(),
    ),
    "a value as the argument": ("f(x) \\gets \\sum_j x_j^2\n\\Return f(2 y) + x_1", lambda x, y: 4 * (y**2).sum() + x[0]),
    "an element of a value": ("f(x) \\gets x_2\n\\Return f(\\exp(y)) + x_1", lambda x, y: torch.exp(y[1]) + x[0]),
    "a maximum": ("f(x) \\gets \\max_j x_j\n\\Return f(y) + x_1", lambda x, y: y.max() + x[0]),
    "a softmax": ("f(x) \\gets \\softmax_j(x_j)\n\\Return f(y) + x_1", lambda x, y: torch.softmax(y, 0) + x[0]),
    "a list": ("f(x) \\gets [x_j^2]_{j=1}^{2}\n\\Return f(y) + x_1", lambda x, y: y[:2] ** 2 + x[0]),
    "an accent": ("f(\\hat{x}) \\gets \\hat{x}_1 x_1\n\\Return f(y)", lambda x, y: y[0] * x[0]),
    "a prime": ("f(x') \\gets x'_1 x_1\n\\Return f(y)", lambda x, y: y[0] * x[0]),
    "a family of values": (
        "g(h) \\gets h_1 + h_2\nh_t \\gets 2 x_t \\quad (t = 1, \\dots, n)\n\\Return g(y) + h_1",
        lambda x, y: y[0] + y[1] + 2 * x[0],
    ),
    "a name with a label beside it": ("w_a \\gets 3\nf(w) \\gets w + w_a\n\\Return f(y) + x_1", lambda x, y: y + 3 + x[0]),
    "an argument with a label": ("w_a \\gets 3\nf(w_a) \\gets w_a + x_1\n\\Return f(y)", lambda x, y: y + x[0]),
    "a family with a label": ("f(w_a) \\gets \\sum_{j=1}^{m} w_{a,j} x_1\n\\Return f(y)", lambda x, y: y.sum() * x[0]),
    "arguments with an index": (
        "k(x_i, x_j) \\gets \\exp(-(x_i - 2 x_j)^2)\nz_{i,j} \\gets k(x_i, y_j) \\quad (i = 1, \\dots, n, j = 1, \\dots, m)\n\\Return z",
        lambda x, y: torch.exp(-((x[:, None] - 2 * y[None]) ** 2)),
    ),
    "arguments with an index under their index": (
        "k(x_i, x_j) \\gets x_i - 2 x_j\n\\Return \\sum_{i=1}^{n} \\sum_{j=1}^{m} k(y_j, x_i)",
        lambda x, y: (y[None] - 2 * x[:, None]).sum(),
    ),
    "an element of what a comprehension runs over": (
        "f(x) \\gets \\sum_j x_j^2\n\\Return \\{f([s, 2 s]) + x_1 ; s \\in y\\}",
        lambda x, y: 5 * y**2 + x[0],
    ),
}


@pytest.mark.parametrize("case", ELEMENTS)
def test_elements_of_an_argument(case: str) -> None:
    body, wanted = ELEMENTS[case]
    holds(module(body), wanted, X, Y)


OF_MATRICES: dict[str, tuple[str, Any]] = {
    "a column": ("f(y) \\gets \\sum_i y_{i,1}\n\\Return f(X) + y_1", lambda x, y: x[:, 0].sum() + y[0]),
    "rows of a matrix": (
        "f(y) \\gets \\sum_j y_j^2\nz_i \\gets f(X_i) + y_1 \\quad (i = 1, \\dots, n)\n\\Return z",
        lambda x, y: (x**2).sum(1) + y[0],
    ),
    "columns of a matrix": (
        "f(y) \\gets \\sum_j y_j^2\nz_k \\gets f(X_{\\cdot,k}) + y_1 \\quad (k = 1, \\dots, m)\n\\Return z",
        lambda x, y: (x**2).sum(0) + y[0],
    ),
    "the size of a column": (
        "f(y) \\gets \\sum_{j=1}^{y.\\sz{1}} y_j y.\\sz{1}\nz_k \\gets f(X_{\\cdot,k}) \\quad (k = 1, \\dots, m)\n\\Return z",
        lambda x, y: x.sum(0) * x.shape[0],
    ),
    "a matrix that is computed": (
        "f(X) \\gets \\sum_i X_{i,i}\n\\Return f(X^\\top X) + y_1",
        lambda x, y: torch.trace(x.T @ x) + y[0],
    ),
    "elements of rows": (
        "f(X) \\gets \\sum_i X_i^2\n\\Return \\sum_{i=1}^{n} f(X_i) + y_1",
        lambda x, y: (x**2).sum() + y[0],
    ),
    "both axes": (
        "f(y) \\gets \\sum_{i=1}^{y.\\sz{1}} \\sum_{j=1}^{y.\\sz{2}} y_{i,j}^2\n\\Return f(X) + y_1",
        lambda x, y: (x**2).sum() + y[0],
    ),
}


@pytest.mark.parametrize("case", OF_MATRICES)
def test_elements_of_a_matrix(case: str) -> None:
    body, wanted = OF_MATRICES[case]
    holds(module(body, "X, y", MATRICES), wanted, A, Y)


# ---- free names belong to where the function is written --------------------------------------

CAPTURED: dict[str, tuple[str, Any]] = {
    "an argument of the caller": (
        "f(a) \\gets a + y_1\ng(y) \\gets f(2 y)\n\\Return g(x)",
        lambda x, y: 2 * x + y[0],
    ),
    "an argument of the caller's caller": (
        "f(a) \\gets a + y_1\ng(y) \\gets f(2 y)\nh(y) \\gets g(3 y)\n\\Return h(x)",
        lambda x, y: 6 * x + y[0],
    ),
    "an index of a sum": ("k \\gets 3\nf(a) \\gets a^k\n\\Return \\sum_{k=1}^{2} f(x) + y_1", lambda x, y: 2 * x**3 + y[0]),
    "an index of a definition": (
        "k \\gets 3\nf(a) \\gets a k\nz_k \\gets f(y_k) + x_1 \\quad (k = 1, \\dots, m)\n\\Return z",
        lambda x, y: 3 * y + x[0],
    ),
    "an element of a comprehension": ("s \\gets 2\nf(a) \\gets a / s\n\\Return \\{f(s) ; s \\in x\\} + y_1", lambda x, y: x / 2 + y[0]),
    "an index of the body": ("f(i) \\gets \\sum_{i=1}^{3} i\n\\Return f(x_1) x + y_1", lambda x, y: 6 * x + y[0]),
    "an index of the body in a script": (
        "f(i) \\gets \\sum_{i=1}^{3} y_i\n\\Return f(x_1) x",
        lambda x, y: y.sum() * x,
    ),
    "an argument that names a function": (
        "g(a) \\gets 2 a\nf(a) \\gets g(a)\nh(g) \\gets f(g) + g\n\\Return h(x) + y_1",
        lambda x, y: 3 * x + y[0],
    ),
    "arguments with reserved letters": (
        "f(\\pi) \\gets \\pi + 1\ng(e) \\gets e^2\nh(\\sigma) \\gets 2 \\sigma\n\\Return f(x) + g(x) + h(x) + \\pi e^{y_1}",
        lambda x, y: x + 1 + x**2 + 2 * x + math.pi * torch.exp(y[0]),
    ),
    "a reserved letter in a body": (
        "f(a) \\gets e^a + \\pi\ng(e) \\gets f(e)\nh(\\pi) \\gets f(\\pi)\n\\Return g(x) + h(x) + y_1",
        lambda x, y: 2 * (torch.exp(x) + math.pi) + y[0],
    ),
    "the function of a reserved letter": (
        "f(a) \\gets \\sigma(a)\ng(\\sigma) \\gets f(\\sigma)\n\\Return g(x) + y_1",
        lambda x, y: torch.sigmoid(x) + y[0],
    ),
    "a built-in function": (
        "f(a) \\gets \\exp(a)\ng(\\exp) \\gets f(\\exp)\n\\Return g(x) + y_1",
        lambda x, y: torch.exp(x) + y[0],
    ),
    "powers of an argument": ("f(a) \\gets \\sum_{k=0}^{2} a^k\n\\Return f(x) + y_1", lambda x, y: 1 + x + x**2 + y[0]),
}


@pytest.mark.parametrize("case", CAPTURED)
def test_free_names_of_a_body(case: str) -> None:
    body, wanted = CAPTURED[case]
    holds(module(body), wanted, X, Y)


OF_DOCUMENTS: dict[str, tuple[str, str, Any]] = {
    "a module that redefines a function": (
        "h(a) \\gets 2 a \\\\\nf(a) \\gets h(a) + 1 \\\\\n",
        "h(a) \\gets 100 a\n\\Return f(x) + h(x) + y_1",
        lambda x, y: 2 * x + 1 + 100 * x + y[0],
    ),
    "a value called like a function": (
        "h(a) \\gets 2 a \\\\\nf(a) \\gets h(a) + 1 \\\\\n",
        "h \\gets 5\n\\Return f(x) + h y_1",
        lambda x, y: 2 * x + 1 + 5 * y[0],
    ),
    "an alias of a module": (
        "f(a) \\gets \\sigma(a) \\\\\n",
        "\\sigma \\gets \\tanh\n\\Return f(x) + \\sigma(y_1)",
        lambda x, y: torch.sigmoid(x) + torch.tanh(y[0]),
    ),
    "an alias of the document": (
        "\\phi \\gets \\tanh \\\\\nf(a) \\gets \\phi(a) \\\\\n",
        "\\phi \\gets 3\n\\Return f(x) + \\phi y_1",
        lambda x, y: torch.tanh(x) + 3 * y[0],
    ),
    "an array called like an argument": (
        "f(x) \\gets \\sum_j x_j^2 \\\\\n",
        "\\Return f(y) + x",
        lambda x, y: (y**2).sum() + x,
    ),
    "an index of the caller": (
        "g(a) \\gets a^2 \\\\\nf(k) \\gets \\sum_j g(k_j) \\\\\n",
        "\\Return \\sum_{k=1}^{2} f(y) + \\sum_{j=1}^{2} f(y) x",
        lambda x, y: 2 * (y**2).sum() * (1 + x),
    ),
}


@pytest.mark.parametrize("case", OF_DOCUMENTS)
def test_free_names_of_a_body_of_the_document(case: str) -> None:
    functions, body, wanted = OF_DOCUMENTS[case]
    holds(functions + module(body), wanted, X, Y)


def test_an_input_called_like_a_reserved_letter() -> None:
    rows = ROWS.replace("y_t", "e \\in \\mathbb{R} \\\\\ny_t")
    text = "f(a) \\gets e^a \\\\\n" + module("\\Return f(x) + e y_1", "x, y, e", rows)
    holds(text, lambda x, y, e: torch.exp(x) + e * y[0], X, Y, torch.tensor(5.0, dtype=torch.float64))


# ---- the sizes in the table of a function ----------------------------------------------------

MEAN = "mean(x) \\gets \\sum_{i=1}^{n} x_i / n \\\\\n\\begin{where} x_i \\in \\mathbb{R}, i = 1, \\dots, n \\\\ \\end{where}\n"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("\\Return mean(y) + x_n", lambda x, y: y.mean() + x[-1]),
        ("\\Return mean(y) + 3 mean(x)", lambda x, y: y.mean() + 3 * x.mean()),
        ("\\Return mean(y) x n", lambda x, y: y.mean() * x * len(x)),
    ],
    ids=["another n of the caller", "two sizes", "the caller's n as a number"],
)
def test_a_size_in_the_table_of_a_function_is_that_of_its_argument(body: str, wanted: Any) -> None:
    found = made(MEAN + module(body))()(X, Y)
    torch.testing.assert_close(found, wanted(X, Y), rtol=1e-10, atol=1e-10)


# ---- what is refused -------------------------------------------------------------------------


def test_bars_around_an_argument_that_is_indexed() -> None:
    holds(module("f(w) \\gets \\sum_{j=1}^{m} w_j / |w|\n\\Return f(y) + x_1"), lambda x, y: y.mean() + x[0], X, Y)


def test_bars_around_an_argument_that_is_a_number() -> None:
    holds(module("f(x) \\gets |x| + y_1\n\\Return f(2 x)"), lambda x, y: (2 * x).abs() + y[0], X, Y)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("f(a, a) \\gets a\n\\Return f(x, x) + y_1", "E0302"),
        ("f(2) \\gets 3\n\\Return f(x) + y_1", "E0302"),
        ("k(x_i) \\gets x_i + i\n\\Return \\sum_{i=1}^{2} k(y_i) + x_1", "E0301"),
        ("g(a) \\gets a + b_1\nh(b) \\gets g(2)\n\\Return h(y) + x_1", "E0301"),
    ],
    ids=["two arguments of one name", "a number", "an index of an argument", "an argument of the caller"],
)
def test_refused(body: str, code: str) -> None:
    found = codes(module(body))
    assert code in [c for c, _ in found]
    assert all(help_text for _, help_text in found)


# ---- the algorithm notations -----------------------------------------------------------------


def steps(body: str) -> str:
    lines = "\n".join(line if line.startswith(("\\For", "\\End", "\\If", "\\Else")) else f"\\State ${line}$" for line in body.split("\n"))
    return f"\\begin{{algorithmic}}\n\\Procedure{{M}}{{$x, y$}}\n{lines}\n{ROWS}\\EndProcedure\n\\end{{algorithmic}}\n"


IN_ORDER: dict[str, tuple[str, Any]] = {
    "a name that is assigned again": (
        "a \\gets y_1\nf(u) \\gets u + a\na \\gets 2\n\\Return f(x) + a",
        lambda x, y: x + y[0] + 2,
    ),
    "names of two times": (
        "a \\gets y_1\nf(u) \\gets u + a\na \\gets 2\ng(u) \\gets f(u) a\na \\gets 10\n\\Return g(x) + a",
        lambda x, y: (x + y[0]) * 2 + 10,
    ),
    "a name that a loop carries on": (
        "a \\gets y_1\nf(u) \\gets u + a\n\\For{$t = 1, \\dots, 3$}\na \\gets a + f(1)\n\\EndFor\n\\Return f(x) + a",
        lambda x, y: x + y[0] + y[0] + 3 * (1 + y[0]),
    ),
    "an element that is assigned later": (
        "f(u) \\gets u + x_1\nx_1 \\gets 5\n\\Return f(y) + x_1",
        lambda x, y: y + x[0] + 5,
    ),
    "an argument called like an array that is updated": (
        "x_1 \\gets y_1\nf(x) \\gets x_1 - 2 x_2\n\\Return f(y)",
        lambda x, y: y[0] - 2 * y[1],
    ),
    "an argument called like a name that is assigned": (
        "a \\gets 2 y_1\na \\gets a + 3\nf(a) \\gets a^2\na \\gets 4\n\\Return f(x) + a y_1",
        lambda x, y: x**2 + 4 * y[0],
    ),
    "the variable of the loop it is written in": (
        "s \\gets y_1\n\\For{$t = 1, \\dots, n$}\nf(u) \\gets u t\ns \\gets s + f(x_t)\n\\EndFor\n\\Return s",
        lambda x, y: (x * torch.arange(1, len(x) + 1)).sum() + y[0],
    ),
    "an argument called like the variable of a loop": (
        "s \\gets y_1\n\\For{$t = 1, \\dots, n$}\nf(t) \\gets t^2\ns \\gets s + f(x_t)\n\\EndFor\n\\Return s",
        lambda x, y: (x**2).sum() + y[0],
    ),
    "an index called like a name that is assigned": (
        "k \\gets 3\nf(u) \\gets u k\nk \\gets 4\n\\Return \\sum_{k=1}^{2} f(k x) + y_1 k",
        lambda x, y: 9 * x + 4 * y[0],
    ),
}


@pytest.mark.parametrize("case", IN_ORDER)
def test_a_function_has_the_names_of_where_it_is_written(case: str) -> None:
    body, wanted = IN_ORDER[case]
    holds(steps(body), wanted, X, Y)


@pytest.mark.parametrize("call", ["\\Return s + f(1)", "\\For{$t = 1, \\dots, n$}\ns \\gets s + f(1)\n\\EndFor\n\\Return s"])
def test_the_variable_of_a_loop_has_no_value_outside(call: str) -> None:
    loop = "s \\gets y_1\n\\For{$t = 1, \\dots, n$}\nf(u) \\gets u t\ns \\gets s + f(x_t)\n\\EndFor\n"
    assert [code for code, _ in codes(steps(loop + call))] == ["E0301"]
    made(steps(loop.replace("f(u)", "f(u, t)").replace("f(x_t)", "f(x_t, t)") + call.replace("f(1)", "f(1, 2)")))
