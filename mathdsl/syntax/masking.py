r"""Covers raw text (`\text{..}`, `\Comment{..}`, descriptions of `where` rows) with NUL characters, so that it lexes as one token."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mathdsl.vocabulary import of_kinds

MASK = "\0"

_TEXT = "|".join(row.name for row in of_kinds("text"))
_RAW = rf"\\(?:Comment|COMMENT|algoCmt|tcp|{_TEXT}|mathrm|mathit|mathsf|mathtt|mathnormal|operatorname\*?|tag\*?|label|[hv]space\*?|indent)"
_RAW_COMMAND = re.compile(_RAW + r"\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_WHERE = re.compile(r"\\(begin|end)\s*\{where\}")
_TAB = re.compile(r"(?<!\\)&")
_IN_ROWS = re.compile(r"(?<!\\)\$.*?(?<!\\)\$|\\\(.*?\\\)|(?P<type>\\(?:in|sim|subseteq)(?![A-Za-z])|[∈∼⊆])|(?<!\\)(?P<tab>&)", re.DOTALL)
_COMMAND = re.compile(rf"\\(?:{_TEXT}|mathrm|mathit|operatorname)\s*\{{[^{{}}]*\}}|\\[A-Za-z]+")
_RELATION = re.compile(r"\s*[^\W\d_][\w^{}()',\s]*=[-+*/=\w^{}()',.\s]*")
_PROSE_WORD = re.compile(r"[^\W\d_]{3}|[^\W\d_]{2}\s+[^\W\d_]{2}")
_ROW_PART = re.compile(r"\\\\|\\(?:begin|end)(?=\s*\{)|\\.|[{}&]", re.DOTALL)


def mask_raw(text: str, *, is_table: bool) -> str:
    """`text` with the same length and raw parts covered; `is_table`: all of it is rows of a `where` environment."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted([*_arguments(text), *_descriptions(text, is_table)]):
        if start < done:
            continue  # inside a part that is covered already
        pieces += (text[done:start], MASK * (end - start))
        done = end
    return "".join([*pieces, text[done:]])


def takes_raw_text(command: str) -> bool:
    """Whether the command's argument is covered where it is complete: where the command is seen, the argument is not."""
    return re.fullmatch(_RAW, command) is not None


def _arguments(text: str) -> Iterator[tuple[int, int]]:
    closing = _matching_braces(text, 0, len(text))
    for match in _RAW_COMMAND.finditer(text):
        end = closing.get(match.end() - 1)
        if end is not None:
            yield match.end(), end


def _matching_braces(text: str, start: int, end: int) -> dict[int, int]:
    """The end of each group, by its beginning."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for match in _BRACE.finditer(text, start, end):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            closing[opened.pop()] = match.start()
    return closing


def _descriptions(text: str, is_table: bool) -> Iterator[tuple[int, int]]:
    if is_table:
        yield from _row_descriptions(text, 0, len(text))
        return
    start: int | None = None
    for match in _WHERE.finditer(text):
        if match[1] == "begin":
            start = match.end()
        elif start is not None:
            yield from _row_descriptions(text, start, match.start())
            start = None


def _row_descriptions(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The characters between a row's first outer `&` and the `\\\\` that ends it; a brace without a partner holds nothing together."""
    partners = _matching_braces(text, start, end)
    closing = frozenset(partners.values())
    depth = 0
    begun: int | None = None
    for match in _ROW_PART.finditer(text, start, end):
        match match[0]:
            case "{" if match.start() in partners:
                depth += 1
            case "}" if match.start() in closing:
                depth = max(0, depth - 1)
            case "\\begin" if begun is None:
                depth += 1
            case "\\end" if begun is None:
                depth = max(0, depth - 1)
            case "&" if begun is None and depth == 0:
                begun, depth = match.end(), 0
            case "\\\\" if depth == 0:
                if begun is not None and match.start() > begun:
                    yield begun, match.start()
                begun = None
            case _:
                pass
    if begun is not None and end > begun:
        yield begun, end


def find_odd_brace(text: str) -> int | None:
    """The first brace of a description without a partner, or whose partner stands in a later row."""
    partners = _matching_braces(text, 0, len(text))
    done = -1
    for match in _BRACE.finditer(text):
        if match[0] not in "{}" or match.start() <= done:
            continue
        end = partners.get(match.start())
        if end is None or _goes_over_rows(text[match.start() : end]):
            return match.start()
        done = end
    return None


def find_row(text: str) -> tuple[str, int, int] | None:
    r"""What only a row has, and its place, in a description outside of formulas in dollar signs: the `\\` before it is missing.

    A sign that gives a type (`\in`), an `&` beside that of the description itself, or a line that is a relation of sizes without a
    word (`d = 2k`).
    """
    sign = next((match for match in _IN_ROWS.finditer(text, 1) if match["type"] or match["tab"] and r"\begin" not in text), None)
    if sign is not None:
        return ("a type" if sign["type"] else "`&`"), *sign.span()
    start = 1
    for line in text[1:].splitlines(keepends=True):
        if _is_relation(line):
            return "a relation", start + len(line) - len(line.lstrip()), start + len(line.rstrip())
        start += len(line)
    return None


def _is_relation(line: str) -> bool:
    r"""`d = 2k`, `d_{\mathrm{in}} = n \cdot k`: no words, and something on both sides."""
    named = _COMMAND.sub(" x ", line)
    return _RELATION.fullmatch(named) is not None and _PROSE_WORD.search(named) is None and not named.rstrip().endswith("=")


def _goes_over_rows(group: str) -> bool:
    """Whether a group holds the `&` of a row, and not that of an environment in it."""
    return r"\\" in group and r"\begin" not in group and _TAB.search(group) is not None
