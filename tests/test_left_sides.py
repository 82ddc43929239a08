r"""Left sides of several words: elements of what a function gives, `f(z)_i`, and words that hold their arguments."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl import compile

FAMILY = r"x_i \in \mathbb{R}, i = 1, \dots, n & \\"
SEQUENCE = r"x_t \in \mathbb{R}, t = 1, \dots, T & \\"
MATRIX = r"x_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n & \\"
OVER = r" \quad (i = 1, \dots, n)"


def module(*lines: str, header: str = "x ; ", rows: str = FAMILY) -> str:
    body = " ".join(rf"{line} \\" for line in lines)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {rows} \end{{where}}"


def docstring(*lines: str, rows: str = SEQUENCE) -> str:
    body = "".join(rf"& {line} \\" + "\n" for line in lines)
    return "\\algoProc{\\F}\\pa{x} \\\\\n" + body + rf"\algoEndProc \\ \begin{{where}} {rows} \end{{where}}"


def algorithm(*lines: str, required: str = r"$x_t \in \mathbb{R}, t = 1, \dots, T$") -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    return f"\\begin{{algorithmic}}\n\\Require {required}\n\\Procedure{{F}}{{$x$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


def check(text: str, expected: Callable[[Tensor], Tensor], *shape: int) -> None:
    """Values, gradients and a batch, against plain torch."""
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    subject, x = result.load().F().double(), numbers(*(shape or (4,)))
    ours, wanted = x.clone().requires_grad_(), x.clone().requires_grad_()
    torch.testing.assert_close(subject(ours), expected(wanted))
    found, right = (torch.autograd.grad(value.square().sum(), at)[0] for value, at in ((subject(ours), ours), (expected(wanted), wanted)))
    torch.testing.assert_close(found, right)
    torch.testing.assert_close(subject(torch.stack([x, x + 1])), torch.stack([expected(x), expected(x + 1)]))


def errors(text: str) -> list[tuple[str, str, str]]:
    return [(d.code, d.message, d.help) for d in compile(text).diagnostics if d.severity == "error"]


# ---- words with arguments ------------------------------------------------------------------------


def test_a_bar_in_the_parenthesis_of_a_name_is_a_condition() -> None:
    found = errors(module(r"\Return p(2 | x_1)"))
    assert found[0][:2] == ("E0701", "a conditional probability is not supported yet")
    check(module(r"f(a) \gets 2 a", r"\Return f(x_1 |x_2|)"), lambda x: 2 * x[0] * x[1].abs())


def test_a_word_with_its_arguments_inside() -> None:
    check(module(r"\text{ent(x)} \gets -\sum_{i=1}^{n} x_i \log x_i", r"\Return 2 + \text{ent(x)}"), lambda x: 2 - (x * x.log()).sum())
    check(module(r"\text{f(a, b)} \gets a + 2 b", r"\Return \text{f}(x, x_1)"), lambda x: x + 2 * x[0])


@pytest.mark.parametrize("line", [r"y \gets x \quad \text{ReLU(x)}", r"y \gets 2 \text{ReLU(x)}"])
def test_a_word_with_its_arguments_behind_a_value_is_no_factor(line: str) -> None:
    assert errors(module(line, r"\Return y"))


@pytest.mark.parametrize("name", [r"\tilde{p}'", r"\tilde{p'}", r"\tilde{p}^{\prime}", r"\hat{\tilde{p}}''", "p'"])
def test_a_prime_behind_an_accent_is_a_part_of_the_name(name: str) -> None:
    halves = rf"{name}_{{2t}} \gets x_t{OVER}", rf"{name}_{{2t-1}} \gets 2 x_t{OVER}"
    loop = (r"\For{$t = 1, \dots, T$}", rf"${name}_{{2t}} \gets x_t$", rf"${name}_{{2t-1}} \gets 2 x_t$", r"\EndFor", rf"\Return ${name}$")
    texts = module(
        *(half.replace("= 1, \\dots, n", "= 1, \\dots, T").replace("(i", "(t") for half in halves), rf"\Return {name}", rows=SEQUENCE
    )
    for text in (texts, algorithm(*loop)):
        subject = compile(text).load().F()
        x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)
        wanted = torch.stack([2 * x, x], -1).flatten(1)
        torch.testing.assert_close(subject(x), wanted)
        torch.testing.assert_close(torch.autograd.grad(subject(x).sin().sum(), x), torch.autograd.grad(wanted.sin().sum(), x))
        ragged = subject(x, lengths=torch.tensor([1, 3]))
        torch.testing.assert_close(ragged[0], torch.cat([wanted[0, :2], torch.zeros(4, dtype=torch.float64)]))
