r"""Names that statements assign without an index, and that none of them is a size: `n \gets n + x_i` in a loop to `n`."""

from __future__ import annotations

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names.names import Name, readable, spelling_of
from mathdsl.elaborate.names.spelling import bound_names
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.types.solvers import Types
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def assigned_whole(statements: tuple[ast.Statement, ...], scope: frozenset[Name] = frozenset()) -> dict[Name, Span]:
    """The names that statements assign, and where first: not elements, whose subscripts run."""
    found: dict[Name, Span] = {}
    for statement in statements:
        match statement:
            case ast.Definition(targets=targets, domains=domains):
                inner = scope.union(*map(bound_names, domains))
                for item in targets:
                    spelling = spelling_of(item)
                    if spelling is not None and not _is_indexed(item, inner):
                        found.setdefault(spelling, item.span)
            case ast.For(binding=binding, body=body):
                found = assigned_whole(body, scope | set(bound_names(binding))) | found
            case ast.While(body=body) | ast.EquationGroup(body=body):
                found = assigned_whole(body, scope) | found
            case ast.If(branches=branches, otherwise=otherwise):
                for body in (*(branch.body for branch in branches), otherwise or ()):
                    found = assigned_whole(body, scope) | found
            case _:
                pass
    return found


def _is_indexed(target: ast.Expression, scope: frozenset[Name]) -> bool:
    return isinstance(target, ast.Scripts) and any(spelling_of(item) in scope for item in target.subscripts)


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
