r"""Names that meet others: `x'` beside `x`, a function and its module, a letter that is assigned and indexes, second values."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mathdsl import compile

N = 3


def module(header: str, rows: tuple[str, ...], *lines: str, name: str = "F") -> str:
    body, table = " ".join(rf"{line} \\" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\Module{{{name}}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(arguments: str, required: tuple[str, ...], *lines: str) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\End", r"\If")) else rf"\State {line}" for line in lines)
    rows = ", ".join(f"${row}$" for row in required)
    return f"\\begin{{algorithmic}}\n\\Require {rows}\n\\Procedure{{F}}{{${arguments}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def docstring(arguments: str, rows: tuple[str, ...], *lines: str) -> str:
    body, table = "".join(rf"& {line} \\" + "\n" for line in lines), " ".join(rf"{row} & \\" for row in rows)
    return rf"\algoProc{{\F}}\pa{{{arguments}}} \\" + f"\n{body}" + rf"\algoEndProc \\ \begin{{where}} {table} \end{{where}}"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) + 0.1


def errors(text: str) -> list[tuple[str, str, str]]:
    return [(d.code, d.message, d.help) for d in compile(text).diagnostics if d.severity == "error"]


# ---- primes --------------------------------------------------------------------------------------

ROWS = (r"x \in \mathbb{R}^{n}", r"W \in \mathbb{R}^{n \times n}")


@pytest.mark.parametrize(
    "text",
    [
        module("x, W ; ", ROWS, r"\Return x' W x"),
        algorithm("x, W", ROWS, r"\Return $x' W x$"),
        docstring("x, W", ROWS, r"\algoReturn x' \cdot W \cdot x"),
    ],
)
def test_a_prime_that_nothing_declares_is_no_transpose(text: str) -> None:
    ((code, message, _),) = errors(text)
    assert (code, message) == ("E0301", "`x'` is declared nowhere")
    x, w = numbers(N), numbers(N, N)
    transposed = compile(text.replace("x'", r"x^\top"))
    torch.testing.assert_close(transposed.load().F()(x, w), x @ w @ x)


def test_a_declared_prime_is_a_name() -> None:
    text = module("x, x', W ; ", (r"x, x' \in \mathbb{R}^{n}", ROWS[1]), r"\Return (x')^\top W x")
    x, other, w = numbers(N), numbers(N, seed=1), numbers(N, N)
    torch.testing.assert_close(compile(text).load().F()(x, other, w), other @ w @ x)
    owned = module("x ; x', W", (r"x \in \mathbb{R}^{n}", r"x' \in \mathbb{R}^{n}", ROWS[1]), r"\Return x + x'")
    assert not errors(owned)


def test_a_prime_beside_a_number_is_a_name() -> None:
    assert [d[:2] for d in errors(module("c, x ; ", (r"c \in \mathbb{R}", ROWS[0]), r"\Return c' x"))] == [
        ("E0301", "`c'` is declared nowhere")
    ]


# ---- modules, functions, indices -------------------------------------------------------------------


def test_a_function_has_another_name_than_its_module() -> None:
    text = module("x", ROWS[:1], r"f(a) \gets 2 a", r"\Return f(x)", name="f")
    ((code, message, help_text),) = errors(text)
    assert (code, message) == ("E0303", "`f` is the name of this module, and of a function in it")
    assert help_text == "give one of them another name"
    assert not errors(text.replace("Module{f}", "Module{g}"))


def test_an_assigned_letter_indexes_what_a_row_declares_by_it() -> None:
    required = (r"p \in \mathbb{R}^{K}", r"x \in \mathbb{R}^{n}", r"W_k \in \mathbb{R}^{m \times n}, k = 1, \dots, K")
    lines = (r"k \gets \arg\max_j p_j", r"\Return W_k x")
    texts = (
        module("p, x, W", required, *lines),
        docstring("p, x, W", required, r"k \algoEq \arg\max_j p_j", r"\algoReturn W_k \cdot x"),
        algorithm("p, x, W", required, "$k \\gets \\arg\\max_j p_j$", r"\Return $W_k x$"),
    )
    p, x, w = numbers(2, 4), numbers(2, N), numbers(2, 4, 2, N)
    for text in texts:
        result = compile(text)
        assert result.ok, [d.message for d in result.diagnostics]
        leaves = [value.clone().requires_grad_() for value in (p, x, w)]
        found = result.load().F()(*leaves)
        wanted = torch.stack([w[k, p[k].argmax()] @ x[k] for k in range(2)])
        torch.testing.assert_close(found, wanted)
        torch.testing.assert_close(result.load().F()(p[0], x[0], w[0]), wanted[0])
        gradient = torch.autograd.grad(found.sum(), leaves[2])[0]
        assert (gradient.abs().sum((-2, -1)) > 0).sum() == 2


def test_a_font_of_old_around_letters_and_digits() -> None:
    rows = (r"x \in \mathbb{R}^{n}", r"{\bf W1} \in \mathbb{R}^{m \times n}")
    subject = compile(module(r"x ; {\bf W1}", rows, r"\Return {\bf W1} x")).load().F(n=N, m=2).double()
    x = numbers(N)
    torch.testing.assert_close(subject(x), subject.W1 @ x)


# ---- second values ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "last",
    [
        r"\Return $|s|$",
        r"\Return $s_{1,1,1}$",
        r"\Return $s s$",
        r"\Return $\log s x$",
        r"\Return $s(x)$",
        r"\Return $s[x]$",
        r"\Return $s' x$",
        r"\Return $\sum_{i} s_{i,i}$",
        r"\Return $\max_j |s_j x|$",
        r"\Return $s^{(2)}$",
        r"\Return $\lVert s s \rVert$",
        r"\Return $s \cdot x + x$",
    ],
)
def test_messages_have_the_names_of_the_author(last: str) -> None:
    text = algorithm("x", (r"x \in \mathbb{R}^{n}",), r"$s \gets 2 x$", r"$s \gets s + x$", r"$s \gets s - 1$", last)
    found = compile(text).diagnostics
    assert any(d.severity == "error" for d in found)
    assert not any("version" in part or "settled" in part for d in found for part in (d.message, d.help, d.label, *d.notes))
