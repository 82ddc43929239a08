"""Calls of modules: steps that put their results into arrays of our own."""

from __future__ import annotations

from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.terms.terms import CallSite
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly


def lower_call_result(lowering: Lowering, site: CallSite, position: int, point: Point) -> ir.Expr:
    """An element of a result; the first read makes the call."""
    axes = _call_axes(lowering, site)
    arrays = lowering.calls.get((site, axes))
    if arrays is None:
        arrays = _call(lowering, site, axes)
    array = arrays[position]
    index = [lowering.poly(Poly.of(b.name)) for b in site.binders]
    own = array.ranges[len(index) :]
    return ir.Read(array.name, (*index, *(r.lower + p for r, p in zip(own, point, strict=True))), array.element)


def _call_axes(lowering: Lowering, site: CallSite) -> tuple[ir.Axis, ...]:
    """The index variables around a call, with the ranges of the piece of the domain that is being written out."""
    narrowed = {b.name: b for b in lowering.outer}
    return tuple(ir.Axis(b.name, lowering.range(narrowed.get(b.name, b).range)) for b in site.binders)


def _call(lowering: Lowering, site: CallSite, outer: tuple[ir.Axis, ...]) -> tuple[ir.Array, ...]:
    """The step that calls a module into arrays of our own."""
    entry = lowering.types.entries.submodules[site.submodule]
    types = lowering.inference.sites[site]
    stem = f"{entry.path}_out"
    arrays: list[ir.Array] = []
    for shape, element in ((lowering.types.shapes.known(t.shape) or (), t.element) for t in types):
        kind = element if isinstance(element, ir.Element) else ir.Element.REAL
        arrays.append(lowering.new_array(stem, kind, [a.range for a in outer], shape))
    each = tuple(
        ir.Axis(lowering.free_axis_name(), bounds)
        for bounds in arrays[0].ranges[len(outer) :][: lowering.types.applied_to_each.get(site, 0)]
    )
    along = (*outer, *each)
    targets = tuple(ir.CallTarget(a.name, (*(Poly.of(x.name) for x in along), *a.ranges[len(along) :])) for a in arrays)
    named = {b.name for b in lowering.outer}
    with lowering.apart(site.binders):
        lowering.inner = [b for b in site.binders if b.name not in named]
        lowering.steps.append(_step(lowering, site, along, each, targets))
    lowering.calls[site, outer] = tuple(arrays)
    return lowering.calls[site, outer]


def _step(
    lowering: Lowering, site: CallSite, outer: tuple[ir.Axis, ...], each: tuple[ir.Axis, ...], targets: tuple[ir.CallTarget | None, ...]
) -> ir.Call:
    """`each`: the last of the axes around, along which a layer is applied to the elements of its argument."""
    entry = lowering.types.entries.submodules[site.submodule]
    arguments: list[ir.Argument] = []
    for name, term in site.arguments:
        axes = tuple(lowering.axis(size) for size in lowering.inference.axes(term)[len(each) :])
        value = lowering.at(term, tuple(lowering.offset(a) for a in (*each, *axes)))
        if entry.signature is not None:
            wanted = next(i.array.element for i in entry.signature.inputs if i.array.name == name)
            value = coerce(value, wanted)
        arguments.append(ir.Argument(name, ir.Abstraction(axes, value)))
    sizes = tuple((n, lowering.poly(p)) for n, p in lowering.types.call_sizes.get(site, {}).items())
    at = None if site.at is None else lowering.poly(site.at)
    if entry.automatic and entry.is_stack:
        at = _stack_index(lowering, site)
    return ir.Call(targets, outer, entry.path, at, tuple(arguments), sizes, lowering.origin)


def _stack_index(lowering: Lowering, site: CallSite) -> Poly | None:
    """Which element a call by type uses: the innermost loop over a hyperparameter."""
    loops = [b for b in site.binders if not (b.range.extent.names & lowering.runtime_names)]
    return Poly.of(loops[-1].name) if loops else None
