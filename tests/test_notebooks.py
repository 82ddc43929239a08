"""The notebooks: as they are in git, and executed from top to bottom."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from ipykernel.kernelspec import write_kernel_spec
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from mathdsl.passes import PIPELINE

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
NAMES = [path.stem for path in NOTEBOOKS]
SHORTER = {"STEPS": 3, "SENTENCES": 300}  # what a cell with the tag `parameters` sets
FIRST, CLASSICS, BATCHES, INSIDE = NAMES


def read(name: str) -> NotebookNode:
    [path] = (path for path in NOTEBOOKS if path.stem == name)
    return nbformat.reads(path.read_text("utf-8"), as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="session")
def execute(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A function that executes a notebook once, on the interpreter of the tests, in an empty folder."""
    folder = tmp_path_factory.mktemp("notebooks")
    write_kernel_spec(folder / "kernels" / "python3")

    @cache
    def executed(name: str) -> NotebookNode:
        notebook = read(name)
        shorten(notebook)
        notebook.cells.append(new_code_cell("import sys; print(sys.executable)"))
        (folder / name).mkdir()
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder / name)}}).execute()
        assert not list((folder / name).iterdir()), "a notebook takes away what it writes"
        return notebook

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))  # where kernels are looked for first
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.delenv("MPLBACKEND", raising=False)
        yield executed


def shorten(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", ()):
            for name, value in SHORTER.items():
                cell.source, count = re.subn(rf"(?m)^{name} = \w+", f"{name} = {value}", cell.source)
                assert count == 1


def outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def output_of(notebook: NotebookNode, cell_id: str, kind: str) -> str:
    """What a cell shows, in one format."""
    [cell] = (cell for cell in notebook.cells if cell.id == cell_id)
    shown = [output.data[kind] for output in cell.outputs if kind in output.get("data", ())]
    assert shown, f"{cell_id} shows no {kind}: {cell.outputs}"
    return "\n".join(shown)


def printed(notebook: NotebookNode, cell_id: str) -> str:
    [cell] = (cell for cell in notebook.cells if cell.id == cell_id)
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


@pytest.mark.parametrize("name", NAMES)
def test_in_git_there_are_no_outputs(name: str) -> None:
    notebook = read(name)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None
    for cell in notebook.cells:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cell.id), "an id that somebody chose"
        assert set(cell.metadata) <= {"tags"}


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_from_top_to_bottom(name: str, execute: Any) -> None:
    notebook = execute(name)
    assert outputs(notebook)[-1].text.strip() == sys.executable
    for cell in code_cells(notebook):
        failures = [output for output in cell.outputs if output.output_type == "error"]
        assert bool(failures) == ("raises-exception" in cell.metadata.get("tags", ())), cell.source
        for output in cell.outputs:
            assert output.get("name") != "stderr", output.text
            assert "Traceback" not in str(output)


def test_the_first_module(execute: Any) -> None:
    notebook = execute(FIRST)
    typeset = output_of(notebook, "elman", "text/html")
    assert "<math" in typeset
    assert "<table" in typeset
    assert "<math" in output_of(notebook, "instance", "text/html")
    assert output_of(notebook, "by-hand", "text/plain") == "True"
    assert "class Mean(torch.nn.Module)" in output_of(notebook, "annotate", "text/plain")
    assert "h_{t-1}" in output_of(notebook, "error", "text/plain"), "the help"
    assert "[3.0000]" in printed(notebook, "import")
    assert [int(share) for share in re.findall(r"(\d+)% right", printed(notebook, "learning"))][-1] > 90


def test_the_five_classics(execute: Any) -> None:
    notebook = execute(CLASSICS)
    assert output_of(notebook, "training", "text/html").count("<progress max=3 value=3>") == 5
    table = output_of(notebook, "measure", "text/markdown")
    assert table.count("unigram: perplexity") == 4
    assert table.count("majority: accuracy") == 1
    for picture in ("curves", "attention-map", "state-over-time", "belief"):
        assert output_of(notebook, picture, "image/png")


def test_batches_and_ragged_lengths(execute: Any) -> None:
    notebook = execute(BATCHES)
    for law in ("law", "ragged-law"):
        [difference] = re.findall(r"largest difference: (\S+)", printed(notebook, law))
        assert float(difference) < 1e-6
    table = output_of(notebook, "nan", "text/markdown")
    assert table.count("the same") == 14
    assert "DIFFERENT" not in table
    assert "refused: lengths: S must lie in 0 .. 12, got 2 .. 13" in printed(notebook, "edge")
    assert "_lengths(lengths" in output_of(notebook, "code", "text/html")
    for picture in ("ragged-picture", "two-sizes-picture", "speed"):
        assert output_of(notebook, picture, "image/png")


def test_inside_the_compiler(execute: Any) -> None:
    notebook = execute(INSIDE)
    changed = output_of(notebook, "passes", "text/html") + output_of(notebook, "other-program", "text/html")
    table = output_of(notebook, "examples", "text/markdown")
    for name in re.findall(r"`(\w+)`", table):
        has_work = re.search(rf"`{name}` .*\d", table)
        assert has_work or f"<code>{name}</code>" in changed, f"no program shows what {name} does"
    assert "z_t \\gets" in output_of(notebook, "map", "text/markdown")
    differences = re.findall(r"largest difference (\S+)", printed(notebook, "check"))
    assert len(differences) == len(PIPELINE) + 1
    assert max(map(float, differences)) < 1e-12
