"""Random systems of equations: the passes keep what the interpreter computes, padding full of NaN changes nothing, and the
generated code has the values and, of a batch, the sum of the gradients.

Drawn are recurrences of scalars and of vectors, up and down, guards on indices and on data, `and` and `or` that keep their right side
from what would fail, nested selections, contractions of two and more factors, calls of another module, and two ragged sizes.

The same systems are drawn in every run; with the environment variable `MATHDSL_EXPLORE`, others in each.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from backend_harness import arguments_of, flat, instance, made_of, padded_batch
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from ir_samples import axis, equation, filled, op, owned, p, parameter, read, returns, rows, sum_over, total
from ir_samples import given as an_input
from pass_programs import small

from mathdsl.ir.names import FreshNames
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Argument,
    Axis,
    Call,
    CallTarget,
    Element,
    Expr,
    IndexValue,
    Input,
    Literal,
    Module,
    Origin,
    Program,
    Reduce,
    Select,
    StackPart,
    Step,
    Submodule,
)
from mathdsl.ir.printing import print_program
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import bound_axes
from mathdsl.oracle.interpreter import interpret
from mathdsl.passes import run_passes

REAL, BOOLEAN = Element.REAL, Element.BOOLEAN
T, U, I, J = axis("t", 1, "S"), axis("u", 1, "L"), axis("i", 1, "d"), axis("j", 1, "d")
EXPLORING = "MATHDSL_EXPLORE" in os.environ
SIZES = {"d": 3, "n": 2}
WIDTHS = {"S": 4, "L": 5}  # all sizes are different
LONG = {"S": 300, "L": 5}
CLOSE = {"rel": 1e-9, "abs": 1e-9}


# ---- formulas ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """What may be read at a point `t`, or `t, i` where there is a row: scalars, vectors by their element, and matrices."""

    scalars: tuple[Expr, ...]
    vectors: tuple[tuple[str, tuple[Poly, ...]], ...]  # arrays and the indices before that of the element
    row: str = ""

    @property
    def reads(self) -> list[Expr]:
        own = [read(name, *index, self.row) for name, index in self.vectors] if self.row else []
        return [*self.scalars, *own]


@st.composite
def bodies(draw: st.DrawFn, point: Point, depth: int = 3) -> Expr:
    """A formula of what stands at the point; partial operations only where they are defined for every number."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([*point.reads, read("w"), Literal(0.5)]))
    one = draw(bodies(point, depth - 1))
    squared = op("add", Literal(0.25), op("mul", one, one))
    match draw(st.integers(0, 9)):
        case 0:
            return op("tanh", one)
        case 1:
            return op("sub", Literal(1.0), op("sigmoid", one))
        case 2:
            return op("log", squared)
        case 3:
            return op("div", one, squared)
        case 4:
            return op("mul", one, draw(bodies(point, depth - 1)))
        case 5:
            return op("tanh", draw(contractions(point)))
        case 6:
            return Select(draw(conditions(point)), one, draw(bodies(point, depth - 1)), REAL)
        case 7:
            return draw(guarded(point, one))
        case 8:
            return draw(over_the_other_size(one))
        case _:
            return total(one, draw(bodies(point, depth - 1)))


@st.composite
def contractions(draw: st.DrawFn, point: Point) -> Expr:
    """`sum(j: W[i, j] * h[t-1, j] * …)`, of two to four factors."""
    vectors = [read(name, *index, "j") for name, index in point.vectors] + [read("a", "j")]
    matrices = [read(name, point.row, "j") for name in ("W", "V")] if point.row else []
    factors = [draw(st.sampled_from([*matrices, *vectors])), draw(st.sampled_from(vectors))]
    factors += draw(st.lists(st.sampled_from([*vectors, *point.scalars, read("w")]), max_size=2))
    product = factors[0]
    for factor in factors[1:]:
        product = op("mul", product, factor)
    return sum_over(J, product)


@st.composite
def over_the_other_size(draw: st.DrawFn, one: Expr) -> Expr:
    """Everything along the second ragged axis, with what stands at the point."""
    names = FreshNames(bound.name for bound in bound_axes(one))
    u, m = (axis(names(name), 1, "L") for name in ("u", "m"))
    body = op("mul", op("tanh", one), read("y", u.name))
    reduced = Reduce(draw(st.sampled_from(["max", "mean", "logsumexp"])), u, body, REAL)
    softmax = Along("softmax", m, op("mul", op("tanh", one), read("y", m.name)), p(u.name), REAL)
    return draw(st.sampled_from([reduced, op("tanh", sum_over(u, body)), sum_over(u, op("mul", softmax, read("y", u.name)))]))


@st.composite
def conditions(draw: st.DrawFn, point: Point, depth: int = 2) -> Expr:
    """Comparisons of indices and of data, joined."""
    if depth and draw(st.booleans()):
        left, right = draw(conditions(point, depth - 1)), draw(conditions(point, depth - 1))
        return draw(st.sampled_from([both(left, right), either(left, right), op("not", left, element=BOOLEAN)]))
    data = draw(st.sampled_from([*point.reads, draw(contractions(point))]))
    return draw(
        st.sampled_from(
            [compared("less", p("t"), p("S")), compared("equal", p("t"), p(2)), op("greater", data, Literal(0.123), element=BOOLEAN)]
        )
    )


@st.composite
def guarded(draw: st.DrawFn, point: Point, other: Expr) -> Expr:
    """What a condition keeps from failing: a read one step aside, the logarithm of what may be negative."""
    step = draw(st.sampled_from([-2, -1, 1, 2]))  # a guard at an end of the range splits it, one further in stays
    is_inside = compared("greater", p("t"), p(-step)) if step < 0 else compared("less_equal", p("t"), p("S") - step)
    is_outside = compared("less_equal", p("t"), p(-step)) if step < 0 else compared("greater", p("t"), p("S") - step)
    aside = draw(st.sampled_from([read("x", p("t") + step), sum_over(J, op("mul", read("a", "j"), read("v", p("t") + step, "j")))]))
    small_there = op("less", aside, Literal(0.123), element=BOOLEAN)
    positive = draw(st.sampled_from(point.reads))
    is_positive = op("greater", positive, Literal(0.123), element=BOOLEAN)
    return draw(
        st.sampled_from(
            [
                Select(is_inside, aside, other, REAL),
                Select(both(is_inside, small_there), other, Literal(0.5), REAL),
                Select(either(is_outside, small_there), Literal(0.5), other, REAL),
                Select(op("not", either(is_outside, small_there), element=BOOLEAN), aside, other, REAL),
                Select(both(both(is_inside, is_positive), small_there), other, Literal(0.5), REAL),
                Select(either(either(is_outside, is_positive), small_there), Literal(0.5), other, REAL),
                Select(is_positive, op("log", positive), other, REAL),
                Select(is_positive, Select(small_guard(), op("sqrt", positive), other, REAL), Literal(0.5), REAL),
            ]
        )
    )


def small_guard() -> Expr:
    return op("less", read("x", "t"), Literal(0.321), element=BOOLEAN)


def compared(name: str, left: Poly, right: Poly) -> Expr:
    return op(name, IndexValue(left), IndexValue(right), element=BOOLEAN)


def both(left: Expr, right: Expr) -> Expr:
    return op("and", left, right, element=BOOLEAN)


def either(left: Expr, right: Expr) -> Expr:
    return op("or", left, right, element=BOOLEAN)


# ---- modules -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A program whose module M has the inputs x[t], v[t, i] and y[u], and its parameters by path."""

    program: Program
    parameters: Mapping[str, Any]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What a failing test shows."""
        printer.text(print_program(self.program))


PARAMETERS = {"w": 0.8, "a": filled((3,), 1), "W": filled((3, 3), 2), "V": filled((3, 3), 3)}


def called(result: Expr) -> Module:
    """G(s, q), a scalar of a scalar and a vector, with a vector b of its own."""
    return replace(
        small(inputs={}, result=((), result), name="G"),
        sizes=small(inputs={}, result=((), result)).sizes[:1],
        arrays=(an_input("s"), an_input("q", I.range), parameter("b", I.range)),
        inputs=(Input("s"), Input("q")),
        parameters=owned("b"),
        results=returns("z", (), result),
    )


def submodule(is_stack: bool) -> tuple[Submodule, Poly | None, dict[str, Any]]:
    """G alone, which is put in place of its call, or the second of a stack, which is called; its parameters."""
    part = StackPart(rows(1, 2) if is_stack else rows(0, 0), (("d", p("d")),))
    if is_stack:
        return Submodule("g", "G", True, (part,), "g"), p(2), {"g.0.b": filled((3,), 4), "g.1.b": filled((3,), 5)}
    return Submodule("g", "G", False, (part,), "g"), None, {"g.b": filled((3,), 5)}


def call(at: Poly | None, target: str, state: Expr, vector: Expr) -> Call:
    arguments = (Argument("s", Abstraction((), state)), Argument("q", Abstraction((I,), vector)))
    return Call((CallTarget(target, (p("t"),)),), (T,), "g", at, arguments, (), Origin(""))


def case(
    steps: Sequence[Step],
    values: Mapping[str, Sequence[Axis]],
    result: tuple[Sequence[Axis], Expr],
    callee: Module | None = None,
    part: tuple[Submodule, Poly | None, dict[str, Any]] | None = None,
) -> Case:
    module = small(
        *steps,
        inputs={"x": (T,), "v": (T, I), "y": (U,)},
        parameters={"w": (), "a": (I,), "W": (I, J), "V": (I, J)},
        values=dict(values),
        result=result,
        submodules=() if part is None else part[:1],
    )
    return Case(Program((module,) if callee is None else (module, callee)), {**PARAMETERS, **({} if part is None else part[2])})


@st.composite
def modules(draw: st.DrawFn) -> Case:
    """Arrays over t, scalars, vectors and results of calls, each of all others one step aside and of those before it here."""
    back = draw(st.sampled_from([-1, 1]))
    domain = axis("t", 0, "S") if back < 0 else axis("t", 1, p("S") + 1)
    base: Poly = p(0) if back < 0 else p("S") + 1
    kinds = draw(st.lists(st.sampled_from(["scalar", "vector", "call"]), min_size=1, max_size=3))
    names = ["c", "e", "h"][: len(kinds)]
    ranks = dict(zip(names, kinds))
    aside = p("t") + back
    scalars: list[Expr] = [read("x", "t"), read("x", p("S") - p("t") + 1), *(read(n, aside) for n in names if ranks[n] != "vector")]
    vectors: list[tuple[str, tuple[Poly, ...]]] = [("v", (p("t"),)), *((n, (aside,)) for n in names if ranks[n] == "vector")]
    part = submodule(back < 0 and draw(st.booleans())) if "call" in kinds else None  # no call stays beside an element at a ragged end
    steps: list[Step] = []
    for name, kind in ranks.items():
        start = draw(st.sampled_from([Literal(0.0), Literal(1.0), read("w")]))
        point = Point(tuple(scalars), tuple(vectors))
        if kind == "vector":
            steps.append(equation(name, (base, "i"), (I,), start))
            steps.append(equation(name, ("t", "i"), (T, I), draw(bodies(replace(point, row="i")))))
            vectors.append((name, (p("t"),)))
            continue
        steps.append(equation(name, (base,), (), start))
        if kind == "scalar":
            steps.append(equation(name, ("t",), (T,), draw(bodies(point))))
        elif part is not None:
            steps.append(call(part[1], name, draw(bodies(point, 1)), draw(bodies(replace(point, row="i"), 1))))
        scalars.append(read(name, "t"))
    here = Point(tuple(scalars), tuple(vectors))
    values: dict[str, Sequence[Axis]] = {n: (domain, I) if ranks[n] == "vector" else (domain,) for n in names}
    inner = op("tanh", total(read("s"), sum_over(J, op("mul", read("b", "j"), read("q", "j")))))
    return case(
        draw(st.permutations(steps)), values, draw(results(here, names[-1], ranks[names[-1]] == "vector", base)), called(inner), part
    )


@st.composite
def results(draw: st.DrawFn, here: Point, last: str, is_vector: bool, base: Poly) -> tuple[Sequence[Axis], Expr]:
    """A sum, an extreme, an element, a softmax, or everything."""
    at_end = p("S") if base == p(0) else p(1)
    element = sum_over(J, op("mul", read("a", "j"), read(last, "t", "j"))) if is_vector else read(last, "t")
    shares = Along("softmax", axis("s", 1, "S"), op("tanh", read("x", "s")), p("t"), REAL)
    other = Reduce("max", U, op("mul", read("y", "u"), read("x", "t")), REAL)
    aside = p("t") - 1 if base == p(0) else p("t") + 1
    weighed = [sum_over(J, op("mul", read(m, "i", "j"), read(last, t, "j"))) for m, t in (("W", p("t")), ("V", aside))] if is_vector else []
    found: list[tuple[Sequence[Axis], Expr]] = [
        ((), sum_over(T, draw(bodies(here, 2)))),
        ((), read(last, at_end, 1) if is_vector else read(last, at_end)),
        ((), Reduce(draw(st.sampled_from(["max", "min", "logsumexp", "mean"])), T, element, REAL)),
        ((), sum_over(T, op("mul", shares, element))),
        ((T,), op("div", read("x", "t"), element)),
        ((T,), draw(bodies(here, 2))),
        ((T,), op("mul", element, other)),
        ((U,), op("mul", read("y", "u"), sum_over(T, op("mul", element, read("x", "t"))))),
        *(((T, I), total(*weighed)) for _ in weighed),
    ]
    return draw(st.sampled_from(found))


STATE, WIDE = read("h", p("t") - 1), axis("k", 1, 40)
GROWN = op("mul", Literal(30.0), STATE)
SUMMED = sum_over(WIDE, op("mul", op("sigmoid", read("w")), STATE))
SCALED = sum_over(WIDE, op("mul", op("sigmoid", op("mul", read("w"), read("x", "t"))), STATE))
BRANCHES = Select(op("less", read("w"), read("x", "t"), element=BOOLEAN), STATE, SUMMED, REAL)
GROWING: Mapping[str, Expr | None] = {
    "a product": GROWN,
    "a sum": SUMMED,
    "a sum of products": SCALED,
    "a sum and more": op("add", SUMMED, read("x", "t")),
    "branches": Select(small_guard(), GROWN, BRANCHES, REAL),
    "a call": None,
}
SEEN: Mapping[str, tuple[Sequence[Axis], Expr]] = {
    "a sum": ((), sum_over(T, op("mul", read("x", "t"), read("h", "t")))),
    "the last": ((), read("h", "S")),
    "all": ((T,), op("mul", read("x", "t"), read("h", "t"))),
    "the greatest": ((), Reduce("max", T, read("h", "t"), REAL)),
}


def growing(body: Expr | None, result: tuple[Sequence[Axis], Expr]) -> Case:
    """A state that is finite for a few turns and overflows long before the end of the padding; without a body, a stack's element's."""
    part = submodule(is_stack=True) if body is None else None
    vector = read("v", "t", "i")
    step: Step = equation("h", ("t",), (T,), body) if part is None and body is not None else call(p(2), "h", STATE, vector)
    inner = total(op("mul", Literal(30.0), read("s")), sum_over(J, op("mul", read("b", "j"), read("q", "j"))))
    steps = [equation("h", (0,), (), Literal(1.0)), step]
    return case(steps, {"h": (axis("t", 0, "S"),)}, result, called(inner), part)


# ---- the laws ------------------------------------------------------------------------------------


def data(lengths: Mapping[str, int]) -> dict[str, Any]:
    """The arguments of an example, longer ones beginning alike."""
    s, u = lengths["S"], lengths["L"]
    x = [0.9 * math.sin(2.3 * t + 1.0) for t in range(s)]
    v = [[0.9 * math.cos(3.1 * t + 1.7 * i) for i in range(SIZES["d"])] for t in range(s)]
    return {"x": x, "v": v, "y": [0.9 * math.sin(5.7 * t) + 0.2 for t in range(u)]}


def computed(case: Case, program: Program, arguments: Mapping[str, Any], **more: Any) -> list[float]:
    return [float(number) for number in numbers(interpret(program, "M", arguments, case.parameters, SIZES, **more))]


def numbers(value: Any) -> list[float]:
    return [x for item in value for x in numbers(item)] if isinstance(value, list | tuple) else [value]


def padded_to(
    own: Sequence[float], result: tuple[Sequence[Axis], Expr] | Any, lengths: Mapping[str, int], widths: Mapping[str, int]
) -> list[float]:
    """The numbers of a result, zeros behind those of its own."""
    axes = [axis for axis in result.value.axes if axis.name in ("t", "u")]
    if not axes:
        return list(own)
    size = "S" if axes[0].name == "t" else "L"
    inner = len(own) // lengths[size]
    return [*own, *[0.0] * (inner * (widths[size] - lengths[size]))]


def check_laws(case: Case, lengths: Mapping[str, int], widths: Mapping[str, int]) -> None:
    """The example of these lengths alone, in padding, and in a batch with one that fills it."""
    own = data(lengths)
    expected = computed(case, case.program, own)
    if not all(math.isfinite(number) and abs(number) < 1e6 for number in expected):
        reject()
    passed = run_passes(case.program)
    assert passed.modules[0].ragged == ("S", "L")
    assert computed(case, passed, own) == pytest.approx(expected, **CLOSE)
    full = data(widths)
    poisoned = {name: poison(value, own[name]) for name, value in full.items()}
    within = padded_to(expected, case.program.modules[0].results, lengths, widths)
    assert computed(case, passed, poisoned, lengths=lengths) == pytest.approx(within, **CLOSE)
    check_generated(case, expected, lengths, widths)


def poison(value: Any, own: Any) -> Any:
    """The argument with NaN behind the example's own part."""
    if not isinstance(value, list):
        return value
    return [poison(item, own[k]) if k < len(own) else nan_like(item) for k, item in enumerate(value)]


def nan_like(value: Any) -> Any:
    return [nan_like(item) for item in value] if isinstance(value, list) else math.nan


def check_generated(case: Case, expected: Sequence[float], lengths: Mapping[str, int], widths: Mapping[str, int]) -> None:
    """The generated code: the value alone, and values and gradients of two copies of it in a padded batch."""
    loaded, _ = made_of(case.program)
    module = case.program.modules[0]
    made = instance(loaded, "M", SIZES, {}, case.parameters)
    example = {name: torch.tensor(value, dtype=torch.float64) for name, value in data(lengths).items()}
    alone, alone_gradients = with_gradients(made, module, example, {})
    assert alone.flatten().tolist() == pytest.approx(list(expected), **CLOSE)
    assert all(torch.isfinite(gradient).all() for gradient in alone_gradients), "a gradient of the example alone is no number"
    batch = padded_batch(module, [example, example], {**SIZES, **widths})
    together, gradients = with_gradients(made, module, batch, {name: torch.tensor([n, n]) for name, n in lengths.items()})
    within = padded_to(expected, module.results, lengths, widths)
    for row in together:
        assert row.flatten().tolist() == pytest.approx(within, **CLOSE)
    parameters = len(list(made.parameters()))
    for ours, theirs in zip(gradients[:parameters], alone_gradients[:parameters], strict=True):
        torch.testing.assert_close(ours, 2 * theirs, rtol=1e-8, atol=1e-8)
    for ours, theirs in zip(gradients[parameters:], alone_gradients[parameters:], strict=True):
        for row in ours:
            inside = tuple(slice(0, n) for n in theirs.shape)
            torch.testing.assert_close(row[inside], theirs, rtol=1e-8, atol=1e-8)


def with_gradients(
    made: Any, module: Module, values: Mapping[str, torch.Tensor], lengths: Mapping[str, torch.Tensor]
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The result, and the gradients of its sum at the parameters and the inputs."""
    leaves: list[torch.Tensor] = []
    arguments = arguments_of(module, values, leaves)
    (result,) = flat(made(**arguments, **({"lengths": lengths} if lengths else {})))
    wanted = [*made.parameters(), *leaves]
    if not result.requires_grad:
        return result, [torch.zeros_like(one) for one in wanted]
    found = torch.autograd.grad(result.sum(), wanted, allow_unused=True)
    return result.detach(), [torch.zeros_like(one) if gradient is None else gradient for one, gradient in zip(wanted, found, strict=True)]


@settings(max_examples=150, deadline=None, derandomize=not EXPLORING)
@given(modules(), st.integers(1, WIDTHS["S"]), st.integers(1, WIDTHS["L"]))
def test_passes_keep_what_is_computed(case: Case, steps: int, others: int) -> None:
    check_laws(case, {"S": steps, "L": others}, WIDTHS)


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("grown", GROWING)
@pytest.mark.parametrize("steps", [1, 3])
def test_what_overflows_in_padding_is_not_seen(grown: str, seen: str, steps: int) -> None:
    check_laws(growing(GROWING[grown], SEEN[seen]), {"S": steps, "L": 2}, LONG)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("join", ["and", "or"])
def test_the_right_side_of_a_connective_stays_behind_its_left(join: str, steps: int) -> None:
    """`v[t-2]` is there where `t > 2`; the sum over it is the same for all `i`, and yet no work for all `t`."""
    aside = sum_over(J, op("mul", read("a", "j"), read("v", p("t") - 2, "j")))
    is_positive = op("greater", read("v", "t", "i"), Literal(0.123), element=BOOLEAN)
    left = both(compared("greater", p("t"), p(2)), is_positive)
    if join == "or":
        left = either(compared("less_equal", p("t"), p(2)), is_positive)
    condition = op(join, left, op("less", aside, Literal(0.123), element=BOOLEAN), element=BOOLEAN)
    value = Select(condition, read("v", "t", "i"), Literal(0.5), REAL)
    made = case([equation("h", ("t", "i"), (T, I), value)], {"h": (T, I)}, ((T, I), read("h", "t", "i")))
    check_laws(made, {"S": steps, "L": 2}, WIDTHS)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("back", [1, 2])
def test_a_read_of_earlier_elements_is_no_padding_yet(back: int, steps: int) -> None:
    shifted = Select(compared("greater", p("t"), p(back)), read("x", p("t") - back), Literal(0.0), REAL)
    check_laws(case([], {}, ((), sum_over(T, shifted))), {"S": steps, "L": 2}, WIDTHS)


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_products_with_data_at_other_positions_stay_apart(steps: int) -> None:
    here, before = (sum_over(J, op("mul", read(m, "i", "j"), read("e", t, "j"))) for m, t in (("W", p("t")), ("V", p("t") - 1)))
    defined = [
        equation("e", (0, "i"), (I,), read("a", "i")),
        equation("e", ("t", "i"), (T, I), op("tanh", read("v", "t", "i"))),
        equation("o", ("t", "i"), (T, I), op("mul", op("tanh", here), op("sigmoid", before))),
    ]
    values = {"e": (axis("t", 0, "S"), I), "o": (T, I)}
    check_laws(case(defined, values, ((T, I), read("o", "t", "i"))), {"S": steps, "L": 2}, WIDTHS)


@pytest.mark.parametrize("join", ["and", "or"])
def test_a_condition_that_does_not_hold_says_nothing_of_its_parts(join: str) -> None:
    """The base case is read where `t > 2 and x[t] > …` fails, also because of `x[t]` alone; it stands behind its reader."""
    parts = [compared("greater", p("t"), p(2)), op("greater", read("x", "t"), Literal(0.123), element=BOOLEAN)]
    condition = both(*parts) if join == "and" else op("not", either(*(op("not", part, element=BOOLEAN) for part in parts)), element=BOOLEAN)
    body = Select(condition, read("x", "t"), op("mul", Literal(0.5), read("h", p("t") - 1)), REAL)
    steps = [equation("h", ("t",), (T,), body), equation("h", (0,), (), read("w"))]
    check_laws(case(steps, {"h": (axis("t", 0, "S"),)}, ((T,), read("h", "t"))), {"S": 3, "L": 2}, WIDTHS)


def test_a_read_outside_is_told_where_one_part_of_its_condition_fails() -> None:
    """`x[t-1]` where `t > 2 and x[t] > …` fails: also at `t = 1`, so that there is a check."""
    condition = both(compared("greater", p("t"), p(2)), op("greater", read("x", "t"), Literal(0.123), element=BOOLEAN))
    steps = [equation("h", ("t",), (T,), Select(condition, read("x", "t"), read("x", p("t") - 1), REAL))]
    made = case(steps, {"h": (T,)}, ((T,), read("h", "t")))
    loaded, _ = made_of(made.program)
    module = instance(loaded, "M", SIZES, {}, made.parameters)
    with pytest.raises(ValueError, match="x\\[t - 1\\] is inside 1 .. S"):
        module(**{name: torch.tensor(value, dtype=torch.float64) for name, value in data(WIDTHS).items()})


def test_padding_is_zero_beside_infinities() -> None:
    """`x[t] (1 / (y[1] - y[1]))`: infinite at the example's own points, and yet 0 behind them."""
    made = case([], {}, ((T,), op("mul", read("x", "t"), op("div", Literal(1.0), op("sub", read("y", 1), read("y", 1))))))
    lengths, full = {"S": 2, "L": 2}, data(WIDTHS)
    own = data(lengths)
    poisoned = {name: poison(value, own[name]) for name, value in full.items()}
    wanted = [math.inf * x for x in own["x"]] + [0.0, 0.0]
    assert computed(made, run_passes(made.program), poisoned, lengths=lengths) == wanted
    example = {name: torch.tensor(value, dtype=torch.float64) for name, value in own.items()}
    batch = padded_batch(made.program.modules[0], [example], {**SIZES, **WIDTHS})
    loaded, _ = made_of(made.program)
    module = instance(loaded, "M", SIZES, {}, made.parameters)
    assert module(**batch, lengths={name: torch.tensor([n]) for name, n in lengths.items()}).tolist() == [wanted]
