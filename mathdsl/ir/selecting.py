"""One module of a program, with what it calls."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.ir.nodes import Program


class UnknownName(ValueError):
    """Something that the caller named, a module or a pass, does not exist."""


def select_module(program: Program, name: str) -> Program:
    """The program without what `name` does not need; an `UnknownName` where there is no such module."""
    known = {module.name: module for module in program.modules}
    if name not in known:
        raise UnknownName(f"there is no module {name}; there are {', '.join(known) or 'none'}")
    wanted, stack = set[str](), [name]
    while stack:
        current = stack.pop()
        if current not in wanted and current in known:
            wanted.add(current)
            stack.extend(s.callee for s in known[current].submodules if s.callee is not None)
    modules = tuple(module for module in program.modules if module.name in wanted)
    callees = {s.callee for module in modules for s in module.submodules}
    return replace(program, modules=modules, library=tuple(m for m in program.library if m.name in callees))
