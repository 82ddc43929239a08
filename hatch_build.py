"""Hatch build hook: makes the LALR tables of the grammars when a wheel is built, so that no user waits for them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TablesHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the tables into a folder of the build and adds it to the wheel as `mathdsl/grammar/tables`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a checkout builds its tables in memory: they can never be older than the grammar
        sys.path.insert(0, self.root)
        from mathdsl.syntax.tables import write_tables

        folder = Path(self.directory) / "tables"
        write_tables(folder)
        build_data["force_include"][str(folder)] = "mathdsl/grammar/tables"
