r"""Make one product of several that share their data: the weights become blocks of one stacked weight.

Before -> after::

    f[t, i] = sigmoid(sum(j: W_f[i, j] * h[t-1, j]) + …)
    g[t, i] = tanh(sum(j: W_g[i, j] * h[t-1, j]) + …)
      ->
    W_f_W_g[i, j] = W_f[i, j]               for i in 0..d-1
    W_f_W_g[i, j] = W_g[i - d, j]           for i in d..2*d-1
    W_f_W_g_h[t, i] = sum(j: W_f_W_g[i, j] * h[t-1, j])
    f[t, i] = sigmoid(W_f_W_g_h[t, i] + …)
    g[t, i] = tanh(W_f_W_g_h[t, i + d] + …)

A product with a bias that all of its group have (`W x + b`) takes the bias along, stacked the same way; and where such a
product is the whole value of a hoisted array, its readers read the fused one. Inside a recurrence the fused product
joins the recurrence. Fused products that are added are added before they are taken apart (`join_parts`).

Preconditions: weights are parameters or buffers, read with an axis of their own (the row), the reduced axis, and
indices that the group shares (a layer). Declines: a product alone, weights that differ in a shared or the reduced range,
data that is itself a sum, products below a `Select` (but for one that fills
padding), which are evaluated only where they are needed, and weights that are
used once in an example: to stack them costs as much as a product with them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Along,
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    Kind,
    Module,
    Origin,
    Program,
    Range,
    Read,
    Reduce,
    Select,
    Step,
)
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, flat_results, map_children, reads, rewrite, step_reads, step_targets
from mathdsl.passes.join_parts import join_parts
from mathdsl.passes.renaming import module_names

_LONGEST_NAME = 32


def fuse_products(program: Program) -> Program:
    """Fuse in each of the document's modules."""
    return replace(program, modules=tuple(_fused(module) for module in program.modules))


@dataclass(frozen=True)
class _Product:
    """`sum(j: weight[…] * data[…])` in an equation, with the axis that only the weight has; `bias` is added to it."""

    expr: Expr
    weight: Read
    data: Read
    bias: Read | None
    row: Axis
    reduced: Axis
    axes: tuple[Axis, ...]  # those of the equation that the product uses, but for the row
    origin: Origin
    step: int

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for products that may be fused: same data at the same points, weights alike but for their rows."""
        names = {axis.name: Poly.of(f"#{k}") for k, axis in enumerate(self.axes)}
        names[self.reduced.name] = Poly.of("#reduced")
        names[self.row.name] = Poly.of("#row")

        def anonymous(read: Read | None) -> tuple[Poly, ...]:
            return () if read is None else tuple(entry.substitute(names) for entry in read.index if isinstance(entry, Poly))

        ranges = tuple(axis.range for axis in self.axes)
        return (self.data.array, anonymous(self.data), anonymous(self.weight), anonymous(self.bias), ranges, self.reduced.range)

    @property
    def is_repeated(self) -> bool:
        """Whether an example multiplies each of the weight's elements several times: at other positions, for other data."""
        return any(Poly.of(axis.name) not in self.weight.index for axis in self.axes)


def _fused(module: Module) -> Module:
    arrays = {array.name: array for array in module.arrays}
    groups: defaultdict[tuple[object, ...], list[_Product]] = defaultdict(list)
    for number, step in enumerate(module.steps):
        if isinstance(step, Equation):
            for product in filter(lambda found: found.is_repeated, _products(step, number, step.value, arrays)):
                groups[(*product.key, *_shared_ranges(product, arrays))].append(product)
    fusion = _Fusion(module)
    for group in groups.values():
        weights = list(dict.fromkeys(product.weight.array for product in group))
        if len(weights) > 1:
            fusion.fuse(group)
    return fusion.module()


# ---- finding -------------------------------------------------------------------------------------


def _products(step: Equation, number: int, expr: Expr, arrays: dict[str, Array]) -> list[_Product]:
    """The products in the expression; with its bias where one is added directly."""
    match expr:
        case Apply(op="add", arguments=(product, Read() as bias)):
            found = _product(step, number, product, bias, expr, arrays)
            if found is not None:
                return [found]
        case Reduce():
            found = _product(step, number, expr, None, expr, arrays)
            return [] if found is None else [found]
        case Select() | Along() if own_part(expr) is None:
            return []
    return [found for child in children(expr) for found in _products(step, number, child, arrays)]


def _product(step: Equation, number: int, expr: Expr, bias: Read | None, whole: Expr, arrays: dict[str, Array]) -> _Product | None:
    """The product that the expression is, if it is one of a parameter and data."""
    match expr:
        case Reduce(op="sum", axis=reduced, body=Apply(op="mul", arguments=(Read() as left, Read() as right))):
            pass
        case _:
            return None
    for weight, data in ((left, right), (right, left)):
        if arrays[weight.array].kind in (Kind.PARAMETER, Kind.BUFFER) and arrays[data.array].kind in (Kind.INPUT, Kind.VALUE):
            return _placed(step, number, whole, weight, data, bias, reduced, arrays)
    return None


def _placed(
    step: Equation, number: int, whole: Expr, weight: Read, data: Read, bias: Read | None, reduced: Axis, arrays: dict[str, Array]
) -> _Product | None:
    """The product with its row axis: the one axis of the equation that stands alone in the weight and not in the data."""
    entries = [*weight.index, *data.index, *(() if bias is None else bias.index)]
    if not all(isinstance(entry, Poly) for entry in entries) or weight.element is not Element.REAL:
        return None
    in_data = {name for entry in data.index if isinstance(entry, Poly) for name in entry.names}
    rows = [axis for axis in step.axes if any(entry == Poly.of(axis.name) for entry in weight.index) and axis.name not in in_data]
    reduces = [entry for entry in weight.index if isinstance(entry, Poly) and reduced.name in entry.names]
    if len(rows) != 1 or reduces != [Poly.of(reduced.name)] or reduced.name not in in_data:
        return None
    row = rows[0]
    if sum(row.name in entry.names for entry in weight.index if isinstance(entry, Poly)) != 1:
        return None
    if bias is not None and not _is_bias(bias, row, arrays):
        return None
    used = {name for entry in entries if isinstance(entry, Poly) for name in entry.names}
    axes = tuple(axis for axis in step.axes if axis.name in used and axis.name != row.name)
    names = {axis.name for axis in step.axes}
    if any(names & (axis.range.lower.names | axis.range.upper.names) for axis in (*axes, row, reduced)):
        return None
    return _Product(whole, weight, data, bias, row, reduced, axes, step.origin, number)


def _is_bias(bias: Read, row: Axis, arrays: dict[str, Array]) -> bool:
    """A parameter with an element for each row."""
    is_owned = arrays[bias.array].kind in (Kind.PARAMETER, Kind.BUFFER)
    return is_owned and sum(entry == Poly.of(row.name) for entry in bias.index) == 1


def _shared_ranges(product: _Product, arrays: dict[str, Array]) -> tuple[Range, ...]:
    """The ranges of the weight's other axes (a layer), which the blocks of a stack must have in common."""
    found: list[Range] = []
    for read in (product.weight, product.bias):
        if read is not None:
            row = Poly.of(product.row.name)
            found += [bounds for entry, bounds in zip(read.index, arrays[read.array].ranges, strict=True) if entry != row]
    return tuple(found)


# ---- fusing --------------------------------------------------------------------------------------


class _Fusion:
    """The fused products of one module."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._fresh = FreshNames(module_names(module))
        self._by_name = {array.name: array for array in module.arrays}
        self._axis_names: list[str] = []
        self._stacks: dict[tuple[object, ...], str] = {}
        self._arrays: list[Array] = []
        self._products: list[str] = []
        self._latex: dict[str, str] = {}
        self._before: defaultdict[int, list[Step]] = defaultdict(list)
        self._replaced: dict[int, dict[Expr, Expr]] = defaultdict(dict)

    def fuse(self, group: Sequence[_Product]) -> None:
        """One stacked weight, one product, and reads at an offset in place of each product of the group."""
        first = group[0]
        blocks: dict[tuple[str, str], tuple[_Product, Poly]] = {}
        total = Poly.of(0)
        for product in group:
            key = (product.weight.array, "" if product.bias is None else product.bias.array)
            if key not in blocks:
                blocks[key] = (product, total)
                total = total + product.row.range.extent
        comment = f"stacked: one product with {self._by_name[first.data.array].latex} is enough"
        weight = self._stacked([(product.weight, product, offset) for product, offset in blocks.values()], total, comment)
        bias = None
        if first.bias is not None:
            pairs = [(product.bias, product, offset) for product, offset in blocks.values() if product.bias is not None]
            bias = self._stacked(pairs, total, "")
        name = self._multiply(first, weight, bias, total)
        for product in group:
            key = (product.weight.array, "" if product.bias is None else product.bias.array)
            offset = blocks[key][1] - product.row.range.lower
            index = (*(Poly.of(axis.name) for axis in product.axes), Poly.of(product.row.name) + offset)
            self._replaced[product.step][product.expr] = Read(name, index, Element.REAL)

    def module(self) -> Module:
        if not self._arrays:
            return self._module
        steps: list[Step] = []
        for number, step in enumerate(self._module.steps):
            steps += self._before[number]
            if number in self._replaced and isinstance(step, Equation):
                step = replace(step, value=_replaced(step.value, self._replaced[number]))
            steps.append(step)
        module = replace(self._module, arrays=(*self._module.arrays, *self._arrays), steps=tuple(steps))
        return join_parts(_without_aliases(module, {array.name for array in self._arrays}), self._products)

    def _stacked(self, blocks: Sequence[tuple[Read, _Product, Poly]], total: Poly, comment: str) -> str:
        """A new array whose rows are those of the blocks one after the other; the other axes are as they were."""
        read, first, _ = blocks[0]
        key = tuple((block.array, block.index.index(Poly.of(p.row.name)), p.row.range, offset) for block, p, offset in blocks)
        if key in self._stacks:
            return self._stacks[key]
        array = self._by_name[read.array]
        row = next(k for k, entry in enumerate(read.index) if entry == Poly.of(first.row.name))
        ranges = tuple(Range(Poly.of(0), total - 1) if k == row else bounds for k, bounds in enumerate(array.ranges))
        name = self._stacks[key] = self._stack_name([block[0].array for block in blocks])
        latex = f"[{' ; '.join(self._by_name[block[0].array].latex for block in blocks)}]"
        self._arrays.append(Array(name, Kind.VALUE, Element.REAL, ranges, name, latex))
        self._latex[name] = latex
        origin = Origin("", first.origin.span, comment)
        while len(self._axis_names) < len(array.ranges):
            self._axis_names.append(self._fresh("n"))
        others = tuple(self._axis_names[: len(array.ranges)])
        for block, product, offset in blocks:
            rows = Range(offset, offset + product.row.range.extent - 1)
            axes = tuple(Axis(others[k], rows if k == row else bounds) for k, bounds in enumerate(ranges))
            index = tuple(Poly.of(other) for other in others)
            source = tuple(
                Poly.of(other) - offset + product.row.range.lower if k == row else Poly.of(other) for k, other in enumerate(others)
            )
            equation = Equation(name, axes, index, Read(block.array, source, Element.REAL), origin)
            self._before[first.step].append(equation)
        return name

    def _multiply(self, first: _Product, weight: str, bias: str | None, total: Poly) -> str:
        """The one product, over the stacked rows."""
        body = Apply("mul", (replace(first.weight, array=weight), first.data), Element.REAL)
        value: Expr = Reduce("sum", first.reduced, body, Element.REAL)
        if bias is not None and first.bias is not None:
            value = Apply("add", (value, replace(first.bias, array=bias)), Element.REAL)
        axes = (*first.axes, Axis(first.row.name, Range(Poly.of(0), total - 1)))
        data = first.data.array.removesuffix("_padded").replace(".", "_")
        name = self._fresh(f"{weight.removesuffix('_stacked')}_{data}")
        latex = f"{self._latex[weight]} {self._by_name[first.data.array].latex}"
        if bias is not None:
            latex += f" + {self._latex[bias]}"
        ranges = tuple(axis.range for axis in axes)
        batch = any(read.array in self._by_name and self._by_name[read.array].batch for read in reads(value))
        self._arrays.append(Array(name, Kind.VALUE, Element.REAL, ranges, name, latex, batch=batch))
        self._products.append(name)
        origin = Origin(latex, first.origin.span)
        self._before[first.step].append(Equation(name, axes, tuple(Poly.of(axis.name) for axis in axes), value, origin))
        return name

    def _stack_name(self, arrays: Sequence[str]) -> str:
        """`R_h_R_g`, or `W_x_stacked` where the parameters of several modules have one name."""
        own = list(dict.fromkeys(array.rpartition(".")[2] for array in arrays))
        joined = "_".join(own)
        if len(own) > 1 and len(joined) <= _LONGEST_NAME:
            return self._fresh(joined)
        return self._fresh(f"{own[0]}_stacked")


def _replaced(expr: Expr, values: dict[Expr, Expr]) -> Expr:
    """The expression with whole sub-expressions replaced, the largest first."""
    if isinstance(expr, Reduce | Apply) and expr in values:
        return values[expr]
    return map_children(expr, lambda child: _replaced(child, values))


def _without_aliases(module: Module, fused: set[str]) -> Module:
    """Values that are now only a part of a fused product are read there, if they belong to the formula of their readers."""
    defined = Counter(target for step in module.steps for target in step_targets(step))
    readers: defaultdict[str, list[Step | None]] = defaultdict(list)
    for step in module.steps:
        for read in step_reads(step):
            readers[read.array].append(step)
    for expr in (*(check.condition for check in module.checks), *(result.value.value for result in flat_results(module.results))):
        for read in reads(expr):
            readers[read.array].append(None)
    aliases: dict[str, Equation] = {}
    for step in module.steps:
        if isinstance(step, Equation) and isinstance(step.value, Read) and step.value.array in fused and defined[step.target] == 1:
            if all(isinstance(reader, Equation) and reader.origin == step.origin for reader in readers[step.target]):
                aliases[step.target] = step

    def node(expr: Expr) -> Expr:
        if not isinstance(expr, Read) or expr.array not in aliases or not all(isinstance(entry, Poly) for entry in expr.index):
            return expr
        alias = aliases[expr.array]
        values = {next(iter(entry.names)): i for entry, i in zip(alias.index, expr.index, strict=True) if isinstance(i, Poly)}
        part = alias.value
        assert isinstance(part, Read)
        return replace(part, index=tuple(e.substitute(values) if isinstance(e, Poly) else e for e in part.index))

    steps = tuple(replace(step, value=rewrite(step.value, node)) if isinstance(step, Equation) else step for step in module.steps)
    return replace(module, steps=steps)
