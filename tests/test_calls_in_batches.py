"""Calls in a batch: of parameters and numbers, the same for all examples; of a choice whose other branch is not there everywhere."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import mathdsl

CELL = r"""
\Module{G}{s \in \mathbb{R}, q \in \mathbb{R}^d ; b \in \mathbb{R}^d}
  z \gets \tanh(s + b \cdot q) \\
  \Return z \\
\EndModule
"""
WHERE = r"""
\begin{where}
  x_t \in \mathbb{R}, t = 1, \dots, S & \\
  w \in \mathbb{R} & \\
  a \in \mathbb{R}^d & \\
  g^{\ell} \in \mathrm{G}(d), \ell = 1, \dots, 2 & \\
\end{where}
"""


def made(text: str, **sizes: Any) -> nn.Module:
    torch.manual_seed(0)
    module: nn.Module = mathdsl.compile(text).load().M(**sizes).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(-1, 1)
    return module


def check(module: Any, expected: Any) -> None:
    """Values and gradients of one example, of a batch and of a ragged batch, against each example by hand."""
    xs = [torch.tensor(row, dtype=torch.float64) for row in ([0.3, -0.7, 1.1, 0.2], [0.9, 0.4], [-0.5, 0.6, 0.8])]
    parameters = list(module.parameters())
    for x in xs:
        ours, theirs = module(x), expected(module, x)
        torch.testing.assert_close(ours, theirs)
        same_gradients(ours, theirs, parameters)
    batch = torch.stack([xs[0], -xs[0]])
    torch.testing.assert_close(module(batch), torch.stack([expected(module, x) for x in batch]))
    padded = nn.utils.rnn.pad_sequence(xs, batch_first=True, padding_value=float("nan"))
    together = module(padded, lengths=torch.tensor([4, 2, 3]))
    alone = [expected(module, x) for x in xs]
    for row, value in zip(together, alone, strict=True):
        torch.testing.assert_close(row[: len(value)] if value.dim() else row, value)
    same_gradients(together.sum(), torch.stack([value.sum() for value in alone]).sum(), parameters)


def same_gradients(ours: Tensor, theirs: Tensor, parameters: list[Tensor]) -> None:
    found, wanted = (torch.autograd.grad(value.sum(), parameters, allow_unused=True, retain_graph=True) for value in (ours, theirs))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(torch.zeros(()) if one is None else one.sum(), torch.zeros(()) if other is None else other.sum())


def g(cell: Any, s: Any, q: Tensor) -> Tensor:
    return torch.tanh(s + cell.b @ q)


def test_a_stacks_element_beside_a_base_case() -> None:
    program = r"""\Module{M}{x ; w, g}
  c_0 \gets w \\
  c_t \gets g^2(0.5, \{1 - \sigma(w)\}^{d}) \quad (t = 1, \dots, S) \\
  \Return \sum_{t=1}^{S} x_t c_t \\
\EndModule"""

    def expected(m: Any, x: Tensor) -> Tensor:
        return x.sum() * g(m.g[1], 0.5, (1 - torch.sigmoid(m.w)).expand(3))

    check(made(CELL + program + WHERE.replace("  a \\in \\mathbb{R}^d & \\\\\n", ""), d=3), expected)


def test_a_stacks_element_of_a_parameter() -> None:
    program = r"""\Module{M}{x ; w, a, g}
  c \gets g^1(w, a) \\
  \Return (c x_t)_{t=1}^{S} \\
\EndModule"""
    check(made(CELL + program + WHERE, d=3), lambda m, x: g(m.g[0], m.w, m.a) * x)


def test_a_result_that_is_handed_on() -> None:
    program = r"""\Module{M}{x ; w, a, g}
  c \gets g^1(w, a) \\
  k \gets g^2(c, a) \\
  \Return \sum_{t=1}^{S} x_t k \\
\EndModule"""
    check(made(CELL + program + WHERE, d=3), lambda m, x: x.sum() * g(m.g[1], g(m.g[0], m.w, m.a), m.a))


def test_results_of_parameters_and_of_inputs_in_one_family() -> None:
    program = r"""\Module{M}{x ; w, a, g}
  c_t \gets \begin{cases} g^1(w, a) & t = 1 \\ g^2(x_t, a) + c_{t-1} & otherwise \end{cases} \quad (t = 1, \dots, S) \\
  \Return c \\
\EndModule"""

    def expected(m: Any, x: Tensor) -> Tensor:
        found = [g(m.g[0], m.w, m.a)]
        for t in range(1, len(x)):
            found.append(g(m.g[1], x[t], m.a) + found[-1])
        return torch.stack(found)

    check(made(CELL + program + WHERE, d=3), expected)


def test_an_opaque_module_of_a_parameter() -> None:
    program = r"""\Module{M}{x ; D, a}
  v \gets D(a) \\
  \Return (v \cdot a + x_t)_{t=1}^{S} \\
\EndModule
\begin{where}
  x_t \in \mathbb{R}, t = 1, \dots, S & \\
  a \in \mathbb{R}^d & \\
\end{where}"""
    check(made(program, d=3, D=nn.Linear(3, 3)), lambda m, x: m.D(m.a) @ m.a + x)


@pytest.mark.parametrize("layer", ["LayerNorm", "Linear"])
def test_a_layer_of_a_parameter(layer: str) -> None:
    kind = {"LayerNorm": r"\mathrm{LayerNorm}(d)", "Linear": r"\mathrm{Linear}(d, d)"}[layer]
    program = rf"""\Module{{M}}{{x ; D \in {kind}, a}}
  v \gets D(a) \\
  \Return (v \cdot a + x_t)_{{t=1}}^{{S}} \\
\EndModule
\begin{{where}}
  x_t \in \mathbb{{R}}, t = 1, \dots, S & \\
  a \in \mathbb{{R}}^d & \\
\end{{where}}"""
    check(made(program, d=3), lambda m, x: m.D(m.a) @ m.a + x)


def test_a_batch_of_as_many_examples_as_features() -> None:
    """Where both are 3, a result that was taken for a row of the batch gave another number without a word."""
    program = r"""\Module{M}{x ; D \in \mathrm{LayerNorm}(3), a \in \mathbb{R}^3, u \in \mathbb{R}^3}
  v \gets D(a) \\
  \Return (v \cdot u) x \\
\EndModule
\begin{where}
  x \in \mathbb{R}^3 & \\
\end{where}"""
    module = made(program)
    x = torch.randn(3, 3, dtype=torch.float64)
    torch.testing.assert_close(module(x), nn.functional.layer_norm(module.a, (3,), module.D.weight, module.D.bias) @ module.u * x)


CHOICES = {
    "or": (r"t \leq 2 \lor x_{t-2} < 0.1", lambda t, x: t <= 2 or x[t - 3] < 0.1),
    "and": (r"t = 1 \land x_t < 5", lambda t, x: t == 1),
    "not": (r"\lnot (t > 1 \land x_{t-1} \geq 0.1)", lambda t, x: not (t > 1 and x[t - 2] >= 0.1)),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_an_argument_chooses_what_is_not_there_everywhere(choice: str) -> None:
    condition, holds = CHOICES[choice]
    program = rf"""\Module{{M}}{{x ; a, g}}
  c_t \gets g^2(\begin{{cases}} 0.5 & {condition} \\ x_{{t-1}} & t = 2 \\ x_t & otherwise \end{{cases}}, a) \quad (t = 1, \dots, S) \\
  \Return c \\
\EndModule"""

    def expected(m: Any, x: Tensor) -> Tensor:
        values = [torch.tensor(0.5) if holds(t, x) else x[0] if t == 2 else x[t - 1] for t in range(1, len(x) + 1)]
        return torch.stack([g(m.g[1], value, m.a) for value in values])

    module = made(CELL + program + WHERE.replace("  w \\in \\mathbb{R} & \\\\\n", ""), d=3)
    check(module, expected)
    one = torch.tensor([0.7], dtype=torch.float64)
    torch.testing.assert_close(module(one), expected(module, one))


def test_an_argument_with_axes_of_its_own_chooses() -> None:
    program = r"""\Module{M}{x ; g}
  c_t \gets g^1(x_t, (\begin{cases} x_{t-k} & t > k \land x_t < 1 \\ 0 & otherwise \end{cases})_{k=1}^{3}) \quad (t = 1, \dots, S) \\
  \Return c \\
\EndModule"""

    def expected(m: Any, x: Tensor) -> Tensor:
        rows = [
            [x[t - k - 1] if t > k and x[t - 1] < 1 else torch.zeros((), dtype=torch.float64) for k in range(1, 4)]
            for t in range(1, len(x) + 1)
        ]
        return torch.stack([g(m.g[0], x[t], torch.stack(row)) for t, row in enumerate(rows)])

    where = WHERE.replace("  w \\in \\mathbb{R} & \\\\\n  a \\in \\mathbb{R}^d & \\\\\n", "").replace(r"\mathrm{G}(d)", r"\mathrm{G}(3)")
    check(made(CELL + program + where), expected)
