r"""The values of a tensor program: tensors with named axes, numbers, lists and tables of tensors.

    product(j: W * h_at[t - 1], + a_at[t])     axes (i), with batch axes

A tensor's storage is its leading batch axes (if `batch`), then its `axes` in order. An operand whose axes stand in another order than
its result's, or that has fewer, is brought into line by whoever prints or interprets the program; `Expand` and `Permute` stand where the
extents or the order of the result matter. Numbers are Python numbers: literals, settings, and polynomials over sizes and the indices of
open loops. An axis that waits for its index is called `?0`, `?1`, … by its position.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Axis, Element
from mathdsl.ir.sizes import Poly

# ---- what values hold ----------------------------------------------------------------------------


class Holds(Enum):
    """What a value is at run time."""

    TENSOR = "tensor"
    NUMBER = "number"
    LIST = "list"  # of tensors, or of lists of them
    TABLE = "table"  # from an index (or several) to a tensor


@dataclass(frozen=True, slots=True)
class Form:
    """The axes of a tensor, whether batch axes stand before them, and what its elements are; of a list or table, its elements' form."""

    axes: tuple[str, ...]
    batch: bool
    element: Element
    holds: Holds = Holds.TENSOR


INTEGER = Form((), False, Element.INTEGER, Holds.NUMBER)
TRUTH = Form((), False, Element.BOOLEAN, Holds.NUMBER)


def number(element: Element) -> Form:
    """The form of a Python number."""
    return Form((), False, element, Holds.NUMBER)


@dataclass(frozen=True, slots=True)
class Node:
    """A value; each has a form."""

    form: Form

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes after the batch axes."""
        return self.form.axes

    @property
    def batch(self) -> bool:
        """Whether batch axes stand before the others."""
        return self.form.batch

    @property
    def element(self) -> Element:
        """What the elements are."""
        return self.form.element

    @property
    def scalar(self) -> bool:
        """Whether it is a Python number, no tensor."""
        return self.form.holds is Holds.NUMBER


# ---- numbers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number or a truth value: `0.5`."""

    value: float | int | bool


@dataclass(frozen=True, slots=True)
class Setting(Node):
    """A scalar argument of the constructor (of a function: its own): `p`."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer(Node):
    """A polynomial over sizes and the indices of open loops; where some of its names are tensors (`parts`), a tensor: `S+1`."""

    value: Poly
    parts: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Extent(Node):
    """The extent of one dimension: `x.shape[-2]`; `place` counts from the last, -1: `extent(Q, -2)`."""

    of: Value
    place: int


@dataclass(frozen=True, slots=True)
class Length(Node):
    """How many elements a list has: `length(x)`."""

    of: Value


@dataclass(frozen=True, slots=True)
class All(Node):
    """Whether all tests hold; the first that does not decides: `all((t < n), (0 < t))`."""

    tests: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Nothing(Node):
    """No value: an argument or lengths that are left out: `nothing`."""


# ---- what is there -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Local(Node):
    """A local: an input, a value that a statement assigned, a variable of a loop: `x`."""

    name: str


@dataclass(frozen=True, slots=True)
class Owned(Node):
    """A parameter or buffer, by its array's name: `W`."""

    array: str


@dataclass(frozen=True, slots=True)
class Own(Node):
    """Each example's own value of a size, a tensor over the batch axes; nothing where all examples fill their padding: `own(S)`."""

    size: str


@dataclass(frozen=True, slots=True)
class At(Node):
    """An element of a table or list: `h_at[t-1]`; of a table that may miss it, with the `default` then."""

    of: Value
    keys: tuple[Value, ...]
    default: Value | None = None


# ---- new tensors ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Full(Node):
    """A new tensor, `value` everywhere; `extents` are those of its axes: `full(0.0, n, d)`."""

    value: Value
    extents: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Arange(Node):
    """The values of an index over its range, from `start` to before `stop`; `letter` is how the index is written: `arange(1, S+1, t)`."""

    start: Value
    stop: Value
    letter: str


@dataclass(frozen=True, slots=True)
class OwnValues(Node):
    """Each example's own value of a size as a tensor, also where no lengths are given: `ownvalues(S)`."""

    size: str


# ---- elementwise ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Map(Node):
    """An elementwise operation, a row of `mathdsl.ops.ELEMENTWISE`, on tensors and numbers: `cos(x)`."""

    op: str
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Mix(Node):
    """`weight * end + (1 - weight) * start`: `mix(u, h, g)`."""

    start: Value
    end: Value
    weight: Value


@dataclass(frozen=True, slots=True)
class Where(Node):
    """`then` where the condition holds, else `otherwise`; both are computed: `where((x > a), x, (a * x))`."""

    condition: Value
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """`then` if the test, a number, holds, else `otherwise`; only one is computed: `choose((1 <= t-1), f_at[t-1], full(1.0, d_h))`."""

    test: Value
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True)
class Mask(Node):
    """The value inside each example's own part of an axis (`own size + extra` elements), `fill` behind it: `mask(x, S, n, 0)`."""

    value: Value
    size: str
    axis: str
    fill: Value
    extra: Value | None


@dataclass(frozen=True, slots=True)
class Keep(Node):
    """The value of examples whose own size is at least `least`, `fill` of others; `any_size`: also where no lengths are given.

    For example `keep(D_at[i-1], n, i, 0.0)`.
    """

    value: Value
    size: str
    least: Value
    fill: Value
    any_size: Value | None


@dataclass(frozen=True, slots=True)
class CheckedIndex(Node):
    """Indices kept inside `lower .. upper`; an error where one is `wanted` (None: everywhere) and outside, or beyond its example's `last`.

    For example `checkedindex(y, z, 1, L, (s <= 2))` and `checkedindex(x, j, 0, n-1, x_last)`.
    """

    array: str
    index: Value
    lower: Value
    upper: Value
    wanted: Value | None
    last: Value | None


# ---- whole axes ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contract(Node):
    """The sum of the product of any number of factors over those axes that the form does not keep: `contract(j: A * x * y)`.

    `over` are the axes of all factors, outermost first. What lowering makes of sums; `plan_contractions` makes products of it.
    """

    factors: tuple[Value, ...]
    over: tuple[Axis, ...]

    @property
    def summed(self) -> tuple[str, ...]:
        """The axes that are summed, outermost first."""
        return tuple(axis.name for axis in self.over if axis.name not in self.axes)


class Way(Enum):
    """How a product is computed."""

    LINEAR = "linear"  # of data and a matrix that has the summed axis last
    MATRIX = "matrix"  # a matrix product, each side with at most one axis that is not shared
    EINSUM = "einsum"  # any other


@dataclass(frozen=True, slots=True)
class Product(Node):
    """The product of two factors, summed over axes that both have, in one operation, which also adds the `addend`: `product(j: x * W)`."""

    factors: tuple[Value, Value]
    summed: tuple[str, ...]
    way: Way
    addend: Value | None = None


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """A reduction over one axis, a row of `mathdsl.ops.REDUCTIONS`; positions count from 0: `sum(i: x)`."""

    op: str
    value: Value
    axis: str


@dataclass(frozen=True, slots=True)
class Along(Node):
    """An operation along one axis, a row of `mathdsl.ops.ALONG`: `softmax(i: s, own(S_k))`.

    `own`: of each example's own part alone, as many elements as it has of a size and `extra`; behind it stands what the row says.
    """

    op: str
    value: Value
    axis: str
    own: str | None = None
    extra: Value | None = None


@dataclass(frozen=True, slots=True)
class Nonempty(Node):
    """The value, with an element along an axis: an error where there is none, or without a `text` a harmless one.

    For example `nonempty((delta * a), i)`.
    """

    value: Value
    axis: str
    text: str | None


# ---- axes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expand(Node):
    """The value with all axes of its form at full extent, and with batch axes where the form has them: `expand(h_0){..., i}`."""

    value: Value
    extents: tuple[Value | None, ...]  # None: that of the value


@dataclass(frozen=True, slots=True)
class Permute(Node):
    """The value with its axes in the order of its form: `permute(o){..., ?1, ?0, ?2}`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Merge(Node):
    """The axes from one place to another one (inclusive) as one axis: `merge(W_Q, 0, 1)`."""

    value: Value
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Split(Node):
    """The last axis as several ones: `split(product(i: k * merge(W_K, 0, 1)), H, r)`."""

    value: Value
    extents: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Pick:
    """One position; the axis goes."""

    position: Value


@dataclass(frozen=True, slots=True)
class Cut:
    """The positions from `start` (None: the first) to before `stop` (None: the end; negative: from the end)."""

    start: Value | None
    stop: Value | None


@dataclass(frozen=True, slots=True)
class Gather:
    """The positions that a tensor of integers holds: its axes stand for the axis."""

    index: Value


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new axis of extent 1."""


Entry: TypeAlias = Pick | Cut | Gather | Fresh | None


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """The value read at one entry for each of its axes; None keeps an axis, under the name that the form gives it: `h[C:, :]`."""

    value: Value
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Flip(Node):
    """The value with an axis the other way round: `flip(x, 0)`."""

    value: Value
    place: int


@dataclass(frozen=True, slots=True)
class Narrow(Node):
    """The first `count` elements of an axis: `narrow(x, 0, n)`."""

    value: Value
    place: int
    count: Value


@dataclass(frozen=True, slots=True)
class Lookup(Node):
    """Elements of a table without batch axes at positions of its first axis: `lookup(E, x)`."""

    table: Value
    index: Value


@dataclass(frozen=True, slots=True)
class Take(Node):
    """Elements along an axis at positions that share axes (or the batch) with the tensor.

    `labels` name the axes of the tensor; the one that is read has the name `hole`. `lead`: axes of the index that stand before them.
    `may_be_empty`: nothing is wanted where the axis has no element. For example `take(x, checkedindex(x, j, 0, n-1, x_last), ?, ?)`.
    """

    value: Value
    index: Value
    labels: tuple[str, ...]
    hole: str
    lead: tuple[str, ...]
    may_be_empty: bool


@dataclass(frozen=True, slots=True)
class OwnSelect(Node):
    """One element along an axis: `position`, or each example's own size plus `offset`: `ownselect(D_2, 0, n, n)`."""

    value: Value
    place: int
    position: Value
    size: str
    offset: Value | None


@dataclass(frozen=True, slots=True)
class OwnLast(Node):
    """The last element of `rest` along an axis, each example's own; `first` where there is none: `ownlast(h_0_at[i], h_at[i], 0, S)`."""

    first: Value
    rest: Value
    place: int
    size: str


@dataclass(frozen=True, slots=True)
class OwnElement(Node):
    """Each example's own element of a table: at its own size plus `shift`; `is_common`: the elements have no batch axes.

    For example `ownelement(h_at, S, S, 0)`.
    """

    table: Value
    index: Value
    size: str
    shift: int
    is_common: bool


# ---- lists and tables ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unbind(Node):
    """The list of a tensor's elements along an axis; along several, lists in lists. `rows` are the variables for them: `unbind(W, 0)`."""

    value: Value
    places: tuple[int, ...]
    rows: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk(Node):
    """The list of `count` equal parts of a tensor along an axis: `chunk(y, 2, 0)`."""

    value: Value
    count: int
    place: int


@dataclass(frozen=True, slots=True)
class Each(Node):
    """The list of a value for each value of a variable from `start` (None: 0) to before `stop`; `axis` is it in polynomials.

    For example `each(k, k, 1, S+1, h_at[k])`.
    """

    variable: str
    axis: str
    start: Value | None
    stop: Value
    value: Value


@dataclass(frozen=True, slots=True)
class Entries(Node):
    """The table of elements of another table, by a variable from `start` to before `stop`; `is_partial`: of those that it has.

    For example `entries(k, 0, S+1, h_at[k, n])`.
    """

    variable: str
    start: Value
    stop: Value
    value: At
    is_partial: bool


@dataclass(frozen=True, slots=True)
class Stack(Node):
    """The tensors of a list along a new axis; `empty` is what one of them would be like, where there may be none.

    For example `stack(each(k, k, 1, S+1, h_at[k]), 0, h_at[0])`.
    """

    items: Value
    place: int
    empty: Value | None = None


@dataclass(frozen=True, slots=True)
class Join(Node):
    """Tensors one after the other along an axis: `join(c, x, 0)`."""

    parts: tuple[Value, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Group(Node):
    """Several values together: a tuple: `(h, c)`."""

    items: tuple[Value, ...]


# ---- calls ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnOver(Node):
    """Each example's own value of a size plus `extra`, over more batch axes: `ownover(S, C)`."""

    size: str
    extra: Value
    extents: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Submodule(Node):
    """The result of a submodule: `at` is the element of a stack; `lengths` are by the callee's sizes (one alone where `is_single`).

    For example `f[ell-1](y)`.
    """

    path: str
    at: Value | None
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    lengths: tuple[tuple[str, Value], ...]
    has_single_length: bool
    is_random: bool


_Number: TypeAlias = Constant | Setting | Integer | Extent | Length | All | Nothing
_There: TypeAlias = Local | Owned | Own | At | Full | Arange | OwnValues
_Elementwise: TypeAlias = Map | Mix | Where | Choose | Mask | Keep | CheckedIndex
_WholeAxes: TypeAlias = Contract | Product | Reduce | Along | Nonempty
_Axes: TypeAlias = Expand | Permute | Merge | Split | Slice | Flip | Narrow | Lookup | Take | OwnSelect | OwnLast | OwnElement
_Several: TypeAlias = Unbind | Chunk | Each | Entries | Stack | Join | Group
Value: TypeAlias = _Number | _There | _Elementwise | _WholeAxes | _Axes | _Several | OwnOver | Submodule
