"""What the author of a cell may ask for, checked: every mistake in it is one line."""

from __future__ import annotations

import keyword
import os
import shlex
import unicodedata
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from IPython.core.error import UsageError

Annotation = Literal["equation", "shapes", "code"]
ANNOTATIONS: tuple[Annotation, ...] = get_args(Annotation)


@dataclass(frozen=True, slots=True)
class Options:
    """`annotations`: what is shown; `name` is '' where the generated module is bound to no name, `save` None where no file is written."""

    wants_help: bool
    file: str
    show_code: bool
    annotations: frozenset[Annotation]
    name: str
    save: Path | None


def read_options(parser: ArgumentParser, line: str) -> Options:
    """The options of a line; a `UsageError` where it cannot be read."""
    arguments = parser.parse_args(_split(line))
    return Options(
        wants_help=arguments.help,
        file=" ".join(arguments.file),
        show_code=arguments.show_code,
        annotations=frozenset(arguments.annotate or ("equation", "shapes")),
        name=_name(_only(arguments.name, "--name")),
        save=_path(_only(arguments.save, "--save")),
    )


def _split(line: str) -> list[str]:
    """The words of a line as a shell splits them, but for a backslash, which is a letter: paths of Windows have it."""
    words = shlex.shlex(line, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters, words.escape = True, "", ""
    try:
        return list(words)
    except ValueError:
        raise UsageError("no closing quotation mark") from None


def _only(given: list[str] | None, option: str) -> str | None:
    if given is not None and len(given) > 1:
        raise UsageError(f"{option} is given twice")
    return given[0] if given else None


def _name(name: str | None) -> str:
    if name is None:
        return ""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"--name: {name or 'an empty word'} is no name for a variable")
    return unicodedata.normalize("NFKC", name)  # as Python reads it in a cell


def _path(written: str | None) -> Path | None:
    if written is None:
        return None
    path = Path(os.path.expanduser(written))
    if path.suffix != ".py":
        raise UsageError(f"--save writes the generated Python: name a file such as model.py, not {written or 'an empty word'}")
    return path
