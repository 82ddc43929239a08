"""Names for sizes that nothing names, and what each size is: a constructor argument or a run-time size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mathdsl.elaborate.names.entries import SizeEntry, written_extreme
from mathdsl.elaborate.names.names import NO_NAME, Name, readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.pieces import Piece, split_cases
from mathdsl.elaborate.terms.terms import Binder, Ref, inner_binders, walk
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.elaborate.unit import Unit
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span

ORDER = ((Role.INPUT,), (Role.PARAMETER, Role.BUFFER), (Role.VALUE,))


def name_sizes(unit: Unit, firsts: FirstIndices) -> None:
    """`d_h` for the size of `h`: of inputs, then of parameters, then of values; of these first vectors, then arrays of more axes."""
    _tie_bounds(unit, firsts)
    _share_sizes(unit)
    written = sorted((s.spelling for s in unit.entries.symbols.values()), key=lambda name: name.is_own)
    for spelling in (*written, *unit.entries.submodules):
        unit.entries.names.name(spelling)  # a fresh size never takes a name that the program writes
    for symbol in unit.entries.symbols.values():
        if symbol.spelling in unit.entries.sizes:
            unit.entries.array_name(symbol)
    for unknown, (first, *others) in _measures(unit).items():
        free = (measure for measure in (first, *others) if not _is_taken(unit, measure))
        measure = next(free, first)
        _name_unknown(unit, Poly.of(unknown), measure.name, measure.spelling)
    for site, sizes in unit.call_sizes.items():
        for size in sizes.values():
            _name_unknown(unit, unit.sizes_solver.value(size), f"n_{unit.entries.submodules[site.submodule].path}")
    for site, shape in unit.opaque_results.items():
        for size in unit.shapes.known(shape) or ():
            _name_unknown(unit, unit.sizes_solver.value(size), f"d_{unit.entries.submodules[site.submodule].path}")
    for entry in unit.entries.submodules.values():
        for part in entry.parts:
            for name, value in part.arguments:
                if isinstance(value, Poly):
                    _name_unknown(unit, unit.sizes_solver.value(value), name)


def _share_sizes(unit: Unit) -> None:
    """What nothing says of the sizes of a module that is called by its type: they are the caller's own of these names, or the defaults."""
    own = {size.name for size in unit.entries.sizes.values() if not size.is_fresh}
    for entry in unit.entries.submodules.values():
        defaults = {} if entry.signature is None else dict(entry.signature.size_defaults)
        for name, value in (pair for part in entry.parts for pair in part.arguments if entry.automatic):
            solved = unit.sizes_solver.value(value) if isinstance(value, Poly) else None
            if solved is None or solved.variable is None or not is_unknown(solved.variable):
                continue
            if name in own or name in defaults:
                unit.sizes_solver.define(solved.variable, Poly.of(name if name in own else defaults[name]))


def _own_axes(unit: Unit, symbol: Symbol) -> Iterator[int]:
    rank = len(unit.shapes.known(symbol.shape) or ())
    indexed = max((len(r.positions) for r in unit.references_to(symbol)), default=0)
    yield from range(min(max(symbol.subscripts + symbol.has_superscript, min(indexed, rank - 1)), rank), rank)


@dataclass(frozen=True)
class Measure:
    """A name that a size may have: what it measures."""

    name: str
    spelling: Name


def _measures(unit: Unit) -> dict[str, list[Measure]]:
    """The sizes that nothing names, in order, each with the names of all that it measures, the first being the one that is wanted."""
    found: dict[str, list[Measure]] = {}
    for roles in ORDER:
        symbols = sorted((s for s in unit.entries.symbols.values() if s.role in roles), key=lambda s: _place(unit, s.spelling))
        vectors = [(s, own[0], "d") for s in symbols if len(own := list(_own_axes(unit, s))) == 1]
        for symbol, axis, letter in (*vectors, *(axis for s in symbols for axis in _lettered(unit, s))):
            size = (unit.shapes.known(symbol.shape) or ())[axis]
            if size.variable is not None and is_unknown(size.variable):
                measured = _measured(unit, symbol)
                measure = Measure(f"{letter}_{unit.entries.names.name(measured)}", Name(letter).labelled((measured,)))
                found.setdefault(size.variable, []).append(measure)
    return found


def _place(unit: Unit, spelling: Name) -> tuple[int, str]:
    """Where a symbol is declared, in the header, then in the tables; the others come last, by their Python names."""
    return unit.written.appearances.setting(spelling), unit.entries.names.name(spelling)


def _lettered(unit: Unit, symbol: Symbol) -> Iterator[tuple[Symbol, int, str]]:
    """The axes of an array: the last one counts dimensions, the others elements."""
    rank = len(unit.shapes.known(symbol.shape) or ())
    for axis in range(rank):
        yield symbol, axis, "d" if axis == rank - 1 else "n"


def _is_taken(unit: Unit, measure: Measure) -> bool:
    return unit.entries.is_taken(measure.name) or measure.spelling in unit.entries.sizes


def _measured(unit: Unit, symbol: Symbol) -> Name:
    """The spelling that a size is named after: `h_0` beside a family `h` is one of its elements."""
    family, labels = symbol.spelling.word, symbol.spelling.labels
    values = (other.spelling for other in unit.entries.symbols.values() if other.role is Role.VALUE)
    return family if len(labels) == 1 and labels[0].is_number and family in values else symbol.spelling


def _name_unknown(unit: Unit, size: Poly, wanted: str, spelling: Name = NO_NAME) -> None:
    for unknown in sorted(n for n in size.names if is_unknown(n)):
        stem = spelling or Name(wanted)
        name, written = wanted, stem
        count = 2
        while unit.entries.is_taken(name) or written in unit.entries.sizes:
            name, written, count = f"{wanted}_{count}", stem.numbered(count), count + 1
        unit.entries.names.give(written, name)
        unit.entries.sizes[written] = SizeEntry(name, written, order=len(unit.entries.sizes), span=unit.written.span)
        unit.entries.sizes[written].is_fresh = True
        unit.sizes_solver.define(unknown, Poly.of(name))


def _tie_bounds(unit: Unit, firsts: FirstIndices) -> None:
    """An axis of unknown size has the size it is read over (`x[t-1]` for `1 <= t <= S`)."""
    for (symbol, axis), (bounds, span) in firsts.ranges.items():
        shape = unit.shapes.known(symbol.shape) or ()
        if axis < len(shape):
            _tie_axis(unit, symbol, axis, shape[axis], bounds, span)
    for assignment in unit.assignments:
        pieces = split_cases(unit, assignment.value, assignment.binders)
        for piece in [Piece(assignment.binders, assignment.value)] if pieces is None else pieces:
            binders = (*piece.binders, *inner_binders(piece.value))
            for term in walk(piece.value):
                if isinstance(term, Ref):
                    _tie(unit, firsts, term, binders)


def _tie(unit: Unit, firsts: FirstIndices, term: Ref, binders: tuple[Binder, ...]) -> None:
    shape = unit.shapes.known(term.symbol.shape) or ()
    for axis, position in enumerate(term.positions):
        if not isinstance(position, Poly) or axis >= len(shape) or (term.symbol, axis) in firsts.ranges:
            continue
        for binder in binders:
            if (shift := position - Poly.of(binder.name)).constant is not None:
                bounds = ir.Range(binder.range.lower + shift, binder.range.upper + shift)
                _tie_axis(unit, term.symbol, axis, shape[axis], bounds, term.span)


def _tie_axis(unit: Unit, symbol: Symbol, axis: int, size: Poly, bounds: ir.Range, span: Span) -> None:
    """The size of an axis by the range that it is read over."""
    lower, upper, size = (unit.sizes_solver.value(poly) for poly in (bounds.lower, bounds.upper, size))
    extent = upper - lower + 1
    is_owned = symbol.role in (Role.PARAMETER, Role.BUFFER)
    if lower != unit.lower(symbol, axis) or is_owned and not unit.lengths.isdisjoint(extent.names):
        return  # what is owned has a size of its own, the range may differ between calls
    if any(is_unknown(n) for n in size.names):
        unit.sizes_solver.unify(size, extent)
    elif symbol.role is Role.INPUT and bounds.upper.names & unit.bound_sizes:
        _tie_name(unit, span, size, bounds.upper, extent)


def _tie_name(unit: Unit, span: Span, size: Poly, bound: Poly, extent: Poly) -> None:
    """A size that only a bound mentions is that of the axis which is read over exactly that range."""
    name = next(iter(sorted(bound.names & unit.bound_sizes)))
    before = unit.sizes_solver.solution.get(name)
    if extent == Poly.of(name) and unit.sizes_solver.define(name, size) or before is None or extent == size:
        return
    spelling = next(readable(entry.spelling) for entry in unit.entries.sizes.values() if entry.name == name)
    raise refuse(
        "E0404",
        f"`{spelling}` would be the size of two inputs that differ: {show_size(unit, before)} and {show_size(unit, size)}",
        span,
        help=f"give the inputs one size, or declare `{spelling}`",
    )


# ---- kinds -----------------------------------------------------------------------------------


def decide_kinds(unit: Unit, is_function: bool) -> tuple[ir.Size, ...]:
    """The sizes of the module, in order; `unit.runtime_names` afterwards holds those that are read from inputs."""
    value = unit.sizes_solver.value
    owned: set[str] = set()
    given = {unit.entries.sizes[spelling].name for spelling in unit.written.size_inputs}
    produced: set[str] = set()
    for symbol in unit.entries.symbols.values():
        names = {n for size in unit.shapes.known(symbol.shape) or () for n in value(size).names}
        for bound in symbol.lowers:
            names |= set() if bound is None else value(bound).names
        if symbol.role in (Role.PARAMETER, Role.BUFFER):
            owned |= names
        elif symbol.role is Role.INPUT:
            given |= names
            owned |= value(unit.shapes.known(symbol.shape)[0]).names if symbol.listed and unit.shapes.known(symbol.shape) else set()  # type: ignore[index]
    for entry in unit.entries.submodules.values():
        for part in entry.parts:
            owned |= {n for _, v in part.arguments if isinstance(v, Poly) for n in value(v).names}
            owned |= set() if part.range is None else value(part.range.extent).names
        if entry.signature is None:
            produced |= _results_of(unit, entry.spelling)
    owned |= _with_defaults(unit)
    extremes = {s.name: s.value for s in unit.entries.sizes.values() if s.value is not None}
    owned = _with_extremes({name: {n for size in extreme.of for n in value(size).names} for name, extreme in extremes.items()}, owned)
    computed = extremes.keys() if is_function else extremes.keys() - owned
    runtime = (given if is_function else given - owned) | (produced - owned - given) | computed
    unit.runtime_names = frozenset(runtime)
    used = owned | given | produced | _mentioned(unit) | {n for v in extremes.values() for p in v.of for n in value(p).names}
    ranges = [s.value_range for s in unit.entries.symbols.values() if s.value_range is not None]
    common = {n for r in ranges for n in value(r.lower).names | value(r.upper).names} | (
        given - _run_along(unit) - set(unit.written.size_inputs)
    )
    found: list[ir.Size] = []
    for size in sorted(unit.entries.sizes.values(), key=lambda s: (unit.written.appearances.size(s.spelling), s.order)):
        if size.name in unit.sizes_solver.solution or size.name not in used | extremes.keys():
            continue
        solved = None if size.value is None else ir.Extreme(size.value.op, tuple(value(p) for p in size.value.of))
        kind = ir.SizeKind.RUNTIME if size.name in runtime else ir.SizeKind.HYPERPARAMETER
        latex = readable(size.spelling) if solved is None else written_extreme(solved, lambda size: show_size(unit, size))
        found.append(ir.Size(size.name, kind, latex, size.description, size.name in common, solved, size.default))
        if is_function and kind is ir.SizeKind.HYPERPARAMETER:
            raise unsupported(f"a function that needs the size `{readable(size.spelling)}`", size.span, help="make it a module")
    return tuple(found)


def _run_along(unit: Unit) -> set[str]:
    """The sizes that definitions, loops and recurrences run to, and those of the first axes of inputs."""
    value = unit.sizes_solver.value
    found: set[str] = set()
    for assignment in unit.assignments:
        for binder in assignment.binders:
            found |= value(binder.range.lower).names | value(binder.range.upper).names
    for symbol in unit.entries.symbols.values():
        first = (unit.shapes.known(symbol.shape) or ())[:1]
        if symbol.role is Role.INPUT:
            found |= {name for size in first for name in value(size).names}
    return found


def _with_extremes(extremes: dict[str, set[str]], owned: set[str]) -> set[str]:
    """The owned sizes, where the least of owned sizes is owned, and so are those that an owned one is the least of.

    `extremes`: the names in each; the later ones may be of the earlier ones.
    """
    found = set(owned)
    for name, parts in reversed(extremes.items()):
        found |= parts if name in found else set()
    for name, parts in extremes.items():
        found |= {name} if parts <= found else set()
    return found


def _with_defaults(unit: Unit) -> set[str]:
    """The sizes that have a default: arguments of the constructor, whatever else tells them."""
    found = [entry for entry in unit.entries.sizes.values() if entry.default is not None]
    for entry in found:
        if entry.name in unit.sizes_solver.solution:
            same = show_size(unit, unit.sizes_solver.value(Poly.of(entry.name)))
            raise refuse(
                "E0404",
                f"`{readable(entry.spelling)}` is {same}, and has a default",
                entry.span,
                help="take one of them out",
            )
    return {entry.name for entry in found}


def _results_of(unit: Unit, spelling: Name) -> set[str]:
    found: set[str] = set()
    for site, shapes in unit.opaque_results.items():
        if site.submodule == spelling:
            found |= {n for size in unit.shapes.known(shapes) or () for n in unit.sizes_solver.value(size).names}
    return found


def _mentioned(unit: Unit) -> set[str]:
    value = unit.sizes_solver.value
    names: set[str] = set()
    for assignment in unit.assignments:
        for binder in (*assignment.binders, *inner_binders(assignment.value)):
            names |= value(binder.range.lower).names | value(binder.range.upper).names
        for position in assignment.positions:
            names |= value(position).names if isinstance(position, Poly) else set()
    for symbol in unit.entries.symbols.values():
        names |= {n for size in unit.shapes.known(symbol.shape) or () for n in value(size).names}
    for sizes in unit.call_sizes.values():
        names |= {n for size in sizes.values() for n in value(size).names}
    return names | unit.value_sizes
