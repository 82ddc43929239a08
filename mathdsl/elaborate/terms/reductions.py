r"""Reductions over an index and bars: `\sum_{i=1}^{n}`, `\max_i`, `|x|`, `\lVert x \rVert_2`, `\lfloor x \rfloor`."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.products import FACTOR_BEHIND_A_PRODUCT
from mathdsl.diagnostics.readings.ranges import INDEX_OR_CONDITION, INDEX_OR_SIZE
from mathdsl.diagnostics.readings.types import BARS_AROUND_A_MATRIX, BARS_AROUND_A_VECTOR, ROWS_OF_A_MATRIX
from mathdsl.elaborate.names.lookups import axis_of, find_array
from mathdsl.elaborate.names.names import NO_NAME, Name, is_array_letter, readable, spelling_of, word_of
from mathdsl.elaborate.names.spelling import base_of, bound_names, identifiers
from mathdsl.elaborate.names.symbols import Role
from mathdsl.elaborate.names.usage import free_letters
from mathdsl.elaborate.report import refuse, undecided, unsupported
from mathdsl.elaborate.terms import conditions, sequences
from mathdsl.elaborate.terms.bounds import extreme, is_nonnegative
from mathdsl.elaborate.terms.computed_ranges import ComputedRange, computed_range
from mathdsl.elaborate.terms.elements import has_value, is_free_below, is_integer, is_scalar_name
from mathdsl.elaborate.terms.grouping import as_body, find_set, is_family
from mathdsl.elaborate.terms.indices import as_poly, computed_bound, name_of, read_binding, read_range
from mathdsl.elaborate.terms.norms import resolve_norm
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.strided_ranges import strided_range
from mathdsl.elaborate.terms.terms import (
    Binder,
    Build,
    CaseTerm,
    Constant,
    Elementwise,
    Fold,
    Need,
    NumberTerm,
    Product,
    Reduction,
    SizeTerm,
    Term,
    Whole,
)
from mathdsl.elaborate.types.shapes import expand, find_element, rank_of
from mathdsl.ir.nodes import Element, Range
from mathdsl.ops import Reduction as ReductionRow
from mathdsl.ops import find_reduction
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import children, transform


def may_be_of_nothing(node: ast.Reduction) -> bool:
    """Whether a reduction has no value over an empty range."""
    row = find_reduction(node.operator)
    return row is not None and row.of_nothing is None


def resolve_reduction(reader: Reader, node: ast.Reduction, other: Term | None = None) -> Term:
    r"""A reduction over what stands below it; `other`: its value over nothing, `\max_i x_i \text{ or } 0`."""
    row = find_reduction(node.operator)
    if row is None:
        raise unsupported(
            f"`\\{node.operator}`", node.span, help=r"write a sum over points that are given, as in `\sum_{i=1}^{n} f(x_i) h`"
        )
    node = replace(node, body=as_body(node.body))
    _check_one_value(node)
    if node.subscript is None:
        value = reader.resolve(node.body)
        if is_family(node.body) and isinstance(value, Build):
            return _over_range(row, value.binder, value.body, other, node.span)
        if node.superscript is not None:
            raise _no_index(node.superscript, node)
        if other is not None:
            raise unsupported("a value over nothing without an index", node.span, help=r"write the index, as in `\max_i x_i \text{ or } 0`")
        return Fold(row.name, value, in_function=reader.in_function, span=node.span)
    subscript = node.subscript
    if node.operator == "prod":
        _check_factors(reader, node, frozenset(bound_names(subscript)))
    strided = strided_range(reader, subscript, node.superscript)
    if strided is not None:
        plain = replace(node, subscript=strided.binding, superscript=None)
        binder = _reduction_binder(reader, strided.binding, plain)
        return _reduced(reader, plain, row, [binder], [strided.condition], other, strided.needs(reader))
    items = _chain(reader, subscript, node) or _several(reader, subscript, node)
    if items is not None:
        return _resolve_several(reader, node, row, items, other)
    if node.superscript is not None and isinstance(subscript, ast.Relation) and subscript.operators == ("=",):
        subscript = _with_upper(subscript, node.superscript)
    elif node.superscript is not None and not isinstance(subscript, ast.Identifier):
        raise _no_index(node.superscript, node)
    selection = _read_selection(reader, subscript, node)
    if selection is not None:
        return _resolve_selection(reader, node, row, *selection, other)
    build = _of_elements(reader, subscript, node.body)
    if build is not None:
        return _over_range(row, build.binder, build.body, other, node.span)
    computed = computed_range(reader, subscript)
    if computed is not None:
        return _resolve_computed(reader, replace(node, subscript=subscript), row, computed, other)
    binder = _reduction_binder(reader, subscript, node)
    return _over_range(row, binder, reader.within(binder).resolve(node.body), other, node.span)


def _check_factors(reader: Reader, node: ast.Reduction, letters: frozenset[Name]) -> None:
    r"""Refuse `\prod_i x_i c` and `\prod_i x_i \prod_j y_j`, in which a factor without the index stands behind its elements."""
    last: tuple[ast.Expression, ...]
    match node.body:
        case ast.Juxtaposition(factors=(*before, callee, ast.Group() as argument)) if find_array(reader, base_of(callee)) is None:
            last = callee, argument
        case ast.Juxtaposition(factors=(*before, factor)) if not is_array_letter(word_of(base_of(before[-1])) or NO_NAME):
            last = (factor,)
        case ast.Binary(operator="/" | "*" | r"\cdot" | r"\times" | r"\odot", left=left, right=factor):
            before, last = [left], (factor,)
        case _:
            return
    moves = [any(_mentions(part, letters) for part in parts) for parts in (before, last)]
    if letters and moves == [True, False]:
        raise undecided(FACTOR_BEHIND_A_PRODUCT, last[0].span)


def _mentions(node: ast.Node, letters: frozenset[Name]) -> bool:
    """Whether one of the letters stands below a node, and no reduction there binds it."""
    match node:
        case ast.Identifier() | ast.Accent() if word_of(node) is not None:
            return word_of(node) in letters
        case ast.Reduction(subscript=subscript) if subscript is not None:
            letters = letters - set(bound_names(subscript))
        case _:
            pass
    return any(_mentions(child, letters) for child in children(node))


def _over_range(row: ReductionRow, binder: Binder, body: Term, other: Term | None, span: Span) -> Term:
    """A reduction over a whole range."""
    value = Reduction(row.name, binder, body, span=span)
    if other is None:
        return value
    there = Elementwise("greater", (SizeTerm(binder.range.extent, span=span), NumberTerm(0, span=span)), span=span)
    return CaseTerm(((there, value), (None, other)), span=span)


def _of_elements(reader: Reader, subscript: ast.Expression, body: ast.Expression) -> Build | None:
    r"""The values of `\max_{x \in X} f(x)`, over the elements of an array; None for all else."""
    match subscript:
        case ast.Relation(operators=(r"\in",), operands=(name, source)) if (
            word_of(name) is not None and read_binding(reader, subscript) is None
        ):
            is_array = find_array(reader, source) is not None or _is_bound(reader, source) or isinstance(source, ast.Comprehension)
            return sequences.over_elements(reader, body, name_of(name), reader.resolve(source), subscript.span) if is_array else None
        case _:
            return None


def _check_one_value(node: ast.Reduction) -> None:
    r"""`\min_i \{a_i, b_i\}` has one value for each index, and a set of several is none."""
    several = find_set(node.body)
    if several is not None and not (node.subscript is None and is_family(node.body)):
        what = f"a set of several elements stands where `\\{node.operator}` takes one value for each index"
        help_text = r"name the function of its elements, as in `\max\{a_i, b_i\}`, or write `[a_i, b_i]` for a list"
        raise refuse("E0409", what, several.span, help=help_text)


def _with_upper(subscript: ast.Relation, upper: ast.Expression) -> ast.Relation:
    """`i = 1, \\dots, n` of `i = 1` and what stands above."""
    dots = ast.ListDisplay((subscript.operands[1], ast.Dots(), upper), span=subscript.span)
    return ast.Relation(("=",), (subscript.operands[0], dots), span=subscript.span)


_COMPARISONS = (r"\neq", "<", ">", r"\leq", r"\geq")


def _kinds(reader: Reader, items: tuple[ast.Expression, ...]) -> list[str]:
    """What each item below a reduction is; `z = 2` binds no index where `z` has a value, or a range before it."""
    found: list[str] = []
    bound: set[Name] = set()
    for item in items:
        match item:
            case ast.Identifier() | ast.Accent():
                found.append("index")
            case ast.Relation(operators=("=",), operands=(name, _)) if _is_value(reader, name) or word_of(name) in bound:
                found.append("condition")
            case ast.Relation(operators=("=",), operands=(ast.Scripts() | ast.Indexing(), _)):
                found.append("condition")  # `y_p = y_i`
            case ast.Relation(operators=("=" | r"\in",)) | ast.Relation(operators=("<" | r"\leq", "<" | r"\leq")):
                found.append("range")
                bound |= set(bound_names(item))
            case ast.Relation(operators=(operator,)) if operator in _COMPARISONS:
                found.append("condition")
            case ast.Group(items=(_,)):  # after a colon
                found.append("condition")
            case _:
                found.append("")
    return found


def _is_value(reader: Reader, node: ast.Expression) -> bool:
    """Whether a name has a value that is no index."""
    word = word_of(node) or NO_NAME
    return has_value(reader, word) and reader.find_binder(word) is None


def _several(reader: Reader, subscript: ast.Expression, node: ast.Reduction) -> tuple[ast.Expression, ...] | None:
    r"""The indices, ranges and conditions of `i, j`, of `i=1, i \neq k`, of `i, j = 1`, of `(i, j) : c`, of `i \neq j` of two new ones."""
    match subscript:
        case ast.Relation(operators=(operator,), operands=(left, right)) if operator in _COMPARISONS:
            if all(reader.find_binder(word_of(name) or NO_NAME) for name in (left, right)):
                raise _none_is_new(reader, node)
            return (left, right, subscript) if _is_new(reader, left) and _is_index(reader, right, node) else None
        case ast.Slice(lower=ast.Group(items=(_, _, *_) as names), upper=condition) if condition is not None:
            return (*names, ast.Group((condition,), span=condition.span))
        case ast.Slice(lower=ast.Relation() as first, upper=condition) if condition is not None:
            return _several(reader, ast.Group((first, ast.Group((condition,), span=condition.span)), span=subscript.span), node)
        case ast.Logic(operator="and", operands=operands) if all(isinstance(one, ast.Relation) for one in operands):
            return _several(reader, ast.Group(operands, span=subscript.span), node)
        case ast.Group(items=(ast.Slice(lower=name, upper=condition), *others)) if name is not None and condition is not None:
            return (name, *(ast.Group((one,), span=one.span) for one in (condition, *others)))
        case ast.Group(items=(_, *_, ast.Slice(lower=last, upper=condition)) as items) if last is not None and condition is not None:
            return (*items[:-1], last, ast.Group((condition,), span=condition.span))
        case ast.Group(items=items) if len(items) > 1:
            items = _with_both_ends(reader, _with_lower_end(items), node)
            kinds = _kinds(reader, items)
            if set(kinds) == {"condition"}:
                new = (name for item in items if isinstance(item, ast.Relation) for name in item.operands if _is_index(reader, name, node))
                return (*dict.fromkeys(new), *items)
            is_list = (
                kinds[0] == "index" and set(kinds) <= {"index", "condition"} or kinds[0] == "range" and set(kinds) <= {"range", "condition"}
            )
            return items if is_list else None
        case _:
            return None


def _with_both_ends(reader: Reader, items: tuple[ast.Expression, ...], node: ast.Reduction) -> tuple[ast.Expression, ...]:
    r"""`1 \leq i \leq n` and `1 \leq j \leq n` of `1 \leq i, j \leq n`."""
    for at, item in enumerate(items):
        end = next((k for k in range(at + 1, len(items)) if not isinstance(items[k], ast.Identifier | ast.Accent)), None)
        if end is None:
            break
        match item, items[end]:
            case (
                ast.Relation(operators=("<" | r"\leq" as below,), operands=(lower, first)),
                ast.Relation(operators=("<" | r"\leq" as above,), operands=(last, upper)),
            ) if [_is_index(reader, one, node) for one in (lower, first, last, upper)] == [False, True, True, False]:
                names = dict.fromkeys((first, *items[at + 1 : end], last))
                ranges = (ast.Relation((below, above), (lower, name, upper), span=name.span) for name in names)
                return (*items[:at], *ranges, *items[end + 1 :])
            case _:
                pass
    return items


def _with_lower_end(items: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    """`i = 1`, `j = 1` of `i, j = 1`: names before a lower end have it, too."""
    at = next((k for k, item in enumerate(items) if not isinstance(item, (ast.Identifier, ast.Accent))), 0)
    match items[at]:
        case ast.Relation(operators=("=",), operands=(_, lower)):
            return (*(ast.Relation(("=",), (name, lower), span=name.span) for name in items[:at]), *items[at:])
        case _:
            return items


def _chain(reader: Reader, subscript: ast.Expression, node: ast.Reduction) -> tuple[ast.Expression, ...] | None:
    r"""Several new indices in order, and what holds of neighbours: `i < j < k`; each with the ends, `1 \leq i < j \leq n`."""
    match subscript:
        case ast.Relation(operators=(_, _, *_) as operators, operands=operands) if set(operators) <= {"<", r"\leq"}:
            names = [name for name in operands[1:-1] if _is_new(reader, name)]
            ends = [name for name in (operands[0], operands[-1]) if _is_index(reader, name, node)]
        case _:
            return None
    if not ends and len(operands) == 3 or not all(_is_index(reader, name, node) for name in names):
        return None
    pairs = [ast.Relation((o,), (a, b), span=subscript.span) for o, a, b in zip(operators, operands, operands[1:], strict=False)]
    _check_declared(reader, operands[0], node)
    _check_declared(reader, operands[-1], node)
    if ends or len(names) < len(operands) - 2:
        return (*dict.fromkeys((*ends[:1], *names, *ends[1:])), *pairs)
    ranges = [ast.Relation((operators[0], operators[-1]), (operands[0], name, operands[-1]), span=subscript.span) for name in names]
    return (*ranges, *pairs[1:-1])


def _is_new(reader: Reader, node: ast.Expression) -> bool:
    """Whether a name has no value yet, so that a reduction may bind it."""
    word = word_of(node)
    return isinstance(node, ast.Identifier | ast.Accent) and word is not None and not has_value(reader, word)


def _is_index(reader: Reader, name: ast.Expression, node: ast.Reduction) -> bool:
    r"""Whether a new name indexes in the body, `j` in `\sum_{i < j} A_{i,j}`: else it may be a size."""
    return _is_new(reader, name) and sequences.indexes(reader, name_of(name), node.body)


def _check_declared(reader: Reader, name: ast.Expression, node: ast.Reduction) -> None:
    r"""Refuse a name that nothing declares beside an index, `j` in `\sum_{i < j} x_i`: it can be an index, or a size."""
    if _is_new(reader, name) and not _is_index(reader, name, node):
        letter = readable(name_of(name))
        raise undecided(INDEX_OR_SIZE, name.span, letter=letter)


def _none_is_new(reader: Reader, node: ast.Reduction) -> MathdslError:
    r"""`\sum_{i, k}` where `i` and `k` have ranges around it, or are sizes: with other letters it is what most readers take it for."""
    below = node.subscript or node.body
    named = identifiers(below) if isinstance(below, ast.Relation) else bound_names(below)
    bound = {name: reader.find_binder(name) for name in named if reader.find_binder(name) is not None}
    bound = bound or {name: None for name in bound_names(below) if has_value(reader, name)}
    letters = (letter for letter in free_letters({*identifiers(node)}) if not has_value(reader, letter))
    new = {name: ast.Identifier(letter) for name, letter in zip(bound, letters, strict=False)}

    def changed(part: ast.Node) -> ast.Node:
        return new.get(word_of(part) or NO_NAME, part) if isinstance(part, ast.Identifier) else transform(part, changed)

    shown = render_expression(cast(ast.Expression, changed(node)))
    have, them = ("has a value", "it") if len(bound) == 1 else ("have values", "them")
    what = f"{' and '.join(f'`{readable(name)}`' for name in bound)} {have} here, so that `\\{node.operator}` cannot run over {them}"
    labels = tuple(Label(binder.span, "its range") for binder in bound.values() if binder is not None and binder.span.file)
    return refuse("E0505", what, node.span, labels=labels, help=f"write `{shown}` for one over all values")


def _resolve_several(reader: Reader, node: ast.Reduction, row: ReductionRow, items: tuple[ast.Expression, ...], other: Term | None) -> Term:
    r"""`\sum_{i,j}`, `\sum_{i=1, i \neq k}^{n}`: one index inside the other, those that are not bound outside; conditions go inside all."""
    kinds = _kinds(reader, items)
    conditions_ = [item for item, kind in zip(items, kinds, strict=True) if kind == "condition"]
    ranges = [item for item, kind in zip(items, kinds, strict=True) if kind == "range"]
    given = {name for item in ranges for name in bound_names(item)}
    named = {name: item for item in items for name in bound_names(item) if not name.isdigit()}
    bare = {name: item for name, item in named.items() if name not in given and not has_value(reader, name)}
    if not ranges and not bare:
        raise _none_is_new(reader, node)
    if row.is_position and len(ranges) + len(bare) > 1:
        what = f"`\\{node.operator}` over several indices"
        raise unsupported(what, node.span, help="write one index, with its range, as in `i = 1, \\dots, n`")
    if node.superscript is not None and not any(item.operators == ("=",) for item in ranges if isinstance(item, ast.Relation)):
        raise _no_index(node.superscript, node)
    for item in conditions_:
        _check_no_index(reader, item, node.body)
    uppers = _uppers(node.superscript, ranges)
    indexed = replace(node, superscript=None, body=ast.ListDisplay((node.body, *conditions_), span=node.span))

    binders: list[Binder] = []
    for item in [*ranges, *(ast.Identifier(name, span=item.span) for name, item in bare.items())]:
        if (upper := uppers.get(id(item))) is not None and isinstance(item, ast.Relation):
            item = _with_upper(item, upper)
        binders.append(_reduction_binder(reader.within(*binders), item, replace(indexed, subscript=item)))
    return _reduced(reader, node, row, binders, conditions_, other)


def _uppers(above: ast.Expression | None, ranges: list[ast.Expression]) -> dict[int, ast.Expression]:
    r"""What stands above for each range that begins with `=`: `h` and `w` in order of `\sum_{i=1, j=1}^{h, w}`, else the same for all."""
    starts = [item for item in ranges if isinstance(item, ast.Relation) and item.operators == ("=",)]
    if above is None:
        return {}
    several = above.items if isinstance(above, ast.Group) and len(above.items) == len(starts) else (above,) * len(starts)
    return {id(item): upper for item, upper in zip(starts, several, strict=True)}


def _check_no_index(reader: Reader, condition: ast.Expression, body: ast.Expression) -> None:
    r"""Refuse `\sum_{i=1, z=1}^n A_{i,z}` where `z` has a value: it may be an index of its own."""
    match condition:
        case ast.Relation(operators=("=",), operands=(name, value)) if _is_value(reader, name) and sequences.indexes(
            reader, name_of(name), body
        ):
            letter = readable(name_of(name))
            raise undecided(INDEX_OR_CONDITION, condition.span, letter=letter, value=render_expression(value))
        case _:
            pass


def _reduced(
    reader: Reader,
    node: ast.Reduction,
    row: ReductionRow,
    binders: list[Binder],
    holding: list[ast.Expression],
    other: Term | None,
    needs: tuple[Need, ...] = (),
) -> Term:
    """One index inside the other: the body where all conditions hold, and what changes nothing elsewhere; a mean by its sum."""
    value = _nested("sum" if row.divides_by_extent else row.name, reader, binders, holding, node, _nothing(row))
    if needs and isinstance(value, Reduction):
        value = replace(value, needs=needs)
    if row.of_nothing is not None or not holding and other is None:
        return value
    there = _nested("any", reader, _again(reader, binders), holding, node, None)
    if other is None and isinstance(value, Reduction):
        names = ", ".join(readable(binder.spelling) for binder in binders)
        shown = (item.items[0] if isinstance(item, ast.Group) and len(item.items) == 1 else item for item in holding)
        text = rf"\exists {names} : " + r" \land ".join(map(render_expression, shown))
        nothing = Need(there, text, f"there is nothing to take the {node.operator} of", "let the condition hold for some index")
        value = replace(value, needs=(*value.needs, nothing))
    if holding and row.name in ("max", "min") and is_integer(reader.within(*binders), node.body):
        value = Elementwise("floor", (value,), span=node.span)  # which what stands for no value is not
    if row.divides_by_extent:
        one = replace(node, body=ast.Number("1", span=node.span))
        value = Elementwise("div", (value, _nested("sum", reader, _again(reader, binders), holding, one, _nothing(row))), span=node.span)
    return value if other is None else CaseTerm(((there, value), (None, other)), span=node.span)


def _nested(
    op: str, reader: Reader, binders: list[Binder], holding: list[ast.Expression], node: ast.Reduction, nothing: Term | None
) -> Term:
    """The body where conditions hold, and `nothing` elsewhere, reduced over one index inside the other; without it, whether they hold."""
    inner = reader.within(*binders)
    value = None if nothing is None else inner.resolve(node.body)
    for condition in reversed(holding):
        holds = conditions.resolve_condition(inner, condition)
        if value is None or nothing is None:
            value = holds if value is None else Elementwise("and", (holds, value), span=node.span)
        else:
            value = CaseTerm(((holds, value), (None, nothing)), span=node.span)
    value = value or NumberTerm(True, span=node.span)
    for binder in reversed(binders):
        value = Reduction(op, binder, value, span=node.span)
    return value


def _again(reader: Reader, binders: list[Binder]) -> list[Binder]:
    """Index variables of their own with the same ranges."""
    return [reader.binder(binder.spelling, binder.range, binder.span, bare=binder.bare) for binder in binders]


def _nothing(row: ReductionRow) -> Term:
    """What changes nothing in a reduction."""
    return NumberTerm(row.of_nothing) if isinstance(row.of_nothing, bool) else Constant(float(row.neutral))


def _read_selection(reader: Reader, subscript: ast.Expression, node: ast.Reduction) -> tuple[ast.Expression, ast.Expression] | None:
    r"""The new index and the condition of `\sum_{j \neq i}`, `\sum_{k < i}`, `\sum_{j : c(j)}`; None for all else."""
    match subscript:
        case ast.Relation(operators=(operator,), operands=(left, right)) if operator in _COMPARISONS:
            condition: ast.Expression = subscript
            name, other = (right, left) if _is_index(reader, right, node) else (left, right)
            _check_declared(reader, other, node)
        case ast.Slice(lower=lower, upper=upper) if lower is not None and upper is not None:
            name, condition = lower, upper
        case _:
            return None
    word = word_of(name)
    return None if word is None or has_value(reader, word) else (name, condition)


def _resolve_selection(
    reader: Reader, node: ast.Reduction, row: ReductionRow, name: ast.Expression, condition: ast.Expression, other: Term | None
) -> Term:
    """A reduction over those values of an index for which a condition holds."""
    spelling = name_of(name)
    indexed = ast.ListDisplay((node.body, condition), span=node.span)  # the index may stand in the condition alone
    binder = reader.binder(spelling, sequences.range_of_index(reader, spelling, indexed, node.span), name.span, bare=True)
    if row.of_nothing is None and (bounds := _narrowed(reader, binder, condition)) is not None:
        binder = replace(binder, range=bounds, bare=False)
        return _over_range(row, binder, reader.within(binder).resolve(node.body), other, node.span)
    return _reduced(reader, node, row, [binder], [condition], other)


def _resolve_computed(reader: Reader, node: ast.Reduction, row: ReductionRow, found: ComputedRange, other: Term | None) -> Term:
    """A reduction over what lies between ends that are computed, which are no further apart than those of the index's axis."""
    has_axis = found.lower is not None and found.upper is not None or sequences.indexes(reader, name_of(found.name), node.body)
    bounded = None if has_axis else found.binder(reader, node.subscript or found.name)
    known = replace(node, subscript=found.binding, superscript=None if found.lower is not None else found.upper)
    binder = bounded or _reduction_binder(reader, found.binding, known)
    return _reduced(reader, known, row, [binder], found.conditions, other, () if bounded else found.needs(reader, binder))


def _narrowed(reader: Reader, binder: Binder, condition: ast.Expression) -> Range | None:
    r"""The range of `j` in `\max_{j < i}`, where it is a part of the one that `j` has; None for all else."""
    match condition:
        case ast.Relation(operators=(operator,), operands=(left, right)) if operator != r"\neq":
            is_left = word_of(left) == binder.spelling
            end = as_poly(reader, right if is_left else left)
        case _:
            return None
    if end is None:
        return None
    is_upper, step = is_left is (operator in ("<", r"\leq")), int(operator in "<>")
    lower, upper = (reader.types.solver.value(one) for one in (binder.range.lower, binder.range.upper))
    found = Range(lower, end - step) if is_upper else Range(end + step, upper)
    room = extreme(upper - found.upper if is_upper else found.lower - lower, reader.binders, greatest=False)
    return found if room is not None and is_nonnegative(reader.types.solver.value(room)) else None


def _no_index(superscript: ast.Expression, node: ast.Reduction) -> MathdslError:
    what = f"`{render_expression(superscript)}` above `\\{node.operator}` is the upper end of no index"
    return refuse("E0505", what, superscript.span, help=r"write the index and its lower end below, as in `\sum_{i=1}^{n}`")


def _missing_end(reader: Reader, subscript: ast.Expression, node: ast.Reduction) -> tuple[ast.Expression, Range] | None:
    r"""The index of `\sum_{i=2}` or `\sum^{n}_{i}`, and its range: the other end is that of the axes which it indexes."""
    match subscript, node.superscript:
        case ast.Relation(operators=("=" | r"\algoIs",), operands=(name, first)), None if read_range(reader, first) is None:
            lower = as_poly(reader, first, True)
        case ast.Identifier() as name, last if last is not None:
            lower = None
        case _:
            return None
    if (word := word_of(name)) is None or has_value(reader, word):
        return None
    axes = sequences.range_of_index(reader, name_of(name), node.body, node.span)
    if node.superscript is None:
        return None if lower is None else (name, Range(lower, axes.upper))
    upper = as_poly(reader, node.superscript, True)
    return None if upper is None else (name, Range(axes.lower, upper))


def _reduction_binder(reader: Reader, subscript: ast.Expression, node: ast.Reduction) -> Binder:
    found = _missing_end(reader, subscript, node) or read_binding(reader, subscript)
    if found is not None:
        name, bounds = found
        return reader.binder(name_of(name), bounds, name.span)
    names = bound_names(subscript)
    if len(names) == 1 and isinstance(subscript, ast.Identifier):
        outer = reader.find_binder(names[0])
        if outer is not None:
            raise refuse(
                "E0505",
                f"`{readable(names[0])}` has a value here, so that `\\{node.operator}` cannot run over it",
                subscript.span,
                labels=(Label(outer.span, "its range"),) if outer.span.file else (),
                help="take another letter for one of the two",
            )
        if has_value(reader, names[0]) and not is_free_below(reader, names[0]):
            what = f"`\\{node.operator}` over the values of `{names[0]}`, which is no index,"
            raise unsupported(what, subscript.span, help="take another letter for the index, or for what the program calls so")
        bounds = sequences.range_of_index(reader, names[0], node.body, node.span)
        return reader.binder(names[0], bounds, subscript.span, bare=True)
    match subscript:
        case ast.Juxtaposition(factors=(ast.Identifier() as index, ast.Identifier(text="to", font="text"), *upper)) if upper:
            last = upper[0] if len(upper) == 1 else ast.Juxtaposition(tuple(upper))
            ends = rf"`\{node.operator}_{{{render_expression(index)} = 1}}^{{{render_expression(last)}}}`"
            raise refuse("E0505", "this range has no lower end", subscript.span, help=f"write both ends, {ends}")
        case _:
            pass
    error = computed_bound(reader, subscript)
    raise error or unsupported(
        "this range of a reduction", subscript.span, help=r"write `\sum_{i=1}^{n}` or `\sum_{i \in \{1, \dots, n\}}`"
    )


def resolve_bars(reader: Reader, node: ast.Bars) -> Term:
    match node.kind, node.items:
        case "|", (inner,):
            size = None if is_scalar_name(reader, inner) or is_computed(reader, inner) else as_poly(reader, node)
            if size is not None:
                check_is_sequence(reader, inner, node)
                return SizeTerm(size, span=node.span)
            body = reader.resolve(inner)
            if isinstance(body, Build):
                return SizeTerm(body.binder.range.extent, span=node.span)
            maps = reader.in_function  # `f(x) \gets |x|` of a vector is that of its elements
            is_one = not maps or any(map(is_array_letter, identifiers(inner)))
            return Elementwise("abs", (body,), "|" if is_one else "", span=node.span)
        case "||", (inner,):
            return resolve_norm(reader, inner, (), node.span)
        case ("floor" | "ceil") as kind, (inner,):
            return Elementwise(kind, (reader.resolve(inner),), span=node.span)
        case "angle", (left, right):
            return Product(r"\langle", reader.resolve(left), reader.resolve(right), span=node.span)
        case _:
            raise unsupported(
                "this kind of bars",
                node.span,
                help=r"bars are `|x|`, `\lVert x \rVert`, `\lfloor x \rfloor`, `\lceil x \rceil` and `\langle x, y \rangle`",
            )


def check_is_sequence(reader: Reader, inner: ast.Expression, node: ast.Bars) -> None:
    """The bars around a plain vector of reals can be its length or its absolute values; around a square matrix, its determinant."""
    part = find_array(reader, inner)
    if part is None:
        return
    symbol, is_bound, element = part.symbol, bool(part.positions) or _is_bound(reader, inner), find_element(part.symbol.element)
    lowers = symbol.lowers[axis_of(part, 0) :] if is_bound else symbol.lowers
    rank = rank_of(symbol.shape)
    is_family = any(lower is not None for lower in lowers) and (is_bound or rank != 1)
    if is_family or element is Element.INTEGER or not is_bound and not symbol.declared:
        return
    if not is_bound and rank == 2 and element is Element.REAL and len(set(expand(symbol.shape).prefix)) == 1:
        raise undecided(BARS_AROUND_A_MATRIX, node.span, what=f"the square matrix `{symbol.latex}`", inner=symbol.latex)
    if not is_bound and rank == 2 and element is Element.REAL and is_array_letter(symbol.spelling):
        reader.findings.note(ROWS_OF_A_MATRIX, f"|{symbol.latex}|", node.span)
    left = None if rank is None else rank - sum(not isinstance(position, Whole) for position in part.positions)
    if left == 1 and element is Element.REAL or is_bound and left in (None, 1):
        name = readable(spelling_of(inner) or NO_NAME) if is_bound else symbol.latex
        raise undecided(BARS_AROUND_A_VECTOR, node.span, what=f"the vector `{name}`", inner=name)


def is_computed(reader: Reader, node: ast.Expression) -> bool:
    """Whether a name stands for a value that is no sequence as it is written: its shape decides whether it has an absolute value."""
    part = find_array(reader, node)
    if _is_bound(reader, node):
        return False
    symbol = None if part is None else part.symbol
    return symbol is not None and symbol.role is Role.VALUE and not (symbol.declared or symbol.is_sequence or symbol.lowers)


def _is_bound(reader: Reader, node: ast.Expression) -> bool:
    """Whether a name stands for an argument of a function, or for an element of what a comprehension runs over."""
    return reader.find_bound(spelling_of(node) or NO_NAME) is not None
