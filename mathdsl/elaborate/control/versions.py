r"""Versions of a name: the second value of `x`, and an element of it, `x[t]`, where a loop carries a family."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar, cast

from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import transform

_N = TypeVar("_N", bound=ast.Node)
SETTLED = "settled"  # marks an expression that has been read already, with the versions of its own place


@dataclass(frozen=True)
class Meaning:
    """What a name stands for at a place: a version of it, at an element of its leading axes (the loops around it)."""

    version: int
    prefix: tuple[ast.Expression, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is the author's own name."""
        return self.version == 1 and not self.prefix


def versioned(name: ast.Expression, version: int) -> ast.Expression:
    """A name, perhaps with name-subscripts, as one of its versions; the first is the name itself."""
    if version == 1:
        return name
    match name:
        case ast.Scripts(base=base):
            return replace(name, base=versioned(base, version))
        case _:
            return ast.Accent(f"version{version}", name, version, span=name.span)


def settled(node: ast.Expression) -> ast.Expression:
    """The expression marked as read."""
    return ast.Accent(SETTLED, node, span=node.span)


def without_versions(node: _N) -> _N:
    """The node as the author would write it: every version is the plain name."""
    return cast(_N, _plain(node))


def _plain(node: ast.Node) -> ast.Node:
    if isinstance(node, ast.Accent) and (node.version or node.accent == SETTLED):
        return _plain(node.body)
    return transform(node, _plain)


def shown_definition(node: ast.Definition) -> ast.Definition:
    r"""A definition of ours as the comments of the generated code show it.

    What branches come to has the author's names; what only hands a value on tells the versions apart, `v^{(2)}[0] \gets v`.
    """
    if isinstance(node.value, ast.Cases):
        return without_versions(_shown_update(node, node.value))
    return cast(ast.Definition, _numbered(node))


def _shown_update(node: ast.Definition, value: ast.Cases) -> ast.Definition:
    r"""Branches that assign an element as a part of its array, as those of the element: `e` where the condition holds, else `x_i`."""
    places = [row.value.arguments[0][1] for row in value.rows if isinstance(row.value, ast.Command) and row.value.name == "updated"]
    if len(set(places)) != 1:
        return node
    rows = (replace(row, value=row.value.arguments[0][2] if isinstance(row.value, ast.Command) else places[0]) for row in value.rows)
    return replace(node, target=places[0], value=replace(value, rows=tuple(rows)))


def _numbered(node: ast.Node) -> ast.Node:
    if isinstance(node, ast.Accent) and node.version:
        return ast.Scripts(node.body, (), ast.Group((ast.Number(str(node.version)),)), span=node.span)
    return transform(node, _numbered)
