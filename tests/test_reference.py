"""The reference: its programs compile, its numbers are computed, its tables are those of the compiler, and words find its sections."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from browser import CHROMIUM, start_browser
from click.testing import CliRunner, Result
from reference.making import FOLDER, made

import mathdsl
from mathdsl.api import compile_files
from mathdsl.cli import main
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS
from mathdsl.reference.pages import ORDER, list_sections, read
from mathdsl.reference.site import write_site
from mathdsl.spans import SourceFile

FENCE = re.compile(r"^```(\w+)(?: (\w+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WITH_PROGRAMS = [name for name in ORDER if "```mathdsl" in read(name) and name != "readings"]  # tests/test_readings.py holds that page


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_the_pages_are_those_of_the_list() -> None:
    assert {*ORDER} - {"readings"} == {path.stem for path in FOLDER.glob("*.md")}


@pytest.mark.parametrize("name", WITH_PROGRAMS)
def test_programs_compile_and_numbers_are_computed(name: str) -> None:
    result = mathdsl.compile(FOLDER / f"{name}.md")
    told = [one for one in result.diagnostics if one.severity != "note"]
    assert told == [], [one.message for one in told]
    names = {**vars(result.load()), "torch": torch, "mathdsl": mathdsl}
    examples = "\n".join(text for language, _, text in FENCE.findall(read(name)) if language == "pycon")
    test = doctest.DocTestParser().get_doctest(examples, names, name, None, None)
    torch.manual_seed(0)
    assert doctest.DocTestRunner().run(test).failed == 0


REFUSED = [(name, code, text) for name in WITH_PROGRAMS for _, code, text in FENCE.findall(read(name)) if code]


@pytest.mark.parametrize(("name", "code", "text"), REFUSED, ids=lambda value: str(value)[:12])
def test_what_is_shown_as_refused_is_refused(name: str, code: str, text: str) -> None:
    found = compile_files([SourceFile("page.md" if code == "E0107" else "page.tex", text)]).diagnostics
    assert [one.code for one in found if one.severity == "error"] == [code], name


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_what_is_made_is_as_the_compiler_says(path: Path, request: pytest.FixtureRequest) -> None:
    """`--update-golden`, or `python -m tests.reference`, makes it anew."""
    text = path.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        path.write_text(made(text), encoding="utf-8")
    else:
        assert made(text) == text


def test_the_python_page_runs() -> None:
    [code] = [text for language, _, text in FENCE.findall(read("python")) if language == "python"]
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert result.stdout == "torch.Size([5, 2])\n", result.stderr


@pytest.mark.parametrize(
    ("topic", "title"),
    {
        "mask": "## Causal attention",
        "sum over": "## Sums",
        "concat": "## Two vectors in brackets",
        "softmax": "| `\\softmax(x)` | `torch.softmax(x, -1)` |",
        r"\softmax": "## Functions of a whole axis",
        "padding": "## Examples of different lengths",
        "learning rate": "## Epsilon, alpha, beta: numbers that someone chooses",
        "embedding": "## Tokens",
        "downto": "## Loops that go down",
        "buffer": "## Words",
        "broadcasting": "## Shapes that go together",
        "initialisers": "## Initialisers",
        "if": "## Cases",
        "e0301": "error E0301: a name that nothing declares",
        "while": "## Loops that end by themselves",
        "sampling": "## Noise",
        "batch": "## One example, any number of them",
        "LayerNorm": r"| `\mathrm{LayerNorm}(n)` |",
        "operator precedence": "## What binds how",
        "compile": "## mathdsl compile",
        "jupyter": "## Notebooks",
        "elman": "## The five of the demo",
    }.items(),
)
def test_words_that_people_use_find_their_section(topic: str, title: str) -> None:
    result = run("help", *topic.split())
    assert result.exit_code == 0, result.output
    assert title in result.stdout
    assert "<!--" not in result.stdout


ROWS = [(row.name, one) for table in (ELEMENTWISE, ALONG, REDUCTIONS) for row in table.values() for one in row.notations]


@pytest.mark.parametrize(("name", "notation"), ROWS, ids=lambda value: str(value))
def test_every_function_is_found(name: str, notation: str) -> None:
    assert re.search(rf"^\| `.*\b{notation}\b", run("help", notation).stdout, re.MULTILINE | re.IGNORECASE), name


def test_every_word_finds_something_and_belongs_to_few_sections() -> None:
    for section in list_sections():
        for word in section.words:
            assert sum(word in other.words for other in list_sections()) <= 5, word


def test_pages_are_listed_and_printed() -> None:
    assert [line.split()[0] for line in run("help").stdout.splitlines() if line.startswith("  ")] == [*ORDER]
    assert run("help", "batches").stdout.startswith("# Batches and lengths\n")
    assert run("help", "readings").stdout == run("explain", "readings").stdout


def test_what_is_nowhere_is_told_with_what_is_near() -> None:
    result = run("help", "sofmax")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the reference says nothing about `sofmax`; did you mean `softmax`" in result.stderr
    assert "`mathdsl help softmax` looks in the reference" in run("explain", "softmax").stderr


def test_help_never_imports_torch_or_the_compiler() -> None:
    code = (
        "import sys; from mathdsl.reference.pages import find; find('mask'); print(sorted({'torch', 'sympy', 'lark'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert len(list(write_site(folder))) > len(ORDER)
    return folder


def test_the_pages_of_the_site_link_only_what_is_there(site: Path) -> None:
    for page in site.rglob("*.html"):
        links = re.findall(r'href="([^"#:]+\.html)', page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == []
    index = (site / "index.html").read_text(encoding="utf-8")
    assert len(set(re.findall(r'href="([\w-]+\.html)"', index))) == len(ORDER)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_site_fits_a_narrow_window(site: Path) -> None:
    with start_browser() as browser:
        for name in ("index", "functions", "gallery"):
            with browser.page(site / f"{name}.html", width=380) as page:
                assert page.evaluate("document.documentElement.scrollWidth") <= 380
                assert page.complaints() == []


def test_new_begins_a_document_that_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["mine"], ["other.tex", "--from", "rhn"]):
        made = run("new", *arguments)
        assert made.exit_code == 0, made.output
    assert mathdsl.compile(tmp_path / "mine.tex").ok
    assert "highway" in (tmp_path / "other.tex").read_text(encoding="utf-8")
    again = run("new", "mine")
    assert again.exit_code == 2
    assert "mine.tex" in again.stderr
    unknown = run("new", "third", "--from", "nothing")
    assert unknown.exit_code == 2
    assert "elman" in unknown.stderr
    assert not (tmp_path / "third.tex").exists()
