"""What the author of a cell may ask for: the options, a row each, with the help that is made of them; every mistake is one line."""

from __future__ import annotations

import keyword
import os
import shlex
import textwrap
import unicodedata
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, magic_arguments

from mathdsl.dataclass import dataclass, field

Annotation = Literal["equation", "shapes", "code"]
ANNOTATIONS: tuple[Annotation, ...] = get_args(Annotation)

_WIDTH, _COLUMN = 78, 21  # characters: of a line of the help, and of the options in it

_BEFORE = r"""
%%mathdsl [OPTIONS]       compile the LaTeX programs of a cell
%mathdsl FILE [OPTIONS]   compile those of a .tex, .py, .md or .rst file;
                          FILE.py:Class or package.module:Class names a class

Shows the programs typeset, with a table of their symbols and shapes, and
defines their classes and functions in the notebook. For example:

    %%mathdsl
    \Module{Project}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times n}}
      \Return W x \\ \EndModule

Then Project(n=3, m=2) is a torch.nn.Module with a 2 × 3 matrix W.

Options:
"""
_AFTER = """
Cells that run later may use what this one defines; of two cells that define
the same name, the one that ran last holds. What was made of the other one
stays as it was and is named, to be made anew. The names are ordinary Python
names: like an assignment, a cell that defines `loss` replaces whatever was
called so before.

A cell with mistakes shows them, defines nothing, and stops "Run All".
"""


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


@dataclass(frozen=True, slots=True)
class _Row:
    """An option: how the help writes it, what it says of it, and how `argparse` knows it."""

    written: str
    help: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    short: str = ""


ROWS = (
    _Row("--show-code", "show the generated Python below the mathematics", "--show-code", {"action": "store_true"}),
    _Row(
        "--annotate WHAT",
        "what to show with the mathematics: `equation` (nothing else), `shapes` (the tables, as without this option) or `code` "
        "(which line computes which equation); may be given several times",
        "--annotate",
        {"action": "append", "choices": ANNOTATIONS},
    ),
    _Row("--name NAME", "also bind the generated Python module to the variable NAME", "--name", {"action": "append"}),
    _Row(
        "--save FILE.py",
        "also write the generated Python to a file; only a file that mathdsl wrote is replaced",
        "--save",
        {"action": "append"},  # so that a second one is seen
    ),
    _Row("-h, --help", "show this help, and compile nothing", "--help", {"action": "store_true"}, short="-h"),
)


def write_help() -> str:
    """What `%mathdsl` alone prints."""
    rows = (
        textwrap.fill(row.help, _WIDTH, initial_indent=f"  {row.written}".ljust(_COLUMN), subsequent_indent=" " * _COLUMN) for row in ROWS
    )
    return _BEFORE + "\n".join(rows) + "\n" + _AFTER


def take_arguments(magic: Any) -> Any:
    """Let a magic know the rows, and a name of a file; `?` shows the help, in place of what IPython makes of them."""
    for row in reversed(ROWS):
        _decorate(magic, argument, *filter(None, (row.short, row.name)), **row.settings)
    _decorate(magic, argument, "file", nargs="*", metavar="FILE")
    _decorate(magic, magic_arguments)
    magic.__doc__ = write_help()
    return magic


def _decorate(magic: Any, decorator: Callable[..., Any], *words: str, **settings: Any) -> None:
    """IPython's decorators, which have no types, write what they know on the function itself."""
    decorator(*words, **settings)(magic)
