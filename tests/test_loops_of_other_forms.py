r"""Loops that are asked behind their body, over listed numbers, by steps and `j = 1, V`; domains of listed numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.differential import check_text
from tests.test_found_by_the_net import codes, compiled, make, module_of, procedure_of, same, same_with_gradient

ROWS = (r"x_t \in \mathbb{R}, t = 1, \dots, n",)
NUMBER = (r"x \in \mathbb{R}",)


def halved(x: Tensor, most: int) -> Tensor:
    for _ in range(most):
        x = x / 2
        if x < 1:
            break
    return x


def repeated(*body: str, until: str, header: str = "x", rows: tuple[str, ...] = NUMBER, result: str = "x") -> str:
    """A procedure with one loop that is asked behind its body."""
    states = " ".join(rf"\State ${line}$" if line[0] != "\\" or line.startswith("\\v") else line for line in body)
    required = " ".join(rf"\Require ${row}$" for row in rows)
    return (
        f"\\begin{{algorithmic}}\n{required}\n\\Procedure{{M}}{{${header}$}}\n\\Repeat {states} \\Until{until}\n"
        f"\\State \\Return ${result}$\n\\EndProcedure\n\\end{{algorithmic}}\n"
    )


@pytest.mark.parametrize(("most", "value"), [(1, 9.0), (3, 9.0), (10, 9.0), (10, 0.5), (10, -4.0)])
def test_a_loop_asked_behind_its_body_has_one_turn_at_least(most: int, value: float) -> None:
    module = make(repeated(r"x \gets x / 2", until=f"{{$x < 1$}}[{most}]"))
    x, own = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for _ in range(2))
    found, wanted = module(x), halved(own, most)
    same(found, wanted)
    same(torch.autograd.grad(found, x)[0], torch.autograd.grad(wanted, own)[0])


def test_a_setting_is_the_most_turns_and_a_batch_ends_example_by_example() -> None:
    text = repeated(r"x \gets x / 2", until="{$x < 1$}[N]", header="x ; N", rows=(*NUMBER, r"N \in \mathbb{N}"))
    x = torch.tensor([9.0, 0.5, 2.0, 30.0], dtype=torch.float64)
    same(make(text, N=4)(x), torch.stack([halved(one, 4) for one in x]))
    assert check_text(text) == 1


def test_the_condition_may_ask_for_what_the_body_gives() -> None:
    text = repeated(r"y \gets x / 2", r"x \gets y - 1", until="{$y < 1$}[5]", result="x + y")
    same(make(text)(torch.tensor(9.0, dtype=torch.float64)), torch.tensor(0.375 - 0.625, dtype=torch.float64))


def test_loops_asked_behind_their_bodies_inside_of_others() -> None:
    lines = (r"s \gets 0", r"\For{$t = 1, \dots, n$}", r"k \gets 0", r"\Repeat", r"k \gets k + 1", r"s \gets s + k x_t")
    body = procedure_of(*lines, r"\Until{$k \geq t$}[9]", r"\EndFor", r"\Return s", header="x", rows=ROWS)
    text = body.replace(r"\State $\Repeat$", r"\Repeat").replace(r"\State $\Until{$k \geq t$}[9]$", r"\Until{$k \geq t$}[9]")
    same_with_gradient(make(text), lambda x: sum((t * (t + 1) / 2 * x[t - 1] for t in range(1, 5)), torch.zeros(())), 4)


def test_what_is_wrong_with_a_loop_asked_behind_its_body() -> None:
    text = repeated(r"x \gets x / 2", until="{$x < 1$}")
    (found,) = compiled(text).diagnostics
    assert found.code == "E0701"
    assert r"`\Until{$c$}[N]`" in found.help
    assert codes(text.replace(r"\Until{$x < 1$}", r"\Until{$x < 1$}[N]")) == []
    assert codes(text.replace(r"\Until{$x < 1$}", "")) == ["E0205"]
    assert codes(text.replace(r"\Repeat", "")) == ["E0206"]
    assert codes(text.replace(r"{$x < 1$}", "")) == ["E0223"]


def test_how_a_loop_asked_behind_its_body_is_shown() -> None:
    result = compiled(repeated(r"x \gets x / 2", until="{$x < 1$}[7]"))
    assert [line.strip() for line in result.source.splitlines() if "Until" in line or "Repeat" in line] == [
        "\\algoRepeat \\\\",
        "\\algoUntil{x < 1}[7] \\\\",
    ]


def summed(order: tuple[int, ...]) -> Callable[[Tensor], Tensor]:
    def wanted(x: Tensor) -> Tensor:
        total = torch.zeros((), dtype=x.dtype)
        for t in order:
            total = 0.5 * total + t * x[t - 1]
        return total

    return wanted


@pytest.mark.parametrize(
    ("range_", "order"),
    [
        (r"t \in \{1, 3\}", (1, 3)),
        (r"t \in \{2, 3, 4\}", (2, 3, 4)),
        (r"t = 1, 2", (1, 2)),
        (r"t \gets 1, n", (1, 2, 3, 4)),
        (r"t = 2, n", (2, 3, 4)),
        (r"t = 2, 4, \dots, n", (2, 4)),
        (r"t = 1, 3, \dots, n - 1", (1, 3)),
    ],
)
def test_loops_over_listed_numbers_and_by_steps(range_: str, order: tuple[int, ...]) -> None:
    lines = (r"s \gets 0", rf"\For{{${range_}$}}", r"s \gets 0.5 s + t x_t", r"\EndFor", r"\Return s")
    same_with_gradient(make(procedure_of(*lines, header="x", rows=ROWS)), summed(order), 4)
    docstring = (
        "\\algoProc{\\M}\\pa{x} \\\\\n& \\indent{1} s \\algoEq 0 \\\\\n"
        + f"& \\indent{{1}} \\algoFor{{{range_}}} \\\\\n& \\indent{{2}} s \\algoEq 0.5 s + t x_t \\\\\n& \\indent{{1}} \\algoEndFor \\\\\n"
        + "& \\indent{1} \\algoReturn s \\\\\n\\algoEndProc\n\\begin{where} x_t \\in \\mathbb{R}, t = 1, \\dots, n & \\\\ \\end{where}\n"
    )
    same_with_gradient(make(docstring.replace("t \\gets 1, n", "t = 1, n")), summed(order), 4)


def test_elements_in_a_loop_by_steps() -> None:
    lines = (r"\For{$t = 2, 4, \dots, n$}", r"x_t \gets x_{t-1} + t x_t", r"\EndFor", r"\Return x")
    same_with_gradient(
        make(procedure_of(*lines, header="x", rows=ROWS)), lambda x: torch.stack([x[0], x[0] + 2 * x[1], x[2], x[2] + 4 * x[3]]), 4
    )


def test_a_loop_over_listed_numbers_in_a_branch() -> None:
    lines = (r"s \gets x_1", r"\If{$s > 0$}", r"\For{$t \in \{2, 4\}$}", r"s \gets s x_t", r"\EndFor", r"\EndIf", r"\Return s")
    module = make(procedure_of(*lines, header="x", rows=ROWS))
    x = torch.tensor([[0.5, 2.0, 7.0, 3.0], [-0.5, 2.0, 7.0, 3.0]], dtype=torch.float64)
    same(module(x), torch.tensor([3.0, -0.5], dtype=torch.float64))


@pytest.mark.parametrize(
    ("domain", "wanted"),
    [
        (r"\quad (l = 1, 2)", lambda x: 2 * x[:2]),
        (r", \quad l = 1, 2, 3", lambda x: 2 * x[:3]),
        (r"\quad (l = 2, 3)", lambda x: 2 * x[1:3]),
    ],
)
def test_domains_of_listed_numbers(domain: str, wanted: Callable[[Tensor], Tensor]) -> None:
    text = module_of(rf"y_l = 2 x_l {domain}", r"\Return y", header="x", rows=ROWS)
    same_with_gradient(make(text), wanted, 4)


def test_a_row_of_listed_numbers() -> None:
    text = module_of(r"y_l = 2 x_l", r"\Return y", header="x", rows=(r"x_l \in \mathbb{R}, l = 1, 2, 3",))
    same_with_gradient(make(text), lambda x: 2 * x, 3)


@pytest.mark.parametrize("text", [r"y_l = 2 x_l \quad (l = 1, 3)", r"y = \sum_{l = 1, 3} x_l"])
def test_two_numbers_that_do_not_follow_each_other_are_asked_about(text: str) -> None:
    assert codes(module_of(text, r"\Return y", header="x", rows=ROWS)) == ["E0505"]
