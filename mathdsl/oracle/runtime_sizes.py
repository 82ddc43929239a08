"""Run-time sizes from arguments: from extents (`S` from the length of `x`, also where it is `S + 1`), or given as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mathdsl.ir.nodes import Array, Module, SizeKind
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ELEMENTWISE
from mathdsl.oracle.errors import OracleError


def infer_sizes(module: Module, arguments: Mapping[str, Any], known: Mapping[str, int]) -> dict[str, int]:
    """All sizes of the module; an `OracleError` where one stays open or two arguments disagree."""
    names = {size.name for size in module.sizes}
    defaults = {size.name: size.default for size in module.sizes if size.default is not None}
    sizes = {**defaults, **known, **{name: value for name, value in arguments.items() if name in names}}
    extents = [pair for name, value in arguments.items() for pair in _extents(module.array(name), value)]
    progress = True
    while progress:
        progress = False
        for extent, length in extents:
            unknown = extent.names - sizes.keys()
            if len(unknown) == 1:
                (name,) = unknown
                sizes[name] = _solve(extent, name, length, sizes)
                progress = True
    for extent, length in extents:
        if extent.names <= sizes.keys() and extent.evaluate(sizes) != length:
            raise OracleError(f"an axis of {extent} elements has {length} where {_listed(sizes, extent.names)}")
    inputs = [one for entry in module.inputs for one in (entry if isinstance(entry, tuple) else (entry,))]
    left_out = [i.array for i in inputs if i.is_empty and i.array not in arguments]
    sizes |= {name: 0 for array in left_out for axis in module.array(array).ranges for name in axis.extent.names - sizes.keys()}
    sizes |= extreme_sizes(module, sizes)
    for size in module.sizes:
        if size.name not in sizes:
            kind = "is not given" if size.kind is SizeKind.HYPERPARAMETER else "follows from no argument"
            raise OracleError(f"the size {size.name} of {module.name} {kind}")
    return sizes


def extreme_sizes(module: Module, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes that are the least, the greatest or the rounded quotient of others."""
    found: dict[str, int] = {}
    for size in module.sizes:
        if size.value is not None:
            values = [poly.evaluate({**sizes, **found}) for poly in size.value.of]
            found[size.name] = int(ELEMENTWISE[size.value.op].evaluate(*values)) if len(values) > 1 else values[0]
    return found


def _extents(array: Array, value: Any) -> Iterable[tuple[Poly, int]]:
    """The extent and the length of each axis; axes inside an empty one say nothing."""
    for axis in array.ranges:
        if not isinstance(value, list | tuple):
            raise OracleError(f"{array.name} has {len(array.ranges)} axes, its argument has fewer")
        yield axis.extent, len(value)
        if not value:
            return
        value = value[0]


def _solve(extent: Poly, name: str, length: int, sizes: Mapping[str, int]) -> int:
    """The value of the one unknown name for which the extent is `length`."""
    put = {known: Poly.of(value) for known, value in sizes.items()}
    above, below = (part.substitute(put) for part in extent.fraction)
    factor, rest = above.coefficient(name), above.substitute({name: Poly.of(0)})
    if factor is None or factor.constant in (None, 0) or rest.constant is None or below.constant is None:
        raise OracleError(f"the size {name} cannot be found from an axis of {extent} elements")
    return (length * below.constant - rest.constant) // factor.constant


def _listed(sizes: Mapping[str, int], names: Iterable[str]) -> str:
    return ", ".join(f"{name} = {sizes[name]}" for name in sorted(names))
