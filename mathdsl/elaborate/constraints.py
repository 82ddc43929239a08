"""Constraints between shapes: each is solved once enough is known, or settled by a default at its stage.

Stages of defaults: 0 the rows of `cases` have one shape; 1 the letter rule for inputs and parameters in products; 2 what stands
beside a known shape has that shape; 3 results of opaque modules are vectors; 4 the letter rule for all other arrays; 5 the least rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from mathdsl.diagnostics.model import Label
from mathdsl.elaborate.names import is_capital
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.shapes import SCALAR, ElementUnknown, Shape, expand, find_element, rank_of, unify_elements, unknown_shape
from mathdsl.elaborate.signatures import Signature
from mathdsl.elaborate.symbols import Role
from mathdsl.elaborate.terms import Binder, CallSite, NumberTerm, Ref, SizeTerm
from mathdsl.elaborate.unit import PartArguments, SubmoduleEntry, Unit
from mathdsl.elaborate.written_shapes import show_shape
from mathdsl.ir.nodes import Element, Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span

STAGES = 6


@dataclass(eq=False)
class Constraint(ABC):
    """A relation between shapes, written at `span`."""

    span: Span
    is_solved: bool = field(default=False, init=False)

    def advance(self, unit: Unit) -> None:
        """Solve it if possible, else wait for one of its shapes to become known."""
        self.is_solved = self.solve(unit)
        if not self.is_solved:
            for shape in self.shapes():
                rest = expand(shape).rest
                if rest is not None:
                    rest.watchers[self] = None

    @abstractmethod
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes it relates."""

    @abstractmethod
    def solve(self, unit: Unit) -> bool:
        """Solve it where enough is known; raises for a contradiction."""

    def settle(self, unit: Unit, stage: int) -> bool:
        """Decide something by the default of this stage; False where it has none."""
        return False


def _vector(unit: Unit) -> Shape:
    return Shape((unit.sizes_solver.fresh(),))


def _matrix(unit: Unit) -> Shape:
    return Shape((unit.sizes_solver.fresh(), unit.sizes_solver.fresh()))


def _mismatch(
    unit: Unit, span: Span, what: str, left: Shape, right: Shape, help: str = "", spans: tuple[Span | None, Span | None] = (None, None)
) -> Exception:
    """Two shapes that do not go together; `spans` are the operands' places where both have one of their own."""
    first, second = spans
    shapes = show_shape(unit, left), show_shape(unit, right)
    help = help or "check the sizes, or declare the shapes in a `where` table"
    if first is None or second is None or first == second:
        return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", span, help=help)
    labels = (Label(first, f"this is {_a_shape(shapes[0])}"),)
    return refuse("E0401", f"{what}: {shapes[0]} and {shapes[1]}", second, label=f"this is {_a_shape(shapes[1])}", labels=labels, help=help)


def _a_shape(shown: str) -> str:
    match shown.count("×"):
        case 0:
            return "a scalar" if shown == "scalar" else f"a vector of size {shown}"
        case 1:
            return f"a matrix, {shown}"
        case _:
            return f"an array, {shown}"


@dataclass(eq=False)
class SumConstraint(Constraint):
    """Operands of an elementwise operation: the same shape, or scalars; in sums a vector goes with each element of a sequence."""

    operands: tuple[Shape, ...]
    result: Shape
    letters: tuple[Ref | None, ...]
    allows_bias: bool
    op: str
    spans: tuple[Span, ...]
    literals: tuple[bool, ...] = ()  # which operands are numbers written out
    conditions: int = 0  # of `cases`: how many of the first operands are conditions

    def shapes(self) -> tuple[Shape, ...]:
        return (*self.operands, self.result)

    def solve(self, unit: Unit) -> bool:
        ranks = [rank_of(s) for s in self.operands]
        if all(r is not None for r in ranks):
            return self._unify(unit, [r for r in ranks if r is not None])
        if rank_of(self.result) == 0:
            return self._unify_all(unit)
        return False

    def _unify_all(self, unit: Unit) -> bool:
        for operand in self.operands:
            if not unit.shapes.unify(operand, SCALAR):
                raise _mismatch(unit, self.span, "the value has another shape than is wanted", operand, SCALAR)
        return True

    def _unify(self, unit: Unit, ranks: list[int]) -> bool:
        rank = max(ranks, default=0)
        first = ranks.index(rank) if ranks else 0
        widest = self.operands[first] if ranks else SCALAR
        for operand, own, place in zip(self.operands, ranks, self.spans, strict=True):
            if own == 0 or operand is widest:
                continue
            if own == rank:
                fits = unit.shapes.unify(widest, operand)
            else:
                fits = self.allows_bias and own == 1 and unit.sizes_solver.unify(expand(widest).prefix[-1], expand(operand).prefix[0])
            if not fits:
                raise _mismatch(unit, self.span, "the operands have different shapes", widest, operand, "", (self.spans[first], place))
        if not unit.shapes.unify(self.result, widest):
            raise _mismatch(unit, self.span, "the value has another shape than is wanted", self.result, widest)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        if stage == 0 and self.op == "cases":
            return self._settle_rows(unit)
        if stage not in (2, 5):
            return False
        known = [s for s in (*self.operands, self.result) if (rank_of(s) or 0) > 0]
        if stage == 2 and not known:
            return False
        if stage == 5 and not known and not unit.is_function:
            self._refuse_open(unit)
        widest = max(known, key=lambda s: rank_of(s) or 0, default=SCALAR)
        changed = False
        for operand, letter in zip(self.operands, self.letters, strict=True):
            if rank_of(operand) is None:
                changed |= unit.shapes.unify(operand, self._default(unit, widest, letter))
        return changed

    def _refuse_open(self, unit: Unit) -> None:
        """A function's arguments have the least ranks that its body needs; what a module is given or owns is declared."""
        if self.allows_bias and any(rank_of(s) == 0 and not k for s, k in zip(self.operands, self.literals, strict=True)):
            return  # what stands beside a scalar in a sum is one
        open_ones = [s for s in self.letters if s is not None and s.symbol.role is not Role.VALUE and rank_of(s.symbol.shape) is None]
        if open_ones:
            names = list(dict.fromkeys(s.symbol.latex for s in open_ones))
            shown = ", ".join(f"`{n}`" for n in names)
            raise refuse(
                "E0405",
                f"the shape of {shown} stays open" if len(names) == 1 else f"the shapes of {shown} stay open",
                open_ones[0].symbol.span if open_ones[0].symbol.span.file else self.span,
                label="",
                labels=(Label(self.span, "any shape fits here"),),
                help=rf"declare it, as in `{names[0]} \in \mathbb{{R}}^{{d}}`",
            )

    def _settle_rows(self, unit: Unit) -> bool:
        """A row of known shape says what the others have."""
        rows = self.operands[self.conditions :]
        known = [s for s in rows if rank_of(s) is not None]
        if not known:
            return False
        widest = max(known, key=lambda s: rank_of(s) or 0)
        changed = [unit.shapes.unify(s, widest) for s in rows if rank_of(s) is None]
        return any(changed)

    def _default(self, unit: Unit, widest: Shape, letter: Ref | None) -> Shape:
        """A lower-case letter beside a matrix in a sum is a bias, a vector; all else has the same shape."""
        is_bias = letter is not None and letter.symbol.role in (Role.PARAMETER, Role.BUFFER) and not is_capital(letter.symbol.spelling)
        if self.allows_bias and is_bias and (rank_of(widest) or 0) > 1:
            return Shape((expand(widest).prefix[-1],))
        return widest


@dataclass(eq=False)
class ProductConstraint(Constraint):
    """`A B`, `A \\cdot B`, `A @ B`; `covectors` says which sides are transposed vectors (`x^\\top y`, `x y^\\top`)."""

    left: Shape
    right: Shape
    result: Shape
    sign: str
    letters: tuple[Ref | None, Ref | None]
    covectors: tuple[bool, bool]
    spans: tuple[Span, Span]

    def shapes(self) -> tuple[Shape, ...]:
        return self.left, self.right, self.result

    def solve(self, unit: Unit) -> bool:
        a, b, c = rank_of(self.left), rank_of(self.right), rank_of(self.result)
        if a == 0:
            return self._equate(unit, self.right)
        if b == 0:
            return self._equate(unit, self.left)
        if a == 2 and b is None and c in (1, 2):
            unit.shapes.unify(self.right, _vector(unit) if c == 1 else _matrix(unit))
            b = c
        if a is None or b is None:
            return False
        return self._multiply(unit, a, b)

    def _equate(self, unit: Unit, other: Shape) -> bool:
        if not unit.shapes.unify(self.result, other):
            raise _mismatch(unit, self.span, "the product has another shape than is wanted", self.result, other)
        return True

    def _multiply(self, unit: Unit, a: int, b: int) -> bool:
        left, right = expand(self.left).prefix, expand(self.right).prefix
        row, column = self.covectors[0] and a == 1, self.covectors[1] and b == 1
        match a, b:
            case 1, 1 if column and not row:
                return self._equate(unit, Shape((left[0], right[0])))
            case 1, 1:
                if not row and self.sign == "":
                    raise refuse(
                        "E0410",
                        "two vectors side by side can be an inner or an elementwise product",
                        self.span,
                        help=r"write `x \cdot y` for the inner product, `x \odot y` for the elementwise one",
                    )
                if self.sign == r"\times":
                    raise unsupported("the cross product", self.span)
                return self._contract(unit, left[0], right[0], ())
            case 2, 1:
                return self._contract(unit, left[1], right[0], (left[0],))
            case 2, 2:
                return self._matrices(unit, left, right)
            case 1, 2 if row:
                return self._contract(unit, left[0], right[0], (right[1],))
            case 1, 2:
                help = r"transpose the vector, `x^\top W`"
                raise _mismatch(unit, self.span, "a vector cannot stand left of a matrix", self.left, self.right, help, self.spans)
            case _:
                raise _mismatch(
                    unit,
                    self.span,
                    "no product is known of these shapes",
                    self.left,
                    self.right,
                    r"write `\odot` for the elementwise product",
                )

    def _matrices(self, unit: Unit, left: tuple[Poly, ...], right: tuple[Poly, ...]) -> bool:
        if unit.sizes_solver.unify(left[1], right[0]):
            return self._equate(unit, Shape((left[0], right[1])))
        if self.sign == "" and self._are_alike(unit, left, right):
            raise refuse(
                "E0410",
                f"the product of two arrays of one shape, {show_shape(unit, self.left)}, does not fit as a matrix product",
                self.span,
                help=r"transpose one of them (`A B^\top`), or write `A \odot B` for the elementwise product",
            )
        if unit.sizes_solver.unify(left[1], right[1]):
            unit.note("N0302", "the matrix is applied to each element of the sequence (to each row)", self.span)
            unit.row_wise.add(self.span)
            return self._equate(unit, Shape((right[0], left[0])))
        raise self._inner(unit)

    @staticmethod
    def _are_alike(unit: Unit, left: tuple[Poly, ...], right: tuple[Poly, ...]) -> bool:
        return all(unit.sizes_solver.value(a) == unit.sizes_solver.value(b) for a, b in zip(left, right, strict=True))

    def _inner(self, unit: Unit) -> Exception:
        return _mismatch(unit, self.span, "the inner sizes of this product differ", self.left, self.right, "", self.spans)

    def _contract(self, unit: Unit, a: Poly, b: Poly, rest: tuple[Poly, ...]) -> bool:
        if not unit.sizes_solver.unify(a, b):
            raise self._inner(unit)
        return self._equate(unit, Shape(rest))

    def settle(self, unit: Unit, stage: int) -> bool:
        if stage not in (1, 4):
            return False
        changed = False
        for side, shape, letter in ((0, self.left, self.letters[0]), (1, self.right, self.letters[1])):
            if rank_of(shape) is not None:
                continue
            settled_now = letter is not None and (stage == 4 or letter.symbol.role is not Role.VALUE)
            if letter is not None and settled_now:
                changed |= self._by_letter(unit, shape, letter, side)
            elif letter is None and stage == 4:
                changed |= unit.shapes.unify(shape, _vector(unit))
        return changed

    def _by_letter(self, unit: Unit, shape: Shape, letter: Ref, side: int) -> bool:
        capital = is_capital(letter.symbol.spelling)
        read = "matrix" if capital else "vector"
        if not unit.shapes.unify(shape, _matrix(unit) if capital else _vector(unit)):
            return False
        case = "a capital" if capital else "lower case"
        unit.note("N0303", f"`{letter.symbol.latex}` is read as a {read}, since types leave it open and its letter is {case}", letter.span)
        letter.symbol.origin = f"a {read} by its letter"
        return True


@dataclass(eq=False)
class TransposeConstraint(Constraint):
    """A matrix with its axes exchanged; a vector stays (as a covector)."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        axes = expand(self.body).prefix
        if rank > 2:
            raise _mismatch(unit, self.span, "only a vector or a matrix can be transposed", self.body, self.body)
        return unit.shapes.unify(self.result, Shape(tuple(reversed(axes)))) or self._fail(unit)

    def _fail(self, unit: Unit) -> bool:
        raise _mismatch(unit, self.span, "the transpose has another shape than is wanted", self.result, self.body)

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 4 and unit.shapes.unify(self.body, _matrix(unit))


@dataclass(eq=False)
class FlattenConstraint(Constraint):
    """The first axis merged into the last: `n` vectors of length `d` become one of length `n d`."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        if rank < 2:
            raise refuse(
                "E0402",
                "a list of arrays is flattened, and these are scalars",
                self.span,
                help=r"write `\cat{a_1, \dots, a_n}` for scalars",
            )
        count, *middle, last = expand(self.body).prefix
        merged = Shape((*middle, unit.sizes_solver.value(count) * unit.sizes_solver.value(last)))
        if not unit.shapes.unify(self.result, merged):
            raise _mismatch(unit, self.span, "the flattened list has another shape than is wanted", self.result, merged)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, _matrix(unit))


@dataclass(eq=False)
class FoldConstraint(Constraint):
    """A reduction over the last axis."""

    body: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.body, self.result

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None:
            return False
        if rank == 0:
            raise refuse(
                "E0402", "a reduction of a scalar is asked for", self.span, help="apply it to a vector, or name the index it runs over"
            )
        return unit.shapes.unify(self.result, Shape(expand(self.body).prefix[:-1]))

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, _vector(unit))


@dataclass(eq=False)
class VectorConstraint(Constraint):
    """What a norm is taken of: a vector, unless the norm says `_F`."""

    body: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return (self.body,)

    def solve(self, unit: Unit) -> bool:
        rank = rank_of(self.body)
        if rank is None or rank == 1:
            return rank == 1
        what = "a scalar" if rank == 0 else f"an array of {rank} axes ({show_shape(unit, self.body)})"
        help = r"write `|x|` for the absolute value" if rank == 0 else r"write `\lVert A \rVert_F` for the root of the sum of all squares"
        raise refuse("E0401", f"this norm is one of vectors, and it stands around {what}", self.span, help=help)

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.body, _vector(unit))


@dataclass(eq=False)
class GatherConstraint(Constraint):
    """`E[x]`: where the index is an array, so is the result."""

    index: Shape
    rest: Shape
    result: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.index, self.rest, self.result

    def solve(self, unit: Unit) -> bool:
        index = expand(self.index)
        if index.rest is not None:
            return False
        rest = expand(self.rest)
        return unit.shapes.unify(self.result, Shape(index.prefix + rest.prefix, rest.rest))

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 2 and unit.shapes.unify(self.index, SCALAR)


@dataclass(eq=False)
class CrossEntropyConstraint(Constraint):
    """Logits have one axis more than the classes."""

    logits: Shape
    target: Shape

    def shapes(self) -> tuple[Shape, ...]:
        return self.logits, self.target

    def solve(self, unit: Unit) -> bool:
        a, b = rank_of(self.logits), rank_of(self.target)
        if a is None and b is None:
            return False
        if a is None:
            target = expand(self.target).prefix
            return unit.shapes.unify(self.logits, Shape((*target, unit.sizes_solver.fresh())))
        axes = expand(self.logits).prefix
        if a == 0 or not unit.shapes.unify(self.target, Shape(axes[:-1])):
            raise _mismatch(unit, self.span, "the classes need one axis fewer than the logits", self.logits, self.target)
        return True

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 5 and unit.shapes.unify(self.target, SCALAR)


@dataclass(eq=False)
class CallConstraint(Constraint):
    """The arguments of a module have its inputs' shapes; its results follow."""

    callee: str
    results: tuple[tuple[Shape, Element | ElementUnknown], ...]
    input_elements: Mapping[str, Element]

    def shapes(self) -> tuple[Shape, ...]:
        return tuple(shape for shape, _ in self.results)

    @staticmethod
    def make(unit: Unit, site: CallSite, arguments: Mapping[str, Shape]) -> CallConstraint:
        """Equate the arguments with the inputs, in the caller's sizes, and give the results' types."""
        entry = unit.submodules[site.submodule]
        signature = entry.signature
        if signature is None:
            unit.opaque_results[site] = unknown_shape()
            return CallConstraint(site.span, entry.latex, ((unit.opaque_results[site], Element.REAL),), {})
        runtime = {name: unit.sizes_solver.fresh() for name in signature.runtime_sizes} | _given_sizes(signature, site)
        unit.call_sizes[site] = runtime
        parts = parts_called(unit, entry, site)
        for part in parts:
            sizes = runtime | {name: value for name, value in part.arguments if isinstance(value, Poly)}
            _equate_inputs(unit, site, entry, sizes, arguments)
        sizes = runtime | {name: value for name, value in parts[0].arguments if isinstance(value, Poly)}
        results = tuple((Shape(tuple(r.extent.substitute(sizes) for r in result.ranges)), result.element) for result in signature.results)
        elements = {i.array.name: i.array.element for i in signature.inputs if i.array.name in arguments}
        return CallConstraint(site.span, signature.name, results, elements)

    def solve(self, unit: Unit) -> bool:
        return all(rank_of(shape) is not None for shape, _ in self.results)

    def settle(self, unit: Unit, stage: int) -> bool:
        return stage == 3 and any(rank_of(shape) is None and unit.shapes.unify(shape, _vector(unit)) for shape, _ in self.results)


def parts_called(unit: Unit, entry: SubmoduleEntry, site: CallSite) -> list[PartArguments]:
    """The runs of a stack that a call may reach."""
    if site.at is None or not entry.is_stack:
        return entry.parts
    reached = _range_of(unit, site.at, site.binders)
    found = [part for part in entry.parts if part.range is not None and _overlap(part.range, reached)]
    if not found:
        raise refuse(
            "E0603", f"`{entry.latex}` has no element at this index", site.span, help="declare the stack over the range that is called"
        )
    return found


def _range_of(unit: Unit, at: Poly, binders: tuple[Binder, ...]) -> Range:
    lower, upper = at, at
    for binder in reversed(binders):
        lower = lower.substitute({binder.name: binder.range.lower})
        upper = upper.substitute({binder.name: binder.range.upper})
    return Range(lower, upper)


def _overlap(a: Range, b: Range) -> bool:
    """Whether two ranges may have an element in common."""
    return not (_below(a.upper, b.lower) or _below(b.upper, a.lower))


def _below(a: Poly, b: Poly) -> bool:
    difference = (b - a).constant
    return difference is not None and difference > 0


def _given_sizes(signature: Signature, site: CallSite) -> dict[str, Poly]:
    """The callee's sizes that are arguments of the call."""
    found: dict[str, Poly] = {}
    for name, term in site.arguments:
        match term:
            case _ if name not in signature.runtime_sizes:
                continue
            case SizeTerm(value=value):
                found[name] = value
            case NumberTerm(value=int() as value):
                found[name] = Poly.of(value)
            case _:
                help = "give the name of a size, a number, or arithmetic on them"
                raise refuse("E0403", f"`{signature.name}` wants a size here", term.span, help=help)
    return found


def _equate_inputs(unit: Unit, site: CallSite, entry: SubmoduleEntry, sizes: Mapping[str, Poly], arguments: Mapping[str, Shape]) -> None:
    assert entry.signature is not None
    terms = dict(site.arguments)
    for wanted in entry.signature.inputs:
        given = arguments.get(wanted.array.name)
        if given is None:
            continue
        shape = Shape(tuple(r.extent.substitute(dict(sizes)) for r in wanted.array.ranges))
        if not unit.shapes.unify(given, shape):
            name, declared = entry.signature.name, (Label(entry.span, "declared here"),) if entry.span.file else ()
            raise refuse(
                "E0401",
                f"`{name}` wants the shape {show_shape(unit, shape)} for `{wanted.array.latex}`, and {show_shape(unit, given)} is given",
                terms[wanted.array.name].span,
                labels=declared,
                help="check the sizes of the call and of the submodule's declaration",
            )


@dataclass(eq=False)
class JoinElements:
    """The element type of arithmetic: integers become real where one operand is real."""

    operands: tuple[ElementUnknown | Element, ...]
    result: ElementUnknown | Element

    def solve(self) -> bool:
        """Find the result where enough is known."""
        found = [find_element(o) for o in self.operands]
        if Element.REAL in found:
            self._give(Element.REAL)
            return all(isinstance(f, Element) or f.leaning is not None for f in found)
        if all(f is Element.INTEGER or isinstance(f, ElementUnknown) and f.leaning is Element.INTEGER for f in found):
            if all(isinstance(f, ElementUnknown) for f in found):
                result = find_element(self.result)
                if isinstance(result, ElementUnknown):
                    result.leaning = Element.INTEGER
                return True
            self._give(Element.INTEGER)
            return True
        return all(isinstance(f, Element) for f in found)

    def settle(self) -> None:
        """Nothing tells: what is no literal is real."""
        for operand in self.operands:
            if isinstance(found := find_element(operand), ElementUnknown) and found.leaning is None:
                found.bound = Element.REAL

    def _give(self, element: Element) -> None:
        result = find_element(self.result)
        if isinstance(result, ElementUnknown):
            unify_elements(result, element)
