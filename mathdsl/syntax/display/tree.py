r"""The display tree of a formula: names, signs, groups, scripts, commands with their arguments, tables, side by side in rows.

`x_t + {a - b} c` of a program, brackets where binding asks for them:

    Scripted(Name("x"), (Script("_", t),)), Operator("+"), Grouped(a - b), Gap(), Name("c")

Formulas of prose hold what their author wrote, word for word: `Blank`, `Sign`, `Words`, `Sides`, `Sized` and `Negated` are theirs.
"""

from __future__ import annotations

from typing import Literal

from mathdsl.dataclass import dataclass
from mathdsl.syntax.pairs import PAIRS
from mathdsl.vocabulary import VOCABULARY

_BRACKETS = {pair.macro[1:]: (pair.opening, pair.closing) for pair in PAIRS if pair.macro}


@dataclass(frozen=True, slots=True)
class Blank:
    """White space, which TeX passes over."""


@dataclass(frozen=True, slots=True)
class Gap:
    r"""Between two factors: nothing that is seen, or the space of a command, `\,`."""

    command: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """A character or the command of a symbol."""

    text: str


@dataclass(frozen=True, slots=True)
class Operator:
    r"""A sign of our notation in its canonical spelling, with its room: `+`, `\odot`, `:`, `,`; `is_prefix`: before its one operand.

    `breaks`: a line may end before it.
    """

    text: str
    is_prefix: bool = False
    breaks: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    r"""A name of a program without its primes, `x`, `\theta`, `\softmax`, perhaps in a font."""

    text: str
    font: str = ""


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number; `1e-5` is a power of ten, in brackets where it would come apart."""

    text: str
    in_brackets: bool = False


@dataclass(frozen=True, slots=True)
class Omitted:
    r"""What only the canonical form has: the hole of `\cdot \leq t`, a space."""

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
    """A group in braces, or what stands for one where `has_braces` is false."""

    body: Row = Row()
    has_braces: bool = True


@dataclass(frozen=True, slots=True)
class Grouped:
    """What binding asks brackets for, braces in the canonical form: readers see parentheses, TeX needs braces, or only our grammar does."""

    body: Row
    needed_by: Literal["readers", "TeX", "grammar"] = "readers"


@dataclass(frozen=True, slots=True)
class Fence:
    """Brackets of a program around what they hold, as tall as it is."""

    opening: str
    body: Row
    closing: str


@dataclass(frozen=True, slots=True)
class Script:
    """`mark`: `_`, `^` or a prime, which has no body."""

    mark: str
    body: Braced | None


@dataclass(frozen=True, slots=True)
class Scripted:
    r"""A base with its scripts in the order in which they are written; `limits`: `\limits`, `\nolimits` or nothing."""

    base: Node
    scripts: tuple[Script, ...]
    limits: str = ""


@dataclass(frozen=True, slots=True)
class Power:
    """`a ** b`."""

    base: Row
    exponent: Row


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
class Macro:
    r"""A macro of the notation, without backslash: `\cat{a, b}` reads as concat(a, b)."""

    name: str
    arguments: tuple[Row, ...]

    @property
    def reading(self) -> tuple[str, str, str]:
        """The word before the arguments, which may be empty, and the brackets around them."""
        if self.name in _BRACKETS:
            return "", *_BRACKETS[self.name]
        row = VOCABULARY.get(f"\\{self.name}")
        return row.shown if row and row.shown else self.name, "(", ")"

    @property
    def items(self) -> Row:
        """The items of all arguments, as one comma list."""
        first, *others = self.arguments or (Row(),)
        return Row((*first.parts, *(part for other in others for part in (Operator(","), *other.parts))))


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


Node = (
    Blank
    | Gap
    | Sign
    | Operator
    | Name
    | Numeral
    | Omitted
    | Negated
    | Braced
    | Grouped
    | Fence
    | Scripted
    | Power
    | Applied
    | Words
    | Macro
    | Sides
    | Sized
    | Table
)
