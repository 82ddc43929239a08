"""The document's macros in what is no program: expanded where they can be, left as they stand where they cannot."""

from __future__ import annotations

from dataclasses import replace

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostics, MathdslError
from mathdsl.source.expand import Context, expand, make_context
from mathdsl.source.language_commands import OWNED
from mathdsl.source.macros import Macro, MacroTable
from mathdsl.source.model import MappedText, Run
from mathdsl.spans import NOWHERE

_TEXT = r"\text{"


@dataclass(slots=True)
class Expander:
    """The macros as they hold in text `number`; `context` counts what expansion may still cost."""

    context: Context
    number: int

    def find(self, name: str, at: int) -> Macro | None:
        """The macro that a command of prose calls at character `at` of the text."""
        return None if name in OWNED else self.context.macros.find(name, (self.number, at))

    def can_afford(self, length: int) -> bool:
        """Whether a call of so many characters may be tried; all are paid for, as those in the arguments of one that fails come again."""
        self.context.characters -= length
        return self.context.characters >= 0

    def expand_formula(self, latex: str, at: int) -> str:
        """A formula, its characters spelled as commands."""
        if "\\" not in latex and latex.isascii():
            return latex
        expanded = self._expand(latex, at)
        return latex if expanded is None else expanded

    def expand_call(self, call: str, at: int) -> str | None:
        """What a call in running text comes to, whose characters may be any; None where it cannot be expanded."""
        expanded = self._expand(f"{_TEXT}{call}}}", at - len(_TEXT))
        return None if expanded is None else expanded[len(_TEXT) : -1]

    def _expand(self, text: str, at: int) -> str | None:
        context = replace(self.context, found=Diagnostics(), owned=set(), refused=[], is_prose=True)
        try:
            expanded = expand(MappedText(text, (Run(0, NOWHERE, False),)), (self.number, at), context, rows=False)
        except MathdslError:
            return None
        finally:
            self.context.calls, self.context.characters = context.calls, context.characters
        return None if context.refused else expanded.text


def make_expander(macros: MacroTable, number: int, length: int) -> Expander:
    """An expander for a text of `length` characters."""
    return Expander(make_context(macros, Diagnostics(), length), number)
