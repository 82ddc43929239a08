r"""Tensor programs: what lowering makes of equations, and what the verifier refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from mathdsl.api import compile_files
from mathdsl.diagnostics.model import InternalError
from mathdsl.ir.names import shorten_letters
from mathdsl.ir.nodes import Axis, Element, Program, Range
from mathdsl.ir.sizes import Poly
from mathdsl.passes import run_passes
from mathdsl.spans import SourceFile
from mathdsl.tensors.lower.module import lower_program
from mathdsl.tensors.names import Names
from mathdsl.tensors.passes.name_values import name_values
from mathdsl.tensors.passes.plan_contractions import plan_contractions
from mathdsl.tensors.passes.share_parts import share_parts
from mathdsl.tensors.printing import print_statement, print_tensors, print_value
from mathdsl.tensors.statements import (
    Append,
    Between,
    Blank,
    CheckOwnRange,
    Let,
    Line,
    Loop,
    NewList,
    Return,
    Run,
    Statement,
    Store,
    TensorProgram,
)
from mathdsl.tensors.traversal import bodies, children, values_of
from mathdsl.tensors.values import (
    INTEGER,
    TRUTH,
    All,
    At,
    Choose,
    Constant,
    Contract,
    Flip,
    Form,
    Group,
    Holds,
    Integer,
    Length,
    Local,
    Map,
    Narrow,
    Nothing,
    Product,
    Submodule,
    Value,
)
from mathdsl.tensors.verifying import verify_tensors
from tests.differential import check_text, equations

RECURRENCE = r"""
\Module{RNN}{x, h_0 = \mathbf{0}}
h_t \gets \tanh(W x_t + U h_{t-1} + b) \quad (t = 1, \dots, S) \\
\Return h \\
\EndModule
\begin{where}
W \in \mathbb{R}^{d_h \times d_x} & \\ U \in \mathbb{R}^{d_h \times d_h} & \\ b \in \mathbb{R}^{d_h} & \\
x \in \mathbb{R}^{S \times d_x} & \\
\end{where}
"""


def printed(text: str) -> str:
    result = compile_files([SourceFile("-", text)], emit="tensors")
    assert result.ok, [d.message for d in result.diagnostics]
    return result.source


def lowered(text: str) -> tuple[Program, TensorProgram]:
    """The equations after all passes, and the tensor program of the only module."""
    program = run_passes(equations(text))
    (tensors,) = lower_program(program)
    return program, tensors


def test_a_recurrence_is_a_product_outside_the_loop_and_one_inside() -> None:
    assert printed(RECURRENCE).split("\n\n", 1)[0].splitlines()[0] == "RNN(x, h_0, lengths)"
    lines = [line.strip() for line in printed(RECURRENCE).splitlines()]
    assert "W_x{..., t, i} = product(j: x * W, + b)" in lines
    assert "for t from 1 to below S+1" in lines
    assert "h_at[t]{..., i} = tanh(product(k: h_at[t-1] * U, + W_x_at[t-1]))" in lines
    assert lines.index("for t from 1 to below S+1") > lines.index("W_x_at = unbind(W_x, 0)")


def test_three_factors_are_two_products() -> None:
    where = r"\begin{where} U \in \mathbb{R}^{n \times n} & \\ r, h \in \mathbb{R}^{n} & \\ \end{where}"
    assert "product(j: (r * h) * U)" in printed(rf"\Module{{M}}{{r, h}} \Return U (r \odot h) \\ \EndModule {where}")


def test_a_program_that_lowering_makes_is_right() -> None:
    program, tensors = lowered(RECURRENCE)
    verify_tensors(program.modules[0], tensors)


def _changed(statements: tuple[Statement, ...], change: object) -> tuple[Statement, ...]:
    """The statements with each `Let` changed, inside loops too."""
    assert callable(change)
    found: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Loop):
            statement = replace(statement, body=_changed(statement.body, change))
        found += change(statement)
    return tuple(found)


def _without(name: str) -> object:
    return lambda statement: [] if isinstance(statement, Let) and statement.local.name == name else [statement]


def _other_axis(statement: Statement) -> list[Statement]:
    if isinstance(statement, Let) and isinstance(statement.value, Product):
        return [replace(statement, value=replace(statement.value, form=Form(("t", "k"), True, statement.value.element)))]
    return [statement]


def _wrong_rank(statement: Statement) -> list[Statement]:
    if isinstance(statement, Let) and isinstance(statement.value, Product):
        return [replace(statement, local=replace(statement.local, form=Form((), True, statement.value.element)))]
    return [statement]


def _no_batch(statement: Statement) -> list[Statement]:
    if isinstance(statement, Return):
        value = statement.value
        form = Form(value.axes, False, value.element)
        return [replace(statement, value=Map(form, "tanh", (value,)))]
    return [statement]


def _filled_before_it_is_stored(statement: Statement) -> list[Statement]:
    if isinstance(statement, Store) and isinstance(statement.element, At):
        form = statement.value.form
        early = Local(form, "early")
        return [Let(early, replace(statement.element, default=statement.value)), statement, Let(Local(form, "late"), early)]
    return [statement]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_filled_before_it_is_stored, "early has fills for elements that are there by now"),
        (_without("S"), "the size or index S is read before it is there"),
        (_without("W_x"), "W_x is read before it is there"),
        (_other_axis, "has the axes"),
        (_wrong_rank, "W_x is no tensor"),
        (_no_batch, "has the axes"),
    ],
)
def test_the_verifier_refuses_what_is_broken(change: object, message: str) -> None:
    program, tensors = lowered(RECURRENCE)
    broken = replace(tensors, statements=_changed(tensors.statements, change))
    with pytest.raises(InternalError, match=message):
        verify_tensors(program.modules[0], broken)


VECTOR = Form(("i",), False, Element.REAL)
X, Y = Local(VECTOR, "x"), Local(VECTOR, "y")
TABLE = Local(replace(VECTOR, holds=Holds.TABLE), "h_at")
THREE = Constant(INTEGER, 3)


def f(value: Value, op: str = "tanh") -> Map:
    return Map(value.form, op, (value,))


def let(name: str, value: Value) -> Let:
    return Let(Local(value.form, name), value)


def at(place: Value) -> At:
    return At(VECTOR, TABLE, (place,))


def loop(*body: Statement) -> Loop:
    return Loop("t", "t", None, THREE, False, body)


T, N = Integer(INTEGER, Poly.of("t")), Integer(INTEGER, Poly.of("n"))
TEST = Map(Form((), False, Element.BOOLEAN, Holds.NUMBER), "less", (T, THREE))
J = replace(X, form=replace(VECTOR, axes=("j",)))
RANDOM = Map(VECTOR, "dropout", (X, Constant(Form((), False, Element.REAL, Holds.NUMBER), 0.5)))


# ---- how they are printed ------------------------------------------------------------------------


def _members(union: object) -> Iterator[type]:
    for member in get_args(union):
        yield from _members(member) if get_args(member) else [member]


RARE: list[Statement] = [  # what no program of the tests shows
    NewList(Local(VECTOR, "h")),
    Append(Local(VECTOR, "h"), X),
    Run(Submodule(VECTOR, "f", None, (X,), (), (), False, False)),
    Between(T, Constant(INTEGER, 2), None, ()),
    CheckOwnRange("x", X, "S", Constant(INTEGER, 1), 0),
    let("h", Group(VECTOR, (Length(INTEGER, X), Nothing(VECTOR), Flip(VECTOR, X, 0), Narrow(VECTOR, X, 0, N)))),
    let("h", All(TRUTH, (Map(TRUTH, "less", (T, N)), Map(TRUTH, "less", (Constant(INTEGER, 0), T))))),
    let("h", Contract(VECTOR, (Local(VECTOR, "A"), X, Y), (Axis("j", Range(Poly.of(1), Poly.of("n"))),))),
]


@cache
def printed_forms() -> dict[type, set[str]]:
    """What the printer makes of all statements and values of the programs of the tests, by their kinds."""
    found: dict[type, set[str]] = {kind: set() for kind in (*_members(Statement), *_members(Value))}
    waiting: list[Statement | Value] = list(RARE)
    for path in sorted([*Path(__file__).parent.glob("programs/*.tex"), *Path(__file__).parents[1].glob("examples/*.tex")]):
        for tensors in lower_program(run_passes(equations(path.read_text(encoding="utf-8")))):
            waiting += tensors.statements
    while waiting:
        part = waiting.pop()
        if isinstance(part, Line):
            found[type(part)].update(map(shorten_letters, print_statement(part)[0]))
            waiting += [*values_of(part), *(inner for body in bodies(part) for inner in body)]
        else:
            found[type(part)].add(shorten_letters(print_value(part)))
            waiting += children(part)
    return found


@pytest.mark.parametrize("kind", [*_members(Statement), *_members(Value)], ids=lambda kind: kind.__name__)
def test_the_example_of_a_node_is_what_the_printer_prints(kind: type) -> None:
    examples = set(re.findall("`([^`]+)`", kind.__doc__ or ""))
    assert examples & printed_forms()[kind] or kind is Blank, sorted(printed_forms()[kind], key=len)[:20]


# ---- passes --------------------------------------------------------------------------------------

SHAPES = {"x": "n", "y": "n", "z": "n", "A": r"n \times n", "B": r"n \times n", "U": r"n \times m", "V": r"n \times m", "X": r"m \times n"}
MEETING = r"r_{t, i} \gets \sum_a \sum_j A_{i, a} B_{a, j} X_{t, j} \quad (t = 1, \dots, m, i = 1, \dots, n)"
PLANS = {
    "inner sums first": (r"r \gets \sum_i \sum_j x_i A_{i, j} y_j", "product(i: x * product(j: y * A))"),
    "the smallest first": (r"r_{i, k} \gets \sum_j A_{i, j} x_j B_{j, k} \quad (i, k = 1, \dots, n)", "product(j: (A * x) * B)"),
    "elementwise before sums": (r"r_i \gets \sum_j A_{i, j} x_j y_j \quad (i = 1, \dots, n)", "product(j: (x * y) * A)"),
    "sums that factor": (r"r \gets \sum_i \sum_{j = 1}^m \sum_{k = 1}^m U_{i, j} V_{i, k}", "product(i: sum(k: V) * sum(j: U))"),
    "a factor without the index": (r"r_i \gets \sum_j A_{i, j} x_j y_i \quad (i = 1, \dots, n)", "(y * product(j: x * A))"),
    "both indices at once": (r"r \gets \sum_i \sum_j A_{i, j} B_{i, j}", "product(i, j: A * B)"),
    "data meets matrices one by one": (MEETING, "product(a: product(j: X * B) * A)"),
    "two sums over one letter": (
        r"r \gets \sum_i (\sum_j A_{i, j} y_j) (\sum_j B_{i, j} z_j)",
        "product(i: product(j: y * A) * product(j_1: z * B))",
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_plan_contractions_fires(name: str) -> None:
    formula, expected = PLANS[name]
    letters = [letter for letter in SHAPES if f"{letter}_" in formula]
    where = " ".join(rf"{letter} \in \mathbb{{R}}^{{{SHAPES[letter]}}} & \\" for letter in letters)
    given = ", ".join(letter for letter in letters if letter in "xyzX")
    text = printed(rf"\Module{{M}}{{{given}}} {formula} \\ \Return r \\ \EndModule \begin{{where}} {where} \end{{where}}")
    assert f"= {expected}\n" in text, text


def test_plan_contractions_declines_to_join_sums_over_an_axis_of_one_name() -> None:
    j = Axis("j", Range(Poly.of(1), Poly.of("n")))
    x = Local(Form(("j",), False, Element.REAL), "x")
    inner = Contract(Form((), False, Element.REAL), (x, x), (j,))
    outer = Contract(inner.form, (x, inner), (j,))
    _, tensors = lowered(RECURRENCE)
    changed = plan_contractions(replace(tensors, statements=(Return(outer),)), Names())
    assert [print_value(one) for one in values_of(changed.statements[0])] == ["(product(j: x * x) * sum(j: x))"]


def test_take_addends_fires_on_a_bias_a_value_of_the_loop_and_a_mixture() -> None:
    assert "product(j: x * W, + b)" in printed(RECURRENCE)
    assert "product(k: h_at[t-1] * U, + W_x_at[t-1])" in printed(RECURRENCE)
    mixture = r"\Module{M}{g, h, u} \Return g \odot h + (1 - g) \odot u \\ \EndModule"
    where = r"\begin{where} g, h, u \in \mathbb{R}^{n} & \\ \end{where}"
    assert "return mix(u, h, g)" in printed(mixture + where)
    assert "mix" not in printed(mixture.replace("1 - g", "2 - g") + where)


def test_take_addends_declines_for_what_has_other_axes() -> None:
    text = RECURRENCE.replace(r"b \in \mathbb{R}^{d_h}", r"b \in \mathbb{R}")
    assert "contract" not in printed(text)
    assert "(product(j: x * W) + b)" in printed(text)


STACK = r"""
\Module{M}{x}
u_0 \gets x \\
g_k \gets \sigma(W_k u_{k-1}) \quad (k = 1, \dots, 3) \\
u_k \gets g_k \odot u_{k-1} \quad (k = 1, \dots, 3) \\
\Return u_3 \\
\EndModule
\begin{where} x \in \mathbb{R}^n & \\ W_k \in \mathbb{R}^{n \times n}, k = 1, \dots, 3 & \\ \end{where}
"""


def test_choose_storage_fires_on_what_lives_one_turn_and_on_what_is_carried() -> None:
    program, tensors = lowered(STACK)
    (plain,) = lower_program(program, ())
    assert {array for array, _ in plain.tables} == {"g", "u"}
    assert not tensors.tables
    body = [line.strip() for line in printed(STACK).splitlines()]
    assert "u{..., i} = x" in body
    assert "u{..., m} = (g * u)" in body
    assert body[-1] == "return u"


def test_choose_storage_fires_on_the_parts_of_a_join() -> None:
    text = r"h_t \gets \tanh(W \cdot [h_{t-1}, x_t]) \quad (t = 1, \dots, S)"
    where = r"\begin{where} x \in \mathbb{R}^{S \times n} & \\ h_0 \in \mathbb{R}^n & \\ W \in \mathbb{R}^{n \times 2 n} & \\ \end{where}"
    lines = [line.strip() for line in printed(rf"\Module{{M}}{{x, h_0}} {text} \\ \Return h \\ \EndModule {where}").splitlines()]
    assert "joined_part{..., k} = h_at[t-1]" in lines
    assert "joined{..., ?0} = join(joined_part, joined_at[t], 0)" in lines


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"\Return u_3", r"\Return u_2"),
        (r"g_k \odot u_{k-1}", r"g_k \odot u_0"),
        (r"\Return u_3", r"\Return u"),
        (r"\Return u_3", r"\Return u_0 + u_3"),
    ],
)
def test_choose_storage_declines_where_another_element_is_read(old: str, new: str) -> None:
    _, tensors = lowered(STACK.replace(old, new))
    assert [array for array, _ in tensors.tables] == ["u"]


CHEBYSHEV = r"""
\Module{M}{x, L}
T_0 \gets x \\
T_1 \gets L x \\
T_k \gets 2 L T_{k-1} - T_{k-2} \quad (k = 2, \dots, K) \\
\Return T_K \\
\EndModule
\begin{where} x \in \mathbb{R}^n & \\ L \in \mathbb{R}^{n \times n} & \\ \end{where}
"""


def test_choose_storage_keeps_the_turns_that_are_read() -> None:
    assert not lowered(CHEBYSHEV)[1].tables
    body = [line.strip() for line in printed(CHEBYSHEV).splitlines()]
    moved = body.index("T_before_2{..., ?0} = T_before")
    assert body[moved + 1] == "T_before{..., ?0} = T"
    assert body[moved - 1] == "for k from 2 to below K+1"
    assert check_text(CHEBYSHEV) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"\Return T_K", r"\Return T_0 + T_K"),
        (r"\Return T_K", r"\Return T_{K-2}"),
        (r"2 L T_{k-1} - T_{k-2}", r"2 L T_{k-1} - T_0"),
        (r"\Return T_K", r"\Return \sum_{k=0}^K T_k"),
    ],
)
def test_choose_storage_declines_where_older_turns_are_read(old: str, new: str) -> None:
    _, tensors = lowered(CHEBYSHEV.replace(old, new))
    assert [array for array, _ in tensors.tables] == ["T"]


ATTENTION = r"""
\Module{attention}{Q, K, V}
\Return \softmax(Q K^\top / \sqrt{d_k}) V \\
\EndModule
\begin{where}
Q \in \mathbb{R}^{n \times d_k} & \\ K \in \mathbb{R}^{m \times d_k} & \\ V \in \mathbb{R}^{m \times d_v} & \\
\end{where}
"""


def test_mask_softmaxes_fires_on_the_masks_of_padding() -> None:
    assert "softmax(l: (product(p: Q * K) / sqrt(to_real(d_k))), own(m))" in printed(ATTENTION)


def test_mask_softmaxes_declines_for_other_operations() -> None:
    text = printed(ATTENTION.replace(r"\softmax(Q K^\top / \sqrt{d_k})", r"\operatorname{cumsum}(Q K^\top)"))
    assert "cumsum(l: " in text
    assert "own(m))" not in text


def shared(*statements: Statement) -> list[str]:
    """The lines of statements after the pass, which does the same again to what it has made."""
    program = replace(lowered(RECURRENCE)[1], statements=statements)
    after = share_parts(program, Names())
    assert share_parts(after, Names()) == after
    return [line.strip() for line in print_tensors([after]).splitlines()[1:]]


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ((let("a", f(X)), let("b", f(f(X), "exp"))), ["a{i} = tanh(x)", "b{i} = exp(a)"]),
        ((let("a", f(f(X), "exp")), let("b", f(X))), ["?0{i} = tanh(x)", "a{i} = exp(?0)", "b{i} = ?0"]),
        ((let("a", f(X)), let("b", f(J))), ["a{i} = tanh(x)", "b{j} = a"]),
        ((let("a", f(X)), loop(Store(at(T), f(X)))), ["a{i} = tanh(x)", "for t from 0 to below 3", "h_at[t]{i} = a"]),
        (
            (loop(Store(at(T), f(f(X))), let("a", f(f(X), "exp"))),),
            ["for t from 0 to below 3", "?0{i} = tanh(x)", "h_at[t]{i} = tanh(?0)", "a{i} = exp(?0)"],
        ),
        ((let("a", f(X)), let("b", Choose(VECTOR, TEST, f(X), Y))), ["a{i} = tanh(x)", "b{i} = choose((t < 3), a, y)"]),
    ],
    ids=["statements", "parts", "axes", "before-a-loop", "in-a-loop", "used-in-a-branch"],
)
def test_share_parts_fires_on(statements: tuple[Statement, ...], expected: list[str]) -> None:
    assert shared(*statements) == expected


@pytest.mark.parametrize(
    "statements",
    [
        (let("a", f(X)), let("x", Y), let("b", f(X))),
        (let("a", f(at(THREE))), Store(at(THREE), X), let("b", f(at(THREE)))),
        (let("a", f(X)), loop(let("b", f(X)), let("x", Y))),
        (loop(let("a", f(at(T)))), loop(let("b", f(at(T))))),
        (loop(let("a", f(X)), let("x", Y)), let("b", f(X))),
        (loop(let("a", f(X))), let("b", f(X))),
        (Between(T, None, THREE, (let("a", f(X)),)), let("b", f(X))),
        (let("a", Choose(VECTOR, TEST, f(X), Y)), let("b", f(X))),
        (let("a", RANDOM), let("b", RANDOM)),
        (let("a", Map(VECTOR, "sub", (X, Y))), loop(Append(Local(VECTOR, "c"), Map(VECTOR, "add", (X, Y))))),
        (Return(Group(VECTOR, (Map(VECTOR, "sub", (X, Y)), Map(VECTOR, "sub", (X, Y))))),),
        (let("a", f(Constant(VECTOR, 1))), let("b", f(Constant(VECTOR, 1.0)))),
    ],
    ids=[
        "a-local-assigned-between",
        "a-table-stored-into",
        "what-a-loop-assigns-later",
        "indices-of-two-loops",
        "what-a-loop-assigned",
        "a-loop-that-may-have-no-turn",
        "a-condition",
        "a-branch",
        "random-numbers",
        "other-operations",
        "short-formulas",
        "numbers-that-are-not-the-same",
    ],
)
def test_share_parts_declines_for(statements: tuple[Statement, ...]) -> None:
    program = replace(lowered(RECURRENCE)[1], statements=statements)
    assert share_parts(program, Names()) == program


def test_name_values_fires_on_results_parts_and_inputs_without_padding() -> None:
    text = printed(ATTENTION)
    assert [line.split("{")[0].strip() for line in text.splitlines() if "= mask(" in line] == ["Q", "K", "V"]
    assert text.rstrip().endswith("return mask(result, n, i, 0.0)")
    where = r"\begin{where} W \in \R^{n \times n} & \\ x \in \R^n & \\ \end{where}"
    twice = rf"\Module{{M}}{{x}} \Return \tanh(W x) + \exp(W x) \\ \EndModule {where}"
    assert "W_x{..., i} = product(j: x * W)" in printed(twice)


def test_name_values_declines_for_what_has_a_name_and_for_an_input_whose_padding_is_read() -> None:
    named = printed(ATTENTION.replace(r"\Return ", r"y \gets ").replace(r"V \\", r"V \\ \Return y \\", 1))
    assert "return mask(y, n, " in named
    assert "result" not in named
    _, tensors = lowered(ATTENTION)
    padded = next(one for one in tensors.statements if isinstance(one, Let) and one.local.name == "Q")
    read = replace(padded, local=replace(padded.local, name="Q_padded"))
    kept = replace(tensors, statements=(read, Blank(), let("a", padded.local), Return(read.local)))
    assert name_values(kept, Names()) == kept


def test_attention_is_twelve_lines() -> None:
    result = compile_files([SourceFile("-", ATTENTION)])
    body = result.source.split("Q, batch)\n", 1)[1].split("\n\n\ndef ", 1)[0]
    assert len(body.splitlines()) <= 10, body
    assert "float(d_k)" not in body
