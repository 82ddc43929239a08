"""What is decided where a program in an algorithm notation declares nothing: sizes, branches, divisors, layers over sequences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from differential import check_text
from torch import Tensor

from mathdsl.api import compile
from mathdsl.elaborate.types.constraints.axes import FoldConstraint
from mathdsl.elaborate.types.solvers import Types
from mathdsl.result import CompileResult
from tests.test_found_by_the_net import make, module_of, numbers, same


def check(*lines: str, name: str = "F", inputs: str = "x") -> CompileResult:
    r"""A program in docstring notation, by its lines."""
    body = " \\\\\n".join(lines)
    return compile(f"\\algoProc{{\\{name}}}\\pa{{{inputs}}} \\\\\n{body} \\\\\n\\algoEndProc\n")


def loop(variable: str, end: str, *body: str) -> list[str]:
    return [rf"\algoFor{{{variable} \in \set{{1, \dots, {end}}}}}", *body, r"\algoEndFor"]


def table(result: CompileResult) -> dict[str, tuple[str, str]]:
    """Kind and shape of each symbol."""
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    return {row.python: (row.kind, row.shape) for row in result.symbols}


def notes(result: CompileResult) -> list[str]:
    return [line for d in result.diagnostics for line in d.notes if "each element" in line]


MEASURED = r"S \algoEq x.\sz{1}"


def test_an_undeclared_input_that_ends_a_range_is_a_size() -> None:
    result = check(*loop("t", "2 n", r"a_t \algoEq t^2"), r"\algoReturn a", inputs="n")
    assert table(result) == {"n": ("run-time size", ""), "a": ("value", "2 n")}
    module = result.load().F()
    assert module(2).tolist() == [1, 4, 9, 16]
    with pytest.raises(TypeError, match="n"):
        module(2.0)


def test_an_input_whose_length_ends_a_range_is_an_array() -> None:
    result = check(*loop("t", "|x|", r"a_t \algoEq 2 x_t + W \cdot x_t"), r"\algoReturn a")
    assert table(result)["x"][0] == "input"


def test_the_condition_of_a_branch_is_decided_once_a_turn() -> None:
    body = [r"\algoIf{m_{i,j} \algoIs \algoTrue}", r"a_{i,j} \algoEq 1", r"\algoElse", r"a_{i,j} \algoEq 0", r"\algoEndIf"]
    result = check(*loop("i", "n", *loop("j", "k", *body)), r"\algoReturn a", inputs="m")
    assert table(result)["m"] == ("input", "n × k")
    assert next(row.type for row in result.symbols if row.python == "m") == "boolean"
    assert "== True" not in result.source


@pytest.mark.parametrize(("written", "expected"), [(r"= \algoFalse", False), (r"\neq \algoTrue", False), (r"\neq \algoFalse", True)])
def test_a_condition_beside_a_truth_value_is_itself_or_denied(written: str, expected: bool) -> None:
    import torch

    body = [rf"\algoIf{{m_i {written}}}", r"a_i \algoEq 1", r"\algoElse", r"a_i \algoEq 0", r"\algoEndIf"]
    module = check(*loop("i", "n", *body), r"\algoReturn a", inputs="m").load().F()
    assert module(torch.tensor([True, False])).tolist() == [int(expected), int(not expected)]


def test_a_truth_value_beside_a_number_is_refused() -> None:
    body = [r"\algoIf{(x_i + 1) \algoIs \algoTrue}", r"a_i \algoEq 1", r"\algoElse", r"a_i \algoEq 0", r"\algoEndIf"]
    errors = [d.code for d in check(*loop("i", "n", *body), r"\algoReturn a").diagnostics if d.severity == "error"]
    assert errors == ["E0406"]


def test_an_undeclared_divisor_is_a_setting() -> None:
    result = check(r"y \algoEq \dfrac{W \cdot x}{\sqrt{d}}", r"\algoReturn y")
    assert table(result)["d"] == ("setting", "scalar")
    assert table(check(r"y \algoEq \dfrac{W \cdot x}{z}", r"\algoReturn y", inputs="x, z"))["z"][0] == "input"


def test_no_parameter_gets_a_size_that_is_read_off_an_array() -> None:
    result = check(MEASURED, *loop("t", "S", r"a_t \algoEq U \cdot x_t"), r"y \algoEq W \cdot a + b", r"\algoReturn y")
    assert table(result)["S"][0] == "run-time size"
    assert table(result)["y"][1] == "S × d_W"
    assert notes(result) == ["`W` is applied to each element of a sequence (to each row)"]


def test_a_table_read_over_a_length_has_a_size_of_its_own() -> None:
    result = check(MEASURED, *loop("t", "S", r"a_t \algoEq W \cdot x_t + P_t"), r"\algoReturn a")
    found = table(result)
    assert (found["S"][0], found["P"]) == ("run-time size", ("parameter", "n_P × d_a"))
    import torch

    module = result.load().F(d_x=2, d_a=3, n_P=4)
    assert module(torch.zeros(4, 2)).shape == (4, 3)
    with pytest.raises(ValueError, match="P"):
        module(torch.zeros(5, 2))


def test_an_axis_takes_the_range_that_it_is_read_over() -> None:
    result = check(r"a \algoEq W \cdot x", *loop("k", "n", r"y_k \algoEq a_k^2"), r"\algoReturn y")
    assert table(result)["W"] == ("parameter", "n × d_x")


def test_a_layer_is_applied_to_each_element_of_a_sequence() -> None:
    import torch

    lines = (MEASURED, *loop("t", "S", r"a_t \algoEq W \cdot x_t"), r"y \algoEq \LayerNorm_1\pa{a} + \LayerNorm_2\pa{a}", r"\algoReturn y")
    result = check(*lines)
    assert notes(result) == ["`LayerNorm` is applied to each element of a sequence (to each row)"]
    module = result.load().F(d_x=2, d_a=3)
    x = torch.randn(5, 7, 2)
    torch.testing.assert_close(module(x), 2 * torch.nn.functional.layer_norm(x @ module.W.T, (3,)))
    assert notes(check(r"\algoReturn \LayerNorm\pa{W \cdot x}")) == []


def test_a_free_scalar_is_the_setting_that_a_callee_wants_by_that_name() -> None:
    inner = "\\algoProc{\\G}\\pa{x} \\\\\n \\algoReturn \\drop{W \\cdot x}{p} \\\\\n\\algoEndProc\n"
    outer = "\\algoProc{\\F}\\pa{x} \\\\\n y \\algoEq \\drop{U \\cdot x}{p} \\\\\n \\algoReturn \\G\\pa{y} \\\\\n\\algoEndProc\n"
    result = compile(inner + outer)
    assert result.ok, [d.message for d in result.diagnostics]
    assert [(row.module, row.kind) for row in result.symbols if row.python == "p"] == [("G", "setting"), ("F", "setting")]


def test_a_fresh_size_is_named_after_an_input_before_a_computed_vector_before_a_matrix() -> None:
    found = table(
        check(*loop("t", "S", r"a_t \algoEq W \cdot x_t"), r"y \algoEq a \cdot V + b", r"\algoReturn \tanh\pa{y} + z", inputs="x, z")
    )
    assert found["z"] == ("input", "S × d_z")  # a matrix beside the vector `b` of the same size
    assert found["W"][1] == "d_a × d_x"
    assert found["V"][1] == "d_a × d_z"


def test_a_fresh_size_has_another_name_where_the_program_writes_the_first() -> None:
    found = table(check(r"y \algoEq \dfrac{W \cdot x}{\sqrt{d_x}}", r"\algoReturn y"))
    assert found["d_x"] == ("setting", "scalar")
    assert found["W"][1] == "d_y × d_W"


@pytest.mark.parametrize(("first", "sign", "shape"), [("1", "", "D"), (r"\mathbf{1}", r"\odot", "D × n")])
def test_a_recursion_that_begins_with_a_number_is_made_of_numbers(first: str, sign: str, shape: str) -> None:
    text = rf"""
\Module{{M}}{{w, y ; }}
  f_k \gets w_k \begin{{cases}} {first} & k = 1 \\ f_{{k-1}} & \text{{otherwise}} \end{{cases}} \quad (k = 1, \dots, D) \\
  \Return f_D {sign} y \\
\EndModule
\begin{{where}}
  w_k \in \mathbb{{R}}, k = 1, \dots, D & \\ y \in \mathbb{{R}}^n & \\
\end{{where}}
"""
    assert table(compile(text))["f"] == ("value", shape)
    assert check_text(text) == 1


def test_constraints_that_only_open_more_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each thing that becomes known asks for more, the solution is given up, and the author is told where."""

    def lengthen(self: FoldConstraint, types: Types) -> bool:
        self.result = types.shapes.split(self.result, len(self.result.prefix) + 1)
        types.shapes.woken.append(self)
        return False

    monkeypatch.setattr(FoldConstraint, "solve", lengthen)
    result = check(r"a \algoEq \sum b", r"\algoReturn a", inputs="b")
    assert [d.message for d in result.diagnostics if d.severity == "error"] == ["the shapes here do not come to an end"]


@pytest.mark.parametrize(
    ("header", "row", "value", "wanted"),
    [
        ("A, B", "", r"\sum_{i=1}^n \sum_{j=1}^m A_{ij} B_{ij}", lambda a, b: (a * b).sum()),
        ("A, B", "", r"\sum_{i=1}^n \sum_{j=1}^m 2 A_{ij} \cdot B_{ij}", lambda a, b: 2 * (a * b).sum()),
        ("A, h", r"h_j \in \mathbb{R}^d, j = 1, \dots, m", r"\sum_{i=1}^n \sum_{j=1}^m A_{ij} h_j", lambda a, h: (a @ h).sum(0)),
        ("a, h", r"h_j \in \mathbb{R}^d, j = 1, \dots, m", r"\sum_{i=1}^n \sum_{j=1}^m a_{ij} h_j", lambda a, h: (a @ h).sum(0)),
    ],
)
def test_elements_with_two_indices_are_numbers_beside_what_shares_one(
    header: str, row: str, value: str, wanted: Callable[[Tensor, Tensor], Tensor]
) -> None:
    text = module_of(rf"\Return {value}", header=f"{header} ; ", rows=(row,) if row else ())
    assert check_text(text) == 1
    first = numbers(3, 4)
    second = numbers(4, 2) if row else numbers(3, 4) + 1
    same(make(text)(first, second), wanted(first, second))


def test_an_agreement_of_vectors_stays_an_inner_product() -> None:
    rows = (r"v_j \in \mathbb{R}^d, j = 1, \dots, m",)
    text = module_of(r"\Return \sum_{i=1}^n \sum_{j=1}^m u_{i,j} \cdot v_j", header="u, v ; ", rows=rows)
    u, v = numbers(2, 3, 4), numbers(3, 4)
    same(make(text)(u, v), (u * v).sum())


@pytest.mark.parametrize("root", [r"\frac{1}{n} \sum_{i=1}^{n} x_i^2 + \epsilon", r"\epsilon + x^\top x"])
def test_a_greek_letter_beside_a_number_is_a_number_and_noted(root: str) -> None:
    text = rf"\Module{{M}}{{x \in \mathbb{{R}}^{{n}} ; \epsilon}} \Return \frac{{x}}{{\sqrt{{{root}}}}} \\ \EndModule"
    result = compile(text)
    assert result.ok
    assert [note for one in result.diagnostics for note in one.notes] == [r"`\epsilon` is read as a number, by its letter"]
    assert next(row for row in result.symbols if row.python == "epsilon").shape == "scalar"
