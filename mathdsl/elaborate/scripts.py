r"""Subscripts, superscripts and brackets: `x_t`, `h_{t-1}^{\ell}`, `W_h`, `A^\top`, `x^2`, `h[t-1]`, `x[1:3]`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.elaborate import conditions, sequences
from mathdsl.elaborate import resolve as resolving
from mathdsl.elaborate.indices import as_poly, check_ascending, name_of, read_ascending
from mathdsl.elaborate.matrix_constants import SIZED_CONSTANTS, sized_constant
from mathdsl.elaborate.names import readable, spelling_of, with_subscript, word_of
from mathdsl.elaborate.norms import resolve_norm
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.shapes import Shape, expand
from mathdsl.elaborate.spelling import is_whole_axis, takes_several, unaccent
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import (
    Broken,
    Build,
    CaseTerm,
    Elementwise,
    NumberTerm,
    Position,
    PowerTerm,
    Ref,
    SliceIndex,
    Term,
    Transpose,
    Whole,
)
from mathdsl.elaborate.unit import Reference, Unit
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast

TRANSPOSES = (r"\top", r"\intercal", "T")


def index_scope(unit: Unit) -> set[str]:
    """The names that index where they stand in a script: index variables, and names bound to them."""
    return {b.spelling for b in unit.binders} | {name for name, terms in unit.bound.items() if terms}


def resolve_scripts(unit: Unit, node: ast.Scripts) -> Term:
    """A name with scripts, or a power, or a transpose."""
    if word_of(node.base) is None or isinstance(node.base, ast.Number):
        return _scripts_on_expression(unit, node)
    letters = _letters_with_scripts(unit, node)
    if letters is not None:
        return resolving.resolve(unit, letters)
    element = find_element(unit, node)
    if element is not None:
        symbol, positions, superscript_left = element
        symbol.used = True
        unit.references.append(Reference(symbol, positions, tuple(unit.binders), node.span))
        term: Term = Ref(symbol, positions, span=node.span)
        return term if superscript_left is None else power(unit, term, superscript_left, node)
    spelling = spelling_of(ast.Scripts(node.base, node.subscripts) if node.subscripts else node.base)
    if spelling is None:
        constant = sized_constant(unit, node)  # `I_{n + 1}`
        if constant is not None:
            return constant if node.superscript is None else power(unit, constant, node.superscript, node)
        raise refuse(
            "E0302",
            f"`{_written(node)}` is neither a name nor an element of a known array",
            node.span,
            help="declare the array, or use index variables that are in scope",
        )
    if node.superscript is None:
        return _plain(unit, node, spelling)
    if spelling == "e" and resolving.lookup(unit, "e", node.span) is None:
        return Elementwise("exp", (resolving.resolve(unit, node.superscript),), span=node.span)
    base = _plain(unit, ast.Scripts(node.base, node.subscripts, span=node.span), spelling)
    return power(unit, base, node.superscript, node)


def _letters_with_scripts(unit: Unit, node: ast.Scripts) -> ast.Expression | None:
    """`QK^\\top` where each letter is a known symbol: the scripts belong to the last letter."""
    base = node.base
    if not isinstance(base, ast.Identifier) or base.font or base.primes or not base.text.isalpha() or len(base.text) < 2:
        return None
    whole = spelling_of(ast.Scripts(base, node.subscripts)) if node.subscripts else base.text
    if any(is_known(unit, s) for s in (base.text, whole) if s is not None) or not all(is_known(unit, c) for c in base.text):
        return None
    start = base.span.start
    places = [replace(base.span, start=start + k, end=start + k + 1) for k in range(len(base.text))]
    factors = [ast.Identifier(c, span=place) for c, place in zip(base.text, places, strict=True)]
    unit.note_letters(base.text, base.span)
    last = ast.Scripts(factors[-1], node.subscripts, node.superscript, span=replace(node.span, start=places[-1].start))
    return ast.Juxtaposition((*factors[:-1], last), span=node.span)


def _plain(unit: Unit, node: ast.Scripts, spelling: str) -> Term:
    if not node.subscripts:
        return resolving.resolve_identifier(unit, node.base)
    known = resolving.lookup(unit, spelling, node.span)
    if known is not None:
        return known
    constant = sized_constant(unit, node)
    if constant is not None:
        return constant
    if not unit.owns_free_names:
        computed = _computed_element(unit, node)
        if computed is not None:
            return computed
        if word_of(node.base) in SIZED_CONSTANTS:
            raise unsupported(f"the constant `{readable(spelling)}`", node.span, help="declare it as a buffer with its values")
    return resolving.resolve_identifier(unit, ast.Scripts(node.base, node.subscripts, span=node.span))


def _computed_element(unit: Unit, node: ast.Scripts) -> Term | None:
    """`a_c` where `a` is an array and `c` a value, and no such name is declared: the element at that value."""
    base = word_of(node.base)
    array = unit.symbols.get((base or "", False))
    names = [spelling_of(item) for item in node.subscripts]
    values = [unit.symbols.get((name or "", False)) for name in names]
    if array is None or any(value is None for value in values):
        return None
    if not array.declared or len(expand(array.shape).prefix) < len(names):
        return None
    array.used = True
    positions = tuple(read_position(unit, item) for item in node.subscripts)
    unit.references.append(Reference(array, positions, tuple(unit.binders), node.span))
    return Ref(array, positions, span=node.span)


def _scripts_on_expression(unit: Unit, node: ast.Scripts) -> Term:
    if isinstance(node.base, ast.Scripts):
        inner = node.base
        if not inner.superscript or not inner.subscripts:
            merged = ast.Scripts(inner.base, inner.subscripts + node.subscripts, node.superscript or inner.superscript, span=node.span)
            if not (inner.superscript and node.superscript):
                return resolve_scripts(unit, merged)
    if isinstance(node.base, ast.Bars) and node.base.kind == "||" and len(node.base.items) == 1 and node.subscripts:
        norm = resolve_norm(unit, node.base.items[0], node.subscripts, node.base.span)
        return norm if node.superscript is None else power(unit, norm, node.superscript, node)
    if isinstance(node.base, ast.SetDisplay) and len(node.base.items) == 1 and not node.subscripts:
        if node.superscript is not None and word_of(node.superscript) not in TRANSPOSES:
            return sequences.repeated(unit, node.base.items[0], node.superscript, node.span)
    is_list = isinstance(node.base, (ast.Group, ast.ListDisplay, ast.SetDisplay)) and len(node.base.items) == 1
    if is_list and len(node.subscripts) == 1 and isinstance(node.subscripts[0], ast.Relation):
        return _sequence(unit, node.base, node.subscripts[0], node)
    if node.subscripts:
        raise unsupported("a subscript on an expression", node.span, help="give the expression a name first, then index the name")
    assert node.superscript is not None
    return power(unit, resolving.resolve(unit, node.base), node.superscript, node)


def _sequence(unit: Unit, base: ast.Expression, relation: ast.Relation, node: ast.Scripts) -> Term:
    """`(y_t)_{t=1}^{S}`, `[y_t]_{t=1}^{S}`, `\\{y_t\\}_{t=1}^{S}`: the sequence of the `y_t`."""
    if node.superscript is not None and relation.operators == ("=",):
        dots = ast.ListDisplay((relation.operands[1], ast.Dots(), node.superscript), span=node.span)
        relation = ast.Relation(("=",), (relation.operands[0], dots), span=relation.span)
    found = read_ascending(unit, relation)
    if found is None:
        raise refuse("E0505", "this is no range of an index", relation.span, help=r"write `(y_t)_{t=1}^{S}`")
    binder = unit.binder(name_of(found[0]), found[1], relation.span)
    with unit.within([binder]):
        body = base.items[0] if isinstance(base, (ast.Group, ast.ListDisplay, ast.SetDisplay)) else base
        return Build(binder, resolving.resolve(unit, body), span=node.span)


def power(unit: Unit, base: Term, superscript: ast.Expression, node: ast.Node) -> Term:
    """`base` to a superscript that does not index."""
    word = word_of(superscript)
    if word in TRANSPOSES:
        if word == "T" and is_known(unit, "T"):
            raise refuse(
                "E0304",
                "`^T` can be the transpose or the power by the symbol `T`",
                superscript.span,
                help=r"write `^\top` for the transpose, `^{(T)}` for the power",
            )
        return Transpose(base, span=node.span)
    exponent = resolving.resolve(unit, superscript)
    return PowerTerm(base, exponent, span=node.span)


def is_known(unit: Unit, spelling: str) -> bool:
    """Whether a name is declared, defined or bound."""
    tables = spelling in unit.sizes or spelling in unit.submodules or spelling in unit.functions or spelling in unit.aliases
    symbol = (spelling, False) in unit.symbols or (spelling, True) in unit.symbols
    return tables or symbol or unit.find_binder(spelling) is not None or bool(unit.bound.get(spelling))


# ---- elements of arrays ----------------------------------------------------------------------


def find_element(unit: Unit, node: ast.Scripts) -> tuple[Symbol, tuple[Position, ...], ast.Expression | None] | None:
    """The array and positions that scripts index, and a superscript that is left over; None where the scripts name."""
    scope = index_scope(unit)
    full = spelling_of(ast.Scripts(node.base, node.subscripts) if node.subscripts else node.base)
    if full is not None and not (unit.families.index_items(node, scope) and not _is_declared(unit, full)):
        found = _declared_element(unit, full, node)
        if found is not None:
            return found
    index = unit.families.index_items(node, scope)
    base = word_of(node.base)
    if index:
        head = unit.families.head(node, scope)
        if base is not None and len(index) < len(node.subscripts) and not _is_array(unit, head) and _all_index(unit, node, base):
            return _element(unit, node, base, node.subscripts)
        return None if head is None else _element(unit, node, head, index)
    if base is not None and node.subscripts and _all_index(unit, node, base):
        return _element(unit, node, base, node.subscripts)
    return None


def _is_array(unit: Unit, head: str | None) -> bool:
    return head is not None and any((head, flag) in unit.symbols for flag in (False, True))


def _all_index(unit: Unit, node: ast.Scripts, base: str) -> bool:
    """Whether every subscript can index an array that has one at each of these places: sizes, and elements of arrays (`b_{j,O_1}`)."""
    return _is_indexed(unit, base, len(node.subscripts)) and all(
        as_poly(unit, item) is not None or _is_element(unit, item) for item in node.subscripts
    )


def _is_element(unit: Unit, node: ast.Expression) -> bool:
    found = find_element(unit, node) if isinstance(node, ast.Scripts) else None
    return found is not None and bool(found[1]) and found[2] is None


def _is_declared(unit: Unit, spelling: str) -> bool:
    return any((symbol := unit.symbols.get((spelling, flag))) is not None and symbol.declared for flag in (False, True))


def _declared_element(unit: Unit, full: str, node: ast.Scripts) -> tuple[Symbol, tuple[Position, ...], ast.Expression | None] | None:
    """A symbol known by its whole name; with a superscript that indexes it, the element."""
    if node.superscript is not None and (full, True) in unit.symbols:
        symbol = unit.symbols[full, True]
        rows: tuple[Position, ...] = (Whole(),) * symbol.subscripts
        return symbol, (*rows, read_position(unit, node.superscript)), None
    if (full, False) in unit.symbols and (node.subscripts or node.superscript is None):
        return unit.symbols[full, False], (), node.superscript
    return None


def _is_indexed(unit: Unit, base: str, count: int) -> bool:
    """Whether `base` is indexed by that many subscripts elsewhere, or is an array with that many axes."""
    if unit.families.subscripts.get(base, 0) >= count or base in unit.families.brackets:
        return True
    symbols = [unit.symbols.get((base, flag)) for flag in (False, True)]
    return any(s is not None and len(expand(s.shape).prefix) >= count for s in symbols)


def _element(
    unit: Unit, node: ast.Scripts, head: str, items: tuple[ast.Expression, ...]
) -> tuple[Symbol, tuple[Position, ...], ast.Expression | None] | None:
    has_superscript = node.superscript is not None and (head, True) in unit.symbols
    symbol = unit.symbols.get((head, has_superscript)) or (unit.symbols.get((head, True)) if node.superscript is None else None)
    if symbol is None:
        symbol = _free_family(unit, node, head, items)
    positions = tuple(read_position(unit, item) for item in items)
    if has_superscript and node.superscript is not None:
        rows: tuple[Position, ...] = (Whole(),) * (symbol.subscripts - len(positions))
        return symbol, (*positions, *rows, read_position(unit, node.superscript)), None
    return symbol, positions, node.superscript


def _free_family(unit: Unit, node: ast.Scripts, head: str, items: tuple[ast.Expression, ...]) -> Symbol:
    """A family that nothing declares (`W_k` in a loop over `k`): a parameter with an axis for each index."""
    if not unit.owns_free_names:
        raise refuse(
            "E0301",
            f"`{readable(head)}` is not declared",
            node.base.span,
            help="declare it in the header or in a `where` table, or define it",
        )
    ranges: list[Range | None] = []
    for item in items:
        binder = unit.find_binder(spelling_of(item) or "")
        if binder is None and not is_whole_axis(item):
            raise refuse(
                "E0302",
                f"`{_written(node)}` is an element of an array that nothing declares",
                node.span,
                help=f"declare `{readable(head)}` with its range",
            )
        ranges.append(None if binder is None else binder.range)
    lowers = [None if r is None else r.lower for r in ranges]
    symbol = Symbol(head, Role.PARAMETER, subscripts=len(ranges), lowers=lowers, span=node.span, origin="free")
    sizes = (unit.sizes_solver.fresh() if r is None else _own_extent(unit, r) for r in ranges)
    symbol.shape = Shape(tuple(sizes), None if None in ranges else symbol.shape.rest)  # where one axis is marked, so are all
    return unit.add_symbol(symbol)


def _own_extent(unit: Unit, bounds: Range) -> Poly:
    """How many elements a parameter has that is read over a range: a size of its own where the range differs between calls."""
    return unit.sizes_solver.fresh() if bounds.extent.names & unit.lengths else bounds.extent


def read_position(unit: Unit, node: ast.Expression) -> Position:
    """One index: an affine expression, a slice, or any integer value."""
    match node:
        case _ if is_whole_axis(node):
            return Whole()
        case ast.Slice(lower=lower, upper=upper):
            low = None if lower is None else as_poly(unit, lower, True)
            high = None if upper is None else as_poly(unit, upper, True)
            if low is None or high is None:
                raise unsupported(
                    "a slice with an open end or a computed bound", node.span, help="write both ends, `x[a:b]`, or none, `x[:]`"
                )
            check_ascending(Range(low, high), node.span)
            return SliceIndex(Range(low, high))
        case _:
            value = as_poly(unit, node)
            return value if value is not None else resolving.resolve(unit, node)


def resolve_indexing(unit: Unit, node: ast.Indexing) -> Term:
    """`x[t]`, `x[t, i]`, `h[l][t]`."""
    items: tuple[ast.Expression, ...] = node.items
    base: ast.Expression = unaccent(node.base)
    if spelling_of(base) == r"\mathbb{1}" and len(items) == 1 and not is_known(unit, r"\mathbb{1}"):
        one, zero = NumberTerm(1, span=node.span), NumberTerm(0, span=node.span)
        return CaseTerm(((conditions.resolve_condition(unit, items[0]), one), (None, zero)), span=node.span)
    while isinstance(base, ast.Indexing) and not any(map(takes_several, base.items)):
        items = base.items + items
        base = unaccent(base.base)
    term = resolving.resolve(unit, base)
    if isinstance(term, Broken):
        return term
    if not isinstance(term, Ref):
        raise unsupported("an index on an expression", node.span, help="give the expression a name first, then index the name")
    positions = _further(term.positions, [read_position(unit, item) for item in items], node)
    unit.references.append(Reference(term.symbol, positions, tuple(unit.binders), node.span))
    return Ref(term.symbol, positions, span=node.span)


def _further(known: tuple[Position, ...], more: list[Position], node: ast.Indexing) -> tuple[Position, ...]:
    """The positions of an element of a part: of an axis that is read whole first, `X[:, 1][0]` is `X[0, 1]`."""
    found: list[Position] = []
    for position in known:
        if more and isinstance(position, SliceIndex):
            raise unsupported("an index on a slice", node.span, help="index the array itself, or give the slice a name")
        found.append(more.pop(0) if more and isinstance(position, Whole) else position)
    return (*found, *more)


def _written(node: ast.Scripts) -> str:
    head = word_of(node.base) or "…"
    items = (r"\cdot" if is_whole_axis(item) else word_of(item) or "…" for item in node.subscripts)
    return readable(with_subscript(head, list(items)))
