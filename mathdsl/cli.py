"""The command line: compile, check, explain, demo.

Nothing but click is imported before a command runs, so that `mathdsl --help` costs nothing. Exit codes: 0, 1 for mistakes in the
source, 2 for usage, 70 for a fault of the compiler.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from mathdsl import __version__

if TYPE_CHECKING:
    from mathdsl.api import CompileResult
    from mathdsl.spans import SourceFile

STREAM = "-"
SUFFIXES = (".tex", ".py", ".md", ".markdown", ".rst")
"""What a folder is searched for."""

OUTPUT_SUFFIX = {"torch": ".py", "ir": ".ir.txt", "ast": ".ast.txt"}

TRACE = "MATHDSL_TRACEBACK"
"""The environment variable that asks for the traceback of a fault."""

Emit = Literal["ast", "ir", "torch"]


class Unusable(click.ClickException):
    """A file that cannot be read or written, or an option that names nothing."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        click.echo(f"error: {self.format_message()}", err=True)


class Fault(click.ClickException):
    """A mistake of the compiler's own, whatever the source was."""

    exit_code = 70

    def __init__(self, cause: Exception) -> None:
        frames = [Path(frame.filename) for frame in traceback.extract_tb(cause.__traceback__)]
        here = Path(__file__).parent
        stages = [frame.relative_to(here).parts[0].removesuffix(".py") for frame in frames if frame.is_relative_to(here)]
        super().__init__(f"{type(cause).__name__} in {stages[-1] if stages else 'mathdsl'}: {cause}")

    def show(self, file: object = None) -> None:
        click.echo(f"internal error: {self.format_message()}", err=True)
        click.echo(f"This is a fault of mathdsl, not of the document. Please report it with the document; {TRACE}=1 shows where.", err=True)


class Commands(click.Group):
    """The commands; no traceback leaves them unless it is asked for."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise  # what click reports by itself, such as a closed pipe
        except Exception as cause:  # the last boundary before the terminal
            if os.environ.get(TRACE):
                raise
            raise Fault(cause) from cause


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mathdsl")
def main() -> None:
    """Compile literate LaTeX models into torch.nn.Module source."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@main.command("compile")
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", default=STREAM, metavar="OUT", help="Where to write; a folder takes one file for each input of a folder.")
@click.option("--module", metavar="NAME", help="Only this module and what it needs.")
@click.option("--emit", type=click.Choice(["ast", "ir", "torch"]), default="torch", show_default=True, help="What to write.")
@click.option("--stop-after", metavar="PASS", help="Stop after this pass.")
def compile_command(sources: tuple[str, ...], output: str, module: str | None, emit: Emit, stop_after: str | None) -> None:
    """Compile documents. Files named together are one document; `-` is standard input.

    A class of a Python file is named `FILE.py:Class` or `package.module:Class`; nothing is imported.
    """
    folder = _find_folder(sources)
    documents = [[path] for path in _list_folder(folder)] if folder else [list(sources)]
    if folder and output == STREAM:
        raise Unusable(f"{folder} is a folder: say with -o into which folder its outputs go")
    results = [(paths, _compile(paths, module, emit, stop_after)) for paths in documents]
    if folder:
        results = _without_prose(results)
    _draw(results, with_notes=False)
    if not all(result.ok for _, result in results):
        sys.exit(1)
    texts: dict[str, str] = {}
    for paths, result in results:
        target = _output_path(paths, output, emit, folder is not None)
        if target in texts:
            raise Unusable(f"two inputs would be written to {target}")
        texts[target] = result.source
    _write_all(texts, [path for paths, _ in results for path in paths])


@main.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option("--symbols", is_flag=True, help="The table of symbols (the default without --json).")
@click.option("--json", "as_json", is_flag=True, help="The diagnostics as JSON; with --symbols, the table as JSON.")
def check(sources: tuple[str, ...], symbols: bool, as_json: bool) -> None:
    """Check documents, named as for `compile`: their symbols, each with kind, type, shape and where the shape came from."""
    from mathdsl.report import diagnostics_json, symbols_json, symbols_table

    folder = _find_folder(sources)
    documents = [[path] for path in _list_folder(folder)] if folder else [list(sources)]
    results = [(paths, _compile(paths, None, "torch", None)) for paths in documents]
    if folder:
        results = _without_prose(results)
    if as_json and not symbols:
        click.echo(diagnostics_json([result for _, result in results]), nl=False)
    else:
        _draw(results, with_notes=True)
        table = symbols_json if as_json else symbols_table
        click.echo(table([result for _, result in results]), nl=False)
    if not all(result.ok for _, result in results):
        sys.exit(1)


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain the code of a diagnostic, or list all codes."""
    from mathdsl.diagnostics.explain import explain as explain_code
    from mathdsl.diagnostics.explain import list_codes

    if code is None:
        click.echo(list_codes(), nl=False)
        return
    text = explain_code(code)
    if text is None:
        raise Unusable(f"there is no diagnostic {code}; `mathdsl explain` lists all")
    click.echo(text, nl=False)


@main.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.pass_context
def demo(context: click.Context) -> None:
    """Compile a text classifier, train it on real text, print its accuracy."""
    from mathdsl.demo.command import demo as command

    context.exit(command.main(context.args, prog_name="mathdsl demo", standalone_mode=False) or 0)


# ---- reading -------------------------------------------------------------------------------------


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


def _locate(source: str) -> tuple[str, str]:
    """The path of a source, and the class that is meant: `FILE`, `FILE.py:Class` or `package.module:Class`."""
    from mathdsl.source import find_module, split_class

    place, part = (source, "") if source == STREAM or Path(source).exists() else split_class(source)
    if not part or place.lower().endswith(".py"):
        return place, part
    found = find_module(place, ["", *sys.path])
    if found is None:
        raise Unusable(f"there is no module {place} on the import path")
    return str(found), part


def _read(path: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if path == STREAM else Path(path).read_bytes()
    except (OSError, ValueError) as problem:
        raise Unusable(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from problem


def _compile(paths: list[str], module: str | None, emit: Emit, stop_after: str | None) -> CompileResult:
    from mathdsl import api
    from mathdsl.diagnostics import Diagnostics
    from mathdsl.source import decode

    if stop_after is not None and stop_after not in api.PASS_NAMES:
        raise Unusable(f"there is no pass {stop_after}; the passes are {', '.join(api.PASS_NAMES)}")
    found = Diagnostics()
    places = [_locate(path) for path in paths]
    files: list[SourceFile] = [decode(path, _read(path), found, part) for path, part in places]
    if found.has_errors():
        return api.CompileResult(source="", diagnostics=tuple(found.items), symbols=(), files=tuple(files))
    try:
        return api.compile_files(files, module=module, emit=emit, stop_after=stop_after)
    except api.UnknownName as mistake:
        raise Unusable(str(mistake)) from mistake


def _without_prose(results: list[tuple[list[str], CompileResult]]) -> list[tuple[list[str], CompileResult]]:
    """Of a folder, files without a program are left out, unless there is nothing else."""
    programs = [(paths, result) for paths, result in results if [d.code for d in result.diagnostics] != ["E0107"]]
    return programs or results


# ---- writing -------------------------------------------------------------------------------------


def _draw(results: list[tuple[list[str], CompileResult]], *, with_notes: bool) -> None:
    """On standard error; the rules that decided something (notes) are for who asks, with `check`."""
    from mathdsl.diagnostics.drawing import draw_all

    for _, result in results:
        shown = [d for d in result.diagnostics if with_notes or d.severity != "note"]
        click.echo(draw_all(shown, result.files, color=_wants_color()), err=True, nl=False)


def _wants_color() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _output_path(paths: list[str], output: str, emit: Emit, of_folder: bool) -> str:
    if output == STREAM or not (of_folder or Path(output).is_dir()):
        return output
    stem = "module" if paths[0] == STREAM else Path(_locate(paths[0])[0]).stem
    return str(Path(output) / (stem + OUTPUT_SUFFIX[emit]))


def _write_all(texts: dict[str, str], sources: list[str]) -> None:
    read = {Path(_locate(source)[0]).resolve() for source in sources if source != STREAM}
    for target, text in texts.items():
        if target == STREAM:
            click.echo(text.encode(), nl=False)
            continue
        path = Path(target)
        if path.resolve() in read:
            raise Unusable(f"{target} would be written over its own source")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace_file(path, text)
        except OSError as problem:
            raise Unusable(f"cannot write {target}: {problem.strerror or problem}") from problem


def _replace_file(path: Path, text: str) -> None:
    """All or nothing where the target is an ordinary file; a device or a pipe is written as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
