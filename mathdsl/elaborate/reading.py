"""A program whose statements are read and typed: what is written out as a module, read back in words, and listed in tables."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.elaborate.declare.declare import Declared
from mathdsl.elaborate.names.families_apart import Apart
from mathdsl.elaborate.terms.drafts import Body
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.solvers import Types


@dataclass(frozen=True)
class Reading:
    """Terms with their types, and what is wrong with them; `apart` are arrays of one letter."""

    declared: Declared
    body: Body
    inference: Inference
    firsts: FirstIndices
    latex: str
    apart: tuple[Apart, ...] = ()

    @property
    def types(self) -> Types:
        """What the solvers found."""
        return self.inference.types
