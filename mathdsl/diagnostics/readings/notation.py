r"""Readings that scripts, brackets, bars and the order of operators leave open before anything is known about names."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity, Reading, algorithm, module

_VECTORS = r"x \in \mathbb{R}^{n}, y \in \mathbb{R}^{n}"
_NUMBERS = r"a \in \mathbb{R}, b \in \mathbb{R}, c \in \mathbb{R}"
_WX = r"w, x \in \mathbb{R}^{n}"
_FOUR = r"x_i \in \mathbb{R}, i = 1, \dots, 4"
_WHOLE = r"a \in \mathbb{N}, k \in \mathbb{N}"
_TWO = r"a \in \mathbb{R}, b \in \mathbb{R}"
_PAIR = r"a \in \mathbb{R}^{2}, b \in \mathbb{Z}, c \in \mathbb{Z}"
_SCRIPTED = r"W_{ih} \in \mathbb{R}^{n}, W_i \in \mathbb{R}^{n}, h \in \mathbb{R}"
_HATTED = r"\hat{xy} \in \mathbb{R}^{n}, \hat{x} \in \mathbb{R}^{n}, y \in \mathbb{R}"
_BOTH = r"x_k, d_k \in \mathbb{R}, k = 1, \dots, n"
_MEASURED = r"x \in \mathbb{R}^{n}, d_k \in \mathbb{R}, d \in \mathbb{R}"

SCRIPT_OF_SEVERAL = Ambiguity(
    "a script of several characters",
    "`<base><mark><first><rest>`",
    (
        Reading(
            "one script, `<base><mark>{<first><rest>}`",
            "write `<base><mark>{<first><rest>}`",
            module(_SCRIPTED, r"\Return W_{ih}"),
        ),
        Reading(
            "a product, `<base><mark><first> <rest>`, which TeX would typeset",
            "put a space after `<base><mark><first>`",
            module(_SCRIPTED, r"\Return W_i h"),
        ),
    ),
    "nothing: braces or a space are written",
    "E0211",
    module(_SCRIPTED, r"\Return W_ih"),
    {"base": "W", "mark": "_", "first": "i", "rest": "h"},
)

ACCENT_OF_SEVERAL = Ambiguity(
    "an accent on several letters",
    "`<command> <first><rest>`",
    (
        Reading("one name, `<command>{<first><rest>}`", "write `<command>{<first><rest>}`", module(_HATTED, r"\Return \hat{xy}")),
        Reading(
            "a product, `<command>{<first>} <rest>`, which TeX would typeset",
            "write `<command>{<first>} <rest>`",
            module(_HATTED, r"\Return \hat{x} y"),
        ),
    ),
    "nothing: braces are written",
    "E0211",
    module(_HATTED, r"\Return \hat xy"),
    {"command": r"\hat", "first": "x", "rest": "y"},
)

ARGUMENT_OF_SEVERAL = Ambiguity(
    "an argument of several characters",
    "`<command> <argument><rest>`",
    (
        Reading(
            "`<command>{<argument><rest>}`",
            "write braces, `<command>{<argument><rest>}`",
            module(r"x \in \mathbb{R}^{n}", r"\Return \sqrt{2x}"),
        ),
        Reading(
            "`<command>{<argument>}<rest>`", "write `<command>{<argument>}<rest>`", module(r"x \in \mathbb{R}^{n}", r"\Return \sqrt{2}x")
        ),
    ),
    "nothing: braces are written",
    "E0211",
    module(r"x \in \mathbb{R}^{n}", r"\Return \sqrt2x"),
    {"command": r"\sqrt", "argument": "2", "rest": "x"},
)

ROOT_OF_SEVERAL = Ambiguity(
    "where a root sign ends",
    "`√` does not say where the root ends: `√d_k`",
    (
        Reading("`\\sqrt{d_k}`", "write `√{d_k}`", module(_MEASURED, r"\Return x / √{d_k}")),
        Reading(
            "`\\sqrt{d}_k`",
            "write `\\sqrt{d}_k`",
            module("x, d", r"y_k \gets x_k / \sqrt{d}_k \quad (k = 1, \dots, n)", r"\Return y", where=_BOTH),
        ),
    ),
    "nothing: braces are written",
    "E0117",
    module(_MEASURED, r"\Return x / √d_k"),
)

HIDDEN_BRACES = Ambiguity(
    "braces around a sum",
    "`{<inner>}`",
    (
        Reading("a parenthesis", "write `(<inner>)` for the parenthesis", module(_NUMBERS, r"\Return a (b + c)")),
        Reading(
            "what TeX shows, `<inner>` without braces",
            "leave the braces away for what TeX shows",
            module(_NUMBERS, r"\Return a b + c"),
        ),
    ),
    "nothing: parentheses are written, or no braces",
    "E0210",
    module(_NUMBERS, r"\Return a {b + c}"),
    {"inner": "b + c"},
)

SPACE_BEFORE_BRACKET = Ambiguity(
    "a bracket behind a symbol and a space",
    "`<name> [..]`",
    (
        Reading("an element of `<name>`", "write `<name>[..]` for the element", module(_PAIR, r"\Return a[1] + b + c")),
        Reading("a product with what the brackets group", "write `(..) <name>` for the group", module(_PAIR, r"\Return (b + c) a")),
        Reading("a product with a list", r"write `<name> \cdot [..]` for the list", module(_PAIR, r"\Return a \cdot [b, c]")),
    ),
    "what stands in it: a real number is no index; else no space, an operator or parentheses are written",
    "E0210",
    module(_PAIR, r"\Return a [b + c]"),
    {"name": "a"},
)

PARTED_BY_SPACES = Ambiguity(
    "items in brackets with a space between them",
    "`[a \\; b]`",
    (
        Reading("a list of two", "write a comma, `[a, b]`, for the list", module(_NUMBERS, r"\Return c \cdot [a, b]")),
        Reading("a product in a parenthesis", "write `(a b)` for the product", module(_NUMBERS, r"\Return c \cdot (a b)")),
    ),
    "nothing: a comma or parentheses are written",
    "E0210",
    module(_NUMBERS, r"\Return c \cdot [a \; b]"),
)

PRODUCT_BEHIND_SLASH = Ambiguity(
    "a product directly behind a slash",
    "`a / b c`",
    (
        Reading("`\\frac{a}{b c}`", "write `a / (b c)`", module(_NUMBERS, r"\Return a / (b c)")),
        Reading("`\\frac{a}{b} c`", "write `(a / b) c`", module(_NUMBERS, r"\Return (a / b) c")),
    ),
    "nothing: parentheses are written",
    "E0212",
    module(_NUMBERS, r"\Return a / b \cdot c"),
)

REMAINDER_BEHIND_A_SUM = Ambiguity(
    "a remainder behind a sum, or a minus sign",
    r"`<before> <value> \bmod <of>`",
    (
        Reading(
            "the remainder of all before it",
            r"write `(<before> <value>) \bmod <of>` for the remainder of all before it",
            module(_NUMBERS, r"\Return (a + b) \bmod c"),
        ),
        Reading(
            "a remainder by itself",
            r"write `<before> (<value> \bmod <of>)` for a remainder by itself",
            module(_NUMBERS, r"\Return a + (b \bmod c)"),
        ),
    ),
    "nothing: parentheses are written",
    "E0212",
    module(_NUMBERS, r"\Return a + b \bmod c"),
    {"before": "a +", "value": "b", "of": "c"},
)

BARS_IN_A_ROW = Ambiguity(
    "several bars in a row",
    "`|a|b|c|`",
    (
        Reading(
            "two pairs side by side",
            r"write `\lvert a \rvert b \lvert c \rvert` for two pairs",
            module(_NUMBERS, r"\Return \lvert a \rvert b \lvert c \rvert"),
        ),
        Reading(
            "one pair inside of another",
            r"write `\lvert a \lvert b \rvert c \rvert` for one inside of another",
            module(_NUMBERS, r"\Return \lvert a \lvert b \rvert c \rvert"),
        ),
    ),
    "nothing: bars that say which side they are of are written",
    "E0214",
    module(_NUMBERS, r"\Return |a|b|c|"),
)

EQUATION_BEHIND_SPACE = Ambiguity(
    "an equation behind a value",
    "an equation stands behind this value without a mark: it",
    (
        Reading(
            "a statement of its own",
            "write it as a statement of its own",
            module(r"x \in \mathbb{R}^{n}", r"z \gets x", r"k = 3", r"\Return k z"),
        ),
        Reading(
            "the range of an index",
            r"write `\quad \text{for } t = 1, \dots, n` for a range",
            module(r"x \in \mathbb{R}^{n}", r"z_t \gets x_t \quad \text{for } t = 1, \dots, n", r"\Return z"),
        ),
        Reading(
            "a condition",
            "write a row of `cases` for a condition",
            module(
                r"x \in \mathbb{R}^{n}, k \in \mathbb{R}",
                r"z \gets \begin{cases} x & k = 3 \\ 0 & \text{otherwise} \end{cases}",
                r"\Return z",
            ),
        ),
    ),
    "nothing: a statement, a range or `cases` is written",
    "E0220",
    module(r"x \in \mathbb{R}^{n}", r"z \gets x \quad k = 3", r"\Return z"),
)

ONE_ITEM_IN_BRACKETS = Ambiguity(
    "brackets around one item",
    "`[a]`",
    (
        Reading("a parenthesis", "write `[a]` or `(a)`", module(_NUMBERS, r"\Return [a] + 1")),
        Reading("a list of one", r"write `\{a\}^1` or `\br{a}`", module(_NUMBERS, r"\Return \{a\}^1")),
    ),
    "the notation: brackets around one item are a parenthesis in any size, also as an argument, `\\exp\\left[ a \\right]`",
)

DOUBLE_BARS = Ambiguity(
    "double bars",
    r"`\| x \|`",
    (
        Reading("a norm", r"write `\lVert x \rVert` or `2 \| x \|`", module(_VECTORS, r"\Return 2 \| x \|")),
        Reading("a join", r"write `x || y` or `x \| y`", module(_VECTORS, r"\Return x \| y")),
    ),
    r"the notation: behind an operand `\|` joins; behind a number, and where nothing is joined behind the next bar, it opens a norm",
)

BODY_OF_A_SUM = Ambiguity(
    "where the body of a sum ends",
    r"`\sum_i x_i y_i + c`",
    (
        Reading(
            r"`(\sum_i x_i y_i) + c`",
            r"write `\sum_i x_i y_i + c`",
            module(_VECTORS + r", c \in \mathbb{R}", r"\Return \sum_i x_i y_i + c"),
        ),
        Reading(
            r"`\sum_i (x_i y_i + c)`",
            r"write `\sum_i (x_i y_i + c)`",
            module(_VECTORS + r", c \in \mathbb{R}", r"\Return \sum_i (x_i y_i + c)"),
        ),
    ),
    "the notation: the body ends with its product; `+`, a binary `-`, a relation, a comma and `&` end it",
)

POWER_OF_A_CALL = Ambiguity(
    "a power of a built-in function",
    r"`\cos^2 x`",
    (
        Reading(
            "the square of the value", r"write `\cos^2 x` or `\cos(x)^2`", module("x \\in \\mathbb{R}", r"\Return \cos^2 x + 0 \cos(x)^2")
        ),
        Reading("the function applied twice", r"write `\cos(\cos(x))`", module("x \\in \\mathbb{R}", r"\Return \cos(\cos(x))")),
    ),
    r"the notation: a positive power behind the name of a built-in function, or behind any parenthesis, is that of the value",
)

POWER_OF_A_FUNCTION = Ambiguity(
    "a power behind the name of a function or a module of the program",
    "`<written>`",
    (
        Reading(
            "a power of its value",
            "write `<name>(…)^<power>` for the power of the value",
            module(r"x \in \mathbb{R}", r"f(a) \gets a + 1", r"\Return f(x)^2"),
        ),
        Reading(
            "`<name>` applied more than once",
            "write `<name>(<name>(…))` for what `<name>` gives of its own value",
            module(r"x \in \mathbb{R}", r"f(a) \gets a + 1", r"\Return f(f(x))"),
        ),
    ),
    r"what the name is: of a built-in function, `\cos^2 x`, it is a power of the value, of one of several arguments, too; of a stack of"
    " modules it is the index of one of them",
    "E0304",
    module(r"x \in \mathbb{R}", r"f(a) \gets a + 1", r"\Return f^2(x)"),
    {"written": "f^2", "name": "f", "power": "2"},
)

MINUS_BEFORE_A_POWER = Ambiguity(
    "a minus sign before a power",
    "`-x^2`",
    (
        Reading("minus the square", "write `-x^2`", module("x \\in \\mathbb{R}", r"\Return -x^2")),
        Reading("the square of minus `x`", "write `(-x)^2`", module("x \\in \\mathbb{R}", r"\Return (-x)^2")),
    ),
    "the notation: scripts bind tightest",
)

STAR = Ambiguity(
    "a star between two vectors",
    "`w * x`",
    (
        Reading("their elementwise product", r"write `w * x` or `w \odot x`", module("w, x", r"\Return w * x + 0 w \odot x", where=_WX)),
        Reading(
            "their convolution",
            r"write the sum, `\sum_k w_k x_{i-k}`",
            module(
                "w, x",
                r"y_i \gets \sum_{k=1}^{i-1} w_k x_{i-k} \quad (i = 1, \dots, n)",
                r"\Return y",
                where=r"w_i, x_i \in \mathbb{R}, i = 1, \dots, n",
            ),
        ),
    ),
    r"the notation: `*`, `\odot` and `\circ` are elementwise",
)

SLASH_BEHIND_AN_ARGUMENT = Ambiguity(
    "a slash behind a function without parentheses",
    r"`\log a / b`",
    (
        Reading(r"`(\log a) / b`", r"write `\log a / b` or `\log(a) / b`", module(_TWO, r"\Return \log a / b + 0 \log(a) / b")),
        Reading(r"`\log(a / b)`", r"write `\log(a / b)` or `\log \frac{a}{b}`", module(_TWO, r"\Return \log(a / b) + 0 \log \frac{a}{b}")),
    ),
    "the notation: without parentheses a function takes one factor with its scripts, or one fraction",
)

FACTORIAL_BEHIND_A_POWER = Ambiguity(
    "a factorial behind a power",
    "`<base>^<exponent>!`",
    (
        Reading(
            "the factorial of the power",
            "write `(<base>^{<exponent>})!` for the factorial of the power",
            module(_WHOLE, r"\Return (a^{k})!"),
        ),
        Reading(
            "the power by the factorial",
            "write `<base>^{<exponent>!}` for the power by the factorial",
            module(_WHOLE, r"\Return a^{k!}"),
        ),
    ),
    "nothing: braces or parentheses are written",
    "E0210",
    module(_WHOLE, r"\Return a^k!"),
    {"base": "a", "exponent": "k"},
)

FACTORIAL_BEHIND_A_CALL = Ambiguity(
    "a factorial behind a call",
    "`<name>(<inside>)!`",
    (
        Reading(
            "the factorial of the value",
            "write `(<name>(<inside>))!` for the factorial of the value",
            module(_WHOLE, r"f(n) \gets n + 1", r"\Return (f(a))! + 0 k", where=r"n \in \mathbb{N}"),
        ),
        Reading(
            "the value at the factorial",
            "write `<name>((<inside>)!)` for the value at the factorial",
            module(_WHOLE, r"f(n) \gets n + 1", r"\Return f((a)!) + 0 k"),
        ),
    ),
    r"the function: behind one of the language that gives real numbers, `\log (n - k)!`, it is the argument's; else refused",
    "E0210",
    module(_WHOLE, r"f(n) \gets n + 1", r"\Return f(a)!", where=r"n \in \mathbb{N}"),
    {"name": "f", "inside": "a"},
)

MARK_BEFORE_EQUALS = Ambiguity(
    "a mark before a sign `=`",
    "`<left>!=`",
    (
        Reading("the factorial of `<left>`", "write `(<left>!) =` for the factorial", module(_WHOLE, r"\Return \mathbb{1}[(a!) = k]")),
        Reading(r"the relation `\neq`", r"write `\neq` for the relation", module(_WHOLE, r"\Return \mathbb{1}[a \neq k]")),
    ),
    "nothing: parentheses or the command are written",
    "E0210",
    module(_WHOLE, r"\Return \mathbb{1}[a != k]"),
    {"left": "a"},
)

TWO_NUMBERS_OF_A_RANGE = Ambiguity(
    "two numbers for an index",
    "`<letter> = <first>, <last>`",
    (
        Reading(
            "all from `<first>` to `<last>`",
            r"write `<letter> = <first>, \dots, <last>` for all between them",
            module("x", r"\Return \sum_{l = 1, \dots, 3} x_l", where=_FOUR),
        ),
        Reading(
            "these two",
            r"write the terms out for these two",
            module("x", r"\Return x_1 + x_3", where=_FOUR),
        ),
    ),
    "the numbers: two that follow each other are those that are written; else refused",
    "E0505",
    module("x", r"\Return \sum_{l = 1, 3} x_l", where=_FOUR),
    {"letter": "l", "first": "1", "last": "3"},
)

PRIME = Ambiguity(
    "a prime",
    "`<written>`, which nothing declares,",
    (
        Reading(
            "a name",
            "declare `<written>` as a name",
            module(r"X' \in \mathbb{R}^{n \times n}, y \in \mathbb{R}^{n}", r"\Return X' y"),
        ),
        Reading(
            "the transpose of `<name>`",
            r"write `<name>^\top` for the transpose",
            module(r"X \in \mathbb{R}^{n \times n}, y \in \mathbb{R}^{n}", r"\Return X^\top y"),
        ),
    ),
    "a declaration: a prime is part of the name; undeclared beside an array of the name without it, refused",
    "E0301",
    algorithm("X, y", r"X \in \mathbb{R}^{n \times n}, y \in \mathbb{R}^{n}", r"\Return X' y"),
    {"written": "X'", "name": "X"},
)

COMMA_IN_A_NUMBER = Ambiguity(
    "a comma in a number",
    "`<number>`",
    (
        Reading("thousands", "write `<whole>` for thousands", module(_VECTORS, r"\Return 1234 x")),
        Reading("a decimal comma", "write `<decimal>` for a decimal comma", module(_VECTORS, r"\Return 1.234 x")),
    ),
    r"the notation: groups of three digits where there are several, `1{,}234{,}567`, `000`, or a decimal point are thousands; else refused",
    "E0224",
    module(_VECTORS, r"\Return 1{,}234 x"),
    {"number": "1{,}234", "whole": "1234", "decimal": "1.234"},
)

WORD_BELOW_A_SOFTMAX = Ambiguity(
    "a word below a softmax",
    r"`\operatorname{softmax}_{seq}` of a matrix",
    (
        Reading(
            "over the last axis, with a remark",
            r"write `\softmax(X)` for the last axis",
            module(r"X \in \mathbb{R}^{n \times d}", r"\Return \softmax(X)"),
        ),
        Reading(
            "over the first axis",
            r"write `\operatorname{softmax}_i(X_{i,j})` for the first axis",
            module(
                r"X \in \mathbb{R}^{n \times d}",
                r"Y_{i,j} \gets \operatorname{softmax}_i(X_{i,j}) \quad (i = 1, \dots, n, j = 1, \dots, d)",
                r"\Return Y",
            ),
        ),
    ),
    "names: a letter that indexes the argument names its axis; a word that is nothing else and says no axis is a remark, with a note",
    "N0301",
    module(r"X \in \mathbb{R}^{n \times d}", r"\Return \operatorname{softmax}_{seq}(X)"),
    noted=("is over the last axis: the word below is read as a remark", "are over the last axes: the words below are read as remarks"),
)

ROWS = (
    WORD_BELOW_A_SOFTMAX,
    COMMA_IN_A_NUMBER,
    SCRIPT_OF_SEVERAL,
    ACCENT_OF_SEVERAL,
    ARGUMENT_OF_SEVERAL,
    ROOT_OF_SEVERAL,
    HIDDEN_BRACES,
    SPACE_BEFORE_BRACKET,
    PARTED_BY_SPACES,
    PRODUCT_BEHIND_SLASH,
    REMAINDER_BEHIND_A_SUM,
    BARS_IN_A_ROW,
    EQUATION_BEHIND_SPACE,
    ONE_ITEM_IN_BRACKETS,
    DOUBLE_BARS,
    BODY_OF_A_SUM,
    POWER_OF_A_CALL,
    POWER_OF_A_FUNCTION,
    MINUS_BEFORE_A_POWER,
    STAR,
    SLASH_BEHIND_AN_ARGUMENT,
    TWO_NUMBERS_OF_A_RANGE,
    PRIME,
    FACTORIAL_BEHIND_A_POWER,
    FACTORIAL_BEHIND_A_CALL,
    MARK_BEFORE_EQUALS,
)
