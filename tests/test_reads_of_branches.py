r"""What a branch reads at sizes is looked at where the branch is taken: `x_{n/2}` where $2 \mid n$, `x_{n-2}` where $n > 2$."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.by_hand import agree, algorithm, module

X = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"


def cases(*rows: tuple[str, str]) -> str:
    *first, (last, _) = rows
    return (
        r"\begin{cases} "
        + r" \\ ".join([f"{value} & {where}" for value, where in first] + [rf"{last} & \text{{otherwise}}"])
        + r" \end{cases}"
    )


def branches(*rows: tuple[str, str]) -> str:
    words = [r"\algoIf", *[r"\algoElseIf"] * len(rows)]
    *first, (last, _) = rows
    lines = [f"{word}{{{where}}}\nr \\algoEq {value}" for word, (value, where) in zip(words, first, strict=False)]
    return "\n".join([*lines, r"\algoElse", f"r \\algoEq {last}", r"\algoEndIf", r"\algoReturn r"])


Rows = tuple[tuple[str, str], ...]
SEVEN = ("7", "")
CASES: dict[str, tuple[Rows, Callable[[Tensor], Tensor]]] = {
    "a median": (
        ((r"\frac{x_{n/2} + x_{n/2 + 1}}{2}", r"2 \mid n"), ("x_{(n+1)/2}", "")),
        lambda x: x[len(x) // 2] if len(x) % 2 else x[len(x) // 2 - 1 : len(x) // 2 + 1].mean(),
    ),
    "a remainder": ((("x_{(n+1)/2}", r"n \bmod 2 = 1"), SEVEN), lambda x: x[len(x) // 2] if len(x) % 2 else torch.tensor(7.0).double()),
    "thirds": (
        (("x_{n/3}", r"3 \mid n"), ("x_{(n+1)/3}", r"3 \mid n + 1"), ("x_{(n+2)/3}", "")),
        lambda x: x[-(-len(x) // 3) - 1],
    ),
    "a half and an element": (
        (("x_{n/2}", r"2 \mid n \land x_1 > 0"), SEVEN),
        lambda x: x[len(x) // 2 - 1] if len(x) % 2 == 0 and x[0] > 0 else torch.tensor(7.0).double(),
    ),
    "a half of a sum": (
        ((r"\sum_{i=1}^{n/2} x_i^2", r"2 \mid n"), SEVEN),
        lambda x: (x[: len(x) // 2] ** 2).sum() if len(x) % 2 == 0 else torch.tensor(7.0).double(),
    ),
    "two before the end": ((("x_{n-2}", "n > 2"), SEVEN), lambda x: x[-3] if len(x) > 2 else torch.tensor(7.0).double()),
    "two before the end, squared": (
        (("x_{n-2}^2 + x_1", r"n \geq 3"), SEVEN),
        lambda x: x[-3] ** 2 + x[0] if len(x) > 2 else torch.tensor(7.0).double(),
    ),
    "three before the end, or two": (
        (("x_{n-3}", "n > 3"), ("x_{n-2}", "n = 3"), SEVEN),
        lambda x: x[0 if len(x) == 3 else -4] if len(x) > 2 else torch.tensor(7.0).double(),
    ),
    "behind an and": (
        ((r"x_1", r"n > 2 \land x_{n-2} > 0"), SEVEN),
        lambda x: x[0] if len(x) > 2 and x[-3] > 0 else torch.tensor(7.0).double(),
    ),
}


@pytest.mark.parametrize(("rows", "by_hand"), CASES.values(), ids=CASES)
def test_a_branch_that_is_not_taken_reads_nothing(rows: Rows, by_hand: Callable[[Tensor], Tensor]) -> None:
    for subject in (module(rf"\Return {cases(*rows)} \\", X), algorithm(branches(*rows), X)):
        for lengths in ([4, 1, 2, 3, 6], [5, 1], [1], [2, 1]):
            agree(subject, by_hand, lengths, seed=len(lengths))
        assert subject(torch.ones(1, 1).double(), lengths=torch.tensor([1])).shape == (1,)  # no room for what is not read


@pytest.mark.parametrize("line", [r"\Return x_{n/2} \\", r"\Return " + cases(("x_{n/2}", "x_1 > 0"), SEVEN) + r" \\"])
def test_a_half_that_is_read_has_to_be_whole(line: str) -> None:
    made = module(line, X)
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0, 3.0, 4.0])), torch.tensor(2.0))
    with pytest.raises(ValueError, match=r"2 \\mid n"):
        made(torch.tensor([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match=r"2 \\mid n"):
        made(torch.ones(2, 4), lengths=torch.tensor([4, 3]))


def test_what_a_condition_says_is_not_asserted_again() -> None:
    result = mathdsl.compile(
        rf"\Module{{F}}{{x ; }} \Return {cases(*CASES['a remainder'][0])} \\ \EndModule \begin{{where}} {X} \end{{where}}"
    )
    assert result.ok
    assert "mid" not in result.source.partition("def forward")[2].partition("def ")[0]


def halves(x: Tensor) -> Tensor:
    half = x[: len(x) // 2] ** 2
    return half.sum() if len(x) % 2 == 0 else torch.tensor(7.0).double()


SQUARES = r"y_t \gets x_t^2 \quad (t = 1, \dots, n/2) \\ "
OF_SQUARES = r"\Return " + cases((r"\sum_{t=1}^{n/2} y_t", r"2 \mid n"), SEVEN) + r" \\"
TWICE = r"z_t \gets 2 y_t \quad (t = 1, \dots, n/2) \\ "
LOOP = "s \\algoEq 0\n\\algoFor{t \\in \\set{1, \\dots, n/2}}\ns \\algoEq s + x_t^2\n\\algoEndFor\nr \\algoEq s"
HALVES = {
    "an array": lambda: module(SQUARES + OF_SQUARES, X),
    "an array of an array": lambda: module(SQUARES + TWICE + OF_SQUARES.replace("y_t", "z_t / 2"), X),
    "a loop": lambda: algorithm(branches(("s", r"2 \mid n"), SEVEN).replace(r"r \algoEq s", LOOP), X),
}


@pytest.mark.parametrize("subject", HALVES.values(), ids=HALVES)
def test_an_array_of_half_the_elements_is_asked_for_where_it_is_read(subject: Callable[[], Any]) -> None:
    agree(subject(), halves, [4, 1, 2, 3, 6])
