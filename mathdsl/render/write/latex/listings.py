"""Programs as in a paper: a head between rules, numbered lines, domains and comments at the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from mathdsl.render.document.model import Assignment, Clause, ClausePart, CommaList, Formula, Line, Listing, Range, Word, shown_number
from mathdsl.render.write.latex.escaping import escape_text
from mathdsl.render.write.latex.expressions import Piece
from mathdsl.render.write.latex.inlines import write_inlines
from mathdsl.render.write.latex.labels import Labels
from mathdsl.render.write.latex.statements import ARROWS, comma_list, dollars, formula, inline, render_domain, render_range
from mathdsl.render.write.latex.widths import estimate_width
from mathdsl.syntax.display.heights import Height

_WIDE = 18.0  # ems of a target that the others are not aligned with
_UNBREAKABLE = 26.0  # ems that surely fit on a line
_SHORT_TAG = 5
_KEPT = 3  # lines at either end of a program that stay on one page


def write_listing(listing: Listing, labels: Labels, *, in_float: bool = False) -> str:
    """The box of a program without its tables; a float of algorithms around it has rules and a caption of its own."""
    signature = _signature(listing)
    shift = int(bool(signature) and (in_float or _has_caption(listing)))
    inside = [*_measures(listing), *_kept([_line(line, listing, shift, labels) for line in listing.lines])]
    if in_float or not listing.name:
        head = [rf"\mdslline{{}}{{0}}{{{signature}}}{{}}\nobreak"] if signature else []
        environment = "mdsllines" if in_float else "mdsldefinitions"
        return "\n".join([rf"\begin{{{environment}}}", *head, *inside, rf"\end{{{environment}}}"])
    below = []
    if _has_caption(listing):
        anchor = rf"\label{{{labels[listing.label]}}}" if listing.label in labels else ""
        head_line = rf"\mdslalgorithm{anchor}\ {write_inlines(listing.caption, labels)}"
        below = [rf"\mdslline{{}}{{0}}{{{signature}}}{{}}\nobreak"]
    else:
        head_line = signature
    return "\n".join([rf"\begin{{mdslprogram}}{{{head_line}}}", *below, *inside, r"\end{mdslprogram}"])


def _kept(lines: Sequence[str]) -> Iterator[str]:
    """A page may end after a line, but for those that would leave too few on either side."""
    for number, line in enumerate(lines, start=1):
        is_kept = number < _KEPT or len(lines) - _KEPT < number < len(lines)
        yield line + r"\nobreak" if is_kept else line


def _signature(listing: Listing) -> str:
    """The name of a program with its header."""
    if not listing.name:
        return ""
    owned = "" if listing.owned is None else rf" $;$ {comma_list(listing.owned)}"
    return rf"\textbf{{{listing.word}}} {escape_text(listing.name)}$($\,{comma_list(listing.inputs)}{owned}\,$)$"


def _has_caption(listing: Listing) -> bool:
    return bool(listing.caption or listing.label)


def _is_aligned(listing: Listing) -> bool:
    return listing.notation == "module"


def _measures(listing: Listing) -> Iterator[str]:
    """The widest targets of a module, by which TeX aligns the arrows."""
    if not _is_aligned(listing):
        return
    targets = [formula(line.content.target) for line in listing.lines if isinstance(line.content, Assignment)]
    widths = {dollars(target): estimate_width(target.latex) for target in targets}
    widest = max((width for width in widths.values() if width < _WIDE), default=0.0)
    yield from (rf"\mdslmeasure{{{target}}}" for target, width in widths.items() if 0.7 * widest <= width <= widest)


def _line(line: Line, listing: Listing, shift: int, labels: Labels) -> str:
    anchor = rf"\label{{{labels[line.label]}}}" if line.label in labels else ""
    if _is_aligned(listing):
        return _equation(line, shift, labels, anchor)
    number = shown_number(line)
    left = rf"\mdslstep{{{escape_text(number)}}}{anchor}" if number else ""
    return rf"\mdslline{{{left}}}{{{line.depth + shift}}}{{{_content(line.content)}}}{{{_right(line, labels)}}}"


def _equation(line: Line, shift: int, labels: Labels, anchor: str) -> str:
    """A line of a module: its number stands at the right, as that of any equation."""
    if line.tag and len(line.tag) > _SHORT_TAG:
        number = rf"\mdsltag{{{escape_text(line.tag)}}}{{}}{anchor}"
        right = _right(line, labels, rf"({escape_text(line.tag)})") + number
    else:
        named = rf"\mdsltag{{{escape_text(line.tag)}}}{{({escape_text(line.tag)})}}" if line.tag else r"\mdslequation"
        numbered = bool(line.tag) or line.number is not None
        right = (_right(line, labels) or r"\hfill") + named + anchor if numbered else _right(line, labels)
    match line.content:
        case Assignment(target, value, _, relation):
            whole = formula(value)
            parts = (str(line.depth + shift), dollars(formula(target)), f"${ARROWS[relation]}$", _fitted(whole), right)
            return r"\mdsldefine" + "".join(f"{{{part}}}" for part in parts)
        case Clause():
            return rf"\mdslreturn{{{line.depth + shift}}}{{{_content(line.content)}}}{{{right}}}"
        case _:
            assert_never(line.content)


def _content(content: Assignment | Clause) -> str:
    match content:
        case Assignment(target, value, _, relation):
            left, right = formula(target), formula(value)
            whole = Piece(f"{left.latex} {ARROWS[relation]} {right.latex}", max(left.height, right.height))
            return _fitted(whole)
        case Clause(parts):
            return " ".join(_part(part) for part in parts)
        case _:
            assert_never(content)


def _part(part: ClausePart) -> str:
    match part:
        case Word(text):
            return rf"\textbf{{{escape_text(text)}}}"
        case Formula(expression):
            return inline(expression)
        case Range():
            return f"${render_range(part)}$"
        case CommaList(items):
            return ", ".join(_part(item) for item in items)
        case _:
            assert_never(part)


def _fitted(whole: Piece) -> str:
    """A formula that TeX cannot break is made smaller where it is wider than the line."""
    is_wide = whole.height is Height.ROWS and estimate_width(whole.latex) > _UNBREAKABLE
    return rf"\mdslfit{{{dollars(whole)}}}" if is_wide else dollars(whole)


def _right(line: Line, labels: Labels, more: str = "") -> str:
    """What stands at the right end: a domain, a comment."""
    parts = []
    if isinstance(line.content, Assignment) and line.content.domains:
        domain = render_domain(line.content.domains)
        parts.append(rf"\mbox{{${domain}$}}" if estimate_width(domain) < _UNBREAKABLE else f"${domain}$")
    if line.comment:
        parts.append(rf"\mdslcomment{{{write_inlines(line.comment, labels)}}}")
    if more:
        parts.append(more)
    inside = r"\quad ".join(parts)
    return rf"\mdslright{{{inside}}}" if parts else ""
