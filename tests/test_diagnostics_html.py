"""Diagnostics drawn as HTML: places underlined, hostile text stays text, styles reach nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from mathdsl.diagnostics import Label, error, note, warning
from mathdsl.diagnostics.html import DARK_PAGES, draw_html
from mathdsl.spans import SourceFile, Span

FILE = SourceFile("Cell In[2]", "%%mathdsl\n\ty \\gets $W$ <b>x</b> \\\\\nz \\gets (e\n  + f) \\\\\n")


def at(text: str) -> Span:
    start = FILE.text.index(text)
    return Span(FILE.name, start, start + len(text))


class Page(HTMLParser):
    """The texts of a fragment by the class of the innermost element that has one, and all tags in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append((tag, (dict(attrs).get("class") or tag).removeprefix("mathdsl-")))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1][1] if self._open else "", data))

    def of(self, name: str) -> list[str]:
        return [text for kind, text in self.texts if kind == name]


def test_places_are_underlined_and_said() -> None:
    finding = error("E0401", "sizes of `x` differ", at("x"), label="a vector", labels=[Label(at("W"), "a matrix")], notes=["n"], help="do")
    page = Page(draw_html([finding], [FILE]))
    assert page.of("first") == ["x"]
    assert page.of("u") == ["W"]
    assert page.of("said") == ["a vector"]
    assert page.of("second") == ["a matrix"]
    assert "".join(page.of("place")) == "Cell In[2], line 2, column 17"
    assert "".join(text for kind, text in page.texts if kind in ("title", "code")) == "error[E0401]: sizes of x differ"
    assert page.of("b") == ["note", "help"]


def test_what_is_said_begins_below_its_place() -> None:
    lines = re.findall(r"<pre>(.*?)</pre>", draw_html([error("E0401", "m", at("x"), label="here")], [FILE]), re.DOTALL)[0].split("\n")
    source, said = (re.sub(r"<[^>]*>", "", line) for line in lines[:2])
    assert source.replace("&lt;b&gt;", "<b>").index("x") == said.index("here")


def test_notation_in_what_is_said_is_set_as_notation() -> None:
    page = Page(draw_html([error("E0401", "m", at("x"), label="`x` is <b>")], [FILE]))
    assert page.of("code") == ["error[E0401]"]  # no `code` below a source line: pages give it a background, which covers that line
    assert page.of("b") == ["x"]
    assert page.of("said") == [" is <b>"]


def test_overlapping_places_show_the_main_one_and_lose_no_character() -> None:
    whole = Label(at("$W$ <b>x</b>"), "all of it")
    page = Page(draw_html([error("E0401", "m", at("W"), labels=[whole])], [FILE]))
    assert page.of("first") == ["W"]
    assert page.of("u") == ["$", "$ <b>x</b>"]


def test_a_place_over_lines_and_one_behind_the_text() -> None:
    page = Page(draw_html([error("E0401", "m", at("(e\n  + f)"))], [FILE]))
    assert page.of("first") == ["(e", "+ f)"]
    end = Page(draw_html([error("E0107", "m", Span(FILE.name, len(FILE.text), len(FILE.text)))], [FILE]))
    assert end.of("first") == [" "]


def test_hostile_text_stays_text() -> None:
    hostile = "<script>alert(1)</script>\x1b[2J\u202e&amp;"
    file = SourceFile(f"{hostile}.tex", f"{hostile}\n")
    span = Span(file.name, 0, len(hostile))
    finding = error("E0401", hostile, span, label=hostile, labels=[Label(span, hostile)], notes=[hostile], help=f"`{hostile}`")
    html = draw_html([finding], [file])
    assert set(Page(html).tags) <= {"div", "style", "span", "pre", "u", "b", "code"}
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert draw_html([error("E0401", hostile, Span(hostile, 0, 1))], []).count("<script") == 0


def test_the_style_is_scoped_and_needs_no_network() -> None:
    html = draw_html([warning("W0301", "m", at("x")), note("N0101", "m", at("x"))], [FILE])
    style = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)[0]
    selectors = [selector.strip() for rule in re.findall(r"([^{}]+)\{", style) for selector in re.sub(r"\(.*?\)", "", rule).split(",")]
    assert selectors
    assert all(".mathdsl-findings" in selector for selector in selectors)
    assert all(page in style for page in DARK_PAGES)
    classes = [name for names in re.findall(r'class="([^"]*)"', html) for name in names.split()]
    assert all(name.startswith("mathdsl-") or name in ("tex2jax_ignore", "mathjax_ignore") for name in classes)  # no page knows them
    assert {name for name in re.findall(r"\.([a-z][\w-]*)", style) if name.startswith("mathdsl-")} >= set(classes) - {
        "tex2jax_ignore",
        "mathjax_ignore",
    }
    assert "http" not in html
    assert "url(" not in html
    assert "mathjax_ignore" in html.split(">", 1)[0]


def test_nothing_is_drawn_of_nothing() -> None:
    assert draw_html([], [FILE]) == ""
