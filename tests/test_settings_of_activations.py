r"""Activations with their setting as a second argument, as torch's functions have it: `\operatorname{LeakyReLU}(x, 0.2)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from tests.differential import check_text
from tests.test_found_by_the_net import codes, make, module_of, procedure_of, same

X = torch.tensor([-2.0, -0.5, 0.0, 0.5, 3.0], dtype=torch.float64)
ROWS = (r"x_i \in \mathbb{R}, i = 1, \dots, n",)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        (r"\operatorname{LeakyReLU}", functional.leaky_relu),
        (r"\mathrm{leaky\_relu}", functional.leaky_relu),
        (r"\ELU", functional.elu),
        (r"\operatorname{Softplus}", functional.softplus),
    ],
)
@pytest.mark.parametrize("setting", ["0.2", "a"])
def test_a_setting_behind_the_value(name: str, meaning: Callable[[Tensor, float], Tensor], setting: str) -> None:
    whole = module_of(rf"\Return {name}(x, {setting})", header="x ; a", rows=(*ROWS, r"a \in \mathbb{R}_{>0}"))
    lines = (r"\For{$i = 1, \dots, n$}", rf"y_i \gets {name}(x_i, {setting})", r"\EndFor", r"\Return y")
    each = procedure_of(*lines, header="x ; a", rows=(*ROWS, r"a \in \mathbb{R}_{>0}"))
    for text in (whole, each):
        x, own = X.clone().requires_grad_(), X.clone().requires_grad_()
        found, wanted = make(text, a=0.2)(x), meaning(own, 0.2)
        same(found, wanted)
        weights = torch.linspace(0.5, 1.5, 5, dtype=torch.float64)
        same(*(torch.autograd.grad((value * weights).sum(), leaf)[0] for value, leaf in ((found, x), (wanted, own))))
        assert check_text(text) == 1


@pytest.mark.parametrize("name", ["relu6", "hardtanh", "hardsigmoid", "hardswish", "softsign", "tanhshrink", "hardshrink", "softshrink"])
def test_activations_by_their_names(name: str) -> None:
    spelled = [rf"\operatorname{{{name}}}", rf"\operatorname{{{name.capitalize()}}}"]
    for text in (module_of(rf"\Return {word}(x)", header="x", rows=ROWS) for word in spelled):
        x, own = X.clone().requires_grad_(), X.clone().requires_grad_()
        found, wanted = make(text)(x), getattr(functional, name)(own)
        same(found, wanted)
        same(*(torch.autograd.grad(value.sum(), leaf)[0] for value, leaf in ((found, x), (wanted, own))))
        same(make(text)(torch.stack([X, -X]))[1], getattr(functional, name)(-X))


@pytest.mark.parametrize("value", [r"\operatorname{GELU}(x, 0.2)", r"\operatorname{LeakyReLU}(x, 0.1, 0.2)", r"\operatorname{SELU}(x, 1)"])
def test_settings_that_torch_does_not_have_there(value: str) -> None:
    assert codes(module_of(rf"\Return {value}", header="x", rows=ROWS)) == ["E0602"]
