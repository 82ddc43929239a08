"""An instance of a generated class as it is now: its mathematics, its sizes, and what it owns with shapes and numbers of parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from mathdsl.render.html import html_fragment
from mathdsl.render.model import Block, Code, Grid, Inlines, Listing, Math, Paragraph, Styled, TableRow, Text
from mathdsl.render.numbering import number_equations
from mathdsl.render.programs.listing import find_classes
from mathdsl.render.typeset import Compiled, typeset_programs

_SIZES = frozenset({"hyperparameter", "setting"})
_HEAD = ("Symbol", "Python", "Shape", "Now", "Parameters")


class Tensor(Protocol):
    """What is asked of a parameter or a buffer."""

    @property
    def shape(self) -> Sequence[int]: ...
    def numel(self) -> int: ...


class Instance(Protocol):
    """What is asked of an `nn.Module`; torch itself is not imported here."""

    def named_parameters(self, *, recurse: bool) -> Iterable[tuple[str, Tensor]]: ...
    def named_buffers(self, *, recurse: bool) -> Iterable[tuple[str, Tensor]]: ...
    def named_children(self) -> Iterable[tuple[str, Instance]]: ...
    def parameters(self) -> Iterable[Tensor]: ...


def instance_html(instance: Instance, class_name: str, compiled: Compiled) -> str:
    """The instance as a fragment of HTML."""
    blocks = typeset_instance(instance, class_name, compiled)
    return html_fragment(blocks, scope=f"mathdsl-{hashlib.sha256(repr(blocks).encode()).hexdigest()[:12]}")


def typeset_instance(instance: Instance, class_name: str, compiled: Compiled) -> tuple[Block, ...]:
    """The listing of its class, if there is one, then its sizes and a table of what it owns."""
    place = next((lines for name, *lines in find_classes(compiled.source) if name == class_name), None)
    listings = (block for text in typeset_programs(compiled) for region in text for block in region if isinstance(block, Listing))
    listing = next((one for one in listings if place is not None and list(one.class_lines) == place), None)
    rows = {} if listing is None else {row.row.python: row for table in listing.tables for row in table.rows}
    mathematics = () if listing is None else number_equations([replace(listing, tables=())])
    owned = tuple(_owned(instance, rows))
    return (*mathematics, _sizes(instance, rows), *((Grid(tuple(map(_text, _HEAD)), owned),) if owned else ()))


def _sizes(instance: Instance, rows: dict[str, TableRow]) -> Paragraph:
    """`d = 4, n = 2: 28 parameters`."""
    found: list[Inlines] = []
    for row in rows.values():
        value = getattr(instance, row.row.python, None)
        if row.row.kind in _SIZES and isinstance(value, bool | int | float):
            found.append((Math(row.symbol), Text(f" = {value}")))
    sizes = tuple(inline for number, size in enumerate(found) for inline in ((Text(", "), *size) if number else size))
    total = Styled("strong", (Text(_count(instance.parameters())),))
    return Paragraph((*sizes, Text("; ") if sizes else Text(""), total, Text(" parameters in all.")))


def _owned(instance: Instance, rows: dict[str, TableRow]) -> Iterator[tuple[Inlines, ...]]:
    for name, parameter in instance.named_parameters(recurse=False):
        yield _tensor_row(name, parameter, rows.get(name), _count((parameter,)))
    for name, buffer in instance.named_buffers(recurse=False):
        yield _tensor_row(name, buffer, rows.get(name), "a buffer")
    for name, child in instance.named_children():
        symbol, _ = _written(name, rows.get(name))
        yield symbol, (Code(name),), (Code(type(child).__name__),), (), _text(_count(child.parameters()))


def _tensor_row(name: str, tensor: Tensor, row: TableRow | None, count: str) -> tuple[Inlines, ...]:
    symbol, shape = _written(name, row)
    now = " × ".join(str(size) for size in tensor.shape) or "a number"
    return symbol, (Code(name),), shape, _text(now), _text(count)


def _written(name: str, row: TableRow | None) -> tuple[Inlines, Inlines]:
    """The symbol and the shape as the author knows them; a part that was added by hand has neither."""
    return ((Code(name),), ()) if row is None else ((Math(row.symbol),), row.shape)


def _count(tensors: Iterable[Tensor]) -> str:
    return f"{sum(tensor.numel() for tensor in tensors):,}"


def _text(text: str) -> Inlines:
    return (Text(text),)
