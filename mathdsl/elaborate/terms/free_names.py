r"""What a name that nothing declares can be instead of a parameter: a sign of mathematics, an element, a mean."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings import names
from mathdsl.diagnostics.readings.notation import PRIME
from mathdsl.diagnostics.readings.row import Ambiguity
from mathdsl.elaborate.names.lookups import lookup
from mathdsl.elaborate.names.names import Name, is_capital, is_letter_of, readable
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.types.shapes import expand, find_element, rank_of
from mathdsl.ir.nodes import Element
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

# Signs with a meaning that this version does not compile: what they are, and what is near.
_NAN = ("`NaN` as a value", r"`\Assert c` says where there is a value; what is computed from an operand that is no number is none either")
NOT_YET = {
    r"\mathbb{E}": (
        "an expectation",
        r"the mean of the values of an array is `\operatorname{mean}(x)`, or `\operatorname{mean}_{i=1}^{n} x_i`",
    ),
    "NaN": _NAN,
    "nan": _NAN,
    r"\nabla": ("a gradient", "gradients are taken outside, by whoever trains"),
    r"\partial": ("a derivative", "derivatives are taken outside, by whoever trains"),
}
# Letters that are signs with so many indices.
_SIGNS: dict[tuple[str, int], Ambiguity] = {
    (r"\delta", 2): names.KRONECKER,
    (r"\epsilon", 3): names.LEVI_CIVITA,
    (r"\varepsilon", 3): names.LEVI_CIVITA,
    ("i", 0): names.IMAGINARY_UNIT,
    ("j", 0): names.IMAGINARY_UNIT,
}
_EXTREMES = {"max": "the largest element", "min": "the smallest element"}


def check_sign(spelling: Name, span: Span) -> None:
    r"""Refuse `\nabla`, which no program can own."""
    if (sign := spelling if spelling in NOT_YET else spelling.word) in NOT_YET:
        what, near = NOT_YET[sign]
        raise unsupported(what, span, help=near)


def check_not_ensured(reader: Reader, spelling: Name, span: Span) -> None:
    r"""Refuse what stands in `\Ensure` alone, `x` of `\Ensure $L x = b$`, which is no parameter that the program has."""
    if spelling in reader.written.ensured:
        array = reader.find_symbol(spelling.word) if len(spelling.labels) == 1 else None
        if array is not None:
            letter = readable(spelling.labels[0])
            raise undecided(names.LETTER_WITHOUT_VALUE, span, written=readable(spelling), name=array.latex, letter=letter)
        what = rf"`{readable(spelling)}` stands in `\Ensure` alone, and nothing gives it a value"
        near = rf"assign it, `{readable(spelling)} \gets …`, or say it as a remark, `\Ensure \Comment{{..}}`"
        raise refuse("E0301", what, span, help=near)


def check_prime(reader: Reader, spelling: Name, span: Span) -> None:
    """Refuse an undeclared `x'` beside an array `x`, whose transpose it is for many readers."""
    if not spelling.primes:
        return
    name = Name(spelling.text, spelling.font, spelling.primes - 1, spelling.accents, spelling.labels, above=spelling.above)
    symbol = reader.find_symbol(name)
    if symbol is not None and symbol.source is not Source.FREE and rank_of(symbol.shape) != 0:
        labels = (Label(symbol.span, "the array"),) if symbol.span.file else ()
        raise undecided(PRIME, span, labels=labels, written=readable(spelling), name=readable(name))


def check_symbol(reader: Reader, spelling: Name, span: Span) -> None:
    r"""Refuse a name that can be something else than a symbol of its own: `i`, `\bar{x}`, `x_t`."""
    if (spelling, 0) in _SIGNS:
        raise undecided(_SIGNS[spelling, 0], span, written=readable(spelling))
    check_statistic(reader, spelling, span)
    if spelling.labels and all(label.is_number for label in spelling.labels):
        array = array_in_another_font(reader, spelling.word, len(spelling.labels))
        if array is not None and not is_capital(array.spelling):
            raise _of_another(array, spelling.word, readable(spelling), ", ".join(spelling.labels), span)
    if len(spelling.labels) == 1:
        _check_label(reader, spelling, spelling.word, spelling.labels[0], span)
    check_letters(reader, spelling, len(spelling.labels), readable(spelling), span)


def check_family(reader: Reader, head: Name, items: tuple[ast.Expression, ...], node: ast.Scripts) -> None:
    r"""Refuse a family that can be something else than an array of its own: `\delta_{ij}`, `a_{ij}` beside a matrix `A`."""
    written, indices = render_expression(replace(node, superscript=None)), [render_expression(item) for item in items]
    if (head, len(items)) in _SIGNS:
        raise undecided(_SIGNS[head, len(items)], node.span, written=written, name=readable(head), left=indices[0], right=indices[1])
    check_font(reader, head, items, node)
    check_letters(reader, head, len(head.labels) + len(items), written, node.span)
    _check_no_element_is_declared(reader, head, node.base.span)


def check_font(reader: Reader, head: Name, items: tuple[ast.Expression, ...], node: ast.Scripts) -> None:
    r"""Refuse `a_{ij}` beside a matrix `A`, which can be its element."""
    array = None if head.labels else array_in_another_font(reader, head, len(items))
    if array is not None:
        written, indices = render_expression(replace(node, superscript=None)), [render_expression(item) for item in items]
        raise _of_another(array, head, written, ", ".join(indices), node.span)


def check_statistic(reader: Reader, spelling: Name, span: Span) -> None:
    r"""`\bar{x}` and `x_{\max}` of an array `x` are its mean and its largest element for most readers."""
    if spelling.accents[-1:] == ("bar",) and not spelling.labels:
        of, what = Name(spelling.text, spelling.font, spelling.primes, spelling.accents[:-1]), "the mean"
        instead = rf"\operatorname{{mean}}({readable(of)})"
    elif len(spelling.labels) == 1 and spelling.labels[0].bare_text in _EXTREMES:
        of, extreme = spelling.word, spelling.labels[0].bare_text
        what, instead = _EXTREMES[extreme], rf"\{extreme}({readable(of)})"
    elif spelling.labels == ("+",):
        of, what = spelling.word, "the positive part"
        instead = f"({readable(of)})_+"
    else:
        return
    symbol = reader.find_symbol(of)
    if symbol is not None and (rank_of(symbol.shape) != 0 or spelling.labels == ("+",)):
        raise undecided(names.STATISTIC_OR_NAME, span, written=readable(spelling), name=readable(of), statistic=what, instead=instead)


def array_in_another_font(reader: Reader, head: Name, count: int) -> Symbol | None:
    r"""The declared array whose elements a plain letter can be: `\mathbf{x}` of `x`, `A` of `a`."""
    if is_capital(head) or not head.is_plain:
        return None
    alike = (
        symbol
        for symbol in reader.entries.symbols.values()
        if symbol.declared and symbol.spelling != head and is_letter_of(head, symbol.spelling)
    )
    bare = (array for array in alike if not array.spelling.labels and not array.spelling.primes and {*array.spelling.accents} <= {"vec"})
    return next((array for array in bare if len(expand(array.shape).prefix) >= count), None)


def check_letters(reader: Reader, head: Name, count: int, written: str, span: Span) -> None:
    r"""Refuse `s_{i,j}` of a matrix `s` where nothing gives `i` a value: an element of it, or a name of its own."""
    array = reader.find_symbol(head.word) if head.labels else None
    if array is None or not (array.declared or array.role is Role.INPUT) or len(expand(array.shape).prefix) < count:
        return
    letter = next((one for one in head.labels if _is_open(reader, one, span)), None)
    if letter is not None:
        raise undecided(names.LETTER_WITHOUT_VALUE, span, written=written, name=array.latex, letter=readable(letter))


def _is_open(reader: Reader, letter: Name, span: Span) -> bool:
    return (
        letter.is_plain and letter.text.isalpha() and len(letter.text) == 1 and not is_capital(letter) and not lookup(reader, letter, span)
    )


def _of_another(array: Symbol, head: Name, written: str, indices: str, span: Span) -> Exception:
    element, labels = f"{array.latex}_{{{indices}}}", (Label(array.span, "the array"),) if array.span.file else ()
    own, name = array.latex, readable(head)
    return undecided(names.LETTER_OF_AN_ARRAY, span, labels=labels, written=written, array=own, element=element, name=name)


def _check_no_element_is_declared(reader: Reader, spelling: Name, span: Span) -> None:
    r"""Refuse a new family `W` of which `W_i` is read, where `W_1` and `W_2` are declared as symbols of their own."""
    for symbol in reader.entries.symbols.values():
        name = symbol.spelling
        if name.word == spelling and len(name.labels) == 1 and name.labels[0].is_number and symbol.declared:
            raise refuse(
                "E0301",
                f"`{readable(spelling)}` is not declared, and `{symbol.latex}` is a symbol of its own",
                span,
                labels=(Label(symbol.span, "declared here"),) if symbol.span.file else (),
                help=f"declare one array, as in `{readable(spelling)}_i, i = 1, \\dots, n`, or write the terms out",
            )


def _check_label(reader: Reader, spelling: Name, head: Name, letter: Name, span: Span) -> None:
    r"""`x_t` of an array `x` where nothing gives `t` a value is no symbol of its own, nor is `r_{ui}` beside `r`, `u` and `i`."""
    written, array = readable(spelling), reader.find_symbol(head)
    is_array = array is not None and array.declared and bool(expand(array.shape).prefix)
    letters = [Name(one) for one in letter.text] if letter.is_plain and letter.text.isalpha() else []
    if len(letters) > 1 and array is not None:
        is_index = is_array and any(map(reader.find_binder, letters))
        if is_index or all(lookup(reader, one, span) is not None for one in letters):
            raise undecided(names.LETTERS_OF_A_SUBSCRIPT, span, written=written, element=readable(head.labelled(letters)))
    is_open = is_array and len(letters) == 1 and not is_capital(letter) and lookup(reader, letter, span) is None
    if is_open or letter in reader.families.index_names and reader.families.subscripts.get(head) and array is not None:
        raise undecided(names.LETTER_WITHOUT_VALUE, span, written=written, name=readable(head), letter=readable(letter))
    if is_array and (letter.upright or _may_be_integer(reader, letter)):
        raise undecided(names.ELEMENT_OR_LABEL, span, written=written, name=readable(head), item=letter.upright or readable(letter))


def _may_be_integer(reader: Reader, spelling: Name) -> bool:
    """Whether a name stands for a value, and nothing says that it is a real one or an array."""
    symbol = reader.find_symbol(spelling)
    if symbol is not None and symbol.declared:
        return find_element(symbol.element) is not Element.REAL and not expand(symbol.shape).prefix
    return spelling in reader.written.assigned_whole or symbol is not None and symbol.role in (Role.VALUE, Role.INPUT)
