"""Calls of modules: arguments have the shapes of the inputs, in the sizes of the caller, and results follow."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings.types import EACH_ROW
from mathdsl.elaborate.declare.signatures import Signature
from mathdsl.elaborate.names.entries import PartArguments, SubmoduleEntry
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import Binder, CallSite, NumberTerm, SizeTerm
from mathdsl.elaborate.types.constraints.base import Constraint, mismatch, vector
from mathdsl.elaborate.types.shapes import ElementUnknown, Shape, rank_of, unknown_shape
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape
from mathdsl.ir.nodes import Element, Range
from mathdsl.ir.sizes import Poly
from mathdsl.library import find_library


@dataclass(eq=False)
class CallConstraint(Constraint):
    """The arguments of a module have its inputs' shapes; its results follow."""

    callee: str
    results: tuple[tuple[Shape, Element | ElementUnknown], ...]
    input_elements: Mapping[str, Element]
    waiting: _Waiting | None = None  # a layer that may be applied to each element of a sequence

    def shapes(self) -> tuple[Shape, ...]:
        given = () if self.waiting is None else tuple(self.waiting.arguments.values())
        return (*given, *(shape for shape, _ in self.results))

    @staticmethod
    def make(types: Types, site: CallSite, arguments: Mapping[str, Shape]) -> CallConstraint:
        """Equate the arguments with the inputs, in the caller's sizes, and give the results' types."""
        entry = types.entries.submodules[site.submodule]
        signature = entry.signature
        if signature is None:
            types.opaque_results[site] = unknown_shape()
            return CallConstraint(site.span, entry.latex, ((types.opaque_results[site], Element.REAL),), {})
        runtime = {name: types.solver.fresh() for name in signature.runtime_sizes} | _given_sizes(signature, site)
        types.call_sizes[site] = runtime
        elements = {i.array.name: i.array.element for i in signature.inputs if i.array.name in arguments}
        if _is_layer(types, signature) and not parts_differ(entry):
            waiting = _Waiting(site, entry, arguments)
            return CallConstraint(site.span, signature.name, ((unknown_shape(), signature.results[0].element),), elements, waiting)
        parts = parts_called(types, entry, site)
        for part in parts:
            sizes = runtime | {name: value for name, value in part.arguments if isinstance(value, Poly)}
            _equate_inputs(types, site, entry, sizes, arguments)
        sizes = runtime | {name: value for name, value in parts[0].arguments if isinstance(value, Poly)}
        for name, extreme in signature.following:
            of = tuple(types.solver.value(poly.substitute(sizes)) for poly in extreme.of)
            sizes[name] = runtime[name] = types.extreme_size(extreme.op, of, site.span)
        results = tuple((Shape(tuple(r.extent.substitute(sizes) for r in result.ranges)), result.element) for result in signature.results)
        return CallConstraint(site.span, signature.name, results, elements)

    def solve(self, types: Types) -> bool:
        if self.waiting is None:
            return all(rank_of(shape) is not None for shape, _ in self.results)
        (rank,) = (rank_of(shape) for shape in self.waiting.arguments.values())
        made = rank_of(self.results[0][0])
        if rank is None and made is not None:
            rank = made + self.waiting.more_axes
        return rank is not None and self._apply_layer(types, self.waiting, rank)

    def _apply_layer(self, types: Types, call: _Waiting, rank: int) -> bool:
        """A layer takes one example of its input; of a sequence of them, each."""
        signature = call.entry.signature
        assert signature is not None
        wanted = signature.inputs[0].array
        ((name, given),) = call.arguments.items()
        count = max(rank - len(wanted.ranges), 0)
        axes = types.shapes.split(given, count)
        sizes = {name: value for name, value in call.entry.parts[0].arguments if isinstance(value, Poly)}
        _equate_inputs(types, call.site, call.entry, sizes, {name: Shape(axes.prefix[count:], axes.rest)})
        if count:
            types.applied_to_each[call.site] = count
            types.findings.note(EACH_ROW, self.callee, self.span)
        own = tuple(r.extent.substitute(sizes) for r in signature.results[0].ranges)
        if not types.shapes.unify(self.results[0][0], Shape((*axes.prefix[:count], *own))):
            shape = Shape((*axes.prefix[:count], *own))
            raise mismatch(types, self.span, f"`{self.callee}` gives another shape than is wanted", self.results[0][0], shape)
        return True

    def settle(self, types: Types, stage: int) -> bool:
        if self.waiting is not None:
            return stage == 3 and self._settle_layer(types, self.waiting)
        return stage == 3 and any(rank_of(shape) is None and types.shapes.unify(shape, vector(types)) for shape, _ in self.results)

    @staticmethod
    def _settle_layer(types: Types, call: _Waiting) -> bool:
        """Where nothing tells that it is a sequence, the argument is one example."""
        assert call.entry.signature is not None
        rank = len(call.entry.signature.inputs[0].array.ranges)
        (given,) = call.arguments.values()
        return rank_of(given) is None and types.shapes.unify(given, Shape(tuple(types.solver.fresh() for _ in range(rank))))


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A call of a layer whose argument's rank decides what it is applied to."""

    site: CallSite
    entry: SubmoduleEntry
    arguments: Mapping[str, Shape]

    @property
    def more_axes(self) -> int:
        """How many axes the layer's input has more than its result."""
        assert self.entry.signature is not None
        return len(self.entry.signature.inputs[0].array.ranges) - len(self.entry.signature.results[0].ranges)


def _is_layer(types: Types, signature: Signature) -> bool:
    """Whether a module is one of the library's, all of which take one array of a fixed rank."""
    return find_library(signature.name) is not None and signature.name not in types.written.around.signatures and len(signature.inputs) == 1


def parts_differ(entry: SubmoduleEntry) -> bool:
    """Whether the elements of a stack have sizes of their own."""
    return len(entry.parts) > 1


def parts_called(types: Types, entry: SubmoduleEntry, site: CallSite) -> list[PartArguments]:
    """The runs of a stack that a call may reach."""
    if site.at is None or not entry.is_stack:
        return entry.parts
    reached = _range_of(types, site.at, site.binders)
    found = [
        part
        for part in entry.parts
        if part.range is not None and not (_below(part.range.upper, reached.lower) or _below(reached.upper, part.range.lower))
    ]
    if not found:
        raise refuse(
            "E0603", f"`{entry.latex}` has no element at this index", site.span, help="declare the stack over the range that is called"
        )
    return found


def _range_of(types: Types, at: Poly, binders: tuple[Binder, ...]) -> Range:
    lower, upper = at, at
    for binder in reversed(binders):
        lower = lower.substitute({binder.name: binder.range.lower})
        upper = upper.substitute({binder.name: binder.range.upper})
    return Range(lower, upper)


def _below(a: Poly, b: Poly) -> bool:
    difference = (b - a).constant
    return difference is not None and difference > 0


def _given_sizes(signature: Signature, site: CallSite) -> dict[str, Poly]:
    """The callee's sizes that are arguments of the call."""
    found: dict[str, Poly] = {}
    for name, term in site.arguments:
        match term:
            case _ if name not in signature.runtime_sizes:
                continue
            case SizeTerm(value=value):
                found[name] = value
            case NumberTerm(value=int() as value):
                found[name] = Poly.of(value)
            case _:
                help = "give the name of a size, a number, or arithmetic on them"
                raise refuse("E0403", f"`{signature.name}` wants a size here", term.span, help=help)
    return found


def _equate_inputs(types: Types, site: CallSite, entry: SubmoduleEntry, sizes: Mapping[str, Poly], arguments: Mapping[str, Shape]) -> None:
    assert entry.signature is not None
    terms = dict(site.arguments)
    for wanted in entry.signature.inputs:
        given = arguments.get(wanted.array.name)
        if given is None:
            continue
        shape = Shape(tuple(r.extent.substitute(dict(sizes)) for r in wanted.array.ranges))
        if not types.shapes.unify(given, shape):
            name, declared = entry.signature.name, (Label(entry.span, "declared here"),) if entry.span.file else ()
            raise refuse(
                "E0401",
                f"`{name}` wants the shape {show_shape(types, shape)} for `{wanted.array.latex}`, and {show_shape(types, given)} is given",
                terms[wanted.array.name].span,
                labels=declared,
                help="check the sizes of the call and of the submodule's declaration",
            )
