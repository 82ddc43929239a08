"""Constructs that version 1 of the language leaves out: each is refused, in both notations where both have it."""

from __future__ import annotations

import pytest

from mathdsl import compile
from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

FAMILY = r"x_i \in \mathbb{R}, i = 1, \dots, n"
WIDE = r"X \in \mathbb{R}^{n \times d}"


def module(*lines: str, header: str = "x ; ", rows: tuple[str, ...] = (FAMILY,)) -> str:
    body, table = (" ".join(rf"{line} {end}" for line in part) for part, end in ((lines, r"\\"), (rows, r"& \\")))
    return rf"\Module{{F}}{{{header}}} {body} \EndModule \begin{{where}} {table} \end{{where}}"


def algorithm(*lines: str, header: str = "x", rows: tuple[str, ...] = (FAMILY,)) -> str:
    body = "\n".join(line if line.startswith((r"\For", r"\EndFor")) else rf"\State {line}" for line in lines)
    required = "".join(f"\\Require ${row}$\n" for row in rows)
    return f"\\begin{{algorithmic}}\n{required}\\Procedure{{F}}{{${header}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}"


def both(name: str, line: str, result: str = "2 x") -> dict[str, str]:
    return {
        f"{name}, module": module(line, rf"\Return {result}"),
        f"{name}, algorithm": algorithm(f"${line}$", rf"\Return ${result}$"),
    }


TAKEN_OUT: dict[str, str] = {
    **both("an order statistic", r"y \gets \sum_{k=1}^n k x_{(k)}", "y"),
    "an exchange by an arrow": algorithm(r"$x_1 \leftrightarrow x_2$", r"\Return $x$"),
    "an exchange by a word": algorithm(r"$\text{swap}(x_1, x_2)$", r"\Return $x$"),
    "an exchange by a call": algorithm(r"\Call{Swap}{$x_1, x_2$}", r"\Return $x$"),
    **both("both signs", r"y \gets x_1 \pm x_2", "y"),
    "both signs in a set": module(r"\Return \sum_i x_i", rows=(r"x \in \{\pm 1\}^n",)),
    "rows declared one by one": module(
        r"\Return \sum_{d=1}^D (a_{1,d} - a_{2,d}) x_d", header="x, a ; ", rows=(r"x, a_1, a_2 \in \mathbb{R}^D",)
    ),
    **both("a logarithm as a name", r"\log p(x) \gets 2 x_1"),
    **both("a conditional probability as a name", r"p(y \mid x) \gets x_1"),
    **both("a sign before a name", r"\Delta y \gets 2 x_1"),
    **both("a name with a row below", r"\mu_{W_{i,\cdot}} \gets x_1"),
    **both("a chain of assignments", r"a \gets b \gets 2 x", "a"),
    **both("a chain of equations", r"a = b = 2 x", "a"),
    **both("a value with another form of it", r"y = x + x = 2 x", "y"),
    **both("a condition as a factor", r"y \gets \sum_i (x_i > 0) x_i", "y"),
    **both("words behind where", r"y \gets 2 x, \text{where } x \text{ is given}", "y"),
    **both("a function by its elements", r"s(z)_i \gets z_i^2 \quad (i = 1, \dots, n)", "s(x)"),
    **both("elements of a function of an input", r"g(x)_i \gets x_i^2 \quad (i = 1, \dots, n)", "g(x)"),
    "a statement that samples a parameter": module(
        r"W \sim \mathcal{N}(0, 1)", r"\Return W x", header="x ; W", rows=(FAMILY, r"W \in \mathbb{R}^{m \times n}")
    ),
    "a statement that samples what the header does not name": algorithm(
        r"$W \sim \mathcal{N}(0, 1)$", r"\Return $W x$", rows=(FAMILY, r"W \in \mathbb{R}^{m \times n}")
    ),
    "values of several symbols in a row": module(r"\Return a x + b", rows=(FAMILY, "a = 0.9, b = 0.8")),
    "a list of values in a row": module(r"\Return a x + b", rows=(FAMILY, "a, b = 0.9, 0.8")),
    "a function of a vector for a matrix": module(r"f(u) \gets \sum_j u_j^2", r"\Return f(X)", header="X ; ", rows=(WIDE,)),
    "a function of the document for a matrix": r"f(u) \gets \softmax(u) \\ " + module(r"\Return f(X)", header="X ; ", rows=(WIDE,)),
    **both("a sum without its index", r"y \gets \sum x_i", "y"),
    **both("ends without their index", r"y \gets \sum_1^n x_i", "y"),
    **both("a sum over listed indices", r"y \gets \sum_{i \in \{1, n\}} x_i", "y"),
    **both("an index with a label", r"y \gets \sum_{i_1=1}^{n} x_{i_1}", "y"),
    **both("a transpose beside an index", r"y \gets X_{i^\top}", "y"),
    "an array in an interval": module(r"\Return 2 p", header="p ; ", rows=(r"p \in [0, 1]^n",)),
    "a union of sets": module(
        r"\Return [\sum_{j \in \mathcal{N}_i \cup \{i\}} x_j]_{i=1}^n",
        header=r"x, \mathcal{N} ; ",
        rows=(FAMILY, r"\mathcal{N}_i \subseteq \{1, \dots, n\}, i = 1, \dots, n"),
    ),
    "a set of edges": module(
        r"\Return \sum_{(i, j) \in \mathcal{E}} x_i x_j",
        header=r"x, \mathcal{E} ; ",
        rows=(
            r"\mathcal{V} = \{1, \dots, n\}",
            r"x_i \in \mathbb{R}, i \in \mathcal{V}",
            r"\mathcal{E} \subseteq \mathcal{V} \times \mathcal{V}",
        ),
    ),
    **{
        f"a loop over {over}": algorithm(r"$s \gets 0$", rf"\For{{${over}$}}", r"$s \gets s + t$", r"\EndFor", r"\Return $s$")
        for over in (r"t \in \{4, 1, 2\}", "t = 1, 2, 4", r"t = 0, 0.1, \dots, 1", r"t = 1, \dots, x_1", r"t = 1, \dots, \sqrt{n}")
    },
    "a list of values that is required": algorithm(r"\Return $a x + b$", rows=(FAMILY, "a, b = 0.9, 0.8")),
}


@pytest.mark.parametrize("name", TAKEN_OUT)
def test_it_is_refused(name: str) -> None:
    found = compile(TAKEN_OUT[name])
    assert not found.ok
    assert any(one.severity == "error" and one.code for one in found.diagnostics)


def test_a_class_that_equations_describe_is_no_program() -> None:
    text = 'class Tanh:\n    r"""Tanh.\n\n    .. math::\n        \\text{Tanh}(x) = \\tanh(x)\n    """\n'
    assert [one.code for one in compile_files([SourceFile("model.py", text, part="Tanh")]).diagnostics] == ["E0107"]
