r"""What a mask leaves empty beyond an example's own end: in a batch it is 0 times minus infinity, alone it is not there.

Each program runs alone and in a ragged batch with empty examples, NaN in the padding: values and gradients agree.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile

LENGTHS = (3, 1, 0, 5)
FROM = r"z_i \gets OP_{j=i}^n e_j \quad i = 1, \dots, n \\ "
MASK = r"a_{i,j} \gets \begin{cases} e_i w_j & j \geq i \\ -\infty & \text{otherwise} \end{cases} \quad i, j \in \{1, \dots, n\} \\ "


def module_of(body: str) -> str:
    rows = r"\begin{where} e_i, w_i, t_i \in \mathbb{R}, i = 1, \dots, n & \\ \end{where}"
    return rf"\Module{{F}}{{e, w, t ; }} {body} \\ \EndModule {rows}"


def arrays() -> list[list[Tensor]]:
    generator = torch.Generator().manual_seed(1)
    return [[torch.randn(n, generator=generator, dtype=torch.float64) - k for k in range(3)] for n in LENGTHS]


def padded(examples: list[list[Tensor]], position: int) -> Tensor:
    room = max(LENGTHS) + 1
    rows = [torch.nn.functional.pad(own[position], (0, room - len(own[position])), value=torch.nan) for own in examples]
    return torch.stack(rows).requires_grad_()


def gradients(value: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    if not value.requires_grad:
        return [torch.zeros_like(own) for own in inputs]
    found = torch.autograd.grad(value, inputs, allow_unused=True)
    return [torch.zeros_like(own) if one is None else one for own, one in zip(inputs, found, strict=True)]


@pytest.mark.parametrize(
    "body",
    [
        r"\Return \sum_{i=1}^n w_i \log \sum_{j=i}^{n} \exp(e_j)",
        r"\Return \sum_{i=1}^n w_i (e_i - \log \sum_{j : t_j \geq t_i} \exp(e_j))",
        r"\Return \sum_{i=1}^n w_i \log \sum_{j : t_j \leq t_i} \exp(e_j)",
        FROM.replace("OP", r"\log \sum").replace("e_j", r"\exp(e_j)") + r"\Return w^\top z",
        FROM.replace("OP", r"\max") + r"\Return \sum_i w_i z_i",
        FROM.replace("OP", r"\max") + r"\Return \sum_i z_i^2",
        FROM.replace("OP", r"\max") + r"\Return \frac{1}{1 + \sum_i z_i^2} z",
        FROM.replace("OP", r"\min") + r"\Return w \cdot z",
        FROM.replace("OP", r"\min") + r"\Return z",
        r"\Return \sum_{i=1}^n w_i \max_{j=1}^n e_i e_j",
        r"\Return \sum_{i=1}^n w_i \min_{j=1}^n (e_i - e_j)",
        r"\Return \prod_{i=1}^n (1 + w_i \max_{j=i}^n e_j)",
        r"\Return \sum_{i=1}^n w_i \begin{cases} e_i & i < 9 \\ -\infty & \text{otherwise} \end{cases}",
        MASK + r"\Return \sum_{i=1}^n w_i \max_{j=1}^n a_{i,j}",
        MASK + r"\Return \sum_{i=1}^n w_i \log \sum_{j=1}^n \exp(a_{i,j})",
        MASK + r"p_i \gets \softmax(a_i) \quad i = 1, \dots, n \\ \Return \sum_{i=1}^n \sum_{j=1}^n w_i p_{i,j} e_j",
        MASK + r"y_i \gets \sum_{j=1}^n \softmax(a_i)_j w_j \quad i = 1, \dots, n \\ \Return y",
        MASK + r"y_i \gets \sum_{j=1}^n \frac{\exp(a_{i,j})}{\sum_{k=1}^n \exp(a_{i,k})} w_j \quad i = 1, \dots, n \\ \Return y",
        r"y_i \gets \sum_{j=i}^n \frac{\exp(t_j)}{\sum_{k=i}^n \exp(t_k)} w_j \quad i = 1, \dots, n \\ \Return \sum_i e_i y_i",
        r"c_{n+1} \gets -\infty \\ c_i \gets \max(c_{i+1}, e_i) \quad i = 1, \dots, n \\ \Return \sum_{i=1}^n w_i c_i",
        r"c_{n+1} \gets -\infty \\ c_i \gets \log(\exp(c_{i+1}) + \exp(e_i)) \quad i = 1, \dots, n \\ \Return \sum_{i=1}^n w_i c_i",
        r"c_0 \gets \infty \\ c_i \gets \min(c_{i-1}, e_i) \quad i = 1, \dots, n \\ \Return \sum_{i=1}^n w_i c_i",
    ],
)
def test_a_batch_agrees_with_each_example_alone(body: str) -> None:
    result = compile(module_of(body))
    assert result.ok, [d.message for d in result.diagnostics]
    module, examples = result.load().F(), arrays()
    batch = [padded(examples, position) for position in range(3)]
    together = module(*batch, lengths=torch.tensor(LENGTHS))
    parts, total = [], together.new_zeros(())
    for number, own in enumerate(examples):
        inputs = [one.requires_grad_() for one in own]
        value = module(*inputs)
        found = together[number][: len(value)] if value.dim() else together[number]
        torch.testing.assert_close(found, value)
        parts.append(gradients(value.sum(), inputs))
        total = total + found.sum()
    for position, gradient in enumerate(gradients(total, batch)):
        for number, length in enumerate(LENGTHS):
            torch.testing.assert_close(gradient[number][:length], parts[number][position])
            assert not gradient[number][length:].any()


def test_a_partial_likelihood_is_that_of_its_formula() -> None:
    module = compile(module_of(r"\Return \sum_{i=1}^n w_i (e_i - \log \sum_{j : t_j \geq t_i} \exp(e_j))")).load().F()
    for e, w, t in arrays():
        expected = sum((w[i] * (e[i] - e[t >= t[i]].exp().sum().log()) for i in range(len(e))), torch.tensor(0.0, dtype=torch.float64))
        torch.testing.assert_close(module(e, w, t), expected)
