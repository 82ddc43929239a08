r"""Algorithms as papers print them: `\Require` says what they take, `\Ensure` what they give, the caption what they are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

import mathdsl

POWER = r"""
\begin{algorithm}[t]
\caption{Power iteration: the largest eigenvalue}
\begin{algorithmic}[1]
\Require matrix $A \in \mathbb{R}^{n \times n}$, start $b \in \mathbb{R}^n$, number of steps $K \in \mathbb{N}$
\For{$k = 1, 2, \dots, K$}
  \State $b \gets A b$
  \State $b \gets b / \|b\|_2$
\EndFor
\State $\lambda \gets b^\top A b$
\State \Return $\lambda$
\end{algorithmic}
\end{algorithm}"""

SMOOTHING = r"""
\begin{algorithmic}
\Require the signal $x \in \mathbb{R}^n$, a rate $0 < \alpha < 1$, an offset $\beta = 10^{-1}$
\Ensure the smoothed signal $s$
\State $s_1 \gets x_1$
\For{$t = 2, \dots, n$}
  \State $s_t \gets \alpha x_t + (1 - \alpha) s_{t-1} + \beta$
\EndFor
\end{algorithmic}"""

HORNER = r"""
\begin{algorithmic}
\REQUIRE coefficients $a_i \in \mathbb{R}, i = 0, \dots, n$ and a point $x \in \mathbb{R}$
\STATE $y \gets 0$
\FOR{$i = n$ \textbf{downto} $0$}
  \STATE $y \gets y x + a_i$
\ENDFOR
\RETURN $y$
\end{algorithmic}"""


def smoothed(x: Tensor, alpha: Tensor, beta: float = 0.1) -> Tensor:
    s = [x[0]]
    for value in x[1:]:
        s.append(alpha * value + (1 - alpha) * s[-1] + beta)
    return torch.stack(s)


def test_the_caption_names_it_and_require_says_what_it_takes() -> None:
    module = mathdsl.load(POWER).PowerIteration()
    a = torch.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=torch.float64)
    b = torch.tensor([1.0, 0.5], dtype=torch.float64)
    found = b
    for _ in range(4):
        found = a @ found
        found = found / found.norm()
    torch.testing.assert_close(module(a, b, 4), found @ a @ found)


def test_a_value_is_a_default_a_bound_is_checked_and_ensure_is_the_result() -> None:
    module = mathdsl.load(SMOOTHING).Algorithm()
    x = torch.tensor([[1.0, -2.0, 4.0], [0.5, 3.0, 2.0]], dtype=torch.float64, requires_grad=True)
    alpha = torch.tensor([0.25, 0.5], dtype=torch.float64)
    wanted = torch.stack([smoothed(*pair) for pair in zip(x, alpha, strict=True)])
    torch.testing.assert_close(module(x, alpha), wanted)
    torch.testing.assert_close(*[torch.autograd.grad(side.sum(), x)[0] for side in (module(x, alpha), wanted)])
    torch.testing.assert_close(module(x[0], alpha[0], torch.tensor(2.0, dtype=torch.float64)), smoothed(x[0], alpha[0], 2.0))
    short = module(x, alpha, lengths=torch.tensor([3, 2]))
    torch.testing.assert_close(short[1, :2], smoothed(x[1, :2], alpha[1]))
    with pytest.raises(ValueError, match="the condition does not hold"):
        module(x, 4 * alpha)


def test_elements_are_given_as_their_array() -> None:
    module = mathdsl.load(HORNER).Algorithm()
    a, x = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64), torch.tensor(1.5, dtype=torch.float64)
    torch.testing.assert_close(module(a, x), 1 - 2 * x + 3 * x**2)


@pytest.mark.parametrize("first", ["x^{(0)}", "x_0"])
def test_a_first_iterate_is_given(first: str) -> None:
    (before, after) = ("x^{(k)}", "x^{(k+1)}") if "^" in first else ("x_k", "x_{k+1}")
    lines = (
        rf"\Require ${first}$",
        r"\Require $A \in \mathbb{R}^{n \times n}$",
        r"\Require $K$",
        r"\For{$k = 0, \dots, K - 1$}",
        rf"\State ${after} \gets A {before}$",
        r"\EndFor",
        rf"\Return ${before.replace('k', 'K')}$",
    )
    text = "\\begin{algorithmic}\n" + "\n".join(lines) + "\n\\end{algorithmic}"
    a, x = torch.tensor([[2.0, 1.0], [1.0, 3.0]]), torch.tensor([1.0, 0.5])
    torch.testing.assert_close(mathdsl.load(text).Algorithm()(x, a, 3), a @ a @ a @ x)


@pytest.mark.parametrize(
    ("around", "name"),
    [
        (r"\caption{Newton's method for $f$, by hand} BODY", "NewtonMethodFor"),
        (r"\caption{\textbf{Adam}} BODY", "Adam"),
        (r"BODY \caption{$k$-means} \label{alg:x}", "Means"),
        (r"\label{alg:gradient_descent} BODY", "GradientDescent"),
        (r"\caption{$\alpha$} \label{alg:2} BODY", "Algorithm"),
        ("BODY", "Algorithm"),
    ],
)
def test_names(around: str, name: str) -> None:
    body = r"\begin{algorithmic} \Require $x \in \mathbb{R}$ \Return $2 x$ \end{algorithmic}"
    text = rf"\begin{{algorithm}} {around} \end{{algorithm}}".replace("BODY", body)
    assert hasattr(mathdsl.load(text), name)


def compile_paper(folder: Path, text: str) -> mathdsl.CompileResult:
    path = folder / "paper.tex"
    path.write_text(text, encoding="utf-8")
    return mathdsl.compile(path)


def test_a_document_holds_several(tmp_path: Path) -> None:
    """Words stand around them, and those without a name are numbered."""
    body = r"\begin{algorithmic}[1] \Require $x \in \mathbb{R}$ \Return $2 x$ \end{algorithmic}"
    found = compile_paper(tmp_path, rf"\documentclass{{article}} \begin{{document}} First, {body} then {body} as we saw. \end{{document}}")
    assert found.ok
    assert "class Algorithm(" in found.source
    assert "class Algorithm2(" in found.source


def test_beside_programs_with_headers_they_stay_prose(tmp_path: Path) -> None:
    plain = r"\begin{algorithmic} \State do what has to be done \end{algorithmic}"
    headed = r"\begin{algorithmic} \Procedure{N}{$x \in \mathbb{R}$} \State \Return $2 x$ \EndProcedure \end{algorithmic}"
    found = compile_paper(tmp_path, rf"\begin{{document}} {plain} {headed} \end{{document}}")
    assert [d.code for d in found.diagnostics] == ["N0103"]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (r"\begin{algorithmic} \State $y \gets 2 x$ \Return $y$ \end{algorithmic}", "E0223", r"\begin{algorithmic}"),
        (r"\begin{algorithmic} \Require the loss of $x$ \Return $2 x$ \end{algorithmic}", "E0223", r"\begin{algorithmic}"),
        (r"\begin{algorithmic} \Require $x \in \mathbb{R}$ \Ensure $x > 0$ \end{algorithmic}", "E0606", r"\begin{algorithmic}"),
        (r"\begin{algorithmic} \Require $x \in \mathbb{R}$ \State do it \end{algorithmic}", "E0228", "do it"),
        (r"\begin{algorithmic} \Require $x \in \mathbb{R}$ \State $y \gets x$ \end{algorithmic}", "E0606", r"\begin{algorithmic}"),
    ],
)
def test_mistakes_stand_where_they_are_made(text: str, code: str, place: str) -> None:
    first = mathdsl.compile(text).diagnostics[0]
    assert first.code == code
    assert text[first.span.start : first.span.end] == place


def loss(x: Tensor) -> Tensor:
    return -(x * x.log()).sum()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"\Module{N}{x} x \in \mathbb{R}^K \\ H = -\sum_{k=1}^K x_k \log x_k \\ \Return H \\ \EndModule", loss),
        (r"\Module{N}{x} H = -\sum_{k=1}^K x_k \log x_k \\ x_k \in \mathbb{R}, k = 1, \dots, K \\ \Return H \\ \EndModule", loss),
        (r"\Module{N}{x} x \in \mathbb{R}^K \\ \Return \sum_{k=1}^K x_k x_k \\ \EndModule", lambda x: (x * x).sum()),
        (r"\algoProc{\N}\pa{x} x \in \mathbb{R}^K \\ \algoReturn \sum_{k=1}^K x_k x_k \algoEndProc", lambda x: (x * x).sum()),
    ],
)
def test_a_line_of_a_body_declares(text: str, wanted: Callable[[Tensor], Tensor]) -> None:
    module = mathdsl.load(text).N()
    x = torch.tensor([[0.5, 0.25, 0.125], [1.0, 2.0, 3.0]], dtype=torch.float64)
    torch.testing.assert_close(module(x), torch.stack([wanted(row) for row in x]))


def test_families_are_required() -> None:
    body = r"\State $w \gets 0$ \For{$i = 1, \dots, n$} \State $w \gets w + y_i x_i$ \EndFor \Return $w$"
    required = r"$x_1, \dots, x_n \in \mathbb{R}^d$, $y_1, \dots, y_n \in \mathbb{R}$"
    module = mathdsl.load(rf"\begin{{algorithmic}} \Require {required} {body} \end{{algorithmic}}").Algorithm()
    x = torch.tensor([[[1.0, 2.0], [0.5, -1.0]], [[3.0, 1.0], [2.0, 2.0]]], dtype=torch.float64)
    y = torch.tensor([[1.0, -2.0], [0.5, 4.0]], dtype=torch.float64)
    torch.testing.assert_close(module(x, y), torch.einsum("bn,bnd->bd", y, x))
    torch.testing.assert_close(module(x, y, lengths={"n": torch.tensor([2, 1])})[1], y[1, 0] * x[1, 0])


@pytest.mark.parametrize(
    "sample",
    [
        r"training data $\{(x_i, y_i)\}_{i=1}^n$ with $x_i \in \mathbb{R}^d$ and $y_i \in \mathbb{R}$",
        r"$\mathcal{D} = \{(x_i, y_i)\}_{i=1}^n$, $x_i \in \mathbb{R}^d$, $y_i \in \mathbb{R}$",
        r"$\{(x_i, y_i)\}_{i=1}^n \subseteq \mathbb{R}^d \times \mathbb{R}$",
        r"points $\{x_i\}_{i=1}^n \subset \mathbb{R}^d$, labels $\{y_i\}_{i=1}^n \subset \mathbb{R}$",
    ],
)
def test_a_sample_in_braces_is_no_declaration(sample: str) -> None:
    body = r"\State $w \gets 0$ \For{$i = 1, \dots, n$} \State $w \gets w + y_i x_i$ \EndFor \Return $w$"
    assert not mathdsl.compile(rf"\begin{{algorithmic}} \Require {sample} {body} \end{{algorithmic}}").ok


def test_what_is_ensured_of_a_value_is_its_result() -> None:
    body = r"\State $m \gets x_1$ \For{$i = 2, \dots, n$} \If{$x_i > m$} \State $m \gets x_i$ \EndIf \EndFor"
    text = rf"\begin{{algorithmic}} \Require $x \in \mathbb{{R}}^n$ \Ensure $m = \max_i x_i$ {body} \end{{algorithmic}}"
    x = torch.tensor([[1.0, 5.0, 2.0], [4.0, 0.5, -1.0]], dtype=torch.float64)
    torch.testing.assert_close(mathdsl.load(text).Algorithm()(x), x.amax(-1))


@pytest.mark.parametrize("letter", [r"\pi", r"\sigma", "e", r"\Gamma"])
def test_reserved_letters_that_are_required_are_inputs(letter: str) -> None:
    required = rf"${letter} \in \mathbb{{R}}^N$, $A \in \mathbb{{R}}^{{N \times N}}$, $0 < \phi < \pi$"
    text = rf"\begin{{algorithmic}} \Require {required} \State \Return $A {letter}$ \end{{algorithmic}}"
    a = torch.tensor([[1.0, 2.0], [0.5, -1.0]], dtype=torch.float64)
    if letter == r"\pi":
        text = text.replace(r", $0 < \phi < \pi$", "")
        torch.testing.assert_close(mathdsl.load(text).Algorithm()(a[0], a), a @ a[0])
    else:
        torch.testing.assert_close(mathdsl.load(text).Algorithm()(a[0], a, torch.tensor(1.0)), a @ a[0])


def required(line: str, body: str) -> Callable[..., Tensor]:
    module: Callable[..., Tensor] = mathdsl.load(f"\\begin{{algorithmic}} \\Require {line} {body} \\end{{algorithmic}}").Algorithm()
    return module


X = torch.tensor([[1.0, -2.0, 4.0], [0.5, 3.0, 2.0]], dtype=torch.float64)
A = torch.tensor([0.5, -3.0], dtype=torch.float64)
W = torch.tensor([[1.0, 2.0, -1.0], [0.5, -1.0, 3.0]], dtype=torch.float64)
INDICES = torch.tensor([[1, 3, 3], [2, 2, 1]])


@pytest.mark.parametrize(
    ("line", "result", "inputs", "wanted"),
    [
        (r"$x \in \mathbb{R}^{d_x}$, $a \in \mathbb{R}$", "a x", (X, A), lambda x, a: a * x),
        (r"$x \in \mathbb{R}^{d_{x}}$, $a \in \mathbb{R}$", "a x", (X, A), lambda x, a: a * x),
        (r"$x \in \mathbb{R}^{2 d_x + 1}$, $d \in \mathbb{R}$", "d x", (X, A), lambda x, a: a * x),
        (r"$x_t \in \mathbb{R}, t = 1, \dots, n_x$", r"\sum_{t=1}^{n_x} x_t", (X,), lambda x: x.sum()),
        (r"$n_x \in \mathbb{N}$, $x \in \mathbb{R}^{n_x}$", "n_x x", (X,), lambda x: 3 * x),
        (r"$\sigma_x, t_x \in \mathbb{R}$, $x \in \mathbb{R}^d$", r"\sigma_x x + t_x", (A, A, X), lambda s, t, x: s * x + t),
        (r"$x_t \in \mathbb{R}^{d_x}, t = 1, \dots, T$", r"\sum_{t=1}^T x_t", (torch.stack((X, 2 * X)),), lambda x: x.sum(0)),
        (r"$W_{x,t} \in \mathbb{R}, t = 1, \dots, n_x$", r"\sum_{t=1}^{n_x} W_{x,t}", (X,), lambda x: x.sum()),
        (r"$W \in \mathbb{R}^{d_y \times d_x}, x \in \mathbb{R}^{d_x}$", "W x", (torch.stack((W, 2 * W)), X), lambda w, x: w @ x),
        (r"$A \in \mathbb{R}^{m_A \times n_A}$", "2 A", (torch.stack((W, -W)),), lambda a: 2 * a),
        (
            r"$s_t \in \{1, \dots, n_s\}, t = 1, \dots, T$, $v \in \mathbb{R}^{n_s}$",
            r"\sum_{t=1}^T v_{s_t}",
            (INDICES, X),
            lambda s, v: v[s - 1].sum(),
        ),
        (r"$x \in \{1, \dots, n_x\}$, $v \in \mathbb{R}^{n_x}$", "v_x", (INDICES[:, 1], X), lambda x, v: v[x - 1]),
        (r"$n_x \in \mathbb{N}$, $x \in \{1, \dots, n_x\}$, $v \in \mathbb{R}^{n_x}$", "v_x", (INDICES[:, 0], X), lambda x, v: v[x - 1]),
        (r"$n \in \mathbb{N}$, $x \in \mathbb{R}^n$", "n x", (X,), lambda x: 3 * x),
        (
            r"$t_i \in \mathbb{R}, i = 1, \dots, n$, $x_t \in \mathbb{R}, t = 1, \dots, T$",
            r"x_T \sum_{i=1}^n t_i",
            (X, W),
            lambda t, x: x[-1] * t.sum(),
        ),
    ],
)
def test_the_letter_of_a_size_is_no_size(line: str, result: str, inputs: tuple[Tensor, ...], wanted: Callable[..., Tensor]) -> None:
    """Alone and in a batch; nothing is learned, so that the call takes all that is required."""
    module = required(line, rf"\State \Return ${result}$")
    rows = [wanted(*row) for row in zip(*inputs, strict=True)]
    torch.testing.assert_close(module(*inputs), torch.stack(rows))
    torch.testing.assert_close(module(*(value[0] for value in inputs)), rows[0])


def test_the_letter_of_a_size_is_a_state_that_begins_as_it_is_given() -> None:
    line = r"$h \in \mathbb{R}^{d_h}$, $x \in \mathbb{R}^{d_x}$, $W \in \mathbb{R}^{d_h \times d_x}$"
    module = required(line, r"\State $h \gets \tanh(W x) + h$ \State \Return $h$")
    h = torch.tensor([[0.5, 1.0], [-1.0, 2.0]], dtype=torch.float64)
    torch.testing.assert_close(module(h, X, torch.stack((W, W))), torch.tanh(X @ W.T) + h)


def test_the_letter_of_a_size_is_given_in_braces() -> None:
    text = r"\begin{algorithm} \KwIn{$x \in \mathbb{R}^{d_x}$, $a \in \mathbb{R}$} $y \gets a x$\; \KwRet{$y$} \end{algorithm}"
    torch.testing.assert_close(mathdsl.load(text).Algorithm()(X, A), A[:, None] * X)
