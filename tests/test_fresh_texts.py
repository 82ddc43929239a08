r"""Texts of a first-time reader of the contract, on names that must be given and on what version 1 takes out, with what each must do.

The accepted ones are held to plain torch, the refused ones to their code and to the names in their message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from pasting import OFFERED, pasted
from torch import Tensor

import mathdsl
from mathdsl.diagnostics import Diagnostic


def algorithm(require: str, header: str, body: str) -> str:
    return f"\\begin{{algorithmic}}\n{require}\n\\Procedure{header}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n"


def real(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


# Accepted: name, constructor's arguments, inputs, the value in plain torch from the module and the inputs, and the text.

Accepted = tuple[str, dict[str, Any], Callable[[], tuple[Tensor, ...]], Callable[..., Any], str]


def recurrent(m: Any, x: Tensor, h: Tensor) -> Tensor:
    rows = []
    for x_t in x:
        h = torch.tanh(m.W @ x_t + m.U @ h + m.b)
        rows.append(h)
    return torch.stack(rows)


def deep(m: Any, x: Tensor) -> Tensor:
    for W, b in zip(m.W, m.b):
        x = x + torch.tanh(W @ x + b)
    return x


def power_iteration(m: Any, A: Tensor, v: Tensor) -> Tensor:
    for _ in range(3):
        v = A @ v / (A @ v).norm()
    return v @ A @ v


def polynomial(m: Any, a: Tensor, x: Tensor) -> Tensor:
    return sum((a_k * x**k for k, a_k in enumerate(a)), torch.zeros_like(x))


def countdown(m: Any, a: Tensor) -> Tensor:
    y = 0
    for k in (10, 8, 6, 4, 2):
        y = 2 * y + k
    return y * a


ACCEPTED: list[Accepted] = [
    # a naked docstring algorithm owns the factors of its products and their summands
    (
        "Rnn",
        {"d_x": 3, "d_h": 2},
        lambda: (real(4, 3), real(2)),
        recurrent,
        r"""
& \algoProc{\Rnn}\pa{x, h_0} \\
& \indent{1} \algoFor{t \in \set{1, \dots, S}} \\
& \indent{2} h_t \algoEq \tanh\pa{W \cdot x_t + U \cdot h_{t-1} + b} \\
& \indent{1} \algoEndFor \\
& \indent{1} \algoReturn \cat{h_1, \dots, h_S} \\
& \algoEndProc
""",
    ),
    # a remark in parentheses behind a statement
    (
        "Step",
        {},
        lambda: (real(3), real(3)),
        lambda m, w, g: w - 0.1 * g,
        algorithm(
            r"\Require $w \in \mathbb{R}^{n}$, $g \in \mathbb{R}^{n}$",
            "{Step}{$w, g$}",
            r"\State $w \gets w - 0.1 g$ (a step down the slope) \State \Return $w$",
        ),
    ),
    # a naked one: a Latin scalar alone under a dividing root is an argument of the constructor
    (
        "Attn",
        {"d_k": 7.0},
        lambda: (real(2, 3), real(4, 3), real(4, 5)),
        lambda m, Q, K, V: torch.softmax(Q @ K.T / 7.0**0.5, -1) @ V,
        r"""
& \algoProc{\Attn}\pa{Q, K, V} \\
& \indent{1} A \algoEq \sof{\frac{Q K^\top}{\sqrt{d_k}}} \\
& \indent{1} \algoReturn A V \\
& \algoEndProc
""",
    ),
    # a naked one owns families, and the end of its loop is a size
    (
        "Deep",
        {"K": 3, "d_x": 2},
        lambda: (real(2),),
        deep,
        r"""
& \algoProc{\Deep}\pa{x} \\
& \indent{1} \algoFor{k \in \set{1, \dots, K}} \\
& \indent{2} x \algoEq x + \tanh\pa{W_k \cdot x + b_k} \\
& \indent{1} \algoEndFor \\
& \indent{1} \algoReturn x \\
& \algoEndProc
""",
    ),
    # what `\Require` declares beyond the header is owned; its remarks say nothing
    (
        "Step",
        {"eta": 0.25},
        lambda: (real(3), real(3)),
        lambda m, w, g: w - 0.25 * g,
        algorithm(
            r"\Require $w \in \mathbb{R}^{n}$, $g \in \mathbb{R}^{n}$ (weights and gradient)"
            "\n"
            r"\Require $\eta \in \mathbb{R}_{>0}$ (the learning rate)",
            "{Step}{$w, g$}",
            r"\State $w \gets w - \eta g$ \State \Return $w$",
        ),
    ),
    # a bound of a loop that nothing else declares is an integer of the constructor
    (
        "PowerIteration",
        {"T": 3},
        lambda: (real(3, 3), real(3)),
        power_iteration,
        algorithm(
            r"\Require $A \in \mathbb{R}^{n \times n}$, $v \in \mathbb{R}^{n}$",
            "{PowerIteration}{$A, v$}",
            r"""\For{$t = 1$ to $T$}
  \State $u \gets A v$
  \State $v \gets u / \lVert u \rVert$
\EndFor
\State \Return $v^\top A v$""",
        ),
    ),
    # the tuple is how a swap is written; a batch takes both branches
    (
        "Order",
        {},
        lambda: (real(6), real(6)),
        lambda m, a, b: (torch.minimum(a, b), torch.maximum(a, b)),
        algorithm(
            r"\Require $a \in \mathbb{R}$, $b \in \mathbb{R}$",
            "{Order}{$a, b$}",
            r"\If{$a > b$} \State $(a, b) \gets (b, a)$ \EndIf \State \Return $(a, b)$",
        ),
    ),
    # descending ranges stay
    (
        "Polynomial",
        {},
        lambda: (real(4), real()),
        polynomial,
        algorithm(
            r"\Require $a \in \mathbb{R}^{n}$, $x \in \mathbb{R}$",
            "{Polynomial}{$a, x$}",
            r"""\State $y \gets a_n$
\For{$k = n - 1, n - 2, \dots, 1$}
  \State $y \gets y x + a_k$
\EndFor
\State \Return $y$""",
        ),
    ),
    # constant steps stay
    (
        "Countdown",
        {},
        lambda: (real(3),),
        countdown,
        algorithm(
            r"\Require $a \in \mathbb{R}^{n}$",
            "{Countdown}{$a$}",
            r"\State $y \gets 0$ \For{$k = 10, 8, \dots, 2$} \State $y \gets 2 y + k$ \EndFor \State \Return $y a$",
        ),
    ),
]

# Refused: the code, what the message and its help say, and the text.

REFUSED: list[tuple[str, list[str], str]] = [
    # a weight and a bias that the header does not name
    (
        "E0301",
        ["`W`, `b` are", r"\Module{Gate}{x \in \mathbb{R}^n ; W, b}"],
        r"""
\Module{Gate}{x \in \mathbb{R}^{n}}
  z \gets \sigma(W x + b) \\
  \Return z \odot x \\
\EndModule
""",
    ),
    # families over layers
    (
        "E0301",
        ["`W`, `b` are", r"W^{\ell} \in \mathbb{R}^{d \times d}, \ell = 1, \dots, L"],
        r"""
\Module{Mlp}{x \in \mathbb{R}^{d}}
  h^0 \gets x \\
  h^{\ell} \gets \ReLU(W^{\ell} h^{\ell-1} + b^{\ell}) \quad (\ell = 1, \dots, L) \\
  \Return h^L \\
\EndModule
""",
    ),
    # a bold bias beside a bold matrix is far from it
    (
        "E0301",
        [r"`\mathbf{b}` is", r"\mathbf{b} \in \mathbb{R}^{m} & a parameter"],
        r"""
\Module{Affine}{\mathbf{x} \in \mathbb{R}^{n} ; \mathbf{W} \in \mathbb{R}^{m \times n}}
  \Return \mathbf{W} \mathbf{x} + \mathbf{b} \\
\EndModule
""",
    ),
    # Greek letters are errors in a naked algorithm too; with a table it must declare its weights
    (
        "E0301",
        [r"`\gamma`, `\varepsilon` are", r"W \in \mathbb{R}^{d_y \times d_x} & a parameter"],
        r"""
& \algoProc{\Norm}\pa{x} \\
& \indent{1} y \algoEq W \cdot x + b \\
& \indent{1} \algoReturn \frac{\gamma * y}{\sqrt{y^\top y} + \varepsilon} \\
& \algoEndProc
""",
    ),
    # rates in an algorithm whose `\Require` gives the rest
    (
        "E0301",
        [r"`\beta`, `\epsilon` are", r"\beta \in \mathbb{R}_{>0} & a setting"],
        algorithm(
            r"\Require $m \in \mathbb{R}^{n}$, $g \in \mathbb{R}^{n}$",
            "{Moment}{$m, g$}",
            r"\State $m \gets \beta m + (1 - \beta) g$ \State \Return $\frac{m}{\sqrt{m^\top m} + \epsilon}$",
        ),
    ),
    # a misspelt word
    (
        "E0301",
        ["`hiden`", "`hidden`"],
        r"""
\Module{Cell}{x \in \mathbb{R}^{n}, hidden \in \mathbb{R}^{m} ; W_{hh} \in \mathbb{R}^{m \times m}, W_{xh} \in \mathbb{R}^{m \times n}}
  \Return \tanh(W_{hh} hiden + W_{xh} x) \\
\EndModule
""",
    ),
    # plus or minus
    (
        "E0201",
        [r"`\pm`"],
        algorithm(r"\Require $x \in \mathbb{R}$, $d \in \mathbb{R}$", "{Bounds}{$x, d$}", r"\State $u \gets x \pm d$ \State \Return $u$"),
    ),
    # an exchange by an arrow
    (
        "E0217",
        [],
        algorithm(
            r"\Require $a \in \mathbb{R}^{n}$",
            "{Reverse}{$a$}",
            r"\For{$i = 1$ to $n - 1$} \State $a_i \leftrightarrow a_{i+1}$ \EndFor \State \Return $a$",
        ),
    ),
    # two equations in one line
    (
        "E0217",
        ["two signs `=`"],
        r"""
\Module{F}{x \in \mathbb{R}^{n}, a \in \mathbb{R}^{n}}
  y = x + a = a + x \\
  \Return y \\
\EndModule
""",
    ),
    # a name made of an expression
    (
        "E0217",
        ["the left side"],
        r"""
\Module{F}{x \in \mathbb{R}^{n} ; \mu \in \mathbb{R}^{n}}
  \ln q \gets -\lVert x - \mu \rVert^2 \\
  \Return \ln q \\
\EndModule
""",
    ),
    # a loop with a real step
    (
        "E0701",
        [r"`\Delta`", "an integer count the turns"],
        algorithm(
            r"\Require $x \in \mathbb{R}$, $\Delta \in \mathbb{R}_{>0}$",
            "{Decay}{$x$}",
            r"\For{$t = 0, \Delta, 2 \Delta, \dots, 1$} \State $x \gets x - \Delta x$ \EndFor \State \Return $x$",
        ),
    ),
]


def errors(text: str) -> list[Diagnostic]:
    return [one for one in mathdsl.compile(text).diagnostics if one.code.startswith("E")]


@pytest.mark.parametrize(("name", "arguments", "inputs", "value", "text"), ACCEPTED, ids=[one[0] for one in ACCEPTED])
def test_accepted(
    name: str, arguments: dict[str, Any], inputs: Callable[[], tuple[Tensor, ...]], value: Callable[..., Any], text: str
) -> None:
    torch.manual_seed(0)
    module = getattr(mathdsl.load(text), name)(**arguments).to(torch.float64)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    given = inputs()
    torch.testing.assert_close(module(*given), value(module, *given))


@pytest.mark.parametrize(("code", "said", "text"), REFUSED)
def test_refused(code: str, said: list[str], text: str) -> None:
    (found,) = errors(text)
    assert found.code == code
    message = f"{found.message}\n{found.help}"
    assert [one for one in said if one not in message] == []
    if OFFERED in message:
        assert errors(pasted(text, found)) == []
