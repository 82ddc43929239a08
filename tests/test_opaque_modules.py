r"""Modules that are passed in: `g \in \text{module}` in headers, tables and requirements, called whatever their arguments are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import mathdsl

HEADER = r"\Module{M}{x \in \mathbb{R}^{d} ; g \in \text{module}} \Return g(2 x + 1) + x \\ \EndModule"
TABLE = (
    r"\Module{M}{x \in \mathbb{R}^{d} ; g} \Return g(2 x + 1) + x \\ \EndModule \begin{where} g \in \mathrm{module} & any \\ \end{where}"
)
ALGORITHM = r"""
\begin{algorithmic}
\Require $g \in \text{module}$, $x \in \mathbb{R}^{d}$
\Procedure{M}{$x$}
\State $y \gets g(2 x + 1)$
\State \Return $y + x$
\EndProcedure
\end{algorithmic}"""


def agree(module: Any, reference: Any, *inputs: Tensor) -> None:
    """Values and gradients, with and without a batch."""
    for shape in ((), (2,)):
        given = [torch.randn((*shape, *x.shape), dtype=torch.float64, requires_grad=True) for x in inputs]
        found, wanted = module(*given), reference(*given)
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(torch.autograd.grad(found.sum(), given), torch.autograd.grad(wanted.sum(), given))


@pytest.mark.parametrize("text", [HEADER, TABLE, ALGORITHM], ids=["header", "table", "algorithm"])
def test_a_declared_module_is_called_whatever_its_argument_is(text: str) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(3, 3).double()
    agree(mathdsl.load(text).M(g=layer), lambda x: layer(2 * x + 1) + x, torch.zeros(3))


def test_without_the_declaration_a_call_of_a_sum_is_refused() -> None:
    assert not mathdsl.compile(HEADER.replace(r"g \in \text{module}", "g")).ok


def test_a_layer_that_is_not_known_is_passed_in_as_its_message_says() -> None:
    text = r"\Module{M}{x \in \mathbb{R}^{d} ; f \in \mathrm{Spectral}(d, d)} \Return f(2 x) \\ \EndModule"
    (refused,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert refused.code == "E0604"
    assert r"declare it `\in \text{module}`" in refused.help
    agree(
        mathdsl.load(text.replace(r"\mathrm{Spectral}(d, d)", r"\text{module}")).M(f=nn.Tanh()), lambda x: torch.tanh(2 * x), torch.zeros(3)
    )


def test_what_lies_outside_of_the_language_is_passed_in_as_its_message_says() -> None:
    text = r"\Module{M}{x \in \mathbb{R}^{n} ; } \Return \operatorname{vec}(x) \\ \EndModule"
    (refused,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert r"what is declared `\in \text{module}` is an argument" in refused.help
    passed = text.replace("; }", r"; g \in \text{module}}").replace(r"\operatorname{vec}(x)", "g(x)")
    agree(mathdsl.load(passed).M(g=nn.Tanh()), torch.tanh, torch.zeros(3))


@pytest.mark.parametrize(
    "header", [r"x \in \mathbb{R}, g \in \text{module} ; ", r"x \in \mathbb{R} ; g_i \in \text{module}, i = 1, \dots, 3"]
)
def test_a_module_that_is_an_input_or_one_of_several_is_refused(header: str) -> None:
    assert not mathdsl.compile(rf"\Module{{M}}{{{header}}} \Return x \\ \EndModule").ok
