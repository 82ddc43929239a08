r"""Elements at integers in every notation, natural numbers, guards, empty sequences, and buffers that are assigned."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import mathdsl

# ---- notations --------------------------------------------------------------------------------

Written = Callable[[str, str, str], str]


def module(header: str, lines: str, rows: str) -> str:
    r"""`\Module{M}{…}`: lines are parted by `;;`."""
    body = " ".join(rf"{line} \\" for line in lines.split(";;"))
    return rf"\Module{{M}}{{{header}}} {body} \EndModule \begin{{where}} {rows} \end{{where}}"


def algorithmic(header: str, lines: str, rows: str) -> str:
    states = " ".join(rf"\State ${line.strip()}$" for line in lines.split(";;")).replace(r"$\Return ", r"\Return $")
    body = rf"\Procedure{{M}}{{${header}$}} {states} \EndProcedure"
    return rf"\begin{{algorithmic}} {body} \end{{algorithmic}} \begin{{where}} {rows} \end{{where}}"


def docstring(header: str, lines: str, rows: str) -> str:
    written = " ".join(rf"& \indent{{1}} {line.strip()} \\" for line in lines.split(";;"))
    written = written.replace(r"\gets", r"\algoEq").replace(r"\Return", r"\algoReturn")
    body = rf"& \algoProc{{\M}}\pa{{{header}}} \\ {written} & \algoEndProc"
    return rf"\begin{{align*}} {body} \end{{align*}} \begin{{where}} {rows} \end{{where}}"


NOTATIONS = pytest.mark.parametrize("notation", [module, docstring, algorithmic])


def codes(text: str) -> list[str]:
    return [d.code for d in mathdsl.compile(text).diagnostics if d.severity == "error"]


def model(text: str, **sizes: object) -> torch.nn.Module:
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    assert not [d for d in result.diagnostics if d.severity == "warning"], [d.message for d in result.diagnostics]
    made: torch.nn.Module = result.load().M(**sizes)
    return made.double()


# ---- elements of inputs and values at integers ------------------------------------------------

VECTOR = r"x_j \in \mathbb{R}, j = 1, \dots, n \\"
INDEX = VECTOR + r" k \in \{1, \dots, n\} \\"
POINTS = r"X_i \in \mathbb{R}^d, i = 1, \dots, n \\ k \in \{1, \dots, n\} \\"
TABLE = r"Q \in \mathbb{R}^{S \times A} \\ s \in \{1, \dots, S\} \\ a \in \{1, \dots, A\} \\ r \in \mathbb{R} \\"

x, X = torch.tensor([0.5, -2.0, 3.0, 1.5], dtype=torch.float64), torch.arange(12.0, dtype=torch.float64).reshape(4, 3) ** 1.5


def at(number: int) -> Tensor:
    return torch.tensor(number)


ELEMENTS = {
    "an argmax": ("x", r"k \gets \arg\max_i x_i ;; \Return x_k + \sum_{i=1}^n x_i", VECTOR, (x,), x[2] + x.sum()),
    "an argmin, of a power": ("x", r"k \gets \arg\min_i x_i ;; \Return x_k^2 + \sum_{i=1}^n x_i", VECTOR, (x,), 4 + x.sum()),
    "a number": ("x", r"k \gets 2 ;; \Return x_k + \sum_{i=1}^n x_i", VECTOR, (x,), x[1] + x.sum()),
    "half of a size": ("x", r"k \gets \lfloor n/2 \rfloor ;; \Return x_k + \sum_{i=1}^n x_i", VECTOR, (x,), x[1] + x.sum()),
    "an input": ("x, k", r"\Return x_k + \sum_{i=1}^n x_i", INDEX, (x, at(3)), x[2] + x.sum()),
    "an input, before": ("x, k", r"\Return x_{k-1} x_k", INDEX, (x, at(3)), x[1] * x[2]),
    "an input, from the end": ("x, k", r"\Return x_{n-k} + \sum_{i=1}^n x_i", INDEX, (x, at(3)), x[0] + x.sum()),
    "in a sum": ("X, k", r"\Return \sum_{i=1}^n \lVert X_i - X_k \rVert^2", POINTS, (X, at(2)), ((X - X[1]) ** 2).sum()),
    "two inputs": ("Q, s, a, r", r"\Return r - Q_{s,a}", TABLE, (X, at(4), at(2), torch.tensor(1.0).double()), 1 - X[3, 1]),
    "a column": ("Q, a", r"\Return \sum_{s=1}^S Q_{s,a}", TABLE, (X, at(2)), X[:, 1].sum()),
    "a row": ("Q, s", r"\Return \sum_{a=1}^A Q_{s,a}", TABLE, (X, at(2)), X[1].sum()),
    "of a family": ("x, k", r"y_i \gets x_i^2 \quad (i = 1, \dots, n) ;; \Return y_k", INDEX, (x, at(2)), x[1] ** 2),
    "several": (
        "x, y",
        r"\Return x_y + \sum_{i=1}^n x_i",
        VECTOR + r"y \in \{1, \dots, n\}^m \\",
        (x, torch.tensor([3, 1, 3])),
        x[[2, 0, 2]] + x.sum(),
    ),
    "an assigned integer of an input": ("x, k", r"m \gets n + 1 - k ;; \Return x_m + \sum_{i=1}^n x_i", INDEX, (x, at(1)), x[3] + x.sum()),
}


@pytest.mark.parametrize("notation", [module, docstring, algorithmic])
@pytest.mark.parametrize("case", ELEMENTS.values(), ids=ELEMENTS)
def test_an_element_at_an_integer_is_no_new_name(notation: Written, case: tuple[str, str, str, tuple[Tensor, ...], Tensor]) -> None:
    header, lines, rows, inputs, expected = case
    wanted = {name.strip() for name in header.split(",")}
    rows = " ".join(row + r"\\" for row in rows.split(r"\\") if row.strip() and row.split()[0].split("_")[0] in wanted)
    made = model(notation(header, lines, rows))
    assert not list(made.parameters())
    torch.testing.assert_close(made(*inputs), expected.double())


def test_elements_in_a_batch_and_their_gradient() -> None:
    made = model(module("x", r"k \gets \arg\max_i x_i ;; \Return x_k^2 + \sum_{i=1}^n x_i", VECTOR))
    batch = torch.tensor([[1.0, 3.0, 2.0], [5.0, 4.0, 9.0]], dtype=torch.float64, requires_grad=True)
    found = made(batch, lengths=torch.tensor([3, 2]))
    torch.testing.assert_close(found, torch.tensor([9.0 + 6.0, 25.0 + 9.0]).double())
    found.sum().backward()
    torch.testing.assert_close(batch.grad, torch.tensor([[1.0, 7.0, 1.0], [11.0, 1.0, 0.0]]).double())


@NOTATIONS
def test_an_element_of_a_softmax_at_a_label(notation: Written) -> None:
    rows = r"x \in \mathbb{R}^K \\ y \in \{1, \dots, K\} \\"
    made = model(notation("x, y", r"p \gets \softmax(x) ;; \Return -\log p_y", rows))
    torch.testing.assert_close(made(x, at(3)), x.logsumexp(0) - x[2])


LABELS = {
    "a hidden state": ("x, h", r"\Return W x + W_h h", r"x, h \in \mathbb{R}^d \\ W, W_h \in \mathbb{R}^{m \times d} \\", "W_h"),
    "a real output": ("x, y", r"\Return x + b_y - y", r"x, y, b_y \in \mathbb{R}^d \\", "b_y"),
    "an integer, of nothing else": ("x, k", r"\Return (b_k + x) k", r"x, b_k \in \mathbb{R}^d \\ k \in \mathbb{N} \\", "b_k"),
}


@NOTATIONS
@pytest.mark.parametrize(("header", "line", "rows", "name"), LABELS.values(), ids=LABELS)
def test_a_label_stays_a_label(notation: Written, header: str, line: str, rows: str, name: str) -> None:
    result = mathdsl.compile(notation(header, line, rows))
    assert result.ok
    assert f"self.{name} = torch.nn.Parameter" in result.source


def test_a_declared_name_is_that_name() -> None:
    rows = VECTOR + r"k \in \{1, \dots, n\} \\ x_k \in \mathbb{R} \\"
    result = mathdsl.compile(module("x, k, x_k", r"\Return x_k k + \sum_{i=1}^n x_i", rows))
    assert result.ok
    torch.testing.assert_close(result.load().M()(x, at(2), torch.tensor(7.0).double()), 14 + x.sum())


@NOTATIONS
def test_an_element_of_a_number_is_refused(notation: Written) -> None:
    assert codes(notation("x, k", r"s \gets \sum_{i=1}^n x_i ;; \Return s_k x", INDEX)) == ["E0402"]


# ---- natural numbers of the constructor -------------------------------------------------------

NATURALS = {
    "an index beyond": (r"x ; k \in \mathbb{N}", r"\Return x_{k+1} + \sum_i x_i"),
    "a length": (r"x ; k \in \mathbb{N}", r"\Return \sum_{t=1}^{n-k} x_t x_{t+k}"),
    "a distance": (r"x ; k \in \mathbb{N}", r"y_t \gets x_t - x_{t-k} \quad (t = k+1, \dots, n) ;; \Return y"),
    "a number of terms": (r"x ; k \in \mathbb{N}", r"\Return x \sum_{j=0}^{k} 2^{-j}"),
    "with a default": (r"x ; k \in \mathbb{N} = 2", r"\Return k x"),
    "a default of a size": (r"x ; k \in \mathbb{N} = 2", r"\Return x \sum_{j=0}^k 2^{-j}"),
    "a size of nothing": ("x ; ", r"\Return x \sum_{j=0}^{k} 2^{-j}"),
    "beside a parameter's size": (r"x ; W \in \mathbb{R}^{(k + 3) \times d}, x \in \mathbb{R}^d", r"\Return W x"),
}


@pytest.mark.parametrize(("header", "lines"), NATURALS.values(), ids=NATURALS)
def test_a_negative_natural_number_is_refused_by_the_constructor(header: str, lines: str) -> None:
    rows = VECTOR if "W" not in header else r"x \in \mathbb{R}^d \\"
    made = mathdsl.compile(module(header.removesuffix(r", x \in \mathbb{R}^d"), lines, rows)).load()
    others = {"d": 4} if "W" in header else {}
    for k in (0, 2):
        made.M(k=k, **others)
    with pytest.raises(ValueError, match=r"k: expected"):
        made.M(k=-1, **others)


def test_an_integer_of_the_constructor_may_be_negative() -> None:
    made = mathdsl.compile(module(r"x ; k \in \mathbb{Z}", r"\Return k x + \sum_i x_i", VECTOR)).load().M(k=-1)
    torch.testing.assert_close(made(x), x.sum() - x)


def test_a_negative_default_of_a_natural_number_is_refused() -> None:
    assert codes(module(r"x ; k \in \mathbb{N} = -1", r"\Return k x", VECTOR)) == ["E0406"]


@pytest.mark.parametrize("notation", [docstring, algorithmic])
def test_a_negative_number_of_turns_is_refused_by_the_constructor(notation: Written) -> None:
    made = mathdsl.compile(notation("x", r"\Return x \sum_{j=0}^{k} 2^{-j}", VECTOR + r"k \in \mathbb{N} \\")).load()
    torch.testing.assert_close(made.M(k=1)(x), 1.5 * x)
    with pytest.raises(ValueError, match=r"k: expected"):
        made.M(k=-2)


def test_a_stack_of_fewer_than_no_layers_is_refused() -> None:
    rows = r"x \in \mathbb{R}^d \\ f^{\ell} \in \mathrm{Linear}(d, d), \ell = 1, \dots, n \\"
    text = module("x ; f", r"h^0 \gets x ;; h^{\ell} \gets f^{\ell}(h^{\ell-1}) \quad (\ell = 1, \dots, n) ;; \Return h^n", rows)
    made = mathdsl.compile(text).load()
    torch.testing.assert_close(made.M(d=4, n=0).double()(x), x)
    with pytest.raises(ValueError, match=r"n: expected"):
        made.M(d=4, n=-1)


# ---- what is read where it applies ------------------------------------------------------------

REQUIRED = {
    "x": r"\Require $x_i \in \mathbb{R}, i = 1, \dots, n$ ",
    "k": r"\Require $k \in \mathbb{N}$ ",
    "y": r"\Require $y_i \in \mathbb{R}, i = 1, \dots, m$ ",
    "z": r"\Require $z_i \in \mathbb{N}, i = 1, \dots, n$ ",
    "p": r"\Require $p \in \mathbb{N}$ ",
    "q": r"\Require $q \in \mathbb{N}$ ",
}


def procedure(header: str, body: str) -> torch.nn.Module:
    rows = "".join(REQUIRED[name.strip()] for name in header.split(","))
    return model(rf"\begin{{algorithmic}} {rows} \Procedure{{M}}{{${header}$}} {body} \EndProcedure \end{{algorithmic}}")


def chosen(condition: str) -> str:
    return rf"\If{{${condition}$}} \State $r \gets 1$ \Else \State $r \gets 2$ \EndIf \State \Return $r \sum_{{i=1}}^n x_i$"


def cased(condition: str) -> str:
    rows = rf"\begin{{cases}} 1 & {condition} \\ 2 & \text{{otherwise}} \end{{cases}}"
    return rf"\State $r \gets {rows}$ \State \Return $r \sum_{{i=1}}^n x_i$"


SHORT = {
    "and": (r"k \leq n \land x_k > 0", lambda v, k: k <= 4 and v[k - 1] > 0),
    "or": (r"k > n \lor x_k > 0", lambda v, k: k > 4 or v[k - 1] > 0),
    "a neighbour": (r"k < n \land x_{k+1} > x_k", lambda v, k: k < 4 and v[k] > v[k - 1]),
    "three": (r"k \leq n \land x_k > 0 \land x_k < 2", lambda v, k: k <= 4 and 0 < v[k - 1] < 2),
    "of a function": (r"k \leq n \land F(x_k) > 0", lambda v, k: k <= 4 and v[k - 1] + v[k - 1] ** 2 > 0),
    "of a sum": (r"k \leq n \land \sum_{i=1}^n x_i x_k > 0", lambda v, k: k <= 4 and 2.5 * v[k - 1] > 0),
}


@pytest.mark.parametrize("write", [chosen, cased])
@pytest.mark.parametrize(("condition", "holds"), SHORT.values(), ids=SHORT)
def test_the_right_side_is_read_where_the_left_side_leaves_it_open(write, condition, holds) -> None:  # type: ignore[no-untyped-def]
    made = procedure("x, k", (r"\State $F(u) \gets u + u^2$ " if "F" in condition else "") + write(condition))
    v = torch.tensor([0.5, -2.0, 3.0, 1.0], dtype=torch.float64)
    expected = torch.tensor([2.5 if holds(v, k) else 5.0 for k in (1, 2, 3, 4, 5, 9)]).double()
    torch.testing.assert_close(torch.stack([made(v, at(k)) for k in (1, 2, 3, 4, 5, 9)]), expected)
    torch.testing.assert_close(made(v.expand(6, 4), torch.tensor([1, 2, 3, 4, 5, 9])), expected)


def test_an_index_that_nothing_guards_is_still_checked() -> None:
    made = procedure("x, k", chosen(r"x_k > 0 \land k \leq n"))
    with pytest.raises(ValueError, match="k: expected indices in 1 .. 4, got 5 .. 5"):
        made(x, at(5))


@pytest.mark.parametrize(("p", "q", "first"), [(1, 5, True), (4, 1, False), (2, 1, True), (3, 1, False), (4, 6, True), (1, 3, True)])
def test_or_of_and(p: int, q: int, first: bool) -> None:
    made = procedure("x, y, p, q", chosen(r"q > n \lor (p \leq m \land y_p \leq x_q)"))
    v, w = torch.tensor([0.5, -2.0, 3.0, 1.0]).double(), torch.tensor([1.0, -1.0, 4.0]).double()
    torch.testing.assert_close(made(v, w, at(p), at(q)), torch.tensor(2.5 if first else 5.0).double())


def test_a_guarded_index_that_the_loop_computes() -> None:
    body = r"""\State $s \gets 0$ \For{$i=1,\dots,n$} \State $j \gets i + 2$
    \If{$j \leq n \land x_j > 0$} \State $s \gets s + x_j$ \EndIf \EndFor \State \Return $s$"""
    torch.testing.assert_close(procedure("x", body)(x), x[2] + x[3])


def test_a_guarded_maximum_of_nothing_and_remainder_by_nothing() -> None:
    made = procedure("x, k", r"\State \Return $\mathbb{1}[n > 0 \land \max_i x_i > k]$")
    assert [int(made(v, at(1))) for v in (x, x[:0], x[:2])] == [1, 0, 0]
    made = procedure("x, p, q", chosen(r"p \neq 0 \land q \bmod p = 0"))
    assert [float(made(x, at(p), at(4))) for p in (0, 2, 3)] == [6.0, 3.0, 6.0]


@NOTATIONS
def test_a_guarded_element_in_each_notation(notation: Written) -> None:
    line = r"r \gets \begin{cases} x_k & k \leq n \land x_k > 0 \\ 7 & \text{otherwise} \end{cases} ;; \Return r + \sum_{i=1}^n x_i"
    made = model(notation("x, k", line, VECTOR + r"k \in \mathbb{N} \\"))
    torch.testing.assert_close(torch.stack([made(x, at(k)) for k in (1, 2, 8)]), torch.tensor([0.5, 7.0, 7.0]).double() + 3)


# A function whose argument is used twice has it computed once, where the branch is taken.
TWICE = r"\State $F(u) \gets u + u^2$ \State $G(v) \gets v F(v)$ "
BRANCHES = {
    "a branch": (r"\If{$k \leq n$} \State $r \gets F(x_k)$ \Else \State $r \gets 2$ \EndIf \State \Return $r$", lambda u: u + u**2, 2.0),
    "a row": (
        r"\State \Return $\begin{cases} F(x_k - 1) & k \leq n \\ 2 & \text{otherwise} \end{cases}$",
        lambda u: (u - 1) + (u - 1) ** 2,
        2.0,
    ),
    "a function of a function": (
        r"\State $r \gets \begin{cases} G(F(x_k)) & k \leq n \\ 2 & \text{otherwise} \end{cases}$ \State \Return $r$",
        lambda u: (u + u**2) ** 2 + (u + u**2) ** 3,
        2.0,
    ),
    "an outer row": (
        r"\State \Return $\begin{cases} 2 & k > n \\ 3 F(x_k) & x_k > 0 \\ F(x_k) & \text{otherwise} \end{cases}$",
        lambda u: (u + u**2) * (3 if u > 0 else 1),
        2.0,
    ),
}


@pytest.mark.parametrize(("body", "meaning", "other"), BRANCHES.values(), ids=BRANCHES)
def test_an_argument_that_is_used_twice_is_read_in_its_branch(body, meaning, other) -> None:  # type: ignore[no-untyped-def]
    made = procedure("x, k", TWICE + body)
    for k in (1, 2, 4, 5):
        v = x.clone().requires_grad_()
        found = made(v, at(k))
        torch.testing.assert_close(found, meaning(x[k - 1]) if k <= 4 else torch.tensor(other).double())
        if found.requires_grad:
            (gradient,) = torch.autograd.grad(found, v)
            w = x.clone().requires_grad_()
            (wanted,) = torch.autograd.grad(meaning(w[k - 1]), w) if k <= 4 else (torch.zeros_like(x),)
            torch.testing.assert_close(gradient, wanted)
    together = made(x.expand(3, 4), torch.tensor([2, 5, 3]))
    torch.testing.assert_close(together, torch.stack([meaning(x[1]), torch.tensor(other).double(), meaning(x[2])]))


def test_an_argument_at_a_guarded_element_of_each_row() -> None:
    text = r"""\begin{algorithmic} \Require $\kappa \in \mathbb{R}^{K}$, $y_i \in \{1,\dots,5\}, i = 1,\dots,n$
    \Procedure{M}{$\kappa, y$} \State $F(u) \gets u + u^2$
    \For{$i=1,\dots,n$} \State $p_i \gets \begin{cases} 0 & y_i = 1 \\ F(\kappa_{y_i-1} - 1) & \text{otherwise} \end{cases}$ \EndFor
    \State \Return $p$ \EndProcedure \end{algorithmic}"""
    made, kappa = model(text), torch.tensor([1.0, 2.0, 3.0, 4.0]).double()
    torch.testing.assert_close(made(kappa, torch.tensor([1, 2, 5, 3])), torch.tensor([0.0, 0.0, 12.0, 2.0]).double())
    found = made(kappa.expand(2, 4), torch.tensor([[1, 5, 2], [4, 1, 1]]), lengths={"n": torch.tensor([3, 2])})
    torch.testing.assert_close(found, torch.tensor([[0.0, 12.0, 0.0], [6.0, 0.0, 0.0]]).double())


def test_an_argument_at_a_guarded_element_in_a_recurrence() -> None:
    body = r"""\State $F(u) \gets u + u^2$ \State $h_0 \gets 0$ \For{$i=1,\dots,n$}
    \If{$z_i \leq m$} \State $h_i \gets h_{i-1} / 2 + F(y_{z_i})$ \Else \State $h_i \gets h_{i-1}$ \EndIf \EndFor \State \Return $h_n$"""
    made = procedure("z, y", body)
    found = made(torch.tensor([1, 3, 4, 2]), torch.tensor([1.0, -1.0, 4.0]).double())
    torch.testing.assert_close(found, torch.tensor(((2.0 / 2) + 20) / 2 + 0.0).double())


# ---- loops that need not begin ----------------------------------------------------------------


def loop(start: str, lower: str, upper: str, step: str, result: str = "s") -> torch.nn.Module:
    for_ = rf"\For{{$i = {lower}, \dots, {upper}$}} \State ${step}$ \EndFor"
    return procedure("x", rf"{start} {for_} \State \Return ${result}$")


def differences(v: Tensor) -> Tensor:
    return (v[1:] - v[:-1]).abs().sum()


LOOPS = {
    "differences": ((r"\State $s \gets 0$", "1", "n-1", r"s \gets s + |x_{i+1} - x_i|"), differences),
    "from 2": ((r"\State $s \gets 0$", "2", "n", r"s \gets s + x_i x_{i-1}"), lambda v: (v[1:] * v[:-1]).sum()),
    "a value, used after": ((r"\State $s \gets 3$", "1", "n-1", r"s \gets s + x_{i+1}", "2 s + 1"), lambda v: 2 * (3 + v[1:].sum()) + 1),
    "a named value": ((r"\State $z \gets 2$ \State $s \gets z$", "2", "n", r"s \gets s + x_i"), lambda v: 2 + v[1:].sum()),
    "a vector": ((r"\State $s \gets 0 x$", "2", "n", r"s \gets s + x_i x"), lambda v: v[1:].sum() * v),
    "a greatest": ((r"\State $s \gets -1$", "2", "n", r"s \gets \max(s, x_i)"), lambda v: max(-1.0, *v[1:], -1.0) + 0 * v.sum()),
    "two": (
        (r"\State $s \gets 0$ \State $p \gets 1$", "1", "n-1", r"(s, p) \gets (s + p x_{i+1}, p x_i)", "s + p"),
        lambda v: sum(v[:k].prod() * v[k + 1] for k in range(len(v) - 1)) + v[:-1].prod(),
    ),
}


@pytest.mark.parametrize(("parts", "meaning"), LOOPS.values(), ids=LOOPS)
def test_a_loop_that_does_not_begin_keeps_the_value(parts, meaning) -> None:  # type: ignore[no-untyped-def]
    made = loop(*parts)
    rows = torch.tensor([[1.0, -4.0, 9.0], [2.0, 5.0, float("nan")], [3.0] + [float("nan")] * 2, [float("nan")] * 3]).double()
    wanted = [torch.as_tensor(meaning(rows[k, : 3 - k])).double() for k in range(4)]
    for k in range(4):
        torch.testing.assert_close(made(rows[k, : 3 - k]), wanted[k])
    found = made(rows.clone().requires_grad_(), lengths=torch.tensor([3, 2, 1, 0]))
    for k in range(4):
        torch.testing.assert_close(found[k][: 3 - k] if found.dim() > 1 else found[k], wanted[k])
    (inputs := rows.clone()).requires_grad_()
    (gradient,) = torch.autograd.grad(torch.sin(made(inputs, lengths=torch.tensor([3, 2, 1, 0]))).sum(), inputs)
    assert bool(gradient.isfinite().all())


def test_a_loop_in_a_loop_keeps_the_value() -> None:
    body = r"""\For{$i = 1,\dots,n$} \State $s \gets 0$ \For{$j = 2,\dots,n$} \State $s \gets s / 2 + x_i x_j$ \EndFor
    \State $y_i \gets s$ \EndFor \State \Return $y$"""
    made, v = procedure("x", body), torch.tensor([1.0, 4.0, 9.0]).double()
    torch.testing.assert_close(made(v), v * (4 / 2 + 9))
    torch.testing.assert_close(made(v[:0]), v[:0])
    torch.testing.assert_close(
        made(v.expand(3, 3), lengths=torch.tensor([2, 0, 1])), torch.tensor([[4.0, 16, 0], [0] * 3, [0] * 3]).double()
    )


def test_a_first_element_is_needed() -> None:
    made = loop(r"\State $s \gets x_1$", "2", "n", r"s \gets \max(s, x_i)")
    torch.testing.assert_close(made(x), x.max())
    with pytest.raises(ValueError, match=r"x\[1\] is inside 1 .. n"):
        made(x[:0])


def test_sweeps_over_nothing() -> None:
    body = r"""\For{$i = 2,\dots,n$} \State $x_i \gets x_i - 0.5 x_{i-1}$ \EndFor
    \For{$i = 1,\dots,n-1$} \State $x_i \gets x_i - 0.5 x_{i+1}$ \EndFor \State \Return $x$"""
    made = procedure("x", body)
    for count in range(4):
        v = torch.arange(1.0, count + 1).double() ** 2
        wanted = v.tolist()
        for i in range(1, count):
            wanted[i] -= 0.5 * wanted[i - 1]
        for i in range(count - 1):
            wanted[i] -= 0.5 * wanted[i + 1]
        torch.testing.assert_close(made(v), torch.tensor(wanted).double())


# ---- buffers that are assigned ----------------------------------------------------------------

BUFFER = r"r \in \mathbb{R}^d = \mathbf{0}"
SUM = r"\For{$i=1,\dots,d$} \State $r_i \gets r_i + x_i$ \EndFor \State \Return $2 r$"
ASSIGNED = {
    "each element": (BUFFER, SUM),
    "the whole": (BUFFER, r"\State $m \gets 2 x$ \State $r \gets m$ \State \Return $2 r$"),
    "from itself": (BUFFER, r"\State $r \gets r + x$ \State \Return $2 r$"),
    "one element": (BUFFER, r"\State $r_1 \gets 0$ \State \Return $r + x$"),
    "in a branch": (BUFFER, r"\If{$x_1 > 0$} \State $r \gets x$ \Else \State $r \gets 2 x$ \EndIf \State \Return $r$"),
    "of several": (BUFFER, r"\State $(r, m) \gets (x, 2 x)$ \State \Return $r + m$"),
    "a number": (r"r \in \mathbb{R} = 1", r"\State $r \gets r + 1$ \State \Return $r x$"),
    "in a loop": (r"r \in \mathbb{R} = 1", r"\State $r \gets 2$ \For{$i=1,\dots,d$} \State $r \gets r + x_i$ \EndFor \State \Return $r$"),
}


def with_buffer(row: str, body: str, header: str = "x") -> str:
    required = rf"\Require $x \in \mathbb{{R}}^d$, ${row}$"
    return rf"\begin{{algorithmic}} {required} \Procedure{{M}}{{${header}$}} {body} \EndProcedure \end{{algorithmic}}"


@pytest.mark.parametrize(("row", "body"), ASSIGNED.values(), ids=ASSIGNED)
def test_a_buffer_that_is_assigned_is_refused(row: str, body: str) -> None:
    (found,) = [d for d in mathdsl.compile(with_buffer(row, body)).diagnostics if d.severity == "error"]
    assert found.code == "E0701"
    assert "keeping the new value after the call is not supported yet" in found.message
    assert "take `r` as an input" in found.help


def test_a_buffer_that_is_assigned_is_refused_in_the_other_notations() -> None:
    rows = rf"x \in \mathbb{{R}}^d \\ {BUFFER} \\"
    assert codes(docstring("x", r"m \gets 2 x ;; r \gets m ;; \Return 2 r", rows)) == ["E0701"]
    (found,) = mathdsl.compile(module(f"x ; {BUFFER}", r"r \gets 2 x ;; \Return 2 r", r"x \in \mathbb{R}^d \\")).diagnostics
    assert (found.code, found.message) == ("E0303", "`r` is a buffer and cannot be defined again")
    assert "to keep it, take `r` as an input, the last one in the header, return its new value as well" in found.help


def test_what_the_refusal_of_a_buffer_says_works_in_module_notation() -> None:
    rows = rf"x \in \mathbb{{R}}^d \\ {BUFFER} \\"
    made = model(module("x, r", r"s \gets r + x ;; \Return (2 s, s)", rows))
    doubled, kept = made(x)
    torch.testing.assert_close((doubled, kept), (2 * x, x))
    torch.testing.assert_close(made(x, kept), (4 * x, 2 * x))


def test_what_the_refusal_of_a_buffer_says_works() -> None:
    made = model(with_buffer(BUFFER, SUM.replace("$2 r$", "$(2 r, r)$"), "x, r"))
    doubled, kept = made(x)
    torch.testing.assert_close((doubled, kept), (2 * x, x))
    torch.testing.assert_close(made(x, kept), (4 * x, 2 * x))


def test_a_buffer_that_is_only_read_is_one() -> None:
    made = model(with_buffer(r"r \in \mathbb{R}^d = \mathbf{1}", r"\State $m \gets r + x$ \State \Return $m$"), d=4)
    assert [name for name, _ in made.named_buffers()] == ["r"]
    torch.testing.assert_close(made(x), x + 1)
