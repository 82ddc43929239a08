"""The symbols that LaTeX, amsmath and amssymb define: of each command its class of atoms and the character that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType

from mathdsl.render.mathml.symbols import ITALIC_LETTERS, UPRIGHT_LETTERS


class Atom(Enum):
    """TeX's classes, which decide the space between neighbours."""

    ORD = auto()
    OP = auto()
    BIN = auto()
    REL = auto()
    OPEN = auto()
    CLOSE = auto()
    PUNCT = auto()
    INNER = auto()


@dataclass(frozen=True, slots=True)
class Symbol:
    """`character`: what is seen; `atom`: its class; `is_italic`: a letter that is slanted."""

    character: str
    atom: Atom
    is_italic: bool = False


_ORDINARY = r"""
    varkappa=ϰ digamma=ϝ bot=⊥ prime=′ varnothing=∅ Re=ℜ Im=ℑ aleph=ℵ beth=ℶ gimel=ℷ daleth=ℸ wp=℘ angle=∠ forall=∀ exists=∃ nexists=∄
    neg=¬ lnot=¬ flat=♭ natural=♮ sharp=♯ hslash=ℏ Bbbk=𝕜 complement=∁ eth=ð mho=℧ square=□ Box=□ Diamond=◇ blacksquare=■ lozenge=◊
    blacklozenge=⧫ triangle=△ triangledown=▽ blacktriangle=▲ blacktriangledown=▼ bigstar=★ diamondsuit=♢ heartsuit=♡ clubsuit=♣
    spadesuit=♠ measuredangle=∡ sphericalangle=∢ checkmark=✓ surd=√ backslash=\ vert=| Vert=‖ |=‖ %=% &=& #=# _=_ $=$
"""
_RELATIONS = r"""
    neq=≠ ne=≠ leq=≤ le=≤ geq=≥ ge=≥ leqslant=⩽ geqslant=⩾ leqq=≦ geqq=≧ in=∈ ni=∋ owns=∋ notin=∉ subset=⊂ subseteq=⊆ subseteqq=⫅
    subsetneq=⊊ supset=⊃ supseteq=⊇ supseteqq=⫆ supsetneq=⊋ nsubseteq=⊈ nsupseteq=⊉ Subset=⋐ Supset=⋑ sqsubset=⊏ sqsubseteq=⊑
    sqsupset=⊐ sqsupseteq=⊒ mid=∣ nmid=∤ parallel=∥ nparallel=∦ sim=∼ nsim=≁ simeq=≃ approx=≈ approxeq=≊ thickapprox=≈ thicksim=∼
    backsim=∽ cong=≅ ncong=≇ equiv=≡ propto=∝ varpropto=∝ ll=≪ lll=⋘ gg=≫ ggg=⋙ prec=≺ nprec=⊀ preceq=⪯ preccurlyeq=≼ precsim=≾
    succ=≻ nsucc=⊁ succeq=⪰ succcurlyeq=≽ succsim=≿ lesssim=≲ gtrsim=≳ lessapprox=⪅ gtrapprox=⪆ lessgtr=≶ gtrless=≷ lesseqgtr=⋚
    gtreqless=⋛ nless=≮ ngtr=≯ nleq=≰ ngeq=≱ lneq=⪇ gneq=⪈ doteq=≐ doteqdot=≑ circeq=≗ bumpeq=≏ Bumpeq=≎ eqcirc=≖ triangleq=≜
    risingdotseq=≓ fallingdotseq=≒ asymp=≍ vdash=⊢ dashv=⊣ models=⊨ vDash=⊨ nvDash=⊭ Vdash=⊩ Vvdash=⊪ nvdash=⊬ perp=⟂ smile=⌣ frown=⌢
    bowtie=⋈ between=≬ pitchfork=⋔ therefore=∴ because=∵ vartriangleleft=⊲ vartriangleright=⊳ trianglelefteq=⊴ trianglerighteq=⊵
    to=→ gets=← leftarrow=← rightarrow=→ leftrightarrow=↔ Leftarrow=⇐ Rightarrow=⇒ Leftrightarrow=⇔ mapsto=↦ longmapsto=⟼
    longrightarrow=⟶ longleftarrow=⟵ longleftrightarrow=⟷ Longrightarrow=⟹ Longleftarrow=⟸ Longleftrightarrow=⟺ implies=⟹ impliedby=⟸
    iff=⟺ uparrow=↑ downarrow=↓ updownarrow=↕ Uparrow=⇑ Downarrow=⇓ Updownarrow=⇕ nearrow=↗ searrow=↘ swarrow=↙ nwarrow=↖
    hookleftarrow=↩ hookrightarrow=↪ leftharpoonup=↼ leftharpoondown=↽ rightharpoonup=⇀ rightharpoondown=⇁ rightleftharpoons=⇌
    leftrightharpoons=⇋ nleftarrow=↚ nrightarrow=↛ nLeftarrow=⇍ nRightarrow=⇏ nleftrightarrow=↮ nLeftrightarrow=⇎ rightrightarrows=⇉
    leftleftarrows=⇇ rightleftarrows=⇄ leftrightarrows=⇆ twoheadrightarrow=↠ twoheadleftarrow=↞ rightarrowtail=↣ leftarrowtail=↢
    dashrightarrow=⇢ dashleftarrow=⇠ rightsquigarrow=⇝ leadsto=⇝ circlearrowleft=↺ circlearrowright=↻ curvearrowleft=↶
    curvearrowright=↷ upharpoonright=↾ restriction=↾ upharpoonleft=↿ multimap=⊸
"""
_OPERATORS = r"""
    cdot=⋅ centerdot=⋅ odot=⊙ circ=∘ times=× otimes=⊗ oplus=⊕ ominus=⊖ oslash=⊘ pm=± mp=∓ div=÷ ast=∗ star=⋆ bullet=∙ cup=∪ cap=∩ Cup=⋓
    Cap=⋒ uplus=⊎ sqcup=⊔ sqcap=⊓ setminus=∖ smallsetminus=∖ land=∧ wedge=∧ lor=∨ vee=∨ wr=≀ diamond=⋄ bigcirc=◯ dagger=† ddagger=‡
    amalg=⨿ boxplus=⊞ boxminus=⊟ boxtimes=⊠ boxdot=⊡ ltimes=⋉ rtimes=⋊ curlywedge=⋏ curlyvee=⋎ circledast=⊛ circledcirc=⊚ circleddash=⊝
    barwedge=⊼ veebar=⊻ divideontimes=⋇ dotplus=∔ lhd=⊲ rhd=⊳ unlhd=⊴ unrhd=⊵ triangleleft=◁ triangleright=▷ bigtriangleup=△
    bigtriangledown=▽ leftthreetimes=⋋ rightthreetimes=⋌ bmod=mod
"""
_OPENING = r"{={ lbrace={ lbrack=[ langle=⟨ lfloor=⌊ lceil=⌈ lvert=| lVert=‖"
_CLOSING = r"}=} rbrace=} rbrack=] rangle=⟩ rfloor=⌋ rceil=⌉ rvert=| rVert=‖"
_DOTS = "dots=… ldots=… dotsc=… dotso=… cdots=⋯ dotsb=⋯ dotsm=⋯ dotsi=⋯ vdots=⋮ ddots=⋱"
_LARGE = "sum=∑ prod=∏ coprod=∐ bigcup=⋃ bigcap=⋂ bigsqcup=⨆ biguplus=⨄ bigvee=⋁ bigwedge=⋀ bigoplus=⨁ bigotimes=⨂ bigodot=⨀"
_INTEGRALS = "int=∫ iint=∬ iiint=∭ oint=∮"
_FUNCTIONS = "exp log ln lg sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan dim deg hom ker arg"
_LIMITED = "max=max min=min sup=sup inf=inf lim=lim limsup=lim\N{THIN SPACE}sup liminf=lim\N{THIN SPACE}inf det=det gcd=gcd Pr=Pr"
_CHARACTERS = {
    Atom.BIN: "+=+ -=− *=∗",
    Atom.REL: "<=< >=> :=:",
    Atom.OPEN: "(=( [=[",
    Atom.CLOSE: ")=) ]=] !=! ?=?",
    Atom.PUNCT: ",=, ;=;",
    Atom.ORD: "/=/ |=| .=. @=@",
}


def _rows(rows: str, atom: Atom, backslash: str = "\\") -> dict[str, Symbol]:
    pairs = (row.rsplit("=", 1) for row in rows.split())
    return {backslash + command: Symbol(character, atom) for command, character in pairs}


def _letters() -> dict[str, Symbol]:
    ours = {"omicron", "R", "Z", "N", "B", "algoTrue", "algoFalse"}
    slanted = {f"\\{name}": Symbol(letter, Atom.ORD, is_italic=True) for name, letter in ITALIC_LETTERS.items() if name not in ours}
    return slanted | {f"\\{name}": Symbol(letter, Atom.ORD) for name, letter in UPRIGHT_LETTERS.items() if name not in ours}


_WITH_LIMITS = _rows(_LARGE, Atom.OP) | {
    f"\\{name}": Symbol(shown, Atom.OP) for name, _, shown in (row.partition("=") for row in _LIMITED.split(" "))
}
_WITHOUT_LIMITS = _rows(_INTEGRALS, Atom.OP) | {f"\\{name}": Symbol(name, Atom.OP) for name in _FUNCTIONS.split()}

LIMITED = frozenset(_WITH_LIMITS)
"""Operators whose scripts stand below and above them in a display."""

CHARACTERS: Mapping[str, Symbol] = MappingProxyType(
    {"=": Symbol("=", Atom.REL)} | {key: row for atom, rows in _CHARACTERS.items() for key, row in _rows(rows, atom, "").items()}
)
"""Signs that are typed as they are."""

COMMANDS: Mapping[str, Symbol] = MappingProxyType(
    _letters()
    | _rows(_ORDINARY, Atom.ORD)
    | _rows(_RELATIONS, Atom.REL)
    | _rows(_OPERATORS, Atom.BIN)
    | _rows(_OPENING, Atom.OPEN)
    | _rows(_CLOSING, Atom.CLOSE)
    | _rows(_DOTS, Atom.INNER)
    | _WITH_LIMITS
    | _WITHOUT_LIMITS
    | {r"\colon": Symbol(":", Atom.PUNCT)}
)
"""Commands of symbols."""

SPACES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((r"\,", r"\thinspace"), "0.1667em"),
        **dict.fromkeys((r"\:", r"\>", r"\medspace"), "0.2222em"),
        **dict.fromkeys((r"\;", r"\thickspace"), "0.2778em"),
        **dict.fromkeys((r"\!", r"\negthinspace"), "-0.1667em"),
        r"\enspace": "0.5em",
        r"\quad": "1em",
        r"\qquad": "2em",
        "~": "0.3333em",
    }
)
"""Spaces, and how wide they are."""

STYLES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {r"\displaystyle": ("true", "0"), r"\textstyle": ("false", "0"), r"\scriptstyle": ("false", "1"), r"\scriptscriptstyle": ("false", "2")}
)
"""Sizes of what follows: whether it is set as in a display, and how deep in scripts it is."""
