r"""Assignments to elements as assignments to the whole array, where what the elements are at each turn is not proved.

for i: x_i \gets e      ->      for i: x \gets x with e at x_i

The array is then a name like any other: a loop hands it from turn to turn, a branch selects one of its values, and an element is read
of what the array is at that place of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from operator import itemgetter
from typing import TypeVar

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.names.names import Name, readable
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.names.versions import Meaning, parts_of_update
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import with_bodies

_S = TypeVar("_S")
_T = TypeVar("_T")


@dataclass(frozen=True)
class WholeArrays:
    """The arrays whose elements are assigned as parts of the whole, `everywhere`: zeros before the first statement that assigns them
    where they have no value, or vectors of zeros."""

    everywhere: frozenset[Name] = frozenset()
    of_vectors: bool = False


class Unproved(MathdslError):
    """What is not proved of the elements of an array; `mistakes` are what is wrong with the program if these are all elements."""

    def __init__(self, element: Element, mistakes: MathdslError | None = None) -> None:
        super().__init__(*self.mistake(readable(element.head), element.span).diagnostics)
        self.element = element
        self.mistakes = mistakes

    @staticmethod
    def mistake(name: str, span: Span) -> MathdslError:
        """What is said of it where nothing else helps."""
        what = f"`{name}`, whose elements change in an order that is not found and which has no value as a whole before,"
        advice = (
            rf"give every element of `{name}` a value before, as in `{name} \gets \mathbf{{0}}_n`; turns that go down are `T, \dots, 1`"
        )
        return unsupported(what, span, advice)


class Unbegun(Unproved):
    """An array of which nothing says how many elements it has, while they are assigned at places that the program computes."""

    @staticmethod
    def mistake(name: str, span: Span) -> MathdslError:
        """What is said of it where nothing else helps."""
        help = rf"begin with `{name} \gets \mathbf{{0}}_n`, or declare it, as in `{name} \in \mathbb{{R}}^n`"
        return refuse("E0701", f"nothing says how many elements `{name}` has, whose places are computed", span, help=help)


def carrying_what_is_unproved(order: Callable[[WholeArrays], _S], read: Callable[[_S], _T], arrays: frozenset[Name]) -> _T:
    """What is read of the statements in order, with these arrays carried whole, and then each one whose elements are not proved.

    Where a reading finds another mistake, the elements of what is carried may be vectors: that is looked at once.
    """
    carried, told, is_ordered = WholeArrays(arrays), list[tuple[int, MathdslError]](), False
    while True:
        try:
            is_ordered = False
            ordered = order(carried)
            is_ordered = True
            return read(ordered)
        except Unproved as found:
            told.append((1 if isinstance(found, Unbegun) else 2, found) if found.mistakes is None else (0, found.mistakes))
            if (head := found.element.head) in carried.everywhere:
                break
            carried = replace(carried, everywhere=carried.everywhere | {head})
        except MathdslError as found:
            own = tuple(f"`{readable(head)}`" for head in carried.everywhere)  # with shapes that carrying gives them
            is_own = all(d.code == "E0401" and d.message.startswith(own) for d in found.diagnostics)
            told.append((0 if is_ordered and not is_own else 3, found))
            if carried.of_vectors or not is_ordered or not carried.everywhere:
                break
            carried = replace(carried, of_vectors=True)
    raise min(told, key=itemgetter(0))[1]


def with_whole_arrays(reader: Reader, statements: tuple[ast.Statement, ...], heads: Set[Name]) -> tuple[ast.Statement, ...]:
    """The statements in which elements of these arrays are assigned as parts of the whole."""
    return _block(reader, statements, frozenset(), heads) if heads else statements


def _block(reader: Reader, statements: tuple[ast.Statement, ...], scope: Scope, heads: Set[Name]) -> tuple[ast.Statement, ...]:
    return tuple(_statement(reader, node, scope, heads) for node in statements)


def _statement(reader: Reader, node: ast.Statement, scope: Scope, heads: Set[Name]) -> ast.Statement:
    match node:
        case ast.Definition(targets=targets, values=values, domains=()) if len(targets) == len(values):
            return _definition(reader, node, scope, heads)
        case ast.For(binding=binding, body=body):
            return replace(node, body=_block(reader, body, scope | set(bound_names(binding)), heads))
        case _:
            return with_bodies(node, lambda body: _block(reader, body, scope, heads))


def _definition(reader: Reader, node: ast.Definition, scope: Scope, heads: Set[Name]) -> ast.Definition:
    arrays: dict[ast.Expression, ast.Expression] = {}
    for target, value in zip(node.targets, node.values, strict=True):
        array = _array_of(reader, target, scope, heads)
        if array is None and target in arrays:
            return node
        arrays[array or target] = value if array is None else updated(arrays.get(array, array), _place(reader, target, scope), value)
    if arrays.keys() == set(node.targets):
        return node
    if len(arrays) == 1:
        ((target, value),) = arrays.items()
        return replace(node, target=target, value=value)
    assert isinstance(node.target, ast.Group)
    assert isinstance(node.value, ast.Group)
    both = replace(node.target, items=tuple(arrays)), replace(node.value, items=tuple(arrays.values()))
    return replace(node, target=both[0], value=both[1])


def _array_of(reader: Reader, target: ast.Expression, scope: Scope, heads: Set[Name]) -> ast.Expression | None:
    """The array of which a target is a part; None where the target is no part of what is carried."""
    found = reader.split(target, scope)
    if found is None or found[1] is not None or found[0].head not in heads or found[0].is_whole or found[0].superscript is not None:
        return None
    return replace(found[0], subscripts=()).written(Meaning(1))


def _place(reader: Reader, target: ast.Expression, scope: Scope) -> ast.Expression:
    """A target as an element of its array, also where no letter of a loop says so: `z_2` is no name of its own."""
    found = reader.split(target, scope)
    if found is None or not isinstance(target, ast.Scripts) or not scope.isdisjoint(names_below(target)):
        return target
    return ast.Indexing(found[0].name, found[0].subscripts, of_script=True, span=target.span)


def updated(array: ast.Expression, place: ast.Expression, value: ast.Expression) -> ast.Expression:
    """The array with a value at one place."""
    return ast.Command("updated", ((array, place, value),), span=value.span)


def is_update(node: ast.Statement) -> bool:
    """Whether a statement assigns an element as a part of its array."""
    values = node.values if isinstance(node, ast.Definition) else ()
    return any(parts_of_update(value) is not None for value in values)
