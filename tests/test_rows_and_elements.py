r"""An array, its rows and its elements are one array, `x`, `x_t` and `x_{t,k}`, in the order of execution; or one is made of the other.

Each program stands beside its meaning in plain torch. What is refused has its code, and what it is to mean stands beside it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
import torch
from differential import check_text
from torch import Tensor

import mathdsl
from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

Meaning = Callable[..., Tensor]
T, K, END = r"\For{$t = 1, \dots, T$}", r"\For{$k = 1, \dots, d$}", r"\EndFor"
ROWS = r"x_t \in \mathbb{R}^{d}, t = 1, \dots, T"
MATRIX = r"x \in \mathbb{R}^{T \times d}"
ELEMENTS = r"x_{t,k} \in \mathbb{R}, t = 1, \dots, T, k = 1, \dots, d"
CUBE = r"x \in \mathbb{R}^{n \times m \times d}"
I, J = r"\For{$i = 1, \dots, n$}", r"\For{$j = 1, \dots, m$}"
X = torch.tensor([[0.5, -1.0, 2.0, 1.5], [1.0, 0.25, -0.75, 3.0], [-2.0, 1.25, 0.5, -0.5]], dtype=torch.float64)
Y = torch.linspace(-1.0, 2.0, 24, dtype=torch.float64).reshape(2, 3, 4)
INCREASED = (T, K, r"x_{t,k} \gets x_{t,k} + 1", END, END)
COPIED = (T, r"h_t \gets x_t", END)


def algorithm(rows: tuple[str, ...], lines: tuple[str, ...], header: str = "x") -> str:
    required = "\n".join(rf"\Require ${row}$" for row in rows)
    body = "\n".join(_statement(line) for line in lines)
    return f"\\begin{{algorithmic}}\n{required}\n\\Procedure{{F}}{{${header}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n"


def _statement(line: str) -> str:
    if line.startswith((r"\For", r"\End", r"\If", r"\Else")):
        return line
    return rf"\State \Return ${line.removeprefix('return ')}$" if line.startswith("return ") else rf"\State ${line}$"


def docstring(rows: tuple[str, ...], lines: tuple[str, ...], header: str = "x") -> str:
    """The same in docstring notation."""
    body = "".join(_docstring_line(line) + " \\\\\n" for line in lines)
    return "\\algoProc{\\F}\\pa{" + header + "} \\\\\n" + body + "\\algoEndProc \\\\\n" + table(rows)


def _docstring_line(line: str) -> str:
    if line.startswith(r"\For{$"):
        index, _, values = line[6:-2].partition(" = ")
        return rf"\algoFor{{{index} \in \set{{{values}}}}}"
    if line.startswith(r"\If{$"):
        return rf"\algoIf{{{line[5:-2]}}}"
    if line.startswith("return "):
        return rf"\algoReturn {line.removeprefix('return ')}"
    plain = {r"\Else": r"\algoElse", r"\EndIf": r"\algoEndIf", r"\EndFor": r"\algoEndFor"}
    return plain.get(line) or line.replace(r"\gets", r"\algoEq")


def module(rows: tuple[str, ...], lines: tuple[str, ...], header: str = "x") -> str:
    body = "".join((rf"\Return {line.removeprefix('return ')}" if line.startswith("return ") else line) + " \\\\\n" for line in lines)
    return f"\\Module{{F}}{{{header}}}\n{body}\\EndModule\n{table(rows)}"


def table(rows: tuple[str, ...]) -> str:
    return "\\begin{where}\n" + "".join(rf"{row} & \\" + "\n" for row in rows) + "\\end{where}\n"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def value(text: str, *inputs: Tensor) -> Tensor:
    """The result of the only program of a text, which is held against the oracle too."""
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    check_text(text)
    program = result.load().F
    found = (program().double() if inspect.isclass(program) else program)(*inputs)
    assert isinstance(found, Tensor)
    return found


def refusal(text: str) -> tuple[str, str, str]:
    """The code, the message and the help of the first mistake."""
    first = next(d for d in compiled(text).diagnostics if d.severity == "error")
    return first.code, first.message, first.help


def without_first(x: Tensor) -> Tensor:
    return torch.cat([torch.zeros_like(x[..., :1]), x[..., 1:]], -1)


def normal(x: Tensor) -> Tensor:
    return x / x.sum(-1, keepdim=True)


ONE_ARRAY: dict[str, tuple[tuple[str, ...], Meaning]] = {
    "an element of a row": ((T, r"x_{t,1} \gets 0", END, "return 2 x"), lambda x: 2 * without_first(x)),
    "an element of a row in brackets": ((T, r"x_t[1] \gets 0", END, "return 2 x"), lambda x: 2 * without_first(x)),
    "elements of rows that a loop copied": ((*COPIED, T, K, r"h_{t,k} \gets h_{t,k} + 1", END, END, "return h"), lambda x: x + 1),
    "elements of rows of one loop": ((T, r"h_t \gets x_t", K, r"h_{t,k} \gets h_{t,k} + 1", END, END, "return h"), lambda x: x + 1),
    "one element of rows that a loop copied": ((*COPIED, T, r"h_{t,1} \gets 0", END, "return h"), without_first),
    "one element of rows of one loop": ((T, r"h_t \gets x_t", r"h_{t,1} \gets 0", END, "return h"), without_first),
    "one element twice": (
        (T, r"h_t \gets x_t", r"h_{t,1} \gets h_{t,1} + 1", r"h_{t,1} \gets 2 h_{t,1}", END, "return h"),
        lambda x: torch.cat([2 * x[:, :1] + 2, x[:, 1:]], 1),
    ),
    "rows made one by their sums": (
        (T, r"s \gets \sum_{k=1}^{d} x_{t,k}", K, r"x_{t,k} \gets x_{t,k} / s", END, END, "return x"),
        normal,
    ),
    "rows made one by sums over another letter": (
        (T, r"s \gets \sum_{j=1}^{d} x_{t,j}", K, r"x_{t,k} \gets x_{t,k} / s", END, END, "return x"),
        normal,
    ),
    "rows made one by their norms": (
        (T, r"s \gets \lVert x_t \rVert", K, r"x_{t,k} \gets x_{t,k} / s", END, END, "return x"),
        lambda x: x / x.norm(dim=1, keepdim=True),
    ),
    "rows that are made one, and read": (
        (
            T,
            r"s \gets \lVert x_t \rVert",
            K,
            r"x_{t,k} \gets x_{t,k} / s",
            END,
            END,
            T,
            r"y_t \gets x_1^\top x_t + \lVert x_t \rVert",
            END,
            "return y",
        ),
        lambda x: x @ x[0] / x.norm(dim=1) / x[0].norm() + 1,
    ),
    "a softmax of rows": (
        (T, r"s \gets \sum_k \exp(x_{t,k})", K, r"x_{t,k} \gets \exp(x_{t,k}) / s", END, r"y_t \gets \lVert x_t \rVert^2", END, "return y"),
        lambda x: torch.softmax(x, 1).square().sum(1),
    ),
    "a row behind the loop over its elements": (
        (T, K, r"x_{t,k} \gets x_{t,k} + 1", END, r"y_t \gets \lVert x_t \rVert^2", END, "return y"),
        lambda x: (x + 1).square().sum(1),
    ),
    "rows in a later loop": ((*INCREASED, T, r"y_t \gets \lVert x_t \rVert^2", END, "return y"), lambda x: (x + 1).square().sum(1)),
    "rows in brackets": ((*INCREASED, T, r"y_t \gets \lVert x[t] \rVert^2", END, "return y"), lambda x: (x + 1).square().sum(1)),
    "an element of a row, read in brackets": ((*INCREASED, T, r"y_t \gets x_t[1]", END, "return y"), lambda x: x[:, 0] + 1),
    "a sum of rows": ((*INCREASED, r"y \gets \sum_{t=1}^{T} x_t", "return y"), lambda x: (x + 1).sum(0)),
    "the greatest norm of rows": ((*INCREASED, r"y \gets \max_t \lVert x_t \rVert", "return y"), lambda x: (x + 1).norm(dim=1).max()),
    "rows in a sequence": (
        (*INCREASED, r"y \gets \{ \lVert x_t \rVert \}_{t=1}^{T}", "return y"),
        lambda x: (x + 1).norm(dim=1),
    ),
    "pairs of rows": (
        (
            *INCREASED,
            r"\For{$i = 1, \dots, T$}",
            r"\For{$j = 1, \dots, T$}",
            r"D_{i,j} \gets \lVert x_i - x_j \rVert^2",
            END,
            END,
            "return D",
        ),
        lambda x: (x[:, None] - x[None]).square().sum(-1),
    ),
    "columns of updated elements": ((*INCREASED, K, r"y_k \gets \lVert x_{:,k} \rVert", END, "return y"), lambda x: (x + 1).norm(dim=0)),
    "rows of updated columns": (
        (K, r"x_{:,k} \gets 2 x_{:,k}", END, T, r"y_t \gets \lVert x_t \rVert", END, "return y"),
        lambda x: 2 * x.norm(dim=1),
    ),
    "elements of updated rows": ((T, r"x_t \gets 2 x_t", END, T, K, r"y_{t,k} \gets x_{t,k}", END, END, "return y"), lambda x: 2 * x),
    "rows of updated elements, updated": ((*INCREASED, T, r"x_t \gets 2 x_t", END, "return x"), lambda x: 2 * x + 2),
    "elements of updated rows, updated": ((T, r"x_t \gets 2 x_t", END, *INCREASED, "return 3 x"), lambda x: 6 * x + 3),
    "rows of new elements, updated": (
        (T, K, r"h_{t,k} \gets x_{t,k}", END, r"h_t \gets \softmax(h_t)", K, r"h_{t,k} \gets 2 h_{t,k}", END, END, "return h"),
        lambda x: 2 * torch.softmax(x, 1),
    ),
    "elements of a value": (
        (r"h \gets 2 x", T, K, r"h_{t,k} \gets h_{t,k} + 1", END, END, T, r"y_t \gets \lVert h_t \rVert", END, "return y"),
        lambda x: (2 * x + 1).norm(dim=1),
    ),
    "elements in branches": (
        (T, K, r"\If{$x_{t,k} > 0$}", r"x_{t,k} \gets 0", r"\EndIf", END, r"y_t \gets \lVert x_t \rVert", END, "return y"),
        lambda x: x.clamp(max=0).norm(dim=1),
    ),
    "one element in a branch": (
        (T, r"h_t \gets x_t", r"\If{$t > 1$}", r"h_{t,1} \gets 0", r"\EndIf", r"y_t \gets \lVert h_t \rVert", END, "return y"),
        lambda x: torch.cat([x[:1], without_first(x[1:])]).norm(dim=1),
    ),
    "a row in a branch, an element in another": (
        (
            T,
            r"h_t \gets x_t",
            r"\If{$t = 1$}",
            r"h_t \gets 2 x_t",
            r"\EndIf",
            END,
            T,
            *(r"\If{$t > 1$}", r"h_{t,1} \gets 0", r"\EndIf"),
            END,
            "return h",
        ),
        lambda x: torch.cat([2 * x[:1], without_first(x[1:])]),
    ),
    "an element of a row between two assignments to the row": (
        (T, r"h_t \gets x_t", r"h_t \gets h_t + 1", r"y_t \gets h_{t,1}", r"h_t \gets 2 h_t", END, "return y"),
        lambda x: x[:, 0] + 1,
    ),
    "elements of a row between two assignments to the row": (
        (T, r"h_t \gets x_t", r"h_t \gets h_t + 1", K, r"y_{t,k} \gets h_{t,k}", END, r"h_t \gets 2 h_t", END, "return y"),
        lambda x: x + 1,
    ),
    "elements made of the row before": (
        (
            r"h_0 \gets x_1",
            T,
            K,
            r"h_{t,k} \gets x_{t,k} + \lVert h_{t-1} \rVert",
            END,
            END,
            T,
            r"y_t \gets \lVert h_t \rVert",
            END,
            "return y",
        ),
        lambda x: _running(torch.cat([x[:1], x]))[1:].norm(dim=1),
    ),
    "a score of each row beside its elements": (
        (T, K, r"s_{t,k} \gets x_{t,k}^2", END, r"s_t \gets \sum_k s_{t,k}", K, r"p_{t,k} \gets s_{t,k} / s_t", END, END, "return p"),
        lambda x: normal(x.square()),
    ),
    "elements that are updated again and again": (
        (
            r"\For{$q = 1, \dots, 3$}",
            T,
            r"s_t \gets \lVert x_t \rVert",
            END,
            T,
            K,
            r"x_{t,k} \gets x_{t,k} + s_t",
            *(END, END, END),
            "return x",
        ),
        lambda x: _again(x, 3),
    ),
    "a sum over the letter of a loop": (
        (T, r"v \gets 0", K, r"v \gets v + x_{t,k}", r"y_{t,k} \gets v \sum_{k=1}^{d} x_{t,k}", END, END, "return y"),
        lambda x: x.cumsum(1) * x.sum(1, keepdim=True),
    ),
    "rows of branches": (
        (T, r"\If{$t = 1$}", r"h_t \gets x_t", r"\Else", r"h_t \gets 2 x_t", r"\EndIf", END, T, r"h_{t,1} \gets 0", END, "return h"),
        lambda x: without_first(torch.cat([x[:1], 2 * x[1:]])),
    ),
    "an element that a loop accumulates": (
        (T, r"h_t \gets x_t", r"\For{$i = 1, \dots, 3$}", r"h_{t,1} \gets 2 h_{t,1}", END, END, "return h"),
        lambda x: torch.cat([8 * x[:, :1], x[:, 1:]], 1),
    ),
    "the row before": (
        (r"\For{$t = 2, \dots, T$}", r"s \gets \lVert x_{t-1} \rVert", K, r"x_{t,k} \gets x_{t,k} + s", END, END, "return x"),
        lambda x: _running(x),
    ),
    "a row in the turn before the loop over its elements": (
        (T, r"\For{$k = 2, \dots, d$}", r"y_{t,k} \gets 2 x_{t,k-1}", END, K, r"x_{t,k} \gets 0", END, END, "return y"),
        lambda x: 2 * x[:, :-1],
    ),
    "one row and its element": (
        (r"x_1 \gets 2 x_1", r"x_{1,1} \gets 0", "return x"),
        lambda x: torch.cat([without_first(2 * x[:1]), x[1:]]),
    ),
    "a row of one updated element": ((r"x_{1,1} \gets 0", r"y \gets \lVert x_1 \rVert", "return y"), lambda x: x[0, 1:].norm()),
    "a row that a value looks up": (
        (*INCREASED, r"j \gets \operatorname*{argmax}_{t} x_{t,1}", r"y \gets x_j", "return y"),
        lambda x: x[x[:, 0].argmax()] + 1,
    ),
    "a row as an argument": (
        (*INCREASED, r"f(a) \gets \lVert a \rVert", T, r"y_t \gets f(x_t)", END, "return y"),
        lambda x: (x + 1).norm(dim=1),
    ),
}


def _again(x: Tensor, times: int) -> Tensor:
    for _ in range(times):
        x = x + x.norm(dim=1, keepdim=True)
    return x


def _running(x: Tensor) -> Tensor:
    rows = [x[0]]
    for row in x[1:]:
        rows.append(row + rows[-1].norm())
    return torch.stack(rows)


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize("declared", [ROWS, MATRIX, ELEMENTS], ids=["rows", "matrix", "elements"])
@pytest.mark.parametrize("name", ONE_ARRAY)
def test_an_array_its_rows_and_its_elements_are_one(name: str, declared: str, notation: Callable[..., str]) -> None:
    lines, meaning = ONE_ARRAY[name]
    text = notation((declared,), lines)
    x, by_hand = X.clone().requires_grad_(), X.clone().requires_grad_()
    found, wanted = value(text, x), meaning(by_hand)
    torch.testing.assert_close(found, wanted)
    found.square().sum().backward()
    wanted.square().sum().backward()
    torch.testing.assert_close(x.grad, by_hand.grad)


CUBES: dict[str, tuple[tuple[str, ...], Meaning]] = {
    "rows by two indices": (
        (I, J, r"x_{i,j} \gets 2 x_{i,j}", END, END, I, r"y_i \gets \lVert x_i \rVert_F", END, "return y"),
        lambda x: 2 * x.flatten(1).norm(dim=1),
    ),
    "elements": (
        (I, J, K, r"x_{i,j,k} \gets 2 x_{i,j,k}", END, END, END, I, J, r"y_{i,j} \gets \lVert x_{i,j} \rVert", END, END, "return y"),
        lambda x: 2 * x.norm(dim=-1),
    ),
    "elements, then matrices": (
        (I, J, K, r"x_{i,j,k} \gets 2 x_{i,j,k}", END, END, r"y_i \gets \lVert x_i \rVert_F", END, "return y"),
        lambda x: 2 * x.flatten(1).norm(dim=1),
    ),
    "matrices, then rows of them": ((I, r"x_i \gets 3 x_i", END, I, J, r"x_{i,j} \gets 2 x_{i,j}", END, END, "return x"), lambda x: 6 * x),
    "matrices, then elements": (
        (I, r"h_i \gets 3 x_i", END, I, J, K, r"h_{i,j,k} \gets h_{i,j,k} + 1", END, END, END, "return h"),
        lambda x: 3 * x + 1,
    ),
}


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize("name", CUBES)
def test_matrices_rows_and_elements_are_one_array(name: str, notation: Callable[..., str]) -> None:
    lines, meaning = CUBES[name]
    torch.testing.assert_close(value(notation((CUBE,), lines), Y), meaning(Y))


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize("declared", [r"C_k \in \mathbb{R}^{d}, k = 1, \dots, m", r"C \in \mathbb{R}^{m \times d}"])
def test_a_step_of_k_means_sees_the_centres_that_it_moved(declared: str, notation: Callable[..., str]) -> None:
    centres, step = r"\For{$k = 1, \dots, m$}", r"\For{$j = 1, \dots, d$}"
    moved = (centres, step, r"C_{k,j} \gets \frac{1}{2} (C_{k,j} + x_{k,j})", END, END)
    text = notation(
        (r"x \in \mathbb{R}^{n \times d}", declared), (*moved, I, r"y_i \gets \min_k \lVert x_i - C_k \rVert^2", END, "return y"), "x, C"
    )
    start = torch.tensor([[0.0, 1.0, -1.0, 0.5], [2.0, 0.5, 0.0, 1.0]], dtype=torch.float64)
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    wanted = (X[:, None] - (start + X[:2]) / 2).square().sum(-1).min(1).values
    torch.testing.assert_close(result.load().F()(X, start), wanted)


@pytest.mark.parametrize("notation", [algorithm, docstring])
def test_two_elements_of_each_row_of_two(notation: Callable[..., str]) -> None:
    text = notation(
        (r"x_t \in \mathbb{R}^2, t = 1, \dots, T",), (T, r"x_{t,1} \gets 0", END, T, r"x_{t,2} \gets 3 x_{t,2}", END, "return x")
    )
    torch.testing.assert_close(value(text, X[:, :2]), X[:, :2] * torch.tensor([0.0, 3.0], dtype=torch.float64))


# ---- two arrays of one letter ------------------------------------------------------------------

HEADS = (ROWS, r"W_k \in \mathbb{R}^{2 \times d}, k = 1, \dots, m")
W = torch.linspace(-1.0, 1.0, 40, dtype=torch.float64).reshape(5, 2, 4)
HEADED = torch.einsum("kab,tb->tka", W, X)
BLOCKS = r"\For{$k = 1, \dots, m$}"


@pytest.mark.parametrize(
    "text",
    [
        *(
            n(HEADS, (T, BLOCKS, r"x_{t,k} \gets W_k x_t", END, r"y_t \gets \sum_k x_{t,k}", END, "return y"), "x, W")
            for n in (algorithm, docstring)
        ),
        module(
            HEADS,
            (
                r"x_{t,k} \gets W_k x_t \quad (t = 1, \dots, T, k = 1, \dots, m)",
                r"y_t \gets \sum_k x_{t,k} \quad (t = 1, \dots, T)",
                "return y",
            ),
            "x, W",
        ),
    ],
)
def test_vectors_that_are_made_of_a_row_are_another_array(text: str) -> None:
    torch.testing.assert_close(compiled(text).load().F()(X, W), HEADED.sum(1))


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize(
    "again",
    [(r"h \gets 2 h",), (T, r"h_t \gets 2 h_t", END), (T, r"\For{$j = 1, \dots, 2 m$}", r"h_t[j] \gets 2 h_t[j]", END, END)],
    ids=["whole", "rows", "elements"],
)
def test_a_row_of_blocks_is_assigned_again(again: tuple[str, ...], notation: Callable[..., str]) -> None:
    made = (T, BLOCKS, r"b_{t,k} \gets W_k x_t", END, r"h_t \gets \fla{b_{t,1}, \dots, b_{t,m}}", END)
    text = notation(HEADS, (*made, *again, "return h"), "x, W")
    torch.testing.assert_close(compiled(text).load().F()(X, W), 2 * HEADED.flatten(1))
    one_name = notation(HEADS, (*(line.replace("b_{", "h_{") for line in made), *again, "return h"), "x, W")
    if again[:2] == (T, r"h_t \gets 2 h_t"):  # a row that is updated has one shape
        assert refusal(one_name)[0] == "E0401"
    else:
        torch.testing.assert_close(compiled(one_name).load().F()(X, W), 2 * HEADED.flatten(1))


@pytest.mark.parametrize("notation", [algorithm, docstring])
def test_numbers_that_are_made_of_a_row_may_be_its_elements(notation: Callable[..., str]) -> None:
    rows = (ROWS, r"w_k \in \mathbb{R}^{d}, k = 1, \dots, m")
    text = notation(rows, (T, BLOCKS, r"x_{t,k} \gets w_k^\top x_t", END, r"y_t \gets \sum_k x_{t,k}", END, "return y"), "x, w")
    code, message, help = refusal(text)
    assert code == "E0303"
    assert "can be an element of `x_t`" in message
    assert "a name of its own" in help
    torch.testing.assert_close(compiled(text.replace("x_{t,k}", "z_{t,k}")).load().F()(X, W[:, 0]), (X @ W[:, 0].T).sum(1))


# ---- refused -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "second", [r"h_{t,1} \gets 0 \quad (t = 1, \dots, T)", r"h_{t,k} \gets 0 \quad (t = 1, \dots, T, k = 1, \dots, d)"]
)
@pytest.mark.parametrize("first", [r"h_t \gets 2 x_t \quad (t = 1, \dots, T)", r"h[t] \gets 2 x_t \quad (t = 1, \dots, T)"])
def test_a_module_defines_elements_of_rows_once(first: str, second: str) -> None:
    code, message, help = refusal(module((ROWS,), (first, second, "return h")))
    assert code == "E0303"
    assert "defined twice" in message
    assert "a name of its own" in help


@pytest.mark.parametrize("declared", [ROWS, MATRIX, ELEMENTS])
def test_a_module_does_not_define_elements_of_an_input(declared: str) -> None:
    code, message, _ = refusal(module((declared,), (r"x_{t,1} \gets 0 \quad (t = 1, \dots, T)", "return 2 x")))
    assert code == "E0303"
    assert "`x` is an input" in message


BEGUN = r"h \gets 0 x"
IN_PLACE: dict[str, tuple[tuple[str, ...], Meaning]] = {
    "a row while its elements are assigned": (
        (T, K, r"x_{t,k} \gets x_{t,k} / \lVert x_t \rVert", END, END, "return x"),
        lambda x: _in_place(x, lambda row: row.norm()),
    ),
    "two elements of a row in one loop": (
        (T, r"x_{t,1} \gets 0", r"x_{t,2} \gets 1", END, "return x"),
        lambda x: torch.cat([torch.zeros_like(x[:, :1]), torch.ones_like(x[:, :1]), x[:, 2:]], 1),
    ),
    "an element in the middle of rows that were copied": (
        (BEGUN, *COPIED, T, r"h_{t,2} \gets 0", END, "return h"),
        lambda x: torch.cat([x[:, :1], torch.zeros_like(x[:, :1]), x[:, 2:]], 1),
    ),
    "a sum over the letter that a loop assigns elements with": (
        (T, K, r"x_{t,k} \gets x_{t,k} / \sum_{k=1}^{d} x_{t,k}", END, END, "return x"),
        lambda x: _in_place(x, lambda row: row.sum()),
    ),
    "rows and elements of one loop": (
        (T, r"x_t \gets 2 x_t", K, r"x_{t,k} \gets x_{t,k} + 1", END, END, "return x"),
        lambda x: 2 * x + 1,
    ),
    "a row between two assignments to an element of it": (
        (BEGUN, T, r"h_t \gets x_t", r"h_{t,1} \gets 3", r"y_t \gets \lVert h_t \rVert", r"h_{t,1} \gets 2 h_{t,1}", END, "return y"),
        lambda x: torch.cat([torch.full_like(x[:, :1], 3.0), x[:, 1:]], 1).norm(dim=1),
    ),
    "an element that may be one with two values in a turn": (
        (BEGUN, T, r"h_t \gets x_t", r"h_{t,1} \gets 3", r"y_t \gets \sum_j h_{t,j}", r"h_{t,1} \gets 2 h_{t,1}", END, "return y"),
        lambda x: 3 + x[:, 1:].sum(1),
    ),
    "an element between two assignments to its row": (
        (BEGUN, T, r"h_t \gets x_t", r"h_{t,1} \gets 0", r"h_t \gets 2 h_t", END, "return h"),
        lambda x: 2 * without_first(x),
    ),
    "a row or an element of it in branches": (
        (BEGUN, T, r"h_t \gets x_t", r"\If{$t = 1$}", r"h_t \gets 2 x_t", r"\Else", r"h_{t,1} \gets 0", r"\EndIf", END, "return h"),
        lambda x: torch.cat([2 * x[:1], without_first(x[1:])]),
    ),
}


def _in_place(x: Tensor, size: Meaning) -> Tensor:
    y = x.detach().clone()
    for row in y:
        for k in range(len(row)):
            row[k] = row[k] / size(row)
    return y


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize(
    "lines",
    [
        (r"x_{1,0} \gets 0", "return x"),
        (T, r"x_{t,0} \gets 0", END, "return x"),
        (r"h \gets 2 x", T, r"h_{t,0} \gets 5", END, "return h"),
        (r"h \gets x_1", r"h_0 \gets 5", "return h"),
    ],
)
def test_an_element_that_an_array_does_not_have_is_not_assigned(lines: tuple[str, ...], notation: Callable[..., str]) -> None:
    code, message, _ = refusal(notation((MATRIX,), lines))
    assert code == "E0303"
    assert "has no such element" in message


@pytest.mark.parametrize(
    "text",
    [
        *(n((MATRIX,), (T, r"h_t \gets 2 x_t", END, r"h_{1,1} \gets 0", "return h")) for n in (algorithm, docstring)),
        *(n((MATRIX,), (T, r"h_t \gets 2 x_t", END, r"h_{T,1} \gets 0", "return h")) for n in (algorithm, docstring)),
        module((MATRIX,), (r"h_t \gets 2 x_t \quad (t = 0, \dots, T - 1)", r"h_{1,1} \gets 0", "return h")),
        module((ROWS,), (r"x_{1,1} \gets 0", "return x")),
    ],
)
def test_a_name_that_can_be_an_element_is_asked_about(text: str) -> None:
    code, message, help = refusal(text)
    assert code == "E0303"
    assert "can be an element of" in message
    assert "for the element" in help


@pytest.mark.parametrize("notation", [algorithm, docstring])
def test_an_element_at_numbers_is_written_in_brackets(notation: Callable[..., str]) -> None:
    text = notation((MATRIX,), (T, r"h_t \gets 2 x_t", END, r"h[1, 1] \gets 0", "return h"))
    torch.testing.assert_close(compiled(text).load().F()(X), 2 * torch.cat([without_first(X[:1]), X[1:]]))


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize("declared", [ROWS, MATRIX])
def test_an_element_of_the_last_row(declared: str, notation: Callable[..., str]) -> None:
    text = notation((declared,), (r"x_{T,1} \gets 0", T, r"y_t \gets \lVert x_t \rVert", END, "return y"))
    torch.testing.assert_close(compiled(text).load().F()(X), torch.cat([X[:-1], without_first(X[-1:])]).norm(dim=1))


@pytest.mark.parametrize("notation", [algorithm, docstring])
@pytest.mark.parametrize("name", IN_PLACE)
def test_assigned_in_place(name: str, notation: Callable[..., str]) -> None:
    lines, meaning = IN_PLACE[name]
    torch.testing.assert_close(value(notation((MATRIX,), lines), X), meaning(X))


@pytest.mark.parametrize("bounds", [r"0, \dots, S", r"1, \dots, S+1", r"0, \dots, S+2"])
@pytest.mark.parametrize("row", [r"x_t \in \mathbb{R}, t = 1, \dots, S", r"x \in \mathbb{R}^S"])
def test_a_loop_over_more_than_an_input_has_is_refused(bounds: str, row: str) -> None:
    loop = rf"\For{{$t = {bounds}$}} \State $x_t \gets 5$ \EndFor"
    text = rf"\begin{{algorithmic}} \Require ${row}$ \Procedure{{F}}{{$x$}} {loop} \State \Return $x$ \EndProcedure \end{{algorithmic}}"
    assert [d.code for d in mathdsl.compile(text).diagnostics if d.severity == "error"] == ["E0303"]
    whole = mathdsl.compile(text.replace(bounds, r"1, \dots, S"))
    assert whole.load().F()(torch.ones(3)).tolist() == [5, 5, 5]


LAYERS = (r"x^l_t \in \mathbb{R}, l = 1, \dots, 3, t = 1, \dots, n",)


@pytest.mark.parametrize("notation", [algorithm, docstring, module])
@pytest.mark.parametrize(
    "lines",
    [
        (r"c^l \gets 2 x^l \quad (l = 1, \dots, 3)", r"\Return c_1^2"),
        (r"c^l \gets 2 x^l \quad (l = 1, \dots, 3)", r"\Return c^2_1"),
        (r"c^l_t \gets 2 x^l_t \quad (l = 1, \dots, 3, t = 1, \dots, n)", r"\Return c_1^2"),
        (r"c^l \gets 2 x^l \quad (l = 1, \dots, 3)", r"d \gets c^2", r"\Return d[1]"),
    ],
)
def test_an_element_of_what_a_superscript_defines(lines: tuple[str, ...], notation: Callable[..., str]) -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]])  # t, l
    torch.testing.assert_close(value(notation(LAYERS, lines), x), 2 * x[0, 1])


@pytest.mark.parametrize("element", ["A_{1k}", "A_{0k}", "A_{2k}", "A_{1n}"])
@pytest.mark.parametrize("rows", [(r"A \in \mathbb{R}^{n \times n}",), (r"A_{ij} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n",)])
@pytest.mark.parametrize("notation", [algorithm, docstring, module])
def test_a_digit_before_an_index_in_the_subscript_of_a_matrix_is_asked_about(
    element: str, rows: tuple[str, ...], notation: Callable[..., str]
) -> None:
    code, message, _ = refusal(notation(rows, (rf"\Return \sum_{{k=1}}^{{n}} {element}",), header="A"))
    assert code == "E0304"
    assert "row" in message
