"""Open brackets of a region: what is remembered while one is open."""

from __future__ import annotations

from mathdsl.dataclass import dataclass, field
from mathdsl.syntax.lexemes import Lexeme


@dataclass(slots=True)
class Frame:
    r"""An open delimiter. `at` is its place in the decided lexemes; `written` is the delimiter as the author wrote it.

    `reduction`: a `\sum` and its scripts stand last in it, so that its body follows; `script`: of these, an argument is due.
    `types`: it is a type that follows.
    `bar`: a bar that was not told to open by its spelling; `bars`: such bars in it since the last operator.
    """

    opener: str
    at: int
    written: Lexeme
    closes_with: str
    reduction: bool = False
    script: bool = False
    bar: bool = False
    bars: list[str] = field(default_factory=list)
    equals: bool = False
    relations: bool = False
    dots: bool = False
    semicolons: bool = False
    commas: bool = False
    types: bool = False
    after_quad: bool = False
    in_type: bool = False
    names_follow: tuple[Lexeme, Lexeme] | None = None
    cells: int = 0

    @property
    def is_parenthesis(self) -> bool:
        """Whether these are square brackets around one item: in a type they are a range or an interval, named a list."""
        several = self.commas or self.semicolons or self.dots
        return self.opener == "LSQB" and self.written.text == "[" and not several and not self.in_type
