"""Text and code as Markdown: no character of a text is markup, a link, a mention or a picture."""

from __future__ import annotations

import re
from urllib.parse import quote

_RUNS = re.compile(r"\s+")
_MARKS = re.compile(r"[\\`*_{}\[\]#|~$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r"(?<=\w):(?=//)|:(?=[\w+-]+:)|(?<=[wW]{3})\.", re.ASCII)
_NUMBERED = re.compile(r"(\d+)([.)])")
_NEVER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff0-\uffff\ud800-\udfff]")


def escape_text(text: str) -> str:
    """Characters as they are read; characters that nobody sees are named."""
    folded = _NEVER.sub(name_character, _RUNS.sub(" ", text))
    marked = _MARKS.sub(r"\\\g<0>", folded)
    spelled = "".join(_ENTITIES.get(character, character) for character in marked)
    return _ADDRESS.sub(lambda sign: f"&#{ord(sign[0])};", spelled)


def name_character(match: re.Match[str]) -> str:
    return f"[U+{ord(match[0]):04X}]"


def begin_line(markdown: str) -> str:
    """Markdown of a paragraph whose first characters begin no list, heading or rule."""
    line = markdown.strip()
    if line[:1] in ("-", "+", "="):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line


def code_span(text: str, *, in_table: bool = False) -> str:
    """Words in a typewriter font, between more backticks than stand in them."""
    shown = _NEVER.sub(name_character, _RUNS.sub(" ", text))
    if not shown.strip():
        return escape_text(text)
    ticks = "`" * (_longest(shown) + 1)
    padding = " " if shown[0] in "` " or shown[-1] in "` " else ""
    span = f"{ticks}{padding}{shown}{padding}{ticks}"
    return span.replace("|", "\\|") if in_table else span


def code_block(text: str, language: str) -> str:
    """Lines as they stand, in a fence that none of them can end."""
    fence = "`" * max(3, _longest(text) + 1)
    word = re.sub(r"[^A-Za-z0-9+-]", "", language)
    lines = text.strip("\n").replace("\r", "\n")
    return f"{fence}{word}\n{lines}\n{fence}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def web_address(target: str) -> str | None:
    """An address for a link; None for one that is none."""
    return quote(target, safe="/:?=&#@+,;!~.-%", errors="surrogatepass") if re.match(r"(?:https?://|mailto:)", target) else None
