"""What moved between two snapshots."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CLOSE = {"rel_tol": 1e-9, "abs_tol": 2e-10}  # of numbers that were rounded to 10 digits


@dataclass(frozen=True)
class Change:
    """What became of one program: `same`, `text moved`, `numbers moved`, `newly refused`, `newly accepted`, `new` or `gone`."""

    name: str
    kind: str
    details: tuple[str, ...] = ()
    diff: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether somebody has to say why."""
        return self.kind in ("numbers moved", "newly refused")


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """A change for each program of either snapshot."""
    changes: list[Change] = []
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            changes.append(Change(name, "gone" if name in before else "new"))
        else:
            changes.append(_change(name, before[name], after[name]))
    return changes


def _change(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Change:
    if after["refused"] and not before["refused"]:
        return Change(name, "newly refused", tuple(after["refused"]))
    if before["refused"] and not after["refused"]:
        return Change(name, "newly accepted", tuple(before["refused"]))
    moved = tuple(_moved(before["numbers"], after["numbers"]))
    old, new = ("\n".join((*side["refused"], side["text"])) for side in (before, after))
    diff = "\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "after", lineterm=""))
    return Change(name, "numbers moved" if moved else "text moved" if diff else "same", moved, diff)


def _moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for what in dict.fromkeys((*before, *after)):
        if what not in before or what not in after:
            yield f"{what}: {'only before' if what in before else 'only now'}"
        elif not _is_same(before[what], after[what]):
            yield f"{what}: {_short(before[what])} -> {_short(after[what])}"


def _is_same(left: Any, right: Any) -> bool:
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, **CLOSE) or math.isnan(left) and math.isnan(right)
    return type(left) is type(right) and bool(left == right)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
