"""Documents for the tests of writers: compiled, typeset, run through TeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mathdsl.api import compile_files
from mathdsl.render.typeset import Compiled
from mathdsl.spans import SourceFile

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.tex"))
needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
_COMPLAINTS = re.compile(
    r"^(!.*|.*[Uu]ndefined.*|Missing character.*|.*multiply.defined.*|Overfull \\[hv]box \((?P<points>[\d.]+)pt.*)$", re.MULTILINE
)


def compiled(text: str, name: str = "model.tex") -> Compiled:
    """A document that has no mistake."""
    result = compile_files([SourceFile(name, text)])
    assert result.ok, [diagnostic.message for diagnostic in result.diagnostics]
    assert result.reading is not None
    assert result.document is not None
    return Compiled(result.reading, result.document, result.symbols, result.lines, result.source)


def run_tex(tex: str, folder: Path) -> tuple[list[str], str]:
    """What TeX complains of, boxes up to 10pt too wide left out, and the words that the pages show."""
    (folder / "it.tex").write_text(tex, encoding="utf-8")
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "it.tex"]
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "it.log").read_text(encoding="utf-8", errors="replace")
    complaints = [match[0] for match in _COMPLAINTS.finditer(log) if match["points"] is None or float(match["points"]) > 10]
    subprocess.run(["pdftotext", "-layout", "it.pdf", "it.txt"], cwd=folder, check=False, timeout=60)
    shown = folder / "it.txt"
    return complaints, shown.read_text(encoding="utf-8") if shown.exists() else ""
