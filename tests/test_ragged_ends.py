r"""Elements that are counted from an example's own end, and joins, halves and sums of lengths, in batches of examples of several lengths.

Each program is held against plain torch, example by example: alone, and in a batch with NaN in the padding; values and gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import stack

Lengths = Mapping[str, int]
ByHand = Callable[..., Tensor]


@dataclass(frozen=True)
class Case:
    """A program, its inputs in order, each with the lengths of its axes, the lengths of the examples of a batch, and what it computes."""

    text: str
    axes: tuple[Sequence[str | int], ...]
    lengths: tuple[tuple[int, ...], ...]
    by_hand: ByHand
    given: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """The sizes that may differ between the examples, in the order of `lengths`."""
        return tuple(dict.fromkeys(name for axes in self.axes for axis in axes for name in _names(axis)))


def _names(axis: str | int) -> list[str]:
    return [letter for letter in str(axis) if letter.isalpha()]


X = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\ "
TWICE = r"x_i \in \mathbb{R}, i = 1, \dots, 2n & \\ "
XY = X + r"y_i \in \mathbb{R}, i = 1, \dots, n & \\ "
XZ = X + r"z_i \in \mathbb{R}, i = 1, \dots, m & \\ "
SOME = ((4,), (2,), (7,), (3,))
PAIRS = ((4, 2), (2, 5), (7, 1), (3, 3))


def module(
    body: str, by_hand: ByHand, table: str = X, header: str = "x ; ", axes: Any = (["n"],), lengths: Any = SOME, **given: int
) -> Case:
    """A program in module notation."""
    return Case(rf"\Module{{M}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}", axes, lengths, by_hand, given)


def algorithm(
    body: str, by_hand: ByHand, table: str = X, header: str = "x", axes: Any = (["n"],), lengths: Any = SOME, **given: int
) -> Case:
    """A program of statements in order."""
    lines = "\n".join(line + r" \\" for line in body.strip().splitlines())
    text = "\\algoProc{\\M}\\pa{" + header + "} \\\\\n" + lines + rf" \algoEndProc \\ \begin{{where}} {table} \end{{where}}"
    return Case(text, axes, lengths, by_hand, given)


def _fold(x: Tensor, step: Callable[[Tensor, Tensor], Tensor], state: Tensor | None = None) -> Tensor:
    state = x.new_zeros(()) if state is None else state
    for value in x:
        state = step(state, value)
    return state


def _put(x: Tensor, values: Mapping[int, Tensor]) -> Tensor:
    return stack([values.get(k, values.get(k - len(x), value)) for k, value in enumerate(x)])


def _lagged(x: Tensor) -> Tensor:
    return stack([x[k:] @ x[: len(x) - k] for k in range(len(x))])


def _pairs(x: Tensor) -> Tensor:
    return sum((torch.exp(-((x[i] - x[j]) ** 2)) for j in range(len(x)) for i in range(j)), x.new_zeros(()))


def _gaps(x: Tensor) -> Tensor:
    return stack([sum((x[j] * x[i] for j in range(i + 1, len(x))), x.new_zeros(())) for i in range(len(x))])


def _cat(*parts: Tensor) -> Tensor:
    return torch.cat(parts)


Z2: dict[str, Any] = {"table": XZ, "header": "x, z ; ", "axes": (["n"], ["m"]), "lengths": PAIRS}
XSUM: dict[str, Any] = {
    "table": r"x_i \in \mathbb{R}, i = 1, \dots, m+n & \\ y \in \mathbb{R}^m & \\ z \in \mathbb{R}^n & \\",
    "header": "x, y, z ; ",
    "axes": (["m+n"], ["m"], ["n"]),
    "lengths": PAIRS,
}
K: dict[str, Any] = {"table": X + r"k \in \mathbb{N} & \\", "k": 2}
H: dict[str, Any] = {"axes": (["2n"],), "table": TWICE}
EVEN: dict[str, Any] = {"lengths": ((4,), (2,), (6,), (8,))}
ROWS: dict[str, Any] = {"table": r"A_i \in \mathbb{R}^3, i = 1, \dots, n & \\", "header": "A ; ", "axes": (["n", 3],)}

CASES: dict[str, Case] = {
    "the last two": module(r"\Return \sum_{j=n-1}^n x_j \\", lambda x: x[-2:].sum()),
    "a product of the last two": module(r"\Return \prod_{j=n-1}^n x_j \\", lambda x: x[-2:].prod()),
    "the greater of the last two": module(r"\Return \max_{j=n-1}^n x_j \\", lambda x: x[-2:].amax()),
    "the place of the greater of the last two": module(
        r"\Return 2 \argmax_{j=n-1}^n x_j \\", lambda x: 2.0 * (len(x) - 1 + x[-2:].argmax())
    ),
    "the mean of the last two": module(r"\Return \operatorname{mean}_{j=n-1}^n x_j \\", lambda x: x[-2:].mean()),
    "the last k": module(r"\Return \sum_{j=n-k+1}^n x_j^2 \\", lambda x: (x[-2:] ** 2).sum(), **K),
    "the mean of the last k": module(r"\Return \frac{1}{k} \sum_{j=n-k+1}^n x_j \\", lambda x: x[-2:].mean(), **K),
    "all but the last k": module(r"\Return \sum_{j=1}^{n-k} x_j^2 \\", lambda x: (x[:-2] ** 2).sum(), **K),
    "the last k as a value": module(r"y_i \gets x_i^2 \quad (i = n-k+1, \dots, n) \\ \Return y \\", lambda x: x[-2:] ** 2, **K),
    "a window at the end": module(r"y_i \gets 2 x_i \quad (i = n-1, \dots, n) \\ \Return y \\", lambda x: 2 * x[-2:]),
    "a window at the end, read again": module(
        r"y_i \gets x_i x_{i-1} \quad (i = n, \dots, n) \\ \Return \sum_{j=1}^n x_j y_n \\", lambda x: x.sum() * x[-1] * x[-2]
    ),
    "the softmax of a slice at the end": module(r"\Return \softmax(x_{n-1:n}) \\", lambda x: x[-2:].softmax(0)),
    "the end of a value": module(
        r"y_i \gets \tanh(x_i) \quad (i=1,\dots,n) \\ \Return \sum_{j=n-1}^n y_j \\", lambda x: x.tanh()[-2:].sum()
    ),
    "the end beside each element": module(
        r"y_i \gets \sum_{j=n-1}^n x_j x_i \quad (i=1,\dots,n) \\ \Return y \\", lambda x: x * x[-2:].sum()
    ),
    "the last rows": module(r"\Return \sum_{i=n-1}^n A_i \\", lambda a: a[-2:].sum(0), **ROWS),
    "the last row": module(r"\Return A_n - A_{n-1} \\", lambda a: a[-1] - a[-2], **ROWS),
    "logarithms at the end": module(r"\Return \sum_{j=n-1}^n \log(1 + x_j^2) / x_j \\", lambda x: ((1 + x[-2:] ** 2).log() / x[-2:]).sum()),
    "a recurrence along the end": module(
        r"h_{n-2} \gets 0 \\ h_t \gets \tanh(h_{t-1} + x_t) \quad (t = n-1, \dots, n) \\ \Return h_n \\",
        lambda x: _fold(x[-2:], lambda h, v: torch.tanh(h + v)),
    ),
    "a recurrence along the end, all of it": module(
        r"h_{n-2} \gets 1 \\ h_t \gets h_{t-1} x_t \quad (t = n-1, \dots, n) \\ \Return h \\",
        lambda x: stack([x.new_ones(()), x[-2], x[-2] * x[-1]]),
    ),
    "a loop along the end": algorithm(
        "s \\gets 0\n\\algoFor{i = n-1, \\dots, n}\ns \\gets s x_i + x_i\n\\algoEndFor\n\\Return s", lambda x: x[-2] * x[-1] + x[-1]
    ),
    "a loop along the last k": algorithm(
        "s \\gets 1\n\\algoFor{i = n-k+1, \\dots, n}\ns \\gets s x_i\n\\algoEndFor\n\\Return s", lambda x: x[-2:].prod(), **K
    ),
    "a loop that changes the end": algorithm(
        "\\algoFor{i = n-1, \\dots, n}\nx_i \\gets x_i x_1\n\\algoEndFor\n\\Return x",
        lambda x: _put(x, {-2: x[-2] * x[0], -1: x[-1] * (x[0] if len(x) > 2 else x[-2] * x[0])}),
        lengths=((4,), (3,), (7,)),
    ),
    "a loop that changes the end of a copy": algorithm(
        "y \\gets 2 x\n\\algoFor{i = n-1, \\dots, n}\ny_i \\gets y_i x_1\n\\algoEndFor\n\\Return y",
        lambda x: _put(2 * x, {-2: 2 * x[-2] * x[0], -1: 2 * x[-1] * x[0]}),
    ),
    "a loop into the last element": algorithm(
        "\\algoFor{i = 1, \\dots, n}\nx_n \\gets x_n + y_i\n\\algoEndFor\n\\Return x",
        lambda x, y: _put(x, {-1: x[-1] + y.sum()}),
        table=XY,
        header="x, y",
        axes=(["n"], ["n"]),
    ),
    "a loop of another length into the last element": algorithm(
        "\\algoFor{i = 1, \\dots, m}\nx_n \\gets x_n z_i + z_i\n\\algoEndFor\n\\Return x",
        lambda x, z: _put(x, {-1: _fold(z, lambda s, v: s * v + v, x[-1])}),
        **Z2 | {"header": "x, z"},
    ),
    "the last element from those before it": algorithm(
        "\\algoFor{i = 1, \\dots, n-1}\nx_n \\gets x_n + x_i\n\\algoEndFor\n\\Return x", lambda x: _put(x, {-1: x.sum()})
    ),
    "the last but one element": algorithm(
        "\\algoFor{i = 1, \\dots, n}\nx_{n-1} \\gets x_{n-1} + y_i\n\\algoEndFor\n\\Return x",
        lambda x, y: _put(x, {-2: x[-2] + y.sum()}),
        table=XY,
        header="x, y",
        axes=(["n"], ["n"]),
    ),
    "ends that change places": algorithm("s \\gets x_1\nx_1 \\gets x_n\nx_n \\gets s\n\\Return x", lambda x: _put(x, {0: x[-1], -1: x[0]})),
    "differences to the end": module(r"y_i \gets x_n - x_i \quad (i=1,\dots,n) \\ \Return y \\", lambda x: x[-1] - x),
    "differences to the mean of the end": module(
        r"m \gets \frac{1}{2} \sum_{j=n-1}^n x_j \\ y_i \gets x_i - m \quad (i=1,\dots,n) \\ \Return y \\", lambda x: x - x[-2:].mean()
    ),
    "a reversed sequence": module(r"y_i \gets x_{n-i+1} \quad (i = 1, \dots, n) \\ \Return y \\", lambda x: x.flip(0)),
    "a palindrome": module(r"\Return \sum_{i=1}^n (x_i - x_{n+1-i})^2 \\", lambda x: ((x - x.flip(0)) ** 2).sum()),
    "a palindrome of twice a length": module(
        r"\Return \sum_{i=1}^{n} (x_i - x_{2n+1-i})^3 \\", lambda x: ((x - x.flip(0))[: len(x) // 2] ** 3).sum(), **H
    ),
    "both halves": module(r"\Return x_{1:n} || x_{n+1:2n} \\", lambda x: x, **H),
    "halves that change places": module(r"\Return x_{n+1:2n} || x_{1:n} \\", lambda x: _cat(x[len(x) // 2 :], x[: len(x) // 2]), **H),
    "the second half": module(r"\Return \sum_{i=n+1}^{2n} x_i^2 \\", lambda x: (x[len(x) // 2 :] ** 2).sum(), **H),
    "the second half as a value": module(
        r"y_i \gets x_i x_{i-n} \quad (i = n+1, \dots, 2n) \\ \Return y \\", lambda x: x[len(x) // 2 :] * x[: len(x) // 2], **H
    ),
    "the upper half of a length": module(r"\Return \sum_{i=n/2+1}^{n} x_i^2 \\", lambda x: (x[len(x) // 2 :] ** 2).sum(), **EVEN),
    "two halves of a definition": module(
        r"y_i \gets x_i \quad (i=1,\dots,n/2) \\ y_i \gets -x_{i} \quad (i=n/2+1,\dots,n) \\ \Return y \\",
        lambda x: _cat(x[: len(x) // 2], -x[len(x) // 2 :]),
        **EVEN,
    ),
    "correlations with each lag": module(r"r_k \gets \sum_{t=k+1}^{n} x_t x_{t-k} \quad (k=0,\dots,n-1) \\ \Return r \\", _lagged),
    "a correlation with a lag": module(r"\Return \sum_{t=k+1}^{n} x_t x_{t-k} \\", lambda x: x[2:] @ x[:-2], **K),
    "a correlation with half the length": module(
        r"\Return \sum_{t=n/2+1}^{n} x_t x_{t-n/2} \\", lambda x: x[len(x) // 2 :] @ x[: len(x) // 2], **EVEN
    ),
    "pairs": module(r"\Return \sum_{1 \leq i < j \leq n} \exp(-(x_i - x_j)^2) \\", _pairs),
    "what comes after each element": module(r"y_i \gets \sum_{j=i+1}^n x_i x_j \quad (i=1,\dots,n) \\ \Return y \\", _gaps),
    "moving averages": module(
        r"y_t \gets \frac{1}{k} \sum_{j=t-k+1}^{t} x_j \quad (t = k, \dots, n) \\ \Return y \\",
        lambda x: x.unfold(0, 2, 1).mean(1),
        **K,
    ),
    "moving averages at the end": module(
        r"y_t \gets \frac{1}{2} \sum_{j=t-1}^{t} x_j \quad (t = n-1, \dots, n) \\ \Return y \\",
        lambda x: x.unfold(0, 2, 1).mean(1)[-2:],
        lengths=((4,), (3,), (7,)),
    ),
    "two sequences, one after the other": module(r"\Return x || z \\", _cat, **Z2),
    "a sum along a join": module(r"y \gets x || z \\ \Return \sum_{i=1}^{m+n} y_i^2 \\", lambda x, z: (_cat(x, z) ** 2).sum(), **Z2),
    "a join by its elements": module(
        r"y_i \gets x_i \quad (i=1,\dots,n) \\ y_{n+i} \gets z_i \quad (i=1,\dots,m) \\ \Return y \\", _cat, **Z2
    ),
    "a join of sums": module(
        r"y_i \gets x_i \quad (i=1,\dots,n) \\ y_{n+i} \gets \sum_{j=i}^{m} z_j \quad (i=1,\dots,m) \\ \Return y \\",
        lambda x, z: _cat(x, z.flip(0).cumsum(0).flip(0)),
        **Z2,
    ),
    "the end of a join": module(
        r"y \gets x || z \\ \Return \sum_{i=m+n-1}^{m+n} y_i^2 \\", lambda x, z: (_cat(x, z)[-2:] ** 2).sum(), **Z2
    ),
    "the second part of a join": module(r"y \gets x || z \\ \Return \sum_{i=n+1}^{n+m} y_i^2 \\", lambda x, z: (z**2).sum(), **Z2),
    "a loop along a join": algorithm(
        "y \\gets \\cat{x, z}\ns \\gets 0\n\\algoFor{i = 1, \\dots, m+n}\ns \\gets s y_i + y_i\n\\algoEndFor\n\\Return s",
        lambda x, z: _fold(_cat(x, z), lambda s, v: s * v + v),
        **Z2 | {"header": "x, z"},
    ),
    "parts of an input": module(r"\Return \sum_{i=1}^m x_i y_i + \sum_{j=1}^n x_{m+j} z_j \\", lambda x, y, z: x @ _cat(y, z), **XSUM),
    "the second part of an input": module(
        r"\Return \sum_{i=m+1}^{m+n} x_i z_{i-m} + \sum_i y_i \\", lambda x, y, z: x[len(y) :] @ z + y.sum(), **XSUM
    ),
    "an input of all the length": module(
        r"\Return \softmax(x) \sum_{i=1}^m y_i \sum_{j=1}^n z_j \\", lambda x, y, z: x.softmax(0) * y.sum() * z.sum(), **XSUM
    ),
    "an input like a join": module(r"\Return x - (y || z) \\", lambda x, y, z: x - _cat(y, z), **XSUM),
    "a matrix in one sequence": module(
        r"\Return \sum_{i=1}^n \sum_{j=1}^m x_{(i-1) m + j} a_i b_j \\",
        lambda x, a, b: a @ x.view(len(a), len(b)) @ b,
        table=r"x_i \in \mathbb{R}, i = 1, \dots, n m & \\ a \in \mathbb{R}^n & \\ b \in \mathbb{R}^m & \\",
        header="x, a, b ; ",
        axes=(["nm"], ["n"], ["m"]),
        lengths=PAIRS,
    ),
    "from one length to another": module(
        r"\Return \sum_{i=m}^{n} x_i^2 + \sum_{i=1}^m z_i \\", lambda x, z: (x[len(z) - 1 :] ** 2).sum() + z.sum(), **Z2
    ),
    "all but as many as another has": module(
        r"\Return \sum_{i=1}^{n-m} x_i^2 + \sum_{i=1}^m z_i \\",
        lambda x, z: (x[: max(len(x) - len(z), 0)] ** 2).sum() + z.sum(),
        **Z2,
    ),
    "as many at the end as another has": module(
        r"\Return \sum_{j=n-m+1}^{n} x_j z_{j-n+m} \\", lambda x, z: x[len(x) - len(z) :] @ z, **Z2 | {"lengths": ((4, 2), (5, 5), (7, 1))}
    ),
}


DIFFERENCE = module(
    r"y_k \gets \sum_{i=1}^m z_i x_{k+i-1} \quad (k = 1, \dots, n - m + 1) \\ \Return y \\", lambda x, z: x.unfold(0, len(z), 1) @ z, **Z2
)


def test_a_length_that_examples_share_is_told_to_the_author_and_to_who_calls() -> None:
    """Results over a difference of lengths have no common shape: one batch has one `m`, and each example its own `n`."""
    result = compile(DIFFERENCE.text)
    (note,) = result.diagnostics
    assert (note.code, note.message) == ("N0501", "the examples of a batch of `M` have the same `m`")
    made = result.load().M
    assert "All examples of a batch have the same m." in made.__doc__
    x, z = torch.randn(2, 5), torch.randn(2, 2)
    with pytest.raises(ValueError, match="lengths: expected the sizes n, got 'm'"):
        made()(x, z, lengths={"m": torch.tensor([1, 2])})
    found = made()(x, z, lengths=torch.tensor([5, 3]))
    torch.testing.assert_close(found[0], DIFFERENCE.by_hand(x[0], z[0]))
    torch.testing.assert_close(found[1, :2], DIFFERENCE.by_hand(x[1, :3], z[1]))
    assert not found[1, 2:].any()


def test_count_from_ends_declines_for_a_loop_in_a_loop_along_the_end() -> None:
    loops = "\\algoFor{i = n-1, \\dots, n}\n\\algoFor{j = i, \\dots, n}\nx_j \\gets x_j + x_i\n\\algoEndFor\n\\algoEndFor\n\\Return x"
    result = compile(algorithm(loops, lambda x: x).text)
    assert [d.message for d in result.diagnostics] == ["the examples of a batch of `M` have the same `n`"]


def test_what_has_lengths_is_not_told() -> None:
    for case in CASES.values():
        assert not [d for d in compile(case.text).diagnostics if d.code == "N0501"]


def test_one_element_less_than_a_length() -> None:
    case = module(r"\Return \sum_{i=1}^{n-1} x_i^2 \\", lambda x: (x**2).sum(), r"x_i \in \mathbb{R}, i = 1, \dots, n-1 & \\")
    made, x = compile(case.text).load().M(), torch.tensor([[1.0, 2.0, 3.0], [4.0, torch.nan, torch.nan]])
    torch.testing.assert_close(made(x, lengths=torch.tensor([4, 2])), torch.tensor([14.0, 16.0]))
    with pytest.raises(ValueError, match="x has no less than 0 elements"):
        made(x, lengths=torch.tensor([4, 0]))


@pytest.mark.parametrize("lengths", [[4, 1], [0, 3]])
def test_an_example_without_the_elements_that_are_read_is_refused(lengths: list[int]) -> None:
    made, x = compile(CASES["the last two"].text).load().M(), torch.ones(2, 4)
    with pytest.raises(ValueError, match=r"x\[j\] is inside 1 .. n"):
        made(x, lengths=torch.tensor(lengths))
    with pytest.raises(ValueError, match=r"x\[j\] is inside 1 .. n"):
        made(x[0, : min(lengths)])


def _extent(axis: str | int, own: Lengths) -> int:
    """The extent of an axis: `2n`, `m+n` or `nm` in numbers."""
    if isinstance(axis, int):
        return axis
    total = 0
    for term in axis.split("+"):
        product = 1
        for letter in term:
            product *= own[letter] if letter.isalpha() else int(letter)
        total += product
    return total


def _gradients(function: Callable[..., Tensor], values: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    leaves = [value.clone().requires_grad_() for value in values]
    result = function(*leaves)
    if not result.requires_grad:
        return result.double(), [torch.zeros_like(leaf) for leaf in leaves]
    found = torch.autograd.grad(torch.sin(result).sum(), leaves, allow_unused=True)
    return result.detach().double(), [torch.zeros_like(leaf) if g is None else g for leaf, g in zip(leaves, found, strict=True)]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_example_has_its_own_end(case: Case) -> None:
    result = compile(case.text)
    assert result.ok, [d.message for d in result.diagnostics]
    made = result.load().M(**case.given)
    own = [dict(zip(case.names, lengths, strict=True)) for lengths in case.lengths]
    widest = {name: max(lengths[name] for lengths in own) + 1 for name in case.names}
    torch.manual_seed(0)
    batch = [torch.full((len(own), *(_extent(axis, widest) for axis in axes)), torch.nan, dtype=torch.float64) for axes in case.axes]
    alone: list[list[Tensor]] = []
    for number, lengths in enumerate(own):
        shapes = [tuple(_extent(axis, lengths) for axis in axes) for axes in case.axes]
        alone.append([torch.rand(shape, dtype=torch.float64) * 4 - 2 for shape in shapes])
        for value, example in zip(batch, alone[-1], strict=True):
            value[(number, *map(slice, example.shape))] = example
    given = {name: torch.tensor([lengths[name] for lengths in own]) for name in case.names}
    together, gradients = _gradients(lambda *values: made(*values, lengths=given), batch)
    for number, values in enumerate(alone):
        wanted, slopes = _gradients(case.by_hand, values)
        single, own_slopes = _gradients(made, values)
        torch.testing.assert_close(single, wanted)
        torch.testing.assert_close(own_slopes, slopes)
        inside = tuple(map(slice, wanted.shape))
        torch.testing.assert_close(together[number][inside], wanted)
        rest = together[number].clone()
        rest[inside] = 0
        assert not rest.any()
        for gradient, slope in zip(gradients, slopes, strict=True):
            part = tuple(map(slice, slope.shape))
            torch.testing.assert_close(gradient[number][part], slope)
            beyond = gradient[number].clone()
            beyond[part] = 0
            assert not beyond.any()
