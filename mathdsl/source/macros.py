r"""Macro definitions of a document: \newcommand and its relatives, \def, \let, operators and paired delimiters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.source.groups import Groups, skip_space
from mathdsl.source.model import MappedText
from mathdsl.spans import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument in braces; with a `default` one in brackets that may be left out; with a `delimiter` all up to it.

    With `script` it is what may stand behind that sign: the words of `\\underbrace{x}_{\\text{loss}}`.
    """

    default: str | None = None
    delimiter: str = ""
    script: str = ""


@dataclass(frozen=True, slots=True)
class Macro:
    r"""`body` holds text and parameter numbers (from 0); `leading` is what stands before the first argument (`\def\a(#1)`).

    `literal` says that the body is the language's own command and is not expanded again (`\let\old\sqrt`); `starred` that a star
    may follow the name; a `problem` says why a call cannot be expanded.
    """

    name: str
    body: tuple[str | int, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    leading: str = ""
    starred: bool = False
    literal: bool = False
    problem: str = ""
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Definition:
    """A macro, and the characters `start .. end` of the text that define it."""

    macro: Macro
    start: int
    end: int
    command: str


Place = tuple[int, int]
"""A text's number in the document, and an offset in it."""


@dataclass(slots=True)
class MacroTable:
    """The definitions of a whole document in order; the last one before a call holds, or else the first one after it."""

    places: dict[str, list[Place]] = field(default_factory=dict)
    macros: dict[str, list[Macro]] = field(default_factory=dict)

    def find(self, name: str, place: Place) -> Macro | None:
        if name not in self.places:
            return None
        return self.macros[name][max(0, bisect_right(self.places[name], place) - 1)]

    def spans(self, name: str) -> list[Span]:
        """Where a name is defined."""
        return [macro.span for macro in self.macros.get(name, ())]

    def add(self, definition: Definition, text_number: int) -> None:
        macro, name = definition.macro, definition.macro.name
        earlier = self.macros.get(name, [])
        if definition.command == "providecommand" and earlier:
            return
        if definition.command == "newcommand" and earlier and _differ(earlier[-1], macro):
            macro = replace(macro, problem=r"it is defined a second time, differently; \renewcommand would say that this is meant")
        self.places.setdefault(name, []).append((text_number, definition.start))
        self.macros.setdefault(name, []).append(macro)


def _differ(one: Macro, other: Macro) -> bool:
    """Of two definitions in one file, TeX would stop at the second; files of a document may each have their own."""
    return one.span.file == other.span.file and (one.body, one.parameters) != (other.body, other.parameters)


def find_definitions(mapped: MappedText, table: MacroTable, text_number: int) -> list[tuple[int, int]]:
    """Add the definitions of a text to the table; the result is where they stand, sorted and disjoint."""
    intervals: list[tuple[int, int]] = []
    groups = Groups(mapped.text)
    position = 0
    while match := _DEFINING.search(mapped.text, position):
        position = match.end()
        if match[1] is None:
            continue
        reader = _Reader(groups, match.end())
        macro = _FORMS[match[1]](reader, match[1])
        if macro is None:
            continue
        position = reader.position
        if match[1] == "let":
            macro = _resolve_let(macro, table, (text_number, match.start()))
        macro = replace(macro, span=mapped.span(match.start(), position))
        table.add(Definition(macro, match.start(), position, match[1]), text_number)
        intervals.append((match.start(), position))
    return intervals


def _resolve_let(macro: Macro, table: MacroTable, place: Place) -> Macro:
    target = str(macro.body[0])
    known = table.find(target, place)
    return replace(known, name=macro.name) if known else replace(macro, literal=True)


@dataclass(slots=True)
class _Reader:
    """A position in a text; each method reads one thing after optional white space, or leaves the position alone."""

    groups: Groups
    position: int

    @property
    def text(self) -> str:
        return self.groups.text

    def character(self, wanted: str) -> bool:
        at = skip_space(self.text, self.position)
        if not self.text.startswith(wanted, at):
            return False
        self.position = at + len(wanted)
        return True

    def command(self) -> str | None:
        match = _COMMAND.match(self.text, skip_space(self.text, self.position))
        if match is None:
            return None
        self.position = match.end()
        return match[0]

    def name(self) -> str | None:
        r"""`\x` or `{\x}`."""
        if not self.character("{"):
            return self.command()
        name = self.command()
        return name if name and self.character("}") else None

    def group(self) -> str | None:
        """The inside of a `{…}`, or one token."""
        at = skip_space(self.text, self.position)
        if not self.text.startswith("{", at):
            return self.command() or self.single()
        end = self.groups.find_close(at)
        if end is None:
            return None
        self.position = end + 1
        return self.text[at + 1 : end]

    def brackets(self) -> str | None:
        at = skip_space(self.text, self.position)
        end = self.groups.find_close(at) if self.text.startswith("[", at) else None
        if end is None:
            return None
        self.position = end + 1
        return self.text[at + 1 : end]

    def single(self) -> str | None:
        at = skip_space(self.text, self.position)
        if at >= len(self.text) or self.text[at] in "}#":
            return None
        self.position = at + 1
        return self.text[at]


def _read_newcommand(reader: _Reader, command: str) -> Macro | None:
    reader.character("*")
    name = reader.name()
    if name is None:
        return None
    count, default = reader.brackets(), None
    if count is not None:
        default = reader.brackets()
    body = reader.group()
    if body is None:
        return None
    if count is not None and not (count.strip().isdecimal() and len(count.strip()) == 1):
        return Macro(name, problem=f"`[{count}]` is no number of arguments from 0 to 9")
    parameters = tuple(Parameter(default if n == 0 else None) for n in range(int(count or 0)))
    return _with_body(Macro(name, parameters=parameters), body)


def _read_def(reader: _Reader, command: str) -> Macro | None:
    name = reader.command()
    pattern = _DEF_PATTERN.match(reader.text, reader.position)
    if name is None or pattern is None:
        return None
    reader.position = pattern.end()
    body = reader.group()
    if body is None:
        return None
    leading, *rest = re.split(r"#(\d)", pattern[0])
    if rest[0::2] != [str(n + 1) for n in range(len(rest) // 2)] or "#" in leading + "".join(rest[1::2]):
        return Macro(name, problem="its parameters are not `#1`, `#2`, … in order")
    delimiters = rest[1::2]
    return _with_body(Macro(name, parameters=tuple(Parameter(delimiter=d.strip()) for d in delimiters), leading=leading.strip()), body)


def _read_let(reader: _Reader, command: str) -> Macro | None:
    name = reader.command()
    if name is None:
        return None
    reader.character("=")
    target = reader.command() or reader.single()
    return Macro(name, (target,)) if target else None


def _read_operator(reader: _Reader, command: str) -> Macro | None:
    star = "*" if reader.character("*") else ""
    name = reader.name()
    body = reader.group() if name else None
    if name is None or body is None:
        return None
    return Macro(name, (rf"\operatorname{star}{{{_SPACING.sub('', body)}}}",))


def _read_paired_delimiter(reader: _Reader, command: str) -> Macro | None:
    name = reader.name()
    left = reader.group() if name else None
    right = reader.group() if left is not None else None
    if name is None or left is None or right is None:
        return None
    return Macro(name, (left, 0, right), (Parameter(),), starred=True)


def _read_document_command(reader: _Reader, command: str) -> Macro | None:
    name = reader.name()
    specification = reader.group() if name else None
    body = reader.group() if specification is not None else None
    if name is None or specification is None or body is None:
        return None
    parameters: list[Parameter] = []
    argument = _Reader(Groups(specification.strip()), 0)
    while argument.position < len(argument.text):
        if argument.character("m"):
            parameters.append(Parameter())
        elif argument.character("O") and (default := argument.group()) is not None:
            parameters.append(Parameter(default))
        else:
            return Macro(name, problem=f"of its argument specification `{specification}` only `m` and `O{{…}}` can be expanded")
    return _with_body(Macro(name, parameters=tuple(parameters)), body)


def _with_body(macro: Macro, body: str) -> Macro:
    parts: list[str | int] = []
    for piece in _PARAMETERS.split(body):
        if re.fullmatch(r"#\d", piece):
            if not 1 <= int(piece[1]) <= len(macro.parameters):
                return replace(macro, problem=f"its body uses `{piece}`, but it has {len(macro.parameters)} arguments")
            parts.append(int(piece[1]) - 1)
        elif piece == "#":
            return replace(macro, problem="its body holds a `#` without the number of an argument")
        elif piece:
            parts.append(piece)
    return replace(macro, body=tuple(parts))


_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|[\s\S])")
_PARAMETERS = re.compile(r"(\\#|#\d|#)")
_DEF_PATTERN = re.compile(r"[^{}]{0,200}(?=\{)")
_SPACING = re.compile(r"\\[,;:! ]|~|\s+")
_FORMS: dict[str, Callable[[_Reader, str], Macro | None]] = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), _read_newcommand),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), _read_def),
    "let": _read_let,
    "DeclareMathOperator": _read_operator,
    "DeclarePairedDelimiter": _read_paired_delimiter,
    **dict.fromkeys(("NewDocumentCommand", "RenewDocumentCommand", "DeclareDocumentCommand"), _read_document_command),
}
_DEFINING = re.compile(r"\\(?:(" + "|".join(sorted(_FORMS, key=len, reverse=True)) + r")(?![A-Za-z@])|[\s\S])")
DEFINING_COMMANDS = frozenset("\\" + name for name in _FORMS)
