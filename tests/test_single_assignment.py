"""Control flow of the algorithm notations: as equations, against the same algorithm written in Python, and what is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
import torch
from by_hand import calls_decide
from differential import check_text
from markdown_cases import Case, check_golden, load_cases

import mathdsl
from mathdsl import api
from mathdsl.diagnostics.drawing import draw_all
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.desugar import in_order
from mathdsl.elaborate.core.executed import in_single_assignment
from mathdsl.elaborate.names.families_apart import tell_families_apart
from mathdsl.elaborate.names.names import Name, is_capital, readable
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.spans import SourceFile
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_statement
from mathdsl.syntax.parsing import parse_text
from mathdsl.syntax.traversal import transform

Rows = list[Any]


@pytest.mark.parametrize("case", load_cases("elaborate/single_assignment"), ids=str)
def test_statements(case: Case, request: pytest.FixtureRequest) -> None:
    document, found = parse_text(case.input, "model.tex")
    assert found.items == []
    procedure = next(item for item in document.items if isinstance(item, ast.Procedure))
    try:
        ordered = in_order(tell_families_apart(procedure, ()))
        single = in_single_assignment(ordered, ordered)
        text = "\n".join(render_statement(cast(ast.Statement, numbered(s))) for s in single.procedure.body)
    except MathdslError as error:
        text = draw_all(list(error.diagnostics), [SourceFile("model.tex", case.input)], color=False)
    check_golden(case, text, request)


def numbered(node: ast.Node) -> ast.Node:
    """With the second values of names told apart, which no author's notation does."""
    below = transform(node, numbered)
    return replace(below, version=0) if isinstance(below, ast.Accent) else below


def algorithm(header: str, body: str) -> str:
    """A program of docstring notation from lines without their ends."""
    lines = "\n".join(line + r" \\" for line in body.strip().splitlines())
    return "\\algoProc{\\F}\\pa{" + header + "} \\\\\n" + lines + "\n\\algoEndProc \\\\\n"


def total(x: Rows) -> Any:
    v = 0.0
    for row in x:
        u = math.tanh(row)
        v = v + u
    return v


def row_sums(x: Rows) -> Any:
    y = []
    for row in x:
        s = 0.0
        for entry in row:
            s = s + entry
        y.append(s)
    return y


def product(a: Rows, b: Rows) -> Any:
    z = [[0.0] * len(b[0]) for _ in a]
    for i in range(len(a)):
        for k in range(len(b)):
            for j in range(len(b[0])):
                z[i][j] = z[i][j] + a[i][k] * b[k][j]
    return z


def running_sum(x: Rows) -> Any:
    x = list(x)
    for t in range(1, len(x)):
        x[t] = x[t] + x[t - 1]
    return x


def smooth(x: Rows) -> Any:
    z = [math.sin(v) for v in x]
    for t in range(1, len(z) - 1):
        z[t] = z[t - 1] + 2 * z[t] + z[t + 1]
    return z


def latest(x: Rows) -> Any:
    v, y = 1.0, []
    for entry in x:
        if entry > 0:
            v = entry
        elif entry < -0.5:
            v = v / 2
        y.append(v)
    return v, y


def first_and_rest(x: Rows) -> Any:
    h: list[float] = []
    for t in range(len(x)):
        if t == 0:
            h.append(x[t])
        else:
            a = h[t - 1]
            h.append(a * x[t])
    return h


def twice(x: Rows, h_0: float) -> Any:
    h = [h_0]
    for t in range(len(x)):
        value = math.tanh(x[t] + h[t])
        value = value * x[t]
        h.append(value)
    return h[1:]


def masked(q: Rows, m: Rows) -> Any:
    z = [[sum(a * b for a, b in zip(r, s, strict=True)) for s in q] for r in q]
    for i in range(len(z)):
        for j in range(len(z)):
            if m[i][j]:
                z[i][j] = -10
        top = [math.exp(v) for v in z[i]]
        z[i] = [v / sum(top) for v in top]
    return z


def shortest(x: Rows) -> Any:
    d = [list(row) for row in x]
    for i in range(1, len(d)):
        for j in range(1, len(d[0])):
            d[i][j] = d[i][j] + min(d[i - 1][j], d[i][j - 1])
    return d


def ends(x: Rows) -> Any:
    z = list(x)
    z[0] = 0.0
    z[-1] = z[-1] + z[0] + 1
    return z


def both_arms(x: Rows, c: bool) -> Any:
    y = []
    if c:
        k = 2.0
        for entry in x:
            y.append(k * entry)
    else:
        k = 3.0
        for entry in x:
            y.append(k - entry)
    return y


def repeated(x: Rows) -> Any:
    x = list(x)
    for _ in range(3):
        x = [math.sin(v) for v in x]
        for t in range(1, len(x)):
            x[t] = x[t] + x[t - 1]
    return x


def parity(x: Rows) -> Any:
    return [math.sin(v) if t % 2 == 0 else math.cos(v) for t, v in enumerate(x, 1)]


def joined(x: Rows, c: Rows) -> Any:
    if len(c) != 0:
        x = x + c
    return [2 * v for v in x]


def row_by_row(x: Rows) -> Any:
    z = []
    for row in x:
        own = list(row)
        for i in range(1, len(own)):
            own[i] = own[i] + own[i - 1]
        z.append(own)
    return [own[-1] for own in z], z


def greatest(x: Rows) -> Any:
    y = []
    for row in x:
        w = [math.sin(v) for v in row]
        m = w[0]
        for v in w[1:]:
            if v > m:
                m = v
        y.append(m)
    return y


def fibonacci(x: Rows) -> Any:
    a, b = 0.0, 1.0
    for v in x:
        a, b = b, a + b * v
    return a, b


def in_sequence(x: Rows) -> Any:
    y = []
    for v in x:
        s = 1.0 if v > 0 else -1.0
        if v > 0.5:
            s = 2 * s
            r = s + 1
            y.append(r * v)
        else:
            y.append(s * v)
    return y


def doubled_if(x: Rows, c: bool) -> Any:
    y = list(x)
    if c:
        for t in range(len(y)):
            k = 2.0
            y[t] = k * y[t]
    return y


def only_where_positive(x: Rows) -> Any:
    y = []
    for v in x:
        if v > 0:
            q = v
        y.append(q * 3 if v > 0 else 0.0)
    return y


def first_maximum(x: Rows) -> Any:
    m, k = x[0], 1
    for t in range(2, len(x) + 1):
        if x[t - 1] > m:
            m, k = x[t - 1], t
    return m, k


Program = tuple[str, str, Callable[..., Any], tuple[tuple[int, ...] | None, ...]]
VECTOR = (4,)
PROGRAMS: dict[str, Program] = {
    "a sum carried by a loop": (
        r"x \in \mathbb{R}^{S}",
        r"""v \algoEq 0
\algoFor{t \in \set{1, \dots, S}}
u \algoEq \tanh\pa{x_t}
v \algoEq v + u
\algoEndFor
\algoReturn v""",
        total,
        (VECTOR,),
    ),
    "a sum in each turn": (
        r"x \in \mathbb{R}^{S \times n}",
        r"""\algoFor{t \in \set{1, \dots, S}}
s \algoEq 0
\algoFor{k \in \set{1, \dots, n}}
s \algoEq s + x_{t,k}
\algoEndFor
y_t \algoEq s
\algoEndFor
\algoReturn y""",
        row_sums,
        ((3, 4),),
    ),
    "an element accumulated": (
        r"A \in \mathbb{R}^{n \times m}, B \in \mathbb{R}^{m \times p}",
        r"""\algoFor{i \in \set{1, \dots, n}}
\algoFor{j \in \set{1, \dots, p}}
Z_{i,j} \algoEq 0
\algoFor{k \in \set{1, \dots, m}}
Z_{i,j} \algoEq Z_{i,j} + A_{i,k} \cdot B_{k,j}
\algoEndFor
\algoEndFor
\algoEndFor
\algoReturn Z""",
        product,
        ((2, 3), (3, 4)),
    ),
    "an array accumulated": (
        r"A \in \mathbb{R}^{n \times m}, B \in \mathbb{R}^{m \times p}",
        r"""\algoFor{i \in \set{1, \dots, n}}
\algoFor{j \in \set{1, \dots, p}}
Z_{i,j} \algoEq 0
\algoEndFor
\algoEndFor
\algoFor{k \in \set{1, \dots, m}}
\algoFor{i \in \set{1, \dots, n}}
\algoFor{j \in \set{1, \dots, p}}
Z_{i,j} \algoEq Z_{i,j} + A_{i,k} \cdot B_{k,j}
\algoEndFor
\algoEndFor
\algoEndFor
\algoReturn Z""",
        product,
        ((2, 3), (3, 4)),
    ),
    "an input updated in place": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{2, \dots, S}}
x_t \algoEq x_t + x_{t-1}
\algoEndFor
\algoReturn x""",
        running_sum,
        (VECTOR,),
    ),
    "earlier elements new, later ones old": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{1, \dots, S}}
z_t \algoEq \sin\pa{x_t}
\algoEndFor
\algoFor{t \in \set{2, \dots, S-1}}
z_t \algoEq z_{t-1} + 2 z_t + z_{t+1}
\algoEndFor
\algoReturn z""",
        smooth,
        ((6,),),
    ),
    "a branch on data keeps the value": (
        r"x \in \mathbb{R}^{S}",
        r"""v \algoEq 1
\algoFor{t \in \set{1, \dots, S}}
\algoIf{x_t > 0}
v \algoEq x_t
\algoElseIf{x_t < -0.5}
v \algoEq v / 2
\algoEndIf
y_t \algoEq v
\algoEndFor
\algoReturn \pa{v, y}""",
        latest,
        ((9,),),
    ),
    "a branch on an index": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{1, \dots, S}}
\algoIf{t = 1}
h_t \algoEq x_t
\algoElse
a \algoEq h_{t-1}
h_t \algoEq a \cdot x_t
\algoEndIf
\algoEndFor
\algoReturn h""",
        first_and_rest,
        (VECTOR,),
    ),
    "an element assigned twice a turn": (
        r"x \in \mathbb{R}^{S}, h_0 \in \mathbb{R}",
        r"""\algoFor{t \in \set{1, \dots, S}}
h_t \algoEq \tanh\pa{x_t + h_{t-1}}
h_t \algoEq h_t \cdot x_t
\algoEndFor
\algoReturn \cat{h_1, \dots, h_S}""",
        twice,
        (VECTOR, ()),
    ),
    "elements of a product under a condition": (
        r"q \in \mathbb{R}^{S \times d}, m \in \mathbb{B}^{S \times S}",
        r"""Z \algoEq q \cdot q^\top
\algoFor{i \in \set{1, \dots, S}}
\algoFor{j \in \set{1, \dots, S}}
\algoIf{m_{i,j} \algoIs \algoTrue}
Z_{i,j} \algoEq -10
\algoEndIf
\algoEndFor
a_i \algoEq \sof{Z_{i,1}, \dots, Z_{i,S}}
\algoEndFor
\algoReturn a""",
        masked,
        ((3, 2), None),
    ),
    "a grid": (
        r"x \in \mathbb{R}^{n \times m}",
        r"""\algoFor{i \in \set{1, \dots, n}}
\algoFor{j \in \set{1, \dots, m}}
D_{i,j} \algoEq x_{i,j}
\algoEndFor
\algoEndFor
\algoFor{i \in \set{2, \dots, n}}
\algoFor{j \in \set{2, \dots, m}}
D_{i,j} \algoEq D_{i,j} + \min\pa{D_{i-1,j}, D_{i,j-1}}
\algoEndFor
\algoEndFor
\algoReturn D""",
        shortest,
        ((3, 4),),
    ),
    "single elements updated": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{1, \dots, S}}
z_t \algoEq x_t
\algoEndFor
z_1 \algoEq 0
z_S \algoEq z_S + z_1 + 1
\algoReturn z""",
        ends,
        (VECTOR,),
    ),
    "loops in both branches": (
        r"x \in \mathbb{R}^{S}, c \in \mathbb{B}",
        r"""\algoIf{c \algoIs \algoTrue}
k \algoEq 2
\algoFor{t \in \set{1, \dots, S}}
y_t \algoEq k \cdot x_t
\algoEndFor
\algoElse
k \algoEq 3
\algoFor{t \in \set{1, \dots, S}}
y_t \algoEq k - x_t
\algoEndFor
\algoEndIf
\algoReturn y""",
        both_arms,
        (VECTOR, None),
    ),
    "an array carried whole and updated": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{\ell \in \set{1, \dots, 3}}
x \algoEq \sin\pa{x}
\algoFor{t \in \set{1, \dots, S}}
\algoIf{t > 1}
x_t \algoEq x_t + x_{t-1}
\algoEndIf
\algoEndFor
\algoEndFor
\algoReturn x""",
        repeated,
        (VECTOR,),
    ),
    "a row updated in its turn": (
        r"x \in \mathbb{R}^{S \times d}",
        r"""\algoFor{t \in \set{1, \dots, S}}
\algoFor{i \in \set{1, \dots, d}}
Z_{t,i} \algoEq x_{t,i}
\algoEndFor
\algoFor{i \in \set{2, \dots, d}}
Z_{t,i} \algoEq Z_{t,i} + Z_{t,i-1}
\algoEndFor
y_t \algoEq Z_{t,d}
\algoEndFor
\algoReturn \pa{y, Z}""",
        row_by_row,
        ((4, 3),),
    ),
    "an array of each turn, and its maximum": (
        r"x \in \mathbb{R}^{S \times d}",
        r"""\algoFor{t \in \set{1, \dots, S}}
\algoFor{i \in \set{1, \dots, d}}
w_i \algoEq \sin\pa{x_{t,i}}
\algoEndFor
m \algoEq w_1
\algoFor{i \in \set{2, \dots, d}}
\algoIf{w_i > m}
m \algoEq w_i
\algoEndIf
\algoEndFor
y_t \algoEq m
\algoEndFor
\algoReturn y""",
        greatest,
        ((4, 3),),
    ),
    "two names carried together": (
        r"x \in \mathbb{R}^{S}",
        r"""a \algoEq 0
b \algoEq 1
\algoFor{t \in \set{1, \dots, S}}
c \algoEq a + b \cdot x_t
a \algoEq b
b \algoEq c
\algoEndFor
\algoReturn \pa{a, b}""",
        fibonacci,
        ((5,),),
    ),
    "branches one after the other": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{1, \dots, S}}
\algoIf{x_t > 0}
s \algoEq 1
\algoElse
s \algoEq -1
\algoEndIf
\algoIf{x_t > 0.5}
s \algoEq 2 s
r \algoEq s + 1
y_t \algoEq r \cdot x_t
\algoElse
y_t \algoEq s \cdot x_t
\algoEndIf
\algoEndFor
\algoReturn y""",
        in_sequence,
        ((6,),),
    ),
    "a loop in a branch updates": (
        r"x \in \mathbb{R}^{S}, c \in \mathbb{B}",
        r"""y \algoEq x
\algoIf{c \algoIs \algoTrue}
\algoFor{t \in \set{1, \dots, S}}
k \algoEq 2
y_t \algoEq k \cdot y_t
\algoEndFor
\algoEndIf
\algoReturn y""",
        doubled_if,
        ((4,), None),
    ),
    "a name that only one branch defines": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{t \in \set{1, \dots, S}}
\algoIf{x_t > 0}
q \algoEq x_t
\algoEndIf
\algoIf{x_t > 0}
y_t \algoEq q \cdot 3
\algoElse
y_t \algoEq 0
\algoEndIf
\algoEndFor
\algoReturn y""",
        only_where_positive,
        ((4,),),
    ),
    "a maximum and its index": (
        r"x \in \mathbb{R}^{S}",
        r"""m \algoEq x_1
k \algoEq 1
\algoFor{t \in \set{2, \dots, S}}
\algoIf{x_t > m}
m \algoEq x_t
k \algoEq t
\algoEndIf
\algoEndFor
\algoReturn \pa{m, k}""",
        first_maximum,
        ((6,),),
    ),
    "parity": (
        r"x \in \mathbb{R}^{S}",
        r"""\algoFor{i \in \set{1, \dots, S}}
\algoIf{i \text{ is even}}
y_i \algoEq \sin\pa{x_i}
\algoElse
y_i \algoEq \cos\pa{x_i}
\algoEndIf
\algoEndFor
\algoReturn y""",
        parity,
        ((5,),),
    ),
    "an input joined to one that may be empty": (
        r"x \in \mathbb{R}^{S}, c \in \mathbb{R}^{T}",
        r"""\algoIf{c \text{ is not empty}}
x \algoEq \cat{x, c}
\algoEndIf
\algoReturn 2 x""",
        joined,
        (VECTOR, (0,)),
    ),
}


def arguments(shapes: tuple[tuple[int, ...] | None, ...]) -> list[torch.Tensor]:
    """Random reals of each shape; None: booleans, square beside a matrix."""
    torch.manual_seed(1)
    first = shapes[0]
    assert first is not None
    square = (first[0],) * 2 if len(first) == 2 else ()
    return [torch.rand(square) < 0.5 if s is None else torch.rand(s, dtype=torch.float64) * 2 - 1 for s in shapes]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_against_python(name: str) -> None:
    header, body, python, shapes = PROGRAMS[name]
    given = arguments(shapes)
    found = api.load(algorithm(header, body)).F()(*given)
    wanted = python(*(value.tolist() for value in given))
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]:
        torch.testing.assert_close(
            ours, torch.tensor(theirs, dtype=torch.float64).reshape(ours.shape).to(ours.dtype), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_batches(name: str) -> None:
    header, body, _, _ = PROGRAMS[name]
    assert check_text(algorithm(header, body)) == 1


def test_an_element_without_a_value_is_told_by_the_call_where_it_depends_on_data() -> None:
    body = """\\algoFor{t \\in \\set{1, \\dots, S}}\n\\algoIf{x_t > 0}\ny_t \\algoEq x_t\n\\algoEndIf\n\\algoEndFor\n\\algoReturn y"""
    subject = api.load(algorithm(r"x \in \mathbb{R}^{S}", body)).F()
    calls_decide(subject, [([1, 2, 3], [1, 2, 3]), ([1, -2, 3], None), ([-1, -2, -3], None), ([5], [5]), ([-5], None), ([], [])])


def test_parts_of_a_domain_may_come_from_branches_of_their_own() -> None:
    body = r"""\algoFor{t \in \set{1, \dots, 5}}
\algoIf{t \leq 2}
y_t \algoEq x
\algoEndIf
\algoIf{t > 2}
y_t \algoEq 2 x
\algoEndIf
\algoEndFor
\algoReturn y"""
    assert check_text(algorithm(r"x \in \mathbb{R}", body)) == 1


def test_an_update_of_a_part_of_a_computed_array() -> None:
    body = r"""Z \algoEq q \cdot q^\top
\algoFor{i \in \set{2, \dots, S}}
\algoFor{j \in \set{1, \dots, S}}
Z_{i,j} \algoEq 2 Z_{i,j}
\algoEndFor
\algoEndFor
\algoReturn Z"""
    q = torch.randn(3, 2, dtype=torch.float64)
    for first in (1, 2):
        text = algorithm(r"q \in \mathbb{R}^{S \times d}", body.replace("{2, ", f"{{{first}, "))
        wanted = q @ q.T
        wanted[first - 1 :] *= 2
        torch.testing.assert_close(api.load(text).F()(q), wanted)
        assert check_text(text) == 1


def test_messages_and_comments_are_in_the_authors_words() -> None:
    body = r"""v \algoEq 2 x
v \algoEq v + w
\algoReturn v"""
    result = api.compile(algorithm(r"x \in \mathbb{R}^{S}, w \in \mathbb{R}^{T}", body))
    text = draw_all(list(result.diagnostics), list(result.files), color=False)
    assert "`v" in text or "v + w" in text
    assert "version" not in text
    good = api.compile(algorithm(r"x, w \in \mathbb{R}^{S}", body))
    assert r"\version" not in good.source
    assert re.search(r"# v \\gets v \+ w\n\s+v_2 = ", good.source)


def test_versions_have_python_names_of_their_own() -> None:
    names, x, w = PythonNames(), Name("x"), Name("W", labels=(Name("Q"),), version=3)
    given = [names.name(n) for n in (x, x.changed(version=2), Name("x_2"), x.accented("hat").changed(version=2), w)]
    assert given == ["x", "x_2", "x_2_2", "x_hat_2", "W_Q_3"]
    assert [readable(n) for n in (x.changed(version=2), w, x.accented("hat").changed(version=2))] == ["x", "W_Q", r"\hat{x}"]
    assert is_capital(w)


def test_first_values_over_a_domain_are_a_loops_where_a_loop_assigns_the_array() -> None:
    def load(takes: str, start: str, loops: str, result: str) -> torch.nn.Module:
        text = rf"\begin{{algorithmic}} {takes} \State ${start}$ {loops} \State \Return ${result}$ \end{{algorithmic}}"
        module: torch.nn.Module = mathdsl.load(text).Algorithm()
        return module

    takes = r"\Require $w \in \mathbb{R}^n$"
    steps = r"\State $f_c \gets \max(f_c, f_{c-1} + w_i)$"
    loops = rf"\For{{$i = 1, \dots, n$}} \For{{$c = C, \dots, 1$}} {steps} \EndFor \EndFor"
    best = load(takes + r"\Require $C \in \mathbb{N}$", r"f_c \gets 0 \quad (c = 0, \dots, C)", loops, "f_C")
    w = torch.tensor([[1.0, 5.0, 3.0, 4.0, -1.0], [-1.0, -2.0, 2.0, 0.0, 1.0]])
    torch.testing.assert_close(best(w, 2), torch.tensor([9.0, 3.0]))
    torch.testing.assert_close(best(w, 0), torch.zeros(2))
    once = r"\For{$i = 2, \dots, n$} \State $f_i \gets f_i + f_{i-1}$ \EndFor"
    for domain in (r"1, \dots, n", r"n, \dots, 1"):
        sums = load(takes, rf"f_c \gets 2 w_c \quad (c = {domain})", once, "f")
        torch.testing.assert_close(sums(w), 2 * w.cumsum(-1))
        torch.testing.assert_close(sums(w[:, :1]), 2 * w[:, :1])
