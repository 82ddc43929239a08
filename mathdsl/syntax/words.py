r"""What the words of `\text{..}` and `\mathrm{..}` are: a name, a word of the notation, or a phrase."""

from __future__ import annotations

import re

from mathdsl.syntax.commands import FLAGS, TEXT_WORDS

_NAMED = re.compile(r"\\([A-Za-z]+)\*?\s*\{(.*)\}", re.DOTALL)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*\Z")


def split_named(written: str) -> tuple[str, str]:
    r"""Font and content of `\mathrm{size}`, white space folded and stripped."""
    match = _NAMED.fullmatch(written)
    if match is None:
        return "", written
    return match[1], " ".join(match[2].split())


def is_word(content: str) -> bool:
    """Whether `content` can be a name."""
    return _WORD.match(content) is not None


def text_terminal(content: str, *, declares: bool) -> str:
    r"""The terminal of `\text{content}`; a flag only where something is declared."""
    folded = content.casefold()
    if declares and folded in FLAGS:
        return "FLAG"
    if folded in TEXT_WORDS:
        return TEXT_WORDS[folded]
    return "NAME" if is_word(content) else "PHRASE"
