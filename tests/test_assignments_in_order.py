r"""Assignments in the order of execution: elements of inputs, of values and of parameters, reads before and after, loops over.

Each program stands beside the same statements in Python, on lists of numbers. Those whose elements no proof tells apart stand in
`CARRIED`: there the array goes through the loop as a whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

Meaning = Callable[..., Any]
VECTOR = r"x \in \mathbb{R}^{n}"
SQUARE = r"A \in \mathbb{R}^{n \times n}"
TABLE = r"k \in \{1, \dots, m\}^{2}, e \in \mathbb{R}^{m \times d}"


def state(*statements: str) -> str:
    return " ".join(rf"\State ${s}$" for s in statements) + " "


def loop(index: str, first: str, last: str, body: str) -> str:
    return rf"\For{{${index} = {first}, \dots, {last}$}} {body}\EndFor "


def branch(condition: str, body: str, otherwise: str = "") -> str:
    return rf"\If{{${condition}$}} {body}" + (rf"\Else {otherwise}" if otherwise else "") + r"\EndIf "


def result(value: str) -> str:
    return rf"\State \Return ${value}$ "


@dataclass(frozen=True)
class Program:
    """A procedure, its declarations, its meaning on lists, and the shapes of its inputs (None: tokens)."""

    declared: str
    header: str
    body: str
    meaning: Meaning
    shapes: tuple[tuple[int, ...] | None, ...] = ((4,),)

    @property
    def text(self) -> str:
        return f"\\Require ${self.declared}$\n\\Procedure{{F}}{{${self.header}$}}\n{self.body}\\EndProcedure\n"

    def inputs(self) -> list[Tensor]:
        torch.manual_seed(0)
        drawn = [torch.tensor([2, 1]) if s is None else torch.randn(*s, dtype=torch.float64) * 0.7 + 0.3 for s in self.shapes]
        return [t.requires_grad_() if t.is_floating_point() else t for t in drawn]


def compiled(program: Program) -> CompileResult:
    return compile_files([SourceFile("-", program.text)])


def lists(tensor: Tensor) -> Any:
    """Mutable lists of numbers, as the statements of a reader work on them."""
    return [lists(row) for row in tensor] if tensor.dim() else tensor


def stacked(value: Any) -> Tensor:
    return torch.stack([stacked(v) for v in value]) if isinstance(value, list) else torch.as_tensor(value, dtype=torch.float64)


def set_at(*changes: tuple[int, float]) -> Meaning:
    def meaning(x: list[Any]) -> Any:
        for at, value in changes:
            x[at] = value
        return x

    return meaning


def in_turn(update: Callable[[list[Any], int], Any], first: int = 0, end: int = 0, times: int = 1) -> Meaning:
    """`x_i` gets what `update` makes of the list as it is at that time, for each i from `first` up to `end` before the last."""

    def meaning(x: list[Any], *others: Any) -> Any:
        for _ in range(times):
            for i in range(first, len(x) - end):
                x[i] = update(x, i) if not others else update(x, i, *others)  # type: ignore[call-arg]
        return x

    return meaning


def rows_swapped(a: list[Any]) -> Any:
    a[0], a[1] = a[1], a[0]
    return a


def transposed_in_place(a: list[Any]) -> Any:
    for i in range(len(a)):
        for j in range(len(a)):
            a[i][j] = a[j][i]
    return a


def gauss_seidel(x: list[Any], b: list[Any], a: list[Any]) -> Any:
    for i in range(len(x)):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(len(x)) if j != i)) / a[i][i]
    return x


def doubled(x: list[Any]) -> list[Any]:
    return [2 * v for v in x]


def rows_less_those_before(a: list[Any]) -> Any:
    for i in range(1, len(a)):
        for j in range(len(a)):
            a[i][j] = a[i][j] - a[i - 1][j]
    return a


def rows_by_their_sums(a: list[Any]) -> Any:
    for i, row in enumerate(a):
        a[i] = [v / sum(row) for v in row]
    return a


def first_column(a: list[Any]) -> Any:
    for row in a:
        row[0] = 0.0
    return a


def delayed(x: list[Any]) -> Any:
    return [0.0, *x[:-1]]


def counted(x: list[Any]) -> Any:
    j, s = 0, 0.0
    for _ in x:
        s, j = s + x[j], j + 1
    return s


def zero_first(x: list[Any]) -> list[Any]:
    return [0.0, *x[1:]]


PROGRAMS: dict[str, Program] = {
    "the first element": Program(VECTOR, "x", state(r"x_1 \gets 0") + result("x"), set_at((0, 0))),
    "the last element": Program(VECTOR, "x", state(r"x_n \gets 5") + result("x"), set_at((-1, 5))),
    "an element within a known size": Program(r"x \in \mathbb{R}^{4}", "x", state(r"x_2 \gets 0") + result("x"), set_at((1, 0))),
    "a row": Program(SQUARE, "A", state(r"A_1 \gets \mathbf{0}") + result("A"), set_at((0, [0, 0, 0])), ((3, 3),)),  # type: ignore[arg-type]
    "a row, its axis written": Program(
        SQUARE,
        "A",
        state(r"A_{1,:} \gets \mathbf{0}") + result("A"),
        set_at((0, [0, 0, 0])),  # type: ignore[arg-type]
        ((3, 3),),
    ),
    "a column, in a loop": Program(SQUARE, "A", loop("i", "1", "n", state(r"A_{i,1} \gets 0")) + result("A"), first_column, ((3, 3),)),
    "a range": Program(VECTOR, "x", loop("i", "2", "n", state(r"x_i \gets 5")) + result("x"), in_turn(lambda x, i: 5, 1)),
    "all of it": Program(VECTOR, "x", loop("i", "1", "n", state(r"x_i \gets 0")) + result("2 x"), lambda x: [0.0 for _ in x]),
    "elements before and after": Program(
        VECTOR,
        "x",
        loop("i", "2", "n-1", state(r"x_i \gets (x_{i-1} + x_{i+1}) / 2")) + result("x"),
        in_turn(lambda x, i: (x[i - 1] + x[i + 1]) / 2, 1, 1),
        ((5,),),
    ),
    "a shift up": Program(VECTOR, "x", loop("i", "2", "n", state(r"x_i \gets x_{i-1}")) + result("x"), in_turn(lambda x, i: x[i - 1], 1)),
    "a shift down": Program(
        VECTOR, "x", loop("i", "1", "n-1", state(r"x_i \gets x_{i+1}")) + result("x"), in_turn(lambda x, i: x[i + 1], 0, 1)
    ),
    "through a temporary": Program(
        VECTOR,
        "x",
        loop("i", "2", "n", state(r"y \gets 2 x_{i-1}", r"x_i \gets x_i + y")) + result("x"),
        in_turn(lambda x, i: x[i] + 2 * x[i - 1], 1),
    ),
    "in both branches": Program(
        VECTOR,
        "x",
        loop("i", "1", "n", branch("x_i < 0", state(r"x_i \gets -x_i"), state(r"x_i \gets 2 x_i"))) + result("x"),
        in_turn(lambda x, i: -x[i] if x[i] < 0 else 2 * x[i]),
    ),
    "by a branch on the index": Program(
        VECTOR,
        "x",
        loop("i", "1", "n", branch("i = 1", state(r"x_i \gets 1"), state(r"x_i \gets x_i x_{i-1}"))) + result("x"),
        in_turn(lambda x, i: 1.0 if i == 0 else x[i] * x[i - 1]),
    ),
    "an element in a branch": Program(
        VECTOR,
        "x",
        branch("x_1 > 0", state(r"x_1 \gets 0")) + result("x"),
        lambda x: zero_first(x) if x[0] > 0 else x,
    ),
    "rows less the rows before": Program(
        SQUARE,
        "A",
        loop("i", "2", "n", loop("j", "1", "n", state(r"A_{i,j} \gets A_{i,j} - A_{i-1,j}"))) + result("A"),
        rows_less_those_before,
        ((3, 3),),
    ),
    "rows by their sums": Program(
        SQUARE,
        "A",
        loop("i", "1", "n", state(r"A_i \gets A_i / \sum_{j=1}^{n} A_{i,j}")) + result("A"),
        rows_by_their_sums,
        ((3, 3),),
    ),
    "the sum before": Program(
        VECTOR, "x", state(r"s \gets \sum_i x_i", r"x_1 \gets 0") + result(r"s + \sum_i x_i"), lambda x: sum(x) + sum(x[1:])
    ),
    "the sum itself": Program(VECTOR, "x", state(r"x_1 \gets \sum_i x_i") + result("x"), lambda x: [sum(x), *x[1:]]),
    "the norm after": Program(VECTOR, "x", state(r"x_1 \gets 1") + result(r"x^\top x"), lambda x: 1 + sum(v * v for v in x[1:])),
    "element, then whole": Program(VECTOR, "x", state(r"x_1 \gets 0", r"x \gets 2 x") + result("x"), lambda x: doubled(zero_first(x))),
    "whole, then element": Program(VECTOR, "x", state(r"y \gets 2 x", r"y_1 \gets 0") + result("y"), lambda x: zero_first(doubled(x))),
    "whole, read, element": Program(
        VECTOR,
        "x",
        state(r"y \gets 2 x", r"z \gets y_1", r"y_1 \gets 7") + result("y + z"),
        lambda x: [7 + 2 * x[0], *(2 * v + 2 * x[0] for v in x[1:])],
    ),
    "whole, then element in a branch": Program(
        VECTOR,
        "x",
        state(r"y \gets 2 x") + branch("x_1 > 0", state(r"y_1 \gets 0")) + result("y"),
        lambda x: zero_first(doubled(x)) if x[0] > 0 else doubled(x),
    ),
    "whole in a branch, then element": Program(
        VECTOR,
        "x",
        state(r"y \gets x") + branch(r"\sum_i x_i > 0", state(r"y \gets 2 x")) + state(r"y_1 \gets 0") + result("y"),
        lambda x: zero_first(doubled(x) if sum(x) > 0 else x),
    ),
    "whole in a loop, then element": Program(
        VECTOR,
        "x",
        loop("t", "1", "n", state(r"y \gets t x")) + state(r"y_1 \gets 0") + result("y"),
        lambda x: zero_first([len(x) * value for value in x]),
    ),
    "whole in a loop again, then element": Program(
        VECTOR,
        "x",
        state(r"y \gets x") + loop("t", "1", "n", state(r"y \gets t x")) + state(r"y_1 \gets 0") + result("y"),
        lambda x: zero_first([len(x) * value for value in x]),
    ),
    "elements in a loop, then element": Program(
        VECTOR,
        "x",
        loop("t", "1", "n", loop("j", "1", "n", state(r"y_j \gets t x_j"))) + state(r"y_1 \gets 0") + result(r"\sum_j y_j"),
        lambda x: len(x) * sum(x[1:]),
    ),
    "a second name keeps the old": Program(
        VECTOR, "x", state(r"y \gets x", r"x_1 \gets 0") + result("x + 2 y"), lambda x: [a + 2 * b for a, b in zip(zero_first(x), x)]
    ),
    "updating a second name": Program(
        VECTOR, "x", state(r"y \gets x", r"y_1 \gets 0") + result("2 x + y"), lambda x: [2 * b + a for a, b in zip(zero_first(x), x)]
    ),
    "a value before it is assigned again": Program(
        VECTOR, "x", state(r"y \gets x", r"z \gets 2 y", r"y \gets 3 x") + result("z + 5 y"), lambda x: [17 * v for v in x]
    ),
    "elements at once": Program(r"x \in \mathbb{R}^{2}", "x", state(r"(x_1, x_2) \gets (x_2, x_1)") + result("x"), rows_swapped, ((2,),)),
    "the last turn's value": Program(
        VECTOR,
        "x",
        state(r"t \gets 0") + loop("i", "1", "n", state(r"y_i \gets t", r"t \gets x_i")) + result("y"),
        delayed,
    ),
    "numbered names are names": Program(
        VECTOR, "x", state(r"h_1 \gets 2 x", r"h_2 \gets 3 h_1", r"h \gets h_1 + h_2") + result("h"), lambda x: [8 * v for v in x]
    ),
    "a label beside its letter": Program(
        VECTOR, "x", state(r"y \gets 2 x", r"y_a \gets 3 y") + result("y + y_a"), lambda x: [8 * v for v in x]
    ),
    "a row by an assigned integer": Program(
        TABLE, "k, e", state(r"j \gets k_1", r"y \gets e_j") + result("y"), lambda k, e: e[int(k[0]) - 1], (None, (4, 3))
    ),
    "rows by assigned integers": Program(
        TABLE,
        "k, e",
        loop("i", "1", "2", state(r"j \gets k_i", r"y_i \gets e_j")) + result("y"),
        lambda k, e: [e[int(i) - 1] for i in k],
        (None, (4, 3)),
    ),
    "a row one further": Program(
        TABLE, "k, e", state(r"j \gets k_2", r"i \gets j + 1", r"y \gets e_i") + result("y"), lambda k, e: e[int(k[1])], (None, (4, 3))
    ),
    "the greatest by its place": Program(VECTOR, "x", state(r"j \gets \arg\max_i x_i", r"y \gets x_j") + result("y"), max),
    "a counter as an index": Program(
        VECTOR,
        "x",
        state(r"j \gets 1", r"s \gets 0") + loop("i", "1", "n", state(r"s \gets s + x_j", r"j \gets j + 1")) + result("s"),
        counted,
    ),
}

CARRIED: dict[str, Program] = {
    "a copy, all but the last": Program(
        VECTOR,
        "x",
        state(r"y \gets x") + loop("i", "1", "n-1", state(r"y_i \gets y_i + y_{i+1} / 2")) + result("y"),
        in_turn(lambda x, i: x[i] + x[i + 1] / 2, 0, 1),
    ),
    "a copy, all but the last, of both": Program(
        VECTOR,
        "x",
        state(r"y \gets x") + loop("i", "1", "n-1", state(r"y_i \gets y_{i+1} x_i")) + result("y"),
        in_turn(lambda x, i: x[i + 1] * x[i], 0, 1),
    ),
    "a copy, all but the first": Program(
        VECTOR,
        "x",
        state(r"y \gets x") + loop("i", "2", "n", state(r"y_i \gets y_i + y_{i-1} / 2")) + result("y"),
        in_turn(lambda x, i: x[i] + x[i - 1] / 2, 1),
    ),
    "a copy, its first two": Program(
        r"x \in \mathbb{R}^{4}",
        "x",
        state(r"y \gets x") + loop("i", "1", "2", state(r"y_i \gets 3 y_i")) + result("y"),
        in_turn(lambda x, i: 3 * x[i], 0, 2),
    ),
    "a loop that reads the sum": Program(
        VECTOR, "x", loop("i", "1", "n", state(r"x_i \gets \sum_j x_j")) + result("x"), in_turn(lambda x, i: sum(x))
    ),
    "Gauss–Seidel": Program(
        r"x, b \in \mathbb{R}^{n}, A \in \mathbb{R}^{n \times n}",
        "x, b, A",
        loop("i", "1", "n", state(r"x_i \gets (b_i - \sum_{j \neq i} A_{i,j} x_j) / A_{i,i}")) + result("x"),
        gauss_seidel,
        ((3,), (3,), (3, 3)),
    ),
    "value iteration in place": Program(
        r"x \in \mathbb{R}^{n}, P \in \mathbb{R}^{n \times n}",
        "x, P",
        loop("k", "1", "3", loop("s", "1", "n", state(r"x_s \gets 1 + \sum_{t=1}^{n} P_{s,t} x_t"))) + result("x"),
        in_turn(lambda x, s, p: 1 + sum(p[s][t] * x[t] for t in range(len(x))), times=3),  # type: ignore[misc, arg-type]
        ((3,), (3, 3)),
    ),
    "a transpose in place": Program(
        SQUARE,
        "A",
        loop("i", "1", "n", loop("j", "1", "n", state(r"A_{i,j} \gets A_{j,i}"))) + result("A"),
        transposed_in_place,
        ((3, 3),),
    ),
    "backwards in place": Program(
        VECTOR, "x", loop("i", "1", "n", state(r"x_i \gets x_{n+1-i}")) + result("x"), in_turn(lambda x, i: x[len(x) - 1 - i])
    ),
    "backwards through a temporary": Program(
        VECTOR,
        "x",
        loop("i", "1", "n", state(r"t \gets x_{n+1-i}", r"x_i \gets t + 1")) + result("x"),
        in_turn(lambda x, i: x[len(x) - 1 - i] + 1),
    ),
    "the sum in a branch": Program(
        VECTOR,
        "x",
        loop("i", "1", "n", branch("x_i > 0", state(r"x_i \gets \sum_j x_j"))) + result("x"),
        in_turn(lambda x, i: sum(x) if x[i] > 0 else x[i]),
    ),
    "less the first": Program(
        VECTOR, "x", loop("i", "1", "n", state(r"x_i \gets x_i - x_1")) + result("x"), in_turn(lambda x, i: x[i] - x[0])
    ),
    "by the norm at that time": Program(
        VECTOR,
        "x",
        loop("i", "1", "n", state(r"x_i \gets x_i / \lVert x \rVert")) + result("x"),
        in_turn(lambda x, i: x[i] / torch.sqrt(sum(v * v for v in x))),
    ),
    "a value, by its norm at that time": Program(
        VECTOR,
        "x",
        state(r"y \gets 2 x") + loop("i", "1", "n", state(r"y_i \gets y_i / \lVert y \rVert")) + result("y"),
        lambda x: in_turn(lambda y, i: y[i] / torch.sqrt(sum(v * v for v in y)))(doubled(x)),
    ),
    "a middle element of any size": Program(VECTOR, "x", state(r"x_2 \gets 0") + result("x"), set_at((1, 0))),
    "the first two of any size": Program(VECTOR, "x", loop("i", "1", "2", state(r"x_i \gets 5")) + result("x"), set_at((0, 5), (1, 5))),
    "a column": Program(SQUARE, "A", state(r"A_{:,1} \gets \mathbf{0}") + result("A"), first_column, ((3, 3),)),
    "rows exchanged": Program(SQUARE, "A", state(r"t \gets A_1", r"A_1 \gets A_2", r"A_2 \gets t") + result("A"), rows_swapped, ((3, 3),)),
    "rows of a value exchanged": Program(
        SQUARE,
        "A",
        state(r"B \gets 2 A", r"t \gets B_1", r"B_1 \gets B_2", r"B_2 \gets t") + result("B"),
        lambda a: rows_swapped([[2 * v for v in row] for row in a]),
        ((3, 3),),
    ),
    "an element at an assigned place": Program(
        VECTOR,
        "x",
        state(r"j \gets \arg\max_i x_i", r"x_j \gets 0") + result("x"),
        lambda x: [0.0 if v == max(x) else v for v in x],
    ),
}

UNDEFINED: dict[str, tuple[str, str]] = {
    "a name before it is assigned": (state(r"z \gets 2 y", r"y \gets x") + result("z"), "y"),
    "an element before its loop": (state(r"z \gets y_1") + loop("i", "1", "n", state(r"y_i \gets x_i")) + result("z + y"), "y_1"),
    "a name before the turn assigns it": (loop("i", "1", "n", state(r"y_i \gets t", r"t \gets x_i")) + result("y"), "t"),
    "a sum without a beginning": (loop("i", "1", "n", state(r"s \gets s + x_i")) + result("s"), "s"),
    "a name of another branch": (branch("x_1 > 0", state(r"a \gets 1"), state(r"b \gets a", r"a \gets 2")) + result("a"), "a"),
    "an index after its loop": (state(r"s \gets 0") + loop("i", "1", "n", state(r"s \gets s + x_i")) + result("s + i"), "i"),
    "an index of an element after its loop": (loop("i", "1", "n", state(r"y_i \gets 2 x_i")) + result("y_i"), "i"),
}


def check_values(program: Program) -> None:
    found = compiled(program)
    assert found.ok, [d.message for d in found.diagnostics if d.severity == "error"]
    given, again = program.inputs(), program.inputs()
    actual = found.load().F()(*given)
    expected = stacked(program.meaning(*map(lists, again)))
    torch.testing.assert_close(actual.to(torch.float64), expected)
    if expected.requires_grad:
        weights = torch.arange(1.0, expected.numel() + 1, dtype=torch.float64).reshape(expected.shape)
        for value in (actual, expected):
            (value * weights).sum().backward()
        for a, b in zip(given, again):
            torch.testing.assert_close(a.grad, b.grad if b.grad is not None or a.grad is None else torch.zeros_like(b))


@pytest.mark.parametrize("name", [*PROGRAMS, *CARRIED])
def test_a_sequence_of_assignments_means_what_a_reader_executes(name: str) -> None:
    check_values((PROGRAMS | CARRIED)[name])


OF_NOTHING = ("the last element", "the norm after")  # an element is assigned that an example without elements has not


OF_TWO = ("a middle element of any size", "the first two of any size", "rows exchanged", "rows of a value exchanged")  # at least


@pytest.mark.parametrize("name", [name for name in (*PROGRAMS, *CARRIED) if name not in OF_TWO])
def test_batches_and_lengths(name: str) -> None:
    assert check_text((PROGRAMS | CARRIED)[name].text) == 1


@pytest.mark.parametrize("name", OF_TWO)
def test_an_element_that_an_example_has_not_is_not_assigned(name: str) -> None:
    made = compiled(CARRIED[name]).load().F()
    shape = CARRIED[name].shapes[0]
    assert shape is not None
    with pytest.raises(ValueError, match="inside"):
        made(torch.zeros([1 for _ in shape], dtype=torch.float64))
    whole = torch.randn(2, *shape, dtype=torch.float64)
    given = torch.tensor([shape[0], 2])
    together = made(whole, lengths=given)
    torch.testing.assert_close(together[0], made(whole[0]))
    own = (slice(2),) * len(shape)
    torch.testing.assert_close(together[1][own], made(whole[1][own]))
    with pytest.raises(ValueError, match="inside"):
        made(whole, lengths=torch.tensor([shape[0], 1]))


@pytest.mark.parametrize("name", OF_NOTHING)
def test_an_element_that_an_empty_array_has_not_is_not_assigned(name: str) -> None:
    with pytest.raises(ValueError, match="n"):
        compiled(PROGRAMS[name]).load().F()(torch.zeros(0, dtype=torch.float64))


@pytest.mark.parametrize("name", UNDEFINED)
def test_a_read_without_a_value_is_an_error(name: str) -> None:
    body, letter = UNDEFINED[name]
    errors = [d for d in compiled(Program(VECTOR, "x", body, lambda x: x)).diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == ["E0510"], [d.message for d in errors]
    assert f"`{letter}`" in errors[0].message


def test_a_parameter_is_updated_from_its_value() -> None:
    program = Program(r"w, x \in \mathbb{R}^{3}", "x", state(r"w_1 \gets 0") + result(r"\sum_i w_i x_i"), lambda x: x, ((3,),))
    made = compiled(program).load().F()
    with torch.no_grad():
        made.w.copy_(torch.tensor([5.0, 7.0, 11.0]))
    assert made(torch.tensor([1.0, 10.0, 100.0])).item() == 1170.0
    swept = Program(
        r"w, g \in \mathbb{R}^{n}", "g", loop("i", "1", "n", state(r"w_i \gets w_i - 0.5 g_i")) + result("w"), lambda g: g, ((3,),)
    )
    made = compiled(swept).load().F(n=3)
    with torch.no_grad():
        made.w.copy_(torch.tensor([5.0, 7.0, 11.0]))
    assert made(torch.tensor([2.0, 4.0, 6.0])).tolist() == [4.0, 5.0, 8.0]


def test_a_row_of_a_table_found_by_an_assigned_integer_is_no_parameter() -> None:
    declared = TABLE + r", W \in \mathbb{R}^{d \times d}"
    program = Program(declared, "k, e", state(r"j \gets k_1", r"y \gets W e_j") + result("y"), lambda k, e: e, (None, (4, 3)))
    made = compiled(program).load().F(d=3).to(torch.float64)
    assert [name for name, _ in made.named_parameters()] == ["W"]
    k, e = program.inputs()
    torch.testing.assert_close(made(k, e), made.W @ e[1])


LABELLED = r"x_{in,t} \in \mathbb{R}, t = 1, \dots, n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (result(r"x_{in,1} + 2 x_{in,n}"), 9.0),
        (state(r"s \gets x_{in,2}") + result("s"), 2.0),
        (loop("t", "1", "n", state(r"y_{a,t} \gets 2 x_{in,t}")) + result(r"y_{a,1} + y_{a,n}"), 10.0),
        (loop("t", "1", "n", state(r"y_{a,t} \gets 2 x_{in,t}")) + state(r"y_{a,1} \gets 7") + result(r"\sum_{t=1}^{n} y_{a,t}"), 25.0),
    ],
)
def test_elements_of_a_family_with_a_label(body: str, expected: float) -> None:
    found = compiled(Program(LABELLED, "x_{in}", body, lambda x: x))
    assert found.ok, [d.message for d in found.diagnostics if d.severity == "error"]
    made = found.load().F()
    assert made(torch.tensor([1.0, 2.0, 3.0, 4.0])).item() == pytest.approx(expected)


def test_a_sequence_over_the_index_of_a_loop_that_is_over() -> None:
    body = loop("l", "1", "n", state(r"y_l \gets 2 x_l")) + state(r"c \gets [3 y_l]_{l=1}^{n}") + result("c")
    made = compiled(Program(VECTOR, "x", body, lambda x: x)).load().F()
    assert made(torch.tensor([1.0, 2.0])).tolist() == [6.0, 12.0]


def test_the_docstring_notation_executes_alike() -> None:
    text = r"""\algoProc{\F}\pa{x \in \mathbb{R}^{n}} \\
    y \algoEq 2 x \\
    y_1 \algoEq y_3 \\
    \algoFor{i \in \set{2, \dots, n}} \\
    x_i \algoEq x_i + x_{i-1} \\
    \algoEndFor \\
    \algoReturn \pa{x, y} \\
    \algoEndProc"""
    made = compile_files([SourceFile("-", text)]).load().F()
    x, y = made(torch.tensor([1.0, 2.0, 4.0]))
    assert (x.tolist(), y.tolist()) == ([1.0, 3.0, 7.0], [8.0, 4.0, 8.0])
