"""In which order a body reads and assigns a name: what makes a name local to an iteration, or carried to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.elements import Element, Reader, Scope, names_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.syntax import nodes as ast

Use: TypeAlias = Literal["read", "write"]


@dataclass(frozen=True)
class Access:
    """One read or assignment of an element."""

    use: Use
    element: Element


def reads(reader: Reader, node: ast.Expression, scope: Scope) -> list[Element]:
    """The elements that an expression reads."""
    found: list[Element] = []
    reader.rewrite(node, scope, found.append)
    return found


def accesses(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope) -> Iterator[Access]:
    """Reads and assignments in the order of the program."""
    for statement in statements:
        match statement:
            case ast.Definition(function=(_, parameters), value=value):
                body = reads(reader.of_function(parameters), value, scope)
                yield from (Access("read", e) for e in body if e.head not in names_of(parameters))
            case ast.Definition(value=value, targets=targets):
                yield from (Access("read", e) for e in reads(reader, value, scope))
                for target in targets:
                    found = reader.split(target, scope)
                    if found is not None:
                        yield from (Access("read", e) for index in found[0].places for e in reads(reader, index, scope))
                        yield Access("write", found[0])
            case ast.Return(value=value) | ast.Assertion(condition=value) | ast.Sampling(distribution=value):
                yield from (Access("read", e) for e in reads(reader, value, scope))
            case ast.For(binding=binding, body=body):
                inside = scope | set(bound_names(binding))
                yield from (Access("read", e) for e in reads(reader, binding, inside))
                yield from accesses(reader, body, inside)
            case ast.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    yield from (Access("read", e) for e in reads(reader, branch.condition, scope))
                    yield from accesses(reader, branch.body, scope)
                yield from accesses(reader, otherwise or (), scope)
            case ast.EquationGroup(body=body) | ast.While(body=body):
                yield from accesses(reader, body, scope)
            case ast.Remark():
                pass
