"""Operations as rows: what they take, compute and look like. A new one is a row here and a sample in the tests."""

from mathdsl.ops.abstract import Number
from mathdsl.ops.elementwise import ELEMENTWISE
from mathdsl.ops.model import AlongAxis, Elementwise, Guard, Reduction, Signature
from mathdsl.ops.notations import find_along, find_function, find_reduction
from mathdsl.ops.whole_axes import ALONG, REDUCTIONS

__all__ = [
    "ALONG",
    "ELEMENTWISE",
    "REDUCTIONS",
    "AlongAxis",
    "Elementwise",
    "Guard",
    "Number",
    "Reduction",
    "Signature",
    "find_along",
    "find_function",
    "find_reduction",
]
