"""What the sentences and tables of a docstring say of its programs, as rows of a table and as shapes of what is compiled."""

from __future__ import annotations

import pytest

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.source.docstring_declarations import find_declarations
from mathdsl.source.model import MappedText, Run
from mathdsl.spans import SourceFile, Span

ALGORITHM = r"""
    .. math::

        \algoProc{\Affine}\pa{x, c} \\
        & \indent{1} \algoFor{k \in \set{1, \dots, \nHd}} \\
        & \indent{2} y_k \algoEq W_k \cdot x + U \cdot c \\
        & \indent{1} \algoEndFor \\
        & \indent{1} \algoReturn \cat{y_1, \dots, y_{\nHd}} \\
        \algoEndProc
"""

TABLE = r"""
    +-------------------------------------------+-------------------------------------+
    | Trainable Parameters                      | Nodes                               |
    +-----------------+-------------------------+-------------+-----------------------+
    | Parameter       | Shape                   | Symbol      | Shape                 |
    +=================+=========================+=============+=======================+
    | :math:`W_k`     | :math:`(\dOut, \dIn)`   | :math:`x`   | :math:`(B, \dIn)`     |
    +-----------------+-------------------------+-------------+-----------------------+
    | :math:`U`       | :math:`(\dOut, 2 \nHd)` | :math:`y_k` | :math:`(B, S, \dOut)` |
    +-----------------+-------------------------+-------------+-----------------------+
    | :math:`\Affine` |                         | :math:`c`   | :math:`(1, 2 \nHd)`   |
    +-----------------+-------------------------+-------------+-----------------------+
"""


def rows(docstring: str) -> list[str]:
    """The rows of a docstring with one program."""
    start, end = docstring.index(r"\algoProc"), docstring.index(r"\algoEndProc")
    mapped = MappedText(docstring, (Run(0, Span("d", 0, len(docstring)), True),))
    return [row.text.rstrip("\n") for _, found in find_declarations(mapped, [(start, end)]) for row in found]


def compiled(said: str, table: str = "", algorithm: str = ALGORITHM) -> CompileResult:
    text = f'class Affine:\n    r"""Said.\n\n{said}\n{algorithm}\n{table}    """\n'
    return compile_files([SourceFile("affine.py", text)])


def shapes(result: CompileResult) -> dict[str, str]:
    assert result.ok, [d.message for d in result.diagnostics]
    return {row.python: row.shape for row in result.symbols if row.shape}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (r"Let :math:`\nHd` be the number of heads.", [r"\nHd \text{ stated} & the number of heads \\"]),
        (r"let :math:`x` be rows with shape :math:`(B, \dIn)`, where :math:`B`…", [r"x \in (\dIn) \text{ stated} & rows \\"]),
        (r"Let :math:`a` and :math:`b` be 50% & more.", [r"a \text{ stated} & 50\% \& more \\", r"b \text{ stated} & 50\% \& more \\"]),
        (
            r"Let :math:`x` be ids. Each is a token, i.e., :math:`x_t \in \set{1, \dots, V}`.",
            [r"x \text{ stated} & ids \\", r"x_t \in \set{1, \dots, V} \text{ stated} \\"],
        ),
        (r"Let :math:`d = n \times k` be the width.", [r"d = n \times k \text{ stated} & the width \\"]),
        (r"Let :math:`f(x) = \sum_i x` be no size, with shape :math:`(d)`.", []),
        (r"Tokens are dropped with probability :math:`p`.", [r"p \text{ stated} \\"]),
        (r"The constraint :math:`S \leq 5` holds.", []),
    ],
)
def test_sentences(sentence: str, expected: list[str]) -> None:
    found = rows(f"- {sentence}\n\n{ALGORITHM}")
    assert [row for row in found if row in expected] == expected
    assert all(row.endswith(r"\text{ stated} \\") or row in expected for row in found)


def test_tables_count_the_batch_of_nodes_and_not_of_parameters() -> None:
    table = TABLE.replace(r"(1, 2 \nHd)`  ", "(1, 4)`       ")
    assert [row for row in rows(ALGORITHM + table) if r"\in" in row] == [
        r"W_k \in (\dOut, \dIn) \text{ stated} \\",
        r"U \in (\dOut, 2 \nHd) \text{ stated} \\",
        r"x \in (\dIn) \text{ stated} \\",
        r"y_k \in (S, \dOut) \text{ stated} \\",
        r"c \in (4) \text{ stated} \\",
    ]


def test_shapes_of_inputs_and_parameters_are_those_of_the_table() -> None:
    result = compiled(r"    - Let :math:`\dOut` be the results.", TABLE)
    assert shapes(result) == {
        "x": r"\dIn",
        "c": r"2 \nHd",
        "y": r"\nHd × \dOut",
        "W": r"\nHd × \dOut × \dIn",
        "U": r"\dOut × 2 \nHd",
    }
    sizes = {row.python: row.description for row in result.symbols if row.kind == "hyperparameter"}
    assert sizes == {"d_out": "the results", "d_in": "", "n_hd": ""}


def test_what_is_said_of_values_and_of_nothing_brings_no_symbol() -> None:
    said = r"    - Let :math:`y_k` be a value with shape :math:`(B, 7, 8)`. Let :math:`Q` be with shape :math:`(B, 9)`."
    result = compiled(said, TABLE)
    assert "Q" not in {row.python for row in result.symbols}
    assert shapes(result)["y"] == r"\nHd × \dOut"


def test_contradictions_are_shown_where_they_are_said() -> None:
    said = r"    - Let :math:`x` be a matrix with shape :math:`(B, S, \dIn)`."
    diagnostics = [d for d in compiled(said, TABLE).diagnostics if d.severity == "error"]
    assert [(d.code, d.message) for d in diagnostics][:1] == [("E0401", r"`x` has the shape S × \dIn, and is said to have the shape \dIn")]
    assert diagnostics[0].span.file == "affine.py"


def test_a_sentence_belongs_to_the_next_program_and_a_table_to_the_one_before() -> None:
    other = ALGORITHM.replace("Affine", "Other").replace(r"\nHd", r"\mHd")
    table = TABLE.replace(r"\nHd", r"\mHd").replace("dOut", "mOut").replace("dIn", "mIn")
    result = compiled("", TABLE + "\n    Let :math:`c` be a context.\n" + other + table)
    assert result.ok, [d.message for d in result.diagnostics]
    found = {(row.module, row.python): (row.shape, row.description) for row in result.symbols}
    assert found["Affine", "W"][0] == r"\nHd × \dOut × \dIn"
    assert found["Other", "W"][0] == r"\mHd × \mOut × \mIn"
    assert (found["Affine", "c"][1], found["Other", "c"][1]) == ("", "a context")


def test_prose_that_is_no_row_stays_prose() -> None:
    formulas = [
        r"\sum",
        r"\dots",
        r"\times",
        r"\infty",
        r"\algoEq",
        r"x^\top",
        r"\frac",
        "e",
        r"x_{",
        r"\left",
        r"\\",
        r"x_\dots",
        r"\input",
    ]
    said = "    As in " + ", ".join(f":math:`{formula}`" for formula in formulas) + ".\n"
    said += r"    Let :math:`x` be a \\ thing \end{where} % of {\alpha with shape :math:`(B, S, \times)`." + "\n"
    said += (
        r"    Let :math:`U` be with shape :math:`(B, S +)`. Let :math:`d = n \times` be. Let :math:`x_t \in \set{1, \dots, }` be." + "\n"
    )
    assert shapes(compiled(said, TABLE))["U"] == r"\dOut × 2 \nHd"
