r"""Domains that a table gives: `s_{i,j} \gets x_i x_j \quad (j = 1, \dots, S)`, where the row of `s_{i,j}` says what `i` runs over.

An index on the left side that nothing binds runs over its range in the declaration of the family, where the element is written as it is
declared, and else over the one range that the declarations give its letter: `y_i \gets 2 x_i` beside `x_i \in \mathbb{R}, i = 1, \dots, n`.
A letter of a loop around the statement is bound, and so is one that the program assigns.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import bound_names, identifiers, unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import statements_in


@dataclass(frozen=True)
class Declared:
    """The ranges that tables give: those of a family as it is declared, and those of a letter, whatever is declared with it."""

    families: dict[ast.Expression, tuple[ast.Expression, ...]] = field(default_factory=dict)
    letters: dict[Name, list[ast.Expression]] = field(default_factory=dict)

    def add(self, row: ast.Declaration) -> None:
        """Take the ranges of a row."""
        for symbol in row.symbols:
            self.families.setdefault(unaccent(symbol), row.ranges)
        for item in row.ranges:
            for name in bound_names(item):
                known = self.letters.setdefault(name, [])
                if item not in known:
                    known.append(item)

    def of_letter(self, name: Name) -> tuple[ast.Expression, ...]:
        """The range of a letter; none where there is none, or another one too."""
        known = self.letters.get(name, [])
        return tuple(known) if len(known) == 1 else ()


def complete_domains(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> ast.Procedure:
    """The procedure with the domains of its definitions complete; its own tables go before the document's."""
    declared = Declared()
    for where in (*procedure.wheres, *wheres):
        for row in where.rows:
            declared.add(row)
    if not declared.letters:
        return procedure
    definitions = (node for node in statements_in(procedure.body) if isinstance(node, ast.Definition))
    assigned = {name for node in definitions for target in node.targets if (name := word_of(target)) is not None}
    body = tuple(_complete(statement, declared, assigned) for statement in procedure.body)
    return procedure if body == procedure.body else replace(procedure, body=body)


def _complete(statement: ast.Statement, declared: Declared, bound: Set[Name]) -> ast.Statement:
    match statement:
        case ast.Definition(target=target, domains=domains):
            missing = tuple(_missing(target, declared, bound | {name for domain in domains for name in bound_names(domain)}))
            return replace(statement, domains=(*missing, *domains)) if missing else statement
        case ast.EquationGroup(body=body):
            return replace(statement, body=tuple(_complete(inner, declared, bound) for inner in body))
        case ast.For(binding=binding, body=body):
            inside = bound | set(bound_names(binding))
            return replace(statement, body=tuple(_complete(inner, declared, inside) for inner in body))
        case _:
            return statement


def _missing(target: ast.Expression, declared: Declared, bound: Set[Name]) -> Iterator[ast.Expression]:
    """The declared ranges of those of the target's indices that are not bound."""
    plain = unaccent(target)
    if isinstance(plain, ast.Indexing) and not any(isinstance(item, ast.Relation) for item in plain.items):
        plain = ast.Scripts(plain.base, plain.items)  # `w[n]` as `w_n`
    if not isinstance(plain, ast.Scripts):
        return
    scripts = (*plain.subscripts, *((plain.superscript,) if plain.superscript is not None else ()))
    free = [one for script in scripts for name in identifiers(script) if name not in bound for one in _indices(name, declared)]
    own = declared.families.get(plain)
    if own is not None:
        yield from (item for item in own if set(free) & set(bound_names(item)))
        return
    for name in dict.fromkeys(free):
        yield from declared.of_letter(name)


def _indices(name: Name, declared: Declared) -> tuple[Name, ...]:
    """The letters of `ij`, where declarations give each a range; else the name."""
    letters = tuple(map(Name, name.text)) if name.is_plain and name.text.isalpha() else (name,)
    return letters if name not in declared.letters and all(one in declared.letters for one in letters) else (name,)
