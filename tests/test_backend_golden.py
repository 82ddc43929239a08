"""The bodies of generated forwards, as golden cases."""

from __future__ import annotations

import ast

import pytest
from markdown_cases import Case, check_golden, load_cases

import mathdsl


@pytest.mark.parametrize("case", load_cases("torch"), ids=str)
def test_forward(case: Case, request: pytest.FixtureRequest) -> None:
    result = mathdsl.compile(case.input)
    assert result.ok, [d.message for d in result.diagnostics]
    found = [node for node in ast.walk(ast.parse(result.source)) if isinstance(node, ast.FunctionDef) and node.name == "forward"]
    lines = result.source.split("\n")
    bodies = [lines[node.lineno - 1 : node.end_lineno] for node in found]
    check_golden(case, "\n\n".join("\n".join(line[4:] for line in body) for body in bodies), request)
