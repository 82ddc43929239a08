"""LaTeX to PDF by the TeX engine that the machine has, shut in: no shell, no files outside its folder, no clock."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mathdsl.render.engine_log import Log, TellLine

_NAME = "document"
_SECONDS = 30.0
_QUOTED = 200  # characters of a line
_PLAIN = ("-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape")


@dataclass(frozen=True, slots=True)
class _Engine:
    """A TeX engine; `runs`: how often it has to read a document until its references are right."""

    command: str
    options: tuple[str, ...]
    runs: int


_ENGINES = (
    _Engine("pdflatex", _PLAIN, 2),
    _Engine("xelatex", _PLAIN, 2),
    _Engine("lualatex", (*_PLAIN, "--nosocket"), 2),
    _Engine("tectonic", ("--untrusted", "--keep-logs"), 1),
)


class NoEngine(Exception):
    """There is no TeX engine; the message says what to install."""


class EngineError(Exception):
    """The engine failed or left something out; the message is its own first error and says where it stands."""


def make_pdf(tex: str, beside: Path | None = None, tell_line: TellLine | None = None) -> bytes:
    """The PDF file of a LaTeX document, the same bytes for the same text and the same engine.

    `beside`: the folder in which the files that the text names are looked for; `tell_line` says where a line of the
    text comes from. Raises `NoEngine` and `EngineError`.
    """
    engine = _find_engine()
    with tempfile.TemporaryDirectory(prefix="mathdsl-") as name:
        folder = Path(name)
        (folder / f"{_NAME}.tex").write_text(tex, encoding="utf-8", errors="replace")
        for _ in range(engine.runs):
            log = _run(engine, folder, beside, tex, tell_line or partial(quote_line, tex))
        if lost := log.outside():
            raise EngineError(lost)
        try:
            return (folder / f"{_NAME}.pdf").read_bytes()
        except FileNotFoundError:
            raise EngineError(f"{engine.command}: the document has no page") from None


def _find_engine() -> _Engine:
    for engine in _ENGINES:
        if shutil.which(engine.command):
            return engine
    raise NoEngine(
        "a PDF file needs a TeX engine, and none of pdflatex, xelatex, lualatex and tectonic is here; install one: "
        "`apt install texlive-latex-recommended texlive-science` (Debian, Ubuntu), "
        "`dnf install texlive-scheme-medium` (Fedora), MacTeX (macOS), MiKTeX (Windows); or render to .tex, .html or .md"
    )


def quote_line(tex: str, number: int) -> str:
    """A line of a text by its number."""
    return f"line {number}: `{tex.split(chr(10))[number - 1].strip()[:_QUOTED]}`"


def _run(engine: _Engine, folder: Path, beside: Path | None, tex: str, tell_line: TellLine) -> Log:
    command = [engine.command, *engine.options, f"{_NAME}.tex"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(folder, beside),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineError(f"{engine.command} did not end within {_SECONDS:.0f} seconds") from None
    except OSError as error:
        raise EngineError(f"{engine.command} cannot be run: {error.strerror}") from None
    output = done.stdout + done.stderr
    file = folder / f"{_NAME}.log"
    log = Log((file.read_bytes() if file.exists() else output).decode("utf-8", "replace"), tex, f"{_NAME}.tex", tell_line)
    if done.returncode:
        raise EngineError(f"{engine.command}: {log.first_error() or _last_line(output)}")
    return log


def _environment(folder: Path, beside: Path | None) -> dict[str, str]:
    """The machine's own, and what shuts the engine in: it writes in its folder alone, and opens no file by a path out of it."""
    shut = {"openin_any": "p", "openout_any": "p", "TEXMFOUTPUT": str(folder), "max_print_line": "1000"}
    paths = os.pathsep.join([".", *([] if beside is None else [str(beside.resolve())]), os.environ.get("TEXINPUTS", "")])
    return {**os.environ, **shut, "TEXINPUTS": paths, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "0")}


def _last_line(output: bytes) -> str:
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else "it failed without a word"
