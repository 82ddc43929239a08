"""From syntax to terms: what each name, index, call and operator of an expression stands for."""

from __future__ import annotations

import difflib
import math
from typing import assert_never

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate import application, conditions, reductions, sequences
from mathdsl.elaborate.elements import resolve_indexing
from mathdsl.elaborate.indices import as_poly
from mathdsl.elaborate.matrix_constants import bare_identity
from mathdsl.elaborate.names import readable, spelling_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.scripts import resolve_scripts
from mathdsl.elaborate.shapes import SCALAR, unify_elements
from mathdsl.elaborate.spelling import unaccent
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import (
    Binder,
    Broken,
    Constant,
    Elementwise,
    NumberTerm,
    PowerTerm,
    Product,
    Ref,
    SizeTerm,
    Term,
    TupleTerm,
)
from mathdsl.elaborate.unit import Unit
from mathdsl.ir.nodes import SettingDeclaration
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast

ELEMENTWISE = {"+": "add", "-": "sub", "*": "mul", r"\odot": "mul", r"\circ": "mul", "/": "div"}


# Signs with a meaning that this version does not compile: what they are, and what is near.
NOT_YET = {
    r"\mathbb{E}": ("an expectation", r"the mean of values is `\operatorname{mean}`"),
    r"\nabla": ("a gradient", "gradients are taken outside, by whoever trains"),
    r"\partial": ("a derivative", "derivatives are taken outside, by whoever trains"),
}


def resolve(unit: Unit, node: ast.Expression) -> Term:
    """The term of an expression; a mistake is reported, and what is around it is still read."""
    try:
        return _resolve(unit, node)
    except MathdslError as error:
        unit.report(error)
        return Broken(span=node.span)


def _resolve(unit: Unit, node: ast.Expression) -> Term:
    match node:
        case ast.Number() | ast.Identifier() | ast.Accent() | ast.Scripts() | ast.Indexing() | ast.Attribute():
            return _resolve_name(unit, node)
        case ast.Group(items=items):
            return _group(unit, node, items)
        case ast.Juxtaposition():
            return application.resolve_juxtaposition(unit, node)
        case ast.Binary():
            return _binary(unit, node)
        case ast.Negative(operand=operand):
            return _negative(unit, node, operand)
        case ast.Fraction(numerator=numerator, denominator=denominator):
            return Elementwise("div", (resolve(unit, numerator), resolve(unit, denominator)), span=node.span)
        case ast.Root(radicand=radicand, degree=None):
            return Elementwise("sqrt", (resolve(unit, radicand),), span=node.span)
        case ast.Root(radicand=radicand, degree=degree) if degree is not None:
            inverse = Elementwise("div", (NumberTerm(1.0, span=node.span), resolve(unit, degree)), span=node.span)
            return Elementwise("pow", (resolve(unit, radicand), inverse), span=node.span)
        case ast.Relation() | ast.Logic():
            return conditions.resolve_condition(unit, node)
        case ast.Cases():
            return conditions.resolve_cases(unit, node)
        case ast.Reduction():
            return reductions.resolve_reduction(unit, node)
        case ast.Bars():
            return reductions.resolve_bars(unit, node)
        case ast.Command():
            return application.resolve_command(unit, node)
        case ast.Comprehension() | ast.ListDisplay() | ast.SetDisplay():
            return sequences.resolve_collection(unit, node)
        case ast.Matrix():
            raise unsupported("a matrix written out", node.span)
        case ast.Root() | ast.Interval() | ast.Slice() | ast.Keyword() | ast.Dots() | ast.Hole() | ast.Phrase():
            raise refuse("E0309", f"{_part_of_speech(node)} has no value of its own", node.span, help=_where_it_belongs(node))
        case _:
            assert_never(node)


def _part_of_speech(node: ast.Expression) -> str:
    match node:
        case ast.Dots():
            return "an ellipsis"
        case ast.Slice():
            return "a slice"
        case ast.Keyword():
            return "a named argument"
        case ast.Phrase(text=text):
            return f"the phrase “{text}”"
        case ast.Interval():
            return "an interval"
        case _:
            return "this"


def _where_it_belongs(node: ast.Expression) -> str:
    match node:
        case ast.Dots():
            return r"an ellipsis stands in a list, between its first elements and its last: `\cat{h_1, \dots, h_S}`"
        case ast.Slice():
            return "a slice stands in brackets after an array: `x[a:b]`"
        case ast.Keyword():
            return "named arguments stand in the parentheses of a call"
        case ast.Interval():
            return "an interval stands in a table, as the type of a setting"
        case _:
            return "say it in symbols"


def resolve_value(unit: Unit, node: ast.Expression) -> Term:
    """The right side of a definition, or what is returned: a tuple is welcome here, also written without parentheses."""
    return resolve(unit, node)


def _resolve_name(unit: Unit, node: ast.Number | ast.Identifier | ast.Accent | ast.Scripts | ast.Indexing | ast.Attribute) -> Term:
    node_ = unaccent(node)
    match node_:
        case ast.Number(text=text):
            return NumberTerm(int(text) if text.isdigit() else float(text), span=node.span)
        case ast.Scripts():
            return resolve_scripts(unit, node_)
        case ast.Indexing():
            return resolve_indexing(unit, node_)
        case ast.Attribute():
            size = as_poly(unit, node_)
            if size is None:
                raise refuse(
                    "E0408",
                    f"`.{node_.name}` gives the size of an axis of an array",
                    node.span,
                    help=r"write `x.\sz{1}` for the first axis of `x`",
                )
            return SizeTerm(size, span=node.span)
        case _:
            return resolve_identifier(unit, node_)


def resolve_identifier(unit: Unit, node: ast.Expression) -> Term:
    """The term of a bare name."""
    spelling = spelling_of(node)
    if spelling is None:
        raise refuse("E0301", "this is no name", node.span)
    found = lookup(unit, spelling, node.span)
    if found is not None:
        return found
    if spelling in unit.spoiled:
        return Broken(span=node.span)
    reserved = _reserved(unit, spelling, node.span)
    if reserved is not None:
        return reserved
    if application.is_callable(unit, node):
        raise refuse(
            "E0306",
            f"`{readable(spelling)}` is a function and needs its arguments here",
            node.span,
            help=f"write `{readable(spelling)}(…)`",
        )
    letters = _letters(unit, node, spelling)
    if letters is not None:
        return letters
    return free_symbol(unit, spelling, node.span)


def lookup(unit: Unit, spelling: str, span: Span) -> Term | None:
    """What a spelling stands for in the scopes, innermost first; None where nothing is known of it."""
    if unit.bound.get(spelling):
        return unit.bound[spelling][-1]
    binder = unit.find_binder(spelling)
    if binder is not None:
        return SizeTerm(axis_position(binder), span=span)
    for flag in (False, True):
        symbol = unit.symbols.get((spelling, flag))
        if symbol is not None:
            symbol.used = True
            return Ref(symbol, span=span)
    if spelling in unit.sizes:
        unit.value_sizes.add(unit.sizes[spelling].name)
        return SizeTerm(Poly.of(unit.sizes[spelling].name), span=span)
    if spelling in unit.submodules:
        raise refuse(
            "E0306", f"`{readable(spelling)}` is a module and needs its arguments here", span, help=f"write `{readable(spelling)}(…)`"
        )
    return None


def _reserved(unit: Unit, spelling: str, span: Span) -> Term | None:
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
        case "I":
            return bare_identity(unit, span)
        case _:
            return None


def _letters(unit: Unit, node: ast.Expression, spelling: str) -> Term | None:
    """`QK` as the product of `Q` and `K`, where each letter is a known symbol."""
    if not isinstance(node, ast.Identifier) or not spelling.isalpha() or len(spelling) < 2:
        return None
    found = [lookup(unit, letter, node.span) for letter in spelling]
    if any(term is None for term in found):
        return None
    product = found[0]
    assert product is not None
    for term in found[1:]:
        assert term is not None
        product = Product("", product, term, span=node.span)
    unit.note_letters(spelling, node.span)
    return product


def free_symbol(unit: Unit, spelling: str, span: Span) -> Term:
    """A name that nothing declares: a parameter where the notation owns free names, else a mistake."""
    if spelling in NOT_YET:
        what, near = NOT_YET[spelling]
        raise unsupported(what, span, help=near)
    close = _misspelling(unit, spelling)
    if (
        spelling == "padding"
        or close is not None
        or not unit.owns_free_names
        or (len(spelling) > 1 and spelling.isalpha() and "\\" not in spelling)
    ):
        help_text = f"did you mean `{close}`?" if close else "declare it in the header or in a `where` table, or define it"
        letters = (
            f"`{spelling}` is neither one name nor a product of known letters"
            if spelling.isalpha() and len(spelling) > 1
            else f"`{readable(spelling)}` is not declared"
        )
        raise refuse("E0301", letters, span, help=help_text)
    symbol = unit.add_symbol(Symbol(spelling, Role.PARAMETER, span=span, used=True, origin="free"))
    return Ref(symbol, span=span)


def _misspelling(unit: Unit, spelling: str) -> str | None:
    """A known name of four or more letters that is one letter away."""
    base = spelling.split("_", 1)[0]
    if len(base.lstrip("\\")) < 4 or spelling in unit.said:
        return None
    known = sorted(
        {s for s, _ in unit.symbols} | unit.sizes.keys() | unit.submodules.keys() | unit.functions.keys() | unit.signatures.keys()
    )
    for name in difflib.get_close_matches(spelling, known, n=3, cutoff=0.75):
        other = name.split("_", 1)[0]
        if name != spelling and abs(len(other) - len(base)) <= 1 and _one_apart(base, other):
            return name
    return None


def _one_apart(a: str, b: str) -> bool:
    if len(a) == len(b):
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1
    short, long = sorted((a, b), key=len)
    return any(long[:k] + long[k + 1 :] == short for k in range(len(long)))


def _group(unit: Unit, node: ast.Group, items: tuple[ast.Expression, ...]) -> Term:
    if any(isinstance(item, ast.Keyword) for item in items):
        raise refuse("E0307", "a named argument stands outside a call", node.span, help="put the function's name before the parenthesis")
    if len(items) == 1:
        return resolve(unit, items[0])
    return TupleTerm(tuple(resolve(unit, item) for item in items), span=node.span)


def _binary(unit: Unit, node: ast.Binary) -> Term:
    # A long sum is a left-leaning chain; it is read with a loop, so that its length is not limited.
    chain: list[ast.Binary] = []
    first: ast.Expression = node
    while isinstance(first, ast.Binary) and first.operator in ("+", "-"):
        chain.append(first)
        first = first.left
    if not chain:
        return _product(unit, node)
    term = resolve(unit, first)
    for link in reversed(chain):
        term = Elementwise(ELEMENTWISE[link.operator], (term, resolve(unit, link.right)), span=link.span)
    return term


def _product(unit: Unit, node: ast.Binary) -> Term:
    match node.operator:
        case "*" | r"\odot" | r"\circ" | "/":
            return Elementwise(ELEMENTWISE[node.operator], (resolve(unit, node.left), resolve(unit, node.right)), span=node.span)
        case "@" | r"\cdot" | r"\times":
            return Product(node.operator, resolve(unit, node.left), resolve(unit, node.right), span=node.span)
        case "**":
            return PowerTerm(resolve(unit, node.left), resolve(unit, node.right), span=node.span)
        case "||":
            return sequences.concatenate(unit, node)
        case r"\otimes":
            raise unsupported(r"`\otimes`", node.operand.span if isinstance(node, ast.Negative) else node.span)
        case _:
            raise refuse("E0309", f"`{node.operator}` cannot stand here", node.span)


def _negative(unit: Unit, node: ast.Negative, operand: ast.Expression) -> Term:
    inner = resolve(unit, operand)
    if isinstance(inner, NumberTerm) and not isinstance(inner.value, bool):
        return NumberTerm(-inner.value, span=node.span)
    return Elementwise("neg", (inner,), span=node.span)


def shared_setting(unit: Unit, setting: SettingDeclaration, span: Span) -> Term:
    """A setting that a callee needs and nothing gives: the caller's own of that name, passed on."""
    symbol = own_setting(unit, setting)
    if symbol is None:
        symbol = unit.add_symbol(Symbol(setting.name, Role.SETTING, SCALAR, setting.element, declared=True, latex=setting.latex, span=span))
        symbol.description, symbol.bounds, symbol.origin = setting.description, (setting.lower, setting.upper), "setting of a submodule"
    symbol.used = True
    return Ref(symbol, span=span)


def own_setting(unit: Unit, setting: SettingDeclaration) -> Symbol | None:
    """The caller's own setting of a callee's setting's name; a free scalar of that name is one."""
    known = next((s for s in unit.symbols.values() if unit.names.name(s.spelling) == setting.name), None)
    if known is not None and known.origin == "free" and unit.shapes.unify(known.shape, SCALAR):
        known.role, known.bounds = Role.SETTING, (setting.lower, setting.upper)
        unify_elements(known.element, setting.element)
    return known if known is not None and known.role is Role.SETTING else None


def axis_position(binder: Binder) -> Poly:
    """An index variable as the index of an axis."""
    return Poly.of(binder.name)
