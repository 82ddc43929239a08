r"""A transpose that stands in the script of an element, `W^{(k)^\top}`, `W^{k\top}`, `W_{k^T}`: the element, transposed.

TeX takes no second superscript, so the sign is written where the index stands. `\top` and `\intercal` are the sign and nothing else;
`T` is it where the program has nothing else of that name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostic, MathdslError, error
from mathdsl.elaborate.names.classify import is_transpose
from mathdsl.elaborate.names.names import word_of
from mathdsl.elaborate.names.occurrences import Kinds
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import descendants, transform

_N = TypeVar("_N", bound=ast.Node)
_SIGNS = (r"\top", r"\intercal")


def has_transposes_inside(kinds: Kinds) -> bool:
    """Whether a transpose or a prime is written beside an index; or a sign for the transpose stands in no script of its own."""
    if any(_split(item) is not None or _has_prime(item) for node in kinds[ast.Scripts] for item in _items(node)):
        return True
    signs = sum(node.text in _SIGNS for node in kinds[ast.Identifier])
    return signs > 0 and signs > sum(_is_sign(item) for node in kinds[ast.Scripts] for item in _items(node))


def with_transposed_elements(item: ast.Item, others: tuple[ast.Item, ...]) -> ast.Item:
    """A program in which the sign stands behind the element."""
    below = [node for top in (item, *others) for node in (top, *descendants(top))]
    letters = sum(isinstance(node, ast.Identifier) and word_of(node) == "T" for node in below)
    scripts = [node for node in below if isinstance(node, ast.Scripts)]
    signs = [node.superscript for node in scripts if node.superscript is not None and is_transpose(node.superscript)]
    signs += [split[1] for node in scripts for part in _items(node) if (split := _split(part)) and not isinstance(part, ast.Scripts)]
    changed = _Change(letters > sum(word_of(sign) == "T" for sign in signs)).changed(item)
    kept = (changed, *descendants(changed))
    alone = {id(part) for node in kept if isinstance(node, ast.Scripts) for part in _items(node)}  # above; below it is a label
    for node in kept:
        if _is_sign(node) and id(node) not in alone:
            raise MathdslError(_no_name(cast(ast.Identifier, node)))
    return changed


@dataclass(frozen=True)
class _Change:
    """The change of a program; `has_letter`: it has something that is called `T`."""

    has_letter: bool

    def changed(self, node: _N) -> _N:
        """The node with signs behind elements."""
        below = cast(_N, transform(node, self.changed))
        return cast(_N, self._element(below)) if isinstance(below, ast.Scripts) else below

    def _element(self, node: ast.Scripts) -> ast.Expression:
        if isinstance(node.base, ast.Number) or word_of(node.base) == "e":
            return node
        if node.superscript is not None and _has_prime(node.superscript):
            raise MathdslError(_prime(node))
        above = _split(node.superscript) if node.superscript is not None and self._takes(node.superscript) else None
        below = [item for item in node.subscripts if self._takes(item)]
        if not below:
            return node if above is None else ast.Scripts(replace(node, superscript=above[0]), (), above[1], span=node.span)
        last = _split(node.subscripts[-1])
        if last is None or len(below) > 1 or node.superscript is not None:
            help_text = rf"write it above the element, as in `{{{render_expression(node.base)}_{{k}}}}^\top`"
            raise MathdslError(error("E0209", "a transpose stands among indices", below[0].span, help=help_text))
        return replace(node, subscripts=(*node.subscripts[:-1], last[0]), superscript=last[1])

    def _takes(self, item: ast.Expression) -> bool:
        """Whether a script holds a sign for the transpose: `T` behind parentheses is refused with both readings later, if it is a name."""
        split = _split(item)
        if split is None:
            return False
        index, sign = split
        return _is_sign(sign) or not self.has_letter or isinstance(index, ast.Group) and len(index.items) == 1


def _items(node: ast.Scripts) -> tuple[ast.Expression, ...]:
    return node.subscripts if node.superscript is None else (*node.subscripts, node.superscript)


def _split(item: ast.Expression) -> tuple[ast.Expression, ast.Expression] | None:
    r"""What stands before a sign for the transpose at the end of a script, and the sign: `(k)^\top`, `k\top`, `(k)T`, `k,\top`."""
    match item:
        case ast.Scripts(superscript=sign) if sign is not None and is_transpose(sign):
            return (replace(item, superscript=None) if item.subscripts else item.base), sign
        case ast.Juxtaposition(factors=(*before, ast.Identifier() as sign)) if _is_sign(sign) or (
            is_transpose(sign) and len(before) == 1 and isinstance(before[0], ast.Group)
        ):
            return (before[0] if len(before) == 1 else replace(item, factors=tuple(before))), sign
        case ast.Group(items=(*before, ast.Identifier() as sign)) if before and _is_sign(sign):
            return (before[0] if len(before) == 1 else replace(item, items=tuple(before))), sign
        case _:
            return None


def _is_sign(node: ast.Node | None) -> bool:
    return isinstance(node, ast.Identifier) and node.text in _SIGNS


def _has_prime(item: ast.Expression) -> bool:
    """Whether a prime stands behind an index in parentheses, `(k)'`."""
    match item:
        case ast.Scripts(base=ast.Group(), superscript=ast.Identifier(text=r"\prime")):
            return True
        case ast.Juxtaposition(factors=(ast.Group(), ast.Identifier(text=r"\prime"))):
            return True
        case _:
            return False


def _prime(node: ast.Scripts) -> Diagnostic:
    shown = render_expression(replace(node, superscript=None) if node.subscripts else node.base)
    what = "a prime behind an index is the transpose of the element, or a part of the name"
    help_text = rf"write `{shown}^{{(k)\top}}` for the transpose; a name with a prime is `{shown}'`"
    return error("E0209", what, node.superscript.span if node.superscript else node.span, help=help_text)


def _no_name(node: ast.Identifier) -> Diagnostic:
    help_text = rf"write it above what is transposed, as in `A^{node.text}`, or `{{A^{{-1}}}}^{node.text}` of an inverse"
    return error("E0209", rf"`{node.text}` is the sign of the transpose, and no name", node.span, help=help_text)
