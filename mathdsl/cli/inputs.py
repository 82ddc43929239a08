"""Which documents a command was given, read and compiled."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mathdsl.cli.errors import Unusable
from mathdsl.dataclass import dataclass

if TYPE_CHECKING:
    from mathdsl.result import CompileResult, Emit
    from mathdsl.spans import SourceFile

STREAM = "-"
SUFFIXES = (".tex", ".py", ".md", ".markdown", ".rst")
"""What a folder is searched for."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The documents of a command: files named together are one, each file of a folder is one of its own."""

    documents: tuple[tuple[str, ...], ...]
    is_folder: bool


def find_sources(named: tuple[str, ...], output: str = "") -> Sources:
    """The documents that the arguments of a command name; those of a folder cannot go to standard output."""
    if not all(named):
        raise Unusable("a file has no name")
    folder = _find_folder(named)
    if folder and output == STREAM:
        raise Unusable(f"{folder} is a folder: say with -o into which folder its outputs go")
    return Sources(tuple((path,) for path in _list_folder(folder)), True) if folder else Sources((named,), False)


def compile_sources(
    sources: Sources, *, module: str | None = None, emit: Emit = "torch", stop_after: str | None = None
) -> list[tuple[tuple[str, ...], CompileResult]]:
    """Each document and what became of it; of a folder, files without a program are left out."""
    results = [(paths, _compile(paths, module, emit, stop_after)) for paths in sources.documents]
    return _without_prose(results) if sources.is_folder else results


def _find_folder(sources: tuple[str, ...]) -> Path | None:
    folders = [source for source in sources if source != STREAM and Path(source).is_dir()]
    if folders and len(sources) > 1:
        raise Unusable(f"{folders[0]} is a folder: name it alone")
    if len(set(sources)) < len(sources):
        raise Unusable("a file is named twice")
    return Path(folders[0]) if folders else None


def _list_folder(folder: Path) -> list[str]:
    paths = sorted(str(path) for path in folder.iterdir() if path.suffix.lower() in SUFFIXES and path.is_file())
    if not paths:
        raise Unusable(f"{folder} holds no {', '.join(SUFFIXES)} file")
    return paths


def locate(source: str) -> tuple[str, str]:
    """The path of a source, and the class that is meant: `FILE`, `FILE.py:Class` or `package.module:Class`."""
    from mathdsl.source import NoModule, find_source

    try:
        return (source, "") if source == STREAM else find_source(source, ["", *sys.path])
    except NoModule as problem:
        raise Unusable(str(problem)) from problem


def _read(path: str) -> bytes:
    if path == STREAM and sys.stdin is None:
        raise Unusable("cannot read standard input: it is closed")
    try:
        return sys.stdin.buffer.read() if path == STREAM else Path(path).read_bytes()
    except (OSError, ValueError) as problem:
        raise Unusable(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from problem


def _compile(paths: tuple[str, ...], module: str | None, emit: Emit, stop_after: str | None) -> CompileResult:
    from mathdsl import api
    from mathdsl.diagnostics import Diagnostics
    from mathdsl.result import CompileResult
    from mathdsl.source import decode

    found = Diagnostics()
    places = [locate(path) for path in paths]
    files: list[SourceFile] = [decode(path, _read(path), found, part) for path, part in places]
    if found.has_errors():
        return CompileResult(source="", diagnostics=tuple(found.items), symbols=(), files=tuple(files))
    try:
        return api.compile_files(files, module=module, emit=emit, stop_after=stop_after)
    except api.UnknownName as mistake:
        raise Unusable(str(mistake)) from mistake


def _without_prose(results: list[tuple[tuple[str, ...], CompileResult]]) -> list[tuple[tuple[str, ...], CompileResult]]:
    """Of a folder, files without a program are left out, unless there is nothing else."""
    programs = [(paths, result) for paths, result in results if [d.code for d in result.diagnostics] != ["E0107"]]
    return programs or results
