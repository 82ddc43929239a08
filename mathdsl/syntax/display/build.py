r"""Expressions of the AST to the display tree: the one place that decides where an expression needs brackets.

a * {b + c}   →   Name("a"), Operator("*"), Grouped(b + c)

Braces leave no node in the AST, so the canonical form has them wherever binding asks for them, and readers see parentheses there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, assert_never

from mathdsl.dataclass import dataclass
from mathdsl.syntax.commands import NAMED_REDUCTIONS, PREFIX_FUNCTIONS, REDUCTION_COMMANDS, is_function
from mathdsl.syntax.display.tree import (
    Applied,
    Braced,
    Fence,
    Gap,
    Grouped,
    Macro,
    Name,
    Node,
    Numeral,
    Omitted,
    Operator,
    Power,
    Row,
    Script,
    Scripted,
    Sign,
    Table,
    TableRow,
    Words,
)
from mathdsl.syntax.nodes import (
    SET_OPERATORS,
    Accent,
    Attribute,
    Bars,
    Binary,
    Cases,
    Command,
    Comprehension,
    Dots,
    Expression,
    Factorial,
    Fraction,
    Given,
    Group,
    Hole,
    Identifier,
    Indexing,
    Interval,
    Juxtaposition,
    Keyword,
    Label,
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
from mathdsl.syntax.pairs import BAR_SIGNS
from mathdsl.syntax.traversal import shifted


class Binds(IntEnum):
    """How tightly a piece holds together, from loose to tight, so that it groups as the grammar does; the names are those of its rules."""

    ITEM = 0
    DISJUNCTION = 1
    CONJUNCTION = 2
    NEGATION = 3
    RELATION = 4
    JOIN = 5
    SUM = 6
    LOOSE = 7
    TIGHT = 8
    ADJOINED = 9
    FACTOR = 10
    POSTFIX = 11
    PRIMARY = 12


_OPERATORS: Mapping[str, tuple[Binds, Binds]] = MappingProxyType(
    {
        "||": (Binds.JOIN, Binds.SUM),
        "+": (Binds.SUM, Binds.LOOSE),
        "-": (Binds.SUM, Binds.LOOSE),
        "@": (Binds.TIGHT, Binds.ADJOINED),
        r"\cdot": (Binds.TIGHT, Binds.ADJOINED),
        **dict.fromkeys((r"\odot", "*", r"\circ", "/", r"\times", r"\otimes", r"\bmod", *SET_OPERATORS), (Binds.LOOSE, Binds.TIGHT)),
        "**": (Binds.FACTOR, Binds.FACTOR),
    }
)
"""How tightly an operator binds, and how tightly its right operand has to."""

_UNBROKEN = frozenset({"**", "/"})
_LOGIC = {"and": (r"\land", Binds.CONJUNCTION), "or": (r"\lor", Binds.DISJUNCTION)}


@dataclass(frozen=True, slots=True)
class _Piece:
    """Nodes of an expression, and what its neighbours have to know of it.

    `is_open`: it ends in a reduction, whose body would swallow what follows; `begins`: `0` for a numeral, or a bracket, that stands
    first; `opens_bars`: its last token is a function's name or a phrase, after which a bar opens.
    """

    nodes: tuple[Node, ...]
    binds: Binds = Binds.PRIMARY
    is_open: bool = False
    begins: str = ""
    opens_bars: bool = False


def display(node: Expression) -> Row:
    """An expression."""
    return Row(_piece(node).nodes)


def display_items(nodes: Iterable[Expression]) -> Row:
    """A comma list; nothing where there are no nodes."""
    return Row(_items(nodes))


def display_operand(node: Expression) -> Row:
    """An operand of a relation, as in a declaration."""
    return Row(_at_least(_piece(node), Binds.JOIN).nodes)


def display_parts(node: Expression) -> tuple[Row, ...]:
    """An expression in rows, between which a line may end: before the signs of its sums, of the products in them, and of conditions."""
    rows: list[list[Node]] = [[]]
    for part in _breaking(node).nodes:
        if isinstance(part, Operator) and part.breaks:
            rows.append([])
        rows[-1].append(part)
    return tuple(Row(tuple(row)) for row in rows)


def _breaking(node: Expression) -> _Piece:
    """With signs before which a line may end."""
    match node:
        case Binary():
            return _binary(node, breaks=True)
        case Logic("and" | "or"):
            return _logic(node, breaks=True)
        case _:
            return _piece(node)


def _items(nodes: Iterable[Expression]) -> tuple[Node, ...]:
    listed: list[Node] = []
    for node in nodes:
        listed += (Operator(","), *_piece(node).nodes) if listed else _piece(node).nodes
    return tuple(listed)


def _at_least(piece: _Piece, binds: Binds, *, closed: bool = False) -> _Piece:
    """In brackets where it binds too loosely, or is open."""
    if piece.binds < binds or (closed and piece.is_open):
        return _Piece((Grouped(Row(piece.nodes)),))
    match piece.nodes:
        case (Numeral(text),) if binds > (Binds.TIGHT if _is_scaled(text) else Binds.FACTOR):
            return replace(piece, nodes=(Numeral(text, in_brackets=True),))
        case _:
            return piece


def _braced(piece: _Piece, needed_by: Literal["TeX", "grammar"]) -> _Piece:
    return _Piece((Grouped(Row(piece.nodes), needed_by),))


def _is_scaled(numeral: str) -> bool:
    """Whether a number is a product with a power of ten, `2e-3`."""
    digits, mark, _ = numeral.lower().partition("e")
    return bool(mark) and digits != "1"


def _raised(numeral: str) -> _Piece:
    """A number with a script: a power of ten has one already."""
    return _Piece((Numeral(numeral, in_brackets="e" in numeral.lower()),), Binds.FACTOR, begins="0")


def _piece(node: Expression) -> _Piece:
    match node:
        case Number(text):
            return _Piece((Numeral(text),), Binds.FACTOR, begins="0")
        case Identifier(primes=0):
            return _Piece((_name(node),), opens_bars=node.text in PREFIX_FUNCTIONS)
        case Identifier():
            return _Piece((Scripted(_name(node), _primes(node)),), Binds.POSTFIX)
        case Accent(label=Label() | Given()):
            return _scripts(Scripts(node))
        case Accent(version=version, body=body) if version:
            return _piece(body)  # a second value of a name is written as the first
        case Accent(accent, body):
            return _Piece((_applied(accent, body),))
        case Scripts():
            return _scripts(node)
        case Juxtaposition(factors):
            return _juxtaposition(factors)
        case Binary():
            return _binary(node)
        case Negative(operand):
            inner = _at_least(_piece(operand), Binds.LOOSE)
            return _Piece((Operator("-", is_prefix=True), *inner.nodes), Binds.SUM, opens_bars=inner.opens_bars)
        case Factorial(operand):
            inner = _piece(operand) if isinstance(operand, Number) else _at_least(_piece(operand), Binds.POSTFIX)
            return _Piece((*inner.nodes, Sign("!")), Binds.FACTOR, begins=inner.begins)
        case Reduction():
            return _reduction(node)
        case Relation(operators, operands):
            return _relation(operators, operands)
        case Logic():
            return _logic(node)
        case Dots():
            return _Piece((Sign(r"\dots"),), Binds.ITEM)
        case Hole():
            return _Piece((Sign(r"\cdot"),), Binds.ITEM)
        case Phrase(text):
            return _Piece((Words("", text),), opens_bars=True)
        case Indexing(items=(*_, index), of_set=whole) if whole is not None:
            return _relation((r"\in",), (index, whole))
        case Indexing() | Attribute() | Slice() | Keyword():
            return _selected(node)
        case _:
            return _bracketed(node)


def _row(node: Expression) -> Braced:
    return Braced(Row(_piece(node).nodes))


def _applied(command: str, *arguments: Expression, option: Expression | None = None) -> Applied:
    return Applied(f"\\{command}", tuple(map(_row, arguments)), None if option is None else _row(option))


def _fence(opening: str, items: tuple[Node, ...], closing: str) -> _Piece:
    return _Piece((Fence(opening, Row(items), closing),), begins=opening)


def _bracketed(
    node: Group | ListDisplay | SetDisplay | Comprehension | Matrix | Fraction | Root | Bars | Interval | Command | Cases,
) -> _Piece:
    match node:
        case Group(items, square):
            return _fence("[" if square else "(", _items(items), "]" if square else ")")
        case ListDisplay(items, named):
            return _Piece((Macro("br", (display_items(items),)),)) if named else _fence("[", _items(items), "]")
        case SetDisplay(items):
            return _fence(r"\{", _items(items), r"\}")
        case Comprehension(body, conditions):
            return _fence(r"\{", (*_piece(body).nodes, Operator(";"), *_items(conditions)), r"\}")
        case Bars(kind, items):
            opening, closing = BAR_SIGNS[kind]
            return _fence(opening, _items(items), closing)
        case Interval(has_lower, has_upper, lower, upper):
            return _fence("[" if has_lower else "(", _items((lower, upper)), "]" if has_upper else ")")
        case Matrix(rows):
            return _Piece((Table("bmatrix", "", tuple(TableRow(tuple(map(display, cells))) for cells in rows)),))
        case Cases(rows):
            cells = tuple(
                TableRow((display(row.value), Row((Words(r"\text", "otherwise"),)) if row.condition is None else display(row.condition)))
                for row in rows
            )
            return _Piece((Table("cases", "", cells),))
        case Fraction(numerator, denominator):
            return _Piece((_applied("frac", numerator, denominator),))
        case Root(radicand, degree):
            return _Piece((_applied("sqrt", radicand, option=degree),))
        case Command(name, arguments):
            return _Piece((Macro(name, tuple(map(display_items, arguments))),))
        case _:
            assert_never(node)


# ---- names, scripts, indices -------------------------------------------------------------------


def _name(node: Identifier) -> Name:
    return Name(node.text, node.font)


def _primes(node: Identifier) -> tuple[Script, ...]:
    return (Script("'", None),) * node.primes


def _scripts(node: Scripts) -> _Piece:
    base = node.base
    primes: tuple[Script, ...] = ()
    items = node.subscripts[: len(node.subscripts) - node.raised]
    raised = (*node.subscripts[len(items) :], *(() if node.superscript is None else (node.superscript,)))
    while isinstance(base, Accent) and (base.version or base.label is not None):
        match base.label:
            case Label(words, bracket):
                raised = (*((Group(words, bracket == "["),) if bracket else words), *raised)
            case Given() as given:
                items = _with_given(items, given)
            case None:
                pass
        base = base.body
    match base:
        case Number(text):
            inner = _raised(text)
        case Identifier() if base.text.removeprefix("\\") not in NAMED_REDUCTIONS:
            inner, primes = _Piece((_name(base),)), _primes(base)
        case Identifier():
            inner = _braced(_piece(base), "grammar")
        case Scripts():
            inner = _braced(_piece(base), "TeX")
        case _:
            inner = _at_least(_piece(base), Binds.POSTFIX)
    below = (_script("_", _in_a_row(items) if node.side_by_side else items),) if items else ()
    above = (_script("^", raised),) if raised else ()
    return _scripted(inner, (*primes, *below, *above), begins=inner.begins, binds=Binds.FACTOR if inner.begins == "0" else Binds.POSTFIX)


def _with_given(items: tuple[Expression, ...], given: Given) -> tuple[Expression, ...]:
    r"""The last index with what stands behind the bar: `t` as `t \mid t - 1`."""
    *before, index = items or (Hole(),)
    if given.distance is None and given.fixed is None:
        before, index, bound = before[:-1], before[-1] if before else Hole(), index
    else:
        bound = shifted(index, -given.distance) if given.fixed is None and given.distance is not None else given.fixed or index
    return (*before, Relation((r"\mid",), (index, bound)))


def _in_a_row(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """Indices as one item, without commas: letters as a word, `ij`, and else as factors."""
    letters = "".join(item.text for item in items if item == Identifier(getattr(item, "text", "")))
    return (Identifier(letters),) if len(letters) == len(items) else (Juxtaposition(items),)


def _scripted(base: _Piece, scripts: tuple[Script, ...], *, begins: str = "", binds: Binds) -> _Piece:
    """Scripts of the last node of a piece."""
    if not scripts:
        return replace(base, binds=binds)
    nucleus = base.nodes[0] if len(base.nodes) == 1 else Braced(Row(base.nodes), has_braces=False)
    return _Piece((Scripted(nucleus, scripts),), binds, begins=begins, opens_bars=_ends_in_function(scripts[-1]))


def _ends_in_function(script: Script) -> bool:
    match script.body:
        case Braced(Row((Name(text),)), has_braces=False):
            return text in PREFIX_FUNCTIONS
        case _:
            return False


def _script(mark: str, items: Sequence[Expression]) -> Script:
    """A script, without braces where one character or one command stands in it."""
    listed: list[Node] = []
    for item in items:
        listed += (Operator(","), *_script_item(item)) if listed else _script_item(item)
    match items:
        case (Identifier(name, font="", primes=0),) if len(name) == 1 or (name.startswith("\\") and name != r"\prime"):
            has_braces = False
        case (Number(digits),) if len(digits) == 1:
            has_braces = False
        case _:
            has_braces = True
    return Script(mark, Braced(Row(tuple(listed)), has_braces))


def _script_item(item: Expression) -> tuple[Node, ...]:
    match item:
        case Relation((operator,), (Hole(), bound)):
            return (Operator(operator, is_prefix=True), Gap(), *_piece(bound).nodes)
        case _:
            return _piece(item).nodes


def _selected(node: Indexing | Attribute | Slice | Keyword) -> _Piece:
    match node:
        case Indexing(base, items):
            inner = _indexable(base)
            return _Piece((*inner.nodes, Fence("[", display_items(items), "]")), Binds.POSTFIX, begins=inner.begins)
        case Attribute(base, name, arguments):
            inner, given = _indexable(base), display_items(arguments)
            call: tuple[Node, ...] = (Macro("sz", (given,)),) if name == "sz" else (Name(name, "mathrm"), Fence("(", given, ")"))
            return _Piece((*inner.nodes, Operator("."), *call), Binds.POSTFIX, begins=inner.begins)
        case Slice(lower, upper):
            ends = [() if end is None else _piece(end).nodes for end in (lower, upper)]
            return _Piece((*ends[0], Operator(":"), *ends[1]), Binds.ITEM)
        case Keyword(name, value):
            return _Piece((*_piece(name).nodes, Operator(r"\gets"), *_piece(value).nodes), Binds.ITEM)
        case _:
            assert_never(node)


def _indexable(base: Expression) -> _Piece:
    """A base before `[` or `.`: its last token has to be an operand."""
    written = _piece(base)
    if written.binds >= Binds.POSTFIX and _takes_no_index(base):
        return _braced(written, "grammar" if isinstance(base, Phrase) else "TeX")
    return _at_least(written, Binds.POSTFIX)


def _takes_no_index(base: Expression) -> bool:
    """Whether a bracket directly after it is a factor or an argument: words, a fraction, a root, a function's name, with scripts."""
    match base:
        case Scripts(inner):
            return not isinstance(inner, Phrase) and _takes_no_index(inner)
        case Phrase() | Fraction() | Root():
            return True
        case Identifier(text, font):
            return is_function(rf"\operatorname{{{text}}}" if font == "operatorname" else text)
        case _:
            return False


# ---- operators ---------------------------------------------------------------------------------


def _juxtaposition(factors: tuple[Expression, ...]) -> _Piece:
    first = last = _at_least(_piece(factors[0]), Binds.FACTOR, closed=True)
    nodes = list(first.nodes)
    for before, factor in pairwise(factors):
        last, gap = _piece(factor), _gap(before, factor)
        if isinstance(factor, Dots):
            nodes += (gap, Sign(r"\cdots"))
            continue
        if factor is factors[-1] and isinstance(factor, Reduction):
            nodes += (gap, *last.nodes)
            continue
        last = _at_least(last, Binds.FACTOR, closed=True)
        if last.begins in ("0", "["):
            last = _braced(last, "grammar")
        is_call = last.begins == "(" and not isinstance(before, Phrase | Number)
        nodes += last.nodes if is_call else (gap, *last.nodes)
    return _Piece(tuple(nodes), Binds.ADJOINED, isinstance(factors[-1], Reduction), first.begins, last.opens_bars)


def _gap(before: Expression, factor: Expression) -> Gap | Omitted:
    """Room around words, and before what would be taken for a part of the factor before it: digits for its digits, a list for its index."""
    match factor:
        case Phrase(text):
            return Gap("\\ ") if text[:1].isalpha() else Omitted(" ")
        case _ if isinstance(before, Phrase):
            return Gap("\\ ")
        case Number() | Scripts(Number()) | Binary("**"):
            return Gap(r"\,")
        case ListDisplay() | Interval(True) | Group(square=True):
            return Gap(r"\,")
        case Group():
            return Omitted(" ")
        case _:
            return Gap()


def _binary(node: Binary, *, breaks: bool = False) -> _Piece:
    """A sum may have more terms than Python allows calls: its operators are taken one after the other.

    `breaks`: a line may end before those that follow the last quotient or power.
    """
    chain = [node]
    while isinstance(left := chain[-1].left, Binary):
        chain.append(left)
    whole = _piece(left)
    nodes = list(whole.nodes)
    kept = next((at for at, part in enumerate(chain) if part.operator in _UNBROKEN), len(chain)) if breaks else 0
    for at, part in reversed(tuple(enumerate(chain))):
        if part.operator == "**":
            whole = _power(part, replace(whole, nodes=tuple(nodes)))
            nodes = list(whole.nodes)
            continue
        binds, right_binds = _OPERATORS[part.operator]
        is_product = binds >= Binds.LOOSE
        if len(nodes) == 1 or whole.binds < binds or (is_product and whole.is_open):
            whole = _at_least(replace(whole, nodes=tuple(nodes)), binds, closed=is_product)
            nodes = list(whole.nodes)
        if part.operator == "||" and whole.opens_bars:
            nodes = [Grouped(Row(tuple(nodes)), "grammar")]
        written = _breaking(part.right) if at < kept else _piece(part.right)
        is_signed = part.operator == "||" and isinstance(written.nodes[0], Operator)  # `a || b || -c` is `-c` beside a norm
        right = written if isinstance(part.right, Dots) else _at_least(written, Binds.LOOSE if is_signed else right_binds)
        nodes += (Operator(part.operator, breaks=at < kept), *right.nodes)
        whole = _Piece((), binds, is_product and right.is_open and right is written, opens_bars=right.opens_bars)
    return replace(whole, nodes=tuple(nodes))


def _power(node: Binary, left: _Piece) -> _Piece:
    match node.left:
        case Number(text):
            base = _raised(text)
        case Scripts():
            base = left
        case _:
            base = _at_least(left, Binds.POSTFIX)
    exponent = _at_least(_piece(node.right), Binds.FACTOR)
    return _Piece((Power(Row(base.nodes), Row(exponent.nodes)),), Binds.FACTOR, begins=base.begins)


def _reduction(node: Reduction) -> _Piece:
    operator = node.operator
    head: Node = Sign(f"\\{operator}") if operator in REDUCTION_COMMANDS else Name(operator, "operatorname*")
    scripts: tuple[Script, ...] = ()
    match node.subscript:
        case None:
            pass
        case Group(items) if len(items) > 1 and not any(isinstance(item, Keyword) for item in items):
            scripts = (_script("_", items),)
        case subscript:
            scripts = (_script("_", (subscript,)),)
    if node.superscript is not None:
        scripts += (_script("^", (node.superscript,)),)
    written = _piece(node.body)
    body = written if isinstance(node.body, Negative) else _at_least(written, Binds.LOOSE)
    nodes = (Scripted(head, scripts) if scripts else head, Gap(), *body.nodes)
    return _Piece(nodes, Binds.ADJOINED, is_open=True, opens_bars=body.opens_bars)


def _relation(operators: tuple[str, ...], operands: tuple[Expression, ...]) -> _Piece:
    """A chain; the hole of a one-sided condition stays empty."""
    nodes: list[Node] = []
    for operator, operand in zip(("", *operators), operands, strict=True):
        if isinstance(operand, Hole) and not operator:
            nodes.append(Omitted(r"{\cdot} "))
            continue
        written = _at_least(_piece(operand), Binds.JOIN)
        match nodes:
            case []:
                nodes += written.nodes
            case [Omitted()]:
                nodes += (Operator(operator, is_prefix=True), Gap(), *written.nodes)
            case _:
                nodes += (Operator(operator), *written.nodes)
    return _Piece(tuple(nodes), Binds.RELATION, opens_bars=written.opens_bars)


def _logic(node: Logic, *, breaks: bool = False) -> _Piece:
    if node.operator == "not":
        inner = _at_least(_piece(node.operands[0]), Binds.NEGATION)
        return _Piece((Operator(r"\lnot", is_prefix=True), Gap(), *inner.nodes), Binds.NEGATION, opens_bars=inner.opens_bars)
    command, binds = _LOGIC[node.operator]
    nodes: list[Node] = []
    for operand in node.operands:
        inner = _at_least(_piece(operand), Binds(binds + 1))
        nodes += (Operator(command, breaks=breaks), *inner.nodes) if nodes else inner.nodes
    return _Piece(tuple(nodes), binds, opens_bars=inner.opens_bars)
