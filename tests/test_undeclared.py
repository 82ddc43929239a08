r"""Every name is given: one error lists what nothing declares, and its rows compile when they are pasted; a naked algorithm owns some."""

from __future__ import annotations

import pytest
from pasting import pasted

import mathdsl
from mathdsl.diagnostics import Diagnostic


def module(header: str, body: str, rows: str = "") -> str:
    table = f"\\begin{{where}} {rows} \\end{{where}}" if rows else ""
    return f"\\Module{{F}}{{{header}}}\n{body} \\\\\n\\EndModule\n{table}"


def procedure(inputs: str, rows: str, *lines: str) -> str:
    required = "".join(f"\\Require ${row}$\n" for row in rows.split(";") if row)
    return (
        f"\\begin{{algorithmic}}\n{required}\\Procedure{{F}}{{${inputs}$}}\n" + "\n".join(lines) + "\n\\EndProcedure\n\\end{algorithmic}\n"
    )


def docstring(inputs: str, *lines: str, rows: str = "") -> str:
    body = "".join(f"& \\indent{{1}} {line} \\\\\n" for line in lines)
    table = f"\\begin{{where}} {rows} \\end{{where}}" if rows else ""
    return f"\\begin{{align*}}\n& \\algoProc{{\\F}}\\pa{{{inputs}}} \\\\\n{body}& \\algoEndProc\n\\end{{align*}}\n{table}"


def refused(text: str) -> Diagnostic:
    (found,) = [d for d in mathdsl.compile(text).diagnostics if d.severity == "error"]
    assert found.code == "E0301", found
    return found


PROGRAMS = {
    "weights and a bias": (module("x", r"\Return \tanh(W x + b)"), "`W`, `b`"),
    "beside what the header names": (module("x ; W", r"\Return \tanh(W x + b)"), "`b`"),
    "rates of an optimiser": (
        procedure(
            r"\theta, g, m, v",
            r"\theta, g, m, v \in \mathbb{R}^n",
            r"\State $m \gets \beta_1 m + (1 - \beta_1) g$",
            r"\State $v \gets \beta_2 v + (1 - \beta_2) g^2$",
            r"\State $\theta \gets \theta - \alpha \cdot m / (\sqrt{v} + \epsilon)$",
            r"\State \Return $(\theta, m, v)$",
        ),
        r"`\beta_1`, `\beta_2`, `\alpha`, `\epsilon`",
    ),
    "a number beside a norm": (module("x", r"\Return x / (\|x\| + \epsilon)", r"x \in \mathbb{R}^n \\"), r"`\epsilon`"),
    "a size that no type has": (module("Q, K, V", r"\Return \softmax(\frac{Q K^\top}{\sqrt{d_k}}) V"), "`d_k`"),
    "a family in a loop": (
        procedure(
            "x",
            r"x \in \mathbb{R}^d",
            r"\For{$k = 1, \dots, n$}",
            r"\State $y_k \gets W_k x + b_k$",
            r"\EndFor",
            r"\State \Return $y$",
        ),
        "`W`, `b`",
    ),
    "a gate of bold letters": (
        procedure(r"\mathbf{x}", r"\mathbf{x} \in \mathbb{R}^d", r"\State \Return $\sigma(\mathbf{W} \mathbf{x} + \mathbf{b})$"),
        r"`\mathbf{W}`, `\mathbf{b}`",
    ),
    "a docstring with a table": (
        docstring("x", r"y \algoEq W \cdot x + b", r"\algoReturn y", rows=r"x \in \mathbb{R}^d \\"),
        "`W`, `b`",
    ),
    "numbers that a naked algorithm does not own": (
        docstring("x", r"u \algoEq W \cdot x + b", r"\algoReturn \frac{u}{\sqrt{u^\top u} + \epsilon}"),
        r"`\epsilon`",
    ),
    "a name in an initialiser": (module("x ; W", r"\Return W x", r"W \in \mathbb{R}^{m \times n} \sim \mathcal{U}(0, q) \\"), "`q`"),
}


@pytest.mark.parametrize(("text", "names"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_rows_compile_when_they_are_pasted(text: str, names: str) -> None:
    found = refused(text)
    assert found.message == f"{names} {'are' if ',' in names else 'is'} declared nowhere"
    assert 1 + len(found.labels) == names.count("`") // 2
    result = mathdsl.compile(pasted(text, found))
    assert result.ok, (pasted(text, found), [d.message for d in result.diagnostics])


def test_each_name_is_shown_where_it_stands_first() -> None:
    text = module("x", r"\Return \tanh(W x + b) + b")
    found = refused(text)
    assert [text[one.span.start : one.span.end] for one in (found, *found.labels)] == ["W", "b"]


@pytest.mark.parametrize(
    ("rows", "written", "near"),
    [
        (r"\mathbf{x} \in \mathbb{R}^n", "x", r"\mathbf{x}"),
        (r"\mathbf{b} \in \mathbb{R}^n", r"\mathbf{W}", ""),
        (r"\mathrm{hidden} \in \mathbb{R}^n", r"\mathrm{hiden}", "hidden"),
    ],
)
def test_near_names_are_compared_by_what_a_reader_sees(rows: str, written: str, near: str) -> None:
    found = refused(module(rows.split(r" \in")[0], rf"\Return 2 {written}", rf"{rows} \\"))
    said = found.help + " ".join(found.notes)
    assert (f"did you mean `{near}`" in said) if near else ("did you mean" not in said)


def test_a_naked_algorithm_owns_weights_tables_and_what_is_added_to_them() -> None:
    text = docstring(
        "x, h_0",
        r"\algoFor{t \in \set{1, \dots, S}}",
        r"e_t \algoEq E[x_t] + \PE_t",
        r"h_t \algoEq \tanh\pa{W \cdot e_t + U \cdot h_{t-1} + b}",
        r"\algoEndFor",
        r"\algoReturn \drop{h_S}{p}",
    )
    result = mathdsl.compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    (note,) = [d for d in result.diagnostics if d.code == "N0301"]
    owned = {line.split("`")[1].split(" ")[0] for line in note.notes if line.startswith("it owns")}
    assert owned == {"E", r"\PE_{t}", "W", "U", "b", "p"}


def test_a_value_that_nothing_reads_is_warned_of() -> None:
    text = procedure("A", r"A \in \mathbb{R}^{n \times n}", r"\State $U \gets A$", r"\State $u \gets 1$", r"\State \Return $U$")
    result = mathdsl.compile(text)
    assert [(d.code, d.message) for d in result.diagnostics] == [("W0301", "the value `u` is never used")]
