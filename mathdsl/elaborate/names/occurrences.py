"""The names of a program where they are written, with the index variables there and with what spells them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from typing import Any, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import NO_NAME, Name, word_of
from mathdsl.elaborate.names.side_by_side import Place
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, descendants


@dataclass(frozen=True)
class Occurrence:
    """A name where it is written: `role` says whether a header, a row or a left side spells it."""

    node: ast.Expression
    scope: Set[Name]
    role: str = ""

    @property
    def base(self) -> Name:
        """The name without its scripts."""
        return word_of(self.node.base if isinstance(self.node, ast.Scripts) else self.node) or NO_NAME


def occurrences(node: ast.Node, place: Place, role: str = "") -> Iterator[Occurrence]:
    """The names below."""
    inside = place.inside(node)
    match node:
        case ast.Procedure(body=body, wheres=wheres):
            for rows, kind in ((header_rows(node), "header"), (body, ""), (wheres, "")):
                for row in rows:
                    yield from occurrences(row, inside, kind)
        case ast.Declaration(symbols=symbols):
            for symbol in symbols:
                yield from occurrences(symbol, inside, role or "row")
        case ast.Definition(targets=(_, *_) as targets, value=value):
            for target in targets:
                yield from occurrences(target, inside, "target")
            yield from occurrences(value, inside)
        case ast.Group() | ast.SetDisplay():
            for item in node.items:
                yield from occurrences(item, inside, role)
        case ast.Accent() | ast.Identifier() | ast.Scripts():
            plain = unaccent(node)
            found = Occurrence(plain, inside.scope, role)
            if found.base:
                yield found
            for below in children(plain)[bool(found.base) :] if isinstance(plain, ast.Scripts) else ():
                yield from occurrences(below, inside, "" if found.base else role)
        case _:
            for below in children(node):
                yield from occurrences(below, inside)


def header_rows(node: ast.Procedure) -> tuple[ast.Declaration, ...]:
    return (*node.inputs, *(node.owned or ()))


def spelled_in(node: ast.Node) -> tuple[ast.Expression, ...]:
    """What a row, an item of a header or a definition spells."""
    match node:
        case ast.Declaration(symbols=symbols):
            return symbols
        case ast.Definition(targets=targets):
            return targets
        case _:
            return ()


Kinds: TypeAlias = dict[type[ast.Node], list[Any]]  # the nodes of a document by what they are


def by_kind(document: ast.Document) -> Kinds:
    """The nodes of a document."""
    kinds: Kinds = defaultdict(list)
    for node in descendants(document):
        kinds[type(node)].append(node)
    return kinds


def spelled_by(kinds: Kinds) -> Iterator[ast.Expression]:
    """What rows, headers and left sides spell."""
    return (symbol for node in (*kinds[ast.Declaration], *kinds[ast.Definition]) for symbol in spelled_in(node))


def in_headers(kinds: Kinds) -> Iterator[ast.Expression]:
    """The items of headers."""
    return (symbol for node in kinds[ast.Procedure] for row in header_rows(node) for symbol in row.symbols)
