r"""Reserved letters beside names of the author's own: `e`, `\pi`, `\sigma`, `\Gamma`, `I`.

A family takes nothing from the bare letter: beside `\pi_k`, `2\pi` is the number; beside `e_t`, `e^{x}` is the exponential; beside
`\sigma_i`, `\sigma(y)` is the function. A letter that the program has without an index is the author's, and is no more what it was
reserved for: both in one program are refused, and so is a bare letter of a family anywhere else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar, cast

from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings.names import RESERVED_FAMILY, RESERVED_LETTER
from mathdsl.diagnostics.readings.row import Ambiguity
from mathdsl.elaborate.names.classify import Families, is_transpose
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, without_version, word_of
from mathdsl.elaborate.names.spelling import base_of, unaccent
from mathdsl.elaborate.names.versions import RESERVED
from mathdsl.elaborate.report import undecided
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import declared_rows, statements_in, transform

_N = TypeVar("_N", bound=ast.Node)
LETTERS = {
    "e": ("the base of the exponential", r"\exp(x)"),
    r"\pi": ("the number", "3.141592653589793"),
    r"\sigma": ("the sigmoid", r"\Sigmoid(x)"),
    r"\Gamma": ("the gamma function", r"\operatorname{Gamma}(x)"),
    "I": ("the identity matrix", "I_n"),
}
FUNCTIONS = (r"\sigma", r"\Gamma")


def own_letters(procedure: ast.Procedure, wheres: tuple[ast.Where, ...]) -> frozenset[Name]:
    r"""Reserved letters that a program has without an index: `e \gets x_0`, `\sigma` in the header; not `\pi` beside a row for `\pi_k`."""
    given = [symbol for row in declared_rows(procedure, wheres) for symbol in row.symbols]
    families = {word_of(s.base) for s in map(unaccent, given) if isinstance(s, ast.Scripts)}
    targets = [target for node in statements_in(procedure.body) if isinstance(node, ast.Definition) for target in node.targets]
    bare = {word_of(symbol) for symbol in _names(given)} - families | {word_of(target) for target in targets}
    return frozenset(without_version(name) for name in bare if name is not None) & LETTERS.keys()


def _names(symbols: list[ast.Expression]) -> list[ast.Expression]:
    r"""The names in a header's items, also those in tuples and lists: `(e, f)`, `\{e\}^{L}`."""
    return [node for symbol in symbols if not isinstance(symbol, ast.Scripts) or word_of(symbol.base) is None for node in _below(symbol)]


def _below(symbol: ast.Expression) -> list[ast.Expression]:
    match symbol:
        case ast.Group(items=items) | ast.SetDisplay(items=items) | ast.Scripts(base=ast.SetDisplay(items=items)):
            return [name for item in items for name in _below(item)]
        case _:
            return [symbol]


def is_own(reader: Reader, spelling: Name) -> bool:
    """Whether a reserved letter is a name of the author's without an index, in scope where it is written."""
    letter = without_version(spelling)
    return letter in LETTERS and (letter in reader.written.own_letters and not reader.is_closed or spelling in reader.bound)


def is_family(reader: Reader, spelling: Name) -> bool:
    """Whether a reserved letter is the head of a family, and of nothing else."""
    letter = without_version(spelling)
    known = reader.find_symbol(spelling) is not None
    return letter in LETTERS and known and not is_own(reader, spelling)


def check_bare(reader: Reader, spelling: Name, span: Span) -> None:
    r"""Refuse `\pi` alone beside a family `\pi_k`."""
    if is_family(reader, spelling):
        raise both_readings(spelling, span, RESERVED_FAMILY)


def both_readings(spelling: Name, span: Span, row: Ambiguity = RESERVED_LETTER) -> MathdslError:
    """A reserved letter that can be what it is reserved for, or what the program has under that name."""
    letter = without_version(spelling)
    meaning, instead = LETTERS[letter]
    return undecided(row, span, letter=readable(letter), meaning=meaning, instead=instead)


# ---- what the letters are reserved for -----------------------------------------------------------


def is_exponential(reader: Reader, node: ast.Scripts, spelling: Name) -> bool:
    r"""Whether `e^{x}` is the exponential, where the program has an `e` too; refused where that has no index."""
    superscript = node.superscript
    if without_version(spelling) != "e" or node.subscripts or superscript is None or is_transpose(superscript):
        return False
    if reader.find_symbol(spelling, True) is not None or reader.find_bound(spelling) is not None:
        return False
    if is_own(reader, spelling):
        raise both_readings(spelling, node.span)
    return is_family(reader, spelling)


def read_pi(reader: Reader, factors: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    r"""A product whose `\pi` directly after a number, or among numbers alone, is the number: `2\pi`, `2\pi x`, `\pi \cdot 2`."""
    places = [k for k, factor in enumerate(factors) if (name := _pi(factor)) and (is_own(reader, name) or is_family(reader, name))]
    found = list(factors)
    for k in places:
        others = [factor for n, factor in enumerate(factors) if n not in places]
        if k and _is_number(found[k - 1]) or others and all(map(_is_number, others)):
            spelling = _pi(factors[k])
            if is_own(reader, spelling):
                raise both_readings(spelling, factors[k].span)
            found[k] = _number(factors[k])
    for k, (factor, behind) in enumerate(pairwise(factors)):
        if (name := _pi(factor)) and k not in places and _multiplies(behind, bool(k) and _is_number(found[k - 1])):
            if _is_nothing_else(reader, name):
                found[k] = _number(factor)
    return tuple(found)


def _multiplies(behind: ast.Expression, after_number: bool) -> bool:
    r"""Whether the parenthesis behind `\pi` holds a factor and no argument: a sum, `\pi (n + 0.5)`; after a number all but a name."""
    match behind:
        case ast.Group(items=(inner,)) | ast.Scripts(base=ast.Group(items=(inner,))):
            is_sum = isinstance(inner, ast.Binary) and inner.operator in ("+", "-")
            return is_sum or after_number and isinstance(inner, ast.Binary | ast.Juxtaposition | ast.Fraction | ast.Negative)
        case _:
            return False


def _is_nothing_else(reader: Reader, name: Name) -> bool:
    """Whether a reserved letter has its reserved meaning alone."""
    known = name in reader.bound or name in reader.functions or name in reader.aliases or reader.find_submodule(name) is not None
    return not (known or is_own(reader, name) or is_family(reader, name) or reader.find_symbol(name) is not None)


def check_assigned(node: ast.Expression, is_assigned: Callable[[ast.Expression], bool]) -> None:
    r"""Refuse a letter in its reserved meaning where the author's own value stands for it: `e^{x}` in a loop that assigns `e`."""
    found: ast.Expression | None
    match node:
        case ast.Scripts(base=ast.Identifier(text="e", font="", primes=0) as base, subscripts=(), superscript=power) if power is not None:
            found = None if is_transpose(power) else base
        case ast.Juxtaposition(factors=factors):
            functions = ((head, base_of(argument)) for head, argument in pairwise(factors) if word_of(head) in FUNCTIONS)
            called = (head for head, argument in functions if isinstance(argument, ast.Group))
            found = next((head for head in called if is_assigned(head)), None) or _pi_as_number(factors)
        case ast.Binary(operator=r"\cdot" | r"\times", left=left, right=right):
            found = _pi_as_number((left, right))
        case _:
            return
    if found is not None and is_assigned(found):
        raise both_readings(word_of(found) or NO_NAME, found.span)


def with_reserved_meanings(node: _N, letters: Set[Name], families: Families) -> _N:
    r"""The node with these letters as what they are reserved for, where they are that beside a family; refused where they stand alone.

    Their families are arrays that statements change, so that the letters alone are names of ours from here on.
    """

    above_it = families.superscripts

    def change(below: Any) -> Any:
        match below:
            case ast.Identifier() | ast.Accent() if word_of(below) in letters:
                raise both_readings(word_of(below) or NO_NAME, below.span, RESERVED_FAMILY)
            case ast.Scripts(base=base, subscripts=(), superscript=above) if above is not None and word_of(base) in letters - above_it:
                if word_of(base) == "e" and not is_transpose(above):
                    return _meant("e", below.span, change(above))
            case ast.Scripts(base=base, subscripts=items, superscript=above):
                moved = tuple(item if word_of(item) in letters else change(item) for item in items)
                raised, name = None if above is None else change(above), base if word_of(base) in letters else change(base)
                return replace(below, base=name, subscripts=moved, superscript=raised)
            case ast.Indexing(base=base, items=items) if word_of(base) in letters:
                return replace(below, items=tuple(map(change, items)))
            case ast.Juxtaposition(factors=factors):
                return transform(replace(below, factors=_factors(factors, letters, above_it)), change)
            case ast.Binary(operator=r"\cdot" | r"\times", left=left, right=right):
                changed = _factors((left, right), letters, above_it)
                return transform(replace(below, left=changed[0], right=changed[1]), change)
            case ast.Definition(function=(_, parameters)) if not letters.isdisjoint(filter(None, map(word_of, parameters))):
                return below
            case _:
                pass
        return transform(below, change)

    return cast(_N, change(node))


def _factors(factors: tuple[ast.Expression, ...], letters: Set[Name], indexed: Set[Name]) -> tuple[ast.Expression, ...]:
    r"""The factors of a product, where `2\pi` is the number and `\sigma(x)` the value of the function."""
    found: list[ast.Expression] = []
    numbers = letters - indexed
    others = [factor for factor in factors if _pi(factor) not in (numbers if isinstance(factor, ast.Scripts) else letters)]
    for factor in factors:
        head = found[-1] if found else None
        if head is not None and word_of(head) in letters and word_of(head) in FUNCTIONS and isinstance(base_of(factor), ast.Group):
            group = base_of(factor)
            called = _meant(word_of(head) or NO_NAME, head.span.to(group.span), group)
            found[-1] = replace(factor, base=called) if isinstance(factor, ast.Scripts) else called
        elif factor not in others and (head is not None and _is_number(head) or others and all(map(_is_number, others))):
            pi = _meant(r"\pi", factor.span)
            found.append(replace(factor, base=pi) if isinstance(factor, ast.Scripts) else pi)
        else:
            found.append(factor)
    return tuple(found)


def _meant(letter: str, span: Span, *operands: ast.Expression) -> ast.Command:
    """A letter as what it is reserved for, of these operands: no name stands there any more."""
    return ast.Command(RESERVED + letter, (operands,), span=span)


def in_words(node: ast.Command) -> ast.Expression | None:
    r"""What such a letter says without it: `\exp(x)` of `e^x`; None for any other macro."""
    if not node.name.startswith(RESERVED):
        return None
    letter, (operands,) = node.name.removeprefix(RESERVED), node.arguments
    if letter == r"\pi":
        return ast.Number(repr(math.pi), span=node.span)
    called = ast.Group(operands, span=node.span) if letter == "e" else operands[0]
    return ast.Juxtaposition((_FUNCTIONS[letter], called), span=node.span)


_FUNCTIONS = {"e": ast.Identifier(r"\exp"), r"\sigma": ast.Identifier(r"\Sigmoid"), r"\Gamma": ast.Identifier("Gamma", "operatorname")}


def _pi_as_number(factors: tuple[ast.Expression, ...]) -> ast.Expression | None:
    r"""The `\pi` of a product that is the number beside a family: directly after a number, or among numbers alone."""
    places = [k for k, factor in enumerate(factors) if _pi(factor)]
    others = [factor for n, factor in enumerate(factors) if n not in places]
    found = (factors[k] for k in places if k and _is_number(factors[k - 1]) or others and all(map(_is_number, others)))
    return next((factor.base if isinstance(factor, ast.Scripts) else factor for factor in found), None)


def _pi(node: ast.Expression) -> Name:
    r"""A bare `\pi`, perhaps to a power; no name for anything else."""
    base = node.base if isinstance(node, ast.Scripts) and not node.subscripts else node
    spelling = spelling_of(base) if isinstance(base, ast.Identifier | ast.Accent) else None
    return spelling if spelling is not None and without_version(spelling) == r"\pi" else NO_NAME


def _number(node: ast.Expression) -> ast.Expression:
    pi = ast.Number(repr(math.pi), span=node.span)
    return ast.Scripts(pi, (), node.superscript, span=node.span) if isinstance(node, ast.Scripts) else pi


def _is_number(node: ast.Expression) -> bool:
    match node:
        case ast.Number():
            return True
        case ast.Negative(operand=inner) | ast.Group(items=(inner,)) | ast.Root(radicand=inner, degree=None):
            return _is_number(inner)
        case ast.Fraction(numerator=left, denominator=right):
            return _is_number(left) and _is_number(right)
        case ast.Binary(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case ast.Scripts(base=base, subscripts=(), superscript=power) if power is not None:
            return _is_number(base) and _is_number(power)
        case _:
            return False


def is_function(reader: Reader, head: ast.Expression, following: ast.Expression | None) -> bool:
    r"""Whether `\sigma(y)` is the function, where the program has a `\sigma` too; refused where that has no index."""
    spelling = spelling_of(head) if isinstance(head, ast.Identifier | ast.Accent) else None
    group = following.base if isinstance(following, ast.Scripts) else following
    if spelling is None or without_version(spelling) not in FUNCTIONS or not isinstance(group, ast.Group):
        return False
    if is_own(reader, spelling) and not any(spelling in names for names in (reader.functions, reader.entries.submodules, reader.aliases)):
        raise both_readings(spelling, head.span)
    return is_family(reader, spelling)
