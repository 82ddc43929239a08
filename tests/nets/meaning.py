"""What a drawn program means: statements in order, cells of 0-d tensors, so that gradients come from autograd alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from . import trees
from .trees import (
    Assign,
    Binary,
    Both,
    Call,
    Cases,
    Compare,
    Condition,
    Define,
    Dot,
    Each,
    EachOf,
    Even,
    Expr,
    For,
    Function,
    If,
    Index,
    IndexValue,
    MatVec,
    Name,
    Norm,
    Number,
    Program,
    Range,
    Reduce,
    Ref,
    Softmax,
    SoftmaxAt,
    Statement,
    Unary,
)

Cells = dict[tuple[int, ...], Tensor]


class Undefined(Exception):
    """A program has no value here: an element that nothing defines, a maximum of nothing."""


@dataclass
class Scope:
    """Values of names, functions, and of indices and sizes; `around`: the values around functions, where arguments hide some."""

    cells: dict[Name, Cells]
    functions: dict[Name, Function]
    integers: dict[str, int]
    supplied: dict[Name, set[tuple[int, ...]]] = field(default_factory=dict)
    around: dict[Name, Cells] | None = None

    def with_integer(self, name: str, value: int) -> Scope:
        return Scope(self.cells, self.functions, {**self.integers, name: value}, self.supplied, self.around)

    def index(self, index: Index) -> int:
        return (self.integers[index.name] if index.name is not None else 0) + index.offset

    def range(self, bounds: Range) -> range:
        return range(self.index(bounds.low), self.index(bounds.high) + 1)


def evaluate_program(program: Program, given: Mapping[Name, Tensor], sizes: Mapping[str, int]) -> list[Tensor]:
    """The results at sizes, of tensors for all inputs and parameters."""
    scope = Scope({}, {}, dict(sizes))
    for declaration in program.declarations:
        lows = [scope.range(axis) for axis in declaration.axes]
        value = given[declaration.name]
        if tuple(value.shape) != tuple(len(r) for r in lows):
            raise ValueError(f"{declaration.name} has the shape {tuple(value.shape)}")
        scope.cells[declaration.name] = cells_of(value, [r.start for r in lows])
    for statement in program.statements:
        run_statement(statement, scope)
    return [evaluate(expr, scope, result=True) for expr in program.results]


def cells_of(value: Tensor, lows: list[int]) -> Cells:
    """The elements of a tensor, from the first index of each axis on."""
    places = itertools.product(*(range(k) for k in value.shape))
    return {tuple(p + low for p, low in zip(place, lows, strict=True)): value[place] for place in places}


# ---- statements ------------------------------------------------------------------------------


def run_statement(statement: Statement, scope: Scope) -> None:
    """Execute a statement; a definition fills its cells one after the other, so that later ones may read earlier ones."""
    match statement:
        case Function():
            scope.functions[statement.name] = statement
        case Define():
            run_definition(statement, scope)
        case Assign():
            place = tuple(scope.index(i) for i in statement.indices)
            put(scope, statement.name, place, evaluate(statement.body, scope), statement.element_axes)
        case For():
            for value in scope.range(statement.range):
                inner = scope.with_integer(statement.index, value)
                for each in statement.body:
                    run_statement(each, inner)
        case If():
            for each in statement.then if holds(statement.condition, scope) else statement.otherwise:
                run_statement(each, scope)


def run_definition(definition: Define, scope: Scope) -> None:
    """The cells of an array over its domains, in their order."""
    for indices, name in definition.seeds:
        place = tuple(scope.index(i) for i in indices)
        for rest, value in scope.cells[name].items():
            scope.cells.setdefault(definition.name, {})[(*place, *rest)] = value
            scope.supplied.setdefault(definition.name, set()).add((*place, *rest))

    def over(binders: tuple[trees.Binder, ...], inner: Scope, place: tuple[int, ...]) -> None:
        if not binders:
            put(inner, definition.name, place, evaluate(definition.body, inner), definition.element_axes)
            return
        values = inner.range(binders[0].range)
        for value in reversed(values) if definition.backwards else values:
            over(binders[1:], inner.with_integer(binders[0].index, value), (*place, value))

    scope.cells.setdefault(definition.name, {})
    over(definition.binders, scope, ())


def put(scope: Scope, name: Name, place: tuple[int, ...], value: Tensor, element_axes: tuple[Range, ...]) -> None:
    """Write a value to a place; a value with axes to all places below it."""
    lows = [scope.index(axis.low) for axis in element_axes] if value.dim() else []
    if len(lows) != value.dim():
        raise Undefined("the axes of an element are not known")
    if not place and value.dim():
        scope.cells[name] = {}
    own = scope.cells.setdefault(name, {})
    for rest, element in cells_of(value, lows).items():
        own[(*place, *rest)] = element


# ---- expressions -----------------------------------------------------------------------------

UNARY = {
    "neg": lambda x: -x,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "relu": lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    "softplus": lambda x: torch.log(1 + torch.exp(x)),
    "gamma": lambda x: torch.exp(torch.lgamma(x)),
    "abs": torch.abs,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "reciprocal": lambda x: 1 / x,
}
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "max": lambda a, b: torch.where(a >= b, a, b),
    "min": lambda a, b: torch.where(a <= b, a, b),
}


def evaluate(expr: Expr, scope: Scope, result: bool = False) -> Tensor:
    """The value of an expression; of a returned name, without the elements that inputs supplied."""
    match expr:
        case Number():
            return torch.tensor(expr.value, dtype=torch.float64)
        case IndexValue():
            return torch.tensor(float(scope.index(expr.index)), dtype=torch.float64)
        case Ref():
            return read(expr, scope, result)
        case Unary():
            return UNARY[expr.op](evaluate(expr.argument, scope))
        case Binary():
            left, right = evaluate(expr.left, scope), evaluate(expr.right, scope)
            if left.dim() and right.dim() and left.shape != right.shape:
                raise Undefined("two sizes where one is needed")
            return BINARY[expr.op](left, right)
        case Reduce():
            return reduce(expr, scope)
        case Cases():
            for condition, row in expr.rows:
                if holds(condition, scope):
                    return evaluate(row, scope)
            return evaluate(expr.otherwise, scope)
        case Call():
            return call(expr, scope)
        case MatVec():
            return evaluate(expr.matrix, scope) @ evaluate(expr.vector, scope)
        case Dot():
            return (evaluate(expr.left, scope) * evaluate(expr.right, scope)).sum()
        case Norm():
            vector = evaluate(expr.vector, scope)
            squared = (vector * vector).sum()
            return {"squared": squared, "two": torch.sqrt(squared), "one": vector.abs().sum()}[expr.kind]
        case Softmax():
            vector = torch.exp(evaluate(expr.vector, scope))
            return vector / vector.sum()
        case SoftmaxAt():
            values = {v: torch.exp(evaluate(expr.body, scope.with_integer(expr.index, v))) for v in scope.range(expr.range)}
            return values[scope.integers[expr.index]] / stack(list(values.values())).sum()
        case Each():
            return stack([evaluate(expr.body, scope.with_integer(expr.index, v)) for v in scope.range(expr.range)])
        case EachOf():
            items = []
            for item in evaluate(expr.source, scope):
                cells = {**scope.cells, expr.element: cells_of(item, [1] * item.dim())}
                inner = Scope(cells, scope.functions, scope.integers, around=scope.cells if scope.around is None else scope.around)
                items.append(evaluate(expr.body, inner))
            return stack(items)


def stack(items: list[Tensor]) -> Tensor:
    """A new leading axis; there is no sequence of nothing here."""
    if not items:
        raise Undefined("a sequence of nothing")
    return torch.stack(items)


def read(ref: Ref, scope: Scope, result: bool) -> Tensor:
    """An element, or all elements below the indices, in order."""
    place = tuple(scope.index(i) for i in ref.indices)
    cells = scope.cells.get(ref.name)
    if cells is None:
        raise Undefined(f"{ref.name} has no value")
    if ref.rank == 0:
        if place not in cells:
            raise Undefined(f"{ref.name} has no element {place}")
        return cells[place]
    left_out = scope.supplied.get(ref.name, set())
    if left_out and not result and not place:
        raise Undefined("whether the whole holds what inputs supply is left open")
    below = sorted(key for key in cells if key[: len(place)] == place and len(key) == len(place) + ref.rank and key not in left_out)
    if not below:
        raise Undefined(f"{ref.name} has no elements at {place}")
    axes = [sorted({key[len(place) + k] for key in below}) for k in range(ref.rank)]
    shape = [len(axis) for axis in axes]
    if len(below) != math.prod(shape) or any(axis != list(range(axis[0], axis[-1] + 1)) for axis in axes):
        raise Undefined(f"{ref.name} is not wholly defined")
    return torch.stack([cells[key] for key in below]).reshape(shape)


def reduce(expr: Reduce, scope: Scope) -> Tensor:
    """The terms in order, put together."""
    terms = []
    for value in scope.range(expr.range):
        inner = scope.with_integer(expr.index, value)
        if expr.condition is None or holds(expr.condition, inner):
            terms.append(evaluate(expr.body, inner))
    if not terms and (expr.op not in ("sum", "prod") or trees.rank_of(expr.body)):
        raise Undefined("a reduction of nothing")
    match expr.op:
        case "sum":
            return sum(terms, torch.tensor(0.0, dtype=torch.float64))
        case "prod":
            return math.prod(terms, start=torch.tensor(1.0, dtype=torch.float64))
        case "mean":
            return sum(terms[1:], terms[0]) / len(terms)
        case _:
            stacked = torch.stack(terms)
            return stacked.amax(0) if expr.op == "max" else stacked.amin(0)


def call(expr: Call, scope: Scope) -> Tensor:
    """The body where the arguments, and nothing else, shadow what stands around the definition, not around the call."""
    function = scope.functions[expr.function]
    around = scope.cells if scope.around is None else scope.around
    cells = dict(around)
    for (name, rank), argument in zip(function.parameters, expr.arguments, strict=True):
        value = evaluate(argument, scope)
        if value.dim() != rank:
            raise Undefined("an argument of another rank")
        cells[name] = cells_of(value, [1] * value.dim())
    sizes = {k: v for k, v in scope.integers.items() if len(k) > 1 or k not in "ijklrst"}
    return evaluate(function.body, Scope(cells, scope.functions, sizes, around=around))


def holds(condition: Condition, scope: Scope) -> bool:
    """Whether a condition is true."""
    match condition:
        case Compare():
            left, right = (float(evaluate(side, scope).detach()) for side in (condition.left, condition.right))
            return {
                "=": left == right,
                "!=": left != right,
                "<": left < right,
                "<=": left <= right,
                ">": left > right,
                ">=": left >= right,
            }[condition.op]
        case Both():
            if condition.op == "and":
                return holds(condition.left, scope) and holds(condition.right, scope)
            return holds(condition.left, scope) or holds(condition.right, scope)
        case Even():
            return scope.index(condition.index) % 2 == 0
