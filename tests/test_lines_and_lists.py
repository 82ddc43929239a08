r"""Statements of several lines, `y &= a \\ &\quad + b`, `y &= a (b + c) \\ &= a b + a c`, and of several values, `s, q \gets 0, 1`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import compile

ROWS = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"
Values = tuple[Tensor, ...]


def module(*lines: str) -> str:
    body = " ".join(rf"{line} \\" for line in lines)
    return rf"\Module{{F}}{{x ; }} {body} \EndModule \begin{{where}} {ROWS} \end{{where}}"


def docstring(*lines: str) -> str:
    body = "".join(rf"& \indent{{1}} {line} \\" + "\n" for line in lines)
    return "\\algoProc{\\F}\\pa{x} \\\\\n" + body + rf"\algoEndProc \\ \begin{{where}} {ROWS} \end{{where}}"


def algorithm(*lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End", r"\Return")) else rf"\State {line}" for line in lines)
    required = r"$x_i \in \mathbb{R}, i = 1, \dots, n$"
    return f"\\begin{{algorithmic}}\n\\Require {required}\n\\Procedure{{F}}{{$x$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def check(text: str, expected: Callable[[Tensor], Tensor | Values]) -> None:
    """Values, gradients, a batch and a ragged batch, against plain torch."""
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    subject = result.load().F().double()
    x = torch.rand(2, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.1
    leaf, own = x.clone().requires_grad_(), x.clone().requires_grad_()
    together, alone = several(subject(leaf)), [several(expected(row)) for row in own]
    for k, value in enumerate(together):
        torch.testing.assert_close(value, torch.stack([values[k] for values in alone]))
    ours = torch.autograd.grad(sum(value.sum() for value in together), leaf)[0]
    wanted = torch.autograd.grad(sum(value.sum() for values in alone for value in values), own)[0]
    torch.testing.assert_close(ours, wanted)
    for found, right in zip(several(subject(x[0])), alone[0], strict=True):
        torch.testing.assert_close(found, right)
    if "n$" in text or "lengths" in result.source:
        ragged = several(subject(x, lengths=torch.tensor([3, 4])))
        short = several(expected(x[0, :3]))
        for found, right in zip(ragged, short, strict=True):
            torch.testing.assert_close(found[0][tuple(slice(0, size) for size in right.shape)], right)


def several(value: Tensor | Values) -> Values:
    return value if isinstance(value, tuple) else (value,)


def errors(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in compile(text).diagnostics if d.severity == "error"]


# ---- several lines -----------------------------------------------------------------------------


@pytest.mark.parametrize("program", [module, docstring])
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((r"y &= x_1^2", r"&\quad + 3 x_2", r"&\quad - x_1", r"\Return y"), lambda x: x[0] ** 2 + 3 * x[1] - x[0]),
        ((r"y &= 2 \sum_{i=1}^n x_i", r"&\qquad \cdot x_1", r"\Return y"), lambda x: 2 * x.sum() * x[0]),
        ((r"y &=", r"& x_1 +", r"& 2 x_2", r"\Return y"), lambda x: x[0] + 2 * x[1]),
        ((r"y \gets", r"x_1 \cdot", r"(x_2 + 1)", r"z \gets y", r"\Return z"), lambda x: x[0] * (x[1] + 1)),
        ((r"y \gets x_1 \Comment{one}", r"+ x_2 \Comment{two}", r"\Return y"), lambda x: x[0] + x[1]),
        ((r"y \gets \frac{x_1 + x_2}{x_1}", r"\times x_2", r"\Return y", r"+ x_1"), lambda x: (x[0] + x[1]) / x[0] * x[1] + x[0]),
    ],
)
def test_a_value_goes_on_behind_a_sign(program: Callable[..., str], lines: tuple[str, ...], expected: Callable[[Tensor], Tensor]) -> None:
    check(program(*lines), expected)


def test_a_function_of_several_lines() -> None:
    check(module(r"f(a) &= 2 a + 1", r"&\quad + a^2", r"\Return f(x_1)"), lambda x: 2 * x[0] + 1 + x[0] ** 2)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ((r"y \gets x_1", r"= x_2", r"\Return y"), "E0208"),  # a comparison, or another form
        ((r"+ x_1", r"\Return x_2"), "E0208"),
        ((r"y \gets x_1 +", r"z \gets x_2", r"\Return y"), "E0208"),
        ((r"y \gets", r"\Return x_2"), "E0208"),
        ((r"y \gets x_1", r"x_2", r"\Return y"), "E0217"),
    ],
)
def test_other_lines_are_no_part_of_a_value(lines: tuple[str, ...], code: str) -> None:
    assert errors(module(*lines))[0][0] == code


# ---- several values ----------------------------------------------------------------------------


def test_as_many_values_as_names() -> None:
    check(module(r"s, q \gets x_1, 2 x_2", r"\Return s - q"), lambda x: x[0] - 2 * x[1])
    check(module(r"(s, q) = x_1, 2 x_2", r"\Return s - q"), lambda x: x[0] - 2 * x[1])
    check(module(r"s, q = x_1, 2 x_2", r"\Return s, q"), lambda x: (x[0], 2 * x[1]))


LOOP = (r"\For{$i = 1, \dots, n$}", r"\EndFor")


def test_all_values_are_of_before() -> None:
    def fibonacci(x: Tensor) -> Values:
        s, q = torch.zeros_like(x.sum()), torch.ones_like(x.sum())
        for value in x:
            s, q = q + value, s
        return s, q

    check(algorithm(r"$s, q \gets 0, 1$", LOOP[0], r"$s, q \gets q + x_i, s$", LOOP[1], r"\Return $s, q$"), fibonacci)
    check(algorithm(r"$s, q \gets 0, 1$", LOOP[0], r"$s, q \gets q + x_i, s$", LOOP[1], r"\Return $s$, $q$"), fibonacci)


@pytest.mark.parametrize(
    "line",
    [
        r"y \gets x_1, x_2",
        r"y, z \gets x_1, x_2, x_1",
        r"y, z, w \gets x_1, x_2",
        r"\Return x_1, \dots, x_n",
        r"\Return x_i, i = 1, \dots, n",
    ],
)
def test_more_or_fewer_values_are_refused(line: str) -> None:
    assert errors(module(line, r"\Return x_1"))[0][0] in ("E0220", "E0602", "E0409")
