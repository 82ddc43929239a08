"""The pages of the reference: Markdown, found by name, by the words that people use, and by text.

A section names its words in a comment below its title, `<!-- words: mask, padding -->`; a row of a table is found by the names in its
first cell: `tanh` finds the row that begins with `\\tanh(x)`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.explain import explain
from mathdsl.diagnostics.readings.page import read_page

ORDER = (
    *("start", "notations", "names", "declarations", "expressions", "functions", "recurrences", "control", "batches", "limits"),
    *("readings", "codes", "command-line", "python", "gallery"),
)
_FOLDER = Path(__file__).parent / "pages"
_COMMENT = re.compile(r"^<!-- (?:words: )?(.*?) -->\n\n?", re.MULTILINE | re.DOTALL)
_FONTS = frozenset({"operatorname", "mathrm", "mathcal", "mathbb", "mathbf", "text"})
_SHOWN = 2  # sections that are printed in full
_LISTED = 12


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page below one heading, without its comments; `words` find it."""

    page: str
    title: str
    words: frozenset[str]
    text: str


def read(name: str) -> str:
    """A page as it lies in the package, its comments included."""
    return read_page() if name == "readings" else (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def title_of(name: str) -> str:
    """The heading of a page."""
    return read(name).partition("\n")[0].removeprefix("# ")


def plain(text: str) -> str:
    """Markdown without comments."""
    return _COMMENT.sub("", text)


@cache
def list_sections() -> tuple[Section, ...]:
    """The sections of all pages, in order."""
    return tuple(section for name in ORDER for section in _sections(name))


def _sections(name: str) -> Iterator[Section]:
    for text in re.split(r"^## ", read(name), flags=re.MULTILINE)[1:]:
        title = text.partition("\n")[0]
        words = [word for found in re.findall(r"<!-- words: (.*?) -->", text) for word in found.split(", ")]
        yield Section(name, title, frozenset(map(normal, [title, *words])), plain(f"## {text}").strip() + "\n")


def normal(text: str) -> str:
    r"""Words in small letters, one space between them: `\operatorname{LeakyReLU}` -> `operatorname leakyrelu`."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def overview() -> str:
    """One line a page, and how to look something up."""
    pages = "".join(f"  {name:<13} {title_of(name)}\n" for name in ORDER)
    return f"Pages, for `mathdsl help PAGE`:\n{pages}\n`mathdsl help softmax` and any other word finds what is written about it.\n"


def find(topic: str) -> str | None:
    """A page, an explanation of a code, or what the pages say about some words; None where they say nothing.

    `functions` -> the page; `mask` -> the section with that word; `tanh` -> its row; `gradient leaks` -> a list of sections that say it.
    """
    asked = normal(topic)
    if topic.lower() in ORDER:
        return plain(read(topic.lower()))
    if (explained := explain(topic)) is not None or not asked:
        return explained
    forms = {asked, asked.removesuffix("s")}
    rows = [row for section in list_sections() if (row := _rows_of(section, asked))]
    named = sorted((one for one in list_sections() if forms & one.words), key=lambda one: normal(one.title) not in forms)
    if not (rows or named):
        named = [one for one in list_sections() if set(asked.split()) <= set(" ".join(one.words).split())]
    if rows or named:
        return "\n".join([*rows, *(one.text for one in named[:_SHOWN]), *_list("More", topic, named[_SHOWN:])])
    said = [one for one in list_sections() if asked in normal(one.text)]
    return "".join(_list("Said", topic, said)) or None


def near(topic: str) -> Sequence[str]:
    """Words that find something and look like this one."""
    known = {word for section in list_sections() for word in section.words} | set(ORDER)
    return difflib.get_close_matches(normal(topic), sorted(known), n=3)


def _rows_of(section: Section, asked: str) -> str:
    """The tables of a section, cut to the rows whose first cell names what was asked for."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", section.text, re.MULTILINE):
        head, rule, *rows = table.splitlines()
        named = [row for row in rows if asked in _names(row.split(" | ")[0])]
        found += [head, rule, *named, ""] if named else []
    return "\n".join([f"## {section.title}\n", *found]) if found else ""


def _names(cell: str) -> set[str]:
    spans = re.findall(r"`([^`]+)`", cell)
    return {normal(word) for span in spans for word in re.findall(r"[A-Za-z]\w+", span) if word not in _FONTS}


def _list(lead: str, topic: str, sections: Sequence[Section]) -> Iterator[str]:
    if sections:
        yield f"{lead} about `{topic}`, on the pages in parentheses:\n"
        yield "".join(f"  {one.title} ({one.page})\n" for one in sections[:_LISTED])
