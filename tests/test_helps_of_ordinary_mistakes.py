"""Ordinary mistakes, what their helps say, and that what they say works."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, check, text_of

HEAD = "\\Require $x \\in \\mathbb{R}^{n}$\n\\Procedure{F}{$x$}\n"


def program(*statements: str) -> str:
    rows = (row if row.startswith("\\") and not row.startswith("\\State") and row[1].isupper() else rf"\State {row}" for row in statements)
    return HEAD + "\n".join(rows) + "\n\\EndProcedure\n"


MISTAKES = [
    ("E0207", r"$y \gets 2 x z \gets y$", r"begin another one, `\State $z …$`", (r"$y \gets 2 x$", r"$z \gets y$"), "z"),
    ("E0220", r"$y \gets x, 2 x$", r"write `(a, b) \gets …` with a name for each", (r"$(a, y) \gets (x, 2 x)$",), "y"),
    ("E0220", r"$y \gets x, 2 x$", r"or `[a, b]` for both end to end", (r"$y \gets [x, 2 x]$",), "y"),
    ("E0220", r"$y \gets x_1, \dots, x_n$", r"parentheses around the list", (r"$y \gets (x_1, \dots, x_n)$",), "y"),
    ("E0220", r"$y \gets \frac{1,5}{2} x$", "write a point, `1.5`, for a decimal", (r"$y \gets \frac{1.5}{2} x$",), "y"),
    ("E0217", r"$x_1 > 0$", r"write `\Assert` before it", (r"\Assert $x_1 > 0$",), "x"),
    ("E0217", r"$2 y \gets x$", r"write one there, as in `y \gets …`, solved for it", (r"$y \gets x / 2$",), "y"),
    ("E0406", r"$y \gets \begin{cases} 1 & x_1 \\ 2 & \text{otherwise} \end{cases}$", r"compare it, as in `x \neq 0`", None, "y"),
    ("E0406", r"$y \gets \mathbb{1}[\lnot x_1]$", r"compare it, as in `x \neq 0`", (r"$y \gets \mathbb{1}[\lnot (x_1 \neq 0)]$",), "y"),
    (
        "E0406",
        r"$y \gets \begin{cases} 5 & x_1 > 0 \\ x_2 > 0 & \text{otherwise} \end{cases}$",
        r"write `\mathbb{1}[c]` for 1 where `c` holds",
        (r"$y \gets \begin{cases} 5 & x_1 > 0 \\ \mathbb{1}[x_2 > 0] & \text{otherwise} \end{cases}$",),
        "y",
    ),
    ("E0506", r"$y \gets \min\{j : x_j > 0\}$", r"`\min_{j : x_j > 0} j`", (r"$y \gets \min_{j : x_j > 0} j$",), "y"),
]


@pytest.mark.parametrize(("code", "wrong", "advice", "right", "result"), MISTAKES)
def test_a_help_says_what_works(code: str, wrong: str, advice: str, right: tuple[str, ...] | None, result: str) -> None:
    found = [d for d in compile(program(wrong, rf"\Return ${result}$")).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == [code]
    assert advice in found[0].help
    mended = right or (wrong.replace("x_1", r"x_1 \neq 0"),)
    result_ = compile(program(*mended, rf"\Return ${result}$"))
    assert result_.ok, [d.message for d in result_.diagnostics]
    result_.load().F()(torch.ones(3))


@pytest.mark.parametrize("loop", [r"\If{$x_1 > 0, x_2 > 0$}|\EndIf", r"\While{$x_1 > 0, x_2 > 0$}[3]|\EndWhile"])
def test_two_conditions_with_a_comma(loop: str) -> None:
    begin, end = loop.split("|")
    text = program(begin, r"$x \gets x - 1$", end, r"\Return $x$")
    (found,) = (d for d in compile(text).diagnostics if d.severity == "error")
    assert (found.code, found.help) == ("E0220", r"write `\land` between two conditions that both must hold")
    assert compile(text.replace(", x_2", r" \land x_2")).ok


@pytest.mark.parametrize("items", [r"x[0], \dots, x[N-1]", r"x[0], x[1], \dots, x[N-1]", r"x_0, \dots, x_{N-1}"])
def test_elements_in_brackets_that_a_row_lists(items: str) -> None:
    text = (
        f"\\Require ${items} \\in \\mathbb{{R}}$\n\\Procedure{{F}}{{$x$}}\n\\Return $x[0] + \\sum_{{i=1}}^{{N-1}} i x[i]$\n\\EndProcedure\n"
    )
    result = compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    x = torch.tensor([[3.0, 2.0, 5.0], [1.0, 0.0, -1.0]])
    assert result.load().F()(x).tolist() == [15.0, -1.0]
    assert result.load().F()(x[0]).item() == 15.0


def test_ends_of_a_list_that_are_no_integers() -> None:
    (found,) = (d for d in compile(program(r"$y \gets (i = 1, \dots, n)$", r"\Return $y$")).diagnostics if d.severity == "error")
    assert (found.code, found.message) == ("E0507", "the two ends of this list differ in `i = 1` and `n`, which are no integer indices")


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    "lines", ["while {} most 3; for i = 1..n; w_i <- w_i / 2; end; ew", "if {}; for i = 1..n; w_i <- w_i / 2; end; fi"]
)
@pytest.mark.parametrize("condition", [r"\sum_i w_i > 0.1", r"\max_i w_i + \sum_{j=1}^{n} w_j > 0.1"])
def test_a_sum_in_a_condition_over_the_letter_of_a_loop_under_it(notation: str, lines: str, condition: str) -> None:
    text = text_of(
        notation,
        [r"x \in \mathbb{R}^{n}"],
        "x",
        f"w <- 2 x; {lines.format(condition)}; return w".replace("HALVE", "for i = 1..n; w_i <- w_i / 2; end"),
    )
    more = condition.startswith(r"\max")

    def meaning(x: list[torch.Tensor]) -> list[torch.Tensor]:
        w = [2 * one for one in list.__iter__(x)]
        for _ in range(3 if lines.startswith("while") else 1):
            if sum(w) + (max(w) if more else 0) > 0.1:
                w = [one / 2 for one in w]
        return w

    check(text, meaning, [((4,),), ((1,),)])


def test_a_sum_over_a_letter_that_has_a_value_is_refused() -> None:
    text = program(r"\For{$i = 1, \dots, n$}", r"$s_i \gets \sum_i x_i$", r"\EndFor", r"\Return $s$")
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == ["E0505"]


@pytest.mark.parametrize(
    ("header", "value", "numbers"),
    [("a, x", "a x", ("a", "x")), ("h, a, b", "h (a + 4 b)", ("h",)), (r"r, \gamma, p", r"\gamma p r", ("p", "r"))],
)
def test_numbers_that_nothing_declares_beside_each_other(header: str, value: str, numbers: tuple[str, ...]) -> None:
    text = f"\\Procedure{{F}}{{${header}$}}\n\\State \\Return ${value}$\n\\EndProcedure\n"
    (found,) = (d for d in compile(text).diagnostics if d.severity == "error")
    assert found.code == "E0410"
    for name in numbers:
        assert rf"`{name} \in \mathbb{{R}}`" in found.help
    declared = f"\\Require ${header} \\in \\mathbb{{R}}$\n{text}"
    assert compile(declared).ok, [d.message for d in compile(declared).diagnostics]
