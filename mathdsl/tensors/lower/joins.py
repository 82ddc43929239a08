"""Arrays by pieces: the tensors of their pieces joined in the order of the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Array, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.tensors.lower.body import Body
from mathdsl.tensors.lower.partitions import Box
from mathdsl.tensors.lower.unsupported import pieces_fill_no_box
from mathdsl.tensors.values import Entry, Form, Fresh, Join, Narrow, Slice, Value


@dataclass(frozen=True, slots=True)
class Piece:
    """A tensor over a box: each position is a range (a dimension of the tensor) or one point (none)."""

    box: Box
    value: Value
    span: Span


def join_pieces(body: Body, array: Array, pieces: Sequence[Piece]) -> Value:
    """One tensor over the array's whole domain."""
    return join_box(body, array, pieces, tuple(array.ranges))


def join_box(body: Body, array: Array, pieces: Sequence[Piece], box: tuple[Range, ...]) -> Value:
    """One tensor over a box."""
    return _joined(body, array, [_with_dimension(array, piece) for piece in pieces], box)


def _with_dimension(array: Array, piece: Piece) -> Piece:
    """The piece with a dimension of extent 1 for each point."""
    if not any(isinstance(entry, Poly) for entry in piece.box):
        return piece
    entries: tuple[Entry, ...] = tuple(Fresh() if isinstance(entry, Poly) else None for entry in piece.box)
    box = tuple(Range(entry, entry) if isinstance(entry, Poly) else entry for entry in piece.box)
    return replace(piece, box=box, value=Slice(_box_form(array, len(box)), piece.value, entries))


def _box_form(array: Array, rank: int) -> Form:
    return Form(tuple(f"?{place}" for place in range(rank)), array.batch, array.element)


def _joined(body: Body, array: Array, pieces: Sequence[Piece], box: tuple[Range, ...]) -> Value:
    if len(pieces) == 1 and pieces[0].box == box:
        return pieces[0].value
    for position, bounds in enumerate(box):
        groups = _in_order(pieces, position, bounds)
        if groups is not None:
            parts = tuple(_joined(body, array, group, (*box[:position], own, *box[position + 1 :])) for own, group in groups)
            joined = Join(_box_form(array, len(box)), parts, position)
            return _cut(body, joined, position, bounds, [own for own, _ in groups])
    raise MathdslError(pieces_fill_no_box(array, pieces[0].span))


def _cut(body: Body, joined: Join, place: int, bounds: Range, parts: Sequence[Range]) -> Value:
    """What is joined, without a first or last element that an array without elements has not (`y[1]`, then `2..S`)."""
    if all(body.proves_nonnegative(part.extent) for part in parts):
        return joined
    return Narrow(joined.form, joined, place, body.count(bounds))


def _in_order(pieces: Sequence[Piece], position: int, bounds: Range) -> list[tuple[Range, list[Piece]]] | None:
    """The pieces grouped by their range at one position, where these ranges follow each other and fill the bounds."""
    groups: dict[Range, list[Piece]] = {}
    for piece in pieces:
        own = piece.box[position]
        assert isinstance(own, Range)
        groups.setdefault(own, []).append(piece)
    if len(groups) == 1:
        return None
    by_lower = {own.lower: own for own in groups}
    ordered: list[tuple[Range, list[Piece]]] = []
    start = bounds.lower
    while start in by_lower:
        own = by_lower.pop(start)
        ordered.append((own, groups[own]))
        start = own.upper + 1
    return ordered if not by_lower and start == bounds.upper + 1 else None
