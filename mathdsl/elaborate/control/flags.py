r"""Names of which nothing proves that they have a value where they are read: zeros from the start, and beside them what has been assigned.

    if c: m \gets i                m \gets 0; m' \gets false
    return m                ->     if c: m \gets i; m' \gets true
                                   return m, which is there where m' holds

A read where it does not hold is a mistake at run time, as it is for a reader.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate.control.elements import Element, Reader, Scope, hiding
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

FALSE, TRUE = r"\algoFalse", r"\algoTrue"


def flag_of(element: Element) -> Element:
    """What says whether an element has been assigned."""
    name = ast.Identifier(f"{element.head.bare_text}Assigned", "mathrm", span=element.span)
    return replace(element, name=name, head=word_of(name) or element.head, of_script=True)


def written(element: Element) -> ast.Expression:
    """An element in brackets, so that no index of it is a label."""
    indices = element.indices
    return ast.Indexing(element.name, indices, of_script=True, span=element.span) if indices else element.name


def with_flags(reader: Reader, statement: ast.Statement, heads: frozenset[Name]) -> tuple[ast.Statement, ...]:
    """A statement in which these names say whether they have been assigned, and are asked where they are read."""
    return _Flagged(reader, heads).block((statement,), frozenset()) if heads else (statement,)


class _Flagged:
    def __init__(self, reader: Reader, heads: frozenset[Name]) -> None:
        self.reader, self.heads = reader, heads

    def block(self, statements: tuple[ast.Statement, ...], scope: Scope) -> tuple[ast.Statement, ...]:
        """Statements, each with what it says of the names that it assigns behind it."""
        return tuple(one for statement in statements for one in self._statement(statement, scope))

    def _statement(self, node: ast.Statement, scope: Scope) -> tuple[ast.Statement, ...]:
        match node:
            case ast.Definition(function=(_, parameters)):
                look = hiding(parameters, self._look)
                return (replace(node, value=self.reader.of_function(parameters).rewrite(node.value, scope, look)),)
            case ast.Definition(targets=targets, ranges=ranges):
                inside = scope | {name for item in ranges for name in bound_names(item)}
                found = [split[0] for target in targets if (split := self.reader.split(target, scope)) is not None]
                flags = (flag_of(element) for element in found if element.head in self.heads)
                return (
                    replace(node, value=self._read(node.value, inside)),
                    *(ast.Definition(written(flag), ast.Identifier(TRUE, span=node.span), span=node.span) for flag in flags),
                )
            case ast.For(binding=binding, body=body):
                inside = scope | set(bound_names(binding))
                return (replace(node, binding=self._read(binding, inside), body=self.block(body, inside)),)
            case ast.If(branches=branches, otherwise=otherwise):
                arms = tuple(replace(b, condition=self._read(b.condition, scope), body=self.block(b.body, scope)) for b in branches)
                return (replace(node, branches=arms, otherwise=None if otherwise is None else self.block(otherwise, scope)),)
            case ast.EquationGroup(body=body):
                return (replace(node, body=self.block(body, scope)),)
            case ast.Return(value=value):
                return (replace(node, value=self._read(value, scope)),)
            case ast.Assertion(condition=condition):
                return (replace(node, condition=self._read(condition, scope)),)
            case _:
                return (node,)

    def _read(self, node: ast.Expression, scope: Scope) -> ast.Expression:
        return self.reader.rewrite(node, scope, self._look)

    def _look(self, element: Element) -> ast.Expression | None:
        if element.head not in self.heads:
            return None
        value = element.written(Meaning(1))
        words = ast.Identifier(f"{render_expression(value)} is assigned before it is read", "text", span=element.span)
        return ast.Command("given", ((value, written(flag_of(element)), words),), span=element.span)
