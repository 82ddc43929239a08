"""Reads a page strictly: every element closed where it has to be, every attribute said once; and looks into its styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class Element:
    """An element, its attributes and the text below it."""

    tag: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    text: str = ""


@dataclass
class ReadPage(HTMLParser):
    """The elements of a page in order; an AssertionError where it is not well formed."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> says an attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(parent.tag for parent in self.open))
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert any(parent.tag == "math" for parent in self.open), f"<{tag}/> closes itself, which only MathML may"
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def all(self, tag: str, name: str = "") -> list[Element]:
        """The elements of that tag, and of that class where one is named."""
        return [one for one in self.elements if one.tag == tag and (not name or name in one.attributes.get("class", "").split())]

    def by_id(self) -> dict[str, Element]:
        """The elements that have an identifier; an AssertionError where two share one."""
        named = [one for one in self.elements if "id" in one.attributes]
        found = {one.attributes["id"]: one for one in named}
        assert len(found) == len(named), "two elements share an identifier"
        return found

    def inner_links(self) -> list[str]:
        """What links inside of the page point at."""
        return [one.attributes["href"][1:] for one in self.all("a") if one.attributes.get("href", "").startswith("#")]


def read_page(text: str) -> ReadPage:
    """The page, read to its end."""
    page = ReadPage()
    page.feed(text)
    page.close()
    assert not page.open, f"<{page.open[-1].tag}> is never closed"
    return page


def selectors(sheet: str) -> Iterator[str]:
    """Every selector of a style sheet, those inside of media rules too."""
    for rule in re.findall(r"([^{}]+)\{", sheet):
        for selector in re.split(r",(?![^(]*\))", rule):
            if not selector.strip().startswith("@"):
                yield selector.strip()
