r"""Names that a loop assigns without its index: local to a turn, or carried from turn to turn as a family over the turns.

v \algoEq 0                               v \algoEq 0
for t: v \algoEq v + x_t        ->        v2[0] \algoEq v;  for t: v2[t] \algoEq v2[t-1] + x_t
return v                                  return v2[S]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import difference
from mathdsl.elaborate.control.elements import Element, Key, Scope
from mathdsl.elaborate.control.first_values import is_assigned_before_it_is_read
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.merging import contains_hole, filled
from mathdsl.elaborate.control.regions import Box
from mathdsl.elaborate.control.state import Array, Slot, State
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.uses import Access, accesses, first_use, is_made_of_others, is_surely_read_first, may_read
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.versions import Meaning, kept
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.bounds import is_nonnegative
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, shifted


@dataclass
class Carried:
    """A name (or one element of an array) that a loop hands from turn to turn; `family` is its version over the turns."""

    element: Element
    loop: Loop
    family: Meaning  # at this turn
    by_elements: bool  # a whole array, assigned element by element
    is_read_later: bool
    base: ast.Definition | None
    old: Array | None = None  # of an array that is assigned element by element: what it was before
    is_read: bool = True  # whether a turn reads what the one before has handed on

    @property
    def slot(self) -> Slot:
        """The element as it is written."""
        return self.element.key, self.element.indices

    def at(self, index: ast.Expression) -> Meaning:
        """The family at another turn."""
        return Meaning(self.family.version, (*self.family.prefix[:-1], index))


@dataclass(frozen=True)
class Rest:
    """What follows in one block; `is_again`: the body of a loop from its begin, if there is another turn."""

    statements: tuple[ast.Statement, ...]
    is_again: bool = False


def is_read_later(state: State, rests: list[Rest], scope: Scope, head: Name, has_superscript: bool) -> bool:
    """Whether what follows a statement, innermost block first, may read the value that a name has there."""
    for rest in reversed(rests):
        found = may_read(_accesses(state, rest.statements, scope), head, has_superscript)
        if found or found is False and not rest.is_again:
            return found
    return False


def _accesses(state: State, statements: tuple[ast.Statement, ...], scope: Scope) -> Iterator[Access]:
    """The reads and assignments in the order of the program, those of each statement found once."""
    for statement in statements:
        key = id(statement), scope
        if key not in state.accesses:
            state.accesses[key] = statement, tuple(accesses(state.reader, (statement,), scope))
        yield from state.accesses[key][1]


def start_carrying(state: State, loop: Loop, target: Element, rests: list[Rest], by_elements: bool) -> Carried | None:
    """The family of a target that misses the loop's index; None where each turn has a value of its own."""
    element = replace(target, subscripts=(), superscript=None) if by_elements else target
    key = target.key
    head, scope = element.head, state.scope | {loop.spelling}
    is_slot = not element.is_whole
    if by_elements and target.superscript is not None:
        raise Unproved(target)
    existed = state.exists(element)
    body, later = loop.node.body, is_read_later(state, rests, scope, *key)
    use = first_use(_accesses(state, body, scope), *key)
    first = use == "read" or use == "perhaps" and (later or existed and bool(may_read(_accesses(state, body, scope), *key)))
    if not (is_slot or first or later):
        return None
    if by_elements and any(state.loop_of(item) for item in target.indices):
        raise Unproved(target)
    family = Meaning(state.new_version(element), (*state.prefix(element), loop.variable))
    carried = Carried(element, loop, family, by_elements, later or is_slot, None)
    carried.is_read = first or is_slot or by_elements or not state.loops
    if existed or use == "read" and element.is_whole:
        begin, _ = loop.turns(f"a value of `{head}` that is handed from turn to turn")
        place, value = element.written(carried.at(loop.before(begin))), _value_before(state, element, body, scope, by_elements)
        carried.base = ast.Definition(place, value if element.is_whole else kept(value), span=loop.node.binding.span)
        carried.old = state.old_array(target) if by_elements else None
    return carried


def _value_before(state: State, element: Element, body: tuple[ast.Statement, ...], scope: Scope, by_elements: bool) -> ast.Expression:
    """What a name is before the first turn: a number where it has no value there, which no turn reads."""
    head, is_given = element.head, state.exists(element)
    may_have_one = not is_surely_read_first(state.reader, body, scope, head) and is_made_of_others(state.reader, body, scope, head)
    if not is_given and (by_elements or may_have_one):
        if not is_assigned_before_it_is_read(state.reader, head, state.body):
            read = next(a.element for a in accesses(state.reader, body, scope) if a.element.head == head)
            message = f"`{readable(head)}` has no value here unless a turn before has assigned it"
            raise refuse("E0509", message, read.span, help=f"give `{readable(head)}` a value before the loop")
        return ast.Number("0", span=element.span)
    value = state.value(element)
    return filled(value) if contains_hole(value) and is_assigned_before_it_is_read(state.reader, head, state.body) else value


def enter(state: State, carried: Carried) -> None:
    """Let the name mean the value of the turn before."""
    element = carried.element
    before = carried.at(carried.loop.before(carried.loop.variable))
    if not element.is_whole:
        if carried.base is not None:
            state.single[carried.slot] = before
        return
    forget(state, element.key)
    if carried.base is not None and carried.by_elements:
        state.arrays[element.key] = Array(before, [Box({})]) if carried.old is None else replace(carried.old, meaning=before, like=None)
    elif carried.base is not None:
        state.names[element.head] = before


def reads_before(carried: Carried, body: tuple[ast.Statement, ...]) -> bool:
    """Whether a turn reads what the one before has handed on, be it only where a branch assigns nothing."""
    if carried.is_read:
        return True
    before = carried.element.written(carried.at(carried.loop.before(carried.loop.variable)))
    return any(node == before for statement in body for node in descendants(statement))


def leave(state: State, carried: Carried) -> ast.Definition | None:
    """After the loop the name means the value of its last turn; the equation for a turn's value where a statement is none."""
    element = carried.element
    place = carried.loop.node.binding.span
    if carried.slot in state.partial:
        return ast.Definition(element.written(carried.family), state.partial.pop(carried.slot), span=place)
    final = state.meaning(element)
    closing = None
    if final != carried.family and final is not None:
        closing = ast.Definition(element.written(carried.family), element.written(final), span=place)
    return closing


def after(state: State, carried: Carried) -> None:
    """What the name means behind the loop."""
    element = carried.element
    if not carried.is_read_later:
        forget(state, element.key)
        return
    _, turn = carried.loop.turns(f"the last value of `{element.head}`")
    last = carried.at(turn)
    if not element.is_whole:
        state.single[carried.slot] = last
    elif carried.by_elements and element.key in state.arrays:
        state.arrays[element.key] = Array(last, state.arrays[element.key].boxes)
        state.names.pop(element.head, None)
    else:
        forget(state, element.key)
        state.names[element.head] = last


def value_without_turns(state: State, carried: Carried) -> ast.Cases | None:
    r"""What a name is behind a loop that need not begin, `i = 1, \dots, n - 1`: its value of before where `n` is 0; None where it does.

    A value of before that reads elements needs them: whoever begins with `x_1` needs `n \geq 1`.
    """
    element, base = carried.element, carried.base
    if base is None or not element.is_whole or not carried.is_read_later:
        return None
    what = f"the last value of `{element.head}`"
    (lower, upper), (_, turn) = carried.loop.ends(what), carried.loop.turns(what)
    count = difference(upper, shifted(lower, -1))
    if count is None or carried.is_read and count.constant is not None or is_nonnegative(count if carried.is_read else count - 1):
        return None
    if carried.is_read and any(
        isinstance(node, ast.Scripts | ast.Indexing) and node != base.value for node in (base.value, *descendants(base.value))
    ):
        return None
    begins = ast.Relation((r"\leq",), (shifted(lower, -1) if carried.is_read else lower, upper), span=base.span)
    last = element.written(carried.at(turn))
    return ast.Cases((ast.CaseRow(last, begins, span=base.span), ast.CaseRow(base.value, None, span=base.span)), span=base.span)


def forget(state: State, key: Key) -> None:
    """The name has no value here."""
    state.arrays.pop(key, None)
    for slot in [s for s in state.partial if s[0] == key]:
        del state.partial[slot]
    if not key[1]:
        state.names.pop(key[0], None)
