"""Parsers from the grammar files: loaded from tables that the wheel carries, or built in memory from a checkout."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lark
from lark import Lark, Token

from mathdsl.diagnostics import InternalError
from mathdsl.syntax.build_expressions import EXPRESSION_RULES
from mathdsl.syntax.build_statements import STATEMENT_RULES

SHARED = ("tokens", "expressions", "statements")
NOTATIONS = ("module", "docstring", "algorithmic")
"""Grammar files: those under all notations, then one a notation; a program may use several notations at once."""

_PACKAGE = Path(__file__).resolve().parent.parent
_GRAMMARS = (_PACKAGE / "grammar", _PACKAGE.parent / "grammar")
_TABLES = (_PACKAGE / "grammar" / "tables", _PACKAGE.parent / "build" / "tables")
"""Where grammars and tables lie: first in an installed package, then in a checkout."""

_FILE = "notations.tables"
_LEXED = re.compile(r"^([A-Z0-9]+)(?:\.-?\d+)?:", re.MULTILINE)

_RULES = SimpleNamespace(**EXPRESSION_RULES, **STATEMENT_RULES)


class _Retyped:
    """Keeps the lexer's terminals that no rule mentions: each becomes another one before the parser sees it."""

    def __init__(self, terminals: tuple[str, ...]) -> None:
        self.always_accept = terminals

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


def grammar_text(notations: tuple[str, ...] = NOTATIONS) -> str:
    """The shared files and those of `notations`, as one grammar."""
    folder = next((folder for folder in _GRAMMARS if (folder / "tokens.lark").is_file()), None)
    if folder is None:
        raise InternalError("the folder `grammar` was not installed")
    return "\n".join((folder / f"{name}.lark").read_text(encoding="utf-8") for name in (*SHARED, *notations))


def build_parser(notations: tuple[str, ...] = NOTATIONS, *, strict: bool = False) -> Lark:
    """A parser built from the grammar files; `strict` refuses every conflict."""
    text = grammar_text(notations)
    return Lark(text, **_options(text), parser="lalr", lexer="basic", keep_all_tokens=True, maybe_placeholders=False, strict=strict)


def _options(text: str) -> dict[str, Any]:
    return {"postlex": _Retyped(tuple(_LEXED.findall(text))), "transformer": _RULES}


def _stamp(text: str) -> str:
    return f"{lark.__version__} {hashlib.sha256(text.encode()).hexdigest()}"


def write_tables(folder: Path) -> None:
    """Writes the tables of all notations into `folder`, for the wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    data, memo = build_parser().memo_serialize([lark.lexer.TerminalDef, lark.grammar.Rule])
    for option in ("postlex", "transformer"):
        data["options"].pop(option, None)
    (folder / _FILE).write_bytes(pickle.dumps({"stamp": _stamp(grammar_text()), "data": data, "memo": memo}, protocol=5))


@lru_cache(maxsize=1)
def load_parser() -> Lark:
    """The parser of all notations, from tables made for this grammar and this Lark if there are any."""
    text = grammar_text()
    for folder in _TABLES:
        parser = read_tables(folder, text)
        if parser is not None:
            return parser
    return build_parser()


def read_tables(folder: Path, text: str) -> Lark | None:
    """The parser whose tables `folder` holds, if they were made for the grammar `text` by this Lark."""
    path = folder / _FILE
    if not path.is_file():
        return None
    tables = pickle.loads(path.read_bytes())
    if tables["stamp"] != _stamp(text):
        return None
    load: Any = Lark._load_from_dict  # `Lark.load` takes no options, and the rules' functions are one
    parser: Lark = load(tables["data"], tables["memo"], **_options(text))
    return parser
