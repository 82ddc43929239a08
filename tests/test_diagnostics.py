"""Diagnostics: the catalogue, the drawing, JSON, and the cap."""

from __future__ import annotations

import json
import re

import pytest

from mathdsl.diagnostics import CATALOGUE, Diagnostic, InternalError, Label, error, find_row, note
from mathdsl.diagnostics.drawing import draw, draw_all
from mathdsl.diagnostics.explain import explain, list_codes
from mathdsl.diagnostics.html import draw_html
from mathdsl.report import diagnostics_json
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile, Span

FILE = SourceFile("cell.tex", "a \\gets b \\\\\n\tx\u0302 \\gets 字 + c \\\\\nd \\gets (e\n  + f) \\\\\n")


def at(text: str, definition: Span | None = None, file: SourceFile = FILE) -> Span:
    start = file.text.index(text)
    return Span(file.name, start, start + len(text), definition)


def test_a_code_gives_its_severity_and_must_be_catalogued() -> None:
    with pytest.raises(InternalError, match="no row"):
        error("E9999", "?", at("a"))
    with pytest.raises(InternalError, match="catalogued as a note"):
        error("N0101", "?", at("a"))
    assert note("N0101", "fine", at("a")).severity == "note"


def test_every_code_is_explained() -> None:
    assert find_row("e0103") is CATALOGUE["E0103"]
    assert explain("E9999") is None
    assert len(list_codes().splitlines()) == len(CATALOGUE)
    for code, row in CATALOGUE.items():
        assert {"E": "error", "W": "warning", "N": "note"}[code[0]] == row.severity, code
        assert len(code) == 5
        assert code[1:].isdecimal()
        assert row.title, code
        assert len(row.explanation) > 40, f"{code} is hardly explained"
        assert row.explanation in (explain(code) or ""), code


def test_carets_stand_under_tabs_wide_and_combining_characters() -> None:
    assert draw(error("E0114", "no", at("字"), label="this"), [FILE], color=False).splitlines()[3:5] == [
        "2 |     x\u0302 \\gets 字 + c \\\\",
        "  |             ^^ this",
    ]
    assert draw(error("E0114", "no", at(" c ")), [FILE], color=False).splitlines()[4] == "  |                 ^^^"


def test_places_over_several_lines_second_places_notes_and_help() -> None:
    diagnostic = error(
        "E0114",
        "message",
        at("(e\n  + f)"),
        label="these",
        labels=[Label(at("a"), "first"), Label(at("b"), "second")],
        notes=["a fact\nin two lines"],
        help="do this",
    )
    assert draw(diagnostic, [FILE], color=False) == (
        "error[E0114]: message\n"
        " --> cell.tex:3:9\n"
        "  |\n"
        "1 | a \\gets b \\\\\n"
        "  | - first\n"
        "  |         - second\n"
        "...\n"
        "3 | d \\gets (e\n"
        "  |         ^^ from here …\n"
        "4 |   + f) \\\\\n"
        "  |   ^^^^ … to here: these\n"
        "  |\n"
        "  = note: a fact\n"
        "          in two lines\n"
        "  = help: do this\n"
    )


def test_a_macro_of_another_file_is_a_second_place() -> None:
    macros = SourceFile("macros.tex", "\\newcommand{\\b}{q}\n")
    drawn = draw(error("E0114", "no", at("b", Span("macros.tex", 0, 18))), [FILE, macros], color=False)
    assert " ::: macros.tex:1:1\n" in drawn
    assert "------------------ in the expansion of this macro" in drawn


def test_long_lines_are_cut_around_the_place() -> None:
    file = SourceFile("-", "x" * 5000 + "HERE" + "y" * 5000)
    drawn = draw(error("E0114", "no", at("HERE", file=file)), [file], color=False)
    line, carets = drawn.splitlines()[3:5]
    assert len(line) < 130
    assert line[carets.index("^") :][:4] == "HERE"
    assert "<standard input>:1:5001" in drawn


def test_nothing_in_a_text_reaches_the_terminal_as_control() -> None:
    file = SourceFile("a\x1b[2J.tex", "x \x1b[31m \u202e y")
    drawn = draw(error("E0115", "no \x1b", at("y", file=file)), [file], color=False)
    assert not any(ord(character) < 32 and character != "\n" for character in drawn)
    assert "\u202e" not in drawn


def test_places_outside_of_the_text_are_drawn_all_the_same() -> None:
    for span in (
        Span("", 0, 0),
        Span("cell.tex", 10_000, 10_001),
        Span("gone.tex", 3, 4),
        Span("cell.tex", len(FILE.text), len(FILE.text)),
    ):
        assert draw(error("E0114", "no", span), [FILE], color=True).endswith("\n")


@pytest.mark.parametrize("help", ["", " ", "\n"])
def test_a_remark_that_says_nothing_is_not_shown(help: str) -> None:
    finding = error("E0114", "no", at("字"), notes=["a fact", help], help=help)
    assert draw(finding, [FILE], color=False).splitlines()[-1] == "  = note: a fact"
    assert re.findall(r"<b>(\w+)</b>", draw_html([finding], [FILE])) == ["note"]
    assert draw(error("E0114", "no", at("字"), help=help), [FILE], color=False).splitlines()[-1].endswith("^^")
    [described] = json.loads(diagnostics_json([CompileResult("", (error("E0114", "no", at("字")),), (), (FILE,))]))
    assert described["help"] == ""


def test_json_has_exactly_the_documented_keys() -> None:
    finding = error("E0114", "no", at("字", at("a")), labels=[Label(at("b"), "here")], help="h")
    [described] = json.loads(diagnostics_json([CompileResult("", (finding,), (), (FILE,))]))
    assert described == {
        "code": "E0114",
        "severity": "error",
        "message": "no",
        "file": "cell.tex",
        "start": {"line": 2, "column": 11},
        "end": {"line": 2, "column": 12},
        "labels": [
            {"file": "cell.tex", "start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 10}, "text": "here"},
            {
                "file": "cell.tex",
                "start": {"line": 1, "column": 1},
                "end": {"line": 1, "column": 2},
                "text": "in the expansion of this macro",
            },
        ],
        "notes": [],
        "help": "h",
    }


def test_diagnostics_come_in_order_and_the_rest_is_counted() -> None:
    text = SourceFile("-", "x" * 200)
    notes = [note("N0101", f"note {n}", Span("-", n, n + 1)) for n in range(10)]
    errors = [error("E0114", f"error {n}", Span("-", n, n + 1)) for n in reversed(range(100))]
    drawn: list[Diagnostic | str] = [line for line in draw_all([*notes, *errors], [text], color=False).splitlines() if "[" in line]
    assert drawn == [
        *(f"error[E0114]: error {n}" for n in range(50)),
        "note[N0102]: 50 more errors and 10 more warnings or notes not shown",
    ]
