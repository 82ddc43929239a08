r"""Bare words that end ranges, `\sum_{c=1}^{km} x_c`, and are sizes, `\mathbf{0}_{km}`: the product of their letters, as elsewhere.

What types and tables name, a word is; what stands nowhere but in ranges, and whose letters all have values there, is a product.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import names_bound_in
from mathdsl.elaborate.names.usage import names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import declared_rows, descendants, statements_in, transform

_N = TypeVar("_N", bound=ast.Node)


@dataclass(frozen=True)
class Words:
    """A procedure with products for words in ranges, and the words."""

    procedure: ast.Procedure
    words: tuple[ast.Identifier, ...]


def with_products_in_ranges(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> Words:
    """The procedure with products of letters for the bare words in its ranges that are no names."""
    nodes = [*descendants(procedure)]
    if not any(isinstance(node, ast.Identifier) and (_is_word(node) or node.font == "mathbf") for node in nodes):
        return Words(procedure, ())
    rows = declared_rows(procedure, wheres)
    names = {name for row in rows for name in names_below(row)}
    for statement in statements_in(procedure.body):
        for target in statement.targets if isinstance(statement, ast.Definition) else ():
            names |= names_below(target)
    found = _Ranges(names)
    changed = replace(procedure, body=found.block(procedure.body, frozenset()))
    if changed.body == procedure.body:
        return Words(procedure, ())
    return Words(replace(changed, shown=procedure.shown or procedure.body), tuple(found.words))


def _is_word(node: ast.Identifier) -> bool:
    return len(node.text) > 1 and node.text.isascii() and node.text.isalpha() and not node.font and not node.primes


@dataclass
class _Ranges:
    """The words that were found in ranges; `names` are those of the program."""

    names: Set[Name]
    words: list[ast.Identifier] = field(default_factory=list)

    def block(self, statements: Sequence[ast.Statement], scope: Set[Name]) -> tuple[ast.Statement, ...]:
        """Statements in the scope of indices."""
        return tuple(self._changed(statement, scope) for statement in statements)

    def _changed(self, node: _N, scope: Set[Name]) -> _N:
        inside = scope | names_bound_in(node)
        below: ast.Node = transform(node, lambda child: self._changed(child, inside))
        match below:
            case ast.For(binding=binding):
                below = replace(below, binding=self._ends(binding, scope))
            case ast.Reduction(subscript=subscript, superscript=end):
                over = self._ends(subscript, scope) if isinstance(subscript, ast.Relation) else subscript
                below = replace(below, subscript=over, superscript=None if end is None else self._ends(end, scope))
            case ast.Definition(domains=domains) if domains:
                below = replace(below, domains=tuple(self._ends(domain, scope) for domain in domains))
            case ast.Comprehension(conditions=conditions):
                below = replace(below, conditions=tuple(self._ends(condition, scope) for condition in conditions))
            case ast.Slice(lower=lower, upper=upper):
                first, last = (None if end is None else self._ends(end, scope) for end in (lower, upper))
                below = replace(below, lower=first, upper=last)
            case ast.Command(arguments=((*before, ast.Scripts() as last), *others)) if any(isinstance(item, ast.Dots) for item in before):
                end = replace(last, subscripts=tuple(self._ends(item, scope) for item in last.subscripts))
                below = replace(below, arguments=((*before, end), *others))
            case ast.Indexing(items=items) if any(isinstance(item, ast.Relation) for item in items):
                below = replace(below, items=tuple(self._ends(item, scope) if isinstance(item, ast.Relation) else item for item in items))
            case ast.Scripts(subscripts=(ast.Relation() as over,), superscript=end):
                below = replace(below, subscripts=(self._ends(over, scope),), superscript=None if end is None else self._ends(end, scope))
            case ast.Scripts(base=ast.Identifier(text="0" | "1", font="mathbf"), subscripts=(_, *_) as sizes):
                below = replace(below, subscripts=tuple(self._size(size, scope) for size in sizes))
            case _:
                pass
        return cast(_N, below)

    def _size(self, node: ast.Expression, scope: Set[Name]) -> ast.Expression:
        r"""A size of a constant, `\mathbf{0}_{km}` and `\mathbf{0}_{k m}`, with products for its words; a product is no part of a name."""
        match node:
            case ast.Juxtaposition(factors=factors) if all(spelling_of(factor) in self.names | scope for factor in factors):
                return ast.Group((node,), span=node.span)
            case _:
                return self._ends(node, scope)

    def _ends(self, node: ast.Expression, scope: Set[Name]) -> ast.Expression:
        """What ends a range, with products for its words."""
        if isinstance(node, ast.Identifier) and _is_word(node) and spelling_of(node) not in self.names | scope:
            letters = tuple(replace(node, text=letter) for letter in node.text)
            if all(spelling_of(letter) in self.names | scope for letter in letters):
                self.words.append(node)
                return ast.Group((ast.Juxtaposition(letters, span=node.span),), span=node.span)
        return cast(ast.Expression, transform(node, lambda child: self._ends(cast(ast.Expression, child), scope)))
