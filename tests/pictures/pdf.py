"""The PDF of each example, its first pages side by side, without their margins."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image, ImageChops

from tests.examples_loader import EXAMPLES, SPECS
from tests.pictures.picture import Missing, Picture, run_command

DOTS_PER_INCH = 96
PAGES, PAGES_A_ROW = 6, 3
MARGIN, GAP = 24, 6  # pixels around what pages hold, and of grey between them


def draw_document(spec: str) -> Image.Image:
    """`mathdsl render SPEC.tex -o SPEC.pdf`, the first pages."""
    pdftoppm = shutil.which("pdftoppm")
    if pdftoppm is None:
        raise Missing("the program `pdftoppm` was not found")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_command(["render", str(EXAMPLES / f"{spec}.tex"), "-o", str(folder / f"{spec}.pdf")])
        options = ["-png", "-r", str(DOTS_PER_INCH), "-l", str(PAGES)]
        subprocess.run([pdftoppm, *options, str(folder / f"{spec}.pdf"), str(folder / "page")], check=True)
        return _side_by_side(_without_margins([Image.open(page).convert("RGB") for page in sorted(folder.glob("page*.png"))]))


def _without_margins(pages: list[Image.Image]) -> list[Image.Image]:
    """The pages, cut alike to what at least one of them holds."""
    boxes = [box for page in pages if (box := ImageChops.invert(page).getbbox())]
    left, top = (min(box[side] for box in boxes) - MARGIN for side in (0, 1))
    right, bottom = (max(box[side] for box in boxes) + MARGIN for side in (2, 3))
    return [page.crop((left, top, right, bottom)) for page in pages]


def _side_by_side(pages: list[Image.Image]) -> Image.Image:
    width, height = max(page.width for page in pages) + GAP, max(page.height for page in pages) + GAP
    columns, rows = min(len(pages), PAGES_A_ROW), -(-len(pages) // PAGES_A_ROW)
    sheet = Image.new("RGB", (columns * width + GAP, rows * height + GAP), "#8a8a8a")
    for number, page in enumerate(pages):
        row, column = divmod(number, PAGES_A_ROW)
        sheet.paste(page, (GAP + column * width, GAP + row * height))
    return sheet


DOCUMENTS = tuple(Picture(f"{spec}-pdf", spec, partial(draw_document, spec)) for spec in SPECS)
