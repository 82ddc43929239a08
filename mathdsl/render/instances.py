"""An instance of a generated class as it is now: its mathematics, its sizes, and what it owns with shapes and numbers of parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from mathdsl.render.document.listings import find_classes
from mathdsl.render.document.model import Block, Code, Formula, Grid, Inlines, Listing, Paragraph, Styled, TableRow, Text
from mathdsl.render.document.numbering import number_blocks
from mathdsl.render.typeset import Compiled, typeset_programs
from mathdsl.render.write.html.page import html_fragment
from mathdsl.syntax.nodes import Expression, Identifier, Negative, Number, Relation

_SIZES = frozenset({"hyperparameter", "setting"})
_LATER = "not yet known"
_STACK = "ModuleList"
_USUAL = ("float32", "cpu")  # types of numbers and devices that go without saying
_HEAD = ("Symbol", "Python", "Shape", "Now", "Parameters")


class Tensor(Protocol):
    """What is asked of a parameter or a buffer."""

    @property
    def shape(self) -> Sequence[int]: ...
    @property
    def dtype(self) -> object: ...
    @property
    def device(self) -> object: ...
    @property
    def requires_grad(self) -> bool: ...
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
    mathematics = () if listing is None else number_blocks([replace(listing, tables=())])
    owned = tuple(_owned(instance, rows))
    return (*mathematics, _sizes(instance, rows), *((Grid(tuple(map(_text, _HEAD)), owned),) if owned else ()))


def _sizes(instance: Instance, rows: dict[str, TableRow]) -> Paragraph:
    """`d = 4, n = 2; 28 parameters in all (float64, none trained).`"""
    found: list[Formula] = []  # each by itself, so that no line breaks it
    for row in rows.values():
        value = getattr(instance, row.row.python, None)
        if row.row.kind in _SIZES and isinstance(value, bool | int | float):
            found.append(Formula(Relation(("=",), (row.symbol.expression, _number(value)))))
    sizes = tuple(inline for size in found for inline in (Text(", "), size))[1:]
    parameters = list(instance.parameters())
    count = _count(parameters)
    total = Styled("strong", (Text(count),))
    said = f" {'parameter' if count == '1' else 'parameters'} in all{_state(parameters)}."
    return Paragraph((*sizes, Text("; ") if sizes else Text(""), total, Text(said)))


def _state(parameters: Sequence[Tensor]) -> str:
    """How the parameters differ from what they usually are: numbers of another type, on another device, not to be trained."""
    kinds = dict.fromkeys(str(parameter.dtype).removeprefix("torch.") for parameter in parameters)
    devices = dict.fromkeys(str(parameter.device) for parameter in parameters)
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    said = [found for found in (", ".join(kinds), ", ".join(devices)) if found and found not in _USUAL]
    if len(trained) < len(parameters):
        said.append(f"{_count(trained) if trained else 'none'} trained")
    return f" ({'; '.join(said)})" if said else ""


def _number(value: float) -> Expression:
    """`-0.1`, `2e-05`; `inf` and `True` are words."""
    text = str(value)
    unsigned = text.removeprefix("-")
    number = Identifier(unsigned, "mathrm") if text[-1].isalpha() else Number(unsigned)
    return number if text == unsigned else Negative(number)


def _owned(instance: Instance, rows: dict[str, TableRow]) -> Iterator[tuple[Inlines, ...]]:
    for name, parameter in instance.named_parameters(recurse=False):
        yield _tensor_row(name, parameter, rows.get(name), _count((parameter,)))
    for name, buffer in instance.named_buffers(recurse=False):
        yield _tensor_row(name, buffer, rows.get(name), "a buffer")
    for name, child in instance.named_children():
        symbol, written = _written(name, rows.get(name))
        now = () if name in rows and rows[name].row.callee == type(child).__name__ else _classes(child)
        yield symbol, (Code(name),), written, now, _text(_count(child.parameters()))


def _classes(child: Instance) -> Inlines:
    """Of which class a part is; of a stack, how many of which."""
    classes = [type(element).__name__ for _, element in child.named_children()]
    if type(child).__name__ == _STACK and len(set(classes)) == 1:
        return (Text(f"{len(classes)} × "), Code(classes[0]))
    return (Code(type(child).__name__),)


def _tensor_row(name: str, tensor: Tensor, row: TableRow | None, count: str) -> tuple[Inlines, ...]:
    symbol, shape = _written(name, row)
    now = _LATER if _is_lazy(tensor) else " × ".join(str(size) for size in tensor.shape) or "a number"
    return symbol, (Code(name),), shape, _text(now), _text(count)


def _written(name: str, row: TableRow | None) -> tuple[Inlines, Inlines]:
    """The symbol and the shape as the author knows them; a part that was added by hand has neither."""
    return ((Code(name),), ()) if row is None else ((row.symbol,), row.shape)


def _count(tensors: Iterable[Tensor]) -> str:
    """How many numbers they hold; those of lazy layers, which have no shape before their first call, come to that."""
    known = list(tensors)
    ready = [tensor for tensor in known if not _is_lazy(tensor)]
    count = f"{sum(tensor.numel() for tensor in ready):,}"
    return count if len(ready) == len(known) else f"{count} and more" if ready else _LATER


def _is_lazy(tensor: Tensor) -> bool:
    return hasattr(tensor, "materialize")


def _text(text: str) -> Inlines:
    return (Text(text),)
