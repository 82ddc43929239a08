"""From syntax to terms: what each name, index, call and operator of an expression stands for."""

from __future__ import annotations

import difflib
import math
from typing import assert_never

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate import application, sequences
from mathdsl.elaborate.indices import as_poly, name_of, read_binding
from mathdsl.elaborate.names import readable, spelling_of, word_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.scripts import resolve_indexing, resolve_scripts
from mathdsl.elaborate.shapes import SCALAR
from mathdsl.elaborate.spelling import bound_names, unaccent
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import (
    Binder,
    Broken,
    CaseTerm,
    Constant,
    Elementwise,
    Fold,
    NumberTerm,
    Product,
    Reduction,
    Ref,
    SizeTerm,
    Term,
    TupleTerm,
)
from mathdsl.elaborate.unit import Unit
from mathdsl.ir.nodes import Element, Literal, SettingDeclaration
from mathdsl.ir.sizes import Poly
from mathdsl.ops import find_reduction
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast

ELEMENTWISE = {"+": "add", "-": "sub", "*": "mul", r"\odot": "mul", r"\circ": "mul", "/": "div"}
COMPARISONS = {
    "=": "equal",
    r"\algoIs": "equal",
    r"\neq": "not_equal",
    "<": "less",
    r"\leq": "less_equal",
    ">": "greater",
    r"\geq": "greater_equal",
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
            return resolve_condition(unit, node)
        case ast.Cases():
            return _cases(unit, node)
        case ast.Reduction():
            return _reduction(unit, node)
        case ast.Bars():
            return _bars(unit, node)
        case ast.Command():
            return application.resolve_command(unit, node)
        case ast.Comprehension() | ast.ListDisplay() | ast.SetDisplay():
            return sequences.resolve_collection(unit, node)
        case ast.Matrix():
            raise unsupported("a matrix written out", node.span)
        case ast.Root() | ast.Interval() | ast.Slice() | ast.Keyword() | ast.Dots() | ast.Hole() | ast.Phrase():
            raise refuse("E0309", "this has no value of its own", node.span)
        case _:
            assert_never(node)


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
    reserved = _reserved(spelling, node.span)
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


def _reserved(spelling: str, span: Span) -> Term | None:
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
            raise unsupported("the identity matrix `I`", span)
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
    unit.note("N0301", f"`{spelling}` is read as the product of {', '.join(f'`{c}`' for c in spelling)}", node.span)
    return product


def free_symbol(unit: Unit, spelling: str, span: Span) -> Term:
    """A name that nothing declares: a parameter where the notation owns free names, else a mistake."""
    if spelling in unit.spoiled:
        return Broken(span=span)
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
    if len(base.lstrip("\\")) < 4:
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
            return Elementwise("pow", (resolve(unit, node.left), resolve(unit, node.right)), span=node.span)
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


# ---- conditions ------------------------------------------------------------------------------


def resolve_condition(unit: Unit, node: ast.Expression) -> Term:
    """A condition: relations (chains hold all at once), `and`, `or`, `not`, phrases."""
    match node:
        case ast.Relation(operators=operators, operands=operands):
            return _relation(unit, node, operators, operands)
        case ast.Logic(operator="not", operands=(operand,)):
            return Elementwise("not", (resolve_condition(unit, operand),), span=node.span)
        case ast.Logic(operator=("and" | "or") as operator, operands=operands):
            return _fold_logic(operator, [resolve_condition(unit, o) for o in operands], node.span)
        case ast.Group(items=(inner,)):
            return resolve_condition(unit, inner)
        case ast.Juxtaposition(factors=(subject, ast.Phrase(text=text))) if text in ("is even", "is odd"):
            rest = Elementwise("mod", (resolve(unit, subject), NumberTerm(2, span=node.span)), span=node.span)
            return Elementwise("equal", (rest, NumberTerm(int(text == "is odd"), span=node.span)), span=node.span)
        case ast.Juxtaposition(factors=(ast.Phrase(text="if"), inner)):
            return resolve_condition(unit, inner)
        case ast.Juxtaposition(factors=(ast.Phrase(text="if"), *rest)):
            return resolve_condition(unit, ast.Juxtaposition(tuple(rest), span=node.span))
        case _:
            return resolve(unit, node)


def _fold_logic(operator: str, terms: list[Term], span: Span) -> Term:
    result = terms[0]
    for term in terms[1:]:
        result = Elementwise(operator, (result, term), span=span)
    return result


def _relation(unit: Unit, node: ast.Relation, operators: tuple[str, ...], operands: tuple[ast.Expression, ...]) -> Term:
    links: list[Term] = []
    sides = [None if _is_padding(o) or op_is_membership(operators, k) else resolve(unit, o) for k, o in enumerate(operands)]
    for k, operator in enumerate(operators):
        left = sides[k]
        if operator in COMPARISONS and left is not None:
            right = sides[k + 1] if not _is_padding(operands[k + 1]) else _padding(unit, operands[k + 1].span)
            assert right is not None
            links.append(Elementwise(COMPARISONS[operator], (left, right), span=node.span))
        elif operator in (r"\in", r"\notin") and left is not None:
            links.append(_membership(unit, left, operator, operands[k + 1], node.span))
        else:
            raise unsupported(f"`{operator}` as a condition", node.span)
    return _fold_logic("and", links, node.span)


def op_is_membership(operators: tuple[str, ...], operand: int) -> bool:
    """Whether an operand of a chain is the set of a membership."""
    return operand > 0 and operators[operand - 1] in (r"\in", r"\notin")


def _is_padding(node: ast.Expression) -> bool:
    return word_of(node) == "padding" or isinstance(node, ast.Phrase) and node.text == "padding"


def _padding(unit: Unit, span: Span) -> Term:
    """The setting `pad`: the token that stands in padding, 0 unless the caller says otherwise."""
    symbol = unit.symbols.get(("pad", False))
    if symbol is None:
        symbol = unit.add_symbol(
            Symbol(
                "pad",
                Role.SETTING,
                element=Element.INTEGER,
                declared=True,
                default=Literal(0),
                span=span,
                description="the padding token",
                origin="setting",
            )
        )
        symbol.shape = SCALAR
        unit.names.name("pad")
    symbol.used = True
    return Ref(symbol, span=span)


def shared_setting(unit: Unit, setting: SettingDeclaration, span: Span) -> Term:
    """A setting that a callee needs and nothing gives: the caller's own of that name, passed on."""
    symbol = unit.symbols.get((setting.name, False))
    if symbol is None:
        symbol = unit.add_symbol(Symbol(setting.name, Role.SETTING, SCALAR, setting.element, declared=True, latex=setting.latex, span=span))
        symbol.description, symbol.bounds, symbol.origin = setting.description, (setting.lower, setting.upper), "setting of a submodule"
    symbol.used = True
    return Ref(symbol, span=span)


def axis_position(binder: Binder) -> Poly:
    """An index variable as the index of an axis."""
    return Poly.of(binder.name)


def _membership(unit: Unit, left: Term, operator: str, values: ast.Expression, span: Span) -> Term:
    if not isinstance(values, ast.SetDisplay) or any(isinstance(i, ast.Dots) for i in values.items):
        raise unsupported(f"membership in anything but a written-out set (`{operator}`)", span, help=r"compare with `\leq` instead")
    equal: list[Term] = [Elementwise("equal", (left, resolve(unit, item)), span=span) for item in values.items]
    found = _fold_logic("or", equal, span)
    return found if operator == r"\in" else Elementwise("not", (found,), span=span)


def _cases(unit: Unit, node: ast.Cases) -> Term:
    rows: list[tuple[Term | None, Term]] = []
    for row in node.rows:
        condition = None if row.condition is None else resolve_condition(unit, row.condition)
        rows.append((condition, resolve(unit, row.value)))
    return CaseTerm(tuple(rows), span=node.span)


# ---- reductions and bars ---------------------------------------------------------------------


def _reduction(unit: Unit, node: ast.Reduction) -> Term:
    row = find_reduction(node.operator)
    if row is None:
        raise unsupported(f"`\\{node.operator}` over an index", node.span)
    if node.subscript is None:
        return Fold(row.name, resolve(unit, node.body), span=node.span)
    subscript = node.subscript
    if node.superscript is not None and isinstance(subscript, ast.Relation) and subscript.operators == ("=",):
        dots = ast.ListDisplay((subscript.operands[1], ast.Dots(), node.superscript), span=subscript.span)
        subscript = ast.Relation(("=",), (subscript.operands[0], dots), span=subscript.span)
    binder = _reduction_binder(unit, subscript, node)
    with unit.within([binder]):
        body = resolve(unit, node.body)
    return Reduction(row.name, binder, body, span=node.span)


def _reduction_binder(unit: Unit, subscript: ast.Expression, node: ast.Reduction) -> Binder:
    found = read_binding(unit, subscript)
    if found is not None:
        name, bounds = found
        return unit.binder(name_of(name), bounds, name.span)
    names = bound_names(subscript)
    if len(names) == 1 and isinstance(subscript, ast.Identifier):
        bounds = sequences.range_of_index(unit, names[0], node.body, node.span)
        return unit.binder(names[0], bounds, subscript.span)
    raise unsupported("this range of a reduction", subscript.span, help=r"write `\sum_{i=1}^{n}` or `\sum_{i \in \{1, \dots, n\}}`")


def _bars(unit: Unit, node: ast.Bars) -> Term:
    match node.kind, node.items:
        case "|", (inner,):
            size = as_poly(unit, node)
            if size is not None and not _is_scalar_name(unit, inner):
                return SizeTerm(size, span=node.span)
            return Elementwise("abs", (resolve(unit, inner),), span=node.span)
        case "||", (inner,):
            squares = Elementwise("mul", (term := resolve(unit, inner), term), span=node.span)
            return Elementwise("sqrt", (Fold("sum", squares, all_axes=True, span=node.span),), span=node.span)
        case ("floor" | "ceil") as kind, (inner,):
            return Elementwise(kind, (resolve(unit, inner),), span=node.span)
        case "angle", (left, right):
            return Product(r"\cdot", resolve(unit, left), resolve(unit, right), span=node.span)
        case _:
            raise unsupported("this kind of bars", node.span)


def _is_scalar_name(unit: Unit, node: ast.Expression) -> bool:
    spelling = spelling_of(node)
    return spelling is None or bool(unit.find_binder(spelling)) or bool(unit.bound.get(spelling))
