"""The core: statements in order, in which every name has one version at every place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.core.extents import Ends
from mathdsl.elaborate.names.names import Name
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast

_ABOVE = Name("above")
OWN = "slot"  # the accent of a name of ours for what an author's name stands for at a place


@dataclass(frozen=True)
class CoreReader(Reader):
    """Tells arrays with an index above, `q_t^h`, from those of the same name without one, `q_t`: their heads are other names."""

    def split(self, node: ast.Expression, scope: Scope) -> tuple[Element, ast.Expression | None] | None:
        """The element that a name with scripts is, and the superscript that is none of its indices; None for anything else."""
        found = super().split(node, scope)
        if found is None or found[0].superscript is None:
            return found
        return replace(found[0], head=marked(found[0].head)), found[1]


def core_reader(reader: Reader) -> CoreReader:
    """The reader that tells arrays apart by whether an index stands above."""
    return CoreReader(*(getattr(reader, field.name) for field in fields(reader) if field.init))


def marked(head: Name) -> Name:
    """The head of an array whose elements have an index above."""
    return head.changed(labels=(*head.labels, _ABOVE))


def unmarked(head: Name) -> Name:
    """The name of an array, whether its elements have an index above or not."""
    return head.changed(labels=head.labels[:-1]) if head.labels[-1:] == (_ABOVE,) else head


@dataclass(frozen=True, eq=False)
class Var:
    """One version of a name or of an array; each turn of the `loops` around its definition has its own."""

    name: ast.Expression
    head: Name
    loops: tuple[Loop, ...] = ()


@dataclass(frozen=True, eq=False)
class Empty(Var):
    """A name before its first assignment, which is proved or checked to be read nowhere."""


def author_name(name: ast.Expression) -> ast.Expression:
    """The name that the author gives what has a name of ours."""
    return author_name(name.body) if isinstance(name, ast.Accent) and name.version else name


def is_number(node: ast.Expression) -> bool:
    """Whether a value has no elements of its own, `0`."""
    return isinstance(node, ast.Number) or isinstance(node, ast.Group) and len(node.items) == 1 and is_number(node.items[0])


Env: TypeAlias = Mapping[Name, Var]


@dataclass(frozen=True, eq=False)
class Value:
    """An expression, and the versions that its names mean."""

    written: ast.Expression
    env: Env
    scope: Scope


@dataclass(frozen=True, eq=False)
class Stored:
    """The array `before` with a value at one place."""

    before: Var
    element: Element
    indices: tuple[Value, ...]
    value: Value


@dataclass(frozen=True, eq=False)
class Set:
    """The definition of a version by a statement of the author's."""

    var: Var
    value: Value | Stored
    origin: ast.Definition


@dataclass(frozen=True, eq=False)
class Unpack:
    """One call whose values are several versions."""

    vars: tuple[Var, ...]
    value: Value
    origin: ast.Definition


@dataclass(frozen=True, eq=False)
class Phi:
    """The version behind branches: that of the arm which is taken."""

    var: Var
    arms: tuple[Var, ...]


@dataclass(frozen=True, eq=False)
class If:
    """Branches: a condition for each arm but the last, and what the arms leave behind."""

    conditions: tuple[Value, ...]
    arms: tuple[Block, ...]
    joins: tuple[Phi, ...]
    loops: tuple[Loop, ...]
    span: Span


@dataclass(frozen=True, eq=False)
class Entry:
    """A version that a loop hands on: `first` before it, `last` at the end of a turn, `var` at the begin of one."""

    var: Var
    first: Var
    last: Var
    after: Var


@dataclass(frozen=True, eq=False)
class For:
    """A loop over a range."""

    loop: Loop
    binding: Value
    entries: tuple[Entry, ...]
    body: Block


@dataclass(frozen=True, eq=False)
class Fill:
    """An array before its first element is stored: the ends of its axes, and a value that nothing reads."""

    var: Var
    box: tuple[Ends, ...]
    value: ast.Expression


@dataclass(frozen=True, eq=False)
class Plain:
    """A statement that defines no version: a result, a check, a function, a remark."""

    written: ast.Statement
    env: Env
    scope: Scope


Statement: TypeAlias = Set | Unpack | If | For | Fill | Plain
Block: TypeAlias = tuple[Statement, ...]
