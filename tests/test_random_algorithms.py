"""Random algorithms mean what a reader executes: loops in loops, up and down, triangles, branches, scalars, parts of arrays.

Each is written as LaTeX and executed in Python, statement by statement, on numbers that remember their gradients.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import pytest
import torch
from torch import Tensor

import mathdsl

SIZES = (4, 1, 2)
VECTORS, SCALARS = ("x", "y", "z"), ("s", "u")
Run: TypeAlias = Callable[["State"], None]
Read: TypeAlias = Callable[["State"], Tensor]


@dataclass
class State:
    """What the names hold while an algorithm runs; elements count from 1, as the author's do."""

    n: int
    names: dict[str, Tensor] = field(default_factory=dict)
    elements: dict[tuple[str, tuple[int, ...]], Tensor] = field(default_factory=dict)
    index: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A statement or an expression: how it is written, and what it does."""

    latex: str
    run: Callable[[State], Tensor | None]

    def value(self, state: State) -> Tensor:
        found = self.run(state)
        assert found is not None
        return found


@dataclass(frozen=True)
class Range:
    """A range, its indices, and how far an index may be shifted in it without leaving 1..n: down, up."""

    latex: str
    indices: Callable[[State], range]
    shifts: tuple[int, ...] = (0,)


OUTER = (
    Range(r"1, \dots, n", lambda s: range(1, s.n + 1)),
    Range(r"2, \dots, n", lambda s: range(2, s.n + 1), (0, -1)),
    Range(r"1, \dots, n-1", lambda s: range(1, s.n), (0, 1)),
    Range(r"n, \dots, 1", lambda s: range(s.n, 0, -1)),
    Range(r"n-1, \dots, 1", lambda s: range(s.n - 1, 0, -1), (0, 1)),
)
INNER = (
    *OUTER[:4],
    Range(r"1, \dots, i", lambda s: range(1, s.index["i"] + 1)),
    Range(r"i+1, \dots, n", lambda s: range(s.index["i"] + 1, s.n + 1), (0, -1)),
    Range(r"1, \dots, i-1", lambda s: range(1, s.index["i"]), (0, 1)),
)


class Writer:
    """Draws statements; `open` are the loops around, by their letters."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.open: dict[str, Range] = {}

    def algorithm(self) -> list[Part]:
        start = [self.assignment("s", self.element("y", 1)), self.assignment("u", self.element("x", 1))]
        return [*start, *(self.loop(2) for _ in range(self.random.randint(1, 3)))]

    # ---- expressions -----------------------------------------------------------------------------

    def element(self, name: str, *items: str | int, shift: int = 0) -> Part:
        def place(state: State) -> tuple[str, tuple[int, ...]]:
            return name, tuple((item if isinstance(item, int) else state.index[item]) + shift for item in items)

        shown = ",".join(f"{item}{shift:+d}" if shift else str(item) for item in items)
        return Part(f"{name}_{{{shown}}}", lambda state: state.elements[place(state)])

    def atom(self) -> Part:
        found = [Part(name, lambda state, name=name: state.names[name]) for name in SCALARS]  # type: ignore[misc]
        for letter, bounds in self.open.items():
            found += [self.element(name, letter, shift=shift) for name in VECTORS for shift in bounds.shifts]
        if len(self.open) == 2:
            found += [self.element("A", *self.random.sample(list(self.open), 2))]
        return self.random.choice([*found, Part("0.3", lambda _: torch.tensor(0.3, dtype=torch.float64))])

    def expression(self) -> Part:
        a, b = self.atom(), self.atom()
        return self.random.choice(
            [
                Part(f"{a.latex} + {b.latex}", lambda s: a.value(s) + b.value(s)),
                Part(f"{a.latex} - {b.latex}", lambda s: a.value(s) - b.value(s)),
                Part(rf"\max({a.latex}, {b.latex})", lambda s: torch.maximum(a.value(s), b.value(s))),
                Part(rf"\tanh({a.latex}) + {b.latex}", lambda s: torch.tanh(a.value(s)) + b.value(s)),
                a,
            ]
        )

    # ---- statements ------------------------------------------------------------------------------

    def assignment(self, name: str, value: Part, items: tuple[str, ...] = ()) -> Part:
        def run(state: State) -> None:
            if items:
                state.elements[name, tuple(state.index[item] for item in items)] = value.value(state)
            else:
                state.names[name] = value.value(state)

        target = f"{name}_{{{','.join(items)}}}" if items else name
        return Part(rf"\State ${target} \gets {value.latex}$", run)

    def statement(self, depth: int) -> Part:
        kind = self.random.random()
        if depth and len(self.open) < 2 and kind < 0.3:
            return self.loop(depth)
        if depth and kind < 0.45:
            return self.branch(depth)
        if kind < 0.75:
            items = (self.random.choice(list(self.open)),)
            return self.assignment(self.random.choice(["z", "z", "x"]), self.expression(), items)
        if kind < 0.85 and len(self.open) == 2:
            return self.assignment("A", self.expression(), tuple(self.random.sample(list(self.open), 2)))
        return self.assignment(self.random.choice(SCALARS), self.expression())

    def block(self, depth: int, most: int) -> list[Part]:
        return [self.statement(depth) for _ in range(self.random.randint(1, most))]

    def loop(self, depth: int) -> Part:
        letter, bounds = ("j", self.random.choice(INNER)) if self.open else ("i", self.random.choice(OUTER))
        self.open[letter] = bounds
        body = self.block(depth - 1, 3)
        del self.open[letter]

        def run(state: State) -> None:
            for index in bounds.indices(state):
                state.index[letter] = index
                execute(body, state)

        return Part(rf"\For{{${letter} = {bounds.latex}$}} {written(body)} \EndFor", run)

    def branch(self, depth: int) -> Part:
        a, b, body, other = self.atom(), self.atom(), self.block(depth - 1, 2), self.block(depth - 1, 2)

        def run(state: State) -> None:
            execute(body if bool(a.value(state) > b.value(state)) else other, state)

        return Part(rf"\If{{${a.latex} > {b.latex}$}} {written(body)} \Else {written(other)} \EndIf", run)


def written(parts: list[Part]) -> str:
    return "\n".join(part.latex for part in parts)


def execute(parts: list[Part], state: State) -> None:
    for part in parts:
        part.run(state)


def by_hand(parts: list[Part], *inputs: Tensor) -> Iterator[Tensor]:
    """`s`, `u`, `x`, `z` and `A` behind the last statement."""
    n = len(inputs[0])
    state = State(n)
    for name, array in zip((*VECTORS, "A"), inputs, strict=True):
        for place in torch.cartesian_prod(*[torch.arange(n)] * array.dim()).reshape(-1, array.dim()).tolist():
            state.elements[name, tuple(k + 1 for k in place)] = array[tuple(place)]
    execute(parts, state)
    yield from (state.names[name] for name in SCALARS)
    yield from (torch.stack([state.elements[name, (k + 1,)] for k in range(n)]) for name in "xz")
    yield torch.stack([torch.stack([state.elements["A", (k + 1, m + 1)] for m in range(n)]) for k in range(n)])


def text(parts: list[Part]) -> str:
    given = r"\Require $x, y, z \in \mathbb{R}^n$ \Require $A \in \mathbb{R}^{n \times n}$"
    return rf"\begin{{algorithmic}} {given} {written(parts)} \State \Return $(s, u, x, z, A)$ \end{{algorithmic}}"


def slopes(results: list[Tensor], inputs: list[Tensor]) -> tuple[Tensor, ...]:
    total = sum((result * torch.arange(1.0, result.numel() + 1).reshape(result.shape).cos()).sum() for result in results)
    return torch.autograd.grad(total, inputs, allow_unused=True, materialize_grads=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(40))
def test_an_algorithm_gives_what_a_reader_computes(seed: int) -> None:
    parts = Writer(seed).algorithm()
    result = mathdsl.compile(text(parts))
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().Algorithm()
    generator = torch.Generator().manual_seed(seed)
    for n in SIZES:
        batch = [torch.randn(3, *[n] * rank, dtype=torch.float64, generator=generator).requires_grad_() for rank in (1, 1, 1, 2)]
        together = module(*batch)
        for k in range(3):
            given = [array[k].detach().requires_grad_() for array in batch]
            wanted, found = list(by_hand(parts, *given)), list(module(*given))
            torch.testing.assert_close(found, wanted)
            torch.testing.assert_close([part[k] for part in together], wanted)
            torch.testing.assert_close(slopes(found, given), slopes(wanted, given))
        if "lengths" in inspect.signature(module.forward).parameters:
            lengths = [n, max(1, n - 1), 1]
            together = module(*batch, lengths=torch.tensor(lengths))
            for k, own in enumerate(lengths):
                wanted = list(by_hand(parts, *(array[k][(slice(own),) * (array.dim() - 1)] for array in batch)))
                torch.testing.assert_close([part[k][(slice(own),) * (part.dim() - 1)] for part in together], wanted)
