"""Left sides: which array a statement defines, and where."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.diagnostics.readings.names import POWER_OR_NAME
from mathdsl.elaborate.names.classify import Element, Split, Subscripts, classify, is_transpose
from mathdsl.elaborate.names.lookups import index_scope
from mathdsl.elaborate.names.names import NO_NAME, RESERVED_SYMBOLS, Name, readable, spelling_of, word_of
from mathdsl.elaborate.names.reserved import LETTERS
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.names.versions import without_versions
from mathdsl.elaborate.report import HANDED_ON, refuse, undecided, unsupported
from mathdsl.elaborate.terms.collected import Target
from mathdsl.elaborate.terms.elements import Symbols, check_factors, read_position
from mathdsl.elaborate.terms.ellipsis import read_ellipsis
from mathdsl.elaborate.terms.indices import name_of
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Position, Whole
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression


def named_range(reader: Reader, node: ast.Definition) -> tuple[Range | None, bool]:
    r"""`h \algoEq \cat{h_1, \dots, h_S}`: a name for that range of the family, no definition of its own.

    The second value says that the range is one of a later index, so that the rows are named.
    """
    match node.value:
        case ast.Command(name="cat", arguments=(items,)):
            pass
        case _:
            return None, False
    family = read_ellipsis(reader, items)
    if family is None:
        return None, False
    binder, pattern = family
    inner, outer = unaccent(pattern), unaccent(node.target)
    if not isinstance(inner, ast.Scripts):
        return None, False
    holes = [k for k, item in enumerate(inner.subscripts) if spelling_of(item) == binder.spelling]
    if len(holes) != 1 or holes[0] not in (0, len(inner.subscripts) - 1):
        return None, False
    rest = tuple(item for k, item in enumerate(inner.subscripts) if k not in holes)
    base, subscripts, superscript = (
        (outer.base, outer.subscripts, outer.superscript) if isinstance(outer, ast.Scripts) else (outer, (), None)
    )
    same = word_of(base) == word_of(inner.base) and subscripts == rest and superscript == inner.superscript
    return (binder.range, holes[0] > 0) if same else (None, False)


def read_target(reader: Reader, node: ast.Expression) -> Target | None:
    plain = unaccent(node)
    match plain:
        case ast.Scripts():
            return _scripts_target(reader, plain)
        case ast.Indexing(base=base, items=items):
            head = spelling_of(unaccent(base))
            if head is None:
                raise unsupported("this left side", node.span, help="define a name, or an element of an array")
            return Target(_defined(reader, head, False, len(items), node), tuple(_bracket(reader, item) for item in items))
        case _:
            spelling = spelling_of(plain)
            if spelling is None:
                raise unsupported("this left side", node.span, help="define a name, or an element of an array")
            _check_reserved(spelling, node)
            family = reader.entries.symbols.get((spelling, True))
            if family is not None and family.role is Role.VALUE and (spelling, False) not in reader.entries.symbols:
                return Target(family, ())
            subscripts = reader.families.subscripts.get(spelling, 0)
            is_row = subscripts > 0 and reader.entries.symbols.get((spelling, False)) is not None
            return Target(_defined(reader, spelling, False, subscripts if is_row else 0, node), ())


def _check_reserved(spelling: Name, node: ast.Expression) -> None:
    if spelling in RESERVED_SYMBOLS - LETTERS.keys():
        raise refuse(
            "E0308",
            f"`{spelling}` is reserved",
            node.span,
            help="take another name",
        )


def _bracket(reader: Reader, item: ast.Expression) -> Position:
    if isinstance(item, ast.Relation):
        variable = item.operands[1] if len(item.operands) == 3 else item.operands[0]
        binder = reader.find_binder(name_of(variable))
        assert binder is not None
        return Poly.of(binder.name)
    return _constant_or_index(reader, item)


def _constant_or_index(reader: Reader, item: ast.Expression) -> Position:
    value = read_position(reader, item)
    if isinstance(value, Whole):
        return value
    if not isinstance(value, Poly):
        chosen = r"choose by a condition: `y_i \gets \begin{cases} a & i = k \\ b & \text{otherwise} \end{cases}`"
        if reader.written.base == 0:  # module notation
            advice = f"define all elements, and {chosen}; the arguments of a function stand in parentheses, `f(u, v) \\gets …`"
        else:
            advice = rf"give all elements first values, as in `y_k \gets 0 \quad (k = 1, \dots, m)`, or {chosen}"
        raise unsupported("a computed index on the left side", item.span, help=advice)
    names = value.names & {b.name for b in reader.binders}
    if names and value not in [Poly.of(n) for n in names]:
        raise unsupported(
            "an index expression on the left side", item.span, help="define the element at `t` itself, and shift what is read"
        )
    return value


def _scripts_target(reader: Reader, node: ast.Scripts) -> Target:
    found = classify(reader.families, node, index_scope(reader), Defined(reader))
    if found is None:
        raise unsupported("this left side", node.span, help="define a name, or an element of an array")
    head, index = found.head, found.items if isinstance(found, Element) else ()
    check_factors(reader, readable(head), None, index, node.span)
    if not isinstance(found, Element):
        _check_reserved(head, node)
        return Target(_defined(reader, head, False, 0, node), ())
    positions: list[Position] = [_constant_or_index(reader, item) for item in index]
    if found.above is None:
        return Target(_defined(reader, head, False, len(positions), node), tuple(positions))
    if head not in reader.families.superscripts and (head, True) not in reader.entries.symbols:
        name = readable(head)
        if word_of(found.above) is not None and not is_transpose(found.above):
            raise undecided(POWER_OR_NAME, node.span, written=render_expression(node), name=name)
        raise refuse(
            "E0302",
            f"the left side is a power of `{name}`, which cannot be defined",
            node.span,
            help=f"give the value a name of its own; an element `{name}^{{\\ell}}` needs an index variable elsewhere",
        )
    positions += [Whole()] * (reader.families.subscripts.get(head, 0) - len(positions))
    return Target(_defined(reader, head, True, len(positions), node), (*positions, _constant_or_index(reader, found.above)))


@dataclass(frozen=True)
class Defined(Symbols):
    """What is known of names where they are defined: how their elements are written, and what is defined before."""

    def is_name(self, whole: Name, node: ast.Scripts, items: Subscripts) -> bool:
        return False

    def is_array(self, head: Name) -> bool:
        return (head, False) in self.reader.entries.symbols

    def all_index(self, node: ast.Scripts, split: Split) -> bool:
        if split.items:
            return super().all_index(node, split)
        base = word_of(node.base) or NO_NAME
        is_family = self.is_family(base, len(node.subscripts)) or base in self.reader.families.brackets
        return is_family and all(map(self.is_index, node.subscripts))

    def indexes_above(self, head: Name) -> bool:
        return True

    def is_family(self, head: Name, count: int) -> bool:
        return self.reader.families.subscripts.get(head, 0) >= count


def check_indices(reader: Reader, node: ast.Expression, target: Target) -> None:
    """Refuse a left side that defines one element again at each index of a range, or only elements of a diagonal."""
    for binder in reader.binders:
        count = target.positions.count(Poly.of(binder.name))
        if count == 1 or count == 0 and binder.range.lower == binder.range.upper:
            continue
        written, index = render_expression(without_versions(node)), readable(binder.spelling)
        if count > 1:
            raise unsupported(f"`{index}` twice on the left side", node.span, help=r"give each axis an index of its own, and use `cases`")
        is_given_twice = sum(other.spelling == binder.spelling for other in reader.binders) > 1
        raise refuse(
            "E0303",
            f"`{written}` is defined again at each `{index}`",
            node.span,
            label="" if is_given_twice else f"no index `{index}` here",
            labels=(Label(binder.span, f"the range of `{index}`"),),
            help=f"take one of the two ranges of `{index}` out"
            if is_given_twice
            else f"add the index `{index}` to the left side, or take the range of `{index}` out",
        )


def _defined(reader: Reader, head: Name, has_superscript: bool, subscripts: int, node: ast.Expression) -> Symbol:
    symbol = reader.entries.symbols.get((head, has_superscript))
    if symbol is None:
        if head in reader.entries.submodules:
            raise refuse("E0303", f"`{readable(head)}` is a module already", node.span)
        if head in reader.functions and reader.functions[head].is_own:
            raise refuse("E0303", f"`{readable(head)}` is a function already", node.span, help="give the value a name of its own")
        symbol = Symbol(head, Role.VALUE, has_superscript=has_superscript, subscripts=subscripts, span=node.span, source=Source.DEFINITION)
        return reader.entries.add_symbol(symbol)
    if symbol.role is not Role.VALUE:
        place = (Label(symbol.span, "declared here"),) if symbol.span.file else ()
        raise refuse(
            "E0303",
            f"`{symbol.latex}` is {_a(symbol.role)} and cannot be defined again",
            node.span,
            labels=place,
            help="give the new value a name of its own" + (symbol.role is Role.BUFFER) * f"; to keep it, {HANDED_ON.format(symbol.latex)}",
        )
    symbol.subscripts = max(symbol.subscripts, subscripts)
    return symbol


def _a(role: Role) -> str:
    return {
        Role.INPUT: "an input",
        Role.PARAMETER: "a parameter",
        Role.BUFFER: "a buffer",
        Role.SETTING: "a setting",
        Role.VALUE: "a value",
    }[role]
