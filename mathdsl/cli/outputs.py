"""What a command writes: findings, texts and files, the files all or nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mathdsl.cli.errors import Unusable
from mathdsl.cli.inputs import STREAM, locate

if TYPE_CHECKING:
    from mathdsl.result import CompileResult


def draw(results: Sequence[tuple[tuple[str, ...], CompileResult]], *, with_notes: bool) -> None:
    """On standard error; `-q` leaves out the notes, which tell what rules decided."""
    from mathdsl.diagnostics.drawing import draw_all

    for _, result in results:
        shown = [d for d in result.diagnostics if with_notes or d.severity != "note"]
        click.echo(draw_all(shown, result.files, color=_wants_color()), err=True, nl=False)


def _wants_color() -> bool:
    is_terminal = sys.stderr is not None and sys.stderr.isatty()  # None: somebody closed it
    return is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def output_path(paths: Sequence[str], output: str, suffix: str, of_folder: bool) -> str:
    """Where the output of a document goes; in a folder, under the name of the document."""
    if not output:
        raise Unusable("-o names no file")
    if output == STREAM or not (of_folder or Path(output).is_dir()):
        return output
    stem = "module" if paths[0] == STREAM else Path(locate(paths[0])[0]).stem
    return str(Path(output) / (stem + suffix))


def keep_what_others_wrote(targets: Sequence[str]) -> None:
    """Refuse to write a module over a file that is none: what mathdsl has generated holds `__mathdsl__`."""
    for path in (Path(target) for target in targets if target != STREAM):
        with _told(path):
            if path.is_file() and (held := path.read_bytes()) and b"__mathdsl__" not in held:
                raise Unusable(f"{path} is not of mathdsl's own making: name another file, or write over it with --force")


def write_all(outputs: Sequence[tuple[str, bytes]], sources: Sequence[str], *, parents: bool = False) -> None:
    """Write each output to its target, into a new folder only with `parents`; none over a source, and no two to one place."""
    read = {os.path.realpath(locate(source)[0]) for source in sources if source != STREAM}
    targets = [target for target, _ in outputs]
    for target in targets:
        if target != STREAM and targets.count(target) > 1:
            raise Unusable(f"two inputs would be written to {target}")
        if target != STREAM and os.path.realpath(target) in read:
            raise Unusable(f"{target} would be written over its own source")
        if target != STREAM and not parents and not Path(target).parent.is_dir():
            raise Unusable(f"there is no folder {Path(target).parent}: make it, or give --parents")
    _write_files([(Path(target), data) for target, data in outputs if target != STREAM])
    for target, data in outputs:
        if target == STREAM:
            click.echo(data, nl=False)


def _write_files(outputs: Sequence[tuple[Path, bytes]]) -> None:
    """All or nothing: every text lies on the disk before the first one takes its place."""
    written: list[tuple[Path, Path]] = []
    try:
        for path, data in outputs:
            with _told(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.exists() and not path.is_file():
                    path.write_bytes(data)  # a device or a pipe is written as it is
                    continue
                beside = path.with_name(path.name + ".part")
                written.append((beside, path))
                beside.write_bytes(data)
        for beside, path in written:
            with _told(path):
                beside.replace(path)
    finally:
        for beside, path in written:
            with _told(path):
                beside.unlink(missing_ok=True)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise Unusable(f"cannot write {path}: {problem.strerror or problem}") from problem
