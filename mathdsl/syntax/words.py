r"""What the words of `\text{..}` and `\mathrm{..}` are: a name, a word of the notation, or a phrase."""

from __future__ import annotations

import re

from mathdsl.syntax.commands import FLAGS, TEXT_WORDS

_NAMED = re.compile(r"\\([A-Za-z]+)\*?\s*\{(.*)\}", re.DOTALL)
_SPACE = re.compile(r"\\[,;:! ]|~|\s")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*\Z")


_CALL = re.compile(r"([A-Za-z][A-Za-z0-9]*)\(([A-Za-z](?:\s*,\s*[A-Za-z])*)\)")
_REMARK = re.compile(r"(?P<open>\()?[^\W\d_][^\W\d_\s,'’.:-]*(?:[\s,'’.:-]+[^\W\d_]+)*[\s.:]*(?(open)\))")
_MEANS = frozenset(
    """if when where whenever unless otherwise else for each every all in over from to with without such that until while except only and
    or not is are even odd empty mod modulo times plus minus given w.r.t. iff at least most fixed constant squared cubed rounded
    truncated repeat optionally optional never skip alternatively instead either possibly maybe clipped transposed inverted negated
    doubled halved normalized normalised twice thrice half percent degrees""".split()
)


def is_remark(content: str) -> bool:
    """Whether a text beside a formula is words alone, none of which says when it holds or what becomes of it.

    `(hidden layer)`, `reset gate`, but not `if x is positive`, `(x > 0)` or `(squared)`.
    """
    words = re.findall(r"[a-z.]+", content.casefold())
    return _REMARK.fullmatch(content) is not None and bool(words) and not _MEANS.intersection(words)


def split_named(written: str) -> tuple[str, str]:
    r"""Font and content of `\mathrm{size}`, space folded and stripped; that of `\operatorname{arg\,max}` means nothing."""
    match = _NAMED.fullmatch(written)
    if match is None:
        return "", written
    content = _SPACE.sub("" if match[1] == "operatorname" else " ", match[2])
    return match[1], " ".join(content.split()).replace(r"\_", "_")


def split_call(content: str) -> tuple[str, tuple[str, ...]] | None:
    """The name and the arguments of `entr(x)`, `KL(p, q)`: one letter each; None for all other words."""
    match = _CALL.fullmatch(content)
    return None if match is None else (match[1], tuple(part.strip() for part in match[2].split(",")))


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
