"""Commands with arguments in formulas of prose: fonts, accents, fractions, arrows, boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from mathdsl.render.mathml.atoms import Placed, Style, delimiter, sign
from mathdsl.render.mathml.elements import element, escape, space
from mathdsl.render.mathml.symbols import FONTS
from mathdsl.render.tex_commands import ARROWS, BOXES, CLASSES, FRACTIONS, NAMED, REMAINDERS
from mathdsl.render.tex_commands import FONTS as FONT_COMMANDS
from mathdsl.render.tex_symbols import SPACES, Atom
from mathdsl.syntax.display.tree import Applied, Blank, Braced, Row, Sign, Words
from mathdsl.vocabulary import of_kinds

Render = Callable[[Row, Style], str]

ATOMS: Mapping[str, Atom] = MappingProxyType({"l": Atom.OPEN, "r": Atom.CLOSE, "m": Atom.REL})
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


def letters(text: str, font: str) -> str:
    """The letters of an alphabet; what it does not have stays."""
    alphabet = FONTS.get(font, {})
    return "".join(alphabet.get(letter, letter) for letter in text)


def named(name: str) -> str:
    """The upright name of an operator."""
    return element("mi", escape(name), **({"mathvariant": "normal"} if len(name) == 1 else {}))


def words(node: Words) -> Placed:
    if node.command in NAMED:
        return Placed(named(node.text.replace(" ", "")), Atom.OP)
    if node.command == r"\mathrm":
        return Placed(named(node.text.replace(" ", "").replace("-", "−")))
    style = _TEXT_STYLES.get(node.command)
    inner = node.text.strip(" ")
    before, after = (len(node.text) - len(end) for end in (node.text.lstrip(" "), node.text.rstrip(" ")))
    gap = "\N{NO-BREAK SPACE}"  # where words begin or end, browsers drop a plain one
    text = gap * bool(before) + inner + gap * bool(after) if inner else gap * bool(node.text)
    return Placed(element("mtext", escape(text), **({"style": style} if style else {})))


def flat_name(node: Applied) -> str | None:
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


def applied(node: Applied, style: Style, render: Render) -> Placed:
    """A command with its arguments; each row of the tables above says what is seen."""
    command, first = node.command, node.arguments[0].body
    if command in FONT_COMMANDS:
        font = {r"\bm": "boldsymbol", r"\mathscr": "mathcal"}.get(command, command.removeprefix("\\"))
        return Placed(element("mrow", render(first, replace(style, font=font))))
    if command in CLASSES or command in NAMED:
        name = flat_name(node)
        inner = render(first, replace(style, font="mathrm") if command in NAMED else style)
        return Placed(element("mrow", inner) if name is None else named(name), _CLASSES.get(command, Atom.OP))
    if command in FRACTIONS:
        return _fraction(command, node.arguments, style, render)
    if command in ARROWS:
        return _arrow(node, style, render)
    if command in REMAINDERS:
        return _remainder(command, render(first, style), style)
    if command == r"\stackrel":
        above, base = node.arguments
        return Placed(element("mover", _row(render(base.body, style)), _row(render(above.body, style.in_script))), Atom.REL)
    inner = render(first, style)
    if command == r"\sqrt":
        if node.option is None:
            return Placed(element("msqrt", inner))
        return Placed(element("mroot", _row(inner), _row(render(node.option.body, style.in_script))))
    if command in BOXES and command != r"\boxed":
        return _invisible(command, inner)
    if command in _BORDERS:
        return Placed(element("mrow", inner, style=_BORDERS[command]))
    return _accented(command, inner)


def _row(markup: str) -> str:
    return element("mrow", markup)


def _accented(command: str, inner: str) -> Placed:
    if command in _ACCENTS:
        accent = {} if command == r"\vec" else {"accent": "true"}  # a reader's font has no arrow that is small enough
        return Placed(element("mover", _row(inner), sign(_ACCENTS[command], stretchy="false"), **accent))
    tag = "munder" if command.startswith(r"\under") else "mover"
    accent = {"accentunder" if tag == "munder" else "accent": "true"} if command in (r"\widehat", r"\widetilde") else {}
    atom = Atom.OP if command.endswith("brace") else Atom.ORD
    return Placed(element(tag, _row(inner), sign(_WIDE[command], stretchy="true"), **accent), atom)


def _fraction(command: str, arguments: tuple[Braced, ...], style: Style, render: Render) -> Placed:
    size = {"d": True, "c": True, "t": False}.get(command[1])
    whole = style if size is None else replace(style, is_display=size)
    over, under = (_row(render(argument.body, whole.in_fraction)) for argument in arguments)
    has_line = "frac" in command
    fraction = element("mfrac", over, under, **({} if has_line else {"linethickness": "0"}))
    if command.endswith("binom"):
        fraction = _row(delimiter("(", form="prefix") + fraction + delimiter(")", form="postfix"))
    if size is not None:
        fraction = element("mstyle", fraction, displaystyle="true" if size else "false", scriptlevel="0")
    return Placed(fraction)


def _arrow(node: Applied, style: Style, render: Render) -> Placed:
    def padded(body: Row) -> str:
        return _row(space("0.4em") + render(body, style.in_script) + space("0.4em"))

    arrow = sign(_ARROWS[node.command], stretchy="true")
    above = padded(node.arguments[0].body)
    if node.option is None:
        return Placed(element("mover", arrow, above), Atom.REL)
    return Placed(element("munderover", arrow, padded(node.option.body), above), Atom.REL)


def _remainder(command: str, inner: str, style: Style) -> Placed:
    before = space("1em" if style.is_display else "0.6667em")
    word = "" if command == r"\pod" else named("mod") + space("0.3333em")
    brackets = ("", "") if command == r"\mod" else (sign("("), sign(")"))
    return Placed(_row(before + brackets[0] + word + inner + brackets[1]))


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
