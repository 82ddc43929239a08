r"""Inputs of several numbers in an interval: `p \in [0, 1]^n` are real numbers that a call checks; and words before a condition."""

from __future__ import annotations

import pytest
import torch

import mathdsl

INSIDE = torch.tensor([[0.25, 0.5, 1.0], [0.75, 0.125, 0.5]], dtype=torch.float64)


def program(declared: str, notation: str = "module") -> str:
    if notation == "algorithmic":
        return rf"\begin{{algorithmic}} \Require ${declared}$ \State \Return $\sum_{{i=1}}^n p_i^2$ \end{{algorithmic}}"
    return rf"\Module{{Algorithm}}{{p}} {declared} \\ \Return \sum_{{i=1}}^n p_i^2 \\ \EndModule"


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
@pytest.mark.parametrize(
    ("declared", "wrong"),
    [
        (r"p \in [0,1]^n", (-0.5, 1.5)),
        (r"p \in (0, 1]^{n}", (0.0, 1.5)),
        (r"p_i \in [0, 1], i = 1, \dots, n", (-0.5, 1.5)),
        (r"p \in \mathbb{R}_{>0}^n", (0.0, -1.0)),
        (r"p \in \mathbb{R}^n_{\geq 0}", (-1.0,)),
        (r"p \in \mathbb{R}_+^n", (-1.0,)),
        (r"p_i \in \mathbb{R}_{>0}, i = 1, \dots, n", (0.0,)),
        (r"p \in [0, \infty)^n", (-1.0,)),
    ],
)
def test_values_of_an_input_are_held_to_the_interval(notation: str, declared: str, wrong: tuple[float, ...]) -> None:
    module = mathdsl.load(program(declared, notation)).Algorithm()
    torch.testing.assert_close(module(INSIDE), INSIDE.square().sum(-1))
    short = INSIDE.clone()
    short[1, 2] = torch.nan
    torch.testing.assert_close(module(short, lengths=torch.tensor([3, 2]))[1], INSIDE[1, :2].square().sum())
    for value in wrong:
        with pytest.raises(ValueError, match="the condition does not hold"):
            module(torch.where(INSIDE == 0.5, value, INSIDE))


def test_in_a_header_and_in_a_table_after_the_program() -> None:
    for text in (
        r"\Module{N}{p \in [0,1]^n} \Return 2 p \\ \EndModule",
        r"\Module{N}{p} \Return 2 p \\ \EndModule \begin{where} p \in [0,1]^n & \\ \end{where}",
    ):
        module = mathdsl.load(text).N()
        torch.testing.assert_close(module(INSIDE), 2 * INSIDE)
        with pytest.raises(ValueError, match="the condition does not hold"):
            module(-INSIDE)


def test_a_parameter_is_not_held_to_one() -> None:
    found = mathdsl.compile(r"\Module{N}{x \in \mathbb{R}^n ; p \in [0,1]^n} \Return p \cdot x \\ \EndModule").diagnostics
    assert [d.code for d in found] == ["E0701"]


@pytest.mark.parametrize(
    "word", [r"\text{if }", r"\text{for }", r"\textrm{for}\ ", r"\text{when } ", r"\text{ where }", r"\text{provided that }"]
)
def test_words_before_a_condition(word: str) -> None:
    rows = rf"\frac12 a^2 & {word} |a| \le \delta \\ \delta (|a| - \frac12 \delta) & \text{{elsewhere}}"
    text = rf"\Module{{N}}{{a \in \mathbb{{R}}}} \delta = 1 \\ \Return \begin{{cases}} {rows} \end{{cases}} \\ \EndModule"
    a = torch.tensor([-2.0, 0.5, 3.0], dtype=torch.float64)
    torch.testing.assert_close(mathdsl.load(text).N()(a), torch.nn.functional.huber_loss(a, torch.zeros_like(a), reduction="none"))


# ---- one of some numbers -------------------------------------------------------------------------

SIGNS = torch.tensor([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]], dtype=torch.float64)


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
@pytest.mark.parametrize("declared", [r"p \in \{-1, 1\}^n", r"p \in \{-1, +1\}^{n}", r"p_i \in \{-1, 0, 1\}, i = 1, \dots, n"])
def test_values_of_an_input_are_some_numbers(notation: str, declared: str) -> None:
    text = program(declared, notation).replace("p_i^2", "i p_i")
    module = mathdsl.load(text).Algorithm()
    torch.testing.assert_close(module(SIGNS), (torch.arange(1, 4) * SIGNS).sum(-1))
    torch.testing.assert_close(module(SIGNS[1]), (torch.arange(1, 4) * SIGNS[1]).sum())
    padded = SIGNS.clone()
    padded[0, 2] = torch.nan
    torch.testing.assert_close(module(padded, lengths=torch.tensor([2, 3]))[0], SIGNS[0, 0] + 2 * SIGNS[0, 1])
    with pytest.raises(ValueError, match=r"p = -1 \\lor"):
        module(0.5 * SIGNS)


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
def test_a_number_that_is_a_sign(notation: str) -> None:
    text = program(r"p \in \{-1, 1\}", notation).replace(r"\sum_{i=1}^n p_i^2", r"\max(0, 1 - 3 p)")
    module = mathdsl.load(text).Algorithm()
    torch.testing.assert_close(module(SIGNS[:, 0]), torch.tensor([0.0, 4.0], dtype=torch.float64))
    with pytest.raises(ValueError, match="the condition does not hold"):
        module(torch.tensor(0.0))


def test_numbers_from_zero_are_indices() -> None:
    text = r"\Module{N}{E, p} \Return E[p] \\ \EndModule \begin{where} E \in \mathbb{R}^{2 \times d} & \\ p \in \{0, 1\} & \\ \end{where}"
    torch.testing.assert_close(mathdsl.load(text).N()(INSIDE, torch.tensor(1)), INSIDE[1])
    found = mathdsl.compile(text.replace("0, 1", "-1, 1")).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["E0406"]


# ---- elements whose index has its range in another row ---------------------------------------------


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
@pytest.mark.parametrize(
    ("declared", "wrong"), [(r"p_i \in [0, 1]", 1.5), (r"p_i \in (0, \infty)", -0.5), (r"p_i \in \mathbb{R}_{>0}", 0.0)]
)
def test_elements_are_held_to_the_interval_where_another_row_has_their_range(notation: str, declared: str, wrong: float) -> None:
    ranged = r"x_i \in \mathbb{R}, i = 1, \dots, n"
    if notation == "module":
        rows = rf"\begin{{where}} {ranged} & \\ {declared} & \\ \end{{where}}"
        text = rf"\Module{{Algorithm}}{{x, p ; }} \Return \sum_{{i=1}}^n x_i p_i \\ \EndModule {rows}"
    else:
        header, result = rf"\Require ${ranged}$, ${declared}$ \Procedure{{Algorithm}}{{$x, p$}}", r"\State \Return $\sum_{i=1}^n x_i p_i$"
        text = rf"\begin{{algorithmic}} {header} {result} \EndProcedure \end{{algorithmic}}"
    module, x = mathdsl.load(text).Algorithm(), INSIDE + 1
    torch.testing.assert_close(module(x, INSIDE), (x * INSIDE).sum(-1))
    torch.testing.assert_close(module(x, INSIDE, lengths=torch.tensor([3, 2]))[1], (x * INSIDE)[1, :2].sum())
    with pytest.raises(ValueError, match="the condition does not hold"):
        module(x, torch.where(INSIDE == 0.5, wrong, INSIDE))


def test_a_name_with_such_a_subscript_is_a_number() -> None:
    rows = r"\begin{where} x_i \in \mathbb{R}, i = 1, \dots, n & \\ p_i \in [0, 1] & \\ \end{where}"
    module = mathdsl.load(rf"\Module{{M}}{{x, p_i ; }} \Return p_i + \sum_{{i=1}}^n x_i \\ \EndModule {rows}").M()
    torch.testing.assert_close(module(INSIDE, INSIDE[:, 0]), INSIDE.sum(-1) + INSIDE[:, 0])
