"""Blocks as a fragment for a notebook: no page around them, and styles that touch nothing outside."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup

from mathdsl.render.html.anchors import find_anchors
from mathdsl.render.html.code import make_pages
from mathdsl.render.html.context import Context
from mathdsl.render.html.environment import fill
from mathdsl.render.html.layout import find_listings, write_rows
from mathdsl.render.html.page import clean, equation_pairs, write_notes
from mathdsl.render.html.styles import pair_rules, scoped, style_sheet
from mathdsl.render.model import Block

_SCOPE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def html_fragment(blocks: Sequence[Block], *, scope: str, source: str = "", is_unfolded: bool = False) -> str:
    """The blocks in a `<div>` of class `scope`, with their styles; its other classes keep a notebook's MathJax away from dollar signs.

    `scope` is unique on the page where the fragment goes: every identifier begins with it, every style stands below it.
    `source`: the generated text, to be unfolded below each program (`is_unfolded`: it is from the start); '' shows none. A ValueError
    where `scope` is no name of a class.
    """
    if not _SCOPE.fullmatch(scope):
        raise ValueError(f"the scope of a fragment is a name of a class, not {scope!r}")
    anchors = find_anchors(blocks, f"{scope}-")
    listings = find_listings(blocks)
    code = make_pages(source, listings, anchors) if source.strip() else None
    context = Context(anchors, code, is_unfolded)
    rows = write_rows(blocks, context)
    pairs = pair_rules(equation_pairs(code), scope)
    text = fill(
        "fragment.html.j2",
        scope=scope,
        styles=Markup(f"{scoped(style_sheet('document', 'fragment'), scope)}\n{pairs}"),
        rows=rows,
        notes=write_notes(context),
    )
    return clean(f"{text}\n")
