"""Values that nothing defines; warnings of what is never used, and of what stands in a group without being mutual recursion."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from mathdsl.diagnostics.model import Diagnostic, Label, MathdslError
from mathdsl.elaborate.names.names import Name, readable, without_version
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, warn
from mathdsl.elaborate.terms.collected import Body
from mathdsl.elaborate.terms.terms import Ref, Term, walk
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.nodes import Range
from mathdsl.spans import Span

WORDS = {Role.INPUT: "input", Role.PARAMETER: "parameter", Role.BUFFER: "buffer", Role.SETTING: "setting"}


def check_references(types: Types, adopted: Collection[Symbol], problems: list[Diagnostic]) -> None:
    """Warn of inputs, parameters and submodules that no statement uses."""
    told = types.findings.diagnostics
    for symbol in types.entries.symbols.values():
        if symbol.role in WORDS and symbol.declared and not symbol.used and not symbol.listed and not problems:
            if symbol not in adopted:
                warn(told, "W0301", f"the {WORDS[symbol.role]} `{symbol.latex}` is never used", symbol.span, "take it out, or use it")
    for entry in types.entries.submodules.values():
        if not entry.used and not problems:
            warn(told, "W0301", f"the submodule `{entry.latex}` is never called", entry.span, "take it out, or call it")


def check_defined(types: Types, terms: Iterable[Term], adopted: Collection[Symbol]) -> None:
    """Refuse the reading of a declared array that no statement defines, though its name is that of something that one defines."""
    defined = {a.symbol for a in types.terms.assignments}.union(adopted)
    for term in terms:
        for read in walk(term):
            if isinstance(read, Ref) and read.symbol.role is Role.VALUE and read.symbol not in defined:
                missing = refuse(
                    "E0503",
                    f"`{read.symbol.latex}` is read, and nothing defines it",
                    read.span,
                    labels=(Label(read.symbol.span, "declared here"),) if read.symbol.span.file else (),
                    help="define it, or name it in the header",
                )
                types.findings.report(missing)
                return


def check_groups(types: Types, body: Body) -> None:
    r"""Warn of definitions in `\begin{group}` that no mutual recursion goes through."""
    if not body.groups:
        return
    reads = _reads(types)
    for group in body.groups:
        for draft in body.drafts:
            inside = group.span.start <= draft.node.span.start and draft.node.span.end <= group.span.end
            for target in draft.targets if inside and draft.node.span.file == group.span.file else ():
                if target is not None and target.symbol not in _reached(target.symbol, reads):
                    warn(
                        types.findings.diagnostics,
                        "W0302",
                        f"`{target.symbol.latex}` takes no part in a mutual recursion",
                        draft.node.target.span,
                        "define it outside the group",
                    )


def check_live(types: Types, body: Body) -> None:
    r"""Warn of values that no result and no check needs: `u_{kk} \gets 1` beside `U \gets A` and `\Return U`."""
    reads = _reads(types)
    results = {term.symbol for value in body.terms for term in walk(value) if isinstance(term, Ref)}
    live = results.union(*(_reached(symbol, reads) for symbol in results))
    named = {without_version(symbol.spelling) for symbol in live}
    for symbol in reads:
        name = without_version(symbol.spelling)
        if name not in named and name.word not in types.written.read and not name.is_own and symbol.span.file:
            named.add(name)
            what = f"the value `{symbol.latex}` is never used"
            warn(types.findings.diagnostics, "W0301", what, symbol.span, "take it out, or return what needs it")


def _reads(types: Types) -> dict[Symbol, set[Symbol]]:
    """The symbols that each value is computed from."""
    reads: dict[Symbol, set[Symbol]] = {}
    for assignment in types.terms.assignments:
        parts = (*walk(assignment.value), *walk(assignment.target)[1:])
        reads.setdefault(assignment.symbol, set()).update(part.symbol for part in parts if isinstance(part, Ref))
    return reads


def _reached(symbol: Symbol, reads: dict[Symbol, set[Symbol]]) -> set[Symbol]:
    """What a symbol needs, directly or through others."""
    found: set[Symbol] = set()
    waiting = list(reads.get(symbol, ()))
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting.extend(reads.get(other, ()))
    return found


def check_common_ranges(types: Types) -> None:
    """Refuse bare sums over axes that begin elsewhere, once it is known where."""
    value = types.solver.value
    for name, first, other, span in types.terms.common_ranges:
        if value(first.lower) != value(other.lower):
            types.findings.report(run_apart(types, name, first, other, span))


def run_apart(types: Types, name: Name, first: Range, other: Range, span: Span) -> MathdslError:
    """Two axes that one index goes along, and that run over other ranges."""
    shown = " and ".join(f"{show_size(types, r.lower)} .. {show_size(types, r.upper)}" for r in (first, other))
    return refuse("E0505", f"the axes that `{name}` indexes run over {shown}", span, help=f"write the range of `{name}`")


def check_sizes_kept(types: Types) -> None:
    """Refuse a value under the name of a size."""
    for spelling, span in types.written.assigned_whole.items():
        size = types.entries.sizes.get(spelling)
        if size is not None and not size.is_fresh and (spelling, False) in types.entries.symbols:
            refused = refuse(
                "E0303",
                f"`{readable(spelling)}` is a size and cannot be assigned",
                span,
                labels=(Label(size.span, "a size here"),) if size.span.file else (),
                help="give the value a name of its own",
            )
            types.findings.report(refused)
