"""Codes of the back ends: what cannot be generated."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "E0780",
        "error",
        "pieces that fill no box are not supported yet",
        r"""An array that is defined by several equations becomes one tensor: its pieces are joined along one index after the
other. That needs pieces that can be cut apart by straight cuts through the whole domain, each as long at every index of another axis.

A row beside a triangle leaves elements undefined that a tensor would have to hold:

    a_{1,j} \gets j \quad (j = 1, \dots, n) \\
    a_{i,j} \gets i + j \quad (i = 2, \dots, n, j = 1, \dots, i) \\

Define the array at once, over a rectangular domain:

    a_{i,j} \gets \begin{cases} j & i = 1 \\ i + j & j \leq i \\ 0 & otherwise \end{cases} \quad (i = 1, \dots, n, j = 1, \dots, n) \\
""",
    ),
    Row(
        "E0781",
        "error",
        "a run-time size that no input tells",
        r"""A run-time size is read from the inputs of a call. Here only an input that may be left out has an axis of that size, or
one whose length does not determine it, so there would be calls in which nobody knows the size.

    \Module{Start}{h = \mathbf{0} ; } … \Return h \\        % h \in \mathbb{R}^{S}: how long is it when it is left out?

Let an input without a default have that size, or make the size a hyperparameter by giving a parameter an axis of it.
""",
    ),
    Row(
        "E0782",
        "error",
        "an equation that is nested too deeply",
        r"""Python reads no more than 200 open brackets. A formula that comes near, such as a hundred functions of one another, is
parted by giving an inner part a name: `a \gets …`, `y \gets f(a)`.""",
    ),
)
