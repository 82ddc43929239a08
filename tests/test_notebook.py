"""The magics in a real IPython shell: what a cell defines, shows, saves and refuses, and what cells know of one another."""

from __future__ import annotations

import atexit
import copy
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets.config import Config

import mathdsl
from mathdsl.diagnostics.faults import Fault
from mathdsl.notebook.session import Session

AFFINE = r"""
\Module{Affine}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times n}, b \in \mathbb{R}^{m}}
\Return W x + b \\
\EndModule
"""
TWICE = r"""
\Module{Twice}{x \in \mathbb{R}^{n} ; f \in \mathrm{Affine}(n, n)}
y \gets f(x) \\
\Return f(y) \\
\EndModule
"""
SCALED = r"""
\Module{Affine}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{m \times n}}
y \gets 2 x \\
\Return W y \\
\EndModule
"""


class Shell:
    """A shell with the magics, and what it showed."""

    def __init__(self) -> None:
        self.shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        self.shell.display_pub = CapturingDisplayPublisher(shell=self.shell)
        self.run("%load_ext mathdsl")

    def run(self, text: str, cell_id: str | None = None) -> ExecutionResult:
        """Run a cell; what it shows replaces what the cell before showed."""
        self.shell.display_pub.outputs = []
        return self.shell.run_cell(text, store_history=True, cell_id=cell_id)

    def cell(self, text: str, options: str = "", cell_id: str | None = None) -> ExecutionResult:
        """Run a cell of `%%mathdsl`."""
        return self.run(f"%%mathdsl {options}\n{text}", cell_id)

    def define(self, text: str, options: str = "", cell_id: str | None = None) -> None:
        """Run a cell that has no mistakes."""
        assert self.cell(text, options, cell_id).success, self.shown("text/plain")

    def shown(self, kind: str) -> str:
        """What the last cell showed in a format."""
        return "\n".join(output["data"].get(kind, "") for output in self.shell.display_pub.outputs)

    def __getitem__(self, name: str) -> object:
        return self.shell.user_ns[name]


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    yield made
    made.shell.restore_sys_module_state()
    atexit.unregister(made.shell.atexit_operations)  # which collects the garbage of all tests, once a shell


def affine(shell: Shell, name: str = "Affine", **sizes: int) -> torch.nn.Module:
    cls = shell[name]
    assert isinstance(cls, type)
    return cls(**(sizes or {"n": 3, "m": 2}))


# ---- what a cell defines and shows -------------------------------------------------------------


def test_a_cell_defines_its_classes_and_functions(shell: Shell) -> None:
    shell.define(AFFINE + r"loss(y, z) \gets \MSE(y, z) \\", "--name models")
    assert affine(shell)(torch.zeros(5, 3)).shape == (5, 2)
    assert shell["models"].loss is shell["loss"]  # type: ignore[attr-defined]


def test_a_cell_shows_its_mathematics_in_three_formats(shell: Shell) -> None:
    shell.define(AFFINE)
    html, latex, plain = (shell.shown(kind) for kind in ("text/html", "text/latex", "text/plain"))
    assert "<math" in html
    assert "Parameters" in html
    assert latex.startswith("$$\n\\begin{array}")
    assert r"\textbf{return}\ W x + b" in latex
    assert "W       W       parameter" in plain
    assert "http" not in html


def test_a_formula_is_made_of_what_every_front_end_knows(shell: Shell) -> None:
    shell.define(r"\Module{Best}{x \in \mathbb{R}^{n} ; } \Return \operatorname*{argmax}_{i} x_i \Comment{$$} \\ \EndModule")
    latex = shell.shown("text/latex")
    assert r"\mathop{\mathrm{argmax}}_{i} x_{i}" in latex.replace("_i", "_{i}")
    assert latex.count("$") == 4


@pytest.mark.parametrize(
    ("options", "tables", "lines", "code"),
    [
        ("", True, False, False),
        ("--annotate equation", False, False, False),
        ("--annotate shapes --annotate code", True, True, True),
        ("--annotate equation --show-code", False, True, True),
    ],
)
def test_annotations(shell: Shell, options: str, tables: bool, lines: bool, code: bool) -> None:
    shell.define(TWICE.replace(r"\mathrm{Affine}(n, n)", r"\mathrm{Linear}(n, n)"), options)
    html = shell.shown("text/html")
    assert ("Parameters</caption>" in html) == tables
    assert ("of the code" in html) == lines
    assert ("Generated code of Twice" in html) == code
    assert ('<details class="fold" open>' in html) == ("--show-code" in options)
    assert ("class Twice(torch.nn.Module)" in shell.shown("text/plain")) == code


def test_hostile_words_stay_words(shell: Shell) -> None:
    hostile = r"\begin{where} x \in \mathbb{R}^{n} & <img src=x onerror=alert(1)> $$\href{javascript:a}{b}$$ \\ \end{where}"
    shell.define(AFFINE + hostile)
    assert "<img" not in shell.shown("text/html")
    assert "javascript" not in shell.shown("text/latex")
    assert "mathjax_ignore" in shell.shown("text/html").split(">", 1)[0]


def test_a_file_is_compiled_alone(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "my model.tex"
    path.write_text(AFFINE, encoding="utf-8")
    shell.define(r"\begin{where} x \in \mathbb{Z}^{7} \\ \end{where}")
    assert shell.run(f"%mathdsl '{path}'").success, shell.shown("text/plain")
    assert affine(shell)(torch.zeros(3)).shape == (2,)
    path.write_text(AFFINE.replace("Affine", "Other"), encoding="utf-8")
    assert shell.run(f"%mathdsl '{path}'").success
    assert not shell.cell(TWICE).success, "the file, compiled again, has no Affine any more"


def test_help(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.run("%mathdsl").success
    printed = capsys.readouterr().out
    assert all(option in printed for option in ("--show-code", "--annotate", "--name", "--save", "FILE"))
    assert max(map(len, printed.splitlines())) < 80, "it fits into a terminal"
    assert printed.startswith("%%mathdsl [OPTIONS]")
    [example] = re.findall(r"(?s)    %%mathdsl\n(.*?\\EndModule)", printed)
    shell.define(example)
    assert affine(shell, "Project").W.shape == (2, 3), "what the help says of its example"
    for line in ("%mathdsl -h", "%%mathdsl --help\n\n", f"%%mathdsl -h\n{SCALED}"):
        assert shell.run(line).success
        assert capsys.readouterr().out == printed
    assert affine(shell, "Project").W.shape == (2, 3)
    assert "Affine" not in shell.shell.user_ns
    shell.run("%%mathdsl?")
    assert printed.strip() in capsys.readouterr().out


def numbers(shell: Shell) -> list[str]:
    """The numbers of the equations that the last cell showed."""
    return re.findall(r'class="no">(\d+)<', shell.shown("text/html"))


def test_equations_count_from_one_in_each_cell(shell: Shell) -> None:
    shell.define(SCALED)
    assert numbers(shell) == ["1"]
    shell.define(TWICE + SCALED.replace("Affine", "Other"))
    assert numbers(shell) == ["1", "2"]
    shown = affine(shell, "Other")._repr_html_()
    assert re.findall(r'class="no">(\d+)<', shown) == ["1"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (r"\sigma \gets \Sigmoid \\", r"\sigma"),
        (r"\newcommand{\half}{\frac{1}{2}} \newcommand{\all}{1}", r"\half, \all"),
        (r"\begin{where} x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\ d = 4 n \\ \end{where}", "x_t, d = 4 n"),
    ],
)
def test_a_cell_without_a_program_tells_what_it_is_for(shell: Shell, text: str, kept: str) -> None:
    before = set(shell.shell.user_ns)
    shell.define(text)
    assert shell.shown("text/plain") == f"for later cells: {kept}"
    assert f"for later cells: <code>{kept.split(', ')[0]}</code>" in shell.shown("text/html")
    assert set(shell.shell.user_ns) - before <= {"_i2", "_ih"}
    assert not shell.cell(text, "--name models").success


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n  \n", "this cell holds no program"),
        ("% later", "this cell holds no program"),
        ("This is a model of the weather.", "prose into a Markdown cell"),
        ("import torch\nx = torch.zeros(3)", "Python goes into a cell without this first line"),
        (f"# A model\n\n```mathdsl{AFFINE}```\n", "this is Markdown around one"),
        (f"See:\n\n  ```mathdsl{AFFINE}  ```\n", "this is Markdown around one"),
    ],
)
def test_a_cell_that_is_no_program_says_so(shell: Shell, text: str, said: str) -> None:
    assert not shell.cell(text).success
    assert said in shell.shown("text/plain")
    assert shell.shown("text/plain").count("error[") == 1


# ---- cells and other cells ---------------------------------------------------------------------


def test_later_cells_see_earlier_ones_and_share_their_classes(shell: Shell) -> None:
    shell.define(AFFINE)
    before = shell["Affine"]
    shell.define(TWICE)
    twice = affine(shell, "Twice", n=3)
    assert type(twice.f) is shell["Affine"] is before
    assert "Affine" not in shell.shown("text/plain").replace("Affine(n, n)", "")
    clone = pickle.loads(pickle.dumps(copy.deepcopy(twice)))
    assert type(clone.f) is before


def test_declarations_macros_functions_and_aliases_hold_in_later_cells(shell: Shell) -> None:
    shell.define(r"\newcommand{\half}{\frac{1}{2}}")
    shell.define(r"\begin{where} x \in \mathbb{R}^{n} & the input \\ \end{where}")
    shell.define(r"g(y) \gets y + 1 \\ \rho \gets \ReLU \\")
    shell.define(r"\Module{Use}{x ; } \Return \half \rho(g(x)) \\ \EndModule")
    use = shell["Use"]
    assert isinstance(use, type)
    assert use()(torch.tensor([1.0, -5.0])).tolist() == [1.0, 0.0]
    assert "the input" in shell.shown("text/html")


def test_a_cell_that_runs_again_replaces_what_it_was(shell: Shell) -> None:
    shell.define(AFFINE + r"g(y) \gets y + 1 \\", cell_id="one")
    first = shell["Affine"]
    shell.define(AFFINE, cell_id="one")
    assert shell["Affine"] is first, "what did not change stays the same class"
    shell.define(SCALED, cell_id="one")
    assert shell["Affine"] is not first
    assert not shell.cell(r"\Module{Use}{x \in \mathbb{R}^{n} ; } \Return g(x) \\ \EndModule").success, "g is gone"


def read_texts(cells: list[tuple[str, str]]) -> list[str]:
    """The texts that a cell is read with after these have run, each with the front end's name for it and its text."""
    session = Session()
    for key, text in cells:
        session.keep(session.compile(key, "Cell", text.encode()))
    return [file.text for file in session.compile("", "Cell", b"a \\gets \\tanh").result.files[:-1]]


def test_cells_that_were_defined_anew_are_no_longer_read() -> None:
    table = r"\begin{where} n \in \mathbb{N} & a size \\ \end{where}"
    nameless = [("", text) for text in (table, AFFINE, SCALED, AFFINE + TWICE, SCALED, table)]
    assert read_texts(nameless) == [table, AFFINE + TWICE, SCALED, table]  # `Twice` is nowhere else; of tables each row counts
    # with names, a cell may define something else when it runs again, and what was there before holds again
    assert read_texts([("1", AFFINE), ("2", SCALED), ("2", TWICE)]) == [AFFINE, TWICE]


def test_a_name_that_another_cell_defines_is_replaced(shell: Shell) -> None:
    shell.define(AFFINE)
    shell.define(TWICE)
    shell.define(SCALED)
    shell.define(r"\Module{Uses}{x \in \mathbb{R}^{n} ; h \in \mathrm{Twice}(n)} \Return h(x) \\ \EndModule")
    uses = affine(shell, "Uses", n=2)
    assert type(uses.h.f) is shell["Affine"]
    assert "Twice of Cell In[3] has changed since its cell ran" in shell.shown("text/plain")
    with torch.no_grad():
        uses.h.f.W.copy_(torch.eye(2))
    assert uses(torch.ones(2)).tolist() == [4.0, 4.0]


def test_what_was_made_of_a_replaced_definition_is_told(shell: Shell) -> None:
    shell.define(AFFINE)
    shell.define(TWICE)
    shell.define(AFFINE)
    assert "Twice" not in shell.shown("text/plain")  # nothing changed
    shell.define(SCALED)
    assert shell.shown("text/plain").startswith(
        "Twice of Cell In[3] was made of something that this cell now defines otherwise, and stays as it was"
    )
    shell.define(TWICE)
    assert "otherwise" not in shell.shown("text/plain")
    shell.define(SCALED)
    assert "otherwise" not in shell.shown("text/plain")  # it was made anew
    shell.run("Twice = None")
    shell.define(AFFINE)
    assert "otherwise" not in shell.shown("text/plain")  # Python has forgotten it
    shell.define(r"g(x) \gets 2 x \\")
    shell.define(r"k(x) \gets g(x) \\")
    shell.define(r"l(x) \gets k(x) \\")
    shell.define(r"g(x, y) \gets x + y \\")  # neither of them calls it: it was inlined
    assert shell.shown("text/plain").startswith("k of Cell In[11], l of Cell In[12] were made of something")


def test_a_mistake_in_another_cell_says_which_cell_needs_it(shell: Shell) -> None:
    shell.define(AFFINE)
    shell.define(TWICE)
    shell.define(r"\Module{Affine}{x \in \mathbb{R}^{n} ; w \in \mathbb{R}^{n}} \Return w \odot x \\ \EndModule")
    assert not shell.cell(r"\Module{Uses}{x \in \mathbb{R}^{n} ; h \in \mathrm{Twice}(n)} \Return h(x) \\ \EndModule").success
    drawn = shell.shown("text/plain")
    assert " --> Cell In[3]:3:" in drawn
    assert "note: this stands in another cell, which Cell In[5] needs; after a change there run that cell, then this one" in drawn


def test_names_that_python_writes_otherwise_are_told(shell: Shell) -> None:
    shell.define(r"\Module{list}{x ; W} \Return W x \\ \EndModule f'(x) \gets 2 x \\ \phi(x) \gets 3 x \\")
    assert shell.shown("text/plain").endswith("in Python: list_ for list, f_prime for f'")
    assert "<p>in Python: <code>list_</code> for <code>list</code>, <code>f_prime</code> for <code>f&#39;</code></p>" in shell.shown(
        "text/html"
    )
    shell.define(r"\Module{sum}{x ; W} \Return W x \\ \EndModule", "--annotate equation")
    assert shell.shown("text/plain") == "defined: sum_"


def test_variables_of_the_notebook_are_anybodys(shell: Shell) -> None:
    shell.run("In = Out = 5")
    shell.define(AFFINE.replace("Affine", "In"))
    shell.define(AFFINE)
    assert affine(shell)(torch.zeros(3)).shape == (2,)


def test_mistakes_are_told_of_the_cell_that_runs(shell: Shell) -> None:
    shell.define(AFFINE.replace("b \\in", r"c \in \mathbb{R}^{m}, b \in"))
    assert "warning" in shell.shown("text/plain")
    shell.define(TWICE)
    assert "warning" not in shell.shown("text/plain")
    shell.define(AFFINE.replace("x \\in \\mathbb{R}^{n}", "x \\in \\mathbb{R}^{n}, z \\in \\mathbb{R}^{m}").replace("+ b", "+ b + z"))
    assert not shell.cell(r"\Module{Uses}{x \in \mathbb{R}^{n} ; h \in \mathrm{Twice}(n)} \Return h(x) \\ \EndModule").success
    assert "the call of `Affine` does not give `z`" in shell.shown("text/plain"), "where it alone keeps the cell from being compiled"


def test_a_magic_that_a_loop_runs_defines_all(shell: Shell) -> None:
    loop = "for name in 'AB':\n    get_ipython().run_cell_magic('mathdsl', '', TEXT.replace('Affine', name))"
    shell.shell.push({"TEXT": AFFINE, "get_ipython": lambda: shell.shell})
    assert shell.run(loop, cell_id="loop").success
    shell.define(r"\Module{Both}{x \in \mathbb{R}^{n} ; f \in \mathrm{A}(n, n), g \in \mathrm{B}(n, n)} \Return f(g(x)) \\ \EndModule")


# ---- mistakes ----------------------------------------------------------------------------------


def test_a_mistake_is_drawn_and_fails_the_cell(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.define(AFFINE, cell_id="one")
    kept = shell["Affine"]
    result = shell.cell("\n" + AFFINE.replace("W x", "W <b>x</b>"), cell_id="one")
    assert not result.success
    assert "Cell In[3], line 5" in shell.shown("text/html"), "lines count from that of the magic"
    assert "&lt;" in shell.shown("text/html")
    printed = capsys.readouterr().out
    assert "mathdsl: " in printed
    assert "Traceback" not in printed
    assert "File" not in printed
    assert shell["Affine"] is kept
    shell.define(TWICE)


def test_the_message_quotes_the_error_that_is_drawn_first(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert not shell.cell("\\Module{A}{x ; }\ny \\gets / x \\\\\n\\Return (y \\\\\n\\EndModule").success
    drawn = re.findall(r"error\[E\d+\]: (.*)", shell.shown("text/plain"))
    assert len(drawn) == 2
    assert f"mathdsl: 2 errors, the first in Cell In[2], line 3: {drawn[0]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--bad", "unrecognized arguments: --bad"),
        ("--annotate all", "invalid choice: 'all'"),
        ("--name", "expected one argument"),
        ("--name class", "--name: class is no name for a variable"),
        ("--name 'a", "no closing quotation"),
        ("--name ''", "--name: an empty word is no name for a variable"),
        ("--name Affine", "--name: Affine is what this cell defines"),
        ("--save ''", "name a file such as model.py, not an empty word"),
        ("--save a\0.py", "--save: cannot write a<U+0000>.py: embedded null byte"),
        ("--save model.tex", "--save writes the generated Python"),
        ("--save /dev/null/model.py", "--save: cannot write /dev/null/model.py"),
        ("--save a.py --save b.py", "--save is given twice"),
        ("--name a --name a", "--name is given twice"),
        ("model.tex", "to compile a file: %mathdsl model.tex"),
    ],
)
def test_a_mistake_in_the_options_is_one_line(shell: Shell, capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    assert not shell.cell(AFFINE, line).success
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("UsageError: ")
    assert error.count("\n") == 1
    assert "Affine" not in shell.shell.user_ns


@pytest.mark.parametrize("save", ["--save '{}'", "--save='{}'", '"--save={}"'])
def test_words_may_stand_in_quotation_marks(shell: Shell, tmp_path: Path, save: str) -> None:
    path = tmp_path / r"two words\here.py"
    shell.define(AFFINE, f"--annotate 'equation' --name=\"models\" {save.format(path)}")
    assert shell.shown("text/plain") == "defined: Affine"
    assert shell["models"].Affine is shell["Affine"]  # type: ignore[attr-defined]
    assert "class Affine" in path.read_text(encoding="utf-8")


def test_a_name_is_the_one_that_python_reads(shell: Shell) -> None:
    shell.define(AFFINE, "--name \ufb01les")
    assert shell.run("\ufb01les").success


def test_files_that_cannot_be_read(shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not shell.run(f"%mathdsl {tmp_path}").success
    assert capsys.readouterr().err.startswith("UsageError: cannot read ")
    assert not shell.run("%mathdsl ~nobody-here/model.tex").success
    assert capsys.readouterr().err == "UsageError: cannot read ~nobody-here/model.tex: No such file or directory\n"
    (tmp_path / "binary.tex").write_bytes(b"\xff\xfe\0")
    assert not shell.run(f"%mathdsl {tmp_path / 'binary.tex'}").success
    assert "E0101" in shell.shown("text/plain")


def test_names_of_files_stay_names(shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = (tmp_path / f"{name}<img src=x>\x1b[2J\u202e.tex" for name in ("good", "bad"))
    good.write_text(AFFINE + TWICE, encoding="utf-8")
    bad.write_text(r"\Module{Bad}{x ; W} \Return V x \\ \EndModule", encoding="utf-8")
    assert shell.run(f"%mathdsl {good}").success
    shell.define(SCALED)
    shell.define(r"\Module{Uses}{x \in \mathbb{R}^{n} ; f \in \mathrm{Twice}(n)} \Return f(x) \\ \EndModule", "--annotate equation")
    shown = shell.shown("text/html") + shell.shown("text/plain").replace("<img", "")
    assert "good<img src=x><U+001B>[2J<U+202E>.tex has changed since its cell ran" in shell.shown("text/plain")
    assert not shell.run(f"%mathdsl {bad}").success
    shown += shell.shown("text/html")
    assert not shell.run(f"%mathdsl no{bad}").success
    assert not re.search("<img|\x1b|\u202e", shown + "".join(capsys.readouterr()).replace("<img", ""))


NET = r'''
class Reader:
    r"""
    .. math:: \algoProc{\Reader}\pa{x} \\ \algoReturn W \cdot x \\ \algoEndProc
    """
class Writer:
    r"""
    .. math:: \algoProc{\Writer}\pa{x} \\ \algoReturn U \cdot x \\ \algoEndProc
    """
'''


def test_a_class_of_a_file_is_named_as_on_the_command_line(
    shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    assert shell.run("%mathdsl net.py:Reader").success, shell.shown("text/plain")
    assert ["Reader" in shell.shell.user_ns, "Writer" in shell.shell.user_ns] == [True, False]
    assert shell.run("%mathdsl net:Writer").success, shell.shown("text/plain")
    shell.define(
        r"\Module{Both}{x \in \mathbb{R}^{n} ; f \in \mathrm{Reader}(n, n), g \in \mathrm{Writer}(n, n)} \Return g(f(x)) \\ \EndModule"
    )
    assert not shell.run("%mathdsl net.py:Reeder").success
    assert "there is no class `Reeder` in this file" in shell.shown("text/plain")
    assert not shell.run("%mathdsl gone:Reader").success
    assert "UsageError: there is no module gone on the import path" in capsys.readouterr().err
    assert not shell.run(f"%mathdsl {'x' * 300}").success
    assert "File name too long" in capsys.readouterr().err


def test_only_our_own_files_are_written_over(shell: Shell, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell.define(AFFINE)
    target = tmp_path / "out" / "sub" / "model.py"
    shell.define(TWICE, f"--save '{target}'")
    program = f"import runpy, torch; m = runpy.run_path({str(target)!r}); print(m['Twice'](n=2)(torch.zeros(2)).shape)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "torch.Size([2])\n"
    shell.define(AFFINE, f"--save {target}")
    target.write_text("precious = 1\n", encoding="utf-8")
    assert not shell.cell(AFFINE, f"--save {target}").success
    assert "is not written over" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "precious = 1\n"


def test_a_run_time_traceback_shows_the_equation(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.define(SCALED)
    assert not shell.run(
        "import torch\nmodel = Affine(n=3, m=2)\nmodel.W = torch.nn.Parameter(torch.zeros(9, 9))\nmodel(torch.zeros(3))"
    ).success
    assert r"# \Return W y" in capsys.readouterr().out


def test_a_fault_of_the_compiler_is_said_to_be_one(
    shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a bad day")

    with monkeypatch.context() as patch:
        patch.setattr("mathdsl.notebook.running.cell_bundle", fail)
        assert not shell.cell(AFFINE).success
        printed = capsys.readouterr().out
        assert printed.startswith(
            "mathdsl: internal error: AssertionError in notebook: a bad day\nThis is a fault of mathdsl, not of the notebook."
        )
        assert printed.count("\n") == 2
        assert "Affine" not in shell.shell.user_ns
        assert not shell.cell(TWICE).success, "later cells do not see what was not defined"
        patch.setenv("MATHDSL_TRACEBACK", "1")
        assert not shell.cell(AFFINE).success
        assert "Traceback" in capsys.readouterr().out
    shell.define(AFFINE)


def test_an_interrupt_is_one_line(shell: Shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mathdsl.notebook.session.compile_files", interrupt)
    result = shell.cell(AFFINE)
    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert capsys.readouterr().out == "mathdsl: interrupted\n"


def test_a_run_time_traceback_shows_the_generated_return(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.define(AFFINE.replace(r"\Return W x + b", r"z \gets 2 x \\ \Return W z + b"))
    assert not shell.run(
        "import torch\nmodel = Affine(n=3, m=2)\nmodel.b = torch.nn.Parameter(torch.zeros(9))\nmodel(torch.zeros(3))"
    ).success
    printed = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert "return torch.nn.functional.linear(z, self.W, self.b)" in printed
    assert "<mathdsl_generated_" in printed
    assert not shell.run("Affine(n=3, m=2)(torch.zeros(4, 7))").success
    assert "x: expected shape (..., n) = (4, 3), got (4, 7)" in capsys.readouterr().out


def test_load_tells_mistakes_without_a_traceback(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run("import mathdsl\nmathdsl.load(r'''\\Module{A}{x ; W} \\Return W q x \\\\ \\EndModule''')")
    printed = capsys.readouterr().out
    assert "error[E0301]" in printed
    assert "Traceback" not in printed


# ---- instances ---------------------------------------------------------------------------------


def test_an_instance_shows_its_sizes_and_parameters_of_now(shell: Shell) -> None:
    module = mathdsl.load(AFFINE + TWICE)
    twice = module.Twice(n=3)
    twice.extra = torch.nn.Linear(2, 2)
    text = twice._repr_html_()
    assert "<math" in text
    assert "<strong>18</strong>" in text
    assert all(f"<code>{name}</code>" in text for name in ("f", "extra", "Linear"))
    assert "<td>Affine" in text
    shown = shell.shell.display_formatter.format(module.Affine(n=3, m=2))[0]
    assert "2 × 3" in shown["text/html"]
    assert "2 × 3" not in shown["text/plain"]


def test_an_instance_shows_stacks_settings_and_what_was_added() -> None:
    stack = r"""
\Module{Deep}{x \in \mathbb{R}^{n} ; f, a \in \mathbb{R}_{>0} = 0.00001}
y_0 \gets a x \\
y_i \gets f_i(y_{i-1}) \quad (i = 1, \dots, k) \\
\Return y_k \\
\EndModule
\begin{where} f_i \in \mathrm{Affine}(n, n), i = 1, \dots, k \\ \end{where}
"""
    deep = mathdsl.load(AFFINE + stack).Deep(n=3, k=4)
    deep.head = torch.nn.LazyLinear(2)
    text = deep._repr_html_()
    assert "4 × <code>Affine</code>" in text
    assert "<strong>48 and more</strong>" in text
    assert "not yet known" in text
    assert "<msup><mn>10</mn>" in text
    on_meta = deep.f[0].to("meta")
    assert "3 × 3" in on_meta._repr_html_()
    assert str(on_meta) == "Affine(n=3, m=3)", "torch's own"


def _parameter(size: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.zeros(size))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda module: module, "<strong>8</strong> parameters in all.<"),
        (lambda module: module.to(torch.float64), "parameters in all (float64).<"),
        (lambda module: module.to("meta").requires_grad_(False), "parameters in all (meta; none trained).<"),
        (lambda module: module.b.requires_grad_(False), "parameters in all (6 trained).<"),
        (
            lambda module: [module.register_parameter("W", None), setattr(module, "b", _parameter(1))],
            "<strong>1</strong> parameter in all.<",
        ),
    ],
)
def test_an_instance_says_in_what_its_parameters_are_unusual(change: Callable[[Any], object], said: str) -> None:
    module = mathdsl.load(AFFINE).Affine(n=3, m=2)
    change(module)
    assert said in module._repr_html_()


def test_a_fault_in_showing_an_instance_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a bad day")

    monkeypatch.setattr("mathdsl.render.instances.typeset_instance", fail)
    with pytest.raises(Fault, match="AssertionError in render: a bad day"):
        mathdsl.load(AFFINE).Affine(n=3, m=2)._repr_html_()


def test_showing_an_instance_is_no_part_of_it() -> None:
    module = mathdsl.load(AFFINE)
    model = module.Affine(n=3, m=2)
    expected = model(torch.ones(3))
    for clone in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.compile(model, backend="eager")):
        assert torch.equal(clone(torch.ones(3)), expected)
        assert "2 × 3" in clone._repr_html_()
    assert "_repr_html_" not in vars(model)
    assert list(model.state_dict()) == ["W", "b"]

    class Mine(module.Affine):  # type: ignore[name-defined, misc]
        pass

    assert "<math" in Mine(n=1, m=1)._repr_html_()


# ---- the package -------------------------------------------------------------------------------


def test_the_package_needs_no_ipython() -> None:
    program = "import sys; sys.modules['IPython'] = None; import mathdsl.cli, mathdsl.api; mathdsl.cli.main(['--help'])"
    assert "Usage" in subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_the_magics_are_taken_away_again(shell: Shell) -> None:
    assert shell.run("%unload_ext mathdsl").success
    assert not shell.run("%mathdsl").success
    assert shell.run("%load_ext mathdsl").success
    assert shell.run("%reload_ext mathdsl").success
    shell.define(AFFINE)
