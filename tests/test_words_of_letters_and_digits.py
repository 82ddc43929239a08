r"""Words of letters, digits and `\_`: `x1`, `max\_norm`, `W_{h1}`, `FM2` are one name each where they are declared."""

from __future__ import annotations

import pytest
import torch

from mathdsl import api
from mathdsl.result import CompileResult

X, Y = torch.tensor([1.0, -2.0, 3.0]), torch.tensor([0.5, 4.0, -1.0])


def compiled(header: str, body: str, rows: str, name: str = "M") -> CompileResult:
    return api.compile(rf"\Module{{{name}}}{{{header}}} {body} \\ \EndModule \begin{{where}} {rows} \end{{where}}")


def value(result: CompileResult, *arguments: torch.Tensor, name: str = "M", sizes: dict[str, int] | None = None) -> torch.Tensor:
    assert result.ok, [(found.code, found.message) for found in result.diagnostics]
    made: torch.Tensor = getattr(result.load(), name)(**(sizes or {}))(*arguments)
    return made


def test_digits_in_names() -> None:
    result = compiled("x1, x2", r"\Return x1 \odot x2 + 2 x1", r"x1, x2 \in \mathbb{R}^d & \\")
    torch.testing.assert_close(value(result, X, Y), X * Y + 2 * X)


@pytest.mark.parametrize("name", [r"max\_norm", r"\text{max\_norm}", r"\mathrm{max\_norm}", r"\texttt{max\_norm}"])
def test_underscores_in_names(name: str) -> None:
    result = compiled(f"x, {name}", rf"\Return x \cdot {name}", rf"x \in \mathbb{{R}}^d & \\ {name} \in \mathbb{{R}} & \\")
    torch.testing.assert_close(value(result, X, Y[1]), X * 4)
    assert "max_norm: torch.Tensor" in result.source
    assert name in result.source  # as the author writes it


def test_digits_in_labels() -> None:
    result = compiled(
        "x ; W_{h1}, b_{fc2}", r"\Return W_{h1} x + b_{fc2}", r"x \in \mathbb{R}^3 & \\ W_{h1} \in \mathbb{R}^{2 \times 3} & \\"
    )
    module = result.load().M()
    torch.testing.assert_close(module(X), module.W_h1 @ X + module.b_fc2)


def test_digits_in_names_of_modules() -> None:
    result = compiled("x, y", r"\Return x^\top y", r"x, y \in \mathbb{R}^d & \\", name="FM2")
    torch.testing.assert_close(value(result, X, Y, name="FM2"), X @ Y)


@pytest.mark.parametrize(
    ("header", "body", "rows", "code", "said"),
    [
        ("x", r"\Return 2 x2", r"x \in \mathbb{R}^d & \\", "E0301", "`x2`"),
        ("x", r"\Return \sum_{i=1}^n x_{i1}", r"x \in \mathbb{R}^{n \times m} & \\", "E0301", "`x_{i,1}`"),
        ("x", r"\Return x 2", r"x \in \mathbb{R}^d & \\", "E0224", "`x_{2}`"),
        ("x", r"\Return \hat x2", r"x \in \mathbb{R}^d & \\", "E0224", ""),  # TeX sets the accent over the letter alone
        ("x", r"\Return x\_", r"x \in \mathbb{R}^d & \\", "E0301", ""),
        ("x", r"\Return x \_ 2", r"x \in \mathbb{R}^d & \\", "E0219", ""),
    ],
)
def test_what_is_not_declared_so_is_asked_about(header: str, body: str, rows: str, code: str, said: str) -> None:
    found = [one for one in compiled(header, body, rows).diagnostics if one.severity == "error"]
    assert found[0].code == code
    assert said in found[0].help + " ".join(found[0].notes) + found[0].message


@pytest.mark.parametrize(("written", "known"), [("W1", "W_1"), ("W_1", "W1"), ("w1", "W_{1}")])
def test_a_digit_beside_a_label_is_a_near_name(written: str, known: str) -> None:
    rows = rf"x \in \mathbb{{R}}^d & \\ {known} \in \mathbb{{R}}^{{d \times d}} & \\"
    text = rf"\Module{{M}}{{x ; {known}}} \Return {written} x \\ \EndModule \begin{{where}} {rows} \end{{where}}"
    found = [d for d in api.compile(text).diagnostics if d.severity == "error"]
    assert found[0].code == "E0301"
    assert f"did you mean `{known.replace('{1}', '1')}`" in found[0].help + " ".join(found[0].notes)
