"""The map from lines of a generated file to the author's equations."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence

_LAYOUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def equation_lines(text: str, equations: Sequence[str]) -> dict[int, str]:
    """The line of the statement below each equation's comment, in order of appearance."""
    found: dict[int, str] = {}
    place = 0
    above: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and place < len(equations) and token.string == f"# {equations[place]}":
            above.append(equations[place])
            place += 1
        elif above and token.type not in _LAYOUT:
            found[token.start[0]] = "; ".join(above)
            above = []
    return found
