"""The domains of families: what their definitions cover, and the elements that a header gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.names import NO_NAME, Name, without_version
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.bounds import extreme, hull, is_nonnegative
from mathdsl.elaborate.terms.collected import Draft, Target
from mathdsl.elaborate.terms.terms import Binder, SliceIndex, Whole
from mathdsl.elaborate.types.shapes import Shape
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.ir.verifying_reads import surely_meet
from mathdsl.syntax import nodes as ast


@dataclass(frozen=True)
class Adopted:
    """A symbol of the header that is an element of a family: `h_0` of `h_t` at 0."""

    family: Symbol
    symbol: Symbol
    at: Poly

    def order(self) -> int:
        """Where it stands among others."""
        return self.at.constant or 0


def fix_domains(types: Types, drafts: Sequence[Draft]) -> None:
    """Give each defined family the domain that its definitions cover."""
    targets: dict[Symbol, list[tuple[Target, Draft]]] = {}
    for draft in drafts:
        for target in draft.targets:
            if target is not None and draft.names_range is None:
                targets.setdefault(target.symbol, []).append((target, draft))
    for draft in drafts:
        if draft.names_range is not None and not draft.names_rows and draft.targets[0] is not None:
            types.terms.named_ranges[draft.targets[0].symbol] = draft.names_range
    for symbol, found in targets.items():
        symbol.is_sequence = any(_puts_in_a_row(draft.value) for _, draft in found)
        if not _is_single(types, symbol, found):
            continue
        rank = max(len(target.positions) for target, _ in found)
        if symbol.family_ranges is not None or rank == 0:
            continue
        axes = [_axis_domain(types, axis, found) for axis in range(rank)]
        symbol.lowers = [None if axis is None else axis.lower for axis in axes]
        prefix = tuple(types.solver.fresh() if axis is None else axis.extent for axis in axes)
        if not types.shapes.unify(symbol.shape, Shape(prefix, Symbol(NO_NAME, Role.VALUE).shape.rest)):
            raise refuse("E0401", f"`{symbol.latex}` is declared with another shape than it is defined with", symbol.span)


def _puts_in_a_row(value: ast.Expression) -> bool:
    """Whether a value is a sequence as it is written."""
    match value:
        case ast.Comprehension() | ast.SetDisplay() | ast.ListDisplay() | ast.Binary(operator="||") | ast.Command(name="cat" | "br"):
            return True
        case ast.Scripts(base=ast.Group() | ast.ListDisplay() | ast.SetDisplay()) | ast.Indexing(items=(ast.Slice(), *_)):
            return True
        case ast.Group(items=(inner,)):
            return _puts_in_a_row(inner)
        case _:
            return False


def _is_single(types: Types, symbol: Symbol, found: list[tuple[Target, Draft]]) -> bool:
    """Whether a name without indices is defined once; a second definition is reported."""
    whole = [draft for target, draft in found if not target.positions]
    if len(whole) > 1 or whole and len(found) > 1:
        first, second = found[0][1], found[1][1]
        _report_twice(types, symbol, first, second, f"`{symbol.latex}` is defined twice", "give the second value a name of its own")
        return False
    for (one, first), (other, second) in combinations(found, 2):
        if _surely_meet(one, first, other, second):
            what = f"elements of `{symbol.latex}` are defined twice"
            _report_twice(types, symbol, first, second, what, "write ranges that do not meet, or give the second value a name of its own")
            return False
    return True


def _report_twice(types: Types, symbol: Symbol, first: Draft, second: Draft, what: str, help: str) -> None:
    labels = (Label(first.node.target.span, "defined here first"),)
    types.findings.report(refuse("E0303", what, second.node.target.span, labels=labels, help=help))
    types.findings.faulty_names.add(symbol.spelling)


def _surely_meet(one: Target, first: Draft, other: Target, second: Draft) -> bool:
    """Whether two statements define a common element, whatever the sizes."""
    pairs = list(zip(one.positions, other.positions, strict=False))  # a row and an element of it: the row has every element
    if not pairs or first.is_triangle or second.is_triangle:
        return False
    return all(
        isinstance(a, Whole)
        and isinstance(b, Whole)
        or isinstance(a, Poly)
        and isinstance(b, Poly)
        and surely_meet(position_range(a, first.binders), position_range(b, second.binders))
        for a, b in pairs
    )


def _axis_domain(types: Types, axis: int, found: list[tuple[Target, Draft]]) -> Range | None:
    ranges: list[Range] = []
    for target, draft in found:
        position = target.positions[axis] if axis < len(target.positions) else Whole()
        if isinstance(position, Poly):
            ranges.append(position_range(position, draft.binders))
    if not ranges:
        return None
    total = hull(ranges)
    if total is None:
        raise refuse(
            "E0505",
            "the ranges of these definitions cannot be put in order",
            found[0][1].node.target.span,
            help="declare the family with its range in a `where` table",
        )
    return total


def position_range(position: Poly, binders: tuple[Binder, ...]) -> Range:
    """The indices that a position runs over."""
    for binder in binders:
        if position == Poly.of(binder.name):
            return binder.range
    return Range(position, position)


def adopt_elements(types: Types, drafts: Sequence[Draft]) -> list[Adopted]:
    """Header symbols that spell an element of a family (`h_0` beside `h_t`), where it is read so."""
    adopted: list[Adopted] = []
    families = dict.fromkeys(t.symbol for d in drafts for t in d.targets if t is not None and t.positions)
    firsts = {(family.spelling, family.has_superscript): family for family in families}
    versions: dict[tuple[Name, bool], list[Symbol]] = {}
    for family in families:
        key = without_version(family.spelling), family.has_superscript
        if key in firsts and firsts[key].subscripts == family.subscripts:  # else each turn of a loop has a version of its own
            versions.setdefault(key, []).append(family)
    for symbol in list(types.entries.symbols.values()):
        if symbol.role not in (Role.INPUT, Role.PARAMETER, Role.BUFFER):
            continue
        if not symbol.spelling.labels:
            continue
        *labels, index = symbol.spelling.labels  # of `s_{D,0}`, `D` names the family
        for family in versions.get((symbol.spelling.changed(labels=tuple(labels)), symbol.has_superscript), ()):
            at = Poly.of(int(index.text)) if index.is_number else _size_named(types, index)
            if at is None or _defines(drafts, family, at) or not _is_read_at(types, family, at):
                continue
            _check_assigned_once(types, family, symbol)
            adopted.append(Adopted(family, symbol, at))
    for entry in sorted(adopted, key=Adopted.order):
        if not types.is_open(entry.family, 0):
            _extend(types, entry.family, entry.at)
    return adopted


def extend_rows(types: Types, adopted: Iterable[Adopted]) -> list[Adopted]:
    """What the header gives of families that are defined by whole rows, once it is known from where these count."""
    beside = [entry for entry in adopted if not _holds(_domain(types, entry.family), entry.at)]
    for entry in sorted(beside, key=Adopted.order):
        _extend(types, entry.family, entry.at)
    return beside


def _check_assigned_once(types: Types, family: Symbol, symbol: Symbol) -> None:
    """Refuse an element of the header that the program assigns anew: which of its values is the family's, is not told apart."""
    if any(s.spelling != symbol.spelling and without_version(s.spelling) == symbol.spelling for s in types.entries.symbols.values()):
        raise unsupported(
            f"`{symbol.latex}` of the header, assigned anew, as an element of `{family.latex}`",
            symbol.span,
            help="give the header's value another name, and assign the element once",
        )


def _size_named(types: Types, spelling: Name) -> Poly | None:
    entry = types.entries.sizes.get(spelling)
    return None if entry is None else Poly.of(entry.name)


def _defines(drafts: Sequence[Draft], family: Symbol, at: Poly) -> bool:
    for draft in drafts:
        for target in draft.targets:
            if target is None or target.symbol is not family or not target.positions or not isinstance(target.positions[0], Poly):
                continue
            bounds = position_range(target.positions[0], draft.binders)
            if _holds(bounds, at):
                return True
    return False


def _holds(bounds: Range, at: Poly) -> bool:
    """Whether a range surely holds an index, where it is not empty."""
    return at == bounds.lower or bool(is_nonnegative(at - bounds.lower) and is_nonnegative(bounds.upper - at))


def _is_read_at(types: Types, family: Symbol, at: Poly) -> bool:
    """Whether a read of the family with an index variable may reach the element."""
    for reference in types.terms.references:
        symbol, positions, binders = reference.symbol, reference.positions, reference.binders
        if symbol is family and positions and isinstance(positions[0], SliceIndex):
            part = positions[0].range
            if at in (extreme(part.lower, binders, False), extreme(part.upper, binders, True)):
                return True
            continue
        if symbol is not family or not positions or not isinstance(positions[0], Poly):
            continue
        if positions[0] == at or not positions[0].names & {b.name for b in binders} and is_nonnegative(positions[0] - at - 1) is None:
            return True
        low, high = extreme(positions[0], binders, False), extreme(positions[0], binders, True)
        if (
            low is None
            or high is None
            or (is_nonnegative(at - low) is not False and is_nonnegative(high - at) is not False and (low == at or high == at))
        ):
            return True
    return False


def _domain(types: Types, family: Symbol) -> Range:
    """What a family runs over on its first axis."""
    lower = types.lower(family, 0)
    return Range(lower, lower + types.solver.value(types.shapes.split(family.shape, 1).prefix[0]) - 1)


def _extend(types: Types, family: Symbol, at: Poly) -> None:
    """The family's domain with one more element at an end."""
    shape, own = types.shapes.split(family.shape, 1), _domain(types, family)
    total = hull([own, Range(at, at)])
    if total is None:
        return
    whole = family.whole or own
    if total == own:
        at_end = Range(whole.lower, whole.upper - 1) if at == whole.upper else whole
        family.whole = Range(whole.lower + 1, whole.upper) if at == whole.lower else at_end
        return
    family.whole = whole
    family.shape = Shape((total.extent, *shape.prefix[1:]), shape.rest)
    if family.lowers:
        family.lowers[0] = total.lower
    else:
        family.lowers = [total.lower]
