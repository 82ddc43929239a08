"""A procedure as its statements are executed, with every name defined once: its starts, its families, the core and its equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.control.desugar import (
    InOrder,
    SingleAssignment,
    check_keeps_nothing,
    counting_of,
    declared_sides,
    required,
    whole_boxes,
)
from mathdsl.elaborate.control.elements import Element, Reader
from mathdsl.elaborate.control.indices_above import as_carried
from mathdsl.elaborate.control.loops import extreme, with_boxes
from mathdsl.elaborate.control.regions import Box, Side, is_apart
from mathdsl.elaborate.control.standing import updated_parameters
from mathdsl.elaborate.control.targets import Assigned, assigned_in
from mathdsl.elaborate.core.at_once import with_stores_at_once
from mathdsl.elaborate.core.build import Program, Start, build, check_is_no_element, read_before
from mathdsl.elaborate.core.defined import Proof
from mathdsl.elaborate.core.equations import equations
from mathdsl.elaborate.core.extents import Ends, Typed, hull, polynomials
from mathdsl.elaborate.core.families import are_equations, elements_given, families_of
from mathdsl.elaborate.core.liveness import Flows
from mathdsl.elaborate.core.nodes import author_name, core_reader, unmarked
from mathdsl.elaborate.core.slots import stored_whole, with_slots
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.names import Name, readable, word_of
from mathdsl.elaborate.names.spelling import is_whole_axis
from mathdsl.elaborate.names.usage import Usage, all_names_below
from mathdsl.elaborate.names.versions import Meaning, unread
from mathdsl.elaborate.report import refuse
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression
from mathdsl.syntax.traversal import statements_in


def in_single_assignment(parted: InOrder, source: InOrder, is_whole: bool = False) -> SingleAssignment:
    """The procedure with every name defined once: as the equations that its statements are, or else as they are executed.

    `parted` has its loops in parts, whose order is none of execution; `is_whole`: all arrays are carried.
    """
    if not is_whole and _are_equations(parted):
        with suppress(MathdslError):
            return replace(executed(parted, all_families=True), disorder=_disorder(source))
    try:
        return executed(source, is_whole)
    except MathdslError as error:
        with suppress(MathdslError):
            return replace(executed(source, all_families=True), disorder=error)
        raise


def _are_equations(source: InOrder) -> bool:
    """Whether statements define each element once, and no branch decides which."""
    procedure, reader = source.named.procedure, core_reader(source.reader)
    body = with_boxes(procedure.body)
    given = frozenset(Usage.inputs_of(procedure)) | updated_parameters(procedure, reader, required(source.tables))
    return not any(isinstance(node, ast.If) for node in statements_in(body)) and are_equations(
        list(assigned_in(reader, body, frozenset())), given
    )


def _disorder(source: InOrder) -> MathdslError | None:
    """The mistake of a read that stands before the store of what it reads, in statements that are equations otherwise."""
    procedure, reader = source.named.procedure, core_reader(source.reader)
    given = frozenset(Usage.inputs_of(procedure)) | updated_parameters(procedure, reader, required(source.tables))
    stores: dict[Name, list[Assigned]] = {}
    for item in assigned_in(reader, procedure.body, frozenset()):
        stores.setdefault(item.element.head, []).append(item)
    first = elements_given(reader, procedure)
    for head, own in stores.items():
        above, owns = own[0].element.superscript is not None, stores.keys().isdisjoint({unmarked(head)} - {head})
        counts = {len(item.element.places) for item in own}
        if head in given or 0 in counts or len(counts) > 1:
            continue
        proof = Proof(reader, head, above=above, owns_name=owns, first=tuple(first.get(head, ())))
        if (read := next((one for one in proof.too_early(procedure.body) if len(one.places) in counts), None)) is not None:
            return _read_before(read, own)
    return None


def executed(source: InOrder, is_whole: bool = False, all_families: bool = False) -> SingleAssignment:
    """The procedure as equations that mean what its statements do one after the other; raises a `MathdslError` where they mean nothing.

    Arrays are families where that is proved, unless `is_whole`: then all of them are carried; or all, if they are `all_families`.
    """
    procedure, reader = source.named.procedure, core_reader(source.reader)
    given = frozenset(Usage.inputs_of(procedure)) | updated_parameters(procedure, reader, required(source.tables))
    known = frozenset[Name]() if all_families else given | stored_whole(reader, procedure.body, frozenset())
    nests, own = with_stores_at_once(reader, procedure.body, known, {}, of_nests=True)
    body, slots = with_slots(reader, nests, given)
    if body != procedure.body:
        shown = replace(procedure, body=body, shown=procedure.shown or procedure.body)
        source = replace(source, named=replace(source.named, procedure=shown))
    targets = list(assigned_in(reader, body, frozenset()))
    heads = frozenset(item.element.head for item in targets)
    by_elements = {item.element.head for item in targets if not item.element.is_whole}
    candidates = frozenset[Name]() if is_whole or all_families else heads - given - own
    proved = families_of(reader, targets, replace(procedure, body=body), candidates)
    families = (heads & by_elements if all_families else proved) | own
    source = as_carried(source, {unmarked(head) for head in (heads - families) & by_elements})
    return _single(source, reader, given, families, slots)


def _single(
    source: InOrder, reader: Reader, given: Set[Name], families: frozenset[Name], slots: Mapping[Name, Element]
) -> SingleAssignment:
    named, tables = source.named, source.tables
    sides = declared_sides(named.procedure, reader, tables)
    typed = Typed(counting_of(named.procedure, tables), whole_boxes(sides))
    body = named.procedure.body
    targets = list(assigned_in(reader, body, frozenset()))
    flows = Flows(reader)
    assigned = frozenset(item.element.head for item in targets)
    ranged = [node for node in statements_in(body) if isinstance(node, ast.Definition) and node.ranges]
    families |= {split[0].head for node in ranged for target in node.targets if (split := reader.split(target, frozenset())) is not None}
    check_keeps_nothing([item.element for item in targets], tables, frozenset(Usage.inputs_of(named.procedure)))
    whole = {item.element.head for item in targets if item.element.is_whole}
    for item in targets:
        axes = typed.axes.get(item.element.head) if item.element.head in given else None
        _check_is_there(item, axes, item.element.head in whole)
    own = {head: [item for item in targets if item.element.head == head] for head in assigned - given - families}
    parts = {head: items for head, items in own.items() if not all(item.element.is_whole for item in items)}
    hulls = {head: tuple(box) for head, items in parts.items() if (box := hull(items, set(), typed)) is not None}
    boxes = {head: box for head, box in hulls.items() if any(item.element.is_whole for item in own[head])}
    plain, at_once = with_stores_at_once(reader, with_boxes(body), assigned - families, {h: hulls[h] for h in hulls.keys() - boxes.keys()})
    exposed = flows.of_block(plain, frozenset()).exposed
    starts = {head: _start(reader, head, targets, body, typed) for head in sorted(assigned & exposed - given - families)}
    names = {item.element.head: author_name(item.element.name) for item in targets}
    program = Program(reader, given, assigned, families | at_once, starts, flows, names, boxes)
    core = build(program, plain)
    written = frozenset(name for statement in body for name in all_names_below(statement))
    made = equations(program, core, written, slots)
    procedure = replace(named.procedure, body=made, shown=named.procedure.shown or named.procedure.body)
    return SingleAssignment(procedure, Families.of(procedure, *named.wheres), source.letters)


def _check_is_there(item: Assigned, axes: Sequence[Ends] | None, counts_from_one: bool) -> None:
    """Refuse a store of an element that an array, whose axes have these ends or count from 1, does not have."""
    for axis, index in enumerate(item.element.subscripts):
        if is_whole_axis(index):
            continue
        stored = Side(extreme(index, item.inner, -1), extreme(index, item.inner, 1))
        known = axes[axis] if axes and axis < len(axes) else (ast.Number("1", span=index.span), stored.upper)
        if (axes or counts_from_one) and is_apart(Box({0: stored}), Box({0: Side(*known)})):
            help = "give the value a name of its own, or define an array with this element by loops"
            raise refuse("E0303", f"`{readable(item.element.head)}` has no such element", item.element.span, help=help)


def _start(reader: Reader, head: Name, targets: list[Assigned], body: tuple[ast.Statement, ...], typed: Typed) -> Start:
    """What a name is before it is assigned; a mistake where a read of it surely has no value."""
    own = [item for item in targets if item.element.head == head]
    box, value = None, None
    if not any(item.element.is_whole for item in own):
        box = hull(own, {item.element.head for item in targets if item.element.is_whole}, typed)
        if box is None:
            name = readable(head)
            zeros, row = ("{m, n}", r"{m \times n}") if any(len(item.element.places) > 1 for item in own) else ("n", "n")
            help = rf"begin with `{name} \gets \mathbf{{0}}_{zeros}`, or declare it, as in `{name} \in \mathbb{{R}}^{row}`"
            what = f"nothing tells how many elements `{name}` has"
            raise refuse("E0701", what, own[0].element.span, help=help)
        least, _ = typed.integers.get(head, (None, None))
        value = unread(own[0].element.span) if least is None else least
    proof = Proof(reader, head, polynomials(box or ()), is_whole=box is None)
    start = Start(None if box is None else tuple(box), value)
    if (read := next(proof.surely_unwritten(body), None)) is not None:
        check_is_no_element(reader, read, {item.element.head for item in targets})
        raise _read_before(read, own) if read.is_whole or any(proof.too_early(body)) else _no_value(read, own, box)
    if proof.holds(body) or box is None and replace(proof, takes_turns=True).holds(body):
        return start
    hopeful = replace(proof, trusts_indices=True, takes_branches=True)
    late = {one.span for one in proof.too_early(body)}
    for read in hopeful.unproved(body):
        raise _read_before(read, own) if read.span in late else _no_value(read, own, box)
    for read in replace(proof, is_possible=True).unproved(body):
        raise _read_before(read, own)
    flag = ast.Identifier(f"{''.join(filter(str.isalpha, head))}Assigned", "mathrm", span=own[0].element.span)
    return replace(start, flag=replace(own[0].element, name=flag, head=word_of(flag) or head, of_script=True))


def _no_value(read: Element, targets: list[Assigned], box: Sequence[Ends] | None) -> MathdslError:
    """The mistake of a read that no assignment is proved to come before; `box`: the ends of the axes of its array."""
    if all(item.element.span.start > read.span.start for item in targets):
        return _read_before(read, targets)
    name, labels = render_expression(read.written(Meaning(1))), (Label(targets[-1].element.span, "it is assigned here"),)
    zeros = rf", as in `{readable(read.head)} \gets \mathbf{{0}}_{{{', '.join(render_expression(upper) for _, upper in box or ())}}}`"
    advice = "assign it whichever branches are taken, and in every turn that comes before, or give it a value before" + (
        zeros if box else ""
    )
    return refuse("E0509", f"`{name}` may have no value here", read.span, labels=labels, help=advice)


def _read_before(read: Element, targets: list[Assigned]) -> MathdslError:
    """The mistake of a read that no assignment can come before."""
    stored = next((item for item in targets if item.element.span.start > read.span.start), targets[-1])
    return read_before(render_expression(read.written(Meaning(1))), read.span, stored.element.span)
