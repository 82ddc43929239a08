r"""What a call gives, unpacked in branches and into elements of an array: `(x_j, x_{j+1}) \gets \mathrm{swap}(x_j, x_{j+1})`."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

PAIR = r"\Require $a, b \in \mathbb{R}$ \Procedure{both}{$a, b$} \State \Return $(2 b, a - b)$ \EndProcedure " + "\n"
VECTOR = (r"x \in \mathbb{R}^{n}",)
NUMBERS = (r"x \in \mathbb{R}", r"y \in \mathbb{R}", r"z \in \mathbb{R}")


def both(a: Any, b: Any) -> tuple[Any, Any]:
    return 2 * b, a - b


def sweep(x: Any, *, where: bool) -> Any:
    for j in range(1, len(x)):
        if not where or x[j] > x[j + 1]:
            x[j], x[j + 1] = both(x[j], x[j + 1])
    return x


def chosen(x: Any, y: Any, z: Any) -> Any:
    if z > 0:
        x, y = both(x, y)
        x, z = both(x, z)
    else:
        y, z = both(z, x)
    return x + 3 * y - z


def in_turns(x: Any) -> Any:
    a, b = x[1], x[1]
    for one in x:
        a, b = both(a, b)
        if one > 0.2:
            a, b = both(b, one)
    return a - 2 * b


CALL = r"\mathrm{both}"
ARRAYS: dict[str, tuple[str, Meaning]] = {
    "two elements": (f"for j = 1..n-1; (x_j, x_{{j+1}}) <- {CALL}(x_j, x_{{j+1}}); end; return x", lambda x: sweep(x, where=False)),
    "two elements in a branch": (
        f"for j = 1..n-1; if x_j > x_{{j+1}}; (x_j, x_{{j+1}}) <- {CALL}(x_j, x_{{j+1}}); fi; end; return x",
        lambda x: sweep(x, where=True),
    ),
    "elements of two arrays": (
        f"for j = 1..n; (y_j, z_j) <- {CALL}(x_j, 1); end; for j = 1..n; y_j <- y_j z_j; end; return y",
        lambda x: FromOne(2 * (one - 1) for one in x),
    ),
    "names in turns": (
        f"a <- x_1; b <- x_1; for j = 1..n; (a, b) <- {CALL}(a, b); if x_j > 0.2; (a, b) <- {CALL}(b, x_j); fi; end; return a - 2 b",
        in_turns,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ARRAYS)
def test_elements(name: str, notation: str) -> None:
    lines, meaning = ARRAYS[name]
    check(PAIR + text_of(notation, VECTOR, "x", lines), meaning, [((n,),) for n in (4, 1, 2, 3)], shortest=1)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_names_in_branches(notation: str) -> None:
    lines = f"if z > 0; (x, y) <- {CALL}(x, y); (x, z) <- {CALL}(x, z); else; (y, z) <- {CALL}(z, x); fi; return x + 3 y - z"
    text = PAIR + text_of(notation, NUMBERS, "x, y, z", lines)
    check(text, chosen, [((), (), ())])
    subject = compile(text).load().F()
    for z in (0.5, -0.5):
        values = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.3, 0.7, z)]
        ours, right = subject(*values), chosen(*values)
        torch.testing.assert_close(ours, right)
        slopes = [torch.autograd.grad(value, values, materialize_grads=True, allow_unused=True) for value in (ours, right)]
        torch.testing.assert_close(*slopes)


def test_one_call_gives_all_values() -> None:
    lines = f"for j = 1..n-1; if x_j > x_{{j+1}}; (x_j, x_{{j+1}}) <- {CALL}(x_j, x_{{j+1}}); fi; end; return x"
    subject = compile(PAIR + text_of("algorithmic", VECTOR, "x", lines)).load().F()
    assert [name for name, _ in subject.named_children()] == ["both"]


def test_values_and_names_are_counted() -> None:
    lines = f"if z > 0; (x, y, z) <- {CALL}(x, y); fi; return x + y + z"
    problems = [d for d in compile(PAIR + text_of("algorithmic", NUMBERS, "x, y, z", lines)).diagnostics if d.severity == "error"]
    assert [(d.code, d.message) for d in problems] == [("E0409", "2 values cannot be unpacked into 3 names")]


GIVENS = (
    r"\Require $a, b \in \mathbb{R}$ \Function{Givens}{$a, b$} \State $r \gets \sqrt{a^2 + b^2}$ "
    r"\State \Return $(a / r, b / r)$ \EndFunction " + "\n"
)
ROTATE = r"for k = 1..n; t <- c A_{i-1,k} + s A_{i,k}; A_{i,k} <- c A_{i,k} - s A_{i-1,k}; A_{i-1,k} <- t; end"  # rows i - 1 and i


def givens(a: Any, b: Any) -> tuple[Any, Any]:
    r = torch.sqrt(a**2 + b**2)
    return a / r, b / r


def triangular(a: Any, *, where: bool = False) -> Any:
    m, n = len(a), len(a[1])
    for j in range(1, n + 1):
        for i in range(m, j, -1):
            if where and a[i][j] <= 0.1:
                continue
            c, s = givens(a[i - 1][j], a[i][j])
            for k in range(1, n + 1):
                a[i - 1][k], a[i][k] = c * a[i - 1][k] + s * a[i][k], c * a[i][k] - s * a[i - 1][k]
    return a


def bidiagonal(a: Any) -> Any:
    m = len(a)
    for i in range(2, m + 1):
        c, s = givens(a[i - 1][1], a[i][1])
        a[i][1], a[i][2] = s, c
    return a


def until_small(a: Any, *, leaves: bool) -> Any:
    x, y = a[1][1], a[1][2]
    for _ in range(6):
        if not leaves and x <= 0.1:
            break
        x, y = both(x, y)
        if leaves and x > 1:
            break
    return x + 3 * y


TURN = rf"(c, s) <- \Call{{Givens}}{{A_{{i-1,j}}, A_{{i,j}}}}; {ROTATE}"
LOOPS: dict[str, tuple[str, Meaning]] = {
    "rotations": (f"for j = 1..n; down i = m..j+1; {TURN}; end; end; return A", triangular),
    "rotations in a branch": (
        f"for j = 1..n; down i = m..j+1; if A_{{i,j}} > 0.1; {TURN}; fi; end; end; return A",
        lambda a: triangular(a, where=True),
    ),
    "elements of two columns": (
        r"for i = 2..m; (A_{i,2}, A_{i,1}) <- \Call{Givens}{A_{i-1,1}, A_{i,1}}; end; return A",
        bidiagonal,
    ),
    "while": (
        f"x <- A_{{1,1}}; y <- A_{{1,2}}; while x > 0.1 most 6; (x, y) <- {CALL}(x, y); ew; return x + 3 y",
        lambda a: until_small(a, leaves=False),
    ),
    "a loop that is left": (
        f"x <- A_{{1,1}}; y <- A_{{1,2}}; for k = 1..6; (x, y) <- {CALL}(x, y); if x > 1; break; fi; end; return x + 3 y",
        lambda a: until_small(a, leaves=True),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", LOOPS)
def test_in_loops(name: str, notation: str) -> None:
    lines, meaning = LOOPS[name]
    text = PAIR + GIVENS + text_of(notation, (r"A \in \mathbb{R}^{m \times n}",), "A", lines)
    check(text, meaning, [((m, n),) for m, n in ((3, 2), (1, 2), (4, 3), (2, 2))])
