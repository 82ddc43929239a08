"""Assignments in order: temporaries, swaps, branches, loops that update an array in place, reads before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .trees import (
    Assign,
    Binary,
    Binder,
    Compare,
    Define,
    Expr,
    For,
    If,
    Index,
    IndexValue,
    Name,
    Number,
    Range,
    Reduce,
    Ref,
    Statement,
    Unary,
)

if TYPE_CHECKING:
    from .drawing import Draw


class InOrder:
    """A part of a program that changes an array `y` over `axis` and numbers, step by step."""

    def __init__(self, draw: Draw) -> None:
        from .drawing import Array

        self.draw = draw
        self.axis = draw.range()
        sources = [d for d in draw.declarations if d.is_input and d.axes == (self.axis,) and d.stands_for is None]
        if sources and draw.chance(0.6):
            source = Array(draw.rng.choice(sources).name, (self.axis,), (False,))
        else:
            source = draw.declare(draw.fresh(1), (self.axis,), True, "ranged")
        self.x = source
        if draw.chance(0.45):
            draw.mark("an input updated")
            self.y = source
        else:
            (t,) = draw.rng.sample(draw.letters, 1)
            name = draw.fresh(1, True)
            body: Expr = Ref(source.name, (Index(t),), 0, draw.form())
            if draw.chance(0.5):
                body = Unary(draw.rng.choice(("sin", "tanh", "square")), body, draw.form())
            self.add(Define(name, (Binder(t, self.axis),), body, form=draw.form()))
            self.y = Array(name, (self.axis,), (False,))
        self.numbers: list[Name] = []
        self.keep(Ref(self.y.name, (), 1, 1))

    # ---- parts -------------------------------------------------------------------------------

    def add(self, *statements: Statement) -> None:
        self.draw.statements += statements

    def keep(self, result: Expr) -> None:
        if result not in self.draw.results:
            self.draw.results.append(result)

    def form(self) -> int:
        return self.draw.form()

    def letter(self) -> str:
        return self.draw.rng.choice(self.draw.letters)

    def element(self, index: Index) -> Expr:
        return Ref(self.y.name, (index,), 0, self.form())

    def number(self) -> Name:
        """A temporary, sometimes one that was assigned before."""
        if self.numbers and self.draw.chance(0.4):
            self.draw.mark("temporaries reassigned")
            return self.draw.rng.choice(self.numbers)
        name = self.draw.fresh(0)
        self.numbers.append(name)
        return name

    def set(self, name: Name, body: Expr) -> Assign:
        self.keep(Ref(name, (), 0, 1))
        return Assign(name, (), body, form=self.form())

    def factor(self) -> Expr:
        """A number to compute with."""
        choices: list[Expr] = [Number("0.5", 0.5), Number("2", 2.0)]
        choices += [Ref(name, (), 0, 1) for name in self.known]
        return self.draw.rng.choice(choices)

    @property
    def known(self) -> list[Name]:
        return [e.name for e in self.draw.results if isinstance(e, Ref) and e.rank == 0 and e.name in self.numbers]

    def mixed(self, left: Expr, right: Expr) -> Expr:
        op = self.draw.rng.choice(("add", "sub", "mul"))
        product: Expr = Binary("mul", self.factor(), right, self.form()) if self.draw.chance(0.5) else right
        return Binary(op, left, product, self.form())

    def ends(self) -> tuple[Index, Index]:
        return self.axis.low, self.axis.high

    def step(self, t: str) -> tuple[Range, Index]:
        """A loop that stays inside, and the neighbour that it reads."""
        if self.draw.chance(0.5):
            return Range(Index(None, self.axis.low.offset + 1), self.axis.high), Index(t, -1)
        return Range(self.axis.low, Index(self.axis.high.name, self.axis.high.offset - 1)), Index(t, 1)

    # ---- steps -------------------------------------------------------------------------------

    def running(self) -> None:
        """A number carried by a loop, kept in an array or not."""
        t, name = self.letter(), self.draw.fresh(0)
        self.draw.mark("numbers carried by a loop")
        own = Ref(name, (), 0, 1)
        start = Number(*self.draw.rng.choice((("0", 0.0), ("1", 1.0))))
        self.add(self.set(name, start))
        body: list[Statement] = [self.set(name, Binary("add", own, Unary("sin", self.element(Index(t)), self.form()), self.form()))]
        if self.draw.chance(0.5):
            body.append(Assign(self.y.name, (Index(t),), Binary("mul", own, self.element(Index(t)), self.form()), form=self.form()))
            self.draw.mark("loops that update in place")
        if self.draw.chance(0.4):
            body.reverse()
        self.add(For(t, self.axis, tuple(body), self.form()))
        self.numbers.append(name)

    def swap(self) -> None:
        """Two elements change places."""
        low, high = self.ends()
        self.draw.mark("swaps", "element updates")
        name = self.number()
        self.add(
            self.set(name, self.element(low)),
            Assign(self.y.name, (low,), self.element(high), form=self.form()),
            Assign(self.y.name, (high,), Ref(name, (), 0, 1), form=self.form()),
        )

    def in_place(self) -> None:
        """Elements become what neighbours, updated or not, are."""
        t = self.letter()
        axis, neighbour = self.step(t)
        self.draw.mark("loops that update in place")
        if self.draw.chance(0.3):
            axis, neighbour = self.axis, Index(t)
        body: list[Statement] = [
            Assign(self.y.name, (Index(t),), self.mixed(self.element(Index(t)), self.element(neighbour)), form=self.form())
        ]
        if self.draw.chance(0.35):
            name = self.draw.fresh(0)
            body.insert(0, Assign(name, (), Unary("tanh", self.element(neighbour), self.form()), form=self.form()))
            last = Binary("add", self.element(Index(t)), Ref(name, (), 0, 1), self.form())
            body.append(Assign(self.y.name, (Index(t),), last, form=self.form()))
        if self.draw.chance(0.3):
            self.draw.mark("branches")
            condition = Compare(self.draw.rng.choice((">", "<")), self.element(Index(t)), Number("0", 0.0), self.form())
            body = [If(condition, tuple(body), (), self.form())]
        self.add(For(t, axis, tuple(body), self.form()))

    def element_update(self) -> None:
        """One element."""
        place = self.draw.rng.choice(self.ends())
        self.draw.mark("element updates")
        body = self.mixed(self.element(place), self.element(self.draw.rng.choice(self.ends())))
        self.add(Assign(self.y.name, (place,), body, form=self.form()))

    def whole_update(self) -> None:
        """All elements at once: momentum."""
        self.draw.mark("whole updates", "momentum")
        whole = Ref(self.y.name, (), 1, 1)
        name = self.draw.fresh(1)
        slow = Binary("mul", Number("0.5", 0.5), whole, self.form())
        self.add(
            Assign(
                name,
                (),
                Binary("sub", whole, Unary("sin", Ref(self.x.name, (), 1, 1), self.form()), self.form()),
                (self.axis,),
                self.form(),
            )
        )
        body = Binary("add", slow, Binary("mul", Number("0.1", 0.1), Ref(name, (), 1, 1), self.form()), self.form())
        self.add(Assign(self.y.name, (), body, (self.axis,), self.form()))

    def before_and_after(self) -> None:
        """A sum before an update, and the same sum after it."""
        self.draw.mark("reads before and after")
        first, last, i = self.draw.fresh(0), self.draw.fresh(0), self.letter()
        bare = self.draw.chance(0.2)
        body = Reduce("sum", i, self.axis, Unary("square", self.element(Index(i)), self.form()), bare, None, self.form())
        self.add(self.set(first, body))
        self.numbers.append(first)
        self.draw.rng.choice((self.in_place, self.element_update, self.swap))()
        self.add(self.set(last, body))
        self.numbers.append(last)

    def branch(self) -> None:
        """A branch on a number."""
        self.draw.mark("branches")
        name = self.draw.fresh(0)
        low, high = self.ends()
        self.add(self.set(name, self.element(low)))
        self.numbers.append(name)
        own = Ref(name, (), 0, 1)
        condition = Compare(self.draw.rng.choice((">", "<", "<=")), own, self.element(high), self.form())
        then: list[Statement] = [self.set(name, self.mixed(own, self.element(high)))]
        otherwise: list[Statement] = []
        if self.draw.chance(0.5):
            then.append(Assign(self.y.name, (high,), Binary("mul", own, self.element(low), self.form()), form=self.form()))
            self.draw.mark("element updates")
        if self.draw.chance(0.5):
            otherwise.append(self.set(name, Unary("cos", own, self.form())))
        self.add(If(condition, tuple(then), tuple(otherwise), self.form()))

    def temporaries(self) -> None:
        """Numbers computed from numbers, assigned again."""
        name, other = self.number(), self.draw.fresh(0)
        self.add(self.set(name, self.mixed(self.element(self.draw.rng.choice(self.ends())), Number("0.1", 0.1))))
        self.add(self.set(other, self.mixed(Ref(name, (), 0, 1), Ref(name, (), 0, 1))))
        self.numbers.append(other)
        self.draw.mark("temporaries reassigned")
        self.add(self.set(name, self.mixed(Ref(name, (), 0, 1), Ref(other, (), 0, 1))))

    def branch_in_loop(self) -> None:
        """A number that a branch of a loop may change."""
        t, name = self.letter(), self.draw.fresh(0)
        self.draw.mark("branches", "numbers carried by a loop")
        own = Ref(name, (), 0, 1)
        self.add(self.set(name, self.element(self.axis.low)))
        condition = (
            Compare(">", self.element(Index(t)), own, self.form())
            if self.draw.chance(0.6)
            else Compare(">", IndexValue(Index(t)), Number("2", 2.0), self.form())
        )
        self.add(
            For(t, self.axis, (If(condition, (self.set(name, self.mixed(own, self.element(Index(t)))),), (), self.form()),), self.form())
        )
        self.numbers.append(name)


def in_order(draw: Draw) -> None:
    """Two to four steps."""
    draw.mark("assignments in order")
    own = InOrder(draw)
    steps: list[Callable[[], None]] = [
        own.running,
        own.swap,
        own.in_place,
        own.in_place,
        own.element_update,
        own.whole_update,
        own.before_and_after,
        own.before_and_after,
        own.branch,
        own.temporaries,
        own.temporaries,
        own.running,
        own.branch_in_loop,
    ]
    for _ in range(draw.rng.randint(1, 4)):
        draw.rng.choice(steps)()


__all__ = ["in_order"]
