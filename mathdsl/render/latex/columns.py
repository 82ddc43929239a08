"""How wide the columns of a table are: so that it has as few lines as can be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil

_GAP = 1.0
_MOST_CANDIDATES = 6


def share_line(rows: Sequence[Sequence[float]], least: Sequence[float], line: float) -> tuple[float, ...]:
    """The part of a line for each column but the last, which has the rest.

    `line`: its ems; `rows`: ems of their cells; `least`: ems that each column needs, the last one too.
    """
    columns = len(least) - 1
    choices = [_candidates([row[n] for row in rows], least[n]) for n in range(columns)]
    best = min(product(*choices), key=lambda widths: _cost(widths, rows, least[-1], line))
    room = line - least[-1] - _GAP * columns
    shrunk = min(1.0, room / (sum(best) or 1.0))  # on a line that is too short for what it holds each column gives way
    return tuple(shrunk * width / line for width in best)


def _candidates(widths: Sequence[float], least: float) -> list[float]:
    """What the widest cells take, and the least."""
    widest = sorted({max(width, least) for width in widths}, reverse=True)
    step = max(1, ceil(len(widest) / _MOST_CANDIDATES))
    return [*widest[::step], least]


def _cost(widths: Sequence[float], rows: Sequence[Sequence[float]], least: float, line: float) -> tuple[float, float]:
    """The number of lines, then the space taken from the last column."""
    rest = line - sum(widths) - _GAP * len(widths)
    if rest < least:
        return float("inf"), -rest
    sizes = (*widths, rest)
    lines = sum(max((ceil(cell / size) for cell, size in zip(row, sizes, strict=True) if cell), default=1) for row in rows)
    return float(lines), sum(widths)
