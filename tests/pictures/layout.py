"""What is kept of a long page: its beginning, or columns of it side by side; no line of text is cut."""

from __future__ import annotations

from itertools import pairwise

from PIL import Image

_QUIET = 8  # rows without a change
_GAP = 20


def beginning(image: Image.Image, height: int) -> Image.Image:
    """At most so many rows of it."""
    return image.crop((0, 0, image.width, _find_end(image, 0, height)))


def columns(image: Image.Image, count: int, height: int) -> Image.Image:
    """As much of it as `count` columns of at most that height hold."""
    starts = [0]
    for _ in range(count):
        starts.append(_find_end(image, starts[-1], height))
    parts = [image.crop((0, start, image.width, end)) for start, end in pairwise(starts) if start < end]
    width = image.width + _GAP
    sheet = Image.new("RGB", (width * len(parts) - _GAP, max(part.height for part in parts)), image.getpixel((0, 0)))
    for number, part in enumerate(parts):
        sheet.paste(part, (number * width, 0))
    return sheet


def _find_end(image: Image.Image, start: int, height: int) -> int:
    """The end of the image, or the lowest row of those allowed that lies among equal ones."""
    if image.height <= start + height:
        return image.height
    same = 0
    below = b""
    for row in range(start + height - 1, start + height // 2, -1):
        here = image.crop((0, row, image.width, row + 1)).tobytes()
        same = same + 1 if here == below else 0
        if same == _QUIET:
            return row + _QUIET // 2
        below = here
    return start + height
