r"""Statements that mean what a reader executes, or are refused with a way out that is taken and computed here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.spans import SourceFile
from tests.differential import check_text
from tests.test_algorithms_of_textbooks import SQUARE, SYSTEM, VECTOR, Algorithm, FromOne, lists, stacked

TABLE = r"A \in \mathbb{R}^{m \times n}"


def procedure(lines: str, header: str = "x", declared: str = VECTOR) -> str:
    return Algorithm(declared, header, lines, lambda *_: None).text


def made(text: str, **sizes: Any) -> Any:
    found = compile_files([SourceFile("-", text)])
    assert found.ok, [d.message for d in found.diagnostics if d.severity == "error"]
    return found.load().F(**sizes)


def error(text: str) -> Diagnostic:
    """The one error of a text."""
    (found,) = [d for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
    return found


def place(text: str, found: Diagnostic) -> str:
    return text[found.span.start : found.span.end]


def holds(algorithm: Algorithm, text: str = "") -> None:
    """The value and the slopes of one example, and the laws of batches, ragged ones with NaN in their padding too."""
    inputs, again, text = algorithm.drawn(), algorithm.drawn(), text or algorithm.text
    actual, expected = made(text)(*inputs), stacked(algorithm.meaning(*map(lists, again)))
    torch.testing.assert_close(actual, expected)
    weights = torch.arange(1.0, expected.numel() + 1, dtype=torch.float64).reshape(expected.shape)
    given = [(a, b) for a, b in zip(inputs, again, strict=True) if a.requires_grad]
    slopes = [
        torch.autograd.grad((value * weights).sum(), [pair[side] for pair in given], allow_unused=True, materialize_grads=True)
        for side, value in enumerate((actual, expected))
    ]
    torch.testing.assert_close(*slopes)
    assert check_text(text) == 1


# ---- remarks that look like ranges ---------------------------------------------------------------


@pytest.mark.parametrize(("line", "of"), [(r"y <- x_1, \quad n = 2", "y"), (r"y_n <- x_n \quad (n = 2)", "y_n"), ("y <- 2 x, i = 1", "y")])
def test_a_remark_beside_a_statement_is_no_range(line: str, of: str) -> None:
    text = procedure(f"{line};return y")
    found = error(text)
    letter = "i" if "i =" in line else "n"
    remark = f"{letter} = {'1' if letter == 'i' else '2'}"
    assert (found.code, place(text, found)) == ("E0505", remark)
    assert f"`{remark}` is no range of an index of `{of}`" in found.message
    assert rf"`\Assert {remark}` on a line of its own" in found.help


def test_the_condition_that_the_refusal_of_a_remark_offers() -> None:
    module = made(procedure("y <- x_1;return y").replace("\n\\State \\Return", "\n\\Assert $n = 2$\n\\State \\Return"))
    assert float(module(torch.tensor([3.0, 4.0]))) == 3.0
    with pytest.raises(ValueError, match="n = 2"):
        module(torch.ones(3))


def test_a_range_of_one_index_defines_one_element() -> None:
    holds(Algorithm(VECTOR, "x", r"y_i <- 2 x_i \quad (i = 1);y_i <- y_{i-1} + x_i \quad (i = 2, \dots, n);return y", running_sum))


def running_sum(x: Any) -> list[Any]:
    y = [2 * x[1]]
    for i in range(2, len(x) + 1):
        y.append(y[-1] + x[i])
    return y


# ---- functions along an axis that a loop changes -------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "called"),
    [
        (r"for t = 1..m;for k = 1..n;A_{t,k} <- \softmax_k(A_{t,k});end;end;return A", r"\softmax_k"),
        (r"for t = 1..m;for k = 1..n;A_{t,k} <- 1 + 2 \softmax_t(3 A_{t,k});end;end;return A", r"\softmax_t"),
        (r"B <- 2 A;for t = 1..m;for k = 1..n;B_{t,k} <- \softmax_k(B_{t,k});end;end;return B", r"\softmax_k"),
        (r"for t = 1..m;for k = 1..n;y_{t,k} <- \softmax_k(A_{t,k});A_{t,k} <- 0;end;end;return y", r"\softmax_k"),
    ],
)
def test_a_softmax_along_what_its_loop_changes_is_refused(lines: str, called: str) -> None:
    text = procedure(lines, "A", TABLE)
    found = error(text)
    assert (found.code, place(text, found)) == ("E0505", called)
    assert f"`{called}` goes along `{called[-1]}`" in found.message
    assert "give the result a name of its own, or assign the whole outside of the loop" in found.help


@pytest.mark.parametrize(
    "lines",
    [
        r"for t = 1..m;A_t <- \softmax(A_t);end;return A",
        r"for t = 1..m;for k = 1..n;y_{t,k} <- \softmax_k(A_{t,k});end;end;return y",
    ],
)
def test_the_ways_out_of_a_softmax_in_place(lines: str) -> None:
    holds(Algorithm(TABLE, "A", lines, lambda a: [softmax(row) for row in a], ((3, 4),)))


def softmax(row: Any) -> list[Any]:
    total = sum(v.exp() for v in row)
    return [v.exp() / total for v in row]


# ---- two letters in a subscript ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "written", "code"),
    [
        (r"B <- 2 A;B_{nn} <- 0;return B", "B_{nn}", "E0303"),
        (r"A_{nn} <- 0;return A", "A_{nn}", "E0303"),
        (r"B <- 2 A;k <- 2;B_{kk} <- 0;return B", "B_{kk}", "E0303"),
    ],
)
def test_two_letters_with_values_are_asked_about(lines: str, written: str, code: str) -> None:
    text = procedure(lines, "A", SQUARE)
    found = error(text)
    assert (found.code, place(text, found)) == (code, written)
    assert "symbol of its own" in found.message


def corner(a: Any) -> Any:
    a[len(a)][len(a)] = 0 * a[1][1]
    return a


def diagonal(a: Any) -> Any:
    for i in range(1, len(a) + 1):
        a[i][i] = 2 * a[i][i]
    return a


@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        ("A[n, n] <- 0;return A", corner),
        ("A_{n,n} <- 0;return A", corner),
        ("return A_{n,n}", lambda a: a[len(a)][len(a)]),
        ("for i = 1..n;A_{ii} <- 2 A_{ii};end;return A", diagonal),
        (
            "for i = 1..n;for j = 1..n;B_{ij} <- A_{ij} + A_{ji};end;end;return B",
            lambda a: [[v + w for v, w in zip(r, c)] for r, c in zip(a, zip(*a))],
        ),
    ],
)
def test_elements_with_two_indices(lines: str, meaning: Callable[..., Any]) -> None:
    algorithm = Algorithm(SQUARE, "A", lines, meaning, ((3, 3),))
    if "n <-" in lines.replace("]", "").replace("}", "") or "return A_" in lines:
        module, (a,) = made(algorithm.text), algorithm.drawn()
        torch.testing.assert_close(module(a), stacked(meaning(lists(a))))
        with pytest.raises(ValueError, match="inside"):
            module(torch.zeros(0, 0, dtype=torch.float64))
    else:
        holds(algorithm)


# ---- parts of an axis count from 1 ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        ("y <- x_{2:n};return y_1", lambda x: x[2]),
        ("y <- x_{2:n} - x_{1:n-1};return y_1", lambda x: x[2] - x[1]),
        ("y <- x_{2:n};return y_{n-1}", lambda x: x[len(x)]),
        ("y <- x[2:n];s <- 0;for i = 1..n-1;s <- s + i y_i;end;return s", lambda x: sum((i - 1) * x[i] for i in range(2, len(x) + 1))),
    ],
)
def test_a_part_counts_from_one(lines: str, meaning: Callable[..., Any]) -> None:
    algorithm = Algorithm(VECTOR, "x", lines, meaning)
    module, (x,) = made(algorithm.text), algorithm.drawn()
    torch.testing.assert_close(module(x), torch.as_tensor(meaning(lists(x))))
    batch = torch.stack([x, x.flip(0)]).detach()
    batch[1, 3:] = torch.nan
    together = module(batch, lengths=torch.tensor([5, 3]))
    torch.testing.assert_close(together, torch.stack([module(batch[0]), module(batch[1, :3])]))


def test_an_element_behind_a_part_is_an_error() -> None:
    found = error(procedure("y <- x_{2:n};return y_n"))
    assert (found.code, "`y` runs over 1 .. n-1" in found.message) == ("E0502", True)


# ---- elements that an array without any has not --------------------------------------------------


@pytest.mark.parametrize("lines", ["x_1 <- 0;return x", r"x_n <- 7;return \lVert x \rVert", r"x_1 <- 0;return \sum_i x_i"])
def test_the_place_of_an_assignment_is_checked(lines: str) -> None:
    module = made(procedure(lines))
    element = lines[:3]
    with pytest.raises(ValueError, match=rf"{element} is inside 1 \.\. n"):
        module(torch.zeros(0))
    with pytest.raises(ValueError, match=rf"{element} is inside 1 \.\. n"):
        module(torch.ones(2, 3), lengths=torch.tensor([2, 0]))
    whole = module(torch.ones(2, 3), lengths=torch.tensor([2, 3]))
    alone: list[Tensor] = [module(torch.ones(2)), module(torch.ones(3))]
    torch.testing.assert_close(whole[1], alone[1])


def test_a_loop_without_turns_needs_no_element() -> None:
    module = made(procedure("for i = 1..n;A_{1,i} <- 0;end;return A", "A", SQUARE))
    assert module(torch.zeros(0, 0)).shape == (0, 0)
    torch.testing.assert_close(module(torch.ones(2, 2)), torch.tensor([[0.0, 0.0], [1.0, 1.0]]))


def test_a_column_of_an_array_without_columns() -> None:
    module = made(procedure("for i = 1..m;A_{i,n} <- 0;end;return A", "A", TABLE))
    assert module(torch.zeros(0, 0)).shape == (0, 0)
    assert module(torch.zeros(0, 2)).shape == (0, 2)
    torch.testing.assert_close(module(torch.ones(2, 2)), torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match=r"A_\{1:m, n\} is inside 1 \.\. n"):
        module(torch.zeros(2, 0))


# ---- all that came before ------------------------------------------------------------------------


def forward(a: Any, b: Any) -> Any:
    x = FromOne()
    for i in range(1, len(b) + 1):
        x.append((b[i] - sum(a[i][j] * x[j] for j in range(1, i))) / a[i][i])
    return x


def back(a: Any, b: Any) -> Any:
    x: dict[int, Any] = {}
    for i in range(len(b), 0, -1):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(i + 1, len(b) + 1))) / a[i][i]
    return [x[i] for i in sorted(x)]


def inner(u: Any, v: Any) -> Any:
    return sum(p * q for p, q in zip(u, v, strict=True))


def gram_schmidt(a: Any) -> Any:
    q: list[Any] = []
    for row in a:
        v = list(row)
        for before in q:
            share = inner(before, row)
            v = [one - share * other for one, other in zip(v, before, strict=True)]
        length = 1 + inner(v, v).sqrt()
        q.append([one / length for one in v])
    return q


def growing(x: Any) -> Any:
    y = FromOne()
    for i in range(1, len(x) + 1):
        y.append(x[i] + sum(y[j] ** 2 for j in range(1, i)))
    return y


ROWS = r"a_k \in \mathbb{R}^{m}, k = 1, \dots, n"
PASTS = {
    "forward substitution": Algorithm(
        SYSTEM, "A, b", r"for i = 1..n;x_i <- \frac{1}{A_{i,i}} (b_i - \sum_{j=1}^{i-1} A_{i,j} x_j);end;return x", forward, ((4, 4), (4,))
    ),
    "back substitution": Algorithm(
        SYSTEM, "A, b", r"for i = n..1;x_i <- (b_i - \sum_{j=i+1}^{n} A_{i,j} x_j) / A_{i,i};end;return x", back, ((4, 4), (4,))
    ),
    "Gram and Schmidt, by sums": Algorithm(
        ROWS,
        "a",
        r"for k = 1..n;u_k <- a_k - \sum_{j=1}^{k-1} \langle q_j, a_k \rangle q_j;q_k <- u_k / (1 + \lVert u_k \rVert);end;return q",
        gram_schmidt,
        ((3, 4),),
    ),
    "Gram and Schmidt, by a loop": Algorithm(
        ROWS,
        "a",
        r"for k = 1..n;v <- a_k;for j = 1..k-1;v <- v - \langle q_j, a_k \rangle q_j;end;q_k <- v / (1 + \lVert v \rVert);end;return q",
        gram_schmidt,
        ((3, 4),),
    ),
    "squares of all before": Algorithm(VECTOR, "x", r"for i = 1..n;y_i <- x_i + \sum_{j=1}^{i-1} y_j^2;end;return y", growing),
}


@pytest.mark.parametrize("name", PASTS)
def test_a_turn_reads_all_that_came_before(name: str) -> None:
    holds(PASTS[name])


def module_text(body: str, header: str, where: str) -> str:
    return f"\\Module{{F}}{{{header} ; }}\n{body}\n\\begin{{where}} {where} \\end{{where}}\n\\EndModule\n"


def softmax_of_states(x: Any, h_0: Any) -> Any:
    states = [list(h_0)]
    for row in x:
        weights = softmax([inner(h, row) for h in states])
        mixed = [sum(w * h[k] for w, h in zip(weights, states, strict=True)) for k in range(len(h_0))]
        states.append([(one + other).tanh() for one, other in zip(row, mixed, strict=True)])
    return states[1:]


@pytest.mark.parametrize(
    "past", [r"h_{0:i-1}^\top \softmax(h_{0:i-1} x_i)", r"\sum_{j=0}^{i-1} \operatorname{softmax}_j(h_j \cdot x_i) h_j"]
)
def test_attention_to_the_states_before(past: str) -> None:
    rows = r"x_i \in \mathbb{R}^{d}, i = 1, \dots, n \\ h_0 \in \mathbb{R}^{d} \\"
    text = module_text(rf"h_i \gets \tanh(x_i + {past}) \quad (i = 1, \dots, n) \\ \Return h \\", "x, h_0", rows)
    holds(Algorithm("", "", "", softmax_of_states, ((4, 3), (3,))), text)


def test_what_is_there_before_the_loop_is_handed_on_too() -> None:
    rows = r"x_i \in \mathbb{R}, i = 1, \dots, n \\ z_i \in \mathbb{R}, i = 1, \dots, m \\"
    lines = r"y_i \gets z_i \quad (i = 1, \dots, m) \\ y_i \gets x_{i-m} + \sum_{j=1}^{i-1} \tanh(y_j) \quad (i = m+1, \dots, m + n) \\"

    def meaning(x: Any, z: Any) -> Any:
        y = list(z)
        for v in x:
            y.append(v + sum(w.tanh() for w in y))
        return y

    holds(Algorithm("", "", "", meaning, ((4,), (2,))), module_text(lines + r" \Return y \\", "x, z", rows))


# ---- left sides whose index moves with the variable ----------------------------------------------


def rest_of(x: Any, n: int) -> Any:
    """What a family over `1 .. n` holds where its last elements come from `x`."""
    y = [0 * x[1]]
    for i in range(1, n):
        y.append((y[-1] + x[i]).tanh())
    return y


def smoothed(x: Any) -> Any:
    for i in range(len(x) - 1, 0, -1):
        x[i + 1] = (x[i + 1] + x[i]) / 2
    return x


MOVED = {
    "turned round": ("for i = 1..n;y_{n-i+1} <- x_i;end;return y", lambda x: list(reversed(x))),
    "turned round, downwards": ("down i = n..1;y_{n-i+1} <- x_i^2;end;return y", lambda x: [v**2 for v in reversed(x)]),
    "a recurrence to the next": (
        r"y_1 <- 0;for i = 1..n;y_{i+1} <- \tanh(y_i + x_i);end;return y",
        lambda x: rest_of(x, len(x) + 1),
    ),
    "with its domain behind it": (
        r"y_1 <- 0;y_{i+1} <- \tanh(y_i + x_i) \quad (i = 1, \dots, n);return y",
        lambda x: rest_of(x, len(x) + 1),
    ),
    "turned round, with its domain": (
        r"y_{n-i+1} <- i x_i \quad (i = 1, \dots, n);return y",
        lambda x: [(k + 1) * x[k + 1] for k in reversed(range(len(x)))],
    ),
    "in place": ("for i = n-1..1;x_{i+1} <- (x_{i+1} + x_i) / 2;end;return x", smoothed),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_left_side_that_moves_with_the_variable(name: str) -> None:
    lines, meaning = MOVED[name]
    holds(Algorithm(VECTOR, "x", lines, meaning))


@pytest.mark.parametrize(
    ("body", "meaning"),
    [
        (r"y_{n-i+1} \gets x_i \quad (i = 1, \dots, n)", lambda x: list(reversed(x))),
        (r"y_1 \gets 0 \\ y_{i+1} \gets \tanh(y_i + x_i) \quad (i = 1, \dots, n)", lambda x: rest_of(x, len(x) + 1)),
        (r"y_{i+m} \gets x_i \quad (i = 1, \dots, n) \\ y_i \gets 0 \quad (i = 1, \dots, m)", lambda x: [0 * x[1]] * 3 + list(x)),
    ],
)
def test_a_left_side_that_moves_in_module_notation(body: str, meaning: Callable[..., Any]) -> None:
    text = module_text(body + r" \\ \Return y \\", "x", r"x_i \in \mathbb{R}, i = 1, \dots, n \\")
    if "m" in body.replace(r"\dots, m)", "m"):
        module, (x,) = made(text, m=3), Algorithm("", "", "", meaning).drawn()
        torch.testing.assert_close(module(x), stacked(meaning(lists(x))))
        assert check_text(text) == 1
    else:
        holds(Algorithm("", "", "", meaning), text)


def alternating(x: Any, y: Any) -> Any:
    return [v for pair in zip(x, y, strict=True) for v in pair]


STRIDED = {
    "two families": ("for j = 1..n;z_{2j-1} <- x_j;z_{2j} <- 2 y_j;end;return z", lambda x, y: alternating(x, [2 * v for v in y])),
    "in loops of their own": ("for j = 1..n;z_{2j} <- y_j;end;for j = 1..n;z_{2j-1} <- x_j;end;return z", alternating),
    "three, in any order": (
        "for j = 0..n-1;z_{3j+1} <- x_{j+1};z_{3j} <- 0;z_{3j+2} <- y_{j+1};end;return z",
        lambda x, y: [w for v, u in zip(x, y, strict=True) for w in (0 * v, v, u)],
    ),
    "read at single places": ("for j = 1..n;z_{2j-1} <- x_j;z_{2j} <- y_j;end;s <- 0;for i = 1..2n;s <- s + i z_i;end;return s", None),
}


@pytest.mark.parametrize("name", STRIDED)
def test_elements_by_their_remainders(name: str) -> None:
    lines, meaning = STRIDED[name]
    alone = meaning or (lambda x, y: sum(k * v for k, v in enumerate(alternating(x, y), 1)))
    holds(Algorithm(r"x, y \in \mathbb{R}^{n}", "x, y", lines, alone, ((4,), (4,))))


POSITIONS = r"\quad (t = 1, \dots, T, j = 0, \dots, d/2 - 1) \\ "
ENCODING = rf"p_{{t,2j}} \gets x_t \sin(t / 10^{{2j/d}}) {POSITIONS} p_{{t,2j+1}} \gets x_t \cos(t / 10^{{2j/d}}) {POSITIONS}"


def positions(x: Any, d: int) -> Any:
    angle = lambda t, j: torch.tensor(t / 10 ** (2 * j / d), dtype=torch.float64)  # noqa: E731
    return [[v * f(angle(t, j)) for j in range(d // 2) for f in (torch.sin, torch.cos)] for t, v in enumerate(x, 1)]


def test_positions_as_transformers_encode_them() -> None:
    text = module_text(ENCODING + r"\Return p \\", "x", r"x_t \in \mathbb{R}, t = 1, \dots, T \\")
    (x,) = Algorithm("", "", "", positions).drawn()
    actual, wanted = made(text, d=6)(x), stacked(positions(lists(x), 6))
    torch.testing.assert_close(actual, wanted)
    batch = torch.stack([x, x.flip(0)]).detach()
    batch[1, 2:] = torch.nan
    together = made(text, d=6)(batch, lengths=torch.tensor([5, 2]))
    torch.testing.assert_close(together[1, :2], made(text, d=6)(batch[1, :2]))
    assert together[1, 2:].abs().sum() == 0
    first = module_text(ENCODING + r"\Return p_{1,0} + 10 p_{1,1} \\", "x", r"x_t \in \mathbb{R}, t = 1, \dots, T \\")
    torch.testing.assert_close(made(first, d=6)(x), wanted[0, 0] + 10 * wanted[0, 1])
    with pytest.raises(ValueError, match="d"):
        made(text, d=5)(x)


@pytest.mark.parametrize(
    ("lines", "count", "wanted"),
    [
        ("for j = 1..n;z_{2j} <- x_j;end;return z", "2 n", [0, 3, 0, 5]),
        (r"for j = 1..n;z_{2j} <- x_j;z_{2j+1} <- z_{2j};end;return z", "2 n + 1", [0, 3, 3, 5, 5]),
    ],
)
def test_remainders_that_are_missing_or_read_are_refused(lines: str, count: str, wanted: list[float]) -> None:
    found = error(procedure(lines))
    assert (found.code, found.message) == ("E0509", "`z` may have no value here")
    offered = rf"z \gets \mathbf{{0}}_{{{count}}}"
    assert found.help.endswith(f"or give it a value before, as in `{offered}`")
    begun = made(procedure(offered.replace(r"\gets", "<-") + ";" + lines))
    torch.testing.assert_close(begun(torch.tensor([3.0, 5.0])), torch.tensor(wanted, dtype=torch.float32))


def test_every_second_element_in_place() -> None:
    text = procedure("for j = 1..n;x_{2j-1} <- 0;x_{2j} <- 1 + x_{2j-1};end;return x", declared=r"x \in \mathbb{R}^{2n}")
    assert made(text)(torch.tensor([3.0, 4.0, 5.0, 6.0])).tolist() == [0.0, 1.0, 0.0, 1.0]


# ---- in place, along two axes --------------------------------------------------------------------


def swept(change: Callable[[Any, int, int], Any], rows: tuple[int, int], columns: tuple[int, int]) -> Callable[[Any], Any]:
    """Each element of a part anew, row by row; the ends count from the first and from the last."""

    def meaning(a: Any) -> Any:
        for i in range(rows[0], len(a) + rows[1] + 1):
            for j in range(columns[0], len(a[1]) + columns[1] + 1):
                a[i][j] = change(a, i, j)
        return a

    return meaning


SWEEPS = {
    "from the row above": ("i = 2..m", "j = 2..n", "A_{i,j} + A_{i-1,j}", swept(lambda a, i, j: a[i][j] + a[i - 1][j], (2, 0), (2, 0))),
    "from the row below": (
        "i = 1..m-1",
        "j = 2..n-1",
        "A_{i,j} + A_{i+1,j}",
        swept(lambda a, i, j: a[i][j] + a[i + 1][j], (1, -1), (2, -1)),
    ),
    "relaxed": (
        "i = 2..m-1",
        "j = 2..n-1",
        "(A_{i-1,j} + A_{i+1,j} + A_{i,j-1} + A_{i,j+1}) / 4",
        swept(lambda a, i, j: (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4, (2, -1), (2, -1)),
    ),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_a_part_of_a_matrix_in_place(name: str) -> None:
    rows, columns, value, meaning = SWEEPS[name]
    holds(Algorithm(TABLE, "A", f"for {rows};for {columns};A_{{i,j}} <- {value};end;end;return A", meaning, ((4, 4),)))


# ---- letters beside each other, and names that modules have too ----------------------------------


@pytest.mark.parametrize(
    ("row", "domain"),
    [
        (r"A \in \mathbb{R}^{m \times n}", r" \quad (i = 1, \dots, m, j = 1, \dots, n)"),
        (r"A_{ij} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n", ""),
    ],
)
@pytest.mark.parametrize("index", ["i", "j"])
def test_a_softmax_along_one_of_two_letters(row: str, domain: str, index: str) -> None:
    text = module_text(rf"B_{{ij}} \gets \softmax_{index}(A_{{ij}}){domain} \\ \Return B \\", "A", row + r" \\")

    def meaning(a: Any) -> Any:
        if index == "j":
            return [softmax(line) for line in a]
        return [list(line) for line in zip(*(softmax(column) for column in zip(*a, strict=True)), strict=True)]

    holds(Algorithm("", "", "", meaning, ((3, 4),)), text)


def test_letters_without_ranges_are_named_one_by_one() -> None:
    text = module_text(r"B_{ij} \gets \softmax_i(A_{ij}) \\ \Return B \\", "A", r"A \in \mathbb{R}^{m \times n} \\")
    found = error(text)
    assert (found.code, found.message) == ("E0505", "`i` and `j` index `A`, and have no ranges here")
    assert r"\quad (i = 1, \dots, m, j = 1, \dots, n)" in found.help


def test_a_size_may_have_the_name_of_its_module() -> None:
    text = "\\Module{F}{x ; W \\in \\mathbb{R}^{F \\times n}}\n\\Return W x \\\\\n\\EndModule\n"
    module = made(text, F=3, n=2).double()
    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    torch.testing.assert_close(module(x), module.W @ x)
    reaching = text.replace(r"W \in \mathbb{R}^{F \times n}", r"W \in \mathrm{F}").replace("W x", "W(x)")
    assert error(reaching).code == "E0605"


# ---- what is not executed yet, and what its refusal offers ---------------------------------------


@pytest.mark.parametrize("bound", [r"\lfloor n / 2 \rfloor", r"\lceil n / 2 \rceil"])
def test_a_range_to_a_rounded_size(bound: str) -> None:
    def meaning(x: Any) -> Any:
        half = len(x) // 2 if "floor" in bound else -(-len(x) // 2)
        return sum(x[i] * x[len(x) - i + 1] for i in range(1, half + 1))

    holds(Algorithm(VECTOR, "x", rf"s <- 0;for i = 1..{bound};s <- s + x_i x_{{n-i+1}};end;return s", meaning))
    holds(Algorithm(VECTOR, "x", rf"s <- 0;for i = 1..n;if i \leq {bound};s <- s + x_i x_{{n-i+1}};fi;end;return s", meaning))
    summed = rf"\Return \sum_{{i=1}}^{{n}} x_i x_{{n-i+1}} \mathbb{{1}}[i \leq {bound}] \\"
    holds(Algorithm("", "", "", meaning), module_text(summed, "x", r"x_i \in \mathbb{R}, i = 1, \dots, n \\"))


def triangle(x: Any) -> Any:
    return [[x[i] * x[j] if j <= i else 0 * x[1] for j in range(1, len(x) + 1)] for i in range(1, len(x) + 1)]


def test_a_triangle() -> None:
    rows, whole = r"x_i \in \mathbb{R}, i = 1, \dots, n \\", r" \quad (i = 1, \dots, n, j = 1, \dots, n) \\ \Return y \\"
    text = module_text(r"y_{i,j} \gets x_i x_j \quad (i = 1, \dots, n, j = 1, \dots, i) \\ \Return y \\", "x", rows)
    found = error(text)
    assert (found.code, "where `1 \\leq j \\leq i`" in found.label) == ("E0503", True)
    offered = r"y_{i,j} \gets \begin{cases} \dots & 1 \leq j \leq i \\ 0 & otherwise \end{cases}"
    assert offered in found.help
    holds(Algorithm("", "", "", triangle), module_text(offered.replace(r"\dots &", "x_i x_j &") + whole, "x", rows))
    loops = "for i = 1..n;for j = 1..i;y_{i,j} <- x_i x_j;end;end;return y"
    told = error(procedure(loops))
    offered = r"y \gets \mathbf{0}_{n, n}"
    assert (told.code, told.message) == ("E0509", "`y` may have no value here")
    assert told.help.endswith(f"or give it a value before, as in `{offered}`")
    holds(Algorithm(VECTOR, "x", offered.replace(r"\gets", "<-") + ";" + loops, triangle))


def cholesky(a: Any) -> Any:
    low = FromOne(FromOne(0 * v for v in row) for row in a)
    for j in range(1, len(a) + 1):
        low[j][j] = (10 + a[j][j] - sum(low[j][k] ** 2 for k in range(1, j))).sqrt()
        for i in range(j + 1, len(a) + 1):
            low[i][j] = (a[i][j] - sum(low[i][k] * low[j][k] for k in range(1, j))) / low[j][j]
    return low


BY_COLUMNS = (
    r"for j = 1..n;L_{j,j} <- \sqrt{10 + A_{j,j} - \sum_{k=1}^{j-1} L_{j,k}^2};"
    r"for i = j+1..n;L_{i,j} <- \frac{1}{L_{j,j}} (A_{i,j} - \sum_{k=1}^{j-1} L_{i,k} L_{j,k});end;end;return L"
)
BY_ROWS = (
    r"for i = 1..n;for j = 1..i;s <- A_{i,j} - \sum_{k=1}^{j-1} L_{i,k} L_{j,k};"
    r"if i = j;L_{i,j} <- \sqrt{10 + s};fi;if i > j;L_{i,j} <- s / L_{j,j};fi;end;end;return L"
)


@pytest.mark.parametrize("lines", [BY_COLUMNS, BY_ROWS])
def test_the_factor_of_cholesky(lines: str) -> None:
    told = error(procedure(lines, "A", SQUARE))
    assert "value before" in told.help
    holds(Algorithm(SQUARE, "A", r"L <- \mathbf{0}_{n,n};" + lines, cholesky, ((3, 3),)))


def test_a_bias_beside_the_elements_of_a_product() -> None:
    lines = r"y_i \gets \sum_{j=1}^{n} W_{i,j} x_j + b_i \quad (i = 1, \dots, m) \\ \Return y \\"
    text = "\\Module{F}{x ; W, b}\n" + lines + "\n\\begin{where} x \\in \\mathbb{R}^{n} \\\\ \\end{where}\n\\EndModule\n"
    module = made(text, m=3, n=4).double()
    assert {name: tuple(p.shape) for name, p in module.named_parameters()} == {"W": (3, 4), "b": (3,)}
    x = torch.arange(4.0, dtype=torch.float64)
    torch.testing.assert_close(module(x), module.W @ x + module.b)
    assert check_text(text) == 1


def cholesky_sum(a: Any) -> Any:
    n, low = len(a), FromOne(FromOne(0 * v for v in row) for row in a)
    for i in range(1, n + 1):
        for j in range(1, i + 1):
            s = a[i][j] - 0.1 * sum(low[i][k] * low[j][k] for k in range(1, j))
            low[i][j] = s.abs().sqrt() if i == j else s / low[j][j]
    return sum(low[i][j] for i in range(1, n + 1) for j in range(1, i + 1))


def doolittle_sum(a: Any) -> Any:
    n = len(a)
    low, up = (FromOne(FromOne(0 * v for v in row) for row in a) for _ in range(2))
    for i in range(1, n + 1):
        for j in range(i, n + 1):
            up[i][j] = a[i][j] - sum(low[i][k] * up[k][j] for k in range(1, i))
        for j in range(i + 1, n + 1):
            low[j][i] = (a[j][i] - sum(low[j][k] * up[k][i] for k in range(1, i))) / up[i][i]
    upper = sum(i * j * up[i][j] for i in range(1, n + 1) for j in range(i, n + 1))
    return upper + sum(j * low[i][j] for i in range(1, n + 1) for j in range(1, i))


def products_by_rows(x: Any) -> Any:
    n, rows = len(x), FromOne(FromOne(0 * v for _ in x) for v in x)
    for i in range(1, n + 1):
        rows[i][1] = x[i]
        for j in range(2, i + 1):
            rows[i][j] = rows[i][j - 1] * x[j]
    return sum(rows[n][j] for j in range(1, n + 1))


OF_ROWS = (
    r"for i = 1..n;for j = 1..i;s <- A_{ij};for k = 1..j-1;s <- s - 0.1 L_{ik} L_{jk};end;"
    r"if i = j;L_{ii} <- \sqrt{\lvert s \rvert};fi;if i \neq j;L_{ij} <- s / L_{jj};fi;end;end;"
)
OF_BOTH = (
    r"for i = 1..n;for j = i..n;U_{ij} <- A_{ij} - \sum_{k=1}^{i-1} L_{ik} U_{kj};end;"
    r"for j = i+1..n;L_{ji} <- (A_{ji} - \sum_{k=1}^{i-1} L_{jk} U_{ki}) / U_{ii};end;end;"
)
ZEROS = "for i = 1..n;for j = 1..n;U_{ij} <- 0;L_{ij} <- 0;end;end;"
SUM_OF_BOTH = r"return \sum_{i=1}^{n} \sum_{j=i}^{n} i j U_{ij} + \sum_{i=1}^{n} \sum_{j=1}^{i-1} j L_{ij}"
TRIANGLES = {
    "Cholesky by rows": Algorithm(SQUARE, "A", OF_ROWS + r"return \sum_{i=1}^{n} \sum_{j=1}^{i} L_{ij}", cholesky_sum, ((3, 3),)),
    "two triangles that are made of each other": Algorithm(SQUARE, "A", OF_BOTH + SUM_OF_BOTH, doolittle_sum, ((4, 4),)),
    "two triangles that are made of each other, after zeros": Algorithm(
        SQUARE, "A", ZEROS + OF_BOTH + SUM_OF_BOTH, doolittle_sum, ((3, 3),)
    ),
    "products": Algorithm(
        VECTOR,
        "x",
        r"for i = 1..n;C_{i,1} <- x_i;for j = 2..i;C_{ij} <- C_{i,j-1} x_j;end;end;return \sum_{j=1}^{n} C_{n,j}",
        products_by_rows,
    ),
}


@pytest.mark.parametrize("name", TRIANGLES)
def test_a_triangle_needs_no_zeros_where_none_would_be_read(name: str) -> None:
    holds(TRIANGLES[name])


@pytest.mark.parametrize(
    ("read", "element", "wanted"),
    [
        (r"\sum_{i=1}^{n} \sum_{j=1}^{n} L_{ij}", "L_{i, j}", 49.0),  # above the diagonal
        (r"\sum_{i=1}^{n} \sum_{j=1}^{i+1} L_{ij}", "L_{i, j}", None),
        ("L", "L", [[9.0, 0.0], [15.0, 25.0]]),
    ],
)
def test_a_triangle_that_is_read_beyond_its_elements_is_refused(read: str, element: str, wanted: Any) -> None:
    lines = rf"for i = 1..n;for j = 1..i;L_{{ij}} <- x_i x_j;end;end;return {read}"
    told = error(procedure(lines))
    assert (told.code, told.message) == ("E0509", f"`{element}` may have no value here")
    assert told.help.endswith(r"or give it a value before, as in `L \gets \mathbf{0}_{n, n}`")
    begun = made(procedure(r"L <- \mathbf{0}_{n, n};" + lines))
    x = torch.tensor([3.0, 5.0])
    if wanted is None:  # the last row has no element there
        with pytest.raises(ValueError, match="is inside 1 .. n"):
            begun(x)
    else:
        torch.testing.assert_close(begun(x), torch.tensor(wanted))


@pytest.mark.parametrize(
    "lines",
    [
        "for i = 1..n;for j = 1..i;L_{ij} <- L_{ij} + x_j;end;end;",  # itself
        "for i = 1..n;for j = 1..i;if x_i > 1;L_{ij} <- x_j;fi;end;end;",  # by what is no index
    ],
)
def test_a_triangle_whose_elements_have_no_value_yet_is_refused(lines: str) -> None:
    found = error(procedure(rf"{lines}return \sum_{{i=1}}^{{n}} \sum_{{j=1}}^{{i}} L_{{ij}}"))
    assert found.code in ("E0501", "E0503", "E0509", "E0510", "E0701")


def test_a_triangle_is_read_where_another_one_is_assigned() -> None:
    lines = "for j = 1..n;for i = 1..n - j;L_{ij} <- x_j;end;end;"
    found = error(procedure(rf"{lines}return \sum_{{i=1}}^{{n}} \sum_{{j=1}}^{{i}} L_{{ij}}"))
    assert (found.code, found.message) == ("E0502", "`L_{n,j}` is read, and `L` runs over 1 .. n-1")


def first_changed(x: Any) -> Any:
    z = [*x]
    z[0] = x[len(x)] if x[len(x)] > 0 else z[0]
    return sum(v * v for v in z) + x[len(x)]


@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        (r"z <- x;z_1 <- x_n + 1;return \sum_{i=1}^n z_i^2", lambda x: (x[len(x)] + 1) ** 2 - x[1] ** 2 + sum(v**2 for v in x)),
        (r"z <- x;z_{n} <- z_n + x_1;z_1 <- z_1 z_n;return \sum_{i=2}^n z_i", lambda x: sum(x) if len(x) > 1 else 0 * x[1]),
        (r"z <- x;if x_n > 0;z_1 <- x_n;fi;return \sum_{i=1}^n z_i^2 + x_n", first_changed),
    ],
)
def test_an_element_at_a_number_is_no_name_of_its_own(lines: str, meaning: Any) -> None:
    """Where the array is read by brackets of ours alone, nothing but the assignment says that `z_1` is an element."""
    holds(Algorithm(VECTOR, "x", lines, meaning))


# ---- stores and reads of one array in a loop -------------------------------------------------------

X, B = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0])
BLOCKS = torch.arange(12.0).reshape(2, 2, 3)
GRID = torch.arange(16.0).reshape(4, 4) ** 2


def swept(grid: Tensor) -> Tensor:
    """One sweep over the inner points, each from its neighbours as they are then."""
    grid = grid.clone()
    for i in range(1, len(grid) - 1):
        for j in range(1, len(grid) - 1):
            grid[i, j] = (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]) / 4
    return grid


@pytest.mark.parametrize(
    ("lines", "declared", "header", "inputs", "expected"),
    [
        ("for i = 2..n;x_i <- x_i + x_{i-1} / 2;end;return x", VECTOR, "x", [X], torch.tensor([1.0, 2.5, 4.25])),
        ("down i = n-1..1;x_i <- x_i + x_{i+1} / 2;end;return x", VECTOR, "x", [X], torch.tensor([2.75, 3.5, 3.0])),
        (
            "for i = 1..n-1;x_i <- x_{i+1};y_i <- x_i;end;return (x, y)",
            VECTOR,
            "x",
            [X],
            (torch.tensor([2.0, 3, 3]), torch.tensor([2.0, 3])),
        ),
        (
            "for i = 1..n;A_{1,1,i} <- x_i;y_i <- A_{2,1,i};end;return y",
            r"A \in \mathbb{R}^{2 \times 2 \times n}, x \in \mathbb{R}^n",
            "A, x",
            [BLOCKS, X],
            BLOCKS[1, 0],
        ),
        (
            "for i = 2..n-1;for j = 2..n-1;A_{i,j} <- (A_{i-1,j} + A_{i+1,j} + A_{i,j-1} + A_{i,j+1}) / 4;end;end;return A",
            SQUARE,
            "A",
            [GRID],
            swept(GRID),
        ),
        (
            r"c <- \mathbf{1}_n;for i = 1..n;c_i <- 1;c_i <- c_i + 1;z_{c_k} <- i;end;return z",
            r"z \in \mathbb{R}^n, k \in \{1, \dots, n\}",
            "z, k",
            [torch.zeros(3), torch.tensor(2)],
            torch.tensor([1.0, 3.0, 0.0]),
        ),
        (r"\hat{s} <- 0;for i = 1..n;\hat{s} <- \hat{s} + x_i;y_i <- \hat{s};end;return y", VECTOR, "x", [X], X.cumsum(0)),
    ],
)
def test_a_turn_reads_what_it_and_earlier_ones_stored(lines: str, declared: str, header: str, inputs: list[Tensor], expected: Any) -> None:
    torch.testing.assert_close(made(procedure(lines, header, declared))(*inputs), expected, check_dtype=False)


def test_two_arrays_of_one_letter_have_values_of_their_own() -> None:
    lines = r"for i = 1..n;if x_i > 1;a_i <- x_i;fi;if x_i > 2;\hat{a}_i <- 2 x_i;fi;end;return a_2 + \hat{a}_3"
    subject = made(procedure(lines))
    torch.testing.assert_close(subject(X), torch.tensor(8.0))
    with pytest.raises(ValueError, match=r"a\}_3 is assigned before it is read"):
        subject(torch.tensor([1.0, 2.0, 1.5]))
