"""The order of constructor arguments: where sizes appear and settings are declared first, in the header, then in the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import Name, spelling_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children


@dataclass(frozen=True)
class Appearances:
    """The names of a program's declarations, numbered: `sizes` in the order of writing, `settings` in the order of declaration."""

    sizes: dict[Name, int] = field(default_factory=dict)
    settings: dict[Name, int] = field(default_factory=dict)

    @staticmethod
    def of(families: Families, header: Sequence[ast.Declaration], tables: Sequence[ast.Declaration]) -> Appearances:
        """A size that only ends a list in the header, `[h^1, \\dots, h^n]`, appears where a table declares it."""
        arguments = (part for item in header for part in children(item) if not isinstance(part, ast.ListDisplay))
        declared = (symbol for row in (*header, *tables) for symbol in row.symbols)
        return Appearances(_numbered(families, (*arguments, *tables)), _numbered(families, declared))

    def size(self, spelling: Name) -> int:
        """The place of a size; one that no declaration mentions comes last."""
        return self.sizes.get(spelling, len(self.sizes))

    def setting(self, spelling: Name) -> int:
        """The place of a setting; one that nothing declares comes last."""
        return self.settings.get(spelling, len(self.settings))


def _numbered(families: Families, nodes: Iterable[ast.Node]) -> dict[Name, int]:
    """The names below, outer before inner; the letters of a longer name are no names of their own."""
    found: dict[Name, int] = {}
    waiting = list(nodes)[::-1]
    while waiting:
        node = waiting.pop()
        plain = unaccent(node) if isinstance(node, (ast.Scripts, ast.Accent)) else node
        name = spelling_of(plain) if isinstance(plain, (ast.Identifier, ast.Accent, ast.Scripts)) else None
        if name is None or isinstance(plain, ast.Scripts) and families.split(plain, families.index_names).items:
            waiting += children(plain)[::-1]
        else:
            found.setdefault(name, len(found))
    return found
