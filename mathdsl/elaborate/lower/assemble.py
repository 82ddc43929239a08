"""From a typed program to an IR module: sizes named, kinds decided, equations and initialisers written out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Diagnostic, MathdslError
from mathdsl.elaborate.declare.defaults import initialiser_terms
from mathdsl.elaborate.lower.arrays import define_array
from mathdsl.elaborate.lower.rules import lower_term
from mathdsl.elaborate.lower.state import Lowering
from mathdsl.elaborate.lower.values import coerce
from mathdsl.elaborate.names.entries import SubmoduleEntry
from mathdsl.elaborate.names.names import is_capital, readable
from mathdsl.elaborate.names.python_names import python_stem
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.collected import Assignment
from mathdsl.elaborate.terms.pieces import Piece, may_be_missing, split_cases, triangle, without_last_condition
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Build, CallResult, Faulty, Ref, Stacked, Term, TupleTerm, Undefined, Whole, walk
from mathdsl.elaborate.types.checks import check_references
from mathdsl.elaborate.types.domains import Adopted
from mathdsl.elaborate.types.infer import Reading
from mathdsl.elaborate.types.inference import Inference, infer_term, solve_constraints
from mathdsl.elaborate.types.naming import decide_kinds, name_sizes
from mathdsl.elaborate.types.shapes import Shape, expand, find_element
from mathdsl.elaborate.types.sizes import is_unknown
from mathdsl.elaborate.types.written_shapes import as_declared
from mathdsl.ir import nodes as ir
from mathdsl.ir.names import index_letter
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import element_of
from mathdsl.ops import ELEMENTWISE
from mathdsl.spans import Span

KINDS = {Role.INPUT: ir.Kind.INPUT, Role.PARAMETER: ir.Kind.PARAMETER, Role.BUFFER: ir.Kind.BUFFER, Role.VALUE: ir.Kind.VALUE}


@dataclass
class Assembly:
    """Makes the IR module of one program."""

    reading: Reading
    result: Term
    lowering: Lowering = field(init=False)
    problems: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inference, self.firsts, self.checks = self.reading.inference, self.reading.firsts, self.reading.body.checks
        self.types = self.inference.types

    def module(self) -> ir.Module:
        """The module; raises what is wrong with it."""
        types, written = self.types, self.types.written
        self._settle_scalars()
        name_sizes(types, self.firsts, self.reading.body.terms)
        sizes, runtime = decide_kinds(types)
        self._settle_stacks(runtime)
        self.lowering = Lowering(self.inference, self.firsts, lower_term, runtime)
        given = [s for s in types.entries.flat_inputs if s.spelling in written.size_inputs]
        arrays = {s: self._array(s) for s in (*given, *types.entries.symbols.values()) if s.role in KINDS}
        for assignment in types.terms.assignments:
            try:
                self._assignment(assignment, arrays)
            except MathdslError as error:
                self.problems.extend(error.diagnostics)
        for entry in self.firsts.adopted:
            self._adopt(entry, arrays)
        results = self._results(self.result, [])
        checks = (*(self._check(term, origin) for term, origin in self.checks), *self.lowering.checks)
        owned = [s for s in arrays if s.role in (Role.PARAMETER, Role.BUFFER)]
        parameters = tuple(parameter for s in owned for parameter in self._parameter(s, arrays[s]))
        check_references(types, {entry.symbol for entry in self.firsts.adopted}, self.problems)
        if self.problems:
            raise MathdslError(*self.problems)
        self._refuse_open_sizes(arrays)
        defined = {a.symbol for a in types.terms.assignments} | {entry.family for entry in self.firsts.adopted}
        used = [a for s, a in arrays.items() if s.role is not Role.VALUE or s in defined]
        self._refuse_lengths_by_index((*used, *self.lowering.arrays), sizes)
        settings = [s for s in types.entries.symbols.values() if s.role is Role.SETTING]
        settings.sort(key=lambda s: written.appearances.setting(s.spelling))
        returned = self.reading.body.returned
        return ir.Module(
            name=written.name,
            sizes=sizes,
            settings=tuple(map(self._setting, settings)),
            arrays=(*used, *self.lowering.arrays),
            inputs=tuple(self._input(entry) for entry in types.entries.inputs),
            parameters=parameters,
            submodules=tuple(self._submodule(e, sizes) for e in types.entries.submodules.values()),
            steps=tuple(self.lowering.steps),
            results=results,
            checks=checks,
            is_function=written.is_function,
            python=python_stem(written.name),
            latex=written.latex,
            span=written.span,
            returned=returned if _computes(self.result) else ir.Origin("", returned.span, returned.comment),
        )

    def _refuse_open_sizes(self, arrays: dict[Symbol, ir.Array]) -> None:
        """What no rule gives a size is to be declared."""
        for array in (*arrays.values(), *self.lowering.arrays):
            if any(is_unknown(name) for r in array.ranges for name in r.lower.names | r.upper.names):
                span = array.span if array.span.file else self.types.written.span
                raise refuse(
                    "E0405",
                    f"the size of `{array.latex or array.name}` stays open",
                    span,
                    help=rf"declare it, as in `{array.latex or array.name} \in \mathbb{{R}}^{{d}}`",
                )

    def _refuse_lengths_by_index(self, arrays: Iterable[ir.Array], sizes: tuple[ir.Size, ...]) -> None:
        """What has another length at another value of an index has no shape: `a_i \\gets x_{1:i}`."""
        indices = self.types.entries.axis_names - {size.name for size in sizes}
        for array in arrays:
            names = {name for r in array.ranges for name in r.lower.names | r.upper.names}
            for letter in map(index_letter, sorted(names & indices)):
                what = f"an array whose length depends on the index `{letter}`, as that of `{array.latex or array.name}` does,"
                reduced = rf"reduce its parts where they stand, as in `\sum_{{j=1}}^{{{letter}}} x_j` or `\max(x_{{1:{letter}}})`"
                named = f"what does not depend on `{letter}` can have a name of its own"
                filled = r"the rest can be filled with zeros, as in `a_{i,j} \gets x_j \mathbb{1}[j \leq i]`"
                span = array.span if array.span.file else self.types.written.span
                raise unsupported(what, span, help=f"{reduced}; {named}; {filled}")

    # ---- symbols ----------------------------------------------------------------------------

    def _settle_scalars(self) -> None:
        """Close open shapes: an input is then a scalar, what is owned an error."""
        left_alone = self._left_alone()
        for symbol in self.types.entries.symbols.values():
            known = self.types.shapes.known(symbol.shape)
            if known is None and symbol.role in (Role.PARAMETER, Role.BUFFER) or symbol in left_alone:
                self.problems.append(
                    refuse(
                        "E0405",
                        f"the shape of `{symbol.latex}` stays open",
                        symbol.span,
                        help=f"declare it, as in `{as_declared(self.types, symbol)}`",
                    ).diagnostics[0]
                )
            if known is None:
                self.types.shapes.unify(
                    symbol.shape, replace(symbol.shape, rest=None) if symbol.shape.rest is None else Shape(expand(symbol.shape).prefix)
                )
        if self.problems:
            raise MathdslError(*self.problems)

    def _left_alone(self) -> set[Symbol]:
        """Inputs of open shapes whose elements stand only where a function does not read its argument."""
        given = (t.symbol for call in self.types.terms.applied for t in call.arguments.values() if isinstance(t, Ref) and t.positions)
        found = {symbol for symbol in given if symbol.role is Role.INPUT and self._is_open(symbol)}
        terms = (*(a.value for a in self.types.terms.assignments), *(term for term, _ in self.checks), self.result) if found else ()
        return found - {inner.symbol for term in terms for inner in walk(term) if isinstance(inner, Ref)}

    def _is_open(self, symbol: Symbol) -> bool:
        known = self.types.shapes.known(symbol.shape)
        return known is None or any(is_unknown(name) for size in known for name in self.types.solver.value(size).names)

    def _settle_stacks(self, runtime: Set[str]) -> None:
        """A module called by its type in a loop over a hyperparameter is a stack with an element an iteration."""
        for site in self.types.terms.calls:
            entry = self.types.entries.submodules[site.submodule]
            if not entry.automatic:
                continue
            loops = [b for b in site.binders if not self.types.solver.value(b.range.extent).names & runtime]
            if loops:
                entry.is_stack = True
                entry.parts = [replace(entry.parts[0], range=loops[-1].range)]

    def _array(self, symbol: Symbol) -> ir.Array:
        sizes = self.types.shapes.known(symbol.shape) or ()
        lowers = [self.lowering.lower(symbol, k) for k in range(len(sizes))]
        ranges = tuple(ir.Range(low, low + size - 1) for low, size in zip(lowers, (self.lowering.poly(s) for s in sizes), strict=True))
        found = find_element(symbol.element)
        element = found if isinstance(found, ir.Element) else ir.Element.REAL
        name = self.lowering.array_name(symbol)
        return ir.Array(
            name,
            KINDS[symbol.role],
            element,
            ranges,
            name,
            symbol.latex,
            symbol.listed and symbol.role is Role.INPUT,
            description=symbol.description,
            span=symbol.span,
        )

    def _parameter(self, symbol: Symbol, array: ir.Array) -> Iterator[ir.Parameter]:
        try:
            yield ir.Parameter(array.name, _initialiser_of(self.reading.declared.reader, self.lowering, symbol))
        except MathdslError as error:
            self.problems.extend(error.diagnostics)

    def _input(self, entry: Symbol | tuple[Symbol, ...]) -> ir.Input | tuple[ir.Input, ...]:
        if isinstance(entry, tuple):
            return tuple(self._one_input(s) for s in entry)
        return self._one_input(entry)

    def _one_input(self, symbol: Symbol) -> ir.Input:
        structure = ir.Structure.LIST if symbol.listed else ir.Structure.TENSOR
        return ir.Input(self.lowering.array_name(symbol), structure, symbol.default, symbol.shared, symbol.is_empty)

    def _setting(self, symbol: Symbol) -> ir.SettingDeclaration:
        name = self.types.entries.names.name(symbol.spelling)
        found = find_element(symbol.element)
        element = found if isinstance(found, ir.Element) else ir.Element.REAL
        value = None if symbol.default is None else symbol.default.value
        return ir.SettingDeclaration(name, element, value, symbol.latex, symbol.interval, symbol.description)

    def _submodule(self, entry: SubmoduleEntry, sizes: tuple[ir.Size, ...]) -> ir.Submodule:
        callee = None if entry.signature is None else entry.signature.name
        everything = ir.Range(Poly.of(0), Poly.of(0))
        parts = [
            ir.StackPart(
                everything if part.range is None else self.lowering.range(part.range),
                tuple(
                    (name, self.lowering.poly(value) if isinstance(value, Poly) else self._constant(value))
                    for name, value in part.arguments
                ),
            )
            for part in entry.parts
        ]
        open_names = {n for part in parts for n in part.range.lower.names | part.range.upper.names} - {size.name for size in sizes}
        if open_names:
            spelling = next(readable(size.spelling) for size in self.types.entries.sizes.values() if size.name in open_names)
            raise refuse(
                "E0505",
                f"`{spelling}` indexes `{entry.latex}` here, and has no range",
                entry.span,
                help=r"add it to the row, as in `\ell = 1, \dots, n`",
            )
        return ir.Submodule(entry.path, callee, entry.is_stack, self._in_order(entry, parts), entry.latex, entry.description)

    def _in_order(self, entry: SubmoduleEntry, parts: list[ir.StackPart]) -> tuple[ir.StackPart, ...]:
        """The rows of a stack, each of which begins where another one ends; an opaque module has none."""
        if not parts:
            return ()
        begins = {part.range.lower: part for part in parts}
        first = next((part for part in parts if all(part.range.lower != other.range.upper + 1 for other in parts)), parts[0])
        ordered = [first]
        while len(ordered) < len(parts) and (following := begins.get(ordered[-1].range.upper + 1)) is not None:
            ordered.append(following)
        if len(ordered) < len(parts):
            raise refuse(
                "E0603",
                f"the rows of `{entry.latex}` leave a gap, or share an element",
                entry.span,
                help=r"let each row begin where another one ends, as in `f^1` and `f^{\ell}, \ell = 2, \dots, n`",
            )
        return tuple(ordered)

    def _constant(self, term: Term) -> ir.Setting | ir.Literal:
        value = self.lowering.at(term, ())
        if isinstance(value, ir.IndexValue) and value.value.constant is not None:
            return ir.Literal(value.value.constant)
        if not isinstance(value, (ir.Setting, ir.Literal)):
            raise refuse("E0407", "a setting of a submodule is a number or a setting", term.span)
        return value

    # ---- equations --------------------------------------------------------------------------

    def _assignment(self, assignment: Assignment, arrays: dict[Symbol, ir.Array]) -> None:
        self.lowering.origin = replace(assignment.origin, indices=len(assignment.positions))
        pieces = split_cases(self.types, assignment.value, assignment.binders)
        partial = any(isinstance(t, Undefined) for t in walk(assignment.value))
        if pieces is not None and not partial and may_be_missing(self.types, assignment.binders, pieces, self.lowering.runtime_names):
            selection = without_last_condition(assignment.value)
            self.inference.known[selection] = self.inference.of(assignment.value)
            pieces = [Piece(assignment.binders, selection)]
        if pieces is None and partial and (part := triangle(self.types, assignment.value, assignment.binders)) is not None:
            pieces = [part]
        for piece in pieces if pieces is not None else [Piece(assignment.binders, assignment.value)]:
            self._piece(assignment, piece, arrays[assignment.symbol])

    def _piece(self, assignment: Assignment, piece: Piece, array: ir.Array) -> None:
        lowering = self.lowering
        points = {
            b.name: lowering.poly(b.range.lower)
            for b in piece.binders
            if self.types.solver.value(b.range.lower) == self.types.solver.value(b.range.upper)
        }
        lowering.renamed = dict(points)
        lowering.outer = piece.binders
        axes = tuple(ir.Axis(b.name, lowering.range(b.range)) for b in piece.binders if b.name not in points)
        index = tuple(None if isinstance(p, Whole) else lowering.poly(p) for p in assignment.positions if isinstance(p, (Whole, Poly)))
        define_array(lowering, array, axes, index, piece.value, assignment.symbol.whole)
        lowering.outer, lowering.renamed = (), {}

    def _adopt(self, adopted: Adopted, arrays: dict[Symbol, ir.Array]) -> None:
        """`h[0, …] = h_0[…]`: a header symbol as an element of its family."""
        source, target = arrays[adopted.symbol], arrays[adopted.family]
        axes = tuple(ir.Axis(self.lowering.free_axis_name(), bounds) for bounds in source.ranges)
        read = ir.Read(source.name, tuple(Poly.of(a.name) for a in axes), source.element)
        index = (self.lowering.poly(adopted.at), *(Poly.of(a.name) for a in axes))
        origin = ir.Origin(readable(adopted.symbol.spelling))
        self.lowering.steps.insert(0, ir.Equation(target.name, axes, index, read, origin))

    def _check(self, term: Term, origin: ir.Origin) -> ir.Check:
        axes = tuple(self.lowering.axis(size) for size in self.inference.axes(term))
        return ir.Check(axes, _up_to_rounding(self.lowering.at(term, tuple(self.lowering.offset(a) for a in axes))), origin)

    # ---- results ----------------------------------------------------------------------------

    def _results(self, term: Term, path: list[int]) -> ir.Result | ir.ResultTuple:
        if isinstance(term, TupleTerm):
            return ir.ResultTuple(tuple(self._results(item, [*path, k]) for k, item in enumerate(term.items)))
        listed = isinstance(term, (Build, Stacked)) and term.listed or isinstance(term, Ref) and not term.positions and term.symbol.listed
        name = self._result_name(term, path)
        if isinstance(term, Ref) and not term.positions:
            return ir.Result(name, self._whole(term), ir.Structure.LIST if listed else ir.Structure.TENSOR)
        if isinstance(term, CallResult):
            results = self.types.entries.submodules[term.call.submodule].signature
            listed = listed or results is not None and results.results[term.position].listed
        sizes = self.inference.axes(term)
        first = term.binder.range.lower if isinstance(term, Build) else None
        if first is not None and self.lowering.poly(first).names & self.lowering.runtime_names:
            first = None  # a returned array counts from where the notation counts
        axes = tuple(self.lowering.axis(size, first if k == 0 else None) for k, size in enumerate(sizes))
        self.lowering.origin = self.reading.body.returned
        value = self.lowering.at(term, tuple(self.lowering.offset(a) for a in axes))
        return ir.Result(name, ir.Abstraction(axes, value), ir.Structure.LIST if listed else ir.Structure.TENSOR)

    def _whole(self, term: Ref) -> ir.Abstraction:
        """A returned array: its domain in order, without the elements that an input supplied."""
        symbol = term.symbol
        if symbol.role is Role.SETTING:
            return ir.Abstraction((), self.lowering.at(term, ()))
        array = self._array(symbol)
        ranges = list(array.ranges)
        named = self.types.terms.named_ranges.get(symbol) or symbol.whole
        if named is not None and ranges:
            ranges[0] = self.lowering.range(named)
        axes = tuple(ir.Axis(self.lowering.free_axis_name(), bounds) for bounds in ranges)
        return ir.Abstraction(axes, ir.Read(array.name, tuple(Poly.of(a.name) for a in axes), array.element))

    def _result_name(self, term: Term, path: list[int]) -> str:
        if isinstance(term, Ref):
            return self.types.entries.array_name(term.symbol)
        if isinstance(term, Build) and isinstance(term.body, Ref):
            return self.types.entries.array_name(term.body.symbol)
        return "result" + "".join(f"_{k + 1}" for k in path)


def _computes(result: Term) -> bool:
    """Whether what is returned is more than the names of arrays."""
    match result:
        case TupleTerm(items=items):
            return any(map(_computes, items))
        case Ref(positions=positions):
            return bool(positions)
        case _:
            return True


# ---- initialisers of parameters and buffers ------------------------------------------------------


def _initialiser_of(reader: Reader, lowering: Lowering, symbol: Symbol) -> ir.Initialiser:
    """What is written, or the default: as torch.nn.Linear for a matrix, zeros for a vector."""
    rank = len(lowering.types.shapes.known(symbol.shape) or ())
    family = len(symbol.family_ranges or ())
    element_axes = rank - family if family else None
    if symbol.initialiser is not None:
        problems = lowering.types.findings.problems
        before = len(problems)
        terms = initialiser_terms(reader, symbol.initialiser)
        inference = Inference(lowering.types, infer_term)
        for term in terms:
            inference.of(term)
        solve_constraints(inference)
        if problems[before:] or any(isinstance(part, Faulty) for term in terms for part in walk(term)):
            raise MathdslError(*problems[before:])
        scalars = Lowering(inference, lowering.firsts, lower_term, lowering.runtime_names)
        places = (node.span for node in symbol.initialiser.arguments)
        values = tuple(_number(scalars, term, span) for term, span in zip(terms, places, strict=True))
        return ir.Initialiser(symbol.initialiser.kind, values, element_axes)
    if symbol.default is not None or symbol.role is Role.BUFFER:
        value = symbol.default.value if symbol.default is not None else 0.0
        return ir.Initialiser("constant", (ir.Literal(value),), element_axes)
    is_matrix = rank - family >= 2 or rank - family == 0 and is_capital(symbol.spelling)
    return ir.Initialiser("linear" if is_matrix else "zeros", (), element_axes)


def _number(scalars: Lowering, term: Term, span: Span) -> ir.Expr:
    """An argument of a distribution: a number that the constructor can reckon from its own arguments."""
    value = None if scalars.inference.axes(term) else scalars.at(term, ())
    if value is None or element_of(value) is ir.Element.BOOLEAN or not _is_constant(value, scalars.runtime_names):
        raise refuse(
            "E0407",
            "this is no number that the constructor knows",
            span,
            help="write a formula of numbers, settings, and sizes that do not differ between calls",
        )
    return coerce(value, ir.Element.REAL)


def _is_constant(value: ir.Expr, runtime: Set[str]) -> bool:
    match value:
        case ir.Literal() | ir.Setting():
            return True
        case ir.IndexValue(value=poly):
            return not poly.names & runtime
        case ir.Apply(op=op, arguments=arguments):
            return bool(ELEMENTWISE[op].scalar) and all(_is_constant(argument, runtime) for argument in arguments)
        case _:
            return False


def _up_to_rounding(condition: ir.Expr) -> ir.Expr:
    """What is asserted, where reals are equal up to rounding: `A x = b`, but no equation that is denied or that chooses a value."""
    match condition:
        case ir.Apply(op="equal", arguments=(left, _)) if element_of(left) is ir.Element.REAL:
            return replace(condition, op="close")
        case ir.Apply(op="and" | "or", arguments=arguments):
            return replace(condition, arguments=tuple(map(_up_to_rounding, arguments)))
        case ir.Reduce(op="all" | "any", body=body):
            return replace(condition, body=_up_to_rounding(body))
        case _:
            return condition
