"""Python files, none of which is ever imported: where one that is named lies, and its docstrings with the place of every character."""

from __future__ import annotations

import ast
import difflib
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from mathdsl.diagnostics import Diagnostics, MathdslError, error
from mathdsl.source.mapping import TextBuilder
from mathdsl.source.model import MappedText
from mathdsl.spans import SourceFile, Span

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_CLASS = re.compile(rf"(?P<place>.+):(?P<part>{_DOTTED})", re.DOTALL)
_MODULE = re.compile(_DOTTED)
_LITERAL = re.compile(r"""(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|"|')""")
_ESCAPE = re.compile(r"\\(?:\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|(?P<unknown>[\s\S]))")
_SIMPLE = {"\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_DEFINES = re.compile(
    r"\\(?:algoProc|Module|Procedure|Function)\s*\{\s*\\?(?P<name>[A-Za-z]\w*)\s*\}"
    r"|^[ \t]*&*[ \t]*\\?(?P<function>[A-Za-z]+)(?:\(|\\pa\{)[^=\n]*?(?:\\gets|\\algoEq|\\coloneqq|\\leftarrow|=)",
    re.MULTILINE,
)
_MOST_NAMED = 8
_Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_TORN_COMMAND = re.compile(r"(?<!\\)(?:\\\\)*\\algoProc(?![A-Za-z])")


class NoModule(Exception):
    """A source names a module that is not on the import path."""


def find_source(source: str, folders: Sequence[str]) -> tuple[str, str]:
    """The path of a source, and the class that is meant: `FILE`, `FILE.py:Class` or `package.module:Class`."""
    place, part = (source, "") if Path(source).exists() else split_class(source)
    if not part or place.lower().endswith(".py"):
        return place, part
    found = find_module(place, folders)
    if found is None:
        raise NoModule(f"there is no module {place} on the import path")
    return str(found), part


def split_class(source: str) -> tuple[str, str]:
    """`FILE.py:Class` and `package.module:Class` as place and class; anything else as a place alone."""
    match = _CLASS.fullmatch(source)
    if match is None or not (match["place"].lower().endswith(".py") or _MODULE.fullmatch(match["place"])):
        return source, ""
    return match["place"], match["part"]


def find_module(name: str, folders: Sequence[str]) -> Path | None:
    """The file of a module; importing its packages could run anything, so only files are looked at.

    As an import does: in each folder a package with `__init__.py` comes before a module, and packages without one are the last resort.
    """
    *packages, last = name.split(".")
    places = [Path(folder or ".") for folder in folders]
    for package in packages:
        places = _inside(places, package)
    for place in places:
        for file in (place / last / "__init__.py", place / f"{last}.py"):
            if file.is_file():
                return file
    return None


def _inside(places: list[Path], package: str) -> list[Path]:
    """Where the modules of a package lie: its own folder, or all folders of that name where none has an `__init__.py`."""
    folders = [place / package for place in places if (place / package).is_dir()]
    regular = next((folder for folder in folders if (folder / "__init__.py").is_file()), None)
    return folders if regular is None else [regular]


def find_docstrings(file: SourceFile, found: Diagnostics) -> Iterator[tuple[str, MappedText]]:
    """The docstrings of the module, its classes and functions, in order, each with the dotted name of what it documents.

    Of a class that is meant alone, those inside it, then all others, among which is what it calls.
    """
    tree = _parse(file, found)
    part = tree if tree is None or not file.part else _find_class(tree, file, found)
    if tree is None or part is None:
        return
    own = [(name, literal) for name, node in _documented(part, file.part) if (literal := _find_literal(node)) is not None]
    yield from _map_docstrings(file, own, found)
    if part is not tree:
        inside = {literal for _, literal in own}
        others = [(name, literal) for name, node in _documented(tree, "") if (literal := _find_literal(node)) is not None]
        yield from _map_docstrings(file, [(name, literal) for name, literal in others if literal not in inside], Diagnostics())


def _map_docstrings(file: SourceFile, literals: Sequence[tuple[str, ast.Constant]], found: Diagnostics) -> Iterator[tuple[str, MappedText]]:
    line_starts = [0, *(match.end() for match in re.finditer("\n", file.text))]
    for name, literal in sorted(literals, key=lambda found: (found[1].lineno, found[1].col_offset)):
        start = _offset(file.text, line_starts, literal.lineno, literal.col_offset)
        end = _offset(file.text, line_starts, literal.end_lineno or literal.lineno, literal.end_col_offset or 0)
        try:
            yield name, _map_literals(file, start, end)
        except MathdslError as mistake:
            for diagnostic in mistake.diagnostics:
                found.add(diagnostic)


def is_inside(name: str, part: str) -> bool:
    """Whether a dotted name is that of the class that is meant, or of something in it; where none is meant, all are."""
    return not part or name == part or name.startswith(part + ".")


def calls(programs: Sequence[str], docstring: str) -> bool:
    """Whether one of some programs names a procedure or a function that a docstring defines."""
    defined = {match["name"] or match["function"] for match in _DEFINES.finditer(docstring)}
    return any(re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", program) for name in defined for program in programs)


def _documented(part: ast.AST, name: str) -> Iterator[tuple[str, _Documented]]:
    """What may have a docstring, with dotted names; walked without recursion, as expressions may be deep."""
    waiting = [(name, part)]
    while waiting:
        name, node = waiting.pop()
        if isinstance(node, _Documented):
            yield name, node
        for child in ast.iter_child_nodes(node):
            own = child.name if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else ""
            waiting.append((".".join(filter(None, (name, own))), child))


def _parse(file: SourceFile, found: Diagnostics) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in strings that are not ours
            return ast.parse(file.text)
    except SyntaxError as mistake:
        at = _offset(file.text, [0, *(m.end() for m in re.finditer("\n", file.text))], mistake.lineno or 1, 0)
        at = min(len(file.text), at + max(0, (mistake.offset or 1) - 1))
        found.add(error("E0108", f"this Python file cannot be parsed: {mistake.msg}", Span(file.name, at, min(at + 1, len(file.text)))))
    except (ValueError, RecursionError, MemoryError) as problem:
        found.add(error("E0108", f"this Python file cannot be parsed: {problem or type(problem).__name__}", Span(file.name, 0, 0)))
    return None


def _find_class(tree: ast.Module, file: SourceFile, found: Diagnostics) -> ast.ClassDef | None:
    """The class of that dotted name, which may stand in a branch of the module."""
    classes = dict(_classes(tree, ""))
    if file.part in classes:
        return classes[file.part]
    close = difflib.get_close_matches(file.part, classes, n=1)
    known = f"its classes are {', '.join(f'`{name}`' for name in list(classes)[:_MOST_NAMED])}" if classes else "it has no classes"
    hint = f"did you mean `{close[0]}`?" if close else known
    found.add(error("E0118", f"there is no class `{file.part}` in this file", Span(file.name, 0, 0), help=hint))
    return None


def _classes(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield prefix + child.name, child
            yield from _classes(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _classes(child, prefix)


def _find_literal(node: _Documented) -> ast.Constant | None:
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str()) as literal), *_]:
            return literal
    return None


def _offset(text: str, line_starts: list[int], line: int, column: int) -> int:
    """The place of a line (from 1) and a column in UTF-8 bytes."""
    start = line_starts[min(line, len(line_starts)) - 1]
    end = line_starts[line] if line < len(line_starts) else len(text)
    return start + len(text[start:end].encode("utf-8", errors="surrogatepass")[:column].decode("utf-8", errors="ignore"))


def _map_literals(file: SourceFile, start: int, end: int) -> MappedText:
    """The value of string literals that stand side by side."""
    builder = TextBuilder()
    position = start
    while match := _LITERAL.search(file.text, position, end):
        raw = "r" in match["prefix"].lower()
        inside = match.end()
        closing = re.compile(r"(?:\\[\s\S]|(?!" + match["quote"] + r")[\s\S])*").match(file.text, inside, end)
        inside_end = closing.end() if closing else end
        if raw:
            builder.copy(file, inside, inside_end)
        else:
            _map_plain(file, inside, inside_end, builder)
        position = inside_end + len(match["quote"])
    return builder.build()


def _map_plain(file: SourceFile, start: int, end: int, builder: TextBuilder) -> None:
    r"""A literal that is not raw: `\\` is one backslash, and `\a` of an `\algoProc` is no backslash at all."""
    if torn := _TORN_COMMAND.search(file.text, start, end):
        at = torn.end() - len(r"\algoProc")
        raise MathdslError(
            error(
                "E0109",
                r"this docstring is not raw: Python reads `\a` of `\algoProc` as an escape",
                Span(file.name, at, at + 2),
                help='begin the docstring with r""", or double its backslashes',
            )
        )
    position = start
    for match in _ESCAPE.finditer(file.text, start, end):
        builder.copy(file, position, match.start())
        position = match.end()
        if match["unknown"] is None:
            builder.add_exactly(_unescape(match[0][1:]), Span(file.name, match.start(), match.end()))
        else:
            builder.copy(file, match.start(), match.end())
    builder.copy(file, position, end)


def _unescape(escape: str) -> str:
    if escape[0] in _SIMPLE:
        return _SIMPLE[escape[0]]
    if escape[0] == "N":
        return unicodedata.lookup(escape[2:-1])
    return chr(int(escape, 8) if escape[0].isdigit() else int(escape[1:], 16))
