"""The README and the guide for contributors: what they show is what happens, what they name exists."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mathdsl

ROOT = Path(__file__).parent.parent
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


def test_the_use_in_five_lines_runs() -> None:
    code = blocks(README, "python")[1]
    assert len([line for line in code.splitlines() if line]) == 5
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "torch.Size([8, 4])\n"), result.stderr


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^\| `mathdsl (\w+)", README, re.MULTILINE))))
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
    for command, last in zip(commands, ("mathdsl demo", "pytest"), strict=True):
        assert command.count("\n") == 1
        assert re.search(r"pip install torch==\S+ && pip install (\.|-e)", command)
        assert command.strip().endswith(last)
