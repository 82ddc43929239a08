r"""Definitions over a range that are executed, as loops: below a loop that does not index them, in a branch, of what has a value.

for t: w_i \gets a_t w_i \quad (i = 1, \dots, n)               ->     for t: for i = 1, …, n: w_i \gets a_t w_i
for t: w[1 \leq i \leq n] \gets a_t w[i]                      ->     for t: for i = 1, …, n: w[i] \gets a_t w[i]
f_c \gets 0 \quad (c = 0, \dots, C); for c: f_c \gets …        ->     for c = 0, …, C: f_c \gets 0; for c: f_c \gets …

The elements are assigned at once. Where others than the own one are read, they are what they were before:

w_i \gets w_i / \sum_j w_j \quad (i = 1, \dots, n)             ->     for i = 1, …, n: v_i \gets w_i / \sum_j w_j
                                                                      for i = 1, …, n: w_i \gets v_i
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from enum import IntEnum

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.names import AT_ONCE_OR_IN_TURN
from mathdsl.elaborate.control.loops import ends_of
from mathdsl.elaborate.control.plain_targets import indices_of
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names, identifiers, names_bound_in
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import undecided
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, header_rows, statements_in, with_bodies


def with_loops_for_families(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure with loops for the definitions over ranges that are executed."""
    if not any(isinstance(node, ast.Definition) and node.ranges for node in statements_in(procedure.body)):
        return procedure
    executed = {*_first_values(procedure.body)}
    bare = (symbol for row in header_rows(procedure) for symbol in row.symbols if not isinstance(symbol, ast.Scripts))
    given = frozenset(name for symbol in bare if (name := head_of(symbol)) is not None)  # of `h_0` the first element alone
    updates = [*_updates(procedure.body, frozenset(), given, is_in_branch=False)]
    if updates:
        arrays = {head for family in updates for head in family.places}
        families = filter(None, map(_family, statements_in(procedure.body)))
        executed |= {id(family.node) for family in families if not arrays.isdisjoint(family.places)}
    if not executed:
        return procedure
    return replace(procedure, body=_Looped(executed, {str(name) for name in names_below(procedure)}).block(procedure.body))


class _Read(IntEnum):
    """Which element of an array that is assigned over a range its value reads."""

    OWN = 0  # the one that is assigned
    FIXED = 1  # whichever is assigned, the same ones: `w_1`, all of `w`
    MOVED = 2  # another one for each that is assigned: `w_{i-1}`


@dataclass(frozen=True, eq=False)
class _Family:
    """A definition over ranges: the same with these behind it, their variables, and the places of each array that it assigns."""

    node: ast.Definition
    plain: ast.Definition
    letters: frozenset[Name]
    places: dict[Name, list[tuple[ast.Expression, ...]]]

    @property
    def reads(self) -> Iterator[tuple[_Read, ast.Expression]]:
        """The reads of the arrays that it assigns."""
        yield from self._below(self.plain.value, self.letters)

    def _below(self, node: ast.Node, letters: Set[Name]) -> Iterator[tuple[_Read, ast.Expression]]:
        if bound := names_bound_in(node):
            is_moved = not letters.isdisjoint({name for part in _ranges(node) for name in identifiers(part)} - bound)
            letters = letters | bound if is_moved else letters - bound
        head = head_of(node) if isinstance(node, (ast.Identifier, ast.Accent, ast.Scripts, ast.Indexing)) else None
        if head not in self.places:
            for child in children(node):
                yield from self._below(child, letters)
            return
        assert isinstance(node, ast.Expression)
        items = indices_of(node)
        yield max(self._read(items, place, letters) for place in self.places[head]), node
        for item in items:
            yield from self._below(item, letters)

    def _read(self, items: tuple[ast.Expression, ...], place: tuple[ast.Expression, ...], letters: Set[Name]) -> _Read:
        kinds = [_Read.OWN if len(items) >= len(place) and letters >= self.letters else _Read.FIXED]
        for item, own in zip(items, place, strict=False):
            if item != own:
                kinds.append(_Read.FIXED if letters.isdisjoint(identifiers(item)) else _Read.MOVED)
        return max(kinds)


def _family(node: ast.Statement) -> _Family | None:
    """A definition whose indices run over ranges that the syntax shows; None for every other statement."""
    if not isinstance(node, ast.Definition) or not node.ranges or not node.targets or not all(map(_is_range, node.ranges)):
        return None
    plain = _with_ranges_behind(node)
    letters, places = {name for domain in plain.domains for name in bound_names(domain)}, dict[Name, list[tuple[ast.Expression, ...]]]()
    for target in plain.targets:
        head, items = head_of(target), indices_of(target)
        if head is None or not letters <= {name for item in items for name in identifiers(item)}:
            return None
        places.setdefault(head, []).append(items)
    return _Family(node, plain, frozenset(letters), places)


def _with_ranges_behind(node: ast.Definition) -> ast.Definition:
    r"""`w[i] \gets e \quad (1 \leq i \leq n)` of `w[1 \leq i \leq n] \gets e`."""
    match node.target:
        case ast.Indexing(items=items) as target if any(isinstance(item, ast.Relation) for item in items):
            plain = tuple(_variable(item) if isinstance(item, ast.Relation) else item for item in items)
            return replace(node, target=replace(target, items=plain), domains=node.ranges)
        case _:
            return node


def _is_range(domain: ast.Expression) -> bool:
    match domain:
        case ast.Relation(operators=("=" | r"\algoIs",), operands=(_, values)):
            return ends_of(values) != (None, None)
        case ast.Relation(operators=(r"\in",) | ("<" | r"\leq", "<" | r"\leq")):
            return len(bound_names(domain)) == 1
        case _:
            return False


def _ranges(node: ast.Node) -> tuple[ast.Expression, ...]:
    """What tells where the letters run that a node binds."""
    match node:
        case ast.Reduction(subscript=below, superscript=above):
            return tuple(part for part in (below, above) if part is not None)
        case ast.Comprehension(conditions=conditions):
            return conditions
        case ast.Scripts(subscripts=below, superscript=above):
            return below if above is None else (*below, above)
        case _:
            return ()


def _variable(domain: ast.Expression) -> ast.Expression:
    assert isinstance(domain, ast.Relation)
    return domain.operands[-2]


def _first_values(body: tuple[ast.Statement, ...]) -> Iterator[int]:
    """The definitions of arrays that a loop assigns again, as a whole or one element after the other, which read none of them."""
    loops = [node for node in body if isinstance(node, ast.For)]
    singles = (node for node in statements_in(loops) if isinstance(node, ast.Definition) and not node.ranges)
    arrays = {head_of(target) for node in singles for target in node.targets}
    for family in filter(None, map(_family, body)):
        if not arrays.isdisjoint(family.places) and next(family.reads, None) is None:
            yield id(family.node)


def _updates(body: tuple[ast.Statement, ...], around: frozenset[Name], given: frozenset[Name], *, is_in_branch: bool) -> Iterator[_Family]:
    """The definitions that are executed for themselves: in a branch, once for each turn of a loop, of elements that have a value."""
    for node in body:
        match node:
            case ast.For(binding=binding, body=inner):
                yield from _updates(inner, around | set(bound_names(binding)), given, is_in_branch=is_in_branch)
            case ast.If(branches=branches, otherwise=otherwise):
                for arm in (*(branch.body for branch in branches), otherwise or ()):
                    yield from _updates(arm, around, given, is_in_branch=True)
            case _:
                family = _family(node)
                if family is None or not around.isdisjoint(family.letters):
                    continue
                indices = {name for places in family.places.values() for items in places for item in items for name in identifiers(item)}
                reads_own = any(kind is _Read.OWN for kind, _ in family.reads)
                if is_in_branch or not around <= indices or reads_own or not given.isdisjoint(family.places):
                    yield family


@dataclass
class _Looped:
    """Makes loops of the definitions with these `id`s; `taken` are the names of the program."""

    executed: set[int]
    taken: set[str]

    def block(self, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
        """The statements in order."""
        return tuple(made for node in statements for made in self._statement(node))

    def _statement(self, node: ast.Statement) -> tuple[ast.Statement, ...]:
        family = _family(node) if id(node) in self.executed else None
        return (with_bodies(node, self.block),) if family is None else self._loops(family)

    def _loops(self, family: _Family) -> tuple[ast.Statement, ...]:
        node, reads = family.plain, [*family.reads]
        variables = tuple(_variable(domain) for domain in node.domains)
        moved = next((read for kind, read in reads if kind is _Read.MOVED), None)
        if moved is not None:
            target = next(one for one in node.targets if head_of(one) == head_of(moved))
            raise undecided(
                AT_ONCE_OR_IN_TURN,
                moved.span,
                target=render_expression(target),
                read=render_expression(moved),
                letters=", ".join(map(render_expression, variables)),
            )
        if all(kind is _Read.OWN for kind, _ in reads):
            return (_looped(node, node),)
        new = tuple(ast.Scripts(self._name(target), variables, span=target.span) for target in node.targets)
        made = ast.Group(new, span=node.target.span) if len(new) > 1 else new[0]
        return _looped(node, replace(node, target=made)), _looped(node, ast.Definition(node.target, made, span=node.span))

    def _name(self, target: ast.Expression) -> ast.Expression:
        """A name of our own for the new elements of an array."""
        word = "".join(filter(str.isalpha, str(head_of(target)))) + "New"
        while word in self.taken:
            word += "New"
        self.taken.add(word)
        return ast.Identifier(word, "mathrm")


def _looped(node: ast.Definition, body: ast.Definition) -> ast.Statement:
    """Loops over the ranges of a definition."""
    made: ast.Statement = replace(body, domains=())
    for domain in reversed(node.domains):
        made = ast.For(domain, (made,), span=node.span)
    return made
