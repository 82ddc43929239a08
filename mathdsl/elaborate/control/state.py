r"""What every name means at a place in the program: its version, and under an update of an array, which one each element has."""

from __future__ import annotations

from typing import TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.names import ELEMENT_OR_SYMBOL
from mathdsl.elaborate.control.affine import distance
from mathdsl.elaborate.control.elements import Element, Key, Reader, Scope
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.plain_targets import indices_of
from mathdsl.elaborate.control.regions import Box, Side, is_apart
from mathdsl.elaborate.control.updates import Unproved
from mathdsl.elaborate.control.uses import Access
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.names import Name, readable, spelling_of
from mathdsl.elaborate.names.spelling import is_whole_axis
from mathdsl.elaborate.names.usage import free_letters
from mathdsl.elaborate.names.versions import Meaning, versioned
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

Slot: TypeAlias = tuple[Key, tuple[ast.Expression, ...]]  # one element, or a whole name, as it is written
_SELF_CONTAINED = (ast.Identifier, ast.Number, ast.Accent, ast.Scripts, ast.Indexing, ast.Group, ast.Command, ast.Hole)


@dataclass
class Array:
    """An array whose elements are assigned: its version, and which elements that version defines.

    `like` is the version before a name was assigned whole: the new one is taken to have its elements, which elaboration checks.
    """

    meaning: Meaning
    boxes: list[Box]
    is_input: bool = False
    like: Meaning | None = None


@dataclass
class Update:
    """A version of an array that running loops are defining, element by element."""

    element: Element
    old: Array
    meaning: Meaning
    box: Box
    outermost: Loop
    open: list[tuple[int, Loop]]  # the axes that running loops go through, outermost first
    statement: ast.Statement  # that of the outermost loop's body in which the elements are assigned
    begun: bool = False  # whether this turn has come to that statement
    done: bool = False  # whether the element of this turn has its new value
    reads_others: bool = False  # whether elements of earlier turns are read, which the copies of the old ones stand beside
    is_read: bool = False  # whether this version is read while it is being defined

    def pick(self, element: Element) -> Meaning:
        """Which version an element has now: elements of earlier turns the new one, those of later turns the old one."""
        for axis, loop in self.open:
            if not self.begun and loop is not self.outermost:
                break
            item = element.axes.get(axis)
            steps = None if item is None else distance(item, loop.variable)
            if steps is None:
                raise Unproved(element)
            if steps:
                self.reads_others = self.reads_others or steps * loop.step < 0
                return self._version(steps * loop.step < 0)
        return self._version(self.done)

    def _version(self, is_new: bool) -> Meaning:
        self.is_read = self.is_read or is_new
        return self.meaning if is_new else self.old.meaning


def no_array(node: ast.Expression) -> MathdslError:
    r"""The mistake of an element, `x_{k+1}`, at an index that no loop counts, where nothing says what else is in its array."""
    name, index = head_of(node), next(iter(indices_of(node)), None)
    if name is None or index is None:
        return unsupported("this left side below a branch or `while`", node.span, help="assign names, or elements such as `y_i`")
    array, written = readable(name), f"{readable(name)}[{render_expression(index)}]"
    help = rf"begin with `{array} \gets \mathbf{{0}}_n` for an array, and write `{written}`; what turns hand on is a name without an index"
    return unsupported(f"an element at a computed index, `{render_expression(node)}`, of what is no array yet,", node.span, help)


@dataclass
class State:
    """The names of a program at one place."""

    reader: Reader
    header: frozenset[Name]
    body: tuple[ast.Statement, ...]  # all of the program
    sides: dict[tuple[str, int], Side] = field(default_factory=dict)  # what the axes of inputs, counted from 1, run over
    names: dict[Name, Meaning] = field(default_factory=dict)  # assigned whole
    arrays: dict[Key, Array] = field(default_factory=dict)  # assigned by elements
    before: dict[Name, Array] = field(default_factory=dict)  # what names that are assigned whole were before
    updates: dict[Key, Update] = field(default_factory=dict)
    single: dict[Slot, Meaning] = field(default_factory=dict)  # elements with a value that their array does not hold yet
    guarded: dict[Key, list[tuple[int, Loop]]] = field(default_factory=dict)
    counts: dict[Key, int] = field(default_factory=dict)  # how many versions there are
    partial: dict[Slot, ast.Expression] = field(default_factory=dict)  # values in some branches only, for later branches to complete
    pending: set[Slot] = field(default_factory=set)  # elements that a later statement of the turn gives to their array
    assigned: frozenset[Name] = frozenset()  # names that some statement of the program assigns
    constants: frozenset[Name] = (
        frozenset()
    )  # reserved letters that are assigned with subscripts only: without, they are what they are reserved for
    accesses: dict[tuple[int, Scope], tuple[ast.Statement, tuple[Access, ...]]] = field(default_factory=dict)  # by statement (its `id`)
    begun: set[Name] = field(default_factory=set)  # names that a statement so far has assigned, or a loop around assigns
    ended: dict[Name, Loop] = field(default_factory=dict)  # index variables of loops that are over
    loops: list[Loop] = field(default_factory=list)
    arms: list[dict[Slot, ast.Expression]] = field(default_factory=list)  # what the branches around have assigned

    @property
    def scope(self) -> Scope:
        """The index variables of the loops around."""
        return frozenset(loop.spelling for loop in self.loops)

    def read(self, node: ast.Expression) -> ast.Expression:
        """An expression with every name as it is meant here."""
        return self.reader.rewrite(node, self.scope, self.look)

    def look(self, element: Element) -> ast.Expression | None:
        """What stands for an element; None: what is written."""
        self._check_has_value(element)
        found = self._of_branch(element) or self.partial.get((element.key, element.indices))
        if found is not None:
            return found if isinstance(found, _SELF_CONTAINED) else ast.Group((found,), span=found.span)
        meaning = self.meaning(element)
        return None if meaning is None or meaning.is_plain else element.written(meaning)

    def _check_has_value(self, element: Element) -> None:
        """Refuse a read before the first assignment, and of an index variable after its loop."""
        head = element.head
        if head in self.header or head in self.begun or head in self.reader.declared and head not in self.assigned:
            return
        if not element.subscripts and head in self.constants:
            return
        if head in self.assigned:
            self._check_is_no_element(element)
            raise refuse(
                "E0510",
                f"`{readable(head)}` is read before it is assigned",
                element.span,
                help="assign it first; statements are executed in their order",
            )
        if head in self.ended and element.is_whole:
            raise refuse(
                "E0510",
                f"`{readable(head)}` has no value after its loop",
                element.span,
                labels=(Label(self.ended[head].node.binding.span, "the loop that it counts"),),
                help="keep what is needed under a name of its own, which the loop assigns",
            )
        if element.is_whole and self._is_at_counter(head):
            raise no_array(element.name)

    def _is_at_counter(self, head: Name) -> bool:
        """Whether a name that nothing defines has a counter below it and others like it numbers: `x_k` beside `x_0`."""
        if len(head.labels) != 1 or head.labels[0] not in self.reader.counters & self.assigned:
            return False
        others = (one for one in self.header | self.assigned if one.word == head.word and len(one.labels) == 1)
        return any(one.labels[0].is_number or one.labels[0] in self.reader.counters for one in others)

    def _check_is_no_element(self, element: Element) -> None:
        r"""Refuse a name that may be an element: `A_{pj}` of an array `A` in a loop over `j`."""
        array, items = element.head.word, [letter for label in element.head.labels for letter in label.letters]
        indexing = self.assigned | self.reader.sizes | self.reader.counters | self.scope
        is_array = array in self.reader.standing | self.reader.declared
        if is_array and len(items) > len(element.head.labels) and all(item in indexing or item.is_number for item in items):
            indices = ", ".join(map(readable, items))
            raise undecided(ELEMENT_OR_SYMBOL, element.span, symbol=readable(element.head), array=readable(array), indices=indices)

    def value(self, element: Element) -> ast.Expression:
        """The present value of an element, as an expression."""
        return self.look(element) or element.written(Meaning(1))

    def meaning(self, element: Element) -> Meaning | None:
        """The version of the array that an element is read from; None: the author's own."""
        key = element.key
        known = self.single.get((key, element.indices)) or self._of_row(element)
        if known is not None:
            return known
        self.check_parts(element)
        if element.is_whole:
            key = next((k for k in ((element.head, False), (element.head, True)) if k in self.arrays or k in self.updates), key)
            if element.head in self.names and key not in self.updates:
                return self.names[element.head]
        self._check_guarded(element)
        if key in self.updates:
            return self.updates[key].pick(element)
        if key in self.arrays:
            return self.arrays[key].meaning
        return self.names.get(element.head)

    def _of_row(self, element: Element) -> Meaning | None:
        """The version of a row with a value that its array does not hold yet, which an element is read from."""
        last = () if element.superscript is None else (element.superscript,)
        rows = (element.subscripts[:count] + last for count in range(len(element.subscripts) - 1, 0, -1))
        return next((self.single[element.key, row] for row in rows if (element.key, row) in self.single), None)

    def check_parts(self, element: Element) -> None:
        """Refuse what holds an element with a value that its array does not hold yet: a row, an element that may be this one.

        Of an array that this loop is the first to define, what is not surely this turn's is another turn's.
        """
        for slot in (*self.single, *self.partial):
            if slot[0] != element.key or slot[1] == element.indices:
                continue
            steps = [distance(a, b) for a, b in zip(slot[1], element.indices, strict=False)]
            surely = bool(steps) and None not in steps
            if all(step in (None, 0) for step in steps) and (surely or slot not in self.pending):
                raise Unproved(element)

    def _check_guarded(self, element: Element) -> None:
        for axis, loop in self.guarded.get(element.key, ()):
            item = element.axes.get(axis)
            if item is None or distance(item, loop.variable) != 0:
                raise Unproved(element)

    def _of_branch(self, element: Element) -> ast.Expression | None:
        """The value that the branches around have given an element."""
        for arm in reversed(self.arms):
            exact = arm.get((element.key, element.indices))
            if exact is not None:
                return exact
            whole = None if element.superscript is not None else arm.get((element.key, ()))
            if whole is not None:
                return ast.Indexing(ast.Group((whole,), span=whole.span), element.subscripts, span=element.span)
            for (key, indices), _ in arm.items():
                if key[0] == element.head and not self._differs(key, indices, element):
                    raise Unproved(element)
        return None

    @staticmethod
    def _differs(key: Key, indices: tuple[ast.Expression, ...], element: Element) -> bool:
        if key != element.key or len(indices) != len(element.indices):
            return bool(indices) and bool(element.indices) and key != element.key
        return any(distance(a, b) not in (None, 0) for a, b in zip(indices, element.indices, strict=True))

    def old_array(self, element: Element) -> Array | None:
        """What an assignment to an element updates; None where it is the first."""
        key = element.key
        if key in self.arrays:
            return self.arrays[key]
        if key[1]:
            return None
        if element.head in self.names:
            return self._whole_array(element, self.names[element.head])
        return self.input_array(element) if element.head in self.header else None

    def exists(self, element: Element) -> bool:
        """Whether an element has a value here."""
        slot, key = (element.key, element.indices), element.key
        if slot in self.single or slot in self.partial or any(slot in arm for arm in self.arms) or key in self.updates:
            return True
        if slot in self.pending:
            return False
        if key in self.arrays:
            return element.is_whole or not all(is_apart(box, self.box(element)) for box in self.arrays[key].boxes)
        if element.is_whole and (element.head, True) in self.arrays:
            return True
        return not key[1] and (element.head in self.names or element.head in self.header)

    # ---- indices ------------------------------------------------------------------------------

    def loop_of(self, item: ast.Expression, inner: tuple[Loop, ...] = ()) -> Loop | None:
        """The loop whose variable an index is."""
        return next((loop for loop in (*reversed(inner), *reversed(self.loops)) if loop.variable == item), None)

    def box(self, element: Element, inner: tuple[Loop, ...] = ()) -> Box:
        """The elements that a target covers, over the loops around it."""
        sides: dict[int, Side] = {}
        for axis, item in element.axes.items():
            if is_whole_axis(item):
                continue
            loop = self.loop_of(item, inner)
            if loop is None or loop.lower is None or loop.upper is None:
                sides[axis] = Side(item, item, loop)
            else:
                sides[axis] = Side(loop.lower, loop.upper, loop)
        return Box(sides)

    def input_array(self, element: Element) -> Array:
        """An input as an array: each axis runs as declared, else from 1 to its size."""
        return Array(Meaning(1), [self._all_of(element, element.name, self.sides)], is_input=True)

    def _whole_array(self, element: Element, meaning: Meaning) -> Array:
        """A name that was assigned whole, as an array; within a loop that carries it, no input, it has rows that count from 1."""
        if meaning.prefix and not self._is_measured(element):
            return Array(meaning, [self.rows_of(element, meaning)])
        before = self.before.get(element.head) or (self.input_array(element) if self._is_measured(element) else None)
        if before is not None and len(before.boxes) == 1 and before.boxes[0].sides.keys() == element.axes.keys():
            sides = {axis: Side(side.lower, side.upper) for axis, side in before.boxes[0].sides.items()}
            return Array(meaning, [Box(sides)], is_input=True, like=before.meaning)
        return Array(meaning, [self._all_of(element, versioned(element.name, meaning.version), {})], is_input=True)

    def rows_of(self, element: Element, meaning: Meaning) -> Box:
        """All elements of a version of an array, each axis from 1 to its size."""
        return self._all_of(element, versioned(element.name, meaning.version), {}, len(meaning.prefix))

    def _is_measured(self, element: Element) -> bool:
        """Whether a declaration says what all axes of an input run over."""
        return element.head in self.header and all((element.head, axis + 1) in self.sides for axis in element.axes)

    def remember(self, element: Element) -> None:
        """Keep what an array was before its name is assigned whole: the new value is taken to have its elements."""
        if self.loops:
            self.before.pop(element.head, None)
        elif element.key in self.arrays:
            self.before[element.head] = self.arrays[element.key]

    @staticmethod
    def _all_of(element: Element, name: ast.Expression, known: dict[tuple[str, int], Side], turns: int = 0) -> Box:
        sides: dict[int, Side] = {}
        for axis, item in enumerate(element.subscripts):
            if is_whole_axis(item):
                continue
            number = ast.Number(str(turns + axis + 1), span=element.span)
            from_one = Side(ast.Number("1", span=element.span), ast.Attribute(name, "sz", (number,), span=element.span))
            sides[axis] = known.get((element.head, axis + 1), from_one)
        return Box(sides)

    def free_letters(self) -> list[Name]:
        """Letters for indices of our own, in the author's alphabet."""
        taken = self.header | self.scope | {head for head, _ in self.counts} | self.reader.declared
        return free_letters(taken)

    def prefix(self, element: Element) -> tuple[ast.Expression, ...]:
        """The variables of the loops around that do not index an element: each turn of theirs has its own version."""
        return tuple(loop.variable for loop in self.loops if loop.variable not in element.indices)

    def new_version(self, element: Element) -> int:
        """The next version of an array or name; the first is the name itself, where the author has not given it a value."""
        key = element.key
        count = self.counts.get(key)
        if count is None:
            families = self.reader.families
            taken = element.head in self.header and not key[1]
            beside = element.is_whole and self.loops and (element.head in families.subscripts or element.head in families.superscripts)
            by_superscript = element.is_whole and (element.head, True) in self.counts  # `F` beside `F^h` is an array of its own
            count = 1 if taken or beside or by_superscript else 0
        if spelling_of(versioned(element.name, count + 1)) in self.reader.families.subscripts.keys() - {element.head}:
            count += 1  # a longer array of that letter
        self.counts[key] = count + 1
        return count + 1
