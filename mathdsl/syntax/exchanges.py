r"""Statements that exchange two values: `x_i \leftrightarrow x_j`, `\text{swap}(x_i, x_j)`, `\Call{Swap}{x_i, x_j}`."""

from __future__ import annotations

from mathdsl.diagnostics import MathdslError, error
from mathdsl.spans import Span
from mathdsl.syntax.build_declarations import is_symbol
from mathdsl.syntax.nodes import Command, Definition, Expression, Group, Identifier, Indexing, Juxtaposition, Relation

EXCHANGES = frozenset({"swap", "exchange"})
"""What a statement that exchanges two values is called, in letters of any case."""


def exchanged(items: tuple[Expression, ...], span: Span) -> tuple[Expression, Expression] | None:
    """The two that a statement exchanges; None where it does something else."""
    match items:
        case (Relation((r"\leftrightarrow",), (first, second)),):
            pass
        case (Juxtaposition((Identifier() as word, Group((first, second)))),) if word.word.lower() in EXCHANGES:
            pass
        case (Command("Call", ((Identifier() as word,), (first, second))),) if word.word.lower() in EXCHANGES:
            pass
        case _:
            return None
    if not _is_variable(first) or not _is_variable(second):
        help_text = r"write `x_i \leftrightarrow x_j`, in a loop where there are several"
        raise MathdslError(error("E0217", "names and elements are exchanged, and one of these is none", span, help=help_text))
    return first, second


def is_by_word(node: Definition) -> bool:
    r"""Whether a word says that two values are exchanged, `\text{swap}(x, y)`."""
    return len(node.targets) == 2 and node.target.span == node.span and node.span.start < node.targets[0].span.start


def _is_variable(node: Expression) -> bool:
    return _is_variable(node.base) if isinstance(node, Indexing) else is_symbol(node)
