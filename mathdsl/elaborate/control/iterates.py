r"""Elements at a counter of turns, as names that are handed from turn to turn.

k \gets 0                                k \gets 0; v \gets x_0
while c(x_k):                            while c(v):
  x_{k+1} \gets f(x_k)             ->      w \gets f(v)
  k \gets k + 1                            k \gets k + 1; v \gets w
return x_k                               return v

This is so where each turn surely assigns what it reads, and where nothing else than the counter and numbers before its values indexes.
The counter stands below, `x_{k+1,i}`, or above, `x_i^{(k+1)}`, and elements may be assigned one by one in loops of each turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, pairwise
from typing import TypeAlias, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import names_bound_in, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, descendants, statements_in, transform, with_bodies

_Valid: TypeAlias = frozenset[tuple[Name, int]]  # sequences, with the places from the counter on where they surely have a value
_Block: TypeAlias = tuple[ast.Statement, ...]


def with_iterates(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure without elements at counters of turns."""
    counters = _counters(procedure.body)
    if not counters:
        return procedure
    rows = (*procedure.inputs, *(procedure.owned or ()), *(row for where in (*procedure.wheres, *shared) for row in where.rows))
    symbols = [unaccent(symbol) for row in rows for symbol in row.symbols]
    above = _counted_above(procedure.body, counters)
    elements = [element for symbol in symbols if (element := _element(symbol, above)) is not None and element.number is not None]
    declared = {head_of(symbol) for symbol in symbols} - {None}
    arrays = {head_of(symbol) for symbol in symbols if all(symbol is not element.node for element in elements)} - {None}
    inputs = {unaccent(symbol) for row in procedure.inputs for symbol in row.symbols}
    given, taken = [element for element in elements if element.node in inputs], {str(name) for name in names_below(procedure)}
    body, named = procedure.body, set[Name]()
    for counter in counters:
        if counter not in declared:
            counted = _Counted(counter, body, arrays, given, taken, above)
            body = counted.block(body)
            named |= {head for head, _ in counted.names} & above
    if body == procedure.body:
        return procedure
    found = replace(procedure, body=body, shown=procedure.shown or procedure.body)
    if not named:
        return found
    rows = tuple(cast(ast.Declaration, _labelled(row, named)) for row in procedure.inputs)
    tables = tuple(cast(ast.Where, _labelled(table, named)) for table in procedure.wheres)
    return replace(found, inputs=rows, wheres=tables, body=tuple(cast(ast.Statement, _labelled(node, named)) for node in body))


def _labelled(node: ast.Node, heads: Set[Name]) -> ast.Node:
    """With the first elements that numbers above tell, `x^0`, as names: no letter indexes their arrays any more."""
    match node:
        case ast.Scripts(base=base, subscripts=(), superscript=ast.Number() | ast.Group(items=(ast.Number(),)) as index) if (
            word_of(base) in heads
        ):
            return ast.Accent("", base, label=ast.Label((_inside(index),), "(" if isinstance(index, ast.Group) else ""), span=node.span)
        case _:
            return transform(node, lambda below: _labelled(below, heads))


@dataclass(frozen=True)
class _Element:
    """An element of a sequence by its place in that, and the indices beside it; `is_above`: the place is a superscript."""

    head: Name
    index: ast.Expression
    rest: tuple[ast.Expression, ...]
    node: ast.Expression
    is_above: bool = False

    @property
    def number(self) -> int | None:
        """The index, where that is a number."""
        return int(self.index.text) if isinstance(self.index, ast.Number) and self.index.text.isdigit() else None

    def written(self, name: ast.Expression) -> ast.Expression:
        """The same of a name for all that the place says."""
        above = self.node.superscript if isinstance(self.node, ast.Scripts) and not self.is_above else None
        if isinstance(self.node, ast.Indexing):
            return ast.Indexing(name, self.rest, span=self.node.span) if self.rest else name
        return ast.Scripts(name, self.rest, above, span=self.node.span) if self.rest or above is not None else name

    @property
    def alone(self) -> ast.Expression:
        """All that stands at the place."""
        match self.node:
            case ast.Scripts():
                return (
                    replace(self.node, subscripts=()) if self.is_above else replace(self.node, subscripts=(self.index,), superscript=None)
                )
            case ast.Indexing():
                return replace(self.node, items=(self.index,))
            case node:
                return node

    def at(self, number: int) -> ast.Expression:
        """The element at a numbered place."""
        index = ast.Number(str(number), span=self.index.span)
        match self.node:
            case ast.Scripts(superscript=above) if self.is_above:
                return replace(self.node, superscript=replace(above, items=(index,)) if isinstance(above, ast.Group) else index)
            case ast.Scripts():
                return replace(self.node, subscripts=(index, *self.rest))
            case ast.Indexing():
                return replace(self.node, items=(index, *self.rest))
            case node:
                return node


def _element(node: ast.Node, above: Set[Name]) -> _Element | None:
    """`x_k`, `x_{k,i}^2`, `x[k]`; of those that have their places above `x_i^{(k)}`."""
    match node:
        case ast.Scripts(base=base, subscripts=rest, superscript=index) if index is not None and word_of(base) in above:
            head = word_of(base)
            return None if head is None else _Element(head, _inside(index), rest, node, is_above=True)
        case ast.Accent(accent="", body=body, label=ast.Label(items=(ast.Number() as index,))) if (head := word_of(body)) in above:
            return None if head is None else _Element(head, index, (), node, is_above=True)  # what a header gives, `x^{(0)}`
        case ast.Scripts(base=base, subscripts=(index, *rest)) | ast.Indexing(base=base, items=(index, *rest)):
            head = word_of(base)
            return None if head is None or head in above else _Element(head, index, tuple(rest), node)
        case _:
            return None


def _inside(index: ast.Expression) -> ast.Expression:
    """The `k` of `(k)`."""
    return index.items[0] if isinstance(index, ast.Group) and len(index.items) == 1 else index


def _counted_above(body: _Block, counters: Sequence[Name]) -> frozenset[Name]:
    """The arrays that are assigned at a counter above: `x^{(k+1)}`, `x_i^{k+1}`."""
    found, variables = set[Name](), [ast.Identifier(str(counter)) for counter in counters if counter.is_plain]
    for node in statements_in(body):
        for target in node.targets if isinstance(node, ast.Definition) else ():
            match target:
                case ast.Scripts(base=base, superscript=index) if index is not None and (head := word_of(base)) is not None:
                    if any(distance(_inside(index), variable) is not None for variable in variables):
                        found.add(head)
                case _:
                    pass
    return frozenset(found)


def _counters(body: _Block) -> list[Name]:
    r"""The names that have a number first, `k \gets 0`, and then only count, `k \gets k + 1`."""
    first, counting, others = list[Name](), set[Name](), set[Name]()
    for node in statements_in(body):
        for target in node.targets if isinstance(node, ast.Definition) else ():
            name = word_of(target)
            if name is None:
                continue
            if _counts(node, name):
                counting.add(name)
            elif _begins(node, name):
                first.append(name)
            else:
                others.add(name)
    found = [name for name in dict.fromkeys(first) if name in counting - others]
    bound = {name for node in body if found for part in (node, *descendants(node)) for name in names_bound_in(part)}
    return [name for name in found if name not in bound]


def _counts(node: ast.Node, counter: Name) -> bool:
    match node:
        case ast.Definition(target=target, value=value, domains=()):
            return word_of(target) == counter and distance(value, target) == 1
        case _:
            return False


def _begins(node: ast.Node, counter: Name) -> bool:
    match node:
        case ast.Definition(target=target, value=ast.Number(text=text), domains=()):
            return word_of(target) == counter and text.isdigit()
        case _:
            return False


class _OpenError(Exception):
    """Something is read that a turn does not surely assign; the sequence of it."""

    def __init__(self, head: Name) -> None:
        super().__init__(head)
        self.head = head


@dataclass
class _Counted:
    """Takes the elements at a counter out of a procedure; `given` are those of its header, `taken` its names."""

    counter: Name
    body: _Block
    declared: set[Name | None]
    given: list[_Element]
    taken: set[str]
    above: Set[Name]
    names: dict[tuple[Name, int], ast.Expression] = field(default_factory=dict)
    least: dict[Name, int] = field(default_factory=dict)  # the first place of each sequence that is read or assigned
    seen: dict[tuple[Name, int], ast.Expression] = field(default_factory=dict)  # what places are before the loop
    left: list[_Valid] = field(default_factory=list)  # what has a value where the loop is left, or its turn

    def block(self, statements: _Block) -> _Block:
        """Statements in which the counter begins, and a loop over its turns stands behind that."""
        begins = [at for at, node in enumerate(statements) if _begins(node, self.counter)]
        if not begins:
            return tuple(with_bodies(node, self.block) for node in statements)
        if len(begins) > 1:  # it begins anew for another loop
            parts = [statements[: begins[1]], *(statements[at:end] for at, end in pairwise((*begins[1:], len(statements))))]
            return tuple(node for part in parts for node in self.block(part))
        (begin,) = begins
        loops = [at for at, node in enumerate(statements) if isinstance(node, ast.While | ast.For) and self._is_counted((node,))]
        if len(loops) != 1 or loops[0] < begin or self._is_counted((*statements[: loops[0]], *statements[loops[0] + 1 :])):
            return statements
        at, first = loops[0], statements[begin]
        assert isinstance(first, ast.Definition)
        assert isinstance(first.value, ast.Number)
        start, loop, after = int(first.value.text), statements[at], statements[at + 1 :]
        assert isinstance(loop, ast.While | ast.For)
        before = tuple(cast(ast.Statement, self._at_start(node, start)) for node in statements[begin + 1 : at])
        heads = self._sequences((*statements[:begin], *before), loop, after, start, statements)
        while heads:
            try:
                made = self._made(heads, loop, after, start)
            except _OpenError as open_:
                heads.pop(open_.head)
            else:
                return (*statements[: begin + 1], *before, *made)
        return statements

    def _is_counted(self, statements: Iterable[ast.Statement]) -> bool:
        return any(_counts(node, self.counter) for node in statements_in(statements))

    def _at_start(self, node: ast.Node, start: int) -> ast.Node:
        """What stands between the counter's first value and the loop, with that value as the index."""
        element = _element(node, self.above)
        if element is not None and (place := self._place(element)) is not None and start + place >= 0:
            node = element.at(start + place)
        return transform(node, lambda below: self._at_start(below, start))

    def _place(self, element: _Element) -> int | None:
        """How far behind the counter an index is."""
        return distance(element.index, ast.Identifier(str(self.counter))) if self.counter.is_plain else None

    # ---- which sequences ------------------------------------------------------------------------

    def _sequences(
        self, before: Sequence[ast.Statement], loop: ast.While | ast.For, after: _Block, start: int, around: _Block
    ) -> dict[Name, set[int]]:
        """The arrays whose elements the loop assigns at the counter, each with the places that have a value before."""
        assigned: dict[Name, set[int]] = {}
        for node in statements_in(loop.body):
            for target in node.targets if isinstance(node, ast.Definition) else ():
                element = _element(target, self.above)
                if element is not None and (place := self._place(element)) is not None:
                    assigned.setdefault(element.head, set()).add(place)
        numbers, later = dict[Name, dict[int, ast.Expression]](), dict[Name, set[int]]()
        places, wrong = dict[Name, set[int]](), set(self.declared)
        uses = ((use, False, False) for node in before for use in self._uses(node))
        counted = ((use, True, True) for node in (loop, *after) for use in self._uses(node))
        others = ((use, False, True) for node in self.body for use in self._uses(node, {id(one) for one in around}))
        for use, is_counted, is_later in chain(uses, counted, others):
            if not isinstance(use, _Element):
                wrong.add(use)
            elif (number := use.number) is not None:
                numbers.setdefault(use.head, {}).setdefault(number, use.alone)
                if is_later:
                    later.setdefault(use.head, set()).add(number)
            elif (place := self._place(use)) is not None and is_counted:
                places.setdefault(use.head, set()).add(place)
            else:
                wrong.add(use.head)
        for element in self.given:
            numbers.setdefault(element.head, {}).setdefault(element.number or 0, element.node)
        found: dict[Name, set[int]] = {}
        for head, own in assigned.items():
            ends = min(places[head]), max(places[head])
            if head in wrong or max(later.get(head, {start - 1})) >= start + min(own) or ends[1] - ends[0] > _MOST_PLACES:
                continue
            found[head] = places[head]
            for place in range(ends[0], ends[1] + 1):
                if start + place in numbers.get(head, {}):
                    self.seen[head, place] = numbers[head][start + place]
        return found

    def _uses(self, node: ast.Node, but: Set[int] = frozenset()) -> Iterator[_Element | Name]:
        """The elements of arrays below a node, and what stands without an index; nothing of the nodes with some `id`s."""
        if id(node) in but:
            return
        plain = unaccent(node) if isinstance(node, ast.Accent) else node
        element = _element(plain, self.above)
        if element is not None:
            yield element
            base = element.node.base if isinstance(element.node, ast.Scripts | ast.Indexing) else None
            for child in children(plain) if base is not None else ():
                if child is not base:
                    yield from self._uses(child, but)
        elif isinstance(plain, (ast.Identifier, ast.Accent)) and (name := word_of(plain)) is not None:
            yield name
        else:
            for child in children(plain):
                yield from self._uses(child, but)

    # ---- the names ------------------------------------------------------------------------------

    def _made(self, heads: dict[Name, set[int]], loop: ast.While | ast.For, after: _Block, start: int) -> Iterator[ast.Statement]:
        """The loop and what stands behind it, with names for the elements of these sequences."""
        self.least = {head: min(places) for head, places in heads.items()}
        begun = frozenset(key for key in self.seen if key[0] in heads)
        while True:
            self.left = []
            body, behind = self._block(loop.body, begun)
            if begun <= (always := behind.intersection(*self.left)):
                break
            begun &= always
        first = [ast.Definition(self._name(*key), self.seen[key], span=loop.span) for key in sorted(begun, key=str)]
        rest, _ = self._block(after, begun)
        match loop:
            case ast.While(condition=condition, until=until):
                return iter((*first, replace(loop, condition=self._read(condition, behind if until else begun), body=body), *rest))
            case ast.For(binding=binding):
                return iter((*first, replace(loop, binding=self._read(binding, begun), body=body), *rest))

    def _name(self, head: Name, place: int) -> ast.Expression:
        """A name of our own for the element at a place."""
        if (head, place) not in self.names:
            word = "".join(filter(str.isalpha, str(head))) + ("Next" * place or "Before" * -place or "Now")
            while word in self.taken:
                word += "Again"
            self.taken.add(word)
            self.names[head, place] = ast.Identifier(word, "mathrm")
        return self.names[head, place]

    def _block(self, statements: _Block, valid: _Valid) -> tuple[_Block, _Valid]:
        found: list[ast.Statement] = []
        for node in statements:
            made, valid = self._statement(node, valid)
            found += made
        return tuple(found), valid

    def _statement(self, node: ast.Statement, valid: _Valid) -> tuple[Sequence[ast.Statement], _Valid]:
        match node:
            case ast.Definition() if _counts(node, self.counter):
                moved = sorted(((h, p) for h, p in valid if p > self.least[h]), key=lambda key: (key[0], key[1]))
                shifts = (ast.Definition(self._name(h, p - 1), self._name(h, p), span=node.span) for h, p in moved)
                return (node, *shifts), frozenset((h, p - 1) for h, p in moved)
            case ast.Definition(target=target, value=value):
                value = self._read(value, valid)
                domains = tuple(self._read(one, valid) for one in node.domains)
                targets, own = tuple(self._target(one, valid) for one in node.targets or (target,)), set(valid)
                for one in node.targets:
                    element = _element(one, self.above)
                    if element is not None and (key := self._key(element)) is not None:
                        if not element.rest and node.domains:
                            raise _OpenError(element.head)
                        own.add(key)
                new = replace(target, items=targets) if len(targets) > 1 and isinstance(target, ast.Group) else targets[0]
                return (replace(node, target=new, value=value, domains=domains),), frozenset(own)
            case ast.If(branches=branches, otherwise=otherwise):
                conditions = [self._read(branch.condition, valid) for branch in branches]
                arms = [self._block(arm, valid) for arm in (*(branch.body for branch in branches), otherwise or ())]
                made = tuple(replace(b, condition=c, body=a[0]) for b, c, a in zip(branches, conditions, arms, strict=False))
                last = None if otherwise is None else arms[-1][0]
                return (replace(node, branches=made, otherwise=last),), frozenset.intersection(*(arm[1] for arm in arms))
            case ast.Leave():
                self.left.append(valid)
                return (node,), valid
            case ast.For(binding=binding, body=body):
                self._check_keeps_counting(node)
                after = valid | self._filled(body)
                return (replace(node, binding=self._read(binding, valid), body=self._block(body, after)[0]),), after
            case ast.While(condition=condition, body=body):
                self._check_keeps_counting(node)
                inner, behind = self._block(body, valid)
                return (replace(node, condition=self._read(condition, behind if node.until else valid), body=inner),), valid
            case _:
                return (cast(ast.Statement, transform(node, lambda below: self._read(cast(ast.Expression, below), valid))),), valid

    def _filled(self, body: _Block) -> _Valid:
        """What the loops of each turn assign one by one, whichever branches are taken."""
        found = set[tuple[Name, int]]()
        for node in body:
            match node:
                case ast.Definition():
                    elements = (_element(target, self.above) for target in node.targets)
                    found.update(key for one in elements if one is not None and one.rest and (key := self._key(one)) is not None)
                case ast.For(body=inner):
                    found |= self._filled(inner)
                case ast.If(branches=branches, otherwise=otherwise):
                    arms = (*(branch.body for branch in branches), otherwise or ())
                    found |= frozenset.intersection(*map(self._filled, arms))
                case _:
                    pass
        return frozenset(found)

    def _check_keeps_counting(self, node: ast.Statement) -> None:
        """Decline where a loop inside of the loop counts."""
        if self._is_counted((node,)):
            raise _OpenError(next(iter(self.least)))

    def _key(self, element: _Element) -> tuple[Name, int] | None:
        place = self._place(element) if element.head in self.least else None
        return None if place is None else (element.head, place)

    def _target(self, node: ast.Expression, valid: _Valid) -> ast.Expression:
        element = _element(node, self.above)
        key = None if element is None else self._key(element)
        if element is None or key is None:
            return self._read(node, valid)
        written = element.written(self._name(*key))
        return written if isinstance(written, ast.Identifier) else cast(ast.Expression, transform(written, self._reading(valid)))

    def _read(self, node: ast.Expression, valid: _Valid) -> ast.Expression:
        """An expression with names for elements that surely have a value."""
        return cast(ast.Expression, self._reading(valid)(node))

    def _reading(self, valid: _Valid) -> Callable[[ast.Node], ast.Node]:
        def change(below: ast.Node) -> ast.Node:
            plain = unaccent(below) if isinstance(below, ast.Accent) else below
            element = _element(plain, self.above)
            key = None if element is None else self._key(element)
            if element is None or key is None:
                changed = transform(plain, change)
                return below if changed is plain else changed
            if key not in valid:
                raise _OpenError(element.head)
            written = element.written(self._name(*key))
            return written if isinstance(written, ast.Identifier) else transform(written, change)

        return change


_MOST_PLACES = 8  # so many places are handed on one by one
