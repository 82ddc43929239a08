"""How fast this machine is at the moment: the processor time of a fixed piece of work in plain Python.

Bounds on processor time are given for a machine that does the work in `REFERENCE_SECONDS`; a slower one has more time, in proportion.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

REFERENCE_SECONDS = 0.14
DEPTH = 14
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a binary tree."""

    name: str
    parts: tuple[Node, ...] = ()


def work() -> int:
    """What a compiler does: builds frozen trees, walks them, and builds changed ones; answers how many names there are in the last."""
    tree = _grown(DEPTH)
    for number in range(2):
        tree = _renamed(tree, f"_{number}")
    names: dict[str, int] = {}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        names[node.name] = names.get(node.name, 0) + 1
        waiting.extend(node.parts)
    return len(names)


def slowness() -> float:
    """How much longer the work takes than on the reference machine, the best of some rounds; 1 on a faster machine."""
    return max(1.0, min(_seconds() for _ in range(ROUNDS)) / REFERENCE_SECONDS)


@contextmanager
def own_garbage() -> Iterator[None]:
    """A stretch in which garbage is looked for among its own objects alone, not among those of thousands of tests before it."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _seconds() -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _grown(depth: int) -> Node:
    return Node(f"n{depth}", (_grown(depth - 1), _grown(depth - 1)) if depth else ())


def _renamed(node: Node, suffix: str) -> Node:
    parts = tuple(_renamed(part, suffix) for part in node.parts)
    return replace(node, name=node.name + suffix, parts=parts)
