"""Room for deep trees: recursion as far as formulas are nested, and no collector that walks them again and again."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

DEPTH = 20_000  # of nested formulas; the parser's own bound is far below


@contextmanager
def roomy() -> Iterator[None]:
    """Room for the recursion over nested formulas, and no search for cyclic garbage.

    The trees of a program hold no cycles and live to its end: the collector would walk them again and again for nothing.
    """
    depth, collects = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(depth, DEPTH))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)
        if collects:
            if not gc.get_freeze_count():
                gc.freeze()  # what is left is the result, which lives on: it joins the oldest objects, and is not walked now
                gc.unfreeze()
            gc.enable()
