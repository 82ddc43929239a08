"""Documents for the tests of writers: compiled, run through a TeX engine in a temporary folder, read by a reader.

run = run_tex(text)
assert run.complaints() == []
assert "words" in run.shown
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from mathdsl.api import compile_files
from mathdsl.render.typeset import Compiled
from mathdsl.spans import SourceFile

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.tex"))
PACKAGE = Path(__file__).parent.parent / "mathdsl" / "render" / "tex" / "mathdsl.sty"
ENGINE = "pdflatex"
MOST_OVERFULL = 10.0
_NEEDED = ("amsmath.sty", "algpseudocode.sty", "hyperref.sty", "longtable.sty")

_ERROR = re.compile(r"^(?:!|\S+?:\d+:) .*(?:\n(?!\n).*){0,6}", re.MULTILINE)
_OVERFULL = re.compile(r"Overfull \\[hv]box \((\d+(?:\.\d+)?)pt too (?:wide|high)\)[^\n]*")
_COMPLAINTS = (
    re.compile(r"Missing character: [^\n]*"),
    re.compile(r"(?:Reference|Citation) `[^']*'[^.]*undefined"),
    re.compile(r"[^\n]*multiply.defined[^\n]*"),
    re.compile(r"Command \S+ invalid in math mode"),
)
_NAME = re.compile(r"^mathdsl: taken for a name: (\S+)$", re.MULTILINE)


def _is_installed() -> bool:
    if shutil.which(ENGINE) is None or shutil.which("kpsewhich") is None:
        return False
    found = subprocess.run(["kpsewhich", *_NEEDED], capture_output=True, text=True, check=False).stdout.split()
    return len(found) == len(_NEEDED)


needs_tex = pytest.mark.skipif(
    not _is_installed(), reason="no TeX engine: Debian's texlive-latex-recommended and texlive-science are not installed"
)


def compiled(text: str, name: str = "model.tex") -> Compiled:
    """A document that has no mistake."""
    result = compile_files([SourceFile(name, text)])
    assert result.ok, [diagnostic.message for diagnostic in result.diagnostics]
    assert result.reading is not None
    assert result.document is not None
    return Compiled(result.reading, result.document, result.symbols, result.lines, result.source)


@dataclass(frozen=True)
class TexRun:
    """What came of a document: the log of the last run, the PDF (empty where there is none), and the file of references."""

    log: str
    pdf: bytes
    references: str

    @property
    def names(self) -> list[str]:
        """Commands that nothing defines and that were set as names."""
        return sorted(set(_NAME.findall(self.log)))

    @property
    def shown(self) -> str:
        """What a reader reads, line by line."""
        if shutil.which("pdftotext") is None:
            pytest.skip("poppler-utils is not installed")
        if not self.pdf:
            return ""
        done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=self.pdf, capture_output=True, timeout=60, check=True)
        return done.stdout.decode("utf-8")

    def complaints(self, *, with_overfull: bool = True) -> list[str]:
        """Everything that a reader would see; boxes that are a little too wide are left out."""
        found = _ERROR.findall(self.log)
        found += [match[0] for match in _OVERFULL.finditer(self.log) if with_overfull and float(match[1]) > MOST_OVERFULL]
        for pattern in _COMPLAINTS:
            found += pattern.findall(self.log)
        return found if self.pdf else [*found, f"no pages: {self.log[-2000:]}"]


def run_tex(document: str, *, with_package: bool = False, runs: int = 2) -> TexRun:
    """The document after `runs` runs, beside mathdsl.sty if it is to have that."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if with_package:
            shutil.copy(PACKAGE, folder)
        (folder / "document.tex").write_text(document, encoding="utf-8")
        command = [ENGINE, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape", "document.tex"]
        environment = {"max_print_line": "10000", "TEXMFVAR": name, "HOME": name, "PATH": _path()}
        for _ in range(runs):
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, check=False)
        log, pdf, references = (folder / f"document.{ending}" for ending in ("log", "pdf", "aux"))
        return TexRun(_read(log), pdf.read_bytes() if pdf.exists() else b"", _read(references))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _path() -> str:
    engine = shutil.which(ENGINE)
    assert engine is not None
    return f"{Path(engine).parent}:/usr/bin:/bin"
