"""Whatever the input holds, it ends in a result or in diagnostics with a place; nothing of it leaves strings and comments."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from mathdsl.api import compile_files
from mathdsl.render.forms import Form
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile

EXAMPLES = Path(__file__).parent.parent / "examples"
SCALAR = r"x \in \mathbb{R} & the input \\"


def compiled(text: str) -> CompileResult:
    """The result of a text, after looking at the places of all that was found."""
    result = compile_files([SourceFile("-", text)])
    for found in result.diagnostics:
        assert found.span.file == "-"
        assert 0 <= found.span.start <= found.span.end <= len(text), found
        assert found.span.start < found.span.end or found.code == "E0107", found
    if result.ok:
        ast.parse(result.source)
    return result


def module(body: str, header: str = "x ; ", table: str = SCALAR) -> str:
    return f"\\Module{{M}}{{{header}}}\n{body}\n\\EndModule\n\\begin{{where}}\n{table}\n\\end{{where}}\n"


def returned(value: str, **parts: str) -> str:
    return module(rf"\Return {value} \\", **parts)


def doubling_modules() -> str:
    first = "\\Module{A}{x \\in \\mathbb{R} ; }\n\\Return x + 1 \\\\\n\\EndModule\n"
    return first + "".join(
        f"\\Module{{{b}}}{{x \\in \\mathbb{{R}} ; }}\n\\Return \\mathrm{{{a}}}(\\mathrm{{{a}}}(x)) \\\\\n\\EndModule\n"
        for a, b in pairwise("ABCDEFGHIJKLMNO")
    )


def doubling_functions() -> str:
    letters = "abcdefghijklmno"
    calls = " ".join(rf"f_{{{b}}}(x) \gets f_{{{a}}}(f_{{{a}}}(x)) \\" for a, b in pairwise(letters))
    return module(rf"f_{{a}}(y) \gets y + y \\ {calls} \Return f_{{o}}(x) \\")


DEEP = 10_000
TEXTS: dict[str, tuple[str, str]] = {
    "nothing": ("", "E0107"),
    "a module without a name": ("\\Module{}{}\n\\EndModule\n", "E0226"),
    "a module and no more": (r"\Module", "E0223"),
    "an empty module": ("\\Module{M}{ ; }\n\\EndModule\n", "E0606"),
    "a row without a type": (returned("x", table=r"x & the input \\"), "E0701"),
    "a type behind a description": (returned("x", table=r"x & W \in \mathbb{R} \\"), "E0227"),
    "an empty list": (returned(r"\{ \}^{1} || x"), "E0405"),
    "a module in a table": (
        r"\begin{document}\begin{mathdsl}\Module{M}{x ; } \Return x \\ \EndModule\end{mathdsl}"
        r"\begin{where} \Module{N}{x ; } \\ \end{where}\end{document}",
        "E0221",
    ),
    "parentheses": (returned("(" * DEEP + "x" + ")" * DEEP), "E0216"),
    "open parentheses": (returned("(" * DEEP + "x"), "E0216"),
    "braces": (returned("{" * DEEP + "x" + "}" * DEEP), "E0216"),
    "fractions": (returned(r"\frac{1}{" * DEEP + "x" + "}" * DEEP), "E0216"),
    "environments": (returned(r"\begin{cases} " * 2000 + "x" + r" & otherwise \end{cases}" * 2000), "E0216"),
    "comprehensions": (returned(r"\{" * 2000 + "x" + r" ; s \in S\}" * 2000), "E0216"),
    "subscripts": (returned("x_{" * 2000 + "1" + "}" * 2000), "E0216"),
    "a long sum": (returned(" + ".join("x" * 5000)), "E0216"),
    "a long product": (returned(" ".join("x" * 5000)), "E0216"),
    "many functions of one another": (returned(r"\tanh " * 3000 + "x"), "E0216"),
    "brackets that Python does not read": (returned(r"\tanh " * 190 + "x"), "E0782"),
    "many cases": (returned(r"\begin{cases} " + r"x & x > 1 \\ " * 2000 + r"x & otherwise \end{cases}"), "E0216"),
    "many blocks": (module(r"\begin{group}" * 3000 + r"y \gets x \\" + r"\end{group}" * 3000 + r"\Return y \\"), "E0216"),
    "modules that double": (doubling_modules(), ""),
    "functions that double": (doubling_functions(), "E0609"),
    "a macro of itself": (r"\def\xa{\xa\xa}" + returned(r"\xa"), "E0110"),
    "a number beyond all": (returned("x + 1e999"), "E0229"),
    "a number of many digits": (returned("x + " + "1" * 10_000), "E0229"),
    "a power beyond all": (returned("9^{9^{9^{9}}}"), "E0411"),
    "a real power": (returned("x + 10^{30}"), ""),
    "a large index": (returned("x[99999999999999999999]", table=r"x \in \mathbb{R}^{n} \\"), "E0411"),
    "a large size": (returned("x", table=r"x \in \mathbb{R}^{99999999999999999999} \\"), "E0411"),
    "a size of many terms": (returned("x", table=r"x \in \mathbb{R}^{(((a+b+c+d)^8)^8)^8} \\"), "E0403"),
    "several factors that are even": (returned(r"a x \text{ is even}", header="x, a ; ", table=r"x, a \in \mathbb{Z} \\"), ""),
    "a number that is even, and a brace too few": (returned(r"\beginx{cases} x & x \text{ is even} \end{cases}"), "E0203"),
    "a range of itself": (module(r"y_t \gets x \quad (t = 1, \dots, t+1) \\ \Return y \\"), "E0505"),
    "a range of another index": (
        returned("x", table=r"x_t \in \mathbb{R}, int = 0, \dots, L \\"),
        "E0505",
    ),
    "an element before the first": (
        module(r"h_0 \gets x \\ h_t \gets h_{t-1} + h_{-1} \quad (t = 1, \dots, n) \\ \Return h \\"),
        "E0503",
    ),
}


@pytest.mark.parametrize(("text", "code"), TEXTS.values(), ids=TEXTS)
def test_every_text_ends_in_a_result_or_in_its_diagnostic(text: str, code: str) -> None:
    result = compiled(text)
    assert result.ok if not code else code in [d.code for d in result.diagnostics if d.severity == "error"], result.diagnostics


# ---- text that wants to be code ------------------------------------------------------------------

ESCAPES = (
    '"""',
    "'''",
    '\\"""\\',
    'a"',
    "{{ 7 * 111111 }} {% for x in y %}",
    "{x} {{x}} {0}",
    r"\n import os \x22 \u0022 \N{BULLET}",
    "ends in a backslash \\\\",
    "\u202eleft\u2066 and \u2028 next",
    "type: ignore",
    "mypy: ignore-errors",
    r"\% and \# and $x$",
)


@pytest.mark.parametrize("escape", ESCAPES)
def test_prose_stays_text(escape: str) -> None:
    """`EVIL` stands in docstrings and comments alone, and the code around it is the same as without it."""

    def text(words: str) -> str:
        return module(rf"y \gets x + 1 \Comment{{{words}}} \\ \Return y \\", table=rf"x \in \mathbb{{R}} & {words} \\")

    result, plain = compiled(text(f"{escape} EVIL = 1")), compiled(text("words"))
    if not result.ok:  # a character that no text may hold is refused
        return
    assert "777777" not in result.source
    assert not re.search("[\u2028\u202e\u2066]", result.source)
    assert re.search(r"^\s*# (?:type|mypy):", result.source, re.MULTILINE) is None
    assert _code(result.source) == _code(plain.source)


def _code(source: str) -> list[str]:
    """The statements of a generated file, without docstrings and facts about the file."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and isinstance(node.body[0], ast.Expr):
            del node.body[0]
    return [ast.dump(node) for node in tree.body if not (isinstance(node, ast.AnnAssign) and "__mathdsl__" in ast.dump(node.target))]


NAMES = ("class", "None", "torch", "self", "print", "super", "float", "type", "Mapping", "math", "lengths", "forward", "import", "Module")


@pytest.mark.parametrize("name", NAMES)
def test_modules_and_symbols_may_have_any_word_as_name(name: str) -> None:
    text = (
        f"\\Module{{{name}}}{{x \\in \\mathbb{{R}} ; }}\n\\Return \\operatorname{{GELU}}(x) \\\\\n\\EndModule\n"
        f"\\Module{{Other}}{{\\mathrm{{{name}}} \\in \\mathbb{{R}} ; f \\in \\mathrm{{{name}}}(), W_{{{name}}} \\in \\mathbb{{R}}}}\n"
        f"\\Return f(\\mathrm{{{name}}}) W_{{{name}}} \\\\\n\\EndModule\n"
    )
    result = compiled(text)
    if not result.ok:  # an input may clash with the module of that name, which is said
        return
    imported = re.findall(r"^(?:import|from \S+ import) (\w+)", result.source, re.MULTILINE)
    defined = [node.name for node in ast.parse(result.source).body if isinstance(node, ast.ClassDef)]
    assert len({*imported, *defined}) == len(imported) + len(defined)
    assert not {"torch", "super", "float", "print"} & set(defined)


# ---- random mistakes -----------------------------------------------------------------------------

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]+|\d+|\s+|.", re.DOTALL)
ODD = ("\x00", "\u202e", "é", "\\", "{", "}", "$", "%", "#", "&", "^", "_", '"', "{{", "}}", "\ud800", "²", "ℝ", "10^{999}", "0", "-1")
PROGRAMS = [
    TOKEN.findall((EXAMPLES / f"{name}.tex").read_text(encoding="utf-8").partition("\\begin{document}")[2]) for name in ("elman", "rhn")
]


@seed(20)
@settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_program_with_random_mistakes_ends_in_diagnostics(data: st.DataObject) -> None:
    tokens = list(data.draw(st.sampled_from(PROGRAMS)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        other = data.draw(st.one_of(st.sampled_from(tokens), st.sampled_from(ODD), st.just("")))
        tokens[at : at + data.draw(st.integers(0, 1))] = [other]
    compiled("\\begin{document}" + "".join(tokens))


def test_a_submodule_of_a_broken_type_that_is_never_called() -> None:
    text = r"""
    \Module{C}{x ; W} \Return W \gets x \\ \EndModule
    \Module{F}{x \in \mathbb{R}^{n} ; c \in \mathrm{C}(n)} \Return x \\ \EndModule
    """
    assert [d.code for d in compiled(text).diagnostics if d.severity == "error"] == ["E0207"]


def test_an_empty_loop_in_a_branch_has_an_end() -> None:
    text = r"""
    \algoProc{\F}\pa{x, c} \\
      \algoIf{c > 0} \\
        \algoFor{t \in \set{1, \dots, S}} \\ y_t \algoEq x_t \\ \algoEndFor \\
      \algoElse \\
        \algoFor{t \in \set{1, \dots, S}} \\ y_ \\ \algoEndFor \\
      \algoEndIf \\
      \algoReturn y \\
    \algoEndProc
    """
    assert not compiled(text).ok


def test_an_array_that_is_an_element_of_itself_has_no_shape() -> None:
    text = r"""
    \begin{algorithmic}
    \Procedure{Loop}{$x$}
      \For{$t = 1$ to $S$}
        \State $a_t \gets a$
      \EndFor
      \State $a \gets a_1$
      \State \Return $a$
    \EndProcedure
    \end{algorithmic}
    """
    assert not compile_files([SourceFile("-", text)]).ok


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_half_a_character_in_prose_reaches_no_file(form: Form) -> None:
    text = "Some\ud800 *prose*\n\n```mathdsl\n\\Module{A}{x \\in \\mathbb{R}^{n}} \\Return 2 x \\\\ \\EndModule\n```\n"
    assert "prose" in compile_files([SourceFile("a.md", text)]).render(form).decode("utf-8")
