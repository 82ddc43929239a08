r"""Left sides whose indices move with an index variable, as left sides that have the variable itself.

Shifted or turned round: the index counts what the left side has.

    y_{n-i+1} \gets x_i \quad (i = 1, \dots, n)      ->      y_i \gets x_{n-i+1} \quad (i = 1, \dots, n)
    for i = 1, …, n: y_{i+1} \gets f(y_i)            ->      for i = 2, …, n + 1: y_i \gets f(y_{i-1})

Strided, where there is a definition for each remainder: an array with one more axis, the last two of which are merged.

    p_{2j} \gets a_j, p_{2j+1} \gets b_j       ->      P_{j,0} \gets a_j, P_{j,1} \gets b_j, u \gets \fla{\{P_j\}_{j=0}^{d/2-1}}
    \quad (j = 0, \dots, d/2 - 1)                      p_j \gets u_{j+1} \quad (j = 0, \dots, d - 1)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeVar, cast

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.control.affine import affine, distance
from mathdsl.elaborate.control.loops import Loop, binding_over, ends_of, loop_over, read_loop, simple
from mathdsl.elaborate.names.names import Name, word_of
from mathdsl.elaborate.names.spelling import bound_names, identifiers, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, header_rows, shifted, statements_in, transform, with_bodies

_N = TypeVar("_N", bound=ast.Node)


def with_plain_targets(procedure: ast.Procedure) -> ast.Procedure:
    """The procedure in which left sides have index variables alone, wherever an index can be counted anew."""
    given = {name for row in header_rows(procedure) for symbol in row.symbols for name in names_below(symbol)}
    body = tuple(_turned(statement) for statement in _unstrided(procedure.body, given))
    return procedure if body == procedure.body else replace(procedure, body=body)


# ---- shifted and turned round --------------------------------------------------------------------


def _turned(node: ast.Statement) -> ast.Statement:
    match node:
        case ast.For(body=body):
            inner = replace(node, body=tuple(map(_turned, body)))
            return _counting_targets(inner, read_loop(inner, inner.binding))
        case ast.If() | ast.EquationGroup() | ast.While():
            return with_bodies(node, lambda body: tuple(map(_turned, body)))
        case ast.Definition(domains=domains):
            for position, binding in enumerate(domains):
                loop = _loop_of(binding)
                if loop is None or (found := _index_of((node.target,), loop)) is None or _is_bound_below((node.value,), loop):
                    continue
                others = (*domains[:position], *domains[position + 1 :])
                if any(loop.spelling in set(identifiers(part)) for other in others for part in (other, *descendants(other))):
                    continue
                first, last = _ends(found, loop)
                renewed = replace(node, target=_put(node.target, loop, found), value=_put(node.value, loop, found))
                node = replace(
                    renewed,
                    domains=(
                        *domains[:position],
                        binding_over(loop.variable, (first,), last, binding.span, _shift(found, loop)),
                        *domains[position + 1 :],
                    ),
                )
                domains = node.domains
            return node
        case _:
            return node


def _loop_of(binding: ast.Expression) -> Loop | None:
    """A domain as a loop, which goes up; None where it has no ends that the syntax shows."""
    match binding:
        case ast.Relation(operators=("=" | r"\in" | r"\algoIs",), operands=(variable, values)):
            lower, upper = ends_of(values)
        case _:
            return None
    spelling = word_of(variable)
    if spelling is None or lower is None or upper is None:
        return None
    return Loop(ast.For(binding, (), span=binding.span), variable, spelling, lower, upper)


def _counting_targets(node: ast.For, loop: Loop) -> ast.For:
    """The loop over what all its left sides have."""
    targets = [target for inner in statements_in(node.body) if isinstance(inner, ast.Definition) for target in inner.targets]
    found = _index_of(targets, loop)
    if found is None or _is_bound_below(node.body, loop):
        return node
    inner = {name for one in statements_in(node.body) if isinstance(one, ast.For) for name in bound_names(one.binding)}
    if not inner.isdisjoint(identifiers(found)):
        return node  # `i + l - 1`, in a loop over `i` inside of one over `l`
    first, last = _ends(found, loop)
    goes_up = (loop.step > 0) == (_factor(found, loop) == 1)
    begin, end = ((first,), last) if goes_up else ((last, shifted(last, -1)), first)
    binding = binding_over(loop.variable, begin, end, node.binding.span, _shift(found, loop))
    return replace(node, binding=binding, body=tuple(_put(statement, loop, found) for statement in node.body))


def indices_of(target: ast.Expression) -> tuple[ast.Expression, ...]:
    """The indices that something is written with: `i` and `j` of `A_{i,j}` and `A_i[j]`."""
    match plain := unaccent(target):
        case ast.Scripts(subscripts=subscripts, superscript=above):
            return (*subscripts, *(() if above is None else (above,)))
        case ast.Indexing(base=base, items=items):
            return (*indices_of(base), *items)
        case _:
            return () if plain is target else indices_of(plain)


def _index_of(targets: Sequence[ast.Expression], loop: Loop) -> ast.Expression | None:
    """The one index that moves with a loop's variable in all left sides which it moves; None where that is the variable, or none."""
    moving = [[item for item in indices_of(target) if loop.spelling in identifiers(item)] for target in targets]
    found = [item for items in moving for item in items]
    if not found or any(len(items) > 1 for items in moving) or any(found[0] != item for item in found[1:]):
        return None
    if found[0] == loop.variable or loop.lower is None or loop.upper is None or _factor(found[0], loop) not in (1, -1):
        return None
    return found[0]


def _factor(index: ast.Expression, loop: Loop) -> int | None:
    value = affine(index)
    factor = None if value is None else value.coefficient(str(loop.spelling))
    return None if factor is None or factor.constant is None else int(factor.constant)


def _shift(index: ast.Expression, loop: Loop) -> int | None:
    """What an index is more than the variable; None where that is no number, as of one that is turned round."""
    return distance(index, loop.variable)


def _is_bound_below(nodes: Sequence[ast.Node], loop: Loop) -> bool:
    """Whether the variable is bound again inside, or stands in a word of letters such as `ij`."""
    for node in (part for one in nodes for part in (one, *descendants(one))):
        match node:
            case ast.For(binding=binding) if loop.spelling in bound_names(binding):
                return True
            case ast.Reduction(subscript=subscript) if subscript is not None and loop.spelling in bound_names(subscript):
                return True
            case ast.Comprehension() if loop.spelling in bound_names(node):
                return True
            case ast.Relation() if isinstance(node.operands[0], ast.Identifier) and any(
                isinstance(o, ast.ListDisplay) for o in node.operands
            ):
                if loop.spelling in bound_names(node):
                    return True
            case ast.Identifier(text=text, font="") if len(text) > 1 and text.isalpha() and str(loop.spelling) in text:
                return True
            case _:
                pass
    return False


def _ends(index: ast.Expression, loop: Loop) -> tuple[ast.Expression, ast.Expression]:
    """The least and the greatest index that the left side has."""
    assert loop.lower is not None
    assert loop.upper is not None
    known = (loop.lower, loop.upper)
    ends = [simple(_at(index, loop, end), known) for end in known]
    return (ends[0], ends[1]) if _factor(index, loop) == 1 else (ends[1], ends[0])


def _at(node: _N, loop: Loop, value: ast.Expression) -> _N:
    """The node at one value of the variable."""

    def change(below: ast.Node) -> ast.Node:
        if below == loop.variable:
            return value if isinstance(value, ast.Number | ast.Identifier) else ast.Group((value,), span=below.span)
        return transform(below, change)

    return cast(_N, change(node))


def _put(node: _N, loop: Loop, index: ast.Expression) -> _N:
    """The node with what the variable is in terms of the left side's index, which has its letter from here on."""
    value = affine(index)
    assert value is not None
    moved = value - Poly.of(str(loop.spelling)) if _factor(index, loop) == 1 else None
    if moved is None:
        inverse = index  # `n - i + 1` is its own
    elif moved.constant is not None:
        inverse = shifted(loop.variable, -int(moved.constant))
    else:
        inverse = ast.Binary(
            "-", loop.variable, ast.Group((_at(index, loop, ast.Number("0", span=index.span)),), span=index.span), span=index.span
        )

    def change(below: ast.Node) -> ast.Node:
        match below:
            case _ if below == index:
                return loop.variable
            case ast.Binary(operator="+" | "-" as operator, left=left, right=ast.Number(text=text)) if (
                left == loop.variable and text.isdigit()
            ):
                by = int(text) if operator == "+" else -int(text)
                return shifted(inverse, by)
            case _ if below == loop.variable:
                return ast.Group((inverse,), span=below.span)
            case _:
                return transform(below, change)

    return cast(_N, change(node))


# ---- strided -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A definition of every `factor`-th element: `p_{t,2j+1}` in loops over `t` and `j`, where the first index is that of `offset`."""

    node: ast.Definition
    base: ast.Identifier | ast.Accent
    rows: tuple[ast.Expression, ...]
    factor: int
    offset: Poly
    loop: Loop
    around: tuple[Loop, ...]
    place: int  # of the statement of the body that it stands in

    @property
    def index(self) -> ast.Expression:
        return indices_of(self.node.target)[-1]


def _unstrided(statements: tuple[ast.Statement, ...], given: Set[Name]) -> tuple[ast.Statement, ...]:
    """The statements with an array of one more axis where definitions part an axis by remainders; what is given or read there stays."""
    parts = [part for place, statement in enumerate(statements) for part in _parts(statement, (), place)]
    groups: dict[tuple[object, ...], list[_Part]] = {}
    for part in parts:
        ranges = tuple((loop.variable, loop.lower, loop.upper) for loop in (*part.around, part.loop))
        groups.setdefault((part.base, part.rows, part.factor, ranges), []).append(part)
    made: dict[int, list[ast.Statement]] = {}
    changed: dict[int, ast.Definition] = {}
    for group in groups.values():
        some = group[0].offset
        group.sort(key=lambda part, some=some: (part.offset - some).constant or 0)  # type: ignore[misc]
        steps = [(part.offset - group[0].offset).constant for part in group]
        places = {part.place for part in group}
        uses = (n for place in places for n in descendants(statements[place]) if isinstance(n, ast.Scripts | ast.Indexing))
        is_alone = word_of(group[0].base) not in given and sum(n.base == group[0].base for n in uses) == len(group)
        if steps == [*range(group[0].factor)] and is_alone:
            for number, part in enumerate(group):
                changed[id(part.node)] = replace(part.node, target=_element(part, f"Part{number}", (*part.rows, part.loop.variable)))
            made.setdefault(max(places), []).extend(_merged(group))
    if not changed:
        return statements

    def change(node: ast.Node) -> ast.Node:
        return changed[id(node)] if id(node) in changed else transform(node, change)

    return tuple(s for place, one in enumerate(statements) for s in (cast(ast.Statement, change(one)), *made.get(place, ())))


def _parts(node: ast.Statement, around: tuple[Loop, ...], place: int) -> Iterator[_Part]:
    match node:
        case ast.For(binding=binding, body=body):
            for statement in body:
                yield from _parts(statement, (*around, read_loop(node, binding)), place)
        case ast.EquationGroup(body=body):
            for statement in body:
                yield from _parts(statement, around, place)
        case ast.Definition(target=target, domains=domains):
            loops = (*around, *(loop for binding in domains if (loop := _loop_of(binding)) is not None))
            *rows, index = indices_of(target) or (target,)
            for loop in loops:
                factor = _factor(index, loop) if index is not target else None
                if factor is not None and factor > 1 and loop.lower is not None and loop.upper is not None:
                    offset = (affine(index) or Poly.of(0)) - Poly.of(factor) * Poly.of(str(loop.spelling))
                    others = tuple(other for other in loops if other is not loop)
                    plain = unaccent(target)
                    is_bound = {word for item in rows for word in identifiers(item)} <= {other.spelling for other in others}
                    match plain:
                        case ast.Scripts(base=ast.Identifier() | ast.Accent() as base, superscript=None) if is_bound:
                            yield _Part(node, base, tuple(rows), factor, offset, loop, others, place)
                        case _:
                            pass
        case _:
            pass


def _number(value: int, part: _Part) -> ast.Number:
    return ast.Number(str(value), span=part.node.target.span)


def _element(part: _Part, word: str, items: tuple[ast.Expression, ...]) -> ast.Expression:
    """An element of an array of ours, which has the author's name and a word above it."""
    span = part.node.target.span
    name = ast.Accent("", part.base, label=ast.Label((ast.Identifier(word, "mathrm"),)), span=span) if word else part.base
    return ast.Scripts(name, items, span=span) if items else name


def _merged(group: list[_Part]) -> Iterator[ast.Statement]:
    """The array whose last axis holds all remainders, counted as the author counts them."""
    first, last = group[0], group[-1]
    loop, span = first.loop, first.node.target.span
    assert loop.lower is not None
    assert loop.upper is not None
    begin, end = simple(_at(first.index, loop, loop.lower), ()), simple(_at(last.index, loop, loop.upper), ())
    listed = _element(first, "Parts", (*first.rows, loop.variable))
    start = ast.Relation(("=",), (loop.variable, loop.lower), span=span)
    joined = ast.Command("in turn", ((ast.Scripts(ast.SetDisplay((listed,), span=span), (start,), loop.upper, span=span),),), span=span)
    place = ast.Binary("+", ast.Binary("-", loop.variable, ast.Group((begin,), span=span), span=span), _number(1, first), span=span)
    parts = [
        _defined(first, "Parts", (loop.variable, _number(number, first)), _element(first, f"Part{number}", (*first.rows, loop.variable)))
        for number in range(len(group))
    ]
    merged: tuple[ast.Statement, ...] = (
        *(loop_over(loop.variable, loop.lower, loop.upper, part) for part in parts),
        _defined(first, "Joined", (), joined),
        loop_over(loop.variable, begin, end, _defined(first, "", (loop.variable,), _element(first, "Joined", (*first.rows, place)))),
    )
    for around in merged:
        for other in reversed(first.around):
            if any(other.spelling in set(identifiers(item)) for item in first.rows) and other.lower is not None and other.upper is not None:
                around = loop_over(other.variable, other.lower, other.upper, around)
        yield around


def _defined(part: _Part, label: str, items: tuple[ast.Expression, ...], value: ast.Expression) -> ast.Definition:
    return ast.Definition(_element(part, label, (*part.rows, *items)), value, span=part.node.span)
