"""Bytes to text: UTF-8 without a byte order mark, line breaks as one line feed; and what tells texts apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from mathdsl.diagnostics import Diagnostics, error
from mathdsl.spans import SourceFile, Span

_OTHER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def decode(name: str, data: bytes, found: Diagnostics, part: str = "") -> SourceFile:
    """The file (or of a Python file, a class) as text; bytes that are no UTF-8 text are reported and stand as U+FFFD."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if encoding := _OTHER_MARKS.get(data[:2]):
        message = f"this file is encoded in {encoding}, not in UTF-8"
        found.add(error("E0101", message, Span(name, 0, min(1, len(text))), help="save it as UTF-8"))
    elif b"\0" in data:
        at = text.index("\0")
        found.add(error("E0102", "this file holds binary data, no text", Span(name, at, at + 1), label="a byte 0", help="name a text file"))
    elif not _is_utf8(data):
        at = text.index("\N{REPLACEMENT CHARACTER}")
        message = "this file is not encoded in UTF-8"
        found.add(error("E0101", message, Span(name, at, at + 1), label="the first byte that is no UTF-8", help="save it as UTF-8"))
    return SourceFile(name, text, part)


def hash_files(files: Sequence[SourceFile]) -> str:
    """Sixteen digits that other texts do not have."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.text.encode("utf-8", "surrogatepass"))
        digest.update(f"\0{file.part}\0".encode() if file.part else b"\0")
    return digest.hexdigest()[:16]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
