"""Characters of program text: equal spellings are replaced, look-alikes and invisible ones are named and refused."""

from __future__ import annotations

import re
import unicodedata

from mathdsl.diagnostics import Diagnostic, Diagnostics, MathdslError, ambiguous, error
from mathdsl.diagnostics.readings.notation import ROOT_OF_SEVERAL
from mathdsl.source.equal_spellings import COMBINING_ACCENTS, SCRIPTS, find_spelling
from mathdsl.spans import Span

_MARKS = r"\u0300-\u036f\u20d0-\u20ff"
_ALLOWED = r"\t\n\r\f\x20-\x7e"
_SIMPLE_ROOT = r"√(?:[A-Za-z]|\d+(?:\.\d+)?)(?![\w\[(^'′\\{])"
CHARACTERS = (
    rf"{_SIMPLE_ROOT}|[A-Za-z][{_MARKS}]+|[{''.join(SCRIPTS['_'])}]+|[{''.join(SCRIPTS['^'])}]+"
    rf"|[^{_ALLOWED}{_MARKS}][{_MARKS}]*|[{_MARKS}]+"
)
"""A pattern for what is replaced or refused: a letter with its accents, a run of scripts, one other character."""

_CHARACTER = re.compile(CHARACTERS)
_MOST_REPORTED = 50
_MOST_REFUSED = 1000


def replace_characters(match: re.Match[str], span: Span, found: Diagnostics, refused: list[Span]) -> str:
    """The LaTeX that means the same. A refused character is reported and a stand-in goes on; of a refused word, the first letter is.

    Raises MathdslError where the text is hardly a program, having refused a thousand.
    """
    run = match[0]
    spelling = find_spelling(run)
    if spelling is not None:
        return spelling
    if run[0] == "√":  # before one letter or one number it is a root, too; anything else could end in more than one place
        if len(run) > 1:
            return rf"\sqrt{{{run[1:]}}}"
        if match.string.startswith("{", match.end()):
            return r"\sqrt"
        diagnostic, continues_word, stand_in = ambiguous(ROOT_OF_SEVERAL, span), False, ""
    else:
        culprit = next((c for c in run if not (c.isascii() or c in COMBINING_ACCENTS)), run[0])
        stand_in = _stand_in(run, culprit)
        diagnostic, continues_word = _refuse(culprit, span), culprit.isalnum()
    if len(refused) < _MOST_REPORTED and not (continues_word and refused and refused[-1].end == span.start):
        found.add(diagnostic)
    refused.append(span)
    if len(refused) > _MOST_REFUSED:
        raise MathdslError
    return stand_in


def spell_out(text: str) -> str | None:
    r"""A formula with the commands that stand for other characters, `θ_t` as `\theta _t`; None where one has none."""
    unknown = False

    def spell(match: re.Match[str]) -> str:
        nonlocal unknown
        spelling = find_spelling(match[0])
        unknown = unknown or spelling is None
        return "" if spelling is None else spelling + " " * spelling[-1:].isalpha()

    spelled = _CHARACTER.sub(spell, text)
    return None if unknown else spelled


def _stand_in(run: str, culprit: str) -> str:
    """What lets the grammar go on: nothing for what nobody sees, a letter for a letter."""
    if not culprit.isprintable() or unicodedata.category(culprit)[0] == "M":
        return "".join(character for character in run if character.isascii() and character.isalpha())
    return "x" if culprit.isalnum() else " "


def name_character(character: str) -> str:
    """`U+0430 CYRILLIC SMALL LETTER A`."""
    return f"U+{ord(character):04X} {unicodedata.name(character, _CONTROL_NAMES.get(character, 'without a name'))}"


def _refuse(character: str, span: Span) -> Diagnostic:
    named = name_character(character)
    if not character.isprintable() or unicodedata.category(character) == "Cf":
        message = f"invisible character {named} in program text"
        return error("E0115", message, span, help="delete it; it may have come along when the text was copied")
    folded = unicodedata.normalize("NFKC", character)
    return error(
        "E0114",
        f"`{character}` ({named}) is not a character of the language",
        span,
        notes=[f"it looks like `{folded}`, but is another character"] if folded != character and folded.isascii() else [],
        help="write a Latin letter or a LaTeX command instead; in comments and descriptions any character may stand",
    )


_CONTROL_NAMES = {"\0": "NULL", "\x07": "BELL", "\x08": "BACKSPACE", "\x1b": "ESCAPE", "\x7f": "DELETE", "\ufeff": "BYTE ORDER MARK"}
