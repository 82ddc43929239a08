r"""`\Require` and `\Ensure` in words: what has no relation describes, what has one declares or is asserted."""

from __future__ import annotations

import re

import pytest
import torch

import mathdsl
from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile


def compiled(*requirements: str, body: str = "2 x") -> CompileResult:
    text = "\n".join((*requirements, rf"\Procedure{{F}}{{$x$}} \State \Return ${body}$ \EndProcedure"))
    return compile_files([SourceFile("m.tex", text)])


VECTOR = r"\Require $x \in \mathbb{R}^{n}$"


@pytest.mark.parametrize(
    "words",
    [
        r"\Ensure the negative log likelihood",
        r"\Ensure $y$, the negative log likelihood of $x$",
        r"\Require a step-size schedule (see the text), and a seed",
        r"\Require observations in the plane \Comment{any order}",
    ],
)
def test_words_without_a_relation_describe(words: str) -> None:
    result = compiled(VECTOR, words)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.load().F()(torch.tensor([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_words_around_a_declaration_leave_it_a_declaration() -> None:
    result = compiled(r"\Require a vector $x \in \mathbb{R}^{3}$ of observations")
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.load().F()(torch.ones(3)).shape == (3,)
    with pytest.raises(ValueError, match="3"):
        result.load().F()(torch.ones(4))


def test_words_around_a_condition_leave_it_a_condition() -> None:
    made = compiled(VECTOR, r"\Require a positive first element, $x_1 > 0$").load().F()
    assert made(torch.tensor([1.0])).tolist() == [2.0]
    with pytest.raises(ValueError, match="condition does not hold: x_1 > 0"):
        made(torch.tensor([-1.0]))


def test_letters_outside_of_formulas_are_reported() -> None:
    result = compiled(VECTOR, r"\Require y in R")
    assert [d.code for d in result.diagnostics if d.severity == "error"] == ["E0228"]


MATRIX, VALUES = r"\Require $A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$", "\\Procedure{F}{$A, b$}\n"
BODY = "\\State $y \\gets A b$\n"
RETURN = "\\State \\Return $y$\n\\EndProcedure\n"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (r"solution $x$ of $A x = b$", "x"),
        (r"$A x = b$", "x"),
        (r"$x \in \mathbb{R}^n$ with $A x = b$", "x"),
        (r"$\phi = A b$", r"\phi"),
        (r"$\sum_{i=1}^{n} x_i = 1$", "x"),
        (r"$\lVert y - b \rVert < \epsilon$", r"\epsilon"),
    ],
)
def test_what_stands_in_an_ensure_alone_is_no_parameter(words: str, name: str) -> None:
    text = f"{MATRIX}\n\\Ensure {words}\n{VALUES}{BODY}{RETURN}"
    found = mathdsl.compile(text).diagnostics
    assert [d.code for d in found] == ["E0301"]
    assert found[0].message == f"`{name}` is declared nowhere"
    said = mathdsl.compile(text.replace(words, rf"\Comment{{{words}}}"))
    assert not said.diagnostics
    assert said.load().F()(torch.eye(2), torch.ones(2)).tolist() == [1, 1]
    value = {"x": "b", r"\phi": "A b", r"\epsilon": "0.1"}[name]
    assigned = mathdsl.compile(text.replace(BODY, rf"{BODY}\State ${name} \gets {value}$" + "\n"))
    assert assigned.ok, [d.message for d in assigned.diagnostics]


def test_what_an_ensure_only_declares_is_no_parameter() -> None:
    result = mathdsl.compile(f"{MATRIX}\n\\Ensure $x \\in \\mathbb{{R}}^n$\n{VALUES}{BODY}{RETURN}")
    assert [d.code for d in result.diagnostics] == ["W0301"]
    made = result.load().F()
    assert not made.state_dict()
    assert made(torch.eye(2), torch.ones(2)).tolist() == [1, 1]


@pytest.mark.parametrize("row", [r"$x$", r"$x \in \mathbb{R}^n$"])
def test_a_result_that_nothing_assigns_is_refused(row: str) -> None:
    text = f"{MATRIX}\n\\Ensure {row}\n{BODY}"
    found = mathdsl.compile("\\begin{algorithmic}\n" + text + "\\end{algorithmic}").diagnostics
    assert [d.code for d in found] == ["E0301"]
    assert found[0].message == "`x` is declared nowhere"
    assert mathdsl.compile("\\begin{algorithmic}\n" + text.replace("$y", "$x") + "\\end{algorithmic}").ok


def test_what_else_a_program_has_may_stand_in_an_ensure() -> None:
    rows = "\\Require $\\epsilon \\in \\mathbb{R}_{>0}$\n\\Require $W \\in \\mathbb{R}^{n \\times n}$\n"
    text = f"{MATRIX}\n{rows}\\Ensure $\\lVert y - W b \\rVert < \\epsilon$\n"
    assert mathdsl.compile(text + VALUES + BODY.replace("A b", "A W b") + RETURN).ok


def test_the_words_are_typeset() -> None:
    page = compiled(VECTOR, r"\Ensure the doubled vector of observations").render("md").decode()
    assert "the doubled vector of observations" in page


def described(text: str) -> dict[str, str]:
    """What the docstring of the generated module says of each input."""
    rows = (re.match(r"    (\w+) +input +\(.*?\)(?: +(.*))?$", line) for line in mathdsl.compile(text).source.split("\n"))
    return {row[1]: (row[2] or "").split(": ")[-1] for row in rows if row}


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        (
            r"$w \in \mathbb{R}^n$, gradients $g_t \in \mathbb{R}^n$ for $t = 1, \dots, T$, rate $r \in \mathbb{R}$",
            ["", "gradients", "rate"],
        ),
        (
            r"$w \in \mathbb{R}^n$ the weights, $g_t \in \mathbb{R}^n$ the gradients, $t = 1, \dots, T$, $r \in \mathbb{R}$",
            ["the weights", "the gradients", ""],
        ),
        (
            r"weights $w \in \mathbb{R}^n$ (of it) and gradients $g_t \in \mathbb{R}^n$, $t = 1, \dots, T$; rate $r \in \mathbb{R}$ if any",
            ["weights (of it)", "gradients", "rate if any"],
        ),
        (
            r"the weights $w \in \mathbb{R}^n$ with gradients $g_t \in \mathbb{R}^n$, $t = 1, \dots, T$, $r \in \mathbb{R}$",
            ["the weights with gradients"] * 3,
        ),
    ],
)
def test_words_describe_what_they_stand_beside(required: str, expected: list[str]) -> None:
    loop = "\\For{$t = 1, \\dots, T$}\n\\State $w \\gets w - r g_t$\n\\EndFor\n\\State \\Return $w$\n"
    text = f"\\begin{{algorithmic}}\n\\Require {required}\n\\Procedure{{M}}{{$w, g, r$}}\n{loop}\\EndProcedure\n\\end{{algorithmic}}\n"
    assert described(text) == dict(zip(["w", "g", "r"], expected, strict=True))


def test_words_of_one_line_in_braces_describe_what_they_stand_beside() -> None:
    text = "\\begin{algorithm}\n\\KwIn{learning rate $r \\in \\mathbb{R}$; weights $w \\in \\mathbb{R}^n$;"
    text += " $x \\in \\mathbb{R}^n$, the input}\n"
    assert described(text + "\\Return{$r w + x$}\n\\end{algorithm}\n") == {"r": "learning rate", "w": "weights", "x": "the input"}
