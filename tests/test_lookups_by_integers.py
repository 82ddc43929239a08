r"""An element of a family at an integer that is given or assigned, `b_c`, `W_j`: looked up in every notation."""

from __future__ import annotations

import pytest
import torch

import mathdsl

ROWS = r"""c \in \{1, \dots, K\} & the class \\
x \in \mathbb{R}^d & \\
W_k \in \mathbb{R}^{d \times d}, k = 1, \dots, K & \\
b_k \in \mathbb{R}^d, k = 1, \dots, K & \\
"""
REQUIRED = r"""\Require $x \in \mathbb{R}^d$, $c \in \{1, \dots, K\}$
\Require $W_k \in \mathbb{R}^{d \times d}, k = 1, \dots, K$
\Require $b_k \in \mathbb{R}^d, k = 1, \dots, K$
"""


def module(*lines: str) -> str:
    return (
        "\\Module{F}{x, c ; W, b}\n"
        + "".join(f"{line} \\\\\n" for line in lines)
        + f"\\EndModule\n\\begin{{where}}\n{ROWS}\\end{{where}}\n"
    )


def docstring(*lines: str) -> str:
    written = (
        "".join(rf"& \indent{{1}} {line} \\" + "\n" for line in lines).replace(r"\gets", r"\algoEq").replace(r"\Return", r"\algoReturn")
    )
    return (
        "\\begin{align*}\n& \\algoProc{\\F}\\pa{x, c} \\\\\n"
        + written
        + f"& \\algoEndProc\n\\end{{align*}}\n\\begin{{where}}\n{ROWS}\\end{{where}}\n"
    )


def algorithmic(*lines: str) -> str:
    states = "".join(f"\\State ${line}$\n" for line in lines).replace(r"$\Return ", r"\Return $")
    return f"\\begin{{algorithmic}}\n{REQUIRED}\\Procedure{{F}}{{$x, c$}}\n{states}\\EndProcedure\n\\end{{algorithmic}}\n"


LOOKUPS = {
    "by an input": ((r"\Return W_c x + b_c",), lambda W, b, x, c: W[c - 1] @ x + b[c - 1]),
    "by an assigned integer": ((r"j \gets c", r"\Return W_j x + b_j"), lambda W, b, x, c: W[c - 1] @ x + b[c - 1]),
    "by a computed integer": ((r"\ell \gets K + 1 - c", r"\Return b_\ell + x"), lambda W, b, x, c: b[-c] + x),
    "with brackets": ((r"\Return \sum_{i=1}^{d} b_c[i] x_i",), lambda W, b, x, c: x @ b[c - 1]),
    "beside an index": ((r"\Return \sum_{k=1}^{K} b_k \cdot b_c",), lambda W, b, x, c: (b @ b[c - 1]).sum()),
}
# In these one script is a lookup and the other an index.
MIXED = {
    "an element of it": ((r"\Return x b_{c,2}",), lambda W, b, x, c: x * b[c - 1, 1]),
    "inside a sum": ((r"\Return \sum_{i=1}^{d} x_i b_{c,i}",), lambda W, b, x, c: x @ b[c - 1]),
    "by an assigned integer": ((r"j \gets c", r"\Return \sum_{i=1}^{d} x_i W_{j,i,1}"), lambda W, b, x, c: x @ W[c - 1, :, 0]),
}


@pytest.mark.parametrize("notation", [module, docstring, algorithmic], ids=["module", "docstring", "algorithmic"])
@pytest.mark.parametrize(("lines", "meaning"), LOOKUPS.values(), ids=LOOKUPS)
def test_a_family_is_looked_up(notation, lines, meaning) -> None:  # type: ignore[no-untyped-def]
    check_lookup(notation, lines, meaning)


@pytest.mark.parametrize("notation", [docstring, algorithmic], ids=["docstring", "algorithmic"])
@pytest.mark.parametrize(("lines", "meaning"), MIXED.values(), ids=MIXED)
def test_a_lookup_and_an_index_in_one_script(notation, lines, meaning) -> None:  # type: ignore[no-untyped-def]
    check_lookup(notation, lines, meaning)


def test_a_lookup_and_an_index_in_one_script_of_a_module() -> None:
    check_lookup(module, *MIXED["inside a sum"])
    assert "E0502" in [d.code for d in mathdsl.compile(module(*MIXED["an element of it"][0])).diagnostics]  # `2` counts from 0 or 1


def check_lookup(notation, lines, meaning) -> None:  # type: ignore[no-untyped-def]
    """Values and gradients against plain indexing."""
    result = mathdsl.compile(notation(*lines))
    assert result.ok, [d.message for d in result.diagnostics]
    torch.manual_seed(0)
    made = result.load().F(K=3, d=4).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.randn_like(parameter))
    owned = dict(made.named_parameters())
    W, b = (owned[name].detach().clone().requires_grad_() for name in ("W", "b"))
    x = torch.randn(4, dtype=torch.float64)
    for c in (1, 2, 3):
        expected, found = meaning(W, b, x, c), made(x, torch.tensor(c))
        torch.testing.assert_close(found, expected)
        wanted = torch.autograd.grad(torch.sin(expected).sum(), (W, b), allow_unused=True, materialize_grads=True)
        ours = torch.autograd.grad(torch.sin(found).sum(), (owned["W"], owned["b"]), allow_unused=True, materialize_grads=True)
        torch.testing.assert_close(ours, wanted)


SCRIPTS = {
    "a space is none": (r"\sum_{t=1}^{T} p_{t j}", r"j \in \{1, \dots, C\} & \\ p \in \mathbb{R}^{T \times C} & \\", "p, j", "p_{tj}"),
    "letters of integers": (
        r"r_{ui}",
        r"u \in \{1, \dots, m\} & \\ i \in \{1, \dots, n\} & \\ r \in \mathbb{R}^{m \times n} & \\",
        "r, u, i",
        "r_{ui}",
    ),
}


@pytest.mark.parametrize(("body", "rows", "header", "name"), SCRIPTS.values(), ids=SCRIPTS)
def test_letters_side_by_side_that_are_no_indices_are_refused(body: str, rows: str, header: str, name: str) -> None:
    text = rf"\begin{{algorithmic}} \Procedure{{F}}{{${header}$}} \State \Return ${body}$ \EndProcedure \end{{algorithmic}}"
    text += rf"\begin{{where}} {rows} \end{{where}}"
    (found,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert found.code == "E0301"
    assert f"`{name}`" in found.message
    head, letters = name.removesuffix("}").split("_{")
    written = mathdsl.compile(text.replace("t j", "tj").replace(name, f"{head}_{{{letters[0]},{letters[1]}}}"))
    assert written.ok


def test_indices_side_by_side_with_a_space_are_two() -> None:
    text = r"\Module{F}{x ; } \Return \sum_{i=1}^{n} \sum_{j=1}^{m} x_{i j} \\ \EndModule"
    text += r"\begin{where} x \in \mathbb{R}^{n \times m} \\ \end{where}"
    x = torch.randn(3, 4)
    torch.testing.assert_close(mathdsl.compile(text).load().F()(x), x.sum())


def test_a_row_of_a_family_at_a_size_beside_an_index() -> None:
    rows = r"x_t \in \mathbb{R}^d, t = 1, \dots, T & \\ W, U \in \mathbb{R}^{d \times d} & \\"
    text = rf"""\begin{{algorithmic}} \Procedure{{F}}{{$x$}} \State $h_0 \gets \mathbf{{0}}$
    \For{{$t = 1, \dots, T$}} \State $h_t \gets \tanh(W x_t + U h_{{t-1}})$ \EndFor
    \State \Return $\sum_{{i=1}}^{{d}} h_{{T,i}}^2$ \EndProcedure \end{{algorithmic}} \begin{{where}} {rows} \end{{where}}"""
    made = mathdsl.compile(text).load().F(d=3).double()
    x, h = torch.randn(4, 3, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    for row in x:
        h = torch.tanh(made.W @ row + made.U @ h)
    torch.testing.assert_close(made(x), (h**2).sum())


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
def test_a_row_that_is_defined_at_a_size_is_a_row_of_the_family(notation: str) -> None:
    lines = [
        r"\beta_{L,k} \gets 5 \quad (k = 1, \dots, K)",
        r"\beta_{t,k} \gets z_{t,k} + \beta_{t+1,k} \quad (t = 1, \dots, L-1, k = 1, \dots, K)",
    ]
    rows = r"z_{t,k} \in \mathbb{R}, t = 1, \dots, L, k = 1, \dots, K & \\"
    if notation == "module":
        body = r"\Module{F}{z ; } " + " ".join(rf"{line} \\" for line in lines) + r" \Return \beta \\ \EndModule"
    else:
        states = " ".join(rf"\State ${line}$" for line in lines)
        body = rf"\begin{{algorithmic}} \Procedure{{F}}{{$z$}} {states} \State \Return $\beta$ \EndProcedure \end{{algorithmic}}"
    made = mathdsl.compile(body + rf"\begin{{where}} {rows} \end{{where}}").load().F()
    z = torch.randn(4, 3)
    expected = [torch.full((3,), 5.0)]
    for t in (2, 1, 0):
        expected.insert(0, z[t] + expected[0])
    torch.testing.assert_close(made(z), torch.stack(expected))


def test_a_new_family_beside_symbols_named_like_its_elements_is_refused() -> None:
    text = r"""\begin{algorithmic} \Procedure{F}{$x$} \State \Return $W_1 x + \sum_{i=1}^{2} W_i x$ \EndProcedure \end{algorithmic}
    \begin{where} x \in \mathbb{R}^d & \\ W_1, W_2 \in \mathbb{R}^{d \times d} & \\ \end{where}"""
    errors = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == ["E0301"]


def test_an_element_of_a_labelled_vector_that_no_index_reads() -> None:
    text = r"""\begin{algorithmic} \Require $x_{in} \in \mathbb{R}^{n}$
    \Procedure{F}{$x_{in}$} \State $h_{out} \gets 2 x_{in}$ \State $h_{out,1} \gets 7$
    \State \Return $h_{out} + x_{in,n} + h_{out,2}$ \EndProcedure \end{algorithmic}"""
    x = torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(mathdsl.compile(text).load().F()(x), torch.tensor([7.0, 4.0, 6.0]) + 3 + 4)


def test_an_element_of_a_labelled_value_inside_a_loop() -> None:
    text = r"""\begin{algorithmic} \Require $x \in \mathbb{R}^{n}$
    \Procedure{F}{$x$} \State $\gamma_{\mathrm{out}} \gets x + 1$
    \For{$t = 1, \dots, n$} \State $y_t \gets x_t \gamma_{\mathrm{out}, 1}$ \EndFor
    \State \Return $y$ \EndProcedure \end{algorithmic}"""
    x = torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(mathdsl.compile(text).load().F()(x), 2 * x)


# ---- families that the program defines ------------------------------------------------------------

DEFINED = {
    "by an input": ((r"a_k \gets W_k x + b_k", r"\Return 2 a_c"), lambda W, b, x, c: 2 * (W[c - 1] @ x + b[c - 1])),
    "by an argmax": (
        (r"s_k \gets b_k \cdot x", r"a_k \gets W_k x", r"m \gets \arg\max_k s_k", r"\Return x + a_m"),
        lambda W, b, x, c: x + W[(b @ x).argmax()] @ x,
    ),
    "by an argmin, of numbers": (
        (r"s_k \gets b_k \cdot x", r"m \gets \arg\min_k s_k", r"\Return s_m x"),
        lambda W, b, x, c: (b @ x).min() * x,
    ),
    "by a computed integer": ((r"a_k \gets b_k + x", r"m \gets K + 1 - c", r"\Return a_m"), lambda W, b, x, c: b[-c] + x),
    "by two": ((r"a_k \gets b_k + x", r"m \gets c", r"\Return a_m \odot a_c"), lambda W, b, x, c: (b[c - 1] + x) ** 2),
    "in a sum": ((r"a_k \gets b_k \cdot x", r"\Return x \sum_{k=1}^{K} (a_k - a_c)"), lambda W, b, x, c: x * (b @ x - b[c - 1] @ x).sum()),
}


def in_loops(*lines: str) -> str:
    """The algorithm, where each family is defined in a loop of its own."""
    text = algorithmic(*lines)
    for line in lines:
        if line.startswith(("a_k", "s_k")):
            text = text.replace(rf"\State ${line}$", rf"\For{{$k = 1, \dots, K$}} \State ${line}$ \EndFor")
    return text


@pytest.mark.parametrize(("lines", "meaning"), DEFINED.values(), ids=DEFINED)
def test_a_family_that_a_loop_defines_is_looked_up(lines, meaning) -> None:  # type: ignore[no-untyped-def]
    check_lookup(in_loops, lines, meaning)


@pytest.mark.parametrize(("lines", "meaning"), DEFINED.values(), ids=DEFINED)
def test_a_family_that_a_module_defines_is_looked_up(lines, meaning) -> None:  # type: ignore[no-untyped-def]
    ranges = [rf"{line} \quad (k = 1, \dots, K)" if line.startswith(("a_k", "s_k")) else line for line in lines]
    check_lookup(lambda *_: module(*ranges), lines, meaning)


# ---- what may be an element or a name of its own ---------------------------------------------------

TOKENS = (r"y_t \in \{1, \dots, V\}, t = 1, \dots, S", r"E \in \mathbb{R}^{V \times d}")


def on_tokens(*lines: str) -> str:
    required = "".join(rf"\Require ${row}$" + "\n" for row in TOKENS)
    return f"\\begin{{algorithmic}}\n{required}\\Procedure{{F}}{{$y$}}\n" + "\n".join(lines) + "\n\\EndProcedure\n\\end{algorithmic}\n"


@pytest.mark.parametrize(
    "lines",
    [
        (r"\State $k \gets y_1$", r"\State \Return $E_1 + E_k$"),
        (r"\State $k \gets \min(y_1, 3)$", r"\State \Return $E_1 + E_k$"),
        (r"\State $k \gets 1$", r"\For{$t = 1, \dots, S$} \State $k \gets y_t$ \EndFor", r"\State \Return $E_1 + E_k$"),
        (r"\State $k \gets \sum_{t=1}^{S} y_t$", r"\State \Return $E_k$"),
    ],
)
def test_an_integer_below_a_declared_array_is_an_element(lines: tuple[str, ...]) -> None:
    found = mathdsl.compile(on_tokens(*lines))
    bracketed = mathdsl.compile(on_tokens(*(line.replace("E_k", "E[k]") for line in lines)))
    assert found.ok
    modules = [result.load().F(V=3, d=2) for result in (found, bracketed)]
    modules[1].load_state_dict(modules[0].state_dict())
    y = torch.tensor([1, 1, 1])
    torch.testing.assert_close(modules[0](y), modules[1](y))


def test_declared_letters_side_by_side_with_an_index_are_a_product() -> None:
    rows = r"\Require $x_i \in \mathbb{R}^d, i = 1, \dots, n$" + "\n" + r"\Require $b \in \mathbb{R}^m$, $W \in \mathbb{R}^{m \times d}$"
    text = (
        rf"\begin{{algorithmic}} {rows} \Procedure{{F}}{{$x$}} \For{{$i = 1, \dots, n$}} \State $s_i \gets \tanh(Wx_i + b)$ \EndFor "
        r"\State \Return $s$ \EndProcedure \end{algorithmic}"
    )
    word, parted = (mathdsl.compile(one) for one in (text, text.replace("Wx_i", "W x_i")))
    assert [d.code for d in word.diagnostics] == ["N0301"]
    x, modules = torch.randn(3, 2), [result.load().F(d=2, m=4) for result in (word, parted)]
    modules[1].load_state_dict(modules[0].state_dict())
    torch.testing.assert_close(modules[0](x), modules[1](x))
