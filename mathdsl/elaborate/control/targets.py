r"""What the statements of a block assign: by which indices, in which loops, how often."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Assigned:
    """A target below a block: the loops between the block and its statement, and the statement of the block it belongs to."""

    element: Element
    inner: tuple[Loop, ...]
    statement: ast.Statement


def assigned_in(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope) -> Iterator[Assigned]:
    """The targets of a block in order."""
    for statement in statements:
        for element, inner in _targets(reader, statement, scope, ()):
            yield Assigned(element, inner, statement)


def _targets(reader: Reader, node: ast.Statement, scope: Scope, inner: tuple[Loop, ...]) -> Iterator[tuple[Element, tuple[Loop, ...]]]:
    match node:
        case ast.Definition(targets=targets) if not names_a_range(node):
            for target in targets:
                found = reader.split(target, scope)
                if found is not None and found[1] is None:
                    yield found[0], inner
        case ast.For(binding=binding, body=body):
            loop = read_loop(node, binding)
            for statement in body:
                yield from _targets(reader, statement, scope | {loop.spelling}, (*inner, loop))
        case ast.If() | ast.EquationGroup():
            for statement in (statement for body in (arms_of(node) if isinstance(node, ast.If) else [node.body]) for statement in body):
                yield from _targets(reader, statement, scope, inner)
        case _:
            return


def arms_of(node: ast.If) -> list[tuple[ast.Statement, ...]]:
    """The bodies of all branches, in order; a missing otherwise is empty."""
    return [branch.body for branch in node.branches] + [node.otherwise or ()]


def names_a_range(node: ast.Definition) -> bool:
    r"""`h \algoEq \cat{h_1, \dots, h_S}`, `h^0 \algoEq \cat{h_1^0, \dots, h_S^0}`: a name for a part of a family, no assignment."""
    match node.value:
        case ast.Command(name="cat", arguments=((first, *_, ast.Dots(), last),)):
            pass
        case _:
            return False
    inner, end, outer = unaccent(first), unaccent(last), unaccent(node.target)
    if not isinstance(inner, ast.Scripts) or not isinstance(end, ast.Scripts) or len(inner.subscripts) != len(end.subscripts):
        return False
    base, items, superscript = (outer.base, outer.subscripts, outer.superscript) if isinstance(outer, ast.Scripts) else (outer, (), None)
    same = inner.superscript == end.superscript == superscript and word_of(base) == word_of(inner.base) == word_of(end.base)
    running = [k for k, (a, b) in enumerate(zip(inner.subscripts, end.subscripts, strict=True)) if a != b]
    return same and len(running) == 1 and items == inner.subscripts[: running[0]] + inner.subscripts[running[0] + 1 :]
