r"""Default values and initialisers of declarations: `= \mathbf{0}`, `= 0.1`, `\sim \mathcal{U}(a, b)`, `\sim \mathrm{Xavier}`."""

from __future__ import annotations

from mathdsl.elaborate.names.names import plain_word
from mathdsl.elaborate.names.symbols import WrittenInitialiser
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Constant, Elementwise, NumberTerm, PowerTerm, Product, Term
from mathdsl.ir.nodes import Literal
from mathdsl.ops import ELEMENTWISE
from mathdsl.ops.model import REALS
from mathdsl.syntax import nodes as ast

NAMED = {"xavier": "xavier", "glorot": "xavier", "kaiming": "kaiming", "he": "kaiming", "orthogonal": "orthogonal"}


def read_default(reader: Reader, node: ast.Expression) -> Literal:
    """The value that every element has where nothing is given."""
    if is_empty(node):
        return Literal(0)
    value = _number(reader.resolve(node))
    if value is None:
        raise unsupported("a default that is no number", node.span, help=r"write `= \mathbf{0}` or a number")
    return Literal(value)


def _number(term: Term) -> float | int | bool | None:
    r"""The number that a term of numbers is: `10^{-5}`, `2\pi`, `1 / \sqrt{2}`."""
    match term:
        case Constant(value=value) | NumberTerm(value=value):
            return value
        case Product(left=left, right=right):
            return _applied("mul", (left, right))
        case PowerTerm(base=base, exponent=exponent):
            return _applied("pow", (base, exponent))
        case Elementwise(op=op, arguments=arguments):
            return _applied(op, arguments)
        case _:
            return None


def _applied(op: str, arguments: tuple[Term, ...]) -> float | int | bool | None:
    row, values = ELEMENTWISE[op], [value for term in arguments if (value := _number(term)) is not None]
    if len(values) < len(arguments):
        return None
    is_real = op == "div" or op == "pow" and values[-1] < 0 or row.signature.operands == REALS or any(isinstance(v, float) for v in values)
    elements = [Literal(float(value) if is_real and not isinstance(value, bool) else value) for value in values]
    if row.random or row.signature.result_of([literal.element for literal in elements]) is None:
        return None
    return row.evaluate(*(literal.value for literal in elements))


def is_empty(node: ast.Expression) -> bool:
    """`[]`, `()`: no elements."""
    return isinstance(node, (ast.ListDisplay, ast.Group)) and not node.items


def read_initialiser(reader: Reader, node: ast.Expression) -> WrittenInitialiser:
    """The distribution a parameter is drawn from."""
    match node:
        case ast.Identifier():
            kind = NAMED.get((plain_word(node) or "").lower())
            if kind is not None:
                return WrittenInitialiser(kind)
        case ast.Juxtaposition(factors=(ast.Identifier() as name, ast.Group(items=(a, b)))):
            match plain_word(name):
                case "U":
                    return WrittenInitialiser("uniform", (a, b))
                case "N":
                    return WrittenInitialiser("normal", (a, b), variance=True)
                case _:
                    pass
        case _:
            pass
    raise refuse(
        "E0407",
        "this is no initialiser",
        node.span,
        help=r"initialisers are `\mathcal{U}(a, b)`, `\mathcal{N}(0, s^2)`, `\mathrm{Xavier}`, `\mathrm{Kaiming}`, `\mathrm{Orthogonal}`",
    )


def initialiser_terms(reader: Reader, written: WrittenInitialiser) -> tuple[Term, ...]:
    """The arguments as terms; a normal distribution's second one becomes the standard deviation."""
    if not written.variance:
        return tuple(reader.resolve(a) for a in written.arguments)
    mean, variance = written.arguments
    match variance:
        case ast.Scripts(base=base, superscript=ast.Number(text="2")):
            plain: ast.Expression = ast.Scripts(base, variance.subscripts, span=variance.span) if variance.subscripts else base
            deviation = reader.resolve(plain)
        case _:
            deviation = Elementwise("sqrt", (reader.resolve(variance),), span=variance.span)
    return reader.resolve(mean), deviation
