"""The parts of a class: what its constructor makes and checks, `reset_parameters`, `extra_repr`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import groupby

from mathdsl.analysis.element_names import polynomial_latex
from mathdsl.analysis.least_sizes import least_sizes
from mathdsl.backends.plain_numbers import scalar
from mathdsl.backends.python_ast import call, const, fmt, method, name, poly, tuple_of, unparse
from mathdsl.backends.text import one_line
from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import (
    Apply,
    Array,
    Element,
    Expr,
    Extreme,
    IndexValue,
    Initialiser,
    Kind,
    Literal,
    Module,
    Parameter,
    ScheduledModule,
    Setting,
    SettingDeclaration,
    Size,
    SizeKind,
    StackPart,
    Submodule,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE

_WIDTH = 72  # of a literal in `extra_repr`, so that its line has at most 88 characters
_TYPES = {Element.REAL: "float", Element.INTEGER: "int", Element.BOOLEAN: "bool"}


@dataclass(frozen=True, slots=True)
class Constructor:
    """Lines and lists that the class frame holds."""

    arguments: tuple[str, ...]
    annotations: tuple[str, ...]
    lines: tuple[str, ...]
    filled: str  # what `reset_parameters` fills
    reset: tuple[str, ...]
    shown: tuple[str, ...]  # the text of `extra_repr`, in literals of a line each


def generate_constructor(references: Mapping[str, str], module: ScheduledModule, helpers: dict[str, None]) -> Constructor:
    """The constructor of a class; `references` are the expressions for the classes of what it builds, `helpers` what it calls."""
    owned_sizes = [size for size in module.sizes if size.kind is SizeKind.HYPERPARAMETER]
    sizes = [size for size in owned_sizes if size.value is None]
    submodules = owned_submodules(module)
    opaque = [s for s in submodules if s.callee is None]
    arguments = [f"{size.name}: int" + ("" if size.default is None else f" = {size.default}") for size in sizes]
    arguments += [_setting_argument(setting) for setting in module.settings]
    arguments += [f"{s.path.replace('.', '_')}: {'list[torch.nn.Module]' if s.is_stack else 'torch.nn.Module'}" for s in opaque]
    lines = [line for setting in module.settings for line in _setting_check(setting)]
    lines += [f"{size.name} = {unparse(_extreme(size.value))}" for size in owned_sizes if size.value is not None]
    lines += list(_size_checks(module))
    lines += list(_division_checks(module, submodules))
    lines += ["super().__init__()"]
    lines += [f"self.{size.name} = " + (f"_check_size({size.name!r}, {size.name})" if size in sizes else size.name) for size in owned_sizes]
    helpers.update(dict.fromkeys(["_check_size"] if sizes else []))
    lines += [f"self.{setting.name} = {setting.name}" for setting in module.settings]
    owned = [(module.array(p.array), p) for p in module.parameters if "." not in p.array]
    lines += [_parameter(array) for array, _ in owned]
    lines += list(_submodules(references, submodules))
    if owned:
        lines.append("self.reset_parameters()")
    annotations = [f"{array.python}: torch.Tensor" for array, _ in owned if array.kind is Kind.BUFFER]
    reset = list(_initialise_all(owned))
    shown = _shown([*(size.name for size in sizes), *(setting.name for setting in module.settings)])
    return Constructor(tuple(arguments), tuple(annotations), tuple(lines), _filled(module, bool(submodules)), tuple(reset), shown)


def _filled(module: Module, has_submodules: bool) -> str:
    """What `reset_parameters` fills: not what submodules have."""
    kinds = {array.kind for array in module.arrays if "." not in array.name}
    words = [word for kind, word in ((Kind.PARAMETER, "parameters"), (Kind.BUFFER, "buffers")) if kind in kinds]
    return f"{' and '.join(words)}{' of this module itself' if has_submodules else ''}"


def _shown(names: list[str]) -> tuple[str, ...]:
    """`n=3, d=4` as f-strings of at most a line, joined by Python."""
    lines: list[str] = []
    for number, attribute in enumerate(names):
        part = f"{attribute}={{self.{attribute}!r}}{', ' if number + 1 < len(names) else ''}"
        if lines and len(lines[-1]) + len(part) <= _WIDTH:
            lines[-1] += part
        else:
            lines.append(part)
    return tuple(f'f"{line}"' for line in lines)


# ---- settings ------------------------------------------------------------------------------------


def _setting_argument(setting: SettingDeclaration) -> str:
    default = setting.default
    if default is not None and setting.element is Element.REAL:
        default = float(default)
    return f"{setting.name}: {_TYPES[setting.element]}" + ("" if default is None else f" = {unparse(const(default))}")


def _setting_check(setting: SettingDeclaration) -> Iterator[str]:
    interval = setting.interval
    bounds: list[ast.expr] = [name(setting.name)]
    operators: list[ast.cmpop] = []
    if interval.lower is not None:
        bounds.insert(0, const(interval.lower))
        operators.append(ast.LtE() if interval.has_lower else ast.Lt())
    if interval.upper is not None:
        bounds.append(const(interval.upper))
        operators.append(ast.LtE() if interval.has_upper else ast.Lt())
    if not operators:
        return
    test = ast.UnaryOp(ast.Not(), ast.Compare(bounds[0], operators, bounds[1:]))
    yield f"if {unparse(test)}:"
    yield f'    raise ValueError(f"{setting.name}: expected a value in {interval}, got {{{setting.name}}}")'


# ---- sizes ---------------------------------------------------------------------------------------


_OPERATORS: Mapping[str, ast.operator] = {"floor_div": ast.FloorDiv(), "pow": ast.Pow()}


def _extreme(extreme: Extreme) -> ast.expr:
    """`min(a, c)`, `a // 2`, `2**m`."""
    if extreme.op in _OPERATORS:
        left, right = (poly(part, _local) for part in extreme.of)
        return ast.BinOp(left, _OPERATORS[extreme.op], right)
    return call(extreme.op[:3], *(poly(part, _local) for part in extreme.of))


def _size_checks(module: ScheduledModule) -> Iterator[str]:
    """Where a size is too small, an element would be missing when the module is called, or not even parameters could be made.

    A size that is no axis of a parameter and goes to no submodule, which would complain, is asked not to be negative: `n` of a loop.
    """
    latex = {size.name: size.latex for size in module.sizes}
    needs = least_sizes(module)
    measured = {bounds.extent.variable for p in module.parameters if "." not in p.array for bounds in module.array(p.array).ranges}
    given = {value.variable for s in owned_submodules(module) for part in s.parts for _, value in part.arguments if isinstance(value, Poly)}
    asked = measured | given | {name for need in needs for name in need.names if (need - Poly.of(name)).constant is not None}
    for need in (*needs, *(Poly.of(size.name) for size in module.sizes if _is_given(size) and size.name not in asked)):
        names = need.ordered_names
        least = -need.evaluate(dict.fromkeys(names, 0))
        yield f"if {unparse(ast.Compare(poly(need + least, _local), [ast.Lt()], [const(least)]))}:"
        expected = f"{', '.join(names)}: expected {one_line(polynomial_latex(need + least, latex))} \\geq {least}, got "
        got: list[ast.expr] = []
        for size in names:
            got += [const(f"{', ' if got else ''}{size} = "), ast.FormattedValue(name(size), -1)]
        text = ast.JoinedStr([const(expected), *(got if len(names) > 1 else got[1:])])
        yield f"    raise {unparse(call('ValueError', text))}"


def _is_given(size: Size) -> bool:
    return size.kind is SizeKind.HYPERPARAMETER and size.value is None


def _division_checks(module: Module, submodules: list[Submodule]) -> Iterator[str]:
    """A size such as `C/r` that parameters or submodules are made with has to be a whole number."""
    made = [bounds.extent for p in module.parameters for bounds in module.array(p.array).ranges]
    made += [value for s in submodules for part in s.parts for _, value in part.arguments if isinstance(value, Poly)]
    for quotient in dict.fromkeys(value.quotient for value in made if value.quotient is not None):
        above, below = quotient
        yield f"if {unparse(ast.BinOp(poly(above, _local), ast.Mod(), poly(below, _local)))}:"
        term = above.divided_by(below) or above
        got = ", ".join(f"{size} = {{{size}}}" for size in term.ordered_names)
        yield f'    raise ValueError(f"{term}: expected a whole number, got {got}")'


# ---- parameters ----------------------------------------------------------------------------------


def _local(size: str) -> ast.expr:
    return name(size)


def _parameter(array: Array) -> str:
    shape = [poly(bounds.extent, _local) for bounds in array.ranges]
    new = call("torch.empty", *(shape or [tuple_of([])]))
    if array.element is not Element.REAL:
        kind = "torch.int64" if array.element is Element.INTEGER else "torch.bool"
        new = ast.Call(name("torch.empty"), shape or [tuple_of([])], [ast.keyword("dtype", name(kind))])
    if array.kind is Kind.BUFFER:
        return unparse(call("self.register_buffer", const(array.python), new))
    return f"self.{array.python} = {unparse(call('torch.nn.Parameter', new))}"


def _initialise_all(owned: list[tuple[Array, Parameter]]) -> Iterator[str]:
    """The statements of `reset_parameters`: one for several parameters in a row that are filled alike."""
    at_once = ("uniform", "normal", "constant", "zeros")
    alike = groupby(owned, key=lambda pair: (pair[1].initialiser.kind, pair[1].initialiser.arguments))
    for (kind, _), pairs in ((key, list(group)) for key, group in alike):
        if kind not in at_once or len(pairs) < 3:
            yield from (line for array, parameter in pairs for line in _initialise(array, parameter))
            continue
        is_all = len(pairs) == len(owned) and all(array.kind is Kind.PARAMETER for array, _ in owned)
        listed = tuple_of(name(f"self.{array.python}") for array, _ in pairs)
        yield f"for parameter in {'self.parameters(recurse=False)' if is_all else unparse(listed)}:"
        yield "    " + _fill(pairs[0][1].initialiser, name("parameter"), 0)


def _initialise(array: Array, parameter: Parameter) -> Iterator[str]:
    """The statement of `reset_parameters` for one parameter; families are filled element by element."""
    initialiser = parameter.initialiser
    target = f"self.{array.python}"
    rank = len(array.ranges)
    inner = rank if initialiser.element_axes is None else initialiser.element_axes
    if initialiser.kind in ("uniform", "normal", "constant", "zeros") or inner == rank:
        yield _fill(initialiser, name(target), inner)
        return
    families = rank - inner
    elements = name(target) if families == 1 else method(name(target), "flatten", const(0), const(families - 1))
    yield f"for element in {unparse(elements)}:"
    yield "    " + _fill(initialiser, name("element"), inner)


def _fill(initialiser: Initialiser, target: ast.expr, rank: int) -> str:
    arguments = [scalar_node(argument) for argument in initialiser.arguments]
    matrix = target if rank >= 2 else method(target, "reshape", const(1), const(-1))
    match initialiser.kind:
        case "uniform" | "normal" | "constant":
            node = call(f"torch.nn.init.{initialiser.kind}_", target, *arguments)
        case "zeros":
            node = call("torch.nn.init.zeros_", target)
        case "xavier" | "kaiming":
            node = call(f"torch.nn.init.{initialiser.kind}_uniform_", matrix)
        case "orthogonal":
            node = call("torch.nn.init.orthogonal_", matrix)
        case "linear":
            node = call("torch.nn.init.kaiming_uniform_", matrix, a=fmt("math.sqrt(5.0)"))
        case _:
            raise InternalError(f"there is no initialiser {initialiser.kind}")
    return unparse(node)


def scalar_node(expr: Expr) -> ast.expr:
    """A scalar expression of settings and sizes, inside a method."""
    match expr:
        case Literal(value=value):
            return const(value)
        case Setting(name=setting):
            return name(f"self.{setting}")
        case IndexValue(value=value):
            return poly(value, lambda size: name(f"self.{size}"))
        case Apply(op=op, arguments=arguments) if ELEMENTWISE[op].scalar:
            return scalar(ELEMENTWISE[op].scalar, *(scalar_node(argument) for argument in arguments))
        case _:
            raise InternalError("an initialiser's argument is no scalar expression of settings and sizes")


# ---- submodules ----------------------------------------------------------------------------------


def owned_submodules(module: Module) -> list[Submodule]:
    """Those that the instance itself makes; what lies inside another one is made by that one."""
    paths = {submodule.path for submodule in module.submodules}

    def is_inside(path: str) -> bool:
        parts = path.split(".")
        return any(".".join(parts[:i]) in paths for i in range(1, len(parts)))

    return [submodule for submodule in module.submodules if not is_inside(submodule.path)]


def _submodules(references: Mapping[str, str], submodules: list[Submodule]) -> Iterator[str]:
    lists: dict[str, list[Submodule]] = {}
    for submodule in submodules:
        head, _, last = submodule.path.rpartition(".")
        if last.isdigit():
            lists.setdefault(head, []).append(submodule)
    for submodule in submodules:
        head, _, last = submodule.path.rpartition(".")
        if last.isdigit():
            if head in lists:
                members = sorted(lists.pop(head), key=lambda s: int(s.path.rpartition(".")[2]))
                items = ast.List([_instance(references, member) for member in members], ast.Load())
                yield f"self.{head} = {unparse(call('torch.nn.ModuleList', items))}"
        else:
            yield f"self.{submodule.path} = {unparse(_instance(references, submodule))}"


def _instance(references: Mapping[str, str], submodule: Submodule) -> ast.expr:
    if submodule.callee is None:
        given = name(submodule.path.replace(".", "_"))
        return call("torch.nn.ModuleList", given) if submodule.is_stack else given
    if not submodule.is_stack:
        return _construction(references, submodule.callee, submodule.parts[0])
    parts = [_elements(references, submodule.callee, part) for part in submodule.parts]
    items = parts[0].value if len(parts) == 1 and isinstance(parts[0], ast.Starred) else ast.List(parts, ast.Load())
    return call("torch.nn.ModuleList", items)


def _elements(references: Mapping[str, str], callee: str, part: StackPart) -> ast.expr:
    """The elements of one part, to stand in a list."""
    extent = part.range.extent
    if extent.constant == 1:
        return _construction(references, callee, part)
    generator = ast.comprehension(ast.Name("_", ast.Store()), call("range", poly(extent, _local)), [], 0)
    return ast.Starred(ast.ListComp(_construction(references, callee, part), [generator]), ast.Load())


def _construction(references: Mapping[str, str], callee: str, part: StackPart) -> ast.expr:
    keywords = [ast.keyword(argument, _value(value)) for argument, value in part.arguments]
    return ast.Call(name(references[callee]), [], keywords)


def _value(value: Poly | Setting | Literal) -> ast.expr:
    match value:
        case Poly():
            return poly(value, _local)
        case Setting(name=setting):
            return name(setting)
        case Literal(value=number):
            return const(number)
