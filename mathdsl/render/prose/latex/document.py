"""A document in LaTeX: its title, its authors, the blocks of its body, and what is said beside formulas and around programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from mathdsl.render.document.inlines import plain_text
from mathdsl.render.document.model import Inlines, ProgramFloat, Prose
from mathdsl.render.prose.expanding import Expander, make_expander
from mathdsl.render.prose.latex.blocks import BlockReader, find_label
from mathdsl.render.prose.latex.commands import HEADINGS, WITH_LABELS, Row, find_row
from mathdsl.render.prose.latex.lexing import lex
from mathdsl.render.prose.latex.running_text import RunningText
from mathdsl.render.prose.latex.source import NOTHING, REGION, read_source
from mathdsl.render.prose.latex.tokens import Tokens
from mathdsl.source.containers import ContainerText, Region
from mathdsl.source.documents import Reading
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.mapping import blank

_STAND_INS = str.maketrans(dict.fromkeys((REGION, NOTHING), "\N{REPLACEMENT CHARACTER}"))
_FLOAT = re.compile(
    r"\\begin\s*\{(?P<name>algorithm(?:2e)?\*?)\}(?P<body>(?:(?!\\begin\s*\{algorithm(?:2e)?\*?\})[\s\S])*?)\\end\s*\{(?P=name)\}"
)


def read_latex_prose(text: ContainerText, expander: Expander) -> Prose:
    """The prose of a file, or of a text without a preamble."""
    tokens = Tokens(lex(read_source(text), expander))
    levels = _find_levels(tokens)
    theorems = _find_theorems(tokens, levels)
    reader = BlockReader(tokens, expander, _find_labels(tokens, theorems), levels, theorems)
    blocks = reader.read(*_find_body(tokens))
    title, authors, date = (_find_said(tokens, command) for command in ("title", "author", "date"))
    return Prose(title, authors, tuple(blocks), date)


def _find_body(tokens: Tokens) -> Interval:
    r"""What `\begin{document}` holds, or everything."""
    for position, token in enumerate(tokens.all):
        if token.kind == "begin" and token.text == "document":
            end = tokens.find_partner(position, len(tokens))
            return position + 1, len(tokens) if end is None else end
    return 0, len(tokens)


def _find_said(tokens: Tokens, command: str) -> Inlines:
    r"""The argument of the first `\title{…}`, `\author{…}` that has one."""
    line = RunningText(tokens)
    for position, token in enumerate(tokens.all):
        if token.kind == "command" and token.text == command:
            after, _ = line.read_arguments("o", position + 1, len(tokens))
            said = line.find_argument(after, len(tokens))
            if said is not None:
                return line.read(*said, depth=0)
    return ()


def _find_levels(tokens: Tokens) -> Mapping[str, int]:
    """Sections have level 1, or stand below the parts and chapters that a document has."""
    used = {token.text for token in tokens.all if token.kind == "command"}
    base = HEADINGS.index("section")
    levels: dict[str, int] = {}
    level = 0
    for number, command in enumerate(HEADINGS):
        level += number >= base or command in used
        levels[command] = max(level, 1)
    return levels


def _find_theorems(tokens: Tokens, levels: Mapping[str, int]) -> Mapping[str, Row]:
    r"""The environments of `\newtheorem{name}[counter]{Title}[section]`, those with a star without numbers."""
    line, end = RunningText(tokens), len(tokens)
    found: dict[str, Row] = {}
    for position, token in enumerate(tokens.all):
        if token.kind != "command" or token.text != "newtheorem":
            continue
        name = line.find_argument(position + 1, end)
        shared = line.find_option(name[1] + 1, end) if name else None
        title = line.find_argument((shared or name)[1] + 1, end) if name else None
        if name is None or title is None:
            continue
        key, words = tokens.source(*name).strip(), plain_text(line.read(*title, depth=0))
        section = line.find_option(title[1] + 1, end)
        within = levels.get(tokens.source(*section).strip(), 0) if section else 0
        other = found.get(tokens.source(*shared).strip()) if shared else None
        counter, within = (other.counter, other.within) if other else (key, within)
        found[key] = Row("theorem", title=words) if token.detail else Row("theorem", "", words, counter, within)
    return found


def _find_labels(tokens: Tokens, theorems: Mapping[str, Row]) -> Mapping[int, str]:
    """The labels of headings, by their positions: the first one between a heading and the next, outside of what has its own."""
    labels: dict[int, str] = {}
    heading: int | None = None
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "command" and token.text in HEADINGS:
            heading = position
        elif token.kind == "command" and token.text == "label" and heading is not None and heading not in labels:
            if label := find_label(tokens, position, min(position + 200, len(tokens))):
                labels[heading] = label
        elif token.kind == "begin" and find_row(token.text, theorems).kind in WITH_LABELS:
            position = tokens.find_partner(position, len(tokens)) or position
        position += 1
    return labels


def find_floats(text: ContainerText, region: Region, expander: Expander) -> Iterator[ProgramFloat]:
    """The floats inside of a program's region, in order: in a fence, or in a text that is nothing but programs."""
    source = blank(text.written.text, find_ignored(text.written.text, region.start, region.end)[0])
    for match in _FLOAT.finditer(source, region.start, region.end):
        yield ProgramFloat(text.written.span(*match.span()), *_read_caption(_lex_piece(match["body"], expander)))


def _read_caption(tokens: Tokens) -> tuple[Inlines, str]:
    """The first caption, `()` where there is none, and the first label."""
    return _find_said(tokens, "caption"), find_label(tokens, 0, len(tokens))


def description_reader(reading: Reading) -> Callable[[str], Inlines]:
    r"""Reads what an author writes beside formulas, `the \emph{state} after $t$ positions, 5\% of it`; all macros of the document hold."""
    length = sum(len(text.written.text) for text in reading.texts)
    expander = make_expander(reading.macros, len(reading.texts), length)

    def read(latex: str) -> Inlines:
        tokens = _lex_piece(latex, expander)
        return RunningText(tokens).read(0, len(tokens), depth=0)

    return read


def _lex_piece(latex: str, expander: Expander) -> Tokens:
    """The tokens of LaTeX that holds no program."""
    return Tokens(lex(latex.translate(_STAND_INS), expander))
