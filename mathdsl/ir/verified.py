"""What verifications between passes remember: most equations go through most passes as they are."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.dataclass import dataclass, field
from mathdsl.ir.nodes import Array, Equation, Module
from mathdsl.ir.traversal import step_reads
from mathdsl.ir.verifying_expressions import Names


@dataclass
class VerifiedEquations:
    """The equations of one module that were right, each with the declarations of the arrays that it mentions."""

    names: Names
    _right: dict[int, tuple[Equation, tuple[Array, ...]]] = field(default_factory=dict)  # by identity: comparing takes as long

    def holds(self, equation: Equation, arrays: Mapping[str, Array]) -> bool:
        """Whether this very equation was right with the same declarations."""
        _, mentioned = self._right.get(id(equation), (equation, None))
        return mentioned is not None and all(_is_same(array, arrays.get(array.name)) for array in mentioned)

    def note(self, equation: Equation, arrays: Mapping[str, Array]) -> None:
        """Remember that the equation is right with these declarations."""
        mentioned = dict.fromkeys((equation.target, *(read.array for read in step_reads(equation))))
        self._right[id(equation)] = equation, tuple(arrays[name] for name in mentioned)


def _is_same(before: Array, now: Array | None) -> bool:
    return now is before or now is not None and (now.kind, now.element, now.ranges) == (before.kind, before.element, before.ranges)


class Verified:
    """What is known to be right of the modules of a program on its way through the passes."""

    def __init__(self) -> None:
        self._modules: dict[str, VerifiedEquations] = {}
        self._whole: dict[str, tuple[Module, ...]] = {}

    def holds(self, module: Module, callees: tuple[Module, ...]) -> bool:
        """Whether this very module was right, with these very modules as its callees: a pass that declines leaves it so."""
        known = self._whole.get(module.name, ())
        return len(known) == len(callees) + 1 and all(a is b for a, b in zip(known, (module, *callees), strict=True))

    def note(self, module: Module, callees: tuple[Module, ...]) -> None:
        """Remember that the module is right with these callees."""
        self._whole[module.name] = module, *callees

    def of(self, module: str, names: Names) -> VerifiedEquations:
        """The verified equations of a module; none where its sizes or settings are others than before."""
        known = self._modules.get(module)
        if known is None or (known.names.sizes, known.names.settings) != (names.sizes, names.settings):
            known = self._modules[module] = VerifiedEquations(names)
        return known
