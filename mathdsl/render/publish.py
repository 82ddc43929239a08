"""A compiled document to the bytes of a file: read its prose, make its listings, write them."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from mathdsl.render.forms import Form
from mathdsl.render.typeset import Compiled, typeset, typeset_programs


def publish(compiled: Compiled, form: Form) -> bytes:
    """The document as a LaTeX text, a PDF file, a page or a Markdown text; `NoEngine` or `EngineError` where TeX cannot run or fails."""
    match form:
        case "html":
            from mathdsl.render.html import write_html

            return _encoded(write_html(typeset(compiled)))
        case "md":
            from mathdsl.render.markdown import write_markdown

            return _encoded(write_markdown(typeset(compiled)))
        case "tex":
            return _encoded(_to_latex(compiled))
        case "pdf":
            from mathdsl.render.pdf import make_pdf

            return make_pdf(_to_latex(compiled), _folder(compiled))
        case _:
            assert_never(form)


def _encoded(text: str) -> bytes:
    """The text in UTF-8; half of a surrogate pair, which a Python string may hold and a file may not, is a question mark."""
    return text.encode("utf-8", "replace")


def _to_latex(compiled: Compiled) -> str:
    """A LaTeX document of one file keeps its prose and preamble word for word."""
    from mathdsl.render.latex import splice_latex, write_latex

    match compiled.reading.texts:
        case [text] if text.markup == "latex":
            [programs] = typeset_programs(compiled)
            places = [(*region.whole, blocks) for region, blocks in zip(text.regions, programs, strict=True)]
            return splice_latex(text.written.text, places)
        case _:
            return write_latex(typeset(compiled))


def _folder(compiled: Compiled) -> Path | None:
    """Where the document is a file, its folder: there stand the pictures and the texts that it names."""
    names = [Path(text.written.span(0, 0).file) for text in compiled.reading.texts]
    return next((name.parent for name in names if name.is_file()), None)
