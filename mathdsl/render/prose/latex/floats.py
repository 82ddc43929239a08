"""What a float says of itself, read without what else stands in it."""

from __future__ import annotations

from mathdsl.render.model import Inlines
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.latex.blocks import find_label
from mathdsl.render.prose.latex.lexing import lex
from mathdsl.render.prose.latex.running_text import RunningText
from mathdsl.render.prose.latex.source import NOTHING, REGION
from mathdsl.render.prose.latex.tokens import Tokens

_STAND_INS = str.maketrans(dict.fromkeys((REGION, NOTHING), "\N{REPLACEMENT CHARACTER}"))


def read_caption(inside: str, expander: Expander) -> tuple[Inlines, str]:
    """The first caption, `()` where there is none, and the first label."""
    tokens = Tokens(lex(inside.translate(_STAND_INS), expander))
    line, end = RunningText(tokens), len(tokens)
    label = find_label(tokens, 0, end)
    for position, token in enumerate(tokens.all):
        if token.kind == "command" and token.text == "caption":
            after, _ = line.read_arguments("o", position + 1, end)
            said = line.find_argument(after, end)
            return (line.read(*said, depth=0) if said else ()), label
    return (), label
