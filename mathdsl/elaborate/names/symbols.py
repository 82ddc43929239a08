"""Symbols: what the names of one program stand for while it is elaborated."""

from __future__ import annotations

from enum import Enum, auto

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.types.shapes import ElementUnknown, Shape, unknown_shape
from mathdsl.ir.nodes import EVERYWHERE, Element, Interval, Literal, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax import nodes as ast


class Role(Enum):
    """What a symbol is."""

    INPUT = "input"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    VALUE = "value"
    SETTING = "setting"


class Source(Enum):
    r"""Where a symbol, or its shape, comes from."""

    DEFINITION = auto()
    HEADER = auto()
    TABLE = auto()  # its name stands in a row, which need not give a type
    DECLARATION = auto()  # its type is written
    USES = auto()  # its uses alone
    MATRIX_BY_LETTER = auto()
    VECTOR_BY_LETTER = auto()
    NUMBER_BY_LETTER = auto()
    EXPRESSION = auto()  # a name of ours for `\softmax(z)` in `\softmax(z)[y]`
    CALLEE = auto()  # a setting of a submodule, passed on
    PADDING = auto()  # the setting for the padding token


@dataclass(frozen=True, eq=False)
class WrittenInitialiser:
    """How a parameter starts; the arguments are expressions, read once all settings are known."""

    kind: str
    arguments: tuple[ast.Expression, ...] = ()
    variance: bool = False


@dataclass(eq=False)
class Symbol:
    r"""An array or a scalar. Its shape and element type are terms of the solvers until inference is over.

    `spelling` names it without its indices (`h` of `h_t^{\ell}`, `W_{h}`); `has_superscript` says that one of its
    axes is written as a superscript (that one comes after the `subscripts` that are axes). `lowers` are the
    first indices of its axes where they are declared or defined (None: an unknown of the solver).
    """

    spelling: Name
    role: Role
    shape: Shape = field(default_factory=unknown_shape)
    element: ElementUnknown | Element = field(default_factory=ElementUnknown)
    has_superscript: bool = False
    subscripts: int = 0
    lowers: list[Poly | None] = field(default_factory=list)
    listed: bool = False
    is_sequence: bool = False  # its definition puts elements in a row
    shared: bool = False
    is_set: bool = False  # it gives a set of indices, or edges
    declared: bool = False
    is_undeclared: bool = False  # nothing declares, defines or binds it
    default: Literal | None = None
    is_empty: bool = False  # an input that has no elements where it is left out
    initialiser: WrittenInitialiser | None = None
    description: str = ""
    latex: str = ""
    span: Span = NOWHERE
    used: bool = False
    source: Source = Source.DEFINITION
    interval: Interval = EVERYWHERE  # where a setting lies
    value_range: Range | None = None  # the range of the elements of an index type
    family_ranges: tuple[Range, ...] | None = None  # the declared ranges of the leading axes
    whole: Range | None = None  # what the bare name stands for on its first axis, where a header element lies beside it
