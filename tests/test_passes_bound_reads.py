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
    assert "clip(t-1, 1, S)" in equations(STENCIL)
    assert check_text(STENCIL) == 1


def test_bound_reads_fires_in_a_loop_by_asking_for_the_index_first() -> None:
    assert check_text(MIXED) == 1


def test_bound_reads_declines_where_the_range_keeps_a_read_inside() -> None:
    text = equations(PLAIN)
    assert "minimum" not in text
    assert "min(" not in text


CALLED = r"""
\Module{G}{s, q ; b, U}
u[0 \leq k \leq K] \gets \begin{cases} s & k = 0 \\ \tanh(U_k u[k-1] + b \cdot q) & \text{otherwise} \end{cases} \\
\Return u[K] \\
\EndModule
\begin{where}
s \in \mathbb{R} \\ q, b \in \mathbb{R}^d \\ U_k \in \mathbb{R}, k = 1, \dots, K \\
\end{where}
\Module{M}{x, v ; w, g}
c[1 \leq t \leq S] \gets g(w, ARGUMENT) \\
\Return c \\
\EndModule
\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, S \\ v_t \in \mathbb{R}^d, t = 1, \dots, S \\ w \in \mathbb{R} \\ g \in G(d, 2) \\
\end{where}
"""


def test_bound_reads_bounds_those_in_the_arguments_of_a_call() -> None:
    for guard, argument in ((r"t > 1 \land x_{t-1} < 0.1", "x_{t-1} v_t"), (r"t < S", "v_{t+1}"), (r"x_t > 0 \land t < S", "x_{t+1} v_t")):
        assert (
            check_text(CALLED.replace("ARGUMENT", rf"\begin{{cases}} {argument} & {guard} \\ 0.5 v_t & \text{{otherwise}} \end{{cases}}"))
            == 2
        )


def test_what_a_call_gives_has_the_batch_though_its_arguments_have_none() -> None:
    text = CALLED.replace(
        r"c[1 \leq t \leq S] \gets g(w, ARGUMENT)",
        r"c[0 \leq t \leq S] \gets \begin{cases} 0 & t = 0 \\ g(w, v_t) & \text{otherwise} \end{cases}",
    )
    assert check_text(text) == 2
    alone = (
        text.replace("g(w, v_t)", "g(w, a)")
        .replace("; w, g", "; w, a, g")
        .replace(r"\Return c", r"z_t \gets c[t-1] x_t + v_t \cdot v_t \quad (t = 1, \dots, S) \\ \Return z")
    )
    assert check_text(alone.replace(r"w \in \mathbb{R} \\", r"w \in \mathbb{R} \\ a \in \mathbb{R}^d \\")) == 2
