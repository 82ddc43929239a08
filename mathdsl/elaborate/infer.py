"""The types of terms: a shape and an element type for each, by constraints that are solved in any order.

What types alone leave open is decided last, in the order of `Stage`: a capital letter that multiplies from the left is a
matrix and a lower-case letter a vector, what stands beside a known shape in a sum has that shape, the result of an opaque
module is a vector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.call_shapes import CallConstraint
from mathdsl.elaborate.constraints import (
    STAGES,
    Constraint,
    CrossEntropyConstraint,
    FlattenConstraint,
    FoldConstraint,
    GatherConstraint,
    JoinElements,
    SumConstraint,
    TransposeConstraint,
    VectorConstraint,
)
from mathdsl.elaborate.names import is_capital
from mathdsl.elaborate.products import ProductConstraint
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.shapes import SCALAR, ElementUnknown, Shape, expand, find_element, unify_elements, unknown_shape
from mathdsl.elaborate.symbols import Symbol
from mathdsl.elaborate.terms import (
    AlongTerm,
    Broken,
    Build,
    CallResult,
    CallSite,
    CaseTerm,
    Concatenation,
    Constant,
    CrossEntropyTerm,
    Elementwise,
    Flattened,
    Fold,
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
    Whole,
    subterms,
    walk,
)
from mathdsl.elaborate.unit import Assignment, Unit
from mathdsl.elaborate.written_shapes import show_shape
from mathdsl.ir.nodes import Element, Range
from mathdsl.ir.sizes import Poly
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS
from mathdsl.ops.model import NUMBERS
from mathdsl.spans import Span


@dataclass(frozen=True)
class Type:
    """The type of a term, in the solvers' terms."""

    shape: Shape
    element: ElementUnknown | Element


@dataclass
class Inference:
    """All types of one unit. After `solve`, every shape is known."""

    unit: Unit
    types: dict[Term, Type] = field(default_factory=dict)
    pending: list[Constraint] = field(default_factory=list)
    joins: list[JoinElements] = field(default_factory=list)
    sites: dict[CallSite, tuple[Type, ...]] = field(default_factory=dict)

    # ---- terms ------------------------------------------------------------------------------

    def of(self, term: Term) -> Type:
        """The type of a term; the same answer each time."""
        known = self.types.get(term)
        if known is None:
            try:
                known = self._infer(term)
            except MathdslError as error:
                self.unit.report(error)
                known = Type(unknown_shape(), ElementUnknown())
            self.types[term] = known
        return known

    def shape(self, term: Term) -> Shape:
        """The shape of a term."""
        return self.of(term).shape

    def _infer(self, term: Term) -> Type:
        match term:
            case NumberTerm(value=bool()):
                return Type(SCALAR, Element.BOOLEAN)
            case NumberTerm(value=value):
                leaning = ElementUnknown(leaning=Element.INTEGER) if isinstance(value, int) else Element.REAL
                return Type(SCALAR, leaning)
            case SizeTerm():
                return Type(SCALAR, Element.INTEGER)
            case Constant():
                return Type(unknown_shape(), ElementUnknown(leaning=Element.INTEGER))
            case Ref():
                return self._ref(term)
            case Elementwise():
                return self._elementwise(term)
            case Product() | Transpose() | PowerTerm():
                return self._algebra(term)
            case Reduction() | Fold() | AlongTerm() | CrossEntropyTerm():
                return self._reduction(term)
            case Build() | Stacked() | Concatenation() | Flattened() | Repeated():
                return self._sequence(term)
            case CaseTerm():
                return self._cases(term)
            case CallResult(call=call, position=position):
                return self._call(call)[position]
            case Broken() | Undefined():
                return Type(unknown_shape(), ElementUnknown())
            case TupleTerm(items=items) if any(isinstance(item, Broken) for item in items):
                return Type(unknown_shape(), ElementUnknown())
            case TupleTerm():
                raise refuse(
                    "E0409", "a tuple stands where one value is wanted", term.span, help="unpack it first, as in `(a, b) \\gets …`"
                )
            case _:
                assert_never(term)

    def _ref(self, term: Ref) -> Type:
        symbol = term.symbol
        if symbol in self.unit.tainted:
            return Type(unknown_shape(), ElementUnknown())
        symbol.shape = self.unit.shapes.split(symbol.shape, len(term.positions))
        shape = expand(symbol.shape)
        if len(shape.prefix) < len(term.positions):
            count = len(shape.prefix)
            have = f"has {count} {'axis' if count == 1 else 'axes'}" if count else "is a scalar"
            raise refuse(
                "E0402",
                f"`{symbol.latex}` {have}, and {len(term.positions)} are indexed",
                term.span,
                help="index fewer axes, or declare its shape",
            )
        kept: list[Poly] = []
        gathers: list[Term] = []
        for axis, position in enumerate(term.positions):
            match position:
                case Poly():
                    continue
                case Whole():
                    kept.append(self._whole(term, axis, shape))
                case SliceIndex(range=bounds):
                    kept.append(bounds.extent)
                case _:
                    gathers.append(position)
                    self._index_element(position, symbol.latex)
                    self._take_base(term, axis, position)
        first = len(term.positions)
        rest = Shape((*kept, *(self._whole(term, axis, shape) for axis in range(first, len(shape.prefix)))), shape.rest)
        if not gathers:
            return Type(rest, symbol.element)
        return Type(self._gather(term, gathers, rest), symbol.element)

    @staticmethod
    def _whole(term: Ref, axis: int, shape: Shape) -> Poly:
        """The size of an axis that is read whole: without the elements that a header gives."""
        whole = term.symbol.whole
        return whole.extent if whole is not None and axis == 0 else shape.prefix[axis]

    def _index_element(self, position: Term, latex: str) -> None:
        if not unify_elements(self.of(position).element, Element.INTEGER):
            raise refuse(
                "E0406",
                f"an index of `{latex}` must be an integer",
                position.span,
                help=r"round it with `\lfloor … \rfloor`, or declare an index type",
            )

    def _take_base(self, term: Ref, axis: int, position: Term) -> None:
        """An axis that is indexed by an index type takes that type's base."""
        if not isinstance(position, Ref) or position.symbol.value_range is None:
            return
        lower, symbol = position.symbol.value_range.lower, term.symbol
        while len(symbol.lowers) <= axis:
            symbol.lowers.append(None)
        known = symbol.lowers[axis]
        if known is not None and known != lower:
            raise refuse(
                "E0504",
                f"`{symbol.latex}` is indexed from {known} and from {lower}",
                term.span,
                help="give both index types the same first value",
            )
        symbol.lowers[axis] = lower

    def _gather(self, term: Ref, gathers: list[Term], rest: Shape) -> Shape:
        shapes = [self.shape(g) for g in gathers]
        if all(expand(s).rest is None and not expand(s).prefix for s in shapes):
            return rest
        if len(gathers) > 1 or len(term.positions) > 1:
            if any(expand(s).prefix for s in shapes):
                raise unsupported("an index that is itself an array, beside another index", term.span)
            for position, shape in zip(gathers, shapes, strict=True):  # still open, as in `q_t \gets \psi_{t+1,q_{t+1}}`
                self.equate(shape, SCALAR, position.span, "an index beside another one")
            return rest
        result = unknown_shape()
        self.pending.append(GatherConstraint(term.span, shapes[0], rest, result))
        return result

    def _elementwise(self, term: Elementwise) -> Type:
        types = [self.of(a) for a in term.arguments]
        row = ELEMENTWISE[term.op]
        if row.random:  # a probability is one number
            self.equate(types[1].shape, SCALAR, term.arguments[1].span, "the probability")
        result = unknown_shape()
        letters = tuple(self._letter(a) for a in term.arguments)
        spans = tuple(a.span for a in term.arguments)
        shapes = tuple(t.shape for t in types)
        literals = tuple(isinstance(a, (NumberTerm, SizeTerm, Constant)) for a in term.arguments)
        scales = term.op == "div" and self._is_undeclared(term.arguments[1])
        is_sum = term.op in ("add", "sub")
        self.pending.append(SumConstraint(term.span, shapes, result, letters, is_sum, term.op, spans, literals, scales=scales))
        element = self._element_of(term, [t.element for t in types], row.signature.operands, row.signature.result)
        return Type(result, element)

    def _element_of(
        self, term: Term, elements: list[ElementUnknown | Element], operands: tuple[Element, ...], result: Element | None
    ) -> ElementUnknown | Element:
        if operands == (Element.BOOLEAN,):
            for element in elements:
                if not unify_elements(element, Element.BOOLEAN):
                    raise refuse("E0406", "a condition is wanted here, and a number is given", term.span)
            return Element.BOOLEAN
        if set(operands) <= set(NUMBERS) and any(find_element(e) is Element.BOOLEAN for e in elements):
            place = next((s.span for s, e in zip(subterms(term), elements, strict=False) if find_element(e) is Element.BOOLEAN), term.span)
            raise refuse("E0406", "a boolean is no number", place, help=r"write `\mathbb{1}[c]` for 1 where `c` holds")
        if Element.BOOLEAN in operands and any(find_element(e) is Element.BOOLEAN for e in elements):
            if not all(unify_elements(e, Element.BOOLEAN) for e in elements):
                help = r"write `\mathbb{1}[c]` for 1 where `c` holds"
                raise refuse("E0406", "a condition is compared with a number", term.span, help=help)
            return Element.BOOLEAN
        if Element.INTEGER not in operands:
            return Element.REAL if result is None else result
        joined = ElementUnknown()
        self.joins.append(JoinElements(tuple(elements), joined, term.span))
        return joined if result is None else result

    def _algebra(self, term: Product | Transpose | PowerTerm) -> Type:
        result = unknown_shape()
        match term:
            case Product(sign=sign, left=left, right=right):
                a, b = self.of(left), self.of(right)
                letters = (self._letter(left), self._letter(right))
                flags = (self._is_covector(left), self._is_covector(right))
                self.pending.append(ProductConstraint(term.span, a.shape, b.shape, result, sign, letters, flags, (left.span, right.span)))
                return Type(result, self._element_of(term, [a.element, b.element], NUMBERS, None))
            case Transpose(body=body):
                inner = self.of(body)
                self.pending.append(TransposeConstraint(term.span, inner.shape, result))
                return Type(result, inner.element)
            case PowerTerm(base=base, exponent=exponent):
                a, b = self.of(base), self.of(exponent)
                elements = [a.element, b.element, *((Element.REAL,) if term.is_negative else ())]
                self.pending.append(
                    SumConstraint(term.span, (a.shape, b.shape), result, (None, None), False, "pow", (base.span, exponent.span))
                )
                return Type(result, self._element_of(term, elements, NUMBERS, None))

    @staticmethod
    def _is_covector(term: Term) -> bool:
        while isinstance(term, Product):
            term = term.left
        return isinstance(term, Transpose)

    @staticmethod
    def _is_undeclared(term: Term) -> bool:
        """Whether a term is made of lower-case names that nothing declares, and of at least one."""
        names = [t.symbol for t in walk(term) if isinstance(t, Ref)]
        return bool(names) and all(s.origin == "free" and not s.subscripts and not is_capital(s.spelling) for s in names)

    @staticmethod
    def _letter(term: Term) -> Ref | None:
        return term if isinstance(term, Ref) else None

    def _reduction(self, term: Reduction | Fold | AlongTerm | CrossEntropyTerm) -> Type:
        match term:
            case Reduction(op=op, body=body):
                inner = self.of(body)
                return Type(inner.shape, self._folded(term, op, inner.element))
            case Fold(op=op, body=body, all_axes=all_axes):
                inner = self.of(body)
                if term.is_vector:
                    self.pending.append(VectorConstraint(term.span, inner.shape))
                if all_axes:
                    return Type(SCALAR, self._folded(term, op, inner.element))
                result = unknown_shape()
                self.pending.append(FoldConstraint(term.span, inner.shape, result))
                return Type(result, self._folded(term, op, inner.element))
            case AlongTerm(op=op, body=body, binder=binder):
                inner = self.of(body)
                self._element_of(term, [inner.element], ALONG[op].signature.operands, None)
                if binder is None:
                    split = self.unit.shapes.split(inner.shape, 1)
                    if not split.prefix:
                        raise refuse(
                            "E0402", f"the {op.replace('_', ' ')} of a scalar is asked for", term.span, help="apply it to a vector"
                        )
                return Type(inner.shape, Element.REAL)
            case CrossEntropyTerm(logits=logits, target=target):
                a, b = self.of(logits), self.of(target)
                if not unify_elements(b.element, Element.INTEGER):
                    raise refuse(
                        "E0406",
                        "the classes of a cross entropy are integers",
                        target.span,
                        help=r"the first argument is the logits, the second the class",
                    )
                self.pending.append(CrossEntropyConstraint(term.span, a.shape, b.shape))
                return Type(SCALAR, Element.REAL)

    def _folded(self, term: Term, op: str, element: ElementUnknown | Element) -> ElementUnknown | Element:
        signature = REDUCTIONS[op].signature
        return self._element_of(term, [element], signature.operands, signature.result)

    def _sequence(self, term: Build | Stacked | Concatenation | Flattened | Repeated) -> Type:
        match term:
            case Flattened(body=body):
                inner = self.of(body)
                result = unknown_shape()
                self.pending.append(FlattenConstraint(term.span, inner.shape, result))
                return Type(result, inner.element)
            case Build(binder=binder, body=body):
                inner = self.of(body)
                shape = expand(inner.shape)
                return Type(Shape((binder.range.extent, *shape.prefix), shape.rest), inner.element)
            case Stacked(items=items):
                types = [self.of(item) for item in items]
                shape = expand(self._same(term, [t.shape for t in types]))
                return Type(Shape((Poly.of(len(items)), *shape.prefix), shape.rest), self._common(term, types))
            case Repeated(value=value, count=count):
                inner = self.of(value)
                shape = expand(inner.shape)
                return Type(Shape((count, *shape.prefix), shape.rest), inner.element)
            case Concatenation(parts=parts):
                types = [self.of(part) for part in parts]
                shapes = [self.unit.shapes.split(t.shape, 1) for t in types]
                if any(not s.prefix for s in shapes):
                    raise refuse(
                        "E0402",
                        "a scalar cannot be joined to a sequence",
                        term.span,
                        help=r"write `\{a\}^{1}` for the sequence of `a` alone",
                    )
                item = expand(self._same(term, [Shape(s.prefix[1:], s.rest) for s in shapes]))
                total = sum((s.prefix[0] for s in shapes), Poly(()))
                return Type(Shape((total, *item.prefix), item.rest), self._common(term, types))

    def _same(self, term: Term, shapes: list[Shape]) -> Shape:
        for other in shapes[1:]:
            if not self.unit.shapes.unify(shapes[0], other):
                raise refuse(
                    "E0401",
                    f"the parts have different shapes: {show_shape(self.unit, shapes[0])} and {show_shape(self.unit, other)}",
                    term.span,
                )
        return shapes[0]

    def _common(self, term: Term, types: list[Type]) -> ElementUnknown | Element:
        for other in types[1:]:
            if not unify_elements(types[0].element, other.element):
                raise refuse("E0406", "the parts hold different kinds of numbers", term.span)
        return types[0].element

    def _cases(self, term: CaseTerm) -> Type:
        result = unknown_shape()
        shapes: list[Shape] = []
        conditions: list[Shape] = []
        spans: list[Span] = []
        element: ElementUnknown | Element = ElementUnknown()
        elements: list[ElementUnknown | Element] = []
        for condition, value in term.rows:
            if condition is not None:
                inner = self.of(condition)
                if not unify_elements(inner.element, Element.BOOLEAN):
                    raise refuse(
                        "E0406", "a condition is wanted here", condition.span, help=r"the rows of `cases` are `value & condition \\`"
                    )
                conditions.append(inner.shape)
                spans.insert(len(conditions) - 1, condition.span)
            if not isinstance(value, (NumberTerm, Constant)):
                shapes.append(self.of(value).shape)
                spans.append(value.span)
            elements.append(self.of(value).element)
        operands = (*conditions, *shapes)
        letters = (None,) * len(operands)
        op = "branch" if term.of_branch else "cases"
        self.pending.append(SumConstraint(term.span, operands, result, letters, False, op, tuple(spans), (), len(conditions)))
        if any(find_element(e) is Element.BOOLEAN for e in elements):
            for other in elements:
                if not unify_elements(other, Element.BOOLEAN):
                    raise refuse("E0406", "some rows are conditions and some are numbers", term.span)
            return Type(result, Element.BOOLEAN)
        self.joins.append(JoinElements(tuple(elements), element))
        return Type(result, element)

    # ---- calls ------------------------------------------------------------------------------

    def _call(self, site: CallSite) -> tuple[Type, ...]:
        known = self.sites.get(site)
        if known is not None:
            return known
        arguments = {name: self.of(term) for name, term in site.arguments}
        constraint = CallConstraint.make(self.unit, site, {n: t.shape for n, t in arguments.items()})
        for name, element in constraint.input_elements.items():
            if not unify_elements(arguments[name].element, element) and not (
                element is Element.REAL and find_element(arguments[name].element) is Element.INTEGER
            ):
                raise refuse("E0406", f"`{constraint.callee}` wants {element.value}s here", dict(site.arguments)[name].span)
        self.pending.append(constraint)
        found = tuple(Type(shape, element) for shape, element in constraint.results)
        self.sites[site] = found
        return found

    # ---- statements and the solution ---------------------------------------------------------

    def assign(self, assignment: Assignment) -> None:
        """The value of a statement has the type of its target."""
        target = self.of(Ref(assignment.symbol, assignment.positions, span=assignment.span))
        value = self.of(assignment.value)
        symbol = assignment.symbol
        if not isinstance(assignment.value, (NumberTerm, Constant)):
            self.equate(target.shape, value.shape, assignment.value.span, symbol.latex)
        if unify_elements(symbol.element, value.element):
            return
        left, right = find_element(symbol.element), find_element(value.element)
        if {left, right} == {Element.REAL, Element.INTEGER} and left is Element.REAL:
            return
        raise refuse("E0406", f"`{symbol.latex}` holds {_plural(left)}, and this value is {_singular(right)}", assignment.value.span)

    def adopt(self, family: Symbol, symbol: Symbol, at: Poly) -> None:
        """A header symbol that is an element of a family has the shape and kind of one."""
        rows: tuple[Position, ...] = (Whole(),) * (family.subscripts - 1)
        if family.has_superscript:
            own = self.unit.shapes.split(symbol.shape, 1).prefix[0]
            lower = symbol.lower(0, self.unit.base)
            rows = (*rows, SliceIndex(Range(lower, lower + own - 1)))
        element = self.of(Ref(family, (at, *rows), span=symbol.span))
        self.equate(element.shape, symbol.shape, symbol.span, symbol.latex)
        if not unify_elements(family.element, symbol.element):
            raise refuse("E0406", f"`{symbol.latex}` holds another kind of number than its family", symbol.span)

    def of_result(self, term: Term) -> None:
        """Type what is returned: a tuple by its items."""
        if isinstance(term, TupleTerm):
            for item in term.items:
                self.of_result(item)
        else:
            self.of(term)

    def equate(self, left: Shape, right: Shape, span: Span, what: str) -> None:
        """Two shapes are the same, else an error that shows both."""
        if not self.unit.shapes.unify(left, right):
            raise refuse(
                "E0401",
                f"`{what}` has the shape {show_shape(self.unit, left)}, and this value has {show_shape(self.unit, right)}",
                span,
                help="check the sizes, or declare the shapes in a `where` table",
            )

    def solve(self) -> None:
        """Solve all constraints; then the defaults, stage by stage, each followed by all that it settles."""
        self._advance(self.pending)
        stage = 0
        while stage < STAGES and not self.unit.is_faulty:  # beside a mistake a default would decide from half of what is known
            settled = False
            for constraint in list(self.pending):
                if not constraint.is_solved and self._settle(constraint, stage):
                    settled = True
                    self._advance([constraint])
            self.pending = [c for c in self.pending if not c.is_solved]
            stage = 0 if settled else stage + 1
        if self.unit.is_faulty:
            return
        for constraint in self.pending:
            open_shape = refuse("E0405", "the shapes here stay open", constraint.span, help="declare the arrays in a `where` table")
            self.unit.report(open_shape)
        self._settle_elements()

    def _advance(self, ready: Sequence[Constraint]) -> None:
        """Solve what can be solved, then what that makes known, and so on."""
        woken = self.unit.shapes.woken
        queue = deque(ready)
        while queue:
            constraint = queue.popleft()
            if not constraint.is_solved:
                self._attempt(constraint)
            while woken:
                watcher = woken.pop()
                if isinstance(watcher, Constraint) and not watcher.is_solved:
                    queue.append(watcher)

    def _settle(self, constraint: Constraint, stage: int) -> bool:
        try:
            return constraint.settle(self.unit, stage)
        except MathdslError as error:
            self.unit.report(error)
            constraint.is_solved = True
            return False

    def _attempt(self, constraint: Constraint) -> None:
        try:
            constraint.advance(self.unit)
        except MathdslError as error:
            self.unit.report(error)
            constraint.is_solved = True

    def _settle_elements(self) -> None:
        waiting = list(self.joins)
        while waiting:
            left = [join for join in waiting if not join.solve()]
            if len(left) == len(waiting):
                left[0].settle()
            waiting = left
        for join in self.joins:
            if join.span is not None and find_element(join.result) is Element.BOOLEAN:
                help = r"write `\mathbb{1}[c]` for 1 where `c` holds"
                self.unit.report(refuse("E0406", "a number stands where a condition is wanted", join.span, help=help))
        for symbol in self.unit.symbols.values():
            if isinstance(element := find_element(symbol.element), ElementUnknown):
                element.bound = element.leaning or Element.REAL
        for known in self.types.values():
            if isinstance(element := find_element(known.element), ElementUnknown):
                element.bound = element.leaning or Element.REAL

    # ---- after solving ----------------------------------------------------------------------

    def axes(self, term: Term) -> tuple[Poly, ...]:
        """The sizes of a term's axes, once solved."""
        shape = self.unit.shapes.known(self.of(term).shape)
        return () if shape is None else shape

    def element(self, term: Term) -> Element:
        """The element type of a term, once solved."""
        element = find_element(self.of(term).element)
        return Element.REAL if isinstance(element, ElementUnknown) else element


def _plural(element: ElementUnknown | Element) -> str:
    return "numbers" if isinstance(element, ElementUnknown) else element.value + "s"


def _singular(element: ElementUnknown | Element) -> str:
    return "a number" if isinstance(element, ElementUnknown) else element.value
