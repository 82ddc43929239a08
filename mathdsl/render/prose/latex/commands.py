r"""What the commands of running text mean: symbols, styles, references, layout; a row a command."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from mathdsl.dataclass import dataclass
from mathdsl.render.document.model import ReferenceKind, Style


def _rows(names: str, meaning: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), meaning)


def _styles(**styles: str) -> dict[str, Style]:
    """The style of each command; here they are listed by the style."""
    return {name: style for style in get_args(Style) for name in styles.get(style.replace("-", "_"), "").split()}


def _referring(**kinds: str) -> dict[str, ReferenceKind]:
    return {name: kind for kind in get_args(ReferenceKind) for name in kinds[kind].split()}


_CHARACTERS = r"""
ldots=… dots=… textellipsis=… LaTeX=LaTeX TeX=TeX LaTeXe=LaTeX2e BibTeX=BibTeX ss=ß ae=æ AE=Æ oe=œ OE=Œ o=ø O=Ø aa=å
AA=Å l=ł L=Ł i=ı j=ȷ S=§ P=¶ dag=† ddag=‡ copyright=© pounds=£ texteuro=€ euro=€ slash=/ textbackslash=\
textasciitilde=~ textasciicircum=^ textunderscore=_ textbar=| textless=< textgreater=> textbraceleft={ textbraceright=}
textdollar=$ lbrack=[ rbrack=] textquotedblleft=“ textquotedblright=” textquoteleft=‘ textquoteright=’ textquotesingle='
lq=‘ rq=’ textendash=– textemdash=— textbullet=• textperiodcentered=· texttimes=× textpm=± textmu=µ textdegree=°
textregistered=® texttrademark=™ textsection=§ textparagraph=¶ guillemotleft=« guillemotright=»
"""
SYMBOLS: Mapping[str, str] = MappingProxyType(
    {character: character for character in "%&#$_{}"}
    | {
        **dict.fromkeys((" ", "\n", "\t", "quad", "qquad", "space", "enspace", "hfill", "hfil"), " "),
        **dict.fromkeys(("-", "/", "!", "@", "relax", "protect", "null"), ""),
        **dict(zip("~^`'\"=.", "~^`´¨¯˙", strict=True)),  # accents on nothing
        ",": "\u202f",
        "thinspace": "\u202f",
        ":": " ",
        ";": " ",
        "nobreakspace": "\u00a0",
    }
    | dict(row.split("=") for row in _CHARACTERS.split())
)
"""Commands that stand for characters."""

LIGATURES: Mapping[str, str] = MappingProxyType({"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "'": "’", "?`": "¿", "!`": "¡"})
"""Characters of running text that TeX sets as others; not in a typewriter font."""

ACCENTS: Mapping[str, str] = MappingProxyType(
    {
        "'": "\u0301",
        "`": "\u0300",
        "^": "\u0302",
        '"': "\u0308",
        "~": "\u0303",
        "=": "\u0304",
        ".": "\u0307",
        "c": "\u0327",
        "v": "\u030c",
        "H": "\u030b",
        "u": "\u0306",
        "r": "\u030a",
        "k": "\u0328",
        "d": "\u0323",
        "b": "\u0331",
    }
)
"""Commands that put a mark on the letter behind them."""

STYLES: Mapping[str, Style] = MappingProxyType(
    _styles(
        emphasis="emph textit textsl underline uline",
        strong="textbf",
        small_caps="textsc",
        superscript="textsuperscript",
        subscript="textsubscript",
        deleted="sout st",
        footnote="footnote thanks footnotetext marginpar marginnote sidenote todo",
    )
)
"""Commands that set their argument in a style."""

DECLARATIONS: Mapping[str, Style] = MappingProxyType(_styles(emphasis="em itshape slshape", strong="bfseries", small_caps="scshape"))
"""Commands that set the rest of their group in a style."""

TYPEWRITER = frozenset({"texttt", "path", "lstinline", "nolinkurl"})
AS_WRITTEN = frozenset({"input", "include", "subfile", "lstinputlisting"})
"""Commands for what is not here: they are shown themselves."""

PICTURES = frozenset({"includegraphics", "includesvg"})
"""Commands for a picture in a file, whose name is shown."""

QUOTED = frozenset({"enquote"})
LINE_BREAKS = frozenset({"newline", "linebreak", "tabularnewline", "and"})

REFERENCES: Mapping[str, ReferenceKind] = MappingProxyType(
    _referring(
        ref="ref pageref nameref",
        eqref="eqref",
        named="autoref cref Cref vref",
        cite="cite citep citet citealp citealt citeauthor citeyear parencite textcite autocite footcite",
    )
)

HEADINGS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
"""From the highest; documents begin at `section`, or at the highest one above it that they use."""

UNNUMBERED_HEADINGS = frozenset({"paragraph", "subparagraph"})

STARRED = frozenset(
    {
        *HEADINGS,
        "caption",
        "newtheorem",
        "includegraphics",
        "hspace",
        "vspace",
        "footnote",
        "enquote",
        "ref",
        "autoref",
        "pageref",
        "cite",
        "citep",
        "citet",
        "verb",
    }
)
"""Commands whose name a star may belong to."""

SHOWN: Mapping[str, str] = MappingProxyType(
    _rows(
        "maketitle tableofcontents listoffigures listoftables noindent indent newpage clearpage cleardoublepage pagebreak nopagebreak "
        "bigskip medskip smallskip vfill vfil centering raggedright raggedleft par sloppy fussy frenchspacing "
        "tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge rmfamily sffamily mdseries upshape normalfont "
        "selectfont allowbreak nolinebreak xspace leavevmode obeylines doublespacing singlespacing onehalfspacing today "
        "frontmatter mainmatter backmatter qed qedhere strut ignorespaces unskip protect onecolumn makeatletter makeatother "
        "hline toprule midrule bottomrule printbibliography",
        "",
    )
    | _rows(
        "vspace hspace vskip hskip kern label title author date bibliography bibliographystyle pagestyle thispagestyle pagenumbering "
        "addvspace enlargethispage nocite phantom hphantom vphantom index glossary usetikzlibrary hypersetup lstset captionsetup "
        "theoremstyle graphicspath includeonly addbibresource setlist pdfbookmark cline",
        "-",
    )
    | _rows("footnotemark", "o")
    | _rows("usepackage documentclass RequirePackage", "o-")
    | _rows("setlength addtolength setcounter addtocounter newcounter numberwithin", "--")
    | _rows("textrm textsf textup textmd textnormal mbox hbox fbox text ensuremath", "+")
    | _rows("parbox raisebox makebox framebox scalebox rotatebox", "o-+")
    | {"rule": "o--", "addcontentsline": "---", "fontsize": "--", "resizebox": "--+", "captionof": "-+", "newtheorem": "-o-o"}
    | {"cmidrule": "op-", "hyperref": "o+", "multicolumn": "--+"}
)
"""The arguments of commands that say nothing themselves: `o` one in brackets, `p` one in parentheses, `-` dropped, `+` shown.

Those in brackets and in parentheses may be left out.
"""


Kind = Literal[
    "flow", "float", "bullets", "numbers", "terms", "quote", "theorem",
    "bibliography", "table", "source", "display", "inline",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """How an environment is read; `arguments` as in `commands.SHOWN`, of which a table is told what its columns are.

    `title`: what it is called, or the kind of a float; `counter` and `within` as in `model.Quote`.
    """

    kind: Kind
    arguments: str = ""
    title: str = ""
    counter: str = ""
    within: int = 0


def _environments(names: str, kind: Kind, arguments: str = "") -> dict[str, Row]:
    return dict.fromkeys(names.split(), Row(kind, arguments))


DISPLAYS = "equation align gather multline flalign alignat eqnarray displaymath dmath".split()
INLINE = "math"

ENVIRONMENTS: Mapping[str, Row] = MappingProxyType(
    _environments("document center flushleft flushright samepage titlepage landscape spacing frame sloppypar", "flow")
    | _environments("small footnotesize scriptsize large Large", "flow")
    | _environments("minipage multicols adjustbox", "flow", "o-")
    | {name: Row("float", "o", name) for name in ("figure", "table", "algorithm")}
    | {name: Row("float", "oo-", "figure") for name in ("subfigure", "wrapfigure")}
    | {name: Row("float", "oo-", "table") for name in ("subtable", "wraptable")}
    | _environments("itemize compactitem inparaitem", "bullets", "o")
    | _environments("enumerate compactenum inparaenum", "numbers", "o")
    | _environments("description", "terms", "o")
    | _environments("quote quotation verse", "quote")
    | {"abstract": Row("quote", title="Abstract"), "proof": Row("theorem", title="Proof")}
    | {
        name: Row("theorem", title=name.capitalize())
        for name in "theorem lemma proposition corollary definition remark example claim note conjecture".split()
    }
    | {"thebibliography": Row("bibliography", "-", "References")}
    | _environments("tabular longtable", "table", "o+")
    | _environments("tabularx tabulary", "table", "-o+")
    | _environments(
        "tikzpicture picture alltt algorithmic algorithm2e mathdsl where tabbing filecontents subequations IEEEeqnarray", "source"
    )
    | {name: Row("display") for name in DISPLAYS}
    | {INLINE: Row("inline")}
)
"""Of an environment with a star, the row without; one that is not here is read as `flow`."""

WITH_LABELS: frozenset[Kind] = frozenset({"float", "theorem", "source", "numbers", "bibliography"})
"""Environments that have numbers of their own: a label in them is not that of what they stand in."""

FLOW = Row("flow")


def find_row(name: str, theorems: Mapping[str, Row]) -> Row:
    """How the environment of that name is read, in a document that has these theorems."""
    return theorems.get(name) or ENVIRONMENTS.get(name) or ENVIRONMENTS.get(name.removesuffix("*"), FLOW)
