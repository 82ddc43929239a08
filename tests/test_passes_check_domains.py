"""Reads that no proof covers are checked at run time, in the author's notation."""

from __future__ import annotations

import pytest
import torch

import mathdsl
from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

LAST = r"""
\Module{Last}{x ; a \in \mathbb{R}}
y_t \gets a x_t \quad (t = 1, \dots, S) \\
\Return BODY \\
\EndModule
\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, S & the input \\
\end{where}
"""
WINDOW = r"""
\Module{Window}{x \in \mathbb{R}^{S} ; w \in \mathbb{R}^{K}}
\Return \sum_{k=0}^{K-1} w_k x_k \\
\EndModule
"""


def checks(text: str) -> str:
    result = compile_files([SourceFile("-", text)], emit="ir", stop_after="check_domains")
    assert result.ok
    return result.source


def test_check_domains_fires() -> None:
    assert "y[S] is inside 1 .. S" in checks(LAST.replace("BODY", "y_S"))
    last = mathdsl.compile(LAST.replace("BODY", "y_S")).load().Last()
    assert last(torch.ones(2, 3)).shape == (2,)
    with pytest.raises(ValueError, match=r"y\[S\] is inside 1 \.\. S"):
        last(torch.ones(2, 0))
    with pytest.raises(ValueError, match=r"y\[S\] is inside 1 \.\. S"):
        last(torch.ones(2, 3), lengths=torch.tensor([3, 0]))


def test_check_domains_fires_for_a_size_of_the_constructor() -> None:
    window = mathdsl.compile(WINDOW).load().Window(K=3)
    assert window(torch.ones(5)).shape == ()
    with pytest.raises(ValueError, match=r"x\[k\] is inside 0 \.\. S - 1"):
        window(torch.ones(2))


def test_check_domains_declines_where_all_is_proved() -> None:
    assert "is inside" not in checks(LAST.replace("BODY", "y"))


def test_check_domains_fires_for_both_ends_and_for_each_empty_range_once() -> None:
    text = r"\Module{At}{x \in \mathbb{R}^{S} ; a \in \mathbb{N}, b \in \mathbb{N}} \Return BODY \\ \EndModule"
    kind = mathdsl.compile(text.replace("BODY", "x[a - b]")).load().At
    for a, b in ((1, 2), (9, 2)):
        with pytest.raises(ValueError, match=r"x\[a - b\] is inside 0 \.\. S - 1"):
            kind(a=a, b=b)(torch.ones(5))
    grid = checks(text.replace("BODY", r"\sum_{i=0}^{a-2} \sum_{j=0}^{a-2} x_i x_j"))
    assert "assert a-2 < 0 or 0 <= S-a+1" in grid


def test_check_domains_fires_for_an_element_of_a_stack() -> None:
    text = r"""
\Module{A}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{n \times n}} \Return W @ x \\ \EndModule
\Module{M}{x ; f}
h^0 \gets x \\
h^{\ell} \gets f^{\ell}(h^{\ell-1}) \quad (\ell = 1, \dots, n) \\
\Return h^n \\
\EndModule
\begin{where}
n \in \mathbb{N} \\ d \in \mathbb{N} \\ x \in \mathbb{R}^{d} \\ f^{\ell} \in \mathrm{A}(d), \ell = 2 - m, \dots, m \\ m \in \mathbb{N} \\
\end{where}
"""
    kind = mathdsl.compile(text).load().M
    assert kind(n=2, d=3, m=2)(torch.ones(3)).shape == (3,)
    with pytest.raises(ValueError, match=r"f\^{\\ell} is inside -m \+ 2 \.\. m"):
        kind(n=2, d=3, m=1)(torch.ones(3))
    assert "is inside" not in checks(text.replace(r"\ell = 2 - m, \dots, m", r"\ell = 1, \dots, n"))
