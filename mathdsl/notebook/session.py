"""The cells of a notebook that were compiled: each is compiled as one document with the earlier ones that are still current."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath

from mathdsl.api import compile_files
from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostic, Diagnostics, error
from mathdsl.notebook.selecting import defined_programs, defined_symbols, select_programs
from mathdsl.result import CompileResult
from mathdsl.source import decode
from mathdsl.spans import SourceFile, Span
from mathdsl.syntax.nodes import Document

_IN_ANOTHER = "this stands in another cell, which {} needs; after a change there run that cell, then this one"
_NO_PROGRAM = "E0107"
_STRAY_CHARACTER = "E0219"
_FENCE = re.compile(r"^[ \t]*(?P<fence>```+)", re.MULTILINE)
_PROGRAM = r"a program is `\Module{Name}{inputs ; parameters} … \Return … \\ \EndModule`; `%mathdsl` alone shows an example"
_NOT_LATEX = "`%%mathdsl` takes LaTeX: Python goes into a cell without this first line, prose into a Markdown cell"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, or a file that was compiled from one. `key` is the same when it is run again, '' where nobody tells."""

    key: str
    file: SourceFile


@dataclass(frozen=True, slots=True)
class CompiledCell:
    """What became of a cell: `result` is that of the cell and all it needs of others, with what is to be told about this one.

    `programs`: the file and the name of each procedure and function, in the order of the generated text. `symbols`: what else the
    cell defines or declares, as TeX.
    """

    cell: Cell
    result: CompileResult
    programs: tuple[tuple[str, str], ...] = ()
    symbols: tuple[str, ...] = ()

    @property
    def own_programs(self) -> tuple[str, ...]:
        """The names of the cell's own procedures and functions, as in the table of symbols."""
        return tuple(name for file, name in self.programs if file == self.cell.file.name)


class Session:
    """The current cells, in the order in which they were run."""

    def __init__(self) -> None:
        self._kept: tuple[_Kept, ...] = ()

    def compile(self, key: str, name: str, data: bytes, part: str = "", *, is_alone: bool = False) -> CompiledCell:
        """Compile a cell that takes the place of its old self; later cells see it once it is kept.

        `part`: of a Python file, the class that is meant. `is_alone`: it is a document of its own, such as a file, and sees no other cells.
        """
        others = () if is_alone else tuple(kept.cell for kept in self._kept if not key or kept.cell.key != key)
        found = Diagnostics()
        cell = Cell(key, decode(_unused_name(name, others), data, found, part))
        if found.has_errors():
            return CompiledCell(cell, CompileResult("", tuple(found.items), (), (cell.file,)))
        files = [*(other.file for other in others), cell.file]
        order = {file.name: number for number, file in enumerate(files)}
        result = compile_files(files, select=partial(select_programs, own=cell.file.name, order=order))
        if not _says_something(result, cell.file):
            result = compile_files([cell.file])
        findings = _of_cell(result, cell.file)
        result = replace(result, diagnostics=findings if is_alone else advise(findings, cell.file))
        document = result.document or Document(())
        symbols = (*_macros(result, cell.file), *defined_symbols(document, cell.file.name))
        return CompiledCell(cell, result, defined_programs(document), symbols)

    def keep(self, compiled: CompiledCell) -> None:
        """Let later cells see a cell, in place of its old self."""
        kept = tuple(one for one in self._kept if not _is_replaced(one, compiled))
        name = _unused_name(compiled.cell.file.name, [one.cell for one in kept])
        cell = replace(compiled.cell, file=replace(compiled.cell.file, name=name))
        self._kept = (*kept, _Kept(cell, frozenset(compiled.own_programs), bool(compiled.symbols)))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cell that later ones see, and what it holds: programs, and maybe more."""

    cell: Cell
    programs: frozenset[str]
    holds_more: bool


def _is_replaced(kept: _Kept, compiled: CompiledCell) -> bool:
    """Whether a cell is the old self of another; where nobody tells that, whether everything in it is defined anew."""
    if compiled.cell.key:
        return kept.cell.key == compiled.cell.key
    return not kept.cell.key and not kept.holds_more and kept.programs <= set(compiled.own_programs)


def _unused_name(wanted: str, cells: Sequence[Cell]) -> str:
    """A name that no other text has: spans tell by it whose they are. Its suffix stays, which says how it is read."""
    taken = {cell.file.name for cell in cells}
    suffix = PurePath(wanted).suffix
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted.removesuffix(suffix)} ({number}){suffix}"
    return name


def _says_something(result: CompileResult, file: SourceFile) -> bool:
    """Whether the cell holds a program, a definition, a table or a macro; what the other cells hold does not stand for it."""
    if result.document is None or any(item.span.file == file.name for item in result.document.items):
        return True
    return bool(_macros(result, file)) or any(d.severity == "error" for d in result.diagnostics)


def _macros(result: CompileResult, file: SourceFile) -> tuple[str, ...]:
    """The commands that a cell defines, in its order."""
    macros = result.reading.macros.macros if result.reading is not None else {}
    found = {name: macro.span.start for name, named in macros.items() for macro in named if macro.span.file == file.name}
    return tuple(sorted(found, key=found.__getitem__))


def _of_cell(result: CompileResult, file: SourceFile) -> tuple[Diagnostic, ...]:
    """What is said of the cell's text; errors in the texts that it needs where nothing else keeps the cell from being compiled."""
    found = result.diagnostics
    if _macros(result, file):
        found = tuple(d for d in found if d.code != _NO_PROGRAM)
    own = tuple(d for d in found if d.span.file == file.name)
    if any(d.severity == "error" for d in own):
        return own
    of_others = (d for d in found if d.severity == "error" and d.span.file != file.name)
    return own + tuple(replace(d, notes=(*d.notes, _IN_ANOTHER.format(file.name))) if d.span.file else d for d in of_others)


def advise(found: Sequence[Diagnostic], file: SourceFile) -> tuple[Diagnostic, ...]:
    """The findings of a cell, told to somebody who may have put something else into it."""
    if not any(d.severity == "error" for d in found):
        return tuple(found)
    fence = _FENCE.search(file.text)
    if fence is not None:
        return (_markdown(Span(file.name, *fence.span("fence"))),)  # all else is a consequence
    found = [replace(d, message="this cell holds no program", help=_PROGRAM) if d.code == _NO_PROGRAM else d for d in found]
    if found[0].code == _NO_PROGRAM or "\\" in file.text:
        return tuple(found)
    return (replace(found[0], notes=(*found[0].notes, _NOT_LATEX)), *found[1:])


def _markdown(fence: Span) -> Diagnostic:
    return error(
        _STRAY_CHARACTER,
        "a cell holds programs alone, and this is Markdown around one",
        fence,
        help="leave the program and its tables, without the lines of backquotes; the other text goes into a Markdown cell",
    )
