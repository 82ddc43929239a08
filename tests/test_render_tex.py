"""LaTeX for readers: text stays text, formulas keep their grouping, an author's words stay, and TeX sets it all."""

from __future__ import annotations

import re
from itertools import count, islice
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_cases import Case, check_golden, load_cases
from rendering import EXAMPLES, compiled, needs_tex, run_tex

from mathdsl.render.document.model import (
    Clause,
    Code,
    DisplayMath,
    Grid,
    Heading,
    Inline,
    ItemList,
    Line,
    LineBreak,
    Link,
    Listing,
    Math,
    Notation,
    Paragraph,
    Quote,
    Reference,
    Styled,
    Text,
    Typeset,
    Verbatim,
    Word,
)
from mathdsl.render.typeset import Compiled, typeset, typeset_programs
from mathdsl.render.write.latex.blocks import write_latex
from mathdsl.render.write.latex.escaping import escape_code, escape_text, escape_web_address
from mathdsl.render.write.latex.expressions import write_expression
from mathdsl.render.write.latex.splice import splice_latex
from mathdsl.syntax import nodes as ast
from mathdsl.syntax.nodes import Expression
from mathdsl.syntax.parsing import parse_text

# ---- text ------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[\s\S]")
_SETS_TEXT = re.compile(
    r"\\(?:text(?:backslash|asciicircum|asciitilde|less|greater|bar|bullet|periodcentered|euro|cent|currency|superscript|perthousand|"
    r"brokenbar|commabelow|rm)|mdsl(?:char|stroke|Stroke)|ensuremath|mbox|dots|dag|ddag|S|P|copyright|pounds|"
    r"ss|ae|AE|oe|OE|o|O|l|L|i|j|[Hruvcdkb]|char|allowbreak|mathbb|mathbf|mathcal|[{}$&#_% ,'`^~=.\"-])"
)


def assert_is_text(tex: str) -> None:
    """Nothing in it is markup: balanced braces, no bare special character, no command but those that set characters."""
    depth = 0
    assert tex.isascii()
    assert "\n" not in tex
    in_formula = 0
    for token in _TOKEN.findall(tex):
        if token == r"\ensuremath":
            in_formula = depth + 1
        depth += (token == "{") - (token == "}")
        assert depth >= 0
        if in_formula and depth < in_formula and token == "}":
            in_formula = 0
        assert token not in ("#", "$", "%", "&") or in_formula
        assert token not in ("^", "_") or in_formula
        assert not token.startswith("\\") or in_formula or _SETS_TEXT.fullmatch(token), token
    assert depth == 0


hostile = (
    st.text() | st.text(st.sampled_from("\\{}$&#%_^~<>|\"'`-,?! \nabéθ∈₂中\u0301\x07")) | st.sampled_from(["\\input{x}", "\\end{document}"])
)


@given(hostile)
@settings(max_examples=300)
def test_no_text_is_markup(text: str) -> None:
    assert_is_text(escape_text(text))
    assert_is_text(escape_code(text))


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("50% of \\input{x}", r"50\% of \textbackslash{}input\{x\}"),
        ("–, — “q” ‘q’ --", r"--, --- ``q'' `q' -\mbox{}-"),
        ("é ï ß θ ∈ x₂", r"\'{e} \"{\i} \ss{} \ensuremath{\theta} \ensuremath{\in} x\ensuremath{{}_{2}}"),
        ("中\u200b\x07", r"\mdslchar{4E2D}\mdslchar{200B}[U+0007]"),
        ('"a" ("b") say "c". "', "``a'' (``b'') say ``c''. ``"),
        ('" after another style', "'' after another style"),
        (
            "5\N{EURO SIGN} ½ ș ą ấ Ά Εά ﬁ",
            r"5\texteuro{} \ensuremath{\frac{1}{2}} \textcommabelow{s} \k{a} "
            r"\ensuremath{\acute{\hat{\mathrm{a}}}} \'{A} E\ensuremath{\acute{\alpha}} fi",
        ),
    ],
)
def test_characters_are_set_or_named(text: str, tex: str) -> None:
    assert escape_text(text) == tex


def test_a_word_of_code_may_break_where_it_is_long() -> None:
    assert escape_code("multi_head").count(r"\allowbreak{}") == 1
    assert escape_code("abcdefghijklm").count(r"\allowbreak{}") == 1


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "", "//x"])
def test_other_schemes_are_no_links(address: str) -> None:
    assert escape_web_address(address) is None
    assert "href" not in write_latex(Typeset((), (), (Paragraph((Link(address, (Text("here"),)),)),)))


def test_an_address_cannot_leave_its_braces() -> None:
    assert escape_web_address("https://a.b/c d}\\x%20#e&f") == r"https://a.b/c\%20d\%7D\%5Cx\%20\#e\&f"


# ---- formulas --------------------------------------------------------------------------------------

letters = st.sampled_from("abxyW").map(ast.Identifier)


def _grow(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    operators = st.sampled_from(["+", "-", "@", r"\cdot", r"\odot", "*", r"\circ", r"\times", r"\otimes", "||"])
    return st.one_of(
        st.builds(ast.Binary, operators, inner, inner),
        st.builds(ast.Negative, inner),
        st.builds(lambda body: ast.Reduction("sum", ast.Identifier("i"), None, body), inner),
        st.builds(lambda a, b: ast.Relation(("<",), (a, b)), inner, inner),
        st.builds(lambda operator, a, b: ast.Logic(operator, (a, b)), st.sampled_from(["and", "or"]), inner, inner),
        st.builds(ast.Fraction, inner, inner),
        st.builds(lambda base, above: ast.Scripts(base, (), above), inner, letters),
    )


def _read(latex: str) -> Expression:
    document, found = parse_text(f"y \\gets {latex} \\\\")
    assert not found.has_errors(), latex
    [definition] = document.items
    assert isinstance(definition, ast.Definition)
    return definition.value


def _bare(node: object) -> object:
    """A tree without the parentheses around one expression."""
    match node:
        case ast.Group((inner,)):
            return _bare(inner)
        case ast.Node():
            return type(node), *(_bare(getattr(node, name)) for name in node.__dataclass_fields__ if name != "span")
        case tuple():
            return tuple(_bare(part) for part in node)
        case _:
            return node


@given(st.recursive(letters, _grow, max_leaves=8))
@example(_read("a || a < a || (-a)"))
@settings(max_examples=200, deadline=None)  # the first call builds the grammar
def test_what_readers_see_groups_as_the_program_does(node: Expression) -> None:
    """Read again, braces ignored as readers ignore them, a formula has the tree that it was written from."""
    shown = write_expression(node)
    for written, plain in ((r"\mathbin{@}", "@"), (r"\mathbin{\|}", "||"), (r"\ast", "*")):
        shown = shown.replace(written, plain)
    shown = re.sub(r"\\(?:Bigl|Bigr|left|right)(?![A-Za-z])", "", shown)
    assert _bare(_read(shown)) == _bare(node)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"\cat{a, b}", r"\operatorname{concat}(a, b)"),
        (r"\drop{x}{p}", r"\operatorname{dropout}(x, p)"),
        (r"\Call{F}{a, b}", "F(a, b)"),
        (r"\set{1, \dots, n}", r"\{1, \dots, n\}"),
        (r"x.\sz{1}", r"x.\mathrm{size}(1)"),
        (r"W'_{in}^2", r"W_{\mathit{in}}^{\prime 2}"),
        (r"Linear(1e-5)", r"\mathit{Linear}(10^{-5})"),
        (r"x_t \algoIs \text{padding}", r"x_t \mathrel{\text{is}} \mathrm{padding}"),
        (r"\argmax_i x_i", r"\operatorname*{argmax}_i x_i"),
        (r"i \text{ is even}", r"i\ \text{is even}"),
        (r"\mathbb{1}[c]", r"\mathbf{1}[c]"),
    ],
)
def test_the_notation_is_written_with_standard_commands(written: str, shown: str) -> None:
    assert write_expression(_read(written)) == shown


# ---- documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", load_cases("render/latex"), ids=str)
def test_document(case: Case, request: pytest.FixtureRequest) -> None:
    tex = write_latex(typeset(compiled(case.input)))
    check_golden(case, tex.partition("\\begin{document}\n")[2].removesuffix("\\end{document}\n"), request)


def spliced(document: Compiled) -> str:
    [programs], [text] = typeset_programs(document), document.reading.texts
    return splice_latex(text.written.text, [(*region.whole, own) for region, own in zip(text.regions, programs, strict=True)]).text


PROGRAM = "\\begin{mathdsl}\n\\Module{M}{x ; W}\n\\Return W @ x \\\\\n\\EndModule\n\\end{mathdsl}\n"


def test_the_authors_words_stay() -> None:
    before = "\\documentclass[12pt]{article}\n\\usepackage{amsmath, mathdsl ,array}\n% \\usepackage{mathdsl} stays\n"
    after = "A \\emph{word} with~50\\% of $\\alpha$. % \\end{document}\n\\verb|\\begin{mathdsl}|\n\\end{document}\n"
    tex = spliced(compiled(f"{before}\\begin{{document}}\nFirst $x$.\n{PROGRAM}{after}"))
    assert tex.startswith("\\documentclass[12pt]{article}\n\\usepackage{amsmath,array}\n% \\usepackage{mathdsl} stays\n")
    assert tex.endswith(after)
    assert "\\begin{document}\nFirst $x$.\n" in tex
    assert r"\Module" not in tex


def test_a_comment_refers_to_what_the_author_numbered() -> None:
    program = r"\Module{A}{x} y \gets x + 1 \Comment{by \eqref{eq:a_1}, \ref{b} and \ref{c}} \\ \Return y \\ \EndModule"
    where = r"\begin{where} x \in \mathbb{R} & in \\ \end{where}"
    prose = r"\begin{equation}\label{eq:a_1} a \end{equation} % \label{b}"
    shown = spliced(compiled(f"\\begin{{document}}{prose}\n\\begin{{mathdsl}}{program}{where}\\end{{mathdsl}}\\end{{document}}"))
    assert r"by \eqref{eq:a_1}, [b] and [c]" in shown


def test_a_table_of_short_words_is_a_table() -> None:
    words = [(Text(left),) for left in ("a", "b", "1", "two")]
    shown = write_latex(Typeset((), (), (Grid((words[0], words[1]), ((words[2], words[3]),)),)))
    assert r"\begin{tabular}" in shown


def test_the_package_goes_when_it_stands_alone() -> None:
    tex = spliced(compiled(f"\\documentclass{{article}}\n\\usepackage[x]{{mathdsl}}\n\\begin{{document}}\n{PROGRAM}\\end{{document}}\n"))
    assert tex.startswith("\\documentclass{article}\n\\usepackage{amsmath,graphicx}\n")


def test_a_fragment_becomes_a_document() -> None:
    tex = spliced(compiled(f"\\usepackage{{bm}}\n\\newcommand{{\\x}}{{y}}\nText.\n{PROGRAM}"))
    assert tex.startswith("\\documentclass{article}\n\\usepackage{bm}\n\\usepackage{amsmath,graphicx}\n")
    assert tex.endswith("\\end{document}\n")
    assert tex.index(r"\begin{document}") < tex.index(r"\newcommand{\x}")


FLOAT = r"""\documentclass{article}
\usepackage{algorithm,algpseudocode}
\begin{document}
\begin{algorithm}
\caption{Of the author}\label{alg:own}
\begin{algorithmic}[1]
\Procedure{Twice}{$x$}
  \State \Return $2 x$
\EndProcedure
\end{algorithmic}
\begin{where}
  x \in \mathbb{R}^{n} & what is doubled \\
\end{where}
\end{algorithm}
As $θ ∈ ℝ$ in Algorithm~\ref{alg:own}.
\end{document}
"""


def test_a_float_keeps_its_caption_and_tables_follow_it() -> None:
    tex = spliced(compiled(FLOAT))
    inside = tex[tex.index(r"\begin{mdslfloat}" + "\n") : tex.index(r"\end{mdslfloat}")]
    assert r"\caption{Of the author}\label{alg:own}" in inside
    assert "Twice" in inside
    assert "what is doubled" not in inside
    assert "what is doubled" in tex
    assert r"\DeclareUnicodeCharacter{03B8}" in tex


def test_a_list_of_the_header_is_told_by_its_elements() -> None:
    """Their declaration says how one is written, and what it is by default."""
    [elman] = (path for path in EXAMPLES if path.stem == "elman")
    [row] = (line for line in spliced(compiled(elman.read_text(encoding="utf-8"))).splitlines() if "before the text" in line)
    assert r"\mdslrow{$h_0^{\ell}$}{\texttt{h\char95 \allowbreak{}0}}" in row
    assert row.endswith(r", default $\mathbf{0}$}%")


@pytest.mark.parametrize(
    ("package", "written", "spliced_as"),
    [
        ("algorithm", r"\begin{algorithm}", r"\begin{mdslfloat}"),
        ("algorithm", r"\begin{algorithm}[t]", r"\begin{algorithm}[t]"),
        ("algorithm", r"\begin{algorithm*}", r"\begin{algorithm*}"),
        ("algorithm}\\floatstyle{boxed}\\restylefloat{algorithm", r"\begin{algorithm}", r"\begin{algorithm}[H]"),
        ("algorithm2e", r"\begin{algorithm}", r"\begin{algorithm}[H]"),
    ],
)
def test_a_float_stays_beside_its_tables_unless_its_author_placed_it(package: str, written: str, spliced_as: str) -> None:
    closing = written.partition("[")[0].replace("begin", "end")
    text = FLOAT.replace("algorithm,algpseudocode", f"algpseudocode,{package}")
    tex = spliced(compiled(text.replace(r"\begin{algorithm}", written).replace(r"\end{algorithm}", closing)))
    assert f"{spliced_as}\n\\caption" in tex
    kind = spliced_as.partition("[")[0].replace("begin", "end")
    assert kind in tex.split("Twice")[1]


def test_only_a_float_of_algorithms_has_rules_of_its_own() -> None:
    assert r"\begin{mdslprogram}" not in spliced(compiled(FLOAT))
    assert r"\begin{mdslprogram}" in spliced(compiled(FLOAT.replace("{algorithm}", "{figure}")))


def test_a_float_stays_only_by_a_package_that_knows_how() -> None:
    tex = spliced(compiled(FLOAT.replace("algorithm,algpseudocode", "algpseudocode")))
    assert "\\begin{algorithm}\n\\caption" in tex


# ---- TeX -------------------------------------------------------------------------------------------


def _table(rows: str, options: str = "") -> Compiled:
    program = "\\Module{M}{x ; W}\n\\Return W @ x \\\\\n\\EndModule\n"
    where = f"\\begin{{where}}\n{rows}\n\\end{{where}}"
    body = f"\\begin{{mathdsl}}\n{program}\\end{{mathdsl}}\n{where}"
    return compiled(f"\\documentclass{options}{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")


@needs_tex
@pytest.mark.parametrize("options", ["", "[twocolumn]"])
def test_what_is_too_long_for_its_column_overlaps_nothing(options: str) -> None:
    long = "".join(f"{letter}arge" for letter in "Labcde")
    words = " ".join(["words"] * 30)
    rows = rf"x \in \mathbb{{R}}^{{n_{{{long}}}}} & {words} \\ W \in \mathbb{{R}}^{{m \times n_{{{long}}}}} & {words} \\"
    run = run_tex(spliced(_table(rows, options)))
    assert run.complaints() == []
    assert len(re.findall(r"\bwords\b", run.shown)) == 60


@needs_tex
@pytest.mark.parametrize("description", ["word " * 2000, "x" * 2000], ids=["words", "a long word"])
def test_no_word_of_a_long_description_is_lost(description: str) -> None:
    run = run_tex(spliced(_table(rf"x \in \mathbb{{R}}^{{n}} & before {description} behind \\")))
    assert run.complaints() == []
    said = "".join(re.sub(r"(?m)^\s*\d+\s*$", "", run.shown).split())
    assert "before" + description.replace(" ", "") + "behind" in said


@needs_tex
def test_no_word_of_long_prose_is_lost() -> None:
    words = (f"w{number}z" for number in count())

    def said(number: int) -> tuple[Inline, ...]:
        return (Text(" ".join(islice(words, number))),)

    blocks = (
        Heading(1, said(100)),
        Grid((said(1), said(1)), tuple((said(3), said(20)) for _ in range(40))),
        Grid((said(1), said(1)), ((said(3), said(2000)), (said(3), said(3)))),
        Grid((), (tuple(said(2) for _ in range(40)),)),
        ItemList("terms", ((said(200), (Paragraph(said(3)),)),)),
        ItemList("bullets", (((), (Grid((), tuple((said(3), said(2)) for _ in range(20))),)),)),
        Quote((Paragraph(said(1500)),)),
        Verbatim(" ".join(islice(words, 1500))),
        Paragraph(((Styled("footnote", said(1000))),)),
    )
    run = run_tex(write_latex(Typeset(said(100), said(100), blocks)))
    assert run.complaints() == []
    written = {f"w{number}z" for number in range(int(next(words)[1:-1]))}
    assert written - set(re.findall(r"w\d+z", run.shown)) == set()


@needs_tex
def test_no_letter_of_a_long_name_is_lost() -> None:
    run = run_tex(spliced(compiled(PROGRAM.replace("{M}", "{" + "Net" * 1000 + "}").replace("W", "Wide" * 10))))
    assert run.complaints() == []
    said = "".join(run.shown.split())
    assert said.count("Net") == 1000
    assert said.count("Wide") >= 40


@needs_tex
def test_a_table_goes_on_under_its_head() -> None:
    names = [f"{letter}_{{{index}}}" for letter in "abcdefgh" for index in range(1, 9)]
    rows = "\n".join(rf"{name} \in \mathbb{{N}} & size {number} \\" for number, name in enumerate(names))
    tex = spliced(_table(rf"{rows} x \in \mathbb{{R}}^{{{' + '.join(names)}}} & the input \\"))
    run = run_tex(tex)
    assert run.complaints(with_overfull=False) == []
    pages = run.shown.split("\f")
    [first, second] = [page for page in pages if "size " in page]
    assert "(continued)" in second
    assert "Description" in second
    assert "(continued)" not in first
    assert min(page.count("size ") for page in (first, second)) >= 2


@needs_tex
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("way", ["written", "spliced"])
def test_tex_sets_the_examples(path: Path, way: str) -> None:
    document = compiled(path.read_text(encoding="utf-8"), path.name)
    tex = write_latex(typeset(document)) if way == "written" else spliced(document)
    run = run_tex(tex)
    assert run.complaints() == []
    assert "Parameters" in run.shown
    assert "??" not in run.shown


@needs_tex
@pytest.mark.parametrize("placing", ["", "[ht]"])
def test_tex_sets_a_float(placing: str) -> None:
    run = run_tex(spliced(compiled(FLOAT.replace(r"\begin{algorithm}", rf"\begin{{algorithm}}{placing}"))))
    assert run.complaints() == []
    assert "Algorithm 1 Of the author" in run.shown
    assert "in Algorithm 1." in run.shown


@needs_tex
def test_a_float_that_is_longer_than_a_page_goes_on() -> None:
    steps = "".join(rf"\State $y_{{{number}}} \gets {number}.0$" + "\n" for number in range(100, 200))
    run = run_tex(spliced(compiled(FLOAT.replace(r"\Procedure{Twice}{$x$}", r"\Procedure{Twice}{$x$}" + "\n" + steps))))
    assert run.complaints() == []
    assert [number for number in range(100, 200) if f"{number}.0" not in run.shown] == []


HOSTILE = r"\input{/etc/passwd} \write18{ls} $x$ \end{document} % #1 & ^_~ \csname x\endcsname {"


def _everywhere(text: str) -> Typeset:
    """A document that says `text` in every place that can hold text."""
    words: tuple[Inline, ...] = (
        Text(text),
        Code(text),
        Math(text),
        Styled("footnote", (Text(text),)),
        Link(f"https://x/{text}", (Text(text),)),
    )
    line = Line(Clause((Word(text),)), 0, 1, text, text, words)
    listing = Listing(text, "module", (), (), (line,), (), words, text)
    blocks = (
        Heading(1, words, text),
        Paragraph(
            (*words, LineBreak(), LineBreak(), Reference("ref", (text, "gone")), Reference("eqref", (text,)), Reference("cite", (text,)))
        ),
        ItemList("terms", ((words, (Paragraph((Text("[x] " + text),)),)),)),
        ItemList("bullets", (((), (Paragraph((Text("[x]"),)),)),)),
        Quote((Paragraph(words),), text),
        Verbatim(text + "\n\\end{verbatim}\n" + text, text),
        DisplayMath(text, "display", 1),
        DisplayMath("a = b", "a label % with } signs", 2),
        DisplayMath("a = b", "tagged", None, text),
        Paragraph(tuple(Reference("ref", (label,)) for label in ("display", "a label % with } signs", "tagged"))),
        Grid((words,), ((words,), (words, words))),
        listing,
        Listing("", "algorithmic", (), None, (line,)),
        Notation(((ast.Declaration((ast.Identifier("x"),), ast.Identifier("R", "mathbb")), words),)),
    )
    return Typeset(words, words, blocks)


@needs_tex
def test_hostile_text_is_shown() -> None:
    run = run_tex(write_latex(_everywhere(HOSTILE)))
    assert run.complaints(with_overfull=False) == []
    assert r"\input{/etc/passwd} \write18{ls} $x$" in run.shown
    assert "root:" not in run.shown


@needs_tex
def test_long_things_stay_on_the_page() -> None:
    """A long sum, a long list, wide cases, a long header, a long name in Python."""
    names = [f"W_{{{letter}{letter}}}" for letter in "abcdefghijklmnopqrstuvw"]
    long = " + ".join(f"{name} @ x" for name in names)
    lines = [
        rf"\Module{{Long}}{{x ; {', '.join(names)}}}",
        rf"  y \gets {long} \\",
        rf"  z \gets \begin{{cases}} {long} & \text{{if }} 1 < 2 \\ x & \text{{otherwise}} \end{{cases}} \\",
        r"  \Return (y, z) \\",
        r"\EndModule",
    ]
    program = "\n".join(lines)
    document = typeset(compiled(rf"\begin{{document}}\begin{{mathdsl}}{program}\end{{mathdsl}}\end{{document}}"))
    run = run_tex(write_latex(document))
    assert run.complaints() == []
