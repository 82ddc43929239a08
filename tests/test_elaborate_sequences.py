r"""Sequences put together inside comprehensions, reductions and operations along an index, against the equations and torch."""

from __future__ import annotations

import pytest
import torch
from differential import check_text

from mathdsl import compile

TABLE = r"\begin{where} x_t, y_t \in \mathbb{R}^{d}, t = 1, \dots, S & two sequences \\ \end{where}"


def module(body: str) -> str:
    return rf"\Module{{F}}{{x, y ; }} {body} \\ \EndModule {TABLE}"


@pytest.mark.parametrize(
    "body",
    [
        r"\Return \sum_{t=1}^{S} \lVert x_t || y_t \rVert",
        r"\Return \sum_{t=1}^{S} \max_{k=1}^{S} \lVert x_t || (y_k - x_t) \rVert",
        r"\Return \{ (x_t || y_t)^\top (y_t || x_t) ; t \in \{1, \dots, S\} \}",
        r"\Return \softmax_t(\lVert x_t || y_t \rVert)",
        r"z_k \gets \sum_{t=1}^{S} \lVert x_t || (y_k - x_t) \rVert \quad (k = 1, \dots, S) \\ \Return z",
        r"z_t \gets \softmax_t(\lVert x_t || y_t \rVert) x_t \quad (t = 1, \dots, S) \\ \Return z",
    ],
)
def test_each_turn_puts_together_its_own(body: str) -> None:
    assert check_text(module(body)) == 1


def test_the_sum_of_joined_vectors() -> None:
    x, y = torch.randn(2, 4, 3)
    found = compile(module(r"\Return \sum_{t=2}^{S} (x_t || y_{t-1})")).load().F()(x, y)
    torch.testing.assert_close(found, torch.cat([x[1:], y[:-1]], -1).sum(0))


def test_a_range_that_depends_on_another_index_is_refused() -> None:
    text = module(r"z_k \gets \sum_{t=1}^{k} \lVert x_t || y_k \rVert \quad (k = 1, \dots, S) \\ \Return z")
    found = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert [(d.code, d.help) for d in found] == [("E0701", "give it a name of its own")]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (r"|x \cdot x|", 14.0),
        (r"|x[1] - 5|", 3.0),
        (r"|x_1 - 5|", "E0502"),
        (r"|a|", 14.0),
        (r"|q|", 3.0),
        (r"|\{ -2 t ; t \in x \}|", 3.0),
        (r"|f(x_0)|", 2.0),
        (r"|x|", "E0311"),
        (r"|2 x|", "E0311"),
        (r"|v|", "E0311"),
        (r"\lvert W x \rvert", "E0311"),
        (r"|W_0|", "E0311"),
        (r"|A|", "E0311"),
    ],
)
def test_bars_are_of_a_number_or_of_what_is_written_as_a_sequence(value: str, answer: float | str) -> None:
    values = r"a \gets -x \cdot x \\ v \gets W x \\ A \gets W W \\ q \gets \{ 2 t ; t \in x \} \\ f(z) \gets -2 |z| \\"
    rows = r"x \in \mathbb{R}^{n} & \\ W \in \mathbb{R}^{n \times n} & \\"
    text = f"\\Module{{F}}{{x, W ; }}\n{values}\n\\Return {value} \\\\\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"
    result = compile(text)
    if isinstance(answer, str):
        assert [d.code for d in result.diagnostics if d.severity == "error"] == [answer]
    else:
        assert float(result.load().F()(torch.tensor([1.0, 2.0, 3.0]), torch.eye(3))) == answer


@pytest.mark.parametrize("declared", [r"\mathbb{R}", r"\mathbb{N}", r"\mathbb{R}^{n+1}", r"\mathbb{R}^{n+1 \times n}"])
def test_a_sequence_is_declared_with_all_of_its_values(declared: str) -> None:
    text = r"\Module{F}{\{x\}^n ; } \Return \sum_{i=0}^{n-1} x[i] \\ \EndModule \begin{where} x \in TYPE & values \\ \end{where}"
    (found,) = [one for one in compile(text.replace("TYPE", declared)).diagnostics if one.severity == "error"]
    assert (found.code, found.message) == ("E0404", "`x` is declared with a type that is no sequence of `n` values")
    mended = compile(text.replace("TYPE", r"\mathbb{R}^{n}"))
    assert mended.load().F()(torch.tensor([1.0, 2.0, 4.0])) == 7.0
