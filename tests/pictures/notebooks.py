"""The notebooks, executed and seen as their readers see them."""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import partial
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from PIL import Image

from mathdsl.render.write.html.mathematics import latex_formula
from tests.pictures.layout import columns
from tests.pictures.picture import ROOT, Picture, photograph

SECONDS = 900  # that a cell may take
WIDTH, COLUMNS, HEIGHT = 960, 2, 2300
_FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$\n`]+)\$", re.DOTALL)
_LOADED = re.compile(r"<script[^>]*\ssrc=[^>]*>\s*</script>|<link[^>]*\shref=\"http[^>]*>")


def draw_notebook(file: Path) -> Image.Image:
    """A notebook, executed in a copy of its folder, then as HTML."""
    notebook = nbformat.read(file, as_version=4)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(file.parent, folder / "notebooks")
        NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(folder / "notebooks")}}).execute()
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = _FORMULA.sub(_with_mathml, cell.source)
        body, _ = HTMLExporter().from_notebook_node(notebook)
        page = folder / f"{file.stem}.html"
        page.write_text(_LOADED.sub("", body), encoding="utf-8")
        return columns(photograph(page, width=WIDTH), COLUMNS, HEIGHT)


def _with_mathml(formula: re.Match[str]) -> str:
    """Where no network is, nothing is asked of it: the formulas of the text become MathML here, not by MathJax."""
    return latex_formula(formula["display"] or formula["inline"], display=formula["display"] is not None)


def _picture(file: Path) -> Picture:
    return Picture(file.stem, file.stem, partial(draw_notebook, file))


NOTEBOOKS = tuple(_picture(file) for file in sorted((ROOT / "notebooks").glob("*.ipynb")))
