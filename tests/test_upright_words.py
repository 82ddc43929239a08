r"""Words in formulas that stand for signs, in any upright font: `i = 1 \text{ to } n`, `\textbf{not } c`; and norms of order 0."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import check

X = torch.tensor([1.5, -2.0, 3.0, 0.5], dtype=torch.float64)
VECTOR, ELEMENTS = r"x \in \mathbb{R}^n", r"x_i \in \mathbb{R}"
UP = (
    r"\text{ to }",
    r"\textbf{ to }",
    r"\textrm{ to }",
    r"\mathrm{ to }",
    r"\mbox{ to }",
    r"\operatorname{to}",
    r"~\textbf{to}~",
    r"\mathbf{to}",
)
DOWN = (r"\text{ downto }", r"\textbf{down to}", r"\mathrm{downto}", r"\;\boldsymbol{downto}\;")


def algorithm(lines: str) -> str:
    return rf"\begin{{algorithmic}} \Require ${VECTOR}$ \Procedure{{F}}{{$x$}} {lines} \EndProcedure \end{{algorithmic}}"


def module(lines: str, row: str = VECTOR) -> str:
    return rf"\Module{{F}}{{x ; }} {lines} \\ \EndModule \begin{{where}} {row} & \\ \end{{where}}"


def docstring(bounds: str) -> str:
    loop = rf"s \gets 0 \\ \algoFor{{i = {bounds}}} \\ s \gets \frac{{s}}{{2}} + x_i \\ \algoEndFor \\ \algoReturn s \\"
    return rf"\algoProc{{\F}}\pa{{x}} \\ {loop} \algoEndProc \\ \begin{{where}} {VECTOR} & \\ \end{{where}}"


def loop(bounds: str, sign: str = "=") -> str:
    turns = rf"\For{{$i {sign} {bounds}$}} \State $s \gets s / 2 + x_i$ \EndFor"
    return algorithm(rf"\State $s \gets 0$ {turns} \State \Return $s$")


def in_order(x: Tensor) -> Tensor:
    total = torch.zeros((), dtype=x.dtype)
    for value in x:
        total = total / 2 + value
    return total


@pytest.mark.parametrize("word", UP)
def test_a_range_goes_up(word: str) -> None:
    bounds = f"1 {word} n"
    for text in (loop(bounds), loop(bounds, r"\gets"), docstring(bounds)):
        check(text, (X,), in_order)
    check(module(rf"\Return \sum_{{i = {bounds}}} x_i^2"), (X,), lambda x: x.square().sum())
    check(module(rf"y_i \gets 2 x_i \quad (i = {bounds}) \\ \Return y"), (X,), lambda x: 2 * x)
    check(module(rf"y_i \gets 2 x_i \quad \text{{for }} i = {bounds} \\ \Return y"), (X,), lambda x: 2 * x)
    for between in (", ", r" \text{ for } "):
        rows = rf"{ELEMENTS}{between}i = {bounds}"
        check(module(r"y_i \gets 2 x_i \quad (i = 1, \dots, n) \\ \Return y", rows), (X,), lambda x: 2 * x)


def test_bounds_are_computed() -> None:
    check(
        module(r"\Return \sum_{i = 2 \text{ to } n - 1} x_i^2", ELEMENTS + r", i = 1 \text{ to } n"), (X,), lambda x: x[1:-1].square().sum()
    )


@pytest.mark.parametrize("word", DOWN)
def test_a_range_goes_down(word: str) -> None:
    for text in (loop(f"n {word} 1"), docstring(f"n {word} 1")):
        check(text, (X,), lambda x: in_order(x.flip(-1)))


@pytest.mark.parametrize(
    "condition",
    [
        *(r"\textbf{not } x_1 > 0", r"\mathrm{not}\ x_1 > 0", r"\text{not} (x_1 > 0)"),
        *(r"\mathbf{not}\ x_1 > 0", r"x_1 \leq 0\ \mathbf{and}\ \mathbf{not}\ x_1 > 0", r"x_1 \leq 0\ \mathbf{or}\ x_1 < -1"),
        *(r"x_1 < -1 \mathrm{ or } x_1 \leq 0", r"x_1 \leq 0 \textbf{ and } \textbf{not } x_1 > 0"),
    ],
)
def test_words_of_logic(condition: str) -> None:
    branches = rf"\If{{${condition}$}} \State $y \gets x^2$ \Else \State $y \gets 3 x$ \EndIf \State \Return $y$"
    for x in (X, -X):
        check(algorithm(branches), (x,), lambda v: torch.where(v[0] > 0, 3 * v, v.square()))
    cases = rf"\Return \begin{{cases}} x_i^2 & {condition} \\ 3 x_i & \text{{otherwise}} \end{{cases}} \quad (i = 1, \dots, n)"
    text = module(cases.replace(r"\Return", r"y_i \gets") + r" \\ \Return y")
    for x in (X, -X):
        check(text, (x,), lambda v: torch.where(v[0] > 0, 3 * v, v.square()))


def test_words_in_names_stay() -> None:
    names = r"y_{\text{true}}, y_{\mathrm{not}}"
    text = rf"\Module{{F}}{{{names} ;}} \Return y_{{\text{{true}}}} - y_{{\mathrm{{not}}}}^2 \\ \EndModule"
    check(rf"{text} \begin{{where}} {names} \in \mathbb{{R}}^n & \\ \end{{where}}", (X, X + 1), lambda a, b: a - b.square())
    bold = text.replace(names, r"\mathbf{to}, \mathbf{x}").replace(r"y_{\text{true}} - y_{\mathrm{not}}^2", r"\mathbf{to} - \mathbf{x}^2")
    rows = r"\mathbf{to}, \mathbf{x} \in \mathbb{R}^n & \\"
    check(rf"{bold} \begin{{where}} {rows} \end{{where}}", (X, X + 1), lambda a, b: a - b.square())


@pytest.mark.parametrize("font", ["text", "textbf", "mathrm", "mathbf"])
def test_a_truth_that_is_assigned_is_a_value(font: str) -> None:
    begin, found = rf"\State $f \gets \{font}{{false}}$", rf"\State $f \leftarrow \{font}{{true}}$ \State $p \gets x_i$"
    branch = rf"\If{{$\lnot f \land x_i > 0$}} {found} \EndIf"
    text = algorithm(rf"{begin} \State $p \gets 0$ \For{{$i = 1, \dots, n$}} {branch} \EndFor \State \Return $p$")
    for x in (X, -X):
        check(text, (x,), lambda v: v[v > 0][0])


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (loop(r"1 \text{ until } n"), "E0209", r"\text{ until }"),
        (module(r"\Return \sum_{i \text{ to } n} x_i"), "E0505", r"i \text{ to } n"),
        (
            algorithm(r"\If{$x_1 = \textbf{true}$} \State $y \gets x$ \Else \State $y \gets -x$ \EndIf \State \Return $y$"),
            "E0209",
            r"\textbf{true}",
        ),
        (module(r"\Return \|x\|_0"), "E0701", "0"),
        (algorithm(r"\State \Return $\|x\|_0$"), "E0701", "0"),
    ],
)
def test_what_is_open_is_refused(text: str, code: str, place: str) -> None:
    found = [(d.code, text[d.span.start : d.span.end]) for d in compile(text).diagnostics if d.severity == "error"]
    assert found == [(code, place)]


def test_elements_that_are_not_zero_are_counted_as_the_help_says() -> None:
    made = compile(module(r"\Return \sum_{i=1}^{n} \mathbb{1}[x_i \neq 0]")).load().F()
    assert made(torch.tensor([0.0, 2.0, 0.0, -1.0])) == 2
