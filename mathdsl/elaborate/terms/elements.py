r"""Elements of arrays: which array scripts index and where, and brackets, `h_{t-1}^{\ell}`, `h[t-1]`, `x[1:3]`, `X_{\cdot,k}`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Label, MathdslError
from mathdsl.diagnostics.readings.names import WORD_OF_INDICES
from mathdsl.diagnostics.readings.types import INDEX_OR_POWER
from mathdsl.elaborate.names.classify import Element, Known, Split, Subscripts, Superscript, classify, superscript_of
from mathdsl.elaborate.names.classify import Label as Named
from mathdsl.elaborate.names.lookups import axis_position, find_array, index_scope, is_indexed, is_word, lookup, neither_name_nor_product
from mathdsl.elaborate.names.names import NO_NAME, RESERVED_SYMBOLS, Name, is_number_letter, labelled_name, readable, spelling_of, word_of
from mathdsl.elaborate.names.reserved import is_family
from mathdsl.elaborate.names.side_by_side import NO_FACTORS, element_or_name, element_or_row, factors_of
from mathdsl.elaborate.names.spelling import identifiers, is_positive_part, is_whole_axis, takes_several, unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.elaborate.terms import conditions
from mathdsl.elaborate.terms.callees import names_builtin
from mathdsl.elaborate.terms.collected import Reference
from mathdsl.elaborate.terms.indices import as_poly, check_ascending
from mathdsl.elaborate.terms.missing_ranges import name_without_range
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import (
    Elementwise,
    Faulty,
    NumberTerm,
    Position,
    Product,
    Ref,
    SizeTerm,
    SliceIndex,
    Term,
    Whole,
    names_within,
)
from mathdsl.elaborate.types.shapes import Shape, expand, rank_of
from mathdsl.elaborate.types.shapes import find_element as find_element_type
from mathdsl.ir import nodes as ir
from mathdsl.ir.nodes import Range
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants

_INDICATOR = Name("1", "mathbb")


def is_known(reader: Reader, spelling: Name) -> bool:
    """Whether a name is declared, defined or bound."""
    is_module = reader.find_submodule(spelling) is not None
    return is_module or has_value(reader, spelling) or spelling in reader.functions or spelling in reader.aliases


def find_indicator(reader: Reader, head: ast.Expression, bracket: ast.Expression | None = None) -> ast.Expression | None:
    """The condition behind an indicator that is no name of the program's."""
    condition = conditions.indicated(head, bracket)
    return None if condition is None or is_known(reader, word_of(head) or NO_NAME) else condition


def has_value(reader: Reader, spelling: Name) -> bool:
    """Whether a name stands for an array, a size or what is bound: not for a function or a module, which an index of its name shadows."""
    return spelling in reader.bound or reader.find_symbol(spelling) is not None or reader.find_size(spelling) is not None


def is_free_below(reader: Reader, name: Name) -> bool:
    r"""Whether a letter is an index below an operator though a value has it: it is written by its elements, `k_i`, or defined right here,
    `k \gets \arg\min_k e`."""
    symbol = reader.find_symbol(name)
    if symbol is None or symbol.role is not Role.VALUE:
        return False
    return reader.families.subscripts.get(name, 0) > 0 or reader.origin.span.contains(symbol.span)


def find_element(reader: Reader, node: ast.Scripts) -> tuple[Symbol, tuple[Position, ...], Superscript | None] | None:
    """The array and positions that scripts index, and a superscript that is left over; None where the scripts name."""
    scope, known = index_scope(reader), Symbols(reader)
    found, letters = classify(reader.families, node, scope, known), superscript_letters(reader, node)
    if isinstance(found, Named):
        symbol = reader.find_symbol(found.head, False)
        if symbol is not None and (node.subscripts or node.superscript is None):
            _check_bound(reader, node, symbol)
            return symbol, (), found.left
        if (
            not letters
            or not (not reader.is_closed and not is_known(reader, found.head) and found.head not in RESERVED_SYMBOLS)
            or is_number_letter(found.head)
        ):
            return None
        if letters != (spelling_of(node.superscript or node),):
            raise element_or_power(readable(found.head), node.span, letters[0])
        found = Element(found.head, found.labels, (), left=found.left)
    if found is None:
        return None
    above = found.above
    symbol = reader.find_symbol(found.head, above is not None) or (
        reader.find_symbol(found.head, True) if node.superscript is None else None
    )
    if symbol is None:
        symbol, above = _undeclared_family(reader, node, found.head, found.items), node.superscript if letters else None
    if above is None and symbol.source is Source.DECLARATION and symbol.has_superscript and not symbol.subscripts:
        written, index = readable(found.head), render_expression(found.items[0])
        raise refuse(
            "E0402",
            f"the index of `{written}` stands above in its declaration, and below here",
            node.span,
            labels=(Label(symbol.span, "declared here"),),
            help=f"write `{written}^{{{index}}}` for an element of `{written}`, or the index below in the declaration",
        )
    _check_digits(reader, symbol, found.items, node.span)
    positions: tuple[Position, ...] = tuple(read_position(reader, item) for item in found.items)
    if above is None:
        is_lost = found.left is None and node.superscript is not None  # above what turned out to be no family
        return symbol, positions, superscript_of(node, node.superscript, scope, known) if is_lost and node.superscript else found.left
    rows: tuple[Position, ...] = (Whole(),) * (symbol.subscripts - len(positions))
    below, inside = positions[: symbol.subscripts], positions[symbol.subscripts :]  # elements of what `c^l` defines
    return symbol, (*below, *rows, read_position(reader, above), *inside), None


def _check_bound(reader: Reader, node: ast.Scripts, symbol: Symbol) -> None:
    r"""Refuse a number that a row declares with an index of this place, `\mu_d \in \mathbb{R}` in `\sum_d \mu_d`: it may be an element.

    A word that is declared stays one name, `w_{ij}`, which is told where its letters are indices.
    """
    scope = {binder.spelling for binder in reader.binders}
    letters = dict.fromkeys(render_expression(item) for item in node.subscripts if word_of(item) in scope)
    if symbol.source is not Source.DECLARATION or rank_of(symbol.shape) != 0:
        return
    if letters:
        shown, first = render_expression(replace(node, superscript=None)), next(iter(letters))
        ranges = ", ".join(rf"{letter} = 1, \dots, n" for letter in letters)
        raise refuse(
            "E0505",
            f"`{shown}` is read where `{first}` runs, and is declared without a range for `{first}`",
            node.span,
            labels=(Label(symbol.span, "declared here"),) if symbol.span.file else (),
            help=f"write `{shown} \\in …, {ranges}` for an array, and another letter than `{first}` for a name",
        )
    if any(isinstance(item, ast.Identifier) and not item.font and scope.issuperset(map(Name, item.text)) for item in node.subscripts):
        reader.findings.note(WORD_OF_INDICES, symbol.latex, node.span)


@dataclass(frozen=True)
class Symbols(Known):
    """What the symbols of a program tell of names where a value is read."""

    reader: Reader

    def is_name(self, whole: Name, node: ast.Scripts, items: Subscripts) -> bool:
        reader = self.reader
        plain, family = reader.find_symbol(whole, False), reader.find_symbol(whole, True)
        if plain is not None and not _may_index(reader, node, index_scope(reader)):
            return True
        is_declared = any(symbol is not None and symbol.declared for symbol in (plain, family))
        return (not items or is_declared) and (plain is not None or family is not None and node.superscript is not None)

    def is_array(self, head: Name) -> bool:
        return self.reader.find_symbol(head) is not None

    def all_index(self, node: ast.Scripts, split: Split) -> bool:
        """Whether every subscript can index an array that has one at each of these places: sizes, integers, and elements (`b_{j,O_1}`)."""
        reader, base = self.reader, word_of(node.base) or NO_NAME
        integers = [_is_integer(reader, item) for item in node.subscripts]
        stands = any(integers) and (base in reader.written.assigned_whole or base in reader.written.header_names)
        symbol = reader.find_symbol(base, False)
        is_open = symbol is not None and bool(expand(symbol.shape).prefix) and rank_of(symbol.shape) is None  # `h_{T,i}` of rows `h_t`
        return (stands or is_open or is_indexed(reader, base, len(node.subscripts))) and all(
            integer or self.is_index(item) or _is_element(reader, item) for integer, item in zip(integers, node.subscripts, strict=True)
        )

    def is_family(self, head: Name, count: int) -> bool:
        symbol = self.reader.find_symbol(head, False)
        is_read = self.reader.families.subscripts.get(head, 0) >= count
        return symbol is not None and (is_read or symbol.declared and len(expand(symbol.shape).prefix) >= count)

    def indexes_above(self, head: Name) -> bool:
        return self.reader.find_symbol(head, True) is not None

    def is_known(self, name: Name) -> bool:
        return is_known(self.reader, name)

    def is_index(self, item: ast.Expression) -> bool:
        bars = (node.items[0] for node in (item, *descendants(item)) if isinstance(node, ast.Bars) and node.kind == "|")
        return not any(is_scalar_name(self.reader, inside) for inside in bars) and as_poly(self.reader, item) is not None

    def may_index(self, item: ast.Expression) -> bool:
        return may_index(self.reader, item)


def is_scalar_name(reader: Reader, node: ast.Expression) -> bool:
    """Whether bars around that are no length: it has no name, or is an argument of which no element is read."""
    spelling = spelling_of(node)
    part = None if spelling is None else find_array(reader, node)
    if reader.written.is_function and part is not None and rank_of(part.symbol.shape) is None:
        return True  # an argument of a function has the least rank that its body needs
    indexed = reader.active_functions[-1].families if reader.active_functions else reader.families
    if spelling is not None and isinstance(reader.find_bound(spelling), Ref):
        return not (indexed.subscripts.get(spelling) or spelling in indexed.brackets)
    return spelling is None or spelling in reader.bound


def _may_index(reader: Reader, node: ast.Scripts, scope: set[Name]) -> bool:
    """Whether a name in the subscripts can index: an argument can where it is no real number and the base is an array without it."""
    names = [name for item in node.subscripts for name in identifiers(item) if name in scope]
    reals = [term for name in names if isinstance(term := reader.find_bound(name), Ref)]
    base = word_of(node.base) or NO_NAME
    is_array = reader.find_symbol(base) is not None or reader.find_bound(base) is not None
    is_real = any(find_element_type(term.symbol.element) is ir.Element.REAL for term in reals)
    return len(reals) < len(names) or not names or is_array and not is_real


def find_bound_element(reader: Reader, node: ast.Scripts) -> tuple[Term, tuple[ast.Expression, ...], Superscript | None] | None:
    r"""The term that a name with scripts is bound to, the subscripts that index it, and what is left above; None where none is bound.

    An argument hides every array of its name: `x_j` in `f(x) \gets \sum_j x_j` is an element of the argument.
    """
    found = classify(reader.families, node, index_scope(reader), Arguments(reader))
    term = None if found is None else reader.find_bound(found.head)
    return None if found is None or term is None else (term, found.items if isinstance(found, Element) else (), found.left)


@dataclass(frozen=True)
class Arguments(Known):
    """What is known of names that are bound to terms: arguments of functions, elements of what a comprehension runs over."""

    reader: Reader

    def is_known(self, name: Name) -> bool:
        return is_known(self.reader, name)

    def is_name(self, whole: Name, node: ast.Scripts, items: Subscripts) -> bool:
        return self.is_array(whole)

    def is_array(self, head: Name) -> bool:
        return self.reader.find_bound(head) is not None

    def all_index(self, node: ast.Scripts, split: Split) -> bool:
        """Whether all subscripts have values that index an argument; a symbol with such a label is another name."""
        whole = labelled_name(node.base, node.subscripts)
        if whole is not None and self.reader.find_symbol(whole) is not None and not all(isinstance(i, ast.Number) for i in node.subscripts):
            return False
        return self.is_array(word_of(node.base) or NO_NAME) and all(_has_index_value(self.reader, item) for item in node.subscripts)


def _has_index_value(reader: Reader, node: ast.Expression) -> bool:
    """Whether a subscript has a value that can index: a number, a size, an element, an array that is no real one."""
    if takes_several(node) or as_poly(reader, node) is not None or _is_element(reader, node):
        return True
    part = find_array(reader, node)
    return part is not None and find_element_type(part.symbol.element) is not ir.Element.REAL


def element_or_power(name: str, span: Span, letter: str = "t") -> MathdslError:
    """`\\gamma^t` where nothing says whether `\\gamma` has an axis for `t`."""
    return undecided(INDEX_OR_POWER, span, name=name, index=letter)


def superscript_letters(reader: Reader, node: ast.Scripts) -> tuple[Name, ...]:
    """The index variables that a superscript holds: with one, it would index what has an axis for it."""
    names = () if node.superscript is None else identifiers(node.superscript)
    scope = index_scope(reader)
    return tuple(name for name in names if name in scope)


def _is_integer(reader: Reader, node: ast.Expression) -> bool:
    r"""Whether a subscript is an integer that its names tell: `k`, `n - k` after `k \gets \arg\max_i x_i`."""
    names = set(identifiers(node))
    own = {name for name in names & reader.entries.integers if name not in reader.bound}
    return bool(own) and all(name in own or reader.find_size(name) is not None or reader.find_binder(name) for name in names)


def _is_element(reader: Reader, node: ast.Expression) -> bool:
    found = find_element(reader, node) if isinstance(node, ast.Scripts) else None
    return found is not None and bool(found[1]) and found[2] is None


def _check_digits(reader: Reader, symbol: Symbol, items: tuple[ast.Expression, ...], span: Span) -> None:
    """`A_{12}` of a matrix is its element at 1 and 2 for most readers, `A_{1k}` that at 1 and `k`; of vectors `x_{12}` is one."""
    check_factors(reader, symbol.latex, rank_of(symbol.shape), items, span)
    match items:
        case (ast.Number(text=digits),) if len(digits) > 1 and digits.isdigit():
            places: tuple[ast.Expression, ...] = tuple(map(ast.Number, digits))
        case (ast.Juxtaposition(factors=(ast.Number(text=digits), _)) as product,) if digits.isdigit():
            places = factors_of(product)
        case _:
            return
    is_matrix = not symbol.family_ranges or len(symbol.family_ranges) > 1
    is_read_by_two = reader.families.subscripts.get(symbol.spelling, 0) > 1
    if is_matrix and (is_read_by_two or len(expand(symbol.shape).prefix) > 1):
        raise element_or_row(symbol.latex, places, items, span)


def check_factors(reader: Reader, name: str, rank: int | None, items: tuple[ast.Expression, ...], span: Span) -> None:
    """`A_{i(i+1)}` is the element at `i` and `i + 1` for most readers, if `A` has axes for them; `A_{1j}` and `A_{0j}` are no products."""
    scope = index_scope(reader)
    factors = [factors_of(item) for item in items]
    are_several = rank != len(items) and any(sum(not scope.isdisjoint(identifiers(one)) for one in several) > 1 for several in factors)
    if any(isinstance(one, ast.Number) for several in factors for one in several[1:]):
        raise element_or_name(name, tuple(one for several in factors for one in several), items, span)
    if are_several or any(len(several) > 1 and several[0] in NO_FACTORS for several in factors):
        raise element_or_row(name, tuple(one for several in factors for one in several), items, span)


def _undeclared_family(reader: Reader, node: ast.Scripts, head: Name, items: tuple[ast.Expression, ...]) -> Symbol:
    """A family that nothing declares (`W_k`, `W^k` in a loop over `k`): an array with an axis for each index, listed as undeclared."""
    if head in reader.findings.faulty_names:
        raise MathdslError()  # its definition is a mistake, which is told there
    if reader.is_closed:
        raise MathdslError()  # the function's own error lists it
    superscript = (node.superscript,) if node.superscript is not None and superscript_letters(reader, node) else ()
    ranges: list[Range | None] = []
    for item in (*items, *superscript):
        binder = reader.find_binder(spelling_of(item) or NO_NAME)
        ranges.append(None if binder is None else binder.range)
    if without_range := name_without_range(reader, head, node.span, ranges):
        raise without_range
    if is_word(head) and not head.upright:
        advice = f"write a space between the factors, `{' '.join(head)}_{{…}}`, or declare `{head}`"
        raise neither_name_nor_product(head, node.base.span, advice)
    lowers = [None if r is None else r.lower for r in ranges]
    by_superscript = bool(superscript)
    symbol = Symbol(
        head,
        Role.PARAMETER,
        lowers=lowers,
        span=node.span,
        source=Source.USES,
        is_undeclared=True,
        has_superscript=by_superscript,
        subscripts=len(items),
    )
    sizes = (
        reader.types.solver.fresh() if r is None else (reader.types.solver.fresh() if r.extent.names & reader.types.lengths else r.extent)
        for r in ranges
    )
    symbol.shape = Shape(tuple(sizes), None if None in ranges else symbol.shape.rest)  # where one axis is marked, so are all
    return reader.entries.add_symbol(symbol)


def read_position(reader: Reader, node: ast.Expression) -> Position:
    """One index: an affine expression, a slice, or any integer value."""
    match node:
        case _ if is_whole_axis(node):
            return Whole()
        case ast.Slice(lower=lower, upper=upper):
            low = None if lower is None else as_poly(reader, lower, True)
            high = None if upper is None else as_poly(reader, upper, True)
            if low is None or high is None:
                raise unsupported(
                    "a slice with an open end or a computed bound", node.span, help="write both ends, `x[a:b]`, or none, `x[:]`"
                )
            check_ascending(reader, Range(low, high), node.span)
            return SliceIndex(Range(low, high))
        case _:
            value = as_poly(reader, node)
            return value if value is not None else reader.resolve(node)


def resolve_indexing(reader: Reader, node: ast.Indexing) -> Term:
    """`x[t]`, `x[t, i]`, `h[l][t]`."""
    items: tuple[ast.Expression, ...] = node.items
    base: ast.Expression = unaccent(node.base)
    is_indicator = spelling_of(base) == _INDICATOR and len(items) == 1 and not is_known(reader, _INDICATOR)
    condition = items[0] if is_indicator else find_indicator(reader, base, *items[:1])
    if condition is not None:
        return conditions.resolve_indicator(reader, condition, node.span)
    while isinstance(base, ast.Indexing) and not any(map(takes_several, base.items)):
        items = base.items + items
        base = unaccent(base.base)
    value = _indexed(reader, base)
    if len(items) - 1 == count_axes(value) and len(node.items) == 1 and not may_index(reader, items[-1]):
        element = element_of_value(reader, value, base, items[:-1], node.span) if items[1:] else value
        return Product("", element, reader.resolve(items[-1]), span=node.span)  # `w_n[a + b]` of real numbers
    if node.of_script and not node.turns and isinstance(value, Ref) and not value.positions:
        _check_digits(reader, value.symbol, items, node.span)
    found = element_of_value(reader, value, base, items, node.span)
    return replace(found, bracketed=found.bracketed and not node.of_script, turns=node.turns) if isinstance(found, Ref) else found


def _indexed(reader: Reader, base: ast.Expression) -> Term:
    r"""What brackets index; a reserved letter with an index is no bare one: `e[t]` of a family `e_t`."""
    spelling = spelling_of(base)
    found = lookup(reader, spelling, base.span) if spelling is not None and is_family(reader, spelling) else None
    return reader.resolve(base) if found is None else found


def count_axes(value: Term) -> int | None:
    """How many axes a value has that no index fixes; None where nothing is known of it yet."""
    match value:
        case Ref(symbol=symbol, positions=positions):
            rank = rank_of(symbol.shape)
            return None if rank is None else rank - sum(not isinstance(position, (Whole, SliceIndex)) for position in positions)
        case NumberTerm() | SizeTerm():
            return 0
        case _:
            return None


def is_integer(reader: Reader, node: ast.Expression) -> bool:
    """Whether a value is reckoned from indices, `n - j`, or an element of an array of integers."""
    if as_poly(reader, node) is not None:
        return True
    symbol = reader.find_symbol(spelling_of(node.base if isinstance(node, ast.Scripts | ast.Indexing) else node) or NO_NAME)
    return symbol is not None and find_element_type(symbol.element) is ir.Element.INTEGER


def may_index(reader: Reader, node: ast.Expression) -> bool:
    r"""Whether an expression can be an integer, as far as is known: `t + 1`, `\lfloor x \rfloor`, but not `y \log x`."""
    match node:
        case ast.Number(text=text):
            return text.isdigit()
        case ast.Fraction() | ast.Root() | ast.Binary(operator="/"):
            return as_poly(reader, node) is not None
        case ast.Identifier() | ast.Accent() | ast.Scripts() | ast.Indexing():
            base = node.base if isinstance(node, ast.Scripts | ast.Indexing) else node
            known = (reader.find_symbol(name) for part in (node, base) if (name := spelling_of(part)) is not None)
            symbol = next((symbol for symbol in known if symbol is not None), None)
            return symbol is None or find_element_type(symbol.element) is not ir.Element.REAL
        case ast.Juxtaposition(factors=(head, *_)) if names_builtin(reader, spelling_of(head)):
            return False
        case ast.Group() | ast.Negative() | ast.Binary() | ast.Juxtaposition():
            return all(may_index(reader, part) for part in _operands(node))
        case _:
            return True


def _operands(node: ast.Group | ast.Negative | ast.Binary | ast.Juxtaposition) -> tuple[ast.Expression, ...]:
    match node:
        case ast.Group(items=parts) | ast.Juxtaposition(factors=parts):
            return parts
        case ast.Negative(operand=operand):
            return (operand,)
        case ast.Binary(left=left, right=right):
            return (left, right)


def element_of_value(
    reader: Reader, value: Term, written: ast.Expression, items: tuple[ast.Expression, ...], span: Span, *, bracketed: bool = True
) -> Term:
    r"""`\softmax(z)[y]`, `(W x)_{i}`: an element of a value, which gets a name of our own where it has none; or its positive part."""
    if isinstance(value, Faulty):
        return value
    if is_positive_part(items):
        return Elementwise("maximum", (value, NumberTerm(0, span=span)), span=span)
    whole = named(reader, Name("value"), value)
    if not bracketed:
        rank, read = rank_of(whole.symbol.shape), sum(not isinstance(position, Whole) for position in whole.positions)
        check_factors(reader, render_expression(written), None if rank is None else rank - read, items, span)
    if not isinstance(value, Ref):
        whole.symbol.latex, whole.symbol.source = render_expression(written), Source.EXPRESSION
    positions = _further(whole.positions, [read_position(reader, item) for item in items], span)
    reader.terms.references.append(Reference(whole.symbol, positions, reader.binders, span))
    return Ref(whole.symbol, positions, bracketed=bracketed, span=span)


def named(reader: Reader, stem: Name, value: Term) -> Ref:
    """A value by its name; what has none gets one, so that it is computed once."""
    if isinstance(value, Ref):
        return value
    around = tuple(reader.binders)
    if any((b.range.lower.names | b.range.upper.names) & {other.name for other in around} for b in around):
        mentioned = names_within(value)  # what does not grow with an index has no axis for it
        around = tuple(b for b in around if b.name in mentioned)
    symbol = reader.temporary(stem, value, around)
    symbol.used = True
    return Ref(symbol, tuple(axis_position(b) for b in around), span=value.span)


def _further(known: tuple[Position, ...], more: list[Position], span: Span) -> tuple[Position, ...]:
    """The positions of an element of a part: of an axis that is read whole first, `X[:, 1][0]` is `X[0, 1]`."""
    found: list[Position] = []
    for position in known:
        if more and isinstance(position, SliceIndex):
            raise unsupported("an index on a slice", span, help="index the array itself, or give the slice a name")
        found.append(more.pop(0) if more and isinstance(position, Whole) else position)
    return (*found, *more)


def written_name(node: ast.Scripts) -> str:
    """A name with its subscripts, for a message."""
    head = word_of(node.base) or Name("…")
    items = (Name(r"\cdot") if is_whole_axis(item) else word_of(item) or Name("…") for item in node.subscripts)
    return readable(head.labelled(items))
