"""Which generated lines compute which statement."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from mathdsl.backends.line_map import CodeLines
from mathdsl.spans import Span
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.nodes import Definition


class CodeIndex:
    """The generated lines of a document, by where the author wrote what they compute."""

    def __init__(self, lines: Sequence[CodeLines]) -> None:
        placed = [line for line in lines if line.equation.span.file]
        self._lines = sorted(placed, key=lambda line: (line.equation.span.file, line.equation.span.start, line.start))
        self._keys = [(line.equation.span.file, line.equation.span.start) for line in self._lines]

    def of(self, definition: Definition, branches: Sequence[Span]) -> tuple[CodeLines, ...]:
        """The lines that compute a definition, from top to bottom.

        What the arms of an `If` define is computed at once, under an equation with `cases` that stands for all of the `If`: its lines
        belong to each definition of its symbol in the places `branches`.
        """
        found = list(self.within(definition.span))
        if branches:
            head = render_expression(definition.target) + r" \gets "
            for branch in branches:
                found += [line for line in self._starting(branch) if line.equation.span == branch and line.equation.text.startswith(head)]
        return tuple(sorted(found, key=lambda line: line.start))

    def within(self, span: Span) -> tuple[CodeLines, ...]:
        """The lines that compute what is written inside a span, from top to bottom."""
        found = (line for line in self._starting(span) if line.equation.span.end <= span.end)
        return tuple(sorted(found, key=lambda line: line.start))

    def _starting(self, span: Span) -> list[CodeLines]:
        """The lines of the equations that begin inside a span."""
        return self._lines[bisect_left(self._keys, (span.file, span.start)) : bisect_left(self._keys, (span.file, span.end))]
