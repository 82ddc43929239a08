"""The passes in their order, with the reason for each place; the program is verified after each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mathdsl.ir.nodes import Program
from mathdsl.ir.selecting import UnknownName
from mathdsl.ir.verified import Verified
from mathdsl.ir.verifying import verify
from mathdsl.passes.batch_axes import batch_axes
from mathdsl.passes.bound_reads import bound_reads
from mathdsl.passes.check_domains import check_domains
from mathdsl.passes.choose_schedules import choose_schedules
from mathdsl.passes.drop_dead_values import drop_dead_values
from mathdsl.passes.fill_branches import fill_branches
from mathdsl.passes.fuse_products import fuse_products
from mathdsl.passes.gather_joins import gather_joins
from mathdsl.passes.hoist_invariants import hoist_invariants
from mathdsl.passes.inline_modules import inline_modules
from mathdsl.passes.peel_recurrences import peel_recurrences
from mathdsl.passes.retarget_calls import retarget_calls
from mathdsl.passes.split_domains import split_domains
from mathdsl.passes.stabilise import stabilise


@dataclass(frozen=True, slots=True)
class Pass:
    """A change of the program, under the name that `--stop-after` takes; `reason` says why it stands where it does."""

    name: str
    run: Callable[[Program], Program]
    reason: str


PIPELINE: tuple[Pass, ...] = (
    Pass("inline_modules", inline_modules, "first, so that every later pass sees through calls"),
    Pass("retarget_calls", retarget_calls, "after inlining: it is about the calls that stay"),
    Pass("stabilise", stabilise, "while formulas are whole: hoisting may part a logarithm from its softmax"),
    Pass("fill_branches", fill_branches, "after stabilise, before what moves work about, which must see what a branch computes"),
    Pass("split_domains", split_domains, "before hoisting: work is moved out of an equation, but not out of a branch"),
    Pass("peel_recurrences", peel_recurrences, "before hoisting and fusing, which then see one range in each loop"),
    Pass("check_domains", check_domains, "when each equation has its own domain, and before padding widens any"),
    Pass("hoist_invariants", hoist_invariants, "before fusing: what leaves a recurrence fuses with its like outside"),
    Pass("gather_joins", gather_joins, "before batching, which then sees where each example's parts end, and after what moves equations"),
    Pass("batch_axes", batch_axes, "after hoisting, which must not move work across guards against padding"),
    Pass("fuse_products", fuse_products, "when products stand where they stay"),
    Pass("drop_dead_values", drop_dead_values, "after every pass that leaves something unread behind"),
    Pass("choose_schedules", choose_schedules, "when the steps stay: it orders them, and renames their indices"),
    Pass("bound_reads", bound_reads, "last: whether a branch can be left out depends on what is a loop"),
)


def check_name(name: str) -> None:
    """An `UnknownName` where no pass is called so."""
    names = [step.name for step in PIPELINE]
    if name not in names:
        raise UnknownName(f"there is no pass {name}; the passes are {', '.join(names)}")


def run_passes(
    program: Program,
    stop_after: str | None = None,
    on_pass: Callable[[Pass, Program], None] | None = None,
    verified: Verified | None = None,
) -> Program:
    """The program after all passes, or after the one called `stop_after`.

    `on_pass` sees each pass with the program that it made; `verified` is what is known to be right of `program`.
    Raises `MathdslError` where no order of computation exists.
    """
    verified = verified or Verified()
    for step in PIPELINE:
        program = step.run(program)
        verify(program, step.name, verified)
        if on_pass is not None:
            on_pass(step, program)
        if step.name == stop_after:
            break
    return program
