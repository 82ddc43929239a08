"""Elements of MathML Core as text: every word that goes in is escaped here, and nowhere else."""

from __future__ import annotations

import html
import re

_MARK = re.compile("<[^>]*>")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """`text` as characters of XML or HTML: no markup, no quote, no character that XML forbids."""
    return html.escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text), quote=True)


def element(tag: str, *content: str, **attributes: str) -> str:
    """An element around markup."""
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    inner = "".join(content)
    return f"<{tag}{written}>{inner}</{tag}>" if inner or tag != "mspace" else f"<{tag}{written}/>"


def seen(markup: str) -> str:
    """The characters that are read."""
    return html.unescape(_MARK.sub("", markup))


def wrap_mathml(row: str, *, display: bool) -> str:
    """A row as a `<math>` element; `display`: on a line of its own, with limits under and over large operators."""
    return element("math", row, display="block") if display else element("math", row)


def space(width: str) -> str:
    """White space of that width."""
    return element("mspace", width=width)
