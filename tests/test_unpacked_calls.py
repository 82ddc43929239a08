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
