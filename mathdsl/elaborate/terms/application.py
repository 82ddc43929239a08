r"""Juxtaposition and calls: whether factors side by side are products or applications, and of what.

`f(x)` is a call where `f` is a function, a module or an operation; a product where it is an array. Scripts on the parenthesis
move to the call (`\sigma(x)^2` is the square of the value), and `\tanh x` takes one factor.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import cast

from mathdsl.diagnostics.model import MathdslError
from mathdsl.diagnostics.readings import names, notation, types
from mathdsl.elaborate.declare.signatures import find_signature
from mathdsl.elaborate.names.classify import Application, application_of, element_of, is_transpose, on_value
from mathdsl.elaborate.names.lookups import index_scope
from mathdsl.elaborate.names.names import NO_NAME, RESERVED_SYMBOLS, Name, is_capital, readable, spelling_of, without_version, word_of
from mathdsl.elaborate.names.reserved import in_words, is_function, read_pi
from mathdsl.elaborate.names.spelling import base_of, identifiers, unaccent
from mathdsl.elaborate.names.symbols import Role, Source
from mathdsl.elaborate.names.versions import without_versions
from mathdsl.elaborate.report import OUTSIDE, refuse, undecided, unsupported
from mathdsl.elaborate.terms import conditions
from mathdsl.elaborate.terms.builtin import apply_builtin
from mathdsl.elaborate.terms.callees import Callee, find_callee
from mathdsl.elaborate.terms.elements import Symbols, count_axes, element_of_value, find_indicator, has_value, may_index
from mathdsl.elaborate.terms.functions import call_function
from mathdsl.elaborate.terms.grouping import as_arguments, as_operand
from mathdsl.elaborate.terms.identifiers import resolve_identifier
from mathdsl.elaborate.terms.instances import call_submodule, call_type, values_for
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.scripts import power
from mathdsl.elaborate.terms.sequences import indexes, join, range_of_index, read_list
from mathdsl.elaborate.terms.terms import (
    Build,
    Faulty,
    Flattened,
    Given,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    SizeTerm,
    Term,
    Unread,
    Updated,
)
from mathdsl.elaborate.types.shapes import expand, find_element
from mathdsl.ir.nodes import Element
from mathdsl.ops import find_along, find_function, find_reduction
from mathdsl.ops.model import REALS
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.commands import is_function as names_function
from mathdsl.syntax.commands import known_commands
from mathdsl.syntax.latex import render_expression

# ---- juxtaposition ---------------------------------------------------------------------------


def resolve_juxtaposition(reader: Reader, node: ast.Juxtaposition) -> Term:
    """Factors side by side."""
    if any(isinstance(f, ast.Phrase) for f in node.factors):
        return _phrase(reader, node)
    rest = list(read_pi(reader, node.factors))
    whole, at = tuple(rest), 0
    product: Term | None = None
    application: Application | None = None
    while rest:
        head, factors = rest[0], tuple(rest)
        count = len(factors)
        term = _take(reader, rest)
        end = factors[count - len(rest) - 1].span
        if product is None:
            product = term
        else:
            sides = (whole[:at], whole[at : len(whole) - len(rest)])
            product = Product("", product, term, application, sides, span=product.span.to(end))
        at = len(whole) - len(rest)
        stands_alone = rest and len(rest) == count - 1 and isinstance(term, Ref)
        application = application_of(head, rest[0], index_scope(reader), Symbols(reader)) if stands_alone else None
    assert product is not None
    return product


def _take(reader: Reader, rest: list[ast.Expression]) -> Term:
    """The next factor, with its arguments where it is applied."""
    head = rest.pop(0)
    condition = find_indicator(reader, head, rest[0] if rest else None)
    if condition is not None:
        return conditions.resolve_indicator(reader, condition, head.span.to(rest.pop(0).span))
    callee = find_callee(reader, head)
    if rest and (callee is None or callee.kind != "builtin"):
        _check_conditional(head, rest[0])
    if is_function(reader, head, rest[0] if rest else None):
        callee = Callee("builtin", without_version(spelling_of(head) or NO_NAME), head)
    if callee is None:
        if rest and isinstance(rest[0], ast.Group) and spelling_of(head) in reader.findings.faulty_names:
            return Faulty(span=head.span.to(rest.pop(0).span))
        if rest and isinstance(_inside(rest[0]), ast.Group) and _is_unknown(reader, head) and not _is_matrix(reader, head):
            name = readable(spelling_of(head) or Name(render_expression(head)))
            if meant := _near_function(reader, name):
                raise refuse("E0301", f"`{name}` is no function, and nothing declares it", head.span, help=f"did you mean `{meant}`?")
            raise undecided(names.CALL_OR_PRODUCT, head.span, name=name)
        if rest and isinstance(given := _inside(rest[0]), ast.Group) and _is_only_applied(reader, head):
            name, index = readable(spelling_of(head) or NO_NAME), (word_of(given.items[0]) if len(given.items) == 1 else None) or NO_NAME
            if reader.find_binder(index) is not None:
                element = readable((spelling_of(head) or NO_NAME).labelled((index,)))
                raise undecided(names.ELEMENT_OR_PRODUCT, head.span.to(given.span), name=name, index=readable(index), element=element)
            raise undecided(names.CALL_OR_PRODUCT, head.span, name=name)
        value = reader.resolve(as_operand(head))
        if rest and isinstance(bracket := _inside(rest[0]), ast.Group) and bracket.square and _may_be_indexed(reader, head, value, bracket):
            name = render_expression(head)
            raise undecided(notation.SPACE_BEFORE_BRACKET, bracket.span, label="a space stands before this bracket", name=name)
        if rest and isinstance(value, Ref) and isinstance(rest[0], ast.Group):
            if len(rest[0].items) > 1:
                return _element(reader, head, cast(ast.Group, rest.pop(0)))
        return value
    if not rest:
        return resolve_identifier(reader, head)
    argument = rest.pop(0)
    if callee.kind in ("builtin", "function"):
        _check_list(callee, argument)
        argument = as_arguments(argument)
    applied = _apply(reader, callee, argument, head.span)
    return applied if applied is not None else _without_parenthesis(reader, callee, argument, rest, head.span)


def _check_conditional(head: ast.Expression, argument: ast.Expression) -> None:
    r"""Refuse `\pi(a \mid s)`, which a definition gives a value as a whole, or nothing."""
    group = _inside(argument)
    if isinstance(group, ast.Group) and group.is_conditional and isinstance(head, (ast.Identifier, ast.Accent, ast.Scripts)):
        parts = (part for item in group.items for part in (item.operands if isinstance(item, ast.Relation) else (item,)))
        call = f"{render_expression(head)}({', '.join(map(render_expression, parts))})"
        near = rf"write `{call}` for a function of all; the probabilities of classes are `\softmax(z)`, and one of them `\softmax(z)[y]`"
        raise unsupported("a conditional probability", head.span.to(argument.span), help=near)


def _near_function(reader: Reader, name: str) -> str | None:
    r"""The function that a word misspells, `\softmax` of `sofmax`; with another first letter it is another one, as `\tan` of `atan`."""
    functions = [*filter(names_function, known_commands()), *reader.written.around.functions, *reader.written.around.signatures]
    spelled = {rf"\{one.bare}": readable(one) for one in map(Name, functions) if len(name) > 3 and name.isalpha()}
    alike = [one for one in spelled if one[1] == name[0] and one[1:] != name]
    return next((spelled[one] for one in difflib.get_close_matches(rf"\{name}", alike, n=1, cutoff=0.85)), None)


def _check_list(callee: Callee, argument: ast.Expression) -> None:
    r"""`\max[a, b]` can be the elementwise maximum, or that of a list."""
    listed = _inside(argument)
    if not isinstance(listed, ast.ListDisplay) or listed.named:
        return
    if callee.kind != "builtin" or find_reduction(callee.name.bare) is None:
        return
    if len(listed.items) > 1 and not any(isinstance(item, ast.Dots) for item in listed.items):
        name, items = readable(callee.name), ", ".join(render_expression(item) for item in listed.items)
        raise undecided(types.VALUES_OR_LIST, listed.span, name=name, items=items)


def _apply(reader: Reader, callee: Callee, argument: ast.Expression, head: Span) -> Term | None:
    r"""`f(x)`, and what stands on its parenthesis: `f(x)^2`, `f(x)_i`, `f(x)[i]` are of the value. None without a parenthesis."""
    span = head.to(argument.span)
    match argument:
        case ast.Group(items=items):
            return _powered(reader, callee, call(reader, callee, items, span), None)
        case ast.Scripts(base=ast.Group() as group, subscripts=subscripts, superscript=superscript):
            value = call(reader, callee, group.items, head.to(group.span))
            written = ast.Juxtaposition((callee.node, group))
            element = element_of_value(reader, value, written, subscripts, span, bracketed=False) if subscripts else value
            return _powered(reader, callee, element, superscript)
        case ast.Indexing(base=base, items=items):
            inner = _apply(reader, callee, base, head)
            return None if inner is None else element_of_value(reader, inner, ast.Juxtaposition((callee.node, base)), items, span)
        case ast.Factorial(operand=operand) if isinstance(inside := base_of(operand), ast.Group):
            if callee.kind == "builtin" and inside is operand and _gives_reals(reader, callee):
                return None  # `\log (n - k)!`
            items_ = ", ".join(map(render_expression, inside.items))
            raise undecided(notation.FACTORIAL_BEHIND_A_CALL, span, name=readable(callee.name), inside=items_)
        case ast.Binary(operator="**", left=left, right=exponent):
            inner = _apply(reader, callee, left, head)
            return None if inner is None else _of_function(PowerTerm(inner, reader.resolve(exponent), on_value(exponent), span=span))
        case _:
            return None


def _gives_reals(reader: Reader, callee: Callee) -> bool:
    """Whether an operation of the language gives a real number, whatever it is applied to."""
    row = find_function(reader.aliases.get(callee.name, callee.name.bare))
    return row is not None and row.signature.operands == REALS


def _may_be_indexed(reader: Reader, head: ast.Expression, value: Term, bracket: ast.Group) -> bool:
    r"""Whether a bracket behind a space may hold an index, `x [t + 1]`: not behind a number, and not if it holds a real number."""
    if isinstance(head, ast.Number | ast.Fraction | ast.Root) or count_axes(value) == 0:
        return False
    return may_index(reader, bracket.items[0])


def _is_integer(reader: Reader, item: ast.Expression) -> bool:
    """Whether a name stands for a size, or for an integer that is declared."""
    name = spelling_of(item) or NO_NAME
    symbol = reader.find_symbol(name)
    if symbol is None:
        return reader.find_size(name) is not None
    return symbol.declared and not expand(symbol.shape).prefix and find_element(symbol.element) is Element.INTEGER


def _element(reader: Reader, head: ast.Expression, group: ast.Group) -> Term:
    """`u_c(i, j)` of an array, where these are indices: its element."""
    scope, element = index_scope(reader), element_of(head, group.items, index_scope(reader))
    if all(set(identifiers(item)) & scope or isinstance(item, ast.Number) or _is_integer(reader, item) for item in group.items):
        return reader.resolve(replace(element, span=head.span.to(group.span)))
    name, own = render_expression(head), ", ".join("abcdpqruvw"[: len(group.items)])
    symbols = (reader.find_symbol(spelling_of(item) or NO_NAME) for item in group.items)
    if all(symbol is None or not (expand(symbol.shape).prefix or find_element(symbol.element) is Element.REAL) for symbol in symbols):
        advice = f"write `{render_expression(element)}` for an element of `{name}`"
    else:
        advice = rf"a function of its own is defined by `g({own}) \gets …`"
    raise refuse("E0409", f"`{name}` is an array, and no function of these", head.span.to(group.span), help=advice)


def _without_parenthesis(reader: Reader, callee: Callee, argument: ast.Expression, rest: list[ast.Expression], span: Span) -> Term:
    name = readable(callee.name)
    if callee.kind not in ("builtin", "function"):
        raise refuse("E0306", f"`{name}` is a module; its arguments stand in parentheses", span, help=f"write `{name}(…)`")
    if rest:
        _check_conditional(argument, rest[0])
    if find_callee(reader, argument) is not None:
        inner_rest = [argument, *rest]
        inner = _take(reader, inner_rest)
        del rest[: len(rest) - len(inner_rest)]
        value = call_terms(reader, callee, (inner,), (argument,), span.to(inner.span))
    else:
        value = call(reader, callee, (argument,), span.to(argument.span))
    if rest and find_callee(reader, rest[0]) is None:
        first, second = (render_expression(factor) for factor in (argument, rest[0]))
        raise undecided(types.REACH_OF_AN_ARGUMENT, span.to(rest[0].span), name=name, first=first, second=second)
    return _powered(reader, callee, value, None)


def _powered(reader: Reader, callee: Callee, value: Term, superscript: ast.Expression | None) -> Term:
    """`\\cos^2 x` and `\\cos(x)^2` are the square of the value; of what the document defines, `f^2(x)` may be `f(f(x))`."""
    if callee.superscript is not None and not _is_label(reader, callee, callee.superscript):
        if isinstance(callee.superscript, ast.Negative):
            raise _inverse(callee, value.span)
        if callee.kind != "builtin" and _takes_one(reader, callee) and _may_count(callee.superscript):
            raise _power_or_repetition(callee, value.span)
        value = _of_function(power(reader, value, callee.superscript, callee.node))
    return value if superscript is None else _of_function(power(reader, value, superscript, callee.node))


def _is_label(reader: Reader, callee: Callee, superscript: ast.Expression) -> bool:
    r"""Whether a superscript says which module is called: that of a stack, or in a loop over layers, `\mathrm{Layer}^{\ell}(x)`."""
    if callee.kind == "type":
        return isinstance(superscript, ast.Group) or any(reader.find_binder(Name(name)) for name in identifiers(superscript))
    return callee.kind == "submodule"


def _takes_one(reader: Reader, callee: Callee) -> bool:
    """Whether a function or a module has one argument, so that it may be applied to its own value."""
    if callee.kind == "function":
        return len(reader.functions[callee.name].parameters) == 1
    signature = find_signature(reader.written.around.signatures, callee.name.bare)
    return signature is not None and len(signature.inputs) == 1


def _may_count(superscript: ast.Expression) -> bool:
    """Whether a superscript may say how often a function is applied: neither a fraction nor a sign for the transpose."""
    match superscript:
        case ast.Number(text=text):
            return text.isdigit() and int(text) > 1
        case ast.Fraction() | ast.Binary(operator="/"):
            return False
        case _:
            return not is_transpose(superscript)


def _power_or_repetition(callee: Callee, span: Span) -> MathdslError:
    """`f^2(x)`: of what the document defines it can be the square of `f(x)`, or `f(f(x))`."""
    plain = cast(ast.Scripts, unaccent(callee.node))
    name = render_expression(replace(plain, superscript=None) if plain.subscripts else plain.base)
    raised = render_expression(cast(ast.Expression, plain.superscript))
    power = raised if len(raised) == 1 else f"{{{raised}}}"
    return undecided(notation.POWER_OF_A_FUNCTION, span, written=render_expression(callee.node), name=name, power=power)


def _inverse(callee: Callee, span: Span) -> MathdslError:
    r"""`\sin^{-1}(x)`: the inverse function for most readers, the reciprocal by the rule of `\sin^2(x)`."""
    return undecided(types.INVERSE_FUNCTION, span, written=render_expression(callee.node), name=readable(callee.name))


def _of_function(value: Term) -> Term:
    return replace(value, of_function=True) if isinstance(value, PowerTerm) else value


def _inside(node: ast.Expression) -> ast.Expression:
    behind = node.operand if isinstance(node, ast.Factorial) else node
    return behind.base if isinstance(behind, ast.Scripts) else behind


def _is_unknown(reader: Reader, node: ast.Expression) -> bool:
    r"""Whether nothing tells what is applied: `f`, `f^{(1)}`, `f^{-1}`; `\phi_2` beside a function `\phi_k`."""
    plain = unaccent(node)
    if isinstance(plain, ast.Scripts) and not plain.subscripts and isinstance(plain.superscript, (ast.Group, ast.Negative)):
        node = plain = unaccent(plain.base)
        if spelling_of(plain) in RESERVED_SYMBOLS:
            return False
    spelling = spelling_of(plain)
    if spelling is None or has_value(reader, spelling):
        return False
    if isinstance(plain, ast.Scripts):
        return any(name.labels and name.word == word_of(plain.base) for name in reader.functions)
    return isinstance(node, (ast.Identifier, ast.Accent)) and not all(reader.find_symbol(Name(c), False) is not None for c in spelling)


def _is_only_applied(reader: Reader, node: ast.Expression) -> bool:
    r"""Whether an input that nothing declares stands nowhere but before what looks like arguments: `f(x)`, as a function would."""
    spelling = spelling_of(node)
    symbol = None if spelling is None else reader.find_symbol(spelling, False)
    usage = reader.written.usage
    is_input = symbol is not None and symbol.role is Role.INPUT and symbol.source is not Source.DECLARATION
    return is_input and spelling in usage.called and spelling not in usage.plain


def _is_matrix(reader: Reader, node: ast.Expression) -> bool:
    r"""Whether a capital letter is nowhere called, `U (r \odot h)`: what a header has and nothing declares is read by that, too."""
    spelling = spelling_of(node)
    return spelling is not None and not reader.is_closed and is_capital(spelling) and spelling not in reader.written.usage.called


def _phrase(reader: Reader, node: ast.Juxtaposition) -> Term:
    """Mathematics with words in it: the row lookup, conditions."""
    texts = [f.text if isinstance(f, ast.Phrase) else None for f in node.factors]
    if len(texts) >= 3 and texts[1] is not None and re.fullmatch(r"-?\s*th row of", texts[1]) and texts[0] is None:
        words = [
            t
            for t in texts[3:]
            if t is None or not re.fullmatch(r"but (treated|seen|taken|read) as (a )?(column )?vector|as (a )?(column )?vector", t)
        ]
        if not words and isinstance(table := reader.resolve(node.factors[2]), Ref):
            row = reader.resolve(node.factors[0])
            return Ref(table.symbol, (*table.positions, row.value if isinstance(row, SizeTerm) else row), span=node.span)
    if texts[0] == "if" or texts[-1] in ("is even", "is odd"):
        return conditions.resolve_condition(reader, node)
    words = [t for t in texts if t]
    if measured := re.fullmatch(r"(\w+)\.(size|shape|nelement|numel|dim)", words[0] or ""):
        advice = rf"write `{measured[1]}.\mathrm{{size}}(1)` for the size of the first axis of `{measured[1]}`; axis 0 is the batch"
        raise unsupported(f"`{words[0]}` in words", node.span, help=advice)
    raise unsupported(f"the phrase “{words[0]}”", node.span, help="say it in symbols")


# ---- calls -----------------------------------------------------------------------------------


def call(reader: Reader, callee: Callee, items: tuple[ast.Expression, ...], span: Span) -> Term:
    """Apply a callable to the items of a parenthesis."""
    match callee.kind:
        case "submodule":
            entry = reader.entries.submodules.get(callee.name)
            if entry is not None and not entry.is_stack and isinstance(callee.superscript, ast.Number) and _may_count(callee.superscript):
                raise _power_or_repetition(callee, span)
            return call_submodule(
                reader, callee.name, callee.superscript or (callee.subscripts[0] if callee.subscripts else None), items, span
            )
        case "type":
            return call_type(reader, callee.name.bare, callee.subscripts, items, span)
        case _:
            for item in items:
                if isinstance(item, ast.Keyword):
                    name = readable(callee.name)
                    raise refuse("E0307", f"`{name}` takes no named arguments", item.span, help=f"write the value alone, `{name}(…)`")
            index = _free_index(reader, callee)
            if index is not None and len(items) == 1:
                return _over_free_index(reader, callee, index, items, span)
            if callee.kind == "builtin":
                items = _of_a_set(items)
                if any(isinstance(item, (ast.Dots, ast.Comprehension)) for item in items):
                    return _of_family(reader, callee, items, span)
            return call_terms(reader, callee, tuple(reader.resolve(item) for item in items), items, span)


def _of_a_set(items: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    r"""`\max\{a, b\}` is `\max(a, b)`."""
    match items:
        case (ast.SetDisplay(items=elements),) if len(elements) > 1:
            return elements
        case _:
            return items


def _of_family(reader: Reader, callee: Callee, items: tuple[ast.Expression, ...], span: Span) -> Term:
    r"""`\max(x_1, \dots, x_n)`, `\max\{x_t ; t \in I\}`, `\operatorname{concat}(o_1, \dots, o_n)`: of what an index runs over."""
    name = reader.aliases.get(callee.name, callee.name.bare)
    reduction = find_reduction(name)
    dots = next((item for item in items if isinstance(item, ast.Dots)), None)
    family = reader.resolve(items[0]) if dots is None else read_list(reader, items, span, listed=False)
    if dots is not None and name.lower() == "concat" and not callee.subscripts:
        return Flattened(family, span=span)
    if (dots is not None or len(items) == 1) and reduction is not None and isinstance(family, Build):
        return Reduction(reduction.name, family.binder, family.body, span=span)
    if dots is None:
        return call_terms(reader, callee, (family, *(reader.resolve(item) for item in items[1:])), items, span)
    what = f"an ellipsis stands among the arguments of `{readable(callee.name)}`"
    raise refuse("E0309", what, dots.span, help=r"give it an array, `(x_1, \dots, x_n)`")


def _free_index(reader: Reader, callee: Callee) -> ast.Identifier | None:
    r"""The index of `\operatorname{softmax}_j(…)` that nothing binds outside."""
    name = reader.aliases.get(callee.name, callee.name.bare)
    if callee.kind != "builtin" or find_along(name) is None or len(callee.subscripts) != 1:
        return None
    index = callee.subscripts[0]
    return index if isinstance(index, ast.Identifier) and not has_value(reader, spelling_of(index) or NO_NAME) else None


_AXES = frozenset("row rows column columns col cols dim axis first last left right".split())
"""Words that say which axis of a matrix is meant."""

_LETTERS = frozenset("ijklmn")


def _over_free_index(reader: Reader, callee: Callee, index: ast.Identifier, items: tuple[ast.Expression, ...], span: Span) -> Term:
    """The array of all elements: one more axis, over the range of the axes that the index indexes."""
    name = spelling_of(index) or NO_NAME
    if len(name.bare) > 1 and set(name.bare) <= _LETTERS:
        advice = rf"write `\frac{{\exp(A_{{{name.bare}}})}}{{\sum_{{k, l}} \exp(A_{{k,l}})}}` for one over all"
        raise unsupported(f"a `{readable(callee.name)}` over several indices", index.span, help=advice)
    if (len(name.bare) > 2 and not name.is_command and name.bare.lower() not in _AXES) and not indexes(reader, name, items[0]):
        reader.findings.note(notation.WORD_BELOW_A_SOFTMAX, readable(callee.name.labelled((name,))), index.span)
        return call(reader, replace(callee, subscripts=()), items, span)
    binder = reader.binder(name, range_of_index(reader, name, items[0], span), index.span, bare=True)
    inner = reader.within(binder)
    return Build(binder, call_terms(inner, callee, (inner.resolve(items[0]),), items, span), span=span)


def call_terms(reader: Reader, callee: Callee, arguments: tuple[Term, ...], items: tuple[ast.Expression, ...], span: Span) -> Term:
    """Apply a function of the author's or a built-in operation to values."""
    if callee.kind == "function":
        return call_function(reader, callee.name, arguments, span)
    name = reader.aliases.get(callee.name, callee.name.bare)
    return apply_builtin(reader, name, callee.subscripts, arguments, items, span)


def resolve_command(reader: Reader, node: ast.Command) -> Term:
    r"""A macro of the notation: `\sof{…}`, `\fla{…}`, `\drop{x}{p}`, `\cat{…}`, `\Call{F}{a, b}`."""
    if (meant := in_words(node)) is not None:
        return reader.resolve(meant)
    match node.name, node.arguments:
        case "cat", (items,):
            return _cat(reader, items, node.span)
        case "in turn", ((item,),):
            return Flattened(reader.resolve(item), in_turn=True, span=node.span)
        case "fla", (items,):
            listed = read_list(reader, items, node.span, listed=False) if len(items) > 1 else reader.resolve(items[0])
            return Flattened(listed, span=node.span)
        case "sof", (items,):
            return _softmax(reader, items, node.span)
        case "drop", (body, (probability,)) if len(body) == 1:
            arguments = (reader.resolve(body[0]), reader.resolve(probability))
            return apply_builtin(reader, "dropout", (), arguments, (body[0], probability), node.span)
        case "unread", _:
            return Unread(span=node.span)
        case "kept", ((node_,),):
            element = reader.resolve(node_)
            return replace(element, kept=True) if isinstance(element, Ref) else element
        case "given", ((value, flag, ast.Identifier(text=words)),):
            return Given(reader.resolve(value), reader.resolve(flag), words, span=node.span)
        case "result", ((value,), (ast.Number(text=position), ast.Number(text=count) as names)):
            return _result(reader, value, int(position), int(count), names.span)
        case "updated", ((array, place, value),):
            return _updated(reader, array, place, value, node.span)
        case "Call", ((function,), items):
            callee = find_callee(reader, function)
            if callee is None:
                name = word_of(function) or "this"
                raise refuse("E0301", f"`{name}` is no function or module of this document", function.span)
            return call(reader, callee, items, node.span)
        case _:
            raise unsupported(f"`\\{node.name}`", node.span, help=OUTSIDE)


def _result(reader: Reader, value: ast.Expression, position: int, count: int, names: Span) -> Term:
    r"""One of the values that are unpacked into targets, `(x_j, x_{j+1}) \gets f(x_j, x_{j+1})`: of one call for all of them."""
    calls, asked = reader.terms.unpacked, (value.span, value, reader.binders)
    if asked not in calls:
        calls[asked] = reader.resolve(value)
    found = calls[asked]
    return found if isinstance(found, Faulty) else values_for(found, count, names)[position - 1]


def _updated(reader: Reader, array: ast.Expression, place: ast.Expression, value: ast.Expression, span: Span) -> Term:
    r"""The array that an assignment to its element makes: `x_i \gets e`."""
    element = reader.resolve(place)
    if not isinstance(element, Ref):
        raise unsupported(f"an assignment to `{render_expression(place)}`", span, help="give the value a name of its own")
    plain = without_versions(place)
    if isinstance(plain, ast.Indexing) and plain.of_script:
        plain = ast.Scripts(plain.base, plain.items[plain.turns :], span=span)
    words = render_expression(plain)
    return Updated(reader.resolve(array), element, reader.resolve(value), words, span=span)


def _cat(reader: Reader, items: tuple[ast.Expression, ...], span: Span) -> Term:
    if any(isinstance(item, ast.Dots) for item in items):
        return read_list(reader, items, span, listed=False)
    if len(items) == 1:
        return reader.resolve(items[0])
    return join(reader, items, span)


def _softmax(reader: Reader, items: tuple[ast.Expression, ...], span: Span) -> Term:
    body = read_list(reader, items, span, listed=False) if len(items) > 1 else reader.resolve(items[0])
    return apply_builtin(reader, "softmax", (), (body,), items, span)
