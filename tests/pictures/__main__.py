"""Pictures of what a user sees: `python -m tests.pictures [NAME ...]` draws them anew, all or those of a document (`elman`) or a picture.

The documents as PDF, the pages wide, narrow and dark, and the executed notebooks are written as PNG beside this file, to be looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.pictures.notebooks import NOTEBOOKS
from tests.pictures.pages import PAGES
from tests.pictures.pdf import DOCUMENTS
from tests.pictures.picture import Missing, Picture
from tests.pictures.shrink import shrink

FOLDER = Path(__file__).parent
PICTURES = (*DOCUMENTS, *PAGES, *NOTEBOOKS)


def find_pictures(names: Sequence[str]) -> list[Picture]:
    """The pictures that the names name; all where there are none."""
    return [picture for picture in PICTURES if not names or {picture.name, picture.of} & set(names)]


def main(names: Sequence[str]) -> int:
    """Draw the pictures; those that cannot be made here are named with the reason."""
    pictures = find_pictures(names)
    if not pictures:
        print(f"no such picture; there are {', '.join(picture.name for picture in PICTURES)}")
        return 2
    for picture in pictures:
        try:
            image = shrink(picture.draw())
        except Missing as reason:
            print(f"{picture.name}: left out, {reason}")
            continue
        file = FOLDER / f"{picture.name}.png"
        image.save(file, optimize=True)
        print(f"{file.name}: {image.width} × {image.height}, {file.stat().st_size / 1000:.0f} kB", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
