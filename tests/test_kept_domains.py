"""An elementwise result and a comprehension run over what their source runs over; all else begins at the notation's first index."""

from __future__ import annotations

import pytest
import torch

from mathdsl import compile

Z = torch.tensor([3.0, -5.0, 7.0, 11.0], dtype=torch.float64)


VECTOR = r"z_k \in \mathbb{R}, k = 1, \dots, n & \\"


def program(value: str, element: str, rows: str = VECTOR, more: str = "", header: str = "z") -> str:
    """Module notation, where the first index is 0 unless something says otherwise."""
    body = f"{more}\\Return {element} \\\\\nq \\gets {value} \\\\"
    return f"\\Module{{F}}{{{header} ; }}\n{body}\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"


def read(value: str, rows: str = VECTOR, element: str = "q[1]", more: str = "") -> torch.Tensor:
    """The element of a value `q`."""
    result = compile(program(value, element, rows, more))
    assert result.ok, result.diagnostics
    return result.load().F()(Z if rows == VECTOR else Z.reshape(2, 2))


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("2 z", 6.0),
        ("z / 2 - 1", 0.5),
        ("z", 3.0),
        (r"\max\{z, 4\}", 4.0),
        (r"(z + z)^2", 36.0),
        (r"\lvert z_1 \rvert z", 9.0),
        (r"\begin{cases} z & z > 4 \\ -z & \text{otherwise} \end{cases}", -3.0),
        (r"\{2 s ; s \in z\}", 6.0),
        (r"\{s + 1 ; s \in 2 z\}", 7.0),
        (r"\{z_k ; k \in \{1, \dots, n\}\}", 3.0),
        (r"[z_k]_{k=1}^{n}", 3.0),
        (r"\cat{z_1, \dots, z_n}", 3.0),
        (r"\{z_k ; k \in \{1, \dots, n\}\} + 0 z", 3.0),
        (r"\{0\}^1 || z", 3.0),  # a joined sequence begins at 0: its second element
        (r"[0 ; z]", 3.0),
        (r"\{z_k ; k \in \{0 + 1, \dots, n\}\}", 3.0),
    ],
)
def test_an_element_of_a_value_is_that_of_its_source(value: str, first: float) -> None:
    assert read(value).item() == pytest.approx(first)


def test_a_value_of_a_value_keeps_the_domain_in_any_order() -> None:
    assert read("3 r", more=r"r \gets w + w \\ w \gets 2 z \\ ").item() == 36


def test_a_sum_over_an_index_takes_the_domain() -> None:
    assert read("2 z", element=r"\sum_{k=1}^{n} q_k z_k").item() == 2 * (Z * Z).sum().item()
    assert read("2 z", element=r"\sum_k q_k z_k").item() == 2 * (Z * Z).sum().item()


def test_each_axis_keeps_its_own() -> None:
    rows = r"z_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n & \\"
    assert read("-z", rows, "q[1, 2]").item() == 5
    assert read(r"z^\top + 0", rows, "q[2, 1]").item() == -5
    rows = r"z_t \in \mathbb{R}^{d}, t = 1, \dots, S & \\"
    assert read("-z", rows, "q[2, 0]").item() == -7
    assert read(r"\{x[0] ; x \in z\}", rows, "q[2]").item() == 7


def test_a_function_keeps_it_too() -> None:
    assert read("f(z)", more=r"f(x) \gets \tanh(x) + 1 \\ ").item() == pytest.approx(torch.tanh(Z[0]).item() + 1)


@pytest.mark.parametrize(("element", "code"), [("q[0]", "E0502"), ("q[n] + q[0]", "E0502")])
def test_the_index_before_is_outside(element: str, code: str) -> None:
    assert [d.code for d in compile(program("2 z", element)).diagnostics if d.severity == "error"] == [code]


def test_an_algorithm_keeps_a_declared_zero() -> None:
    text = r"""
    \begin{algorithmic}
    \Procedure{F}{$z$}
    \State $q \gets 2 z$
    \State \Return $q[0]$
    \EndProcedure
    \end{algorithmic}
    \begin{where}
    z_k \in \mathbb{R}, k = 0, \dots, n & \\
    \end{where}
    """
    assert compile(text).load().F()(Z).item() == 6


def test_a_list_from_a_computed_place_is_counted_anew() -> None:
    assert read(r"\cat{z_{n-1}, \dots, z_n}", element="q[0]").item() == 7


def test_findings_of_the_first_reading_are_not_repeated() -> None:
    rows = VECTOR + r" u \in \mathbb{R} & \\"
    assert [d.code for d in compile(program("2 z", "q[1]", rows, header="z, u")).diagnostics] == ["W0301"]
