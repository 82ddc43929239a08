"""The planted faults still apply: each edit is possible, is Python, and names tests that are there."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # `tests.planted`, as `python -m tests.planted` finds it

from tests.planted.__main__ import ROOT, edited, main
from tests.planted.faults import FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_applies(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    planted = edited(text, fault)
    assert planted is not None, "its old text is not found once"
    assert ast.dump(ast.parse(planted)) != ast.dump(ast.parse(text))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_tests_of_a_fault_are_there(fault: Fault) -> None:
    assert fault.tests
    for test in fault.tests:
        file, _, function = test.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {function.partition('[')[0]}(" in text if function else "def test_" in text


def test_names_are_different() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_an_edit_needs_its_text_exactly_once() -> None:
    fault = Fault("f", "f.py", "a + b", "a - b", "", ())
    assert edited("x = a + b\n", fault) == "x = a - b\n"
    assert edited("x = a + b\ny = a + b\n", fault) is None
    assert edited("", fault) is None


def test_an_unknown_name_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == 2
    assert f"no such fault: nothing; there are {FAULTS[0].name}, " in capsys.readouterr().out
