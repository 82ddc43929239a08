"""Passes over formulas and equations: stable forms, domains, hoisting, fusing, dead values."""

from __future__ import annotations

from dataclasses import replace

import pytest
from ir_samples import axis, dot, equation, op, p, read, sum_over, total
from pass_programs import lines, small

from mathdsl.ir.nodes import Along, Axis, Element, Equation, Expr, IndexValue, Literal, Module, Program, Range, Reduce, Select
from mathdsl.ir.printing_expressions import print_expression
from mathdsl.passes.drop_dead_values import drop_dead_values
from mathdsl.passes.fill_branches import fill_branches
from mathdsl.passes.fuse_products import fuse_products
from mathdsl.passes.hand_on_arrays import hand_on_arrays
from mathdsl.passes.hoist_invariants import hoist_invariants
from mathdsl.passes.peel_recurrences import peel_recurrences
from mathdsl.passes.split_domains import split_domains
from mathdsl.passes.square_triangles import square_triangles
from mathdsl.passes.stabilise import stabilise

REAL = Element.REAL
T, I, J = axis("t", 1, "S"), axis("i", 1, "d"), axis("j", 1, "d")


def program(module: Module) -> Program:
    return Program((module,))


# ---- stabilise -----------------------------------------------------------------------------------


def stabilised(expr: Expr) -> str:
    module = stabilise(program(small(inputs={"x": (T,)}, result=((), expr)))).modules[0]
    (line,) = lines(module)
    return line.removeprefix("return ")


Z = read("x", "t")
SOFTMAX = Along("softmax", T, Z, p(2), REAL)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (op("log", SOFTMAX), "log_softmax(t in 1..S: x[t])[2]"),
        (op("log", sum_over(T, op("exp", Z))), "logsumexp(t in 1..S: x[t])"),
        (op("log", op("sigmoid", read("x", 1))), "logsigmoid(x[1])"),
        (op("sub", Literal(1.0), op("sigmoid", read("x", 1))), "sigmoid(-x[1])"),
        (op("log", op("sub", Literal(1.0), op("sigmoid", read("x", 1)))), "logsigmoid(-x[1])"),
        (op("log", op("add", Literal(1.0), op("exp", read("x", 1)))), "softplus(x[1])"),
        (op("log", total(op("exp", read("x", 1)), op("exp", read("x", 2)))), "logaddexp(x[1], x[2])"),
        (op("div", op("exp", read("x", 1)), sum_over(T, op("exp", Z))), "exp(x[1] - logsumexp(t in 1..S: x[t]))"),
        (op("div", Literal(1.0), total(Literal(1.0), op("exp", op("neg", read("x", 1))))), "sigmoid(x[1])"),
        (op("pow", Reduce("norm", T, Z, REAL), Literal(2.0)), "sum(t in 1..S: x[t] * x[t])"),
        (op("pow", Reduce("norm", T, Z, REAL), Literal(4.0)), "sum(t in 1..S: x[t] * x[t]) ** 2.0"),
    ],
)
def test_stabilise_fires(before: Expr, after: str) -> None:
    assert stabilised(before) == after


def test_stabilise_fires_through_a_value() -> None:
    softmax = replace(SOFTMAX, at=p("i"))
    steps = (equation("p", ("i",), (axis("i", 1, "S"),), softmax),)
    module = small(*steps, inputs={"x": (T,)}, values={"p": (T,)}, result=((), op("log", read("p", 3))))
    assert lines(stabilise(program(module)))[-1] == "return log_softmax(t in 1..S: x[t])[3]"


def test_stabilise_fires_where_the_value_counts_from_another_base() -> None:
    """The axis of the softmax then counts from where the value does, so that the index stays what was given."""
    softmax = replace(SOFTMAX, axis=Axis("t", Range(p(0), p("S") - 1)), at=p("i") - 1)
    steps = (equation("p", ("i",), (axis("i", 1, "S"),), softmax),)
    result = ((), op("log", read("p", read("y", element=Element.INTEGER))))
    module = small(*steps, inputs={"x": (softmax.axis,), "y": ()}, values={"p": (T,)}, result=result)
    assert lines(stabilise(program(module)))[-1] == "return log_softmax(t in 1..S: x[t-1])[y]"


@pytest.mark.parametrize(
    "expr",
    [
        op("log", sum_over(T, Z)),
        op("sub", Literal(2.0), op("sigmoid", read("x", 1))),
        SOFTMAX,
        op("log", sum_over(T, op("mul", Z, op("exp", Z)))),
        op("log", total(op("sigmoid", read("x", 1)), Literal(1e-8))),
        op("pow", Reduce("norm", T, Z, REAL), Literal(3.0)),
        op("pow", Reduce("norm", T, op("dropout", Z, Literal(0.5)), REAL), Literal(2.0)),
    ],
)
def test_stabilise_declines(expr: Expr) -> None:
    assert stabilised(expr) == print_expression(expr)


# ---- fill_branches -------------------------------------------------------------------------------


def branch(value: Expr) -> list[str]:
    """`y[t] = u[t] if x[t] > 0 else 0` where `u[t]` is the value."""
    t = axis("t", 1, "S")
    positive = op("greater", read("x", "t"), Literal(0.0), element=Element.BOOLEAN)
    steps = (
        equation("u", ("t",), (t,), value),
        equation("y", ("t",), (t,), Select(positive, read("u", "t"), Literal(0.0), REAL)),
    )
    parameters = {"W": (t, J)}
    return lines(
        fill_branches(
            program(small(*steps, inputs={"x": (t,)}, parameters=parameters, values={"u": (t,), "y": (t,)}, result=((), read("y", 1))))
        )
    )[:-1]


def test_fill_branches_fires() -> None:
    assert branch(op("log", read("x", "t")))[-1] == "y[t] = log(x[t]) if x[t] > 0.0 else 0.0    for t in 1..S"


def test_fill_branches_fires_and_computes_once_what_cannot_fail() -> None:
    product = dot(read("W", "t", "j"), read("W", "t", "j"), J)
    assert branch(op("log", product)) == [
        "sum_W[t] = sum(j in 1..d: W[t, j] * W[t, j])    for t in 1..S",
        "u[t] = log(sum_W[t])    for t in 1..S",
        "y[t] = log(sum_W[t]) if x[t] > 0.0 else 0.0    for t in 1..S",
    ]


@pytest.mark.parametrize(
    "value",
    [op("tanh", read("x", "t")), op("log", op("dropout", read("x", "t"), Literal(0.5))), op("log", read("u", p("t") - 1))],
    ids=["cannot fail", "random", "of itself"],
)
def test_fill_branches_declines(value: Expr) -> None:
    assert branch(value)[-1] == "y[t] = u[t] if x[t] > 0.0 else 0.0    for t in 1..S"


# ---- split_domains, peel_recurrences ---------------------------------------------------------------


def piecewise(condition: Expr, upper: str) -> list[str]:
    k = axis("k", 1, upper)
    step = equation("h", ("k",), (k,), op("tanh", total(Select(condition, read("x", 1), Literal(0.0), REAL), read("x", "k"))))
    return lines(split_domains(program(small(step, inputs={"x": (k,)}, values={"h": (k,)}, result=((), read("h", 1))))))[:-1]


def compared(name: str, left: str, right: str | int) -> Expr:
    return op(name, IndexValue(p(left)), IndexValue(p(right)), element=Element.BOOLEAN)


@pytest.mark.parametrize("condition", [compared("equal", "k", 1), compared("less_equal", "k", 1), compared("less", "k", 2)])
def test_split_domains_fires_at_the_first_point(condition: Expr) -> None:
    assert piecewise(condition, "n") == ["h[1] = tanh(x[1] + x[1])", "h[k] = tanh(x[k])    for k in 2..n"]


def test_split_domains_fires_at_the_last_point() -> None:
    assert piecewise(compared("equal", "k", "n"), "n") == ["h[k] = tanh(x[k])    for k in 1..n-1", "h[n] = tanh(x[1] + x[n])"]


@pytest.mark.parametrize(
    ("condition", "upper"),
    [
        (compared("equal", "k", 2), "n"),  # no end of the range
        (compared("equal", "k", 1), "S"),  # there may be no first point
        (op("greater", read("x", "k"), Literal(0.0), element=Element.BOOLEAN), "n"),  # data decides
    ],
)
def test_split_domains_declines(condition: Expr, upper: str) -> None:
    assert len(piecewise(condition, upper)) == 1


def depth(first: int, last: str = "n") -> list[str]:
    """h and u need each other; h starts at `first`."""
    k, late = axis("k", 1, last), axis("k", first, last)
    steps = (
        equation("u", (0,), (), read("x", 1)),
        *(equation("h", (number,), (), read("x", 1)) for number in range(1, first)),
        equation("h", ("k",), (late,), op("tanh", read("u", p("k") - 1))),
        equation("u", ("k",), (k,), op("mul", read("h", "k"), read("u", p("k") - 1))),
    )
    values = {"h": (k,), "u": (axis("k", 0, last),)}
    return lines(peel_recurrences(program(small(*steps, inputs={"x": (T,)}, values=values, result=((), read("u", last))))))


def test_peel_recurrences_fires() -> None:
    assert depth(2)[2:-1] == ["h[k] = tanh(u[k-1])    for k in 2..n", "u[1] = h[1] * u[0]", "u[k] = h[k] * u[k-1]    for k in 2..n"]


@pytest.mark.parametrize(("first", "last"), [(4, "n"), (2, "S"), (1, "n")], ids=["too far", "may be empty", "one range"])
def test_peel_recurrences_declines(first: int, last: str) -> None:
    assert depth(first, last)[-2] == f"u[k] = h[k] * u[k-1]    for k in 1..{last}"


# ---- square_triangles ----------------------------------------------------------------------------


def squared(*steps: Equation) -> list[str]:
    module = small(*steps, inputs={"x": (T,)}, values={"L": (T, axis("k", 1, "S"))}, result=((), read("L", "S", 1)))
    return lines(square_triangles(program(module)).modules[0])[:-1]


def test_square_triangles_fires() -> None:
    below = equation("L", ("t", "k"), (T, axis("k", 1, "t")), read("x", "k"))
    assert squared(below) == ["L[t, k] = x[k] if k <= t else 0.0    for t in 1..S, k in 1..S"]


def test_square_triangles_fires_at_several_equations() -> None:
    below = equation("L", ("t", "k"), (T, axis("k", 1, p("t") - 1)), read("x", "k"))
    above = equation("L", ("i", "j"), (axis("i", 1, "S"), axis("j", "i", "S")), read("x", "i"))
    assert squared(below, above) == ["L[t, k] = x[k] if k <= t-1 else x[t] if t <= k else 0.0    for t in 1..S, k in 1..S"]


def test_square_triangles_fires_beside_a_fixed_index() -> None:
    first = equation("L", (1, "k"), (axis("k", 1, "S"),), read("x", "k"))
    later = equation("L", ("t", "i"), (axis("t", 2, "S"), axis("i", 1, "t")), read("x", "t"))
    assert squared(first, later) == ["L[t, i] = x[i] if t == 1 else x[t] if 2 <= t and i <= t else 0.0    for t in 1..S, i in 1..S"]


def test_square_triangles_declines_boxes_and_corners() -> None:
    whole = equation("L", ("t", "k"), (T, axis("k", 1, "S")), read("x", "k"))
    assert squared(whole) == ["L[t, k] = x[k]    for t in 1..S, k in 1..S"]
    corner = equation("L", (1, 1), (), read("x", 1))
    assert squared(corner) == ["L[1, 1] = x[1]"]


# ---- hoist_invariants ----------------------------------------------------------------------------


def recurrence(body: Expr, **more: tuple[object, ...]) -> list[str]:
    steps = (equation("h", (0, "i"), (I,), read("b", "i")), equation("h", ("t", "i"), (T, I), op("tanh", body)))
    parameters = {"W": (I, J), "U": (I, J), "b": (I,)}
    module = small(
        *steps, inputs={"x": (T, I)}, parameters=parameters, values={"h": (axis("t", 0, "S"), I)}, result=((), read("h", "S", 1))
    )
    return lines(hoist_invariants(program(module)))[1:-1]


CARRIED = dot(read("U", "i", "j"), read("h", p("t") - 1, "j"), J)
INVARIANT = dot(read("W", "i", "j"), read("x", "t", "j"), J)
DATA = op("greater", read("x", "t", "i"), Literal(0.0), element=Element.BOOLEAN)


def test_hoist_invariants_fires_with_the_bias() -> None:
    assert recurrence(total(INVARIANT, CARRIED, read("b", "i"))) == [
        "W_x[t, i] = sum(j in 1..d: W[i, j] * x[t, j]) + b[i]    for t in 1..S, i in 1..d",
        "h[t, i] = tanh(W_x[t, i] + sum(j in 1..d: U[i, j] * h[t-1, j]))    for t in 1..S, i in 1..d",
    ]


def test_hoist_invariants_fires_in_a_branch_that_may_be_evaluated_anywhere() -> None:
    assert recurrence(Select(DATA, INVARIANT, CARRIED, REAL)) == [
        "W_x[t, i] = sum(j in 1..d: W[i, j] * x[t, j])    for t in 1..S, i in 1..d",
        "h[t, i] = tanh(W_x[t, i] if x[t, i] > 0.0 else sum(j in 1..d: U[i, j] * h[t-1, j]))    for t in 1..S, i in 1..d",
    ]


@pytest.mark.parametrize(
    "body",
    [
        total(read("b", "i"), CARRIED),  # no work
        Select(DATA, op("log", INVARIANT), CARRIED, REAL),  # may fail when the branch is not taken
        Select(DATA, dot(read("W", "i", "j"), read("x", p("t") + 1, "j"), J), CARRIED, REAL),  # may read outside
    ],
    ids=["arithmetic only", "partial", "outside"],
)
def test_hoist_invariants_declines(body: Expr) -> None:
    assert len(recurrence(body)) == 1


def test_hoist_invariants_fires_on_work_that_uses_fewer_indices() -> None:
    """The mean is computed once for each t; the dropout keeps its own draws for each i."""
    mean = op("div", sum_over(J, read("x", "t", "j")), op("to_real", IndexValue(p("d"))))
    drawn = sum_over(J, op("dropout", read("x", "t", "j"), Literal(0.5)))
    step = equation("y", ("t", "i"), (T, I), total(op("sub", read("x", "t", "i"), mean), drawn))
    module = small(step, inputs={"x": (T, I)}, values={"y": (T, I)}, result=((), read("y", 1, 1)))
    assert lines(hoist_invariants(program(module)))[:-1] == [
        "sum_x[t] = sum(j in 1..d: x[t, j]) / to_real(d)    for t in 1..S",
        "y[t, i] = x[t, i] - sum_x[t] + sum(j in 1..d: dropout(x[t, j], 0.5))    for t in 1..S, i in 1..d",
    ]


# ---- fuse_products -------------------------------------------------------------------------------


def gates(*bodies: Expr) -> list[str]:
    names = [f"g{number}" for number in range(len(bodies))]
    steps = tuple(equation(name, ("t", "i"), (T, I), body) for name, body in zip(names, bodies, strict=True))
    parameters = {"W": (I, J), "U": (I, J), "V": (I, axis("k", 2, "d")), "b": (I,), "c": (I,), "A": (T, I, J), "B": (T, I, J)}
    module = small(*steps, inputs={"x": (T, I)}, parameters=parameters, values=dict.fromkeys(names, (T, I)), result=((), read("g0", 1, 1)))
    return lines(fuse_products(program(module)))[:-1]


def product(weight: str) -> Expr:
    return dot(read(weight, "i", "j"), read("x", "t", "j"), J)


def test_fuse_products_fires_inside_formulas() -> None:
    assert gates(op("tanh", product("W")), op("sigmoid", op("mul", product("U"), read("b", "i")))) == [
        "W_U[n_1, n_2] = W[n_1+1, n_2]    for n_1 in 0..d-1, n_2 in 1..d",
        "W_U[n_1, n_2] = U[-d+n_1+1, n_2]    for n_1 in d..2*d-1, n_2 in 1..d",
        "W_U_x[t, i] = sum(j in 1..d: W_U[i, j] * x[t, j])    for t in 1..S, i in 0..2*d-1",
        "g0[t, i] = tanh(W_U_x[t, i-1])    for t in 1..S, i in 1..d",
        "g1[t, i] = sigmoid(W_U_x[t, d+i-1] * b[i])    for t in 1..S, i in 1..d",
    ]


def test_fuse_products_fires_with_biases() -> None:
    fused = gates(op("tanh", op("add", product("W"), read("b", "i"))), op("tanh", op("add", product("U"), read("c", "i"))))
    assert "W_U_x[t, i] = sum(j in 1..d: W_U[i, j] * x[t, j]) + b_c[i]    for t in 1..S, i in 0..2*d-1" in fused
    assert fused[-1] == "g1[t, i] = tanh(W_U_x[t, d+i-1])    for t in 1..S, i in 1..d"


def affine(*weights: str) -> Expr:
    """`W x[t] + U h[t-1]`, or `W x[t]` alone."""
    data = (read("x", "t", "j"), read("h", p("t") - 1, "j"))
    return total(*(dot(read(weight, "i", "j"), value, J) for weight, value in zip(weights, data, strict=False)))


def cell(*bodies: Expr) -> list[str]:
    """f and g from the bodies, h from both."""
    steps = (
        equation("h", (0, "i"), (I,), read("b", "i")),
        *(equation(name, ("t", "i"), (T, I), op("tanh", body)) for name, body in zip("fg", bodies, strict=True)),
        equation("h", ("t", "i"), (T, I), op("mul", read("f", "t", "i"), read("g", "t", "i"))),
    )
    values = {"h": (axis("t", 0, "S"), I), "f": (T, I), "g": (T, I)}
    parameters = {**dict.fromkeys(("W", "U", "V", "Z"), (I, J)), "b": (I,)}
    module = small(*steps, inputs={"x": (T, I)}, parameters=parameters, values=values, result=((), read("h", "S", 1)))
    return lines(fuse_products(hoist_invariants(program(module))))


def test_fused_products_that_are_added_are_added_whole() -> None:
    found = cell(affine("W", "U"), affine("V", "Z"))
    assert "U_Z_h[t, i] = W_V_x[t, i] + sum(j in 1..d: U_Z[i, j] * h[t-1, j])    for t in 1..S, i in 0..2*d-1" in found
    assert "g[t, i] = tanh(U_Z_h[t, d+i-1])    for t in 1..S, i in 1..d" in found


@pytest.mark.parametrize(
    "bodies",
    [
        (affine("W", "U"), op("add", affine("V"), op("tanh", dot(read("Z", "i", "j"), read("h", p("t") - 1, "j"), J)))),  # not beside
        (op("mul", affine("W"), affine("V", "U")), affine("W", "Z")),  # one read alone
    ],
    ids=["apart", "alone"],
)
def test_fused_products_stay_apart(bodies: tuple[Expr, ...]) -> None:
    assert any(line.startswith(("U_Z_h[t, i] = sum", "Z_U_h[t, i] = sum")) for line in cell(*bodies))


@pytest.mark.parametrize(
    "bodies",
    [
        (op("tanh", product("W")), op("sigmoid", product("W"))),  # one weight only
        (op("tanh", product("W")), dot(read("V", "i", "k"), read("x", "t", "k"), axis("k", 2, "d"))),  # other ranges
        (op("tanh", product("W")), dot(read("U", "i", "j"), read("x", 1, "j"), J)),  # other points
        (op("tanh", product("W")), Select(DATA, product("U"), Literal(0.0), REAL)),  # not always needed
        (dot(read("A", "t", "i", "j"), read("x", "t", "j"), J), dot(read("B", "t", "i", "j"), read("x", "t", "j"), J)),  # used once
    ],
    ids=["alone", "ranges", "points", "branch", "once"],
)
def test_fuse_products_declines(bodies: tuple[Expr, ...]) -> None:
    assert len(gates(*bodies)) == len(bodies)


# ---- drop_dead_values ----------------------------------------------------------------------------


def chain(*steps: Equation) -> list[str]:
    return lines(drop_dead_values(program(small(*steps, inputs={"x": (T,)}, values={"a": (T,), "b": (T,)}, result=((), read("b", 1))))))


NEEDED = equation("b", ("t",), (T,), op("exp", read("x", "t")))


def test_drop_dead_values_fires() -> None:
    assert chain(equation("a", ("t",), (T,), op("exp", read("b", "t"))), NEEDED) == ["b[t] = exp(x[t])    for t in 1..S", "return b[1]"]


def test_drop_dead_values_declines_what_is_needed_through_others() -> None:
    steps = (equation("a", ("t",), (T,), read("x", "t")), replace(NEEDED, value=op("exp", read("a", "t"))))
    assert len(chain(*steps)) == 3


# ---- hand_on_arrays ------------------------------------------------------------------------------


def past(of: Expr) -> tuple[Equation, Equation]:
    return equation("h", (0,), (), read("x", 1)), equation("h", ("t",), (T,), of)


def handed_on(*steps: Equation) -> list[str]:
    module = small(*steps, inputs={"x": (T,)}, values={"h": (axis("t", 0, "S"),)}, result=((), read("h", "S")))
    return lines(hand_on_arrays(program(module)).modules[0])


def test_hand_on_arrays_fires_where_a_turn_reads_what_came_before() -> None:
    found = handed_on(*past(sum_over(axis("s", 0, p("t") - 1), read("h", "s"))))
    assert "h[t] = sum(s in 0..t-1: h_so_far[t-1, s])    for t in 1..S" in found
    assert any(line.startswith("h_so_far[0, ") and "h_before[" in line for line in found)
    assert any("h[t_1] if k_0 == t_1 else h_so_far[t_1-1, k_0]" in line for line in found)


@pytest.mark.parametrize("of", [read("h", p("t") - 1), sum_over(axis("s", 0, "t"), read("h", "s"))])
def test_hand_on_arrays_declines_a_fixed_distance_and_what_has_no_order(of: Expr) -> None:
    assert not any("so_far" in line for line in handed_on(*past(of)))
