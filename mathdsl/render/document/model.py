"""A typeset document, whatever it was written in and whatever it becomes: blocks and inlines, closed unions of frozen data.

Text is text: nothing in a `Text`, `Code` or `Verbatim` is markup, and each writer escapes it for its own format.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from mathdsl.backends.line_map import CodeLines
from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax.nodes import Declaration, Expression

# ---- inlines ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """Characters as they are read; white space folds, ligatures and quotation marks are already Unicode (`–`, `“`)."""

    text: str


@dataclass(frozen=True, slots=True)
class Math:
    """A formula in LaTeX, the document's macros expanded, without its dollar signs."""

    latex: str


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression of a program among words."""

    expression: Expression


@dataclass(frozen=True, slots=True)
class Code:
    """Words in a typewriter font."""

    text: str


Style: TypeAlias = Literal["emphasis", "strong", "small-caps", "superscript", "subscript", "deleted", "footnote"]


@dataclass(frozen=True, slots=True)
class Styled:
    """Inlines in another style."""

    style: Style
    body: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to an address outside (`target` begins with `http://`, `https://` or `mailto:`) or, with `#label`, inside the document."""

    target: str
    body: tuple[Inline, ...]


ReferenceKind: TypeAlias = Literal["ref", "eqref", "named", "cite"]


@dataclass(frozen=True, slots=True)
class Reference:
    """`\\ref{label}`, `\\eqref{label}` (in parentheses): the number of what has that label; `\\cite{a,b}` is a citation.

    `named`: with the word for what has the label, `Section 2`; `typeset` says the word and leaves a `ref`.
    """

    kind: ReferenceKind
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line ends here."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in a file, and what is said of it."""

    file: str
    said: str = ""


Inline: TypeAlias = Text | Math | Formula | Code | Styled | Link | Reference | LineBreak | Picture
Inlines: TypeAlias = tuple[Inline, ...]

# ---- blocks of prose -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 0 is the document's title, 1 a section, and so on; `is_numbered` is False for `\\section*`.

    `begins_appendix`: from here on, letters count the sections. `number` is given by `number_blocks`.
    """

    level: int
    body: Inlines
    label: str = ""
    is_numbered: bool = True
    begins_appendix: bool = False
    number: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Inlines that are set as lines."""

    body: Inlines


@dataclass(frozen=True, slots=True)
class ItemList:
    """A list; an item is blocks, with a term before it in a list of descriptions, its own mark in another list (`()`: the usual one)."""

    kind: Literal["bullets", "numbers", "terms"]
    items: tuple[tuple[Inlines, tuple[Block, ...]], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Blocks that are set in: a quotation, an abstract, a note (then with a title), a theorem.

    `counter` names what gives it a number (`number`), '' where it has none; the counter begins again at each heading of level `within`,
    0: never. `note` is said behind the title.
    """

    body: tuple[Block, ...]
    title: str = ""
    note: str = ""
    label: str = ""
    counter: str = ""
    within: int = 0
    number: str = ""


@dataclass(frozen=True, slots=True)
class Float:
    """What has a caption, and a number by its kind; one in another is a part of it (`1a`)."""

    kind: Literal["figure", "table", "algorithm", "listing"]
    caption: Inlines
    body: tuple[Block, ...]
    label: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines in a typewriter font, as they stand: a listing, or what could not be read as anything else."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class DisplayMath:
    """A formula of prose on lines of its own, in LaTeX.

    As readers of prose make it, it has its environment where that is not `\\[ \\]`; `typeset` takes it away and gives the number.
    `tag`: the author's own number, in place of it. `cells`: what stands between the `&` of a row of `Equations`.
    """

    latex: str
    label: str = ""
    number: int | None = None
    tag: str = ""
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Equations:
    """Formulas of prose whose cells stand below each other, right and left in turn; `typeset` makes them of a display."""

    rows: tuple[DisplayMath, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of prose: a head (which may be empty) and rows of cells; `alignment`: `l`, `c` or `r` for each of its first columns."""

    head: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    alignment: str = ""


# ---- programs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the notation: `for`, `do`, `return`, `if`, `then`, `otherwise`."""

    text: str


@dataclass(frozen=True, slots=True)
class Range:
    """`t = 1, …, S` (no brackets around the items), or with a relation of its own `t ∈ {1, …, S}`; alone `t`, of `∀ t`, has no items."""

    index: Expression
    items: tuple[Expression, ...]
    relation: str = "="


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target ← value` (`~` where it samples) with the domain behind it; in order `t = 1, …, S`."""

    target: Expression
    value: Expression
    domains: tuple[Range | Formula, ...] = ()
    relation: Literal["gets", "sim"] = "gets"


@dataclass(frozen=True, slots=True)
class CommaList:
    """Formulas of their own, and words, with commas between: `x ∈ ℝ^d, shared, t = 1, …, S, S ≥ 1`."""

    items: tuple[Word | Formula | Range, ...]


ClausePart: TypeAlias = Word | Formula | Range | CommaList


@dataclass(frozen=True, slots=True)
class Clause:
    """Words and formulas: `for t ∈ {1, …, S} do`, `return h`, `end for`."""

    parts: tuple[ClausePart, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a program.

    `number`: within its listing for an algorithm, through the document for equations of a module, None for lines that have none.
    `tag`: the author's own number, in place of it. `depth`: steps of indentation. `code`: the generated lines that compute it.
    """

    content: Assignment | Clause
    depth: int
    number: int | None
    tag: str = ""
    label: str = ""
    comment: Inlines = ()
    code: tuple[CodeLines, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table of symbols: the row of `check`, and the author's declaration where there is one (for defaults and initialisers).

    `symbol` is an element where the symbol is a family (`h_t`); `shape` is a formula (`S \\times d`), or words
    where there are no axes (`integer`, `real`), or a submodule's type. `description` is made from the author's LaTeX.
    """

    row: SymbolRow
    symbol: Formula
    shape: Inlines
    description: Inlines
    declaration: Declaration | None = None


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """A titled table: `Parameters` is what the constructor takes and makes, `Values` what the call reads and computes."""

    title: Literal["Parameters", "Values"]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A program: a module (`notation` module: numbered equations), or an algorithm in a box with numbered lines.

    `name` is '' for definitions outside of every program. `inputs` and `owned` are the header as written (`owned` None: no `;`).
    `caption` and `label` come from the float around it, and with them a `number`. `class_lines` are the first and the last line of its
    class or function in the generated text, (0, 0) where it has none.
    """

    name: str
    notation: Literal["module", "docstring", "algorithmic"]
    inputs: tuple[Expression, ...]
    owned: tuple[Expression, ...] | None
    lines: tuple[Line, ...]
    tables: tuple[SymbolTable, ...] = ()
    caption: Inlines = ()
    label: str = ""
    class_lines: tuple[int, int] = (0, 0)
    number: str = ""

    @property
    def word(self) -> str:
        """What stands before the name."""
        return "module" if self.notation == "module" else "procedure"


@dataclass(frozen=True, slots=True)
class Notation:
    """A `where` table for the whole document, where it stands: its rows as the author declared them."""

    rows: tuple[tuple[Declaration, Inlines], ...]


@dataclass(frozen=True, slots=True)
class ProgramFloat:
    """A float that stands among the text of a program."""

    span: Span
    caption: Inlines
    label: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where program number `region` of a text stands among its prose; only readers of prose make it, `typeset` replaces it.

    `caption` and `label` are those of the float around it, `floats` are inside of it.
    """

    region: int
    caption: Inlines = ()
    label: str = ""
    floats: tuple[ProgramFloat, ...] = ()


def name_picture(picture: Picture) -> Inlines:
    """What stands for a picture that is not shown: that there is one, what is said of it, and the name of its file."""
    file, said = picture.file, picture.said
    return (
        Text(f"[image{': ' + said if said else ''}{', ' if said and file else ' ' if file else ''}"),
        *([Code(file)] if file else []),
        Text("]"),
    )


def quote_title(quote: Quote) -> str:
    """`Theorem 1 (Euler)`."""
    return " ".join(filter(None, (quote.title, quote.number, quote.note and f"({quote.note})")))


def shown_number(numbered: DisplayMath | Line) -> str:
    """A number as it is read: the author's own, or that of the document; '' where there is none."""
    return numbered.tag or ("" if numbered.number is None else str(numbered.number))


Block: TypeAlias = Heading | Paragraph | ItemList | Quote | Float | Verbatim | DisplayMath | Equations | Grid | Listing | Notation | Place


@dataclass(frozen=True, slots=True)
class Prose:
    """What a reader of prose hands over: the title, authors and date that a text names, `()` where it names none, and its blocks."""

    title: Inlines
    authors: Inlines
    blocks: tuple[Block, ...]
    date: Inlines = ()


@dataclass(frozen=True, slots=True)
class Typeset:
    """A whole document: its blocks, its language where known, and the generated text that its listings point into."""

    title: Inlines
    authors: Inlines
    blocks: tuple[Block, ...]
    source: str = ""
    date: Inlines = ()
