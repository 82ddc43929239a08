r"""The gallery: literate specs in folders by area, `attention/rotary`; they lie in an installed package, or beside it in a checkout."""

from __future__ import annotations

import re
from pathlib import Path

from mathdsl.dataclass import dataclass

_PACKAGE = Path(__file__).resolve().parent.parent
_TITLE = re.compile(r"\\title\{(.+?)\}\n", re.DOTALL)
_PARAGRAPH = re.compile(r"\\maketitle\s+(.+?)\n\s*\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A spec by its name, with its title and the first paragraph of its prose in LaTeX."""

    name: str
    path: Path
    title: str
    summary: str


def example_path(name: str) -> Path:
    """The path of `lstm_topic.tex` and its like."""
    return _folder() / name


def list_examples() -> tuple[Example, ...]:
    """All specs in the order of their names; those of the first hour, which lie in no folder, come first."""
    paths = sorted(_folder().rglob("*.tex"), key=lambda path: (len(path.relative_to(_folder()).parts), path))
    return tuple(_read(path) for path in paths)


def find_examples(name: str) -> list[Example]:
    """The specs of that name, `attention/rotary` or `rotary`."""
    return [one for one in list_examples() if name.removesuffix(".tex") in (one.name, one.path.stem)]


def _folder() -> Path:
    installed = _PACKAGE / "examples"
    return installed if installed.exists() else _PACKAGE.parent / "examples"


def _read(path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    title, paragraph = (" ".join(found[1].split()) if (found := part.search(text)) else "" for part in (_TITLE, _PARAGRAPH))
    return Example(path.relative_to(_folder()).with_suffix("").as_posix(), path, title, paragraph)
