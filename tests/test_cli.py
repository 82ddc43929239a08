"""The command line: what it writes, where, and how it exits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mathdsl import __version__
from mathdsl.cli import main

GOOD = "\\Module{Cell}{x, h ; W, U, b}\n\\Return \\tanh(W @ x + U @ h + b) \\\\\n\\EndModule\n"
OTHER = "\\Module{Twice}{x ; }\n\\Return 2 x \\\\\n\\EndModule\n"
LONG = "x" * 300
BAD = "\\Module{Cell}{x ; W}\n\\Return W @ х \\\\\n\\EndModule\n"


def run(*arguments: str, text: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=text)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.tex").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.tex").write_text(BAD, encoding="utf-8")
    return tmp_path


def test_compile_writes_to_standard_output_a_file_or_into_a_folder(folder: Path) -> None:
    printed = run("compile", "good.tex")
    assert printed.exit_code == 0, printed.output
    assert "class Cell" in printed.stdout
    assert run("compile", "-", text=GOOD).stdout.count("class Cell") == 1
    assert run("compile", "good.tex", "-o", "new/cell.py").stderr.endswith("error: there is no folder new: make it, or give --parents\n")
    assert run("compile", "good.tex", "-o", "new/cell.py", "--parents").exit_code == 0
    (folder / "out").mkdir()
    assert run("compile", "good.tex", "-o", "out").exit_code == 0
    assert [(folder / name).read_text(encoding="utf-8") for name in ("new/cell.py", "out/good.py")] == [printed.stdout] * 2


def test_a_folder_gives_one_output_a_file_and_prose_none(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "in/cell.tex").write_text(GOOD, encoding="utf-8")
    (folder / "in/twice.md").write_text(f"# Twice\n\n```mathdsl\n{OTHER}```\n", encoding="utf-8")
    (folder / "in/README.md").write_text("Prose.\n", encoding="utf-8")
    result = run("compile", "in", "-o", "out", "--parents")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["cell.py", "twice.py"]
    (folder / "in/bad.tex").write_text(BAD, encoding="utf-8")
    assert run("compile", "in", "-o", "elsewhere", "--parents").exit_code == 1
    assert sorted(path.name for path in (folder / "elsewhere").iterdir()) == ["cell.py", "twice.py"]


def test_files_named_together_are_one_document(folder: Path) -> None:
    (folder / "macros.tex").write_text(
        "\\newcommand{\\W}{W_x}\\begin{where} x \\in \\mathbb{R}^{d} & input \\\\ \\end{where}", encoding="utf-8"
    )
    (folder / "cell.tex").write_text(GOOD.replace("W", "\\W"), encoding="utf-8")
    result = run("check", "cell.tex", "macros.tex")
    assert result.exit_code == 0, result.output
    assert "W_x" in result.stdout
    assert "input" in result.stdout


def test_mistakes_are_drawn_and_nothing_is_written(folder: Path) -> None:
    (folder / "cell.py").write_text("# of yesterday\n", encoding="utf-8")
    result = run("compile", "bad.tex", "-o", "cell.py")
    assert result.exit_code == 1
    assert "error[E0114]" in result.stderr
    assert " --> bad.tex:2:13" in result.stderr
    assert result.stdout == ""
    assert (folder / "cell.py").read_text(encoding="utf-8") == "# of yesterday\n"
    assert sorted(path.name for path in folder.iterdir()) == ["bad.tex", "cell.py", "good.tex"]


LAYERS = r'''
raise RuntimeError("this file is never run")


class First:
    r"""One.

    .. math::
        \algoProc{\First}\pa{x} \\ \algoReturn W \cdot x \\ \algoEndProc
    """

    class Inner:
        r"""Two.

        .. math::
            \algoProc{\Second}\pa{x} \\ \algoReturn U \cdot x \\ \algoEndProc
        """


class Prose:
    """Nothing."""
'''


def test_a_class_of_a_python_file_is_read_and_never_run(folder: Path) -> None:
    (folder / "models/deep").mkdir(parents=True)
    (folder / "models/__init__.py").write_text("raise RuntimeError", encoding="utf-8")
    (folder / "models/deep/layers.py").write_text(LAYERS, encoding="utf-8")
    whole = run("compile", "models/deep/layers.py")
    assert [name in whole.stdout for name in ("class First", "class Second")] == [True, True]
    for source in ("models/deep/layers.py:First.Inner", "models.deep.layers:First.Inner"):
        part = run("compile", source)
        assert [name in part.stdout for name in ("class First", "class Second")] == [False, True], part.output
    assert run("compile", "models.deep.layers:First", "-o", "models").exit_code == 0
    assert (folder / "models/layers.py").exists()
    missing = run("check", "models.deep.layers:Frist")
    assert (missing.exit_code, missing.stderr.splitlines()[0]) == (1, "error[E0118]: there is no class `Frist` in this file")
    assert "did you mean `First`?" in missing.stderr
    assert "error[E0107]" in run("check", "models.deep.layers:Prose").stderr
    assert run("compile", "models.deep.layers:First", "-o", "models/deep/layers.py").exit_code == 2
    assert run("compile", "models.gone:First").stderr == "error: there is no module models.gone on the import path\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile"],
        ["compile", "gone.tex"],
        ["compile", "good.tex", "good.tex"],
        ["compile", "good.tex", "-o", "good.tex"],
        ["compile", "good.tex", "-o", "good.tex/out.py"],
        ["compile", "good.tex", "--module", "Gone"],
        ["compile", "good.tex", "--stop-after", "batch_axes"],
        ["compile", "good.tex", "--emit", "ir", "--stop-after", "gone"],
        ["compile", "good.tex", "--emit", "gone"],
        ["compile", "."],
        ["compile", ".", "good.tex", "-o", "out"],
        ["check", "gone.tex"],
        ["check", "a\0b"],
        ["check", ""],
        ["check", LONG + ".tex"],
        ["compile", LONG + ".py:Net"],
        ["compile", "good.tex", "-o", LONG],
        ["compile", "good.tex", "-o", ""],
        ["render", "good.tex"],
        ["render", "good.tex", "-o", LONG + ".html"],
        ["render", "good.tex", "-o", "good.html", "--to", "md"],
        ["render", ".", "--to", "md"],
        ["sty", LONG],
        ["explain", "E9999"],
        ["gone"],
    ],
    ids=lambda arguments: " ".join(arguments).replace(LONG, "long"),
)
def test_usage_mistakes_exit_with_two(folder: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["bad.tex", "good.tex"]
    assert (folder / "good.tex").read_text(encoding="utf-8") == GOOD


def test_emit_and_stop_after(folder: Path) -> None:
    trees = {emit: run("compile", "good.tex", "--emit", emit) for emit in ("ast", "ir", "tensors")}
    assert [result.exit_code for result in trees.values()] == [0, 0, 0]
    assert len({result.stdout for result in trees.values()}) == 3
    assert run("compile", "good.tex", "--emit", "ir", "--stop-after", "batch_axes").exit_code == 0


def test_check_prints_symbols_or_json(folder: Path) -> None:
    table = run("check", "good.tex")
    assert table.exit_code == 0
    assert {"symbol", "python", "kind", "type", "shape", "origin"} <= set(table.stdout.split())
    rows = json.loads(run("check", "good.tex", "--symbols", "--json").stdout)
    assert {row["python"] for row in rows} >= {"x", "h", "W", "U", "b"}
    assert {finding["severity"] for finding in json.loads(run("check", "good.tex", "--json").stdout)} <= {"note"}
    (folder / "declared.tex").write_text(
        "\\Module{F}{x \\in \\mathbb{R}^{n} ; W, b}\n\\Return W x + b \\\\\n\\EndModule\n"
        "\\begin{where} b \\in \\mathbb{R}^{m} & an offset \\\\ \\end{where}\n",
        encoding="utf-8",
    )
    declared = json.loads(run("check", "declared.tex", "--symbols", "--json").stdout)
    assert {row["python"]: row["origin"] for row in declared if row["shape"]} == {
        "x": "declared",  # in the header
        "b": "declared",  # in the table
        "W": "a matrix by its letter",
    }
    bad = run("check", "bad.tex", "--json")
    assert bad.exit_code == 1
    [error] = [finding for finding in json.loads(bad.stdout) if finding["severity"] == "error"]
    assert error["start"] == {"line": 2, "column": 13}


def test_check_prints_no_control_characters(folder: Path) -> None:
    """Neither the table nor the JSON moves the cursor, names the window or turns a line round."""
    where = "\\begin{where} x \\in \\mathbb{R}^{d} & \x1b]0;title\x07 \N{RIGHT-TO-LEFT OVERRIDE}\x9b31m \\\\ \\end{where}"
    (folder / "odd.tex").write_text(f"{GOOD}{where}", encoding="utf-8")
    table, listed = run("check", "odd.tex"), run("check", "odd.tex", "--symbols", "--json")
    assert "<U+001B>]0;title<U+0007> <U+202E><U+009B>31m" in table.stdout
    assert [c for c in table.stdout + listed.stdout if c != "\n" and not c.isprintable()] == []
    assert "\x1b]0;title\x07 \N{RIGHT-TO-LEFT OVERRIDE}\x9b31m" in {row["description"] for row in json.loads(listed.stdout)}
    assert run("check", "\x1b.tex").stderr == "error: cannot read <U+001B>.tex: No such file or directory\n"


@pytest.mark.parametrize(
    "text", ["Hello world.", "It rained, and $x = 3$ held, see \\cite{a}.", "\\section{A}\n\\begin{equation} h = W x \\end{equation}"]
)
def test_a_file_of_prose_holds_no_program(folder: Path, text: str) -> None:
    (folder / "prose.tex").write_text(text, encoding="utf-8")
    result = run("compile", "prose.tex")
    assert result.stderr.count("error[") == 1
    assert result.stderr.startswith("error[E0107]: this document holds no program")


@pytest.mark.parametrize("text", ["f(x) \\gets x + 1", "f(x) = x + 1", "f(x) := x + 1", "\\newcommand{\\is}{=} f(x) \\is x + 1"])
def test_a_file_of_definitions_is_a_program(folder: Path, text: str) -> None:
    (folder / "f.tex").write_text(text, encoding="utf-8")
    assert "def f(" in run("compile", "f.tex").stdout


@pytest.mark.parametrize("remark", ["\\Comment{ never closed", "\\label{{{", "\\Comment a"])
def test_a_remark_that_is_not_closed_is_no_unknown_command(folder: Path, remark: str) -> None:
    (folder / "remark.tex").write_text(GOOD.replace("b)", f"b) {remark}"), encoding="utf-8")
    result = run("compile", "remark.tex")
    assert result.exit_code == 1
    assert "is not known" not in result.stderr
    assert ("is not closed" in result.stderr) == ("{" in remark)


def test_render_writes_what_the_name_or_the_option_says(folder: Path) -> None:
    marks = {"html": b"<!doctype html>", "md": b"**module** Cell", "tex": b"\\documentclass"}
    for form, mark in marks.items():
        result = run("render", "good.tex", "-o", f"out/page.{form}", "--parents")
        assert (result.exit_code, result.output) == (0, ""), result.output
        written = (folder / "out" / f"page.{form}").read_bytes()
        assert mark.lower() in written[:200].lower()
        assert run("render", "good.tex", "--to", form).stdout_bytes == written
        assert run("render", "-", "--to", form, text=GOOD).exit_code == 0


def test_render_writes_a_folder_all_or_nothing(folder: Path) -> None:
    (folder / "in").mkdir()
    for name, text in (("cell.tex", GOOD), ("twice.tex", OTHER), ("prose.tex", "Nothing yet.")):
        (folder / "in" / name).write_text(text, encoding="utf-8")
    assert run("render", "in", "-o", "out", "--to", "html", "--parents").exit_code == 0
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["cell.html", "twice.html"]
    before = (folder / "out/cell.html").read_bytes()
    (folder / "in/cell.tex").write_text(GOOD.replace("h ;", "g ;").replace("@ h", "@ g"), encoding="utf-8")
    (folder / "in/twice.tex").write_text(BAD, encoding="utf-8")
    result = run("render", "in", "-o", "out", "--to", "html", "--parents")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (folder / "out/cell.html").read_bytes() == before
    (folder / "in/twice.tex").write_text(OTHER, encoding="utf-8")
    (folder / "out/twice.html").unlink()
    (folder / "out/twice.html").mkdir()
    assert "cannot write out/twice.html: Is a directory" in run("render", "in", "-o", "out", "--to", "html", "--parents").stderr
    assert (folder / "out/cell.html").read_bytes() == before
    (folder / "out/twice.html").rmdir()
    assert run("render", "in", "-o", "out", "--to", "html", "--parents").exit_code == 0
    assert (folder / "out/cell.html").read_bytes() != before
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["cell.html", "twice.html"]


def test_sty_writes_the_package_and_replaces_it(folder: Path) -> None:
    assert run("sty").stdout == "mathdsl.sty\n"
    package = (folder / "mathdsl.sty").read_bytes()
    assert package.startswith(b"%% mathdsl.sty")
    (folder / "new").mkdir()
    (folder / "new/mathdsl.sty").write_text("of yesterday", encoding="utf-8")
    assert run("sty", "new").exit_code == 0
    assert run("sty", "other/new").exit_code == 2
    assert (folder / "new/mathdsl.sty").read_bytes() == package
    assert run("sty", "good.tex").exit_code == 2


def test_bytes_that_are_no_text_are_a_mistake_of_the_source(folder: Path) -> None:
    (folder / "latin.tex").write_bytes(b"\\Module{F}{x ; } \xe9")
    assert "error[E0101]" in run("compile", "latin.tex").stderr
    assert "error[E0102]" in run("check", "-", text=b"PK\x03\x04\0\0").stderr


def test_version() -> None:
    assert run("--version").stdout == f"mathdsl, version {__version__}\n"


def test_explain_lists_and_explains() -> None:
    assert "E0103" in run("explain").stdout
    assert run("explain", "e0103").stdout.startswith("error E0103: ")


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **more}


def test_help_is_quick_and_imports_nothing() -> None:
    code = "import sys; from mathdsl.cli import main\ntry: main(['--help'])\nexcept SystemExit: print(sorted(sys.modules), file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert not {"torch", "sympy", "lark", "jinja2"} & set(result.stderr.replace("'", " ").replace(",", " ").split())
    times = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-m", "mathdsl", "--help"], capture_output=True, env=environment(), check=True)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(times) < 0.2


def test_a_closed_pipe_and_an_ascii_terminal_are_no_tracebacks(folder: Path) -> None:
    (folder / "greek.tex").write_text("\\Module{F}{x ; }\n\\Return θ @ х \\\\\n\\EndModule\n", encoding="utf-8")
    command = f"{sys.executable} -m mathdsl"
    closed = subprocess.run(
        f"{command} explain | head -c 1 >/dev/null", shell=True, capture_output=True, text=True, env=environment(), check=False
    )
    ascii_only = subprocess.run(
        f"{command} check greek.tex", shell=True, capture_output=True, text=True, env=environment(PYTHONIOENCODING="ascii"), check=False
    )
    assert "Traceback" not in closed.stderr + ascii_only.stderr
    assert ascii_only.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [("good.tex 2>&-", 0, "(torch.nn.Module):"), ("- <&-", 2, "error: cannot read standard input: it is closed\n")],
)
def test_a_stream_that_somebody_closed_is_no_fault(folder: Path, arguments: str, code: int, said: str) -> None:
    command = f"{sys.executable} -m mathdsl compile {arguments}"
    ended = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), check=False)
    assert ended.returncode == code
    assert said in ended.stdout + ended.stderr


def test_an_interrupt_ends_quietly() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "mathdsl", "compile", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode not in (0, 2)
    assert b"Traceback" not in stderr


def test_a_fault_of_the_compiler_is_said_to_be_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise KeyError("x_t")

    monkeypatch.setattr("mathdsl.api.compile_files", fail)
    result = run("compile", "good.tex", "-o", "out.py")
    assert result.exit_code == 70
    assert result.stderr.startswith("internal error: KeyError")
    assert "fault of mathdsl" in result.stderr
    assert "Traceback" not in result.output
    assert not Path("out.py").exists()
    monkeypatch.setenv("MATHDSL_TRACEBACK", "1")
    assert isinstance(run("compile", "good.tex").exception, KeyError)


def test_what_rules_decided_is_one_note_a_module_in_check_and_compile(folder: Path) -> None:
    first = (
        r"\Module{F}{x ; W, U, b} h[0] \gets b \\ h[1 \leq t \leq S] \gets \tanh(W @ x[t] + U @ h[t-1] + b) \\ \Return h[S] \\ \EndModule"
    )
    second = r"\Module{G}{y ; V} \Return V y \\ \EndModule"
    (folder / "letters.tex").write_text(f"{first}\n{second}\n", encoding="utf-8")
    for command in ("check", "compile"):
        told = run(command, "letters.tex").stderr
        assert told.count("note[N0301]") == 2, told
        assert "`W` and `U` are read as matrices" in told
        assert "`V` is read as a matrix" in told
        assert run(command, "letters.tex", "-q").stderr == ""


def test_the_bare_command_shows_the_help_with_whole_sentences() -> None:
    bare = run()
    assert (bare.exit_code, bare.stdout) == (0, run("--help").stdout)
    commands = bare.stdout.partition("Commands:\n")[2].splitlines()
    assert len(commands) == len(main.commands)
    assert all(line.endswith(".") and "..." not in line for line in commands)
