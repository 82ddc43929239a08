"""The page: well formed, of one file, safe with hostile text, and every equation beside its generated lines."""

from __future__ import annotations

import re
from functools import cache

import pytest
from examples_loader import EXAMPLES, SPECS
from html_reading import ReadPage, read_page, selectors

import mathdsl
from mathdsl.backends.line_map import CodeLines, Comment
from mathdsl.elaborate.rows import SymbolRow
from mathdsl.render.document.model import (
    Assignment,
    Block,
    Clause,
    Code,
    DisplayMath,
    Float,
    Formula,
    Grid,
    Heading,
    ItemList,
    Line,
    LineBreak,
    Link,
    Listing,
    Math,
    Notation,
    Paragraph,
    Quote,
    Range,
    Reference,
    Styled,
    SymbolTable,
    TableRow,
    Text,
    Typeset,
    Verbatim,
    Word,
)
from mathdsl.render.document.numbering import number_blocks
from mathdsl.render.write.html.page import html_fragment, style_sheet, write_html
from mathdsl.spans import NOWHERE
from mathdsl.syntax.nodes import Declaration, Identifier, Number

HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(1)>"'&amp;</style></title></code>{{ 7 * 7 }}\0\ud800"""
SHOWN = HOSTILE.translate({0: "\N{REPLACEMENT CHARACTER}", 0xD800: "\N{REPLACEMENT CHARACTER}"})
NO_LOADS = {"script", "link", "img", "iframe", "object", "embed", "audio", "video", "source", "base", "form", "svg"}
SOURCE = """import torch


def plain():
    return 0


class Layer:
    # y \\gets x
    y = x

    text = '</script></style><!--'
"""
x, y = Identifier("x"), Identifier("y")


def listing(**changes: object) -> Listing:
    """A module of one equation, labelled `eq:y`, which lines 9 and 10 of `SOURCE` quote and compute."""
    line = Line(Assignment(y, x), 0, 1, label="eq:y", code=(CodeLines(9, 10, 10, Comment("y \\gets x", NOWHERE)),))
    fields: dict[str, object] = {
        "name": "Layer",
        "notation": "module",
        "inputs": (x,),
        "owned": (),
        "lines": (line,),
        "class_lines": (8, 12),
    }
    return Listing(**(fields | changes))  # type: ignore[arg-type]


def document(*blocks: Block, source: str = "") -> Typeset:
    return Typeset((Text("A title"),), (), blocks, source)


@cache
def example(spec: str) -> str:
    return mathdsl.compile(EXAMPLES / f"{spec}.tex").render("html").decode()


@cache
def example_page(spec: str) -> ReadPage:
    return read_page(example(spec))


def check_links(page: ReadPage) -> None:
    missing = set(page.inner_links()) - set(page.by_id())
    assert not missing, f"nothing has the identifiers {sorted(missing)}"


# ---- all pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_is_one_small_file(spec: str) -> None:
    text, page = example(spec), example_page(spec)
    assert len(text.encode()) < 150_000
    tags = {element.tag for element in page.elements}
    assert not tags & NO_LOADS
    assert not re.search(r"url\(|@import|@font-face", text)
    addresses = [
        value for element in page.elements for name, value in element.attributes.items() if value.startswith(("http:", "https:", "//"))
    ]
    assert not addresses
    assert "default-src 'none'" in page.all("meta")[1].attributes["content"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_has_what_a_reader_needs(spec: str) -> None:
    page = example_page(spec)
    check_links(page)
    assert page.all("html")[0].attributes["lang"]
    assert {"header", "main", "footer", "h1"} <= {element.tag for element in page.elements}
    captions = [caption.text for caption in page.all("caption")]
    assert {"Parameters", "Values"} <= set(captions)
    assert all(head.attributes.get("scope") in ("col", "row") for head in page.all("th"))
    assert len(page.all("math")) > 100
    assert all(not element.text.startswith("\\") for element in page.all("code") if "th" in element.parents), "a symbol that was not read"


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_shows_the_whole_generated_text_by_the_lines_of_the_file(spec: str) -> None:
    source = mathdsl.compile(EXAMPLES / f"{spec}.tex").source.split("\n")
    seen: set[int] = set()
    for pane in example_page(spec).all("pre", "run"):
        first = int(pane.attributes["style"].removeprefix("counter-reset:n ")) + 1
        shown = pane.text.removesuffix("\n").split("\n")
        assert shown == source[first - 1 : first - 1 + len(shown)]
        seen |= set(range(first, first + len(shown)))
    assert all(number in seen for number, line in enumerate(source, start=1) if line)


@pytest.mark.parametrize("spec", SPECS)
def test_equations_and_lines_point_at_each_other(spec: str) -> None:
    page = example_page(spec)
    named = page.by_id()
    links = [element for element in page.all("a") if "li" in element.parents and "figure" in element.parents]
    assert len(links) > 5
    for link in links:
        assert named[link.attributes["href"][1:]].attributes["class"] == "q"
    back = [element for element in page.all("a") if "pre" in element.parents]
    assert back
    assert {named[link.attributes["href"][1:]].tag for link in back} == {"li"}


def test_the_same_document_gives_the_same_page() -> None:
    assert mathdsl.compile(EXAMPLES / "rhn.tex").render("html").decode() == example("rhn")


# ---- hostile text ----------------------------------------------------------------------------------


def hostile_document() -> Typeset:
    """Hostile text wherever a document has text of its author."""
    bad = (Text(HOSTILE), Code(HOSTILE), Math(HOSTILE), Styled("small-caps", (Text(HOSTILE),)), Styled("footnote", (Text(HOSTILE),)))
    links = (
        Link("javascript:alert(1)", (Text("plain"),)),
        Link(f"https://example.org/{HOSTILE}", bad),
        Link(f"#{HOSTILE}", bad),
        Reference("ref", (HOSTILE, "nothing")),
        Reference("cite", (HOSTILE,)),
        LineBreak(),
    )
    name = Identifier(HOSTILE, "text")
    row = SymbolRow(HOSTILE, HOSTILE, HOSTILE, "input", HOSTILE, HOSTILE, HOSTILE, HOSTILE)
    declaration = Declaration((name,), type=name, default=name, initialiser=name)
    table = SymbolTable("Values", (TableRow(row, Formula(Identifier(HOSTILE, "mathrm")), bad, bad, declaration),))
    lines = (
        Line(Assignment(name, name, (Range(x, (Number(HOSTILE),)), Formula(name))), 1, None, HOSTILE, HOSTILE, bad),
        Line(Clause((Word(HOSTILE), Formula(name))), 0, 1),
    )
    program = Listing(HOSTILE, "algorithmic", (name,), (name,), lines, (table,), bad, HOSTILE)
    return Typeset(
        bad,
        bad,
        (
            Heading(1, (*bad, *links), HOSTILE),
            Heading(1, bad),
            Heading(1, bad),
            Paragraph((*bad, *links)),
            ItemList("terms", ((bad, (Paragraph(bad),)),)),
            Quote((Paragraph(bad),), HOSTILE, HOSTILE),
            Float("figure", bad, (Paragraph(bad),), HOSTILE),
            ItemList("bullets", ((bad, (Paragraph(bad),)),)),
            Verbatim(HOSTILE, HOSTILE),
            DisplayMath(HOSTILE, HOSTILE, None, HOSTILE),
            Grid((bad,), ((bad,),)),
            program,
            Notation(((declaration, bad),)),
        ),
        f"text = {HOSTILE!r}\n# {HOSTILE}\n",
    )


@pytest.mark.parametrize("as_page", [True, False])
def test_hostile_text_stays_text(as_page: bool) -> None:
    hostile = hostile_document()
    text = write_html(hostile) if as_page else html_fragment(hostile.blocks, scope="m1", source=hostile.source)
    text.encode()
    page = read_page(text)
    assert not {element.tag for element in page.elements} & NO_LOADS
    assert not [name for element in page.elements for name in element.attributes if name.startswith("on")]
    check_links(page)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in page.by_id()), "an identifier that is not ours"
    assert not re.search(r"alert|49", "".join(page.by_id()))
    assert {link.attributes["href"][:8] for link in page.all("a") if not link.attributes["href"].startswith("#")} == {"https://"}
    for tag in ("p", "li", "td", "pre", "figcaption", "blockquote", "dt", "h2"):
        assert any(SHOWN in element.text for element in page.all(tag)), f"no <{tag}> shows the text as it stands"


def test_the_order_of_characters_cannot_be_turned_round() -> None:
    turned = "abc\u202edef\u2066"
    text = write_html(Typeset((Text(turned),), (), (Paragraph((Text(turned), Code(turned))),), f"# {turned}\n"))
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
    assert text.count("abc[U+202E]def[U+2066]") == 5  # the title of the page and of the text, a paragraph, code of prose, the code


def test_code_that_looks_like_markup_stays_code() -> None:
    page = read_page(write_html(document(listing(), source=SOURCE)))
    assert any("'</script></style><!--'" in pane.text for pane in page.all("pre"))


# ---- numbers and links -----------------------------------------------------------------------------


def test_references_become_the_numbers_of_what_they_name() -> None:
    sections = (
        Heading(1, (Text("One"),), "sec:one"),
        Heading(2, (Text("Below"),), "sec:below"),
        Heading(1, (Text("Two"),), is_numbered=False),
    )
    figure = Float("figure", (Text("All"),), (Paragraph((Text("drawn"),)),), "fig")
    theorem = Quote((Paragraph((Text("So it is."),)),), "Theorem", "Euler", "thm", "theorem", 1)
    labels = ("sec:one", "sec:below", "eq:y", "alg", "fig", "thm", "unknown")
    references = Paragraph(tuple(Reference("eqref" if label == "eq:y" else "ref", (label,)) for label in labels))
    algorithm = listing(notation="algorithmic", caption=(Text("An algorithm"),), label="alg", lines=())
    page = read_page(write_html(document(*number_blocks((references, *sections, listing(), algorithm, figure, theorem)))))
    check_links(page)
    assert page.all("p")[0].text == "11.1(1)111.1unknown"
    named = page.by_id()
    targets = [named[target] for target in page.inner_links()[1:7]]
    assert [target.tag for target in targets] == ["h2", "h3", "li", "figure", "figure", "blockquote"]
    assert [heading.text for heading in page.all("h2")] == ["1 One", "Two"]
    assert [caption.text for caption in page.all("figcaption")] == ["Algorithm 1 An algorithm", "Figure 1: All"]
    assert page.all("p", "title")[0].text == "Theorem 1.1 (Euler)"


def test_numbers_of_prose_are_shown_and_referred_to() -> None:
    references = Paragraph((Reference("eqref", ("eq:a",)), Reference("ref", ("eq:b",))))
    page = read_page(
        write_html(document(DisplayMath("a = b", "eq:a", 4), DisplayMath("c", "eq:b", None, "T"), DisplayMath("d"), references))
    )
    check_links(page)
    assert page.all("p")[0].text == "(4)T"
    assert [number.text for number in page.all("span", "no")] == ["4", "T"]


def test_punctuation_stays_with_its_formula() -> None:
    page = read_page(write_html(document(Paragraph((Text("see ("), Math("x"), Text(")("), Math("y"), Text("), or "), Math("z"))))))
    assert page.all("p")[0].text == "see (x)(y), or z"
    assert [tied.text for tied in page.all("span", "tied")] == ["(x)", "(y),"]


def test_a_footnote_stands_once_at_the_end() -> None:
    note = Styled("footnote", (Text("a remark"),))
    headings = [Heading(1, (Text(word), note)) for word in ("One", "Two", "Three")]
    page = read_page(write_html(document(*number_blocks(headings))))
    check_links(page)
    assert [item.text for item in page.all("li") if "section" in item.parents] == ["a remark ↩"] * 3
    assert [item.text for item in page.all("li") if "nav" in item.parents] == ["1 One", "2 Two", "3 Three"]


def test_code_stands_beside_its_program_and_the_rest_at_the_end() -> None:
    page = read_page(write_html(document(Heading(1, (Text("One"),)), listing(), Paragraph((Text("after"),)), source=SOURCE)))
    beside, *rest = page.all("pre", "run")
    assert beside.text.startswith("class Layer:")
    assert [pane.text.split("\n")[0] for pane in rest] == ["import torch"]
    statement = page.by_id()["c10"]
    assert statement.text == "    # y \\gets x\n    y = x\n"
    assert ":has(#b2-1:hover) #c10" in write_html(document(Heading(1, ()), listing(), source=SOURCE))


def test_a_long_docstring_is_folded_and_lines_keep_their_numbers() -> None:
    docstring = '''    r"""Layer.\n\n    # y \\gets x\n    """\n'''
    source = SOURCE.replace("class Layer:\n", f"class Layer:\n{docstring}")
    line = Line(Assignment(y, x), 0, 1, label="eq:y", code=(CodeLines(13, 14, 14, Comment("y \\gets x", NOWHERE)),))
    page = read_page(write_html(document(listing(lines=(line,), class_lines=(8, 16)), source=source)))
    check_links(page)
    head, folded, body, *_ = page.all("pre", "run")
    assert head.text == "class Layer:\n"
    assert folded.text == docstring
    assert [pane.attributes["style"] for pane in (head, folded, body)] == ["counter-reset:n 7", "counter-reset:n 8", "counter-reset:n 12"]
    assert ["details" in pane.parents for pane in (head, folded, body)] == [False, True, False]
    assert page.by_id()["c14"].text == "    # y \\gets x\n    y = x\n"


def test_a_document_without_code_has_no_column_for_it() -> None:
    page = read_page(write_html(document(listing())))
    assert not page.all("pre") + page.all("details") + page.all("aside") + page.all("div", "src")
    assert not [link for link in page.all("a") if "li" in link.parents]


def test_lines_that_two_programs_share_are_shown_once() -> None:
    page = read_page(write_html(document(listing(), listing(name="Again"), source=SOURCE)))
    check_links(page)
    assert sum(pane.text.count("class Layer") for pane in page.all("pre")) == 1


# ---- fragments -------------------------------------------------------------------------------------


def test_a_fragment_touches_nothing_outside() -> None:
    text = html_fragment((listing(),), scope="mathdsl-7", source=SOURCE)
    page = read_page(text)
    check_links(page)
    assert all(name.startswith("mathdsl-7-") for name in page.by_id())
    sheet = page.all("style")[0].text
    assert all(selector.startswith((".mathdsl-7.mathdsl-7", ".mathdsl-7:has(")) for selector in selectors(sheet))
    assert not {element.tag for element in page.elements} & {"html", "body", "main", "h1"}


@pytest.mark.parametrize("scope", ["", "7", "a b", "a{}", "a</style>", "é"])
def test_a_scope_is_the_name_of_a_class(scope: str) -> None:
    with pytest.raises(ValueError, match="the scope of a fragment"):
        html_fragment((), scope=scope)


# ---- colours ---------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2)."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_are_told_apart(scheme: int) -> None:
    """WCAG AA: at least 4.5 between text and every ground that it stands on."""
    rules = re.findall(r"\.mathdsl\{([^}]*--paper[^}]*)\}", style_sheet("page"))
    colours = dict(re.findall(r"--([a-z]+): ?(#[0-9a-f]{6})", rules[scheme]))
    for text, grounds in {
        **dict.fromkeys(("ink", "muted", "link"), ("paper", "panel", "mark")),
        **dict.fromkeys("kfsnc", ("panel", "mark")),
        "faint": ("panel",),
    }.items():
        for ground in grounds:
            assert contrast(colours[text], colours[ground]) >= 4.5, f"{text} on {ground}"
