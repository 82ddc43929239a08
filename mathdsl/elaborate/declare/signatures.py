"""What a caller needs to know of a function, and of a module: constructor arguments, inputs, results, and their shapes in its own sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import Name
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of, reads, step_expressions
from mathdsl.library import find_library
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class InputType:
    """An input: how it is written, its array in the callee, its type; `indexes`: the axis that it indexes, if that begins at a number."""

    spelling: Name
    array: ir.Array
    optional: bool
    indexes: ir.Range | None = None

    @property
    def counts_from(self) -> int | None:
        """The first index of the axis that it indexes."""
        first = None if self.indexes is None else self.indexes.lower.constant
        return None if first is None else int(first)


@dataclass(frozen=True)
class ResultType:
    """One returned value: its axes and element type; `listed` where axis 0 is a Python list."""

    ranges: tuple[ir.Range, ...]
    element: ir.Element
    listed: bool


@dataclass(frozen=True)
class Signature:
    """A callable module; `following` are run-time sizes that are the least or the greatest of others, `size_defaults` hyperparameters'."""

    name: str
    hyperparameters: tuple[str, ...]
    settings: tuple[ir.SettingDeclaration, ...]
    runtime_sizes: tuple[str, ...]
    inputs: tuple[InputType, ...]
    tuples: Mapping[int, int]  # which inputs come together in parentheses: the place of the first -> how many
    results: tuple[ResultType, ...]
    returns_tuple: bool
    is_faulty: bool = False
    following: tuple[tuple[str, ir.Extreme], ...] = ()
    size_defaults: tuple[tuple[str, int], ...] = ()
    needs_instance: bool = False  # it owns parameters, or acts otherwise in training


@dataclass(frozen=True, eq=False)
class Function:
    """A function that the author defined: parameters and body, read anew at each call."""

    name: Name
    parameters: tuple[ast.Expression, ...]
    body: ast.Expression
    span: Span
    is_faulty: bool = False
    is_own: bool = False  # of the procedure, not of the document
    loops: tuple[ast.Expression, ...] = ()  # the ranges of the loops that it is written in
    families: Families = field(default_factory=Families)  # what its body indexes
    rows: tuple[ast.Declaration, ...] = ()  # that declare its arguments
    extents: tuple[tuple[Name, tuple[Poly, ...]], ...] = ()  # of the document: the sizes of its arguments' axes
    size_names: Mapping[str, Name] = field(default_factory=dict)  # by the name of a size: how the body spells it
    numbers: Mapping[Name, ast.Expression] = field(default_factory=dict)  # that the document names and its body reads


def find_signature(signatures: Mapping[str, Signature], name: str) -> Signature | None:
    """The signature of a module of this document or of the library."""
    if name in signatures:
        return signatures[name]
    module = find_library(name) or (find_library(name[:1].upper() + name[1:]) if name else None)
    return None if module is None else signature_of(module, {})


def faulty_signature(name: str) -> Signature:
    """A module with mistakes of its own: it takes anything, and nothing is known of what it returns."""
    return Signature(name, (), (), (), (), {}, (), False, is_faulty=True)


def flat_inputs(module: ir.Module) -> tuple[ir.Input, ...]:
    """The inputs in call order, tuples taken apart."""
    found: list[ir.Input] = []
    for entry in module.inputs:
        found.extend(entry if isinstance(entry, tuple) else (entry,))
    return tuple(found)


def _tuples(module: ir.Module) -> Iterator[tuple[int, int]]:
    place = 0
    for entry in module.inputs:
        if isinstance(entry, tuple):
            yield place, len(entry)
        place += len(entry) if isinstance(entry, tuple) else 1


def flat_results(results: ir.Result | ir.ResultTuple) -> tuple[ir.Result, ...]:
    """The results in order, tuples taken apart."""
    match results:
        case ir.Result():
            return (results,)
        case ir.ResultTuple(items=items):
            return tuple(r for item in items for r in flat_results(item))


def signature_of(module: ir.Module, spellings: dict[str, Name]) -> Signature:
    """The signature of an elaborated module; `spellings` gives each input array's own spelling."""
    indexed = dict(_indexed_axes(module))
    inputs = tuple(
        InputType(spellings.get(i.array) or Name(i.array), module.array(i.array), i.default is not None, indexed.get(i.array))
        for i in flat_inputs(module)
    )
    results = tuple(
        ResultType(tuple(a.range for a in r.value.axes), element_of(r.value.value), r.structure is ir.Structure.LIST)
        for r in flat_results(module.results)
    )
    return Signature(
        name=module.name,
        hyperparameters=tuple(s.name for s in module.sizes if s.kind is ir.SizeKind.HYPERPARAMETER and s.value is None),
        settings=module.settings,
        runtime_sizes=tuple(s.name for s in module.sizes if s.kind is ir.SizeKind.RUNTIME and s.value is None),
        inputs=inputs,
        tuples=dict(_tuples(module)),
        results=results,
        returns_tuple=isinstance(module.results, ir.ResultTuple),
        size_defaults=tuple((s.name, s.default) for s in module.sizes if s.default is not None),
        following=tuple((s.name, s.value) for s in module.sizes if s.value is not None),
        needs_instance=bool(module.parameters or module.submodules),
    )


def _indexed_axes(module: ir.Module) -> Iterator[tuple[str, ir.Range]]:
    """The arrays whose elements index an axis, and the range of that axis, where it begins at a number."""
    arrays = {array.name: array for array in module.arrays}
    values = [result.value.value for result in flat_results(module.results)]
    for expression in (*values, *(part for step in module.steps for part in step_expressions(step))):
        for read in reads(expression):
            for entry, bounds in zip(read.index, arrays[read.array].ranges, strict=True):
                if isinstance(entry, ir.Read) and bounds.lower.constant is not None:
                    yield entry.array, bounds
