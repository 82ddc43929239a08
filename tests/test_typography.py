r"""Typography that means nothing: what is left of a formula without it is what it says."""

from __future__ import annotations

import re

import pytest

from mathdsl import api

WHERE = r"\begin{where} x_i, y_i \in \mathbb{R}, i = 1, \dots, d & \\ A \in \mathbb{R}^{n \times d} & \end{where}"


def program(*statements: str) -> str:
    return "\\Module{M}{x, y, A}\n" + "".join(f"{line} \\\\\n" for line in statements) + "\\EndModule\n" + WHERE


def code(text: str) -> str:
    """The statements of the generated `forward`, without comments."""
    result = api.compile(text)
    assert result.ok, [(found.code, found.message) for found in result.diagnostics]
    body = result.source[result.source.index("def forward") : result.source.index("\n\n\ndef _check")]
    return re.sub(r"\n *#.*", "", body)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"\textcolor{red}{x} + y", "x + y"),
        (r"\textcolor[rgb]{1, 0, 0}{2 x} + y", "2 x + y"),
        (r"{\color{blue} 2 x} + y", "2 x + y"),
        (r"\colorbox{yellow}{$2 x$} + y", "2 x + y"),
        (r"\boxed{x + y}", "x + y"),
        (r"\underbrace{2 x}_{\text{scaled}} + y", "2 x + y"),
        (r"\overbrace{2 x}^{\text{scaled } (a)} + \underbrace{y}_{b}", "2 x + y"),
        (r"\underbrace{x \odot y}_{\in \mathbb{R}^d}", r"x \odot y"),
        (r"2 \underbrace{(x + y)}", "2 (x + y)"),
        (r"x \mathrel{+} y", "x + y"),
        (r"\mathopen{}\left( x + y \mathclose{}\right)", "(x + y)"),
        (r"x\phantom{xx} + \vphantom{\Big(} y", "x + y"),
        (r"x \ast y", "x * y"),
        (r"\sum_{\mathclap{1 \leq i \leq d}} x_i", r"\sum_{1 \leq i \leq d} x_i"),
        (r"\underset{i}{\max} x_i", r"\max_i x_i"),
        (r"\underset{i}{\operatorname{max}} x_i", r"\max_i x_i"),
        (r"\overset{d}{\underset{i=1}{\sum}} x_i", r"\sum_{i=1}^d x_i"),
        (r"\underset{i}{\arg\max} \; x_i", r"\arg\max_i x_i"),
        (r"\underset{i}{\mathrm{argmax}} \; x_i", r"\operatorname{argmax}_i x_i"),
        (r"\operatorname*{arg\,max}_i x_i", r"\operatorname{argmax}_i x_i"),
        (r"\operatorname{arg\ min}_i x_i", r"\operatorname{argmin}_i x_i"),
        (r"\overset{\text{inner}}{x} + y", "x + y"),
        (r"\underset{seq}{\mathop{softmax}}(A)", r"\softmax(A)"),
        (r"\underset{\text{keys}}{\operatorname{softmax}}\Big( A \Big)", r"\softmax(A)"),
        (r"\operatorname{softmax}_{\mathrm{seq}}(A)", r"\softmax(A)"),
        (r"{\rm ReLU}(x)", r"\mathrm{ReLU}(x)"),
        (r"\text{ } x + \text{} y", "x + y"),
        (r"x + y \text{ (their sum)}", "x + y"),
        (r"x + y, \quad \text{the residual stream}", "x + y"),
    ],
)
def test_what_is_left_is_what_it_says(written: str, plain: str) -> None:
    assert code(program(rf"\Return {written}")) == code(program(rf"\Return {plain}"))


@pytest.mark.parametrize(
    "sign",
    [
        *(r"\triangleq", r"\longleftarrow", r"\equiv", r"\doteq", r"\coloneq", "≜", "≡", r"\stackrel{\text{def}}{=}"),
        *(
            r"\overset{\mathrm{def}}{=}",
            r"\stackrel{\triangle}{=}",
            r"\overset{(a)}{=}",
            r"\stackrel{(1)}{:=}",
            r"\underset{\text{def}}{=}",
        ),
    ],
)
def test_signs_of_definitions(sign: str) -> None:
    assert code(program(f"z {sign} 2 x + y", r"\Return z")) == code(program(r"z \gets 2 x + y", r"\Return z"))


@pytest.mark.parametrize(
    ("name", "python"),
    [
        (r"\textrm{loss}", "loss"),
        (r"\textbf{z}", "z"),
        (r"\textsf{loss}", "loss"),
        (r"\texttt{loss}", "loss"),
        (r"\mathsf{z}", "z"),
        (r"\mathtt{loss}", "loss"),
        (r"\mathfrak{z}", "z"),
        (r"\mathscr{L}", "L"),
        (r"\pmb{z}", "z"),
        (r"\overrightarrow{z}", "overrightarrow_z"),
        (r"\overleftarrow{z}", "overleftarrow_z"),
        (r"\underline{z}", "underline_z"),
        (r"\mathring{z}", "mathring_z"),
        (r"\check{z}", "z_check"),
        (r"\ddot{z}", "z_ddot"),
    ],
)
def test_fonts_and_accents_of_names(name: str, python: str) -> None:
    made = code(program(rf"{name} \gets 2 x", rf"\Return {name} \odot {name}"))
    assert f"{python} = " in made


def test_arrows_tell_two_names_apart() -> None:
    made = code(program(r"\overrightarrow{h} \gets 2 x", r"\overleftarrow{h} \gets 3 y", r"\Return \overrightarrow{h} - \overleftarrow{h}"))
    assert "overrightarrow_h - overleftarrow_h" in made


@pytest.mark.parametrize(
    "written",
    [
        r"\overset{\circ}{x} + y",  # may be another symbol than x
        r"\underset{1}{x} + y",
        r"\underset{rows}{\mathop{softmax}}(A)",  # says which axis
        r"\underset{n}{\mathop{softmax}}(A)",
        r"\operatorname{softmax}_{\tau}(A)",  # a temperature
        r"\operatorname{softmax}_{ij}(A_{ij})",  # over both indices
        r"\operatorname{softmax}_{ij}(A)",
        r"x + y \text{ if it is positive}",  # says when it holds
        r"x + y \quad \text{for positive x}",
        r"\cancel{x} + y",
        r"x + y \text{ (x > 0)}",  # a condition in signs
        r"x + y \text{ (layer 2)}",
        r"x + y \text{ (squared)}",  # says what becomes of it
    ],
)
def test_what_may_mean_something_is_refused(written: str) -> None:
    assert not api.compile(program(rf"\Return {written}")).ok


@pytest.mark.parametrize(
    "written",
    [
        r"\sum_{i=1}^d {x_i + 1}",
        r"\frac{1}{d} \sum_{i=1}^d {x_i - 2}^2",
        r"{x_1 + 1} \cdot 3",
        r"3 {x_1 + 1}",
        r"5 - {x_1 + 1}",
        r"-{x_1 - 2}",
        r"{x_1 + 1}^2",
        r"{x_1 \cdot y_1}^2",
        r"\log {x_1 + 1}",
        r"\sum_i {\color{red} x_i + 1}",
        r"2 \underbrace{x_1 + x_2}_{\text{both}}",
        r"\underbrace{x_1 + 1}_{a} / \underbrace{x_1 + 2}_{b}",
        r"\underbrace{x_1 + 1}_{a}^2",
        r"5 - \boxed{x_1 + 1}",
    ],
)
def test_braces_that_nobody_sees_are_no_parentheses(written: str) -> None:
    found = [one for one in api.compile(program(rf"\Return {written}")).diagnostics if one.severity == "error"]
    assert {one.code for one in found} == {"E0210"}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"{x + y}", "x + y"),
        (r"{x + 1} + {y - 2}", "x + 1 + (y - 2)"),
        (r"({x + y}) \odot {x}^2", r"(x + y) \odot x^2"),
        (r"2 {x} + {{y}}", "2 x + y"),
        (r"\frac{{x + y}}{{2}}", r"\frac{x + y}{2}"),
        (r"x^{{2 + 1}}", r"x^{2 + 1}"),
        (r"\underbrace{x + y}_{a} + \underbrace{2 (x + y)}_{b}", "x + y + 2 (x + y)"),
    ],
)
def test_braces_that_change_nothing(written: str, plain: str) -> None:
    assert code(program(rf"\Return {written}")) == code(program(rf"\Return {plain}"))


def test_a_question_is_no_definition() -> None:
    assert not api.compile(program(r"z \stackrel{?}{=} 2 x", r"\Return z")).ok


def test_a_remark_is_carried_as_a_comment() -> None:
    result = api.compile(program(r"z \gets 2 x \quad \text{(the scaled input)}", r"\Return z"))
    assert "the scaled input" in result.source


def test_a_macro_may_stand_under_an_index() -> None:
    text = r"\DeclareMathOperator*{\argmax}{arg\,max}" + "\n" + program(r"\Return \underset{i}{\argmax} \; x_i")
    assert code(text) == code(program(r"\Return \arg\max_i x_i"))


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"2 \|x\|^2", r"2 \lVert x \rVert^2"),
        (r"y_1 \|x\|^2", r"y_1 \lVert x \rVert^2"),
        (r"y_1 ||x||_1 + \|y\|", r"y_1 \lVert x \rVert_1 + \lVert y \rVert"),
        (r"\frac{x^\top y}{\|x\| \|y\|}", r"\frac{x^\top y}{\lVert x \rVert \lVert y \rVert}"),
        (r"\|x - y\|^2 \|x + y\|^2", r"\lVert x - y \rVert^2 \lVert x + y \rVert^2"),
        (r"|x_1| |y_1|", r"\lvert x_1 \rvert \lvert y_1 \rvert"),
        (r"x \| y", r"\operatorname{concat}(x, y)"),
        (r"x \| y \| x", r"\operatorname{concat}(x, y, x)"),
    ],
)
def test_bars_that_can_join_nothing_are_a_pair(written: str, plain: str) -> None:
    assert code(program(rf"\Return {written}")) == code(program(rf"\Return {plain}"))


def test_three_bars_in_a_row_are_asked_about() -> None:
    assert not api.compile(program(r"\Return |x_1|y_1|x_2|")).ok


def test_words_of_algorithms() -> None:
    def lines(header: str, last: str) -> str:
        inner = rf"\State $s \gets 0$ \For{{{header}}} \State $s \gets s + x_i$ \EndFor {last}"
        return rf"\begin{{algorithmic}} \Procedure{{M}}{{$x, y, A$}} {inner} \EndProcedure \end{{algorithmic}}" + "\n" + WHERE

    plain = code(lines(r"$i = 1, \dots, d$", r"\State \Return $s$"))
    assert code(lines(r"each $i \in \{1, \dots, d\}$", r"\State \textbf{return} $s$")) == plain
    assert code(lines(r"$i \gets 1$ \textbf{to} $d$ \textbf{do}", r"\State \textit{Return} $s$")) == plain
