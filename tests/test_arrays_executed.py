r"""Statements of which nothing proves that their arrays are families: they are executed, and mean what Python computes.

Programs are written in short as in `test_algorithms_of_textbooks`, in both notations of algorithms; inputs are shapes, `n,n`, perhaps
with what they hold: `spd` for matrices with large diagonals, `1-4` for integers. Lists count from 1, `Z(m)` counts from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.test_algorithms_of_textbooks import SQUARE, SYSTEM, VECTOR, FromOne, lists, stacked, written

WEIGHTS = r"w \in \{1, \dots, 4\}^{n}, v \in \mathbb{R}^{n}"
DOCSTRING = (
    (r"for (\w+) = (.*?)\.\.(.*)", r"\\algoFor{\1 \\in \\set{\2, \\dots, \3}}"),
    (r"down (\w+) = (.*?)\.\.(.*)", r"\\algoFor{\1 \\in \\set{\2, \2 - 1, \\dots, \3}}"),
    (r"if (.*)", r"\\algoIf{\1}"),
    (r"while (.*) at most (.*)", r"\\algoWhile{\1}[\2]"),
    ("end", r"\\algoEndFor"),
    ("fi", r"\\algoEndIf"),
    ("else", r"\\algoElse"),
    ("done", r"\\algoEndWhile"),
    (r"return (.*)", r"\\algoReturn \1"),
    (r"(.*)", r"\1"),
)


def up(first: int, last: int) -> range:
    return range(first, last + 1)


def down(first: int, last: int) -> range:
    return range(first, last - 1, -1)


def new(*sizes: int) -> Any:
    return FromOne([None] * sizes[0] if len(sizes) == 1 else [new(*sizes[1:]) for _ in range(sizes[0])])


def copied(value: Any) -> Any:
    return FromOne(map(copied, value)) if isinstance(value, list) else value


def larger(*values: Any) -> Any:
    best = values[0]
    for value in values[1:]:
        best = torch.maximum(torch.as_tensor(best, dtype=torch.float64), torch.as_tensor(value, dtype=torch.float64))
    return best


def smaller(*values: Any) -> Any:
    return -larger(*(-value for value in values))


def increasing(x: Any) -> Any:
    found = new(len(x))
    for i in up(1, len(x)):
        found[i] = 1
        for j in up(1, i - 1):
            if x[j] < x[i] and found[j] + 1 > found[i]:
                found[i] = found[j] + 1
    return found


def binomials(x: Any) -> Any:
    n, c = len(x), new(len(x))
    c[1] = 1
    for i in up(2, n):
        c[i] = 1
        for j in down(i - 1, 2):
            c[j] = c[j] + c[j - 1]
    return sum(a * b for a, b in zip(c, x, strict=True))


def heat(x: Any) -> Any:
    for _ in range(3):
        a = x[1]
        for i in up(2, len(x) - 1):
            x[i], a = x[i] + 0.1 * (x[i + 1] - 2 * x[i] + a), x[i]
    return x


def control(r: Any) -> Any:
    x, s = new(len(r)), 0
    x[1] = 0
    for t in up(1, len(r) - 1):
        e = r[t] - x[t]
        s = s + e
        x[t + 1] = 0.9 * x[t] + 0.5 * e + 0.1 * s
    return [x[len(r)], s]


def conjugate(a: Any, b: Any) -> Any:
    def product(v: list[Any]) -> list[Any]:
        return [sum(p * q for p, q in zip(row, v, strict=True)) for row in a]

    def inner(u: list[Any], v: list[Any]) -> Any:
        return sum(p * q for p, q in zip(u, v, strict=True))

    x, r, p, betas = [0 * v for v in b], list(b), list(b), []
    for _ in range(3):
        ap = product(p)
        alpha = inner(r, r) / (inner(p, ap) + 1)
        x, old = [u + alpha * v for u, v in zip(x, p, strict=True)], r
        r = [u - alpha * v for u, v in zip(r, ap, strict=True)]
        betas.append(inner(r, r) / inner(old, old))
        p = [u + betas[-1] * v for u, v in zip(r, p, strict=True)]
    return [sum(x), *betas]


def gauss_seidel(a: Any, b: Any) -> Any:
    n, x = len(b), FromOne([0] * len(b))
    for _ in range(3):
        for i in up(1, n):
            x[i] = (b[i] - sum(a[i][j] * x[j] for j in up(1, n) if j != i)) / a[i][i]
    return x


def givens(a: Any) -> Any:
    n = len(a)
    for j in up(1, n - 1):
        for i in down(n, j + 1):
            r = torch.sqrt(a[i - 1][j] ** 2 + a[i][j] ** 2)
            c, s = a[i - 1][j] / r, a[i][j] / r
            for k in up(1, n):
                a[i - 1][k], a[i][k] = c * a[i - 1][k] + s * a[i][k], c * a[i][k] - s * a[i - 1][k]
    return a


def householder(a: Any) -> Any:
    n = len(a)
    for k in up(1, n - 1):
        v = {i: a[i][k] for i in up(k, n)}
        v[k] = v[k] + torch.sqrt(sum(p * p for p in v.values()))
        q = sum(p * p for p in v.values())
        for j in up(k, n):
            t = 2 * sum(v[i] * a[i][j] for i in up(k, n)) / q
            for i in up(k, n):
                a[i][j] = a[i][j] - t * v[i]
    return a


def inverse(a: Any) -> Any:
    return torch.linalg.inv(torch.stack([torch.stack(list(row)) for row in a])).tolist()


def palindrome(x: Any) -> Any:
    n = len(x)
    best = [[0] * (n + 2) for _ in range(n + 2)]
    for i in down(n, 1):
        best[i][i] = 1
        for j in up(i + 1, n):
            same = 2 if j == i + 1 else best[i + 1][j - 1] + 2
            best[i][j] = same if x[i] == x[j] else max(best[i + 1][j], best[i][j - 1])
    return best[1][n]


def search_tree(p: Any) -> Any:
    n = len(p)
    e, w = ([[0] * (n + 2) for _ in range(n + 3)] for _ in range(2))
    for length in up(1, n):
        for i in up(1, n - length + 1):
            j = i + length - 1
            w[i][j] = w[i][j - 1] + p[j]
            e[i][j] = smaller(*(e[i][r - 1] + e[r + 1][j] + w[i][j] for r in up(i, j)))
    return e[1][n]


def knapsack(w: Any, v: Any) -> Any:
    d = [0] * 9
    for weight, value in zip(w, v, strict=True):
        for c in down(8, int(weight)):
            d[c] = larger(d[c], d[c - int(weight)] + value)
    return d[8]


def ways(w: Any, v: Any) -> Any:
    d = [1] + [0] * 8
    for weight in map(int, w):
        for c in up(weight, 8):
            d[c] = d[c] + d[c - weight]
    return [part * v[1] for part in d]


def fewest(w: Any, v: Any) -> Any:
    d: list[Any] = [v[1]]
    for c in up(1, 8):
        d.append(min((d[c - int(k)] + 1 for k in w if k <= c), default=torch.tensor(inf)))
    return [part if part < inf else torch.tensor(100.0) for part in d]


def scan(x: Any) -> Any:
    return list(torch.stack(list(x)).cumsum(0))


def primes(x: Any) -> Any:
    return sum(x[i] for i in up(2, len(x)) if all(i % k for k in range(2, i))) + 0 * x[1]


def seasons(r: Any, v: Any) -> Any:
    e = FromOne([0] * len(r))
    for t in up(1, len(r) - 1):
        delta = r[t] + 0.9 * v[t + 1] - v[t]
        e[t] = e[t] + 1
        for i in up(1, len(r)):
            v[i], e[i] = v[i] + 0.1 * delta * e[i], 0.8 * e[i]
    return v


def viterbi(p: Any, a: Any, b: Any) -> Any:
    n, states = len(b), up(1, 3)
    d: Any = [None, FromOne(p[j] + b[1][j] for j in states)]
    back: Any = [None, None]
    for t in up(2, n):
        best = [max(states, key=lambda i: d[t - 1][i].item() + a[i][j].item()) for j in states]
        back.append(FromOne(best))
        d.append(FromOne(d[t - 1][i] + a[i][j] + b[t][j] for i, j in zip(best, states, strict=True)))
    path = [max(states, key=lambda j: d[n][j].item())]
    for t in down(n, 2):
        path.insert(0, back[t][path[0]])
    return [*path, max(d[n])]


def greatest(x: Any) -> Any:
    return [max(range(len(x)), key=lambda i: x[i + 1].item()) + 1, max(x)]


def gcd(a: Any, b: Any) -> Any:
    a, b = int(a), int(b)
    while b > 0:
        a, b = b, a % b
    return a


def sorted_by_insertion(x: Any) -> Any:
    return sorted(x)


def diagonal(x: Any) -> Any:
    return [[1 if i == j else x[i] * x[j] for j in up(1, len(x))] for i in up(1, len(x))]


ROW = "; ".join(
    [
        r"down i = n..1; L_{i,i} <- 1; for j = i+1..n; if x_i = x_j; if j = i + 1; L_{i,j} <- 2; else; L_{i,j} <- L_{i+1,j-1} + 2; fi",
        r"else; L_{i,j} <- \max(L_{i+1,j}, L_{i,j-1}); fi; end; end; return L_{1,n}",
    ]
)
TREE = "; ".join(
    [
        r"for i = 1..n+1; e_{i,i-1} <- 0; w_{i,i-1} <- 0; end; for l = 1..n; for i = 1..n-l+1; j <- i + l - 1; e_{i,j} <- \infty",
        r"w_{i,j} <- w_{i,j-1} + p_j; for r = i..j; t <- e_{i,r-1} + e_{r+1,j} + w_{i,j}; if t < e_{i,j}; e_{i,j} <- t; fi",
        "end; end; end; return e_{1,n}",
    ]
)
GRADIENTS = "; ".join(
    [
        r"x_0 <- \mathbf{0}; r_0 <- b; p_0 <- r_0; for k = 0..2; \alpha_k <- \frac{r_k^\top r_k}{p_k^\top A p_k + 1}",
        r"x_{k+1} <- x_k + \alpha_k p_k; r_{k+1} <- r_k - \alpha_k A p_k; \beta_k <- \frac{r_{k+1}^\top r_{k+1}}{r_k^\top r_k}",
        r"p_{k+1} <- r_{k+1} + \beta_k p_k; end; return (\sum_i x_{3,i}, \beta_0, \beta_1, \beta_2)",
    ]
)
SEIDEL = "; ".join(
    [
        r"for i = 1..n; x_i^{(0)} <- 0; end; for k = 0..2; for i = 1..n",
        r"x_i^{(k+1)} <- \frac{1}{A_{i,i}} (b_i - \sum_{j=1}^{i-1} A_{i,j} x_j^{(k+1)} - \sum_{j=i+1}^{n} A_{i,j} x_j^{(k)})",
        "end; end; return x^{(3)}",
    ]
)
ROTATIONS = "; ".join(
    [
        r"for j = 1..n-1; down i = n..j+1; r <- \sqrt{A_{i-1,j}^2 + A_{i,j}^2}; c <- A_{i-1,j} / r; s <- A_{i,j} / r; for k = 1..n",
        "a <- A_{i-1,k}; b <- A_{i,k}; A_{i-1,k} <- c a + s b; A_{i,k} <- c b - s a; end; end; end; return A",
    ]
)
REFLECTIONS = "; ".join(
    [
        r"for k = 1..n-1; s <- 0; for i = k..n; s <- s + A_{i,k}^2; end; s <- \sqrt{s}; for i = k..n; v_i <- A_{i,k}; end",
        "v_k <- v_k + s; q <- 0; for i = k..n; q <- q + v_i^2; end; for j = k..n; t <- 0; for i = k..n; t <- t + v_i A_{i,j}; end",
        "t <- 2 t / q; for i = k..n; A_{i,j} <- A_{i,j} - t v_i; end; end; end; return A",
    ]
)
PATH = "; ".join(
    [
        r"for j = 1..k; d_{1,j} <- p_j + B_{1,j}; g_{1,j} <- 0; end; for t = 2..n; for j = 1..k; d_{t,j} <- -\infty; for i = 1..k",
        r"v <- d_{t-1,i} + A_{i,j} + B_{t,j}; if v > d_{t,j}; d_{t,j} <- v; g_{t,j} <- i; fi; end; end; end",
        "z_n <- 1; for j = 2..k; if d_{n,j} > d_{n,z_n}; z_n <- j; fi; end; down t = n-1..1; z_t <- g_{t+1,z_{t+1}}; end",
        "return (z, d_{n,z_n})",
    ]
)
MODEL = r"p \in \mathbb{R}^{k}, A \in \mathbb{R}^{k \times k}, B \in \mathbb{R}^{n \times k}"

PROGRAMS: dict[str, tuple[str, str, str, Callable[..., Any], str]] = {
    "the longest increasing sequence": (
        VECTOR,
        "x",
        r"for i = 1..n; L_i <- 1; for j = 1..i-1; if x_j < x_i \land L_j + 1 > L_i; L_i <- L_j + 1; fi; end; end; return L",
        increasing,
        "n",
    ),
    "a row of Pascal's triangle": (
        VECTOR,
        "x",
        r"c_1 <- 1; for i = 2..n; c_i <- 1; down j = i-1..2; c_j <- c_j + c_{j-1}; end; end; return \sum_{i=1}^{n} c_i x_i",
        binomials,
        "n",
    ),
    "heat in one row, which keeps the old neighbour": (
        VECTOR,
        "x",
        "for t = 1..3; a <- x_1; for i = 2..n-1; b <- x_i; x_i <- x_i + 0.1 (x_{i+1} - 2 x_i + a); a <- b; end; end; return x",
        heat,
        "n",
    ),
    "a name of the turn between elements at two distances": (
        r"r \in \mathbb{R}^{n}",
        "r",
        "x_1 <- 0; s <- 0; for t = 1..n-1; e_t <- r_t - x_t; s <- s + e_t; u <- 0.5 e_t + 0.1 s; x_{t+1} <- 0.9 x_t + u; end; "
        "return (x_n, s)",
        control,
        "n",
    ),
    "conjugate gradients, with their factors": (SYSTEM, "A, b", GRADIENTS, conjugate, "n,n:spd n"),
    "Gauss-Seidel with iterates above": (SYSTEM, "A, b", SEIDEL, gauss_seidel, "n,n:spd n"),
    "Givens rotations": (SQUARE, "A", ROTATIONS, givens, "n,n"),
    "Householder reflections": (SQUARE, "A", REFLECTIONS, householder, "n,n:spd"),
    "the longest palindrome": (r"x \in \{1, \dots, 3\}^{n}", "x", ROW, palindrome, "n:1-3"),
    "an optimal search tree": (r"p \in \mathbb{R}^{n}", "p", TREE, search_tree, "n:positive"),
    "knapsack, down to a weight": (
        WEIGHTS,
        "w, v",
        r"for c = 0..8; d_c <- 0; end; for i = 1..n; down c = 8..w_i; d_c <- \max(d_c, d_{c - w_i} + v_i); end; end; return d_8",
        knapsack,
        "n:1-4 n:positive",
    ),
    "coins, up from a value": (
        WEIGHTS,
        "w, v",
        "d_0 <- v_1; for c = 1..8; d_c <- 0; end; for i = 1..n; for c = w_i..8; d_c <- d_c + d_{c - w_i}; end; end; return d",
        ways,
        "n:1-4 n:positive",
    ),
    "coins, the fewest": (
        WEIGHTS,
        "w, v",
        r"d_0 <- v_1; for c = 1..8; d_c <- \infty; for i = 1..n; if w_i \leq c; d_c <- \min(d_c, d_{c - w_i} + 1); fi; end; end; "
        r"for c = 0..8; d_c <- \min(d_c, 100); end; return d",
        fewest,
        "n:1-4 n:positive",
    ),
    "sums in steps of powers of two": (
        VECTOR,
        "x",
        "for k = 0..2; y <- x; for i = 2^k+1..n; y_i <- x_i + x_{i-2^k}; end; x <- y; end; return x",
        scan,
        "n",
    ),
    "a sieve": (
        VECTOR,
        "x",
        r"for i = 1..n; p_i <- 1; end; p_1 <- 0; for i = 2..n; if p_i = 1; for j = i+1..n; if j \bmod i = 0; p_j <- 0; fi; end; fi; end; "
        r"return \sum_{i=1}^{n} p_i x_i",
        primes,
        "n",
    ),
    "traces, in a reserved letter": (
        r"r \in \mathbb{R}^{n}, v \in \mathbb{R}^{n}",
        "r, v",
        r"for i = 1..n; e_i <- 0; end; for t = 1..n-1; \delta <- r_t + 0.9 v_{t+1} - v_t; e_t <- e_t + 1; "
        r"for i = 1..n; v_i <- v_i + 0.1 \delta e_i; e_i <- 0.8 e_i; end; end; return v",
        seasons,
        "n n",
    ),
    "a path of states, with links": (MODEL, "p, A, B", PATH, viterbi, "k k,k n,k"),
    "the greatest and its place": (
        VECTOR,
        "x",
        r"b <- -\infty; for i = 1..n; if x_i > b; b <- x_i; m <- i; fi; end; return (m, b)",
        greatest,
        "n",
    ),
    "the greatest common divisor": (
        r"a \in \mathbb{N}, b \in \mathbb{N}",
        "a, b",
        r"while b > 0 at most 20; t <- b; b <- a \bmod b; a <- t; done; return a",
        gcd,
        ":1-9 :1-9",
    ),
    "insertion while it is greater": (
        VECTOR,
        "x",
        r"for i = 2..n; v <- x_i; j <- i - 1; while j \geq 1 \land x_j > v at most n; x_{j+1} <- x_j; j <- j - 1; done; "
        "x_{j+1} <- v; end; return x",
        sorted_by_insertion,
        "n",
    ),
    "a diagonal in a row's loop": (
        VECTOR,
        "x",
        "for i = 1..n; for j = 1..n; y_{i,j} <- x_i x_j; end; y_{i,i} <- 1; end; return y",
        diagonal,
        "n",
    ),
}


def algorithmic(declared: str, header: str, lines: list[str]) -> str:
    loops = [re.sub(r"^while (.*) at most (.*)$", r"\\While{$\1$}[\2]", line) for line in lines]
    names = {"done": r"\EndWhile", "else": r"\Else"}
    body = [names.get(line) or (line if line.startswith(r"\While") else written(line)) for line in loops]
    return "\n".join([f"\\Require ${declared}$", f"\\Procedure{{F}}{{${header}$}}", *body, "\\EndProcedure", ""])


def docstring(declared: str, header: str, lines: list[str]) -> str:
    def shown(line: str) -> str:
        pattern, latex = next((p, t) for p, t in DOCSTRING if re.fullmatch(p, line))
        return "& " + re.sub(f"^{pattern}$", latex, line).replace("<-", r"\algoEq") + r" \\"

    rows = [row + r" & \\" for row in re.split(r", (?=[^,]* \\in)", declared)]
    table = [r"\begin{where}", *rows, r"\end{where}", ""]
    return "\n".join([rf"\algoProc{{\F}}\pa{{{header}}} \\", *map(shown, lines), r"\algoEndProc", *table])


def drawn(shapes: str, n: int, seed: int) -> list[Tensor]:
    generator, found = torch.Generator().manual_seed(seed), []
    for item in shapes.split(" "):
        shape, _, kind = item.partition(":")
        sizes = [{"n": n, "k": 3}[size] for size in shape.split(",") if size]
        if "-" in kind:
            low, high = map(int, kind.split("-"))
            found.append(torch.randint(low, high + 1, sizes, generator=generator))
            continue
        value = torch.randn(sizes, generator=generator, dtype=torch.float64)
        value = value.abs() + 0.2 if kind == "positive" else value
        found.append(0.1 * value @ value.mT + 2 * torch.eye(n, dtype=torch.float64) if kind == "spd" else value)
    return [value.requires_grad_() if value.is_floating_point() else value for value in found]


def flat(value: Any) -> list[Tensor]:
    return [part for item in value for part in flat(item)] if isinstance(value, tuple) else [value.double().reshape(-1)]


def slopes(value: Tensor, given: list[Tensor]) -> tuple[Tensor, ...]:
    inputs = [a for a in given if a.requires_grad]
    if not value.requires_grad:
        return tuple(map(torch.zeros_like, inputs))
    weights = torch.arange(1.0, value.numel() + 1, dtype=torch.float64)
    return torch.autograd.grad((value * weights).sum(), inputs, allow_unused=True, materialize_grads=True)


@pytest.mark.parametrize("write", [algorithmic, docstring])
@pytest.mark.parametrize("name", PROGRAMS)
def test_statements_in_order(name: str, write: Callable[..., str]) -> None:
    declared, header, lines, meaning, shapes = PROGRAMS[name]
    result = mathdsl.compile(write(declared, header, [line.strip() for line in lines.split(";")]))
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().F()
    for n in (4, 3, 2, 1):
        examples = [drawn(shapes, n, seed) for seed in range(3)]
        together = module(*(torch.stack(column) for column in zip(*examples, strict=True)))
        for number, given in enumerate(examples):
            found, again = torch.cat(flat(module(*given))), [a.detach().requires_grad_(a.requires_grad) for a in given]
            wanted = stacked(meaning(*map(lists, again))).reshape(-1)
            torch.testing.assert_close(found, wanted)
            torch.testing.assert_close(slopes(found, given), slopes(wanted, again))
            own = tuple(part[number] for part in together) if isinstance(together, tuple) else together[number]
            torch.testing.assert_close(torch.cat(flat(own)), wanted)


def test_what_no_turn_has_assigned_is_told_when_it_is_read() -> None:
    lines = r"b <- -\infty; for i = 1..n; if x_i > b; b <- x_i; m <- i; fi; end; return m".split(";")
    module = mathdsl.compile(algorithmic(VECTOR, "x", [line.strip() for line in lines])).load().F()
    assert int(module(torch.tensor([-1.0, 2.0, -3.0]))) == 2
    with pytest.raises(ValueError, match="m is assigned before it is read"):
        module(torch.tensor([-torch.inf, torch.nan]))
    with pytest.raises(ValueError, match="m is assigned before it is read"):
        module(torch.tensor([[1.0], [-torch.inf]]))


def test_an_element_that_nothing_has_assigned_is_told_when_it_is_read() -> None:
    lines = r"for i = 1..n; for j = 1..i; if x_j > 0; L_{i,j} <- x_j; L_{j,i} <- x_j; fi; end; end; return L_{n,1}".split(";")
    module = mathdsl.compile(algorithmic(VECTOR, "x", [line.strip() for line in lines])).load().F()
    assert float(module(torch.tensor([2.0, -1.0]))) == 2.0
    with pytest.raises(ValueError, match="is assigned before it is read"):
        module(torch.tensor([-2.0, 1.0]))


@pytest.mark.parametrize(("lines", "read"), [("L_{i,j} <- x_j", "L"), ("L_{j,i} <- x_j", "L_{i, 1}")])
def test_what_no_statement_can_assign_is_refused_before_any_run(lines: str, read: str) -> None:
    body = ["for i = 1..n", "for j = 1..i", lines, "end", r"if x_i > 0", "L_{i,i} <- L_{i,1}", "fi", "end", "return L"]
    (found,) = [d for d in mathdsl.compile(algorithmic(VECTOR, "x", body)).diagnostics if d.severity == "error"]
    assert (found.code, found.message) == ("E0509", f"`{read}` may have no value here")
    assert found.help.endswith(r"or give it a value before, as in `L \gets \mathbf{0}_{n, n}`")
    begun = mathdsl.load(algorithmic(VECTOR, "x", [r"L <- \mathbf{0}_{n,n}", *body])).F()
    wanted = [[2, 0], [2, 2]] if read == "L" else [[2, 2], [0, 0]]  # the last element from the first of its row
    torch.testing.assert_close(begun(torch.tensor([2.0, 3.0])), torch.tensor(wanted, dtype=torch.float32))


def test_a_loop_until_something_holds_says_how_many_turns_it_takes_at_most() -> None:
    text = algorithmic(r"x \in \mathbb{R}", "x", ["while x > 1 at most 5", "x <- x / 2", "done", "return x"])
    (found,) = mathdsl.compile(text.replace("[5]", "")).diagnostics
    assert (found.code, r"`\While{$c$}[N]`" in found.help) == ("E0701", True)
    module = mathdsl.compile(text).load().F()
    torch.testing.assert_close(module(torch.tensor([9.0, 0.5, 1000.0])), torch.tensor([0.5625, 0.5, 31.25]))
