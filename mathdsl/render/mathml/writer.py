"""The display tree as MathML Core: formulas of programs and of prose, set as TeX sets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import assert_never
from unicodedata import normalize

from mathdsl.render.mathml.alphabets import ALPHABETS, in_font
from mathdsl.render.mathml.atoms import Placed, Style, compose, delimiter, sign
from mathdsl.render.mathml.elements import element, escape, space
from mathdsl.render.mathml.tables import kept_rows, style_within, write_table
from mathdsl.render.tex_commands import (
    ACCENTS,
    ARROWS,
    BOXES,
    CHARACTERS,
    CLASSES,
    COMMANDS,
    FONTS,
    FRACTIONS,
    LEAST_SIZE,
    NAMED,
    REMAINDERS,
    SIZES,
    SPACES,
    STYLES,
    WIDE_ACCENTS,
    Atom,
    Symbol,
)
from mathdsl.syntax.commands import is_known_name
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
from mathdsl.vocabulary import VOCABULARY

_POINTED = {"<": "⟨", ">": "⟩", ".": ""}
_SIDES: Mapping[str, Atom] = MappingProxyType({"l": Atom.OPEN, "r": Atom.CLOSE, "m": Atom.REL})
"""The class of a bracket whose size has such an ending."""

_OPERATORS: Mapping[str, Symbol] = MappingProxyType(
    {
        "@": Symbol("@", Atom.BIN),
        "||": Symbol("∥", Atom.BIN),
        ":": Symbol(":", Atom.ORD),
        r"\algoIs": Symbol("is", Atom.REL),
    }
)
"""Operators of programs that TeX does not have, or takes for something else."""

_LETTERS, _WORDS = frozenset({"", "mathit"}), frozenset({"operatorname", "operatorname*"})
"""Fonts of names whose letters are slanted, and of those that are functions."""

_SCIENTIFIC = re.compile(r"([\d.]+)[eE](-?)\+?0*(\d+)")
_PRIMES = ("", "′", "″", "‴", "⁗")
_PRIME = r"\prime"
_BRACES = frozenset({r"\overbrace", r"\underbrace"})
_BORDERS: Mapping[str, str] = MappingProxyType(
    {
        r"\overline": "border-top:.06em solid;padding-top:.1em",
        r"\underline": "border-bottom:.06em solid;padding-bottom:.1em",
        r"\boxed": "border:.06em solid;padding:.25em",
    }
)
_TEXT_STYLES: Mapping[str, str] = MappingProxyType(
    {
        r"\textbf": "font-weight:bold",
        r"\textit": "font-style:italic",
        r"\textsf": "font-family:sans-serif",
        r"\texttt": "font-family:monospace",
    }
)
_WORD_ROOM = "0.2778em"  # beside an operator that is a word, also in scripts
_WORD_SPACE, _THIN = "0.25em", "0.1667em"


def write_row(row: Row, *, is_display: bool = False, before: Atom | None = None) -> str:
    """A formula as elements side by side, to be put into `wrap_mathml`; `before`: the class of what stands before it."""
    return "".join(write_rows((row,), is_display=is_display, before=before))


def write_rows(rows: Sequence[Row], *, is_display: bool = False, before: Atom | None = None) -> tuple[str, ...]:
    """Parts of a formula, between which a line may end, as rows of MathML that look like the whole, side by side."""
    style = Style(is_display=is_display)
    written: list[str] = []
    for row in rows:
        placed = _Writer(style).placed(row.parts)
        written.append(compose(placed, style, before))
        before = next((part.ending for part in reversed(placed) if part.atom is not None), before)
    return tuple(written)


class _Writer:
    """Rows in one style."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def body(self, body: Row, before: Atom | None = None) -> str:
        return compose(self.placed(body.parts), self._style, before)

    def _in(self, font: str) -> _Writer:
        return _Writer(replace(self._style, font=font))

    def _single(self, body: Row) -> str:
        """As one element; signs stand in a row, or they would be as wide as what they stand above."""
        placed = self.placed(body.parts)
        if len(placed) == 1 and not placed[0].markup.startswith(("<mo>", "<mo ")):
            return placed[0].markup
        return element("mrow", compose(placed, self._style))

    def _raised(self, body: Row) -> str:
        """In a script."""
        return _Writer(self._style.in_script)._single(body)

    def placed(self, parts: Iterable[Node]) -> list[Placed]:
        """The nodes as elements; a size holds up to the end of its group."""
        placed: list[Placed] = []
        nodes = list(_flat(parts))
        for at, node in enumerate(nodes):
            following = nodes[at + 1] if at + 1 < len(nodes) else None
            if isinstance(node, Sign) and node.text in STYLES:
                is_display, level = STYLES[node.text]
                inner = replace(self._style, is_display=is_display == "true", is_tight=level != "0")
                rest = compose(_Writer(inner).placed(nodes[at + 1 :]), inner)
                return [*placed, Placed(element("mstyle", rest, displaystyle=is_display, scriptlevel=level))]
            if isinstance(node, Gap):
                placed += _room(node, nodes[at - 1], following) if at and following is not None else ()
            else:
                placed.append(_dots(following) if node == Sign(r"\dots") else self._node(node))
        return placed

    def _node(self, node: Node) -> Placed:
        match node:
            case Sign(text):
                return self._sign(text)
            case Operator(text, is_prefix):
                symbol = _OPERATORS.get(text) or _symbol(text) or Symbol(text.removeprefix("\\"), Atom.REL)
                return self._mark(symbol.character, Atom.ORD if is_prefix and symbol.atom is Atom.BIN else symbol.atom)
            case Name():
                return self._name(node)
            case Numeral(text):
                return Placed(element("mn", escape(in_font(text.replace("-", "−"), self._style.font))))
            case Fence(opening, body, closing):
                return self._fence(opening, body, closing)
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
            case Table():
                return self._table(node)
            case Blank() | Omitted() | Gap() | Grouped() | Power() | Macro():
                raise AssertionError("what stands side by side has none of these")
            case _:
                assert_never(node)

    # ---- signs and names -----------------------------------------------------------------------------

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
                return self._mark(symbol.character, atom)

    def _mark(self, character: str, atom: Atom) -> Placed:
        """A sign, or an operator that is a word (`mod`), which keeps a distance in scripts too."""
        room = {"lspace": _WORD_ROOM, "rspace": _WORD_ROOM} if self._style.is_tight and character.isalpha() else {}
        return Placed(sign(character, **room), atom)

    def _letter(self, letter: str, *, is_upright: bool = False) -> str:
        shown = in_font(letter, self._style.font)
        upright = {"mathvariant": "normal"} if shown == letter and (is_upright or self._style.font == "mathrm") else {}
        return element("mi", escape(shown), **upright)

    def _name(self, node: Name) -> Placed:
        """A letter is slanted; a word of a font, a function and a command without letters of its own are upright."""
        text, font, command = node.text, node.font, node.text.removeprefix("\\")
        row = VOCABULARY.get(text)
        if font in _WORDS:
            return Placed(_named(command), Atom.OP)
        if font in ALPHABETS:
            return Placed(element("mi", escape(in_font(row.shown if row and row.shown else command, font))))
        if font not in _LETTERS:
            return Placed(_named(command))
        if text == command:
            return Placed(_slanted(text))
        if text in COMMANDS:
            return self._sign(text)
        if row is not None and row.shown:
            return Placed(self._letter(row.shown) if text == r"\omicron" else _named(row.shown))
        return Placed(_named(command), Atom.OP if is_known_name(text) else Atom.ORD)

    # ---- brackets and scripts ------------------------------------------------------------------------

    def _fence(self, opening: str, body: Row, closing: str) -> Placed:
        """Brackets as tall as what they hold; they reach over what stands in their row."""
        before, after = delimiter(_character(opening), form="prefix"), delimiter(_character(closing), form="postfix")
        return Placed(element("mrow", before, self.body(body), after), Atom.OPEN, Atom.CLOSE)

    def _sides(self, delimiters: Sequence[str], rows: Sequence[Row]) -> Placed:
        forms = ["prefix", *["infix"] * (len(rows) - 1), "postfix"]
        grows = any(height(row, is_display=self._style.is_display) > Height.LINE for row in rows)
        written = [delimiter(one, form=form, grows=grows) if one else "" for one, form in zip(delimiters, forms, strict=True)]
        inner = "".join(self.body(row) + after for row, after in zip(rows, written[1:], strict=True))
        return Placed(element("mrow", written[0], inner), Atom.INNER)

    def _scripted(self, node: Scripted, base: Placed) -> Placed:
        primes = sum(_count_primes(script) for script in node.scripts)
        below = next((self._script(script) for script in node.scripts if script.mark == "_"), "")
        above = next((self._script(script) for script in node.scripts if script.mark == "^" and not _count_primes(script)), "")
        has_limits = self._has_limits(node)
        head = _limited(node.base, base.markup) if has_limits else base.markup
        if primes:  # fonts have them high enough for a line
            head = element("mrow", head, sign(_PRIMES[primes] if primes < len(_PRIMES) else "′" * primes))
        tags = ("munder", "mover", "munderover") if has_limits else ("msub", "msup", "msubsup")
        tag = tags[2] if below and above else tags[0] if below else tags[1]
        markup = element(tag, head, below, above) if below or above else head
        return replace(base, markup=markup, atom=Atom.ORD if base.atom is None else base.atom)

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

    def _base_of(self, argument: Braced) -> Placed:
        """The one node of an argument keeps its class."""
        match argument:
            case Braced(Row((Sign() as only,))):
                return self._node(only)
            case _:
                return self._node(argument)

    # ---- commands with arguments ---------------------------------------------------------------------

    def _applied(self, node: Applied) -> Placed:
        """A command with its arguments; each kind of the vocabulary says what is seen."""
        command, first = node.command, node.arguments[0].body
        if command in FONTS:
            return Placed(self._in("mathcal" if command == r"\mathscr" else command.removeprefix("\\"))._single(first))
        if command in CLASSES or command in NAMED:
            name = _flat_name(node)
            inner = (self._in("mathrm") if command in NAMED else self).body(first)
            return Placed(element("mrow", inner) if name is None else _named(name), CLASSES.get(command, Atom.OP))
        if command in FRACTIONS:
            return self._fraction(command, node.arguments)
        if command in ARROWS:
            return self._arrow(node)
        if command in REMAINDERS:
            return self._remainder(command, self.body(first))
        if command == r"\stackrel":
            above, base = node.arguments
            return Placed(element("mover", self._single(base.body), self._raised(above.body)), Atom.REL)
        if command == r"\sqrt":
            if node.option is None:
                return Placed(element("msqrt", self.body(first)))
            return Placed(element("mroot", self._single(first), self._raised(node.option.body)))
        if command in BOXES:
            return _invisible(command, self.body(first))
        if command in _BORDERS:
            return Placed(element("mrow", self.body(first), style=_BORDERS[command]))
        return _accented(command, self._single(first))

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

        arrow = sign(ARROWS[node.command], stretchy="true")
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


def _flat(nodes: Iterable[Node]) -> Iterator[Node]:
    """Without groups that are not seen: scripts of such a group, and of brackets on a line, stand at the last part of it."""
    for node in nodes:
        match node:
            case Blank() | Omitted():
                pass
            case Braced(body, has_braces=False) | Grouped(body, "grammar"):
                yield from _flat(body.parts)
            case Grouped(body, "TeX"):
                yield Braced(body)
            case Grouped(body):
                yield from _flat((Fence("(", body, ")"),))
            case Fence(opening, body, closing) if height(body) < Height.FRACTION:
                yield from (Sign(opening), *_flat(body.parts), Sign(closing))
            case Power(base, exponent):
                yield from _flat((Scripted(Braced(base, has_braces=False), (Script("^", Braced(exponent)),)),))
            case Scripted(base, scripts, limits):
                *before, last = _flat((base,))
                yield from (*before, Scripted(last, scripts, limits))
            case Macro("Call", (Row((Name(text, ""),)), items)) if len(text) > 1:
                yield from (Name(text, "mathrm"), *_flat((Fence("(", items, ")"),)))
            case Macro("Call", (callee, items)):
                yield from _flat((*callee.parts, Fence("(", items, ")")))
            case Macro(name):
                word, opening, closing = node.reading
                function = (Name(word, "mathrm" if name == "sz" else "operatorname"),) if word else ()
                yield from (*function, *_flat((Fence(opening, node.items, closing),)))
            case Numeral(text, in_brackets) if (match := _SCIENTIFIC.fullmatch(text)) is not None:
                power = _power_of_ten(*match.groups())
                yield from (Sign("("), *power, Sign(")")) if in_brackets else power
            case _:
                yield node


def _power_of_ten(digits: str, minus: str, exponent: str) -> tuple[Node, ...]:
    above = Row((*((Operator("-", is_prefix=True),) if minus else ()), Numeral(exponent)))
    power = Scripted(Numeral("10"), (Script("^", Braced(above)),))
    return (power,) if digits == "1" else (Numeral(digits), Operator(r"\cdot"), power)


def _room(gap: Gap, before: Node, after: Node) -> tuple[Placed, ...]:
    """Between two factors: nothing where letters and brackets touch."""
    match gap.command, after:
        case "\\ ", _:
            return (Placed(space(_WORD_SPACE), None, is_least=True),)
        case "", _ if _opens(after) or not (_stands_apart(before) or _stands_apart(after)):
            return ()
        case _:
            return (Placed(space(_THIN), None, is_least=True),)


def _opens(node: Node) -> bool:
    symbol = _symbol(node.text) if isinstance(node, Sign) else None
    return isinstance(node, Fence) or (symbol is not None and symbol.atom is Atom.OPEN)


def _stands_apart(node: Node) -> bool:
    """A fraction, and a name that is a word."""
    match node:
        case Scripted(base):
            return _stands_apart(base)
        case Applied(command):
            return command in FRACTIONS
        case Name(text, font):
            is_word = not (font or text in COMMANDS or text in VOCABULARY) and text.startswith("\\")
            return len(text) > 1 and (is_word or font not in (*_LETTERS, *ALPHABETS))
        case _:
            return False


def _dots(following: Node | None) -> Placed:
    """Between operators they stand as high as those."""
    base = following.base if isinstance(following, Scripted) else following
    symbol = _symbol(base.text) if isinstance(base, Sign | Operator) else None
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
        case Braced(Row(parts)) if script.mark == "^" and all(part in (Sign(_PRIME), Name(_PRIME), Blank()) for part in parts):
            return sum(part != Blank() for part in parts)
        case _:
            return 0


def _limited(base: Node, markup: str) -> str:
    """An operator whose limits never move to its side: where they stand has been decided."""
    match base:
        case Sign(text) if (character := _character(text)) and not character.isascii():
            return sign(character, movablelimits="false")
        case Applied() if (name := _flat_name(base)) is not None:
            return _named(name)
        case _:
            return markup


def _slanted(text: str) -> str:
    """Each letter by itself: what stands in one element is upright."""
    letters = [element("mi", escape(letter)) for letter in text]
    return letters[0] if len(letters) == 1 else element("mrow", *letters)


def _named(name: str) -> str:
    """The upright name of an operator."""
    return element("mi", escape(name), **({"mathvariant": "normal"} if len(name) == 1 else {}))


def _words(node: Words) -> Placed:
    if node.command in NAMED:
        return Placed(_named(node.text.replace(" ", "")), Atom.OP)
    if node.command == r"\mathrm":
        return Placed(_named(node.text.replace(" ", "").replace("-", "−")))
    if node.command == r"\mathit":
        return Placed(_slanted(node.text.replace(" ", "").replace("-", "−")))
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
                elif isinstance(part, Sign | Numeral) and part.text.isalnum():
                    name += part.text
                elif not isinstance(part, Blank):
                    return None
            return name
        case _:
            return None


def _accented(command: str, inner: str) -> Placed:
    """A mark over a body, or under it; a reader's font has no arrow that is small enough for an accent."""
    if command in ACCENTS:
        accent = {} if command == r"\vec" else {"accent": "true"}
        return Placed(element("mover", inner, sign(ACCENTS[command], stretchy="false"), **accent))
    tag = "munder" if command.startswith(r"\under") else "mover"
    accent = {"accentunder" if tag == "munder" else "accent": "true"} if command in (r"\widehat", r"\widetilde") else {}
    atom = Atom.OP if command.endswith("brace") else Atom.ORD
    return Placed(element(tag, inner, sign(WIDE_ACCENTS[command], stretchy="true"), **accent), atom)


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
