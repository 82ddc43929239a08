r"""`\Require` and `\Ensure` to lines: what a program says of its inputs and results before its first step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from mathdsl.render.descriptions import Descriptions
from mathdsl.render.model import Clause, CommaList, Formula, Line, Range, Word
from mathdsl.render.programs.code import CodeIndex
from mathdsl.render.programs.ranges import make_range
from mathdsl.syntax.nodes import Assertion, Declaration, Expression, Procedure, Relation, RequirementLine

_WORDS = {False: "Require:", True: "Ensure:"}


def make_requirements(procedure: Procedure, code: CodeIndex, descriptions: Descriptions) -> tuple[Line, ...]:
    """A line without a number for each, in the order of writing."""
    found = sorted(_parts(procedure), key=lambda found: (found[0].span.start, 0 if found[1] is None else found[1].span.start))
    lines = groupby(found, key=itemgetter(0))
    return tuple(_line(line, [node for _, node in parts if node is not None], code, descriptions) for line, parts in lines)


def _parts(procedure: Procedure) -> Iterator[tuple[RequirementLine, Declaration | Assertion | None]]:
    """What the lines declare and assert, which the AST has in the tables and in the body; None for words alone."""
    for where in procedure.wheres:
        if where.line is not None:
            yield from ((where.line, row) for row in where.rows or (None,))
    for node in procedure.body:
        if isinstance(node, Assertion) and node.line is not None:
            yield node.line, node


def _line(line: RequirementLine, parts: list[Declaration | Assertion], code: CodeIndex, descriptions: Descriptions) -> Line:
    items = tuple(item for part in parts for item in _items(part))
    checks = tuple(found for part in parts if isinstance(part, Assertion) for found in code.within(part.span))
    content = Clause((Word(_WORDS[line.holds_after]), CommaList(items)))
    return Line(content, 0, None, comment=descriptions.read(line.comment), code=checks, span=line.span)


def _items(part: Declaration | Assertion) -> Iterator[Word | Formula | Range]:
    match part:
        case Assertion(condition):
            yield Formula(condition)
        case Declaration(relation=relation) if relation is not None:
            yield Formula(relation)
        case Declaration():
            *others, last = part.symbols
            yield from (Formula(symbol) for symbol in others)
            yield Formula(_stated(last, part))
            yield from (Word(flag) for flag in part.written_flags)
            yield from (make_range(one) for one in part.ranges)


def _stated(symbol: Expression, declaration: Declaration) -> Expression:
    r"""`symbol \in type = default \sim initialiser`, as much of it as there is."""
    marks = ((r"\in", declaration.type), ("=", declaration.default), (r"\sim", declaration.initialiser))
    said = [(mark, part) for mark, part in marks if part is not None]
    operators = tuple(mark for mark, _ in said)
    return Relation(operators, (symbol, *(part for _, part in said)), span=symbol.span) if said else symbol
