"""A file or a docstring in reStructuredText: its title, its authors, its blocks."""

from __future__ import annotations

import inspect
from pathlib import PurePath

from mathdsl.render.prose.expanding import Expander
from mathdsl.render.prose.front_matter import read_front_matter
from mathdsl.render.prose.headings import lift_title
from mathdsl.render.prose.markup_source import protect_pieces
from mathdsl.render.prose.protecting import Protected, as_line, as_listing
from mathdsl.render.prose.rest.blocks import BlockReader
from mathdsl.render.prose.rest.calming import calm
from mathdsl.render.prose.rest.inlines import InlineReader
from mathdsl.render.prose.rest.parsing import parse_rest
from mathdsl.render.prose.rest.pointers import find_notes, find_targets
from mathdsl.render.prose.result import Prose
from mathdsl.source.containers import ContainerText


def read_rest_prose(text: ContainerText, expander: Expander) -> Prose:
    """The prose; all of it as it was written where docutils cannot read it."""
    protected = Protected()
    entries, source = read_front_matter(protect_pieces(text, expander, protected))
    if _is_docstring(text):
        source = inspect.cleandoc(source)
    tree = parse_rest(calm(source, protected))
    if tree is None:
        return Prose((), (), tuple(as_listing(protected.split_places(source), "rst")))
    reader = BlockReader(InlineReader(protected, expander, find_targets(tree), len(text.written.text), find_notes(tree)))
    title, blocks = lift_title(reader.read(tree.children), as_line(protected.split(entries.get("title", ""))))
    author, date = (as_line(protected.split(entries.get(key, ""))) for key in ("author" if "author" in entries else "authors", "date"))
    return Prose(title, author, blocks, date)


def _is_docstring(text: ContainerText) -> bool:
    return any(PurePath(run.origin.file).suffix == ".py" for run in text.written.runs[:1])
