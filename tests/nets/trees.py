"""The trees of drawn programs: names, ranges, expressions, conditions, statements, declarations.

Every node carries `form`, a number from which the printer chooses among spellings that mean the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

RESERVED = (r"\pi", r"\sigma", r"\Gamma", "e")
Notation = Literal["module", "docstring", "algorithmic"]


class NothingFits(Exception):
    """A draw that cannot be finished: another one is made."""


@dataclass(frozen=True)
class Name:
    r"""A name with its label: `W_{in}` is `Name("W", "in")`, `\pi` is `Name(r"\pi")`, the argument `x_i` is `Name("x", "i")`."""

    base: str
    label: str = ""


@dataclass(frozen=True)
class Index:
    """An index variable, a size or nothing, and what is added: `t - 1`, `n`, `3`."""

    name: str | None
    offset: int = 0


@dataclass(frozen=True)
class Range:
    """Both ends are included: `1 .. n`."""

    low: Index
    high: Index


# ---- expressions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """A number as it is written, and its value: `2 \\pi`."""

    text: str
    value: float
    form: int = 0


@dataclass(frozen=True)
class IndexValue:
    """An index as a number: the `i` of `i x_i`."""

    index: Index
    form: int = 0


@dataclass(frozen=True)
class Ref:
    """A name with some of its indices: an element, a row, or the whole."""

    name: Name
    indices: tuple[Index, ...] = ()
    rank: int = 0
    form: int = 0


@dataclass(frozen=True)
class Unary:
    """An elementwise function: `exp`, `neg`, `square`."""

    op: str
    argument: Expr
    form: int = 0


@dataclass(frozen=True)
class Binary:
    """`add sub mul div max min` of equal ranks or with a scalar."""

    op: str
    left: Expr
    right: Expr
    form: int = 0


@dataclass(frozen=True)
class Reduce:
    """`sum prod max min mean` of a body over an index, bare or with its range, under a condition or not."""

    op: str
    index: str
    range: Range
    body: Expr
    bare: bool = False
    condition: Condition | None = None
    form: int = 0


@dataclass(frozen=True)
class Cases:
    """The first row whose condition holds."""

    rows: tuple[tuple[Condition, Expr], ...]
    otherwise: Expr
    form: int = 0


@dataclass(frozen=True)
class Call:
    """A function of the program on arguments."""

    function: Name
    arguments: tuple[Expr, ...]
    form: int = 0


@dataclass(frozen=True)
class MatVec:
    """A matrix times a vector."""

    matrix: Expr
    vector: Expr
    form: int = 0


@dataclass(frozen=True)
class Dot:
    """The inner product of two vectors."""

    left: Expr
    right: Expr
    form: int = 0


@dataclass(frozen=True)
class Norm:
    """A norm of a vector: `squared`, `two`, `one`."""

    kind: str
    vector: Expr
    form: int = 0


@dataclass(frozen=True)
class Softmax:
    """The softmax of a vector."""

    vector: Expr
    form: int = 0


@dataclass(frozen=True)
class SoftmaxAt:
    """Element `index` of the softmax of a body over the range of `index`, which is bound outside."""

    index: str
    range: Range
    body: Expr
    form: int = 0


@dataclass(frozen=True)
class Each:
    """A sequence of a body over an index with its range."""

    index: str
    range: Range
    body: Expr
    form: int = 0


@dataclass(frozen=True)
class EachOf:
    """A sequence of a body over the elements of another one."""

    element: Name
    source: Expr
    body: Expr
    form: int = 0


Expr = Number | IndexValue | Ref | Unary | Binary | Reduce | Cases | Call | MatVec | Dot | Norm | Softmax | SoftmaxAt | Each | EachOf


@dataclass(frozen=True)
class Compare:
    """`= != < <= > >=` between two numbers."""

    op: str
    left: Expr
    right: Expr
    form: int = 0


@dataclass(frozen=True)
class Both:
    """`and`, `or`; the right side is looked at only where it decides."""

    op: str
    left: Condition
    right: Condition
    form: int = 0


@dataclass(frozen=True)
class Even:
    """An index is even."""

    index: Index
    form: int = 0


Condition = Compare | Both | Even


# ---- statements ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Binder:
    """An index of a left side with its range."""

    index: str
    range: Range


@dataclass(frozen=True)
class Function:
    """A function; a parameter is a name of rank 0 or 1 (2 for a matrix)."""

    name: Name
    parameters: tuple[tuple[Name, int], ...]
    body: Expr
    form: int = 0


@dataclass(frozen=True)
class Define:
    """An array over index domains; `seeds` are elements that names of their own give (`h_0`)."""

    name: Name
    binders: tuple[Binder, ...]
    body: Expr
    backwards: bool = False
    seeds: tuple[tuple[tuple[Index, ...], Name], ...] = ()
    element_axes: tuple[Range, ...] = ()
    form: int = 0


@dataclass(frozen=True)
class Assign:
    """An element, or a name as a whole, takes a value, in order."""

    name: Name
    indices: tuple[Index, ...]
    body: Expr
    element_axes: tuple[Range, ...] = ()
    form: int = 0


@dataclass(frozen=True)
class For:
    """A loop."""

    index: str
    range: Range
    body: tuple[Statement, ...]
    form: int = 0


@dataclass(frozen=True)
class If:
    """A branch; without a right side where `otherwise` is empty."""

    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()
    form: int = 0


Statement = Function | Define | Assign | For | If

DeclarationStyle = Literal["ranged", "vectors", "plain", "header", "none"]


@dataclass(frozen=True)
class Declaration:
    """An input or a parameter: its axes, how it is declared, and the letters of its range."""

    name: Name
    axes: tuple[Range, ...]
    style: DeclarationStyle
    letters: tuple[str, ...] = ()
    is_input: bool = True
    stands_for: tuple[Name, tuple[Index, ...]] | None = None  # `h_0` is an element of `h`

    @property
    def rank(self) -> int:
        return len(self.axes)


@dataclass(frozen=True)
class Program:
    """A program: its notation, sizes, declarations, statements and results."""

    notation: Notation
    sizes: tuple[str, ...]
    least: tuple[tuple[str, int], ...]
    declarations: tuple[Declaration, ...]
    statements: tuple[Statement, ...]
    results: tuple[Expr, ...]
    order: int = 0  # in module notation statements stand in any order
    features: frozenset[str] = frozenset()
    form: int = 0

    @property
    def inputs(self) -> tuple[Declaration, ...]:
        return tuple(d for d in self.declarations if d.is_input)

    @property
    def parameters(self) -> tuple[Declaration, ...]:
        return tuple(d for d in self.declarations if not d.is_input)


NODES = (Number, IndexValue, Ref, Unary, Binary, Reduce, Cases, Call, MatVec, Dot, Norm, Softmax, SoftmaxAt, Each, EachOf)
CONDITIONS = (Compare, Both, Even)
STATEMENTS = (Function, Define, Assign, For, If)


def children(node: Any) -> Iterator[Any]:
    """What a node is made of, tuples opened."""
    for field in dataclasses.fields(node):
        yield from _opened(getattr(node, field.name))


def _opened(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _opened(item)
    elif dataclasses.is_dataclass(value):
        yield value


def walk(node: Any) -> Iterator[Any]:
    """A node and everything below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def rank_of(expr: Expr) -> int:
    """How many axes a value has."""
    match expr:
        case Ref():
            return expr.rank
        case Unary():
            return rank_of(expr.argument)
        case Binary():
            return max(rank_of(expr.left), rank_of(expr.right))
        case Cases():
            return rank_of(expr.otherwise)
        case MatVec() | Softmax():
            return 1
        case Each() | EachOf():
            return 1 + rank_of(expr.body)
        case _:
            return 0
