"""Formulas of prose to MathML Core, as TeX sets them: what the author wrote, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import assert_never
from unicodedata import normalize

from mathdsl.render.mathml.atoms import Placed, Style, compose, delimiter, sign
from mathdsl.render.mathml.elements import element, escape, space
from mathdsl.render.mathml.prose_tables import kept_rows, style_within, write_table
from mathdsl.render.mathml.symbols import FONTS, PRIMES
from mathdsl.render.tex_commands import ARROWS, BOXES, CLASSES, FRACTIONS, LEAST_SIZE, NAMED, REMAINDERS, SIZES
from mathdsl.render.tex_commands import FONTS as FONT_COMMANDS
from mathdsl.render.tex_symbols import CHARACTERS, COMMANDS, SPACES, STYLES, Atom, Symbol
from mathdsl.syntax.display.heights import Height, height, takes_limits
from mathdsl.syntax.display.tree import (
    Applied,
    Blank,
    Braced,
    Fence,
    Gap,
    Grouped,
    Macro,
    Name,
    Negated,
    Node,
    Numeral,
    Omitted,
    Operator,
    Power,
    Row,
    Script,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    Words,
)
from mathdsl.vocabulary import of_kinds

_BRACES = frozenset({r"\overbrace", r"\underbrace"})
_POINTED = {"<": "⟨", ">": "⟩", ".": ""}
_SIDES: Mapping[str, Atom] = MappingProxyType({"l": Atom.OPEN, "r": Atom.CLOSE, "m": Atom.REL})
"""The class of a bracket whose size has such an ending."""

_CLASSES: Mapping[str, Atom] = MappingProxyType(
    {
        r"\mathop": Atom.OP,
        r"\mathbin": Atom.BIN,
        r"\mathrel": Atom.REL,
        r"\mathord": Atom.ORD,
        r"\mathopen": Atom.OPEN,
        r"\mathclose": Atom.CLOSE,
        r"\mathpunct": Atom.PUNCT,
        r"\mathinner": Atom.INNER,
    }
)
_ACCENTS: Mapping[str, str] = MappingProxyType({row.spelling: row.shown for row in of_kinds("accent")})
_WIDE: Mapping[str, str] = MappingProxyType({row.spelling: row.shown for row in of_kinds("wide")})
_BORDERS: Mapping[str, str] = MappingProxyType(
    {
        r"\overline": "border-top:.06em solid;padding-top:.1em",
        r"\underline": "border-bottom:.06em solid;padding-bottom:.1em",
        r"\boxed": "border:.06em solid;padding:.25em",
    }
)
_ARROWS = MappingProxyType({row.spelling: row.shown for row in of_kinds("arrow")})
_TEXT_STYLES: Mapping[str, str] = MappingProxyType(
    {
        r"\textbf": "font-weight:bold",
        r"\textit": "font-style:italic",
        r"\textsf": "font-family:sans-serif",
        r"\texttt": "font-family:monospace",
    }
)


def convert_prose(body: Row, *, display: bool, before: Atom | None = None) -> str:
    """A formula as elements side by side; `before`: the class of what stands before it."""
    return _Writer(Style(is_display=display)).body(body, before)


class _Writer:
    """Rows in one style."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def body(self, body: Row, before: Atom | None = None) -> str:
        return compose(self._row(body.parts), self._style, before)

    def _in(self, font: str) -> _Writer:
        return _Writer(replace(self._style, font=font))

    def _single(self, body: Row) -> str:
        return element("mrow", self.body(body))

    def _raised(self, body: Row) -> str:
        """In a script."""
        return _Writer(self._style.in_script)._single(body)

    def _row(self, parts: Sequence[Node]) -> list[Placed]:
        """The nodes as elements: digits side by side are one number; a size holds up to the end of its group."""
        placed: list[Placed] = []
        digits = ""
        nodes = [part for part in parts if not isinstance(part, Blank)]
        for at, node in enumerate(nodes):
            following = nodes[at + 1] if at + 1 < len(nodes) else None
            if _is_digit(node) or (digits and node == Sign(".") and following is not None and _is_digit(following)):
                digits += node.text if isinstance(node, Sign) else ""
                continue
            if isinstance(node, Scripted) and _is_digit(node.base) and isinstance(node.base, Sign):
                placed.append(self._scripted(node, Placed(self._number(digits + node.base.text))))
                digits = ""
                continue
            if digits:
                placed.append(Placed(self._number(digits)))
                digits = ""
            if isinstance(node, Sign) and node.text in STYLES:
                is_display, level = STYLES[node.text]
                inner = replace(self._style, is_display=is_display == "true", is_tight=level != "0")
                rest = compose(_Writer(inner)._row(nodes[at + 1 :]), inner)
                return [*placed, Placed(element("mstyle", rest, displaystyle=is_display, scriptlevel=level))]
            placed.append(_dots(following) if node == Sign(r"\dots") else self._node(node))
        return [*placed, Placed(self._number(digits))] if digits else placed

    def _number(self, digits: str) -> str:
        return element("mn", escape(_letters(digits, self._style.font)))

    def _node(self, node: Node) -> Placed:
        match node:
            case Blank():
                return Placed("", None)
            case Sign(text):
                return self._sign(text)
            case Negated(Sign(text)):
                return Placed(sign(normalize("NFC", _character(text) + "\N{COMBINING LONG SOLIDUS OVERLAY}")), Atom.REL)
            case Braced(body):
                return Placed(self._single(body))
            case Scripted(base):
                return self._scripted(node, self._node(base))
            case Applied(command, (Braced(Row() as row), base)) if command in (r"\overset", r"\underset"):
                inner = self._base_of(base)
                tag = "mover" if command == r"\overset" else "munder"
                return Placed(element(tag, inner.markup, self._raised(row)), inner.atom)
            case Applied():
                return self._applied(node)
            case Words():
                return _words(node)
            case Sides(delimiters, rows):
                return self._sides([_bracket(one) for one in delimiters], rows)
            case Sized(command, one):
                atom = _SIDES.get(command[-1], Atom.ORD)
                form = {Atom.OPEN: "prefix", Atom.CLOSE: "postfix"}.get(atom, "infix")
                if SIZES[command] == LEAST_SIZE:
                    return Placed(delimiter(_bracket(one), form=form, grows=False, style=f"font-size:{LEAST_SIZE}"), atom)
                return Placed(delimiter(_bracket(one), form=form, minsize=SIZES[command], maxsize=SIZES[command]), atom)
            case Macro():
                return self._macro(node)
            case Table():
                return self._table(node)
            case Gap() | Operator() | Name() | Numeral() | Omitted() | Grouped() | Fence() | Power():
                raise AssertionError("no formula of prose has these")
            case _:
                assert_never(node)

    def _sign(self, text: str) -> Placed:
        if text in SPACES:
            return Placed(space(SPACES[text]), None)
        symbol = _symbol(text)
        if symbol is None:
            return Placed(self._letter(text))
        match symbol.atom:
            case Atom.ORD if symbol.is_italic or symbol.character.isalpha():
                return Placed(self._letter(symbol.character, is_upright=not symbol.is_italic))
            case Atom.INNER:
                return Placed(element("mi", symbol.character), Atom.INNER)
            case Atom.OP if symbol.character.isascii() or len(symbol.character) > 1:
                return Placed(element("mi", symbol.character), Atom.OP)
            case atom:
                return Placed(sign(symbol.character.replace("-", "−")), atom)

    def _letter(self, letter: str, *, is_upright: bool = False) -> str:
        shown = _letters(letter, self._style.font)
        upright = {"mathvariant": "normal"} if shown == letter and (is_upright or self._style.font == "mathrm") else {}
        return element("mi", escape(shown), **upright)

    def _base_of(self, argument: Braced) -> Placed:
        """The one node of an argument keeps its class."""
        match argument:
            case Braced(Row((Sign() as only,))):
                return self._node(only)
            case _:
                return self._node(argument)

    def _scripted(self, node: Scripted, base: Placed) -> Placed:
        primes = sum(_count_primes(script) for script in node.scripts)
        below = next((self._script(script) for script in node.scripts if script.mark == "_"), "")
        above = next((self._script(script) for script in node.scripts if script.mark == "^" and not _count_primes(script)), "")
        has_limits = self._has_limits(node)
        head = _limited(node.base, base.markup) if has_limits else base.markup
        if primes:  # fonts have them high enough for a line
            head = element("mrow", head, sign(PRIMES[primes] if primes < len(PRIMES) else "′" * primes))
        if not (above or below):
            return Placed(head, base.atom if base.atom is not None else Atom.ORD)
        tags = ("munder", "mover", "munderover") if has_limits else ("msub", "msup", "msubsup")
        tag = tags[2] if below and above else tags[0] if below else tags[1]
        return Placed(element(tag, head, below, above), base.atom if base.atom is not None else Atom.ORD)

    def _script(self, script: Script) -> str:
        return "" if script.body is None else self._raised(script.body.body)

    def _has_limits(self, node: Scripted) -> bool:
        if node.limits:
            return node.limits == r"\limits"
        match node.base:
            case Applied(command) if command in _BRACES:
                return True
            case base:
                return self._style.is_display and takes_limits(base)

    def _sides(self, delimiters: Sequence[str], rows: Sequence[Row]) -> Placed:
        forms = ["prefix", *["infix"] * (len(rows) - 1), "postfix"]
        grows = any(height(row, is_display=self._style.is_display) > Height.LINE for row in rows)
        written = [delimiter(one, form=form, grows=grows) if one else "" for one, form in zip(delimiters, forms, strict=True)]
        inner = "".join(self.body(row) + after for row, after in zip(rows, written[1:], strict=True))
        return Placed(element("mrow", written[0], inner), Atom.INNER)

    def _macro(self, node: Macro) -> Placed:
        word, *brackets = node.reading
        opening, closing = map(_character, brackets)
        comma = sign(",") + space("0.1667em")
        inner = comma.join(self.body(argument) for argument in node.arguments)
        fenced = element("mrow", delimiter(opening, form="prefix"), inner, delimiter(closing, form="postfix"))
        return Placed(element("mrow", _named(word), fenced), Atom.INNER) if word else Placed(fenced, Atom.INNER)

    def _applied(self, node: Applied) -> Placed:
        """A command with its arguments; each row of the tables above says what is seen."""
        command, first = node.command, node.arguments[0].body
        if command in FONT_COMMANDS:
            font = {r"\bm": "boldsymbol", r"\mathscr": "mathcal"}.get(command, command.removeprefix("\\"))
            return Placed(element("mrow", self._in(font).body(first)))
        if command in CLASSES or command in NAMED:
            name = _flat_name(node)
            inner = (self._in("mathrm") if command in NAMED else self).body(first)
            return Placed(element("mrow", inner) if name is None else _named(name), _CLASSES.get(command, Atom.OP))
        if command in FRACTIONS:
            return self._fraction(command, node.arguments)
        if command in ARROWS:
            return self._arrow(node)
        if command in REMAINDERS:
            return self._remainder(command, self.body(first))
        if command == r"\stackrel":
            above, base = node.arguments
            return Placed(element("mover", self._single(base.body), self._raised(above.body)), Atom.REL)
        inner = self.body(first)
        if command == r"\sqrt":
            if node.option is None:
                return Placed(element("msqrt", inner))
            return Placed(element("mroot", element("mrow", inner), self._raised(node.option.body)))
        if command in BOXES and command != r"\boxed":
            return _invisible(command, inner)
        if command in _BORDERS:
            return Placed(element("mrow", inner, style=_BORDERS[command]))
        return _accented(command, inner)

    def _fraction(self, command: str, arguments: tuple[Braced, ...]) -> Placed:
        size = {"d": True, "c": True, "t": False}.get(command[1])
        whole = self._style if size is None else replace(self._style, is_display=size)
        over, under = (_Writer(whole.in_fraction)._single(argument.body) for argument in arguments)
        has_line = "frac" in command
        fraction = element("mfrac", over, under, **({} if has_line else {"linethickness": "0"}))
        if command.endswith("binom"):
            fraction = element("mrow", delimiter("(", form="prefix") + fraction + delimiter(")", form="postfix"))
        if size is not None:
            fraction = element("mstyle", fraction, displaystyle="true" if size else "false", scriptlevel="0")
        return Placed(fraction)

    def _arrow(self, node: Applied) -> Placed:
        def padded(body: Row) -> str:
            return element("mrow", space("0.4em") + _Writer(self._style.in_script).body(body) + space("0.4em"))

        arrow = sign(_ARROWS[node.command], stretchy="true")
        above = padded(node.arguments[0].body)
        if node.option is None:
            return Placed(element("mover", arrow, above), Atom.REL)
        return Placed(element("munderover", arrow, padded(node.option.body), above), Atom.REL)

    def _remainder(self, command: str, inner: str) -> Placed:
        before = space("1em" if self._style.is_display else "0.6667em")
        word = "" if command == r"\pod" else _named("mod") + space("0.3333em")
        brackets = ("", "") if command == r"\mod" else (sign("("), sign(")"))
        return Placed(element("mrow", before + brackets[0] + word + inner + brackets[1]))

    def _table(self, node: Table) -> Placed:
        inside = _Writer(style_within(node.name, self._style))
        right = Atom.ORD if node.name in ("aligned", "split") else None  # goes on after the cell at its left
        shown = [[inside.body(cell, right if at % 2 else None) for at, cell in enumerate(row.cells)] for row in kept_rows(node)]
        return write_table(node, shown)


def _is_digit(node: Node) -> bool:
    return isinstance(node, Sign) and node.text.isdigit()


def _dots(following: Node | None) -> Placed:
    """Between operators they stand as high as those."""
    base = following.base if isinstance(following, Scripted) else following
    symbol = _symbol(base.text) if isinstance(base, Sign) else None
    return Placed(element("mi", "⋯" if symbol and symbol.atom in (Atom.BIN, Atom.REL) else "…"), Atom.INNER)


def _symbol(text: str) -> Symbol | None:
    return COMMANDS.get(text) or CHARACTERS.get(text)


def _character(text: str) -> str:
    symbol = _symbol(text)
    return text if symbol is None else symbol.character


def _bracket(text: str) -> str:
    """A delimiter after a command that makes it taller: `<` is an angle, and a point is nothing."""
    return _POINTED.get(text, _character(text))


def _count_primes(script: Script) -> int:
    r"""How many primes a script is: `'`, or some `\prime` and nothing else."""
    match script.body:
        case None:
            return 1
        case Braced(Row(parts)) if script.mark == "^" and all(part in (Sign(r"\prime"), Blank()) for part in parts):
            return parts.count(Sign(r"\prime"))
        case _:
            return 0


def _limited(base: Node, markup: str) -> str:
    """An operator whose limits never move to its side: where they stand has been decided."""
    match base:
        case Sign(text):
            return sign(_character(text), movablelimits="false")
        case Applied() if (name := _flat_name(base)) is not None:
            return _named(name)
        case _:
            return markup


def _letters(text: str, font: str) -> str:
    """The letters of an alphabet; what it does not have stays."""
    alphabet = FONTS.get(font, {})
    return "".join(alphabet.get(letter, letter) for letter in text)


def _named(name: str) -> str:
    """The upright name of an operator."""
    return element("mi", escape(name), **({"mathvariant": "normal"} if len(name) == 1 else {}))


def _words(node: Words) -> Placed:
    if node.command in NAMED:
        return Placed(_named(node.text.replace(" ", "")), Atom.OP)
    if node.command == r"\mathrm":
        return Placed(_named(node.text.replace(" ", "").replace("-", "−")))
    style = _TEXT_STYLES.get(node.command)
    inner = node.text.strip(" ")
    before, after = (len(node.text) - len(end) for end in (node.text.lstrip(" "), node.text.rstrip(" ")))
    gap = "\N{NO-BREAK SPACE}"  # where words begin or end, browsers drop a plain one
    text = gap * bool(before) + inner + gap * bool(after) if inner else gap * bool(node.text)
    return Placed(element("mtext", escape(text), **({"style": style} if style else {})))


def _flat_name(node: Applied) -> str | None:
    r"""`\operatorname*{arg\,max}`, `\mathop{\mathrm{softmax}}` as one name."""
    match node.arguments[0].body:
        case Row((Words(r"\mathrm" | r"\text" | r"\operatorname", text),)):
            return text
        case Row(parts) if node.command in NAMED:
            name = ""
            for part in parts:
                if isinstance(part, Sign) and part.text in SPACES:
                    name += "\N{THIN SPACE}"
                elif isinstance(part, Sign) and part.text.isalnum():
                    name += part.text
                elif not isinstance(part, Blank):
                    return None
            return name
        case _:
            return None


def _accented(command: str, inner: str) -> Placed:
    if command in _ACCENTS:
        accent = {} if command == r"\vec" else {"accent": "true"}  # a reader's font has no arrow that is small enough
        return Placed(element("mover", element("mrow", inner), sign(_ACCENTS[command], stretchy="false"), **accent))
    tag = "munder" if command.startswith(r"\under") else "mover"
    accent = {"accentunder" if tag == "munder" else "accent": "true"} if command in (r"\widehat", r"\widetilde") else {}
    atom = Atom.OP if command.endswith("brace") else Atom.ORD
    return Placed(element(tag, element("mrow", inner), sign(_WIDE[command], stretchy="true"), **accent), atom)


def _invisible(command: str, inner: str) -> Placed:
    match command:
        case r"\phantom":
            return Placed(element("mphantom", inner))
        case r"\hphantom":
            return Placed(element("mpadded", element("mphantom", inner), height="0", depth="0"))
        case r"\vphantom":
            return Placed(element("mpadded", element("mphantom", inner), width="0"))
        case _:
            return Placed(element("mpadded", inner, height="0", depth="0"))
