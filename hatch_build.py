"""Hatch build hook: makes the LALR tables of the grammars when a wheel is built, so that no user waits for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TablesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the tables into a folder of the build and adds it to the wheel as `mathdsl/grammar/tables`.

    A checkout that is installed in place reads them from `build/tables`; tables that are older than the grammar, or were
    made by another Lark, are not used.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        from mathdsl.syntax.tables import write_tables

        folder = Path(self.root) / "build" / "tables"
        write_tables(folder)
        if version != "editable":
            build_data["force_include"][str(folder)] = "mathdsl/grammar/tables"
