"""In which order a body reads and assigns a name: what makes a name local to an iteration, or carried to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mathdsl.elaborate.control.elements import Element, Reader, Scope, names_of
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.syntax import nodes as ast

Use: TypeAlias = Literal["read", "write", "perhaps"]  # perhaps: assigned in a branch, or in a loop that may be empty


@dataclass(frozen=True)
class Access:
    """One read or assignment of an element."""

    use: Use
    element: Element


def reads(reader: Reader, node: ast.Expression, scope: Scope) -> list[Element]:
    """The elements that an expression reads."""
    found: list[Element] = []

    def look(element: Element) -> None:
        found.append(element)

    reader.rewrite(node, scope, look)
    return found


def accesses(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope, surely: bool = True) -> Iterator[Access]:
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
                        yield Access("write" if surely else "perhaps", found[0])
            case ast.Return(value=value) | ast.Assertion(condition=value) | ast.Sampling(distribution=value):
                yield from (Access("read", e) for e in reads(reader, value, scope))
            case ast.For(binding=binding, body=body):
                yield from (Access("read", e) for e in reads(reader, binding, scope | set(bound_names(binding))))
                yield from accesses(reader, body, scope | set(bound_names(binding)), False)
            case ast.If():
                yield from _branches(reader, statement, scope, surely)
            case ast.EquationGroup(body=body) | ast.While(body=body):
                yield from accesses(reader, body, scope, surely)
            case ast.Remark():
                pass


def _branches(reader: Reader, node: ast.If, scope: Scope, surely: bool) -> Iterator[Access]:
    """A target that every branch assigns is assigned; one that only some assign, perhaps."""
    for branch in node.branches:
        yield from (Access("read", e) for e in reads(reader, branch.condition, scope))
    bodies = [branch.body for branch in node.branches] + ([] if node.otherwise is None else [node.otherwise])
    found = [list(accesses(reader, body, scope)) for body in bodies]
    always = [{a.element for a in body if a.use == "write"} for body in found]
    everywhere = set.intersection(*always) if node.otherwise is not None else set()
    assigned: dict[Element, None] = {}
    for body in found:
        written: set[tuple[Name, bool]] = set()
        for access in body:
            if access.use != "read":
                written.add(access.element.key)
                assigned[access.element] = None
            elif access.element.key not in written:
                yield access
    for element in assigned:
        yield Access("write" if surely and element in everywhere else "perhaps", element)


def first_use(items: Iterator[Access], head: Name, has_superscript: bool) -> Use | None:
    """How a name is used first; a whole read touches its elements too."""
    for access in items:
        element = access.element
        if element.head == head and (element.is_whole or (element.superscript is not None) == has_superscript):
            return access.use
    return None
