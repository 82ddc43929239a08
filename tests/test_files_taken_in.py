r"""`\input`, `\include` and `\subfile`: what the files beside a document hold is read with it, and told with their names and lines."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import mathdsl
from mathdsl.cli import main

MAIN = r"""\documentclass{article}
\input{macros}
\begin{document}
Words.
\include{parts/model}
More words.
\end{document}
"""
MODEL = r"""Words of the part.
\begin{mathdsl}
\Module{Twice}{x}
  y \gets \twice x \\
  \Return y \\
\EndModule
\begin{where} x \in \mathbb{R}^{n} & the input \\ \end{where}
\end{mathdsl}
"""
MACROS = "\\newcommand{\\twice}{2}\n"


def written(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / (name.replace("__", "/") + ".tex")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "paper.tex"


def findings(path: Path) -> list[tuple[str, str]]:
    return [(d.code, Path(d.span.file).name) for d in mathdsl.compile(path).diagnostics if d.severity == "error"]


def test_a_program_and_its_macros_may_stand_in_files_of_their_own(tmp_path: Path) -> None:
    path = written(tmp_path, paper=MAIN, macros=MACROS, parts__model=MODEL)
    result = mathdsl.compile(path)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.load().Twice()(torch.tensor([1.0, 3.0])).tolist() == [2.0, 6.0]
    page = result.render("html").decode()
    assert page.index("Words.") < page.index("Words of the part") < page.index("Twice") < page.index("More words")
    assert r"\include{" not in result.render("tex").decode()


def test_the_generated_text_tells_that_a_file_taken_in_changed(tmp_path: Path) -> None:
    path = written(tmp_path, paper=MAIN, macros=MACROS, parts__model=MODEL)
    before = mathdsl.compile(path).source
    written(tmp_path, macros=MACROS.replace("2", "3"))
    assert mathdsl.compile(path).load().Twice()(torch.tensor([1.0])).tolist() == [3.0]
    assert before != mathdsl.compile(path).source


def test_a_mistake_is_told_in_the_file_and_line_that_it_stands_in(tmp_path: Path) -> None:
    path = written(tmp_path, paper=MAIN, macros=MACROS, parts__model=MODEL.replace(r"\twice x", r"\twice x + \foo"))
    shown = CliRunner().invoke(main, ["check", str(path)]).output
    assert f"{tmp_path / 'parts' / 'model.tex'}:4:" in shown
    assert r"y \gets \twice x + \foo" in shown


def test_a_subfile_gives_its_own_document(tmp_path: Path) -> None:
    part = "\\documentclass[paper]{subfiles}\n\\begin{document}\n" + MODEL + "\\end{document}\n"
    path = written(tmp_path, paper=MAIN.replace("include", "subfile"), macros=MACROS, parts__model=part)
    assert mathdsl.load(path).Twice()(torch.tensor([1.0])).tolist() == [2.0]


def test_comments_take_nothing_in(tmp_path: Path) -> None:
    text = MAIN.replace("Words.", "Words. % \\input{old}\n\\begin{verbatim}\n\\input{older}\n\\end{verbatim}")
    assert findings(written(tmp_path, paper=text, macros=MACROS, parts__model=MODEL)) == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"macros": MACROS}, [("E0119", "paper.tex")]),
        ({"macros": MACROS, "parts__model": r"\input{parts/model}" + MODEL}, [("E0119", "model.tex")]),
        ({"macros": r"\input{more}", "more": r"\input{macros}" + MACROS, "parts__model": MODEL}, [("E0119", "more.tex")]),
        ({"macros": MACROS, "parts__model": MODEL + r"\input{/etc/hostname}"}, [("E0119", "model.tex")]),
        ({"macros": MACROS, "parts__model": MODEL + r"\input{../other}"}, [("E0119", "model.tex")]),
        (
            {"macros": MACROS + "".join(r"\input{more} " for _ in range(1001)), "more": "Words.\n", "parts__model": MODEL},
            [("E0119", "macros.tex")],
        ),
    ],
    ids=("missing", "itself", "a circle", "absolute", "above", "too many"),
)
def test_what_cannot_be_taken_in_is_told_where_it_is_named(tmp_path: Path, texts: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert findings(written(tmp_path, paper=MAIN, **texts))[:1] == expected


def test_a_text_that_is_no_file_takes_nothing_in() -> None:
    result = mathdsl.compile("\\input{model}\n\\Module{F}{x}\n\\Return x \\\\\n\\EndModule\n")
    assert [(d.code, d.span.start) for d in result.diagnostics if d.severity == "error"][:1] == [("E0116", 0)]
    assert "compile a file" in result.diagnostics[0].help


def test_lines_are_counted_in_each_file(tmp_path: Path) -> None:
    path = written(tmp_path, paper=MAIN, macros=MACROS, parts__model=MODEL)
    reading = mathdsl.compile(path).reading
    assert reading is not None
    whole = reading.texts[0].written
    for words, file, line in (("Words.", "paper.tex", 4), ("y \\gets", "parts/model.tex", 4), ("More words", "paper.tex", 6)):
        assert whole.place(whole.text.index(words)) == f"{tmp_path / file}:{line}"
