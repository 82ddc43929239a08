"""A document as one page of HTML that needs no network, no script and no other file; blocks as a fragment for a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import words_alone
from mathdsl.render.document.model import Block, Heading, Listing, Typeset
from mathdsl.render.document.nesting import walk
from mathdsl.render.write.html.anchors import Anchors, find_anchors
from mathdsl.render.write.html.blocks import write_blocks
from mathdsl.render.write.html.code import CodePages, Lines, make_pages
from mathdsl.render.write.html.context import MOST_TOGETHER, Context, Pictures, fill
from mathdsl.render.write.html.inlines import unlinked, write_inlines

_SHORT = 3  # headings; a document with fewer needs no table of contents
_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_NO_TEXT = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010fffd]")
SCOPE = "mathdsl"
"""The class that the styles of a page stand below."""

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};]) ?")
_SCOPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def write_html(document: Typeset, folder: Path | None = None) -> str:
    """The whole page; the same document gives the same text. `folder`: where its pictures are looked for."""
    anchors = find_anchors(document.blocks)
    code = _code_of(document.source, document.blocks, anchors)
    context = Context(anchors, code, pictures=Pictures(folder))
    title = write_inlines(document.title, context)
    authors = write_inlines(document.authors, context)
    date = write_inlines(document.date, context)
    rows = _write_rows(document.blocks, context)
    page = fill(
        "page.html.j2",
        plain_title=words_alone(document.title) or "A document of mathdsl",
        styles=Markup(f"{style_sheet('document', 'page')}\n{_pair_rules(_equation_pairs(code), SCOPE)}"),
        coded=any(row.panes for row in rows),
        pictured=context.pictures.room < MOST_TOGETHER,
        title=title,
        authors=authors,
        date=date,
        contents=_contents(document.blocks, context),
        rows=rows,
        rest=() if code is None else _write_rest(code),
        notes=_write_notes(context),
    )
    return _clean(f"{page}\n")


def html_fragment(blocks: Sequence[Block], *, scope: str, source: str = "", is_unfolded: bool = False) -> str:
    """The blocks in a `<div>` of class `scope`, with their styles; its other classes keep a notebook's MathJax away from dollar signs.

    `scope` is unique on the page where the fragment goes: every identifier begins with it, every style stands below it.
    `source`: the generated text, to be unfolded below each program (`is_unfolded`: it is from the start); '' shows none. A ValueError
    where `scope` is no name of a class.
    """
    if not _SCOPE_NAME.fullmatch(scope):
        raise ValueError(f"the scope of a fragment is a name of a class, not {scope!r}")
    anchors = find_anchors(blocks, f"{scope}-")
    code = _code_of(source, blocks, anchors)
    context = Context(anchors, code, is_unfolded)
    rows = _write_rows(blocks, context)
    pairs = _pair_rules(_equation_pairs(code), scope)
    text = fill(
        "fragment.html.j2",
        scope=scope,
        styles=Markup(f"{_scoped(style_sheet('document', 'fragment'), scope)}\n{pairs}"),
        rows=rows,
        notes=_write_notes(context),
    )
    return _clean(f"{text}\n")


def _code_of(source: str, blocks: Sequence[Block], anchors: Anchors) -> CodePages | None:
    return make_pages(source, _find_listings(blocks), anchors) if source.strip() else None


def _write_notes(context: Context) -> Markup:
    """The footnotes that were met."""
    return fill("notes.html.j2", notes=context.notes, prefix=context.anchors.prefix) if context.notes else Markup()


def _equation_pairs(code: CodePages | None) -> Iterator[tuple[str, str]]:
    """The identifiers of an equation and of a statement that computes it."""
    if code is None:
        return
    for statement in code.statements.values():
        for number in range(statement.start, statement.line):
            equation = code.anchors.equations.get(number)
            if equation is not None:
                yield equation, code.anchors.code(statement.line)


def _clean(text: str) -> str:
    """Characters that a page must not hold, marked as such; those that would turn the order of others round are named."""
    named = _UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", named)


def _contents(blocks: Sequence[Block], context: Context) -> list[tuple[str, str, Markup]]:
    """The sections of a document that has several: identifier, number, words."""
    anchors = context.anchors
    found = [
        (anchors.block((position,)), block.number, write_inlines(unlinked(block.body, anchors), context))
        for position, block in enumerate(blocks)
        if isinstance(block, Heading) and block.level == 1
    ]
    return found if len(found) >= _SHORT else []


# ---- rows ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """Text, and the panes of code beside it."""

    text: Markup
    panes: tuple[Markup, ...]


def _write_rows(blocks: Sequence[Block], context: Context) -> tuple[_Row, ...]:
    """The document in rows, each of a section or up to the heading or the program that follows its program; code is shown once."""
    rows: list[_Row] = []
    first = 0
    left = set[Lines]() if context.code is None else set(context.code.parts)
    for group in _groups(blocks):
        panes: list[Markup] = []
        for listing in _find_listings(group):
            if context.code is not None and listing.class_lines in left:
                left.remove(listing.class_lines)
                panes.append(_listing_pane(listing, context.code, context.is_unfolded))
        rows.append(_Row(write_blocks(group, context, first=first), tuple(panes)))
        first += len(group)
    return tuple(rows)


def _write_rest(code: CodePages) -> tuple[Markup, ...]:
    """What stands beside no program: imports and helpers."""
    written = (_pane("Rest of the generated code", lines, code) for lines in code.rest)
    return tuple(pane for pane in written if pane)


def _find_listings(blocks: Sequence[Block]) -> tuple[Listing, ...]:
    """All programs, in order."""
    return tuple(block for _, block in walk(blocks) if isinstance(block, Listing))


def _groups(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    group: list[Block] = []
    has_program = False
    for block in blocks:
        is_program = bool(_find_listings((block,)))
        is_section = isinstance(block, Heading) and any(isinstance(one, Heading) and one.level >= block.level for one in group)
        if is_section or (has_program and (is_program or isinstance(block, Heading))):
            yield group
            group, has_program = [], False
        group.append(block)
        has_program = has_program or is_program
    if group:
        yield group


def _listing_pane(listing: Listing, code: CodePages, is_unfolded: bool) -> Markup:
    title = f"Generated code of {listing.name}" if listing.name else "Generated code"
    return _pane(title, listing.class_lines, code, is_unfolded)


def _pane(title: str, lines: Lines, code: CodePages, is_unfolded: bool = False) -> Markup:
    segment = code.segment(*lines)
    return Markup() if segment is None else fill("code.html.j2", title=title, segment=segment, is_unfolded=is_unfolded)


# ---- styles ----------------------------------------------------------------------------------------


@cache
def style_sheet(*names: str) -> str:
    """The sheets of these names, one after the other, on a line for each rule."""
    folder = files("mathdsl.render.write.html") / "styles"
    return "\n".join(_pack((folder / f"{name}.css").read_text(encoding="utf-8")) for name in names)


def _scoped(sheet: str, scope: str) -> str:
    """The sheet for elements of another class. The class counts twice, so that a notebook's own rules do not win."""
    return re.sub(rf"\.{SCOPE}(?![\w-])", f".{scope}.{scope}", sheet)


def _pair_rules(pairs: Iterable[tuple[str, str]], scope: str) -> str:
    """Where the pointer is on an equation, its statement is marked too, and the other way round."""
    hovers = [
        f".{scope}:has(#{here}:hover) #{there}"
        for equation, statement in pairs
        for here, there in ((equation, statement), (statement, equation))
    ]
    return f"{','.join(hovers)}{{background:var(--mark);--paper:var(--mark)}}" if hovers else ""


def _pack(sheet: str) -> str:
    text = _SPACE.sub(" ", _COMMENT.sub("", sheet)).strip()
    return _AROUND.sub(r"\1", text).replace(";}", "}").replace("}", "}\n").strip()
