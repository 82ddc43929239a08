r"""Values that plain numbers define are scalars; reserved letters beside families and names of their own; what tables state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl
from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.differential import check_text
from tests.test_arrays_executed import algorithmic


def compiled(text: str, name: str = "-") -> CompileResult:
    return compile_files([SourceFile(name, text)])


def errors(text: str) -> list[tuple[str, str, str]]:
    return [(d.code, d.message, d.help) for d in compiled(text).diagnostics if d.severity == "error"]


def make(text: str, **sizes: Any) -> Any:
    """An instance of the last class of a text, in double precision."""
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    module = result.load().M(**sizes).double()
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    return module


def numbers(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.rand(*shape, generator=generator, dtype=torch.float64) - 0.3


def same(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


def module_of(*statements: str, header: str = r"x \in \mathbb{R}^d ;") -> str:
    return rf"\Module{{M}}{{{header}}}" + "\n" + "".join(rf"{s} \\" + "\n" for s in statements) + r"\EndModule"


def procedure_of(*lines: str, header: str = "x", require: str = r"x \in \mathbb{R}^{T \times d}") -> str:
    states = (line if line.startswith(("\\For", "\\End", "\\If", "\\El")) else rf"\State ${line}$" for line in lines)
    return rf"\Procedure{{M}}{{${header}$}}" + "\n" + rf"\Require ${require}$" + "\n" + "\n".join(states) + "\n" + r"\EndProcedure"


# ---- plain numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statements", "factor"),
    [
        ((r"c \gets 2", r"\Return c \cdot x"), 2.0),
        ((r"\alpha \gets 0.5", r"\Return \alpha x"), 0.5),
        ((r"\eta \gets 10^{-3}", r"\Return \eta x"), 1e-3),
        ((r"s \gets -\frac{1}{2}", r"\Return s x"), -0.5),
        ((r"C \gets 3", r"\Return C x"), 3.0),
        ((r"a \gets 2", r"b \gets a", r"\Return b \cdot a x"), 4.0),
        ((r"a \gets \begin{cases} 2 & d > 1 \\ 3 & \text{otherwise} \end{cases}", r"\Return a x"), 2.0),
        ((r"z \gets 0", r"\Return z x"), 0.0),
        ((r"(a, b) \gets (2, 3)", r"\Return a x + b x"), 5.0),
        ((r"a \gets 2", r"\Return a^2 \cdot x"), 4.0),
        ((r"\tau \gets 4", r"\Return \frac{x}{\tau} \cdot \tau"), 1.0),
    ],
)
def test_a_value_that_is_a_number_scales(statements: tuple[str, ...], factor: float) -> None:
    text = module_of(*statements)
    x = numbers(2, 3).requires_grad_()
    y = make(text)(x)
    same(y, factor * x)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    same(gradient, torch.full((2, 3), factor, dtype=torch.float64))
    assert not [d for d in compiled(text).diagnostics if d.code == "N0301"]
    check_text(text)


def test_a_counter_is_a_number() -> None:
    text = procedure_of(
        r"n \gets 0",
        r"\For{$t = 1, \dots, T$}",
        r"n \gets n + 1",
        r"\EndFor",
        r"\Return n v",
        header="x, v",
        require=r"x \in \mathbb{R}^T, v \in \mathbb{R}^d",
    )
    same(make(text)(numbers(5), numbers(3)), 5 * numbers(3))
    lengths = {"T": torch.tensor([2, 5]), "d": torch.tensor([3, 3])}
    same(make(text)(numbers(2, 5), numbers(2, 3), lengths=lengths), torch.tensor([[2.0], [5.0]], dtype=torch.float64) * numbers(2, 3))


def test_two_numbers_that_feed_each_other() -> None:
    lines = (
        r"a \gets 1",
        r"b \gets 1",
        r"\For{$t = 1, \dots, T$}",
        r"c \gets a + b",
        r"a \gets b",
        r"b \gets c",
        r"\EndFor",
        r"\Return b x_1",
    )
    x = numbers(4, 3)
    same(make(procedure_of(*lines))(x), 8 * x[0])  # 2, 3, 5, 8


def test_a_sum_of_inner_products_from_zero_is_a_number() -> None:
    lines = (r"s \gets 0", r"\For{$t = 1, \dots, T$}", r"s \gets s + w \cdot x_t", r"\EndFor", r"\Return s w")
    text = procedure_of(*lines, header="x, w", require=r"x \in \mathbb{R}^{T \times d}, w \in \mathbb{R}^d")
    x, w = numbers(4, 3), numbers(3).requires_grad_()
    y = make(text)(x, w)
    same(y, (x @ w).sum() * w)
    wanted = torch.autograd.grad(((x @ w).sum() * w).sum(), w)
    same(torch.autograd.grad(y.sum(), w)[0], wanted[0])
    check_text(text)


def test_numbers_of_branches() -> None:
    lines = (
        r"n \gets 0",
        r"c \gets 1",
        r"\If{$x_1 > 0$}",
        r"n \gets n + c",
        r"c \gets 3",
        r"\Else",
        r"c \gets n",
        r"\EndIf",
        r"\Return n x + c \cdot x",
    )
    text = procedure_of(*lines, require=r"x \in \mathbb{R}^{d}")
    x = torch.tensor([[1.0, 2.0], [-1.0, 2.0]], dtype=torch.float64)
    same(make(text)(x), torch.tensor([[4.0], [0.0]], dtype=torch.float64) * x)
    check_text(text)


@pytest.mark.parametrize("start", ["0", "1"])
def test_a_number_that_a_loop_carries_beside_vectors_fills_one(start: str) -> None:
    lines = (
        rf"v \gets {start}",
        r"\beta \gets 0.9",
        r"\For{$t = 1, \dots, T$}",
        r"v \gets \beta v + (1 - \beta) x_t",
        r"\EndFor",
        r"\Return v",
    )
    text = procedure_of(*lines)
    x = numbers(2, 4, 3)
    wanted = torch.full((2, 3), float(start), dtype=torch.float64)
    for t in range(4):
        wanted = 0.9 * wanted + 0.1 * x[:, t]
    same(make(text)(x), wanted)
    check_text(text)


def test_a_carried_number_that_would_become_a_vector_and_then_a_number_is_refused() -> None:
    lines = (r"s \gets 1", r"\For{$t = 1, \dots, T$}", r"s \gets s \cdot x_t", r"\EndFor", r"\Return s")
    assert [code for code, *_ in errors(procedure_of(*lines))] == ["E0401"]


def test_a_zero_behind_a_matrix_is_a_vector_of_zeros() -> None:
    text = module_of(r"h \gets 0", r"\Return \tanh(W h + U x + b)", header=r"x \in \mathbb{R}^d ; W, U, b")
    module = make(text, d=3, d_h=2, d_W=4)
    x = numbers(3)
    same(module(x), torch.tanh(module.U @ x + module.b))


def test_a_number_left_or_right_of_a_matrix_scales_it() -> None:
    text = module_of(r"c \gets 2", r"\Return W c x + c W x", header=r"x \in \mathbb{R}^d ; W \in \mathbb{R}^{m \times d}")
    module = make(text, d=3, m=2)
    x = numbers(3)
    same(module(x), 4 * (module.W @ x))


def test_a_number_in_brackets_is_one_element() -> None:
    same(
        make(module_of(r"c \gets 2", r"\Return [c, x]"))(torch.ones(2, dtype=torch.float64)), torch.tensor([2.0, 1, 1], dtype=torch.float64)
    )


@pytest.mark.parametrize("value", [r"c || x", r"\sum_i c_i x_i"])
def test_a_number_is_no_array(value: str) -> None:
    ((code, message, help),) = errors(module_of(r"c \gets 2", rf"\Return {value}"))
    assert (code, message) == ("E0402", "`c` is a number, and an array is wanted here")
    assert r"c \in \mathbb{R}^{d}" in help
    x = numbers(3)
    declared = r"\begin{where} c \in \mathbb{R}^d \\ \end{where}" + "\n"
    wanted = torch.cat([torch.full((3,), 2.0, dtype=torch.float64), x]) if "||" in value else 2 * x.sum()
    same(make(module_of(declared + r"c \gets 2", rf"\Return {value}"))(x), wanted)
    if "||" not in value:
        same(make(module_of(r"c \gets 2 \mathbf{1}", rf"\Return {value}"))(x), wanted)


@pytest.mark.parametrize("value", [r"\mathbf{1}", "0"])
def test_a_constant_whose_size_nothing_tells_is_refused(value: str) -> None:
    assert [code for code, *_ in errors(module_of(rf"z \gets {value}", r"\Return z || x"))] == ["E0405"]


def test_bold_constants_take_their_shape_from_use() -> None:
    x = numbers(3)
    same(make(module_of(r"c \gets \mathbf{1}", r"\Return c \cdot x"))(x), x.sum())


def test_a_common_number_at_each_example_s_length() -> None:
    lines = (r"n \gets 0", r"\For{$t = 1, \dots, T$}", r"n \gets n + 2", r"\EndFor", r"\Return n")
    module = make(procedure_of(*lines))
    assert module(numbers(3, 4, 2)).tolist() == [8, 8, 8]
    lengths = torch.tensor([0, 1, 4])
    assert module(numbers(3, 4, 2), lengths=lengths).tolist() == [0, 2, 8]


# ---- reserved letters ------------------------------------------------------------------------


def family(letter: str, *more: str) -> str:
    return module_of(rf"{letter}_k \gets x_k^2 \quad (k = 0, \dots, d-1)", *more)


@pytest.mark.parametrize(
    ("letter", "value", "wanted"),
    [
        (r"\pi", r"\sum_{k=0}^{d-1} \frac{\pi_k}{\sqrt{2\pi}}", lambda x: (x**2).sum() / math.sqrt(2 * math.pi)),
        (r"\pi", r"2\pi \cdot \pi_0 x", lambda x: 2 * math.pi * x[0] ** 2 * x),
        (r"\pi", r"\pi_1 x / (2 \pi^2)", lambda x: x[1] ** 2 * x / (2 * math.pi**2)),
        (r"\pi", r"(2 \cdot \pi) x + \pi_0", lambda x: 2 * math.pi * x + x[0] ** 2),
        (r"\pi", r"\frac{1}{2} \pi x + \pi_0", lambda x: 0.5 * math.pi * x + x[0] ** 2),
        (r"\sigma", r"\sum_{k=0}^{d-1} \sigma_k \sigma(x_k)", lambda x: (x**2 * torch.sigmoid(x)).sum()),
        (r"\sigma", r"\sigma_0 \sigma(x)^2", lambda x: x[0] ** 2 * torch.sigmoid(x) ** 2),
        (r"\sigma", r"\sigma\left(\sigma_0 x\right)", lambda x: torch.sigmoid(x[0] ** 2 * x)),
        (r"\Gamma", r"\Gamma_0 \Gamma(x + 3)", lambda x: x[0] ** 2 * torch.lgamma(x + 3).exp()),
        ("e", r"\sum_{k=0}^{d-1} e_k e^{x_k}", lambda x: (x**2 * x.exp()).sum()),
        ("e", r"e^{-e_0} x", lambda x: (-(x[0] ** 2)).exp() * x),
        ("e", r"e_0 e^{2} x", lambda x: x[0] ** 2 * math.e**2 * x),
        ("I", r"I_0 x + I_1 x", lambda x: (x[0] ** 2 + x[1] ** 2) * x),
    ],
)
def test_a_family_takes_nothing_from_the_bare_letter(letter: str, value: str, wanted: Callable[[Tensor], Tensor]) -> None:
    text = family(letter, rf"\Return {value}")
    x = numbers(3).requires_grad_()
    y = make(text)(x)
    same(y, wanted(x))
    same(torch.autograd.grad(y.sum(), x)[0], torch.autograd.grad(wanted(x).sum(), x)[0])
    if "_1" not in value:  # which an example of one element does not have
        check_text(text)


@pytest.mark.parametrize("owner", ["declared", "header"])
def test_a_declared_family_beside_the_number(owner: str) -> None:
    if owner == "declared":
        text = module_of(
            r"\Return \sum_{k=0}^{d-1} \pi_k x_k / (2\pi)", header=r"x \in \mathbb{R}^{d}; \pi_k \in \mathbb{R}, k = 0, \dots, d-1"
        )
        module = make(text, d=3)
        same(module(numbers(3)), (module.pi * numbers(3)).sum() / (2 * math.pi))
    else:
        require = r"x \in \mathbb{R}^{d}, \pi_k \in \mathbb{R}, k = 1, \dots, d"
        text = procedure_of(r"\Return \sum_{k=1}^d \pi_k x_k / \sqrt{2 \pi}", header=r"x, \pi", require=require)
        same(make(text)(numbers(3), numbers(3)), (numbers(3) ** 2).sum() / math.sqrt(2 * math.pi))


@pytest.mark.parametrize(
    ("letter", "value"),
    [
        (r"\pi", r"\pi \cdot x"),
        (r"\pi", r"\pi"),
        (r"\pi", r"x / \pi"),
        ("e", "e x"),
        ("I", "I x"),
        (r"\sigma", r"\sigma x"),
        (r"\sigma", r"\sigma \odot x"),
    ],
)
def test_a_bare_letter_of_a_family_elsewhere_has_two_readings(letter: str, value: str) -> None:
    ((code, message, help),) = errors(family(letter, rf"\Return {value}"))
    assert (code, message.endswith(f"or what this program calls `{letter}`")) == ("E0304", True)
    assert rf"`({letter}_k)_{{k=1}}^{{n}}`" in help


def test_the_whole_of_a_family_as_its_help_says() -> None:
    same(make(family(r"\pi", r"\Return (\pi_k)_{k=0}^{d-1} \odot x"))(numbers(3)), numbers(3) ** 3)


@pytest.mark.parametrize(
    ("statement", "value", "wanted"),
    [
        (r"e \gets x_0", "e x", lambda x: x[0] * x),
        (r"\pi \gets x[1]", r"\pi x", lambda x: x[1] * x),
        (r"\sigma \gets x_0", r"\frac{x}{\sigma}", lambda x: x / x[0]),
        (r"\sigma \gets x_0", r"\sigma^2 \cdot x", lambda x: x[0] ** 2 * x),
        (r"\Gamma \gets x \odot x", r"\Gamma \cdot x", lambda x: (x**3).sum()),
        (r"I \gets 2", "I x", lambda x: 2 * x),
        (r"(e, r) \gets (x_0, x_1)", "e x + r", lambda x: x[0] * x + x[1]),
    ],
)
def test_a_bare_letter_that_is_defined_is_the_author_s(statement: str, value: str, wanted: Callable[[Tensor], Tensor]) -> None:
    text = module_of(statement, rf"\Return {value}")
    same(make(text)(numbers(3)), wanted(numbers(3)))
    if "_1" not in statement and "[1]" not in statement:  # which an example of one element does not have
        check_text(text)


@pytest.mark.parametrize(
    ("header", "statements"),
    [
        (r"x \in \mathbb{R}^{d} ;", (r"e \gets x_0", r"\Return e^{-x} + e")),
        (r"x \in \mathbb{R}^{d}, e \in \mathbb{R} ;", (r"\Return e^{2} x",)),
        (r"x \in \mathbb{R}^{d} ; \sigma \in \mathbb{R}, W \in \mathbb{R}^{m \times d}", (r"\Return \sigma(W x)",)),
        (r"x \in \mathbb{R}^{d} ;", (r"\Gamma \gets x_0", r"\Return \Gamma(x)")),
        (r"x \in \mathbb{R}^{d}, \pi \in \mathbb{R}^d ;", (r"\Return \pi \cdot x + 2\pi",)),
        (r"x, \pi \in \mathbb{R}^{d} ;", (r"\Return \sum_k \pi_k \frac{x_k}{\sqrt{2\pi}}",)),
        (r"x \in \mathbb{R}^{d} ;", (r"f(\sigma) \gets \sigma(x)", r"\Return f(x)")),
    ],
)
def test_a_letter_of_the_author_s_in_its_reserved_meaning_is_refused(header: str, statements: tuple[str, ...]) -> None:
    found = errors(module_of(*statements, header=header))
    assert {code for code, *_ in found} == {"E0304"}, found


def test_what_the_help_says_instead_of_a_reserved_letter() -> None:
    header = r"x \in \mathbb{R}^{d}, e \in \mathbb{R}, \sigma \in \mathbb{R}, \pi \in \mathbb{R} ;"
    value = r"\Return e \cdot \exp(-x) + \sigma \cdot \Sigmoid(x) + \pi \cdot 3.141592653589793 x"
    x, e, sigma, pi = numbers(3), numbers(1)[0], numbers(2)[0], numbers(4)[0]
    same(make(module_of(value, header=header))(x, e, sigma, pi), e * (-x).exp() + sigma * x.sigmoid() + pi * math.pi * x)


@pytest.mark.parametrize("letter", ["e", "I", r"\pi", r"\sigma", r"\Gamma"])
def test_an_index_never_takes_a_reserved_letter(letter: str) -> None:
    for text in (
        module_of(rf"\Return \sum_{{{letter}=0}}^{{d-1}} x_{{{letter}}}"),
        module_of(rf"y_{{{letter}}} \gets x_{{{letter}}} \quad ({letter} = 0, \dots, d-1)", r"\Return y"),
        procedure_of(rf"\For{{${letter} = 1, \dots, T$}}", rf"y_{{{letter}}} \gets x_{{{letter}}}", r"\EndFor", r"\Return y"),
    ):
        assert "E0308" in {code for code, *_ in errors(text)}


def test_reserved_letters_that_nothing_takes_keep_their_meaning() -> None:
    text = module_of(r"\Return \sigma(x) \odot e^{-x} + 2\pi \Gamma(x + 3) + I x")
    x = numbers(3)
    same(make(text)(x), x.sigmoid() * (-x).exp() + 2 * math.pi * torch.lgamma(x + 3).exp() + x)


# ---- names in Python -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "python"),
    [
        ("f'", "f_prime"),
        ("f''", "f_prime_prime"),
        (r"\hat f", "f_hat"),
        ("f_{a}", "f_a"),
        (r"f_{a,b}", "f_a_b"),
        (r"f_{\alpha}", "f_alpha"),
        (r"\mathbf{f}", "f"),
        (r"\mathcal{F}_{\mathrm{in}}'", "F_prime_in"),
        (r"\mathrm{class}", "class_"),
        (r"\operatorname{LayerN}", "LayerN"),
    ],
)
def test_functions_in_python_have_their_accents_primes_and_labels_behind(written: str, python: str) -> None:
    [line] = [line for line in (compiled(rf"{written}(x) \gets 2 x \\").source or "").splitlines() if line.startswith("def ")][:1]
    assert line.startswith(f"def {python}(")


def test_what_stands_for_the_elements_of_a_primed_name_is_primed() -> None:
    text = r"\Module{M}{S \in \mathbb{R}^{n \times 3} ; g'} \Return \{ g'(s') + 1 ; s' \in 2 S \} \\ \EndModule"
    assert "s_prime" in (compiled(text).source or "")


CHANGED = ["for k = 1..n", "c_k <- x_k", "end", "for t = 1..2", "for k = 1..n", "c_k <- c_k x_k", "end", "end"]
BESIDE = {
    "pi, a number": (
        r"\pi",
        r"2 \pi^2 - 2 \pi + \sum_k \frac{c_k}{\sqrt{2 \pi x_k}}",
        lambda x, c: 2 * math.pi**2 - 2 * math.pi + (c / (2 * math.pi * x) ** 0.5).sum(),
    ),
    "e, a base": ("e", "e^{x_1} + \\sum_k e^{-c_k}", lambda x, c: x[0].exp() + (-c).exp().sum()),
    "sigma, a function": (
        r"\sigma",
        r"2 \sigma(x_1) + \sum_k \sigma(x_k)^2 c_k",
        lambda x, c: 2 * x[0].sigmoid() + (x.sigmoid() ** 2 * c).sum(),
    ),
    "all of it": (r"\pi", r"(c_k)_{k=1}^{n}", lambda x, c: c),
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_reserved_letter_beside_elements_that_statements_change(name: str) -> None:
    letter, value, meaning = BESIDE[name]
    text = algorithmic(r"x \in \mathbb{R}^{n}", "x", [line.replace("c_k", f"{letter}_k") for line in (*CHANGED, f"return {value}")])
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    x = torch.tensor([[0.5, 1.5, 0.25], [1.0, 0.75, 2.0]], dtype=torch.float64, requires_grad=True)
    found, wanted = result.load().F()(x), torch.stack([meaning(row, row**3) for row in x])
    torch.testing.assert_close(found, wanted)
    slopes = [torch.autograd.grad(out.square().sum(), x)[0] for out in (found, wanted)]
    torch.testing.assert_close(*slopes)


@pytest.mark.parametrize("value", [r"\pi", r"\pi \odot x", r"x + \pi / 2"])
def test_a_reserved_letter_alone_beside_elements_that_statements_change(value: str) -> None:
    text = algorithmic(r"x \in \mathbb{R}^{n}", "x", [line.replace("c_k", r"\pi_k") for line in (*CHANGED, f"return {value}")])
    (found,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert found.code == "E0304"
    offered = text.replace(rf"\Return ${value}", r"\Return $" + value.replace(r"\pi", r"(\pi_k)_{k=1}^{n}"))
    assert (r"(\pi_k)_{k=1}^{n}" in found.help, mathdsl.compile(offered).ok) == (True, True)
