r"""`\prod` over matrices: the matrix product in the order of the index, the identity where there are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.differential import check_text
from tests.test_found_by_the_net import codes, make, module_of, numbers, procedure_of, same

FAMILY = r"A_k \in \mathbb{R}^{d \times d}, k = 1, \dots, n"


def product(matrices: Tensor) -> Tensor:
    found = torch.eye(matrices.shape[-1], dtype=matrices.dtype)
    for matrix in matrices:
        found = found @ matrix
    return found


def plus_identity(matrices: Tensor) -> Tensor:
    return matrices + torch.eye(matrices.shape[-1], dtype=matrices.dtype)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (r"\prod_{k=1}^n A_k", product),
        (r"\prod_k A_k", product),
        (r"\prod_{k=2}^n A_{k-1}", lambda a: product(a[:-1])),
        (r"\prod_{k=1}^n (A_k + I)", lambda a: product(plus_identity(a))),
        (r"\prod_{k=1}^3 (k A_n)", lambda a: product(torch.stack([a[-1], 2 * a[-1], 3 * a[-1]]))),
        (r"\left(\prod_{k=1}^n A_k\right) \left(\prod_{k=1}^n A_k^\top\right)", lambda a: product(a) @ product(a.mT)),
    ],
)
def test_matrices_are_multiplied_in_order(value: str, wanted: Callable[[Tensor], Tensor]) -> None:
    a = numbers(4, 3, 3)
    for text in (
        module_of(rf"\Return {value}", header="A ; ", rows=(FAMILY,)),
        procedure_of(rf"P \gets {value}", r"\Return P", header="A", rows=(FAMILY,)),
    ):
        same(make(text)(a), wanted(a))
        assert check_text(text) == 1


def test_no_matrices_have_the_identity_as_their_product() -> None:
    made = make(module_of(r"\Return \prod_{k=1}^n A_k", header="A ; ", rows=(FAMILY,)))
    same(made(numbers(0, 3, 3)), torch.eye(3, dtype=torch.float64))
    a = numbers(2, 4, 3, 3)
    a[1, 2:] = torch.nan
    same(made(a, lengths=torch.tensor([4, 2])), torch.stack([product(a[0]), product(a[1, :2])]))


def test_a_product_of_parameters_is_applied_to_a_vector() -> None:
    rows = (r"W_k \in \mathbb{R}^{d \times d}, k = 1, \dots, n", r"x \in \mathbb{R}^d")
    text = module_of(r"\Return \left(\prod_{k=1}^n W_k\right) x", header="x ; W", rows=rows)
    made, x = make(text, n=3, d=2), numbers(2)
    same(made(x), product(made.W) @ x)
    assert check_text(text) == 1


def test_a_product_of_elements_stays_one_of_numbers() -> None:
    rows = (FAMILY, r"A_{k,i,j} \in \mathbb{R}, k = 1, \dots, n, i = 1, \dots, d, j = 1, \dots, d")[1:]
    text = module_of(r"P_{i,j} \gets \prod_{k=1}^n A_{k,i,j} \quad (i, j = 1, \dots, d)", r"\Return P", header="A ; ", rows=rows)
    a = numbers(4, 3, 3)
    same(make(text)(a), a.prod(0))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (r"\prod_{k=1}^n B_k", "E0401"),
        (r"\prod_{k \neq 1} A_k", "E0701"),
        (r"\sum_{i=1}^n \prod_{k=1}^i A_k", "E0701"),
    ],
)
def test_what_is_no_product_of_whole_families_is_refused(value: str, code: str) -> None:
    rows = (FAMILY, r"B_k \in \mathbb{R}^{d \times m}, k = 1, \dots, n")
    assert codes(module_of(rf"\Return {value}", header="A, B ; ", rows=rows)) == [code]
