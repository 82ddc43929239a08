r"""Expansion: program text with its macros and equal spellings replaced, every character with its origin.

TeX's order: a call takes its arguments unexpanded, its body is read again. The text to read is a stack of frames, the
innermost body on top, so that a call in the tail of a body may take its arguments from what follows the outer call.
"""

from __future__ import annotations

import re
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, Label, MathdslError, error
from mathdsl.diagnostics.presenting import list_definitions
from mathdsl.source.characters import CHARACTERS, replace_characters
from mathdsl.source.groups import TOKEN, Groups, is_command_with_groups, is_one_argument, skip_space
from mathdsl.source.language_commands import (
    ARGUMENTS,
    OWNED,
    PLAIN_TEXT,
    RAW_TEXT,
    TEX_PROGRAMMING,
)
from mathdsl.source.macros import DEFINING_COMMANDS, Macro, MacroTable, Parameter, Place
from mathdsl.source.mapping import TextBuilder, cut, run_at, span_of, with_definition
from mathdsl.source.model import MappedText, Run
from mathdsl.source.ornaments import DECORATIONS, DEFINES, FRAMES, ORNAMENTS, STACKS, unstacked
from mathdsl.spans import Span

MAX_DEPTH = 100
"""How deep a body may call macros whose bodies call macros."""

_EVENT = re.compile(rf"(?P<environment>\\(?:begin|end)\s*\{{[^{{}}]*\}})|\\(?:[A-Za-z]+|[\s\S]|\Z)|[{{}}_^&]|{CHARACTERS}")
_ROOM = re.compile(r"\*?\s*\[[^\[\]]*\]")
_DESCRIPTION_END = re.compile(r"\\\\|\\end\s*\{where\}")
_NO_ARGUMENT = frozenset({"}", "&", ")", "]", ",", ";", "\\\\"})
"""TeX would take these for an argument that an author forgot."""


@dataclass(slots=True)
class Context:
    """What the texts of one document share while they are expanded.

    `calls` and `characters` are what expansion may still cost, so that explosive macros end in an error; `owned` collects the
    language's commands that the programs use, `refused` the places of refused characters; `is_prose`: what is expanded is only shown.
    """

    macros: MacroTable
    found: Diagnostics
    calls: int
    characters: int
    owned: set[str] = field(default_factory=set)
    refused: list[Span] = field(default_factory=list)
    is_prose: bool = False


def make_context(macros: MacroTable, found: Diagnostics, length: int) -> Context:
    """The context of a document of `length` characters: what macros may make of it is proportional to it."""
    return Context(macros, found, calls=20_000 + length, characters=1_000_000 + 20 * length)


@dataclass(slots=True)
class _Frame:
    r"""A text that is being read: scanned up to `position`, copied to the result up to `copied`; `plain_until`: see PLAIN_TEXT.

    `stacked_until` is the end of a `\substack{i \neq j \\ i < n}`, whose lines are the items of a list, and `hidden` its brace.
    """

    mapped: MappedText
    groups: Groups
    position: int = 0
    copied: int = 0
    plain_until: int = 0
    stacked_until: int = 0
    hidden: int = -1


def expand(text: MappedText, place: Place, context: Context, *, rows: bool) -> MappedText:
    """The expanded text; `rows` says that it is the inside of a `where`.

    Raises MathdslError where a call cannot be expanded; refused characters are added to the findings, and stand-ins go on.
    """
    return _Expansion(place, context, environments=["where"] if rows else []).run(text)


@dataclass(slots=True)
class _Expansion:
    place: Place
    context: Context
    environments: list[str]
    frames: list[_Frame] = field(default_factory=list)
    result: TextBuilder = field(default_factory=TextBuilder)
    in_description: bool = False
    wanted: int = 0  # how many arguments the command before still takes
    after_script: bool = False  # directly after `_` or `^`
    wanted_outside: list[int] = field(default_factory=list)  # `wanted` at each open brace

    def run(self, text: MappedText) -> MappedText:
        self.frames.append(_Frame(text, Groups(text.text)))
        while self.frames:
            frame = self.frames[-1]
            if self.in_description:
                self._skip_description(frame)
                continue
            match = _EVENT.search(frame.mapped.text, frame.position)
            if match is None:
                self._count_arguments(frame, len(frame.mapped.text))
                self._leave(frame)
                continue
            self._count_arguments(frame, match.start())
            frame.position = match.end()
            self._handle(frame, match)
        return self.result.build()

    def _handle(self, frame: _Frame, match: re.Match[str]) -> None:
        token = match[0]
        if match["environment"]:
            self._track_environment(token)
        elif token == "}" and match.start() == frame.hidden:
            self._put(frame, match.start(), "")
        elif token[0] == "\\":
            self._handle_command(frame, match.start(), token)
        elif token == "{":
            self.wanted_outside.append(self.wanted)
            self.wanted = 0
        elif token == "}":
            self.wanted = max(0, (self.wanted_outside.pop() if self.wanted_outside else 0) - 1)
        elif token in "_^":
            self.wanted, self.after_script = 0, True
            return
        elif token == "&":
            self.in_description = self.environments[-1:] == ["where"]
        elif match.start() >= frame.plain_until:
            self._replace_characters(frame, match)
        self.after_script = False

    # ---- copying ---------------------------------------------------------------------------------

    def _copy(self, frame: _Frame, end: int) -> None:
        self.result.add_slice(frame.mapped, frame.copied, end)
        frame.copied = end

    def _put(self, frame: _Frame, start: int, text: str) -> None:
        """Other characters in the place of a command."""
        self._copy(frame, start)
        self.result.add(text, span_of(frame.mapped, start, frame.position))
        frame.copied = frame.position

    def _leave(self, frame: _Frame) -> None:
        self._copy(frame, len(frame.mapped.text))
        self.frames.pop()

    def _skip_description(self, frame: _Frame) -> None:
        """A description is text: it runs to the end of its row, whatever stands in it."""
        match = _DESCRIPTION_END.search(frame.mapped.text, frame.position)
        if match is None:
            self._leave(frame)
            return
        frame.position, self.in_description = match.start(), False

    def _track_environment(self, token: str) -> None:
        name = token[token.index("{") + 1 : -1].strip()
        if token.startswith("\\begin"):
            self.environments.append(name)
        elif self.environments[-1:] == [name]:
            self.environments.pop()
        self.wanted = 0

    def _count_arguments(self, frame: _Frame, end: int) -> None:
        """Plain characters since the last event: each is an argument of the command before, an optional one is none."""
        if not (self.wanted or self.after_script) or frame.position == end:
            return
        between = frame.mapped.text[frame.position : end]
        if between.lstrip().startswith("[") and "]" in between:
            between = between[between.index("]") + 1 :]
        written = len(between.split()) and len("".join(between.split()))
        self.wanted = max(0, self.wanted - written)
        self.after_script = self.after_script and not written

    # ---- characters ------------------------------------------------------------------------------

    def _replace_characters(self, frame: _Frame, match: re.Match[str]) -> None:
        span = span_of(frame.mapped, match.start(), match.end())
        replaced = replace_characters(match, span, self.context.found, self.context.refused)
        self._copy(frame, match.start())
        self.result.add(replaced, span)
        frame.copied = match.end()
        self.wanted = max(0, self.wanted - 1)

    # ---- commands --------------------------------------------------------------------------------

    def _handle_command(self, frame: _Frame, start: int, command: str) -> None:
        if command in OWNED:
            self.context.owned.add(command)
        elif (macro := self.context.macros.find(command, self._place_of(frame, start))) is not None:
            self._call(frame, start, macro)
            return
        elif command == r"\substack" and not self.context.is_prose:
            opening = skip_space(frame.mapped.text, frame.position)
            frame.stacked_until = frame.groups.find_close(opening) or 0
            if frame.stacked_until and not self.after_script:  # TeX shows no braces
                frame.position, frame.hidden = opening + 1, frame.stacked_until
            self._put(frame, start, "")
        elif command == "\\\\" and start < frame.stacked_until:
            room = _ROOM.match(frame.mapped.text, frame.position)
            frame.position = frame.position if room is None else room.end()
            self._put(frame, start, ",")
        elif (ornament := self._ornament(frame, command)) is not None:
            self._substitute(frame, start, ornament, span_of(frame.mapped, start, frame.position))
            return
        elif command in TEX_PROGRAMMING or command in DEFINING_COMMANDS:
            self._refuse_programming(frame, start, command)
        if command in RAW_TEXT or command in PLAIN_TEXT:
            self._enter_text(frame, raw=command in RAW_TEXT)
        self.wanted = ARGUMENTS.get(command, max(0, self.wanted - 1))

    def _ornament(self, frame: _Frame, command: str) -> Macro | None:
        """What is left of a command that means nothing here."""
        if command in STACKS and not self.context.is_prose:
            return self._unstacked(frame, command)
        found = ORNAMENTS.get(command) or (None if self.context.is_prose else DECORATIONS.get(command))
        return replace(found, body=("{", 0, "}")) if found is not None and command in FRAMES and self._is_a_value(frame) else found

    def _is_a_value(self, frame: _Frame) -> bool:
        """Whether an argument that follows holds no sign of a definition: a frame around a value groups it."""
        opening = skip_space(frame.mapped.text, frame.position)
        closing = frame.groups.find_close(opening) if frame.mapped.text.startswith("{", opening) else None
        return closing is not None and DEFINES.search(frame.mapped.text, opening, closing) is None

    def _unstacked(self, frame: _Frame, command: str) -> Macro | None:
        arguments: list[str] = []
        at = frame.position
        for _ in range(2):
            opening = skip_space(frame.mapped.text, at)
            closing = frame.groups.find_close(opening) if frame.mapped.text.startswith("{", opening) else None
            if closing is None:
                return None
            arguments.append(frame.mapped.text[opening + 1 : closing])
            at = closing + 1
        alias = self.context.macros.find(arguments[1].strip(), self._place_of(frame, frame.position))
        base = arguments[1] if alias is None or alias.parameters else "".join(map(str, alias.body))
        body = unstacked(command, arguments[0], base)
        return None if body is None else Macro(command, body, (Parameter(), Parameter()))

    def _place_of(self, frame: _Frame, start: int) -> Place:
        """Where the author's own call stands: definitions hold from their place on."""
        return self.place[0], self.place[1] + (start if len(self.frames) == 1 else self.frames[0].position)

    def _enter_text(self, frame: _Frame, *, raw: bool) -> None:
        opening = skip_space(frame.mapped.text, frame.position)
        if not frame.mapped.text.startswith("{", opening):
            return
        closing = frame.groups.find_close(opening)
        if closing is None:
            return
        if raw:
            frame.position = closing + 1
        else:
            frame.plain_until = closing

    def _refuse_programming(self, frame: _Frame, start: int, command: str) -> None:
        if command in (r"\input", r"\include"):
            message = f"`{command}` takes in a file beside the document, and this text is not a file"
            help = "write what the file holds, or compile a file with this text: `mathdsl compile paper.tex`"
            raise MathdslError(error("E0116", message, frame.mapped.span(start, start + len(command)), help=help))
        raise MathdslError(
            error(
                "E0116",
                f"`{command}` programs TeX and has no meaning in a program",
                frame.mapped.span(start, start + len(command)),
                help="write what it expands to; define macros outside of other macros, with \\newcommand",
            )
        )

    # ---- calls -----------------------------------------------------------------------------------

    def _call(self, frame: _Frame, start: int, macro: Macro) -> None:
        name_span = span_of(frame.mapped, start, frame.position)
        definition = Label(macro.span, "defined here")
        if macro.problem:
            raise MathdslError(error("E0112", f"`{macro.name}` cannot be expanded: {macro.problem}", name_span, labels=[definition]))
        chain = list_definitions(name_span)
        if macro.span in chain:
            raise MathdslError(
                error(
                    "E0110",
                    f"the macro `{macro.name}` uses itself",
                    name_span,
                    label="the expansion of this call never ends",
                    help="a macro of a document is only an abbreviation; write a recurrence with an index (`h[t-1]`)",
                )
            )
        if len(chain) >= MAX_DEPTH:
            raise MathdslError(error("E0111", f"macros call macros more than {MAX_DEPTH} levels deep here", name_span, labels=[definition]))
        self._substitute(frame, start, macro, name_span)

    def _substitute(self, frame: _Frame, start: int, macro: Macro, name_span: Span) -> None:
        """Put the body, arguments in their places, on top of the frames."""
        self._copy(frame, start)
        frame.copied = frame.position
        arguments = self._read_arguments(macro, name_span)
        call = name_span
        if arguments and self.frames[-1] is frame and run_at(frame.mapped, start).verbatim:
            call = span_of(frame.mapped, start, frame.position)
        origin = with_definition(call, macro.span) if macro.span.file else call
        body = self._build_body(macro, arguments, origin)
        self._spend(len(body.text), name_span, macro)
        if macro.literal:
            self.result.add(body.text, origin)
            self.wanted = ARGUMENTS.get(body.text, max(0, self.wanted - 1))
            return
        self.frames.append(_Frame(body, Groups(body.text), plain_until=len(body.text) if start < frame.plain_until else 0))

    def _build_body(self, macro: Macro, arguments: list[MappedText], origin: Span) -> MappedText:
        builder = TextBuilder()
        for part in macro.body:
            if isinstance(part, str):
                builder.add(part, origin)
            else:
                builder.add_slice(arguments[part], 0, len(arguments[part].text))
        body = builder.build()
        if (self.wanted and not is_one_argument(body.text)) or (self.after_script and is_command_with_groups(body.text)):
            braced = TextBuilder()
            braced.add("{", origin)
            braced.add_slice(body, 0, len(body.text))
            braced.add("}", origin)
            return braced.build()
        return body

    def _spend(self, characters: int, span: Span, macro: Macro) -> None:
        self.context.calls -= 1
        self.context.characters -= characters
        if self.context.calls < 0 or self.context.characters < 0:
            labels = [Label(macro.span, "this macro is being expanded")] if macro.span.file else []
            raise MathdslError(error("E0111", "the macros of this document expand to too much text", span, labels=labels))

    # ---- arguments -------------------------------------------------------------------------------

    def _read_arguments(self, macro: Macro, name_span: Span) -> list[MappedText]:
        frame = self.frames[-1]
        if macro.starred and frame.mapped.text.startswith("*", frame.position):
            frame.position += 1
        if macro.leading:
            self._read_leading(macro, name_span)
        arguments = [self._read_argument(parameter, macro, number, name_span) for number, parameter in enumerate(macro.parameters)]
        frame = self.frames[-1]
        frame.copied = frame.position
        return arguments

    def _read_leading(self, macro: Macro, name_span: Span) -> None:
        frame = self._frame_with_text()
        at = skip_space(frame.mapped.text, frame.position)
        if not frame.mapped.text.startswith(macro.leading, at):
            raise self._argument_error(macro, name_span, f"`{macro.name}` must be followed by `{macro.leading}`")
        frame.position = at + len(macro.leading)

    def _frame_with_text(self) -> _Frame:
        """The innermost frame that is not read to its end: TeX takes arguments from wherever they come."""
        while len(self.frames) > 1 and not self.frames[-1].mapped.text[self.frames[-1].position :].strip():
            self.frames.pop()
            self.frames[-1].copied = self.frames[-1].position
        return self.frames[-1]

    def _read_argument(self, parameter: Parameter, macro: Macro, number: int, name_span: Span) -> MappedText:
        frame = self.frames[-1] if parameter.default is not None else self._frame_with_text()
        text = frame.mapped.text
        at = skip_space(text, frame.position)
        if parameter.default is not None:
            closing = frame.groups.find_close(at) if text.startswith("[", at) else None
            if closing is None:
                return _made(parameter.default, with_definition(name_span, macro.span))
            return self._take(frame, at + 1, closing, closing + 1)
        if parameter.script and not text.startswith(parameter.script, at):
            return _made("", name_span)
        if parameter.script:
            frame.position = at + 1
            return self._read_argument(Parameter(), macro, number, name_span)
        if parameter.delimiter:
            return self._read_delimited(frame, at, parameter.delimiter, macro, name_span)
        if text.startswith("{", at):
            closing = frame.groups.find_close(at)
            if closing is None:
                raise self._argument_error(macro, name_span, f"the braces of an argument of `{macro.name}` are not closed")
            return self._take(frame, at + 1, closing, closing + 1)
        token = TOKEN.match(text, at)
        if token is None or token[0] in _NO_ARGUMENT:
            total = len(macro.parameters)
            raise self._argument_error(macro, name_span, f"`{macro.name}` takes {total} argument{'s' * (total != 1)}, here are {number}")
        return self._take(frame, at, token.end(), token.end())

    def _read_delimited(self, frame: _Frame, at: int, delimiter: str, macro: Macro, name_span: Span) -> MappedText:
        position = at
        while position < len(frame.mapped.text):
            if frame.mapped.text.startswith(delimiter, position):
                return self._take(frame, at, position, position + len(delimiter))
            closing = frame.groups.find_close(position) if frame.mapped.text[position] == "{" else None
            if frame.mapped.text[position] == "}":
                break
            position = position + 1 if closing is None else closing + 1
        raise self._argument_error(macro, name_span, f"an argument of `{macro.name}` must end with `{delimiter}`")

    def _take(self, frame: _Frame, start: int, end: int, position: int) -> MappedText:
        frame.position = position
        return cut(frame.mapped, start, end)

    def _argument_error(self, macro: Macro, name_span: Span, message: str) -> MathdslError:
        labels = [Label(macro.span, "defined here")] if macro.span.file else []
        return MathdslError(error("E0113", message, name_span, labels=labels, help="a call gives every argument in braces: `\\name{…}{…}`"))


def _made(text: str, origin: Span) -> MappedText:
    return MappedText(text, (Run(0, origin, False),))
