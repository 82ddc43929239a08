"""Statements in order to the core, in one walk: an assignment makes a version, branches and loops join the versions that reach them.

After Braun et al., "Simple and efficient construction of static single assignment form", 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.names import ELEMENT_OR_SYMBOL
from mathdsl.elaborate.control.elements import Element, Reader, Scope, hiding
from mathdsl.elaborate.control.loops import Loop, read_loop
from mathdsl.elaborate.control.targets import names_a_range
from mathdsl.elaborate.core.along import check_along
from mathdsl.elaborate.core.extents import Ends
from mathdsl.elaborate.core.liveness import Flows
from mathdsl.elaborate.core.nodes import (
    Empty,
    Entry,
    Fill,
    For,
    If,
    Phi,
    Plain,
    Statement,
    Stored,
    Unpack,
    Value,
    Var,
    author_name,
    is_number,
)
from mathdsl.elaborate.core.nodes import Set as Assign
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers
from mathdsl.elaborate.names.versions import FALSE, TRUE
from mathdsl.elaborate.report import refuse, undecided, unsupported, unsupported_statement
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import statements_in

_COUNTS = "the loop that it counts"
_Env: TypeAlias = dict[Name, Var]
_Out: TypeAlias = list[Statement]


@dataclass(frozen=True)
class Start:
    """What a name is before the first statement that assigns it: nothing, the elements of a box, and a flag that says it has a value."""

    box: tuple[Ends, ...] | None
    value: ast.Expression | None
    flag: Element | None = None

    def flag_of(self, element: Element) -> Element:
        """The flag of an element: that of the part of it which the box tells apart."""
        assert self.flag is not None
        return replace(element, name=self.flag.name, head=self.flag.head, subscripts=element.subscripts[: len(self.box or ())])


@dataclass(frozen=True)
class Program:
    """What the walk knows of the whole procedure: what is given, what statements assign, and the arrays that stay families."""

    reader: Reader
    given: Set[Name]
    assigned: Set[Name]
    families: Set[Name]
    starts: Mapping[Name, Start]
    flows: Flows
    names: Mapping[Name, ast.Expression]
    boxes: Mapping[Name, tuple[Ends, ...]]
    uses: dict[Var, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """The loops around a statement, and whether it stands in a branch."""

    loops: tuple[Loop, ...] = ()
    in_branch: bool = False

    @property
    def scope(self) -> Scope:
        return frozenset(loop.spelling for loop in self.loops)


def build(program: Program, body: tuple[ast.Statement, ...]) -> tuple[Statement, ...]:
    """The core of a procedure; raises a `MathdslError` at a read of what has no value."""
    for node in statements_in(body):
        if isinstance(node, ast.While | ast.Sampling | ast.Leave):
            raise unsupported_statement(node)
    return _Build(program).block(body, {}, Place(), frozenset())


def read_before(read: str, span: Span, stored: Span) -> MathdslError:
    """The mistake of a read that no assignment can come before."""
    labels = (Label(stored, "it is assigned here"),)
    advice = "assign it first: statements are executed in their order, so are the turns of loops, which may count down"
    return refuse("E0510", f"`{read}` is read before it is assigned", span, labels=labels, help=advice)


def no_array(node: ast.Expression) -> MathdslError:
    r"""The mistake of an element, `x_{k+1}`, at an index that no loop counts, where nothing says what else is in its array."""
    array, items = readable(word_of(base_of(node)) or NO_NAME), node.subscripts if isinstance(node, ast.Scripts) else ()
    written = f"{array}[{', '.join(map(render_expression, items))}]"
    help = rf"begin with `{array} \gets \mathbf{{0}}_n` for an array, and write `{written}`; what turns hand on is a name without an index"
    return unsupported(f"an element at a computed index, `{render_expression(node)}`, of what is no array yet,", node.span, help=help)


def check_is_no_element(reader: Reader, element: Element, assigned: Set[Name]) -> None:
    r"""Refuse a name that may be an element: `A_{pj}` of an array `A` in a loop over `j`."""
    array, items = element.head.word, [letter for label in element.head.labels for letter in label.letters]
    indexing = assigned | reader.sizes | reader.counters | reader.families.index_names
    is_array = array in reader.standing | reader.declared
    if is_array and len(items) > len(element.head.labels) and all(item in indexing or item.is_number for item in items):
        indices = ", ".join(map(readable, items))
        raise undecided(ELEMENT_OR_SYMBOL, element.span, symbol=readable(element.head), array=readable(array), indices=indices)


class _Build:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.reader, self.flows, self.uses = program.reader, program.flows, program.uses
        self.ended: dict[Name, Loop] = {}

    def block(self, statements: tuple[ast.Statement, ...], env: _Env, place: Place, after: Set[Name]) -> tuple[Statement, ...]:
        """The statements in order; `env` is changed to what names mean behind them, `after` is read there."""
        live = [after]
        for statement in reversed(statements):
            flow = self.flows.of(statement, place.scope)
            live.append((live[-1] - flow.sure) | flow.exposed)
        found: list[Statement] = []
        for statement, later in zip(statements, live[-2::-1], strict=True):
            self._begin(statement, env, place, found)
            self._statement(statement, env, place, later, found)
        return tuple(found)

    def _begin(self, node: ast.Statement, env: _Env, place: Place, out: _Out) -> None:
        """Give names that need a start one, before the first statement outside of loops that assigns them."""
        if place != Place():
            return
        for head in sorted(self.flows.of(node, place.scope).assigned & self.program.starts.keys() - env.keys()):
            start = self.program.starts[head]
            name = self.program.names[head]
            env[head] = self._filled(name, head, start.box, start.value, out)
            if start.flag is not None:
                no = ast.Identifier(FALSE, span=node.span)
                env[start.flag.head] = self._filled(start.flag.name, start.flag.head, start.box or (), no, out)

    def _filled(self, name: ast.Expression, head: Name, box: tuple[Ends, ...] | None, value: ast.Expression | None, out: _Out) -> Var:
        if value is None or box is None:
            return Empty(name, head)
        var = Var(name, head)
        out.append(Fill(var, box, value))
        return var

    # ---- statements ---------------------------------------------------------------------------

    def _statement(self, node: ast.Statement, env: _Env, place: Place, after: Set[Name], out: _Out) -> None:
        match node:
            case ast.Definition():
                self._definition(node, env, place, out)
            case ast.For():
                self._for(node, env, place, after, out)
            case ast.If():
                self._if(node, env, place, after, out)
            case ast.EquationGroup(body=body):
                out.extend(self.block(body, env, place, after))
            case ast.Remark():
                out.append(Plain(node, {}, place.scope))
            case ast.Return(value=value) | ast.Assertion(condition=value) if not place.in_branch:
                self._value(value, env, place.scope)
                out.append(Plain(node, dict(env), place.scope))
            case ast.Return() | ast.Assertion():
                raise unsupported("this statement in a branch", node.span, help="write it before or after the branch")

    def _definition(self, node: ast.Definition, env: _Env, place: Place, out: _Out) -> None:
        if node.function is not None:
            _, parameters = node.function
            self._value(node.value, env, place.scope, parameters)
            out.append(Plain(node, dict(env), place.scope))
            return
        split = [self.reader.split(target, place.scope) for target in node.targets]
        for target, found in zip(node.targets, split, strict=True):
            if found is None and not self.program.assigned.isdisjoint(self.reader.counters.intersection(identifiers(target))):
                raise no_array(target)
        domain = frozenset(name for item in node.ranges for name in bound_names(item))
        elements = [found[0] for found in split if found is not None and found[1] is None]
        if (
            domain
            or len(elements) < len(split)
            or all(e.head in self.program.families for e in elements)
            or self._is_range(node, elements, env)
        ):
            if any(element.head in env for element in elements):
                raise unsupported("a definition over a range of what other statements assign", node.span, help="write it as a loop")
            self._value(node.value, env, place.scope | domain)
            out.append(Plain(node, dict(env), place.scope))
            return
        if len(node.values) == len(elements):
            values = [self._value(value, env, place.scope) for value in node.values]
            indices = [tuple(self._value(item, env, place.scope) for item in element.subscripts) for element in elements]
            before = dict(env)
            for target, element, where, value in zip(node.targets, elements, indices, values, strict=True):
                if element.head in self.program.families:
                    out.append(Plain(replace(node, target=target, value=value.written), before, place.scope))
                    continue
                env[element.head] = self._assign(element, where, value, node, env, place, out)
                self._flag(element, where, node, env, place, out)
            return
        if not all(element.is_whole for element in elements):
            raise unsupported("these targets of one value", node.span, help="unpack it into names")
        value = self._value(node.value, env, place.scope)
        made = [Var(author_name(element.name), element.head, place.loops) for element in elements]
        out.append(Unpack(tuple(made), value, node))
        for element, var in zip(elements, made, strict=True):
            env[element.head] = var
            self._flag(element, (), node, env, place, out)

    def _is_range(self, node: ast.Definition, elements: list[Element], env: _Env) -> bool:
        """Whether a definition names a part of a family, which no statement assigns anew."""
        return names_a_range(node) and all(element.head not in env for element in elements)

    def _assign(
        self, element: Element, at: tuple[Value, ...], value: Value, node: ast.Definition, env: _Env, place: Place, out: _Out
    ) -> Var:
        """A new version of a name, or of the array of an element."""
        var = Var(author_name(element.name), element.head, place.loops)
        if element.is_whole:
            box = self.program.boxes.get(element.head)
            out.append(Assign(var, value, node) if box is None or not is_number(value.written) else Fill(var, box, value.written))
            return var
        before = env.get(element.head)
        if before is None:
            before = env[element.head] = Var(author_name(element.name), element.head)  # what the header gives
        self._use(before)
        out.append(Assign(var, Stored(before, element, at, value), node))
        return var

    def _flag(self, element: Element, at: tuple[Value, ...], node: ast.Definition, env: _Env, place: Place, out: _Out) -> None:
        """Note that a name has a value, where that is asked."""
        start = self.program.starts.get(element.head)
        if start is None or start.flag is None or start.box and len(element.subscripts) > len(start.box):
            return
        flag = start.flag_of(element)
        yes = Value(ast.Identifier(TRUE, span=element.span), {}, place.scope)
        if element.is_whole and start.box:
            env[flag.head] = Var(flag.name, flag.head, place.loops)
            out.append(Fill(env[flag.head], start.box, yes.written))
            return
        env[flag.head] = self._assign(flag, at, yes, node, env, place, out)

    def _if(self, node: ast.If, env: _Env, place: Place, after: Set[Name], out: _Out) -> None:
        conditions = tuple(self._value(branch.condition, env, place.scope) for branch in node.branches)
        arms: list[tuple[Statement, ...]] = []
        envs: list[dict[Name, Var]] = []
        inside = replace(place, in_branch=True)
        for body in (*(branch.body for branch in node.branches), node.otherwise or ()):
            own = dict(env)
            arms.append(self.block(body, own, inside, after | self._flags()))
            envs.append(own)
        joins: list[Phi] = []
        changed = dict.fromkeys(head for own in envs for head, var in own.items() if env.get(head) is not var)
        for head in changed:
            found = [own.get(head) for own in envs]
            known = next(var for var in found if var is not None)
            if head not in after and head not in self._flags():
                env.pop(head, None)
                continue
            if len(set(found)) == 1:
                env[head] = known
                continue
            before = Var(known.name, head) if head in self.program.given else Empty(known.name, head)
            values = tuple(var or before for var in found)
            joins.append(Phi(Var(known.name, head, place.loops), values))
            env[head] = joins[-1].var
            for var in values:
                self._use(var)
        out.append(If(conditions, tuple(arms), tuple(joins), place.loops, node.span))

    def _flags(self) -> Set[Name]:
        return {start.flag.head for start in self.program.starts.values() if start.flag is not None}

    def _for(self, node: ast.For, env: _Env, place: Place, after: Set[Name], out: _Out) -> None:
        binding = self._value(node.binding, env, place.scope | set(bound_names(node.binding)))
        loop = read_loop(node, node.binding)
        inside = replace(place, loops=(*place.loops, loop))
        flow = self.flows.of_block(node.body, inside.scope)
        known = {head for head, var in env.items() if head not in self.program.starts} | self.program.given
        check_along(self.reader, loop, flow.assigned & known, inside.scope)
        self._check_variable(loop, flow.assigned)
        flags = {start.flag.head for head in flow.assigned if (start := self.program.starts.get(head)) and start.flag}
        own, heads = dict(env), dict.fromkeys(sorted(flow.assigned - self.program.families) + sorted(flags))
        started: dict[Name, tuple[Var | None, Var]] = {}
        for head in heads:
            first = own.pop(head, None)
            if head in flow.exposed | after | flags:
                name = first.name if first is not None else self.program.names[head]
                if first is None and head in self.program.given:
                    first = Var(name, head)
                started[head] = first, Var(name, head, inside.loops)
                if first is not None:
                    own[head] = started[head][1]
        body = self.block(node.body, own, inside, after | flow.exposed | flags)
        entries: list[Entry] = []
        for head, (first, var) in started.items():
            last = own.get(head)
            if last is None:
                env.pop(head, None)
                continue
            entries.append(Entry(var, first or Empty(last.name, head), last, Var(last.name, head, place.loops)))
            env[head] = entries[-1].after
            self._use(entries[-1].first, 2)
            self._use(last, 2)
        for head in heads.keys() - started.keys():
            env.pop(head, None)
        self.ended[loop.spelling] = loop
        out.append(For(loop, binding, tuple(entries), body))

    def _check_variable(self, loop: Loop, assigned: Set[Name]) -> None:
        r"""Refuse an assignment to the variable that a loop counts, `i \gets x_i` in a loop over `i`."""
        if loop.spelling in assigned:
            what, labels = f"the loop variable `{readable(loop.spelling)}` cannot be assigned", (Label(loop.node.binding.span, _COUNTS),)
            raise refuse("E0303", what, loop.node.span, labels=labels, help="give the value a name of its own")

    # ---- reads --------------------------------------------------------------------------------

    def _value(self, node: ast.Expression, env: _Env, scope: Scope, parameters: tuple[ast.Expression, ...] = ()) -> Value:
        """An expression with what its names mean here, each of which has a value."""

        def look(element: Element) -> None:
            head, start = element.head, self.program.starts.get(element.head)
            var = env.get(head)
            if var is None or isinstance(var, Empty) and not (start and start.flag):
                self._check_has_value(element)
            else:
                self._use(var)
            if start is not None and start.flag is not None and start.flag.head in env:
                self._use(env[start.flag.head])

        reader = self.reader.of_function(parameters) if parameters else self.reader
        reader.rewrite(node, scope, hiding(parameters, look) if parameters else look)
        return Value(node, dict(env), scope)

    def _use(self, var: Var, count: int = 1) -> None:
        self.uses[var] = self.uses.get(var, 0) + count

    def _check_has_value(self, element: Element) -> None:
        """Refuse a read before the first assignment, and of the variable of a loop behind it."""
        head = element.head
        if head in self.program.given or head in self.program.families:
            return
        if head in self.program.assigned:
            check_is_no_element(self.reader, element, self.program.assigned)
            raise read_before(readable(head), element.span, self.program.names[head].span)
        if element.is_whole and self._is_at_counter(head):
            raise no_array(element.name)
        if head in self.ended and element.is_whole and head not in self.reader.declared:
            raise refuse(
                "E0510",
                f"`{readable(head)}` has no value after its loop",
                element.span,
                labels=(Label(self.ended[head].node.binding.span, _COUNTS),),
                help="keep what is needed under a name of its own, which the loop assigns",
            )

    def _is_at_counter(self, head: Name) -> bool:
        """Whether a name that nothing defines has a counter below it and others like it numbers: `x_k` beside `x_0`."""
        if len(head.labels) != 1 or head.labels[0] not in self.reader.counters & self.program.assigned:
            return False
        others = (one for one in self.program.given | self.program.assigned if one.word == head.word and len(one.labels) == 1)
        return any(one.labels[0].is_number or one.labels[0] in self.reader.counters for one in others)
