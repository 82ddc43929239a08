"""A document in LaTeX: its title, its authors, and the blocks of its body."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.render.model import Inlines
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.inlines import plain_text
from mathdsl.render.prose.latex.blocks import BlockReader, find_label
from mathdsl.render.prose.latex.commands import HEADINGS
from mathdsl.render.prose.latex.environments import WITH_LABELS, Row, find_row
from mathdsl.render.prose.latex.lexing import lex
from mathdsl.render.prose.latex.running_text import RunningText
from mathdsl.render.prose.latex.source import read_source
from mathdsl.render.prose.latex.tokens import Tokens
from mathdsl.render.prose.result import Prose
from mathdsl.source.containers import ContainerText
from mathdsl.source.latex_text import Interval


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
