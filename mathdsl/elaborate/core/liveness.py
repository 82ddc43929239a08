"""Which names a block may read before it assigns them, and which it assigns on every path."""

from __future__ import annotations

from collections.abc import Set

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.elements import Reader, Scope, names_of
from mathdsl.elaborate.control.targets import arms_of
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.syntax import nodes as ast

NOTHING = frozenset[Name]()


@dataclass(frozen=True)
class Flow:
    """The names that a statement may read from before it, those that it surely assigns whole, and all that it assigns."""

    exposed: Set[Name] = NOTHING
    sure: Set[Name] = NOTHING
    assigned: Set[Name] = NOTHING

    def then(self, after: Flow) -> Flow:
        """The flow of two statements in order."""
        return Flow(self.exposed | (after.exposed - self.sure), self.sure | after.sure, self.assigned | after.assigned)


@dataclass(frozen=True)
class Flows:
    """The flow of each statement, found once."""

    reader: Reader
    known: dict[tuple[int, Scope], tuple[ast.Statement, Flow]] = field(default_factory=dict)

    def of_block(self, statements: tuple[ast.Statement, ...], scope: Scope) -> Flow:
        """The flow of statements in order."""
        found = Flow()
        for statement in statements:
            found = found.then(self.of(statement, scope))
        return found

    def of(self, node: ast.Statement, scope: Scope) -> Flow:
        """The flow of one statement."""
        key = id(node), scope
        if key not in self.known:
            self.known[key] = node, self._found(node, scope)
        return self.known[key][1]

    def _found(self, node: ast.Statement, scope: Scope) -> Flow:
        match node:
            case ast.Definition(function=(_, parameters), value=value):
                return Flow(self.reads(value, scope, self.reader.of_function(parameters)) - names_of(parameters))
            case ast.Definition(value=value, targets=targets, ranges=ranges):
                inside = scope | {name for item in ranges for name in bound_names(item)}
                split = (self.reader.split(target, scope) for target in targets)
                elements = [one[0] for one in split if one is not None and one[1] is None]
                indices = (item for element in elements for item in element.indices)
                parts = {element.head for element in elements if not element.is_whole and not ranges}
                read = parts.union(self.reads(value, inside), *(self.reads(item, inside) for item in indices))
                heads = {element.head for element in elements}
                return Flow(read, heads - parts, heads)
            case ast.Return(value=value) | ast.Assertion(condition=value) | ast.Sampling(distribution=value):
                return Flow(self.reads(value, scope))
            case ast.For(binding=binding, body=body):
                inside = scope | set(bound_names(binding))
                flow = self.of_block(body, inside)
                return Flow(self.reads(binding, inside) | flow.exposed, NOTHING, flow.assigned)
            case ast.If(branches=branches):
                arms = [self.of_block(arm, scope) for arm in arms_of(node)]
                read = set[Name]().union(*(self.reads(b.condition, scope) for b in branches), *(arm.exposed for arm in arms))
                sure = set.intersection(*(set(arm.sure) for arm in arms))
                return Flow(read, sure, set[Name]().union(*(arm.assigned for arm in arms)))
            case ast.EquationGroup(body=body) | ast.While(body=body):
                return self.of_block(body, scope)
            case ast.Remark() | ast.Leave():
                return Flow()

    def reads(self, node: ast.Expression, scope: Scope, reader: Reader | None = None) -> Set[Name]:
        """The names that an expression reads."""
        found = set[Name]()
        (reader or self.reader).rewrite(node, scope, lambda element: found.add(element.head))
        return found
