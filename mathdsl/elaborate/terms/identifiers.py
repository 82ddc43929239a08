"""Bare names: what is known of them, reserved constants, products of letters, and names that nothing declares."""

from __future__ import annotations

import math

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.names import PRODUCT_OF_LETTERS
from mathdsl.elaborate.names.lookups import is_word, lookup, neither_name_nor_product
from mathdsl.elaborate.names.names import RESERVED_SYMBOLS, Name, readable, spelling_of
from mathdsl.elaborate.names.near import find_near
from mathdsl.elaborate.names.reserved import check_bare
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.callees import is_callable
from mathdsl.elaborate.terms.indices import ends_a_range
from mathdsl.elaborate.terms.matrix_constants import bare_identity
from mathdsl.elaborate.terms.missing_ranges import name_without_range
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Constant, Faulty, NumberTerm, Product, Ref, SizeTerm, Term
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import SIGNS

# Signs with a meaning that this version does not compile: what they are, and what is near.
_NOT_YET = {
    r"\mathbb{E}": (
        "an expectation",
        r"the mean of the values of an array is `\operatorname{mean}(x)`, or `\operatorname{mean}_{i=1}^{n} x_i`",
    ),
    r"\nabla": ("a gradient", "gradients are taken outside, by whoever trains"),
    r"\partial": ("a derivative", "derivatives are taken outside, by whoever trains"),
}


def resolve_identifier(reader: Reader, node: ast.Expression) -> Term:
    """The term of a bare name."""
    spelling = spelling_of(node)
    if spelling is None:
        if isinstance(node, ast.Scripts) and (base := spelling_of(node.base)) is not None and is_callable(reader, node.base):
            raise _without_arguments(base, node.span)
        raise refuse("E0301", "this is no name", node.span, help="a name is a letter or a word, with its subscripts")
    if spelling in SIGNS:
        help = "a sign is a label of a name, as in `w^*`; the positive part is written `(x)_+`"
        raise refuse("E0208", f"`{spelling}` is neither an index nor a power", node.span, help=help)
    found = lookup(reader, spelling, node.span)
    if found is not None:
        check_bare(reader, spelling, node.span)
        return found
    if not reader.findings.faulty_names.isdisjoint((spelling, spelling.word)):
        return Faulty(span=node.span)
    reserved = _reserved(reader, spelling, node.span)
    if reserved is not None:
        return reserved
    if is_callable(reader, node):
        raise _without_arguments(spelling, node.span)
    letters = _letters(reader, node, spelling)
    if letters is not None:
        return letters
    if ends_a_range(reader, spelling):
        size = reader.entries.size(spelling, node.span)
        reader.terms.value_sizes.update(size.names)
        return SizeTerm(size, span=node.span)
    return undeclared_symbol(reader, spelling, node.span)


def _reserved(reader: Reader, spelling: Name, span: Span) -> Term | None:
    match spelling:
        case r"\pi":
            return NumberTerm(math.pi, span=span)
        case "e":
            return NumberTerm(math.e, span=span)
        case r"\infty":
            return NumberTerm(math.inf, span=span)
        case r"\mathbf{0}":
            return Constant(0.0, span=span)
        case r"\mathbf{1}":
            return Constant(1.0, span=span)
        case r"\algoTrue":
            return NumberTerm(True, span=span)
        case r"\algoFalse":
            return NumberTerm(False, span=span)
        case "padding":
            return None
        case "I" | r"\mathbf{I}":
            return bare_identity(reader, span)
        case _:
            return None


def _letters(reader: Reader, node: ast.Expression, spelling: Name) -> Term | None:
    """`QK` as the product of `Q` and `K`, where each letter is a known symbol."""
    if not isinstance(node, ast.Identifier) or not spelling.isalpha() or len(spelling) < 2:
        return None
    found = [lookup(reader, Name(letter), node.span) for letter in spelling.text]
    if any(term is None for term in found):
        return None
    product = found[0]
    assert product is not None
    for term in found[1:]:
        assert term is not None
        product = Product("", product, term, span=node.span)
    reader.findings.note(PRODUCT_OF_LETTERS, spelling, node.span)
    return product


def _without_arguments(spelling: Name, span: Span) -> MathdslError:
    """The mistake of a function that is applied to nothing; a reserved letter may be meant for a number."""
    name = readable(spelling)
    number = rf", or declare it, as in `{name} \in …`, where it is none" if spelling in RESERVED_SYMBOLS else ""
    return refuse("E0306", f"`{name}` is a function and needs its arguments here", span, help=f"write `{name}(…)`{number}")


def undeclared_symbol(reader: Reader, spelling: Name, span: Span) -> Term:
    """A name that nothing declares: a symbol whose uses tell its type, and which is listed as undeclared."""
    if (sign := spelling if spelling in _NOT_YET else spelling.word) in _NOT_YET:
        what, near = _NOT_YET[sign]
        raise unsupported(what, span, help=near)
    ended = next((one for one in (spelling, *spelling.labels) if one in reader.ended), None)
    if ended is not None:
        before = reader.ended[ended]
        what = rf"`{readable(ended)}` has no value here: the body of `\{before.operator}` ends with its product"
        near = rf"write parentheses around all that it goes over, as in `\{before.operator}_{{{readable(ended)}}} (a + b)`"
        raise refuse("E0301", what, span, labels=(Label(before.span, "this ends before the sign"),), help=near)
    without_range = name_without_range(reader, spelling, span)
    if without_range is not None:
        reader.findings.faulty_names.add(spelling)
        raise without_range
    if is_word(spelling):
        known = find_near(spelling, reader.entries)
        advice = (
            f"declare `{readable(spelling)}`, or write spaces between the factors"
            if known is None
            else f"did you mean `{readable(known)}`?"
        )
        raise neither_name_nor_product(spelling, span, advice)
    if reader.is_closed:  # the function's own error lists it
        raise MathdslError()
    symbol = reader.entries.add_symbol(Symbol(spelling, Role.PARAMETER, span=span, used=True, source=Source.USES, is_undeclared=True))
    return Ref(symbol, span=span)
