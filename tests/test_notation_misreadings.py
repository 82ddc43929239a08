r"""Notation that was read as something else without a word: each with its value in plain torch, or the words of its refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import CompileResult, compile_files
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
        (r"c [x + y]", "E0210", "c (..)"),
        (r"(c + 1)^2 [x + y]", "E0210", "(..)^2 (..)"),
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
