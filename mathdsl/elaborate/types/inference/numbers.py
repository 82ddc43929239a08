r"""Values that plain numbers define: scalars, whatever their letter. `c \gets 2` is one, and so is the counter `n \gets n + 1` from 0.

A bold constant takes its shape from its use. So does a value that is nothing but 0 where an element of it is read, where it is given to
a module, or behind a matrix: `h \gets 0`, then `W h`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.names import is_capital, without_version
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Assignment
from mathdsl.elaborate.terms.terms import Build, CaseTerm, Elementwise, NumberTerm, PowerTerm, Product, Reduction, Ref, Term, Updated
from mathdsl.elaborate.types.constraints.products import ProductConstraint
from mathdsl.elaborate.types.constraints.sums import FirstValueConstraint, SumConstraint
from mathdsl.elaborate.types.inference.state import Inference
from mathdsl.elaborate.types.shapes import SCALAR, Shape, ShapeUnknown, expand, rank_of

Group = Mapping[ShapeUnknown, list[Assignment]]
"""What defines the values of one open shape: a version of a name and the next have one."""


def settle_numbers(inference: Inference, is_first: bool = False) -> bool:
    """Make numbers of the values that numbers define; at first only of those that are more than 0. Whether any was open."""
    if is_first:
        _check_numbers(inference)
    groups = _groups(inference)
    while others := [rest for rest, group in groups.items() if not all(_is_as_short_as_its_target(inference, a, groups) for a in group)]:
        for rest in others:
            del groups[rest]
    kept = [rest for rest, group in groups.items() if all(map(_is_zero, group)) and (is_first or _follows_a_matrix(inference, rest))]
    settled = [inference.types.shapes.unify(Shape((), rest), SCALAR) for rest in groups if rest not in kept]
    return bool(settled)


def settle_first_values(inference: Inference) -> bool:
    r"""Make numbers of the values whose first is a scalar, `v_0 \gets \tau`, but where an array is added: `v_t \gets v_{t-1} + g_t`."""
    firsts = [rest for c in inference.pending if isinstance(c, FirstValueConstraint) and (rest := expand(c.element).rest) is not None]
    if not firsts:
        return False
    sums = [c for c in inference.pending if isinstance(c, SumConstraint)]
    arrays: set[ShapeUnknown] = set()
    size = -1
    while size < len(arrays):
        size = len(arrays)
        for c in sums:
            rest, operands = expand(c.result).rest, c.operands[c.conditions :]
            if rest is not None and any((rank_of(one) or 0) > 0 or expand(one).rest in arrays for one in operands):
                arrays.add(rest)
    settled = [inference.types.shapes.unify(Shape((), rest), SCALAR) for rest in firsts if rest not in arrays]
    return bool(settled)


def _check_numbers(inference: Inference) -> None:
    r"""Refuse to read an element of a number, `c_i` after `c \gets 2`, and to join it to an array, `c || x`."""
    types = inference.types
    definitions: dict[Symbol, list[Assignment]] = {}
    for assignment in types.terms.assignments:
        definitions.setdefault(assignment.symbol, []).append(assignment)
    versions = Counter(without_version(symbol.spelling) for symbol in types.entries.symbols.values())
    for symbol, assignments in definitions.items():
        is_one = versions[symbol.spelling] == 1 and not symbol.declared
        is_number = is_one and all(isinstance(a.value, NumberTerm) and a.value.value != 0 for a in assignments)
        if is_number and len(expand(symbol.shape).prefix) > len(assignments[0].positions):
            reads = [r.span for r in types.terms.references_to(symbol) if len(r.positions) > len(assignments[0].positions)]
            types.findings.report(
                refuse(
                    "E0402",
                    f"`{symbol.latex}` is a number, and an array is wanted here",
                    reads[0] if reads else symbol.span,
                    labels=(Label(assignments[0].value.span, "defined here"),) if reads else (),
                    help=rf"declare it in a `where` table, as in `{symbol.latex} \in \mathbb{{R}}^{{d}}`, or write it times `\mathbf{{1}}`",
                )
            )


def _groups(inference: Inference) -> dict[ShapeUnknown, list[Assignment]]:
    """The assignments to values whose shapes are open; what is given or owned is no value."""
    groups: dict[ShapeUnknown, list[Assignment]] = {}
    for assignment in inference.types.terms.assignments:
        rest = expand(inference.shape(assignment.target)).rest
        if rest is not None:
            groups.setdefault(rest, []).append(assignment)
    for symbol in inference.types.entries.symbols.values():
        rest = expand(symbol.shape).rest
        if rest is not None and symbol.role is not Role.VALUE:
            groups.pop(rest, None)
    return groups


def is_number(inference: Inference, term: Term) -> bool:
    """Whether a term is a number."""
    return _count_axes(inference, term) == 0


def _count_axes(inference: Inference, term: Term, groups: Group = MappingProxyType({})) -> int | None:
    """How many axes a term has if the values of these groups are as short as they can be; None where that is open."""
    shape = expand(inference.shape(term))
    if shape.rest is None:
        return len(shape.prefix)
    match term:
        case Ref(symbol=symbol):
            return len(shape.prefix) if shape.rest in groups and shape.rest is expand(symbol.shape).rest else None
        case Build(body=body):
            inner = _count_axes(inference, body, groups)
            return None if inner is None else inner + 1
        case Reduction(body=body):
            return _count_axes(inference, body, groups)
        case Updated(array=array, place=place, value=value):
            own, most = _count_axes(inference, value, groups), len(expand(inference.shape(place)).prefix)
            return None if own is None or own > most else _count_axes(inference, array, groups)
        case Elementwise(arguments=parts):
            pass
        case Product(left=left, right=right) | PowerTerm(base=left, exponent=right):
            parts = (left, right)
        case CaseTerm(rows=rows):
            parts = tuple(part for row in rows for part in row if part is not None)
        case _:
            return None
    counts = [_count_axes(inference, part, groups) for part in parts]
    known = [count for count in counts if count is not None]
    is_product_of_arrays = isinstance(term, Product) and 0 not in known
    return None if len(known) < len(counts) or is_product_of_arrays else max(known, default=None)


def _is_as_short_as_its_target(inference: Inference, assignment: Assignment, groups: Group) -> bool:
    """Whether a value has no axes but those that are known of its target, where the values of these groups have no others."""
    count = _count_axes(inference, assignment.value, groups)
    return count is not None and count <= len(expand(inference.shape(assignment.target)).prefix)


def _is_zero(assignment: Assignment) -> bool:
    """Whether a value is 0, or what another one is."""
    match assignment.value:
        case NumberTerm(value=value):
            return value == 0
        case value:
            return isinstance(value, Ref)


def _follows_a_matrix(inference: Inference, rest: ShapeUnknown) -> bool:
    """Whether a value stands right of a matrix, or of a capital letter of open shape, in some product."""
    return any(
        expand(c.right).rest is rest and (rank_of(c.left) == 2 or rank_of(c.left) is None and _is_capital(c))
        for c in inference.pending
        if isinstance(c, ProductConstraint)
    )


def _is_capital(constraint: ProductConstraint) -> bool:
    letter = constraint.letters[0]
    return letter is not None and is_capital(letter.symbol.spelling)
