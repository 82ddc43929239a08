r"""The table of readings: each reading has a program with that meaning, and what nothing decides is refused in the row's words.

`VALUES` holds, for each row, the inputs of its programs and what each of them means in plain torch.
"""

from __future__ import annotations

import ast
import html
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl.api import CompileResult, compile_files
from mathdsl.diagnostics import CATALOGUE
from mathdsl.diagnostics.explain import explain, readings_page
from mathdsl.diagnostics.model import InternalError
from mathdsl.diagnostics.readings import READINGS, Ambiguity, names, notation, products, ranges, types
from mathdsl.diagnostics.readings.page import find_section, list_sections, read_section
from mathdsl.spans import SourceFile

PACKAGE = Path(__file__).parent.parent / "mathdsl"
Meaning = Callable[..., Any]


def vector(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


X, Y, Z = vector(0.5, -1.0, 2.0), vector(1.5, 0.25, -0.75), vector(-0.5, 3.0, 1.0)
A = torch.stack([X, Y, Z])
WIDE = A[:2]
INTEGERS = (torch.tensor(2), torch.tensor(3))
NUMBERS = (vector(2.0)[0], vector(-3.0)[0], vector(0.5)[0])
K = torch.tensor(2)


VALUES: dict[str, tuple[tuple[tuple[Any, ...], Meaning], ...]] = {
    names.AT_ONCE_OR_IN_TURN.name: (
        ((X, Y[:2]), lambda w, a: torch.stack([w[0], a[1] * w[0], a.prod() * w[0]])),
        ((X, Y[:2]), lambda w, a: w[0] * torch.stack([a[1] ** 0, a[1], a[1] ** 2])),
    ),
    notation.COMMA_IN_A_NUMBER.name: (((X, Y), lambda x, y: 1234 * x), ((X, Y), lambda x, y: 1.234 * x)),
    notation.SCRIPT_OF_SEVERAL.name: (((X, Y, NUMBERS[0]), lambda w, v, h: w), ((X, Y, NUMBERS[0]), lambda w, v, h: v * h)),
    notation.ACCENT_OF_SEVERAL.name: (((X, Y, NUMBERS[0]), lambda n, x, y: n), ((X, Y, NUMBERS[0]), lambda n, x, y: x * y)),
    notation.ARGUMENT_OF_SEVERAL.name: (((X.abs(),), lambda x: (2 * x).sqrt()), ((X.abs(),), lambda x: 2**0.5 * x)),
    notation.ROOT_OF_SEVERAL.name: (
        ((X, vector(4.0)[0], vector(9.0)[0]), lambda x, named, d: x / 2),
        ((X, Y.abs()), lambda x, d: x / d.sqrt()),
    ),
    notation.HIDDEN_BRACES.name: ((NUMBERS, lambda a, b, c: a * (b + c)), (NUMBERS, lambda a, b, c: a * b + c)),
    notation.SPACE_BEFORE_BRACKET.name: (
        ((X[:2], *INTEGERS), lambda a, b, c: a[1] + b + c),
        ((X[:2], *INTEGERS), lambda a, b, c: a * (b + c)),
        ((X[:2], *INTEGERS), lambda a, b, c: a @ torch.stack([b, c]).double()),
    ),
    notation.PARTED_BY_SPACES.name: ((NUMBERS, lambda a, b, c: c * torch.stack([a, b])), (NUMBERS, lambda a, b, c: c * a * b)),
    notation.PRODUCT_BEHIND_SLASH.name: ((NUMBERS, lambda a, b, c: a / (b * c)), (NUMBERS, lambda a, b, c: a / b * c)),
    notation.REMAINDER_BEHIND_A_SUM.name: ((NUMBERS, lambda a, b, c: (a + b) % c), (NUMBERS, lambda a, b, c: a + b % c)),
    notation.BARS_IN_A_ROW.name: (
        (NUMBERS, lambda a, b, c: a.abs() * b * c.abs()),
        (NUMBERS, lambda a, b, c: (a * b.abs() * c).abs()),
    ),
    notation.EQUATION_BEHIND_SPACE.name: (
        ((X,), lambda x: 3 * x),
        ((X,), lambda x: x),
        ((X, vector(3.0)[0]), lambda x, k: x),
    ),
    notation.ONE_ITEM_IN_BRACKETS.name: ((NUMBERS, lambda a, b, c: a + 1), (NUMBERS, lambda a, b, c: a[None])),
    notation.DOUBLE_BARS.name: (((X, Y), lambda x, y: 2 * x.norm()), ((X, Y), lambda x, y: torch.cat([x, y]))),
    notation.BODY_OF_A_SUM.name: (
        ((X, Y, NUMBERS[0]), lambda x, y, c: x @ y + c),
        ((X, Y, NUMBERS[0]), lambda x, y, c: (x * y + c).sum()),
    ),
    notation.POWER_OF_A_CALL.name: ((NUMBERS[:1], lambda x: x.cos() ** 2), (NUMBERS[:1], lambda x: x.cos().cos())),
    notation.TWO_NUMBERS_OF_A_RANGE.name: (
        ((vector(1, 2, 4, 8),), lambda x: x[:3].sum()),
        ((vector(1, 2, 4, 8),), lambda x: x[0] + x[2]),
    ),
    notation.FACTORIAL_BEHIND_A_POWER.name: (
        (INTEGERS, lambda a, k: vector(40320.0)[0]),
        (INTEGERS, lambda a, k: torch.tensor(64)),
    ),
    notation.FACTORIAL_BEHIND_A_CALL.name: (
        (INTEGERS, lambda a, k: vector(6.0)[0]),
        (INTEGERS, lambda a, k: vector(3.0)[0]),
    ),
    notation.MARK_BEFORE_EQUALS.name: ((INTEGERS, lambda a, k: torch.tensor(0)), (INTEGERS, lambda a, k: torch.tensor(1))),
    notation.POWER_OF_A_FUNCTION.name: ((NUMBERS[:1], lambda x: (x + 1) ** 2), (NUMBERS[:1], lambda x: x + 2)),
    notation.MINUS_BEFORE_A_POWER.name: ((NUMBERS[:1], lambda x: -(x**2)), (NUMBERS[:1], lambda x: x**2)),
    names.RESERVED_LETTER.name: (((X, NUMBERS[0]), lambda x, e: x.exp()), ((X, NUMBERS[0]), lambda x, a: a * x)),
    names.RESERVED_FAMILY.name: (((X, Y), lambda p, x: p @ x + torch.pi), ((X, Y), lambda p, x: p * x)),
    names.CALL_OR_PRODUCT.name: (((X,), lambda x: 2 * (x + 1)), ((X, NUMBERS[0]), lambda x, f: f * (x + 1))),
    names.ELEMENT_OR_PRODUCT.name: (
        ((X,), lambda x: x[0] + 2 * x[1] + 3 * x[2]),
        ((X,), lambda x: (1 + 4 + 9) * x),
    ),
    names.PRODUCT_OF_LETTERS.name: (
        ((NUMBERS[0], X), lambda a, x: a * x),
        ((NUMBERS[0], X, NUMBERS[1]), lambda a, x, word: word),
    ),
    names.LETTERS_OF_A_SUBSCRIPT.name: (((A,), lambda r: r[:, 0].sum()), ((A, NUMBERS[2]), lambda r, own: own + r[:, 1].sum())),
    names.ELEMENT_OR_SYMBOL.name: (((X,), lambda x: torch.cat([0 * x[:1], 2 * x[1:]])), ((X,), lambda x: 6 * x)),
    ranges.SIZE_OR_ARRAY.name: (((WIDE,), lambda x: x.square().sum() / 3), ((WIDE,), lambda x: x.square().sum(1) + x.square().sum())),
    ranges.INDEX_OR_SIZE.name: (((X,), lambda x: 2 * x[0] + x[1]), ((X, torch.tensor(3)), lambda x, k: x[0] + x[1])),
    ranges.SIZE_OR_ANOTHER.name: (((X,), torch.mean), ((X, torch.tensor(2)), lambda x, k: x[:2].mean())),
    ranges.INDEX_OR_CONDITION.name: (((A, K - 1), lambda a, z: a[:, 0].sum()), ((A,), torch.sum)),
    ranges.UP_OR_DOWN.name: (
        ((X, K - 1, K + 1), lambda x, p, q: 4 * x[0] + 2 * x[1] + x[2]),
        ((X, K + 1, K - 1), lambda x, p, q: x[0] + 2 * x[1] + 4 * x[2]),
    ),
    names.POWER_OR_NAME.name: (((X,), lambda x: 3 * x.sum()), ((X,), lambda x: x @ x + x.norm())),
    names.LABEL_OR_OPERATION.name: (((X, Y), lambda x, y: x - y), ((X,), lambda x: x**2 - torch.relu(x))),
    names.DIGITS_OF_A_SUBSCRIPT.name: (((A,), lambda a: a[0, 1]), ((torch.cat([A] * 4),), lambda a: a[11])),
    names.LABEL_OR_ELEMENT.name: (((X, K), lambda w, y: w[1]), (NUMBERS[:2], lambda w, y: w + y)),
    names.WORD_OF_INDICES.name: (
        ((NUMBERS[0], X), lambda w, x: w * x.sum() ** 2),
        ((X[:, None] * Y, X), lambda w, x: x @ w @ x),
    ),
    names.LABEL_BESIDE_INDEX.name: (((X, Y), lambda w, x: w @ x), (NUMBERS[:2], lambda w, x: w * x)),
    names.HEADER_ELEMENT.name: (((X, NUMBERS[0]), lambda x, h: h + x.sum()), ((X, NUMBERS[0]), lambda x, h: 2 * h + x.sum())),
    names.ROW_OR_ARRAY.name: (((WIDE, A), lambda x, w: x @ w.T), ((WIDE, A), lambda x, w: x @ w.T)),
    names.BOUND_BELOW_A_SOFTMAX.name: (((X,), lambda x: x.softmax(0)), ((X,), lambda x: vector(1, 2, 3) @ x.softmax(0))),
    products.TWO_VECTORS.name: (((X, Y), lambda x, y: x @ y), ((X, Y), lambda x, y: x * y)),
    products.TWO_MATRICES.name: (((WIDE, A[1:]), lambda a, b: a @ b.T), ((WIDE, A[1:]), lambda a, b: a * b)),
    products.OUTER_PRODUCT_BESIDE_A_NUMBER.name: (
        ((A, A, X, torch.tensor(2), torch.tensor(3)), lambda p, q, b, u, i: p[1] @ q[2] + b[1]),
        ((A, A, X, torch.tensor(2), torch.tensor(3)), lambda p, q, b, u, i: torch.outer(p[1], q[2]) + b[1]),
    ),
    products.INNER_PRODUCT_IN_A_SUM.name: (((X, Y, Z), lambda w, a, b: w - a * b), ((X, Y, Z), lambda w, a, b: w - a @ b)),
    types.BARS_AROUND_A_VECTOR.name: (
        ((X, Y), lambda x, y: 3 * y),
        ((X, Y), lambda x, y: x.norm() * y),
        ((X,), lambda x: x.abs()),
    ),
    types.BARS_AROUND_A_MATRIX.name: (
        ((A,), lambda a: torch.tensor(3)),
        ((A,), lambda a: a.norm()),
        ((A,), lambda a: a.abs()),
        ((A,), torch.linalg.det),
    ),
    types.INDEX_OR_POWER.name: (((X, Y), lambda g, x: g * x), ((NUMBERS[0], X), lambda g, x: vector(2, 4, 8) * x)),
    types.INDEX_OR_POWERS.name: (((X,), lambda v: v.sum()), ((X,), lambda v: v + v**2 + v**3)),
    types.TRANSPOSE_OR_POWER.name: (((X, NUMBERS[0]), lambda x, t: x @ x * t), ((X.abs(), NUMBERS[0]), lambda x, t: x**2)),
    types.ELEMENT_OF_A_TRANSPOSE.name: (((A,), lambda a: a[1, 0]), ((A,), lambda a: a[0, 1])),
    types.ELEMENT_OF_AN_INVERSE.name: (((A,), lambda a: 1 / a[0, 1]), ((A,), lambda a: a.inverse()[0, 1])),
    types.INDEX_IN_PARENTHESES.name: (((X,), lambda x: x.sum()), (NUMBERS[:1], lambda x: x + x**2 + x**3)),
    types.ELEMENT_OF_A_POWER.name: (((A,), lambda a: (a @ a)[0, 1]), ((A,), lambda a: a[0, 1] ** 2)),
    types.POWER_OF_A_CALLED_MATRIX.name: (
        ((A, X), lambda a, x: a.tanh() @ a.tanh() @ x),
        ((A, X), lambda a, x: a.tanh() ** 2 @ x),
    ),
    types.POWER_OF_A_MATRIX.name: (((A, X), lambda a, x: a @ a @ x), ((Y, X), lambda a, x: a**2 * x)),
    types.INVERSE_FUNCTION.name: ((NUMBERS[:1], lambda x: 1 / x.tan()), (NUMBERS[:1], lambda x: x.atan())),
    types.POWER_OR_LIST.name: ((NUMBERS[:2], lambda a, b: b + a**2), (NUMBERS[:2], lambda a, b: torch.stack([b + a, b + a]))),
    types.REACH_OF_AN_ARGUMENT.name: (((A, X), lambda a, x: a.tanh() @ x), ((A, X), lambda a, x: (a @ x).tanh())),
    types.VALUES_OR_LIST.name: (((X, Y), torch.maximum), ((X, Y), lambda x, y: torch.cat([x, y]).max())),
    types.REDUCTION_OF_A_MATRIX.name: (
        ((WIDE,), lambda x: x.amax(0)),
        ((WIDE,), lambda x: x.amax(1)),
        ((WIDE,), lambda x: x.max()),
    ),
    products.FACTOR_BEHIND_A_PRODUCT.name: (
        ((X, NUMBERS[0]), lambda x, c: x.prod() * c),
        ((X, NUMBERS[0]), lambda x, c: (x * c).prod()),
    ),
    products.MATRICES_BEFORE_A_VECTOR.name: (
        ((torch.stack([A, A + 1]), X), lambda a, x: a[0] @ a[1] @ x),
        ((torch.stack([A, A + 1]), X), lambda a, x: (a[0] @ x) * (a[1] @ x)),
    ),
    types.FIRST_INDEX.name: (((X,), lambda p: p[0] + p[1]), ((X,), lambda p: p[1] + p[2])),
    types.MATRIX_BY_LETTER.name: (((X, A), lambda x, w: w @ x), ((X, NUMBERS[0]), lambda x, w: w * x)),
    types.VECTOR_BY_LETTER.name: (((X, Y), lambda w, x: w @ x), (NUMBERS[:2], lambda w, x: w * x)),
    types.NUMBER_BY_LETTER.name: (((NUMBERS[0], A, X), lambda eta, a, x: eta * (a @ x)), ((X, A, X), lambda eta, a, x: eta @ a @ x)),
    types.MATRIX_BY_INDICES.name: (
        ((WIDE, X), lambda w, x: w @ x),
        ((A.expand(2, 3, 3, 3), A), lambda w, x: torch.einsum("ijkd,jd->ik", w, x)),
    ),
    types.LIST_OF_EQUAL_VALUES.name: (
        (NUMBERS[:2], lambda a, b: torch.stack([b + a, b + a])),
        (NUMBERS[:2], lambda a, b: b + a**2),
    ),
    notation.WORD_BELOW_A_SOFTMAX.name: (((WIDE,), lambda x: x.softmax(1)), ((WIDE,), lambda x: x.softmax(0))),
    types.ROWS_OF_A_MATRIX.name: (((WIDE,), lambda x: torch.tensor(2)), ((WIDE,), lambda x: x.norm())),
    types.EXPONENTIAL_OF_A_MATRIX.name: (((A, X), lambda a, x: a.exp() @ x), ((A,), torch.matrix_exp)),
    notation.STAR.name: (
        ((X, Y), lambda w, x: w * x),
        ((X, Y), lambda w, x: torch.stack([0 * w[0], w[0] * x[0], w[0] * x[1] + w[1] * x[0]])),
    ),
    notation.SLASH_BEHIND_AN_ARGUMENT.name: (
        ((NUMBERS[0], NUMBERS[2]), lambda a, b: a.log() / b),
        ((NUMBERS[0], NUMBERS[2]), lambda a, b: (a / b).log()),
    ),
    types.ROW_LEFT_OF_A_MATRIX.name: (((X, A), lambda x, w: x @ w), ((X[:, None], X[None]), lambda x, w: x @ w)),
    types.EACH_ROW.name: (((WIDE, A), lambda w, f: f @ w.T), ((WIDE, A), lambda w, f: w @ f)),
}
# modules that a caller passes in
PASSED: dict[str, Callable[[Tensor], Tensor]] = {
    types.BARS_AROUND_A_MATRIX.name: torch.linalg.det,
    types.ELEMENT_OF_AN_INVERSE.name: torch.linalg.inv,
    types.EXPONENTIAL_OF_A_MATRIX.name: torch.matrix_exp,
}
EACH = [pytest.param(row, k, id=f"{row.name} {k + 1}") for row in READINGS for k in range(len(row.readings))]
REFUSED = [pytest.param(row, id=row.name) for row in READINGS if row.code.startswith("E")]
NOTED = [pytest.param(row, id=row.name) for row in READINGS if row.code.startswith("N")]


def compiled(text: str) -> CompileResult:
    return compile_files([SourceFile("-", text)])


def value_of(text: str, inputs: tuple[Any, ...], passed: Callable[[Tensor], Tensor] | None) -> Tensor:
    result = compiled(text)
    assert [d for d in result.diagnostics if d.severity == "error"] == []
    program = result.load().F
    if inspect.isclass(program):
        needs = list(inspect.signature(program).parameters)
        program = program(**{name: passed if name == "g" else 3 for name in needs}).double()
    return program(*inputs)


@pytest.mark.parametrize(("row", "place"), EACH)
def test_a_reading_has_a_program_of_that_meaning(row: Ambiguity, place: int) -> None:
    inputs, meaning = VALUES[row.name][place]
    found = value_of(row.readings[place].program, inputs, PASSED.get(row.name))
    torch.testing.assert_close(found, meaning(*inputs), check_dtype=False)


@pytest.mark.parametrize("row", REFUSED)
def test_what_nothing_decides_is_refused_in_the_words_of_the_row(row: Ambiguity) -> None:
    (told,) = [d for d in compiled(row.program).diagnostics if d.severity == "error"]
    assert (told.code, told.message, told.help) == (row.code, row.message(row.letters), row.help(row.letters))


@pytest.mark.parametrize("row", NOTED)
def test_what_a_rule_decides_is_noted(row: Ambiguity) -> None:
    result = compiled(row.program)
    assert result.ok
    (told,) = [d for d in result.diagnostics if d.severity == "note"]
    assert told.code == row.code
    assert any(line.endswith(row.noted) for line in told.notes)
    inputs, meaning = VALUES[row.name][0]
    torch.testing.assert_close(value_of(row.program, inputs, None), meaning(*inputs), check_dtype=False)


@pytest.mark.parametrize("row", REFUSED)
def test_the_program_of_a_reading_does_what_the_help_says(row: Ambiguity) -> None:
    for reading in row.words(row.letters):
        program = re.sub(r"\s", "", reading.program)
        for shown in re.findall(r"`([^`]+)`", reading.choice):
            pattern = re.escape(re.sub(r"\s", "", shown)).replace(r"\.\.", ".+").replace("…", ".+")
            assert re.search(pattern, program), f"`{shown}` of the help is not in the program of this reading"


def test_the_names_of_rows_differ_and_each_has_two_readings() -> None:
    assert len({row.name for row in READINGS}) == len(READINGS)
    assert all(len(row.readings) >= 2 and bool(row.code) == bool(row.program) for row in READINGS)
    assert VALUES.keys() == {row.name for row in READINGS}


# ---- the compiler and the table ------------------------------------------------------------------

OUTSIDE = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "diagnostics"]
OF_ROWS = {name: row for stage in (notation, names, types) for name, row in vars(stage).items() if isinstance(row, Ambiguity)}


def _strings(tree: ast.AST) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_words_of_two_readings_stand_in_the_table_alone() -> None:
    told = re.compile(r"\b(?:can|could|may) be\b.*\bor\b|\b(?:two|both|several) readings\b|in more than one way|\bis not clear\b")
    found = [(path.name, text) for path in OUTSIDE for text in _strings(ast.parse(path.read_text(encoding="utf-8"))) if told.search(text)]
    assert found == []


def test_codes_of_readings_alone_are_given_by_rows() -> None:
    others = {"E0224", "E0301", "E0303", "E0409", "E0502", "E0505", "E0220", "E0701", "N0301"}
    own = {row.code for row in READINGS if row.code} - others
    for path in OUTSIDE:
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call) and node.args]
        told = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("refuse", "error", "Diagnostic")]
        given = {code.value for code in told if isinstance(code, ast.Constant)}
        assert not given & own, f"{path.name} gives a code of the table of readings itself"


def test_each_row_that_refuses_is_asked_about_with_its_letters() -> None:
    asked: dict[str, set[frozenset[str]]] = {}
    for path in OUTSIDE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute | ast.Name):
                asked.setdefault(node.attr if isinstance(node, ast.Attribute) else node.id, set())
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("ambiguous", "undecided"):
                letters = {keyword.arg or "" for keyword in node.keywords} - {"label", "labels"}
                asked.setdefault(ast.unparse(node.args[0]).rpartition(".")[2], set()).add(frozenset(letters))
    for name, row in OF_ROWS.items():
        if row.code.startswith("E"):
            assert name in asked, f"nothing asks about {name}"
            assert all(row.letters.keys() <= given for given in asked[name]), name


@pytest.mark.parametrize("row", REFUSED)
def test_explanations_show_the_rows_of_their_code(row: Ambiguity) -> None:
    assert row.code in CATALOGUE
    text = explain(row.code) or ""
    assert all(shown in text for shown in (row.message(row.letters), row.program, *(own.program for own in row.readings)))


def test_the_page_has_a_section_for_each_row_in_their_order() -> None:
    assert list(list_sections()) == [row.name for row in READINGS]
    for row in READINGS:
        section = find_section(row.name)
        assert all(reading.meaning in section.message for reading in section.readings), row.name


def test_a_section_that_says_less_than_a_row_is_our_mistake() -> None:
    name = notation.ACCENT_OF_SEVERAL.name
    with pytest.raises(InternalError, match=name):
        read_section(name, list_sections()[name].replace("What decides: nothing: braces are written.", ""))


def test_the_page_is_read_only_where_a_row_is_asked() -> None:
    code = r"""
from mathdsl.api import compile_files
from mathdsl.diagnostics.readings.page import read_page
from mathdsl.spans import SourceFile
def compiled(program):
    compile_files([SourceFile("-", r"\Module{F}{a \in \mathbb{R}^n, b \in \mathbb{R}^n} \Return " + program + r" \\ \EndModule")])
    return read_page.cache_info().currsize
print(compiled(r"a \cdot b"), compiled("a b"))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert ran.stdout.split() == ["0", "1"]


def test_the_page_of_readings_is_a_document_that_compiles() -> None:
    result = compile_files([SourceFile("readings.md", readings_page())])
    assert result.ok, [d.message for d in result.diagnostics if d.severity == "error"]
    page = result.render("html")
    assert isinstance(page, bytes)
    text = html.unescape(re.sub(r"<[^>]+>", "", page.decode())).replace("\u2019", "'")
    assert [row.name for row in READINGS if row.name.replace("`", "")[1:] not in text] == []
