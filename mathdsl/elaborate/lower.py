"""From typed terms to the IR: each term is written out at one index point, so that arrays become equations over axes.

A product `W h` at row `i` is `sum(j: W[i, j] * h[j])`; nothing is computed here, and no intermediate array is made except for
calls, concatenations and lists, which are arrays by nature.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import assert_never

from mathdsl.diagnostics.model import InternalError
from mathdsl.elaborate import flattened
from mathdsl.elaborate.infer import Inference
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.shapes import find_element
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import (
    AlongTerm,
    Binder,
    Broken,
    Build,
    CallResult,
    CallSite,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Flattened,
    Fold,
    NumberTerm,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    Repeated,
    SizeTerm,
    SliceIndex,
    Stacked,
    Term,
    Transpose,
    TupleTerm,
    Undefined,
    Whole,
)
from mathdsl.elaborate.unit import Unit
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS

Point = tuple[Poly, ...]
LETTERS = "ijklmnpq"


@dataclass
class Lowering:
    """Writes out the terms of one unit. `renamed` maps the names of index variables to polynomials in force."""

    unit: Unit
    inference: Inference
    renamed: dict[str, Poly] = field(default_factory=dict)
    steps: list[ir.Step] = field(default_factory=list)
    arrays: list[ir.Array] = field(default_factory=list)
    calls: dict[tuple[CallSite, tuple[ir.Axis, ...]], tuple[ir.Array, ...]] = field(default_factory=dict)
    origin: ir.Origin = ir.Origin("")

    # ---- pieces -----------------------------------------------------------------------------

    def poly(self, value: Poly) -> Poly:
        """A size or index expression with solved sizes and renamed index variables put in."""
        value = self.unit.sizes_solver.value(value)
        for _ in range(len(self.renamed) + 1):
            if not value.names & self.renamed.keys():
                break
            value = value.substitute({n: self.renamed[n] for n in value.names if n in self.renamed})
        return value

    def range(self, bounds: ir.Range) -> ir.Range:
        """A range with solved sizes."""
        return ir.Range(self.poly(bounds.lower), self.poly(bounds.upper))

    def axis(self, extent: Poly, lower: Poly | None = None, wanted: str = "") -> ir.Axis:
        """A fresh axis with that many elements, counted from `lower` (the notation's base)."""
        start = Poly.of(self.unit.base) if lower is None else self.poly(lower)
        name = self._axis_name(wanted)
        return ir.Axis(name, ir.Range(start, start + self.poly(extent) - 1))

    def _axis_name(self, wanted: str) -> str:
        if wanted:
            return self.unit.axis_name(wanted)
        written = self.unit.families.index_names
        free = next((letter for letter in LETTERS if letter not in written and not self.unit.is_taken(letter)), "i")
        return self.unit.axis_name(free)

    @staticmethod
    def offset(axis: ir.Axis) -> Poly:
        """The position of an axis's variable, counted from 0."""
        return Poly.of(axis.name) - axis.range.lower

    def element(self, term: Term) -> ir.Element:
        """The element type of a term."""
        return self.inference.element(term)

    def rank(self, term: Term) -> int:
        """How many axes a term has."""
        return len(self.inference.axes(term))

    # ---- expressions at a point -----------------------------------------------------------------

    def at(self, term: Term, point: Point) -> ir.Expr:
        """The term's element at a point (positions from 0, one for each axis)."""
        match term:
            case NumberTerm(value=value):
                return self._number(term, value)
            case Constant(value=value):
                return ir.Literal(value if self.element(term) is ir.Element.REAL else int(value))
            case SizeTerm(value=value):
                return ir.IndexValue(self.poly(value))
            case Ref():
                return self._ref(term, point)
            case Elementwise() | PowerTerm():
                return self._elementwise(term, point)
            case Product():
                return self._product(term, point)
            case Transpose(body=body):
                return self.at(body, tuple(reversed(point)))
            case Reduction() | Fold():
                return self._reduce(term, point)
            case AlongTerm():
                return self._along(term, point)
            case CrossEntropyTerm():
                return self._cross_entropy(term)
            case CaseTerm(rows=rows):
                return self._cases(term, rows, point)
            case Build(binder=binder, body=body):
                return self._renamed(body, binder, self.poly(binder.range.lower) + point[0], point[1:])
            case Repeated(value=value):
                return self.at(value, point[1:])
            case Concatenation() | Stacked():
                array = self.materialise(term, "joined")
                return self.read_whole(array, point)
            case Flattened(body=body):
                return flattened.at(self, body, point)
            case CallResult(call=call, position=position):
                return self._call_result(call, position, point)
            case TupleTerm():
                raise refuse("E0409", "a tuple stands where one value is wanted", term.span)
            case Undefined():
                raise refuse(
                    "E0509",
                    "an element has no value where this branch is not taken",
                    term.span,
                    help=r"add an `\algoElse` that gives the value it has otherwise, or a value before the branch",
                )
            case Broken():
                raise InternalError("a program with mistakes is lowered")
            case _:
                assert_never(term)

    def _number(self, term: NumberTerm, value: float | int | bool) -> ir.Expr:
        if isinstance(value, bool):
            return ir.Literal(value)
        return ir.Literal(float(value) if self.element(term) is ir.Element.REAL else value)

    def _renamed(self, body: Term, binder: Binder, value: Poly, point: Point) -> ir.Expr:
        before = self.renamed.get(binder.name)
        self.renamed[binder.name] = value
        try:
            return self.at(body, point)
        finally:
            if before is None:
                del self.renamed[binder.name]
            else:
                self.renamed[binder.name] = before

    def _ref(self, term: Ref, point: Point) -> ir.Expr:
        symbol = term.symbol
        if symbol.role is Role.SETTING:
            return ir.Setting(self.unit.names.name(symbol.spelling), _element(symbol))
        rest = list(point)
        index: list[ir.Index] = []
        for axis, position in enumerate(term.positions):
            match position:
                case Poly():
                    index.append(self.poly(position))
                case Whole():
                    index.append(rest.pop(0) + self.first(symbol, axis))
                case SliceIndex(range=bounds):
                    index.append(rest.pop(0) + self.poly(bounds.lower))
                case _:
                    own = self.rank(position)
                    index.append(self._as_index(self.at(position, tuple(rest[:own]))))
                    del rest[:own]
        first = len(term.positions)
        index.extend(p + self.first(symbol, first + k) for k, p in enumerate(rest))
        return ir.Read(self.array_name(symbol), tuple(index), _element(symbol))

    @staticmethod
    def _as_index(value: ir.Expr) -> ir.Index:
        return value.value if isinstance(value, ir.IndexValue) else value

    def lower(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of a symbol's axis."""
        return self.poly(symbol.lower(axis, self.unit.base))

    def first(self, symbol: Symbol, axis: int) -> Poly:
        """The first index of an axis that is read whole."""
        if symbol.whole is not None and axis == 0:
            return self.poly(symbol.whole.lower)
        return self.lower(symbol, axis)

    def array_name(self, symbol: Symbol) -> str:
        """The name of a symbol's array."""
        return self.unit.names.name(
            symbol.spelling + ("^" if (symbol.spelling, not symbol.has_superscript) in self.unit.symbols and symbol.has_superscript else "")
        )

    def coerce(self, value: ir.Expr, element: ir.Element) -> ir.Expr:
        """An integer where a real is wanted becomes one."""
        own = ir.Element.INTEGER if isinstance(value, ir.IndexValue) else value.element
        if own is element or element is not ir.Element.REAL:
            return value
        if isinstance(value, ir.Literal):
            return ir.Literal(float(value.value))
        return ir.Apply("to_real", (value,), ir.Element.REAL)

    def _elementwise(self, term: Elementwise | PowerTerm, point: Point) -> ir.Expr:
        op, arguments = ("pow", (term.base, term.exponent)) if isinstance(term, PowerTerm) else (term.op, term.arguments)
        if isinstance(term, PowerTerm) and self.rank(term.base) == 2:
            if term.is_negative:
                raise unsupported("the inverse of a matrix", term.span)
            raise unsupported(
                "a power of a matrix", term.span, help=r"write `A \cdot A`, or take the power element by element under an index"
            )
        row = ELEMENTWISE[op]
        values = [self.at(a, self._aligned(a, point)) for a in arguments]
        if (condition := _compared_with_truth(op, values)) is not None:
            return condition
        elements = {ir.Element.INTEGER if isinstance(v, ir.IndexValue) else v.element for v in values}
        operands = row.signature.operands
        wanted = ir.Element.REAL if ir.Element.REAL in elements or operands == (ir.Element.REAL,) else next(iter(elements))
        if op == "div" or isinstance(term, PowerTerm) and term.is_negative:
            wanted = ir.Element.REAL
        return ir.Apply(op, tuple(self.coerce(v, wanted) for v in values), wanted if row.signature.result is None else row.signature.result)

    def _aligned(self, term: Term, point: Point) -> Point:
        """The part of a point that an operand of fewer axes is read at: scalars nowhere, vectors at the last position."""
        rank = self.rank(term)
        return point[len(point) - rank :] if rank else ()

    def _product(self, term: Product, point: Point) -> ir.Expr:
        a, b = self.rank(term.left), self.rank(term.right)
        element = self.element(term)
        if a == 0 or b == 0:
            return self._times(self.at(term.left, point if a else ()), self.at(term.right, point if b else ()), element)
        if a == 1 and b == 1 and len(point) == 2:
            return self._times(self.at(term.left, point[:1]), self.at(term.right, point[1:]), element)
        inner = self.axis(self.inference.axes(term.left)[-1])
        j = self.offset(inner)
        row_wise = term.span in self.unit.row_wise
        left_point: Point = ((point[1],) if row_wise else point[:1]) if a == 2 else ()
        right_point: Point = (point[0], j) if row_wise else (j, *(point[a - 1 :] if b == 2 else ()))
        body = self._times(self.at(term.left, (*left_point, j)), self.at(term.right, right_point), element)
        return ir.Reduce("sum", inner, body, element)

    def _times(self, left: ir.Expr, right: ir.Expr, element: ir.Element) -> ir.Expr:
        return ir.Apply("mul", (self.coerce(left, element), self.coerce(right, element)), element)

    def _reduce(self, term: Reduction | Fold, point: Point) -> ir.Expr:
        signature = REDUCTIONS[term.op].signature
        match term:
            case Reduction(op=op, binder=binder, body=body):
                axis = ir.Axis(
                    binder.name if binder.name not in self.renamed else self.unit.axis_name(binder.name), self.range(binder.range)
                )
                inner = self._renamed(body, binder, Poly.of(axis.name), point) if axis.name != binder.name else self.at(body, point)
                value = self._operand(inner, signature.operands)
                return ir.Reduce(op, axis, value, signature.result or _of(value))
            case Fold(op=op, body=body, all_axes=all_axes):
                sizes = self.inference.axes(body)
                count = len(sizes) if all_axes else 1
                axes = [self.axis(size) for size in sizes[len(sizes) - count :]]
                value = self._operand(self.at(body, (*point, *(self.offset(a) for a in axes))), signature.operands)
                for axis in reversed(axes):
                    value = ir.Reduce(op, axis, value, signature.result or _of(value))
                return value

    def _operand(self, value: ir.Expr, operands: tuple[ir.Element, ...]) -> ir.Expr:
        return value if _of(value) in operands else self.coerce(value, ir.Element.REAL)

    def _along(self, term: AlongTerm, point: Point) -> ir.Expr:
        row = ALONG[term.op]
        if term.binder is not None:
            axis = ir.Axis(self.unit.axis_name(term.binder.name), self.range(term.binder.range))
            at = self.poly(Poly.of(term.binder.name))
            body = self._renamed(term.body, term.binder, Poly.of(axis.name), point)
        else:
            axis = self.axis(self.inference.axes(term.body)[-1])
            at = point[-1] + axis.range.lower
            body = self.at(term.body, (*point[:-1], self.offset(axis)))
        return ir.Along(row.name, axis, self._operand(body, row.signature.operands), at, ir.Element.REAL)

    def _cross_entropy(self, term: CrossEntropyTerm) -> ir.Expr:
        """`-log_softmax(z)[y]`; over sequences, the mean."""
        sizes = self.inference.axes(term.logits)
        outer = [self.axis(size) for size in sizes[:-1]]
        inner = self.axis(sizes[-1], self._class_base(term.target))
        point = tuple(self.offset(a) for a in outer)
        logits = self.coerce(self.at(term.logits, (*point, self.offset(inner))), ir.Element.REAL)
        target = self._as_index(self.at(term.target, point))
        value: ir.Expr = ir.Apply("neg", (ir.Along("log_softmax", inner, logits, target, ir.Element.REAL),), ir.Element.REAL)
        for axis in reversed(outer):
            value = ir.Reduce("mean", axis, value, ir.Element.REAL)
        return value

    def _class_base(self, target: Term) -> Poly:
        """Classes count from the first value of their type, or from 0."""
        if isinstance(target, Ref) and target.symbol.value_range is not None:
            return self.poly(target.symbol.value_range.lower)
        return Poly.of(0)

    def _cases(self, term: CaseTerm, rows: tuple[tuple[Term | None, Term], ...], point: Point) -> ir.Expr:
        element = self.element(term)
        condition, value = rows[0]
        then = self.coerce(self.at(value, self._aligned(value, point)), element)
        if condition is None:
            return then
        if len(rows) == 1:
            raise refuse("E0508", "no row of `cases` holds for what is left", term.span, help=r"add a row `… & \text{otherwise}`")
        otherwise = self._cases(term, rows[1:], point)
        return ir.Select(self.at(condition, self._aligned(condition, point)), then, otherwise, element)

    # ---- arrays of our own ------------------------------------------------------------------------

    def materialise(self, term: Term, stem: str) -> ir.Array:
        """An array that holds a term, over the index variables in scope and the term's own axes."""
        if any(value.names & self.unit.axis_names for value in self.renamed.values()):
            raise unsupported("a sequence put together inside a comprehension or a reduction", term.span, help="give it a name of its own")
        outer = [ir.Axis(b.name, self.range(b.range)) for b in self._scope]
        sizes = self.inference.axes(term)
        array = self.new_array(stem, self.element(term), [a.range for a in outer], sizes)
        self.define(array, tuple(outer), tuple(Poly.of(a.name) for a in outer), term)
        return array

    @property
    def _scope(self) -> tuple[Binder, ...]:
        return tuple(b for b in self.unit.binders if b.name not in self.renamed)

    def new_array(self, stem: str, element: ir.Element, outer: list[ir.Range], sizes: tuple[Poly, ...]) -> ir.Array:
        """A value array of our own."""
        base = Poly.of(self.unit.base)
        own = [ir.Range(base, base + self.poly(size) - 1) for size in sizes]
        name = self.unit.names.fresh(stem)
        array = ir.Array(name, ir.Kind.VALUE, element, (*outer, *own), name, rf"\mathrm{{{name}}}".replace("_", r"\_"))
        self.arrays.append(array)
        return array

    def read_whole(self, array: ir.Array, point: Point) -> ir.Expr:
        scope = self._scope
        index = [Poly.of(b.name) for b in scope]
        own = array.ranges[len(index) :]
        return ir.Read(array.name, (*index, *(r.lower + p for r, p in zip(own, point, strict=True))), array.element)

    def define(
        self, array: ir.Array, axes: tuple[ir.Axis, ...], index: tuple[Poly | None, ...], term: Term, whole: ir.Range | None = None
    ) -> None:
        """Equations that give an array (at `index`; None: an axis of the term) the elements of a term, by pieces where it has some.

        `whole` is what the first axis runs over where it is an axis of the term.
        """
        if whole is not None:
            array = replace(array, ranges=(self.range(whole), *array.ranges[1:]))
        own = [k for k, entry in enumerate(index) if entry is None] + list(range(len(index), len(array.ranges)))
        slots: list[Poly | None] = [*index, *([None] * (len(array.ranges) - len(index)))]
        match term:
            case Concatenation(parts=parts):
                self._check_first_axis(term, parts)
                start = array.ranges[own[0]].lower
                for part in parts:
                    extent = self.poly(self.inference.axes(part)[0])
                    self._piece(array, axes, slots, own, part, ir.Range(start, start + extent - 1))
                    start = start + extent
            case Stacked(items=items):
                for k, item in enumerate(items):
                    placed = list(slots)
                    placed[own[0]] = array.ranges[own[0]].lower + k
                    self._piece(array, axes, placed, own[1:], item, None)
            case _:
                self._piece(array, axes, slots, own, term, None)

    def _check_first_axis(self, term: Term, parts: tuple[Term, ...]) -> None:
        """Arrays with one leading run-time size are joined along the last axis, which is not compiled yet."""
        shapes = [self.inference.axes(part) for part in parts]
        leading = {self.poly(shape[0]) for shape in shapes if len(shape) > 1}
        if len(leading) == 1 and all(len(shape) > 1 for shape in shapes) and next(iter(leading)).names & self.unit.runtime_names:
            raise unsupported(
                "joining arrays along their last axis",
                term.span,
                help=r"join them element by element, as in `\{ a_t || b_t ; t \in \{1, \dots, S\} \}`",
            )

    def _piece(
        self, array: ir.Array, axes: tuple[ir.Axis, ...], slots: list[Poly | None], own: list[int], term: Term, first: ir.Range | None
    ) -> None:
        new: dict[int, ir.Axis] = {}
        for k in own[len(own) - self.rank(term) :] if self.rank(term) < len(own) and first is None else own:
            new[k] = self._own_axis(term, k, own, array, first)
        for k in own:
            if k not in new:
                new[k] = self._own_axis(term, k, own, array, first)
        index = tuple(Poly.of(new[k].name) if k in new else self._slot(slots[k]) for k in range(len(slots)))
        point = tuple(Poly.of(new[k].name) - new[k].range.lower for k in own)
        value = self.coerce(self.at(term, self._aligned(term, point) if self.rank(term) < len(point) else point), array.element)
        self.steps.append(ir.Equation(array.name, (*axes, *(new[k] for k in own)), index, value, self.origin))

    def _own_axis(self, term: Term, k: int, own: list[int], array: ir.Array, first: ir.Range | None) -> ir.Axis:
        bounds = first if first is not None and k == own[0] else array.ranges[k]
        wanted = ""
        if isinstance(term, Build) and k == own[0] and term.binder.spelling.isalpha():
            wanted = term.binder.spelling
        return ir.Axis(self._axis_name(wanted), bounds)

    @staticmethod
    def _slot(entry: Poly | None) -> Poly:
        assert entry is not None
        return entry

    # ---- calls ------------------------------------------------------------------------------

    def _call_result(self, site: CallSite, position: int, point: Point) -> ir.Expr:
        axes = self._call_axes(site)
        arrays = self.calls.get((site, axes))
        if arrays is None:
            arrays = self.call(site, axes)
        array = arrays[position]
        index = [self.poly(Poly.of(b.name)) for b in site.binders]
        own = array.ranges[len(index) :]
        return ir.Read(array.name, (*index, *(r.lower + p for r, p in zip(own, point, strict=True))), array.element)

    def _call_axes(self, site: CallSite) -> tuple[ir.Axis, ...]:
        """The index variables around a call, with the ranges of the piece of the domain that is being written out."""
        narrowed = {b.name: b for b in self.unit.binders}
        return tuple(ir.Axis(b.name, self.range(narrowed.get(b.name, b).range)) for b in site.binders)

    def call(self, site: CallSite, outer: tuple[ir.Axis, ...]) -> tuple[ir.Array, ...]:
        """The step that calls a module into arrays of our own."""
        before, self.renamed = self.renamed, {}
        entry = self.unit.submodules[site.submodule]
        types = self.inference.sites[site]
        stem = f"{entry.path}_out"
        arrays: list[ir.Array] = []
        for shape, element in ((self.unit.shapes.known(t.shape) or (), t.element) for t in types):
            kind = element if isinstance(element, ir.Element) else ir.Element.REAL
            arrays.append(self.new_array(stem, kind, [a.range for a in outer], shape))
        each = tuple(
            ir.Axis(self._axis_name(""), bounds) for bounds in arrays[0].ranges[len(outer) :][: self.unit.applied_to_each.get(site, 0)]
        )
        along = (*outer, *each)
        targets = tuple(ir.CallTarget(a.name, (*(Poly.of(x.name) for x in along), *a.ranges[len(along) :])) for a in arrays)
        self.steps.append(self._step(site, along, each, targets))
        self.calls[site, outer] = tuple(arrays)
        self.renamed = before
        return self.calls[site, outer]

    def _step(
        self, site: CallSite, outer: tuple[ir.Axis, ...], each: tuple[ir.Axis, ...], targets: tuple[ir.CallTarget | None, ...]
    ) -> ir.Call:
        """`each`: the last of the axes around, along which a layer is applied to the elements of its argument."""
        entry = self.unit.submodules[site.submodule]
        arguments: list[ir.Argument] = []
        for name, term in site.arguments:
            axes = tuple(self.axis(size) for size in self.inference.axes(term)[len(each) :])
            value = self.at(term, tuple(self.offset(a) for a in (*each, *axes)))
            if entry.signature is not None:
                wanted = next(i.array.element for i in entry.signature.inputs if i.array.name == name)
                value = self.coerce(value, wanted)
            arguments.append(ir.Argument(name, ir.Abstraction(axes, value)))
        sizes = tuple((n, self.poly(p)) for n, p in self.unit.call_sizes.get(site, {}).items())
        at = None if site.at is None else self.poly(site.at)
        if entry.automatic and entry.is_stack:
            at = self._stack_index(site)
        return ir.Call(targets, outer, entry.path, at, tuple(arguments), sizes, self.origin)

    def _stack_index(self, site: CallSite) -> Poly | None:
        """Which element a call by type uses: the innermost loop over a hyperparameter."""
        loops = [b for b in site.binders if not (b.range.extent.names & self.unit.runtime_names)]
        return Poly.of(loops[-1].name) if loops else None


def _compared_with_truth(op: str, values: list[ir.Expr]) -> ir.Expr | None:
    """A condition that is compared with true or false: itself, or what it denies; None for all else."""
    match op, values:
        case (("equal" | "not_equal"), ([ir.Literal(value=bool() as truth), other] | [other, ir.Literal(value=bool() as truth)])):
            return other if truth == (op == "equal") else ir.Apply("not", (other,), ir.Element.BOOLEAN)
    return None


def _of(value: ir.Expr) -> ir.Element:
    return ir.Element.INTEGER if isinstance(value, ir.IndexValue) else value.element


def _element(symbol: Symbol) -> ir.Element:
    found = find_element(symbol.element)
    return found if isinstance(found, ir.Element) else ir.Element.REAL
