"""Text of inlines without its marks: for the title of a page and for what a label of a heading is called."""

from __future__ import annotations

from typing import assert_never

from mathdsl.render.model import Code, Inlines, LineBreak, Link, Math, Picture, Reference, Styled, Text, name_picture


def plain_text(inlines: Inlines) -> str:
    """The characters alone; a formula is its LaTeX."""
    parts: list[str] = []
    for inline in inlines:
        match inline:
            case Text(text) | Code(text) | Math(text):
                parts.append(text)
            case Styled("footnote"):
                continue
            case Styled(_, body) | Link(_, body):
                parts.append(plain_text(body))
            case Reference(_, labels):
                parts.append(", ".join(labels))
            case LineBreak():
                parts.append(" ")
            case Picture():
                parts.append(plain_text(name_picture(inline)))
            case _:
                assert_never(inline)
    return " ".join("".join(parts).split())
