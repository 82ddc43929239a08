r"""Arrays that hold indices of others: places, stacks, queues, lists, trees.

What begins as `\mathbf{0}_n` holds integers where its elements index, and reals elsewhere.
Programs are written in short as in `algorithms_by_hand`; beside each stand the same statements in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, executed, same, text_of
from tests.test_arrays_executed import up

VECTOR = r"x \in \mathbb{R}^{n}"
CLASSES = (r"a \in \{1, \dots, k\}^{n}", r"k \in \mathbb{N}")
PLACES = r"p \in \{1, \dots, n\}^{n}"
K = 3

Drawn = Callable[[int, torch.Generator], Tensor]


def numbers(n: int, source: torch.Generator) -> Tensor:
    return torch.rand(n, dtype=torch.float64, generator=source)


def classes(n: int, source: torch.Generator) -> Tensor:
    return torch.randint(1, K + 1, (n,), generator=source)


def orders(n: int, source: torch.Generator) -> Tensor:
    return torch.randperm(n, generator=source) + 1


def places(n: int, source: torch.Generator) -> Tensor:
    return torch.randint(1, n + 1, (n,), generator=source)


def edges(n: int, source: torch.Generator) -> Tensor:
    return torch.randint(1, n + 1, (2,), generator=source)


def coins(n: int, source: torch.Generator) -> Tensor:
    return torch.randint(1, 4, (2,), generator=source)


def parents(n: int, source: torch.Generator) -> Tensor:
    return torch.tensor([int(torch.randint(1, max(k, 1) + 1, (1,), generator=source)) for k in range(n)])


@dataclass(frozen=True)
class Program:
    """Rows of a table, a header, lines in short, what they mean in Python, and what its inputs are drawn from."""

    rows: tuple[str, ...]
    header: str
    lines: str
    meaning: Meaning
    drawn: tuple[Drawn, ...]


def zeros(count: int) -> Any:
    return FromOne([0] * count)


def counted(a: Any) -> Any:
    """The numbers 1 to 3 in order: they are counted, then put from the last on."""
    c, b = zeros(K), zeros(len(a))
    for one in a:
        c[one] += 1
    for j in up(2, K):
        c[j] += c[j - 1]
    for i in range(len(a), 0, -1):
        b[c[a[i]]] = a[i]
        c[a[i]] -= 1
    return b


def next_greater(x: Any) -> Any:
    r, s, p = zeros(len(x)), zeros(len(x)), 0
    for i in up(1, len(x)):
        while p > 0 and x[s[p]] < x[i]:
            r[s[p]] = i
            p -= 1
        p += 1
        s[p] = i
    return r


def root(p: Any, a: int) -> int:
    while p[a] != a:
        a = p[a]
    return a


def united(u: Any, v: Any, w: Any) -> Any:
    p = FromOne(up(1, len(w)))
    for one, other in zip(u, v, strict=True):
        p[root(p, int(one))] = root(p, int(other))
    return FromOne(w[root(p, i)] for i in up(1, len(w)))


def chained(a: Any, x: Any) -> Any:
    """A list of the places of each class, from the last on."""
    h, t, y = zeros(K), zeros(len(x)), zeros(K)
    for i in up(1, len(x)):
        t[i], h[a[i]] = h[a[i]], i
    for c in up(1, K):
        s, j = torch.zeros((), dtype=torch.float64), h[c]
        while j > 0:
            s, j = s / 2 + x[j], t[j]
        y[c] = s
    return y


def inverted(p: Any, x: Any) -> Any:
    q = zeros(len(x))
    for i in up(1, len(x)):
        q[p[i]] = i
    return FromOne(x[q[i]] for i in up(1, len(x)))


def shuffled(r: Any, x: Any) -> Any:
    p = FromOne(up(1, len(x)))
    for i in up(1, len(x)):
        p[i], p[r[i]] = p[r[i]], p[i]
    return FromOne(x[p[i]] for i in up(1, len(x)))


def in_order(x: Any) -> Any:
    return FromOne(sorted(up(1, len(x)), key=lambda i: float(x[i])))


def longest_rise(x: Any) -> Any:
    """The sum along a longest rising subsequence, found again by the places before each."""
    n = len(x)
    length, before = zeros(n), zeros(n)
    for i in up(1, n):
        length[i] = 1
        for j in up(1, i - 1):
            if x[j] < x[i] and length[j] + 1 > length[i]:
                length[i], before[i] = length[j] + 1, j
    m = max(up(1, n), key=lambda i: (length[i], -i))
    total: Any = 0
    while m > 0:
        total, m = total + x[m], before[m]
    return total


def depths(p: Any) -> Any:
    """Breadth first through a tree, from the first node on."""
    d = zeros(len(p))
    for v in up(2, len(p)):
        d[v] = d[p[v]] + 1
    return d


def fewest(x: Any, c: Any) -> float:
    """How many coins of these values it takes to pay `n`."""
    f = [0.0, *[float("inf")] * len(x)]
    for a in up(1, len(x)):
        f[a] = min([f[a - one] + 1 for one in c if one <= a], default=float("inf"))
    return f[len(x)]


def prefixes(p: Any) -> Any:
    """How long the longest prefix is that ends at each place, by Knuth, Morris and Pratt."""
    f, k = zeros(len(p)), 0
    for q in up(2, len(p)):
        while k > 0 and p[k + 1] != p[q]:
            k = f[k]
        k += int(p[k + 1] == p[q])
        f[q] = k
    return f


def parted(x: Any) -> Any:
    y, low, high = zeros(len(x)), 1, len(x)
    for one in x:
        if one < 0.3:
            y[low], low = one, low + 1
        else:
            y[high], high = one, high - 1
    return y


def heaped(x: Any) -> Any:
    y, n = FromOne(x), len(x)
    for i in range(n // 2, 0, -1):
        j = i
        while 2 * j <= n:
            c = 2 * j
            if c < n and y[c] < y[c + 1]:
                c += 1
            if y[j] < y[c]:
                y[j], y[c] = y[c], y[j]
            j = c
    return y


COUNT = "for i = 1..n; c_{a_i} <- c_{a_i} + 1; end; for j = 2..k; c_j <- c_j + c_{j-1}; end"
PUT = "down i = n..1; b_{c_{a_i}} <- a_i; c_{a_i} <- c_{a_i} - 1; end; return b"
POP = r"while p > 0 \land x_{s_p} < x_i most n; r_{s_p} <- i; p <- p - 1; ew; p <- p + 1; s_p <- i"
PROGRAMS = {
    "counting sort": Program(CLASSES, "a", rf"c <- \mathbf{{0}}_k; b <- \mathbf{{0}}_n; {COUNT}; {PUT}", counted, (classes,)),
    "counting sort, its result declared": Program(
        (*CLASSES, r"b \in \mathbb{N}^n"), "a", rf"c <- \mathbf{{0}}_k; {COUNT}; {PUT}", counted, (classes,)
    ),
    "counting sort, zeros by a loop": Program(
        CLASSES, "a", rf"for j = 1..k; c_j <- 0; end; for i = 1..n; b_i <- 0; end; {COUNT}; {PUT}", counted, (classes,)
    ),
    "counting sort, a place with a name": Program(
        CLASSES,
        "a",
        rf"c <- \mathbf{{0}}_k; b <- \mathbf{{0}}_n; {COUNT}; down i = n..1; p <- c_{{a_i}}; b_p <- a_i; c_{{a_i}} <- p - 1; end; return b",
        counted,
        (classes,),
    ),
    "a stack": Program(
        (VECTOR,),
        "x",
        rf"r <- \mathbf{{0}}_n; s <- \mathbf{{0}}_n; p <- 0; for i = 1..n; {POP}; end; return r",
        next_greater,
        (numbers,),
    ),
    "a stack, zeros by a loop": Program(
        (VECTOR,), "x", rf"for i = 1..n; r_i <- 0; s_i <- 0; end; p <- 0; for i = 1..n; {POP}; end; return r", next_greater, (numbers,)
    ),
    "sets that are united along edges": Program(
        (r"u \in \{1, \dots, n\}^m", r"v \in \{1, \dots, n\}^m", r"w \in \mathbb{R}^n"),
        "u, v, w",
        r"for i = 1..n; p_i <- i; end; for l = 1..m; a <- u_l; while p_a \neq a most n; a <- p_a; ew; b <- v_l;"
        r"while p_b \neq b most n; b <- p_b; ew; p_a <- b; end; for i = 1..n; a <- i; while p_a \neq a most n; a <- p_a; ew;"
        r"y_i <- w_a; end; return y",
        united,
        (edges, edges, numbers),
    ),
    "linked lists": Program(
        (*CLASSES, VECTOR),
        "a, x",
        r"h <- \mathbf{0}_k; t <- \mathbf{0}_n; for i = 1..n; t_i <- h_{a_i}; h_{a_i} <- i; end; for c = 1..k; s <- 0; j <- h_c;"
        r"while j > 0 most n; s <- s / 2 + x_j; j <- t_j; ew; y_c <- s; end; return y",
        chained,
        (classes, numbers),
    ),
    "an inverse": Program(
        (PLACES, VECTOR),
        "p, x",
        r"q <- \mathbf{0}_n; for i = 1..n; q_{p_i} <- i; end; for i = 1..n; y_i <- x_{q_i}; end; return y",
        inverted,
        (orders, numbers),
    ),
    "a shuffle": Program(
        (r"r \in \{1, \dots, n\}^{n}", VECTOR),
        "r, x",
        r"p <- \mathbf{0}_n; for i = 1..n; p_i <- i; end; for i = 1..n; (p_i, p_{r_i}) <- (p_{r_i}, p_i); end;"
        "for i = 1..n; y_i <- x_{p_i}; end; return y",
        shuffled,
        (places, numbers),
    ),
    "an order, by swaps": Program(
        (VECTOR,),
        "x",
        "for i = 1..n; p_i <- i; end; for i = 1..n; for j = 1..n-1; if x_{p_j} > x_{p_{j+1}}; t <- p_j; p_j <- p_{j+1}; p_{j+1} <- t; fi;"
        "end; end; return p",
        in_order,
        (numbers,),
    ),
    "an order, by insertion": Program(
        (VECTOR,),
        "x",
        r"p <- \mathbf{0}_n; for i = 1..n; p_i <- i; end; for i = 2..n; k <- p_i; j <- i - 1; while j > 0 \land x_{p_j} > x_k most n;"
        "p_{j+1} <- p_j; j <- j - 1; ew; p_{j+1} <- k; end; return p",
        in_order,
        (numbers,),
    ),
    "a path that is found again": Program(
        (VECTOR,),
        "x",
        r"l <- \mathbf{0}_n; q <- \mathbf{0}_n; for i = 1..n; l_i <- 1; for j = 1..i-1; if x_j < x_i \land l_j + 1 > l_i; l_i <- l_j + 1;"
        "q_i <- j; fi; end; end; m <- 1; for i = 1..n; if l_i > l_m; m <- i; fi; end; s <- 0; while m > 0 most n; s <- s + x_m; m <- q_m;"
        "ew; return s",
        longest_rise,
        (numbers,),
    ),
    "a queue": Program(
        (PLACES,),
        "p",
        r"q <- \mathbf{0}_n; d <- \mathbf{0}_n; q_1 <- 1; h <- 1; t <- 1; while h \leq t most n; u <- q_h; h <- h + 1; for v = 2..n;"
        "if p_v = u; d_v <- d_u + 1; t <- t + 1; q_t <- v; fi; end; ew; return d",
        depths,
        (parents,),
    ),
    "a place that a condition bounds": Program(
        (VECTOR, r"c \in \mathbb{N}^m"),
        "x, c",
        r"f_0 <- 0; for a = 1..n; f_a <- \infty; for i = 1..m; if c_i \leq a \land f_{a - c_i} + 1 < f_a; f_a <- f_{a - c_i} + 1;"
        "fi; end; end; y <- f_n; return y",
        fewest,
        (numbers, coins),
    ),
    "prefixes that match": Program(
        (r"p \in \mathbb{Z}^n",),
        "p",
        r"f_1 <- 0; k <- 0; for q = 2..n; while k > 0 \land p_{k+1} \neq p_q most n; k <- f_k; ew; if p_{k+1} = p_q; k <- k + 1; fi;"
        "f_q <- k; end; return (f_q)_{q=1}^{n}",
        prefixes,
        (classes,),
    ),
    "two ends": Program(
        (VECTOR,),
        "x",
        r"y <- \mathbf{0}_n; l <- 1; h <- n; for i = 1..n; if x_i < 0.3; y_l <- x_i; l <- l + 1; else; y_h <- x_i; h <- h - 1; fi; end;"
        "return y",
        parted,
        (numbers,),
    ),
    "a heap": Program(
        (VECTOR,),
        "x",
        r"y <- x; down i = \lfloor n/2 \rfloor..1; j <- i; while 2 j \leq n most n; c <- 2 j; if c < n; if y_c < y_{c+1}; c <- c + 1;"
        "fi; fi; if y_j < y_c; t <- y_j; y_j <- y_c; y_c <- t; fi; j <- c; ew; end; return y",
        heaped,
        (numbers,),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_arrays_of_indices_compute(name: str, notation: str) -> None:
    program = PROGRAMS[name]
    result = compile(text_of(notation, program.rows, program.header, program.lines))
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    subject = result.load().F(**({"k": K} if CLASSES[0] in program.rows else {})).double()
    source = torch.Generator().manual_seed(5)
    for n in (1, 2, 3, 5):
        examples = [[one(n, source) for one in program.drawn] for _ in range(3)]
        wanted = [executed(program.meaning, example) for example in examples]
        for example, right in zip(examples, wanted, strict=True):
            same(subject(*example), right)
        same(subject(*map(torch.stack, zip(*examples, strict=True))), torch.stack(wanted))


RAGGED = [
    name for name, program in PROGRAMS.items() if {edges, orders, places, parents, coins}.isdisjoint(program.drawn)
]  # no `n` in a type


@pytest.mark.parametrize("name", RAGGED)
def test_examples_of_several_lengths(name: str) -> None:
    program, source = PROGRAMS[name], torch.Generator().manual_seed(7)
    subject = compile(text_of("algorithmic", program.rows, program.header, program.lines)).load().F
    module = subject(**({"k": K} if CLASSES[0] in program.rows else {})).double()
    lengths = [5, 2, 3]
    examples = [[one(n, source) for one in program.drawn] for n in lengths]
    batch = [torch.stack([padded(value, 5) for value in values]) for values in zip(*examples, strict=True)]
    found = module(*batch, lengths=torch.tensor(lengths))
    for ours, example in zip(found, examples, strict=True):
        wanted = executed(program.meaning, example)
        same(ours if wanted.dim() == 0 else ours[: len(wanted)], wanted)


def padded(value: Tensor, length: int) -> Tensor:
    """With what no example has: NaN, or an index of nothing."""
    filler = torch.full((length - len(value),), torch.nan if value.is_floating_point() else 7, dtype=value.dtype)
    return torch.cat([value, filler])


def test_slopes_go_through_what_is_read_at_such_places() -> None:
    program = PROGRAMS["linked lists"]
    subject = compile(text_of("algorithmic", program.rows, program.header, program.lines)).load().F(k=K).double()
    source = torch.Generator().manual_seed(1)
    a, x = classes(5, source), numbers(5, source).requires_grad_()
    again = x.detach().clone().requires_grad_()
    slopes = [
        torch.autograd.grad(out.square().sum(), given)[0] for out, given in ((subject(a, x), x), (executed(chained, (a, again)), again))
    ]
    same(*slopes)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (r"c <- \mathbf{0}_n; for i = 1..n; c_i <- c_i + 1; end; return c", torch.float64),  # nothing indexes: reals
        (r"c <- \mathbf{0}_n; for i = 2..n; c_i <- i; end; return c", torch.float64),
        (r"c <- \mathbf{0}_n; for i = 1..n; if x_i > 0; c_i <- i; fi; end; for i = 1..n; y_i <- x_{c_i}; end; return c", torch.int64),
        (r"c <- \mathbf{1}_n; for i = 1..n; c_i <- c_i x_i; end; return c", torch.float64),
    ],
)
def test_zeros_are_reals_unless_they_index(lines: str, kind: torch.dtype) -> None:
    module = compile(text_of("algorithmic", (VECTOR,), "x", lines)).load().F().double()
    assert module(torch.ones(3, dtype=torch.float64)).dtype == kind


@pytest.mark.parametrize(
    "lines",
    [
        r"c <- \mathbf{0}_n; for i = 1..n; c_i <- x_i; end; for i = 1..n; y_i <- x_{c_i}; end; return y",
        r"c <- \mathbf{0}_n; for i = 1..n; c_i <- c_i + x_i / 2; end; for i = 1..n; y_i <- x_{c_i}; end; return y",
    ],
)
def test_zeros_to_which_reals_are_assigned_do_not_index(lines: str) -> None:
    found = [d.code for d in compile(text_of("algorithmic", (VECTOR,), "x", lines)).diagnostics if d.severity == "error"]
    assert found == ["E0406"]


@pytest.mark.parametrize(
    "lines", [r"c <- \mathbf{0}_n; for i = 1..n; if x_i > 1; c_i <- x_i > 0; fi; end; return c", r"c <- \mathbf{0}_n \land x > 0; return c"]
)
def test_zeros_are_no_conditions(lines: str) -> None:
    found = [d.code for d in compile(text_of("algorithmic", (VECTOR,), "x", lines)).diagnostics if d.severity == "error"]
    assert found == ["E0406"]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("value", "asks"), [(r"(\begin{cases} y_q & x_q > 0 \\ 0 & \text{otherwise} \end{cases})_{q=1}^{n}", False), ("(y_q)_{q=1}^{n}", True)]
)
def test_elements_of_a_result_that_may_have_no_value(value: str, asks: bool, notation: str) -> None:
    lines = f"for i = 1..n; if x_i > 0; y_i <- x_i; fi; end; return {value}"
    module = compile(text_of(notation, (VECTOR,), "x", lines)).load().F()
    same(module(torch.tensor([1.0, 2.0])), torch.tensor([1.0, 2.0], dtype=torch.float64))
    if not asks:
        same(module(torch.tensor([-1.0, 2.0])), torch.tensor([0.0, 2.0], dtype=torch.float64))
        return
    with pytest.raises(ValueError, match="y_q is assigned before it is read"):
        module(torch.tensor([-1.0, 2.0]))


@pytest.mark.parametrize("zeros_of", [r"\{0\}^{n}", r"\mathbf{0}_n"])
def test_an_integer_that_is_taken_from_a_list_indexes_a_matrix(zeros_of: str) -> None:
    lines = rf"s <- {zeros_of}; s_1 <- 1; u <- s_1; for v = 1..n; y_v <- A_{{u,v}}; end; return y"
    result = compile(text_of("docstring", (r"A \in \mathbb{R}^{n \times n}",), "A", lines))
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    assert result.load().F()(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist() == [1.0, 2.0]
