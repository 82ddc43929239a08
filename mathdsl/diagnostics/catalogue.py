"""The catalogue: a page of Markdown for each code, `codes/E0401.md`, which is read when somebody asks for its row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError, Severity

_PAGES = Path(__file__).parent / "codes"
_SEVERITIES: Mapping[str, Severity] = {"E": "error", "W": "warning", "N": "note"}


@dataclass(frozen=True, slots=True)
class Row:
    """The meaning of a code; `explanation` is Markdown: the mistake, the reason why it is refused, a wrong and a right program."""

    code: str
    severity: Severity
    title: str
    explanation: str


@cache
def list_severities() -> Mapping[str, Severity]:
    """The severities of all codes, by their first letters, in the order of the codes; no page is read."""
    return {code: _SEVERITIES[code[0]] for code in sorted(page.stem for page in _PAGES.glob("*.md"))}


@cache
def read_row(code: str) -> Row:
    """The page of a code -> its row; a KeyError where there is none."""
    severity = list_severities()[code]
    text = (_PAGES / f"{code}.md").read_text(encoding="utf-8")
    found = re.fullmatch(rf"# {severity} {code}: ([^\n]+)\n\n(.+)", text, re.DOTALL)
    if found is None:
        raise InternalError(f"the page of {code} does not begin with `# {severity} {code}: ` and a title")
    return Row(code, severity, found[1], found[2].strip())


class _Catalogue(Mapping[str, Row]):
    def __getitem__(self, code: str) -> Row:
        return read_row(code)

    def __contains__(self, code: object) -> bool:
        return code in list_severities()

    def __iter__(self) -> Iterator[str]:
        return iter(list_severities())

    def __len__(self) -> int:
        return len(list_severities())


CATALOGUE: Mapping[str, Row] = _Catalogue()
"""Every row by its code, in the order of the codes."""


def find_row(code: str) -> Row | None:
    """The row of a code, written in either case."""
    return CATALOGUE.get(code.upper())
