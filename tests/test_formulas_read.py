"""Formulas of prose: what our grammar reads, what is shown as TeX would, what stays text, and what may go into TeX."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mathdsl.render.tex_commands import ARGUMENTS, COMMANDS, NOTATION, REPLACED, SIZES, SYMBOLS
from mathdsl.render.tex_formulas import safe_tex
from mathdsl.render.write.html.mathematics import latex_formula
from mathdsl.render.write.markdown.formulas import inline_formula, mathjax
from mathdsl.syntax.inline import parse_formula
from mathdsl.syntax.latex import render_expression

ELEMENTS = {
    *"math code mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup".split(),
    *"munder mover munderover mtable mtr mtd mstyle mpadded mphantom".split(),
}
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2, "munderover": 3}


@pytest.mark.parametrize(
    ("latex", "items"),
    [
        ("h_{t-1}", ["h_{t - 1}"]),
        (r"x_t \in \mathbb{R}^{d}", [r"x_t \in \mathbb{R}^d"]),
        (r"t = 1, \dots, S", ["t = 1", r"\dots", "S"]),
        ("mask_{i,j}", ["mask_{i, j}"]),
        ("(S, d_x)", ["(S, d_x)"]),
        (r"\dEmb", [r"\dEmb"]),
        (r"\mathrm{init}_{lower}", [r"\mathrm{init}_{lower}"]),
        ("ℝ^{n×d}", [r"\mathbb{R}^{n \times d}"]),
        (r"f(x \gets 0)", [r"f(x \gets 0)"]),
    ],
)
def test_formulas_of_the_language_are_read(latex: str, items: list[str]) -> None:
    read = parse_formula(latex)
    assert read is not None
    assert [render_expression(item) for item in read] == items


@pytest.mark.parametrize(
    "latex",
    [
        *(
            "",
            " ",
            "x_10",
            "$x$",
            "x.",
            r"a \\ b",
            "a & b",
            "] x [",
            r"\Return x",
            r"\EndModule",
            r"x \quad y",
        ),
        *(r"a \approx b", r"\forall t", r"\begin{where} x \end{where}", r"x \tag{1}", r"x % y", "é", "\\", "a ; b"),
    ],
)
def test_what_our_grammar_would_read_otherwise_is_none_of_the_language(latex: str) -> None:
    assert parse_formula(latex) is None


def _shown(latex: str) -> tuple[str, str]:
    """The outer element and the text of a formula, whose elements are checked."""
    root = ElementTree.fromstring(latex_formula(latex, display=False))
    for node in root.iter():
        assert node.tag in ELEMENTS
        assert len(node) == CHILDREN.get(node.tag, len(node))
        assert not any(re.search(r"href|src|class|:\s*url|javascript|^on", f"{name}={value}") for name, value in node.attrib.items())
    return root.tag, "".join(root.itertext())


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"a \approx b \pm c", "a≈b±c"),
        (r"\lim_{n \to \infty} x_n", "limn→∞xn"),
        (r"\mathfrak{g}", "𝔤"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a=bc=d"),
        (r"\binom{n}{k}", "(nk)"),
        (r"x_1 + \cdots + x_n", "x1+⋯+xn"),
    ],
)
def test_other_formulas_are_shown_as_tex_would(latex: str, text: str) -> None:
    assert _shown(latex) == ("math", text)


KEPT = [  # what an author writes, what is seen of it in a page, and what TeX is given (nothing: the same)
    (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "(1234)", ""),
    (r"\det \begin{vmatrix} 1 \end{vmatrix}", "det|1|", ""),
    (r"\begin{Vmatrix} 1 \end{Vmatrix}", "‖1‖", ""),
    (r"\begin{Bmatrix} 1 \end{Bmatrix}", "{1}", ""),
    (r"\begin{matrix} 1 \end{matrix}", "1", ""),
    (r"\begin{array}{c|c} a & b \\ \hline c & d \end{array}", "abcd", r"\begin{array}{c|c} a & b \\ \hline c & d \end{array}"),
    (r"\{y \mid z\}", "{y∣z}", ""),
    (r"\{x : y\}", "{x:y}", ""),
    (r"p(x | y)", "p(x|y)", ""),
    (r"\left\{a \middle| c\right\}", "{a|c}", ""),
    (r"a \coloneqq b := c", "a:=b:=c", r"a \mathrel{:=} b := c"),
    (r"x^\dagger + y^*", "x†+y∗", r"x^{\dagger} + y^{*}"),
    (r"50\% \& \_ \# \$", "50%&_#$", ""),
    (r"\operatorname{arg\,max}_i", "arg\N{THIN SPACE}maxi", ""),
    (r"\operatorname*{arg\,max}_i", "arg\N{THIN SPACE}maxi", ""),
    (r"\bm{x}", "𝒙", r"\boldsymbol{x}"),
    (r"\sum_{\substack{i \\ j}} x", "∑ijx", ""),
    (r"\phantom{x} y", "xy", ""),
    (r"a \xrightarrow[g]{f} b", "a→gfb", r"a \xrightarrow[{g}]{f} b"),
    (r"\iint \oint", "∬∮", ""),
    (r"\not= \not\subset \not<", "≠⊄≮", ""),
    (r"\left< x \middle/ y \right.", "⟨x/y", ""),
    (r"\mathop{\mathrm{softmax}}\limits_x", "softmaxx", ""),
    (r"\mathbb{E}[x]", "𝔼[x]", ""),
    (r"x \pmod{n}", "x(modn)", ""),
    (r"[0,1) \cup (0,1]", "[0,1)∪(0,1]", ""),
    (r"1{,}000", "1,000", ""),
    (r"{}^a b", "ab", ""),
    (r"\text{if $x > 0$, 5\%}", "if\N{NO-BREAK SPACE}x>0, 5%", r"{\text{if }{x > 0}\text{, 5\%}}"),
    (r"a \leq b \geqslant c \le d", "a≤b⩾c≤d", ""),
    (r"x_1, \dots, x_n + \cdots + x_1 + \dots + x_n", "x1,…,xn+⋯+x1+⋯+xn", ""),
    (r"-x", "−x", ""),
    (r"f\colon X \to Y", "f:X→Y", ""),
    (r"\bigl( a \bigr)", "(a)", ""),
    (r"x'' + y'^2", "x″+y′2", ""),
    (r"\cat{a, b}", "concat(a,b)", r"\operatorname{concat}\left({a, b}\right)"),
    (r"a \gets b", "a←b", ""),
    (r"h_{t} \algoEq \R", "ht←ℝ", r"h_{t} \gets \mathbb{R}"),
    (r"\R^{\dEmb \times n}", "ℝdEmb×n", r"\mathbb{R}^{\mathrm{dEmb} \times n}"),
    (r"\Call{Net}{x} + \Call{F}{x}", "Net(x)+F(x)", r"\mathrm{Net}(x) + F(x)"),
    (r"\mathit{lr} \approx 1e-5", "lr≈10−5", ""),
    (r"2.50E+03 x^{1e-5} + 1e-5^2", "2.50⋅103x10−5+(10−5)2", ""),
    (r"\mathds{1} \approx \pmb{x}", "𝟙≈𝒙", r"\mathbf{1} \approx \boldsymbol{x}"),
    (r"x \approx y. \qedhere", "x≈y.", "x \\approx y."),
    (r"\mathclap{x} \approx \mathstrut \nicefrac{a}{b}", "x≈ab", r"{x} \approx \tfrac{a}{b}"),
    (r"a \hspace{1cm} \approx \hspace*{-2pt} b", "a≈b", r"a \qquad \approx   b"),
    (
        r"\begin{dcases} a & b \\[2pt] c \\* d \end{dcases}",
        "{abcd",
        r"\begin{cases}\displaystyle a &\displaystyle b \\\displaystyle c \\\displaystyle d \end{cases}",
    ),
    (r"\begin{alignedat}{2} a &\approx b \end{alignedat}", "a≈b", r"\begin{aligned} a &\approx b \end{aligned}"),
    (r"\begin{array}{@{}l|r@{}} a & b \end{array}", "ab", r"\begin{array}{l|r} a & b \end{array}"),
]


@pytest.mark.parametrize(("latex", "text", "tex"), KEPT)
def test_prose_is_shown_as_it_was_written(latex: str, text: str, tex: str) -> None:
    assert _shown(latex) == ("math", text)
    assert safe_tex(latex) == (tex or latex)


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\cancel{x}", r"\SI{3}{m}", r"\hspace{x}", r"x \tag{1}", r"\not a", r"\begin{array}{c} a & b \end{array}"),
        *(r"{a \over b}", r"{n \choose k}", r"{\bf x} + {\rm Tr}(A)", r"\color{red} x", r"\textcolor{red}{x} + 1"),
    ],
)
def test_what_is_not_understood_is_code(latex: str) -> None:
    assert _shown(latex) == ("code", latex)
    assert safe_tex(latex) is None
    assert inline_formula(latex) == f"`{latex}`"


def test_an_alphabet_that_tex_lacks_is_left_to_browsers() -> None:
    assert _shown(r"\mathscr{L}") == ("math", "ℒ")
    assert safe_tex(r"\mathscr{L}") is None
    assert (inline_formula(r"\mathscr{L}"), inline_formula(r"\mathbb{1}")) == (r"$\mathscr{L}$", r"$\mathbb{1}$")


@pytest.mark.parametrize("operator", [r"\sum", r"\bigcup", r"\lim", r"\operatorname*{argmin}", r"\operatorname*{arg\,min}", r"\max"])
def test_limits_stand_below_in_a_display_and_beside_in_a_line(operator: str) -> None:
    latex = rf"a \approx 2 {operator}_{{i}} x"
    assert "<munder>" in latex_formula(latex, display=True)
    assert "<msub>" in latex_formula(latex, display=False)
    assert "<msub>" in latex_formula(rf"\frac{{{latex}}}{{2}}", display=True)


def _joined(parts: list[tuple[str, list[str]]]) -> tuple[str, list[str]]:
    return " ".join(latex for latex, _ in parts), [one for _, seen in parts for one in seen]


def _framed(frame: str) -> st.SearchStrategy[tuple[str, list[str]]]:
    """A frame whose stars are formulas."""

    def fill(parts: list[tuple[str, list[str]]]) -> tuple[str, list[str]]:
        inner = iter(parts)
        return "".join(next(inner)[0] if letter == "*" else letter for letter in frame), _joined(parts)[1]

    return st.lists(rows, min_size=frame.count("*"), max_size=frame.count("*")).map(fill)


FRAMES = [
    *(
        r"\frac{*}{*}",
        r"\dfrac{*}{*}",
        r"\sqrt[*]{*}",
        r"{*}_{*}^{*}",
        r"\hat{*}",
        r"\left\{ * \middle| * \right)",
        r"\binom{*}{*}",
        r"\not= {*}",
    ),
    *(r"\begin{pmatrix} * & * \\ * & * \end{pmatrix}", r"\begin{aligned} * & * \\ * \end{aligned}", r"\underbrace{*}_{*}"),
    *(r"\begin{array}{c|c} * & * \\ \hline * & * \end{array}", r"\begin{cases} * & * \\ * \end{cases}", r"\overset{*}{*}", r"\mathrel{*}"),
    *(
        r"\sum_{\substack{* \\ *}}^{*} *",
        r"\xrightarrow[*]{*}",
        r"\boxed{*}",
        r"\overline{*}",
        r"\Bigl[ * \Bigr)",
        r"( * )",
        r"\{ * \mid * \}",
        "| * |",
    ),
]
leaves = st.sampled_from([*"abxyzW0123456789", *sorted(COMMANDS)]).map(lambda one: (one, [one]))
rows = st.lists(leaves, min_size=1, max_size=3).map(_joined)
prose = st.lists(leaves | st.sampled_from(FRAMES).flatmap(_framed), min_size=1, max_size=3).map(_joined)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(prose, st.booleans())
def test_every_sign_and_letter_of_prose_is_shown_in_every_format(written: tuple[str, list[str]], display: bool) -> None:
    latex, seen = written
    root = ElementTree.fromstring(latex_formula(latex, display=display))
    tex, markdown = safe_tex(latex), inline_formula(latex)
    if root.tag == "code":
        assert tex is None
        assert markdown.startswith("`")
        return
    text = Counter(_compared("".join(root.itertext())))
    assert tex is not None
    for one in set(seen):
        shown = _compared(COMMANDS[one].character if one in COMMANDS else one)
        assert all(text[letter] >= seen.count(one) for letter in shown)
        assert tex.count(one) >= seen.count(one)
        assert markdown.count(mathjax(one)) >= seen.count(one)


def _compared(text: str) -> str:
    """Letters whatever their font, dots whatever their height."""
    return unicodedata.normalize("NFKC", text.replace("⋯", "…"))


@pytest.mark.parametrize(
    "latex",
    [
        *(
            r"\href{javascript:alert(1)}{x}",
            "<script>alert(1)</script>_",
            r"\style{background:url(x)}{y}",
            r"\class{a}{b}",
            r"\unicode{60}",
        ),
        *(r"\text{<img src=x onerror=alert(1)>}_", r"\input{secret}", "x_a_b", "{", "&lt;{", "\x00\x1b]", r"\newcommand{\x}{\x\x}\x"),
    ],
)
def test_hostile_formulas_stay_their_source(latex: str) -> None:
    tag, text = _shown(latex)
    assert tag == "code"
    assert text == re.sub("[\x00\x1b]", "�", latex)


def test_markup_in_words_stays_words() -> None:
    tag, text = _shown(r"\text{<img src=x onerror=alert(1)>}")
    assert (tag, text) == ("math", "<img src=x onerror=alert(1)>")


TOKENS = [
    *(
        "{",
        "}",
        "{x}",
        "_",
        "^",
        "'",
        "x",
        "2",
        " ",
        "(",
        ")",
        "[",
        "]",
        "|",
        "&",
        r"\\",
        "+",
        "=",
        "~",
        "<",
        "$",
        "%",
        "#",
        '"',
        "`",
        "θ",
        "₁",
    ),
    *(
        r"\left(",
        r"\right)",
        r"\left",
        r"\right",
        r"\middle",
        r"\begin{cases}",
        r"\end{cases}",
        r"\begin{bmatrix}",
        r"\end{bmatrix}",
        r"\ ",
    ),
    *(r"\text{is}", r"\text{", r"\softmax", r"\argmax", r"\input", r"\def", r"\href", r"\begin{aligned}", r"\end{aligned}", r"\over", "^^"),
    *(r"\begin{array}{c|c}", r"\end{array}", r"\hline", r"\substack{", r"\not", r"\limits", r"\nolimits", r"\text{a $", r"\mathop{x}"),
    *sorted({*SYMBOLS, *ARGUMENTS, *SIZES, *REPLACED, *NOTATION}),
]
formulas = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=8).map("".join) | st.text(max_size=12)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(formulas)
def test_any_text_is_shown(latex: str) -> None:
    _shown(latex)


@pytest.mark.parametrize("latex", ["x+" * 5000, "{" * 5000, "(" * 4000, r"\sum " * 700, r"\frac{" * 600, "x'" * 2000, "|" * 3999])
def test_a_long_formula_costs_little(latex: str) -> None:
    assert _shown(latex)[0] in ("math", "code")


@pytest.mark.parametrize(
    ("latex", "tex"),
    [
        (r"x_t \in \R^{d}", r"x_t \in \mathbb{R}^{d}"),
        ("θ_t", r"\theta_t"),
        (r"\set{1, \dots, V}", r"\left\{{1, \dots, V}\right\}"),
        (r"\drop{x}{p}", r"\operatorname{dropout}\left({x}, {p}\right)"),
        (r"\softmax(z)", r"\operatorname{softmax}(z)"),
        ("x'^2", "x'^2"),
        (r"\frac12", r"\frac{1}{2}"),
        ("x\\ ", "x~"),
        (r"\begin{cases} a & b \\ c & \text{otherwise} \end{cases}", r"\begin{cases} a & b \\ c & \text{otherwise} \end{cases}"),
    ],
)
def test_tex_of_a_formula(latex: str, tex: str) -> None:
    assert safe_tex(latex) == tex


@pytest.mark.parametrize(
    "latex",
    [
        *(
            "",
            "$",
            "{",
            "}",
            "x%",
            "#1",
            "a & b",
            r"a \\ b",
            "^^41",
            "x_",
            "x_a_b",
            "x^2'",
            "x'_a'",
            r"\frac{1}",
            r"\left( x",
            r"\middle|",
            "\\",
        ),
        *(
            r"\input{x}",
            r"\input x",
            r"\write18{ls}",
            r"\def\x{y}",
            r"\catcode 13",
            r"\csname x\endcsname",
            r"\begin{tabular} a \end{tabular}",
        ),
        *(
            r"\begin{cases} a & b & c \end{cases}",
            r"\begin{cases} a \end{matrix}",
            r"\begin{bmatrix} a \\ [b] \end{bmatrix}",
            r"\text{a_b}",
        ),
        *(
            r"\text{\input{x}}",
            r"\dEmb{x}",
            r"a \over b",
            r"x\limits_i",
            r"\sum\limits x",
            "é",
            "x\x00",
            r"\hat",
            "{" * 50 + "}" * 50,
            "x" * 5000,
            "\n\n",
        ),
    ],
)
def test_what_tex_would_stop_at_or_obey_is_refused(latex: str) -> None:
    assert safe_tex(latex) is None


def test_names_of_the_program_are_words_in_tex() -> None:
    assert safe_tex(r"\dEmb + 1") == r"\mathrm{dEmb} + 1"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX engine")
def test_tex_sets_every_formula_that_is_let_through(tmp_path: Path) -> None:
    texts = [*SYMBOLS, *REPLACED, *(name + "(" for name in SIZES), *(name + "{A}" * count for name, count in ARGUMENTS.items())]
    texts += [name + "{x}" * count for name, count in NOTATION.items()]
    texts += ["".join(TOKENS[(7 * n * n + k * (n + 3)) % len(TOKENS)] for k in range(n % 6 + 2)) for n in range(6000)]
    texts += [latex for latex, _, _ in KEPT] + [frame.replace("*", "x") for frame in FRAMES]
    kept = [tex for text in sorted(texts, key=str) if (tex := safe_tex(text)) is not None]
    assert len(kept) > 500
    head = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}"
    lines = [head, *(f"${tex}$" for tex in kept), r"\end{document}"]
    (tmp_path / "formulas.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "formulas.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert run.returncode == 0, run.stdout[-1500:]
    assert "Missing character" not in (tmp_path / "formulas.log").read_text(encoding="utf-8", errors="replace")
