r"""Lexemes to lines: where statements, headers and rows of tables begin and end, and which block each belongs to.

    \Module{N}{x ; W} y \gets x \\ \EndModule
    → MODULE LHEAD ⟨N⟩ RHEAD LHEAD ⟨x ; W⟩ RHEAD ⟨y \gets x⟩ STOP ENDMODULE

Every block that comes out is closed and every region stands for itself, so that a mistake in one is reported there and
nowhere else. What carries no meaning (display environments, `&` between statements, spacing) ends here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, Label, error
from mathdsl.syntax.blocks import ARMS, OPENERS, STRUCTURE, Arm, Block, Notation, RegionKind, is_akin
from mathdsl.syntax.commands import DISPLAYS, MATRICES
from mathdsl.syntax.lexemes import Lexeme, mark, terminals
from mathdsl.syntax.pairs import CLOSER, ENVIRONMENTS, OPENER, SPELLING

MAX_BLOCKS = 50
"""How many blocks may be open at once: later steps walk the tree by recursion."""


@dataclass(slots=True)
class Region:
    """A balanced stretch of one statement, header argument or row; `broken` when it was reported already."""

    kind: RegionKind
    notation: Notation
    lexemes: list[Lexeme] = field(default_factory=list)
    notes: list[Lexeme] = field(default_factory=list)
    broken: bool = False


Part: TypeAlias = Lexeme | Region


_ARGUMENTS = {"array": "LBRACE", "alignat": "LBRACE", "algorithmic": "LSQB", "algorithm": "LSQB"}
"""Environments with an argument that carries no meaning, and what it begins with."""

_ARRAY = r"\begin{array}"
_ROWS = {"LSET": ("CASES", "DOT"), "LPAR": ("MATRIX", "RPAR"), "LSQB": ("MATRIX", "RSQB")}
r"""What an array is in a bracket behind `\left`, and what stands behind the `\right` at its end."""

_SIGNS = terminals("PLUS MINUS TIGHT LOOSE AND OR")
"""What stands before the rest of a value, and before no statement."""

_ENVIRONMENT = re.compile(r"\{([A-Za-z]+)\*?\}")


@dataclass(slots=True)
class _Open:
    block: Block
    at: Lexeme
    has_else: bool = False

    @property
    def is_whole_table(self) -> bool:
        r"""The text is the inside of a `where` environment, whose `\begin` has no characters here."""
        return self.block.terminal == "WHERE" and self.at.start == self.at.end


class Layout:
    """One walk over the lexemes of a chunk; `parts` is the result."""

    def __init__(self, lexemes: list[Lexeme], diagnostics: Diagnostics) -> None:
        self.parts: list[Part] = []
        self._lexemes = lexemes
        self._diagnostics = diagnostics
        self._at = 0
        self._open: list[_Open] = []
        self._environments: list[Lexeme] = []
        self._brackets: list[Lexeme] = []
        self._unknown: list[str] = []
        self._depth = 0
        self._region = Region("statement", "")

    def run(self) -> list[Part]:
        while self._at < len(self._lexemes):
            lexeme = self._named(self._lexemes[self._at])
            self._at += 1
            if lexeme.type in STRUCTURE:
                self._flush()
                self._structure(lexeme)
            else:
                self._content(lexeme)
        self._flush()
        while self._open:
            self._close_unclosed(None)
        return self.parts

    # ---- inside a region -------------------------------------------------------------------------

    def _named(self, lexeme: Lexeme) -> Lexeme:
        """Environments get the terminal of what they are."""
        if lexeme.type not in ("BEGIN", "END"):
            return lexeme
        match = _ENVIRONMENT.search(lexeme.text)
        name = match[1] if match else ""
        end = "END" if lexeme.type == "END" else ""
        if name in ("group", "where"):
            return lexeme.become(end + name.upper(), rf"\{'end' if end else 'begin'}{{{name}}}")
        if name in ("cases", "dcases"):
            return lexeme.become(end + "CASES")
        if name in MATRICES:
            return lexeme.become(end + "MATRIX")
        return lexeme.become(lexeme.type, name)

    def _content(self, lexeme: Lexeme) -> None:
        match lexeme.type:
            case "CASES" | "MATRIX":
                self._environments.append(lexeme)
                self._region.lexemes.append(lexeme)
            case "ENDCASES" | "ENDMATRIX":
                self._end_environment(lexeme)
            case "BEGIN" if lexeme.text == "array" and self._begins_rows():
                self._open_rows(lexeme)
            case "END" if lexeme.text == "array" and self._environments and self._environments[-1].text == _ARRAY:
                self._close_rows(lexeme)
            case "BEGIN" | "END":
                self._display(lexeme)
            case "DISPLAY" if not self._environments:
                pass  # `\[`, `$`: the display around a program
            case "BREAK" if self._environments:
                self._depth = 0
                self._region.lexemes.append(lexeme.become("NEXTROW"))
            case "GETS" if self._environments and self._depth == 0:
                self._break_out(lexeme)
            case "BREAK" if self._goes_on():
                pass
            case "BREAK" | "ENDLINE":
                self._flush(lexeme)
            case "BROKEN":
                self._region.broken = True
            case "COMMENT" | "TAG":
                self._region.notes.append(lexeme)
            case "SKIP":
                pass
            case "AMPERSAND" if not self._environments and self._kind() != "row":
                pass
            case _:
                self._depth += (lexeme.type in CLOSER) - (lexeme.type in OPENER)
                self._region.lexemes.append(lexeme)

    def _goes_on(self) -> bool:
        r"""Whether the next line is the rest of a statement, `\\ &\quad + c`, or another form of its value, `\\ &= a (b + c)`: go there."""
        if not self._region.lexemes or self._kind() != "statement":
            return False
        at = self._at
        while at < len(self._lexemes) and self._lexemes[at].type in ("SKIP", "AMPERSAND", "QUAD"):
            at += 1
        sign = self._lexemes[at] if at < len(self._lexemes) else None
        last = self._region.lexemes[-1]
        if (last.type in _SIGNS or last.type == "GETS" or last.text == "=") and self._holds_a_value(at):
            self._at = at
            return True
        defines = (sign is not None and sign.text == "=") and not any(other.type == "GETS" for other in self._region.lexemes)
        if sign is None or not (sign.type in _SIGNS or defines and any(other.text == "=" for other in self._region.lexemes)):
            return False
        self._at = at
        return True

    def _holds_a_value(self, at: int) -> bool:
        """Whether a line is no statement of its own."""
        rest = (self._lexemes[k] for k in range(at, len(self._lexemes)))
        line = takewhile(lambda lexeme: lexeme.type not in ("BREAK", "ENDLINE"), rest)
        types = [("GETS" if lexeme.text == "=" else lexeme.type) for lexeme in line]
        return bool(types) and not any(kind in STRUCTURE or kind in ("GETS", "RETURN", "ASSERT", "DISPLAY") for kind in types)

    def _break_out(self, lexeme: Lexeme) -> None:
        """A definition inside open rows: the environment was not ended, and a new statement began after the last row."""
        lexemes = self._region.lexemes
        at = max((index for index, other in enumerate(lexemes) if other.type == "NEXTROW"), default=None)
        if at is None:
            lexemes.append(lexeme)
            return
        rest = lexemes[at + 1 :]
        del lexemes[at:]
        self._flush()
        self._region.lexemes += (*rest, lexeme)

    def _end_environment(self, lexeme: Lexeme) -> None:
        if self._environments and "END" + self._environments[-1].type == lexeme.type:
            self._environments.pop()
            self._region.lexemes.append(lexeme)
            return
        labels = [Label(self._environments[-1].span, "this environment is open")] if self._environments else []
        self._report("E0203", f"`{lexeme.text}` ends an environment that is not open", lexeme, labels=labels)
        self._region.broken = True
        if self._environments:
            self._environments.pop()

    def _begins_rows(self) -> bool:
        r"""Whether a `\left` with a bracket that rows may stand in is last."""
        before = self._region.lexemes[-2:]
        return len(before) == 2 and before[0].text == r"\left" and before[1].type in _ROWS

    def _open_rows(self, lexeme: Lexeme) -> None:
        r"""`\left\{ \begin{array}{ll}` begins `cases`, `\left( \begin{array}{cc}` a matrix."""
        bracket = self._region.lexemes.pop()
        left = self._region.lexemes.pop()
        self._depth -= 1
        rows = replace(left.become(_ROWS[bracket.type][0], _ARRAY), end=lexeme.end, span=left.span.to(lexeme.span))
        self._environments.append(rows)
        self._brackets.append(bracket)
        self._region.lexemes.append(rows)
        self._skip_arguments(lexeme)

    def _close_rows(self, lexeme: Lexeme) -> None:
        rows, bracket = self._environments.pop(), self._brackets.pop()
        closer = _ROWS[bracket.type][1]
        self._region.lexemes.append(lexeme.become("END" + rows.type, _ARRAY.replace("begin", "end")))
        if [other.type for other in self._lexemes[self._at : self._at + 2]] == ["SIDE", closer]:
            self._at += 2
            return
        end = SPELLING.get(closer, ".")
        what = f"the rows that `{rows.text}` opens are not closed"
        self._report("E0204", what, rows, label="opened here", help=rf"write `\right{end}` behind `\end{{array}}`")
        self._region.broken = True

    def _display(self, lexeme: Lexeme) -> None:
        if lexeme.text in DISPLAYS and not self._environments:
            self._skip_arguments(lexeme)
            self._flush()
            return
        self._region.broken = True
        if lexeme.type == "END" and lexeme.text in self._unknown:
            self._unknown.remove(lexeme.text)
            return
        self._unknown.append(lexeme.text)
        known = "cases, bmatrix, pmatrix, vmatrix, group and where"
        self._report(
            "E0218", f"the environment `{lexeme.text}` has no meaning here", lexeme, help=f"the environments of the notation are {known}"
        )

    def _skip_arguments(self, lexeme: Lexeme) -> None:
        r"""`\begin{array}{rl}`, `\begin{algorithmic}[1]`: columns, numbers of lines and places of floats carry no meaning."""
        opener = _ARGUMENTS.get(lexeme.text)
        if lexeme.type != "BEGIN" or opener is None:
            return
        depth = 0
        while (
            self._at < len(self._lexemes) and (depth or self._lexemes[self._at].type == opener) and self._lexemes[self._at].type != "BREAK"
        ):
            depth += (self._lexemes[self._at].type == opener) - (self._lexemes[self._at].type == CLOSER[opener])
            self._at += 1
            if not depth:
                break

    def _flush(self, stop: Lexeme | None = None) -> None:
        """Ends the region, if anything stands in it."""
        region, self._region = self._region, Region(self._kind(), self._notation())
        if self._environments:
            opened = self._environments[0]
            self._report(
                "E0202",
                f"`{opened.text}` is not ended",
                opened,
                label="opened here",
                help=f"write `{opened.text.replace('begin', 'end')}` after its last row",
            )
            self._environments.clear()
            region.broken = True
        if not region.lexemes and not region.notes and not region.broken:
            return
        region.kind, region.notation = self._kind(), self._notation()
        self.parts.append(region)
        last = stop or (region.lexemes or region.notes or self._lexemes)[-1]
        self.parts.append(mark("ENDROW" if region.kind == "row" else "STOP", last, after=stop is None))

    def _kind(self) -> RegionKind:
        return self._open[-1].block.regions if self._open else "statement"

    def _notation(self) -> Notation:
        return next((entry.block.notation for entry in reversed(self._open) if entry.block.notation), "")

    # ---- blocks ----------------------------------------------------------------------------------

    def _structure(self, lexeme: Lexeme) -> None:
        if lexeme.text in OPENERS:
            self._open_block(OPENERS[lexeme.text], lexeme)
        elif lexeme.text in ARMS:
            self._arm(ARMS[lexeme.text], lexeme)
        else:
            self._close_block(lexeme)

    def _open_block(self, block: Block, lexeme: Lexeme) -> None:
        if self._open and self._open[0].is_whole_table:
            self._report(
                "E0221", f"`{lexeme.text}` stands in a table", lexeme, help="end the table before it: a table holds declarations only"
            )
            self._region.broken = True
            return
        if block.notation:
            while self._open:
                self._close_unclosed(lexeme)
        elif self._kind() == "row":
            self._close_unclosed(lexeme)
        elif block.terminal in ("REQUIRE", "ENSURE") and any(not entry.block.notation for entry in self._open):
            around = next(entry.at for entry in self._open if not entry.block.notation)
            labels = [Label(around.span, "this is open")]
            self._report("E0221", f"`{lexeme.text}` stands in a block", lexeme, labels=labels, help="write it before the program")
        if len(self._open) >= MAX_BLOCKS:
            message = f"more than {MAX_BLOCKS} blocks are open here"
            self._report("E0216", message, lexeme, help="write the inner part as a program of its own")
            self._stop()
            return
        self._open.append(_Open(block, lexeme))
        self.parts.append(lexeme)
        self._header(lexeme, block.header, block.arguments)
        if block.terminal == "WHILE":
            self._most_turns()

    def _most_turns(self) -> None:
        r"""The `[N]` of `\While{c}[N]`."""
        if self._at < len(self._lexemes) and self._lexemes[self._at].type == "LSQB":
            self._argument_parts(self._argument("condition", "LSQB") or Region("condition", self._notation(), broken=True))
            self._region.kind, self._region.notation = self._kind(), self._notation()

    def _end(self, block: Block, at: Lexeme) -> None:
        """The end of a block that has none of its own, where a closer would have a header too."""
        self.parts.append(at)
        for kind in block.closing:
            self._argument_parts(Region(kind, self._notation(), broken=True))

    def _stop(self) -> None:
        """Closes what is open without a word and reads no further."""
        while self._open:
            block = self._open.pop().block
            self._end(block, mark("END" + block.terminal, self._lexemes[-1], after=True))
        self._at = len(self._lexemes)

    def _close_block(self, lexeme: Lexeme) -> None:
        fits = [entry for entry in self._open if entry.block.closer == lexeme.text]
        akin = [entry for entry in self._open if is_akin(entry.block, lexeme.type)]
        if not fits and akin:
            self._close_akin(akin[-1], lexeme)
            return
        if not fits:
            self._report(
                "E0206",
                f"`{lexeme.text}` closes nothing",
                lexeme,
                label="no such block is open here",
                help=f"remove `{lexeme.text}`, or write the line that opens the block before it",
            )
            for kind in next((block.closing for block in OPENERS.values() if block.closer == lexeme.text), ()):
                self._argument(kind)
                self._argument(kind, "LSQB")
            return
        while self._open[-1].block.closer != lexeme.text:
            self._close_unclosed(lexeme)
        block = self._open.pop().block
        self.parts.append(lexeme)
        if block.closing:
            self._header(lexeme, block.header, block.closing)
            self._most_turns()

    def _close_akin(self, entry: _Open, lexeme: Lexeme) -> None:
        while self._open[-1] is not entry:
            self._close_unclosed(lexeme)
        self._open.pop()
        self._report(
            "E0206",
            f"`{lexeme.text}` does not end `{entry.at.text}`",
            lexeme,
            labels=[Label(entry.at.span, "this is open")],
            help=f"write `{entry.block.closer}`",
        )
        self._end(entry.block, lexeme.become("END" + entry.block.terminal))

    def _close_unclosed(self, found: Lexeme | None) -> None:
        entry = self._open.pop()
        labels = [Label(found.span, "it should be closed before this")] if found else []
        self._report(
            "E0205",
            f"`{entry.at.text}` is not closed",
            entry.at,
            label=f"this needs a `{entry.block.closer}`",
            labels=labels,
            help=f"write `{entry.block.closer}` where the block ends",
        )
        self._end(entry.block, mark("END" + entry.block.terminal, found or self._lexemes[-1], after=found is None))

    def _arm(self, arm: Arm, lexeme: Lexeme) -> None:
        inside = self._open[-1] if self._open else None
        if inside is None or inside.block.opener != arm.opener or inside.has_else:
            last = arm.opener.replace("If", "Else")
            why = f"`{last}` was the last branch" if inside and inside.has_else else f"no `{arm.opener}` is open here"
            between = f"a branch stands between `{arm.opener}` and `{OPENERS[arm.opener].closer}`"
            self._report("E0206", f"`{lexeme.text}` continues nothing", lexeme, label=why, help=between)
            self._region.broken = True
            return
        inside.has_else = lexeme.type == "ELSE"
        self.parts.append(lexeme)
        self._header(lexeme, arm.header, arm.arguments)

    # ---- headers ---------------------------------------------------------------------------------

    def _header(self, opener: Lexeme, pattern: str, arguments: tuple[RegionKind, ...]) -> None:
        for position, kind in enumerate(arguments):
            found = self._argument(kind)
            if found is None and position == 1 and self._notation() == "algorithmic" and self._ends_line():
                break  # it takes what it requires
            if found is None:
                self._report(
                    "E0223",
                    f"`{opener.text}` needs {'an argument' if len(arguments) == 1 else f'{len(arguments)} arguments'} in braces",
                    opener,
                    label=f"argument {position + 1} is missing" if len(arguments) > 1 else "its argument is missing",
                    help=f"write `{pattern}`",
                )
                found = Region(kind, self._notation(), broken=True)
            self._argument_parts(found)
        self._region.kind, self._region.notation = self._kind(), self._notation()

    def _ends_line(self) -> bool:
        return self._at == len(self._lexemes) or self._lexemes[self._at].type in ("ENDLINE", *STRUCTURE)

    def _argument_parts(self, region: Region) -> None:
        edge = region.lexemes[-1] if region.lexemes else self._lexemes[self._at - 1]
        self.parts += (mark("LHEAD", region.lexemes[0] if region.lexemes else edge), region, mark("RHEAD", edge, after=True))

    def _argument(self, kind: RegionKind, *openers: str) -> Region | None:
        r"""The region between the next pair of braces (or parentheses, also as `\pa{..}`), or of the brackets that may open it."""
        start = self._at
        lexemes = self._lexemes
        if start < len(lexemes) and lexemes[start].text == r"\pa":
            start += 1
        if start >= len(lexemes) or lexemes[start].type not in (openers or ("LBRACE", "LPAR")):
            return None
        opening = lexemes[start].type
        closing = CLOSER[opening]
        depth, rows = 0, 0
        content: list[Lexeme] = []
        end = start
        while end < len(lexemes):
            lexeme = self._named(lexemes[end])
            depth += (lexeme.type == opening) - (lexeme.type == closing)
            rows += (lexeme.type in ENVIRONMENTS) - (lexeme.type in ENVIRONMENTS.values())
            if depth == 0:
                self._at = end + 1
                broken = any(inner.type == "BROKEN" for inner in content)
                return Region(kind, self._notation(), content[1:], broken=broken)
            if lexeme.type in STRUCTURE or lexeme.type == "ENDLINE" or (lexeme.type == "BREAK" and rows == 0):
                break
            content += self._in_header(lexeme, rows)
            end += 1
        self._at = end
        closer = SPELLING[closing]
        self._report(
            "E0202", f"`{lexemes[start].text}` is not closed", lexemes[start], label="opened here", help=f"write `{closer}` where it ends"
        )
        return Region(kind, self._notation(), broken=True)

    def _in_header(self, lexeme: Lexeme, rows: int) -> tuple[Lexeme, ...]:
        """A header's lexeme without what carries no meaning; a comment goes to the statement that follows."""
        match lexeme.type:
            case "COMMENT":
                self._region.notes.append(lexeme)
                return ()
            case "SKIP" | "TAG":
                return ()
            case "AMPERSAND" if rows == 0:
                return ()
            case "BREAK":
                return (lexeme.become("NEXTROW"),)
            case _:
                return (lexeme,)

    def _report(self, code: str, message: str, at: Lexeme, *, label: str = "", labels: list[Label] | None = None, help: str = "") -> None:
        self._diagnostics.add(error(code, message, at.span, label=label, labels=labels or [], help=help))
