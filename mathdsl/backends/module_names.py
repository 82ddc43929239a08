"""Python names for the classes and functions of a file: no keyword, no builtin, no name that the file imports."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mathdsl.backends.names import Names
from mathdsl.elaborate.names import python_stem
from mathdsl.ir.nodes import Program


def with_python_names(program: Program, taken: Collection[str]) -> Program:
    """The program with its modules renamed where the author's name cannot stand in Python (`class`, `print`, `f_{a}`)."""
    names = Names(tuple(taken))
    given = {module.name: names.fresh(python_stem(module.name)) for module in program.modules}
    if all(old == new for old, new in given.items()):
        return program
    modules = []
    for module in program.modules:
        submodules = tuple(replace(one, callee=given.get(one.callee or "", one.callee)) for one in module.submodules)
        modules.append(replace(module, name=given[module.name], submodules=submodules))
    return replace(program, modules=tuple(modules))
