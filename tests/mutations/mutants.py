r"""Small changes of a document: each token of its programs that carries meaning deleted, doubled, swapped, replaced, or moved by one.

`h_t \gets \tanh(W x_t)` has among its mutants `h_t \gets \tanh( x_t)`, `h_t \gets \sin(W x_t)` and `h_t \gets \tanh(W x_{t+1})`.
The tokens are found here, by one pattern, and not by the compiler that is tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mathdsl.diagnostics import Diagnostics
from mathdsl.source.documents import read_chunks
from mathdsl.spans import SourceFile

_TOKEN = re.compile(r"\\(?:begin|end)\{\w+\}|\\[A-Za-z]+|\\.|[A-Za-z]+|\d+(?:\.\d+)?|[^\sA-Za-z\d]", re.DOTALL)
_SILENT = re.compile(
    r"\\(?:Comment|caption|algoCmt)\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\indent\{\d\}|\\(?:begin|end)\{(?:align\*?|algorithm(?:ic)?|mathdsl|where)\}(?:\[1\])?"
    r"|\\(?:quad|qquad|left|right|,|;|:|!|State|displaystyle|end\{cases\})(?![A-Za-z])|%[^\n]*"
)
_TABLE = re.compile(r"\\begin\{where\}.*?\\end\{where\}", re.DOTALL)
_DESCRIPTION = re.compile(r"(?<!\\)&.*?(?=\\\\)", re.DOTALL)
_NO_NAMES = frozenset({r"\indent", r"\begin", r"\end"})

SIBLINGS: tuple[tuple[str, ...], ...] = (
    ("+", "-", r"\cdot", r"\odot", "@", "/"),
    ("=", r"\neq", "<", r"\leq", r"\geq"),
    (r"\gets", "<", "+"),
    (r"\algoEq", "<", "+"),
    (r"\land", r"\lor"),
    (r"\tanh", r"\sin", r"\cos", r"\sigma", r"\exp", r"\sqrt"),
    (r"\frac", r"\tfrac", r"\dfrac"),
    (r"\sum", r"\prod", r"\max", r"\min"),
    (r"\sof", r"\fla", r"\cat", r"\br"),
    ("R", "Z", "N", "B"),
    (r"\hat", r"\tilde", r"\bar"),
    (r"\in", "=", r"\sim"),
    ("_", "^"),
    (",", ";", r"\times"),
    (r"\times", "+"),
    ("even", "odd"),
    ("[", "("),
    ("(", "["),
    (r"\mathbf", r"\mathcal", r"\mathbb"),
    (r"\infty", r"\pi"),
    (r"\For", r"\While"),
    (r"\If", r"\For"),
    (r"\Return", r"\Assert"),
)
PAIRS = {"(": ")", "[": "]", "{": "}", r"\{": r"\}"}


@dataclass(frozen=True)
class Token:
    """A token of a document with its place; `in_table` where it stands in a row of a `where`."""

    text: str
    start: int
    end: int
    in_table: bool


@dataclass(frozen=True)
class Mutant:
    """A document with one change: what was done to which token, the text, and where it changed (in the new text)."""

    file: str
    change: str
    text: str
    token: Token

    def line(self) -> int:
        return self.text.count("\n", 0, self.token.start) + 1

    def changed(self) -> str:
        """The line that changed, with the next where the change goes on in it."""
        start = self.text.rfind("\n", 0, self.token.start) + 1
        end = self.text.find("\n", max(self.token.end, self.token.start + 1))
        return self.text[start : end if end >= 0 else None]

    def __str__(self) -> str:
        return f"{self.file}:{self.line()}: `{self.token.text}` {self.change}: {' '.join(self.changed().split())}"


def tokens_of(file: SourceFile) -> list[Token]:
    """The tokens that carry meaning, in order: none of prose, layout, comments and descriptions."""
    text = file.text
    silent = [m.span() for m in _SILENT.finditer(text)]
    tables = [m.span() for m in _TABLE.finditer(text)]
    for start, end in tables:
        silent += [m.span() for m in _DESCRIPTION.finditer(text, start, end)]
    found: list[Token] = []
    for region in _regions(file):
        for match in _TOKEN.finditer(text, *region):
            start, end = match.span()
            if any(a <= start < b for a, b in silent) or match[0] in ("&", "$", "~", r"\ "):
                continue
            found.append(Token(match[0], start, end, any(a <= start < b for a, b in tables)))
    return found


def _regions(file: SourceFile) -> Iterator[tuple[int, int]]:
    for chunk in read_chunks([file], Diagnostics()):
        if chunk.kind != "prose" and chunk.text.text.strip():
            spans = [run.origin for run in chunk.text.runs]
            yield spans[0].start, chunk.text.span(0, len(chunk.text.text)).end


def mutants_of(file: SourceFile) -> list[Mutant]:
    """Every mutant of a document; of lines that are changed to the same, which declarations often are, the first alone."""
    tokens = tokens_of(file)
    names = sorted({t.text for t in tokens if re.fullmatch(r"[A-Za-z]|\\ell", t.text)})
    seen = {_squeezed(line) for line in file.text.split("\n")}
    found: list[Mutant] = []
    for number, token in enumerate(tokens):
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        for change, text in _changes(file.text, tokens, number, token, following, names):
            mutant = Mutant(file.name, change, text, token)
            if (changed := _squeezed(mutant.changed())) not in seen:
                seen.add(changed)
                found.append(mutant)
    return found


def _squeezed(text: str) -> str:
    return re.sub(r"(?<![A-Za-z]) +| +(?![A-Za-z])", "", text)


def _changes(
    text: str, tokens: list[Token], number: int, token: Token, following: Token | None, names: list[str]
) -> Iterator[tuple[str, str]]:
    def put(new: str) -> str:
        return text[: token.start] + new + text[token.end :]

    yield "deleted", put("")
    yield "doubled", put(f"{token.text} {token.text}")
    if following is not None and following.text != token.text:
        between = text[token.end : following.start] or " "
        yield "swapped", text[: token.start] + following.text + between + token.text + " " + text[following.end :]
    rng = random.Random(f"{token.text} {number}")
    for siblings in SIBLINGS:
        if token.text in siblings and not (token.text in "RZNB" and not text[: token.start].endswith(r"\mathbb{")):
            for sibling in siblings:
                if sibling != token.text:
                    yield "replaced", put(f"{sibling} " if sibling.startswith("\\") and sibling[-1].isalpha() else sibling)
    if token.text in names and len(names) > 1:
        for other in rng.sample([n for n in names if n != token.text], 2):
            yield "replaced", put(other + (" " if other.startswith("\\") else ""))
    if token.text.isdigit():
        yield "by one", put(str(int(token.text) + 1))
        yield "by one", put(str(int(token.text) - 1))
    if (end := _closing(tokens, number)) is not None:
        inside = text[token.end : end.start]
        yield "pair deleted", text[: token.start] + inside + text[end.end :]
        if token.text in ("(", "{"):
            yield "pair doubled", f"{text[: token.start]}{token.text}({inside}){text[end.start :]}"
    for before, after in _shifts(text, tokens, number, token):
        yield "by one", text[: token.start] + before + token.text + after + text[token.end :]


def _closing(tokens: list[Token], number: int) -> Token | None:
    opening = tokens[number].text
    if opening not in PAIRS:
        return None
    depth = 0
    for token in tokens[number:]:
        depth += (token.text == opening) - (token.text == PAIRS[opening])
        if depth == 0:
            return token
    return None


def _shifts(text: str, tokens: list[Token], number: int, token: Token) -> Iterator[tuple[str, str]]:
    r"""`+ 1` after a letter that is a script, ends a script, is the size of an axis, or ends a range; braces where there are none."""
    if not re.fullmatch(r"[A-Za-z]|\\ell", token.text) or number == 0:
        return
    before, after = tokens[number - 1].text, tokens[number + 1].text if number + 1 < len(tokens) else ""
    if before in ("_", "^"):
        if after not in ("_", "^"):
            yield "{", " + 1}"
    elif before in ("{", ",", r"\times", "[") and after in ("}", ",", "]", r"\times", "-") and text[: token.start].count("{"):
        yield "", " + 1"
