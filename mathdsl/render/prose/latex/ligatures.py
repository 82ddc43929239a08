"""Quotation marks and dashes of running text."""

from __future__ import annotations

import re

from mathdsl.render.prose.latex.commands import LIGATURES

_LIGATURE = re.compile("|".join(re.escape(ligature) for ligature in LIGATURES))


def set_ligatures(text: str) -> str:
    """``a'' -- b  →  “a” – b"""
    return _LIGATURE.sub(lambda match: LIGATURES[match[0]], text)
