r"""Two letters below what is assigned, of which one counts no loop: `A_{pj}` may be an element or a name, and is asked about.

It was a name without a word, so that the array kept its value. With a comma it is the element, in both notations of algorithms.
"""

from __future__ import annotations

import pytest
import torch

import mathdsl
from tests.algorithms_by_hand import NOTATIONS, text_of

ROWS = (r"A \in \mathbb{R}^{n \times n}", r"p \in \{1, \dots, n\}")
ASKED = {
    "an input and a loop": ("for j = 1..n; A_{pj} <- 0; end", "A_{p,j}"),
    "a loop and an input": ("for i = 1..n; A_{ip} <- 0; end", "A_{i,p}"),
    "a loop and a size": ("for i = 1..n; A_{in} <- 0; end", "A_{i,n}"),
    "a loop and a number": ("for i = 1..n; A_{i1} <- 0; end", "A_{i,1}"),
    "a number and a loop": ("for j = 1..n; A_{1j} <- 0; end", "A_{1,j}"),
    "a value and a loop": ("q <- 1; for i = 1..n; A_{qi} <- 0; end", "A_{q,i}"),
    "a counter and a loop": (r"i <- 1; while i \leq n most n; for j = 1..n; A_{ij} <- 0; end; i <- i + 1; ew", "A_{i,j}"),
    "read and written": ("for j = 1..n; A_{pj} <- A_{pj} + 1; end", "A_{p,j}"),
    "a swap of rows": ("for j = 1..n; t <- A_{1,j}; A_{1,j} <- A_{p,j}; A_{pj} <- t; end", "A_{p,j}"),
    "two values": ("q <- 1; A_{pq} <- 0", "A_{p,q}"),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ASKED)
def test_what_may_be_an_element_is_asked_about(name: str, notation: str) -> None:
    lines, element = ASKED[name]
    together = element.replace(",", "")
    found = [d for d in mathdsl.compile(text_of(notation, ROWS, "A, p", lines + "; return A")).diagnostics if d.severity == "error"]
    assert {d.code for d in found} <= {"E0301", "E0303", "E0304"}, [d.message for d in found]
    assert any(f"`{together}`" in d.message for d in found)
    assert any(element in d.help or element.replace("_{", "[").replace("}", "]").replace(",", ", ") in d.help for d in found)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", ASKED)
def test_with_a_comma_it_is_the_element(name: str, notation: str) -> None:
    lines, element = ASKED[name]
    result = mathdsl.compile(text_of(notation, ROWS, "A, p", lines.replace(element.replace(",", ""), element) + "; return A"))
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    A, p = torch.arange(9.0, dtype=torch.float64).reshape(3, 3) + 1, 2
    wanted = A.clone()
    match name:
        case "an input and a loop":
            wanted[p] = 0
        case "a loop and an input":
            wanted[:, p] = 0
        case "a loop and a size":
            wanted[:, 2] = 0
        case "a loop and a number":
            wanted[:, 0] = 0
        case "a number and a loop" | "a value and a loop":
            wanted[0] = 0
        case "a counter and a loop":
            wanted[:] = 0
        case "read and written":
            wanted[p] += 1
        case "a swap of rows":
            wanted[[0, p]] = A[[p, 0]]
        case _:
            wanted[p, 0] = 0
    torch.testing.assert_close(result.load().F()(A, torch.tensor(p + 1)).double(), wanted)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_label_of_other_letters_is_a_name(notation: str) -> None:
    lines = "for i = 1..n; A_{out} <- 3; y_i <- A_{out} + A_{i,i}; end; return y"
    result = mathdsl.compile(text_of(notation, ROWS, "A, p", lines))
    assert result.ok
    assert result.load().F()(torch.eye(2), torch.tensor(1)).tolist() == [4.0, 4.0]


CHOSEN = (
    r"for v = 1..n;d_v <- 100;s_v <- 0;end;d_1 <- 0;for k = 1..n;u <- \arg\min_{v : s_v = 0} d_v;s_u <- 1;"
    r"for v = 1..n;if s_v = 0 \land d_u + W_{uv} < d_v;d_v <- d_u + W_{uv};fi;end;end;return d"
)


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
def test_an_index_that_is_chosen_stands_beside_a_letter(notation: str) -> None:
    subject = mathdsl.compile(text_of(notation, (r"W \in \mathbb{R}^{n \times n}",), "W", CHOSEN)).load().F()
    w = 9 * torch.rand(2, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    shortest = w.clone()
    shortest.diagonal(dim1=1, dim2=2).zero_()
    for k in range(5):
        shortest = torch.minimum(shortest, shortest[:, :, k : k + 1] + shortest[:, k : k + 1])
    torch.testing.assert_close(subject(w), shortest[:, 0])
    torch.testing.assert_close(subject(w[1]), shortest[1, 0])


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
def test_two_indices_that_are_chosen(notation: str) -> None:
    lines = r"u <- \arg\max_i x_i;v <- \arg\min_i x_i;return W_{uv}"
    subject = mathdsl.compile(text_of(notation, (r"W \in \mathbb{R}^{n \times n}", r"x \in \mathbb{R}^n"), "W, x", lines)).load().F()
    w, x = torch.rand(2, 4, 4, requires_grad=True), torch.rand(2, 4)
    wanted = w[torch.arange(2), x.argmax(1), x.argmin(1)]
    torch.testing.assert_close(subject(w, x), wanted)
    (ours,), (right,) = (torch.autograd.grad(value.square().sum(), w) for value in (subject(w, x), wanted))
    torch.testing.assert_close(ours, right)
