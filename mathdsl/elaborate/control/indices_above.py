r"""Arrays with an index above, which statements in order have below: `x[i, k]` for `x_i^{(k)}`, `x[:, k]` for `x^{(k)}`."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import cast

from mathdsl.elaborate.control.desugar import InOrder, in_order
from mathdsl.elaborate.control.elements import Reader
from mathdsl.elaborate.control.targets import assigned_in
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import Name
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.usage import Usage
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import transform


def as_carried(source: InOrder, heads: Set[Name]) -> InOrder:
    """The procedure as it hands on these arrays whole: those that it makes itself have all indices below."""
    if not heads:
        return source
    named, reader = source.named, source.reader
    elements = [item.element for item in assigned_in(reader, named.procedure.body, frozenset())]
    given = {*Usage.inputs_of(named.procedure), *reader.declared, *(e.head for e in elements if e.superscript is None)}
    own = [e for e in elements if e.superscript is not None and e.head in heads - given]
    counts = {e.head: len(e.subscripts) for e in sorted(own, key=lambda e: len(e.subscripts))}
    if not counts:
        return in_order(named, heads)
    body = tuple(cast(ast.Statement, _below(reader, counts, statement)) for statement in named.procedure.body)
    procedure = replace(named.procedure, body=body, shown=named.procedure.shown or named.procedure.body)
    return in_order(replace(named, procedure=procedure, families=Families.of(procedure, *named.wheres)), heads)


def _below(reader: Reader, counts: dict[Name, int], node: ast.Node) -> ast.Node:
    node = transform(unaccent(node) if isinstance(node, ast.Accent) else node, lambda child: _below(reader, counts, child))
    found = reader.split(node, frozenset(reader.families.index_names)) if isinstance(node, ast.Scripts) else None
    if found is None or found[0].superscript is None or found[0].head not in counts:
        return node
    element, power = found
    above = element.superscript.items[0] if isinstance(element.superscript, ast.Group) else element.superscript
    whole = (ast.Hole(span=node.span),) * (counts[element.head] - len(element.subscripts))
    below = ast.Indexing(element.name, (*element.subscripts, *whole, cast(ast.Expression, above)), of_script=True, span=node.span)
    return below if power is None else ast.Scripts(below, (), power, span=node.span)
