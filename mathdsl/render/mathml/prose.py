"""Formulas of prose to MathML Core, as TeX sets them: what the author wrote, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never
from unicodedata import normalize

from mathdsl.render.mathml.atoms import Placed, Style, compose, delimiter, sign
from mathdsl.render.mathml.elements import element, escape, space
from mathdsl.render.mathml.prose_commands import ATOMS, applied, flat_name, letters, named, words
from mathdsl.render.mathml.prose_tables import table
from mathdsl.render.mathml.symbols import PRIMES
from mathdsl.render.tex_commands import LEAST_SIZE, SIZES
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

_BRACES = frozenset({r"\overbrace", r"\underbrace"})
_POINTED = {"<": "⟨", ">": "⟩", ".": ""}


def convert_prose(body: Row, *, display: bool, before: Atom | None = None) -> str:
    """A formula as elements side by side; `before`: the class of what stands before it."""
    return _body(body, Style(is_display=display), before)


def _body(body: Row, style: Style, before: Atom | None = None) -> str:
    return compose(_row(body.parts, style), style, before)


def _single(body: Row, style: Style) -> str:
    return element("mrow", _body(body, style))


def _row(parts: Sequence[Node], style: Style) -> list[Placed]:
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
            placed.append(_scripted(node, Placed(_number(digits + node.base.text, style)), style))
            digits = ""
            continue
        if digits:
            placed.append(Placed(_number(digits, style)))
            digits = ""
        if isinstance(node, Sign) and node.text in STYLES:
            is_display, level = STYLES[node.text]
            inner = replace(style, is_display=is_display == "true", is_tight=level != "0")
            rest = compose(_row(nodes[at + 1 :], inner), inner)
            return [*placed, Placed(element("mstyle", rest, displaystyle=is_display, scriptlevel=level))]
        placed.append(_dots(following) if node == Sign(r"\dots") else _node(node, style))
    return [*placed, Placed(_number(digits, style))] if digits else placed


def _is_digit(node: Node) -> bool:
    return isinstance(node, Sign) and node.text.isdigit()


def _number(digits: str, style: Style) -> str:
    return element("mn", escape(letters(digits, style.font)))


def _dots(following: Node | None) -> Placed:
    """Between operators they stand as high as those."""
    base = following.base if isinstance(following, Scripted) else following
    symbol = _symbol(base.text) if isinstance(base, Sign) else None
    return Placed(element("mi", "⋯" if symbol and symbol.atom in (Atom.BIN, Atom.REL) else "…"), Atom.INNER)


def _symbol(text: str) -> Symbol | None:
    return COMMANDS.get(text) or CHARACTERS.get(text)


def _node(node: Node, style: Style) -> Placed:
    match node:
        case Blank():
            return Placed("", None)
        case Sign(text):
            return _sign(text, style)
        case Negated(Sign(text)):
            return Placed(sign(normalize("NFC", _character(text) + "\N{COMBINING LONG SOLIDUS OVERLAY}")), Atom.REL)
        case Braced(body):
            return Placed(_single(body, style))
        case Scripted(base):
            return _scripted(node, _node(base, style), style)
        case Applied(command, (Braced(Row() as row), base)) if command in (r"\overset", r"\underset"):
            inner = _base_of(base, style)
            tag = "mover" if command == r"\overset" else "munder"
            return Placed(element(tag, inner.markup, _single(row, style.in_script)), inner.atom)
        case Applied():
            return applied(node, style, _body)
        case Words():
            return words(node)
        case Sides(delimiters, rows):
            return _sides([_bracket(one) for one in delimiters], rows, style)
        case Sized(command, one):
            atom = ATOMS.get(command[-1], Atom.ORD)
            form = {Atom.OPEN: "prefix", Atom.CLOSE: "postfix"}.get(atom, "infix")
            if SIZES[command] == LEAST_SIZE:
                return Placed(delimiter(_bracket(one), form=form, grows=False, style=f"font-size:{LEAST_SIZE}"), atom)
            return Placed(delimiter(_bracket(one), form=form, minsize=SIZES[command], maxsize=SIZES[command]), atom)
        case Macro():
            return _macro(node, style)
        case Table():
            return table(node, style, _body)
        case Gap() | Operator() | Name() | Numeral() | Omitted() | Grouped() | Fence() | Power():
            raise AssertionError("no formula of prose has these")
        case _:
            assert_never(node)


def _sign(text: str, style: Style) -> Placed:
    if text in SPACES:
        return Placed(space(SPACES[text]), None)
    symbol = _symbol(text)
    if symbol is None:
        return Placed(_letter(text, style))
    match symbol.atom:
        case Atom.ORD if symbol.is_italic or symbol.character.isalpha():
            return Placed(_letter(symbol.character, style, is_upright=not symbol.is_italic))
        case Atom.INNER:
            return Placed(element("mi", symbol.character), Atom.INNER)
        case Atom.OP if symbol.character.isascii() or len(symbol.character) > 1:
            return Placed(element("mi", symbol.character), Atom.OP)
        case atom:
            return Placed(sign(symbol.character.replace("-", "−")), atom)


def _letter(letter: str, style: Style, *, is_upright: bool = False) -> str:
    shown = letters(letter, style.font)
    upright = {"mathvariant": "normal"} if shown == letter and (is_upright or style.font == "mathrm") else {}
    return element("mi", escape(shown), **upright)


def _character(text: str) -> str:
    symbol = _symbol(text)
    return text if symbol is None else symbol.character


def _bracket(text: str) -> str:
    """A delimiter after a command that makes it taller: `<` is an angle, and a point is nothing."""
    return _POINTED.get(text, _character(text))


def _base_of(argument: Braced, style: Style) -> Placed:
    """The one node of an argument keeps its class."""
    match argument:
        case Braced(Row((Sign() as only,))):
            return _node(only, style)
        case _:
            return _node(argument, style)


def _scripted(node: Scripted, base: Placed, style: Style) -> Placed:
    primes = sum(_count_primes(script) for script in node.scripts)
    below = next((_script(script, style) for script in node.scripts if script.mark == "_"), "")
    above = next((_script(script, style) for script in node.scripts if script.mark == "^" and not _count_primes(script)), "")
    has_limits = _has_limits(node, style)
    head = _limited(node.base, base.markup) if has_limits else base.markup
    if primes:  # fonts have them high enough for a line
        head = element("mrow", head, sign(PRIMES[primes] if primes < len(PRIMES) else "′" * primes))
    if not (above or below):
        return Placed(head, base.atom if base.atom is not None else Atom.ORD)
    tags = ("munder", "mover", "munderover") if has_limits else ("msub", "msup", "msubsup")
    tag = tags[2] if below and above else tags[0] if below else tags[1]
    return Placed(element(tag, head, below, above), base.atom if base.atom is not None else Atom.ORD)


def _count_primes(script: Script) -> int:
    r"""How many primes a script is: `'`, or some `\prime` and nothing else."""
    match script.body:
        case None:
            return 1
        case Braced(Row(parts)) if script.mark == "^" and all(part in (Sign(r"\prime"), Blank()) for part in parts):
            return parts.count(Sign(r"\prime"))
        case _:
            return 0


def _script(script: Script, style: Style) -> str:
    return "" if script.body is None else _single(script.body.body, style.in_script)


def _has_limits(node: Scripted, style: Style) -> bool:
    if node.limits:
        return node.limits == r"\limits"
    match node.base:
        case Applied(command) if command in _BRACES:
            return True
        case base:
            return style.is_display and takes_limits(base)


def _limited(base: Node, markup: str) -> str:
    """An operator whose limits never move to its side: where they stand has been decided."""
    match base:
        case Sign(text):
            return sign(_character(text), movablelimits="false")
        case Applied() if (name := flat_name(base)) is not None:
            return named(name)
        case _:
            return markup


def _sides(delimiters: Sequence[str], rows: Sequence[Row], style: Style) -> Placed:
    forms = ["prefix", *["infix"] * (len(rows) - 1), "postfix"]
    grows = any(height(row) > Height.LINE for row in rows)
    written = [delimiter(one, form=form, grows=grows) if one else "" for one, form in zip(delimiters, forms, strict=True)]
    inner = "".join(_body(row, style) + after for row, after in zip(rows, written[1:], strict=True))
    return Placed(element("mrow", written[0], inner), Atom.INNER)


def _macro(node: Macro, style: Style) -> Placed:
    word, *brackets = node.reading
    opening, closing = map(_character, brackets)
    comma = sign(",") + space("0.1667em")
    inner = comma.join(_body(argument, style) for argument in node.arguments)
    fenced = element("mrow", delimiter(opening, form="prefix"), inner, delimiter(closing, form="postfix"))
    return Placed(element("mrow", named(word), fenced), Atom.INNER) if word else Placed(fenced, Atom.INNER)
