"""Equations that give an array the elements of a term, and arrays of our own for terms that are arrays by nature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.report import unsupported
from mathdsl.elaborate.terms.terms import Binder, Build, Concatenation, Stacked, Term
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span


def materialise(lowering: Lowering, term: Term, stem: str) -> ir.Array:
    """An array that holds a term, over the index variables in scope and the term's own axes."""
    scope = lowering.scope
    with lowering.apart(lowering.inner):
        outer = outer_axes(lowering, scope, "a sequence put together", term.span)
        array = lowering.new_array(stem, lowering.element(term), [a.range for a in outer], lowering.inference.axes(term))
        define_array(lowering, array, outer, tuple(Poly.of(a.name) for a in outer), term)
    return array


def keep_values(lowering: Lowering, stem: str, term: Term, value: Callable[[Point], ir.Expr]) -> ir.Array:
    """An array of the shape of a term, over the index variables in scope, that holds other values."""
    scope = lowering.scope
    with lowering.apart(lowering.inner):
        outer = outer_axes(lowering, scope, "an intermediate result", term.span)
        array = lowering.new_array(stem, lowering.element(term), [a.range for a in outer], lowering.inference.axes(term))
        own = [ir.Axis(lowering.free_axis_name(), bounds) for bounds in array.ranges[len(outer) :]]
        axes = (*outer, *own)
        point = tuple(lowering.offset(axis) for axis in own)
        equation = ir.Equation(array.name, axes, tuple(Poly.of(a.name) for a in axes), value(point), lowering.origin)
        lowering.steps.append(equation)
    return array


def outer_axes(lowering: Lowering, scope: tuple[Binder, ...], what: str, span: Span) -> tuple[ir.Axis, ...]:
    """The axes of an array of our own before those of its term."""
    outer = tuple(ir.Axis(b.name, lowering.range(b.range)) for b in scope)
    if any((axis.range.lower.names | axis.range.upper.names) & lowering.types.entries.axis_names for axis in outer):
        raise unsupported(f"{what} under an index whose range depends on another", span, help="give it a name of its own")
    return outer


def read_whole(lowering: Lowering, array: ir.Array, point: Point) -> ir.Read:
    """An element of an array of our own that is made over the index variables in scope."""
    scope = lowering.scope
    index = [lowering.poly(Poly.of(b.name)) for b in scope]
    own = array.ranges[len(index) :]
    return ir.Read(array.name, (*index, *(r.lower + p for r, p in zip(own, point, strict=True))), array.element)


def define_array(
    lowering: Lowering,
    array: ir.Array,
    axes: tuple[ir.Axis, ...],
    index: tuple[Poly | None, ...],
    term: Term,
    whole: ir.Range | None = None,
) -> None:
    """Equations that give an array (at `index`; None: an axis of the term) the elements of a term, by pieces where it has some.

    `whole` is what the first axis runs over where it is an axis of the term.
    """
    if whole is not None:
        array = replace(array, ranges=(lowering.range(whole), *array.ranges[1:]))
    own = [k for k, entry in enumerate(index) if entry is None] + list(range(len(index), len(array.ranges)))
    slots: list[Poly | None] = [*index, *([None] * (len(array.ranges) - len(index)))]
    match term:
        case Concatenation(parts=parts):
            along = len(own) - 1 if term.span in lowering.types.joined_last else 0
            if along == 0 and _have_rows(lowering, parts):
                help = r"write `[a, b]`, or join them row by row, as in `\{ a_t || b_t ; t \in \{1, \dots, S\} \}`"
                raise unsupported("joining arrays along their last axis with this sign", term.span, help=help)
            start = array.ranges[own[along]].lower
            for part in parts:
                if not (sizes := lowering.inference.axes(part)):
                    _element(lowering, array, axes, slots, own, part, start)
                    start = start + 1
                    continue
                extent = lowering.poly(sizes[along])
                if (growing := next((b for b in lowering.outer if b.name in extent.names), None)) is not None:
                    letter = readable(growing.spelling)
                    help = rf"reduce its parts where they stand, as in `\sum_{{j=1}}^{{{letter}}} x_j`"
                    raise unsupported(f"a value whose length depends on the index `{letter}`", part.span, help=help)
                _piece(lowering, array, axes, slots, own, part, ir.Range(start, start + extent - 1), own[along])
                start = start + extent
        case Stacked(items=items):
            for k, item in enumerate(items):
                _element(lowering, array, axes, slots, own, item, array.ranges[own[0]].lower + k)
        case _:
            _piece(lowering, array, axes, slots, own, term, None)


def _have_rows(lowering: Lowering, parts: tuple[Term, ...]) -> bool:
    """Whether the parts are arrays with one first axis, whose size is read from inputs: they are joined along the last one."""
    shapes = [lowering.inference.axes(part) for part in parts]
    leading = {lowering.poly(shape[0]) for shape in shapes if len(shape) > 1}
    return len(leading) == 1 and all(len(s) > 1 for s in shapes) and bool(next(iter(leading)).names & lowering.runtime_names)


def _element(
    lowering: Lowering, array: ir.Array, axes: tuple[ir.Axis, ...], slots: list[Poly | None], own: list[int], term: Term, at: Poly
) -> None:
    """One element of the array's first own axis."""
    placed = list(slots)
    placed[own[0]] = at
    _piece(lowering, array, axes, placed, own[1:], term, None)


def _piece(
    lowering: Lowering,
    array: ir.Array,
    axes: tuple[ir.Axis, ...],
    slots: list[Poly | None],
    own: list[int],
    term: Term,
    bounds: ir.Range | None,
    along: int | None = None,
) -> None:
    """Equations for one piece, which has these `bounds` on the axis `along`, the first one where nothing is said."""
    at = own[0] if along is None and own else along
    new: dict[int, ir.Axis] = {}
    for k in own[len(own) - lowering.rank(term) :] if lowering.rank(term) < len(own) and bounds is None else own:
        new[k] = _own_axis(lowering, term, k, own, array, bounds if k == at else None)
    for k in own:
        if k not in new:
            new[k] = _own_axis(lowering, term, k, own, array, bounds if k == at else None)
    index = tuple(Poly.of(new[k].name) if k in new else _slot(slots[k]) for k in range(len(slots)))
    point = tuple(Poly.of(new[k].name) - new[k].range.lower for k in own)
    value = coerce(lowering.at(term, lowering.aligned(term, point) if lowering.rank(term) < len(point) else point), array.element)
    lowering.steps.append(ir.Equation(array.name, (*axes, *(new[k] for k in own)), index, value, lowering.origin))


def _own_axis(lowering: Lowering, term: Term, k: int, own: list[int], array: ir.Array, bounds: ir.Range | None) -> ir.Axis:
    bounds = array.ranges[k] if bounds is None else bounds
    wanted = ""
    if isinstance(term, Build) and k == own[0] and term.binder.spelling.isalpha():
        wanted = term.binder.spelling
    return ir.Axis(lowering.types.entries.axis_name(wanted) if wanted else lowering.free_axis_name(), bounds)


def _slot(entry: Poly | None) -> Poly:
    assert entry is not None
    return entry
