r"""Conditions and ranges as people write them: `\If{$i$ is odd}`, `\If{$3$ divides $i$}`, `\If{$i == 1$}`, `\For{$i = n$ \DownTo $1$}`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import FromOne, check

SIZES = (((6,),), ((1,),), ((3,),), ((0,),))


def branches(condition: str) -> str:
    return (
        "\\Require $x \\in \\mathbb{R}^{n}$\n\\Procedure{F}{$x$}\n\\For{$i = 1, \\dots, n$}\n"
        f"\\If{{{condition}}} \\State $y_i \\gets x_i$ \\Else \\State $y_i \\gets -x_i$ \\EndIf\n"
        "\\EndFor\n\\State \\Return $y$\n\\EndProcedure\n"
    )


def codes(text: str) -> list[str]:
    return [found.code for found in compile(text).diagnostics if found.severity == "error"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("$i$ is odd", lambda i: i % 2 == 1),
        (r"$i$ is \textbf{even}", lambda i: i % 2 == 0),
        (r"$i + 1$ is odd and $i > 2$", lambda i: i % 2 == 0 and i > 2),
        (r"$i > 2$ \textbf{and} $2 i + 1$ is odd", lambda i: i > 2),
        (r"not $i$ is even", lambda i: i % 2 == 1),
        ("$3$ divides $i$", lambda i: i % 3 == 0),
        ("$i$ is odd or $4$ divides $i + 2$", lambda i: i % 2 == 1 or i % 4 == 2),
        ("$i == 1$", lambda i: i == 1),
        (r"$(i == 1) \lor (i == 3)$", lambda i: i in (1, 3)),
        (r"$\lnot (i == 2)$", lambda i: i != 2),
        (r"$i == 1$ or $i == 3$", lambda i: i in (1, 3)),
    ],
)
def test_conditions(condition: str, holds: Callable[[int], bool]) -> None:
    check(branches(condition), lambda x: FromOne(x[i] if holds(i) else -x[i] for i in range(1, len(x) + 1)), SIZES, shortest=0)


def test_two_signs_in_the_other_notation_and_in_cases() -> None:
    docstring = (
        "\\algoProc{\\F}\\pa{x} \\\\\n& \\indent{1} \\algoFor{i \\in \\set{1, \\dots, n}} \\\\\n& \\indent{2} \\algoIf{i == 2} \\\\\n"
        "& \\indent{3} y_i \\algoEq x_i \\\\\n& \\indent{2} \\algoElse \\\\\n"
        "& \\indent{3} y_i \\algoEq -x_i \\\\\n& \\indent{2} \\algoEndIf \\\\\n"
        "& \\indent{1} \\algoEndFor \\\\\n& \\indent{1} \\algoReturn y \\\\\n\\algoEndProc\n"
        "\\begin{where} x \\in \\mathbb{R}^{n} & \\\\ \\end{where}\n"
    )
    module = (
        "\\Module{F}{x}\ny_i \\gets \\begin{cases} x_i & i == 2 \\\\ -x_i & \\text{otherwise} \\end{cases} \\quad (i = 1, \\dots, n) \\\\\n"
        "\\Return y \\\\\n\\EndModule\n\\begin{where} x_i \\in \\mathbb{R}, i = 1, \\dots, n & \\\\ \\end{where}\n"
    )
    for text in (docstring, module):
        check(text, lambda x: FromOne(x[i] if i == 2 else -x[i] for i in range(1, len(x) + 1)), SIZES[:3], shortest=1)


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("$i$ is positive", "E0228"),
        ("$i$ is odd number", "E0228"),
        ("is odd", "E0228"),
        (r"$i > 2 \land i$ is odd", "E0406"),
        ("$i === 1$", "E0208"),
        ("$i = = 1$", "E0208"),
        ("$f(i == 1)$", "E0208"),  # what stands before a sign `=` there names an argument
    ],
)
def test_what_is_refused(condition: str, code: str) -> None:
    assert codes(branches(condition)) == [code]


@pytest.mark.parametrize("line", ["y == 1", "y = x_1 == 1"])
def test_two_signs_define_nothing(line: str) -> None:
    text = f"\\Require $x \\in \\mathbb{{R}}^{{n}}$\n\\Procedure{{F}}{{$x$}}\n\\State ${line}$\n\\State \\Return $y$\n\\EndProcedure\n"
    assert codes(text) == ["E0208"]


@pytest.mark.parametrize(
    "head", [r"$i = n$ \DownTo $1$", r"$i \gets n \DownTo 1$", r"$i = n$ \KwDownTo $1$", r"$i = n$ \textbf{downto} $1$"]
)
def test_downwards(head: str) -> None:
    text = (
        "\\Require $x \\in \\mathbb{R}^{n}$\n\\Procedure{F}{$x$}\n\\State $s \\gets 0$\n"
        f"\\For{{{head}}} \\State $s \\gets 2 s + x_i$ \\EndFor\n\\State \\Return $s$\n\\EndProcedure\n"
    )
    check(text, lambda x: sum((x[i] * 2 ** (i - 1) for i in range(1, len(x) + 1)), torch.zeros(())), SIZES, shortest=0)


# ---- conditions of indicators -----------------------------------------------------------------------

INDICATORS = (
    r"\mathbb{1}[%]",
    r"\mathbb{1}\{%\}",
    r"\mathbb{1}\left[%\right]",
    r"\mathbb{1}_{%}",
    r"\mathbb{1}_{[%]}",
    r"\mathbb{1}(%)",
    r"1\{%\}",
)


def in_algorithm(value: str) -> str:
    return f"\\Require $x \\in \\mathbb{{R}}^{{n}}$\n\\Procedure{{F}}{{$x$}}\n\\State \\Return ${value}$\n\\EndProcedure\n"


def in_module(value: str) -> str:
    rows = r"\begin{where} x_i \in \mathbb{R}, i = 1, \dots, n & \\ \end{where}"
    return f"\\Module{{F}}{{x}}\n\\Return {value} \\\\\n\\EndModule\n{rows}\n"


@pytest.mark.parametrize("written", [in_algorithm, in_module])
@pytest.mark.parametrize("indicator", INDICATORS)
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("i == 2", lambda i: i == 2),
        (r"i \mod 2 = 0", lambda i: i % 2 == 0),
        (r"i \bmod 3 == 1", lambda i: i % 3 == 1),
        (r"(i + 1) \mod 3 \neq 0", lambda i: i % 3 != 2),
    ],
)
def test_conditions_of_an_indicator(written: Callable[[str], str], indicator: str, condition: str, holds: Callable[[int], bool]) -> None:
    text = written(rf"\sum_{{i=1}}^n {indicator.replace('%', condition)} x_i")
    check(text, lambda x: sum((x[i] for i in range(1, len(x) + 1) if holds(i)), torch.zeros(())), SIZES, shortest=0)


@pytest.mark.parametrize("written", [in_algorithm, in_module])
@pytest.mark.parametrize("sum_", [r"i + 1 \mod 3", r"i + 1 \bmod 3", r"i - 1 \bmod 3"])
def test_a_remainder_behind_a_sum_is_asked_about(written: Callable[[str], str], sum_: str) -> None:
    (found,) = compile(written(rf"\sum_{{i=1}}^n ({sum_}) x_i")).diagnostics
    left, sign, right = sum_.replace(r"\mod", r"\bmod").split(" ", 2)
    assert found.code == "E0212"
    assert found.message == f"`{left} {sign} {right}` can be the remainder of all before it, or a remainder by itself"
    number = -1 if sign == "-" else 1
    texts = (rf"({left} {sign} 1) \bmod 3", lambda i: (i + number) % 3), (rf"{left} {sign} (1 \bmod 3)", lambda i: i + number)
    for value, meaning in texts:
        check(
            written(rf"\sum_{{i=1}}^n ({value}) x_i"),
            lambda x, of=meaning: sum((of(i) * x[i] for i in range(1, len(x) + 1)), torch.zeros(())),
            SIZES,
        )


@pytest.mark.parametrize("value", [r"\sum_{i == 1}^n x_i", r"\sum_{i=1}^n x_{i == 1}"])
def test_two_signs_that_are_no_condition(value: str) -> None:
    assert codes(in_algorithm(value)) == ["E0208"]


@pytest.mark.parametrize("written", [in_algorithm, in_module])
@pytest.mark.parametrize(
    ("value", "whole", "part"),
    [
        (r"-i \bmod 3", (r"(-i) \bmod 3", lambda i: -i % 3), (r"-(i \bmod 3)", lambda i: -(i % 3))),
        (r"i + 4 \bmod 3 * 2", (r"(i + 4) \bmod 3 * 2", lambda i: (i + 4) % 3 * 2), (r"i + (4 \bmod 3) * 2", lambda i: i + 2)),
    ],
)
def test_a_remainder_behind_a_minus_sign_or_before_a_factor(
    written: Callable[[str], str], value: str, whole: tuple[str, Callable[[int], int]], part: tuple[str, Callable[[int], int]]
) -> None:
    (found,) = compile(written(rf"\sum_{{i=1}}^n ({value}) x_i")).diagnostics
    assert found.code == "E0212"
    for mended, meaning in (whole, part):
        check(
            written(rf"\sum_{{i=1}}^n ({mended}) x_i"),
            lambda x, of=meaning: sum((of(i) * x[i] for i in range(1, len(x) + 1)), torch.zeros(())),
            SIZES,
        )
