r"""Remarks of the author in the generated code: behind a statement, on a line of its own before one, behind a result."""

from __future__ import annotations

import pytest

import mathdsl

ALGORITHM = r"""
\Require $x \in \mathbb{R}^n$
\Procedure{F}{$x$}
\State \Comment{before the start}
\State $s \gets 0$
\For{$i = 1$ to $n$}
\State \Comment{the next one}
\State $s \gets s + x_i$ \Comment{is added}
\EndFor
\State $t \gets 2 s$ % no remark
\State \Return RESULT \Comment{what is wanted}
\EndProcedure
"""
MODULE = r"""
\Module{F}{x}
  \Comment{before the start} \\
  s \gets \sum_i x_i \Comment{is added} \\
  \Comment{the next one} \\
  t \gets 2 s \\
  \Return RESULT \Comment{what is wanted} \\
\EndModule
\begin{where} x \in \mathbb{R}^n & \\ \end{where}
"""


@pytest.mark.parametrize(
    ("text", "result"), [(ALGORITHM, "$t$"), (ALGORITHM, "$t + 1$"), (MODULE, "t"), (MODULE, "(s, t)"), (MODULE, "s t")]
)
def test_every_remark_stands_above_the_step_that_it_is_about(text: str, result: str) -> None:
    forward = mathdsl.compile(text.replace("RESULT", result)).source.split("def forward")[1].split("\ndef ")[0]
    lines = [line.strip() for line in forward.split("\n")]
    for remark in ("before the start", "the next one", "is added", "what is wanted"):
        assert sum(remark in line for line in lines if line.startswith("#")) == 1, forward
    after = lines.index("# what is wanted") + 1
    assert lines[after].startswith("return ")
    assert not any("no remark" in line for line in lines)
