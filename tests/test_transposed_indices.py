r"""Transposes in the scripts of elements, `W^{(k)^\top}`, `W^{k\top}`: the element transposed, since TeX takes no second superscript."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import check

X, W = torch.rand(3, dtype=torch.float64), torch.rand(2, 3, 3, dtype=torch.float64)
ROWS = torch.rand(4, 3, dtype=torch.float64)
ABOVE = [
    *(r"W^{(k)^\top}", r"W^{{(k)}^\top}", r"W^{(k)^T}", r"W^{k^\top}", r"W^{k^T}", r"W^{(k)\top}", r"W^{k\top}", r"W^{(k)T}"),
    *(r"W^{(k)\intercal}", r"W^{k,\top}"),
]
BELOW = [r"W_{k^\top}", r"W_{k^T}", r"W_{k\top}"]


def module(lines: str, where: str, header: str = "x, W") -> str:
    return rf"\Module{{F}}{{{header} ; }} {lines} \\ \EndModule \begin{{where}} {where} & \\ \end{{where}}"


def algorithm(lines: str, *required: str) -> str:
    given = ", ".join(f"${row}$" for row in required)
    return rf"\begin{{algorithmic}} \Require {given} \Procedure{{F}}{{$x, W$}} {lines} \EndProcedure \end{{algorithmic}}"


def docstring(lines: str, where: str) -> str:
    return rf"\algoProc{{\F}}\pa{{x, W}} \\ {lines} \\ \algoEndProc \\ \begin{{where}} {where} & \\ \end{{where}}"


def transposed(x: Tensor, w: Tensor) -> Tensor:
    return torch.stack([each.T @ x for each in w])


@pytest.mark.parametrize("written", [*ABOVE, *BELOW])
def test_an_element_is_transposed(written: str) -> None:
    row = (r"W_k" if written in BELOW else r"W^{(k)}") + r" \in \mathbb{R}^{d \times d}"
    rows = rf"x \in \mathbb{{R}}^d & \\ {row}, k = 1, \dots, n"
    domain = r" \quad (k = 1, \dots, n)"
    check(module(rf"h_k \gets {written} x {domain} \\ \Return h", rows), (X, W), transposed)
    check(docstring(rf"h_k \gets {written} x {domain} \\ \Return h", rows), (X, W), transposed)
    loop = rf"\For{{$k = 1, \dots, n$}} \State $h_k \gets {written} x$ \EndFor \State \Return $h$"
    check(algorithm(loop, r"x \in \mathbb{R}^d", rf"{row}, k = 1, \dots, n"), (X, W), transposed)


@pytest.mark.parametrize("written", [r"W^{(q)\top}", r"W^{(q)^\top}", r"W^{(q)T}", r"W_{q^\top}"])
def test_what_a_label_names_is_transposed(written: str) -> None:
    name = "W_q" if "_" in written else "W^{(q)}"
    rows = rf"x \in \mathbb{{R}}^d & \\ {name} \in \mathbb{{R}}^{{d \times d}}"
    check(module(rf"\Return {written} x", rows, f"x, {name}"), (X, W[0]), lambda x, w: w.T @ x)
    text = algorithm(rf"\State \Return ${written} x$", r"x \in \mathbb{R}^d", rf"{name} \in \mathbb{{R}}^{{d \times d}}")
    check(text.replace("{$x, W$}", rf"{{$x, {name}$}}"), (X, W[0]), lambda x, w: w.T @ x)


@pytest.mark.parametrize("written", [r"W^{(i)\top}", r"W^{(i)^\top}", r"W^{i,\top}", r"W_{i\top}"])
def test_elements_that_are_vectors_have_inner_products(written: str) -> None:
    name = "W_i" if "_" in written else "W^{(i)}"
    rows = (r"x_i \in \mathbb{R}^d, i = 1, \dots, n", rf"{name} \in \mathbb{{R}}^d, i = 1, \dots, n")
    loop = rf"\For{{$i = 1, \dots, n$}} \State $y_i \gets {written} x_i$ \EndFor \State \Return $y$"
    check(algorithm(loop, *rows), (ROWS, ROWS.flip(0)), lambda x, w: (x * w).sum(-1))


def errors(text: str) -> list[tuple[str, str]]:
    return [(d.code, text[d.span.start : d.span.end]) for d in compile(text).diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("written", "code", "place"),
    [
        (r"W^{(k)'} x", "E0209", "(k)'"),
        (r"W^{(k)T} x", "E0304", "T"),  # `T` is how many there are
        (r"\top x", "E0209", r"\top"),
        (r"W^{(k)} x^{-\top}", "E0209", r"\top"),
        (r"W_{k^\top}^2 x", "E0209", r"k^\top"),
    ],
)
def test_what_is_open_is_refused(written: str, code: str, place: str) -> None:
    name = "W_k" if "_" in written else "W^{(k)}"
    rows = (r"x \in \mathbb{R}^d", rf"{name} \in \mathbb{{R}}^{{d \times d}}, k = 1, \dots, T")
    loop = rf"\For{{$k = 1, \dots, T$}} \State $h_k \gets {written}$ \EndFor \State \Return $h$"
    assert errors(algorithm(loop, *rows)) == [(code, place)]
    assert errors(module(rf"h_k \gets {written} \quad (k = 1, \dots, T) \\ \Return h", r" & \\ ".join(rows))) == [(code, place)]


def test_the_sign_is_no_name() -> None:
    assert [code for code, _ in errors(module(r"\Return \top x", r"x \in \mathbb{R}^d & \\ \top \in \mathbb{N}", "x"))] == ["E0209"]
