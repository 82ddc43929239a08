"""What a name stands for where it is written: bound, an index variable, an array, a size, a setting."""

from __future__ import annotations

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.diagnostics.readings.ranges import SIZE_OR_ARRAY
from mathdsl.elaborate.names.names import Name, readable, spelling_of, without_version
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.names.symbols import Role, Source, Symbol
from mathdsl.elaborate.report import refuse, undecided
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Binder, Ref, SizeTerm, Term, Whole
from mathdsl.elaborate.types.shapes import SCALAR, expand, unify_elements
from mathdsl.ir.nodes import SettingDeclaration
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def lookup(reader: Reader, spelling: Name, span: Span) -> Term | None:
    """What a spelling stands for in the scopes, innermost first; None where nothing is known of it."""
    term, binder = reader.find_bound(spelling), reader.find_binder(spelling)
    if term is not None:
        return term
    if binder is not None:
        return SizeTerm(axis_position(binder), span=span)
    symbol = reader.find_symbol(spelling)
    if symbol is not None:
        check_is_no_size(reader, symbol, span)
        symbol.used = True
        return Ref(symbol, span=span)
    size = reader.find_size(spelling)
    if size is not None:
        reader.terms.value_sizes.add(size.name)
        return SizeTerm(Poly.of(size.name), span=span)
    if reader.find_submodule(spelling) is not None:
        raise refuse(
            "E0306", f"`{readable(spelling)}` is a module and needs its arguments here", span, help=f"write `{readable(spelling)}(…)`"
        )
    return None


def check_is_no_size(reader: Reader, symbol: Symbol, span: Span) -> None:
    r"""Refuse `\frac{1}{d}` beside elements `d_i` and a size `d` of `x \in \mathbb{R}^{d}`."""
    spelling = without_version(symbol.spelling)
    size = reader.entries.sizes.get(spelling)
    if size is None or size.is_fresh or spelling in reader.written.assigned_whole:
        return
    name = readable(spelling)
    places = ((size.span, f"`{name}` is a size here"), (symbol.span, f"`{name}` has elements here"))
    raise undecided(SIZE_OR_ARRAY, span, labels=tuple(Label(place, what) for place, what in places if place.file), name=name)


def is_word(spelling: Name) -> bool:
    """Whether a name is written with several letters or digits, `Wx`, `x1`: it may be a product of them."""
    return len(spelling) > 1 and spelling[0].isalpha() and spelling.replace("_", "").isalnum() and spelling.is_plain


def neither_name_nor_product(spelling: Name, span: Span, advice: str) -> MathdslError:
    return refuse("E0301", f"`{readable(spelling)}` is neither one name nor a product of known letters", span, help=advice)


def index_scope(reader: Reader) -> set[Name]:
    """The names that index where they stand in a script: index variables, and names bound to them."""
    return set(reader.bound)


def is_indexed(reader: Reader, base: Name, count: int) -> bool:
    """Whether `base` is indexed by that many subscripts elsewhere, or is an array with that many axes."""
    if reader.families.subscripts.get(base, 0) >= count or base in reader.families.brackets:
        return True
    symbols = [reader.find_symbol(base, flag) for flag in (False, True)]
    return any(s is not None and len(expand(s.shape).prefix) >= count for s in symbols)


def find_array(reader: Reader, node: ast.Expression) -> Ref | None:
    """The array, or the part of one, that a bare name stands for."""
    spelling = spelling_of(unaccent(node))
    if spelling is None:
        return None
    term, symbol = reader.find_bound(spelling), reader.find_symbol(spelling)
    if isinstance(term, Ref):
        return term
    return None if symbol is None else Ref(symbol, span=node.span)


def axis_of(part: Ref, number: int) -> int:
    r"""The axis of an array that is axis `number` of a part of it: of `X_{i,\cdot}`, axis 0 is axis 1."""
    whole = [axis for axis, position in enumerate(part.positions) if isinstance(position, Whole)]
    return whole[number] if number < len(whole) else len(part.positions) + number - len(whole)


def shared_setting(reader: Reader, setting: SettingDeclaration, span: Span) -> Term:
    """A setting that a callee needs and nothing gives: the caller's own of that name, passed on."""
    symbol = own_setting(reader, setting)
    if symbol is None:
        made = Symbol(Name(setting.name), Role.SETTING, SCALAR, setting.element, declared=True, latex=setting.latex, span=span)
        symbol = reader.entries.add_symbol(made)
        symbol.description, symbol.interval, symbol.source = setting.description, setting.interval, Source.CALLEE
    symbol.used = True
    return Ref(symbol, span=span)


def own_setting(reader: Reader, setting: SettingDeclaration) -> Symbol | None:
    """The caller's own setting of a callee's setting's name."""
    known = next((s for s in reader.entries.symbols.values() if reader.entries.array_name(s) == setting.name), None)
    if known is not None and known.is_undeclared and reader.types.shapes.unify(known.shape, SCALAR):
        known.role, known.interval = Role.SETTING, setting.interval
        unify_elements(known.element, setting.element)
    return known if known is not None and known.role is Role.SETTING else None


def axis_position(binder: Binder) -> Poly:
    """An index variable as the index of an axis."""
    return Poly.of(binder.name)
