"""The pictures in the repository: those that the command draws, all of them, and small."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # `tests.pictures`, as `python -m tests.pictures` finds it

from tests.pictures.__main__ import FOLDER, PICTURES, find_pictures, main


def test_every_picture_is_there_and_small() -> None:
    sizes = {file.stem: file.stat().st_size for file in FOLDER.glob("*.png")}
    assert set(sizes) == {picture.name for picture in PICTURES}
    assert max(sizes.values()) < 220_000
    assert sum(sizes.values()) < 3_000_000


def test_pictures_are_found_by_their_names_and_by_what_they_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert [picture.name for picture in find_pictures(["rhn"])] == ["rhn-pdf", "rhn-wide", "rhn-narrow", "rhn-dark"]
    assert [picture.name for picture in find_pictures(["01_first_module", "elman-dark"])] == ["elman-dark", "01_first_module"]
    assert main(["nothing"]) == 2
    assert "elman-pdf" in capsys.readouterr().out
