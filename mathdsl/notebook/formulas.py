r"""The programs of a cell as one formula in TeX, for front ends that show no HTML and for notebooks made into PDF.

MathJax, KaTeX and LaTeX with amsmath all know what is used: `array`, `cases`, `\text`, `\mathrm`. Comments and descriptions stay out of
it: they are words of the author, and a formula is no place for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from mathdsl.render.document.model import Assignment, Block, Clause, ClausePart, CommaList, Formula, Line, Listing, Range, Word
from mathdsl.render.write.latex.expressions import write_expression, write_items
from mathdsl.render.write.latex.names import word
from mathdsl.render.write.latex.statements import ARROWS

_OPERATOR = re.compile(r"\\operatorname\*\{([^{}]*)\}")
_PLAIN_OPERATOR = r"\\mathop{\\mathrm{\1}}"  # which older front ends know too


def write_formula(blocks: Sequence[Block]) -> str:
    """`$$…$$` with a row for each line of each program; '' where there is none."""
    rows = [row for block in blocks if isinstance(block, Listing) for row in _rows(block)]
    if not rows:
        return ""
    body = " \\\\\n".join(rf"\displaystyle {_OPERATOR.sub(_PLAIN_OPERATOR, row)}" for row in rows)
    return f"$$\n\\begin{{array}}{{l}}\n{body}\n\\end{{array}}\n$$"


def _rows(listing: Listing) -> Iterator[str]:
    if listing.name:
        owned = "" if listing.owned is None else rf";\ {write_items(listing.owned)}"
        header = rf"({write_items(listing.inputs)}{owned})"
        yield rf"\textbf{{{listing.word}}}\ {word(listing.name, 'mathrm')}{header}"
    indent = 1 if listing.name else 0
    for line in listing.lines:
        content = _content(line)
        if content:
            yield r"\quad " * (line.depth + indent) + content


def _content(line: Line) -> str:
    match line.content:
        case Assignment(target, value, domains, relation):
            assigned = f"{write_expression(target)} {ARROWS[relation]} {write_expression(value)}"
            return rf"{assigned} \quad ({', '.join(map(_part, domains))})" if domains else assigned
        case Clause(parts):
            return r"\ ".join(map(_part, parts))
        case _:
            assert_never(line.content)


def _part(part: ClausePart) -> str:
    match part:
        case Word(text):
            return rf"\textbf{{{text}}}"
        case Formula(expression):
            return write_expression(expression)
        case Range(index, ends, relation):
            return f"{write_expression(index)} {relation} {write_items(ends)}" if ends else rf"\forall {write_expression(index)}"
        case CommaList(elements):
            return r",\ ".join(map(_part, elements))
        case _:
            assert_never(part)
