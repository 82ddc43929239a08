"""The README and the guide for contributors: what they show is what happens, what they name exists."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import mathdsl
from mathdsl.cli.inputs import SUFFIXES

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def excerpt(source: str) -> str:
    """Of the generated class: its constructor, and its forward from the first line of mathematics on; `...` for the rest."""
    lines = source.splitlines()
    [node] = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    constructor, forward = (
        next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == name) for name in ("__init__", "forward")
    )
    signature = lines[forward.lineno - 1 : forward.body[0].lineno - 1]
    mathematics = lines[forward.body[0].lineno - 1 : forward.end_lineno]
    start = next(number for number, line in enumerate(mathematics) if r"\gets" in line)
    shown = [lines[node.lineno - 1], "    ...", "", *lines[constructor.lineno - 1 : constructor.end_lineno], "", "    ...", ""]
    return "\n".join([*shown, *signature, "        ...", *mathematics[start:]]) + "\n"


def test_the_formula_becomes_the_class_that_is_shown(request: pytest.FixtureRequest) -> None:
    result = mathdsl.compile(blocks(README, "latex")[0])
    assert result.ok, [d.message for d in result.diagnostics]
    shown, made = blocks(README, "python")[0], excerpt(result.source)
    if request.config.getoption("--update-golden"):
        (ROOT / "README.md").write_text(README.replace(f"```python\n{shown}", f"```python\n{made}", 1), encoding="utf-8")
    else:
        assert shown == made


def test_the_pass_leaves_the_equations_that_are_shown(tmp_path: Path) -> None:
    [shown] = blocks(README, "text")
    (tmp_path / "elman.tex").write_text(blocks(README, "latex")[0], encoding="utf-8")
    command = [sys.executable, "-m", "mathdsl", "compile", str(tmp_path / "elman.tex"), "--emit", "ir", "--stop-after", "hoist_invariants"]
    assert shown in subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout


def test_the_map_has_every_folder_and_files_that_exist() -> None:
    rows = re.findall(r"^\| `(\w+)/` \|.*\| `([\w.]+)` \|$", GUIDE, re.MULTILINE)
    package = ROOT / "mathdsl"
    assert {folder for folder, _ in rows} == {path.parent.name for path in package.glob("*/__init__.py")}
    assert [path for path in (package / folder / file for folder, file in rows) if not path.exists()] == []


def test_the_use_in_five_lines_runs() -> None:
    code = blocks(README, "python")[1]
    assert len([line for line in code.splitlines() if line]) == 5
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "torch.Size([8, 4])\n"), result.stderr


COMMANDS = re.findall(r"^\| `mathdsl ([^`]+)`", README, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_the_commands_run_as_written_in_the_root(line: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    words = [sys.executable, "-m", "mathdsl", *line.split()]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (result.returncode, result.stderr if "check" not in words else "") == (0, "")
    written = {path.name for path in tmp_path.iterdir()} - {"examples"}
    assert written == {"compile": {"lstm.py"}, "render": {"lstm.html"}}.get(words[3], set())


def test_the_page_of_documents_has_every_suffix() -> None:
    page = (ROOT / "mathdsl" / "reference" / "pages" / "notations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(\.\w+)`", "".join(re.findall(r"^\| `\..*? \|", page, re.MULTILINE)))) == set(SUFFIXES)


@pytest.mark.parametrize("line", re.findall(r"`mathdsl ((?:new|help|explain) [^`A-Z]*(?:E0301)?)`", README))
def test_the_commands_between_the_lines_run(line: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mathdsl", *shlex.split(line)]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


@pytest.mark.parametrize("command", sorted({line.split()[0] for line in COMMANDS}))
def test_the_commands_exist(command: str) -> None:
    result = subprocess.run([sys.executable, "-m", "mathdsl", command, "--help"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "CONTRIBUTING"])
def test_the_files_exist(text: str) -> None:
    paths = re.findall(r"[`(]((?:mathdsl|tests|examples|notebooks|grammar|\.ci|\.github)/[\w./-]*)[`)]", text)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_two_commands_install_torch_first() -> None:
    commands = [block for block in blocks(README, "sh") if "pip install" in block]
    assert len(commands) == 2
    for command, last in zip(commands, ("mathdsl demo", "pytest -n 2"), strict=True):
        assert command.count("\n") == 1
        assert re.search(r"pip install torch==\S+ && pip install (\.|-e)", command)
        assert command.strip().endswith(last)
