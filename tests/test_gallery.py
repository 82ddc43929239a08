"""Every spec of the gallery against its mathematics: alone, in a batch, and in a batch of different lengths."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples_loader import EXAMPLES, SPECS
from gallery import checks
from gallery.case import Case
from gallery.cases import CASES

import mathdsl

GALLERY = sorted({case.spec for case in CASES})
every_case = pytest.mark.parametrize("case", CASES, ids=str)


def compiled(spec: str) -> mathdsl.CompileResult:
    return checks.compiled(EXAMPLES / f"{spec}.tex")


@pytest.mark.parametrize("spec", GALLERY)
def test_the_generated_file_is_up_to_date(spec: str, request: pytest.FixtureRequest) -> None:
    result = compiled(spec)
    assert result.diagnostics == ()
    golden = EXAMPLES / f"{spec}.py"
    if request.config.getoption("--update-golden"):
        golden.write_text(result.source, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == result.source


@every_case
def test_one_example(case: Case) -> None:
    checks.assert_one_example(case)


@every_case
def test_a_batch_is_its_examples(case: Case) -> None:
    checks.assert_equal_batch(case)


@pytest.mark.parametrize("case", [case for case in CASES if len(case.lengths) > 1], ids=str)
def test_a_ragged_batch_is_its_examples(case: Case) -> None:
    checks.assert_ragged_batch(case)


def test_every_example_has_a_case() -> None:
    found = {path.relative_to(EXAMPLES).with_suffix("").as_posix() for path in EXAMPLES.rglob("*.tex")}
    assert found == {*GALLERY, *SPECS}


@pytest.mark.parametrize("spec", GALLERY)
def test_a_spec_says_what_it_is_and_where_it_comes_from(spec: str) -> None:
    text = (EXAMPLES / f"{spec}.tex").read_text(encoding="utf-8")
    assert re.search(r"^\\title\{\w.+\}$", text, re.M)
    before = text.partition("\\maketitle")[2].partition("\\begin{")[0]
    prose = [paragraph for paragraph in before.split("\n\n") if len(paragraph.split()) >= 12]
    assert len(prose) >= 2, "the idea, then the source"
    assert re.search(r"\\emph\{[^}]+\}[^\\]*\b(19|20)\d\d\b", text), "a paper's title and its year"
    bare = {row.symbol for row in compiled(spec).symbols if not row.description}
    assert not bare & {row.symbol for row in compiled(spec).symbols if row.kind not in ("value", "submodule")}, "each has a description"


def run_tool(*arguments: str) -> None:
    files = [str(EXAMPLES / f"{spec}.py") for spec in GALLERY]
    done = subprocess.run([sys.executable, "-m", *arguments, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_ruff_accepts_the_generated_files() -> None:
    run_tool("ruff", "check", "--isolated", "--select", "E4,E7,E9,F", "--ignore", "E741")
    run_tool("ruff", "format", "--isolated", "--check")


def test_a_strict_type_checker_accepts_the_generated_files(tmp_path: Path) -> None:
    run_tool("mypy", "--strict", "--config-file", "/dev/null", "--cache-dir", str(tmp_path))
