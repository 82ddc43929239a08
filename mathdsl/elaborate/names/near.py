r"""Near names: a known name that a reader may take for another, `\mathbf{x}` for `x`, `hidden` for `hiden`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mathdsl.elaborate.names.entries import Entries
from mathdsl.elaborate.names.names import Name, without_version


def find_near(name: Name, entries: Entries) -> Name | None:
    """A declared or defined name with the same letters, whatever their font and case, or of four and more with one letter changed."""
    own = glyphs(name)
    others = [other for other in _known(entries) if other != name]
    same = (other for other in others if glyphs(other) == own)
    return next(same, next((other for other in others if len(own) > 3 and _one_apart(own, glyphs(other))), None))


def _known(entries: Entries) -> Iterable[Name]:
    yield from (without_version(s.spelling) for s in entries.symbols.values() if not (s.is_undeclared or s.spelling.is_own))
    yield from entries.sizes
    yield from entries.submodules


def glyphs(name: Name) -> tuple[str, ...]:
    r"""The letters of a name as a reader sees them, in lower case and without fonts and accents: a command is one, `\alpha`."""
    labels = tuple(glyph for label in name.labels for glyph in glyphs(label))
    letters = (name.text,) if name.is_command and not name.upright else (name.upright or name.text).casefold()
    return (*letters, *labels)


def _one_apart(a: Sequence[str], b: Sequence[str]) -> bool:
    """One letter changed, added or left out."""
    if len(a) == len(b):
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1
    short, long = sorted((a, b), key=len)
    return len(long) - len(short) == 1 and any((*long[:k], *long[k + 1 :]) == tuple(short) for k in range(len(long)))
