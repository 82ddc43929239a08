r"""What of a LaTeX text is no text: comments, `comment` environments, \iffalse … \fi; and what is shown as it is: \verb, `verbatim`."""

from __future__ import annotations

import re

_COMMENT_ENVIRONMENT = r"\\begin\{comment\}[\s\S]*?(?:\\end\{comment\}|\Z)"
_EVENT = re.compile(
    rf"(?P<comment>%[^\n]*|{_COMMENT_ENVIRONMENT}|\\iffalse(?![A-Za-z])[\s\S]*?(?:\\fi(?![A-Za-z])|\Z))"
    r"|(?P<verbatim>(?:\\verb\*?|\\lstinline(?:\[[^\[\]\n]*\])?(?=[^\[{])|\\mintinline(?:\[[^\[\]\n]*\])?\{\w*\}(?=[^{]))"
    r"(?P<bar>[^A-Za-z\s*])[^\n]*?(?P=bar)"
    r"|\\begin\{(?P<name>(?:verbatim|Verbatim|lstlisting|minted)\*?)\}[\s\S]*?(?:\\end\{(?P=name)\}|\Z))"
    r"|\\[\s\S]"
)

Interval = tuple[int, int]


def find_ignored(text: str, start: int = 0, end: int | None = None) -> tuple[list[Interval], list[Interval]]:
    """Where comments stand, and where verbatim text stands; both sorted."""
    comments: list[Interval] = []
    verbatim: list[Interval] = []
    for match in _EVENT.finditer(text, start, len(text) if end is None else end):
        if match["comment"] is not None:
            comments.append(match.span())
        elif match["verbatim"] is not None:
            verbatim.append(match.span())
    return comments, verbatim
