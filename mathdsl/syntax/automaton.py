"""The automaton of the grammar, run by a loop of ours: what Lark's own loop looks up at each turn stands in one table.

Most rules only hand their one part on: `x` alone goes through fifteen of them, from a name to an expression. They build nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from lark import Lark
from lark.parse_tree_builder import ExpandSingleChild
from lark.parsers.lalr_analysis import Shift

from mathdsl.spans import NOWHERE
from mathdsl.syntax.lexemes import Lexeme
from mathdsl.syntax.tables import load_parser

_END = "$END"


class Reduction(NamedTuple):
    """A rule whose parts have been read: how many, what makes its value of theirs (None: it is its one part's), the states that may follow."""

    size: int
    build: Callable[[list[Any]], Any] | None
    after: Mapping[int, int]  # by the state before its parts


@dataclass(frozen=True)
class Automaton:
    """For each state and terminal the state after it, or the rule that ends before it."""

    start: int
    actions: Mapping[int, Mapping[str, int | Reduction]]


class Unexpected(Exception):
    """A lexeme that the parser cannot take where it would take the terminals `expected`."""

    def __init__(self, expected: frozenset[str]) -> None:
        super().__init__(expected)
        self.expected = expected


class Parser:
    """A text that is being parsed: the states since its beginning, and what has been built, a value for each but the first."""

    def __init__(self) -> None:
        automaton = load_automaton()
        self._actions = automaton.actions
        self._states = [automaton.start]
        self._values: list[Any] = []

    def feed(self, lexeme: Lexeme) -> None:
        """Take a lexeme, after the rules that end before it; an `Unexpected` where none can take it."""
        actions, states, values, terminal = self._actions, self._states, self._values, lexeme.type
        while True:
            action = actions[states[-1]].get(terminal)
            if action is None:
                raise Unexpected(self.expected)
            if isinstance(action, int):
                states.append(action)
                values.append(lexeme)
                return
            size, build, after = action
            if build is None:
                states[-1] = after[states[-2]]
                continue
            parts = values[len(values) - size :]
            del states[len(states) - size :], values[len(values) - size :]
            values.append(build(parts))
            states.append(after[states[-1]])

    def finish(self) -> Any:
        """The whole of what was built, at the end of the text."""
        self.feed(Lexeme(_END, "", 0, 0, NOWHERE))
        return self._values[0]

    @property
    def expected(self) -> frozenset[str]:
        """The terminals that may follow."""
        return frozenset(self._actions[self._states[-1]])

    def takes(self, terminal: str) -> bool:
        """Whether that terminal may follow."""
        return terminal in self._actions[self._states[-1]]

    def go_back(self, terminal: str) -> bool:
        """Forget what was read, back to where that terminal may follow; whether there is such a place."""
        while self._states and not self.takes(terminal):
            self._states.pop()
            del self._values[-1:]
        return bool(self._states)


@lru_cache(maxsize=1)
def load_automaton() -> Automaton:
    """The automaton of all notations."""
    return _automaton(load_parser())


def _automaton(parser: Lark) -> Automaton:
    tables: Any = parser.parse_interactive().parser_state.parse_conf
    after: defaultdict[str, dict[int, int]] = defaultdict(dict)
    reductions: dict[int, Reduction] = {}
    actions: dict[int, dict[str, int | Reduction]] = {tables.end_state: {}}
    for state, row in tables.states.items():
        cells = actions[state] = {}
        for name, (kind, target) in row.items():
            if kind is not Shift:
                cells[name] = reductions.get(id(target)) or reductions.setdefault(id(target), _reduction(tables, target, after))
            elif name.isupper():
                cells[name] = target
            else:
                after[name][state] = target
    actions[tables.end_state][_END] = tables.end_state
    return Automaton(tables.start_state, actions)


def _reduction(tables: Any, rule: Any, after: Mapping[str, Mapping[int, int]]) -> Reduction:
    size, build = len(rule.expansion), tables.callbacks[rule]
    return Reduction(size, None if size == 1 and isinstance(build, ExpandSingleChild) else build, after[rule.origin.name])
