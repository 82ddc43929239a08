"""The passes on tensor programs in their order, with the reason for each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mathdsl.tensors.names import Names
from mathdsl.tensors.passes.mask_softmaxes import mask_softmaxes
from mathdsl.tensors.passes.name_results import name_results
from mathdsl.tensors.statements import TensorProgram


@dataclass(frozen=True, slots=True)
class Pass:
    """A change of a tensor program; `reason` says why it stands where it does."""

    name: str
    run: Callable[[TensorProgram, Names], TensorProgram]
    reason: str


PIPELINE: tuple[Pass, ...] = (
    Pass("mask_softmaxes", mask_softmaxes, "first: it knows a softmax between two masks, which naming may part"),
    Pass("name_results", name_results, "last: what is returned has become what it is"),
)


def run_tensor_passes(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program after all passes; new locals get their names of `names`."""
    for step in PIPELINE:
        program = step.run(program, names)
    return program
