r"""Assignments to elements as assignments to the whole array, where what the elements are at each turn is not proved.

for i: x_i \gets e      ->      for i: x \gets x with e at x_i

The array is then a name like any other: a loop hands it from turn to turn, a branch selects one of its values, and an element is read
of what the array is at that place of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Generic, TypeAlias, TypeVar

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.control.elements import Element, Reader, Scope
from mathdsl.elaborate.names.names import Name, readable, spelling_of
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
    """The arrays whose elements are assigned as parts of the whole.

    `parts`: those of a statement, by its place; in each turn of a loop as parts of the turn's own row, by the place of the loop's
    binding. `everywhere`: those of all statements, which are zeros before the first of them where they have no value; `of_vectors`:
    those among them whose elements are arrays.
    """

    parts: Mapping[Span, frozenset[Name]] = field(default_factory=dict)
    everywhere: frozenset[Name] = frozenset()
    of_vectors: frozenset[Name] = frozenset()

    def at(self, span: Span) -> frozenset[Name]:
        """The arrays that are carried from a place on."""
        return self.parts.get(span, frozenset())

    @property
    def heads(self) -> frozenset[Name]:
        """All arrays that are carried somewhere."""
        return self.everywhere.union(*self.parts.values())


class Unproved(MathdslError):
    """What is not proved of the elements of an array; `path` are the statements around and the bindings of loops, innermost first.

    `mistakes` are what is wrong with the program if these are all elements.
    """

    def __init__(self, element: Element, path: tuple[Span, ...] = (), mistakes: MathdslError | None = None) -> None:
        super().__init__(*self.mistake(readable(element.head), element.span).diagnostics)
        self.element = element
        self.path = path
        self.mistakes = mistakes

    @staticmethod
    def mistake(name: str, span: Span) -> MathdslError:
        """What is said of it where nothing else helps."""
        what = f"`{name}`, whose elements change in an order that is not found and which has no value as a whole before,"
        return unsupported(what, span, f"give every element of `{name}` a value before")


class Unbegun(Unproved):
    """An array of which nothing says how many elements it has, while they are assigned at places that the program computes."""

    @staticmethod
    def mistake(name: str, span: Span) -> MathdslError:
        """What is said of it where nothing else helps."""
        help = rf"begin with `{name} \gets \mathbf{{0}}_n`, or declare it, as in `{name} \in \mathbb{{R}}^n`"
        return refuse("E0701", f"nothing says how many elements `{name}` has, whose places are computed", span, help=help)


def carrying_what_is_unproved(order: Callable[[WholeArrays], _S], read: Callable[[_S], _T], arrays: frozenset[Name]) -> _T:
    """What is read of the statements in order, with the arrays carried whole whose elements are not proved, as far around as that goes.

    `arrays` are carried through all statements from the start.
    """
    attempts, first = _Attempts(order, read), WholeArrays(everywhere=arrays)
    try:
        return attempts.made(first)
    except MathdslError:
        if not arrays:
            raise
        return attempts.made(replace(first, of_vectors=arrays))


@dataclass
class _Attempts(Generic[_S, _T]):
    """The ways in which statements have been read, none of them twice; `mistakes`: of the first that had an order.

    `unbegun`: of the first that only lacked first values.
    """

    order: Callable[[WholeArrays], _S]
    read: Callable[[_S], _T]
    failed: list[WholeArrays] = field(default_factory=list)
    mistakes: MathdslError | None = None
    unbegun: Unbegun | None = None

    def made(self, carried: WholeArrays) -> _T:
        """What is read with these arrays carried, and with more where that is not enough."""
        try:
            ordered = self.order(carried)
            try:
                return self.read(ordered)
            except MathdslError as found:
                if not isinstance(found, Unproved):
                    self.mistakes = self.mistakes or found
                raise
        except Unproved as found:
            self.mistakes = self.mistakes or found.mistakes
            head = found.element.head
            if isinstance(found, Unbegun):
                self.unbegun = self.unbegun or found
            for wider in _wider(carried, head, found.path):
                if wider not in self.failed:
                    try:
                        return self.made(wider)
                    except MathdslError:
                        self.failed.append(wider)
            raise self.mistakes or self.unbegun or found from found


def _wider(carried: WholeArrays, head: Name, path: tuple[Span, ...]) -> Iterator[WholeArrays]:
    """The next things to try: the array carried through one more statement, from the outermost on, at last everywhere.

    Where it is carried already, the branches inside are what is left to be executed in order, from the outermost on.
    """
    is_new = head not in carried.heads
    own = {span for span, heads in carried.parts.items() if head in heads}
    around = max((place for place, span in enumerate(path) if span in own), default=None)
    for place in reversed(range(len(path) if head not in carried.everywhere else 0)):
        span, parts = path[place], carried.parts
        if around is None:
            is_binding = place > 0 and not span.contains(path[place - 1])
            inside = {one for one in own if path[place + is_binding].contains(one)}
            less = {one: heads - {head} if one in inside else heads for one, heads in parts.items()}
            parts = {one: heads for one, heads in less.items() if heads}
        elif place >= around or span in own:
            continue
        yield replace(carried, parts={**parts, span: carried.at(span) | {head}})
        if around is not None:
            break
    if is_new:
        wider = replace(carried, everywhere=carried.everywhere | {head})
        yield wider
        yield replace(wider, of_vectors=carried.of_vectors | {head})


def with_whole_arrays(reader: Reader, statements: tuple[ast.Statement, ...], carried: WholeArrays) -> tuple[ast.Statement, ...]:
    """The statements in which elements of these arrays are assigned as parts of the whole, or of a row."""
    everywhere = dict.fromkeys(carried.everywhere, frozenset[Name]())
    return _block(reader, statements, carried, frozenset(), everywhere) if carried.heads else statements


_Heads: TypeAlias = Mapping[Name, Scope]  # arrays that are carried here, with the variables of the loops around whose rows they are


def _begun(heads: _Heads, carried: WholeArrays, span: Span, scope: Scope) -> _Heads:
    return {**dict.fromkeys(carried.at(span), scope), **heads}


def _block(
    reader: Reader, statements: tuple[ast.Statement, ...], carried: WholeArrays, scope: Scope, heads: _Heads
) -> tuple[ast.Statement, ...]:
    return tuple(_statement(reader, node, carried, scope, _begun(heads, carried, node.span, scope)) for node in statements)


def _statement(reader: Reader, node: ast.Statement, carried: WholeArrays, scope: Scope, heads: _Heads) -> ast.Statement:
    match node:
        case ast.Definition(targets=targets, values=values, domains=()) if heads and len(targets) == len(values):
            return _definition(reader, node, scope, heads)
        case ast.For(binding=binding, body=body):
            inside = scope | set(bound_names(binding))
            return replace(node, body=_block(reader, body, carried, inside, _begun(heads, carried, binding.span, inside)))
        case _:
            return with_bodies(node, lambda body: _block(reader, body, carried, scope, heads))


def _definition(reader: Reader, node: ast.Definition, scope: Scope, heads: _Heads) -> ast.Definition:
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


def _array_of(reader: Reader, target: ast.Expression, scope: Scope, heads: _Heads) -> ast.Expression | None:
    """The array, or its row, of which a target is a part; None where the target is no part of what is carried here."""
    found = reader.split(target, scope)
    if found is None or found[1] is not None or found[0].head not in heads or found[0].is_whole or found[0].superscript is not None:
        return None
    element = found[0]
    own = len(list(takewhile(lambda item: spelling_of(item) in heads[element.head], element.subscripts)))
    return None if own == len(element.subscripts) else replace(element, subscripts=element.subscripts[:own]).written(Meaning(1))


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
