"""A program whose statements are read and typed: what is written out as a module, read back in words, and listed in tables."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.elaborate.declare.stated import NOTHING_STATED, Stated
from mathdsl.elaborate.names.families_apart import Apart
from mathdsl.elaborate.terms.drafts import Body
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Term
from mathdsl.elaborate.types.first_indices import FirstIndices
from mathdsl.elaborate.types.inference import Inference
from mathdsl.elaborate.types.solvers import Types
from mathdsl.ir import nodes as ir


@dataclass(frozen=True)
class Reading:
    """Terms with their types, and what is wrong with them."""

    reader: Reader
    inference: Inference
    firsts: FirstIndices
    body: Body
    result: Term | None
    checks: list[tuple[Term, ir.Origin]]
    latex: str
    returned: ir.Origin
    stated: Stated = NOTHING_STATED
    apart: tuple[Apart, ...] = ()

    @property
    def types(self) -> Types:
        """What the solvers found."""
        return self.inference.types
