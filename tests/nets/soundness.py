"""Whether a program's text has one meaning by the contract, so that the tree's meaning is the text's.

An axis without a declared domain takes it from the indices at which the program reads it one by one: one read, under no guard,
must run over all of it. A bare index takes its range from the axes that it indexes: all of them must have the tree's range.
"""

from __future__ import annotations

from collections.abc import Mapping

from .trees import (
    Assign,
    Cases,
    Define,
    Each,
    For,
    Function,
    If,
    Index,
    IndexValue,
    Name,
    Program,
    Range,
    Reduce,
    Ref,
    SoftmaxAt,
    children,
    walk,
)

Ranges = Mapping[str, Range]


def is_sound(program: Program) -> bool:
    """Whether each open domain has a witness and each bare range is that of its axes."""
    reads: dict[tuple[Name, int], list[Range | None]] = {}
    for statement in program.statements:
        _collect(statement, {}, False, reads)
    for result in program.results:
        _collect(result, {}, False, reads)
    axes = axes_of(program)
    for declaration in program.declarations:
        open_from = {"ranged": declaration.rank, "vectors": 1}.get(declaration.style, 0)
        for k in range(open_from, declaration.rank):
            found = reads.get((declaration.name, k), [])
            if (found or (declaration.style == "none" and k == 0)) and declaration.axes[k] not in found:
                return False
        if declaration.style not in ("ranged", "vectors") and any(axis.low.offset not in (0, 1) for axis in declaration.axes):
            return False
    functions = [s for s in program.statements if isinstance(s, Function)]
    if _rows_of_arguments(program, functions):
        return False
    arguments = {name for f in functions for name, rank in f.parameters if rank}
    return all(_bare_range_is_seen(node, axes, arguments) for node in walk(program) if isinstance(node, Reduce) and node.bare)


def _rows_of_arguments(program: Program, functions: list[Function]) -> set[Name]:
    """Declared names that are only arguments of functions: their rows declare the arguments."""
    read = {node.name for result in program.results for node in walk(result) if isinstance(node, Ref)}
    for statement in program.statements:
        own = {name for name, _ in statement.parameters} if isinstance(statement, Function) else set()
        read |= {node.name for node in walk(statement) if isinstance(node, Ref)} - own
        read |= {node.name for node in walk(statement) if isinstance(node, Assign | Define)}
    arguments = {name for function in functions for name, _ in function.parameters}
    return (arguments & {d.name for d in program.parameters}) - read


def axes_of(program: Program) -> dict[Name, tuple[Range, ...]]:
    """The axes of all arrays."""
    axes = {d.name: d.axes for d in program.declarations}
    for node in walk(program):
        if isinstance(node, Define):
            axes[node.name] = (*(b.range for b in node.binders), *node.element_axes)
        elif isinstance(node, Assign) and not node.indices:
            axes[node.name] = node.element_axes
    return axes


def _bare_range_is_seen(node: Reduce, axes: Mapping[Name, tuple[Range, ...]], arguments: set[Name]) -> bool:
    """An argument counts as what it is called with: an index that is also a number needs an axis that is known."""
    seen = False
    is_number = any(isinstance(inner, IndexValue) and inner.index.name == node.index for inner in walk(node.body))
    for ref in walk(node.body):
        if not isinstance(ref, Ref):
            continue
        for k, index in enumerate(ref.indices):
            if index.name != node.index:
                continue
            own = axes.get(ref.name, ())
            if index.offset or (k < len(own) and own[k] != node.range and ref.name not in arguments):
                return False
            if is_number and ref.name in arguments:
                return False
            seen = True
    return seen


def _collect(node: object, ranges: Ranges, guarded: bool, reads: dict[tuple[Name, int], list[Range | None]]) -> None:
    """All reads of axes one by one; None where a read is no witness."""
    match node:
        case Ref():
            for k, index in enumerate(node.indices):
                reads.setdefault((node.name, k), []).append(None if guarded else _range_read(index, ranges))
            return
        case Define():
            inner = {**ranges, **{b.index: b.range for b in node.binders}}
            _collect(node.body, inner, guarded, reads)
            return
        case For() | Each() | SoftmaxAt():
            ranges = {**ranges, node.index: node.range}
        case Reduce():
            if node.bare:
                ranges = {k: v for k, v in ranges.items() if k != node.index}
            else:
                ranges = {**ranges, node.index: node.range}
            guarded = guarded or node.condition is not None
        case Cases() | If():
            guarded = True
        case Function():
            return
        case _:
            pass
    for child in children(node):
        _collect(child, ranges, guarded, reads)


def _range_read(index: Index, ranges: Ranges) -> Range | None:
    own = ranges.get(index.name) if index.name else None
    if own is None:
        return None
    return Range(Index(own.low.name, own.low.offset + index.offset), Index(own.high.name, own.high.offset + index.offset))
