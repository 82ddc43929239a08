"""What a reader of one kind of file finds: texts in which regions are program text."""

from __future__ import annotations

from typing import Literal, TypeAlias

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostic, error
from mathdsl.source.model import MappedText
from mathdsl.spans import Span

Markup: TypeAlias = Literal["latex", "markdown", "rest", "program"]
"""How the prose of a text is written; `program`: there is none, all of the text is a program."""

Said: TypeAlias = tuple[int, int, str]
"""The characters of a tag, and what it says."""


@dataclass(frozen=True, slots=True)
class Region:
    r"""Characters `start .. end` of a text are program text; `whole` adds its tags, fence or directive; see `Chunk` for the rest.

    `said`: what the tags at these characters say, `\begin{algorithmic}` of a program without a header `\Procedure{PowerIteration}`.
    """

    kind: Literal["program", "where"]
    start: int
    end: int
    whole: tuple[int, int]
    directly_after: bool = False
    said: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class ContainerText:
    """A text whose comments, definitions and container tags are blanked out; regions in order.

    `written` is the text with all of these. `prose`: rows of a table that the words around a region come to, by the region's number.
    `name`: of the class or function that the text documents.
    """

    markup: Markup
    written: MappedText
    text: MappedText
    regions: tuple[Region, ...]
    prose: tuple[tuple[int, tuple[MappedText, ...]], ...] = ()
    name: str = ""

    @property
    def program_text(self) -> str:
        """What its regions hold."""
        return "\n".join(self.text.text[region.start : region.end] for region in self.regions)


def no_program(place: Span) -> Diagnostic:
    """That a document, or a file of it, holds none."""
    return error(
        "E0107",
        "this document holds no program",
        place,
        help=r"write `\Module{Name}{inputs ; parameters}` before the equations and `\Return … \\ \EndModule` behind them, in their "
        r"display or in a `mathdsl` environment; an algorithm is `\Procedure{Name}{$inputs$} … \EndProcedure` in an `algorithmic` one",
    )
