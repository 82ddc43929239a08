"""The formulas of a page: MathML as markup that templates take as it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup

from mathdsl.render.document.listings import are_runs, display_range, display_type, make_range
from mathdsl.render.document.model import Assignment, Formula, Range
from mathdsl.render.mathml import wrap_mathml, write_row, write_rows
from mathdsl.render.mathml.elements import element, escape, seen
from mathdsl.render.tex_commands import Atom
from mathdsl.render.tex_reading import KEPT, read_tex
from mathdsl.syntax.display.build import display, display_items, display_parts
from mathdsl.syntax.display.tree import Node, Operator, Row
from mathdsl.syntax.nodes import Declaration, Expression

_LONG = 30  # characters that are seen; a line may end in what has more


@lru_cache(maxsize=KEPT)
def latex_formula(latex: str, *, display: bool = False) -> Markup:
    """A formula of prose as TeX reads it; otherwise its source as code."""
    body = read_tex(latex)
    if body is None:
        return Markup(element("code", escape(latex)))
    return Markup(wrap_mathml(write_row(body, is_display=display), display=display))


def cell(latex: str, *, is_right: bool) -> Markup:
    """A cell of an equation among others, set as in a display; one at the right goes on after that at its left."""
    body = read_tex(latex) if latex else Row()
    if body is None:
        return latex_formula(latex)
    return Markup(_displayed(write_row(body, is_display=True, before=Atom.ORD if is_right else None))) if latex else Markup()


def formula(expression: Expression) -> Markup:
    """An expression in a line."""
    return _in_line(*display(expression).parts)


def _in_line(*parts: Node) -> Markup:
    return Markup(wrap_mathml(write_row(Row(parts)), display=False))


def _displayed(row: str) -> Markup:
    """A formula as large as on a line of its own."""
    return Markup(element("math", row, displaystyle="true"))


def items(expressions: Sequence[Expression]) -> Markup:
    """Expressions, a formula each, so that a line may break after a comma."""
    return Markup(", ").join(formula(expression) for expression in expressions)


def bound(part: Range | Formula) -> Markup:
    """What an index runs over."""
    return _in_line(*display_range(part).parts)


def assignment(line: Assignment) -> Markup:
    """`target ← value` as large as on a line of its own, then the domain, which may stand on the next line."""
    written = _broken((*display(line.target).parts, Operator(f"\\{line.relation}")), line.value)
    if not line.domains:
        return written
    domains = Markup(", ").join(bound(domain) for domain in line.domains)
    return Markup('{} <span class="domain">{}</span>').format(written, Markup("({})" if are_runs(line.domains) else "∀ {}").format(domains))


def _broken(before: Sequence[Node], value: Expression) -> Markup:
    """A formula as large as on a line of its own, in parts where it is long."""
    first, *others = display_parts(value)
    rows = write_rows((Row((*before, *first.parts)), *others), is_display=True)
    is_long = len(seen("".join(rows))) > _LONG
    return Markup("<wbr>").join(map(_displayed, rows if is_long else ("".join(rows),)))


def symbols(declaration: Declaration) -> Markup:
    """The symbols of a declaration, or the relation that it states instead."""
    if declaration.relation is not None:
        return formula(declaration.relation)
    return _in_line(*display_items(declaration.symbols).parts)


def belongs_to(declaration: Declaration) -> Markup:
    """The type of a declaration with its default, `= 0.1`, its initialiser, `∼ U(a, b)`, and the ranges of its indices."""
    kind = display_type(declaration).parts if declaration.relation is None else ()
    ranges = (bound(make_range(part)) for part in declaration.ranges)
    return Markup(", ").join([*([_in_line(*kind)] if kind else []), *declaration.written_flags, *ranges])
