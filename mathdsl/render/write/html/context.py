"""What every writer of a block knows: where things stand, what the code shows, the footnotes met so far, the pictures; and the templates.

Pictures are the author's: small files beside the document or below it, each as an address with its data.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mathdsl.dataclass import dataclass, field
from mathdsl.render.write.html.anchors import Anchors
from mathdsl.render.write.html.code import CodePages

MOST_OF_ONE = 1_000_000
MOST_TOGETHER = 2_000_000
"""Bytes of the files that one page holds, the same file as often as it is shown."""

_SUFFIXES = ("", ".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp")
"""What TeX lets an author leave out."""

_SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<\?xml[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[]*>)*<svg[\s>]", re.DOTALL), "image/svg+xml"),
)
_ACTIVE = re.compile(rb"<!ENTITY|<\s*(?:\w+:)?(?:script|foreignObject|iframe)|\son\w+\s*=|(?:java|vb)script:|&#", re.IGNORECASE)
"""What might act in a drawing once it is opened by itself; a page shows it as a picture, where nothing of it acts."""


@dataclass(slots=True)
class Pictures:
    """Finds pictures from `folder` on, as many as there is room for; None: none are found."""

    folder: Path | None = None
    room: int = MOST_TOGETHER

    def find(self, name: str) -> str | None:
        """A `data:` address of the picture; None for a file that is not here, is too large, or is no picture."""
        if self.folder is None or not _is_inside(name):
            return None
        for suffix in _SUFFIXES:
            data = _read_file(self.folder, name + suffix, min(self.room, MOST_OF_ONE))
            kind = next((kind for signature, kind in _SIGNATURES if data and signature.match(data)), None)
            if data and kind and not (kind == "image/svg+xml" and _ACTIVE.search(data)):
                self.room -= len(data)
                return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
        return None


def _is_inside(name: str) -> bool:
    """Whether a name can only mean a file beside the document or below it: no address, no drive, no way up."""
    path = PurePosixPath(name)
    return bool(name) and name.isprintable() and not path.is_absolute() and ".." not in path.parts and not re.search(r"[:\\]", name)


def _read_file(folder: Path, name: str, most: int) -> bytes:
    """What a file holds, nothing where there is too much; a link that leads out of the folder is not followed."""
    try:
        file = (folder / name).resolve()
        if not (file.is_relative_to(folder.resolve()) and file.is_file() and file.stat().st_size <= most):
            return b""
        return file.read_bytes()[:most]
    except (OSError, ValueError):
        return b""


@dataclass(frozen=True, slots=True)
class Context:
    """`code` is None where no generated text is shown, `is_unfolded` where it is seen at once; `notes` grows with each footnote.

    `pictures`: those that may be shown.
    """

    anchors: Anchors
    code: CodePages | None = None
    is_unfolded: bool = False
    notes: list[Markup] = field(default_factory=list)
    pictures: Pictures = field(default_factory=Pictures)


@cache
def _environment() -> Environment:
    loader = PackageLoader("mathdsl.render.write.html", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def fill(template: str, **values: object) -> Markup:
    """A template with its blanks filled in, without the line breaks and the indentation of the template."""
    return Markup(_environment().get_template(template).render(values).strip())
