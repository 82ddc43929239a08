r"""Calls of the author's functions: `f(x) \gets e` is read anew at each call, with the arguments for their names.

Its free names are those of the place where it is written; its arguments hide everything of their names.
"""

from __future__ import annotations

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.elements import named
from mathdsl.elaborate.indices import as_poly
from mathdsl.elaborate.lookups import axis_of, axis_position
from mathdsl.elaborate.names import readable, spelling_of
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.shapes import rank_of
from mathdsl.elaborate.spelling import bound_names, identifiers, unaccent
from mathdsl.elaborate.terms import Binder, Broken, NumberTerm, Ref, SizeTerm, SliceIndex, Term, Whole
from mathdsl.elaborate.unit import Function, Unit
from mathdsl.elaborate.usage import names_below
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

_MOST_EXPANSIONS = 500  # of functions in one program: a chain that calls the next one twice doubles with every link


def call_function(unit: Unit, name: str, arguments: tuple[Term, ...], span: Span) -> Term:
    """The body of a function with its arguments, read where the function is written."""
    function = unit.functions[name]
    if function.is_broken:
        unit.reaches_broken = True
        return Broken(span=span)
    if function in unit.active_functions:
        raise refuse(
            "E0605", f"the function `{readable(name)}` reaches itself", span, help="write the recursion as a recurrence over an index"
        )
    if len(arguments) != len(function.parameters):
        wanted, given = len(function.parameters), len(arguments)
        raise refuse(
            "E0602",
            f"`{readable(name)}` takes {wanted} argument{'s' if wanted != 1 else ''}, and {given} {'are' if given != 1 else 'is'} given",
            span,
            labels=(Label(function.span, "defined here"),),
            help=f"call it as `{readable(name)}({', '.join(render_expression(p) for p in function.parameters)})`",
        )
    _check_loops(unit, function, span)
    unit.expansions += 1
    if unit.expansions > _MOST_EXPANSIONS:
        message = f"the functions of this program are put in more than {_MOST_EXPANSIONS} times"
        raise refuse("E0609", message, span, help="make a function that calls others several times a module")
    bound: dict[str, Term] = {}
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        spelling = spelling_of(parameter)
        if spelling is None or isinstance(parameter, ast.Number) or spelling in bound:
            what = "an argument of a function is a name, and each has its own"
            raise refuse("E0302", what, parameter.span, help=rf"write `{readable(name)}(a, b) \gets …`")
        bound[spelling] = _shared(unit, spelling, argument)
    with unit.inside(function, bound), unit.binding(_sizes(unit, function, bound, span)):
        return unit.resolve(function.body)


def _check_loops(unit: Unit, function: Function, span: Span) -> None:
    """A function that is written in a loop and reads its variable has no value outside of the loop."""
    read = set(identifiers(function.body)) - {spelling_of(parameter) for parameter in function.parameters}
    for loop in function.loops:
        lost = next((name for name in bound_names(loop) if name in read), None)
        if lost is not None and not any(loop.span.contains(binder.span) for binder in unit.binders):
            name, variable = readable(function.name), readable(lost)
            raise refuse(
                "E0301",
                f"`{name}` reads `{variable}`, which has no value outside of the loop over it",
                span,
                labels=(Label(function.span, "it is written in the loop"),),
                help=f"give `{name}` an argument for `{variable}`, or call it inside of the loop",
            )


def _sizes(unit: Unit, function: Function, arguments: dict[str, Term], span: Span) -> list[tuple[str, Term | Binder]]:
    r"""The sizes in a function's table, as a call gives them: `n` of `x \in \mathbb{R}^n` is the size of the argument."""
    written = [(row, symbol, *_axes(row)) for row in function.rows for symbol in row.symbols]
    names = {name for _, _, ends, axes in written for node in (*ends, *axes) for name in names_below(node)}
    names &= names_below(function.body) - arguments.keys()
    if not names:
        return []
    every = {name for _, _, ends, axes in written for node in (*ends, *axes) for name in names_below(node)} - arguments.keys()
    sizes: list[tuple[str, Term | Binder]] = [(name, SizeTerm(unit.sizes_solver.fresh(), span=span)) for name in sorted(every)]
    with unit.binding(sizes):
        for _, symbol, ends, axes in written:
            plain = unaccent(symbol)
            name = spelling_of(plain.base if ends and isinstance(plain, ast.Scripts) else plain) or ""
            if name in arguments:
                _measure(unit, name, arguments[name], (*ends, *axes), span)
    return sizes


def _axes(row: ast.Declaration) -> tuple[tuple[ast.Expression, ...], tuple[ast.Expression, ...]]:
    r"""What the ranges of a row end with, and the axes of its type: `n`, and `d`, of `x_t \in \mathbb{R}^d, t = 1, \dots, n`."""
    ends: list[ast.Expression] = []
    for item in row.ranges:
        match item:
            case ast.Relation(operands=(_, ast.ListDisplay(items=(ast.Number(text="1"), ast.Dots(), last)))):
                ends.append(last)
            case ast.Relation(operands=(_, ast.SetDisplay(items=(ast.Number(text="1"), ast.Dots(), last)))):
                ends.append(last)
            case _:
                return (), ()
    axes = [] if not isinstance(row.type, ast.Scripts) or row.type.superscript is None else [row.type.superscript]
    while axes and isinstance(axes[0], ast.Binary) and axes[0].operator == r"\times":
        axes[:1] = [axes[0].left, axes[0].right]
    return tuple(ends), tuple(axes)


def _measure(unit: Unit, name: str, argument: Term, axes: tuple[ast.Expression, ...], span: Span) -> None:
    """The sizes of an argument are those that the function's table writes."""
    for axis, written in enumerate(axes):
        size = as_poly(unit, written)
        if size is None or not isinstance(argument, Ref):
            continue
        symbol, found = argument.symbol, axis_of(argument, axis)
        symbol.shape = unit.shapes.split(symbol.shape, found + 1)
        rank, given = rank_of(symbol.shape), len(argument.positions) - sum(isinstance(p, Whole) for p in argument.positions)
        is_other = rank is not None and rank - given != len(axes)
        if is_other or not unit.sizes_solver.unify(unit.sizes_solver.value(symbol.shape.prefix[found]), size):
            what = f"the argument `{readable(name)}` has another shape than the function's table gives it"
            raise refuse("E0401", what, span, labels=(Label(written.span, "declared here"),), help="check the sizes of what is given")


def _shared(unit: Unit, spelling: str, argument: Term) -> Term:
    """An argument that is more than a name gets one, so that it is computed once; so does a slice, whose elements can then be read."""
    match argument:
        case NumberTerm() | SizeTerm():
            return argument
        case Ref(positions=positions) if any(isinstance(position, SliceIndex) for position in positions):
            return Ref(unit.temporary(spelling, argument), tuple(axis_position(b) for b in unit.binders), span=argument.span)
        case _:
            return named(unit, spelling, argument)
