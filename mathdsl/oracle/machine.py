"""Evaluation on demand with a stack of its own, so that a recurrence may be as long as memory allows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Generic, TypeAlias, TypeVar

from mathdsl.ops import Number
from mathdsl.oracle.errors import OracleError

Key = TypeVar("Key", bound=Hashable)
Task: TypeAlias = Generator[Key, Number, Number]  # asks for the values of keys, and returns its own


class Machine(Generic[Key]):
    """Runs tasks; the value of a key is computed once, by the task that `define` makes for it."""

    def __init__(self, define: Callable[[Key], Task[Key]]) -> None:
        self._define = define
        self._running: dict[Key, None] = {}  # in the order in which they wait for each other
        self.values: dict[Key, Number] = {}

    def run(self, task: Task[Key]) -> Number:
        """The value of a task; an `OracleError` where a key needs itself."""
        stack = [task]
        answer: Number | None = None
        while True:
            try:
                key = next(stack[-1]) if answer is None else stack[-1].send(answer)
            except StopIteration as done:
                value: Number = done.value
                stack.pop()
                if not stack:
                    return value
                finished, _ = self._running.popitem()
                self.values[finished] = answer = value
                continue
            answer = self.values.get(key)
            if answer is None:
                if key in self._running:
                    raise OracleError(self._cycle(key))
                self._running[key] = None
                stack.append(self._define(key))

    def _cycle(self, key: Key) -> str:
        waiting = list(self._running)
        return " needs ".join(str(one) for one in [*waiting[waiting.index(key) :], key])
