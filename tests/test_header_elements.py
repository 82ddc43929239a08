r"""Elements that the header gives of a family: assigned anew before loops, several of one family, and grids without a corner."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from test_names_assigned import algorithm, check_refused, compiled, docstring, loaded, module
from torch import Tensor

SCALAR = r"x_0 \in \mathbb{R}"
PAIR = r"x_0, x_1 \in \mathbb{R}"
LAST = [r"b_T \in \mathbb{R}", r"c_t \in \mathbb{R}, t = 1, \dots, T"]
RNN = [r"h_0 \in \mathbb{R}^d", r"e_t \in \mathbb{R}^d, t = 1, \dots, T", r"W \in \mathbb{R}^{d \times d}"]


def loop(variable: str, lower: str, upper: str, *lines: str) -> list[str]:
    return [rf"\For{{${variable} = {lower}, \dots, {upper}$}}", *lines, r"\EndFor"]


def in_docstring(line: str) -> str:
    r"""A line of algorithmic notation in docstring notation."""
    if line.startswith(r"\For{$"):
        variable, values = line.removeprefix(r"\For{$").removesuffix("$}").split(" = ")
        return rf"\algoFor{{{variable} \in \set{{{values}}}}}"
    if line.startswith(r"\If{$"):
        return r"\algoIf{" + line.removeprefix(r"\If{$").removesuffix("$}") + "}"
    endings = {r"\EndFor": r"\algoEndFor", r"\EndIf": r"\algoEndIf", r"\Else": r"\algoElse"}
    return endings.get(line, line.replace(r"\gets", r"\algoEq"))


COUNT = loop("k", "1", "3", r"x_k \gets x_{k-1} + 1")
FIBONACCI = loop("k", "2", "4", r"x_k \gets x_{k-1} + x_{k-2}")


@dataclass(frozen=True)
class Program:
    rows: list[str]
    header: str
    lines: list[str]
    expected: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((),)


def fibonacci(first: Tensor, second: Tensor) -> list[Tensor]:
    found = [first, second]
    for _ in range(3):
        found.append(found[-1] + found[-2])
    return found


def downwards(last: Tensor, c: Tensor) -> list[Tensor]:
    """`b_1, …, b_T` by `b_t = b_{t+1} + c_t`."""
    found = [last]
    for t in range(len(c) - 2, -1, -1):
        found.insert(0, found[0] + c[t])
    return found


def rnn(h: Tensor, e: Tensor, w: Tensor) -> Tensor:
    h = torch.tanh(h)
    for row in e:
        h = torch.tanh(w @ h + row)
    return h


def power(w: Tensor, a: Tensor) -> Tensor:
    w = w / w.norm()
    for _ in range(3):
        w = a @ w
    return w


def twice_over(x: Tensor) -> Tensor:
    rows = [x + 1, x + 2, x + 3]
    before = x
    for k in range(3):
        rows[k] = rows[k] + before
        before = rows[k]
    return rows[2]


PROGRAMS: dict[str, Program] = {
    "doubled": Program([SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x_3"], lambda x: 2 * x + 3),
    "doubled, and read behind": Program([SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x_0 + x_3"], lambda x: 4 * x + 3),
    "doubled, all of it": Program(
        [SCALAR], "x_0", [r"x_0 \gets 2 x_0", *COUNT, "return x"], lambda x: torch.stack([2 * x + k for k in range(4)])
    ),
    "three times": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", r"x_0 \gets x_0 + 1", r"x_0 \gets x_0^2", *COUNT, "return x_3"],
        lambda x: (2 * x + 1) ** 2 + 3,
    ),
    "in a branch": Program(
        [SCALAR], "x_0", [r"\If{$x_0 < 0$}", r"x_0 \gets 0", r"\EndIf", *COUNT, "return x_3"], lambda x: torch.clamp(x, min=0) + 3
    ),
    "in both branches": Program(
        [SCALAR],
        "x_0",
        [r"\If{$x_0 < 0$}", r"x_0 \gets -x_0", r"\Else", r"x_0 \gets 5 x_0", r"\EndIf", *COUNT, "return x_3"],
        lambda x: torch.where(x < 0, -x, 5 * x) + 3,
    ),
    "another input": Program(
        [SCALAR, r"y \in \mathbb{R}"], "x_0, y", [r"x_0 \gets y", *COUNT, "return x_3"], lambda x, y: 0 * x + y + 3, ((), ())
    ),
    "a number": Program([SCALAR], "x_0", [r"x_0 \gets 5 + 0 x_0", *COUNT, "return x_3"], lambda x: 8 + 0 * x),
    "in a loop before": Program([SCALAR], "x_0", [*loop("i", "1", "2", r"x_0 \gets 3 x_0"), *COUNT, "return x_3"], lambda x: 9 * x + 3),
    "between two loops": Program(
        [SCALAR], "x_0", [*COUNT, r"y \gets x_3", r"x_0 \gets 2 x_0", *COUNT, "return y x_3"], lambda x: (x + 3) * (2 * x + 3)
    ),
    "behind the loop": Program([SCALAR], "x_0", [*COUNT, r"x_0 \gets 2 x_0", "return x_0 x_3"], lambda x: 2 * x * (x + 3)),
    "no index reaches it": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", r"x_k \gets x_0 + k"), "return x"],
        lambda x: torch.stack([2 * x + k for k in (1, 2, 3)]),
    ),
    "one letter in a sum from it on": Program(
        [SCALAR],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", r"x_k \gets k x_0"), r"return \sum_{k=0}^{3} x_k"],
        lambda x: 14 * x,
    ),
    "with an accent": Program(
        [r"\hat{x}_0 \in \mathbb{R}"],
        r"\hat{x}_0",
        [r"\hat{x}_0 \gets 2 \hat{x}_0", *loop("k", "1", "3", r"\hat{x}_k \gets \hat{x}_{k-1} + 1"), r"return \hat{x}_3"],
        lambda x: 2 * x + 3,
    ),
    "exchanged": Program(
        [PAIR], "x_0, x_1", [r"(x_0, x_1) \gets (x_1, x_0)", *FIBONACCI, "return x_4"], lambda a, b: fibonacci(b, a)[4], ((), ())
    ),
    "the first of two": Program(
        [PAIR], "x_0, x_1", [r"x_0 \gets x_0 + x_1", *FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a + b, b)), ((), ())
    ),
    "the second of two": Program(
        [PAIR], "x_0, x_1", [r"x_1 \gets x_0 + x_1", *FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a, a + b)[1:]), ((), ())
    ),
    "two, and neither is returned": Program(
        [PAIR], "x_0, x_1", [*FIBONACCI, "return x"], lambda a, b: torch.stack(fibonacci(a, b)[2:]), ((), ())
    ),
    "two, the other way round": Program(
        [PAIR], "x_1, x_0", [*FIBONACCI, "return x"], lambda b, a: torch.stack(fibonacci(a, b)[2:]), ((), ())
    ),
    "the last one": Program(
        LAST,
        "b_T, c",
        [r"b_T \gets 2 b_T", *loop("t", "T-1", "1", r"b_t \gets b_{t+1} + c_t"), "return b"],
        lambda b, c: torch.stack(downwards(2 * b, c)),
        ((), (4,)),
    ),
    "a hidden state": Program(
        RNN,
        "h_0, e, W",
        [r"h_0 \gets \tanh(h_0)", *loop("t", "1", "T", r"h_t \gets \tanh(W h_{t-1} + e_t)"), "return h_T"],
        rnn,
        ((2,), (3, 2), (2, 2)),
    ),
    "a hidden state and no steps": Program(
        RNN,
        "h_0, e, W",
        [r"h_0 \gets \tanh(h_0)", *loop("t", "1", "T", r"h_t \gets \tanh(W h_{t-1} + e_t)"), "return h_T"],
        rnn,
        ((2,), (0, 2), (2, 2)),
    ),
    "of length one": Program(
        [r"w_0 \in \mathbb{R}^d", r"A \in \mathbb{R}^{d \times d}"],
        "w_0, A",
        [r"w_0 \gets w_0 / \lVert w_0 \rVert", *loop("k", "1", "3", r"w_k \gets A w_{k-1}"), "return w_3"],
        power,
        ((2,), (2, 2)),
    ),
    "a row of a table": Program(
        [r"x_0 \in \mathbb{R}^2"],
        "x_0",
        [r"x_0 \gets 2 x_0", *loop("k", "1", "3", *loop("i", "1", "2", r"x_{k,i} \gets x_{k-1,i} + i")), "return x_{3,2}"],
        lambda x: 2 * x[1] + 6,
        ((2,),),
    ),
    "a family that is updated": Program(
        [SCALAR], "x_0", [*COUNT, *loop("k", "1", "3", r"x_k \gets x_k + x_{k-1}"), "return x_3"], twice_over
    ),
}


def text_of(program: Program, notation: str) -> str:
    if notation == "algorithmic":
        return algorithm(program.rows, *program.lines, header=program.header)
    return docstring(program.rows, *map(in_docstring, program.lines), header=program.header)


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name: str, notation: str) -> None:
    program = PROGRAMS[name]
    made = loaded(text_of(program, notation)).F
    torch.manual_seed(len(name))
    for sign in (1, -1):
        given = [(sign * torch.rand(shape, dtype=torch.float64) + 0.1 * sign).requires_grad_() for shape in program.shapes]
        sizes = {"d": 2} if "d" in inspect.signature(made).parameters else {}
        expected, found = program.expected(*given), made(**sizes)(*given)
        torch.testing.assert_close(found, expected)
        weights = torch.rand_like(expected)
        wanted = torch.autograd.grad((expected * weights).sum(), given, allow_unused=True, materialize_grads=True)
        got = torch.autograd.grad((found * weights).sum(), given, allow_unused=True, materialize_grads=True)
        torch.testing.assert_close(got, wanted)


def test_in_module_notation_the_new_value_has_a_name() -> None:
    lines = [r"y \gets 2 x_0", r"x[0] \gets y", r"x_k \gets x_{k-1} + 1 \quad (k = 1, \dots, 3)", "return x_3"]
    x = torch.tensor(2.0, dtype=torch.float64)
    torch.testing.assert_close(loaded(module([SCALAR], *lines, header="x_0 ;")).F()(x), 2 * x + 3)


def test_an_optional_first_element() -> None:
    lines = [r"h_0 \gets h_0 + 1", *loop("t", "1", "T", r"h_t \gets h_{t-1} + e_t"), "return h_T"]
    made = loaded(algorithm([r"h_0 \in \mathbb{R}", r"e_t \in \mathbb{R}, t = 1, \dots, T"], *lines, header="e, h_0 = 0")).F()
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0])), torch.tensor(4.0))
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0]), torch.tensor(3.0)), torch.tensor(7.0))


REFUSED: dict[str, tuple[str, list[str], str, str]] = {
    "in the loop of its family": (
        "E0701",
        [*loop("k", "1", "3", r"x_0 \gets 2 x_0", r"x_k \gets x_{k-1} + 1"), "return x_3"],
        "x_0",
        "let the loop assign a name of its own instead, and assign `x_0` before the loop",
    ),
    "a parameter": ("E0510", [r"x_0 \gets y x_0", *COUNT, "return x_3"], "y", "assign it first"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    code, lines, header, help = REFUSED[name]
    found = compiled(algorithm([SCALAR, r"y \in \mathbb{R}"], *lines, header=header)).diagnostics
    found = [d for d in found if d.severity == "error"]
    assert [d.code for d in found] == [code]
    assert help in found[0].help


def test_what_the_refusal_of_an_element_that_changes_in_the_loop_says() -> None:
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    turns = loop("k", "1", "3", r"v \gets 2 v", r"x_k \gets x_{k-1} + 1")
    text = algorithm([SCALAR], r"v \gets x_0", r"x_0 \gets 2 x_0", *turns, "return x_3 + 0 v", header="x_0")
    found = loaded(text).F()(x)
    torch.testing.assert_close(found, 2 * x + 3)
    assert torch.autograd.grad(found, x)[0] == 2.0


# ---- grids whose corner nothing defines, and arrays without elements --------------------------

GRID = [r"x_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, m"]
EDGES = [r"h_{0,j} \gets 0 \quad (j = 1, \dots, m)", r"h_{i,0} \gets \frac{1}{2} + i \quad (i = 1, \dots, n)"]
INNER = r"h_{i,j} \gets x_{i,j} + \tanh(h_{i-1,j} + h_{i,j-1}) \quad (i = 1, \dots, n,\ j = 1, \dots, m)"


def grid(x: Tensor) -> dict[tuple[int, int], Tensor]:
    n, m = x.shape
    h = {(0, j): x.new_zeros(()) for j in range(1, m + 1)} | {(i, 0): x.new_tensor(0.5 + i) for i in range(1, n + 1)}
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            h[i, j] = x[i - 1, j - 1] + torch.tanh(h[i - 1, j] + h[i, j - 1])
    return h


def grid_algorithm(result: str) -> str:
    lines = [
        *loop("j", "1", "m", r"h_{0,j} \gets 0"),
        *loop("i", "1", "n", r"h_{i,0} \gets \frac{1}{2} + i"),
        *loop("i", "1", "n", *loop("j", "1", "m", INNER.split(r" \quad")[0])),
        f"return {result}",
    ]
    return algorithm(GRID, *lines)


RESULTS: dict[str, Callable[[Tensor, dict[tuple[int, int], Tensor]], Any]] = {
    "h_{n,m}": lambda x, h: h[x.shape[0], x.shape[1]],
    "h_{n,0}": lambda x, h: h[x.shape[0], 0],
    "h_{0,m}": lambda x, h: h[0, x.shape[1]],
    "h_{n,1}": lambda x, h: h[x.shape[0], 1],
    r"\sum_{i=1}^{n} h_{i,0}": lambda x, h: sum(h[i, 0] for i in range(1, x.shape[0] + 1)),
    r"\sum_{j=1}^{m} h_{n,j}": lambda x, h: sum(h[x.shape[0], j] for j in range(1, x.shape[1] + 1)),
}


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("notation", ["module", "algorithmic"])
def test_a_grid_without_its_corner(result: str, notation: str) -> None:
    text = grid_algorithm(result) if notation == "algorithmic" else module(GRID, *EDGES, INNER, f"return {result}", header="x ;")
    compiled_text = compiled(text)
    assert compiled_text.ok
    made = compiled_text.load().F()
    torch.manual_seed(0)
    given = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    expected, found = RESULTS[result](given, grid(given)), made(given)
    torch.testing.assert_close(found, expected)
    if expected.requires_grad:
        torch.testing.assert_close(torch.autograd.grad(found, given), torch.autograd.grad(expected, given))
    rows = torch.stack([given, given]).detach()
    lengths = {"n": torch.tensor([1, 3]), "m": torch.tensor([3, 2])}
    own = [RESULTS[result](part, grid(part)) for part in (rows[0, :1, :3], rows[1, :3, :2])]
    torch.testing.assert_close(made(rows, lengths=lengths), torch.stack([torch.as_tensor(v) for v in own]))


def test_a_grid_of_which_only_the_corner_is_left_names_what_is_not_defined() -> None:
    made = compiled(grid_algorithm("h_{n,m}")).load().F()
    assert made(torch.zeros(0, 2)) == 0
    torch.testing.assert_close(made(torch.zeros(2, 0)), torch.tensor(2.5))
    with pytest.raises(ValueError, match=r"h\[n, m\] is defined"):
        made(torch.zeros(0, 0))
    with pytest.raises(ValueError, match=r"h\[n, m\] is defined"):
        made(torch.zeros(2, 2, 2), lengths={"n": torch.tensor([0, 1]), "m": torch.tensor([0, 2])})


UPDATES: dict[str, tuple[list[str], Callable[[list[float]], list[float]]]] = {
    "upwards, then downwards": (
        [*loop("i", "2", "n", r"a_i \gets a_i + a_{i-1}"), *loop("i", "1", "n-1", r"a_i \gets a_i - a_{i+1}")],
        lambda a: differences(running(a)),
    ),
    "upwards": (loop("i", "2", "n", r"a_i \gets a_i + a_{i-1}"), lambda a: running(a)),
    "from the next": (loop("i", "1", "n-1", r"a_i \gets a_i - a_{i+1}"), lambda a: differences(a)),
    "downwards, then upwards": (
        [*loop("i", "1", "n-1", r"a_i \gets a_i - a_{i+1}"), *loop("i", "2", "n", r"a_i \gets a_i + a_{i-1}")],
        lambda a: running(differences(a)),
    ),
    "twice upwards": (
        [*loop("i", "2", "n", r"a_i \gets a_i + a_{i-1}"), *loop("i", "2", "n", r"a_i \gets a_i + a_{i-1}")],
        lambda a: running(running(a)),
    ),
}


def running(a: list[float]) -> list[float]:
    a = list(a)
    for i in range(1, len(a)):
        a[i] = a[i] + a[i - 1]
    return a


def differences(a: list[float]) -> list[float]:
    a = list(a)
    for i in range(len(a) - 1):
        a[i] = a[i] - a[i + 1]
    return a


@pytest.mark.parametrize("notation", ["algorithmic", "docstring"])
@pytest.mark.parametrize("name", UPDATES)
def test_updates_of_arrays_with_few_elements_or_none(name: str, notation: str) -> None:
    lines, expected = UPDATES[name]
    rows = [r"a \in \mathbb{R}^n"]
    written = algorithm if notation == "algorithmic" else docstring
    kept = lines if notation == "algorithmic" else [in_docstring(line) for line in lines]
    made = loaded(written(rows, *kept, "return a", header="a")).F()
    values = [0.5, -1.0, 2.0, 1.5]
    for count in (4, 2, 1, 0):
        torch.testing.assert_close(made(torch.tensor(values[:count])), torch.tensor(expected(values[:count])))
    ragged = made(torch.tensor([values, values, values]), lengths=torch.tensor([0, 1, 3]))
    padded = [torch.tensor(expected(values[:count]) + [0.0] * (4 - count)) for count in (0, 1, 3)]
    torch.testing.assert_close(ragged, torch.stack(padded))


# ---- loops that go down ------------------------------------------------------------------------

DOWN = r"b_t \gets 2 b_{t+1} + c_t"
DOWN_ROWS = [r"b_T \in \mathbb{R}", r"c_t \in \mathbb{R}, t = 1, \dots, T"]
UPWARDS, DOWNWARDS = ("1", "T-1"), ("T-1", "1")
Values = list[float]


@dataclass(frozen=True)
class Carried:
    """One loop, what it gives where it goes down, and two loops, one down and one up, with what they give."""

    body: list[str]
    of_one: Callable[[Values], float]
    apart: tuple[list[str], list[str]]
    of_two: Callable[[Values], float]
    result: str = "s"


SUMMED = r"s \gets 0.5 s + b_t"
POSITIVE = [r"\If{$b_t > 0$}", r"s \gets s + b_t", r"\EndIf"]
BY_NAME = [r"u \gets 2 b_{t+1} + c_t", r"b_t \gets u"]
THROUGH = [r"d_t \gets b_{t+1}", r"b_t \gets 2 d_t + c_t"]
CARRIED: dict[str, Carried] = {
    "a sum": Carried([DOWN, SUMMED], lambda b: decayed(b[-2::-1]), ([DOWN], [SUMMED]), lambda b: decayed(b[:-1])),
    "a value that is left behind": Carried(BY_NAME, lambda b: b[0], (BY_NAME, [r"u \gets b_t"]), lambda b: b[-2], "u"),
    "through another array": Carried([*THROUGH, SUMMED], lambda b: decayed(b[-2::-1]), (THROUGH, [SUMMED]), lambda b: decayed(b[:-1])),
    "in a branch": Carried([DOWN, *POSITIVE], lambda b: positive(b[:-1]), ([DOWN], POSITIVE), lambda b: positive(b[:-1])),
    "before it": Carried([r"s \gets s + b_{t+1}", DOWN], lambda b: sum(b[1:]), ([DOWN], [r"s \gets s + b_{t+1}"]), lambda b: sum(b[1:])),
}


def decayed(b: Values) -> float:
    s = 0.0
    for value in b:
        s = 0.5 * s + value
    return s


def positive(b: Values) -> float:
    return sum(v for v in b if v > 0)


def doubled_down(last: float, c: Values) -> Values:
    b = [last]
    for value in reversed(c[:-1]):
        b.insert(0, 2 * b[0] + value)
    return b


def of_down(written: Callable[..., str], lines: list[str]) -> str:
    return written(DOWN_ROWS, *(lines if written is algorithm else map(in_docstring, lines)), header="b_T, c")


def check_down(made: Any, expected: Callable[[Values], float]) -> None:
    last, c = torch.tensor(2.0, dtype=torch.float64), torch.tensor([1.0, -9.0, 3.0], dtype=torch.float64)
    wanted = torch.tensor(expected(doubled_down(float(last), c.tolist())), dtype=torch.float64)
    torch.testing.assert_close(made(last, c), wanted)


def check_no_later_turn(text: str) -> None:
    """Refused: a loop that goes up reads what a later turn assigns."""
    help = "assign it first: statements are executed in their order, so are the turns of loops, which may count down"
    check_refused(text, "E0510", "`b_{t + 1}` is read before it is assigned", help)


@pytest.mark.parametrize("written", [algorithm, docstring])
@pytest.mark.parametrize("name", CARRIED)
def test_a_loop_that_goes_down_with_a_value_accumulated_upwards(name: str, written: Callable[..., str]) -> None:
    one = CARRIED[name]
    lines = [r"s \gets 0", *loop("t", *UPWARDS, *one.body), f"return {one.result}"]
    check_no_later_turn(of_down(written, lines))
    down, up = one.apart
    lines = [r"s \gets 0", *loop("t", *DOWNWARDS, *down), *loop("t", *UPWARDS, *up), f"return {one.result}"]
    check_carried(of_down(written, lines), one.of_two, one.result)


@pytest.mark.parametrize("written", [algorithm, docstring])
@pytest.mark.parametrize("name", CARRIED)
def test_a_loop_that_goes_down_hands_its_values_down(name: str, written: Callable[..., str]) -> None:
    one = CARRIED[name]
    lines = [r"s \gets 0", *loop("t", *DOWNWARDS, *one.body), f"return {one.result}"]
    check_carried(of_down(written, lines), one.of_one, one.result)


def check_carried(text: str, expected: Callable[[Values], float], result: str) -> None:
    """A value that is left behind needs a turn that leaves it, which an example of one element has not."""
    made = (compiled(text).load() if result == "u" else loaded(text)).F()
    check_down(made, expected)
    if result == "u":
        with pytest.raises(ValueError, match="u is assigned before it is read|u.* is inside 1 .. T - 1"):
            made(torch.tensor(2.0), torch.tensor([1.0]))


ONE_ORDER: dict[str, tuple[Callable[[tuple[str, str]], list[str]], Callable[[Values], float]]] = {
    "two loops": (
        lambda turns: [r"s \gets 0", *loop("t", *turns, DOWN), *loop("t", *UPWARDS, SUMMED), "return s"],
        lambda b: decayed(b[:-1]),
    ),
    "two loops, and the last value": (
        lambda turns: [*loop("t", *turns, DOWN), *loop("t", *UPWARDS, r"u \gets b_t"), "return u"],
        lambda b: b[-2],
    ),
    "a name of one turn": (lambda turns: [*loop("t", *turns, *BY_NAME), "return b_1"], lambda b: b[0]),
    "a sum within a turn": (
        lambda turns: [
            *loop("t", *turns, r"s \gets 0", *loop("k", "1", "3", r"s \gets s + c_t / 3"), r"b_t \gets 2 b_{t+1} + s"),
            "return b_1",
        ],
        lambda b: b[0],
    ),
}


@pytest.mark.parametrize("written", [algorithm, docstring])
@pytest.mark.parametrize("name", ONE_ORDER)
def test_a_loop_that_goes_down_alone(name: str, written: Callable[..., str]) -> None:
    lines, expected = ONE_ORDER[name]
    result = compiled(of_down(written, lines(DOWNWARDS)))
    assert result.ok
    check_down(result.load().F(), expected)
    check_no_later_turn(of_down(written, lines(UPWARDS)))


@pytest.mark.parametrize("written", [algorithm, docstring])
def test_a_loop_that_goes_up_from_a_last_element_that_is_assigned_anew(written: Callable[..., str]) -> None:
    check_no_later_turn(of_down(written, [r"b_T \gets 2 b_T", *loop("t", *UPWARDS, r"b_t \gets b_{t+1} + c_t"), "return b"]))


def test_the_recurrences_in_module_notation() -> None:
    lines = [
        rf"{DOWN} \quad (t = 1, \dots, T-1)",
        r"s_0 \gets 0",
        r"s_t \gets 0.5 s_{t-1} + b_t \quad (t = 1, \dots, T-1)",
        "return s_{T-1}",
    ]
    made = loaded(module(DOWN_ROWS, *lines, header="b_T, c ;")).F()
    c = [1.0, -9.0, 3.0]
    wanted = torch.tensor(decayed(doubled_down(2.0, c)[:-1]))
    torch.testing.assert_close(made(torch.tensor(2.0), torch.tensor(c)), wanted)


def test_an_update_from_the_next_element_hands_a_value_on() -> None:
    lines = [r"s \gets 0", *loop("i", "1", "n-1", r"x_i \gets x_i + x_{i+1}", r"s \gets 0.5 s + x_i"), "return s"]
    made = loaded(algorithm([r"x \in \mathbb{R}^n"], *lines, header="x")).F()
    torch.testing.assert_close(made(torch.tensor([1.0, 2.0, 3.0])), torch.tensor(0.5 * 3.0 + 5.0))
