"""`check --reading`: each equation with all its parentheses, each name with its kind and its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mathdsl.api import compile_files
from mathdsl.cli import main
from mathdsl.spans import SourceFile


def reading(text: str) -> list[str]:
    result = compile_files([SourceFile("m.tex", text)], emit="reading")
    assert result.ok, [d.message for d in result.diagnostics]
    return result.source.splitlines()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"x^\top A y", "((transpose(x) @ A) · y)"),
        (r"x y^\top", "(x ⊗ transpose(y))"),
        (r"c x + A y", "((c * x) + (A @ y))"),
        (r"x \odot y - c", "((x ⊙ y) - c)"),
        (r"\sum_{i=1}^{n} x_i y_i + c", "(sum(i in 1 .. n: (x[i] * y[i])) + c)"),
        (r"\cos(c)^2", "(cos(c) ** 2)"),
        (r"\begin{cases} c & c > 0 \\ 0 & \text{otherwise} \end{cases}", "cases(c if (c > 0); 0 otherwise)"),
    ],
)
def test_an_expression_has_all_its_parentheses(written: str, read: str) -> None:
    rows = r"x_i, y_i \in \mathbb{R}, i = 1, \dots, n & \\ A \in \mathbb{R}^{n \times n} & \\ c \in \mathbb{R} & \\"
    text = rf"\Module{{F}}{{x, y, A, c ; }} \Return {written} \\ \EndModule \begin{{where}} {rows} \end{{where}}"
    assert f"  return {read}" in reading(text)


RNN = r"""\Module{R}{x ; W, b}
  h[0] \gets b \\
  h[1 \leq t \leq S] \gets \tanh(W x[t-1] + h[t-1]) \\
  \Return h[S] \\
\EndModule
"""


def test_names_have_their_kind_and_place() -> None:
    lines = reading(RNN)
    assert "  h[t] = tanh(((W @ x[t - 1]) + h[t - 1]))    for t in 1 .. S" in lines
    places = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines[lines.index("  where") + 1 :]}
    assert places["x"] == "input, real [0..S-1, 0..d_x-1], bound at m.tex:1:12"
    assert places["W"] == "parameter, real [0..d_b-1, 0..d_x-1] ~ linear, bound at m.tex:1:16"
    assert places["t"].startswith("index, 1 .. S, bound at m.tex:3:")


def test_the_command_prints_the_reading(tmp_path: Path) -> None:
    file = tmp_path / "m.tex"
    file.write_text(RNN, encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--reading", "-q", str(file)])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "R"
    assert result.stderr == ""
