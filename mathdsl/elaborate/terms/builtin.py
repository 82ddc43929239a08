"""Functions that the language knows: operations by name, softmax, losses, dropout."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mathdsl.elaborate.names.lookups import lookup
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of
from mathdsl.elaborate.report import OUTSIDE, refuse, unsupported
from mathdsl.elaborate.terms.instances import in_a_function
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import AlongTerm, CaseTerm, Concatenation, CrossEntropyTerm, Elementwise, Fold, NumberTerm, Term
from mathdsl.ops import find_along, find_function, find_reduction
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

Builtin = Callable[[Reader, tuple[Term, ...], Span], Term]


def _cross_entropy(reader: Reader, arguments: tuple[Term, ...], span: Span) -> Term:
    logits, target = arguments
    return CrossEntropyTerm(logits, target, span=span)


def _squared_error(reader: Reader, arguments: tuple[Term, ...], span: Span) -> Term:
    difference = Elementwise("sub", arguments, span=span)
    return Fold("mean", Elementwise("mul", (difference, difference), span=span), all_axes=True, span=span)


def _dropout(reader: Reader, arguments: tuple[Term, ...], span: Span) -> Term:
    if reader.written.is_function:
        raise in_a_function("dropout, which only training mode switches on,", span)
    return Elementwise("dropout", arguments, span=span)


def _concat(reader: Reader, arguments: tuple[Term, ...], span: Span) -> Term:
    return Concatenation(arguments, bracketed=True, span=span)


def _stop_gradient(reader: Reader, arguments: tuple[Term, ...], span: Span) -> Term:
    return Elementwise("stop_gradient", arguments, span=span)


def _leaky(x: Term, slope: Term, span: Span) -> Term:
    return _where_positive(x, x, Elementwise("mul", (slope, x), span=span), span)


def _elu(x: Term, scale: Term, span: Span) -> Term:
    return _where_positive(x, x, Elementwise("mul", (scale, Elementwise("elu", (x,), span=span)), span=span), span)


def _softplus(x: Term, sharpness: Term, span: Span) -> Term:
    scaled = Elementwise("softplus", (Elementwise("mul", (sharpness, x), span=span),), span=span)
    return Elementwise("div", (scaled, sharpness), span=span)


def _where_positive(x: Term, there: Term, elsewhere: Term, span: Span) -> Term:
    is_positive = Elementwise("greater", (x, NumberTerm(0.0, span=span)), span=span)
    return CaseTerm(((is_positive, there), (None, elsewhere)), span=span)


WITH_SETTING: Mapping[str, Callable[[Term, Term, Span], Term]] = {"leaky_relu": _leaky, "elu": _elu, "softplus": _softplus}
"""Activations that take a setting as their second argument, as those of torch do: `\\operatorname{LeakyReLU}(x, 0.2)`."""

# name in lower case -> (number of arguments, None: one or more; what it makes)
BUILTINS: Mapping[str, tuple[int | None, Builtin]] = {
    "concat": (None, _concat),
    "crossentropy": (2, _cross_entropy),
    "mse": (2, _squared_error),
    "dropout": (2, _dropout),
    "sg": (1, _stop_gradient),
}

_TRACE = r"write the sum of the diagonal of a matrix that has a name, `\sum_{i} M_{i,i}` after `M \gets …`"
NOT_YET: Mapping[str, str] = {
    **dict.fromkeys(
        "BatchNorm Conv1d Conv2d KL BCE det diag inv rank Pr P Cov vec sort topk MultiheadAttention LSTM GRU Embedding".split(), OUTSIDE
    ),
    "Var": r"write `\operatorname{mean}((<x> - \operatorname{mean}(<x>))^2)` for the mean of the squares",
    "tr": _TRACE,
    "trace": _TRACE,
}
"""Functions that this version does not compile, and how to write them, of `<x>`."""


def is_builtin(name: str) -> bool:
    """Whether the language knows a function of that name."""
    known = find_function(name) or find_along(name) or find_reduction(name)
    return known is not None or name.lower() in BUILTINS or name in NOT_YET or name[:1].lower() + name[1:] in NOT_YET


def apply_builtin(
    reader: Reader,
    name: str,
    subscripts: tuple[ast.Expression, ...],
    arguments: tuple[Term, ...],
    items: tuple[ast.Expression, ...],
    span: Span,
) -> Term:
    """Apply a built-in function."""
    if name.lower() in BUILTINS:
        arity, make = BUILTINS[name.lower()]
        if arity is not None or not arguments:
            _check_arity(name, arity or 1, arguments, span)
        return make(reader, arguments, span)
    along = find_along(name)
    if along is not None:
        _check_arity(name, 1, arguments, span)
        return _along(reader, along.name, subscripts, arguments[0], items[0], span)
    if name == "log" and subscripts:
        return _logarithm(reader, subscripts, arguments, span)
    if subscripts:
        raise unsupported(
            f"a subscript on `\\{name}`", span, help="define the function with the subscript as an argument, `f(x, a) \\gets …`"
        )
    reduction = find_reduction(name)
    function = find_function(name)
    if reduction is not None and (len(arguments) == 1 or function is None):
        _check_arity(name, 1, arguments, span)
        return Fold(reduction.name, arguments[0], in_function=reader.in_function, span=span)
    if function is None:
        advice = NOT_YET.get(name) or NOT_YET.get(name[:1].lower() + name[1:], OUTSIDE)
        raise unsupported(f"`\\{name}`", span, help=advice.replace("<x>", render_expression(items[0])))
    if function.name in ("maximum", "minimum") and len(arguments) > 2:
        result = arguments[0]
        for argument in arguments[1:]:
            result = Elementwise(function.name, (result, argument), span=span)
        return result
    if len(arguments) == 2 and function.name in WITH_SETTING:
        return WITH_SETTING[function.name](arguments[0], arguments[1], span)
    _check_arity(name, function.signature.arity, arguments, span)
    return Elementwise(function.name, arguments, span=span)


def _check_arity(name: str, arity: int, arguments: tuple[Term, ...], span: Span) -> None:
    if len(arguments) != arity:
        count = f"{arity} argument" + ("s" if arity != 1 else "")
        given = f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'} given"
        advice = f"give it {count}, with commas between them"
        raise refuse("E0602", f"`{name}` takes {count}, and {given}", span, help=advice)


def _along(reader: Reader, op: str, subscripts: tuple[ast.Expression, ...], body: Term, item: ast.Expression, span: Span) -> Term:
    if not subscripts:
        return AlongTerm(op, body, span=span)
    binder = reader.find_binder(spelling_of(subscripts[0]) or NO_NAME)
    if binder is None or len(subscripts) > 1:
        raise unsupported("a softmax over an index that is not bound outside", span, help="apply it to the whole vector instead")
    return AlongTerm(op, body, binder, span=span)


def _logarithm(reader: Reader, subscripts: tuple[ast.Expression, ...], arguments: tuple[Term, ...], span: Span) -> Term:
    _check_arity("log", 1, arguments, span)
    base = subscripts[0]
    if spelling_of(base) == "e" and lookup(reader, Name("e"), base.span) is None:
        return Elementwise("log", arguments, span=span)
    if not isinstance(base, ast.Number):
        raise unsupported("a logarithm whose base is no number", span, help=r"divide by that of the base, `\frac{\log x}{\log b}`")
    if base.text == "2":
        return Elementwise("log2", arguments, span=span)
    divisor = Elementwise("log", (NumberTerm(float(base.text), span=span),), span=span)
    return Elementwise("div", (Elementwise("log", arguments, span=span), divisor), span=span)
