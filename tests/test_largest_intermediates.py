"""What ordinary contractions keep in memory: the largest tensor that a planned program makes, against a bound beside each formula.

Views of what is there make nothing: inputs and parameters, other orders and names of axes, expanded axes. Batch axes are left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import pytest
import torch
from differential import check_text, equations
from torch import Tensor

from mathdsl import load
from mathdsl.oracle import interpret_tensors
from mathdsl.oracle import tensor_programs as oracle
from mathdsl.oracle.nested import Tensor as Made
from mathdsl.passes import run_passes
from mathdsl.tensors.lower.module import lower_program
from mathdsl.tensors.values import At, Expand, Local, Merge, Owned, Permute, Slice, Split

SIZES = {"n": 7, "m": 6, "d": 5, "r": 4}
_VIEWS = (Local, Owned, At, Expand, Permute, Slice, Merge, Split)


@dataclass(frozen=True)
class Row:
    """A formula: letters of inputs and of parameters with their sizes, the equation, what it is in torch, and the bound."""

    inputs: dict[str, str]
    parameters: dict[str, str]
    equation: str
    torch: Callable[..., Tensor]
    bound: str


ROWS = {
    "a bilinear form": Row({"x": "n", "y": "m"}, {"A": "nm"}, r"g \gets \sum_i \sum_j x_i A_{i, j} y_j", lambda x, y, A: x @ A @ y, "n"),
    "bilinear forms": Row(
        {"x": "n", "y": "m"},
        {"A": "rnm"},
        r"g_{k} \gets \sum_i \sum_j x_i A_{k, i, j} y_j \quad (k = 1, \dots, r)",
        lambda x, y, A: torch.einsum("i,kij,j->k", x, A, y),
        "rn",
    ),
    "a trilinear sum": Row(
        {"x": "n", "y": "m", "z": "d"},
        {"T": "nmd"},
        r"g \gets \sum_i \sum_j \sum_k T_{i, j, k} x_i y_j z_k",
        lambda x, y, z, T: torch.einsum("ijk,i,j,k->", T, x, y, z),
        "nm",
    ),
    "a core and three factors": Row(
        {"x": "m", "y": "d"},
        {"G": "rmd", "U": "nr"},
        r"g_{i} \gets \sum_a \sum_b \sum_c G_{a, b, c} U_{i, a} x_b y_c \quad (i = 1, \dots, n)",
        lambda x, y, G, U: torch.einsum("abc,ia,b,c->i", G, U, x, y),
        "rm",
    ),
    "a matrix of low rank": Row(
        {"x": "n"},
        {"U": "mr", "V": "nr"},
        r"g_{i} \gets \sum_a \sum_j U_{i, a} V_{j, a} x_j \quad (i = 1, \dots, m)",
        lambda x, U, V: U @ (V.mT @ x),
        "m",
    ),
    "matrices and a vector": Row(
        {"x": "d"},
        {"A": "nm", "B": "md"},
        r"g_{i} \gets \sum_j \sum_k A_{i, j} B_{j, k} x_k \quad (i = 1, \dots, n)",
        lambda x, A, B: A @ (B @ x),
        "n",
    ),
    "all pairs of a factorization machine": Row(
        {"x": "n"},
        {"V": "nd"},
        r"g \gets \sum_i \sum_j \sum_f V_{i, f} V_{j, f} x_i x_j",
        lambda x, V: ((V.mT @ x) ** 2).sum(),
        "n",
    ),
    "a factorization machine": Row(
        {"x": "n"},
        {"V": "nd"},
        r"g \gets \sum_{i=1}^n \sum_{j=i+1}^n (\sum_f V_{i, f} V_{j, f}) x_i x_j",
        lambda x, V: (((V.mT @ x) ** 2).sum() - ((V * x[:, None]) ** 2).sum()) / 2,
        "nn",
    ),
    "attention": Row(
        {"q": "nd", "w": "md", "v": "mr"},
        {},
        r"g_{i, l} \gets \frac{\sum_j \exp(\sum_c q_{i, c} w_{j, c}) v_{j, l}}"
        r"{\sum_j \exp(\sum_c q_{i, c} w_{j, c})} \quad (i = 1, \dots, n, l = 1, \dots, r)",
        lambda q, w, v: torch.softmax(q @ w.mT, -1) @ v,
        "nm",
    ),
    "distances by a matrix": Row(
        {"x": "nd"},
        {"u": "d", "P": "dd"},
        r"g_{i} \gets \sum_j \sum_k (x_{i, j} - u_j) P_{j, k} (x_{i, k} - u_k) \quad (i = 1, \dots, n)",
        lambda x, u, P: torch.einsum("ij,jk,ik->i", x - u, P, x - u),
        "nd",
    ),
    "distances of all pairs": Row(  # differences are made before they are squared: the other way round they would cancel
        {"x": "nd", "y": "md"},
        {},
        r"g_{i, j} \gets \exp(-\sum_k (x_{i, k} - y_{j, k})^2) \quad (i = 1, \dots, n, j = 1, \dots, m)",
        lambda x, y: torch.exp(-((x[:, None] - y) ** 2).sum(-1)),
        "nmd",
    ),
    "covariances": Row(
        {"x": "nd", "u": "d"},
        {},
        r"g_{i, j} \gets \sum_t (x_{t, i} - u_i) (x_{t, j} - u_j) \quad (i, j = 1, \dots, d)",
        lambda x, u: (x - u).mT @ (x - u),
        "nd",
    ),
    "a sum that factors": Row(
        {"a": "nm", "b": "nd"},
        {},
        r"g_{i} \gets \sum_j \sum_k a_{i, j} b_{i, k} \quad (i = 1, \dots, n)",
        lambda a, b: a.sum(-1) * b.sum(-1),
        "nm",
    ),
    "a factor without the index": Row(
        {"a": "nm", "b": "m", "c": "n"},
        {},
        r"g_{i} \gets \sum_j a_{i, j} b_j c_i \quad (i = 1, \dots, n)",
        lambda a, b, c: c * (a @ b),
        "nm",
    ),
    "under the line": Row(
        {"a": "nm", "b": "m", "c": "md"},
        {},
        r"g_{i, k} \gets \sum_j \frac{a_{i, j} b_j}{2 + c_{j, k}^2} \quad (i = 1, \dots, n, k = 1, \dots, d)",
        lambda a, b, c: a @ (b[:, None] / (2 + c**2)),
        "nm",
    ),
    "elements that are added": Row(
        {"a": "nm", "b": "m", "c": "d"},
        {},
        r"g_{i, k} \gets \sum_j a_{i, j} (b_j + c_k) \quad (i = 1, \dots, n, k = 1, \dots, d)",
        lambda a, b, c: a @ (b[:, None] + c),
        "nm",
    ),
}


def text_of(row: Row) -> str:
    """The formula as a module."""
    times = r" \times "
    where = " ".join(rf"{name} \in \mathbb{{R}}^{{{times.join(sizes)}}} & \\" for name, sizes in (row.inputs | row.parameters).items())
    given = f"{', '.join(row.inputs)} ; {', '.join(row.parameters)}"
    return rf"\Module{{M}}{{{given}}} {row.equation} \\ \Return g \\ \EndModule \begin{{where}} {where} \end{{where}}"


def numbers(sizes: str, rng: random.Random) -> Tensor:
    return torch.tensor([rng.uniform(-1, 1) for _ in range(prod(SIZES[size] for size in sizes))], dtype=torch.float64).reshape(
        [SIZES[size] for size in sizes]
    )


def run(
    text: str,
    inputs: Mapping[str, Tensor],
    parameters: Mapping[str, Tensor],
    monkeypatch: pytest.MonkeyPatch,
    sizes: Mapping[str, int] = SIZES,
) -> tuple[Any, int]:
    """The result, and how many elements the largest tensor has that is made on the way."""
    program = run_passes(equations(text))
    tensors = {one.module: one for one in lower_program(program)}
    largest = 0
    value_of = oracle._Run.value

    def watched(self: Any, value: Any) -> Any:
        nonlocal largest
        found = value_of(self, value)
        if isinstance(found, Made) and not isinstance(value, _VIEWS):
            largest = max(largest, len(found.elements))
        return found

    monkeypatch.setattr(oracle._Run, "value", watched)
    given = [{name: tensor.tolist() for name, tensor in some.items()} for some in (inputs, parameters)]
    return interpret_tensors(program, tensors, program.modules[-1].name, *given, sizes), largest


@pytest.mark.parametrize("name", ROWS)
def test_no_tensor_is_larger_than_its_bound(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row, rng = ROWS[name], random.Random(0)
    inputs, parameters = ({letter: numbers(sizes, rng) for letter, sizes in one.items()} for one in (row.inputs, row.parameters))
    result, largest = run(text_of(row), inputs, parameters, monkeypatch)
    torch.testing.assert_close(torch.tensor(result, dtype=torch.float64), row.torch(**inputs, **parameters))
    assert largest <= prod(SIZES[size] for size in row.bound)


def drawn(seed: int) -> str:
    """A sum of products over up to three indices, of parameters and inputs with up to three of five."""
    rng = random.Random(seed)
    indices = dict(zip("ijklp", "nmdrn", strict=True))
    factors: list[str] = []
    rows: list[str] = []
    for name in "ABCUV"[: rng.randint(2, 5)]:
        own = rng.sample(sorted(indices), rng.randint(1, 3))
        factors.append(f"{name}_{{{', '.join(own)}}}")
        rows.append(rf"{name} \in \mathbb{{R}}^{{{r' x '.join(indices[index] for index in own)}}} & \\".replace(" x ", r" \times "))
    used = [index for index in indices if any(index in factor for factor in factors)]
    summed = rng.sample(used, rng.randint(1, min(3, len(used))))
    kept = [index for index in used if index not in summed]
    sums = "".join(rf"\sum_{{{index} = 1}}^{{{indices[index]}}} " for index in summed)
    ranges = ", ".join(rf"{index} = 1, \dots, {indices[index]}" for index in kept)
    left = f"g_{{{', '.join(kept)}}}" if kept else "g"
    right = rf"{sums}{' '.join(factors)}" + (rf" \quad ({ranges})" if kept else "")
    given = ", ".join(name for name in "ABCUV" if any(factor[0] == name for factor in factors) and rng.random() < 0.5)
    return rf"\Module{{M}}{{{given}}} {left} \gets {right} \\ \Return g \\ \EndModule \begin{{where}} {' '.join(rows)} \end{{where}}"


def test_a_gru_makes_its_gates_for_all_elements_and_nothing_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    text = (Path(__file__).parent / "programs" / "gru.tex").read_text(encoding="utf-8")
    made = load(text).GRU(d=5, d_in=4).double()
    x, h_0 = torch.randn(7, 4, dtype=torch.float64), torch.randn(5, dtype=torch.float64)
    result, largest = run(text, {"x": x, "h_0": h_0}, made.state_dict(), monkeypatch, {"d": 5, "d_in": 4})
    torch.testing.assert_close(torch.tensor(result, dtype=torch.float64), made(x, h_0))
    assert largest <= 7 * 3 * 5


@pytest.mark.parametrize("seed", range(24))
def test_plans_change_no_sum(seed: int) -> None:
    assert check_text(drawn(seed), seed)
