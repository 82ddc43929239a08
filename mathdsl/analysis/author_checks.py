"""Mistakes that only the system of equations shows: reads outside a domain, missing base cases and elements, numbers that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mathdsl.analysis.domains import ReadVerdict, check_leaving_reads, check_reads, find_overlaps
from mathdsl.analysis.element_names import element_latex, index_latex, poly_latex
from mathdsl.analysis.numbers import large_numbers
from mathdsl.analysis.stack_calls import missing_elements, stack_range
from mathdsl.diagnostics.build import error
from mathdsl.diagnostics.model import Diagnostic, Diagnostics, Label
from mathdsl.ir.nodes import Array, Axis, Call, Check, Equation, Kind, Module, Origin, Program, Range, Result, Submodule
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import left_side, surely_leaves
from mathdsl.spans import Span

Places: TypeAlias = Mapping[tuple[str, str], Sequence[tuple[tuple[object, ...], Span]]]


def check_program(program: Program, places: Places, found: Diagnostics) -> bool:
    """Report what is provably wrong in the modules of a document, and say whether nothing is; `places` says where each array is read."""
    before = len(found.items)
    for module in program.modules:
        verdicts, triangles = check_reads(module), _triangles(module)
        beside = {v.read.array: v for v in reversed(verdicts) if v.position is None and v.read.array in triangles}
        for name, verdict in beside.items():
            found.add(_outside_of_triangle(module, verdict, triangles[name], places))
        for first, second, name in find_overlaps(module) if triangles else ():
            if name in triangles:
                found.add(_defined_twice(module, first, second, name))
        for diagnostic in _defined_beyond(module):
            found.add(diagnostic)
        outside = [v for v in verdicts if v.verdict == "never" and (v.position is not None or v.read.array not in triangles)]
        known = {(verdict.read, verdict.position) for verdict in outside}
        outside += [verdict for verdict in check_leaving_reads(module) if (verdict.read, verdict.position) not in known]
        for verdict in outside:
            found.add(_outside(module, verdict, places))
        for call, stack, at in missing_elements(module):
            found.add(_missing(call, stack, at))
        for diagnostic in large_numbers(module):
            found.add(diagnostic)
    return not any(diagnostic.severity == "error" for diagnostic in found.items[before:])


def _defined_beyond(module: Module) -> Iterator[Diagnostic]:
    """The equations whose left sides surely leave the range that the array is declared with."""
    arrays = {array.name: array for array in module.arrays}
    for step in module.steps:
        ranges = left_side(step.index, step.axes) if isinstance(step, Equation) else None
        if ranges is None or not isinstance(step, Equation):
            continue
        array = arrays[step.target]
        for defined, declared in zip(ranges, array.ranges, strict=False):
            if surely_leaves(defined, declared):
                runs, reaches = (f"{poly_latex(one.lower)} .. {poly_latex(one.upper)}" for one in (declared, defined))
                what = f"`{array.latex}` runs over {runs}, and is defined over {reaches} here"
                help_text = "change the range behind the definition, or that of the row which declares it"
                yield error("E0511", what, step.origin.span, help=help_text)
                break


def _triangles(module: Module) -> dict[str, Equation]:
    """The arrays that an equation defines where one index ends at another, `1 <= j <= i`."""
    equations = (step for step in module.steps if isinstance(step, Equation))
    return {step.target: step for step in equations if any(_is_bounded(step, axis) for axis in step.axes)}


def _is_bounded(step: Equation, axis: Axis) -> bool:
    """Whether the range of one index ends at another."""
    return not _own_names(step).isdisjoint(axis.range.lower.names | axis.range.upper.names)


def _own_names(step: Equation) -> set[str]:
    return {axis.name for axis in step.axes}


def _outside_of_triangle(module: Module, verdict: ReadVerdict, step: Equation, places: Places) -> Diagnostic:
    array, inner = module.array(verdict.read.array), [axis for axis in step.axes if _is_bounded(step, axis)]
    chains = (f"{poly_latex(a.range.lower)} \\leq {index_latex(a.name)} \\leq {poly_latex(a.range.upper)}" for a in inner)
    where = r" \land ".join(chains)
    element = element_latex(array, step.index, range(len(step.index)), step.origin)
    cases = rf"`{element} \gets \begin{{cases}} \dots & {where} \\ 0 & otherwise \end{{cases}}`"
    zeros = rf"`{array.latex} \gets \mathbf{{0}}_{{{', '.join(poly_latex(bounds.extent) for bounds in array.ranges)}}}`"
    return error(
        "E0503",
        f"elements of `{array.latex}` are read that nothing defines",
        _place(module, verdict, places),
        label=f"`{array.latex}` is defined where `{where}`",
        help=f"read it there only, or say what the other elements are: {cases}; where arrays are assigned, {zeros} before it",
    )


def _defined_twice(module: Module, first: int, second: int, name: str) -> Diagnostic:
    return error(
        "E0303",
        f"elements of `{module.array(name).latex}` may be defined twice",
        module.steps[second].origin.span,
        labels=(Label(module.steps[first].origin.span, "defined here first"),),
        help="write ranges that do not meet, or give the second value a name of its own",
    )


def _missing(call: Call, stack: Submodule, at: Poly) -> Diagnostic:
    bounds = stack_range(stack)
    runs = f"{poly_latex(bounds.lower)} .. {poly_latex(bounds.upper)}"
    return error(
        "E0603",
        f"`{stack.latex}^{{{poly_latex(at)}}}` is called, and `{stack.latex}` runs over {runs}",
        call.origin.span,
        help="declare the stack over the range that is called",
    )


def _outside(module: Module, verdict: ReadVerdict, places: Places) -> Diagnostic:
    array = module.array(verdict.read.array)
    span = _place(module, verdict, places)
    if isinstance(verdict.place, Result):
        verdict = replace(verdict, place=Check(verdict.place.value.axes, verdict.read, module.returned))
    position = verdict.position if verdict.position is not None else 0
    at = _reached(verdict, position)
    element = _element(array, verdict, position, at)
    domain = array.ranges[position]
    runs = f"{poly_latex(domain.lower)} .. {poly_latex(domain.upper)}"
    if array.kind is Kind.VALUE and not _is_defined_whole(module, array, position):
        return error(
            "E0503",
            f"`{element}` is read, and nothing defines it",
            span,
            label=f"`{array.latex}` is defined over {runs}",
            help=f"add the missing base case, as in `{element} \\gets …`, or begin the range later",
        )
    return error(
        "E0502",
        f"`{element}` is read, and `{array.latex}` runs over {runs}",
        span,
        label="" if at is None else f"here the index reaches {poly_latex(at)}",
        notes=_bases(array, verdict, position),
        help=_help(array, verdict, position, at),
    )


def _is_defined_whole(module: Module, array: Array, position: int) -> bool:
    """Whether no equation of an array writes an index at that axis, so that an element of its own is no base case."""
    equations = [step for step in module.steps if isinstance(step, Equation) and step.target == array.name]
    entries = [(equation.index[position], _words(equation.origin)) for equation in equations]
    return bool(entries) and all(entry.names and not _names_in(entry, words) for entry, words in entries)


def _reached(verdict: ReadVerdict, position: int) -> Poly | None:
    """What the index comes to where the read is outside."""
    if verdict.at is not None:
        return verdict.at
    entry = verdict.read.index[position]
    return entry.substitute(dict(verdict.witness)) if isinstance(entry, Poly) else None


def _origin(verdict: ReadVerdict) -> Origin:
    return Origin("") if isinstance(verdict.place, Result) else verdict.place.origin


def _element(array: Array, verdict: ReadVerdict, position: int, at: Poly | None) -> str:
    """The element that is missing."""
    if at is None:
        return array.latex
    point = dict(verdict.witness)
    known = {k: entry.substitute(point) for k, entry in enumerate(verdict.read.index) if isinstance(entry, Poly)}
    return _written(array, verdict, {**known, position: at})


def _written(array: Array, verdict: ReadVerdict, changes: Mapping[int, Poly]) -> str:
    """The element that is read, with other indices, as the equation writes elements of its array."""
    read = verdict.read.index
    shown = [k for k, entry in enumerate(read) if not (isinstance(entry, Poly) and _is_component(entry, verdict))]
    return element_latex(array, [changes.get(k, entry) for k, entry in enumerate(read)], shown, _origin(verdict))


def _is_component(entry: Poly, verdict: ReadVerdict) -> bool:
    """Whether an index counts the components of a vector or matrix, which the equation does not write."""
    return bool(entry.names) and not _names_in(entry, _words(_origin(verdict)))


def _words(origin: Origin) -> set[str]:
    return set(re.findall(r"[A-Za-z]+", origin.latex))


def _names_in(entry: Poly, words: set[str]) -> bool:
    """Whether an equation writes one of the index variables of an index."""
    return any(index_latex(name).lstrip("\\") in words for name in entry.names)


def _axes(verdict: ReadVerdict) -> tuple[Axis, ...]:
    return verdict.place.axes if isinstance(verdict.place, (Equation, Call)) else ()


def _variable(verdict: ReadVerdict, position: int) -> Axis | None:
    """The index variable in the index that leaves the array."""
    entry = verdict.read.index[position]
    return next((axis for axis in _axes(verdict) if isinstance(entry, Poly) and axis.name in entry.names), None)


def _bases(array: Array, verdict: ReadVerdict, position: int) -> tuple[str, ...]:
    """Where the array begins, and where the index variable does."""
    first = f"the first element of `{array.latex}` has the index {poly_latex(array.ranges[position].lower)}"
    axis = _variable(verdict, position)
    return (first,) if axis is None else (f"{first}, and `{index_latex(axis.name)}` begins at {poly_latex(axis.range.lower)}",)


def _help(array: Array, verdict: ReadVerdict, position: int, at: Poly | None) -> str:
    entry, domain, axis = verdict.read.index[position], array.ranges[position], _variable(verdict, position)
    shift = None if at is None else _overshoot(at, domain)
    if not isinstance(entry, Poly) or axis is None or shift is None:
        return "shift the index, or declare another range"
    name, variable = array.latex, index_latex(axis.name)
    shifted = entry - shift
    ends = (shifted.substitute({axis.name: end}) for end in (axis.range.lower, axis.range.upper))
    stays = all(_overshoot(end, domain) is None for end in ends)
    offers = [f"shift the index, `{_written(array, verdict, {position: shifted})}`"] if stays else []
    if not stays and entry.coefficient(axis.name) == Poly.of(1):
        begin, end = (axis.range.lower, axis.range.upper - shift) if shift > 0 else (axis.range.lower - shift, axis.range.upper)
        offers.append(f"let `{variable}` run from {poly_latex(begin)} to {poly_latex(end)}")
    own = f"{variable} = {poly_latex(axis.range.lower)}, \\dots, {poly_latex(axis.range.upper)}"
    if position == 0 and array.kind is Kind.INPUT and domain != axis.range:
        offers.append(f"declare the range, `{name}_{variable} \\in …, {own}`")
        if shift > 0:
            offers.append(f"pad on the left, `\\{{0\\}}^{{{shift}}} || {name}`")
    return "; or ".join(offers) or "shift the index, or declare another range"


def _overshoot(at: Poly, domain: Range) -> int | None:
    """How far an index lies above (positive) or below (negative) a range, where that is a number."""
    above, below = (at - domain.upper).constant, (domain.lower - at).constant
    if above is not None and above > 0:
        return int(above)
    return None if below is None or below <= 0 else -int(below)


def _place(module: Module, verdict: ReadVerdict, places: Places) -> Span:
    """The read itself where it can be told apart, else its equation."""
    place = (module.returned if isinstance(verdict.place, Result) else verdict.place.origin).span
    candidates = places.get((module.name, verdict.read.array), ())
    inside = [
        (positions, span)
        for positions, span in candidates
        if span.file == place.file and place.start <= span.start and span.end <= place.end
    ]
    exact = [span for positions, span in inside if positions[: len(positions)] == verdict.read.index[: len(positions)]]
    if exact:
        return exact[0]
    return inside[0][1] if len(inside) == 1 else place if place.file else module.span
