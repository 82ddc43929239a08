r"""What is another way to write something that the language has, rewritten before anything else is read, a step after the other.

A step looks at the nodes that it may change, and most documents have none: `W^{(q)}`, `x_{t|t-1}`, `\mathbf{x}` and `x_i`, `A_{ij}`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from mathdsl.diagnostics.model import Diagnostics, MathdslError
from mathdsl.elaborate.names.applied import arrays_written_as_functions
from mathdsl.elaborate.names.given import has_bar, tell_bars_apart
from mathdsl.elaborate.names.header_arrays import spell_elements, with_arrays_in_headers
from mathdsl.elaborate.names.occurrences import Kinds, by_kind
from mathdsl.elaborate.names.rows_in_brackets import has_rows_in_brackets, with_elements_of_rows
from mathdsl.elaborate.names.side_by_side import stand_side_by_side, tell_indices_apart
from mathdsl.elaborate.names.superscripts import have_labels, with_labels
from mathdsl.elaborate.names.upright_labels import has_upright_labels, with_upright_labels
from mathdsl.syntax import nodes as ast

_Change: TypeAlias = Callable[[ast.Item, tuple[ast.Item, ...]], ast.Item]

STEPS: tuple[tuple[Callable[[Kinds], bool], tuple[_Change, ...]], ...] = (
    (has_upright_labels, (with_upright_labels,)),
    (has_rows_in_brackets, (with_elements_of_rows,)),
    (
        lambda kinds: any(isinstance(node.target, ast.Juxtaposition) for node in kinds[ast.Definition]),
        (arrays_written_as_functions,),
    ),
    (lambda kinds: any(map(has_bar, kinds[ast.Scripts])), (tell_bars_apart,)),
    (have_labels, (with_labels,)),
    (lambda kinds: any(map(stand_side_by_side, (*kinds[ast.Scripts], *kinds[ast.Reduction]))), (tell_indices_apart,)),
    (spell_elements, (with_arrays_in_headers,)),
)
"""Whether there is anything that a step may change, and what changes it."""


def tell_scripts_apart(document: ast.Document, diagnostics: Diagnostics) -> ast.Document:
    """The document in which names, indices and labels are what they are, however they are written."""
    kinds = by_kind(document)
    for may_change, changes in STEPS:
        if may_change(kinds):
            for change in changes:
                document = _changed(document, change, diagnostics)
            kinds = by_kind(document)
    return document


def _changed(document: ast.Document, change: _Change, diagnostics: Diagnostics) -> ast.Document:
    """The document with a change of each program beside the tables of the document, and of each table beside all else."""
    tables = tuple(item for item in document.items if isinstance(item, ast.Where))
    items: list[ast.Item] = []
    for item in document.items:
        try:
            changed = change(item, document.items if isinstance(item, ast.Where) else tables)
        except MathdslError as error:
            changed = item
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
        items.append(_shown(item, changed) if change in _IN_OTHER_WORDS else changed)
    return replace(document, items=tuple(items))


_IN_OTHER_WORDS: frozenset[_Change] = frozenset(
    {
        arrays_written_as_functions,
        tell_bars_apart,
        with_elements_of_rows,
    }
)
"""The changes after which a statement does not show what its author wrote."""


def _shown(item: ast.Item, changed: ast.Item) -> ast.Item:
    """A program that says something in other words than its author."""
    if not isinstance(item, ast.Procedure) or not isinstance(changed, ast.Procedure) or changed.body is item.body:
        return changed
    return replace(changed, shown=item.shown or item.body)
