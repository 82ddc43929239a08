"""How far a procedure is read: the state of its names, the statements made so far, and what the loops around know."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.control.carried import Rest
from mathdsl.elaborate.control.covers import Cover
from mathdsl.elaborate.control.elements import Element
from mathdsl.elaborate.control.state import Slot, State
from mathdsl.elaborate.names.names import Name
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


@dataclass
class Progress:
    """What reading a procedure once, in the order of the program, has come to."""

    state: State
    out: list[ast.Statement] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)  # what follows, by block, innermost last
    reserved: dict[tuple[int, Slot], int] = field(default_factory=dict)  # the version that a statement is to define
    made: list[ast.Statement] = field(default_factory=list)  # statements of ours, kept since they are known by identity
    kept: list[Slot] = field(default_factory=list)  # elements carried by the loops around
    local: dict[Span, frozenset[Name]] = field(default_factory=dict)  # of branches with loops, by their place: names of arms alone
    unfinished: set[tuple[int, Slot]] = field(default_factory=set)  # statements after which the same turn assigns the element again

    def emit(self, before: ast.Statement, after: ast.Statement) -> None:
        """Add a statement: the author's own where nothing about it has changed."""
        self.out.append(before if before == after else after)

    def replace(self, before: ast.Statement, after: ast.Statement) -> None:
        """Let a statement of ours stand for one of the author's."""
        self.made.append(after)
        self.reserved = {(id(after) if one == id(before) else one, slot): version for (one, slot), version in self.reserved.items()}
        self.unfinished = {(id(after) if one == id(before) else one, slot) for one, slot in self.unfinished}

    def as_meant(self, element: Element) -> Element:
        """A target with its indices as they are meant here."""
        subscripts = tuple(self.state.read(item) for item in element.subscripts)
        return replace(element, subscripts=subscripts, superscript=element.superscript and self.state.read(element.superscript))

    def reserved_version(self, element: Element, statement: int) -> int | None:
        """The version that a statement is to define of an element, once."""
        return self.reserved.pop((statement, (element.key, element.indices)), None)
