"""Programs and the equations that elaboration makes of them."""

from __future__ import annotations

import pytest
from markdown_cases import Case, check_golden, load_cases

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile


@pytest.mark.parametrize("case", load_cases("elaborate/programs"), ids=str)
def test_elaboration(case: Case, request: pytest.FixtureRequest) -> None:
    result = compile_files([SourceFile("model.tex", case.input)], emit="ir")
    assert result.ok, [d.message for d in result.diagnostics]
    check_golden(case, result.source, request)
