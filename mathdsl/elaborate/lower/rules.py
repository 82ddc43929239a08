"""The rule of each term: its element at a point; the rules of arithmetic stand in a file of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import assert_never

from mathdsl.diagnostics.model import InternalError
from mathdsl.elaborate.lower.arithmetic import lower_elementwise, lower_power, lower_product
from mathdsl.elaborate.lower.arrays import materialise, outer_axes, read_whole
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.lower.values import as_index, coerce, element_of_symbol
from mathdsl.elaborate.names.names import readable, without_version
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Build,
    CallResult,
    CallSite,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Faulty,
    Flattened,
    Fold,
    Given,
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
    Unread,
    Updated,
    Whole,
)
from mathdsl.elaborate.types.inference.state import last_axis
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, free_names
from mathdsl.ops import ALONG, REDUCTIONS


def lower_term(lowering: Lowering, term: Term, point: Point) -> ir.Expr:
    """The term's element at a point (positions from 0, one for each axis)."""
    match term:
        case NumberTerm(value=value) | Constant(value=value):
            return _number(value, lowering.element(term))
        case SizeTerm(value=value):
            return ir.IndexValue(lowering.poly(value))
        case Ref():
            return _lower_reference(lowering, term, point)
        case Elementwise():
            return lower_elementwise(lowering, term, point)
        case PowerTerm():
            return lower_power(lowering, term, point)
        case Product():
            return lower_product(lowering, term, point)
        case Transpose(body=body):
            return lowering.at(body, tuple(reversed(point)))
        case Reduction():
            return _lower_reduction(lowering, term, point)
        case Fold():
            return _lower_fold(lowering, term, point)
        case AlongTerm():
            return _lower_along(lowering, term, point)
        case CrossEntropyTerm():
            return _lower_cross_entropy(lowering, term)
        case CaseTerm(rows=rows):
            return _cases(lowering, term, rows, point)
        case Updated():
            return _lower_updated(lowering, term, point)
        case Given():
            return _lower_given(lowering, term, point)
        case Build(binder=binder, body=body):
            return lowering.at_value(body, binder, lowering.poly(binder.range.lower) + point[0], point[1:])
        case Repeated(value=value):
            return lowering.at(value, point[1:])
        case Concatenation() | Stacked():
            return read_whole(lowering, materialise(lowering, term, "joined"), point)
        case Flattened():
            return _lower_flattened(lowering, term, point)
        case CallResult(call=call, position=position):
            return _lower_call_result(lowering, call, position, point)
        case Unread():
            return _number(0, lowering.element(term))
        case TupleTerm() | Undefined() | Faulty():
            raise _no_value(term)
        case _:
            assert_never(term)


def _no_value(term: TupleTerm | Undefined | Faulty) -> Exception:
    match term:
        case TupleTerm():
            return refuse("E0409", "a tuple stands where one value is wanted", term.span)
        case Undefined(domain=domain) if domain:
            what = rf"`\begin{{cases}} \dots & {domain} \\ 0 & otherwise \end{{cases}}`"
            help = f"let every index run over a range of its own, and say what the other elements are: {what}"
            return unsupported(f"a definition where `{domain}`, which is no triangle,", term.span, help=help)
        case Undefined():
            return refuse(
                "E0509",
                "an element has no value where this branch is not taken",
                term.span,
                help=r"add an `\algoElse` that gives the value it has otherwise, or a value before the branch",
            )
        case Faulty():
            return InternalError("a program with mistakes is lowered")


def _number(value: float, element: ir.Element) -> ir.Literal:
    """A number as an element of its type; the 0 that carried conditions begin with is false."""
    return ir.Literal({ir.Element.REAL: float, ir.Element.INTEGER: int, ir.Element.BOOLEAN: bool}[element](value))


def _row(lowering: Lowering, value: Term, point: Point, element: ir.Element) -> ir.Expr:
    return _number(0, element) if isinstance(value, Unread) else coerce(lowering.at(value, lowering.aligned(value, point)), element)


def _cases(lowering: Lowering, term: CaseTerm, rows: tuple[tuple[Term | None, Term], ...], point: Point) -> ir.Expr:
    """The rows in their order; the last one of those that leave nothing over is taken unasked."""
    element = lowering.element(term)
    (condition, value), *others = rows
    if condition is None:
        return _row(lowering, value, point, element)
    asked = lowering.at(condition, lowering.aligned(condition, point))
    with lowering.where(asked, True):
        then = _row(lowering, value, point, element)
    with lowering.where(asked, False):
        closes = bool(others) and others[-1][0] is None and not isinstance(others[-1][1], Undefined)
        if not closes and lowering.is_impossible():
            return then
        if not others:
            raise refuse("E0508", "no row of `cases` holds for what is left", term.span, help=r"add a row `… & \text{otherwise}`")
        otherwise = _cases(lowering, term, tuple(others), point)
    return ir.Select(asked, then, otherwise, element)


# ---- reads of arrays, and of arrays with a value at one place -------------------------------------


def _lower_reference(lowering: Lowering, term: Ref, point: Point) -> ir.Expr:
    """An element of an array, or a setting."""
    symbol = term.symbol
    if symbol.role is Role.SETTING:
        return ir.Setting(lowering.types.entries.names.name(symbol.spelling), element_of_symbol(symbol))
    rest = list(point)
    index: list[ir.Index] = []
    for axis, position in enumerate(term.positions):
        match position:
            case Poly():
                index.append(lowering.poly(position))
            case Whole():
                index.append(rest.pop(0) + lowering.first(symbol, axis))
            case SliceIndex(range=bounds):
                index.append(rest.pop(0) + lowering.poly(bounds.lower))
            case _:
                own = lowering.rank(position)
                index.append(as_index(lowering.at(position, tuple(rest[:own]))))
                del rest[:own]
    first = len(term.positions)
    index.extend(p + lowering.first(symbol, first + k) for k, p in enumerate(rest))
    return ir.Read(lowering.array_name(symbol), tuple(index), element_of_symbol(symbol))


def _lower_updated(lowering: Lowering, term: Updated, point: Point) -> ir.Expr:
    """The value where the point is the place, else the array's own element; that the place is inside is checked."""
    symbol, element = term.place.symbol, lowering.element(term)
    turns = len(lowering.inference.axes(Ref(symbol))) - len(point)
    conditions: list[ir.Expr] = []
    rest: list[Poly] = []
    slices = [lowering.range(position.range) for position in term.place.positions if isinstance(position, SliceIndex)]
    empty = [_compare("less", ir.IndexValue(own.upper), ir.IndexValue(own.lower)) for own in slices]
    for axis, at in enumerate(point, turns):
        position = term.place.positions[axis] if axis < len(term.place.positions) else Whole()
        index = at + lowering.lower(symbol, axis)
        match position:
            case Whole():
                rest.append(at)
            case SliceIndex(range=bounds):
                own = lowering.range(bounds)
                first, last = _ends(lowering, symbol, axis)
                ends = ((own.lower, index, first), (index, own.upper, last))
                conditions += [_compare("less_equal", ir.IndexValue(a), ir.IndexValue(b)) for a, b, end in ends if end not in (a, b)]
                rest.append(index - own.lower)
                for end in (own.lower, own.upper):
                    _check_inside(lowering, term, axis, ir.IndexValue(end), empty)
            case _:
                place = ir.IndexValue(lowering.poly(position)) if isinstance(position, Poly) else lowering.at(position, ())
                _check_inside(lowering, term, axis, place, empty)
                conditions.append(_compare("equal", ir.IndexValue(index), place))
    if not conditions:
        return coerce(lowering.at(term.value, lowering.aligned(term.value, tuple(rest))), element)
    is_place = reduce(lambda left, right: ir.Apply("and", (left, right), ir.Element.BOOLEAN), conditions)
    with lowering.where(is_place, True):
        value = coerce(lowering.at(term.value, lowering.aligned(term.value, tuple(rest))), element)
    return ir.Select(is_place, value, coerce(lowering.at(term.array, point), element), element)


def _lower_given(lowering: Lowering, term: Given, point: Point) -> ir.Expr:
    """The value, which is checked to have been assigned."""
    axes = tuple(lowering.axis(extent) for extent in lowering.inference.axes(term.flag))
    flag = lowering.at(term.flag, tuple(map(lowering.offset, axes)))
    if not lowering.check(flag, term.words, term.span, axes):
        raise refuse("E0510", "this is read before it is assigned", term.span, help="assign it first")
    letters = {binder.name for binder in lowering.scope}
    ranges = [lowering.range(binder.range) for binder in lowering.inner]
    if any(not letters.isdisjoint(own.lower.names | own.upper.names) for own in ranges):
        help = "assign it whichever branches are taken, or give it a value before"
        raise refuse("E0509", "this may have no value here", term.span, help=help)
    return lowering.at(term.value, point)


def _ends(lowering: Lowering, symbol: Symbol, axis: int) -> tuple[Poly, Poly]:
    """The first and the last index of an axis."""
    lower = lowering.lower(symbol, axis)
    return lower, lower + lowering.inference.axes(Ref(symbol))[axis] - 1


def _check_inside(lowering: Lowering, term: Updated, axis: int, place: ir.Expr, unless: Sequence[ir.Expr]) -> None:
    """Check that a place is one of an axis, unless one of the ranges beside it is empty."""
    symbol = term.place.symbol
    lower, upper = _ends(lowering, symbol, axis)
    text = f"{term.words} is inside {show_size(lowering.types, lower)} .. {show_size(lowering.types, upper)}"
    for left, right in ((ir.IndexValue(lower), place), (place, ir.IndexValue(upper))):
        parts = (*unless, _compare("less_equal", left, right))
        inside = reduce(lambda one, other: ir.Apply("or", (one, other), ir.Element.BOOLEAN), parts)
        if not lowering.check(inside, text, term.span):
            name = readable(without_version(symbol.spelling))
            raise refuse("E0303", f"`{name}` has no such element", term.place.span, help="assign an element that the array has")


def _compare(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Apply(op, (left, right), ir.Element.BOOLEAN)


# ---- reductions, operations along an axis and the cross entropy -----------------------------------


def _lower_reduction(lowering: Lowering, term: Reduction, point: Point) -> ir.Expr:
    """A reduction over an index, which is renamed where the place has one of that name."""
    signature, binder = REDUCTIONS[term.op].signature, term.binder
    if term.op == "prod" and lowering.rank(term) == 2:
        return read_whole(lowering, _matrix_products(lowering, term), (lowering.range(binder.range).extent, *point))
    for need in term.needs:
        if not lowering.check(lowering.at(need.holds, ()), need.latex, term.span):
            raise refuse("E0505", need.message, term.span, help=need.help)
    name = binder.name if binder.name not in lowering.renamed else lowering.types.entries.axis_name(binder.name)
    axis = ir.Axis(name, lowering.range(binder.range))
    value = _operand(lowering.at_value(term.body, binder, Poly.of(name), point), signature.operands)
    return ir.Reduce(term.op, axis, value, signature.result or element_of(value))


def _matrix_products(lowering: Lowering, term: Reduction) -> ir.Array:
    r"""The products `P_k = P_{k-1} A_k` of `\prod_{k=a}^{b} A_k`, in order, from the identity at `a - 1`."""
    if isinstance(term.body, CaseTerm):
        instead = r"name the family that is multiplied, with `I` for each matrix that is left out"
        raise unsupported("a product of matrices over a part of an index", term.span, help=instead)
    bounds, scope, element = lowering.range(term.binder.range), lowering.scope, lowering.element(term)
    outer = outer_axes(lowering, scope, "a product of matrices", term.span)
    if not (bounds.lower.names | bounds.upper.names).isdisjoint(lowering.types.entries.axis_names):
        instead = r"write the recurrence, as in `P_i \gets P_{i-1} A_i`"
        raise unsupported("a product of matrices over a range that depends on another index", term.span, help=instead)
    with lowering.apart(lowering.inner):
        sizes = lowering.inference.axes(term)
        array = lowering.new_array("products", element, [*(a.range for a in outer), ir.Range(bounds.lower - 1, bounds.upper)], sizes)
        turn = ir.Axis(lowering.free_axis_name(), bounds)
        row, column, inner = (lowering.axis(size) for size in (*sizes, sizes[0]))
        place = tuple(Poly.of(axis.name) for axis in outer)
        cell = (Poly.of(row.name), Poly.of(column.name))
        is_diagonal = ir.Apply("equal", (ir.IndexValue(cell[0]), ir.IndexValue(cell[1])), ir.Element.BOOLEAN)
        one, zero = (coerce(ir.Literal(number), element) for number in (1, 0))
        first = ir.Select(is_diagonal, one, zero, element)
        before = ir.Read(array.name, (*place, Poly.of(turn.name) - 1, cell[0], Poly.of(inner.name)), element)
        matrix = lowering.at_value(term.body, term.binder, Poly.of(turn.name), (lowering.offset(inner), lowering.offset(column)))
        after = ir.Reduce("sum", inner, ir.Apply("mul", (before, coerce(matrix, element)), element), element)
        start = ir.Equation(array.name, (*outer, row, column), (*place, bounds.lower - 1, *cell), first, lowering.origin)
        step = ir.Equation(array.name, (*outer, turn, row, column), (*place, Poly.of(turn.name), *cell), after, lowering.origin)
        lowering.steps += [start, step]
    return array


def _lower_fold(lowering: Lowering, term: Fold, point: Point) -> ir.Expr:
    """A reduction over the last axis or over all."""
    signature, sizes = REDUCTIONS[term.op].signature, lowering.inference.axes(term.body)
    count = len(sizes) if term.all_axes else 1
    axes = [lowering.axis(size, _first_index(lowering, term)) for size in sizes[len(sizes) - count :]]
    value = _operand(lowering.at(term.body, (*point, *(lowering.offset(a) for a in axes))), signature.operands)
    for axis in reversed(axes):
        value = ir.Reduce(term.op, axis, value, signature.result or element_of(value))
    return value


def _first_index(lowering: Lowering, term: Fold) -> Poly | None:
    r"""What the place of an extreme is counted from, `\arg\max p`: the first index of the axis; None elsewhere, where nobody sees it."""
    axes = lowering.firsts.kept.of(term.body) if term.op in ("argmax", "argmin") else ()
    return axes[-1].lower if axes else None


def _operand(value: ir.Expr, operands: tuple[ir.Element, ...]) -> ir.Expr:
    return value if element_of(value) in operands else coerce(value, ir.Element.REAL)


def _lower_along(lowering: Lowering, term: AlongTerm, point: Point) -> ir.Expr:
    """One element of what an operation makes of the elements along an axis."""
    row = ALONG[term.op]
    if term.binder is not None:
        axis = ir.Axis(lowering.types.entries.axis_name(term.binder.name), lowering.range(term.binder.range))
        at = lowering.poly(Poly.of(term.binder.name))
        body = lowering.at_value(term.body, term.binder, Poly.of(axis.name), point)
    else:
        axis = lowering.axis(lowering.inference.axes(term.body)[-1])
        at = point[-1] + axis.range.lower
        body = lowering.at(term.body, (*point[:-1], lowering.offset(axis)))
    return ir.Along(row.name, axis, _operand(body, row.signature.operands), at, ir.Element.REAL)


def _lower_cross_entropy(lowering: Lowering, term: CrossEntropyTerm) -> ir.Expr:
    """`-log_softmax(z)[y]`; over sequences, the mean."""
    sizes = lowering.inference.axes(term.logits)
    outer = [lowering.axis(size) for size in sizes[:-1]]
    inner = lowering.axis(sizes[-1], _class_base(lowering, term))
    point = tuple(lowering.offset(a) for a in outer)
    logits = coerce(lowering.at(term.logits, (*point, lowering.offset(inner))), ir.Element.REAL)
    target = as_index(lowering.at(term.target, point))
    value: ir.Expr = ir.Apply("neg", (ir.Along("log_softmax", inner, logits, target, ir.Element.REAL),), ir.Element.REAL)
    for axis in reversed(outer):
        value = ir.Reduce("mean", axis, value, ir.Element.REAL)
    return value


def _class_base(lowering: Lowering, term: CrossEntropyTerm) -> Poly:
    """The first class: that of the axis of the logits; of logits without a name that of their type, or the base of the notation."""
    target = term.target
    if (place := last_axis(term.logits)) is not None:
        return lowering.lower(place[0].symbol, place[1])
    if isinstance(target, Ref) and target.symbol.value_range is not None:
        return lowering.poly(target.symbol.value_range.lower)
    return Poly.of(lowering.types.written.base)


# ---- `\fla{v_1, \dots, v_n}`: element `p` is element `p mod d` of part `p div d` ------------------


PART, WITHIN = "#part", "#within"  # stand for `p div d` and `p mod d`, which are no polynomials


def _lower_flattened(lowering: Lowering, term: Flattened, point: Point) -> ir.Expr:
    """One element of a flattened list: a read of what holds the list, which is made where nothing does."""
    body, at = term.body, 0 if term.in_turn else -1
    place = (Poly.of(PART), Poly.of(WITHIN), *point[1:]) if term.in_turn else (Poly.of(PART), *point[:-1], Poly.of(WITHIN))
    read = lowering.at(body, place) if _is_kept(body) else None
    if not isinstance(read, ir.Read) or not all(map(_is_plain, read.index)):
        read = read_whole(lowering, materialise(lowering, body, "parts"), place)
    length = ir.IndexValue(lowering.poly(lowering.inference.axes(body)[1 if term.in_turn else -1]))
    operands = ir.IndexValue(point[at]), length
    values = {PART: ir.Apply("floor_div", operands, ir.Element.INTEGER), WITHIN: ir.Apply("mod", operands, ir.Element.INTEGER)}
    return ir.Read(read.array, tuple(_put(entry, values) for entry in read.index), read.element)


def _is_kept(term: Term) -> bool:
    """Whether an array holds the term's elements one by one, so that a read is all there is to it."""
    match term:
        case Build(body=body) | Transpose(body=body):
            return _is_kept(body)
        case Ref() | CallResult() | Concatenation() | Stacked():
            return True
        case _:
            return False


def _is_plain(entry: ir.Index) -> bool:
    """Whether an index has nothing to do with the two, or is one of them and an offset."""
    names = set(entry.names if isinstance(entry, Poly) else free_names(entry)) & {PART, WITHIN}
    if not names:
        return True
    name = next(iter(names))
    return isinstance(entry, Poly) and len(names) == 1 and name not in (entry - name).names


def _put(entry: ir.Index, values: dict[str, ir.Apply]) -> ir.Index:
    name = next((n for n in values if isinstance(entry, Poly) and n in entry.names), None)
    if name is None:
        return entry
    assert isinstance(entry, Poly)
    offset = entry - name
    return ir.Apply("add", (values[name], ir.IndexValue(offset)), ir.Element.INTEGER) if offset.terms else values[name]


# ---- calls of modules: steps that put their results into arrays of our own ------------------------


def _lower_call_result(lowering: Lowering, site: CallSite, position: int, point: Point) -> ir.Expr:
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
