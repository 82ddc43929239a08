"""Containers of Markdown and reStructuredText: fenced `mathdsl` blocks, `mathdsl` directives, displays with a program or a table."""

from __future__ import annotations

import re
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostics, error, note
from mathdsl.source.containers import ContainerText, Markup, Region
from mathdsl.source.docstring_declarations import find_declarations
from mathdsl.source.groups import Groups
from mathdsl.source.latex_containers import read_block
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.macros import MacroTable, find_definitions
from mathdsl.source.mapping import blank
from mathdsl.source.model import MappedText

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r"([ \t]*+(?:(?:[-*+>]|\d+[.)])[ \t]*+)?)(?P<fence>`{3,}|~{3,})[ \t]*+\{?(?P<language>[^\s`{}]*)")
_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\.[ \t]+(?P<name>mathdsl|math)::")
_OPTION = re.compile(r"[ \t]+:[A-Za-z-]+:")
_DISPLAY = re.compile(r"[ \t]*+\$\$(?P<inside>(?:[^$\\]|\\.)*)\$\$", re.DOTALL)
_PROGRAM = re.compile(r"\\(?:Module|Procedure|Function|algoProc)(?![A-Za-z])")
_READ = re.compile(r"\\(?P<program>Module|algoProc)(?![A-Za-z])|\\begin\s*\{where\}")
"""A program or a table, for which a display is read."""
_LATEX = frozenset({"latex", "tex"})
"""Languages of fences in which an author may have meant a program."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Program text, and with it what makes it a block: a fence, the head of a directive; a table alone is no program."""

    inside: Interval
    whole: Interval
    is_program: bool = True


def read_markup(mapped: MappedText, markup: Markup, table: MacroTable, number: int, found: Diagnostics) -> ContainerText:
    """The blocks of a marked-up text; its definitions go into the table."""
    return _read_blocks(mapped, markup, _find_blocks(mapped, True, found), table, number, found)


def read_docstring(mapped: MappedText, table: MacroTable, number: int, found: Diagnostics) -> ContainerText:
    """The directives of a docstring, with what is said around them."""
    blocks = _find_blocks(mapped, False, found)
    text = _read_blocks(mapped, "rest", blocks, table, number, found)
    programs = [k for k, block in enumerate(blocks) if block.is_program]
    said = find_declarations(mapped, [blocks[k].inside for k in programs])
    return replace(text, prose=tuple((programs[k], rows) for k, rows in said))


def _read_blocks(
    mapped: MappedText, markup: Markup, blocks: list[_Block], table: MacroTable, number: int, found: Diagnostics
) -> ContainerText:
    comments = [interval for block in blocks for interval in find_ignored(mapped.text, *block.inside)[0]]
    text = blank(mapped.text, comments)
    definitions = find_definitions(MappedText(text, mapped.runs), table, number)
    groups = Groups(blank(text, definitions))
    read = [read_block(mapped, groups, *block.inside, found) for block in blocks]
    tags = [tag for block_tags, _ in read for tag in block_tags]
    regions = tuple(Region("program", *block.inside, block.whole, said=said) for block, (_, said) in zip(blocks, read, strict=True))
    return ContainerText(markup, mapped, MappedText(blank(groups.text, tags), mapped.runs), regions)


def _find_blocks(mapped: MappedText, fences: bool, found: Diagnostics) -> list[_Block]:
    text = mapped.text
    blocks: list[_Block] = []
    position = 0
    while position < len(text):
        line = _LINE.match(text, position)
        line_end = line.end() if line else len(text)
        if fences and (fence := _FENCE.match(text, position, line_end)):
            inside_end, after = _find_fence_end(text, line_end, fence["fence"])
            if fence["language"] == "mathdsl":
                if after is None:
                    message = "this fenced block is never closed"
                    found.add(
                        error(
                            "E0105", message, mapped.span(*fence.span("fence")), help="end it with a line that holds nothing but its fence"
                        )
                    )
                else:
                    blocks.append(_Block((line_end, inside_end), (position, after)))
            elif fence["language"] == "math" and (meant := _READ.search(text, line_end, inside_end)):
                message = "a program stands in a `math` block"
                advice = "begin the block with `mathdsl`, or write it between `$$`"
                found.add(error("E0103", message, mapped.span(*meant.span()), label="this would be taken for prose", help=advice))
            elif fence["language"].lower() in _LATEX and (program := _PROGRAM.search(text, line_end, inside_end)):
                message = f"this program is taken for prose: it stands in a `{fence['language']}` block"
                found.add(note("N0103", message, mapped.span(*program.span()), help="begin the block with `mathdsl` to have it compiled"))
            position = len(text) if after is None else after
        elif directive := _DIRECTIVE.match(text, position, line_end):
            block = directive.end(), _find_directive_end(text, line_end, len(directive["indent"].expandtabs()))
            read = list(_READ.finditer(text, *block))
            if directive["name"] == "mathdsl" or read:
                inside = _skip_options(text, block[0], line_end, block[1])
                blocks.append(_Block((inside, block[1]), (position, block[1]), not read or any(one["program"] for one in read)))
            position = block[1]
        elif fences and (display := _DISPLAY.match(text, position)):
            if _READ.search(display["inside"]):
                blocks.append(_Block(display.span("inside"), display.span()))
            position = display.end()
        else:
            position = line_end
    return blocks


def _find_fence_end(text: str, position: int, fence: str) -> tuple[int, int | None]:
    closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(text, position)
    return (len(text), None) if closing is None else (closing.start(), closing.end())


def _find_directive_end(text: str, position: int, indent: int) -> int:
    """A directive goes on while lines are blank or indented deeper than it."""
    while position < len(text):
        line = _LINE.match(text, position)
        content = line[0].expandtabs() if line else ""
        if content.strip() and len(content) - len(content.lstrip()) <= indent:
            break
        position += len(line[0]) if line else 1
    return position


def _skip_options(text: str, argument: int, position: int, end: int) -> int:
    """The first lines of a directive may be options (`:label: name`); what stands beside the directive's name is text."""
    if text[argument:position].strip():
        return argument
    while position < end and _OPTION.match(text, position):
        line = _LINE.match(text, position)
        position = line.end() if line else end
    return min(position, end)
