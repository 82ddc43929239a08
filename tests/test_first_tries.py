r"""What people write first, after their paper: accepted with its numbers, or refused by one error whose help is true.

A refused text has the code, the place, what the help says, and the change by which that help is followed: the text then compiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl

ATTENTION = r"""
\mathrm{Attention}(Q, K, V) \gets \softmax(\frac{Q K^\top}{\sqrt{d_k}}) V \\
\begin{where}
  K \in \mathbb{R}^{m \times d_k} & the keys \\
\end{where}
\Module{MultiHead}{Q, K, V ; W_i^Q, W_i^K, W_i^V, W^O}
  \mathrm{head}_i \gets \mathrm{Attention}(Q W_i^Q, K W_i^K, V W_i^V) \quad (i = 1, \dots, h) \\
  \Return \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_h) W^O \\
\EndModule
\begin{where}
  Q \in \mathbb{R}^{n \times d_{\text{model}}} & queries \\
  K, V \in \mathbb{R}^{m \times d_{\text{model}}} & keys and values \\
  W_i^Q, W_i^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, i = 1, \dots, h & projections \\
  W_i^V \in \mathbb{R}^{d_{\text{model}} \times d_v}, i = 1, \dots, h & \\
  W^O \in \mathbb{R}^{h d_v \times d_{\text{model}}} & \\
\end{where}
"""
RANGE, OF_ROWS = r" \quad (i = 1, \dots, h)", r", i = 1, \dots, h"
KEYS = "\\begin{where}\n  K \\in \\mathbb{R}^{m \\times d_k} & the keys \\\\\n\\end{where}\n"


def module(header: str, body: str, *rows: str) -> str:
    table = "".join(f"  {row} \\\\\n" for row in rows)
    return f"\\Module{{F}}{{{header}}}\n  {body} \\\\\n\\EndModule\n\\begin{{where}}\n{table}\\end{{where}}\n"


def algorithm(required: Sequence[str], *lines: str) -> str:
    listed = [*(rf"\Require {one}" for one in required), *lines]
    return "\\begin{algorithmic}\n" + "\n".join(listed) + "\n\\end{algorithmic}\n"


def docstring(statement: str) -> str:
    loop = (r"& \indent{1} \algoFor{t \in \set{1, \dots, S}} \\", statement, r"& \indent{1} \algoEndFor \\")
    return "\n".join((r"& \algoProc{\Rnn}\pa{x, h_0} \\", *loop, r"& \algoEndProc"))


NUMBERS = r"$x \in \mathbb{R}^n$"


def real(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def multi_head(m: Any, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    heads = []
    for W_Q, W_K, W_V in zip(m.W_Q, m.W_K, m.W_V):
        q, k, v = Q @ W_Q, K @ W_K, V @ W_V
        heads.append(torch.softmax(q @ k.T / k.shape[-1] ** 0.5, -1) @ v)
    return torch.cat(heads, -1) @ m.W_O


def discounted(m: Any, x: Tensor, gamma: Tensor) -> Tensor:
    rows = [x[-1]]
    for x_t in x[:-1].flip(0):
        rows.insert(0, x_t + gamma * rows[0])
    return torch.stack(rows)


def returns(loop: str) -> str:
    required = [r"$x_t \in \mathbb{R}, t = 1, \dots, T$", r"$\gamma \in \mathbb{R}$"]
    body = [r"\State $G_t \gets x_t + \gamma G_{t+1}$", r"\EndFor", r"\State \Return $G$"]
    return algorithm(required, r"\State $G_T \gets x_T$", rf"\For{{{loop}}}", *body)


VITERBI = r"""
\begin{algorithmic}
\Procedure{Viterbi}{$o, \pi, A, B$}
\For{$j = 1, \dots, N$}
  \State $\psi_1(j) \gets 0$
  \State $\delta_1(j) \gets \pi_j B_{j, o_1}$
\EndFor
\For{$t = 2, \dots, T$}
  \For{$j = 1, \dots, N$}
    \State $\delta_t(j) \gets \max_{i=1}^{N} \delta_{t-1}(i) A_{i,j} B_{j, o_t}$
    \State $\psi_t(j) \gets \arg\max_{i=1}^{N} \delta_{t-1}(i) A_{i,j}$
  \EndFor
\EndFor
\State $q_T \gets \arg\max_{i=1}^{N} \delta_T(i)$
\For{$t = T-1, \dots, 1$}
  \State $q_t \gets \psi_{t+1}(q_{t+1})$
\EndFor
\State \Return $q$
\EndProcedure
\end{algorithmic}
\begin{where}
  o_t \in \{1, \dots, M\}, t = 1, \dots, T & observations \\
  \pi_i \in \mathbb{R}, i = 1, \dots, N & \\
  A \in \mathbb{R}^{N \times N} & \\
  B \in \mathbb{R}^{N \times M} & \\
\end{where}
"""
FORWARD = (r"\alpha_1(1) \gets 1", r"\alpha_1(j) \gets 0 \quad (j = 2, \dots, N)")
STEP = r"\alpha_t(j) \gets \sum_{i=1}^{N} \alpha_{t-1}(i) A_{i,j} \quad (t = 2, \dots, T, j = 1, \dots, N)"
CHAIN = module("A", " \\\\\n".join((*FORWARD, STEP, r"\Return \alpha")), r"A \in \mathbb{R}^{N \times N}", r"T \in \mathbb{N}")


def viterbi(m: Any, o: Tensor, pi: Tensor, A: Tensor, B: Tensor) -> Tensor:
    delta, back = pi * B[:, o[0] - 1], []
    for o_t in o[1:]:
        best, chosen = (delta[:, None] * A).max(0)
        delta, back = best * B[:, o_t - 1], [*back, chosen]
    path = [delta.argmax()]
    for chosen in back[::-1]:
        path.insert(0, chosen[path[0]])
    return torch.stack(path) + 1


def chain(m: Any, A: Tensor) -> Tensor:
    rows = [torch.eye(len(A), dtype=A.dtype)[0]]
    for _ in range(m.T - 1):
        rows.append(rows[-1] @ A)
    return torch.stack(rows)


def quotient(type_: str) -> str:
    return module("x ; s", r"\Return x / s", r"x \in \mathbb{R}^n", rf"s \in {type_}")


def sampled(statement: str) -> str:
    body = rf"\mu \gets W_\mu x \\ \sigma \gets \exp(W_\sigma x) \\ {statement} \\ \Return z"
    return module(r"x ; W_\mu, W_\sigma", body, r"x \in \mathbb{R}^n", r"W_\mu, W_\sigma \in \mathbb{R}^{d \times n}")


ADAM = r"""
\begin{algorithm}
\caption{Adam}
\begin{algorithmic}
\Require $\alpha$: Stepsize
\Require $\beta_1, \beta_2 \in [0, 1)$: Exponential decay rates for the moment estimates
\Require $\theta, g, m, v \in \mathbb{R}^n$: parameters $\theta$, their gradient, first and second moments
\Require $t \in \mathbb{N}$, $\epsilon \in \mathbb{R}_{>0}$: timestep and a small number
\State $t \gets t + 1$ (update the step)
\State $m \gets \beta_1 \cdot m + (1 - \beta_1) \cdot g$ (Update biased first moment estimate)
\State $v \gets \beta_2 \cdot v + (1 - \beta_2) \cdot g^2$ (Update biased second raw moment estimate at $t$).
\State $\hat{m} \gets m / (1 - \beta_1^t)$ \Comment{Compute bias-corrected first moment estimate}
\State $\hat{v} \gets v / (1 - \beta_2^t)$ (Compute bias-corrected second raw moment estimate)
\State $\theta \gets \theta - \alpha \cdot \hat{m} / (\sqrt{\hat{v}} + \epsilon)$ (Update parameters)
\State \Return $\theta, m, v$ (Resulting parameters)
\end{algorithmic}
\end{algorithm}
"""
ONE = torch.tensor(1e-3, dtype=torch.float64)


def adam(_: Any, alpha: Tensor, b: Tensor, c: Tensor, theta: Tensor, g: Tensor, m: Tensor, v: Tensor, t: Tensor, eps: Tensor) -> Any:
    m, v = b * m + (1 - b) * g, c * v + (1 - c) * g**2
    step = alpha * (m / (1 - b ** (t + 1))) / ((v / (1 - c ** (t + 1))).sqrt() + eps)
    return theta - step, m, v


PROSE = r"""
\documentclass{article}
\begin{document}
The cell computes
\begin{align}
h_t &= \tanh(W x_t + U h_{t-1} + b) \quad (t = 1, \dots, S)
\end{align}
\end{document}
"""
DISTRIBUTIONS = (
    r"\mathcal{N}(\mu, \sigma^2)",
    r"\mathcal{N}(\mu, \sigma^2 I)",
    r"\mathcal{N}(\mu, \operatorname{diag}(\sigma^2))",
)
DOWN = (
    r"$t = T-1$ \textbf{downto} $1$",
    r"$t \gets T-1$ \textbf{ downto } $1$",
    r"$t = T-1 \text{ downto } 1$",
    r"$t = T-1$ \DownTo $1$",
    r"$t = T-1$ down to $1$",
    r"$t = T-1, \dots, 1$",
)

Accepted = tuple[str, dict[str, Any], Sequence[Any], Callable[..., Any]]
HEADS = {"d_model": 6, "d_k": 3, "d_v": 2, "h": 4}

ACCEPTED: dict[str, Accepted] = {
    **{f"down by {loop}": (returns(loop), {}, (real(5), torch.tensor(0.9, dtype=torch.float64)), discounted) for loop in DOWN},
    "elements with an index in parentheses": (
        VITERBI,
        {},
        (torch.tensor([1, 3, 2, 2, 1]), real(4).exp(), real(4, 4).exp(), real(4, 3).exp()),
        viterbi,
    ),
    "elements at numbers in parentheses": (CHAIN, {"T": 4}, (real(3, 3),), chain),
    "a result that only a line of the algorithm names": (
        algorithm(
            [r"$x_1, \dots, x_T \in \mathbb{R}^n$"],
            r"\Ensure $h_1, \dots, h_T \in \mathbb{R}^n$",
            r"\For{$t = 1, \dots, T$}",
            r"\State $h_t \gets \tanh(x_t)$",
            r"\EndFor",
        ),
        {},
        (real(4, 3),),
        lambda m, x: torch.tanh(x),
    ),
    "a result that a line describes beside the one that is returned": (
        algorithm(
            [r"$x_1, \dots, x_T \in \mathbb{R}^n$"],
            r"\Ensure $h_1, \dots, h_T \in \mathbb{R}^n$",
            r"\For{$t = 1, \dots, T$}",
            r"\State $h_t \gets \tanh(x_t)$",
            r"\EndFor",
            r"\State \Return $h$",
        ),
        {},
        (real(4, 3),),
        lambda m, x: torch.tanh(x),
    ),
    **{
        f"a positive number by {type_}": (quotient(type_), {"s": 2.0}, (real(3),), lambda m, x: x / 2)
        for type_ in (r"\mathbb{R}^+", r"\mathbb{R}^{+}", r"\R^+", r"\mathbb{R}_+", r"\mathbb{R}_{>0}")
    },
    "an optimiser as its paper prints it": (
        ADAM,
        {},
        (*(torch.tensor(one, dtype=torch.float64) for one in (0.1, 0.9, 0.99)), *(real(3).abs() for _ in range(4)), torch.tensor(2), ONE),
        adam,
    ),
    "heads joined": (ATTENTION, HEADS, (real(5, 6), real(7, 6), real(7, 6)), multi_head),
    "the table of the function first": (
        KEYS + ATTENTION.replace(KEYS, ""),
        HEADS,
        (real(5, 6), real(7, 6), real(7, 6)),
        multi_head,
    ),
    "a product of sizes without a space": (ATTENTION.replace("h d_v", "hd_v"), HEADS, (real(5, 6), real(7, 6), real(7, 6)), multi_head),
    "heads whose range the rows give": (ATTENTION.replace(RANGE, ""), HEADS, (real(5, 6), real(7, 6), real(7, 6)), multi_head),
}


@pytest.mark.parametrize(("text", "sizes", "inputs", "meant"), ACCEPTED.values(), ids=ACCEPTED)
def test_it_computes_what_the_paper_says(text: str, sizes: dict[str, Any], inputs: Sequence[Any], meant: Callable[..., Any]) -> None:
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    module = next(one for one in vars(result.load()).values() if isinstance(one, type) and issubclass(one, torch.nn.Module))
    model = module(**sizes).double()
    torch.testing.assert_close(model(*inputs), meant(model, *inputs))


@pytest.mark.parametrize("type_", [r"\mathbb{R}^+", r"\R^{+}", r"\mathbb{R}_{>0}"])
def test_a_positive_number_is_not_0(type_: str) -> None:
    with pytest.raises(ValueError, match=r"s: expected a value in \(0, inf\), got 0"):
        mathdsl.load(quotient(type_)).F(s=0.0)


Change = tuple[str, str]
Refused = tuple[str, str, str, str, Change | None]

REFUSED: dict[str, Refused] = {
    "a size of a function": (
        ATTENTION.replace(KEYS, ""),
        "E0301",
        "d_k",
        r"K \in \mathbb{R}^{n \times d_k} & an argument \\",
        (r"\Module", "\\begin{where}\n  K \\in \\mathbb{R}^{n \\times d_k} & an argument \\\\\n\\end{where}\n\\Module"),
    ),
    "parameters of a function": (
        r"f(x) \gets W x + b \\ \Module{F}{y ; W, b} \Return f(y) \\ \EndModule \begin{where} y \in \mathbb{R}^n \\ \end{where}",
        "E0301",
        "W",
        r"`f(x, W, b) \gets …`",
        ("f(x)", "f(x, W, b)"),
    ),
    "turns that go down, written as if they went up": (
        algorithm(
            (r"$r_t \in \mathbb{R}, t = 1, \dots, T$",),
            r"\State $G \gets \mathbf{0}_T$",
            r"\State $G_T \gets r_T$",
            r"\For{$t = T - 1$ to $1$}",
            r"\State $G_t \gets r_t + G_{t+1}$",
            r"\EndFor",
            r"\State \Return $G$",
        ),
        "E0505",
        "t = T - 1$ to $1",
        r"`T - 1, \dots, 1` or `downto`",
        ("$t = T - 1$ to $1$", r"$t = T - 1, \dots, 1$"),
    ),
    "a chain of signs": (
        module("x ; W", r"y = z = W x \\ \Return y", r"x \in \mathbb{R}^{n}", r"W \in \mathbb{R}^{m \times n}"),
        "E0217",
        "y = z = W x",
        "keep the first and the last member",
        ("y = z = W x", "y = W x"),
    ),
    "a name in another font": (
        module("\\mathbf{x} ; W", r"\Return W x", r"\mathbf{x} \in \mathbb{R}^{n}", r"W \in \mathbb{R}^{m \times n}"),
        "E0301",
        "x",
        "write each name as it is declared",
        ("W x", r"W \mathbf{x}"),
    ),
    "heads without their range": (
        ATTENTION.replace(RANGE, "").replace(OF_ROWS, ""),
        "E0505",
        r"\mathrm{head}_i",
        r"`\quad (i = 1, \dots, h)`",
        (r"V W_i^V) \\", r"V W_i^V) \quad (i = 1, \dots, h) \\"),
    ),
    "a script without braces at several places": (
        module("x ; W", r"\Return W x", r"x \in \mathbb{R}^{d_model}", r"W \in \mathbb{R}^{n \times d_model}"),
        "E0211",
        "_model",
        r"write `d_{model}`",
        ("d_model", "d_{model}"),
    ),
    "a definition's sign in a condition": (
        algorithm(
            (r"$x \in \mathbb{R}^n$, $k \in \mathbb{Z}$",), r"\If{$k \equiv 0$}", r"\State $x \gets 2 x$", r"\EndIf", r"\State \Return $x$"
        ),
        "E0209",
        r"\equiv",
        "write `=` for a comparison",
        (r"\equiv", "="),
    ),
    "a definition's sign in a row of cases": (
        module("k", r"\Return \begin{cases} 1 & k \equiv 0 \\ 2 & \text{otherwise} \end{cases}", r"k \in \mathbb{Z}"),
        "E0209",
        r"\equiv",
        "write `=` for a comparison",
        (r"\equiv", "="),
    ),
    "an element in parentheses without a range": (
        CHAIN.replace(r", j = 1, \dots, N)", ")"),
        "E0701",
        r"\alpha_t(j)",
        r"`\alpha_{t,j}` for an element of an array, each of whose indices has a range",
        (r" (t = 2, \dots, T)", r" (t = 2, \dots, T, j = 1, \dots, N)"),
    ),
    **{
        f"a sample from {distribution}": (
            sampled(rf"z \sim {distribution}"),
            "E0701",
            rf"z \sim {distribution}",
            r"take the noise as an input, `\epsilon \in \mathbb{R}^d` of the shape of `z`, and write `z \gets \mu + \sigma \odot \epsilon`",
            (rf"z \sim {distribution}", r"z \gets \mu + \sigma \odot \epsilon"),
        )
        for distribution in DISTRIBUTIONS
    },
    "a module without a result": (
        module("x ; W", r"y \gets W x", r"x \in \mathbb{R}^n", r"W \in \mathbb{R}^{m \times n}"),
        "E0606",
        "F",
        r"`\Return y \\`",
        (r"\EndModule", "\\Return y \\\\\n\\EndModule"),
    ),
    "an algorithm without a result": (
        algorithm([NUMBERS], r"\State $y \gets 2 x$"),
        "E0606",
        r"\begin{algorithmic}",
        r"`\State \Return $y$`",
        (r"\end{alg", "\\State \\Return $y$\n\\end{alg"),
    ),
    "a docstring's algorithm without a result": (
        docstring(r"& \indent{2} h_t \algoEq \tanh\pa{W \cdot x_t + U \cdot h_{t-1} + b} \\"),
        "E0606",
        r"\Rnn",
        r"`& \indent{1} \algoReturn h \\`",
        (r"& \algoEndProc", "& \\indent{1} \\algoReturn h \\\\\n& \\algoEndProc"),
    ),
    "a brace that closes nothing": (
        module("x ; W", r"y \gets \tanh(W x}) \\ \Return y", r"x \in \mathbb{R}^n", r"W \in \mathbb{R}^{m \times n}"),
        "E0203",
        "}",
        "remove it",
        ("x})", "x)"),
    ),
    "a brace that closes nothing in an algorithm": (
        algorithm([NUMBERS], r"\State $y \gets 2 x}$", r"\State \Return $y$"),
        "E0203",
        "}",
        "remove it",
        ("x}$", "x$"),
    ),
    "equations among prose": (
        PROSE,
        "E0107",
        "",
        r"write `\Module{Name}{inputs ; parameters}` before the equations and `\Return … \\ \EndModule` behind them",
        (r"h_t &=", "\\Module{Cell}{x, h_0 ; W, U, b}\nh_t &="),
    ),
    "equations without anything around them": (
        r"h_t = \tanh(W x_t + U h_{t-1} + b) \quad (t = 1, \dots, S)",
        "E0701",
        r"h_t = \tanh(W x_t + U h_{t-1} + b)",
        r"write `\Module{Name}{inputs ; parameters}` before it and `\Return … \\ \EndModule` behind it",
        ("h_t =", r"\Module{Cell}{x, h_0 ; W, U, b} h_t ="),
    ),
    "a function's name misspelt": (
        ATTENTION.replace(r"\gets \mathrm{Attention}", r"\gets \mathrm{Atention}"),
        "E0301",
        r"\mathrm{Atention}",
        "did you mean `Attention`?",
        ("Atention", "Attention"),
    ),
}
ALSO: dict[str, Change] = {
    "parameters of a function": ("f(y)", "f(y, W, b)"),
    "a script without braces at several places": ("d_model", "d_{model}"),
    "equations among prose": ("\n\\end{align}", " \\\\\n\\Return h \\\\\n\\EndModule\n\\end{align}"),
    "equations without anything around them": (r"\dots, S)", r"\dots, S) \\ \Return h \\ \EndModule"),
    **{f"a sample from {distribution}": ("{x ;", r"{x, \epsilon \in \mathbb{R}^d ;") for distribution in DISTRIBUTIONS},
}
"""Where a help has a consequence elsewhere, the change there."""


@pytest.mark.parametrize("name", REFUSED)
def test_one_error_says_what_to_write(name: str) -> None:
    text, code, place, said, change = REFUSED[name]
    found = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert [(d.code, text[d.span.start : d.span.end]) for d in found] == [(code, place)], [d.message for d in found]
    assert said in found[0].help or said in found[0].message
    for old, new in filter(None, (change, ALSO.get(name))):
        assert old in text
        text = text.replace(old, new, 1)
    result = mathdsl.compile(text)
    assert result.ok, (text, [d.message for d in result.diagnostics])
