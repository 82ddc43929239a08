"""Short programs as a researcher writes them: numbers, batches, gradients and ragged lengths against the oracle.

`tests/programs` holds one program a file; the rows below are formulas of linear algebra with answers worked out by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from differential import check_text

from mathdsl import compile

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.tex"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_computes_what_its_equations_say(path: Path) -> None:
    assert check_text(path.read_text(encoding="utf-8")) > 0


def t(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


# header; statements; rows of the table; arguments; answer
FORMULAS: dict[str, tuple[str, str, str, tuple[Any, ...], Any]] = {
    "a weighted sum of outer products": (
        "v, k ; ",
        r"\Return \sum_{i=1}^{2} k_i v_i v_i^\top \\",
        r"v_i \in \mathbb{R}^{3}, i = 1, \dots, 2 & \\ k_i \in \mathbb{R}, i = 1, \dots, 2 & \\",
        ([[4, 2, 3], [1, 5, 2]], [2, 3]),
        [[35, 31, 30], [31, 83, 42], [30, 42, 30]],
    ),
    "definitions in the other order": ("c ; ", r"a \gets b \\ b \gets c \\ \Return a \\", r"c \in \mathbb{R} & \\", (1,), 1),
    "a function beside values in any order": (
        "A, C ; ",
        r"D \gets B + f(A) \\ B \gets A + C \\ f(x) \gets x \\ \Return D \\",
        r"A, C \in \mathbb{R} & \\",
        (1, 2),
        4,
    ),
    "a sum ends with its product": (
        "u, w ; ",
        r"v_{ij} \gets \sum_k u_k w_{i,j} \quad (i = 1, \dots, n, j = 1, \dots, m) \\ \Return v \\",
        r"u_k \in \mathbb{R}, k = 1, \dots, p & \\ w_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, m & \\",
        ([1, 2, 3], [[1, 2], [3, 4], [5, 6]]),
        [[6, 12], [18, 24], [30, 36]],
    ),
    "a sum inside the body of a sum": (
        "A, w ; ",
        r"\Return \sum_i A_i \sum_j w_j A_i \\",
        r"A_i \in \mathbb{R}^{k \times k}, i = 1, \dots, n & \\ w_j \in \mathbb{R}, j = 1, \dots, m & \\",
        ([[[1, 2], [3, 4]], [[0, 1], [1, 0]]], [2, 3, 5]),
        [[80, 100], [150, 230]],
    ),
    "an identity beside matrices": (
        "M, N ; ",
        r"\Return M + I_2 + N \\",
        r"M, N \in \mathbb{R}^{2 \times 2} & \\",
        ([[1, 2], [3, 4]], [[5, 6], [7, 8]]),
        [[7, 8], [10, 13]],
    ),
    "constants with their sizes": (
        "x ; ",
        r"\Return x \mathbf{1}_2^\top + \mathbf{1}_{3,2} + \mathbf{0}_{3,2} \\",
        r"x \in \mathbb{R}^{3} & \\",
        ([1, 2, 3],),
        [[2, 2], [3, 3], [4, 4]],
    ),
    "a sum over what a condition selects": (
        "M, N ; ",
        r"\Return \sum_{j : M_j > 4} N_j \\",
        r"M, N \in \mathbb{R}^{m} & \\",
        ([5, 1, 6], [2, 3, 5]),
        7,
    ),
    "a sum over the indices before another one": (
        "x ; ",
        r"y_i \gets \sum_{k < i} x_k \quad (i = 1, \dots, n) \\ \Return y \\",
        r"x_k \in \mathbb{R}, k = 1, \dots, n & \\",
        ([2, 3, 5],),
        [0, 2, 5],
    ),
    "a product over all other indices": (
        "x ; ",
        r"y_i \gets \prod_{k \neq i} x_k \quad (i = 1, \dots, n) \\ \Return y \\",
        r"x_k \in \mathbb{R}, k = 1, \dots, n & \\",
        ([2, 3, 5],),
        [15, 10, 6],
    ),
    "a row of zeros below a matrix": (
        "w, y ; ",
        r"\Return (w || \{\mathbf{0}\}^{1}) + y \\",
        r"w \in \mathbb{R}^{p \times k} & \\ y \in \mathbb{R}^{(p+1) \times k} & \\",
        ([[1, 1], [1, 2]], [[1, 2], [3, 4], [5, 6]]),
        [[2, 3], [4, 6], [5, 6]],
    ),
    "a sum of two matrices": (
        "M, N ; ",
        r"\Return M + N \\",
        r"M, N \in \mathbb{R}^{m \times m} & \\",
        ([[1, 2], [3, 4]], [[5, 6], [7, 8]]),
        [[6, 8], [10, 12]],
    ),
    "a function of matrices": (
        "M, N ; ",
        r"f(X) \gets 2 X \\ \Return f(M) + f(N) \\",
        r"M, N \in \mathbb{R}^{k \times k} & \\",
        ([[1, 2], [3, 4]], [[5, 6], [7, 8]]),
        [[12, 16], [20, 24]],
    ),
    "a call beside a product in parentheses": (
        "P ; ",
        r"f(X) \gets X + X \\ \Return P f(P) - P (P + P) + P \\",
        r"P \in \mathbb{R}^{k \times k} & \\",
        ([[1, 2], [3, 4]],),
        [[1, 2], [3, 4]],
    ),
    "a function that captures a value": (
        "y, a ; ",
        r"f(x) \gets x + z \\ z \gets y \\ \Return f(a) \\",
        r"y, a \in \mathbb{R} & \\",
        (2, 3),
        5,
    ),
    "a declared I is no identity": ("I ; ", r"\Return I_1 + I_2 \\", r"I_i \in \mathbb{R}, i = 1, \dots, 2 & \\", ([1, 2],), 3),
    "the power of a vector": ("x ; ", r"\Return x^2 \\", r"x \in \mathbb{R}^{n} & \\", ([1, -2, 3],), [1, 4, 9]),
    "a squared norm": ("x ; ", r"\Return \lVert x \rVert_2^2 \\", r"x \in \mathbb{R}^{n} & \\", ([3, 4, 12],), 169),
    "a squared norm, the square first": ("x ; ", r"\Return \lVert x \rVert^2_2 \\", r"x \in \mathbb{R}^{n} & \\", ([3, 4, 12],), 169),
    "the sum of absolute values": ("x ; ", r"\Return \lVert x \rVert_1 \\", r"x \in \mathbb{R}^{n} & \\", ([3, -4, 12],), 19),
    "the largest absolute value": ("x ; ", r"\Return \| x \|_\infty \\", r"x \in \mathbb{R}^{n} & \\", ([3, 4, -12],), 12),
    "a norm of order three": ("x ; ", r"\Return \lVert x \rVert_3^3 \\", r"x \in \mathbb{R}^{n} & \\", ([1, -2, 3],), 36),
    "the norm of a matrix": ("A ; ", r"\Return \lVert A \rVert_F^2 \\", r"A \in \mathbb{R}^{n \times k} & \\", ([[0, 5], [0, 12]],), 169),
    "an inner product in angles": (
        "x, y ; ",
        r"\Return \langle x, y \rangle \\",
        r"x, y \in \mathbb{R}^{n} & \\",
        ([1, 2, 3], [4, 5, 6]),
        32,
    ),
    "an elementwise product": ("x, y ; ", r"\Return x \circ y \\", r"x, y \in \mathbb{R}^{n} & \\", ([1, 2], [3, 4]), [3, 8]),
    "a product along each row": (
        "f, p ; ",
        r"\Return \sum_i f_i^2 p_i - (\sum_i f_i p_i)^2 \\",
        r"f, p \in \mathbb{R}^{n} & \\",
        ([1, 2, 3], [0.2, 0.3, 0.5]),
        0.61,
    ),
    "nested sums and a logarithm": (
        "x, p ; ",
        r"\Return \sum_i \sum_j x_j p_{i,j} \log_2\!\left( p_{i,j} / \sum_k x_k p_{i,k} \right) \\",
        r"x \in \mathbb{R}^{n} & \\ p \in \mathbb{R}^{m \times n} & \\",
        ([0.5, 0.5], [[0.5, 0.25], [0.5, 0.75]]),
        0.04879494069539847,
    ),
    "a quadratic form": (
        "x, W, v ; ",
        r"\Return x^\top W x + \sum_i v_i (x_i^2 - 1) \\",
        r"x, v \in \mathbb{R}^{n} & \\ W \in \mathbb{R}^{n \times n} & \\",
        ([1, 2], [[1, 2], [3, 4]], [5, 6]),
        45,
    ),
    "vectors in brackets stand end to end": (
        "a, b, M ; ",
        r"c \gets [a, b] \\ d \gets \begin{bmatrix} a \\ b \end{bmatrix} \\"
        r"\Return M \cdot c + M \cdot [a ; b] + M \cdot d + M \cdot \operatorname{concat}(a, b) \\",
        r"a, b \in \mathbb{R}^{2} & \\ M \in \mathbb{R}^{2 \times 4} & \\",
        ([1, 2], [3, 4], [[1, 10, 100, 1000], [1, 0, 0, 1]]),
        [4 * 4321, 4 * 5],
    ),
    "a number stands beside a vector": (
        "a, k ; ",
        r"\Return [a ; k ; 1] \\",
        r"a \in \mathbb{R}^{n} & \\ k \in \mathbb{R} & \\",
        ([5, 6, 7], 8),
        [5, 6, 7, 8, 1],
    ),
    "a matrix of numbers": (
        "a, b ; ",
        r"\Return \begin{bmatrix} a & -1 & 0 \\ 2 & b & a b \end{bmatrix} \\",
        r"a, b \in \mathbb{R} & \\",
        (3, 5),
        [[3, -1, 0], [2, 5, 15]],
    ),
    "the larger one of two vectors": (
        "a, b ; ",
        r"\Return \max\{a, b\} + 10 \min \set{a, b} + 100 \max\{a, 2\} \\",
        r"a, b \in \mathbb{R}^{2} & \\",
        ([1, 4], [3, 2]),
        [213, 424],
    ),
    "the largest of each component": (
        "x ; ",
        r"\Return \max\{x_1, \dots, x_S\} + 10 \max(x_1, \dots, x_S) + 100 \max\{x_t ; t \in \{1, \dots, S\}\} \\",
        r"x_t \in \mathbb{R}^{2}, t = 1, \dots, S & \\",
        ([[1, 9], [7, 2], [3, 3]],),
        [777, 999],
    ),
    "the vectors of a family end to end": (
        "x ; ",
        r"\Return \operatorname{concat}(x_1, \dots, x_3) \\",
        r"x_t \in \mathbb{R}^{2}, t = 1, \dots, 3 & \\",
        ([[1, 9], [7, 2], [3, 4]],),
        [1, 9, 7, 2, 3, 4],
    ),
    "the outer product of two vectors": (
        "a, b ; ",
        r"\Return 2 a \otimes b + a b^\top \\",
        r"a \in \mathbb{R}^{m} & \\ b \in \mathbb{R}^{n} & \\",
        ([1, 2], [3, 4, 5]),
        [[9, 12, 15], [18, 24, 30]],
    ),
    "remainders and divisors": (
        "x ; ",
        r"y_i \gets \begin{cases} x_i & 3 \mid i \\ 10 x_i & i \bmod 3 = 1 \\ 0 & \text{otherwise} \end{cases} \quad \forall i \\"
        r"\Return y \\",
        r"x_i \in \mathbb{R}, i = 1, \dots, n & \\",
        ([1, 2, 3, 4, 5, 6],),
        [10, 0, 3, 40, 0, 6],
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gives_its_known_answer(name: str) -> None:
    header, body, rows, arguments, answer = FORMULAS[name]
    text = f"\\Module{{F}}{{{header}}}\n{body}\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"
    module = compile(text).load().F()
    torch.testing.assert_close(module(*(t(a) for a in arguments)), t(answer))


BRACKETS = {
    r"\max\{c, 1\}^2": 1,
    r"\max\{a, b\}^2": [16, 25],
    r"\max\{a, b\}[1]": 5,
    r"\max\{a_0, \dots, a_1\}^2": 25,
    r"\ReLU\{c + 5\} a": [2, 10],
    r"\ReLU\{a\} ** 2": [1, 25],
    r"\max\{a\}": 5,
    r"\max_i\{a_i + b_i\}": 7,
    r"\sum_i \left[a_i + b_i\right] b_i": 34,
    r"\sum_i -\{a_i\}^2": -26,
    r"\sum\{a_i b ; i \in \{0, 1\}\}": [24, 12],
    r"\sum_i [a_i, b_i]": [6, 6],
    r"\{c\}^2 || a": [-3, -3, 1, 5],
}
"""Brackets after a function or the sign of a reduction, and elsewhere: what they give of `a = (1, 5)`, `b = (4, 2)`, `c = -3`."""


@pytest.mark.parametrize("formula", BRACKETS)
def test_brackets_after_a_function_or_a_reduction_are_a_parenthesis(formula: str) -> None:
    rows = r"a, b \in \mathbb{R}^{2} & \\ c \in \mathbb{R} & \\"
    text = f"\\Module{{F}}{{a, b, c ; }}\n\\Return {formula} \\\\\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"
    torch.testing.assert_close(compile(text).load().F()(t([1, 5]), t([4, 2]), t(-3)), t(BRACKETS[formula]))


def test_a_computed_index_reads_an_element() -> None:
    text = r"""
    \Module{F}{a, b ; }
      c \gets b + 1 \\
      d \gets a_c \\
      \Return d \\
    \EndModule
    \begin{where}
      a_i \in \mathbb{R}, i = 0, \dots, n - 1 & values \\
      b \in \mathbb{Z} & a position \\
    \end{where}
    """
    module = compile(text).load().F()
    assert module(t([4, 5, 6]), torch.tensor(1)).item() == 6
    with pytest.raises(ValueError, match="a"):
        module(t([4, 5, 6]), torch.tensor(2))


def test_a_piecewise_function_takes_the_row_that_holds() -> None:
    loaded = compile(r"f(x) \gets \begin{cases} x & x > 0 \\ -x & \text{otherwise} \end{cases} \\").load()
    assert loaded.f(t(-2.0)).item() == 2


@pytest.mark.parametrize(
    ("statement", "rows", "code"),
    [
        (r"M N", r"M, N \in \mathbb{R}^{m \times n} & \\", "E0410"),
        (r"M^{-1} N", r"M, N \in \mathbb{R}^{m \times m} & \\", "E0701"),
        (r"M^{0.5} + N", r"M, N \in \mathbb{R}^{m \times m} & \\", "E0701"),
        (r"M \otimes N", r"M, N \in \mathbb{R}^{m \times n} & \\", "E0701"),
        (r"M \times N", r"M, N \in \mathbb{R}^{3} & \\", "E0701"),
        (r"\begin{bmatrix} M & N \end{bmatrix}", r"M, N \in \mathbb{R}^{m \times n} & \\", "E0701"),
        (r"\operatorname{tr}(M) + \det(N)", r"M, N \in \mathbb{R}^{m \times m} & \\", "E0701"),
        (r"\operatorname{argmin}_M N", r"M, N \in \mathbb{R}^{m} & \\", "E0701"),
        (r"M || N", r"M, N \in \mathbb{R}^{S \times d} & \\", "E0701"),
        (r"[[M_0, N_0], [M_1, N_1]]", r"M, N \in \mathbb{R}^{2} & \\", "E0701"),
        (r"\begin{bmatrix} M & N \\ 1 \end{bmatrix}", r"M, N \in \mathbb{R} & \\", "E0401"),
        (r"[M ; N]", r"M \in \mathbb{R}^{m \times n} & \\ N \in \mathbb{R} & \\", "E0402"),
        (r"\max_{i} M_i + N_0 \text{ or } 1", r"M, N \in \mathbb{R}^{m} & \\", "E0406"),
        (r"M + \softmax(N_0, \dots, N_2)", r"M, N \in \mathbb{R}^{3} & \\", "E0309"),
        (r"\sin^{-1}(M) + N", r"M, N \in \mathbb{R} & \\", "E0304"),
        (r"\lVert M \rVert + \lVert N \rVert_F", r"M, N \in \mathbb{R}^{m \times n} & \\", "E0401"),
    ],
)
def test_algebra_that_has_no_meaning_here_is_refused(statement: str, rows: str, code: str) -> None:
    text = f"\\Module{{F}}{{M, N ; }}\n\\Return {statement} \\\\\n\\EndModule\n\\begin{{where}}\n{rows}\n\\end{{where}}\n"
    assert {d.code for d in compile(text).diagnostics if d.severity == "error"} == {code}


def test_a_list_is_returned_where_it_is_asked_for() -> None:
    text = "\\Module{F}{a, b ; }\n\\Return (%s, a) \\\\\n\\EndModule\n\\begin{where}\na, b \\in \\mathbb{R}^{n} & \n\\end{where}\n"
    a, b = t([1, 2]), t([3, 4])
    joined, _ = compile(text % "[a, b]").load().F()(a, b)
    assert joined.tolist() == [1, 2, 3, 4]
    listed, _ = compile(text % r"\br{a, b}").load().F()(a, b)
    assert isinstance(listed, list)
    assert [part.tolist() for part in listed] == [[1, 2], [3, 4]]


def test_a_transposed_lower_case_letter_is_a_vector() -> None:
    text = r"""
    \Module{Scores}{s, h ; v, W, U}
      e_j \gets v^\top \tanh(W s + U h_j) \quad (j = 1, \dots, n) \\
      \alpha \gets \softmax((e_j)_{j=1}^{n}) \\
      \Return \sum_{j=1}^{n} \alpha_j h_j \\
    \EndModule
    \begin{where}
      s \in \mathbb{R}^{m} & \\
      h_j \in \mathbb{R}^{k}, j = 1, \dots, n & \\
      W \in \mathbb{R}^{d \times m} & \\
    \end{where}
    """
    module = compile(text).load().Scores(m=2, k=3, d=4).double()
    assert module.v.shape == (4,)
    s, h = torch.randn(2, dtype=torch.float64), torch.randn(5, 3, dtype=torch.float64)
    weights = torch.softmax(torch.tanh(module.W @ s + h @ module.U.T) @ module.v, 0)
    torch.testing.assert_close(module(s, h), weights @ h)


SQUEEZE = r"""\begin{align*}
& \algoProc{\Squeeze}\pa{u} \\
& \indent{1} \algoFor{c \in \set{1, \dots, C}} \\
& \indent{2} z_c \algoEq \frac{1}{H \times W} \sum_{i=1}^{H} \sum_{j=1}^{W} u_{c,i,j} \\
& \indent{1} \algoEndFor \\
& \indent{1} s \algoEq \sigma\pa{W_2 \cdot \ReLU\pa{W_1 \cdot z}} \\
& \indent{1} \algoFor{c \in \set{1, \dots, C}} \\
& \indent{2} \tilde{x}_c \algoEq s_c \cdot u_c \\
& \indent{1} \algoEndFor \\
& \indent{1} \algoReturn \tilde{x} \\
& \algoEndProc
\end{align*}
\begin{where}
C, r, H, W \in \mathbb{N} & channels, reduction, height and width \\
u_c \in \mathbb{R}^{H \times W}, c = 1, \dots, C & feature maps \\
W_1 \in \mathbb{R}^{\frac{C}{r} \times C} & down \\
W_2 \in \mathbb{R}^{C \times \frac{C}{r}} & up \\
\end{where}
"""


def test_a_size_that_is_a_fraction_has_to_be_whole() -> None:
    made = compile(SQUEEZE).load().Squeeze
    with pytest.raises(ValueError, match="C/r: expected a whole number, got C = 5, r = 2"):
        made(C=5, r=2)
    block = made(C=6, r=2).double()
    u = torch.rand(2, 6, 4, 5, dtype=torch.float64)
    weights = torch.sigmoid(torch.relu(u.mean((-1, -2)) @ block.W_1.T) @ block.W_2.T)
    torch.testing.assert_close(block(u), weights[..., None, None] * u)


@pytest.mark.parametrize("length", [0, 1, 4])
@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (r"\prod_{s=1}^{t-1} x_s", [1, 2, 4, 8]),
        (r"\sum_{s=1}^{t-1} x_s", [0, 2, 4, 6]),
        (r"\sum_{s=2}^{t} s x_s", [0, 4, 10, 18]),
    ],
)
def test_a_range_that_is_shorter_than_empty_has_no_terms(body: str, answer: list[float], length: int) -> None:
    rows = r"\begin{where} x_s \in \mathbb{R}, s = 1, \dots, S & \\ \end{where}"
    text = f"\\Module{{F}}{{x ; }} y_t \\gets {body} \\quad (t = 1, \\dots, S) \\\\ \\Return y \\\\ \\EndModule {rows}"
    assert compile(text).load().F()(torch.full((length,), 2.0)).tolist() == answer[:length]
