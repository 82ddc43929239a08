r"""Readings of products, which shapes decide, or nothing: two vectors, two matrices, what is multiplied over an index."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity, Reading, module

_VECTORS = r"x \in \mathbb{R}^{n}, y \in \mathbb{R}^{n}"
_MATRICES_AND_A_VECTOR = r"A_k \in \mathbb{R}^{d \times d}, k = 1, \dots, n \\ x \in \mathbb{R}^{d}"

TWO_VECTORS = Ambiguity(
    "two vectors side by side",
    "`<left> <right>` of two vectors",
    (
        Reading("their inner product", r"write `<left> \cdot <right>` for the inner product", module(_VECTORS, r"\Return x \cdot y")),
        Reading(
            "their elementwise product", r"write `<left> \odot <right>` for the elementwise one", module(_VECTORS, r"\Return x \odot y")
        ),
    ),
    r"nothing: `\cdot`, `@` or `^\top` is written for the inner product, `\odot` for the elementwise one",
    "E0410",
    module(_VECTORS, r"\Return x y"),
    {"left": "x", "right": "y"},
)

TWO_MATRICES = Ambiguity(
    "two arrays of one shape side by side",
    "a product of two arrays of one shape, <shape>, does not fit as it stands: it",
    (
        Reading(
            "a matrix product with one of them transposed",
            r"write `A B^\top` for the matrix product",
            module(r"A \in \mathbb{R}^{n \times m}, B \in \mathbb{R}^{n \times m}", r"\Return A B^\top"),
        ),
        Reading(
            "their elementwise product",
            r"write `A \odot B` for the elementwise one",
            module(r"A \in \mathbb{R}^{n \times m}, B \in \mathbb{R}^{n \times m}", r"\Return A \odot B"),
        ),
    ),
    "the shapes: where the inner sizes agree, it is the matrix product",
    "E0410",
    module(r"A \in \mathbb{R}^{n \times m}, B \in \mathbb{R}^{n \times m}", r"\Return A B"),
    {"shape": "n × m"},
)

MATRICES_BEFORE_A_VECTOR = Ambiguity(
    "a product over an index, whose body is a matrix with a vector",
    r"this `\prod` of a matrix with a vector",
    (
        Reading(
            "the product of the matrices, applied to the vector",
            r"write `\left(\prod_{k=1}^{n} A_k\right) x` for the product of the matrices",
            module("A, x", r"\Return \left(\prod_{k=1}^{n} A_k\right) x", where=_MATRICES_AND_A_VECTOR),
        ),
        Reading(
            "the elementwise product of the vectors",
            r"define the vectors, `y_k \gets A_k x`, and write `\prod_{k=1}^{n} y_k` for the elementwise one",
            module("A, x", r"y_k \gets A_k x \quad (k = 1, \dots, n)", r"\Return \prod_{k=1}^{n} y_k", where=_MATRICES_AND_A_VECTOR),
        ),
    ),
    "nothing: a parenthesis or a name for the vectors is written",
    "E0410",
    module("A, x", r"\Return \prod_{k=1}^{n} A_k x", where=_MATRICES_AND_A_VECTOR),
)

FACTOR_BEHIND_A_PRODUCT = Ambiguity(
    "a factor behind the elements of a product",
    r"this `\prod`, behind whose elements a factor without its index stands,",
    (
        Reading(
            "the product of the elements, times the factor",
            r"write `\left(\prod_{i=1}^{n} x_i\right) c` for the factor once",
            module("x, c", r"\Return \left(\prod_{i=1}^{n} x_i\right) c", where=r"x \in \mathbb{R}^{n} \\ c \in \mathbb{R}"),
        ),
        Reading(
            "the product of the elements, each times the factor",
            r"write `\prod_{i=1}^{n} (x_i c)` for the factor each time",
            module("x, c", r"\Return \prod_{i=1}^{n} (x_i c)", where=r"x \in \mathbb{R}^{n} \\ c \in \mathbb{R}"),
        ),
    ),
    "nothing: a parenthesis is written, or the factor stands before its elements or before the product",
    "E0410",
    module("x, c", r"\Return \prod_{i=1}^{n} x_i c", where=r"x \in \mathbb{R}^{n} \\ c \in \mathbb{R}"),
)

INNER_PRODUCT_IN_A_SUM = Ambiguity(
    "an inner product added to a vector",
    r"this `a \cdot b` of two vectors, beside which a vector stands,",
    (
        Reading(
            "the elementwise product",
            r"write `a \odot b` for the elementwise product",
            module("w, a, b", r"\Return w - a \odot b", where=r"w, a, b \in \mathbb{R}^{n}"),
        ),
        Reading(
            "the inner product, which is a number",
            r"write `(a \cdot b)` in a parenthesis for the inner product",
            module("w, a, b", r"\Return w - (a \cdot b)", where=r"w, a, b \in \mathbb{R}^{n}"),
        ),
    ),
    "nothing: the operator or parentheses are written",
    "E0410",
    module("w, a, b", r"\Return w - a \cdot b", where=r"w, a, b \in \mathbb{R}^{n}"),
)

_FACTORS = (
    r"p_u \in \mathbb{R}^{k}, u = 1, \dots, m \\ q_i \in \mathbb{R}^{k}, i = 1, \dots, n \\ "
    r"b \in \mathbb{R}^{m} \\ u \in \{1, \dots, m\} \\ i \in \{1, \dots, n\}"
)

OUTER_PRODUCT_BESIDE_A_NUMBER = Ambiguity(
    "rows of two matrices and a number",
    r"this `p_u q_i^\top` of two rows of matrices, beside which a number stands,",
    (
        Reading(
            "the inner product of the rows",
            r"write `p_u^\top q_i` for the inner product",
            module("p, q, b, u, i", r"\Return p_u^\top q_i + b_u", where=_FACTORS),
        ),
        Reading(
            "the outer product of two columns",
            r"write `p_u \otimes q_i` for the outer product",
            module("p, q, b, u, i", r"\Return p_u \otimes q_i + b_u", where=_FACTORS),
        ),
    ),
    r"nothing: `p_u^\top q_i` or `p_u \otimes q_i` is written",
    "E0410",
    module("p, q, b, u, i", r"\Return p_u q_i^\top + b_u", where=_FACTORS),
)

ROWS = (
    TWO_VECTORS,
    TWO_MATRICES,
    MATRICES_BEFORE_A_VECTOR,
    FACTOR_BEHIND_A_PRODUCT,
    INNER_PRODUCT_IN_A_SUM,
    OUTER_PRODUCT_BESIDE_A_NUMBER,
)
