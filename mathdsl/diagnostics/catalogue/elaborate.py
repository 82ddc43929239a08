"""Codes of elaboration: names (E03xx), types and sizes (E04xx), indices and recurrences (E05xx), modules (E06xx)."""

from __future__ import annotations

from mathdsl.diagnostics.catalogue.row import Row

ROWS: tuple[Row, ...] = (
    Row(
        "E0301",
        "error",
        "a name that nothing declares",
        r"""In module notation every name is an input, something the module owns, or defined by a statement. A name that is
none of these is not guessed at: it may be a misspelling.

Wrong:

    \Module{F}{x ; W}
    \Return W @ x + b \\
    \EndModule

Right: say that the module owns `b`.

    \Module{F}{x ; W, b}
    \Return W @ x + b \\
    \EndModule

A word of several letters (`QK`) is the product of its letters only if each letter is known.""",
    ),
    Row(
        "E0302",
        "error",
        "this is no name",
        r"""A name stands here in the grammar: a letter, a Greek command, a word in `\mathrm{…}`, with subscripts that are
words. Anything else (a sum, a number) cannot be declared, unpacked into, or looked up.

Wrong: `(a + b, c) \gets f(x)`. Right: `(a, c) \gets f(x)`.""",
    ),
    Row(
        "E0303",
        "error",
        "a second definition of one name",
        r"""In module notation a name is defined once, since statements may stand in any order. An input or a parameter
is defined by the caller or the constructor and cannot be defined again. Two statements that define the same element of an array
(`y_t` for `t = 1, \dots, S`, and `y_1`) are two definitions of it; a statement over a range whose left side lacks the index
(`y \gets x_t \quad (t = 1, \dots, S)`) is one for each index. A second, different declaration of a symbol is refused as well.

Wrong:

    y \gets W @ x \\
    y \gets \tanh(y) \\

Right: give the second value a name of its own.

    z \gets W @ x \\
    y \gets \tanh(z) \\""",
    ),
    Row(
        "E0304",
        "error",
        "a superscript with two readings",
        r"""Where the program has a symbol `T`, `X^T` can be the transpose of `X` or `X` to the power `T`. In a loop over `t`, `\gamma^t`
can be element `t` of a family or a power, as long as nothing says of what type `\gamma` is: declare it. Of a vector `v` that is
declared, write `v[t]` for an element and `(v)^{t}` for the powers of all elements.

Write `X^\top` for the transpose, or `X^{(T)}` for the power. Where `f(A)` is a square matrix, `f(A)^2` can be its matrix power or
the squares of its elements: name it, `B \gets f(A)`, then write `B^2` or `B \odot B`. `A^\top_{1,2}`, `A^k_{ij}` and
`A_{i,j}^{-1}` can be elements of the transpose, the power and the inverse: write `(A^\top)_{1,2}`, `(A_{ij})^k`, `\frac{1}{A_{i,j}}`.
`\sin^{-1}(x)` can be the inverse function or `\frac{1}{\sin(x)}`: write the fraction, or the inverse by its own name, `\arctan(x)`.
`f^2(x)` of a function or a module of yours can be `f(x)^2` or `f(f(x))`: write that one.""",
    ),
    Row(
        "E0305",
        "error",
        "a call or a product",
        r"""`f(x)` calls `f` where `f` is a function or a module, and multiplies where `f` is an array. Nothing says here which
one it is.

Declare `f` with an array type (`f \in \mathbb{R}^{n}`) or a module type (`f \in \mathrm{Linear}(n, m)`), or define it.""",
    ),
    Row(
        "E0306",
        "error",
        "a function without its arguments",
        r"""A function or a module stands where a value is wanted. Apply it: `\tanh(x)`, `T_f(x, h)`. A module's arguments always
stand in parentheses.""",
    ),
    Row(
        "E0307",
        "error",
        "a named argument where none is taken",
        r"""Named arguments (`x \gets a`) belong to the calls of modules: `\Layer\pa{x \algoEq a}`. Functions and operations
take their arguments by position.""",
    ),
    Row(
        "E0308",
        "error",
        "a reserved symbol where it keeps its meaning",
        r"""`e`, `\pi`, `I`, `\sigma` and `\Gamma` have their usual meaning until a program declares or defines them; `\infty`, `\mathbf{0}`
and `\mathbf{1}` have it always. An index variable takes none of these letters. (Indexed, as in `e_t`, they are ordinary names.)

Wrong: `\sum_{e=1}^{n} x_e`. Right: `\sum_{j=1}^{n} x_j`.""",
    ),
    Row(
        "E0309",
        "error",
        "this has no value of its own",
        r"""Dots, slices and phrases mean something only inside a list, an index or a condition: `\cat{h_1, \dots, h_S}`, `x[1:3]`,
`t \text{ is even}`. A named argument (`x \gets a`) stands in the parentheses of a call.""",
    ),
    Row(
        "E0310",
        "error",
        "how far an argument reaches",
        r"""A function without parentheses takes one factor: `\tanh x`. With more factors after it, `\tanh W x` can be `\tanh(W) x` or
`\tanh(W x)`.

Write the parentheses.""",
    ),
    Row(
        "E0311",
        "error",
        "bars around a vector or a square matrix",
        r"""`|s|` is the length of a sequence (of indices, or of arrays) and the absolute value of a scalar. Around a plain vector of
reals, and around a formula whose value is a vector, it could be either, or the norm. Around a square matrix it could be the
determinant or the number of its rows.

Write `x.\mathrm{size}(1)` for the length, `\lVert x \rVert` for the norm, `|x_i|` under an index for the absolute values.""",
    ),
    Row(
        "E0312",
        "error",
        "a size or an array",
        r"""Where `d` is a size, as in `x_i \in \mathbb{R}^{d}`, and an array has elements `d_i`, the bare letter in a formula can be
either of them.

Wrong: `\frac{1}{d} \sum_{i=1}^{n} d_i`. Right: give the size or the array a letter of its own, `x_i \in \mathbb{R}^{m}`. A range
and a shape mean the size, and an element (`d_i`) is one of the array.""",
    ),
    Row(
        "E0401",
        "error",
        "shapes that do not fit",
        r"""The operands of a sum, the inner sizes of a product, a value and what it defines, an argument and its input: they
must have the same sizes. Two sizes with different names are different, even where they happen to be equal in a run.

Wrong:

    \Module{F}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times m}}
    \Return W @ x \\
    \EndModule

Right: `W \in \mathbb{R}^{m \times n}`. Where two sizes are one, say so in a table: `m = n`.""",
    ),
    Row(
        "E0402",
        "error",
        "more indices than axes",
        r"""An array of two axes takes two indices at the most, and a scalar takes none.

Wrong: `x[0, 1]` with `x \in \mathbb{R}^{n}`. Right: `x[0]`, or a declaration with two axes, `x \in \mathbb{R}^{m \times n}`.""",
    ),
    Row(
        "E0403",
        "error",
        "a size is wanted",
        r"""Shapes and ranges are made of sizes: names, integers, and sums, products and quotients of them (`2 d`, `S - 1`, `d / h`);
none is negative.
The reserved letters (`e`, `\pi`, `\infty`) name a size only after a declaration, `e \in \mathbb{N}`.""",
    ),
    Row(
        "E0404",
        "error",
        "sizes that contradict each other",
        r"""A table relates sizes (`d = n k`), a statement may name one (`L \gets |S|`), and a bound that nothing declares is the size of
the input that is read over exactly that range. Together they leave no solution.""",
    ),
    Row(
        "E0405",
        "error",
        "a shape that stays open",
        r"""What is not declared is inferred from its uses; here they allow several shapes, and none is guessed.

Wrong: `\Module{F}{x ; b} \Return x + b \\ \EndModule` (is `b` a number, a vector, a matrix?).

Right: `\Module{F}{x ; b \in \mathbb{R}^{d}} …`.""",
    ),
    Row(
        "E0406",
        "error",
        "another kind of number",
        r"""Integers become real in arithmetic, but a real never indexes, a boolean is no number (write `\mathbb{1}[c]`), and a
condition is no value of arithmetic.""",
    ),
    Row(
        "E0407",
        "error",
        "this is no initialiser or constant",
        r"""Initialisers are `\mathcal{U}(a, b)`, `\mathcal{N}(0, s^2)`, `\mathrm{Xavier}`, `\mathrm{Kaiming}`, `\mathrm{Orthogonal}`. A
submodule's settings are numbers, or settings of the module around it.""",
    ),
    Row(
        "E0408",
        "error",
        "the size of an axis that is not there",
        r"""`x.\sz{k}` is the size of axis `k` of an array. Axis 0 is the batch, which a program does not see; the array's own axes
are 1, 2, …""",
    ),
    Row(
        "E0409",
        "error",
        "another number of values or axes",
        r"""A module that returns a tuple is unpacked into as many names: `(h, c) \gets f(x)`.

What needs a vector and is given a matrix can go along its rows, its columns, or all of its elements: `\max(X)`, `f(X)` with
`f(u) \gets \sum_j u_j^2`. Name the index that it runs over, `\max_j X_{i,j}`, or give it one row, `f(X_i)`.

`x(i)` beside an array `x` can be its element or a product: write `x_i` or `i x`.""",
    ),
    Row(
        "E0410",
        "error",
        "two vectors side by side",
        r"""`x y` of two vectors can be their inner product or their elementwise product.

Write `x \cdot y` or `x^\top y` for the inner product, `x \odot y` for the elementwise one.""",
    ),
    Row(
        "E0411",
        "error",
        "a whole number that does not fit",
        r"""Sizes, indices and integers have 64 bits. Where a real number is meant, `1e20` says so; `10^{20}` in real arithmetic is one,
as long as it is below `1.8e308`.""",
    ),
    Row(
        "E0502",
        "error",
        "an input is read outside its range",
        r"""An axis that no declaration gives a range takes it from the indices at which it is read: from 0 or from 1, whichever holds
them all. Where both do, subscripts in module notation are refused, brackets count from 0, and the algorithm notations from 1.
Reading beyond its end is never a wrap to the other side.

Wrong: `h_t \gets x[t] + x[0] \quad (t = 1, \dots, S)` with `x \in \mathbb{R}^{S}`: `x[S]` lies outside 0 .. S-1.

Right: read `x[t-1]`; or declare `x_t \in \mathbb{R}, t = 1, \dots, S`; or pad on the left, `\{0\}^{1} || x`.""",
    ),
    Row(
        "E0503",
        "error",
        "an element that nothing defines",
        r"""A recurrence needs a beginning.

Wrong: `h_t \gets W @ h_{t-1} \quad (t = 1, \dots, S)` alone: `h_0` is read and not defined.

Right: define it (`h[0] \gets h_0`, or a row of `cases` for `t = 0`), or give `h_0` in the header.""",
    ),
    Row(
        "E0504",
        "error",
        "two bases for one axis",
        r"""An axis that is indexed by a declared index type starts where that type starts. Here it is indexed by two types
that start at different numbers.

Wrong: `E[x] + E[y]` with `x \in \{1, \dots, V\}` and `y \in \{0, \dots, V - 1\}`. Right: one of the two types for both.""",
    ),
    Row(
        "E0505",
        "error",
        "this is no range",
        r"""Ranges go up by one, both ends included: `t = 1, \dots, S`, `t \in \{1, \dots, S\}`, `0 \leq t < n`. The range of a bare
`\sum_i` is that of the axes which `i` indexes, if they agree. A sum over a range that ends below its lower end has no terms;
an array over one, and an index type without values, are mistakes.""",
    ),
    Row(
        "E0506",
        "error",
        "an index variable is one name",
        r"""Write one letter (`t`, `\ell`) on the left of the range, and the name of the elements in a comprehension:
`\{f(s) ; s \in S\}`.""",
    ),
    Row(
        "E0507",
        "error",
        "what an ellipsis leaves out is not clear",
        r"""`x_1, \dots, x_n` is read from its ends: they must be alike but for one index.

Wrong: `\cat{x_1, \dots, z_n}`. Right: `\cat{x_1, \dots, x_n}`.""",
    ),
    Row(
        "E0508",
        "error",
        "`cases` without a row for what is left",
        r"""The rows of `cases` are tried in order, and one of them must hold. Add `… & \text{otherwise}`, or a last row that holds
wherever the others do not: `x > 0`, then `x \leq 0`; `t = 1`, then `t > 1` for `t = 1, \dots, S`; even, then odd.""",
    ),
    Row(
        "E0509",
        "error",
        "a value in some branches only",
        r"""A branch on indices may define a part of an array, and the other branches other parts. Where the condition depends on
data, every element needs a value whatever the data are: from an `\algoElse`, or from a statement before the branch, which then
stays.

What several turns of a loop may assign, the index of the greatest element for instance, is found by one of them; where none finds
it, the call says so. So it is with elements that are read one by one; here a whole array, a sum over it, or a name that one branch
alone may assign is asked for.

Wrong, where nothing else defines `y_t`:

    \algoIf{x_t > 0} \\
      y_t \algoEq x_t \\
    \algoEndIf \\

Right: add `\algoElse` with the value that `y_t` has otherwise.""",
    ),
    Row(
        "E0510",
        "error",
        "a value that is read where it has none",
        r"""The statements of an algorithm are executed in their order: a name has a value from its first assignment on, and the index
variable of a loop has one inside the loop.

Wrong:

    \State $z \gets 2 y$
    \State $y \gets x$

Right: assign `y` first.""",
    ),
    Row(
        "E0511",
        "error",
        "an element beyond its range is defined",
        r"""A row gives the range of an array, and a definition that reaches beyond it contradicts the row.

Wrong:

    y_{t+1} \gets x_t \quad (t = 1, \dots, n)
    \begin{where} y_t \in \mathbb{R}, t = 1, \dots, n & \end{where}

Right: `t = 1, \dots, n + 1` in the row, or `(t = 1, \dots, n - 1)` behind the definition.""",
    ),
    Row(
        "E0602",
        "error",
        "a call that does not fit",
        r"""A call gives each input that has no default, by position or by name, and nothing else. The note shows how the module is
called and what it takes.

Wrong: `f(x)` where `f` is a module with the inputs `x, y`. Right: `f(x, y)`, or `f(x \gets a, y \gets b)`.""",
    ),
    Row(
        "E0603",
        "error",
        "which element of a stack",
        r"""A stack of modules is called with the index of one element, `f^{\ell}(x)`; a single module is called without.""",
    ),
    Row(
        "E0604",
        "error",
        "an unknown module",
        r"""The type of a submodule is a module of the same document or a layer of the library (`Linear`, `Embedding`, `LayerNorm`). A
submodule whose type is left out is an argument of the constructor that takes any `nn.Module`.""",
    ),
    Row(
        "E0605",
        "error",
        "a module or function that reaches itself",
        r"""Modules and functions are no recursion: every instance would need another one inside. Write the recursion as a recurrence
over an index, `h_t \gets f(h_{t-1}) \quad (t = 1, \dots, n)`.""",
    ),
    Row(
        "E0606",
        "error",
        "one result, once, last",
        r"""A procedure ends with one `\Return e`; a tuple returns several values.

Wrong: `\Return h \\ \Return c \\`. Right: `\Return (h, c) \\`.""",
    ),
    Row(
        "E0607",
        "error",
        "an optional input before one that must be given",
        r"""An input with a default may be left out of a call, so the inputs with defaults come last.

Wrong: `\Module{F}{h_0 = \mathbf{0}, x ; W}`. Right: `\Module{F}{x, h_0 = \mathbf{0} ; W}`.""",
    ),
    Row(
        "E0609",
        "error",
        "functions that grow too much",
        r"""A function is put in where it is called. Functions that call one another twice or more, as in
`g(x) \gets f(f(x))`, double with every link; a module is written once, however often it is called.""",
    ),
    Row(
        "E0701",
        "error",
        "not supported yet",
        r"""The language has this construct, and this version of the compiler does not. The message says what may be written
instead, where there is something. Anything may be computed in an `nn.Module` of your own: a callable that nothing declares,
`g` in `\Module{F}{x ; g}`, is an argument of the constructor.""",
    ),
    Row(
        "W0301",
        "warning",
        "declared and never used",
        r"""An input, a parameter, a setting or a submodule that no statement uses is often a misspelling, or left over: `b` in
`\Module{F}{x ; W, b} \Return W @ x \\ \EndModule`. Take it out, or use it.""",
    ),
    Row(
        "W0302",
        "warning",
        "a group that is no mutual recursion",
        r"""`\begin{group} … \end{group}` says that the definitions inside need each other. Here one of them does not lead back to
itself, so it may be a mistake: an index that was not shifted, or a definition that stands in the wrong place. The group is
optional; dependence is found without it.""",
    ),
    Row(
        "W0303",
        "warning",
        "a value that is not as the prose says",
        r"""A table of a docstring gives the shape of a value, and the program computes another one: `y` of shape `(B, m)` beside
`y \algoEq W \cdot x` with `W` of shape `(n, m)`. The program stands: its values have the shapes that follow from their
definitions. One of the two is a mistake; a row about an input or a parameter would be an error.""",
    ),
    Row(
        "N0301",
        "note",
        "what a rule decided",
        r"""Where declarations leave something open, a rule decides, and one note a program says what it made of which symbols. A
declaration in a `where` table decides otherwise. `-q` silences the note.

By the letter: a capital letter that multiplies from the left is a matrix, a lower-case letter is a vector.

Row by row: where the inner sizes do not fit a matrix product but fit each element of a sequence, `W \cdot F` applies `W` to each
of the vectors in `F`; a layer that takes one example is applied to each element.

A product of letters: a word of several letters that is no name, while each of its letters is one, is their product: `QK^\top` is
`Q K^\top`. Write `\mathrm{QK}` and declare it where one name is meant.""",
    ),
)
