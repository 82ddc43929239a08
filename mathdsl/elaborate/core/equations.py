"""The core as equations over the turns of its loops: what a loop hands on is a family whose element before the first turn is its start.

v \\gets 0; for t: v \\gets v + x_t        ->        v[0] \\gets 0;  for t: v[t] \\gets v[t-1] + x_t
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.control.elements import Element, Scope, hiding
from mathdsl.elaborate.control.loops import loop_over
from mathdsl.elaborate.core.build import Program
from mathdsl.elaborate.core.extents import Ends
from mathdsl.elaborate.core.nodes import (
    OWN,
    Block,
    Empty,
    Entry,
    Env,
    Fill,
    For,
    If,
    Phi,
    Plain,
    Set,
    Stored,
    Unpack,
    Value,
    Var,
    author_name,
    unmarked,
)
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import bound_names, identifiers
from mathdsl.elaborate.names.usage import free_letters
from mathdsl.elaborate.names.versions import FALSE, Meaning, kept, unread, versioned
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import shifted, transform


@dataclass(frozen=True)
class Guard:
    """The conditions of branches that fail before an arm, and the one that holds there."""

    fails: tuple[ast.Expression, ...]
    holds: ast.Expression | None


def equations(program: Program, block: Block, written: frozenset[Name], slots: Mapping[Name, Element]) -> tuple[ast.Statement, ...]:
    """The statements of a procedure in which everything is defined once; `written` are all names of the author's."""
    writer = _Writer(program, written, slots)
    writer.name(block)
    return tuple(cast(ast.Statement, writer.numbered(statement)) for statement in tuple(writer.block(block, ())))


class _Writer:
    def __init__(self, program: Program, written: frozenset[Name], slots: Mapping[Name, Element]) -> None:
        self.reader, self.uses, self.starts = program.reader, program.uses, program.starts
        self.taken = {*program.given, *map(unmarked, program.families)}
        self.written, self.all_slots = written, slots
        self.slots = {head: slot for head, slot in slots.items() if slot.superscript is None}  # whose versions have its indices
        self.meanings: dict[Var, Meaning] = {}
        self.counts: dict[Name, int] = {}
        self.inlined: dict[Var, ast.Expression] = {}
        self.closing: dict[Entry, Meaning] = {}
        self.joined: set[Var] = set()
        self.elements: dict[Var, ast.Expression] = {}
        self.handed_on: set[Var] = set()
        self.aliases: dict[Var, ast.Expression] = {}  # names of a turn for elements that they begin with
        self.numbers: dict[int, int] = {}
        self.asked = 0

    # ---- names --------------------------------------------------------------------------------

    def name(self, block: Block) -> None:
        """Give every version its number, where what a loop hands on shares it with the last definition of a turn."""
        for statement in block:
            match statement:
                case Set(var=var) | Fill(var=var):
                    self._new(var)
                case Unpack(vars=several):
                    for var in several:
                        self._new(var)
                case If(arms=arms, joins=joins):
                    for arm in arms:
                        self.name(arm)
                    for join in joins:
                        self.joined.update(var for var in join.arms if var.loops == join.var.loops)
                        self._new(join.var)
                case For(loop=loop, entries=entries, body=body):
                    self.name(body)
                    owned = set(_defined(body))
                    for entry in entries:
                        self.handed_on.add(entry.last)
                        own = entry.last in owned
                        owned.discard(entry.last)
                        around = self._turns(entry.after)
                        version = self.meanings[entry.last].version if own else self._version(entry.var)
                        what = f"a value of `{readable(entry.var.head)}` that is handed from turn to turn"
                        _, last = loop.turns(what)
                        self.meanings[entry.var] = Meaning(version, (*around, loop.before(loop.variable)))
                        self.meanings[entry.after] = Meaning(version, (*around, last))
                        if not own:
                            self.closing[entry] = Meaning(version, (*around, loop.variable))
                case Plain(written=ast.Definition(target=target, value=ast.Accent(accent=accent) as value), env=env) if (
                    accent == OWN and (slot := env.get(word_of(value) or NO_NAME)) is not None and slot in _defined(block)
                ):
                    self.elements[slot] = target
                case _:
                    pass

    def numbered(self, node: ast.Node) -> ast.Node:
        """Statements in which families of our own are the next versions of the author's names."""
        if not isinstance(node, ast.Accent) or node.accent != OWN:
            return transform(node, self.numbered)
        name = author_name(node)
        if node.version not in self.numbers:
            self.numbers[node.version] = self._version(Var(name, spelling_of(name) or NO_NAME))
        return replace(versioned(name, self.numbers[node.version]), span=node.span)

    def _new(self, var: Var) -> None:
        self.meanings[var] = Meaning(self._version(var), self._turns(var))

    def _turns(self, var: Var) -> tuple[ast.Expression, ...]:
        """The letters of the loops each turn of which has a version of its own, but those that index its element."""
        own = self.slots[var.head].indices if var.head in self.slots else ()
        return tuple(loop.variable for loop in var.loops if loop.variable not in own)

    def _whole(self, var: Var, span: Span) -> Element:
        """The name of a version, or the element that it is."""
        slot = self.slots.get(var.head)
        return Element(var.name, var.head, span=span) if slot is None else replace(slot, name=var.name, span=span)

    def _version(self, var: Var) -> int:
        head = word_of(var.name) or var.head
        count = self.counts.get(head)
        if count is None:
            families = self.reader.families
            beside = len(var.loops) > 1 and (head in families.subscripts or head in families.superscripts)
            count = 1 if head in self.taken or beside else 0
        if spelling_of(versioned(var.name, count + 1)) in self.reader.families.subscripts.keys() - {head}:
            count += 1
        self.counts[head] = count + 1
        return count + 1

    def _meaning(self, var: Var) -> Meaning:
        return self.meanings.get(var, Meaning(1))

    def _written(self, var: Var) -> ast.Expression:
        """The whole of a version."""
        known = self.elements.get(var) or self.aliases.get(var)
        if known is not None:
            return known
        return self._whole(var, var.name.span).written(self._meaning(var))

    # ---- statements ---------------------------------------------------------------------------

    def block(self, block: Block, guards: tuple[Guard, ...]) -> Iterator[ast.Statement]:
        for statement in block:
            match statement:
                case Set(var=var, value=Value() as value) if self._is_alias(var, value):
                    self.aliases[var] = self.read(value)
                case Set(var=var, value=value, origin=origin):
                    target, made = self._written(var), self._value_of(value)
                    if guards and self._is_inlined(var):
                        self.inlined[var] = made
                        continue
                    before = value.before if isinstance(value, Stored) else None
                    rest = unread(origin.span) if before is None or isinstance(before, Empty) else self._written(before)
                    yield replace(origin, target=target, value=_guarded(made, guards, rest))
                case Unpack(vars=several, value=value, origin=origin):
                    assert isinstance(origin.target, ast.Group)
                    targets = tuple(map(self._written, several))
                    yield replace(origin, target=replace(origin.target, items=targets), value=self.read(value))
                case Fill(var=var, box=box, value=zero):
                    yield self._fill(var, box, zero)
                case Plain(written=ast.Definition(target=target)) if target in self.elements.values():
                    pass
                case Plain(written=written, env=env, scope=scope):
                    yield self._plain(written, env, scope, guards)
                case If():
                    yield from self._if(statement, guards)
                case For():
                    yield from self._for(statement, guards)

    def _is_alias(self, var: Var, value: Value) -> bool:
        """Whether a name of a turn is still the element that it stands for."""
        slot, found = self.all_slots.get(var.head), self.reader.split(value.written, value.scope)
        is_own = slot is not None and found is not None and (found[0].head, found[0].indices) == (slot.head, slot.indices)
        return is_own and var not in self.handed_on

    def _is_inlined(self, var: Var) -> bool:
        """Whether a version is read once, where branches join."""
        return self.uses.get(var, 0) == 1 and var in self.joined

    def _value_of(self, value: Value | Stored) -> ast.Expression:
        if isinstance(value, Value):
            return self.read(value)
        if isinstance(value.before, Empty) and any(isinstance(item.written, ast.Slice) for item in value.indices):
            return self.read(value.value)  # all that there is
        place = self._place(value)
        array = self._written(value.before)
        return ast.Command("updated", ((array, place, self.read(value.value)),), span=value.value.written.span)

    def _place(self, value: Stored) -> ast.Expression:
        """The element of the array before, in brackets, so that no index of it is a label."""
        element, meaning = replace(value.element, subscripts=tuple(map(self.read, value.indices))), self._meaning(value.before)
        known = self.elements.get(value.before) or self.aliases.get(value.before)
        if known is not None:
            return _part(known, element.subscripts)
        if element.superscript is not None:
            return element.written(meaning)
        whole = self._whole(value.before, element.span)
        name = versioned(value.before.name, meaning.version)
        items = (*meaning.prefix, *whole.subscripts, *element.subscripts)
        return ast.Indexing(name, items, of_script=element.of_script, turns=len(meaning.prefix), span=element.span)

    def _if(self, node: If, guards: tuple[Guard, ...]) -> Iterator[ast.Statement]:
        conditions = [self.read(condition) for condition in node.conditions]
        count = len(node.joins) + sum(map(self._count, node.arms))
        for position, condition in enumerate(conditions):
            if count > 1 and not self._is_of_indices(node.conditions[position]):
                self.asked += 1
                var = self._condition_name(self.asked)
                prefix = tuple(loop.variable for loop in node.loops)
                target = ast.Indexing(var, prefix, turns=len(prefix), of_script=True, span=condition.span) if prefix else var
                outer = ast.Identifier(FALSE, span=condition.span)
                before = (*guards, Guard(tuple(conditions[:position]), None))
                yield ast.Definition(target, _guarded(condition, before, outer), span=node.span)
                conditions[position] = target
        for position, arm in enumerate(node.arms):
            holds = conditions[position] if position < len(conditions) else None
            yield from self.block(arm, (*guards, Guard(tuple(conditions[:position]), holds)))
        for join in node.joins:
            yield from self._join(join, conditions, node, guards)

    def _join(self, join: Phi, conditions: list[ast.Expression], node: If, guards: tuple[Guard, ...]) -> Iterator[ast.Statement]:
        values = [self.inlined[var] if var in self.inlined else self._before(var, node.span) for var in join.arms]
        rows = [ast.CaseRow(value, condition, span=value.span) for value, condition in zip(values, (*conditions, None), strict=True)]
        while len(rows) > 1 and rows[-2].value == rows[-1].value:
            del rows[-2]
        made = ast.Cases(tuple(rows), True, span=node.span) if len(rows) > 1 else rows[0].value
        if len(rows) == 2 and rows[0].condition is not None and (empty := _emptiness(node.conditions[0].written)) is not None:
            subject, is_empty = empty
            at_empty, general = (row.value for row in (rows if is_empty else rows[::-1]))
            made = general if _without_part(general, subject) == at_empty else made
        if guards and self._is_inlined(join.var):
            self.inlined[join.var] = made
            return
        yield ast.Definition(self._written(join.var), _guarded(made, guards, unread(node.span)), span=node.span)

    def _before(self, var: Var, span: Span) -> ast.Expression:
        return unread(span) if isinstance(var, Empty) else kept(self._written(var))

    def _for(self, node: For, guards: tuple[Guard, ...]) -> Iterator[ast.Statement]:
        loop, place = node.loop, node.loop.node.binding.span
        first, _ = loop.turns("a value that is handed from turn to turn")
        for entry in node.entries:
            if isinstance(entry.first, Empty) and entry.var not in self.uses:
                continue
            meaning = self.meanings[entry.var]
            at = Meaning(meaning.version, (*meaning.prefix[:-1], loop.before(first)))
            target = self._whole(entry.var, place).written(at)
            yield ast.Definition(target, self._before(entry.first, place), span=place)
        body = tuple(self.block(node.body, guards))
        closing = tuple(
            ast.Definition(self._whole(e.var, place).written(self.closing[e]), self._written(e.last), span=place)
            for e in node.entries
            if e in self.closing
        )
        yield replace(loop.node, binding=loop.upwards(self.read(node.binding)), body=(*body, *closing))
        for entry in node.entries:
            yield from self._without_turns(entry, node)

    def _without_turns(self, entry: Entry, node: For) -> Iterator[ast.Statement]:
        """The value behind a loop that need not have turns nor end just before its first one, `i = 2, ..., n` where `n` is 0."""
        loop, span = node.loop, node.loop.node.binding.span
        if isinstance(entry.first, Empty) or entry.after not in self.uses:
            return
        lower, upper = loop.ends("a loop")
        count = difference(upper, shifted(lower, -1))
        if count is None or count.constant is not None or is_nonnegative(count):
            return
        last = self._written(entry.after)
        begins = ast.Relation((r"\leq",), (shifted(lower, -1), upper), span=span)
        rows = ast.CaseRow(last, begins, span=span), ast.CaseRow(self._written(entry.first), None, span=span)
        self._new(entry.after)
        yield ast.Definition(self._written(entry.after), ast.Cases(rows, span=span), span=span)

    def _fill(self, var: Var, box: tuple[Ends, ...], value: ast.Expression) -> ast.Statement:
        letters = free_letters(self.written)[: len(box)]
        variables = tuple(ast.Identifier(letter, span=value.span) for letter in letters)
        whole = Element(var.name, var.head, variables, span=value.span)
        made: ast.Statement = ast.Definition(whole.written(self._meaning(var)), value, span=value.span)
        for variable, (lower, upper) in reversed(list(zip(variables, box, strict=True))):
            made = loop_over(variable, lower, upper, made)
        return made

    def _plain(self, node: ast.Statement, env: Env, scope: Scope, guards: tuple[Guard, ...]) -> ast.Statement:
        match node:
            case ast.Definition(function=(_, parameters)):
                look = hiding(parameters, self._look(env))
                return replace(node, value=self.reader.of_function(parameters).rewrite(node.value, scope, look))
            case ast.Definition():
                inside = scope | {name for item in node.ranges for name in bound_names(item)}
                value = self.reader.rewrite(node.value, inside, self._look(env))
                return replace(node, value=_guarded(value, guards, unread(node.span)))
            case ast.Return():
                return replace(node, value=self.reader.rewrite(node.value, scope, self._look(env)))
            case ast.Assertion():
                return replace(node, condition=self.reader.rewrite(node.condition, scope, self._look(env)))
            case _:
                return node

    # ---- expressions --------------------------------------------------------------------------

    def read(self, value: Value) -> ast.Expression:
        """An expression with the versions of its names."""
        return self.reader.rewrite(value.written, value.scope, self._look(value.env))

    def _look(self, env: Env) -> Callable[[Element], ast.Expression | None]:
        def look(element: Element) -> ast.Expression | None:
            var, start = env.get(element.head), self.starts.get(element.head)
            if var is None:
                return None
            value = unread(element.span) if isinstance(var, Empty) else self._read(element, var)
            indices = element.subscripts if element.superscript is None else ()
            is_plain = self._meaning(var).is_plain and not isinstance(var, Empty) and var.head not in self.slots
            if is_plain and indices:
                value = ast.Indexing(var.name, indices, of_script=element.of_script, span=element.span)
            if start is not None and start.flag is not None:
                flag = start.flag_of(element)
                asked = look(flag) or flag.written(Meaning(1))
                text = f"{render_expression(element.written(Meaning(1)))} is assigned before it is read"
                words = ast.Identifier(text, "text", span=element.span)
                return ast.Command("given", ((value, asked, words),), span=element.span)
            is_known = not indices or any(name in self.reader.families.index_names for item in indices for name in identifiers(item))
            return None if is_plain and is_known else value

        return look

    def _read(self, element: Element, var: Var) -> ast.Expression:
        """An element of a version."""
        known = self.elements.get(var) or self.aliases.get(var)
        if known is not None:
            return _part(known, element.subscripts)
        whole = self._whole(var, element.span)
        name = replace(var.name, span=element.name.span)
        return replace(element, name=name, subscripts=(*whole.subscripts, *element.subscripts)).written(self._meaning(var))

    def _is_of_indices(self, value: Value) -> bool:
        """Whether a condition asks where an index is, which bounds what is read under it."""
        relations = list(_relations(value.written))
        return any(all(self.reader.reckons(item, value.scope) for item in node.operands) for node in relations)

    def _count(self, block: Block) -> int:
        """The number of definitions in an arm."""
        found = 0
        for statement in block:
            match statement:
                case Set(var=var):
                    found += not self._is_inlined(var)
                case If(arms=arms, joins=joins):
                    found += len(joins) + sum(map(self._count, arms))
                case For(body=body):
                    found += 1 + self._count(body)
                case _:
                    found += 1
        return found

    def _condition_name(self, count: int) -> ast.Expression:
        """A name of ours for a condition."""
        word = next(word for word in ("taken", "isTaken", "branchTaken") if Name(word) not in self.written)
        return versioned(ast.Identifier(word, "mathrm"), count)


def _part(array: ast.Expression, indices: tuple[ast.Expression, ...]) -> ast.Expression:
    """What further indices make of an element."""
    match array:
        case ast.Indexing(items=items):
            return replace(array, items=(*items, *indices))
        case ast.Scripts(subscripts=items):
            return replace(array, subscripts=(*items, *indices))
        case _:
            return ast.Indexing(array, indices, span=array.span) if indices else array


def _relations(node: ast.Expression) -> Iterator[ast.Relation]:
    """The comparisons of which a condition is made."""
    match node:
        case ast.Relation():
            yield node
        case ast.Group(items=parts) | ast.Logic(operands=parts):
            for part in parts:
                yield from _relations(part)
        case _:
            pass


def _defined(block: Block) -> Iterator[Var]:
    """The versions that a turn of a loop defines itself."""
    for statement in block:
        match statement:
            case Set(var=var):
                yield var
            case Unpack(vars=several):
                yield from several
            case If(joins=joins):
                yield from (join.var for join in joins)
            case _:
                pass


def _guarded(value: ast.Expression, guards: tuple[Guard, ...], rest: ast.Expression) -> ast.Expression:
    """A value where its branch is taken, and elsewhere one that nothing reads."""
    for guard in reversed(guards):
        rows = [ast.CaseRow(rest, condition, span=value.span) for condition in guard.fails]
        rows.append(ast.CaseRow(value, guard.holds, span=value.span))
        if guard.holds is not None:
            rows.append(ast.CaseRow(rest, None, span=value.span))
        value = ast.Cases(tuple(rows), True, span=value.span) if len(rows) > 1 else value
    return value


def _emptiness(condition: ast.Expression) -> tuple[ast.Expression, bool] | None:
    r"""`c \text{ is empty}`, `c \text{ is not empty}`: `c`, and whether it is said to be empty."""
    match condition:
        case ast.Group(items=(inner,)):
            return _emptiness(inner)
        case ast.Juxtaposition(factors=(subject, ast.Phrase(text="is empty" | "is not empty" as text))):
            return subject, text == "is empty"
        case _:
            return None


def _without_part(value: ast.Expression, part: ast.Expression) -> ast.Expression | None:
    r"""A concatenation with one part left out, as it is where that part is empty: `\cat{x, c}` -> `x`."""
    match value:
        case ast.Command(name="cat", arguments=(items,)) if part in items and not any(isinstance(i, ast.Dots) for i in items):
            rest = tuple(item for item in items if item != part)
            return rest[0] if len(rest) == 1 else replace(value, arguments=(rest,)) if rest else None
        case ast.Binary(operator="||", left=left, right=right):
            return left if right == part else right if left == part else None
        case _:
            return None
