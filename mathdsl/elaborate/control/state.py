r"""What every name means at a place in the program: its version, and under an update of an array, which one each element has."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.elements import Element, Key, Reader, Scope, Unproved
from mathdsl.elaborate.control.loops import Loop
from mathdsl.elaborate.control.regions import Box, Side, is_apart
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import is_whole_axis
from mathdsl.elaborate.names.versions import Meaning, versioned
from mathdsl.syntax import nodes as ast


@dataclass
class Array:
    """An array whose elements are assigned: its version, and which elements that version defines."""

    meaning: Meaning
    boxes: list[Box]


@dataclass
class State:
    """The names of a program at one place."""

    reader: Reader
    header: frozenset[Name]
    body: tuple[ast.Statement, ...]  # all of the program
    names: dict[Name, Meaning] = field(default_factory=dict)  # assigned whole
    arrays: dict[Key, Array] = field(default_factory=dict)  # assigned by elements
    counts: dict[Key, int] = field(default_factory=dict)  # how many versions there are
    assigned: frozenset[Name] = frozenset()  # names that some statement of the program assigns
    constants: frozenset[Name] = (
        frozenset()
    )  # reserved letters that are assigned with subscripts only: without, they are what they are reserved for
    begun: set[Name] = field(default_factory=set)  # names that a statement so far has assigned, or a loop around assigns
    ended: dict[Name, Loop] = field(default_factory=dict)  # index variables of loops that are over
    loops: list[Loop] = field(default_factory=list)

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
        meaning = self.meaning(element)
        return None if meaning is None or meaning.is_plain else element.written(meaning)

    def _check_has_value(self, element: Element) -> None:
        """Refuse a read before the first assignment, and of an index variable after its loop."""
        head = element.head
        if head in self.header or head in self.begun or head in self.reader.declared and head not in self.assigned:
            return
        if not element.subscripts and head in self.constants:
            return
        if head in self.assigned or head in self.ended and element.is_whole:
            raise Unproved(element)

    def value(self, element: Element) -> ast.Expression:
        """The present value of an element, as an expression."""
        return self.look(element) or element.written(Meaning(1))

    def meaning(self, element: Element) -> Meaning | None:
        """The version of the array that an element is read from; None: the author's own."""
        key = element.key
        if element.is_whole:
            key = next((k for k in ((element.head, False), (element.head, True)) if k in self.arrays), key)
            if element.head in self.names:
                return self.names[element.head]
        if key in self.arrays:
            return self.arrays[key].meaning
        return self.names.get(element.head)

    def forget(self, key: Key) -> None:
        """The name has no value here."""
        self.arrays.pop(key, None)
        if not key[1]:
            self.names.pop(key[0], None)

    def exists(self, element: Element) -> bool:
        """Whether an element has a value here."""
        key = element.key
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


@dataclass
class Progress:
    """What reading a procedure once, in the order of the program, has come to."""

    state: State
    out: list[ast.Statement] = field(default_factory=list)

    def emit(self, before: ast.Statement, after: ast.Statement) -> None:
        """Add a statement: the author's own where nothing about it has changed."""
        self.out.append(before if before == after else after)

    def as_meant(self, element: Element) -> Element:
        """A target with its indices as they are meant here."""
        subscripts = tuple(self.state.read(item) for item in element.subscripts)
        return replace(element, subscripts=subscripts, superscript=element.superscript and self.state.read(element.superscript))
