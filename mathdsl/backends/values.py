"""Values of a tensor program as Python expressions over torch tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import assert_never

from mathdsl.backends.dimensions import Spelled, aligned, entries_of, expanded, full_rank, permuted
from mathdsl.backends.plain_numbers import beside_tensors, has_a_value, scalar
from mathdsl.backends.python_ast import (
    EVERYTHING,
    NEW_AXIS,
    call,
    const,
    fmt,
    method,
    name,
    poly,
    slice_of,
    star,
    subscript,
    tuple_of,
    unparse,
)
from mathdsl.backends.writing import Writing, name_extent
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Element
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS
from mathdsl.tensors.values import (
    All,
    Along,
    Arange,
    At,
    CheckedIndex,
    Choose,
    Chunk,
    Constant,
    Contract,
    Cut,
    Each,
    Entries,
    Entry,
    Expand,
    Extent,
    Flip,
    Fresh,
    Full,
    Gather,
    Group,
    Integer,
    Join,
    Keep,
    Length,
    Local,
    Lookup,
    Map,
    Mask,
    Merge,
    Mix,
    Narrow,
    Nonempty,
    Nothing,
    Own,
    Owned,
    OwnElement,
    OwnLast,
    OwnOver,
    OwnSelect,
    OwnValues,
    Permute,
    Pick,
    Product,
    Reduce,
    Setting,
    Slice,
    Split,
    Stack,
    Submodule,
    Take,
    Unbind,
    Value,
    Way,
    Where,
)

_HELPER = re.compile(r"(?<![\w.])_[a-z]+(?=[(,])")
_DTYPE = re.compile(r"\bdtype\b")
_SYMMETRIC = frozenset({"equal", "not_equal"})
_EXTREMES = {"maximum": "torch.clamp({0}, min={1})", "minimum": "torch.clamp({0}, max={1})"}  # with a number
_LINEAR = "torch.nn.functional.linear"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def expression(writing: Writing, value: Value) -> ast.expr:
    """The Python expression of a value."""
    match value:
        case Local(name=local):
            return writing.local(local)
        case Map():
            return _map(writing, value)
        case Integer():
            return _integer(writing, value)
        case Constant(value=number):
            return const(number)
        case At():
            return _at(writing, value)
        case Owned(array=array):
            return name(writing.owned(array))
        case Slice():
            entries = [_entry(writing, entry) for entry in value.entries]
            return entries_of(expression(writing, value.value), entries, value.value.batch)
        case Product():
            return _product(writing, value)
        case Expand():
            return _expanded(writing, value)
        case Permute():
            return permuted(spelled(writing, value.value), value.axes).node
        case Reduce():
            return fmt(REDUCTIONS[value.op].torch, expression(writing, value.value), _dim(value.value, value.axis))
        case Along(own=None):
            return fmt(ALONG[value.op].torch, expression(writing, value.value), _dim(value.value, value.axis))
        case Along():
            return _own_along(writing, value)
        case Where():
            return call("torch.where", *_aligned(writing, [value.condition, value.then, value.otherwise], value.axes))
        case Choose():
            return ast.IfExp(*(expression(writing, part) for part in (value.test, value.then, value.otherwise)))
        case Full():
            return _full(writing, value)
        case Mask() | Keep() | Own() | OwnValues() | OwnSelect() | OwnLast() | OwnElement() | OwnOver():
            return _own(writing, value)
        case Mix():
            return call(writing.helper("_lerp"), *_aligned(writing, [value.start, value.end, value.weight], value.axes))
        case Stack() | Unbind() | Chunk() | Each() | Entries() | Join() | Group():
            return _collection(writing, value)
        case Setting(name=setting):
            return writing.setting(setting)
        case Extent(of=of, place=place):
            return name_extent(expression(writing, of), place)
        case Length(of=of):
            return call("len", expression(writing, of))
        case All(tests=tests):
            return ast.BoolOp(ast.And(), [expression(writing, test) for test in tests])
        case Nothing():
            return const(None)
        case Arange():
            return _arange(writing, value)
        case CheckedIndex():
            return _checked_index(writing, value)
        case Nonempty():
            return _nonempty(writing, value)
        case Merge() | Split() | Flip() | Narrow():
            return _reshaped(writing, value)
        case Lookup() | Take():
            return _looked_up(writing, value)
        case Submodule():
            return _call(writing, value)
        case Contract():
            raise InternalError("a contraction was not planned")
        case _:
            assert_never(value)


def spelled(writing: Writing, value: Value) -> Spelled:
    """The expression of a value with what its dimensions are."""
    return Spelled(expression(writing, value), value.axes, value.batch, value.scalar)


def _aligned(writing: Writing, values: Sequence[Value], order: Sequence[str]) -> list[ast.expr]:
    return [aligned(spelled(writing, value), order) for value in values]


def _dim(value: Value, axis: str) -> ast.expr:
    """The dimension of an axis, counted from the last, -1."""
    return const(value.axes.index(axis) - len(value.axes))


# ---- numbers -------------------------------------------------------------------------------------


def _integer(writing: Writing, value: Integer) -> ast.expr:
    parts = dict(value.parts)

    def lookup(size: str) -> ast.expr:
        return aligned(spelled(writing, parts[size]), value.axes) if size in parts else writing.size(size)

    return poly(value.value, lookup)


def _map(writing: Writing, value: Map) -> ast.expr:
    row = ELEMENTWISE[value.op]
    if value.scalar:
        nodes = [expression(writing, operand) for operand in value.operands]
        if value.op in _EXTREMES:
            return call(value.op[:3], *nodes)
        if has_a_value(writing.module, value):
            return scalar(row.scalar, *nodes)
        for helper in _HELPER.findall(row.edges):
            writing.helpers[row.name if helper == f"_{row.name}" else helper] = None
        return scalar(row.edges, *nodes)
    nodes = _aligned(writing, value.operands, value.axes)
    first = value.operands[0]
    if row.name in _SYMMETRIC and first.scalar:
        nodes.reverse()
    template = row.torch
    if row.name in _EXTREMES and any(operand.scalar for operand in value.operands):
        template = _EXTREMES[row.name]
        if first.scalar:
            nodes.reverse()
        if row.name == "maximum" and value.element is Element.REAL and unparse(nodes[1]) in ("0", "0.0"):
            template, nodes = "torch.relu({0})", nodes[:1]
    if row.helper:
        writing.helpers[row.name] = None
    if _DTYPE.search(template):
        template = _DTYPE.sub("{" + str(len(nodes)) + "}", template)
        nodes.append(_dtype(writing))
    node = fmt(template, *nodes)
    is_real = any(operand.element is Element.REAL and not operand.scalar for operand in value.operands)
    return beside_tensors(node) if is_real else node


# ---- new tensors ---------------------------------------------------------------------------------


def _dtype(writing: Writing) -> ast.expr:
    """The module's real type."""
    like = writing.program.like
    return fmt("torch.get_default_dtype()") if like is None else fmt("{0}.dtype", expression(writing, like))


def _device(writing: Writing) -> list[ast.keyword]:
    """The keyword argument that puts a new tensor where the others are."""
    reference = writing.program.like or writing.program.any_input
    return [] if reference is None else [ast.keyword("device", fmt("{0}.device", expression(writing, reference)))]


def _full(writing: Writing, value: Full) -> ast.expr:
    batch = writing.batch() if value.batch else None
    extents = [expression(writing, extent) for extent in value.extents]
    shape = tuple_of(([] if batch is None else [star(batch)]) + extents) if extents or batch is None else batch
    kinds = {Element.REAL: None, Element.INTEGER: name("torch.int64"), Element.BOOLEAN: name("torch.bool")}
    keywords = [ast.keyword("dtype", kinds[value.element] or _dtype(writing)), *_device(writing)]
    if isinstance(value.value, Constant) and value.value.value in (0, False):
        return ast.Call(name("torch.zeros"), [shape], keywords)
    return ast.Call(name("torch.full"), [shape, expression(writing, value.value)], keywords)


def _arange(writing: Writing, value: Arange) -> ast.expr:
    start = expression(writing, value.start)
    is_from_0 = isinstance(start, ast.Constant) and start.value == 0
    return ast.Call(name("torch.arange"), [*([] if is_from_0 else [start]), expression(writing, value.stop)], _device(writing))


# ---- each example's own part -----------------------------------------------------------------------


def _own(writing: Writing, value: Own | Mask | Keep | OwnValues | OwnSelect | OwnLast | OwnElement | OwnOver) -> ast.expr:
    own = writing.own(value.size)
    match value:
        case Own():
            return own
        case Mask():
            node, fill = _aligned(writing, [value.value, value.fill], value.axes)
            room = [] if value.extra is None else [expression(writing, value.extra)]
            is_zero = isinstance(fill, ast.Constant) and fill.value == 0 and value.element is not Element.BOOLEAN
            given = [] if is_zero and not room else [fill, *room]
            return call(writing.helper("_fill"), node, own, _dim(value, value.axis), *given)
        case Keep():
            node, fill = _aligned(writing, [value.value, value.fill], value.axes)
            if value.any_size is None:
                return call(writing.helper("_keep"), node, own, expression(writing, value.least), fill)
            bounds = [expression(writing, bound) for bound in (value.any_size, value.least)]
            return call(writing.helper("_where_any"), node, own, *bounds, fill)
        case OwnValues():
            reference = writing.program.any_input or writing.program.like
            device = fmt("torch.device('cpu')") if reference is None else fmt("{0}.device", expression(writing, reference))
            return call(writing.helper("_own_values"), own, writing.size(value.size), _batch(writing), device)
        case OwnSelect():
            offset = [] if value.offset is None else [expression(writing, value.offset)]
            node, dim = expression(writing, value.value), const(value.place - len(value.value.axes))
            return call(writing.helper("_own_select"), node, dim, expression(writing, value.position), own, *offset)
        case OwnLast():
            dim = const(value.place - len(value.rest.axes))
            return call(writing.helper("_own_last"), expression(writing, value.first), expression(writing, value.rest), dim, own)
        case OwnElement():
            table, index = expression(writing, value.table), expression(writing, value.index)
            shift = [const(value.shift)] if value.shift else []
            if value.is_common:
                return call(writing.helper("_common_element"), table, index, own, _batch(writing), *shift)
            return call(writing.helper("_own_element"), table, index, own, *shift)
        case OwnOver():
            return call(writing.helper("_own_over"), own, *(expression(writing, extent) for extent in (value.extra, *value.extents)))
        case _:
            assert_never(value)


def _batch(writing: Writing) -> ast.expr:
    batch = writing.batch()
    assert batch is not None
    return batch


# ---- whole axes ----------------------------------------------------------------------------------


def _own_along(writing: Writing, value: Along) -> ast.expr:
    """An operation along each example's own part of an axis."""
    assert value.own is not None
    writing.helper("_fill")  # which the helper calls
    extra = [] if value.extra is None else [expression(writing, value.extra)]
    node, dim = expression(writing, value.value), _dim(value.value, value.axis)
    return call(writing.helper(f"_own_{value.op}"), node, writing.own(value.own), dim, *extra)


def _nonempty(writing: Writing, value: Nonempty) -> ast.expr:
    arguments = [expression(writing, value.value), _dim(value.value, value.axis)]
    if value.text is None:
        return call(writing.helper("_at_least_one"), *arguments)
    return call(writing.helper("_nonempty"), *arguments, const(value.text))


def _product(writing: Writing, value: Product) -> ast.expr:
    left, right = (spelled(writing, factor) for factor in value.factors)
    match value.way:
        case Way.LINEAR:
            data = permuted(left, (*value.axes, *value.summed)).node
            if value.addend is None:
                return call(_LINEAR, data, right.node)
            is_bias = not value.addend.batch and value.addend.axes == value.axes[-1:]
            return call(_LINEAR if is_bias else writing.helper("_linear"), data, right.node, expression(writing, value.addend))
        case Way.MATRIX:
            shared = [axis for axis in value.axes if axis in left.axes and axis in right.axes]
            rows = permuted(left, (*value.axes, *value.summed))
            columns = permuted(right, (*shared, *value.summed, *(axis for axis in value.axes if axis not in shared)))
            return fmt("{0} @ {1}", rows.node, columns.node)
        case Way.EINSUM:
            return _einsum(value, (left, right))
        case _:
            assert_never(value.way)


def _einsum(value: Product, factors: Sequence[Spelled]) -> ast.expr:
    letters: dict[str, str] = {}
    for axis in (*value.axes, *value.summed):
        wanted = [c for c in axis if c in _LETTERS] + list(_LETTERS)
        letters[axis] = next(c for c in wanted if c not in letters.values())
    shapes = [(one.batch, one.axes) for one in factors] + [(value.batch, value.axes)]
    sides = [("..." if batch else "") + "".join(letters[axis] for axis in axes) for batch, axes in shapes]
    return call("torch.einsum", const(f"{sides[0]},{sides[1]}->{sides[2]}"), *(factor.node for factor in factors))


# ---- axes ----------------------------------------------------------------------------------------


def _expanded(writing: Writing, value: Expand) -> ast.expr:
    sizes = [const(-1) if extent is None else expression(writing, extent) for extent in value.extents]
    return expanded(spelled(writing, value.value), value.axes, sizes, writing.batch() if value.batch else None)


def _entry(writing: Writing, entry: Entry) -> ast.expr:
    match entry:
        case None:
            return EVERYTHING
        case Pick(position=position):
            return expression(writing, position)
        case Cut(start=start, stop=stop):
            return slice_of(*(None if end is None else expression(writing, end) for end in (start, stop)))
        case Gather(index=index):
            return expression(writing, index)
        case Fresh():
            return NEW_AXIS
        case _:
            assert_never(entry)


def _reshaped(writing: Writing, value: Merge | Split | Flip | Narrow) -> ast.expr:
    node, rank = expression(writing, value.value), len(value.value.axes)
    match value:
        case Merge(first=first, last=last):
            if first == 0 and last == rank - 1 and not value.batch:
                return method(node, "flatten")
            is_first = first == 0 and not value.batch
            return method(node, "flatten", const(0 if is_first else first - rank), const(last - rank))
        case Split(extents=extents):
            return call("torch.unflatten", node, const(-1), tuple_of(expression(writing, extent) for extent in extents))
        case Flip(place=place):
            return method(node, "flip", const(place - rank))
        case Narrow(place=place, count=count):
            return method(node, "narrow", const(place - rank), const(0), expression(writing, count))
        case _:
            assert_never(value)


# ---- elements ------------------------------------------------------------------------------------


def _at(writing: Writing, value: At) -> ast.expr:
    of, keys = expression(writing, value.of), [expression(writing, key) for key in value.keys]
    if value.default is None:
        return subscript(of, *keys)
    key = keys[0] if len(keys) == 1 else tuple_of(keys)
    return method(of, "get", key, expression(writing, value.default))


def _looked_up(writing: Writing, value: Lookup | Take) -> ast.expr:
    if isinstance(value, Lookup):
        table, index = expression(writing, value.table), expression(writing, value.index)
        if len(value.table.axes) == 2 and value.element is Element.REAL:
            return call("torch.nn.functional.embedding", index, table)
        return subscript(table, index)
    order = (*value.lead, *value.labels)
    batch = writing.batch() if value.batch else None
    table = full_rank(Spelled(expression(writing, value.value), value.labels, value.value.batch), order, batch)
    index = full_rank(spelled(writing, value.index), order, batch)
    dim = const(value.labels.index(value.hole) - len(value.labels))
    node = call(writing.helper("_take") if value.may_be_empty else "torch.take_along_dim", table, index, dim)
    return node if value.hole in value.index.axes else method(node, "squeeze", dim)


def _checked_index(writing: Writing, value: CheckedIndex) -> ast.expr:
    arguments = [const(value.array), *(expression(writing, part) for part in (value.index, value.lower, value.upper))]
    given = {"wanted": value.wanted, "last": value.last}
    keywords = {key: aligned(spelled(writing, part), value.axes) for key, part in given.items() if part is not None}
    return call(writing.helper("_index"), *arguments, **keywords)


# ---- lists and tables ----------------------------------------------------------------------------


def _collection(writing: Writing, value: Stack | Unbind | Chunk | Each | Entries | Join | Group) -> ast.expr:
    match value:
        case Stack():
            items, dim = expression(writing, value.items), const(value.place - len(value.axes))
            if value.empty is None:
                return call("torch.stack", items, dim)
            empty = ast.Lambda(ast.arguments([], [], None, [], [], None, []), expression(writing, value.empty))
            return call(writing.helper("_stack"), items, dim, empty)
        case Unbind():
            rank = len(value.value.axes)
            dims = [place - rank if value.value.batch else place for place in value.places]
            return _unbound(expression(writing, value.value), dims, value.rows)
        case Chunk():
            place = value.place - len(value.value.axes) if value.value.batch else value.place
            return method(expression(writing, value.value), "chunk", const(value.count), const(place))
        case Each():
            source = range_of(writing, value.start, value.stop)
            with writing.variable(value.axis, value.variable):
                return ast.ListComp(expression(writing, value.value), [_generator(value.variable, source)])
        case Entries():
            source = range_of(writing, value.start, value.stop)
            keys, table = [expression(writing, key) for key in value.value.keys], expression(writing, value.value.of)
            there = [ast.Compare(tuple_of(keys), [ast.In()], [table])] if value.is_partial else []
            return ast.DictComp(name(value.variable), subscript(table, *keys), [_generator(value.variable, source, *there)])
        case Join():
            parts = ast.List([expression(writing, part) for part in value.parts], ast.Load())
            return call("torch.cat", parts, const(value.place - len(value.axes)))
        case Group():
            return tuple_of(expression(writing, item) for item in value.items)
        case _:
            assert_never(value)


def range_of(writing: Writing, start: Value | None, stop: Value) -> ast.expr:
    """`range(start, stop)`."""
    return call("range", *([] if start is None else [expression(writing, start)]), expression(writing, stop))


def _generator(variable: str, source: ast.expr, *tests: ast.expr) -> ast.comprehension:
    return ast.comprehension(ast.Name(variable, ast.Store()), source, list(tests), 0)


def _unbound(node: ast.expr, dims: Sequence[int], rows: Sequence[str]) -> ast.expr:
    """`node.unbind(d)`; for several dimensions, from the first inwards."""
    if len(dims) == 1:
        return method(node, "unbind", const(dims[0]))
    inner = _unbound(name(rows[0]), [dim if dim < 0 else dim - 1 for dim in dims[1:]], rows[1:])
    return ast.ListComp(inner, [_generator(rows[0], method(node, "unbind", const(dims[0])))])


# ---- calls ---------------------------------------------------------------------------------------


def _call(writing: Writing, value: Submodule) -> ast.expr:
    function = name(writing.submodule(value.path))
    if value.at is not None:
        function = subscript(function, expression(writing, value.at))
    keywords = [ast.keyword(keyword, expression(writing, given)) for keyword, given in value.keywords]
    lengths = [expression(writing, own) for _, own in value.lengths]
    if lengths:
        by_size = ast.Dict([const(size) for size, _ in value.lengths], lengths)
        keywords.append(ast.keyword("lengths", lengths[0] if value.has_single_length else by_size))
    if value.is_random:
        keywords.append(ast.keyword("generator", name("generator")))
    return ast.Call(function, [expression(writing, given) for given in value.arguments], keywords)
