"""The IR as text that a person reads: what a module has, its equations, and the schedule once one is chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from mathdsl.ir.names import shorten_letters
from mathdsl.ir.nodes import (
    EVERYWHERE,
    Abstraction,
    Array,
    Axis,
    Call,
    CallTarget,
    Check,
    Equation,
    Input,
    Kind,
    Literal,
    Loop,
    Module,
    Origin,
    Program,
    Range,
    Result,
    ResultTuple,
    ScheduledModule,
    SettingDeclaration,
    Size,
    StackPart,
    Stage,
    Step,
    Structure,
    Submodule,
    Whole,
)
from mathdsl.ir.printing_expressions import print_axes, print_expression, print_index, print_poly, print_range

_INDENT = "  "


def print_program(program: Program) -> str:
    """Every module of the document in full, then a line for each library module that it uses."""
    parts = [print_module(module) for module in program.modules]
    if program.library:
        parts.append("".join(f"library {module.name} = {module.library}\n" for module in program.library))
    return "\n".join(parts)


def print_module(module: Module) -> str:
    """One module: sizes, arrays with their domains, equations under their LaTeX or the schedule, results."""
    lines = [_heading(module)]
    for title, entries in (
        *((title, _table(rows)) for title, rows in _declared(module)),
        ("checks", [line for check in module.checks for line in _check(check)]),
        ("schedule", list(_stages(module.schedule)) if isinstance(module, ScheduledModule) else []),
        ("steps", [] if isinstance(module, ScheduledModule) else [line for step in module.steps for line in print_step(step)]),
    ):
        lines += _section(title, entries)
    lines += _section("return", list(_results(module.results)))
    return "\n".join(lines) + "\n"


def print_declarations(module: Module) -> dict[str, str]:
    """What each name of a module is: `real [1..S, 0..d-1] = 0` of an input, `integer in [1, inf) = 4` of a setting."""
    return {name: what for _, rows in _declared(module) for name, what, _ in rows}


def _declared(module: Module) -> Iterator[tuple[str, Iterable[tuple[str, str, str]]]]:
    """What a module has, by kinds: name, what it is, description."""
    yield "sizes", ((size.name, _size(size), size.description) for size in module.sizes)
    yield "settings", ((setting.name, _setting(setting), setting.description) for setting in module.settings)
    yield "inputs", _input_rows(module)
    yield "parameters", _parameter_rows(module)
    yield "submodules", ((s.path, _submodule(s), s.description) for s in module.submodules)
    yield "values", ((a.name, _type(a), a.description) for a in module.arrays if a.kind is Kind.VALUE)


def _size(size: Size) -> str:
    if size.value is not None:
        of = ", ".join(map(print_poly, size.value.of))
        return f"{size.kind.value} = {f'{size.value.op}({of})' if len(size.value.of) > 1 else of}"
    return size.kind.value if size.default is None else f"{size.kind.value} = {size.default}"


def print_step(step: Step, looped: frozenset[str] = frozenset()) -> list[str]:
    """The lines of an equation or a call, its origin as a comment above; axes that a loop around it runs are left out."""
    axes = [axis for axis in step.axes if axis.name not in looped]
    match step:
        case Equation(target=target, index=index, value=value):
            left = target + _brackets(print_poly(entry) for entry in index)
            line = f"{left} = {print_expression(value)}{_for(axes)}"
        case Call():
            line = f"{_call(step)}{_for(axes)}"
        case _:
            assert_never(step)
    return [*_comment(step.origin), line if looped else shorten_letters(line)]


# ---- what a module has ---------------------------------------------------------------------------


def _heading(module: Module) -> str:
    word = "function" if module.is_function else "module"
    notes = [note for note, holds in (("batched", module.batched), (module.library, bool(module.library))) if holds]
    notes += [f"ragged in {', '.join(module.ragged)}"] if module.ragged else []
    noted = f" ({'; '.join(notes)})" if notes else ""
    return f"{word} {module.name}{noted}{_remark(module.description)}"


def _section(title: str, entries: Sequence[str]) -> list[str]:
    return [f"{_INDENT}{title}", *(f"{_INDENT * 2}{entry}" for entry in entries)] if entries else []


def _table(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """Rows `name : what  # remark`, the names padded to one width."""
    listed = list(rows)
    width = max((len(name) for name, _, _ in listed), default=0)
    return [f"{name.ljust(width)} : {what}{_remark(remark)}" for name, what, remark in listed]


def _type(array: Array) -> str:
    words = [word for word, holds in (("batch", array.batch), ("list", array.listed)) if holds]
    ranges = f" [{', '.join(print_range(bounds) for bounds in array.ranges)}]" if array.ranges else ""
    return " ".join([*words, array.element.value]) + ranges


def _setting(setting: SettingDeclaration) -> str:
    within = "" if setting.interval == EVERYWHERE else f" in {setting.interval}"
    default = "" if setting.default is None else f" = {print_expression(Literal(setting.default))}"
    return f"{setting.element.value}{within}{default}"


def _input_rows(module: Module) -> Iterator[tuple[str, str, str]]:
    for entry in module.inputs:
        together = (entry,) if isinstance(entry, Input) else entry
        for given in together:
            array = module.array(given.array)
            marks = " shared" if given.shared else ""
            marks += f" in ({', '.join(one.array for one in together)})" if len(together) > 1 else ""
            default = "" if given.default is None else f" = {print_expression(given.default)}"
            yield array.name, _type(array) + default + marks, array.description


def _parameter_rows(module: Module) -> Iterator[tuple[str, str, str]]:
    """Parameters and buffers; those of submodules that were inlined have no initialiser of their own."""
    initialisers = {parameter.array: parameter.initialiser for parameter in module.parameters}
    for array in module.arrays:
        if array.kind not in (Kind.PARAMETER, Kind.BUFFER):
            continue
        initialiser = initialisers.get(array.name)
        filled = ""
        if initialiser is not None:
            arguments = ", ".join(print_expression(argument) for argument in initialiser.arguments)
            filled = f" ~ {initialiser.kind}" + (f"({arguments})" if arguments else "")
        yield array.name, f"{'buffer ' if array.kind is Kind.BUFFER else ''}{_type(array)}{filled}", array.description


def _submodule(submodule: Submodule) -> str:
    if submodule.callee is None:
        return "a module that the constructor takes"
    built = (f"{submodule.callee}({_constructor_arguments(part)})" for part in submodule.parts)
    if not submodule.is_stack:
        return ", ".join(built)
    runs = (f"{print_range(part.range)} {one}" for part, one in zip(submodule.parts, built, strict=True))
    return f"stack {', '.join(runs)}"


def _constructor_arguments(part: StackPart) -> str:
    return ", ".join(f"{name} = {print_index(value)}" for name, value in part.arguments)


# ---- steps and schedules -------------------------------------------------------------------------


def _call(call: Call) -> str:
    targets = ", ".join("_" if target is None else _target(target) for target in call.targets)
    function = call.submodule + ("" if call.at is None else f"[{print_poly(call.at)}]")
    arguments = ", ".join(f"{argument.input} = {_abstraction(argument.value)}" for argument in call.arguments)
    sizes = ", ".join(f"{name} = {print_poly(size)}" for name, size in call.sizes)
    return f"{targets} = {function}({arguments}{f'; {sizes}' if sizes else ''})"


def _target(target: CallTarget) -> str:
    return target.array + _brackets(print_range(i) if isinstance(i, Range) else print_poly(i) for i in target.index)


def _abstraction(value: Abstraction) -> str:
    body = print_expression(value.value)
    return f"[{print_axes(value.axes)}: {body}]" if value.axes else body


def _stages(stages: Iterable[Stage], looped: frozenset[str] = frozenset()) -> Iterator[str]:
    for stage in stages:
        match stage:
            case Whole(step=step):
                yield from print_step(step, looped)
            case Loop(axis=axis, descending=descending, body=body, guards=guards):
                yield f"for {print_axes((axis,))} {'down' if descending else 'up'}:"
                for inner, guard in zip(body, guards, strict=True):
                    if guard is not None:
                        yield f"{_INDENT}if {axis.name} in {print_range(guard)}:"
                    indent = _INDENT if guard is None else _INDENT * 2
                    yield from (f"{indent}{line}" for line in _stages((inner,), looped | {axis.name}))
            case _:
                assert_never(stage)


def _check(check: Check) -> list[str]:
    return [*_comment(check.origin), shorten_letters(f"assert {print_expression(check.condition)}{_for(check.axes)}")]


def _results(results: Result | ResultTuple) -> Iterator[str]:
    match results:
        case Result(name=name, value=value, structure=structure):
            word = "list " if structure is Structure.LIST else ""
            yield shorten_letters(f"{word}{name} = {print_expression(value.value)}{_for(value.axes)}")
        case ResultTuple(items=items):
            yield "("
            yield from (f"{_INDENT}{line}" for item in items for line in _results(item))
            yield ")"
        case _:
            assert_never(results)


# ---- small pieces --------------------------------------------------------------------------------


def _brackets(entries: Iterable[str]) -> str:
    text = ", ".join(entries)
    return f"[{text}]" if text else ""


def _for(axes: Sequence[Axis]) -> str:
    return f"    for {print_axes(axes)}" if axes else ""


def _remark(text: str) -> str:
    return f"  # {' '.join(text.split())}" if text.strip() else ""


def _comment(origin: Origin) -> list[str]:
    parts = [" ".join(part.split()) for part in (origin.latex, f"({origin.tag})" if origin.tag else "", origin.comment)]
    text = "  ".join(part for part in parts if part)
    return [f"# {text}"] if text else []
