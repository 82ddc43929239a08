"""The page of a code: a wrong program that gives that code first, and a right one that gives no error and not that code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mathdsl.api import compile_files
from mathdsl.diagnostics import CATALOGUE, InternalError, catalogue, error
from mathdsl.diagnostics.catalogue import read_row
from mathdsl.spans import SourceFile, Span

PROGRAM = re.compile(r"^(`{3,})(\w+) (wrong|right)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
SUFFIXES = {"latex": "tex", "python": "py", "markdown": "md", "json": "ipynb"}
OF_CLASSES = {"E0118": "Cell"}  # of `mathdsl compile FILE.py:Class`
WITHOUT_PROGRAMS = {"E0101": "bytes that no text holds", "E0102": "bytes that no text holds", "N0102": "what a run shows"}


@pytest.mark.parametrize("code", [code for code in CATALOGUE if code not in WITHOUT_PROGRAMS])
def test_the_wrong_program_gives_the_code_and_the_right_one_compiles(code: str, tmp_path: Path) -> None:
    programs = PROGRAM.findall(CATALOGUE[code].explanation)
    assert [kind for *_, kind, _ in programs] == ["wrong", "right"]
    wrong, right = (found_in(tmp_path / f"model.{SUFFIXES[language]}", code, text) for _, language, _, text in programs)
    errors = [found for found in wrong if found.startswith("E")]
    assert (errors[0] == code) if code.startswith("E") else (not errors and code in wrong)
    assert not [found for found in right if found.startswith("E") or found == code]


def found_in(file: Path, code: str, text: str) -> list[str]:
    file.write_text(text, encoding="utf-8")
    return [one.code for one in compile_files([SourceFile(str(file), text, OF_CLASSES.get(code, ""))]).diagnostics]


@pytest.mark.parametrize("code", WITHOUT_PROGRAMS)
def test_a_page_without_programs_shows_something_else(code: str) -> None:
    assert not PROGRAM.search(CATALOGUE[code].explanation)
    assert "\n```" in CATALOGUE[code].explanation


def test_a_diagnostic_is_built_without_its_page() -> None:
    read_row.cache_clear()
    assert error("E0401", "shapes differ", Span("-", 0, 1)).severity == "error"
    assert "E0401" in CATALOGUE
    assert read_row.cache_info().currsize == 0
    assert CATALOGUE["E0401"].title == "shapes that do not fit"
    assert read_row.cache_info().currsize == 1


def test_a_page_without_its_title_is_our_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "E0401.md").write_text("# warning E0401: shapes\n\nThey differ.\n", encoding="utf-8")
    monkeypatch.setattr(catalogue, "_PAGES", tmp_path)
    read_row.cache_clear()
    with pytest.raises(InternalError, match="E0401"):
        read_row("E0401")


def test_no_page_is_read_at_the_start() -> None:
    code = (
        "import mathdsl.cli, mathdsl.diagnostics.catalogue as c; print(*[f.cache_info().currsize for f in (c.read_row, c.list_severities)])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent)
    assert ran.stdout.split() == ["0", "0"]
