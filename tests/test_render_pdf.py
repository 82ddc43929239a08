"""PDF by an engine: the same bytes again, its own first error, what to install where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from rendering import compiled, needs_tex

from mathdsl.render.publish import publish
from mathdsl.render.write.pdf import EngineError, NoEngine, make_pdf

DOCUMENT = "\\documentclass{article}\n\\begin{document}\nwords\n%s\n\\end{document}\n"


@needs_tex
def test_a_page_is_the_same_bytes_again() -> None:
    first = make_pdf(DOCUMENT % "more")
    assert first.startswith(b"%PDF")
    assert first == make_pdf(DOCUMENT % "more")


@needs_tex
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r"\undefined", r"Undefined control sequence \\undefined \(line 4: `\\undefined`\)"),
        (r"\input{/etc/hostname}", r"File .* not found"),
        (r"\immediate\openout1=/tmp/written ", "open|write"),
    ],
)
def test_its_own_first_error_is_told(line: str, said: str) -> None:
    with pytest.raises(EngineError, match=said):
        make_pdf(DOCUMENT % line)


@needs_tex
def test_a_package_that_is_not_here_is_told_where_it_is_named() -> None:
    text = DOCUMENT.replace("\\begin{document}", "\\usepackage{amsmath,nosuch-package}\n\\newcommand{\\x}{x}\n\\begin{document}")
    with pytest.raises(EngineError, match=r"File `nosuch-package\.sty' not found\.? \(line 2: `\\usepackage\{amsmath,nosuch-package\}`\)"):
        make_pdf(text % "")


@needs_tex
def test_no_command_is_run(tmp_path: Path) -> None:
    make_pdf(DOCUMENT % rf"\immediate\write18{{touch {tmp_path}/run}}")
    assert not (tmp_path / "run").exists()


@needs_tex
def test_files_beside_the_document_are_found(tmp_path: Path) -> None:
    (tmp_path / "part.tex").write_text("beside", encoding="utf-8")
    assert make_pdf(DOCUMENT % r"\input{part}", tmp_path).startswith(b"%PDF")
    with pytest.raises(EngineError, match="not found"):
        make_pdf(DOCUMENT % r"\input{part}")


def test_without_an_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoEngine, match="apt install texlive-latex-recommended texlive-science"):
        make_pdf(DOCUMENT % "")


PROGRAM = "\\begin{mathdsl}\n\\Module{N}{x ; W}\n\\Return W x \\\\\n\\EndModule\n\\end{mathdsl}\n"
LONG = "a" * 400


@needs_tex
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("words", r"\title{A \gone title}\maketitle", r"\\gone \(model\.tex:3: `\\title"),
        ("\n\\begin{document}\nwords", "\n\\title{A \\gone title}\n\\begin{document}\n\\maketitle", r"\\gone \(model\.tex:2: `\\title"),
        ("more", "more & more", r"tab character &\. \(model\.tex:13: `more & more`\)"),
        ("words", r"\rule{1500pt}{1pt}", r"too wide .* its right edge \(model\.tex:3: `"),
        ("words", r"\rule{1pt}{1500pt}", r"too high .* its lower edge \(page \d\)"),
        ("{x ; W}\n\\Return W x", f"{{x ; W_{{{LONG}}}}}\n\\Return W_{{{LONG}}} x", r"too wide .* \(model\.tex:4, in LaTeX made for it: `"),
    ],
)
def test_a_fault_is_told_in_the_authors_own_words(old: str, new: str, said: str) -> None:
    text = (DOCUMENT % f"{PROGRAM}\n\n\n\nmore").replace(old, new)
    with pytest.raises(EngineError, match=said):
        publish(compiled(text), "pdf")


@needs_tex
def test_a_float_that_is_longer_than_its_page_is_a_fault() -> None:
    steps = "".join(rf"\State $y_{{{number}}} \gets {number}.0$" + "\n" for number in range(100))
    program = "\\begin{algorithmic}\n\\Procedure{N}{$x$}\n" + steps + "\\State \\Return $x$\n\\EndProcedure\n\\end{algorithmic}\n"
    text = DOCUMENT % f"\\begin{{figure}}\n{program}\\end{{figure}}"
    with pytest.raises(EngineError, match=r"too high .* its lower edge \(model\.tex:\d+: `\\end\{figure\}`\)"):
        publish(compiled(text), "pdf")


@needs_tex
def test_a_document_that_is_a_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "part.tex").write_text("beside", encoding="utf-8")
    text = DOCUMENT % "\\input{part}\n\\begin{mathdsl}f(x) \\gets x + 1 \\\\\\end{mathdsl}"
    model = tmp_path / "model.tex"
    model.write_text(text, encoding="utf-8")
    assert publish(compiled(text, str(model)), "pdf").startswith(b"%PDF")
    with pytest.raises(EngineError, match="not found"):
        publish(compiled(text, "-"), "pdf")


def _engine(folder: Path, script: str) -> None:
    engine = folder / "pdflatex"
    engine.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    engine.chmod(0o755)


@pytest.mark.parametrize(
    ("script", "said"), [("echo broken >&2; exit 3", "pdflatex: broken"), ("exit 1", "without a word"), ("exit 0", "no page")]
)
def test_an_engine_that_fails_is_no_traceback(script: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _engine(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(EngineError, match=said):
        make_pdf(DOCUMENT % "")


def test_an_engine_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _engine(tmp_path, "exec sleep 60")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("mathdsl.render.write.pdf._SECONDS", 0.2)
    with pytest.raises(EngineError, match="did not end within"):
        make_pdf(DOCUMENT % "")
