"""Recurrences: which steps need each other, the loops that compute them, and how long finding them takes."""

from __future__ import annotations

import time

import pytest
from ir_samples import SAMPLES, axis, equation, given, hyper, op, p, read, returns, rows, runtime, total, value

from mathdsl.analysis.growth import is_tame
from mathdsl.analysis.recurrences import Recurrence, analyse_recurrences, has_recurrence
from mathdsl.ir.nodes import Equation, Expr, Input, Module, Range
from mathdsl.passes.choose_schedules import schedule_module

T, L, I = axis("t", 1, "S"), axis("l", 1, "n"), axis("i", 1, "S")


def module(*steps: Equation, **arrays: tuple[Range, ...]) -> Module:
    return Module(
        name="M",
        sizes=(*runtime("S"), *hyper("n")),
        settings=(),
        arrays=(given("x", T.range), *(value(name, *ranges) for name, ranges in arrays.items())),
        inputs=(Input("x"),),
        parameters=(),
        submodules=(),
        steps=steps,
        results=returns("y", (T,), read("x", "t")),
    )


def nest(recurrence: Recurrence) -> list[object]:
    """The loops as `[index, direction, inner loops…]`."""
    return [recurrence.axes[0], "down" if recurrence.descending else "up", *(nest(inner) for inner in recurrence.inner)]


def test_loops_of_the_samples() -> None:
    found = {name: [nest(r) for r in analyse_recurrences(s.program.module(s.module)).recurrences] for name, s in SAMPLES.items()}
    assert {name: loops for name, loops in found.items() if loops} == {
        "elman": [["t", "up"]],
        "lstm": [["t", "up"]],
        "stack": [["l", "up"]],
        "descending": [["t", "down"]],
        "highway": [["t", "up", ["k", "up"]]],
        "fibonacci": [["t", "up"]],
    }


def test_layers_outside_positions_inside() -> None:
    """h[t, l] needs h[t-1, l] and h[t, l-1]: both nests are legal, and the loop over layers is the outer one."""
    body = op("tanh", total(read("h", p("t") - 1, "l"), read("h", "t", p("l") - 1)))
    steps = (
        equation("h", (0, "l"), (L,), read("x", 1)),
        equation("h", ("t", 0), (T,), read("x", "t")),
        equation("h", ("t", "l"), (T, L), body),
    )
    (recurrence,) = analyse_recurrences(module(*steps, h=(rows(0, "S"), rows(0, "n")))).recurrences
    assert nest(recurrence) == ["l", "up", ["t", "up"]]


def test_a_grid_with_a_diagonal() -> None:
    """Edit distance reads above, to the left and between."""
    body = total(read("c", p("t") - 1, "i"), read("c", "t", p("i") - 1), read("c", p("t") - 1, p("i") - 1))
    steps = (
        equation("c", (0, "i"), (I,), read("x", 1)),
        equation("c", ("t", 0), (axis("t", 0, "S"),), read("x", 1)),
        equation("c", ("t", "i"), (T, I), body),
    )
    (recurrence,) = analyse_recurrences(module(*steps, c=(rows(0, "S"), rows(0, "S")))).recurrences
    assert nest(recurrence) == ["t", "up", ["i", "up"]]


def test_what_only_follows_a_recurrence_is_not_in_it() -> None:
    steps = (
        equation("h", (0,), (), read("x", 1)),
        equation("h", ("t",), (T,), total(read("h", p("t") - 1), read("u", "t"))),
        equation("u", ("t",), (T,), op("exp", read("x", "t"))),
        equation("y", ("t",), (T,), op("exp", read("h", "t"))),
    )
    analysis = analyse_recurrences(module(*steps, h=(rows(0, "S"),), u=(T.range,), y=(T.range,)))
    assert [part if isinstance(part, int) else part.steps for part in analysis.parts] == [0, 2, (1,), 3]


def test_elements_at_other_places_are_other_elements() -> None:
    """f[0] needs f[1], f[1] needs nothing: one array, no recurrence."""
    steps = (equation("f", (0,), (), read("f", 1)), equation("f", (1,), (), read("x", 1)))
    assert not has_recurrence(module(*steps, f=(rows(0, 1),)))


def decaying() -> Expr:
    gate = op("sigmoid", read("x", "t"))
    return total(op("mul", gate, read("h", p("t") - 1)), op("tanh", read("x", "t")))


@pytest.mark.parametrize(
    ("body", "tame"),
    [
        (op("tanh", op("mul", read("x", "t"), read("h", p("t") - 1))), True),
        (decaying(), True),
        (total(read("h", p("t") - 1), read("x", "t")), True),
        (op("mul", read("x", "t"), read("h", p("t") - 1)), False),
        (total(read("h", p("t") - 1), read("h", p("t") - 1)), False),
        (op("relu", op("mul", read("h", p("t") - 1), read("h", p("t") - 1))), False),
    ],
    ids=["bounded", "decaying", "adding", "growing", "doubling", "squaring"],
)
def test_which_states_may_run_on_into_the_padding(body: Expr, tame: bool) -> None:
    system = module(equation("h", (0,), (), read("x", 1)), equation("h", ("t",), (T,), body), h=(rows(0, "S"),))
    (recurrence,) = analyse_recurrences(system).recurrences
    assert is_tame(system, recurrence) is tame


@pytest.mark.parametrize("linked", [False, True], ids=["chain", "one recurrence"])
def test_ten_thousand_equations(linked: bool) -> None:
    """A chain of values, and one recurrence through all of them, in seconds."""
    count = 10_000
    first = read(f"a{count - 1}", p("t") - 1) if linked else read("x", "t")
    steps = [equation("a0", ("t",), (T,), first)]
    steps += [equation(f"a{n}", ("t",), (T,), op("tanh", total(read(f"a{n - 1}", "t"), read("x", "t")))) for n in range(1, count)]
    steps.append(equation(f"a{count - 1}", (0,), (), read("x", 1)))
    arrays = {f"a{n}": (rows(0, "S") if n == count - 1 else T.range,) for n in range(count)}
    system = module(*steps, **arrays)
    before = time.process_time()
    scheduled = schedule_module(system)
    assert time.process_time() - before < 10
    assert len(scheduled.schedule) == (2 if linked else count + 1)
