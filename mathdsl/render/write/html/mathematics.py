"""The formulas of a page: MathML as markup that templates take as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from markupsafe import Markup

from mathdsl.render.document.listings import make_range
from mathdsl.render.document.model import Assignment, Formula, Range
from mathdsl.render.formulas import cell_mathml, formula_mathml
from mathdsl.render.mathml import (
    render_items_row,
    render_mathml_row,
    render_parts,
    sign,
    wrap_mathml,
)
from mathdsl.syntax.nodes import Declaration, Expression

_TAG = re.compile("<[^>]*>")
_LONG = 30  # characters that are seen; a line may end in what has more


def latex_formula(latex: str, *, display: bool = False) -> Markup:
    """A formula of prose."""
    return Markup(formula_mathml(latex, display=display))


def cell(latex: str, *, is_right: bool) -> Markup:
    """A cell of an equation among others."""
    return Markup(cell_mathml(latex, is_right=is_right)) if latex else Markup()


def formula(expression: Expression) -> Markup:
    """An expression in a line."""
    return Markup(wrap_mathml(render_mathml_row(expression), display=False))


def items(expressions: Sequence[Expression]) -> Markup:
    """Expressions, a formula each, so that a line may break after a comma."""
    return Markup(", ").join(formula(expression) for expression in expressions)


def bound(part: Range | Formula) -> Markup:
    """What an index runs over: `t = 1, …, S`, or a formula that says it otherwise."""
    match part:
        case Range(index, run, relation):
            row = render_mathml_row(index) + (sign(relation) + render_items_row(run) if run else "")
            return Markup(wrap_mathml(row, display=False))
        case Formula(expression):
            return formula(expression)
        case _:
            assert_never(part)


def assignment(line: Assignment) -> Markup:
    """`target ← value` as large as on a line of its own, then the domain, which may stand on the next line."""
    written = _broken(render_mathml_row(line.target) + sign(f"\\{line.relation}"), line.value)
    if not line.domains:
        return written
    domains = Markup(", ").join(bound(domain) for domain in line.domains)
    runs = all(isinstance(domain, Range) and domain.items and domain.relation == "=" for domain in line.domains)
    return Markup('{} <span class="domain">{}</span>').format(written, Markup("({})" if runs else "∀ {}").format(domains))


def _broken(before: str, value: Expression) -> Markup:
    """A formula as large as on a line of its own, in parts where it is long."""
    whole = render_mathml_row(value)
    first, *others = render_parts(value) if len(_TAG.sub("", before + whole)) > _LONG else (whole,)
    rows = (Markup('<math displaystyle="true">{}</math>').format(Markup(row)) for row in (before + first, *others))
    return Markup("<wbr>").join(rows)


def symbols(declaration: Declaration) -> Markup:
    """The symbols of a declaration, or the relation that it states instead."""
    if declaration.relation is not None:
        return formula(declaration.relation)
    return Markup(wrap_mathml(render_items_row(declaration.symbols), display=False))


def belongs_to(declaration: Declaration) -> Markup:
    """The type of a declaration with its default, `= 0.1`, its initialiser, `∼ U(a, b)`, and the ranges of its indices."""
    values = ((r"\in", declaration.type), ("=", declaration.default), (r"\sim", declaration.initialiser))
    said = "".join(sign(relation) + render_mathml_row(part) for relation, part in values if part is not None)
    kind = [Markup(wrap_mathml(said, display=False))] if said and declaration.relation is None else []
    return Markup(", ").join([*kind, *declaration.written_flags, *(bound(make_range(part)) for part in declaration.ranges)])
