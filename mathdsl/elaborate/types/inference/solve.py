"""The solution of all constraints, in any order, and of what types alone leave open.

That is decided last, stage by stage: a value that plain numbers define is a number, a capital letter that multiplies from the
left is a matrix and a lower-case letter a vector, what stands beside a known shape in a sum has that shape, the result of an
opaque module is a vector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from mathdsl.diagnostics.model import MathdslError
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.terms import NumberTerm
from mathdsl.elaborate.types.constraints.base import STAGES, Constraint
from mathdsl.elaborate.types.constraints.joins import JoinElements
from mathdsl.elaborate.types.inference.numbers import settle_first_values, settle_numbers
from mathdsl.elaborate.types.inference.state import Inference
from mathdsl.elaborate.types.inference.statements import real_for_integer
from mathdsl.elaborate.types.shapes import ElementUnknown, find_element, leans_real, unify_elements
from mathdsl.ir.nodes import Element

_ATTEMPTS = 100  # for each shape of a constraint, which is told its axes one by one at most


def solve_constraints(inference: Inference) -> None:
    """Solve all constraints; then the defaults, stage by stage, each followed by all that it settles."""
    most = _most(inference)
    settle_numbers(inference, is_first=True)
    _advance(inference, inference.pending, most)
    stage = 0
    while stage < STAGES and not inference.types.findings.is_faulty:  # beside a mistake a default would decide from half of what is known
        settled = stage == 0 and any([settle_numbers(inference), settle_first_values(inference)])
        _advance(inference, inference.pending if settled else (), most)
        for constraint in list(inference.pending):
            if not constraint.is_solved and _settle(inference, constraint, stage):
                settled = True
                _advance(inference, [constraint], most)
        inference.pending = [c for c in inference.pending if not c.is_solved]
        stage = 0 if settled else stage + 1
    if inference.types.findings.is_faulty:
        return
    for constraint in inference.pending:
        open_shape = refuse("E0405", "the shapes here stay open", constraint.span, help="declare the arrays in a `where` table")
        inference.types.findings.report(open_shape)
    _settle_elements(inference)


def solve_what_is_known(inference: Inference) -> None:
    """Solve the constraints that need no default, and none that others tell later."""
    _advance(inference, inference.pending, _most(inference))


def _most(inference: Inference) -> int:
    return _ATTEMPTS * sum(1 + len(constraint.shapes()) for constraint in inference.pending)


def _advance(inference: Inference, ready: Sequence[Constraint], most: int) -> None:
    """Solve what can be solved, then what that makes known, and so on; after that many attempts in all, no more of it."""
    woken = inference.types.shapes.woken
    queue = deque(ready)
    while queue:
        constraint = queue.popleft()
        if not constraint.is_solved:
            inference.attempts += 1
            if inference.attempts > most:
                _give_up(inference, constraint)
                return
            _attempt(inference, constraint)
        while woken:
            watcher = woken.pop()
            if isinstance(watcher, Constraint) and not watcher.is_solved:
                queue.append(watcher)


def _give_up(inference: Inference, constraint: Constraint) -> None:
    """What becomes known of these shapes only opens more of them."""
    help = "declare the arrays in a `where` table"
    inference.types.findings.report(refuse("E0405", "the shapes here do not come to an end", constraint.span, help=help))
    constraint.is_solved = True


def _settle(inference: Inference, constraint: Constraint, stage: int) -> bool:
    """Whether the default of this stage makes something known: a default that says what is known already would be asked for ever."""
    before = _known(inference)
    try:
        return constraint.settle(inference.types, stage) and _known(inference) != before
    except MathdslError as error:
        inference.types.findings.report(error)
        constraint.is_solved = True
        return False


def _known(inference: Inference) -> tuple[int, int]:
    """How much is known: it only grows."""
    return inference.types.shapes.bindings, len(inference.types.solver.solution)


def _attempt(inference: Inference, constraint: Constraint) -> None:
    try:
        constraint.advance(inference.types)
    except MathdslError as error:
        inference.types.findings.report(error)
        constraint.is_solved = True


def _settle_zeros(joins: Sequence[JoinElements]) -> None:
    r"""Zeros of `\mathbf{0}_n` are integers where their elements index, by themselves or as parts of what does, and else reals."""

    def open_ones(those: Sequence[JoinElements]) -> list[ElementUnknown]:
        found = (find_element(element) for join in those for element in (*join.operands, join.result))
        return [element for element in found if isinstance(element, ElementUnknown) and leans_real(element)]

    waiting = joins if open_ones(joins) else ()
    while indexing := [join for join in waiting if find_element(join.result) is Element.INTEGER]:
        waiting = [join for join in waiting if find_element(join.result) is not Element.INTEGER]
        for join in indexing:
            join.solve()
    for element in open_ones(waiting):
        unify_elements(element, Element.REAL)


def _settle_elements(inference: Inference) -> None:
    _settle_zeros(inference.joins)
    waiting = list(inference.joins)
    while waiting:
        left = [join for join in waiting if not join.solve()]
        if len(left) == len(waiting):
            left[0].settle()
            left[0].solve()
            left = left[1:]
        waiting = left
    while any(join.carry_real() for join in inference.joins):
        pass
    for join in inference.joins:
        help = r"write `\mathbb{1}[c]` for 1 where `c` holds"
        if join.span is not None and find_element(join.result) is Element.BOOLEAN:
            compared = r"compare it, as in `x \neq 0`"
            inference.types.findings.report(refuse("E0406", "a number stands where a condition is wanted", join.span, help=compared))
        elif join.span is not None and join.compares_kinds:
            inference.types.findings.report(refuse("E0406", "a condition is compared with a number", join.span, help=help))
        if join.rows is not None and (join.compares_kinds or join.gives_numbers_for_truth):
            inference.types.findings.report(refuse("E0406", "some rows are conditions and some are numbers", join.rows, help=help))
        place = join.span or join.rows
        if place is not None and join.is_contradicted:
            help = r"round it with `\lfloor … \rfloor`, or declare the symbols in it as integers"
            wanted = refuse("E0406", "this is real, and an integer is wanted here", place, help=help)
            inference.types.findings.report(real_for_integer(inference, join) or wanted)
    for assignment, _ in inference.values:
        value, name = assignment.value, assignment.symbol.latex
        is_number = isinstance(value, NumberTerm) and not isinstance(value.value, bool)
        if is_number and find_element(assignment.symbol.element) is Element.BOOLEAN:
            help = rf"write `{name} = 1` for the condition, or `{name} \gets \text{{true}}` for the value"
            inference.types.findings.report(refuse("E0406", f"`{name}` is a condition, and this is a number", value.span, help=help))
    for symbol in inference.types.entries.symbols.values():
        if isinstance(element := find_element(symbol.element), ElementUnknown):
            element.bound = element.leaning or Element.REAL
    for known in inference.known.values():
        if isinstance(element := find_element(known.element), ElementUnknown):
            element.bound = element.leaning or Element.REAL
