r"""Arrays that have their first values in loops whose ranges another index moves, as arrays of zeros before that.

for i = 1..n: for j = 1..i: y_{ij} \gets e     ->     for i, j = 1..n: y_{ij} \gets 0;  for i = 1..n: for j = 1..i: y_{ij} \gets e

No such zero is ever read: every read is proved to come after an assignment of what it reads. Declines where it cannot prove that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, count, product, takewhile
from types import MappingProxyType
from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.affine import affine
from mathdsl.elaborate.control.elements import Element, Reader, Scope, names_of
from mathdsl.elaborate.control.flags import FALSE, flag_of, with_flags
from mathdsl.elaborate.control.loops import Loop, ends_of, extreme, loop_over, read_loop
from mathdsl.elaborate.control.standing import updated_parameters
from mathdsl.elaborate.control.targets import Assigned, arms_of, assigned_in
from mathdsl.elaborate.control.updates import Unbegun, Unproved, WholeArrays
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers, is_whole_axis
from mathdsl.elaborate.names.usage import Usage, all_names_below, free_letters, names_below
from mathdsl.elaborate.names.versions import Meaning
from mathdsl.elaborate.terms.bounds import outermost
from mathdsl.ir.inequalities import OPPOSITES, is_infeasible, least_of_comparison
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children

Facts: TypeAlias = tuple[Poly, ...]  # what is at least 0
Ends: TypeAlias = tuple[ast.Expression, ast.Expression]
_OPERATIONS = {"<": "less", r"\leq": "less_equal", ">": "greater", r"\geq": "greater_equal", "=": "equal", r"\neq": "not_equal"}
_MOST_WAYS = 24  # in which a read can come after an assignment: beyond this nothing is proved


def with_first_values(procedure: ast.Procedure, reader: Reader, rows: tuple[ast.Declaration, ...]) -> ast.Procedure:
    """The procedure in which such arrays are zeros before the statement that gives them their first values."""
    if not _holds_a_moved_range(procedure.body, ()):
        return procedure
    targets = list(assigned_in(reader, procedure.body, frozenset()))
    moved = dict.fromkeys(item.element.head for item in targets if _is_moved(item))
    if not moved:
        return procedure
    given, body = {*Usage.inputs_of(procedure), *updated_parameters(procedure, reader, rows)}, list(procedure.body)
    for head in moved:
        own = [item for item in targets if item.element.head == head]
        is_first = any(_is_moved(item) for item in own if item.statement is own[0].statement)
        zeros = _zeros(own) if is_first and head not in given else None
        if zeros is not None and is_assigned_before_it_is_read(reader, head, procedure.body):
            body.insert(body.index(own[0].statement), zeros)
    return replace(procedure, body=tuple(body)) if len(body) > len(procedure.body) else procedure


@dataclass(frozen=True)
class Begun:
    """Statements, each with the zeros before it that the names need which it is the first to assign.

    `flags` say of the names among them that are not proved to be assigned before they are read whether they have been.
    """

    statements: tuple[tuple[tuple[ast.Statement, ...], tuple[ast.Statement, ...]], ...]
    flags: frozenset[Name] = frozenset()


@dataclass(frozen=True)
class Typed:
    """What types say of ends: those between which integers lie, and elements of their arrays; those of the axes of arrays."""

    integers: Mapping[Name, Ends] = field(default_factory=dict)
    axes: Mapping[str, tuple[Ends, ...]] = field(default_factory=dict)


def begin(reader: Reader, body: tuple[ast.Statement, ...], carried: WholeArrays, given: Set[Name], typed: Typed) -> Begun:
    r"""The statements, and zeros before the first of what is carried everywhere; flags where reads are not proved to come after them.

    Of `y \in \{1, \dots, n\}^n`, which holds no 0, they are its least integer.
    """
    found: dict[int, list[ast.Statement]] = {}
    heads, flagged = carried.everywhere - given, dict[Name, Name]()
    targets = list(assigned_in(reader, body, frozenset())) if heads else []
    computed = {item.element.head for item in targets if item.element.is_whole}
    for head in sorted(heads):
        own = [item for item in targets if item.element.head == head]
        if own[0].element.is_whole and not own[0].inner and not own[0].is_conditional:
            continue
        elements = [item for item in own if not item.element.is_whole]
        box = _box([item for item in elements if not _is_moved_by(computed, item)] or elements, typed.integers) if elements else []
        if box is None and (axes := typed.axes.get(head)) is not None and all(len(item.element.indices) <= len(axes) for item in elements):
            box = list(axes)
        first = [item for item in elements if item.statement is own[0].statement]
        if box is None and first and all(map(_runs_through_a_box, first)):
            box = _box(first)
        least, _ = typed.integers.get(head, (ast.Number("0"), None))
        zero = ast.Identifier("0", "mathbf") if carried.of_vectors and least == ast.Number("0") else least
        zeros = None if box is None else _zeros_of(own[0].element, body, box, replace(zero, span=own[0].element.span))
        if zeros is None:
            raise Unbegun(own[0].element)
        added = found.setdefault(body.index(own[0].statement), [])
        added.append(zeros)
        if not _Proof(reader, head, _polynomials(box or ())).holds(body):
            hopeful = _Proof(reader, head, _polynomials(box or ()), trusts_indices=True, takes_branches=True)
            if _is_left_out(reader, own, hopeful, body) or not hopeful.holds(body):
                raise Unproved(own[0].element)
            flag = flag_of(own[0].element)
            flagged[head] = flag.head
            no = _zeros_of(flag, body, box or (), ast.Identifier(FALSE, span=flag.span))
            added.append(no or zeros)
    asked = frozenset(flagged)
    parts = tuple((tuple(found.get(place, ())), with_flags(reader, one, asked)) for place, one in enumerate(body))
    return Begun(parts, frozenset(flagged.values()))


def _is_left_out(reader: Reader, targets: list[Assigned], proof: _Proof, body: tuple[ast.Statement, ...]) -> bool:
    r"""Whether one branch alone may leave out what a reader asks for: a name, unless turns find it, or many elements at once.

    What is assigned whichever branches are taken, `f_a \gets a; if c \leq a: f_a \gets f_{a-c}`, no branch leaves out.
    """
    if not any(item.is_conditional for item in targets) or any(item.is_found for item in targets):
        return False
    if replace(proof, takes_branches=False).holds(body):
        return False
    is_by_turns = any(item.guarded for item in targets) or any(_is_in_all_arms(reader, item.statement, proof.head) for item in targets)
    return not is_by_turns or proof.reads_at_once(body)


def _is_in_all_arms(reader: Reader, node: ast.Statement, head: Name) -> bool:
    """Whether a statement assigns a name whichever arm is taken, unless a loop has no turns."""
    match node:
        case ast.If(otherwise=otherwise):
            return otherwise is not None and all(any(_is_in_all_arms(reader, one, head) for one in arm) for arm in arms_of(node))
        case _:
            return any(item.element.head == head and not item.is_conditional for item in assigned_in(reader, (node,), frozenset()))


def is_assigned_before_it_is_read(reader: Reader, head: Name, body: tuple[ast.Statement, ...]) -> bool:
    """Whether it is proved that every read of a name comes after an assignment."""
    return _Proof(reader, head).holds(body)


def _holds_a_moved_range(statements: Sequence[ast.Statement], letters: tuple[Name, ...]) -> bool:
    """Whether the variable of a loop around stands in the range of another one."""
    for node in statements:
        match node:
            case ast.For(binding=binding, body=body):
                if letters and not set(letters).isdisjoint(names_below(binding)):
                    return True
                if _holds_a_moved_range(body, (*letters, *bound_names(binding))):
                    return True
            case ast.If():
                if any(_holds_a_moved_range(arm, letters) for arm in arms_of(node)):
                    return True
            case _:
                pass
    return False


def _is_moved(item: Assigned) -> bool:
    """Whether one index of an element runs over a range that another one moves."""
    names = {name for index in item.element.indices for name in identifiers(index)}
    loops = {loop.spelling for loop in item.inner} & names
    ends = {loop.spelling: [end for end in (loop.lower, loop.upper) if end is not None] for loop in item.inner}
    return any(not loops.isdisjoint(identifiers(end)) for name in loops for end in ends[name])


def _zeros(targets: list[Assigned]) -> ast.Statement | None:
    """Zeros for all elements between those that are assigned; None where these are no box, or no letters run over it."""
    named, box = next((item for item in targets if _runs_through_a_box(item)), None), _box(targets)
    if named is None or box is None or len(box) > len(named.element.subscripts):
        return None
    return _zeros_over(named.element, named.element.subscripts, box, ast.Number("0", span=named.element.span))


def _zeros_of(element: Element, written: Sequence[ast.Statement], box: Sequence[Ends], zero: ast.Expression) -> ast.Statement | None:
    """Zeros over a box, by letters that the program does not have."""
    taken = {name for statement in written for name in all_names_below(statement)}
    letters = free_letters(taken)[: len(box)]
    variables = tuple(ast.Identifier(letter, span=element.span) for letter in letters)
    return _zeros_over(element, variables, box, zero) if len(variables) == len(box) else None


def _zeros_over(element: Element, variables: tuple[ast.Expression, ...], box: Sequence[Ends], zero: ast.Expression) -> ast.Statement:
    whole = replace(element, subscripts=variables, span=element.span)
    made: ast.Statement = ast.Definition(whole.written(Meaning(1)), zero, span=element.span)
    for variable, (lower, upper) in reversed(list(zip(variables, box, strict=True))):
        made = loop_over(variable, lower, upper, made)
    return made


def _box(targets: list[Assigned], counting: Mapping[Name, Ends] = MappingProxyType({})) -> list[Ends] | None:
    """The ends of each axis, between which all elements are that are assigned one by one; None where these are not known."""
    elements = [item.element for item in targets]
    if any(element.superscript is not None for element in elements):
        return None
    found: list[Ends] = []
    for axis in range(max(len(element.subscripts) for element in elements)):
        own = [item for item in targets if axis < len(item.element.subscripts) and not is_whole_axis(item.element.subscripts[axis])]
        lower, upper = (_end(own, axis, sign, counting) for sign in (-1, 1))
        if lower is None or upper is None:
            return None
        found.append((lower, upper))
    return found


def _is_moved_by(names: Set[Name], item: Assigned) -> bool:
    """Whether an index is reckoned from what statements assign: it is one of those that other statements give."""
    return any(name in names for index in item.element.indices for name in identifiers(index))


def _polynomials(box: Sequence[Ends]) -> tuple[tuple[Poly, Poly], ...]:
    ends = [(affine(lower, of_quotients=True), affine(upper, of_quotients=True)) for lower, upper in box]
    return tuple((lower, upper) for lower, upper in ends if lower is not None and upper is not None)


def _runs_through_a_box(item: Assigned) -> bool:
    """Whether each index is the variable of a loop of its own."""
    indices = item.element.indices
    return len(set(indices)) == len(indices) and set(indices) <= {loop.variable for loop in item.inner}


def _end(targets: list[Assigned], axis: int, sign: int, counting: Mapping[Name, Ends]) -> ast.Expression | None:
    """The least or the greatest index of an axis that is assigned."""
    indices = [item.element.subscripts[axis] for item in targets]
    typed = [counting.get(word_of(base_of(index)) or NO_NAME) for index in indices]
    ends = [
        found[max(sign, 0)] if found is not None else extreme(index, item.inner, sign)
        for item, index, found in zip(targets, indices, typed, strict=True)
    ]
    values = [affine(end, of_quotients=True) for end in ends]
    moving = {loop.spelling for item in targets for loop in item.inner}
    known = [value for value, end in zip(values, ends, strict=True) if value is not None and moving.isdisjoint(identifiers(end))]
    found = outermost(known, sign > 0) if len(known) == len(values) else None
    return None if found is None else ends[values.index(found)]


@dataclass(frozen=True)
class _Place:
    """A place in a program: the loops around, what is known there, case by case, and when its statement comes in the text.

    `is_sure`: a turn of the loops comes there wherever one of the cases holds. `turns`: the cases if all branches are taken.
    """

    loops: tuple[Loop, ...] = ()
    cases: tuple[Facts, ...] = ((),)
    turns: tuple[Facts, ...] = ((),)
    is_sure: bool = True
    time: int = 0

    def knowing(self, cases: tuple[Facts, ...] | None, is_branch: bool = False) -> _Place:
        """The place where one of these cases holds too; None: no polynomials say when a turn comes there."""
        if cases is None:
            return replace(self, is_sure=False)
        both = tuple(a + b for a, b in product(self.cases, cases))
        return replace(self, cases=both, turns=self.turns if is_branch else tuple(a + b for a, b in product(self.turns, cases)))


@dataclass(frozen=True)
class _Use:
    """A read or an assignment of an element; its indices, None where they are not reckoned from sizes and loops."""

    indices: tuple[Poly, ...] | None
    place: _Place
    is_read: bool
    whole: Set[Poly] = frozenset()  # the indices among them that stand for a whole axis
    arms: tuple[tuple[_Use, ...], ...] = ()  # instead: what a branch outside of loops assigns in each of its arms


@dataclass(frozen=True)
class _Proof:
    """That every read of an array comes after an assignment of the element that it reads."""

    reader: Reader
    head: Name
    box: tuple[tuple[Poly, Poly], ...] = ()  # the ends of the axes, between which all reads are, and a read of the whole is everywhere
    trusts_indices: bool = False  # whether all indices that are computed are those wanted
    takes_branches: bool = False  # whether all branches are taken
    clock: Iterator[int] = field(default_factory=count)

    def holds(self, body: tuple[ast.Statement, ...]) -> bool:
        """Whether that is proved."""
        found = list(self._uses(body, _Place()))
        uses, choices = [use for use in found if not use.arms], [use.arms for use in found if use.arms]
        writes = [use for use in uses if not use.is_read and (use.place.is_sure or self.takes_branches)]
        if self.trusts_indices:
            uses = [use for use in uses if use.indices is not None]
        if self.takes_branches:
            writes = [replace(write, place=replace(write.place, cases=write.place.turns)) for write in writes]
            uses = [] if any(not write.indices for write in writes) else uses
        return all(
            self._is_written(use, writes) or any(all(self._is_written(use, [*writes, *arm]) for arm in arms) for arms in choices)
            for use in uses
            if use.is_read
        )

    def reads_at_once(self, body: tuple[ast.Statement, ...]) -> bool:
        r"""Whether many elements are read as one: the whole, `\sum_i y_i`."""
        many = {f"{self.head} {axis}" for axis in range(len(self.box))}
        for use in self._uses(body, _Place()) if self.box else ():
            bound = {str(loop.spelling) for loop in use.place.loops if not loop.node.body}
            if use.is_read and any(not (many | bound).isdisjoint(index.names) for index in use.indices or ()):
                return True
        return False

    # ---- what is read and assigned ----------------------------------------------------------------

    def _uses(self, statements: Sequence[ast.Statement], place: _Place) -> Iterator[_Use]:
        """The reads and assignments of the array, in the order of the text."""
        for statement in statements:
            place = replace(place, time=next(self.clock))
            match statement:
                case ast.Definition(function=(_, parameters)) if self.head in names_of(parameters):
                    pass
                case ast.Definition(function=None, domains=(), targets=targets, value=value):
                    yield from self._reads(value, place)
                    for target in targets:
                        found = self.reader.split(target, _scope(place))
                        if found is not None and found[0].head == self.head:
                            yield self._use(found[0], replace(place, time=next(self.clock)), is_read=False)
                case ast.For(binding=binding, body=body):
                    yield from self._reads(binding, place)
                    loop = read_loop(statement, binding)
                    inside = replace(place, loops=(*place.loops, loop))
                    inside = inside.knowing(self._range(inside, loop.variable, loop.lower, loop.upper))
                    own = list(self._uses(body, inside))
                    yield from own
                    yield from (blocks for use in own if (blocks := self._of_blocks(use, inside, place)) is not None)
                case ast.If(branches=branches, otherwise=otherwise):
                    arm, arms = place, list[list[_Use]]()
                    for branch in branches:
                        yield from self._reads(branch.condition, place)
                        arms.append(list(self._uses(branch.body, arm.knowing(self._cases(branch.condition, place, True), is_branch=True))))
                        arm = arm.knowing(self._cases(branch.condition, place, False), is_branch=True)
                    arms.append(list(self._uses(otherwise or (), arm)))
                    yield from chain(*arms)
                    if place.is_sure and any(not use.is_read and not use.place.is_sure for use in arms[0]):
                        yield from self._in_all_arms(arms, replace(place, time=next(self.clock)))
                        if not place.loops and otherwise is not None:
                            yield self._choice([*(branch.body for branch in branches), otherwise], place)
                case _:
                    yield from self._reads(statement, replace(place, loops=()))

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
        after = replace(place, loops=(*place.loops, whole), is_sure=use.place.is_sure, time=next(self.clock))
        return replace(use, place=after.knowing(self._range(after, loop.variable, first, last)))

    def _choice(self, arms: list[tuple[ast.Statement, ...]], place: _Place) -> _Use:
        """What each arm assigns if it is taken."""
        taken = (tuple(use for use in self._uses(arm, place) if not use.is_read and use.place.is_sure) for arm in arms)
        return _Use(None, place, is_read=False, arms=tuple(taken))

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
                if found is not None and found[0].head == self.head:
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

    def _use(self, element: Element, place: _Place, is_read: bool) -> _Use:
        all_of = [Poly.of(f"{self.head} {axis}") for axis in range(len(self.box))]
        indices = [
            all_of[axis] if axis < len(all_of) and is_whole_axis(item) else self._index(item, place)
            for axis, item in enumerate(element.subscripts[: len(self.box) or None])
        ]
        known = tuple(index for index in indices if index is not None)
        if len(known) < len(indices) or element.superscript is not None:
            return _Use(None, place, is_read)
        known = (*known, *all_of[len(known) :])
        for index, (lower, upper) in zip(known, self.box if is_read else (), strict=False):
            place = place.knowing(((index - lower, upper - index),))
        return _Use(known, place, is_read, frozenset(all_of))

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

    def _link(self, operator: str, left: ast.Expression, right: ast.Expression, place: _Place, holds: bool) -> tuple[Facts, ...] | None:
        low, high, op = self._index(left, place), self._index(right, place), _OPERATIONS.get(operator)
        if low is None or high is None or op is None:
            return None
        op = op if holds else OPPOSITES[op]
        return ((high - low - 1,), (low - high - 1,)) if op == "not_equal" else (least_of_comparison(op, high - low),)

    # ---- the proof --------------------------------------------------------------------------------

    def _is_written(self, read: _Use, writes: list[_Use]) -> bool:
        """Whether what is read was assigned before, in every case."""
        ways = [way for write in writes for way in _ways(write, read)]
        cases = [case for case in read.place.cases if not any(is_infeasible(case, fact) for fact in case)]
        return read.indices is not None and len(ways) <= _MOST_WAYS and all(_is_covered(case, ways) for case in cases)


def _scope(place: _Place) -> Scope:
    return frozenset(loop.spelling for loop in place.loops)


def _joined(parts: list[tuple[Facts, ...] | None], all_hold: bool) -> tuple[Facts, ...] | None:
    """The cases of several conditions of which all hold, or one does."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return tuple(sum(several, ()) for several in product(*known)) if all_hold else tuple(case for part in known for case in part)


def _ways(write: _Use, read: _Use) -> Iterator[Facts]:
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


def _is_covered(facts: Facts, ways: list[Facts]) -> bool:
    """Whether one of the ways is there wherever the facts hold."""
    if not ways:
        return False
    for needed in ways[0]:
        if is_infeasible(facts, -needed - 1):
            continue
        if is_infeasible(facts, needed):
            return _is_covered(facts, ways[1:])
        if not _is_covered((*facts, -needed - 1), ways[1:]):
            return False
        facts = (*facts, needed)
    return True
