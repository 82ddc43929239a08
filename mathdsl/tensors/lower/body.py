"""What is known and written while the body of one `forward` (or function) is lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from mathdsl.analysis.accesses import Write
from mathdsl.analysis.early_reads import Order
from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Axis,
    Element,
    Expr,
    IndexValue,
    Kind,
    Loop,
    Program,
    Range,
    Read,
    ScheduledModule,
    Select,
    Size,
    SizeKind,
    Stage,
    Step,
)
from mathdsl.ir.own_parts import own_part
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.tensors.lower.storage import Storage, box_of, looped_positions
from mathdsl.tensors.lower.terms import Scope, constant
from mathdsl.tensors.lower.unsupported import length_by_index, unknown_size
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import Let, Statement
from mathdsl.tensors.values import INTEGER, Arange, Extent, Form, Full, Holds, Integer, Local, Map, Own, Owned, Value

Lower: TypeAlias = Callable[["Body", Expr, Scope], Value]


@dataclass(slots=True)
class OpenLoop:
    """A loop (or comprehension) that is being written: its variable, and what has to stand before it."""

    axis: Axis
    variable: str
    before: list[Statement] = field(default_factory=list)
    views: dict[object, str] = field(default_factory=dict)


class Body:
    """The state of lowering one body."""

    def __init__(self, program: Program, module: ScheduledModule, storage: Mapping[str, Storage], names: Names, lower: Lower) -> None:
        self.program = program
        self.module = module
        self.place = module.span  # of what is written
        self.step: Step | None = None  # what is being written
        self.arrays = {array.name: array for array in module.arrays}
        self.storage = storage
        self.names = names
        self._lower = lower
        self.block: list[Statement] = []
        self.loops: list[OpenLoop] = []
        self.sizes: dict[str, Size] = {size.name: size for size in module.sizes}
        self.unmeasured: set[str] = set()  # run-time sizes that no required input has
        self.measured: dict[str, Value] = {}  # sizes that are read from a result
        self.locals: dict[str, str] = {}  # arrays (whole tensors or lists) and run-time sizes to names
        self.own: dict[str, str] = {}  # sizes to the names of each example's own
        self.tables: dict[tuple[str, int], str] = {}  # groups of arrays that are kept element by element
        self.variables: dict[str, list[str]] = {}  # of loops, by their letter
        self.complete: set[str] = set()
        self.views: dict[object, str] = {}
        self.assigned: set[str] = set()
        self.apart = looped_positions(module)
        self.checked: set[tuple[str, Range]] = set()  # arrays of indices that lie in a range
        self.lists: set[str] = set()  # whole arrays that are kept as the list along axis 0 that a call gave
        self.made: dict[Value, str] = {}  # what whole arrays were assigned, and their locals
        self.input_like: Local | None = None  # a real tensor, and any one, among the required inputs
        self.any_input: Local | None = None

    def lower(self, expr: Expr, scope: Scope) -> Value:
        """The expression with the axes of the scope as tensor dimensions, where it depends on them."""
        return self._lower(self, expr, scope)

    # ---- names ---------------------------------------------------------------------------------

    @cached_property
    def batch_name(self) -> str:
        """The local that holds the batch axes' extents."""
        return self.names.fresh("batch")

    def own_size(self, size: str) -> Own:
        """Each example's own value of a ragged size, or nothing where every example fills its padding."""
        self.own_name(size)
        return Own(Form((), True, Element.INTEGER), size)

    def own_name(self, size: str) -> str:
        """The local that `own_size` names."""
        if size not in self.own:
            self.own[size] = self.names.fresh(f"{self.locals[size]}_own")
        return self.own[size]

    def ragged_in(self, value: Poly) -> tuple[str, ...]:
        """The sizes whose own values, those of each example, stand in an index or a value."""
        return tuple(size for size in self.module.ragged if OwnSize(size) in value.names)

    def local(self, array: Array, axes: Sequence[str] | None = None) -> Local:
        """The local of an array that is kept as one tensor."""
        return Local(self.form(array, axes), self.locals[array.name])

    def form(self, array: Array, axes: Sequence[str] | None = None) -> Form:
        """The form of a whole array; without `axes`, they wait for their indices."""
        is_owned = array.kind in (Kind.PARAMETER, Kind.BUFFER)
        named = waiting(len(array.ranges)) if axes is None else tuple(axes)
        return Form(named, array.batch and not is_owned, array.element)

    # ---- sizes ---------------------------------------------------------------------------------

    def poly(self, value: Poly) -> Integer:
        """A polynomial over sizes and enclosing loops as a number; of own sizes, the padded extents."""
        value = value.padded
        for name in value.ordered_names:
            self._look_up(name)
        return Integer(INTEGER, value)

    def _look_up(self, value: str) -> None:
        """Whether a name of a polynomial is known here: a size or the index of an open loop."""
        if any(loop.axis.name == value for loop in self.loops):
            return
        size = self.sizes.get(value)
        if size is None:
            raise MathdslError(length_by_index(index_letter(value), self.place))
        is_owned = size.kind is SizeKind.HYPERPARAMETER and not self.module.is_function
        if not is_owned and value not in self.locals and value not in self.measured:
            raise MathdslError(unknown_size(self.module, size))

    def known_sizes(self) -> tuple[tuple[str, Value], ...]:
        """Where each size comes from that is not the instance's own."""
        found: dict[str, Value] = {size: Local(INTEGER, self.locals[size]) for size in self.sizes if size in self.locals}
        return tuple({**found, **self.measured}.items())

    def measure(self, array: Array) -> None:
        """Sizes that no input has are read from a whole result of an opaque module, once there is one."""
        for place, bounds in enumerate(array.ranges):
            size = bounds.extent.variable
            if size is not None and size in self.unmeasured and size not in self.measured:
                self.measured[size] = Extent(INTEGER, self.local(array), place - len(array.ranges))

    def extent(self, bounds: Range) -> Integer:
        """The number of points of a range."""
        return self.poly(bounds.extent)

    def count(self, bounds: Range) -> Value:
        """The number of points of a range that may lie the wrong way round (`2..S` of nothing), outside of the open loops too."""
        extent = self.extent(bounds)
        return extent if self.facts.proves_nonnegative(bounds.extent) else Map(INTEGER, "maximum", (constant(0), extent))

    def is_loop(self, axis: str) -> bool:
        """Whether a loop over that axis is open."""
        return any(loop.axis.name == axis for loop in self.loops)

    def depth(self, value: Poly) -> int:
        """How many of the open loops, from the outermost, a polynomial needs."""
        return max((i + 1 for i, loop in enumerate(self.loops) if loop.axis.name in value.names), default=0)

    def known_positive(self, value: Poly) -> bool:
        """Whether the polynomial is at least 1 for all sizes (which are at least 0)."""
        return self.known_nonnegative(value - 1)

    @cached_property
    def facts(self) -> Facts:
        """What holds everywhere in the module."""
        return facts_of_module(self.module)

    @cached_property
    def order(self) -> Order:
        """Where the steps stand."""
        return Order.of(self.module)

    def may_be_early(self, read: Read, scope: Scope, group: int, *, has_points: bool = True, is_one_of_many: bool = False) -> bool:
        """Whether elements of a group are asked for that are not there yet, and which no point uses.

        Points that use them come later; but a branch is computed for all points, each example's own element is taken of all, that of
        one of many groups of their join, and what no axis counts is asked for even where the axes have no point.
        """
        if self.step is None or read.array in self.complete:
            return False
        storage = self.storage[read.array]
        index = {p: entry for p in storage.elements if isinstance(entry := read.index[p], Poly)}
        wide = {p for p, entry in index.items() if self.ragged_in(entry)}
        if has_points and not scope.guards and not wide and not is_one_of_many:
            return False

        def is_of_group(write: Write) -> bool:
            return group in storage.covered(box_of(write.index, write.axes))

        axes = list(dict.fromkeys((*self.step.axes, *scope.axes)))
        if not has_points:
            known = {loop.axis.name for loop in self.loops}.union(*(entry.names for entry in index.values()))
            for axis in reversed(axes):
                known |= axis.range.lower.names | axis.range.upper.names if axis.name in known else set()
            axes = [axis for axis in axes if axis.name in known]
        axes += [Axis(f"any {p}", self.arrays[read.array].ranges[p]) for p in wide]
        asked = tuple(Poly.of(f"any {p}") if p in wide else entry for p, entry in enumerate(read.index))
        return self.order.may_be_early(self.step, replace(read, index=asked), axes, self.facts, storage.elements, is_of_group)

    def asker(self, may_miss: bool) -> int | None:
        """The one step that a view serves which may have fills for elements that are not there yet; a later step may use those elements."""
        return id(self.step) if may_miss else None

    @cached_property
    def facts_of_any_size(self) -> Facts:
        """What holds everywhere in the module, whatever the sizes: hyperparameters may be 0 too."""
        return replace(self.facts, least=tuple((name, 0) for name, _ in self.facts.least))

    def proves_nonnegative(self, value: Poly) -> bool:
        """Whether the polynomial cannot be negative inside the open loops."""
        return self.facts.inside(loop.axis for loop in self.loops).proves_nonnegative(value)

    def known_nonnegative(self, value: Poly) -> bool:
        """Whether the polynomial cannot be negative, by its coefficients and the ranges of the open loops alone."""
        for loop in reversed(self.loops):
            factor = value.coefficient(loop.axis.name)
            if factor is None:
                return False
            number = factor.constant
            if number is None:
                return False
            if number:
                bound = loop.axis.range.lower if number > 0 else loop.axis.range.upper
                value = value.substitute({loop.axis.name: bound})
        return all(c > 0 for _, c in value.terms)

    # ---- writing -------------------------------------------------------------------------------

    def write(self, statement: Statement) -> None:
        """Append a statement to the current block."""
        self.block.append(replace(statement, span=self.place))

    def is_first(self, local: str) -> bool:
        """Whether a local is assigned for the first time, which says what it holds where its value does not."""
        found = local not in self.assigned
        self.assigned.add(local)
        return found

    def hoist(self, depth: int, statement: Statement) -> None:
        """A statement at the level of `depth` open loops: before the loop that stands there, or here."""
        if depth < len(self.loops):
            self.loops[depth].before.append(replace(statement, span=self.place))
        else:
            self.write(statement)

    def view(self, key: object) -> str | None:
        """The local that holds a value made earlier, if it is visible here."""
        found = self.views.get(key)
        for loop in self.loops:
            found = found or loop.views.get(key)
        return found

    def define_view(self, depth: int, key: object, wanted: str, value: Value, is_given: bool = False) -> Local:
        """A local for a value, made once at the level of `depth` open loops; `is_given`: `wanted` was reserved for it."""
        found = self.view(key)
        if found is None:
            is_first = is_given and wanted not in self.assigned
            found = wanted if is_first else self.names.fresh(wanted)
            self.assigned.add(found)
            self.hoist(depth, Let(Local(value.form, found), value))
            (self.loops[depth - 1].views if depth else self.views)[key] = found
        return Local(value.form, found)

    @contextmanager
    def loop(self, axis: Axis) -> Iterator[OpenLoop]:
        """Open a loop: its body goes to a block of its own; what must stand before it is written when it closes."""
        opened = OpenLoop(axis, self.variable(axis.name))
        outer, self.block = self.block, []
        self.loops.append(opened)
        try:
            yield opened
        finally:
            self.loops.pop()
            self.block = outer

    def variable(self, wanted: str) -> str:
        """A loop variable: the same one again in a later loop over an index of that letter."""
        letter = index_letter(wanted)
        given = self.variables.setdefault(letter, [])
        inside = {loop.variable for loop in self.loops}
        found = next((variable for variable in given if variable not in inside), None)
        if found is None:
            found = self.names.fresh(letter)
            given.append(found)
        return found

    def reserve_variables(self, stages: Sequence[Stage]) -> None:
        """The letters of the loops that will be written, before anything else has them."""
        for stage in stages:
            if isinstance(stage, Loop):
                self.variable(stage.axis.name)
                self.reserve_variables(stage.body)

    # ---- new tensors -----------------------------------------------------------------------------

    @property
    def like(self) -> Value | None:
        """A real tensor whose dtype and device new tensors take."""
        for kind in (Kind.PARAMETER, Kind.BUFFER):
            for array in self.arrays.values():
                if array.kind is kind and array.element is Element.REAL:
                    return Owned(self.form(array), array.name)
        return self.input_like

    def is_checked(self, index: Expr, bounds: Range) -> bool:
        """Whether an index was checked to lie in the range it is used for, or is kept in it (`bound_reads`)."""
        match index.then if isinstance(index, Select) and own_part(index) else index:
            case Read(array=array):
                return (array, bounds) in self.checked
            case other:
                return is_kept_inside(other, bounds)

    def full(self, value: Value, element: Element, axes: tuple[str, ...], extents: Sequence[Value], batched: bool) -> Full:
        """A new tensor filled with a number."""
        return Full(Form(axes, batched and self.module.batched, element), value, tuple(extents))

    def arange(self, axis: Axis) -> Arange:
        """The values of an index over its range."""
        lower, stop = axis.range.lower, axis.range.upper + 1
        end: Value = self.poly(stop)
        if not self.known_nonnegative(stop - lower):  # `2 .. S` is empty where `S` is 0, and an index is not counted down
            end = Map(INTEGER, "maximum", (self.poly(lower), end))
        return Arange(Form((axis.name,), False, Element.INTEGER), self.poly(lower), end, index_letter(axis.name))


def is_kept_inside(index: Expr, bounds: Range) -> bool:
    """Whether an index is one that `bound_reads` keeps in its range, `clip(t - 1, 1, S)`."""
    match index:
        case Apply("clip", (_, IndexValue(lower), IndexValue(upper))):
            return Range(lower, upper) == bounds
        case _:
            return False


def waiting(rank: int) -> tuple[str, ...]:
    """The names of axes that wait for their indices."""
    return tuple(f"?{place}" for place in range(rank))


def listed(form: Form, holds: Holds = Holds.LIST) -> Form:
    """The form of a list (or table) of tensors of a form."""
    return replace(form, holds=holds)
