"""Ways through the IR: children, reads, free index variables, and substitution that captures nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import fields, replace
from operator import is_
from typing import assert_never

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Array,
    Axis,
    Call,
    CallTarget,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Literal,
    Loop,
    Module,
    Range,
    Read,
    Reduce,
    Result,
    ResultTuple,
    ScheduledModule,
    Select,
    Setting,
    Stage,
    Step,
    Whole,
)
from mathdsl.ir.sizes import Poly

# ---- one level of an expression ------------------------------------------------------------------


def element_of(expr: Expr) -> Element:
    """What the value of the expression is: a real, an integer or a truth value."""
    return Element.INTEGER if isinstance(expr, IndexValue) else expr.element


def zero_of(element: Element) -> Literal:
    """The number of its kind that stands where nothing is wanted."""
    match element:
        case Element.REAL:
            return Literal(0.0)
        case Element.INTEGER:
            return Literal(0)
        case Element.BOOLEAN:
            return Literal(False)
        case _:
            assert_never(element)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The expressions directly inside, from left to right; index expressions (gathers) count, polynomials do not."""
    match expr:
        case Apply(arguments=arguments):
            return arguments
        case Read(index=index):
            return tuple([entry for entry in index if not isinstance(entry, Poly)])
        case Literal() | IndexValue() | Setting():
            return ()
        case Reduce(body=body):
            return (body,)
        case Along(body=body, at=at):
            return (body,) if isinstance(at, Poly) else (body, at)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case _:
            assert_never(expr)


def map_children(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The same node with each of its `children` changed; this very node where no child changes."""

    def entry(index: Index) -> Index:
        return index if isinstance(index, Poly) else change(index)

    match expr:
        case Apply(op=op, arguments=arguments, element=element):
            changed = tuple([change(argument) for argument in arguments])
            return expr if _are(changed, arguments) else Apply(op, changed, element)
        case Read(array=array, index=index, element=element):
            entries = tuple([entry(i) for i in index])
            return expr if _are(entries, index) else Read(array, entries, element)
        case Literal() | IndexValue() | Setting():
            return expr
        case Reduce(body=body):
            inner = change(body)
            return expr if inner is body else replace(expr, body=inner)
        case Along(body=body, at=at):
            inner, place = change(body), entry(at)
            return expr if inner is body and place is at else replace(expr, body=inner, at=place)
        case Select(condition=condition, then=then, otherwise=otherwise):
            parts = change(condition), change(then), change(otherwise)
            return expr if _are(parts, (condition, then, otherwise)) else Select(*parts, expr.element)
        case _:
            assert_never(expr)


def _are(new: Iterable[object], old: Iterable[object]) -> bool:
    """Whether these are the same objects."""
    return all(map(is_, new, old))


def map_range(bounds: Range, change: Callable[[Poly], Poly]) -> Range:
    """The range with both bounds changed."""
    lower, upper = change(bounds.lower), change(bounds.upper)
    return bounds if lower is bounds.lower and upper is bounds.upper else Range(lower, upper)


def map_polys(expr: Expr, change: Callable[[Poly], Poly]) -> Expr:
    """The same node with its own polynomials changed: indices, index values, bounds; not those of its children."""

    def entry(index: Index) -> Index:
        return change(index) if isinstance(index, Poly) else index

    match expr:
        case Literal() | Setting() | Apply() | Select():
            return expr
        case IndexValue(value=value):
            return IndexValue(change(value))
        case Read(array=array, index=index, element=element):
            entries = tuple([entry(i) for i in index])
            return expr if _are(entries, index) else Read(array, entries, element)
        case Reduce(axis=axis):
            return replace(expr, axis=Axis(axis.name, map_range(axis.range, change)))
        case Along(axis=axis, at=at):
            return replace(expr, axis=Axis(axis.name, map_range(axis.range, change)), at=entry(at))
        case _:
            assert_never(expr)


def polys(expr: Expr) -> tuple[Poly, ...]:
    """The node's own polynomials, those of `map_polys`; none of them lies inside the scope of an axis of the node."""
    match expr:
        case Apply() | Literal() | Setting() | Select():
            return ()
        case Read(index=index):
            return tuple([entry for entry in index if isinstance(entry, Poly)])
        case IndexValue(value=value):
            return (value,)
        case Reduce(axis=axis):
            return (axis.range.lower, axis.range.upper)
        case Along(axis=axis, at=at):
            return (axis.range.lower, axis.range.upper, at) if isinstance(at, Poly) else (axis.range.lower, axis.range.upper)
        case _:
            assert_never(expr)


# ---- whole expressions ---------------------------------------------------------------------------


def walk(expr: Expr) -> tuple[Expr, ...]:
    """The expression and everything inside it, outer before inner, left before right; found once, since passes ask again and again."""
    try:
        return expr, *expr.inside
    except AttributeError:
        _, *inside = search(expr)
        object.__setattr__(expr, "inside", tuple(inside))
        return expr, *inside


def search(expr: Expr) -> Iterator[Expr]:
    """`walk` one by one, for those that mostly stop at the first few."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        inner = children(node)
        if inner:
            waiting += inner[::-1]


def rewrite(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Change every node, inner before outer."""
    return change(map_children(expr, lambda child: rewrite(child, change)))


def reads(expr: Expr) -> tuple[Read, ...]:
    """Every read inside, in the order of `walk`, repetitions kept; found once."""
    try:
        return expr.read
    except AttributeError:
        found = tuple([node for node in walk(expr) if isinstance(node, Read)])
        object.__setattr__(expr, "read", found)
        return found


def free_names(expr: Expr) -> tuple[str, ...]:
    """Sizes and index variables that occur in the expression and are not bound in it, in order of appearance."""
    found: dict[str, None] = {}
    waiting = [(expr, frozenset[str]())]
    while waiting:
        node, bound = waiting.pop()
        for poly in polys(node):
            found |= dict.fromkeys([name for name in poly.ordered_names if name not in bound])
        inside = bound | {node.axis.name} if isinstance(node, (Reduce, Along)) else bound
        waiting += [(child, inside if k == 0 else bound) for k, child in enumerate(children(node))][::-1]
    return tuple(found)


def bound_axes(expr: Expr) -> tuple[Axis, ...]:
    """The axes of reductions and of operations along an axis, in the order of `walk`."""
    return tuple([node.axis for node in walk(expr) if isinstance(node, (Reduce, Along))])


def substitute_axes(expr: Expr, values: Mapping[str, Poly], fresh: FreshNames, avoid: Collection[str] = ()) -> Expr:
    """Put polynomials for free index variables (or sizes).

    A bound axis that would capture a name of a value, or whose name is in `avoid` (the axes around the place where the
    result goes), gets a name from `fresh`.
    """

    def put(poly: Poly) -> Poly:
        return poly.substitute(dict(values))

    def inside(axis: Axis, body: Expr) -> tuple[Axis, Expr]:
        inner = {key: value for key, value in values.items() if key != axis.name}
        name = axis.name
        if name in avoid or any(name in value.names for value in inner.values()):
            name = fresh(name)
            inner[axis.name] = Poly.of(name)
        return Axis(name, map_range(axis.range, put)), substitute_axes(body, inner, fresh, avoid)

    match expr:
        case Reduce():
            axis, body = inside(expr.axis, expr.body)
            return replace(expr, axis=axis, body=body)
        case Along(at=at):
            axis, body = inside(expr.axis, expr.body)
            place = put(at) if isinstance(at, Poly) else substitute_axes(at, values, fresh, avoid)
            return replace(expr, axis=axis, body=body, at=place)
        case _:
            return map_polys(map_children(expr, lambda child: substitute_axes(child, values, fresh, avoid)), put)


def rename_arrays(expr: Expr, names: Mapping[str, str]) -> Expr:
    """Read other arrays instead: `names` maps old to new; the rest stays."""

    def rename(node: Expr) -> Expr:
        if isinstance(node, Read) and node.array in names:
            return replace(node, array=names[node.array])
        return node

    return rewrite(expr, rename)


# ---- steps and modules ---------------------------------------------------------------------------


def step_expressions(step: Step) -> tuple[Expr, ...]:
    """The right side of an equation, or the arguments of a call."""
    match step:
        case Equation(value=value):
            return (value,)
        case Call(arguments=arguments):
            return tuple(argument.value.value for argument in arguments)
        case _:
            assert_never(step)


def map_step(step: Step, change: Callable[[Expr], Expr]) -> Step:
    """The step with each of its `step_expressions` changed; this very step where none changes."""
    match step:
        case Equation(value=value):
            new = change(value)
            return step if new is value else replace(step, value=new)
        case Call(arguments=arguments):
            changed = tuple(replace(a, value=replace(a.value, value=change(a.value.value))) for a in arguments)
            return step if _are((c.value.value for c in changed), step_expressions(step)) else replace(step, arguments=changed)
        case _:
            assert_never(step)


def step_reads(step: Step) -> tuple[Read, ...]:
    """Every read of the step."""
    return tuple(read for expr in step_expressions(step) for read in reads(expr))


def needed_by(module: Module, steps: Iterable[Step]) -> Set[str]:
    """The arrays that steps read, and those that these are made of."""
    needed: set[str] = set()
    waiting = list(steps)
    while waiting:
        new = {read.array for read in step_reads(waiting.pop())} - needed
        needed |= new
        waiting += (step for step in module.steps if not new.isdisjoint(step_targets(step)))
    return needed


def step_targets(step: Step) -> tuple[str, ...]:
    """The arrays that the step defines elements of."""
    match step:
        case Equation(target=target):
            return (target,)
        case Call(targets=targets):
            return tuple(target.array for target in targets if target is not None)
        case _:
            assert_never(step)


def stage_steps(stages: Iterable[Stage]) -> tuple[Step, ...]:
    """The steps of a schedule, in its order."""
    found: list[Step] = []
    for stage in stages:
        match stage:
            case Whole(step=step):
                found.append(step)
            case Loop(body=body):
                found.extend(stage_steps(body))
            case _:
                assert_never(stage)
    return tuple(found)


def with_schedule(module: Module, schedule: Iterable[Stage]) -> ScheduledModule:
    """The module with an order of its steps."""
    kept = {field.name: getattr(module, field.name) for field in fields(Module)}
    return ScheduledModule(**kept, schedule=tuple(schedule))


def flat_results(results: Result | ResultTuple) -> tuple[Result, ...]:
    """The returned values without their nesting, from left to right."""
    match results:
        case Result():
            return (results,)
        case ResultTuple(items=items):
            return tuple(result for item in items for result in flat_results(item))
        case _:
            assert_never(results)


def map_results(results: Result | ResultTuple, change: Callable[[Abstraction], Abstraction]) -> Result | ResultTuple:
    """The same nesting with each returned array changed."""
    match results:
        case Result(value=value):
            return replace(results, value=change(value))
        case ResultTuple(items=items):
            return ResultTuple(tuple(map_results(item, change) for item in items))
        case _:
            assert_never(results)


def all_axes(module: Module) -> Iterator[Axis]:
    """Every axis of a module, of its steps, arguments, results, checks and formulas."""
    for step in module.steps:
        yield from step.axes
        if isinstance(step, Call):
            for argument in step.arguments:
                yield from argument.value.axes
    for result in flat_results(module.results):
        yield from result.value.axes
    for check in module.checks:
        yield from check.axes
    for expr in module_expressions(module):
        yield from bound_axes(expr)


def map_module(
    module: Module,
    poly: Callable[[Poly], Poly],
    axis: Callable[[Axis], Axis],
    entry: Callable[[str, int, Poly], Poly],
    expression: Callable[[Expr], Expr],
) -> Module:
    """The module with its axes and expressions changed; `entry` changes an index of an axis of an array, where that is defined."""

    def axes(old: tuple[Axis, ...]) -> tuple[Axis, ...]:
        return tuple(map(axis, old))

    def abstraction(old: Abstraction) -> Abstraction:
        return Abstraction(axes(old.axes), expression(old.value))

    def place(array: str, at: int, old: Range) -> Range:
        return map_range(old, lambda bound: entry(array, at, bound))

    def array(old: Array) -> Array:
        return replace(old, ranges=tuple(place(old.name, at, bounds) for at, bounds in enumerate(old.ranges)))

    def target(old: CallTarget) -> CallTarget:
        index = (place(old.array, at, e) if isinstance(e, Range) else entry(old.array, at, e) for at, e in enumerate(old.index))
        return replace(old, index=tuple(index))

    def step(old: Step) -> Step:
        if isinstance(old, Equation):
            index = tuple(entry(old.target, k, e) for k, e in enumerate(old.index))
            return replace(old, axes=axes(old.axes), index=index, value=expression(old.value))
        return replace(
            old,
            axes=axes(old.axes),
            targets=tuple(one and target(one) for one in old.targets),
            at=None if old.at is None else poly(old.at),
            arguments=tuple(replace(argument, value=abstraction(argument.value)) for argument in old.arguments),
            sizes=tuple((name, poly(value)) for name, value in old.sizes),
        )

    return replace(
        module,
        arrays=tuple(map(array, module.arrays)),
        steps=tuple(map(step, module.steps)),
        results=map_results(module.results, abstraction),
        checks=tuple(replace(check, axes=axes(check.axes), condition=expression(check.condition)) for check in module.checks),
    )


def module_expressions(module: Module) -> tuple[Expr, ...]:
    """Every expression that a module evaluates: of its steps, its checks and its results."""
    return (
        *(expr for step in module.steps for expr in step_expressions(step)),
        *(check.condition for check in module.checks),
        *(result.value.value for result in flat_results(module.results)),
    )
