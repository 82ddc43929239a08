r"""Elements at computed indices: a wrong index raises wherever some point wants it, and nothing else does, in batches and with lengths."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from tests.test_lookups_and_guards import NOTATIONS, Written

Example = dict[str, Any]


def at(values: list[Any], *indices: int) -> Any:
    """The element of nested lists at indices that count from 1."""
    for k in indices:
        if not 1 <= k <= len(values):
            raise IndexError(k)
        values = values[k - 1]
    return values


def guarded(value: str, condition: str) -> str:
    return rf"\begin{{cases}} {value} & {condition} \\ 0 & \text{{otherwise}} \end{{cases}}"


OVER_I = r" \quad (i = 1, \dots, n) ;; \Return y"
ROWS = {
    "x": r"x_i \in \mathbb{R}, i = 1, \dots, m \\",
    "p": r"p \in \mathbb{Z}^n \\",
    "b": r"b \in \mathbb{R}^n \\",
    "a": r"a \in \mathbb{R}^{n \times m} \\",
    "k": r"k \in \mathbb{Z} \\",
    "X": r"X_i \in \mathbb{R}^2, i = 1, \dots, m \\",
}


def points(e: Example) -> range:
    return range(len(e["b"]))


# header, lines, and what a reader computes of lists: the element at an index that does not exist raises an IndexError
CASES: dict[str, tuple[str, str, Callable[[Example], Any]]] = {
    "a guard with an axis more": (
        "x, p, a, b",
        r"y_i \gets b_i + \sum_{j=1}^m " + guarded("x_{p_i}", "a_{ij} > 0") + OVER_I,
        lambda e: [e["b"][i] + sum(at(e["x"], e["p"][i]) for c in e["a"][i] if c > 0) for i in points(e)],
    ),
    "a computed index under a guard with an axis more": (
        "x, p, a, b",
        r"y_i \gets b_i + \sum_{j=1}^m " + guarded("x_{p_i - 1}", "a_{ij} > -1") + OVER_I,
        lambda e: [e["b"][i] + sum(at(e["x"], e["p"][i] - 1) for c in e["a"][i] if c > -1) for i in points(e)],
    ),
    "a guard of another axis": (
        "x, p, b",
        r"y_i \gets \sum_{j=1}^n " + guarded("x_{p_i}", "b_j > 0") + OVER_I,
        lambda e: [sum(at(e["x"], e["p"][i]) for c in e["b"] if c > 0) for i in points(e)],
    ),
    "a sum up to an outer index": (
        "x, p, b",
        r"y_i \gets b_i + \sum_{j=1}^{i} x_{p_j + 1}" + OVER_I,
        lambda e: [e["b"][i] + sum(at(e["x"], e["p"][j] + 1) for j in range(i + 1)) for i in points(e)],
    ),
    "two guards of two axes": (
        "x, p, a, b",
        r"y_i \gets b_i + \sum_{j=1}^m " + guarded(guarded("x_{p_i}", "b_i > 0"), "a_{ij} > 0") + OVER_I,
        lambda e: [e["b"][i] + sum(at(e["x"], e["p"][i]) for c in e["a"][i] if c > 0 and e["b"][i] > 0) for i in points(e)],
    ),
    "an index without axes": (
        "x, k, b",
        "y_i \\gets b_i + " + guarded("x_{k+1}", "b_i > -0.5") + OVER_I,
        lambda e: [c + (at(e["x"], e["k"] + 1) if c > -0.5 else 0) for c in e["b"]],
    ),
    "behind an and": (
        "x, k, b",
        r"y_i \gets b_i + \mathbb{1}[b_i > -0.5 \land x_{k+1} > 0]" + OVER_I,
        lambda e: [c + (c > -0.5 and at(e["x"], e["k"] + 1) > 0) for c in e["b"]],
    ),
    "behind an or": (
        "x, k, b",
        r"y_i \gets b_i + \mathbb{1}[b_i > -0.5 \lor x_{k} > 0]" + OVER_I,
        lambda e: [c + (c > -0.5 or at(e["x"], e["k"]) > 0) for c in e["b"]],
    ),
    "in a recurrence": (
        "x, k, b",
        r"h_0 \gets 0 ;; h_i \gets \frac{h_{i-1}}{2} + b_i + "
        + guarded("x_{k+1}", "b_i > -0.5")
        + r" \quad (i = 1, \dots, n) ;; \Return h_n",
        lambda e: recurrence(e, lambda h, c: h / 2 + c + (at(e["x"], e["k"] + 1) if c > -0.5 else 0)),
    ),
    "at the state of a recurrence": (
        "x, b",
        r"h_0 \gets 1 ;; h_i \gets 1 + \lvert b_i \rvert + x_{\lfloor h_{i-1} \rfloor} \quad (i = 1, \dots, n) ;; \Return h_n",
        lambda e: recurrence(e, lambda h, c: 1 + abs(c) + at(e["x"], int(h // 1)), 1.0),
    ),
    "an index beside the array": (
        "x, p, b",
        r"y_i \gets b_i + x_{p_i + 1}" + OVER_I,
        lambda e: [c + at(e["x"], q + 1) for c, q in zip(e["b"], e["p"], strict=True)],
    ),
    "an element of the input itself": (
        "x, p, b",
        r"y_i \gets b_i + x_{p_i}" + OVER_I,
        lambda e: [c + at(e["x"], q) for c, q in zip(e["b"], e["p"], strict=True)],
    ),
    "a row": (
        "X, p, a, b",
        r"y_i \gets b_i + \sum_{j=1}^m " + guarded(r"\lVert X_{p_i} \rVert^2", "a_{ij} > 0") + OVER_I,
        lambda e: [e["b"][i] + sum(sum(v**2 for v in at(e["X"], e["p"][i])) for c in e["a"][i] if c > 0) for i in points(e)],
    ),
    "an index at an index": (
        "x, p, a, b",
        r"y_i \gets b_i + \sum_{j=1}^m " + guarded("x_{p_{p_i}}", "a_{ij} > 0") + OVER_I,
        lambda e: [e["b"][i] + sum(at(e["x"], at(e["p"], e["p"][i])) for c in e["a"][i] if c > 0) for i in points(e)],
    ),
    "numbers beside copies": (
        "x, p, b",
        r"q_i \gets "
        + r"\begin{cases} 0 & b_i > 1 \\ p_i & \text{otherwise} \end{cases}"
        + r" \quad (i = 1, \dots, n) ;; y_i \gets b_i + x_{q_i}"
        + OVER_I,
        lambda e: [c + at(e["x"], 0 if c > 1 else q) for c, q in zip(e["b"], e["p"], strict=True)],
    ),
}


def recurrence(e: Example, step: Callable[[float, float], float], h: float = 0.0) -> float:
    for c in e["b"]:
        h = step(h, c)
    return h


def drawn(names: list[str], n: int, m: int, is_right: bool, rng: random.Random) -> Example:
    """An example; most indices of a right one exist."""
    least, most = (1, max(m - 1, 1)) if is_right else (0, m + 1)

    def real() -> float:
        return rng.choice([-1.5, -0.75, 0.25, 0.5, 1.25])

    found: Example = {
        "x": [real() for _ in range(m)],
        "b": [real() for _ in range(n)],
        "a": [[real() for _ in range(m)] for _ in range(n)],
        "X": [[real(), real()] for _ in range(m)],
        "p": [rng.randint(least, most) for _ in range(n)],
        "k": rng.randint(least, most),
    }
    return {name: found[name] for name in names}


def tensor(name: str, value: Any, m: int) -> Tensor:
    made = torch.tensor(value, dtype=torch.int64 if name in "pk" else torch.float64)
    shape = {"x": (-1,), "p": (-1,), "b": (-1,), "k": (), "a": (len(value) if name == "a" else 0, m), "X": (-1, 2)}[name]
    return made.reshape(shape)


def padded(name: str, values: list[Tensor], rng: random.Random) -> Tensor:
    """Several examples in one tensor, with anything in the padding."""
    if not values[0].dim():
        return torch.stack(values)
    extents = [max(value.shape[place] for value in values) for place in range(values[0].dim())]
    extents[0] += 1
    if name == "a":
        extents[1] += 1
    if name == "X":
        extents[1] = 2
    filling: Any = 99 if name == "p" else torch.nan
    whole = torch.full((len(values), *extents), filling, dtype=values[0].dtype)
    for row, value in zip(whole, values, strict=True):
        row[tuple(slice(0, extent) for extent in value.shape)] = value
    return whole


def outcome(compute: Callable[[], Any]) -> Any:
    try:
        return torch.as_tensor(compute(), dtype=torch.float64)
    except IndexError:
        return None


@NOTATIONS
@pytest.mark.parametrize(("header", "lines", "meaning"), CASES.values(), ids=CASES)
def test_an_index_is_looked_at_where_it_is_wanted(notation: Written, header: str, lines: str, meaning: Callable[[Example], Any]) -> None:
    names = header.split(", ")
    result = mathdsl.compile(notation(header, lines, " ".join(ROWS[name] for name in names)))
    assert result.ok, [d.message for d in result.diagnostics]
    made = result.load().M()
    rng = random.Random(7)
    seen = {True: 0, False: 0}
    for number in range(60):
        examples, sizes = list[Example](), list[tuple[int, int]]()
        for _ in range(3):
            n, m = (rng.randint(0, 3), rng.randint(1, 4)) if number % 2 else (3, 4)
            sizes.append((n, m))
            examples.append(drawn(names, n, m, rng.random() < 0.7, rng))
        wanted = [outcome(lambda e=e: meaning(e)) for e in examples]  # type: ignore[misc]
        tensors = [{name: tensor(name, value, m) for name, value in e.items()} for e, (_, m) in zip(examples, sizes, strict=True)]
        for given, value in zip(tensors, wanted, strict=True):
            same(outcome_of_ours(lambda given=given: made(**given)), value)  # type: ignore[misc]
            seen[value is None] += 1
        lengths = {"n": torch.tensor([n for n, _ in sizes]), "m": torch.tensor([m for _, m in sizes])}
        together = {name: padded(name, [given[name] for given in tensors], rng) for name in names}
        found = outcome_of_ours(lambda given=together, own=lengths: made(**given, lengths=own))  # type: ignore[misc]
        if any(value is None for value in wanted):
            assert found is None, (examples, found)
        else:
            assert found is not None, examples
            for row, value in zip(found, wanted, strict=True):
                same(row[tuple(slice(0, extent) for extent in value.shape)], value)
    assert min(seen.values()) > 4, seen


def outcome_of_ours(compute: Callable[[], Tensor]) -> Tensor | None:
    try:
        return compute()
    except ValueError as found:
        if "expected indices" not in str(found):
            raise
        return None


def same(found: Tensor | None, wanted: Tensor | None) -> None:
    assert (found is None) == (wanted is None), (found, wanted)
    if found is not None:
        torch.testing.assert_close(found, wanted)


LISTED = r"x_i \in \mathbb{R}, i = 1, \dots, m \\ p_i \in \mathbb{Z}, i = 1, \dots, n \\"


@NOTATIONS
def test_an_index_of_a_list_is_looked_at(notation: Written) -> None:
    result = mathdsl.compile(notation(r"[p_1, \dots, p_n], x", r"y_i \gets x_{p_i}" + OVER_I, LISTED))
    assert result.ok, [d.message for d in result.diagnostics]
    made, x = result.load().M(n=2), torch.tensor([1.0, 2.0, 3.0]).double()
    torch.testing.assert_close(made([torch.tensor(3), torch.tensor(1)], x), x[[2, 0]])
    for wrong in (0, 4, -1):
        with pytest.raises(ValueError, match=rf"x: expected indices in 1 .. 3, got {wrong} .. {wrong}"):
            made([torch.tensor(3), torch.tensor(wrong)], x)


SHARED = r"x_i \in \mathbb{R}, i = 1, \dots, m \\ p \in \mathbb{Z}^3 \text{ shared} \\"


@NOTATIONS
@pytest.mark.parametrize("offset", [0, 1])
def test_an_index_that_all_examples_share_lies_in_each_of_them(notation: Written, offset: int) -> None:
    line = rf"y_i \gets x_{{p_i - {offset}}} \quad (i = 1, \dots, 3) ;; \Return y"
    made = mathdsl.compile(notation("x, p", line, SHARED)).load().M()
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, torch.nan]]).double()
    p = torch.tensor([1, 2, 1])
    torch.testing.assert_close(made(x, p + offset, lengths=torch.tensor([3, 2])), x[:, p - 1])
    with pytest.raises(ValueError, match="x: expected indices within each example's own length, got 3 .. 3"):
        made(x, torch.tensor([3, 1, 1]) + offset, lengths=torch.tensor([3, 2]))


DOUBLED = r"x_i \in \mathbb{R}, i = 1, \dots, 2 n \\ p \in \mathbb{Z}^n \\"


@NOTATIONS
def test_an_index_lies_in_a_range_of_twice_the_length(notation: Written) -> None:
    made = mathdsl.compile(notation("x, p", r"y_i \gets x_{p_i}" + OVER_I, DOUBLED)).load().M()
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, torch.nan, torch.nan]]).double()
    found = made(x, torch.tensor([[1, 4], [2, 99]]), lengths=torch.tensor([2, 1]))
    torch.testing.assert_close(found, torch.tensor([[1.0, 4.0], [6.0, 0.0]]).double())
    with pytest.raises(ValueError, match="x: expected indices within each example's own length, got 3 .. 3"):
        made(x, torch.tensor([[1, 4], [3, 99]]), lengths=torch.tensor([2, 1]))


@NOTATIONS
def test_the_message_calls_a_value_as_its_author_does(notation: Written) -> None:
    line = r"\hat{y}_i \gets x_i^2 \quad (i = 1, \dots, m) ;; \Return \sum_{i=1}^m \hat{y}_{k+1} x_i"
    made = mathdsl.compile(notation("x, k", line, ROWS["x"] + ROWS["k"])).load().M()
    x = torch.tensor([1.0, 2.0, 3.0]).double()
    torch.testing.assert_close(made(x, torch.tensor(1)), torch.tensor(24.0).double())
    with pytest.raises(ValueError, match=r"^\\hat\{y\}: expected indices in 1 .. 3, got 4 .. 4$"):
        made(x, torch.tensor(3))
