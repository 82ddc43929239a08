"""Atoms side by side with the spaces that TeX puts between their classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from mathdsl.dataclass import dataclass
from mathdsl.render.mathml.elements import element, escape, space
from mathdsl.render.tex_commands import COMMANDS, DELIMITERS, Atom

_FENCES = frozenset(COMMANDS[name].character if name in COMMANDS else name for name in DELIMITERS - {".", "<", ">"})


@dataclass(frozen=True, slots=True)
class Style:
    """Where a formula stands: in which font, whether limits stand below and above operators, whether signs stand without spaces."""

    font: str = ""
    is_display: bool = False
    is_tight: bool = False

    @property
    def in_script(self) -> Style:
        return replace(self, is_display=False, is_tight=True)

    @property
    def in_fraction(self) -> Style:
        return replace(self, is_display=False, is_tight=self.is_tight or not self.is_display)


@dataclass(frozen=True, slots=True)
class Placed:
    """One element; `atom`: its class, None for a space; `last`: the class that it ends with, where that is another one.

    `is_least`: a space that counts only where the classes of its neighbours ask for none.
    """

    markup: str
    atom: Atom | None = Atom.ORD
    last: Atom | None = None
    is_least: bool = False

    @property
    def ending(self) -> Atom | None:
        return self.last or self.atom


_THIN, _MEDIUM, _THICK = "0.1667em", "0.2222em", "0.2778em"
_O, _P, _B, _R, _L, _C, _U, _I = Atom
_GAPS: Mapping[Atom, Mapping[Atom, str]] = MappingProxyType(
    {
        _O: {_P: _THIN, _B: _MEDIUM, _R: _THICK, _I: _THIN},
        _P: {_O: _THIN, _P: _THIN, _R: _THICK, _I: _THIN},
        _B: dict.fromkeys((_O, _P, _L, _I), _MEDIUM),
        _R: dict.fromkeys((_O, _P, _L, _I), _THICK),
        _L: {},
        _C: {_P: _THIN, _B: _MEDIUM, _R: _THICK, _I: _THIN},
        _U: dict.fromkeys((_O, _P, _R, _L, _C, _U, _I), _THIN),
        _I: {_O: _THIN, _P: _THIN, _B: _MEDIUM, _R: _THICK, _L: _THIN, _I: _THIN},  # the dots of `…` stand closer to a comma than TeX's
    }
)
_ALSO_IN_SCRIPTS = frozenset({(_O, _P), (_P, _O), (_P, _P), (_C, _P), (_I, _P)})
_BEFORE_A_PREFIX = frozenset({None, _P, _B, _R, _L, _U})
_AFTER_A_POSTFIX = frozenset({_R, _C, _U})


def sign(text: str, **attributes: str) -> str:
    """An operator without spaces of its own; a bracket is as tall as a letter."""
    fixed = {"stretchy": "false"} if text in _FENCES else {}
    return element("mo", escape(text), **{"lspace": "0", "rspace": "0", **fixed, **attributes})


def delimiter(text: str, *, form: str, grows: bool = True, **attributes: str) -> str:
    """A bracket as tall as what it stands around, or as the attributes say.

    Browsers give what may grow the room of its tallest form: nothing may that need not, and no slash.
    """
    stretchy = "true" if grows and text not in ("/", "\\") else "false"
    return element("mo", escape(text), lspace="0", rspace="0", form=form, stretchy=stretchy, **attributes)


def compose(parts: Sequence[Placed], style: Style, before: Atom | None = None) -> str:
    """Elements side by side; `before`: the class of what stands before the first."""
    return "".join(_spaced(parts, style, before))


def _spaced(parts: Sequence[Placed], style: Style, before: Atom | None) -> Iterator[str]:
    classes = [part.atom for part in parts if part.atom is not None]
    following = iter([*classes[1:], None])
    least = ""
    for part in parts:
        if part.atom is None:
            least, shown = (part.markup, "") if part.is_least else (least, part.markup)
            yield shown
            continue
        after = next(following)
        atom = part.atom
        if atom is Atom.BIN and (before in _BEFORE_A_PREFIX or after is None or after in _AFTER_A_POSTFIX):
            atom = Atom.ORD
        width = "" if before is None else _GAPS[before].get(atom, "")
        if width and (not style.is_tight or (before, atom) in _ALSO_IN_SCRIPTS):
            yield space(width)
        else:
            yield least
        least = ""
        yield part.markup
        before = part.last or atom
