"""Random well-typed programs, from the seed of a random number generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .trees import (
    RESERVED,
    Binary,
    Binder,
    Both,
    Call,
    Cases,
    Compare,
    Condition,
    Declaration,
    DeclarationStyle,
    Define,
    Dot,
    Each,
    EachOf,
    Even,
    Expr,
    Function,
    Index,
    IndexValue,
    MatVec,
    Name,
    Norm,
    Notation,
    NothingFits,
    Number,
    Program,
    Range,
    Reduce,
    Ref,
    Softmax,
    SoftmaxAt,
    Statement,
    Unary,
    rank_of,
)

LETTERS = ("i", "j", "k", "l", "t", "s")
SIZES = ("n", "m", "S", "T", "N", "K", "p", "L")
LOWER = (
    "a",
    "b",
    "c",
    "g",
    "u",
    "v",
    "w",
    "y",
    "z",
    "x",
    "q",
    r"\alpha",
    r"\beta",
    r"\gamma",
    r"\theta",
    r"\mu",
    r"\omega",
    r"\hat{y}",
    r"\tilde{c}",
)
UPPER = ("A", "B", "C", "M", "P", "Q", "X", "Y", "Z", "W", "U", "V")
LABELS = ("h", "in", "out", "x", "o", "q")
FUNCTIONS = ("f", "h", r"\phi", r"\psi", "k", r"\kappa")
NUMBERS = (("2", 2.0), ("3", 3.0), ("0.5", 0.5), (r"\frac{1}{2}", 0.5), ("0.1", 0.1), ("1", 1.0))


@dataclass(frozen=True)
class Bound:
    """The range of an index; `bare`: read only at itself, over axes of exactly this range."""

    range: Range
    bare: bool = False


Context = Mapping[str, Bound]


@dataclass(frozen=True)
class Array:
    """A name that can be read: its axes; a soft axis is never read one by one over a range, since its base is left open."""

    name: Name
    axes: tuple[Range, ...] = ()
    soft: tuple[bool, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.axes)


@dataclass(frozen=True)
class Signature:
    """A function and the axes of its arguments (a scalar has none)."""

    name: Name
    axes: tuple[tuple[Range, ...], ...]


def extent(size: str, low: int = 1) -> Range:
    """`1 .. n`, or from another base `low .. n - 1 + low`."""
    return Range(Index(None, low), Index(size, low - 1))


class Draw:
    """One program in the making."""

    def __init__(self, seed: int, notation: Notation | None = None) -> None:
        self.rng = random.Random(seed)
        self.notation: Notation = notation or self.rng.choice(("module", "docstring", "algorithmic"))
        self.sizes = self.rng.sample(SIZES, self.rng.randint(1, 3))
        self.used: set[str] = set()
        self.arrays: list[Array] = []
        self.functions: list[Signature] = []
        self.declarations: list[Declaration] = []
        self.statements: list[Statement] = []
        self.results: list[Expr] = []
        self.features: set[str] = {self.notation}
        self.letters = list(LETTERS)
        self.rng.shuffle(self.letters)
        self.letter_of: dict[Range, str] = {}
        if self.chance(0.65):
            self.letter_of = {extent(size): letter for size, letter in zip(self.sizes, self.letters, strict=False)}

    # ---- choices -----------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def form(self) -> int:
        return self.rng.randrange(1 << 20)

    def mark(self, *features: str) -> None:
        self.features.update(features)

    def fresh(self, rank: int, family: bool = False, plain: bool = False) -> Name:
        """A new name; families may take reserved letters, any name that need not be plain a label."""
        if family and rank and self.chance(0.2):
            free = [base for base in (*RESERVED, "e", "e") if base not in self.used]
            if free:
                base = self.rng.choice(free)
                self.used.add(base)
                self.mark("families of reserved letters")
                return Name(base)
        pool = UPPER if rank >= 2 and self.chance(0.7) else LOWER
        free = [base for base in pool if base not in self.used and base not in self.letters]
        if not free:
            raise NothingFits
        base = self.rng.choice(free)
        self.used.add(base)
        if not plain and self.chance(0.15) and "{" not in base:
            labels = [label for label in LABELS if label not in self.sizes]
            self.mark("labels in scripts")
            return Name(base, self.rng.choice(labels))
        return Name(base)

    def letter(self, ctx: Context, axis: Range | None = None) -> str:
        """A free letter; the one of the axis where each axis of this program has its own."""
        free = [letter for letter in self.letters if letter not in ctx]
        own = self.letter_of.get(axis) if axis is not None else None
        if own in free and self.chance(0.8):
            return own
        if not free:
            raise NothingFits
        return self.rng.choice(free)

    def range(self) -> Range:
        return extent(self.rng.choice(self.sizes))

    # ---- declarations ------------------------------------------------------------------------

    def declare(self, name: Name, axes: tuple[Range, ...], is_input: bool, style: DeclarationStyle | None = None) -> Array:
        """An input or a parameter."""
        inferred = style is None
        if style is None:
            choices: list[DeclarationStyle] = ["ranged"] * 6
            if self.notation != "module" or self.chance(0.3):
                choices += ["plain", "plain"]
            if len(axes) > 1:
                choices += ["vectors"] * 4
            if is_input and axes:
                choices += ["none"] * 3 + ["header"] * (self.notation != "algorithmic")
            style = self.rng.choice(choices)
        if not axes and style == "ranged":
            style = "plain"
        letters: tuple[str, ...] = tuple(self.rng.sample(self.letters, len(axes)))
        own = [self.letter_of.get(axis) for axis in axes]
        if self.letter_of and len(set(own)) == len(axes) and None not in own:
            letters = tuple(letter for letter in own if letter is not None)
        if style == "none" and inferred:
            self.mark("undeclared inputs")
        self.declarations.append(Declaration(name, axes, style, letters, is_input))
        soft = tuple(style == "vectors" and k > 0 and self.chance(0.5) for k in range(len(axes)))
        array = Array(name, axes, soft)
        self.arrays.append(array)
        return array

    def shifted(self, size: str) -> Range:
        """A domain that begins elsewhere than at 1."""
        self.mark("shifted domains")
        return self.rng.choice([extent(size, 0), Range(Index(None, 0), Index(size, 0))])

    def some_declarations(self) -> None:
        for _ in range(self.rng.randint(1, 3)):
            rank = self.rng.choice((0, 1, 1, 1, 2, 2))
            axes = tuple(self.shifted(self.rng.choice(self.sizes)) if self.chance(0.12) else self.range() for _ in range(rank))
            self.declare(self.fresh(rank, True), axes, True)
        for _ in range(self.rng.randint(0, 2)):
            rank = self.rng.choice((0, 1, 1, 2))
            self.declare(
                self.fresh(rank, True),
                tuple(self.range() for _ in range(rank)),
                False,
                self.rng.choice(("ranged", "ranged", "ranged", "plain")),
            )
        if len([d for d in self.declarations if not d.axes]) > 0 and self.chance(0.5):
            self.mark("families beside scalars")

    # ---- indices -----------------------------------------------------------------------------

    def indices_for(self, axis: Range, soft: bool, ctx: Context) -> list[Index]:
        """The indices in scope at which an axis can be read."""
        found = []
        for letter, bound in ctx.items():
            own = bound.range
            if own == axis:
                if bound.bare or not soft:
                    found += [Index(letter)] * 6
                continue
            if bound.bare or soft or own.low.name or axis.low.name or own.high.name != axis.high.name:
                continue
            down, up = axis.low.offset - own.low.offset, axis.high.offset - own.high.offset
            found += [Index(letter, k) for k in (-1, 0, 1) if down <= k <= up]
        return found

    def read(self, ctx: Context, array: Array, rank: int = 0) -> Expr:
        """An element of an array, or its last axis as a vector, at indices in scope."""
        indices = []
        for axis, soft in list(zip(array.axes, array.soft, strict=True))[: array.rank - rank]:
            choices = self.indices_for(axis, soft, ctx)
            if (not choices or self.chance(0.1)) and not soft and axis.low.name is None:
                choices = [axis.low, axis.high]
            if not choices:
                raise NothingFits
            indices.append(self.rng.choice(choices))
        return Ref(array.name, tuple(indices), rank, self.form())

    def readable(self, ctx: Context, array: Array, rank: int = 0) -> bool:
        pairs = list(zip(array.axes, array.soft, strict=True))[: array.rank - rank]
        return array.rank >= rank and all(self.indices_for(axis, soft, ctx) for axis, soft in pairs)

    # ---- scalars -----------------------------------------------------------------------------

    def scalar(self, ctx: Context, depth: int) -> Expr:
        """A number."""
        if depth <= 0:
            return self.leaf(ctx)
        makers: list[tuple[float, Callable[[Context, int], Expr]]] = [
            (2.0, lambda c, d: self.leaf(c)),
            (2.5, self.unary),
            (3.5, self.binary),
            (2.0, self.reduction),
            (1.5, self.cases),
            (0.7, self.inner),
            (0.4, self.softmax_at),
            (3.0 if self.functions else 0.0, self.call),
        ]
        for _ in range(8):
            maker = self.rng.choices([m for _, m in makers], [w for w, _ in makers])[0]
            try:
                return maker(ctx, depth - 1)
            except NothingFits:
                continue
        return self.leaf(ctx)

    def leaf(self, ctx: Context) -> Expr:
        fitting = [a for a in self.arrays if self.readable(ctx, a)]
        indexed = [a for a in fitting if a.axes]
        if fitting and self.chance(0.85):
            return self.read(ctx, self.rng.choice(indexed if indexed and self.chance(0.8) else fitting))
        if ctx and self.chance(0.3):
            self.mark("an index as a number")
            return IndexValue(Index(self.rng.choice(list(ctx))), self.form())
        if self.chance(0.15):
            self.mark("pi as a number")
            return Number(r"2 \pi", 6.283185307179586, self.form())
        text, value = self.rng.choice(NUMBERS)
        return Number(text, value, self.form())

    def unary(self, ctx: Context, depth: int) -> Expr:
        op = self.rng.choice(
            (
                "neg",
                "tanh",
                "sin",
                "cos",
                "sigmoid",
                "sigmoid",
                "exp",
                "exp",
                "square",
                "square",
                "cube",
                "relu",
                "relu",
                "relu",
                "relu",
                "softplus",
                "sqrt",
                "log",
                "gamma",
                "abs",
                "reciprocal",
            )
        )
        inner = self.scalar(ctx, depth)
        if op == "square" and self.chance(0.9):
            inner = Unary(self.rng.choice(("tanh", "sin", "cos")), inner, self.form())
        if op == "exp":
            inner = Unary("tanh", inner, self.form()) if depth > 1 else inner
        if op in ("sqrt", "log", "gamma", "reciprocal"):
            square = Unary("square", inner, self.form())
            inner = Binary("add", Number("1", 1.0), square, self.form())
            if op == "gamma":
                inner = Binary("add", Number("1", 1.0), Unary("sigmoid", square, self.form()), self.form())
        return Unary(op, inner, self.form())

    def binary(self, ctx: Context, depth: int) -> Expr:
        op = self.rng.choice(("add", "add", "sub", "mul", "mul", "mul", "div", "max", "min"))
        left, right = self.scalar(ctx, depth), self.scalar(ctx, depth)
        if op == "mul" and self.chance(0.2):
            left, right = self.leaf(ctx), self.reduction(ctx, depth)
        if op == "div":
            right = (
                Number("4", 4.0) if self.chance(0.3) else Binary("add", Number("2", 2.0), Unary("square", right, self.form()), self.form())
            )
        return Binary(op, left, right, self.form())

    def reduction(self, ctx: Context, depth: int) -> Expr:
        """A reduction over an axis that some array has."""
        axes = [(a, k) for a in self.arrays for k, axis in enumerate(a.axes) if axis.low.name is None]
        if not axes:
            raise NothingFits
        beside = [(a, k) for a, k in axes if any(bound.range == a.axes[k] for bound in ctx.values())]
        array, k = self.rng.choice(beside if beside and self.chance(0.7) else axes)
        axis = array.axes[k]
        letter = self.letter(ctx, axis)
        op = self.rng.choice(("sum", "sum", "sum", "sum", "prod", "max", "min", "mean"))
        bare = array.soft[k] or self.chance(0.3)
        inner = {**ctx, letter: Bound(axis, bare)}
        indices = []
        for other, (own, soft) in enumerate(zip(array.axes, array.soft, strict=True)):
            choices = [Index(letter)] if other == k else self.indices_for(own, soft, inner)
            if not choices:
                raise NothingFits
            indices.append(self.rng.choice(choices))
        body: Expr = Ref(array.name, tuple(indices), 0, self.form())
        if self.chance(0.5):
            body = Binary("mul", body, self.scalar(inner, depth - 1), self.form())
        elif self.chance(0.4):
            body = Unary(self.rng.choice(("tanh", "square", "sin", "sigmoid")), body, self.form())
        conditional = op == "sum" and self.chance(0.8 if bare else 0.35)
        condition = self.range_condition(ctx, letter, axis, bare) if conditional else None
        return Reduce(op, letter, axis, body, bare, condition, self.form())

    def range_condition(self, ctx: Context, letter: str, axis: Range, bare: bool) -> Condition | None:
        others = [name for name, bound in ctx.items() if bound.range == axis]
        if not others:
            return None
        other = self.rng.choice(others)
        op = "!=" if not bare else self.rng.choice(("!=", "<", "<=", ">"))
        return Compare(op, IndexValue(Index(letter)), IndexValue(Index(other)), self.form())

    def cases(self, ctx: Context, depth: int) -> Expr:
        """A guard on data or on an index, which narrows what is read."""
        condition = self.condition(ctx)
        return Cases(((condition, self.scalar(ctx, depth)),), self.scalar(ctx, depth), self.form())

    def condition(self, ctx: Context) -> Condition:
        if ctx and self.chance(0.5):
            letter = self.rng.choice(list(ctx))
            bound = ctx[letter].range
            self.mark("guards on indices")
            index = IndexValue(Index(letter))
            if self.chance(0.2):
                return Even(Index(letter), self.form())
            others = [name for name, own in ctx.items() if name != letter and own.range == bound]
            if others and self.chance(0.5):
                return Compare(self.rng.choice(("<", "<=", "=", "!=", ">")), index, IndexValue(Index(others[0])), self.form())
            return Compare(self.rng.choice(("=", ">", "!=", "<=")), index, IndexValue(bound.low), self.form())
        self.mark("guards on data")
        fitting = [a for a in self.arrays if self.readable(ctx, a)]
        if not fitting:
            raise NothingFits
        left = self.read(ctx, self.rng.choice(fitting))
        right: Expr = Number(*self.rng.choice((("0", 0.0), ("0.1", 0.1), ("0.5", 0.5))))
        simple = Compare(self.rng.choice((">", "<", "<=", ">=")), left, right, self.form())
        if self.chance(0.25):
            other = Compare(">", self.read(ctx, self.rng.choice(fitting)), Number("0.2", 0.2), self.form())
            return Both(self.rng.choice(("and", "or")), simple, other, self.form())
        return simple

    def inner(self, ctx: Context, depth: int) -> Expr:
        """An inner product or a norm."""
        axis = self.range()
        if self.chance(0.5):
            self.mark("norms")
            vector = self.vector(ctx, axis, depth)
            return Norm(self.rng.choice(("squared", "two", "one")), vector, self.form())
        return Dot(self.vector(ctx, axis, depth), self.vector(ctx, axis, depth - 1), self.form())

    def softmax_at(self, ctx: Context, depth: int) -> Expr:
        """Element `j` of a softmax over `j`, where `j` is bound."""
        pairs = [
            (a, letter)
            for a in self.arrays
            for letter, bound in ctx.items()
            if not bound.bare and bound.range in a.axes and self.readable(ctx, a)
        ]
        if not pairs:
            raise NothingFits
        array, letter = self.rng.choice(pairs)
        bound = ctx[letter]
        place = array.axes.index(bound.range)
        if array.soft[place]:
            raise NothingFits
        body = self.read({**ctx, letter: Bound(bound.range, True)}, array)
        assert isinstance(body, Ref)
        indices = list(body.indices)
        indices[place] = Index(letter)
        self.mark("softmax")
        return SoftmaxAt(letter, bound.range, replace(body, indices=tuple(indices)), self.form())

    def call(self, ctx: Context, depth: int) -> Expr:
        if not self.functions:
            raise NothingFits
        function = self.rng.choice(self.functions)
        arguments = tuple(self.vector(ctx, axes[0], depth - 1) if axes else self.scalar(ctx, depth - 1) for axes in function.axes)
        return Call(function.name, arguments, self.form())

    # ---- vectors -----------------------------------------------------------------------------

    def vector(self, ctx: Context, axis: Range, depth: int) -> Expr:
        """A vector over a range."""
        whole = [a for a in self.arrays if a.rank and a.axes[-1] == axis and self.readable(ctx, a, 1)]
        matrices = [a for a in self.arrays if a.rank >= 2 and a.axes[-2] == axis and self.readable(ctx, a, 2)]
        if depth > 0 and matrices and self.chance(0.4):
            matrix = self.rng.choice(matrices)
            self.mark("matrix times vector")
            return MatVec(self.read(ctx, matrix, 2), self.vector(ctx, matrix.axes[-1], depth - 1), self.form())
        if depth > 0 and self.chance(0.45):
            kind = self.rng.choice(("unary", "scale", "add", "had", "softmax", "each"))
            match kind:
                case "unary":
                    return Unary(self.rng.choice(("tanh", "sigmoid", "sin", "exp", "relu")), self.vector(ctx, axis, depth - 1), self.form())
                case "scale":
                    return Binary("mul", self.scalar(ctx, 0), self.vector(ctx, axis, depth - 1), self.form())
                case "add" | "had":
                    op = self.rng.choice(("add", "sub")) if kind == "add" else "mul"
                    return Binary(op, self.vector(ctx, axis, depth - 1), self.vector(ctx, axis, depth - 1), self.form())
                case "softmax":
                    self.mark("softmax")
                    return Softmax(self.vector(ctx, axis, depth - 1), self.form())
                case _:
                    letter = self.letter(ctx)
                    self.mark("comprehensions")
                    return Each(letter, axis, self.scalar({**ctx, letter: Bound(axis)}, depth - 1), self.form())
        if not whole:
            raise NothingFits
        return self.read(ctx, self.rng.choice(whole), 1)

    # ---- functions ---------------------------------------------------------------------------

    def function(self) -> None:
        """A function whose arguments shadow arrays, carry indices, or whose body captures what stands around."""
        free = [base for base in FUNCTIONS if base not in self.used and base not in self.letters]
        if not free:
            raise NothingFits
        name = Name(self.rng.choice(free))
        self.used.add(name.base)
        outer = self.arrays
        letters = self.letters
        parameters: list[tuple[Name, int]] = []
        inside: list[Array] = []
        axis = self.range()
        kind = self.rng.choice(("plain", "plain", "shadow", "shadow", "shadow vector", "shadow vector", "vector", "indexed", "indexed"))
        if kind == "indexed":
            bases = [a.name.base for a in outer if not a.name.label and "{" not in a.name.base and a.axes] or ["x"]
            base = self.rng.choice([base for base in bases if base in RESERVED and self.chance(0.7)] or bases)
            self.mark("indexed arguments")
            ranks = {a.rank for a in outer if a.name.base == base}
            rank = 0 if ranks and max(ranks) < 2 else self.rng.choice((0, 0, 1))  # an element of a vector is a number
            marks = self.rng.sample(self.letters, 2)
            for mark in marks:
                parameters.append((Name(base, mark), rank))
                inside.append(Array(Name(base, mark), (axis,) * rank, (True,) * rank))
            outer = [a for a in outer if a.name.base != base]
            self.letters = [letter for letter in letters if letter not in marks]
            if self.chance(0.7):
                letters = self.letters
        else:
            shadows = [a.name for a in outer if not a.name.label]
            for _ in range(self.rng.choice((1, 1, 2))):
                rank = int("vector" in kind)
                if "shadow" in kind and shadows:
                    own = shadows.pop(self.rng.randrange(len(shadows)))
                    self.mark("shadowed arguments")
                    if rank:
                        self.mark("indexed shadowed arguments")
                else:
                    own = Name(self.rng.choice([b for b in LOWER if b not in self.used and b not in self.letters]))
                    self.used.add(own.base)
                parameters.append((own, rank))
                inside.append(Array(own, (axis,) * rank, (self.chance(0.7),) * rank))
            taken = {p for p, _ in parameters}
            outer = [a for a in outer if a.name not in taken]
        captured = outer if self.chance(0.6) else []
        before = self.arrays
        self.arrays = [*inside, *inside, *inside, *captured]
        try:
            body = self.body_with(inside, 2)
        finally:
            self.arrays, self.letters = before, letters
        if any(isinstance(node, Ref) and node.name in {a.name for a in captured} for node in _walk(body)):
            self.mark("captured names")
        self.statements.append(Function(name, tuple(parameters), body, self.form()))
        self.functions.append(Signature(name, tuple(a.axes for a in inside)))

    def body_with(self, inside: list[Array], depth: int) -> Expr:
        """A body that reads each argument."""
        for _ in range(20):
            body = self.scalar({}, depth)
            read = {node.name for node in _walk(body) if isinstance(node, Ref)}
            if all(a.name in read for a in inside):
                return body
        terms: list[Expr] = []
        for a in inside:
            letter = self.letter({})
            if a.axes:
                element = Unary("square", Ref(a.name, (Index(letter),), 0, self.form()), self.form())
                terms.append(Reduce("sum", letter, a.axes[0], element, True, None, self.form()))
            else:
                terms.append(Unary("square", Ref(a.name, (), 0, self.form()), self.form()))
        return terms[0] if len(terms) == 1 else Binary("add", terms[0], terms[1], self.form())

    # ---- definitions -------------------------------------------------------------------------

    def define_family(self) -> None:
        """An array over one or two indices."""
        ctx: dict[str, Bound] = {}
        binders = []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            axis = self.range()
            letter = self.letter(ctx, axis)
            if self.chance(0.1):
                axis = Range(Index(None, 2), axis.high)
            ctx[letter] = Bound(axis)
            binders.append(Binder(letter, axis))
        name = self.fresh(len(binders), True)
        body = self.scalar(ctx, 3)
        self.add_family(name, tuple(binders), body)

    def add_family(self, name: Name, binders: tuple[Binder, ...], body: Expr, element_axes: tuple[Range, ...] = (), **more: Any) -> Array:
        """A definition, and the array that it makes."""
        self.statements.append(Define(name, binders, body, element_axes=element_axes, form=self.form(), **more))
        axes = (*(b.range for b in binders), *element_axes)
        array = Array(name, axes, (*(False for _ in binders), *(True for _ in element_axes)))
        self.arrays.append(array)
        self.results.append(Ref(name, (), len(axes), 1))
        return array

    def define_scalar(self) -> None:
        name = self.fresh(0)
        self.statements.append(Define(name, (), self.scalar({}, 3), form=self.form()))
        self.arrays.append(Array(name))
        self.results.append(Ref(name, (), 0, 1))

    def define_recurrence(self) -> None:
        """`h_t` of `h_{t-1}`, begun by a guard or by an `h_0` of its own."""
        size = self.rng.choice(self.sizes)
        letter = self.letter({}, extent(size))
        name = self.fresh(1, True)
        self.mark("recurrences")
        seeded = self.chance(0.5) and not name.label
        axis = extent(size)
        ctx = {letter: Bound(axis)}
        back = Ref(name, (Index(letter, -1),), 0, self.form())
        step = Binary(
            "add", Binary("mul", self.scalar({}, 0), Unary("tanh", back, self.form()), self.form()), self.scalar(ctx, 1), self.form()
        )
        if seeded:
            start = Name(name.base, "0")
            self.declarations.append(
                Declaration(start, (), "plain", (), self.chance(0.6) or self.notation != "module", (name, (Index(None, 0),)))
            )
            self.add_family(name, (Binder(letter, axis),), step, seeds=(((Index(None, 0),), start),))
            return
        first = self.scalar({}, 1)
        low = self.rng.choice((0, 1))
        if low == 0:
            axis = Range(Index(None, 0), Index(size))
        guard = Compare("=", IndexValue(Index(letter)), Number(str(low), float(low)), self.form())
        self.add_family(name, (Binder(letter, axis),), Cases(((guard, first),), step, self.form()))

    def define_comprehension(self) -> None:
        """A sequence, then a sequence of its elements."""
        axis = self.range()
        letter = self.letter({})
        name = self.fresh(1)
        self.mark("comprehensions")
        self.add_whole(name, Each(letter, axis, self.scalar({letter: Bound(axis)}, 2), self.form()), axis, False)
        if self.chance(0.7):
            self.mark("chains of comprehensions")
            second, element = self.fresh(1), self.fresh(0, plain=True)
            body = self.scalar_of(element)
            self.add_whole(second, EachOf(element, Ref(name, (), 1, 1), body, self.form()), axis, False)
        if self.chance(0.4):
            last, other = self.fresh(1), self.letter({})
            source = self.arrays[-1]
            read = Ref(source.name, (Index(other),), 0, self.form())
            self.add_whole(last, Each(other, axis, Unary("sin", read, self.form()), self.form()), axis, False)

    def scalar_of(self, element: Name) -> Expr:
        own = Ref(element, (), 0, 1)
        scalars = [a for a in self.arrays if not a.axes]
        extra: Expr = Ref(self.rng.choice(scalars).name, (), 0, 1) if scalars else Number("2", 2.0)
        return self.rng.choice(
            (
                Binary("mul", extra, Unary("tanh", own, self.form()), self.form()),
                Binary("add", Unary("square", own, self.form()), extra, self.form()),
                Unary("sigmoid", own, self.form()),
            )
        )

    def add_whole(self, name: Name, body: Expr, axis: Range, soft: bool) -> Array:
        self.statements.append(Define(name, (), body, element_axes=(axis,), form=self.form()))
        array = Array(name, (axis,), (soft,))
        self.arrays.append(array)
        self.results.append(Ref(name, (), 1, 1))
        return array

    # ---- the whole ---------------------------------------------------------------------------

    def program(self) -> Program:
        """The program; `NothingFits` where the draw leads nowhere."""
        from .idioms import IDIOMS
        from .in_order import in_order

        self.some_declarations()
        if self.chance(0.65):
            self.function()
            if self.chance(0.25):
                self.function()
        in_sequence = self.notation != "module" and self.chance(0.65)
        kinds = (self.define_family, self.define_family, self.define_scalar, self.define_recurrence, self.define_comprehension)
        for _ in range(self.rng.randint(1, 2) if in_sequence else self.rng.randint(1, 4)):
            if self.chance(0.4):
                self.rng.choice(IDIOMS)(self)
            else:
                self.rng.choice(kinds)()
        if in_sequence:
            in_order(self)
        self.find_families()
        results = self.results[-4:]
        return Program(
            self.notation,
            tuple(self.sizes),
            (),
            tuple(sorted(self.declarations, key=lambda d: not d.is_input)),
            tuple(self.statements),
            tuple(results),
            self.form() if self.notation == "module" and self.chance(0.3) else 0,
            frozenset(self.features),
            self.form(),
        )

    def find_families(self) -> None:
        """Whether families stand beside scalars of the same letter or with one."""
        if any(a.axes for a in self.arrays) and any(not a.axes for a in self.arrays):
            self.mark("families beside scalars")


def _walk(node: Expr) -> Any:
    from .trees import walk

    return walk(node)


__all__ = ["Array", "Bound", "Draw", "NothingFits", "extent", "rank_of"]
