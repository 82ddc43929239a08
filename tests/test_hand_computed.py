"""What the interpreter of equations cannot tell, since it takes them as they were elaborated: small programs against plain torch.

Beside them, passes that move bases: the interpreter before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from ir_samples import axis, equation, given, op, owned, p, parameter, read, returns, rows, sum_over
from pass_programs import small
from torch import Tensor

from mathdsl import load
from mathdsl.ir.nodes import (
    Abstraction,
    Along,
    Argument,
    Call,
    CallTarget,
    Element,
    Expr,
    Input,
    Literal,
    Origin,
    Program,
    StackPart,
    Submodule,
)
from mathdsl.oracle.interpreter import interpret
from mathdsl.passes import run_passes

X = torch.tensor([0.5, -0.7, 0.9, 0.3, -0.2], dtype=torch.float64)
A = torch.tensor([[0.5, -0.7, 0.9], [0.3, 0.2, -0.4], [0.8, -0.6, 0.1]], dtype=torch.float64)

VALUES: dict[str, tuple[str, Tensor, Callable[[Tensor], Tensor]]] = {
    "a slice from its lower end": (r"\Return x[2:4]", X, lambda x: x[2:5]),
    "a difference of slices": (r"\Return x[1:n-1] - x[0:n-2]", X, lambda x: x[1:] - x[:-1]),
    "a power of two": (r"\Return x^2", A, lambda x: x @ x),
    "a power of four": (r"\Return x^4", A, lambda x: x @ x @ x @ x),
    "a power of five": (r"\Return x^5", A, lambda x: x @ x @ x @ x @ x),
    "a power of eight": (r"\Return x^8", A, lambda x: torch.linalg.matrix_power(x, 8)),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_program_computes_what_is_written(name: str) -> None:
    body, x, formula = VALUES[name]
    kind = r"\mathbb{R}^{n}" if x.dim() == 1 else r"\mathbb{R}^{n \times n}"
    made = load(rf"\Module{{F}}{{x ; }} {body} \EndModule \begin{{where}} x \in {kind} & \\ \end{{where}}").F()
    torch.testing.assert_close(made(x), formula(x), rtol=1e-12, atol=1e-12)


LOOP = r"""
\Require $x \in \R^{n}$
\Procedure{F}{$x$}
  \State $v \gets 1$
  \State $w \gets 0$
  \For{$t = 1$ to $n$}
    \State $u \gets v$
    \State $v \gets \tanh(v + x_t)$
    \State $w \gets w + u v$
  \EndFor
  \State \Return @
\EndProcedure
"""


@pytest.mark.parametrize("name", ["v", "w"])
def test_a_loop_hands_on_its_last_turn_and_reads_the_one_before(name: str) -> None:
    body = LOOP.replace("@", f"${name}$")
    made = load(rf"\begin{{algorithm}}\begin{{algorithmic}}{body}\end{{algorithmic}}\end{{algorithm}}").F()
    v, w = torch.tensor(1.0, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64)
    for x_t in X:
        u = v
        v = torch.tanh(v + x_t)
        w = w + u * v
    torch.testing.assert_close(made(X), {"v": v, "w": w}[name], rtol=1e-12, atol=1e-12)


# ---- other bases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [0, 1, 3])
def test_an_element_of_a_softmax_that_data_chooses(base: int) -> None:
    """`log p[y]`, `p` from `base` on, of a softmax that counts from 1."""
    scores = axis("t", 1, "S")
    softmax = Along("softmax", scores, op("mul", read("x", "t"), read("x", "t")), p("i") - base + 1, Element.REAL)
    places = axis("i", base, p("S") + base - 1)
    chosen: Expr = op("log", read("p", read("y", element=Element.INTEGER)))
    module = small(
        equation("p", ("i",), (places,), softmax), inputs={"x": (scores,), "y": ()}, values={"p": (places,)}, result=((), chosen)
    )
    module = replace(module, arrays=tuple(replace(a, element=Element.INTEGER) if a.name == "y" else a for a in module.arrays))
    program = Program((module,))
    for k in range(5):
        arguments, sizes = {"x": X.tolist(), "y": k + base}, {"d": 2, "n": 3, "L": 1}
        wanted = torch.log_softmax(X**2, 0)[k].item()
        assert interpret(program, "M", arguments, {}, sizes) == pytest.approx(wanted, rel=1e-12)
        assert interpret(run_passes(program), "M", arguments, {}, sizes) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("theirs", "ours"), [(1, 0), (0, 1), (2, 2), (0, 4)])
def test_a_result_is_taken_from_its_own_base_to_the_callers(theirs: int, ours: int) -> None:
    """`u = G(z)` from `ours` on, where `G(q)[i] = b[i] q[i]` counts from `theirs`."""
    own, here = axis("i", theirs, p("d") + theirs - 1), axis("k", ours, p("d") + ours - 1)
    sample = small(inputs={}, result=((), Literal(0.0)))
    callee = replace(
        sample,
        name="G",
        sizes=sample.sizes[:1],
        arrays=(given("q", own.range), parameter("b", own.range)),
        inputs=(Input("q"),),
        parameters=owned("b"),
        results=returns("z", (own,), op("mul", read("b", "i"), read("q", "i"))),
    )
    argument = Argument("q", Abstraction((here,), read("x", "k")))
    call = Call((CallTarget("u", (here.range,)),), (), "g", None, (argument,), (), Origin(""))
    module = small(
        call,
        inputs={"x": (here,)},
        values={"u": (here,)},
        result=((), sum_over(here, op("mul", read("u", "k"), op("mul", read("u", "k"), read("x", "k"))))),
        submodules=(Submodule("g", "G", False, (StackPart(rows(0, 0), (("d", p("d")),)),), "g"),),
    )
    program, b = Program((module, callee)), [0.3, -0.4, 0.9, 0.2, 0.6]
    wanted = sum((b_k * x_k) ** 2 * x_k for b_k, x_k in zip(b, X.tolist(), strict=True))
    for passed in (program, run_passes(program)):
        found = interpret(passed, "M", {"x": X.tolist()}, {"g.b": b}, {"d": 5, "n": 3, "S": 1, "L": 1})
        assert found == pytest.approx(wanted, rel=1e-12)
