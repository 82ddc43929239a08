"""What the finished tree must satisfy: which statement may stand where, and how deep an expression may be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mathdsl.diagnostics import Diagnostics, MathdslError, error
from mathdsl.syntax.nodes import (
    Binary,
    Cases,
    Definition,
    EquationGroup,
    For,
    If,
    Item,
    Juxtaposition,
    Leave,
    Logic,
    Node,
    Procedure,
    Relation,
    Remark,
    Where,
    While,
)
from mathdsl.syntax.requirements import Requirement
from mathdsl.syntax.traversal import children

MAX_HEIGHT = 200
"""How deep an expression may be nested: later steps walk its tree by recursion."""

MAX_TERMS = 1000
"""How many operators of plain sums and products may stand above one another in the tree: a sum is as deep as it is long."""

_NESTED = (Juxtaposition, Relation, Logic, Cases)  # later steps nest the parts of these

_PLAIN = frozenset({"+", "-", "@", r"\cdot", r"\odot", "*", r"\circ", "/", r"\times"})


def check_height(nodes: Iterable[Node]) -> None:
    """Raises E0216 for an expression that is deeper than `MAX_HEIGHT`, or longer than `MAX_TERMS`; walks without recursion."""
    advice = "name a part of it in a definition of its own"
    pending = [(node, 1, 1, node) for node in nodes]
    while pending:
        node, height, terms, chain = pending.pop()
        if terms > MAX_TERMS:
            message = f"more than {MAX_TERMS} operators stand in this sum or product"
            raise MathdslError(error("E0216", message, chain.span, help=rf"{advice}, or write it with `\sum` over a family"))
        if height > MAX_HEIGHT:
            message = f"this expression is nested more than {MAX_HEIGHT} levels deep"
            raise MathdslError(error("E0216", message, node.span, help=advice))
        below = children(node)
        levels = len(below) if isinstance(node, _NESTED) else 1
        for value in below:
            if _continues(node, value):
                pending.append((value, height, terms + 1, chain))
            else:
                pending.append((value, height + levels, terms, value))


def _continues(node: Node, part: Node) -> bool:
    """Whether `part` is the sum or product up to the last operator of `node`."""
    match node, part:
        case Binary(operator, left), Binary(before):
            return part is left and operator in _PLAIN and before in _PLAIN
        case _:
            return False


def check_places(nodes: Iterable[Any], diagnostics: Diagnostics) -> tuple[Item, ...]:
    """The items of a document among `nodes`: other statements stand outside every program, which is reported."""
    items: list[Item] = []
    for node in nodes:
        match node:
            case Procedure():
                if node.notation == "module":
                    _check_module_body(node.body, diagnostics)
                if (
                    node.takes_required
                    and not node.inputs
                    and not any(table.span.contains(found.span) for table in node.wheres for found in diagnostics.items)
                ):
                    advice = r"name it in `\Require $x$`, or in a header, `\Procedure{Name}{$x, y$}`"
                    diagnostics.add(error("E0223", f"nothing says what `{node.name}` takes", node.name_span, help=advice))
                items.append(node)
            case Definition() | Where():
                items.append(node)
            case EquationGroup(body):
                items += check_places(body, diagnostics)
            case Remark():
                pass  # a comment between programs belongs to none
            case Requirement():
                if not diagnostics.has_errors():  # else its program may be the one that could not be read
                    message = "no program follows these requirements"
                    advice = r"`\Require` and `\Ensure` stand before the `\Procedure` that they are about"
                    diagnostics.add(error("E0221", message, node.span, help=advice))
            case _:
                diagnostics.add(
                    error(
                        "E0221",
                        "this statement stands outside every program",
                        node.span,
                        help=r"between programs only definitions (`f(x) \gets ..`) and `where` tables may stand",
                    )
                )
    return tuple(items)


def _check_module_body(body: Iterable[Any], diagnostics: Diagnostics) -> None:
    for node in body:
        match node:
            case For() | If() | While():
                kind = "a branch" if isinstance(node, If) else "a loop"
                instead = r"`\begin{cases}`" if isinstance(node, If) else r"an index domain, `x_t \gets .. \quad (t = 1, \dots, n)`"
                diagnostics.add(error("E0221", f"{kind} of the algorithm notations stands in a module", node.span, help=f"write {instead}"))
            case Leave(word):
                what = rf"`\{word.title()}` of the algorithm notations stands in a module"
                diagnostics.add(error("E0221", what, node.span, help=r"write a condition, `\begin{cases}`"))
            case EquationGroup(inner):
                _check_module_body(inner, diagnostics)
            case _:
                pass
