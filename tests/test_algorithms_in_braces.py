r"""Algorithms in the notation of the package `algorithm2e`: their numbers against plain torch, their findings at the author's words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch

import mathdsl
from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

Tensor = torch.Tensor


def euler(A: Tensor, x: Tensor, h: Tensor, N: int) -> Tensor:
    for _ in range(N):
        x = x + h * (A @ x)
    return x


def power(A: Tensor, x: Tensor, K: int) -> Tensor:
    for _ in range(K):
        x = A @ x
        x = x / x.norm()
    return x


def forward_algorithm(pi: Tensor, A: Tensor, B: Tensor, o: Tensor) -> Tensor:
    alpha = pi * B[:, o[0] - 1]
    for t in range(1, len(o)):
        alpha = B[:, o[t] - 1] * (alpha @ A)
    return alpha.sum()


def horner(a: Tensor, x: Tensor) -> Tensor:
    return (a * x ** torch.arange(len(a))).sum()


def gradient_descent(X: Tensor, y: Tensor, eta: Tensor, T: int) -> Tensor:
    w = torch.zeros(X.shape[1], dtype=X.dtype)
    for _ in range(T):
        w = w - eta * (X.T @ (X @ w - y))
    return w


def momentum(X: Tensor, y: Tensor, w: Tensor, eta: Tensor, mu: Tensor, T: int) -> Tensor:
    v = torch.zeros_like(w)
    for _ in range(T):
        v = mu * v - eta * (X.T @ (X @ w - y))
        w = w + v
    return w


def adam(A: Tensor, b: Tensor, alpha: Tensor, beta_1: Tensor, beta_2: Tensor, epsilon: Tensor, T: int) -> Tensor:
    x, m, v = torch.zeros_like(b), torch.zeros_like(b), torch.zeros_like(b)
    for t in range(1, T + 1):
        g = A @ x - b
        m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g * g
        x = x - alpha * (m / (1 - beta_1**t)) / ((v / (1 - beta_2**t)).sqrt() + epsilon)
    return x


def rnn(x: Tensor, W: Tensor, U: Tensor) -> Tensor:
    h = torch.zeros(U.shape[0], dtype=x.dtype)
    for row in x:
        h = torch.tanh(W @ row + U @ h)
    return h


def newton(a: Tensor, K: int) -> Tensor:
    x = a
    for _ in range(K):
        x = 0.5 * (x + a / x)
    return x


def smoothing(x: Tensor, alpha: Tensor) -> Tensor:
    s = [x[0]]
    for value in x[1:]:
        s.append(alpha * value + (1 - alpha) * s[-1])
    return torch.stack(s)


def mean_and_variance(x: Tensor) -> tuple[Tensor, Tensor]:
    return x.mean(), x.var(unbiased=False)


def counting(x: Tensor, theta: Tensor) -> tuple[Tensor, Tensor]:
    kept = (x >= theta) & (x <= 1)
    return kept.sum(), (x * kept).sum()


R = lambda *shape: torch.rand(*shape, dtype=torch.float64)  # noqa: E731

ALGORITHMS: dict[str, tuple[str, Callable[..., Any], Callable[[], list[Any]]]] = {
    "PowerIteration": (
        r"""
\SetAlgoLined
\DontPrintSemicolon
\KwIn{a matrix $A \in \mathbb{R}^{n \times n}$, an initial vector $x_0$, the number of steps $K$}
\KwOut{the eigenvector $x$ of $A$}
$x \leftarrow x_0$ \tcp*{start}
\For{$k \leftarrow 1$ \KwTo $K$}{
  $y \leftarrow A x$\;
  $x \leftarrow y / \|y\|$\;
}
\Return{$x$}
\caption{Power iteration}\label{alg:power}""",
        power,
        lambda: [R(3, 3), R(3), 4],
    ),
    "EulerMethod": (
        r"""
\caption{Euler's method}
\KwData{a matrix $A \in \mathbb{R}^{n \times n}$, the start $x_0 \in \mathbb{R}^n$, a step $h > 0$, the number of steps $N$}
\KwResult{the state $x$ after $N$ steps}
$x \leftarrow x_0$\;
\For{$k = 1$ \KwTo $N$}{
  $x \leftarrow x + h \cdot A x$\;
}""",
        euler,
        lambda: [R(3, 3), R(3), R(()), 5],
    ),
    "ForwardAlgorithm": (
        r"""
\SetAlgoLined\LinesNumbered
\KwIn{$\pi \in \mathbb{R}^{N}$, $A \in \mathbb{R}^{N \times N}$, $B \in \mathbb{R}^{N \times M}$,
  $o_t \in \{1, \dots, M\}$, $t = 1, \dots, T$}
\KwOut{the likelihood $p$}
\For{$i \leftarrow 1$ \KwTo $N$}{
  $\alpha_{1,i} \leftarrow \pi_i B_{i,o_1}$\;
}
\For{$t \leftarrow 2$ \KwTo $T$}{
  \For{$j \leftarrow 1$ \KwTo $N$}{
    $\alpha_{t,j} \leftarrow B_{j,o_t} \sum_{i=1}^{N} \alpha_{t-1,i} A_{i,j}$\;
  }
}
$p \leftarrow \sum_{i=1}^{N} \alpha_{T,i}$\;
\caption{Forward algorithm}""",
        forward_algorithm,
        lambda: [R(3), R(3, 3), R(3, 2), torch.tensor([1, 2, 2, 1])],
    ),
    "HornerRule": (
        r"""
\KwIn{coefficients $a_i \in \mathbb{R}$ for $i = 0, \dots, n$, a point $x \in \mathbb{R}$}
\KwOut{$p(x)$}
$p \leftarrow a_n$\;
\For{$i \leftarrow n - 1$ \textbf{downto} $0$}{
  $p \leftarrow p x + a_i$\;
}
\KwRet{$p$}\;
\caption{Horner's rule}""",
        horner,
        lambda: [R(5), R(())],
    ),
    "GradientDescent": (
        r"""
\SetKwInOut{Input}{Input}\SetKwInOut{Output}{Output}
\Input{design matrix $X \in \mathbb{R}^{m \times n}$, targets $y \in \mathbb{R}^m$, learning rate $\eta > 0$, number of steps $T$}
\Output{weights $w$}
Initialize $w \leftarrow \mathbf{0}$\;
\For{$t \leftarrow 1$ \KwTo $T$}{
  \tcp{the gradient of the squared error}
  $g \leftarrow X^\top (X w - y)$\;
  Update $w \leftarrow w - \eta g$\;
}
\Return $w$\;
\caption{Gradient descent}""",
        gradient_descent,
        lambda: [R(4, 3), R(4), 0.1 * R(()), 6],
    ),
    "Softmax": (
        r"""
\KwIn{scores $z \in \mathbb{R}^n$}
\KwOut{probabilities $p \in \mathbb{R}^n$}
$m \leftarrow \max_i z_i$\tcp*[r]{for stability}
$s \leftarrow 0$\;
\ForEach{$i \in \{1, \dots, n\}$}{
  $e_i \leftarrow \exp(z_i - m)$\;
  $s \leftarrow s + e_i$\;
}
\lForEach{$i \in \{1, \dots, n\}$}{$p_i \leftarrow e_i / s$}
\Return{$p$}
\caption{Softmax}""",
        lambda z: torch.softmax(z, 0),
        lambda: [R(4)],
    ),
    "MovingAverage": (
        r"""
\KwIn{$x_t \in \mathbb{R}, t = 1, \dots, n$; window $k \in \mathbb{N}$}
\For{$t \leftarrow k$ \KwTo $n$}{
  $s \leftarrow 0$\;
  \For{$j \leftarrow 0$ \KwTo $k - 1$}{ $s \leftarrow s + x_{t-j}$\; }
  $y_t \leftarrow s / k$\;
}
\KwRet $y$\;
\caption{Moving average}""",
        lambda x, k: x.unfold(0, k, 1).mean(1),
        lambda: [R(7), 3],
    ),
    "Clipping": (
        r"""
\KwIn{$x \in \mathbb{R}$, bounds $a \in \mathbb{R}$ and $b \in \mathbb{R}$}
\uIf{$x < a$}{
  $y \leftarrow a$\;
}
\uElseIf{$x > b$}{
  $y \leftarrow b$\;
}
\Else{
  $y \leftarrow x$\;
}
\Return{$y$}
\caption{Clipping}""",
        lambda x, a, b: torch.minimum(torch.maximum(x, a), b),
        lambda: [R(()), 0.2 + 0.1 * R(()), 0.4 + 0.1 * R(())],
    ),
    "LeakyReLU": (
        r"""
\KwIn{$x \in \mathbb{R}^n$, a slope $a \in \mathbb{R}$}
\For{$i = 1$ \KwTo $n$}{
  \eIf(\tcp*[f]{the linear part}){$x_i > 0$}{
    $y_i \leftarrow x_i$\;
  }{
    $y_i \leftarrow a x_i$\;
  }
}
\Return{$y$}
\caption{Leaky ReLU}""",
        lambda x, a: torch.where(x > 0, x, a * x),
        lambda: [R(5) - 0.5, R(())],
    ),
    "SumOfSquares": (
        r"""
\SetKwFunction{FSquare}{Square}\SetKwFunction{FMain}{SumOfSquares}
\SetKwProg{Fn}{Function}{:}{}
\Fn{\FSquare{$z \in \mathbb{R}$}}{
  \KwRet $z \cdot z$\;
}
\Fn{\FMain{$x = (x_1, \dots, x_n)$}}{
  $s \leftarrow 0$\;
  \For{$i \leftarrow 1$ \KwTo $n$}{
    $s \leftarrow s + \FSquare{$x_i$}$\;
  }
  \KwRet $s$\;
}
\caption{Two functions}""",
        lambda x: (x * x).sum(),
        lambda: [R(4)],
    ),
    "MeanAndVariance": (
        r"""
\KwIn{$x \in \mathbb{R}^n$}
\KwOut{the mean $m$ and the variance $v$}
$m \leftarrow \frac{1}{n} \sum_{i=1}^{n} x_i$\;
$v \leftarrow \frac{1}{n} \sum_{i=1}^{n} (x_i - m)^2$\;
\caption{Mean and variance}""",
        mean_and_variance,
        lambda: [R(6)],
    ),
    "MatrixVectorProduct": (
        r"""
\KwIn{$A \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$}
\For{$i \leftarrow 1$ \KwTo $m$}{
  $y_i \leftarrow 0$\;
  \For{$j \leftarrow 1$ \KwTo $n$}{
    $y_i \leftarrow y_i + A_{ij} x_j$\;
  }
}
\Return{$y$}\;
\caption{Matrix-vector product}""",
        lambda A, x: A @ x,
        lambda: [R(3, 4), R(4)],
    ),
    "Maximum": (
        r"""
\KwIn{A sequence $x = (x_1, \dots, x_n)$ of numbers}
\KwOut{the largest number $m$}
$m \leftarrow x_1$\;
\For{$i \leftarrow 2$ \KwTo $n$}{
  \lIf{$x_i > m$}{$m \leftarrow x_i$}
}
\Return{$m$}
\caption{Maximum}""",
        lambda x: x.max(),
        lambda: [R(6)],
    ),
    "ExponentialSmoothing": (
        r"""
\KwIn{$x_t \in \mathbb{R}, t = 1, \dots, T$, $\alpha \in \mathbb{R}$}
$s_1 \leftarrow x_1$\;
\For{$t = 2, \dots, T$}{
  $s_t \leftarrow \alpha x_t + (1 - \alpha) s_{t-1}$\;
}
\Return{$s$}
\caption{Exponential smoothing: one rate}""",
        smoothing,
        lambda: [R(5), R(())],
    ),
    "ARecurrentNetwork": (
        r"""
\KwIn{inputs $x_t \in \mathbb{R}^{d}$ for $t = 1, \dots, T$, weights $W \in \mathbb{R}^{h \times d}$, $U \in \mathbb{R}^{h \times h}$}
\KwOut{$h_T$}
$h_0 \leftarrow \mathbf{0}$\;
\For{$t \leftarrow 1$ \KwTo $T$}{
  $h_t \leftarrow \tanh(W x_t + U h_{t-1})$\;
}
\Return $h_T$\;
\caption{A recurrent network}""",
        rnn,
        lambda: [R(4, 2), R(3, 2), R(3, 3)],
    ),
    "Momentum": (
        r"""
\KwIn{$X \in \mathbb{R}^{m \times n}$, $y \in \mathbb{R}^m$, $w_0 \in \mathbb{R}^n$,
  rate $\eta \in \mathbb{R}$, momentum $\mu \in \mathbb{R}$, steps $T$}
$w \leftarrow w_0$, $v \leftarrow \mathbf{0}$\;
\For{$t = 1$ \KwTo $T$}{
  $v \leftarrow \mu v - \eta X^\top (X w - y)$\tcc*{velocity}
  $w \leftarrow w + v$\;
}
\Return{$w$}
\caption{Momentum}""",
        momentum,
        lambda: [R(4, 3), R(4), R(3), 0.1 * R(()), R(()), 4],
    ),
    "SquareRootByNewtonMethod": (
        r"""
\KwIn{$a \in \mathbb{R}$; the number of steps $K \in \mathbb{N}$}
\KwOut{an approximation $x$ of $\sqrt{a}$}
$x \leftarrow a$\;
\For{$k \leftarrow 1$ \KwTo $K$}{$x \leftarrow \frac{1}{2} \left( x + \frac{a}{x} \right)$\;}
\caption{Square root by Newton's method}""",
        newton,
        lambda: [1 + R(()), 3],
    ),
    "AdamOnAQuadratic": (
        r"""
\caption{Adam on a quadratic}
\KwIn{$A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$,
  $\alpha \in \mathbb{R}$, $\beta_1 \in \mathbb{R}$, $\beta_2 \in \mathbb{R}$, $\epsilon \in \mathbb{R}$, $T \in \mathbb{N}$}
$x \leftarrow \mathbf{0}$\;
$m \leftarrow \mathbf{0}$\;
$v \leftarrow \mathbf{0}$\;
\For{$t \leftarrow 1$ \KwTo $T$}{
  $g \leftarrow A x - b$\;
  $m \leftarrow \beta_1 m + (1 - \beta_1) g$\;
  $v \leftarrow \beta_2 v + (1 - \beta_2) g \odot g$\;
  $\hat{m} \leftarrow m / (1 - \beta_1^t)$\;
  $\hat{v} \leftarrow v / (1 - \beta_2^t)$\;
  $x \leftarrow x - \alpha \hat{m} / (\sqrt{\hat{v}} + \epsilon)$\;
}
\Return{$x$}""",
        adam,
        lambda: [R(3, 3), R(3), *(0.1 + 0.5 * R(4)).unbind(), 3],
    ),
    "Counting": (
        r"""
\KwIn{$x_i \in \mathbb{R}, i = 1, \dots, n$, a threshold $\theta \in \mathbb{R}$}
\KwOut{the count $c$ and the sum $s$}
$c \leftarrow 0$; $s \leftarrow 0$\;
\ForAll{$i \in \{1, \dots, n\}$}{
  \If{$x_i \geq \theta$ \textbf{and} $x_i \leq 1$}{
    $c \leftarrow c + 1$\;
    $s \leftarrow s + x_i$\;
  }
}
\caption{Counting}""",
        counting,
        lambda: [2 * R(6), 0.3 * R(())],
    ),
}


def in_float(lines: str) -> str:
    return f"\\begin{{algorithm}}[H]{lines}\n\\end{{algorithm}}\n"


def compiled(lines: str) -> CompileResult:
    return compile_files([SourceFile("m.tex", in_float(lines))])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_numbers_of_an_algorithm_are_those_of_plain_torch(name: str) -> None:
    lines, by_hand, draw = ALGORITHMS[name]
    torch.manual_seed(0)
    loaded = mathdsl.load(in_float(lines))
    one, other = draw(), draw()
    reals = [[a for a in given if isinstance(a, Tensor) and a.is_floating_point()] for given in (one, other)]
    for value in (*reals[0], *reals[1]):
        value.requires_grad_(True)
    batch = [torch.stack([a, b]) if isinstance(a, Tensor) else a for a, b in zip(one, other, strict=True)]
    module = getattr(loaded, name)()
    alone, both = _values(module(*one)), _values(module(*batch))
    wanted, second = _values(by_hand(*one)), _values(by_hand(*other))
    for found, stacked, expected, further in zip(alone, both, wanted, second, strict=True):
        torch.testing.assert_close(found, expected, check_dtype=False)
        torch.testing.assert_close(stacked, torch.stack([expected, further]), check_dtype=False)
        if expected.requires_grad:
            gradients = [
                torch.autograd.grad(value.sum(), reals[0], allow_unused=True, retain_graph=True) for value in (found, expected, stacked[0])
            ]
            for own, hand, batched in zip(*gradients, strict=True):
                zero = torch.zeros(()) if hand is None else torch.zeros_like(hand)
                for gradient in (own, batched):
                    torch.testing.assert_close(zero if gradient is None else gradient, zero if hand is None else hand, check_dtype=False)


def _values(result: Any) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


FORMS = [
    (r"\Begin{$y \gets 2 x$\; \Return $y$\;}", lambda x: 2 * x),
    (r"$y \gets 2 x$ \Return{$y$}\;", lambda x: 2 * x),
    (r"\lIf{$x_1 > 2$}{$s \gets 1$} \lElseIf{$x_1 > 1$}{$s \gets 2$} \lElse{$s \gets 3$} \Return $s x$\;", lambda x: 3 * x),
    (r"\leIf{$x_1 > 2$}{$s \gets 1$}{$s \gets 3$} \Return $s x$\;", lambda x: 3 * x),
    (r"\For{$i \in \{1, \dots, n\}$}{\If{$x_i > 0.1$}{$y_i \gets x_i$}\Else{$y_i \gets 0$}} \Return $y$", lambda x: x * (x > 0.1)),
    (
        r"\SetKwFunction{Sq}{square} $y \gets \Sq{$x$} + \Sq{x}$\; $z \gets$ \Sq{$y$}\; \Return{$z$}"
        r"\Fn{\Sq{$v \in \mathbb{R}^n$}}{\Return{$v^2$}\;}",
        lambda x: 4 * x**4,
    ),
    (r"Set $y \gets x^2$ and compute $z \gets y + 1$\; \KwRet $z$\;", lambda x: x**2 + 1),
    (r"\tcc{all of it} \tcp*[l]{left} $y \gets x$\tcp*[f]{behind it} \BlankLine \Return $y$\tcp{the end}", lambda x: x),
    (
        r"$y_i \gets \begin{cases} x_i & x_i > 0.5 \\ 0 & \text{otherwise} \end{cases} \quad (i = 1, \dots, n)$\; \Return $y$\;",
        lambda x: x * (x > 0.5),
    ),
]


@pytest.mark.parametrize(("lines", "by_hand"), FORMS)
def test_forms_of_lines(lines: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    module = mathdsl.load(in_float(rf"\KwIn{{$x \in \mathbb{{R}}^n$}} {lines}")).Algorithm()
    torch.manual_seed(0)
    x = R(2, 4) * torch.tensor([0.9, 1.0, 1.0, 1.0])
    torch.testing.assert_close(module(x), torch.stack([by_hand(row) for row in x]))


DOCUMENT = r"""\documentclass{article}
\usepackage[ruled]{algorithm2e}
\SetKwInOut{Input}{Input}
\begin{document}
Words about an algorithm.
BODY
Words behind it.
\end{document}
"""
TWICE = r"""\begin{algorithm}
\caption{Twice $x$}\label{alg:twice}
\Input{a vector $x \in \mathbb{R}^n$}
$y \leftarrow 2 x$ \tcp*{twice}
\Return{$y$}
\end{algorithm}"""


def test_a_document_has_its_algorithm_between_its_words() -> None:
    result = compile_files([SourceFile("m.tex", DOCUMENT.replace("BODY", TWICE))])
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.load().Twice()(torch.tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    page = result.render("html").decode()
    assert all(words in page for words in ("Words about", "Words behind", "Twice"))
    assert not any(command in page for command in (r"\KwIn", r"\Input"))
    latex = result.render("tex").decode()
    assert all(words in latex for words in ("Words about", "mdslprogram", r"\mdslalgorithm\label{alg:twice}\ Twice $x$"))
    assert not any(command in latex for command in (r"\begin{algorithm}", r"\tcp"))


def test_an_algorithm_without_lists_is_prose() -> None:
    informal = r"\begin{algorithm} \caption{An idea} Try something\; \end{algorithm}"
    result = compile_files([SourceFile("m.tex", DOCUMENT.replace("BODY", TWICE + informal))])
    assert result.ok
    assert {row.module for row in result.symbols if row.module} == {"Twice"}
    assert result.diagnostics == ()
    told = compile_files([SourceFile("m.tex", DOCUMENT.replace("BODY", TWICE + informal.replace("Try", r"\SetAlgoLined Try")))])
    assert [(d.code, d.message) for d in told.diagnostics] == [
        ("N0103", r"this algorithm is taken for prose: neither `\KwIn` nor `\KwOut` stands in it")
    ]


def test_algorithms_without_a_caption_are_numbered() -> None:
    nameless = TWICE.replace(r"\caption{Twice $x$}\label{alg:twice}", "")
    loaded = compile_files([SourceFile("m.tex", DOCUMENT.replace("BODY", nameless + "Words." + nameless.replace("2 x", "3 x")))]).load()
    x = torch.tensor([1.0])
    assert [loaded.Algorithm()(x).item(), loaded.Algorithm2()(x).item()] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("result", "by_hand"),
    [
        ("the sum $s$ of all $x_i$", lambda x: (x.sum(),)),
        ("the sum $s$ and the greatest element $m$ of $x$", lambda x: (x.sum(), x.max())),
        ("the sum $s$, its square $q$", lambda x: (x.sum(), x.sum() ** 2)),
    ],
)
def test_words_say_what_is_given(result: str, by_hand: Callable[[Tensor], tuple[Tensor, ...]]) -> None:
    lines = rf"\KwIn{{$x \in \mathbb{{R}}^n$}} \KwOut{{{result}}} $s \gets \sum_i x_i$\; $m \gets \max_i x_i$\; $q \gets s^2$\;"
    x = torch.tensor([1.0, 2.0, 4.0])
    assert [value.item() for value in _values(compiled(lines).load().Algorithm()(x))] == [value.item() for value in by_hand(x)]


def test_the_order_of_inputs_is_that_of_the_list() -> None:
    module = compiled(ALGORITHMS["GradientDescent"][0]).load().GradientDescent
    assert [*inspect.signature(module.forward).parameters][1:5] == ["X", "y", "eta", "T"]


MISTAKES = [
    ("E0502", "x_{i+1}", r"\KwIn{$x \in \mathbb{R}^n$} \For{$i = 1$ \KwTo $n$}{ $y_i \gets x_{i+1}$\; } \Return{$y$}"),
    ("E0228", "whenever", r"\KwIn{$x \in \mathbb{R}^n$} whenever possible $y \gets x$\; \Return{$y$}"),
    ("E0223", r"\For", r"\KwIn{$x \in \mathbb{R}^n$} \For{$i = 1$ \KwTo $n$} $y \gets x$\; \Return{$y$}"),
    ("E0202", "{", r"\KwIn{$x \in \mathbb{R}^n$} \For{$i = 1$ \KwTo $n$}{ $y_i \gets x_i$\; \Return{$y$}"),
    ("E0202", "$", "\\KwIn{$x \\in \\mathbb{R}^n$} $y \\gets x\\;\n \\Return{$y$}"),
    ("E0206", r"\Else", r"\KwIn{$x \in \mathbb{R}$} $y \gets x$\; \Else{ $y \gets 2 x$\; } \Return{$y$}"),
    ("E0606", r"\begin{algorithm}", r"\KwIn{$x \in \mathbb{R}$} $y \gets x$\;"),
    ("E0701", r"\Repeat", r"\KwIn{$x \in \mathbb{R}$} \Repeat{$x < 1$}{ $x \gets x / 2$\; } \Return{$x$}"),
]


@pytest.mark.parametrize(("code", "place", "lines"), MISTAKES)
def test_a_mistake_is_told_at_the_authors_words(code: str, place: str, lines: str) -> None:
    text = in_float(lines)
    result = compile_files([SourceFile("m.tex", text)])
    found = [d for d in result.diagnostics if d.severity == "error"]
    assert [d.code for d in found][:1] == [code], [(d.code, d.message) for d in found]
    assert text[found[0].span.start :].startswith(place)
