"""Statements: loops become index domains, targets become arrays over what all their statements define."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate import application
from mathdsl.elaborate import resolve as resolving
from mathdsl.elaborate.bounds import extreme, hull, is_nonnegative
from mathdsl.elaborate.ellipsis import read_ellipsis
from mathdsl.elaborate.indices import as_poly, check_box, name_of, read_binding
from mathdsl.elaborate.names import readable, spelling_of, word_of
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.scripts import index_scope, read_position
from mathdsl.elaborate.shapes import Shape
from mathdsl.elaborate.single_assignment.versions import plain_definition
from mathdsl.elaborate.spelling import unaccent
from mathdsl.elaborate.symbols import Role, Symbol
from mathdsl.elaborate.terms import Binder, Broken, Build, CallResult, Position, Stacked, Term, TupleTerm, Whole
from mathdsl.elaborate.unit import Assignment, Function, Unit
from mathdsl.ir.nodes import Origin, Range
from mathdsl.ir.sizes import Poly
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_statement
from mathdsl.syntax.traversal import children, descendants


@dataclass(frozen=True, eq=False)
class Target:
    """One array that a statement defines, and where."""

    symbol: Symbol
    positions: tuple[Position, ...]


@dataclass(frozen=True, eq=False)
class Draft:
    """A statement whose targets are known and whose value is still to be read."""

    targets: tuple[Target | None, ...]
    binders: tuple[Binder, ...]
    value: ast.Expression
    origin: Origin
    node: ast.Definition
    names_range: Range | None = None
    names_rows: bool = False  # `c_t = \\cat{c_{t,1}, …}`: all of each row, so that the family itself is named


@dataclass
class Body:
    """What a procedure's statements come to."""

    drafts: list[Draft] = field(default_factory=list)
    results: list[ast.Return] = field(default_factory=list)
    assertions: list[tuple[ast.Assertion, tuple[Binder, ...]]] = field(default_factory=list)


def read_body(unit: Unit, statements: tuple[ast.Statement, ...], body: Body) -> None:
    """Collect the drafts of all statements; a mistake in one does not hide those of others."""
    for statement in statements:
        try:
            _statement(unit, statement, body)
        except MathdslError as error:
            unit.report(error)
            unit.spoiled |= set(_names_defined(statement))


def _names_defined(statement: ast.Node) -> Iterator[str]:
    """All names on the left sides of a statement and of those inside it."""
    match statement:
        case ast.Definition(target=target) | ast.Sampling(target=target):
            for node in (target, *descendants(target)):
                spelling = spelling_of(node) if isinstance(node, (ast.Identifier, ast.Accent, ast.Scripts)) else None
                if spelling is not None:
                    yield spelling
        case ast.If() | ast.While() | ast.For() | ast.EquationGroup():
            for child in children(statement):
                yield from _names_defined(child)
        case _:
            pass


def _statement(unit: Unit, statement: ast.Statement, body: Body) -> None:
    match statement:
        case ast.Definition():
            _definition(unit, statement, body)
        case ast.Return():
            if body.results:
                raise refuse(
                    "E0606",
                    "a second `\\Return`",
                    statement.span,
                    labels=(Label(body.results[0].span, "the first one"),),
                    help="return a tuple, once, last",
                )
            body.results.append(statement)
        case ast.Assertion():
            body.assertions.append((statement, tuple(unit.binders)))
        case ast.Remark():
            pass
        case ast.EquationGroup(body=inner):
            read_body(unit, inner, body)
        case ast.For(binding=binding, body=inner):
            found = read_binding(unit, binding)
            if found is None:
                raise unsupported("this loop", binding.span, help=r"write `t \in \set{1, \dots, S}`")
            check_box(unit, found[1], binding)
            with unit.within([unit.binder(name_of(found[0]), found[1], found[0].span)]):
                read_body(unit, inner, body)
        case ast.If():
            raise unsupported("a branch of statements", statement.span, help="use `cases` in the value")
        case ast.While():
            raise unsupported("a `while` loop", statement.span)
        case ast.Sampling():
            raise unsupported("sampling", statement.span)
        case _:
            assert_never(statement)


def _definition(unit: Unit, node: ast.Definition, body: Body) -> None:
    if _is_function(node) or _is_size(unit, node) or _is_alias(unit, node):
        return
    binders = _domain_binders(unit, node)
    origin = Origin(unit.statements.get(node.span) or equation_latex(plain_definition(node)), node.span, node.comment, node.tag)
    with unit.within(binders):
        named, rows = _named_range(unit, node)
        target = node.target
        items = target.items if isinstance(target, ast.Group) and len(target.items) > 1 else (target,)
        if len(items) > 1 and _unpacks_modules(unit, node, items):
            return
        targets = tuple(_target(unit, item) for item in items)
        body.drafts.append(Draft(targets, tuple(unit.binders), node.value, origin, node, named, rows))


def equation_latex(node: ast.Definition) -> str:
    """The statement in one line, without its comment."""
    return " ".join(render_statement(replace(node, comment="", tag="")).split()).removesuffix("\\\\").strip()


def _domain_binders(unit: Unit, node: ast.Definition) -> list[Binder]:
    """The index variables of `f[1 \\leq t \\leq L]` and of a trailing domain."""
    found: list[Binder] = []
    written = [i for i in node.target.items if isinstance(i, ast.Relation)] if isinstance(node.target, ast.Indexing) else []
    for item in (*written, *node.domains):
        if isinstance(item, (ast.Identifier, ast.Accent)):
            raise unsupported(r"a domain without its range (`\forall t`)", item.span, help=r"write `(t = 1, \dots, S)`")
        binding = read_binding(unit, item)
        if binding is None:
            raise refuse("E0505", "this is no range of an index", item.span, help=r"write `1 \leq t \leq L` or `(t = 1, \dots, L)`")
        inner = {b.name for b in found}
        if (binding[1].lower.names | binding[1].upper.names) & inner:
            raise unsupported("a range whose bound depends on another index", item.span)
        found.append(unit.binder(name_of(binding[0]), binding[1], binding[0].span))
    return found


# ---- definitions that are no equations -------------------------------------------------------


def _is_function(node: ast.Definition) -> bool:
    match node.target:
        case ast.Juxtaposition(factors=(ast.Identifier() | ast.Accent() | ast.Scripts(), ast.Group())):
            return True
        case _:
            return False


def read_functions(unit: Unit, statements: tuple[ast.Statement, ...]) -> None:
    """Functions that a procedure defines for itself."""
    for statement in statements:
        match statement:
            case ast.Definition(target=ast.Juxtaposition(factors=(name, ast.Group(items=parameters)))) if _is_function(statement):
                spelling = spelling_of(name)
                if spelling is not None:
                    unit.functions[spelling] = Function(spelling, parameters, statement.value, statement.span)
            case ast.EquationGroup(body=inner) | ast.For(body=inner):
                read_functions(unit, inner)
            case _:
                pass


def _is_size(unit: Unit, node: ast.Definition) -> bool:
    """`L \\gets |S|`, `S \\algoEq x.\\sz{1}`: a name for a size."""
    spelling = spelling_of(node.target)
    if spelling is None or node.domains or unit.binders or not isinstance(node.value, (ast.Bars, ast.Attribute, ast.Binary)):
        return False
    if isinstance(node.value, ast.Bars) and node.value.kind != "|" or not _mentions_size(node.value):
        return False
    value = as_poly(unit, node.value)
    if value is None or (spelling, False) in unit.symbols and unit.symbols[spelling, False].role is not Role.VALUE:
        return False
    unit.symbols.pop((spelling, False), None)
    name = unit.size(spelling, node.target.span)
    if not unit.sizes_solver.unify(value, name) and not unit.sizes_solver.define(next(iter(name.names)), value):
        raise refuse("E0404", f"`{readable(spelling)}` is another size already", node.span)
    return True


def _mentions_size(node: ast.Node) -> bool:
    return isinstance(node, ast.Attribute) or isinstance(node, ast.Bars) and node.kind == "|" or any(map(_mentions_size, children(node)))


def _is_alias(unit: Unit, node: ast.Definition) -> bool:
    r"""`\sigma \gets \Sigmoid`."""
    target, value = spelling_of(node.target), word_of(node.value)
    if target is None or value is None or node.domains or unit.binders:
        return False
    if not application.names_builtin(unit, value):
        return False
    unit.aliases[target] = application.plain_name(value)
    return True


def _unpacks_modules(unit: Unit, node: ast.Definition, items: tuple[ast.Expression, ...]) -> bool:
    """`(T_f, T_i) \\gets T_s`: names for the elements of a stack."""
    spelling = spelling_of(node.value)
    if spelling is None or spelling not in unit.submodules:
        return False
    entry = unit.submodules[spelling]
    entry.used = True
    for position, item in enumerate(items):
        name = spelling_of(unaccent(item))
        if name is None:
            raise refuse("E0302", "a module is unpacked into names", item.span)
        first = entry.parts[0].range.lower if entry.parts and entry.parts[0].range is not None else Poly.of(0)
        unit.module_aliases[name] = (spelling, first + position)
    return True


# ---- targets ---------------------------------------------------------------------------------


def _named_range(unit: Unit, node: ast.Definition) -> tuple[Range | None, bool]:
    r"""`h \algoEq \cat{h_1, \dots, h_S}`: a name for that range of the family, no definition of its own.

    The second value says that the range is one of a later index, so that the rows are named.
    """
    match node.value:
        case ast.Command(name="cat", arguments=(items,)):
            pass
        case _:
            return None, False
    family = read_ellipsis(unit, items)
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


def _target(unit: Unit, node: ast.Expression) -> Target | None:
    plain = unaccent(node)
    match plain:
        case ast.Scripts():
            return _scripts_target(unit, plain)
        case ast.Indexing(base=base, items=items):
            head = spelling_of(unaccent(base))
            if head is None:
                raise unsupported("this as a target", node.span)
            return Target(_defined(unit, head, False, len(items), node), tuple(_bracket(unit, item) for item in items))
        case _:
            spelling = spelling_of(plain)
            if spelling is None:
                raise unsupported("this as a target", node.span, help="define a name, or an element of an array")
            _check_reserved(spelling, node)
            family = unit.symbols.get((spelling, True))
            if family is not None and family.role is Role.VALUE and (spelling, False) not in unit.symbols:
                return Target(family, ())
            subscripts = unit.families.subscripts.get(spelling, 0)
            is_row = subscripts > 0 and unit.symbols.get((spelling, False)) is not None
            return Target(_defined(unit, spelling, False, subscripts if is_row else 0, node), ())


def _check_reserved(spelling: str, node: ast.Expression) -> None:
    if spelling in ("e", r"\pi", r"\infty", "I", r"\mathbf{0}", r"\mathbf{1}", r"\sigma", r"\Gamma"):
        raise refuse(
            "E0308",
            f"`{spelling}` is reserved",
            node.span,
            help="declare it in the header or in a `where` table, or take another name",
        )


def _bracket(unit: Unit, item: ast.Expression) -> Position:
    if isinstance(item, ast.Relation):
        variable = item.operands[1] if len(item.operands) == 3 else item.operands[0]
        binder = unit.find_binder(name_of(variable))
        assert binder is not None
        return Poly.of(binder.name)
    return _constant_or_index(unit, item)


def _constant_or_index(unit: Unit, item: ast.Expression) -> Position:
    value = read_position(unit, item)
    if not isinstance(value, Poly):
        raise unsupported("a computed index on the left side", item.span)
    names = value.names & {b.name for b in unit.binders}
    if names and value not in [Poly.of(n) for n in names]:
        raise unsupported(
            "an index expression on the left side", item.span, help="define the element at `t` itself, and shift what is read"
        )
    return value


def _scripts_target(unit: Unit, node: ast.Scripts) -> Target:
    scope = index_scope(unit)
    index = unit.families.index_items(node, scope)
    head = unit.families.head(node, scope) if index else None
    base = word_of(node.base)
    if not index and node.subscripts and base is not None:
        count = len(node.subscripts)
        known = unit.families.subscripts.get(base, 0) >= count or base in unit.families.brackets
        if known and all(as_poly(unit, item) is not None for item in node.subscripts):
            head, index = base, node.subscripts
    if head is None:
        head = spelling_of(ast.Scripts(node.base, node.subscripts)) if node.subscripts else base
    if head is None:
        raise unsupported("this as a target", node.span)
    if not index and node.superscript is None:
        _check_reserved(head, node)
        return Target(_defined(unit, head, False, 0, node), ())
    positions: list[Position] = [_constant_or_index(unit, item) for item in index]
    has_superscript = node.superscript is not None
    if has_superscript and head not in unit.families.superscripts and (head, True) not in unit.symbols:
        name = readable(head)
        raise refuse(
            "E0302",
            f"the left side is a power of `{name}`, which cannot be defined",
            node.span,
            help=f"give the value a name of its own; an element `{name}^{{\\ell}}` needs an index variable elsewhere",
        )
    if has_superscript:
        missing = max(unit.families.subscripts.get(head, 0) - len(positions), 0)
        positions += [Whole()] * missing
        assert node.superscript is not None
        positions.append(_constant_or_index(unit, node.superscript))
    return Target(_defined(unit, head, has_superscript, len(positions) - has_superscript, node), tuple(positions))


def _defined(unit: Unit, head: str, has_superscript: bool, subscripts: int, node: ast.Expression) -> Symbol:
    symbol = unit.symbols.get((head, has_superscript))
    if symbol is None:
        if head in unit.submodules:
            raise refuse("E0303", f"`{readable(head)}` is a module already", node.span)
        symbol = Symbol(head, Role.VALUE, has_superscript=has_superscript, subscripts=subscripts, span=node.span, origin="defined")
        return unit.add_symbol(symbol)
    if symbol.role is not Role.VALUE:
        place = (Label(symbol.span, "declared here"),) if symbol.span.file else ()
        raise refuse(
            "E0303",
            f"`{symbol.latex}` is {_a(symbol.role)} and cannot be defined again",
            node.span,
            labels=place,
            help="give the new value a name of its own",
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


# ---- the domains of families -----------------------------------------------------------------


def fix_domains(unit: Unit, drafts: list[Draft]) -> None:
    """Give each defined family the domain that its definitions cover."""
    targets: dict[Symbol, list[tuple[Target, Draft]]] = {}
    for draft in drafts:
        for target in draft.targets:
            if target is not None and draft.names_range is None:
                targets.setdefault(target.symbol, []).append((target, draft))
    for draft in drafts:
        if draft.names_range is not None and not draft.names_rows and draft.targets[0] is not None:
            unit.named_ranges[draft.targets[0].symbol] = draft.names_range
    for symbol, found in targets.items():
        if not _is_single(unit, symbol, found):
            continue
        rank = max(len(target.positions) for target, _ in found)
        if symbol.family_ranges is not None or rank == 0:
            continue
        axes = [_axis_domain(unit, axis, found) for axis in range(rank)]
        symbol.lowers = [None if axis is None else axis.lower for axis in axes]
        prefix = tuple(unit.sizes_solver.fresh() if axis is None else axis.extent for axis in axes)
        if not unit.shapes.unify(symbol.shape, Shape(prefix, Symbol("", Role.VALUE).shape.rest)):
            raise refuse("E0401", f"`{symbol.latex}` is declared with another shape than it is defined with", symbol.span)


def _is_single(unit: Unit, symbol: Symbol, found: list[tuple[Target, Draft]]) -> bool:
    """Whether a name without indices is defined once; a second definition is reported."""
    whole = [draft for target, draft in found if not target.positions]
    if len(whole) > 1 or whole and len(found) > 1:
        first, second = found[0][1], found[1][1]
        twice = refuse(
            "E0303",
            f"`{symbol.latex}` is defined twice",
            second.node.target.span,
            labels=(Label(first.node.target.span, "defined here first"),),
            help="give the second value a name of its own",
        )
        unit.report(twice)
        unit.tainted.add(symbol)
        return False
    return True


def _axis_domain(unit: Unit, axis: int, found: list[tuple[Target, Draft]]) -> Range | None:
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


def adopt_elements(unit: Unit, drafts: list[Draft]) -> list[tuple[Symbol, Symbol, Poly]]:
    """Header symbols that spell an element of a family (`h_0` beside `h_t`): (family, symbol, index), where it is read so."""
    adopted: list[tuple[Symbol, Symbol, Poly]] = []
    families = {t.symbol for d in drafts for t in d.targets if t is not None and t.positions}
    by_key = {(f.spelling, f.has_superscript): f for f in families}
    for symbol in list(unit.symbols.values()):
        if symbol.role not in (Role.INPUT, Role.PARAMETER, Role.BUFFER):
            continue
        head, _, inner = symbol.spelling.partition("_{")
        family = by_key.get((head, symbol.has_superscript))
        if family is None or not inner.endswith("}"):
            continue
        at = as_poly(unit, ast.Number(inner[:-1])) if inner[:-1].isdigit() else _size_named(unit, inner[:-1])
        if at is None or _defines(drafts, family, at) or not _is_read_at(unit, family, at):
            continue
        adopted.append((family, symbol, at))
        _extend(unit, family, at)
    return adopted


def _size_named(unit: Unit, spelling: str) -> Poly | None:
    entry = unit.sizes.get(spelling)
    return None if entry is None else Poly.of(entry.name)


def _defines(drafts: list[Draft], family: Symbol, at: Poly) -> bool:
    for draft in drafts:
        for target in draft.targets:
            if target is None or target.symbol is not family or not target.positions or not isinstance(target.positions[0], Poly):
                continue
            bounds = position_range(target.positions[0], draft.binders)
            if is_nonnegative(at - bounds.lower) and is_nonnegative(bounds.upper - at):
                return True
            if at == bounds.lower:
                return True
    return False


def _is_read_at(unit: Unit, family: Symbol, at: Poly) -> bool:
    """Whether a read of the family with an index variable may reach the element."""
    for reference in unit.references:
        symbol, positions, binders = reference.symbol, reference.positions, reference.binders
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


def _extend(unit: Unit, family: Symbol, at: Poly) -> None:
    """The family's domain with one more element at an end."""
    shape = unit.shapes.split(family.shape, 1)
    lower = family.lower(0, unit.base)
    upper = lower + unit.sizes_solver.value(shape.prefix[0]) - 1
    total = hull([Range(lower, upper), Range(at, at)])
    if total is None:
        return
    if total == Range(lower, upper):
        family.whole = Range(lower + 1, upper) if at == lower else Range(lower, upper - 1)
        return
    family.whole = Range(lower, upper)
    family.shape = Shape((total.extent, *shape.prefix[1:]), shape.rest)
    if family.lowers:
        family.lowers[0] = total.lower
    else:
        family.lowers = [total.lower]


# ---- values ----------------------------------------------------------------------------------


def read_values(unit: Unit, drafts: list[Draft]) -> None:
    """Read the values of all statements."""
    for draft in drafts:
        if draft.names_range is not None:
            continue
        try:
            unit.origin = draft.origin
            with unit.within(draft.binders):
                value = resolving.resolve_value(unit, draft.value)
            _assign(unit, draft, value)
        except MathdslError as error:
            unit.report(error)


def _is_listed(unit: Unit, value: Term) -> bool:
    """Whether a value is a Python list on the outside."""
    match value:
        case CallResult(call=call, position=position):
            signature = unit.submodules[call.submodule].signature
            return signature is not None and signature.results[position].listed
        case Build(listed=listed) | Stacked(listed=listed):
            return listed
        case _:
            return False


def _assign(unit: Unit, draft: Draft, value: Term) -> None:
    for target, item in zip(draft.targets, value.items if isinstance(value, TupleTerm) else (value,), strict=False):
        if target is not None and all(isinstance(p, Whole) for p in target.positions):
            target.symbol.listed = target.symbol.listed or _is_listed(unit, item)
    if len(draft.targets) == 1:
        target = draft.targets[0]
        assert target is not None
        if isinstance(value, TupleTerm):
            raise refuse(
                "E0409",
                f"`{target.symbol.latex}` gets {len(value.items)} values",
                draft.node.target.span,
                labels=(Label(value.span, "they come from here"),),
                help="unpack them, `(a, b) \\gets …`",
            )
        unit.assignments.append(Assignment(target.symbol, target.positions, draft.binders, value, draft.origin, draft.node.target.span))
        return
    if isinstance(value, Broken):
        return
    if not isinstance(value, TupleTerm) or len(value.items) != len(draft.targets):
        count = len(value.items) if isinstance(value, TupleTerm) else 1
        raise refuse(
            "E0409",
            f"{count} value{'s' if count != 1 else ''} cannot be unpacked into {len(draft.targets)} names",
            draft.node.target.span,
            label=f"{len(draft.targets)} names",
            labels=(Label(value.span, f"{count} value{'s' if count != 1 else ''}"),),
            help="write a name for each value",
        )
    for target, item in zip(draft.targets, value.items, strict=True):
        if target is not None:
            unit.assignments.append(Assignment(target.symbol, target.positions, draft.binders, item, draft.origin, draft.node.target.span))
