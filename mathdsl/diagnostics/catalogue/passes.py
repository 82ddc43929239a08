"""Codes of the passes: what no pass or schedule can do."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "E0501",
        "error",
        "no order computes this",
        r"""Values that need each other have no order in which they can be computed. The message shows the chain of needs from a value back
to itself; each label marks the equation of one link.

Wrong, because `h_t` needs `g_t` and `g_t` needs `h_t`:

    g_t \gets \sigma(U @ h_t) \\
    h_t \gets g_t \odot x_t \\

Right, if the previous state is meant, with a base case `h_0`:

    g_t \gets \sigma(U @ h_{t-1}) \\
    h_t \gets g_t \odot x_t \\
""",
    ),
    Row(
        "E0751",
        "error",
        "a recurrence that reads where data says",
        r"""In `h_n \gets f(h_{p_n})` only the data `p` knows which elements `h_n` needs, so that no loop over `n` can be proved
right. This is not supported yet. Reading *other* arrays where data says, as in `E[x_t]`, is.

Wrong: `h_n \gets \tanh(W @ h_{p_n})`. Right: `h_n \gets \tanh(W @ h_{n-1} + E[p_n])`.
""",
    ),
    Row(
        "E0752",
        "error",
        "a recurrence over a distance that is not constant",
        r"""A loop hands a state on by a fixed number of steps, `h_{t-1}`, `h_{t+1}`, or all that equations have made of an array so far,
as in `h_t \gets x_t + \sum_{s=1}^{t-1} h_s`. All that calls of a module have made of one is not handed on yet, nor what a loop
inside of another loop has made.

Wrong: `h_t \gets f(x_t + \sum_{s=1}^{t-1} h_s)` with a module `f` that is called. Right: carry the sum, `a_t \gets a_{t-1} + h_t` and
`h_t \gets f(x_t + a_{t-1})`.
""",
    ),
    Row(
        "E0753",
        "error",
        "a recurrence that needs a skewed or shifted order",
        r"""An order of computation may exist, but not as loops along the indices as they are: some equation would have to run a
step ahead of another, or two indices would have to move together. This is not supported yet.

Wrong: `a_t \gets b_{t+1}` beside `b_t \gets a_{t-2} + x_t`. Right, with the index of `b` shifted: `a_t \gets b'_t` beside
`b'_t \gets a_{t-1} + x_{t+1}`.
""",
    ),
    Row(
        "E0754",
        "error",
        "a recurrence over ranges that the sizes do not order",
        r"""Equations that need each other run in one loop, over the range that holds all of theirs. If the ends of their ranges
cannot be compared (`1, \dots, n` and `1, \dots, m`), there is no such range.

Wrong: `a_t \gets b_{t-1}` for `t = 1, \dots, n` beside `b_t \gets a_t` for `t = 0, \dots, m`. Right: let both run to `n`.
""",
    ),
    Row(
        "N0501",
        "note",
        "a length that the examples of a batch share",
        r"""The lengths of inputs may differ between the examples of a batch: `forward(…, lengths=…)` takes them, and what stands beyond an
example's own end, its padding, changes nothing. This needs ranges that end later where a length is greater. Where values run over a
difference of lengths, a batch has no common shape for them; the length of a list is that of the batch; an opaque module that is called
on a whole sequence is not told where an example ends. All examples of a batch then have the same value of that size, which the note
names. `-q` silences the note. The length of an input that may be left out, `c = []`, is that of the batch, too, without a note: the
generated class says so.

Shared, with inputs of `m` and of `n` elements: `y_k \gets \sum_{i=1}^{m} x_i z_{k+i-1}` for `k = 1, \dots, n - m + 1`. Not shared: a
sum over `i = 1, \dots, n - m`, the last elements `i = n - 1, \dots, n`, and joins of `m` and `n` elements.
""",
    ),
)
