"""A formula of prose as TeX takes it apart: symbols, groups, scripts, commands with their arguments, tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blank:
    """White space, which TeX passes over."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A character or the command of a symbol."""

    text: str


@dataclass(frozen=True, slots=True)
class Negated:
    r"""`\not=`."""

    sign: Sign


@dataclass(frozen=True, slots=True)
class Row:
    """Nodes side by side."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Braced:
    """A group in braces, or the letter that stands for one where `has_braces` is false."""

    body: Row = Row()
    has_braces: bool = True


@dataclass(frozen=True, slots=True)
class Script:
    """`mark`: `_`, `^` or a prime, which has no body."""

    mark: str
    body: Braced | None


@dataclass(frozen=True, slots=True)
class Scripted:
    r"""A base with its scripts in the order in which they are written; `limits`: `\limits`, `\nolimits` or nothing."""

    base: Node
    limits: str
    scripts: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A command with its arguments."""

    command: str
    arguments: tuple[Braced, ...]
    option: Braced | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Words in a font of text, or the name of an operator."""

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class Sides:
    r"""`\left( a \middle| b \right)`: a delimiter more than parts."""

    delimiters: tuple[str, ...]
    parts: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Sized:
    r"""`\big(`."""

    command: str
    delimiter: str


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro of the notation."""

    command: str
    arguments: tuple[Braced, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """Cells, below as many lines as stand before them."""

    cells: tuple[Row, ...]
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """An environment of rows; `columns`: how those of an array are set."""

    name: str
    columns: str
    rows: tuple[TableRow, ...]


Node = Blank | Sign | Negated | Braced | Scripted | Applied | Words | Sides | Sized | Macro | Table
