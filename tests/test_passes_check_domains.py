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
