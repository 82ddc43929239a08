r"""Loops that count to an end, with the number of their turns.

k \gets 1; while k \leq n: …; k \gets k + 1     ->     k \gets 1; while k \leq n, at most n times: …; k \gets k + 1

Each turn counts once, and nothing moves the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.control.standing import is_integer_type
from mathdsl.elaborate.control.value_ends import head_of
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.names.usage import names_below
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import declared_rows, shifted, statements_in

_Values = Mapping[Name, ast.Expression]  # what names are that statements assign, of sizes and numbers
_MIRRORED = {"<": ">", r"\leq": r"\geq", ">": "<", r"\geq": r"\leq"}
_OPPOSITES = {"<": r"\geq", r"\leq": ">", ">": r"\leq", r"\geq": "<"}


def with_counted_turns(procedure: ast.Procedure, shared: Sequence[ast.Where]) -> ast.Procedure:
    """The procedure whose loops say how many turns they take at most, where they count them."""
    if not any(isinstance(node, ast.While) and node.bound is None for node in statements_in(procedure.body)):
        return procedure
    rows = declared_rows(procedure, shared)
    types = {name for row in rows for part in (*row.ranges, row.type) if part is not None for name in names_below(part)}
    integers = {name for row in rows if is_integer_type(row.type) and not row.ranges for s in row.symbols if (name := head_of(s))}
    sizes = (types | integers) - _assigned(procedure.body)
    body = _block(procedure.body, {}, sizes)
    return procedure if body == procedure.body else replace(procedure, body=body, shown=procedure.shown or procedure.body)


def _assigned(statements: Sequence[ast.Statement]) -> set[Name]:
    """The names that statements assign, and the variables of their loops."""
    found = set[Name]()
    for node in statements_in(statements):
        match node:
            case ast.Definition(targets=targets):
                found.update(name for target in targets if (name := head_of(target)) is not None)
            case ast.Sampling(target=target) if (name := head_of(target)) is not None:
                found.add(name)
            case ast.For(binding=binding):
                found.update(bound_names(binding))
            case _:
                pass
    return found


def _block(statements: Sequence[ast.Statement], before: _Values, sizes: Set[Name]) -> tuple[ast.Statement, ...]:
    """Statements where these names have these values before."""
    values, found = dict(before), list[ast.Statement]()
    for node in statements:
        changed = _assigned((node,))
        inside = {name: value for name, value in values.items() if name not in changed}
        match node:
            case ast.While(body=body):
                bound = _turns(node, values, sizes) if node.bound is None else node.bound
                found.append(replace(node, body=_block(body, inside, sizes), bound=bound))
            case ast.For(binding=binding, body=body):
                found.append(replace(node, body=_block(body, inside, sizes | set(bound_names(binding)))))
            case ast.If(branches=branches, otherwise=otherwise):
                arms = tuple(replace(branch, body=_block(branch.body, values, sizes)) for branch in branches)
                found.append(replace(node, branches=arms, otherwise=None if otherwise is None else _block(otherwise, values, sizes)))
            case _:
                found.append(node)
        values = inside
        match node:
            case ast.Definition(target=target, value=value, domains=()) if (name := word_of(target)) is not None:
                if (reckoned := affine(value)) is not None and reckoned.names <= sizes:
                    values[name] = value
            case _:
                pass
    return tuple(found)


def _turns(node: ast.While, values: _Values, sizes: Set[Name]) -> ast.Expression | None:
    """How many turns a loop takes at most; None where it does not count them."""
    if any(isinstance(one, ast.Leave) and one.word == "continue" for one in statements_in(node.body)):
        return None
    steps = {name: step for name in values if (step := _step(node.body, name)) is not None}
    for condition in _parts(node.condition, "or" if node.until else "and"):
        match condition:
            case ast.Relation(operators=(operator,), operands=(left, right)) if operator in _MIRRORED:
                for op, one, end in ((operator, left, right), (_MIRRORED[operator], right, left)):
                    name, last = word_of(one), affine(end)
                    if name in steps and last is not None and last.names <= sizes:
                        goes_on = _OPPOSITES[op] if node.until else op
                        if (goes_on in ("<", r"\leq")) == (steps[name] > 0):
                            first, final = (values[name], end) if steps[name] > 0 else (end, values[name])
                            return shifted(_between(first, final), int(goes_on in (r"\leq", r"\geq")))
            case _:
                pass
    return None


def _parts(condition: ast.Expression, operator: str) -> tuple[ast.Expression, ...]:
    match condition:
        case ast.Group(items=(inner,)):
            return _parts(inner, operator)
        case ast.Logic(operator=word, operands=operands) if word == operator:
            return tuple(part for operand in operands for part in _parts(operand, operator))
        case _:
            return (condition,)


def _step(body: Sequence[ast.Statement], name: Name) -> int | None:
    """How far each turn counts by one statement of its own; None where others assign the name too, or a branch leaves it out."""
    own = [node for node in statements_in(body) if name in _assigned((node,))]
    match own:
        case [ast.Definition(target=target, value=value, domains=()) as only] if any(only is node for node in body):
            return (distance(value, target) if word_of(target) == name else None) or None
        case _:
            return None


def _between(first: ast.Expression, last: ast.Expression) -> ast.Expression:
    """`last - first`."""
    match first:
        case ast.Number(text=text):
            return shifted(last, -int(text))
        case _:
            inner = first if isinstance(first, ast.Identifier) else ast.Group((first,), span=first.span)
            return ast.Binary("-", last, inner, span=last.span)
