r"""Expressions to canonical LaTeX that parses to the same tree: braces, which leave no node, stand where binding asks for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from mathdsl.syntax.binding import OPERATORS, Binds
from mathdsl.syntax.commands import NAMED_REDUCTIONS, PREFIX_FUNCTIONS, REDUCTION_COMMANDS, is_function
from mathdsl.syntax.nodes import (
    Accent,
    Attribute,
    Bars,
    Binary,
    CaseRow,
    Cases,
    Command,
    Comprehension,
    Dots,
    Expression,
    Fraction,
    Group,
    Hole,
    Identifier,
    Indexing,
    Interval,
    Juxtaposition,
    Keyword,
    ListDisplay,
    Logic,
    Matrix,
    Negative,
    Number,
    Phrase,
    Reduction,
    Relation,
    Root,
    Scripts,
    SetDisplay,
    Slice,
)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rendered text. `is_open`: ends in a reduction, whose body would swallow what follows; `is_numeric`: begins with a numeral."""

    text: str
    binds: Binds = Binds.PRIMARY
    is_open: bool = False
    is_numeric: bool = False


_BARS = {
    "|": (r"\lvert", r"\rvert"),
    "||": (r"\lVert", r"\rVert"),
    "floor": (r"\lfloor", r"\rfloor"),
    "ceil": (r"\lceil", r"\rceil"),
    "angle": (r"\langle", r"\rangle"),
}


def render_expression(node: Expression) -> str:
    """Canonical LaTeX of an expression."""
    return _piece(node).text


def render_items(nodes: Iterable[Expression]) -> str:
    """A comma list."""
    return ", ".join(render_expression(node) for node in nodes)


def render_operand(node: Expression) -> str:
    """An operand of a relation, as in a declaration."""
    return _at_least(node, Binds.JOIN)


def _at_least(node: Expression, binds: Binds, *, closed: bool = False, numeric: bool = True) -> str:
    """The text of `node`, in braces where it binds too loosely, is open or begins with a number."""
    return _braced(_piece(node), binds, closed=closed, numeric=numeric)


def _braced(piece: _Piece, binds: Binds, *, closed: bool = False, numeric: bool = True) -> str:
    if piece.binds < binds or (closed and piece.is_open) or (not numeric and piece.is_numeric):
        return f"{{{piece.text}}}"
    return piece.text


def _piece(node: Expression) -> _Piece:
    match node:
        case Number(text):
            return _Piece(text, Binds.FACTOR, is_numeric=True)
        case Identifier():
            return _Piece(_identifier(node), Binds.POSTFIX if node.primes else Binds.PRIMARY)
        case Accent(accent, body):
            return _Piece(f"\\{accent}{{{render_expression(body)}}}")
        case Scripts():
            return _scripts(node)
        case Indexing(base, items):
            return _Piece(f"{_indexable(base)}[{render_items(items)}]", Binds.POSTFIX)
        case Attribute(base, name, arguments):
            call = f"\\sz{{{render_items(arguments)}}}" if name == "sz" else f"\\mathrm{{{name}}}({render_items(arguments)})"
            return _Piece(f"{_indexable(base)}.{call}", Binds.POSTFIX)
        case Slice(lower, upper):
            ends = ("" if end is None else render_expression(end) for end in (lower, upper))
            return _Piece(":".join(ends), Binds.ITEM)
        case Keyword(name, value):
            return _Piece(rf"{render_expression(name)} \gets {render_expression(value)}", Binds.ITEM)
        case Dots():
            return _Piece(r"\dots", Binds.ITEM)
        case Hole():
            return _Piece(r"\cdot", Binds.ITEM)
        case Phrase(text):
            return _Piece(rf"\text{{{' ' if text[:1].isalpha() else ''}{text} }}")
        case Juxtaposition(factors):
            return _juxtaposition(factors)
        case Binary():
            return _binary(node)
        case Negative(operand):
            return _Piece(f"-{_at_least(operand, Binds.LOOSE)}", Binds.SUM)
        case Reduction():
            return _reduction(node)
        case Relation(operators, operands):
            return _relation(operators, operands)
        case Logic():
            return _logic(node)
        case _:
            return _Piece(_bracketed(node))


def _bracketed(
    node: Group | ListDisplay | SetDisplay | Comprehension | Matrix | Fraction | Root | Bars | Interval | Command | Cases,
) -> str:
    match node:
        case Group(items, square):
            return f"[{render_items(items)}]" if square else f"({render_items(items)})"
        case ListDisplay(items, named):
            return rf"\br{{{render_items(items)}}}" if named else f"[{render_items(items)}]"
        case SetDisplay(items):
            return rf"\{{{render_items(items)}\}}"
        case Comprehension(body, conditions):
            return rf"\{{{render_expression(body)} ; {render_items(conditions)}\}}"
        case Matrix(rows):
            lines = r" \\ ".join(" & ".join(render_expression(cell) for cell in row) for row in rows)
            return rf"\begin{{bmatrix}} {lines} \end{{bmatrix}}"
        case Fraction(numerator, denominator):
            return rf"\frac{{{render_expression(numerator)}}}{{{render_expression(denominator)}}}"
        case Root(radicand, degree):
            option = "" if degree is None else f"[{render_expression(degree)}]"
            return rf"\sqrt{option}{{{render_expression(radicand)}}}"
        case Bars(kind, items):
            opening, closing = _BARS[kind]
            return f"{opening} {render_items(items)} {closing}"
        case Interval(has_lower, has_upper, lower, upper):
            return f"{'[' if has_lower else '('}{render_expression(lower)}, {render_expression(upper)}{']' if has_upper else ')'}"
        case Command(name, arguments):
            return f"\\{name}" + "".join(f"{{{render_items(items)}}}" for items in arguments)
        case Cases(rows):
            lines = r" \\ ".join(_case_row(row) for row in rows)
            return rf"\begin{{cases}} {lines} \end{{cases}}"
        case _:
            assert_never(node)


def _case_row(row: CaseRow) -> str:
    condition = r"\text{otherwise}" if row.condition is None else render_expression(row.condition)
    return f"{render_expression(row.value)} & {condition}"


def _identifier(node: Identifier) -> str:
    name = f"\\{node.font}{{{node.text}}}" if node.font else node.text
    return name + "'" * node.primes


def _is_reduction_name(node: Expression) -> bool:
    return isinstance(node, Identifier) and node.text.removeprefix("\\") in NAMED_REDUCTIONS


def _scripts(node: Scripts) -> _Piece:
    base = node.base
    if isinstance(base, Number):
        text, is_numeric = base.text, True
    else:
        is_plain = not isinstance(base, Scripts) and not _is_reduction_name(base)
        text, is_numeric = _at_least(base, Binds.POSTFIX) if is_plain else f"{{{render_expression(base)}}}", False
    if node.subscripts:
        text += "_" + _script(node.subscripts)
    if node.superscript is not None:
        text += "^" + _script((node.superscript,))
    return _Piece(text, Binds.FACTOR if is_numeric else Binds.POSTFIX, is_numeric=is_numeric)


def _script(items: tuple[Expression, ...]) -> str:
    """A script, without braces where one character or one command stands in it."""
    text = ", ".join(_script_item(item) for item in items)
    match items:
        case (Identifier(name, font="", primes=0),) if len(name) == 1 or (name.startswith("\\") and name != r"\prime"):
            return text
        case (Number(digits),) if len(digits) == 1:
            return text
        case _:
            return f"{{{text}}}"


def _script_item(item: Expression) -> str:
    match item:
        case Relation((operator,), (Hole(), bound)):
            return f"{operator} {render_expression(bound)}"
        case _:
            return render_expression(item)


def _indexable(base: Expression) -> str:
    """A base before `[` or `.`: its last token has to be an operand."""
    if isinstance(base, Phrase) or takes_no_index(base):
        return f"{{{render_expression(base)}}}"
    return _at_least(base, Binds.POSTFIX)


def takes_no_index(base: Expression) -> bool:
    """Whether a bracket directly after it is a factor or an argument: a number, a fraction, a root, a function's name, with scripts."""
    match base:
        case Scripts(inner):
            return takes_no_index(inner)
        case Number() | Fraction() | Root():
            return True
        case Identifier(text, font):
            return is_function(rf"\operatorname{{{text}}}" if font == "operatorname" else text)
        case _:
            return False


def _juxtaposition(factors: tuple[Expression, ...]) -> _Piece:
    first = _piece(factors[0])
    text = _braced(first, Binds.FACTOR, closed=True)
    for before, factor in pairwise(factors):
        is_last = factor is factors[-1]
        piece = _piece(factor)
        if is_last and isinstance(factor, Reduction):
            text += f" {piece.text}"
            continue
        part = _braced(piece, Binds.FACTOR, closed=True, numeric=False)
        if part.startswith("["):
            part = f"{{{part}}}"
        is_call = part.startswith("(") and not isinstance(before, Phrase | Number)
        text += part if is_call else f" {part}"
    is_open = isinstance(factors[-1], Reduction)
    return _Piece(text, Binds.ADJOINED, is_open, first.is_numeric and text.startswith(first.text))


def _binary(node: Binary) -> _Piece:
    """A sum may have more terms than Python allows calls: its operators are taken one after the other."""
    chain = [node]
    while isinstance(left := chain[-1].left, Binary):
        chain.append(left)
    piece = _piece(left)
    for part in reversed(chain):
        piece = _power(part, piece) if part.operator == "**" else _joined(part, piece)
    return piece


def _power(node: Binary, left: _Piece) -> _Piece:
    is_base = left.binds >= Binds.POSTFIX or isinstance(node.left, Number | Scripts)
    text = f"{left.text if is_base else '{' + left.text + '}'} ** {_at_least(node.right, Binds.FACTOR)}"
    return _Piece(text, Binds.FACTOR, is_numeric=is_base and left.is_numeric)


def _joined(node: Binary, left: _Piece) -> _Piece:
    binds, right_binds = OPERATORS[node.operator]
    right = _piece(node.right)
    is_product = binds >= Binds.LOOSE
    left_text = _braced(left, binds, closed=is_product)
    if node.operator == "||" and not _ends_as_operand(left_text):
        left_text = f"{{{left_text}}}"
    right_text = _braced(right, right_binds)
    is_open = is_product and right.is_open and right_text == right.text
    return _Piece(f"{left_text} {node.operator} {right_text}", binds, is_open)


def _ends_as_operand(text: str) -> bool:
    """Whether a bar after `text` joins: after a function's name or a phrase it would open."""
    return not text.endswith((" }", *PREFIX_FUNCTIONS))


def _reduction(node: Reduction) -> _Piece:
    text = f"\\{node.operator}" if node.operator in REDUCTION_COMMANDS else rf"\operatorname*{{{node.operator}}}"
    match node.subscript:
        case None:
            pass
        case Group(items) if len(items) > 1 and not any(isinstance(item, Keyword) for item in items):
            text += "_" + _script(items)
        case subscript:
            text += "_" + _script((subscript,))
    if node.superscript is not None:
        text += "^" + _script((node.superscript,))
    if isinstance(node.body, Negative):
        body = render_expression(node.body)
    else:
        body = _at_least(node.body, Binds.LOOSE)
    return _Piece(f"{text} {body}", Binds.ADJOINED, is_open=True)


def _relation(operators: tuple[str, ...], operands: tuple[Expression, ...]) -> _Piece:
    text = _at_least(operands[0], Binds.JOIN)
    for operator, operand in zip(operators, operands[1:], strict=True):
        text += f" {operator} {_at_least(operand, Binds.JOIN)}"
    return _Piece(text, Binds.RELATION)


def _logic(node: Logic) -> _Piece:
    match node.operator:
        case "not":
            return _Piece(rf"\lnot {_at_least(node.operands[0], Binds.NEGATION)}", Binds.NEGATION)
        case "and":
            text = r" \land ".join(_at_least(operand, Binds.NEGATION) for operand in node.operands)
            return _Piece(text, Binds.CONJUNCTION)
        case "or":
            text = r" \lor ".join(_at_least(operand, Binds.CONJUNCTION) for operand in node.operands)
            return _Piece(text, Binds.DISJUNCTION)
