"""The driver: what a compile runs, stage by stage.

documents -> programs -> syntax trees -> equations -> equations that run in an order, on batches -> tensor programs -> Python text

The back end asks for the tensor program of each module itself, since it says which names a file takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mathdsl.diagnostics.model import Diagnostics, MathdslError
from mathdsl.ir.selecting import UnknownName as UnknownName
from mathdsl.result import CompileResult, Emit
from mathdsl.room import roomy
from mathdsl.spans import SourceFile

if TYPE_CHECKING:
    from mathdsl.backends.line_map import CodeLines
    from mathdsl.elaborate.document import Elaborated
    from mathdsl.elaborate.rows import SymbolRow
    from mathdsl.ir.nodes import Program
    from mathdsl.ir.verified import Verified
    from mathdsl.source.documents import Reading
    from mathdsl.syntax.nodes import Document


@roomy()
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
    from mathdsl.elaborate.document import elaborate_document, without_order
    from mathdsl.elaborate.read_back import write_readings
    from mathdsl.elaborate.table import symbol_rows
    from mathdsl.passes import check_name
    from mathdsl.source.documents import read_document
    from mathdsl.syntax.parsing import parse_document
    from mathdsl.syntax.printing import print_document

    if stop_after is not None:
        check_name(stop_after)
    found = Diagnostics()
    text, lines = "", tuple["CodeLines", ...]()
    rows: tuple[SymbolRow, ...] = ()
    reading: Reading | None = None
    document: Document | None = None
    try:
        reading = read_document(files, found)
        files = [*files, *reading.included]
        document = parse_document(reading.chunks, found)
        if select is not None:
            document = select(document)
        elaborated = elaborate_document(document, found)
        rows = symbol_rows(elaborated)
        if emit == "ast":
            text = print_document(document)
        else:
            try:
                text, lines = _generate(elaborated, files, found, module, emit, stop_after)
            except MathdslError as error:
                again, executed = Diagnostics(), without_order(document, error.diagnostics)
                if not executed or found.has_errors():
                    raise
                elaborated = elaborate_document(document, again, executed)
                text, lines = _executed(error, elaborated, files, again, module, emit, stop_after)
                rows = symbol_rows(elaborated)
                for diagnostic in again.items:
                    found.add(diagnostic)
        if emit == "reading" and not found.has_errors():
            text = write_readings(zip(elaborated.readings, elaborated.program.modules, strict=True), files)
    except MathdslError as error:
        for diagnostic in error.diagnostics:
            found.add(diagnostic)
    if found.has_errors():
        text, lines = "", ()
    return CompileResult(text, found.told(), rows, tuple(files), lines, reading, document)


def _executed(
    error: MathdslError,
    elaborated: Elaborated,
    files: Sequence[SourceFile],
    found: Diagnostics,
    module: str | None,
    emit: Emit,
    stop_after: str | None,
) -> tuple[str, tuple[CodeLines, ...]]:
    """The text of programs whose equations had no order, from their statements as they are executed; the error where there is none."""
    try:
        if not found.has_errors():
            made = _generate(elaborated, files, found, module, emit, stop_after)
            if not found.has_errors():
                return made
    except MathdslError:
        pass
    raise error


def _check_has_an_order(program: Program, verified: Verified) -> None:
    """Refuse equations that need each other."""
    from mathdsl.passes import run_passes

    try:
        run_passes(program, verified)
    except MathdslError as error:
        if any(diagnostic.code == "E0501" for diagnostic in error.diagnostics):
            raise


def _generate(
    elaborated: Elaborated, files: Sequence[SourceFile], found: Diagnostics, module: str | None, emit: Emit, stop_after: str | None
) -> tuple[str, tuple[CodeLines, ...]]:
    """From equations to text. What other modules got wrong does not keep a module from being checked."""
    from mathdsl.analysis.author_checks import check_program
    from mathdsl.analysis.raggedness import notes_of_lengths
    from mathdsl.backends.eager import generate
    from mathdsl.ir.printing import print_program
    from mathdsl.ir.selecting import select_module
    from mathdsl.ir.verified import Verified
    from mathdsl.ir.verifying import verify
    from mathdsl.passes import run_passes, run_until
    from mathdsl.source.read import hash_files
    from mathdsl.tensors.lower.module import lower_program
    from mathdsl.tensors.printing import print_tensors

    program = elaborated.program
    if module is not None and not found.has_errors():
        program = select_module(program, module)
    told = Diagnostics()
    if not check_program(program, elaborated.reference_spans(), told):
        raise MathdslError(*told.items)
    for diagnostic in told.items:
        found.add(diagnostic)
    verified = Verified()
    verify(program, "elaborate", verified)
    if elaborated.disorder is not None:
        _check_has_an_order(program, verified)
        raise elaborated.disorder
    if emit == "ir":
        return print_program(program if stop_after is None else run_until(program, stop_after, verified)), ()
    scheduled = run_passes(program, verified)
    for diagnostic in notes_of_lengths(scheduled):
        found.add(diagnostic)
    if emit == "tensors":
        return print_tensors(lower_program(scheduled)), ()
    generated = generate(scheduled, source_hash=hash_files(files), options={} if module is None else {"module": module})
    return generated.text, generated.lines


# ---- for Python ------------------------------------------------------------------------------


def compile(source: str | Path) -> CompileResult:
    """Compile a document; mistakes are in the result's `diagnostics`, and nothing is raised for them. torch is not imported.

    `source` is a text, or the path of a file: a `Path`, or one line that ends in .tex, .md, .markdown, .rst or .py. A text is read as a
    .tex file is. An `OSError` where the file cannot be read.
    """
    from mathdsl.source.read import decode

    found = Diagnostics()
    file = decode(*_bytes_of(source), found)
    if found.has_errors():
        return CompileResult("", tuple(found.items), (), (file,))
    return compile_files([file])


def load(source: str | Path) -> ModuleType:
    """Compile a document, and import the Python module that it becomes, with a class a module and a function a function of the document.

    `source` is as for `compile`. `mathdsl.load("rnn.tex").RNN(d_x=3, d_h=5)` is a `torch.nn.Module`. A `CompileError`, whose message draws
    all findings, where the document has errors.
    """
    return compile(source).load()


def _bytes_of(source: str | Path) -> tuple[str, bytes]:
    if isinstance(source, Path) or _is_path(source):
        return str(source), Path(source).read_bytes()
    return "-", source.encode("utf-8", "surrogatepass")


def _is_path(text: str) -> bool:
    return "\n" not in text and text.endswith((".tex", ".py", ".md", ".markdown", ".rst"))
