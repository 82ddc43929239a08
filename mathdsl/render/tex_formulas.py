r"""Whether a formula may go into a TeX document: it is read as TeX would read it, and only what sets symbols passes.

x_t \in \R^{d}   →   x_t \in \mathbb{R}^{d}        x_a_b, \frac{1}, \input{x}, $, {   →   None
"""

from __future__ import annotations

import re
from collections.abc import Collection

from mathdsl.render.tex_commands import ARGUMENTS, CAPITALS, DELIMITERS, ENVIRONMENTS, NOTATION, REPLACED, SIZES, SYMBOLS, WORDS
from mathdsl.source.characters import CHARACTERS
from mathdsl.source.equal_spellings import find_spelling
from mathdsl.syntax.commands import is_known_name

MAX_LENGTH = 4000
MAX_DEPTH = 40

_TOKEN = re.compile(r"\\operatorname\*|\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_ROW_END = r"\\"
_PLAIN = re.compile(r"[A-Za-z0-9+\-*/=<>()\[\]|,;:.!?@~]")
_WORDS = re.compile(r"[A-Za-z0-9 .,;:!?'()\[\]+=/*@<>|-]*")
_CAPITALS = re.compile(r"\{[A-Z]+\}")
_ENVIRONMENT = re.compile(r"\{([A-Za-z]+)\}")
_CHARACTER = re.compile(CHARACTERS)


class _NoFormula(Exception):
    """TeX would stop here, or do more than set symbols."""


def safe_tex(latex: str, names: Collection[str] = ()) -> str | None:
    r"""The formula as TeX may set it between dollar signs, beside amsmath and amssymb; None where it may not.

    `names`: commands (with backslash) that the program uses as names, which are set as upright words.
    """
    if len(latex) > MAX_LENGTH or not latex.strip():
        return None
    reader = _Reader(latex, names)
    try:
        return reader.read()
    except _NoFormula:
        return None


def _spelled(match: re.Match[str]) -> str:
    spelling = find_spelling(match[0])
    if spelling is None:
        raise _NoFormula
    return f"{spelling} " if spelling[-1:].isalpha() else spelling


class _Reader:
    """One walk over the tokens; each method consumes what it is named after and returns its TeX."""

    def __init__(self, latex: str, names: Collection[str]) -> None:
        self._latex = latex
        self._names = names
        self._tokens: list[str] = []
        self._at = 0
        self._depth = 0

    def read(self) -> str:
        self._tokens = _TOKEN.findall(_CHARACTER.sub(_spelled, self._latex))
        text = self._formula(frozenset())
        if self._at < len(self._tokens):
            raise _NoFormula
        return text.strip()

    # ---- tokens ----------------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        if not token:
            raise _NoFormula
        self._at += 1
        return token

    def _blank(self) -> str:
        if not self._peek().isspace():
            return ""
        self._at += 1
        return " "

    def _expect(self, token: str) -> str:
        if self._take() != token:
            raise _NoFormula
        return token

    # ---- formulas --------------------------------------------------------------------------------

    def _formula(self, ends: frozenset[str]) -> str:
        """Everything up to one of `ends`, which is left."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _NoFormula
        text = self._blank()
        while self._peek() and self._peek() not in ends:
            text += self._nucleus() + self._scripts() + self._blank()
        self._depth -= 1
        return text

    def _scripts(self) -> str:
        """At most one of each kind; primes are the beginning of the upper one."""
        text, seen = "", set[str]()
        while True:
            blank = self._blank()
            sign = self._peek()
            if sign not in ("_", "^", "'"):
                return text + blank
            kind = "_" if sign == "_" else "^"
            if kind in seen:
                raise _NoFormula
            seen.add(kind)
            while self._peek() == "'":
                text += self._take()
            if self._peek() in ("_", "^") and (sign != "'" or self._peek() == "^"):
                text += self._take() + self._argument()

    def _nucleus(self) -> str:
        token = self._peek()
        if token in ("_", "^", "'"):
            return "{}"
        if token == "{":
            return self._braced()
        token = self._take()
        if _PLAIN.fullmatch(token):
            return token
        if not token.startswith("\\"):
            raise _NoFormula
        return self._command(token)

    def _braced(self) -> str:
        self._expect("{")
        text = self._formula(frozenset("}"))
        self._expect("}")
        return f"{{{text}}}"

    def _argument(self) -> str:
        """Braces, a letter or a symbol; always in braces afterwards."""
        self._blank()
        token = self._peek()
        if token == "{":
            return self._braced()
        if token in ("_", "^", "'") or token in ("\\left", "\\begin"):
            raise _NoFormula
        return f"{{{self._nucleus()}}}"

    # ---- commands --------------------------------------------------------------------------------

    def _command(self, command: str) -> str:
        if command in REPLACED:
            return REPLACED[command]
        if command in SYMBOLS:
            return command
        if command in WORDS and (words := self._words()) is not None:
            return command + words
        if command in ARGUMENTS:
            arguments = self._option(command) + "".join(self._argument() for _ in range(ARGUMENTS[command]))
            return (r"\mathbf" if command in CAPITALS and not _CAPITALS.fullmatch(arguments) else command) + arguments
        if command in NOTATION:
            return self._notation(NOTATION[command])
        if command == r"\left":
            return self._between_sides()
        if command in SIZES:
            self._blank()
            return command + self._delimiter()
        if command == r"\begin":
            return self._environment()
        return self._name(command)

    def _name(self, command: str) -> str:
        """A function or a name of the language: a word, which braces do not follow."""
        if self._peek() == "{" or not (command in self._names or (command[1:].isalpha() and is_known_name(command))):
            raise _NoFormula
        star = "*" if command[1:] in ("argmax", "argmin", "mean") else ""
        return rf"\mathrm{{{command[1:]}}}" if command in self._names else rf"\operatorname{star}{{{command[1:]}}}"

    def _words(self) -> str | None:
        """Braces around words alone; None, with nothing consumed, where something else stands in them."""
        start = self._at
        self._blank()
        text = ""
        if self._peek() == "{":
            self._take()
            while _WORDS.fullmatch(self._peek()) and self._peek():
                text += self._take()
            if self._peek() == "}":
                self._take()
                return f"{{{text}}}"
        self._at = start
        return None

    def _option(self, command: str) -> str:
        if command != r"\sqrt":
            return ""
        self._blank()
        if self._peek() != "[":
            return ""
        self._take()
        text = self._formula(frozenset("]"))
        self._expect("]")
        return f"[{{{text}}}]"

    def _notation(self, parts: tuple[str, ...]) -> str:
        text = parts[0]
        for part in parts[1:]:
            self._blank()
            text += self._braced() + part
        return text

    def _delimiter(self) -> str:
        token = self._take()
        if token not in DELIMITERS:
            raise _NoFormula
        return token

    def _between_sides(self) -> str:
        self._blank()
        text = r"\left" + self._delimiter()
        while True:
            text += self._formula(frozenset({r"\middle", r"\right"}))
            side = self._take()
            self._blank()
            text += side + self._delimiter()
            if side == r"\right":
                return text

    def _environment(self) -> str:
        name = self._environment_name()
        text = rf"\begin{{{name}}}"
        cells = 0
        while True:
            text += self._formula(frozenset({r"\end", "&", _ROW_END}))
            mark = self._take()
            cells = cells + 1 if mark == "&" else 0
            if mark == r"\end" and self._environment_name() == name:
                return rf"{text}\end{{{name}}}"
            if mark == r"\end" or cells > ENVIRONMENTS[name]:
                raise _NoFormula
            blank = self._blank()
            if mark != "&" and self._peek() in ("[", "*"):
                raise _NoFormula  # TeX would take it for an argument of the line's end
            text += mark + blank

    def _environment_name(self) -> str:
        self._blank()
        match = _ENVIRONMENT.match("".join(self._tokens[self._at : self._at + 20]))
        if match is None or match[1] not in ENVIRONMENTS:
            raise _NoFormula
        self._at += len(match[0])
        return match[1]
