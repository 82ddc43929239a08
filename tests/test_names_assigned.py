r"""One letter for two things: what a loop counts, sizes and reserved letters that are assigned, families of a size, fonts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from itertools import combinations, combinations_with_replacement
from types import ModuleType

import pytest
import torch
from differential import check_text

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

VECTOR = r"x_i \in \mathbb{R}, i = 1, \dots, n"
X = torch.tensor([0.5, -1.0, 2.0, 1.5], dtype=torch.float64)


def algorithm(rows: list[str], *lines: str, header: str = "x") -> str:
    """A program in algorithmic notation; a line that begins with a command of its own is no statement."""
    required = "\n".join(rf"\Require ${row}$" for row in rows)
    body = "\n".join(line if line.startswith((r"\For", r"\End", r"\If", r"\Else")) else rf"\State {_shown(line)}" for line in lines)
    return f"\\begin{{algorithmic}}\n{required}\n\\Procedure{{F}}{{${header}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n"


def _shown(line: str) -> str:
    return rf"\Return ${line.removeprefix('return ')}$" if line.startswith("return ") else f"${line}$"


def docstring(rows: list[str], *lines: str, header: str = "x") -> str:
    """The same in docstring notation."""
    body = "".join(rf"{_docstring_line(line)} \\" + "\n" for line in lines)
    return "\\algoProc{\\F}\\pa{" + header + "} \\\\\n" + body + "\\algoEndProc \\\\\n" + table(rows)


def _docstring_line(line: str) -> str:
    return rf"\algoReturn {line.removeprefix('return ')}" if line.startswith("return ") else line


def table(rows: list[str]) -> str:
    return "\\begin{where}\n" + "".join(rf"{row} & \\" + "\n" for row in rows) + "\\end{where}\n"


def module(rows: list[str], *lines: str, header: str = "x") -> str:
    body = "".join((rf"\Return {line.removeprefix('return ')}" if line.startswith("return ") else line) + " \\\\\n" for line in lines)
    return f"\\Module{{F}}{{{header}}}\n{body}\\EndModule\n{table(rows)}"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def loaded(text: str) -> ModuleType:
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    check_text(text)
    return result.load()


def check_refused(text: str, code: str, message: str, help: str) -> None:
    errors = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == [code], [(d.code, d.message) for d in errors]
    assert message in errors[0].message
    assert help in errors[0].help


# ---- loop variables ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("i", [r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"i \gets x_i", r"s \gets s + i", r"\EndFor", "return s"]),
        ("k", [r"s \gets x_1", r"\For{$k = 1, \dots, 3$}", r"k \gets k^2", r"s \gets s + k", r"\EndFor", "return s"]),
        (
            "i",
            [
                r"s \gets 0",
                r"\For{$i = 1, \dots, n$}",
                r"\If{$x_i > 0$}",
                r"i \gets x_i",
                r"\EndIf",
                r"s \gets s + i",
                r"\EndFor",
                "return s",
            ],
        ),
        ("i", [r"\For{$i = 1, \dots, n$}", r"(i, t) \gets (x_i, 2)", r"y_i \gets i t", r"\EndFor", "return y"]),
        (
            "i",
            [
                r"s \gets 0",
                r"\For{$i = 1, \dots, n$}",
                r"\For{$j = 1, \dots, 2$}",
                r"i \gets i + j",
                r"\EndFor",
                r"s \gets s + i x_i",
                r"\EndFor",
                "return s",
            ],
        ),
        ("i", [r"\For{$i = 1, \dots, n$}", r"y_i \gets x_i", r"i \gets i + 1", r"\EndFor", "return y"]),
    ],
)
def test_loop_variable_is_not_assigned(name: str, lines: list[str]) -> None:
    check_refused(algorithm([VECTOR], *lines), "E0303", f"the loop variable `{name}` cannot be assigned", "a name of its own")


def test_value_of_its_own_for_a_loop_variable() -> None:
    text = algorithm([VECTOR], r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"v \gets x_i", r"s \gets s + v", r"\EndFor", "return s")
    torch.testing.assert_close(loaded(text).F()(X), X.sum())


def test_letter_of_a_loop_is_free_outside() -> None:
    text = algorithm([VECTOR], r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"s \gets s + x_i", r"\EndFor", r"i \gets 2 s", "return i")
    torch.testing.assert_close(loaded(text).F()(X), 2 * X.sum())


def test_family_of_another_loop_variables_letter() -> None:
    lines = [r"\For{$i = 1, \dots, n$}", r"k_i \gets x_i^2", r"\EndFor", r"\For{$k = 1, \dots, n$}", r"z_k \gets k_k + k", r"\EndFor"]
    torch.testing.assert_close(loaded(algorithm([VECTOR], *lines, "return z")).F()(X), X**2 + torch.arange(1, 5))


# ---- reserved letters in loops ----------------------------------------------------------------


def _loop(*lines: str) -> list[str]:
    return [r"\For{$i = 1, \dots, n$}", *lines, r"\EndFor"]


@pytest.mark.parametrize(
    ("letter", "lines"),
    [
        (r"\sigma", [*_loop(r"\sigma \gets 2 x_i", r"y_i \gets \sigma(x_i)"), "return y"]),
        (r"\Gamma", [*_loop(r"\Gamma \gets x_i + 3", r"y_i \gets \Gamma(2)"), "return y"]),
        ("e", [*_loop(r"e \gets x_i + 3", r"y_i \gets e^{2}"), "return y"]),
        ("e", [*_loop(r"e \gets x_i + 3", r"y_i \gets e^{-x_i}"), "return y"]),
        ("e", [r"e \gets 0", *_loop(r"e \gets e^{x_i}"), "return e"]),
        ("e", [r"e \gets 0", *_loop(r"\If{$x_i > 0$}", r"e \gets x_i + 3", r"\EndIf", r"y_i \gets e^{2}"), "return y"]),
        ("e", [*_loop(r"\If{$x_i > 0$}", r"e \gets 3", r"y_i \gets e^{2}", r"\Else", r"y_i \gets 1", r"\EndIf"), "return y"]),
        (r"\pi", [r"\pi \gets 0", *_loop(r"\pi \gets \pi + x_i"), r"return 2\pi"]),
        (r"\pi", [r"\pi \gets 0", *_loop(r"\pi \gets \pi + x_i", r"y_i \gets 2\pi x_i"), "return y"]),
        (r"\pi", [*_loop(r"\pi \gets x_i", r"y_i \gets 2 \cdot \pi"), "return y"]),
    ],
)
def test_reserved_letter_assigned_in_a_loop(letter: str, lines: list[str]) -> None:
    check_refused(algorithm([VECTOR], *lines), "E0304", f"or what this program calls `{letter}`", "yours another name")


def test_reserved_letter_of_a_loop_as_the_authors() -> None:
    text = algorithm([VECTOR], *_loop(r"e \gets x_i + 3", r"y_i \gets e + \pi x_i"), "return y")
    torch.testing.assert_close(loaded(text).F()(X), X + 3 + torch.pi * X)


def test_family_of_a_reserved_letter_in_a_loop() -> None:
    lines = _loop(r"\pi_i \gets x_i + 3", r"e_i \gets \pi_i", r"\sigma_i \gets x_i", r"y_i \gets 2\pi + \pi_i + e^{-x_i} + \sigma(x_i)")
    expected = 2 * torch.pi + X + 3 + torch.exp(-X) + torch.sigmoid(X)
    torch.testing.assert_close(loaded(algorithm([VECTOR], *lines, "return y")).F()(X), expected)


def test_element_of_the_authors_e_to_a_power() -> None:
    text = algorithm([r"x_i \in \mathbb{R}^d, i = 1, \dots, n"], *_loop(r"e \gets 2 x_i", r"y_i \gets e[1]^2"), "return y")
    x = torch.stack((X, X + 1))
    torch.testing.assert_close(loaded(text).F()(x), 4 * x[:, 0] ** 2)


def test_argument_of_a_function_beside_a_loop_that_assigns_its_letter() -> None:
    text = algorithm([VECTOR], r"f(e) \gets e^{2}", *_loop(r"e \gets x_i + 1", r"y_i \gets f(e)"), "return y")
    torch.testing.assert_close(loaded(text).F()(X), (X + 1) ** 2)


# ---- sizes ------------------------------------------------------------------------------------

MATRIX = r"x_i \in \mathbb{R}^d, i = 1, \dots, n"
WEIGHTS = [r"x \in \mathbb{R}^d", r"W \in \mathbb{R}^{h \times d}"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n", algorithm([VECTOR], r"s \gets 0", r"n \gets 2", *_loop(r"s \gets s + x_i"), "return s")),
        ("n", algorithm([VECTOR], r"n \gets 0", *_loop(r"n \gets n + x_i"), "return n")),
        ("n", docstring([VECTOR], r"n \algoEq 0", r"\algoFor{i \in \set{1, \dots, n}}", r"n \algoEq n + x_i", r"\algoEndFor", "return n")),
        ("n", module([VECTOR], r"n \gets \sum_{i=1}^{n} x_i", "return n")),
        ("d", module([MATRIX], r"d \gets \sum_{i=1}^{n} \lVert x_i \rVert", "return d")),
        ("h", module(WEIGHTS, r"h \gets \tanh(W x)", r"return \frac{1}{h} \sum_j h_j", header="x ; W")),
    ],
)
def test_size_is_not_assigned(name: str, text: str) -> None:
    check_refused(text, "E0303", f"`{name}` is a size and cannot be assigned", "a name of its own")


def test_distances_beside_the_size_of_their_letter() -> None:
    rows = [MATRIX, r"y_j \in \mathbb{R}^d, j = 1, \dots, m"]
    distances = r"d_{i,j} \gets \lVert x_i - y_j \rVert \quad (i = 1, \dots, n, j = 1, \dots, m)"
    made = loaded(module(rows, distances, r"return \sum_{i=1}^{n} \sum_{j=1}^{m} d_{i,j}^2", header="x, y")).F()
    x, y = torch.randn(3, 2, dtype=torch.float64), torch.randn(4, 2, dtype=torch.float64)
    torch.testing.assert_close(made(x, y), ((x[:, None] - y) ** 2).sum())


def test_counts_beside_the_size_of_their_letter() -> None:
    rows = [VECTOR, r"y_i \in \{1, \dots, K\}, i = 1, \dots, n"]
    counts = r"n_k \gets \sum_{i=1}^n \mathbb{1}[y_i = k] \quad (k = 1, \dots, K)"
    made = loaded(module(rows, counts, r"return \sum_{k=1}^{K} n_k^2 x_1", header="x, y")).F(K=3)
    torch.testing.assert_close(made(X, torch.tensor([1, 3, 3, 3])), 10 * X[0])


def test_family_of_a_sizes_letter_in_a_loop() -> None:
    text = algorithm([MATRIX], *_loop(r"d_i \gets \lVert x_i \rVert"), r"s \gets 0", *_loop(r"s \gets s + d_i"), "return s")
    x = torch.randn(3, 2, dtype=torch.float64)
    torch.testing.assert_close(loaded(text).F()(x), torch.linalg.vector_norm(x, dim=-1).sum())


def test_ranges_to_a_size_beside_a_family_of_its_letter() -> None:
    body = [r"d_i \gets \sum_{k=1}^{d} x_{i,k} \quad (i = 1, \dots, n)", r"return \sum_{i=1}^{n} d_i"]
    x = torch.randn(3, 2, dtype=torch.float64)
    torch.testing.assert_close(loaded(module([r"x \in \mathbb{R}^{n \times d}"], *body)).F()(x), x.sum())


def test_parameters_of_a_sizes_letter() -> None:
    rows = [r"x \in \mathbb{R}^d", r"W \in \mathbb{R}^{h \times d}", r"h_i \in \mathbb{R}, i = 1, \dots, h"]
    made = loaded(module(rows, r"y \gets W x", r"return \sum_{i=1}^{h} h_i y_i", header="x ; W, h")).F(d=2, h=3).double()
    x = torch.randn(2, dtype=torch.float64)
    assert set(made.state_dict()) == {"W", "h_2"}
    torch.testing.assert_close(made(x), (made.state_dict()["W"] @ x) @ made.state_dict()["h_2"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("d", module([MATRIX], r"d_i \gets \lVert x_i \rVert \quad (i = 1, \dots, n)", r"return \frac{1}{d} \sum_{i=1}^{n} d_i")),
        ("d", module([MATRIX], r"d_i \gets \lVert x_i \rVert \quad (i = 1, \dots, n)", "return d")),
        ("d", module([MATRIX], r"d_i \gets \lVert x_i \rVert \quad (i = 1, \dots, n)", r"return \max(d)")),
        ("d", algorithm([MATRIX], *_loop(r"d_i \gets \lVert x_i \rVert"), r"s \gets 0", *_loop(r"s \gets s + d_i"), r"return s / d")),
        (
            "K",
            module(
                [VECTOR, r"\mu_k \in \mathbb{R}, k = 1, \dots, K"],
                r"K_{i,j} \gets e^{-(x_i-x_j)^2} \quad (i = 1, \dots, n, j = 1, \dots, n)",
                r"return \frac{1}{K} \sum_{k=1}^K \mu_k + \sum_{i,j} K_{i,j}",
                header=r"x, \mu",
            ),
        ),
    ],
)
def test_bare_letter_of_a_size_and_of_a_family(name: str, text: str) -> None:
    check_refused(text, "E0312", f"`{name}` can be the size, or the array", "another name")


def test_size_under_another_letter_than_its_family() -> None:
    norms = r"d_i \gets \lVert x_i \rVert \quad (i = 1, \dots, n)"
    made = loaded(module([r"x_i \in \mathbb{R}^m, i = 1, \dots, n"], norms, r"return \frac{1}{m} \sum_{i=1}^{n} d_i")).F()
    x = torch.randn(3, 2, dtype=torch.float64)
    torch.testing.assert_close(made(x), torch.linalg.vector_norm(x, dim=-1).sum() / 2)


# ---- headers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["h_0", "h", r"\hat{h}"])
@pytest.mark.parametrize("notation", [module, algorithm, docstring])
def test_row_with_a_superscript_is_of_the_headers_name(name: str, notation: Callable[..., str]) -> None:
    rows = [rf"{name}^l \in \mathbb{{R}}^d, l = 1, \dots, L", r"x \in \mathbb{R}^d"]
    made = loaded(notation(rows, rf"return x + \sum_{{l=1}}^{{L}} l {name}^l", header=f"x, {name}")).F().double()
    assert not made.state_dict()
    x, h = torch.randn(3, dtype=torch.float64), torch.randn(2, 3, dtype=torch.float64)
    torch.testing.assert_close(made(x, h), x + h[0] + 2 * h[1])


def test_first_element_of_what_a_program_defines_by_superscript() -> None:
    body = [r"h^0 \gets h", r"h^l \gets h^{l-1} + x \quad (l = 1, \dots, L)", "return h^L"]
    text = module([r"h^l \in \mathbb{R}^d, l = 0, \dots, L", r"x \in \mathbb{R}^d"], *body, header="x, h")
    x, h = torch.randn(3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    torch.testing.assert_close(loaded(text).F(L=4)(x, h), h + 4 * x)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (r"\mathbf{w}, w", ["w_bf", "w"]),
        (r"w, \mathbf{w}", ["w", "w_bf"]),
        (r"\mathbf{w}, \mathcal{w}, w", ["w_bf", "w_cal", "w"]),
        (r"\mathbf{w}, v", ["w", "v"]),
        (r"\mathbf{w}, W", ["w", "W"]),
    ],
)
def test_plain_letter_keeps_its_name_beside_one_with_a_font(header: str, names: list[str]) -> None:
    symbols = header.split(", ")
    made = loaded(module([rf"{s} \in \mathbb{{R}}" for s in symbols], "return " + " + ".join(symbols), header=header)).F()
    assert list(inspect.signature(made.forward).parameters) == names


def test_parameters_with_and_without_a_font() -> None:
    rows = [r"x \in \mathbb{R}", r"\mathbf{w} \in \mathbb{R}^3", r"w \in \mathbb{R}^2"]
    made = loaded(module(rows, r"return x \lVert \mathbf{w} \rVert + \lVert w \rVert", header=r"x ; \mathbf{w}, w")).F()
    assert {name: tuple(value.shape) for name, value in made.state_dict().items()} == {"w_bf": (3,), "w": (2,)}


# ---- sums over several indices ----------------------------------------------------------------


def _sum_over(values: Iterable[tuple[int, ...]]) -> torch.Tensor:
    return torch.stack([X[[k - 1 for k in indices]].prod() for indices in values]).sum()


@pytest.mark.parametrize(
    ("written", "indices"),
    [
        (r"\sum_{i<j<k} x_i x_j x_k", combinations(range(1, 5), 3)),
        (r"\sum_{1 \leq i<j<k \leq n} x_i x_j x_k", combinations(range(1, 5), 3)),
        (r"\sum_{i<j<n} x_i x_j", combinations(range(1, 4), 2)),
        (r"\sum_{1 \leq i<j \leq n} x_i x_j", combinations(range(1, 5), 2)),
        (r"\sum_{1 \leq i \leq j \leq n} x_i x_j", combinations_with_replacement(range(1, 5), 2)),
        (r"\sum_{1<i<j} x_i x_j", combinations(range(2, 5), 2)),
        (r"\sum_{1 \leq j<k<n} x_j x_k", combinations(range(1, 4), 2)),
        (r"\sum_j x_j \sum_{i<j<k} x_i x_k", combinations(range(1, 5), 3)),
        (r"\sum_{2 \leq i<n} x_i", [(2,), (3,)]),
    ],
)
def test_sum_over_indices_in_order(written: str, indices: Iterable[tuple[int, ...]]) -> None:
    torch.testing.assert_close(loaded(module([VECTOR], f"return {written}")).F()(X), _sum_over(indices))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("j", r"\sum_{i<j} x_i^2"),
        ("j", r"\sum_{i \neq j} x_i"),
        ("k", r"\sum_{i<j<k} x_i x_j"),
        ("m", r"\sum_{i<m} x_i"),
    ],
)
def test_index_that_nothing_declares_in_a_condition(name: str, written: str) -> None:
    check_refused(module([VECTOR], f"return {written}"), "E0505", f"`{name}` can be an index of its own, or a size", r"\in \mathbb{N}")


def test_ways_out_of_a_condition_with_a_name_that_nothing_declares() -> None:
    text = module([VECTOR], r"return \sum_{j=1}^{n} \sum_{i < j} x_i^2")
    torch.testing.assert_close(loaded(text).F()(X), 3 * X[0] ** 2 + 2 * X[1] ** 2 + X[2] ** 2)
    text = module([VECTOR, r"j \in \mathbb{N}"], r"return \sum_{i < j} x_i^2")
    torch.testing.assert_close(loaded(text).F(j=3)(X), X[0] ** 2 + X[1] ** 2)
