"""Which formulas of prose are taller than a line of letters: only around those do brackets grow, as TeX decides it."""

from __future__ import annotations

from typing import assert_never

from mathdsl.render.tex_commands import FRACTIONS, STACKS
from mathdsl.render.tex_symbols import COMMANDS, Atom
from mathdsl.render.tex_tree import (
    Applied,
    Blank,
    Braced,
    Macro,
    Negated,
    Node,
    Row,
    Script,
    Scripted,
    Sides,
    Sign,
    Sized,
    Table,
    Words,
)

_TALL = FRACTIONS | STACKS | {r"\sqrt", r"\overbrace", r"\underbrace"}


def is_tall(body: Row) -> bool:
    """Whether something in it is no letter, no sign and no script."""
    return any(map(_is_tall, body.parts))


def _is_tall(node: Node) -> bool:
    match node:
        case Blank() | Negated() | Words():
            return False
        case Sign(text):
            return text in COMMANDS and COMMANDS[text].atom is Atom.OP and not COMMANDS[text].character[0].isalpha()
        case Braced(body):
            return is_tall(body)
        case Scripted(base, limits, scripts):
            return bool(limits) or _is_tall(base) or any(map(_is_high, scripts))
        case Applied(command, arguments):
            return command in _TALL or any(is_tall(argument.body) for argument in arguments)
        case Sides(_, rows):
            return any(map(is_tall, rows))
        case Macro(_, arguments):
            return any(is_tall(argument.body) for argument in arguments)
        case Sized() | Table():
            return True
        case _:
            assert_never(node)


def _is_high(script: Script) -> bool:
    """A script of a script, or of something tall, stands far from the line."""
    if script.body is None:
        return False
    body = script.body.body
    return is_tall(body) or any(isinstance(part, Scripted) for part in body.parts)
