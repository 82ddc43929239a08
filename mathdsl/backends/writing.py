"""What the text of one `forward` (or function) knows while it is written: how its things are spelled, and its lines so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager

from mathdsl.backends.line_map import Comment
from mathdsl.backends.python_ast import name, poly
from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.build import error
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Module
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import TensorProgram
from mathdsl.tensors.values import Extent, Local

MOST_BRACKETS = 150  # open at one place; Python's own bound is 200, and the formatter adds some


@dataclass(frozen=True, slots=True)
class Number:
    """The line of a local that is a number (or the extents of the batch axes), which is written where something needs it."""

    local: str
    line: str
    needs: frozenset[str]


@dataclass(slots=True)
class Block:
    """Lines of Python; a nested block stands under its header."""

    items: list[str | Number | tuple[str, Block]] = field(default_factory=list)

    def lines(self, asked: Set[str], indent: str = "") -> Iterator[str]:
        """The text, indented, with those numbers that are asked for."""
        needed = set(asked)
        for item in reversed(self.items):
            if isinstance(item, Number) and item.local in needed:
                needed |= item.needs
        for item in self.items:
            if isinstance(item, str):
                yield indent + item
            elif isinstance(item, Number):
                yield from [indent + item.line] if item.local in needed else []
            else:
                header, body = item
                yield indent + header
                yield from body.lines(asked, indent + "    ")


class Writing:
    """The text of one tensor program; the helpers that it calls are collected for the file."""

    def __init__(
        self, module: Module, program: TensorProgram, names: Names, references: Mapping[str, str], helpers: dict[str, None]
    ) -> None:
        self.module = module
        self.program = program
        self.names = names
        self.helpers = helpers
        self.block = Block()
        self.place: Span = module.span  # of what is written
        self.equations: list[Comment] = []
        self.submodules: dict[str, str] = {}  # elements of lists of submodules, and their locals
        self.asked: list[str] = []  # locals that something reads
        self._references = references  # the expressions for the classes of submodules
        self._arrays = {array.name: array for array in module.arrays}
        self._own = dict(program.own)
        self._sizes = dict(program.sizes)
        self._variables: dict[str, str] = {}  # of open loops, by their axis

    # ---- lines -----------------------------------------------------------------------------------

    def write(self, line: str) -> None:
        """Append a line to the current block; Python reads only so many open brackets."""
        if sum(map(line.count, "([{")) > MOST_BRACKETS and _depth(line) > MOST_BRACKETS:
            text = "this equation is nested too deeply for Python"
            raise MathdslError(error("E0782", text, self.place, help="define a part of it under a name of its own"))
        self.block.items.append(line)

    def write_number(self, local: str, text: str, since: int) -> None:
        """A local that is left out where nothing reads it; `since`: what was asked for when its statement began."""
        self.block.items.append(Number(local, f"{local} = {text}", frozenset(self.asked[since:])))
        del self.asked[since:]

    @contextmanager
    def under(self, header: str) -> Iterator[None]:
        """What is written stands under a header."""
        outer, self.block = self.block, Block()
        try:
            yield
        finally:
            outer.items.append((header, self.block))
            self.block = outer

    @contextmanager
    def variable(self, axis: str, variable: str) -> Iterator[None]:
        """The index of a loop has a name."""
        before = dict(self._variables)
        self._variables[axis] = variable
        try:
            yield
        finally:
            self._variables = before

    # ---- how things are spelled --------------------------------------------------------------------

    def helper(self, wanted: str) -> str:
        """Ask for a private helper function in the file."""
        self.helpers[wanted] = None
        return wanted

    def batch(self) -> ast.expr | None:
        """The extents of the batch axes; None in a module that has none."""
        return None if self.program.batch is None else self.local(self.program.batch)

    def local(self, wanted: str) -> ast.expr:
        """A local that is read."""
        self.asked.append(wanted)
        return name(wanted)

    def own(self, size: str) -> ast.expr:
        """Each example's own value of a ragged size: a tensor, or None where every example fills its padding."""
        return name(self._own[size])

    def poly(self, value: Poly) -> ast.expr:
        """A polynomial over sizes and the indices of open loops as a Python integer."""
        return poly(value, self.size)

    def size(self, wanted: str) -> ast.expr:
        """A size or the variable of an open loop (for a ragged size: the padded extent)."""
        if wanted in self._variables:
            return name(self._variables[wanted])
        match self._sizes.get(wanted):
            case Local(name=local):
                return self.local(local)
            case Extent(of=Local(name=local), place=place):
                return name_extent(name(local), place)
            case _:
                return name(f"self.{wanted}")

    def setting(self, wanted: str) -> ast.expr:
        """An argument of the constructor; of a function, its own."""
        return name(wanted) if self.module.is_function else name(f"self.{wanted}")

    def owned(self, wanted: str) -> str:
        """The path of a parameter or buffer from inside a method."""
        array = self._arrays[wanted]
        head, _, last = (wanted if "." in wanted else array.python).rpartition(".")
        return f"{self.submodule(head)}.{last}" if head else f"self.{last}"

    def submodule(self, path: str) -> str:
        """A submodule in an expression: `self.T_f`; an element of a list is a local, cast to its class once."""
        parts = path.split(".")
        if not any(part.isdigit() for part in parts):
            return f"self.{path}"
        if path not in self.submodules:
            self.submodules[path] = self.names.fresh("_".join(parts))
        return self.submodules[path]

    def casts(self) -> list[str]:
        """The lines that cast elements of lists of submodules to the types that their parameters can be read from."""
        classes = {one.path: self._references[one.callee] for one in self.module.submodules if one.callee is not None}
        lines: list[str] = []
        for path, local in self.submodules.items():
            node = "self" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split("."))
            lines.append(f"{local} = typing.cast({classes.get(path, 'torch.nn.Module')}, {node})")
        return lines


def name_extent(value: ast.expr, place: int) -> ast.expr:
    """`x.shape[-1]`."""
    return ast.Subscript(ast.Attribute(value, "shape", ast.Load()), ast.UnaryOp(ast.USub(), ast.Constant(-place)), ast.Load())


def _depth(line: str) -> int:
    """How many brackets are open at one place of a line, those in strings included."""
    depth = deepest = 0
    for character in line:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
