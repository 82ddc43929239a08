r"""Subscripts and superscripts on names and expressions: `x_t`, `h_{t-1}^{\ell}`, `W_h`, `A^\top`, `x^2`."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.readings.names import LABEL_OR_OPERATION, PRODUCT_OF_LETTERS
from mathdsl.diagnostics.readings.types import INDEX_IN_PARENTHESES, TRANSPOSE_OR_POWER
from mathdsl.elaborate.names.classify import Superscript, is_transpose, on_value, superscript_of
from mathdsl.elaborate.names.lookups import index_scope, lookup
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.reserved import is_exponential
from mathdsl.elaborate.names.symbols import Source
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.elaborate.terms import conditions, sequences
from mathdsl.elaborate.terms.collected import Reference
from mathdsl.elaborate.terms.elements import (
    Symbols,
    element_of_value,
    element_or_power,
    find_bound_element,
    find_element,
    find_indicator,
    is_known,
    read_position,
    written_name,
)
from mathdsl.elaborate.terms.grouping import check_repeated
from mathdsl.elaborate.terms.identifiers import resolve_identifier
from mathdsl.elaborate.terms.indices import computed_bound, name_of, read_ascending
from mathdsl.elaborate.terms.matrix_constants import SIZED_CONSTANTS, sized_constant
from mathdsl.elaborate.terms.norms import resolve_norm
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import (
    Build,
    Elementwise,
    PowerTerm,
    Ref,
    Term,
    Transpose,
)
from mathdsl.elaborate.types.shapes import expand
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def resolve_scripts(reader: Reader, node: ast.Scripts) -> Term:
    """A name with scripts, or a power, or a transpose."""
    condition = find_indicator(reader, node.base, node.subscripts[0]) if len(node.subscripts) == 1 and node.superscript is None else None
    if condition is not None:
        return conditions.resolve_indicator(reader, condition, node.span)
    if word_of(node.base) is None or isinstance(node.base, ast.Number):
        return _scripts_on_expression(reader, node)
    spelling = spelling_of(node.base)
    if spelling is not None and node.superscript is not None and is_exponential(reader, node, spelling):
        return Elementwise("exp", (reader.resolve(node.superscript),), "e", span=node.span)
    bound = find_bound_element(reader, node)
    if bound is not None:
        value, items, left = bound
        element = element_of_value(reader, value, node.base, items, node.span, bracketed=False) if items else value
        return element if left is None else _power_of(reader, element, left, node)
    letters = _letters_with_scripts(reader, node)
    if letters is not None:
        return reader.resolve(letters)
    found = find_element(reader, node)
    if found is not None:
        symbol, positions, left = found
        symbol.used = True
        reader.terms.references.append(Reference(symbol, positions, reader.binders, node.span))
        term = Ref(symbol, positions, span=node.span)
        return term if left is None else _power_of(reader, term, left, node)
    spelling = spelling_of(ast.Scripts(node.base, node.subscripts) if node.subscripts else node.base)
    if spelling is None:
        constant = sized_constant(reader, node)  # `I_{n + 1}`
        if constant is not None:
            return constant if node.superscript is None else power(reader, constant, node.superscript, node)
        raise refuse(
            "E0302",
            f"`{written_name(node)}` is neither a name nor an element of a known array",
            node.span,
            help="declare the array, or use index variables that are in scope",
        )
    if node.superscript is None:
        return _plain(reader, node, spelling)
    if spelling == "e" and lookup(reader, spelling, node.span) is None:
        return Elementwise("exp", (reader.resolve(node.superscript),), "e", span=node.span)
    base = _plain(reader, ast.Scripts(node.base, node.subscripts, span=node.span), spelling)
    return _power_of(reader, base, superscript_of(node, node.superscript, index_scope(reader), Symbols(reader)), node)


def _power_of(reader: Reader, base: Term, superscript: Superscript, node: ast.Scripts) -> Term:
    """A superscript that is left over; on a whole symbol of which nothing is declared, an index variable may be an index too."""
    name, written, letters = render_expression(superscript.name or node), superscript.written, superscript.letters
    if superscript.kind == "label":
        raise undecided(LABEL_OR_OPERATION, node.span, written=render_expression(node), name=name)
    if isinstance(base, Ref):
        if isinstance(written, ast.Group) and written.items and word_of(written.items[0]) in letters:
            raise undecided(INDEX_IN_PARENTHESES, node.span, written=render_expression(node), name=name, index=letters[0])
        if letters and not base.positions and base.symbol.source == Source.HEADER and expand(base.symbol.shape).rest is not None:
            raise element_or_power(base.symbol.latex, node.span, letters[0])
    return _raised(reader, base, superscript, node)


def _letters_with_scripts(reader: Reader, node: ast.Scripts) -> ast.Expression | None:
    """`QK^\\top` where each letter is a known symbol: the scripts belong to the last letter."""
    label = node.base.label if isinstance(node.base, ast.Accent) and not node.base.accent else None
    base = node.base.body if isinstance(node.base, ast.Accent) and label is not None else node.base
    if not isinstance(base, ast.Identifier) or base.font or base.primes or not base.text.isalpha() or len(base.text) < 2:
        return None
    start = base.span.start
    places = [replace(base.span, start=start + k, end=start + k + 1) for k in range(len(base.text))]
    factors: list[ast.Expression] = [ast.Identifier(c, span=place) for c, place in zip(base.text, places, strict=True)]
    if label is not None:
        factors[-1] = ast.Accent("", factors[-1], label=label, span=places[-1])
    whole = spelling_of(ast.Scripts(base, node.subscripts)) if node.subscripts else None
    words = [spelling_of(factor) or NO_NAME for factor in factors]
    if any(is_known(reader, s) for s in (Name(base.text), whole) if s is not None) or not all(is_known(reader, s) for s in words):
        return None
    reader.findings.note(PRODUCT_OF_LETTERS, base.text, base.span)
    last = ast.Scripts(factors[-1], node.subscripts, node.superscript, span=replace(node.span, start=places[-1].start))
    return ast.Juxtaposition((*factors[:-1], last), span=node.span)


_ALL_ALIKE = frozenset({Name("0", "mathbf"), Name("1", "mathbf")})  # which are no names of an author's


def _plain(reader: Reader, node: ast.Scripts, spelling: Name) -> Term:
    if not node.subscripts:
        return resolve_identifier(reader, node.base)
    known = lookup(reader, spelling, node.span)
    if known is not None:
        return known
    constant = sized_constant(reader, node)
    if constant is not None:
        return constant
    computed = _computed_element(reader, node)
    if computed is not None:
        return computed
    if word_of(node.base) in _ALL_ALIKE:
        help = "write a size that an input has, or declare the one that is written, as in `n \\in \\mathbb{N}`"
        raise unsupported(f"`{readable(spelling)}`, whose size nothing says,", node.span, help=help)
    if word_of(node.base) in SIZED_CONSTANTS:
        raise unsupported(f"the constant `{readable(spelling)}`", node.span, help="declare it as a buffer with its values")
    return resolve_identifier(reader, ast.Scripts(node.base, node.subscripts, span=node.span))


def _computed_element(reader: Reader, node: ast.Scripts) -> Term | None:
    """`a_c` where `a` is a declared array or indexed elsewhere, `c` a value, and no such name is declared: the element at that value."""
    base = word_of(node.base)
    array = reader.find_symbol(base or NO_NAME, False)
    names = [spelling_of(item) for item in node.subscripts]
    values = [reader.find_symbol(name or NO_NAME, False) for name in names]
    if array is None or any(value is None for value in values):
        return None
    is_indexed = reader.families.subscripts.get(array.spelling, 0) >= len(names)
    if not (array.declared and len(expand(array.shape).prefix) >= len(names) or is_indexed):
        return None
    array.used = True
    positions = tuple(read_position(reader, item) for item in node.subscripts)
    reader.terms.references.append(Reference(array, positions, reader.binders, node.span))
    return Ref(array, positions, span=node.span)


def _scripts_on_expression(reader: Reader, node: ast.Scripts) -> Term:
    if isinstance(node.base, ast.Scripts):
        inner = node.base
        if not inner.superscript or not inner.subscripts:
            merged = ast.Scripts(inner.base, inner.subscripts + node.subscripts, node.superscript or inner.superscript, span=node.span)
            if not (inner.superscript and node.superscript):
                return resolve_scripts(reader, merged)
    if isinstance(node.base, ast.Bars) and node.base.kind == "||" and len(node.base.items) == 1 and node.subscripts:
        norm = resolve_norm(reader, node.base.items[0], node.subscripts, node.base.span)
        return norm if node.superscript is None else power(reader, norm, node.superscript, node)
    if isinstance(node.base, ast.SetDisplay) and len(node.base.items) == 1 and not node.subscripts:
        if node.superscript is not None and not is_transpose(node.superscript):
            check_repeated(reader, node, node.base.items[0])
            return sequences.repeated(reader, node.base.items[0], node.superscript, node.span)
    is_list = isinstance(node.base, (ast.Group, ast.ListDisplay, ast.SetDisplay)) and len(node.base.items) == 1
    if is_list and len(node.subscripts) == 1 and isinstance(node.subscripts[0], ast.Relation):
        return _sequence(reader, node.base, node.subscripts[0], node)
    if node.subscripts:
        element = element_of_value(reader, reader.resolve(node.base), node.base, node.subscripts, node.span, bracketed=False)
        return element if node.superscript is None else power(reader, element, node.superscript, node)
    assert node.superscript is not None
    return power(reader, reader.resolve(node.base), node.superscript, node)


def _sequence(reader: Reader, base: ast.Expression, relation: ast.Relation, node: ast.Scripts) -> Term:
    """`(y_t)_{t=1}^{S}`, `[y_t]_{t=1}^{S}`, `\\{y_t\\}_{t=1}^{S}`: the sequence of the `y_t`."""
    if node.superscript is not None and relation.operators == ("=",):
        dots = ast.ListDisplay((relation.operands[1], ast.Dots(), node.superscript), span=node.span)
        relation = ast.Relation(("=",), (relation.operands[0], dots), span=relation.span)
    found = read_ascending(reader, relation)
    if found is None:
        error = computed_bound(reader, relation)
        raise error or refuse("E0505", "this is no range of an index", relation.span, help=r"write `(y_t)_{t=1}^{S}`")
    binder = reader.binder(name_of(found[0]), found[1], relation.span)
    body = base.items[0] if isinstance(base, (ast.Group, ast.ListDisplay, ast.SetDisplay)) else base
    return Build(binder, reader.within(binder).resolve(body), span=node.span)


def power(reader: Reader, base: Term, superscript: ast.Expression, node: ast.Node) -> Term:
    """`base` to a superscript that stands on a value."""
    return _raised(reader, base, on_value(superscript), node)


def _raised(reader: Reader, base: Term, superscript: Superscript, node: ast.Node) -> Term:
    if superscript.kind == "transpose":
        if word_of(superscript.written) == "T" and is_known(reader, Name("T")):
            raise undecided(TRANSPOSE_OR_POWER, superscript.written.span)
        return Transpose(base, superscript, span=node.span)
    letters = () if reader.active_functions else tuple(letter for letter in superscript.letters if reader.find_binder(letter))
    return PowerTerm(base, reader.resolve(superscript.written), replace(superscript, letters=letters), span=node.span)
