r"""The outline of a LaTeX text: the environments that may hold a program, and the program commands outside of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from mathdsl.source.groups import Groups, skip_space
from mathdsl.source.language_commands import ALGORITHMIC_COMMANDS, PROGRAM_COMMANDS
from mathdsl.source.latex_text import Interval

DISPLAYS = ("equation", "align", "aligned", "gather", "gathered", "array")
_BRACKET = "["  # the name under which \[ … \] is tracked
_TRACKED = {"mathdsl", "where", "algorithmic", _BRACKET, *DISPLAYS, *(name + "*" for name in DISPLAYS)}

_EVENT = re.compile(r"\\(?:(?P<tag>begin|end)\s*\{\s*(?P<name>[A-Za-z]+\*?)\s*\}|(?P<bracket>[\[\]])|(?P<command>[A-Za-z]+)|[\s\S])")
_PLACEMENT = re.compile(r"\[[tcb]\]")


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
    in_container: bool = False

    @property
    def is_container(self) -> bool:
        r"""It makes its inside program text. (A `where` is a container even inside another: then of its rows.)"""
        return self.name in ("mathdsl", "where") or (self.has_program and self.name != "algorithmic")

    @property
    def is_closed(self) -> bool:
        return self.end >= 0

    @property
    def written_name(self) -> str:
        return r"\[" if self.name == _BRACKET else rf"\begin{{{self.name}}}"


@dataclass(slots=True)
class Outline:
    """`environments` in order of their first tag; `loose` program commands stand in none; `stray` are ends that close nothing."""

    environments: list[Environment] = field(default_factory=list)
    loose: list[Interval] = field(default_factory=list)
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
    _settle(outline)
    return outline


def _place_command(outline: Outline, opened: list[Environment], command: str, span: Interval) -> None:
    if command in PROGRAM_COMMANDS:
        if opened:
            opened[-1].has_program = True
        else:
            outline.loose.append(span)
    elif command in ALGORITHMIC_COMMANDS and opened and opened[-1].name == "algorithmic":
        opened[-1].has_algorithm = True


def _settle(outline: Outline) -> None:
    """What stands in an environment stands in those around it too."""
    for environment in reversed(outline.environments):
        if environment.parent is not None:
            environment.parent.has_program |= environment.has_program
    for environment in outline.environments:
        if environment.parent is not None:
            environment.in_container = environment.parent.in_container or environment.parent.is_container


def find_tags(outline: Outline, groups: Groups) -> list[Interval]:
    """The tags that only hold a program, with their arguments, sorted: they carry no meaning."""
    tags: list[Interval] = []
    for environment in outline.environments:
        if environment.is_container and environment.name != "where" and environment.is_closed:
            tags.append((environment.start, _skip_arguments(environment, groups)))
            tags.append((environment.inside_end, environment.end))
    return sorted(tags)


def _skip_arguments(environment: Environment, groups: Groups) -> int:
    name = environment.name.removesuffix("*")
    position = environment.inside
    if name in ("array", "aligned", "gathered") and (placement := _PLACEMENT.match(groups.text, skip_space(groups.text, position))):
        position = placement.end()
    at = skip_space(groups.text, position)
    if name == "array" and groups.text.startswith("{", at) and (closing := groups.find_close(at)) is not None:
        position = closing + 1
    return position
