"""The syntax stage as a whole: places, tables and their programs, bounds, speed, and input that means nothing."""

from __future__ import annotations

import gc
import re
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machine_speed import slowness

from mathdsl.diagnostics import Diagnostics
from mathdsl.render.mathml import write_row
from mathdsl.source.model import Chunk, MappedText, Run
from mathdsl.spans import Span
from mathdsl.syntax.display.build import display
from mathdsl.syntax.latex import render_document
from mathdsl.syntax.nodes import Bars, Binary, Definition, Document, Group, Juxtaposition, ListDisplay, Procedure, SetDisplay, Where
from mathdsl.syntax.pairs import CLOSER, PAIRS, Pair
from mathdsl.syntax.parsing import parse_document, parse_text
from mathdsl.syntax.printing import print_document
from mathdsl.vocabulary import VOCABULARY, of_kinds, read_vocabulary

MODULE = r"\Module{M}{x} \Return x \\ \EndModule"


def _chunk(text: str, kind: str = "program", *, directly_after: bool = False) -> Chunk:
    mapped = MappedText(text, (Run(0, Span("a.tex", 0, len(text)), True),))
    return Chunk("where" if kind == "where" else "program", mapped, directly_after)


def _parse(*chunks: Chunk) -> tuple[Document, list[str]]:
    found = Diagnostics()
    return parse_document(chunks, found), [diagnostic.code for diagnostic in found.items]


# ---- places ------------------------------------------------------------------------------------


def test_a_command_has_one_row_and_means_one_that_has_a_row() -> None:
    rows = read_vocabulary()
    assert len(rows) == len(VOCABULARY)
    assert {row.means for row in rows if row.means[1:].isalpha()} <= VOCABULARY.keys()


BRACKETS = [pair for pair in PAIRS if pair.kind == "bracket"]


def test_every_bracket_has_a_row() -> None:
    """Each bracket of the grammar is a pair, and each that the vocabulary opens or closes has the pair's terminal and sign."""
    grammar = "\n".join(path.read_text(encoding="utf-8") for path in sorted(Path("grammar").glob("*.lark")))
    named = set(re.findall(r"\b[A-Z]+\b", grammar))
    blocks = {"HEAD", "FOR", "WHILE", "REPEAT", "IF", "MODULE", "PROC", "PROCEDURE", "FUNCTION", "GROUP", "WHERE", "REQUIRE", "ENSURE"}
    sides = {name for name in named if f"R{name[1:]}" in named and name[0] == "L" and name[1:] not in blocks}
    environments = {name for name in named if f"END{name}" in named and name not in blocks}
    assert {(name, f"R{name[1:]}") for name in sides} | {(name, f"END{name}") for name in environments} == set(CLOSER.items())
    for row in of_kinds("open", "close"):
        if row.terminal:
            (pair,) = (pair for pair in PAIRS if row.terminal in (pair.opener, pair.closer))
            sign = pair.opening if row.terminal == pair.opener else pair.closing
            assert VOCABULARY[sign].shown == row.shown if sign in VOCABULARY else row.means == sign


@pytest.mark.parametrize("pair", BRACKETS, ids=lambda pair: pair.opener)
@pytest.mark.parametrize(("left", "right"), [("", ""), (r"\left", r"\right")])
def test_every_bracket_is_read_and_displayed(pair: Pair, left: str, right: str) -> None:
    inner = "x, y" if pair.opener in ("LSQB", "LANGLE") else "x"
    document, diagnostics = parse_text(rf"z \gets {left}{pair.opening} {inner} {right}{pair.closing} \\")
    assert not diagnostics.items
    (statement,) = document.items
    assert isinstance(statement, Definition)
    assert isinstance(statement.value, Bars if pair.bars else (Group, ListDisplay, SetDisplay))
    written = write_row(display(statement.value))
    signs = [VOCABULARY[sign].shown if sign in VOCABULARY else sign for sign in (pair.opening, pair.closing)]
    drawn = re.findall(r'<mo[^>]* stretchy="false"[^>]*>(.*?)</mo>', written)
    assert [drawn[0], drawn[-1]] == signs


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair.kind != "place"], ids=lambda pair: pair.opener)
def test_every_bracket_that_stays_open_is_told(pair: Pair) -> None:
    _, diagnostics = parse_text(rf"z \gets 2 ({pair.opening} x) \\")
    first = diagnostics.items[0]
    assert pair.closing in first.help


def test_every_node_knows_where_it_was_written() -> None:
    text = r"y \gets \tanh\left( W @ x \right) + \frac{a}{b_{i}} \\"
    document, _ = parse_text(text, "a.tex")
    (definition,) = document.items
    assert isinstance(definition, Definition)
    assert isinstance(definition.value, Binary)
    assert isinstance(definition.value.left, Juxtaposition)

    def written(node: object) -> str:
        span = node.span  # type: ignore[attr-defined]
        assert span.file == "a.tex"
        return text[span.start : span.end]

    assert written(definition.value) == r"\tanh\left( W @ x \right) + \frac{a}{b_{i}}"
    assert written(definition.value.left.factors[1]) == r"\left( W @ x \right)"
    assert written(definition.value.right) == r"\frac{a}{b_{i}}"


def test_what_a_macro_made_stands_at_the_call() -> None:
    call = Span("a.tex", 8, 12, Span("a.tex", 100, 120))
    runs = (Run(0, Span("a.tex", 0, 8), True), Run(8, call, False), Run(15, Span("a.tex", 12, 16), True))
    found = Diagnostics()
    document = parse_document([Chunk("program", MappedText(r"y \gets (a + b) * \\", runs))], found)
    assert document.items == ()
    ((code, span),) = [(diagnostic.code, diagnostic.span) for diagnostic in found.items]
    assert (code, span.start, span.end) == ("E0208", 13, 14)
    document = parse_document([Chunk("program", MappedText(r"y \gets (a + b) z \\", runs))], Diagnostics())
    (definition,) = document.items
    assert isinstance(definition, Definition)
    assert isinstance(definition.value, Juxtaposition)
    group = definition.value.factors[0]
    assert isinstance(group, Group)
    assert group.span == call
    assert group.items[0].span == call


# ---- tables and programs -----------------------------------------------------------------------


def test_a_table_directly_after_one_program_is_its_own() -> None:
    table = _chunk(r"x \in \mathbb{R} & an input \\", "where", directly_after=True)
    document, codes = _parse(_chunk(MODULE), table)
    (module,) = document.items
    assert codes == []
    assert isinstance(module, Procedure)
    assert [row.description for where in module.wheres for row in where.rows] == ["an input"]


@pytest.mark.parametrize(
    ("program", "directly_after"),
    [(MODULE, False), (MODULE + MODULE.replace("{M}", "{N}"), True), (MODULE + r" f(x) \gets x \\", True)],
)
def test_any_other_table_is_the_documents(program: str, directly_after: bool) -> None:
    document, codes = _parse(_chunk(program), _chunk(r"x \in \mathbb{R} \\", "where", directly_after=directly_after))
    assert codes == []
    assert isinstance(document.items[-1], Where)


def test_both_notations_stand_in_one_document() -> None:
    text = MODULE + r" \algoProc{\F}\pa{x} \algoReturn \msk \cdot \M(x) \\ \algoEndProc \Module{N}{x} \Return \F(x) + \M(x) \EndModule"
    document, found = parse_text(text)
    assert found.items == []
    assert [item.notation for item in document.items if isinstance(item, Procedure)] == ["module", "docstring", "module"]


def test_commands_of_the_algorithm_notations_are_names_only_there() -> None:
    _, found = parse_text(r"\algoProc{\F}(x) \algoReturn \msk \algoEndProc \Module{M}{x} \Return \msk \EndModule")
    assert [(diagnostic.code, diagnostic.span.start) for diagnostic in found.items] == [("E0201", 69)]


# ---- bounds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "y \\gets " + "(" * 10_000 + "x" + ")" * 10_000,
        "y \\gets " + "{" * 10_000 + "x" + "}" * 10_000,
        "y \\gets " + "x^{" * 10_000 + "x" + "}" * 10_000,
        "y \\gets " + r"\left|" * 10_000 + "x" + r"\right|" * 10_000,
        "y \\gets " + r"\sum_i " * 10_000 + "x",
        "y \\gets " + " + ".join(["x"] * 10_000),
        "y \\gets " + "x ** " * 10_000 + "x",
        "y \\gets " + r"\lnot " * 10_000 + "x",
        r"\algoProc{\F}(x) " + r"\algoFor{t \in X} " * 10_000 + r"\algoEndFor " * 10_000 + r"\algoEndProc",
        r"\begin{group}" * 10_000 + r"\end{group}" * 10_000,
    ],
    ids=range(10),
)
def test_what_is_too_deep_is_reported_once(text: str) -> None:
    document, found = parse_text(text)
    assert [diagnostic.code for diagnostic in found.items] == ["E0216"]
    assert print_document(document) is not None
    assert render_document(document) is not None


@pytest.mark.parametrize("operator", ["+", "-", r"\cdot", "*"])
def test_a_sum_may_be_longer_than_an_expression_is_deep(operator: str) -> None:
    document, found = parse_text("y \\gets " + f" {operator} ".join(["x"] * 1000))
    assert found.items == []
    assert render_document(document).count("x") == 1000
    _, found = parse_text("y \\gets " + f" {operator} ".join(["x"] * 5000))
    assert [(diagnostic.code, diagnostic.span.start) for diagnostic in found.items] == [("E0216", 8)]
    assert "1000 operators" in found.items[0].message


def test_a_thousand_statements_are_read_in_linear_time() -> None:
    line = r"a_{t} \gets \tanh(W_h @ h[t-1] + W_x @ x[t] + b) * c + \frac{d}{e} (f + g) - h \\" + "\n"
    parse_text(line)

    def seconds(count: int) -> float:
        start = time.process_time()
        document, found = parse_text(line * count)
        assert (len(document.items), found.items) == (count, [])
        return time.process_time() - start

    gc.disable()  # as the driver does: what the tests before left behind would be walked again and again
    try:
        small, large = (min(seconds(count) for _ in range(3)) for count in (250, 1000))
    finally:
        gc.enable()
    assert large / slowness() < 3.0
    assert large < 8 * small  # four times the text; quadratic would be sixteen times


@pytest.mark.parametrize(
    "piece",
    [
        *(r"\text{", r"\Comment{", "{", r"\begin{cases} a & ", r"\left(", "|", r"\algoFor{t} ", r"\\", r"a \gets "),
        *(
            r"\State $a \gets ",
            r"\textbf{",
            r"\State \Call{F ",
            r"\Require a ",
            r"\Procedure{F}{$x$} ",
            r"\If{$c$} \State $a$, ",
            r"\Repeat ",
        ),
        *(r"\begin{algorithmic}[", r"\State \begin{where} ", r"\For{$t=1$ \To "),
    ],
)
def test_many_mistakes_are_found_in_linear_time(piece: str) -> None:
    start = time.process_time()
    parse_text(piece * 3000)
    assert (time.process_time() - start) / slowness() < 3.0


# ---- input that means nothing ------------------------------------------------------------------

_PIECES_TEXT = (
    r"\Module{M}{x ; W} \EndModule \algoProc{\F}(x) \algoEndProc \algoFor{t} \algoEndFor \algoIf{c} \algoElse \algoEndIf \begin{cases} "
    r"\end{cases} \begin{where} \end{where} \begin{group} \end{group} \begin{bmatrix} \end{bmatrix} \left( \right) \left| \right. | || \| "
    r"[ ] ( ) { } \{ \} \pa{ \br{ & \\ _ ^ ' , ; : . = \gets \in \sim + - * / ** @ \cdot \sum_ \max \arg \sqrt[ \frac{a}{b} \hat \mathbf "
    r"\text{if} \text{otherwise} \text{and} \text{for} \text{is even} \mathrm{x} \Comment{c} \tag{1} \quad \forall \dots \Return x y t W "
    r"1 10 \cat{ \drop{x}{p} .\sz{1} \foo \mid \lnot \land # é "
    r"\Require \Ensure \Procedure{F}{$x$} \EndProcedure \Function \EndFunction \State \For{$t=1$ \To \For \EndFor \If \ElsIf \Else \EndIf "
    r"\While{$c$}[ \EndWhile \Repeat \Until \Call{F}{x} $ $$ \( \) \textbf{to} and do to the \begin{algorithmic}[1] \end{algorithmic}"
)
_PIECES = _PIECES_TEXT.split(" ")


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(_PIECES), max_size=30))
def test_any_input_ends_in_a_tree_or_in_diagnostics(pieces: list[str]) -> None:
    text = " ".join(pieces)
    document, found = parse_text(text)
    assert all(0 <= diagnostic.span.start <= diagnostic.span.end <= len(text) for diagnostic in found.items)
    if not found.items:
        again, mistakes = parse_text(render_document(document))
        assert mistakes.items == []
        assert again == document
