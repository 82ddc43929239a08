"""Put a value where it is used, if it is used once and only stands for a call inside the reader's formula."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Along, Equation, Expr, Module, Read, Reduce, Step
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import children, map_step, module_expressions, reads, rewrite, step_expressions, step_reads, substitute_axes
from mathdsl.passes.renaming import module_names, step_axis_names

_MOST_LEVELS = 60  # of a formula that another one was put into


def put_temporaries(module: Module, arrays: Iterable[str]) -> Module:
    """`u[t, i] = e` and `f[t, i] = g(u[t, i])` become `f[t, i] = g(e)`, where both stand for one formula of the author's.

    Only arrays that one equation defines, that one place reads, outside reductions, and that have the origin of their
    reader; the others stay, and so do those that would make a formula too deep to be read.
    """
    putter = _Putter(module)
    for array in dict.fromkeys(arrays):
        putter.put(array)
    return putter.module()


class _Putter:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._steps: dict[int, Step] = dict(enumerate(module.steps))
        self._gone: set[str] = set()
        self._fresh = FreshNames(module_names(module))
        self._count = Counter(read.array for expr in module_expressions(module) for read in reads(expr))
        self._readers: defaultdict[str, list[int]] = defaultdict(list)
        self._writers: defaultdict[str, list[int]] = defaultdict(list)
        for number, step in self._steps.items():
            for read in step_reads(step):
                self._readers[read.array].append(number)
            if isinstance(step, Equation):
                self._writers[step.target].append(number)
            else:
                for target in step.targets:
                    if target is not None:
                        self._writers[target.array].append(number)

    def put(self, array: str) -> None:
        if self._count[array] != 1 or len(self._writers[array]) != 1 or len(self._readers[array]) != 1:
            return
        writer, reader = self._steps[self._writers[array][0]], self._steps[self._readers[array][0]]
        if not isinstance(writer, Equation) or writer is reader or writer.origin != reader.origin:
            return
        if any(_reads_under_reduction(expr, array) for expr in step_expressions(reader)):
            return
        if _height(writer.value) + max(map(_height, step_expressions(reader))) > _MOST_LEVELS:
            return
        taken = step_axis_names(reader)

        def node(expr: Expr) -> Expr:
            if not (isinstance(expr, Read) and expr.array == array):
                return expr
            values = {next(iter(entry.names)): i for entry, i in zip(writer.index, expr.index, strict=True) if isinstance(i, Poly)}
            return substitute_axes(writer.value, values, self._fresh, taken)

        place = self._readers[array][0]
        self._steps[place] = map_step(reader, lambda expr: rewrite(expr, node))
        gone = self._writers[array][0]
        del self._steps[gone]
        for read in step_reads(writer):
            self._readers[read.array] = [place if number == gone else number for number in self._readers[read.array]]
        self._gone.add(array)

    def module(self) -> Module:
        if not self._gone:
            return self._module
        arrays = tuple(array for array in self._module.arrays if array.name not in self._gone)
        return replace(self._module, arrays=arrays, steps=tuple(self._steps.values()))


def _height(expr: Expr) -> int:
    """How many levels an expression has."""
    level, count = [expr], 0
    while level:
        level, count = [child for node in level for child in children(node)], count + 1
    return count


def _reads_under_reduction(expr: Expr, array: str) -> bool:
    """Whether the array is read under a reduction, or at an index that data decides."""
    match expr:
        case Reduce() | Along() if any(read.array == array for read in reads(expr)):
            return True
        case Read(array=name, index=index) if name == array:
            return not all(isinstance(entry, Poly) for entry in index)
        case _:
            return any(_reads_under_reduction(child, array) for child in children(expr))
