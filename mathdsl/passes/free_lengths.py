r"""Let lengths differ between the examples of a batch where bounds stand in the way: ends, joins, sums of lengths.

Before -> after, where `m` and `n` are lengths of inputs::

    h[n-2] = 0                                           h[0] = 0
    h[t] = h[t-1] + x[t]    for t in n-1..n        ->    h[t] = h[t-1] + x[t+n-2]    for t in 1..2

    c[i] = x[i]    for i in 0..m-1                       c[k] = x[k] if k <= m-1 else y[k-m]    for k in 0..s-1
    c[m+j] = y[j]    for j in 0..n-1               ->
    return sum(k in 0..m+n-1: c[k])                      return sum(k in 0..s-1: c[k])          s = m + n

A bound that grows with several lengths, or with a multiple of one that is no number, becomes a size of its own, which follows from
them. Preconditions: no schedule yet. Declines where all lengths can differ already, where no more can then, where no order would be
left since distances grow with a length, for the length of an input that may be left out: those of the others are then given alone,
and in a module that another one calls, which gives it the sizes that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from mathdsl.analysis.raggedness import candidate_sizes, find_ragged_sizes, optional_sizes
from mathdsl.analysis.recurrences import has_order
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import Axis, Call, Expr, Extreme, Module, Program, Size, SizeKind
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import all_axes, map_module, map_polys, map_range, rewrite
from mathdsl.passes.count_from_ends import counted_from_ends
from mathdsl.passes.gather_joins import gathered_joins
from mathdsl.passes.renaming import module_names


def free_lengths(program: Program) -> Program:
    """The program with each of the document's modules changed of which more lengths can differ then."""
    ragged = find_ragged_sizes(program)
    changed: dict[str, Module] = {}
    called = {module.name: set(_callees(module)) for module in program.modules}
    for module in program.modules:
        if any(module.name in callees for callees in called.values()):
            continue
        lengths = frozenset(candidate_sizes(module)) - optional_sizes(module)
        if not lengths <= frozenset(ragged[module.name]):
            gathered = gathered_joins(counted_from_ends(module, lengths), lengths)
            changed[module.name] = _measured(counted_from_ends(gathered, lengths), lengths)
    if all(module is changed.get(module.name, module) for module in program.modules):
        return program
    now = find_ragged_sizes(replace(program, modules=tuple(changed.get(module.name, module) for module in program.modules)))
    better = {name for name, new in changed.items() if frozenset(ragged[name]) < frozenset(now[name]) and has_order(new)}
    return replace(program, modules=tuple(changed[m.name] if m.name in better else m for m in program.modules))


def _callees(module: Module) -> Iterator[str | None]:
    """The modules whose calls give them their sizes: what is in line by now has none."""
    names = {submodule.path: submodule.callee for submodule in module.submodules}
    yield from (names[step.submodule] for step in module.steps if isinstance(step, Call))


def _measured(module: Module, lengths: Set[str]) -> Module:
    """The module with a size for each sum or product that a range ends with and that is no number of times one length."""
    while (found := next(_sums(module, lengths), None)) is not None:
        total, name, latex = found
        size = Size(FreshNames(module_names(module))(name), SizeKind.RUNTIME, latex, value=Extreme("minimum", (total,)))
        module = _with_size(module, total, size)
        lengths |= {size.name}
    return module


def _sums(module: Module, lengths: Set[str]) -> Iterator[tuple[Poly, str, str]]:
    """Such a sum or product, and what to call it, in Python and in LaTeX."""
    ends = [(bounds.upper, f"n_{a.python}", rf"n_{{{a.latex}}}") for a in module.arrays for bounds in a.ranges]
    ends += [(axis.range.upper, "n_all", r"n_{\mathrm{all}}") for axis in all_axes(module)]
    names = {size.name for size in module.sizes}
    for upper, name, latex in ends:
        total = Poly(tuple(term for term in upper.terms if any(factor in lengths for factor, _ in term[0])))
        grows = all(c > 0 and all(factor in names and power > 0 for factor, power in monomial) for monomial, c in total.terms)
        if grows and (len(total.terms) > 1 or total.degree > 1):
            yield total, name, latex


def _with_size(module: Module, total: Poly, size: Size) -> Module:
    """The module in which the size stands for its value, in all ranges and indices."""

    def put(poly: Poly) -> Poly:
        return poly - total + size.name if set(total.terms) <= set(poly.terms) else poly

    def expression(expr: Expr) -> Expr:
        return rewrite(expr, lambda node: map_polys(node, put))

    module = replace(module, sizes=(*module.sizes, size))
    return map_module(module, put, lambda axis: Axis(axis.name, map_range(axis.range, put)), lambda _, __, entry: put(entry), expression)
