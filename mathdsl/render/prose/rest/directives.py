"""Directives that docutils does not know, or not with these options: read off their own source."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

CODE = frozenset(
    "code code-block sourcecode highlight ipython prompt doctest testcode testsetup testoutput parsed-literal jupyter-execute".split()
)
"""Directives whose content is code; their argument is its language."""

DISABLED = frozenset({"include", "raw"})
"""Directives that would read files or write another format: they stay as they are written."""

SILENT = frozenset(
    "toctree currentmodule module py:module py:currentmodule index only tabularcolumns bibliography footbibliography".split()
)
"""Directives that say nothing themselves."""

_HEAD = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]*\|[ \t]+)?(?P<name>[\w:.+-]+)[ \t]*::[ \t]*(?P<argument>[^\n]*)(?P<rest>[\s\S]*)")
_OPTION = re.compile(r":(?P<name>[\w-]+):[ \t]*(?P<value>[^\n]*)(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Directive:
    """`.. name:: argument`, its options and its content."""

    name: str
    argument: str
    options: dict[str, str]
    content: str


def read_directive(source: str) -> Directive | None:
    """A directive as it was written; None where it is something else."""
    head = _HEAD.match(source)
    if head is None:
        return None
    rest = textwrap.dedent(head["rest"].lstrip("\n"))
    options: dict[str, str] = {}
    while option := _OPTION.match(rest):
        options[option["name"]] = option["value"].strip()
        rest = rest[option.end() :]
    return Directive(head["name"], head["argument"].strip(), options, rest.strip("\n"))
