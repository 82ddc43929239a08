"""Footnotes in Markdown: `[^name]` in a text, and `[^name]: what it says` on lines of their own."""

from __future__ import annotations

import re
from collections import Counter

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

REFERENCE = "note_reference"
"""The type of the token that stands for `[^name]`; its content is what the note says."""

_NOTES, _SAID = "notes", "said"
_MOST_SAID = 20
"""How many times a note is read; further references stay as they are written, so that no text grows out of measure."""

_DEFINITION = re.compile(r"\[\^(?P<name>[^\]\s]+)\]:[ \t]*(?P<said>.*)")
_MARK = re.compile(r"\[\^(?P<name>[^\]\s]+)\]")


def read_notes(parser: MarkdownIt) -> None:
    """Have the parser read footnotes."""
    parser.block.ruler.before("reference", "note_definition", _define, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("link", REFERENCE, _refer)


def _define(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition goes on up to a blank line or the next definition."""
    first = _DEFINITION.fullmatch(_line(state, start))
    if first is None or state.is_code_block(start):
        return False
    if silent:
        return True
    said = [first["said"]]
    line = start + 1
    while line < end and not state.isEmpty(line) and not _DEFINITION.fullmatch(_line(state, line)):
        said.append(_line(state, line))
        line += 1
    state.env.setdefault(_NOTES, {}).setdefault(first["name"], "\n".join(said))
    state.line = line
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()


def _refer(state: StateInline, silent: bool) -> bool:
    match = _MARK.match(state.src, state.pos, state.posMax)
    notes: dict[str, str] = state.env.get(_NOTES, {})
    if match is None or match["name"] not in notes:
        return False
    if not silent:
        said: Counter[str] = state.env.setdefault(_SAID, Counter())
        said[match["name"]] += 1
        if said[match["name"]] > _MOST_SAID:
            return False
        state.push(REFERENCE, "", 0).content = notes[match["name"]]
    state.pos = match.end()
    return True
