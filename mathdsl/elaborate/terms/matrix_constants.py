r"""Constants whose subscripts give their sizes, `I_n`, `\mathbf{0}_{m,n}`, `\mathbf{1}_n`, and `I`, whose size its place gives."""

from __future__ import annotations

from collections.abc import Set

from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.indices import as_poly, check_size
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Build, CaseTerm, Constant, Elementwise, NumberTerm, Repeated, SizeTerm, Term
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast

_FILLED = {r"\mathbf{0}": 0.0, r"\mathbf{1}": 1.0}
_IDENTITIES = ("I", r"\mathbf{I}")
SIZED_CONSTANTS = (*_IDENTITIES, *_FILLED)


def sized_constant(reader: Reader, node: ast.Scripts) -> Term | None:
    """The array that a constant with sizes below it stands for; None where it is none, or where they are no sizes."""
    base = word_of(node.base)
    if base not in SIZED_CONSTANTS:
        return None
    sizes = [size for item in node.subscripts if (size := as_poly(reader, item)) is not None]
    if len(sizes) != len(node.subscripts) or any(size.names & {b.name for b in reader.binders} for size in sizes):
        return None
    for size in sizes:
        check_size(size, node.span)
        reader.terms.value_sizes.update(size.names)
    if base in _IDENTITIES:
        return _identity(reader, sizes[0], node.span) if len(sizes) == 1 else None
    value: Term = NumberTerm(_FILLED[base], fills=True, span=node.span)
    for size in reversed(sizes):
        value = Repeated(value, size, span=node.span)
    return value


def bare_identity(reader: Reader, span: Span) -> Term:
    """The identity matrix of the size that fits its place."""
    size = reader.types.solver.fresh()
    reader.terms.identities.append((size, span))
    return _identity(reader, size, span)


def check_constants(types: Types) -> None:
    """Refuse an identity matrix, and a value that a constant fills, whose size nothing tells but values that are made of it."""
    value = types.solver.value
    given = [s for s in types.entries.symbols.values() if s.role is not Role.VALUE]
    told = {name for symbol in given for size in types.shapes.known(symbol.shape) or () for name in value(size).names}
    arguments = (size for entry in types.entries.submodules.values() for part in entry.parts for _, size in part.arguments)
    told |= {name for size in arguments if isinstance(size, Poly) for name in value(size).names}
    told |= {name for shape in types.opaque_results.values() for size in types.shapes.known(shape) or () for name in value(size).names}
    for assignment in types.terms.assignments:
        filled, span = assignment.symbol, assignment.value.span
        is_filled = isinstance(assignment.value, (Constant, NumberTerm))
        sizes = types.shapes.known(filled.shape) or () if is_filled else ()
        open_sizes = (size for axis, size in enumerate(sizes) if not _is_read_over_a_range(types, filled, axis, told))
        if any(is_unknown(name) and name not in told for size in open_sizes for name in value(size).names):
            declared = rf"declare it in a `where` table, as in `{filled.latex} \in \mathbb{{R}}^{{d}}`"
            types.findings.report(refuse("E0405", f"nothing tells how many elements `{filled.latex}` has", span, help=declared))
    for size, span in types.terms.identities:
        if any(is_unknown(name) and name not in told for name in value(size).names):
            help = "write its size below it, as in `I_n`"
            types.findings.report(refuse("E0405", "nothing tells the size of this identity matrix", span, help=help))


def _is_read_over_a_range(types: Types, symbol: Symbol, axis: int, told: Set[str]) -> bool:
    r"""Whether a read of an array tells how long an axis is: `t_k` of `k = 1, \dots, n`, not that of a bare `\sum_k`, which asks it."""
    for read in types.terms.references_to(symbol):
        position = read.positions[axis] if axis < len(read.positions) else None
        over = [b.range for b in read.binders if isinstance(position, Poly) and b.name in position.names]
        ends = {name for one in over for end in (one.lower, one.upper) for name in types.solver.value(end).names}
        if over and all(name in told or not is_unknown(name) for name in ends):
            return True
    return False


def _identity(reader: Reader, size: Poly, span: Span) -> Term:
    """1 where the row and the column are the same, 0 elsewhere."""
    first = Poly.of(reader.written.base)
    row, column = (reader.binder(Name(letter), Range(first, first + size - 1), span, None) for letter in "ij")
    places = (SizeTerm(Poly.of(row.name), span=span), SizeTerm(Poly.of(column.name), span=span))
    rows = ((Elementwise("equal", places, span=span), NumberTerm(1.0, span=span)), (None, NumberTerm(0.0, span=span)))
    return Build(row, Build(column, CaseTerm(rows, span=span), span=span), span=span)
