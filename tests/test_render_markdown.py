"""Markdown: what a reader of it sees is the text, and formulas are spelled so that Markdown does not touch them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_cases import Case, check_golden, load_cases
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rendering import EXAMPLES, compiled
from test_render_tex import HOSTILE, _everywhere

from mathdsl.render.document.model import Code, Heading, ItemList, Link, Math, Paragraph, Styled, Text, Typeset
from mathdsl.render.typeset import typeset
from mathdsl.render.write.latex.blocks import write_latex
from mathdsl.render.write.markdown.document import write_markdown
from mathdsl.render.write.markdown.formulas import mathjax

READER = MarkdownIt("gfm-like", {"linkify": False})


def _tokens(markdown: str) -> list[Token]:
    return [inner for token in READER.parse(markdown) for inner in (token, *(token.children or ()))]


def _shown(markdown: str) -> str:
    return "".join(token.content for token in _tokens(markdown) if token.type in ("text", "code_inline", "text_special"))


hostile = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"))) | st.text(st.sampled_from("\\`*_{}[]<>#|~$&+-=1.)!@:/ w"))


@given(hostile)
@settings(max_examples=300)
def test_text_is_text(text: str) -> None:
    folded = " ".join(text.split())
    tokens = _tokens(write_markdown(Typeset((), (), (Paragraph((Text(text),)),))))
    assert {token.type for token in tokens} <= {"paragraph_open", "paragraph_close", "inline", "text", "text_special"}
    assert "".join(token.content for token in tokens if token.type.startswith("text")) == folded


@given(hostile.filter(str.strip))
def test_code_is_code(text: str) -> None:
    tokens = _tokens(write_markdown(Typeset((), (), (Paragraph((Text("a "), Code(text), Text(" b"))),))))
    [code] = [token.content for token in tokens if token.type == "code_inline"]
    assert code.strip() == " ".join(text.split())


@pytest.mark.parametrize("style", ["emphasis", "strong"])
@pytest.mark.parametrize("words", ["word", " spaced ", "(in brackets)", "a*b"])
def test_styles_hold_around_anything(style: str, words: str) -> None:
    shown = READER.render(write_markdown(Typeset((), (), (Paragraph((Text("x"), Styled(style, (Text(words),)), Text("y"))),))))
    tag = {"emphasis": "em", "strong": "strong"}[style]
    assert f"<{tag}>{words.strip()}</{tag}>" in shown


@pytest.mark.parametrize(
    ("latex", "spelled"),
    [
        (r"\{1, \dots, n\}", r"\lbrace 1, \dots, n\rbrace"),
        (r"a < b \| c * d", r"a \lt b \Vert c \ast d"),
        (r"\begin{cases} a \\b & c \end{cases}", r"\begin{cases} a \cr b & c \end{cases}"),
        (r"\operatorname*{argmax}_i x\,y", r"\mathop{\mathrm{argmax}}_i x\thinspace y"),
    ],
)
def test_formulas_are_left_alone_by_markdown(latex: str, spelled: str) -> None:
    assert mathjax(latex) == spelled
    assert _shown(f"${spelled}$").replace("\n", "") == f"${spelled}$"


def test_a_formula_that_is_none_is_code() -> None:
    assert write_markdown(Typeset((), (), (Paragraph((Math(r"\href{javascript:x}{`y`}"),)),))) == "``\\href{javascript:x}{`y`}``\n"


def test_a_heading_is_a_line() -> None:
    assert write_markdown(Typeset((), (), (Heading(1, (Text("a\n# b"),)),))) == "## a \\# b\n"


def test_lists_that_follow_each_other_stay_two() -> None:
    mark, item = (Math(r"\star"),), (Paragraph((Text("word"),)),)
    markdown = write_markdown(Typeset((), (), (ItemList("bullets", (((), item), (mark, item))), ItemList("terms", ((mark, item),)))))
    assert [token.type for token in READER.parse(markdown)].count("bullet_list_open") == 2
    assert r"- $\star$ word" in markdown


@pytest.mark.parametrize("case", load_cases("render/markdown"), ids=str)
def test_document(case: Case, request: pytest.FixtureRequest) -> None:
    markdown = write_markdown(typeset(compiled(case.input)))
    check_golden(case, markdown.partition("## Generated code")[0], request)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_tables_formulas_and_code(path: Path) -> None:
    document = compiled(path.read_text(encoding="utf-8"), path.name)
    markdown = write_markdown(typeset(document))
    tokens = READER.parse(markdown)
    assert [token.content for token in tokens if token.type == "fence"] == [document.source]
    prose = markdown.partition("## Generated code")[0]
    assert sum(token.type == "table_open" for token in tokens) >= 3
    assert prose.count("$") % 2 == 0
    assert not re.search(r"\\(?:operatorname|mdsl|[{},;!|\\])", prose)


def test_hostile_text_stays_text() -> None:
    markdown = write_markdown(_everywhere(HOSTILE + " <script>x</script> [a](javascript:b) ![c](d)"))
    rendered = READER.render(markdown)
    assert "<script" not in rendered
    assert "<img" not in rendered
    assert 'href="javascript' not in rendered
    assert "&lt;script&gt;" in rendered


def test_an_address_with_half_a_character_is_an_address() -> None:
    address = "https://a.b/\ud800c"
    assert write_markdown(Typeset((), (), (Paragraph((Link(address, (Text("x"),)),)),))) == "[x](<https://a.b/%ED%A0%80c>)\n"
    assert r"\href{https://a.b/" in write_latex(Typeset((), (), (Paragraph((Link(address, (Text("x"),)),)),)))
