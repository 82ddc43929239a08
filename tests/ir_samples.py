"""Programs built by hand in the IR, small ones for each thing that a pass, the backend or the oracle must get right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Apply,
    Argument,
    Array,
    Axis,
    Call,
    CallTarget,
    Element,
    Equation,
    Expr,
    Index,
    IndexValue,
    Initialiser,
    Input,
    Interval,
    Kind,
    Literal,
    Loop,
    Module,
    Origin,
    Parameter,
    Program,
    Range,
    Read,
    Reduce,
    Result,
    ResultTuple,
    Select,
    Setting,
    SettingDeclaration,
    Size,
    SizeKind,
    StackPart,
    Structure,
    Submodule,
    Whole,
)
from mathdsl.ir.sizes import Poly
from mathdsl.ir.traversal import with_schedule
from mathdsl.library import find_library

REAL, INTEGER, BOOLEAN = Element.REAL, Element.INTEGER, Element.BOOLEAN
Bound = Poly | int | str


@dataclass(frozen=True)
class Sample:
    """A program, the module to run, and data for it: nested lists, parameters by path, sizes that are hyperparameters."""

    program: Program
    module: str
    arguments: Mapping[str, Any]
    parameters: Mapping[str, Any]
    sizes: Mapping[str, int]
    settings: Mapping[str, float] = field(default_factory=dict)


# ---- short spellings -------------------------------------------------------------------------------


def p(value: Bound) -> Poly:
    return Poly.of(value)


def rows(lower: Bound, upper: Bound) -> Range:
    return Range(p(lower), p(upper))


def axis(name: str, lower: Bound, upper: Bound) -> Axis:
    return Axis(name, rows(lower, upper))


def read(array: str, *index: Index | int | str, element: Element = REAL) -> Read:
    return Read(array, tuple(p(i) if isinstance(i, int | str) else i for i in index), element)


def op(name: str, *arguments: Expr, element: Element = REAL) -> Apply:
    return Apply(name, arguments, element)


def total(first: Expr, *others: Expr) -> Expr:
    for other in others:
        first = op("add", first, other)
    return first


def sum_over(bound: Axis, body: Expr, element: Element = REAL) -> Reduce:
    return Reduce("sum", bound, body, element)


def dot(matrix: Read, vector: Read, bound: Axis) -> Reduce:
    return sum_over(bound, op("mul", matrix, vector))


def equation(target: str, index: Sequence[Bound], axes: Sequence[Axis], value: Expr, latex: str = "") -> Equation:
    return Equation(target, tuple(axes), tuple(p(i) for i in index), value, Origin(latex))


def array(kind: Kind, name: str, *ranges: Range, element: Element = REAL, latex: str = "", **more: Any) -> Array:
    return Array(name, kind, element, ranges, more.pop("python", name), latex or name, **more)


def given(name: str, *ranges: Range, **more: Any) -> Array:
    return array(Kind.INPUT, name, *ranges, **more)


def parameter(name: str, *ranges: Range, **more: Any) -> Array:
    return array(Kind.PARAMETER, name, *ranges, **more)


def value(name: str, *ranges: Range, **more: Any) -> Array:
    return array(Kind.VALUE, name, *ranges, **more)


def hyper(*names: str) -> tuple[Size, ...]:
    return tuple(Size(name, SizeKind.HYPERPARAMETER, name) for name in names)


def runtime(*names: str) -> tuple[Size, ...]:
    return tuple(Size(name, SizeKind.RUNTIME, name) for name in names)


def returns(name: str, axes: Sequence[Axis], expr: Expr, structure: Structure = Structure.TENSOR) -> Result:
    return Result(name, Abstraction(tuple(axes), expr), structure)


def owned(*names: str) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, Initialiser("linear" if name[0].isupper() else "zeros")) for name in names)


def single(path: str, callee: str, **arguments: Bound) -> Submodule:
    part = StackPart(rows(0, 0), tuple((name, p(size)) for name, size in arguments.items()))
    return Submodule(path, callee, False, (part,), path)


def library(*names: str) -> tuple[Module, ...]:
    found = tuple(find_library(name) for name in names)
    return tuple(module for module in found if module is not None)


def filled(shape: Sequence[int], seed: int) -> Any:
    """Nested lists of numbers in -0.9 .. 0.9 that look random and are the same everywhere."""
    if not shape:
        return 0.9 * math.sin(12.9898 * seed + 1.0)
    return [filled(shape[1:], 31 * seed + i + 1) for i in range(shape[0])]


# ---- (a) one recurrence, base 1, an optional first state ------------------------------------------------


def elman_layer() -> Module:
    """h_t = tanh(W x_t + U h_{t-1} + b)."""
    i, j, k, t = axis("i", 1, "H_out"), axis("j", 1, "H_in"), axis("k", 1, "H_out"), axis("t", 1, "S")
    step = total(
        dot(read("W", "i", "j"), read("x", "t", "j"), j),
        dot(read("U", "i", "k"), read("h", p("t") - 1, "k"), k),
        read("b", "i"),
    )
    return Module(
        name="ElmanLayer",
        sizes=(*hyper("H_in", "H_out"), *runtime("S")),
        settings=(),
        arrays=(
            given("x", t.range, j.range),
            given("h_0", i.range),
            parameter("W", i.range, j.range),
            parameter("U", i.range, i.range),
            parameter("b", i.range),
            value("h", rows(0, "S"), i.range),
        ),
        inputs=(Input("x"), Input("h_0", default=Literal(0.0))),
        parameters=owned("W", "U", "b"),
        submodules=(),
        steps=(
            equation("h", (0, "i"), (i,), read("h_0", "i")),
            equation("h", ("t", "i"), (t, i), op("tanh", step), r"h_t = \tanh(W x_t + U h_{t-1} + b)"),
        ),
        results=returns("h", (t, i), read("h", "t", "i")),
        description="One Elman layer.",
    )


def elman() -> Sample:
    return Sample(
        program=Program((elman_layer(),)),
        module="ElmanLayer",
        arguments={"x": filled((4, 2), 1), "h_0": filled((3,), 2)},
        parameters={"W": filled((3, 2), 3), "U": filled((3, 3), 4), "b": filled((3,), 5)},
        sizes={"H_in": 2, "H_out": 3},
    )


# ---- (b) gates by submodules called in a loop, tokens behind a leading 0, the last state ---------------------


def gate_module() -> Module:
    """T(x, h) = W_h h + W_x x + b."""
    i, j, k = axis("i", 0, p("d_h") - 1), axis("j", 0, p("d_h") - 1), axis("k", 0, p("d_x") - 1)
    body = total(dot(read("W_h", "i", "j"), read("h", "j"), j), dot(read("W_x", "i", "k"), read("x", "k"), k), read("b", "i"))
    return Module(
        name="T",
        sizes=hyper("d_x", "d_h"),
        settings=(),
        arrays=(
            given("x", k.range),
            given("h", i.range),
            parameter("W_x", i.range, k.range),
            parameter("W_h", i.range, i.range),
            parameter("b", i.range),
        ),
        inputs=(Input("x"), Input("h")),
        parameters=owned("W_x", "W_h", "b"),
        submodules=(),
        steps=(),
        results=returns("y", (i,), body),
    )


def lstm_module() -> Module:
    """An LSTM classifier whose four gates are four instances of T."""
    whole, steps, i, j = axis("t", 0, "L"), axis("t", 1, "L"), axis("i", 0, p("d_h") - 1), axis("j", 0, p("d_x") - 1)
    gates = {"f": "sigmoid", "i": "sigmoid", "o": "sigmoid", "c": "tanh"}
    names = {"f": "f", "i": "i_gate", "o": "o", "c": "c_tilde"}

    def gate_call(gate: str) -> Call:
        return Call(
            targets=(CallTarget(f"u_{gate}", (p("t"), i.range)),),
            axes=(steps,),
            submodule=f"T_{gate}",
            at=None,
            arguments=(
                Argument("x", Abstraction((j,), read("x", "t", "j"))),
                Argument("h", Abstraction((i,), read("h", p("t") - 1, "i"))),
            ),
            sizes=(),
            origin=Origin(rf"u_{gate}[t] \gets T_{gate}(x[t], h[t - 1])"),
        )

    lookup = Call(
        targets=(CallTarget("x", (p("t"), j.range)),),
        axes=(whole,),
        submodule="D",
        at=None,
        arguments=(Argument("input", Abstraction((), read("S_bar", "t", element=INTEGER))),),
        sizes=(),
        origin=Origin(r"x \gets \{D(s); s \in \bar{S}\}"),
    )
    classify = Call(
        targets=(CallTarget("y_hat", (rows(0, p("C") - 1),)),),
        axes=(),
        submodule="Linear",
        at=None,
        arguments=(Argument("input", Abstraction((i,), read("h", "L", "i"))),),
        sizes=(),
        origin=Origin(r"\hat{y} \gets Linear(h[L])"),
    )
    cell = op(
        "add", op("mul", read("f", "t", "i"), read("c", p("t") - 1, "i")), op("mul", read("i_gate", "t", "i"), read("c_tilde", "t", "i"))
    )
    return Module(
        name="LSTM",
        sizes=(*hyper("V", "d_x", "d_h", "C"), *runtime("L")),
        settings=(),
        arrays=(
            given("S", rows(0, p("L") - 1), element=INTEGER),
            array(Kind.BUFFER, "c_0", i.range),
            array(Kind.BUFFER, "h_0", i.range),
            value("S_bar", whole.range, element=INTEGER, latex=r"\bar{S}"),
            value("x", whole.range, j.range),
            *(value(f"u_{gate}", steps.range, i.range) for gate in gates),
            *(value(names[gate], steps.range, i.range) for gate in gates),
            value("c", whole.range, i.range),
            value("h", whole.range, i.range),
            value("y_hat", rows(0, p("C") - 1), latex=r"\hat{y}"),
        ),
        inputs=(Input("S"),),
        parameters=(Parameter("c_0", Initialiser("zeros")), Parameter("h_0", Initialiser("zeros"))),
        submodules=(
            single("D", "Embedding", num_embeddings="V", embedding_dim="d_x"),
            *(single(f"T_{gate}", "T", d_x="d_x", d_h="d_h") for gate in gates),
            single("Linear", "Linear", in_features="d_h", out_features="C"),
        ),
        steps=(
            equation("S_bar", (0,), (), Literal(0), r"\bar{S} \gets \{0\}^1 || S"),
            equation("S_bar", ("t",), (steps,), read("S", p("t") - 1, element=INTEGER), r"\bar{S} \gets \{0\}^1 || S"),
            lookup,
            *(gate_call(gate) for gate in gates),
            *(equation(names[g], ("t", "i"), (steps, i), op(function, read(f"u_{g}", "t", "i"))) for g, function in gates.items()),
            equation("c", (0, "i"), (i,), read("c_0", "i")),
            equation("c", ("t", "i"), (steps, i), cell, r"c[t] = f[t] * c[t - 1] + i[t] * \tilde{c}[t]"),
            equation("h", (0, "i"), (i,), read("h_0", "i")),
            equation("h", ("t", "i"), (steps, i), op("mul", read("o", "t", "i"), op("tanh", read("c", "t", "i")))),
            classify,
        ),
        results=returns("y_hat", (axis("n", 0, p("C") - 1),), read("y_hat", "n")),
    )


def lstm() -> Sample:
    sizes = {"V": 5, "d_x": 2, "d_h": 3, "C": 2}
    parameters = {"c_0": filled((3,), 1), "h_0": filled((3,), 2), "D.weight": filled((5, 2), 3)}
    for number, gate in enumerate("fioc"):
        parameters |= {
            f"T_{gate}.W_x": filled((3, 2), 4 + number),
            f"T_{gate}.W_h": filled((3, 3), 14 + number),
            f"T_{gate}.b": filled((3,), 24 + number),
        }
    parameters |= {"Linear.weight": filled((2, 3), 40), "Linear.bias": filled((2,), 41)}
    program = Program((gate_module(), lstm_module()), library("Embedding", "Linear"))
    return Sample(program, "LSTM", {"S": [3, 1, 4, 1]}, parameters, sizes)


# ---- (c) a stack: calls in a loop over layers, a list in, a list out -----------------------------------------


def stack_module() -> Module:
    """Elman layers on top of each other, dropout between them; the last states as a list (`h_0` for an empty sequence).

    `h[0, 0]` is undefined and never read.
    """
    t, i, layers, levels = axis("t", 1, "S"), axis("i", 1, "d"), axis("l", 1, "n_lyr"), axis("l", 0, "n_lyr")
    dropped = op("dropout", read("h", "t", "l", "i"), Setting("p", REAL))
    call = Call(
        targets=(CallTarget("h", (rows(1, "S"), p("l"), i.range)),),
        axes=(layers,),
        submodule="f",
        at=p("l"),
        arguments=(
            Argument("x", Abstraction((t, i), read("h_hat", "t", p("l") - 1, "i"))),
            Argument("h_0", Abstraction((i,), read("h_0", "l", "i"))),
        ),
        sizes=(("S", p("S")),),
        origin=Origin(r"h^l \gets f^l(\hat{h}^{l-1}, h_0^l)"),
    )
    return Module(
        name="Stack",
        sizes=(*hyper("d", "n_lyr"), *runtime("S")),
        settings=(SettingDeclaration("p", REAL, 0.0, "p", Interval(0.0, 1.0)),),
        arrays=(
            given("x", t.range, i.range),
            given("h_0", layers.range, i.range, listed=True),
            value("h", rows(0, "S"), levels.range, i.range),
            value("h_hat", t.range, levels.range, i.range, latex=r"\hat{h}"),
        ),
        inputs=(Input("x"), Input("h_0", Structure.LIST, Literal(0.0))),
        parameters=(),
        submodules=(Submodule("f", "ElmanLayer", True, (StackPart(layers.range, (("H_in", p("d")), ("H_out", p("d")))),), "f"),),
        steps=(
            equation("h", (0, "l", "i"), (layers, i), read("h_0", "l", "i")),
            equation("h", ("t", 0, "i"), (t, i), read("x", "t", "i"), r"h^0 \gets x"),
            equation("h_hat", ("t", "l", "i"), (t, levels, i), dropped, r"\hat{h}^l \gets \Dropout(h^l, p)"),
            call,
        ),
        results=ResultTuple(
            (
                returns("y", (t, i), read("h_hat", "t", "n_lyr", "i")),
                returns("h_last", (layers, i), read("h", "S", "l", "i"), Structure.LIST),
            )
        ),
    )


def stack() -> Sample:
    parameters: dict[str, Any] = {}
    for layer in range(2):
        parameters |= {
            f"f.{layer}.W": filled((3, 3), 10 + layer),
            f"f.{layer}.U": filled((3, 3), 20 + layer),
            f"f.{layer}.b": filled((3,), 30 + layer),
        }
    return Sample(
        program=Program((stack_module(), elman_layer())),
        module="Stack",
        arguments={"x": filled((4, 3), 1), "h_0": filled((2, 3), 2)},
        parameters=parameters,
        sizes={"d": 3, "n_lyr": 2},
        settings={"p": 0.25},
    )


# ---- (d) attention, written per index ------------------------------------------------------------------------


def attention() -> Sample:
    """a[h, i, j] = softmax over j of <Q[h, i], K[h, j]> / sqrt(d_k); o[h, i] = sum over j of a[h, i, j] V[h, j]."""
    h, i, j, m = axis("h", 1, "n_hd"), axis("i", 1, "S_q"), axis("j", 1, "S_k"), axis("m", 1, "S_k")
    c, e = axis("c", 1, "d_k"), axis("e", 1, "d")

    def project(name: str, weight: str, source: str, position: Axis) -> Equation:
        body = dot(read(weight, "h", "c", "e"), read(source, position.name, "e"), e)
        return equation(name, ("h", position.name, "c"), (h, position, c), body)

    score = op("div", dot(read("Q", "h", "i", "c"), read("K", "h", "m", "c"), c), op("sqrt", op("to_real", IndexValue(p("d_k")))))
    module = Module(
        name="Attention",
        sizes=(*hyper("n_hd", "d_k", "d"), *runtime("S_q", "S_k")),
        settings=(),
        arrays=(
            given("q", i.range, e.range),
            given("k", j.range, e.range),
            *(parameter(name, h.range, c.range, e.range) for name in ("W_Q", "W_K", "W_V")),
            value("Q", h.range, i.range, c.range),
            value("K", h.range, j.range, c.range),
            value("V", h.range, j.range, c.range),
            value("a", h.range, i.range, j.range),
            value("o", h.range, i.range, c.range),
        ),
        inputs=(Input("q"), Input("k")),
        parameters=owned("W_Q", "W_K", "W_V"),
        submodules=(),
        steps=(
            project("Q", "W_Q", "q", i),
            project("K", "W_K", "k", j),
            project("V", "W_V", "k", j),
            equation("a", ("h", "i", "j"), (h, i, j), Along("softmax", m, score, p("j"), REAL), r"a_{i,j}^h \gets \softmax_j(\dots)"),
            equation("o", ("h", "i", "c"), (h, i, c), dot(read("a", "h", "i", "j"), read("V", "h", "j", "c"), j)),
        ),
        results=ResultTuple((returns("o", (i, h, c), read("o", "h", "i", "c")), returns("a", (h, i, j), read("a", "h", "i", "j")))),
    )
    return Sample(
        program=Program((module,)),
        module="Attention",
        arguments={"q": filled((3, 4), 1), "k": filled((5, 4), 2)},
        parameters={"W_Q": filled((2, 3, 4), 3), "W_K": filled((2, 3, 4), 4), "W_V": filled((2, 3, 4), 5)},
        sizes={"n_hd": 2, "d_k": 3, "d": 4},
    )


# ---- (e) backwards in time -----------------------------------------------------------------------------------


def descending() -> Sample:
    """h[t] = tanh(U h[t+1] + x[t]) from h[S+1] = 0 down; the first is returned."""
    t, i, k = axis("t", 1, "S"), axis("i", 1, "d"), axis("k", 1, "d")
    end = p("S") + 1
    body = op("tanh", op("add", dot(read("U", "i", "k"), read("h", p("t") + 1, "k"), k), read("x", "t", "i")))
    module = Module(
        name="Backwards",
        sizes=(*hyper("d"), *runtime("S")),
        settings=(),
        arrays=(
            given("x", t.range, i.range),
            parameter("U", i.range, i.range),
            value("h", rows(1, end), i.range),
        ),
        inputs=(Input("x"),),
        parameters=owned("U"),
        submodules=(),
        steps=(
            equation("h", (end, "i"), (i,), Literal(0.0), r"h_{S+1} = \mathbf{0}"),
            equation("h", ("t", "i"), (t, i), body, r"h_t = \tanh(U h_{t+1} + x_t)"),
        ),
        results=ResultTuple((returns("h_1", (i,), read("h", 1, "i")), returns("h", (t, i), read("h", "t", "i")))),
    )
    return Sample(Program((module,)), "Backwards", {"x": filled((4, 2), 1)}, {"U": filled((2, 2), 2)}, {"d": 2})


# ---- (f) a recurrence within a recurrence --------------------------------------------------------------------


def highway() -> Sample:
    """s[t, k] = h g + s[t, k-1] (1 - g) over depths k = 1 .. D; s[t, 0] is the state after step t - 1; x comes in at k = 1."""
    t, i, j, n = axis("t", 1, "S"), axis("i", 0, p("d") - 1), axis("j", 0, p("d") - 1), axis("n", 0, p("d_in") - 1)
    k = axis("k", 1, "D")

    def transform(name: str, function: str) -> Equation:
        at_first = op("equal", IndexValue(p("k")), Literal(1), element=BOOLEAN)
        entering = Select(at_first, dot(read(f"W_{name}", "i", "n"), read("x", "t", "n"), n), Literal(0.0), REAL)
        carried = dot(read(f"R_{name}", "k", "i", "j"), read("s", "t", p("k") - 1, "j"), j)
        return equation(name, ("t", "k", "i"), (t, k, i), op(function, total(entering, carried, read(f"b_{name}", "k", "i"))))

    gate, before = read("g", "t", "k", "i"), read("s", "t", p("k") - 1, "i")
    mixed = op("add", op("mul", read("h", "t", "k", "i"), gate), op("mul", before, op("sub", Literal(1.0), gate)))
    module = Module(
        name="Highway",
        sizes=(*hyper("d_in", "d", "D"), *runtime("S")),
        settings=(),
        arrays=(
            given("x", t.range, n.range),
            given("s_0", i.range),
            *(parameter(f"W_{name}", i.range, n.range) for name in "hg"),
            *(parameter(f"R_{name}", k.range, i.range, j.range) for name in "hg"),
            *(parameter(f"b_{name}", k.range, i.range) for name in "hg"),
            *(value(name, t.range, k.range, i.range) for name in "hg"),
            value("s", t.range, rows(0, "D"), i.range),
            value("u", rows(0, "S"), i.range),
        ),
        inputs=(Input("x"), Input("s_0", default=Literal(0.0))),
        parameters=owned("W_h", "W_g", "R_h", "R_g", "b_h", "b_g"),
        submodules=(),
        steps=(
            equation("u", (0, "i"), (i,), read("s_0", "i")),
            equation("s", ("t", 0, "i"), (t, i), read("u", p("t") - 1, "i")),
            transform("h", "tanh"),
            transform("g", "sigmoid"),
            equation("s", ("t", "k", "i"), (t, k, i), mixed, r"s[t, k] \gets h[t, k] * g[t, k] + s[t, k-1] * (1 - g[t, k])"),
            equation("u", ("t", "i"), (t, i), read("s", "t", "D", "i")),
        ),
        results=returns("u", (t, i), read("u", "t", "i")),
    )
    return Sample(
        program=Program((module,)),
        module="Highway",
        arguments={"x": filled((3, 2), 1), "s_0": filled((2,), 2)},
        parameters={
            "W_h": filled((2, 2), 3),
            "W_g": filled((2, 2), 4),
            "R_h": filled((3, 2, 2), 5),
            "R_g": filled((3, 2, 2), 6),
            "b_h": filled((3, 2), 7),
            "b_g": filled((3, 2), 8),
        },
        sizes={"d_in": 2, "d": 2, "D": 3},
    )


def scheduled(sample: Sample) -> Sample:
    """The highway sample with its schedule: a loop over depths inside a loop over time."""
    module = sample.program.modules[0]
    first, enter, transform, gate, mix, leave = module.steps
    depths = Loop(axis("k", 1, "D"), False, (Whole(transform), Whole(gate), Whole(mix)), (None, None, None))
    times = Loop(axis("t", 1, "S"), False, (Whole(enter), depths, Whole(leave)), (None, None, None))
    return replace(sample, program=Program((with_schedule(module, (Whole(first), times)),)))


# ---- small ones ----------------------------------------------------------------------------------------------


def _sequence_module(name: str, arrays: Sequence[Array], steps: Sequence[Equation], results: Result | ResultTuple) -> Module:
    """A module of one real sequence x_1 … x_S and one scalar parameter w."""
    return Module(
        name=name,
        sizes=runtime("S"),
        settings=(),
        arrays=(given("x", rows(1, "S")), parameter("w"), *arrays),
        inputs=(Input("x"),),
        parameters=(Parameter("w", Initialiser("constant", (Literal(0.5),))),),
        submodules=(),
        steps=tuple(steps),
        results=results,
    )


def fibonacci() -> Sample:
    """(g) Two steps back: f[t] = f[t-1] + w f[t-2] + x[t], f[-1] = 1, f[0] = 0."""
    t = axis("t", 1, "S")
    body = total(read("f", p("t") - 1), op("mul", read("w"), read("f", p("t") - 2)), read("x", "t"))
    steps = (
        equation("f", (-1,), (), Literal(1.0)),
        equation("f", (0,), (), Literal(0.0)),
        equation("f", ("t",), (t,), body),
    )
    results = returns("f", (t,), read("f", "t"))
    module = _sequence_module("Fibonacci", (value("f", rows(-1, "S")),), steps, results)
    return Sample(Program((module,)), "Fibonacci", {"x": filled((5,), 1)}, {"w": 0.75}, {})


def guarded_log() -> Sample:
    """(h) y[t] = log(w x[t]) where x[t] > 0, else w x[t]: neither NaN nor gradient from the branch not taken."""
    t = axis("t", 1, "S")
    scaled = op("mul", read("w"), read("x", "t"))
    condition = op("greater", read("x", "t"), Literal(0.0), element=BOOLEAN)
    steps = (equation("y", ("t",), (t,), Select(condition, op("log", scaled), scaled, REAL)),)
    results = ResultTuple((returns("y", (t,), read("y", "t")), returns("whole", (), sum_over(t, read("y", "t")))))
    module = _sequence_module("GuardedLog", (value("y", rows(1, "S")),), steps, results)
    return Sample(Program((module,)), "GuardedLog", {"x": [0.5, 0.0, -2.0, 3.0]}, {"w": 0.75}, {})


def prefix_sum() -> Sample:
    """(i) A reduction whose range grows with an outer index: a[t] = sum over s = 1 .. t of w x[s]."""
    t, s = axis("t", 1, "S"), axis("s", 1, "t")
    steps = (equation("a", ("t",), (t,), sum_over(s, op("mul", read("w"), read("x", "s")))),)
    results = returns("a", (t,), read("a", "t"))
    module = _sequence_module("PrefixSum", (value("a", rows(1, "S")),), steps, results)
    return Sample(Program((module,)), "PrefixSum", {"x": filled((5,), 1)}, {"w": 0.75}, {})


def mean_log() -> Sample:
    """A mean of logarithms over a run-time axis: padding must not reach the value or the gradient."""
    t = axis("t", 1, "S")
    squared = op("add", op("mul", read("w"), op("mul", read("x", "t"), read("x", "t"))), Literal(0.0))
    results = returns("m", (), Reduce("mean", t, op("log", squared), REAL))
    return Sample(Program((_sequence_module("MeanLog", (), (), results),)), "MeanLog", {"x": [0.5, -2.0, 3.0]}, {"w": 0.75}, {})


def greatest() -> Sample:
    """argmax counts in the axis's own domain, and indexes: y = w x[argmax over t of x[t]], with its place."""
    t = axis("t", 1, "S")
    place = Reduce("argmax", t, read("x", "t"), INTEGER)
    results = ResultTuple(
        (
            returns("place", (), read("place", element=INTEGER)),
            returns("y", (), op("mul", read("w"), read("x", read("place", element=INTEGER)))),
        )
    )
    module = _sequence_module("Greatest", (value("place", element=INTEGER),), (equation("place", (), (), place),), results)
    return Sample(Program((module,)), "Greatest", {"x": [0.5, 3.0, -2.0]}, {"w": 0.75}, {})


def loss() -> Sample:
    """A function: minus element y of the log-softmax of the scores (a gather in an operation along an axis)."""
    c = axis("c", 0, p("C") - 1)
    chosen = Along("log_softmax", c, read("y_hat", "c"), read("y", element=INTEGER), REAL)
    module = Module(
        name="loss",
        sizes=runtime("C"),
        settings=(),
        arrays=(given("y_hat", c.range, latex=r"\hat{y}"), given("y", element=INTEGER)),
        inputs=(Input("y_hat"), Input("y")),
        parameters=(),
        submodules=(),
        steps=(),
        results=returns("loss", (), op("neg", chosen)),
        is_function=True,
    )
    return Sample(Program((module,)), "loss", {"y_hat": filled((4,), 1), "y": 2}, {}, {})


def pair() -> Sample:
    """A callee with two results, one of them dropped, and a layer norm from the library."""
    i = axis("i", 0, p("n") - 1)
    halves = Module(
        name="Halves",
        sizes=hyper("n"),
        settings=(),
        arrays=(given("x", i.range), parameter("a", i.range)),
        inputs=(Input("x"),),
        parameters=owned("a"),
        submodules=(),
        steps=(),
        results=ResultTuple(
            (
                returns("u", (i,), op("mul", read("a", "i"), read("x", "i"))),
                returns("v", (i,), op("sub", read("x", "i"), read("a", "i"))),
            )
        ),
    )

    def call(targets: tuple[CallTarget | None, ...], submodule: str, name: str, source: str) -> Call:
        argument = Argument(name, Abstraction((i,), read(source, "t", "i")))
        return Call(targets, (axis("t", 1, "S"),), submodule, None, (argument,), (), Origin(""))

    outer = Module(
        name="Pair",
        sizes=(*hyper("n"), *runtime("S")),
        settings=(),
        arrays=(given("x", rows(1, "S"), i.range), value("v", rows(1, "S"), i.range), value("y", rows(1, "S"), i.range)),
        inputs=(Input("x"),),
        parameters=(),
        submodules=(single("halves", "Halves", n="n"), single("layer_norm", "LayerNorm", normalized_shape="n")),
        steps=(
            call((None, CallTarget("v", (p("t"), i.range))), "halves", "x", "x"),
            call((CallTarget("y", (p("t"), i.range)),), "layer_norm", "input", "v"),
        ),
        results=returns("y", (axis("t", 1, "S"), i), read("y", "t", "i")),
    )
    parameters = {"halves.a": filled((3,), 1), "layer_norm.weight": filled((3,), 2), "layer_norm.bias": filled((3,), 3)}
    return Sample(Program((outer, halves), library("LayerNorm")), "Pair", {"x": filled((4, 3), 4)}, parameters, {"n": 3})


SAMPLES: Mapping[str, Sample] = {
    make.__name__: make()
    for make in (
        elman,
        lstm,
        stack,
        attention,
        descending,
        highway,
        fibonacci,
        guarded_log,
        prefix_sum,
        mean_log,
        greatest,
        loss,
        pair,
    )
}
