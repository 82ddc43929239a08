r"""Versions of a name: the second value of `x`, and an element of it, `x[t]`, where a loop carries a family."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import transform

_N = TypeVar("_N", bound=ast.Node)
RESERVED = "reserved "  # begins the name of a macro of ours for a letter that is what it is reserved for, `2\pi`
FALSE, TRUE = r"\algoFalse", r"\algoTrue"
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


def kept(node: ast.Expression) -> ast.Expression:
    """What an element was, marked as read by us: the author reads nothing there."""
    return ast.Command("kept", ((node,),), span=node.span) if isinstance(node, (ast.Scripts, ast.Indexing)) else node


def unread(span: Span) -> ast.Expression:
    """A value of ours that nothing reads, shown as 0."""
    return ast.Command("unread", ((ast.Number("0", span=span),),), span=span)


def _unmarked(node: ast.Node) -> ast.Node:
    """What stands below our marks."""
    match node:
        case ast.Accent(accent=accent, body=body) if accent == SETTLED:
            return _unmarked(body)
        case ast.Command(name="kept" | "unread", arguments=((body,),)):
            return _unmarked(body)
        case ast.Command(name="result", arguments=((value,), (position, _))):
            return ast.Scripts(ast.Group((value,), span=node.span), (position,), span=node.span)
        case ast.Command(name=name, arguments=(items,)) if name.startswith(RESERVED):
            letter = ast.Identifier(name.removeprefix(RESERVED), span=node.span)
            if letter.text == "e":
                return ast.Scripts(letter, (), items[0], span=node.span)
            return ast.Juxtaposition((letter, *items), span=node.span) if items else letter
        case _:
            return node


def without_versions(node: _N) -> _N:
    """The node as the author would write it: every version is the plain name."""
    return cast(_N, _plain(node))


def _plain(node: ast.Node) -> ast.Node:
    if isinstance(node, (ast.Accent, ast.Command)):
        node = _unmarked(node)
        if isinstance(node, ast.Accent) and node.version:
            return _plain(node.body)
    return transform(node, _plain)


def as_written(node: _N) -> _N:
    """The node as the author writes it inside of the loops: without versions, and without the indices that count the turns."""
    return without_versions(cast(_N, _without_turns(node)))


def _without_turns(node: ast.Node) -> ast.Node:
    match node:
        case ast.Indexing(base=base, items=items, turns=turns) if turns == len(items):
            return _without_turns(base)
        case ast.Indexing(base=ast.Scripts(), items=items, turns=turns) if turns:
            node = replace(node, items=items[turns:], turns=0)
        case ast.Indexing(base=base, items=items, turns=turns, of_script=of_script) if turns:
            own = items[turns:]
            node = ast.Scripts(base, own, span=node.span) if of_script else replace(node, items=own, turns=0)
        case _:
            pass
    return transform(node, _without_turns)


def shown_definition(node: ast.Definition) -> ast.Definition:
    r"""A definition of ours as the comments of the generated code show it.

    What branches come to has the author's names; what only hands a value on tells the versions apart, `v^{(2)}[0] \gets v`.
    """
    if isinstance(node.value, ast.Cases):
        return without_versions(_shown_update(node, node.value))
    return cast(ast.Definition, _numbered(node))


def _shown_update(node: ast.Definition, value: ast.Cases) -> ast.Definition:
    r"""Branches that assign an element as a part of its array, as those of the element: `e` where the condition holds, else `x_i`."""
    updates = [parts_of_update(row.value) for row in value.rows]
    places = {parts[1] for parts in updates if parts is not None}
    if len(places) != 1:
        return node
    (place,) = places
    rows = (replace(row, value=place if parts is None else parts[2]) for row, parts in zip(value.rows, updates, strict=True))
    return replace(node, target=place, value=replace(value, rows=tuple(rows)))


def parts_of_update(node: ast.Expression) -> tuple[ast.Expression, ...] | None:
    """The array, the place and the value of an array with a value at one place; None for all else."""
    return node.arguments[0] if isinstance(node, ast.Command) and node.name == "updated" else None


def _numbered(node: ast.Node) -> ast.Node:
    if isinstance(node, (ast.Accent, ast.Command)):
        node = _unmarked(node)
    if isinstance(node, ast.Accent) and node.version:
        return ast.Scripts(node.body, (), ast.Group((ast.Number(str(node.version)),)), span=node.span)
    return transform(node, _numbered)
