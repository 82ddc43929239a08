"""The eager backend: a scheduled program to one readable torch file; autograd does the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mathdsl import __version__
from mathdsl.backends.constructor import generate_constructor
from mathdsl.backends.docstrings import docstring
from mathdsl.backends.formatting import format_python
from mathdsl.backends.forward import generate_forward
from mathdsl.backends.line_map import CodeLines, Comment, equation_lines, find_code_lines
from mathdsl.backends.module_names import called_classes, class_references, with_python_names
from mathdsl.dataclass import dataclass
from mathdsl.ir.nodes import Kind, ScheduledModule, ScheduledProgram
from mathdsl.ops import ELEMENTWISE
from mathdsl.tensors.lower.aliases import find_aliases

_TEMPLATES = Path(__file__).parent / "templates"
_IMPORTS = {"math": "", "typing": "", "Callable": "collections.abc", "Mapping": "collections.abc"}  # name to the module that has it
_IMPORTED = re.compile(rf"(?<![\w.])({'|'.join(_IMPORTS)})\b")
_STRINGS = r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
_IN_CODE = re.compile(rf"{_STRINGS}|#[^\n]*|{_IMPORTED.pattern}", re.DOTALL)  # strings and comments are taken whole: no name is in them


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated file, and which of its lines compute which equation."""

    text: str
    lines: tuple[CodeLines, ...]


def generate(program: ScheduledProgram, *, source_hash: str, options: Mapping[str, str]) -> Generated:
    """The Python text of a scheduled program's modules and functions, in the document's order, then of their helpers."""
    program = with_python_names(program, _at_top())
    references = class_references(program, _at_top())
    helpers: dict[str, None] = {}
    equations: list[Comment] = []
    parts = [_definition(program, module, references, helpers, equations) for module in program.modules]
    parts = [*parts, *_helpers(helpers)]  # what the author speaks of stands first; helpers are looked up when a method runs
    imports = _imports(parts)
    text = format_python(_render("file.py.j2", imports=imports, parts=parts))
    lines = find_code_lines(text, equations)
    facts = {
        "version": __version__,
        "source_hash": source_hash,
        "options": dict(sorted(options.items())),
        "lines": equation_lines(lines),
    }
    facts_text = format_python(f"__mathdsl__: dict[str, object] = {facts!r}\n")
    return Generated(f"{text}\n\n{facts_text}", lines)


def _definition(
    program: ScheduledProgram, module: ScheduledModule, references: Mapping[str, str], helpers: dict[str, None], equations: list[Comment]
) -> str:
    """The class or function of one module; after a class that arguments hide elsewhere, its second name."""
    taken = (*_at_top(), *called_classes(module, references))
    forward = generate_forward(program, module, references, taken, helpers)
    equations.extend(forward.equations)
    has_inlined = any("." in array.name for array in module.arrays if array.kind in (Kind.PARAMETER, Kind.BUFFER))
    text = docstring(module, has_inlined, {array: step.target for array, step in find_aliases(module).items()})
    if module.is_function:
        return _render("function.py.j2", name=module.name, docstring=text, forward=forward)
    constructor = generate_constructor(references, module, helpers)
    second = references.get(module.name, module.name)
    return _render("class.py.j2", name=module.name, second=second, docstring=text, constructor=constructor, forward=forward)


def _at_top() -> tuple[str, ...]:
    """The names that the file itself may define or import."""
    return (*_helper_names(), *(f"_{row}" for row in ELEMENTWISE), *_IMPORTS)


def _helpers(wanted: Iterable[str]) -> list[str]:
    """The sources of the helpers that the program calls, in a fixed order."""
    return [ELEMENTWISE[name].helper.strip() if name in ELEMENTWISE else _helper_source(name) for name in sorted(wanted)]


def _imports(parts: Iterable[str]) -> list[str]:
    """The imports from the standard library that the code needs."""
    names = {found[1] for part in parts if _IMPORTED.search(part) for found in _IN_CODE.finditer(part) if found[1]}
    whole = [f"import {word}" for word, source in _IMPORTS.items() if word in names and not source]
    from_: dict[str, list[str]] = {}
    for word, source in _IMPORTS.items():
        if word in names and source:
            from_.setdefault(source, []).append(word)
    return [*whole, *(f"from {source} import {', '.join(words)}" for source, words in from_.items())]


# ---- templates ---------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _environment() -> Environment:
    loader = FileSystemLoader(_TEMPLATES)
    return Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


def _render(template: str, **values: object) -> str:
    """The text of a template: the frame of a file, a class or a function, which holds no decisions."""
    return _environment().get_template(template).render(**values)


@lru_cache(maxsize=1)
def _helper_names() -> tuple[str, ...]:
    """The private helper functions that have a template."""
    return tuple(sorted(path.name.removesuffix(".py.j2") for path in (_TEMPLATES / "helpers").iterdir()))


def _helper_source(name: str) -> str:
    """The source of a helper function: a template without holes, read as it stands, since jinja2 would compile it each time."""
    return (_TEMPLATES / "helpers" / f"{name}.py.j2").read_text(encoding="utf-8").rstrip("\n")
