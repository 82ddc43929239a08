"""The mistakes that the source stage finds, drawn as the terminal shows them."""

from __future__ import annotations

import pytest
from markdown_cases import Case, check_golden, load_cases

from mathdsl.diagnostics import Diagnostics
from mathdsl.diagnostics.catalogue import CATALOGUE
from mathdsl.diagnostics.drawing import draw_all
from mathdsl.source import decode, read_chunks
from mathdsl.spans import SourceFile

CASES = load_cases("errors/source")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_source_errors(case: Case, request: pytest.FixtureRequest) -> None:
    language = case.inputs[0].language
    file = SourceFile("-" if language == "stdin" else f"model.{language}", case.input)
    found = Diagnostics()
    read_chunks([file], found)
    check_golden(case, draw_all(found.items, [file], color=False), request)


def test_every_code_of_the_stage_has_a_case() -> None:
    drawn = "\n".join(case.expectation for case in CASES)
    elsewhere = {"E0101", "E0102", "E0118", "E0119", "N0102"}  # bytes that Markdown cannot hold, files and their classes, and the cap
    own = [code for code in CATALOGUE if code[1:3] == "01"]
    assert [code for code in own if code not in elsewhere and f"[{code}]" not in drawn] == []


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        (b"x \\gets \xe9", "E0101", (1, 9)),
        ("x".encode("utf-16"), "E0101", (1, 1)),
        (b"x\r\n\0y", "E0102", (2, 1)),
    ],
)
def test_bytes_that_are_no_text_are_named(data: bytes, code: str, place: tuple[int, int]) -> None:
    found = Diagnostics()
    file = decode("model.tex", data, found)
    assert [(d.code, file.line_column(d.span.start)) for d in found.items] == [(code, place)]


def test_a_byte_order_mark_and_any_line_break_are_read() -> None:
    found = Diagnostics()
    file = decode("model.tex", b"\xef\xbb\xbfa\r\nb\rc\n", found)
    assert (file.text, found.items) == ("a\nb\nc\n", [])
