r"""Conditions and `cases`: relations, logic, phrases, memberships, the padding token."""

from __future__ import annotations

from collections.abc import Sequence

from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.names.versions import without_versions
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.grouping import bare_products
from mathdsl.elaborate.terms.indices import length_of, unknown_set
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import CaseTerm, Elementwise, NumberTerm, Ref, SizeTerm, Term, Undefined
from mathdsl.elaborate.types.shapes import SCALAR
from mathdsl.ir.nodes import Element, Literal
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

COMPARISONS = {
    "=": "equal",
    r"\algoIs": "equal",
    r"\neq": "not_equal",
    "<": "less",
    r"\leq": "less_equal",
    ">": "greater",
    r"\geq": "greater_equal",
}


def resolve_condition(reader: Reader, node: ast.Expression) -> Term:
    """A condition: relations (chains hold all at once), `and`, `or`, `not`, phrases."""
    match node:
        case ast.Relation(operators=operators, operands=operands):
            return _relation(reader, node, operators, operands)
        case ast.Logic(operator="not", operands=(operand,)):
            return Elementwise("not", (resolve_condition(reader, operand),), span=node.span)
        case ast.Logic(operator=("and" | "or") as operator, operands=operands):
            return _fold_logic(operator, [resolve_condition(reader, o) for o in operands], node.span)
        case ast.Group(items=(inner,)):
            return resolve_condition(reader, inner)
        case ast.Juxtaposition(factors=(*several, ast.Phrase(text="is even" | "is odd" as text))) if several:
            subject = several[0] if len(several) == 1 else ast.Juxtaposition(tuple(several), span=node.span)
            rest = Elementwise("mod", (reader.resolve(subject), NumberTerm(2, span=node.span)), span=node.span)
            return Elementwise("equal", (rest, NumberTerm(int(text == "is odd"), span=node.span)), span=node.span)
        case ast.Juxtaposition(factors=(subject, ast.Phrase(text="is empty" | "is not empty" as text))):
            return _is_empty(reader, subject, "equal" if text == "is empty" else "not_equal", node.span)
        case ast.Juxtaposition(factors=(ast.Phrase(text="if"), inner)):
            return resolve_condition(reader, inner)
        case ast.Juxtaposition(factors=(ast.Phrase(text="if"), *rest)):
            return resolve_condition(reader, ast.Juxtaposition(tuple(rest), span=node.span))
        case _:
            return reader.resolve(node)


_INDICATORS = frozenset({Name("1"), Name("1", "mathbf"), Name("1", "mathbb"), Name("I"), Name("I", "mathbb")})


def indicated(head: ast.Expression, bracket: ast.Expression | None) -> ast.Expression | None:
    r"""The condition behind an indicator, `\mathbb{1}[c]`, `\mathbf{1}\{c\}`, `I(c)`, `1_{c}`; None where the two are no indicator."""
    if bracket is None or word_of(head) not in _INDICATORS:
        return None
    match bracket:
        case ast.Group(items=(item,)) | ast.ListDisplay(items=(item,)) | ast.SetDisplay(items=(item,)):
            return indicated(head, item)
        case ast.Keyword(name=name, value=value):
            return ast.Relation(("=",), (name, value), span=bracket.span)
        case ast.Relation() | ast.Logic():
            return bracket
        case _:
            return None


def resolve_indicator(reader: Reader, condition: ast.Expression, span: Span) -> Term:
    """1 where a condition holds, 0 elsewhere."""
    one, zero = NumberTerm(1, span=span), NumberTerm(0, span=span)
    return CaseTerm(((resolve_condition(reader, condition), one), (None, zero)), span=span)


def _is_empty(reader: Reader, subject: ast.Expression, op: str, span: Span) -> Term:
    length = length_of(reader, subject)
    if length is None:
        raise refuse("E0408", "only an array that has a name is asked whether it is empty", subject.span, help="give it a name first")
    return Elementwise(op, (SizeTerm(length, span=subject.span), NumberTerm(0, span=span)), span=span)


def _fold_logic(operator: str, terms: list[Term], span: Span) -> Term:
    result = terms[0]
    for term in terms[1:]:
        result = Elementwise(operator, (result, term), span=span)
    return result


def _relation(reader: Reader, node: ast.Relation, operators: tuple[str, ...], operands: tuple[ast.Expression, ...]) -> Term:
    links: list[Term] = []
    sides = [None if _is_padding(o) or op_is_membership(operators, k) else reader.resolve(o) for k, o in enumerate(operands)]
    for k, operator in enumerate(operators):
        left = sides[k]
        if operator in COMPARISONS and left is not None:
            right = sides[k + 1] if not _is_padding(operands[k + 1]) else _padding(reader, operands[k + 1].span)
            assert right is not None
            links.append(Elementwise(COMPARISONS[operator], (left, right), span=node.span))
        elif operator in (r"\in", r"\notin") and left is not None:
            links.append(_membership(reader, left, operands[k], operator, operands[k + 1], node.span))
        elif operator == r"\mid" and left is not None and (right := sides[k + 1]) is not None:
            rest = Elementwise("mod", (right, left), span=node.span)
            links.append(Elementwise("equal", (rest, NumberTerm(0, span=node.span)), span=node.span))
        else:
            raise unsupported(
                f"`{operator}` as a condition", node.span, help=r"compare values by `=`, `\neq`, `<`, `\leq`, `>`, `\geq` or `\in`"
            )
    return _fold_logic("and", links, node.span)


def op_is_membership(operators: tuple[str, ...], operand: int) -> bool:
    """Whether an operand of a chain is the set of a membership."""
    return operand > 0 and operators[operand - 1] in (r"\in", r"\notin")


def _is_padding(node: ast.Expression) -> bool:
    return word_of(node) == "padding" or isinstance(node, ast.Phrase) and node.text == "padding"


_PAD = Name("pad")


def _padding(reader: Reader, span: Span) -> Term:
    """The setting `pad`: the token that stands in padding, 0 unless the caller says otherwise."""
    symbol = reader.entries.symbols.get((_PAD, False))
    if symbol is None:
        symbol = reader.entries.add_symbol(
            Symbol(
                _PAD,
                Role.SETTING,
                element=Element.INTEGER,
                declared=True,
                default=Literal(0),
                span=span,
                description="the padding token",
                source=Source.PADDING,
            )
        )
        symbol.shape = SCALAR
        reader.entries.names.name(_PAD)
    symbol.used = True
    return Ref(symbol, span=span)


def _membership(reader: Reader, left: Term, element: ast.Expression, operator: str, values: ast.Expression, span: Span) -> Term:
    if not isinstance(values, ast.SetDisplay):
        raise unknown_set(element, values)
    if any(isinstance(i, ast.Dots) for i in values.items):
        raise unsupported(f"membership in anything but a written-out set (`{operator}`)", span, help=r"compare with `\leq` instead")
    equal: list[Term] = [Elementwise("equal", (left, reader.resolve(item)), span=span) for item in values.items]
    found = _fold_logic("or", equal, span)
    return found if operator == r"\in" else Elementwise("not", (found,), span=span)


ORDERS = {  # relation -> which of less, equal and greater it admits
    "<": "l",
    r"\leq": "le",
    "=": "e",
    r"\geq": "eg",
    ">": "g",
    r"\neq": "lg",
}


def _is_exhaustive(conditions: Sequence[ast.Expression | None]) -> bool:
    """Whether the last row holds wherever the others do not: `x > a`, then `x \\leq a`."""
    last = conditions[-1]
    if not isinstance(last, ast.Relation) or len(last.operators) != 1:
        return False
    left, right = last.operands
    admitted: set[str] = set()
    for condition in conditions:
        match condition:
            case ast.Relation(operators=(operator,), operands=(a, b)) if operator in ORDERS and {left, right} == {a, b}:
                turned = str.maketrans("lg", "gl") if (a, b) != (left, right) else {}
                admitted |= set(ORDERS[operator].translate(turned))
            case _:
                pass
    return admitted == set("leg")


def resolve_cases(reader: Reader, node: ast.Cases) -> Term:
    rows: list[tuple[Term | None, Term]] = []
    closes = _is_exhaustive([row.condition for row in node.rows])
    for row in node.rows:
        is_last = closes and row is node.rows[-1]
        condition = None if row.condition is None or is_last else resolve_condition(reader, row.condition)
        if isinstance(row.value, ast.Hole):
            inside = node.rows[0].condition
            domain = "" if node.of_branch or inside is None else render_expression(without_versions(inside))
            rows.append((condition, Undefined(domain, span=row.value.span)))
            continue
        value = reader.resolve(row.value)
        rows.append((condition, value))
        reader.terms.bare_products.update((node.span, span) for span in bare_products(row.value))
    return CaseTerm(tuple(rows), node.of_branch, span=node.span)
