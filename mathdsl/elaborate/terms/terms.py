"""Terms: expressions after names are resolved and before types are known.

A term says what each part is (an element of this array, a call of that module, a reduction over this index), but not
yet its shape: `mathdsl.elaborate.inference` finds that for every term, `mathdsl.elaborate.lowering` then makes the IR. Terms are
compared by identity, since each has a type of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.classify import Application, Superscript
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.symbols import Symbol
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax import nodes as ast


class Walked:
    """A term that keeps the terms inside it, once `walk` has found them."""

    inside: tuple[Term, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Base(Walked):
    """What every term has: its place."""

    span: Span = field(default=NOWHERE)


@dataclass(frozen=True, eq=False)
class Binder:
    """An index variable: its unique name inside polynomials, how it is written, and its range."""

    name: str
    spelling: Name
    range: Range
    span: Span = NOWHERE
    shift: int | None = 0  # what it is more than the author's; None where the author has no such variable
    bare: bool = False  # `\\sum_i`: it has the range of the axes that it indexes


@dataclass(frozen=True, eq=False)
class NumberTerm(Base):
    r"""A literal; `fills`: of all elements of `\mathbf{0}_n`, which are reals where nothing wants integers."""

    value: float | int | bool
    fills: bool = False


@dataclass(frozen=True, eq=False)
class SizeTerm(Base):
    """A size or an index as an integer value: `t`, `d_k`, `S - t`."""

    value: Poly


@dataclass(frozen=True, eq=False)
class Whole:
    """An axis that is read whole: `h^{\\ell}` of the family `h_t^{\\ell}`."""


@dataclass(frozen=True, eq=False)
class SliceIndex:
    """`a:b`, both ends included, in the array's own bounds."""

    range: Range


Position: TypeAlias = "Poly | Whole | SliceIndex | Term"


@dataclass(frozen=True, eq=False)
class Ref(Base):
    """An array, or the part of it at these positions; trailing axes that are not mentioned are whole."""

    symbol: Symbol
    positions: tuple[Position, ...] = ()
    bracketed: bool = False  # by the author
    kept: bool = False  # what an assignment leaves as it is, where the author reads nothing
    turns: int = 0  # how many of the positions, the first ones, only count the turns of loops

    @property
    def written(self) -> tuple[Position, ...]:
        """The positions that the author wrote."""
        return self.positions[self.turns :]


@dataclass(frozen=True, eq=False)
class Elementwise(Base):
    """An elementwise operation (a row of `mathdsl.ops`); `written`: as `|a|`, which is of a number, or as `e^{a}`."""

    op: str
    arguments: tuple[Term, ...]
    written: str = ""


@dataclass(frozen=True, eq=False)
class Product(Base):
    """`A @ B`, `A \\cdot B`, `A B`: the shapes tell which product it is. `sign` is how it was written, `factors` those of its sides."""

    sign: str
    left: Term
    right: Term
    application: Application | None = None
    factors: tuple[tuple[ast.Expression, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Transpose(Base):
    """`A^\\top`; of a vector: a covector."""

    body: Term
    superscript: Superscript


@dataclass(frozen=True, eq=False)
class PowerTerm(Base):
    """`a^{p}`: elementwise, or the matrix power; `of_function`: of a function's value, `\\tanh^2(a)`."""

    base: Term
    exponent: Term
    superscript: Superscript
    of_function: bool = False

    @property
    def integer(self) -> int | None:
        """The exponent, if it is written as an integer."""
        match self.exponent:
            case NumberTerm(value=int() as value) if not isinstance(value, bool):
                return value
            case _:
                return None

    @property
    def is_negative(self) -> bool:
        """The exponent is written with a minus sign, so that integers do not stay integers."""
        match self.exponent:
            case NumberTerm(value=value):
                return value < 0
            case Elementwise(op=op):
                return op == "neg"
            case _:
                return False


@dataclass(frozen=True, eq=False)
class Need:
    """What has to hold at a place, in LaTeX too, and what is said where it cannot."""

    holds: Term
    latex: str
    message: str
    help: str


@dataclass(frozen=True, eq=False)
class Reduction(Base):
    r"""A reduction over an index; `needs`: what has to hold, that the part over which `\max_{j \neq i}` runs is not empty."""

    op: str
    binder: Binder
    body: Term
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, eq=False)
class Fold(Base):
    """A reduction over the last axis of an array (`max(x)`) or over all axes (a norm)."""

    op: str
    body: Term
    all_axes: bool = False
    is_vector: bool = False  # of a vector only: a norm that a matrix has not
    in_function: bool = False  # in the body of a function, which goes along the rows of a matrix


@dataclass(frozen=True, eq=False)
class AlongTerm(Base):
    """`softmax(z)` over the last axis (binder None), or over a named index, read at `at`."""

    op: str
    body: Term
    binder: Binder | None = None
    at: Poly | None = None


@dataclass(frozen=True, eq=False)
class CrossEntropyTerm(Base):
    """Minus the log of the softmax of logits at the class."""

    logits: Term
    target: Term


@dataclass(frozen=True, eq=False)
class Build(Base):
    """An array over one more axis: `\\{D(s) ; s \\in S\\}`, `\\cat{h_1, \\dots, h_S}`; `listed` for `\\br{…}`, `dotted` for an ellipsis."""

    binder: Binder
    body: Term
    listed: bool = False
    dotted: bool = False


@dataclass(frozen=True, eq=False)
class Stacked(Base):
    """A list of single values side by side, of equal shapes: `\\br{a, b}`, `\\sof{a, b}`; `of_numbers` for a row of a matrix."""

    items: tuple[Term, ...]
    listed: bool = False
    of_numbers: bool = False


@dataclass(frozen=True, eq=False)
class Concatenation(Base):
    """`a || b`: the elements of one sequence after those of the other; `bracketed` for `[a, b]`, where scalars may stand too."""

    parts: tuple[Term, ...]
    bracketed: bool = False


@dataclass(frozen=True, eq=False)
class Flattened(Base):
    r"""`\fla{v_1, \dots, v_n}`: the first axis of the body, the list's, is merged into the last; `in_turn`: with the second."""

    body: Term
    in_turn: bool = False


@dataclass(frozen=True, eq=False)
class Repeated(Base):
    """`\\{0\\}^{n}`: a value n times."""

    value: Term
    count: Poly


@dataclass(frozen=True, eq=False)
class Constant(Base):
    """`\\mathbf{0}`, `\\mathbf{1}`: an array of one number, shaped by what it stands beside."""

    value: float


@dataclass(frozen=True, eq=False)
class CaseTerm(Base):
    """`cases`: the first row whose condition holds; the last condition may be None (otherwise)."""

    rows: tuple[tuple[Term | None, Term], ...]
    of_branch: bool = False  # conditions whose shape nothing tells are scalars


@dataclass(frozen=True, eq=False)
class Updated(Base):
    r"""An array with a value at one place: what `x_i \gets e` makes of `x`; `place` is the element as it would be read."""

    array: Term
    place: Ref
    value: Term
    words: str  # the place as it is written


@dataclass(frozen=True, eq=False)
class Given(Base):
    """A value that is there where a flag holds, which has the first of its axes: else a read of it is a mistake at run time."""

    value: Term
    flag: Term
    words: str


@dataclass(frozen=True, eq=False)
class CallResult(Base):
    """One result of a call of a module."""

    call: CallSite
    position: int


@dataclass(frozen=True, eq=False)
class Faulty(Base):
    """What a mistake leaves: it has any type, so that nothing is reported as a consequence."""


@dataclass(frozen=True, eq=False)
class Undefined(Base):
    """No value: a row of `cases` for what a branch of statements, or the domain `1 \\leq j \\leq i`, leaves undefined."""

    domain: str = ""


@dataclass(frozen=True, eq=False)
class Unread(Base):
    """A value that nothing reads, of whatever type stands beside it: that of an arm's own name where the arm is not taken."""


@dataclass(frozen=True, eq=False)
class TupleTerm(Base):
    """`(a, b)`."""

    items: tuple[Term, ...]


Term: TypeAlias = (
    NumberTerm
    | SizeTerm
    | Ref
    | Elementwise
    | Product
    | Transpose
    | PowerTerm
    | Reduction
    | Fold
    | AlongTerm
    | CrossEntropyTerm
    | Build
    | Stacked
    | Concatenation
    | Flattened
    | Repeated
    | Constant
    | CaseTerm
    | Updated
    | Given
    | CallResult
    | TupleTerm
    | Faulty
    | Undefined
    | Unread
)


@dataclass(frozen=True, eq=False)
class CallSite:
    """A call of a submodule under the indices in scope.

    `submodule` is the spelling of what is called in the program's table of submodules, `at` the element of a stack.
    `arguments` go by the callee's input (its array name; for an opaque module by position).
    """

    submodule: Name
    at: Poly | None
    arguments: tuple[tuple[str, Term], ...]
    binders: tuple[Binder, ...]
    span: Span


def subterms(term: Term) -> tuple[Term, ...]:
    """The terms directly inside a term."""
    match term:
        case Ref(positions=positions):
            return tuple(p for p in positions if isinstance(p, Base))
        case Elementwise(arguments=items) | TupleTerm(items=items) | Stacked(items=items) | Concatenation(parts=items):
            return items
        case Product(left=left, right=right) | Given(value=left, flag=right):
            return left, right
        case PowerTerm(base=left, exponent=right) | CrossEntropyTerm(logits=left, target=right):
            return left, right
        case Transpose(body=body) | Fold(body=body) | AlongTerm(body=body) | Build(body=body) | Flattened(body=body) | Repeated(value=body):
            return (body,)
        case Reduction(body=body, needs=needs):
            return (body, *(need.holds for need in needs))
        case CaseTerm(rows=rows):
            return tuple(t for row in rows for t in row if t is not None)
        case Updated(array=array, place=place, value=value):
            return array, place, value
        case CallResult(call=call):
            return tuple(t for _, t in call.arguments)
        case _:
            return ()


def walk(term: Term) -> tuple[Term, ...]:
    """A term and all terms inside it, outer before inner; found once, since types and equations ask again and again."""
    try:
        return term, *term.inside
    except AttributeError:
        found: list[Term] = []
        waiting = [*subterms(term)[::-1]]
        while waiting:
            inner = waiting.pop()
            found.append(inner)
            waiting += subterms(inner)[::-1]
        object.__setattr__(term, "inside", tuple(found))
        return term, *found


def inner_binders(term: Term) -> tuple[Binder, ...]:
    """The index variables that terms inside a term bind."""
    return tuple(t.binder for t in walk(term) if isinstance(t, (Reduction, Build)))


def names_within(term: Term) -> frozenset[str]:
    """The sizes and index variables that a term mentions; a call of a module is made anew at each index around it."""
    found: set[str] = set()
    for node in walk(term):
        for item in fields(node):
            found.update(_names(getattr(node, item.name)))
    return frozenset(found)


def _names(value: object) -> Iterator[str]:
    match value:
        case Poly():
            yield from value.names
        case Range(lower=lower, upper=upper):
            yield from lower.names | upper.names
        case SliceIndex(range=bounds):
            yield from _names(bounds)
        case Binder(name=name, range=bounds):
            yield name
            yield from _names(bounds)
        case CallSite(binders=binders):
            yield from _names(binders)
        case tuple():
            for item in value:
                yield from _names(item)
        case _:
            pass
