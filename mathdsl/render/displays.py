r"""Displays of prose as TeX numbers them: apart from their environments, a number for each row that has one.

\begin{align} a &= b \label{x} \\ c &= d \\ &+ e \nonumber \end{align}   →   a = b (numbered, x),  c = d (numbered),  + e
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_ENVIRONMENT = re.compile(
    r"\s*\\begin\s*\{(?P<name>[A-Za-z]+)(?P<star>\*?)\}(?:\s*\{\d+\})?(?P<body>.*)\\end\s*\{(?P=name)(?P=star)\}\s*", re.DOTALL
)
_WITH_ROWS = frozenset({"align", "gather", "flalign", "alignat", "eqnarray"})
_WITHOUT = frozenset({"equation", "multline", "displaymath", "dmath"})
_SPLIT = re.compile(r"\\(begin|end)\s*\{split\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}\s?")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}\s?")
_NO_NUMBER = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])\s?")
_EVENT = re.compile(
    r"(?P<open>\{|\\begin(?![A-Za-z]))|(?P<close>\}|\\end(?![A-Za-z]))"
    r"|(?P<end>\\\\\*?(?:[ \t]*\[-?[\d.]+[ \t]*[a-z]{2}\])?)|(?P<cell>&)|\\?[\s\S]"
)


@dataclass(frozen=True, slots=True)
class Display:
    """A formula on lines of its own; `tag`: the author's own number."""

    latex: str
    label: str
    tag: str
    is_numbered: bool


@dataclass(slots=True)
class _Row:
    """The cells of a row, and what stands in it beside them."""

    cells: list[str] = field(default_factory=lambda: [""])

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """What the first match of the pattern says in its group (or as a whole); all its matches are removed."""
        found = next((match for cell in self.cells if (match := pattern.search(cell))), None)
        self.cells = [pattern.sub("", cell) for cell in self.cells]
        return None if found is None else found[pattern.groups].strip()

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


def split_display(latex: str, label: str) -> tuple[Display, ...]:
    """The formulas of a display that have numbers of their own; one without a number stands with the next that has one."""
    match = _ENVIRONMENT.fullmatch(latex)
    name = match["name"] if match else ""
    body = _SPLIT.sub(r"\\\1{aligned}", match["body"] if match and name in _WITH_ROWS | _WITHOUT else latex)
    is_numbered = bool(match and name in _WITH_ROWS | _WITHOUT - {"displaymath"} and not match["star"])
    if name not in _WITH_ROWS:
        rows = [row for row in _rows(body) if not row.is_blank] if name == "multline" else [_Row([body])]
        return (_join(rows, "gathered", label, is_numbered),)
    frame = "gathered" if name == "gather" else "aligned"
    return tuple(_join(group, frame, label, is_numbered) for group in _groups(_rows(body), is_numbered))


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


def _groups(rows: list[_Row], is_numbered: bool) -> Iterator[list[_Row]]:
    group: list[_Row] = []
    for row in rows:
        if row.is_blank:
            continue
        group.append(row)
        has_number = is_numbered and not any(_NO_NUMBER.search(cell) for cell in row.cells)
        if has_number or any(_LABEL.search(cell) or _TAG.search(cell) for cell in row.cells):
            yield group
            group = []
    if group:
        yield group


def _join(rows: list[_Row], frame: str, label: str, is_numbered: bool) -> Display:
    """Rows as one formula; the last of them has the number, if one has."""
    own = [row.take(_LABEL) for row in rows]
    tags = [row.take(_TAG) for row in rows]
    unnumbered = [row.take(_NO_NUMBER) is not None for row in rows]
    named = label or next((one for one in reversed(own) if one), "")
    tag = next((one for one in reversed(tags) if one), "")
    written = [" & ".join(" ".join(cell.split()) for cell in row.cells).strip() for row in rows]
    if len(rows) == 1:
        latex = " ".join(" ".join(rows[0].cells).split())
    else:
        latex = rf"\begin{{{frame}}} " + r" \\ ".join(written) + rf" \end{{{frame}}}"
    has_number = bool(tag or named) or (is_numbered and bool(rows) and not unnumbered[-1])
    return Display(latex, named, tag, has_number)
