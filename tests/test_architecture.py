"""The shape of the compiler: imports point one way, and every code and every pass is tested in both directions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from mathdsl.diagnostics import CATALOGUE

PACKAGE = Path(__file__).parent.parent / "mathdsl"
TESTS = Path(__file__).parent

# From the bottom to the top; the members of one tier do not import each other.
TIERS = (
    {"dataclass"},
    {"spans", "room", "vocabulary"},
    {"diagnostics"},
    {"source"},
    {"syntax"},
    {"ir"},
    {"ops"},
    {"library"},
    {"elaborate"},
    {"analysis"},
    {"passes"},
    {"tensors"},
    {"backends"},
    {"render"},
    {"loading"},
    {"result"},
    {"api"},
    {"report"},
    {"__init__"},
    {"reference"},
    {"demo"},
    {"cli", "notebook"},
    {"__main__"},
)
ORACLE_IMPORTS = {"dataclass", "spans", "ir", "ops", "library", "tensors"}
RANK = {part: rank for rank, tier in enumerate(TIERS) for part in tier}


def part_of(path: Path) -> str:
    """The part of the package that a file belongs to: its folder, or its own name at the top."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def imports_of(path: Path) -> frozenset[str]:
    """The full names of all modules that a file imports, anywhere in it, but for what only a type checker reads."""
    names: set[str] = set()
    for node in _run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} if node.module == "mathdsl" else {node.module or ""}
    return frozenset(names - {"mathdsl.__version__"})


def _run_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield from _run_time_nodes(child)


def imported_parts(path: Path) -> set[str]:
    """The parts of mathdsl that a file imports; the package itself counts as `__init__`."""
    own = [name.split(".") for name in imports_of(path) if name.split(".")[0] == "mathdsl"]
    return {name[1] if len(name) > 1 and name[1] in {*RANK, "oracle"} else "__init__" for name in own}


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    part = part_of(path)
    if part == "oracle":
        assert imported_parts(path) <= ORACLE_IMPORTS | {"oracle"}
        return
    assert part in RANK, f"{part} has no place in the order of the parts"
    wrong = {other for other in imported_parts(path) - {part} if RANK.get(other, len(TIERS)) >= RANK[part]}
    assert not wrong, f"{part} must not import {', '.join(sorted(wrong))}"


def test_only_the_demo_imports_torch() -> None:
    importers = {part_of(path) for path in FILES if any(name.split(".")[0] == "torch" for name in imports_of(path))}
    assert importers == {"demo"}


def test_the_oracle_is_plain_python() -> None:
    foreign = {name.split(".")[0] for path in FILES if part_of(path) == "oracle" for name in imports_of(path)}
    assert not foreign & {"torch", "numpy", "sympy", "lark", "jinja2"}


def test_files_and_functions_stay_small() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 600, f"{path.name} is too long for one purpose"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                assert length <= 70, f"{path.name}: {node.name} has {length} lines"


# Lines of Python by folder. A budget only falls: each step of the plan lowers it, and nothing raises it. A new folder gets its own.
BUDGETS = {
    "analysis": 2_540,
    "backends": 2_115,
    "cli": 475,
    "demo": 1_055,
    "diagnostics": 1_100,
    "elaborate": 28_070,
    "ir": 2_760,
    "library": 160,
    "notebook": 995,
    "ops": 1_255,
    "oracle": 1_480,
    "passes": 5_530,
    "reference": 320,
    "render": 9_495,
    "source": 3_045,
    "syntax": 8_060,
    "tensors": 6_835,
}
NEW_FOLDERS = {"reference"}  # have come since the budget of the whole was set
WHOLE_BUDGET = 75_610


def test_no_folder_grows_beyond_its_budget() -> None:
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in FILES}
    folders = {path.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    found = {folder: sum(count for path, count in lines.items() if part_of(path) == folder) for folder in sorted(folders)}
    assert found.keys() == BUDGETS.keys()
    assert {folder: count for folder, count in found.items() if count > BUDGETS[folder]} == {}
    assert sum(count for path, count in lines.items() if part_of(path) not in NEW_FOLDERS) <= WHOLE_BUDGET


def test_dataclasses_are_ours() -> None:
    """`mathdsl/dataclass.py` makes all of them, and nothing sets a field of a frozen one where the type checker does not see it."""
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    assert [path for path in texts if re.search(r"^from dataclasses .*\b(dataclass|field)\b", texts[path], re.M)] == ["dataclass.py"]
    around = {match[1] for text in texts.values() for match in re.finditer(r"object\.__setattr__\(\w+, (\S+),", text)}
    assert around == {'"below"', '"inside"', '"read"', '"places"', '"message"', "part"}, "what is kept of a value, or set before it is seen"


def test_the_type_checker_refuses_to_change_a_value(tmp_path: Path) -> None:
    file = tmp_path / "changing.py"
    file.write_text("from mathdsl.spans import Span\nSpan('-', 0, 1).start = 2\n", encoding="utf-8")
    check = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(file)]
    done = subprocess.run(check, capture_output=True, text=True, check=False, cwd=PACKAGE.parent)
    assert 'Property "start" defined in "Span" is read-only' in done.stdout, done.stdout + done.stderr


def test_every_file_says_what_it_is_for() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or ast.get_docstring(ast.parse(text)), f"{path} has no docstring"


@cache
def _codes_of_tests() -> frozenset[str]:
    """The codes in the diagnostics that cases expect, and those that stand alone as strings of test code."""
    cases = "\n".join(path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("*.md")))
    found = set(re.findall(r"^(?:error|warning|note)\[(\w+)\]", cases, re.MULTILINE))
    for path in sorted(TESTS.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        found |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)} & CATALOGUE.keys()
    return frozenset(found)


@cache
def _tests() -> frozenset[str]:
    """The names of all test functions."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sorted(TESTS.rglob("test_*.py")))
    return frozenset(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_code_has_a_test_and_an_explanation(code: str) -> None:
    row = CATALOGUE[code]
    assert row.title
    assert len(row.explanation.split()) >= 15, f"{code} is not explained"
    assert "`" in row.explanation or "\n    " in row.explanation, f"the explanation of {code} shows no example"
    assert code in _codes_of_tests(), f"no test or case triggers {code}"


def test_every_code_that_is_raised_has_a_row() -> None:
    for path in FILES:
        used = set(re.findall(r"""["']([EWN]\d{4})["']""", path.read_text(encoding="utf-8")))
        assert used <= set(CATALOGUE), f"{path.name}: {used - set(CATALOGUE)}"


def is_pass(node: ast.stmt, name: str) -> bool:
    """Whether a statement is `def NAME(program: Program) -> Program`, or takes and gives a tensor program (and names)."""
    if not isinstance(node, ast.FunctionDef) or node.name != name or not node.args.args or node.returns is None:
        return False
    annotation = node.args.args[0].annotation
    return annotation is not None and ast.unparse(annotation) == ast.unparse(node.returns) in ("Program", "TensorProgram")


def passes() -> list[str]:
    """Every file of a folder `passes` that defines a function of its own name from program to program."""
    files = sorted(PACKAGE.glob("**/passes/*.py"))
    return [path.stem for path in files if any(is_pass(node, path.stem) for node in ast.parse(path.read_text(encoding="utf-8")).body)]


@pytest.mark.parametrize("name", passes())
@pytest.mark.parametrize("verb", ["fires", "declines"])
def test_every_pass_fires_and_declines(name: str, verb: str) -> None:
    """A test function is called `test_NAME_fires…`, another `test_NAME_declines…`."""
    assert any(re.match(rf"test_{name}_\w*{verb}", function) for function in _tests())


def _file_of(name: str) -> Path | None:
    """The file of a module of the package."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return next((found for found in (path.with_suffix(".py"), path / "__init__.py") if found.exists()), None)


@cache
def _files_imported(path: Path) -> frozenset[Path]:
    """The files of the package that a file imports, anywhere in it; `from folder import file` is the file."""
    found: set[Path] = set()
    for node in _run_time_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [full if _file_of(full := f"{node.module}.{alias.name}") else node.module for alias in node.names]
        found |= {file for name in names if name.startswith("mathdsl.") and (file := _file_of(name)) is not None}
    return frozenset(found - {path})


def _reachable(path: Path) -> set[Path]:
    seen: set[Path] = set()
    stack = [*_files_imported(path)]
    while stack:
        current = stack.pop()
        if current not in seen:
            seen.add(current)
            stack.extend(_files_imported(current))
    return seen


def test_no_file_imports_a_file_that_imports_it() -> None:
    circles = {path.relative_to(PACKAGE).as_posix() for path in FILES if path in _reachable(path)}
    assert not circles


def _handed_over(path: Path) -> Iterator[str]:
    """The statements of a file that put a function where another file finds it: `reader.arms = resolve`, `RULES[kind] = rule`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    }
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} | {name for name in imported if name.islower()}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Lambda() | ast.Name() as value):
                if isinstance(value, ast.Lambda) or value.id in functions:
                    yield from (ast.unparse(node) for target in targets if isinstance(target, ast.Attribute))
            case _:
                pass
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
                | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
            ):
                if name in imported:
                    yield ast.unparse(node)
            case _:
                pass


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_is_handed_to_a_file_that_is_imported(path: Path) -> None:
    """A function that is set after construction would be a circle that no import shows."""
    assert not list(_handed_over(path))


def test_no_possessive_groups() -> None:
    """Python 3.11.2, which Debian 12 has, matches nothing with `(…)*+` inside of another group."""
    found = [path.name for path in FILES if re.search(r"\)(?:[*+?]|\{[\d,]+\})\+", path.read_text(encoding="utf-8"))]
    assert found == []


_TAKING_APART = re.compile(
    r"""\.r?partition\(|\.remove(prefix|suffix)\("(\\\\|\})"|\.split\("|\.lstrip\(|\.startswith\("\\\\|^import re$""", re.M
)
_WITH_EXPRESSIONS = {
    "names/names.py",
    "names/python_names.py",
    "types/written_shapes.py",
    "terms/application.py",
}  # of letters, sizes, words of prose


@pytest.mark.parametrize("path", sorted((PACKAGE / "elaborate").rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_spelling_is_taken_apart(path: Path) -> None:
    """A name is a value: what elaboration asks of it are its parts."""
    found = {match[0] for match in _TAKING_APART.finditer(path.read_text(encoding="utf-8"))}
    if path.relative_to(PACKAGE / "elaborate").as_posix() in _WITH_EXPRESSIONS:
        found.discard("import re")
    assert not found
