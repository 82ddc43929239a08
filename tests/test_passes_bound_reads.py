"""Reads in branches that are not taken stay inside their arrays."""

from __future__ import annotations

from differential import check_text

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

STENCIL = r"""
\Module{Stencil}{x ; a \in \mathbb{R}}
y_t \gets \begin{cases} x_t & t = 1 \lor t = S \\ a (x_{t-1} + x_{t+1}) & \text{otherwise} \end{cases} \quad (t = 1, \dots, S) \\
\Return y \\
\EndModule
\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, S & the input \\
\end{where}
"""
MIXED = r"""
\Module{Mixed}{x ; a \in \mathbb{R}}
y_t \gets \begin{cases} a y_{t-1} + x_t & x_t < 0 \land t > 1 \\ x_t & \text{otherwise} \end{cases} \quad (t = 1, \dots, S) \\
\Return y \\
\EndModule
\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, S & the input \\
\end{where}
"""
PLAIN = STENCIL.replace(r"x_{t-1} + x_{t+1}", "x_t + x_t")


def equations(text: str) -> str:
    result = compile_files([SourceFile("-", text)], emit="ir", stop_after="bound_reads")
    assert result.ok
    return result.source


def test_bound_reads_fires_where_all_points_are_computed_at_once() -> None:
    assert "minimum" in equations(STENCIL) or "min(" in equations(STENCIL)
    assert check_text(STENCIL) == 1


def test_bound_reads_fires_in_a_loop_by_asking_for_the_index_first() -> None:
    assert check_text(MIXED) == 1


def test_bound_reads_declines_where_the_range_keeps_a_read_inside() -> None:
    text = equations(PLAIN)
    assert "minimum" not in text
    assert "min(" not in text
