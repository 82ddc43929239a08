"""Pieces of a formula in LaTeX: how tightly they hold together, how high they are, and what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from mathdsl.syntax.binding import Binds


class Height(IntEnum):
    """How high a piece is: a line of letters, a fraction or a sum with limits, or rows."""

    LINE = 0
    FRACTION = 1
    ROWS = 2


@dataclass(frozen=True, slots=True)
class Piece:
    """LaTeX of a piece; `is_open`: it ends in a reduction, whose body would swallow what follows."""

    latex: str
    binds: Binds = Binds.PRIMARY
    is_open: bool = False
    height: Height = Height.LINE


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a piece stands: in a script, where nothing is large; in a long formula, whose lines may end in more places."""

    is_script: bool = False
    breaks_at_commas: bool = False

    @property
    def comma(self) -> str:
        if self.is_script:
            return ","
        return r",\mdslbreak " if self.breaks_at_commas else ", "


IN_LINE = Setting()
IN_SCRIPT = Setting(is_script=True)


def highest(pieces: Sequence[Piece]) -> Height:
    return max((piece.height for piece in pieces), default=Height.LINE)


def fenced(opening: str, inner: Piece, closing: str, setting: Setting) -> Piece:
    r"""Between delimiters as high as what they hold; those of a fraction are `\Bigl( \Bigr)`, between which a line may end."""
    gap = " " if opening[-1].isalpha() and inner.latex[:1].isalpha() else ""
    match inner.height:
        case Height.LINE if setting.breaks_at_commas and inner.latex.startswith(opening):
            latex = rf"{opening}\mdslbreak {inner.latex}\mdslbreak {closing}"
        case Height.LINE:
            latex = f"{opening}{gap}{inner.latex}{closing}"
        case Height.FRACTION if not setting.is_script:
            latex = rf"\Bigl{opening}{gap}{inner.latex}\Bigr{closing}"
        case _:
            latex = rf"\left{opening}{gap}{inner.latex}\right{closing}"
    return Piece(latex, height=inner.height)


def at_least(piece: Piece, binds: Binds, setting: Setting, *, closed: bool = False) -> Piece:
    """In parentheses where it binds too loosely or is open: where canonical LaTeX has braces, which nobody sees."""
    if piece.binds < binds or (closed and piece.is_open):
        return fenced("(", piece, ")", setting)
    return piece


def listed(pieces: Sequence[Piece], setting: Setting) -> Piece:
    """Pieces with commas between them."""
    if len(pieces) == 1:
        return pieces[0]
    return Piece(setting.comma.join(piece.latex for piece in pieces), Binds.ITEM, height=highest(pieces))


def beside(first: Piece, second: Piece, between: str) -> Piece:
    """Two pieces that hold together like the first."""
    height = max(first.height, second.height)
    return replace(first, latex=first.latex + between + second.latex, is_open=second.is_open, height=height)
