"""What a text in reStructuredText points to: addresses with names, places among its sections, and what its footnotes say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from docutils import nodes

Notes = Mapping[int, nodes.Element]
"""The footnote of each reference to one, by the identity of its node."""


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
