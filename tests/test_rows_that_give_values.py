r"""Rows of tables that give a number: `\epsilon = 10^{-5}`, `k = 2` of a name of the header.

They say what holds where a caller says nothing; a whole number that the header does not name is a size. Expected values are those of
plain torch.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

X = torch.tensor([1.0, -2.0, 4.0])


def module_type(text: str, name: str = "M") -> Any:
    return getattr(compile_files([SourceFile("-", text)]).load(), name)


def program(header: str, value: str, *rows: str) -> str:
    table = " \\\\\n".join((r"x \in \mathbb{R}^n", *rows))
    return f"\\Module{{M}}{{{header}}}\n\\Return {value} \\\\\n\\EndModule\n\\begin{{where}} {table} \\\\ \\end{{where}}"


def loop(header: str, value: str, *rows: str) -> str:
    table = " \\\\\n".join((r"x \in \mathbb{R}^n", *rows))
    body = f"\\begin{{algorithmic}}\\Procedure{{M}}{{${header}$}}\\State\\Return ${value}$\\EndProcedure\\end{{algorithmic}}"
    return f"{body}\n\\begin{{where}} {table} \\\\ \\end{{where}}"


@pytest.mark.parametrize("written", [program, loop])
@pytest.mark.parametrize(
    ("row", "number"),
    [
        (r"c = 10^{-5} & keeps the quotient finite", 1e-5),
        (r"c = 0.25", 0.25),
        (r"c = -1 & a shift", -1.0),
        (r"c = \frac{1}{2}", 0.5),
        (r"c = 2 \pi", 2 * torch.pi),
        (r"c = 1 / \sqrt{2}", 2**-0.5),
    ],
)
def test_a_number_is_an_argument_of_the_constructor(written: Any, row: str, number: float) -> None:
    made = module_type(written("x", "x + c", row))
    torch.testing.assert_close(made()(X), X + number)
    torch.testing.assert_close(made(c=3.0)(X), X + 3)
    assert list(made().state_dict()) == []


def test_a_number_of_an_input_is_its_default() -> None:
    made = module_type(program(r"x, \beta", r"\beta x", r"\beta = 0.5"))()
    torch.testing.assert_close(made(X), 0.5 * X)
    torch.testing.assert_close(made(X, torch.tensor(2.0)), 2 * X)


@pytest.mark.parametrize(("header", "row"), [("x, s ; W", "s = 0"), ("x, s = 0 ; W", ""), (r"x, s = \mathbf{0} ; W", "")])
def test_zeros_may_be_those_of_a_vector(header: str, row: str) -> None:
    rows = [row] if row else []
    state = module_type(program(header, "W s + x", r"W \in \mathbb{R}^{n \times n}", *rows))(n=3)
    torch.testing.assert_close(state(X), X)
    torch.testing.assert_close(state(X, X), state.W @ X + X)


@pytest.mark.parametrize(
    ("header", "row"), [("x, c = 0.9", ""), ("x, c", "c = 0.9"), ("x ; c = 0.9", ""), ("x ; c", "c = 0.9"), ("x", "c = 0.9")]
)
def test_what_has_such_a_value_is_a_number(header: str, row: str) -> None:
    rows = [row] if row else []
    torch.testing.assert_close(module_type(program(header, r"\sum_{i=1}^{n} c^i x", *rows))()(X), (0.9 + 0.81 + 0.729) * X)


def test_a_type_goes_before_the_value() -> None:
    vector = module_type(program("x, c = 0.9", "c + x", r"c \in \mathbb{R}^n"))()
    torch.testing.assert_close(vector(X), X + 0.9)
    torch.testing.assert_close(vector(X, X), 2 * X)
    with pytest.raises(ValueError, match="c"):
        module_type(program("x, c = 0.9", "c + x"))()(X, X)


def test_a_whole_number_of_a_name_of_the_header_is_its_default() -> None:
    made = module_type(program(r"x ; \gamma", r"x^\gamma", r"\gamma = 2"))
    torch.testing.assert_close(made()(X), X**2)
    torch.testing.assert_close(made(gamma=3)(X), X**3)
    turns = module_type(program("x ; K", r"\sum_{k=1}^{K} k x", "K = 3"))
    torch.testing.assert_close(turns()(X), 6 * X)
    torch.testing.assert_close(turns(K=4)(X), 10 * X)


def test_a_whole_number_is_a_size_elsewhere() -> None:
    made: nn.Module = module_type(program("x ; ", r"m x", "m = 2"))()
    torch.testing.assert_close(made(X), 2 * X)


def test_programs_that_do_not_have_the_name_have_no_argument() -> None:
    text = (
        r"\begin{where} x \in \mathbb{R}^n \\ c = 0.5 \\ \epsilon = 10^{-5} \\ \end{where}"
        r"\Module{A}{x} \Return c x \\ \EndModule \Module{B}{x} \Return x / (x^2 + \epsilon) \\ \EndModule"
    )
    torch.testing.assert_close(module_type(text, "A")(c=2.0)(X), 2 * X)
    torch.testing.assert_close(module_type(text, "B")()(X), X / (X**2 + 1e-5))
    with pytest.raises(TypeError):
        module_type(text, "B")(c=2.0)


def test_batches_and_gradients() -> None:
    made = module_type(program("x ; ", r"\frac{x}{\sqrt{\|x\|^2 + \epsilon}}", r"\epsilon = 10^{-5}"))()
    batch = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)

    def wanted(x: Tensor) -> Tensor:
        return x / ((x**2).sum(-1, keepdim=True) + 1e-5).sqrt()

    torch.testing.assert_close(made(batch), wanted(batch))
    (mine,) = torch.autograd.grad(made(batch)[..., 0].sum(), batch)
    (theirs,) = torch.autograd.grad(wanted(batch)[..., 0].sum(), batch)
    torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (program("x", r"c x", r"c = 0.5 \\ c \in \mathbb{R}^n"), "E0303"),
        (r"\Module{M}{x} c \gets 2 \\ \Return c x \\ \EndModule \begin{where} x \in \mathbb{R}^n \\ c = 0.5 \\ \end{where}", "E0303"),
    ],
)
def test_a_second_declaration_is_refused(text: str, code: str) -> None:
    assert [d.code for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"] == [code]


# ---- left sides with every second element -------------------------------------------------------------


@pytest.mark.parametrize("name", ["p", "p'", r"\hat{p}", r"\mathbf{p}", r"\tilde{p}"])
def test_halves_of_an_array_with_any_name(name: str) -> None:
    domain = r"\quad (j = 1, \dots, n) \\"
    lines = rf"{name}_{{2j-1}} \gets x_j {domain} {name}_{{2j}} \gets 2 x_j {domain}"
    text = rf"\Module{{M}}{{x}} {lines} \Return {name} \\ \EndModule \begin{{where}} x \in \mathbb{{R}}^n \\ \end{{where}}"
    torch.testing.assert_close(module_type(text)()(X), torch.stack([X, 2 * X], -1).reshape(6))


def test_halves_of_two_arrays_of_one_letter() -> None:
    domain = r"\quad (j = 1, \dots, n) \\"
    lines = "".join(
        rf"{name}_{{2j-1}} \gets {k} x_j {domain} {name}_{{2j}} \gets {k + 1} x_j {domain}" for k, name in ((1, "p"), (3, r"\hat{p}"))
    )
    text = rf"\Module{{M}}{{x}} {lines} \Return p - \hat{{p}} \\ \EndModule \begin{{where}} x \in \mathbb{{R}}^n \\ \end{{where}}"
    torch.testing.assert_close(module_type(text)()(X), torch.stack([-2 * X, -2 * X], -1).reshape(6))


def test_a_forgotten_range_of_a_row_is_told_alone() -> None:
    text = (
        r"\Module{M}{x} p_{t,2j-1} \gets x_{t,j} \quad (j = 1, \dots, n) \\ p_{t,2j} \gets 2 x_{t,j} \quad (j = 1, \dots, n) \\"
        r" \Return p \\ \EndModule \begin{where} x \in \mathbb{R}^{T \times n} \\ \end{where}"
    )
    found = [d for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
    assert {d.code for d in found} == {"E0505"}
    assert all(r"t = 1, \dots, T" in d.help for d in found)


# ---- what an algorithm requires ------------------------------------------------------------------------


def algorithm(required: str, arguments: str, *lines: str) -> str:
    body = "\n".join(rf"\State {line}" for line in lines)
    return (
        f"\\begin{{algorithmic}}\n\\Require $x \\in \\mathbb{{R}}^n$\n\\Require {required}\n"
        f"\\Procedure{{M}}{{{arguments}}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"
    )


def test_a_requirement_gives_a_value() -> None:
    made = module_type(algorithm(r"learning rate $\alpha = 0.25$, $\beta = 10^{-2}$", "$x$", r"\Return $\alpha x + \beta$"))
    torch.testing.assert_close(made()(X), 0.25 * X + 0.01)
    torch.testing.assert_close(made(alpha=2.0)(X), 2 * X + 0.01)


def test_a_statement_may_change_it() -> None:
    made = module_type(algorithm(r"$\alpha = 0.5$", "$x$", r"$y \gets \alpha x$", r"$\alpha \gets \alpha / 2$", r"\Return $y + \alpha x$"))
    torch.testing.assert_close(made()(X), 0.75 * X)


def test_of_an_argument_it_is_asserted() -> None:
    made = module_type(algorithm(r"$\alpha = 0.5$", r"$x, \alpha$", r"\Return $\alpha x$"))()
    torch.testing.assert_close(made(X, torch.tensor(0.5)), 0.5 * X)
    with pytest.raises(ValueError, match="alpha = 0.5"):
        made(X, torch.tensor(1.0))
