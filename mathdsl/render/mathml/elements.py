"""Elements of MathML Core as text: every word that goes in is escaped here, and nowhere else."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

_MARK = re.compile(r"<[^>]*>")
_MOST_SEEN, _MOST_ON_PHONES = 40, 26  # characters
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

THIN = "0.1667em"
WORD_SPACE = "0.25em"

MATHML_STYLE = "msub>:nth-child(2),msubsup>:nth-child(2){padding-top:.14em}"
"""The one rule that formulas want from their page: it lowers indices where the reader's system has no mathematical font."""


def escape(text: str) -> str:
    """`text` as characters of XML or HTML: no markup, no quote, no character that XML forbids."""
    return html.escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text), quote=True)


def element(tag: str, *content: str, **attributes: str) -> str:
    """An element around markup."""
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    inner = "".join(content)
    return f"<{tag}{written}>{inner}</{tag}>" if inner or tag != "mspace" else f"<{tag}{written}/>"


def wrap_mathml(row: str, *, display: bool) -> str:
    """A row as a `<math>` element; `display`: on a line of its own, with limits under and over large operators."""
    return element("math", row, display="block") if display else element("math", row)


def class_of_rows(rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """The class of rows whose cells side by side are too wide for a phone (`long`), or for any page: they are set below each other."""
    columns = zip_longest(*rows, fillvalue="")
    seen = sum(max(len(html.unescape(_MARK.sub("", cell))) for cell in column) for column in columns)
    return {"class": "long always"} if seen > _MOST_SEEN else {"class": "long"} if seen > _MOST_ON_PHONES else {}


def stackable(rows: Sequence[tuple[str, str]], left: Mapping[str, str], right: Mapping[str, str]) -> str:
    """Rows of two cells with their attributes; what is long is marked, and each of its cells is one element."""
    attributes = class_of_rows(rows)
    cells = [[element("mrow", cell) if attributes else cell for cell in row] for row in rows]
    lines = [element("mtr", element("mtd", first, **left), element("mtd", second, **right)) for first, second in cells]
    return element("mtable", *lines, **attributes)


def operator(sign: str, *, tight: bool = False, **attributes: str) -> str:
    """`<mo>`, with the spaces of the operator dictionary around it; `tight`: none, as TeX sets scripts."""
    if tight:
        attributes = {"lspace": "0", "rspace": "0", **attributes}
    return element("mo", escape(sign), **attributes)


def bracket(sign: str, *, closes: bool, stretches: bool) -> str:
    """A delimiter, as tall as what stands beside it only where it has to be: TeX's plain parentheses never grow."""
    attributes = {} if stretches else {"stretchy": "false"}
    if sign in "|\N{DOUBLE VERTICAL LINE}":
        attributes["form"] = "postfix" if closes else "prefix"  # a bar does not tell its side
    return element("mo", escape(sign), **attributes)


def space(width: str) -> str:
    """White space of that width."""
    return element("mspace", width=width)


def words(text: str) -> str:
    """Upright text."""
    return element("mtext", escape(text))
