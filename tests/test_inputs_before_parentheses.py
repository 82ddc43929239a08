r"""An input that nothing declares before a parenthesis, `f(x)`: a function for most readers, whom a product would deceive."""

from __future__ import annotations

import pytest
import torch

import mathdsl

SCALARS = r"\begin{where} a, b \in \mathbb{R} & \\ \end{where}"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (rf"\Module{{F}}{{f, a}} \Return f(a) \\ \EndModule {SCALARS}", ["E0305"]),
        (r"\Require $a \in \mathbb{R}$ \Procedure{F}{$f, a$} \State \Return $f(a) + 1$ \EndProcedure", ["E0305"]),
        (r"\begin{algorithm} \KwIn{a function $f$, a point $a \in \mathbb{R}$} \Return{$f(a)$} \end{algorithm}", ["E0305"]),
        (rf"\Module{{F}}{{f, a}} \Return f() + a \\ \EndModule {SCALARS}", ["E0305"]),
        (rf"\Module{{F}}{{f, a}} \Return f(a, b) \\ \EndModule {SCALARS}", ["E0305"]),
        (r"\Module{F}{x} \Return \sum_{t=1}^{n} x(t) \\ \EndModule", ["E0409"]),
        (r"\Module{F}{x} y(t) \gets 2 x(t) \quad (t = 1, \dots, n) \\ \Return y \\ \EndModule", ["E0409"]),
    ],
)
def test_a_product_is_not_guessed(text: str, codes: list[str]) -> None:
    assert [d.code for d in mathdsl.compile(text).diagnostics if d.severity == "error"] == codes


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\Module{F}{f, a} \Return f(a) \\ \EndModule \begin{where} f, a \in \mathbb{R} & \\ \end{where}", 6.0),
        (rf"\Module{{F}}{{f, a}} \Return f(a + 1) \\ \EndModule {SCALARS}", 8.0 + 1.0),
    ],
)
def test_what_is_declared_or_stands_alone_or_before_a_sum_multiplies(text: str, wanted: float) -> None:
    assert mathdsl.load(text).F()(torch.tensor(3.0), torch.tensor(2.0)).item() == wanted


def test_elements_that_a_row_declares_are_elements() -> None:
    text = r"\Module{F}{x} \Return \sum_{t=1}^{n} x(t) \\ \EndModule \begin{where} x(t) \in \mathbb{R}, t = 1, \dots, n & \\ \end{where}"
    result = mathdsl.compile(text)
    assert not result.ok or result.load().F()(torch.tensor([1.0, 2.0])).item() == 3.0
