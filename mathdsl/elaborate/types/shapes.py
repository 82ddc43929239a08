"""Shapes while they are being inferred: a known prefix of axes, and perhaps an unknown rest."""

from __future__ import annotations

from typing import Protocol

from mathdsl.dataclass import dataclass, field
from mathdsl.elaborate.types.sizes import SizeSolver
from mathdsl.ir.nodes import Element
from mathdsl.ir.sizes import Poly


class Watcher(Protocol):
    """What waits for a shape to become known: a constraint."""

    @property
    def is_solved(self) -> bool: ...


@dataclass(eq=False)
class ShapeUnknown:
    """A shape that is not known yet; `bound` once it is. `watchers` want to be told then."""

    bound: Shape | None = None
    watchers: dict[Watcher, None] = field(default_factory=dict)


@dataclass(frozen=True)
class Shape:
    """Axes left to right, then what `rest` stands for (nothing where it is None)."""

    prefix: tuple[Poly, ...]
    rest: ShapeUnknown | None = None


SCALAR = Shape(())


def unknown_shape() -> Shape:
    """A shape of which nothing is known."""
    return Shape((), ShapeUnknown())


def expand(shape: Shape) -> Shape:
    """The shape with all that is known of its rest; the next one who asks goes half the way."""
    while (rest := shape.rest) is not None and (bound := rest.bound) is not None:
        if bound.rest is not None and bound.rest.bound is not None:
            bound = rest.bound = _followed(bound.prefix, bound.rest.bound)
        shape = _followed(shape.prefix, bound)
    return shape


def _followed(prefix: tuple[Poly, ...], shape: Shape) -> Shape:
    return Shape(prefix + shape.prefix, shape.rest) if prefix else shape


def rank_of(shape: Shape) -> int | None:
    """How many axes, or None."""
    shape = expand(shape)
    return len(shape.prefix) if shape.rest is None else None


@dataclass(eq=False)
class ElementUnknown:
    r"""The element type of a term while it is being inferred.

    `leaning` is what a literal would like it to be: an integer literal goes with reals, too, and the zeros of `\mathbf{0}_n` are reals
    unless their elements are used as indices.
    """

    bound: ElementUnknown | Element | None = None
    leaning: Element | None = None


def find_element(element: ElementUnknown | Element) -> ElementUnknown | Element:
    """What an element type is known to be."""
    while isinstance(element, ElementUnknown) and element.bound is not None:
        element = element.bound
    return element


def is_one_element(left: ElementUnknown | Element, right: ElementUnknown | Element) -> bool:
    """Whether two element types were made the same before either was known."""
    ends: list[ElementUnknown | Element] = []
    for element in (left, right):
        while isinstance(element, ElementUnknown) and isinstance(element.bound, ElementUnknown):
            element = element.bound
        ends.append(element)
    return isinstance(ends[0], ElementUnknown) and ends[0] is ends[1]


def unify_elements(left: ElementUnknown | Element, right: ElementUnknown | Element) -> bool:
    """Make two element types the same; False where they differ."""
    left, right = find_element(left), find_element(right)
    match left, right:
        case ElementUnknown(), ElementUnknown() if left is not right:
            right.leaning = Element.REAL if leans_real(left) else right.leaning or left.leaning
            left.bound = right
        case (ElementUnknown() as unknown, Element() as known) | (Element() as known, ElementUnknown() as unknown):
            if leans_real(unknown) and known is Element.BOOLEAN:
                return False
            unknown.bound = known
    return left is right or find_element(left) is find_element(right)


def leans_real(element: ElementUnknown | Element) -> bool:
    """Whether nothing is known but that these are reals where nobody wants integers."""
    return isinstance(element, ElementUnknown) and element.leaning is Element.REAL


@dataclass
class ShapeSolver:
    """Unification of shapes over a `SizeSolver`. `woken` collects the watchers of what became known, `bindings` counts it."""

    sizes: SizeSolver
    woken: list[Watcher] = field(default_factory=list)
    bindings: int = 0

    def bind(self, unknown: ShapeUnknown, shape: Shape) -> None:
        """Say what an unknown shape is."""
        unknown.bound = shape
        self.bindings += 1
        self.woken.extend(unknown.watchers)
        unknown.watchers.clear()

    def split(self, shape: Shape, rank: int) -> Shape:
        """The shape with at least `rank` axes in its prefix (new unknown sizes where the rest was open)."""
        shape = expand(shape)
        while len(shape.prefix) < rank and shape.rest is not None:
            self.bind(shape.rest, Shape((self.sizes.fresh(),), ShapeUnknown()))
            shape = expand(shape)
        return shape

    def unify(self, left: Shape, right: Shape) -> bool:
        """Make two shapes the same; False where they differ in rank or in a size."""
        left, right = expand(left), expand(right)
        if left.rest is not None and left.rest is right.rest and len(left.prefix) != len(right.prefix):
            return False  # an array that is an element of itself
        left, right = self._align(left, right)
        if len(left.prefix) != len(right.prefix):
            return False
        if not all(self.sizes.unify(a, b) for a, b in zip(left.prefix, right.prefix, strict=True)):
            return False
        match left.rest, right.rest:
            case None, None:
                return True
            case ShapeUnknown() as open_rest, other:
                if open_rest is not other:
                    self.bind(open_rest, Shape((), other))
                return True
            case None, ShapeUnknown() as open_rest:
                self.bind(open_rest, SCALAR)
                return True
        return False

    def _align(self, left: Shape, right: Shape) -> tuple[Shape, Shape]:
        rank = max(len(left.prefix), len(right.prefix))
        if len(left.prefix) < rank and left.rest is not None:
            left = self._bind_prefix(left, right.prefix[len(left.prefix) :])
        elif len(right.prefix) < rank and right.rest is not None:
            right = self._bind_prefix(right, left.prefix[len(right.prefix) :])
        return left, right

    def _bind_prefix(self, shape: Shape, more: tuple[Poly, ...]) -> Shape:
        assert shape.rest is not None
        self.bind(shape.rest, Shape(more, ShapeUnknown()))
        return expand(shape)

    def known(self, shape: Shape) -> tuple[Poly, ...] | None:
        """The axes of a shape of known rank, with solved sizes put in; None where the rank is open."""
        shape = expand(shape)
        return None if shape.rest is not None else tuple(self.sizes.value(p) for p in shape.prefix)
