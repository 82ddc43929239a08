"""Examples without any element in a ragged batch: they give what they give alone, and their gradients are numbers."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile

BODIES = {
    "a sum of nothing as a divisor": r"a_j \gets x_j / \sum_{l=1}^{m} x_l \quad (j = 1, \dots, m) \\ \Return \sum_{j=1}^{m} a_j v_j \\",
    "the divisor has a name": r"Z \gets \sum_{l=1}^{m} x_l \\ \Return \sum_{j=1}^{m} \frac{x_j}{Z} v_j \\",
    "the factor has a name": r"z \gets 1 / \sum_{l=1}^{m} x_l \\ \Return \sum_{j=1}^{m} z x_j v_j \\",
    "a summand has a name": r"z \gets \log \sum_{l=1}^{m} x_l \\ \Return \sum_{j=1}^{m} (x_j + z) v_j \\",
    "the factor is hoisted": r"\Return \sum_{j=1}^{m} \frac{1}{\sum_{l=1}^{m} x_l} x_j v_j \\",
    "a root of nothing": r"s \gets \sum_{l=1}^{m} x_l^2 \\ \Return \sum_{j=1}^{m} \sqrt{s} x_j v_j \\",
    "a mean": r"\Return \sum_{j=1}^{m} (x_j - \frac{1}{m} \sum_{l=1}^{m} x_l) v_j \\",
    "a divisor that is an input": r"\Return \sum_{j=1}^{m} \frac{x_j}{n} v_j \\",
    "the last element in each summand": r"\Return \sum_{j=1}^{m} e^{x_j - x_m} v_j \\",
    "a product of all": r"\Return \prod_{j=1}^{m} \frac{x_j + 1}{\sum_{l=1}^{m} x_l} \\",
    "an element of the result": r"y_j \gets v_j / \sum_{l=1}^{m} x_l \quad (j = 1, \dots, m) \\ \Return y \\",
}
TABLE = r"x_j \in \mathbb{R}, j = 1, \dots, m & \\ v_j \in \mathbb{R}, j = 1, \dots, m & \\ n \in \mathbb{R} & \\"


@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_an_example_without_elements_changes_nothing(body: str) -> None:
    result = compile(rf"\Module{{F}}{{x, v, n ; }} {body} \EndModule \begin{{where}} {TABLE} \end{{where}}")
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().F()
    lengths = torch.tensor([0, 2, 3])
    x, v, n = torch.rand(3, 4, dtype=torch.float64) + 0.5, torch.rand(3, 4, dtype=torch.float64), torch.tensor([0.0, 2.0, 3.0]).double()
    for k, length in enumerate(lengths):
        x[k, length:] = v[k, length:] = torch.nan
    together = _value_and_gradients(module, x, v, n, lengths=lengths)
    for k, length in enumerate(lengths):
        alone = _value_and_gradients(module, x[k, :length], v[k, :length], n[k])
        for ours, theirs in zip(together, alone, strict=True):
            wanted = torch.zeros_like(ours[k])
            wanted[tuple(slice(0, extent) for extent in theirs.shape)] = theirs
            torch.testing.assert_close(ours[k], wanted)


def _value_and_gradients(module: torch.nn.Module, *inputs: torch.Tensor, **more: torch.Tensor) -> list[torch.Tensor]:
    leaves = [value.clone().requires_grad_() for value in inputs]
    value = module(*leaves, **more)
    found = torch.autograd.grad(value.sum(), leaves, allow_unused=True)
    return [value.detach(), *(torch.zeros_like(leaf) if g is None else g for leaf, g in zip(leaves, found, strict=True))]
