r"""Documents to chunks: what is program text, what macros and equal spellings become, and where every character was written."""

from __future__ import annotations

import ast
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machine_speed import own_garbage, slowness

from mathdsl.diagnostics import Diagnostics
from mathdsl.source import Chunk, read_chunks
from mathdsl.spans import SourceFile, Span


def read(text: str, name: str = "-") -> tuple[Chunk, ...]:
    """The chunks of a text without mistakes."""
    found = Diagnostics()
    chunks = read_chunks([SourceFile(name, text)], found)
    assert [d.message for d in found.items if d.severity == "error"] == []
    return chunks


def words(text: str, name: str = "-") -> list[str]:
    """The chunks' texts, runs of white space as one space."""
    return [" ".join(chunk.text.text.split()) for chunk in read(text, name)]


def origin(text: str, wanted: str, name: str = "-") -> Span:
    """Where the characters `wanted` of the first chunk were written."""
    mapped = read(text, name)[0].text
    start = mapped.text.index(wanted)
    return mapped.span(start, start + len(wanted))


# ---- containers ------------------------------------------------------------------------------

MODULE = r"\Module{F}{x ; W} \Return W x \\ \EndModule"
ALGORITHM = r"\begin{algorithmic}[1] \Procedure{F}{$x$} \Return $x$ \EndProcedure \end{algorithmic}"
FLOAT = rf"\begin{{algorithm}}[tb] \caption[short]{{A {{nice}} one}} \label{{alg:a}} {ALGORITHM} \centering \end{{algorithm}}"
PROCEDURE = r"\algoProc{\F}\pa{x} \\ \algoReturn x \\ \algoEndProc"


@pytest.mark.parametrize(
    ("name", "text", "programs"),
    [
        ("-", "f(x) \\gets x \\\\", ["f(x) \\gets x \\\\"]),
        ("m.tex", f"f(x) \\gets x \\\\ {MODULE}", [f"f(x) \\gets x \\\\ {MODULE}"]),
        ("m.tex", rf"\begin{{align*}} & {PROCEDURE} \end{{align*}}", [f"& {PROCEDURE}"]),
        ("m.tex", rf"prose \[ x = 1 \] \[ {MODULE} \] prose", [MODULE]),
        ("m.tex", rf"\begin{{equation}}\begin{{array}}[t]{{r@{{}}l}} {MODULE} \end{{array}}\end{{equation}}", [MODULE]),
        ("m.tex", rf"\[ {MODULE} \] {MODULE}", [f"{MODULE} {MODULE}"]),
        ("m.tex", rf"\begin{{mathdsl}} f(x) \gets x \end{{mathdsl}} \begin{{gather}} {MODULE} \end{{gather}}", [r"f(x) \gets x", MODULE]),
        ("m.tex", rf"\begin{{document}} $x$ \begin{{gather*}} {MODULE} \end{{gather*}} \verb|\Module| % \Module", [MODULE]),
        ("m.tex", rf"\begin{{verbatim}} {MODULE} \end{{verbatim}} \iffalse {MODULE} \fi \[ {MODULE} \]", [MODULE]),
        ("m.tex", rf"{MODULE} \begin{{where}} x & y \\ \end{{where}}", [rf"{MODULE} \begin{{where}} x & y \\ \end{{where}}"]),
        ("m.tex", rf"{ALGORITHM} prose", [r"\Procedure{F}{$x$} \Return $x$ \EndProcedure"]),
        ("m.tex", rf"\begin{{document}} {FLOAT} \end{{document}}", [r"\Procedure{F}{$x$} \Return $x$ \EndProcedure"]),
        ("m.tex", rf"{MODULE} {FLOAT}", [rf"{MODULE} \Procedure{{F}}{{$x$}} \Return $x$ \EndProcedure"]),
        ("-", FLOAT, [r"\Procedure{F}{$x$} \Return $x$ \EndProcedure"]),
        ("m.tex", rf"{FLOAT} \begin{{algorithmic}} \State $x$ \end{{algorithmic}}", [r"\Procedure{F}{$x$} \Return $x$ \EndProcedure"]),
        ("m.tex", r"\begin{mathdsl} \Procedure{F}{$x$} \EndProcedure \end{mathdsl}", [r"\Procedure{F}{$x$} \EndProcedure"]),
        ("m.md", f"```mathdsl\n{FLOAT}\n```\n", [r"\Procedure{F}{$x$} \Return $x$ \EndProcedure"]),
        ("m.md", f"# Title\n\n```mathdsl\n{MODULE}\n```\n\n```tex\n{MODULE}\n```\n\n~~~ {{mathdsl}}\nf\n~~~\n", [MODULE, "f"]),
        ("m.rst", f".. mathdsl::\n   :name: f\n\n   {MODULE}\n\nProse.\n\n.. math::\n\n   x = 1\n", [MODULE]),
        ("m.rst", f".. math:: {PROCEDURE}\n\nProse.\n", [PROCEDURE]),
        ("m.py", f'class F:\n    r"""F.\n\n    .. math::\n\n        {PROCEDURE}\n\n    Prose.\n    """\n', [PROCEDURE]),
        ("m.py", f"x = r'''.. math:: {PROCEDURE}'''\ndef f():\n    r'''.. math:: {PROCEDURE}'''\n", [PROCEDURE]),
    ],
)
def test_containers(name: str, text: str, programs: list[str]) -> None:
    assert words(text, name) == programs


def test_where_tables_on_their_own_say_what_they_follow() -> None:
    text = rf"\[ {MODULE} \] % end" + "\n" + r"\begin{where} a & b \end{where} Prose. \begin{where} c & d \end{where}"
    assert [(chunk.kind, chunk.text.text.strip(), chunk.directly_after) for chunk in read(text, "m.tex")][1:] == [
        ("where", "a & b", True),
        ("where", "c & d", False),
    ]


def test_files_named_together_share_their_macros() -> None:
    found = Diagnostics()
    files = [SourceFile("m.tex", r"h \gets \W \\"), SourceFile("macros.tex", r"\newcommand{\W}{W_h} \begin{where} a & b \end{where}")]
    first, second = read_chunks(files, found)
    assert (first.text.text, second.kind, found.items) == (r"h \gets W_h \\", "where", [])


# ---- macros ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definitions", "written", "expanded"),
    [
        (r"\newcommand{\W}{W_h}", r"\W x", r"W_h x"),
        (r"\newcommand\sq[1]{#1^2}", r"\sq{a+b} \sq c", r"a+b^2 c^2"),
        (r"\newcommand{\lin}[2][W]{#1 #2}", r"\lin{x} \lin[V]{y}", r"W x V y"),
        (r"\def\at(#1,#2){#1[#2]}", r"\at(h,{t,i}) k", r"h[{t,i}] k"),
        (r"\DeclareMathOperator*{\am}{arg\,max}", r"\am_i x", r"\operatorname*{argmax}_i x"),
        (r"\DeclarePairedDelimiter{\norm}{\lVert}{\rVert}", r"\norm*{x}", r"\lVert x\rVert"),
        (r"\NewDocumentCommand{\q}{O{z}m}{#1#2}", r"\q{x}\q[a]{b}", r"zxab"),
        (r"\let\oldvec\vec \renewcommand{\vec}[1]{\mathbf{\oldvec{#1}}}", r"\vec{x}", r"\mathbf{\vec{x}}"),
        (r"\providecommand{\W}{W_h} \providecommand{\W}{W_x}", r"\W", r"W_h"),
        (r"\newcommand{\a}{\alpha}", r"\a x", r"\alpha x"),
        (r"\newcommand{\bx}{\mathbf{x}}", r"h_\bx \hat\bx \frac\bx\bx", r"h_{\mathbf{x}} \hat{\mathbf{x}} \frac{\mathbf{x}}{\mathbf{x}}"),
        (r"\def\f{\g} \def\g#1{(#1)}", r"\f{x}", r"(x)"),
        (r"\newcommand{\R}{\ensuremath{\mathbb{R}}\xspace}", r"\R^d", r"\mathbb{R}^d"),
        (r"\newcommand{\pa}[1]{[#1]}", r"\pa{x}", r"\pa{x}"),
        (r"\newcommand{\W}{W_h}", r"\Comment{of \W} \text{\W}", r"\Comment{of \W} \text{W_h}"),
        (r"% \newcommand{\W}{W_h}" + "\n", r"\W % \W", r"\W"),
    ],
)
def test_macros(definitions: str, written: str, expanded: str) -> None:
    assert words(definitions + " " + written) == [expanded]


def test_a_definition_holds_from_its_place_on() -> None:
    assert words(r"\newcommand{\W}{U} \W \renewcommand{\W}{V} \W") == ["U V"]
    assert words(r"\W \newcommand{\W}{U}") == ["U"]


def test_made_text_stands_for_the_call_and_arguments_for_themselves() -> None:
    text = r"\newcommand{\lin}[1]{W #1 + b} h \gets \lin{x} \\"
    call, definition = text.index(r"\lin{x}"), Span("-", 0, text.index(" h "))
    assert origin(text, "W") == Span("-", call, call + len(r"\lin{x}"), definition)
    assert origin(text, "x") == Span("-", call + 5, call + 6)
    assert origin(text, r"\gets") == Span("-", call - 6, call - 1)


def test_nested_calls_keep_every_definition() -> None:
    text = r"\newcommand{\a}{x}\newcommand{\b}{\a y}\b"
    span = origin(text, "x")
    assert (text[span.start : span.end], span.definition) == (r"\b", Span("-", 18, 39, Span("-", 0, 18)))


# ---- characters ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("θx ← σ(W·hₜ₋₁) − b₀", r"\theta x \gets \sigma(W\cdot h_{t-1}) - b_{0}"),
        ("x ∈ ℝᵈ ≤ ∞", r"x \in \mathbb{R}^{d} \leq \infty"),
        ("Aᵀ A^⊤ x² x′", r"A^{\top} A^\top x^{2} x'"),
        ("ŷ ȳ x̂ θ̃ x̂_t", r"\hat{y} \bar{y} \hat{x} \tilde{\theta} \hat{x}_t"),
        ("√2 √x √{d_k}", r"\sqrt{2} \sqrt{x} \sqrt{d_k}"),
        ("a\N{NO-BREAK SPACE}b", "a b"),
        ("\\Comment{日本 é} \\text{für}", "\\Comment{日本 é} \\text{für}"),
        (
            "\\begin{where} x ∈ ℝ & größe é \\\\ θ & ü \\end{where}",
            "\\begin{where} x \\in \\mathbb{R} & größe é \\\\ \\theta & ü \\end{where}",
        ),
    ],
)
def test_equal_spellings(written: str, expanded: str) -> None:
    assert words(written) == [expanded]


# ---- docstrings ------------------------------------------------------------------------------

LITERALS = [
    'r"""é .. math::"""',
    '"""a\\\\b \\x41\\u00e9\\N{GREEK SMALL LETTER ALPHA}\\101 \\q"""',
    "'a' r'\\b' \"c\"",
    "'''a\\\nb\n'''",
]


@pytest.mark.parametrize("literal", LITERALS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_docstrings_have_pythons_value_and_exact_places(literal: str) -> None:
    from mathdsl.source.python_files import find_docstrings

    file = SourceFile("m.py", f"class Ä:\n    é = 1\n    def f():\n        {literal}\n")
    [(_, mapped)] = find_docstrings(file, Diagnostics())
    assert mapped.text == ast.literal_eval(literal)
    for offset, character in enumerate(mapped.text):
        span = mapped.span(offset, offset + 1)
        written = file.text[span.start : span.end]
        assert character == written or (written.startswith("\\") and ast.literal_eval(f"'{written}'") == character)


# ---- laws ------------------------------------------------------------------------------------

PIECES = [
    *"{}[]()%&_^#$\\ \n\txé√θ\u200b",
    *(r"\newcommand{\a}", r"\def\b", r"\let\c=", r"\a", r"\b", r"\c", "#1", "[1]", "{x}", r"\begin{align}", r"\end{align}", r"\[", r"\]"),
    *(
        r"\begin{where}",
        r"\end{where}",
        r"\Module",
        r"\algoProc",
        r"\begin{document}",
        r"\Comment{",
        r"\text{",
        r"\verb|",
        r"\iffalse",
        "\\\\",
    ),
    *(
        "```mathdsl\n",
        "```\n",
        ".. math::\n",
        ".. mathdsl:: ",
        '"""',
        "'",
        "def f():\n ",
        r"\frac",
        "x\u0302",
        "ₜ₋₁",
        r"\DeclareMathOperator",
    ),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["-", "m.tex", "m.md", "m.rst", "m.py"]))
def test_any_text_ends_in_chunks_or_diagnostics_with_true_places(pieces: list[str], name: str) -> None:
    text = "".join(pieces)
    found = Diagnostics()
    chunks = read_chunks([SourceFile(name, text)], found)
    assert found.items or any(chunk.kind == "program" for chunk in chunks)
    for span in [d.span for d in found.items] + [label.span for d in found.items for label in d.labels]:
        assert 0 <= span.start <= span.end <= len(text)
    for chunk in chunks:
        starts = [run.start for run in chunk.text.runs]
        assert starts == sorted(set(starts))
        for run, end in zip(chunk.text.runs, [*starts[1:], len(chunk.text.text)]):
            assert 0 <= run.origin.start <= run.origin.end <= len(text)
            if run.verbatim:
                made, written = chunk.text.text[run.start : end], text[run.origin.start : run.origin.end]
                assert len(made) == len(written)
                assert all(m in (w, " ") for m, w in zip(made, written))  # comments and tags are blank


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\a}[1]{#1}" + r"\a{" * 3000 + "x" + "}" * 3000,
        r"\newcommand{\a}{" * 30_000,
        "{" * 300_000,
        r"\begin{align}\Module" * 20_000,
        r"\begin{align}" * 20_000 + r"\end{gather}" * 20_000,
        r"\newcommand{\a}[1]{#1#1#1}" + r"\a{" * 40 + "x" * 100 + "}" * 40,
        "х" * 300_000,
    ],
    ids=["nested arguments", "open definitions", "open braces", "open displays", "crossed displays", "growing arguments", "look-alikes"],
)
def test_hostile_text_ends_soon(text: str) -> None:
    start = time.process_time()
    read_chunks([SourceFile("m.tex", text)], Diagnostics())
    assert (time.process_time() - start) / slowness() < 10


def test_ten_thousand_statements_are_read_in_two_seconds() -> None:
    statement = r"h_t \gets \tanh(\W @ h[t-1] + W_x @ x[t] + b) * \frac{a}{b} + σ(x_{t}^2) \Comment{a note} \\" + "\n"
    with own_garbage():
        start = time.process_time()
        read(r"\newcommand{\W}{W_h}" + "\n" + statement * 10_000)
        assert (time.process_time() - start) / slowness() < 2
