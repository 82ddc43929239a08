r"""Descriptions and comments: the author's LaTeX beside a formula, read as the running text of a document is."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.render.model import Inlines
from mathdsl.render.prose.expanding import Expander, make_expander
from mathdsl.render.prose.latex.lexing import lex
from mathdsl.render.prose.latex.running_text import RunningText
from mathdsl.render.prose.latex.source import NOTHING, REGION
from mathdsl.render.prose.latex.tokens import Tokens
from mathdsl.source.documents import Reading

_STAND_INS = str.maketrans(dict.fromkeys((REGION, NOTHING), "\N{REPLACEMENT CHARACTER}"))


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Reads the descriptions of a document, whose macros they may call."""

    expander: Expander

    def read(self, latex: str) -> Inlines:
        r"""`the \emph{state} after $t$ positions, 5\% of it`: what is no mark stays text."""
        tokens = Tokens(lex(latex.translate(_STAND_INS), self.expander))
        return RunningText(tokens).read(0, len(tokens), depth=0)


def descriptions_of(reading: Reading) -> Descriptions:
    """All macros hold in them, wherever they are defined."""
    length = sum(len(text.written.text) for text in reading.texts)
    return Descriptions(make_expander(reading.macros, len(reading.texts), length))
