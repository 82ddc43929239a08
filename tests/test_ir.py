"""The IR's tools: walking, substitution without capture, and text that a person reads."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from ir_samples import INTEGER, REAL, SAMPLES, axis, op, p, read, scheduled, sum_over
from markdown_cases import Case, check_golden, load_cases

from mathdsl.ir.evaluation import Place, evaluated_where
from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Along,
    Call,
    Element,
    Equation,
    Expr,
    IndexValue,
    Literal,
    Loop,
    Module,
    Read,
    Reduce,
    ScheduledModule,
    Select,
    Whole,
)
from mathdsl.ir.own_parts import padded
from mathdsl.ir.printing import print_program
from mathdsl.ir.printing_expressions import print_expression
from mathdsl.ir.sizes import OwnSize
from mathdsl.ir.traversal import (
    children,
    element_of,
    free_names,
    map_children,
    map_polys,
    reads,
    rename_arrays,
    rewrite,
    stage_steps,
    step_reads,
    step_targets,
    substitute_axes,
    walk,
    with_schedule,
)

# sum over j = i .. S of a[x[j], t] * softmax over m of b[m, t] at j
NESTED = sum_over(
    axis("j", "i", "S"),
    op(
        "mul",
        read("a", read("x", "j", element=INTEGER), "t"),
        Along("softmax", axis("m", 1, "j"), read("b", "m", "t"), p("j"), REAL),
    ),
)


def every_expression() -> list[Expr]:
    modules: list[Module] = [module for sample in SAMPLES.values() for module in sample.program.modules]
    return [step.value for module in modules for step in module.steps if isinstance(step, Equation)] + [NESTED]


def test_a_walk_meets_outer_before_inner_and_left_before_right() -> None:
    assert [print_expression(node) for node in walk(NESTED)][2:] == [
        "a[x[j], t]",
        "x[j]",
        "softmax(m in 1..j: b[m, t])[j]",
        "b[m, t]",
    ]
    assert [found.array for found in reads(NESTED)] == ["a", "x", "b"]


def test_a_part_is_evaluated_where_no_condition_and_no_empty_range_keeps_it_from_that() -> None:
    is_late, is_large = op("less", IndexValue(p("t")), IndexValue(p("S"))), op("less", read("a", "t"), Literal(1.0))
    both = op("and", is_late, op("or", is_large, is_late))
    body = Select(both, read("a", "j"), read("b", "t"), REAL)
    expr = sum_over(axis("j", 1, "t"), padded(body, p("t"), p("S"), read("c", "t")))
    is_own = replace(op("within", IndexValue(p("t")), IndexValue(p("S"))), element=Element.BOOLEAN)
    found = list(evaluated_where(expr, Place()))
    assert [node for node, _ in found] == list(walk(expr))
    guards = {node.array: place.guards for node, place in found if isinstance(node, Read) and node != read("a", "t")}
    assert guards == {"a": ((is_own, True), (both, True)), "b": ((is_own, True), (both, False)), "c": ((is_own, False),)}
    right = [place.guards for node, place in found if node == is_late]
    assert right == [((is_own, True),), ((is_own, True), (is_late, True), (is_large, False))]
    assert {place.axes for node, place in found[1:]} == {(axis("j", 1, "t"),)}


def test_free_names_are_those_that_no_reduction_binds() -> None:
    assert free_names(NESTED) == ("i", "S", "t")
    body = NESTED.body
    assert free_names(body) == ("t", "j")  # the softmax binds m only inside
    assert free_names(Along("cumsum", axis("m", 1, "S"), read("b", "m"), read("m_at", "m", element=INTEGER), REAL)) == ("S", "m")


def test_changing_nothing_changes_nothing() -> None:
    for expr in every_expression():
        assert map_children(expr, lambda child: child) == expr
        assert map_polys(expr, lambda poly: poly) == expr
        assert rewrite(expr, lambda node: node) == expr
        assert sum(1 for _ in walk(expr)) == 1 + sum(sum(1 for _ in walk(child)) for child in children(expr))


@pytest.mark.parametrize(
    ("values", "avoid", "expected"),
    [
        ({"t": p("t") - 1}, (), "sum(j in i..S: a[x[j], t-1] * softmax(m in 1..j: b[m, t-1])[j])"),
        ({"j": p(7)}, (), "sum(j in i..S: a[x[j], t] * softmax(m in 1..j: b[m, t])[j])"),
        ({"i": p("j") + 1}, (), "sum(j_1 in j+1..S: a[x[j_1], t] * softmax(m in 1..j_1: b[m, t])[j_1])"),
        ({"t": p("m")}, (), "sum(j in i..S: a[x[j], m] * softmax(m_1 in 1..j: b[m_1, m])[j])"),
        ({"S": p("n") * 2}, ("j",), "sum(j_1 in i..2*n: a[x[j_1], t] * softmax(m in 1..j_1: b[m, t])[j_1])"),
    ],
)
def test_substitution_captures_nothing(values: dict[str, object], avoid: tuple[str, ...], expected: str) -> None:
    put = {name: p(value) for name, value in values.items()}  # type: ignore[arg-type]
    fresh = FreshNames(["i", "j", "m", "t"])
    assert print_expression(substitute_axes(NESTED, put, fresh, avoid)) == expected


def test_fresh_names_count_on_from_the_stem() -> None:
    fresh = FreshNames(["t", "t_1", "W_h"])
    assert [fresh(name) for name in ("t", "t_1", "s", "s", "W_h")] == ["t_2", "t_3", "s", "s_1", "W_h_1"]


def test_arrays_are_renamed_inside_indices_too() -> None:
    assert print_expression(rename_arrays(NESTED, {"x": "y", "b": "c"})).startswith(
        "sum(j in i..S: a[y[j], t] * softmax(m in 1..j: c[m, t])"
    )


def test_steps_tell_what_they_read_and_define() -> None:
    calls = [step for step in SAMPLES["pair"].program.modules[0].steps if isinstance(step, Call)]
    assert [step_targets(step) for step in calls] == [("v",), ("y",)]
    assert [[found.array for found in step_reads(step)] for step in calls] == [["x"], ["v"]]
    module = scheduled(SAMPLES["highway"]).program.modules[0]
    assert isinstance(module, ScheduledModule)
    assert stage_steps(module.schedule) == module.steps


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (op("sub", read("a"), op("sub", read("b"), read("c"))), "a - (b - c)"),
        (op("sub", op("sub", read("a"), read("b")), read("c")), "a - b - c"),
        (op("add", read("a"), op("add", read("b"), read("c"))), "a + b + c"),
        (op("div", read("a"), op("mul", read("b"), read("c"))), "a / (b * c)"),
        (op("mul", op("add", read("a"), read("b")), op("neg", read("c"))), "(a + b) * -c"),
        (op("pow", op("pow", read("a"), read("b")), op("pow", read("c"), read("d"))), "(a ** b) ** (c ** d)"),
        (op("pow", op("neg", read("a")), Literal(2)), "(-a) ** 2"),
        (op("pow", Literal(-2.0), read("a")), "(-2.0) ** a"),
        (op("mul", IndexValue(p("t") - 1), IndexValue(p("t"))), "(t-1) * t"),
        (op("not", op("and", read("a"), op("or", read("b"), read("c")))), "not (a and (b or c))"),
        (op("equal", op("less", read("a"), read("b")), Literal(True)), "(a < b) == true"),
        (op("tanh", op("add", read("a"), Literal(1.0))), "tanh(a + 1.0)"),
        (op("add", Select(read("c"), read("a"), read("b"), REAL), read("d")), "(a if c else b) + d"),
        (Select(read("c"), read("a"), Select(read("d"), read("b"), read("e"), REAL), REAL), "a if c else b if d else e"),
        (padded(read("a", "t"), p("t"), p(OwnSize("S")), Literal(0.0)), "a[t] if t within S′ else 0.0"),
        (Reduce("max", axis("t", 1, "S"), read("a", "t"), REAL), "max(t in 1..S: a[t])"),
    ],
)
def test_expressions_have_only_the_parentheses_they_need(expr: Expr, text: str) -> None:
    assert print_expression(expr) == text


def test_polynomials_know_a_name_alone_and_survive_pickling() -> None:
    assert [p(poly).variable for poly in ("t", 3, 0)] == ["t", None, None]
    assert [poly.variable for poly in (p("t") - 1, p("t") * 2, p("t") * "t", -p("t"))] == [None] * 4
    kept = p("t") - 1
    hash(kept)
    assert vars(pickle.loads(pickle.dumps(kept))).keys() == {"terms"}  # a hash of names holds in one process only


def test_elements() -> None:
    assert element_of(IndexValue(p("t"))) is INTEGER
    assert element_of(Literal(1)) is INTEGER
    assert element_of(NESTED) is REAL


@pytest.mark.parametrize("case", load_cases("ir/printing"), ids=str)
def test_programs_are_printed_for_people(case: Case, request: pytest.FixtureRequest) -> None:
    name, _, how = case.input.strip().partition(" ")
    sample = scheduled(SAMPLES[name]) if how == "scheduled" else SAMPLES[name]
    check_golden(case, print_program(sample.program), request)


def test_a_guard_stands_above_its_stage() -> None:
    sample = SAMPLES["descending"]
    module = sample.program.modules[0]
    last, step = module.steps
    loop = Loop(axis("t", 0, "S"), True, (Whole(step),), (axis("t", 1, "S").range,))
    text = print_program(replace(sample.program, modules=(with_schedule(module, (Whole(last), loop)),)))
    assert "    for t in 0..S down:\n      if t in 1..S:\n        # h_t = " in text
