r"""What stands in scripts and bindings, read off the syntax: accents, names, marks for a whole axis, index variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children


def unaccent(node: ast.Expression) -> ast.Expression:
    r"""Move an accent over an indexed symbol to the symbol: `\widehat{h^{\ell-1}}` is `\widehat{h}` at `\ell - 1`.

    The bar of a mean over a power stays: `\overline{x^2}` is no power of `\bar{x}`.
    """
    match node:
        case ast.Accent(accent="bar" | "overline", body=ast.Scripts(superscript=ast.Number())):
            return node
        case ast.Accent(body=ast.Scripts(base=base, subscripts=subs, superscript=sup), span=span):
            return ast.Scripts(unaccent(replace(node, body=base, span=base.span)), subs, sup, span=span)
        case _:
            return node


def base_of(node: ast.Expression) -> ast.Expression:
    r"""A name without its indices: the `\hat{x}` of `\hat{x_i}` and `\hat{x}[i]`."""
    match unaccent(node):
        case ast.Scripts(base=base) | ast.Indexing(base=base):
            return base
        case plain:
            return plain


def identifiers(node: ast.Node) -> Iterator[Name]:
    """The plain names in an expression."""
    word = word_of(node) if isinstance(node, (ast.Identifier, ast.Accent)) else None
    if word is not None:
        yield word
        return
    for child in children(node):
        yield from identifiers(child)


def items_above(node: ast.Node) -> tuple[ast.Expression, ...]:
    r"""What stands above a name, its items one by one: `Q`, `h` of `W^{Q,h}`; the inside of brackets, `l` of `H^{(l)}`."""
    match node:
        case ast.Scripts(superscript=ast.Group(items=items)):
            return items
        case ast.Scripts(superscript=superscript) if superscript is not None:
            return (superscript,)
        case _:
            return ()


def is_whole_axis(item: ast.Expression) -> bool:
    r"""Whether an index is a mark for all of an axis: `\cdot`, `*` or `:`."""
    return isinstance(item, ast.Hole) or isinstance(item, ast.Slice) and item.lower is item.upper is None


def is_positive_part(items: tuple[ast.Expression, ...]) -> bool:
    """Whether the sign below a parenthesis says that its value counts where it is positive: `(x)_+`."""
    match items:
        case (ast.Identifier(text="+"),):
            return True
        case _:
            return False


def takes_several(item: ast.Expression) -> bool:
    r"""Whether an index takes more than one element of its axis: `\cdot`, `:`, `a:b`."""
    return isinstance(item, (ast.Hole, ast.Slice))


def axes_of_type(type_: ast.Expression | None) -> tuple[ast.Expression, ...]:
    r"""The sizes above a type: at the top `\times` parts axes, looser than any sign: `V + 1` and `d` of `\mathbb{R}^{V + 1 \times d}`."""
    return _parted(type_.superscript) if isinstance(type_, ast.Scripts) and type_.superscript is not None else ()


def _parted(exponent: ast.Expression) -> tuple[ast.Expression, ...]:
    match exponent:
        case ast.Binary(operator=r"\times", left=left, right=right):
            return (*_parted(left), *_parted(right))
        case ast.Binary(left=left, right=right):
            *before, last = _parted(left)
            first, *after = _parted(right)
            return (*before, replace(exponent, left=last, right=first, span=last.span.to(first.span)), *after)
        case _:
            return (exponent,)


def bound_names(binding: ast.Expression) -> list[Name]:
    r"""The index variables of `t \in \set{…}`, `t = 1, \dots, n`, `0 \leq i < n`, `1 \leq i < j \leq n`, `i \neq j` (left), a bare `i`."""
    match binding:
        case ast.Relation(operators=(r"\in",), operands=(ast.Group(items=items), _)):
            return [name for item in items for name in bound_names(item)]
        case ast.Relation(operators=operators, operands=operands):
            if operators[0] in ("<", r"\leq") and len(operands) > 2:
                return [w for w in map(word_of, operands[1:-1]) if w]
            return [w for w in [word_of(operands[0])] if w]
        case ast.Identifier() | ast.Accent():
            return [w for w in [word_of(binding)] if w]
        case ast.Slice(lower=lower, upper=upper) if lower is not None and upper is not None:
            return bound_names(lower)
        case ast.ListDisplay(items=items) | ast.Group(items=items) | ast.Comprehension(conditions=items):
            return [name for item in items for name in bound_names(item)]
        case _:
            return []


def names_bound_in(node: ast.Node) -> set[Name]:
    r"""The index variables that a node binds for what is below it: `i` of `\sum_{i=1}^{n} x_i`, `j` of `(y_j)_{j=1}^{S}`."""
    match node:
        case ast.For(binding=binding):
            return set(bound_names(binding))
        case ast.Reduction(subscript=subscript) if subscript is not None:
            return set(bound_names(subscript))
        case ast.Comprehension(conditions=ranges) | ast.Definition(ranges=ranges) | ast.Declaration(ranges=ranges):
            return {name for item in ranges for name in bound_names(item)}
        case ast.Scripts(base=ast.Group() | ast.ListDisplay() | ast.SetDisplay(), subscripts=(ast.Relation() as binding,)):
            return set(bound_names(binding))
        case _:
            return set()


def named_index(node: ast.Node) -> Name | None:
    r"""The `j` of `j \gets i + l - 1`: what its value reads may be letters and sizes alone."""
    match node:
        case ast.Definition(function=None, target=ast.Identifier() as target, value=value, domains=()) if _is_reckoned(value):
            return word_of(target)
        case _:
            return None


def chosen_index(node: ast.Node) -> Name | None:
    r"""The `u` of `u \gets \arg\min_v d_v`."""
    match node:
        case ast.Definition(
            function=None, target=ast.Identifier() as target, value=ast.Reduction(operator="argmin" | "argmax"), domains=()
        ):
            return word_of(target)
        case _:
            return None


def _is_reckoned(value: ast.Expression) -> bool:
    """Whether a value is reckoned from names and numbers: `i + l - 1`, `H / P`."""
    match value:
        case ast.Number(text=text):
            return text.isdigit()
        case ast.Identifier():
            return True
        case ast.Group(items=(inner,), square=False) | ast.Negative(operand=inner):
            return _is_reckoned(inner)
        case ast.Binary(operator="+" | "-" | "/" | r"\cdot" | r"\times", left=left, right=right):
            return _is_reckoned(left) and _is_reckoned(right)
        case ast.Fraction(numerator=above, denominator=below):
            return _is_reckoned(above) and _is_reckoned(below)
        case ast.Juxtaposition(factors=factors):
            return all(map(_is_reckoned, factors))
        case _:
            return False
