"""Calls of the elements of stacks: which one is called, and whether the stack has it."""

from __future__ import annotations

from collections.abc import Iterator

from mathdsl.analysis.domains import leaves
from mathdsl.analysis.facts import facts_of_module
from mathdsl.ir.nodes import Call, Module, Range, Submodule
from mathdsl.ir.sizes import Poly


def element_calls(module: Module) -> Iterator[tuple[Call, Poly, Submodule]]:
    """The calls of an element of a stack, the index of the element, and the stack."""
    submodules = {submodule.path: submodule for submodule in module.submodules}
    for step in module.steps:
        if isinstance(step, Call) and step.at is not None:
            yield step, step.at, submodules[step.submodule]


def stack_range(stack: Submodule) -> Range:
    """The indices of a stack's elements; its parts follow one another."""
    return Range(stack.parts[0].range.lower, stack.parts[-1].range.upper)


def missing_elements(module: Module) -> Iterator[tuple[Call, Submodule, Poly]]:
    """The calls that reach an element which the stack does not have, whatever the sizes, and its index."""
    facts = facts_of_module(module)
    for call, at, stack in element_calls(module):
        found = leaves(at, stack_range(stack), facts.inside(call.axes))
        if found is not None and found.witness is not None:
            yield call, stack, at.substitute(dict(found.witness))
