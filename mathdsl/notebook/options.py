"""What the author of a cell may ask for, checked: every mistake in it is one line."""

from __future__ import annotations

import keyword
import os
from argparse import Namespace
from collections.abc import Callable
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


def read_options(parse: Callable[[], Namespace]) -> Options:
    """The options of a line; a `UsageError` where it cannot be read."""
    try:
        arguments = parse()
    except ValueError as problem:  # a quotation mark without its partner
        raise UsageError(str(problem).lower()) from None
    return Options(
        wants_help=arguments.help,
        file=" ".join(_unquoted(word) for word in arguments.file),
        show_code=arguments.show_code,
        annotations=frozenset(arguments.annotate or ("equation", "shapes")),
        name=_name(_only(arguments.name, "--name")),
        save=_path(_only(arguments.save, "--save")),
    )


def _only(given: list[str] | None, option: str) -> str | None:
    if given is not None and len(given) > 1:
        raise UsageError(f"{option} is given twice")
    return given[0] if given else None


def _name(name: str | None) -> str:
    if name is None:
        return ""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"--name: {name} is no name for a variable")
    return name


def _path(written: str | None) -> Path | None:
    if written is None:
        return None
    path = Path(os.path.expanduser(_unquoted(written)))
    if path.suffix != ".py":
        raise UsageError(f"--save writes the generated Python: name a .py file, not {path}")
    return path


def _unquoted(word: str) -> str:
    """IPython leaves the quotation marks around a word with spaces."""
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word
