"""Runs a TeX engine on a document in a temporary folder and says what it complained about.

result = typeset(text)
assert not result.complaints()
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "mathdsl" / "render" / "tex" / "mathdsl.sty"
ENGINE = "pdflatex"
_NEEDED = ("amsmath.sty", "algpseudocode.sty", "hyperref.sty")

_ERROR = re.compile(r"^(?:!|\S+?:\d+:) .*(?:\n(?!\n).*){0,6}", re.MULTILINE)
_OVERFULL = re.compile(r"Overfull \\[hv]box \((\d+(?:\.\d+)?)pt too (?:wide|high)\)[^\n]*")
_MISSING = re.compile(r"Missing character: [^\n]*")
_UNDEFINED = re.compile(r"(?:Reference|Citation) `[^']*'[^.]*undefined")
_IN_MATH = re.compile(r"Command \S+ invalid in math mode")
_NAME = re.compile(r"^mathdsl: taken for a name: (\S+)$", re.MULTILINE)


def _is_installed() -> bool:
    if shutil.which(ENGINE) is None or shutil.which("kpsewhich") is None:
        return False
    found = subprocess.run(["kpsewhich", *_NEEDED], capture_output=True, text=True, check=False).stdout.split()
    return len(found) == len(_NEEDED)


needs_tex = pytest.mark.skipif(
    not _is_installed(), reason="no TeX engine: Debian's texlive-latex-recommended and texlive-science are not installed"
)


@dataclass(frozen=True)
class Typeset:
    """What came of a document: the log of the last run, the PDF (empty where there is none), and the file of references."""

    log: str
    pdf: bytes
    references: str

    @property
    def errors(self) -> list[str]:
        return _ERROR.findall(self.log)

    @property
    def overfull(self) -> list[tuple[float, str]]:
        """How many points each overfull box sticks out, and what TeX says of it."""
        return [(float(match[1]), match[0]) for match in _OVERFULL.finditer(self.log)]

    @property
    def names(self) -> list[str]:
        """Commands that nothing defines and that were set as names."""
        return sorted(set(_NAME.findall(self.log)))

    def complaints(self, most_overfull: float = 10.0) -> list[str]:
        """Everything that a reader would see."""
        found = [*self.errors, *(text for points, text in self.overfull if points > most_overfull)]
        for pattern in (_MISSING, _UNDEFINED, _IN_MATH):
            found += pattern.findall(self.log)
        return found if self.pdf else [*found, f"no pages: {self.log[-2000:]}"]


def typeset(document: str, files: Mapping[str, str] | None = None, runs: int = 2, engine: str = ENGINE) -> Typeset:
    """The document after `runs` runs, beside mathdsl.sty and the other files given."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(PACKAGE, folder)
        for path, text in {**(files or {}), "document.tex": document}.items():
            (folder / path).write_text(text, encoding="utf-8")
        command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape", "document.tex"]
        environment = {"max_print_line": "10000", "TEXMFVAR": name, "HOME": name, "PATH": _path()}
        for _ in range(runs):
            subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, check=False)
        log, pdf, references = (folder / f"document.{ending}" for ending in ("log", "pdf", "aux"))
        return Typeset(
            log.read_text(encoding="utf-8", errors="replace") if log.exists() else "",
            pdf.read_bytes() if pdf.exists() else b"",
            references.read_text(encoding="utf-8", errors="replace") if references.exists() else "",
        )


def read_text(pdf: bytes) -> str | None:
    """What a reader reads, line by line; None where poppler's pdftotext is not installed."""
    if shutil.which("pdftotext") is None:
        return None
    done = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, timeout=60, check=True)
    return done.stdout.decode("utf-8")


def _path() -> str:
    engine = shutil.which(ENGINE)
    assert engine is not None
    return f"{Path(engine).parent}:/usr/bin:/bin"
