"""LaTeX to PDF by the TeX engine that the machine has, shut in: no shell, no files outside its folder, no clock."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_NAME = "document"
_SECONDS = 120.0
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
_FIRST_ERROR = re.compile(r"^(?:[^\n:]*\.tex:(?P<line>\d+): (?P<named>[^\n]+)|! (?P<error>[^\n]+))$", re.MULTILINE)
_LATER_LINE = re.compile(r"^l\.(\d+)", re.MULTILINE)


class NoEngine(Exception):
    """There is no TeX engine; the message says what to install."""


class EngineError(Exception):
    """The engine failed; the message is its own first error, with the line of the LaTeX text where it stands."""


def make_pdf(tex: str, beside: Path | None = None) -> bytes:
    """The PDF file of a LaTeX document, the same bytes for the same text and the same engine.

    `beside`: the folder in which the files that the text names are looked for. Raises `NoEngine` and `EngineError`.
    """
    engine = _find_engine()
    with tempfile.TemporaryDirectory(prefix="mathdsl-") as name:
        folder = Path(name)
        (folder / f"{_NAME}.tex").write_text(tex, encoding="utf-8")
        for _ in range(engine.runs):
            _run(engine, folder, tex, beside)
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


def _run(engine: _Engine, folder: Path, tex: str, beside: Path | None) -> None:
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
    if done.returncode:
        raise EngineError(f"{engine.command}: {_first_error(folder, done.stdout + done.stderr, tex)}")


def _environment(folder: Path, beside: Path | None) -> dict[str, str]:
    """The machine's own, and what shuts the engine in: it writes in its folder alone, and opens no file by a path out of it."""
    shut = {"openin_any": "p", "openout_any": "p", "TEXMFOUTPUT": str(folder), "max_print_line": "1000"}
    paths = os.pathsep.join([".", *([] if beside is None else [str(beside.resolve())]), os.environ.get("TEXINPUTS", "")])
    return {**os.environ, **shut, "TEXINPUTS": paths, "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "0")}


def _first_error(folder: Path, output: bytes, tex: str) -> str:
    """The engine's own words, and the line of the text that it stopped at."""
    log = folder / f"{_NAME}.log"
    text = (log.read_bytes() if log.exists() else output).decode("utf-8", "replace")
    found = _FIRST_ERROR.search(text)
    if found is None:
        last = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
        return last[-1] if last else "it failed without a word"
    number = found["line"]
    if number is None and (later := _LATER_LINE.search(text, found.end())):
        number = later[1]
    message = found["named"] or found["error"]
    lines = tex.split("\n")
    if number is None or not 0 < int(number) <= len(lines):
        return message
    return f"{message} (line {number}: `{lines[int(number) - 1].strip()[:200]}`)"
