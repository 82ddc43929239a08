r"""Names that one arm of a branch alone has: loops and arrays in it are computed as written, and nothing asks what they are elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.by_hand import agree, calls_decide

X = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"


def algorithmic(lines: list[str]) -> str:
    words = {"for": r"\For{{${1} = {2}, \dots, {3}$}}", "end": r"\EndFor", "if": r"\If{{${1}$}}", "else": r"\Else", "fi": r"\EndIf"}
    body = " ".join(words[w[0]].format(*w) if (w := line.split(maxsplit=3))[0] in words else rf"\State ${line}$" for line in lines)
    body = body.replace(r"\State $return ", r"\State \Return $")
    return rf"\begin{{algorithmic}} \Procedure{{F}}{{$x$}} {body} \EndProcedure \end{{algorithmic}} \begin{{where}} {X} \end{{where}}"


def docstring(lines: list[str]) -> str:
    words = {"for": r"\algoFor{{{1} \in \set{{{2}, \dots, {3}}}}}", "end": r"\algoEndFor", "if": r"\algoIf{{{1}}}", "else": r"\algoElse"}
    words |= {"fi": r"\algoEndIf"}
    body = [words[w[0]].format(*w) if (w := line.split(maxsplit=3))[0] in words else line for line in lines]
    text = r" \\ ".join(body).replace(r"\gets", r"\algoEq").replace("return ", r"\algoReturn ")
    return rf"\algoProc{{\F}}\pa{{x}} \\ {text} \\ \algoEndProc \\ \begin{{where}} {X} \end{{where}}"


def folded(x: Tensor, start: float = 0.0) -> Tensor:
    s = x[0] * 0 + start
    for value in x:
        s = s / 2 + value
    return s


def of_turns(x: Tensor) -> Tensor:
    r = x[0] * 0
    for i, value in enumerate(x):
        if value > 0:
            s = folded(x[: i + 1])
            r = r + s if s > 0 else r - 1
    return r


def of_arrays(x: Tensor) -> Tensor:
    if x[0] <= 0:
        return x[0] * 0 + 7
    y = 2 * x**2
    z = [y[0]]
    for value in y[1:]:
        z.append(z[-1] / 2 + value)
    return torch.stack(z).sum()


def of_two_loops(x: Tensor) -> Tensor:
    x = torch.where(x > 0, x + 1, x)
    return torch.where(x > 2, 2 * x + 1, x)


def both_ways(x: Tensor) -> Tensor:
    found = [*x]
    for i in (*range(1, len(found)), *range(len(found) - 1, 0, -1)):
        if found[i - 1] > found[i]:
            found[i - 1], found[i] = found[i], found[i - 1]
    return torch.stack(found)


def of_an_arm_of_arms(x: Tensor) -> Tensor:
    r = x[0] * 0
    for value in x:
        u = value * 0
        if value > 0:
            u = value
        if value > 1:
            r = r + 3 * (2 * value if value > 1.5 else u)
    return r


FOLD = [r"s \gets 0", "for t 1 n", r"s \gets s / 2 + x_t", "end"]
SWAP = [r"t \gets x_i", r"x_i \gets x_{i-1}", r"x_{i-1} \gets t"]
CASES: dict[str, tuple[list[str], Callable[[Tensor], Tensor]]] = {
    "a fold": (
        ["if x_1>0", *FOLD, r"r \gets s", "else", r"r \gets 7", "fi", "return r"],
        lambda x: folded(x) if x[0] > 0 else x[0] * 0 + 7,
    ),
    "an array": (
        *(["if x_1>0", "for t 1 n", r"y_t \gets 2 x_t^2", "end", r"r \gets \sum_{t=1}^n y_t", "else", r"r \gets 7", "fi", "return r"],),
        lambda x: (2 * x**2).sum() if x[0] > 0 else x[0] * 0 + 7,
    ),
    "a recurrence": (
        [
            *("if x_1>0", r"s_0 \gets 3", "for t 1 n", r"s_t \gets s_{t-1} / 2 + x_t", "end", r"r \gets s_n", "else"),
            *(r"r \gets 7", "fi", "return r"),
        ],
        lambda x: folded(x, 3.0) if x[0] > 0 else x[0] * 0 + 7,
    ),
    "arrays that follow": (
        [
            *("if x_1>0", "for t 1 n", r"y_t \gets 2 x_t^2", "end", r"z_1 \gets y_1", "for t 2 n", r"z_t \gets z_{t-1} / 2 + y_t", "end"),
            *(r"r \gets \sum_{t=1}^n z_t", "else", r"r \gets 7", "fi", "return r"),
        ],
        of_arrays,
    ),
    "an arm of an arm": (
        [
            *("if x_1>0", "if x_n>0", *FOLD, r"r \gets s", "else", r"r \gets 1", "fi", "else", r"r \gets 2", "fi", "return r"),
        ],
        lambda x: folded(x) if x[0] > 0 and x[-1] > 0 else x[0] * 0 + (1 if x[0] > 0 else 2),
    ),
    "in a loop": (
        [
            *(r"r \gets 0", "for i 1 n", "if x_i>0", r"s \gets 0", "for j 1 i", r"s \gets s / 2 + x_j", "end"),
            *("if s>0", r"r \gets r + s", "else", r"r \gets r - 1", "fi", "fi", "end", "return r"),
        ],
        of_turns,
    ),
    "in two loops": (
        [
            *("for i 1 n", "if x_i>0", r"u \gets x_i", r"x_i \gets u + 1", "fi", "end"),
            *("for i 1 n", "if x_i>2", r"u \gets 2 x_i", r"x_i \gets u + 1", "fi", "end", "return x"),
        ],
        of_two_loops,
    ),
    "in loops up and down": (
        [
            *("for i 2 n", "if x_{i-1}>x_i", *SWAP, "fi", "end", "for i n 2", "if x_{i-1}>x_i", *SWAP, "fi", "end"),
            "return x",
        ],
        both_ways,
    ),
    "in an arm of an arm, where it may stay as it was": (
        [
            *(r"r \gets 0", "for i 1 n", r"u \gets 0", "if x_i>0", r"u \gets x_i", "fi"),
            *("if x_i>1", "if x_i>1.5", r"u \gets 2 x_i", "fi", r"v \gets 3 u", r"r \gets r + v", "fi", "end", "return r"),
        ],
        of_an_arm_of_arms,
    ),
}


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize(("lines", "by_hand"), CASES.values(), ids=CASES)
def test_an_arm_has_names_of_its_own(write: Callable[[list[str]], str], lines: list[str], by_hand: Callable[[Tensor], Tensor]) -> None:
    result = mathdsl.compile(write(lines))
    assert result.ok, [d.message for d in result.diagnostics]
    subject = result.load().F()
    for seed in range(3):  # each arm is taken
        agree(subject, by_hand, [4, 1, 3, 2, 2], seed)


WITHOUT_A_VALUE: dict[str, tuple[list[str], list[tuple[list[float], float | None]]]] = {
    "elements of some turns": (
        [
            *("if x_1>0", "for t 1 n", "if x_t>0", r"y_t \gets 1", "fi", "end", r"r \gets \sum_{t=1}^n y_t", "else", r"r \gets 7", "fi"),
            "return r",
        ],
        [([1, 2, 3], 3), ([3, -1, 2], None), ([-1, -2, 3], 7), ([2], 1)],
    ),
    "another branch": (
        ["if x_1>0", *FOLD, "fi", "if x_n>0", r"r \gets s", "else", r"r \gets 7", "fi", "return r"],
        [([1, 2, 3], 4.25), ([-1, 2, 3], None), ([-1, 2, -3], 7), ([3, -1, 2], 2.25), ([1], 1)],
    ),
}


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize(("lines", "answers"), WITHOUT_A_VALUE.values(), ids=WITHOUT_A_VALUE)
def test_what_has_no_value_where_it_is_read_is_told_by_the_call(
    write: Callable[[list[str]], str], lines: list[str], answers: list[tuple[list[float], float | None]]
) -> None:
    calls_decide(mathdsl.load(write(lines)).F(), answers)


@pytest.mark.parametrize("write", [algorithmic, docstring])
def test_what_has_no_value_where_it_is_read_is_refused(write: Callable[[list[str]], str]) -> None:
    lines = [
        *(r"r \gets 0", "for i 1 n", "if x_i>0", r"y_i \gets 0", "for j 1 n", r"y_i \gets y_i + x_j", "end"),
        *(r"r \gets r + \sum_{k=1}^{i} y_k", "fi", "end", "return r"),
    ]
    assert [d.code for d in mathdsl.compile(write(lines)).diagnostics if d.severity == "error"] == ["E0509"]
