"""Brackets of a region: what a bar and a square bracket are, and whether what closes fits what is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from mathdsl.diagnostics import Diagnostic
from mathdsl.spans import NOWHERE
from mathdsl.syntax import ambiguities
from mathdsl.syntax.commands import PREFIX_FUNCTIONS, is_function
from mathdsl.syntax.frames import Frame
from mathdsl.syntax.lexemes import Lexeme, terminals
from mathdsl.syntax.pairs import CLOSER, ENVIRONMENTS, SHOWN, SIGNS, VALUE_ENDS

MAX_DEPTH = 100
"""How many brackets may be open at once: later steps walk the tree by recursion."""

CELL_ENDS = {"NEXTROW", "AMPERSAND", *ENVIRONMENTS.values()}
_OPERAND_ENDS = VALUE_ENDS | terminals("NAME NUMBER PRIME FACTORIAL HOLE DOTS")
_RESET_BARS = terminals("PLUS MINUS TIGHT LOOSE JOIN RELATION AND OR NOT GETS COMMA SEMICOLON COLON CELL NEXTROW POWER REDUCTION")


_SYMBOL = terminals("NAME NUMBER FONT ACCENT SUB SUP PRIME LBRACE RBRACE LINDEX RINDEX")
_END_TYPES = terminals("PLUS MINUS JOIN AND OR GETS COMMA SEMICOLON COLON CELL NEXTROW")


class RegionIsBroken(Exception):
    """The region cannot be decided any further."""


class Brackets:
    """The decided lexemes so far and the delimiters that are open among them.

    `out` is the result, `found` what was reported, `blocking` whether that leaves `out` without use.
    """

    def __init__(self) -> None:
        self.out: list[Lexeme] = []
        self.found: list[Diagnostic] = []
        self.blocking = False
        self._frames = [Frame("", -1, Lexeme("", "", 0, 0, NOWHERE), "")]
        self._quad = False
        self._gets: int | None = None
        self._domain: tuple[int, int] | None = None

    def _push(self, lexeme: Lexeme) -> None:
        top = self._frames[-1]
        _follow_reduction(top, lexeme)
        if lexeme.type in _RESET_BARS:
            self._real().bars.clear()
        match lexeme.type:
            case "RELATION":
                top.relations = True
                top.equals = top.equals or lexeme.text == "="
                top.types = lexeme.text in (r"\in", r"\subseteq")
            case "DOTS":
                top.dots = True
            case "SEMICOLON":
                top.semicolons = True
            case "COMMA":
                top.commas = True
            case _:
                pass
        if lexeme.type in _END_TYPES:
            top.types = False
        if len(self._frames) == 1 and self._gets is None and (lexeme.type == "GETS" or lexeme.text == "="):
            self._gets = len(self.out)
        self.out.append(lexeme)

    def _real(self) -> Frame:
        return next(frame for frame in reversed(self._frames) if not frame.bar)

    def _before(self) -> Lexeme | None:
        return self.out[-1] if self.out else None

    def _after_operand(self) -> bool:
        """Whether a value ended just now; the scripts of a reduction are none."""
        return bool(self.out) and self.out[-1].type in _OPERAND_ENDS and not self._frames[-1].reduction

    def _block(self, diagnostic: Diagnostic, *, stop: bool = False) -> None:
        self.found.append(diagnostic)
        self.blocking = True
        if stop:
            raise RegionIsBroken

    def _open(self, lexeme: Lexeme, opener: str, closes_with: str, *, names_follow: tuple[Lexeme, Lexeme] | None = None) -> None:
        in_type = self._frames[-1].types
        if len(self._frames) > MAX_DEPTH:
            self._block(ambiguities.too_deep(lexeme, MAX_DEPTH), stop=True)
        after_quad = self._quad and len(self._frames) == 1
        self._push(lexeme.become(opener))
        self._frames.append(
            Frame(opener, len(self.out) - 1, lexeme, closes_with, after_quad=after_quad, in_type=in_type, names_follow=names_follow)
        )

    def _square(self, lexeme: Lexeme) -> None:
        before = self._before()
        if before is not None and before.type == "ROOT":
            self._open(lexeme, "LOPTION", "RSQB")
        elif before is None or not self._after_operand() or begins_anew(self.out):
            self._open(lexeme, "LSQB", "RSQB")
        elif before.end == lexeme.start:
            self._open(lexeme, "LINDEX", "RSQB")
        else:
            self._open(lexeme, "LSQB", "RSQB", names_follow=(_with_scripts(self.out), lexeme))

    def _close(self, lexeme: Lexeme) -> None:
        while self._frames[-1].bar and self._frames[-1].closes_with != lexeme.type:
            self._block(ambiguities.bar_not_closed(self._frames.pop()))
        frame = self._frames[-1]
        if len(self._frames) == 1 or lexeme.type == "RBRACE" and all(one.closes_with != "RBRACE" for one in self._frames):
            self._block(ambiguities.not_opened(lexeme), stop=True)
        if {frame.closes_with, lexeme.type} == {"RPAR", "RSQB"} and frame.in_type:
            self.out[frame.at] = self.out[frame.at].become("LHALF")
            lexeme = lexeme.become("RHALF")
        elif frame.closes_with != lexeme.type:
            self._block(ambiguities.not_closed(frame, lexeme), stop=True)
        if (frame.written.side == "left") != (lexeme.side == "right"):
            self._block(ambiguities.sides_differ(frame, lexeme))
        if frame.names_follow is not None and not frame.semicolons and not frame.is_parenthesis:
            self._block(ambiguities.space_before_bracket(*frame.names_follow))
        if frame.is_parenthesis and len(self.out) > frame.at + 1:
            parted = find_parted(self.out[frame.at + 1 :])
            if parted is not None:
                self._block(ambiguities.parted_by_spaces(frame.written.span.to(lexeme.span), *parted))
            self.out[frame.at] = self.out[frame.at].become("LPAR")
        if lexeme.type in ENVIRONMENTS.values() and self.out[-1].type == "NEXTROW":
            self.out.pop()
        self._drop_separator(lexeme)
        self._frames.pop()
        self._push(lexeme.become(self._closing_terminal(frame, lexeme)))
        if frame.opener == "LPAR" and len(self._frames) == 1 and ((frame.equals and frame.dots) or (frame.after_quad and frame.relations)):
            self._domain = (frame.at, len(self.out) - 1)

    def _closing_terminal(self, frame: Frame, lexeme: Lexeme) -> str:
        if lexeme.type == "RHALF":
            return "RHALF"
        if self.out[frame.at].type == "LPAR":
            return "RPAR"
        return CLOSER[frame.opener]

    def _bar(self, lexeme: Lexeme, *, joins: bool) -> None:
        """A bar, and whether its kind can join what stands before it with what follows."""
        run = [frame for frame in self._frames[self._frames.index(self._real()) + 1 :] if frame.closes_with in ("BAR", "BARS")]
        before = self._before()
        operand = self._after_operand() and before is not None and before.text not in PREFIX_FUNCTIONS
        real = self._real()
        if before is not None and not run and _ends_pair(self.out):
            real.bars.clear()  # `|x| |y|`, `|x|^2 |y|`: nothing stands between that a pair could hold
        real.bars.append(lexeme.text)
        doubled = lexeme.text == "||" and any(frame.closes_with == "BAR" for frame in run)
        if doubled or real.bars.count(lexeme.text) > 2:
            self._block(ambiguities.bars_in_a_row(lexeme), stop=True)
        if operand and any(frame.closes_with == lexeme.type for frame in run):
            frame = self._frames.pop()
            if frame.closes_with != lexeme.type:
                self._block(ambiguities.bar_not_closed(frame), stop=True)
            self.out.append(lexeme.become(SIGNS[lexeme.type].closer))
        elif operand and lexeme.type == "BARS" and joins and not (lexeme.text == r"\|" and ends_number(self.out)):
            self._push(lexeme.become("JOIN", "||"))
        else:
            self._open(lexeme, SIGNS[lexeme.type].opener, lexeme.type)
            self._frames[-1].bar = True

    def _drop_separator(self, lexeme: Lexeme) -> None:
        """The comma of `a, & c` and the full stop of a row's end carry no meaning."""
        if lexeme.type in CELL_ENDS and self.out and self.out[-1].type in ("COMMA", "DOT"):
            self.out.pop()


def begins_anew(out: Sequence[Lexeme]) -> bool:
    r"""Whether a bracket after what stands last indexes nothing: after a number, a fraction, a root and a function, scripts or not."""
    first = _first_of(out, len(out) - 1)
    while first > 1 and out[first - 1].type in ("SUB", "SUP"):
        first = _first_of(out, first - 2)
    if first > 0 and out[first].type == "LBRACE":
        first = _first_of(out, first - 1) - 1 if out[first - 1].type == "RBRACE" else first - 1
    head = out[max(first, 0)]
    return head.type in ("NUMBER", "FRACTION", "ROOT", "ROPTION") or (head.type == "NAME" and is_function(head.text))


def _ends_pair(out: Sequence[Lexeme]) -> bool:
    """Whether the second bar of a pair stands last, with its scripts."""
    at = len(out) - 1
    while at > 1 and (first := _first_of(out, at)) > 1 and out[first - 1].type in ("SUB", "SUP"):
        at = first - 2
    return out[at].type in ("RBAR", "RNORM")


def ends_number(out: Sequence[Lexeme]) -> bool:
    r"""Whether a number or a fraction of numbers stands last: `\|` after it opens a norm, `\frac{1}{2} \| x \|^2`."""
    at = len(out) - 1
    if out[at].type == "RBRACE":
        lower = _first_of(out, at)
        at = _first_of(out, lower - 1) - 1
        if out[max(at, 0)].type != "FRACTION" or any(part.type not in ("NUMBER", "LBRACE", "RBRACE") for part in out[at + 1 :]):
            return False
    elif out[at].type != "NUMBER":
        return False
    return at == 0 or out[at - 1].type not in ("SUB", "SUP")


def ends_quantity(out: Sequence[Lexeme]) -> bool:
    r"""Whether a fraction or a power in braces stands last: no reader takes a number behind it for its digits."""
    if out[-1].type != "RBRACE":
        return False
    lower = _first_of(out, len(out) - 1)
    if out[lower - 1].type == "SUP":
        return True
    upper = _first_of(out, lower - 1)
    return out[lower - 1].type == "RBRACE" and out[upper - 1].type == "FRACTION"


def ends_function(out: Sequence[Lexeme]) -> bool:
    r"""Whether a function's name stands last, with its scripts: a number behind it is its argument, `\ln 2`, `\log_2 8`."""
    first = out[_symbol(out)]
    return first.type == "NAME" and is_function(first.text)


def _symbol(out: Sequence[Lexeme]) -> int:
    """Where the symbol begins that stands last, with its scripts."""
    first = _first_of(out, len(out) - 1)
    while first > 1 and out[first - 1].type in ("SUB", "SUP"):
        first = _first_of(out, first - 2)
    return first


def _with_scripts(out: Sequence[Lexeme]) -> Lexeme:
    """The symbol that stands last, or the end of what stands in brackets there, with its scripts as one lexeme."""
    first = _symbol(out)
    if out[first].type == "LBRACE":
        return out[-1]
    return replace(out[first], text=SHOWN.get(out[first].type, out[first].text) + "".join(lexeme.text for lexeme in out[first + 1 :]))


def _first_of(out: Sequence[Lexeme], last: int) -> int:
    """Where the pair of braces begins that ends at `last`; `last` itself where none ends there."""
    depth, at = 0, last
    while at > 0:
        depth += {"RBRACE": 1, "LBRACE": -1}.get(out[at].type, 0)
        if depth <= 0:
            return at
        at -= 1
    return last


def find_parted(content: Sequence[Lexeme]) -> tuple[Lexeme, Lexeme] | None:
    """Two symbols or numbers with nothing but a space between them, where brackets hold nothing but such: `[a b]`, no `[\\alpha x]`."""
    found, depth = None, 0
    for before, after in pairwise((*content, content[-1])):
        if depth == 0 and before.type not in _SYMBOL:
            return None
        depth += {"LBRACE": 1, "LINDEX": 1, "RBRACE": -1, "RINDEX": -1}.get(before.type, 0)
        begins = depth == 0 and after.type in ("NAME", "NUMBER", "FONT", "ACCENT") and before.type in _OPERAND_ENDS
        ends_word = before.text.startswith("\\") and before.text[-1].isalpha()
        is_factor = before.type == "NUMBER" and after.type != "NUMBER"  # `[2 x]`
        if begins and after.start > before.end + ends_word and not is_function(before.text) and not is_factor:
            found = found or (before, after)
    return found


def _follow_reduction(frame: Frame, lexeme: Lexeme) -> None:
    r"""Keeps `reduction` set from a `\sum` over its scripts: each is a token, or a pair of braces."""
    if lexeme.type == "REDUCTION":
        frame.reduction, frame.script = True, False
    elif frame.reduction and lexeme.type in ("SUB", "SUP"):
        frame.script = True
    elif frame.reduction and frame.script:
        frame.script = lexeme.type in ("FONT", "ACCENT")
    elif lexeme.type != "RBRACE":
        frame.reduction = False
