r"""One letter for two things: what a loop counts, sizes and reserved letters that are assigned, families of a size, fonts."""

from __future__ import annotations

from types import ModuleType

import pytest
import torch
from differential import check_text

from mathdsl.api import CompileResult, compile_files
from mathdsl.spans import SourceFile

VECTOR = r"x_i \in \mathbb{R}, i = 1, \dots, n"
X = torch.tensor([0.5, -1.0, 2.0, 1.5], dtype=torch.float64)


def algorithm(rows: list[str], *lines: str, header: str = "x") -> str:
    """A program in algorithmic notation; a line that begins with a command of its own is no statement."""
    required = "\n".join(rf"\Require ${row}$" for row in rows)
    body = "\n".join(line if line.startswith((r"\For", r"\End", r"\If", r"\Else")) else rf"\State {_shown(line)}" for line in lines)
    return f"\\begin{{algorithmic}}\n{required}\n\\Procedure{{F}}{{${header}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n"


def _shown(line: str) -> str:
    return rf"\Return ${line.removeprefix('return ')}$" if line.startswith("return ") else f"${line}$"


def docstring(rows: list[str], *lines: str, header: str = "x") -> str:
    """The same in docstring notation."""
    body = "".join(rf"{_docstring_line(line)} \\" + "\n" for line in lines)
    return "\\algoProc{\\F}\\pa{" + header + "} \\\\\n" + body + "\\algoEndProc \\\\\n" + table(rows)


def _docstring_line(line: str) -> str:
    return rf"\algoReturn {line.removeprefix('return ')}" if line.startswith("return ") else line


def table(rows: list[str]) -> str:
    return "\\begin{where}\n" + "".join(rf"{row} & \\" + "\n" for row in rows) + "\\end{where}\n"


def module(rows: list[str], *lines: str, header: str = "x") -> str:
    body = "".join((rf"\Return {line.removeprefix('return ')}" if line.startswith("return ") else line) + " \\\\\n" for line in lines)
    return f"\\Module{{F}}{{{header}}}\n{body}\\EndModule\n{table(rows)}"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def loaded(text: str) -> ModuleType:
    result = compiled(text)
    assert result.ok, [d.message for d in result.diagnostics]
    check_text(text)
    return result.load()


def check_refused(text: str, code: str, message: str, help: str) -> None:
    errors = [d for d in compiled(text).diagnostics if d.severity == "error"]
    assert [d.code for d in errors] == [code], [(d.code, d.message) for d in errors]
    assert message in errors[0].message
    assert help in errors[0].help


# ---- loop variables ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("i", [r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"i \gets x_i", r"s \gets s + i", r"\EndFor", "return s"]),
        ("k", [r"s \gets x_1", r"\For{$k = 1, \dots, 3$}", r"k \gets k^2", r"s \gets s + k", r"\EndFor", "return s"]),
        (
            "i",
            [
                r"s \gets 0",
                r"\For{$i = 1, \dots, n$}",
                r"\If{$x_i > 0$}",
                r"i \gets x_i",
                r"\EndIf",
                r"s \gets s + i",
                r"\EndFor",
                "return s",
            ],
        ),
        ("i", [r"\For{$i = 1, \dots, n$}", r"(i, t) \gets (x_i, 2)", r"y_i \gets i t", r"\EndFor", "return y"]),
        (
            "i",
            [
                r"s \gets 0",
                r"\For{$i = 1, \dots, n$}",
                r"\For{$j = 1, \dots, 2$}",
                r"i \gets i + j",
                r"\EndFor",
                r"s \gets s + i x_i",
                r"\EndFor",
                "return s",
            ],
        ),
        ("i", [r"\For{$i = 1, \dots, n$}", r"y_i \gets x_i", r"i \gets i + 1", r"\EndFor", "return y"]),
    ],
)
def test_loop_variable_is_not_assigned(name: str, lines: list[str]) -> None:
    check_refused(algorithm([VECTOR], *lines), "E0303", f"the loop variable `{name}` cannot be assigned", "a name of its own")


def test_value_of_its_own_for_a_loop_variable() -> None:
    text = algorithm([VECTOR], r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"v \gets x_i", r"s \gets s + v", r"\EndFor", "return s")
    torch.testing.assert_close(loaded(text).F()(X), X.sum())


def test_letter_of_a_loop_is_free_outside() -> None:
    text = algorithm([VECTOR], r"s \gets 0", r"\For{$i = 1, \dots, n$}", r"s \gets s + x_i", r"\EndFor", r"i \gets 2 s", "return i")
    torch.testing.assert_close(loaded(text).F()(X), 2 * X.sum())


def test_family_of_another_loop_variables_letter() -> None:
    lines = [r"\For{$i = 1, \dots, n$}", r"k_i \gets x_i^2", r"\EndFor", r"\For{$k = 1, \dots, n$}", r"z_k \gets k_k + k", r"\EndFor"]
    torch.testing.assert_close(loaded(algorithm([VECTOR], *lines, "return z")).F()(X), X**2 + torch.arange(1, 5))


# ---- reserved letters in loops ----------------------------------------------------------------


def _loop(*lines: str) -> list[str]:
    return [r"\For{$i = 1, \dots, n$}", *lines, r"\EndFor"]


@pytest.mark.parametrize(
    ("letter", "lines"),
    [
        (r"\sigma", [*_loop(r"\sigma \gets 2 x_i", r"y_i \gets \sigma(x_i)"), "return y"]),
        (r"\Gamma", [*_loop(r"\Gamma \gets x_i + 3", r"y_i \gets \Gamma(2)"), "return y"]),
        ("e", [*_loop(r"e \gets x_i + 3", r"y_i \gets e^{2}"), "return y"]),
        ("e", [*_loop(r"e \gets x_i + 3", r"y_i \gets e^{-x_i}"), "return y"]),
        ("e", [r"e \gets 0", *_loop(r"e \gets e^{x_i}"), "return e"]),
        ("e", [r"e \gets 0", *_loop(r"\If{$x_i > 0$}", r"e \gets x_i + 3", r"\EndIf", r"y_i \gets e^{2}"), "return y"]),
        ("e", [*_loop(r"\If{$x_i > 0$}", r"e \gets 3", r"y_i \gets e^{2}", r"\Else", r"y_i \gets 1", r"\EndIf"), "return y"]),
        (r"\pi", [r"\pi \gets 0", *_loop(r"\pi \gets \pi + x_i"), r"return 2\pi"]),
        (r"\pi", [r"\pi \gets 0", *_loop(r"\pi \gets \pi + x_i", r"y_i \gets 2\pi x_i"), "return y"]),
        (r"\pi", [*_loop(r"\pi \gets x_i", r"y_i \gets 2 \cdot \pi"), "return y"]),
    ],
)
def test_reserved_letter_assigned_in_a_loop(letter: str, lines: list[str]) -> None:
    check_refused(algorithm([VECTOR], *lines), "E0304", f"or what this program calls `{letter}`", "yours another name")


def test_reserved_letter_of_a_loop_as_the_authors() -> None:
    text = algorithm([VECTOR], *_loop(r"e \gets x_i + 3", r"y_i \gets e + \pi x_i"), "return y")
    torch.testing.assert_close(loaded(text).F()(X), X + 3 + torch.pi * X)


def test_family_of_a_reserved_letter_in_a_loop() -> None:
    lines = _loop(r"\pi_i \gets x_i + 3", r"e_i \gets \pi_i", r"\sigma_i \gets x_i", r"y_i \gets 2\pi + \pi_i + e^{-x_i} + \sigma(x_i)")
    expected = 2 * torch.pi + X + 3 + torch.exp(-X) + torch.sigmoid(X)
    torch.testing.assert_close(loaded(algorithm([VECTOR], *lines, "return y")).F()(X), expected)


def test_element_of_the_authors_e_to_a_power() -> None:
    text = algorithm([r"x_i \in \mathbb{R}^d, i = 1, \dots, n"], *_loop(r"e \gets 2 x_i", r"y_i \gets e[1]^2"), "return y")
    x = torch.stack((X, X + 1))
    torch.testing.assert_close(loaded(text).F()(x), 4 * x[:, 0] ** 2)


def test_argument_of_a_function_beside_a_loop_that_assigns_its_letter() -> None:
    text = algorithm([VECTOR], r"f(e) \gets e^{2}", *_loop(r"e \gets x_i + 1", r"y_i \gets f(e)"), "return y")
    torch.testing.assert_close(loaded(text).F()(X), (X + 1) ** 2)
