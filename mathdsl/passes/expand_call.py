"""A call as the callee's equations in the caller's names: one call of `inline_modules`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Array,
    Axis,
    Call,
    CallTarget,
    Check,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Input,
    Kind,
    Literal,
    Module,
    Range,
    Read,
    Reduce,
    Result,
    Setting,
    Step,
    Submodule,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import all_axes, bound_axes, children, flat_results, map_range, module_expressions, rewrite, substitute_axes
from mathdsl.passes.renaming import module_names


@dataclass(frozen=True)
class Expansion:
    """What takes the place of a call, and what the caller has to declare for it."""

    steps: tuple[Step, ...]
    arrays: tuple[Array, ...]
    submodules: tuple[Submodule, ...]
    checks: tuple[Check, ...]


class CallerNames:
    """The names of the module that calls: for new arrays, and those that no axis may have."""

    def __init__(self, caller: Module) -> None:
        self.arrays = FreshNames(module_names(caller))
        self.taken = tuple(size.name for size in caller.sizes) + tuple(array.name for array in caller.arrays)


def expand_call(names: CallerNames, call: Call, submodule: Submodule, callee: Module) -> Expansion:
    """The callee's equations for each point of the call's axes, the arguments put in, the results assigned."""
    return _Expander(names, call, submodule, callee).expand()


class _Expander:
    """The names of one call: what each size, setting, axis, array and input of the callee is in the caller."""

    def __init__(self, names: CallerNames, call: Call, submodule: Submodule, callee: Module) -> None:
        self._call, self._callee, self._instance, self._path = call, callee, submodule, submodule.path
        arguments = dict(submodule.parts[0].arguments) if submodule.parts else {}
        self._settings: dict[str, Expr] = {}
        self._sizes = dict(call.sizes)
        for name, value in arguments.items():
            if isinstance(value, Poly) and not any(s.name == name for s in callee.settings):
                self._sizes[name] = value
            else:
                self._settings[name] = IndexValue(value) if isinstance(value, Poly) else value
        for setting in callee.settings:
            given = self._settings.get(setting.name)
            self._settings[setting.name] = _as_element(_default(setting.default) if given is None else given, setting.element)
        self._array_names = names.arrays
        taken = [*names.taken, *(axis.name for axis in call.axes)]
        for argument in call.arguments:
            taken += [axis.name for axis in (*argument.value.axes, *bound_axes(argument.value.value))]
        self._avoid = frozenset(taken)
        self._fresh = FreshNames((*taken, *(size.name for size in callee.sizes), *(axis.name for axis in all_axes(callee))))
        self._prefix = tuple(Poly.of(axis.name) for axis in call.axes)
        self._names = self._name_arrays()
        self._arrays: list[Array] = []
        self._steps: list[Step] = []
        self._inputs = self._bind_inputs()

    def expand(self) -> Expansion:
        callee = self._callee
        for array in callee.arrays:
            if array.kind is not Kind.INPUT:
                outer = tuple(axis.range for axis in self._call.axes) if array.kind is Kind.VALUE else ()
                name, latex = self._names[array.name], f"{self._instance.latex}.{array.latex}"
                self._arrays.append(replace(array, name=name, python=name, latex=latex, ranges=(*outer, *self._ranges(array.ranges))))
        for step in callee.steps:
            self._steps.append(self._step(step))
        results = flat_results(callee.results)
        for result, target in zip(results, self._call.targets, strict=True):
            if target is not None:
                self._steps.append(self._assign(result, target))
        submodules = tuple(self._submodule(submodule) for submodule in callee.submodules)
        checks = tuple(self._check(check) for check in callee.checks)
        return Expansion(tuple(self._steps), tuple(self._arrays), submodules, checks)

    # ---- names -----------------------------------------------------------------------------------

    def _name_arrays(self) -> dict[str, str]:
        """Parameters by their path; values under a new name that shows where they come from."""
        last = self._path.rpartition(".")[2]
        names: dict[str, str] = {}
        for array in self._callee.arrays:
            if array.kind is Kind.VALUE:
                names[array.name] = self._array_names(f"{last}_{array.name}")
            elif array.kind is not Kind.INPUT:
                names[array.name] = f"{self._path}.{array.name}"
        return names

    def _ranges(self, ranges: tuple[Range, ...]) -> tuple[Range, ...]:
        return tuple(self._range(bounds, {}) for bounds in ranges)

    def _range(self, bounds: Range, axes: dict[str, Poly]) -> Range:
        return map_range(bounds, lambda poly: poly.substitute({**self._sizes, **axes}))

    def _axes(self, axes: tuple[Axis, ...]) -> tuple[tuple[Axis, ...], dict[str, Poly]]:
        """The callee's axes under names that mean nothing else around the call, and the substitution."""
        values: dict[str, Poly] = {}
        renamed: list[Axis] = []
        for axis in axes:
            name = self._fresh(axis.name) if axis.name in self._avoid else axis.name
            renamed.append(Axis(name, self._range(axis.range, values)))
            values[axis.name] = Poly.of(name)
        return tuple(renamed), values

    # ---- arguments -------------------------------------------------------------------------------

    def _bind_inputs(self) -> dict[str, Abstraction]:
        """What each input is: an expression that may be put where it is read, or an array made for it."""
        given = {argument.input: argument.value for argument in self._call.arguments}
        bound: dict[str, Abstraction] = {}
        for item in self._callee.inputs:
            for declared in item if isinstance(item, tuple) else (item,):
                bound[declared.array] = self._bind_input(declared, given.get(declared.array))
        return bound

    def _bind_input(self, declared: Input, value: Abstraction | None) -> Abstraction:
        array = self._callee.array(declared.array)
        if value is None:
            if declared.default is None:
                raise InternalError(f"{self._path} is called without {declared.array}")
            axes = tuple(Axis(self._fresh("n"), bounds) for bounds in self._ranges(array.ranges))
            return Abstraction(axes, declared.default)
        if _may_repeat(value.value) or _reads_once(self._callee, declared.array):
            return value
        name = self._array_names(f"{self._path.rpartition('.')[2]}_{declared.array}")
        axes = (*self._call.axes, *value.axes)
        self._arrays.append(Array(name, Kind.VALUE, array.element, tuple(axis.range for axis in axes), name, array.latex))
        index = tuple(Poly.of(axis.name) for axis in axes)
        self._steps.append(Equation(name, axes, index, value.value, self._call.origin))
        return Abstraction(value.axes, Read(name, index, array.element))

    def _argument(self, read: Read) -> Expr:
        """The argument's element that the callee reads; positions count from each side's own lower bound."""
        value = self._inputs[read.array]
        array = self._callee.array(read.array)
        polys: dict[str, Poly] = {}
        gathers: dict[str, Expr] = {}
        for axis, bounds, index in zip(value.axes, self._ranges(array.ranges), read.index, strict=True):
            shift = axis.range.lower - bounds.lower
            if isinstance(index, Poly):
                polys[axis.name] = index + shift
            else:
                gathers[axis.name] = _plus(index, shift)
        expr = substitute_axes(value.value, polys, self._fresh)
        return _put_gathers(expr, gathers) if gathers else expr

    # ---- steps -----------------------------------------------------------------------------------

    def _expr(self, expr: Expr, axes: dict[str, Poly]) -> Expr:
        """An expression of the callee in the caller's names."""
        placed = substitute_axes(expr, {**self._sizes, **axes}, self._fresh, self._avoid)
        return rewrite(placed, self._node)

    def _node(self, node: Expr) -> Expr:
        match node:
            case Setting(name=name):
                return self._settings[name]
            case Read(array=array) if array in self._inputs:
                return self._argument(node)
            case Read(array=array):
                is_value = self._callee.array(array).kind is Kind.VALUE
                prefix: tuple[Index, ...] = self._prefix if is_value else ()
                return replace(node, array=self._names[array], index=(*prefix, *(_tidy(i) for i in node.index)))
            case _:
                return node

    def _step(self, step: Step) -> Step:
        axes, values = self._axes(step.axes)

        def put(poly: Poly) -> Poly:
            return poly.substitute({**self._sizes, **values})

        if isinstance(step, Equation):
            index = (*self._prefix, *(put(entry) for entry in step.index))
            return Equation(self._names[step.target], (*self._call.axes, *axes), index, self._expr(step.value, values), step.origin)
        arguments = []
        for argument in step.arguments:
            own, inner = self._axes(argument.value.axes)
            own = tuple(replace(axis, range=map_range(axis.range, put)) for axis in own)
            arguments.append(replace(argument, value=Abstraction(own, self._expr(argument.value.value, {**values, **inner}))))
        return replace(
            step,
            axes=(*self._call.axes, *axes),
            targets=tuple(target and self._target(target, values) for target in step.targets),
            submodule=f"{self._path}.{step.submodule}",
            at=None if step.at is None else put(step.at),
            arguments=tuple(arguments),
            sizes=tuple((name, put(size)) for name, size in step.sizes),
        )

    def _target(self, target: CallTarget, values: dict[str, Poly]) -> CallTarget:
        index = tuple(
            self._range(entry, values) if isinstance(entry, Range) else entry.substitute({**self._sizes, **values})
            for entry in target.index
        )
        return CallTarget(self._names[target.array], (*self._prefix, *index))

    def _assign(self, result: Result, target: CallTarget) -> Equation:
        """The caller's array takes a result; where a whole axis goes, both sides count from their own lower bound."""
        axes, values = self._axes(result.value.axes)
        places = iter(axes)
        index: list[Poly] = []
        own: list[Axis] = []
        shifted = dict(values)
        for entry in target.index:
            if isinstance(entry, Poly):
                index.append(entry)
                continue
            axis = next(places)
            original = result.value.axes[len(own)].name
            shifted[original] = Poly.of(axis.name) - entry.lower + axis.range.lower
            own.append(Axis(axis.name, entry))
            index.append(Poly.of(axis.name))
        value = self._expr(result.value.value, shifted)
        return Equation(target.array, (*self._call.axes, *own), tuple(index), value, self._call.origin)

    def _check(self, check: Check) -> Check:
        axes, values = self._axes(check.axes)
        return Check((*self._call.axes, *axes), self._expr(check.condition, values), check.origin)

    def _submodule(self, submodule: Submodule) -> Submodule:
        parts = []
        for part in submodule.parts:
            arguments = tuple((name, self._part_argument(value)) for name, value in part.arguments)
            parts.append(replace(part, range=self._range(part.range, {}), arguments=arguments))
        return replace(submodule, path=f"{self._path}.{submodule.path}", parts=tuple(parts))

    def _part_argument(self, value: Poly | Setting | Literal) -> Poly | Setting | Literal:
        match value:
            case Poly():
                return value.substitute(self._sizes)
            case Setting(name=name):
                mapped = self._settings[name]
                return mapped if isinstance(mapped, Setting | Literal) else value
            case Literal():
                return value


# ---- expressions ---------------------------------------------------------------------------------


def _default(value: float | int | bool | None) -> Expr:
    if value is None:
        raise InternalError("a required setting has no argument")
    return Literal(value)


def _as_element(expr: Expr, element: Element) -> Expr:
    """A constructor argument as the element that the callee wants: an integer where a real is wanted becomes one."""
    match expr:
        case Literal(value=value) if element is Element.REAL and not isinstance(value, bool):
            return Literal(float(value))
        case IndexValue() if element is Element.REAL:
            return Apply("to_real", (expr,), Element.REAL)
        case Setting(name=name):
            return Setting(name, element)
        case _:
            return expr


def _may_repeat(expr: Expr) -> bool:
    """Whether reading it twice costs nothing more: an element of an array, or a constant."""
    match expr:
        case Literal() | IndexValue() | Setting():
            return True
        case Read(index=index):
            return all(isinstance(entry, Poly) for entry in index)
        case _:
            return False


def _reads_once(callee: Module, array: str) -> bool:
    """Whether the callee reads the array at one place, and not once for each turn of a reduction."""
    found = [under for expr in module_expressions(callee) for under in _places(expr, array, False)]
    return len(found) <= 1 and not any(found)


def _places(expr: Expr, array: str, under: bool) -> list[bool]:
    """For each read of the array, whether it stands under a reduction or an operation along an axis."""
    found = [under] if isinstance(expr, Read) and expr.array == array else []
    inside = under or isinstance(expr, Reduce | Along)
    return found + [place for child in children(expr) for place in _places(child, array, inside)]


def _plus(index: Expr, shift: Poly) -> Expr:
    return index if shift.constant == 0 else Apply("add", (index, IndexValue(shift)), Element.INTEGER)


def _put_gathers(expr: Expr, gathers: dict[str, Expr]) -> Expr:
    """Integer expressions for axes that stand alone in the indices of reads."""

    def put(node: Expr) -> Expr:
        match node:
            case IndexValue(value=value) if value.names & gathers.keys():
                return _integer(value, gathers)
            case Read(index=index):
                entries = tuple(_integer(i, gathers) if isinstance(i, Poly) and i.names & gathers.keys() else i for i in index)
                return replace(node, index=entries)
            case _:
                return node

    return rewrite(expr, put)


def _integer(poly: Poly, gathers: dict[str, Expr]) -> Expr:
    """A polynomial that moves with gathered indices as an integer expression: the index plus what is left."""
    for name, value in gathers.items():
        if poly.coefficient(name) == Poly.of(1):
            return _plus(value, poly - name)
    raise InternalError(f"an index {poly} is no index plus an offset")


def _tidy(index: Index) -> Index:
    """An index value is a polynomial again."""
    return index.value if isinstance(index, IndexValue) else index
