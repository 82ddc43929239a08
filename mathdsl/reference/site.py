"""The reference and the gallery as web pages, which link each other: `functions.html`, `examples/attention/rotary.html`.

Pages of the reference show programs as they are written; those of the gallery are compiled, and have the code beside the mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mathdsl.api import compile_files
from mathdsl.diagnostics.catalogue import CATALOGUE
from mathdsl.reference.gallery import list_examples
from mathdsl.reference.pages import ORDER, plain, read, title_of
from mathdsl.render.publish import publish
from mathdsl.render.typeset import Compiled
from mathdsl.spans import SourceFile

_FENCE = re.compile(r"^(`{3,})(?:mathdsl|latex|pycon)\b.*$", re.MULTILINE)
_LINK = re.compile(r"\]\((?:\.\./)*([\w/-]+)\.(?:md|tex)")
_WIDER = b"<style>.mathdsl { --measure: 48rem; }</style></head>"  # programs and tables of four columns
_HERE = "https://site.invalid/"  # stands for the folder while a page is typeset: links out of it are kept


def write_site(folder: Path) -> Iterator[Path]:
    """Write all pages below a folder, and name each one when it lies there."""
    for name in ORDER:
        page = publish(_typeset(_with_links(_all_codes() if name == "codes" else plain(read(name)))), "html")
        yield _write(folder, "index" if name == "start" else name, page.replace(b"</head>", _WIDER, 1))
    for example in list_examples():
        page = compile_files([SourceFile(example.path.name, example.path.read_text(encoding="utf-8"))]).render("html")
        yield _write(folder, f"examples/{example.name}", page)


def _write(folder: Path, name: str, page: bytes) -> Path:
    path = folder / f"{name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(page.replace(f"{_HERE}start.html".encode(), b"index.html").replace(_HERE.encode(), b""))
    return path


def _typeset(text: str) -> Compiled:
    """A page as a document without programs."""
    found = compile_files([SourceFile("page.md", text)])
    assert found.reading is not None
    assert found.document is not None
    return Compiled(found.reading, found.document, (), (), "")


def _with_links(text: str) -> str:
    """A page with links to all pages below its title; its programs are shown as they are written."""
    links = " · ".join(f"[{name.replace('-', ' ').capitalize()}]({name}.md)" for name in ORDER)
    title, _, rest = _FENCE.sub(r"\1text", text).partition("\n")
    return _LINK.sub(rf"]({_HERE}\1.html", f"{title}\n\n{links}\n{rest}")


def _all_codes() -> str:
    """The pages of all codes as one."""
    return f"# {title_of('codes')}\n\n" + "\n".join(f"## {row.code}: {row.title}\n\n{row.explanation}\n" for row in CATALOGUE.values())
