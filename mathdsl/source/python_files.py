"""Which file a source names, and which class of it: a module is found along the import path without importing anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_CLASS = re.compile(rf"(?P<place>.+):(?P<part>{_DOTTED})", re.DOTALL)
_MODULE = re.compile(_DOTTED)


class NoModule(Exception):
    """A source names a module that is not on the import path."""


def find_source(source: str, folders: Sequence[str]) -> tuple[str, str]:
    """The path of a source, and the class that is meant: `FILE`, `FILE.py:Class` or `package.module:Class`."""
    place, part = (source, "") if Path(source).exists() else split_class(source)
    if not part or place.lower().endswith(".py"):
        return place, part
    found = find_module(place, folders)
    if found is None:
        raise NoModule(f"there is no module {place} on the import path")
    return str(found), part


def split_class(source: str) -> tuple[str, str]:
    """`FILE.py:Class` and `package.module:Class` as place and class; anything else as a place alone."""
    match = _CLASS.fullmatch(source)
    if match is None or not (match["place"].lower().endswith(".py") or _MODULE.fullmatch(match["place"])):
        return source, ""
    return match["place"], match["part"]


def find_module(name: str, folders: Sequence[str]) -> Path | None:
    """The file of a module; importing its packages could run anything, so only files are looked at.

    As an import does: in each folder a package with `__init__.py` comes before a module, and packages without one are the last resort.
    """
    *packages, last = name.split(".")
    places = [Path(folder or ".") for folder in folders]
    for package in packages:
        places = _inside(places, package)
    for place in places:
        for file in (place / last / "__init__.py", place / f"{last}.py"):
            if file.is_file():
                return file
    return None


def _inside(places: list[Path], package: str) -> list[Path]:
    """Where the modules of a package lie: its own folder, or all folders of that name where none has an `__init__.py`."""
    folders = [place / package for place in places if (place / package).is_dir()]
    regular = next((folder for folder in folders if (folder / "__init__.py").is_file()), None)
    return folders if regular is None else [regular]
