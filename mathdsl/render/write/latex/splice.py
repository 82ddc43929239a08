r"""An author's own LaTeX with its programs typeset: all of the rest stays word for word, but for `\usepackage{mathdsl}`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import Block, Listing
from mathdsl.render.write.latex.blocks import write_blocks
from mathdsl.render.write.latex.characters import set_character
from mathdsl.render.write.latex.labels import Labels, label_once, name_labels
from mathdsl.render.write.latex.listings import write_listing
from mathdsl.render.write.latex.preamble import ADDED_PACKAGES, COMMANDS
from mathdsl.render.write.latex.tables import write_symbols
from mathdsl.source.equal_spellings import EQUAL_SPELLINGS, SCRIPTS
from mathdsl.source.latex_text import find_ignored
from mathdsl.source.mapping import blank

Replacement = tuple[int, int, tuple[Block, ...]]

_PACKAGES = re.compile(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{(?P<names>[^{}]*)\}(?:[ \t]*\n)?")
_PREAMBLE_ONLY = re.compile(r"\\(?:usepackage|RequirePackage|DeclareMathOperator\*?)(?![A-Za-z])[^\n]*\n?")
_CLASS = re.compile(r"\\documentclass(?![A-Za-z])")
_BEGIN = re.compile(r"\\begin\s*\{\s*document\s*\}")
_DATE = re.compile(r"\\date(?![A-Za-z])")
_TITLE = re.compile(r"\\title(?![A-Za-z])")
_FLOAT_TAG = re.compile(r"\\(begin|end)\s*\{\s*((?:algorithm|figure|table|wrapfigure|minipage)\*?)\s*\}")
_UNPLACED = re.compile(r"\\begin\s*\{\s*algorithm\s*\}(?!\s*\[)")
_LABEL = re.compile(r"\\label\s*\{([^\\{}%#$~^]+)\}")
_END = re.compile(r"\\end\s*\{[^{}]*\}$")
_STYLE = re.compile(r"\\(?:floatstyle|restylefloat)(?![A-Za-z])")
_OWN = "mathdsl"
_RULED = "algorithm"
"""The package whose algorithms look like our own programs, unless a document gives them another style."""
_PLACING = frozenset({_RULED, "algorithm2e", "float"})
"""Packages by which a float may stay in its place, `[H]`."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters `start .. end` of the author's text become `text`."""

    start: int
    end: int
    text: str


def splice_latex(written: str, replacements: Sequence[Replacement]) -> Spliced:
    """The text with each of its stretches replaced by blocks, as a document that needs only standard packages."""
    comments, verbatim = find_ignored(written)
    text = blank(written, sorted(comments + verbatim))
    blocks = label_once([block for _, _, own in replacements for block in own])
    labels = _own_labels(text, replacements) | name_labels(blocks)
    remaining = iter(blocks)
    replacements = [(start, end, tuple(islice(remaining, len(own)))) for start, end, own in replacements]
    edits = [*_programs(text, replacements, labels), *_staying(text, replacements), *_without_own_package(text)]
    body = _BEGIN.search(text)
    characters = _declared_characters(written, replacements)
    if body is None:
        return _fragment(written, text, edits, characters)
    edits.append(_Edit(body.start(), body.start(), _added(text, characters)))
    return _apply(written, [*_head(text), *edits])


def _fragment(written: str, text: str, edits: Sequence[_Edit], characters: str) -> Spliced:
    r"""A text without `\begin{document}` gets one behind what only a preamble may say."""
    opening = max((match.end() for match in _PREAMBLE_ONLY.finditer(text)), default=0)
    begin = _added(text, characters) + "\\begin{document}\n"
    end = _Edit(len(written), len(written), "\n\\end{document}\n")
    return _apply(written, [*_head(text), *edits, _Edit(opening, opening, begin), end])


def _head(text: str) -> list[_Edit]:
    return [] if _CLASS.search(text) else [_Edit(0, 0, "\\documentclass{article}\n")]


def _added(text: str, characters: str) -> str:
    r"""What a preamble needs; a title without a date would have that of the day it is typeset on."""
    date = "\\date{}\n" if _TITLE.search(text) and not _DATE.search(text) else ""
    return f"{ADDED_PACKAGES}{COMMANDS}{characters}{date}"


def _apply(written: str, edits: Sequence[_Edit]) -> Spliced:
    parts, stretches, position, length = list[str](), list[Stretch](), 0, 0
    for edit in [*sorted(edits, key=lambda edit: (edit.start, edit.end)), _Edit(len(written), len(written), "")]:
        if edit.start < position:
            continue  # it stands in what is replaced already
        own = written[position : edit.start]
        stretches += (Stretch(length, position, True), Stretch(length + len(own), edit.start, False))
        parts += (own, edit.text)
        position, length = edit.end, length + len(own) + len(edit.text)
    return Spliced("".join(parts), tuple(stretches))


def _own_labels(text: str, replacements: Sequence[Replacement]) -> dict[str, str]:
    """The labels of what stays as it was written, which the programs may refer to."""
    kept = blank(text, sorted((start, end) for start, end, _ in replacements))
    return {label.strip(): label.strip() for label in _LABEL.findall(kept)}


def _programs(text: str, replacements: Sequence[Replacement], labels: Labels) -> Iterator[_Edit]:
    """Programs in their places; the tables of one that stands in a float follow the float."""
    floats = _find_floats(text)
    starts = [start for start, _, _ in floats]
    for start, end, blocks in replacements:
        before = bisect_right(starts, start)
        _, around, name = floats[before - 1] if before else (0, 0, "")
        if around <= end:
            yield _Edit(start, end, _lines(write_blocks(blocks, labels)))
            continue
        inside, after = list[str](), list[str]()
        for block in blocks:
            if isinstance(block, Listing):
                inside.append(write_listing(block, labels, in_float=name.startswith("algorithm")))
                after.append(write_symbols(block.tables, labels))
            else:
                after.append(write_blocks((block,), labels))
        yield _Edit(start, end, _lines("\n".join(inside)))
        yield _Edit(around, around, _lines("\n\n".join(filter(None, after))))


def _staying(text: str, replacements: Sequence[Replacement]) -> Iterator[_Edit]:
    """A float whose author did not say where it goes stays beside the tables of its program, and goes on over pages if it can."""
    packages = {name for match in _PACKAGES.finditer(text) for name in _names(match)}
    if not packages & _PLACING:
        return
    is_ruled = _RULED in packages and _STYLE.search(text) is None
    for start, end, _ in _find_floats(text):
        unplaced, closing = _UNPLACED.match(text, start), _END.search(text, start, end)
        if unplaced is None or closing is None or not any(start <= program < end for program, _, _ in replacements):
            continue
        if is_ruled:
            yield _Edit(start, unplaced.end(), r"\begin{mdslfloat}")
            yield _Edit(closing.start(), end, r"\end{mdslfloat}")
        else:
            yield _Edit(unplaced.end(), unplaced.end(), "[H]")


def _lines(text: str) -> str:
    return f"\n{text}\n" if text else ""


def _find_floats(text: str) -> list[tuple[int, int, str]]:
    """The outermost environments that TeX keeps on one page, in order, with their names."""
    found: list[tuple[int, int, str]] = []
    opened: list[tuple[str, int]] = []
    for match in _FLOAT_TAG.finditer(text):
        if match[1] == "begin":
            opened.append((match[2], match.start()))
        elif opened and opened[-1][0] == match[2]:
            name, start = opened.pop()
            if not opened:
                found.append((start, match.end(), name))
    return found


def _names(packages: re.Match[str]) -> list[str]:
    return [name.strip() for name in packages["names"].split(",")]


def _without_own_package(text: str) -> Iterator[_Edit]:
    r"""`\usepackage{mathdsl}` goes, alone or out of a list."""
    for match in _PACKAGES.finditer(text):
        names = _names(match)
        kept = [name for name in names if name.rsplit("/", 1)[-1] != _OWN]
        if kept and len(kept) < len(names):
            yield _Edit(*match.span("names"), ",".join(kept))
        elif not kept:
            yield _Edit(*match.span(), "")


def _declared_characters(written: str, replacements: Sequence[Replacement]) -> str:
    """The signs of mathematics that stand in the author's own text, which the package declared for old engines."""
    replaced = "".join(written[start:end] for start, end, _ in replacements)
    signs = {*EQUAL_SPELLINGS, *SCRIPTS["_"], *SCRIPTS["^"]}
    own = [character for character in sorted(set(written) & signs) if written.count(character) > replaced.count(character)]
    if not own:
        return ""
    lines = (rf"\DeclareUnicodeCharacter{{{ord(character):04X}}}{{{set_character(character)}}}" for character in own)
    return "\n".join([r"\ifdefined\DeclareUnicodeCharacter", *lines, r"\fi", ""])


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters from `start` to the next stretch: copied from `written` on, or made for what stands there."""

    start: int
    written: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class Spliced:
    """A LaTeX text; its stretches are sorted by start and cover it."""

    text: str
    stretches: tuple[Stretch, ...]

    def find_line(self, number: int) -> tuple[int, bool]:
        """Where in the author's text the first word of a line comes from, and whether it is the author's own."""
        lines = self.text.split("\n")
        line = lines[number - 1]
        position = sum(len(before) + 1 for before in lines[: number - 1]) + len(line) - len(line.lstrip())
        stretch = self.stretches[max(0, bisect_right(self.stretches, position, key=_start_of) - 1)]
        return (stretch.written + position - stretch.start if stretch.is_own else stretch.written), stretch.is_own


def _start_of(stretch: Stretch) -> int:
    return stretch.start
