"""A document, from its AST to an IR program: callees before callers, every mistake in one run."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import Diagnostic, Diagnostics, Label, MathdslError
from mathdsl.elaborate.constants import check_settings, is_number, numbers_for, numbers_in, with_first_lines, without_rows
from mathdsl.elaborate.declare.argument_rows import parameters_of, rows_for, used_names
from mathdsl.elaborate.declare.shadowing import visible_tables
from mathdsl.elaborate.declare.signatures import Function, faulty_signature, signature_of
from mathdsl.elaborate.declare.written import Surroundings
from mathdsl.elaborate.names.apart import tell_scripts_apart
from mathdsl.elaborate.names.classify import Families
from mathdsl.elaborate.names.ellipses import expand_ellipses
from mathdsl.elaborate.names.entries import Entries
from mathdsl.elaborate.names.names import NO_NAME, Name, spelling_of, word_of
from mathdsl.elaborate.names.read_sets import read_sets
from mathdsl.elaborate.names.usage import concerning, mentioned_names, names_below, own_names
from mathdsl.elaborate.procedure import elaborate_function, elaborate_procedure
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.types.infer import Reading
from mathdsl.ir import nodes as ir
from mathdsl.library import find_library
from mathdsl.ops import find_along, find_function
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.traversal import children, declared_rows, descendants

# What passes cannot do with equations, and need not where the statements are executed one after the other.
NO_ORDER = frozenset({"E0501", "E0751", "E0752", "E0753", "E0780"})

# What a statement that could not be read, and is left out, brings about elsewhere in its program.
CONSEQUENCES = frozenset({"E0301", "E0302", "E0305", "E0306", "E0307", "E0405", "E0409", "E0410", "E0503", "E0602", "E0606", "E0701"})


@dataclass(frozen=True)
class Elaborated:
    """The IR of a document, and how each of its programs was read (for tables of symbols)."""

    program: ir.Program
    readings: tuple[Reading, ...]

    @property
    def disorder(self) -> MathdslError | None:
        """Why the statements of a program cannot be executed in their order, though they are equations."""
        found = [reading.disorder for reading in self.readings if reading.disorder is not None]
        return MathdslError(*(diagnostic for error in found for diagnostic in error.diagnostics)) if found else None

    def reference_spans(self) -> dict[tuple[str, str], list[tuple[tuple[object, ...], Span]]]:
        """Where each array of each module is read: (module, array) -> positions and places."""
        found: dict[tuple[str, str], list[tuple[tuple[object, ...], Span]]] = {}
        for types in (reading.types for reading in self.readings):
            for reference in types.terms.references:
                key = types.written.name, types.entries.array_name(reference.symbol)
                found.setdefault(key, []).append((reference.positions, reference.span))
        return found


@dataclass(frozen=True)
class Entry:
    """A procedure, or a top-level function with the tables directly after it."""

    name: Name
    node: ast.Procedure | ast.Definition
    wheres: tuple[ast.Where, ...] = ()


def without_order(document: ast.Document, found: Iterable[Diagnostic]) -> Set[Span]:
    """The procedures, by their place, for whose equations no order was found, though their statements have one."""
    places = [d.span for d in found if d.code in NO_ORDER]
    spans = [item.span for item in document.items if isinstance(item, ast.Procedure) and item.notation != "module"]
    return {span for span in spans if any(span.file == p.file and span.start <= p.start <= span.end for p in places)}


def elaborate_document(document: ast.Document, diagnostics: Diagnostics, executed: Set[Span] = frozenset()) -> Elaborated:
    """The program of a document; mistakes go to `diagnostics`, and what they spoil is left out.

    `executed` are the procedures whose arrays are carried through all their statements.
    """
    aliases: dict[str, str] = {}
    told_apart = tell_scripts_apart(expand_ellipses(document), diagnostics)
    lines: list[ast.Definition] = []
    entries, wheres = _entries(read_sets(told_apart, diagnostics), aliases, lines, diagnostics)
    entries, numbers = _with_numbers(_with_rows(entries, wheres), wheres, lines, diagnostics)
    functions = {e.name: _function(e.node, e.wheres, numbers[e.name]) for e in entries if isinstance(e.node, ast.Definition)}
    around = Surroundings({}, functions, aliases, wheres, diagnostics, executed)
    done: dict[str, tuple[ir.Module, Reading]] = {}
    failed: set[str] = set()
    faulty = [d.span for d in diagnostics.items if d.severity == "error"]
    for entry in _ordered(entries, wheres, diagnostics, failed):
        is_faulty = _is_faulty(entry, wheres, faulty)
        try:
            if entry.name in failed:  # on a cycle of calls
                raise MathdslError()
            module, reading = _elaborate(entry, replace(around, diagnostics=Diagnostics()) if is_faulty else around)
        except MathdslError as error:
            _mark_faulty(entry, around)
            for diagnostic in error.diagnostics:
                if not (is_faulty and _is_consequence(diagnostic, faulty, diagnostics)):
                    diagnostics.add(diagnostic)
            continue
        if is_faulty:
            _mark_faulty(entry, around)
            continue
        done[entry.name] = module, reading
        if isinstance(entry.node, ast.Procedure):
            named = reading.types.entries
            spellings = {named.array_name(s): s.spelling for s in named.symbols.values()}
            around.signatures[entry.name] = signature_of(module, spellings)
        else:
            around.functions[entry.name] = _with_extents(around.functions[entry.name], module, reading.types.entries)
    modules = tuple(done[e.name][0] for e in entries if e.name in done)
    library = _library(modules)
    return Elaborated(ir.Program(modules, library), tuple(done[e.name][1] for e in entries if e.name in done))


def _mark_faulty(entry: Entry, around: Surroundings) -> None:
    """Let callers know that a program has mistakes of its own: a call of it may have any type."""
    if isinstance(entry.node, ast.Procedure):
        around.signatures[entry.name] = faulty_signature(entry.name)
    else:
        around.functions[entry.name] = replace(around.functions[entry.name], is_faulty=True)


def _is_faulty(entry: Entry, wheres: tuple[ast.Where, ...], faulty: list[Span]) -> bool:
    """Whether reading already found a mistake in the program or its tables: what is left of it would give consequences."""
    spans = (entry.node.span, *(where.span for where in (*wheres, *entry.wheres, *getattr(entry.node, "wheres", ()))))
    return any(s.file == b.file and s.start <= b.start <= s.end for s in spans for b in faulty)


def _is_consequence(found: Diagnostic, faulty: list[Span], read: Diagnostics) -> bool:
    """Whether a mistake may come of one that reading found: what was left out may have given a name that nothing declares now."""
    if found.code == "E0510":
        return read.may_bring(found) or _meets(found.span, faulty)
    return found.code in CONSEQUENCES or _meets(found.span, faulty)


def _meets(span: Span, others: list[Span]) -> bool:
    """Whether the place shares a character with another: what was refused there stands in for something that nobody knows."""
    return any(span.file == other.file and span.start < other.end and other.start < span.end for other in others)


def _elaborate(entry: Entry, around: Surroundings) -> tuple[ir.Module, Reading]:
    if isinstance(entry.node, ast.Procedure):
        return elaborate_procedure(entry.node, around)
    return elaborate_function(entry.node, entry.wheres, around)


def _entries(
    document: ast.Document, aliases: dict[str, str], lines: list[ast.Definition], diagnostics: Diagnostics
) -> tuple[list[Entry], tuple[ast.Where, ...]]:
    """The procedures and functions in order, and the tables that hold for all of them; `lines` outside of them name numbers."""
    entries: list[Entry] = []
    shared: list[ast.Where] = []
    last: ast.Node | None = None
    for item in document.items:
        try:
            match item:
                case ast.Procedure(name=name):
                    _add(entries, Entry(Name(name), item), item.name_span)
                case ast.Definition():
                    _top_level(entries, item, aliases, lines)
                case ast.Where():
                    if item.directly_after and isinstance(last, ast.Definition) and entries and entries[-1].node is last:
                        entries[-1] = Entry(entries[-1].name, last, (*entries[-1].wheres, item))
                        continue
                    shared.append(item)
        except MathdslError as error:
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
        last = item
    return entries, tuple(shared)


def _with_rows(entries: list[Entry], shared: tuple[ast.Where, ...]) -> list[Entry]:
    """The top-level functions with the rows for what is only an argument of functions, of the document's tables and of programs'."""
    procedures = [entry.node for entry in entries if isinstance(entry.node, ast.Procedure)]
    own = [row for procedure in procedures for where in procedure.wheres for row in where.rows]
    used = {name for procedure in procedures for name in used_names(procedure)}
    of_document = used - {name for row in own for symbol in row.symbols for name in names_below(symbol)}
    found: list[Entry] = []
    for entry in entries:
        wanted = () if isinstance(entry.node, ast.Procedure) else parameters_of(entry.node)
        known = {name for where in entry.wheres for row in where.rows for symbol in row.symbols for name in names_below(symbol)}
        rows = rows_for(set(wanted) - of_document - known, (row for where in shared for row in where.rows))
        rows += rows_for(set(wanted) - used - known, own)
        found.append(replace(entry, wheres=(*entry.wheres, ast.Where(rows))) if rows else entry)
    return found


def _add(entries: list[Entry], entry: Entry, span: Span) -> None:
    other = next((e for e in entries if e.name == entry.name), None)
    if other is not None:
        raise _defined_twice(entry.name, span, (other.node.name_span if isinstance(other.node, ast.Procedure) else other.node.target.span))
    entries.append(entry)


def _defined_twice(name: Name, span: Span, first: Span) -> MathdslError:
    labels = (Label(first, "defined here first"),)
    return refuse("E0303", f"`{name}` is defined twice", span, labels=labels, help="give one of them another name")


def _with_numbers(
    entries: list[Entry], shared: tuple[ast.Where, ...], lines: list[ast.Definition], diagnostics: Diagnostics
) -> tuple[list[Entry], dict[Name, dict[Name, ast.Expression]]]:
    """The programs with the numbers of the document's lines, and what each function reads of these and of those in tables."""
    procedures = [entry.node for entry in entries if isinstance(entry.node, ast.Procedure)]
    if not lines and len(procedures) == len(entries):
        return entries, {}
    given = numbers_in((*shared, *(where for procedure in procedures for where in procedure.wheres)))
    numbers: dict[Name, dict[Name, ast.Expression]] = {}
    for entry in entries:
        if isinstance(entry.node, ast.Definition):
            own = numbers_in(entry.wheres)
            found = numbers[entry.name] = numbers_for(entry.node, lines, {**given, **own})
            try:
                check_settings(entry.node, given.keys() & found.keys() - own.keys(), procedures)
            except MathdslError as error:
                for diagnostic in error.diagnostics:
                    diagnostics.add(diagnostic)
    read = {name for found in numbers.values() for name in found}
    return [_with_lines(entry, lines, read) for entry in entries], numbers


def _with_lines(entry: Entry, lines: list[ast.Definition], read: Set[Name]) -> Entry:
    if isinstance(entry.node, ast.Definition):
        return entry
    return replace(entry, node=with_first_lines(without_rows(entry.node, read), lines))


def _top_level(entries: list[Entry], node: ast.Definition, aliases: dict[str, str], lines: list[ast.Definition]) -> None:
    name, _ = node.function or (None, ())
    spelling = None if name is None else spelling_of(name)
    if name is not None and spelling is not None:
        _add(entries, Entry(spelling, node), name.span)
        return
    target, value = spelling_of(node.target), word_of(node.value)
    plain = (value or NO_NAME).bare
    if target is not None and (find_function(plain) or find_along(plain)):
        aliases[target] = plain
        return
    named = {spelling_of(line.target): line for line in lines}
    if target is not None and (first := named.get(target)) is not None:
        raise _defined_twice(target, node.target.span, first.target.span)
    if not is_number(node, {name for name in named if name is not None}):
        near = r"write `\Module{Name}{inputs ; parameters}` before it and `\Return … \\ \EndModule` behind it, or move it into its module"
        raise unsupported("a definition of a value outside every module", node.span, help=near)
    lines.append(node)


def _function(node: ast.Definition, wheres: tuple[ast.Where, ...], numbers: dict[Name, ast.Expression]) -> Function:
    if node.function is None:
        return Function(NO_NAME, (), node.value, node.span)
    name, parameters = node.function
    rows = tuple(row for where in wheres for row in where.rows)
    spelling = spelling_of(name) or NO_NAME
    return Function(spelling, parameters, node.value, node.span, families=Families.of(node), rows=rows, numbers=numbers)


def _with_extents(function: Function, module: ir.Module, entries: Entries) -> Function:
    """A function with the axes that its arguments have, and the sizes of them that its body writes."""
    written = names_below(function.body)
    read = {size.name for size in module.sizes if size.kind is ir.SizeKind.RUNTIME and size.value is None}
    names = {entry.name: spelling for spelling, entry in entries.sizes.items() if entry.name in read and spelling in written}
    extents = ((symbol, module.array(entries.array_name(symbol)).ranges) for symbol in entries.flat_inputs)
    found = tuple((symbol.spelling, tuple(bounds.extent for bounds in ranges)) for symbol, ranges in extents)
    return replace(function, extents=found, size_names=names)


# ---- the order of elaboration ----------------------------------------------------------------


def _mentions(node: ast.Node) -> list[Name]:
    r"""The names of modules that a type may hold; the sizes of an array, `\mathbb{R}^{M \times n}`, are none."""
    match node:
        case ast.Identifier(font=font):
            return [] if font == "mathbb" else [Name(node.word)]
        case ast.Scripts(base=ast.Identifier(font="mathbb") | ast.SetDisplay() | ast.ListDisplay()):
            return []
        case _:
            return [name for child in children(node) for name in _mentions(child)]


def _applied(node: ast.Node) -> list[Name]:
    """The names that are applied to something, what stands before other factors and what `\\Call` names, but arguments of functions."""
    found: list[Name] = []
    match node:
        case ast.Definition(function=(_, _), value=value):
            own = parameters_of(node)
            return [name for name in _applied(value) if name not in own]
        case ast.Juxtaposition(factors=(*heads, _)):
            pass
        case ast.Command(name="Call", arguments=((called,), *_)):
            heads = [called]
        case _:
            heads = []
    words = (spelling_of(head.base if isinstance(head, ast.Scripts) else head) for head in heads)
    found.extend(Name(word.bare) for word in words if word is not None)
    return [*found, *(name for child in children(node) for name in _applied(child))]


def _callees(entry: Entry, names: set[Name], shared: tuple[ast.Where, ...]) -> list[Name]:
    """What a program needs to be known before it: the types of what it owns, and what it applies that is not its own."""
    types = _called_types(entry, shared)
    applied = [name for name in _applied(entry.node) if name in names]
    own = {entry.name}
    if applied and isinstance(entry.node, ast.Procedure):
        own = own_names(Families.of(entry.node), entry.node) | _sizes(entry.node)
    return list(dict.fromkeys((*(name for name in applied if name not in own), *(name for name in types if name in names))))


def _sizes(procedure: ast.Procedure) -> set[Name]:
    r"""The names in the shapes of a header and its tables, `M` of `x \in \mathbb{R}^{M}`, which are no modules there."""
    rows = declared_rows(procedure)
    return {name for row in rows if row.type is not None for name in names_below(row.type).difference(_mentions(row.type))}


def _called_types(entry: Entry, shared: tuple[ast.Where, ...]) -> list[Name]:
    """The modules that tables name as types of what a program owns."""
    wheres = entry.node.wheres if isinstance(entry.node, ast.Procedure) else entry.wheres
    rows = [row for where in wheres for row in where.rows]
    if isinstance(entry.node, ast.Procedure):
        shared = visible_tables(entry.node, shared)
    if shared:
        families = Families.of(entry.node)
        words = mentioned_names(families, entry.node)
        concerned = (concerning(families, row, words) for where in shared for row in where.rows)
        rows += [row for row in concerned if row is not None]
    if isinstance(entry.node, ast.Procedure):
        rows += entry.node.owned or ()
    return [name for row in rows if row.type is not None for name in _mentions(row.type)]


def _ordered(entries: list[Entry], shared: tuple[ast.Where, ...], diagnostics: Diagnostics, failed: set[str]) -> list[Entry]:
    """Callees first; a module that reaches itself is an error."""
    by_name = {e.name: e for e in entries}
    order: list[Entry] = []
    state: dict[str, int] = {}
    for root in entries:
        stack: list[tuple[Entry, list[Name]]] = [(root, [])]
        if state.get(root.name):
            continue
        state[root.name] = 1
        stack[0][1].extend(reversed(_callees(root, set(by_name), shared)))
        while stack:
            entry, rest = stack[-1]
            if not rest:
                stack.pop()
                state[entry.name] = 2
                order.append(entry)
                continue
            callee = by_name[rest.pop()]
            if state.get(callee.name) == 1:
                cycle = [e.name for e, _ in stack]
                cycle = [*cycle[cycle.index(callee.name) :], callee.name]
                failed.update(cycle)
                diagnostics.add(_reaches_itself(callee, " → ".join(cycle)))
            elif not state.get(callee.name):
                state[callee.name] = 1
                stack.append((callee, list(reversed(_callees(callee, set(by_name), shared)))))
    return order


def _reaches_itself(callee: Entry, path: str) -> Diagnostic:
    """The refusal of a recursion, or of a function that has the name of the module in which it is defined."""
    node = callee.node
    functions = [one.function[0] for one in descendants(node) if isinstance(one, ast.Definition) and one.function is not None]
    same = next((name for name in functions if isinstance(node, ast.Procedure) and spelling_of(name) == callee.name), None)
    if same is not None and isinstance(node, ast.Procedure):
        what, help_text = f"`{callee.name}` is the name of this module, and of a function in it", "give one of them another name"
        return Diagnostic("E0303", "error", what, same.span, labels=(Label(node.name_span, "the module"),), help=help_text)
    span = node.name_span if isinstance(node, ast.Procedure) else node.span
    help_text = "write the recursion as a recurrence over an index"
    return Diagnostic("E0605", "error", f"`{callee.name}` reaches itself: {path}", span, help=help_text)


def _library(modules: tuple[ir.Module, ...]) -> tuple[ir.Module, ...]:
    own = {m.name for m in modules}
    names = dict.fromkeys(s.callee for m in modules for s in m.submodules if s.callee is not None and s.callee not in own)
    found = [find_library(name) for name in names]
    return tuple(module for module in found if module is not None)
