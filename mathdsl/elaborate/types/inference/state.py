"""What is inferred so far of one program: a type for each term, and the constraints that wait to be solved."""

from __future__ import annotations

from collections.abc import Callable

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.collected import Assignment
from mathdsl.elaborate.terms.guards import Facts
from mathdsl.elaborate.terms.terms import CallSite, Ref, Term, Whole, subterms
from mathdsl.elaborate.types.constraints.base import Constraint
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.shapes import ElementUnknown, Shape, expand, find_element, unify_elements, unknown_shape
from mathdsl.elaborate.types.solvers import Types
from mathdsl.elaborate.types.written_shapes import show_shape, where_sizes_are
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly
from mathdsl.ops.model import NUMBERS
from mathdsl.spans import Span


@dataclass(frozen=True)
class Type:
    """The type of a term, in the solvers' terms."""

    shape: Shape
    element: ElementUnknown | Element


def unknown_type() -> Type:
    """A type of which nothing is known."""
    return Type(unknown_shape(), ElementUnknown())


@dataclass
class Inference:
    """All types of one program; `rule` infers that of a term. Once its constraints are solved, every shape is known."""

    types: Types
    rule: Callable[[Inference, Term], Type]
    known: dict[Term, Type] = field(default_factory=dict)
    pending: list[Constraint] = field(default_factory=list)
    joins: list[JoinElements] = field(default_factory=list)
    sites: dict[CallSite, tuple[Type, ...]] = field(default_factory=dict)
    values: list[tuple[Assignment, ElementUnknown | Element]] = field(default_factory=list)  # and what they were known to hold
    attempts: int = 0  # at solving a constraint so far
    facts: Facts = field(default_factory=Facts)  # what the conditions of the rows say whose types are asked for

    def of(self, term: Term) -> Type:
        """The type of a term; the same answer each time."""
        known = self.known.get(term)
        if known is None:
            try:
                known = self.rule(self, term)
            except MathdslError as error:
                self.types.findings.report(error)
                known = unknown_type()
            self.known[term] = known
        return known

    def shape(self, term: Term) -> Shape:
        """The shape of a term."""
        return self.of(term).shape

    def equate(self, left: Shape, right: Shape, span: Span, what: str) -> None:
        """Two shapes are the same, else an error that shows both."""
        if not self.types.shapes.unify(left, right):
            raise refuse(
                "E0401",
                f"`{what}` has the shape {show_shape(self.types, left)}, and this value has {show_shape(self.types, right)}",
                span,
                labels=where_sizes_are(self.types, span, left, right),
                help="check the sizes, or declare the shapes in a `where` table",
            )

    # ---- once solved ------------------------------------------------------------------------

    def axes(self, term: Term) -> tuple[Poly, ...]:
        """The sizes of a term's axes."""
        shape = self.types.shapes.known(self.of(term).shape)
        return () if shape is None else shape

    def element(self, term: Term) -> Element:
        """The element type of a term."""
        element = find_element(self.of(term).element)
        return Element.REAL if isinstance(element, ElementUnknown) else element


def element_of(
    inference: Inference, term: Term, elements: list[ElementUnknown | Element], operands: tuple[Element, ...], result: Element | None
) -> ElementUnknown | Element:
    """The element type of an operation, by the kinds that its row wants of operands and gives (None: what the operands join to)."""
    if operands == (Element.BOOLEAN,):
        for element in elements:
            if not unify_elements(element, Element.BOOLEAN):
                help = r"compare it, as in `x \neq 0`"
                raise refuse("E0406", "a condition is wanted here, and a number is given", term.span, help=help)
        return Element.BOOLEAN
    if all(kind in NUMBERS for kind in operands) and any(find_element(e) is Element.BOOLEAN for e in elements):
        place = next((s.span for s, e in zip(subterms(term), elements, strict=False) if find_element(e) is Element.BOOLEAN), term.span)
        raise refuse("E0406", "a boolean is no number", place, help=r"write `\mathbb{1}[c]` for 1 where `c` holds")
    if Element.BOOLEAN in operands and any(find_element(e) is Element.BOOLEAN for e in elements):
        if not all(unify_elements(e, Element.BOOLEAN) for e in elements):
            help = r"write `\mathbb{1}[c]` for 1 where `c` holds"
            raise refuse("E0406", "a condition is compared with a number", term.span, help=help)
        return Element.BOOLEAN
    if operands == (Element.INTEGER,):
        for part, element in zip(subterms(term), elements, strict=True):
            if not unify_elements(element, Element.INTEGER):
                advice = r"round it with `\lfloor … \rfloor`, or declare it in `\mathbb{N}`; of a real number take `\Gamma(x + 1)`"
                raise refuse("E0406", "an integer is wanted here, and a real number is given", part.span, help=advice)
    if Element.INTEGER not in operands:
        return Element.REAL if result is None else result
    joined = ElementUnknown()
    inference.joins.append(JoinElements(tuple(elements), joined, term.span))
    return joined if result is None else result


def last_axis(term: Term) -> tuple[Ref, int] | None:
    """The array whose last axis a value has, and its number; None of what is computed, and of an element."""
    axis = len(expand(term.symbol.shape).prefix) - 1 if isinstance(term, Ref) else -1
    if not isinstance(term, Ref) or axis < len(term.positions) and not isinstance(term.positions[axis], Whole):
        return None
    return term, axis
