r"""Iterates, grids and their edges in all forms of script: `u_i^{k+1}`, `u_i^{(k+1)}`, `u_{k+1,i}`, `u[k+1, i]` are one array.

What is written `u(i, k)` here stands for an element in each of these forms, and `u(k)` for the row of one iterate; Python computes the same
statements. The header gives the first iterate as `x^{(0)}`, or a loop does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.test_algorithms_of_textbooks import SYSTEM, VECTOR
from tests.test_arrays_executed import algorithmic, docstring, drawn, slopes

FORMS = {
    "above": (r"\1_{\2}^{\3}", r"\1^{\2}"),
    "above in parentheses": (r"\1_{\2}^{(\3)}", r"\1^{(\2)}"),
    "above, first": (r"\1^{(\3)}_{\2}", r"\1^{(\2)}"),
    "below": (r"\1_{\3,\2}", r"\1_{\2}"),
    "in brackets": (r"\1[\3, \2]", r"\1[\2]"),
    "in brackets of a row": (r"\1^{(\3)}[\2]", r"\1^{(\2)}"),
    "in brackets of a row below": (r"\1_{\3}[\2]", r"\1_{\2}"),
}


def spelled(text: str, form: str) -> str:
    element, row = FORMS[form]
    return re.sub(r"\b([ux])\(([^(),]*)\)", row, re.sub(r"\b([ux])\(([^(),]*?), ([^(),]*)\)", element, text))


def heat(g: Tensor, edge: Callable[[Tensor, int], Any]) -> Tensor:
    u = g
    for _ in range(3):
        inner = [u[i] + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1]) for i in range(1, len(g) - 1)]
        u = torch.stack([edge(u, 0), *inner, edge(u, -1)][: len(g)])
    return u


def gauss_seidel(a: Tensor, b: Tensor, x: Tensor, omega: float = 1.0) -> Tensor:
    now = list(x)
    for _ in range(3):
        for i in range(len(b)):
            rest = sum((a[i, j] * now[j] for j in range(len(b)) if j != i), 0 * b[0])
            now[i] = (1 - omega) * now[i] + omega * (b[i] - rest) / a[i, i]
    return torch.stack(now)


def jacobi(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    diagonal = torch.diagonal(a)
    for _ in range(3):
        x = (b - a @ x + diagonal * x) / diagonal
    return x


def normalised(x: Tensor) -> Tensor:
    u = x / 2
    for _ in range(3):
        u = (u + x) / (u + x).norm()
    return u


def smoothed(g: Tensor) -> Tensor:
    u = g
    for _ in range(2):
        inner = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
        u = torch.cat([u[:1], torch.cat([u[1:-1, :1], inner, u[1:-1, -1:]], 1), u[-1:]]) if len(g) > 2 else u
    return u


STEP = "u(i, k) + 0.1 (u(i+1, k) - 2 u(i, k) + u(i-1, k))"
INNER = f"for i = 2..n-1; u(i, k+1) <- {STEP}; end"
FIRST = "for i = 1..n; u(i, 0) <- x_i; end"
ROWS = r"\sum_{j<i} A_{i,j} x(j, k+1) - \sum_{j>i} A_{i,j} x(j, k)"
GRIDS: dict[str, tuple[str, str, str, Callable[..., Tensor], str]] = {
    "edges behind the inside": (
        VECTOR,
        "x",
        f"{FIRST}; for k = 0..2; {INNER}; u(1, k+1) <- 0; u(n, k+1) <- 0; end; return u(3)",
        lambda g: heat(g, lambda u, _: 0 * u[0]),
        "n",
    ),
    "an edge on each side of the inside": (
        VECTOR,
        "x",
        f"{FIRST}; for k = 0..2; u(1, k+1) <- u(1, k); {INNER}; u(n, k+1) <- u(n, k); end; return u(3)",
        lambda g: heat(g, lambda u, i: u[i]),
        "n",
    ),
    "edges in a loop of their own before all others": (
        VECTOR,
        "x",
        f"for k = 1..3; u(1, k) <- 0; u(n, k) <- 0; end; {FIRST}; for k = 0..2; {INNER}; end; return u(3)",
        lambda g: heat(g, lambda u, _: 0 * u[0]),
        "n",
    ),
    "edges with a neighbour on the other side": (
        VECTOR,
        "x",
        f"{FIRST}; for k = 0..2; {INNER}; u(1, k+1) <- u(1, k) + 0.1 u(n, k); u(n, k+1) <- u(n, k) + 0.1 u(1, k); end; return u(3)",
        lambda g: heat(g, lambda u, i: u[i] + 0.1 * u[-1 - i]),
        "n",
    ),
    "a sweep that reads what it has assigned": (
        SYSTEM,
        "A, b",
        f"for i = 1..n; x(i, 0) <- 0; end; for k = 0..2; for i = 1..n; x(i, k+1) <- (b_i - {ROWS}) / A_{{i,i}}; end; end; return x(3)",
        lambda a, b: gauss_seidel(a, b, 0 * b),
        "n,n:spd n",
    ),
    "a sweep from a whole row": (
        SYSTEM,
        "A, b",
        rf"x(0) <- \mathbf{{0}}; for k = 0..2; for i = 1..n; x(i, k+1) <- (b_i - {ROWS}) / A_{{i,i}}; end; end; return x(3)",
        lambda a, b: gauss_seidel(a, b, 0 * b),
        "n,n:spd n",
    ),
    "a sweep from what the header gives": (
        SYSTEM + r", x(0) \in \mathbb{R}^{n}",
        "A, b, x(0)",
        f"for k = 0..2; for i = 1..n; x(i, k+1) <- 0.2 x(i, k) + 0.8 (b_i - {ROWS}) / A_{{i,i}}; end; end; return x(3)",
        lambda a, b, x: gauss_seidel(a, b, x, 0.8),
        "n,n:spd n n",
    ),
    "a row that is made smaller in each turn": (
        VECTOR,
        "x",
        "for i = 1..n; u(i, 0) <- x_i; end; u(0) <- u(0) / 2; for k = 0..2; for i = 1..n; u(i, k+1) <- u(i, k) + x_i; end; "
        r"u(k+1) <- u(k+1) / \|u(k+1)\|; end; return u(3)",
        normalised,
        "n",
    ),
    "a step from what the header gives": (
        SYSTEM + r", x(0) \in \mathbb{R}^{n}",
        "A, b, x(0)",
        r"for k = 0..2; for i = 1..n; x(i, k+1) <- (b_i - \sum_{j \neq i} A_{i,j} x(j, k)) / A_{i,i}; end; end; return x(3)",
        jacobi,
        "n,n:spd n n",
    ),
}


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", GRIDS)
def test_grids_in_all_forms_of_script(name: str, form: str, write: Callable[..., str]) -> None:
    declared, header, lines, meaning, shapes = GRIDS[name]
    if form == "in brackets" and "x(0)" in header:
        pytest.skip("a header lists names")
    text = write(spelled(declared, form), spelled(header, form), [spelled(line.strip(), form) for line in lines.split(";")])
    check(text, meaning, shapes)


def check(text: str, meaning: Callable[..., Any], shapes: str, sizes: tuple[int, ...] = (5, 3, 2, 1)) -> None:
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().F()
    for n in sizes:
        examples = [drawn(shapes, n, seed) for seed in range(3)]
        together = module(*(torch.stack(column) for column in zip(*examples, strict=True)))
        for number, given in enumerate(examples):
            found, wanted = module(*given), meaning(*given)
            torch.testing.assert_close(found, wanted)
            torch.testing.assert_close(slopes(found.reshape(-1), given), slopes(wanted.reshape(-1), given))
            torch.testing.assert_close(together[number], wanted)


def casteljau(x: Tensor) -> Tensor:
    while len(x) > 1:
        x = 0.7 * x[:-1] + 0.3 * x[1:]
    return x[0]


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("form", FORMS)
def test_a_table_whose_columns_get_shorter(form: str, write: Callable[..., str]) -> None:
    lines = f"{FIRST}; for k = 1..n-1; for i = 1..n-k; u(i, k) <- 0.7 u(i, k-1) + 0.3 u(i+1, k-1); end; end; return u(1, n-1)"
    check(write(VECTOR, "x", [spelled(line.strip(), form) for line in lines.split(";")]), casteljau, "n")


@pytest.mark.parametrize("element", [r"u_{i,j}^{(k)}", r"u_{i,j}^{k}", r"u_{k,i,j}", r"u[k, i, j]"])
@pytest.mark.parametrize("before", [True, False])
def test_a_grid_of_two_axes_with_fixed_edges(element: str, before: bool) -> None:
    def at(i: str, j: str, k: str) -> str:
        return re.sub("[ijk]", lambda letter: {"i": i, "j": j, "k": k}[letter[0]], element)

    row = re.sub(r"_\{i,j\}|, ?i, ?j", "", element).replace("k", "2")
    inner = " + ".join(at(*place, "k") for place in (("i-1", "j"), ("i+1", "j"), ("i", "j-1"), ("i", "j+1")))
    inside = f"for i = 2..n-1; for j = 2..n-1; {at('i', 'j', 'k+1')} <- ({inner}) / 4; end; end"
    edges = "for i = 1..n; " + "; ".join(f"{at(*p, 'k+1')} <- {at(*p, 'k')}" for p in (("i", "1"), ("i", "n"))) + "; end; "
    edges += "for j = 2..n-1; " + "; ".join(f"{at(*p, 'k+1')} <- {at(*p, 'k')}" for p in (("1", "j"), ("n", "j"))) + "; end"
    turn = f"{edges}; {inside}" if before else f"{inside}; {edges}"
    lines = f"for i = 1..n; for j = 1..n; {at('i', 'j', '0')} <- x_{{i,j}}; end; end; for k = 0..1; {turn}; end; return {row}"
    text = algorithmic(r"x \in \mathbb{R}^{n \times n}", "x", [line.strip() for line in lines.split(";")])
    check(text, smoothed, "n,n", (4, 3, 2))


def test_an_argument_of_a_function_is_no_iterate() -> None:
    for element, row in (("x_i^{(k)}", "x^{(3)}"), ("x^{(k)}", "x^{(3)}")):
        lines = ["f(x) <- x^3 - 1", "for k = 0..2", "for i = 1..n", f"{element.replace('k', 'k+1')} <- {element} - 0.1 f({element})", "end"]
        lines = lines if "_i" in element else [line for line in lines if line not in ("for i = 1..n", "end")]
        text = algorithmic(r"x^{(0)} \in \mathbb{R}^{n}", "x^{(0)}", [*lines, "end", f"return {row}"])

        def meaning(x: Tensor) -> Tensor:
            for _ in range(3):
                x = x - 0.1 * (x**3 - 1)
            return x

        check(text, meaning, "n")


def test_a_sum_over_an_index_of_an_array_in_parentheses() -> None:
    values = r"R(s, a) + 0.9 \sum_{t} P(s, a, t) V^{(k)}(t)"
    lines = rf"for s = 1..n; V^{{(0)}}(s) <- 0; end; for k = 0..2; for s = 1..n; V^{{(k+1)}}(s) <- \max_{{a}} ({values}); end; end"
    declared = r"R \in \mathbb{R}^{n \times m}, P \in \mathbb{R}^{n \times m \times n}"
    text = algorithmic(declared, "R, P", [line.strip() for line in (lines + "; return V^{(3)}").split(";")])

    def meaning(rewards: Tensor, chances: Tensor) -> Tensor:
        v = 0 * rewards[:, 0]
        for _ in range(3):
            v = (rewards + 0.9 * chances @ v).amax(1)
        return v

    check(text, meaning, "n,k n,k,n")


def test_a_label_below_a_name_stays_one_beside_an_index_in_brackets() -> None:
    lines = [r"h_{out}[0] <- 0", "for t = 1..n", r"h_{out}[t] <- h_{out}[t-1] + x_t", "end", "return h_{out}[n]"]
    check(algorithmic(VECTOR, "x", lines), lambda x: x.sum(), "n")
