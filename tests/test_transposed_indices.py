r"""Transposes of elements, `{W^{(k)}}^\top`; in a script beside the index the sign is refused, `W^{(k)^\top}`, `W^{k\top}`."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import check

X, W = torch.rand(3, dtype=torch.float64), torch.rand(2, 3, 3, dtype=torch.float64)


def module(lines: str, where: str, header: str = "x, W") -> str:
    return rf"\Module{{F}}{{{header} ; }} {lines} \\ \EndModule \begin{{where}} {where} & \\ \end{{where}}"


def algorithm(lines: str, *required: str) -> str:
    given = ", ".join(f"${row}$" for row in required)
    return rf"\begin{{algorithmic}} \Require {given} \Procedure{{F}}{{$x, W$}} {lines} \EndProcedure \end{{algorithmic}}"


def transposed(x: Tensor, w: Tensor) -> Tensor:
    return torch.stack([each.T @ x for each in w])


@pytest.mark.parametrize("written", [r"{W^{(k)}}^\top", r"W_k^\top", r"W_k^{\intercal}"])
def test_an_element_is_transposed(written: str) -> None:
    row = (r"W_k" if "_" in written else r"W^{(k)}") + r" \in \mathbb{R}^{d \times d}"
    rows = rf"x \in \mathbb{{R}}^d & \\ {row}, k = 1, \dots, n"
    check(module(rf"h_k \gets {written} x \quad (k = 1, \dots, n) \\ \Return h", rows), (X, W), transposed)
    loop = rf"\For{{$k = 1, \dots, n$}} \State $h_k \gets {written} x$ \EndFor \State \Return $h$"
    check(algorithm(loop, r"x \in \mathbb{R}^d", rf"{row}, k = 1, \dots, n"), (X, W), transposed)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        *((rf"W^{{({'k'}){sign}}} x", sign if sign[0] == "\\" else f"(k){sign}") for sign in (r"\top", r"\intercal", "'", "T")),
        (r"W^{(k)^\top} x", r"(k)^\top"),
        (r"W^{k^T} x", "k^T"),
        (r"W^{k,\top} x", r"\top"),
        (r"W_{k^\top} x", r"k^\top"),
        (r"W_{k^T} x", "k^T"),
        (r"W_{k\top} x", r"\top"),
        (r"W_{k^\top}^2 x", r"k^\top"),
        (r"\top x", r"\top"),
        (r"W_k x^{-\top}", r"\top"),
    ],
)
def test_a_transpose_beside_an_index_is_refused(written: str, place: str) -> None:
    name = "W_k" if "_" in written else "W^{(k)}"
    rows = (r"x \in \mathbb{R}^d", rf"{name} \in \mathbb{{R}}^{{d \times d}}, k = 1, \dots, m")
    loop = rf"\For{{$k = 1, \dots, m$}} \State $h_k \gets {written}$ \EndFor \State \Return $h$"
    lines = rf"h_k \gets {written} \quad (k = 1, \dots, m) \\ \Return h"
    for text in (algorithm(loop, *rows), module(lines, r" & \\ ".join(rows))):
        found = [d for d in compile(text).diagnostics if d.severity == "error"]
        assert [(d.code, text[d.span.start : d.span.end]) for d in found][:1] == [("E0209", place)]


def test_the_sign_is_no_name() -> None:
    found = compile(module(r"\Return \top x", r"x \in \mathbb{R}^d & \\ \top \in \mathbb{N}", "x")).diagnostics
    assert {d.code for d in found if d.severity == "error"} == {"E0209"}
