r"""Indices side by side in one script, `W_{k\ell}`, `s_{ij'}`: one index each, in all three notations, alone, in batches and ragged."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import compile

A = torch.tensor([[1.0, 2, 4], [8, 16, 32], [64, 128, 256]], dtype=torch.float64)
B = torch.tensor([[0.5, -3.0], [2.0, 0.25]], dtype=torch.float64)
TABLE = r"\begin{where} A \in \mathbb{R}^{n \times n} & \\ \end{where}"


def written(notation: str, lines: tuple[str, ...], result: str) -> str:
    """A program of some lines that returns something of a square matrix `A`."""
    match notation:
        case "module":
            rows = "".join(rf"{line} \\ " for line in lines)
            return rf"\Module{{F}}{{A ; }} {rows}\Return {result} \\ {TABLE} \EndModule"
        case "docstring":
            rows = "".join(line.replace(r"\gets", r"\algoEq") + " \\\\\n" for line in lines)
            return "\\algoProc{\\F}\\pa{A} \\\\\n" + rows + rf"\algoReturn {result} \\ \algoEndProc \\ {TABLE}"
        case _:
            rows = "".join(f"\\State ${line}$\n" for line in lines)
            declared = r"\Require $A \in \mathbb{R}^{n \times n}$"
            program = f"{declared}\n\\Procedure{{F}}{{$A$}}\n{rows}\\State \\Return ${result}$\n\\EndProcedure"
            return f"\\begin{{algorithmic}}\n{program}\n\\end{{algorithmic}}"


def check(text: str, expected: Callable[[Tensor], Tensor]) -> None:
    """The module gives what torch gives for two matrices of different sizes, alone and in one ragged batch, and for a plain batch."""
    result = compile(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    assert not [d.message for d in result.diagnostics]
    module = result.load().F()
    for value in (A, B):
        torch.testing.assert_close(module(value), expected(value))
    torch.testing.assert_close(module(torch.stack((A, A.T))), torch.stack((expected(A), expected(A.T))))
    padded = torch.full((2, 4, 4), torch.nan, dtype=torch.float64)
    padded[0, :3, :3], padded[1, :2, :2] = A, B
    together = module(padded, lengths=torch.tensor([3, 2]))
    for row, value in zip(together, (A, B), strict=True):
        one = expected(value)
        torch.testing.assert_close(row[tuple(slice(0, extent) for extent in one.shape)], one)


RETURNED: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "commands": (r"\sum_{k=1}^n \sum_{\ell=1}^n A_{k\ell} \ell", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "Greek letters": (r"\sum_{\mu=1}^n \sum_{\nu=1}^n A_{\mu\nu} \nu", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "a letter and a command": (r"\sum_{i=1}^n \sum_{\beta=1}^n A_{i\beta} A_{\beta i}", lambda a: (a * a.T).sum()),
    "two primes": (r"\sum_{i'=1}^n \sum_{j'=1}^n A_{i'j'} j'", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "a prime first": (r"\sum_{i=1}^n \sum_{j'=1}^n A_{j'i} i", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "a prime last": (r"\sum_{i=1}^n \sum_{j'=1}^n A_{i j'} j'", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "a prime of the same letter": (r"\sum_{k=1}^n \sum_{k'=1}^n A_{kk'} k'", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "the diagonal": (r"\sum_{k=1}^n A_{kk}", torch.trace),
    "an accent": (r"\sum_{i=1}^n \sum_{\hat{j}=1}^n A_{i\hat{j}} \hat{j}", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "a parenthesis": (r"\sum_{i=1}^n \sum_{j=1}^n A_{i(j)} j", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "of a transpose": (r"\sum_{i=1}^n \sum_{j=1}^n (A^\top)_{ij} i", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "of a parenthesis": (r"\sum_{i=1}^n \sum_{j=1}^n (A)_{ij} j", lambda a: (a * torch.arange(1, len(a) + 1)).sum()),
    "below a sum": (r"\sum_{ij} A_{ij} A_{ji}", lambda a: (a * a.T).sum()),
    "below a sum over commas": (r"\sum_{ij} A_{i,j} A_{j,i}", lambda a: (a * a.T).sum()),
    "below a sum over brackets": (r"\max_{ij} A[i, j]", torch.amax),
    "below a sum, of three": (r"\sum_{ijk} A_{ij} A_{jk}", lambda a: (a @ a).sum()),
    "below a sum, one by one": (r"\sum_{ij} \max_k (A_{i,k} - A_{k,j})", lambda a: (a[:, :, None] - a[None]).amax(1).sum()),
    "commands below a sum": (r"\sum_{k\ell} A_{k\ell} A_{\ell k}", lambda a: (a * a.T).sum()),
    "in order": (r"\sum_{i < j} A_{ij}", lambda a: a.triu(1).sum()),
    "in order between ends": (r"\sum_{1 \leq i < j \leq n} A_{ij}", lambda a: a.triu(1).sum()),
    "in order, beside an index that ends a range": (
        r"\sum_{i < j} A_{ij} + \sum_{j=1}^n \sum_{k=1}^j A_{jk}",
        lambda a: a.triu(1).sum() + a.tril().sum(),
    ),
    "two that differ": (r"\sum_{i \neq j} A_{ij}", lambda a: a.sum() - a.trace()),
    "another of the same range": (r"\sum_{k=1}^n \sum_{k' \neq k} A_{kk'} A_{k'k}", lambda a: (a * a.T).sum() - (a.diagonal() ** 2).sum()),
    "a power": (r"\sum_{i=1}^n \sum_{j=1}^n A_{ij}^2", lambda a: (a**2).sum()),
    "elements of a row": (r"\max_{i=1}^n \sum_{j=1}^n (A_{ij})^2", lambda a: (a**2).sum(1).amax()),
}


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
@pytest.mark.parametrize("name", RETURNED)
def test_each_is_an_index(name: str, notation: str) -> None:
    result, expected = RETURNED[name]
    check(written(notation, (), result), expected)


OVER_BOTH = r" \quad (i, j = 1, \dots, n)"
DEFINED: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "on the left side": (r"b_{ij} \gets 2 A_{ij}" + OVER_BOTH, lambda a: 2 * a),
    "commands on the left side": (r"b_{k\ell} \gets 2 A_{\ell k} \quad (k, \ell = 1, \dots, n)", lambda a: 2 * a.T),
    "primes on the left side": (r"b_{ii'} \gets 2 A_{i'i} \quad (i, i' = 1, \dots, n)", lambda a: 2 * a.T),
    "an index bound anew": (r"b_{i,j} \gets A_{ij} - \frac{1}{n} \sum_{j=1}^n A_{ij}" + OVER_BOTH, lambda a: a - a.mean(1, keepdim=True)),
    "bound anew in a maximum": (r"b_{ij} \gets A_{ij} - \max_{j=1}^n A_{ij}" + OVER_BOTH, lambda a: a - a.amax(1, keepdim=True)),
    "bound anew twice": (
        r"b_{ij} \gets A_{ij} - \frac{1}{n} \sum_{i=1}^n A_{ij} - \frac{1}{n} \sum_{j=1}^n A_{ij} + \frac{1}{n^2} \sum_{k\ell} A_{k\ell}"
        + OVER_BOTH,
        lambda a: a - a.mean(0, keepdim=True) - a.mean(1, keepdim=True) + a.mean(),
    ),
    "bound with a prime": (
        r"b_{ij} \gets \frac{e^{A_{ij}}}{\sum_{j'=1}^n e^{A_{ij'}}}" + OVER_BOTH,
        lambda a: a.softmax(1),
    ),
    "a prime alone": (r"b_i \gets \sum_{j'=1}^n A_{ij'} \quad (i = 1, \dots, n)", lambda a: a.sum(1)),
    "another of the same range": (
        r"b_k \gets \sum_{k' \neq k} (A_{kk'} - A_{k'k}) \quad (k = 1, \dots, n)",
        lambda a: (a - a.T).sum(1),
    ),
    "a softmax": (r"b_i \gets \operatorname{softmax}_j(A_{ij}) \quad (i = 1, \dots, n)", lambda a: a.softmax(1)),
}


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
@pytest.mark.parametrize("name", DEFINED)
def test_each_is_an_index_where_an_array_is_defined(name: str, notation: str) -> None:
    line, expected = DEFINED[name]
    check(written(notation, (line,), "b"), expected)


LOOPED: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "on the left side": (r"b_{ij} \gets 2 A_{ij}", lambda a: 2 * a),
    "an update": (r"A_{ij} \gets A_{ij} + i", lambda a: a + torch.arange(1, len(a) + 1)[:, None]),
    "bound anew": (r"b_{ij} \gets \exp(A_{ij} / 9) / \sum_{j=1}^n \exp(A_{ij} / 9)", lambda a: (a / 9).softmax(1)),
    "bound with a prime": (r"b_{ij} \gets A_{ij} - \max_{j'=1}^n A_{ij'}", lambda a: a - a.amax(1, keepdim=True)),
}


@pytest.mark.parametrize("name", LOOPED)
def test_each_is_an_index_in_loops(name: str) -> None:
    line, expected = LOOPED[name]
    body = (r"\For{$i = 1, \dots, n$}", r"\For{$j = 1, \dots, n$}", rf"\State ${line}$", r"\EndFor", r"\EndFor")
    text = written("algorithmic", (), line[0]).replace(r"\State", "\n".join(body) + "\n\\State", 1)
    check(text, expected)


@pytest.mark.parametrize("row", ["A_{i,j}", "A_{ij}"])
def test_a_table_gives_the_ranges_of_letters_on_a_left_side(row: str) -> None:
    table = rf"\begin{{where}} {row} \in \mathbb{{R}}, i = 1, \dots, n, j = 1, \dots, n & \\ \end{{where}}"
    for line, expected in (
        (r"b_{ij} \gets 2 A_{ij}", lambda a: 2 * a),
        (r"b_{ji} \gets A_{ij} - \frac{1}{n} \sum_{i=1}^n A_{ij}", lambda a: (a - a.mean(0)).T),
    ):
        check(rf"\Module{{F}}{{A ; }} {line} \\ \Return b \\ {table} \EndModule", expected)


def test_a_function_counts_with_its_arguments() -> None:
    check(written("module", (r"f(i, j) \gets A_{ij} i",), r"\sum_{i=1}^n \sum_{j=1}^n f(j, i)"), lambda a: (a.T @ weights(a)).sum())


def weights(a: Tensor) -> Tensor:
    return torch.arange(1.0, len(a) + 1, dtype=a.dtype)


def test_what_is_declared_with_its_letters_stays_that_name() -> None:
    table = r"\begin{where} x \in \mathbb{R}^{n} & \\ w_{ij} \in \mathbb{R} & \\ \end{where}"
    text = rf"\Module{{F}}{{x, w_{{ij}} ; }} \Return \sum_{{i=1}}^n \sum_{{j=1}}^n w_{{ij}} x_i x_j \\ {table} \EndModule"
    x = A[1]
    found = compile(text).load().F()(x, torch.tensor(3.0, dtype=torch.float64))
    torch.testing.assert_close(found, 3 * x.sum() ** 2)


def test_three_indices() -> None:
    table = r"\begin{where} T \in \mathbb{R}^{a \times b \times c} & \\ \end{where}"
    for script in (r"ij\ell", r"i j \ell"):
        value = rf"\sum_{{i=1}}^a \sum_{{j=1}}^b \sum_{{\ell=1}}^c T_{{{script}}} j \ell"
        made = compile(rf"\Module{{F}}{{T ; }} \Return {value} \\ {table} \EndModule").load().F()
        t = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4)
        torch.testing.assert_close(made(t), torch.einsum("ijk,j,k->", t, weights(t[0]), weights(t[0, 0].expand(4, 4))))


def test_what_the_code_says_is_what_was_written() -> None:
    source = compile(written("algorithmic", (r"b_{ij} \gets 2 A_{ij'}" + r" \quad (i, j, j' = 1, \dots, n)",), "b"))
    assert [d.code for d in source.diagnostics] == ["E0303"]  # defined again at each `j'`
    made = compile(written("module", (r"b_{k\ell} \gets 2 A_{k\ell} \quad (k, \ell = 1, \dots, n)",), "b"))
    assert r"b_{k \ell} \gets 2 A_{k \ell}" in made.source


FACTORS = {
    "a parenthesis last": (r"\sum_{i=1}^{n-1} A_{i(i+1)}", "A_{i,i + 1}", lambda a: a.diagonal(1).sum()),
    "a parenthesis first": (r"\sum_{i=1}^{n-1} A_{(i+1)i}", "A_{i + 1,i}", lambda a: a.diagonal(-1).sum()),
    "a sum without one": (r"\sum_{i=1}^{n-1} A_{i\,i+1}", "A_{i,i + 1}", lambda a: a.diagonal(1).sum()),
    "a number before one": (r"\sum_{i=1}^{n-1} A_{1(i+1)}", "A_{1,i + 1}", lambda a: a[0, 1:].sum()),
}


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
@pytest.mark.parametrize("name", FACTORS)
def test_factors_with_indices_are_asked_about(name: str, notation: str) -> None:
    value, element, expected = FACTORS[name]
    (told,) = compile(written(notation, (), value)).diagnostics
    assert told.code == "E0304"
    assert f"the element `{element}`" in told.message
    script = value[value.index("A_") :]
    assert told.span.end - told.span.start == len(script)
    if notation != "module":  # there nothing says whether `A` counts from 0
        check(written(notation, (), value.replace(script, element)), expected)


def test_of_a_vector_factors_are_one_index_and_brackets_always_are() -> None:
    table = r"\begin{where} x \in \mathbb{R}^{6} & \\ A \in \mathbb{R}^{6 \times n} & \\ \end{where}"
    value = r"\sum_{i=1}^{2} x_{i(i+1)} \sum_{k=1}^{n} A[i(i+1)][k]"
    made = compile(rf"\algoProc{{\F}}\pa{{x, A}} \\ \algoReturn {value} \\ \algoEndProc \\ {table}").load().F()
    x, a = torch.arange(6, dtype=torch.float64), torch.arange(18, dtype=torch.float64).reshape(6, 3)
    torch.testing.assert_close(made(x, a), x[1] * a[1].sum() + x[5] * a[5].sum())


def test_a_left_side_of_factors_is_asked_about() -> None:
    told = compile(written("module", (r"B_{i(i+1)} \gets A_{i,i} \quad (i = 1, \dots, n)",), "B")).diagnostics
    assert [d.code for d in told] == ["E0304"]


BELOW: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "names before a lower end, and a condition": (r"\sum_{i, j = 1, i \neq j}^n A_{ij}", lambda a: a.sum() - a.trace()),
    "a lower end each": (r"\sum_{i = 1, j = 1, i < j}^n A_{ij}", lambda a: a.triu(1).sum()),
    "an index that has a range": (r"\sum_{i = 1, j = 1, j = i}^n A_{ij}", torch.trace),
}


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
@pytest.mark.parametrize("name", BELOW)
def test_conditions_below_a_sum(name: str, notation: str) -> None:
    result, expected = BELOW[name]
    check(written(notation, (), result), expected)


def test_a_symbol_with_a_value_is_no_index_below_a_sum() -> None:
    table = r"\begin{where} x \in \mathbb{R}^{n} & \\ z \in \mathbb{Z} & \\ \end{where}"
    for text in (
        rf"\Module{{F}}{{x, z ; }} \Return \sum_{{i=1, z=2}}^n x_i \\ {table} \EndModule",
        rf"\algoProc{{\F}}\pa{{x, z}} \\ \algoReturn \sum_{{i=1, z=2}}^n x_i \\ \algoEndProc \\ {table}",
    ):
        made = compile(text).load().F()
        for z, wanted in ((2, A[2].sum()), (1, torch.zeros_like(A[2, 0]))):
            torch.testing.assert_close(made(A[2], torch.tensor(z)), wanted)
        together = made(A, torch.tensor([2, 1, 2]), lengths=torch.tensor([2, 3, 1]))
        torch.testing.assert_close(together, torch.stack((A[0, :2].sum(), torch.zeros_like(A[0, 0]), A[2, 0])))


@pytest.mark.parametrize("sizes", [r"n \times m", r"n \times m \times k"])
def test_digits_of_any_letter_are_asked_about_where_two_axes_are_declared(sizes: str) -> None:
    rows = rf"\begin{{where}} a \in \mathbb{{R}}^{{{sizes}}} & \\ \end{{where}}"
    found = compile(rf"\Module{{F}}{{a ; }} \Return a_{{12}} + a_{{0,0}} \\ \EndModule {rows}").diagnostics
    assert [d.code for d in found] == ["E0304"]


@pytest.mark.parametrize(
    "body",
    [
        r"\Return \sum_{i=1}^{n} \sum_{j=1}^{n} A_{ij} x_j + \sum_{j=1}^{n} A_{1j} x_j",
        r"\Return \sum_{i=1}^{n} \sum_{j=1}^{n} A_{ij} x_j + A_{12}",
        r"\Return \sum_{j=1}^{n} A_{1j} x_j",
        r"\Return \sum_{j=1}^{n} A_{0j} x_j",
        r"\Return \sum_{j=1}^{n} A_{0(j+1)} x_j",
        r"A_{1j} \gets x_j^2 \quad (j = 1, \dots, n) \\ \Return \sum_{j=1}^{n} A_{1j} x_j",
    ],
)
def test_a_number_before_an_index_is_asked_about_where_nothing_is_declared(body: str) -> None:
    head = "x" if "gets" in body else "A, x"
    found = compile(rf"\Module{{F}}{{{head} ; }} {body} \\ \EndModule").diagnostics
    assert "E0304" in [d.code for d in found if d.severity == "error"], found


def test_a_multiple_of_an_index_is_one() -> None:
    text = (
        r"\Module{F}{x ; } \Return \sum_{j=1}^{n} x_{2j} \\ \begin{where} x_i \in \mathbb{R}, i = 1, \dots, 2n & \\ \end{where} \EndModule"
    )
    assert compile(text).load().F()(torch.tensor([1.0, 2, 3, 4])).item() == 6
