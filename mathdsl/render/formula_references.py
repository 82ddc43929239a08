r"""References in formulas of prose: the number in place of the command, in words.

\overset{\eqref{a}}{=} \text{by \ref{b}}   →   \overset{\text{(1)}}{=} \text{by 2}
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_EVENT = re.compile(
    r"\\(?P<command>eqref|ref)\s*\{\s*(?P<label>[^{}]*?)\s*\}|(?P<words>\\(?:text[a-z]*|mbox)\s*\{)"
    r"|(?P<open>\{)|(?P<close>\})|\\[\s\S]"
)
_PLAIN = re.compile(r"[A-Za-z0-9.]+")


def resolve_references(latex: str, numbers: Mapping[str, str]) -> str:
    """The formula with the numbers of the labels that are known; others stay."""
    if r"\ref" not in latex and r"\eqref" not in latex:
        return latex
    words: list[bool] = []

    def say(match: re.Match[str]) -> str:
        if match["words"] or match["open"]:
            words.append(match["words"] is not None or words[-1:] == [True])
        elif match["close"]:
            del words[-1:]
        elif match["command"] and _PLAIN.fullmatch(number := numbers.get(match["label"], "")):
            said = f"({number})" if match["command"] == "eqref" else number
            return said if words[-1:] == [True] else rf"\text{{{said}}}"
        return match[0]

    return _EVENT.sub(say, latex)
