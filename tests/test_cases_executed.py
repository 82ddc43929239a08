r"""Elements by `cases` in turns, which read others of their array: each row is read where its condition holds, as in branches."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of

VECTOR = (r"s \in \mathbb{R}^{n}",)
SPANS = r"for d = 0..n-1; for i = 1..n-d; j <- i + d; "
ENDS = r"end; end; return P_{1,n}"


def table(n: int) -> Any:
    return FromOne(FromOne([None] * n) for _ in range(n))


def outer_pair(s: Any) -> Any:
    n = len(s)
    p = table(n)
    for d in range(n):
        for i in range(1, n - d + 1):
            j = i + d
            p[i][j] = s[i] if i == j else torch.maximum(p[i + 1][j], p[i][j - 1]) + s[j]
    return p[1][n]


def mirrored(s: Any) -> Any:
    n = len(s)
    p = table(n)
    for d in range(n):
        for i in range(1, n - d + 1):
            j = i + d
            p[i][j] = 1 + 0 * s[1] if i == j else s[i] * s[j] if j == i + 1 else p[i + 1][j - 1] * s[j] + s[i]
    return p[1][n]


def guarded(s: Any) -> Any:
    n = len(s)
    p = table(n)
    for d in range(n):
        for i in range(1, n - d + 1):
            j = i + d
            p[i][j] = s[i] if i == j else s[j] * 2 if p[i + 1][j] > 0.3 else p[i][j - 1] + s[i]
    return p[1][n]


CASES: dict[str, tuple[str, Meaning]] = {
    "otherwise": (
        r"P_{i,j} <- \begin{cases} s_i & i = j \\ \max(P_{i+1,j}, P_{i,j-1}) + s_j & \text{otherwise} \end{cases}",
        outer_pair,
    ),
    "a condition for each": (
        r"P_{i,j} <- \begin{cases} s_i & i = j \\ \max(P_{i+1,j}, P_{i,j-1}) + s_j & i < j \end{cases}",
        outer_pair,
    ),
    "by the distance": (
        r"P_{i,j} <- \begin{cases} s_i & d = 0 \\ \max(P_{i+1,j}, P_{i,j-1}) + s_j & \text{otherwise} \end{cases}",
        outer_pair,
    ),
    "in brackets": (
        r"P[i,j] <- \begin{cases} s[i] & i = j \\ \max(P[i+1,j], P[i,j-1]) + s[j] & \text{otherwise} \end{cases}",
        outer_pair,
    ),
    "branches": (r"if i = j; P_{i,j} <- s_i; else; P_{i,j} <- \max(P_{i+1,j}, P_{i,j-1}) + s_j; fi", outer_pair),
    "three rows": (
        r"P_{i,j} <- \begin{cases} 1 & i = j \\ s_i s_j & j = i + 1 \\ P_{i+1,j-1} s_j + s_i & \text{otherwise} \end{cases}",
        mirrored,
    ),
    "a condition that reads an element": (
        r"P_{i,j} <- \begin{cases} s_i & i = j \\ 2 s_j & i < j \land P_{i+1,j} > 0.3 \\ P_{i,j-1} + s_i & \text{otherwise} \end{cases}",
        guarded,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, notation: str) -> None:
    line, meaning = CASES[name]
    check(text_of(notation, VECTOR, "s", f"{SPANS}{line}; {ENDS}"), meaning, [((n,),) for n in (4, 1, 2, 5)], shortest=1)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (r"s_i & i > j \\ \max(P_{i+1,j}, P_{i,j-1}) + s_j & \text{otherwise}", "P_{i + 1, i + d}"),  # nothing gives the first ones
        (r"s_i & i = j \\ P_{i+1,j-1} + s_j & \text{otherwise}", "P_{i + 1, i + d - 1}"),  # two are neighbours
        (r"\max(P_{i+1,j}, P_{i,j-1}) + s_j & i < j \\ P_{i,j} & \text{otherwise}", "P_{i, i + d}"),
    ],
)
def test_rows_that_read_what_has_no_value(rows: str, read: str, notation: str) -> None:
    lines = rf"{SPANS}P_{{i,j}} <- \begin{{cases}} {rows} \end{{cases}}; {ENDS}"
    (found,) = (d for d in compile(text_of(notation, VECTOR, "s", lines)).diagnostics if d.severity == "error")
    assert (found.code, found.message) == ("E0509", f"`{read}` may have no value here")
    assert found.help.endswith(r"or give it a value before, as in `P \gets \mathbf{0}_{n, n}`")
    begun = r"P_{i,j} <- 0 \quad (i = 1, \dots, n + 1, j = 0, \dots, n);"
    assert compile(text_of(notation, VECTOR, "s", begun + lines)).ok
