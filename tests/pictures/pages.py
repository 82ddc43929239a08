"""The page of each example: in a wide window, on a phone, and in the dark."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from PIL import Image

from tests.examples_loader import EXAMPLES, SPECS
from tests.pictures.layout import beginning
from tests.pictures.picture import Picture, photograph, run_command

WINDOWS = {"wide": (1280, 2200, False), "narrow": (390, 3600, False), "dark": (1280, 1500, True)}
"""Width, rows that are kept, and whether the reader wants it dark."""


def draw_page(spec: str, width: int, height: int, dark: bool) -> Image.Image:
    """`mathdsl render SPEC.tex -o SPEC.html`, opened in a browser."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / f"{spec}.html"
        run_command(["render", str(EXAMPLES / f"{spec}.tex"), "-o", str(page)])
        return beginning(photograph(page, width=width, dark=dark), height)


PAGES = tuple(Picture(f"{spec}-{name}", spec, partial(draw_page, spec, *window)) for spec in SPECS for name, window in WINDOWS.items())
