r"""Two arrays of one letter, told apart by how many subscripts they have: `h_t \algoEq \fla{h_{t,1}, \dots, h_{t,n}}` beside `h_{t,k}`.

They are different arrays where the shorter one has a definition of its own or is an input that is read with subscripts.
The longer one then is another version of the name. `c_t \algoEq \cat{c_{t,1}, \dots, c_{t,n}}` only names a row of `c_{t,k}`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.elaborate.names import word_of
from mathdsl.elaborate.single_assignment.versions import transform, versioned
from mathdsl.elaborate.spelling import Families, unaccent
from mathdsl.elaborate.usage import Usage
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants

_N = TypeVar("_N", bound=ast.Node)


def tell_families_apart(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> tuple[ast.Procedure, tuple[ast.Where, ...]]:
    """The procedure and the document's tables with the longer of two arrays of one letter as a version of its name."""
    families = Families()
    for node in (procedure, *wheres):
        families.scan(node, frozenset())
    longer = _longer_families(procedure, families)
    if not longer:
        return procedure, wheres
    return _renamed(procedure, longer), tuple(_renamed(where, longer) for where in wheres)


def _longer_families(procedure: ast.Procedure, families: Families) -> dict[str, int]:
    """The letters that stand for two arrays, and how many subscripts the longer one has."""
    own: dict[str, set[int]] = {}
    rows: dict[str, set[int]] = {}
    read: dict[str, set[int]] = {}
    for node in descendants(procedure):
        match node:
            case ast.Definition(target=target, value=value):
                place = _place(families, target)
                if place is not None:
                    (rows if _names_row(value, place[0]) else own).setdefault(place[0], set()).add(place[1])
            case ast.Scripts():
                place = _place(families, node)
                if place is not None:
                    read.setdefault(place[0], set()).add(place[1])
            case _:
                pass
    inputs = set(Usage.inputs_of(procedure))
    found: dict[str, int] = {}
    for head, counts in own.items():
        shorter = counts | (read.get(head, set()) if head in inputs else set())
        if min(shorter) < max(counts) and not rows.get(head):
            found[head] = max(counts)
    return found


def _place(families: Families, node: ast.Expression) -> tuple[str, int] | None:
    """The letter and the number of subscripts of an element without superscript."""
    plain = unaccent(node)
    if not isinstance(plain, ast.Scripts) or plain.superscript is not None:
        return None
    base, items = word_of(plain.base), families.index_items(plain, families.index_names)
    return (base, len(items)) if base is not None and items and families.head(plain, families.index_names) == base else None


def _names_row(value: ast.Expression, head: str) -> bool:
    r"""`\cat{c_{t,1}, \dots, c_{t,n}}`, as the value of something called `c`."""
    match value:
        case ast.Command(name="cat", arguments=((first, ast.Dots(), *_),)):
            plain = unaccent(first)
            return isinstance(plain, ast.Scripts) and word_of(plain.base) == head
        case _:
            return False


def _renamed(node: _N, longer: dict[str, int]) -> _N:
    def change(below: ast.Node) -> ast.Node:
        match below:
            case ast.Scripts(base=base, subscripts=subscripts) if longer.get(word_of(base) or "") == len(subscripts):
                return replace(cast(ast.Scripts, transform(below, change)), base=versioned(base, 2))
            case _:
                return transform(below, change)

    return cast(_N, change(node))
