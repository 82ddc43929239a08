"""In which order a body reads and assigns a name: what makes a name local to an iteration, or carried to the next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.elements import Element, Key, Reader, Scope, names_of
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in

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
                        yield Access("write", found[0])
            case ast.Return(value=value) | ast.Assertion(condition=value) | ast.Sampling(distribution=value):
                yield from (Access("read", e) for e in reads(reader, value, scope))
            case ast.For(binding=binding, body=body):
                yield from (Access("read", e) for e in reads(reader, binding, scope | set(bound_names(binding))))
                yield from _turns(accesses(reader, body, scope | set(bound_names(binding))))
            case ast.If():
                yield from _branches(reader, statement, scope)
            case ast.EquationGroup(body=body) | ast.While(body=body):
                yield from accesses(reader, body, scope)
            case ast.Remark():
                pass


def _turns(body: Iterator[Access]) -> Iterator[Access]:
    """The accesses of a loop: what a turn assigns is perhaps assigned, and what it reads of that is its own."""
    surely = set[Key]()
    for access in body:
        if access.use == "write" and access.element.is_whole:
            surely.add(access.element.key)
        if access.use == "write":
            yield Access("perhaps", access.element)
        elif access.use == "perhaps" or access.element.key not in surely:
            yield access


def _branches(reader: Reader, node: ast.If, scope: Scope) -> Iterator[Access]:
    """A target that every branch assigns is assigned; one that only some assign, perhaps."""
    for branch in node.branches:
        yield from (Access("read", e) for e in reads(reader, branch.condition, scope))
    bodies = [branch.body for branch in node.branches] + ([] if node.otherwise is None else [node.otherwise])
    found = [list(accesses(reader, body, scope)) for body in bodies]
    always = [{a.element for a in body if a.use == "write"} for body in found]
    everywhere = set.intersection(*always) if node.otherwise is not None else set()
    assigned, after = dict[Element, None](), list[Access]()
    for body in found:
        surely, perhaps = set[Key](), set[Key]()
        for access in body:
            key = access.element.key
            if access.use != "read":
                (perhaps if access.use == "perhaps" and access.element.is_whole else surely).add(key)
                assigned[access.element] = None
            elif key in perhaps - surely:
                after.append(access)
            elif key not in surely:
                yield access
    for access in after:  # which a loop without turns, or a branch, leaves to what was before
        yield Access("perhaps", access.element)
        yield access
    for element in assigned:
        yield Access("write" if element in everywhere else "perhaps", element)


def first_use(items: Iterator[Access], head: Name, has_superscript: bool) -> Use | None:
    """How a name is used first; a whole read touches its elements too."""
    return next((access.use for access in _of_name(items, head, has_superscript)), None)


def may_read(items: Iterator[Access], head: Name, has_superscript: bool) -> bool | None:
    r"""Whether the value that a name has before may be read, on some path; None where nothing reads or surely assigns the name.

    `if c: u \gets 1`, then `y \gets u`: yes. `u_1 \gets 1`: yes, the other elements stay. `if c: u \gets 1; y \gets u`: None.
    """
    for access in _of_name(items, head, has_superscript):
        if access.use == "read" or not access.element.is_whole:
            return True
        if access.use == "write":
            return False
    return None


def is_surely_read_first(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope, head: Name) -> bool | None:
    """Whether a name is read whatever branches are taken, before any statement may assign it; None where nothing does either."""
    for statement in statements:
        match statement:
            case ast.For(binding=binding, body=body):
                inside = scope | set(bound_names(binding))
                match body:
                    case (ast.If(branches=(only,), otherwise=None, span=span),) if span == statement.span:
                        body = only.body  # of a range that another index moves
                alone = _reads_name(reader, binding, inside, head) or is_surely_read_first(reader, body, inside, head)
            case ast.If(branches=(first, *_)) if not _reads_name(reader, first.condition, scope, head):
                own = (access for access in accesses(reader, (statement,), scope) if access.element.head == head)
                alone = None if all(access.use == "read" for access in own) else False
            case _:
                own = (access for access in accesses(reader, (statement,), scope) if access.element.head == head)
                alone = next((access.use == "read" for access in own), None)
        if alone is not None:
            return alone
    return None


def is_made_of_others(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope, head: Name) -> bool:
    r"""Whether some statement gives a name a value of others alone: `m \gets x_i`, but not `c \gets c + 1`."""
    definitions = (node for node in statements_in(statements) if isinstance(node, ast.Definition))
    own = [node for node in definitions if any((s := reader.split(t, scope)) and s[0].head == head for t in node.targets)]
    return any(not _reads_name(reader, node.value, scope, head) for node in own)


def _reads_name(reader: Reader, node: ast.Expression, scope: Scope, head: Name) -> bool | None:
    return any(element.head == head for element in reads(reader, node, scope)) or None


def _of_name(items: Iterator[Access], head: Name, has_superscript: bool) -> Iterator[Access]:
    for access in items:
        element = access.element
        if element.head == head and (element.is_whole or (element.superscript is not None) == has_superscript):
            yield access
