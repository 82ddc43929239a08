"""The options of the magics, a row each, and the help that is made of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from IPython.core.magic_arguments import argument, magic_arguments

from mathdsl.notebook.options import ANNOTATIONS

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
class Row:
    """An option: how the help writes it, what it says of it, and how `argparse` knows it."""

    written: str
    help: str
    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    short: str = ""


ROWS = (
    Row("--show-code", "show the generated Python below the mathematics", "--show-code", {"action": "store_true"}),
    Row(
        "--annotate WHAT",
        "what to show with the mathematics: `equation` (nothing else), `shapes` (the tables, as without this option) or `code` "
        "(which line computes which equation); may be given several times",
        "--annotate",
        {"action": "append", "choices": ANNOTATIONS},
    ),
    Row("--name NAME", "also bind the generated Python module to the variable NAME", "--name", {"action": "append"}),
    Row(
        "--save FILE.py",
        "also write the generated Python to a file; only a file that mathdsl wrote is replaced",
        "--save",
        {"action": "append"},  # so that a second one is seen
    ),
    Row("-h, --help", "show this help, and compile nothing", "--help", {"action": "store_true"}, short="-h"),
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
