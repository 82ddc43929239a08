r"""Containers of LaTeX texts: `mathdsl`, `where` and `algorithmic` environments, displays in which a program stands, or the whole text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Literal

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, Label, error, note
from mathdsl.source.algorithm2e import find_programs, is_of_package
from mathdsl.source.containers import ContainerText, Region, Said, no_program
from mathdsl.source.floats import FLOATS, name_of_caption
from mathdsl.source.groups import Groups, skip_space
from mathdsl.source.language_commands import ALGORITHMIC_COMMANDS, ALGORITHMIC_ENDS, PROGRAM_COMMANDS, PROGRAM_ENDS, STATEMENT_COMMANDS
from mathdsl.source.latex_text import Interval, find_ignored
from mathdsl.source.macros import MacroTable, find_definitions
from mathdsl.source.mapping import blank
from mathdsl.source.model import MappedText

_DISPLAYS = ("equation", "align", "aligned", "gather", "gathered", "array")
_MOST_REPORTED = 50
_OUTSIDE = "a program stands outside of every container"
_NAMES = "|".join(_DISPLAYS)
_DISPLAY_TAG = re.compile(rf"\\(?:begin|end)\{{(?:{_NAMES})\*?\}}|\\[\[\]]|\$\$")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|[\s\S])")
_PROSE = re.compile(r"(?<!\\)\$|\\\(|\\(?:sub)*section\b|\\documentclass\b")
_CONTAINERS = r"a program stands in `mathdsl`, `\[ \]`, `equation`, `align`, `aligned`, `gather` or `array`"
_ALGORITHMIC = r"a program with `\Procedure` or `\Function` stands in `algorithmic` or `mathdsl`"
_BRACKET = "["  # the name under which \[ … \] is tracked
_TRACKED = {"mathdsl", "where", "algorithmic", *FLOATS, _BRACKET, *_DISPLAYS, *(name + "*" for name in _DISPLAYS)}
_TRANSPARENT = {*FLOATS, "algorithmic"}
"""A program in them does not make program text of what is around them."""

_EVENT = re.compile(r"\\(?:(?P<tag>begin|end)\s*\{\s*(?P<name>[A-Za-z]+(?:2e)?\*?)\s*\}|(?P<bracket>[\[\]])|(?P<command>[A-Za-z]+)|[\s\S])")
_PLACEMENT = re.compile(r"\[[^\[\]{}]*\]")
_FURNITURE = re.compile(r"\\(?:caption\*?|label|centering|small|footnotesize)(?![A-Za-z])")
_PLACED = ("array", "aligned", "gathered", "algorithm", "algorithmic")


def read_latex(mapped: MappedText, is_file: bool, table: MacroTable, number: int, found: Diagnostics) -> ContainerText:
    r"""The containers of a LaTeX text; its definitions go into the table.

    All of it is program text where there is no `\begin{document}`, and it is no file, has no container, or has a program outside of them.
    """
    comments, verbatim = find_ignored(mapped.text)
    prose = blank(mapped.text, sorted(comments + verbatim))
    definitions = find_definitions(MappedText(prose, mapped.runs), table, number)
    outline = find_outline(blank(prose, definitions))
    text = blank(blank(mapped.text, comments), definitions)
    said = head_algorithms(outline, Groups(text))
    stripped = MappedText(blank(text, find_tags(outline, Groups(text))), mapped.runs)
    check_environments(outline, mapped, found)
    containers = outline.containers()
    if not outline.has_document and (not is_file or not containers or outline.loose):
        if is_file and _is_prose(stripped.text, table):
            found.add(no_program(mapped.span(0, 0)))
            return ContainerText("latex", mapped, stripped, ())
        return ContainerText("program", mapped, stripped, (Region("program", 0, len(text), (0, len(text)), said=said),))
    _check_nothing_dropped(outline, mapped, found)
    regions: list[Region] = []
    last_end: int | None = None
    for container in containers:
        if container.is_closed:
            after = last_end is not None and not _DISPLAY_TAG.sub("", stripped.text[last_end : container.start]).strip()
            kind: Literal["program", "where"] = "where" if container.name == "where" else "program"
            whole = container.start, container.end
            inside = whole if container.is_algorithm2e else (container.inside, container.inside_end)
            tags = tuple(one for one in said if whole[0] <= one[0] < whole[1])
            regions.append(Region(kind, *inside, whole, after, tags))
            last_end = container.end
    return ContainerText("latex", mapped, stripped, tuple(regions))


def _is_prose(text: str, table: MacroTable) -> bool:
    """Whether nothing in a text defines anything: no command of a statement or of the author's, and `=` at most as in formulas of prose."""
    if not text.strip() or any(command in STATEMENT_COMMANDS or command in table.macros for command in _COMMAND.findall(text)):
        return False
    return "=" not in text or _PROSE.search(text) is not None


def read_block(mapped: MappedText, groups: Groups, start: int, end: int, found: Diagnostics) -> tuple[list[Interval], tuple[Said, ...]]:
    """The tags of the displays in a block of program text that hold its program, and what those of algorithms say."""
    outline = find_outline(groups.text, start, end)
    check_environments(outline, mapped, found)
    said = head_algorithms(outline, groups)
    return find_tags(outline, groups), said


def check_environments(outline: Outline, mapped: MappedText, found: Diagnostics) -> None:
    """Report what is not closed, or closes nothing; of each, no more than anybody would read."""
    unclosed = [e for e in outline.environments if e.is_container and not e.is_closed and not (e.parent and e.parent.is_container)]
    for environment in unclosed[:_MOST_REPORTED]:
        near = outline.stray[bisect_right(outline.stray, environment.start, key=lambda item: item[1][0]) :][:1]
        found.add(
            error(
                "E0105",
                f"`{environment.written_name}` is never closed",
                mapped.span(environment.start, environment.inside),
                labels=[Label(mapped.span(*span), "this closes an environment of another name") for _, span in near],
                help="end it by its own name, inside the environment that it stands in",
            )
        )
    strays = [(name, span) for name, span in outline.stray if name in ("mathdsl", "where")]
    for name, span in strays[:_MOST_REPORTED]:
        found.add(error("E0105", rf"`\end{{{name}}}` closes nothing", mapped.span(*span), help=rf"begin it with `\begin{{{name}}}`"))


def _check_nothing_dropped(outline: Outline, mapped: MappedText, found: Diagnostics) -> None:
    begins = [span for span in outline.loose if mapped.text[slice(*span)] not in PROGRAM_ENDS]
    for span in begins[:_MOST_REPORTED] or outline.loose[:1]:
        found.add(error("E0103", _OUTSIDE, mapped.span(*span), label="this would be taken for prose", help=_CONTAINERS))
    begins = [span for span in outline.misplaced if mapped.text[slice(*span)] not in ALGORITHMIC_ENDS]
    for span in begins[:_MOST_REPORTED] or outline.misplaced[:1]:
        found.add(error("E0103", _OUTSIDE, mapped.span(*span), label="this would be taken for prose", help=_ALGORITHMIC))
    prose = [e for e in outline.environments if e.name == "algorithmic" and not e.is_container and not e.in_container]
    for environment in prose[:_MOST_REPORTED]:
        message = r"this algorithm is taken for prose: neither `\Procedure` nor `\Function` stands in it"
        found.add(note("N0103", message, mapped.span(environment.start, environment.inside)))
    floats = [e for e in outline.environments if e.name in FLOATS and e.is_closed and not e.is_algorithm2e and not e.in_container]
    for environment in [e for e in floats if is_of_package(mapped.text[e.inside : e.inside_end])][:_MOST_REPORTED]:
        message = r"this algorithm is taken for prose: neither `\KwIn` nor `\KwOut` stands in it"
        found.add(note("N0103", message, mapped.span(environment.start, environment.inside)))


# ---- the outline -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Environment:
    """An environment of a tracked name; its tags are `start .. inside` and `inside_end .. end`, `end` is -1 where it is not closed."""

    name: str
    start: int
    inside: int
    parent: Environment | None
    inside_end: int = -1
    end: int = -1
    has_program: bool = False
    has_algorithm: bool = False
    is_algorithm2e: bool = False
    in_container: bool = False

    @property
    def is_container(self) -> bool:
        r"""It makes its inside program text. (A `where` is a container even inside another: then of its rows.)"""
        if self.name == "algorithmic":
            return self.has_program or self.has_algorithm
        return self.name in ("mathdsl", "where") or self.is_algorithm2e or (self.has_program and self.name not in FLOATS)

    @property
    def is_closed(self) -> bool:
        return self.end >= 0

    @property
    def written_name(self) -> str:
        return r"\[" if self.name == _BRACKET else rf"\begin{{{self.name}}}"


@dataclass(slots=True)
class Outline:
    """`environments` in order of their first tag; `loose` program commands stand in none; `stray` are ends that close nothing.

    `misplaced` are the commands of the algorithmic notation outside of its environment and of `mathdsl`.
    """

    environments: list[Environment] = field(default_factory=list)
    loose: list[Interval] = field(default_factory=list)
    misplaced: list[Interval] = field(default_factory=list)
    stray: list[tuple[str, Interval]] = field(default_factory=list)
    has_document: bool = False

    def containers(self) -> list[Environment]:
        """The outermost environments whose inside is program text."""
        return [e for e in self.environments if e.is_container and not e.in_container]


def find_outline(text: str, start: int = 0, end: int | None = None) -> Outline:
    """The outline of characters `start .. end`, in time linear in their number."""
    outline = Outline()
    opened: list[Environment] = []
    depth_of: Counter[str] = Counter()
    for match in _EVENT.finditer(text, start, len(text) if end is None else end):
        if match["command"]:
            _place_command(outline, opened, "\\" + match["command"], match.span())
            continue
        name = _BRACKET if match["bracket"] else match["name"]
        begins = match["bracket"] == "[" or match["tag"] == "begin"
        outline.has_document |= name == "document"
        if name not in _TRACKED:
            continue
        if begins:
            environment = Environment(name, *match.span(), parent=opened[-1] if opened else None)
            outline.environments.append(environment)
            opened.append(environment)
            depth_of[name] += 1
        elif depth_of[name]:
            while (closed := opened.pop()).name != name:
                depth_of[closed.name] -= 1
            depth_of[name] -= 1
            closed.inside_end, closed.end = match.span()
        else:
            outline.stray.append((name, match.span()))
    _find_algorithms(outline, text)
    _settle(outline)
    return outline


def _find_algorithms(outline: Outline, text: str) -> None:
    floats = {(e.inside, e.inside_end): e for e in outline.environments if e.name in FLOATS and e.is_closed}
    for environment in outline.environments:
        if environment.name in FLOATS and not environment.is_closed:  # which is reported
            environment.is_algorithm2e = any(find_programs(text, [(environment.inside, len(text))]))
    for inside in find_programs(text, [*floats]):
        floats[inside].is_algorithm2e = True
        outline.misplaced = [span for span in outline.misplaced if not inside[0] <= span[0] < inside[1]]


def _place_command(outline: Outline, opened: list[Environment], command: str, span: Interval) -> None:
    if command not in PROGRAM_COMMANDS and command not in ALGORITHMIC_COMMANDS:
        return
    inside = next((environment for environment in reversed(opened) if environment.name not in FLOATS), None)
    if command in PROGRAM_COMMANDS:
        if inside is not None:
            inside.has_program = True
        else:
            outline.loose.append(span)
    elif inside is not None and inside.name == "algorithmic":
        inside.has_algorithm = True
    elif not any(environment.name == "mathdsl" for environment in opened):
        outline.misplaced.append(span)


def _settle(outline: Outline) -> None:
    """What stands in an environment stands in those around it too."""
    for environment in reversed(outline.environments):
        if environment.parent is not None and environment.name not in _TRANSPARENT:
            environment.parent.has_program |= environment.has_program
    for environment in outline.environments:
        if environment.parent is not None:
            environment.in_container = environment.parent.in_container or environment.parent.is_container


def find_tags(outline: Outline, groups: Groups) -> list[Interval]:
    """The tags that only hold a program, with their arguments, sorted: they carry no meaning."""
    tags: list[Interval] = []
    for environment in outline.environments:
        holds = (environment.is_container or environment.name in FLOATS) and not environment.is_algorithm2e
        if holds and environment.name != "where" and environment.is_closed:
            tags.append((environment.start, _skip_arguments(environment, groups)))
            tags.append((environment.inside_end, environment.end))
    tags += _find_furniture(outline, groups)
    return _disjoint(sorted(tags))


def _find_furniture(outline: Outline, groups: Groups) -> Iterator[Interval]:
    """Captions, labels and layout of the floats, outside of the algorithms in them."""
    algorithms = [(e.start, e.end) for e in outline.environments if e.name == "algorithmic"]
    searched = 0
    for environment in outline.environments:
        if environment.name not in FLOATS or environment.is_algorithm2e or not environment.is_closed or environment.start < searched:
            continue
        searched = environment.end
        for match in _FURNITURE.finditer(groups.text, environment.inside, environment.inside_end):
            before = bisect_right(algorithms, match.start(), key=lambda interval: interval[0])
            if not before or algorithms[before - 1][1] <= match.start():
                yield match.start(), _skip_group(groups, _skip_placement(groups.text, match.end()))


def head_algorithms(outline: Outline, groups: Groups) -> tuple[Said, ...]:
    r"""What the tags of algorithms say where no program of a text has a header: `\begin{algorithmic}` is `\Procedure{Name}`.

    The name is that of the caption, "Power iteration" of `PowerIteration`, or of the label, or `Algorithm`.
    """
    if outline.loose or outline.misplaced or any(e.has_program or e.has_algorithm for e in outline.environments):
        return ()
    found: list[Said] = []
    unnamed = 0
    for environment in outline.environments:
        if environment.name == "algorithmic" and environment.is_closed:
            around = environment.parent if environment.parent and environment.parent.name in FLOATS else None
            name = "" if around is None else name_of_caption(groups, around.inside, around.inside_end)
            unnamed += not name
            name = name or "Algorithm" + (str(unnamed) if unnamed > 1 else "")
            found.append((environment.start, environment.inside, rf"\Procedure{{{name}}}"))
            found.append((environment.inside_end, environment.end, r"\EndProcedure"))
            environment.has_algorithm = True
    _settle(outline)
    return tuple(found)


def _disjoint(intervals: list[Interval]) -> list[Interval]:
    """Sorted intervals without those that begin inside of another one."""
    kept: list[Interval] = []
    for interval in intervals:
        if not kept or interval[0] >= kept[-1][1]:
            kept.append(interval)
    return kept


def _skip_placement(text: str, position: int) -> int:
    placement = _PLACEMENT.match(text, skip_space(text, position))
    return placement.end() if placement else position


def _skip_group(groups: Groups, position: int) -> int:
    at = skip_space(groups.text, position)
    closing = groups.find_close(at) if groups.text.startswith("{", at) else None
    return position if closing is None else closing + 1


def _skip_arguments(environment: Environment, groups: Groups) -> int:
    name = environment.name.removesuffix("*")
    position = environment.inside
    if name in _PLACED:
        position = _skip_placement(groups.text, position)
    return _skip_group(groups, position) if name == "array" else position
