r"""A formula of prose read as TeX would read it; what TeX would stop at, or what does more than set symbols, is no formula.

x_t \in \R^{d}   →   a display tree        x_a_b, \frac{1}, \input{x}, $, {   →   None

Beside TeX's own, it knows the notation of programs: its macros, numbers like `1e-5`, and names, `\dEmb`, which are upright words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from mathdsl.render.tex_commands import (
    ARGUMENTS,
    BRACED,
    COMMANDS,
    DELIMITERS,
    ENVIRONMENTS,
    IN_OTHER_WORDS,
    NAMED,
    NOTATION,
    OPTIONAL,
    REPLACED,
    SIZES,
    SYMBOLS,
    WITH_FORMULAS,
    WORDS,
    Atom,
)
from mathdsl.render.tex_commands import (
    CHARACTERS as SIGNS,
)
from mathdsl.source.characters import spell_out
from mathdsl.syntax.commands import NAMED_REDUCTIONS, is_known_name
from mathdsl.syntax.display.tree import (
    Applied,
    Blank,
    Braced,
    Macro,
    Name,
    Negated,
    Node,
    Numeral,
    Row,
    Script,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    TableRow,
    Words,
)
from mathdsl.vocabulary import VOCABULARY

_T = TypeVar("_T")

MAX_LENGTH = 4000
MAX_DEPTH = 40

KEPT = 2048
"""How many formulas are remembered: a document says the same ones again and again."""

TOKEN = re.compile(r"\\operatorname\*|\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_ROW_END = r"\\"
_PLAIN = re.compile(r"[A-Za-z0-9+\-*/=<>()\[\]|,;:.!?@~]")
_WORD = re.compile(r"[A-Za-z0-9 .,;:!?'()\[\]+=/*@<>|-]")
_ESCAPED = re.compile(r"\\[%&_#$]")
_COLUMNS = re.compile(r"\{((?:[lcr| ]|@\{[^{}]*\})+)\}")
_BETWEEN = re.compile(r"@\{[^{}]*\}")
_COUNT = re.compile(r"\{\s*\d+\s*\}")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CALLEE = re.compile(r"\{\s*([A-Za-z]{2,})\s*\}")
_LENGTH = r"\s*(-?\d*\.?\d+)\s*(pt|ex|em|mm|cm|in|bp|pc)\s*"  # a number and its unit
_EMS = {"em": 1.0, "ex": 0.43, "pt": 0.1, "bp": 0.1, "mm": 0.285, "cm": 2.85, "in": 7.2, "pc": 1.2}
_SPACES = ((1.5, r"\qquad"), (0.6, r"\quad"), (0.25, r"\;"), (0.0, r"\,"))
_SPACE_BELOW = re.compile(rf"\[{_LENGTH}\]")
_WIDTH = re.compile(rf"\{{{_LENGTH}\}}")
_ENVIRONMENT = re.compile(r"\{([A-Za-z]+)\}")
_LIMITS = frozenset({r"\limits", r"\nolimits"})


class _NoFormula(Exception):
    """TeX would stop here, or do more than set symbols."""


def read_tex(latex: str) -> Row | None:
    """The formula as TeX takes it apart; None where it is none."""
    spelled = spell_out(latex) if len(latex) <= MAX_LENGTH and latex.strip() else None
    if spelled is None:
        return None
    try:
        return _Reader(spelled).read()
    except _NoFormula:
        return None


def _displayed(cell: Row) -> Row:
    return Row((Sign(r"\displaystyle"), *cell.parts))


def _takes_limits(node: Node) -> bool:
    match node:
        case Sign(text):
            return text in COMMANDS and COMMANDS[text].atom is Atom.OP
        case Words(command) | Applied(command):
            return command in NAMED or command == r"\mathop"
        case _:
            return False


def _find_space(number: str, unit: str) -> str | None:
    """The command of a space about as wide; None for one that is not seen, or goes back."""
    width = float(number) * _EMS[unit]
    return next((command for least, command in _SPACES if width > least), None)


class _Reader:
    """One walk over the tokens; each method consumes what it is named after."""

    def __init__(self, latex: str) -> None:
        self._tokens = [part for token in TOKEN.findall(latex) for part in TOKEN.findall(REPLACED.get(token, token))]
        self._at = 0
        self._depth = 0

    def read(self) -> Row:
        body = self._row(frozenset())
        if self._at < len(self._tokens):
            raise _NoFormula
        return body

    # ---- tokens ----------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        if not token:
            raise _NoFormula
        self._at += 1
        return token

    def _blank(self) -> list[Node]:
        if not self._peek().isspace():
            return []
        self._at += 1
        return [Blank()]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise _NoFormula

    # ---- formulas --------------------------------------------------------------------------------

    def _row(self, ends: frozenset[str]) -> Row:
        """Everything up to one of `ends`, which is left."""
        self._deeper()
        parts = self._blank()
        while self._peek() and self._peek() not in ends:
            parts += self._scripted()
            parts += self._blank()
        self._depth -= 1
        return Row(tuple(parts))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _NoFormula

    def _scripted(self) -> list[Node]:
        """A nucleus with at most one script of each kind; primes are the beginning of the upper one."""
        nucleus = Braced() if self._peek() in ("_", "^", "'") else self._numeral() or self._nucleus()
        blank = self._blank()
        limits = self._take() if self._peek() in _LIMITS and _takes_limits(nucleus) else ""
        scripts: list[Script] = []
        kinds = set[str]()
        while True:
            blank = self._blank() or ([] if scripts else blank)
            sign = self._peek()
            if sign not in ("_", "^", "'"):
                break
            kind = "_" if sign == "_" else "^"
            if kind in kinds:
                raise _NoFormula
            kinds.add(kind)
            while self._peek() == "'":
                scripts.append(Script(self._take(), None))
            if self._peek() in ("_", "^") and (sign != "'" or self._peek() == "^"):
                scripts.append(Script(self._take(), self._argument()))
        if limits and not scripts:
            raise _NoFormula
        if scripts and isinstance(nucleus, Numeral) and "e" in nucleus.text.lower():
            nucleus = replace(nucleus, in_brackets=True)
        return [Scripted(nucleus, tuple(scripts), limits), *blank] if scripts else [nucleus, *blank]

    def _numeral(self) -> Numeral | None:
        """Digits side by side, perhaps with a power of ten; an argument without braces is one digit."""
        match = self._find(_NUMBER)
        return None if match is None else Numeral(match[0])

    def _nucleus(self) -> Node:
        if self._peek() == "{":
            return self._braced()
        token = self._take()
        if _PLAIN.fullmatch(token):
            return Numeral(token) if token.isdigit() else Sign(token)
        if not token.startswith("\\"):
            raise _NoFormula
        return self._command(token)

    def _braced(self) -> Braced:
        self._expect("{")
        body = self._row(frozenset("}"))
        self._expect("}")
        return Braced(body)

    def _argument(self) -> Braced:
        """Braces, a letter or a symbol."""
        self._blank()
        token = self._peek()
        if token == "{":
            return self._braced()
        if token in ("_", "^", "'", r"\left", r"\begin", r"\not"):
            raise _NoFormula
        self._deeper()
        nucleus = self._nucleus()
        self._depth -= 1
        return Braced(Row((nucleus,)), has_braces=False)

    # ---- commands --------------------------------------------------------------------------------

    def _command(self, command: str) -> Node:
        if command in SYMBOLS:
            return Sign(command)
        if command in WORDS and (words := self._words(command)) is not None:
            return words
        if command in ARGUMENTS:
            return self._applied(command)
        if command == r"\Call" and (callee := self._find(_CALLEE)) is not None:
            return Macro("Call", (Row((Name(callee[1]),)), self._after_blank(self._braced).body))
        if command in NOTATION:
            return Macro(command[1:], tuple(self._after_blank(self._braced).body for _ in range(NOTATION[command])))
        if command in SIZES:
            return Sized(command, self._after_blank(self._delimiter))
        match command:
            case r"\left":
                return self._between_sides()
            case r"\begin":
                return self._environment()
            case r"\substack":
                self._blank()
                self._expect("{")
                return Table("substack", "", self._rows("}", 0))
            case r"\not":
                return self._negated()
            case r"\hspace":
                return self._space()
            case _:
                return self._name(command)

    def _space(self) -> Node:
        """About as wide as it was written; no formula moves back."""
        if self._peek() == "*":
            self._take()
        match = self._match(_WIDTH)
        command = _find_space(match[1], match[2])
        return Blank() if command is None else Sign(command)

    def _after_blank(self, read: Callable[[], _T]) -> _T:
        self._blank()
        return read()

    def _applied(self, command: str) -> Applied:
        option = None
        self._blank()
        if command in OPTIONAL and self._peek() == "[":
            self._take()
            option = Braced(self._row(frozenset("]")))
            self._expect("]")
        if command in BRACED and self._peek() != "{":
            raise _NoFormula
        return Applied(command, tuple(self._argument() for _ in range(ARGUMENTS[command])), option)

    def _negated(self) -> Negated:
        sign = self._after_blank(self._take)
        known = COMMANDS.get(sign) or SIGNS.get(sign)
        if known is None or known.atom is not Atom.REL:
            raise _NoFormula
        return Negated(Sign(sign))

    def _name(self, command: str) -> Words:
        r"""A function of the language, or a name of the author's: a word. What takes an argument, `\unicode{60}`, is no name."""
        if is_known_name(command):
            return Words(r"\operatorname*" if command[1:] in NAMED_REDUCTIONS else r"\operatorname", command[1:])
        following = self._peek() if not self._peek().isspace() else self._following()
        if command in VOCABULARY or not command[1:].isalpha() or self._peek() == "{" or following.isdigit():
            raise _NoFormula
        return Words(r"\mathrm", command[1:])

    def _words(self, command: str) -> Node | None:
        """Braces around words, perhaps with formulas; None, with nothing consumed, where something else stands in them."""
        start = self._at
        parts: list[Node] = []
        is_text = command.startswith(r"\text") or command == r"\mbox"
        self._blank()
        if self._peek() == "{":
            self._take()
            parts.append(Words(command, self._text(is_text)))
            while self._peek() == "$" and command in WITH_FORMULAS:
                self._take()
                parts.append(Braced(self._row(frozenset("$"))))
                self._expect("$")
                parts.append(Words(command, self._text(is_text)))
            if self._peek() == "}":
                self._take()
                return parts[0] if len(parts) == 1 else Braced(Row(tuple(parts)))
        self._at = start
        return None

    def _text(self, is_text: bool) -> str:
        text = ""
        while (
            _WORD.fullmatch(self._peek()) or self._peek().isspace() or _ESCAPED.fullmatch(self._peek()) or (is_text and self._peek() == "~")
        ):
            token = self._take()
            text += " " if token.isspace() or token == "~" else token.removeprefix("\\")
        return text

    def _delimiter(self) -> str:
        token = self._take()
        if token not in DELIMITERS:
            raise _NoFormula
        return token

    def _between_sides(self) -> Sides:
        delimiters, parts = [self._after_blank(self._delimiter)], list[Row]()
        while True:
            parts.append(self._row(frozenset({r"\middle", r"\right"})))
            side = self._take()
            delimiters.append(self._after_blank(self._delimiter))
            if side == r"\right":
                return Sides(tuple(delimiters), tuple(parts))

    # ---- tables ----------------------------------------------------------------------------------

    def _environment(self) -> Table:
        name = self._match(_ENVIRONMENT)[1]
        if name not in ENVIRONMENTS:
            raise _NoFormula
        if name == "alignedat":
            self._match(_COUNT)
        columns = _BETWEEN.sub("", "".join(self._match(_COLUMNS)[1].split())) if name == "array" else ""
        if name == "array" and not columns.strip("|"):
            raise _NoFormula
        cells = len(columns.replace("|", "")) - 1 if columns else ENVIRONMENTS[name]
        rows = self._rows(r"\end", cells, has_lines=name == "array")
        if self._match(_ENVIRONMENT)[1] != name:
            raise _NoFormula
        if name == "dcases":
            rows = tuple(replace(row, cells=tuple(map(_displayed, row.cells))) for row in rows)
        return Table(IN_OTHER_WORDS.get(name, name), columns, rows)

    def _rows(self, end: str, most: int, *, has_lines: bool = False) -> tuple[TableRow, ...]:
        """Rows up to `end`, which is consumed, with at most so many `&` each."""
        rows: list[TableRow] = []
        ends = frozenset({end, "&", _ROW_END})
        while True:
            lines = self._lines() if has_lines else 0
            cells = [self._row(ends)]
            while self._peek() == "&" and len(cells) <= most:
                self._take()
                cells.append(self._row(ends))
            rows.append(TableRow(tuple(cells), lines))
            mark = self._take()
            if mark == end:
                return tuple(rows)
            if mark != _ROW_END:
                raise _NoFormula
            if self._peek() == "*":
                self._take()
            if self._peek() == "[":
                self._match(_SPACE_BELOW)
            if (self._peek().isspace() and self._following() in ("[", "*")) or self._peek() in ("[", "*"):
                raise _NoFormula  # TeX would take it for an argument of the line's end

    def _following(self) -> str:
        return self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else ""

    def _lines(self) -> int:
        lines = 0
        while self._peek() == r"\hline" or (self._peek().isspace() and self._following() == r"\hline"):
            self._blank()
            self._take()
            lines += 1
        return lines

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        self._blank()
        match = self._find(pattern)
        if match is None:
            raise _NoFormula
        return match

    def _find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What matches here, which is consumed."""
        match = pattern.match("".join(self._tokens[self._at : self._at + 40]))
        if match is not None:
            self._at += len(TOKEN.findall(match[0]))
        return match
