r"""Texts that compile and mean something else: each with the meaning that it is to get, or with the refusal that is due until then."""

from __future__ import annotations

import pytest
import torch

import mathdsl


@pytest.mark.xfail(strict=True, reason="the first index of what an argmax runs over does not meet that of the token before it")
def test_a_token_that_is_chosen_and_looked_up_again_counts_as_its_declaration_says() -> None:
    text = r"""\begin{algorithmic} \Require $y_0 \in \{0, \dots, V-1\}$, $T \in \mathbb{N}$, $E, Q \in \mathbb{R}^{V \times 2}$
    \Procedure{F}{$y_0$} \For{$t = 1, \dots, T$} \State $z_t \gets -Q E[y_{t-1}]$ \State $y_t \gets \arg\max_k z_{t,k}$ \EndFor
    \State \Return $y$ \EndProcedure \end{algorithmic}"""
    result = mathdsl.compile(text)
    if not result.ok:
        return
    made = result.load().F(V=3, T=2)
    chosen = [torch.tensor(2)]
    for _ in range(2):
        chosen.append((-made.Q @ made.E[chosen[-1]]).argmax())
    torch.testing.assert_close(made(torch.tensor(2)).long()[-2:], torch.stack(chosen[1:]))
