"""The passes on tensor programs in their order, with the reason for each place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mathdsl.dataclass import dataclass
from mathdsl.tensors.names import Names
from mathdsl.tensors.passes.choose_storage import choose_storage
from mathdsl.tensors.passes.mask_softmaxes import mask_softmaxes
from mathdsl.tensors.passes.name_values import name_values
from mathdsl.tensors.passes.plan_contractions import plan_contractions
from mathdsl.tensors.passes.share_parts import share_parts
from mathdsl.tensors.passes.take_addends import take_addends
from mathdsl.tensors.statements import TensorProgram


@dataclass(frozen=True, slots=True)
class Pass:
    """A change of a tensor program; `reason` says why it stands where it does."""

    name: str
    run: Callable[[TensorProgram, Names], TensorProgram]
    reason: str


PIPELINE: tuple[Pass, ...] = (
    Pass("choose_storage", choose_storage, "before what asks for locals and tables"),
    Pass("plan_contractions", plan_contractions, "before what looks at products: the back end spells products alone"),
    Pass("take_addends", take_addends, "after plan_contractions: products take up what is added to them"),
    Pass("mask_softmaxes", mask_softmaxes, "before share_parts: it knows a softmax between two masks, which a local would part"),
    Pass("share_parts", share_parts, "after all that makes values: what they become is equal where it is computed twice"),
    Pass("name_values", name_values, "last: names are made of what has become of formulas"),
)


def run_tensor_passes(program: TensorProgram, names: Names, passes: Sequence[Pass]) -> TensorProgram:
    """The tensor program after passes; new locals get their names of `names`."""
    for step in passes:
        program = step.run(program, names)
    return program
