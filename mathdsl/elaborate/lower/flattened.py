r"""`\fla{v_1, \dots, v_n}` at a point: element `p` is element `p mod d` of part `p div d`."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.elaborate.lower.arrays import materialise, read_whole
from mathdsl.elaborate.lower.state import Lowering, Point
from mathdsl.elaborate.terms.terms import Build, CallResult, Concatenation, Ref, Stacked, Term, Transpose
from mathdsl.ir import nodes as ir
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import free_names

PART, WITHIN = "#part", "#within"  # stand for `p div d` and `p mod d`, which are no polynomials


def lower_flattened(lowering: Lowering, body: Term, point: Point) -> ir.Expr:
    """One element of a flattened list: a read of what holds the list, which is made where nothing does."""
    place = (Poly.of(PART), *point[:-1], Poly.of(WITHIN))
    read = lowering.at(body, place) if _is_kept(body) else None
    if not isinstance(read, ir.Read) or not all(map(_is_plain, read.index)):
        read = read_whole(lowering, materialise(lowering, body, "parts"), place)
    length = ir.IndexValue(lowering.poly(lowering.inference.axes(body)[-1]))
    operands = ir.IndexValue(point[-1]), length
    values = {PART: ir.Apply("floor_div", operands, ir.Element.INTEGER), WITHIN: ir.Apply("mod", operands, ir.Element.INTEGER)}
    return ir.Read(read.array, tuple(_put(entry, values) for entry in read.index), read.element)


def _is_kept(term: Term) -> bool:
    """Whether an array holds the term's elements one by one, so that a read is all there is to it."""
    match term:
        case Build(body=body) | Transpose(body=body):
            return _is_kept(body)
        case Ref() | CallResult() | Concatenation() | Stacked():
            return True
        case _:
            return False


def _is_plain(entry: ir.Index) -> bool:
    """Whether an index has nothing to do with the two, or is one of them and an offset."""
    names = set(_names(entry)) & {PART, WITHIN}
    if not names:
        return True
    name = next(iter(names))
    return isinstance(entry, Poly) and len(names) == 1 and name not in (entry - name).names


def _names(entry: ir.Index) -> Iterator[str]:
    return iter(entry.names if isinstance(entry, Poly) else free_names(entry))


def _put(entry: ir.Index, values: dict[str, ir.Apply]) -> ir.Index:
    name = next((n for n in values if isinstance(entry, Poly) and n in entry.names), None)
    if name is None:
        return entry
    assert isinstance(entry, Poly)
    offset = entry - name
    return ir.Apply("add", (values[name], ir.IndexValue(offset)), ir.Element.INTEGER) if offset.terms else values[name]
