"""Mistakes that only the system of equations shows: reads outside a domain, missing base cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from mathdsl.analysis.domains import ReadVerdict, check_leaving_reads, check_reads
from mathdsl.diagnostics.build import error
from mathdsl.diagnostics.model import Diagnostic, Diagnostics
from mathdsl.ir.nodes import Array, Kind, Module, Program, Result
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span

Places: TypeAlias = Mapping[tuple[str, str], Sequence[tuple[tuple[object, ...], Span]]]


def check_program(program: Program, places: Places, found: Diagnostics) -> None:
    """Report what is provably wrong in the modules of a document; `places` says where each array is read."""
    for module in program.modules:
        outside = [verdict for verdict in check_reads(module) if verdict.verdict == "never"]
        known = {(verdict.read, verdict.position) for verdict in outside}
        outside += [verdict for verdict in check_leaving_reads(module) if (verdict.read, verdict.position) not in known]
        for verdict in outside:
            found.add(_outside(module, verdict, places))


def _outside(module: Module, verdict: ReadVerdict, places: Places) -> Diagnostic:
    array = module.array(verdict.read.array)
    span = _place(module, verdict, places)
    point = dict(verdict.witness)
    index = [entry.substitute(point) if isinstance(entry, Poly) else None for entry in verdict.read.index]
    position = verdict.position if verdict.position is not None else 0
    at = verdict.at if verdict.at is not None else index[position] if position < len(index) else None
    element = f"{array.latex}[{at}]" if at is not None else array.latex
    domain = array.ranges[position]
    if array.kind is Kind.VALUE:
        return error(
            "E0503",
            f"`{element}` is read, and nothing defines it",
            span,
            label=f"`{array.latex}` is defined over {domain.lower} .. {domain.upper}",
            help=f"add the missing base case, as in `{array.latex}[{at}] \\gets …`, or begin the range later",
        )
    return error(
        "E0502",
        f"`{element}` is read, and `{array.latex}` runs over {domain.lower} .. {domain.upper}",
        span,
        label=f"here the index reaches {at}",
        notes=(f"the first element of `{array.latex}` has the index {domain.lower}",),
        help=_help(array, position, at, domain.lower),
    )


def _help(array: Array, position: int, at: Poly | None, lower: Poly) -> str:
    name = array.latex
    if at is not None and lower.constant == 0:
        return (
            f"shift the index, `{name}[t-1]`; or declare the range, `{name}_t \\in …, t = 1, \\dots, S`; "
            f"or pad on the left, `\\{{0\\}}^{{1}} || {name}`"
        )
    return f"shift the index, or declare the range of `{name}`"


def _place(module: Module, verdict: ReadVerdict, places: Places) -> Span:
    """The read itself where it can be told apart, else its equation."""
    place = module.span if isinstance(verdict.place, Result) else verdict.place.origin.span
    candidates = places.get((module.name, verdict.read.array), ())
    inside = [
        (positions, span)
        for positions, span in candidates
        if span.file == place.file and place.start <= span.start and span.end <= place.end
    ]
    exact = [span for positions, span in inside if positions[: len(positions)] == verdict.read.index[: len(positions)]]
    if exact:
        return exact[0]
    return inside[0][1] if len(inside) == 1 else place if place.file else NOWHERE
