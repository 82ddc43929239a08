"""Where the indices of an array count from, where no declaration says it: chains of values that keep a domain."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile

Z = torch.tensor([3.0, -5.0, 7.0, 11.0], dtype=torch.float64)
NAMES = "abcdfgkmpq"


def chain(length: int, value: str, element: str, declared: str = "k = 1, \\dots, n", backwards: bool = False) -> torch.Tensor:
    """The element of the last of several values, each of which is made from the one before; `#` is that one."""
    names = NAMES[:length]
    lines = [rf"{own} \gets {value.replace('#', before)} \\" for own, before in zip(names, "z" + names, strict=False)]
    body = "\n".join(reversed(lines) if backwards else lines)
    table = rf"\begin{{where}} z_k \in \mathbb{{R}}, {declared} & \\ \end{{where}}"
    result = compile(rf"\Module{{M}}{{z ; }} {body} \Return {element.replace('#', names[-1])} \\ \EndModule {table}")
    assert result.ok, result.diagnostics
    return result.load().M()(Z)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 10])
def test_a_chain_of_comprehensions_counts_from_where_its_source_does(length: int, backwards: bool) -> None:
    wanted = Z[0]
    for _ in range(length):
        wanted = 2 * wanted + 1
    assert chain(length, r"\{s + 1 ; s \in 2 #\}", "#[1]", backwards=backwards).item() == wanted.item()


@pytest.mark.parametrize("length", [4, 5, 9])
@pytest.mark.parametrize(
    ("value", "step"),
    [
        (r"\{s - 1 ; s \in # / 2\}", lambda z: z / 2 - 1),
        (r"\{s ; s \in -#\}", lambda z: -z),
        (r"\{s^2 / 9 ; s \in \tanh(#)\}", lambda z: torch.tanh(z) ** 2 / 9),
        (r"2 #", lambda z: 2 * z),
        (r"\{s ; s \in \{r + 1 ; r \in #\}\}", lambda z: z + 1),
        (r"\{s + #[2] ; s \in # + 0\}", lambda z: z + z[1]),
    ],
)
def test_chains_of_other_values(length: int, value: str, step: object) -> None:
    wanted = Z
    for _ in range(length):
        wanted = step(wanted)  # type: ignore[operator]
    assert chain(length, value, "#[1]").item() == pytest.approx(wanted[0].item())
    assert chain(length, value, "#[n]").item() == pytest.approx(wanted[3].item())
    assert chain(length, value, r"\sum_{k=2}^{n} #_k").item() == pytest.approx(wanted[1:].sum().item())


def test_a_chain_from_two() -> None:
    assert chain(6, r"\{s + 1 ; s \in 2 #\}", "#[2]", r"k = 2, \dots, n").item() == 64 * 3 + 63
