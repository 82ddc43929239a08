r"""Superscripts of names: labels, `W^{(q)}`, indices in parentheses, `H^{(l)}`, both in one script, `W^{Q,h}`, and what stays open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile

D, N = 3, 4


def module(header: str, *lines: str, where: tuple[str, ...] = ()) -> str:
    rows = "".join(rf"{row} & \\ " for row in where)
    body = " ".join(rf"{line} \\" for line in lines)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {rows} \end{{where}}"


def algorithm(arguments: str, required: str, *lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    program = f"\\Require {required}\n\\Procedure{{F}}{{${arguments}$}}\n{body}\n\\EndProcedure"
    return f"\\begin{{algorithmic}}\n{program}\n\\end{{algorithmic}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape))) + 0.1


def gradients(result: Any, leaves: list[Tensor]) -> list[Tensor]:
    found = torch.autograd.grad(torch.sin(result).sum(), leaves, allow_unused=True)
    return [torch.zeros_like(leaf) if one is None else one for one, leaf in zip(found, leaves, strict=True)]


def check(text: str, inputs: tuple[Tensor, ...], owned: dict[str, Tensor], expected: Callable[..., Tensor], **sizes: int) -> None:
    """Values, gradients of inputs and parameters, and a batch, against plain torch."""
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    subject = result.load().F(**sizes).double()
    state = subject.state_dict()
    assert state.keys() == owned.keys()
    subject.load_state_dict(owned)
    weights = [subject.get_parameter(name) for name in owned]
    copies = [value.clone().requires_grad_() for value in owned.values()]
    rows = [tuple(value.clone().requires_grad_() for value in given) for given in (inputs, tuple(value.flip(0) - 0.05 for value in inputs))]
    for given in rows:
        ours, wanted = subject(*given), expected(*given, *copies)
        torch.testing.assert_close(ours, wanted)
        for a, b in zip(gradients(ours, [*given, *weights]), gradients(wanted, [*given, *copies]), strict=True):
            torch.testing.assert_close(a, b)
    together = subject(*(torch.stack(values) for values in zip(*rows, strict=True)))
    torch.testing.assert_close(together, torch.stack([expected(*given, *copies) for given in rows]))


_X = r"x \in \mathbb{R}^{d}"
_SEQUENCE = r"x_t \in \mathbb{R}^{d}, t = 1, \dots, T"


def attention(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor) -> Tensor:
    heads = [torch.softmax((x @ q) @ (x @ k).T / q.shape[-1] ** 0.5, -1) @ (x @ v) for q, k, v in zip(wq, wk, wv, strict=True)]
    return torch.stack([head @ o for head, o in zip(heads, wo, strict=True)]).sum(0)


def test_attention_has_labels_beside_heads() -> None:
    text = module(
        r"X ; W^{Q,h}, W^{K,h}, W^{V,h}, W^{O,h}",
        r"A^h \gets \softmax(\frac{X W^{Q,h} (X W^{K,h})^\top}{\sqrt{k}}) X W^{V,h} \quad (h = 1, \dots, H)",
        r"\Return \sum_{h=1}^{H} A^h W^{O,h}",
        where=(
            r"X \in \mathbb{R}^{n \times d}",
            r"W^{Q,h}, W^{K,h}, W^{V,h} \in \mathbb{R}^{d \times k}, h = 1, \dots, H",
            r"W^{O,h} \in \mathbb{R}^{k \times d}, h = 1, \dots, H",
        ),
    )
    weights = {f"W_{name}": numbers(2, D, 5, seed=seed) for seed, name in enumerate("QKV")} | {"W_O": numbers(2, 5, D)}
    check(text, (numbers(N, D),), weights, attention, d=D, H=2, k=5)


@pytest.mark.parametrize("first", ["H^{(0)}", "H^0"])
def test_layers_have_indices_in_parentheses(first: str) -> None:
    text = module(
        r"X ; W^{(l)}, b^{(l)}",
        rf"{first} \gets X",
        r"H^{(l+1)} \gets \tanh(H^{(l)} W^{(l+1)} + b^{(l+1)}) \quad (l = 0, \dots, L - 1)",
        r"\Return H^{(L)}",
        where=(
            r"X \in \mathbb{R}^{n \times d}",
            r"W^{(l)} \in \mathbb{R}^{d \times d}, l = 1, \dots, L",
            r"b^{(l)} \in \mathbb{R}^{d}, l = 1, \dots, L",
        ),
    )

    def expected(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
        for weight, bias in zip(w, b, strict=True):
            x = torch.tanh(x @ weight + bias)
        return x

    check(text, (numbers(N, D),), {"W": numbers(3, D, D), "b": numbers(3, D)}, expected, d=D, L=3)


def test_two_indices_above_are_two_axes() -> None:
    text = module(
        r"x ; W_q^{l,h}, g_1^l",
        r"\Return \sum_{l=1}^{L} g_1^l \sum_{h=1}^{H} W_q^{l,h} x",
        where=(
            _X,
            r"W_q^{l,h} \in \mathbb{R}^{d \times d}, l = 1, \dots, L, h = 1, \dots, H",
            r"g_1^l \in \mathbb{R}, l = 1, \dots, L",
        ),
    )
    weights = {"W_q": numbers(2, 3, D, D), "g_1": numbers(2)}
    check(text, (numbers(D),), weights, lambda x, w, g: torch.einsum("l,lhij,j->i", g, w, x), d=D, L=2, H=3)


def clipped(r: Tensor, a: Tensor) -> Tensor:
    return torch.minimum(r * a, torch.clamp(r, 0.8, 1.2) * a)


CLIP = r"\min(r A, \operatorname{clip}(r, 1 - \epsilon, 1 + \epsilon) A)"
LABELS: dict[str, tuple[str, tuple[Tensor, ...], dict[str, Tensor], Callable[..., Tensor]]] = {
    "the loss of PPO": (
        module(
            "r, A",
            rf"L^{{CLIP}} \gets {CLIP}",
            r"L^{VF} \gets A^2",
            r"\Return L^{CLIP} - \frac{1}{2} L^{VF}",
            where=(r"r, A \in \mathbb{R}", r"\epsilon \in \mathbb{R}_{>0} = 0.2"),
        ),
        (numbers(1)[0] + 1, numbers(1, seed=3)[0]),
        {},
        lambda r, a: clipped(r, a) - a**2 / 2,
    ),
    "the loss of PPO, in an algorithm": (
        algorithm(
            "r, A",
            r"$r, A \in \mathbb{R}$, $\epsilon \in \mathbb{R}_{>0} = 0.2$",
            rf"$L^{{CLIP}} \gets {CLIP}$",
            r"$L^{CLIP} \gets 2 L^{CLIP}$",
            r"\Return $L^{CLIP}$",
        ),
        (numbers(1)[0] + 1, numbers(1, seed=3)[0]),
        {},
        lambda r, a: 2 * clipped(r, a),
    ),
    "words in parentheses": (
        module(
            "x ; W^{(q)}, W^{(k)}",
            r"q \gets W^{(q)} x",
            r"\Return q \odot (W^{(k)} x)",
            where=(_X, r"W^{(q)}, W^{(k)} \in \mathbb{R}^{d \times d}"),
        ),
        (numbers(D),),
        {"W_q": numbers(D, D), "W_k": numbers(D, D, seed=5)},
        lambda x, q, k: (q @ x) * (k @ x),
    ),
    "numbers in parentheses": (
        module(
            "x ; W^{(1)}, W^{(2)}",
            r"\Return W^{(2)} \tanh(W^{(1)} x)",
            where=(_X, r"W^{(1)} \in \mathbb{R}^{m \times d}", r"W^{(2)} \in \mathbb{R}^{d \times m}"),
        ),
        (numbers(D),),
        {"W_1": numbers(5, D), "W_2": numbers(D, 5)},
        lambda x, a, b: b @ torch.tanh(a @ x),
    ),
    "numbers in parentheses that no header has": (
        algorithm(
            "x",
            r"$x \in \mathbb{R}^{d}$, $W^{(1)}, W^{(2)} \in \mathbb{R}^{d \times d}$",
            r"$x^{(1)} \gets W^{(1)} x$",
            r"\Return $W^{(2)} x^{(1)}$",
        ),
        (numbers(D),),
        {"W_1": numbers(D, D), "W_2": numbers(D, D, seed=5)},
        lambda x, a, b: b @ a @ x,
    ),
    "signs": (
        module(
            "x",
            r"m^{+} \gets \max(0, x - 1)",
            r"m^- \gets \max(0, 1 - x)",
            r"w^* \gets m^+ - 2 m^{-}",
            r"\Return w^{*} + \theta^\star",
            r"\theta^\star \gets x^2",
            where=(_X,),
        ),
        (numbers(D) * 2,),
        {},
        lambda x: torch.relu(x - 1) - 2 * torch.relu(1 - x) + x**2,
    ),
    "signs below": (
        module(
            r"x ; \eta_{+}, \eta_-", r"\Return \eta_{+} \odot x - \eta_{-} \odot x^2", where=(_X, r"\eta_{+}, \eta_{-} \in \mathbb{R}^{d}")
        ),
        (numbers(D),),
        {"eta_plus": numbers(D), "eta_minus": numbers(D, seed=2)},
        lambda x, a, b: a * x - b * x**2,
    ),
    "a square that is a value": (
        module(
            "x",
            r"\mu \gets \frac{1}{d} \sum_{i=1}^{d} x_i",
            r"\sigma^2 \gets \frac{1}{d} \sum_{i=1}^{d} (x_i - \mu)^2",
            r"\Return \frac{x - \mu}{\sqrt{\sigma^2 + 0.1}}",
            where=(_X,),
        ),
        (numbers(D),),
        {},
        lambda x: (x - x.mean()) / torch.sqrt(x.var(correction=0) + 0.1),
    ),
    "squares of a hat and of elements": (
        module(
            r"x, \chi^2",
            r"\hat{\sigma}^2 \gets \sum_{i=1}^{d} x_i",
            r"s_i^2 \gets x_i \quad (i = 1, \dots, d)",
            r"\Return \hat{\sigma}^2 \chi^2 s_1^2",
            where=(_X, r"\chi^2 \in \mathbb{R}"),
        ),
        (numbers(D), numbers(1)[0]),
        {},
        lambda x, chi: x.sum() * chi * x[0],
    ),
    "a letter that nothing else is called": (
        module("x, y", r"x^c \gets x + y", r"\Return x^c \odot x", where=(r"x, y \in \mathbb{R}^{d}",)),
        (numbers(D), numbers(D, seed=4)),
        {},
        lambda x, y: (x + y) * x,
    ),
    "a word beside an index": (
        module(
            r"x, v_0^{max}",
            r"v^{max}_t \gets \max(v^{max}_{t-1}, x_t) \quad (t = 1, \dots, T)",
            r"\Return v_T^{max} + v_1^{max}",
            where=(r"x_t \in \mathbb{R}, t = 1, \dots, T", r"v_0^{max} \in \mathbb{R}"),
        ),
        (numbers(N), numbers(1)[0]),
        {},
        lambda x, v: torch.maximum(x.max(), v) + torch.maximum(x[0], v),
    ),
    "averages of weights": (
        module(
            r"W^{\text{model}}, W_0^{\text{EMA}}",
            r"W^{\text{EMA}}_{t+1} \gets \frac{9}{10} W_t^{\text{EMA}} + \frac{1}{10} W^{\text{model}}_{t+1} \quad (t = 0, \dots, T - 1)",
            r"\Return W_T^{\text{EMA}}",
            where=(r"W_t^{\text{model}} \in \mathbb{R}^{d}, t = 1, \dots, T", r"W_0^{\text{EMA}} \in \mathbb{R}^{d}"),
        ),
        (numbers(2, D), numbers(D)),
        {},
        lambda w, e: 0.9 * (0.9 * e + 0.1 * w[0]) + 0.1 * w[1],
    ),
    "labels of labels": (
        module(
            r"x, \mu_{\theta_{\text{targ}}}, \theta_{\text{targ}}",
            r"\Return \mu_{\theta_{\text{targ}}} x + \theta_{\text{targ}}",
            where=(r"x, \mu_{\theta_{\text{targ}}}, \theta_{\text{targ}} \in \mathbb{R}",),
        ),
        tuple(numbers(3)),
        {},
        lambda x, mu, theta: mu * x + theta,
    ),
    "infinity": (
        module(
            r"x, \rho_\infty",
            r"\rho_t \gets \rho_\infty - x_t \quad (t = 1, \dots, T)",
            r"\Return \rho_1 \rho_\infty + \rho_T",
            where=(r"x_t \in \mathbb{R}, t = 1, \dots, T", r"\rho_\infty \in \mathbb{R}"),
        ),
        (numbers(N), numbers(1)[0]),
        {},
        lambda x, rho: (rho - x[0]) * rho + rho - x[-1],
    ),
    "examples": (
        module(
            r"x, y ; \theta",
            r"\Return \frac{1}{2} \sum_{i=1}^{m} (y^{(i)} - \sum_{j=1}^{d} \theta_j x_j^{(i)})^2",
            where=(
                r"x_j^{(i)} \in \mathbb{R}, j = 1, \dots, d, i = 1, \dots, m",
                r"y^{(i)} \in \mathbb{R}, i = 1, \dots, m",
                r"\theta \in \mathbb{R}^{d}",
            ),
        ),
        (numbers(D, N), numbers(N)),
        {"theta": numbers(D)},
        lambda x, y, theta: 0.5 * (y - theta @ x).square().sum(),
    ),
    "states that are labelled": (
        module(
            "x, s_D^0 ; W",
            r"s_D^t \gets \tanh(W s_D^{t-1} + x_t) \quad (t = 1, \dots, T)",
            r"\Return s_D^T",
            where=(_SEQUENCE, r"W \in \mathbb{R}^{d \times d}"),
        ),
        (numbers(2, D), numbers(D)),
        {"W": numbers(D, D)},
        lambda x, s, w: torch.tanh(w @ torch.tanh(w @ s + x[0]) + x[1]),
    ),
}
SIZES = {"words in parentheses": {"d": D}, "numbers in parentheses": {"d": D, "m": 5}, "examples": {"d": D}, "signs below": {"d": D}}


@pytest.mark.parametrize("name", LABELS)
def test_labels(name: str) -> None:
    text, inputs, owned, expected = LABELS[name]
    sizes = {"d": D} if owned else {}
    check(text, inputs, owned, expected, **SIZES.get(name, sizes))


def test_a_stack_of_recurrences_starts_from_the_header() -> None:
    text = module(
        r"x, H_0^l ; W^l, U^l",
        r"H_t^0 \gets x_t \quad (t = 1, \dots, T)",
        r"H_t^l \gets \tanh(W^l H_t^{l-1} + U^l H_{t-1}^l) \quad (t = 1, \dots, T, l = 1, \dots, L)",
        r"\Return H_T^L",
        where=(_SEQUENCE, r"H_0^l \in \mathbb{R}^{d}, l = 1, \dots, L", r"W^l, U^l \in \mathbb{R}^{d \times d}, l = 1, \dots, L"),
    )

    def expected(x: Tensor, h: Tensor, w: Tensor, u: Tensor) -> Tensor:
        states = list(h)
        for value in x:
            for layer in range(len(states)):
                value = states[layer] = torch.tanh(w[layer] @ value + u[layer] @ states[layer])
        return states[-1]

    check(text, (numbers(N, D), numbers(2, D)), {"W": numbers(2, D, D), "U": numbers(2, D, D, seed=9)}, expected, d=D, L=2)


FORWARD = (
    r"\alpha_1(i) \gets \pi_i B_{i,1} \quad (i = 1, \dots, n)",
    r"\alpha_t(j) \gets \sum_{i=1}^{n} \alpha_{t-1}(i) A_{i,j} B_{j,t} \quad (t = 2, \dots, T, j = 1, \dots, n)",
    r"\Return \sum_{i=1}^{n} \alpha_T(i)^2",
)
_MODEL = (r"\pi \in \mathbb{R}^{n}", r"A \in \mathbb{R}^{n \times n}", r"B \in \mathbb{R}^{n \times T}")
FORWARD_LOOPS = (
    r"\For{$i = 1, \dots, n$}",
    r"$\alpha_1(i) \gets \pi_i B_{i,1}$",
    r"\EndFor",
    r"\For{$t = 2, \dots, T$}",
    r"\For{$j = 1, \dots, n$}",
    r"$\alpha_t(j) \gets \sum_{i=1}^{n} \alpha_{t-1}(i) A_{i,j} B_{j,t}$",
    r"\EndFor",
    r"\EndFor",
    r"\Return $\sum_{i=1}^{n} \alpha_T(i)^2$",
)


@pytest.mark.parametrize("notation", ["module", "algorithm"])
def test_indices_in_the_parentheses_of_a_definition(notation: str) -> None:
    required = ", ".join(f"${row}$" for row in _MODEL)
    text = module(r"\pi, A, B", *FORWARD, where=_MODEL) if notation == "module" else algorithm(r"\pi, A, B", required, *FORWARD_LOOPS)

    def expected(start: Tensor, a: Tensor, b: Tensor) -> Tensor:
        alpha = start * b[:, 0]
        for t in range(1, b.shape[1]):
            alpha = (alpha @ a) * b[:, t]
        return alpha.square().sum()

    check(text, (numbers(D), numbers(D, D), numbers(D, N)), {}, expected)


def test_a_function_with_an_index_of_several_arguments_is_no_array() -> None:
    text = module("x, y", "T_0(x) = x^2", "T_1(x) = 3 x", "g(x) = T_1(x) + 1", r"\Return g(y) + T_0(x)", where=(r"x, y \in \mathbb{R}",))
    check(text, tuple(numbers(2)), {}, lambda x, y: 3 * y + 1 + x**2)


def test_two_indices_in_parentheses_behind_an_array() -> None:
    text = module("A, B", r"\Return \sum_{i=1}^{m} \sum_{j=1}^{n} (A(i,j) - B(i,j))^2 A(1,j)", where=(r"A, B \in \mathbb{R}^{m \times n}",))
    check(text, (numbers(D, N), numbers(D, N, seed=3)), {}, lambda a, b: ((a - b).square() * a[0]).sum())


REFUSED = {
    "a square beside its root": (module("x", r"\sigma^2 \gets \sum_i x_i", r"\Return \sigma^2 + \sigma", where=(_X,)), "E0304"),
    "a square and its root in a header": (module(r"\sigma, \sigma^2", r"\Return \sigma^2 + \sigma"), "E0304"),
    "a letter with a value": (module("x, c", r"x^c \gets 2 x", r"\Return x^c + x", where=(_X, r"c \in \mathbb{R}")), "E0304"),
    "a transpose": (module("x", r"X^T \gets x", r"\Return X^T", where=(_X,)), "E0302"),
    "a sign above a value": (module("x", r"\Return x^{+}", where=(_X,)), "E0701"),
    "a sign below a value": (module("x", r"\Return x_{+}", where=(_X,)), "E0301"),
    "parentheses above a value": (module("x", r"\Return x^{(2)}", where=(_X,)), "E0701"),
    "an index in parentheses above a number": (module("x", r"\Return \sum_{i=1}^{3} x^{(i)}", where=(r"x \in \mathbb{R}",)), "E0304"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_stays_open_is_refused(name: str) -> None:
    text, code = REFUSED[name]
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == [code]


# ---- square brackets -----------------------------------------------------------------------------


def test_a_label_in_square_brackets() -> None:
    where = (_X, r"W^{[1]}, W^{[2]} \in \mathbb{R}^{d \times d}", r"b^{[1]} \in \mathbb{R}^{d}")
    text = module(r"x ; W^{[1]}, b^{[1]}, W^{[2]}", r"z^{[1]} = W^{[1]} x + b^{[1]}", r"\Return W^{[2]} \tanh(z^{[1]})", where=where)
    owned = {"W_1": numbers(D, D), "b_1": numbers(D), "W_2": numbers(D, D, seed=1)}
    check(text, (numbers(D),), owned, lambda x, w, b, v: v @ torch.tanh(w @ x + b), d=D)
    assert r"W^{[1]}" in compile(text).source


def test_an_index_in_square_brackets() -> None:
    where = (r"a^{[0]} \in \mathbb{R}^{d}", r"W^{[l]} \in \mathbb{R}^{d \times d}, l = 1, \dots, L", r"L \in \mathbb{N}")
    lines = (r"a^{[l]} = \tanh(W^{[l]} a^{[l-1]}) \quad (l = 1, \dots, L)", r"\Return a^{[L]}")
    weights = numbers(2, D, D)
    expected = lambda a, w: torch.tanh(w[1] @ torch.tanh(w[0] @ a))  # noqa: E731
    check(module(r"a^{[0]} ; W^{[l]}, L", *lines, where=where), (numbers(D),), {"W": weights}, expected, d=D, L=2)


def test_brackets_and_parentheses_are_two_labels() -> None:
    text = module(r"x ; ", r"z^{[1]} = 2 x", r"z^{(1)} = 3 x", r"\Return z^{[1]} \odot z^{(1)}", where=(_X,))
    check(text, (numbers(D),), {}, lambda x: 6 * x * x)


@pytest.mark.parametrize("line", [r"z^{(i)} = 2 x^{[i]}", r"x^{[l]} = 2 x^{(l)}"])
def test_indices_in_two_kinds_of_brackets_are_refused(line: str) -> None:
    letter = "i" if "(i)" in line else "l"
    row = rf"x^{{({letter})}} \in \mathbb{{R}}^{{d}}, {letter} = 1, \dots, n"
    text = module(rf"x^{{({letter})}} ; ", rf"{line} \quad ({letter} = 1, \dots, n)", r"\Return z", where=(row,))
    (found, *_) = [d for d in compile(text).diagnostics if d.severity == "error"]
    assert (found.code, "in other brackets" in found.message) == ("E0701", True)


# ---- a power behind what is applied ----------------------------------------------------------------

_OWN, _SUB = r"f(a) \gets 2 a + 1", r"\Module{Sub}{z ; } \Return 2 z + 1 \\ \EndModule \begin{where} z \in \mathbb{R}^{d} \\ \end{where} "


@pytest.mark.parametrize(
    ("written", "power", "repeated"),
    [
        (r"f^2(x)", "f(x)^2", "f(f(x))"),
        (r"f^{2} x", "f(x)^2", "f(f(x))"),
        (r"f^2(f(x))", "f(f(x))^2", "f(f(f(x)))"),
        (r"\sum_{k=2}^{2} f^k(x)", r"\sum_{k=2}^{2} f(x)^k", "f(f(x))"),
        (r"\mathrm{Sub}^2(x)", r"\mathrm{Sub}(x)^2", r"\mathrm{Sub}(\mathrm{Sub}(x))"),
    ],
)
def test_a_power_of_a_function_of_the_program_is_asked_about(written: str, power: str, repeated: str) -> None:
    def texts(value: str) -> list[str]:
        return [
            before + text
            for before, text in (
                (_SUB, module("x ;", _OWN, rf"\Return {value}", where=(_X,))),
                (_SUB + _OWN + r" \\ ", module("x ;", rf"\Return {value}", where=(_X,))),
                (_SUB, algorithm("x", rf"${_X}$", rf"${_OWN}$", rf"$y \gets {value}$", r"\Return $y$")),
            )
        ]

    for text in texts(written):
        (found,) = [d for d in compile(text).diagnostics if d.severity == "error"]
        assert found.code == "E0304"
        assert "(…)^" in found.help
        assert "(…))" in found.help
    once = lambda x: 2 * x + 1  # noqa: E731
    value = (lambda x: once(once(x))) if "f(f(x))^2" in power or "f(f(f" in repeated else once
    for text in texts(power):
        check(text, (numbers(D),), {}, lambda x: value(x) ** 2)
    for text in texts(repeated):
        check(text, (numbers(D),), {}, lambda x: once(value(x)))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((r"\Return \tanh^2(x) + \sin^2 x",), lambda x: x.tanh() ** 2 + x.sin() ** 2),
        ((r"\Return \sigma^2(x)",), lambda x: x.sigmoid() ** 2),
        ((r"\sigma \gets \tanh", r"\Return \sigma^2(x)"), lambda x: x.tanh() ** 2),
        ((r"\Return \log^2 x + \softmax^2(x)",), lambda x: x.log() ** 2 + x.softmax(0) ** 2),
        ((r"f(a, b) \gets a b", r"\Return f^2(2, x)"), lambda x: 4 * x**2),
        ((_OWN, r"\Return f^{1/2}(x) + f^{0.5}(x)"), lambda x: 2 * (2 * x + 1) ** 0.5),
        ((_OWN, r"\Return f^\top(x) x"), lambda x: (2 * x + 1) @ x),
        ((r"f \gets 3", r"\Return f^2 x"), lambda x: 9 * x),
    ],
)
def test_other_powers_before_a_parenthesis_stay_what_they_are(lines: tuple[str, ...], expected: Callable[..., Tensor]) -> None:
    check(module("x ;", *lines, where=(_X,)), (numbers(D),), {}, expected)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (r"\LayerNorm^2(x)", "E0304"),
        (r"\LayerNorm^{-1}(x)", "E0304"),
        (r"\LayerNorm^n(x)", "E0304"),
        (r"g^2(x)", "E0304"),
        ("g^k(x)", "E0603"),
    ],
)
def test_a_power_of_a_module_that_is_called_is_never_lost(value: str, code: str) -> None:
    text = module("x ; g, n", rf"\Return \sum_{{k=1}}^{{2}} {value}", where=(_X, r"g \in \mathrm{Linear}(d, d)", r"n \in \mathbb{N}"))
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == [code]


def test_an_index_above_a_module_in_a_loop_over_layers_says_which_one() -> None:
    lines = r"h \gets x", r"\For{$l = 1, \dots, n$}", r"$h \gets \LayerNorm^l(h)$", r"\EndFor", r"\Return $h$"
    result = compile(algorithm("x", rf"${_X}$, $n \in \mathbb{{N}}$", f"${lines[0]}$", *lines[1:]))
    assert result.ok, [d.message for d in result.diagnostics]
    assert len(result.load().F(d=D, n=2).state_dict()) == 4
