"""Diagnostics as a fragment of HTML for a notebook's cell: the source line with its places underlined, notes and help.

The fragment brings its own style, whose rules reach nothing outside of it, and takes letters and background from the page around it.
Its classes are named so that no rule of the page reaches them: pages have their own ideas of an `.error` or a `.note`;
the colours of a dark page are told by what hosts write on their pages, since a dark system may show a light notebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from mathdsl.diagnostics.excerpts import Excerpt, ShownLine, Underline, make_excerpts, show_name, visible
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.diagnostics.presenting import arrange, list_remarks
from mathdsl.spans import SourceFile

DARK_PAGES = ('[data-jp-theme-light="false"]', ".vscode-dark", ".vscode-high-contrast:not(.vscode-high-contrast-light)", "html[theme=dark]")
"""How JupyterLab, VS Code and Colab mark a dark page, in this order."""

_NOTATION = re.compile(r"`([^`\n]+)`")

_STYLE = """\
.mathdsl-findings{--error:#c62828;--warning:#945b00;--note:#1565c0;--faint:#6b7280;font-size:0.9em;line-height:1.45;text-align:start}
@DARK{--error:#ff8a80;--warning:#ffc266;--note:#8ab8ff;--faint:#9aa4b2}
.mathdsl-findings .mathdsl-finding{margin:0.4em 0 0.9em;padding:0.1em 0 0.1em 0.8em;border-left:3px solid var(--own)}
.mathdsl-findings .mathdsl-error{--own:var(--error)}
.mathdsl-findings .mathdsl-warning{--own:var(--warning)}
.mathdsl-findings .mathdsl-note{--own:var(--note)}
.mathdsl-findings .mathdsl-title{font-weight:600;overflow-wrap:anywhere}
.mathdsl-findings .mathdsl-code{color:var(--own)}
.mathdsl-findings .mathdsl-place,.mathdsl-findings .mathdsl-number,.mathdsl-findings .mathdsl-second{color:var(--faint)}
.mathdsl-findings .mathdsl-place{font-size:0.9em}
.mathdsl-findings .mathdsl-remark{margin-left:3.6em;text-indent:-3.6em;white-space:pre-line;overflow-wrap:anywhere}
.mathdsl-findings .mathdsl-remark b{display:inline-block;width:3.6em;text-indent:0}
.mathdsl-findings pre{margin:0.3em 0;padding:0.1em 0;border:0;background:none;color:inherit;overflow-x:auto;white-space:pre;\
font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:0.95em;line-height:1.5}
.mathdsl-findings pre b{font-weight:600}
.mathdsl-findings .mathdsl-number{user-select:none}
.mathdsl-findings .mathdsl-said{color:var(--own)}
.mathdsl-findings u{text-decoration:underline 1.5px dotted var(--faint);text-underline-offset:0.22em}
.mathdsl-findings u.mathdsl-first{text-decoration:underline 2px solid var(--own)}
"""


def draw_html(diagnostics: Sequence[Diagnostic], files: Sequence[SourceFile]) -> str:
    """All diagnostics in the document's order as one element; '' if there is none."""
    drawn = [_draw(diagnostic, files) for diagnostic in arrange(diagnostics, files)]
    if not drawn:
        return ""
    style = _STYLE.replace("@DARK", ",".join(f"{page} .mathdsl-findings" for page in DARK_PAGES))
    # the classes keep a page's MathJax from reading the dollar signs of a source line as formulas
    opening = '<div class="mathdsl-findings tex2jax_ignore mathjax_ignore">'
    return f"{opening}<style>\n{style}</style>\n{''.join(drawn)}</div>\n"


def _draw(diagnostic: Diagnostic, files: Sequence[SourceFile]) -> str:
    excerpts = make_excerpts(diagnostic, files)
    code = f'<span class="mathdsl-code">{diagnostic.severity}[{escape(diagnostic.code)}]</span>'
    parts = [f'<div class="mathdsl-title">{code}: {_text(diagnostic.message)}</div>\n']
    width = max((len(str(line.number)) for excerpt in excerpts for line in excerpt.lines), default=1)
    parts += [_draw_excerpt(excerpt, width) for excerpt in excerpts]
    if diagnostic.span.file and diagnostic.span.file not in {excerpt.file for excerpt in excerpts}:
        parts.append(f'<div class="mathdsl-place">{_text(diagnostic.span.file)}</div>\n')
    parts += [f'<div class="mathdsl-remark"><b>{kind}</b>{_text(text)}</div>\n' for kind, text in list_remarks(diagnostic)]
    return f'<div class="mathdsl-finding mathdsl-{diagnostic.severity}">\n{"".join(parts)}</div>\n'


def _draw_excerpt(excerpt: Excerpt, width: int) -> str:
    place = f"{escape(show_name(excerpt.file))}, line {excerpt.line}, column {excerpt.column}"
    lines = "".join(_draw_line(line, width) for line in excerpt.lines)
    return f'<div class="mathdsl-place">{place}</div>\n<pre>{lines}</pre>\n'


def _draw_line(line: ShownLine, width: int) -> str:
    """The line with its number, and below it what is said of its places, each from where its place begins."""
    gap = '<span class="mathdsl-number">…</span>\n' if line.follows_gap else ""
    number = f'<span class="mathdsl-number">{line.number:>{width}} │ </span>'
    said = "".join(
        f'<span class="mathdsl-number">{" " * width} │ </span>{" " * mark.first_column}'
        f'<span class="mathdsl-{"said" if mark.is_primary else "second"}">{_text(mark.text, "b")}</span>\n'
        for mark in line.underlines
        if mark.text
    )
    return f"{gap}{number}{''.join(_underlined(line))}\n{said}"


def _underlined(line: ShownLine) -> Iterator[str]:
    """The text of a line, piece by piece; where places overlap, the main one is seen."""
    text, places = line.text, sorted(line.underlines, key=lambda mark: mark.is_primary)
    ends = {end for mark in places for end in (mark.start, _end(mark))}
    if any(end > len(text) for end in ends):
        text = text.ljust(max(ends))  # a place behind the end of its line
    cuts = sorted({0, len(text), *ends})
    for start, end in pairwise(cuts):
        piece = escape(text[start:end])
        covering = [mark for mark in places if mark.start <= start and end <= _end(mark)]
        if not covering:
            yield piece
        elif covering[-1].is_primary:
            yield f'<u class="mathdsl-first">{piece}</u>'
        else:
            yield f"<u>{piece}</u>"


def _end(mark: Underline) -> int:
    """The end of a place; one without characters is as wide as one."""
    return max(mark.end, mark.start + 1)


def _text(text: str, tag: str = "code") -> str:
    """Words of a message; what stands between backquotes is the author's notation.

    Below a source line it is no `code`, whose background in JupyterLab would cover the line that marks the place.
    """
    return _NOTATION.sub(rf"<{tag}>\1</{tag}>", escape(visible(text)))
