"""Documents on which the compiler stopped with an error of its own, or which it misread: one test for each kind of fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

from mathdsl import compile, load
from mathdsl.cli import main
from mathdsl.elaborate import procedure

SOUND = r"""
\Module{Sound}{x}
  \Return \sum_{i=1}^{n} x_i^2 \\
\EndModule
\begin{where}
  x_i \in \mathbb{R}, i = 1, \dots, n \\
\end{where}
"""


def codes_of(source: str) -> list[str]:
    """The errors of a document, in order."""
    return [found.code for found in compile(source).diagnostics if found.severity == "error"]


def test_a_primed_size_is_no_length_of_an_example() -> None:
    before = compile(SOUND).source
    source = r"""
\Module{Two}{x, y}
  p_i \gets \exp(x_i) / \sum_{k=1}^{n} \exp(x_k) \quad (i = 1, \dots, n) \\
  q_j \gets \operatorname{softmax}_j(y_j) \quad (j = 1, \dots, n') \\
  \Return (p, q) \\
\EndModule
\begin{where}
  x_i \in \mathbb{R}, i = 1, \dots, n \\
  y_j \in \mathbb{R}, j = 1, \dots, n' \\
\end{where}
"""
    x, y = torch.randn(2, 3), torch.randn(2, 4)
    p, q = load(source).Two()(x, y, lengths={"n": torch.tensor([2, 3]), "n_prime": torch.tensor([4, 1])})
    torch.testing.assert_close(p[0], torch.cat([x[0, :2].softmax(-1), torch.zeros(1)]))
    torch.testing.assert_close(q[1], torch.tensor([1.0, 0.0, 0.0, 0.0]))
    torch.testing.assert_close((p[1], q[0]), (x[1].softmax(-1), y[0].softmax(-1)))
    assert compile(SOUND).source == before


def test_words_around_a_formula_that_does_not_parse_are_words() -> None:
    source = r"""
\begin{algorithmic}
\Require The batch $B = \{x_{1 \dots m}\}$ of data
\Require Nothing else
\Require $z \in \mathbb{R}^m$
\State \Return $\sum_{i=1}^{m} z_i$
\end{algorithmic}
"""
    assert codes_of(source) == ["E0209"]


def test_a_lookup_where_a_grid_has_no_element_is_an_error_of_the_call() -> None:
    source = r"""
\Module{Grid}{a, b, p, q}
  G_{i,0} \gets a_i \quad (i = 1, \dots, n) \\
  G_{0,j} \gets b_j \quad (j = 1, \dots, m) \\
  G_{i,j} \gets \max(G_{i-1,j}, G_{i,j-1}) - a_i b_j \quad (i = 1, \dots, n, j = 1, \dots, m) \\
  \Return G_{p,q} \\
\EndModule
\begin{where}
  a_i \in \mathbb{R}, i = 1, \dots, n \\
  b_j \in \mathbb{R}, j = 1, \dots, m \\
  p, q \in \mathbb{Z} \\
\end{where}
"""
    model, a, b = load(source).Grid(), torch.randn(3), torch.randn(2)
    grid = {(i, 0): a[i - 1] for i in range(1, 4)} | {(0, j): b[j - 1] for j in range(1, 3)}
    for i in range(1, 4):
        for j in range(1, 3):
            grid[i, j] = torch.maximum(grid[i - 1, j], grid[i, j - 1]) - a[i - 1] * b[j - 1]
    for (p, q), value in grid.items():
        torch.testing.assert_close(model(a, b, torch.tensor(p), torch.tensor(q)), value)
    with pytest.raises(ValueError, match="is defined"):
        model(a, b, torch.tensor(0), torch.tensor(0))


def test_an_accent_over_an_array_with_an_index_above_is_no_obstacle_to_a_message() -> None:
    source = r"""
\algoProc{\Net}\pa{x, h_0} \\
  \algoFor{\ell \in \set{1, \dots, L}} \\
    h^\ell \algoEq W^\ell \cdot \widehat{h^{\ell-1}} + x \\
    \widehat{h^\ell} \algoEq \tanh\pa{h^\ell} \\
  \algoEndFor \\
  \algoFor{t \in \set{1, \dots, S}} \\
    z_t \algoEq x_t + z_{t-1} \\
  \algoEndFor \\
  \algoReturn \cat{z_1, \dots, z_S} \\
\algoEndProc
"""
    assert codes_of(source)


def test_a_mistake_beside_arrays_that_are_not_proved_is_found_in_few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    readings: list[object] = []
    infer_types = procedure.infer_types

    def counted(*arguments: Any, **named: Any) -> Any:
        readings.append(arguments)
        return infer_types(*arguments, **named)

    monkeypatch.setattr(procedure, "infer_types", counted)
    for count in range(1, 6):
        names = "ABCDF"[:count]
        zeros = " ".join(rf"\State ${name} \gets \mathbf{{0}}_k$" for name in names)
        sums = " ".join(rf"\State ${name}_{{s_i}} \gets {name}_{{s_i}} + x_i$" for name in names)
        source = rf"""
\begin{{algorithmic}}
\Procedure{{Count}}{{$x, s, M$}}
{zeros}
\For{{$i = 1, \dots, n$}}
{sums}
\EndFor
\State \Return ${" + ".join(names)} + M x + M$
\EndProcedure
\end{{algorithmic}}
\begin{{where}}
  x \in \mathbb{{R}}^n \\
  s \in \{{1, \dots, k\}}^n \\
  M \in \mathbb{{R}}^{{k \times n}} \\
\end{{where}}
"""
        readings.clear()
        assert codes_of(source) == ["E0401"]
        assert len(readings) <= 1 + count
        assert codes_of(source.replace("x + M$", "x$")) == []


def test_a_file_of_others_stays_and_a_bad_file_of_a_folder_keeps_no_other_from_being_written(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["compile", *arguments])
        return result.exit_code, result.stderr

    source, target = tmp_path / "in" / "sound.tex", tmp_path / "out" / "sound.py"
    source.parent.mkdir()
    source.write_text(SOUND)
    assert run(str(source), "-o", str(target), "--parents")[0] == 0
    assert run(str(source), "-o", str(target))[0] == 0
    target.write_text("weights = 1\n")
    code, said = run(str(source), "-o", str(target))
    assert (code, target.read_text(), "--force" in said) == (2, "weights = 1\n", True)
    (source.parent / "bad.tex").write_text(SOUND.replace("x_i^2", "x_i^2 +"))
    assert run(str(source.parent), "-o", str(target.parent), "--force")[0] == 1
    assert "class Sound" in target.read_text()
    assert not (target.parent / "bad.py").exists()


def test_three_typed_dots_are_dots() -> None:
    source = r"""
\Module{Join}{X, a}
  \Return (\operatorname{concat}(X_1, ..., X_h), \sum_{i \in \{1, ..., n\}} a_i) \\
\EndModule
\begin{where}
  X_i \in \mathbb{R}^{m \times d}, i = 1, ..., h \\
  a_i \in \mathbb{R}, i = 1,...,n \\
\end{where}
"""
    assert [(found.code, found.severity) for found in compile(source).diagnostics] == [("W0201", "warning")]
    X, a = torch.randn(2, 3, 4), torch.randn(5)
    torch.testing.assert_close(load(source).Join()(X, a), (torch.cat([X[0], X[1]], -1), a.sum()))


@pytest.mark.parametrize("place", ["after", "apart"])
def test_a_row_that_is_refused_brings_no_other_message(place: str) -> None:
    program = r"""
\Module{Line}{x ; W, b}
  y \gets W x + b \\
  \Return y \\
\EndModule
"""
    table = r"""
\begin{where}
  x \in \mathbb{R}^d \\
  W, b \in \mathbb{R}^{m \times} \\
\end{where}
"""
    other = program.replace("Line", "Other")
    assert codes_of(program + table if place == "after" else table + program + other) == ["E0208"]
    words = r"\begin{algorithmic} \Require Data $B = \{x_{1 \dots m}\}$ \State \Return $\sum_{i=1}^{m} x_i$ \end{algorithmic}"
    assert codes_of(words) == ["E0209"]


@pytest.mark.parametrize("form", ["rst", "md", "py"])
def test_a_table_in_a_display_of_its_own_holds_for_the_document(form: str, tmp_path: Path) -> None:
    program = "\\algoProc{\\Look}\\pa{x} \\\\\n\\algoReturn W \\cdot E[x] \\\\\n\\algoEndProc"
    rows = (r"x \in \{0, \dots, V - 1\}", r"E \in \mathbb{R}^{V \times d}", r"W \in \mathbb{R}^{m \times d}")
    blocks = program, "\n".join((r"\begin{where}", *(row + r" \\" for row in rows), r"\end{where}"))
    if form == "md":
        text = "\n\nwhere\n\n".join(f"$$\n{block}\n$$" for block in blocks)
    else:
        text = "\n\nwhere\n\n".join(".. math::\n\n    " + block.replace("\n", "\n    ") for block in blocks)
    path = tmp_path / f"look.{form}"
    path.write_text(f'class Look:\n    r"""Looks up.\n\n{text}\n"""\n' if form == "py" else text)
    model = load(path).Look(V=3, d=2, m=4)
    torch.testing.assert_close(model(torch.tensor(2)), model.W @ model.E[2])


def test_the_classes_of_a_cross_entropy_count_as_the_elements_of_its_logits() -> None:
    source = r"""
\Module{Classes}{x, y ; W}
  z \gets W x \\
  \Return (\CrossEntropy(z, y), -\log \softmax(z)_y, \arg\max_{c} z_c) \\
\EndModule
\begin{where}
  x \in \mathbb{R}^d \\
  y \in \{1, \dots, C\} \\
  W \in \mathbb{R}^{C \times d} \\
\end{where}
"""
    model, x = load(source).Classes(C=4, d=3), torch.randn(5, 3)
    y = torch.tensor([1, 4, 2, 3, 1])
    z = x @ model.W.T
    loss = torch.nn.functional.cross_entropy(z, y - 1, reduction="none")
    torch.testing.assert_close(model(x, y), (loss, loss, z.argmax(-1) + 1))
    other = (
        source.replace("x, y ;", "x, y, u ;")
        .replace(r"-\log \softmax(z)_y", "z_u")
        .replace(r"  W \in", r"  u \in \{0, \dots, C - 1\} \\" + "\n  W \\in")
    )
    assert codes_of(other) == ["E0504"]


def test_a_difference_of_logarithms_is_computed_as_it_is_written() -> None:
    rows = r"\begin{where} y, x \in \mathbb{R} \\ \end{where}"
    result = compile(rf"\Module{{F}}{{y, x ; }} \Return y \cdot (\log y - \log x) \\ \EndModule {rows}")
    assert "return y * (torch.log(y) - torch.log(x))" in result.source


def test_a_size_right_of_the_semicolon_is_a_constructor_argument_in_the_type_of_an_input() -> None:
    text = r"""\Module{Pool}{x ; k}
      y_l = \max_{m=0, \ldots, k - 1} x[l + m] \quad (l = 0, \dots, n - 1) \\
      \Return y \\
    \EndModule
    \begin{where} x \in \mathbb{R}^{n + k - 1} \\ k \in \mathbb{N} \\ \end{where}"""
    x = torch.randn(7, dtype=torch.float64)
    torch.testing.assert_close(load(text).Pool(k=3)(x), x.unfold(0, 3, 1).amax(1))


def test_scripts_of_a_row_of_open_shape_are_indices() -> None:
    text = r"""\Module{Last}{x, v}
      h_t = \tanh(x_t) \quad (t = 1, \dots, T) \\
      \Return \sum_{i=1}^{d} v_i h_{T,i} \\
    \EndModule
    \begin{where} x_t \in \mathbb{R}^d, t = 1, \dots, T \\ v \in \mathbb{R}^d \\ \end{where}"""
    x, v = torch.randn(4, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    torch.testing.assert_close(load(text).Last()(x, v), v @ torch.tanh(x[-1]))


def test_a_family_joins_end_to_end_in_either_case() -> None:
    text = r"""\Module{M}{x ; W} a_i \gets W_i x \quad (i = 1, \dots, h) \\ \Return \text{Concat}(a_1, \dots, a_h) \\ \EndModule
    \begin{where} W_i \in \mathbb{R}^{m \times d}, i = 1, \dots, h \\ x \in \mathbb{R}^{d} \\ \end{where}"""
    made = load(text).M(m=2, d=3, h=4).double()
    x = torch.randn(3, dtype=torch.float64)
    torch.testing.assert_close(made(x), torch.cat([made.W[i] @ x for i in range(4)]))


@pytest.mark.parametrize("sign", ["", r"\cdot"])
def test_a_greek_letter_left_of_a_product_is_a_number(sign: str) -> None:
    rows = r"\begin{where} \theta, m \in \mathbb{R}^{n} \\ \end{where}"
    made = load(rf"\Module{{Step}}{{\theta, m ; \alpha}} \Return \theta - \alpha {sign} m \\ \EndModule {rows}").Step().double()
    theta, m = torch.randn(3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    torch.testing.assert_close(made(theta, m), theta - made.alpha * m)


def test_a_capital_under_a_power_that_is_no_integer_is_a_matrix() -> None:
    (found,) = (
        d for d in compile(r"\Module{Norm}{A, D ; } \Return D^{-1/2} A D^{-1/2} \\ \EndModule").diagnostics if d.severity == "error"
    )
    assert found.code == "E0701"
    assert "D_{i,i}^{-1 / 2}" in found.help


@pytest.mark.parametrize("join", [r"\mathrm{Concat}(X, Y)", "[X, Y]"])
def test_matrices_with_one_run_time_axis_are_joined_along_the_last(join: str) -> None:
    rows = r"\begin{where} X, Y \in \mathbb{R}^{n \times d} \\ W \in \mathbb{R}^{2d \times m} \\ \end{where}"
    made = load(rf"\Module{{Join}}{{X, Y ; W}} \Return {join} W \\ \EndModule {rows}").Join(d=3, m=2).double()
    x, y = torch.randn(2, 2, 5, 3, dtype=torch.float64)
    expected = torch.cat([x, y], -1) @ made.W
    expected[1, 3:] = 0
    torch.testing.assert_close(made(x, y, lengths=torch.tensor([5, 3])), expected)


def test_a_number_that_is_part_of_a_declared_name_is_no_index() -> None:
    text = r"\Module{F}{s_1} \Return \sum_{i=1}^{n} s_{1,i}^2 \\ \EndModule \begin{where} s_1 \in \mathbb{R}^n \\ \end{where}"
    s = torch.randn(4, dtype=torch.float64)
    torch.testing.assert_close(load(text).F()(s), s @ s)


@pytest.mark.parametrize(
    ("product", "rows", "fits"),
    [("W x", r"W \in \mathbb{R}^{d \times h}", r"W^\top x"), ("x W", r"W \in \mathbb{R}^{h \times d}", r"x W^\top")],
)
def test_the_product_that_fits_is_offered(product: str, rows: str, fits: str) -> None:
    def module(value: str) -> str:
        table = rf"\begin{{where}} x \in \mathbb{{R}}^{{d}} \\ {rows} \\ \end{{where}}"
        return rf"\Module{{F}}{{x ; W}} \Return {value} \\ \EndModule {table}"

    (found,) = (d for d in compile(module(product)).diagnostics if d.severity == "error")
    assert found.help == f"write `{fits}`, which fits"
    assert compile(module(fits)).ok


@pytest.mark.parametrize("end", [r"\log_2 n", r"\lceil \log_2 n \rceil", r"\tanh_2 n"])
def test_a_function_with_a_subscript_is_no_size(end: str) -> None:
    rows = r"\begin{where} x \in \mathbb{R}^{n} \\ \end{where}"
    assert not compile(rf"\Module{{F}}{{x}} \Return \sum_{{k=1}}^{{{end}}} x_k \\ \EndModule {rows}").ok


def test_a_row_of_a_table_in_capitals_is_a_vector() -> None:
    loop = r"\algoFor{t \in \set{1, \dots, S}} \\ h_t \algoEq \tanh\pa{W \cdot E[x_t] + U \cdot h_{t-1} + b} \\ \algoEndFor"
    result = compile(rf"\algoProc{{\F}}\pa{{x, h_0}} \\ {loop} \\ \algoReturn h_S \\ \algoEndProc")
    shapes = {row.python: row.shape for row in result.symbols}
    assert (shapes["E"], shapes["h_0"]) == ("n_E × d_E", "d_h")
    alone = r"\algoFor{t \in \set{1, \dots, S}} \\ h_t \algoEq E[x_t] + \PE_t \\ \algoEndFor"
    assert compile(rf"\algoProc{{\F}}\pa{{x}} \\ {alone} \\ \algoReturn \cat{{h_1, \dots, h_S}} \\ \algoEndProc").ok


def test_a_family_beside_a_setting_of_its_letter_is_an_array_of_its_own() -> None:
    loop = r"\For{$t = 1, \dots, 4$} \State $\alpha_t \gets \alpha \beta^t$ \State $x \gets x - \alpha_t x$ \EndFor"
    rows = r"\begin{where} x \in \mathbb{R}^{d} \\ \alpha, \beta \in \mathbb{R}_{>0} \\ \end{where}"
    text = (
        rf"\begin{{algorithmic}} \Procedure{{S}}{{$x ; \alpha, \beta$}} {loop} \State \Return $x$ \EndProcedure \end{{algorithmic}} {rows}"
    )
    x = torch.randn(3, dtype=torch.float64)
    expected = x * torch.tensor([1 - 0.3 * 0.7**t for t in range(1, 5)], dtype=torch.float64).prod()
    torch.testing.assert_close(load(text).S(alpha=0.3, beta=0.7)(x), expected)


def test_the_scripts_of_a_word_belong_to_its_last_letter() -> None:
    rows = r"\begin{where} Q \in \mathbb{R}^{n \times d} \\ W_i^Q \in \mathbb{R}^{d \times m}, i = 1, \dots, h \\ \end{where}"
    result = compile(rf"\Module{{Heads}}{{Q ; W^Q}} \Return \sum_{{i=1}}^{{h}} QW_i^Q \\ \EndModule {rows}")
    assert [d.code for d in result.diagnostics] == ["N0301"]
    made = result.load().Heads(h=3, d=4, m=2).double()
    q = torch.randn(5, 4, dtype=torch.float64)
    torch.testing.assert_close(made(q), sum(q @ weight for weight in made.W_Q))


def test_a_row_in_a_program_declares_the_argument_of_a_function_of_the_document() -> None:
    rows = r"\begin{where} v \in \mathbb{R} & the argument \\ \end{where}"
    text = rf"f(v) \gets \frac{{v}}{{1 + |v|}} \\ \Module{{G}}{{X \in \mathbb{{R}}^{{m \times n}}}} \Return f(X) \\ \EndModule {rows}"
    assert codes_of(text) == ["E0401"]
    number = compile(text.replace(r"X \in \mathbb{R}^{m \times n}", r"X \in \mathbb{R}"))
    assert [d.code for d in number.diagnostics] == []
    assert number.load().G()(torch.tensor(-3.0)) == -0.75


def test_bars_of_a_computed_number_are_its_absolute_value() -> None:
    rows = r"\begin{where} x \in \mathbb{R} \\ \end{where}"
    text = rf"\Module{{F}}{{x}} a \gets \tanh(x) \\ b \gets |a| \\ \Return b \\ \EndModule {rows}"
    assert load(text).F()(torch.tensor(-1.0)) == torch.tensor(1.0).tanh()
