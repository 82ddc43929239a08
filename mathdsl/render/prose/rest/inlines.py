"""Inline nodes of docutils to inlines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Literal

from docutils import nodes

from mathdsl.dataclass import dataclass
from mathdsl.render.document.inlines import link
from mathdsl.render.document.model import Code, Inline, Inlines, Math, Picture, Reference, Styled, Text
from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.protecting import Loose, Protected, as_line, find_formula

_ROLE = re.compile(r":(?P<role>[A-Za-z][\w:.+-]*):`(?P<text>[^`]*)`\Z|`(?P<text2>[^`]*)`:(?P<role2>[A-Za-z][\w:.+-]*):\Z")
_TITLED = re.compile(r"(?P<title>[\s\S]+?)\s*<(?P<target>[^<>]*)>\Z")
_REFERRING: Mapping[str, Literal["eqref", "cite"]] = MappingProxyType({"eq": "eqref", "cite": "cite", "footcite": "cite"})
"""Roles that refer to something with a number; of `cite:t` and the like the part before the colon."""
Notes = Mapping[int, nodes.Element]
"""The footnote of each reference to one, by the identity of its node."""


@dataclass(frozen=True, slots=True)
class InlineReader:
    """`targets`: the addresses that the text gives names to; `at` is behind all definitions of its macros; `notes`: its footnotes."""

    protected: Protected
    expander: Expander
    targets: Mapping[str, str]
    at: int
    notes: Notes

    def line(self, node: nodes.Element) -> Inlines:
        return as_line(self.read(node))

    def read(self, node: nodes.Element) -> list[Loose]:
        """What stands in a node."""
        return [part for child in node.children for part in self._inline(child)]

    def restore(self, text: str) -> str:
        """Words that are nothing but words."""
        return self.protected.restore(text)

    def code(self, text: str) -> Code:
        return Code(self.restore(text))

    def picture(self, node: nodes.image) -> list[Loose]:
        return [Picture(self.restore(str(node.get("uri", ""))), self.restore(str(node.get("alt", ""))))]

    def _inline(self, node: nodes.Node) -> Iterable[Loose]:
        match node:
            case nodes.Text():
                return self.protected.split(node.astext())
            case nodes.math():
                return [Math(find_formula(self.restore(node.astext()), self.expander, self.at)[0])]
            case nodes.emphasis():
                return [Styled("emphasis", self.line(node))]
            case nodes.strong():
                return [Styled("strong", self.line(node))]
            case nodes.literal() | nodes.title_reference() | nodes.inline():
                return [self.code(node.astext())]
            case nodes.reference():
                return self._reference(node)
            case nodes.citation_reference():
                return [Reference("cite", (self.restore(node.astext()),))]
            case nodes.footnote_reference():
                return [self._note(node)]
            case nodes.problematic():
                return self._problematic(node.astext())
            case nodes.image():
                return self.picture(node)
            case nodes.system_message():
                return []
            case nodes.Element():
                return self.read(node)
            case _:
                return [Text(node.astext())]

    def _note(self, reference: nodes.footnote_reference) -> Inline:
        """What the footnote says; a reference in it to a footnote is text."""
        note = self.notes.get(id(reference))
        if note is None:
            return Text(f"[{self.restore(reference.astext()) or '#'}]")
        inside = replace(self, notes={})
        said = [child for child in note.children if isinstance(child, nodes.Element) and not isinstance(child, nodes.label)]
        parts = [part for child in said for part in (Text(" "), *inside.read(child))]
        return Styled("footnote", as_line(parts))

    def _reference(self, node: nodes.reference) -> Iterable[Loose]:
        target = str(node.get("refuri", "")) or self.targets.get(str(node.get("refname", "")), "")
        if target:
            return link(self.restore(target), self.line(node))
        return self.protected.split(node.rawsource) if node.rawsource and "`" not in node.rawsource else self.read(node)

    def _problematic(self, source: str) -> Iterable[Loose]:
        """A role that docutils does not know, or markup that is none."""
        found = _ROLE.match(source)
        if found is None:
            return self.protected.split(source)
        role, text = found["role"] or found["role2"], self.restore(found["text"] or found["text2"] or "")
        if referring := _REFERRING.get(role.split(":")[0]):
            return [Reference(referring, tuple(label.strip() for label in text.split(",") if label.strip()))]
        titled = _TITLED.match(text)
        place = self.targets.get(" ".join((titled["target"] if titled else text).lower().split()), "")
        if place.startswith("#"):
            return link(place, (Text(titled["title"]),)) if titled else [Reference("ref", (self.restore(place[1:]),))]
        if titled is not None:
            return [self.code(titled["title"])]
        return [self.code(text[1:].rpartition(".")[2] if text.startswith("~") else text)]


def section_label(section: nodes.section) -> str:
    """The label that a section has by its title."""
    names: list[str] = section.get("names", [])
    return names[0].replace(" ", "-") if names else ""


def find_targets(tree: nodes.document) -> Mapping[str, str]:
    """The addresses of `.. _name: https://…`, and of `.. _name:` before a section."""
    return {name: address for target in tree.findall(nodes.target) if (address := _address(target)) for name in target["names"]}


def _address(target: nodes.target) -> str:
    if "refuri" in target:
        return str(target["refuri"])
    following = target.next_node(nodes.Element, descend=False, siblings=True)
    while isinstance(following, nodes.target):
        following = following.next_node(nodes.Element, descend=False, siblings=True)
    label = section_label(following) if isinstance(following, nodes.section) else ""
    return f"#{label}" if label else ""


def find_notes(tree: nodes.document) -> Notes:
    """By name, or in their order where they have none: `[1]_`, `[#name]_`, `[#]_`, `[*]_`."""
    notes = dict(_named(tree.findall(nodes.footnote), "names"))
    return {id(reference): notes[name] for name, reference in _named(tree.findall(nodes.footnote_reference), "refname") if name in notes}


def _named(found: Iterator[nodes.Element], attribute: str) -> Iterator[tuple[str, nodes.Element]]:
    """Each with its name; those without are counted, by the sign that stands for one."""
    counts = {"#": count(1), "*": count(1)}
    for node in found:
        names = node.get(attribute) or []
        if names:
            yield names if isinstance(names, str) else names[0], node
        elif node.get("auto"):
            sign = "*" if node["auto"] == "*" else "#"
            yield f"{sign}{next(counts[sign])}", node
