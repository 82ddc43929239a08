r"""Arrays of which some places have no value yet: what guards their reads, and what their types say of them.

Each program stands in both notations of algorithms, beside the same statements in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, executed, same, text_of

LENGTHS = (4, 1, 3)


def integers(low: int, high: int, *shape: int, seed: int) -> Tensor:
    return torch.randint(low, high + 1, shape, generator=torch.Generator().manual_seed(seed))


def reals(n: int, seed: int) -> Tensor:
    return torch.rand(n, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) - 0.3


def permutation(n: int, seed: int) -> Tensor:
    return torch.randperm(n, generator=torch.Generator().manual_seed(seed)) + 1


def subject_of(text: str, **settings: Any) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    return result.load().F(**settings).double()


def agrees(subject: Any, meaning: Callable[..., Any], made: Callable[[int, int], tuple[Tensor, ...]], *, ragged: bool = True) -> None:
    """Values, slopes, a batch and a ragged batch, where `made` gives the inputs of a size, of some example.

    A size that bounds a type of integers is common to the batch.
    """

    def learned(inputs: tuple[Tensor, ...]) -> list[Tensor]:
        return [given.requires_grad_() for given in inputs if given.is_floating_point()]

    for n in (5, 1, 2):
        inputs = made(n, n)
        variables = learned(inputs)
        found, wanted = subject(*inputs), executed(meaning, inputs)
        same(found, wanted)
        if variables:
            ours, right = (torch.autograd.grad(value.double().sin().sum(), variables, materialize_grads=True) for value in (found, wanted))
            for slope, other in zip(ours, right, strict=True):
                same(slope, other)
    examples = [made(4, seed) for seed in range(3)]
    same(subject(*map(torch.stack, zip(*examples, strict=True))), torch.stack([executed(meaning, example) for example in examples]))
    if not ragged:
        return
    examples = [made(length, seed) for seed, length in enumerate(LENGTHS)]
    padded = [
        torch.nn.utils.rnn.pad_sequence(list(given), batch_first=True, padding_value=torch.nan if given[0].is_floating_point() else 0)
        if given[0].dim()
        else torch.stack(given)
        for given in zip(*examples, strict=True)
    ]
    for row, example in zip(subject(*padded, lengths=torch.tensor(LENGTHS)), examples, strict=True):
        wanted = executed(meaning, example)
        same(row[: len(wanted)], wanted)
        assert not row[len(wanted) :].any()


# ---- reads that a branch guards, of an array whose every element has a value whichever branch is taken


GUARDED = (r"c \in \mathbb{N}", r"x \in \mathbb{R}^{n}")


def guarded(c: Any, x: Any) -> Any:
    f = [torch.zeros((), dtype=torch.float64)]
    for a in range(1, len(x) + 1):
        f.append(x[a])
        if c <= a:
            f[a] = 2 * f[a - int(c)] + x[a]
    return FromOne(f[1:])


def guarded_twice(c: Any, x: Any) -> Any:
    f = [torch.ones((), dtype=torch.float64)]
    for a in range(1, len(x) + 1):
        f.append(x[a])
        if x[a] > 0:
            if c <= a:
                f[a] = f[a - int(c)] * x[a]
        else:
            f[a] = 3 * x[a]
    return FromOne(f[1:])


GUARDS = {
    "before": (r"f_0 <- 0; for a = 1..n; f_a <- x_a; if {}; f_a <- 2 f_{{a-c}} + x_a; fi; end", guarded),
    "in a branch": (
        r"f_0 <- 1; for a = 1..n; f_a <- x_a; if x_a > 0; if {}; f_a <- f_{{a-c}} x_a; fi; else; f_a <- 3 x_a; fi; end",
        guarded_twice,
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("condition", [r"c \leq a", r"a \geq c", r"a - c \geq 0"])
@pytest.mark.parametrize("name", GUARDS)
def test_a_branch_guards_a_read(name: str, condition: str, notation: str) -> None:
    lines, meaning = GUARDS[name]
    text = text_of(notation, GUARDED, "c, x", lines.format(condition) + "; y <- (f_i)_{i=1}^{n}; return y")
    agrees(subject_of(text), meaning, lambda n, seed: (integers(0, n + 1, seed=seed), reals(n, seed)))


def own_steps(c: Any, x: Any) -> Any:
    f = [torch.ones((), dtype=torch.float64)]
    for a in range(1, len(x) + 1):
        f.append(x[a])
        if c[a] <= a:
            f[a] = f[a] + f[a - int(c[a])]
    return FromOne(f[1:])


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_branch_guards_a_read_by_an_array(notation: str) -> None:
    lines = r"f_0 <- 1; for a = 1..n; f_a <- x_a; if c_a \leq a; f_a <- f_a + f_{a-c_a}; fi; end; y <- (f_i)_{i=1}^{n}; return y"
    text = text_of(notation, (r"c \in \{1, \dots, n\}^{n}", r"x \in \mathbb{R}^{n}"), "c, x", lines)
    agrees(subject_of(text), own_steps, lambda n, seed: (integers(1, n, n, seed=seed), reals(n, seed)), ragged=False)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_read_of_what_comes_later_is_a_mistake_at_the_call(notation: str) -> None:
    lines = r"f_0 <- 0; for a = 1..n; f_a <- x_a; if a - c \geq 0; f_a <- 2 f_{a-c} + x_a; fi; end; return f_1"
    subject = subject_of(text_of(notation, (r"c \in \mathbb{Z}", r"x \in \mathbb{R}^{n}"), "c, x", lines))
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert [float(subject(torch.tensor(c), x)) for c in (0, 1, 2)] == [3.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="f"):
        subject(torch.tensor(-1), x)


# ---- arrays of integers whose type holds no 0


def inverse(x: Any) -> Any:
    y = FromOne([0] * len(x))
    for i in range(1, len(x) + 1):
        y[x[i]] = i
    return y


def counting_sort(x: Any) -> Any:
    c, y = FromOne([0] * 7), FromOne([0] * len(x))
    for i in range(1, len(x) + 1):
        c[x[i]] += 1
    for k in range(2, 8):
        c[k] += c[k - 1]
    for i in range(len(x), 0, -1):
        y[c[x[i]]] = int(x[i])
        c[x[i]] -= 1
    return y


def declaring(notation: str, given: str, result: str, lines: str) -> str:
    """A program that declares its result: behind `\\Ensure`, or in its table."""
    if notation == "docstring":
        return text_of(notation, (given, result), "x", lines)
    return f"\\Ensure ${result}$\n" + text_of(notation, (given,), "x", lines)


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize(("kind", "shift"), [(r"\{1, \dots, n\}", 0), (r"\{2, \dots, n + 1\}", 1), (r"\{0, \dots, n\}", 0)])
def test_an_inverse_permutation(kind: str, shift: int, notation: str) -> None:
    lines = f"for i = 1..n; y_{{x_i}} <- i + {shift}; end; return y"
    subject = subject_of(declaring(notation, r"x \in \{1, \dots, n\}^{n}", rf"y \in {kind}^{{n}}", lines))
    agrees(subject, lambda x: FromOne(value + shift for value in inverse(x)), lambda n, seed: (permutation(n, seed),), ragged=False)
    with pytest.raises(ValueError, match="y is assigned before it is read"):
        subject(torch.tensor([1, 1, 2]))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_counting_sort(notation: str) -> None:
    lines = (
        r"c <- \mathbf{0}_{7}; for i = 1..n; c_{x_i} <- c_{x_i} + 1; end; for k = 2..7; c_k <- c_k + c_{k-1}; end; "
        r"down i = n..1; y_{c_{x_i}} <- x_i; c_{x_i} <- c_{x_i} - 1; end; return y"
    )
    text = declaring(notation, r"x \in \{1, \dots, 7\}^{n}", r"y \in \{1, \dots, 7\}^{n}", lines)
    agrees(subject_of(text), counting_sort, lambda n, seed: (integers(1, 7, n, seed=seed),))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_rows_at_computed_places(notation: str) -> None:
    rows = (r"x \in \{1, \dots, n\}^{n}", r"z \in \{1, \dots, 5\}^{n \times 2}")
    text = text_of(notation, rows, "x, z", r"for i = 1..n; y_{x_i} <- z_i; end; return y")
    declared = r"y \in \{1, \dots, 5\}^{n \times 2}"
    text = (
        f"\\Ensure ${declared}$\n{text}" if notation == "algorithmic" else text.replace(r"\end{where}", rf"{declared} & \\ \end{{where}}")
    )
    subject, z = subject_of(text), torch.tensor([[1, 2], [3, 4], [5, 1]])
    assert subject(torch.tensor([2, 3, 1]), z).tolist() == [[5, 1], [1, 2], [3, 4]]
    with pytest.raises(ValueError, match="y is assigned before it is read"):
        subject(torch.tensor([2, 2, 1]), z)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_declared_name_that_turns_find(notation: str) -> None:
    r"""`\Ensure $k \in \{1, \dots, n\}$` says what is found, and that nothing was found is told at the call."""
    lines = "for i = 1..n; if x_i > 0; k <- i; fi; end; return k"
    subject = subject_of(declaring(notation, r"x \in \mathbb{R}^{n}", r"k \in \{1, \dots, n\}", lines))
    assert subject(torch.tensor([[0.5, -1.0, 2.0], [-1.0, 3.0, -5.0]])).tolist() == [3, 2]
    with pytest.raises(ValueError, match="k is assigned before it is read"):
        subject(torch.tensor([-1.0, -2.0]))
