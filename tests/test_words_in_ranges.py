r"""Bare words that end ranges: `\sum_{c=1}^{km} x_c` ends at the product of `k` and `m`, unless something is called so."""

from __future__ import annotations

import pytest
import torch

import mathdsl

_X = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0], dtype=torch.float64)


def algorithm(lines: str, declared: str = r"x \in \mathbb{R}^C") -> str:
    body = " ".join(rf"\State ${line}$" if not line.startswith("\\") or line.startswith(r"\sum") else line for line in lines.split("; "))
    return rf"\begin{{algorithmic}} \Require ${declared}$ \Procedure{{P}}{{$x$}} {body} \EndProcedure \end{{algorithmic}}"


SUMS = {
    "above": r"\State \Return $\sum_{c=1}^{km} x_c$",
    "on both sides": r"\State \Return $\sum_{1 \leq c \leq km} x_c$",
    "in a set": r"\State \Return $\sum_{c \in \{1, \dots, km\}} x_c$",
    "in a loop": r"s \gets 0; \For{$c = 1, \dots, km$} \State $s \gets s + x_c$ \EndFor; \State \Return $s$",
    "to": r"s \gets 0; \For{$c \gets 1$ \textbf{to} $km$} \State $s \gets s + x_c$ \EndFor; \State \Return $s$",
    "less one": r"\State \Return $\sum_{c=1}^{km-1} x_c + x_4$",
}


@pytest.mark.parametrize("name", SUMS)
def test_a_word_of_letters_that_have_values_is_their_product(name: str) -> None:
    compiled = mathdsl.compile(algorithm(rf"k \gets 2; m \gets 2; {SUMS[name]}"))
    assert compiled.ok
    assert any(d.code == "N0301" and "`km` is read as the product of its letters" in d.notes for d in compiled.diagnostics)
    torch.testing.assert_close(compiled.load().P()(_X), torch.tensor(15.0, dtype=torch.float64))


@pytest.mark.parametrize("end", ["gm", "g m"])
def test_groups(end: str) -> None:
    text = rf"""\Module{{M}}{{x ; G}}
m \gets C / G \\
y_g \gets \sum_{{c=(g-1)m+1}}^{{{end}}} x_c \quad (g = 1, \dots, G) \\
\Return y \\
\EndModule
\begin{{where}}
x_c \in \mathbb{{R}}, c = 1, \dots, C \\ G \in \mathbb{{N}} = 3 \\
\end{{where}}
"""
    compiled = mathdsl.compile(text)
    if compiled.ok:
        torch.testing.assert_close(compiled.load().M()(_X), torch.tensor([3.0, 12.0, 48.0], dtype=torch.float64))
    else:
        assert {d.code for d in compiled.diagnostics if d.severity == "error"} == {"E0505"}


def test_sizes_of_a_matrix_are_letters() -> None:
    text = algorithm(
        r"\State \Return $\frac{1}{nk} \sum_{i=1}^{nk} x_i + 0 A_{1,1}$", r"x \in \mathbb{R}^C, A \in \mathbb{R}^{n \times k}"
    ).replace("{$x$}", "{$x, A$}")
    found = mathdsl.load(text).P()(_X, torch.ones(2, 2, dtype=torch.float64))
    torch.testing.assert_close(found, torch.tensor(3.75, dtype=torch.float64))


@pytest.mark.parametrize("word", ["km", r"\mathrm{km}"])
def test_a_word_that_a_type_names_is_a_size(word: str) -> None:
    text = algorithm(rf"k \gets 2; m \gets 2; \State \Return $\sum_{{c=1}}^{{{word}}} x_c + 0 k m$", rf"x \in \mathbb{{R}}^{{{word}}}")
    torch.testing.assert_close(mathdsl.load(text).P()(_X), _X.sum())


def test_a_list_that_ends_at_a_word_says_so() -> None:
    (found,) = [
        d
        for d in mathdsl.compile(algorithm(r"k \gets 2; m \gets 2; \State \Return $(x_1, \dots, x_{km})$")).diagnostics
        if d.severity == "error"
    ]
    assert found.code == "E0507"


def test_a_word_of_other_letters_is_a_size() -> None:
    torch.testing.assert_close(mathdsl.load(algorithm(r"\State \Return $\sum_{c=1}^{len} x_c$")).P()(_X), _X.sum())


def test_letters_of_loops_are_letters() -> None:
    lines = (
        r"\For{$i = 1, \dots, 2$} \For{$j = 1, \dots, 2$} \State $y_{i,j} \gets \sum_{c=1}^{ij} x_c$ \EndFor \EndFor; \State \Return $y$"
    )
    for written in (lines, lines.replace("{ij}", "{i j}")):
        result = mathdsl.compile(algorithm(written))
        assert result.ok, result.diagnostics
        x = torch.rand(5, dtype=torch.float64)
        torch.testing.assert_close(result.load().P()(x), x.cumsum(0)[torch.tensor([[0, 1], [1, 3]])])
