"""The grammar files: no conflict that Lark would settle silently, and tables that make the same parser."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from mathdsl.syntax.build_expressions import EXPRESSION_RULES
from mathdsl.syntax.build_statements import STATEMENT_RULES
from mathdsl.syntax.tables import NOTATIONS, build_parser, grammar_text, read_tables, write_tables


@pytest.mark.parametrize("notations", [(), *((name,) for name in NOTATIONS), NOTATIONS], ids=str)
def test_no_conflict_is_settled_silently(notations: tuple[str, ...]) -> None:
    build_parser(notations, strict=True)


def test_every_rule_has_its_function_and_every_function_its_rule() -> None:
    parser = build_parser()
    written = {rule.alias or str(rule.origin.name) for rule in parser.rules if not rule.options.expand1 or rule.alias}
    rules = {name for name in written if not name.startswith("__")}
    assert rules == {*EXPRESSION_RULES, *STATEMENT_RULES}


def test_tables_make_the_same_parser(tmp_path: Path) -> None:
    write_tables(tmp_path)
    loaded = read_tables(tmp_path, grammar_text())
    assert loaded is not None
    assert loaded.rules == build_parser().rules


def test_tables_of_another_grammar_or_lark_are_not_used(tmp_path: Path) -> None:
    write_tables(tmp_path)
    assert read_tables(tmp_path, grammar_text() + "\n") is None
    (path,) = tmp_path.iterdir()
    tables = pickle.loads(path.read_bytes())
    path.write_bytes(pickle.dumps(tables | {"stamp": re.sub(r"^\S+", "0.0.1", tables["stamp"])}))
    assert read_tables(tmp_path, grammar_text()) is None


def test_no_file_is_written_when_a_parser_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    build_parser(("module",))
    assert list(tmp_path.iterdir()) == []
