"""Proof that every read of a name comes after an assignment of what it reads, by Fourier-Motzkin over the turns of loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, count, product, takewhile
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.elements import Element, Reader, Scope, names_of
from mathdsl.elaborate.control.loops import Loop, ends_of, extreme, read_loop
from mathdsl.elaborate.core.nodes import unmarked
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import bound_names, is_whole_axis
from mathdsl.ir.inequalities import OPPOSITES, is_infeasible, least_of_comparison
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children

Facts: TypeAlias = tuple[Poly, ...]  # what is at least 0
_OPERATIONS = {"<": "less", r"\leq": "less_equal", ">": "greater", r"\geq": "greater_equal", "=": "equal", r"\neq": "not_equal"}
_MOST_WAYS = 24  # in which a read can come after an assignment: beyond this nothing is proved


@dataclass(frozen=True)
class _Place:
    """A place in a program: the loops around, what is known there, case by case, and when its statement comes in the text.

    `doubts`: how many conditions around are none of indices. `turns`: the cases if all branches are taken.
    """

    loops: tuple[Loop, ...] = ()
    cases: tuple[Facts, ...] = ((),)
    turns: tuple[Facts, ...] = ((),)
    doubts: int = 0
    time: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether a turn of the loops comes there wherever one of the cases holds."""
        return self.doubts == 0

    def knowing(self, cases: tuple[Facts, ...] | None, is_branch: bool = False) -> _Place:
        """The place where one of these cases holds too; None: no polynomials say when a turn comes there."""
        if cases is None:
            return replace(self, doubts=self.doubts + 1)
        both = tuple(a + b for a, b in product(self.cases, cases))
        return replace(self, cases=both, turns=self.turns if is_branch else tuple(a + b for a, b in product(self.turns, cases)))


@dataclass(frozen=True)
class _Use:
    """A read or an assignment of an element; its indices, None where they are not reckoned from sizes and loops."""

    indices: tuple[Poly, ...] | None
    place: _Place
    is_read: bool
    whole: Set[Poly] = frozenset()  # the indices among them that stand for a whole axis
    element: Element | None = None  # that is read or assigned


@dataclass(frozen=True)
class Proof:
    """That every read of an array comes after an assignment of the element that it reads."""

    reader: Reader
    head: Name
    box: tuple[tuple[Poly, Poly], ...] = ()  # the ends of the axes, between which all reads are, and a read of the whole is everywhere
    trusts_indices: bool = False  # whether all indices that are computed are those wanted
    takes_branches: bool = False  # whether all branches are taken
    above: bool = False  # whether elements have an index above, which is their first one here
    owns_name: bool = True  # whether the name alone is all of it, not another array without indices above
    is_whole: bool = False  # whether the name is assigned whole, and elements are parts of that
    takes_turns: bool = False  # whether all loops have turns
    stays_inside: bool = True  # whether reads are taken to be in the box
    is_possible: bool = False  # whether it is enough that some assignment may come before
    clock: Iterator[int] = field(default_factory=count)
    first: tuple[tuple[Poly, ...], ...] = ()  # elements that are given before the first statement

    def holds(self, body: tuple[ast.Statement, ...]) -> bool:
        """Whether that is proved."""
        return next(self.unproved(body), None) is None

    def unproved(self, body: tuple[ast.Statement, ...]) -> Iterator[Element]:
        """The elements whose reads are not proved to come after their assignment."""
        uses = list(self._uses(body, _Place()))
        writes = [use for use in uses if not use.is_read and (use.place.is_sure or self.takes_branches or self.is_possible)]
        writes += [_Use(place, _Place(time=-1), is_read=False) for place in self.first]
        if self.trusts_indices:
            uses = [use for use in uses if use.indices is not None]
        if self.takes_branches:
            writes = [replace(write, place=replace(write.place, cases=write.place.turns)) for write in writes]
            uses = [] if any(not write.indices for write in writes) else uses
        for use in uses:
            if use.is_read and use.element is not None and not self._is_written(use, writes):
                yield use.element

    def surely_unwritten(self, body: tuple[ast.Statement, ...]) -> Iterator[Element]:
        """The elements that the first turns of loops read, whatever branches are taken, before any statement can have assigned them."""
        found = list(replace(self, stays_inside=False)._uses(body, _Place()))
        writes = [use for use in found if not use.is_read]
        times = {use.place.time for use in found if use.is_read}
        made_of_itself = self.is_whole and all(use.place.time - 1 in times for use in writes if use.element is not None)  # `c \gets c + 1`
        writes += [_Use(place, _Place(time=-1), is_read=False) for place in self.first]
        for use in found:
            if not use.is_read or use.element is None or any(write.indices is None for write in writes):
                continue
            if made_of_itself:
                yield use.element
            elif use.indices is not None and use.place.doubts == 0 and use.place.cases == use.place.turns:
                ways = [way for write in writes for way in _ways(write, use, is_any=True)]
                cases = [(*case, *_first_turn(use.place.loops)) for case in use.place.cases]
                if all(map(_may_hold, cases)) and not any(_may_hold((*case, *way)) for case in cases for way in ways):
                    yield use.element

    def too_early(self, body: tuple[ast.Statement, ...]) -> Iterator[Element]:
        """The elements that a later turn or statement assigns, of which none is proved to assign them before their reads."""
        uses = list(self._uses(body, _Place()))
        writes = [use for use in uses if not use.is_read]
        given = [_Use(place, _Place(time=-1), is_read=False) for place in self.first]
        sizes = [Poly.of(str(name)) - 1 for name in self.reader.sizes]  # where loops have turns
        for use in uses if all(write.indices is not None for write in writes) else ():
            if not use.is_read or use.indices is None or use.element is None:
                continue
            proved = [way for write in (*writes, *given) for way in _ways(write, use)]
            if all(_is_covered((*case, *sizes), proved) for case in use.place.cases):
                continue
            possible = [way for write in (*writes, *given) for way in _ways(write, use, is_any=True)]
            ever = [_apart(way) for write in writes for way in _ways(_at_the_start(write), use, is_any=True)]
            both = [(*case, *way, *sizes) for case, way in product(use.place.cases, ever)]
            regions = (region for facts in both if _may_hold(facts) for region in _uncovered(facts, proved) if _may_hold(region))
            if any(not any(_may_hold((*region, *way)) for way in possible) for region in regions):
                yield use.element

    # ---- what is read and assigned ----------------------------------------------------------------

    def _uses(self, statements: Sequence[ast.Statement], place: _Place) -> Iterator[_Use]:
        """The reads and assignments of the array, in the order of the text."""
        for statement in statements:
            place = replace(place, time=next(self.clock))
            match statement:
                case ast.Definition(function=(_, parameters)) if self.head in names_of(parameters):
                    pass
                case ast.Definition(function=None, ranges=(), targets=targets, value=value):
                    yield from self._reads(value, place)
                    for target in targets:
                        found = self.reader.split(target, _scope(place))
                        if found is not None and found[0].head == self.head:
                            yield self._use(found[0], replace(place, time=next(self.clock)), is_read=False)
                case ast.Definition(function=None, ranges=ranges) if ranges:
                    yield from self._over_ranges(statement, place)
                case ast.EquationGroup(body=body):
                    yield from self._uses(body, place)
                case ast.For(binding=binding, body=body):
                    yield from self._reads(binding, place)
                    loop = read_loop(statement, binding)
                    inside = replace(place, loops=(*place.loops, loop))
                    if not self.takes_turns:
                        inside = inside.knowing(self._range(inside, loop.variable, loop.lower, loop.upper))
                    own = list(self._uses(body, inside))
                    yield from own
                    yield from (blocks for use in own if (blocks := self._of_blocks(use, inside, place)) is not None)
                case ast.If(branches=branches, otherwise=otherwise):
                    arm, arms, sure = place, list[list[_Use]](), list[list[_Use]]()
                    for branch in branches:
                        yield from self._reads(branch.condition, arm)
                        holds, fails = self._arms(branch, place)
                        inside = arm.knowing(holds, is_branch=True)
                        arms.append(list(self._uses(branch.body, inside)))
                        sure.append([use for use in arms[-1] if use.place.doubts == inside.doubts])
                        arm = arm.knowing(fails, is_branch=True)
                    arms.append(list(self._uses(otherwise or (), arm)))
                    sure.append([use for use in arms[-1] if use.place.doubts == arm.doubts])
                    yield from chain(*arms)
                    if place.is_sure and any(not use.is_read and not use.place.is_sure for use in arms[0]):
                        yield from self._in_all_arms(sure, replace(place, time=next(self.clock)))
                case _:
                    yield from self._reads(statement, replace(place, loops=()))

    def _over_ranges(self, node: ast.Definition, place: _Place) -> Iterator[_Use]:
        """The reads and assignments of a definition over ranges, which may read itself in any order."""
        inside = place
        for binding in node.ranges:
            try:
                loop = read_loop(ast.For(binding, (), span=node.span), binding)
            except MathdslError:
                inside = inside.knowing(None)
                continue
            inside = replace(inside, loops=(*inside.loops, loop))
            inside = inside.knowing(self._range(inside, loop.variable, loop.lower, loop.upper))
        found = [split[0] for target in node.targets if (split := self.reader.split(target, _scope(inside))) is not None]
        if all(element.head != self.head for element in found):
            yield from self._reads(node.value, inside)
        for element in found:
            if element.head == self.head:
                yield self._use(element, replace(inside, time=next(self.clock)), is_read=False)

    def _of_blocks(self, use: _Use, inside: _Place, place: _Place) -> _Use | None:
        """What blocks that follow each other assign when the last is there, `c = (g - 1) d + 1, …, g d` for `g = 1, …, n`: `1, …, n d`."""
        if use.is_read:
            return None
        outer, *inner = use.place.loops[len(place.loops) :]
        if len(inner) != 1 or outer.step < 0 or inner[0].step < 0 or None in (outer.lower, outer.upper):
            return None
        (loop,), letter = inner, str(outer.spelling)
        ends = [None if end is None else self._index(end, inside) for end in (loop.lower, loop.upper)]
        within = self._range(replace(inside, loops=use.place.loops), loop.variable, loop.lower, loop.upper)
        lower, upper = ends
        if lower is None or upper is None or use.indices is None or any(letter in index.names for index in use.indices):
            return None
        follows = lower.substitute({letter: Poly.of(letter) + 1}) == upper + 1 and letter in lower.names
        if not follows or use.place.cases != inside.knowing(within).cases:
            return None
        assert loop.lower is not None
        assert loop.upper is not None
        first, last = extreme(loop.lower, (outer,), -1), extreme(loop.upper, (outer,), 1)
        whole = replace(loop, node=ast.For(loop.node.binding, (), span=loop.node.span), lower=first, upper=last)
        after = replace(place, loops=(*place.loops, whole), doubts=use.place.doubts, time=next(self.clock))
        return replace(use, place=after.knowing(self._range(after, loop.variable, first, last)))

    @staticmethod
    def _in_all_arms(arms: list[list[_Use]], place: _Place) -> Iterator[_Use]:
        """What every arm assigns, whichever is taken."""
        writes = [[use for use in arm if not use.is_read and use.place.loops == place.loops] for arm in arms]
        for indices in dict.fromkeys(use.indices for use in writes[0]):
            ways = [[case for use in arm if use.indices == indices for case in use.place.cases] for arm in writes]
            if all(_is_covered(case, way) for way in ways for case in place.cases):
                yield _Use(indices, place, is_read=False)

    def _reads(self, node: ast.Node, place: _Place) -> Iterator[_Use]:
        """The reads of the array in an expression."""
        match node:
            case ast.Reduction(subscript=ast.Relation(operands=(variable, *_)) as binding, superscript=above):
                ends: tuple[ast.Expression | None, ast.Expression | None] = None, None
                match binding:
                    case ast.Relation(operators=("=",), operands=(_, lower)) if above is not None:
                        ends = lower, above
                    case ast.Relation(operators=(r"\in",), operands=(_, values)):
                        ends = ends_of(values)
                    case _:
                        pass
                own = ast.For(binding, (), span=binding.span)
                inside = replace(place, loops=(*place.loops, *(Loop(own, variable, name, *ends) for name in bound_names(binding))))
                within = self._range(inside, variable, *ends) if ends != (None, None) else self._cases(binding, inside, True)
                yield from self._reads(node.body, inside.knowing(within))
            case ast.Identifier() | ast.Accent() | ast.Scripts() | ast.Indexing():
                found = self.reader.split(node, _scope(place))
                if found is not None and self._is_of(found[0]):
                    yield self._use(found[0], place, is_read=True)
                inside_of = children(node) if found is None else (*found[0].indices, *(() if found[1] is None else (found[1],)))
                for child in inside_of:
                    yield from self._reads(child, place)
            case ast.Cases(rows=rows):
                row = place
                for one in rows:
                    yield from () if one.condition is None else self._reads(one.condition, row)
                    there = row if one.condition is None else row.knowing(self._cases(one.condition, row, True), is_branch=True)
                    yield from self._reads(one.value, there)
                    row = row if one.condition is None else row.knowing(self._cases(one.condition, row, False), is_branch=True)
            case ast.Logic(operator="and" | "or" as operator, operands=operands):
                for operand in operands:
                    yield from self._reads(operand, place)
                    place = place.knowing(self._cases(operand, place, operator == "and"), is_branch=True)
            case _:
                for child in children(node):
                    yield from self._reads(child, place)

    def _is_of(self, element: Element) -> bool:
        """Whether an element is one of the array, or all of it."""
        return element.head == self.head or element.is_whole and self.owns_name and element.head == unmarked(self.head)

    def _use(self, element: Element, place: _Place, is_read: bool) -> _Use:
        all_of = [Poly.of(f"{self.head} {axis}") for axis in range(len(self.box))]
        indices = [
            all_of[axis] if axis < len(all_of) and is_whole_axis(item) else self._index(item, place)
            for axis, item in enumerate(() if self.is_whole else element.places[: len(self.box) or None])
        ]
        known = tuple(index for index in indices if index is not None)
        is_part = not is_read and (self.box or self.is_whole) and len(element.places) > len(self.box)
        is_other = not element.is_whole and (element.superscript is not None) != self.above
        if len(known) < len(indices) or is_other or is_part:
            return _Use(None, place, is_read, element=element)
        known = (*known, *all_of[len(known) :])
        bare = {str(loop.spelling) for loop in place.loops if loop.lower is None or loop.upper is None}
        for index, (lower, upper) in zip(known, self.box if is_read else (), strict=False):
            if self.stays_inside or not bare.isdisjoint(index.names):  # a sum goes through the elements that there are
                place = place.knowing(((index - lower, upper - index),))
        return _Use(known, place, is_read, frozenset(all_of), element=element)

    def _index(self, node: ast.Expression, place: _Place) -> Poly | None:
        """An index that is reckoned from sizes and the variables of loops, each of which is bound once."""
        value = affine(node, of_quotients=True)
        letters = [str(loop.spelling) for loop in place.loops]
        known = {*map(str, self.reader.sizes - set(letters)), *(letter for letter in letters if letters.count(letter) == 1)}
        return value if value is not None and value.names <= known else None

    def _range(self, place: _Place, variable: ast.Expression, *ends: ast.Expression | None) -> tuple[Facts, ...] | None:
        """That a variable lies between both ends."""
        index, lower, upper = (None if node is None else self._index(node, place) for node in (variable, *ends))
        return None if index is None or lower is None or upper is None else ((index - lower, upper - index),)

    def _cases(self, condition: ast.Expression, place: _Place, holds: bool) -> tuple[Facts, ...] | None:
        """The cases in which a condition on indices holds, or does not; None for any other condition."""
        match condition:
            case ast.Group(items=(inner,)):
                return self._cases(inner, place, holds)
            case ast.Logic(operator="not", operands=(inner,)):
                return self._cases(inner, place, not holds)
            case ast.Logic(operator="and" | "or" as operator, operands=operands):
                return _joined([self._cases(operand, place, holds) for operand in operands], (operator == "and") == holds)
            case ast.Relation(operators=operators, operands=operands):
                links = zip(operators, operands[:-1], operands[1:], strict=True)
                return _joined([self._link(operator, left, right, place, holds) for operator, left, right in links], holds)
            case _:
                return None

    def _arms(self, branch: ast.Branch, place: _Place) -> tuple[tuple[Facts, ...] | None, tuple[Facts, ...] | None]:
        """The cases in which a branch is taken, and is not; outside of loops any condition is one number, 1 where it holds."""
        holds, fails = (self._cases(branch.condition, place, sign) for sign in (True, False))
        if place.loops or holds is not None and fails is not None:
            return holds, fails
        taken = Poly.of(f"{branch.span.start} taken at {place.time}")
        return ((taken - 1,),), ((-taken,),)

    def _link(self, operator: str, left: ast.Expression, right: ast.Expression, place: _Place, holds: bool) -> tuple[Facts, ...] | None:
        low, high, op = self._index(left, place), self._index(right, place), _OPERATIONS.get(operator)
        if low is None or high is None or op is None:
            return None
        op = op if holds else OPPOSITES[op]
        return ((high - low - 1,), (low - high - 1,)) if op == "not_equal" else (least_of_comparison(op, high - low),)

    # ---- the proof --------------------------------------------------------------------------------

    def _is_written(self, read: _Use, writes: list[_Use]) -> bool:
        """Whether what is read was assigned before, in every case."""
        ways = [way for write in writes for way in _ways(write, read, self.is_possible)]
        cases = [case for case in read.place.cases if not any(is_infeasible(case, fact) for fact in case)]
        if self.is_possible:
            both = [(*case, *way) for case in cases for way in ways]
            unknown = read.indices is None or any(write.indices is None for write in writes)
            return unknown or any(map(_may_hold, both))
        return read.indices is not None and len(ways) <= _MOST_WAYS and all(_is_covered(case, ways) for case in cases)


def _first_turn(loops: tuple[Loop, ...]) -> Facts:
    ends = ((loop, loop.lower if loop.step > 0 else loop.upper) for loop in loops)
    firsts = [(loop, affine(end)) for loop, end in ends if end is not None]
    facts = [Poly.of(str(loop.spelling)) - end for loop, end in firsts if end is not None]
    return tuple(sign for fact in facts for sign in (fact, -fact))


def _at_the_start(write: _Use) -> _Use:
    """An assignment as if its loops stood before all other statements."""
    loops = tuple(replace(loop, node=replace(loop.node)) for loop in write.place.loops)
    return replace(write, place=replace(write.place, loops=loops, time=-1))


def _may_hold(facts: Facts) -> bool:
    return not any(is_infeasible(facts, fact) for fact in facts)


def _scope(place: _Place) -> Scope:
    return frozenset(loop.spelling for loop in place.loops)


def _joined(parts: list[tuple[Facts, ...] | None], all_hold: bool) -> tuple[Facts, ...] | None:
    """The cases of several conditions of which all hold, or one does."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return tuple(sum(several, ()) for several in product(*known)) if all_hold else tuple(case for part in known for case in part)


def _ways(write: _Use, read: _Use, is_any: bool = False) -> Iterator[Facts]:
    """The ways in which a turn of an assignment gives the element before a read: each with what holds then where the read stands."""
    if write.indices is None or read.indices is None or len(write.indices) != len(read.indices):
        return
    own = {str(loop.spelling): Poly.of(f"{loop.spelling}'") for loop in write.place.loops}
    pairs = zip(write.place.loops, read.place.loops, strict=False)
    shared = [one for one, _ in takewhile(lambda pair: pair[0].node is pair[1].node, pairs)]
    same = [a.substitute(own) - b for a, b in zip(write.indices, read.indices, strict=True) if a not in write.whole]
    for case, turns in product(write.place.cases, range(len(shared) + 1)):
        facts, equal = [fact.substitute(own) for fact in case], list(same)
        if turns == len(shared) and write.place.time > read.place.time:
            continue
        for position, loop in enumerate(shared[: turns + 1]):
            ahead = (Poly.of(str(loop.spelling)) - own[str(loop.spelling)]) * loop.step
            if position == turns:
                facts.append(ahead - 1)
            else:
                equal.append(ahead)
        if is_any:
            yield (*facts, *equal, *(-fact for fact in equal))
            continue
        found = _without_own(facts, equal, write.place.loops, own)
        if found is not None:
            yield found


def _without_own(facts: list[Poly], equal: list[Poly], loops: tuple[Loop, ...], own: dict[str, Poly]) -> Facts | None:
    """Facts without the variables of an assignment's turn: they are what the equations say, else those of the first turn."""
    hidden = {name for value in own.values() for name in value.names}
    firsts = ((loop, affine(end)) for loop in loops if (end := loop.lower if loop.step > 0 else loop.upper) is not None)
    equal += [fact for fact in facts if -fact in facts]
    waiting = [*equal, *(own[str(loop.spelling)] - first.substitute(own) for loop, first in firsts if first is not None)]
    for position in range(len(waiting)):
        equation = waiting[position]
        solved = next(
            (name for name in sorted(equation.names & hidden) if (f := equation.coefficient(name)) and f.constant in (1, -1)), None
        )
        if solved is None:
            facts += [equation, -equation] if position < len(equal) else []
            continue
        factor = equation.coefficient(solved)
        assert factor is not None
        value = {solved: Poly.of(solved) - equation * factor}
        facts, waiting = [fact.substitute(value) for fact in facts], [other.substitute(value) for other in waiting]
    return tuple(facts) if all(hidden.isdisjoint(fact.names) for fact in facts) else None


def _apart(way: Facts) -> Facts:
    """Facts about a turn of an assignment beside those about another turn of it."""
    names = {name: Poly.of(f"{name}'") for fact in way for name in fact.names if name.endswith("'")}
    return tuple(fact.substitute(names) for fact in way)


def _is_covered(facts: Facts, ways: list[Facts]) -> bool:
    """Whether one of the ways is there wherever the facts hold."""
    return next(_uncovered(facts, ways), None) is None


def _uncovered(facts: Facts, ways: list[Facts]) -> Iterator[Facts]:
    """The cases in which facts hold, and none of the ways is there."""
    if not ways:
        yield facts
        return
    for needed in ways[0]:
        if is_infeasible(facts, -needed - 1):
            continue
        if is_infeasible(facts, needed):
            yield from _uncovered(facts, ways[1:])
            return
        yield from _uncovered((*facts, -needed - 1), ways[1:])
        facts = (*facts, needed)
