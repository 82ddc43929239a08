r"""Programs with sets of indices, said in ranges and conditions before anything else is read.

With rows for `\mathcal{V} = \{1, \dots, n\}` and `\mathcal{N}_i \subseteq \mathcal{V}` for `i \in \mathcal{V}`:

    i \in \mathcal{V}                      ->  i \in \{1, \dots, n\}
    \lvert \mathcal{V} \rvert              ->  n
    \sum_{j \in \mathcal{N}_i} x_j         ->  \sum_{j \in \{1, \dots, n\}, (\mathcal{N}[i, j])} x_j
    \lvert \mathcal{N}_i \rvert            ->  \sum_{k \in \{1, \dots, n\}} \mathbb{1}[\mathcal{N}[i, k]]
    j \notin \mathcal{N}_i                 ->  \lnot \mathcal{N}[i, j]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TypeVar, cast

from mathdsl.diagnostics.model import Diagnostics, MathdslError
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.sets import Named, NamedRange, Place, is_of_set, named_range
from mathdsl.elaborate.names.spelling import bound_names, identifiers, names_bound_in, unaccent
from mathdsl.elaborate.report import unsupported
from mathdsl.ops import find_along
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import descendants, statements_in, transform

_N = TypeVar("_N", bound=ast.Node)


def read_sets(document: ast.Document, diagnostics: Diagnostics) -> ast.Document:
    """The document with its sets as ranges and conditions."""
    tables = [where for item in document.items for where in _tables(item)]
    if not any(is_of_set(row) for where in tables for row in where.rows):
        return document
    letters = frozenset(word for item in document.items for word in identifiers(item))
    shared = [item for item in document.items if isinstance(item, ast.Where) and not item.directly_after]
    items: list[ast.Item] = []
    directly: dict[int, list[ast.Where]] = {}
    for at, item in enumerate(document.items):
        if isinstance(item, ast.Where) and item.directly_after:
            directly.setdefault(next(k for k in range(at, -1, -1) if not isinstance(document.items[k], ast.Where)), []).append(item)
    for at, item in enumerate(document.items):
        try:
            own = item.wheres if isinstance(item, ast.Procedure) else [item] if isinstance(item, ast.Where) else directly.get(at, ())
            items.append(_read(_place(item, (*shared, *own), letters), item))
        except MathdslError as error:
            items.append(item)
            for diagnostic in error.diagnostics:
                if diagnostic not in diagnostics.items:
                    diagnostics.add(diagnostic)
    return replace(document, items=tuple(items))


def _tables(item: ast.Item) -> tuple[ast.Where, ...]:
    match item:
        case ast.Where():
            return (item,)
        case ast.Procedure(wheres=wheres):
            return wheres
        case _:
            return ()


def _place(item: ast.Item, tables: Iterable[ast.Where], letters: frozenset[Name]) -> Place:
    """A program with the sets that it sees, without ranges whose names its header gives to something else."""
    rows = [row for where in tables for row in where.rows]
    found: dict[Name, Named] = {}
    for row in rows:
        named = named_range(row)
        if named is not None:
            found[named[0]] = NamedRange(named[1])
    if isinstance(item, ast.Procedure):
        for row in (*item.inputs, *(item.owned or ())):
            for symbol in row.symbols:
                found.pop(spelling_of(unaccent(symbol)) or NO_NAME, None)
    place = Place(found, letters, frozenset(name for node in descendants(item) for name in names_bound_in(node)))
    for row in rows:
        if isinstance(row.type, ast.Relation):
            for symbol in row.symbols:
                name, declared = place.declared(symbol, row)
                found[name] = declared
    ranged = {name: place.range_of(item) for row in rows for item in row.ranges for name in bound_names(item)}
    return replace(place, given=ranged)


def _read(here: Place, item: _N) -> _N:
    """A program, a function or a table in ranges and conditions."""
    if not here.sets:
        return item
    changed = change(here, item)
    if isinstance(changed, ast.Procedure) and isinstance(item, ast.Procedure):
        changed = replace(changed, shown=item.shown or item.body)
    return cast(_N, changed)


def change(here: Place, node: ast.Node) -> ast.Node:
    """A node in ranges and conditions."""
    match node:
        case ast.Where():
            return here.rows(node)
        case ast.Procedure():
            return _procedure(here, node)
        case ast.Definition():
            return _definition(here, node)
        case ast.For():
            return _for(here, node)
        case ast.Reduction():
            return _reduction(here, node)
        case ast.Comprehension(conditions=conditions):
            bounds = tuple(here.bounds(item) for item in conditions)
            return transform(replace(node, conditions=bounds), partial(change, here.below(bounds)))
        case ast.Scripts(base=ast.Group() | ast.ListDisplay() | ast.SetDisplay(), subscripts=(ast.Relation() as binding,)):
            bound = here.bounds(binding)
            return transform(replace(node, subscripts=(bound,)), partial(change, here.below((bound,))))
        case ast.Bars(kind="|", items=(inner,)) if (count := here.count(inner, node.span)) is not None:
            return change(here, count)
        case ast.Relation(operators=operators) if {r"\in", r"\notin"} & set(operators):
            return _relation(here, node)
        case ast.Juxtaposition():
            return _applied(here, node)
        case _:
            return transform(node, partial(change, here))


def _procedure(here: Place, node: ast.Procedure) -> ast.Procedure:
    valued = {spelling_of(unaccent(symbol)) for row in node.inputs for symbol in row.symbols}
    valued |= {spelling_of(target) for one in statements_in(node.body) if isinstance(one, ast.Definition) for target in one.targets}
    place = here.inside({name: None for name in valued if name is not None})
    inputs = tuple(replace(row, symbols=tuple(map(partial(_in_header, here), row.symbols))) for row in node.inputs)
    body = tuple(cast(ast.Statement, change(place, one)) for one in node.body)
    return replace(node, inputs=inputs, body=body, wheres=tuple(here.rows(where) for where in node.wheres))


def _in_header(here: Place, symbol: ast.Expression) -> ast.Expression:
    r"""A set of neighbours by its name alone: `\mathcal{N}` of `\mathcal{N}(i)`."""
    found = here.part(symbol)
    return symbol if found is None else found[0].name


def _definition(here: Place, node: ast.Definition) -> ast.Definition:
    domains = tuple(here.bounds(item) for item in node.domains)
    place = here.below((*node.ranges, *domains))
    scripts = (unaccent(target) for target in node.targets)
    items = (item for one in scripts if isinstance(one, ast.Scripts) for item in (*one.subscripts, one.superscript) if item is not None)
    own = {word: here.given[word] for item in items for word in identifiers(item) if word in here.given}
    place = place.inside({word: range_ for word, range_ in own.items() if word not in place.scope})
    _, parameters = node.function or (None, ())
    place = place.inside({name: None for item in parameters if (name := spelling_of(item)) is not None})
    target = cast(ast.Expression, transform(node.target, partial(change, place)))
    return replace(node, target=target, value=cast(ast.Expression, change(place, node.value)), domains=domains)


def _for(here: Place, node: ast.For) -> ast.For:
    match node.binding:
        case ast.Relation(operators=(r"\in",), operands=(name, whole)) if here.is_set(whole):
            elements = here.elements(whole)
            inner = here.inside({word_of(name) or NO_NAME: elements})
            body = tuple(cast(ast.Statement, change(inner, one)) for one in node.body)
            condition = inner.holds(name, whole, elements)
            if condition is not None:
                body = (ast.If((ast.Branch(condition, body, span=node.span),), span=node.span),)
            assert elements is not None
            return replace(node, binding=replace(node.binding, operands=(name, elements)), body=body)
        case _:
            inner = here.below((node.binding,))
            return cast(ast.For, transform(node, partial(change, inner)))


def _reduction(here: Place, node: ast.Reduction) -> ast.Node:
    below = node.subscript
    items = below.items if isinstance(below, ast.Group) else () if below is None else (below,)
    items = _with_set_behind(items)
    bounds: list[ast.Expression] = []
    conditions: list[ast.Expression] = []
    place = here
    for item in items:
        match item:
            case ast.Relation(operators=(r"\in",), operands=(name, whole)) if place.is_set(whole):
                elements = place.elements(whole)
                assert elements is not None
                bounds.append(replace(item, operands=(name, elements)))
                place = place.inside({word_of(name) or NO_NAME: elements})
                condition = place.holds(name, whole, elements)
                if condition is not None:
                    conditions.append(ast.Group((cast(ast.Expression, change(place, condition)),), span=item.span))
            case ast.Slice(lower=lower, upper=upper) if lower is not None and upper is not None:
                place = place.below((lower,))
                bounds.append(replace(item, upper=cast(ast.Expression, change(place, upper))))
            case _:
                place = place.below((item,))
                bounds.append(cast(ast.Expression, transform(item, partial(change, place))))
    items = (*bounds, *conditions)
    subscript = None if below is None else items[0] if len(items) == 1 else ast.Group(items, span=below.span)
    return replace(
        node,
        subscript=subscript,
        superscript=None if node.superscript is None else cast(ast.Expression, change(here, node.superscript)),
        body=cast(ast.Expression, change(place, node.body)),
    )


def _relation(here: Place, node: ast.Relation) -> ast.Node:
    r"""`j \in \mathcal{N}_i` as a condition."""
    links: list[ast.Expression] = []
    for operator, left, right in zip(node.operators, node.operands, node.operands[1:], strict=False):
        if operator not in (r"\in", r"\notin") or not here.is_set(right):
            links.append(ast.Relation((operator,), (left, right), span=node.span))
            continue
        condition = here.holds(left, right)
        assert condition is not None
        links.append(condition if operator == r"\in" else ast.Logic("not", (condition,), span=node.span))
    if all(isinstance(link, ast.Relation) and {r"\in", r"\notin"} & set(link.operators) for link in links):
        return transform(node, partial(change, here))
    changed = tuple(cast(ast.Expression, change(here, link)) for link in links)
    return changed[0] if len(changed) == 1 else ast.Logic("and", changed, span=node.span)


def _applied(here: Place, node: ast.Juxtaposition) -> ast.Node:
    r"""`\operatorname{softmax}_{j \in \mathcal{N}_i}(e_{ij})`: 0 for what is no element of the set."""
    factors = list(node.factors)
    for at, (head, argument) in enumerate(pairwise(node.factors)):
        match head, argument:
            case ast.Scripts(base=base, subscripts=(ast.Relation(operators=(r"\in",), operands=(name, whole)),)), ast.Group(
                items=(body,)
            ) if find_along((word_of(base) or NO_NAME).bare) is not None and here.is_set(whole):
                factors[at : at + 2] = [_softmax(here, base, name, whole, body, head.span.to(argument.span))]
                found = factors[0] if len(factors) == 1 else replace(node, factors=tuple(factors))
                return change(here, found)
            case _:
                pass
    return transform(node, partial(change, here))


def _softmax(
    here: Place, base: ast.Expression, name: ast.Expression, whole: ast.Expression, body: ast.Expression, span: Span
) -> ast.Expression:
    word = word_of(base) or NO_NAME
    index, elements = word_of(name) or NO_NAME, here.elements(whole)
    if word.bare != "softmax" or elements is None:
        raise unsupported(f"`{word}` over a set", span, help="write it out with a sum over the set")
    letter = replace(here.fresh(), span=name.span)
    place = here.inside({index: elements})
    other = ast.Relation((r"\in",), (letter, whole), span=span)
    total = ast.Reduction("sum", other, None, _exp(put(body, {index: letter}), span), span=span)
    quotient = ast.Fraction(_exp(body, span), total, span=span)
    condition = place.holds(name, whole, elements)
    if condition is None:
        value: ast.Expression = quotient
    else:
        rows = (ast.CaseRow(quotient, condition, span=span), ast.CaseRow(ast.Number("0", span=span), None, span=span))
        value = ast.Cases(rows, span=span)
    if index in here.scope:
        return ast.Group((value,), span=span)
    range_ = ast.Relation((r"\in",), (name, elements), span=span)
    return ast.Scripts(ast.ListDisplay((value,), span=span), (range_,), span=span)


def _exp(body: ast.Expression, span: Span) -> ast.Expression:
    return ast.Juxtaposition((ast.Identifier(r"\exp", span=span), ast.Group((body,), span=span)), span=span)


def _with_set_behind(items: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    r"""`i \in \mathcal{V}`, `j \in \mathcal{V}` of `i, j \in \mathcal{V}`."""
    found: list[ast.Expression] = []
    for item in reversed(items):
        match item, found[:1]:
            case ast.Identifier() | ast.Accent(), [ast.Relation(operators=(r"\in",), operands=(_, whole))]:
                found.insert(0, ast.Relation((r"\in",), (item, whole), span=item.span))
            case _:
                found.insert(0, item)
    return tuple(found)


def put(node: _N, values: Mapping[Name, ast.Expression]) -> _N:
    """The node with expressions in the places of names, but where it binds such a name itself."""
    if not values:
        return node
    own = values.keys() & names_bound_in(node)
    inner = {name: value for name, value in values.items() if name not in own} if own else values
    if isinstance(node, ast.Identifier | ast.Accent):
        word = word_of(node)
        if word is not None and word in values:
            return cast(_N, values[word])
    return cast(_N, transform(node, lambda one: put(one, inner)))
