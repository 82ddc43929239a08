"""The oracle: what a program means, one index point at a time, in plain Python numbers.

It knows nothing of torch, of passes and of backends, and it does not follow schedules: an element is computed when it
is needed, from the equation that defines it.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, assert_never

from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Array,
    Axis,
    Call,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Input,
    Kind,
    Literal,
    Module,
    Program,
    Read,
    Reduce,
    Result,
    ResultTuple,
    Select,
    Setting,
    StackPart,
)
from mathdsl.ir.sizes import OwnSize, Poly
from mathdsl.ir.traversal import element_of, free_names
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, Number
from mathdsl.oracle.errors import OracleError
from mathdsl.oracle.instances import (
    CallResult,
    Instance,
    Point,
    Scope,
    bind_places,
    default_of,
    element_of_nested,
    is_inside,
    match_index,
    value_of,
    values_of,
)
from mathdsl.oracle.machine import Machine, Task
from mathdsl.oracle.runtime_sizes import infer_sizes

_POISON = math.nan  # what stands where nothing may be read: in padding, outside, undefined


def interpret(
    program: Program,
    module_name: str,
    arguments: Mapping[str, Any],
    parameters: Mapping[str, Any],
    sizes: Mapping[str, int],
    settings: Mapping[str, Number] | None = None,
    lengths: Mapping[str, int] | None = None,
) -> Any:
    """The results of a module on one example, in evaluation mode: nested lists, and tuples where the module returns them.

    `arguments` (by array name) and `parameters` (by path: `W`, `T_f.W_h`, `f.0.W`) are nested lists or numbers, `sizes`
    the hyperparameters; run-time sizes follow from the arguments. With `lengths`, the arguments are padded, `lengths`
    gives the example's own run-time sizes, and what may not be read is NaN; the results are padded. Without, an
    `OracleError` says which element was read and is not there.
    """
    module = program.module(module_name)
    extents = infer_sizes(module, arguments, sizes)
    interpreter = _Interpreter(program, parameters, is_padded=lengths is not None)
    scope = extents | {OwnSize(name): value for name, value in (extents | dict(lengths or {})).items()}
    instance = interpreter.instance(module, scope, settings or {}, arguments)
    interpreter.run_checks(instance)
    return interpreter.results(module.results, instance)


class _Interpreter:
    """One interpretation: the values computed so far, and the instances that calls made."""

    def __init__(self, program: Program, parameters: Mapping[str, Any], is_padded: bool) -> None:
        self._program = program
        self._parameters = parameters
        self._is_padded = is_padded
        self._machine: Machine[Point] = Machine(self._element)
        self._callees: dict[tuple[Instance, int, tuple[int, ...]], Instance] = {}
        self._along: dict[tuple[object, ...], list[Number]] = {}

    # ---- instances ---------------------------------------------------------------------------------

    def instance(self, module: Module, scope: Scope, settings: Mapping[str, Number], arguments: Mapping[str, Any]) -> Instance:
        """The module that the user called, with nested lists for its inputs."""
        defaults = _defaults(module)

        def given(array: Array, index: tuple[int, ...]) -> Task[Point]:
            yield from ()  # a task that asks for nothing
            if array.name not in arguments:
                return default_of(defaults[array.name], array)
            return _number(array.element, element_of_nested(arguments[array.name], array, index, scope))

        return Instance(module, "", scope, _settings(module, settings), given)

    def _callee(self, caller: Instance, call: Call, scope: Scope) -> Instance:
        """The instance that a call runs at one point of its axes; its inputs are expressions of the caller."""
        key = (caller, id(call), tuple(scope[axis.name] for axis in call.axes))
        if key in self._callees:
            return self._callees[key]
        submodule = next(s for s in caller.module.submodules if s.path == call.submodule)
        if submodule.callee is None:
            raise OracleError(f"{submodule.path} is opaque: there are no equations to interpret")
        module = self._program.module(submodule.callee)
        place = "" if call.at is None else f"{self._place(submodule.parts, call.at, scope)}."
        part = submodule.parts[0] if call.at is None else self._part(submodule.parts, call.at, scope)
        sizes = {name: value for name, value in part.arguments if isinstance(value, Poly)} | dict(call.sizes)
        inside = {name: value_of(size, scope) for name, size in sizes.items()}
        inside |= {OwnSize(name): value_of(size.owned(caller.module.ragged), scope) for name, size in sizes.items()}
        settings = {
            name: caller.settings[value.name] if isinstance(value, Setting) else value.value
            for name, value in part.arguments
            if not isinstance(value, Poly)
        }
        arguments = {argument.input: argument.value for argument in call.arguments}
        defaults = _defaults(module)

        def given(array: Array, index: tuple[int, ...]) -> Task[Point]:
            value = arguments.get(array.name)
            if value is None:
                return default_of(defaults[array.name], array)
            places = [i - value_of(bounds.lower, inside) for i, bounds in zip(index, array.ranges, strict=True)]
            answer = yield from self._evaluate(value.value, caller, bind_places(value.axes, places, scope))
            return answer

        prefix = f"{caller.prefix}{submodule.path}.{place}"
        callee = Instance(module, prefix, inside, _settings(module, settings), given)
        self._callees[key] = callee
        return callee

    def _part(self, parts: Sequence[StackPart], at: Poly, scope: Scope) -> StackPart:
        element = value_of(at, scope)
        found = next((part for part in parts if element in values_of(part.range, scope)), None)
        if found is None:
            raise OracleError(f"the stack has no element {element}")
        return found

    def _place(self, parts: Sequence[StackPart], at: Poly, scope: Scope) -> int:
        """The place of a stack's element, from 0."""
        return value_of(at, scope) - value_of(parts[0].range.lower, scope)

    # ---- elements ----------------------------------------------------------------------------------

    def _element(self, point: Point) -> Task[Point]:
        """The value of one element of an array."""
        instance, name, index = point
        array = instance.arrays[name]
        if not is_inside(array, index, instance.scope):
            return self._missing(f"{point} is read, outside of {_shown(array, instance.scope)}")
        match array.kind:
            case Kind.INPUT:
                answer = yield from instance.given(array, index)
                return answer
            case Kind.PARAMETER | Kind.BUFFER:
                answer = yield from self._owned(array, index, instance)
                return answer
            case Kind.VALUE:
                answer = yield from self._defined(point)
                return answer
            case _:
                assert_never(array.kind)

    def _owned(self, array: Array, index: tuple[int, ...], instance: Instance) -> Task[Point]:
        """A parameter's element as given; a buffer's also from its value in the program."""
        path = instance.prefix + array.name
        if path in self._parameters:
            return _number(array.element, element_of_nested(self._parameters[path], array, index, instance.scope))
        initialiser = next((p.initialiser for p in instance.module.parameters if p.array == array.name), None)
        if array.kind is Kind.BUFFER and initialiser is not None and initialiser.kind == "zeros":
            return _number(array.element, 0)
        if array.kind is Kind.BUFFER and initialiser is not None and initialiser.kind == "constant":
            answer = yield from self._evaluate(initialiser.arguments[0], instance, instance.scope)
            return answer
        raise OracleError(f"the parameter {path} is not given")

    def _defined(self, point: Point) -> Task[Point]:
        """A value's element from the one equation or call whose left side it is."""
        instance, name, index = point
        found: list[tuple[Equation | CallResult, Scope, list[int]]] = []
        for definition in instance.definitions[name]:
            if isinstance(definition, Equation):
                match = match_index(definition.index, definition.axes, index, instance.scope)
            else:
                match = match_index(definition.target.index, definition.call.axes, index, instance.scope)
            if match is not None:
                found.append((definition, *match))
        if not found:
            return self._missing(f"{point} is read and never defined")
        if len(found) > 1:
            raise OracleError(f"{point} is defined {len(found)} times")
        definition, scope, places = found[0]
        if isinstance(definition, Equation):
            answer = yield from self._evaluate(definition.value, instance, scope)
            return answer
        callee = self._callee(instance, definition.call, scope)
        result = callee.results[definition.position].value
        answer = yield from self._evaluate(result.value, callee, bind_places(result.axes, places, callee.scope))
        return answer

    def _missing(self, message: str) -> Number:
        if self._is_padded:
            return _POISON
        raise OracleError(message)

    # ---- expressions -------------------------------------------------------------------------------

    def _evaluate(self, expr: Expr, instance: Instance, scope: Scope) -> Task[Point]:
        match expr:
            case Literal(value=value):
                return value
            case IndexValue(value=poly):
                return value_of(poly, scope)
            case Setting(name=name):
                return instance.settings[name]
            case Read():
                answer = yield from self._read(expr, instance, scope)
            case Apply():
                answer = yield from self._apply(expr, instance, scope)
            case Reduce():
                answer = yield from self._reduce(expr, instance, scope)
            case Along():
                answer = yield from self._operate_along(expr, instance, scope)
            case Select(condition=condition, then=then, otherwise=otherwise):
                holds = yield from self._evaluate(condition, instance, scope)
                if _is_poisoned(holds, Element.BOOLEAN):
                    return _POISON
                answer = yield from self._evaluate(then if holds else otherwise, instance, scope)
            case _:
                assert_never(expr)
        return _number(element_of(expr), answer)

    def _index(self, entry: Index, instance: Instance, scope: Scope) -> Task[Point]:
        """The value of an index; NaN where it is poisoned."""
        if isinstance(entry, Poly):
            return value_of(entry, scope)
        answer = yield from self._evaluate(entry, instance, scope)
        return answer

    def _read(self, read: Read, instance: Instance, scope: Scope) -> Task[Point]:
        index: list[int] = []
        for entry in read.index:
            value = yield from self._index(entry, instance, scope)
            if _is_poisoned(value, Element.INTEGER):
                return _POISON
            index.append(int(value))
        point = Point(instance, read.array, tuple(index))
        known = self._machine.values.get(point)
        if known is not None:
            return known
        answer = yield point
        return answer

    def _apply(self, apply: Apply, instance: Instance, scope: Scope) -> Task[Point]:
        row = ELEMENTWISE[apply.op]
        operands: list[Number] = []
        for argument in apply.arguments:
            operand = yield from self._evaluate(argument, instance, scope)
            if _is_poisoned(operand, element_of(argument)):
                return _POISON
            operands.append(operand)
            if row.decided_by is not None and operand == row.decided_by:
                return operand
        try:
            return row.evaluate(*operands)
        except (ArithmeticError, ValueError) as error:
            return self._missing(f"{apply.op} of {', '.join(map(str, operands))}: {error}")

    def _values_along(self, axis: Axis, body: Expr, instance: Instance, scope: Scope) -> Generator[Point, Number, list[Number]]:
        """The values of the body over the axis, in order."""
        values: list[Number] = []
        for value in values_of(axis.range, scope):
            one = yield from self._evaluate(body, instance, scope | {axis.name: value})
            values.append(one)
        return values

    def _reduce(self, reduce: Reduce, instance: Instance, scope: Scope) -> Task[Point]:
        row = REDUCTIONS[reduce.op]
        values = yield from self._values_along(reduce.axis, reduce.body, instance, scope)
        if any(_is_poisoned(value, element_of(reduce.body)) for value in values):
            return _POISON
        if not values:
            return self._missing(f"{reduce.op} over an empty range") if row.of_nothing is None else row.of_nothing
        value = row.evaluate(values)
        return value + value_of(reduce.axis.range.lower, scope) if row.is_position else value

    def _operate_along(self, along: Along, instance: Instance, scope: Scope) -> Task[Point]:
        at = yield from self._index(along.at, instance, scope)
        places = values_of(along.axis.range, scope)
        if at not in places:
            return self._missing(f"{along.op} is read at {at}, outside of {places.start} .. {places.stop - 1}")
        names = [name for name in free_names(along) if name in scope]
        key = (id(along), instance, *(scope[name] for name in names))
        if key not in self._along:
            values = yield from self._values_along(along.axis, along.body, instance, scope)
            self._along[key] = ALONG[along.op].evaluate(values)
        return self._along[key][int(at) - places.start]

    # ---- what comes out ----------------------------------------------------------------------------

    def run_checks(self, instance: Instance) -> None:
        """An `OracleError` where an assertion of the module does not hold."""
        for check in instance.module.checks:
            for scope in _points(check.axes, instance.scope):
                if not self._machine.run(self._evaluate(check.condition, instance, scope)):
                    raise OracleError(f"the assertion does not hold: {check.origin.latex}")

    def results(self, results: Result | ResultTuple, instance: Instance) -> Any:
        """Nested lists, in tuples as the module nests them."""
        match results:
            case Result(value=value):
                return self._tabulate(value, instance, instance.scope)
            case ResultTuple(items=items):
                return tuple(self.results(item, instance) for item in items)
            case _:
                assert_never(results)

    def _tabulate(self, value: Abstraction, instance: Instance, scope: Scope) -> Any:
        if not value.axes:
            return self._machine.run(self._evaluate(value.value, instance, scope))
        axis, inner = value.axes[0], Abstraction(value.axes[1:], value.value)
        return [self._tabulate(inner, instance, scope | {axis.name: i}) for i in values_of(axis.range, scope)]


def _points(axes: Sequence[Axis], scope: Scope) -> Iterator[Scope]:
    """The scope at every point of the axes; inner ranges may depend on outer axes."""
    if not axes:
        yield scope
        return
    for value in values_of(axes[0].range, scope):
        yield from _points(axes[1:], scope | {axes[0].name: value})


def _number(element: Element, value: Number) -> Number:
    """The value as a number of that element; poison stays what it is."""
    if element is Element.REAL:
        return float(value)
    if isinstance(value, float) and math.isnan(value):
        return value
    return bool(value) if element is Element.BOOLEAN else int(value)


def _is_poisoned(value: Number, element: Element) -> bool:
    """Whether an integer or a truth value comes from where nothing may be read (a real carries its NaN along)."""
    return element is not Element.REAL and isinstance(value, float) and math.isnan(value)


def _defaults(module: Module) -> dict[str, Literal | None]:
    entries = [entry for given in module.inputs for entry in ((given,) if isinstance(given, Input) else given)]
    return {entry.array: entry.default for entry in entries}


def _settings(module: Module, given: Mapping[str, Number]) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for setting in module.settings:
        value = given.get(setting.name, setting.default)
        if value is None:
            raise OracleError(f"the setting {setting.name} of {module.name} is not given")
        found[setting.name] = _number(setting.element, value)
    return found


def _shown(array: Array, scope: Scope) -> str:
    ranges = (values_of(bounds, scope) for bounds in array.ranges)
    return f"{array.name}[{', '.join(f'{r.start} .. {r.stop - 1}' for r in ranges)}]"
