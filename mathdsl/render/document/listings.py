"""Procedures and definitions to listings: lines with their words, numbers and generated code, and the tables of their symbols."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, groupby
from operator import itemgetter
from typing import assert_never

from mathdsl.backends.line_map import CodeLines
from mathdsl.dataclass import dataclass
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.render.document.displays import read_tag
from mathdsl.render.document.model import Assignment, Block, Clause, CommaList, Formula, Inlines, Line, Listing, Notation, Range, Word
from mathdsl.render.document.symbols import make_tables, name_elements
from mathdsl.spans import Span
from mathdsl.syntax.display.build import display, display_items, display_operand
from mathdsl.syntax.display.tree import Operator, Row
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.nodes import (
    Assertion,
    Declaration,
    Definition,
    Dots,
    EquationGroup,
    Expression,
    For,
    If,
    Item,
    Juxtaposition,
    Leave,
    ListDisplay,
    Procedure,
    Relation,
    Remark,
    RequirementLine,
    Return,
    Sampling,
    Statement,
    Where,
    While,
)

Read = Callable[[str], Inlines]
"""Reads what an author writes beside formulas."""

_WORDS = {False: "Require:", True: "Ensure:"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a compiled document says of its programs.

    `rows`: its symbols by module; `shared`: what its tables declare for all of them; `classes`: the classes and functions of the
    generated text with their first and last lines; `equations`: the counter that goes on through the document; `read`: the reader of
    descriptions and comments.
    """

    rows: Mapping[str, Sequence[SymbolRow]]
    shared: Sequence[Declaration]
    code: CodeIndex
    classes: tuple[tuple[str, int, int], ...]
    equations: Iterator[int]
    read: Read

    def class_lines(self, lines: Sequence[Line], name: str) -> tuple[int, int]:
        """First and last line of the class or function that computes these lines, or has the name; (0, 0) where none does."""
        code = [part.line for line in lines for part in line.code]
        computes = ((first, last) for _, first, last in self.classes if any(first <= line <= last for line in code))
        named = ((first, last) for found, first, last in self.classes if found == name)
        return next(computes, None) or next(named, (0, 0))


class CodeIndex:
    """The generated lines of a document, by where the author wrote what they compute."""

    def __init__(self, lines: Sequence[CodeLines]) -> None:
        placed = [line for line in lines if line.equation.span.file]
        self._lines = sorted(placed, key=lambda line: (line.equation.span.file, line.equation.span.start, line.start))
        self._keys = [(line.equation.span.file, line.equation.span.start) for line in self._lines]

    def of(self, definition: Definition, branches: Sequence[Span]) -> tuple[CodeLines, ...]:
        """The lines that compute a definition, from top to bottom.

        What the arms of an `If` define is computed at once, under an equation with `cases` that stands for all of the `If`: its lines
        belong to each definition of its symbol in the places `branches`.
        """
        found = list(self.within(definition.span))
        if branches:
            head = render_expression(definition.target) + r" \gets "
            for branch in branches:
                found += [line for line in self._starting(branch) if line.equation.span == branch and line.equation.text.startswith(head)]
        return tuple(sorted(found, key=lambda line: line.start))

    def within(self, span: Span) -> tuple[CodeLines, ...]:
        """The lines that compute what is written inside a span, from top to bottom."""
        found = (line for line in self._starting(span) if line.equation.span.end <= span.end)
        return tuple(sorted(found, key=lambda line: line.start))

    def _starting(self, span: Span) -> list[CodeLines]:
        """The lines of the equations that begin inside a span."""
        return self._lines[bisect_left(self._keys, (span.file, span.start)) : bisect_left(self._keys, (span.file, span.end))]


def find_classes(source: str) -> tuple[tuple[str, int, int], ...]:
    """The classes and functions of a Python text, each with its first and last line."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return tuple((node.name, node.lineno, node.end_lineno or node.lineno) for node in nodes)


def make_blocks(items: Sequence[Item], facts: Facts) -> tuple[Block, ...]:
    """The blocks of what stands in one place: a listing for each procedure and each run of definitions, a table of notation."""
    return tuple(_block(group, facts) for group in _groups(items))


def _groups(items: Sequence[Item]) -> list[list[Item]]:
    """Definitions that stand together, a function with the tables directly after it; everything else alone."""
    groups: list[list[Item]] = []
    for item in items:
        follows = bool(groups) and isinstance(groups[-1][0], Definition)
        if follows and (isinstance(item, Where) and item.directly_after or isinstance(item, Definition) and not _function_name(item)):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _block(group: Sequence[Item], facts: Facts) -> Block:
    match group[0]:
        case Procedure() as procedure:
            return _listing(procedure, facts)
        case Where(rows):
            return Notation(tuple((row, facts.read(row.description)) for row in rows))
        case Definition():
            tables = [row for item in group if isinstance(item, Where) for row in item.rows]
            return _definitions([item for item in group if isinstance(item, Definition)], tables, facts)
        case _ as never:
            assert_never(never)


def _listing(procedure: Procedure, facts: Facts) -> Listing:
    """A procedure with its tables."""
    lines = _lines(procedure.body, procedure.notation, facts)
    stated = _requirements(procedure, facts)
    owned = None if procedure.owned is None else _symbols(procedure.owned)
    tables = make_tables(facts.rows.get(procedure.name, ()), name_elements(procedure, facts.shared), facts.read)
    place = facts.class_lines(lines, procedure.name)
    return Listing(procedure.name, procedure.notation, _symbols(procedure.inputs), owned, (*stated, *lines), tables, class_lines=place)


def _definitions(definitions: Sequence[Definition], declared: Sequence[Declaration], facts: Facts) -> Listing:
    """Definitions outside of procedures; a function among them has tables of its own."""
    lines = _lines(definitions, "module", facts)
    functions = [name for definition in definitions if (name := _function_name(definition))]
    names = name_elements(Procedure("", "module", tuple(declared), None, tuple(definitions)), facts.shared)
    tables = tuple(table for name in functions for table in make_tables(facts.rows.get(name, ()), names, facts.read))
    return Listing("", "module", (), None, lines, tables, class_lines=facts.class_lines(lines, functions[0] if functions else ""))


def _function_name(definition: Definition) -> str:
    """`loss` of `loss(ŷ, y) ← …`; '' of anything else."""
    match definition.target:
        case Juxtaposition((name, _)):
            return getattr(name, "text", "").removeprefix("\\")
        case _:
            return ""


def _symbols(declarations: Sequence[Declaration]) -> tuple[Expression, ...]:
    return tuple(symbol for declaration in declarations for symbol in declaration.symbols)


# ---- lines -----------------------------------------------------------------------------------------


def _lines(body: Sequence[Statement], notation: str, facts: Facts) -> tuple[Line, ...]:
    """The lines of a program's body, in order: a module has the numbers of equations, an algorithm numbers for all its lines."""
    within = None if notation == "module" else count(1)
    return tuple(_numbered(line, facts.equations, within) for line in _Lines(facts).of(body, 0, ()))


def _numbered(line: Line, equations: Iterator[int], within: Iterator[int] | None) -> Line:
    match line.content:
        case Clause(()):  # a remark
            return line
        case Clause():
            return replace(line, number=None if within is None else next(within))
        case Assignment():
            return replace(line, number=None if line.tag else next(within or equations))
        case _:
            assert_never(line.content)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Makes the lines of statements; `branches` are the places of the `If`s around them."""

    facts: Facts

    def of(self, body: Sequence[Statement], depth: int, branches: tuple[Span, ...]) -> Iterator[Line]:
        for statement in body:
            yield from self._statement(statement, depth, branches)

    def _statement(self, node: Statement, depth: int, branches: tuple[Span, ...]) -> Iterator[Line]:
        match node:
            case Definition(target, value, domains):
                content = Assignment(target, value, tuple(make_range(domain) for domain in domains))
                code = self.facts.code.of(node, branches)
                yield Line(content, depth, None, read_tag(node.tag), node.label, self.facts.read(node.comment), code, node.span)
            case Sampling(target, distribution):
                yield Line(Assignment(target, distribution, relation="sim"), depth, None, span=node.span)
            case Return(value):
                yield replace(_clause(depth, node.span, "return", value), code=self.facts.code.within(node.span))
            case Leave(word):
                yield _clause(depth, node.span, word)
            case Assertion(condition, None):
                yield replace(_clause(depth, node.span, "assert", condition), code=self.facts.code.within(node.span))
            case Assertion():
                pass  # stands in the head of the program
            case Remark(text):
                yield Line(Clause(()), depth, None, comment=self.facts.read(text), span=node.span)
            case EquationGroup(body):
                yield from self.of(body, depth, branches)
            case For(binding, body):
                yield _clause(depth, node.span, "for", make_range(binding), "do")
                yield from self.of(body, depth + 1, branches)
                yield _clause(depth, node.span, "end for")
            case If():
                yield from self._branches(node, depth, (*branches, node.span))
            case While(condition, bound, body, until):
                limit: tuple[str | Expression, ...] = () if bound is None else (", at most", bound, "times")
                yield _clause(depth, node.span, "repeat") if until else _clause(depth, node.span, "while", condition, *limit, "do")
                yield from self.of(body, depth + 1, branches)
                yield _clause(depth, node.span, "until", condition, *limit) if until else _clause(depth, node.span, "end while")
            case _:
                assert_never(node)

    def _branches(self, node: If, depth: int, branches: tuple[Span, ...]) -> Iterator[Line]:
        for number, branch in enumerate(node.branches):
            yield _clause(depth, branch.span, "else if" if number else "if", branch.condition, "then")
            yield from self.of(branch.body, depth + 1, branches)
        if node.otherwise is not None:
            yield _clause(depth, node.span, "else")
            yield from self.of(node.otherwise, depth + 1, branches)
        yield _clause(depth, node.span, "end if")


def make_range(binding: Expression) -> Range | Formula:
    r"""`t = 1, \dots, S` without the brackets that its items have in the AST."""
    match binding:
        case Relation(("=",), (index, ListDisplay(items))) if any(isinstance(item, Dots) for item in items):
            return Range(index, items)
        case _:
            return Formula(binding)


def display_range(part: Range | Formula) -> Row:
    r"""What an index runs over: `t = 1, \dots, S`, or a formula that says it otherwise."""
    match part:
        case Range(index, run, relation):
            return Row((*display_operand(index).parts, *((Operator(relation), *display_items(run).parts) if run else ())))
        case Formula(expression):
            return display(expression)
        case _:
            assert_never(part)


def are_runs(domains: Sequence[Range | Formula]) -> bool:
    """Whether all domains are said from the first index to the last, `(t = 1, …, S)`; the others stand behind `∀`."""
    return all(isinstance(domain, Range) and domain.items and domain.relation == "=" for domain in domains)


def display_type(declaration: Declaration) -> Row:
    r"""The type of a declaration with its default, `\in \mathbb{R} = 0.1`, and its initialiser, `\sim U(a, b)`."""
    return Row(tuple(node for sign, part in declaration.parts for node in (Operator(sign), *display_operand(part).parts)))


def _clause(depth: int, span: Span, *parts: str | Range | Formula | Expression) -> Line:
    return Line(Clause(tuple(_clause_part(part) for part in parts)), depth, None, span=span)


def _clause_part(part: str | Range | Formula | Expression) -> Word | Formula | Range:
    match part:
        case str():
            return Word(part)
        case Range() | Formula():
            return part
        case _:
            return Formula(part)


# ---- requirements ----------------------------------------------------------------------------------


def _requirements(procedure: Procedure, facts: Facts) -> tuple[Line, ...]:
    """A line without a number for each, in the order of writing."""
    found = sorted(_stated_parts(procedure), key=lambda found: (found[0].span.start, 0 if found[1] is None else found[1].span.start))
    lines = groupby(found, key=itemgetter(0))
    return tuple(_requirement(line, [node for _, node in parts if node is not None], facts) for line, parts in lines)


def _stated_parts(procedure: Procedure) -> Iterator[tuple[RequirementLine, Declaration | Assertion | None]]:
    """What the lines declare and assert, which the AST has in the tables and in the body; None for words alone."""
    for where in procedure.wheres:
        if where.line is not None:
            yield from ((where.line, row) for row in where.rows or (None,))
    for node in procedure.body:
        if isinstance(node, Assertion) and node.line is not None:
            yield node.line, node


def _requirement(line: RequirementLine, parts: list[Declaration | Assertion], facts: Facts) -> Line:
    items = tuple(item for part in parts for item in _stated_items(part))
    checks = tuple(found for part in parts if isinstance(part, Assertion) for found in facts.code.within(part.span))
    content = Clause((Word(_WORDS[line.holds_after]), CommaList(items)))
    return Line(content, 0, None, comment=facts.read(line.comment), code=checks, span=line.span)


def _stated_items(part: Declaration | Assertion) -> Iterator[Word | Formula | Range]:
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
    signs = tuple(sign for sign, _ in declaration.parts)
    return Relation(signs, (symbol, *(part for _, part in declaration.parts)), span=symbol.span) if signs else symbol
