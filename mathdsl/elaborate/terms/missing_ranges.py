r"""Indices of a left side without a range: which ones, and the widest range at which all elements that the statement reads exist.

`y_i \gets x_i - x_{i-1}` of `x \in \mathbb{R}^n` gets `\quad (i = 2, \dots, n)` offered. An axis that nothing gives a base counts from 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from itertools import zip_longest

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.names.classify import is_sign_below
from mathdsl.elaborate.names.lookups import index_scope
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, unaccent
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.indices import ends_a_range
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.types.shapes import expand
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children

_ENDS = {"t": "T", "s": "S", "i": "n", "j": "m", "k": "K", "l": "L", r"\ell": "L"}
_OTHER_ENDS = ("n", "m", "N", "M", "K", "L", "P", "Q", "R", "S", "T")


@dataclass(frozen=True)
class _Read:
    r"""An index letter where it counts the elements of an array: of `x_{i-1}` the letter `i`, at the distance -1 on axis 0 of `x`."""

    letter: Name
    symbol: Symbol
    axis: int
    distance: int
    span: Span


def check_ranges(reader: Reader, node: ast.Definition) -> None:
    r"""Refuse `y_i \gets 2 x_i` where nothing says what `i` runs over, and `x` has elements: `x_i` would be a symbol of its own."""
    for target in node.targets:
        free = {name for name in _letters(target) if not _has_meaning(reader, name)}
        read = list(_reads_below(reader, node.value, free)) if free else []
        reads = [*_reads(reader, target, free), *read] if free else []
        if any(one.symbol.spelling in reader.findings.faulty_names for one in reads):
            raise MathdslError()  # its declaration is a mistake, which is told there
        if reads:
            raise _without_ranges(reader, reads, None if read else target)
        head = word_of(base_of(target))
        known = free & reader.families.index_names if head is not None and reader.families.subscripts.get(head, 0) else set()
        counted = {letter for letters in _words(target) if known.issuperset(letters) for letter in letters}
        if head is not None and counted:
            raise _without_range(reader, head, sorted(counted), target.span)


def name_without_range(reader: Reader, spelling: Name, span: Span, read: Sequence[Range | None] = ()) -> MathdslError | None:
    """What is wrong with reading `y`, or its elements at these ranges, where only `y_i` is defined, without a range for `i`; None where
    nothing of the kind is defined."""
    for symbol in reader.entries.symbols.values():
        name = symbol.spelling
        letters = [one for label in name.labels for one in _each(label)]
        if symbol.role is not Role.VALUE or name.word != spelling or not letters or any(len(one) != 1 for one in letters):
            continue
        if all(letter.islower() and not _has_meaning(reader, letter) for letter in letters):
            other = f"; or read `{readable(name)}`, if that is a name of its own"
            label = Label(span, f"`{readable(spelling)}` is read here")
            return _without_range(reader, spelling, letters, symbol.span, (label,), other, read if len(read) == len(letters) else ())
    return None


def _without_range(
    reader: Reader,
    head: Name,
    letters: list[Name],
    span: Span,
    labels: tuple[Label, ...] = (),
    other: str = "",
    read: Sequence[Range | None] = (),
) -> MathdslError:
    """What is wrong with an array of which only an element is defined, by letters that nothing binds; it is read at these ranges."""
    ends: dict[Name, str] = {}
    for letter, known in zip_longest(letters, read):
        shown = None if known is None else [show_size(reader.types, one) for one in (known.lower, known.upper)]
        first, end = shown or ("1", own_end(reader, letter, set(ends.values())))
        ends.setdefault(letter, rf"{first}, \dots, {end}")
    ranges = ", ".join(f"{readable(letter)} = {end}" for letter, end in ends.items())
    one = len(ends) == 1
    what = " and ".join(f"`{readable(letter)}`" for letter in ends) + (" indexes " if one else " index ") + f"`{readable(head)}`"
    whose = "its range" if one else "their ranges"
    message = f"{what}, and {'has no range' if one else 'have no ranges'} here"
    return refuse("E0505", message, span, labels=labels, help=rf"write {whose} behind the statement, `\quad ({ranges})`{other}")


def _letters(target: ast.Expression) -> Iterator[Name]:
    """The names that stand alone among the indices of a left side; those of `ij` one by one."""
    return (letter for letters in _words(target) for letter in letters)


def _words(target: ast.Expression) -> Iterator[tuple[Name, ...]]:
    """The same, the letters of a word together: `last` of `r_{last}` is none of its letters."""
    for item in _indices(target):
        name = word_of(item)
        if name is not None and name.bare_text.isalpha() and not is_sign_below(item):
            yield _each(name)


def _indices(node: ast.Node) -> tuple[ast.Expression, ...]:
    plain = unaccent(node) if isinstance(node, ast.Accent) else node
    match plain:
        case ast.Scripts(subscripts=subscripts, superscript=superscript):
            return subscripts if superscript is None else (*subscripts, superscript)
        case ast.Indexing(items=items):
            return items
        case _:
            return ()


def _each(name: Name) -> tuple[Name, ...]:
    return tuple(map(Name, name.text)) if name.is_plain and name.text.isalpha() else (name,)


def _has_meaning(reader: Reader, name: Name) -> bool:
    """Whether a letter stands for something, so that it does not lack a range."""
    if (
        name in index_scope(reader)
        or name in reader.written.assigned_whole
        or reader.find_size(name) is not None
        or reader.find_symbol(name) is not None
    ):
        return True
    return reader.find_submodule(name) is not None or ends_a_range(reader, name)


def _reads_below(reader: Reader, node: ast.Node, free: Set[Name]) -> Iterator[_Read]:
    """The letters in an expression, where nothing in it binds them."""
    inner = free - set(_bound_in(node))
    if inner:
        yield from _reads(reader, node, inner)
        for child in children(node):
            yield from _reads_below(reader, child, inner)


def _reads(reader: Reader, node: ast.Node, free: Set[Name]) -> Iterator[_Read]:
    """The letters without a range in the indices of an array that the program has."""
    plain = unaccent(node) if isinstance(node, ast.Accent) else node
    if not isinstance(plain, (ast.Scripts, ast.Indexing)):
        return
    symbol = reader.find_symbol(word_of(plain.base) or NO_NAME)
    if symbol is None or not (symbol.declared or symbol.role is Role.INPUT and not reader.written.owns_rows):
        return
    shape, own = expand(symbol.shape), reader.find_symbol(spelling_of(plain) or NO_NAME, False)
    if own is not None or not shape.prefix and shape.rest is None:
        return
    below = plain.subscripts if isinstance(plain, ast.Scripts) else plain.items
    above = isinstance(plain, ast.Scripts) and symbol.has_superscript and plain.superscript is not None
    items = (*below, *_indices(plain)[-1:]) if above else below
    parts = [(part, item.span) for item in items for part in _parts(item, free)]
    if shape.rest is None and len(parts) > len(shape.prefix):
        return
    for axis, ((name, distance), span) in enumerate(parts):
        if name in free:
            yield _Read(name, symbol, axis, distance, span)


def _parts(item: ast.Expression, free: Set[Name]) -> Iterator[tuple[Name, int]]:
    """The letter of an index and its distance, `i` and -1 of `i - 1`; each of `ij`; no letter for any other index."""
    match item:
        case ast.Binary(operator="+" | "-" as sign, left=left, right=ast.Number(text=text)) if text.isdecimal():
            yield word_of(left) or NO_NAME, int(sign + text)
        case _:
            name = word_of(item) or NO_NAME
            letters = _each(name)
            yield from ((letter, 0) for letter in (letters if set(letters) & free else (name,)))


def _without_ranges(reader: Reader, reads: list[_Read], target: ast.Expression | None) -> MathdslError:
    """What is wrong with these reads; `target`, a left side with a letter that nothing else in the statement has, may be a name."""
    letters = list(dict.fromkeys(read.letter for read in reads))
    first = {letter: next(read for read in reads if read.letter == letter) for letter in letters}
    arrays = {read.symbol: [letter for letter in letters if first[letter].symbol is read.symbol] for read in first.values()}
    what = " and ".join(
        f"{' and '.join(f'`{readable(one)}`' for one in of)} {'index' if len(of) > 1 else 'indexes'} `{symbol.latex}`"
        for symbol, of in arrays.items()
    )
    is_one = len(letters) == 1
    taken: set[str] = set()
    ranges = [_widest(reader, letter, [read for read in reads if read.letter == letter], taken) for letter in letters]
    if None in ranges:
        exist = (f"`{read.symbol.latex}` has it for {(f'`{_widest(reader, read.letter, [read], taken)}`')}" for read in reads)
        help = "; ".join(("write a range behind the statement at which all elements exist", *dict.fromkeys(exist)))
    else:
        help = f"write {'its range' if is_one else 'their ranges'} behind the statement, `\\quad ({', '.join(map(str, ranges))})`"
        help += "".join(f"; `{one}` names a size that nothing else names" for one in sorted(taken))
    if target is not None and spelling_of(unaccent(target)) is not None:
        help += f"; or declare `{render_expression(target)}`, if that is a name of its own"
    place = reads[0].span
    return refuse("E0505", f"{what}, and {'has no range' if is_one else 'have no ranges'} here", place, help=help)


def _range(read: _Read) -> Range | None:
    """Where the array has the elements that are read, by the index letter; None where nothing tells its size."""
    symbol, shape = read.symbol, expand(read.symbol.shape)
    if symbol.family_ranges is not None and read.axis < len(symbol.family_ranges):
        known = symbol.family_ranges[read.axis]
        return Range(known.lower - read.distance, known.upper - read.distance)
    if read.axis >= len(shape.prefix):
        return None
    written = symbol.lowers[read.axis] if read.axis < len(symbol.lowers) else None
    lower = Poly.of(1) if written is None else written
    return Range(lower - read.distance, lower + shape.prefix[read.axis] - 1 - read.distance)


def _widest(reader: Reader, letter: Name, reads: list[_Read], taken: set[str]) -> str | None:
    """The range at which all elements exist, as it is written; None where ends cannot be compared."""
    solver = reader.types.solver
    known = [bounds for read in reads if (bounds := _range(read)) is not None]
    if not known:
        lowest = max(1 - read.distance for read in reads)
        end = own_end(reader, letter, taken)
        taken.add(end)
        return rf"{readable(letter)} = {lowest}, \dots, {end}"
    lower, upper = (solver.value(bound) for bound in (known[0].lower, known[0].upper))
    for bounds in known[1:]:
        below, above = (solver.value(bounds.lower) - lower).constant, (solver.value(bounds.upper) - upper).constant
        if below is None or above is None:
            return None
        lower, upper = lower + max(below, 0), upper + min(above, 0)
    return rf"{readable(letter)} = {show_size(reader.types, lower)}, \dots, {show_size(reader.types, upper)}"


def own_end(reader: Reader, letter: Name, taken: Collection[str]) -> str:
    """A letter for the size of an axis that nothing names, which the program does not write."""
    ends = (_ENDS.get(letter, "n"), *_OTHER_ENDS)
    return next((end for end in ends if end not in reader.written.mentioned and end not in taken), "N")


def _bound_in(node: ast.Node) -> list[Name]:
    match node:
        case ast.Reduction(subscript=subscript) if subscript is not None:
            return bound_names(subscript)
        case ast.Comprehension():
            return bound_names(node)
        case ast.Scripts(base=ast.Group() | ast.ListDisplay() | ast.SetDisplay(), subscripts=subscripts):
            return [name for item in subscripts for name in bound_names(item)]
        case _:
            return []
