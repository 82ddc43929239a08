"""Statements to lines: what each says in words and formulas, how deep it stands, which generated lines compute it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, assert_never

from mathdsl.render.descriptions import Descriptions
from mathdsl.render.displays import read_tag
from mathdsl.render.model import Assignment, Clause, Formula, Line, Range, Word
from mathdsl.render.programs.code import CodeIndex
from mathdsl.render.programs.ranges import make_range
from mathdsl.spans import Span
from mathdsl.syntax.nodes import (
    Assertion,
    Definition,
    EquationGroup,
    Expression,
    For,
    If,
    Remark,
    Return,
    Sampling,
    Statement,
    While,
)

Numbering = Literal["equations", "lines"]
"""Numbers for the definitions alone, which go on through the document, or for every line."""


def make_lines(
    body: Sequence[Statement], numbering: Numbering, equations: Iterator[int], code: CodeIndex, descriptions: Descriptions
) -> tuple[Line, ...]:
    """The lines of a program's body, in order; `equations` gives the numbers that go on through the document."""
    within = count(1)
    return tuple(_numbered(line, numbering, equations, within) for line in _Lines(code, descriptions).of(body, 0, ()))


def _numbered(line: Line, numbering: Numbering, equations: Iterator[int], within: Iterator[int]) -> Line:
    match line.content:
        case Clause(()):  # a remark
            return line
        case Clause():
            return replace(line, number=next(within) if numbering == "lines" else None)
        case Assignment():
            numbers = within if numbering == "lines" else equations
            return replace(line, number=None if line.tag else next(numbers))
        case _:
            assert_never(line.content)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Makes the lines of statements; `branches` are the places of the `If`s around them."""

    code: CodeIndex
    descriptions: Descriptions

    def of(self, body: Sequence[Statement], depth: int, branches: tuple[Span, ...]) -> Iterator[Line]:
        for statement in body:
            yield from self._statement(statement, depth, branches)

    def _statement(self, node: Statement, depth: int, branches: tuple[Span, ...]) -> Iterator[Line]:
        match node:
            case Definition(target, value, domains):
                content = Assignment(target, value, tuple(make_range(domain) for domain in domains))
                code = self.code.of(node, branches)
                yield Line(content, depth, None, read_tag(node.tag), node.label, self.descriptions.read(node.comment), code, node.span)
            case Sampling(target, distribution):
                yield Line(Assignment(target, distribution, relation="sim"), depth, None, span=node.span)
            case Return(value):
                yield replace(_clause(depth, node.span, "return", value), code=self.code.within(node.span))
            case Assertion(condition, None):
                yield replace(_clause(depth, node.span, "assert", condition), code=self.code.within(node.span))
            case Assertion():
                pass  # stands in the head of the program
            case Remark(text):
                yield Line(Clause(()), depth, None, comment=self.descriptions.read(text), span=node.span)
            case EquationGroup(body):
                yield from self.of(body, depth, branches)
            case For(binding, body):
                yield _clause(depth, node.span, "for", make_range(binding), "do")
                yield from self.of(body, depth + 1, branches)
                yield _clause(depth, node.span, "end for")
            case If():
                yield from self._branches(node, depth, (*branches, node.span))
            case While(condition, bound, body):
                limit: tuple[str | Expression, ...] = () if bound is None else (", at most", bound, "times")
                yield _clause(depth, node.span, "while", condition, *limit, "do")
                yield from self.of(body, depth + 1, branches)
                yield _clause(depth, node.span, "end while")
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


def _clause(depth: int, span: Span, *parts: str | Range | Formula | Expression) -> Line:
    return Line(Clause(tuple(_part(part) for part in parts)), depth, None, span=span)


def _part(part: str | Range | Formula | Expression) -> Word | Formula | Range:
    match part:
        case str():
            return Word(part)
        case Range() | Formula():
            return part
        case _:
            return Formula(part)
