r"""Names of indices as the indices themselves, where a range ends at one or an array that the program assigns has it as an index.

j \gets i + l - 1; t_{i,j} \gets \sum_{k=i}^{j-1} t_{i,k}      ->      t_{i,i+l-1} \gets \sum_{k=i}^{i+l-2} t_{i,k}
n \gets H / P; for g = 1, …, n: …                              ->      for g = 1, …, H / P: …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import is_quotient
from mathdsl.elaborate.control.standing import is_integer_type
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.spelling import named_index, names_bound_in
from mathdsl.elaborate.names.usage import free_letters, names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import declared_rows, descendants, header_rows, shifted, statements_in, transform, with_bodies

_N = TypeVar("_N", bound=ast.Node)


def with_named_indices(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure in which nothing reads the name of an index where a range, or an element of what it assigns, asks for the index."""
    procedure = _with_own_letters(procedure)
    definitions = [node for node in statements_in(procedure.body) if isinstance(node, ast.Definition) and node.function is None]
    named = [(name, node) for node in definitions if (name := named_index(node)) is not None]
    if not named:
        return procedure
    rows = declared_rows(procedure, shared)
    types = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in names_below(part)}
    declared = {name: row for row in rows for symbol in row.symbols if (name := head_of(symbol)) is not None}
    given = {name for row in header_rows(procedure) for symbol in row.symbols if (name := head_of(symbol)) is not None}
    ranges = (part for node in statements_in(procedure.body) for part in _ranges_of(node))
    integers = (
        types
        | {name for part in ranges for name in names_below(part)}
        | {name for name, row in declared.items() if is_integer_type(row.type) and not row.ranges}
    )
    targets = Counter(name for node in definitions for target in node.targets if (name := head_of(target)) is not None)
    labelled = {symbol for row in rows if not row.ranges for symbol in row.symbols if isinstance(symbol, ast.Scripts)}
    names = {name for name, count in Counter(name for name, _ in named).items() if count == targets[name]} - types - given
    while wrong := {name for name, node in named if name in names and not names_below(node.value) <= (integers - targets.keys()) | names}:
        names -= wrong
    if not names:
        return procedure
    quotients = {name for name, node in named if any(map(is_quotient, (node.value, *descendants(node.value))))}
    uses = _Uses.of(procedure.body, names, names - quotients, targets.keys())
    while more := {name for known, node in named if known in uses.indexing for name in names_below(node.value) & names} - uses.indexing:
        uses.indexing.update(more)
    arrays = declared.keys() | Families.of(procedure, *shared).subscripts.keys() if uses.indexing else set[Name]()
    names = {name for name in uses.indexing if uses.is_index(name, arrays)}
    found = _Named(names, targets.keys(), frozenset(labelled), procedure.notation != "module").without_others(procedure.body, uses.written)
    if not found.names:
        return procedure
    return replace(procedure, body=found.block(procedure.body), shown=procedure.shown or procedure.body)


def _with_own_letters(procedure: ast.Procedure) -> ast.Procedure:
    r"""The procedure whose reductions behind a loop have letters of their own: `\arg\max_k c_k` behind one with `k \gets i + 1` in it."""
    inner = {name for block in _blocks(procedure.body) for node in block if (name := named_index(node)) is not None}
    outer = {name for node in procedure.body if (name := named_index(node)) is not None}
    if procedure.notation == "module" or not inner - outer:
        return procedure
    letters = free_letters(set(names_below(procedure)))
    own = dict(zip(sorted(inner - outer), letters, strict=False))

    def change(node: ast.Node) -> ast.Node:
        match node:
            case ast.Reduction(subscript=ast.Identifier() as letter) if (name := word_of(letter)) is not None and name in own:
                return transform(_with(node, name, ast.Identifier(own[name], span=letter.span), frozenset()), change)
            case ast.For() | ast.While() | ast.If() | ast.EquationGroup():
                return node
            case _:
                return transform(node, change)

    body = tuple(cast(ast.Statement, change(node)) for node in procedure.body)
    return procedure if body == procedure.body else replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _ranges_of(node: ast.Node) -> tuple[ast.Expression, ...]:
    """The ranges that a node gives to letters."""
    match node:
        case ast.For(binding=binding):
            return (binding,)
        case ast.Definition(ranges=ranges) | ast.Comprehension(conditions=ranges):
            return ranges
        case ast.Reduction(subscript=subscript, superscript=above):
            return tuple(part for part in (subscript, above) if part is not None)
        case _:
            return ()


@dataclass(frozen=True)
class _Uses:
    """How often names are written, how often as the base of scripts, and what stands alone below which bases.

    `indexing` are the names of indices that a range asks for, where a quotient is a size, or an element of what the program assigns.
    """

    written: Counter[Name]
    bases: Counter[Name]
    below: dict[Name, set[Name]]
    indexing: set[Name]
    parts: set[Name]  # names that are parts of others: `j` of `j_1`, `W^{j}`

    @classmethod
    def of(cls, body: tuple[ast.Statement, ...], names: Set[Name], whole: Set[Name], assigned: Set[Name]) -> _Uses:
        """The uses of names below statements; `whole` are those of indices that are no quotients."""
        found = cls(Counter(), Counter(), {}, set(), set())
        for node in (one for statement in body for one in (statement, *descendants(statement))):
            for part in _ranges_of(node):
                found.indexing.update(names & names_below(part))
            match node:
                case ast.Identifier():
                    found.written.update(filter(None, (word_of(node),)))
                case ast.Accent(body=ast.Identifier() as inner):
                    found.parts.update(filter(None, (word_of(inner),)))
                case ast.Scripts(base=base, subscripts=items, superscript=above):
                    head = head_of(base)
                    found.bases.update(filter(None, (word_of(base),)))
                    found.parts.update(filter(None, (word_of(base), None if above is None else word_of(above))))
                    if head is None:
                        continue
                    if len(items) == 1:
                        found.below.setdefault(word_of(items[0]) or NO_NAME, set()).add(head)
                    if head in assigned:
                        found.indexing.update(name for item in items for name in whole & names_below(item))
                case ast.Indexing(base=base, items=items) if head_of(base) in assigned:
                    found.indexing.update(name for item in items for name in whole & names_below(item))
                case _:
                    pass
        return found

    def is_index(self, name: Name, arrays: Set[Name]) -> bool:
        """Whether a name is an index wherever it stands below others, and part of none: they are arrays, or stand without it too."""
        heads = self.below.get(name, set()) - arrays
        return name not in self.parts and all(self.written[head] > self.bases[head] for head in heads)


@dataclass(frozen=True)
class _Named:
    """The names of indices, those that statements assign, what is declared with a label, and whether statements are executed in order."""

    names: Set[Name]
    assigned: Set[Name]
    labelled: Set[ast.Expression]
    is_ordered: bool

    def block(self, statements: tuple[ast.Statement, ...]) -> tuple[ast.Statement, ...]:
        """Statements without the names."""
        found, rest = list[ast.Statement](), list(statements)
        while rest:
            node = rest.pop(0)
            match node:
                case ast.Definition(value=value) if (name := named_index(node)) is not None and name in self.names:
                    end = self._end(name, rest)
                    rest[:end] = [_with(one, name, value, self.labelled) for one in rest[:end]]
                    found = found if self.is_ordered else [_with(one, name, value, self.labelled) for one in found]
                    found += [ast.Remark(node.comment, span=node.span)] if node.comment else []
                case _:
                    found.append(with_bodies(node, self.block))
        return tuple(found)

    def _end(self, name: Name, rest: Sequence[ast.Statement]) -> int:
        """How many statements are executed before the name is assigned again."""
        return next((at for at, node in enumerate(rest) if named_index(node) == name), len(rest)) if self.is_ordered else len(rest)

    def without_others(self, body: tuple[ast.Statement, ...], written: Counter[Name]) -> _Named:
        """Without the names that are read where they do not have the value that is seen, or where its letters are bound anew."""
        read, letters, bound = Counter[Name](), dict[Name, set[Name]](), dict[Name, set[Name]]()
        for block in (body, *_blocks(body)):
            for at, node in enumerate(block):
                if isinstance(node, ast.Definition) and (name := named_index(node)) is not None and name in self.names:
                    rest = block[at + 1 :]
                    reach = (*(() if self.is_ordered else block[:at]), *rest[: self._end(name, rest)])
                    below = [part for one in reach for part in (one, *descendants(one))]
                    read[name] += 1 + sum(isinstance(part, ast.Identifier) and word_of(part) == name for part in below)
                    letters.setdefault(name, {name}).update(names_below(node.value))
                    bound.setdefault(name, set()).update(one for part in below for one in _bound_in(part))
        names = {name for name in self.names if read[name] == written[name]}
        for _ in range(len(names)):  # what names read that are read themselves
            for own in letters.values():
                own.update(*(letters[name] for name in own & letters.keys()))
            names = {name for name in names if letters[name].isdisjoint(bound[name]) and not letters[name] & (self.assigned - names)}
        return replace(self, names=names)


def _blocks(body: Sequence[ast.Statement]) -> Iterator[tuple[ast.Statement, ...]]:
    """The blocks of statements below statements."""
    for node in statements_in(body):
        match node:
            case ast.For(body=inner) | ast.While(body=inner) | ast.EquationGroup(body=inner):
                yield inner
            case ast.If(branches=branches, otherwise=otherwise):
                yield from (branch.body for branch in branches)
                yield otherwise or ()
            case _:
                pass


def _bound_in(node: ast.Node) -> set[Name]:
    match node:
        case ast.Definition(function=(_, parameters)):
            return names_bound_in(node) | {name for one in parameters if (name := word_of(one)) is not None}
        case _:
            return names_bound_in(node)


def _with(node: _N, name: Name, value: ast.Expression, labelled: Set[ast.Expression]) -> _N:
    """A node with an index for a name: alone where indices stand, else in a parenthesis; `W_j` that is declared stays."""

    def alone(items: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
        return tuple(replace(value, span=item.span) if word_of(item) == name else item for item in items)

    def change(below: ast.Node) -> ast.Node:
        match below:
            case ast.Identifier() if word_of(below) == name:
                return value if isinstance(value, ast.Number | ast.Identifier) else ast.Group((value,), span=below.span)
            case ast.Binary(operator="+" | "-" as operator, left=left, right=ast.Number(text=text)) if (
                text.isdigit() and word_of(left) == name
            ):
                return shifted(value, int(text) if operator == "+" else -int(text))
            case ast.Scripts() if labelled and replace(below, superscript=None) in labelled:
                return below
            case ast.Scripts(subscripts=items) if any(word_of(item) == name for item in items):
                return transform(replace(below, subscripts=alone(items)), change)
            case ast.Indexing(items=items) if any(word_of(item) == name for item in items):
                return transform(replace(below, items=alone(items)), change)
            case _:
                return transform(below, change)

    return cast(_N, change(node))
