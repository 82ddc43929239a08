"""The passes in their order, with the reason for each place; the program is verified after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.nodes import Program, ScheduledProgram
from mathdsl.ir.selecting import UnknownName
from mathdsl.ir.verified import Verified
from mathdsl.ir.verifying import verify
from mathdsl.passes.batch_axes import batch_axes
from mathdsl.passes.bound_reads import bound_reads
from mathdsl.passes.check_domains import check_domains
from mathdsl.passes.choose_schedules import choose_schedules
from mathdsl.passes.drop_dead_values import drop_dead_values
from mathdsl.passes.fill_branches import fill_branches
from mathdsl.passes.free_lengths import free_lengths
from mathdsl.passes.fuse_products import fuse_products
from mathdsl.passes.hand_on_arrays import hand_on_arrays
from mathdsl.passes.hoist_invariants import hoist_invariants
from mathdsl.passes.inline_modules import inline_modules
from mathdsl.passes.peel_recurrences import peel_recurrences
from mathdsl.passes.retarget_calls import retarget_calls
from mathdsl.passes.split_domains import split_domains
from mathdsl.passes.square_triangles import square_triangles
from mathdsl.passes.stabilise import stabilise

_Before = TypeVar("_Before", bound=Program)
_After = TypeVar("_After", bound=Program)


@dataclass(frozen=True, slots=True)
class Pass(Generic[_Before, _After]):
    """A change of the program, under the name that `--stop-after` takes; `reason` says why it stands where it does."""

    name: str
    run: Callable[[_Before], _After]
    reason: str


_OF_EQUATIONS: tuple[Pass[Program, Program], ...] = (
    Pass("inline_modules", inline_modules, "first, so that every later pass sees through calls"),
    Pass("retarget_calls", retarget_calls, "after inlining: it is about the calls that stay"),
    Pass("stabilise", stabilise, "while formulas are whole: hoisting may part a logarithm from its softmax"),
    Pass("fill_branches", fill_branches, "after stabilise, before what moves work about, which must see what a branch computes"),
    Pass("hand_on_arrays", hand_on_arrays, "before split_domains, which parts what is there before a loop from what is not"),
    Pass("split_domains", split_domains, "before hoisting: work is moved out of an equation, but not out of a branch"),
    Pass("peel_recurrences", peel_recurrences, "before hoisting and fusing, which then see one range in each loop"),
    Pass("check_domains", check_domains, "when each equation has its own domain, and before padding widens any"),
    Pass("square_triangles", square_triangles, "after the reads of triangles are looked at, before what moves and batches equations"),
    Pass("hoist_invariants", hoist_invariants, "before fusing: what leaves a recurrence fuses with its like outside"),
    Pass("free_lengths", free_lengths, "before batching, which then sees where each example's parts end, and after what moves equations"),
    Pass("batch_axes", batch_axes, "after hoisting, which must not move work across guards against padding"),
    Pass("fuse_products", fuse_products, "when products stand where they stay"),
    Pass("drop_dead_values", drop_dead_values, "after every pass that leaves something unread behind"),
)
_SCHEDULING = Pass("choose_schedules", choose_schedules, "when the steps stay: it orders them, and renames their indices")
_OF_SCHEDULES: tuple[Pass[ScheduledProgram, ScheduledProgram], ...] = (
    Pass("bound_reads", bound_reads, "last: whether a branch can be left out depends on what is a loop"),
)
PIPELINE: tuple[Pass[Program, Program] | Pass[Program, ScheduledProgram] | Pass[ScheduledProgram, ScheduledProgram], ...] = (
    *_OF_EQUATIONS,
    _SCHEDULING,
    *_OF_SCHEDULES,
)


def check_name(name: str) -> None:
    """An `UnknownName` where no pass is called so."""
    names = [step.name for step in PIPELINE]
    if name not in names:
        raise UnknownName(f"there is no pass {name}; the passes are {', '.join(names)}")


def passed(program: Program, verified: Verified | None = None) -> Iterator[tuple[str, Program]]:
    """The program after each pass, with the name of the pass; `verified` is what is known to be right of `program`.

    Raises `MathdslError` where no order of computation exists.
    """
    known = verified or Verified()
    for step in _OF_EQUATIONS:
        program = step.run(program)
        verify(program, step.name, known)
        yield step.name, program
    scheduled = _SCHEDULING.run(program)
    verify(scheduled, _SCHEDULING.name, known)
    yield _SCHEDULING.name, scheduled
    for last in _OF_SCHEDULES:
        scheduled = last.run(scheduled)
        verify(scheduled, last.name, known)
        yield last.name, scheduled


def run_until(program: Program, stop_after: str, verified: Verified | None = None) -> Program:
    """The program after the pass called `stop_after`."""
    return next(after for name, after in passed(program, verified) if name == stop_after)


def run_passes(program: Program, verified: Verified | None = None) -> ScheduledProgram:
    """The program after all passes."""
    *_, (_, last) = passed(program, verified)
    if not isinstance(last, ScheduledProgram):
        raise InternalError("the passes chose no schedules")
    return last
