"""The driver: every stage in order, and nothing else.

read -> parse -> elaborate -> check -> passes -> generate
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from mathdsl.diagnostics.model import Diagnostic, Diagnostics, MathdslError
from mathdsl.elaborate.rows import SymbolRow as SymbolRow
from mathdsl.ir.selecting import UnknownName as UnknownName
from mathdsl.room import roomy
from mathdsl.spans import SourceFile

if TYPE_CHECKING:
    from mathdsl.backends.line_map import CodeLines
    from mathdsl.elaborate.document import Elaborated
    from mathdsl.render.forms import Form
    from mathdsl.render.instances import Instance
    from mathdsl.render.typeset import Compiled, Programs
    from mathdsl.source.documents import Reading
    from mathdsl.syntax.nodes import Document

Emit = Literal["ast", "ir", "torch", "reading"]

PASS_NAMES = (
    "inline_modules",
    "retarget_calls",
    "stabilise",
    "fill_branches",
    "split_domains",
    "peel_recurrences",
    "check_domains",
    "hoist_invariants",
    "gather_joins",
    "batch_axes",
    "fuse_products",
    "drop_dead_values",
    "choose_schedules",
    "bound_reads",
)


@dataclass(frozen=True)
class CompileResult:
    """What became of a document: the generated text ('' where there are errors), the findings, the table of symbols.

    `lines`: which lines of the generated text compute which equation. `reading` and `document`: the texts as they were read, and
    the AST of their programs, from which documents are typeset; None where nothing could be read.
    """

    source: str = field(repr=False)
    diagnostics: tuple[Diagnostic, ...]
    symbols: tuple[SymbolRow, ...] = field(repr=False)
    files: tuple[SourceFile, ...] = field(repr=False)
    lines: tuple[CodeLines, ...] = field(default=(), repr=False)
    reading: Reading | None = field(default=None, repr=False)
    document: Document | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not any(d.severity == "error" for d in self.diagnostics)

    def load(self) -> ModuleType:
        """The generated module, imported (this imports torch); raises `CompileError` where there are errors."""
        from mathdsl.loading import load_source

        return load_source(self)

    def render(self, form: Form) -> bytes:
        """The document typeset, as `tex`, `pdf`, `html` or `md`; raises `CompileError` where there are errors.

        A PDF file needs a TeX engine: `NoEngine` or `EngineError` (of `mathdsl.render.pdf`) where there is none, or it fails.
        """
        from mathdsl.render.publish import publish

        with roomy():
            return publish(self._compiled(), form)

    def typeset(self) -> Programs:
        """The programs alone, as listings with their tables, by text and region; raises `CompileError` where there are errors."""
        from mathdsl.render.typeset import typeset_programs

        with roomy():
            return typeset_programs(self._compiled())

    def describe(self, instance: Instance, class_name: str) -> str:
        """An instance of a generated class as a fragment of HTML: its mathematics, with its sizes and parameters of now."""
        from mathdsl.render.instances import instance_html

        with roomy():
            return instance_html(instance, class_name, self._compiled())

    def _compiled(self) -> Compiled:
        from mathdsl.loading import CompileError
        from mathdsl.render.typeset import Compiled

        if not self.ok or self.reading is None or self.document is None:
            raise CompileError(self)
        return Compiled(self.reading, self.document, self.symbols, self.lines, self.source)


def compile_files(
    files: Sequence[SourceFile],
    *,
    module: str | None = None,
    emit: Emit = "torch",
    stop_after: str | None = None,
    select: Callable[[Document], Document] | None = None,
) -> CompileResult:
    """Compile the files of one document; an `UnknownName` where `module` or `stop_after` names nothing.

    `select` says which of the programs, definitions and tables that were read are compiled; without it, all are.
    """
    from mathdsl.elaborate.document import elaborate_document
    from mathdsl.elaborate.table import symbol_rows
    from mathdsl.source.documents import read_document
    from mathdsl.syntax.parsing import parse_document

    if stop_after is not None and stop_after not in PASS_NAMES:
        raise UnknownName(f"there is no pass {stop_after}; the passes are {', '.join(PASS_NAMES)}")
    found = Diagnostics()
    text = ""
    lines: tuple[CodeLines, ...] = ()
    rows: tuple[SymbolRow, ...] = ()
    reading: Reading | None = None
    document: Document | None = None
    with roomy():
        try:
            reading = read_document(files, found)
            document = parse_document(reading.chunks, found)
            if select is not None:
                document = select(document)
            elaborated = elaborate_document(document, found)
            rows = symbol_rows(elaborated)
            if emit == "ast":
                text = _print_ast(document)
            else:
                text, lines = _lower(elaborated, files, found, module, emit, stop_after)
        except MathdslError as error:
            for diagnostic in error.diagnostics:
                found.add(diagnostic)
    if emit == "reading" and not found.has_errors():
        text = _print_readings(elaborated, files)
    failed = found.has_errors()
    return CompileResult("" if failed else text, tuple(found.items), rows, tuple(files), () if failed else lines, reading, document)


def _print_ast(document: Document) -> str:
    from mathdsl.syntax.printing import print_document

    return print_document(document)


def _print_readings(elaborated: Elaborated, files: Sequence[SourceFile]) -> str:
    from mathdsl.elaborate.read_back import read_back, write_readings

    readings = [read_back(r.unit, r.inference, r.result, [c for c, _ in r.checks]) for r in elaborated.readings if r.result is not None]
    return write_readings(readings, files)


def _lower(
    elaborated: Elaborated, files: Sequence[SourceFile], found: Diagnostics, module: str | None, emit: Emit, stop_after: str | None
) -> tuple[str, tuple[CodeLines, ...]]:
    """From the IR on: checks of domains, passes, text. What other modules got wrong does not keep a module from being checked."""
    from mathdsl.analysis.author_checks import check_program
    from mathdsl.backends.eager import generate
    from mathdsl.ir.printing import print_program
    from mathdsl.ir.selecting import select_module
    from mathdsl.ir.verified import Verified
    from mathdsl.ir.verifying import verify
    from mathdsl.passes import run_passes
    from mathdsl.source.read import hash_files

    program = elaborated.program
    if module is not None and not found.has_errors():
        program = select_module(program, module)
    before = len(found.items)
    check_program(program, elaborated.reference_spans(), found)
    if any(d.severity == "error" for d in found.items[before:]):
        return "", ()
    verified = Verified()
    verify(program, "elaborate", verified)
    if emit == "ir" and stop_after is None:
        return print_program(program), ()
    program = run_passes(program, stop_after, verified=verified)
    if emit == "ir":
        return print_program(program), ()
    generated = generate(program, source_hash=hash_files(files), options={} if module is None else {"module": module})
    return generated.text, generated.lines


# ---- for Python ------------------------------------------------------------------------------


def compile(source: str | Path) -> CompileResult:
    """Compile a document: its text, or the path of a file (a `Path`, or a one-line string that ends in a known suffix)."""
    from mathdsl.source.read import decode

    found = Diagnostics()
    file = decode(*_bytes_of(source), found)
    if found.has_errors():
        return CompileResult("", tuple(found.items), (), (file,))
    return compile_files([file])


def load(source: str | Path) -> ModuleType:
    """Compile a document and import what comes of it; raises `CompileError` with all findings where it has errors."""
    return compile(source).load()


def _bytes_of(source: str | Path) -> tuple[str, bytes]:
    if isinstance(source, Path) or _is_path(source):
        return str(source), Path(source).read_bytes()
    return "-", source.encode("utf-8", "surrogatepass")


def _is_path(text: str) -> bool:
    return "\n" not in text and text.endswith((".tex", ".py", ".md", ".markdown", ".rst"))
