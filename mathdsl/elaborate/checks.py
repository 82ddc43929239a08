"""Warnings about what a program declares and never uses."""

from __future__ import annotations

from mathdsl.diagnostics.model import Diagnostic
from mathdsl.elaborate.report import warn
from mathdsl.elaborate.symbols import Role
from mathdsl.elaborate.unit import Unit

WORDS = {Role.INPUT: "input", Role.PARAMETER: "parameter", Role.BUFFER: "buffer", Role.SETTING: "setting"}


def check_references(unit: Unit, problems: list[Diagnostic]) -> None:
    """Warn of inputs, parameters and submodules that no statement uses."""
    for symbol in unit.symbols.values():
        if symbol.role in WORDS and symbol.declared and not symbol.used and not symbol.listed and not problems:
            adopted = symbol in unit.adopted_symbols
            if not adopted:
                warn(
                    unit.diagnostics,
                    "W0301",
                    f"the {WORDS[symbol.role]} `{symbol.latex}` is never used",
                    symbol.span,
                    "take it out, or use it",
                )
    for entry in unit.submodules.values():
        if not entry.used and not problems:
            warn(unit.diagnostics, "W0301", f"the submodule `{entry.latex}` is never called", entry.span, "take it out, or call it")
