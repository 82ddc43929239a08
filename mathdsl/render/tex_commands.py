r"""What a formula of prose may say in TeX beside symbols: commands with arguments, environments, and the notation in TeX's words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mathdsl.render.tex_symbols import COMMANDS, SPACES, STYLES
from mathdsl.syntax.tex_vocabulary import SWITCHES, TAKING, UNUSED


def _commands(*names: str) -> frozenset[str]:
    return frozenset("\\" + name for name in " ".join(names).split())


SYMBOLS = frozenset(COMMANDS) | (frozenset(SPACES) - {"~"}) | frozenset(STYLES)
"""Commands without arguments."""

DELIMITERS = frozenset("()[]|/.<>") | _commands(
    "{ } lbrace rbrace vert Vert | lvert rvert lVert rVert lfloor rfloor lceil rceil langle rangle lbrack rbrack backslash",
    "uparrow downarrow updownarrow Uparrow Downarrow Updownarrow",
)
"""What may follow `\\left`, `\\right` and their kin."""

LEAST_SIZE = "1.2em"
SIZES: Mapping[str, str] = MappingProxyType(
    {
        f"\\{size}{side}": height
        for size, height in (("big", LEAST_SIZE), ("Big", "1.8em"), ("bigg", "2.4em"), ("Bigg", "3em"))
        for side in ("", "l", "r", "m")
    }
)
"""Commands that a delimiter follows, and how tall they make it."""

FONTS = _commands("mathbf mathcal boldsymbol bm mathbb mathrm mathit mathsf mathtt mathfrak mathscr mathnormal")
CLASSES = _commands("mathop mathbin mathrel mathord mathopen mathclose mathpunct mathinner")
ACCENTS = _commands(
    "hat acute grave bar breve check dot ddot mathring tilde vec widehat widetilde overline underline overbrace underbrace overrightarrow",
    "overleftarrow overleftrightarrow underrightarrow underleftarrow underleftrightarrow",
)
BOXES = _commands("boxed phantom hphantom vphantom smash")
REMAINDERS = _commands("pmod mod pod")
FRACTIONS = _commands("frac dfrac tfrac cfrac binom dbinom tbinom")
STACKS = _commands("overset underset stackrel")
ARROWS = _commands("xrightarrow xleftarrow")
NAMED = frozenset({r"\operatorname", r"\operatorname*"})

ARGUMENTS: Mapping[str, int] = MappingProxyType(
    dict.fromkeys(FONTS | CLASSES | ACCENTS | BOXES | REMAINDERS | ARROWS | NAMED | {r"\sqrt"}, 1) | dict.fromkeys(FRACTIONS | STACKS, 2)
)
"""Commands with arguments in braces (or of one letter), and how many."""

OPTIONAL = ARROWS | {r"\sqrt"}
"""Commands that may have one more argument, in square brackets, before the others."""

BRACED = NAMED | {r"\smash"}
"""Commands whose argument has braces, or TeX would read something else."""

CAPITALS = frozenset({r"\mathbb", r"\mathcal"})
"""Fonts that have capital letters only where no package beside amssymb is loaded."""

BEYOND_AMS = frozenset({r"\mathscr"})
"""Commands that MathJax and KaTeX know, and TeX only with another package."""

WORDS = NAMED | _commands("text textbf textit textrm textsf texttt textup textnormal mathrm mathit mbox")
"""Commands whose argument may be words."""

WITH_FORMULAS = _commands("text mbox")
"""Words that may hold formulas between dollar signs."""

ENVIRONMENTS: Mapping[str, int] = MappingProxyType(
    {"cases": 1, "dcases": 1, "gathered": 0, "aligned": 9, "alignedat": 9, "split": 1, "array": 9}
    | dict.fromkeys("matrix bmatrix pmatrix vmatrix Bmatrix Vmatrix smallmatrix".split(), 9)
)
"""Environments, and how many `&` a row of each may have."""

INVISIBLE = _commands(
    "qedhere displaybreak allowdisplaybreaks allowbreak nobreak relax mathstrut strut nonumber notag",
    "ensuremath llap rlap clap mathllap mathrlap mathclap",
)
"""Commands that only say how something is set: what stands in their braces is a group like any other."""

IN_OTHER_WORDS: Mapping[str, str] = MappingProxyType({"dcases": "cases", "alignedat": "aligned"})
"""Environments of packages in the words of amsmath."""

OTHER_COMMANDS = INVISIBLE | _commands(UNUSED, TAKING, SWITCHES)
"""Commands of TeX and of packages that are not names of an author's, though no formula of ours has them, or only in their places."""

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
        r"\bm": r"\boldsymbol",
        r"\pmb": r"\boldsymbol",
        r"\mathds": r"\mathbb",
        r"\mathbbm": r"\mathbb",
        r"\nicefrac": r"\tfrac",
        r"\sfrac": r"\tfrac",
        r"\textsc": r"\text",
        r"\emph": r"\textit",
        r"\hdots": r"\dots",
        r"\hfill": r"\qquad",
        r"\degree": r"{}^{\circ}",
        r"\dag": r"\dagger",
        r"\ddag": r"\ddagger",
    }
    | dict.fromkeys(INVISIBLE, "")
)
"""Names and signs of the language and of packages that TeX does not know, in its words."""

NOTATION: Mapping[str, tuple[str, str, str, int]] = MappingProxyType(
    {
        r"\pa": ("", "(", ")", 1),
        r"\br": ("", "[", "]", 1),
        r"\set": ("", "{", "}", 1),
        r"\cat": ("concat", "(", ")", 1),
        r"\fla": ("flatten", "(", ")", 1),
        r"\sof": ("softmax", "(", ")", 1),
        r"\drop": ("dropout", "(", ")", 2),
        r"\sz": ("size", "(", ")", 1),
    }
)
"""Macros of the notation: the word before their arguments, the brackets around them, and how many there are."""
