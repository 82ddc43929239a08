"""Arrays by pieces: the tensors of their pieces joined in the order of the domain."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mathdsl.backends.body import Body
from mathdsl.backends.partitions import Box
from mathdsl.backends.python_ast import ELLIPSIS, EVERYTHING, NEW_AXIS, call, const, method, subscript
from mathdsl.backends.unsupported import pieces_fill_no_box
from mathdsl.diagnostics.model import MathdslError
from mathdsl.ir.nodes import Array, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A tensor over a box: each position is a range (a dimension of the tensor) or one point (none)."""

    box: Box
    node: ast.expr
    span: Span


def join_pieces(body: Body, array: Array, pieces: Sequence[Piece]) -> ast.expr:
    """One tensor over the array's whole domain."""
    return join_box(body, array, pieces, tuple(array.ranges))


def join_box(body: Body, array: Array, pieces: Sequence[Piece], box: tuple[Range, ...]) -> ast.expr:
    """One tensor over a box."""
    return _joined(body, array, [_with_dimension(array, piece) for piece in pieces], box)


def _with_dimension(array: Array, piece: Piece) -> Piece:
    """The piece with a dimension of extent 1 for each point."""
    if not any(isinstance(entry, Poly) for entry in piece.box):
        return piece
    entries = [NEW_AXIS if isinstance(entry, Poly) else EVERYTHING for entry in piece.box]
    box = tuple(Range(entry, entry) if isinstance(entry, Poly) else entry for entry in piece.box)
    if array.batch:
        while entries and entries[0] is EVERYTHING:
            entries = entries[1:]
        return replace(piece, box=box, node=subscript(piece.node, ELLIPSIS, *entries))
    while entries and entries[-1] is EVERYTHING:
        entries = entries[:-1]
    return replace(piece, box=box, node=subscript(piece.node, *entries))


def _joined(body: Body, array: Array, pieces: Sequence[Piece], box: tuple[Range, ...]) -> ast.expr:
    if len(pieces) == 1 and pieces[0].box == box:
        return pieces[0].node
    for position, bounds in enumerate(box):
        groups = _in_order(pieces, position, bounds)
        if groups is not None:
            parts = [_joined(body, array, group, (*box[:position], own, *box[position + 1 :])) for own, group in groups]
            joined = call("torch.cat", ast.List(parts, ast.Load()), const(position - len(box)))
            return _cut(body, joined, position - len(box), bounds, [own for own, _ in groups])
    raise MathdslError(pieces_fill_no_box(array, pieces[0].span))


def _cut(body: Body, joined: ast.expr, dim: int, bounds: Range, parts: Sequence[Range]) -> ast.expr:
    """What is joined, without a first or last element that an array without elements has not (`y[1]`, then `2..S`)."""
    if all(body.proves_nonnegative(part.extent) for part in parts):
        return joined
    return method(joined, "narrow", const(dim), const(0), body.count(bounds))


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
