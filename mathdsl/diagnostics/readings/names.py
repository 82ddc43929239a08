r"""Readings that a name, its scripts and the parenthesis behind it leave open."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity, Reading, algorithm, module

_X = r"x \in \mathbb{R}^{n}"
_NUMBERS = r"x_i \in \mathbb{R}, i = 1, \dots, n"
_CUBE = r"i = 1, \dots, 3, j = 1, \dots, 3, k = 1, \dots, 3"
_MATRIX = r"A_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, d"
_FAMILY = r"x_t \in \mathbb{R}, t = 1, \dots, n"
_MADE_OF_ROWS = r"x_t \in \mathbb{R}^{d}, t = 1, \dots, T, w_k \in \mathbb{R}^{d}, k = 1, \dots, d"
_EACH_ROW, _EACH, _END = r"\For{$t = 1, \dots, T$}", r"\For{$k = 1, \dots, d$}", r"\EndFor"
_SQUARE, _EACH_ONE = r"a \in \mathbb{R}^{n \times n}", r"\For{$k = 1, \dots, n$}"
_STEPS = r"w \in \mathbb{R}^{n}, a \in \mathbb{R}^{T}"
_EACH_STEP, _STENCIL = r"\For{$t = 1, \dots, T$}", r"a_t w_{i-1} \quad (i = 2, \dots, n)"

RESERVED_LETTER = Ambiguity(
    "a reserved letter that the program has, too",
    "`<letter>`",
    (
        Reading(
            "<meaning>",
            "write `<instead>` for <meaning>",
            module(_X + r", e \in \mathbb{R}", r"\Return \exp(x) + 0 e"),
        ),
        Reading("what this program calls `<letter>`", "give yours another name", module(_X + r", a \in \mathbb{R}", r"\Return a x")),
    ),
    r"a declaration or a definition: `e`, `\pi`, `I`, `\sigma` or `\Gamma` is then the author's, and refused in its other meaning",
    "E0304",
    module(_X + r", e \in \mathbb{R}", r"\Return e^{x}"),
    {"letter": "e", "meaning": "the base of the exponential", "instead": r"\exp(x)"},
)

RESERVED_FAMILY = Ambiguity(
    "a reserved letter beside a family of that letter",
    "`<letter>`",
    (
        Reading(
            "<meaning>",
            "write `<instead>` for <meaning>",
            module(r"\pi, x", r"\Return \sum_{k=1}^{n} \pi_k x_k + 3.141592653589793", where=r"\pi_k, x_k \in \mathbb{R}, k = 1, \dots, n"),
        ),
        Reading(
            "what this program calls `<letter>`",
            "write `(<letter>_k)_{k=1}^{n}` with its own range for all of yours",
            module(r"\pi, x", r"\Return (\pi_k)_{k=1}^{n} \odot x", where=r"\pi_k, x_k \in \mathbb{R}, k = 1, \dots, n"),
        ),
    ),
    r"the notation: `2\pi`, `e^{x}`, `\sigma(x)` keep their meaning beside `\pi_k`, `e_t`, `\sigma_i`; a bare letter elsewhere is refused",
    "E0304",
    module(r"\pi, x", r"\Return \pi \odot x", where=r"\pi_k, x_k \in \mathbb{R}, k = 1, \dots, n"),
    {"letter": r"\pi", "meaning": "the number", "instead": "3.141592653589793"},
)

CALL_OR_PRODUCT = Ambiguity(
    "a name before a parenthesis",
    "`<name>(…)`, where nothing declares `<name>`,",
    (
        Reading(
            "a call",
            r"define `<name>(a) \gets …` for a call",
            module(_X, r"f(a) \gets 2 a", r"\Return f(x + 1)"),
        ),
        Reading(
            "a product",
            r"declare `<name> \in \mathbb{R}` for a product",
            module(_X + r", f \in \mathbb{R}", r"\Return f(x + 1)"),
        ),
    ),
    "what the name is: a function or a module is called, an array multiplies; undeclared right of `;` it is a module of the caller's where"
    " it is given one symbol (`D(s)`) or several arguments, and a capital letter a matrix before a parenthesis that holds an operator",
    "E0305",
    module(_X, r"\Return f(x + 1)"),
    {"name": "f"},
)

ELEMENT_OR_PRODUCT = Ambiguity(
    "an array before an index in parentheses",
    "`<name>(<index>)`",
    (
        Reading(
            "an element of `<name>`",
            "write `<element>` for the element",
            module("x", r"\Return \sum_{t=1}^{n} t \, x_t", where=_FAMILY),
        ),
        Reading("a product", "write `(<index>) <name>` for the product", module("x", r"\Return \sum_{t=1}^{n} t \, (t) x", where=_FAMILY)),
    ),
    r"a definition that writes the indices so, `\alpha(i) \gets 2 x_i \quad (i = 1, \dots, n)`: then it is an element",
    "E0409",
    module("x", r"\Return \sum_{t=1}^{n} t \, x(t)", where=_FAMILY),
    {"name": "x", "index": "t", "element": "x_t"},
)

PRODUCT_OF_LETTERS = Ambiguity(
    "a word of several letters",
    "`<word>`",
    (
        Reading(
            "the product of its letters",
            "write `<product>` for the product",
            module(r"a \in \mathbb{R}, x \in \mathbb{R}^{n}", r"\Return a x"),
        ),
        Reading(
            "one name",
            r"declare `\mathrm{<word>}` for one name",
            module(r"a \in \mathbb{R}, x \in \mathbb{R}^{n}, \mathrm{ax} \in \mathbb{R}", r"\Return ax"),
        ),
    ),
    "a declaration or definition of the word; without one it is the product where each letter has a value, with a note, else an error",
    "N0301",
    module(r"a \in \mathbb{R}, x \in \mathbb{R}^{n}", r"\Return ax"),
    {"word": "ax", "product": "a x"},
    ("is read as the product of its letters", "are read as the products of their letters"),
)

LETTERS_OF_A_SUBSCRIPT = Ambiguity(
    "two letters in a subscript",
    "`<written>` is not declared: it",
    (
        Reading(
            "the element `<element>`",
            "write a comma, `<element>`, for the element",
            algorithm("r, u, i", r"r \in \mathbb{R}^{n \times n}, u, i \in \{1, \dots, n\}", r"\Return r_{u,i}"),
        ),
        Reading(
            "a symbol of its own",
            "declare `<written>` for a symbol of its own",
            algorithm(
                "r, u, i, r_{ui}",
                r"r \in \mathbb{R}^{n \times n}, u, i \in \{1, \dots, n\}, r_{ui} \in \mathbb{R}",
                r"\Return r_{ui} + u + i",
            ),
        ),
    ),
    "the scopes: two index variables are two indices; a declaration makes a name; else refused where both letters have values",
    "E0301",
    algorithm("r, u, i", r"r \in \mathbb{R}^{n \times n}, u, i \in \{1, \dots, n\}", r"\Return r_{ui}"),
    {"written": "r_{ui}", "element": "r_{u,i}"},
)

ELEMENT_OR_LABEL = Ambiguity(
    "a letter with a value as a subscript",
    "`<written>` is not declared: it",
    (
        Reading(
            "the element of `<name>` at `<item>`",
            "write `<name>[<item>]` for the element",
            algorithm("x, k", r"x \in \mathbb{R}^{n}, k \in \{1, \dots, n\}", r"\Return x[k]"),
        ),
        Reading(
            "a symbol of its own",
            "declare `<written>` for a symbol of its own",
            algorithm("x, k, x_k", r"x \in \mathbb{R}^{n}, k \in \mathbb{R}, x_k \in \mathbb{R}", r"\Return x_k + k"),
        ),
    ),
    "declarations: of an integer type it indexes, and of a symbol declared with its subscript, it is part of the name",
    "E0301",
    algorithm("x, k", r"x \in \mathbb{R}^{n}", r"\Return x_k + k"),
    {"written": "x_k", "name": "x", "item": "k"},
)

ELEMENT_OR_SYMBOL = Ambiguity(
    "a definition of what may be an element",
    "`<symbol>`",
    (
        Reading(
            "an element of `<array>`",
            "write `<array>[<indices>]` for the element",
            algorithm("x", _X, r"h \gets 2 x", r"h[1] \gets 0", r"\Return h"),
        ),
        Reading(
            "a symbol of its own",
            "give the value a name without indices",
            module(_X, r"h \gets 2 x", r"v \gets 3", r"\Return v h"),
        ),
    ),
    "what reads it: a name with one number that something reads is a name; in the algorithm notations an assignment is one to the element,"
    " where the index is an integer; at another number that the program computes, `h_c`, it is refused",
    "E0303",
    module(_X, r"h \gets 2 x", r"h_1 \gets 0", r"\Return h"),
    {"symbol": "h_1", "array": "h", "indices": "1"},
)

KRONECKER = Ambiguity(
    "a delta with two indices",
    r"`<written>`",
    (
        Reading(
            "the Kronecker delta",
            r"write `\mathbb{1}[<left> = <right>]` for the Kronecker delta",
            module(_X, r"y_{i,j} \gets \mathbb{1}[i = j] x_i \quad (i = 1, \dots, n, j = 1, \dots, n)", r"\Return y"),
        ),
        Reading(
            r"an element of an array `\delta`",
            r"declare `\delta` for an array",
            module(
                r"x, \delta",
                r"\Return \sum_{i,j} \delta_{i,j} x_i",
                where=r"x_i, \delta_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n",
            ),
        ),
    ),
    r"a declaration of `\delta`",
    "E0701",
    algorithm(
        "x",
        _X,
        r"\For{$i = 1, \dots, n$}",
        r"\For{$j = 1, \dots, n$}",
        r"y_{i,j} \gets \delta_{ij} x_i",
        r"\EndFor",
        r"\EndFor",
        r"\Return y",
    ),
    {"written": r"\delta_{ij}", "left": "i", "right": "j"},
)

LEVI_CIVITA = Ambiguity(
    "an epsilon with three indices",
    r"`<written>`",
    (
        Reading(
            "the Levi-Civita symbol",
            r"write the terms out for the Levi-Civita symbol, as in `u_2 w_3 - u_3 w_2`",
            module("u, w", r"\Return u_2 w_3 - u_3 w_2", where=r"u_j, w_j \in \mathbb{R}, j = 1, \dots, 3"),
        ),
        Reading(
            r"an element of an array `<name>`",
            r"declare `<name>` for an array",
            module(r"\epsilon", r"\Return \sum_{i,j,k} \epsilon_{i,j,k}", where=r"\epsilon_{i,j,k} \in \mathbb{R}, " + _CUBE),
        ),
    ),
    r"a declaration of `\epsilon`",
    "E0701",
    algorithm("u", r"u_j \in \mathbb{R}, j = 1, \dots, 3", r"\Return \sum_{i=1}^{3} \sum_{j=1}^{3} \sum_{k=1}^{3} \epsilon_{ijk} u_k"),
    {"written": r"\epsilon_{ijk}", "name": r"\epsilon"},
)

IMAGINARY_UNIT = Ambiguity(
    "a free `i` or `j`",
    "`<written>`, which nothing declares,",
    (
        Reading(
            "the imaginary unit",
            r"write real and imaginary parts apart, `\cos(x)` and `\sin(x)`, for complex numbers, which are not supported yet",
            module(r"x \in \mathbb{R}", r"\Return \cos(x) + 0 \sin(x)"),
        ),
        Reading(
            "a number of its own",
            r"declare `<written> \in \mathbb{R}` for a number",
            module(r"x \in \mathbb{R}, i \in \mathbb{R}", r"\Return e^{i x}"),
        ),
    ),
    "a declaration of the letter, or what binds it as an index",
    "E0701",
    algorithm("x", r"x \in \mathbb{R}", r"\Return e^{i x}"),
    {"written": "i"},
)

STATISTIC_OR_NAME = Ambiguity(
    "a bar over an array, or a label such as `max`",
    "`<written>`, which nothing declares,",
    (
        Reading("<statistic> of `<name>`", "write `<instead>` for <statistic>", module(_X, r"\Return x - \operatorname{mean}(x)")),
        Reading(
            "a symbol of its own",
            "declare `<written>` for a symbol of its own",
            module(_X + r", \bar{x} \in \mathbb{R}^{n}", r"\Return x - \bar{x}"),
        ),
    ),
    "a declaration or definition of the symbol; an accent other than a bar, or over a number, makes a name",
    "E0301",
    algorithm("x", _X, r"\Return x - \bar{x}"),
    {"written": r"\bar{x}", "name": "x", "statistic": "the mean", "instead": r"\operatorname{mean}(x)"},
)

LETTER_OF_AN_ARRAY = Ambiguity(
    "an element in another font or case than the array",
    "`<written>`, which nothing declares,",
    (
        Reading(
            "an element of `<array>`",
            "write `<element>` for the element",
            module(r"X \in \mathbb{R}^{n}", r"\Return \sum_{i=1}^{n} X_{i}^2"),
        ),
        Reading(
            "one of an array of its own",
            r"declare `<name>` for an array of its own",
            module(r"X \in \mathbb{R}^{n}, x \in \mathbb{R}^{n}", r"\Return \sum_{i=1}^{n} x_i^2 + \sum_{i=1}^{n} X_i"),
        ),
    ),
    r"declarations: `X` and `x` are different symbols, and so are `\mathbf{x}` and `x` where both are declared; where only `\mathbf{x}` is,"
    r" or `\vec{x}`, its elements are `x_i`",
    "E0301",
    algorithm("X", r"X \in \mathbb{R}^{n}", r"\Return \sum_{i=1}^{n} x_i^2"),
    {"written": "x_i", "array": "X", "element": "X_{i}", "name": "x"},
)

ELEMENT_OF_AN_ASSIGNED = Ambiguity(
    "an element that is assigned in another case than an array",
    "`<written>`, beside `<array>`,",
    (
        Reading(
            "an element of `<array>`",
            "write `<element>` for the element",
            algorithm("a", _SQUARE, r"U \gets a", _EACH_ONE, r"U_{k,k} \gets 1", _END, r"\Return U"),
        ),
        Reading(
            "one of an array of its own",
            "give an array of its own another letter, as in `v`",
            algorithm("a", _SQUARE, r"U \gets a", _EACH_ONE, r"v_k \gets a_{k,k}", _END, r"\Return U v"),
        ),
    ),
    r"a declaration of the letter, or what else the program writes: `u` read without indices, or `U` with indices and `u` for the result",
    "E0301",
    algorithm("a", _SQUARE, r"U \gets a", _EACH_ONE, r"u_{k,k} \gets 1", _END, r"\Return U"),
    {"written": "u_{k, k}", "array": "U", "element": "U_{k, k}"},
)

NUMBERED_OR_POWER = Ambiguity(
    "a first power of what nothing declares",
    "`<written>`",
    (
        Reading(
            "a symbol of its own",
            "write `<name>_1` with a subscript for a symbol of its own",
            module(_X + r", b_1 \in \mathbb{R}^{n}", r"\Return x + b_1"),
        ),
        Reading(
            "a power of `<name>`",
            "declare `<name>` for a power",
            module(_X + r", b \in \mathbb{R}^{n}", r"\Return x + b^1"),
        ),
    ),
    "a declaration of `b`: of that it is the power",
    "E0304",
    algorithm("x", _X, r"\Return x + b^1"),
    {"written": "b^1", "name": "b"},
)

POWER_OR_NAME = Ambiguity(
    "a superscript on a left side or in a header, where the name stands without it, too",
    "`<written>`, where `<name>` stands alone, too,",
    (
        Reading(
            "a value of its own",
            "give it a letter of its own, as in `v`",
            module(_X, r"\sigma \gets \sum_{i} x_i", r"v \gets 2 \sigma", r"\Return v + \sigma"),
        ),
        Reading(
            "a power of `<name>`",
            "define `<name>` for the power",
            module(_X, r"\sigma \gets \sqrt{\sum_{i} x_i^2}", r"\Return \sigma^2 + \sigma"),
        ),
    ),
    r"what else the program has: where `\sigma` never stands without it, `\sigma^2` is a value with that name",
    "E0304",
    module(_X, r"\sigma^2 \gets \sum_{i} x_i^2", r"\Return \sigma^2 + \sigma"),
    {"written": r"\sigma^2", "name": r"\sigma"},
)

LABEL_OR_OPERATION = Ambiguity(
    "a sign, or what stands in parentheses, as a superscript of a value",
    "`<written>`, which nothing declares or defines,",
    (
        Reading(
            "a symbol of its own",
            "declare `<written>` for a symbol of its own",
            module(_X + r", x^{(2)} \in \mathbb{R}^{n}", r"\Return x - x^{(2)}"),
        ),
        Reading(
            "something that is computed from `<name>`",
            r"write `<name>^2` for a power and `(<name>)_+` for the positive part",
            module(_X, r"\Return x^2 - (x)_+"),
        ),
    ),
    "a header, a row or a left side that spells it: then it is a name",
    "E0701",
    module(_X, r"\Return x - x^{(2)}"),
    {"written": "x^{(2)}", "name": "x"},
)

DIGITS_OF_A_SUBSCRIPT = Ambiguity(
    "digits, or factors with an index, as the subscript of a matrix",
    "`<written>`",
    (
        Reading(
            "the element `<element>`",
            "write a comma, `<element>`, for the element",
            module("A", r"\Return A_{1,2}", where=_MATRIX),
        ),
        Reading(
            "row <number> of `<name>`",
            "write `<name>[<number>]` for the row",
            module("A", r"\Return A[12]", where=_MATRIX),
        ),
    ),
    "nothing: a comma or brackets are written; of a vector it is one number, and `A_{11}` of what nothing declares is a name",
    "E0304",
    module("A", r"\Return A_{12}", where=_MATRIX),
    {"written": "A_{12}", "name": "A", "element": "A_{1,2}", "number": "12"},
)

LETTER_WITHOUT_VALUE = Ambiguity(
    "a letter without a value as a subscript",
    "`<written>`, where `<letter>` has no value and `<name>` is an array,",
    (
        Reading(
            "an element of `<name>`",
            r"let an index run, as in `\sum_{<letter>}`",
            algorithm("x", _FAMILY, r"y \gets \sum_{t} x_t", r"\Return y + x_1"),
        ),
        Reading(
            "a symbol of its own",
            "declare `<written>` for a symbol of its own",
            algorithm("x, x_t", _NUMBERS + r", x_t \in \mathbb{R}", r"\Return x_t + x_1"),
        ),
    ),
    "the scopes, and declarations: an index variable indexes; a symbol declared with its subscript is that name",
    "E0301",
    algorithm("x", _FAMILY, r"\Return x_t + \sum_{t=1}^{n} x_t"),
    {"written": "x_t", "name": "x", "letter": "t"},
)

LABEL_OR_ELEMENT = Ambiguity(
    "a letter as a subscript",
    "`W_y`",
    (
        Reading(
            "an element of `W`",
            r"declare `W`, and `y` of an integer type",
            module("W, y", r"\Return W_y", where=r"W \in \mathbb{R}^{n} \\ y \in \{1, \dots, n\}"),
        ),
        Reading("a name", r"declare `W_y`", module("W_y, y", r"\Return W_y + y", where=r"W_y \in \mathbb{R} \\ y \in \mathbb{R}")),
    ),
    "declarations: a subscript indexes when it is an index variable, or of an integer type where the base is an array without it, or where"
    " the symbol is indexed at that place elsewhere; a symbol declared with its subscript is always that name",
)

WORD_OF_INDICES = Ambiguity(
    "a word of index variables as a subscript of what is declared as a number",
    "`w_{ij}`",
    (
        Reading(
            "a name",
            r"declare `w_{ij} \in \mathbb{R}`",
            module("w_{ij}, x", r"\Return \sum_{i,j=1}^{n} w_{ij} x_i x_j", where=rf"{_NUMBERS} \\ w_{{ij}} \in \mathbb{{R}}"),
        ),
        Reading(
            "an element of `w`",
            r"declare `w_{ij} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n`",
            module(
                "w, x",
                r"\Return \sum_{i,j=1}^{n} w_{ij} x_i x_j",
                where=rf"{_NUMBERS} \\ w_{{ij}} \in \mathbb{{R}}, i = 1, \dots, n, j = 1, \dots, n",
            ),
        ),
    ),
    "the declaration: what is declared with its subscript is that name, with a note, and an array where the letters have ranges",
    "N0301",
    module("w_{ij}, x", r"\Return \sum_{i,j=1}^{n} w_{ij} x_i x_j", where=rf"{_NUMBERS} \\ w_{{ij}} \in \mathbb{{R}}"),
    noted=(
        "is one number: no declaration gives ranges to its letters",
        "are one number each: no declaration gives ranges to their letters",
    ),
)

LABEL_BESIDE_INDEX = Ambiguity(
    "a label and an index in one subscript",
    "`W_{Q,h}`",
    (
        Reading(
            "element `h` of a family `W_Q`",
            r"bind `h`",
            module("W_Q, x", r"\Return \sum_{h=1}^{n} W_{Q,h} x_h", where=r"W_{Q,h}, x_h \in \mathbb{R}, h = 1, \dots, n"),
        ),
        Reading(
            "one name", r"declare `W_{Q,h}` and bind no `h`", module(r"W_{Q,h} \in \mathbb{R}, x \in \mathbb{R}", r"\Return W_{Q,h} x")
        ),
    ),
    "the scopes: items that are index expressions index, the others belong to the name",
)

HEADER_ELEMENT = Ambiguity(
    "an input that spells an element",
    "`h_0`",
    (
        Reading(
            "the element of the family `h` at 0",
            r"define `h` from 1 on, reading `h_{t-1}`",
            module("x, h_0", r"h_t \gets h_{t-1} + x_t \quad (t = 1, \dots, n)", r"\Return h_n", where=_FAMILY + r" \\ h_0 \in \mathbb{R}"),
        ),
        Reading(
            "a symbol of its own",
            r"define the element, too: `h[0] \gets 2 h_0`",
            module(
                "x, h_0",
                r"h[0] \gets 2 h_0",
                r"h_t \gets h_{t-1} + x_t \quad (t = 1, \dots, n)",
                r"\Return h_n",
                where=_FAMILY + r" \\ h_0 \in \mathbb{R}",
            ),
        ),
    ),
    "the definitions: the header's symbol is the element unless the program defines that element itself or the family's domain excludes it",
)

ROW_OR_ARRAY = Ambiguity(
    "what is made of a row, with one subscript more than the row",
    "`<longer>`",
    (
        Reading(
            "an element of `<shorter>`",
            r"give the row a name before, `v \gets <shorter>`, for an element",
            algorithm("x, w", _MADE_OF_ROWS, _EACH_ROW, r"v \gets x_t", _EACH, r"x_{t,k} \gets w_k^\top v", _END, _END, r"\Return x"),
        ),
        Reading(
            "one of another array of that letter",
            "give what is made of `<letter>` a name of its own",
            algorithm("x, w", _MADE_OF_ROWS, _EACH_ROW, _EACH, r"z_{t,k} \gets w_k^\top x_t", _END, _END, r"\Return z"),
        ),
    ),
    r"the definitions: the shorter is a row of the longer, unless one is made of the other in another shape: `s_t \gets \sum_k s_{t,k}`,"
    r" `h_t \algoEq \fla{h_{t,1}, \dots, h_{t,n}}`",
    "E0303",
    algorithm(
        "x, w", _MADE_OF_ROWS, _EACH_ROW, _EACH, r"x_{t,k} \gets w_k^\top x_t", _END, r"y_t \gets \sum_k x_{t,k}", _END, r"\Return y"
    ),
    {"longer": "x_{t, k}", "shorter": "x_t", "letter": "x"},
)

BOUND_BELOW_A_SOFTMAX = Ambiguity(
    "an index below a softmax",
    r"`\softmax_j(x_j)`",
    (
        Reading("the array", "let nothing outside bind `j`", module("x", r"\Return \softmax_t(x_t)", where=_FAMILY)),
        Reading("its element `j`", "bind `j` outside", module("x", r"\Return \sum_{t=1}^{n} t \softmax_t(x_t)", where=_FAMILY)),
    ),
    "the scopes: where the index is bound outside, it is element `j` of the softmax over the whole range of `j`",
)

AT_ONCE_OR_IN_TURN = Ambiguity(
    "an assignment over a range that reads other elements",
    r"`<target> \gets …` for all `<letters>`, which reads `<read>`,",
    (
        Reading(
            "made of the values before it, all at once",
            "give the new values a name of their own, and assign them to `<target>` in a statement behind that, for all at once",
            algorithm("w, a", _STEPS, _EACH_STEP, rf"v_i \gets {_STENCIL}", r"w_i \gets v_i \quad (i = 2, \dots, n)", _END, r"\Return w"),
        ),
        Reading(
            "one after the other",
            "write a loop over `<letters>` for one after the other",
            algorithm("w, a", _STEPS, _EACH_STEP, r"\For{$i = 2, \dots, n$}", r"w_i \gets a_t w_{i-1}", _END, _END, r"\Return w"),
        ),
    ),
    r"what is read: the element that is assigned, and elements that the range does not move, `w_1` and `\sum_j w_j`, are those of before",
    "E0303",
    algorithm("w, a", _STEPS, _EACH_STEP, rf"w_i \gets {_STENCIL}", _END, r"\Return w"),
    {"target": "w_i", "letters": "i", "read": "w_{i - 1}"},
)

ROWS = (
    AT_ONCE_OR_IN_TURN,
    RESERVED_LETTER,
    RESERVED_FAMILY,
    CALL_OR_PRODUCT,
    ELEMENT_OR_PRODUCT,
    PRODUCT_OF_LETTERS,
    LETTERS_OF_A_SUBSCRIPT,
    ELEMENT_OR_LABEL,
    LETTER_WITHOUT_VALUE,
    ELEMENT_OR_SYMBOL,
    KRONECKER,
    LEVI_CIVITA,
    IMAGINARY_UNIT,
    STATISTIC_OR_NAME,
    LETTER_OF_AN_ARRAY,
    ELEMENT_OF_AN_ASSIGNED,
    NUMBERED_OR_POWER,
    POWER_OR_NAME,
    LABEL_OR_OPERATION,
    DIGITS_OF_A_SUBSCRIPT,
    LABEL_OR_ELEMENT,
    WORD_OF_INDICES,
    LABEL_BESIDE_INDEX,
    HEADER_ELEMENT,
    ROW_OR_ARRAY,
    BOUND_BELOW_A_SOFTMAX,
)
