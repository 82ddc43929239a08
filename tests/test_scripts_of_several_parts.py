r"""Scripts of several parts: words beside indices, `\rho_\infty`, first layers."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.by_hand import check


def module(header: str, rows: tuple[str, ...], *lines: str) -> str:
    body, table = " ".join(rf"{line} \\" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(arguments: str, required: tuple[str, ...], *lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    rows = ", ".join(f"${row}$" for row in required)
    return f"\\begin{{algorithmic}}\n\\Require {rows}\n\\Procedure{{F}}{{${arguments}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


MATRIX = (r"x_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n",)


# ---- words beside indices ------------------------------------------------------------------------


@pytest.mark.parametrize("label", [r"\infty", "prev", r"\mathrm{last}"])
def test_a_word_below_an_array_is_a_label(label: str) -> None:
    name = rf"r_{{{label}}}"
    lines = (rf"${name} \gets 3$", r"\For{$t = 1, \dots, T$}", rf"$r_t \gets {name} x_t$", rf"${name} \gets r_t + 1$", r"\EndFor")
    text = algorithm("x", (r"x_t \in \mathbb{R}, t = 1, \dots, T",), *lines, rf"\Return $(r_T, {name})$".replace("(r_T, ", "r_1 + (r_T + "))

    def by_hand(x: Tensor) -> Tensor:
        last, found = torch.tensor(3.0, dtype=torch.float64), []
        for value in x:
            found.append(last * value)
            last = found[-1] + 1
        return found[0] + found[-1] + last

    check(text, (numbers(4),), by_hand)


def test_a_row_declares_elements_in_brackets() -> None:
    rows = (r"w[k] \in \mathbb{R}, k = 0, \dots, n - 1", r"x \in \mathbb{R}^{n}")
    check(module("x ; ", rows, r"w[k] \gets k x_{k+1}", r"\Return w"), (numbers(4),), lambda x: torch.arange(4) * x)


# ---- first layers --------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["{(%s)}", "{%s}"])
def test_a_first_layer_that_a_row_gives_by_elements(script: str) -> None:
    first, layer, following, last = (f"^{script % at}" for at in ("0", "l", "l+1", "L"))
    rows = (rf"h_i{first} \in \mathbb{{R}}^{{d}}, i = 1, \dots, n", r"W \in \mathbb{R}^{d \times d}", r"L \in \mathbb{N}")
    line = rf"h_i{following} \gets \tanh(W h_i{layer}) \quad (l = 0, \dots, L - 1, i = 1, \dots, n)"
    text = module(rf"h{first} ; W, L", rows, line, rf"\Return h{last}")
    w = numbers(2, 2)
    check(text, (numbers(3, 2),), lambda x: torch.tanh(torch.tanh(x @ w.T) @ w.T), {"W": w}, d=2, L=2)


def test_cases_say_for_what_they_hold() -> None:
    line = r"\Return \begin{cases} 2 x, & \text{for } p = 0 \\ 3 x, & \text{for }p=1 \\ x & \text{otherwise} \end{cases}"
    for p, factor in ((0, 2), (1, 3), (2, 1)):
        check(module("x ; p", (r"x \in \mathbb{R}^{n}", r"p \in \mathbb{N}"), line), (numbers(3),), lambda x, k=factor: k * x, p=p)


# ---- labels of arrays that are called as functions are -------------------------------------------


@pytest.mark.parametrize("name", ["P", r"\mathrm{Cov}", r"\operatorname{rank}", "Q"])
@pytest.mark.parametrize("written", ["_{s,j}", "_s(j)"])
def test_elements_of_labelled_arrays_stand_in_products(name: str, written: str) -> None:
    over = r"\quad (j = 1, \dots, n)"
    lines = (rf"{name}{written} \gets 2 s_j {over}", rf"\Return \sum_{{j=1}}^{{n}} s_j {name}{written} \log {name}{written}")
    check(module("s", (r"s \in \mathbb{R}^n",), *lines), (numbers(4),), lambda s: (2 * s * s * (2 * s).log()).sum())
    later = (rf"z_j \gets s_j {name}{written} {over}", lines[0], r"\Return z")
    check(module("s", (r"s \in \mathbb{R}^n",), *later), (numbers(4),), lambda s: 2 * s * s)
