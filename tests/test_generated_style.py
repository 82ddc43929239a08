"""The handwriting of generated code: each rule with a program that shows it, and what the code then computes."""

from __future__ import annotations

import ast

import torch

import mathdsl


def compiled(source: str) -> str:
    """The generated text."""
    result = mathdsl.compile(source)
    assert result.ok, [found.message for found in result.diagnostics]
    return result.source


def loop_variables(text: str) -> list[str]:
    """The variables of all loops and comprehensions of the last class's forward, in order."""
    forward = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "forward"][-1]
    return [ast.unparse(node.target) for node in ast.walk(forward) if isinstance(node, ast.For | ast.comprehension)]


LOOPS = r"""
\Module{M}{x ; W}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
W \in \mathbb{R}^{d \times d} & a weight \\
\end{where}
h_0 = \mathbf{0}^{d} \\
h_t = \tanh(W @ h_{t-1} + x_t) \quad (t = 1, \dots, S) \\
g_0 = \mathbf{0}^{d} \\
g_t = \tanh(W @ g_{t-1} + h_t) \quad (t = 1, \dots, S) \\
\Return (g_t)_{t=1}^{S} \\
\EndModule
"""


def test_a_later_loop_uses_the_letter_again() -> None:
    assert [found for found in loop_variables(compiled(LOOPS)) if found != "k"] == ["t", "t"]


TWO_LISTS = r"""
\Module{M}{[a^1, \dots, a^n], [b^1, \dots, b^n] ; }
\begin{where}
a^i \in \mathbb{R}^{d}, i = 1, \dots, n & some \\
b^i \in \mathbb{R}^{d}, i = 1, \dots, n & others \\
\end{where}
\Return \sum_{i=1}^{n} (a^i + b^i) \\
\EndModule
"""


def test_a_second_list_is_looked_at_with_the_same_names() -> None:
    text = compiled(TWO_LISTS)
    assert text.count("for place, item in enumerate(") == 4
    module = mathdsl.load(TWO_LISTS).M(n=2)
    one, two = [torch.ones(3), torch.zeros(3)], [torch.ones(3), torch.ones(3)]
    assert module(one, two).tolist() == [3.0] * 3
