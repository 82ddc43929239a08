"""The mistakes that elaboration finds, drawn as the terminal shows them."""

from __future__ import annotations

import re

import pytest
from markdown_cases import Case, check_golden, load_cases

from mathdsl.api import compile_files
from mathdsl.diagnostics.catalogue import CATALOGUE
from mathdsl.diagnostics.drawing import draw_all
from mathdsl.spans import SourceFile

CASES = [*load_cases("errors/elaborate"), *load_cases("errors/newcomers")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_elaboration_errors(case: Case, request: pytest.FixtureRequest) -> None:
    file = SourceFile("model.tex", case.input)
    check_golden(case, draw_all(compile_files([file]).diagnostics, [file], color=False), request)


def test_every_code_of_the_stage_has_a_case() -> None:
    drawn = "\n".join(case.expectation for case in CASES)
    # no order is found by the passes, a branch on data is a case of the other notations, too many expansions a hostile text, and a row of a
    # value that of a docstring's table
    elsewhere = {"E0501", "E0509", "E0609", "W0303"}
    own = [code for code in CATALOGUE if code[1:3] in ("03", "04", "05", "06") or code == "E0701"]
    assert [code for code in own if code not in elsewhere and f"[{code}]" not in drawn] == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_message_is_in_the_author_s_notation(case: Case) -> None:
    """No name of ours, no lower-case violation, no full stop."""
    for message in re.findall(r"^(?:error|warning|note)\[\w+\]: (.*)$", case.expectation, re.MULTILINE):
        assert not re.search(r"\?\d|None|_out\b|Poly|ast\.", message), message
        assert message[0] == "`" or message[0] == "“" or message[0].islower() or message[0].isdigit(), message
        assert not message.endswith("."), message


@pytest.mark.parametrize("case", [c for c in CASES if "error[" in c.expectation], ids=str)
def test_an_error_says_what_to_do(case: Case) -> None:
    blocks = re.split(r"\n(?=(?:error|warning|note)\[)", case.expectation)
    assert all("= help: " in block for block in blocks if block.startswith("error"))
