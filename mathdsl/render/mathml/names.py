r"""Names: a letter is slanted, a word of `\mathrm` and the name of a function upright, a bare word is its letters, as TeX prints it."""

from __future__ import annotations

from mathdsl.render.mathml.elements import element, escape, operator
from mathdsl.render.mathml.pieces import Edge, Piece
from mathdsl.render.mathml.symbols import FONTS, ITALIC_LETTERS, UPRIGHT_LETTERS
from mathdsl.syntax.binding import Binds
from mathdsl.syntax.nodes import Identifier

PRIMES = ("", "′", "″", "‴", "⁗")


def _name(node: Identifier) -> Piece:
    """The letters of a name, without its primes."""
    font, text = node.font, node.text
    if font in FONTS:
        return Piece(_in_font(text, font), is_single=True)
    if font not in ("", "mathit"):
        return upright(text.removeprefix("\\"))
    if not text.startswith("\\"):
        return _letters(text)
    command = text[1:]
    if command in ITALIC_LETTERS:
        return Piece(element("mi", ITALIC_LETTERS[command]), is_single=True)
    return upright(UPRIGHT_LETTERS.get(command, command))


def upright(text: str) -> Piece:
    """A word, which keeps a distance from its neighbours; a letter does not."""
    if len(text) == 1:
        return Piece(element("mi", escape(text), mathvariant="normal"), is_single=True)
    return Piece(element("mi", escape(text)), left=Edge.FUNCTION, right=Edge.FUNCTION, is_single=True)


def _letters(text: str) -> Piece:
    return Piece("".join(element("mi", escape(letter)) for letter in text), is_single=len(text) == 1)


def _in_font(text: str, font: str) -> str:
    command = text.removeprefix("\\")
    letters = text if command == text else ITALIC_LETTERS.get(command) or UPRIGHT_LETTERS.get(command) or command
    return element("mi", escape("".join(FONTS[font].get(letter, letter) for letter in letters)))


def primed(base: Piece, count: int) -> Piece:
    """With primes after it, as large as it is: fonts raise them themselves."""
    if not count:
        return base
    whole, rest = divmod(count, len(PRIMES) - 1)
    signs = [PRIMES[-1]] * whole + [PRIMES[rest]] * (rest > 0)
    markup = base.markup + "".join(operator(sign, tight=True) for sign in signs)
    return Piece(markup, Binds.POSTFIX, base.left, base.right, is_tall=base.is_tall)


def identifier(node: Identifier) -> Piece:
    """A name with its primes."""
    return primed(_name(node), node.primes)
