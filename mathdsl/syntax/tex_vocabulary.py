r"""What TeX and its packages mean by their commands; but for letters, none of them is an author's name.

Rows are `command=character`, without the backslash.
"""

from __future__ import annotations

LETTERS = "varkappa=ϰ digamma=ϝ aleph=ℵ beth=ℶ gimel=ℷ daleth=ℸ wp=℘ hslash=ℏ Bbbk=𝕜 eth=ð mho=℧"
ORDINARY = r"""
    bot=⊥ prime=′ varnothing=∅ Re=ℜ Im=ℑ angle=∠ forall=∀ exists=∃ nexists=∄
    neg=¬ lnot=¬ flat=♭ natural=♮ sharp=♯ complement=∁ square=□ Box=□ Diamond=◇ blacksquare=■ lozenge=◊
    blacklozenge=⧫ triangle=△ triangledown=▽ blacktriangle=▲ blacktriangledown=▼ bigstar=★ diamondsuit=♢ heartsuit=♡ clubsuit=♣
    spadesuit=♠ measuredangle=∡ sphericalangle=∢ checkmark=✓ surd=√ backslash=\ vert=| Vert=‖ |=‖ %=% &=& #=# _=_ $=$
"""
RELATIONS = r"""
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
OPERATORS = r"""
    cdot=⋅ centerdot=⋅ odot=⊙ circ=∘ times=× otimes=⊗ oplus=⊕ ominus=⊖ oslash=⊘ pm=± mp=∓ div=÷ ast=∗ star=⋆ bullet=∙ cup=∪ cap=∩ Cup=⋓
    Cap=⋒ uplus=⊎ sqcup=⊔ sqcap=⊓ setminus=∖ smallsetminus=∖ land=∧ wedge=∧ lor=∨ vee=∨ wr=≀ diamond=⋄ bigcirc=◯ dagger=† ddagger=‡
    amalg=⨿ boxplus=⊞ boxminus=⊟ boxtimes=⊠ boxdot=⊡ ltimes=⋉ rtimes=⋊ curlywedge=⋏ curlyvee=⋎ circledast=⊛ circledcirc=⊚ circleddash=⊝
    barwedge=⊼ veebar=⊻ divideontimes=⋇ dotplus=∔ lhd=⊲ rhd=⊳ unlhd=⊴ unrhd=⊵ triangleleft=◁ triangleright=▷ bigtriangleup=△
    bigtriangledown=▽ leftthreetimes=⋋ rightthreetimes=⋌ bmod=mod
"""
OPENING = r"{={ lbrace={ lbrack=[ langle=⟨ lfloor=⌊ lceil=⌈ lvert=| lVert=‖"
CLOSING = r"}=} rbrace=} rbrack=] rangle=⟩ rfloor=⌋ rceil=⌉ rvert=| rVert=‖"
DOTS = "dots=… ldots=… dotsc=… dotso=… cdots=⋯ dotsb=⋯ dotsm=⋯ dotsi=⋯ vdots=⋮ ddots=⋱"
LARGE = "sum=∑ prod=∏ coprod=∐ bigcup=⋃ bigcap=⋂ bigsqcup=⨆ biguplus=⨄ bigvee=⋁ bigwedge=⋀ bigoplus=⨁ bigotimes=⨂ bigodot=⨀"
INTEGRALS = "int=∫ iint=∬ iiint=∭ oint=∮"
FUNCTIONS = "exp log ln lg sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan dim deg hom ker arg"
LIMITED = "max=max min=min sup=sup inf=inf lim=lim limsup=lim\N{THIN SPACE}sup liminf=lim\N{THIN SPACE}inf det=det gcd=gcd Pr=Pr"
UNUSED = """
    above atopwithdelims overwithdelims abovewithdelims limits nolimits displaylimits not substack sideset genfrac mathchoice
    mathds colorbox fbox hbox vbox vcenter raise lower hspace vspace hskip mskip mkern kern mspace rule cancel bcancel xcancel SI
    si qty unit num tag label ref eqref cite input include def newcommand underbracket overbracket xleftrightarrow xRightarrow
    xLeftarrow xmapsto intertext shortintertext hfill hfil hdots hdotsfor middle prescript dddot ddddot bra ket braket mathbbm
    mathbfcal tensor dv pdv degree circledR leftroot uproot left right iiiint idotsint injlim projlim varlimsup varliminf eqqcolon
    Coloneqq vcentcolon coloneq xspace scalebox resizebox rotatebox pmb nicefrac sfrac textsc emph
"""
r"""Commands of TeX and of packages that show no symbol, and that no formula of ours has, or only in their places: `\above`, `\cancel`."""

TAKING = """
    over atop choose mod pmod pod binom dbinom tbinom cfrac overset underset stackrel xrightarrow xleftarrow boxed phantom hphantom
    vphantom smash mathop mathbin mathrel mathord mathopen mathclose mathpunct mathinner mathsf mathtt mathfrak mathscr mathnormal
    acute grave breve check mathring ddot underline overbrace underbrace overrightarrow overleftarrow overleftrightarrow
    underrightarrow underleftarrow underleftrightarrow textbf textit textrm textsf texttt textup textnormal textcolor color mbox
    llap rlap clap mathllap mathrlap mathclap ensuremath footnote footnotemark url href
"""
"""Commands that take something beside or between what a formula says."""

TYPESETTING = """
    par noindent vskip vspace smallskip medskip bigskip newline linebreak pagebreak newpage clearpage break nobreak allowbreak
    displaybreak allowdisplaybreaks relax the null cr crcr span omit strut mathstrut qedhere centering raggedright item begingroup
    endgroup bgroup egroup let global edef gdef xdef expandafter csname endcsname rule hrule vrule
"""
"""Commands that only say how something is set."""

SWITCHES = "rm bf it cal sf tt"
"""Commands that set the rest of their group in a font."""


def _gather() -> frozenset[str]:
    shown = " ".join((ORDINARY, RELATIONS, OPERATORS, OPENING, CLOSING, DOTS, LARGE, INTEGRALS))
    names = [row.rsplit("=", 1)[0] for row in shown.split()]
    names += [row.partition("=")[0] for row in LIMITED.split(" ")]
    return frozenset("\\" + name for name in (*names, *FUNCTIONS.split(), *f"{UNUSED} {TAKING} {TYPESETTING} {SWITCHES}".split()))


TEX_COMMANDS = _gather()
"""All that are no letters, with the backslash."""
