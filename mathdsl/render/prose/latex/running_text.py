"""Running text: tokens to inlines."""

from __future__ import annotations

import re
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import link, plain_text, tidy
from mathdsl.render.document.model import Code, Inline, Inlines, LineBreak, Math, Picture, Reference, Styled, Text
from mathdsl.render.prose.latex.commands import (
    AS_WRITTEN,
    DECLARATIONS,
    LIGATURES,
    LINE_BREAKS,
    PICTURES,
    QUOTED,
    REFERENCES,
    SHOWN,
    STYLES,
    SYMBOLS,
    TYPEWRITER,
    find_row,
)
from mathdsl.render.prose.latex.tokens import Tokens
from mathdsl.source.latex_text import Interval

MAX_DEPTH = 40
"""How deep groups and environments are read inside of each other; what is deeper stays as it was written."""
_LIGATURE = re.compile("|".join(re.escape(ligature) for ligature in LIGATURES))


@dataclass(frozen=True)
class RunningText:
    """A reader of stretches of tokens; every method that is given a position and returns one has read what lies between."""

    tokens: Tokens
    has_ligatures: bool = True

    def read(self, start: int, end: int, depth: int) -> Inlines:
        """Tokens `start .. end`, which stand in one line whatever they are."""
        return tidy(self._all(start, end, depth))

    def _all(self, start: int, end: int, depth: int) -> list[Inline]:
        out: list[Inline] = []
        if depth > MAX_DEPTH:
            return [Text(self.tokens.source(start, end))]
        position = start
        while position < end:
            token = self.tokens[position]
            if token.kind == "command" and token.text in DECLARATIONS:
                out.append(Styled(DECLARATIONS[token.text], self.read(position + 1, end, depth + 1)))
                break
            position = self.read_one(position, end, depth, out)
        return out

    def read_one(self, position: int, end: int, depth: int, out: list[Inline]) -> int:
        """What stands at `position`, with its arguments."""
        token = self.tokens[position]
        match token.kind:
            case "text":
                out.append(Text(_set_ligatures(token.text) if self.has_ligatures else token.text))
            case "space" | "paragraph":
                out.append(Text(" "))
            case "math" | "display":
                out.append(Math(token.text))
            case "code" | "verbatim":
                out.append(Code(token.text))
            case "{":
                return self._group(position, end, depth, out)
            case "[" | "]" | "cell":
                out.append(Text(token.text))
            case "break":
                out.append(LineBreak())
            case "begin" if self.tokens.find_partner(position, end) is None:
                out.append(Text(rf"\begin{{{token.text}}}"))
            case "end" if not self.tokens.is_closing(position):
                out.append(Text(rf"\end{{{token.text}}}"))
            case "begin":
                out.append(Text(" "))
                return self.read_arguments(find_row(token.text, {}).arguments, position + 1, end)[0]
            case "end":
                out.append(Text(" "))
            case "}" | "region":
                pass
            case "command":
                return self._command(position, end, depth, out)
        return position + 1

    def _group(self, position: int, end: int, depth: int, out: list[Inline]) -> int:
        closing = self.tokens.find_partner(position, end)
        if closing is None:
            return position + 1
        out += self._all(position + 1, closing, depth + 1)
        return closing + 1

    # ---- commands --------------------------------------------------------------------------------

    def _command(self, position: int, end: int, depth: int, out: list[Inline]) -> int:
        name, after = self.tokens[position].text, position + 1
        if name in SYMBOLS:
            out.append(Text(SYMBOLS[name]))
        elif name in LINE_BREAKS:
            out.append(LineBreak())
        elif name in DECLARATIONS:
            return after
        elif name in SHOWN:
            return self._shown(SHOWN[name], after, end, depth, out)
        elif name in STYLES or name in QUOTED or name in TYPEWRITER:
            return self._styled(name, after, end, depth, out)
        elif name in AS_WRITTEN and (argument := self.find_argument(after, end)) is not None:
            out.append(Code(self.tokens.source(position, argument[1] + 1)))
            return argument[1] + 1
        elif name in REFERENCES:
            return self._reference(name, after, end, depth, out)
        elif name in PICTURES:
            after, shown = self.read_arguments("oo+", after, end)
            out += [Picture(self.tokens.source(*file).strip()) for file in shown]
            return after
        elif name in ("url", "href"):
            return self._link(name, after, end, depth, out)
        else:
            return self._unknown(position, end, depth, out)
        return after

    def _shown(self, arguments: str, position: int, end: int, depth: int, out: list[Inline]) -> int:
        position, groups = self.read_arguments(arguments, position, end)
        for start, stop in groups:
            out += self._all(start, stop, depth + 1)
        return position

    def read_arguments(self, arguments: str, position: int, end: int) -> tuple[int, list[Interval]]:
        """The position behind arguments as in `commands.SHOWN`, and where those stand that are shown."""
        shown: list[Interval] = []
        for argument in arguments:
            if argument == "p":
                position += position < end and self.tokens[position].text.startswith("(") and self.tokens[position].text.endswith(")")
                continue
            found = self.find_option(position, end) if argument == "o" else self.find_argument(position, end)
            if found is not None:
                position = found[1] + 1
                if argument == "+":
                    shown.append(found)
        return position, shown

    def find_argument(self, position: int, end: int) -> Interval | None:
        """The inside of the braces that come next, but for those around a program."""
        while position < end and self.tokens[position].kind == "space":
            position += 1
        if position >= end or self.tokens[position].kind != "{":
            return None
        closing = self.tokens.find_partner(position, end)
        return None if closing is None or self.tokens.has_region(position, closing) else (position + 1, closing)

    def find_option(self, position: int, end: int) -> Interval | None:
        """The inside of the brackets that come next."""
        if position >= end or self.tokens[position].kind != "[":
            return None
        closing = self.tokens.find_partner(position, end)
        if closing is None or self.tokens.has_block(position, closing) or self.tokens.has_paragraph(position, closing):
            return None
        return position + 1, closing

    def _styled(self, name: str, position: int, end: int, depth: int, out: list[Inline]) -> int:
        option = self.find_option(position, end)
        argument = self.find_argument(option[1] + 1 if option else position, end)
        if argument is None or self.tokens.has_block(*argument):
            return position
        if name in STYLES:
            out.append(Styled(STYLES[name], self.read(*argument, depth + 1)))
        elif name in QUOTED:
            out += [Text("“"), *self._all(*argument, depth + 1), Text("”")]
        else:
            plain = replace(self, has_ligatures=False).read(*argument, depth + 1)
            out += _in_typewriter(plain)
        return argument[1] + 1

    def _reference(self, name: str, position: int, end: int, depth: int, out: list[Inline]) -> int:
        notes: list[Interval] = []
        while (option := self.find_option(position, end)) is not None:
            notes.append(option)
            position = option[1] + 1
        argument = self.find_argument(position, end)
        if argument is None:
            return position
        labels = tuple(label.strip() for label in self.tokens.source(*argument).split(",") if label.strip())
        said = [self.read(*note, depth + 1) for note in notes]
        if not any(said):
            out.append(Reference(REFERENCES[name], labels))
            return argument[1] + 1
        *before, after = said
        parts = [*before, (Text(", ".join(labels)),)]
        out += [Text("["), *(piece for part in parts if part for piece in (*part, Text(" ")))]
        out[-1] = Text(", ") if after else Text("")
        out += [*after, Text("]")]
        return argument[1] + 1

    def _link(self, name: str, position: int, end: int, depth: int, out: list[Inline]) -> int:
        address = self.find_argument(self.read_arguments("o", position, end)[0], end)
        if address is None:
            return position
        target = plain_text(replace(self, has_ligatures=False).read(*address, depth + 1)).replace("\u00a0", "~").strip()
        position = address[1] + 1
        said = self.find_argument(position, end) if name == "href" else None
        if said is None:
            out += link(target, (Code(target),) if target else ())
            return position
        out += link(target, self.read(*said, depth + 1))
        return said[1] + 1

    def _unknown(self, position: int, end: int, depth: int, out: list[Inline]) -> int:
        r"""Shown as it was written, `\SI{3}{\metre}`, what stands in its arguments like any text; several paragraphs are no argument."""
        token = self.tokens[position]
        out.append(Text(f"\\{token.text}{' ' if token.raw[-1:].isspace() else ''}"))
        position += 1
        while (inside := self._find_inside(position, end)) is not None:
            out += [Text(self.tokens[position].text), *self._all(*inside, depth + 1), Text(self.tokens[inside[1]].text)]
            position = inside[1] + 1
        if position < end and self.tokens[position].kind == "{":
            out.append(Text(" "))
        return position

    def _find_inside(self, position: int, end: int) -> Interval | None:
        """The inside of the brackets or braces that begin there, where it stands in one line."""
        if position < end and self.tokens[position].kind == "{":
            inside = self.find_argument(position, end)
            return None if inside is None or self.tokens.has_block(*inside) or self.tokens.has_paragraph(*inside) else inside
        return self.find_option(position, end)


def _in_typewriter(inlines: Inlines) -> Inlines:
    """The words as code; formulas and references as they are."""
    return tuple(Code(inline.text) if isinstance(inline, Text) else inline for inline in inlines)


def _set_ligatures(text: str) -> str:
    """``a'' -- b  →  “a” – b"""
    return _LIGATURE.sub(lambda match: LIGATURES[match[0]], text)
