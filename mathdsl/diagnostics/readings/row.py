r"""A row of the table of readings: a notation that can be read in several ways, and what decides between them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics.readings.page import Reading, Section, find_section

_LETTER = re.compile(r"⟨(\w+)⟩")


@dataclass(frozen=True, slots=True)
class Ambiguity:
    r"""A notation with several readings, as in `\gamma^t`, by the name of its section of the page, which is read when it is needed."""

    name: str

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The readings; in their words a letter of the notation stands between angle brackets: ``an element of `⟨name⟩` ``."""
        return self._section.readings

    @property
    def decided(self) -> str:
        """The declaration, the notation or the rule that decides, or `nothing`."""
        return self._section.decided

    @property
    def code(self) -> str:
        """The code of the refusal or of the note; empty where the notation itself or a declaration always decides."""
        return self._section.code

    @property
    def program(self) -> str:
        """The program that gets the code; empty without one."""
        return self._section.program

    @property
    def letters(self) -> Mapping[str, str]:
        """The letters of `program`."""
        return self._section.letters

    @property
    def noted(self) -> tuple[str, str]:
        """A note's words of one symbol of which a rule took the first reading, and of several."""
        return self._section.noted

    @property
    def _section(self) -> Section:
        return find_section(self.name)

    def words(self, letters: Mapping[str, str]) -> tuple[Reading, ...]:
        """The readings in the letters of an author."""
        return tuple(Reading(_filled(own.meaning, letters), _filled(own.choice, letters), own.program) for own in self.readings)

    def message(self, letters: Mapping[str, str]) -> str:
        r"""`\gamma^t` can be an element of `\gamma`, or a power of `\gamma`."""
        return _filled(self._section.message, letters)

    def help(self, letters: Mapping[str, str]) -> str:
        """The choice for each reading; a verb that all have in common stands once."""
        choices = [reading.choice for reading in self.words(letters)]
        verbs = {choice.partition(" ")[0] for choice in choices}
        if len(verbs) == 1:
            choices[1:] = [choice.partition(" ")[2] for choice in choices[1:]]
        return f"{', '.join(choices[:-1])}, or {choices[-1]}"


def _filled(words: str, letters: Mapping[str, str]) -> str:
    return _LETTER.sub(lambda found: letters[found[1]], words)
