"""Blocks and whole documents to Markdown, the generated code at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import assert_never

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import (
    Assignment,
    Block,
    Clause,
    ClausePart,
    Code,
    CommaList,
    DisplayMath,
    Equations,
    Float,
    Formula,
    Grid,
    Heading,
    Inline,
    Inlines,
    ItemList,
    Line,
    LineBreak,
    Link,
    Listing,
    Math,
    Notation,
    Paragraph,
    Picture,
    Place,
    Quote,
    Range,
    Reference,
    Styled,
    SymbolTable,
    TableRow,
    Text,
    Typeset,
    Verbatim,
    Word,
    name_picture,
    quote_title,
    shown_number,
)
from mathdsl.render.document.references import find_labels
from mathdsl.render.document.symbols import find_start
from mathdsl.render.write.latex.expressions import piece, write_expression, write_operand
from mathdsl.render.write.latex.statements import ARROWS, dollars, render_domain, render_range, render_type
from mathdsl.render.write.markdown.escaping import begin_line, code_block, code_span, escape_text, web_address
from mathdsl.render.write.markdown.formulas import display_formula, display_rows, expression, inline_formula, mathjax
from mathdsl.syntax.nodes import Expression

_DEEPEST = 6

_Numbers = Mapping[str, str]
"""What a reference to each label reads as."""

_NO_NUMBERS: _Numbers = MappingProxyType({})
_TAGS = {"superscript": "sup", "subscript": "sub", "deleted": "s"}
_MARKS = {"emphasis": ("*", "em"), "strong": ("**", "strong")}
_RULES = {"l": ":---", "c": ":---:", "r": "---:"}
_STEP = "&emsp;&emsp;"


def write_markdown(document: Typeset) -> str:
    """GitHub-flavoured Markdown with mathematics."""
    context = _Context(_find_numbers(document.blocks))
    head = [f"# {_inlines(document.title, context.references).strip()}"] if document.title else []
    head += [begin_line(_inlines(said, context.references)) for said in (document.authors, document.date) if said]
    code = ["## Generated code", code_block(document.source, "python")] if document.source else []
    return "\n\n".join(filter(None, [*head, context.blocks(document.blocks), *code])) + "\n"


@dataclass(frozen=True, slots=True)
class _Context:
    """What references read as."""

    references: _Numbers

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Two lists that follow each other have an empty comment between them, without which they would be one."""
        pairs = zip((None, *blocks), blocks, strict=False)
        apart = ("<!-- -->" if isinstance(before, ItemList) and isinstance(block, ItemList) else "" for before, block in pairs)
        return "\n\n".join(filter(None, (part for gap, block in zip(apart, blocks, strict=True) for part in (gap, self.block(block)))))

    def block(self, block: Block) -> str:
        match block:
            case Heading(level, body, number=number):
                words = filter(None, (escape_text(number), _inlines(body, self.references).strip()))
                return f"{'#' * min(level + 1, _DEEPEST)} {' '.join(words)}"
            case Paragraph(body):
                return begin_line(_inlines(body, self.references))
            case ItemList(kind, items):
                return self._list(kind, items)
            case Quote(body):
                title, text = quote_title(block), self.blocks(body)
                whole = f"**{escape_text(title)}**\n\n{text}" if title else text
                return "\n".join(f"> {line}".rstrip() for line in whole.split("\n"))
            case Float(kind, caption, body):
                said = f"**{kind.capitalize()} {escape_text(block.number)}:** {_inlines(caption, self.references)}".rstrip()
                shown = (said, self.blocks(body)) if kind == "table" else (self.blocks(body), said)
                return "\n\n".join(filter(None, shown))
            case Verbatim(text, language):
                return code_block(text, language)
            case DisplayMath(latex):
                return display_formula(latex, shown_number(block))
            case Equations(rows):
                return display_rows([(row.cells, row.latex, shown_number(row)) for row in rows])
            case Grid():
                return _grid(block, self.references)
            case Listing(tables=tables):
                parts = [_listing(block, self.references)]
                return "\n\n".join([*parts, *(_symbols(table, self.references) for table in tables)])
            case Notation():
                return _notation(block, self.references)
            case Place():
                return ""
            case _:
                assert_never(block)

    def _list(self, kind: str, items: Sequence[tuple[Inlines, tuple[Block, ...]]]) -> str:
        """Where an author gave numbered items marks of their own, all of them show what they have."""
        if kind != "numbers" or not any(term for term, _ in items):
            return "\n".join(self._item(kind, place, *item) for place, item in enumerate(items, start=1))
        numbers = count(1)
        marked = [(term or (Text(f"{next(numbers)}."),), body) for term, body in items]
        return "\n".join(self._item("bullets", 0, *item) for item in marked)

    def _item(self, kind: str, place: int, term: Inlines, body: Sequence[Block]) -> str:
        marker = f"{place}. " if kind == "numbers" else "- "
        head = _inlines(term, self.references).strip()
        text = self.blocks(body)
        if head:
            text = f"<strong>{head}</strong> {text}" if kind == "terms" else f"{begin_line(head)} {text}"
        return marker + "\n".join(" " * len(marker) + line if line else "" for line in text.split("\n")).strip()


def _find_numbers(blocks: Sequence[Block]) -> _Numbers:
    """What a reference to each label reads as: a number, or the words of a heading that has none."""
    numbers: dict[str, str] = {}
    for label, found in find_labels(blocks).items():
        words = f"“{_inlines(found.title).strip()}”" if found.title else escape_text(label if found.line is None else "?")
        numbers[label] = escape_text(found.number) or words
    return numbers


def _inlines(inlines: Inlines, numbers: _Numbers = _NO_NUMBERS, *, in_table: bool = False) -> str:
    """Inlines side by side."""
    return "".join(_write_inline(inline, numbers, in_table) for inline in inlines)


def _write_inline(inline: Inline, numbers: _Numbers, in_table: bool) -> str:
    match inline:
        case Text(text):
            return escape_text(text)
        case Math(latex):
            return inline_formula(latex, in_table=in_table)
        case Formula(node):
            return expression(node)
        case Code(text):
            return code_span(text, in_table=in_table)
        case Styled(style, body):
            return _styled(style, _inlines(body, numbers, in_table=in_table))
        case Link(target, body):
            address, shown = web_address(target), _inlines(body, numbers, in_table=in_table)
            return shown if address is None else f"[{shown}](<{address}>)"
        case Reference(kind, labels):
            return _reference(kind, labels, numbers)
        case LineBreak():
            return "<br>"
        case Picture():
            return _inlines(name_picture(inline), numbers, in_table=in_table)
        case _:
            assert_never(inline)


def _styled(style: str, shown: str) -> str:
    """Asterisks mark words; what begins or ends otherwise needs tags to be marked."""
    inner = shown.strip()
    if not inner:
        return shown
    if style == "footnote":
        return f" ({inner})"
    if style in _TAGS:
        return f"<{_TAGS[style]}>{inner}</{_TAGS[style]}>"
    if style not in _MARKS:
        return shown
    mark, tag = _MARKS[style]
    before, after = shown[: len(shown) - len(shown.lstrip())], shown[len(shown.rstrip()) :]
    if inner[0].isalnum() and inner[-1].isalnum():
        return f"{before}{mark}{inner}{mark}{after}"
    return f"{before}<{tag}>{inner}</{tag}>{after}"


def _reference(kind: str, labels: tuple[str, ...], numbers: _Numbers) -> str:
    if kind == "cite" or not all(label in numbers for label in labels):
        return f"\\[{escape_text(', '.join(labels))}\\]"
    shown = ", ".join(numbers[label] for label in labels)
    return f"({shown})" if kind == "eqref" else shown


def table(head: Sequence[str], rows: Sequence[Sequence[str]], alignment: str) -> str:
    """A table; `alignment` has a letter for each column: `l`, `c` or `r`."""
    rule = [_RULES[side] for side in alignment]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def _symbols(symbols: SymbolTable, numbers: _Numbers) -> str:
    """`Parameters` or `Values`."""
    rows = [_symbol_row(row, numbers) for row in symbols.rows]
    return f"**{symbols.title}**\n\n" + table(("Symbol", "Python", "Shape", "Description"), rows, "llll")


def _symbol_row(row: TableRow, numbers: _Numbers) -> tuple[str, ...]:
    description = _inlines(row.description, numbers, in_table=True)
    start = find_start(row)
    if start is not None:
        words, value = start
        description += (", " if description else "") + f"{words} ${mathjax(write_operand(value))}$"
    name = code_span(row.row.python, in_table=True)
    return expression(row.symbol.expression), name, _inlines(row.shape, numbers, in_table=True), description


def _notation(notation: Notation, numbers: _Numbers) -> str:
    """A table of declarations for the whole document."""
    rows = []
    for declaration, words in notation.rows:
        said = f"${mathjax(render_type(declaration))}$"
        symbols, kind = (said, "") if declaration.relation is not None else (_items(declaration.symbols), said)
        rows.append((symbols, kind, _inlines(words, numbers, in_table=True)))
    return "**Notation**\n\n" + table(("Symbol", "Type", "Description"), rows, "lll")


def _grid(grid: Grid, numbers: _Numbers) -> str:
    """A table of prose."""
    count = max((len(row) for row in (grid.head, *grid.rows)), default=0)
    if not count:
        return ""
    head, *rows = (
        [*(_inlines(cell, numbers, in_table=True) for cell in row), *[""] * (count - len(row))] for row in (grid.head, *grid.rows)
    )
    return table(head, rows, grid.alignment[:count].ljust(count, "l"))


# ---- programs --------------------------------------------------------------------------------------


def _listing(listing: Listing, numbers: _Numbers) -> str:
    """The lines of a program as rows under its head, the algorithm's number and caption before them."""
    caption = _inlines(listing.caption, numbers)
    above = f"**Algorithm {listing.number}** {caption}".strip() + "\n\n" if listing.number else ""
    right = any(line.comment or (isinstance(line.content, Assignment) and line.content.domains) for line in listing.lines)
    rows = [_line_row(line, numbers)[: 3 if right else 2] for line in listing.lines]
    return above + table(("", _signature(listing), "")[: 3 if right else 2], rows, "rll"[: 3 if right else 2])


def _signature(listing: Listing) -> str:
    if not listing.name:
        return ""
    owned = "" if listing.owned is None else f" ; {_items(listing.owned)}"
    return f"**{listing.word}** {escape_text(listing.name)}({_items(listing.inputs)}{owned})"


def _items(nodes: Sequence[Expression]) -> str:
    return ", ".join(expression(node) for node in nodes)


def _line_row(line: Line, numbers: _Numbers) -> tuple[str, str, str]:
    number = shown_number(line)
    right: list[str] = []
    if isinstance(line.content, Assignment) and line.content.domains:
        right.append(f"${mathjax(render_domain(line.content.domains))}$")
    if line.comment:
        right.append("▷ " + _inlines(line.comment, numbers, in_table=True))
    return escape_text(number), f"{_STEP * line.depth} {_content(line.content)}".strip(), " ".join(right)


def _content(content: Assignment | Clause) -> str:
    match content:
        case Assignment(target, value, _, relation):
            whole = piece(value)
            return f"${mathjax(f'{write_expression(target)} {ARROWS[relation]} {dollars(whole)[1:-1]}')}$"
        case Clause(parts):
            return " ".join(_part(part) for part in parts)
        case _:
            assert_never(content)


def _part(part: ClausePart) -> str:
    match part:
        case Word(text):
            return f"**{escape_text(text)}**" if text[:1].isalnum() else escape_text(text)
        case Formula(node):
            return expression(node)
        case Range():
            return f"${mathjax(render_range(part))}$"
        case CommaList(items):
            return ", ".join(_part(item) for item in items)
        case _:
            assert_never(part)
