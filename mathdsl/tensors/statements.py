r"""A tensor program: the statements of one `forward` (or function) over values with named axes.

    z = sigmoid(product(j: h_at[t - 1] * U, + W_x_at[t]))

Statements assign locals (tensors, lists, tables from an index to a tensor), loop, branch, call submodules, check, and return. What is
decided here: which contraction is which product, what is kept as a table or list, what is computed once. How a statement is spelled is
the back end's business.
"""

from __future__ import annotations

from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.nodes import Input, Origin, Range, Result, ResultTuple
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span
from mathdsl.tensors.values import At, Local, Value

# ---- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shape:
    """What is said of a tensor beside its statement."""

    ranges: tuple[Range, ...]
    batch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A statement; `span` is the place of the author's text that it computes."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment(Line):
    """The author's equations, which the next statement computes: `# [W ; V] x`."""

    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class Blank(Line):
    """The end of what is done with inputs."""


@dataclass(frozen=True, slots=True)
class Declare(Line):
    """A local that is assigned later: a tensor or a list; `may_be_missing`: nothing, before that: `declare h`."""

    local: Local
    may_be_missing: bool = False


@dataclass(frozen=True, slots=True)
class Let(Line):
    """`local = value`; `is_declared` also says what the local holds: `h{..., i} = x`."""

    local: Local
    value: Value
    note: Shape | None = None
    is_declared: bool = False


@dataclass(frozen=True, slots=True)
class NewTable(Line):
    """A new table with `keys` indices: empty, or with a first element, or with the elements of a list from the index `start` on.

    For example `table h_at`.
    """

    table: Local
    keys: int
    first: tuple[tuple[Value, ...], Value] | None = None
    items: tuple[Value, Value] | None = None  # a list, and its first index
    note: Shape | None = None


@dataclass(frozen=True, slots=True)
class Store(Line):
    """An element of a table: `h_at[t, 0]{..., i} = h_t`."""

    element: At
    value: Value
    note: Shape | None = None


@dataclass(frozen=True, slots=True)
class StoreAll(Line):
    """The elements of a list, from the index `start` on, into a table: `D_0_at[1..] = unbind(expand(c){..., i}, 0)`."""

    table: Local
    items: Value
    start: Value


@dataclass(frozen=True, slots=True)
class NewList(Line):
    """A new list without elements: `list h`."""

    local: Local


@dataclass(frozen=True, slots=True)
class Append(Line):
    """One more element of a list: `append h: x`."""

    local: Local
    value: Value


@dataclass(frozen=True, slots=True)
class Receive(Line):
    """The results of a call that gives several: `targets` by `pattern`, None for one that is dropped: `h, r = f(v, s_0)`."""

    targets: tuple[Local | At | None, ...]
    pattern: Result | ResultTuple
    value: Value
    notes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Run(Line):
    """A call whose result is dropped: `f(x)`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Loop(Line):
    """The body for each index of `axis`, a name in polynomials, from `start` (None: 0) to before `stop`, or down to behind it.

    For example `for t from 1 to below S+1`.
    """

    axis: str
    variable: str
    start: Value | None
    stop: Value
    is_descending: bool
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForEach(Line):
    """The body for each element of a list; its index counts from `start` (None: 0) and is `axis` in polynomials.

    For example `for t from 1, h_t in unbind(x, 0)`.
    """

    axis: str
    variable: str
    item: str
    items: Value
    start: Value | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Between(Line):
    """The body in those turns of a loop whose index lies between bounds (None: none on that side): `if 2 <= t`."""

    index: Value
    lower: Value | None
    upper: Value | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class IfMissing(Line):
    """One body where an input was left out, another one where it is there: `if h_0 is missing`."""

    of: Local
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return(Line):
    """The result; lists and tuples of values where there are several: `return y`."""

    value: Value


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of `forward`: its name, and the inputs that it holds with their locals."""

    name: str
    members: tuple[tuple[Input, Local], ...]
    is_tuple: bool

    @property
    def is_optional(self) -> bool:
        """Whether it may be left out."""
        return all(member.default is not None for member, _ in self.members)


# ---- checks and what is read from inputs -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assert(Line):
    """A condition of the author's, and where it stands: `assert (m <= 1.0)`."""

    condition: Value
    origin: Origin


@dataclass(frozen=True, slots=True)
class UnpackInput(Line):
    """The members of an argument that is a tuple; of one that may be left out, nothing then: `h, c = h_c`."""

    argument: Argument


@dataclass(frozen=True, slots=True)
class CheckSize(Line):
    """A size that is an argument: a number: `check S is a size`."""

    local: Local


@dataclass(frozen=True, slots=True)
class Extents:
    """The extents that an input must have: None for one that is read from it, as the batch axes are where `any_batch`."""

    axes: tuple[Value | None, ...]
    any_batch: bool


@dataclass(frozen=True, slots=True)
class CheckInput(Line):
    """An input is a tensor of its element type and of its declared shape: `check x is real (..., _)`."""

    value: Local
    shape: Shape
    extents: Extents


@dataclass(frozen=True, slots=True)
class CheckList(Line):
    """An input is a list of `count` such tensors; the author calls their number `symbol`. `place` and `item` are the variables for them.

    For example `check h_0 is a list of n, real (batch, d)`.
    """

    value: Local
    symbol: Poly
    count: Value
    shape: Shape
    extents: Extents
    place: str
    item: str


@dataclass(frozen=True, slots=True)
class CheckRange(Line):
    """All elements of an integer input lie in `lower .. upper`: `check x in 0..V-1`."""

    label: str
    value: Value
    lower: Value
    upper: Value


@dataclass(frozen=True, slots=True)
class CheckOwnRange(Line):
    """They also lie within each example's own size (plus `extra`): `check x in 1..own(S)`."""

    label: str
    value: Value
    size: str
    lower: Value
    extra: int


@dataclass(frozen=True, slots=True)
class BatchShape(Line):
    """The extents of the batch axes: those before the axes of an input; none where `of` is None, or is missing or an empty list.

    For example `batch = the batch axes of Q`.
    """

    name: str
    of: Local | None
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Lengths(Line):
    """Each example's own values of sizes, as the caller gave them: `own(T), own(S) = lengths`."""

    sizes: tuple[str, ...]
    like: Value


@dataclass(frozen=True, slots=True)
class OwnSize(Line):
    """Each example's own value of a size that follows from others; nothing where one of those has no lengths.

    For example `own(n_2) = minimum(C+S′, S_max-1)`.
    """

    size: str
    bases: tuple[str, ...]
    value: Value


Statement: TypeAlias = (
    Comment
    | Blank
    | Declare
    | Let
    | NewTable
    | Store
    | StoreAll
    | NewList
    | Append
    | Receive
    | Run
    | Loop
    | ForEach
    | Between
    | IfMissing
    | Return
    | Assert
    | UnpackInput
    | CheckSize
    | CheckInput
    | CheckList
    | CheckRange
    | CheckOwnRange
    | BatchShape
    | Lengths
    | OwnSize
)


@dataclass(frozen=True, slots=True)
class TensorProgram:
    """One `forward` or function.

    `arrays`, `tables`: the locals that hold arrays, whole or by elements. `sizes`: where each size comes from that its statements speak
    of (a local, or the extent of one). `own`: the locals that hold each example's own sizes. `like`: a real tensor that new tensors share
    type and device with; `any_input`: one that they share the device with. `batch`: the local with the extents of the batch axes, where
    there are any. `is_random`: it draws random numbers, itself or in a submodule.
    """

    module: str
    arguments: tuple[Argument, ...]
    arrays: tuple[tuple[str, str], ...]
    tables: tuple[tuple[str, str], ...]
    sizes: tuple[tuple[str, Value], ...]
    own: tuple[tuple[str, str], ...]
    batch: str | None
    like: Value | None
    any_input: Value | None
    takes_lengths: bool
    is_random: bool
    statements: tuple[Statement, ...]
