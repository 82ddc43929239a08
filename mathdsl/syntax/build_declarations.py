"""Comma lists of headers, `where` rows and domains to declarations and ranges."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import MathdslError, ambiguous, error
from mathdsl.diagnostics.readings import notation
from mathdsl.spans import Span
from mathdsl.syntax.build_names import place
from mathdsl.syntax.display.tex import render_expression
from mathdsl.syntax.nodes import (
    Accent,
    Binary,
    Declaration,
    Dots,
    Expression,
    Fraction,
    Group,
    Hole,
    Identifier,
    Indexing,
    Keyword,
    ListDisplay,
    Negative,
    Number,
    Relation,
    Root,
    Scripts,
    SetDisplay,
)
from mathdsl.syntax.traversal import descendants


@dataclass(frozen=True, slots=True)
class Declared:
    """One comma item of a header or row: an expression, perhaps a type after a colon, flags."""

    item: Expression
    type: Expression | None
    flags: tuple[str, ...]
    span: Span
    said: str = ""  # what words beside it say of it alone


def group_ranges(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    r"""`t = 1, \dots, L, j = 1, \dots, i` as two relations whose right sides are lists."""
    ranges: list[Expression] = []
    at = 0
    while at < len(items):
        end = range_end(items, at)
        ranges.append(as_range(items[at:end]))
        at = end
    return tuple(ranges)


def loop_ranges(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    r"""The ranges of a loop's header, where a name ends one behind a comma too: `j = 1, V` is `j = 1, \dots, V`."""
    match items:
        case (Relation(("=",)) as first, last) if not isinstance(last, Relation | Number | Dots):
            return group_ranges((first, Dots(span=last.span), last))
        case _:
            return group_ranges(items)


def is_comparison(item: Expression) -> bool:
    r"""Whether this is a condition, `j \neq i`, and no range: `1 \leq j \leq n`."""
    return isinstance(item, Relation) and item.operators in (("<",), (">",), (r"\leq",), (r"\geq",), (r"\neq",))


def shared_ranges(ranges: tuple[Expression, ...]) -> tuple[Expression, ...]:
    r"""`i, j \in \{1, \dots, n\}`: indices that only a comma parts from a range have it too."""
    found: list[Expression] = []
    for item in reversed(ranges):
        match item, found[:1]:
            case Identifier(), [Relation(operators=("=" | r"\in" as operator,), operands=(Identifier(), bounds))]:
                found.insert(0, Relation((operator,), (item, bounds), span=item.span))
            case _:
                found.insert(0, item)
    return tuple(found)


def range_end(items: tuple[Expression, ...], start: int) -> int:
    r"""Where the range that starts at `start` ends: one item after its `\dots`, or behind its last number, `l = 1, 2`."""
    first = items[start]
    if not _is_equation(first):
        return start + 1
    for at in range(start + 1, len(items)):
        if isinstance(items[at], Dots):
            return min(at + 2, len(items))
        if isinstance(items[at], Relation):
            break
    numbers = takewhile(_is_integer, items[start + 1 :]) if isinstance(first, Relation) and _is_integer(first.operands[1]) else ()
    return start + 1 + sum(1 for _ in numbers)


def _is_integer(item: Expression) -> bool:
    return isinstance(item, Number) and item.text.isdigit()


def _is_equation(item: Expression) -> bool:
    return isinstance(item, Relation) and item.operators == ("=",)


def as_range(items: tuple[Expression, ...]) -> Expression:
    r"""One range: its items are `t = 1`, `\dots`, `L`, or `l = 1`, `2`, or a single condition."""
    first = items[0]
    if len(items) == 1 or not isinstance(first, Relation):
        return first
    if not any(isinstance(item, Dots) for item in items):
        letter, values = first.operands[0], (first.operands[1], *items[1:])
        _check_two(letter, values, place(items))
        return Relation((r"\in",), (letter, SetDisplay(values, span=place(values))), span=place(items))
    listed = ListDisplay((first.operands[1], *items[1:]), span=place((first.operands[1], items[-1])))
    return Relation(first.operators, (first.operands[0], listed), span=place(items))


def _check_two(letter: Expression, values: tuple[Expression, ...], span: Span) -> None:
    r"""Refuse `l = 1, 5`, which can be all from 1 to 5, or these two."""
    match values:
        case (Number(first), Number(last)) if int(last) != int(first) + 1:
            name = render_expression(letter)
            raise MathdslError(ambiguous(notation.TWO_NUMBERS_OF_A_RANGE, span, letter=name, first=first, last=last))
        case _:
            pass


# ---- elements that are listed ------------------------------------------------------------------


def listed_elements(items: tuple[Expression, ...], array: Expression | None = None) -> Declaration | None:
    r"""What `x_1, \dots, x_n` says of `x`, as the row `x_i, i = 1, \dots, n` without a type; None for another list, or of another array."""
    match items:
        case (Scripts(base, before, None) as first, *between, Dots(), Scripts(base=other, subscripts=(*_,) as after, superscript=None)):
            pass
        case _:
            return None
    apart = [at for at, (one, last) in enumerate(zip(before, after, strict=False)) if one != last]
    if base != other or len(before) != len(after) or len(apart) != 1 or not (array is None or array == base):
        return None
    if any(not isinstance(item, Scripts) or item.base != base for item in between):
        return None
    at = apart[0]
    taken = {node.text for item in items for node in descendants(item) if isinstance(node, Identifier)}
    letter = Identifier(next(letter for letter in "ijktlmrs" if letter not in taken), span=first.span)
    ends = ListDisplay((before[at], Dots(span=first.span), after[at]), span=place(items))
    element = Scripts(base, (*before[:at], letter, *before[at + 1 :]), span=first.span)
    return Declaration((element,), ranges=(Relation(("=",), (letter, ends), span=place(items)),), span=place(items))


def list_of_elements(item: Expression) -> Declaration | None:
    r"""The same of `x = (x_1, \dots, x_n)`, with the type of an element where that of `x` follows: `\in \mathbb{R}^{n \times d}`."""
    match item:
        case Relation(("=",), (array, row)):
            return listed_elements(_listed_in(row), array)
        case Relation(("=", r"\in"), (array, row, type_)):
            listed = listed_elements(_listed_in(row), array)
            element = None if listed is None else _element_type(type_, listed)
            return None if listed is None or element is None else replace(listed, type=element, span=item.span)
        case _:
            return None


def _listed_in(row: Expression) -> tuple[Expression, ...]:
    r"""The items of `(x_1, \dots, x_n)`, `[x_1, \dots, x_n]^\top`."""
    match row:
        case Group(items) | ListDisplay(items):
            return items
        case Scripts((Group(items) | ListDisplay(items)), (), Identifier(r"\top" | r"\intercal" | "T")):
            return items
        case _:
            return ()


def _element_type(type_: Expression, listed: Declaration) -> Expression | None:
    r"""The `\mathbb{R}^d` of `\mathbb{R}^{n \times d}` for elements that are counted from 1 to `n`."""
    match listed.ranges, type_:
        case (Relation(operands=(_, ListDisplay((Number("1"), _, end)))),), Scripts(base, (), exponent) if exponent is not None:
            rest = _without_first(exponent, end)
            return base if rest == () else None if rest is None else replace(type_, superscript=rest[0])
        case _:
            return None


def _without_first(exponent: Expression, first: Expression) -> tuple[Expression, ...] | None:
    r"""The axes `k \times d` of `n \times k \times d`; nothing of `n` alone, None where another size stands first."""
    match exponent:
        case Binary(r"\times", left, right):
            rest = _without_first(left, first)
            return None if rest is None else (right,) if rest == () else (replace(exponent, left=rest[0]),)
        case _:
            return () if exponent == first else None


def with_type(listed: Declaration, element: Expression, type_: Expression) -> Declaration | None:
    r"""The row with the type of its elements, given for `x_t` under a letter of its own."""
    match listed, element:
        case (
            Declaration((Scripts(base, before),), ranges=(Relation(operands=(letter, ends)),)),
            Scripts(other, after, None),
        ) if base == other and len(before) == len(after):
            renamed = [one for was, one in zip(before, after, strict=True) if was == letter]
            if len(renamed) != 1:
                return None
            range_ = Relation(("=",), (renamed[0], ends), span=ends.span)
            return replace(listed, symbols=(element,), type=type_, ranges=(range_,), span=place((listed, type_)))
        case _:
            return None


# ---- headers -----------------------------------------------------------------------------------


def build_header(declared: tuple[Declared, ...]) -> tuple[Declaration, ...]:
    """Each item carries its own type; a range belongs to the item before it."""
    items = tuple(entry.item for entry in declared)
    found: list[Declaration] = []
    at = 0
    while at < len(declared):
        if (run := listed_run(items, at)) is not None:
            found.append(run[0])
            at = run[1]
            continue
        end = range_end(items, at)
        is_range = end > at + 1 or (at > 0 and _is_bounds(items[at]))
        if is_range and found:
            last = found.pop()
            ranges = (*last.ranges, as_range(items[at:end]))
            span = place((last, declared[end - 1]))
            flags = last.flags + tuple(flag for entry in declared[at:end] for flag in entry.flags)
            found.append(Declaration(last.symbols, last.type, last.default, last.initialiser, ranges, flags, span=span))
        else:
            found.append(_header_item(declared[at]))
            end = at + 1
        at = end
    return tuple(found)


def listed_run(items: tuple[Expression, ...], at: int) -> tuple[Declaration, int] | None:
    r"""What `x = (x_1, \dots, x_n)`, with the type of an element behind it or not, or `x_1, \dots, x_n` says, and where it ends."""
    items = tuple(map(_by_subscripts, items))
    listed = list_of_elements(items[at])
    if listed is not None and listed.type is not None:
        return listed, at + 1
    if listed is not None:
        match items[at + 1 : at + 2]:
            case (Relation((r"\in",), (element, type_)),) if (typed := with_type(listed, element, type_)) is not None:
                return typed, at + 2
            case _:
                return listed, at + 1
    dots = next((k for k in range(at + 1, min(at + 4, len(items))) if isinstance(items[k], Dots)), None)
    if dots is None or dots + 1 >= len(items):
        return None
    match items[dots + 1]:
        case Relation((r"\in",), (last, type_)):
            listed = listed_elements((*items[at : dots + 1], last))
            typed = listed and with_type(listed, listed.symbols[0], type_)
            return None if typed is None else (typed, dots + 2)
        case last:
            listed = listed_elements((*items[at : dots + 1], last))
            return None if listed is None else (listed, dots + 2)


def _by_subscripts(item: Expression) -> Expression:
    r"""`x_0` for `x[0]`, also before its type: elements that a row lists are declared in either way."""
    match item:
        case Relation((r"\in",), (Indexing() as element, type_)):
            return replace(item, operands=(_element(element), type_))
        case _:
            return _element(item)


def join_listed(rows: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    r"""The rows of a table, where one that lists the elements of `x` has the type that another gives `x_t`."""
    found = list(rows)
    for listed in rows:
        if listed.parts or not listed.ranges:
            continue
        for at, row in enumerate(found):
            typed = with_type(listed, row.symbols[0], row.type) if row.type is not None and not row.ranges else None
            if typed is not None:
                found[at] = replace(row, symbols=typed.symbols, ranges=typed.ranges)
                found.remove(listed)
                break
    return tuple(found)


def take_elements(inputs: tuple[Declaration, ...]) -> tuple[tuple[Declaration, ...], tuple[Declaration, ...]]:
    r"""The inputs with `x` for `x_i \in \mathbb{R}, i = 1, \dots, n`, and these rows."""
    families = [family_of(item) if len(item.symbols) == 1 else None for item in inputs]
    plain = tuple(
        item if family is None else Declaration((family,), flags=item.flags, span=item.span)
        for item, family in zip(inputs, families, strict=True)
    )
    return plain, tuple(item for item, family in zip(inputs, families, strict=True) if family is not None)


def family_of(row: Declaration) -> Expression | None:
    r"""The `x` of `x_t \in \mathbb{R}^d, t = 1, \dots, T`, and of `x_{ij}` with ranges for `i` and `j`."""
    bound = [operand for one in row.ranges if isinstance(one, Relation) for operand in one.operands]
    match row.symbols:
        case (Scripts(base, (_, *_) as subscripts, None),) if all(index in bound or _side_by_side(index, bound) for index in subscripts):
            return base
        case _:
            return None


def _side_by_side(item: Expression, bound: list[Expression]) -> bool:
    """Whether a subscript is a word of letters that have ranges: `ij`."""
    return isinstance(item, Identifier) and not item.font and all(Identifier(letter) in bound for letter in item.text)


def _is_bounds(item: Expression) -> bool:
    return isinstance(item, Relation) and not {r"\in", "=", r"\sim"} & set(item.operators)


def _header_item(entry: Declared) -> Declaration:
    if isinstance(entry.item, Keyword):
        return Declaration((entry.item.name,), entry.type, entry.item.value, flags=entry.flags, span=entry.span)
    symbol, parts = _parts(entry)
    return Declaration((symbol,), parts[0], parts[1], parts[2], flags=entry.flags, span=entry.span)


def _parts(entry: Declared) -> tuple[Expression, tuple[Expression | None, Expression | None, Expression | None]]:
    r"""Symbol, and type, default, initialiser of `x \in T = v \sim D`, each at most once and in this order."""
    if not isinstance(entry.item, Relation):
        return entry.item, (entry.type, None, None)
    order = {r"\in": 0, "=": 1, r"\sim": 2}
    parts: list[Expression | None] = [entry.type, None, None]
    last = -1 if entry.type is None else 0
    for operator, operand in zip(entry.item.operators, entry.item.operands[1:], strict=True):
        rank = order.get(operator, -1)
        if rank <= last:
            raise MathdslError(
                error(
                    "E0227",
                    f"`{operator}` has no place here in a declaration",
                    operand.span,
                    help=r"a declaration is `symbol \in type = default \sim initialiser`",
                )
            )
        parts[rank] = operand
        last = rank
    return entry.item.operands[0], (parts[0], parts[1], parts[2])


# ---- rows of tables ----------------------------------------------------------------------------


def _in_two_rows(item: Expression) -> str:
    r"""What to write for a row with more behind an equation; for a list of elements, `\mathcal{X} = (x_1, \dots, x_n)`, the one row."""
    match item:
        case Relation(("=",), (whole, Group((Scripts(base=base), *_) as listed))) if any(isinstance(one, Dots) for one in listed):
            name, element = render_expression(whole), render_expression(base)
            row = rf"{element}_i \in …, i = 1, \dots, n"
            return rf"declare the elements alone, `{row}`, write `{element}` for `{name}`, and sum over `i`, as in `\sum_{{i=1}}^{{n}}`"
        case _:
            return r"write two rows, each ended by `\\`"


def build_row(declared: tuple[Declared, ...], description: str, span: Span) -> Declaration:
    """The type holds for all symbols before it; what follows are ranges."""
    items = tuple(entry.item for entry in declared)
    run = listed_run(items, 0) if declared else None
    if run is not None and run[1] == len(declared):
        return replace(run[0], flags=tuple(flag for entry in declared for flag in entry.flags), description=description, span=span)
    at = next((index for index, entry in enumerate(declared) if isinstance(entry.item, Relation) or entry.type is not None), None)
    flags = tuple(flag for entry in declared for flag in entry.flags)
    if at is None:
        _check_symbols(declared)
        return Declaration(tuple(entry.item for entry in declared), flags=flags, description=description, span=span)
    entry = declared[at]
    match entry.item:
        case Relation((r"\subseteq",), (left, right)):
            whole = Relation((r"\subseteq",), (Hole(span=right.span), right), span=right.span)
            entry = replace(entry, item=left, type=whole)
        case _:
            pass
    ranges = shared_ranges(group_ranges(tuple(other.item for other in declared[at + 1 :])))
    if at and range_end(items, at) > at + 1:
        _check_symbols(declared[:at])
        ranges = shared_ranges(group_ranges(items[at:]))
        return Declaration(items[:at], ranges=ranges, flags=flags, description=description, span=span)
    if isinstance(entry.item, Relation) and entry.item.operators[0] not in (r"\in", r"\sim"):
        if at or ranges:
            raise MathdslError(error("E0227", "a row relates sizes or declares symbols, not both", span, help=_in_two_rows(entry.item)))
        match entry.item:
            case Relation(("=",), (symbol, value)) if is_symbol(symbol) and is_real(value):
                return Declaration((symbol,), default=value, flags=flags, description=description, span=span)
            case _:
                pass
        return Declaration((), flags=flags, relation=entry.item, description=description, span=span)
    symbol, parts = _parts(entry)
    before = declared[:at]
    _check_symbols(before)
    symbols = tuple(_element(symbol) for symbol in (*(other.item for other in before), symbol))
    return Declaration(symbols, *parts, ranges=ranges, flags=flags, description=description, span=span)


def is_symbol(node: Expression) -> bool:
    r"""Whether this is a name, with indices or not: `\hat{x}_t`, `x^{(0)}`, but not `x^2`."""
    match node:
        case Identifier():
            return True
        case Scripts(base, superscript=None | Group((Identifier() | Number(),))) | Accent(_, base):
            return is_symbol(base)
        case _:
            return False


def is_real(value: Expression) -> bool:
    r"""Whether this is a number that is no size as it is written: `0.9`, `10^{-5}`, `\frac{1}{2}`, `2 \pi`, but neither `64` nor `2 n`."""
    parts = (value, *descendants(value))
    if any(isinstance(part, Identifier) and part.text != r"\pi" for part in parts):
        return False
    return any(
        isinstance(part, Identifier | Negative | Fraction | Root)
        or isinstance(part, Binary)
        and part.operator == "/"
        or isinstance(part, Number)
        and not part.text.isdigit()
        for part in parts
    )


def _element(symbol: Expression) -> Expression:
    """What a row declares by its elements: `w[n]` as `w_n`."""
    return Scripts(symbol.base, symbol.items, span=symbol.span) if isinstance(symbol, Indexing) else symbol


def _check_symbols(declared: tuple[Declared, ...]) -> None:
    for entry in declared:
        if isinstance(entry.item, Dots | Keyword):
            raise MathdslError(error("E0227", "this declares no symbol", entry.span, help=r"a row is `symbol \in type & description \\`"))
