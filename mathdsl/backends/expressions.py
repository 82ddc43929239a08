"""Expressions of the IR to Python expressions over whole tensors."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from mathdsl.backends import additions, contractions, reads
from mathdsl.backends.body import Body
from mathdsl.backends.padding import lower_padded
from mathdsl.backends.plain_numbers import beside_tensors, scalar
from mathdsl.backends.python_ast import call, const, fmt, poly
from mathdsl.backends.ranges import depends_on_dimensions, mean_as_sum, rectangular, rectangular_along
from mathdsl.backends.terms import Scope, Term, aligned, common_order, expanded
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.names import index_letter
from mathdsl.ir.nodes import (
    Along,
    Apply,
    Element,
    Expr,
    IndexValue,
    Literal,
    Padded,
    Read,
    Reduce,
    Select,
    Setting,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, Elementwise

_DTYPE = re.compile(r"\bdtype\b")
_SYMMETRIC = frozenset({"equal", "not_equal"})
_WITH_NUMBER = {"maximum": "torch.clamp({0}, min={1})", "minimum": "torch.clamp({0}, max={1})"}


def lower(body: Body, expr: Expr, scope: Scope) -> Term:
    """The expression with the axes of the scope as tensor dimensions, where it depends on them."""
    match expr:
        case Literal(value=value):
            return Term(const(value), (), False, expr.element, scalar=True)
        case Setting(name=setting, element=element):
            return Term(setting_node(body, setting), (), False, element, scalar=True)
        case IndexValue(value=value):
            return lower_index(body, value, scope)
        case Read():
            return reads.lower_read(body, expr, scope)
        case Apply():
            return _apply(body, expr, scope)
        case Reduce(op="sum", element=Element.REAL):
            return contractions.lower_sum(body, expr, scope)
        case Reduce():
            return _reduce(body, expr, scope)
        case Along():
            return _along(body, expr, scope)
        case Select():
            return _select(body, expr, scope)
        case Padded():
            return lower_padded(body, expr, scope)
        case _:
            assert_never(expr)


def setting_node(body: Body, setting: str) -> ast.expr:
    """A setting inside a body."""
    return ast.Name(setting, ast.Load()) if body.module.is_function else fmt("self." + setting)


def tensor(body: Body, term: Term) -> Term:
    """The term as a tensor: a Python number becomes one without axes."""
    if not term.scalar:
        return term
    return replace(term, node=body.full(term.node, term.element, [], batched=False), scalar=False)


# ---- index values --------------------------------------------------------------------------------


def lower_index(body: Body, value: Poly, scope: Scope) -> Term:
    """An index expression as an integer: a Python number where only sizes and loops occur, else a tensor."""
    dims = scope.order(value.names)
    ragged = body.ragged_in(value)
    if not dims and not ragged:
        return Term(body.poly(value), (), False, Element.INTEGER, scalar=True)
    parts: dict[str, Term] = {}
    for axis in scope.axes:
        if axis.name in dims:
            parts[axis.name] = Term(body.arange(axis), (axis.name,), False, Element.INTEGER)
    for size in ragged:
        parts[size] = Term(_own_values(body, size), (), True, Element.INTEGER)
    order = common_order(list(parts.values()), scope)

    def lookup(name: str) -> ast.expr:
        return aligned(parts[name], order) if name in parts else body.size(name)

    return Term(poly(value, lookup), order, bool(ragged), Element.INTEGER)


def _own_values(body: Body, size: str) -> ast.expr:
    """The tensor of each example's own value of a ragged size."""
    batch = body.batch()
    assert batch is not None
    reference = body.any_input if body.any_input is not None else body.like
    device = fmt("torch.device('cpu')") if reference is None else fmt("{0}.device", reference)
    return call(body.helper("_own_values"), body.own(size), body.size(size), batch, device)


# ---- elementwise operations ----------------------------------------------------------------------


def _apply(body: Body, expr: Apply, scope: Scope) -> Term:
    row = ELEMENTWISE[expr.op]
    if expr.op == "add":
        return additions.lower_addition(body, expr, scope)
    if expr.op in ("and", "or"):
        left, right = expr.arguments
        terms = [condition := lower(body, left, scope)]
        guard = condition if expr.op == "and" else replace(condition, node=fmt("~{0}", condition.node))
        terms.append(lower(body, right, scope if condition.scalar else scope.guarded(guard)))
    else:
        terms = [lower(body, argument, scope) for argument in expr.arguments]
    return combine(body, row, terms, expr.element, scope)


def combine(body: Body, row: Elementwise, terms: Sequence[Term], element: Element, scope: Scope) -> Term:
    """An elementwise operation on lowered operands."""
    if all(term.scalar for term in terms) and row.scalar:
        return Term(scalar(row.scalar, *(term.node for term in terms)), (), False, element, scalar=True)
    if row.name == "to_real" and not terms[0].scalar and terms[0].element is Element.REAL:
        return terms[0]
    operands = _guarded(body, row, _mixed(body, row, list(terms)), scope)
    if row.random:
        operands[0] = _per_example(body, operands[0], scope)
    order = common_order(operands, scope)
    nodes = [aligned(term, order) for term in operands]
    if row.name in _SYMMETRIC and operands[0].scalar:
        nodes.reverse()
    template = row.torch
    if row.name in _WITH_NUMBER and any(term.scalar for term in operands):
        template = _WITH_NUMBER[row.name]
        if operands[0].scalar:
            nodes.reverse()
        if row.name == "maximum" and element is Element.REAL and ast.unparse(nodes[1]) in ("0", "0.0"):
            template, nodes = "torch.relu({0})", nodes[:1]
    if row.helper:
        body.helpers[row.name] = None
    if row.random:
        body.used.add("generator")
    if _DTYPE.search(template):
        template = _DTYPE.sub("{" + str(len(nodes)) + "}", template)
        nodes.append(body.dtype())
    node = fmt(template, *nodes)
    if any(term.element is Element.REAL and not term.scalar for term in operands):
        node = beside_tensors(node)
    return Term(node, order, any(term.batch for term in operands), element)


def _mixed(body: Body, row: Elementwise, terms: list[Term]) -> list[Term]:
    """Python numbers among the operands of a torch function become tensors, where it takes none."""
    if not any(term.scalar for term in terms):
        return terms
    if "(" not in row.torch and len(terms) > 1 and not all(term.scalar for term in terms):
        return terms
    if not terms[0].scalar and all(term.scalar for term in terms[1:]):
        return terms
    if row.name in _WITH_NUMBER and not all(term.scalar for term in terms):
        return terms
    return [tensor(body, term) for term in terms]


def _guarded(body: Body, row: Elementwise, terms: list[Term], scope: Scope) -> list[Term]:
    """Put a harmless value where the result of a partial operation is not wanted, so that no NaN gradient leaks."""
    if row.safe is None or terms[row.safe.operand].scalar:
        return terms
    operand = terms[row.safe.operand]
    value = const(row.safe.value if operand.element is Element.REAL else int(row.safe.value))
    for guard in scope.guards:
        order = common_order([operand, guard], scope)
        node = call("torch.where", aligned(guard, order), aligned(operand, order), value)
        operand = Term(node, order, operand.batch or guard.batch, operand.element)
    return [operand if i == row.safe.operand else term for i, term in enumerate(terms)]


def _per_example(body: Body, term: Term, scope: Scope) -> Term:
    """The operand of a random operation, with the batch axes, so that each example draws for itself."""
    if term.batch or not body.module.batched:
        return term
    return full_term(body, term, term.axes, extents_of(body, term.axes, scope), batched=True)


def extents_of(body: Body, order: Sequence[str], scope: Scope) -> list[ast.expr]:
    """The extents of axes of the scope."""
    found = {axis.name: axis.range for axis in scope.axes}
    return [body.count(found[name]) for name in order]


def full_term(body: Body, term: Term, order: tuple[str, ...], extents: list[ast.expr], batched: bool) -> Term:
    """The term with every axis of `order` at full extent, and the batch axes where it is to be `batched`."""
    if term.scalar:
        node = body.full(term.node, term.element, extents, batched)
    else:
        node = expanded(body, term, order, extents, batched)
    return Term(node, order, batched or term.batch, term.element)


# ---- whole axes ----------------------------------------------------------------------------------


def _reduce(body: Body, expr: Reduce, scope: Scope) -> Term:
    row = REDUCTIONS[expr.op]
    bounds = expr.axis.range
    if row.divides_by_extent and depends_on_dimensions(bounds, scope):
        return lower(body, mean_as_sum(expr), scope)
    expr = rectangular(expr, scope)
    inner = with_axis(body, lower(body, expr.body, scope.inside(expr.axis)), expr.axis.name, scope.inside(expr.axis))
    dim = inner.axes.index(expr.axis.name) - len(inner.axes)
    value = inner.node
    if row.of_nothing is None and not body.known_positive(expr.axis.range.extent):
        if scope.guards or expr.axis.range != bounds or _is_wanted_of_some(body, expr, scope):
            value = call(body.helper("_at_least_one"), value, const(dim))  # nothing wants it then, or a check has said so
        else:
            value = call(body.helper("_nonempty"), value, const(dim), const(_range_text(expr)))
    node = fmt(row.torch, value, const(dim))
    if expr.op in ("argmax", "argmin") and expr.axis.range.lower.constant != 0:
        node = fmt("{0} + {1}", node, body.poly(expr.axis.range.lower))
    return Term(node, tuple(a for a in inner.axes if a != expr.axis.name), inner.batch, expr.element)


def _is_wanted_of_some(body: Body, expr: Reduce, scope: Scope) -> bool:
    """Whether there is something to reduce wherever there is a point around (`max(s in 1..S: …)` for `t` in `1..S`)."""
    return body.facts_of_any_size.inside(scope.axes).proves_nonnegative(expr.axis.range.extent - 1)


def _range_text(expr: Reduce) -> str:
    return f"the {expr.op} over {index_letter(expr.axis.name)} = {expr.axis.range.lower}, ..., {expr.axis.range.upper} of nothing"


def with_axis(body: Body, term: Term, axis: str, scope: Scope) -> Term:
    """The term with that axis as a real dimension, last where it had none."""
    if axis in term.axes and not term.scalar:
        return term
    found = scope.axis(axis)
    if found is None:
        raise InternalError(f"{axis} is no axis of its own reduction")
    extent = body.extent(found.range)
    if term.scalar:
        return Term(body.full(term.node, term.element, [extent], batched=False), (axis,), False, term.element)
    order = (*term.axes, axis)
    node = expanded(body, term, order, [*[const(-1)] * len(term.axes), extent], term.batch)
    return Term(node, order, term.batch, term.element)


def _along(body: Body, expr: Along, scope: Scope) -> Term:
    expr = rectangular_along(expr, scope)
    within = scope.inside(expr.axis)
    inner = with_axis(body, lower(body, expr.body, within), expr.axis.name, within)
    dim = inner.axes.index(expr.axis.name) - len(inner.axes)
    result = replace(inner, node=fmt(ALONG[expr.op].torch, inner.node, const(dim)), element=expr.element)
    return reads.read_axis(body, result, expr.axis.name, expr.axis.range, expr.at, scope)


# ---- selection -----------------------------------------------------------------------------------


def _select(body: Body, expr: Select, scope: Scope) -> Term:
    condition = lower(body, expr.condition, scope)
    if condition.scalar:
        return _conditional(body, expr, condition, scope)
    opposite = replace(condition, node=fmt("~{0}", condition.node))
    then = lower(body, expr.then, scope.guarded(condition))
    otherwise = lower(body, expr.otherwise, scope.guarded(opposite))
    if then.scalar and otherwise.scalar:  # else torch would take its default real type
        then = tensor(body, then)
    order = common_order([condition, then, otherwise], scope)
    node = call("torch.where", *(aligned(term, order) for term in (condition, then, otherwise)))
    return Term(node, order, any(t.batch for t in (condition, then, otherwise)), expr.element)


def _conditional(body: Body, expr: Select, condition: Term, scope: Scope) -> Term:
    """A condition on sizes, settings and loop indices alone decides in Python; the other branch is not evaluated."""
    then, otherwise = lower(body, expr.then, scope), lower(body, expr.otherwise, scope)
    if isinstance(condition.node, ast.Constant):
        return then if condition.node.value else otherwise
    if then.scalar and otherwise.scalar:
        return Term(ast.IfExp(condition.node, then.node, otherwise.node), (), False, expr.element, scalar=True)
    order = scope.order(frozenset((*then.axes, *otherwise.axes)))
    extents = extents_of(body, order, scope)
    batched = then.batch or otherwise.batch
    nodes = [full_term(body, term, order, extents, batched).node for term in (then, otherwise)]
    return Term(ast.IfExp(condition.node, *nodes), order, batched, expr.element)


def lower_whole(body: Body, expr: Expr, order: Sequence[str], scope: Scope, batched: bool) -> Term:
    """The expression as a tensor with exactly these axes at full extent, and with the batch axes where it is to be `batched`."""
    return full_term(body, lower(body, expr, scope), tuple(order), extents_of(body, order, scope), batched)
