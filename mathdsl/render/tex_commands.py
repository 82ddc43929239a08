r"""What a formula of prose may say in TeX: the commands that LaTeX, amsmath and amssymb define and that only set symbols."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi pi varpi rho varrho sigma "
    "varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_LETTERS = "ell infty top bot intercal prime emptyset varnothing nabla partial hbar imath jmath Re Im aleph wp angle"
_RELATIONS = (
    "neq ne leq le geq ge in ni notin subset subseteq supset supseteq mid nmid parallel sim simeq approx cong equiv propto ll gg prec succ "
    "preceq succeq to gets leftarrow rightarrow leftrightarrow mapsto longrightarrow longmapsto Rightarrow Leftarrow Leftrightarrow "
    "implies iff uparrow downarrow hookrightarrow vdash models perp colon doteq triangleq lesssim gtrsim leqslant geqslant"
)
_OPERATORS = (
    "cdot odot circ times otimes oplus ominus bmod pm mp div ast star bullet cup cap setminus land wedge lor vee lnot neg forall exists "
    "sum prod int oint bigcup bigcap bigoplus bigotimes bigodot coprod"
)
_FUNCTIONS = (
    "exp log ln lg sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan max min sup inf lim limsup liminf det dim deg gcd hom "
    "ker arg Pr"
)
_DOTS = "dots ldots cdots dotsc dotsb dotsm vdots ddots"
_SPACES = "quad qquad , ; : ! displaystyle textstyle"
_BRACKETS = "{ } lbrace rbrace vert Vert | lvert rvert lVert rVert lfloor rfloor lceil rceil langle rangle lbrack rbrack backslash"


def _commands(*names: str) -> frozenset[str]:
    return frozenset("\\" + name for name in " ".join(names).split())


SYMBOLS = _commands(_GREEK, _LETTERS, _RELATIONS, _OPERATORS, _FUNCTIONS, _DOTS, _SPACES, _BRACKETS)
"""Commands without arguments."""

DELIMITERS = _commands(_BRACKETS) | set("()[]|/.<>")
"""What may follow `\\left`, `\\right` and their kin."""

SIZES = _commands("big Big bigg Bigg bigl bigr bigm Bigl Bigr Bigm biggl biggr biggm Biggl Biggr Biggm")
"""Commands that a delimiter follows."""

ARGUMENTS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(
        _commands(
            "mathbf mathcal boldsymbol mathbb mathrm mathit mathsf mathtt mathfrak hat bar tilde vec dot ddot check breve widehat "
            "widetilde overline underline overbrace underbrace sqrt pmod"
        ),
        1,
    )
    | dict.fromkeys(_commands("frac dfrac tfrac binom overset underset stackrel"), 2)
)
"""Commands with arguments in braces (or of one letter), and how many."""

CAPITALS = frozenset({r"\mathbb", r"\mathcal"})
"""Fonts that have capital letters only."""

WORDS = frozenset({r"\text", r"\textbf", r"\textit", r"\textrm", r"\mathrm", r"\mathit", r"\operatorname", r"\operatorname*", r"\mbox"})
"""Commands whose argument may be words."""

ENVIRONMENTS: Mapping[str, int] = MappingProxyType(
    {"cases": 1, "gathered": 0, "aligned": 9} | dict.fromkeys("matrix bmatrix pmatrix vmatrix Bmatrix Vmatrix smallmatrix".split(), 9)
)
"""Environments, and how many `&` a row of each may have."""

REPLACED: Mapping[str, str] = MappingProxyType(
    {
        r"\R": r"\mathbb{R}",
        r"\N": r"\mathbb{N}",
        r"\Z": r"\mathbb{Z}",
        r"\B": r"\mathbb{B}",
        r"\omicron": "{o}",
        "\\ ": "~",
        r"\lt": "<",
        r"\gt": ">",
        r"\algoEq": r"\gets",
        r"\algoIs": r"\mathrel{\mathrm{is}}",
        r"\algoTrue": r"\mathrm{True}",
        r"\algoFalse": r"\mathrm{False}",
        r"\coloneqq": r"\mathrel{:=}",
        r"\colonequals": r"\mathrel{:=}",
    }
)
"""Names and signs of the language that TeX does not know, in its words."""

NOTATION: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        r"\pa": (r"\left(", r"\right)"),
        r"\br": (r"\left[", r"\right]"),
        r"\set": (r"\left\{", r"\right\}"),
        r"\cat": (r"\operatorname{concat}\left(", r"\right)"),
        r"\fla": (r"\operatorname{flatten}\left(", r"\right)"),
        r"\sof": (r"\operatorname{softmax}\left(", r"\right)"),
        r"\drop": (r"\operatorname{dropout}\left(", ", ", r"\right)"),
        r"\sz": (r"\operatorname{size}\left(", r"\right)"),
    }
)
"""Macros of the notation: what stands before, between and after their arguments."""
