r"""Constructors that take what their modules need, tables that contradict no use, joins of arrays of different lengths.

Expected values are those of plain torch.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

import pytest
import torch
from torch import Tensor

from mathdsl.api import compile_files
from mathdsl.elaborate.declare.signatures import flat_inputs
from mathdsl.ir.nodes import SizeKind
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.differential import equations, input_values


def program(header: str, *rows: str, where: str = "") -> str:
    lines = "".join(rf"{row} \\" + "\n" for row in rows)
    table = f"\\begin{{where}}\n{where}\n\\end{{where}}\n" if where else ""
    return f"\\Module{{M}}{{{header}}}\n{lines}{table}\\EndModule\n"


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def errors_of(text: str) -> list[tuple[str, str, str]]:
    found = compiled(text).diagnostics
    return [(d.code, text[d.span.start : d.span.end], d.help) for d in found if d.severity == "error"]


# ---- rows without their end ----------------------------------------------------------------------

SWALLOWED = [
    ("the input\nd = 2k", "d = 2k"),
    ("the input\n  d_{\\mathrm{in}} = n^2.", "d_{\\mathrm{in}} = n^2."),
    ("the input\nd = nk\nof the model", "d = nk"),
    ("\n\\nLyr = 2 \\cdot k", "\\nLyr = 2 \\cdot k"),
    ("the input\nd = \\frac{n}{2}, n = 3m", "d = \\frac{n}{2}, n = 3m"),
    ("the input\n\\mathrm{dim} = 2(k + 1)", "\\mathrm{dim} = 2(k + 1)"),
    ("d = 2k", "d = 2k"),
    ("the input\ndim = 2k & the size", "&"),
    ("the input\nW & the weights", "&"),
    ("the input W \\sim \\mathcal{N}(0, 1)", "\\sim"),
    ("the input\n\\mathcal{N}_i \\subseteq \\mathcal{V}", "\\subseteq"),
]


@pytest.mark.parametrize(("description", "place"), SWALLOWED)
def test_a_row_without_its_end_swallows_no_relation(description: str, place: str) -> None:
    text = program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^d & {description} \\")
    ((code, found, advice),) = errors_of(text)
    assert (code, found) == ("E0227", place)
    assert r"\\" in advice


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (r"n \in \mathbb{Z}", r"\mathbb{Z}"),
        (r"n \in \mathbb{B}", r"\mathbb{B}"),
        (r"n \in \mathbb{R}", r"\mathbb{R}"),
        (r"n \in \mathbb{K}", r"\mathbb{K}"),
        (r"W \in \mathbb{Z}^{m \times n}", "W"),
        (r"W \in \mathbb{B}^{m \times n}", "W"),
    ],
)
def test_a_type_that_cannot_be_is_refused(row: str, place: str) -> None:
    others = [r"x \in \mathbb{R}^{n}", r"W \in \mathbb{R}^{m \times n}", r"p \in (0, 1)"]
    table = " ".join(rf"{r} & \\" for r in (*(o for o in others if o[0] != row[0]), row))
    assert [found[:2] for found in errors_of(program("x ; W, p", r"\Return p W x", where=table))] == [("E0406", place)]


def test_a_setting_has_no_initialiser() -> None:
    table = r"x \in \mathbb{R}^{n} & \\ W \in \mathbb{R}^{m \times n} & \\ p \in (0, 1) \sim 0.5 & \\"
    ((code, found, _),) = errors_of(program("x ; W, p", r"\Return p W x", where=table))
    assert code == "E0407"
    assert (code, found) == ("E0407", "0.5")


@pytest.mark.parametrize("row", [r"n \in \mathbb{N}", r"n \in \mathbb{N}_{>0}"])
def test_a_size_is_a_natural_number(row: str) -> None:
    assert errors_of(program("x", r"\Return 2 x", where=rf"x \in \mathbb{{R}}^{{n}} & \\ {row} & \\")) == []


def test_the_ends_that_the_message_asks_for_relate_the_sizes() -> None:
    text = program("x ; W", r"\Return W x", where="x \\in \\mathbb{R}^d & the input \\\\\nd = 2k & its size \\\\")
    result = compiled(text)
    assert result.ok
    assert "(..., 2*k)" in result.source


@pytest.mark.parametrize(
    "description",
    [
        "the input, by default d = 8",
        "the input\nby default = 8",
        "x = 1, if even",
        r"black \& white",
        "of\n$d = 2k$",
        r"in \(d = 2k\)",
        "a\n= b",
        "a = b of it",
        r"of $\begin{pmatrix} 1 & 2 \end{pmatrix}$",
        "so that\nn = number of rows",
        "e.g. n=3",
        "the width, (3)\n(4) and (5)",
        "costs\n5 = five",
    ],
)
def test_words_with_a_relation_describe(description: str) -> None:
    text = program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^d & {description} \\")
    assert compiled(text).ok


# ---- sizes of 0 ----------------------------------------------------------------------------------

NUMBERS = r"x \in \mathbb{R} & \\ W_i \in \mathbb{R}, i = 1, \dots, n & \\"
SQUARE = r"x \in \mathbb{R}^n & \\ W \in \mathbb{R}^{n \times n} & \\"
LAYERS = r"x \in \mathbb{R}^3 & \\ f^k \in \mathrm{Linear}(3, 3), k = 1, \dots, n & \\"

NEEDED = [
    (r"W_1 + x", NUMBERS),
    (r"W_n + x", NUMBERS),
    (r"\max_{i=1}^{n} W_i + x", NUMBERS),
    (r"\operatorname{mean}_{i} W_i + x", NUMBERS),
    (r"\frac{1}{\sqrt{n}} x + \sum_i W_i", NUMBERS),
    (r"n^{-1} x + \sum_i W_i", NUMBERS),
    (r"\begin{cases} W_1 & x > 0 \\ x & \text{otherwise} \end{cases}", NUMBERS),
    (r"\lVert W x \rVert_\infty", SQUARE),
    (r"W x + [x[0], x[0], x[0]]", SQUARE.replace(r"n \times n", r"3 \times n")),
    (r"W x", r"x \in \mathbb{R}^{n-1} & \\ W \in \mathbb{R}^{2 \times (n-1)} & \\"),
    (r"W x", SQUARE.replace(r"n \times n}", r"n \times n} \sim \mathcal{U}(-1/n, 1/n)")),
    (r"W x", SQUARE.replace(r"n \times n}", r"n \times n} \sim \mathrm{Xavier}")),
]


@pytest.mark.parametrize(("formula", "table"), NEEDED)
def test_the_constructor_asks_for_an_element_that_a_call_needs(formula: str, table: str) -> None:
    result = compiled(program("x ; W", rf"\Return {formula}", where=table))
    assert result.ok, result.diagnostics
    made = result.load().M
    with pytest.raises(ValueError, match=r"^n: expected n \\geq 1, got 0\Z"):
        made(n=0)
    shape = (1,) if "mathbb{R}^{n-1}" not in table else (0,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch: there may be nothing to initialise
        small = made(n=1)
    small(torch.ones(() if r"x \in \mathbb{R} " in table else shape))


STATES = [
    (r"u_k \gets \tanh(W_k u_{k-1}) \quad (k = 1, \dots, n)", r"\Return u_n + 0 W_1 x", 1),
    (r"u_k \gets f^k(u_{k-1}) \quad (k = 1, \dots, n)", r"\Return u_n", 0),
    (r"u_1 \gets f^1(u_0)", r"u_k \gets f^k(u_{k-1}) \quad (k = 2, \dots, n) \\ \Return u_n", 1),
]


@pytest.mark.parametrize(("first", "second", "least"), STATES)
def test_a_recurrence_of_no_turns_is_its_start(first: str, second: str, least: int) -> None:
    weights = LAYERS if "f^" in first else r"x \in \mathbb{R}^3 & \\ W_k \in \mathbb{R}^{3 \times 3}, k = 1, \dots, n & \\"
    text = program("x ; f" if "f^" in first else "x ; W", r"u_0 \gets x", first, second, where=weights)
    result = compiled(text)
    assert result.ok, result.diagnostics
    made, x = result.load().M, torch.randn(3)
    if least:
        with pytest.raises(ValueError, match=r"n: expected n \\geq 1, got 0"):
            made(n=0)
    else:
        torch.testing.assert_close(made(n=0)(x), x)


EMPTY = [
    (r"\sum_i W_i + x", NUMBERS, lambda x: x),
    (r"\prod_i W_i + x", NUMBERS, lambda x: x + 1),
    (r"\frac{x}{1 + n} + \sum_i W_i", NUMBERS, lambda x: x),
    (r"\begin{cases} W_1 & n > 0 \\ x & \text{otherwise} \end{cases}", NUMBERS, lambda x: x),
    (r"\max(x, \sum_{i=2}^{n} W_i)", NUMBERS, lambda x: x.clamp(min=0)),
    (r"W x", SQUARE, lambda x: x),
    (r"\softmax(W x)", SQUARE, lambda x: x),
    (r"\{ W_i x ; i \in \{2, \dots, n\} \}", NUMBERS, lambda x: torch.zeros(0)),
]


@pytest.mark.parametrize(("formula", "table", "expected"), EMPTY)
def test_a_size_of_0_that_means_something_is_allowed(formula: str, table: str, expected: Callable[[Tensor], Tensor]) -> None:
    result = compiled(program("x ; W", rf"\Return {formula}", where=table))
    assert result.ok, result.diagnostics
    x = torch.randn(0 if table == SQUARE else ())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch: there is nothing to initialise
        made = result.load().M(n=0)
    torch.testing.assert_close(made(x), expected(x))


def test_of_two_sizes_one_has_to_be_more_than_0() -> None:
    table = r"x \in \mathbb{R} & \\ W \in \mathbb{R}^{a_1} & \\ V \in \mathbb{R}^{b_{\mathrm{in}}} & \\"
    result = compiled(program("x ; W, V", r"c \gets W || V", r"\Return c[a_1 + b_{\mathrm{in}} - 1] + x", where=table))
    assert result.ok, result.diagnostics
    made = result.load().M
    with pytest.raises(ValueError, match=r"a_1, b_in: expected a_1 \+ b_\{in\} \\geq 1, got a_1 = 0, b_in = 0"):
        made(a_1=0, b_in=0)
    for sizes in ({"a_1": 0, "b_in": 2}, {"a_1": 3, "b_in": 0}):
        torch.testing.assert_close(made(**sizes)(torch.tensor(0.5)), torch.tensor(0.5))


def test_a_size_that_divides_is_no_0() -> None:
    table = r"x \in \mathbb{R}^{c} & \\ W \in \mathbb{R}^{c / r \times c} & \\"
    made = compiled(program("x ; W", r"\Return W x", where=table)).load().M
    with pytest.raises(ValueError, match=r"^r: expected r \\geq 1, got 0"):
        made(c=4, r=0)
    with pytest.raises(ValueError, match="expected a whole number"):
        made(c=4, r=3)
    assert made(c=4, r=2)(torch.ones(4)).shape == (2,)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_the_corner_of_a_grid_has_to_be_there(n: int) -> None:
    rows = (
        r"h_t^0 \gets x_t \quad (t = 1, \dots, S)",
        r"h_0^\ell \gets 1 \quad (\ell = 1, \dots, n)",
        r"h_t^\ell \gets h_t^{\ell-1} + h_{t-1}^\ell \quad (t = 1, \dots, S, \ell = 1, \dots, n)",
        r"\Return h_S^n + 0 \sum_{i=1}^{n} W_i",
    )
    table = r"x_t \in \mathbb{R}, t = 1, \dots, S & \\ W_i \in \mathbb{R}, i = 1, \dots, n & \\"
    made = compiled(program("x ; W", *rows, where=table)).load().M
    if not n:
        with pytest.raises(ValueError, match=r"n: expected n \\geq 1, got 0"):
            made(n=n)
        return
    x = torch.tensor([[2.0, 3.0, 5.0], [7.0, 0.0, 0.0]])
    wanted = {1: [11.0, 8.0], 2: [21.0, 9.0]}[n]  # the sums of x from 1, and of these sums from 1
    torch.testing.assert_close(made(n=n)(x, lengths=torch.tensor([3, 1])), torch.tensor(wanted))


@pytest.mark.parametrize("path", sorted((Path(__file__).parent.parent / "examples").glob("*.tex")), ids=lambda path: path.stem)
def test_the_examples_with_a_size_of_0_are_made_or_refuse_it_by_name(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    loaded = compiled(text).load()
    for module in equations(text).modules:
        names = [size.name for size in module.sizes if size.kind is SizeKind.HYPERPARAMETER]
        runtime = {size.name: 3 for size in module.sizes if size.kind is SizeKind.RUNTIME}
        for zero in names if not module.is_function else ():
            sizes = {name: 0 if name == zero else 8 for name in names}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    made = getattr(loaded, module.name)(**sizes)
                except ValueError as refused:
                    if not str(refused).startswith(f"{zero}: expected"):
                        raise
                    continue
            inputs = [input_values(module, given, {**runtime, **sizes}, random.Random(0), 1) for given in flat_inputs(module)]
            values = [
                value[0] if module.array(i.array).ranges == () else value for i, value in zip(flat_inputs(module), inputs, strict=True)
            ]
            if zero == "V" or zero == "S_max":  # then no token, no position can be an input
                continue
            made.double()(*values)


# ---- tables of docstrings ------------------------------------------------------------------------

AFFINE = r'''class Affine:
    r"""Said.

    .. math::

        \algoProc{\Affine}\pa{x, c} \\
        & \indent{1} \algoFor{k \in \set{1, \dots, \nHd}} \\
        & \indent{2} y_k \algoEq W_k \cdot x + U \cdot c + b \\
        & \indent{1} \algoEndFor \\
        & \indent{1} \algoReturn \cat{y_1, \dots, y_{\nHd}} \\
        \algoEndProc

TABLE
    """
'''
PARAMETERS = {"W_k": r"(\dOut, \dIn)", "U": r"(\dOut, 2 \nHd)", "b": r"(\dOut)"}
NODES = {"x": r"(B, \dIn)", "c": r"(B, 2 \nHd)", "y_k": r"(B, \dOut)", "y": r"(B, \nHd, \dOut)"}


def docstring(**changed: str) -> str:
    """The program with its table, in which some shapes are changed."""
    parameters = [(name, changed.get(name, shape)) for name, shape in PARAMETERS.items()]
    nodes = [(name, changed.get(name, shape)) for name, shape in NODES.items()]
    cells = [("Parameter", "Shape", "Symbol", "Shape")]
    for (a, b), (c, d) in zip_longest(parameters, nodes, fillvalue=("", "")):
        cells.append(tuple(f":math:`{cell}`" if cell else "" for cell in (a, b, c, d)))
    border = "    +" + "+".join(["-" * 30] * 4) + "+\n"
    lines = ["    |" + "|".join(f" {cell:28} " for cell in row) + "|\n" for row in cells]
    table = border + lines[0] + border.replace("-", "=") + "".join(line + border for line in lines[1:])
    return AFFINE.replace("TABLE\n", table)


def findings(text: str) -> list[tuple[str, str, str]]:
    """Code, message and the marked text of what is more than a note."""
    found = compile_files([SourceFile("affine.py", text)]).diagnostics
    return [(d.code, d.message, text[d.span.start : d.span.end]) for d in found if d.severity != "note"]


def test_a_table_that_fits_is_silent() -> None:
    assert findings(docstring()) == []
    assert findings(docstring(c=r"(1, 2 \nHd)", y_k=r"(\dOut)")) == []


@pytest.mark.parametrize(
    ("name", "shape", "used", "said"),
    [
        ("W_k", r"(\dIn, \dOut)", r"\nHd × \dOut × \dIn", r"\nHd × \dIn × \dOut"),
        ("W_k", r"(2, \dOut, \dIn)", r"\nHd × ? × ?", r"\nHd × 2 × \dOut × \dIn"),
        ("b", "(7)", r"\dOut", "7"),
        ("b", r"(\dIn)", r"\dOut", r"\dIn"),
        ("b", r"(\dOut, 3)", r"\dOut", r"\dOut × 3"),
        ("x", "(B, 7)", r"\dIn", "7"),
        ("x", "(1, 7)", r"\dIn", "7"),
        ("x", r"(\dIn, 4)", r"\dIn", r"\dIn × 4"),
        ("x", "(B)", r"\dIn", "scalar"),
        ("c", "(B)", r"2 \nHd", "scalar"),
    ],
)
def test_a_row_of_an_input_or_a_parameter_that_contradicts_a_use_is_refused_there(name: str, shape: str, used: str, said: str) -> None:
    text = docstring(**{name: shape})
    symbol = name.removesuffix("_k")
    assert findings(text) == [("E0401", f"`{symbol}` has the shape {used}, and is said to have the shape {said}", name)]
    (found,) = [d for d in compile_files([SourceFile("affine.py", text)]).diagnostics if d.severity == "error"]
    assert found.span.start > text.index("Parameter")
    assert [text[label.span.start : label.span.end] for label in found.labels] == [name]
    assert found.labels[0].span.end < text.index("Parameter")


@pytest.mark.parametrize(
    ("name", "shape", "computed", "said"),
    [
        ("y_k", r"(B, \dIn)", r"\dOut", r"\dIn"),
        ("y_k", r"(B, S, \dOut)", r"\dOut", r"S × \dOut"),
        ("y_k", "(B)", r"\dOut", "scalar"),
        ("y_k", "(B, 1)", r"\dOut", "1"),
        ("y", r"(B, \nHd, \dIn)", r"\nHd × \dOut", r"\nHd × \dIn"),
        ("y", r"(1, \dOut, \nHd)", r"\nHd × \dOut", r"\dOut × \nHd"),
        ("y", r"(B, \nHd)", r"\nHd × \dOut", r"\nHd"),
    ],
)
def test_a_row_of_a_value_that_is_computed_otherwise_is_a_warning(name: str, shape: str, computed: str, said: str) -> None:
    text = docstring(**{name: shape})
    assert findings(text) == [("W0303", f"`{name}` has the shape {computed}, and is said to have the shape {said}", name)]
    assert compile_files([SourceFile("affine.py", text)]).ok


def test_a_row_about_the_range_of_a_family_that_is_returned_is_right() -> None:
    text = r'''class Sums:
    r"""Sums.

    Let :math:`x` be numbers with shape :math:`(B, S)`. Let :math:`h` be their sums with shape :math:`(B, S)`.
    Let :math:`h_t` be one of them with shape :math:`(B)`.

    .. math::

        \algoProc{\Sums}\pa{x, h_0} \\
        & \indent{1} \algoFor{t \in \set{1, \dots, S}} \\
        & \indent{2} h_t \algoEq h_{t-1} + x_t \\
        & \indent{1} \algoEndFor \\
        & \indent{1} h \algoEq \cat{h_1, \dots, h_S} \\
        & \indent{1} \algoReturn h \\
        \algoEndProc
    """
'''
    assert findings(text) == []
    assert [code for code, *_ in findings(text.replace("sums with shape :math:`(B, S)`", "sums with shape :math:`(B, S, S)`"))] == ["W0303"]


# ---- types that are none ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (r"W \in \mathbb{R}^{d \times n} \\ d = \mathbb{N}", "E0701"),
        (r"W \in \mathbb{R}^{d \times n} \\ d = \mathbb{R}", "E0701"),
        (r"W \in \mathbb{R}^{\mathbb{N} \times n}", "E0403"),
    ],
)
def test_a_set_of_numbers_is_no_size(rows: str, code: str) -> None:
    found = errors_of(program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^n \\ {rows} \\"))
    assert [one for one, *_ in found] == [code]


def test_booleans_are_no_values_of_cases() -> None:
    rows = r"x \in \mathbb{R} \\ p \in \mathbb{B} \\"
    line = r"p \gets \begin{cases} x & x > 1 \\ 2 x & \text{otherwise} \end{cases}"
    assert [code for code, _, _ in errors_of(program("x", line, r"\Return p", where=rows))] == ["E0406"]
