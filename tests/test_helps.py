r"""What a `help` proposes is applied to the program that it is about, and compiles.

A help is read in clauses; a row of `CHANGES` says what one proposes and how that is put into the text. A help that proposes no text
(`take it out, or use it`), or only a form that the author fills in (`\Return …`, as in `d = n k`), changes nothing by itself; any other
help that no row reads is listed, with a reason, in `NOT_APPLIED`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from markdown_cases import Case, load_cases
from pasting import OFFERED, pasted

from mathdsl.api import compile_files
from mathdsl.diagnostics import Diagnostic
from mathdsl.spans import SourceFile

CASES = [*load_cases("errors/elaborate"), *load_cases("errors/newcomers")]
Change = Callable[[str, Diagnostic, str], str]


def _in_its_place(text: str, found: Diagnostic, proposed: str) -> str:
    written = text[found.span.start : found.span.end]
    if found.code == "E0201":  # told once for all uses
        return text.replace(written, proposed)
    start = found.span.start - (proposed[0] == text[found.span.start - 1] == "^")
    return text[:start] + proposed + text[found.span.end :]


def _behind_the_statement(text: str, found: Diagnostic, proposed: str) -> str:
    end = re.compile(r"\s*(?:\\\\|\$)").search(text, found.span.end)
    assert end is not None
    return text[: end.start()] + " " + proposed + text[end.start() :]


def _as_a_row(text: str, found: Diagnostic, proposed: str) -> str:
    """A row of the program's table, in the place of what declares the symbol now; right of `;` where the header lists what it owns."""
    name = re.split(r"(?:_\{?[a-z]\}?)?[\^ ]", proposed, maxsplit=1)[0]
    module = text.rfind(r"\Module", 0, found.span.start)
    header = re.compile(r";[^}]*?(?:\{[^}]*\}[^}]*?)*(?=\s*\})").search(text, module) if module >= 0 else None
    if header is not None and name not in re.findall(r"\\?\w+(?:_\w|_\{\w+\})?", text[module : header.end()]):
        comma = "" if header[0].strip() == ";" else ","
        return f"{text[: header.end()]}{comma} {proposed}{text[header.end() :]}"
    declared = re.search(rf"(?<![\w\\]){re.escape(name)}(?:_\w)?( \\in )", text)
    if declared is not None:
        end, depth = declared.start(1), 0
        while depth > 0 or not (text[end] in ",;&}$" or text.startswith("\\\\", end)):
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        is_row = text.rfind(r"\begin{where}", 0, end) >= 0
        start, end = (declared.start(), text.index("\\\\", end) + 2) if is_row else (declared.start(1), end)
        text = text[:start] + text[end:]
    if r"\begin{where}" in text:
        return text.replace(r"\begin{where}", rf"\begin{{where}} {proposed} \\", 1)
    return text + rf"\begin{{where}} {proposed} \\ \end{{where}}"


def _instead_of_the_row(text: str, found: Diagnostic, proposed: str) -> str:
    before = text[: found.span.start].rstrip().removesuffix(",")
    return rf"{before} \\ {proposed} {text[found.span.end :]}"


def _as_an_input(text: str, found: Diagnostic, proposed: str) -> str:
    """Without its statement, the last one of the inputs."""
    behind = re.sub(r"^\s*(?:\\\\|\$)", "", text[found.span.end :])
    before = re.sub(r"\\State \$$", "", text[: found.span.start])
    at = re.compile(r"\}(?:\{|\\pa\{)\$?").search(before)
    assert at is not None
    end, depth = at.end(), 0
    while depth > 0 or before[end] not in ";$}":
        depth += (before[end] == "{") - (before[end] == "}")
        end += 1
    return f"{before[:end].rstrip()}, {proposed} {before[end:]}{behind}"


def _everywhere(text: str, found: Diagnostic, proposed: str) -> str:
    return text.replace(text[found.span.start : found.span.end], proposed)


def _with_its_sign(text: str, found: Diagnostic, proposed: str) -> str:
    """In the place of a sign and of what stands in braces below it."""
    start = text.rindex("\\", 0, found.span.start - 2)
    return text[:start] + proposed + text[found.span.end + 1 :]


def _in_front(text: str, found: Diagnostic, proposed: str) -> str:
    return text[: found.span.start] + proposed + " " + text[found.span.start :]


def _as_the_last_line(text: str, found: Diagnostic, proposed: str) -> str:
    end = re.compile(r"\\EndModule|\\EndProcedure|& \\algoEndProc|\\end\{algorithmic\}").search(text, found.span.end)
    assert end is not None
    return f"{text[: end.start()]}{proposed}\n{text[end.start() :]}"


CHANGES: tuple[tuple[str, Change], ...] = (
    (r"did you mean `([^`]+)`\?", _in_its_place),
    (r"write, as its last line, `([^`…]+)`", _as_the_last_line),
    (r"behind the statement, `([^`]+)`", _behind_the_statement),
    (r"shift the index, `([^`]+)`", _in_its_place),
    (r"declare the range, (?:as in )?`([^`…]+)`", _as_a_row),
    (r"declare `([^`…]+)` for", _as_a_row),
    (r", or `([^`…]+ \\in [^`]+)` for", _as_a_row),
    (r"write `((?!A B)[^`]+)` for the (?:inner product|outer product|reciprocal|root|transpose|matrix product|norm)", _in_its_place),
    (r"or `((?!A )[^`]+)` for the (?:elementwise one|outer one)", _in_its_place),
    (r"write `([^`]+)` for (?:an element of|a function of all|a definition|the definition alone|the cosine|one over all)", _in_its_place),
    (r"write `([^`]+)` for the mean of the squares", _in_its_place),
    (r"write `([^`]+)` for a function of the value", _everywhere),
    (r"write both ends, `([^`]+)`", _with_its_sign),
    (r"write `(x\.\\mathrm\{size\}\(1\))` for the size", _in_its_place),
    (r"write a comma, `([^`]+)`, for the element", _in_its_place),
    (r"a row of its own, `([^`]+)`", _instead_of_the_row),
    (r"write `(\\\\)` before", _in_front),
    (r"write `([^`]+\([^`…]+\))`(?:,|$)", _in_its_place),
    (r"take `([^`]+)` as an input, and draw", _as_an_input),
    (r"(declare it) in the header", lambda text, found, _: _as_a_row(text, found, text[found.span.start : found.span.end])),
)


def proposals(found: Diagnostic, text: str) -> Iterator[str]:
    """The program with each change that the help proposes."""
    for pattern, change in CHANGES:
        for match in re.finditer(pattern, found.help):
            yield change(text, found, match[1])
    if found.help.startswith(OFFERED):
        yield pasted(text, found)


def _errors(text: str) -> list[Diagnostic]:
    found = compile_files([SourceFile("model.tex", text)]).diagnostics
    return [one for one in found if one.severity == "error"]


NOT_APPLIED = (
    (
        r"^(check the sizes|give the inputs one size|name it in the header|write the range of|write a range behind)",
        "the author knows which of two",
    ),
    (
        r"^(add the index|declare `\w+`, or write spaces|"
        r"take one of the two|give (the|each) |call it as|use a single letter|declare it, `e|end it with)",
        "the author's to say",
    ),
    (
        r"^write (`A B|`\\tanh\(W\)|`x\.|`v\[k\]|`\\mathbb)",
        "letters stand for what the author wrote: tests/test_readings.py runs such readings",
    ),
    (
        r"^(an ellipsis|a row relates|initialisers are|the probabilities|the mean of|write (the lower end|`x_1|`1 |`\\sum|both|a loop))",
        "a form",
    ),
    (r"^let the index run|^compute it in an|^say how many turns", "another way to write the whole: the next test takes these ways"),
    (r"(for a brace|where it ends)$", "the author knows where it ends"),
    (r"^say it in a row", "the author knows what the set holds"),
    (r"^a choice is written", "the author has the conditions and the values"),
    (r"^`\\Assert c` says", "the author knows where there is a value"),
)
"""Helps with a text that is not put into the program as it stands, and why."""


def _is_form(help: str) -> bool:
    """Whether the author fills in what it shows, or it shows nothing."""
    return "`" not in help or "…" in help or "as in" in help


@pytest.mark.parametrize("case", [case for case in CASES if "error[" in case.expectation], ids=str)
def test_what_a_help_proposes_compiles(case: Case) -> None:
    told = _errors(case.input)
    for found in told:
        changed = list(proposals(found, case.input))
        for text in changed:
            left = _errors(text)
            assert _count(found, left) < _count(found, told), text
            assert found.help.startswith(OFFERED) or len(told) > 1 or all(one.code in ("E0405", found.code) for one in left), (
                text,
                left,
            )  # without a type, or of another symbol
        known = changed or _is_form(found.help) or any(re.search(pattern, found.help) for pattern, _ in NOT_APPLIED)
        assert known, f"nothing applies what this help proposes: {found.help}"


def _count(found: Diagnostic, errors: list[Diagnostic]) -> int:
    return sum((one.code, one.message) == (found.code, found.message) for one in errors)


WAYS_OUT = {
    "a module that is passed in": r"\Module{F}{x \in \mathbb{R}^n ; g} \Return g(x) \\ \EndModule",
    "one that solves": r"\Module{F}{A \in \mathbb{R}^{n \times n}, b \in \mathbb{R}^n ; g} \Return g(A, b) \\ \EndModule",
    "a condition instead of a computed bound": (
        r"\Module{F}{x \in \mathbb{R}^{m \times k}, n \in \{1, \dots, k\}^{m} ; }"
        r" y_i \gets \sum_{j : j \leq n_i} x_{i,j} \quad (i = 1, \dots, m) \\ \Return y \\ \EndModule"
    ),
    "a fixed number of turns": (
        "\\begin{algorithmic}\n\\Procedure{F}{$x \\in \\R$}\n"
        "\\For{$k = 1, \\dots, N$}\n\\If{$x > 1$}\n\\State $x \\gets x / 2$\n\\EndIf\n\\EndFor\n\\State \\Return $x$\n"
        "\\EndProcedure\n\\end{algorithmic}"
    ),
    "at most so many turns": (
        "\\begin{algorithmic}\n\\Procedure{F}{$x \\in \\R$}\n"
        "\\While{$x > 1$}[N]\n\\State $x \\gets x / 2$\n\\EndWhile\n\\State \\Return $x$\n"
        "\\EndProcedure\n\\end{algorithmic}"
    ),
    "an assertion where there is no value": (r"\Module{F}{x \in \mathbb{R} ; } \Assert x \geq 0 \\ \Return \sqrt{x} \\ \EndModule"),
    "powers of a diagonal": (
        r"\Module{F}{A \in \mathbb{R}^{n \times n}, D \in \mathbb{R}^{n \times n} ; }"
        r" B_{i,j} \gets D_{i,i}^{-1/2} A_{i,j} D_{j,j}^{-1/2} \quad (i = 1, \dots, n, j = 1, \dots, n) \\ \Return B \\ \EndModule"
    ),
    "powers of elements": (
        r"\Module{F}{A \in \mathbb{R}^{n \times n} ; }"
        r" B_{i,j} \gets A_{i,j}^{-1/2} \quad (i = 1, \dots, n, j = 1, \dots, n) \\ \Return B \\ \EndModule"
    ),
    "a mean": r"\Module{F}{x \in \mathbb{R}^n ; } \Return \operatorname{mean}(x) + \operatorname{mean}_{i=1}^{n} x_i \\ \EndModule",
    "a trace": (
        r"\Module{F}{A \in \mathbb{R}^{n \times n}, B \in \mathbb{R}^{n \times n} ; }"
        r" M \gets A B \\ \Return \sum_{i} M_{i,i} \\ \EndModule"
    ),
    "a softmax over an index": (
        r"\Module{F}{x \in \mathbb{R}^n ; } \alpha_{i,j} \gets \operatorname{softmax}_{j}(x_i x_j) \quad"
        r" (i = 1, \dots, n, j = 1, \dots, n) \\ \Return \alpha \\ \EndModule"
    ),
    "elements of a matrix with an ellipsis": (
        r"\Module{F}{x_i \in \mathbb{R}, i = 1, \dots, n ; m \in \mathbb{N}}"
        r" V_{i,j} \gets x_i^{j-1} \quad (i = 1, \dots, n, j = 1, \dots, m) \\ \Return V \\ \EndModule"
    ),
    "the range of an array that was read by its elements": (
        "\\begin{algorithmic}\n\\Require $e_{t,k} \\in \\mathbb{R}, t = 1, \\dots, T, k = 1, \\dots, K$\n\\Procedure{F}{$e$}\n"
        "\\State \\Return $\\sum_{t=1}^{T} \\sum_{k=1}^{K} e_{t,k}$\n\\EndProcedure\n\\end{algorithmic}"
    ),
    "first values of all elements": (
        "\\begin{algorithmic}\n\\Require $x_i \\in \\mathbb{R}, i = 1, \\dots, n$, $r_i \\in \\{1, \\dots, m\\}, i = 1, \\dots, n$\n"
        "\\Procedure{F}{$x, r$}\n\\State $y_k \\gets 0 \\quad (k = 1, \\dots, m)$\n"
        "\\For{$i = 1, \\dots, n$}\n\\State $y_{r_i} \\gets x_i$\n\\EndFor\n\\State \\Return $y$\n"
        "\\EndProcedure\n\\end{algorithmic}"
    ),
    "a quotient of logarithms": r"\Module{F}{x \in \mathbb{R}, b \in \mathbb{R} ; } \Return \frac{\log x}{\log b} \\ \EndModule",
    "a sum over points": r"\Module{F}{x \in \mathbb{R}^n, h \in \mathbb{R} ; } \Return \sum_{i=1}^{n} \tanh(x_i) h \\ \EndModule",
    "a choice instead of a computed index": (
        r"\Module{F}{k \in \{1, \dots, n\}, a \in \mathbb{R}, b \in \mathbb{R} ; }"
        r" y_i \gets \begin{cases} a & i = k \\ b & \text{otherwise} \end{cases} \quad (i = 1, \dots, n) \\ \Return y \\ \EndModule"
    ),
    "an index element by element": (
        r"\Module{F}{X \in \mathbb{R}^{n \times m}, y \in \{1, \dots, m\}^n ; }"
        r" z_i \gets X_{i,y_i} \quad (i = 1, \dots, n) \\ \Return z \\ \EndModule"
    ),
    "a sum of norms": r"\Module{F}{A \in \mathbb{R}^{n \times m} ; } \Return \sqrt{\sum_{j=1}^{n} \lVert A_j \rVert_2^2} \\ \EndModule",
}


@pytest.mark.parametrize("text", WAYS_OUT.values(), ids=WAYS_OUT)
def test_the_ways_around_what_is_not_supported_compile(text: str) -> None:
    assert _errors(text) == []
