"""The table of symbols that `check` prints: kind, type, shape, and where each shape came from."""

from __future__ import annotations

from mathdsl.elaborate.document import Elaborated
from mathdsl.elaborate.names.entries import SubmoduleEntry
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.elaborate.types.shapes import find_element
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape, show_size
from mathdsl.ir.nodes import Element, Module, SizeKind
from mathdsl.ir.sizes import Poly

ORIGINS = {
    Source.DEFINITION: "from its definition",
    Source.HEADER: "inferred from its uses",
    Source.TABLE: "declared",
    Source.DECLARATION: "declared",
    Source.USES: "inferred from its uses",
    Source.MATRIX_BY_LETTER: "a matrix by its letter",
    Source.VECTOR_BY_LETTER: "a vector by its letter",
    Source.NUMBER_BY_LETTER: "a number by its letter",
    Source.EXPRESSION: "expression",
    Source.CALLEE: "setting of a submodule",
    Source.PADDING: "constructor argument",
}


def symbol_rows(elaborated: Elaborated) -> tuple[SymbolRow, ...]:
    """A row for each size, setting, array and submodule, in order."""
    rows: list[SymbolRow] = []
    for module, reading in zip(elaborated.program.modules, elaborated.readings, strict=True):
        rows.extend(_module_rows(module, reading.types))
    return tuple(rows)


def _module_rows(module: Module, types: Types) -> list[SymbolRow]:
    rows = [
        SymbolRow(
            module.name, size.latex, size.name, size.kind.value, "integer", "", _size_origin(types, size.name, size.kind), size.description
        )
        for size in module.sizes
    ]
    rows += [_symbol_row(module, types, symbol) for symbol in types.entries.symbols.values()]
    rows += [_submodule_row(module, types, entry) for entry in types.entries.submodules.values()]
    return rows


def _size_origin(types: Types, name: str, kind: SizeKind) -> str:
    entry = next(e for e in types.entries.sizes.values() if e.name == name)
    if entry.value is not None:
        return "computed from other sizes"
    if entry.is_fresh:
        return "named after what it measures"
    return "read from the inputs" if kind is SizeKind.RUNTIME else "constructor argument"


def _symbol_row(module: Module, types: Types, symbol: Symbol) -> SymbolRow:
    element = find_element(symbol.element)
    kind = element.value if isinstance(element, Element) else "real"
    shape = show_shape(types, symbol.shape)
    origin = "constructor argument" if symbol.role is Role.SETTING and symbol.source is Source.TABLE else ORIGINS[symbol.source]
    name = types.entries.array_name(symbol)
    return SymbolRow(module.name, symbol.latex, name, symbol.role.value, kind, shape, origin, symbol.description)


def _submodule_row(module: Module, types: Types, entry: SubmoduleEntry) -> SymbolRow:
    kind = "stack of submodules" if entry.is_stack else "submodule"
    if entry.signature is None:
        return SymbolRow(module.name, entry.latex, entry.path, kind, "nn.Module", "", "given to the constructor", entry.description)
    part = entry.parts[0]
    sizes = tuple(show_size(types, value) for _, value in part.arguments if isinstance(value, Poly))
    return SymbolRow(
        module.name,
        entry.latex,
        entry.path,
        kind,
        f"{entry.signature.name}({', '.join(sizes)})",
        "",
        "built by the constructor",
        entry.description,
        entry.signature.name,
        sizes,
    )
