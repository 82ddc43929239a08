"""Updates of arrays whose extent only elaboration knows: the loops must run over all of the array."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.elements import SUPERSCRIPT, Element
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.names.names import spelling_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.elaborate.names.versions import Meaning, versioned
from mathdsl.elaborate.types.sizes import is_first
from mathdsl.elaborate.types.solvers import Types


@dataclass(frozen=True)
class Cover:
    """An update of an array whose extent the syntax does not show: both versions must have the same axes."""

    element: Element
    new: Meaning
    old: Meaning


def check_cover(types: Types, cover: Cover) -> None:
    """Make the axes of both versions the same; where they cannot be, the update is one of a part."""
    element = cover.element
    new, old = _symbol(types, element, cover.new), _symbol(types, element, cover.old)
    if new is None or old is None:
        return
    for axis in sorted(element.axes):
        if axis == SUPERSCRIPT:
            continue
        a, b = len(cover.new.prefix) + axis, len(cover.old.prefix) + axis
        new.shape, old.shape = types.shapes.split(new.shape, a + 1), types.shapes.split(old.shape, b + 1)
        same = len(new.shape.prefix) > a and len(old.shape.prefix) > b
        same = same and types.solver.unify(new.shape.prefix[a], old.shape.prefix[b])
        if not same or not _may_begin_alike(types, (new, a), (old, b)):
            raise Unproved(element)


def _may_begin_alike(types: Types, *places: tuple[Symbol, int]) -> bool:
    """Whether two axes may have one first index: of those that nothing declares it is 0 or 1."""
    firsts = {types.lower(*place) for place in places}
    known = {first for first in firsts if not any(map(is_first, first.names))}
    return len(known) < 2 and (known == firsts or all(first.constant in (0, 1) for first in known))


def check_sizes(types: Types, covers: Sequence[Cover]) -> None:
    """Where sizes disagree beside updates whose extent is not known, the first of those is taken to be one of a part."""
    problems = types.findings.problems
    if covers and any(problem.code == "E0401" for problem in problems):
        raise Unproved(covers[0].element, MathdslError(*problems))


def check_covered(types: Types, cover: Cover) -> None:
    """Once it is known from where the versions count: where that is not the same, the update is one of a part."""
    new, old = _symbol(types, cover.element, cover.new), _symbol(types, cover.element, cover.old)
    if new is None or old is None:
        return
    pairs = [(len(cover.new.prefix) + axis, len(cover.old.prefix) + axis) for axis in cover.element.axes if axis != SUPERSCRIPT]
    if any(types.lower(new, a) != types.lower(old, b) for a, b in pairs):
        raise Unproved(cover.element)


def _symbol(types: Types, element: Element, meaning: Meaning) -> Symbol | None:
    spelling = spelling_of(unaccent(versioned(element.name, meaning.version)))
    return None if spelling is None else types.entries.symbols.get((spelling, element.superscript is not None))
