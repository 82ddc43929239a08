"""The vocabulary: which terminal each command of the notations is read as, and its canonical spelling."""

from __future__ import annotations

from types import MappingProxyType

# Rows: terminal, then the commands that are read as it. `spelling=canonical` folds a synonym into its canonical form.
_ROWS: tuple[tuple[str, str], ...] = (
    ("GETS", r"\gets \leftarrow=\gets \coloneqq=\gets \colonequals=\gets \algoEq=\gets"),
    ("TIGHT", r"\cdot"),
    ("LOOSE", r"\odot \circ \times \otimes \bmod"),
    ("RELATION", r"\neq \ne=\neq \leq \le=\leq \leqslant=\leq \geq \ge=\geq \geqslant=\geq \lt=< \gt=> \in \notin \mid \sim \algoIs \to"),
    ("AND", r"\land \wedge=\land"),
    ("OR", r"\lor \vee=\lor"),
    ("NOT", r"\lnot \neg=\lnot"),
    ("FORALL", r"\forall"),
    ("DOTS", r"\dots \ldots \cdots \dotsc \dotsb \dotsm \vdots \ddots"),
    ("COLON", r"\colon=:"),
    ("BAR", r"\vert=|"),
    ("BARS", r"\Vert=\|"),
    ("LBAR", r"\lvert"),
    ("RBAR", r"\rvert"),
    ("LNORM", r"\lVert"),
    ("RNORM", r"\rVert"),
    ("LFLOOR", r"\lfloor"),
    ("RFLOOR", r"\rfloor"),
    ("LCEIL", r"\lceil"),
    ("RCEIL", r"\rceil"),
    ("LANGLE", r"\langle"),
    ("RANGLE", r"\rangle"),
    ("LSET", r"\lbrace"),
    ("RSET", r"\rbrace"),
    ("LSQB", r"\lbrack=["),
    ("RSQB", r"\rbrack=]"),
    ("FONT", r"\mathbf \mathcal \boldsymbol \bm=\boldsymbol \mathbb"),
    ("ACCENT", r"\hat \bar \tilde \vec \dot \widehat \widetilde \overline"),
    ("FRACTION", r"\frac \dfrac=\frac \tfrac=\frac"),
    ("ROOT", r"\sqrt"),
    ("MACRO", r"\cat \fla \sof"),
    ("MACRO2", r"\drop \Call"),
    ("SIZE", r"\sz"),
    ("PA", r"\pa \br \set"),
    ("SIDE", r"\left \right \middle \bigl \bigr \bigm \Bigl \Bigr \Bigm \biggl \biggr \biggm \Biggl \Biggr \Biggm"),
    ("SKIP", r"\displaystyle \textstyle \scriptstyle \limits \nolimits \nonumber \notag \hline \big \Big \bigg \Bigg"),
    ("REDUCTION", r"\sum \prod \int"),
    ("OPTIONAL_REDUCTION", r"\max \min \argmax \argmin \mean"),
    ("ARG", r"\arg"),
    ("RETURN", r"\Return \algoReturn=\Return"),
    ("ASSERT", r"\Assert"),
    ("MODULE", r"\Module"),
    ("ENDMODULE", r"\EndModule"),
    ("PROC", r"\algoProc"),
    ("ENDPROC", r"\algoEndProc"),
    ("PROCEDURE", r"\Procedure"),
    ("ENDPROCEDURE", r"\EndProcedure"),
    ("FUNCTION", r"\Function"),
    ("ENDFUNCTION", r"\EndFunction"),
    ("REQUIRE", r"\Require \KwIn"),
    ("ENSURE", r"\Ensure \KwOut"),
    ("STATE", r"\State \Statex"),
    ("FOR", r"\algoFor \For \ForAll"),
    ("ENDFOR", r"\algoEndFor \EndFor"),
    ("WHILE", r"\algoWhile \While"),
    ("ENDWHILE", r"\algoEndWhile \EndWhile"),
    ("IF", r"\algoIf \If"),
    ("ELSEIF", r"\algoElseIf \ElsIf"),
    ("ELSE", r"\algoElse \Else"),
    ("ENDIF", r"\algoEndIf \EndIf"),
    ("REPEAT", r"\Repeat"),
    ("UNTIL", r"\Until"),
    ("LOOP", r"\Loop"),
    ("ENDLOOP", r"\EndLoop"),
    ("TO", r"\To"),
)

GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi omicron pi varpi rho varrho sigma "
    "varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
"""The commands of Greek letters, without backslash."""
_SIGNS = "ell infty top intercal prime emptyset nabla partial hbar imath jmath algoTrue algoFalse R Z N B"

_FUNCTIONS = (
    "exp log ln lg sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh erf erfc sqrt abs sign sg clip round floor ceil "
    "max min mean argmax argmin concat stack tr trace det diag vec rank norm sigmoid relu leakyrelu prelu elu selu celu gelu silu swish "
    "mish softplus softsign softmax softmin logsoftmax hardtanh hardsigmoid hardswish tanhshrink softshrink hardshrink glu dropout linear "
    "embedding layernorm rmsnorm groupnorm batchnorm instancenorm conv crossentropy mse bce kl nll bernoulli categorical normal uniform "
    "xavier kaiming orthogonal posenc pr var std median cumsum"
)

_PREFIX = "exp log ln lg sin cos tan sinh cosh tanh arcsin arccos arctan erf"

PREFIX_FUNCTIONS = frozenset("\\" + name for name in _PREFIX.split())
"""Functions that are written before their argument without parentheses, so that a bar after them opens."""


def _gather() -> dict[str, tuple[str, str]]:
    table: dict[str, tuple[str, str]] = {}
    for terminal, commands in _ROWS:
        for command in commands.split():
            spelling, _, canonical = command.partition("=")
            table[spelling] = (terminal, canonical or spelling)
    return table


COMMANDS = MappingProxyType(_gather())
"""Command to its terminal and canonical spelling; what is not here is a name."""

_NAMES = frozenset("\\" + name for name in (GREEK + " " + _SIGNS).split())
_FUNCTION_NAMES = frozenset(_FUNCTIONS.split())


def is_known_name(command: str) -> bool:
    """Whether the module notation knows `command` as a name: a letter, a sign, or a function in any case."""
    return command in _NAMES or command[1:].casefold() in _FUNCTION_NAMES


def is_function(name: str) -> bool:
    r"""Whether a name, `\exp` or `\operatorname{softplus}`, is that of a function, in any case."""
    return name.removeprefix(r"\operatorname{").removesuffix("}").removeprefix("\\").casefold() in _FUNCTION_NAMES and name[0] == "\\"


def known_commands() -> list[str]:
    """All commands of the vocabulary, for a proposal of the nearest spelling."""
    functions = {"\\" + name for name in _FUNCTION_NAMES}
    layers = {"\\CrossEntropy", "\\LayerNorm", "\\BatchNorm", "\\Dropout", "\\Sigmoid", "\\ReLU", "\\GELU", "\\SiLU", "\\MSE", "\\Linear"}
    return sorted({*COMMANDS, *_NAMES, *functions, *layers, "\\Comment", "\\text", "\\mathrm", "\\operatorname", "\\begin", "\\end"})


def line_commands() -> list[str]:
    """The commands that begin a line of the algorithmic notation."""
    return [command for terminal, commands in _ROWS if terminal in _LINES for command in commands.split() if command[1].isupper()]


_LINES = frozenset(
    "PROCEDURE ENDPROCEDURE FUNCTION ENDFUNCTION REQUIRE ENSURE STATE FOR ENDFOR WHILE ENDWHILE IF ELSEIF ELSE ENDIF RETURN".split()
)


TEXT_WORDS = MappingProxyType(
    {
        "and": "AND",
        "or": "OR",
        "otherwise": "OTHERWISE",
        "else": "OTHERWISE",
        "if": "IFWORD",
        "when": "IFWORD",
        "for": "FORALL",
        "for all": "FORALL",
    }
)
r"""Words in `\text{..}` that are read as a terminal where that terminal has a place."""

FLAGS = frozenset({"shared", "well-founded", "trainable", "stated"})

MATRICES = frozenset({"matrix", "bmatrix", "pmatrix", "vmatrix", "Bmatrix", "Vmatrix", "smallmatrix"})
DISPLAYS = frozenset(
    "align aligned alignat equation gather gathered split multline array displaymath math mathdsl algorithm algorithmic".split()
)
"""Environments around statements that carry no meaning, starred or not."""
