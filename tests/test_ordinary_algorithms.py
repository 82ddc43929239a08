r"""Algorithms as lectures write them, in both notations: what a reader executes is what is computed, its slopes and a batch too.

Programs are written in short as in `test_algorithms_of_textbooks`; beside each stand the same statements in Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from mathdsl.diagnostics.model import Diagnostic
from tests.by_hand import calls_decide
from tests.test_algorithms_of_textbooks import SQUARE, VECTOR, FromOne, lists, stacked
from tests.test_arrays_executed import algorithmic, docstring, flat, slopes, up

Drawn = Callable[[torch.Generator], Tensor]
BOTH = pytest.mark.parametrize("write", [algorithmic, docstring])


def of_algorithm(write: Callable[..., str], declared: str, header: str, lines: str) -> str:
    steps = [re.sub(r"^elif (.*)", r"\\algoElseIf{\1}", line) if write is docstring else line for line in lines.split("; ")]
    return write(declared, header, steps)


def numbers(*sizes: int) -> Drawn:
    return lambda generator: torch.randn(*sizes, dtype=torch.float64, generator=generator)


def error(text: str) -> Diagnostic:
    (found,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    return found


def agrees(text: str, meaning: Callable[..., Any], *drawn: Drawn, least: int = 1) -> None:
    """Values and slopes of five examples, those together as a batch; an example that has no value raises here as there."""
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    subject, generator = result.load().F(), torch.Generator().manual_seed(2)
    examples, values = [], []
    for _ in range(5):
        given = [one(generator) for one in drawn]
        ours, again = ([t.clone().requires_grad_(t.is_floating_point()) for t in given] for _ in range(2))
        try:
            wanted = stacked(meaning(*map(lists, again)))
        except (KeyError, UnboundLocalError):
            with pytest.raises(ValueError, match="is assigned before it is read|is inside"):
                subject(*ours)
            continue
        found = subject(*ours)
        torch.testing.assert_close(found.double(), wanted)
        pairs = [(a, b) for a, b in zip(ours, again, strict=True) if a.requires_grad]
        if found.requires_grad or wanted.requires_grad:
            torch.testing.assert_close(*(slopes(*flat(v), [p[k] for p in pairs]) for k, v in enumerate((found, wanted))))
        examples.append(given)
        values.append(wanted)
    assert len(values) >= least
    if values:
        torch.testing.assert_close(subject(*map(torch.stack, zip(*examples, strict=True))).double(), torch.stack(values))


# ---- values that are exchanged -------------------------------------------------------------------


def in_order(x: Any) -> Any:
    return FromOne(sorted(x))


def transposed(a: Any) -> Any:
    return FromOne(FromOne(row[j] for row in a) for j in up(1, len(a)))


def parted(x: Any) -> Any:
    n, i = len(x), 0
    for j in up(1, n - 1):
        if x[j] <= x[n]:
            i += 1
            x[i], x[j] = x[j], x[i]
    x[i + 1], x[n] = x[n], x[i + 1]
    return x


def heaped(x: Any) -> Any:
    for i in up(2, len(x)):
        j = i
        while j > 1 and x[j] > x[j // 2]:
            x[j], x[j // 2] = x[j // 2], x[j]
            j //= 2
    return x


def rows_moved(a: Any) -> Any:
    return FromOne([*list(a)[1:], a[1]])


EXCHANGED: dict[str, tuple[str, Callable[..., Any]]] = {
    "by bubbles": (r"for i = 1..n-1; for j = 1..n-i; if x_j > x_{j+1}; (x_j, x_{j+1}) <- (x_{j+1}, x_j); fi; end; end; return x", in_order),
    "by selection": (
        r"for i = 1..n-1; m <- i; for j = i+1..n; if x_j < x_m; m <- j; fi; end; (x_i, x_m) <- (x_m, x_i); end; return x",
        in_order,
    ),
    "by insertion": (
        r"for i = 2..n; down j = i..2; if x_{j-1} > x_j; (x_{j-1}, x_j) <- (x_j, x_{j-1}); fi; end; end; return x",
        in_order,
    ),
    "in parts": (
        r"i <- 0; for j = 1..n-1; if x_j \leq x_n; i <- i + 1; (x_i, x_j) <- (x_j, x_i); fi; end; "
        r"(x_{i+1}, x_n) <- (x_n, x_{i+1}); return x",
        parted,
    ),
    "turned round": (
        r"for i = 1..\lfloor n/2 \rfloor; (x[i], x[n + 1 - i]) <- (x[n + 1 - i], x[i]); end; return x",
        lambda x: FromOne(reversed(x)),
    ),
    "as a heap": (
        r"for i = 2..n; j <- i; for k = 1..n; h <- \lfloor j / 2 \rfloor; if h \geq 1; if x_j > x_h; "
        r"(x_j, x_h) <- (x_h, x_j); j <- h; fi; fi; "
        "end; end; return x",
        heaped,
    ),
    "names": (r"a <- x_1; b <- x_2; if a < b; (a, b) <- (b, a); fi; return a - 2 b", lambda x: max(x[1], x[2]) - 2 * min(x[1], x[2])),
}


@BOTH
@pytest.mark.parametrize("name", EXCHANGED)
def test_two_values_are_exchanged(name: str, write: Callable[..., str]) -> None:
    lines, meaning = EXCHANGED[name]
    agrees(of_algorithm(write, VECTOR, "x", lines), meaning, numbers(5))


@BOTH
@pytest.mark.parametrize(
    ("lines", "meaning"),
    [
        (r"for i = 1..n; for j = i+1..n; (A_{i,j}, A_{j,i}) <- (A_{j,i}, A_{i,j}); end; end; return A", transposed),
        (r"for i = 1..n-1; (A_i, A_{i+1}) <- (A_{i+1}, A_i); end; return A", rows_moved),
        (r"for i = 1..n-1; (A_{i,:}, A_{i+1,:}) <- (A_{i+1,:}, A_{i,:}); end; return A", rows_moved),
    ],
)
def test_elements_and_rows_of_a_matrix_are_exchanged(lines: str, meaning: Callable[..., Any], write: Callable[..., str]) -> None:
    agrees(of_algorithm(write, SQUARE, "A", lines), meaning, numbers(4, 4))


# ---- statements that nothing parts ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "place"), [("a <- x_1 b <- x_2", "b"), (r"a <- 2 \cdot x_1 b_1 <- x_2", "b"), ("a <- f(x) <- x_1", r"\gets")]
)
def test_two_statements_on_a_line_need_a_mark_between(line: str, place: str) -> None:
    text = algorithmic(VECTOR, "x", [line, "return a"])
    found = error(text)
    assert (found.code, text[found.span.start : found.span.end]) == ("E0207", place)


# ---- what a turn before has assigned -------------------------------------------------------------


def of_two(count: int) -> Drawn:
    return lambda generator: torch.randint(1, 3, (count,), generator=generator).double()


def majority(x: Any) -> Any:
    c = 0
    for value in x:
        if c == 0:
            m, c = value, 1
        elif value == m:
            c += 1
        else:
            c -= 1
    return m + 10 * c


def majority_from_the_second(x: Any) -> Any:
    m, c = x[1], 1
    for i in up(2, len(x)):
        if x[i] == m:
            c += 1
        elif c == 0:
            m, c = x[i], 1
        else:
            c -= 1
    return m + 10 * c


def steps(x: Any) -> Any:
    s = 0
    for i in up(1, len(x)):
        if i > 1:
            s = s + (x[i] - before).abs()  # noqa: F821
        before = x[i]  # noqa: F841
    return s


def row_steps(a: Any) -> Any:
    s = FromOne([0 * v for v in a[1]])
    for i in up(2, len(a)):
        s = FromOne(t + (v - w) ** 2 for t, v, w in zip(s, a[i], a[i - 1], strict=True))
    return s


def held(x: Any) -> Any:
    y = FromOne()
    for value in x:
        if value > 0:
            m = value
            y.append(2 * value)
        else:
            y.append(m)
    return y


def since(x: Any) -> Any:
    s = 0
    for c, value in enumerate(x):
        if c > 1:
            s = s + m * value  # noqa: F821
        m = value + s  # noqa: F841
    return s


EARLIER: dict[str, tuple[str, Callable[..., Any], Drawn]] = {
    "the majority": (
        "c <- 0; for i = 1..n; if c = 0; m <- x_i; c <- 1; elif x_i = m; c <- c + 1; else; c <- c - 1; fi; end; return m + 10 c",
        majority,
        of_two(5),
    ),
    "the majority, by branches in branches": (
        "c <- 0; for i = 1..n; if c = 0; m <- x_i; c <- 1; else; if x_i = m; c <- c + 1; else; c <- c - 1; fi; fi; end; return m + 10 c",
        majority,
        of_two(5),
    ),
    "the majority, from the second on": (
        "m <- x_1; c <- 1; for i = 2..n; if x_i = m; c <- c + 1; elif c = 0; m <- x_i; c <- 1; else; c <- c - 1; fi; end; return m + 10 c",
        majority_from_the_second,
        of_two(5),
    ),
    "the value before": (
        r"s <- 0; for i = 1..n; if i > 1; s <- s + \lvert x_i - u \rvert; fi; u <- x_i; end; return s",
        steps,
        numbers(5),
    ),
    "what was held": ("for i = 1..n; if x_i > 0; m <- x_i; y_i <- 2 x_i; else; y_i <- m; fi; end; return y", held, numbers(3)),
    "since something": (
        "s <- 0; c <- 0; for i = 1..n; if c > 1; s <- s + m x_i; fi; m <- x_i + s; c <- c + 1; end; return s",
        since,
        numbers(5),
    ),
}


@BOTH
@pytest.mark.parametrize("name", EARLIER)
def test_an_arm_reads_what_another_arm_has_assigned_before(name: str, write: Callable[..., str]) -> None:
    lines, meaning, drawn = EARLIER[name]
    agrees(of_algorithm(write, VECTOR, "x", lines), meaning, drawn)


@BOTH
def test_a_row_of_the_turn_before(write: Callable[..., str]) -> None:
    lines = r"s <- 0; for i = 1..n; if i > 1; s <- s + (A_i - u) \odot (A_i - u); fi; u <- A_i; end; return s"
    agrees(of_algorithm(write, SQUARE, "A", lines), row_steps, numbers(4, 4))


@BOTH
@pytest.mark.parametrize(
    "lines",
    [
        "for i = 1..n; y_i <- m; m <- x_i; end; return y",
        "for i = 1..n; for j = i..n; s <- s + m; m <- x_i; end; end; return m",
        "for i = 1..n; if x_i > 0; c <- c + 1; fi; end; return c",
        "for i = 1..n; if m > 0; m <- x_i; else; m <- 1; fi; end; return m",
        "if x_1 > 0; m <- x_1; elif m > 2; m <- 3; fi; return m",
        "y <- m; m <- x_1; return y + m",
    ],
)
def test_what_no_turn_can_have_assigned_is_refused(lines: str, write: Callable[..., str]) -> None:
    assert error(of_algorithm(write, VECTOR, "x", lines)).code == "E0510"


# ---- what each arm assigns, one of them by a loop ------------------------------------------------


def either(first: Callable[[Any], Any], second: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: first(x) if x[1] > 0 else second(x)


def last_turn(x: Any) -> Any:
    if len(x) < 2:
        raise KeyError("m")
    return 2 * x[len(x)]


def doubled(x: Any) -> Any:
    return FromOne(2 * v for v in x)


ARMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "an element and a loop, and a loop": (
        "if x_1 > 0; y_1 <- x_1^2; for i = 2..n; y_i <- x_i; end; else; for i = 1..n; y_i <- 2 x_i; end; fi; return y",
        either(lambda x: FromOne([x[1] ** 2, *list(x)[1:]]), doubled),
    ),
    "loops over two letters": (
        "if x_1 > 0; for i = 1..n; y_i <- x_i; end; else; for j = 1..n; y_j <- 2 x_j; end; fi; return y",
        either(lambda x: x, doubled),
    ),
    "a loop, and the whole": (
        "if x_1 > 0; for i = 1..n; y_i <- x_i^2; end; else; y <- 2 x; fi; return y",
        either(lambda x: FromOne(v**2 for v in x), doubled),
    ),
    "an element, read as one": (
        "if x_1 > 0; y_1 <- x_1; else; for i = 1..n; y_i <- 2 x_i; end; fi; return y_1",
        either(lambda x: x[1], lambda x: 2 * x[1]),
    ),
    "a name": ("if x_1 > 0; m <- x_1; else; for i = 2..n; m <- 2 x_i; end; fi; return m", either(lambda x: x[1], last_turn)),
}


@BOTH
@pytest.mark.parametrize("name", ARMS)
def test_each_arm_gives_values_one_by_a_loop(name: str, write: Callable[..., str]) -> None:
    lines, meaning = ARMS[name]
    for count in (1, 2, 4):
        agrees(of_algorithm(write, VECTOR, "x", lines), meaning, numbers(count))


@BOTH
@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (
            "if x_1 > 0; y_1 <- 1; else; for i = 2..n; y_i <- x_i; end; fi; return y",
            [([2], [1]), ([-2], None), ([1, 2, 3], None), ([-1, 2, 3], None)],
        ),
        (
            "if x_1 > 0; u <- 1; else; if x_n > 0; u <- 2; fi; fi; return u",
            [([3, -1], 1), ([-1, 2], 2), ([-1, -2], None), ([5], 1), ([-5], None)],
        ),
        (
            "if x_1 > 0; for i = 1..n; u <- x_i; end; fi; return u",
            [([1, 2, 3], 3), ([3, -1, -2], -2), ([-1, 2, 3], None), ([5], 5), ([-5], None)],
        ),
        (
            "for t = 1..n; if x_t > 0; y_{n-t+1} <- 1; else; y_t <- 2; fi; end; return y",
            [([1, 2, 3], [1, 1, 1]), ([-1, 2, -3], [2, 1, 2]), ([-1, 2, 3], None), ([2, -1], None), ([-1, 2], None), ([-1], [2])],
        ),
    ],
)
def test_what_an_arm_leaves_without_a_value_is_told_by_the_call(
    lines: str, answers: list[tuple[list[float], Any]], write: Callable[..., str]
) -> None:
    calls_decide(mathdsl.load(of_algorithm(write, VECTOR, "x", lines)).F(), answers)


@BOTH
def test_an_arm_that_is_not_taken_needs_no_turn(write: Callable[..., str]) -> None:
    lines = "for i = 2..n; m <- x_i; end; if x_1 > 0; s <- x_1^2; else; s <- m; fi; return s"
    for count in (1, 2, 4):
        agrees(of_algorithm(write, VECTOR, "x", lines), either(lambda x: x[1] ** 2, lambda x: last_turn(x) / 2), numbers(count))


# ---- the greatest index with a property ----------------------------------------------------------

MARKED: dict[str, tuple[str, Callable[..., Any]]] = {
    "the last": (r"c <- \max_{j : x_j > 0} j; x_c <- c x_c; return x", lambda x: [j for j in up(1, len(x)) if x[j] > 0][-1]),
    "the first from behind": (
        r"c <- \min_{j : x_j > 0} (n + 1 - j); x_c <- c x_c; return x",
        lambda x: min(len(x) + 1 - j for j in up(1, len(x)) if x[j] > 0),
    ),
    "in a loop": (
        r"for i = 1..n; c <- \max_{j : x_j \geq x_i} j; end; x_c <- c x_c; return x",
        lambda x: max(j for j in up(1, len(x)) if x[j] >= x[len(x)]),
    ),
}


@BOTH
@pytest.mark.parametrize("name", MARKED)
def test_an_element_at_the_greatest_index_with_a_property(name: str, write: Callable[..., str]) -> None:
    lines, place = MARKED[name]

    def meaning(x: Any) -> Any:
        try:
            c = place(x)
        except (IndexError, ValueError):
            raise KeyError from None
        x[c] = c * x[c]
        return x

    agrees(of_algorithm(write, VECTOR, "x", lines), meaning, lambda generator: numbers(4)(generator) + 0.5)


def test_there_is_none_with_the_property() -> None:
    subject = mathdsl.load(algorithmic(VECTOR, "x", [r"c <- \max_{j : x_j > 0} j", "return c"])).F()
    assert subject(torch.tensor([1.0, 2.0, -1.0])).tolist() == 2
    with pytest.raises(ValueError, match="exists j"):
        subject(-torch.ones(3))
    assert subject(torch.tensor([[1.0, 2.0, torch.nan], [3.0, -1.0, -1.0]]), lengths=torch.tensor([2, 3])).tolist() == [2, 1]


# ---- elements in parentheses ---------------------------------------------------------------------

VISITS = r"s \in \{1, \dots, N\}^{T}, v \in \mathbb{R}^{N}"


def visited(s: Any, v: Any) -> Any:
    count = FromOne([0] * len(v))
    for state in s:
        count[state] = count[state] + 1
    return FromOne(c * w for c, w in zip(count, v, strict=True))


def prefix_sum(x: Any) -> Any:
    return sum((value for value in x), start=0) ** 2


@BOTH
def test_an_array_in_parentheses_is_assigned_at_data(write: Callable[..., str]) -> None:
    lines = r"for k = 1..N; C(k) <- 0; end; for t = 1..T; C(s_t) <- C(s_t) + 1; end; return C \odot v"

    def states(generator: torch.Generator) -> Tensor:
        return torch.randint(1, 4, (6,), generator=generator)

    agrees(of_algorithm(write, VISITS, "s, v", lines), visited, states, numbers(3))


@BOTH
def test_an_array_in_parentheses_begins_at_a_number(write: Callable[..., str]) -> None:
    agrees(of_algorithm(write, VECTOR, "x", "f(1) <- x_1; for i = 2..n; f(i) <- f(i-1) + x_i; end; return f(n)^2"), prefix_sum, numbers(4))


@BOTH
@pytest.mark.parametrize("value", ["x(i)", "x(i)^2", "1 + x(i)^2"])
def test_an_index_in_parentheses_is_asked_about_under_a_power_too(value: str, write: Callable[..., str]) -> None:
    found = error(of_algorithm(write, VECTOR, "x", f"for i = 1..n; y_i <- {value}; end; return y"))
    assert (found.code, found.message) == ("E0409", "`x(i)` can be an element of `x`, or a product")
    element = value.replace("x(i)", "x_i")
    lines = f"for i = 1..n; y_i <- {element}; end; return y"
    agrees(of_algorithm(write, VECTOR, "x", lines), lambda x: FromOne(eval(element.replace("^", "**"), {"x_i": v}) for v in x), numbers(3))


# ---- places that are data, of an array without first values --------------------------------------

PLACES = r"x \in \mathbb{R}^{n}, p \in \{1, \dots, n\}^{n}"


def places(count: int, *, differ: bool = True) -> Drawn:
    def drawn(generator: torch.Generator) -> Tensor:
        return torch.randperm(count, generator=generator) + 1 if differ else torch.randint(1, count + 1, (count,), generator=generator)

    return drawn


def scattered(x: Any, p: Any) -> dict[int, Any]:
    return {int(place): value for place, value in zip(p, x, strict=True)}


def inverse(x: Any, p: Any) -> Any:
    q = {int(p[i]): i for i in up(1, len(p))}
    return sum(q[i] * x[i] for i in up(1, len(x)))


def large_at_two(x: Any, p: Any) -> Any:
    return {int(place): value for place, value in zip(p, x, strict=True) if value > 0}[2]


SCATTERED: dict[str, tuple[str, Callable[..., Any]]] = {
    "the whole": ("for i = 1..n; y_{p_i} <- x_i^2; end; return y", lambda x, p: [scattered(x, p)[i] ** 2 for i in up(1, len(x))]),
    "in brackets": ("for i = 1..n; y[p[i]] <- x[i]; end; return y", lambda x, p: [scattered(x, p)[i] for i in up(1, len(x))]),
    "an inverse": (r"for i = 1..n; q_{p_i} <- i; end; return \sum_{i=1}^{n} q_i x_i", inverse),
    "elements": (
        "for i = 1..n; y_{p_i} <- x_i; end; for i = 1..n; z_i <- y_i + x_i; end; return z",
        lambda x, p: [scattered(x, p)[i] + x[i] for i in up(1, len(x))],
    ),
    "one element": ("for i = 1..n; if x_i > 0; y_{p_i} <- x_i; fi; end; return y_2", large_at_two),
}


@BOTH
@pytest.mark.parametrize("differ", [True, False])
@pytest.mark.parametrize("name", SCATTERED)
def test_elements_at_places_that_are_data(name: str, differ: bool, write: Callable[..., str]) -> None:
    lines, meaning = SCATTERED[name]
    least = 1 if differ else 0  # places that are the same leave an element out, which the call says
    agrees(of_algorithm(write, PLACES, "x, p", lines), meaning, numbers(3), places(3, differ=differ), least=least)


@BOTH
def test_an_array_at_places_of_which_nothing_tells_the_range(write: Callable[..., str]) -> None:
    declared, lines = r"x \in \mathbb{R}^{n}, p \in \mathbb{N}^{n}", "for i = 1..n; y_{p_i} <- x_i; end; return y"
    found = error(of_algorithm(write, declared, "x, p", lines))
    assert (found.code, found.message) == ("E0701", "nothing tells how many elements `y` has")
    assert found.help == r"begin with `y \gets \mathbf{0}_n`, or declare it, as in `y \in \mathbb{R}^n`"
    begun = (r"y <- \mathbf{0}_n; ", declared), ("for i = 1..n; y_i <- 0; end; ", declared), ("", declared + r", y \in \mathbb{R}^n")
    for first, table in begun:
        mended = of_algorithm(write, table, "x, p", first + lines)
        agrees(mended, lambda x, p: [scattered(x, p)[i] for i in up(1, len(x))], numbers(3), places(3))
