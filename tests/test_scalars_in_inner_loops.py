"""A scalar that each turn of an inner loop assigns anew has the value of the last turn, and that of before where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor

import mathdsl

OF_X = r"\Require $x \in \mathbb{R}^n$ "


def program(outer: str, inner: str, value: str, last: str = "") -> str:
    turns = rf"\For{{$i = {outer}$}} \For{{$j = {inner}$}} \State $s \gets {value}$ \EndFor {last} \EndFor"
    result = "q" if last else "s"
    start = r"\State $s \gets 0$ \State $q \gets 0$"
    return algorithm(OF_X, start + turns, result)


def algorithm(takes: str, body: str, result: str) -> str:
    return rf"\begin{{algorithmic}} {takes} {body} \State \Return ${result}$ \end{{algorithmic}}"


def up(n: int, i: int = 0) -> Iterable[int]:
    return range(1, n + 1)


def down(n: int, i: int = 0) -> Iterable[int]:
    return range(n, 0, -1)


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize(
    ("outer", "inner", "outer_range", "inner_range"),
    [
        (r"1, \dots, n", r"n, n-1, \dots, 1", up, down),
        (r"1, \dots, n", r"1, \dots, n", up, up),
        (r"n, n-1, \dots, 1", r"1, \dots, n", down, up),
        (r"1, \dots, n - 1", r"2, \dots, n", lambda n: range(1, n), lambda n, i: range(2, n + 1)),
        (r"1, \dots, n", r"1, \dots, n - 1", up, lambda n, i: range(1, n)),
        (r"2, \dots, n", r"1, \dots, i - 1", lambda n: range(2, n + 1), lambda n, i: range(1, i)),
        (r"n, n-1, \dots, 1", r"1, \dots, i", down, lambda n, i: range(1, i + 1)),
        (r"n - 1, \dots, 1", r"1, \dots, i", lambda n: range(n - 1, 0, -1), lambda n, i: range(1, i + 1)),
        (r"1, \dots, n - 1", r"i + 1, \dots, n", lambda n: range(1, n), lambda n, i: range(i + 1, n + 1)),
    ],
)
def test_the_last_turn_counts(outer: str, inner: str, outer_range: object, inner_range: object, sums: bool, count: int) -> None:
    assert callable(outer_range)
    assert callable(inner_range)

    def by_hand(x: Tensor) -> Tensor:
        s = q = torch.zeros((), dtype=x.dtype)
        for i in outer_range(len(x)):
            for j in inner_range(len(x), i):
                s = x[j - 1] - 2 * x[i - 1]
            q = q + s
        return q if sums else s

    last = r"\State $q \gets q + s$" if sums else ""
    module = mathdsl.load(program(outer, inner, "x_j - 2 x_i", last)).Algorithm()
    x = torch.randn(3, count, dtype=torch.float64, generator=torch.Generator().manual_seed(count)).requires_grad_()
    wanted, found = torch.stack([by_hand(row) for row in x]), module(x)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(module(x[1]), wanted[1])
    if wanted.requires_grad:
        slopes = (torch.autograd.grad(side.sin().sum(), x, materialize_grads=True)[0] for side in (found, wanted))
        torch.testing.assert_close(*slopes)
    lengths = torch.tensor([count, max(1, count - 1), 1])
    own = torch.stack([by_hand(row[:size]) for row, size in zip(x, lengths.tolist(), strict=True)])
    torch.testing.assert_close(module(x, lengths=lengths), own)


@pytest.mark.parametrize("inner", [r"1, \dots, n - 1", r"1, \dots, i"])
def test_what_the_outer_loop_has_assigned_counts_where_the_inner_one_has_no_turn(inner: str) -> None:
    turns = rf"\For{{$i = n - 1, \dots, 1$}} \State $u \gets x_{{i+1}}$ \For{{$j = {inner}$}} \State $u \gets x_j + 2 x_i$ \EndFor \EndFor"
    module = mathdsl.load(algorithm(OF_X, r"\State $u \gets x_1$ " + turns, "u")).Algorithm()
    for count in (1, 2, 4):
        x = torch.arange(1.0, count + 1)
        last = x[0] if count == 1 else x[(count - 2 if inner.endswith("1") else 0)] + 2 * x[0]
        torch.testing.assert_close(module(x), last)
        torch.testing.assert_close(module(torch.stack([x, 2 * x])), torch.stack([last, 2 * last]))


def test_a_number_that_later_turns_replace_has_the_batch_s_axes() -> None:
    first, second = r"\For{$i = 1, \dots, n$} \State $s \gets 1$ \EndFor", r"\For{$i = n-1, \dots, 1$} \State $s \gets x_i$ \EndFor"
    text = (
        rf"\begin{{algorithmic}} \Require $x \in \mathbb{{R}}^n$ \State $s \gets 0$ {first} {second} \State \Return $s$ \end{{algorithmic}}"
    )
    module, x = mathdsl.load(text).Algorithm(), torch.tensor([[3.0, 4.0], [5.0, 6.0]])
    torch.testing.assert_close(module(x), torch.tensor([3.0, 5.0]))
    torch.testing.assert_close(module(x, lengths=torch.tensor([2, 1])), torch.tensor([3.0, 1.0]))
    torch.testing.assert_close(module(x[:, :1]), torch.ones(2))


def test_an_element_that_an_inner_loop_assigns_again_has_its_last_value() -> None:
    turns = (
        r"\For{$i = n-1, \dots, 1$} \State $z_i \gets \tanh(z_{i+1})$ \For{$j = 1, \dots, n$} \State $z_i \gets x_j + i$ \EndFor \EndFor"
    )
    text = rf"\begin{{algorithmic}} \Require $x, z \in \mathbb{{R}}^n$ {turns} \State \Return $z$ \end{{algorithmic}}"
    module, x, z = mathdsl.load(text).Algorithm(), torch.tensor([3.0, 4.0, 7.0]), torch.tensor([1.0, 1.0, 9.0])
    torch.testing.assert_close(module(x, z), torch.tensor([8.0, 9.0, 9.0]))
    torch.testing.assert_close(module(x[:1], z[2:]), torch.tensor([9.0]))


@pytest.mark.parametrize(
    ("outer", "inner", "target"),
    [
        (r"n - 1, \dots, 1", r"1, \dots, i - 1", "A_{j,i}"),
        (r"2, \dots, n", r"i + 1, \dots, n", "A_{j,i}"),
        (r"2, \dots, n", r"i + 1, \dots, n", "A_{i,j}"),
    ],
)
def test_a_part_of_a_matrix_is_assigned_whatever_its_size(outer: str, inner: str, target: str) -> None:
    turns = rf"\For{{$i = {outer}$}} \For{{$j = {inner}$}} \State ${target} \gets x_i - x_j$ \EndFor \EndFor"
    module = mathdsl.load(algorithm(OF_X + r"\Require $A \in \mathbb{R}^{n \times n}$", turns, "A")).Algorithm()

    def by_hand(x: Tensor, a: Tensor) -> Tensor:
        n, a = len(x), a.clone()
        for i in range(1, n) if outer.endswith("1") else range(2, n + 1):
            for j in range(1, i) if inner.startswith("1") else range(i + 1, n + 1):
                row, column = (j, i) if target == "A_{j,i}" else (i, j)
                a[row - 1, column - 1] = x[i - 1] - x[j - 1]
        return a

    x, a = torch.randn(3, 4), torch.randn(3, 4, 4)
    lengths = torch.tensor([4, 1, 3])
    found = module(x, a, lengths=lengths)
    for row, matrix, got, size in zip(x, a, found, lengths.tolist(), strict=True):
        torch.testing.assert_close(module(row, matrix), by_hand(row, matrix))
        wanted = torch.zeros(4, 4)
        wanted[:size, :size] = by_hand(row[:size], matrix[:size, :size])
        torch.testing.assert_close(got, wanted)


def after_an_inner_loop(x: Tensor) -> Tensor:
    n, u = len(x), x[0]
    for i in range(n, 0, -1):
        for j in range(1, n):
            u = x[i - 1] + 2 * x[j - 1]
        u = torch.maximum(3 * x[i - 1], u)
    return u


def read_before_it_is_assigned_twice(x: Tensor) -> Tensor:
    n, u, q = len(x), x[0], torch.zeros(())
    for i in range(1, n + 1):
        for j in range(1, n):
            q = q + 0.5 * u + x[j - 1]
            u = x[i - 1] - x[j - 1]
    return q + u


def a_row_behind_its_changed_part(x: Tensor, a: Tensor) -> Tensor:
    n, a, z = len(x), a.clone(), x.clone()
    for i in range(n - 1, 0, -1):
        for j in range(1, i):
            a[i - 1, j - 1] = x[j - 1]
        for j in range(1, n + 1):
            z[j - 1] = z[j - 1] + a[i - 1, j - 1]
    return z


def a_part_of_what_was_read_while_it_changed(x: Tensor) -> Tensor:
    n, y = len(x), x.clone()
    for i in range(n, 0, -1):
        y[i - 1] = 2 * y[i - 1]
        for j in range(1, i + 1):
            y[i - 1] = y[i - 1] + y[j - 1]
    for i in range(1, n + 1):
        for j in range(1, n):
            y[j - 1] = y[j - 1] + i * x[i - 1]
    return y


@pytest.mark.parametrize(
    ("body", "result", "by_hand"),
    [
        (
            r"\State $u \gets x_1$ \For{$i = n, \dots, 1$} \For{$j = 1, \dots, n - 1$} \State $u \gets x_i + 2 x_j$ \EndFor"
            r" \State $u \gets \max(3 x_i, u)$ \EndFor",
            "u",
            after_an_inner_loop,
        ),
        (
            r"\State $u \gets x_1$ \State $q \gets 0$ \For{$i = 1, \dots, n$} \For{$j = 1, \dots, n - 1$}"
            r" \State $q \gets q + 0.5 u + x_j$ \State $u \gets x_i - x_j$ \EndFor \EndFor",
            "q + u",
            read_before_it_is_assigned_twice,
        ),
        (
            r"\State $y \gets x$ \For{$i = n, \dots, 1$} \State $y_i \gets 2 y_i$ \For{$j = 1, \dots, i$} \State $y_i \gets y_i + y_j$"
            r" \EndFor \EndFor \For{$i = 1, \dots, n$} \For{$j = 1, \dots, n - 1$} \State $y_j \gets y_j + i x_i$ \EndFor \EndFor",
            "y",
            a_part_of_what_was_read_while_it_changed,
        ),
    ],
)
def test_loops_in_loops(body: str, result: str, by_hand: Callable[[Tensor], Tensor]) -> None:
    module = mathdsl.load(algorithm(OF_X, body, result)).Algorithm()
    for count in (4, 2, 1):
        x = torch.randn(3, count, dtype=torch.float64, generator=torch.Generator().manual_seed(count))
        wanted = torch.stack([by_hand(row) for row in x])
        torch.testing.assert_close(module(x), wanted, check_dtype=False)
        torch.testing.assert_close(module(x[0]), wanted[0], check_dtype=False)


def test_a_row_is_read_behind_its_changed_part() -> None:
    body = (
        r"\State $z \gets x$ \For{$i = n - 1, \dots, 1$} \For{$j = 1, \dots, i - 1$} \State $A_{i,j} \gets x_j$ \EndFor"
        r" \For{$j = 1, \dots, n$} \State $z_j \gets z_j + A_{i,j}$ \EndFor \EndFor"
    )
    module = mathdsl.load(algorithm(OF_X + r"\Require $A \in \mathbb{R}^{n \times n}$", body, "z")).Algorithm()
    for count in (4, 2):
        x, a = torch.randn(3, count), torch.randn(3, count, count)
        torch.testing.assert_close(module(x, a), torch.stack([a_row_behind_its_changed_part(*one) for one in zip(x, a, strict=True)]))


def test_rows_are_assigned_whole_and_then_by_elements() -> None:
    body = (
        r"\For{$i = 1, \dots, n$} \State $A_i \gets x \odot A_i$ \EndFor"
        r" \For{$i = 1, \dots, n - 1$} \For{$j = 1, \dots, i - 1$} \State $A_{j,i} \gets x_{i+1}$ \EndFor \EndFor"
    )
    module = mathdsl.load(algorithm(OF_X + r"\Require $A \in \mathbb{R}^{n \times n}$", body, "A")).Algorithm()
    for count in (4, 2, 1):
        x, a = torch.randn(count), torch.randn(count, count)
        wanted = x * a
        for i in range(1, count):
            wanted[: i - 1, i - 1] = x[i]
        torch.testing.assert_close(module(x, a), wanted)


def test_a_branch_of_arrays_asks_for_a_number() -> None:
    body = (
        r"\State $s \gets x_1$ \For{$i = 2, \dots, n$} \State $x_i \gets x_{i-1} - s$ \EndFor"
        r" \For{$i = 1, \dots, n$} \If{$x_i > 0$} \State $z \gets 2 z$ \EndIf \State $x \gets x + A_i$ \EndFor"
    )
    takes = OF_X.replace("x", "x, z") + r"\Require $A \in \mathbb{R}^{n \times n}$"
    module = mathdsl.load(algorithm(takes, body, "z")).Algorithm()
    x, z, a = torch.tensor([3.0, 0.0]), torch.tensor([1.0, 2.0]), torch.tensor([[0.0, 4.0], [0.0, 0.0]])
    torch.testing.assert_close(module(x, z, a), 4 * z)
    torch.testing.assert_close(module(-x, z, -a), z)


def test_an_array_whose_elements_were_assigned_is_handed_from_turn_to_turn() -> None:
    body = (
        r"\State $s \gets x_1$ \For{$i = n, \dots, 1$} \If{$s > z_i$} \State $z_i \gets 0.5$ \EndIf \EndFor"
        r" \For{$i = 1, \dots, n - 1$} \State $z \gets z \odot z$ \EndFor"
    )
    module = mathdsl.load(algorithm(OF_X.replace("x", "x, z"), body, "z")).Algorithm()
    x, z = torch.tensor([1.0, 0.0, 0.0]), torch.tensor([2.0, -1.0, 3.0])
    torch.testing.assert_close(module(x, z), torch.tensor([2.0, 0.5, 3.0]) ** 4)
    torch.testing.assert_close(module(x[:1], z[1:2]), torch.tensor([0.5]))


def test_a_triangle_of_differences_is_read_at_its_corner() -> None:
    body = (
        r"\For{$i = 1, \dots, n$} \State $T_{i,1} \gets x_i$ \For{$j = 2, \dots, i$}"
        r" \State $T_{i,j} \gets T_{i,j-1} + (T_{i,j-1} - T_{i-1,j-1}) / (4^{j-1} - 1)$ \EndFor \EndFor"
    )
    module = mathdsl.load(algorithm(OF_X, body, "T_{n,n}")).Algorithm()
    torch.testing.assert_close(module(torch.tensor([1.0, 2.0])), torch.tensor(7 / 3))
    torch.testing.assert_close(module(torch.tensor([[1.0], [4.0]])), torch.tensor([1.0, 4.0]))


def test_vectors_are_made_orthogonal_one_by_one() -> None:
    body = (
        r"\For{$j = 1, \dots, n$} \For{$i = 1, \dots, n$} \State $v_i \gets A_{i,j}$ \EndFor"
        r" \For{$k = 1, \dots, j-1$} \State $r \gets 0$ \For{$i = 1, \dots, n$} \State $r \gets r + Q_{i,k} A_{i,j}$ \EndFor"
        r" \For{$i = 1, \dots, n$} \State $v_i \gets v_i - r Q_{i,k}$ \EndFor \EndFor"
        r" \State $s \gets 0$ \For{$i = 1, \dots, n$} \State $s \gets s + v_i^2$ \EndFor"
        r" \For{$i = 1, \dots, n$} \State $Q_{i,j} \gets v_i / \sqrt{s}$ \EndFor \EndFor"
    )
    module = mathdsl.load(algorithm(r"\Require $A \in \mathbb{R}^{n \times n}$", body, "Q")).Algorithm()
    for count in (3, 1):
        matrix = torch.randn(count, count, dtype=torch.float64)
        found = module(matrix)
        torch.testing.assert_close(found.mT @ found, torch.eye(count, dtype=torch.float64))
        torch.testing.assert_close(found.mT @ matrix, (found.mT @ matrix).triu())


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\For{$i = 2, \dots, n-1$} \State $x_i \gets 0$ \EndFor", [[5.0], [5.0, 6.0], [5.0, 0.0, 7.0]]),
        (
            r"\For{$k = 2, \dots, n-1$} \For{$i = 1, \dots, n-1$} \State $x_i \gets 0.5 x_i$ \EndFor \EndFor",
            [[5.0], [5.0, 6.0], [2.5, 3.0, 7.0]],
        ),
    ],
)
def test_an_array_whose_loop_has_no_turn_stays_what_it_is(body: str, wanted: list[list[float]]) -> None:
    module = mathdsl.load(algorithm(OF_X, body, "x")).Algorithm()
    for values in wanted:
        x = torch.arange(5.0, 5.0 + len(values))
        torch.testing.assert_close(module(x), torch.tensor(values))
    found = module(torch.tensor([[5.0, 6.0, 7.0], [5.0, torch.nan, torch.nan]]), lengths=torch.tensor([3, 1]))
    torch.testing.assert_close(found, torch.tensor([wanted[2], [5.0, 0.0, 0.0]]))


def test_a_branch_that_updates_an_array_before_it_assigns_the_scalar() -> None:
    body = (
        r"\State $s \gets 0.5$ \For{$i = 1, \dots, n-1$} \For{$l = n, \dots, 1$} \If{$i \neq 3$} \State $s \gets 1$"
        r" \Else \State $x_{i+1} \gets x_l$ \State $s \gets 2 x_{i+1}$ \EndIf \EndFor \EndFor"
    )
    module = mathdsl.load(algorithm(OF_X, body, "s")).Algorithm()
    for count, wanted in ((4, 8.0), (3, 1.0), (1, 0.5)):
        torch.testing.assert_close(module(torch.arange(4.0, 4.0 + count)), torch.tensor(wanted))


def test_one_element_of_an_array_changes_in_an_inner_loop() -> None:
    body = (
        r"\State $s \gets 0$ \For{$i = n-1, \dots, 1$} \For{$j = 1, \dots, n$} \State $s \gets s + x_i + x_n$ \EndFor"
        r" \For{$j = 1, \dots, n$} \State $x_n \gets x_n / 2 + x_i$ \EndFor \EndFor"
    )

    def by_hand(given: Tensor) -> Tensor:
        x, s = list(given), torch.zeros((), dtype=given.dtype)
        for i in range(len(x) - 1, 0, -1):
            for _ in x:
                s = s + x[i - 1] + x[-1]
            for _ in x:
                x[-1] = x[-1] / 2 + x[i - 1]
        return s

    module = mathdsl.load(algorithm(OF_X, body, "s")).Algorithm()
    x, lengths = torch.randn(3, 5, dtype=torch.float64), torch.tensor([2, 5, 1])
    for count in (5, 2, 1):
        torch.testing.assert_close(module(x[0, :count]), by_hand(x[0, :count]))
    torch.testing.assert_close(module(x, lengths=lengths), torch.stack([by_hand(row[:own]) for row, own in zip(x, lengths, strict=True)]))


@pytest.mark.parametrize(("value", "factor"), [("I_n", 1.0), ("-I_n", -1.0), ("2 I_n", 2.0), (r"I_n - 3 I_n \odot I_n", -2.0)])
def test_an_identity_has_its_size_where_a_loop_assigns_below_its_diagonal(value: str, factor: float) -> None:
    loops = r"\For{$k = 1, \dots, n$} \For{$i = k+1, \dots, n$} \State $L_{i,k} \gets A_{i,k}$ \EndFor \EndFor"
    takes = r"\Require $A \in \mathbb{R}^{n \times n}$ "
    module = mathdsl.load(algorithm(takes, rf"\State $L \gets {value}$ {loops}", "L")).Algorithm()
    for count in (1, 2, 4):
        a = torch.randn(3, count, count)
        torch.testing.assert_close(module(a), factor * torch.eye(count) + a.tril(-1))


@pytest.mark.parametrize("value", ["2 x", "x + x", "B x"])
def test_a_value_keeps_its_size_where_a_loop_assigns_all_but_its_last_element(value: str) -> None:
    loop = r"\For{$i = 1, \dots, n - 1$} \State $y_i \gets x_{i+1}$ \EndFor"
    takes = OF_X.replace("n$", r"n$ \Require $B \in \mathbb{R}^{n \times n}$") if "B" in value else OF_X
    module = mathdsl.load(algorithm(takes, rf"\State $y \gets {value}$ {loop}", "y")).Algorithm()
    for count in (1, 2, 5):
        x, b = torch.randn(2, count), 2 * torch.eye(count).expand(2, -1, -1)
        wanted = torch.cat((x[:, 1:], 2 * x[:, -1:]), -1)
        torch.testing.assert_close(module(x, b) if "B" in value else module(x), wanted)
    if "B" not in value:
        x = torch.randn(2, 5)
        found = module(x, lengths=torch.tensor([3, 5]))
        torch.testing.assert_close(found[0, :3], torch.stack((x[0, 1], x[0, 2], 2 * x[0, 2])))
