r"""What values that loops hand on are: by all that is assigned to them, and by a declaration, which holds for every turn.

Programs are written in short, as in `test_algorithms_of_textbooks`, in both notations of algorithms; beside some stands the same as a
module, with a family over the turns. Inputs: numbers `r_t` or vectors `g_t` over `T` turns, six numbers `x`, a matrix `A`, a vector `b`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from mathdsl.api import compile_files
from mathdsl.spans import SourceFile
from tests.test_algorithms_of_textbooks import written
from tests.test_arrays_executed import DOCSTRING

T, D = 4, 3
SHAPES = {"r": (T,), "g": (T, D), "x": (6,), "A": (D, D), "b": (D,)}
ROWS = {
    "r": r"r_t \in \mathbb{R}, t = 1, \dots, T",
    "g": r"g_t \in \mathbb{R}^d, t = 1, \dots, T",
    "x": r"x_i \in \mathbb{R}, i = 1, \dots, 6",
    "A": r"A \in \mathbb{R}^{d \times d}",
    "b": r"b \in \mathbb{R}^d",
}
OVER = r" \quad (t = 1, \dots, T)"


def algorithm(inputs: str, rows: list[str], lines: str) -> str:
    body = "\n".join(written(line.strip()).replace(r"\State $else$", r"\Else") for line in lines.split(";"))
    return f"\\Require {', '.join(f'${row}$' for row in rows)}\n\\Procedure{{F}}{{${inputs}$}}\n{body}\n\\EndProcedure\n"


def docstring(inputs: str, rows: list[str], lines: str) -> str:
    body = "\n".join(in_docstring(line.strip()) for line in lines.split(";"))
    table = " ".join(rf"{row} & \\" for row in rows)
    return rf"\algoProc{{\F}}\pa{{{inputs}}} \\ {body} \algoEndProc \begin{{where}} {table} \end{{where}}"


def in_docstring(line: str) -> str:
    pattern, latex = next((p, t) for p, t in DOCSTRING if re.fullmatch(p, line))
    return re.sub(f"^{pattern}$", latex, line).replace("<-", r"\algoEq") + r" \\"


def module(inputs: str, rows: list[str], lines: str) -> str:
    body = "\n".join(line.strip().replace("return", r"\Return").replace("<-", r"\gets") + r" \\" for line in lines.split(";"))
    table = " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{F}}{{{inputs} ;}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


@dataclass(frozen=True)
class Case:
    inputs: str
    lines: str
    meaning: Callable[..., Any]
    declared: str = ""  # rows of what the program computes
    as_module: str = ""

    def texts(self) -> list[str]:
        given = [ROWS[name] for name in self.inputs.split(", ")]
        own = [row.strip() for row in self.declared.split(";")] if self.declared else []
        texts = [
            write(self.inputs, rows, self.lines)
            for write in (algorithm, docstring)
            for rows in ([given, [*given, *own]] if own else [given])
        ]
        return texts + ([module(self.inputs, given, self.as_module)] if self.as_module else [])


def traces(g: Tensor, r: Tensor) -> Tensor:
    w = z = torch.zeros(D, dtype=torch.float64)
    for x, reward in zip(g, r, strict=True):
        delta = reward - w @ x
        z = 0.8 * z + x
        w = w + 0.1 * delta * z
    return w


def temporal_differences(r: Tensor) -> Tensor:
    z, v = torch.ones(3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    for reward in r:
        d = reward + v[0]
        v, z = v + d * z, 0.9 * z
    return v


def averaged(values: Tensor) -> Tensor:
    s = torch.zeros_like(values[0])
    for value in values:
        s = 0.9 * s + 0.1 * value
    return s


def adam(g: Tensor, b: Tensor) -> Tensor:
    m = v = torch.zeros_like(b)
    for t, gradient in enumerate(g, 1):
        m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
        b = b - 0.1 * (m / (1 - 0.9**t)) / ((v / (1 - 0.99**t)).sqrt() + 0.001)
    return b


def welford(values: Tensor) -> tuple[Tensor, Tensor]:
    mean = spread = torch.zeros_like(values[0])
    for n, value in enumerate(values, 1):
        delta = value - mean
        mean = mean + delta / n
        spread = spread + delta * (value - mean)
    return mean, spread


def perceptron(g: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    w, c = torch.zeros(D, dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    for x, y in zip(g, r, strict=True):
        if y * (w @ x + c) <= 0:
            w, c = w + y * x, c + y
    return w, c


def least_squares(g: Tensor, r: Tensor) -> tuple[Tensor, Tensor]:
    p, w = torch.eye(D, dtype=torch.float64), torch.zeros(D, dtype=torch.float64)
    for x, y in zip(g, r, strict=True):
        k = p @ x / (1 + x @ p @ x)
        w, p = w + k * (y - w @ x), p - torch.outer(k, x) @ p
    return w, p


def kalman(r: Tensor) -> tuple[Tensor, Tensor]:
    x, p = torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
    for y in r:
        p = p + 0.1
        k = p / (p + 0.5)
        x, p = x + k * (y - x), (1 - k) * p
    return x, p


def powers(a: Tensor, b: Tensor) -> Tensor:
    for _ in range(3):
        u = a @ b
        b = u / u.norm()
    return b


def conjugate_gradients(a: Tensor, b: Tensor) -> Tensor:
    x, r, p = torch.zeros_like(b), b, b
    for _ in range(2):
        alpha = r @ r / (p @ a @ p)
        x, s = x + alpha * p, r - alpha * (a @ p)
        r, p = s, s + s @ s / (r @ r) * p
    return x


def first_positive(x: Tensor) -> Tensor:
    found = 0
    for i, value in enumerate(x, 1):
        if not found and value > 0:
            found = i
    return torch.tensor(found)


def positive_means(x: Tensor) -> tuple[Tensor, Tensor]:
    k, s = 0, torch.zeros((), dtype=torch.float64)
    for value in x:
        if value > 0:
            k += 1
            s = s + value / k
    return s, torch.tensor(k)


def bisection(x: Tensor) -> Tensor:
    low, high = 1, 6
    for _ in range(3):
        middle = (low + high) // 2
        if x[middle - 1] < 0:
            low = middle
        else:
            high = middle
    return torch.tensor(low)


def squashed(g: Tensor) -> Tensor:
    h = torch.zeros_like(g[0])
    for value in g:
        h = (h + value).tanh()
    return h


CASES = {
    "traces of features": Case(
        "g, r",
        r"w <- 0; z <- 0; for t = 1..T; \delta <- r_t - w^\top g_t; z <- 0.8 z + g_t; w <- w + 0.1 \delta z; end; return w",
        traces,
        r"\delta \in \mathbb{R}; w, z \in \mathbb{R}^d",
        rf"w_0 <- 0; z_0 <- 0; \delta_t <- r_t - w_{{t-1}}^\top g_t{OVER}; z_t <- 0.8 z_{{t-1}} + g_t{OVER};"
        rf"w_t <- w_{{t-1}} + 0.1 \delta_t z_t{OVER}; return w_T",
    ),
    "traces of states": Case(
        "r",
        "for k = 1..3; z_k <- 1; v_k <- 0; end; for t = 1..T; d <- r_t + v_1; for k = 1..3; v_k <- v_k + d z_k; z_k <- 0.9 z_k; end; end;"
        "return v",
        temporal_differences,
        r"d \in \mathbb{R}; v \in \mathbb{R}^3; z_k \in \mathbb{R}, k = 1, \dots, 3",
        rf"z_{{0,k}} <- 1 \quad (k = 1, \dots, 3); v_{{0,k}} <- 0 \quad (k = 1, \dots, 3); d_t <- r_t + v_{{t-1,1}}{OVER};"
        r"v_{t,k} <- v_{t-1,k} + d_t z_{t-1,k} \quad (t = 1, \dots, T, k = 1, \dots, 3);"
        r"z_{t,k} <- 0.9 z_{t-1,k} \quad (t = 1, \dots, T, k = 1, \dots, 3); return v_T",
    ),
    "momentum": Case(
        "g",
        "m <- 0; for t = 1..T; m <- 0.9 m + 0.1 g_t; end; return m",
        averaged,
        r"m \in \mathbb{R}^d",
        rf"m_0 <- 0; m_t <- 0.9 m_{{t-1}} + 0.1 g_t{OVER}; return m_T",
    ),
    "an average of numbers": Case("r", "m <- 0; for t = 1..T; m <- 0.9 m + 0.1 r_t; end; return m", averaged, r"m \in \mathbb{R}"),
    "Adam": Case(
        "g, b",
        r"m <- \mathbf{0}; v <- 0; for t = 1..T; m <- 0.9 m + 0.1 g_t; v <- 0.99 v + 0.01 g_t \odot g_t; \hat{m} <- m / (1 - 0.9^t);"
        r"\hat{v} <- \frac{v}{1 - 0.99^t}; b <- b - 0.1 \hat{m} / (\sqrt{\hat{v}} + 0.001); end; return b",
        adam,
        r"m, v \in \mathbb{R}^d; \hat{m}, \hat{v} \in \mathbb{R}^d",
    ),
    "mean and spread": Case(
        "r",
        r"n <- 0; \mu <- 0; M <- 0; for t = 1..T; n <- n + 1; \delta <- r_t - \mu; \mu <- \mu + \delta / n;"
        r"M <- M + \delta (r_t - \mu); end; return \mu, M",
        welford,
        r"n \in \mathbb{N}; \mu, M, \delta \in \mathbb{R}",
        rf"\mu_0 <- 0; M_0 <- 0; \delta_t <- r_t - \mu_{{t-1}}{OVER}; \mu_t <- \mu_{{t-1}} + \delta_t / t{OVER};"
        rf"M_t <- M_{{t-1}} + \delta_t (r_t - \mu_t){OVER}; return \mu_T, M_T",
    ),
    "mean and spread of vectors": Case(
        "g",
        r"n <- 0; \mu <- 0; M <- 0; for t = 1..T; n <- n + 1; \delta <- g_t - \mu; \mu <- \mu + \frac{\delta}{n};"
        r"M <- M + \delta \odot (g_t - \mu); end; return \mu, M",
        welford,
        r"n \in \mathbb{Z}; \mu, M, \delta \in \mathbb{R}^d",
    ),
    "a perceptron": Case(
        "g, r",
        r"w <- 0; c <- 0; for t = 1..T; if r_t (w^\top g_t + c) \leq 0; w <- w + r_t g_t; c <- c + r_t; fi; end; return w, c",
        perceptron,
        r"w \in \mathbb{R}^d; c \in \mathbb{R}",
        rf"w_0 <- 0; c_0 <- 0; s_t <- r_t (w_{{t-1}}^\top g_t + c_{{t-1}}){OVER};"
        rf"w_t <- \begin{{cases}} w_{{t-1}} + r_t g_t & s_t \leq 0 \\ w_{{t-1}} & otherwise \end{{cases}}{OVER};"
        rf"c_t <- \begin{{cases}} c_{{t-1}} + r_t & s_t \leq 0 \\ c_{{t-1}} & otherwise \end{{cases}}{OVER}; return w_T, c_T",
    ),
    "recursive least squares": Case(
        "g, r",
        r"P <- I; w <- 0; for t = 1..T; k <- \frac{P g_t}{1 + g_t^\top P g_t}; w <- w + k (r_t - w^\top g_t); P <- P - k g_t^\top P; end;"
        "return w, P",
        least_squares,
        r"P \in \mathbb{R}^{d \times d}; w, k \in \mathbb{R}^d",
        rf"P_0 <- I; w_0 <- 0; k_t <- \frac{{P_{{t-1}} g_t}}{{1 + g_t^\top P_{{t-1}} g_t}}{OVER};"
        rf"w_t <- w_{{t-1}} + k_t (r_t - w_{{t-1}}^\top g_t){OVER}; P_t <- P_{{t-1}} - k_t g_t^\top P_{{t-1}}{OVER}; return w_T, P_T",
    ),
    "a Kalman filter": Case(
        "r",
        r"x <- 0; p <- 1; for t = 1..T; p <- p + 0.1; K <- \frac{p}{p + 0.5}; x <- x + K (r_t - x); p <- (1 - K) p; end; return x, p",
        kalman,
        r"p \in \mathbb{R}_{>0}; K \in [0, 1]; x \in \mathbb{R}",
    ),
    "a counter that is an index": Case(
        "x",
        r"k <- 0; s <- 0; for t = 1..3; k <- k + 1; s <- s + k x_k; end; return s",
        lambda x: x[0] + 2 * x[1] + 3 * x[2],
        r"k \in \mathbb{N}; s \in \mathbb{R}",
        r"k_0 <- 0; k_t <- k_{t-1} + 1 \quad (t = 1, \dots, 3); return \sum_{t=1}^{3} k_t x_{k_t}",
    ),
    "a counter of branches": Case(
        "x",
        r"k <- 0; s <- 0; for t = 1..6; if x_t > 0; k <- k + 1; s <- s + x_t / k; fi; end; return s, k",
        positive_means,
        r"k \in \mathbb{Z}",
    ),
    "two counters": Case(
        "x",
        r"i <- 1; j <- 6; s <- 0; for t = 1..3; s <- s + x_i x_j; i <- i + 1; j <- j - 1; end; return s",
        lambda x: x[0] * x[5] + x[1] * x[4] + x[2] * x[3],
        r"i, j \in \{1, \dots, 6\}",
    ),
    "bisection": Case(
        "x",
        r"l <- 1; h <- 6; for k = 1..3; m <- \lfloor \frac{l + h}{2} \rfloor; if x_m < 0; l <- m; else; h <- m; fi; end; return l",
        bisection,
        r"l, h, m \in \mathbb{N}",
    ),
    "an integer and a real": Case(
        "r",
        "k <- 1; a <- 1; s <- 0; for t = 1..T; s <- s + a r_t / k; k <- 2 k; a <- a / 3; end; return s",
        lambda r: sum(value / 6**t for t, value in enumerate(r)),
        r"k \in \mathbb{N}; a, s \in \mathbb{R}",
    ),
    "0 and 1": Case(
        "x",
        r"f <- 0; p <- 0; for t = 1..6; if f = 0 \land x_t > 0; f <- 1; p <- t; fi; end; return p",
        first_positive,
        r"f \in \{0, 1\}; p \in \mathbb{Z}",
    ),
    "a condition": Case(
        "x",
        r"f <- x_1 > 0; s <- 0; for t = 2..6; f <- f \lor x_t > 0.5; if f; s <- s + x_t; fi; end; return s",
        lambda x: sum(x[t] if x[0] > 0 or (x[1 : t + 1] > 0.5).any() else 0 * x[t] for t in range(1, 6)),
        r"f \in \mathbb{B}; s \in \mathbb{R}",
    ),
    "a product": Case("r", "p <- 1; for t = 1..T; p <- p r_t; end; return p", lambda r: r.prod(), r"p \in \mathbb{R}"),
    "a product of vectors": Case(
        "g", r"p <- \mathbf{1}; for t = 1..T; p <- p \odot g_t; end; return p", lambda g: g.prod(0), r"p \in \mathbb{R}^d"
    ),
    "a weighted mean in one pass": Case(
        "r, g",
        r"m <- -\infty; s <- 0; o <- 0; for t = 1..T; n <- \max(m, r_t); s <- s e^{m - n} + e^{r_t - n};"
        r"o <- o e^{m - n} + e^{r_t - n} g_t; m <- n; end; return o / s",
        lambda r, g: r.softmax(0) @ g,
        r"m, n, s \in \mathbb{R}; o \in \mathbb{R}^d",
        rf"m_0 <- -\infty; s_0 <- 0; o_0 <- 0; m_t <- \max(m_{{t-1}}, r_t){OVER};"
        rf"s_t <- s_{{t-1}} e^{{m_{{t-1}} - m_t}} + e^{{r_t - m_t}}{OVER}; "
        rf"o_t <- o_{{t-1}} e^{{m_{{t-1}} - m_t}} + e^{{r_t - m_t}} g_t{OVER}; return o_T / s_T",
    ),
    "outer products": Case(
        "g",
        r"C <- 0; for t = 1..T; C <- C + g_t g_t^\top; end; return C",
        lambda g: g.T @ g,
        r"C \in \mathbb{R}^{d \times d}",
        rf"C_0 <- 0; C_t <- C_{{t-1}} + g_t g_t^\top{OVER}; return C_T",
    ),
    "a vector of each turn": Case(
        "g, A",
        r"s <- 0; for t = 1..T; u <- A g_t; q <- u^\top u; s <- s + q u_1; end; return s",
        lambda g, a: sum(u @ u * u[0] for u in g @ a.T),
        r"u \in \mathbb{R}^d; q, s \in \mathbb{R}",
    ),
    "a vector of each turn by its elements": Case(
        "g",
        r"s <- 0; for t = 1..T; u <- 2 g_t; for i = 1..d; s <- s + i u_i; end; end; return s",
        lambda g: sum(2 * (i + 1) * g[:, i].sum() for i in range(D)),
        r"u \in \mathbb{R}^d; s \in \mathbb{R}",
    ),
    "elements of each turn": Case(
        "g",
        r"s <- 0; for t = 1..T; for i = 1..d; u_i <- g_{t,i}^2; u_i <- 2 u_i; end; s <- s + \sum_{i=1}^{d} u_i; end; return s",
        lambda g: 2 * (g**2).sum(),
        r"u_i \in \mathbb{R}, i = 1, \dots, d; s \in \mathbb{R}",
    ),
    "an element in two steps": Case(
        "g",
        r"h_0 <- \mathbf{0}; for t = 1..T; h_t <- h_{t-1} + g_t; h_t <- \tanh(h_t); end; return h_T",
        squashed,
        r"h_t \in \mathbb{R}^d, t = 0, \dots, T",
    ),
    "elements of a matrix": Case(
        "A",
        r"M <- 0; for k = 1..2; for i = 1..d; for j = 1..d; M_{i,j} <- M_{i,j} + k A_{i,j}; end; end; end; return M",
        lambda a: 3 * a,
        r"M \in \mathbb{R}^{d \times d}",
    ),
    "powers of a matrix": Case("A, b", r"for k = 1..3; u <- A b; b <- u / \lVert u \rVert; end; return b", powers, r"u \in \mathbb{R}^d"),
    "conjugate gradients": Case(
        "A, b",
        r"x <- \mathbf{0}; r <- b; p <- r; for k = 1..2; \alpha <- \frac{r^\top r}{p^\top A p}; x <- x + \alpha p; s <- r - \alpha A p;"
        r"\beta <- \frac{s^\top s}{r^\top r}; r <- s; p <- r + \beta p; end; return x",
        conjugate_gradients,
        r"x, r, p, s \in \mathbb{R}^d; \alpha, \beta \in \mathbb{R}",
    ),
}


def results(subject: Any, *given: Any, **more: Any) -> list[Tensor]:
    found = subject(*given, **more)
    return [value if isinstance(value, Tensor) else torch.tensor(value) for value in (found if isinstance(found, tuple) else (found,))]


def slopes(values: list[Tensor], given: list[Tensor]) -> list[Tensor]:
    total = sum((value.sin().sum() for value in values if value.requires_grad), torch.zeros((), requires_grad=True))
    found = torch.autograd.grad(total, given, allow_unused=True)
    return [torch.zeros_like(one) if slope is None else slope for one, slope in zip(given, found, strict=True)]


@pytest.mark.parametrize("name", CASES)
def test_a_value_is_what_its_assignments_make_of_it(name: str) -> None:
    case = CASES[name]
    generator = torch.Generator().manual_seed(1)
    shapes = [SHAPES[symbol] for symbol in case.inputs.split(", ")]
    given = [torch.randn(3, *shape, dtype=torch.float64, generator=generator) for shape in shapes]
    if name == "conjugate gradients":
        given[0] = given[0] @ given[0].mT + torch.eye(D, dtype=torch.float64)
    leaves = [value.requires_grad_() for value in given]
    wanted = [results(case.meaning, *example) for example in zip(*leaves, strict=True)]
    together = [torch.stack(values) for values in zip(*wanted, strict=True)]
    lengths = {"T": torch.tensor([T - 1] * 3), **({"d": torch.tensor([D] * 3)} if "1..d" in case.lines else {})}
    right_slopes = slopes(together, leaves)
    has_turns = set(case.inputs.split(", ")) <= {"r", "g"}
    padded = [torch.cat([value[:, : T - 1].detach(), torch.full_like(value[:, :1], torch.nan)], 1) for value in given] if has_turns else []
    shorter = [results(case.meaning, *(value[: T - 1] for value in example)) for example in zip(*given, strict=True)] if has_turns else []
    for text in case.texts():
        result = compile(text)
        assert result.ok, (text, [(d.code, d.message, d.help) for d in result.diagnostics])
        subject: Any = result.load().F().double()
        for ours, right in zip(results(subject, *leaves), together, strict=True):
            torch.testing.assert_close(ours, right, check_dtype=right.is_floating_point())
        for ours, right in zip(results(subject, *(value[0] for value in leaves)), wanted[0], strict=True):
            torch.testing.assert_close(ours, right)
        torch.testing.assert_close(slopes(results(subject, *leaves), leaves), right_slopes)
        if has_turns:
            for ours, right in zip(results(subject, *padded, lengths=lengths), zip(*shorter, strict=True), strict=True):
                torch.testing.assert_close(ours, torch.stack(right).detach())


def refusal(text: str) -> tuple[str, str, str]:
    (found,) = [d for d in compile(text).diagnostics if d.severity == "error"]
    return found.code, found.message, text[found.span.start : found.span.end]


@pytest.mark.parametrize(
    ("inputs", "declared", "lines", "code", "message", "place"),
    [
        ("g", r"v \in \mathbb{R}", "v <- 0; for t = 1..T; v <- v + g_t; end; return v", "E0401", "scalar and d", "v + g_t"),
        ("g", r"v \in \mathbb{R}", "s <- 0; for t = 1..T; v <- 2 g_t; s <- s + v; end; return s", "E0401", "scalar and d", "2 g_t"),
        ("g", r"v \in \mathbb{R}^d", r"v <- g_1; v <- v^\top v; return v", "E0401", "d and scalar", r"v^\top v"),
        ("g", r"u \in \mathbb{R}^{4}", "s <- 0; for t = 1..T; u <- g_t; s <- s + u_4; end; return s", "E0401", "4", "g_t"),
        (
            "g",
            r"u \in \mathbb{R}^{4}",
            "s <- 0; for t = 1..T; u <- g_t; for i = 1..d; s <- s + u_i; end; end; return s",
            "E0401",
            "4",
            "g_t",
        ),
        ("r", r"k \in \mathbb{Z}", "s <- 0; for t = 1..T; k <- r_t; s <- s + k; end; return s", "E0406", "`k` holds integers", "r_t"),
        ("r", r"k \in \mathbb{N}", "k <- 8; for t = 1..T; k <- k / 2; end; return k r_1", "E0406", "`k` holds integers", "k / 2"),
        ("r", r"k \in \{1, \dots, 3\}", "k <- 0; for t = 1..3; k <- k + 1; end; return r_k", "E0406", "`k` lies in [1, 3]", "0"),
        ("r", r"p \in [0, 1]", "p <- 1; for t = 1..T; p <- p r_t; p <- -2; end; return p", "E0406", "`p` lies in [0, 1]", "-2"),
        ("r", r"p \in \mathbb{R}_{>0}", "p <- 0; return p r_1", "E0406", "this value is 0", "0"),
    ],
)
def test_a_declaration_that_a_turn_contradicts_is_refused_there(
    inputs: str, declared: str, lines: str, code: str, message: str, place: str
) -> None:
    for write in (algorithm, docstring):
        found = refusal(write(inputs, [ROWS[inputs], declared], lines))
        assert (found[0], found[2]) == (code, place)
        assert message in found[1]


def test_a_line_of_the_body_declares_too() -> None:
    text = algorithm("r", [ROWS["r"]], r"d \in \mathbb{R}; s <- 0; for t = 1..T; d <- r_t - s; s <- s + d / 2; end; return s")
    assert compile(text).load().F()(torch.tensor([1.0, 2.0])) == 1.25


def test_a_carried_vector_that_begins_as_0_has_its_declared_size() -> None:
    for first in ("0", r"\mathbf{0}"):
        text = algorithm("r", [ROWS["r"], r"v \in \mathbb{R}^5"], f"v <- {first}; for t = 1..T; v <- 0.5 v + r_t; end; return v")
        torch.testing.assert_close(compile(text).load().F()(torch.tensor([1.0, 2.0])), torch.full((5,), 2.5))


@pytest.mark.parametrize("kind", [r"\mathbb{Z}", r"\mathbb{N}", r"\{1, \dots, 6\}", r"\mathbb{R}_{>0}"])
def test_a_number_of_turns_that_is_declared_and_assigned_is_nothing_that_is_given(kind: str) -> None:
    for write in (algorithm, docstring):
        text = write("x", [ROWS["x"], rf"n \in {kind}"], "n <- 3; s <- 0; for i = 1..n; s <- s + x_i; end; return s")
        assert compile(text).load().F()(torch.arange(6.0)) == 3


def test_nothing_declared_is_a_number_where_numbers_alone_are_assigned() -> None:
    lines = r"\mu <- 0; M <- 0; for t = 1..T; \delta <- r_t - \mu; \mu <- \mu + \delta / t; M <- M + \delta (r_t - \mu); end; return M"
    text = algorithm("r", [ROWS["r"]], lines).split("\n", 1)[1]
    torch.testing.assert_close(compile(text).load().F()(torch.tensor([1.0, 2.0, 5.0])), welford(torch.tensor([1.0, 2.0, 5.0]))[1])


def test_prose_that_says_the_shape_of_a_value_says_it_of_each_turn() -> None:
    text = r'''class Sums:
    r"""Sums.

    Let :math:`x` be vectors with shape :math:`(B, S, d)`. Let :math:`u` be a double with shape :math:`(B, d)`.

    .. math::

        \algoProc{\Sums}\pa{x} \\
        & \indent{1} s \algoEq 0 \\
        & \indent{1} \algoFor{t \in \set{1, \dots, S}} \\
        & \indent{2} u \algoEq 2 x_t \\
        & \indent{2} s \algoEq s + u \\
        & \indent{1} \algoEndFor \\
        & \indent{1} \algoReturn s \\
        \algoEndProc
    """
'''

    def codes(text: str) -> list[str]:
        return [d.code for d in compile_files([SourceFile("sums.py", text)]).diagnostics]

    assert codes(text) == []
    assert codes(text.replace("double with shape :math:`(B, d)`", "double with shape :math:`(B)`")) == ["W0303"]


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        ("", "u u", "`u u` of two vectors can be their inner product, or their elementwise product"),
        ("", "u g_t", "`u g_t` of two vectors can be their inner product, or their elementwise product"),
        (r"u \in \mathbb{R}^d", "u_{1,2}", "`u` has 1 axis, and 2 are indexed"),
    ],
)
def test_messages_show_no_turns(declared: str, value: str, message: str) -> None:
    for write in (algorithm, docstring):
        text = write(
            "g", [ROWS["g"], *([declared] if declared else [])], f"s <- 0; for t = 1..T; u <- 2 g_t; s <- s + {value}; end; return s"
        )
        assert refusal(text)[1] == message
