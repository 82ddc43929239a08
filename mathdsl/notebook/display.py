"""What a cell shows, as a bundle of formats of which a front end takes the one it likes best.

`text/html` is first for JupyterLab, VS Code and Colab, and is what `nbconvert --to html` keeps. Its formulas are MathML, which browsers
set by themselves: VS Code and Colab run no MathJax over HTML, and a page that `nbconvert` made has none without a network.
`text/latex`, one formula in `$$…$$` (the only delimiters that Colab knows), is for front ends without HTML, which set it with MathJax or
KaTeX, and for `nbconvert --to latex`. `text/plain` is for a terminal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import assert_never

from mathdsl.diagnostics.drawing import draw_all
from mathdsl.diagnostics.html import draw_html
from mathdsl.notebook.options import Options
from mathdsl.notebook.session import CompiledCell
from mathdsl.render.document.model import (
    Assignment,
    Block,
    Clause,
    ClausePart,
    Code,
    CommaList,
    Formula,
    Inlines,
    Line,
    Listing,
    Paragraph,
    Range,
    Text,
    Word,
)
from mathdsl.render.document.numbering import number_blocks
from mathdsl.render.write.html.page import html_fragment
from mathdsl.render.write.latex.expressions import write_expression, write_items
from mathdsl.render.write.latex.names import word
from mathdsl.render.write.latex.statements import ARROWS
from mathdsl.report import symbols_table
from mathdsl.result import CompileResult
from mathdsl.room import roomy

Bundle = dict[str, str]

_LATER = "for later cells: "
_READ_ANEW = (
    "has changed since its cell ran, with what it needs: this cell has it as it is now, the notebook as it was; run its cell again",
    "have changed since their cells ran, with what they need: this cell has them as they are now, the notebook as they were; "
    "run their cells again",
)
_MADE_OF_OLDER = (
    "was made of something that this cell now defines otherwise, and stays as it was; run its cell again to make it anew",
    "were made of something that this cell now defines otherwise, and stay as they were; run their cells again to make them anew",
)
_OPERATOR = re.compile(r"\\operatorname\*\{([^{}]*)\}")
_PLAIN_OPERATOR = r"\\mathop{\\mathrm{\1}}"  # which older front ends know too


def findings_bundle(result: CompileResult, *, color: bool) -> Bundle:
    """The errors and warnings of a cell; {} where there are none."""
    shown = [d for d in result.diagnostics if d.severity != "note"]
    if not shown:
        return {}
    return {"text/html": draw_html(shown, result.files), "text/plain": draw_all(shown, result.files, color).rstrip("\n")}


def outdated_bundle(read_anew: Sequence[str], made_of_older: Sequence[str]) -> Bundle:
    """That classes of other cells are not what they would be now; {} where there are none."""
    said = [*_told(read_anew, _READ_ANEW), *_told(made_of_older, _MADE_OF_OLDER)]
    if not said:
        return {}
    return {"text/html": "".join(f"<p>{escape(text)}</p>" for text in said), "text/plain": "\n".join(said)}


def _told(names: Sequence[str], one_or_many: tuple[str, str]) -> list[str]:
    return [f"{', '.join(names)} {one_or_many[len(names) > 1]}"] if names else []


def cell_bundle(compiled: CompiledCell, options: Options, own: Sequence[str]) -> Bundle:
    """The mathematics of a cell with its tables, and its generated code if it is wanted; {} where it has no program.

    `own`: the Python names of the cell's own procedures and functions.
    """
    renamed = [(name, written) for name, written in zip(own, compiled.own_programs, strict=True) if written.removeprefix("\\") != name]
    blocks = _blocks(compiled, renamed, with_tables="shapes" in options.annotations)
    if not blocks:
        return {}
    source = compiled.result.source
    code = source if options.show_code or "code" in options.annotations else ""
    with roomy():
        html = html_fragment(blocks, scope=_scope(compiled), source=code, is_unfolded=options.show_code)
        latex = write_formula(blocks)
    rows = tuple(row for row in compiled.result.symbols if row.module in compiled.own_programs)
    plain = [symbols_table([replace(compiled.result, symbols=rows)]).rstrip("\n")] if rows and "shapes" in options.annotations else []
    plain += [_own_source(blocks, source)] if code else []
    if not plain:
        plain = [f"defined: {', '.join(own)}" if own else f"{_LATER}{', '.join(compiled.symbols)}"]
    elif renamed:
        plain += [f"in Python: {', '.join(f'{name} for {written}' for name, written in renamed)}"]
    bundle = {"text/html": html, "text/plain": "\n\n".join(plain)}
    return bundle | ({"text/latex": latex} if latex else {})


def _blocks(compiled: CompiledCell, renamed: Sequence[tuple[str, str]], *, with_tables: bool) -> tuple[Block, ...]:
    """What stands in the cell's own text, or in the programs of a file, its equations numbered from 1.

    Where that is nothing that Python could use, it says for whom it is; where Python calls it otherwise, how.
    """
    result, own = compiled.result, compiled.cell.file.name
    if result.reading is None:
        return ()
    texts = zip(result.reading.texts, result.typeset(), strict=True)
    written = [block for text, regions in texts if text.written.span(0, 0).file == own for region in regions for block in region]
    if compiled.symbols and not compiled.own_programs:
        written.append(Paragraph((Text(_LATER), *_listed(compiled.symbols))))
    if renamed:
        pairs = (
            (Text(", " if number else "in Python: "), Code(name), Text(" for "), Code(said)) for number, (name, said) in enumerate(renamed)
        )
        written.append(Paragraph(tuple(inline for pair in pairs for inline in pair)))
    blocks = number_blocks(written)
    if with_tables:
        return blocks
    return tuple(replace(block, tables=()) if isinstance(block, Listing) else block for block in blocks)


def _listed(names: Sequence[str]) -> Inlines:
    return tuple(inline for number, name in enumerate(names) for inline in (Text(", " if number else ""), Code(name)))


def _scope(compiled: CompiledCell) -> str:
    """A class name of its own on the page, whichever cells stand there too."""
    file = compiled.cell.file
    digest = hashlib.sha256("\0".join((file.name, file.text)).encode("utf-8", "replace"))
    return f"mathdsl-{digest.hexdigest()[:12]}"


def _own_source(blocks: Sequence[Block], source: str) -> str:
    """The generated classes and functions of the programs."""
    lines = source.splitlines()
    places = (block.class_lines for block in blocks if isinstance(block, Listing))
    return "\n\n".join("\n".join(lines[first - 1 : last]) for first, last in places if first)


def write_formula(blocks: Sequence[Block]) -> str:
    """`$$…$$` with a row for each line of each program; '' where there is none."""
    rows = [row for block in blocks if isinstance(block, Listing) for row in _rows(block)]
    if not rows:
        return ""
    body = " \\\\\n".join(rf"\displaystyle {_OPERATOR.sub(_PLAIN_OPERATOR, row)}" for row in rows)
    return f"$$\n\\begin{{array}}{{l}}\n{body}\n\\end{{array}}\n$$"


def _rows(listing: Listing) -> Iterator[str]:
    if listing.name:
        owned = "" if listing.owned is None else rf";\ {write_items(listing.owned)}"
        header = rf"({write_items(listing.inputs)}{owned})"
        yield rf"\textbf{{{listing.word}}}\ {word(listing.name, 'mathrm')}{header}"
    indent = 1 if listing.name else 0
    for line in listing.lines:
        content = _content(line)
        if content:
            yield r"\quad " * (line.depth + indent) + content


def _content(line: Line) -> str:
    match line.content:
        case Assignment(target, value, domains, relation):
            assigned = f"{write_expression(target)} {ARROWS[relation]} {write_expression(value)}"
            return rf"{assigned} \quad ({', '.join(map(_clause_part, domains))})" if domains else assigned
        case Clause(parts):
            return r"\ ".join(map(_clause_part, parts))
        case _:
            assert_never(line.content)


def _clause_part(part: ClausePart) -> str:
    match part:
        case Word(text):
            return rf"\textbf{{{text}}}"
        case Formula(expression):
            return write_expression(expression)
        case Range(index, ends, relation):
            return f"{write_expression(index)} {relation} {write_items(ends)}" if ends else rf"\forall {write_expression(index)}"
        case CommaList(elements):
            return r",\ ".join(map(_clause_part, elements))
        case _:
            assert_never(part)
