r"""Elements that the header gives of a family: assigned anew before loops, several of one family, and grids without a corner."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from test_names_assigned import algorithm, compiled, docstring, loaded, module
from torch import Tensor

SCALAR = r"x_0 \in \mathbb{R}"
PAIR = r"x_0, x_1 \in \mathbb{R}"
LAST = [r"b_T \in \mathbb{R}", r"c_t \in \mathbb{R}, t = 1, \dots, T"]
RNN = [r"h_0 \in \mathbb{R}^d", r"e_t \in \mathbb{R}^d, t = 1, \dots, T", r"W \in \mathbb{R}^{d \times d}"]


def loop(variable: str, lower: str, upper: str, *lines: str) -> list[str]:
    return [rf"\For{{${variable} = {lower}, \dots, {upper}$}}", *lines, r"\EndFor"]


def in_docstring(line: str) -> str:
    r"""A line of algorithmic notation in docstring notation."""
    if line.startswith(r"\For{$"):
        variable, values = line.removeprefix(r"\For{$").removesuffix("$}").split(" = ")
        return rf"\algoFor{{{variable} \in \set{{{values}}}}}"
    if line.startswith(r"\If{$"):
        return r"\algoIf{" + line.removeprefix(r"\If{$").removesuffix("$}") + "}"
    endings = {r"\EndFor": r"\algoEndFor", r"\EndIf": r"\algoEndIf", r"\Else": r"\algoElse"}
    return endings.get(line, line.replace(r"\gets", r"\algoEq"))


COUNT = loop("k", "1", "3", r"x_k \gets x_{k-1} + 1")
FIBONACCI = loop("k", "2", "4", r"x_k \gets x_{k-1} + x_{k-2}")


@dataclass(frozen=True)
class Program:
    rows: list[str]
    header: str
    lines: list[str]
    expected: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((),)


def fibonacci(first: Tensor, second: Tensor) -> list[Tensor]:
    found = [first, second]
    for _ in range(3):
        found.append(found[-1] + found[-2])
    return found


def downwards(last: Tensor, c: Tensor) -> list[Tensor]:
    """`b_1, …, b_T` by `b_t = b_{t+1} + c_t`."""
    found = [last]
    for t in range(len(c) - 2, -1, -1):
        found.insert(0, found[0] + c[t])
    return found


def rnn(h: Tensor, e: Tensor, w: Tensor) -> Tensor:
    h = torch.tanh(h)
    for row in e:
        h = torch.tanh(w @ h + row)
    return h


def power(w: Tensor, a: Tensor) -> Tensor:
    w = w / w.norm()
    for _ in range(3):
        w = a @ w
    return w


def twice_over(x: Tensor) -> Tensor:
    rows = [x + 1, x + 2, x + 3]
    before = x
    for k in range(3):
        rows[k] = rows[k] + before
        before = rows[k]
    return rows[2]


PROGRAMS: dict[str, Program] = {
    "doubled": Program([SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x_3"], lambda x: 2 * x + 3),
    "doubled, and read behind": Program([SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x_0 + x_3"], lambda x: 4 * x + 3),
    "doubled, all of it": Program(
        [SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x"], lambda x: torch.stack([2 * x + k for k in range(4)])
    ),
    "three times": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", r"x_0 \gets x_0 + 1", r"x_0 \gets x_0^2", *COUNT, "return x_3"],
        lambda x: (2 * x + 1) ** 2 + 3,
    ),
    "in a branch": Program(
        [SCALAR], "x_0", [r"\If{$x_0 < 0$}", r"x_0 \gets 0", r"\EndIf", *COUNT, "return x_3"], lambda x: torch.clamp(x, min=0) + 3
    ),
    "in both branches": Program(
        [SCALAR],
        "x_0",
        [r"\If{$x_0 < 0$}", r"x_0 \gets -x_0", r"\Else", r"x_0 \gets 5 x_0", r"\EndIf", *COUNT, "return x_3"],
        lambda x: torch.where(x < 0, -x, 5 * x) + 3,
    ),
    "another input": Program(
        [SCALAR, r"y \in \mathbb{R}"], "x_0, y", [r"x_0 \gets y", *COUNT, "return x_3"], lambda x, y: 0 * x + y + 3, ((), ())
    ),
    "a number": Program([SCALAR], "x_0", [r"x_0 \gets 5 + 0 x_0", *COUNT, "return x_3"], lambda x: 8 + 0 * x),
    "in a loop before": Program([SCALAR], "x_0", [*loop("i", "1", "2", r"x_0 \gets 3 x_0"), *COUNT, "return x_3"], lambda x: 9 * x + 3),
    "between two loops": Program(
        [SCALAR], "x_0", [*COUNT, r"y \gets x_3", r"x_0 \gets 2 x_0", *COUNT, "return y x_3"], lambda x: (x + 3) * (2 * x + 3)
    ),
    "behind the loop": Program([SCALAR], "x_0", [*COUNT, r"x_0 \gets 2 x_0", "return x_0 x_3"], lambda x: 2 * x * (x + 3)),
    "no index reaches it": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", r"x_k \gets x_0 + k"), "return x"],
        lambda x: torch.stack([2 * x + k for k in (1, 2, 3)]),
    ),
    "one letter in a sum from it on": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", r"x_k \gets k x_0"), r"return \sum_{k=0}^{3} x_k"],
        lambda x: 14 * x,
    ),
    "with an accent": Program(
        [r"\hat{x}_0 \in \mathbb{R}"],
        r"\hat{x}_0",
        [r"\hat{x}_0 \gets 2 \hat{x}_0", *loop("k", "1", "3", r"\hat{x}_k \gets \hat{x}_{k-1} + 1"), r"return \hat{x}_3"],
        lambda x: 2 * x + 3,
    ),
    "exchanged": Program(
        [PAIR], "x_0, x_1", [r"(x_0, x_1) \gets (x_1, x_0)", *FIBONACCI, "return x_4"], lambda a, b: fibonacci(b, a)[4], ((), ())
    ),
    "the first of two": Program(
        [PAIR], "x_0, x_1", [r"x_0 \gets x_0 + x_1", *FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a + b, b)), ((), ())
    ),
    "the second of two": Program(
        [PAIR], "x_0, x_1", [r"x_1 \gets x_0 + x_1", *FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a, a + b)[1:]), ((), ())
    ),
    "two, and neither is returned": Program(
        [PAIR], "x_0, x_1", [*FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a, b)[2:]), ((), ())
    ),
    "two, the other way round": Program(
        [PAIR], "x_1, x_0", [*FIBONACCI, "return x"], lambda b, a: torch.stack(fibonacci(a, b)[2:]), ((), ())
    ),
    "the last one": Program(
        LAST,
        "b_T, c",
        [r"b_T \gets 2 b_T", *loop("t", "1", "T-1", r"b_t \gets b_{t+1} + c_t"), "return b"],
        lambda b, c: torch.stack(downwards(2 * b, c)),
        ((), (4,)),
    ),
    "a hidden state": Program(
        RNN,
        "h_0, e, W",
        [r"h_0 \gets \tanh(h_0)", *loop("t", "1", "T", r"h_t \gets \tanh(W h_{t-1} + e_t)"), "return h_T"],
        rnn,
        ((2,), (3, 2), (2, 2)),
    ),
    "a hidden state and no steps": Program(
        RNN,
        "h_0, e, W",
        [r"h_0 \gets \tanh(h_0)", *loop("t", "1", "T", r"h_t \gets \tanh(W h_{t-1} + e_t)"), "return h_T"],
        rnn,
        ((2,), (0, 2), (2, 2)),
    ),
    "of length one": Program(
        [r"w_0 \in \mathbb{R}^d", r"A \in \mathbb{R}^{d \times d}"],
        "w_0, A",
        [r"w_0 \gets w_0 / \lVert w_0 \rVert", *loop("k", "1", "3", r"w_k \gets A w_{k-1}"), "return w_3"],
        power,
        ((2,), (2, 2)),
    ),
    "a row of a table": Program(
        [r"x_0 \in \mathbb{R}^2"],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", *loop("i", "1", "2", r"x_{k,i} \gets x_{k-1,i} + i")), "return x_{3,2}"],
        lambda x: 2 * x[1] + 6,
        ((2,),),
    ),
    "a family that is updated": Program(
        [SCALAR], "x_0", [*COUNT, *loop("k", "1", "3", r"x_k \gets x_k + x_{k-1}"), "return x_3"], twice_over
    ),
}


def text_of(program: Program, notation: str) -> str:
    if notation == "algorithmic":
        return algorithm(program.rows, *program.lines, header=program.header)
    return docstring(program.rows, *map(in_docstring, program.lines), header=program.header)


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name: str, notation: str) -> None:
    program = PROGRAMS[name]
    made = loaded(text_of(program, notation)).F
    torch.manual_seed(len(name))
    for sign in (1, -1):
        given = [(sign * torch.rand(shape, dtype=torch.float64) + 0.1 * sign).requires_grad_() for shape in program.shapes]
        sizes = {"d": 2} if "d" in inspect.signature(made).parameters else {}
        expected, found = program.expected(*given), made(**sizes)(*given)
        torch.testing.assert_close(found, expected)
        weights = torch.rand_like(expected)
        wanted = torch.autograd.grad((expected * weights).sum(), given, allow_unused=True, materialize_grads=True)
        got = torch.autograd.grad((found * weights).sum(), given, allow_unused=True, materialize_grads=True)
        torch.testing.assert_close(got, wanted)


def test_in_module_notation_the_new_value_has_a_name() -> None:
    lines = [r"y \gets 2 x_0", r"x[0] \gets y", r"x_k \gets x_{k-1} + 1 \quad (k = 1, \dots, 3)", "return x_3"]
    x = torch.tensor(2.0, dtype=torch.float64)
    torch.testing.assert_close(loaded(module([SCALAR], *lines, header="x_0 ;")).F()(x), 2 * x + 3)


def test_an_optional_first_element() -> None:
    lines = [r"h_0 \gets h_0 + 1", *loop("t", "1", "T", r"h_t \gets h_{t-1} + e_t"), "return h_T"]
    made = loaded(algorithm([r"h_0 \in \mathbb{R}", r"e_t \in \mathbb{R}, t = 1, \dots, T"], *lines, header="e, h_0 = 0")).F()
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0])), torch.tensor(4.0))
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0]), torch.tensor(3.0)), torch.tensor(7.0))


REFUSED: dict[str, tuple[str, list[str], str, str]] = {
    "in the loop of its family": (
        "E0701",
        [*loop("k", "1", "3", r"x_0 \gets 2 x_0", r"x_k \gets x_{k-1} + 1"), "return x_3"],
        "x_0",
        "let the loop assign a name of its own instead, and assign `x_0` before the loop",
    ),
    "a parameter": ("E0510", [r"x_0 \gets y x_0", *COUNT, "return x_3"], "y", "assign it first"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    code, lines, header, help = REFUSED[name]
    found = compiled(algorithm([SCALAR, r"y \in \mathbb{R}"], *lines, header=header)).diagnostics
    found = [d for d in found if d.severity == "error"]
    assert [d.code for d in found] == [code]
    assert help in found[0].help


@pytest.mark.xfail(strict=True, reason="a header element that changes in the loop of its family is refused")
def test_an_element_that_changes_in_the_loop_of_its_family() -> None:
    lines = REFUSED["in the loop of its family"][1]
    x = torch.tensor(2.0, dtype=torch.float64)
    torch.testing.assert_close(loaded(algorithm([SCALAR], *lines, header="x_0")).F()(x), 2 * x + 3)
