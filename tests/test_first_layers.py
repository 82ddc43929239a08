r"""First elements of arrays that are indexed above: `h^{(0)}` beside `h^{(l)}`, whose range a declaration gives.

Expected values are those of plain torch, layer by layer.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile
from tests.by_hand import check

SCRIPTS = [("^{(0)}", "^{(l)}", "^{(l-1)}", "^{(L)}"), ("^0", "^l", "^{l-1}", "^L"), ("^{[0]}", "^{[l]}", "^{[l-1]}", "^{[L]}")]
Meaning = Callable[[Tensor, Tensor], Tensor]


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


def program(scripts: tuple[str, ...], *lines: str, header: str = "x, c") -> str:
    text = " ".join(rf"{line} \\" for line in lines)
    rows = r"x \in \mathbb{R}^d & \\ cI \in \mathbb{R}, l = 1, \dots, L & \\"
    whole = rf"\Module{{F}}{{{header}}} {text} \EndModule \begin{{where}} {rows} \end{{where}}"
    for letter, script in zip("OIPE", scripts, strict=True):
        whole = whole.replace(f"c{letter}", f"c{script}").replace(f"h{letter}", f"h{script}").replace(f"h_i{letter}", f"h_i{script}")
    return whole


def layers(x: Tensor, c: Tensor) -> Tensor:
    return torch.stack([x, *(factor * x for factor in c)])


@pytest.mark.parametrize("scripts", SCRIPTS)
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((r"hO \gets x", r"hI \gets cI x", r"\Return h"), layers),
        ((r"hO \gets x", r"hI \gets cI hP", r"\Return hE"), lambda x, c: c.prod() * x),
        (
            (r"h_iO \gets x_i \quad (i = 1, \dots, d)", r"h_iI \gets cI x_i \quad (i = 1, \dots, d)", r"\Return h"),
            lambda x, c: layers(x, c).T,
        ),
        ((r"hO \gets x", r"hI \gets cI x", r"\Return \operatorname{concat}(hO, \dots, hE)"), lambda x, c: layers(x, c).flatten()),
        ((r"hO \gets 1", r"hI \gets cI", r"\Return \lVert h \rVert^2 x"), lambda x, c: (1 + c @ c) * x),
        ((r"hO \gets 0", r"hI \gets cI", r"\Return (x \cdot x) \softmax(h)"), lambda x, c: x @ x * torch.cat([c[:1] * 0, c]).softmax(0)),
    ],
)
def test_the_first_layer_belongs_to_the_others(scripts: tuple[str, ...], lines: tuple[str, ...], expected: Meaning) -> None:
    check(program(scripts, *lines), (numbers(3), numbers(4, seed=1)), expected)


@pytest.mark.parametrize("scripts", SCRIPTS)
def test_a_first_layer_of_the_header(scripts: tuple[str, ...]) -> None:
    text = program(scripts, r"hI \gets \tanh(cI hP)", r"\Return hE", header="hO, c").replace(r"x \in", f"h{scripts[0]} \\in")

    def expected(h: Tensor, c: Tensor) -> Tensor:
        for factor in c:
            h = torch.tanh(factor * h)
        return h

    check(text, (numbers(3), numbers(4, seed=1)), expected)


@pytest.mark.parametrize("scripts", SCRIPTS)
def test_a_layer_that_is_defined_twice(scripts: tuple[str, ...]) -> None:
    text = program(scripts, r"hO \gets x", r"hI \gets cI x", r"\Return h").replace(f"h{scripts[0]}", f"h{scripts[0].replace('0', '1')}")
    assert "E0303" in [d.code for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
