r"""The intermediate representation: a module is a system of recurrence equations over typed index axes.

**Arrays** are functions from index points to scalars. Each axis of an array has a `Range`: a lower and an upper bound,
both inclusive, polynomials over size names (`h` over `0 .. S`). Everything is scalar at heart: a matrix-vector product
is an equation with a `Reduce`::

    h[t, i] = tanh(sum(j in 0..d_h-1: W_h[i, j] * h[t-1, j]) + b[i])      for t in 1..S, i in 0..d_h-1

so that vectors, sequences, stacks, heads and batches are all axes, and a product over positions and a product over
features are the same thing. The torch backend finds the contractions again.

**Equations** define array elements. An array may be defined by several equations with disjoint domains (`h[0, i] = …`
and `h[t, i] = …` for `1 <= t`); concatenation, padding and stacking are nothing but that.

**Axes** are index variables. Every axis object has a name that is unique in its module (`t`, `j`, `j_1`), and no axis
has the name of a size. Bounds may mention sizes and axes further out.

**Calls** apply a submodule to whole arrays; they are what is left of a module call that is not inlined.

Sizes that appear in a parameter are hyperparameters; those that only inputs have are run-time sizes, and may differ
between the examples of a batch (ragged). Before `batch_axes`, a program speaks of one example. After it, arrays with
`batch=True` carry any number of leading batch axes, run-time sizes are the padded extents, and an `OwnSize` is what an
example has itself of one. A `Select` by `index within bound` (`t within S′`) then says where the two part: what holds in the
example's own part of an axis, and what fills its padding. For an example that fills its padding the condition holds.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span


class Element(Enum):
    """What an array holds."""

    REAL = "real"
    INTEGER = "integer"
    BOOLEAN = "boolean"


class Kind(Enum):
    """Where an array comes from."""

    INPUT = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    VALUE = "value"  # defined by equations or calls


@dataclass(frozen=True, slots=True)
class Range:
    """`lower .. upper`, inclusive; empty where `upper < lower`."""

    lower: Poly
    upper: Poly

    @property
    def extent(self) -> Poly:
        return self.upper - (self.lower - 1)


@dataclass(frozen=True, slots=True)
class Axis:
    """An index variable and the range it runs over."""

    name: str
    range: Range


@dataclass(frozen=True, slots=True)
class Array:
    """A declared array.

    `name` is unique in its module. For parameters and buffers it is the attribute path (`T_f.W_h`, `f.W` for the
    parameter of a stack's elements is never seen: stack elements are called). `python` is the name in the generated code.
    `latex` is how the author writes it. `listed` says that axis 0 is a Python list on the outside (inputs and
    results: a list of states); it changes nothing inside. `batch`: carries leading batch axes (after `batch_axes`).
    """

    name: str
    kind: Kind
    element: Element
    ranges: tuple[Range, ...]
    python: str
    latex: str
    listed: bool = False
    batch: bool = False
    description: str = ""
    span: Span = field(default=NOWHERE, compare=False, repr=False)


# ---- expressions: each has the type of one scalar at one index point ---------------------------


class Walked:
    """An expression that keeps what was found once: what is inside it (`walk`), what it reads (`reads`), and where (`placed`)."""

    __slots__ = ("inside", "places", "read")
    inside: tuple[Expr, ...]
    read: tuple[Read, ...]
    places: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Literal(Walked):
    """A number or a truth value. Reals are Python floats (`inf` allowed), integers ints, booleans bools."""

    value: float | int | bool

    @property
    def element(self) -> Element:
        if isinstance(self.value, bool):
            return Element.BOOLEAN
        return Element.INTEGER if isinstance(self.value, int) else Element.REAL


@dataclass(frozen=True, slots=True)
class IndexValue(Walked):
    """An index expression as an integer value: `t`, `S - t`, `d_k`."""

    value: Poly


@dataclass(frozen=True, slots=True)
class Setting(Walked):
    """A scalar constructor argument (`p`), read as a real, integer or boolean."""

    name: str
    element: Element


@dataclass(frozen=True, slots=True)
class Read(Walked):
    """One element of an array: an index an axis, a polynomial over axes and sizes, or an integer expression (gather).

    `element` is the array's, repeated so that expressions know their own type.
    """

    array: str
    index: tuple[Index, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class Apply(Walked):
    """An elementwise operation, a row of `mathdsl.ops.ELEMENTWISE` (`add`, `tanh`, `less`, `to_real`, `dropout`)."""

    op: str
    arguments: tuple[Expr, ...]
    element: Element


@dataclass(frozen=True, slots=True)
class Reduce(Walked):
    """`sum`, `prod`, `max`, `min`, `mean`, `argmax`, `argmin`, `any`, `all`, `logsumexp` of the body over one axis.

    The empty range: sum 0, prod 1, any false, all true, logsumexp -inf; the others raise at run time.
    `argmax` counts in the axis's own domain. A restriction (`\\sum_{j \\neq i}`) is a `Select` in the body.
    """

    op: str
    axis: Axis
    body: Expr
    element: Element


@dataclass(frozen=True, slots=True)
class Along(Walked):
    """An operation on whole axes whose result has the same axes: `softmax`, `log_softmax`, `cumsum`, read at one point.

    `body` is a function of `axis`; the value is element `at` of the operation's result over the range of `axis`.
    """

    op: str
    axis: Axis
    body: Expr
    at: Index
    element: Element


@dataclass(frozen=True, slots=True)
class Select(Walked):
    """`then` where the condition holds, else `otherwise`; the branch that is not taken is never evaluated.

    No gradient (and no NaN) leaks from the branch not taken: the backend guards partial operations in it.
    """

    condition: Expr
    then: Expr
    otherwise: Expr
    element: Element


Expr: TypeAlias = Literal | IndexValue | Setting | Read | Apply | Reduce | Along | Select
Index: TypeAlias = Poly | Expr

# ---- equations ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Origin:
    """The author's equation: its LaTeX (one line), its place, the comment and tag beside it, the elements it reads and where.

    `indices`: how many its left side has, `2` of `c_{t,k}`, which may be a vector; None where it has none of its own.
    """

    latex: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    comment: str = ""
    tag: str = ""
    reads: tuple[tuple[str, Span], ...] = field(default=(), compare=False, repr=False)
    indices: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Equation:
    """`target[index] = value` for every point of `axes` (outermost first).

    Each entry of `index` is one of the axes alone, or a polynomial without axes (`h[0, i]`, `h[S, i]`).
    Each axis occurs exactly once in `index`.
    """

    target: str
    axes: tuple[Axis, ...]
    index: tuple[Poly, ...]
    value: Expr
    origin: Origin


@dataclass(frozen=True, slots=True)
class Abstraction:
    """A whole array as an expression of its axes: an argument of a call, or a result."""

    axes: tuple[Axis, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Argument:
    """A call's argument: the callee's input (by the callee's array name) and the value, an array over `value.axes`."""

    input: str
    value: Abstraction


@dataclass(frozen=True, slots=True)
class Call:
    """`targets = submodule[at](arguments)` for every point of `axes`.

    `axes` are map or loop axes outside the callee (they become batch axes of the callee, or a loop). `submodule` names a
    `Submodule`; `at` is the element of a stack (None for a single one). `sizes` gives, in the caller's, those sizes of the callee
    that are no arguments of its constructor. A callee that returns several values has several targets (flattened); None drops one.
    An argument that is missing takes the callee's default. For an opaque submodule (callee None) `Argument.input` is the position,
    "0", "1", ….
    """

    targets: tuple[CallTarget | None, ...]
    axes: tuple[Axis, ...]
    submodule: str
    at: Poly | None
    arguments: tuple[Argument, ...]
    sizes: tuple[tuple[str, Poly], ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class CallTarget:
    """Where one result goes: `index` has an entry for each axis of `array`.

    A `Poly` (one of the call's axes alone, or without axes) where the call's own index goes, a `Range` (in the
    array's own bounds) where a whole axis of the callee's result goes; these take the callee's axes in order.
    """

    array: str
    index: tuple[Poly | Range, ...]


Step: TypeAlias = Equation | Call

# ---- schedules: data that a pass chooses -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Whole:
    """One step for all its points at once."""

    step: Step


@dataclass(frozen=True, slots=True)
class Loop:
    """A sequential loop over `axis` (down where `descending`); its steps use this very axis as their loop index.

    A step whose own range of the axis is narrower than the loop's runs only there: `guards` holds, for each stage of
    the body, the range where it differs from the loop's (None: always).
    """

    axis: Axis
    descending: bool
    body: tuple[Stage, ...]
    guards: tuple[Range | None, ...]


Stage: TypeAlias = Whole | Loop

# ---- modules -----------------------------------------------------------------------------------


class SizeKind(Enum):
    """Hyperparameters are constructor arguments; run-time sizes are read from inputs."""

    HYPERPARAMETER = "hyperparameter"
    RUNTIME = "run-time size"


@dataclass(frozen=True, slots=True)
class Extreme:
    """The least (`minimum`) or the greatest (`maximum`) of polynomials in sizes; of a single one it is that.

    `floor_div`: the quotient of two, the second a number, without what is left over; the first is not negative.
    `pow`: a number from 2 on to the power of a polynomial that is not negative.
    """

    op: str
    of: tuple[Poly, ...]


@dataclass(frozen=True, slots=True)
class Size:
    r"""A named size. `name` is its Python name and the name inside every `Poly`.

    `common`: all examples of a batch share it, for it bounds an index type (a vocabulary, a number of classes), or is no more than a
    number of features, `d` of `Q \in \mathbb{R}^{n \times d}`.
    `value`: the size is that of others, and nobody gives it: a hyperparameter of hyperparameters is computed when the instance is
    built, a run-time size when it is called. `default`: what a hyperparameter is where it is not given.
    """

    name: str
    kind: SizeKind
    latex: str
    description: str = ""
    common: bool = False
    value: Extreme | None = None
    default: int | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers between two ends, each of which is one of them or not: `[0, 1)`; None is no end."""

    lower: float | None = None
    upper: float | None = None
    has_lower: bool = True
    has_upper: bool = True

    def __contains__(self, value: float) -> bool:
        above = self.lower is None or self.lower < value or self.has_lower and value == self.lower
        return above and (self.upper is None or value < self.upper or self.has_upper and value == self.upper)

    def __str__(self) -> str:
        lower, upper = ("" if end is None else repr(end).removesuffix(".0") for end in (self.lower, self.upper))
        return f"{'[' if lower and self.has_lower else '('}{lower or '-inf'}, {upper or 'inf'}{']' if upper and self.has_upper else ')'}"


EVERYWHERE = Interval()


@dataclass(frozen=True, slots=True)
class SettingDeclaration:
    """A scalar constructor argument. `default` None: required. `interval`: where it lies."""

    name: str
    element: Element
    default: float | int | bool | None
    latex: str
    interval: Interval = EVERYWHERE
    description: str = ""


@dataclass(frozen=True, slots=True)
class Initialiser:
    """How `reset_parameters` fills a parameter: `uniform(a, b)`, `normal(mean, std)`, `xavier`, `kaiming`, `orthogonal`,
    `constant(c)`, `linear` (the default of torch.nn.Linear for a matrix), `zeros`. Arguments are scalar expressions without reads
    (literals, settings, sizes as `IndexValue`, elementwise operations of those).

    `element_axes`: how many trailing axes one element of a family has (the fan-in is one element's); the leading ones
    are looped over.
    """

    kind: str
    arguments: tuple[Expr, ...] = ()
    element_axes: int | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A trainable array, or a buffer with its value."""

    array: str
    initialiser: Initialiser


class Structure(Enum):
    """The Python shape of an input or result."""

    TENSOR = "tensor"
    LIST = "list"  # axis 0 is a Python list


@dataclass(frozen=True, slots=True)
class Input:
    """An argument of `forward`. Inputs with the same `tuple_of` (≥ 0) come together as one tuple argument.

    `default`: the value of every element where the argument is left out (`h_0 = 0`), None where it is required.
    `shared`: has no batch axes. `is_empty`: where it is left out, run-time sizes that only it has are 0. An input with
    the name of a run-time size gives that size: a Python integer, for all examples of a batch.
    """

    array: str
    structure: Structure = Structure.TENSOR
    default: Literal | None = None
    shared: bool = False
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """One returned value: an array over `value.axes`; with `LIST`, the first axis is a Python list."""

    name: str
    value: Abstraction
    structure: Structure = Structure.TENSOR


@dataclass(frozen=True, slots=True)
class ResultTuple:
    """A tuple of results, nested as the author wrote it."""

    items: tuple[Result | ResultTuple, ...]


@dataclass(frozen=True, slots=True)
class StackPart:
    """`f^{lower} … f^{upper} \\in callee(arguments)`: a run of a stack whose elements are built alike.

    `arguments`: constructor argument of the callee → size in the caller's sizes, or setting.
    """

    range: Range
    arguments: tuple[tuple[str, Poly | Setting | Literal], ...]


@dataclass(frozen=True, slots=True)
class Submodule:
    """A module that an instance owns.

    `path` is its attribute (`T_f`, `f`, after inlining `cell.Linear`). `callee` names a `Module` of the program, a
    library module, or is None for an opaque one that the constructor takes. A single one has one part without meaning
    of its range; a stack (`is_stack`) is a `ModuleList` whose element `lower` comes first.
    """

    path: str
    callee: str | None
    is_stack: bool
    parts: tuple[StackPart, ...]
    latex: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    r"""`\Assert c`: a condition for every point of `axes`."""

    axes: tuple[Axis, ...]
    condition: Expr
    origin: Origin


@dataclass(frozen=True, slots=True)
class Module:
    """A class of the generated file: inputs, what it owns, a system of equations, results.

    `steps` is an unordered system (kept in the author's order). `ragged`: the run-time sizes that `lengths=` may give per example (after
    `batch_axes`). `python` is its name as Python writes it (`f_prime` for `f'`), '' where that is the name. `latex` is the mathematics as
    the author wrote it, for the docstring. `library`: the torch.nn class this module stands for, '' for the author's own. `is_function`: a
    top-level function (`loss`), no class. `returned`: the statement that says what is returned, without its LaTeX where it only names
    arrays.
    """

    name: str
    sizes: tuple[Size, ...]
    settings: tuple[SettingDeclaration, ...]
    arrays: tuple[Array, ...]
    inputs: tuple[Input | tuple[Input, ...], ...]
    parameters: tuple[Parameter, ...]
    submodules: tuple[Submodule, ...]
    steps: tuple[Step, ...]
    results: Result | ResultTuple
    checks: tuple[Check, ...] = ()
    ragged: tuple[str, ...] = ()
    batched: bool = False
    is_function: bool = False
    library: str = ""
    python: str = ""
    latex: str = ""
    description: str = ""
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    returned: Origin = field(default=Origin(""), compare=False, repr=False)

    def array(self, name: str) -> Array:
        """The array of that name; a KeyError where there is none."""
        for array in self.arrays:
            if array.name == name:
                return array
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class ScheduledModule(Module):
    """A module whose steps have an order: `schedule` holds every step exactly once."""

    schedule: tuple[Stage, ...] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Program:
    """The modules and functions of one document, callees before or after callers, in the document's order.

    `library` holds the library modules that the program uses, by name.
    """

    modules: tuple[Module, ...]
    library: tuple[Module, ...] = ()

    def module(self, name: str) -> Module:
        """The module of that name, of the document or of the library; a KeyError where there is none."""
        for module in (*self.modules, *self.library):
            if module.name == name:
                return module
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class ScheduledProgram(Program):
    """A program whose own modules have their schedules; library modules are torch's."""

    modules: tuple[ScheduledModule, ...]
