"""Procedures and definitions to listings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from mathdsl.elaborate.rows import SymbolRow
from mathdsl.render.descriptions import Descriptions
from mathdsl.render.model import Block, Line, Listing, Notation
from mathdsl.render.programs.code import CodeIndex
from mathdsl.render.programs.lines import Numbering, make_lines
from mathdsl.render.programs.requirements import make_requirements
from mathdsl.render.programs.symbols import make_tables, name_elements
from mathdsl.syntax.nodes import Declaration, Definition, Expression, Item, Juxtaposition, Procedure, Where

_NUMBERING: dict[str, Numbering] = {"module": "equations", "docstring": "lines", "algorithmic": "lines"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a compiled document says of its programs.

    `rows`: its symbols by module; `shared`: what its tables declare for all of them; `classes`: the classes and functions of the
    generated text with their first and last lines; `equations`: the counter that goes on through the document; `descriptions` reads
    what stands beside formulas.
    """

    rows: Mapping[str, Sequence[SymbolRow]]
    shared: Sequence[Declaration]
    code: CodeIndex
    classes: tuple[tuple[str, int, int], ...]
    equations: Iterator[int]
    descriptions: Descriptions

    def class_lines(self, lines: Sequence[Line], name: str) -> tuple[int, int]:
        """First and last line of the class or function that computes these lines, or has the name; (0, 0) where none does."""
        code = [part.line for line in lines for part in line.code]
        computes = ((first, last) for _, first, last in self.classes if any(first <= line <= last for line in code))
        named = ((first, last) for found, first, last in self.classes if found == name)
        return next(computes, None) or next(named, (0, 0))


def find_classes(source: str) -> tuple[tuple[str, int, int], ...]:
    """The classes and functions of a Python text, each with its first and last line."""
    nodes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return tuple((node.name, node.lineno, node.end_lineno or node.lineno) for node in nodes)


def make_blocks(items: Sequence[Item], facts: Facts) -> tuple[Block, ...]:
    """The blocks of what stands in one place: a listing for each procedure and each run of definitions, a table of notation."""
    return tuple(_block(group, facts) for group in _groups(items))


def _groups(items: Sequence[Item]) -> list[list[Item]]:
    """Definitions that stand together, a function with the tables directly after it; everything else alone."""
    groups: list[list[Item]] = []
    for item in items:
        follows = bool(groups) and isinstance(groups[-1][0], Definition)
        if follows and (isinstance(item, Where) and item.directly_after or isinstance(item, Definition) and not _function_name(item)):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _block(group: Sequence[Item], facts: Facts) -> Block:
    match group[0]:
        case Procedure() as procedure:
            return make_listing(procedure, facts)
        case Where(rows):
            return Notation(tuple((row, facts.descriptions.read(row.description)) for row in rows))
        case Definition():
            tables = [row for item in group if isinstance(item, Where) for row in item.rows]
            return _definitions([item for item in group if isinstance(item, Definition)], tables, facts)
        case _ as never:
            assert_never(never)


def make_listing(procedure: Procedure, facts: Facts) -> Listing:
    """A procedure with its tables."""
    lines = make_lines(procedure.body, _NUMBERING[procedure.notation], facts.equations, facts.code, facts.descriptions)
    stated = make_requirements(procedure, facts.code, facts.descriptions)
    owned = None if procedure.owned is None else _symbols(procedure.owned)
    tables = make_tables(facts.rows.get(procedure.name, ()), name_elements(procedure, facts.shared), facts.descriptions)
    place = facts.class_lines(lines, procedure.name)
    return Listing(procedure.name, procedure.notation, _symbols(procedure.inputs), owned, (*stated, *lines), tables, class_lines=place)


def _definitions(definitions: Sequence[Definition], declared: Sequence[Declaration], facts: Facts) -> Listing:
    """Definitions outside of procedures; a function among them has tables of its own."""
    lines = make_lines(definitions, "equations", facts.equations, facts.code, facts.descriptions)
    functions = [name for definition in definitions if (name := _function_name(definition))]
    names = name_elements(Procedure("", "module", tuple(declared), None, tuple(definitions)), facts.shared)
    tables = tuple(table for name in functions for table in make_tables(facts.rows.get(name, ()), names, facts.descriptions))
    return Listing("", "module", (), None, lines, tables, class_lines=facts.class_lines(lines, functions[0] if functions else ""))


def _function_name(definition: Definition) -> str:
    """`loss` of `loss(ŷ, y) ← …`; '' of anything else."""
    match definition.target:
        case Juxtaposition((name, _)):
            return getattr(name, "text", "").removeprefix("\\")
        case _:
            return ""


def _symbols(declarations: Sequence[Declaration]) -> tuple[Expression, ...]:
    return tuple(symbol for declaration in declarations for symbol in declaration.symbols)
