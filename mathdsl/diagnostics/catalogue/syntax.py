r"""Codes of the syntax stage, E02xx: brackets, statements and expressions that cannot be read."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row


def _row(code: str, title: str, explanation: str, wrong: str, right: str) -> Row:
    return Row(code, "error", title, f"{explanation}\n\nWrong:\n\n```\n{wrong}\n```\n\nRight:\n\n```\n{right}\n```\n")


ROWS: tuple[Row, ...] = (
    _row(
        "E0201",
        "unknown command",
        "In the module notation every command has to be known. In the algorithm notations an unknown command is a name, "
        "but for those that TeX or one of its packages gives a meaning, such as `\\oplus`, `\\pm` or `\\rm`.",
        r"y \gets \sigmoud(x) \\",
        r"y \gets \sigmoid(x) \\",
    ),
    _row(
        "E0202",
        "bracket not closed",
        "The bracket, brace or environment at the place has no partner before the statement ends or another bracket closes.",
        r"y \gets \tanh(W @ x + b \\",
        r"y \gets \tanh(W @ x + b) \\",
    ),
    _row(
        "E0203",
        "closing bracket without an opening one",
        "A bracket or an `\\end` closes something that is not open in this statement.",
        r"y \gets W @ x) + b \\",
        r"y \gets (W @ x) + b \\",
    ),
    _row(
        "E0204",
        r"`\left` and `\right` do not fit",
        r"`\left` stands before an opening bracket, and its partner carries `\right`.",
        r"y \gets \left( a + b ) \\",
        r"y \gets \left( a + b \right) \\",
    ),
    _row(
        "E0205",
        "block not closed",
        "A module, an algorithm, a loop, a branch or an environment is opened and never ended.",
        "\\Module{M}{x ; W}\n\\Return W @ x \\\\",
        "\\Module{M}{x ; W}\n\\Return W @ x \\\\\n\\EndModule",
    ),
    _row(
        "E0206",
        "end without a beginning",
        "The end of a block, or a further branch, stands where no such block is open.",
        "\\Module{M}{x ; }\n\\Return x \\\\\n\\algoEndFor\n\\EndModule",
        "\\Module{M}{x ; }\n\\Return x \\\\\n\\EndModule",
    ),
    _row(
        "E0207",
        r"`\\` missing between statements",
        r"Every statement ends with `\\`, or begins with `\State` in the algorithmic notation; here a second one begins before the first "
        r"has ended.",
        "a \\gets x\nb \\gets y \\\\",
        "a \\gets x \\\\\nb \\gets y \\\\",
    ),
    _row(
        "E0208",
        "value missing",
        "An operator, a bracket or a separator needs a value beside it, and none stands there.",
        r"y \gets a + \\",
        r"y \gets a + b \\",
    ),
    _row(
        "E0209",
        "cannot stand here",
        "What was found has no meaning after what stands before it.",
        r"y \gets a : b \\",
        r"y \gets x[a:b] \\",
    ),
    _row(
        "E0210",
        "a bracket, a brace or a mark with two readings",
        "`x[t]` takes an element; `x [t]` may also be a product with a list, so it is refused. So are braces around a sum, brackets whose "
        "items only spaces part, and a factorial behind a power or a call.",
        r"y \gets x [t] \\",
        r"y \gets x[t] \\",
    ),
    _row(
        "E0211",
        "unbraced script of several characters",
        "TeX takes one character as the script: `W_ih` is typeset as W with the script i, times h.",
        r"y \gets W_ih @ x \\",
        r"y \gets W_{ih} @ x \\",
    ),
    _row(
        "E0212",
        "operators that readers group in two ways",
        r"Readers disagree whether `a / b \cdot c` divides by `b` or by the product, and what `a + b \bmod c` is the remainder of.",
        r"y \gets a / b \cdot c \\",
        r"y \gets (a / b) \cdot c \\",
    ),
    _row(
        "E0213",
        "double script",
        "A symbol has at most one subscript and one superscript; several indices stand in one, with commas.",
        r"y \gets x_i_j \\",
        r"y \gets x_{i,j} \\",
    ),
    _row(
        "E0214",
        "ambiguous bars",
        r"A bar looks the same when it opens and when it closes; `\lvert .. \rvert` says which.",
        r"y \gets |a|b|c| \\",
        r"y \gets \lvert a \rvert b \lvert c \rvert \\",
    ),
    _row(
        "E0215",
        "bar not closed",
        r"A bar opens a length, an absolute value or a norm, and its partner is missing. 'Such that' is written `\mid` or `;`.",
        r"y \gets |a + b \\",
        r"y \gets |a + b| \\",
    ),
    _row(
        "E0216",
        "nested too deeply",
        "Brackets, blocks and expressions have a bound on their depth; a part can be given a name of its own.",
        r"y \gets ((((…)))) \\",
        "a \\gets (…) \\\\\ny \\gets (a) \\\\",
    ),
    _row(
        "E0217",
        "not a statement",
        r"A line of a program defines (`\gets`), samples (`\sim`), returns or asserts something.",
        r"a + b \\",
        r"c \gets a + b \\",
    ),
    _row(
        "E0218",
        "unknown environment",
        "Only the environments of the notation may stand in a program.",
        r"y \gets \begin{table} a \end{table} \\",
        r"y \gets \begin{bmatrix} a \end{bmatrix} \\",
    ),
    _row("E0219", "character without meaning", "The character means nothing in a formula.", r"y \gets a # b \\", r"y \gets a + b \\"),
    _row(
        "E0220",
        "comma list where one value fits",
        "A tuple is written with its parentheses, but in a result and where as many names stand on the left.",
        r"y \gets a, b \\",
        r"y \gets (a, b) \\",
    ),
    _row(
        "E0221",
        "statement in the wrong place",
        "Between programs only definitions and tables may stand; loops and branches belong to the algorithm notations. What `\\Require` "
        "and `\\Ensure` say stands before the program that it is about.",
        "\\Module{M}{x ; }\n\\algoFor{t \\in \\set{1, \\dots, S}}\ny_t \\gets x_t \\\\\n\\algoEndFor\n\\Return y \\\\\n\\EndModule",
        "\\Module{M}{x ; }\ny_t \\gets x_t \\quad (t = 1, \\dots, S) \\\\\n\\Return y \\\\\n\\EndModule",
    ),
    _row(
        "E0222",
        "row of `cases` or cell of a matrix",
        r"A row of `cases` is a value, `&` and a condition; `&` stands in no bracket.",
        r"y \gets \begin{cases} a \\ b & c \end{cases} \\",
        r"y \gets \begin{cases} a & \text{otherwise} \\ b & c \end{cases} \\",
    ),
    _row(
        "E0223",
        "argument missing or unexpected",
        "A command takes its arguments in braces; a command that is only a name takes none.",
        r"y \gets \frac(1)(2) \\",
        r"y \gets \frac{1}{2} \\",
    ),
    _row(
        "E0224",
        "number inside a product",
        "A number stands first in a product, since directly after a symbol it reads like an index.",
        r"y \gets x 2 \\",
        r"y \gets 2 x \\",
    ),
    _row(
        "E0225",
        "sign inside a product",
        "A minus sign stands at the start of a sum or in parentheses.",
        r"y \gets a \cdot -b \\",
        r"y \gets a \cdot (-b) \\",
    ),
    _row(
        "E0226",
        "not a name",
        r"`\mathrm{..}` and the fonts hold one name: letters and digits, the first a letter.",
        r"y \gets \mathrm{a+b} \\",
        r"y \gets \mathrm{ab} \\",
    ),
    _row(
        "E0227",
        "not a declaration",
        r"A header's item and a table's row are `symbol \in type = default \sim initialiser`, each part once and in this order.",
        r"\Module{M}{x \in \mathbb{R} \in \mathbb{N} ; }",
        r"\Module{M}{x \in \mathbb{R} ; }",
    ),
    _row(
        "E0228",
        "text that is not part of a formula",
        r"In the algorithmic notation mathematics stands between dollar signs. Of the text between formulas only single words are "
        r"read, such as `to`, `and`, `in`, `do`, `then`; anything else is a remark, and belongs in `\Comment{..}`.",
        r"\State the state $h \gets x$",
        r"\State $h \gets x$ \Comment{the state}",
    ),
    _row(
        "E0229",
        "number out of reach",
        r"Numbers have the 64 bits of a real number at most. Infinity is written `\infty`.",
        r"y \gets x + 1e999 \\",
        r"y \gets x + \infty \\",
    ),
    _row(
        "E0712",
        r"`\Loop`",
        r"Loops without an end are not supported. `\While{$c$}[N]` and `\Until{$c$}[N]` say when they end: after N turns at the latest.",
        "\\Loop\n\\State $x \\gets x / 2$\n\\EndLoop",
        "\\Repeat\n\\State $x \\gets x / 2$\n\\Until{$x < 1$}[100]",
    ),
)
