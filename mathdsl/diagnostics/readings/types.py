r"""Readings that shapes and types decide: powers, bars, reductions, first indices."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity, Reading, module

_VECTORS = r"x \in \mathbb{R}^{n}, y \in \mathbb{R}^{n}"
_NUMBERS = r"a \in \mathbb{R}, b \in \mathbb{R}"
_SQUARE = r"A \in \mathbb{R}^{n \times n}, x \in \mathbb{R}^{n}"
_ELEMENTS = r"A_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n"
_SQUARE_ELEMENTS = r"X_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n"
_WIDE_ELEMENTS = r"X_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, m"
_GAMMA = r"y_t \gets \gamma^t x_t \quad (t = 1, \dots, n)"
_FAMILY = r"x_t \in \mathbb{R}, t = 1, \dots, n"
_ROWS = r"X_i \in \mathbb{R}^{m}, i = 1, \dots, n"
_ROWS_BY_HAND = r"y_i \gets \sum_{j=1}^{n} W_{ij} x_j \quad (i = 1, \dots, m)"

BARS_AROUND_A_VECTOR = Ambiguity(
    "bars around a vector",
    "bars around <what>",
    (
        Reading(
            "its length",
            r"write `<inner>.\mathrm{size}(1)` for the length",
            module(_VECTORS, r"\Return x.\mathrm{size}(1) y"),
        ),
        Reading("its norm", r"write `\lVert <inner> \rVert` for the norm", module(_VECTORS, r"\Return \lVert x \rVert y")),
        Reading(
            "its absolute values",
            "write `|<inner>_i|` under an index for the absolute values",
            module("x", r"y_i \gets |x_i| \quad (i = 1, \dots, n)", r"\Return y", where=r"x_i \in \mathbb{R}, i = 1, \dots, n"),
        ),
    ),
    "declarations: around a sequence (of arrays, of indices, `\\{s\\}^{L}`) bars are its length, around a number its absolute value",
    "E0311",
    module(_VECTORS, r"\Return |x| y"),
    {"what": "the vector `x`", "inner": "x"},
)

BARS_AROUND_A_MATRIX = Ambiguity(
    "bars around a matrix",
    "bars around <what>",
    (
        Reading(
            "the number of its rows",
            r"write `<inner>.\mathrm{size}(1)` for the rows",
            module(r"X \in \mathbb{R}^{n \times n}", r"\Return X.\mathrm{size}(1)"),
        ),
        Reading(
            "its norm",
            r"write `\lVert <inner> \rVert_F` for the norm",
            module(r"X \in \mathbb{R}^{n \times n}", r"\Return \lVert X \rVert_F"),
        ),
        Reading(
            "its absolute values",
            "write `|<inner>_{i,j}|` under indices for the absolute values",
            module("X", r"y_{i,j} \gets |X_{i,j}| \quad (i = 1, \dots, n, j = 1, \dots, n)", r"\Return y", where=_SQUARE_ELEMENTS),
        ),
        Reading(
            "its determinant",
            "write a module that is passed in, `g(<inner>)`, for the determinant, which is not supported yet",
            module(r"X \in \mathbb{R}^{n \times n} ; g", r"\Return g(X)"),
        ),
    ),
    "the shape: of a declared matrix that is not square bars are the number of its rows, since a matrix is the sequence of them",
    "E0311",
    module(r"X \in \mathbb{R}^{n \times n}", r"\Return |X|"),
    {"what": "the square matrix `X`", "inner": "X"},
)

INDEX_OR_POWER = Ambiguity(
    "an index variable as the superscript of what nothing declares",
    "`<name>^<index>`",
    (
        Reading(
            "an element of `<name>`",
            r"declare `<name>^{<index>} \in \mathbb{R}, <index> = 1, \dots, n` for elements",
            module(r"\gamma, x", _GAMMA, r"\Return y", where=r"\gamma^{t} \in \mathbb{R}, t = 1, \dots, n \\ " + _FAMILY),
        ),
        Reading(
            "a power of `<name>`",
            r"declare `<name> \in \mathbb{R}` for a power",
            module(r"\gamma, x", _GAMMA, r"\Return y", where=r"\gamma \in \mathbb{R} \\ " + _FAMILY),
        ),
    ),
    "the declaration of the symbol",
    "E0304",
    module(r"\gamma, x", _GAMMA, r"\Return y", where=_FAMILY),
    {"name": r"\gamma", "index": "t"},
)

INDEX_OR_POWERS = Ambiguity(
    "an index variable as the superscript of a vector",
    "`<name>^<index>` of an array (<shape>)",
    (
        Reading(
            "an element",
            "write `<name>[<index>]` for an element",
            module("v", r"\Return \sum_{t=1}^{n} v[t]", where=r"v_i \in \mathbb{R}, i = 1, \dots, n"),
        ),
        Reading(
            "the powers of all elements",
            "write `(<name>)^{<index>}` for the powers of all elements",
            module("v", r"\Return \sum_{t=1}^{n} (v)^{t}", where=r"v_i \in \mathbb{R}, i = 1, \dots, n"),
        ),
    ),
    "nothing: brackets or parentheses are written",
    "E0304",
    module("v", r"\Return \sum_{t=1}^{n} v^t", where=r"v_i \in \mathbb{R}, i = 1, \dots, n"),
    {"name": "v", "index": "t", "shape": "n"},
)

TRANSPOSE_OR_POWER = Ambiguity(
    "the superscript `T` beside a symbol `T`",
    "`^T`",
    (
        Reading(
            "the transpose", r"write `^\top` for the transpose", module(r"x \in \mathbb{R}^{n}, T \in \mathbb{R}", r"\Return x^\top x T")
        ),
        Reading(
            "the power by the symbol `T`",
            "write `^{(T)}` for the power",
            module(r"x \in \mathbb{R}^{n}, T \in \mathbb{R}", r"\Return x^{(T)}"),
        ),
    ),
    "the symbols: where the program has no `T`, it is the transpose",
    "E0304",
    module(r"x \in \mathbb{R}^{n}, T \in \mathbb{R}", r"\Return x^T x"),
)

ELEMENT_OF_A_TRANSPOSE = Ambiguity(
    "an element with the sign of a transpose",
    r"an element of `<name>` with the superscript `\top`",
    (
        Reading(
            r"one of `<name>^\top`",
            r"write `(<name>^\top)_{…}` for that of the transpose",
            module("A", r"\Return (A^\top)_{1,2}", where=_ELEMENTS),
        ),
        Reading("one of `<name>`", "write `<name>_{…}` for the element itself", module("A", r"\Return A_{1,2}", where=_ELEMENTS)),
    ),
    "nothing: parentheses are written",
    "E0304",
    module("A", r"\Return A_{1,2}^\top", where=_ELEMENTS),
    {"name": "A"},
)

ELEMENT_OF_A_POWER = Ambiguity(
    "a superscript before the subscripts of a matrix",
    "`<written>`",
    (
        Reading(
            "of the matrix `<name>^{<sign>}`",
            "write `(<name>^{<sign>})_{…}` for that of the matrix",
            module("A", r"\Return (A^{2})_{1,2}", where=_ELEMENTS),
        ),
        Reading(
            "of what is read of `<name>`",
            "write `(<name>_{…})^{<sign>}` for that of what is read",
            module("A", r"\Return (A_{1,2})^{2}", where=_ELEMENTS),
        ),
    ),
    "nothing: parentheses are written; behind the subscripts, `A_{i,j}^2`, a power is that of the element",
    "E0304",
    module("A", r"\Return A^2_{1,2}", where=_ELEMENTS),
    {"written": "A_{1, 2}^2", "name": "A", "sign": "2"},
)

ELEMENT_OF_AN_INVERSE = Ambiguity(
    "an element with the sign of an inverse",
    "an element of `<name>` with the superscript `<sign>`",
    (
        Reading(
            "its reciprocal",
            r"write `\frac{1}{<name>_{…}}` for the reciprocal",
            module("A", r"\Return \frac{1}{A_{1,2}}", where=_ELEMENTS),
        ),
        Reading(
            "one of `<name>^{<sign>}`",
            "write a module that is passed in, `g(<name>)`, for the inverse, which is not supported yet",
            module(
                "A ; g",
                r"B \gets g(A)",
                r"\Return B_{1,2}",
                where=_ELEMENTS + r" \\ B_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n",
            ),
        ),
    ),
    "nothing: the fraction is written",
    "E0304",
    module("A", r"\Return A_{1,2}^{-1}", where=_ELEMENTS),
    {"name": "A", "sign": "-1"},
)

INDEX_IN_PARENTHESES = Ambiguity(
    "an index variable in parentheses as the superscript of a number",
    "`<written>`",
    (
        Reading(
            "an element of `<name>`",
            r"declare `<name>^{<index>} \in \mathbb{R}, <index> = 1, \dots, n` for elements",
            module("x", r"\Return \sum_{j=1}^{n} x^{(j)}", where=r"x^{j} \in \mathbb{R}, j = 1, \dots, n"),
        ),
        Reading(
            "a power of `<name>`",
            "write `<name>^{<index>}` for the power",
            module(r"x \in \mathbb{R}", r"\Return \sum_{j=1}^{3} x^{j}"),
        ),
    ),
    "the declaration: of a family it is an element",
    "E0304",
    module(r"x \in \mathbb{R}", r"\Return \sum_{j=1}^{3} x^{(j)}"),
    {"written": "x^{(j)}", "name": "x", "index": "j"},
)

POWER_OF_A_CALLED_MATRIX = Ambiguity(
    "a power of a function's value that is a matrix",
    "`f(A)^p` of a matrix",
    (
        Reading(
            "the power of the matrix",
            r"write `B \gets …` and `B^2` for that of the matrix",
            module(_SQUARE, r"B \gets \tanh(A)", r"\Return B^2 x"),
        ),
        Reading(
            "the powers of its elements",
            r"write `B \gets …` and `B \odot B` for those of its elements",
            module(_SQUARE, r"B \gets \tanh(A)", r"\Return (B \odot B) x"),
        ),
    ),
    "nothing: the value gets a name",
    "E0304",
    module(_SQUARE, r"\Return \tanh(A)^2 x"),
)

POWER_OF_A_MATRIX = Ambiguity(
    "a power of an array",
    "`A^2`",
    (
        Reading("the product of a matrix with itself", "declare a square matrix", module(_SQUARE, r"\Return A^2 x")),
        Reading(
            "the squares of its elements",
            r"declare a vector, or write `A \odot A`",
            module(r"A \in \mathbb{R}^{n}, x \in \mathbb{R}^{n}", r"\Return A^2 \odot x"),
        ),
    ),
    "the declaration: of a square matrix it is the power of the matrix, of anything else that of each element",
)

INVERSE_FUNCTION = Ambiguity(
    "a negative power of a function",
    "`<written>`",
    (
        Reading(
            "a power of its value",
            r"write `\frac{1}{<name>(x)}` for the reciprocal",
            module(r"x \in \mathbb{R}", r"\Return \frac{1}{\tan(x)}"),
        ),
        Reading(
            "the inverse function of `<name>`",
            r"write the inverse by its own name, as in `\arctan(x)`",
            module(r"x \in \mathbb{R}", r"\Return \arctan(x)"),
        ),
    ),
    "nothing: the fraction or the name of the inverse is written",
    "E0304",
    module(r"x \in \mathbb{R}", r"\Return \tan^{-1}(x)"),
    {"written": r"\tan^{-1}", "name": r"\tan"},
)

POWER_OR_LIST = Ambiguity(
    "a power of one value in braces",
    "`<written>`",
    (
        Reading("a power", "write `(<inner>)^{<count>}` for the power", module(_NUMBERS, r"\Return b + (a)^{2}")),
        Reading(
            "a list of <count> equal values",
            r"write `v \gets <inner>` and `w \gets \{v\}^{<count>}` for the list",
            module(_NUMBERS, r"v \gets a", r"w \gets \{v\}^{2}", r"\Return b + w"),
        ),
    ),
    "the place: alone, in a join or in a list it is a list, `\\{a\\}^2`; beside an operator, and of a sum, it is refused",
    "E0304",
    module(_NUMBERS, r"\Return b + \{a\}^2"),
    {"written": r"\{a\}^2", "inner": "a", "count": "2"},
)

REACH_OF_AN_ARGUMENT = Ambiguity(
    "a function without parentheses before a product",
    "`<name> <first> <second>`",
    (
        Reading("`<name>(<first>) <second>`", "write `<name>(<first>) <second>`", module(_SQUARE, r"\Return \tanh(A) x")),
        Reading("`<name>(<first> <second>)`", "write `<name>(<first> <second>)`", module(_SQUARE, r"\Return \tanh(A x)")),
    ),
    "nothing: parentheses are written",
    "E0310",
    module(_SQUARE, r"\Return \tanh A x"),
    {"name": r"\tanh", "first": "A", "second": "x"},
)

VALUES_OR_LIST = Ambiguity(
    "brackets behind a reduction",
    "`<name>[..]`",
    (
        Reading(
            "of these values one beside the other",
            "write `<name>(<items>)` for one beside the other",
            module(_VECTORS, r"\Return \max(x, y)"),
        ),
        Reading("of all elements of the list", "write `<name>([<items>])` for all elements", module(_VECTORS, r"\Return \max([x, y])")),
    ),
    "nothing: parentheses are written",
    "E0409",
    module(_VECTORS, r"\Return \max[x, y]"),
    {"name": r"\max", "items": "x, y"},
)

REDUCTION_OF_A_MATRIX = Ambiguity(
    "a reduction of a matrix",
    "a reduction of this array (<shape>)",
    (
        Reading(
            "over its rows",
            r"write the index that it runs over, as in `\max_i X_{i,j}` for the rows",
            module("X", r"y_j \gets \max_i X_{i,j} \quad (j = 1, \dots, m)", r"\Return y", where=_WIDE_ELEMENTS),
        ),
        Reading(
            "over its columns",
            r"write `\max_j X_{i,j}` for the columns",
            module("X", r"y_i \gets \max_j X_{i,j} \quad (i = 1, \dots, n)", r"\Return y", where=_WIDE_ELEMENTS),
        ),
        Reading(
            "over its elements",
            r"write `\max_{i,j} X_{i,j}` for the elements",
            module("X", r"\Return \max_{i,j} X_{i,j}", where=_WIDE_ELEMENTS),
        ),
    ),
    "nothing: the index is written",
    "E0409",
    module(r"X \in \mathbb{R}^{n \times m}", r"\Return \max(X)"),
    {"shape": "n × m"},
)

FIRST_INDEX = Ambiguity(
    "the first index of an axis",
    "the first index of `<name>`",
    (
        Reading(
            "1",
            "declare `<one>` for 1",
            module("p", r"\Return \sum_{t=1}^{S-1} p_t", where=r"p_{t} \in \mathbb{R}, t = 1, \dots, S"),
        ),
        Reading(
            "0",
            "declare `<zero>` for 0",
            module("p", r"\Return \sum_{t=1}^{S-1} p_t", where=r"p_{t} \in \mathbb{R}, t = 0, \dots, S - 1"),
        ),
    ),
    "declarations, then reads: whichever of the two contains them all; where both do, 1 in the algorithm notations, and in module notation"
    " 0 for brackets, `p[t]`, and a refusal for subscripts",
    "E0502",
    module("p", r"\Return \sum_{t=1}^{S-1} p_t", where=r"p \in \mathbb{R}^{S}"),
    {"name": "p", "one": r"p_{t} \in \mathbb{R}, t = 1, \dots, S", "zero": r"p_{t} \in \mathbb{R}, t = 0, \dots, S - 1"},
)

MATRIX_BY_LETTER = Ambiguity(
    "a product of what nothing declares",
    "`W x`",
    (
        Reading(
            "a matrix applied to a vector",
            r"declare `W \in \mathbb{R}^{m \times n}`",
            module(r"x \in \mathbb{R}^{n}, W \in \mathbb{R}^{m \times n}", r"\Return W x"),
        ),
        Reading(
            "a number times a vector", r"declare `W \in \mathbb{R}`", module(r"x \in \mathbb{R}^{n}, W \in \mathbb{R}", r"\Return W x")
        ),
    ),
    "declarations and shapes; where they leave it open, a capital letter that multiplies from the left is a matrix, with a note",
    "N0301",
    module("x, W", r"\Return W x"),
    noted=("is read as a matrix, since its letter is a capital", "are read as matrices, since their letters are capitals"),
)

VECTOR_BY_LETTER = Ambiguity(
    "a lower-case factor that nothing declares",
    r"`w \cdot x`",
    (
        Reading("a product of vectors", r"declare `w \in \mathbb{R}^{n}`", module(r"w \in \mathbb{R}^{n}, x", r"\Return w \cdot x")),
        Reading("a product of numbers", r"declare `w \in \mathbb{R}`", module(r"w \in \mathbb{R}, x \in \mathbb{R}", r"\Return w \cdot x")),
    ),
    "declarations and shapes; where they leave it open, a lower-case letter in a product is a vector, with a note",
    "N0301",
    module("w, x", r"\Return w \cdot x"),
    noted=("is read as a vector, since its letter is lower case", "are read as vectors, since their letters are lower case"),
)

NUMBER_BY_LETTER = Ambiguity(
    "a Greek factor that nothing declares",
    r"`\eta A x`",
    (
        Reading(
            "a number before a product",
            r"declare `\eta \in \mathbb{R}`",
            module(r"\eta \in \mathbb{R}, A \in \mathbb{R}^{n \times n}, x", r"\Return \eta A x"),
        ),
        Reading(
            "a row left of a matrix",
            r"declare `\eta \in \mathbb{R}^{n}`",
            module(r"\eta \in \mathbb{R}^{n}, A \in \mathbb{R}^{n \times n}, x", r"\Return \eta A x"),
        ),
    ),
    "declarations and shapes; where they leave it open, a Greek letter of numbers is one before another factor, with a note",
    "N0301",
    module(r"\eta, A \in \mathbb{R}^{n \times n}, x", r"\Return \eta A x"),
    noted=("is read as a number, by its letter", "are read as numbers, by their letters"),
)

MATRIX_BY_INDICES = Ambiguity(
    "a product of elements of what nothing declares",
    "`W_{ij} x_j`",
    (
        Reading(
            "a product of numbers, elements of a matrix and of a vector",
            r"declare `W_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n`",
            module("W, x", _ROWS_BY_HAND, r"\Return y", where=r"W_{i,j} \in \mathbb{R}, i = 1, \dots, m, j = 1, \dots, n"),
        ),
        Reading(
            "a matrix of a family applied to a vector of a family",
            r"declare `W_{i,j} \in \mathbb{R}^{k \times d}, i = 1, \dots, m, j = 1, \dots, n`",
            module(
                "W, x",
                _ROWS_BY_HAND,
                r"\Return y",
                where=r"W_{i,j} \in \mathbb{R}^{k \times d}, i = 1, \dots, m, j = 1, \dots, n"
                r" \\ x_j \in \mathbb{R}^{d}, j = 1, \dots, n",
            ),
        ),
    ),
    "declarations and shapes; where they leave it open, an array that is read with two indices has numbers as elements, with a note",
    "N0301",
    module("W, x", _ROWS_BY_HAND, r"\Return y"),
    noted=("is read as a matrix of numbers, since it has two indices", "are read as matrices of numbers, since they have two indices"),
)

LIST_OF_EQUAL_VALUES = Ambiguity(
    "a number above one value in braces",
    r"`\{a\}^2`",
    (
        Reading("a list of two equal values", r"write `[a, a]` for the list", module(_NUMBERS, r"y \gets [a, a]", r"\Return b + y")),
        Reading("a power", "write `(a)^2` or `a^2` for the power", module(_NUMBERS, r"y \gets a^2 + 0 (a)^2", r"\Return b + y")),
    ),
    r"the notation: alone, in a join or in a list it is a list, with a note; of a number, `\{0\}^2`, nothing is asked",
    "N0301",
    module(_NUMBERS, r"y \gets \{a\}^2", r"\Return b + y"),
    noted=("is read as a list of equal values", "are read as lists of equal values"),
)

ROWS_OF_A_MATRIX = Ambiguity(
    "bars around a matrix that is not square",
    "`|X|`",
    (
        Reading(
            "the number of its rows",
            r"write `X.\mathrm{size}(1)` for the rows",
            module(r"X \in \mathbb{R}^{n \times d}", r"\Return X.\mathrm{size}(1)"),
        ),
        Reading(
            "its norm",
            r"write `\lVert X \rVert_F` for the norm",
            module(r"X \in \mathbb{R}^{n \times d}", r"\Return \lVert X \rVert_F"),
        ),
    ),
    "the declaration: a matrix is the sequence of its rows, and bars around a sequence are its length, with a note",
    "N0301",
    module(r"X \in \mathbb{R}^{n \times d}", r"\Return |X|"),
    noted=("is read as the number of rows of the matrix", "are read as the numbers of rows of the matrices"),
)

EXPONENTIAL_OF_A_MATRIX = Ambiguity(
    "`e` to the power of a square matrix",
    "`e^{A}` of a square matrix",
    (
        Reading("the exponential of each element", r"write `\exp(A)` for that of each element", module(_SQUARE, r"\Return \exp(A) x")),
        Reading(
            "the exponential of the matrix",
            "write a module that is passed in, `g(A)`, for that of the matrix, which is not supported yet",
            module(r"A \in \mathbb{R}^{n \times n} ; g", r"\Return g(A)"),
        ),
    ),
    r"the notation: `\exp` is elementwise; with `e`, what is no square matrix has the exponentials of its elements",
    "E0304",
    module(_SQUARE, r"\Return e^{A} x"),
)

ROW_LEFT_OF_A_MATRIX = Ambiguity(
    "a vector left of a matrix",
    "`x W`",
    (
        Reading(
            r"the row `x^\top` times the matrix",
            r"write `x^\top W`",
            module(r"x \in \mathbb{R}^{d}, W \in \mathbb{R}^{d \times m}", r"\Return x^\top W"),
        ),
        Reading(
            "a column times a matrix of one row",
            r"declare `x \in \mathbb{R}^{d \times 1}`",
            module(r"x \in \mathbb{R}^{d \times 1}, W \in \mathbb{R}^{1 \times m}", r"\Return x W"),
        ),
    ),
    "the rule that a vector left of a matrix is a row",
    "N0301",
    module(r"x \in \mathbb{R}^{d}, W \in \mathbb{R}^{d \times m}", r"\Return x W"),
    noted=("is a row left of a matrix", "are rows left of matrices"),
)

EACH_ROW = Ambiguity(
    "a matrix before a sequence of vectors",
    "`W F`",
    (
        Reading(
            "`W` applied to each vector in `F`",
            r"write `F W^\top`",
            module(r"W \in \mathbb{R}^{m \times d}, F \in \mathbb{R}^{n \times d}", r"\Return F W^\top"),
        ),
        Reading(
            "the matrix product",
            r"declare `F \in \mathbb{R}^{d \times n}`",
            module(r"W \in \mathbb{R}^{m \times d}, F \in \mathbb{R}^{d \times n}", r"\Return W F"),
        ),
    ),
    "the shapes: the matrix product where it fits; only where it does not and the vectors fit, each vector, with a note",
    "N0301",
    module(r"W \in \mathbb{R}^{m \times d}, F \in \mathbb{R}^{n \times d}", r"\Return W F"),
    noted=("is applied to each element of a sequence (to each row)", "are applied to each element of a sequence (to each row)"),
)

ROWS = (
    BARS_AROUND_A_VECTOR,
    BARS_AROUND_A_MATRIX,
    INDEX_OR_POWER,
    INDEX_OR_POWERS,
    TRANSPOSE_OR_POWER,
    ELEMENT_OF_A_TRANSPOSE,
    ELEMENT_OF_AN_INVERSE,
    INDEX_IN_PARENTHESES,
    ELEMENT_OF_A_POWER,
    POWER_OF_A_CALLED_MATRIX,
    POWER_OF_A_MATRIX,
    INVERSE_FUNCTION,
    POWER_OR_LIST,
    REACH_OF_AN_ARGUMENT,
    VALUES_OR_LIST,
    REDUCTION_OF_A_MATRIX,
    FIRST_INDEX,
    MATRIX_BY_LETTER,
    VECTOR_BY_LETTER,
    NUMBER_BY_LETTER,
    MATRIX_BY_INDICES,
    ROW_LEFT_OF_A_MATRIX,
    EACH_ROW,
    LIST_OF_EQUAL_VALUES,
    ROWS_OF_A_MATRIX,
    EXPONENTIAL_OF_A_MATRIX,
)
