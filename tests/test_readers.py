"""Texts that first-time readers wrote from the README alone, each as its author left it, against its mathematics."""

from __future__ import annotations

import pytest
import torch
from gallery import checks
from gallery.case import Case
from readers.cases import CASES
from readers.making import FOLDER

TEXTS = sorted(path.stem for path in FOLDER.glob("*.tex"))
every_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_compiles(name: str) -> None:
    result = checks.compiled(FOLDER / f"{name}.tex")
    assert not [one for one in result.diagnostics if one.severity != "note"]


def test_every_module_has_a_case() -> None:
    modules = {
        f"{name}.{one}"
        for name in TEXTS
        for one, made in vars(checks.load(FOLDER / f"{name}.tex")).items()
        if isinstance(made, type) and issubclass(made, torch.nn.Module)
    }
    assert modules <= {str(case) for case in CASES}


@every_case
def test_one_example(case: Case) -> None:
    checks.assert_one_example(case)


@every_case
def test_a_batch_is_its_examples(case: Case) -> None:
    checks.assert_equal_batch(case)


@pytest.mark.parametrize("case", [case for case in CASES if len(case.lengths) > 1], ids=str)
def test_a_ragged_batch_is_its_examples(case: Case) -> None:
    checks.assert_ragged_batch(case)
