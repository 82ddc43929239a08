"""Names for sizes that nothing names, and what each size is: a constructor argument or a run-time size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from mathdsl.diagnostics.readings.ranges import SIZE_OR_ANOTHER
from mathdsl.elaborate.names.entries import SizeEntry, written_extreme
from mathdsl.elaborate.names.names import NO_NAME, Name, readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.pieces import Piece, split_cases
from mathdsl.elaborate.terms.terms import Binder, Elementwise, Ref, Term, inner_binders, walk
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span

VECTORS = {Role.INPUT: 0, Role.PARAMETER: 2, Role.BUFFER: 2, Role.VALUE: 3}
ARRAYS = {Role.INPUT: 1, Role.PARAMETER: 4, Role.BUFFER: 4, Role.VALUE: 5}
BIAS = 6


def name_sizes(types: Types, firsts: FirstIndices, results: Iterable[Term]) -> None:
    """`d_h` for the size of `h`: of inputs, of parameters, of computed vectors (what is returned first), of matrices, of biases."""
    _tie_bounds(types, firsts)
    _share_sizes(types)
    written = sorted((s.spelling for s in types.entries.symbols.values()), key=lambda name: name.is_own)
    for spelling in (*written, *types.entries.submodules):
        types.entries.names.name(spelling)  # a fresh size never takes a name that the program writes
    for symbol in types.entries.symbols.values():
        if symbol.spelling in types.entries.sizes:
            types.entries.array_name(symbol)
    _measure_inputs(types)
    for unknown, (first, *others) in _measures(types, [term for result in results for term in walk(result)]).items():
        free = (one for one in (first, *others) if not (types.entries.is_taken(one[0]) or one[1] in types.entries.sizes))
        _name_unknown(types, Poly.of(unknown), *next(free, first))
    for site, sizes in types.call_sizes.items():
        for size in sizes.values():
            _name_unknown(types, types.solver.value(size), f"n_{types.entries.submodules[site.submodule].path}")
    for site, shape in types.opaque_results.items():
        for size in types.shapes.known(shape) or ():
            _name_unknown(types, types.solver.value(size), f"d_{types.entries.submodules[site.submodule].path}")
    for entry in types.entries.submodules.values():
        for part in entry.parts:
            for name, value in part.arguments:
                if isinstance(value, Poly):
                    _name_unknown(types, types.solver.value(value), name)


def _share_sizes(types: Types) -> None:
    """What nothing says of the sizes of a module that is called by its type: they are the caller's own of these names, or the defaults."""
    own = {size.name for size in types.entries.sizes.values() if not size.is_fresh}
    for entry in types.entries.submodules.values():
        defaults = {} if entry.signature is None else dict(entry.signature.size_defaults)
        for name, value in (pair for part in entry.parts for pair in part.arguments if entry.automatic):
            solved = types.solver.value(value) if isinstance(value, Poly) else None
            if solved is None or solved.variable is None or not is_unknown(solved.variable):
                continue
            if name in own or name in defaults:
                types.solver.define(solved.variable, Poly.of(name if name in own else defaults[name]))


def _own_axes(types: Types, symbol: Symbol) -> Iterator[int]:
    rank = len(types.shapes.known(symbol.shape) or ())
    indexed = max((len(r.positions) for r in types.terms.references_to(symbol)), default=0)
    yield from range(min(max(symbol.subscripts + symbol.has_superscript, min(indexed, rank - 1)), rank), rank)


def _measure_inputs(types: Types) -> None:
    """Let the size of an input be an unknown of its own: `x` of `d_W - d_h`, as in `W [h, x]`, is of `d_x`, and `d_W` is `d_h + d_x`."""
    for symbol in (one for one in types.entries.symbols.values() if one.role is Role.INPUT):
        for size in (types.solver.value((types.shapes.known(symbol.shape) or ())[axis]) for axis in _own_axes(types, symbol)):
            whole = [name for name in size.names if is_unknown(name) and size.coefficient(name) == Poly.of(1)]
            if size.variable is None and len(whole) == 1:
                types.solver.define(whole[0], types.solver.fresh() - (size - Poly.of(whole[0])))


def _measures(types: Types, results: Sequence[Term]) -> dict[str, list[tuple[str, Name]]]:
    """The sizes that nothing names, in order, each with the names of all that it measures, the first being the one that is wanted."""
    found: dict[str, list[tuple[str, Name]]] = {}
    biases, returned = _biases(types, results), {term.symbol for term in results if isinstance(term, Ref)}
    symbols = [symbol for symbol in types.entries.symbols.values() if symbol.role in VECTORS]
    symbols.sort(key=lambda s: (types.written.appearances.setting(s.spelling), s not in returned, types.entries.names.name(s.spelling)))
    axes = [one for symbol in symbols for one in _lettered(types, symbol, biases)]
    order = [size.variable or "" for s in symbols for size in types.shapes.known(s.shape) or ()]
    for _, symbol, axis, letter in sorted(axes, key=lambda one: one[0]):
        size = (types.shapes.known(symbol.shape) or ())[axis]
        if size.variable is not None and is_unknown(size.variable):
            measured = _measured(types, symbol)
            name = f"{letter}_{types.entries.names.name(measured)}"
            found.setdefault(size.variable, []).append((name, Name(letter).labelled((measured,))))
    return dict(sorted(found.items(), key=lambda one: order.index(one[0])))


def _biases(types: Types, results: Sequence[Term]) -> set[Symbol]:
    """The parameters that are read as addends alone."""
    read, added = Counter[Symbol](), Counter[Symbol]()
    for term in (*results, *(term for assignment in types.terms.assignments for term in walk(assignment.value))):
        read.update([term.symbol] if isinstance(term, Ref) else ())
        if isinstance(term, Elementwise) and term.op in ("add", "sub"):
            added.update(one.symbol for one in term.arguments if isinstance(one, Ref))
    return {symbol for symbol, count in added.items() if count == read[symbol] and symbol.role in (Role.PARAMETER, Role.BUFFER)}


def _lettered(types: Types, symbol: Symbol, biases: Set[Symbol]) -> Iterator[tuple[int, Symbol, int, str]]:
    """The axes of an array with ranks and letters: `d` for those that no index goes along and for the last one, else `n`."""
    rank, own = len(types.shapes.known(symbol.shape) or ()), list(_own_axes(types, symbol))
    for axis in range(rank):
        order = BIAS if symbol in biases else ARRAYS[symbol.role] if axis in own and len(own) > 1 else VECTORS[symbol.role]
        yield order, symbol, axis, "d" if axis == rank - 1 or axis in own and symbol.role is Role.PARAMETER else "n"


def _measured(types: Types, symbol: Symbol) -> Name:
    """The spelling that a size is named after: `h_0` beside a family `h` is one of its elements."""
    family, labels = symbol.spelling.word, symbol.spelling.labels
    values = (other.spelling for other in types.entries.symbols.values() if other.role is Role.VALUE)
    return family if len(labels) == 1 and labels[0].is_number and family in values else symbol.spelling


def _name_unknown(types: Types, size: Poly, wanted: str, spelling: Name = NO_NAME) -> None:
    for unknown in sorted(n for n in size.names if is_unknown(n)):
        stem = spelling or Name(wanted)
        name, written = wanted, stem
        count = 2
        while types.entries.is_taken(name) or written in types.entries.sizes:
            name, written, count = f"{wanted}_{count}", stem.numbered(count), count + 1
        types.entries.names.give(written, name)
        types.entries.sizes[written] = SizeEntry(name, written, order=len(types.entries.sizes), span=types.written.span)
        types.entries.sizes[written].is_fresh = True
        types.solver.define(unknown, Poly.of(name))


def _tie_bounds(types: Types, firsts: FirstIndices) -> None:
    """An axis of unknown size has the size it is read over (`x[t-1]` for `1 <= t <= S`)."""
    for (symbol, axis), (bounds, span) in firsts.ranges.items():
        shape = types.shapes.known(symbol.shape) or ()
        if axis < len(shape):
            _tie_axis(types, symbol, axis, shape[axis], bounds, span)
    for assignment in types.terms.assignments:
        pieces = split_cases(types, assignment.value, assignment.binders)
        for piece in [Piece(assignment.binders, assignment.value)] if pieces is None else pieces:
            binders = (*piece.binders, *inner_binders(piece.value))
            for term in walk(piece.value):
                if isinstance(term, Ref):
                    _tie(types, firsts, term, binders)


def _tie(types: Types, firsts: FirstIndices, term: Ref, binders: tuple[Binder, ...]) -> None:
    shape = types.shapes.known(term.symbol.shape) or ()
    for axis, position in enumerate(term.positions):
        if not isinstance(position, Poly) or axis >= len(shape) or (term.symbol, axis) in firsts.ranges:
            continue
        for binder in binders:
            if (shift := position - Poly.of(binder.name)).constant is not None:
                bounds = ir.Range(binder.range.lower + shift, binder.range.upper + shift)
                _tie_axis(types, term.symbol, axis, shape[axis], bounds, term.span)


def _tie_axis(types: Types, symbol: Symbol, axis: int, size: Poly, bounds: ir.Range, span: Span) -> None:
    """The size of an axis by the range that it is read over."""
    lower, upper, size = (types.solver.value(poly) for poly in (bounds.lower, bounds.upper, size))
    extent = upper - lower + 1
    is_owned = symbol.role in (Role.PARAMETER, Role.BUFFER)
    if lower != types.lower(symbol, axis) or is_owned and not types.lengths.isdisjoint(extent.names):
        return  # what is owned has a size of its own, the range may differ between calls
    if any(is_unknown(n) for n in size.names):
        types.solver.unify(size, extent)
    elif symbol.role is Role.INPUT and bounds.upper.names & types.terms.bound_sizes:
        _tie_name(types, span, size, bounds.upper, extent)


def _tie_name(types: Types, span: Span, size: Poly, bound: Poly, extent: Poly) -> None:
    """A size that only a bound mentions is that of the axis which is read over exactly that range, which is told where both have names."""
    name = next(iter(sorted(bound.names & types.terms.bound_sizes)))
    before = types.solver.solution.get(name)
    if extent == size:
        return
    spelling = next(readable(entry.spelling) for entry in types.entries.sizes.values() if entry.name == name)
    if before is None:
        if extent == Poly.of(name) and types.solver.define(name, size):
            types.findings.note(SIZE_OR_ANOTHER, f"{spelling} = {show_size(types, size)}", span)
        return
    raise refuse(
        "E0404",
        f"`{spelling}` would be the size of two inputs that differ: {show_size(types, before)} and {show_size(types, size)}",
        span,
        help=f"give the inputs one size, or declare `{spelling}`",
    )


# ---- kinds -----------------------------------------------------------------------------------


def decide_kinds(types: Types) -> tuple[tuple[ir.Size, ...], frozenset[str]]:
    """The sizes of the module, in order, and the names of those that are read from inputs."""
    is_function = types.written.is_function
    value, known = types.solver.value, types.shapes.known
    owned: set[str] = set()
    given = {types.entries.sizes[spelling].name for spelling in types.written.size_inputs}
    produced: set[str] = set()
    for symbol in types.entries.symbols.values():
        names = {n for size in types.shapes.known(symbol.shape) or () for n in value(size).names}
        for bound in symbol.lowers:
            names |= set() if bound is None else value(bound).names
        if symbol.role in (Role.PARAMETER, Role.BUFFER):
            owned |= names
        elif symbol.role is Role.INPUT:
            given |= names
            owned |= value(types.shapes.known(symbol.shape)[0]).names if symbol.listed and types.shapes.known(symbol.shape) else set()  # type: ignore[index]
    for entry in types.entries.submodules.values():
        for part in entry.parts:
            owned |= {n for _, v in part.arguments if isinstance(v, Poly) for n in value(v).names}
            owned |= set() if part.range is None else value(part.range.extent).names
        if entry.signature is None:
            results = (known(shape) or () for site, shape in types.opaque_results.items() if site.submodule == entry.spelling)
            produced |= {name for sizes in results for size in sizes for name in value(size).names}
    owned |= _with_defaults(types) | {s.name for name, s in types.entries.sizes.items() if name in types.written.owned_names}
    extremes = {s.name: s.value for s in types.entries.sizes.values() if s.value is not None}
    owned = _with_extremes({name: {n for size in extreme.of for n in value(size).names} for name, extreme in extremes.items()}, owned)
    computed = extremes.keys() if is_function else extremes.keys() - owned
    runtime = (given if is_function else given - owned) | (produced - owned - given) | computed
    used = owned | given | produced | _mentioned(types) | {n for v in extremes.values() for p in v.of for n in value(p).names}
    ranges = [s.value_range for s in types.entries.symbols.values() if s.value_range is not None]
    common = {n for r in ranges for n in value(r.lower).names | value(r.upper).names}
    common |= given - _run_along(types) - types.written.size_inputs
    found: list[ir.Size] = []
    for size in sorted(types.entries.sizes.values(), key=lambda s: (types.written.appearances.size(s.spelling), s.order)):
        if size.name in types.solver.solution or size.name not in used | extremes.keys():
            continue
        solved = None if size.value is None else ir.Extreme(size.value.op, tuple(value(p) for p in size.value.of))
        kind = ir.SizeKind.RUNTIME if size.name in runtime else ir.SizeKind.HYPERPARAMETER
        latex = readable(size.spelling) if solved is None else written_extreme(solved, lambda size: show_size(types, size))
        found.append(ir.Size(size.name, kind, latex, size.description, size.name in common, solved, size.default))
        if is_function and kind is ir.SizeKind.HYPERPARAMETER:
            raise unsupported(f"a function that needs the size `{readable(size.spelling)}`", size.span, help="make it a module")
    return tuple(found), frozenset(runtime)


def _run_along(types: Types) -> set[str]:
    """The sizes that definitions, loops and recurrences run to, and those of the first axes of inputs; of all axes of sets."""
    value = types.solver.value
    found: set[str] = set()
    for assignment in types.terms.assignments:
        for binder in assignment.binders:
            found |= value(binder.range.lower).names | value(binder.range.upper).names
    for symbol in types.entries.symbols.values():
        sizes = types.shapes.known(symbol.shape) or ()
        if symbol.role is Role.INPUT:
            found |= {name for size in (sizes if symbol.is_set else sizes[:1]) for name in value(size).names}
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


def _with_defaults(types: Types) -> set[str]:
    """The sizes that have a default: arguments of the constructor, whatever else tells them."""
    found = [entry for entry in types.entries.sizes.values() if entry.default is not None]
    for entry in found:
        if entry.name in types.solver.solution:
            same = show_size(types, types.solver.value(Poly.of(entry.name)))
            raise refuse(
                "E0404",
                f"`{readable(entry.spelling)}` is {same}, and has a default",
                entry.span,
                help="take one of them out",
            )
    return {entry.name for entry in found}


def _mentioned(types: Types) -> set[str]:
    value = types.solver.value
    names: set[str] = set()
    for assignment in types.terms.assignments:
        for binder in (*assignment.binders, *inner_binders(assignment.value)):
            names |= value(binder.range.lower).names | value(binder.range.upper).names
        for position in assignment.positions:
            names |= value(position).names if isinstance(position, Poly) else set()
    for symbol in types.entries.symbols.values():
        names |= {n for size in types.shapes.known(symbol.shape) or () for n in value(size).names}
    for sizes in types.call_sizes.values():
        names |= {n for size in sizes.values() for n in value(size).names}
    return names | types.terms.value_sizes
