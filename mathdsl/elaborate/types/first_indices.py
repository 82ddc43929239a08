r"""Where the axes begin that nothing declares: the stages in which the solver's unknown first indices are settled.

Known before: what declarations, definitions and index types say. Then, each stage for what is still open: what reads tell of inputs
and parameters (`x_t` for `t = 1, \dots, S`), then of values that keep no domain; what meets an axis of as many elements (`y_k` beside
`k \gets \arg\max_i x_i`); what values keep (`q \gets 2 x`); and the notation's base.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.terms.terms import Term
from mathdsl.elaborate.types.common_indices import common_firsts, find_compared, find_conflicts, find_meetings
from mathdsl.elaborate.types.domains import Adopted, extend_rows
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.kept_domains import KeptDomains, Place
from mathdsl.elaborate.types.read_domains import GIVEN, Reads, find_assumed, find_reads, read_domains
from mathdsl.elaborate.types.shapes import expand
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span


@dataclass(frozen=True)
class FirstIndices:
    """Where axes begin that nothing declares: what values keep, the ranges of the reads that told it, what the header gives of families."""

    kept: KeptDomains
    ranges: Mapping[Place, tuple[Range, Span]]
    adopted: Sequence[Adopted]


def settle_first_indices(inference: Inference, terms: Sequence[Term], adopted: Sequence[Adopted]) -> FirstIndices:
    """Say where each axis begins; what could begin elsewhere is reported. `terms`: what is returned or checked, beside the statements."""
    types = inference.types
    _define_written(types)
    axes = [(symbol, axis) for symbol in types.entries.symbols.values() for axis in range(len(expand(symbol.shape).prefix))]
    undeclared = dict.fromkeys(place for place in axes if types.is_open(*place))
    reads = _without(find_reads(types, terms), adopted)
    kept = KeptDomains(types, inference)
    told = read_domains(types, reads, kept, GIVEN)
    kept = _defined(kept, told.lowers)
    told += (of_values := read_domains(types, reads, kept, (Role.VALUE,)))
    _define(types, of_values.lowers)
    meetings = find_meetings(types, terms, kept, adopted)
    kept = _defined(kept, {**of_values.lowers, **common_firsts(types, meetings)})
    _define(types, {place: lower for place in undeclared if (lower := kept.axis(*place).lower) is not None})
    assumed = frozenset(place for place in undeclared if types.is_open(*place))
    _define(types, dict.fromkeys(assumed, Poly.of(types.written.base)))
    if not types.findings.is_faulty:
        for problem in (
            *(found() for found in told.problems),
            *find_assumed(types, reads, kept, assumed),
            *find_compared(types, terms, assumed),
            *find_conflicts(types, meetings, undeclared),
        ):
            types.findings.report(problem)
    rows = [entry for entry in adopted if (entry.family, 0) in undeclared]
    beside = [*(entry for entry in adopted if entry not in rows), *extend_rows(types, rows)]
    return FirstIndices(KeptDomains(types, inference, assumed) if assumed else kept, told.ranges, beside)


def _without(reads: Reads, adopted: Iterable[Adopted]) -> Reads:
    """The reads of what a program itself defines: not those of elements that the header gives."""
    by_place = dict(reads.by_place)
    for entry in adopted:
        place, given = (entry.family, 0), Range(entry.at, entry.at)
        own = [read for read in by_place.get(place, ()) if read.range != given]
        by_place[place] = [replace(read, range=_beside(read.range, entry.at)) for read in own]
    return replace(reads, by_place=by_place)


def _beside(bounds: Range | None, at: Poly) -> Range | None:
    if bounds is None or at not in (bounds.lower, bounds.upper):
        return bounds
    return Range(bounds.lower + 1, bounds.upper) if at == bounds.lower else Range(bounds.lower, bounds.upper - 1)


def _define_written(types: Types) -> None:
    """What was asked for before a declaration or a definition said it."""
    for (symbol, axis), unknown in types.firsts.items():
        types.solver.unify(unknown, types.lower(symbol, axis))


def _defined(kept: KeptDomains, lowers: Mapping[Place, Poly]) -> KeptDomains:
    """What values keep once these first indices are defined: what was found before, where there are none."""
    _define(kept.types, lowers)
    return KeptDomains(kept.types, kept.inference) if lowers else kept


def _define(types: Types, lowers: Mapping[Place, Poly]) -> None:
    for (symbol, axis), lower in lowers.items():
        types.solver.unify(types.lower(symbol, axis), lower)
