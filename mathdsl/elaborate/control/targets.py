r"""What the statements of a block assign: by which indices, in which loops, how often."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.control.uses import accesses
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.spelling import identifiers, unaccent
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Assigned:
    """A target below a block: the loops between the block and its statement, and the statement of the block it belongs to."""

    element: Element
    inner: tuple[Loop, ...]
    statement: ast.Statement
    guarded: tuple[Loop, ...] | None  # the loops around the branch that it stands in, beside others that leave it alone; None: no branch

    @property
    def is_conditional(self) -> bool:
        """Whether a branch may leave it alone."""
        return self.guarded is not None

    @property
    def is_found(self) -> bool:
        """Whether it is what some turn of a loop finds: `if c: m \\gets i`, as another turn may find another `m`."""
        names = {name for index in self.element.indices for name in identifiers(index)}
        return any(loop.spelling not in names for loop in self.guarded or ())


def assigned_in(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope) -> Iterator[Assigned]:
    """The targets of a block in order."""
    for statement in statements:
        for element, inner, guarded in _targets(reader, statement, scope, ()):
            yield Assigned(element, inner, statement, guarded)


def _targets(
    reader: Reader, node: ast.Statement, scope: Scope, inner: tuple[Loop, ...]
) -> Iterator[tuple[Element, tuple[Loop, ...], tuple[Loop, ...] | None]]:
    match node:
        case ast.Definition(targets=targets) if not names_a_range(node):
            for target in targets:
                found = reader.split(target, scope)
                if found is not None:
                    yield found[0], inner, None
        case ast.For(binding=binding, body=body):
            loop = read_loop(node, binding)
            for statement in body:
                yield from _targets(reader, statement, scope | {loop.spelling}, (*inner, loop))
        case ast.If(branches=branches, otherwise=otherwise):
            bodies = [branch.body for branch in branches] + ([] if otherwise is None else [otherwise])
            everywhere = [{a.element for a in accesses(reader, body, scope) if a.use == "write"} for body in bodies]
            for body in bodies:
                for statement in body:
                    for element, own, below in _targets(reader, statement, scope, inner):
                        missed = otherwise is None or any(element not in written for written in everywhere)
                        yield element, own, inner if below is None and missed else below
        case ast.EquationGroup(body=body):
            for statement in body:
                yield from _targets(reader, statement, scope, inner)
        case _:
            return


def contains_loop(statements: tuple[ast.Statement, ...]) -> bool:
    """Whether a loop stands among statements or in their branches."""
    return any(isinstance(s, ast.For) or isinstance(s, ast.If) and any(map(contains_loop, arms_of(s))) for s in statements)


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


def are_apart(a: Element, b: Element) -> bool:
    """Whether two elements of one array are never the same, whatever the index variables are."""
    pairs = [distance(a.axes[axis], b.axes[axis]) for axis in a.axes.keys() & b.axes.keys()]
    return any(step not in (None, 0) for step in pairs)
