"""Documents to chunks: the one entry of this stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostics, Label, MathdslError, error, note
from mathdsl.source.algorithm2e import rewrite_algorithms
from mathdsl.source.containers import ContainerText, Markup, Region, no_program
from mathdsl.source.expand import Context, expand, make_context
from mathdsl.source.included import with_included
from mathdsl.source.latex_containers import read_latex
from mathdsl.source.macros import MacroTable
from mathdsl.source.mapping import TextBuilder, cut, map_file
from mathdsl.source.markup_containers import read_docstring, read_markup
from mathdsl.source.model import Chunk, MappedText
from mathdsl.source.python_files import calls, find_docstrings, is_inside
from mathdsl.spans import NOWHERE, SourceFile, Span

_MARKUP: dict[str, Markup] = {".md": "markdown", ".markdown": "markdown", ".rst": "rest"}
_REFUSED = {".ipynb": "a notebook", ".pdf": "a PDF file", ".html": "an HTML page"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A document: its program texts for the parser, and all of its texts as they were written, with the macros they define.

    `included` are the files that its own take in.
    """

    chunks: tuple[Chunk, ...]
    texts: tuple[ContainerText, ...]
    macros: MacroTable
    included: tuple[SourceFile, ...] = ()


def read_chunks(files: Sequence[SourceFile], diagnostics: Diagnostics) -> tuple[Chunk, ...]:
    """The program texts alone."""
    return read_document(files, diagnostics).chunks


def read_document(files: Sequence[SourceFile], diagnostics: Diagnostics) -> Reading:
    """The texts of one document, which may have several files, in order; the macros in its programs expanded.

    Mistakes are added to the diagnostics; a chunk whose macros cannot be expanded is left out. A document that has no
    program and no other mistake is a mistake.
    """
    macros = MacroTable()
    included: list[SourceFile] = []
    texts = _read_texts(files, macros, diagnostics, included)
    context = make_context(macros, diagnostics, sum(len(file.text) for file in files))
    chunks = tuple(chunk for number, text in enumerate(texts) for chunk in _expand_regions(text, number, context))
    _note_owned(context)
    has_program = any(chunk.kind == "program" and chunk.text.text.strip() for chunk in chunks)
    if not has_program and not diagnostics.has_errors():
        diagnostics.add(no_program(Span(files[0].name, 0, 0) if files else NOWHERE))
    named = {file.name for file in files}
    return Reading(chunks, tuple(texts), macros, tuple({file.name: file for file in included if file.name not in named}.values()))


def _read_texts(files: Sequence[SourceFile], macros: MacroTable, found: Diagnostics, included: list[SourceFile]) -> list[ContainerText]:
    texts: list[ContainerText] = []
    for file in files:
        for text in _read_file(file, macros, len(texts), found, included):
            texts.append(text)
    return texts


def _read_file(
    file: SourceFile, macros: MacroTable, number: int, found: Diagnostics, included: list[SourceFile]
) -> Iterator[ContainerText]:
    suffix = PurePath(file.name).suffix.lower()
    if suffix in _REFUSED:
        message = f"`{file.name}` is {_REFUSED[suffix]}, which cannot be read"
        found.add(error("E0104", message, Span(file.name, 0, 0), help="name a `.tex`, `.py`, `.md` or `.rst` file"))
    elif suffix == ".py":
        yield from _read_python(file, macros, number, found)
    elif suffix in _MARKUP:
        yield read_markup(map_file(file), _MARKUP[suffix], macros, number, found)
    else:
        mapped, others = with_included(file, found)
        included += others
        yield read_latex(mapped, suffix == ".tex", macros, number, found)


def _read_python(file: SourceFile, macros: MacroTable, number: int, found: Diagnostics) -> Iterator[ContainerText]:
    """The docstrings of a file; of a class that is meant alone, its own, and the programs of others in the file that these call."""
    others: list[tuple[str, MappedText]] = []
    called = list[str]()
    for name, docstring in find_docstrings(file, found):
        if not is_inside(name, file.part):
            others.append((name, docstring))
            continue
        text = replace(read_docstring(docstring, macros, number, found), name=name)
        yield text
        number += 1
        called.append(text.program_text)
    while callee := next((other for other in others if calls(called, other[1].text)), None):
        others.remove(callee)
        text = replace(read_docstring(callee[1], macros, number, found), name=callee[0])
        yield text
        number += 1
        called.append(text.program_text)


def _expand_regions(text: ContainerText, number: int, context: Context) -> Iterator[Chunk]:
    prose = dict(text.prose)
    for count, region in enumerate(text.regions):
        try:
            expanded = expand(_program_of(text, region, context), (number, region.start), context, rows=region.kind == "where")
        except MathdslError as mistake:
            for diagnostic in mistake.diagnostics:
                context.found.add(diagnostic)
        else:
            yield Chunk(region.kind, expanded, region.directly_after)
            if count in prose:
                yield Chunk("prose", _expand_prose(prose[count], (number, region.end), context), directly_after=True)


def _program_of(text: ContainerText, region: Region, context: Context) -> MappedText:
    """The text of a region, with what its tags say."""
    if not region.said:
        written = cut(text.text, region.start, region.end)
        return rewrite_algorithms(written, text.text.text, region.start, context.found) if r"\begin{algorithm" in written.text else written
    builder, at = TextBuilder(), region.start
    for start, end, said in region.said:
        if start > at:
            builder.add_slice(text.text, at, start)
        builder.add(said, text.text.span(start, end))
        at = max(at, end)
    builder.add_slice(text.text, at, region.end)
    return builder.build()


def _expand_prose(rows: Sequence[MappedText], place: tuple[int, int], context: Context) -> MappedText:
    """The rows, a line each; what cannot be expanded was no formula of the program."""
    builder = TextBuilder()
    for row in rows:
        try:
            expanded = expand(row, place, context, rows=True)
        except MathdslError:
            continue
        builder.add_slice(expanded, 0, len(expanded.text))
    return builder.build()


def _note_owned(context: Context) -> None:
    """Definitions that typeset the language's own commands do not change what they mean."""
    defined = sorted((span.file, span.start, name, span) for name in context.owned for span in context.macros.spans(name))
    if not defined:
        return
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(name for _, _, name, _ in defined))
    context.found.add(
        note(
            "N0101",
            f"the document's definition of {names} is not used: in programs the language's meaning holds",
            defined[0][3],
            labels=[Label(span, "and here") for _, _, _, span in defined[1:3]],
        )
    )
