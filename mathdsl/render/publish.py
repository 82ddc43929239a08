"""A compiled document to the bytes of a file: read its prose, make its listings, write them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from mathdsl.render.document.model import Place
from mathdsl.render.forms import Form
from mathdsl.render.prose.reading import find_floats_inside
from mathdsl.render.typeset import Compiled, typeset, typeset_programs, with_caption

if TYPE_CHECKING:
    from mathdsl.render.write.latex.splice import Spliced

_QUOTED = 200  # characters of a line


def publish(compiled: Compiled, form: Form) -> bytes:
    """The document as a LaTeX text, a PDF file, a page or a Markdown text; `NoEngine` or `EngineError` where TeX cannot run or fails."""
    match form:
        case "html":
            from mathdsl.render.write.html.page import write_html

            return _encoded(write_html(typeset(compiled), _folder(compiled)))
        case "md":
            from mathdsl.render.write.markdown.document import write_markdown

            return _encoded(write_markdown(typeset(compiled)))
        case "tex":
            return _encoded(_to_latex(compiled).text)
        case "pdf":
            from mathdsl.render.write.pdf import make_pdf

            latex = _to_latex(compiled)
            return make_pdf(latex.text, _folder(compiled), partial(_tell_line, compiled, latex))
        case _:
            assert_never(form)


def _encoded(text: str) -> bytes:
    """The text in UTF-8; half of a surrogate pair, which a Python string may hold and a file may not, is a question mark."""
    return text.encode("utf-8", "replace")


def _to_latex(compiled: Compiled) -> Spliced:
    """A LaTeX document of one file keeps its prose and preamble word for word."""
    from mathdsl.render.write.latex.blocks import write_latex
    from mathdsl.render.write.latex.splice import Spliced, splice_latex

    match compiled.reading.texts:
        case [text] if text.markup == "latex":
            [programs] = typeset_programs(compiled)
            floats = find_floats_inside(text, compiled.reading.macros)
            places = [
                (*region.whole, tuple(with_caption(block, Place(count, floats=floats[count])) for block in blocks))
                for count, (region, blocks) in enumerate(zip(text.regions, programs, strict=True))
            ]
            return splice_latex(text.written.text, places)
        case _:
            return Spliced(write_latex(typeset(compiled)), ())


def _tell_line(compiled: Compiled, latex: Spliced, number: int) -> str:
    """Where a line of the LaTeX text comes from: the author's own is quoted with its place, another is said to be made here."""
    line = latex.text.split("\n")[number - 1].strip()
    made = f"in LaTeX made for it: `{line[:_QUOTED]}`"
    if not latex.stretches:
        return made
    position, is_own = latex.find_line(number)
    place = compiled.reading.texts[0].written.place(position)
    return f"{place}: `{line[:_QUOTED]}`" if is_own else f"{place}, {made}"


def _folder(compiled: Compiled) -> Path | None:
    """Where the document is a file, its folder: there stand the pictures and the texts that it names."""
    names = [Path(text.written.span(0, 0).file) for text in compiled.reading.texts]
    return next((name.parent for name in names if name.is_file()), None)
