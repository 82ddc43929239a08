r"""What became of a mutant: refused, read otherwise, or read as before, and then whether a rule says why it may be.

Readings are what `check --reading` prints, without places, and the equations with their declarations, without remarks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mathdsl.api import compile_files
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.result import Emit
from mathdsl.spans import SourceFile

from .mutants import Mutant

AT_PLACE, ELSEWHERE, OTHER, DECLARED, SAME, CRASH = (
    "refused at the place",
    "refused elsewhere",
    "another reading, shown by --reading",
    "another declaration (domain, default, initialiser)",
    "the same reading",
    "crash",
)
OUTCOMES = (AT_PLACE, ELSEWHERE, OTHER, DECLARED, SAME, CRASH)
RULES = (
    "redundant parentheses",
    "synonyms",
    "a declaration that is confirmed",
    "a range with or without the element that the header gives",
    "an index of a family that is called, or that a row declares, above or below",
    "a name of the header that a row declares",
)
SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("", "@", r"\cdot"),
    (r"\cat", r"\br"),
    (r"(-\infty", r"[-\infty"),
    (r"\infty)", r"\infty]"),
    (r"\gets", "=", r"\algoEq", r"\algoIs"),
    (r"\tfrac", r"\frac", r"\dfrac"),
    ("", r"\pa", r"\operatorname", r"\mathrm", r"\text", r"\mathbf"),
)
_INITIALISER = re.compile(r"\\sim\s*(?:\\math[a-z]+\s*)?\{")
_LETTERS = re.compile(r"([_^])(\w+(?:,\w+)+)")  # several indices, without braces and spaces
_LOOP = re.compile(r"(\\algoFor\{\s*\\?\w+\s*)(?:=|\\in)(\s*\\set)")  # `t = \set{…}`, `t \in \set{…}`
_TABLE = r"\begin{where}"


@dataclass(frozen=True)
class Meaning:
    """How a document is read, and all that it declares."""

    reading: str
    equations: str
    tree: str


@dataclass(frozen=True)
class Outcome:
    """One of `OUTCOMES`; for the same reading the rule that allows it ('' where none does); else the code of the refusal."""

    kind: str
    detail: str = ""


class Judge:
    """Says what became of the mutants of one document."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        found = _meaning(file)
        assert isinstance(found, Meaning)
        self._meaning = found
        self._without: dict[int, bool] = {}

    def outcome(self, mutant: Mutant) -> Outcome:
        file = SourceFile(self._file.name, mutant.text)
        try:
            found = _meaning(file, self._meaning.reading)
        except Exception as error:  # whatever it is: no text may end in one
            return Outcome(CRASH, f"{type(error).__name__}: {error}")
        if not isinstance(found, Meaning):
            line = mutant.line()
            at_place = any(_touches(file, d, line) for d in found)
            return Outcome(AT_PLACE if at_place else ELSEWHERE, found[0].code)
        if found.reading != self._meaning.reading:
            return Outcome(OTHER)
        if found.equations != self._meaning.equations:
            return Outcome(DECLARED)
        return Outcome(SAME, self._rule(mutant, file))

    def _rule(self, mutant: Mutant, file: SourceFile) -> str:
        if mutant.change.startswith("pair") or _emitted(file, "ast") == self._meaning.tree:
            return RULES[0]
        if _unbracketed(mutant.text) == _unbracketed(self._file.text):
            return RULES[0]
        if _canonical(mutant.text) == _canonical(self._file.text):
            return RULES[1]
        if _index_below(mutant.text) == _index_below(self._file.text):
            return RULES[4]
        if mutant.change == "deleted" and self._is_declared(mutant):
            return RULES[5]
        if not mutant.token.in_table:
            return ""
        if mutant.change in ("deleted", "replaced") and self._is_confirmed(mutant):
            return RULES[2]
        return RULES[3] if self._is_given(mutant) else ""

    def _is_given(self, mutant: Mutant) -> bool:
        r"""Whether a range begins at 1 instead of 0, or at 0 instead of 1, and the element at 0 is the header's: `h_0` beside `h_t`."""
        start, end = self._row(mutant)
        row, at = self._file.text[start:end], mutant.token.start - start
        begins = row[:at].rstrip().endswith("=") and mutant.token.text in "01" and mutant.change == "by one"
        return begins and f"{row.lstrip()[0]}_0" in self._file.text

    def _is_declared(self, mutant: Mutant) -> bool:
        r"""Whether the token is a name behind the `;` of a header, and a row declares it: `\Module{M}{x ; f}`, `f^{\ell} \in …`."""
        header, rows = self._file.text[: mutant.token.start].splitlines()[-1].lstrip(), self._file.text[mutant.token.start :]
        row = re.compile(rf"^\s*{re.escape(mutant.token.text)}[_^][^&]*\\in", re.MULTILINE)
        return header.startswith(r"\Module") and ";" in header and row.search(rows) is not None

    def _row(self, mutant: Mutant) -> tuple[int, int]:
        text, at = self._file.text, mutant.token.start
        start = max(text.rfind("\\\\", 0, at) + 2, text.rfind(_TABLE, 0, at) + len(_TABLE))
        return start, text.find("\\\\", at) + 2

    def _is_confirmed(self, mutant: Mutant) -> bool:
        """Whether the document means the same without the row in which the token stands."""
        text, (start, end) = self._file.text, self._row(mutant)
        if start not in self._without:
            found = _meaning(SourceFile(self._file.name, text[:start] + text[end:]))
            self._without[start] = isinstance(found, Meaning) and found.equations == self._meaning.equations
        return self._without[start]


def _meaning(file: SourceFile, known: str = "") -> Meaning | tuple[Diagnostic, ...]:
    """A document's meaning, or its errors; the equations are asked for only where the reading is the known one."""
    result = compile_files([file], emit="reading")
    if not result.ok:
        return tuple(d for d in result.diagnostics if d.severity == "error")
    reading = re.sub(r", bound at \S+$", "", result.source, flags=re.MULTILINE)
    if known and reading != known:
        return Meaning(reading, "", "")
    return Meaning(reading, re.sub(r" *# .*$", "", _emitted(file, "ir"), flags=re.MULTILINE), "" if known else _emitted(file, "ast"))


def _emitted(file: SourceFile, emit: Emit) -> str:
    return compile_files([file], emit=emit).source


def _touches(file: SourceFile, diagnostic: Diagnostic, line: int) -> bool:
    spans = [diagnostic.span, *(label.span for label in diagnostic.labels)]
    return any(file.line_column(s.start)[0] <= line <= file.line_column(max(s.start, s.end - 1))[0] for s in spans)


def _canonical(text: str) -> str:
    text = _LOOP.sub(r"\1\\in\2", text)
    for synonyms in SYNONYMS:
        for synonym in synonyms[1:]:
            text = text.replace(synonym, synonyms[0])
    plain = re.sub(r"[\s{}]+", "", _INITIALISER.sub(r"\\sim {", text))
    return _LETTERS.sub(lambda found: "_" + found[2].replace(",", ""), plain)


def _index_below(text: str) -> str:
    r"""The text with indices of families below that are called, or that a row declares over its range: `f_{\ell}(x)` for `f^{\ell}(x)`."""
    text = re.sub(r"^(\s*[a-z])\^(\w)(?=[^&]*, \2 = )", r"\1_\2", text, flags=re.MULTILINE)
    return re.sub(r"\b([a-z])\^(\{\\ell\}|\d)", r"\1_\2", text)


def _unbracketed(text: str) -> str:
    return re.sub(r"[\s()]+", "", text)
