"""Where the indices of an array count from, where no declaration says it: chains of values that keep a domain, and what reads tell."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from differential import check_text

from mathdsl import compile

Z = torch.tensor([3.0, -5.0, 7.0, 11.0], dtype=torch.float64)
NAMES = "abcdfgkmpq"


def chain(length: int, value: str, element: str, declared: str = "k = 1, \\dots, n", backwards: bool = False) -> torch.Tensor:
    """The element of the last of several values, each of which is made from the one before; `#` is that one."""
    names = NAMES[:length]
    lines = [rf"{own} \gets {value.replace('#', before)} \\" for own, before in zip(names, "z" + names, strict=False)]
    body = "\n".join(reversed(lines) if backwards else lines)
    table = rf"\begin{{where}} z_k \in \mathbb{{R}}, {declared} & \\ \end{{where}}"
    result = compile(rf"\Module{{M}}{{z ; }} {body} \Return {element.replace('#', names[-1])} \\ \EndModule {table}")
    assert result.ok, result.diagnostics
    return result.load().M()(Z)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 10])
def test_a_chain_of_comprehensions_counts_from_where_its_source_does(length: int, backwards: bool) -> None:
    wanted = Z[0]
    for _ in range(length):
        wanted = 2 * wanted + 1
    assert chain(length, r"\{s + 1 ; s \in 2 #\}", "#[1]", backwards=backwards).item() == wanted.item()


@pytest.mark.parametrize("length", [4, 5, 9])
@pytest.mark.parametrize(
    ("value", "step"),
    [
        (r"\{s - 1 ; s \in # / 2\}", lambda z: z / 2 - 1),
        (r"\{s ; s \in -#\}", lambda z: -z),
        (r"\{s^2 / 9 ; s \in \tanh(#)\}", lambda z: torch.tanh(z) ** 2 / 9),
        (r"2 #", lambda z: 2 * z),
        (r"\{s ; s \in \{r + 1 ; r \in #\}\}", lambda z: z + 1),
        (r"\{s + #[2] ; s \in # + 0\}", lambda z: z + z[1]),
    ],
)
def test_chains_of_other_values(length: int, value: str, step: object) -> None:
    wanted = Z
    for _ in range(length):
        wanted = step(wanted)  # type: ignore[operator]
    assert chain(length, value, "#[1]").item() == pytest.approx(wanted[0].item())
    assert chain(length, value, "#[n]").item() == pytest.approx(wanted[3].item())
    assert chain(length, value, r"\sum_{k=2}^{n} #_k").item() == pytest.approx(wanted[1:].sum().item())


def test_a_chain_from_two() -> None:
    assert chain(6, r"\{s + 1 ; s \in 2 #\}", "#[2]", r"k = 2, \dots, n").item() == 64 * 3 + 63


# ---- what reads tell ----------------------------------------------------------------------------


def module(header: str, body: str, rows: str = "") -> str:
    table = rf"\begin{{where}} {rows} \\ \end{{where}}" if rows else ""
    return rf"\Module{{M}}{{{header}}} {body} \\ \EndModule {table}"


X = torch.tensor([2.0, -3.0, 5.0, 7.0, -11.0], dtype=torch.float64)
A = torch.arange(12.0, dtype=torch.float64).reshape(3, 4) ** 2
SCALARS = r"h_t \in \mathbb{R}, t = 1, \dots, S"


def differences(x: torch.Tensor) -> torch.Tensor:
    return x[1:] - x[:-1]


GIVEN = [  # header, body, rows, inputs, what plain torch says
    ("x ; ", r"\Return \sum_{t=1}^{S} t x_t", "", lambda x: (torch.arange(1, len(x) + 1) * x).sum()),
    ("x ; ", r"\Return \sum_{t=1}^{S} t x[t]", "", lambda x: (torch.arange(1, len(x) + 1) * x).sum()),
    ("x ; ", r"\Return \sum_{t=1}^{S} t x[t-1]", "", lambda x: (torch.arange(1, len(x) + 1) * x).sum()),
    ("x ; ", r"\Return \sum_{0 \leq t < S} t x_t", "", lambda x: (torch.arange(len(x)) * x).sum()),
    ("x ; ", r"h_t \gets x_t - x_{t-1} \quad (t = 1, \dots, S) \\ \Return h", SCALARS, differences),
    ("x ; ", r"h_t \gets x_{t+1} - x_t \quad (t = 1, \dots, S) \\ \Return h", SCALARS, differences),
    ("x ; ", r"h_t \gets x_{S-t} \quad (t = 1, \dots, S) \\ \Return h", SCALARS, lambda x: x.flip(0)),
    ("x ; ", r"h_t \gets x_{S-t+1} \quad (t = 1, \dots, S) \\ \Return h", SCALARS, lambda x: x.flip(0)),
    (
        "x ; ",
        r"h_t \gets \sum_{k=1}^{3} k x_{t+k-1} \quad (t = 1, \dots, S - 2) \\ \Return h",
        "",
        lambda x: x[:-2] + 2 * x[1:-1] + 3 * x[2:],
    ),
    ("x ; ", r"h_t \gets \sum_{i=1}^{t} x_i \quad (t = 1, \dots, S) \\ \Return h", SCALARS, lambda x: x.cumsum(0)),
    ("x ; ", r"h_t \gets \sum_{i=1}^{t} x_{t-i} \quad (t = 1, \dots, S) \\ \Return h", SCALARS, lambda x: x.cumsum(0)),
    (
        "x ; ",
        r"h_t \gets \begin{cases} x_1 & t = 1 \\ h_{t-1} / 2 + x_t & \text{otherwise} \end{cases} \quad (t = 1, \dots, S) \\ \Return h_S",
        SCALARS,
        lambda x: sum(v / 2 ** (len(x) - 1 - k) for k, v in enumerate(x)),
    ),
    (
        "x ; ",
        r"h_t \gets x_t + \begin{cases} x_{t-1} & t > 1 \\ 0 & \text{otherwise} \end{cases} \quad (t = 1, \dots, S) \\ \Return h",
        SCALARS,
        lambda x: x + torch.cat([x[:1] * 0, x[:-1]]),
    ),
    ("x ; ", r"\Return \sum_{t=1}^{S} x_t", r"x \in \mathbb{R}^S", torch.sum),
    ("x ; ", r"\Return x_1 + 2 x_5", r"x \in \mathbb{R}^5", lambda x: x[0] + 2 * x[4]),
    ("x ; ", r"\Return x_0 + 2 x_4", r"x \in \mathbb{R}^5", lambda x: x[0] + 2 * x[4]),
    ("x ; ", r"\Return \sum_{t=1}^{S-1} t x[t]", r"x \in \mathbb{R}^S", lambda x: (torch.arange(len(x)) * x).sum()),
    ("x ; ", r"h_t \gets 2 x_t \quad (t = 1, \dots, K) \\ \Return h", r"x \in \mathbb{R}^S", lambda x: 2 * x),
    (
        "x ; ",
        r"y \gets 2 x \\ \Return \sum_{t=1}^{S} t y_t x_t",
        r"x \in \mathbb{R}^S",
        lambda x: 2 * (torch.arange(1, len(x) + 1) * x * x).sum(),
    ),
    ("x ; ", r"y \gets \{s + 1 ; s \in x\} \\ \Return y[1] + \sum_{t=1}^{S} x_t", r"x \in \mathbb{R}^S", lambda x: x[0] + 1 + x.sum()),
    ("x ; ", r"\Return \sum_{t=1}^{S} x_t \sum_i x_i", r"x \in \mathbb{R}^S", lambda x: x.sum() ** 2),
]


@pytest.mark.parametrize(("header", "body", "rows", "wanted"), GIVEN)
def test_an_input_begins_where_it_is_read(header: str, body: str, rows: str, wanted: Callable[[torch.Tensor], torch.Tensor]) -> None:
    text = module(header, body, rows)
    result = compile(text)
    assert result.ok, result.diagnostics
    x = X.clone().requires_grad_()
    found = result.load().M()(x)
    torch.testing.assert_close(found, wanted(x))
    (own,), (theirs,) = torch.autograd.grad(found.sin().sum(), x), torch.autograd.grad(wanted(x).sin().sum(), x)
    torch.testing.assert_close(own, theirs)
    batch = torch.stack([X, X.flip(0), 2 * X])
    torch.testing.assert_close(result.load().M()(batch), torch.stack([wanted(row) for row in batch]))
    assert check_text(text) == 1


def test_lengths_by_hand() -> None:
    text = module("x ; ", r"h_t \gets \sum_{i=1}^{t} x_i \quad (t = 1, \dots, S) \\ \Return h", SCALARS)
    batch = torch.stack([X, X.flip(0)])
    batch[1, 3:] = torch.nan
    found = compile(text).load().M()(batch, lengths=torch.tensor([5, 3]))
    torch.testing.assert_close(found[0], X.cumsum(0))
    torch.testing.assert_close(found[1], torch.cat([X.flip(0)[:3].cumsum(0), X[:2] * 0]))


@pytest.mark.parametrize(
    ("body", "rows", "wanted"),
    [
        (r"\Return \sum_{i=1}^{m} \sum_{j=1}^{n} i A_{i,j}", "", lambda a: (torch.arange(1, 4)[:, None] * a).sum()),
        (r"\Return \sum_{i=1}^{m} \sum_{j=0}^{n-1} j A_{i,j}", "", lambda a: (torch.arange(4) * a).sum()),
        (r"\Return \sum_{i=1}^{m} \sum_{j=1}^{n} j A_{i,j}", r"A \in \mathbb{R}^{m \times n}", lambda a: (torch.arange(1, 5) * a).sum()),
        (r"\Return \sum_{i=0}^{m-1} \sum_{j=1}^{n} j A_{i,j}", r"A \in \mathbb{R}^{m \times n}", lambda a: (torch.arange(1, 5) * a).sum()),
        (r"h_i \gets \max(A_{i,\cdot}) \quad (i = 1, \dots, m) \\ \Return h", r"A \in \mathbb{R}^{m \times n}", lambda a: a.max(1).values),
        (r"h_j \gets \max(A_{\cdot,j}) \quad (j = 1, \dots, n) \\ \Return h", r"A \in \mathbb{R}^{m \times n}", lambda a: a.max(0).values),
        (r"h_j \gets \sum_i A_{i,j} \quad (j = 1, \dots, n) \\ \Return h", r"A \in \mathbb{R}^{m \times n}", lambda a: a.sum(0)),
    ],
)
def test_each_axis_of_a_matrix_has_its_own(body: str, rows: str, wanted: Callable[[torch.Tensor], torch.Tensor]) -> None:
    text = module("A ; ", body, rows)
    torch.testing.assert_close(compile(text).load().M()(A), wanted(A))
    assert check_text(text) == 1


def test_two_arrays_under_one_index() -> None:
    text = module("x, y ; ", r"\Return \sum_{t=1}^{S} t x_t y_{t-1}", r"x \in \mathbb{R}^S \\ y \in \mathbb{R}^S")
    torch.testing.assert_close(compile(text).load().M()(X, X), (torch.arange(1, 6) * X * X).sum())
    assert check_text(text) == 1


def test_attention_reads_its_length_from_what_it_reads() -> None:
    body = r"""a_{t} \gets \softmax(\{Q_t \cdot K_s ; s \in \{1, \dots, T\}\}) \quad (t = 1, \dots, S) \\
    c_t \gets \sum_{s=1}^{T} a_t[s] * V_s \quad (t = 1, \dots, S) \\ \Return c"""
    rows = r"a_t \in \mathbb{R}^{T}, t = 1, \dots, S \\ Q_t \in \mathbb{R}^{d}, t = 1, \dots, S \\ "
    rows += r"V \in \mathbb{R}^{T \times m} \\ K \in \mathbb{R}^{T \times d}"
    text = module("Q, K, V ; ", body.replace("a_t[s]", "a_t[s - 1]"), rows)
    result = compile(text)
    assert result.ok, result.diagnostics
    q, k, v = (torch.randn(n, d, dtype=torch.float64) for n, d in ((3, 2), (4, 2), (4, 5)))
    torch.testing.assert_close(result.load().M()(q, k, v), (q @ k.T).softmax(1) @ v)


def test_a_mixture_owns_as_many_components_as_it_reads() -> None:
    rows = r"x \in \mathbb{R} \\ w \in \mathbb{R}^K \\ \mu \in \mathbb{R}^K"
    body = r"y \gets \sum_{k=1}^{K} k \exp(w_k) / (1 + (x - \mu_k)^2) \\ \Return y"
    for table in (rows, r"x, y \in \mathbb{R}"):
        made = compile(module(r"x ; w, \mu", body, table)).load().M(K=3).double()
        assert made.w.shape == made.mu.shape == (3,)
        with torch.no_grad():
            made.w.copy_(X[:3] / 5)
            made.mu.copy_(X[2:])
        wanted = (torch.arange(1, 4) * made.w.exp() / (1 + (0.5 - made.mu) ** 2)).sum()
        found = made(torch.tensor(0.5, dtype=torch.float64))
        torch.testing.assert_close(found, wanted)
        own, theirs = (torch.autograd.grad(v, [made.w, made.mu], retain_graph=True) for v in (found, wanted))
        torch.testing.assert_close(own, theirs)


def test_a_kernel_of_parameters() -> None:
    text = module(
        "x ; w",
        r"h_t \gets \sum_{k=1}^{K} w_k x_{t+k-1} \quad (t = 1, \dots, S - K + 1) \\ \Return h",
        r"w \in \mathbb{R}^K \\ x \in \mathbb{R}^S",
    )
    made = compile(text).load().M(K=2).double()
    with torch.no_grad():
        made.w.copy_(X[:2])
    torch.testing.assert_close(made(X), X[0] * X[:-1] + X[1] * X[1:])


@pytest.mark.parametrize("first", [0, 1])
def test_the_algorithm_notations(first: int) -> None:
    text = rf"""
    \algoProc{{\mathrm{{F}}}}\pa{{x}} \\
    y \algoEq \sum_{{t={first}}}^{{S{"-1" if first == 0 else ""}}} t x_t \\
    \algoReturn y \\
    \algoEndProc
    \begin{{where}} x \in \mathbb{{R}}^S \\ \end{{where}}
    """
    torch.testing.assert_close(compile(text).load().F()(X), (torch.arange(first, first + 5) * X).sum())
    either = text.replace("S-1", "S-2").replace("{S}", "{S-1}") if first else text.replace("t=0", "t=1").replace("S-1", "S-1")
    torch.testing.assert_close(compile(either).load().F()(X), (torch.arange(1, 5) * X[:4]).sum())  # both fit: it counts from 1


def test_a_function_of_the_document() -> None:
    text = r"f(x) \gets \sum_{t=1}^{S} t x[t] \\ \Module{M}{y ; } \Return f(y) \\ \EndModule"
    loaded = compile(text).load()
    torch.testing.assert_close(loaded.f(X), (torch.arange(1, 6) * X).sum())
    torch.testing.assert_close(loaded.M()(X), (torch.arange(1, 6) * X).sum())


@pytest.mark.parametrize(
    ("body", "rows", "first"),
    [
        (r"\Return \sum_{t=1}^{S-1} t x_t", r"x \in \mathbb{R}^S", None),
        (r"\Return x_1 + x_2", r"x \in \mathbb{R}^S", None),
        (r"h_t \gets x_{t+1} \quad (t = 1, \dots, S - 2) \\ \Return h", r"x \in \mathbb{R}^S", None),
        (r"\Return x_{1:2}", r"x \in \mathbb{R}^S", None),
    ],
)
def test_what_could_begin_at_either_is_refused_with_declarations_that_work(body: str, rows: str, first: None) -> None:
    (error,) = (d for d in compile(module("x ; ", body, rows)).diagnostics if d.severity == "error")
    assert error.code == "E0502"
    found = re.findall(r"`(x_\{t\} [^`]*)`", error.help)
    values = [compile(module("x ; ", body, row)).load().M()(X) for row in found]
    assert len(values) == 2
    assert not torch.equal(*values)


def test_both_axes_are_offered() -> None:
    body = r"\Return \sum_{i=1}^{m} \sum_{j=1}^{n-1} j A_{i,j}"
    (error,) = (d for d in compile(module("A ; ", body, r"A \in \mathbb{R}^{m \times n}")).diagnostics if d.severity == "error")
    one, zero = re.findall(r"`(A_\{t,i\} [^`]*)`", error.help)
    torch.testing.assert_close(compile(module("A ; ", body, one)).load().M()(A), (torch.arange(1, 4) * A[:, :3]).sum())
    torch.testing.assert_close(compile(module("A ; ", body, zero)).load().M()(A), (torch.arange(1, 4) * A[:, 1:]).sum())


@pytest.mark.parametrize("index", ["t - 2", "t + 1", "t + n"])
def test_what_begins_elsewhere_is_refused(index: str) -> None:
    text = module("x ; ", rf"h_t \gets x_{{{index}}} \quad (t = 1, \dots, S) \\ \Return h", rf"{SCALARS} \\ n \in \mathbb{{N}}")
    (error,) = (d for d in compile(text).diagnostics if d.severity == "error")
    assert error.code == "E0502"
    assert "declare the range" in error.help


# ---- reads behind guards, and values as subscripts --------------------------------------------------

FOUR = torch.tensor([10.0, 20.0, 30.0, 40.0], dtype=torch.float64)
GUARDED = r"\If{$i > 1$} \State $y_i \gets x_{i-1}$ \Else \State $y_i \gets 0$ \EndIf"
ADDED = r"\If{$i > 1$} \State $s \gets s + x_{i-1}$ \EndIf"


def procedure(lines: str, returned: str, loop: str = r"i = 1, \dots, n", before: str = "") -> str:
    body = rf"{before} \For{{${loop}$}} {lines} \EndFor \State \Return ${returned}$"
    head = r"\Procedure{M}{$x$} \Require $x \in \mathbb{R}^n$"
    return f"\\begin{{algorithmic}}\n{head}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n"


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (procedure(GUARDED, "y"), [0, 10, 20, 30]),
        (procedure(GUARDED.replace("i > 1", r"i \neq 1"), "y"), [0, 10, 20, 30]),
        (procedure(r"\State $y_i \gets \begin{cases} x_{i-1} & i > 1 \\ 0 & \text{otherwise} \end{cases}$", "y"), [0, 10, 20, 30]),
        (procedure(GUARDED.replace("i > 1", "i < n").replace("i-1", "n-i"), "y"), [30, 20, 10, 0]),
        (procedure(ADDED, "s", before=r"\State $s \gets 0$"), 60),
        (procedure(ADDED.replace("i > 1", r"i > 1 \land x_{i-1} > 15"), "s", before=r"\State $s \gets 0$"), 50),
        (procedure(r"\For{$j = 1, \dots, i-1$} \State $s \gets s + x_{i-1}$ \EndFor", "s", before=r"\State $s \gets 0$"), 140),
        (procedure(r"\If{$i > 1$} \State $x_{i-1} \gets 1 - i$ \EndIf", "x"), [-1, -2, -3, 40]),
        (procedure(GUARDED.replace("x_", "z_"), "y", before=r"\State $z \gets x$"), [0, 10, 20, 30]),
        (procedure(GUARDED.replace("i > 1", "i < n-1").replace("i-1", "i"), "y", r"i = 0, \dots, n-1"), [10, 20, 30, 0]),
        (module(r"x \in \mathbb{R}^n", r"\Return \sum_{i=1, i > 1}^n x[i-2] \\"), 60),
        (
            module(
                r"x \in \mathbb{R}^n",
                r"y[0 \leq i < n] \gets \begin{cases} x[i+1] & i < n-1 \\ 0 & \text{otherwise} \end{cases} \\ \Return y \\",
            ),
            [20, 30, 40, 0],
        ),
        (module(r"x \in \mathbb{R}^n", r"y_i \gets x[\lfloor i/2 \rfloor] \quad (i = 0, \dots, n-1) \\ \Return y \\"), [10, 10, 20, 20]),
        (procedure(r"\State $y_i \gets x_{\lceil i/2 \rceil}$", "y"), [10, 10, 20, 20]),
        (module(r"x \in \mathbb{R}^n", r"k \gets \arg\max_{i=1}^n x_i \\ \Return x_k \\"), 40),
        (procedure(r"\If{$i > 1$} \State $x_{i-1} \gets x_{i-1} - i$ \EndIf", "x"), [8, 17, 26, 40]),
        (procedure(r"\If{$i < n$} \State $x_{i+1} \gets x_{i+1} - i$ \EndIf", "x"), [10, 19, 28, 37]),
        (procedure(r"\If{$i > 1$} \State $x[i-1] \gets x[i-1] - i$ \EndIf", "x"), [8, 17, 26, 40]),
        (procedure(r"\If{$i > 1$} \State $x_{n-i+1} \gets x_{n-i+1} - i$ \EndIf", "x"), [6, 17, 28, 40]),
    ],
)
def test_a_read_counts_where_its_guard_holds(program: str, expected: object) -> None:
    result = compile(program)
    assert result.ok, result.diagnostics
    torch.testing.assert_close(result.load().M()(FOUR), torch.tensor(expected, dtype=torch.float64))
    assert check_text(program) == 1


@pytest.mark.parametrize(
    "program",
    [
        procedure(GUARDED.replace("i > 1", "i < n-1").replace("i-1", "i+1"), "y", r"i = 0, \dots, n-1"),
        module(
            r"x \in \mathbb{R}^n",
            r"y[1 \leq i \leq n] \gets \begin{cases} x[i-1] & i > 1 \\ 0 & \text{otherwise} \end{cases} \\ \Return y \\",
        ),
        module(
            r"x \in \mathbb{R}^n",
            r"y_i \gets \begin{cases} x_{i-1} & i > 1 \\ 0 & \text{otherwise} \end{cases} \quad (i = 1, \dots, n) \\ \Return y \\",
        ),
        module(r"x \in \mathbb{R}^n", r"y_i \gets x_{\max(i-1, 1)} \quad (i = 1, \dots, n) \\ \Return y \\"),
        module(r"x \in \mathbb{R}^n", r"k \gets 1 \\ \Return x_k \\"),
        module(r"x \in \mathbb{R}^n, p \in \mathbb{N}^n", r"y_i \gets x_{p_i} \quad (i = 1, \dots, n) \\ \Return y \\"),
    ],
)
def test_a_loop_or_a_notation_that_count_otherwise_are_asked_about(program: str) -> None:
    (error,) = (d for d in compile(program).diagnostics if d.severity == "error")
    assert (error.code, error.message) == ("E0502", "the first index of `x` can be 1, or 0")


def test_an_index_that_is_no_sum_of_indices_is_checked() -> None:
    program = procedure(r"\State $s \gets s + x_{i^2}$", "s", before=r"\State $s \gets 0$")
    made = compile(program).load().M()
    torch.testing.assert_close(made(FOUR[:1]), FOUR[0])
    with pytest.raises(ValueError, match=re.escape("is inside 1 .. n")):
        made(FOUR)
