"""The operations on a whole axis, a row each: those that reduce it and those that keep it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mathdsl.ir.nodes import Element
from mathdsl.ops import numbers
from mathdsl.ops.abstract import between, no_faster
from mathdsl.ops.model import BOOLEANS, NUMBERS, REALS, AlongAxis, Reduction, Signature

_REAL = Signature(1, REALS)
_NUMBER = Signature(1, NUMBERS)
_TRUTH = Signature(1, BOOLEANS)
_POSITION = Signature(1, NUMBERS, Element.INTEGER)

_REDUCTIONS = (
    Reduction("sum", _NUMBER, numbers.total_sum, "{0}.sum({1})", r"\sum", ("sum",), 0, 0),
    Reduction("prod", _NUMBER, math.prod, "{0}.prod({1})", r"\prod", ("prod",), 1, 1),
    Reduction(
        "max", _NUMBER, lambda values: numbers.maximum(*values), "{0}.amax({1})", r"\max", ("max",), None, -math.inf, abstract=no_faster
    ),
    Reduction(
        "min", _NUMBER, lambda values: numbers.minimum(*values), "{0}.amin({1})", r"\min", ("min",), None, math.inf, abstract=no_faster
    ),
    Reduction(
        "mean", _REAL, numbers.mean, "{0}.mean({1})", r"\operatorname{mean}", ("mean",), None, 0, divides_by_extent=True, abstract=no_faster
    ),
    Reduction(
        "argmax",
        _POSITION,
        numbers.position_of_greatest,
        "{0}.argmax({1})",
        r"\operatorname*{argmax}",
        ("argmax",),
        None,
        -math.inf,
    ),
    Reduction(
        "argmin",
        _POSITION,
        numbers.position_of_least,
        "{0}.argmin({1})",
        r"\operatorname*{argmin}",
        ("argmin",),
        None,
        math.inf,
    ),
    Reduction("any", _TRUTH, any, "{0}.any({1})", r"\bigvee", ("any", "bigvee"), False, False),
    Reduction("all", _TRUTH, all, "{0}.all({1})", r"\bigwedge", ("all", "bigwedge"), True, True),
    Reduction(
        "logsumexp",
        _REAL,
        numbers.log_sum_exp,
        "torch.logsumexp({0}, {1})",
        r"\operatorname{logsumexp}",
        ("logsumexp",),
        -math.inf,
        -math.inf,
        abstract=no_faster,
    ),
    # torch's own norm has the gradient 0 where all are 0, a root of squares none
    Reduction("norm", _REAL, numbers.norm, "torch.linalg.vector_norm({0}, dim={1})", r"\operatorname{norm}", (), 0.0, 0.0),
)

_ALONG = (
    AlongAxis(
        "softmax",
        _REAL,
        numbers.softmax,
        "torch.softmax({0}, {1})",
        r"\operatorname{softmax}",
        ("softmax",),
        -math.inf,
        0.0,
        between(0.0, 1.0),
    ),
    AlongAxis(
        "log_softmax",
        _REAL,
        numbers.log_softmax,
        "torch.log_softmax({0}, {1})",
        r"\operatorname{log\,softmax}",
        ("logsoftmax", "logSoftmax", "log_softmax"),
        -math.inf,
        0.0,
    ),
    AlongAxis("cumsum", _NUMBER, numbers.running_sums, "{0}.cumsum({1})", r"\operatorname{cumsum}", ("cumsum",), 0.0, 0.0),
)

REDUCTIONS: Mapping[str, Reduction] = {row.name: row for row in _REDUCTIONS}
ALONG: Mapping[str, AlongAxis] = {row.name: row for row in _ALONG}
