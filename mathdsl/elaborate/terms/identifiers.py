"""Bare names: what is known of them, reserved constants, products of letters, and names that nothing declares."""

from __future__ import annotations

import difflib
import math

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.names import PRODUCT_OF_LETTERS
from mathdsl.elaborate.names.lookups import is_word, lookup, neither_name_nor_product
from mathdsl.elaborate.names.names import RESERVED_SYMBOLS, Name, readable, spelling_of, without_version
from mathdsl.elaborate.names.reserved import check_bare
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.callees import is_callable
from mathdsl.elaborate.terms.free_names import (
    array_in_another_font,
    check_letters,
    check_not_ensured,
    check_prime,
    check_sign,
    check_statistic,
    check_symbol,
)
from mathdsl.elaborate.terms.indices import ends_a_range
from mathdsl.elaborate.terms.matrix_constants import bare_identity
from mathdsl.elaborate.terms.missing_ranges import name_without_range
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Constant, Faulty, NumberTerm, Product, Ref, SizeTerm, Term
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import SIGNS
from mathdsl.syntax.latex import render_expression


def resolve_identifier(reader: Reader, node: ast.Expression) -> Term:
    """The term of a bare name."""
    spelling = spelling_of(node)
    if spelling is None:
        if isinstance(node, ast.Scripts) and (base := spelling_of(node.base)) is not None and is_callable(reader, node.base):
            raise _without_arguments(base, node.span)
        raise _no_name(node)
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
    return free_symbol(reader, spelling, node.span)


def _no_name(node: ast.Expression) -> MathdslError:
    match node:
        case ast.Accent(accent=accent, body=ast.Scripts(base=base, superscript=ast.Number(text=power))):
            written, name = render_expression(node), rf"\{accent}{{{render_expression(base)}}}"
            advice = f"write `{name}^{power}` for the power of `{name}`, or define a name of letters for what is meant"
            return refuse("E0301", f"`{written}` is an accent over a power, which is no name", node.span, help=advice)
        case _:
            return refuse("E0301", "this is no name", node.span, help="a name is a letter or a word, with its subscripts")


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


def free_symbol(reader: Reader, spelling: Name, span: Span) -> Term:
    """A name that nothing declares: a parameter where the notation owns free names, else a mistake."""
    check_sign(spelling, span)
    check_prime(reader, spelling, span)
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
    close = _misspelling(reader, spelling)
    if spelling == "padding" or close is not None or not reader.written.owns_free_names or reader.is_closed or is_word(spelling):
        help_text, labels = (f"did you mean `{close}`?", ()) if close else _near(reader, spelling)
        if is_word(spelling):
            digits = spelling[len(spelling.rstrip("0123456789")) :]
            help_text += f"; an element is `{spelling.removesuffix(digits)}_{{{digits}}}`" if digits and not (close or labels) else ""
            raise neither_name_nor_product(spelling, span, help_text)
        if not close:
            check_letters(reader, spelling, len(spelling.labels), readable(spelling), span)
            check_statistic(reader, spelling, span)
        raise refuse("E0301", f"`{readable(spelling)}` is not declared", span, labels=labels, help=help_text)
    if spelling in reader.families.index_names:
        what = f"`{readable(spelling)}` is an index elsewhere, and has no value here"
        near = "put what the sum is to run over in parentheses, or declare the symbol if it is one of its own"
        raise refuse("E0301", what, span, help=near)
    check_symbol(reader, spelling, span)
    check_not_ensured(reader, spelling, span)
    symbol = reader.entries.add_symbol(Symbol(spelling, Role.PARAMETER, span=span, used=True, source=Source.FREE))
    return Ref(symbol, span=span)


def _near(reader: Reader, spelling: Name) -> tuple[str, tuple[Label, ...]]:
    r"""What to do about an undeclared name, and what is like it: `\mathbf{x}` beside `x`, an argument of a function."""
    name, bare = readable(spelling), _bare(spelling)
    array = array_in_another_font(reader, spelling.word, len(spelling.labels)) if spelling.labels else None
    if array is not None:
        element = f"{array.latex}_{{{', '.join(map(readable, spelling.labels))}}}"
        return f"an element of `{array.latex}` is `{element}`, with a range for its index; or declare `{name}`", ()
    twin = next(
        (s for s in reader.entries.symbols.values() if s.spelling != spelling and _bare(s.spelling) == bare and not s.spelling.is_own), None
    )
    function = next((f for f in reader.functions.values() if any(spelling_of(one) == spelling for one in f.parameters)), None)
    if twin is not None and not reader.is_closed:
        other = readable(without_version(twin.spelling))
        return f"did you mean `{other}`?", (Label(twin.span, f"`{other}` is known"),) if twin.span.file else ()
    if function is not None:
        what = f"`{name}` is an argument of `{readable(function.name)}`, and has a value in its definition only"
        return "declare it, or write what the function is applied to", (Label(function.span, what),)
    if spelling == "E":
        return (
            r"the mean of values, which `E[x]` can stand for, is `\operatorname{mean}(x)`; an array is declared in the header or a table",
            (),
        )
    return "declare it in the header or in a `where` table, or define it", ()


def _bare(name: Name) -> tuple[str, tuple[str, ...]]:
    """The letters of a name and of its labels, whatever their font, case, accents and primes; `W1` is like `W_1`."""
    letters = name.bare_text.rstrip("0123456789")
    digits = (name.bare_text[len(letters) :],) if letters and not name.labels and letters != name.bare_text else ()
    return (letters or name.bare_text).casefold(), (*digits, *(label.bare_text for label in name.labels))


def _misspelling(reader: Reader, spelling: Name) -> str | None:
    """A known name of four or more letters that is one letter away."""
    base = spelling.word
    if len(base.bare) < 4 or spelling in reader.written.said:
        return None
    symbols = (name for name, _ in reader.entries.symbols)
    entries, signatures = reader.entries, map(Name, reader.written.around.signatures)
    known = {str(name): name for name in (*symbols, *entries.sizes, *entries.submodules, *reader.functions, *signatures)}
    for text in difflib.get_close_matches(spelling, sorted(known), n=3, cutoff=0.75):
        name, other = known[text], known[text].word
        if name != spelling and abs(len(other) - len(base)) <= 1 and _one_apart(base, other):
            return name
    return None


def _one_apart(a: str, b: str) -> bool:
    if len(a) == len(b):
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1
    short, long = sorted((a, b), key=len)
    return any(long[:k] + long[k + 1 :] == short for k in range(len(long)))
