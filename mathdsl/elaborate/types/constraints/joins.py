"""The element type of arithmetic."""

from __future__ import annotations

from mathdsl.dataclass import dataclass
from mathdsl.elaborate.types.shapes import ElementUnknown, find_element, unify_elements
from mathdsl.ir.nodes import Element
from mathdsl.spans import Span


@dataclass(eq=False)
class JoinElements:
    """The element type of arithmetic: integers become real where one operand is real."""

    operands: tuple[ElementUnknown | Element, ...]
    result: ElementUnknown | Element
    span: Span | None = None  # of arithmetic, whose result is no condition
    rows: Span | None = None  # of the rows of `cases`
    is_contradicted: bool = False

    def solve(self) -> bool:
        """Find the result where enough is known."""
        if find_element(self.result) is Element.INTEGER:  # an index: arithmetic gives one of integers alone
            agree = [unify_elements(operand, Element.INTEGER) for operand in self.operands]
            self.is_contradicted = not all(agree)
            return True
        found = [find_element(o) for o in self.operands]
        if Element.REAL in found:
            self._give(Element.REAL)
            return all(isinstance(f, Element) or f.leaning is not None for f in found)
        if all(f is Element.INTEGER or isinstance(f, ElementUnknown) and f.leaning is Element.INTEGER for f in found):
            if any(isinstance(f, ElementUnknown) for f in found):
                result = find_element(self.result)
                if isinstance(result, ElementUnknown):
                    result.leaning = Element.INTEGER
                return True
            self._give(Element.INTEGER)
            return True
        return all(isinstance(f, Element) for f in found)

    def carry_real(self) -> bool:
        """Whether an operand that became real late, around a loop, makes the result real."""
        found = [find_element(operand) for operand in self.operands]
        if Element.REAL not in found or not isinstance(find_element(self.result), ElementUnknown):
            return False
        self._give(Element.REAL)
        return True

    def settle(self) -> None:
        """Nothing tells: what is no literal is real."""
        for operand in self.operands:
            if isinstance(found := find_element(operand), ElementUnknown) and found.leaning is None:
                found.bound = Element.REAL

    @property
    def compares_kinds(self) -> bool:
        """Whether a condition, found to be one late, stands beside what is none."""
        found = [find_element(operand) for operand in self.operands]
        return Element.BOOLEAN in found and any(f is not Element.BOOLEAN for f in found)

    @property
    def gives_numbers_for_truth(self) -> bool:
        """Whether the result is to be a condition, and an operand is a number."""
        kinds = [f if isinstance(f, Element) else f.leaning for f in map(find_element, self.operands)]
        return find_element(self.result) is Element.BOOLEAN and any(kind in (Element.REAL, Element.INTEGER) for kind in kinds)

    def _give(self, element: Element) -> None:
        result = find_element(self.result)
        if isinstance(result, ElementUnknown):
            unify_elements(result, element)
