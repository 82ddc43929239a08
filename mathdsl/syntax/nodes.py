"""The abstract syntax tree: what the author wrote, untyped, one tree for the three notations.

Nothing is resolved here. `W_h x_t (a + b)` is a `Juxtaposition`; whether a subscript indexes or names, whether a parenthesis is a call
or a factor, is decided by `mathdsl.elaborate`. Spans are carried, never compared.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass, field
from mathdsl.spans import NOWHERE, Span


class Walked:
    """A node that keeps the nodes below it, directly and at all, once `mathdsl.syntax.traversal` has found them."""

    __slots__ = ("below", "inside")
    below: tuple[Node, ...]
    inside: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node(Walked):
    """What every node has: the place it was written at (left out of comparison and printing)."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


# ---- expressions -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number(Node):
    """`3`, `0.5`, `1e-5`, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Identifier(Node):
    r"""A bare name: `x`, `\ell` (text ``\ell``), `\mathrm{size}` (font ``mathrm``), `Linear`, `W'` (primes 1), `\dEmb`.

    `text` is the letters, or the command with its backslash (`θ` is ``\theta``, too); `font` is the font command without the backslash
    (``mathbf``, ``mathcal``, ``boldsymbol``, ``mathbb``, ``mathrm``, ``text``, ``mathit``, ``operatorname``) or ''.
    """

    text: str
    font: str = ""
    primes: int = 0

    @property
    def word(self) -> str:
        r"""The letters, of a command without the backslash: `ell`."""
        return self.text.removeprefix("\\")


@dataclass(frozen=True, slots=True)
class Label:
    r"""What stands above a name as a part of it: `q` of `W^{(q)}`, `+` of `m^{+}`, `1` of `W^{[1]}`; `bracket` opens what is around it."""

    items: tuple[Expression, ...]
    bracket: Literal["", "(", "["] = ""


@dataclass(frozen=True, slots=True)
class Given:
    r"""What stands behind a bar below a name, as a part of it: the distance from the index before the bar, 1 of `x_{t|t-1}` and 0 of
    `x_{t|t}`, or what is fixed, `T` of `x_{t|T}`. Neither: a further index stands there, `p_{j|i}`."""

    distance: int | None = None
    fixed: Expression | None = None


@dataclass(frozen=True, slots=True)
class Accent(Node):
    r"""`\hat{y}`, `\widehat{h^{\ell-1}}`; `accent` without the backslash.

    `version`: the second or later value that statements give to a name; no text writes it, and the accent is then `version2`.
    `label`: what elaboration has found in a script to be a part of the name, `W^{(q)}`, `P_{t|t-1}`; there is no accent then.
    """

    accent: str
    body: Expression
    version: int = 0
    label: Label | Given | None = None


@dataclass(frozen=True, slots=True)
class Scripts(Node):
    r"""`x_t`, `h_t^{\ell}`, `W_{Q,h}`, `A^\top`, `x^2`, `\PE_{(i,j)}`.

    `subscripts` holds the comma-separated items (a lone parenthesised list in the subscript is spread); `superscript` is one expression;
    `\top`, `\intercal` come as an `Identifier`, a prime is part of `Identifier.primes` (on all but a name, `Identifier("\\prime")`).
    Several letters in one word (`W_{in}`, `w_{ij}`) come as one `Identifier`; `side_by_side`: they have been told apart, and are shown
    without commas. `raised`: so many of the last are written above.
    `turns`: how many of the ones below, the first, only count turns.
    """

    base: Expression
    subscripts: tuple[Expression, ...] = ()
    superscript: Expression | None = None
    side_by_side: bool = field(default=False, compare=False, repr=False)
    raised: int = field(default=0, compare=False, repr=False)
    turns: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Indexing(Node):
    r"""`x[t]`, `x[t, i]`, `x[1:3]`, `h[l][t]`.

    `of_script`: what the author wrote as a subscript, `x_t`; `of_set`: the set that the author wrote, where it says that the last
    index is an element of it, `j \in \mathcal{N}(i)`; `turns`: how many of the indices, the first ones, only count the turns of loops.
    """

    base: Expression
    items: tuple[Expression, ...]
    of_script: bool = field(default=False, compare=False, repr=False)
    of_set: Expression | None = field(default=None, compare=False, repr=False)
    turns: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    r"""`x.\sz{1}` (name ``sz``), `x.\mathrm{size}(1)` (name ``size``)."""

    base: Expression
    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice(Node):
    """`a:b` inside brackets or a subscript."""

    lower: Expression | None
    upper: Expression | None


@dataclass(frozen=True, slots=True)
class Group(Node):
    r"""A parenthesis `( … )`, `\pa{…}`, `\left( … \right)`: a grouped expression, a tuple or the arguments of a call.

    `square` for `[ … ]` around one item. Braces that only group (`{a}`) leave no node. Items may be `Keyword`.
    """

    items: tuple[Expression, ...]
    square: bool = False

    @property
    def is_conditional(self) -> bool:
        r"""Whether a bar parts its items, `(y \mid x)`, `(y \mid x, w)`."""
        return any(isinstance(item, Relation) and r"\mid" in item.operators for item in self.items)


@dataclass(frozen=True, slots=True)
class Keyword(Node):
    r"""`x \algoEq a`, `x \gets a`, `x = a` directly inside a parenthesis or `\Call{F}{…}`."""

    name: Expression
    value: Expression


@dataclass(frozen=True, slots=True)
class ListDisplay(Node):
    r"""`[a, b]`; `named` for `\br{a, b}`, which is a list of values wherever it stands. Items may be `Dots`."""

    items: tuple[Expression, ...]
    named: bool = False


@dataclass(frozen=True, slots=True)
class SetDisplay(Node):
    r"""`\{1, \dots, V\}`, `\set{…}`, `\{0\}`. Items may be `Dots`.

    `shift`: of a range that an index is counted anew over, what it is more than the author's; None where the author has no such index.
    """

    items: tuple[Expression, ...]
    shift: int | None = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    r"""`\{ D(s) ; s \in S \}`; `conditions` hold what stands right of the `;`, comma-separated."""

    body: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    r"""`\begin{bmatrix} … \end{bmatrix}` and its kin; `[a b ; c d]`."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Dots(Node):
    r"""`\dots`, `\ldots`, `\cdots` as an item of a list; `goes_up`: the word "to" between the ends of a range."""

    goes_up: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hole(Node):
    r"""A lone `\cdot` as an argument (`f(\cdot)`)."""


@dataclass(frozen=True, slots=True)
class Phrase(Node):
    r"""Words in `\text{…}` that are no name: `\text{-th row of }`, `\text{ is even}`; white space folded and stripped."""

    text: str


@dataclass(frozen=True, slots=True)
class Juxtaposition(Node):
    r"""Factors side by side, two or more: `A B`, `2 x`, `f (x)`, `\tanh x`, `(x_t) \text{-th row of } E`."""

    factors: tuple[Expression, ...]


BinaryOperator: TypeAlias = Literal[
    "+", "-", "@", r"\cdot", r"\odot", "*", r"\circ", "/", r"\times", r"\otimes", r"\bmod", "||", "**", r"\cup", r"\cap", r"\setminus"
]

SET_OPERATORS = (r"\cup", r"\cap", r"\setminus")


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`a + b` and so on; `operator` is the canonical spelling."""

    operator: BinaryOperator
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """`-a`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Factorial(Node):
    """`k!`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Fraction(Node):
    r"""`\frac{a}{b}`, `\dfrac`, `\tfrac`."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True)
class Root(Node):
    r"""`\sqrt{x}`, `\sqrt[n]{x}`."""

    radicand: Expression
    degree: Expression | None = None


@dataclass(frozen=True, slots=True)
class Bars(Node):
    r"""`|x|`, `\| x \|` and `\lVert x \rVert`, `\lfloor x \rfloor`, `\lceil x \rceil`, `\langle x, y \rangle`."""

    kind: Literal["|", "||", "floor", "ceil", "angle"]
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Interval(Node):
    r"""A half-open interval as a type: `(0, 1]`, `[0, 1)`. (`[a, b]` is a `ListDisplay`, `(a, b)` a `Group`.)"""

    has_lower: bool
    has_upper: bool
    lower: Expression
    upper: Expression


@dataclass(frozen=True, slots=True)
class Command(Node):
    r"""A macro of the notation with braced arguments: `\cat{a, b}` (name ``cat``), `\sof`, `\drop{x}{p}`, `\fla`,
    `\Call{F}{a, b}`. Each argument is its comma-separated items."""

    name: str
    arguments: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Reduction(Node):
    r"""`\sum_{i=1}^{n} e`, `\prod`, `\max_{i} e`, `\operatorname*{argmax}_{i} e`; `operator` without backslash."""

    operator: str
    subscript: Expression | None
    superscript: Expression | None
    body: Expression


@dataclass(frozen=True, slots=True)
class Relation(Node):
    r"""A chain `a \leq t < b`; `operators` has one entry fewer than `operands`.

    Operators: ``=  \neq  <  >  \leq  \geq  \in  \notin  \subseteq  \mid  \sim  \algoIs  \to``. `\mathbb{R}_{>0}` has a `Hole` on its left.
    """

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Logic(Node):
    r"""`\land`, `\lor` (also `\text{and}`, `\text{or}`) with two or more operands, `\lnot` with one."""

    operator: Literal["and", "or", "not"]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class CaseRow(Node):
    """One row of `cases`; `condition` is None for `otherwise`, `else`."""

    value: Expression
    condition: Expression | None


@dataclass(frozen=True, slots=True)
class Cases(Node):
    r"""`\begin{cases} … \end{cases}`; `of_branch`: it stands for an `\If`, whose conditions are decided once a turn, not elementwise."""

    rows: tuple[CaseRow, ...]
    of_branch: bool = field(default=False, compare=False, repr=False)


Expression: TypeAlias = (
    Number
    | Identifier
    | Accent
    | Scripts
    | Indexing
    | Attribute
    | Slice
    | Group
    | Keyword
    | ListDisplay
    | SetDisplay
    | Comprehension
    | Matrix
    | Dots
    | Hole
    | Phrase
    | Juxtaposition
    | Binary
    | Negative
    | Factorial
    | Fraction
    | Root
    | Bars
    | Interval
    | Command
    | Reduction
    | Relation
    | Logic
    | Cases
)

# ---- statements ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Definition(Node):
    r"""`target \gets value`, with an optional trailing domain `(t = 1, \dots, L)`, `\forall t`, `t = 1, \dots, L`.

    `target` is an expression: a name, scripts, an indexing whose items may be relations (`f[1 \leq t \leq L]`), a `Group` or comma list
    for unpacking (as `Group`), or `Juxtaposition` of a name and a `Group` (a function). `domains` holds the expressions of the trailing
    domain (`t = 1, \dots, L` comes as `Relation(("=",), (t, ListDisplay((1, Dots, L))))`, a bare `\forall t` as the identifier `t`).
    `tag` and `label` are what the equation's `\tag` and `\label` hold.
    """

    target: Expression
    value: Expression
    domains: tuple[Expression, ...] = ()
    comment: str = field(default="", compare=False)
    tag: str = field(default="", compare=False)
    label: str = field(default="", compare=False)

    @property
    def function(self) -> tuple[Expression, tuple[Expression, ...]] | None:
        r"""The name and the arguments, where it defines a function: `f` and `x`, `y` of `f(x, y) \gets …`."""
        match self.target:
            case Juxtaposition(factors=(Identifier() | Accent() | Scripts() as name, Group() as group)):
                return name, group.items
            case _:
                return None

    @property
    def targets(self) -> tuple[Expression, ...]:
        r"""The values that it defines: `a`, `b` of `(a, b) \gets …`; none where it defines a function."""
        if self.function is not None:
            return ()
        return self.target.items if isinstance(self.target, Group) and len(self.target.items) > 1 else (self.target,)

    @property
    def values(self) -> tuple[Expression, ...]:
        r"""The values of its targets: `b`, `a` of `(a, b) \gets (b, a)`; the one value where it has no parts that can be seen."""
        match self.value:
            case Group(items=items) if len(items) == len(self.targets) > 1:
                return items
            case _:
                return (self.value,)

    @property
    def ranges(self) -> tuple[Expression, ...]:
        r"""What its indices run over: in brackets, `f[1 \leq t \leq L] \gets …`, or behind it."""
        items = self.target.items if isinstance(self.target, Indexing) else ()
        return (*(item for item in items if isinstance(item, Relation)), *self.domains)


@dataclass(frozen=True, slots=True)
class Sampling(Node):
    r"""`z \sim \mathcal{N}(\mu, \sigma^2)` as a statement."""

    target: Expression
    distribution: Expression


@dataclass(frozen=True, slots=True)
class Return(Node):
    r"""`\Return e`, `\algoReturn e`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Leave(Node):
    r"""`\Break`: the loop around ends here; `\Continue`: its turn does."""

    word: Literal["break", "continue"]


@dataclass(frozen=True, slots=True)
class RequirementLine:
    r"""A `\Require`, or `\Ensure` (`holds_after`), where it stands, and the comment behind it."""

    holds_after: bool
    comment: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assertion(Node):
    r"""`\Assert c`; `line`: the `\Require` or `\Ensure` that says it, where one does; `words`: how one of ours says it."""

    condition: Expression
    line: RequirementLine | None = field(default=None, compare=False, repr=False)
    words: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Remark(Node):
    r"""A comment on a line of its own: `\algoCmt{…}`, `\Comment{…}`."""

    text: str


@dataclass(frozen=True, slots=True)
class EquationGroup(Node):
    r"""`\begin{group} … \end{group}`."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Node):
    r"""`\algoFor{t \in \set{1, \dots, S}}`; `binding` is the relation as written."""

    binding: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Branch(Node):
    """One arm of `If`."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    r"""`\algoIf`, `\algoElseIf`, `\algoElse`."""

    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...] | None = None


@dataclass(frozen=True, slots=True)
class While(Node):
    r"""`\While{c}[N]`; `until`: `\Repeat … \Until{c}[N]`, whose condition is asked behind the body, and ends it."""

    condition: Expression
    bound: Expression | None
    body: tuple[Statement, ...]
    until: bool = False


Statement: TypeAlias = Definition | Sampling | Return | Leave | Assertion | Remark | EquationGroup | For | If | While

# ---- declarations and programs ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    r"""One item of a header or one row of a `where` table:
    `symbols \in type [= default] [\sim initialiser] [, ranges]`, `x = (x_1, \dots, x_S)`, `d = n k`, `\{S\}^L`.

    `symbols` are expressions (names with scripts, a `Group` for a nested tuple, a `SetDisplay` with a superscript for
    `\{x\}^L`, a `ListDisplay` for `\br{h_0^1, \dots, h_0^n}`). `relation` is set instead of a type for a row
    that relates sizes (`d = n k`); then `symbols` is empty. Of a set, `\mathcal{N}_i \subseteq \mathcal{V}`, the type is the one-sided
    condition `\subseteq \mathcal{V}`.

    `flags`: `shared`, `well-founded`, `trainable` of the contract, and `stated`: the row is what prose says of the program (a docstring's
    sentences and shape tables). Such a row declares no symbol and no element type: with a type `(S, d)`, a `Group` of sizes, it states
    the shape of an input or a parameter; with an index range the range of their elements; without a type a description.
    """

    symbols: tuple[Expression, ...]
    type: Expression | None = None
    default: Expression | None = None
    initialiser: Expression | None = None
    ranges: tuple[Expression, ...] = ()
    flags: tuple[str, ...] = ()
    relation: Expression | None = None
    description: str = field(default="", compare=False)

    @property
    def parts(self) -> tuple[tuple[str, Expression], ...]:
        r"""The type, the default and the initialiser, as many as there are, with their signs: `\in`, `\subseteq` of a set, `=`, `\sim`."""
        sign, type_ = r"\in", self.type
        if isinstance(type_, Relation):
            sign, type_ = type_.operators[0], type_.operands[1]
        signs = ((sign, type_), ("=", self.default), (r"\sim", self.initialiser))
        return tuple((sign, part) for sign, part in signs if part is not None)

    @property
    def written_flags(self) -> tuple[str, ...]:
        """The flags that a document shows."""
        return tuple(flag for flag in self.flags if flag != "stated")


@dataclass(frozen=True, slots=True)
class Where(Node):
    r"""A `where` table; `directly_after`: it follows the one function of its display, and declares for that.

    `line`: the `\Require` or `\Ensure` that the rows come from, where they come from one.
    """

    rows: tuple[Declaration, ...]
    directly_after: bool = field(default=False, compare=False)
    line: RequirementLine | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Procedure(Node):
    r"""A module: `\Module{N}{x ; W}` (notation ``module``), `\algoProc{\N}\pa{x}` (``docstring``), `\Procedure` (``algorithmic``).

    `name` is without backslash. `owned` is None when the header has no `;` (always so in docstring notation).
    `wheres` are the tables inside it or directly after its end. `shown`: the statements as the author wrote them, where `body` says
    them in other words. `takes_required`: no header is written, its inputs are what `\Require` says.
    """

    name: str
    notation: Literal["module", "docstring", "algorithmic"]
    inputs: tuple[Declaration, ...]
    owned: tuple[Declaration, ...] | None
    body: tuple[Statement, ...]
    wheres: tuple[Where, ...] = ()
    name_span: Span = field(default=NOWHERE, compare=False, repr=False)
    shown: tuple[Statement, ...] = field(default=(), compare=False, repr=False)
    takes_required: bool = field(default=False, compare=False, repr=False)


Item: TypeAlias = Procedure | Definition | Where


@dataclass(frozen=True, slots=True)
class Document(Node):
    """All programs of a document, in order: procedures, top-level definitions (aliases, functions), document-wide tables."""

    items: tuple[Item, ...]
