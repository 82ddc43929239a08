r"""What a program means, row by row: a heading of `tests/cases/contract/` for each row of the tables and each rule of the lists.

A case is a program and what it comes to, one or more times: `given x = [1, 2], W = [[1, 0], [0, 1]]` names inputs, parameters and
constructor arguments of the last module (in the form `given f: …` of the function or module `f`), `gives [1, 2]` what comes of them,
by hand, and `raises words` with what a call is refused. `refused E0401` is the code of a program that is refused. `not yet: E0401`
is the code until the construct is built; what is said after it holds from then on. Another block is a part of the generated code.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from markdown_cases import CASES, Block, Case, load_cases

from mathdsl.api import compile_files
from mathdsl.result import CompileResult, SymbolRow
from mathdsl.spans import SourceFile

_TYPES = {"integer": torch.int64, "boolean": torch.bool}
_GIVEN = re.compile(r"given(?: (?P<of>\w+):)?(?P<values>.*)")
_FILES = {"tex": "-", "document": "d.tex", "py": "d.py", "md": "d.md", "rst": "d.rst"}
ROWS = (CASES / "contract" / "rows.txt").read_text(encoding="utf-8")


def rows() -> list[str]:
    """`expressions: products by type`, for instance: the name of the section, then that of the row."""
    section, found = "", []
    for line in filter(None, map(str.strip, ROWS.split("\n"))):
        if line.startswith("# "):
            section = line[2:]
        else:
            found.append(f"{section}: {line}")
    return found


def test_every_row_of_the_contract_has_its_case() -> None:
    headings = [str(case) for case in load_cases("contract")]
    assert sorted(headings) == sorted(rows())


@pytest.mark.parametrize("case", load_cases("contract"), ids=str)
def test_a_row_means_what_its_case_says(case: Case) -> None:
    assert case.golden is not None
    blocks = [*case.inputs, case.golden]
    programs = [n for n, block in enumerate(blocks) if block.language in _FILES]
    for start, end in zip(programs, [*programs[1:], len(blocks)], strict=True):
        _check(blocks[start], blocks[start + 1 : end])


def _check(program: Block, expected: list[Block]) -> None:
    assert expected, "a program says what it comes to"
    result = compile_files([SourceFile(_FILES[program.language], program.text)])
    codes = [d.code for d in result.diagnostics if d.severity == "error"]
    for block in expected:
        if block.language == "python":
            assert _stripped(block.text) in _stripped(result.source), result.source
            continue
        first, _, values = block.text.partition("\n")
        refusal = re.fullmatch(r"(refused|not yet:) (E\d{4})", first)
        if refusal and (codes or not values):
            assert codes[:1] == [refusal[2]], [(d.code, d.message) for d in result.diagnostics]
        else:
            assert not codes, [(d.code, d.message) for d in result.diagnostics]
            _check_values(result, values if refusal else block.text)


def _stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n") if line.strip())


def _check_values(result: CompileResult, text: str) -> None:
    loaded = result.load()
    of, given, count = "", dict[str, Any](), 0
    for line in text.split("\n"):
        if match := _GIVEN.fullmatch(line):
            of, given = match["of"] or "", dict(_values(match["values"]))
            continue
        names = [row.module for row in result.symbols if row.module]
        subject = getattr(loaded, of or names[-1])
        known = {row.python: row for row in result.symbols if row.module == (of or names[-1])}
        if line.startswith("raises "):
            with pytest.raises(ValueError, match=line.removeprefix("raises ")):
                _computed(subject, given, known)
        else:
            assert line.startswith("gives "), f"`{line}` is neither `given`, `gives` nor `raises`"
            _agree(_computed(subject, given, known), ast.literal_eval(line.removeprefix("gives ").replace("inf", "1e999")))
        count += 1
    assert count, "a case computes something"


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """`x = [1, 2], f.0.W = 3`: names, which may have points, with Python's literals."""
    for name, value in re.findall(r"([\w.]+) = (.*?)(?=, [\w.]+ = |$)", text.strip()):
        yield name, ast.literal_eval(value.replace("nan", "1e999").replace("inf", "1e999"))


def _arguments(subject: Any, given: Mapping[str, Any], shapes: Mapping[str, str]) -> dict[str, Any]:
    """Constructor arguments: those that are given, and sizes from the arrays that have them."""
    extents = dict[str, int]()
    for name, shape in shapes.items():
        if name in given and shape not in ("", "scalar"):
            at = torch.tensor(given[name]).shape
            extents.update(zip(reversed(shape.split(" × ")), reversed(at), strict=False))
    return {name: given.get(name, extents.get(name)) for name in inspect.signature(subject).parameters if name in {**given, **extents}}


def _computed(subject: Any, given: Mapping[str, Any], rows: Mapping[str, SymbolRow]) -> Any:
    types = {name: _TYPES.get(row.type, torch.float64) for name, row in rows.items()}
    shapes = {name: row.shape for name, row in rows.items()}

    def tensor(name: str) -> Any:
        value = given[name]
        if isinstance(value, tuple):
            return tuple(torch.tensor(v, dtype=torch.float64) for v in value)
        return torch.tensor(value, dtype=torch.int64 if name == "lengths" else types.get(name, torch.float64))

    if inspect.isclass(subject):
        made = subject(**_arguments(subject, given, shapes)).double().eval()
        state = made.state_dict()
        assert not (missing := set(state) - set(given)), f"no value for {missing}"
        made.load_state_dict({name: tensor(name) for name in state})
        taken = inspect.signature(made.forward).parameters
    else:
        made, taken = subject, inspect.signature(subject).parameters
    return made(**{name: tensor(name) for name in taken if name in given})


def _agree(found: Any, wanted: Any) -> None:
    if isinstance(found, (tuple, list)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            _agree(one, other)
        return
    torch.testing.assert_close(torch.as_tensor(found).double(), torch.tensor(wanted, dtype=torch.float64), rtol=1e-6, atol=1e-6)
