"""The labels of a document under names that TeX takes: an author's own where it is harmless, else one made here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from mathdsl.render.document.model import Block, DisplayMath, Float, Heading, Listing, Quote
from mathdsl.render.document.nesting import change_inside
from mathdsl.render.document.references import find_labels

_HARMLESS = re.compile(r"[A-Za-z][A-Za-z0-9:.-]*")

Labels = Mapping[str, str]
"""The name in TeX of each label that something of the document has."""

NO_LABELS: Labels = MappingProxyType({})


def name_labels(blocks: Sequence[Block]) -> dict[str, str]:
    """A name for each label, in order of appearance."""
    written = find_labels(blocks)
    names: dict[str, str] = {}
    for number, label in enumerate(written, start=1):
        made = f"label{number}"
        while made in written:
            made += "a"
        names[label] = label if _HARMLESS.fullmatch(label) else made
    return names


def label_once(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks with each label only where it stands first: TeX knows one place for a label."""
    seen: set[str] = set()
    return tuple(_once(block, seen) for block in blocks)


def _once(block: Block, seen: set[str]) -> Block:
    match block:
        case Heading() | DisplayMath():
            return replace(block, label=_first(block.label, seen))
        case Listing(lines=lines):
            label = _first(block.label, seen)
            return replace(block, label=label, lines=tuple(replace(line, label=_first(line.label, seen)) for line in lines))
        case Float() | Quote():
            return change_inside(replace(block, label=_first(block.label, seen)), lambda body: [_once(one, seen) for one in body])
        case _:
            return change_inside(block, lambda body: [_once(one, seen) for one in body])


def _first(label: str, seen: set[str]) -> str:
    if label in seen:
        return ""
    seen.add(label)
    return label
