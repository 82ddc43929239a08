r"""How a program was read: each equation with all its parentheses, each name with what it is and where it is bound.

`h_t \gets \tanh(W x_t + b)` is `h[t] = tanh(((W @ x[t]) + b))    for t in 1 .. S`. Products say which they are: `a * b` of a number,
`a · b` inner, `A @ b` of a matrix, `A @ each of B` row by row, `a ⊗ b` outer, `a ⊙ b` elementwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.names.names import readable
from mathdsl.elaborate.names.symbols import Role, Symbol
from mathdsl.elaborate.terms.terms import (
    AlongTerm,
    Binder,
    Build,
    CallResult,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Faulty,
    Flattened,
    Fold,
    Given,
    NumberTerm,
    Position,
    PowerTerm,
    Product,
    Reduction,
    Ref,
    Repeated,
    SizeTerm,
    SliceIndex,
    Stacked,
    Term,
    Transpose,
    TupleTerm,
    Undefined,
    Unread,
    Updated,
    Whole,
    subterms,
    walk,
)
from mathdsl.elaborate.types.infer import Reading
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_size
from mathdsl.ir.nodes import EVERYWHERE, Module, Range
from mathdsl.ir.printing import print_declarations
from mathdsl.ir.sizes import Poly
from mathdsl.spans import SourceFile, Span

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "⊙",
    "div": "/",
    "mod": "mod",
    "pow": "**",
    "equal": "=",
    "not_equal": "≠",
    "less": "<",
    "less_equal": "≤",
    "greater": ">",
    "greater_equal": "≥",
    "and": "and",
    "or": "or",
}


@dataclass(frozen=True)
class Named:
    """A name of a program: how it is written, what it is, and where it is bound."""

    name: str
    kind: str
    span: Span


@dataclass(frozen=True)
class ProgramReading:
    """One program as it was read: its equations in order, and its names."""

    program: str
    equations: tuple[str, ...]
    names: tuple[Named, ...]


def _returned(writer: _Writer, result: Term) -> str:
    r"""A result, and which of its arrays come as lists: `([y[t] for t in 1 .. S], list [h[S, l] for l in 1 .. L])`."""
    match result:
        case TupleTerm(items=items):
            return f"({', '.join(_returned(writer, item) for item in items)})"
        case Build(listed=True) | Stacked(listed=True):
            return f"list {writer.write(result)}"
        case _:
            return writer.write(result)


def read_back(reading: Reading, result: Term, module: Module) -> ProgramReading:
    """A program whose types are known, in words; `module` is what became of it."""
    types, assignments = reading.types, reading.types.terms.assignments
    writer = _Writer(reading.inference)
    checks = [check for check, _ in reading.body.checks]
    equations = [f"{writer.reference(a.symbol, a.positions)} = {writer.write(a.value)}{writer.domain(a.binders)}" for a in assignments]
    equations += [f"assert {writer.write(check)}" for check in checks]
    equations.append(f"return {_returned(writer, result)}")
    terms = [*(a.value for a in assignments), *checks, result]
    binders = [*(b for a in assignments for b in a.binders), *(b for term in terms for b in _bound_in(term))]
    return ProgramReading(types.written.name, tuple(equations), tuple(_names(types, writer, print_declarations(module), binders)))


def _bound_in(term: Term) -> Iterator[Binder]:
    for part in walk(term):
        match part:
            case Reduction(binder=binder) | Build(binder=binder):
                yield binder
            case _:
                pass


def _names(types: Types, writer: _Writer, declared: Mapping[str, str], binders: Sequence[Binder]) -> Iterator[Named]:
    for size in types.entries.sizes.values():
        yield Named(readable(size.spelling), declared.get(size.name, "size"), size.span)
    for symbol in types.entries.symbols.values():
        yield Named(symbol.latex, _kind(types, writer, declared, symbol), symbol.span)
    for entry in types.entries.submodules.values():
        yield Named(entry.latex, f"submodule, {declared[entry.path]}", entry.span)
    for function in types.entries.functions.values():
        if function.is_own:
            yield Named(readable(function.name), "function", function.span)
    for binder in dict.fromkeys(binders):
        yield Named(binder.name, f"index, {writer.range(binder.range)}", binder.span)


def _kind(types: Types, writer: _Writer, declared: Mapping[str, str], symbol: Symbol) -> str:
    """What a symbol is, and all that is declared of it: `input, integer [1..S], elements in 0 .. V - 1`."""
    what = declared.get(types.entries.array_name(symbol), "")
    kinds = [symbol.role.value] * (not what.startswith(symbol.role.value)) + [what] * bool(what)
    if symbol.value_range is not None:
        kinds.append(f"elements in {writer.range(symbol.value_range)}")
    elif symbol.interval != EVERYWHERE and symbol.role is not Role.SETTING:
        kinds.append(f"in {symbol.interval}")
    return ", ".join(kinds)


@dataclass(frozen=True)
class _Writer:
    """Writes terms; a value of more than one part stands in parentheses."""

    inference: Inference

    def range(self, bounds: Range) -> str:
        return f"{self.size(bounds.lower)} .. {self.size(bounds.upper)}"

    def size(self, value: Poly) -> str:
        return show_size(self.inference.types, value)

    def domain(self, binders: Sequence[Binder]) -> str:
        ranges = ", ".join(f"{b.name} in {self.range(b.range)}" for b in binders)
        return f"    for {ranges}" if ranges else ""

    def reference(self, symbol: Symbol, positions: Sequence[Position]) -> str:
        return symbol.latex + (f"[{', '.join(map(self._position, positions))}]" if positions else "")

    def _position(self, position: Position) -> str:
        match position:
            case Poly():
                return self.size(position)
            case Whole():
                return ":"
            case SliceIndex(range=bounds):
                return self.range(bounds)
            case _:
                return self.write(position)

    def write(self, term: Term) -> str:
        match term:
            case NumberTerm(value=value):
                return str(value)
            case SizeTerm(value=size):
                return self.size(size)
            case Constant(value=value):
                return f"{value:g} everywhere"
            case Ref(symbol=symbol, positions=positions):
                return self.reference(symbol, positions)
            case Elementwise(op=op, arguments=(left, right)) if op in _INFIX:
                return f"({self.write(left)} {_INFIX[op]} {self.write(right)})"
            case Elementwise(op=op):
                return self._applied(op, subterms(term))
            case Product():
                return self._product(term)
            case PowerTerm(base=base, exponent=exponent):
                sign = "**" if self._rank(base) < 2 else "matrix power"
                return f"({self.write(base)} {sign} {self.write(exponent)})"
            case Transpose(body=body):
                return f"transpose({self.write(body)})"
            case Reduction(op=op, binder=binder, body=body):
                return f"{op}({binder.name} in {self.range(binder.range)}: {self.write(body)})"
            case Fold(op=op, body=body, all_axes=all_axes):
                return f"{op}(over {'all axes' if all_axes else 'the last axis'} of {self.write(body)})"
            case AlongTerm(op=op, body=body, binder=binder):
                return f"{op}(over {'the last axis' if binder is None else binder.name} of {self.write(body)})"
            case Build(binder=binder, body=body):
                return f"[{self.write(body)} for {binder.name} in {self.range(binder.range)}]"
            case Given(value=value):
                return self.write(value)
            case Updated(array=array, place=place, value=value):
                return f"{self.write(array)} with {self.write(value)} at {self.write(place)}"
            case CaseTerm(rows=rows):
                return f"cases({'; '.join(self._row(condition, value) for condition, value in rows)})"
            case Stacked(items=items):
                return f"stack({', '.join(map(self.write, items))})"
            case Concatenation(parts=parts):
                return f"({' || '.join(map(self.write, parts))})"
            case TupleTerm(items=items):
                return f"({', '.join(map(self.write, items))})"
            case Repeated(value=value, count=count):
                return f"repeat({self.write(value)}, {self.size(count)} times)"
            case CallResult(call=call, position=position):
                entry = self.inference.types.entries.submodules[call.submodule]
                at = "" if call.at is None else f"[{self.size(call.at)}]"
                given = ", ".join(self.write(argument) for _, argument in call.arguments)
                several = entry.signature is not None and entry.signature.returns_tuple
                return f"{entry.latex}{at}({given})" + (f".{position + 1}" if several else "")
            case Flattened(body=body):
                return f"flatten({self.write(body)})"
            case CrossEntropyTerm():
                return self._applied("cross_entropy", subterms(term))
            case Faulty() | Undefined() | Unread():
                return "nothing"

    def _applied(self, name: str, arguments: Sequence[Term]) -> str:
        return f"{name}({', '.join(map(self.write, arguments))})"

    def _row(self, condition: Term | None, value: Term) -> str:
        return f"{self.write(value)} " + ("otherwise" if condition is None else f"if {self.write(condition)}")

    def _rank(self, term: Term) -> int:
        return len(self.inference.axes(term))

    def _product(self, term: Product) -> str:
        return f"({self.write(term.left)} {self._sign(term)} {self.write(term.right)})"

    def _sign(self, term: Product) -> str:
        left, right, result = (self._rank(part) for part in (term.left, term.right, term))
        if 0 in (left, right):
            return "*"
        if term.span in self.inference.types.row_wise:
            return "@ each of"
        if (left, right) == (1, 1):
            return "·" if result == 0 else "⊗"
        return "@"


def write_readings(readings: Iterable[tuple[Reading, Module]], files: Sequence[SourceFile]) -> str:
    """Programs as they were read, with what became of them: equations, then names with their places."""
    by_name = {file.name: file for file in files}
    parts: list[str] = []
    for reading in (read_back(r, r.body.result, module) for r, module in readings if r.body.result is not None):
        width = max((len(named.name) for named in reading.names), default=0)
        names = (f"    {named.name.ljust(width)}  {named.kind}{_place(named.span, by_name)}" for named in reading.names)
        equations = ("  " + equation for equation in reading.equations)
        parts.append("\n".join([reading.program, *equations, "  where", *names]))
    return "\n\n".join(parts) + "\n" if parts else ""


def _place(span: Span, files: dict[str, SourceFile]) -> str:
    if span.file not in files:
        return ""
    line, column = files[span.file].line_column(span.start)
    return f", bound at {span.file}:{line}:{column}"
