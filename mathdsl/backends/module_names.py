"""Python names for the classes and functions of a file, and how its methods speak of a class that one of their own names hides."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from mathdsl.ir.nodes import Module, Program, ScheduledProgram
from mathdsl.tensors.names import Names


def with_python_names(program: ScheduledProgram, taken: Collection[str]) -> ScheduledProgram:
    """The program with its modules renamed where the author's name cannot stand in Python (`class`, `print`, `f_{a}`)."""
    names = Names(tuple(taken))
    given = {module.name: names.fresh(module.python or module.name) for module in program.modules}
    if all(old == new for old, new in given.items()):
        return program
    modules = []
    for module in program.modules:
        submodules = tuple(replace(one, callee=given.get(one.callee or "", one.callee)) for one in module.submodules)
        modules.append(replace(module, name=given[module.name], submodules=submodules))
    return replace(program, modules=tuple(modules))


def class_references(program: Program, taken: Collection[str]) -> dict[str, str]:
    """By the name of a module that is built in the file: the expression for its class.

    Arguments and locals have the names of the mathematics; where one of them is the name of a class that its module is built from,
    the file has a second name for the class.
    """
    names = Names((*taken, *(module.name for module in program.modules)))
    found: dict[str, str] = {}
    for module in program.modules:
        own = _own_names(module)
        for callee in _callees(module):
            is_hidden = callee in own and not program.module(callee).library
            if is_hidden and found.get(callee, callee) == callee:
                found[callee] = names.fresh(f"_{callee}")
            found.setdefault(callee, program.module(callee).library or callee)
    return found


def called_classes(module: Module, references: Mapping[str, str]) -> list[str]:
    """The names by which a module speaks of the classes that it is built from."""
    return [references[callee] for callee in _callees(module)]


def _callees(module: Module) -> list[str]:
    return [one.callee for one in module.submodules if one.callee is not None]


def _own_names(module: Module) -> set[str]:
    """The names that the mathematics gives to arguments and locals."""
    opaque = (one.path.replace(".", "_") for one in module.submodules if one.callee is None)
    sized = (size.name for size in module.sizes)
    return {*(array.python for array in module.arrays), *sized, *(setting.name for setting in module.settings), *opaque}
