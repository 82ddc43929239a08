r"""Undeclared names: the one error of a program that lists them, each with a row made from its uses, and what a naked algorithm owns.

`y \gets W x + b` with the header `x` -> E0301 at `W`, with the rows `W \in \mathbb{R}^{d_y \times d_x}` and `b \in \mathbb{R}^{d_y}`.
While a program is read and typed, such a name is a symbol like others, with `is_undeclared`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence, Set
from itertools import islice

from mathdsl.diagnostics.model import Diagnostic, Label, MathdslError
from mathdsl.elaborate.declare.declare import Declared
from mathdsl.elaborate.names.names import GREEK, is_number_letter, readable
from mathdsl.elaborate.names.near import find_near, glyphs
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.names.usage import free_letters
from mathdsl.elaborate.terms.collected import Body
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Elementwise, Product, Ref, Term, Transpose, walk
from mathdsl.elaborate.types.constraints.letters import is_row
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.naming import name_sizes
from mathdsl.elaborate.types.shapes import SCALAR, find_element, rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import as_declared
from mathdsl.ir.nodes import Element
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_declaration, render_expression

_POSITIVE = r"\mathbb{R}_{>0}"
_SETTINGS = {Element.INTEGER: r"\mathbb{N}", Element.BOOLEAN: r"\mathbb{B}"}


def undeclared_names(declared: Declared, source: ast.Procedure | ast.Definition, body: Body, firsts: FirstIndices) -> Diagnostic | None:
    """The error that lists what nothing declares; None where everything is given, or owned by a naked algorithm."""
    types = declared.reader.types
    _read_initialisers(declared.reader)
    symbols = _undeclared(declared)
    is_naked = isinstance(source, ast.Procedure) and source.notation == "docstring" and not types.written.has_rows
    owned = _owned_by_use(types, body) & set(symbols) if is_naked else set()
    missing = sorted((symbol for symbol in symbols if symbol not in owned), key=lambda symbol: (symbol.span.file, symbol.span.start))
    if not missing:
        for symbol in types.entries.symbols.values():
            if symbol.is_undeclared and types.shapes.known(symbol.shape) == ():
                symbol.role = Role.SETTING
        return None
    with contextlib.suppress(MathdslError):  # the rows then have sizes without a name
        name_sizes(types, firsts, body.terms)
    _name_plainly(types)
    first, *others = missing
    listed = ", ".join(f"`{symbol.latex}`" for symbol in missing)
    message = f"{listed} {'are' if others else 'is'} declared nowhere"
    labels = tuple(Label(symbol.span, f"`{symbol.latex}` first stands here") for symbol in others)
    types.findings.decided.clear()  # of which letters decided, and what a declaration decides
    far = [one for one in symbols if isinstance(source, ast.Definition) or find_near(one.spelling, types.entries) is None]
    remarks = tuple(remark for symbol in missing for remark in _remarks(types, symbol))
    return Diagnostic("E0301", "error", message, first.span, "", labels, remarks, _help(types, source, far))


def _read_initialisers(reader: Reader) -> None:
    """Enter the names of initialisers, which are lowered when all settings are known."""
    for symbol in list(reader.entries.symbols.values()):
        for argument in symbol.initialiser.arguments if symbol.initialiser is not None else ():
            for part in walk(reader.resolve(argument)):
                if isinstance(part, Ref) and part.symbol.is_undeclared:
                    reader.types.shapes.unify(part.symbol.shape, SCALAR)


def _undeclared(declared: Declared) -> list[Symbol]:
    """The symbols that neither a declaration nor the prose of a docstring names."""
    reader = declared.reader
    said = {statement.head for statement in declared.stated.statements} - reader.written.ensured
    return [symbol for symbol in reader.entries.symbols.values() if symbol.is_undeclared and symbol.spelling not in said]


def owned_rows(declared: Declared) -> dict[Span, str]:
    """The rows that would declare what a naked algorithm owns by its uses, by their first places; none beside mistakes."""
    if declared.reader.findings.is_faulty:
        return {}
    return {symbol.span: _row(declared.reader.types, symbol) for symbol in _undeclared(declared)}


# ---- uses ---------------------------------------------------------------------------------------


def _owned_by_use(types: Types, body: Body) -> Set[Symbol]:
    """The symbols whose uses own them: tables that are looked up in, factors of matrix products, and what is added to these."""
    values = (*(assignment.value for assignment in types.terms.assignments), *body.terms)
    rows = {one.symbol for one in types.terms.assignments if isinstance(one.value, Ref) and is_row(one.value)}
    named = rows | {one.symbol for one in types.terms.assignments if _is_matrix_product(types, one.value)}
    terms = [term for value in values for term in walk(value)]
    return {symbol for term in terms for symbol in _owned_by(types, term, named)}


def _owned_by(types: Types, term: Term, named: Set[Symbol]) -> Iterator[Symbol]:
    """The symbols that one use owns; `named` are values that are matrix products or rows of a table."""
    match term:
        case Product(left=left, right=right):
            for side, other in ((left, right), (right, left)):
                symbol = _array(types, side)
                if symbol is not None and _has_data(other):
                    yield symbol
        case Elementwise(op="add" | "sub", arguments=arguments):
            parts = [part for argument in arguments for part in _summands(argument)]
            if any(isinstance(part, Ref) and (is_row(part) or part.symbol in named) or _is_matrix_product(types, part) for part in parts):
                yield from (symbol for part in parts if (symbol := _array(types, part)) is not None)
        case Ref(symbol=symbol) if is_row(term):
            yield symbol
        case Elementwise(op="dropout", arguments=(_, Ref(symbol=rate))) if rate.spelling.text not in GREEK:
            yield rate
        case Elementwise(op="div", arguments=(_, Elementwise(op="sqrt", arguments=(Ref(symbol=rate),)))) if rate.spelling.text not in GREEK:
            yield rate
        case _:
            pass


def _array(types: Types, term: Term) -> Symbol | None:
    """The array, whole, transposed or an element of a family, that an operand is."""
    inner = term.body if isinstance(term, Transpose) else term
    return inner.symbol if isinstance(inner, Ref) and rank_of(inner.symbol.shape) != 0 else None


def _summands(term: Term) -> Iterator[Term]:
    match term:
        case Elementwise(op="add" | "sub", arguments=arguments):
            for argument in arguments:
                yield from _summands(argument)
        case _:
            yield term


def _is_matrix_product(types: Types, term: Term) -> bool:
    return isinstance(term, Product) and any(_array(types, side) is not None for side in (term.left, term.right)) and _has_data(term)


def _has_data(term: Term) -> bool:
    """Whether a term reads an input or a value."""
    return any(isinstance(part, Ref) and part.symbol.role in (Role.INPUT, Role.VALUE) for part in walk(term))


# ---- words --------------------------------------------------------------------------------------


def _help(types: Types, source: ast.Procedure | ast.Definition, symbols: Sequence[Symbol]) -> str:
    """Rows for what looks like no known name, and where they go; a function owns nothing: it reads sizes from its arguments' types."""
    if not symbols:
        return "write each name as it is declared, with its font and its accents; what is meant as another one needs a row of its own"
    if isinstance(source, ast.Definition):
        known = [row for symbol in symbols for row in _rows_with(types, symbol)]
        if len(known) == len(symbols):
            lines = [r"give each a row, in `\begin{where} … \end{where}` directly after the function, as in"]
            return "\n".join((*lines, *(rf"  {row} & an argument \\" for row in known)))
        name, arguments = source.function or (source.target, ())
        listed = ", ".join((*map(render_expression, arguments), *(symbol.latex for symbol in symbols)))
        return rf"a function reads its arguments: define it as `{render_expression(name)}({listed}) \gets …`"
    parameters = [symbol for symbol in symbols if not _is_setting(types, symbol)]
    rows = [rf"  {_row(types, symbol)} & {'a parameter' if symbol in parameters else 'a setting'} \\" for symbol in symbols]
    lines = [r"give each a row, in `\begin{where} … \end{where}` directly after the program, as in", *rows]
    if isinstance(source, ast.Procedure) and source.notation == "module" and parameters:
        inputs = ", ".join(map(render_declaration, source.inputs))
        owned = ", ".join((*map(render_declaration, source.owned or ()), *(symbol.latex for symbol in parameters)))
        lines += ["and name what the module owns in its header", rf"  \Module{{{source.name}}}{{{inputs} ; {owned}}}"]
    return "\n".join(lines)


def _is_setting(types: Types, symbol: Symbol) -> bool:
    rank = rank_of(symbol.shape)
    return not symbol.lowers and (rank == 0 or rank is None and is_number_letter(symbol.spelling))


def _name_plainly(types: Types) -> None:
    r"""Give fresh sizes that are named after a name with scripts, `d_{x'}`, letters that a row can have."""
    letters = free_letters({*types.written.mentioned, *types.entries.sizes})
    for entry in [entry for entry in types.entries.sizes.values() if entry.is_fresh]:
        if any(not label.is_plain for label in entry.spelling.labels):
            entry.spelling = letters.pop(0)


def _row(types: Types, symbol: Symbol) -> str:
    if not _is_setting(types, symbol):
        return as_declared(types, symbol)
    element = find_element(symbol.element)
    return rf"{symbol.latex} \in {_SETTINGS.get(element, _POSITIVE) if isinstance(element, Element) else _POSITIVE}"


def _remarks(types: Types, symbol: Symbol) -> Iterator[str]:
    """A known name that a reader may see in it, and the array that it could be an element or a size of."""
    near = find_near(symbol.spelling, types.entries)
    if near is not None:
        yield f"did you mean `{readable(near)}` by `{symbol.latex}`?"
    labels = symbol.spelling.labels
    arrays = [s for s in types.entries.symbols.values() if labels and not s.is_undeclared and rank_of(s.shape) != 0]
    for array in (array for array in arrays if array.spelling == symbol.spelling.word):
        if all(label.is_number for label in labels):
            yield f"an element of `{array.latex}` is written in brackets, `{array.latex}[{', '.join(map(readable, labels))}]`"
            continue
        letters = " and ".join(f"`{readable(label)}`" for label in labels)
        yield f"`{symbol.latex}` is an element of `{array.latex}` only where {letters} has a value or a range"
    yield from (f"`{symbol.latex}` is a size where a type has it, as in `{row}`" for row in _rows_with(types, symbol))


def _rows_with(types: Types, symbol: Symbol) -> Iterator[str]:
    r"""A row in which a name is a size: `d_k` beside `K` in `K \in \mathbb{R}^{n \times d_k}`."""
    labels = symbol.spelling.labels
    arrays = (s for s in types.entries.symbols.values() if len(labels) == 1 and not s.is_undeclared and rank_of(s.shape) != 0)
    alike = (array for array in arrays if array.spelling.is_plain and glyphs(array.spelling) == glyphs(labels[0]))
    for array in islice(alike, 1) if _is_setting(types, symbol) else ():
        yield rf"{array.latex} \in \mathbb{{R}}^{{n \times {symbol.latex}}}"
