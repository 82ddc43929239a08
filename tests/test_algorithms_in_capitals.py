r"""The commands of the older `algorithmic` package are the twins of algpseudocode's, and loops that count down say so in words."""

from __future__ import annotations

import pytest
import torch

import mathdsl

CAPITALS = r"""
\begin{algorithmic}
\REQUIRE $x \in \mathbb{R}^{n}$
\Procedure{S}{$x$}
\STATE $s \gets 0$ \COMMENT{the sum of $x > 0$}
\FOR{RANGE}
\IF{$x_i > 0$} \STATE $s \gets 2 s + x_i$ \ELSIF{$x_i > -1$} \STATE $s \gets 3 s$ \ELSE \STATE $s \gets s - 1$ \ENDIF
\ENDFOR
\RETURN $s$
\EndProcedure
\end{algorithmic}"""
DOWN = (r"$i = n$ \textbf{downto} $1$", r"$i \gets n$ down to $1$", r"$i = n$ \textbf{down to} $1$", r"$i = n, n-1, \dots, 1$")
UP = (r"$i = 1$ \TO $n$", r"$i \gets 1$ \KwTo $n$")


def by_hand(x: torch.Tensor, step: int) -> torch.Tensor:
    s = torch.zeros(())
    for value in list(x)[::step]:
        s = 2 * s + value if value > 0 else 3 * s if value > -1 else s - 1
    return s


@pytest.mark.parametrize(("text", "step"), [*((text, -1) for text in DOWN), *((text, 1) for text in UP)])
def test_loops_in_capitals_count_as_they_are_written(text: str, step: int) -> None:
    module = mathdsl.load(CAPITALS.replace("RANGE", text)).S()
    x = torch.tensor([[1.0, -0.5, 4.0, -3.0], [-2.0, 0.5, 3.0, -0.25]], dtype=torch.float64, requires_grad=True)
    wanted = torch.stack([by_hand(row, step) for row in x])
    torch.testing.assert_close(module(x), wanted, check_dtype=False)
    torch.testing.assert_close(module(x[1]), wanted[1], check_dtype=False)
    torch.testing.assert_close(*[torch.autograd.grad(side.sum(), x)[0] for side in (module(x), wanted)])


def test_capitals_are_the_same_program_as_their_twins() -> None:
    names = {"REQUIRE": "Require", "STATE": "State", "COMMENT": "Comment", "FOR": "For", "IF": "If", "ELSIF": "ElsIf"}
    names |= {"ELSE": "Else", "ENDIF": "EndIf", "ENDFOR": "EndFor", "RETURN": "Return", "TO": "To"}
    text = CAPITALS.replace("RANGE", UP[0])
    twin = text
    for capitals, name in sorted(names.items(), key=lambda item: -len(item[0])):
        twin = twin.replace("\\" + capitals, "\\" + name)
    old, new = (mathdsl.compile(side).source.splitlines() for side in (text, twin))
    assert [line for line in old if "hash" not in line] == [line for line in new if "hash" not in line]
