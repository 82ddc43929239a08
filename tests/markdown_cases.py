r"""Markdown cases: one `##` heading is one test, its fenced blocks are the input, the last one is the expectation.

    ## two letters and a subscript

    A sentence that says what is to be seen (free text, ignored by the test).

    ```tex
    x_t \gets 1 \\
    ```

    ```text
    what the stage makes of it
    ```

A test module uses a file `tests/cases/passes/hoist.md` (or a whole folder, `passes`) so:

    from markdown_cases import Case, check_golden, load_cases

    @pytest.mark.parametrize("case", load_cases("passes/hoist"), ids=str)
    def test_hoist(case: Case, request: pytest.FixtureRequest) -> None:
        check_golden(case, run_the_stage(case.input), request)

`pytest --update-golden` writes the produced text into the file instead of comparing; a new case may leave the last block
empty, or leave it out, and let that option fill it in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
_FENCE = re.compile(r"(`{3,}|~{3,})\s*(\S*).*")


@dataclass(frozen=True)
class Block:
    """A fenced block: the word after the fence, the text inside, and its lines in the file (from 0, fences included, end exclusive)."""

    language: str
    text: str
    first_line: int
    end_line: int


@dataclass(frozen=True)
class Case:
    """One heading of a case file with its fenced blocks."""

    path: Path
    title: str
    inputs: tuple[Block, ...]
    golden: Block | None
    end_line: int

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"

    @property
    def input(self) -> str:
        """The text of the input where there is exactly one."""
        assert len(self.inputs) == 1, f"{self} has {len(self.inputs)} inputs"
        return self.inputs[0].text

    @property
    def expectation(self) -> str:
        return self.golden.text if self.golden else ""


def load_cases(relative_path: str) -> list[Case]:
    """The cases of `tests/cases/<relative_path>.md`, or of every file of the folder of that name, in order."""
    folder = CASES / relative_path
    paths = sorted(folder.glob("**/*.md")) if folder.is_dir() else [folder.with_name(folder.name + ".md")]
    cases = [case for path in paths for case in _read_cases(path)]
    assert cases, f"no case in {relative_path}"
    return cases


def check_golden(case: Case, actual: str, request: pytest.FixtureRequest) -> None:
    """Compare `actual` with the case's expectation, or rewrite the expectation under `--update-golden`."""
    actual = actual.strip("\n")
    if request.config.getoption("--update-golden"):
        if case.golden is None or actual != case.golden.text:
            _rewrite(case, actual)
        return
    assert case.golden is not None, f"{case} has no expectation: run pytest --update-golden and read what it writes"
    assert actual == case.golden.text


def _read_cases(path: Path) -> list[Case]:
    lines = path.read_text(encoding="utf-8").split("\n")
    cases: list[Case] = []
    title, blocks, line = "", list[Block](), 0

    def close(end: int) -> None:
        if title and blocks:
            inputs, golden = (blocks[:-1], blocks[-1]) if len(blocks) > 1 else (blocks, None)
            cases.append(Case(path, title, tuple(inputs), golden, end))

    while line < len(lines):
        if fence := _FENCE.fullmatch(lines[line]):
            end = next((n for n in range(line + 1, len(lines)) if lines[n].rstrip() == fence[1]), None)
            assert end is not None, f"{path}:{line + 1}: this fence is not closed"
            blocks.append(Block(fence[2], "\n".join(lines[line + 1 : end]).strip("\n"), line, end + 1))
            line = end
        elif lines[line].startswith("## "):
            close(line)
            title, blocks = lines[line][3:].strip(), []
        line += 1
    close(len(lines))
    titles = [case.title for case in cases]
    assert len(set(titles)) == len(titles), f"{path}: two cases have one title"
    return cases


def _rewrite(case: Case, actual: str) -> None:
    """Cases before this one may have grown since the file was read, so the case is looked up again by its title."""
    current = next(c for c in _read_cases(case.path) if c.title == case.title)
    lines = case.path.read_text(encoding="utf-8").split("\n")
    longest = max((len(run) for run in re.findall(r"^`{3,}", actual, re.MULTILINE)), default=2)
    fence = "`" * max(3, longest + 1)
    golden = current.golden
    block = [fence + (golden.language if golden else "text"), *actual.split("\n"), fence]
    if golden is not None:
        lines[golden.first_line : golden.end_line] = block
    else:
        at = current.inputs[-1].end_line
        lines[at:at] = ["", *block]
    case.path.write_text("\n".join(lines), encoding="utf-8")
