r"""Calls of the author's functions: `f(x) \gets e` is read anew at each call, with the arguments for their names.

Its free names are those of the place where it is written; its arguments hide everything of their names.
"""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.declare.signatures import Function
from mathdsl.elaborate.names.lookups import axis_of, axis_position
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of
from mathdsl.elaborate.names.spelling import axes_of_type, bound_names, identifiers, unaccent
from mathdsl.elaborate.names.usage import names_below
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Applied
from mathdsl.elaborate.terms.elements import named
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Binder, Faulty, NumberTerm, Ref, SizeTerm, SliceIndex, Term, Whole
from mathdsl.elaborate.types.shapes import Shape
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.latex import render_expression

_MOST_EXPANSIONS = 500  # of functions in one program: a chain that calls the next one twice doubles with every link


def call_function(reader: Reader, name: Name, arguments: tuple[Term, ...], span: Span) -> Term:
    """The body of a function with its arguments, read where the function is written."""
    function = reader.functions[name]
    if function.is_faulty:
        reader.findings.calls_faulty = True
        return Faulty(span=span)
    if function in reader.active_functions:
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
    _check_loops(reader, function, span)
    if len(reader.terms.applied) >= _MOST_EXPANSIONS:
        message = f"the functions of this program are put in more than {_MOST_EXPANSIONS} times"
        raise refuse("E0609", message, span, help="make a function that calls others several times a module")
    bound: dict[Name, Term] = {}
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        spelling = spelling_of(parameter)
        if spelling is None or isinstance(parameter, ast.Number) or spelling in bound:
            what = "an argument of a function is a name, and each has its own"
            raise refuse("E0302", what, parameter.span, help=rf"write `{readable(name)}(a, b) \gets …`")
        bound[spelling] = _shared(reader, spelling, argument)
    inside = with_numbers(reader.inside(function, bound), function)
    value = inside.binding(_sizes(inside, function, bound, span)).resolve(function.body)
    reader.terms.applied.append(Applied(function, bound, value, span))
    return value


def with_numbers(reader: Reader, function: Function) -> Reader:
    """A reader of a function's body to which names of the document are the numbers that they stand for."""
    for name, value in function.numbers.items():
        reader = reader.binding([(name, reader.resolve(value))])
    return reader


def _check_loops(reader: Reader, function: Function, span: Span) -> None:
    """A function that is written in a loop and reads its variable has no value outside of the loop."""
    read = set(identifiers(function.body)) - {spelling_of(parameter) for parameter in function.parameters}
    for loop in function.loops:
        lost = next((name for name in bound_names(loop) if name in read), None)
        if lost is not None and not any(loop.span.contains(binder.span) for binder in reader.binders):
            name, variable = readable(function.name), readable(lost)
            raise refuse(
                "E0301",
                f"`{name}` reads `{variable}`, which has no value outside of the loop over it",
                span,
                labels=(Label(function.span, "it is written in the loop"),),
                help=f"give `{name}` an argument for `{variable}`, or call it inside of the loop",
            )


def _sizes(reader: Reader, function: Function, arguments: dict[Name, Term], span: Span) -> list[tuple[Name, Term | Binder]]:
    r"""The sizes in a function's table, as a call gives them: `n` of `x \in \mathbb{R}^n` is the size of the argument."""
    declared = [(name, axes) for row in function.rows for name, axes in _arguments_of(row) if name in arguments]
    names = {name for _, axes in declared for node in axes for name in names_below(node)} - arguments.keys()
    own = sorted(name for name in names if reader.find_size(name) is None)
    sizes: list[tuple[Name, Term | Binder]] = [(name, SizeTerm(reader.types.solver.fresh(), span=span)) for name in own]
    inner = reader.binding(sizes)
    for name, axes in declared:
        _measure(inner, function, name, arguments[name], axes, span)
    return [*sizes, *_read_sizes(reader, function, arguments, set(own), span)]


def _read_sizes(
    reader: Reader, function: Function, arguments: dict[Name, Term], known: set[Name], span: Span
) -> list[tuple[Name, Term | Binder]]:
    r"""The sizes that a function of the document reads off its arguments: `S` of `f(x) \gets \sum_{t=1}^{S} x_t`."""
    fresh = {name: reader.types.solver.fresh() for name, spelling in function.size_names.items() if spelling not in known}
    for name, extents in function.extents if fresh else ():
        argument = arguments[name]
        for axis, extent in enumerate(extents if isinstance(argument, Ref) else ()):
            if isinstance(argument, Ref) and extent.names and extent.names <= fresh.keys():
                size = _axis_size(reader, argument, axis)
                if size is not None and not reader.types.solver.unify(size, extent.substitute(fresh)):
                    message = f"the sizes of the arguments of `{readable(function.name)}` do not fit each other"
                    raise refuse(
                        "E0401", message, span, labels=(Label(function.span, "the function"),), help="check the sizes of what is given"
                    )
    return [(function.size_names[name], SizeTerm(size, span=span)) for name, size in fresh.items()]


def _axis_size(reader: Reader, argument: Ref, axis: int) -> Poly | None:
    """The size of an axis of what is given; None where it has no such axis."""
    symbol, found = argument.symbol, axis_of(argument, axis)
    symbol.shape = reader.types.shapes.split(symbol.shape, found + 1)
    return reader.types.solver.value(symbol.shape.prefix[found]) if found < len(symbol.shape.prefix) else None


def _arguments_of(row: ast.Declaration) -> Iterator[tuple[Name, tuple[ast.Expression, ...]]]:
    r"""What a row declares, with its axes: `x` with `n` and `d` of `x_t \in \mathbb{R}^d, t = 1, \dots, n`."""
    ends: list[ast.Expression] = []
    for item in row.ranges:
        match item:
            case ast.Relation(operands=(_, ast.ListDisplay(items=items) | ast.SetDisplay(items=items))):
                pass
            case _:
                return
        match items:
            case (ast.Number(text="1"), ast.Dots(), last):
                ends.append(last)
            case _:
                return
    for symbol in row.symbols if row.type is not None else ():
        plain = unaccent(symbol)
        yield spelling_of(plain.base if ends and isinstance(plain, ast.Scripts) else plain) or NO_NAME, (*ends, *axes_of_type(row.type))


def _measure(reader: Reader, function: Function, name: Name, argument: Term, axes: tuple[ast.Expression, ...], span: Span) -> None:
    """The sizes of an argument are those that the function's table writes."""
    if not isinstance(argument, Ref):
        if axes:
            raise _of_another_shape(function, name, axes, span)
        return
    if any(not isinstance(position, (Poly, Whole)) for position in argument.positions):
        return
    symbol, given = argument.symbol, sum(isinstance(position, Poly) for position in argument.positions)
    symbol.shape = reader.types.shapes.split(symbol.shape, given + len(axes))
    if symbol.shape.rest is not None:
        reader.types.shapes.unify(symbol.shape, Shape(symbol.shape.prefix))
    shape = reader.types.shapes.known(symbol.shape) or ()
    sizes = [as_poly(reader, axis) for axis in axes]
    found = [shape[axis_of(argument, axis)] for axis in range(len(shape) - given)]
    if len(found) != len(sizes) or not all(s is None or reader.types.solver.unify(f, s) for f, s in zip(found, sizes, strict=True)):
        raise _of_another_shape(function, name, axes, span)


def _of_another_shape(function: Function, name: Name, axes: tuple[ast.Expression, ...], span: Span) -> MathdslError:
    wanted = r" \times ".join(map(render_expression, axes))
    return refuse(
        "E0401",
        f"the argument `{readable(name)}` of `{readable(function.name)}` has another shape than the function's table gives it",
        span,
        label=f"it is declared as {f'`{wanted}`' if wanted else 'a number'}",
        labels=(Label(function.span, "the function"),),
        help=f"give it such a value, as in `[{readable(function.name)}(X_i)]_{{i=1}}^{{n}}` for each row of `X`; or change its row",
    )


def _shared(reader: Reader, spelling: Name, argument: Term) -> Term:
    """An argument that is more than a name gets one, so that it is computed once; so does a slice, whose elements can then be read."""
    match argument:
        case NumberTerm() | SizeTerm():
            return argument
        case Ref(positions=positions) if any(isinstance(position, SliceIndex) for position in positions):
            return Ref(
                reader.temporary(spelling, argument, tuple(reader.binders)),
                tuple(axis_position(b) for b in reader.binders),
                span=argument.span,
            )
        case _:
            return named(reader, spelling, argument)
