"""Pictures of an author's documents in a page: data of small files beside the document, and nothing from elsewhere."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from mathdsl.api import compile_files
from mathdsl.render.document.model import Paragraph, Picture, Typeset
from mathdsl.render.write.html.context import MOST_OF_ONE, MOST_TOGETHER, Pictures
from mathdsl.render.write.html.page import write_html
from mathdsl.spans import SourceFile

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
SVG = b'<?xml version="1.0"?>\n<!-- drawn -->\n<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><path d="M0 0"/></svg>'
PROGRAM = r"\begin{mathdsl}\Module{A}{x} \Return x + 1 \\ \EndModule \begin{where} x \in \mathbb{R} & in \\ \end{where}\end{mathdsl}"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a rest", "image/gif"),
        (b"RIFF\0\0\0\0WEBPrest", "image/webp"),
        (SVG, "image/svg+xml"),
    ],
)
def test_a_picture_is_what_its_first_bytes_say(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "a.dat").write_bytes(data)
    assert Pictures(tmp_path).find("a.dat") == f"data:{kind};base64,{base64.b64encode(data).decode()}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html><svg></svg>",
        b"%PDF-1.5",
        b"<svg><script>alert(1)</script></svg>",
        b'<svg onload="alert(1)"></svg>',
        b'<svg><a href="javascript:alert(1)"/></svg>',
        b'<svg><a href="&#106;avascript:alert(1)"/></svg>',
        b"<svg><foreignObject/></svg>",
        b'<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
        PNG + b"\0" * MOST_OF_ONE,
    ],
)
def test_what_is_no_picture_is_not_taken(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.png").write_bytes(data)
    assert Pictures(tmp_path).find("a.png") is None


def test_nothing_is_taken_from_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    (folder / "in").mkdir(parents=True)
    for place in (tmp_path / "out.png", folder / "here.png", folder / "in" / "below.png"):
        place.write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "out.png")
    os.mkfifo(folder / "pipe.png")
    names = ["here.png", "here", "in/below.png", "./in/below", "link.png", "pipe.png", "in", "", ".", "../out.png", "in/../../out.png"]
    names += [str(tmp_path / "out.png"), "file:here.png", "https://x/here.png", "C:here.png", "in\\below.png", "here.png\0", "x" * 5000]
    found = {name for name in names if Pictures(folder).find(name)}
    assert found == {"here.png", "here", "in/below.png", "./in/below"}
    assert Pictures(None).find("here.png") is None


def test_a_page_has_room_for_so_many(tmp_path: Path) -> None:
    data = PNG + b"\0" * (MOST_OF_ONE - len(PNG))
    (tmp_path / "a.png").write_bytes(data)
    pictures = Pictures(tmp_path)
    assert [pictures.find("a.png") is None for _ in range(MOST_TOGETHER // MOST_OF_ONE + 1)] == [False, False, True]


DOCUMENTS = {
    "a.tex": rf"\begin{{document}}\begin{{figure}}\includegraphics[width=3cm]{{a}}\caption{{C}}\end{{figure}}{PROGRAM}\end{{document}}",
    "a.md": "![what it <shows>](a.png)\n\n```mathdsl\n"
    + PROGRAM.removeprefix(r"\begin{mathdsl}").removesuffix(r"\end{mathdsl}")
    + "\n```\n",
    "a.rst": ".. image:: a.png\n   :alt: what it <shows>\n\n.. mathdsl::\n\n   " + PROGRAM[15:-13] + "\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_shows_its_pictures(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    (tmp_path / "a.png").write_bytes(PNG)
    file.write_text(DOCUMENTS[name])
    page = compile_files([SourceFile(str(file), DOCUMENTS[name])]).render("html").decode()
    said = "a" if name == "a.tex" else "what it &lt;shows&gt;"
    assert f'<img src="data:image/png;base64,{base64.b64encode(PNG).decode()}" alt="{said}">' in page
    assert "; img-src data:" in page
    (tmp_path / "a.png").unlink()
    named = compile_files([SourceFile(str(file), DOCUMENTS[name])]).render("html").decode()
    assert "<img" not in named
    assert "img-src" not in named
    assert "[image" in named


def test_a_page_without_a_folder_names_its_pictures() -> None:
    page = write_html(Typeset((), (), (Paragraph((Picture('a"><script>.png', "<b>"),)),)))
    assert "<p>[image: &lt;b&gt;, <code>a&#34;&gt;&lt;script&gt;.png</code>]</p>" in page
