"""What is found while a program is read: mistakes, warnings, and what a rule decided where types leave it open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.model import Diagnostic, Diagnostics, MathdslError
from mathdsl.diagnostics.readings import READINGS, Ambiguity
from mathdsl.elaborate.names.names import Name
from mathdsl.spans import Span


@dataclass(frozen=True)
class Decided:
    """One decision: the row whose first reading a rule took, the symbol (`W`, `LayerNorm`, `QK`; none: an expression), and the place."""

    row: Ambiguity
    subject: str
    span: Span


@dataclass(eq=False)
class Findings:
    """What is found in one program."""

    diagnostics: Diagnostics = field(default_factory=Diagnostics)  # warnings
    problems: list[Diagnostic] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    faulty_names: set[Name] = field(default_factory=set)  # names whose definition is a mistake, or contradicts another
    calls_faulty: bool = False  # it calls a program with mistakes of its own

    def report(self, error: MathdslError) -> None:
        """Keep what is wrong; of one undeclared name, only the first place."""
        for diagnostic in error.diagnostics:
            known = any(d.code == diagnostic.code and d.message == diagnostic.message for d in self.problems)
            if not (known and (diagnostic.code == "E0301" or diagnostic in self.problems)):
                self.problems.append(diagnostic)

    def report_of(self, name: Name | None, error: MathdslError) -> None:
        """Keep what is wrong with the declaration of a name, so that its uses say nothing of it; what is of no name ends the reading."""
        if name is None:
            raise error
        self.report(error)
        self.faulty_names.add(name)

    @property
    def is_faulty(self) -> bool:
        """Whether it cannot be compiled: for a mistake here or in what it calls."""
        return bool(self.problems) or self.calls_faulty

    def note(self, row: Ambiguity, subject: str, span: Span) -> None:
        """A rule took the first reading of a row, which `check` tells."""
        self.decided.append(Decided(row, subject, span))

    def told(self, program: str, owned: Mapping[Span, str]) -> tuple[Diagnostic, ...]:
        """The note of what rules decided, `owned` among it by first places, and the warnings."""
        return (*_note_of(program, self.decided, owned), *self.diagnostics.items)


def _note_of(program: str, decided: Sequence[Decided], owned: Mapping[Span, str]) -> Iterable[Diagnostic]:
    """The one note of a program; none where no rule decided anything."""
    if decided or owned:
        first = min((*(one.span for one in decided), *owned), key=lambda span: (span.file, span.start))
        subjects = {row.name: [one.subject for one in decided if one.row is row] for row in READINGS}
        lines = [_line(row, subjects[row.name]) for row in READINGS if subjects[row.name]]
        lines += [f"it owns `{row}`, by its use: nothing declares it" for row in owned.values()]
        yield Diagnostic("N0301", "note", f"rules decided in `{program}` what declarations leave open", first, notes=tuple(lines))


def _line(row: Ambiguity, subjects: list[str]) -> str:
    names = [f"`{name}`" for name in dict.fromkeys(subjects) if name] + ["a product"] * ("" in subjects)
    one, several = row.noted
    return f"{names[0]} {one}" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} {several}"
