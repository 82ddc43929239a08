"""What is known and written while the body of one `forward` (or function) is generated."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from mathdsl.analysis.facts import Facts, facts_of_module
from mathdsl.backends.line_map import Comment
from mathdsl.backends.names import Names
from mathdsl.backends.python_ast import call, const, fmt, name, poly, star, tuple_of, unparse
from mathdsl.backends.storage import Storage, looped_positions
from mathdsl.backends.unsupported import length_by_index, too_deep, unknown_size
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import Array, Axis, Element, Expr, Kind, Loop, Module, Padded, Program, Range, Read, Size, SizeKind, Stage
from mathdsl.ir.sizes import Poly

MOST_BRACKETS = 150  # open at one place; Python's own bound is 200, and the formatter adds some


@dataclass(slots=True)
class Block:
    """Lines of Python; a nested block stands under its header."""

    items: list[str | tuple[str, Block]] = field(default_factory=list)

    def lines(self, indent: str = "") -> Iterator[str]:
        """The text, indented."""
        for item in self.items:
            if isinstance(item, str):
                yield indent + item
            else:
                header, body = item
                yield indent + header
                yield from body.lines(indent + "    ")


@dataclass(slots=True)
class OpenLoop:
    """A loop (or comprehension) that is being written: its variable, and what has to stand before it."""

    axis: Axis
    variable: str
    before: list[str] = field(default_factory=list)
    views: dict[str, str] = field(default_factory=dict)


class Body:
    """The state of writing one body; the helpers that it uses are collected for the file."""

    def __init__(
        self,
        program: Program,
        module: Module,
        storage: Mapping[str, Storage],
        helpers: dict[str, None],
        references: Mapping[str, str],
        taken: tuple[str, ...],
    ) -> None:
        self.program = program
        self.module = module
        self.place = module.span  # of what is written
        self.arrays = {array.name: array for array in module.arrays}
        self.storage = storage
        self.helpers = helpers
        self.references = references  # the expressions for the classes of submodules
        self.names = Names(taken)
        self.block = Block()
        self.loops: list[OpenLoop] = []
        self.sizes: dict[str, Size] = {size.name: size for size in module.sizes}
        self.unmeasured: set[str] = set()  # run-time sizes that no required input has
        self.measured: dict[str, ast.expr] = {}
        self.locals: dict[str, str] = {}  # arrays (whole tensors or lists) and run-time sizes to Python names
        self.dicts: dict[tuple[str, int], str] = {}  # groups of arrays that are kept element by element
        self.variables: dict[str, list[str]] = {}  # of loops, by their letter
        self.complete: set[str] = set()
        self.views: dict[str, str] = {}
        self.used: set[str] = set()  # of: "batch", "generator", "own S"
        self.submodules: dict[str, str] = {}
        self.equations: list[Comment] = []
        self.assigned: set[str] = set()
        self.apart = looped_positions(module)
        self.drawing: dict[str, bool] = {}  # modules that are called, and whether they draw random numbers
        self.checked: set[tuple[str, Range]] = set()  # arrays of indices that lie in a range
        self.looked_at: set[str] = set()  # optional inputs whose type and rank were checked where they are given
        self.lists: set[str] = set()  # whole arrays that are kept as the Python list along axis 0 that a call gave
        self.indices: dict[str, str] = {}  # the values of an index over a range, and the letter of the index
        self.made: dict[str, str] = {}  # what whole arrays were assigned, and their locals

    # ---- names ---------------------------------------------------------------------------------

    @cached_property
    def batch_name(self) -> str:
        """The local that holds the batch axes' extents."""
        return self.names.fresh("batch")

    def batch(self) -> ast.expr | None:
        """The extents of the batch axes; None in a module that has none."""
        if not self.module.batched:
            return None
        self.used.add("batch")
        return name(self.batch_name)

    def own(self, size: str) -> ast.expr:
        """Each example's own value of a ragged size: a tensor, or None where every example fills its padding."""
        self.used.add(f"own {size}")
        return name(self.own_name(size))

    def own_name(self, size: str) -> str:
        """The local that `own` names."""
        key = f"{size}?own"
        if key not in self.locals:
            self.locals[key] = self.names.fresh(f"{self.locals[size]}_own")
        return self.locals[key]

    def is_ragged(self, size: str) -> bool:
        """Whether examples may differ in it."""
        return self.module.batched and size in self.module.ragged

    def ragged_in(self, value: Poly) -> tuple[str, ...]:
        """The ragged sizes of an index or a value."""
        return tuple(size for size in self.module.ragged if size in value.names) if self.module.batched else ()

    # ---- sizes ---------------------------------------------------------------------------------

    def size(self, value: str) -> ast.expr:
        """A size or the variable of an enclosing loop, as a Python integer (for a ragged size: the padded extent)."""
        for loop in reversed(self.loops):
            if loop.axis.name == value:
                return name(loop.variable)
        size = self.sizes.get(value)
        if size is None:
            raise MathdslError(length_by_index(index_letter(value), self.place))
        if size.kind is SizeKind.HYPERPARAMETER and not self.module.is_function:
            return name(f"self.{size.name}")
        if value not in self.locals:
            raise MathdslError(unknown_size(self.module, size))
        return self.measured.get(value) or name(self.locals[value])

    def measure(self, array: Array) -> None:
        """Sizes that no input has are read from a whole result of an opaque module, once there is one."""
        for place, bounds in enumerate(array.ranges):
            size = bounds.extent.variable
            if size is not None and size in self.unmeasured and size not in self.measured:
                self.locals[size] = self.locals[array.name]
                self.measured[size] = ast.parse(f"{self.locals[array.name]}.shape[{place - len(array.ranges)}]", mode="eval").body

    def poly(self, value: Poly) -> ast.expr:
        """A polynomial over sizes and enclosing loops as a Python integer."""
        return poly(value, self.size)

    def extent(self, bounds: Range) -> ast.expr:
        """The number of points of a range."""
        return self.poly(bounds.extent)

    def count(self, bounds: Range) -> ast.expr:
        """The number of points of a range that may lie the wrong way round (`2..S` of nothing)."""
        extent = self.extent(bounds)
        return extent if self.proves_nonnegative(bounds.extent) else call("max", const(0), extent)

    def is_loop(self, axis: str) -> bool:
        """Whether a loop over that axis is open."""
        return any(loop.axis.name == axis for loop in self.loops)

    def depth(self, value: Poly) -> int:
        """How many of the open loops, from the outermost, a polynomial needs."""
        return max((i + 1 for i, loop in enumerate(self.loops) if loop.axis.name in value.names), default=0)

    def known_positive(self, value: Poly) -> bool:
        """Whether the polynomial is at least 1 for all sizes (which are at least 0)."""
        return self.known_nonnegative(value - 1)

    @cached_property
    def facts(self) -> Facts:
        """What holds everywhere in the module."""
        return facts_of_module(self.module)

    @cached_property
    def facts_of_any_size(self) -> Facts:
        """What holds everywhere in the module, whatever the sizes: hyperparameters may be 0 too."""
        return replace(self.facts, least=tuple((name, 0) for name, _ in self.facts.least))

    def proves_nonnegative(self, value: Poly) -> bool:
        """Whether the polynomial cannot be negative inside the open loops."""
        return self.facts.inside(loop.axis for loop in self.loops).proves_nonnegative(value)

    def known_nonnegative(self, value: Poly) -> bool:
        """Whether the polynomial cannot be negative, by its coefficients and the ranges of the open loops alone."""
        for loop in reversed(self.loops):
            factor = value.coefficient(loop.axis.name)
            if factor is None:
                return False
            number = factor.constant
            if number is None:
                return False
            if number:
                bound = loop.axis.range.lower if number > 0 else loop.axis.range.upper
                value = value.substitute({loop.axis.name: bound})
        return all(c > 0 for _, c in value.terms)

    # ---- writing -------------------------------------------------------------------------------

    def write(self, line: str) -> None:
        """Append a line to the current block; Python reads only so many open brackets."""
        if sum(map(line.count, "([{")) > MOST_BRACKETS and _depth(line) > MOST_BRACKETS:
            raise MathdslError(too_deep(self.place))
        self.block.items.append(line)

    def typed(self, local: str) -> str:
        """The target of an assignment from a call, whose type no checker knows: annotated the first time."""
        is_new = local not in self.assigned
        self.assigned.add(local)
        return f"{local}: torch.Tensor" if is_new else local

    def hoist(self, depth: int, line: str) -> None:
        """A line at the level of `depth` open loops: before the loop that stands there, or here."""
        if depth < len(self.loops):
            self.loops[depth].before.append(line)
        else:
            self.write(line)

    def view(self, key: str) -> str | None:
        """The local that holds a value made earlier, if it is visible here."""
        found = self.views.get(key)
        for loop in self.loops:
            found = found or loop.views.get(key)
        return found

    def define_view(self, depth: int, key: str, wanted: str, value: ast.expr, is_given: bool = False) -> str:
        """A local for a value, made once at the level of `depth` open loops; `is_given`: `wanted` was reserved for it."""
        found = self.view(key)
        if found is None:
            is_first = is_given and wanted not in self.assigned
            found = wanted if is_first else self.names.fresh(wanted)
            self.assigned.add(found)
            self.hoist(depth, f"{found} = {unparse(value)}")
            (self.loops[depth - 1].views if depth else self.views)[key] = found
        return found

    @contextmanager
    def loop(self, axis: Axis) -> Iterator[OpenLoop]:
        """Open a loop: its body goes to a block of its own; what must stand before it is written when it closes."""
        opened = OpenLoop(axis, self.variable(axis.name))
        outer, self.block = self.block, Block()
        self.loops.append(opened)
        try:
            yield opened
        finally:
            self.loops.pop()
            self.block = outer

    def variable(self, wanted: str) -> str:
        """A loop variable: the same one again in a later loop over an index of that letter."""
        letter = index_letter(wanted)
        given = self.variables.setdefault(letter, [])
        inside = {loop.variable for loop in self.loops}
        found = next((variable for variable in given if variable not in inside), None)
        if found is None:
            found = self.names.fresh(letter)
            given.append(found)
        return found

    def reserve_variables(self, stages: Sequence[Stage]) -> None:
        """The letters of the loops that will be written, before anything else has them."""
        for stage in stages:
            if isinstance(stage, Loop):
                self.variable(stage.axis.name)
                self.reserve_variables(stage.body)

    # ---- tensors that others are made like ------------------------------------------------------

    @cached_property
    def like(self) -> ast.expr | None:
        """A real tensor whose dtype and device new tensors take."""
        for kind in (Kind.PARAMETER, Kind.BUFFER):
            for array in self.arrays.values():
                if array.kind is kind and array.element is Element.REAL:
                    return name(self.owned(array))
        return self.input_like

    input_like: ast.expr | None = None
    any_input: ast.expr | None = None

    def owned(self, array: Array) -> str:
        """The path of a parameter or buffer from inside a method."""
        head, _, last = (array.name if "." in array.name else array.python).rpartition(".")
        if not head:
            return f"self.{last}"
        return f"{self.submodule(head)}.{last}"

    @cached_property
    def owned_texts(self) -> frozenset[str]:
        """The paths of the module's own parameters and buffers, as `owned` writes them."""
        kinds = (Kind.PARAMETER, Kind.BUFFER)
        return frozenset(self.owned(array) for array in self.arrays.values() if array.kind in kinds and "." not in array.name)

    @cached_property
    def tensors(self) -> frozenset[str]:
        """The arrays that are tensors wherever they are locals; sizes are integers."""
        return frozenset(array for array in self.arrays if array not in self.sizes)

    def submodule(self, path: str) -> str:
        """A submodule in an expression: `self.T_f`; an element of a list is a local, cast to its class once."""
        parts = path.split(".")
        if not any(part.isdigit() for part in parts):
            return f"self.{path}"
        if path not in self.submodules:
            self.submodules[path] = self.names.fresh("_".join(parts))
        return self.submodules[path]

    def cast(self, path: str) -> str:
        """An element of a list of submodules, with the type that its parameters can be read from."""
        node = "self"
        for part in path.split("."):
            node = f"{node}[{part}]" if part.isdigit() else f"{node}.{part}"
        submodule = next((s for s in self.module.submodules if s.path == path), None)
        if submodule is None or submodule.callee is None:
            return f"typing.cast(torch.nn.Module, {node})"
        return f"typing.cast({self.references[submodule.callee]}, {node})"

    def is_checked(self, index: Expr, bounds: Range) -> bool:
        """Whether an index was checked to lie in the range it is used for."""
        inner = index.body if isinstance(index, Padded) else index
        return isinstance(inner, Read) and (inner.array, bounds) in self.checked

    def dtype(self) -> ast.expr:
        """The module's real type."""
        return fmt("{0}.dtype", self.like) if self.like is not None else fmt("torch.get_default_dtype()")

    def device(self) -> dict[str, ast.expr]:
        """The keyword argument that puts a new tensor where the others are."""
        reference = self.like if self.like is not None else self.any_input
        return {} if reference is None else {"device": fmt("{0}.device", reference)}

    def full(self, value: ast.expr, element: Element, extents: list[ast.expr], batched: bool) -> ast.expr:
        """A new tensor filled with a Python number."""
        batch = self.batch() if batched else None
        shape = tuple_of(([] if batch is None else [star(batch)]) + extents) if extents or batch is None else batch
        kinds = {Element.REAL: None, Element.INTEGER: name("torch.int64"), Element.BOOLEAN: name("torch.bool")}
        dtype = kinds[element] or self.dtype()
        keywords = [ast.keyword("dtype", dtype), *(ast.keyword(k, v) for k, v in self.device().items())]
        if isinstance(value, ast.Constant) and value.value in (0, False):
            return ast.Call(name("torch.zeros"), [shape], keywords)
        return ast.Call(name("torch.full"), [shape, value], keywords)

    def helper(self, wanted: str) -> str:
        """Ask for a private helper function in the file."""
        self.helpers[wanted] = None
        return wanted

    def arange(self, axis: Axis) -> ast.expr:
        """The values of an index over its range."""
        bounds = axis.range
        lower, stop = bounds.lower, bounds.upper + 1
        start = [] if lower.constant == 0 else [self.poly(lower)]
        keywords = [ast.keyword(k, v) for k, v in self.device().items()]
        end = self.poly(stop)
        if not self.known_nonnegative(stop - lower):  # `2 .. S` is empty where `S` is 0, and torch counts no step down
            end = call("max", self.poly(lower), end)
        node = ast.Call(name("torch.arange"), [*start, end], keywords)
        self.indices[unparse(node)] = index_letter(axis.name)
        return node


def _depth(line: str) -> int:
    """How many brackets are open at one place of a line, those in strings included."""
    depth = deepest = 0
    for character in line:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
