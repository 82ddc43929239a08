"""LaTeX to PDF by the TeX engine that the machine has, shut in: no shell, no files outside its folder, no clock."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mathdsl.dataclass import dataclass
from mathdsl.render.write.latex.preamble import MARGINS

_NAME = "document"
_SECONDS = 30.0
_QUOTED = 200  # characters of a line
_PLAIN = ("-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape")

TellLine = Callable[[int], str]
"""Says in words where a line of the LaTeX text is, and quotes it."""
_FIRST_ERROR = re.compile(r"^(?:(?P<file>[^\n:]*\.[A-Za-z]+):(?P<line>\d+): (?P<named>[^\n]+)|! (?P<error>[^\n]+))$", re.MULTILINE)
_LATER_LINE = re.compile(r"^l\.(\d+)", re.MULTILINE)
_CULPRIT = re.compile(r"\n[^\n]*?(\\[A-Za-z@]+) *\n")
_UNDEFINED = "Undefined control sequence"
_MISSING = re.compile(r"File `(?P<file>[^']+?)(?:\.\w+)?' not found")
_OUTSIDE = re.compile(
    r"^(?:Overfull \\(?P<box>[hv])box \((?P<points>[\d.]+)pt too (?:wide|high)\)[^\n]*?(?:at lines? (?P<line>\d+)[^\n]*)?"
    r"|LaTeX Warning: Float too large for page by (?P<float>[\d.]+)pt on input line (?P<float_line>\d+)[^\n]*)$",
    re.MULTILINE,
)
_MARGINS = re.compile(rf"^{re.escape(MARGINS)} (?P<right>-?[\d.]+)pt (?P<bottom>-?[\d.]+)pt$", re.MULTILINE)
_PAGE = re.compile(r"(?:^|\s)\[(\d+)(?=[\]{\s])")


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
            log = _run(engine, folder, beside, tex, tell_line or partial(_quote_line, tex))
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


def _quote_line(tex: str, number: int) -> str:
    """A line of a text by its number."""
    return f"line {number}: `{tex.split(chr(10))[number - 1].strip()[:_QUOTED]}`"


def _run(engine: _Engine, folder: Path, beside: Path | None, tex: str, tell_line: TellLine) -> _Log:
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
    log = _Log((file.read_bytes() if file.exists() else output).decode("utf-8", "replace"), tex, f"{_NAME}.tex", tell_line)
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


# ---- the log ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Log:
    """A log, the LaTeX text that it is of, and the name that the engine knows that by."""

    text: str
    tex: str
    name: str
    tell_line: TellLine

    def first_error(self) -> str | None:
        """The engine's own words, and where it stopped."""
        found = _FIRST_ERROR.search(self.text)
        if found is None:
            return None
        message = found["named"] or found["error"]
        if found["file"] and found["file"].rpartition("/")[2] != self.name:
            return f"{message} ({found['file'].removeprefix('./')}:{found['line']})"
        number = found["line"]
        if number is None and (later := _LATER_LINE.search(self.text, found.end())):
            number = later[1]
        line = 0 if number is None else int(number)
        culprit = _CULPRIT.match(self.text, found.end())
        if message.startswith(_UNDEFINED) and culprit:
            message = f"{message.rstrip('.')} {culprit[1]}"
            line = self._find_command(culprit[1], line)
        elif missing := _MISSING.search(message):
            line = self._find_file(missing["file"], line)
        return message + self._place(line)

    def outside(self) -> str | None:
        """The first thing that the page has no room for: it would be cut, or not be there at all."""
        margins = _MARGINS.search(self.text)
        if margins is None:
            return None
        for found in _OUTSIDE.finditer(self.text):
            is_wide = found["box"] == "h"
            points = float(found["points"] or found["float"]) - max(0.0, float(margins["right" if is_wide else "bottom"]))
            if points > 0:
                shape, edge = ("wide", "right") if is_wide else ("high", "lower")
                line = found["line"] or found["float_line"]
                place = self._place(int(line)) if line else self._page(found.end())
                return f"something is too {shape} for the page: {points:.0f}pt would be lost beyond its {edge} edge{place}"
        return None

    def _find_command(self, command: str, line: int) -> int:
        """The line where a command is written, which may be before the one that uses it: a title is set later."""
        use = re.compile(re.escape(command) + r"(?![A-Za-z@])")
        lines = self.tex.split("\n")
        if 0 < line <= len(lines) and use.search(lines[line - 1]):
            return line
        return next((number for number, text in enumerate(lines, start=1) if use.search(text)), line)

    def _find_file(self, file: str, line: int) -> int:
        """The line that names a file; the engine has already read on, to see whether the line asks for a version."""
        named = re.compile(rf"(?<![\w-]){re.escape(file)}(?![\w-])")
        before = self.tex.split("\n")[:line]
        return next((number for number in range(len(before), 0, -1) if named.search(before[number - 1])), line)

    def _place(self, line: int) -> str:
        return f" ({self.tell_line(line)})" if 0 < line <= self.tex.count("\n") + 1 else ""

    def _page(self, position: int) -> str:
        """The page that is finished after a position of the log."""
        page = _PAGE.search(self.text, position)
        return f" (page {page[1]})" if page else ""
