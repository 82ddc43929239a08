"""Operations as rows: what they take, compute and look like. A new one is a row here and a sample in the tests."""

from collections.abc import Mapping
from typing import Protocol, TypeVar

from mathdsl.ops.abstract import Number
from mathdsl.ops.elementwise import ELEMENTWISE
from mathdsl.ops.model import AlongAxis, Elementwise, Guard, Reduction, Signature
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

_GREEK = frozenset({"sigma", "Gamma"})  # a capital Greek letter is another symbol


class _Notated(Protocol):
    @property
    def notations(self) -> tuple[str, ...]: ...


_Row = TypeVar("_Row", bound=_Notated)


def _by_notation(rows: Mapping[str, _Row]) -> dict[str, _Row]:
    found: dict[str, _Row] = {}
    for row in rows.values():
        for notation in row.notations:
            found[notation] = row
            if notation not in _GREEK:
                found[notation[0].swapcase() + notation[1:]] = row
    return found


_FUNCTIONS = _by_notation(ELEMENTWISE)
_ANY_CASE = {notation: row for row in ELEMENTWISE.values() if row.any_case for notation in row.notations if notation not in _GREEK}
_REDUCTIONS = _by_notation(REDUCTIONS)
_ALONG = _by_notation(ALONG)


def find_function(name: str) -> Elementwise | None:
    """The elementwise operation that `name` (a command without backslash, `\\operatorname` text) calls, if any."""
    return _FUNCTIONS.get(name) or _ANY_CASE.get(name.lower())


def find_reduction(name: str) -> Reduction | None:
    """The reduction of that name, if any (`max` over an index; of two numbers it is an elementwise operation)."""
    return _REDUCTIONS.get(name)


def find_along(name: str) -> AlongAxis | None:
    """The operation along an axis of that name, if any."""
    return _ALONG.get(name)
