"""A picture that can be drawn, and the programs that drawing takes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner
from PIL import Image

from mathdsl.cli import main
from tests.browser import CHROMIUM, start_browser

ROOT = Path(__file__).parents[2]


class Missing(Exception):
    """What a picture needs and this machine has not; the message says what."""


@dataclass(frozen=True)
class Picture:
    """`of`: the document or notebook that it shows."""

    name: str
    of: str
    draw: Callable[[], Image.Image]


def run_command(arguments: Sequence[str]) -> None:
    """`mathdsl ARGUMENTS`, as a user types it."""
    result = CliRunner().invoke(main, list(arguments))
    if result.exit_code:
        raise Missing(result.output.strip() or f"mathdsl ended with {result.exit_code}")


def photograph(page: Path, *, width: int, dark: bool = False) -> Image.Image:
    """A whole page in a window of that width."""
    if CHROMIUM is None:
        raise Missing("the program `chromium` was not found")
    with start_browser() as browser, browser.page(page, width=width, dark=dark) as opened:
        return Image.open(io.BytesIO(opened.picture(whole=True))).convert("RGB")
