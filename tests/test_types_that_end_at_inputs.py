r"""Types of integers that end at an input, `x \in \{1, \dots, K\}^n` beside a `K` in the header: the input is a size, given as a number."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, text_of

MODULE = "\\Module{{F}}{{{header} ; }}\n\\Return {value} \\\\\n\\EndModule\n"
X = torch.tensor([[1, 5, 2, 2], [3, 3, 5, 1]])
N = torch.tensor([4, 2])


def subject_of(text: str) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    return result.load().F().double()


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("natural", [True, False])
def test_an_input_that_ends_a_type_is_a_number(notation: str, natural: bool) -> None:
    rows = (r"x \in \{1, \dots, K\}^{n}", *([r"K \in \mathbb{N}"] if natural else []))
    subject = subject_of(text_of(notation, rows, "x, K", "s <- 0; for i = 1..n; s <- s + x_i / K; end; return s"))
    for given in (5, torch.tensor(5)):
        assert float(subject(X[0], given)) == 2.0
        torch.testing.assert_close(subject(X, given), torch.tensor([2.0, 2.4]))
        torch.testing.assert_close(subject(X, given, lengths=N), torch.tensor([2.0, 1.2]))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_it_counts_and_looks_up(notation: str) -> None:
    rows = (r"K \in \mathbb{N}", r"x \in \{1, \dots, K\}^{n}", r"E \in \mathbb{R}^{K \times d}")
    lines = r"c <- \mathbf{0}_{K}; for i = 1..n; c_{x_i} <- c_{x_i} + 1; end; y <- \sum_{k=1}^{K} c_k E_{k}; return y"
    subject = subject_of(text_of(notation, rows, "K, x, E", lines))
    table = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    tables = torch.stack([table, 2 * table])
    for found, wanted in (
        (subject(5, X[0], table), table[X[0] - 1].sum(0)),
        (subject(5, X, tables), torch.stack([table[X[0] - 1].sum(0), 2 * table[X[1] - 1].sum(0)])),
        (subject(5, X, tables, lengths={"n": N}), torch.stack([table[X[0] - 1].sum(0), 2 * table[X[1, :2] - 1].sum(0)])),
    ):
        torch.testing.assert_close(found, wanted)
        ours, right = (torch.autograd.grad(value.sin().sum(), table, retain_graph=True)[0] for value in (found, wanted))
        torch.testing.assert_close(ours, right)
    with pytest.raises(ValueError, match=r"is inside 1 \.\. K"):
        subject(4, X[0], table[:4])
    with pytest.raises(ValueError, match="E"):
        subject(4, X[0], table)


@pytest.mark.parametrize("kind", [r"\{0, \dots, K-1\}", r"\{0, 1, \dots, K - 1\}"])
def test_in_module_notation(kind: str) -> None:
    header = rf"x \in {kind}^{{n}}, K \in \mathbb{{N}}, E \in \mathbb{{R}}^{{K \times d}}"
    subject = subject_of(MODULE.format(header=header, value=r"\frac{1}{K} \sum_{i=0}^{n-1} E[x[i]]"))
    table = torch.randn(6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(subject(X[0], 6, table), table[X[0]].sum(0) / 6)
    with pytest.raises(ValueError, match="x"):
        subject(X[0], 5, table[:5])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_single_index(notation: str) -> None:
    rows = (r"K \in \mathbb{N}", r"k \in \{1, \dots, K\}", r"p \in \mathbb{R}^{K}")
    subject = subject_of(text_of(notation, rows, "k, K, p", r"y <- \frac{k}{K} p_k; return y"))
    p = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64)
    assert float(subject(torch.tensor(2), 3, p)) == pytest.approx(4 / 3)
    torch.testing.assert_close(subject(torch.tensor([1, 3]), 3, torch.stack([p, p])), torch.tensor([1 / 3, 4.0], dtype=torch.float64))
    with pytest.raises(ValueError, match="k"):
        subject(torch.tensor(4), 3, p)


def test_an_input_that_may_be_negative_ends_no_type() -> None:
    rows = (r"K \in \mathbb{Z}", r"x \in \{1, \dots, K\}^{n}")
    text = text_of("algorithmic", rows, "x, K", r"s <- \sum_{i=1}^{n} x_i + K; return s")
    (problem,) = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert (problem.code, problem.message) == ("E0701", "a type that ends at the input `K` is not supported yet")
    assert problem.help == r"declare `K \in \mathbb{N}`, a size"
    assert compile(text.replace(r"K \in \mathbb{Z}", r"K \in \mathbb{N}")).ok
