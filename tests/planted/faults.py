"""Faults as data: small edits of the compiler that somebody could make, each with the tests that must notice.

Those tests compute: values, gradients, laws. None compares a text. The faults were chosen before the tests ran.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """`old` stands exactly once in `file` and becomes `new`; at least one of `tests` (files or node ids) must then fail."""

    name: str
    file: str
    old: str
    new: str
    says: str
    tests: tuple[str, ...]


FAULTS: tuple[Fault, ...] = (
    # ---- elaboration -----------------------------------------------------------------------------
    Fault(
        "outer_product_turned",
        "mathdsl/elaborate/lower/arithmetic.py",
        "_times(lowering.at(term.left, point[:1]), lowering.at(term.right, point[1:]), element)",
        "_times(lowering.at(term.left, point[1:]), lowering.at(term.right, point[:1]), element)",
        r"`u v^\top` has the elements of `v u^\top`",
        ("tests/test_programs.py::test_a_formula_gives_its_known_answer",),
    ),
    Fault(
        "slice_from_the_start",
        "mathdsl/elaborate/lower/rules.py",
        "rest.pop(0) + lowering.poly(bounds.lower)",
        "rest.pop(0) + lowering.first(symbol, axis)",
        "`x[3:5]` begins where the array does",
        ("tests/test_hand_computed.py",),
    ),
    Fault(
        "last_turn_but_one",
        "mathdsl/elaborate/core/equations.py",
        "self.meanings[entry.after] = Meaning(version, (*around, last))",
        "self.meanings[entry.after] = Meaning(version, (*around, loop.before(last)))",
        "after a loop a carried name has the value of the turn before the last",
        ("tests/test_hand_computed.py",),
    ),
    Fault(
        "fourth_power_is_a_square",
        "mathdsl/elaborate/lower/arithmetic.py",
        "half = base if count < 4 else",
        "half = base if count <= 4 else",
        "`A^4` is `A A`",
        ("tests/test_hand_computed.py",),
    ),
    # ---- passes ----------------------------------------------------------------------------------
    Fault(
        "condition_does_not_guard",
        "mathdsl/ir/evaluation.py",
        """        case Apply(op="and" | "or" as op, arguments=(left, _)):
            return place, place.assuming(left, op == "and")
""",
        "",
        r"work behind `\land` and `\lor` is hoisted although the left side may say that it must not run",
        ("tests/test_passes_random.py::test_the_right_side_of_a_connective_stays_behind_its_left",),
    ),
    Fault(
        "state_of_a_call_is_not_reset",
        "mathdsl/passes/pad_module.py",
        "steps[number] = replace(step, arguments=tuple(_reset_argument(a, state, axis) for a in step.arguments))",
        "continue",
        "a module that is called in a recurrence gets a state that grows through the padding",
        ("tests/test_passes_random.py::test_what_overflows_in_padding_is_not_seen",),
    ),
    Fault(
        "products_of_other_positions_fuse",
        "mathdsl/passes/fuse_products.py",
        "return (self.data.array, anonymous(self.data), anonymous(self.weight)",
        "return (self.data.array, anonymous(self.weight)",
        "`W x[t]` and `U x[t-1]` become one product with `x[t]`",
        ("tests/test_passes_random.py::test_products_with_data_at_other_positions_stay_apart",),
    ),
    Fault(
        "softmax_rebased_backwards",
        "mathdsl/passes/definitions.py",
        "body=substitute_axes(along.body, {name: Poly.of(name) + shift}, fresh))",
        "body=substitute_axes(along.body, {name: Poly.of(name) - shift}, fresh))",
        "the logarithm of an element of a softmax that data chooses reads its scores on the wrong side",
        ("tests/test_hand_computed.py",),
    ),
    Fault(
        "result_counts_from_the_callees_base",
        "mathdsl/passes/expand_call.py",
        "shifted[original] = Poly.of(axis.name) - entry.lower + axis.range.lower",
        "shifted[original] = Poly.of(axis.name)",
        "a caller that counts from 0 takes the result of a callee that counts from 1 one place aside",
        ("tests/test_hand_computed.py",),
    ),
    Fault(
        "infinity_times_nothing",
        "mathdsl/passes/pad_module.py",
        "if not is_sure or known.get(axis.name) != zero.value]",
        "if known.get(axis.name) != zero.value]",
        "a result that an infinity times 0 makes no number is left so in padding",
        ("tests/test_passes_random.py::test_padding_is_zero_beside_infinities",),
    ),
    # ---- analysis --------------------------------------------------------------------------------
    Fault(
        "a_sum_grows_no_faster",
        "mathdsl/ops/whole_axes.py",
        'numbers.total_sum, "{0}.sum({1})", r"\\sum", ("sum",), 0, 0)',
        'numbers.total_sum, "{0}.sum({1})", r"\\sum", ("sum",), 0, 0, abstract=no_faster)',
        "a state that is summed over features in each turn runs on into the padding until it overflows",
        ("tests/test_passes_random.py::test_what_overflows_in_padding_is_not_seen",),
    ),
    Fault(
        "both_hold_where_one_fails",
        "mathdsl/analysis/facts.py",
        'case Apply(op="and", arguments=(left, right)) if holds:',
        'case Apply(op="and", arguments=(left, right)):',
        r"where `a \land b` does not hold, something is inferred of both",
        ("tests/test_passes_random.py::test_a_read_outside_is_told_where_one_part_of_its_condition_fails",),
    ),
    Fault(
        "padding_begins_one_early",
        "mathdsl/analysis/padding.py",
        "facts.proves_nonnegative(entry - bounds.upper - (Poly.of(axis.name) - axis.bound))",
        "facts.proves_nonnegative(entry - bounds.upper - (Poly.of(axis.name) - axis.bound) + 1)",
        "`x[t-1]` at the first `t` of the padding counts as padding of `x`",
        ("tests/test_passes_random.py::test_a_read_of_earlier_elements_is_no_padding_yet",),
    ),
    # ---- back end --------------------------------------------------------------------------------
    Fault(
        "the_turn_before_is_this_turn",
        "mathdsl/tensors/passes/choose_storage.py",
        "return key == here - self.turn and path <= self.defined and bool(self.bases)",
        "return key == here - self.turn and bool(self.bases)",
        "a read of the element of the turn before, after this turn's, finds this turn's",
        (
            "tests/test_hand_computed.py",
            "tests/test_passes_random.py",
        ),
    ),
    Fault(
        "own_part_as_if_counted_from_one",
        "mathdsl/tensors/lower/padding.py",
        "extra = rest + axis.name - axis.range.lower + 1",
        "extra = rest + axis.name",
        "of an axis that counts from 0 one point less is inside",
        ("tests/test_programs.py::test_a_program_computes_what_its_equations_say",),
    ),
)
