r"""Words before a definition in an algorithm are a comment: `\State Update the sum: $s \gets s + x_i$`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import mathdsl

LOOP = r"\For{$i = 1, \dots, n$} TURN \EndFor RESULT"


def program(first: str, turn: str = r"\State $s \gets s + x_i$", result: str = r"\State \Return $s$") -> str:
    loop = LOOP.replace("TURN", turn).replace("RESULT", result)
    return rf"\begin{{algorithmic}} \Require $x \in \mathbb{{R}}^n$ \State {first} {loop} \end{{algorithmic}}"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (program(r"Initialize $s \gets 2$"), 2),
        (program(r"\textbf{Initialize:} $s \gets 2$, $c \gets 1$"), 2),
        (program(r"Set $s = 2$ and $c = 1$"), 2),
        (program(r"Compute the first value, a small one: $s \gets 2$"), 2),
        (program(r"Set $s \gets 2$, then update $s \gets s + 1$"), 3),
        (program(r"Let $s = 2$.", r"\State Add the element: $s \gets s + x_i$"), 2),
        (program(r"$s \gets 2$", result=r"\State Output $s$"), 2),
        (program(r"$s \gets 2$", result=r"\State \textbf{return} $s$"), 2),
    ],
)
def test_words_before_a_definition_are_a_comment(text: str, start: float) -> None:
    module = mathdsl.load(text).Algorithm()
    x = torch.tensor([[1.0, 2.0, -4.0], [0.5, 0.0, 3.0]], dtype=torch.float64)
    torch.testing.assert_close(module(x), start + x.sum(-1))


def test_the_words_stand_in_the_code() -> None:
    assert "the running sum" in mathdsl.compile(program(r"Begin the running sum: $s \gets 0$")).source


@pytest.mark.parametrize(
    ("first", "place"),
    [
        (r"If needed, set $s \gets 0$", "If needed"),  # says when
        (r"Otherwise $s \gets 0$", "Otherwise"),
        (r"Repeat ten times $s \gets 0$", "Repeat ten times"),  # and how often
        (r"Optionally set $s \gets 0$", "Optionally set"),
        (r"s $\gets 0$", "s"),  # a symbol without its dollar signs
        (r"Set $s$ to $0$", "Set"),
        (r"Set s to $0$", "Set s to"),
    ],
)
def test_words_that_say_more_are_refused_and_nothing_else_is_told(first: str, place: str) -> None:
    text = program(first)
    found = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0228"]
    assert text[found[0].span.start : found[0].span.end] == place


@pytest.mark.parametrize(
    ("turn", "by_hand"),
    [
        (r"$s += x_i$", lambda s, x: s + x),
        (r"$s \mathrel{+}= 2 x_i - 1$", lambda s, x: s + (2 * x - 1)),
        (r"$s \mathrel{-}= x_i - 1$", lambda s, x: s - (x - 1)),
        (r"$s \mathrel{*}= x_i + 1$", lambda s, x: s * (x + 1)),
        (r"Subtract: $c \gets 2$; $s -= c x_i$", lambda s, x: s - 2 * x),
    ],
)
def test_updates(turn: str, by_hand: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    module = mathdsl.load(program(r"$s \gets 2$", rf"\State {turn}")).Algorithm()
    x = torch.tensor([[1.0, 2.0, -4.0], [0.5, 0.0, 3.0]], dtype=torch.float64)
    wanted = torch.full((2,), 2.0, dtype=torch.float64)
    for value in x.unbind(-1):
        wanted = by_hand(wanted, value)
    torch.testing.assert_close(module(x), wanted)


def test_an_element_is_updated() -> None:
    loop = r"\For{$i = 2, \dots, n$} \State $x_i += x_{i-1}$ \EndFor \State \Return $x$"
    text = rf"\begin{{algorithmic}} \Require $x \in \mathbb{{R}}^n$ {loop} \end{{algorithmic}}"
    x = torch.tensor([[1.0, 2.0, -4.0], [0.5, 0.0, 3.0]], dtype=torch.float64)
    torch.testing.assert_close(mathdsl.load(text).Algorithm()(x), x.cumsum(-1))
