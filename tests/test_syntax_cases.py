"""Trees and mistakes of the syntax stage, as Markdown cases."""

from __future__ import annotations

import pytest
from markdown_cases import Case, check_golden, load_cases

from mathdsl.diagnostics.catalogue import CATALOGUE
from mathdsl.diagnostics.drawing import draw_all
from mathdsl.spans import SourceFile
from mathdsl.syntax.latex import render_document
from mathdsl.syntax.parsing import parse_text
from mathdsl.syntax.printing import print_document

TREES = load_cases("syntax/expressions") + load_cases("syntax/programs") + load_cases("syntax/algorithmic")
ERRORS = load_cases("syntax/errors") + load_cases("syntax/algorithmic_errors")


@pytest.mark.parametrize("case", TREES, ids=str)
def test_trees(case: Case, request: pytest.FixtureRequest) -> None:
    document, found = parse_text(case.input)
    assert found.items == []
    check_golden(case, print_document(document), request)


@pytest.mark.parametrize("case", TREES, ids=str)
def test_trees_come_back_from_their_latex(case: Case) -> None:
    document, _ = parse_text(case.input)
    latex = render_document(document)
    again, found = parse_text(latex)
    assert found.items == []
    assert again == document
    assert render_document(again) == latex


@pytest.mark.parametrize("case", ERRORS, ids=str)
def test_mistakes(case: Case, request: pytest.FixtureRequest) -> None:
    _, found = parse_text(case.input, "model.tex")
    check_golden(case, draw_all(found.items, [SourceFile("model.tex", case.input)], color=False), request)


def test_every_code_of_the_stage_has_a_case() -> None:
    drawn = "\n".join(case.expectation for case in ERRORS)
    elsewhere = {"E0216"}  # an input that is too deep is too long to read
    own = [code for code in CATALOGUE if code[1:3] == "02" or code == "E0712"]
    assert [code for code in own if code not in elsewhere and f"[{code}]" not in drawn] == []
