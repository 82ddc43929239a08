r"""Subscripts with a bar: the families `\hat{x}_{t|t-1}` and `\hat{x}_{t|t}` of a filter, `x_{t|T}` of a smoother, `p_{j|i}`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from mathdsl.result import CompileResult

LENGTHS = [4, 1, 3, 2]
ROWS = (
    r"y_t \in \mathbb{R}, t = 1, \dots, T",
    r"\hat{x}_{0|0}, P_{0|0}, a, c \in \mathbb{R}",
    r"q, r \in \mathbb{R}_{>0}",
)
FILTER = (
    r"\hat{x}_{t|t-1} \gets a \hat{x}_{t-1|t-1}",
    r"P_{t|t-1} \gets a^2 P_{t-1|t-1} + q",
    r"K_t \gets \frac{P_{t|t-1} c}{c^2 P_{t|t-1} + r}",
    r"\hat{x}_{t|t} \gets \hat{x}_{t|t-1} + K_t (y_t - c \hat{x}_{t|t-1})",
    r"P_{t|t} \gets (1 - K_t c) P_{t|t-1}",
)


def table(rows: tuple[str, ...]) -> str:
    return r"\begin{where} " + " ".join(rf"{row} & \\" for row in rows) + r" \end{where}"


def module(header: str, rows: tuple[str, ...], *lines: str) -> str:
    body = " ".join(rf"{line} \\" for line in lines)
    return rf"\Module{{F}}{{{header}}} {body} \EndModule " + table(rows)


def docstring(arguments: str, rows: tuple[str, ...], *lines: str) -> str:
    body = "".join(rf"& {line} \\" + "\n" for line in lines)
    return rf"\algoProc{{\F}}\pa{{{arguments}}} \\" + "\n" + body + r"\algoEndProc \\" + "\n" + table(rows)


def algorithm(arguments: str, rows: tuple[str, ...], *lines: str) -> str:
    required = ", ".join(f"${row}$" for row in rows)
    body = "\n".join(line if line.startswith((r"\For", r"\End")) else rf"\State {line}" for line in lines)
    program = f"\\Require {required}\n\\Procedure{{F}}{{${arguments}$}}\n{body}\n\\EndProcedure"
    return f"\\begin{{algorithmic}}\n{program}\n\\end{{algorithmic}}"


def made(text: str, owned: dict[str, Tensor], **given: Any) -> Any:
    result = compile(text)
    assert result.ok, [(d.code, d.message, d.help) for d in result.diagnostics]
    subject = result.load().F(**given).double()
    assert subject.state_dict().keys() == owned.keys()
    subject.load_state_dict(owned)
    return subject


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


def check(subject: Any, by_hand: Any, fixed: int, *shapes: tuple[int, ...]) -> None:
    """Values and gradients of each example alone and of a ragged batch; the first so many inputs have time as their first axis."""
    batch = [numbers(len(LENGTHS), *shape, seed=k) for k, shape in enumerate(shapes)]
    together = [value.clone() for value in batch]
    for value in together[:fixed]:
        for k, length in enumerate(LENGTHS):
            value[k, length:] = torch.nan
    together = [value.requires_grad_() for value in together]
    results = subject(*together, lengths=torch.tensor(LENGTHS))
    found = gradients(parts(results), together)
    for k, length in enumerate(LENGTHS):
        alone = [(value[k, :length] if at < fixed else value[k]).clone().requires_grad_() for at, value in enumerate(batch)]
        ours, wanted = parts(subject(*alone)), parts(by_hand(*alone))
        for one, other, row in zip(ours, wanted, parts(results), strict=True):
            torch.testing.assert_close(one, other)
            torch.testing.assert_close(row[k][tuple(slice(0, extent) for extent in other.shape)], other)
        for at, (one, other) in enumerate(zip(gradients(ours, alone), gradients(wanted, alone), strict=True)):
            torch.testing.assert_close(one, other)
            torch.testing.assert_close(found[at][k][:length] if at < fixed else found[at][k], other)


def gradients(results: tuple[Tensor, ...], leaves: list[Tensor]) -> list[Tensor]:
    total = torch.stack([torch.sin(part).sum() for part in results]).sum()
    found = torch.autograd.grad(total, leaves, allow_unused=True, retain_graph=True)
    return [torch.zeros_like(leaf) if one is None else one for one, leaf in zip(found, leaves, strict=True)]


def parts(result: Any) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def kalman(y: Tensor, x: Tensor, p: Tensor, a: float = 0.9, c: float = 0.7, q: float = 0.3, r: float = 0.2) -> tuple[Tensor, Tensor]:
    for value in y:
        x, p = a * x, a**2 * p + q
        k = p * c / (c**2 * p + r)
        x, p = x + k * (value - c * x), (1 - k * c) * p
    return x, p


def scalar_filter(notation: str) -> str:
    header, result = r"y, \hat{x}_{0|0}, P_{0|0}", r"(\hat{x}_{T|T}, P_{T|T})"
    match notation:
        case "module":
            lines = tuple(line + r" \quad (t = 1, \dots, T)" for line in FILTER)
            return module(header + "; a, c, q, r", ROWS, *lines, rf"\Return {result}")
        case "docstring":
            loop = (r"\algoFor{t \in \set{1, \dots, T}}", *(rf"\indent{{2}} {line}" for line in FILTER), r"\algoEndFor")
            return docstring(header, ROWS, *loop, rf"\algoReturn {result}").replace(r"\gets", r"\algoEq")
        case _:
            return algorithm(
                header, ROWS, r"\For{$t = 1, \dots, T$}", *(f"${line}$" for line in FILTER), r"\EndFor", rf"\Return ${result}$"
            )


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
def test_a_filter_of_numbers(notation: str) -> None:
    owned = {"a": torch.tensor(0.9, dtype=torch.float64), "c": torch.tensor(0.7, dtype=torch.float64)}
    check(made(scalar_filter(notation), owned, q=0.3, r=0.2), kalman, 1, (5,), (), ())


MATRICES = (
    r"y_t \in \mathbb{R}^m, K_t \in \mathbb{R}^{n \times m}, t = 1, \dots, T",
    r"\hat{x}_{0|0} \in \mathbb{R}^n",
    r"P_{0|0}, F, Q \in \mathbb{R}^{n \times n}",
    r"H \in \mathbb{R}^{m \times n}",
)
STEPS = (
    r"\hat{x}_{t|t-1} \gets F \hat{x}_{t-1|t-1}",
    r"P_{t|t-1} \gets F P_{t-1|t-1} F^\top + Q",
    r"\hat{x}_{t|t} \gets \hat{x}_{t|t-1} + K_t (y_t - H \hat{x}_{t|t-1})",
    r"P_{t|t} \gets (I - K_t H) P_{t|t-1}",
)


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
def test_a_filter_of_matrices_with_its_gains(notation: str) -> None:
    rows = (r"y_t \in \mathbb{R}^m, t = 1, \dots, T", r"K_t \in \mathbb{R}^{n \times m}, t = 1, \dots, T", *MATRICES[1:])
    result = r"(\cat{\hat{x}_{1|1}, \dots, \hat{x}_{T|T}}, P_{T|T})"
    if notation == "module":
        lines = tuple(line + r" \quad (t = 1, \dots, T)" for line in STEPS)
        text = module(r"y, K, \hat{x}_{0|0}, P_{0|0} ; F, Q, H", rows, *lines, rf"\Return {result}")
    else:
        loop = (r"\For{$t = 1, \dots, T$}", *(f"${line}$" for line in STEPS), r"\EndFor")
        text = algorithm(r"y, K, \hat{x}_{0|0}, P_{0|0}", rows, *loop, rf"\Return ${result}$")
    f, q, h = numbers(3, 3, seed=7), numbers(3, 3, seed=8), numbers(2, 3, seed=9)

    def by_hand(y: Tensor, gains: Tensor, x: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        found = []
        for value, k in zip(y, gains, strict=True):
            x, p = f @ x, f @ p @ f.T + q
            x, p = x + k @ (value - h @ x), (torch.eye(3, dtype=torch.float64) - k @ h) @ p
            found.append(x)
        return torch.stack(found), p

    check(made(text, {"F": f, "Q": q, "H": h}, n=3, m=2), by_hand, 2, (5, 2), (5, 3, 2), (3,), (3, 3))


def test_a_prediction_may_be_written_one_step_ahead() -> None:
    rows = (r"y_t \in \mathbb{R}, t = 1, \dots, T", r"\hat{x}_{1|0} \in \mathbb{R}", r"a, k \in \mathbb{R}_{>0}")
    lines = (
        r"\hat{x}_{t|t} \gets \hat{x}_{t|t-1} + k (y_t - \hat{x}_{t|t-1}) \quad (t = 1, \dots, T)",
        r"\hat{x}_{t+1|t} \gets a \hat{x}_{t|t} \quad (t = 1, \dots, T)",
        r"\Return (\hat{x}_{T|T}, \hat{x}_{T+1|T})",
    )

    def by_hand(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        for value in y:
            x, before = 0.8 * (x + 0.3 * (value - x)), x + 0.3 * (value - x)
        return before, x

    check(made(module(r"y, \hat{x}_{1|0} ; a, k", rows, *lines), {}, a=0.8, k=0.3), by_hand, 1, (5,), ())


SMOOTHED = r"\hat{x}_{t|T} \gets \hat{x}_{t|t} + C_t (\hat{x}_{t+1|T} - \hat{x}_{t+1|t})"


@pytest.mark.parametrize("notation", ["module", "algorithmic"])
def test_a_smoother_begins_with_what_the_filter_ends_with(notation: str) -> None:
    rows = (r"y_t, C_t \in \mathbb{R}, t = 1, \dots, T", r"\hat{x}_{0|0} \in \mathbb{R}", r"a, k \in \mathbb{R}_{>0}")
    first = (r"\hat{x}_{t|t-1} \gets a \hat{x}_{t-1|t-1}", r"\hat{x}_{t|t} \gets \hat{x}_{t|t-1} + k (y_t - \hat{x}_{t|t-1})")
    result = r"(\hat{x}_{t|T})_{t=1}^{T}"
    if notation == "module":
        lines = (*(line + r" \quad (t = 1, \dots, T)" for line in first), SMOOTHED + r" \quad (t = 1, \dots, T - 1)")
        text = module(r"y, C, \hat{x}_{0|0} ; a, k", rows, *lines, rf"\Return {result}")
    else:
        forth = (r"\For{$t = 1, \dots, T$}", *(f"${line}$" for line in first), r"\EndFor")
        back = (r"\For{$t = T - 1, \dots, 1$}", f"${SMOOTHED}$", r"\EndFor")
        text = algorithm(r"y, C, \hat{x}_{0|0}", rows, *forth, *back, rf"\Return ${result}$")

    def by_hand(y: Tensor, c: Tensor, x: Tensor) -> Tensor:
        ahead, own = [], []
        for value in y:
            ahead.append(0.8 * x)
            x = ahead[-1] + 0.3 * (value - ahead[-1])
            own.append(x)
        found = own[-1:]
        for t in range(len(y) - 2, -1, -1):
            found.insert(0, own[t] + c[t] * (found[0] - ahead[t + 1]))
        return torch.stack(found)

    check(made(text, {}, a=0.8, k=0.3), by_hand, 2, (5,), (5,), ())


@pytest.mark.parametrize(
    ("header", "row"),
    [(r"m_{t|t-1}", r"m_{t|t-1} \in \mathbb{R}, t = 1, \dots, T"), (r"m_{t|T}", r"m_{t|T} \in \mathbb{R}, t = 1, \dots, T")],
)
def test_an_input_has_a_bar(header: str, row: str) -> None:
    text = module(header, (row,), rf"z_t \gets t {header} \quad (t = 1, \dots, T)", r"\Return z")
    subject = made(text, {})
    check(subject, lambda m: torch.arange(1, len(m) + 1) * m, 1, (5,))


def test_two_indices_about_a_bar() -> None:
    rows = (r"d_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n",)
    over = r" \quad (i = 1, \dots, n, j = 1, \dots, n)"
    text = module(
        "d",
        rows,
        r"p_{j|i} \gets \frac{\exp(-d_{i,j})}{\sum_{k=1}^{n} \exp(-d_{i,k})}" + over,
        r"p_{ij} \gets \frac{p_{j|i} + p_{i|j}}{2 n}" + over,
        r"\Return p",
    )
    d = numbers(3, 4, 4)
    given = torch.softmax(-d, -1)
    torch.testing.assert_close(made(text, {})(d), (given + given.mT) / 8)


def test_names_with_a_bar_of_no_index() -> None:
    rows = (r"x_b, \mu_b \in \mathbb{R}^m", r"\mu_a \in \mathbb{R}^n", r"A \in \mathbb{R}^{n \times m}")
    text = module(r"x_b, \mu_a, \mu_b, A", rows, r"\mu_{a|b} \gets \mu_a + A (x_b - \mu_b)", r"\Return \mu_{a \mid b}")
    x, a, b, matrix = numbers(2), numbers(3), numbers(2, seed=1), numbers(3, 2)
    torch.testing.assert_close(made(text, {})(x, a, b, matrix), a + matrix @ (x - b))


def table_of(result: CompileResult) -> list[str]:
    return [row.python for row in result.symbols]


def test_python_names_say_what_stands_behind_the_bar() -> None:
    result = compile(scalar_filter("module"))
    assert {"x_hat_given_1", "x_hat_given_0", "P_given_1", "P_given_0", "x_hat_0_given_0"} <= set(table_of(result))


def errors(text: str) -> list[tuple[str, str, str]]:
    return [(d.code, d.message, d.help) for d in compile(text).diagnostics if d.severity == "error"]


def test_a_letter_before_the_bar_needs_a_range() -> None:
    lines = (r"\hat{x}_{k|k-1} \gets a \hat{x}_{k-1|k-1}", r"\Return \hat{x}_{k|k-1}")
    ((code, message, help_text),) = errors(module(r"\hat{x}_{k-1|k-1} ; a", (r"a \in \mathbb{R}",), *lines))
    assert (code, message) == ("E0505", "nothing tells what `k` runs over")
    assert r"\quad (k = 1, \dots, T)" in help_text
    assert r"`\hat{x}^{-}`" in help_text
    way_out = (r"\hat{x}^{-} \gets a \hat{x}", r"\Return \hat{x}^{-}")
    assert not errors(module(r"\hat{x} ; a", (r"a, \hat{x} \in \mathbb{R}",), *way_out))
    ranged = (r"\hat{x}_{k|k-1} \gets a \hat{x}_{k-1|k-1} + y_k \quad (k = 1, \dots, T)", r"\hat{x}_{k|k} \gets \hat{x}_{k|k-1}")
    rows = (r"a, \hat{x}_{0|0} \in \mathbb{R}", r"y_k \in \mathbb{R}, k = 1, \dots, T")
    assert not errors(module(r"y, \hat{x}_{0|0} ; a", rows, *ranged, r"\Return \hat{x}_{T|T}"))


def test_messages_write_elements_with_their_bars() -> None:
    lines = (r"x_{t|t-1} \gets 2 x_{t-1|t-1} \quad (t = 1, \dots, T)", r"x_{t|t} \gets x_{t|t-1} + y_t \quad (t = 1, \dots, T)")
    found = errors(module("y", (r"y_t \in \mathbb{R}, t = 1, \dots, T",), *lines, r"\Return x_{T|T}"))
    assert [message for _, message, _ in found] == [r"`x_{0 \mid 0}` is read, and nothing defines it"]


def test_bars_in_subscripts_that_pair_are_absolute_values() -> None:
    text = module("x, k", (r"x \in \mathbb{R}^n", r"k \in \{-1, 0\}"), r"\Return x_{|k|}")
    result = compile(text)
    assert not any(d.code == "E0505" and "given" in d.label for d in result.diagnostics)


def test_the_bar_stands_in_the_last_subscript() -> None:
    lines = (r"x_{t|t-1,i} \gets y_t \quad (t = 1, \dots, T, i = 1, \dots, 2)", r"\Return y")
    found = errors(module("y", (r"y_t \in \mathbb{R}, t = 1, \dots, T",), *lines))
    assert found[0][:2] == ("E0208", "a bar stands in the last subscript")
