r"""Elements in another case than an array that statements assign: `u_{jk}` beside `U \gets A`, `\ell_{jk}` beside `L \gets I_n`.

Asked about is what nothing declares and is written by its elements alone: where nothing assigns it, where what is assigned never comes to a
result, and of a matrix that is assigned whole and never written with indices. Left alone is what has more indices than the array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings.names import ELEMENT_OF_AN_ASSIGNED, LETTER_OF_AN_ARRAY
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import Name, is_capital, is_letter_of, readable, without_version, word_of
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.collected import Body
from mathdsl.elaborate.terms.terms import Ref, walk
from mathdsl.elaborate.types.shapes import rank_of
from mathdsl.elaborate.types.solvers import Types
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, statements_in


@dataclass(frozen=True)
class OtherLetter:
    """An element, the name that it has as an array of its own or as a symbol, and the array in another case."""

    node: ast.Scripts
    name: Name
    array: Name
    is_assigned: bool
    is_whole: bool  # the array is assigned whole, and never written with indices


@dataclass
class _Letter:
    """How statements write a letter: with indices, by the names that it has with them, and without."""

    elements: dict[Name, ast.Scripts] = field(default_factory=dict)
    assigned: dict[Name, ast.Scripts] = field(default_factory=dict)
    is_assigned_whole: bool = False
    is_read_whole: bool = False


def other_letters(procedure: ast.Procedure, families: Families) -> tuple[OtherLetter, ...]:
    """The elements that may be those of an array in another case: of each name the first that is assigned, or else that is read."""
    letters: dict[Name, _Letter] = {}
    for statement in statements_in(procedure.body):
        targets = statement.targets if isinstance(statement, ast.Definition) else ()
        for below in (*targets, *children(statement)):
            if not isinstance(below, ast.Statement):
                _record(families, letters, below, is_target=any(below is target for target in targets))
    arrays = [name for name in letters if is_capital(name) and name.is_plain]
    return tuple(_found(letters, arrays))


def _found(letters: dict[Name, _Letter], arrays: Sequence[Name]) -> Iterator[OtherLetter]:
    for name, letter in letters.items():
        if is_capital(name) or not name.is_plain or not letter.elements or letter.is_assigned_whole or letter.is_read_whole:
            continue
        for array in (one for one in arrays if is_letter_of(name, one)):
            whole = letters[array].is_assigned_whole and not letters[array].elements
            for head, node in {**letter.elements, **letter.assigned}.items():
                yield OtherLetter(node, head, array, head in letter.assigned, whole)


def _record(families: Families, letters: dict[Name, _Letter], node: ast.Node, *, is_target: bool) -> None:
    plain = unaccent(node) if isinstance(node, (ast.Accent, ast.Scripts)) else node
    below: tuple[ast.Node, ...] = children(plain)
    match plain:
        case ast.Scripts(base=base, subscripts=(_, *_)) if (letter_of := word_of(base)) is not None:
            split = families.split(plain, families.index_names)
            if split.head is not None and not (split.items and split.labels):
                letter = letters.setdefault(letter_of, _Letter())
                letter.elements.setdefault(split.head, plain)
                if is_target:
                    letter.assigned.setdefault(split.head, plain)
            below = below[1:]
        case ast.Identifier() | ast.Accent() if (head := word_of(plain)) is not None:
            letter = letters.setdefault(head, _Letter())
            letter.is_assigned_whole |= is_target
            letter.is_read_whole |= not is_target
            below = ()
        case _:
            pass
    for part in below:
        _record(families, letters, part, is_target=is_target and isinstance(plain, ast.Group))


def check_other_letters(types: Types, body: Body, found: Sequence[OtherLetter]) -> None:
    """Report the elements that may be those of an array in another case, now that it is known how many axes that has."""
    live: frozenset[Name] | None = None
    for one in found:
        array, own = types.entries.symbols.get((one.array, False)), types.entries.symbols.get((one.name, False))
        rank = None if array is None else rank_of(array.shape)
        items = _items(types, one, rank)
        if array is None or rank is None or not 0 < len(items) <= rank or own is not None and own.declared:
            continue
        row = None
        if one.is_assigned and (own is None or rank_of(own.shape) == (0 if one.name.labels else rank)):
            live = _live(types, body) if live is None else live
            is_split = one.is_whole and own is not None and len(items) == rank > 1
            row = ELEMENT_OF_AN_ASSIGNED if is_split or one.name not in live else None
        elif not one.is_assigned and own is not None and own.role in (Role.PARAMETER, Role.SETTING):
            row = LETTER_OF_AN_ARRAY if len(items) == rank > 1 or not one.name.labels else None
        if row is not None:
            written, element = render_expression(one.node), f"{array.latex}_{{{', '.join(items)}}}"
            labels = (Label(array.span, "the array"),) if array.span.file else ()
            name = readable(one.name)
            asked = undecided(row, one.node.span, labels=labels, written=written, array=array.latex, element=element, name=name)
            types.findings.report(asked)


def _items(types: Types, one: OtherLetter, rank: int | None) -> tuple[str, ...]:
    """The indices of an element, the digits of `u_{11}` each by itself where the array has so many axes; none of what is a label."""
    if not one.name.labels:
        return tuple(map(render_expression, one.node.subscripts))
    labels: tuple[Name, ...] = one.name.labels
    if len(labels) == 1 and rank != 1:
        labels = tuple(map(Name, labels[0])) if labels[0].is_number and len(labels[0]) == rank else labels[0].letters
    return labels if all(label.is_number or label in types.entries.sizes for label in labels) else ()


def _live(types: Types, body: Body) -> frozenset[Name]:
    """The names of what is returned or checked, and of all that it is made of."""
    reads: dict[Symbol, set[Symbol]] = {}
    for assignment in types.terms.assignments:
        found = {term.symbol for term in walk(assignment.value) if isinstance(term, Ref)}
        reads.setdefault(assignment.symbol, set()).update(found)
    live: set[Symbol] = set()
    waiting = [term.symbol for value in body.terms for term in walk(value) if isinstance(term, Ref)]
    while waiting:
        symbol = waiting.pop()
        if symbol not in live:
            live.add(symbol)
            waiting.extend(reads.get(symbol, ()))
    return frozenset(without_version(symbol.spelling) for symbol in live)
