"""Inlines as markup: what the author wrote is escaped, links go where it is safe to go, references become numbers."""

from __future__ import annotations

from typing import assert_never

from markupsafe import Markup, escape

from mathdsl.render.document.inlines import OUTSIDE
from mathdsl.render.document.model import (
    Code,
    Formula,
    Inline,
    Inlines,
    LineBreak,
    Link,
    Math,
    Picture,
    Reference,
    Styled,
    Text,
    name_picture,
)
from mathdsl.render.write.html.anchors import Anchors, Target
from mathdsl.render.write.html.context import Context
from mathdsl.render.write.html.mathematics import formula, latex_formula

_ELEMENTS = {
    "emphasis": Markup("<em>{}</em>"),
    "strong": Markup("<strong>{}</strong>"),
    "small-caps": Markup('<span class="sc">{}</span>'),
    "superscript": Markup("<sup>{}</sup>"),
    "subscript": Markup("<sub>{}</sub>"),
    "deleted": Markup("<s>{}</s>"),
}
_BRACKETS = {"ref": ("", ""), "named": ("", ""), "eqref": ("(", ")"), "cite": ("[", "]")}
_OPENING, _CLOSING = "([{“‘", ".,;:!?)]}”’"
_TIED = Markup('<span class="tied">{}{}{}</span>')


def write_inlines(inlines: Inlines, context: Context) -> Markup:
    """All of them, side by side; no line ends between a formula and the brackets and signs that touch it."""
    written: list[Markup] = []
    for before, inline, after in zip((None, *inlines), inlines, (*inlines[1:], None), strict=False):
        match inline:
            case Math() | Formula():
                (_, opening), (closing, _) = _end(before), _start(after)
                shown = _inline(inline, context)
                written.append(_TIED.format(opening, shown, closing) if opening or closing else shown)
            case Text(text):
                rest = _start(inline)[1] if isinstance(before, Math | Formula) else text
                written.append(escape(_end(Text(rest))[0] if isinstance(after, Math | Formula) else rest))
            case _:
                written.append(_inline(inline, context))
    return Markup().join(written)


def _start(inline: Inline | None) -> tuple[str, str]:
    """The signs that a text begins with and that close something, and the rest of it."""
    text = inline.text if isinstance(inline, Text) else ""
    rest = text.lstrip(_CLOSING)
    return text[: len(text) - len(rest)], rest


def _end(inline: Inline | None) -> tuple[str, str]:
    """A text without the brackets that it ends with and that open something, and these."""
    text = inline.text if isinstance(inline, Text) else ""
    rest = text.rstrip(_OPENING)
    return rest, text[len(rest) :]


def unlinked(inlines: Inlines, anchors: Anchors) -> Inlines:
    """The same to be read inside of a link: without links of its own, and without footnotes."""
    kept: list[Inline] = []
    for inline in inlines:
        match inline:
            case Text() | Math() | Formula() | Code() | LineBreak() | Picture():
                kept.append(inline)
            case Styled("footnote"):
                continue
            case Styled(style, body):
                kept.append(Styled(style, unlinked(body, anchors)))
            case Link(_, body):
                kept += unlinked(body, anchors)
            case Reference(kind, labels):
                numbers = [anchors.targets[label].number if label in anchors.targets else label for label in labels]
                opening, closing = _BRACKETS[kind]
                kept.append(Text(f"{opening}{', '.join(labels if kind == 'cite' else numbers)}{closing}"))
            case _:
                assert_never(inline)
    return tuple(kept)


def _inline(inline: Inline, context: Context) -> Markup:
    match inline:
        case Text(text):
            return escape(text)
        case Math(latex):
            return latex_formula(latex)
        case Formula(expression):
            return formula(expression)
        case Code(text):
            return Markup("<code>{}</code>").format(text)
        case Styled("footnote", body):
            return _footnote(body, context)
        case Styled(style, body):
            return _ELEMENTS[style].format(write_inlines(body, context))
        case Link(target, body):
            return _link(target, write_inlines(unlinked(body, context.anchors), context), context)
        case Reference(kind, labels):
            return _reference(kind, labels, context)
        case LineBreak():
            return Markup("<br>")
        case Picture(file, said):
            address = context.pictures.find(file)
            if address is None:
                return write_inlines(name_picture(inline), context)
            return Markup('<img src="{}" alt="{}">').format(address, said or file)
        case _:
            assert_never(inline)


def _footnote(body: Inlines, context: Context) -> Markup:
    """Its number; the note stands at the end of the page. A note's number is taken before those of the notes inside it."""
    place = len(context.notes)
    context.notes.append(Markup())
    context.notes[place] = write_inlines(body, context)
    prefix, number = context.anchors.prefix, place + 1
    return Markup('<sup><a id="{0}r{1}" href="#{0}n{1}" role="doc-noteref">{1}</a></sup>').format(prefix, number)


def _link(target: str, body: Markup, context: Context) -> Markup:
    if target.startswith("#"):
        found = context.anchors.targets.get(target[1:])
        return body if found is None else Markup('<a href="#{}">{}</a>').format(found.id, body)
    if target.lower().startswith(OUTSIDE):
        return Markup('<a href="{}" rel="noopener noreferrer">{}</a>').format(target, body)
    return body


def _reference(kind: str, labels: tuple[str, ...], context: Context) -> Markup:
    opening, closing = _BRACKETS[kind]
    numbers = [escape(label) if kind == "cite" else _number(label, context.anchors.targets.get(label)) for label in labels]
    return Markup("{}{}{}").format(opening, Markup(", ").join(numbers), closing)


def _number(label: str, target: Target | None) -> Markup:
    """The number as a link, the label itself of what has no number; a label that nothing has stays as it is written, to be seen."""
    if target is None:
        return Markup('<span class="missing">{}</span>').format(label)
    return Markup('<a href="#{}">{}</a>').format(target.id, target.number or label)
