r"""Displays of prose as TeX numbers them: apart from their environments, a number for each row that has one.

\begin{gather} a \label{x} \\ b \\ c \nonumber \end{gather}   →   a (numbered, x),  b (numbered),  c
\begin{align} a &= b \label{x} \\ &+ c \nonumber \end{align}   →   two rows of two cells each, the first numbered, x
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.render.tex_commands import COMMANDS

_ENVIRONMENT = re.compile(
    r"\s*\\begin\s*\{(?P<name>[A-Za-z]+)(?P<star>\*?)\}(?:\s*\{[\w ]*\})?(?P<body>.*)\\end\s*\{(?P=name)(?P=star)\}\s*", re.DOTALL
)
_IN_COLUMNS = frozenset({"align", "flalign", "alignat", "eqnarray"})
_WITH_ROWS = _IN_COLUMNS | {"gather"}
_WITHOUT = frozenset({"equation", "multline", "displaymath", "dmath"})
_SPLIT = re.compile(r"\\(begin|end)\s*\{split\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}\s?")
_TAG = re.compile(r"\\tag\*?\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s?")
_NO_NUMBER = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])\s?")
_EVENT = re.compile(
    r"(?P<open>\{|\\begin(?![A-Za-z]))|(?P<close>\}|\\end(?![A-Za-z]))"
    r"|(?P<end>\\\\\*?(?:[ \t]*\[-?[\d.]+[ \t]*[a-z]{2}\])?)|(?P<cell>&)|\\?[\s\S]"
)
_FONT = re.compile(r"\\(?:mathrm|text|textrm|mathbf|textbf|ensuremath)\s*\{([^{}\\]*)\}")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\s*|.)")


@dataclass(frozen=True, slots=True)
class Display:
    """A formula on lines of its own; `tag`: the author's own number; `cells`: of a row among others, its parts between `&`."""

    latex: str
    label: str
    tag: str
    is_numbered: bool
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows whose cells stand below each other, at least one of them with a number."""

    rows: tuple[Display, ...]


Part: TypeAlias = Display | Columns


@dataclass(slots=True)
class _Row:
    """The cells of a row, and what stands in it beside them."""

    cells: list[str] = field(default_factory=lambda: [""])

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """What the first match of the pattern says in its group (or as a whole); all its matches are removed."""
        found = next((match for cell in self.cells if (match := pattern.search(cell))), None)
        self.cells = [pattern.sub("", cell) for cell in self.cells]
        return None if found is None else found[pattern.groups].strip()

    def has(self, pattern: re.Pattern[str]) -> bool:
        return any(pattern.search(cell) for cell in self.cells)

    @property
    def is_blank(self) -> bool:
        return not any(cell.strip() for cell in self.cells)


def take_label(latex: str) -> tuple[str, str]:
    """A display apart from its label; labels of rows stay in their rows."""
    match = _ENVIRONMENT.fullmatch(latex)
    if match and match["name"] in _WITH_ROWS:
        return latex.strip(), ""
    label = _LABEL.search(latex)
    return _LABEL.sub("", latex).strip(), label[1].strip() if label else ""


def read_tag(latex: str) -> str:
    r"""A number of the author's own as it is read: `$\ast$` as `∗`, `\text{A}'` as `A'`; what has no characters stays LaTeX."""
    plain = _FONT.sub(r"\1", latex.replace("$", ""))
    read = _COMMAND.sub(_character, plain)
    return latex if "\\" in read or "{" in read else read.strip()


def _character(match: re.Match[str]) -> str:
    symbol = COMMANDS.get(match[0].strip())
    return match[0] if symbol is None else symbol.character


def split_display(latex: str, label: str) -> tuple[Part, ...]:
    """The formulas of a display that have numbers of their own; one without a number stands with the next that has one."""
    match = _ENVIRONMENT.fullmatch(latex)
    name = match["name"] if match else ""
    body = _SPLIT.sub(r"\\\1{aligned}", match["body"] if match and name in _WITH_ROWS | _WITHOUT else latex)
    is_numbered = bool(match and name in _WITH_ROWS | _WITHOUT - {"displaymath"} and not match["star"])
    if name not in _WITH_ROWS:
        rows = [row for row in _rows(body) if not row.is_blank] if name == "multline" else [_Row([body])]
        return (_join(rows, "gathered", label, is_numbered),)
    filled = [_relation_first(row) if name == "eqnarray" else row for row in _rows(body) if not row.is_blank]
    return tuple(_set_rows(filled, name, is_numbered))


def _rows(body: str) -> list[_Row]:
    """Its rows, by the ends of lines and cells that stand in no braces and no environment."""
    rows = [_Row()]
    depth = 0
    for event in _EVENT.finditer(body):
        depth += (event["open"] is not None) - (event["close"] is not None)
        if event["end"] and not depth:
            rows.append(_Row())
        elif event["cell"] and not depth:
            rows[-1].cells.append("")
        else:
            rows[-1].cells[-1] += event[0]
    return rows


def _relation_first(row: _Row) -> _Row:
    """A relation in a column of its own begins the next."""
    left, *rest = row.cells
    return _Row([left, " ".join(rest)]) if rest else row


def _set_rows(rows: list[_Row], name: str, is_numbered: bool) -> Iterator[Part]:
    has_number = any(_has_number(row, is_numbered) for row in rows)
    if name in _IN_COLUMNS and has_number and len(rows) > 1:
        yield Columns(tuple(_join([row], "aligned", "", is_numbered, is_one_of_many=True) for row in rows))
        return
    frame = "gathered" if name == "gather" else "aligned"
    group: list[_Row] = []
    for row in rows:
        group.append(row)
        if _has_number(row, is_numbered):
            yield _join(group, frame, "", is_numbered)
            group = []
    if group:
        yield _join(group, frame, "", is_numbered)


def _has_number(row: _Row, is_numbered: bool) -> bool:
    return (is_numbered and not row.has(_NO_NUMBER)) or row.has(_LABEL) or row.has(_TAG)


def _in_line(cells: list[str]) -> str:
    """The cells of one row, each pair apart from the next."""
    pairs = (" ".join(filter(None, cells[at : at + 2])) for at in range(0, len(cells), 2))
    return r" \qquad ".join(filter(None, pairs))


def _join(rows: list[_Row], frame: str, label: str, is_numbered: bool, *, is_one_of_many: bool = False) -> Display:
    """Rows as one formula; the last of them has the number, if one has."""
    own = [row.take(_LABEL) for row in rows]
    tags = [row.take(_TAG) for row in rows]
    unnumbered = [row.take(_NO_NUMBER) is not None for row in rows]
    named = label or next((one for one in reversed(own) if one), "")
    tag = next((one for one in reversed(tags) if one), "")
    written = [[" ".join(cell.split()) for cell in row.cells] for row in rows]
    if len(rows) == 1:
        latex = _in_line(written[0]) if frame == "aligned" else " ".join(" ".join(rows[0].cells).split())
    else:
        latex = rf"\begin{{{frame}}} " + r" \\ ".join(" & ".join(cells).strip() for cells in written) + rf" \end{{{frame}}}"
    has_number = bool(tag or named) or (is_numbered and bool(rows) and not unnumbered[-1])
    return Display(latex, named, read_tag(tag), has_number, tuple(written[0]) if is_one_of_many else ())
