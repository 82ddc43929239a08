r"""Readings that a letter below a sum, or at the end of a range, leaves open: an index, a size, an array."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity, Reading, algorithm, module

_SQUARE = r"A_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n"

SIZE_OR_ARRAY = Ambiguity(
    "a letter that is a size, and an array",
    "`<name>`",
    (
        Reading(
            "the size",
            "give the array another name",
            module(
                "x",
                r"c_i \gets x_i \cdot x_i \quad (i = 1, \dots, n)",
                r"\Return \frac{1}{d} \sum_{i=1}^{n} c_i",
                where=r"x_i \in \mathbb{R}^{d}, i = 1, \dots, n",
            ),
        ),
        Reading(
            "the array of that name",
            "give the size another name",
            module(
                "x",
                r"d_i \gets x_i \cdot x_i \quad (i = 1, \dots, n)",
                r"\Return d + \sum_{i=1}^{n} d_i",
                where=r"x_i \in \mathbb{R}^{m}, i = 1, \dots, n",
            ),
        ),
    ),
    "nothing: one of the two gets another name; a range or a shape means the size, and an element is one of the array",
    "E0312",
    module(
        "x",
        r"d_i \gets x_i \cdot x_i \quad (i = 1, \dots, n)",
        r"\Return \frac{1}{d} \sum_{i=1}^{n} d_i",
        where=r"x_i \in \mathbb{R}^{d}, i = 1, \dots, n",
    ),
    {"name": "d"},
)

INDEX_OR_SIZE = Ambiguity(
    "a new letter in the condition of a sum",
    "`<letter>`",
    (
        Reading(
            "an index of its own",
            r"write a sum of its own for an index, as in `\sum_{<letter>=1}^{n} \sum_{i < <letter>}`",
            module("x", r"\Return \sum_{K=1}^{n} \sum_{i < K} x_i", where=r"x_i \in \mathbb{R}, i = 1, \dots, n"),
        ),
        Reading(
            "a size that nothing declares",
            r"declare `<letter> \in \mathbb{N}` for a size",
            module(r"x, K", r"\Return \sum_{i < K} x_i", where=r"x_i \in \mathbb{R}, i = 1, \dots, n \\ K \in \mathbb{N}"),
        ),
    ),
    "what the body reads: an index stands in a script there, a size is declared",
    "E0505",
    module("x", r"\Return \sum_{i < K} x_i", where=r"x_i \in \mathbb{R}, i = 1, \dots, n"),
    {"letter": "K"},
)

SIZE_OR_ANOTHER = Ambiguity(
    "a new letter at the end of a range, where the size of the input that is read has another name",
    "`<letter>`, up to which `<name>` is read,",
    (
        Reading(
            "its size `<size>`",
            "write `<size>` for the size of `<name>`",
            module("x", r"\Return \frac{1}{n} \sum_{i=1}^{n} x_i", where=r"x \in \mathbb{R}^{n}"),
        ),
        Reading(
            "a size of its own",
            r"declare `<letter> \in \mathbb{N}` for a size of its own",
            module(r"x, N", r"\Return \frac{1}{N} \sum_{i=1}^{N} x_i", where=r"x_i \in \mathbb{R}, i = 1, \dots, n \\ N \in \mathbb{N}"),
        ),
    ),
    "a declaration of the letter; without one it is the size of the input that is read over exactly that range, with a note",
    "N0301",
    module("x", r"\Return \frac{1}{N} \sum_{i=1}^{N} x_i", where=r"x \in \mathbb{R}^{n}"),
    {"letter": "N", "name": "x", "size": "n"},
    (
        "is taken to hold: nothing else tells up to where the input is read",
        "are taken to hold: nothing else tells up to where inputs are read",
    ),
)

INDEX_OR_CONDITION = Ambiguity(
    "a symbol with a value before `=` below a sum",
    "`<letter> = <value>`, where `<letter>` has a value and stands in a script,",
    (
        Reading(
            "a condition",
            r"write `\mathbb{1}[<letter> = <value>]` in the sum for the condition",
            module("A, z", r"\Return \sum_{i=1}^{n} \mathbb{1}[z = 1] A_{i,z}", where=rf"{_SQUARE} \\ z \in \mathbb{{Z}}"),
        ),
        Reading(
            "the range of an index",
            "take a letter without a value for the index",
            module("A", r"\Return \sum_{i=1, j=1}^{n} A_{i,j}", where=_SQUARE),
        ),
    ),
    "where the letter stands: in no script of the sum, it is a condition",
    "E0505",
    module("A, z", r"\Return \sum_{i=1, z=1}^{n} A_{i,z}", where=rf"{_SQUARE} \\ z \in \mathbb{{Z}}"),
    {"letter": "z", "value": "1"},
)

_COUNTED = r"x \in \mathbb{R}^{n}, p \in \mathbb{N}, q \in \mathbb{N}"
_TURN = r"s \gets 2 s + x_i", r"\EndFor", r"\Return s"

UP_OR_DOWN = Ambiguity(
    "dots between the ends of a loop of which nothing tells which is the greater",
    r"`<first>, \dots, <last>`",
    (
        Reading(
            "a range that goes up",
            "write `<up>` for one that goes up",
            algorithm("x, p, q", _COUNTED, r"s \gets 0", r"\For{$i = p, p + 1, \dots, q$}", *_TURN),
        ),
        Reading(
            "one that goes down",
            "write `<down>` for one that goes down",
            algorithm("x, p, q", _COUNTED, r"s \gets 0", r"\For{$i = p, p - 1, \dots, q$}", *_TURN),
        ),
    ),
    "the second number, `n, n - 1, \\dots, k`; the word `to`; a proof from the ranges of loops around; a size goes down to what is "
    "computed, and what is computed goes up to a size",
    "E0505",
    algorithm("x, p, q", _COUNTED, r"s \gets 0", r"\For{$i = p, \dots, q$}", *_TURN),
    {"first": "p", "last": "q", "up": r"p, p + 1, \dots, q", "down": r"p, p - 1, \dots, q"},
)

ROWS = (SIZE_OR_ARRAY, INDEX_OR_SIZE, SIZE_OR_ANOTHER, INDEX_OR_CONDITION, UP_OR_DOWN)
